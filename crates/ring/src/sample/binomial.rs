//! The centred binomial distribution, in constant time: a cheap substitute for a Gaussian.
//!
//! `x = sum of k bits - sum of k other bits`, so `|x| <= k` with variance `k / 2`; `k = 21` gives
//! the standard deviation 3.24. Coefficient `i` takes the words `2 i` and `2 i + 1` of the
//! generator and counts the low `k` bits of each: `x = ones(first) - ones(second)`.

use super::{BLOCK, SecretRng};
use crate::error::{Result, RingError};
use zeroize::Zeroizing;

/// The largest `k`: the bits of a word.
pub const MAX_K: u32 = 64;

/// Fills `out` with independent centred binomial values of parameter `k`; two words for each.
///
/// # Errors
/// [`RingError::OutOfRange`] when `k` is not in `[1, 64]`.
pub fn fill(rng: &mut SecretRng, k: u32, out: &mut [i32]) -> Result<()> {
    if !(1..=MAX_K).contains(&k) {
        return Err(RingError::OutOfRange {
            what: "parameter k of the centred binomial distribution",
            value: k.to_string(),
            min: 1.to_string(),
            max: MAX_K.to_string(),
        });
    }
    let mask = u64::MAX >> (64 - k);
    let mut words = Zeroizing::new([0u64; 2 * BLOCK]);
    for coefficients in out.chunks_mut(BLOCK) {
        let words = &mut words[..2 * coefficients.len()];
        rng.fill_words(words);
        for (coefficient, [first, second]) in coefficients.iter_mut().zip(words.as_chunks().0) {
            *coefficient = (first & mask).count_ones() as i32 - (second & mask).count_ones() as i32;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;

    /// `P(x) = C(2k, k + x) / 4^k`.
    fn probability(k: u32, x: i32) -> f64 {
        let chosen = f64::from(k) + f64::from(x);
        (1..=2 * k).map(f64::from).fold(1.0, |p, i| {
            // C(2k, c) = prod (2k - c + i) / i over i <= c; each of 2k factors 1/2 in between.
            p / 2.0 * if i <= chosen { (f64::from(2 * k) - chosen + i) / i } else { 1.0 }
        })
    }

    #[test]
    fn known_answers() {
        let mut out = [0; 300];
        fill(&mut known_rng(), 21, &mut out).unwrap();
        assert_eq!(out[..16], [2, -3, -4, 0, -2, -1, -3, 2, -1, -2, -5, 3, 4, 0, -2, 1]);
        assert_eq!(out[255..259], [8, 2, 0, 0]);
        assert_eq!(checksum_of_small(&out), 0xc3a6_9c0f_834c_9f7a);
        fill(&mut known_rng(), 64, &mut out).unwrap();
        assert_eq!(checksum_of_small(&out), 0x3d44_f855_9573_792f);
        fill(&mut known_rng(), 1, &mut out).unwrap();
        assert_eq!(checksum_of_small(&out), 0xdc3c_e914_e88c_d138);
    }

    #[test]
    fn where_the_output_is_cut_does_not_matter() {
        assert_cut_does_not_matter(|rng, out| fill(rng, 21, out).unwrap());
    }

    #[test]
    fn refuses_k_outside_its_range() {
        for k in [0, 65, u32::MAX] {
            let error = fill(&mut rng(0), k, &mut [0; 4]).unwrap_err();
            assert!(matches!(error, RingError::OutOfRange { .. }), "{error}");
        }
    }

    #[test]
    fn follows_the_binomial_distribution() {
        for k in [1u32, 2, 21, 64] {
            let bound = k as i32;
            let total: f64 = (-bound..=bound).map(|x| probability(k, x)).sum();
            assert!((total - 1.0).abs() < 1e-12, "{total}");
            let mut out = vec![0; 1 << 19];
            fill(&mut rng(k as u8), k, &mut out).unwrap();
            assert!(chi_square(&out, bound, |x| probability(k, x)) < 1.0, "k = {k}");
            let variance = f64::from(k) / 2.0;
            assert_moments(&out, variance, 3.0 * variance * variance - variance / 2.0);
            if k > 2 {
                // One bit more or less is seen.
                let other = |x: i32| if x.abs() < bound { probability(k - 1, x) } else { 0.0 };
                assert!(chi_square(&out, bound, other) > 1.0, "k = {k}");
            }
        }
    }
}
