//! The versioned byte format of parameters, keys and ciphertexts; `docs/file-format.md` has every
//! byte of it.
//!
//! A file is one *record*, or several in a row: a fixed header ([`MAGIC`], version, kind, the
//! identity of the parameters, the length), the payload, and the BLAKE3 hash of both. Polynomials
//! are coefficients in order, residues packed to the width of their modulus; what is expanded from
//! a seed is stored as the seed. Nothing that belongs to an engine is ever stored.
//!
//! The hash detects damage; it is **no authentication**: whoever can write a file can write a
//! right hash. Readers therefore trust nothing. Lengths are checked against what the parameters
//! allow before memory is taken, every residue against its modulus, and whatever is wrong is an
//! [`Error`], never a panic. The noise bound of a ciphertext is what its writer claims; decryption
//! measures the noise and refuses a false claim ([`Error::NoiseMeasured`]).
//!
//! * [`Stored`]: what vectors' keys and ciphertexts implement; [`VectorEvaluationKeys::load_selected`]
//!   loads some Galois keys of many;
//! * [`write_parameters`] and its kin, for parameters, which need no context;
//! * [`Pow2Stored`], [`write_pow2_parameters`]: the same for BFV modulo a power of two;
//! * [`inspect`]: what a file holds, without any key.
//!
//! [`VectorEvaluationKeys::load_selected`]: crate::vector::VectorEvaluationKeys::load_selected

mod atomic;
mod bits;
mod ciphertext;
mod evaluation_keys;
mod header;
mod inspect;
mod keys;
mod parameters;
mod polynomial;
mod pow2;
mod pow2_vector;
mod record;

pub use header::{HEADER_BYTES, MAGIC, RecordKind, TRAILER_BYTES, VERSION};
pub use inspect::{RecordInfo, inspect, inspect_path};
pub use parameters::{
    load_parameters, parameters_size, read_parameters, save_parameters, write_parameters,
};
pub use pow2::{
    Pow2Stored, load_pow2_parameters, read_pow2_parameters, save_pow2_parameters,
    write_pow2_parameters,
};

use crate::error::{Error, Result};
use crate::vector::VectorContext;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

/// Most channels of a vector: pairwise coprime plaintext moduli with a product below `2^126`
/// ([`crate::vector::residues::MAX_PRODUCT_BITS`]) are fewer.
const MAX_CHANNELS: u32 = 64;

/// What can be stored in a file or sent through a socket.
///
/// Every method that writes gives the same bytes for the same object, and `size` of them.
pub trait Stored: Sized {
    /// Whether the file is for its owner's eyes alone (mode 0600 where modes exist).
    const SECRET: bool = false;

    /// Exactly how many bytes [`Stored::write`] writes; nothing is computed on the engine.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`] when the object belongs to other parameters.
    fn size(&self, context: &VectorContext) -> Result<u64>;

    /// Writes the object.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; [`Error::File`] when `out` fails; engine errors.
    fn write(&self, context: &VectorContext, out: &mut dyn Write) -> Result<()>;

    /// Reads the object, and no byte after it.
    ///
    /// # Errors
    /// [`Error::File`] for what is damaged, malformed, of another kind or of another version;
    /// [`Error::ParameterMismatch`]; engine errors.
    fn read(context: &VectorContext, input: &mut dyn Read) -> Result<Self>;

    /// The object as bytes.
    ///
    /// # Errors
    /// As [`Stored::write`].
    fn to_bytes(&self, context: &VectorContext) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        // Of an own object, so the size is no claim of a stranger's.
        bytes.reserve_exact(usize::try_from(self.size(context)?).unwrap_or(0));
        self.write(context, &mut bytes)?;
        Ok(bytes)
    }

    /// The object that `bytes` hold, and nothing else.
    ///
    /// # Errors
    /// As [`Stored::read`]; [`Error::File`] for bytes after the object.
    fn from_bytes(context: &VectorContext, mut bytes: &[u8]) -> Result<Self> {
        let object = Self::read(context, &mut bytes)?;
        record::require_end("bytes", &mut bytes)?;
        Ok(object)
    }

    /// Writes a file: to a temporary one beside it first, which then takes its place, so that the
    /// path never holds half an object.
    ///
    /// # Errors
    /// As [`Stored::write`], with the path.
    fn save(&self, context: &VectorContext, path: &Path) -> Result<()> {
        atomic::save(path, Self::SECRET, |out| self.write(context, out))
    }

    /// The object that a file holds.
    ///
    /// # Errors
    /// As [`Stored::from_bytes`], with the path.
    fn load(context: &VectorContext, path: &Path) -> Result<Self> {
        load_whole(path, Self::SECRET, |input| Self::read(context, input))
    }
}

/// Opens a file for reading.
fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| {
        file_error(&path.display().to_string(), format!("cannot be read: {error}"))
    })
}

/// Reads what a file holds, and demands that it ends there.
fn load_whole<T>(
    path: &Path,
    secret: bool,
    read: impl FnOnce(&mut dyn Read) -> Result<T>,
) -> Result<T> {
    // A buffer would keep a copy of the secret.
    let capacity = if secret { 0 } else { 1 << 16 };
    let mut input = BufReader::with_capacity(capacity, open(path)?);
    read(&mut input)
        .and_then(|object| record::require_end("file", &mut input).map(|()| object))
        .map_err(|error| in_file(path, error))
}

/// Names the file in an error about its contents.
fn in_file(path: &Path, error: Error) -> Error {
    match error {
        Error::File { what, reason } => file_error(&format!("{}: {what}", path.display()), reason),
        other => other,
    }
}

fn file_error(what: &str, reason: impl Into<String>) -> Error {
    Error::File { what: what.to_owned(), reason: reason.into() }
}
