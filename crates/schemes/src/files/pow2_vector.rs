//! Records of encrypted vectors modulo a power of two: what the vector is, then each ciphertext as
//! a record of its own.

use super::header::RecordKind;
use super::pow2::Pow2Stored;
use super::record::{RecordReader, RecordWriter, read_record, record_bytes, write_record};
use crate::bfv_pow2::vector::{MAX_CIPHERTEXTS, count};
use crate::bfv_pow2::{Ciphertext, Pow2Context, Pow2Vector};
use crate::error::Result;
use std::io::{Read, Write};

/// Bytes of the payload.
const BYTES: u64 = 16;

/// What a vector is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) ciphertexts: u32,
    pub(super) signed: bool,
    pub(super) length: u64,
}

impl Contents {
    fn write(self, writer: &mut RecordWriter<'_>) -> Result<()> {
        writer.u32(self.ciphertexts)?;
        writer.bytes(&[u8::from(self.signed), 0, 0, 0])?;
        writer.u64(self.length)
    }

    /// Reads the contents; without a context, so that `inspect` can.
    pub(super) fn read(reader: &mut RecordReader<'_>) -> Result<Self> {
        let ciphertexts = reader.u32()?;
        if !(1..=MAX_CIPHERTEXTS as u64).contains(&ciphertexts.into()) {
            return reader
                .refuse(format!("{ciphertexts} ciphertexts where 1 to {MAX_CIPHERTEXTS} can be"));
        }
        let signed = reader.flag("signed")?;
        let reserved: [u8; 3] = reader.array()?;
        if reserved != [0; 3] {
            return reader.refuse(format!("reserved bytes are {reserved:?} where 0 is known"));
        }
        Ok(Self { ciphertexts, signed, length: reader.u64()? })
    }
}

impl Pow2Stored for Pow2Vector {
    fn size(&self, context: &Pow2Context) -> Result<u64> {
        let sizes = self.ciphertexts.iter().map(|ciphertext| ciphertext.size(context));
        Ok(record_bytes(BYTES) + sizes.sum::<Result<u64>>()?)
    }

    fn write(&self, context: &Pow2Context, out: &mut dyn Write) -> Result<()> {
        let contents = Contents {
            ciphertexts: self.ciphertexts.len() as u32,
            signed: self.signed,
            length: self.length as u64,
        };
        let id = context.parameters().id();
        context.parameters().check_id("encrypted vector", self.id())?;
        write_record(out, RecordKind::Pow2Vector, id, BYTES, |writer| contents.write(writer))?;
        self.ciphertexts.iter().try_for_each(|ciphertext| ciphertext.write(context, out))
    }

    fn read(context: &Pow2Context, input: &mut dyn Read) -> Result<Self> {
        let (id, degree) = (context.parameters().id(), context.parameters().degree());
        let contents = read_record(input, RecordKind::Pow2Vector, id, BYTES..=BYTES, |reader| {
            let contents = Contents::read(reader)?;
            let Contents { ciphertexts, length, .. } = contents;
            let fits = usize::try_from(length).map(|length| count(length, degree) as u64);
            match fits {
                Ok(expected) if expected == u64::from(ciphertexts) => Ok(contents),
                _ => reader.refuse(format!(
                    "{length} values in {ciphertexts} ciphertexts of {degree} values"
                )),
            }
        })?;
        // One after another: memory is taken for what has been read, not for what is announced.
        let mut ciphertexts = Vec::new();
        for _ in 0..contents.ciphertexts {
            ciphertexts.push(Ciphertext::read(context, input)?);
        }
        Self::new(context.parameters(), ciphertexts, contents.length as usize, contents.signed)
    }
}
