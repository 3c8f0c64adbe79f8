//! Records of parameters: the pinned JSON of [`VectorParameters::to_json`].

use super::record::{RecordReader, record_bytes, write_record};
use super::{RecordKind, atomic, file_error, load_whole};
use crate::error::Result;
use crate::vector::VectorParameters;
use std::io::{Read, Write};
use std::path::Path;

/// Longest text: 96 primes of 20 digits and a page of reasons are far below.
const MAX_BYTES: u64 = 1 << 20;

/// Writes parameters.
///
/// # Errors
/// [`crate::Error::File`] when `out` fails, or when the text is longer than a reader takes (1 MiB).
pub fn write_parameters(parameters: &VectorParameters, out: &mut dyn Write) -> Result<()> {
    let text = parameters.to_json()?;
    let length = text.len() as u64;
    if length > MAX_BYTES {
        let reason = format!("{length} bytes of text where {MAX_BYTES} are the most");
        return Err(file_error(RecordKind::Parameters.name(), reason));
    }
    write_record(out, RecordKind::Parameters, parameters.id(), length, |writer| {
        writer.bytes(text.as_bytes())
    })
}

/// Exactly how many bytes [`write_parameters`] writes.
///
/// # Errors
/// Never for checked parameters.
pub fn parameters_size(parameters: &VectorParameters) -> Result<u64> {
    Ok(record_bytes(parameters.to_json()?.len() as u64))
}

/// Reads parameters, checks them anew, and reads no byte after them.
///
/// # Errors
/// [`crate::Error::File`] for what is damaged or malformed; otherwise as
/// [`VectorParameters::from_json`].
pub fn read_parameters(input: &mut dyn Read) -> Result<VectorParameters> {
    let Some(reader) = RecordReader::begin(input)? else {
        return Err(file_error(RecordKind::Parameters.name(), "is empty: 0 bytes"));
    };
    reader.require_kind(RecordKind::Parameters)?;
    reader.require_length(0..=MAX_BYTES)?;
    reader.complete(payload)
}

/// The parameters in a payload; the caller has checked the kind.
pub(super) fn payload(reader: &mut RecordReader<'_>) -> Result<VectorParameters> {
    reader.require_length(0..=MAX_BYTES)?;
    let mut bytes = vec![0; reader.remaining() as usize];
    reader.exact(&mut bytes)?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return reader.refuse("is not text in UTF-8");
    };
    let parameters = VectorParameters::from_json(text)?;
    let (stated, own) = (reader.header().id, parameters.id());
    if stated != own {
        return reader.refuse(format!("stated as {stated}, but the contents are {own}"));
    }
    Ok(parameters)
}

/// Writes a file of parameters, whole or not at all.
///
/// # Errors
/// As [`write_parameters`], with the path.
pub fn save_parameters(parameters: &VectorParameters, path: &Path) -> Result<()> {
    atomic::save(path, false, |out| write_parameters(parameters, out))
}

/// The parameters that a file holds.
///
/// # Errors
/// As [`read_parameters`], with the path; [`crate::Error::File`] when more follows.
pub fn load_parameters(path: &Path) -> Result<VectorParameters> {
    load_whole(path, false, read_parameters)
}
