//! The header of a record: 56 bytes, all integers little endian.
//!
//! | bytes | field |
//! |---|---|
//! | 0..8 | magic |
//! | 8..10 | version |
//! | 10..12 | kind |
//! | 12..16 | flags, 0 |
//! | 16..48 | identity of the parameters |
//! | 48..56 | length of the payload |

use super::file_error;
use crate::error::Result;
use crate::rlwe::ParametersId;
use std::fmt;

/// First bytes of every record. The first is no text; the line ends show a transfer that took the
/// file for text.
pub const MAGIC: [u8; 8] = *b"\x89CYC\r\n\x1a\n";

/// The version that this library writes, and the newest that it reads.
pub const VERSION: u16 = 1;

/// Bytes before the payload.
pub const HEADER_BYTES: u64 = 56;

/// Bytes after the payload: the BLAKE3 hash of header and payload.
pub const TRAILER_BYTES: u64 = 32;

/// What a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u16)]
pub enum RecordKind {
    /// Parameters, as their pinned JSON.
    Parameters = 1,
    /// A secret key.
    SecretKey = 2,
    /// A public key.
    PublicKey = 3,
    /// A relinearisation key.
    RelinearizationKey = 4,
    /// The key of one Galois element.
    GaloisKey = 5,
    /// An encrypted vector.
    Ciphertext = 6,
    /// Contents of a set of evaluation keys: which keys follow, each a record of its own.
    EvaluationKeys = 7,
    /// Parameters of BFV modulo a power of two, as their pinned JSON.
    Pow2Parameters = 8,
    /// A secret key of BFV modulo a power of two.
    Pow2SecretKey = 9,
    /// A public key of BFV modulo a power of two.
    Pow2PublicKey = 10,
    /// A relinearisation key of BFV modulo a power of two.
    Pow2RelinearizationKey = 11,
    /// A ciphertext of BFV modulo a power of two.
    Pow2Ciphertext = 12,
    /// An encrypted vector modulo a power of two: which ciphertexts follow, each a record of its
    /// own.
    Pow2Vector = 13,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::Parameters,
        Self::SecretKey,
        Self::PublicKey,
        Self::RelinearizationKey,
        Self::GaloisKey,
        Self::Ciphertext,
        Self::EvaluationKeys,
        Self::Pow2Parameters,
        Self::Pow2SecretKey,
        Self::Pow2PublicKey,
        Self::Pow2RelinearizationKey,
        Self::Pow2Ciphertext,
        Self::Pow2Vector,
    ];

    /// The name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::SecretKey => "secret key",
            Self::PublicKey => "public key",
            Self::RelinearizationKey => "relinearisation key",
            Self::GaloisKey => "Galois key",
            Self::Ciphertext => "ciphertext",
            Self::EvaluationKeys => "evaluation keys",
            Self::Pow2Parameters => "parameters modulo 2^k",
            Self::Pow2SecretKey => "secret key modulo 2^k",
            Self::Pow2PublicKey => "public key modulo 2^k",
            Self::Pow2RelinearizationKey => "relinearisation key modulo 2^k",
            Self::Pow2Ciphertext => "ciphertext modulo 2^k",
            Self::Pow2Vector => "encrypted vector modulo 2^k",
        }
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A header whose magic, version, kind and flags are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: RecordKind,
    pub(super) id: ParametersId,
    /// Bytes of the payload, as claimed.
    pub(super) length: u64,
}

impl Header {
    pub(super) fn to_bytes(self) -> [u8; HEADER_BYTES as usize] {
        let mut bytes = [0; HEADER_BYTES as usize];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[10..12].copy_from_slice(&(self.kind as u16).to_le_bytes());
        bytes[16..48].copy_from_slice(self.id.bytes());
        bytes[48..].copy_from_slice(&self.length.to_le_bytes());
        bytes
    }

    /// # Errors
    /// [`crate::Error::File`] for another format, version, kind, or flags.
    pub(super) fn parse(bytes: &[u8; HEADER_BYTES as usize]) -> Result<Self> {
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        if bytes[..8] != MAGIC {
            let reason = format!(
                "begins with {:02x?} where a record of Cyclotron begins with {MAGIC:02x?}; \
                 give a file that Cyclotron wrote, transferred as binary",
                &bytes[..8]
            );
            return Err(file_error("record", reason));
        }
        let version = word(8);
        if version != VERSION {
            let reason =
                format!("version {version} where {VERSION} is known; upgrade Cyclotron to read it");
            return Err(file_error("record", reason));
        }
        let number = word(10);
        let kind = RecordKind::ALL.into_iter().find(|&kind| kind as u16 == number);
        let kind = kind.ok_or_else(|| {
            let last = RecordKind::ALL.len();
            file_error("record", format!("kind {number} where 1 to {last} are known"))
        })?;
        let flags = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]);
        if flags != 0 {
            let reason = format!("flags {flags:#x} where version {VERSION} has none");
            return Err(file_error(kind.name(), reason));
        }
        let (mut id, mut length) = ([0; 32], [0; 8]);
        id.copy_from_slice(&bytes[16..48]);
        length.copy_from_slice(&bytes[48..]);
        let (id, length) = (ParametersId::from_bytes(id), u64::from_le_bytes(length));
        Ok(Self { kind, id, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let id = ParametersId::from_bytes(std::array::from_fn(|i| 100 + i as u8));
        Header { kind: RecordKind::GaloisKey, id, length: 0x0102_0304_0506_0708 }
    }

    #[test]
    fn every_field_is_where_the_document_says() {
        let bytes = header().to_bytes();
        assert_eq!(&bytes[..16], b"\x89CYC\r\n\x1a\n\x01\x00\x05\x00\x00\x00\x00\x00");
        assert_eq!((bytes[16], bytes[47]), (100, 131));
        assert_eq!(bytes[48..], [8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(Header::parse(&bytes).unwrap(), header());
        for (index, kind) in RecordKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, index + 1);
            let other = Header { kind, ..header() };
            assert_eq!(Header::parse(&other.to_bytes()).unwrap().kind, kind);
        }
    }

    #[test]
    fn what_is_unknown_is_refused_by_name() {
        let refused = |at: usize, value: u8| {
            let mut bytes = header().to_bytes();
            bytes[at] = value;
            Header::parse(&bytes).unwrap_err().to_string()
        };
        for at in 0..8 {
            assert!(refused(at, 0xEE).contains("begins with"));
        }
        assert!(refused(8, 2).contains("version 2 where 1 is known; upgrade"));
        assert!(refused(9, 1).contains("version 257"));
        assert!(refused(8, 0).contains("version 0"));
        assert!(refused(10, 0).contains("kind 0"));
        assert!(refused(10, 14).contains("kind 14 where 1 to 13"));
        assert!(refused(11, 1).contains("kind 261"));
        for at in 12..16 {
            assert!(refused(at, 1).contains("flags"));
        }
    }
}
