//! Ciphertexts outside of a device.

use super::noise::WordNoise;
use super::parameters::WordParameters;
use crate::error::{Error, Result};
use crate::rlwe::ParametersId;
use cyclotron_ring::RingError;

/// Two or three polynomials at a level, with what is known of the noise.
#[derive(Debug, Clone, PartialEq)]
pub struct WordCiphertext {
    pub(crate) id: ParametersId,
    pub(crate) level: usize,
    pub(crate) parts: Vec<Vec<u64>>,
    pub(crate) noise: WordNoise,
}

impl WordCiphertext {
    /// A ciphertext from words in `[0, Q_l)`. Its noise is a claim, such as
    /// [`super::NoiseModel::claimed`]: only decryption could tell, and devices do not measure.
    ///
    /// # Errors
    /// [`Error::LevelOutOfRange`]; [`Error::Parameter`] for another number of polynomials than two
    /// or three; [`Error::Ring`] for one of the wrong length, or words that are not reduced.
    pub fn from_parts(
        parameters: &WordParameters,
        level: usize,
        parts: Vec<Vec<u64>>,
        noise: WordNoise,
    ) -> Result<Self> {
        let chain = parameters.chain();
        let Some(modulus) = chain.modulus(level) else {
            return Err(Error::LevelOutOfRange { level, min: 0, max: chain.top_level() });
        };
        if !(2..=3).contains(&parts.len()) {
            let remedy = "give two, or three of a product".to_owned();
            return Err(super::parameter("polynomials of a ciphertext", parts.len(), remedy));
        }
        for part in &parts {
            check_residues("ciphertext", part, parameters.degree(), modulus.value())?;
        }
        Ok(Self { id: parameters.id(), level, parts, noise })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }

    /// The level.
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }

    /// The polynomials: `n` words in `[0, Q_l)` each.
    #[must_use]
    pub fn parts(&self) -> &[Vec<u64>] {
        &self.parts
    }

    /// What is known of the noise.
    #[must_use]
    pub fn noise(&self) -> &WordNoise {
        &self.noise
    }
}

/// Demands `degree` words below `modulus`.
pub(super) fn check_residues(
    what: &'static str,
    words: &[u64],
    degree: usize,
    modulus: u64,
) -> Result<()> {
    if words.len() != degree {
        let (found, expected) = (words.len(), degree);
        return Err(RingError::LengthMismatch { what, found, expected }.into());
    }
    match words.iter().position(|&word| word >= modulus) {
        None => Ok(()),
        Some(index) => {
            Err(RingError::NotReduced { what, value: words[index], index, modulus }.into())
        }
    }
}
