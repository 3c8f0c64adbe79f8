//! Ciphertexts: two or three polynomials modulo `q`, and a noise bound.

use super::parameters::Pow2Parameters;
use crate::error::{Error, Result};
use crate::rlwe::ParametersId;
use cyclotron_ring::norms::Norms;

/// An encryption `c_0 + c_1 s (+ c_2 s^2) = (q/t) m + e`.
#[derive(Debug, Clone, PartialEq)]
pub struct Ciphertext {
    pub(crate) id: ParametersId,
    /// Two or three, each of `n` words in `[0, q)`.
    pub(crate) parts: Vec<Vec<u64>>,
    pub(crate) noise: Norms,
}

impl Ciphertext {
    /// A ciphertext made elsewhere, by a device for instance; its noise bound is a claim, which
    /// decryption verifies.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a number of polynomials, a length or a word out of range.
    pub fn from_parts(
        parameters: &Pow2Parameters,
        parts: Vec<Vec<u64>>,
        noise: Norms,
    ) -> Result<Self> {
        let refused =
            |what, value: String, remedy: String| Error::Parameter { what, value, remedy };
        if !(2..=3).contains(&parts.len()) {
            let remedy = "give 2 or 3".to_owned();
            return Err(refused("number of polynomials", parts.len().to_string(), remedy));
        }
        let (degree, mask) = (parameters.degree(), parameters.mask_q());
        for part in &parts {
            if part.len() != degree {
                let remedy = format!("give {degree}, the ring degree");
                return Err(refused("length of a polynomial", part.len().to_string(), remedy));
            }
            if let Some(word) = part.iter().find(|&&word| word > mask) {
                let remedy = format!("give words up to {mask}");
                return Err(refused("coefficient of a ciphertext", word.to_string(), remedy));
            }
        }
        Ok(Self { id: parameters.id(), parts, noise })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }

    /// The polynomials: `c_0`, `c_1`, and `c_2` before relinearisation.
    #[must_use]
    pub fn parts(&self) -> &[Vec<u64>] {
        &self.parts
    }

    /// The noise bound.
    #[must_use]
    pub fn noise(&self) -> Norms {
        self.noise
    }

    /// Whether everything but `c_0` is zero, so that anyone can read the message: after a
    /// multiplication by zero, or the difference of equal ciphertexts.
    #[must_use]
    pub fn is_transparent(&self) -> bool {
        self.parts[1..].iter().all(|part| part.iter().all(|&word| word == 0))
    }

    /// Refuses a ciphertext of three polynomials.
    pub(crate) fn require_linear(&self, operation: &'static str) -> Result<()> {
        match self.parts.len() {
            2 => Ok(()),
            parts => Err(Error::NotLinear { operation, parts }),
        }
    }
}
