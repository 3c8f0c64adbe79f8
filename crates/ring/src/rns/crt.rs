//! The exact CRT with wide integers: residues of one coefficient to an integer and back.
//!
//! For setup, tests, and values that leave the library; time and memory depend on the values.

use super::basis::RnsBasis;
use crate::error::{Result, RingError};
use crate::modulus::Modulus;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;

impl RnsBasis {
    /// The integer in `[0, Q)` with the given residues, one for each modulus.
    ///
    /// # Errors
    /// [`RingError::LengthMismatch`], or [`RingError::NotReduced`] for a residue that is not below
    /// its modulus.
    pub fn lift(&self, residues: &[u64]) -> Result<BigUint> {
        if residues.len() != self.len() {
            return Err(RingError::LengthMismatch {
                what: "residues of one coefficient",
                found: residues.len(),
                expected: self.len(),
            });
        }
        let mut sum = BigUint::zero();
        for (index, (&value, &q)) in residues.iter().zip(self.moduli()).enumerate() {
            if value >= q.value() {
                let what = "residues of one coefficient";
                return Err(RingError::NotReduced { what, index, value, modulus: q.value() });
            }
            let (inverse, shoup) = self.punctured_inverse(index);
            sum += self.product() / q.value() * q.mul_shoup(value, inverse, shoup);
        }
        Ok(sum % self.product())
    }

    /// The integer in `[-Q/2, Q/2)` with the given residues.
    ///
    /// # Errors
    /// As [`Self::lift`].
    pub fn lift_centred(&self, residues: &[u64]) -> Result<BigInt> {
        let x = self.lift(residues)?;
        let wraps = &x + &x >= *self.product();
        let x = BigInt::from(x);
        Ok(if wraps { x - BigInt::from(self.product().clone()) } else { x })
    }

    /// The residues of any integer, one in `[0, q_i)` for each modulus.
    #[must_use]
    pub fn residues(&self, x: &BigInt) -> Vec<u64> {
        self.moduli()
            .iter()
            .map(|&q| {
                let magnitude = residue(x.magnitude(), q);
                if x.sign() == Sign::Minus { q.neg(magnitude) } else { magnitude }
            })
            .collect()
    }
}

/// `x mod q`.
pub(super) fn residue(x: &BigUint, q: Modulus) -> u64 {
    // Horner from the highest word; the running residue is below 2^61.
    x.iter_u64_digits()
        .rfold(0, |high, word| q.reduce_u128(u128::from(high) << 64 | u128::from(word)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{basis, integers};
    use super::*;
    use num_integer::Integer;

    #[test]
    fn round_trips() {
        for k in [1, 2, 3, 9, 20] {
            let basis = basis(k, 17 + k);
            let product = BigInt::from(basis.product().clone());
            for x in integers(&basis, 50) {
                let residues = basis.residues(&x);
                for (&r, q) in residues.iter().zip(basis.moduli()) {
                    assert_eq!(BigInt::from(r), x.mod_floor(&BigInt::from(q.value())));
                }
                let centred = basis.lift_centred(&residues).unwrap();
                assert_eq!(BigInt::from(basis.lift(&residues).unwrap()), x.mod_floor(&product));
                assert!((&centred - &x).mod_floor(&product).is_zero());
                assert!(-&product <= &centred * 2 && &centred * 2 < product);
            }
        }
    }

    #[test]
    fn even_products_centre_the_tie_below() {
        let basis = RnsBasis::new(&[Modulus::new(6).unwrap(), Modulus::new(5).unwrap()]).unwrap();
        let tie = basis.residues(&BigInt::from(15));
        assert_eq!(basis.lift_centred(&tie).unwrap(), BigInt::from(-15));
    }

    #[test]
    fn refuses_bad_residues() {
        let basis = basis(2, 1);
        let q = basis.moduli()[1].value();
        assert!(matches!(basis.lift(&[1]), Err(RingError::LengthMismatch { .. })));
        assert!(matches!(basis.lift(&[0, q]), Err(RingError::NotReduced { index: 1, .. })));
    }
}
