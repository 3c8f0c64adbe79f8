//! How the values of a vector stand in the slots or coefficients of its ciphertexts.

use crate::rlwe::Ciphertext;
use std::fmt;

/// Where values are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// One value a slot: products are slot by slot.
    Slots,
    /// One value a coefficient: products are negacyclic convolutions.
    Coefficients,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Slots => "slots",
            Self::Coefficients => "coefficients",
        })
    }
}

/// What is known of the values without the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Slots or coefficients.
    pub encoding: Encoding,
    /// Whether decryption gives integers in `[-T/2, T/2)` or in `[0, T)`.
    pub signed: bool,
    /// How many values: the first places.
    pub length: usize,
    /// Every place holds the same value (the result of a sum): `length` is 1, and the vector goes
    /// with vectors of any length.
    pub replicated: bool,
    /// The places after the first `length` are known to be zero.
    pub clean: bool,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.signed { "signed" } else { "unsigned" };
        let values = if self.length == 1 { "value" } else { "values" };
        write!(f, "{} {sign} {values} in {}", self.length, self.encoding)?;
        if self.replicated { f.write_str(", in every place") } else { Ok(()) }
    }
}

/// An encrypted vector: one ciphertext a channel, and the layout.
#[derive(Debug)]
pub struct EncryptedVector {
    pub(crate) channels: Vec<Ciphertext>,
    pub(crate) layout: Layout,
}

impl EncryptedVector {
    /// One ciphertext a channel.
    #[must_use]
    pub fn channels(&self) -> &[Ciphertext] {
        &self.channels
    }

    /// What is known of the values.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The lowest level of the channels.
    #[must_use]
    pub fn level(&self) -> usize {
        self.channels.iter().map(Ciphertext::level).min().unwrap_or(0)
    }
}
