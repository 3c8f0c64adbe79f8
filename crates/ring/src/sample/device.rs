//! The randomness of an encryption by the hardware device, bit for bit (`docs/device-randomness.md`).
//!
//! Plaintext `k` of a batch has its own keystream: ChaCha20 (RFC 8439), key the seed, 96-bit nonce
//! `le32(k) || le64(run counter)`, block counter from 0. A polynomial degree `n` takes `2 n`
//! little-endian 64-bit words `W[0] .. W[2 n - 1]`:
//!
//! * `e[w] = ones(bits 0..20 of W[w]) - ones(bits 21..41)`, the centred binomial distribution of
//!   `k = 21`; `e1` is `e[0] .. e[n - 1]` and `e2` the rest ([`DeviceNoise`] has another one);
//! * with `h[w]` = bits 42..63 and `x = h[2 i] + 2^22 h[2 i + 1]`, `u[i]` is `0, 1, -1` for
//!   `floor(3 x / 2^44) = 0, 1, 2`.
//!
//! Hardware draws one noise sample a clock from this, which the general samplers of this module do
//! not allow. Nothing is rejected, and no secret decides a branch, an index or a division.

use super::{SecretSeed, SmallPoly};
use crate::error::{Result, RingError};
use chacha20::cipher::StreamCipher;
use chacha20::{ChaCha20, Key, KeyIvInit, Nonce};
use zeroize::Zeroizing;

/// The smallest degree: one ChaCha20 block.
pub const MIN_DEGREE: usize = 4;

/// The largest degree accepted.
pub const MAX_DEGREE: usize = 1 << 20;

/// `e1` and `e2` are in `[-MAX_NOISE, MAX_NOISE]`, with the standard deviation `sqrt(21 / 2)`.
pub const MAX_NOISE: u32 = 21;

/// Words of keystream drawn at once at most: the buffer stays on the stack, where it is wiped.
const DRAW: usize = 512;

/// Bits of a word that make its noise sample; the other 22 are half a coefficient of `u`.
const NOISE_BITS: u32 = 2 * MAX_NOISE;

/// How a word becomes a noise sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DeviceNoise {
    /// Centred binomial, `k = 21`: what the security tables assume.
    #[default]
    Binomial,
    /// `0, 1, -1` for `floor(3 x / 2^42) = 0, 1, 2`, `x` = bits 0..41: far below the deviation that
    /// the security tables assume, for reproducing a paper that draws its errors so.
    Ternary,
}

impl DeviceNoise {
    /// The variance of a sample.
    #[must_use]
    pub fn variance(self) -> f64 {
        match self {
            Self::Binomial => f64::from(MAX_NOISE) / 2.0,
            Self::Ternary => 2.0 / 3.0,
        }
    }

    /// The largest absolute value of a sample.
    #[must_use]
    pub const fn max(self) -> u32 {
        match self {
            Self::Binomial => MAX_NOISE,
            Self::Ternary => 1,
        }
    }
}

/// The low 21 bits.
const COUNTED: u64 = (1 << MAX_NOISE) - 1;

/// The secret randomness of one batch of encryptions: a seed and a run counter.
///
/// Two batches under one pair repeat their randomness, so that differences of their plaintexts can
/// be read off: a pair serves once. The device refuses the run counter `2^64 - 1`, which has no
/// successor; this model, which counts nothing, does not.
pub struct DeviceStream {
    seed: Zeroizing<[u8; 32]>,
    run_counter: u64,
}

/// The secrets of one encryption, each of `n` coefficients.
#[derive(Debug)]
pub struct DeviceSamples {
    /// The multiplier of the public key, in `{-1, 0, 1}`.
    pub u: SmallPoly,
    /// The noise of the first part, in `[-21, 21]`.
    pub e1: SmallPoly,
    /// The noise of the second part, in `[-21, 21]`.
    pub e2: SmallPoly,
}

impl DeviceStream {
    /// The stream of this seed and run counter. The seed is copied, and wiped with the stream.
    #[must_use]
    pub fn new(seed: &SecretSeed, run_counter: u64) -> Self {
        Self { seed: Zeroizing::new(*seed.expose()), run_counter }
    }

    /// The run counter.
    #[must_use]
    pub const fn run_counter(&self) -> u64 {
        self.run_counter
    }

    /// The secrets of plaintext number `k` of the batch, for the degree `n`, with binomial noise.
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`] when `n` is not a power of two in `[4, 2^20]`.
    pub fn plaintext(&self, k: u32, n: usize) -> Result<DeviceSamples> {
        self.plaintext_with(k, n, DeviceNoise::Binomial)
    }

    /// The secrets of plaintext number `k` of the batch, for the degree `n`; `u` is the same for
    /// every kind of noise.
    ///
    /// # Errors
    /// As [`Self::plaintext`].
    pub fn plaintext_with(&self, k: u32, n: usize, noise: DeviceNoise) -> Result<DeviceSamples> {
        if !n.is_power_of_two() || !(MIN_DEGREE..=MAX_DEGREE).contains(&n) {
            return Err(RingError::UnsupportedDegree {
                degree: n,
                min: MIN_DEGREE,
                max: MAX_DEGREE,
            });
        }
        let mut nonce = Nonce::default();
        nonce[..4].copy_from_slice(&k.to_le_bytes());
        nonce[4..].copy_from_slice(&self.run_counter.to_le_bytes());
        let mut cipher = ChaCha20::new(Key::cast_from_core(&self.seed), &nonce);

        let (mut u, mut e1, mut e2) = (vec![0; n], vec![0; n], vec![0; n]);
        let (u_of_e1, u_of_e2) = u.split_at_mut(n / 2);
        for (u, e) in [(u_of_e1, &mut e1), (u_of_e2, &mut e2)] {
            match noise {
                DeviceNoise::Binomial => fill(&mut cipher, u, e, binomial_noise),
                DeviceNoise::Ternary => fill(&mut cipher, u, e, ternary_noise),
            }
        }
        let [u, e1, e2] = [u, e1, e2].map(SmallPoly::from_coefficients);
        Ok(DeviceSamples { u, e1, e2 })
    }
}

impl std::fmt::Debug for DeviceStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DeviceStream(run counter {})", self.run_counter)
    }
}

/// The next `e.len()` words of the stream: as many noise samples, and half as many of `u`.
fn fill(cipher: &mut ChaCha20, u: &mut [i32], e: &mut [i32], noise: impl Fn(u64) -> i32) {
    let mut keystream = Zeroizing::new([0u8; 8 * DRAW]);
    for (u, e) in u.chunks_mut(DRAW / 2).zip(e.chunks_mut(DRAW)) {
        let keystream = &mut keystream[..8 * e.len()];
        keystream.fill(0);
        cipher.apply_keystream(keystream);
        let words = keystream.as_chunks::<16>().0;
        for ((pair, u), e) in words.iter().zip(u).zip(e.as_chunks_mut::<2>().0) {
            let pair = u128::from_le_bytes(*pair);
            let (first, second) = (pair as u64, (pair >> 64) as u64);
            *e = [noise(first), noise(second)];
            *u = ternary((first >> NOISE_BITS) | ((second >> NOISE_BITS) << 22));
        }
    }
}

/// Ones of bits 0..20 less ones of bits 21..41.
const fn binomial_noise(word: u64) -> i32 {
    (word & COUNTED).count_ones() as i32 - ((word >> MAX_NOISE) & COUNTED).count_ones() as i32
}

/// `0, 1, -1` for bits 0..41 in the first, second and last third of their range.
const fn ternary_noise(word: u64) -> i32 {
    third(word & ((1 << NOISE_BITS) - 1), NOISE_BITS)
}

/// `0, 1, -1` for a number of 44 bits in the first, second and last third of its range.
const fn ternary(x: u64) -> i32 {
    third(x, 44)
}

/// `0, 1, -1` for a number of so many bits, 62 at most.
const fn third(x: u64, bits: u32) -> i32 {
    let third = ((3 * x) >> bits) as i32;
    third - 3 * (third >> 1)
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{SEED_BYTES, assert_moments, checksum, chi_square};
    use super::*;

    #[test]
    fn ternary_maps_thirds_and_noise_counts_bits() {
        let top = (1u64 << 44) - 1;
        let third = top / 3; // 2^44 = 1 mod 3: the first third ends at (2^44 - 1) / 3
        for (x, expected) in
            [(0, 0), (third, 0), (third + 1, 1), (2 * third, 1), (2 * third + 1, -1), (top, -1)]
        {
            assert_eq!(ternary(x), expected, "{x}");
            assert_eq!(
                (u128::from(x) * 3) >> 44,
                [0, 1, 2][expected.rem_euclid(3) as usize],
                "{x}"
            );
        }
        let binomial = [COUNTED, COUNTED << 21, u64::MAX, 1, u64::MAX << 42].map(binomial_noise);
        assert_eq!(binomial, [21, -21, 0, 1, 0]);
        let top = (1u64 << 42) - 1;
        let third = top / 3;
        for (x, expected) in
            [(0, 0), (third, 0), (third + 1, 1), (2 * third, 1), (2 * third + 1, -1), (top, -1)]
        {
            assert_eq!(ternary_noise(x), expected, "{x}");
            assert_eq!(ternary_noise(x | (u64::MAX << 42)), expected, "{x}");
        }
    }

    /// The kind of noise changes the noise alone.
    #[test]
    fn ternary_noise_has_its_own_distribution() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 1);
        let samples = stream.plaintext_with(0, 1 << 19, DeviceNoise::Ternary).unwrap();
        let binomial = stream.plaintext(0, 1 << 19).unwrap();
        assert_eq!(samples.u.as_slice(), binomial.u.as_slice());
        for e in [&samples.e1, &samples.e2] {
            assert!(chi_square(e.as_slice(), 1, |_| 1.0 / 3.0) < 1.0);
            assert_moments(e.as_slice(), DeviceNoise::Ternary.variance(), 2.0 / 3.0);
        }
        assert_eq!([DeviceNoise::Binomial, DeviceNoise::Ternary].map(DeviceNoise::max), [21, 1]);
    }

    /// Coefficients of the vector file: all of them, or the first and a digest.
    fn assert_matches(vector: &serde_json::Value, poly: &SmallPoly, at: &str) {
        let numbers = |key: &str| -> Option<Vec<i64>> {
            vector[key].as_array()?.iter().map(serde_json::Value::as_i64).collect()
        };
        let found: Vec<i64> = poly.as_slice().iter().map(|&x| x.into()).collect();
        if let Some(values) = numbers("values") {
            assert_eq!(found, values, "{at}");
        } else {
            let first = numbers("first").unwrap();
            assert_eq!(found[..first.len()], first, "{at}");
            let digest = checksum(found.iter().map(|&x| x as u8));
            assert_eq!(format!("{digest:016x}"), vector["fnv1a64"].as_str().unwrap(), "{at}");
        }
    }

    /// The vectors of the independent model in `tests/python/model`.
    #[test]
    fn matches_the_shared_vectors() {
        let file = include_str!("../../../../tests/vectors/device_randomness.json");
        let file: serde_json::Value = serde_json::from_str(file).unwrap();
        let cases = file["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 72);
        for case in cases {
            let hex = case["seed"].as_str().unwrap();
            let seed =
                std::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap());
            let run_counter = case["run_counter"].as_str().unwrap().parse().unwrap();
            let stream = DeviceStream::new(&SecretSeed::new(seed), run_counter);
            let k = case["k"].as_u64().unwrap() as u32;
            let n = case["n"].as_u64().unwrap() as usize;
            let samples = stream.plaintext(k, n).unwrap();
            let at = format!("run {run_counter}, k = {k}, n = {n}");
            assert_matches(&case["u"], &samples.u, &at);
            assert_matches(&case["e1"], &samples.e1, &at);
            assert_matches(&case["e2"], &samples.e2, &at);
        }
    }

    #[test]
    fn known_answers() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 0);
        let samples = stream.plaintext(0, 4).unwrap();
        assert_eq!(samples.u.as_slice(), [0, 1, 1, 0]);
        assert_eq!(samples.e1.as_slice(), [1, 2, -5, 2]);
        assert_eq!(samples.e2.as_slice(), [-2, 2, -4, 0]);
    }

    /// The noise of a longer polynomial begins with that of a shorter one: one stream of words.
    #[test]
    fn degrees_share_the_stream() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 7);
        let short = stream.plaintext(3, 512).unwrap();
        let long = stream.plaintext(3, 4096).unwrap();
        assert_eq!(long.e1.as_slice()[..512], *short.e1.as_slice());
        assert_eq!(long.e1.as_slice()[512..1024], *short.e2.as_slice());
        assert_eq!(long.u.as_slice()[..512], *short.u.as_slice());
    }

    #[test]
    fn follows_its_distributions() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 1);
        let samples = stream.plaintext(0, 1 << 19).unwrap();
        assert!(chi_square(samples.u.as_slice(), 1, |_| 1.0 / 3.0) < 1.0);
        assert_moments(samples.u.as_slice(), 2.0 / 3.0, 2.0 / 3.0);
        for e in [samples.e1.as_slice(), samples.e2.as_slice()] {
            // Variance k / 2, fourth moment 3 variance^2 - k / 4.
            assert_moments(e, 10.5, 3.0 * 10.5 * 10.5 - 5.25);
            assert!(e.iter().all(|x| x.unsigned_abs() <= MAX_NOISE));
        }
    }

    #[test]
    fn refuses_other_degrees_and_prints_no_secret() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 5);
        for n in [0, 1, 2, 3, 12, (1 << 20) + 1, 1 << 21] {
            let error = stream.plaintext(0, n).unwrap_err();
            assert!(matches!(error, RingError::UnsupportedDegree { .. }), "{error}");
        }
        assert_eq!(format!("{stream:?}"), "DeviceStream(run counter 5)");
        let samples = stream.plaintext(0, 4).unwrap();
        assert!(format!("{samples:?}").contains("u: SmallPoly(4 coefficients)"));
        assert_eq!(stream.run_counter(), 5);
    }
}
