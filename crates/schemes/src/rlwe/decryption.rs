//! Decryption, which refuses what it cannot guarantee, and exact measurement of noise.

use super::ciphertext::Ciphertext;
use super::context::Context;
use super::keys::SecretKey;
use super::literal::SchemeKind;
use super::noise::DECRYPTION_FRACTION;
use super::plaintext::Plaintext;
use crate::error::{Error, Result};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{Signed, Zero};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Noise measured with the secret key. It depends on the secret key and the message: show it to
/// nobody who does not hold the key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// log2 of the largest coefficient of the noise (negative infinity for none).
    pub noise: f64,
    /// log2 of the bound that the ciphertext carries.
    pub bound: f64,
    /// log2 of the largest noise that decrypts.
    pub capacity: f64,
}

/// Decrypts with one secret key.
#[derive(Debug, Clone)]
pub struct Decryptor {
    context: Arc<Context>,
    key: Arc<SecretKey>,
}

impl Decryptor {
    /// A decryptor.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn new(context: &Arc<Context>, key: &Arc<SecretKey>) -> Result<Self> {
        context.check_id("secret key", key.id)?;
        Ok(Self { context: Arc::clone(context), key: Arc::clone(key) })
    }

    /// The plaintext.
    ///
    /// The bound that the ciphertext carries is checked first; then, because a bound that came
    /// with a file is only a claim, the noise itself. What such a refusal tells others is
    /// written in `SECURITY.md`.
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`] when the bound gives no guarantee, [`Error::NoiseMeasured`] when
    /// the noise is too near the limit, [`Error::ParameterMismatch`]; engine errors.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Plaintext> {
        let context = &*self.context;
        let phase = self.phase(ciphertext)?;
        let noise = context.parameters().noise();
        let (bound, capacity) = (ciphertext.noise.inf_log2(), noise.capacity(ciphertext.level));
        if bound > capacity {
            return Err(Error::NoiseExhausted { operation: "decrypt", bound, capacity });
        }
        let read = context.scheme().read(context, ciphertext.level, &phase)?;
        // The bound is below this limit for certain; the fraction has its own rounding error.
        let limit = DECRYPTION_FRACTION + f64::exp2(-20.0);
        if read.fraction > limit {
            let claimed = bound;
            return Err(Error::NoiseMeasured { fraction: read.fraction, limit, claimed });
        }
        let t = context.parameters().plaintext_modulus();
        let inverse = t.inv(ciphertext.factor)?;
        let message = read.message.into_iter().map(|m| t.mul(m, inverse)).collect();
        Plaintext::new(context.parameters(), message)
    }

    /// The noise, exactly, by big integers: slow, for tests and inspection.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; engine errors.
    pub fn measure(&self, ciphertext: &Ciphertext) -> Result<Measured> {
        let context = &*self.context;
        let phase = self.phase(ciphertext)?;
        let basis = context.basis(ciphertext.level)?;
        let t = BigInt::from(context.parameters().plaintext_modulus().value());
        let q = BigInt::from(basis.product().clone());
        let degree = context.parameters().degree();
        let mut largest = BigInt::zero();
        let mut residues = vec![0; basis.len()];
        for i in 0..degree {
            for (limb, residue) in residues.iter_mut().enumerate() {
                *residue = phase[limb * degree + i];
            }
            let value = basis.lift_centred(&residues)?;
            let noise = match context.parameters().scheme() {
                SchemeKind::Bgv => value,
                SchemeKind::Bfv => {
                    // t c(s) - round(t c(s) / Q) Q is t e, because c(s) = (Q/t) m + e.
                    let scaled: BigInt = value * &t;
                    let message: BigInt = (&scaled * 2i32 + &q).div_floor(&(&q * 2i32));
                    scaled - message * &q
                }
            };
            largest = largest.max(noise.abs());
        }
        let scale = match context.parameters().scheme() {
            SchemeKind::Bgv => 0.0,
            SchemeKind::Bfv => {
                log2(&BigUint::from(context.parameters().plaintext_modulus().value()))
            }
        };
        let (_, largest) = largest.into_parts();
        Ok(Measured {
            noise: log2(&largest) - scale,
            bound: ciphertext.noise.inf_log2(),
            capacity: context.parameters().noise().capacity(ciphertext.level),
        })
    }

    /// `c_0 + c_1 s (+ c_2 s^2)` as coefficients, `[limb][coefficient]`.
    /// It tells the secret key to whoever has the ciphertext too, and is wiped.
    fn phase(&self, ciphertext: &Ciphertext) -> Result<Zeroizing<Vec<u64>>> {
        let context = &*self.context;
        context.check_id("ciphertext", ciphertext.id)?;
        let stream = context.stream();
        let limbs = context.limbs(ciphertext.level);
        let mut secret = stream.select(&self.key.values, &limbs, 0, 1)?;
        secret.mark_secret();
        let mut phase = stream.select(&ciphertext.linear, &limbs, 0, 1)?;
        let linear = stream.select(&ciphertext.linear, &limbs, 1, 1)?;
        stream.mul_add_assign(&mut phase, &linear, &secret)?;
        if let Some(quadratic) = &ciphertext.quadratic {
            let mut square = stream.mul(&secret, &secret)?;
            square.mark_secret();
            stream.mul_add_assign(&mut phase, &quadratic.to_values(&stream)?, &square)?;
        }
        phase.mark_secret();
        Ok(Zeroizing::new(stream.download(&stream.inverse(phase)?)?))
    }
}

/// log2 of a big integer; negative infinity for zero.
fn log2(x: &BigUint) -> f64 {
    let bits = x.bits();
    let shift = bits.saturating_sub(64);
    let high = (x >> shift).iter_u64_digits().next().unwrap_or(0);
    (high as f64).log2() + shift as f64
}
