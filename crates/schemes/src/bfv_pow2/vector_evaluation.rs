//! Encrypting, decrypting and computing with vectors: ciphertext by ciphertext.

use super::ciphertext::Ciphertext;
use super::context::Pow2Context;
use super::decryption::{Decryptor, DeviceCheck};
use super::device::{Cost, CryptDevice};
use super::encryption::Encryptor;
use super::evaluation::Evaluator;
use super::keys::RelinearizationKey;
use super::plaintext::Plaintext;
use super::vector::{self, Pow2Vector};
use crate::error::{Error, Result};
use crate::vector::Values;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The right operand of an operation on vectors.
#[derive(Debug, Clone, Copy)]
pub enum Pow2Operand<'a> {
    /// An encrypted vector.
    Encrypted(&'a Pow2Vector),
    /// Public values, as many as the vector has; in products, the coefficients of polynomials.
    Plain(Values<'a>),
    /// A public number: in every place.
    Number(i128),
}

impl Encryptor {
    /// Encrypts a vector of any length.
    ///
    /// # Errors
    /// As [`vector::encode`] and [`Encryptor::encrypt_many`].
    pub fn encrypt_vector(
        &mut self,
        context: &Pow2Context,
        values: Values<'_>,
        signed: bool,
    ) -> Result<(Pow2Vector, Cost)> {
        let plaintexts = vector::encode(context.parameters(), values, signed)?;
        let (ciphertexts, cost) = self.encrypt_many(&plaintexts)?;
        Ok((Pow2Vector { ciphertexts, length: values.len(), signed }, cost))
    }
}

impl Decryptor {
    /// Decrypts a vector: on the processor, which measures the noise, or on a device with the
    /// given check.
    ///
    /// # Errors
    /// As [`Decryptor::decrypt`] and [`Decryptor::decrypt_on`].
    pub fn decrypt_vector(
        &self,
        vector: &Pow2Vector,
        device: Option<(&mut dyn CryptDevice, DeviceCheck)>,
    ) -> Result<(Zeroizing<Vec<i64>>, Cost)> {
        let (plaintexts, cost) = match device {
            Some((device, check)) => self.decrypt_on(device, &vector.ciphertexts, check)?,
            None => {
                let plaintexts = vector.ciphertexts.iter().map(|c| self.decrypt(c));
                (plaintexts.collect::<Result<Vec<_>>>()?, Cost::default())
            }
        };
        Ok((vector::decode(&plaintexts, vector.length, vector.signed), cost))
    }

    /// Bits between the largest noise of a vector, measured exactly, and the most that decrypts.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn measured_margin(&self, vector: &Pow2Vector) -> Result<f64> {
        let mut least = f64::INFINITY;
        for ciphertext in &vector.ciphertexts {
            let measured = self.measure(ciphertext)?;
            least = least.min(measured.capacity - measured.noise);
        }
        Ok(least)
    }
}

/// Computes on encrypted vectors of one parameter set.
#[derive(Debug)]
pub struct Pow2VectorEvaluator {
    context: Arc<Pow2Context>,
    evaluator: Evaluator,
    relinearizes: bool,
}

impl Pow2VectorEvaluator {
    /// An evaluator; with the key, products of ciphertexts are relinearised.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn new(context: &Arc<Pow2Context>, key: Option<&RelinearizationKey>) -> Result<Self> {
        let evaluator = Evaluator::new(context, key)?;
        Ok(Self { context: Arc::clone(context), evaluator, relinearizes: key.is_some() })
    }

    /// `a + b`, value by value modulo `t`.
    ///
    /// # Errors
    /// [`Error::EncodingMismatch`] for vectors of other lengths or signs; as [`Evaluator::add`].
    pub fn add(&self, a: &Pow2Vector, b: Pow2Operand<'_>) -> Result<Pow2Vector> {
        self.linear("add", a, b, Evaluator::add, Evaluator::add_plain)
    }

    /// `a - b`, value by value modulo `t`.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn sub(&self, a: &Pow2Vector, b: Pow2Operand<'_>) -> Result<Pow2Vector> {
        self.linear("sub", a, b, Evaluator::sub, Evaluator::sub_plain)
    }

    /// `-a`.
    ///
    /// # Errors
    /// As [`Evaluator::neg`].
    pub fn neg(&self, a: &Pow2Vector) -> Result<Pow2Vector> {
        map(a, a.length, |ciphertext| self.evaluator.neg(ciphertext))
    }

    /// Two polynomials in every ciphertext.
    ///
    /// # Errors
    /// As [`Evaluator::relinearize`].
    pub fn relinearize(&self, a: &Pow2Vector) -> Result<Pow2Vector> {
        map(a, a.length, |ciphertext| self.evaluator.relinearize(ciphertext))
    }

    /// The product with a number, or the negacyclic convolution with a vector, ciphertext by
    /// ciphertext. Without a relinearisation key a product of ciphertexts has three polynomials.
    /// In one ciphertext, a product of `j` and `k` values has `min(j + k - 1, n)` values; in
    /// several, each has all its `n`.
    ///
    /// # Errors
    /// [`Error::EncodingMismatch`] for operands of other signs or another number of ciphertexts;
    /// as [`Evaluator::mul`] and [`Evaluator::mul_plain`].
    pub fn mul(&self, a: &Pow2Vector, b: Pow2Operand<'_>) -> Result<Pow2Vector> {
        let length = |b: usize| self.product_length(a, b);
        match b {
            Pow2Operand::Encrypted(b) => {
                check_signs("mul", a, b.signed)?;
                zip("mul", a, &b.ciphertexts, length(b.length), |a, b| {
                    if self.relinearizes {
                        self.evaluator.mul(a, b)
                    } else {
                        self.evaluator.multiply(a, b)
                    }
                })
            }
            Pow2Operand::Plain(values) => {
                let plain = self.encode(a, values)?;
                zip("mul", a, &plain, length(values.len()), |a, b| self.evaluator.mul_plain(a, b))
            }
            Pow2Operand::Number(value) => {
                let plain = self.encode(a, Values::I128(&[value]))?;
                let plain = plain.first();
                map(a, a.length, |ciphertext| match plain {
                    Some(plain) => self.evaluator.mul_plain(ciphertext, plain),
                    None => Ok(ciphertext.clone()),
                })
            }
        }
    }

    fn product_length(&self, a: &Pow2Vector, b: usize) -> usize {
        let degree = self.context.parameters().degree();
        if a.ciphertexts.len() == 1 {
            (a.length + b).saturating_sub(1).min(degree)
        } else {
            a.ciphertexts.len() * degree
        }
    }

    fn encode(&self, a: &Pow2Vector, values: Values<'_>) -> Result<Vec<Plaintext>> {
        vector::encode(self.context.parameters(), values, a.signed)
    }

    fn linear(
        &self,
        operation: &'static str,
        a: &Pow2Vector,
        b: Pow2Operand<'_>,
        encrypted: impl Fn(&Evaluator, &Ciphertext, &Ciphertext) -> Result<Ciphertext>,
        plain: impl Fn(&Evaluator, &Ciphertext, &Plaintext) -> Result<Ciphertext>,
    ) -> Result<Pow2Vector> {
        let repeated: Vec<i128>;
        let values = match b {
            Pow2Operand::Encrypted(b) => {
                check_signs(operation, a, b.signed)?;
                check_lengths(operation, a, b.length)?;
                return zip(operation, a, &b.ciphertexts, a.length, |a, b| {
                    encrypted(&self.evaluator, a, b)
                });
            }
            Pow2Operand::Plain(values) => values,
            Pow2Operand::Number(value) => {
                repeated = vec![value; a.length];
                Values::I128(&repeated)
            }
        };
        check_lengths(operation, a, values.len())?;
        let encoded = self.encode(a, values)?;
        zip(operation, a, &encoded, a.length, |a, b| plain(&self.evaluator, a, b))
    }
}

fn map(
    a: &Pow2Vector,
    length: usize,
    f: impl Fn(&Ciphertext) -> Result<Ciphertext>,
) -> Result<Pow2Vector> {
    let ciphertexts = a.ciphertexts.iter().map(f).collect::<Result<_>>()?;
    Ok(Pow2Vector { ciphertexts, length, signed: a.signed })
}

fn zip<T>(
    operation: &'static str,
    a: &Pow2Vector,
    b: &[T],
    length: usize,
    f: impl Fn(&Ciphertext, &T) -> Result<Ciphertext>,
) -> Result<Pow2Vector> {
    let (left, right) = (a.ciphertexts.len(), b.len());
    if left != right {
        let polynomials = |count| format!("{count} polynomials");
        let (left, right) = (polynomials(left), polynomials(right));
        return Err(Error::EncodingMismatch { operation, left, right });
    }
    let pairs = a.ciphertexts.iter().zip(b);
    let ciphertexts = pairs.map(|(a, b)| f(a, b)).collect::<Result<_>>()?;
    Ok(Pow2Vector { ciphertexts, length, signed: a.signed })
}

fn check_lengths(operation: &'static str, a: &Pow2Vector, right: usize) -> Result<()> {
    let left = a.length;
    if left == right {
        return Ok(());
    }
    let values = |count| format!("{count} values");
    Err(Error::EncodingMismatch { operation, left: values(left), right: values(right) })
}

fn check_signs(operation: &'static str, a: &Pow2Vector, right: bool) -> Result<()> {
    let left = a.signed;
    if left == right {
        return Ok(());
    }
    let name = |signed| if signed { "signed values" } else { "unsigned values" }.to_owned();
    Err(Error::EncodingMismatch { operation, left: name(left), right: name(right) })
}
