//! Uniform coefficients in `{-1, 0, 1}`, in constant time.
//!
//! Coefficient `i` is `floor(3 r / 2^64) - 1` of the `i`-th 64-bit word `r` of the generator. As
//! `2^64 = 1 mod 3`, two of the values have `(2^64 - 1) / 3` words and one has one more: each
//! probability is within `2^-64` of `1/3`, relative `2^-62`.

use super::{BLOCK, SecretRng};
use zeroize::Zeroizing;

/// Fills `out` with independent uniform values of `{-1, 0, 1}`; one word for each.
pub fn fill(rng: &mut SecretRng, out: &mut [i32]) {
    let mut words = Zeroizing::new([0u64; BLOCK]);
    for coefficients in out.chunks_mut(BLOCK) {
        let words = &mut words[..coefficients.len()];
        rng.fill_words(words);
        for (coefficient, &word) in coefficients.iter_mut().zip(words.iter()) {
            *coefficient = ((u128::from(word) * 3) >> 64) as i32 - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;

    #[test]
    fn known_answers() {
        let mut out = [0; 300];
        fill(&mut known_rng(), &mut out);
        assert_eq!(out[..16], [0, -1, 1, 0, 1, 0, -1, -1, 1, -1, 0, 0, 0, -1, 1, 1]);
        assert_eq!(out[255..259], [0, -1, 0, 0]);
        assert_eq!(checksum_of_small(&out), 0xae9c_7c4f_f5c0_a949);
    }

    #[test]
    fn where_the_output_is_cut_does_not_matter() {
        assert_cut_does_not_matter(fill);
    }

    #[test]
    fn the_three_values_are_equally_frequent() {
        let mut out = vec![0; 1 << 20];
        fill(&mut rng(1), &mut out);
        assert!(chi_square(&out, 1, |_| 1.0 / 3.0) < 1.0);
        assert!(chi_square(&out, 1, |x| [0.330, 0.337, 0.333][(x + 1) as usize]) > 1.0);
        assert_moments(&out, 2.0 / 3.0, 2.0 / 3.0);
    }

    #[test]
    fn neighbours_are_independent() {
        let mut out = vec![0; 1 << 20];
        fill(&mut rng(2), &mut out);
        // Pairs (x, y) as 3 x + y, uniform on -4..=4.
        let pairs: Vec<i32> = out.windows(2).step_by(2).map(|pair| 3 * pair[0] + pair[1]).collect();
        assert!(chi_square(&pairs, 4, |_| 1.0 / 9.0) < 1.0);
    }
}
