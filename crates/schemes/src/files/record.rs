//! Writing and reading one record: the header, the payload, and the hash of both.

use super::file_error;
use super::header::{HEADER_BYTES, Header, RecordKind, TRAILER_BYTES};
use crate::error::{Error, Result};
use crate::rlwe::ParametersId;
use std::io::{ErrorKind, Read, Write};
use std::ops::RangeInclusive;
use zeroize::Zeroize;

/// Bytes read at a time where the contents do not matter.
const CHUNK: usize = 1 << 15;

/// Bytes of a record with a payload of `length` bytes.
pub(super) const fn record_bytes(length: u64) -> u64 {
    HEADER_BYTES.saturating_add(length).saturating_add(TRAILER_BYTES)
}

/// The payload of a record being written.
pub(super) struct RecordWriter<'a> {
    out: &'a mut dyn Write,
    hasher: blake3::Hasher,
    kind: RecordKind,
    remaining: u64,
}

/// Writes a record whose payload has exactly `length` bytes.
///
/// # Errors
/// [`Error::File`] when `out` fails; what `payload` refuses.
pub(super) fn write_record(
    out: &mut dyn Write,
    kind: RecordKind,
    id: ParametersId,
    length: u64,
    payload: impl FnOnce(&mut RecordWriter<'_>) -> Result<()>,
) -> Result<()> {
    let header = Header { kind, id, length };
    let mut writer =
        RecordWriter { out, hasher: blake3::Hasher::new(), kind, remaining: HEADER_BYTES };
    writer.bytes(&header.to_bytes())?;
    writer.remaining = length;
    payload(&mut writer)?;
    if writer.remaining != 0 {
        let reason =
            format!("{} of {length} bytes are missing from what was written", writer.remaining);
        return Err(file_error(kind.name(), reason));
    }
    let hash = *writer.hasher.finalize().as_bytes();
    writer.remaining = TRAILER_BYTES;
    writer.bytes(&hash)
}

impl RecordWriter<'_> {
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.remaining = self.remaining.checked_sub(bytes.len() as u64).ok_or_else(|| {
            file_error(self.kind.name(), "more bytes to write than its length announces")
        })?;
        self.hasher.update(bytes);
        self.out
            .write_all(bytes)
            .map_err(|error| file_error(self.kind.name(), format!("cannot be written: {error}")))
    }

    pub(super) fn u32(&mut self, value: u32) -> Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    pub(super) fn u64(&mut self, value: u64) -> Result<()> {
        self.bytes(&value.to_le_bytes())
    }

    pub(super) fn f64(&mut self, value: f64) -> Result<()> {
        self.bytes(&value.to_le_bytes())
    }
}

/// The payload of a record being read.
pub(super) struct RecordReader<'a> {
    input: &'a mut dyn Read,
    hasher: blake3::Hasher,
    header: Header,
    remaining: u64,
}

/// Reads a record of the given kind and parameters; its payload may have any of the given lengths.
///
/// # Errors
/// [`Error::File`] for another kind or length, truncation, a wrong hash; what `payload` refuses;
/// [`Error::ParameterMismatch`].
pub(super) fn read_record<T>(
    input: &mut dyn Read,
    kind: RecordKind,
    id: ParametersId,
    lengths: RangeInclusive<u64>,
    payload: impl FnOnce(&mut RecordReader<'_>) -> Result<T>,
) -> Result<T> {
    let Some(reader) = RecordReader::begin(input)? else {
        return Err(file_error(kind.name(), "is empty: 0 bytes"));
    };
    reader.require_kind(kind)?;
    let found = reader.header.id;
    if found != id {
        let (found, expected) = (found.to_string(), id.to_string());
        return Err(Error::ParameterMismatch { what: kind.name(), found, expected });
    }
    reader.require_length(lengths)?;
    reader.complete(payload)
}

impl<'a> RecordReader<'a> {
    /// Reads a header; `None` when the input ends before its first byte.
    ///
    /// # Errors
    /// [`Error::File`] for what is no header of a known version.
    pub(super) fn begin(input: &'a mut dyn Read) -> Result<Option<Self>> {
        let mut bytes = [0; HEADER_BYTES as usize];
        let mut filled = 0;
        while filled < bytes.len() {
            match input.read(&mut bytes[filled..]) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => {
                    let reason = format!("truncated: {filled} of the {HEADER_BYTES} header bytes");
                    return Err(file_error("record", reason));
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(file_error("record", format!("cannot be read: {error}")));
                }
            }
        }
        let header = Header::parse(&bytes)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes);
        Ok(Some(Self { input, hasher, header, remaining: header.length }))
    }

    pub(super) fn header(&self) -> Header {
        self.header
    }

    pub(super) fn require_kind(&self, kind: RecordKind) -> Result<()> {
        let found = self.header.kind;
        if found == kind {
            return Ok(());
        }
        Err(file_error("record", format!("holds {found} where {kind} is needed")))
    }

    pub(super) fn require_length(&self, lengths: RangeInclusive<u64>) -> Result<()> {
        let found = self.header.length;
        if lengths.contains(&found) {
            return Ok(());
        }
        let (least, most) = lengths.into_inner();
        let expected =
            if least == most { format!("{least}") } else { format!("{least} to {most}") };
        self.refuse(format!("announces {found} payload bytes where its parameters give {expected}"))
    }

    /// An error about this record.
    pub(super) fn refuse<T>(&self, reason: impl Into<String>) -> Result<T> {
        Err(file_error(self.header.kind.name(), reason))
    }

    /// Bytes of the payload that are still to be read.
    pub(super) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Fills `out` from the payload.
    pub(super) fn exact(&mut self, out: &mut [u8]) -> Result<()> {
        let wanted = out.len() as u64;
        let Some(rest) = self.remaining.checked_sub(wanted) else {
            let left = self.remaining;
            return self.refuse(format!("payload ends early: {left} bytes left, {wanted} needed"));
        };
        self.raw(out)?;
        self.hasher.update(out);
        self.remaining = rest;
        Ok(())
    }

    fn raw(&mut self, out: &mut [u8]) -> Result<()> {
        self.input.read_exact(out).map_err(|error| {
            let reason = if error.kind() == ErrorKind::UnexpectedEof {
                format!(
                    "truncated: the input ends within the last {} of {} bytes; copy it again",
                    self.remaining.saturating_add(TRAILER_BYTES),
                    record_bytes(self.header.length)
                )
            } else {
                format!("cannot be read: {error}")
            };
            file_error(self.header.kind.name(), reason)
        })
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.exact(&mut bytes)?;
        Ok(bytes)
    }

    /// A byte that is 0 or 1.
    pub(super) fn flag(&mut self, what: &str) -> Result<bool> {
        match self.array::<1>()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [value] => self.refuse(format!("{what} is {value} where 0 or 1 is known")),
        }
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// Reads the rest of the payload for its hash alone.
    pub(super) fn skip(&mut self) -> Result<()> {
        let mut chunk = [0; CHUNK];
        while self.remaining > 0 {
            let count = self.remaining.min(CHUNK as u64) as usize;
            self.exact(&mut chunk[..count])?;
        }
        Ok(())
    }

    /// Reads the payload, demands that nothing of it is left over, and checks the hash.
    pub(super) fn complete<T>(mut self, payload: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let object = payload(&mut self).and_then(|object| match self.remaining {
            0 => Ok(object),
            left => self.refuse(format!("{left} bytes follow the contents of the payload")),
        });
        match object {
            Ok(object) => self.check_hash().map(|()| object),
            Err(error) => Err(self.explain(error)),
        }
    }

    fn check_hash(&mut self) -> Result<()> {
        let mut stored = [0; TRAILER_BYTES as usize];
        self.raw(&mut stored)?;
        if self.hasher.finalize().as_bytes() == &stored {
            return Ok(());
        }
        self.refuse("damaged: the checksum does not fit the contents; copy or make it again")
    }

    /// Tells damage from malformed contents: when the checksum is wrong too, that is the error.
    /// No more is read than the header announces.
    fn explain(mut self, error: Error) -> Error {
        // An engine's failure says nothing of the contents.
        if matches!(error, Error::Engine(_)) || self.skip().is_err() {
            return error;
        }
        match self.check_hash() {
            Err(Error::File { what, reason }) => {
                Error::File { what, reason: format!("{reason} (found first: {error})") }
            }
            _ => error,
        }
    }
}

/// The hash of a secret key's bytes holds some of them.
impl Drop for RecordWriter<'_> {
    fn drop(&mut self) {
        self.hasher.zeroize();
    }
}

impl Drop for RecordReader<'_> {
    fn drop(&mut self) {
        self.hasher.zeroize();
    }
}

/// Demands that nothing follows.
///
/// # Errors
/// [`Error::File`].
pub(super) fn require_end(what: &str, input: &mut dyn Read) -> Result<()> {
    let mut byte = [0; 1];
    match input.read_exact(&mut byte) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(()),
        Err(error) => Err(file_error(what, format!("cannot be read: {error}"))),
        Ok(()) => Err(file_error(
            what,
            "more bytes follow the object; give one object, or read several from a stream",
        )),
    }
}
