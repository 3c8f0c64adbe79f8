//! A basis of pairwise coprime moduli and its constants.
//!
//! The CRT writes `x = sum_i [x_i (Q/q_i)^-1]_{q_i} (Q/q_i) mod Q`: the constants are the product
//! `Q`, the *punctured products* `Q/q_i`, and their inverses modulo `q_i`.

use crate::error::{Result, RingError};
use crate::modulus::Modulus;
use num_bigint::BigUint;
use num_integer::Integer;
use std::ops::Range;

/// The largest number of moduli in a basis: the sums of [`super::Combination`] leave room for it.
pub const MAX_LIMBS: usize = 128;

/// Pairwise coprime moduli `q_0, ..., q_{k-1}`, `1 <= k <= 128`, in a fixed order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RnsBasis {
    moduli: Vec<Modulus>,
    product: BigUint,
    /// `(Q/q_i)^-1 mod q_i` and its Shoup constant.
    punctured_inverses: Vec<(u64, u64)>,
}

impl RnsBasis {
    /// A basis of the given moduli, prime or not.
    ///
    /// # Errors
    /// [`RingError::EmptyBasis`]; [`RingError::OutOfRange`] beyond [`MAX_LIMBS`] moduli;
    /// [`RingError::NotCoprime`] with the first pair that shares a factor.
    pub fn new(moduli: &[Modulus]) -> Result<Self> {
        if moduli.is_empty() {
            return Err(RingError::EmptyBasis);
        }
        if moduli.len() > MAX_LIMBS {
            return Err(RingError::OutOfRange {
                what: "number of moduli in an RNS basis",
                value: moduli.len().to_string(),
                min: 1.to_string(),
                max: MAX_LIMBS.to_string(),
            });
        }
        for (i, first) in moduli.iter().enumerate() {
            for second in &moduli[i + 1..] {
                require_coprime(first.value(), second.value())?;
            }
        }
        let punctured_inverses = moduli
            .iter()
            .enumerate()
            .map(|(i, &q)| {
                let inverse = q.inv(punctured(moduli, i, q))?;
                Ok((inverse, q.shoup(inverse)))
            })
            .collect::<Result<_>>()?;
        let product = moduli.iter().map(|q| BigUint::from(q.value())).product();
        Ok(Self { moduli: moduli.to_vec(), product, punctured_inverses })
    }

    /// The moduli, in order.
    #[must_use]
    pub fn moduli(&self) -> &[Modulus] {
        &self.moduli
    }

    /// How many moduli there are; at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a basis is never empty")]
    pub fn len(&self) -> usize {
        self.moduli.len()
    }

    /// `Q`, the product of the moduli.
    #[must_use]
    pub fn product(&self) -> &BigUint {
        &self.product
    }

    /// `(Q/q_i)^-1 mod q_i` and its Shoup constant ([`Modulus::shoup`]).
    ///
    /// # Panics
    /// When `i` is not below [`Self::len`], as a slice would.
    #[must_use]
    pub fn punctured_inverse(&self, i: usize) -> (u64, u64) {
        self.punctured_inverses[i]
    }

    /// `Q mod m`.
    #[must_use]
    pub fn product_mod(&self, m: Modulus) -> u64 {
        // No modulus stands at index `len`, so nothing is left out.
        punctured(&self.moduli, self.moduli.len(), m)
    }

    /// `Q/q_i mod m`, for any modulus `m`.
    #[must_use]
    pub fn punctured_mod(&self, i: usize, m: Modulus) -> u64 {
        debug_assert!(i < self.moduli.len(), "limb {i} of {}", self.moduli.len());
        punctured(&self.moduli, i, m)
    }

    /// `log2 Q` in bits, for estimates and display.
    #[must_use]
    pub fn log2_product(&self) -> f64 {
        self.moduli.iter().map(|q| (q.value() as f64).log2()).sum()
    }

    /// The basis of the moduli in `range`.
    ///
    /// # Errors
    /// [`RingError::EmptyBasis`] for an empty range, [`RingError::OutOfRange`] for one that ends
    /// behind the last modulus.
    pub fn sub_basis(&self, range: Range<usize>) -> Result<Self> {
        let end = range.end;
        let moduli = self.moduli.get(range).ok_or_else(|| RingError::OutOfRange {
            what: "range of limbs: its end",
            value: end.to_string(),
            min: 1.to_string(),
            max: self.len().to_string(),
        })?;
        Self::new(moduli)
    }

    /// The basis of these moduli followed by those of `other`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn join(&self, other: &Self) -> Result<Self> {
        Self::new(&[self.moduli(), other.moduli()].concat())
    }
}

/// The product of all moduli but the one at `skip`, modulo `m`.
fn punctured(moduli: &[Modulus], skip: usize, m: Modulus) -> u64 {
    moduli
        .iter()
        .enumerate()
        .filter(|&(i, _)| i != skip)
        .fold(m.reduce(1), |product, (_, q)| m.mul(product, m.reduce(q.value())))
}

/// Refuses two moduli that share a factor.
pub(super) fn require_coprime(first: u64, second: u64) -> Result<()> {
    match first.gcd(&second) {
        1 => Ok(()),
        gcd => Err(RingError::NotCoprime { first, second, gcd }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{basis, mixed_moduli};
    use super::*;
    use num_traits::One;

    #[test]
    fn refuses_what_is_not_a_basis() {
        assert_eq!(RnsBasis::new(&[]).unwrap_err(), RingError::EmptyBasis);
        let moduli: Vec<_> = [7, 10, 9, 15].map(|q| Modulus::new(q).unwrap()).to_vec();
        assert_eq!(
            RnsBasis::new(&moduli).unwrap_err(),
            RingError::NotCoprime { first: 10, second: 15, gcd: 5 }
        );
        assert_eq!(
            RnsBasis::new(&[moduli[0], moduli[0]]).unwrap_err(),
            RingError::NotCoprime { first: 7, second: 7, gcd: 7 }
        );
        let many = mixed_moduli(129, 7);
        assert!(RnsBasis::new(&many[..128]).is_ok());
        assert!(matches!(RnsBasis::new(&many), Err(RingError::OutOfRange { .. })));
    }

    #[test]
    fn constants_equal_wide_integers() {
        for k in [1, 2, 5, 20] {
            let basis = basis(k, 3);
            let product: BigUint =
                basis.moduli().iter().map(|q| BigUint::from(q.value())).product();
            assert_eq!(basis.product(), &product);
            assert!((basis.log2_product() - product.bits() as f64).abs() <= 1.0);
            for m in mixed_moduli(8, 11).into_iter().chain([Modulus::new(2).unwrap()]) {
                assert_eq!(BigUint::from(basis.product_mod(m)), &product % m.value());
                for (i, q) in basis.moduli().iter().enumerate() {
                    let punctured = &product / q.value();
                    assert_eq!(BigUint::from(basis.punctured_mod(i, m)), &punctured % m.value());
                    let (inverse, shoup) = basis.punctured_inverse(i);
                    assert_eq!(punctured * inverse % q.value(), BigUint::one() % q.value());
                    assert_eq!(shoup, q.shoup(inverse));
                }
            }
        }
    }

    #[test]
    fn parts_and_joins() {
        let whole = basis(6, 5);
        let (left, right) = (whole.sub_basis(0..2).unwrap(), whole.sub_basis(2..6).unwrap());
        assert_eq!(left.join(&right).unwrap(), whole);
        assert_eq!(whole.sub_basis(3..3).unwrap_err(), RingError::EmptyBasis);
        assert!(matches!(whole.sub_basis(3..7), Err(RingError::OutOfRange { .. })));
        assert!(matches!(left.join(&left), Err(RingError::NotCoprime { .. })));
    }
}
