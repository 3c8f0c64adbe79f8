//! Between integers and their residues in the channels.

use super::layout::Layout;
use crate::error::{Error, Result};
use cyclotron_ring::Modulus;

/// Integers as they come, without a copy.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Signed words.
    I64(&'a [i64]),
    /// Unsigned words.
    U64(&'a [u64]),
    /// Signed double words.
    I128(&'a [i128]),
}

impl Values<'_> {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::I64(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::I128(values) => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, index: usize) -> i128 {
        match self {
            Self::I64(values) => i128::from(values[index]),
            Self::U64(values) => i128::from(values[index]),
            Self::I128(values) => values[index],
        }
    }
}

/// The plaintext moduli of all channels and their product `T`.
#[derive(Debug, Clone)]
pub struct PlaintextModuli {
    moduli: Vec<Modulus>,
    /// `T`, below 2^126.
    product: u128,
    /// For channel `i`: `T/t_i`, and its inverse modulo `t_i`.
    recombine: Vec<(u128, u64)>,
}

/// Bits of the largest `T`.
pub const MAX_PRODUCT_BITS: u32 = 126;

impl PlaintextModuli {
    /// Pairwise coprime moduli with a product below `2^126`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the product is too large, [`Error::Ring`] when they are not
    /// coprime.
    pub fn new(moduli: &[Modulus]) -> Result<Self> {
        let mut product = 1u128;
        for t in moduli {
            let next = product.checked_mul(u128::from(t.value()));
            product =
                next.filter(|p| p >> MAX_PRODUCT_BITS == 0).ok_or_else(|| Error::Parameter {
                    what: "product of the plaintext moduli",
                    value: format!("more than {MAX_PRODUCT_BITS} bits"),
                    remedy: "use fewer or smaller plaintext moduli".to_owned(),
                })?;
        }
        let recombine = moduli
            .iter()
            .map(|&t| {
                let others = product / u128::from(t.value());
                Ok((others, t.inv(t.reduce_u128(others))?))
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Self { moduli: moduli.to_vec(), product, recombine })
    }

    /// The moduli.
    #[must_use]
    pub fn moduli(&self) -> &[Modulus] {
        &self.moduli
    }

    /// `T`.
    #[must_use]
    pub fn product(&self) -> u128 {
        self.product
    }

    /// Smallest and largest integer, signed or unsigned.
    #[must_use]
    pub fn range(&self, signed: bool) -> (i128, i128) {
        let product = self.product as i128;
        if signed { (-(product / 2), (product - 1) / 2) } else { (0, product - 1) }
    }

    /// The residues of values in each channel.
    ///
    /// # Errors
    /// [`Error::ValueOutOfRange`] with the first value that does not fit.
    pub fn split(&self, values: Values<'_>, signed: bool) -> Result<Vec<Vec<u64>>> {
        let (min, max) = self.range(signed);
        if let Some(index) = (0..values.len()).find(|&i| !(min..=max).contains(&values.get(i))) {
            return Err(Error::ValueOutOfRange {
                index,
                value: values.get(index).to_string(),
                min: min.to_string(),
                max: max.to_string(),
            });
        }
        let residues = |t: &Modulus| -> Vec<u64> {
            match values {
                Values::I64(values) => values.iter().map(|&v| t.from_signed(v)).collect(),
                Values::U64(values) => values.iter().map(|&v| t.reduce(v)).collect(),
                Values::I128(values) => values.iter().map(|&v| t.from_signed_wide(v)).collect(),
            }
        };
        Ok(self.moduli.iter().map(residues).collect())
    }

    /// The integers with the given residues, one list a channel; no branch depends on them.
    #[must_use]
    pub fn join(&self, channels: &[Vec<u64>], layout: &Layout) -> Vec<i128> {
        let (min, _) = self.range(layout.signed);
        let product = self.product as i128;
        let largest = product - 1 + min;
        (0..layout.length)
            .map(|i| {
                let mut sum = 0u128;
                for ((residues, t), (others, inverse)) in
                    channels.iter().zip(&self.moduli).zip(&self.recombine)
                {
                    // Each term is below T < 2^126.
                    sum += others * u128::from(t.mul(residues[i], *inverse));
                    let difference = sum.wrapping_sub(self.product);
                    let below = ((difference as i128) >> 127) as u128;
                    sum = difference.wrapping_add(self.product & below);
                }
                // In [0, T); the upper half is negative when signed.
                let above = (largest - sum as i128) >> 127;
                sum as i128 - (product & above)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Encoding;
    use super::*;
    use proptest::prelude::*;

    fn moduli() -> PlaintextModuli {
        let moduli = [65_537, 786_433, 97].map(|t| Modulus::new(t).unwrap());
        PlaintextModuli::new(&moduli).unwrap()
    }

    fn layout(signed: bool, length: usize) -> Layout {
        let encoding = Encoding::Slots;
        Layout { encoding, signed, length, replicated: false, clean: true }
    }

    proptest! {
        #[test]
        fn splitting_and_joining_is_the_identity(seed: u128, signed: bool) {
            let moduli = moduli();
            let (min, max) = moduli.range(signed);
            let value = min + (seed % moduli.product()) as i128;
            let values = [min, max, 0, value];
            let channels = moduli.split(Values::I128(&values), signed).unwrap();
            prop_assert_eq!(moduli.join(&channels, &layout(signed, 4)), values.to_vec());
        }
    }

    #[test]
    fn even_moduli_have_one_more_negative_value() {
        let moduli = PlaintextModuli::new(&[Modulus::new(256).unwrap()]).unwrap();
        assert_eq!(moduli.range(true), (-128, 127));
        let channels = moduli.split(Values::I64(&[-128, 127, -1]), true).unwrap();
        assert_eq!(channels, vec![vec![128, 127, 255]]);
        assert_eq!(moduli.join(&channels, &layout(true, 3)), vec![-128, 127, -1]);
    }

    #[test]
    fn refuses_values_out_of_range_with_the_place() {
        let moduli = moduli();
        let (_, max) = moduli.range(true);
        let error = moduli.split(Values::I128(&[0, max + 1]), true).unwrap_err();
        assert!(matches!(error, Error::ValueOutOfRange { index: 1, .. }));
        let error = moduli.split(Values::I64(&[-1]), false).unwrap_err();
        assert!(error.to_string().contains("[0, "));
    }

    #[test]
    fn refuses_products_too_large_and_common_factors() {
        let wide = Modulus::new((1 << 60) - 93).unwrap();
        assert!(PlaintextModuli::new(&[wide, wide, wide]).is_err());
        let (a, b) = (Modulus::new(6).unwrap(), Modulus::new(9).unwrap());
        assert!(matches!(PlaintextModuli::new(&[a, b]), Err(Error::Ring(_))));
    }
}
