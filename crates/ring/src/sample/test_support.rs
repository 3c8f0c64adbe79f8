//! What the tests of the samplers share: generators of fixed seeds, checksums, chi-square.
//!
//! The known answers of these tests were computed by an independent program: Python's
//! `cryptography` package for ChaCha20 and `mpmath` at 400 bits for the Gaussian table, following
//! the written rule of each sampler, with the seed 00 01 02 .. 1f.

use super::{SecretRng, SecretSeed, Seed};

/// The bytes 00 01 02 .. 1f.
pub(crate) const SEED_BYTES: [u8; 32] = {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 32 {
        bytes[i] = i as u8;
        i += 1;
    }
    bytes
};

/// The public seed of the known answers.
pub(crate) const SEED: Seed = Seed::new(SEED_BYTES);

/// A generator with the seed of the known answers.
pub(crate) fn known_rng() -> SecretRng {
    SecretRng::from_seed(SecretSeed::new(SEED_BYTES))
}

/// A generator of one of many fixed seeds.
pub(crate) fn rng(number: u8) -> SecretRng {
    SecretRng::from_seed(SecretSeed::new([number; 32]))
}

/// The 64-bit FNV-1a checksum.
pub(crate) fn checksum(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// The checksum of signed coefficients as little-endian words.
pub(crate) fn checksum_of_small(values: &[i32]) -> u64 {
    checksum(values.iter().flat_map(|x| x.to_le_bytes()))
}

/// Checksums after drawing some coefficients into buffers of several lengths, which must agree.
pub(crate) fn assert_cut_does_not_matter(fill: impl Fn(&mut SecretRng, &mut [i32])) {
    let mut whole = vec![0; 1500];
    fill(&mut known_rng(), &mut whole);
    let mut parts = vec![0; 1500];
    let mut rng = known_rng();
    let (mut rest, mut length) = (&mut parts[..], 0);
    while !rest.is_empty() {
        length = (7 * length + 1) % 400;
        let (part, tail) = rest.split_at_mut(length.min(rest.len()));
        fill(&mut rng, part);
        rest = tail;
    }
    assert_eq!(whole, parts);
}

/// Pearson's statistic of `samples` against `probability(x)` over `-bound..=bound`, with bins of
/// fewer than 16 expected samples put together, over its limit: the mean plus six standard
/// deviations of the chi-square distribution, plus 20 for few degrees of freedom. A right sampler
/// is below 1 (a false alarm has a chance of about 1 in 10^8, and the seeds are fixed).
pub(crate) fn chi_square(samples: &[i32], bound: i32, probability: impl Fn(i32) -> f64) -> f64 {
    let mut counts = vec![0u32; 2 * bound as usize + 1];
    for &x in samples {
        counts[usize::try_from(x + bound).unwrap()] += 1;
    }
    let (mut statistic, mut bins) = (0.0, 0.0);
    let (mut rest_expected, mut rest_found) = (0.0, 0.0);
    for (x, count) in (-bound..=bound).zip(counts) {
        let expected = probability(x) * samples.len() as f64;
        if expected < 16.0 {
            rest_expected += expected;
            rest_found += f64::from(count);
        } else {
            statistic += (f64::from(count) - expected).powi(2) / expected;
            bins += 1.0;
        }
    }
    if rest_expected + rest_found > 0.0 {
        statistic += (rest_found - rest_expected).powi(2) / rest_expected.max(1.0);
        bins += 1.0;
    }
    let freedom: f64 = bins - 1.0;
    statistic / (freedom + 6.0 * (2.0 * freedom).sqrt() + 20.0)
}

/// Asserts that mean and variance are within six standard errors of 0 and `variance`, for a
/// distribution of fourth moment `fourth`.
pub(crate) fn assert_moments(samples: &[i32], variance: f64, fourth: f64) {
    let count = samples.len() as f64;
    let mean = samples.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
    let second = samples.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / count;
    assert!(mean.abs() < 6.0 * (variance / count).sqrt(), "mean {mean}");
    let error = ((fourth - variance * variance) / count).sqrt();
    assert!((second - variance).abs() < 6.0 * error, "variance {second}, not {variance}");
}
