//! The canonical embedding in double precision: the values of a real polynomial at the roots of
//! `x^n + 1`.
//!
//! The roots come in conjugate pairs, and so do the values. For even `n` one of each pair is
//! `z_k = exp(i pi (4 k + 1) / n)`, `0 <= k < n/2`, where `z_k^(n/2) = i`, so
//!
//! `a(z_k) = sum_{j < n/2} (a_j + i a_{j+n/2}) exp(i pi j / n) exp(2 pi i j k / (n/2))`:
//!
//! fold, twist, and a complex transform of length `n/2`.

use rustfft::num_complex::Complex64;
use rustfft::{Fft, FftPlanner};
use std::f64::consts::PI;
use std::sync::Arc;
use zeroize::Zeroize;

/// The prepared transform of one degree. Immutable; one can serve many threads.
#[derive(Clone)]
pub struct CanonicalEmbedding {
    degree: usize,
    /// `exp(i pi j / n)` for each coefficient of the transform.
    twist: Vec<Complex64>,
    transform: Arc<dyn Fft<f64>>,
}

impl CanonicalEmbedding {
    /// The embedding of `R[x]/(x^n + 1)`; `n` is meant to be a power of two, but may be any
    /// number.
    #[must_use]
    pub fn new(n: usize) -> Self {
        // With odd n there is nothing to fold: all values are computed.
        let length = if n.is_multiple_of(2) { n / 2 } else { n };
        let twist =
            (0..length).map(|j| Complex64::from_polar(1.0, PI * j as f64 / n as f64)).collect();
        Self { degree: n, twist, transform: FftPlanner::new().plan_fft_inverse(length) }
    }

    /// The degree `n`.
    #[must_use]
    pub const fn degree(&self) -> usize {
        self.degree
    }

    /// `max |a(z)|` over the roots `z` of `x^n + 1`, to a relative error below `2^-32`; infinite
    /// when a coefficient is not finite. Coefficients past the `n`-th do not enter; missing ones
    /// are zero.
    #[must_use]
    pub fn norm(&self, coefficients: &[f64]) -> f64 {
        if !coefficients.iter().all(|a| a.is_finite()) {
            return f64::INFINITY;
        }
        // A power of two near the largest coefficient keeps squares in range.
        let largest = coefficients.iter().fold(0.0f64, |most, a| most.max(a.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        let scale = f64::exp2(largest.log2().floor().clamp(-1000.0, 1000.0));
        self.norm_with(|j| coefficients.get(j).map_or(0.0, |&a| a / scale)) * scale
    }

    /// [`CanonicalEmbedding::norm`] of a secret with small integer coefficients, in time that
    /// does not depend on them; no copy of them is left in memory. There are `n` of them.
    pub(crate) fn norm_of_small(&self, coefficients: &[i32]) -> f64 {
        debug_assert_eq!(coefficients.len(), self.degree);
        self.norm_with(|j| f64::from(coefficients[j]))
    }

    fn norm_with(&self, coefficient: impl Fn(usize) -> f64) -> f64 {
        let fold = self.degree.is_multiple_of(2);
        let mut values: Vec<Complex64> = self
            .twist
            .iter()
            .enumerate()
            .map(|(j, twist)| {
                let imaginary = if fold { coefficient(j + self.degree / 2) } else { 0.0 };
                twist * Complex64::new(coefficient(j), imaginary)
            })
            .collect();
        let mut scratch = vec![Complex64::default(); self.transform.get_inplace_scratch_len()];
        self.transform.process_with_scratch(&mut values, &mut scratch);
        let mut largest = 0.0f64;
        for value in &values {
            largest = largest.max(value.norm_sqr());
        }
        for value in values.iter_mut().chain(&mut scratch) {
            value.re.zeroize();
            value.im.zeroize();
        }
        largest.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{SecretRng, SecretSeed};

    /// The largest value by evaluation at every root of `x^n + 1`.
    fn direct(coefficients: &[f64]) -> f64 {
        let n = coefficients.len();
        (0..n)
            .map(|k| {
                // Exponents reduced modulo 2n before they become angles.
                let term = |j: usize| PI * ((2 * k + 1) * j % (2 * n)) as f64 / n as f64;
                let value: Complex64 = coefficients
                    .iter()
                    .enumerate()
                    .map(|(j, &a)| Complex64::from_polar(1.0, term(j)) * a)
                    .sum();
                value.norm()
            })
            .fold(0.0, f64::max)
    }

    fn assert_close(found: f64, expected: f64, what: &str) {
        assert!((found / expected - 1.0).abs() < 1e-11, "{what}: {found}, not {expected}");
    }

    #[test]
    fn equals_direct_evaluation() {
        let mut rng = SecretRng::from_seed(SecretSeed::new([1; 32]));
        for n in [1, 2, 3, 4, 5, 6, 8, 12, 15, 16, 32, 64, 128, 256] {
            let embedding = CanonicalEmbedding::new(n);
            for _ in 0..4 {
                let a: Vec<f64> = (0..n).map(|_| (rng.next_u64() as i64) as f64).collect();
                assert_close(embedding.norm(&a), direct(&a), &format!("n = {n}"));
                let small: Vec<i32> = (0..n).map(|_| rng.next_u64() as i32 % 50).collect();
                let real: Vec<f64> = small.iter().map(|&x| x.into()).collect();
                let expected = direct(&real);
                if expected > 0.0 {
                    assert_close(embedding.norm_of_small(&small), expected, &format!("n = {n}"));
                }
            }
        }
    }

    /// Polynomials whose norm is known in closed form, up to degree `2^17`.
    #[test]
    fn closed_forms_at_every_degree() {
        for n in (1..=17).map(|k| 1usize << k) {
            let embedding = CanonicalEmbedding::new(n);
            assert_eq!(embedding.degree(), n);
            let mut monomial = vec![0.0; n];
            monomial[n - 1] = -3.0;
            assert_close(embedding.norm(&monomial), 3.0, "monomial");
            // 1 + x + ... = 2 / (1 - x) at a root, largest at the root nearest to 1.
            let ones = 1.0 / (PI / (2 * n) as f64).sin();
            assert_close(embedding.norm(&vec![1.0; n]), ones, "all ones");
            // A cosine at the angle of one root is n / 2 there.
            let root = n / 3;
            let angle = |j: usize| PI * ((2 * root + 1) * j % (2 * n)) as f64 / n as f64;
            let cosine: Vec<f64> = (0..n).map(|j| angle(j).cos()).collect();
            assert_close(embedding.norm(&cosine), n as f64 / 2.0, "cosine");
        }
    }

    #[test]
    fn extremes_of_double_precision() {
        let embedding = CanonicalEmbedding::new(8);
        assert_eq!(embedding.norm(&[0.0; 8]), 0.0);
        assert_close(embedding.norm(&[1e-310]), 1e-310, "tiny");
        assert_close(embedding.norm(&[0.0, 1e300]), 1e300, "huge");
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(embedding.norm(&[1.0, bad, 2.0]), f64::INFINITY);
        }
        assert_eq!(CanonicalEmbedding::new(0).norm(&[]), 0.0);
    }
}
