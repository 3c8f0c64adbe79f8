//! The generator of secrets: the keystream of ChaCha20.
//!
//! Key: the 256-bit seed; nonce: zero; block counter from zero, 64 bits wide (RFC 8439 as long as
//! the counter is below `2^32`). Output is consumed in order, in whole little-endian 32-bit words:
//! a request whose length is not a multiple of four bytes discards the rest of its last word.

use super::{SecretSeed, Seed};
use crate::error::Result;
use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use std::fmt;

/// A cryptographically secure generator for keys, errors and fresh public seeds.
///
/// Its state is wiped when it is dropped, is never printed, and cannot be cloned: two generators
/// with one state would give two encryptions with the same randomness. For the same reason a
/// process that forks must draw a new generator in the child.
pub struct SecretRng(ChaCha20Rng);

impl SecretRng {
    /// A generator with a fresh seed from the operating system.
    ///
    /// # Errors
    /// [`RingError::Entropy`](crate::RingError::Entropy) when the system's generator fails.
    pub fn from_os() -> Result<Self> {
        Ok(Self::from_seed(SecretSeed::from_os()?))
    }

    /// A generator that is a fixed function of `seed`: for tests that repeat and for vectors
    /// compared with hardware. Everything drawn from it is as secret as the seed, and a seed used
    /// twice gives the same secrets twice; use [`SecretRng::from_os`] for real keys and
    /// ciphertexts.
    #[must_use]
    pub fn from_seed(seed: SecretSeed) -> Self {
        Self(ChaCha20Rng::from_seed(*seed.expose()))
    }

    /// Fills `out` with the next bytes.
    pub fn fill_bytes(&mut self, out: &mut [u8]) {
        self.0.fill_bytes(out);
    }

    /// Fills `out` with the next little-endian 64-bit words.
    pub fn fill_words(&mut self, out: &mut [u64]) {
        out.fill_with(|| self.0.next_u64());
    }

    /// The next little-endian 64-bit word.
    #[must_use]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A fresh public seed: the next 32 bytes. To publish keystream of ChaCha20 tells nothing of
    /// the key, nor of the rest of the stream.
    #[must_use]
    pub fn public_seed(&mut self) -> Seed {
        let mut bytes = [0; 32];
        self.fill_bytes(&mut bytes);
        Seed::new(bytes)
    }
}

impl fmt::Debug for SecretRng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretRng(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// RFC 8439, appendix A.1, test vectors 1 and 2: key and nonce zero, block counters 0 and 1.
    #[test]
    fn known_answer_of_rfc_8439() {
        let mut rng = SecretRng::from_seed(SecretSeed::new([0; 32]));
        let mut bytes = [0; 128];
        rng.fill_bytes(&mut bytes);
        assert_eq!(
            hex(&bytes),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
             da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586\
             9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
             29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
        );
    }

    #[test]
    fn words_bytes_and_seeds_are_one_stream() {
        let seed = || SecretSeed::new(std::array::from_fn(|i| 3 * i as u8 + 1));
        let mut bytes = vec![0; 8 * 1000];
        SecretRng::from_seed(seed()).fill_bytes(&mut bytes);
        let words: Vec<u64> =
            bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();

        let mut rng = SecretRng::from_seed(seed());
        let mut some = vec![0; 333];
        rng.fill_words(&mut some);
        assert_eq!(some, words[..333]);
        assert_eq!(rng.next_u64(), words[333]);
        assert_eq!(rng.public_seed().as_bytes()[..], bytes[8 * 334..8 * 338]);
        let mut rest = vec![0; 1000 - 338];
        rng.fill_words(&mut rest);
        assert_eq!(rest, words[338..]);
    }

    /// The 64-bit reads stay in step with the stream when they straddle the generator's buffer.
    #[test]
    fn odd_requests_discard_the_rest_of_a_word() {
        let mut all = [0; 1024];
        SecretRng::from_seed(SecretSeed::new([5; 32])).fill_bytes(&mut all);
        let mut rng = SecretRng::from_seed(SecretSeed::new([5; 32]));
        let mut position = 0;
        for length in (1..60).cycle() {
            let mut bytes = vec![0; length];
            if position + length + 12 > all.len() {
                break;
            }
            rng.fill_bytes(&mut bytes);
            assert_eq!(bytes, all[position..position + length]);
            position += length.next_multiple_of(4);
            let word = rng.next_u64().to_le_bytes();
            assert_eq!(word, all[position..position + 8]);
            position += 8;
        }
        assert!(position > 900);
    }

    #[test]
    fn the_operating_system_gives_different_generators() {
        let mut first = SecretRng::from_os().unwrap();
        let mut second = SecretRng::from_os().unwrap();
        assert_ne!(first.next_u64(), second.next_u64());
    }

    #[test]
    fn prints_nothing_of_its_state() {
        assert_eq!(
            format!("{:?}", SecretRng::from_seed(SecretSeed::new([9; 32]))),
            "SecretRng(..)"
        );
    }
}
