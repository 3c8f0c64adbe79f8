//! **Insecure.** The encryption of the S-BFV paper, as software that the RTL is compared with.
//!
//! A run loads one `u` into the array for all its plaintexts (section IV.C, figure 25) and adds
//! noise of the 20-bit register, which starts from the seed of the control word (section IV.G).
//! The register advances when a sample is used and not otherwise, in the order of the output: `n`
//! samples for `c0` of plaintext 0, `n` for its `c1`, `n` for `c0` of plaintext 1, and so on; the
//! first sample is that of the seed itself. Sample `j` of polynomial `p` is thus that of the state
//! `p n + j` steps after the seed.

use super::AttackError;
use super::scheme::{Ciphertexts, PublicKey, check_length, check_whole, encrypt_into, product};
use cyclotron_ring::sample::lfsr::LfsrGaussian;

/// Bits of the register.
pub const STATE_BITS: u32 = 20;

/// States of the register before it repeats.
pub const PERIOD: usize = (1 << STATE_BITS) - 1;

/// Encrypts a run: `messages` holds `B n` coefficients modulo `2^8`, plaintext by plaintext; `u` has
/// `n` coefficients in `{-1, 0, 1}` and serves all of them; `lfsr_seed` is in `[1, 2^20)`.
///
/// The words of the result are what the device in paper mode leaves in its output memory.
///
/// # Errors
/// [`AttackError::NotWhole`] for messages that are no positive multiple of `n`;
/// [`AttackError::Length`] and [`AttackError::NotTernary`] for `u`; [`AttackError::Ring`] for the
/// seed; [`AttackError::PeriodExceeded`] when the run needs more samples than there are.
pub fn encrypt(
    key: &PublicKey,
    messages: &[u8],
    u: &[i32],
    lfsr_seed: u32,
) -> Result<Ciphertexts, AttackError> {
    let n = key.degree();
    check_whole("message coefficients", messages.len(), n)?;
    check_length("u", u.len(), n)?;
    if let Some(index) = u.iter().position(|x| x.abs() > 1) {
        return Err(AttackError::NotTernary { what: "u", index, value: u[index] });
    }
    let samples = 2 * messages.len();
    if samples > PERIOD {
        return Err(AttackError::PeriodExceeded { found: samples, period: PERIOD });
    }
    let mut register = LfsrGaussian::new(STATE_BITS, u64::from(lfsr_seed))?;
    let p0u = product(key.ring(), key.p0(), u);
    let p1u = product(key.ring(), key.p1(), u);
    let mut words = Vec::with_capacity(samples);
    for message in messages.chunks_exact(n) {
        let e1: Vec<i32> = register.by_ref().take(n).collect();
        let e2: Vec<i32> = register.by_ref().take(n).collect();
        encrypt_into(&mut words, [&p0u, &p1u], [&e1, &e2], message);
    }
    Ciphertexts::new(n, words)
}
