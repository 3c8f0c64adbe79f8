//! Vectors of integers as coefficients of one or several ciphertexts: what the command line and
//! Python handle.
//!
//! Value `i` is coefficient `i mod n` of ciphertext `i / n`. Sums are value by value; a product of
//! two vectors is the negacyclic convolution of their polynomials, ciphertext by ciphertext.

use super::ciphertext::Ciphertext;
use super::parameters::Pow2Parameters;
use super::plaintext::Plaintext;
use crate::error::{Error, Result};
use crate::rlwe::ParametersId;
use crate::vector::Values;
use zeroize::Zeroizing;

/// Most ciphertexts of a vector: a file announces no more.
pub const MAX_CIPHERTEXTS: usize = 1 << 20;

/// An encrypted vector: `ceil(length / n)` ciphertexts.
#[derive(Debug, Clone, PartialEq)]
pub struct Pow2Vector {
    pub(crate) ciphertexts: Vec<Ciphertext>,
    pub(crate) length: usize,
    pub(crate) signed: bool,
}

impl Pow2Vector {
    /// A vector of `length` values in ciphertexts of one parameter set; `signed` tells how they
    /// are read.
    ///
    /// # Errors
    /// [`Error::EncodingMismatch`] when the length does not fit the ciphertexts;
    /// [`Error::TooManyValues`]; [`Error::ParameterMismatch`].
    pub fn new(
        parameters: &Pow2Parameters,
        ciphertexts: Vec<Ciphertext>,
        length: usize,
        signed: bool,
    ) -> Result<Self> {
        let (found, degree) = (ciphertexts.len(), parameters.degree());
        check_count(length, degree)?;
        let expected = count(length, degree);
        if found != expected {
            let left = format!("{length} values in {expected} ciphertexts");
            let right = format!("{found} ciphertexts");
            return Err(Error::EncodingMismatch { operation: "vector", left, right });
        }
        for ciphertext in &ciphertexts {
            parameters.check_id("ciphertext", ciphertext.id())?;
        }
        Ok(Self { ciphertexts, length, signed })
    }

    /// The ciphertexts, at least one.
    #[must_use]
    pub fn ciphertexts(&self) -> &[Ciphertext] {
        &self.ciphertexts
    }

    /// How many values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether values are in `[-t/2, t/2)` or in `[0, t)`.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.signed
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        // There is at least one ciphertext.
        self.ciphertexts.first().map_or_else(|| ParametersId::from_bytes([0; 32]), Ciphertext::id)
    }

    /// Polynomials of the ciphertext with most: 2, or 3 before relinearisation.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.ciphertexts.iter().map(|ciphertext| ciphertext.parts().len()).max().unwrap_or(0)
    }

    /// log2 of the largest noise bound.
    #[must_use]
    pub fn noise_log2(&self) -> f64 {
        let bounds = self.ciphertexts.iter().map(|ciphertext| ciphertext.noise().inf_log2());
        bounds.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Bits between the largest noise bound and the most noise that decrypts.
    #[must_use]
    pub fn margin(&self, parameters: &Pow2Parameters) -> f64 {
        parameters.noise().capacity() - self.noise_log2()
    }

    /// Whether anyone can read some of the values without a key.
    #[must_use]
    pub fn is_transparent(&self) -> bool {
        self.ciphertexts.iter().any(Ciphertext::is_transparent)
    }
}

/// The smallest and the largest value.
#[must_use]
pub fn range(parameters: &Pow2Parameters, signed: bool) -> (i128, i128) {
    let half = 1i128 << (parameters.log_t() - 1);
    if signed { (-half, half - 1) } else { (0, 2 * half - 1) }
}

/// Values as plaintexts of `n` coefficients each, the last filled with zeros.
///
/// # Errors
/// [`Error::ValueOutOfRange`]; [`Error::TooManyValues`] beyond [`MAX_CIPHERTEXTS`].
pub fn encode(
    parameters: &Pow2Parameters,
    values: Values<'_>,
    signed: bool,
) -> Result<Vec<Plaintext>> {
    let length = values.len();
    check_count(length, parameters.degree())?;
    let (min, max) = range(parameters, signed);
    let outside = |&index: &usize| !(min..=max).contains(&values.get(index));
    if let Some(index) = (0..length).find(outside) {
        let value = values.get(index).to_string();
        let (min, max) = (min.to_string(), max.to_string());
        return Err(Error::ValueOutOfRange { index, value, min, max });
    }
    let (degree, mask) = (parameters.degree(), parameters.mask_t());
    // An empty vector is one ciphertext too, so that there is something to keep secret.
    let chunks = (0..count(length, degree)).map(|i| {
        let places = i * degree..length.min((i + 1) * degree);
        let words = places.map(|place| values.get(place) as u64 & mask);
        Plaintext::new(parameters, words.collect())
    });
    chunks.collect()
}

/// The first `length` values of plaintexts. `t` is at most `2^63`, so that they fit.
#[must_use]
pub fn decode(plaintexts: &[Plaintext], length: usize, signed: bool) -> Zeroizing<Vec<i64>> {
    // Reserved whole, so that no copy is left behind by growth.
    let mut values = Zeroizing::new(Vec::with_capacity(length));
    for plaintext in plaintexts {
        let left = length - values.len();
        if signed {
            values.extend(plaintext.to_signed().iter().take(left));
        } else {
            values.extend(plaintext.coefficients().iter().take(left).map(|&value| value as i64));
        }
    }
    values
}

/// Ciphertexts of a vector of so many values.
#[must_use]
pub fn count(length: usize, degree: usize) -> usize {
    length.div_ceil(degree).max(1)
}

fn check_count(found: usize, degree: usize) -> Result<()> {
    let capacity = MAX_CIPHERTEXTS * degree;
    if found > capacity { Err(Error::TooManyValues { found, capacity }) } else { Ok(()) }
}
