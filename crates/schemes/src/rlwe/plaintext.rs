//! Plaintexts: polynomials modulo `t`.

use super::parameters::{Parameters, ParametersId};
use crate::error::{Error, Result};
use cyclotron_engine::Shape;
use cyclotron_engine::{Coefficient, Poly, Stream};
use cyclotron_ring::Modulus;
use cyclotron_ring::norms::Norms;

/// A polynomial of `Z_t[x]/(x^n + 1)`, its coefficients in `[0, t)`. Made by the encoders of
/// [`crate::encode`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plaintext {
    parameters: ParametersId,
    modulus: Modulus,
    coefficients: Vec<u64>,
}

impl Plaintext {
    /// A plaintext from its `n` coefficients.
    ///
    /// # Errors
    /// [`Error::TooManyValues`] unless there are exactly `n`, [`Error::ValueOutOfRange`] for one
    /// that is not below `t`.
    pub fn new(parameters: &Parameters, coefficients: Vec<u64>) -> Result<Self> {
        let degree = parameters.degree();
        if coefficients.len() != degree {
            return Err(Error::TooManyValues { found: coefficients.len(), capacity: degree });
        }
        let modulus = parameters.plaintext_modulus();
        if let Some(index) = coefficients.iter().position(|&c| c >= modulus.value()) {
            return Err(Error::ValueOutOfRange {
                index,
                value: coefficients[index].to_string(),
                min: "0".to_owned(),
                max: (modulus.value() - 1).to_string(),
            });
        }
        Ok(Self { parameters: parameters.id(), modulus, coefficients })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.parameters
    }

    /// The coefficients, in `[0, t)`.
    #[must_use]
    pub fn coefficients(&self) -> &[u64] {
        &self.coefficients
    }

    /// The norms of the centred coefficients, measured: the plaintext must be public, because
    /// the noise bound of a product tells them.
    #[must_use]
    pub fn norms(&self) -> Norms {
        let centred: Vec<f64> =
            self.coefficients.iter().map(|&c| self.modulus.to_centred(c) as f64).collect();
        Norms::measured(&centred)
    }

    /// The centred coefficients over the limbs of a shape of batch 1.
    ///
    /// # Errors
    /// Engine errors.
    pub fn lift(&self, stream: &Stream, shape: &Shape) -> Result<Poly<Coefficient>> {
        let mut host = vec![0; shape.words()];
        for (limb, q) in host.chunks_exact_mut(self.coefficients.len()).zip(shape.moduli()) {
            for (out, &c) in limb.iter_mut().zip(&self.coefficients) {
                *out = q.from_signed(self.modulus.to_centred(c));
            }
        }
        Ok(stream.upload(shape, &host)?)
    }
}
