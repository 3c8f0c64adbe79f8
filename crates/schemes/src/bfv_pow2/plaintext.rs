//! Messages: polynomials with coefficients in `[0, t)`.

use super::exact::centred;
use super::parameters::Pow2Parameters;
use crate::error::{Error, Result};
use crate::rlwe::ParametersId;
use cyclotron_ring::norms::Norms;
use std::fmt;
use zeroize::Zeroizing;

/// A plaintext polynomial: `n` coefficients in `[0, t)`. Wiped when dropped, and not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Plaintext {
    pub(crate) id: ParametersId,
    pub(crate) coefficients: Zeroizing<Vec<u64>>,
    log_t: u32,
}

impl Plaintext {
    /// A plaintext of up to `n` coefficients; those that are missing are zero. The vector is
    /// wiped.
    ///
    /// # Errors
    /// [`Error::TooManyValues`]; [`Error::ValueOutOfRange`] for a coefficient not below `t`.
    pub fn new(parameters: &Pow2Parameters, coefficients: Vec<u64>) -> Result<Self> {
        let given = Zeroizing::new(coefficients);
        let (capacity, max) = (parameters.degree(), parameters.mask_t());
        if given.len() > capacity {
            return Err(Error::TooManyValues { found: given.len(), capacity });
        }
        if let Some((index, &value)) = given.iter().enumerate().find(|&(_, &value)| value > max) {
            let (value, max) = (value.to_string(), max.to_string());
            return Err(Error::ValueOutOfRange { index, value, min: "0".to_owned(), max });
        }
        // Made at its full length, so that growth leaves no copy behind.
        let mut coefficients = Zeroizing::new(vec![0; capacity]);
        coefficients[..given.len()].copy_from_slice(&given);
        Ok(Self { id: parameters.id(), coefficients, log_t: parameters.log_t() })
    }

    /// A plaintext of signed values in `[-t/2, t/2)`.
    ///
    /// # Errors
    /// [`Error::TooManyValues`]; [`Error::ValueOutOfRange`].
    pub fn from_signed(parameters: &Pow2Parameters, values: &[i64]) -> Result<Self> {
        let half = 1i128 << (parameters.log_t() - 1);
        let outside = |&(_, &value): &(usize, &i64)| !(-half..half).contains(&value.into());
        if let Some((index, value)) = values.iter().enumerate().find(outside) {
            let (min, max) = ((-half).to_string(), (half - 1).to_string());
            return Err(Error::ValueOutOfRange { index, value: value.to_string(), min, max });
        }
        let mask = parameters.mask_t();
        Self::new(parameters, values.iter().map(|&value| value as u64 & mask).collect())
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }

    /// The coefficients, in `[0, t)`.
    #[must_use]
    pub fn coefficients(&self) -> &[u64] {
        &self.coefficients
    }

    /// The coefficients in `[-t/2, t/2)`.
    #[must_use]
    pub fn to_signed(&self) -> Zeroizing<Vec<i64>> {
        let values = self.coefficients.iter().map(|&value| centred(value, self.log_t));
        Zeroizing::new(values.collect())
    }

    /// Norms of the centred polynomial, for a plaintext that is public: the time depends on it.
    #[must_use]
    pub fn norms(&self) -> Norms {
        let real: Vec<f64> = self.to_signed().iter().map(|&x| x as f64).collect();
        Norms::measured(&real)
    }
}

impl fmt::Debug for Plaintext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plaintext({} coefficients)", self.coefficients.len())
    }
}
