//! A polynomial with small secret coefficients.

use super::{GaussianSampler, SecretRng, binomial, ternary};
use crate::error::{Result, RingError};
use crate::norms::{CanonicalEmbedding, secret_bound};
use std::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The largest degree of [`SmallPoly::bounded_ternary`].
const MAX_DEGREE: usize = 1 << 20;

/// Small signed coefficients of a secret or error polynomial: wiped when dropped, never printed,
/// not cloned.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct SmallPoly(Vec<i32>);

impl SmallPoly {
    /// `n` independent uniform coefficients in `{-1, 0, 1}` ([`ternary`]).
    #[must_use]
    pub fn ternary(rng: &mut SecretRng, n: usize) -> Self {
        let mut poly = Self(vec![0; n]);
        ternary::fill(rng, &mut poly.0);
        poly
    }

    /// `n` independent discrete Gaussian coefficients ([`gaussian`](super::gaussian)).
    #[must_use]
    pub fn gaussian(rng: &mut SecretRng, n: usize, sampler: &GaussianSampler) -> Self {
        let mut poly = Self(vec![0; n]);
        sampler.fill(rng, &mut poly.0);
        poly
    }

    /// `n` independent centred binomial coefficients of parameter `k` ([`binomial`]).
    ///
    /// # Errors
    /// [`RingError::OutOfRange`] when `k` is not in `[1, 64]`.
    pub fn binomial(rng: &mut SecretRng, n: usize, k: u32) -> Result<Self> {
        let mut poly = Self(vec![0; n]);
        binomial::fill(rng, k, &mut poly.0)?;
        Ok(poly)
    }

    /// A ternary polynomial of `Z[x]/(x^n + 1)` whose canonical norm is at most
    /// [`secret_bound(n)`](secret_bound): candidates of [`SmallPoly::ternary`] are drawn until one
    /// is, and about seven in ten are (all of them when `n < 8`).
    ///
    /// The bound makes the noise of every product with a secret key small for certain instead of
    /// probably. It costs the key half a bit of entropy. Each candidate is transformed in double
    /// precision by code whose flow is fixed; the number of candidates shows, and tells nothing
    /// of the one that is kept beyond its being accepted. A candidate within `2^-30` of the bound
    /// is refused, since the transform is not exact; that some processor decides a candidate
    /// otherwise than another has a chance of about `2^-40`.
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`] when `n` is not a power of two in `[1, 2^20]`.
    pub fn bounded_ternary(rng: &mut SecretRng, n: usize) -> Result<Self> {
        if !n.is_power_of_two() || n > MAX_DEGREE {
            return Err(RingError::UnsupportedDegree { degree: n, min: 1, max: MAX_DEGREE });
        }
        let embedding = CanonicalEmbedding::new(n);
        let limit = secret_bound(n) * (1.0 - f64::exp2(-30.0));
        loop {
            let candidate = Self::ternary(rng, n);
            if n < 8 || embedding.norm_of_small(&candidate.0) <= limit {
                return Ok(candidate);
            }
        }
    }

    /// A polynomial with these coefficients, of a key that was stored for instance. The caller
    /// has checked them; the vector is wiped with the polynomial.
    #[must_use]
    pub const fn from_coefficients(coefficients: Vec<i32>) -> Self {
        Self(coefficients)
    }

    /// The coefficients, constant term first.
    #[must_use]
    pub fn as_slice(&self) -> &[i32] {
        &self.0
    }

    /// The coefficients, for what draws over them.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [i32] {
        &mut self.0
    }

    /// The number of coefficients.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no coefficients.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SmallPoly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SmallPoly({} coefficients)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::rng;
    use super::*;
    use crate::norms::canonical_norm;

    #[test]
    fn constructors_are_the_samplers() {
        let sampler = GaussianSampler::new(3.19).unwrap();
        let mut expected = vec![0; 600];
        sampler.fill(&mut rng(1), &mut expected);
        assert_eq!(SmallPoly::gaussian(&mut rng(1), 600, &sampler).as_slice(), expected);
        ternary::fill(&mut rng(1), &mut expected);
        assert_eq!(SmallPoly::ternary(&mut rng(1), 600).as_slice(), expected);
        binomial::fill(&mut rng(1), 21, &mut expected).unwrap();
        let poly = SmallPoly::binomial(&mut rng(1), 600, 21).unwrap();
        assert_eq!(poly.as_slice(), expected);
        assert_eq!((poly.len(), poly.is_empty()), (600, false));
        assert!(SmallPoly::binomial(&mut rng(1), 600, 0).is_err());
    }

    #[test]
    fn prints_no_coefficient_and_is_wiped() {
        let mut poly = SmallPoly::ternary(&mut rng(2), 64);
        assert_eq!(format!("{poly:?}"), "SmallPoly(64 coefficients)");
        poly.zeroize();
        assert!(poly.is_empty());
        assert_eq!(SmallPoly::from_coefficients(vec![1, 0, -1]).as_slice(), [1, 0, -1]);
    }

    #[test]
    fn bounded_ternary_meets_its_bound_and_accepts_about_seven_in_ten() {
        for log2_n in [0, 1, 2, 3, 4, 6, 8, 10, 12, 15] {
            let n = 1usize << log2_n;
            let draws = if n > 4096 { 8 } else { 400 };
            let mut source = rng(log2_n);
            for _ in 0..draws {
                let poly = SmallPoly::bounded_ternary(&mut source, n).unwrap();
                let real: Vec<f64> = poly.as_slice().iter().map(|&x| x.into()).collect();
                assert!(canonical_norm(&real) <= secret_bound(n), "n = {n}");
                assert!(poly.as_slice().iter().all(|x| x.abs() <= 1));
            }
            if draws == 400 && n >= 8 {
                // Candidates take n words each: count them by how far the generator went.
                let next = source.next_u64();
                let mut replay = rng(log2_n);
                let mut words = 0;
                while replay.next_u64() != next {
                    words += 1;
                }
                let accepted = f64::from(draws * n as u32) / f64::from(words);
                assert!((0.6..0.82).contains(&accepted), "n = {n}: {accepted}");
            }
        }
    }

    #[test]
    fn bounded_ternary_refuses_other_degrees() {
        for n in [0, 3, 12, 1 << 21] {
            let error = SmallPoly::bounded_ternary(&mut rng(0), n).unwrap_err();
            assert!(matches!(error, RingError::UnsupportedDegree { .. }), "{error}");
        }
    }
}
