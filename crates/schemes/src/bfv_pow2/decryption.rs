//! Decryption, which refuses what it cannot guarantee, and exact measurement of noise.
//!
//! A device returns messages and nothing of the noise, so there are two ways:
//!
//! * [`Decryptor::decrypt`] computes on the processor, measures the noise with the key, and refuses
//!   a ciphertext whose noise is near the limit, whatever bound it claims;
//! * [`Decryptor::decrypt_on`] computes on a device. The claimed bound is checked before; it is
//!   certain for ciphertexts that this process made, and a claim for what came from outside. For
//!   the latter [`DeviceCheck::Measured`] repeats the decryption on the processor, measures, and
//!   compares every coefficient.
//!
//! Measuring finds garbage, whose noise is uniform, but in `(3/4)^n` of the cases: never at
//! `n = 1024` (`2^-425`), one time in three at `n = 4`. The sets of `n <= 16` stand on the bounds
//! alone.

use super::ciphertext::Ciphertext;
use super::context::Pow2Context;
use super::device::{Cost, CryptDevice, DeviceError};
use super::encryption::check_device;
use super::keys::SecretKey;
use super::plaintext::Plaintext;
use crate::error::{Error, Result};
use crate::rlwe::Measured;
use crate::rlwe::noise::DECRYPTION_FRACTION;
use std::sync::Arc;
use zeroize::Zeroizing;

/// What is checked of a decryption on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceCheck {
    /// The bounds that the ciphertexts carry: for ciphertexts of one's own.
    ClaimedBound,
    /// The noise and the result, on the processor: for ciphertexts from elsewhere, and for trying
    /// a device.
    Measured,
}

/// Decrypts with one secret key.
#[derive(Debug, Clone)]
pub struct Decryptor {
    context: Arc<Pow2Context>,
    key: Arc<SecretKey>,
}

impl Decryptor {
    /// A decryptor.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn new(context: &Arc<Pow2Context>, key: &Arc<SecretKey>) -> Result<Self> {
        context.parameters().check_id("secret key", key.id)?;
        Ok(Self { context: Arc::clone(context), key: Arc::clone(key) })
    }

    /// The plaintext, on the processor. The bound that the ciphertext carries is checked first,
    /// and then the noise itself. What such a refusal tells others is written in `SECURITY.md`.
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`] when the bound gives no guarantee, [`Error::NoiseMeasured`] when
    /// the noise is too near the limit, [`Error::ParameterMismatch`].
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Plaintext> {
        let parameters = self.context.parameters();
        let phase = self.phase(ciphertext)?;
        self.check_bound(ciphertext)?;
        let fraction = largest_noise(&phase, parameters.log_delta()) as f64
            / f64::exp2(parameters.log_delta().into());
        // The bound is below this limit for certain; the fraction has its own rounding error.
        let limit = DECRYPTION_FRACTION + f64::exp2(-20.0);
        if fraction > limit {
            let claimed = ciphertext.noise.inf_log2();
            return Err(Error::NoiseMeasured { fraction, limit, claimed });
        }
        let (shift, mask) = (parameters.log_delta(), parameters.mask_t());
        let half = 1u64 << (shift - 1);
        let message = phase.iter().map(|&x| (x.wrapping_add(half) >> shift) & mask).collect();
        Plaintext::new(parameters, message)
    }

    /// The plaintexts of ciphertexts of two polynomials, on a device.
    ///
    /// # Errors
    /// [`Error::NotLinear`], [`Error::NoiseExhausted`], [`Error::ParameterMismatch`];
    /// [`Error::Device`] as the device fails; with [`DeviceCheck::Measured`] also
    /// [`Error::NoiseMeasured`], and [`DeviceError::WrongResult`] when the device is wrong.
    pub fn decrypt_on(
        &self,
        device: &mut dyn CryptDevice,
        ciphertexts: &[Ciphertext],
        check: DeviceCheck,
    ) -> Result<(Vec<Plaintext>, Cost)> {
        let parameters = self.context.parameters();
        let description = device.describe();
        check_device(parameters, &description)?;
        for ciphertext in ciphertexts {
            parameters.check_id("ciphertext", ciphertext.id)?;
            ciphertext.require_linear("decrypt on a device")?;
            self.check_bound(ciphertext)?;
        }
        let degree = parameters.degree();
        let mut plaintexts = Vec::with_capacity(ciphertexts.len());
        let mut total = Cost::default();
        for chunk in ciphertexts.chunks(description.max_ciphertexts.max(1)) {
            let join = |part: usize| -> Vec<u64> {
                chunk.iter().flat_map(|ciphertext| &ciphertext.parts[part]).copied().collect()
            };
            let mut messages = Zeroizing::new(vec![0; chunk.len() * degree]);
            total += device.decrypt(&self.key.small, &join(0), &join(1), &mut messages)?;
            for message in messages.chunks_exact(degree) {
                plaintexts.push(Plaintext::new(parameters, message.to_vec())?);
            }
        }
        if check == DeviceCheck::Measured {
            for (ciphertext, (index, found)) in
                ciphertexts.iter().zip(plaintexts.iter().enumerate())
            {
                if self.decrypt(ciphertext)? != *found {
                    let device = description.name.clone();
                    return Err(DeviceError::WrongResult { device, index }.into());
                }
            }
        }
        Ok((plaintexts, total))
    }

    /// The noise, exactly: for tests and inspection.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn measure(&self, ciphertext: &Ciphertext) -> Result<Measured> {
        let parameters = self.context.parameters();
        let phase = self.phase(ciphertext)?;
        Ok(Measured {
            noise: (largest_noise(&phase, parameters.log_delta()) as f64).log2(),
            bound: ciphertext.noise.inf_log2(),
            capacity: parameters.noise().capacity(),
        })
    }

    fn check_bound(&self, ciphertext: &Ciphertext) -> Result<()> {
        let capacity = self.context.parameters().noise().capacity();
        let bound = ciphertext.noise.inf_log2();
        if bound > capacity {
            return Err(Error::NoiseExhausted { operation: "decrypt", bound, capacity });
        }
        Ok(())
    }

    /// `c_0 + c_1 s (+ c_2 s^2)` modulo `q`. It tells the secret key to whoever has the
    /// ciphertext too, and is wiped.
    fn phase(&self, ciphertext: &Ciphertext) -> Result<Zeroizing<Vec<u64>>> {
        let parameters = self.context.parameters();
        parameters.check_id("ciphertext", ciphertext.id)?;
        let (ternary, mask) = (&self.context.ternary, parameters.mask_q());
        // Horner's rule, from the highest polynomial down.
        let mut parts = ciphertext.parts.iter().rev();
        let mut phase = Zeroizing::new(parts.next().cloned().unwrap_or_default());
        for part in parts {
            phase = Zeroizing::new(ternary.product(&phase, &self.key.prepared)?);
            phase.iter_mut().zip(part).for_each(|(x, &c)| *x = x.wrapping_add(c) & mask);
        }
        Ok(phase)
    }
}

/// The largest `|e|` with `x = e mod 2^log_delta`, `-2^(log_delta - 1) <= e`, in time that depends
/// on the length alone.
fn largest_noise(phase: &[u64], log_delta: u32) -> u64 {
    phase.iter().fold(0, |most, &x| {
        let magnitude = super::exact::centred(x, log_delta).unsigned_abs();
        // Both are at most 2^62, so that the difference has a sign.
        let difference = magnitude.wrapping_sub(most);
        most.wrapping_add(difference & !((difference as i64 >> 63) as u64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_the_distance_to_the_nearest_multiple() {
        let phase = [5, 1 << 24, (3 << 24) - 9, (1 << 24) + 7];
        assert_eq!(largest_noise(&phase, 24), 9);
        assert_eq!(largest_noise(&[1 << 23], 24), 1 << 23);
        assert_eq!(largest_noise(&[1 << 62, u64::MAX], 63), 1 << 62);
        assert_eq!(largest_noise(&[0; 4], 16), 0);
    }
}
