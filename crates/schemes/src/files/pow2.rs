//! Records of BFV modulo a power of two: parameters, keys and ciphertexts.
//!
//! Polynomials are coefficients in order, each in as many whole bytes as its modulus takes, little
//! endian. What is expanded from a seed is stored as the seed.

use super::keys::{read_secret, secret_bytes, write_secret};
use super::record::{RecordReader, RecordWriter, read_record, record_bytes, write_record};
use super::{RecordKind, atomic, ciphertext, file_error, load_whole, record};
use crate::bfv_pow2::{
    Ciphertext, Pow2Context, Pow2Parameters, PublicKey, RelinearizationKey, SecretKey,
};
use crate::error::Result;
use crate::rlwe::ParametersId;
use cyclotron_ring::norms::Norms;
use cyclotron_ring::sample::Seed;
use std::io::{Read, Write};
use std::path::Path;

/// Longest text of parameters.
const MAX_JSON: u64 = 1 << 12;
/// Bytes of a seed.
const SEED: u64 = 32;
/// Bytes of a ciphertext before its polynomials.
const HEAD: u64 = 32;

/// [`Stored`](super::Stored) for objects of a [`Pow2Context`]: the same methods, the same promises.
pub trait Pow2Stored: Sized {
    /// Whether the file is for its owner's eyes alone (mode 0600 where modes exist).
    const SECRET: bool = false;

    /// Exactly how many bytes [`Pow2Stored::write`] writes.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`] when the object belongs to other parameters.
    fn size(&self, context: &Pow2Context) -> Result<u64>;

    /// Writes the object.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`]; [`crate::Error::File`] when `out` fails.
    fn write(&self, context: &Pow2Context, out: &mut dyn Write) -> Result<()>;

    /// Reads the object, and no byte after it.
    ///
    /// # Errors
    /// [`crate::Error::File`] for what is damaged, malformed, of another kind or of another
    /// version; [`crate::Error::ParameterMismatch`].
    fn read(context: &Pow2Context, input: &mut dyn Read) -> Result<Self>;

    /// The object as bytes.
    ///
    /// # Errors
    /// As [`Pow2Stored::write`].
    fn to_bytes(&self, context: &Pow2Context) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        bytes.reserve_exact(usize::try_from(self.size(context)?).unwrap_or(0));
        self.write(context, &mut bytes)?;
        Ok(bytes)
    }

    /// The object that `bytes` hold, and nothing else.
    ///
    /// # Errors
    /// As [`Pow2Stored::read`]; [`crate::Error::File`] for bytes after the object.
    fn from_bytes(context: &Pow2Context, mut bytes: &[u8]) -> Result<Self> {
        let object = Self::read(context, &mut bytes)?;
        record::require_end("bytes", &mut bytes)?;
        Ok(object)
    }

    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    /// As [`Pow2Stored::write`], with the path.
    fn save(&self, context: &Pow2Context, path: &Path) -> Result<()> {
        atomic::save(path, Self::SECRET, |out| self.write(context, out))
    }

    /// The object that a file holds.
    ///
    /// # Errors
    /// As [`Pow2Stored::from_bytes`], with the path.
    fn load(context: &Pow2Context, path: &Path) -> Result<Self> {
        load_whole(path, Self::SECRET, |input| Self::read(context, input))
    }
}

/// Writes parameters.
///
/// # Errors
/// [`crate::Error::File`] when `out` fails.
pub fn write_pow2_parameters(parameters: &Pow2Parameters, out: &mut dyn Write) -> Result<()> {
    let text = parameters.to_json()?;
    let (kind, length) = (RecordKind::Pow2Parameters, text.len() as u64);
    write_record(out, kind, parameters.id(), length, |writer| writer.bytes(text.as_bytes()))
}

/// Reads parameters, checks them anew, and reads no byte after them.
///
/// # Errors
/// [`crate::Error::File`] for what is damaged or malformed; otherwise as [`Pow2Parameters::new`].
pub fn read_pow2_parameters(input: &mut dyn Read) -> Result<Pow2Parameters> {
    let Some(reader) = RecordReader::begin(input)? else {
        return Err(file_error(RecordKind::Pow2Parameters.name(), "is empty: 0 bytes"));
    };
    reader.require_kind(RecordKind::Pow2Parameters)?;
    reader.require_length(0..=MAX_JSON)?;
    reader.complete(parameters_payload)
}

/// The parameters in a payload; the caller has checked the kind.
pub(super) fn parameters_payload(reader: &mut RecordReader<'_>) -> Result<Pow2Parameters> {
    reader.require_length(0..=MAX_JSON)?;
    let mut bytes = vec![0; reader.remaining() as usize];
    reader.exact(&mut bytes)?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return reader.refuse("is not text in UTF-8");
    };
    let parameters = Pow2Parameters::from_json(text)?;
    let (stated, own) = (reader.header().id, parameters.id());
    if stated != own {
        return reader.refuse(format!("stated as {stated}, but the contents are {own}"));
    }
    Ok(parameters)
}

/// Writes a file of parameters, whole or not at all.
///
/// # Errors
/// As [`write_pow2_parameters`], with the path.
pub fn save_pow2_parameters(parameters: &Pow2Parameters, path: &Path) -> Result<()> {
    atomic::save(path, false, |out| write_pow2_parameters(parameters, out))
}

/// The parameters that a file holds.
///
/// # Errors
/// As [`read_pow2_parameters`], with the path; [`crate::Error::File`] when more follows.
pub fn load_pow2_parameters(path: &Path) -> Result<Pow2Parameters> {
    load_whole(path, false, read_pow2_parameters)
}

/// Two bits a coefficient.
impl Pow2Stored for SecretKey {
    const SECRET: bool = true;

    fn size(&self, context: &Pow2Context) -> Result<u64> {
        context.parameters().check_id("secret key", self.id())?;
        Ok(record_bytes(secret_bytes(context.parameters().degree())))
    }

    fn write(&self, context: &Pow2Context, out: &mut dyn Write) -> Result<()> {
        let (id, length) = begin(self.size(context)?, context);
        write_record(out, RecordKind::Pow2SecretKey, id, length, |writer| {
            write_secret(writer, self.expose())
        })
    }

    fn read(context: &Pow2Context, input: &mut dyn Read) -> Result<Self> {
        let degree = context.parameters().degree();
        let (id, length) = (context.parameters().id(), secret_bytes(degree));
        let small = read_record(input, RecordKind::Pow2SecretKey, id, length..=length, |reader| {
            read_secret(reader, degree)
        })?;
        Self::from_small(context, small)
    }
}

/// The seed of `p1` and the polynomial `p0`.
impl Pow2Stored for PublicKey {
    fn size(&self, context: &Pow2Context) -> Result<u64> {
        context.parameters().check_id("public key", self.id())?;
        Ok(record_bytes(SEED + polynomial_bytes(context, context.parameters().log_q())))
    }

    fn write(&self, context: &Pow2Context, out: &mut dyn Write) -> Result<()> {
        let (id, length) = begin(self.size(context)?, context);
        write_record(out, RecordKind::Pow2PublicKey, id, length, |writer| {
            writer.bytes(self.seed.as_bytes())?;
            write_words(writer, &self.p0, context.parameters().log_q())
        })
    }

    fn read(context: &Pow2Context, input: &mut dyn Read) -> Result<Self> {
        let bits = context.parameters().log_q();
        let (id, length) = (context.parameters().id(), SEED + polynomial_bytes(context, bits));
        read_record(input, RecordKind::Pow2PublicKey, id, length..=length, |reader| {
            let seed = Seed::new(reader.array()?);
            Self::from_parts(context, seed, read_words(reader, context, bits)?)
        })
    }
}

/// The seed of the mask and the body, modulo `p q`.
impl Pow2Stored for RelinearizationKey {
    fn size(&self, context: &Pow2Context) -> Result<u64> {
        context.parameters().check_id("relinearisation key", self.id())?;
        Ok(record_bytes(SEED + polynomial_bytes(context, Self::bits(context)?)))
    }

    fn write(&self, context: &Pow2Context, out: &mut dyn Write) -> Result<()> {
        let (id, length) = begin(self.size(context)?, context);
        let bits = Self::bits(context)?;
        write_record(out, RecordKind::Pow2RelinearizationKey, id, length, |writer| {
            writer.bytes(self.seed.as_bytes())?;
            write_wide(writer, self.body.iter().copied(), bits)
        })
    }

    fn read(context: &Pow2Context, input: &mut dyn Read) -> Result<Self> {
        let bits = Self::bits(context)?;
        let (id, length) = (context.parameters().id(), SEED + polynomial_bytes(context, bits));
        read_record(input, RecordKind::Pow2RelinearizationKey, id, length..=length, |reader| {
            let seed = Seed::new(reader.array()?);
            Self::from_parts(context, seed, read_wide(reader, context, bits)?)
        })
    }
}

/// What a record of a ciphertext says before the polynomials.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) parts: u8,
    /// As claimed by the writer.
    pub(super) noise: Norms,
}

impl Head {
    /// Reads the head; without a context, so that `inspect` can.
    pub(super) fn read(reader: &mut RecordReader<'_>) -> Result<Self> {
        let [parts, reserved @ ..] = reader.array::<8>()?;
        if !(2..=3).contains(&parts) {
            return reader.refuse(format!("{parts} polynomials where 2 or 3 can be"));
        }
        if reserved != [0; 7] {
            return reader.refuse(format!("reserved bytes are {reserved:?} where 0 is known"));
        }
        let bounds = [reader.f64()?, reader.f64()?, reader.f64()?];
        Ok(Self { parts, noise: ciphertext::norms(reader, bounds)? })
    }
}

/// The noise bound and the polynomials.
impl Pow2Stored for Ciphertext {
    fn size(&self, context: &Pow2Context) -> Result<u64> {
        context.parameters().check_id("ciphertext", self.id())?;
        let polynomial = polynomial_bytes(context, context.parameters().log_q());
        Ok(record_bytes(HEAD + self.parts().len() as u64 * polynomial))
    }

    fn write(&self, context: &Pow2Context, out: &mut dyn Write) -> Result<()> {
        let (id, length) = begin(self.size(context)?, context);
        write_record(out, RecordKind::Pow2Ciphertext, id, length, |writer| {
            writer.u64(self.parts().len() as u64)?;
            let noise = self.noise();
            for bound in [noise.inf_log2(), noise.l2_log2(), noise.can_log2()] {
                writer.f64(bound)?;
            }
            let bits = context.parameters().log_q();
            self.parts().iter().try_for_each(|part| write_words(writer, part, bits))
        })
    }

    fn read(context: &Pow2Context, input: &mut dyn Read) -> Result<Self> {
        let (id, bits) = (context.parameters().id(), context.parameters().log_q());
        let polynomial = polynomial_bytes(context, bits);
        let length = |parts: u64| HEAD + parts * polynomial;
        read_record(input, RecordKind::Pow2Ciphertext, id, length(2)..=length(3), |reader| {
            let head = Head::read(reader)?;
            let expected = length(head.parts.into());
            reader.require_length(expected..=expected)?;
            let parts = (0..head.parts).map(|_| read_words(reader, context, bits));
            Self::from_parts(context.parameters(), parts.collect::<Result<_>>()?, head.noise)
        })
    }
}

/// Identity and payload length of a record of `size` bytes.
fn begin(size: u64, context: &Pow2Context) -> (ParametersId, u64) {
    (context.parameters().id(), size - record_bytes(0))
}

/// Whole bytes of a coefficient.
const fn word_bytes(bits: u32) -> usize {
    bits.div_ceil(8) as usize
}

/// Bytes of a polynomial of coefficients of `bits` bits.
fn polynomial_bytes(context: &Pow2Context, bits: u32) -> u64 {
    context.parameters().degree() as u64 * word_bytes(bits) as u64
}

fn write_words(writer: &mut RecordWriter<'_>, words: &[u64], bits: u32) -> Result<()> {
    write_wide(writer, words.iter().map(|&word| word.into()), bits)
}

fn write_wide(
    writer: &mut RecordWriter<'_>,
    words: impl Iterator<Item = u128>,
    bits: u32,
) -> Result<()> {
    let bytes: Vec<u8> =
        words.flat_map(|word| word.to_le_bytes().into_iter().take(word_bytes(bits))).collect();
    writer.bytes(&bytes)
}

fn read_words(reader: &mut RecordReader<'_>, context: &Pow2Context, bits: u32) -> Result<Vec<u64>> {
    Ok(read_wide(reader, context, bits)?.into_iter().map(|word| word as u64).collect())
}

/// One polynomial; every coefficient is checked.
fn read_wide(reader: &mut RecordReader<'_>, context: &Pow2Context, bits: u32) -> Result<Vec<u128>> {
    let width = word_bytes(bits);
    let mut bytes = vec![0; context.parameters().degree() * width];
    reader.exact(&mut bytes)?;
    let words = bytes.chunks_exact(width).map(|chunk| {
        let mut word = [0; 16];
        word[..width].copy_from_slice(chunk);
        u128::from_le_bytes(word)
    });
    let words: Vec<u128> = words.collect();
    let max = u128::MAX >> (128 - bits);
    match words.iter().enumerate().find(|&(_, &word)| word > max) {
        Some((index, word)) => {
            reader.refuse(format!("coefficient {index} is {word}, not below its modulus 2^{bits}"))
        }
        None => Ok(words),
    }
}
