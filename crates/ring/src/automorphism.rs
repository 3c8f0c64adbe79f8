//! The automorphisms `sigma_g: x -> x^g` of `Z[x]/(x^n + 1)`, `g` odd, in both domains.
//!
//! * Coefficients: `x^i -> x^(i g)`, and `x^n = -1` turns that into a permutation with signs.
//! * Evaluations: `(sigma_g a)(psi^e) = a(psi^(e g))`, a permutation without signs
//!   ([`EvaluationMap`]), in the order of [`crate::ntt`].
//!
//! Galois elements live in `(Z/2n)^*`: odd and below `2n`.

use crate::error::{Result, RingError};
use crate::modulus::Modulus;
use crate::ntt::{evaluation_exponent, evaluation_index};

/// `out = sigma_g(a)` on coefficients: `out[i g mod n] = +-a[i]`, minus when
/// `floor(i g / n)` is odd. `a` and `out` hold `n` words (a power of two) in `[0, q)`.
///
/// # Errors
/// [`RingError::LengthMismatch`]; [`RingError::UnsupportedDegree`] when the length is not a power
/// of two; [`RingError::BadGaloisElement`] when `g` is even or not below `2n`.
pub fn apply_coefficient(q: Modulus, g: u64, out: &mut [u64], a: &[u64]) -> Result<()> {
    let n = a.len();
    check(n, g)?;
    check_length("output of an automorphism", out.len(), n)?;
    let (mask, step) = (2 * n - 1, g as usize);
    let mut target = 0;
    for &x in a {
        let value = if target < n { x } else { q.neg(x) };
        // The mask of n - 1 bounds the index; the branch above depends on g and i only.
        out[target & (n - 1)] = value;
        target = (target + step) & mask;
    }
    Ok(())
}

/// The permutation that `sigma_g` is on transforms of degree `n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluationMap {
    element: u64,
    /// `out[i] = a[source[i]]`.
    source: Vec<u32>,
}

impl EvaluationMap {
    /// The map of `sigma_g`, `n` a power of two below `2^31`.
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`], [`RingError::BadGaloisElement`].
    pub fn new(n: usize, g: u64) -> Result<Self> {
        check(n, g)?;
        let exponent = |i| evaluation_exponent(n, i).wrapping_mul(g);
        let source = (0..n).map(|i| evaluation_index(n, exponent(i)) as u32).collect();
        Ok(Self { element: g, source })
    }

    /// The Galois element `g`.
    #[must_use]
    pub const fn element(&self) -> u64 {
        self.element
    }

    /// The degree `n`.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.source.len()
    }

    /// The table: `out[i] = a[source[i]]`.
    #[must_use]
    pub fn source(&self) -> &[u32] {
        &self.source
    }

    /// `out = sigma_g(a)` on transforms: `n` words each.
    ///
    /// # Errors
    /// [`RingError::LengthMismatch`].
    pub fn apply(&self, out: &mut [u64], a: &[u64]) -> Result<()> {
        check_length("operand of an automorphism", a.len(), self.source.len())?;
        check_length("output of an automorphism", out.len(), self.source.len())?;
        for (o, &i) in out.iter_mut().zip(&self.source) {
            *o = a[i as usize];
        }
        Ok(())
    }
}

/// The element of `sigma_g` after `sigma_h`: `g h mod 2n`.
///
/// # Errors
/// [`RingError::UnsupportedDegree`], [`RingError::BadGaloisElement`].
pub fn compose(n: usize, g: u64, h: u64) -> Result<u64> {
    check(n, g)?;
    check(n, h)?;
    Ok(g.wrapping_mul(h) & (2 * n as u64 - 1))
}

/// The element of the inverse automorphism: `g^-1 mod 2n`.
///
/// # Errors
/// [`RingError::UnsupportedDegree`], [`RingError::BadGaloisElement`].
pub fn inverse(n: usize, g: u64) -> Result<u64> {
    check(n, g)?;
    // Newton's iteration modulo 2^64; g g = 1 mod 8 starts it with three correct bits.
    let mut x = g;
    for _ in 0..5 {
        x = x.wrapping_mul(2u64.wrapping_sub(g.wrapping_mul(x)));
    }
    Ok(x & (2 * n as u64 - 1))
}

fn check(n: usize, g: u64) -> Result<()> {
    const MAX: usize = 1 << 30;
    if !n.is_power_of_two() || n > MAX {
        return Err(RingError::UnsupportedDegree { degree: n, min: 1, max: MAX });
    }
    let bound = 2 * n as u64;
    if g & 1 == 1 && g < bound {
        Ok(())
    } else {
        Err(RingError::BadGaloisElement { element: g, bound })
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        Ok(())
    } else {
        Err(RingError::LengthMismatch { what, found, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ntt::NttTable;
    use crate::simd::SimdLevel;
    use proptest::prelude::*;

    #[test]
    fn moves_a_monomial_and_its_sign() {
        // n = 8, g = 5: x^3 -> x^15 = -x^7, x^2 -> x^10 = -x^2, x^4 -> x^20 = x^4.
        let q = Modulus::new(97).unwrap();
        let mut out = [0; 8];
        apply_coefficient(q, 5, &mut out, &[0, 0, 2, 3, 4, 0, 0, 0]).unwrap();
        assert_eq!(out, [0, 0, 95, 0, 4, 0, 0, 94]);
    }

    #[test]
    fn refuses_bad_elements_and_lengths() {
        let q = Modulus::new(97).unwrap();
        let mut out = [0; 8];
        for g in [0, 2, 16, 17] {
            let error = apply_coefficient(q, g, &mut out, &[0; 8]).unwrap_err();
            assert_eq!(error, RingError::BadGaloisElement { element: g, bound: 16 });
            assert!(EvaluationMap::new(8, g).is_err());
        }
        assert!(apply_coefficient(q, 1, &mut out, &[0; 16]).is_err());
        assert!(apply_coefficient(q, 1, &mut out, &[0; 7]).is_err());
        assert!(EvaluationMap::new(16, 3).unwrap().apply(&mut out, &[0; 8]).is_err());
    }

    proptest! {
        #[test]
        fn commutes_with_the_transform(log_n in 3u32..9, half in 0u64..512, seed: u64) {
            let n = 1usize << log_n;
            let g = (2 * half + 1) % (2 * n as u64);
            let q = Modulus::new(12_289).unwrap();
            let table = NttTable::new(n, q).unwrap();
            let a: Vec<u64> =
                (0..n as u64).map(|i| q.reduce((i + 1).wrapping_mul(seed | 1) >> 7)).collect();

            let mut moved = vec![0; n];
            apply_coefficient(q, g, &mut moved, &a).unwrap();
            table.forward(SimdLevel::Scalar, &mut moved);

            let mut transformed = a;
            table.forward(SimdLevel::Scalar, &mut transformed);
            let mut permuted = vec![0; n];
            EvaluationMap::new(n, g).unwrap().apply(&mut permuted, &transformed).unwrap();
            prop_assert_eq!(moved, permuted);
        }

        #[test]
        fn elements_form_a_group(log_n in 0u32..20, g: u64, h: u64, seed: u64) {
            let n = 1usize << log_n;
            let odd = |x: u64| (x | 1) % (2 * n as u64);
            let (g, h) = (odd(g), odd(h));
            prop_assert_eq!(compose(n, g, inverse(n, g).unwrap()).unwrap(), 1);
            if log_n <= 8 {
                let q = Modulus::new(65_537).unwrap();
                let a: Vec<u64> = (0..n as u64).map(|i| q.reduce(i.wrapping_mul(seed))).collect();
                let apply = |g, a: &[u64]| {
                    let mut out = vec![0; n];
                    apply_coefficient(q, g, &mut out, a).unwrap();
                    out
                };
                let both = apply(g, &apply(h, &a));
                prop_assert_eq!(both, apply(compose(n, g, h).unwrap(), &a));
            }
        }
    }
}
