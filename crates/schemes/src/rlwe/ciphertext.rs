//! Ciphertexts: two or three polynomials, a level, and a noise bound.

use super::parameters::ParametersId;
use crate::error::{Error, Result};
use cyclotron_engine::{Coefficient, Evaluation, Poly, Stream};
use cyclotron_ring::norms::Norms;
use cyclotron_ring::sample::Seed;

/// The polynomial of `s^2`, in the domain that the multiplication of its scheme leaves it in:
/// coefficients in BFV, values in BGV.
#[derive(Debug)]
pub enum Quadratic {
    /// Coefficients.
    Coefficient(Poly<Coefficient>),
    /// Values.
    Evaluation(Poly<Evaluation>),
}

impl Quadratic {
    /// A copy.
    ///
    /// # Errors
    /// Engine errors.
    pub fn duplicate(&self, stream: &Stream) -> Result<Self> {
        Ok(match self {
            Self::Coefficient(poly) => Self::Coefficient(stream.duplicate(poly)?),
            Self::Evaluation(poly) => Self::Evaluation(stream.duplicate(poly)?),
        })
    }

    /// A copy as coefficients.
    ///
    /// # Errors
    /// Engine errors.
    pub fn to_coefficients(&self, stream: &Stream) -> Result<Poly<Coefficient>> {
        Ok(match self {
            Self::Coefficient(poly) => stream.duplicate(poly)?,
            Self::Evaluation(poly) => stream.inverse(stream.duplicate(poly)?)?,
        })
    }

    /// A copy as values.
    ///
    /// # Errors
    /// Engine errors.
    pub fn to_values(&self, stream: &Stream) -> Result<Poly<Evaluation>> {
        Ok(match self {
            Self::Coefficient(poly) => stream.forward(stream.duplicate(poly)?)?,
            Self::Evaluation(poly) => stream.duplicate(poly)?,
        })
    }
}

/// An encryption `c_0 + c_1 s (+ c_2 s^2)` of a plaintext polynomial, in an engine's memory.
#[derive(Debug)]
pub struct Ciphertext {
    pub(crate) id: ParametersId,
    /// `c_0` and `c_1`: a batch of two.
    pub(crate) linear: Poly<Evaluation>,
    /// `c_2` of a product that is not relinearised.
    pub(crate) quadratic: Option<Quadratic>,
    pub(crate) level: usize,
    pub(crate) noise: Norms,
    /// The message is multiplied by this unit modulo `t` (BGV; 1 in BFV).
    pub(crate) factor: u64,
    /// The seed that `c_1` was expanded from, while the ciphertext is fresh.
    pub(crate) seed: Option<Seed>,
    /// `c_1` is zero: anyone can read the message.
    pub(crate) transparent: bool,
}

impl Ciphertext {
    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }

    /// The level: the modulus is `q_0 ... q_level`.
    #[must_use]
    pub fn level(&self) -> usize {
        self.level
    }

    /// How many polynomials: 2, or 3 before relinearisation.
    #[must_use]
    pub fn parts(&self) -> usize {
        2 + usize::from(self.quadratic.is_some())
    }

    /// The noise bound.
    #[must_use]
    pub fn noise(&self) -> Norms {
        self.noise
    }

    /// The unit modulo `t` that the message is multiplied by.
    #[must_use]
    pub fn factor(&self) -> u64 {
        self.factor
    }

    /// The seed of `c_1`, while the ciphertext is fresh from symmetric encryption.
    #[must_use]
    pub fn seed(&self) -> Option<&Seed> {
        self.seed.as_ref()
    }

    /// Whether `c_1` is known to be zero, so that anyone can read the message: after a
    /// multiplication by zero, or the difference of a ciphertext with itself (the same object; an
    /// equal copy is not noticed).
    #[must_use]
    pub fn is_transparent(&self) -> bool {
        self.transparent
    }

    /// Refuses a ciphertext of three polynomials.
    pub(crate) fn require_linear(&self, operation: &'static str) -> Result<()> {
        if self.quadratic.is_some() {
            return Err(Error::NotLinear { operation, parts: self.parts() });
        }
        Ok(())
    }

    /// A copy in the engine's memory.
    ///
    /// # Errors
    /// Engine errors.
    pub fn duplicate(&self, stream: &Stream) -> Result<Self> {
        let quadratic = self.quadratic.as_ref().map(|part| part.duplicate(stream)).transpose()?;
        Ok(Self { linear: stream.duplicate(&self.linear)?, quadratic, seed: self.seed, ..*self })
    }
}
