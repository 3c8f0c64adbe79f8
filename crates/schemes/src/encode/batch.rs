//! One residue a slot: `n` slots in two rows of `n/2`, for a prime `t = 1 mod 2n`.
//!
//! Slot `i` of row 0 is the value at `psi^(5^i)`, slot `i` of row 1 that at `psi^(-5^i)`, where
//! `psi` is the canonical primitive `2n`-th root of unity modulo `t`. Then `x -> x^(5^k)` rotates
//! both rows to the left by `k`, and `x -> x^-1` exchanges them (Smart and Vercauteren, eprint
//! 2011/133).

use crate::error::{Error, Result};
use crate::rlwe::{Parameters, Plaintext};
use cyclotron_ring::SimdLevel;
use cyclotron_ring::ntt::NttTable;

/// Generates, with -1, the odd integers modulo `2n`.
const GENERATOR: u64 = 5;

/// The Galois element that rotates both rows of slots to the left by `steps`.
#[must_use]
pub fn rotation_element(degree: usize, steps: i64) -> u64 {
    let order = 2 * degree as u64;
    let mut exponent = steps.rem_euclid((degree / 2).max(1) as i64);
    let (mut element, mut power) = (1u64, GENERATOR % order);
    while exponent > 0 {
        if exponent & 1 == 1 {
            element = element * power % order;
        }
        power = power * power % order;
        exponent >>= 1;
    }
    element
}

/// The Galois element that exchanges the rows.
#[must_use]
pub const fn row_swap_element(degree: usize) -> u64 {
    2 * degree as u64 - 1
}

/// The Galois elements that a sum over all slots needs: rotations by powers of two, and the row
/// swap.
#[must_use]
pub fn slot_sum_elements(degree: usize) -> Vec<u64> {
    let mut elements = vec![row_swap_element(degree)];
    let mut steps = 1;
    while steps < degree / 2 {
        elements.push(rotation_element(degree, steps as i64));
        steps *= 2;
    }
    elements
}

/// Encodes residues modulo `t` into slots.
#[derive(Debug)]
pub struct BatchEncoder {
    parameters: Parameters,
    table: NttTable,
    simd: SimdLevel,
    /// Where slot `i` stands in the transform's (bit-reversed) order.
    places: Vec<usize>,
}

impl BatchEncoder {
    /// An encoder.
    ///
    /// # Errors
    /// [`Error::NoSlots`] unless `t` is a prime with `t = 1 mod 2n`.
    pub fn new(parameters: &Parameters) -> Result<Self> {
        let degree = parameters.degree();
        if !parameters.has_slots() {
            let modulus = parameters.plaintext_modulus().value();
            return Err(Error::NoSlots { modulus, degree });
        }
        let order = 2 * degree as u64;
        let bits = degree.trailing_zeros();
        let place = |exponent: u64| {
            let index = (exponent - 1) / 2;
            (index.reverse_bits() >> (64 - bits)) as usize
        };
        let mut places = vec![0; degree];
        let mut exponent = 1;
        for slot in 0..degree / 2 {
            places[slot] = place(exponent);
            places[slot + degree / 2] = place(order - exponent);
            exponent = exponent * GENERATOR % order;
        }
        Ok(Self {
            parameters: parameters.clone(),
            table: NttTable::new(degree, parameters.plaintext_modulus())?,
            simd: SimdLevel::from_environment()?,
            places,
        })
    }

    /// How many slots: `n`.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.places.len()
    }

    /// A plaintext whose first slots hold the given residues, the others zero.
    ///
    /// # Errors
    /// [`Error::TooManyValues`] for more than `n`, [`Error::ValueOutOfRange`] for one not below
    /// `t`.
    pub fn encode(&self, residues: &[u64]) -> Result<Plaintext> {
        let t = self.parameters.plaintext_modulus().value();
        if residues.len() > self.slots() {
            return Err(Error::TooManyValues { found: residues.len(), capacity: self.slots() });
        }
        if let Some(index) = residues.iter().position(|&value| value >= t) {
            return Err(Error::ValueOutOfRange {
                index,
                value: residues[index].to_string(),
                min: "0".to_owned(),
                max: (t - 1).to_string(),
            });
        }
        let mut values = vec![0; self.slots()];
        for (&place, &residue) in self.places.iter().zip(residues) {
            values[place] = residue;
        }
        self.table.inverse(self.simd, &mut values);
        Plaintext::new(&self.parameters, values)
    }

    /// The residues in all `n` slots.
    #[must_use]
    pub fn decode(&self, plaintext: &Plaintext) -> Vec<u64> {
        let mut values = plaintext.coefficients().to_vec();
        self.table.forward(self.simd, &mut values);
        self.places.iter().map(|&place| values[place]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rlwe::{ParametersLiteral, SchemeKind, SecurityPolicy};
    use cyclotron_ring::Modulus;
    use cyclotron_ring::automorphism::apply_coefficient;
    use proptest::prelude::*;

    fn parameters(degree: usize, t: u64) -> Parameters {
        let mut literal =
            ParametersLiteral::with_bits(SchemeKind::Bfv, degree, t, &[40], &[]).unwrap();
        literal.security = SecurityPolicy::InsecureAcknowledged;
        Parameters::new(literal).unwrap()
    }

    /// Slot `i`, from the definition.
    fn slot(plaintext: &Plaintext, t: Modulus, degree: usize, i: usize) -> u64 {
        let psi = cyclotron_ring::primes::primitive_root(t, 2 * degree as u64).unwrap();
        let half = degree / 2;
        let mut exponent = rotation_element(degree, (i % half) as i64);
        if i >= half {
            exponent = 2 * degree as u64 - exponent;
        }
        let point = t.pow(psi, exponent);
        plaintext.coefficients().iter().rev().fold(0, |sum, &c| t.mul_add(sum, point, c))
    }

    #[test]
    fn slots_are_values_at_the_documented_roots() {
        let parameters = parameters(16, 97);
        let encoder = BatchEncoder::new(&parameters).unwrap();
        let residues: Vec<u64> = (0..16).map(|i| i * i % 97).collect();
        let plaintext = encoder.encode(&residues).unwrap();
        let t = parameters.plaintext_modulus();
        let slots: Vec<u64> = (0..16).map(|i| slot(&plaintext, t, 16, i)).collect();
        assert_eq!(slots, residues);
        assert_eq!(encoder.decode(&plaintext), residues);
    }

    #[test]
    fn automorphisms_rotate_and_swap_rows() {
        let parameters = parameters(64, 257);
        let encoder = BatchEncoder::new(&parameters).unwrap();
        let t = parameters.plaintext_modulus();
        let residues: Vec<u64> = (0..64).collect();
        let plaintext = encoder.encode(&residues).unwrap();
        let image = |element: u64| {
            let mut out = vec![0; 64];
            apply_coefficient(t, element, &mut out, plaintext.coefficients()).unwrap();
            encoder.decode(&Plaintext::new(&parameters, out).unwrap())
        };
        for steps in [1, 5, 31, -3] {
            let rotated = image(rotation_element(64, steps));
            for i in 0..32i64 {
                let from = (i + steps).rem_euclid(32) as usize;
                assert_eq!(rotated[i as usize], residues[from]);
                assert_eq!(rotated[i as usize + 32], residues[from + 32]);
            }
        }
        let swapped = image(row_swap_element(64));
        assert_eq!(swapped[..32], residues[32..]);
        assert_eq!(swapped[32..], residues[..32]);
    }

    #[test]
    fn refuses_moduli_without_slots_and_values_out_of_range() {
        assert!(matches!(
            BatchEncoder::new(&parameters(16, 101)),
            Err(Error::NoSlots { modulus: 101, degree: 16 })
        ));
        assert!(BatchEncoder::new(&parameters(16, 33 * 97)).is_err());
        let encoder = BatchEncoder::new(&parameters(16, 97)).unwrap();
        assert!(matches!(encoder.encode(&[0, 97]), Err(Error::ValueOutOfRange { index: 1, .. })));
        assert!(matches!(encoder.encode(&[0; 17]), Err(Error::TooManyValues { found: 17, .. })));
    }

    proptest! {
        #[test]
        fn products_are_slot_by_slot(a in prop::collection::vec(0u64..12_289, 32),
                                     b in prop::collection::vec(0u64..12_289, 32)) {
            let parameters = parameters(32, 12_289);
            let encoder = BatchEncoder::new(&parameters).unwrap();
            let t = parameters.plaintext_modulus();
            let (x, y) = (encoder.encode(&a).unwrap(), encoder.encode(&b).unwrap());
            let mut product = vec![0; 32];
            for (i, &u) in x.coefficients().iter().enumerate() {
                for (j, &v) in y.coefficients().iter().enumerate() {
                    let term = t.mul(u, v);
                    let k = (i + j) % 32;
                    product[k] =
                        if i + j < 32 { t.add(product[k], term) } else { t.sub(product[k], term) };
                }
            }
            let decoded = encoder.decode(&Plaintext::new(&parameters, product).unwrap());
            let expected: Vec<u64> = a.iter().zip(&b).map(|(&u, &v)| t.mul(u, v)).collect();
            prop_assert_eq!(decoded, expected);
        }
    }
}
