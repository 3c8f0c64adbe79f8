//! The default encryption of the device by its definition (`docs/device-randomness.md`): a fresh
//! `u` and fresh noise for every plaintext, from ChaCha20.
//!
//! This is the plainest way to write it down, for the attacks to fail against; the fast
//! implementations are elsewhere.

use super::AttackError;
use super::scheme::{Ciphertexts, PublicKey, check_whole, encrypt_into, product};
use cyclotron_ring::sample::SecretSeed;
use cyclotron_ring::sample::device::DeviceStream;

/// Encrypts a run: `messages` holds `B n` coefficients modulo `2^8`, plaintext by plaintext.
///
/// # Errors
/// [`AttackError::NotWhole`] for messages that are no positive multiple of `n`.
pub fn encrypt(
    key: &PublicKey,
    messages: &[u8],
    seed: &SecretSeed,
    run_counter: u64,
) -> Result<Ciphertexts, AttackError> {
    let n = key.degree();
    check_whole("message coefficients", messages.len(), n)?;
    let stream = DeviceStream::new(seed, run_counter);
    let mut words = Vec::with_capacity(2 * messages.len());
    for (k, message) in (0..).zip(messages.chunks_exact(n)) {
        let samples = stream.plaintext(k, n)?;
        let u = samples.u.as_slice();
        let (p0u, p1u) = (product(key.ring(), key.p0(), u), product(key.ring(), key.p1(), u));
        let noise = [samples.e1.as_slice(), samples.e2.as_slice()];
        encrypt_into(&mut words, [&p0u, &p1u], noise, message);
    }
    Ciphertexts::new(n, words)
}
