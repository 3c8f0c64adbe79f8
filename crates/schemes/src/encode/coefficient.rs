//! One residue a coefficient.

use crate::error::{Error, Result};
use crate::rlwe::{Parameters, Plaintext};

/// A plaintext whose first coefficients are the given residues modulo `t`, the others zero.
///
/// # Errors
/// [`Error::TooManyValues`] for more than `n`, [`Error::ValueOutOfRange`] for one not below `t`.
pub fn encode(parameters: &Parameters, residues: &[u64]) -> Result<Plaintext> {
    let capacity = parameters.degree();
    if residues.len() > capacity {
        return Err(Error::TooManyValues { found: residues.len(), capacity });
    }
    let mut coefficients = residues.to_vec();
    coefficients.resize(capacity, 0);
    Plaintext::new(parameters, coefficients)
}

/// The `n` residues of a plaintext.
#[must_use]
pub fn decode(plaintext: &Plaintext) -> Vec<u64> {
    plaintext.coefficients().to_vec()
}
