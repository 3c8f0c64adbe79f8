//! The two kinds of 256-bit seed: public ones that are sent about, and secret ones.

use crate::error::Result;
use std::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A public seed, expanded by [`uniform`](super::uniform). It may be stored, sent and printed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seed([u8; 32]);

impl Seed {
    /// A seed of the given bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Seed {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

/// A secret seed: wiped when dropped, never printed, not copied.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct SecretSeed([u8; 32]);

impl SecretSeed {
    /// A seed of the given bytes. The caller wipes its own copy.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A fresh seed from the operating system.
    ///
    /// # Errors
    /// [`RingError::Entropy`](crate::RingError::Entropy) when the system's generator fails.
    pub fn from_os() -> Result<Self> {
        let mut seed = Self([0; 32]);
        getrandom::fill(&mut seed.0)
            .map_err(|error| crate::RingError::Entropy(error.to_string()))?;
        Ok(seed)
    }

    /// Its bytes, to be kept as secret as the seed.
    #[must_use]
    pub const fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SecretSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretSeed(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_seed_prints_its_bytes_and_a_secret_one_nothing() {
        let bytes = std::array::from_fn(|i| i as u8);
        assert_eq!(
            format!("{:?}", Seed::new(bytes)),
            "Seed(000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f)"
        );
        assert_eq!(format!("{:?}", SecretSeed::new(bytes)), "SecretSeed(..)");
        assert_eq!(SecretSeed::new(bytes).expose(), &bytes);
    }

    #[test]
    fn the_operating_system_gives_different_seeds() {
        assert_ne!(
            SecretSeed::from_os().unwrap().expose(),
            SecretSeed::from_os().unwrap().expose()
        );
    }

    #[test]
    fn a_wiped_seed_is_zero() {
        let mut seed = SecretSeed::new([7; 32]);
        seed.zeroize();
        assert_eq!(seed.expose(), &[0; 32]);
    }
}
