//! Polynomials in records: coefficients in order, limb by limb, each limb packed to the width of
//! its modulus ([`super::bits`]) and ending with a whole byte.

use super::bits::{SLACK, pack, packed_bytes, unpack};
use super::record::{RecordReader, RecordWriter};
use crate::error::Result;
use cyclotron_engine::{Coefficient, Poly, Shape, Stream};
use cyclotron_ring::Modulus;

/// Bytes of one polynomial over these limbs.
pub(super) fn polynomial_bytes(moduli: impl IntoIterator<Item = Modulus>, degree: usize) -> u64 {
    moduli.into_iter().map(|q| packed_bytes(degree, q.bits()) as u64).sum()
}

/// Between engine memory and records, one polynomial at a time: no more than that is ever in host
/// memory, however large a key is.
pub(super) struct Coder<'a> {
    stream: &'a Stream,
    words: Vec<u64>,
    packed: Vec<u8>,
}

impl<'a> Coder<'a> {
    pub(super) fn new(stream: &'a Stream) -> Self {
        Self { stream, words: Vec::new(), packed: Vec::new() }
    }

    /// Writes a single polynomial.
    pub(super) fn write(
        &mut self,
        writer: &mut RecordWriter<'_>,
        poly: &Poly<Coefficient>,
    ) -> Result<()> {
        let shape = poly.shape();
        self.words.resize(shape.words(), 0);
        let (engine, queue) = (self.stream.engine(), self.stream.queue());
        engine.download(queue, poly.buffer(), &mut self.words)?;
        for (limb, q) in self.words.chunks_exact(shape.degree()).zip(shape.moduli()) {
            pack(limb, q.bits(), &mut self.packed);
            writer.bytes(&self.packed)?;
        }
        Ok(())
    }

    /// Reads a single polynomial; every residue is checked.
    pub(super) fn read(
        &mut self,
        reader: &mut RecordReader<'_>,
        shape: &Shape,
    ) -> Result<Poly<Coefficient>> {
        self.words.resize(shape.words(), 0);
        for (limb, q) in self.words.chunks_exact_mut(shape.degree()).zip(shape.moduli()) {
            let bytes = packed_bytes(limb.len(), q.bits());
            self.packed.resize(bytes + SLACK, 0);
            reader.exact(&mut self.packed[..bytes])?;
            if !unpack(&self.packed, q.bits(), limb) {
                return reader.refuse("the bits that fill the last byte of a limb are not zero");
            }
            // Vectorised; the place matters only when there is one.
            let largest = limb.iter().fold(0, |most, &residue| most.max(residue));
            if largest >= q.value() {
                return not_reduced(reader, limb, q);
            }
        }
        Ok(self.stream.upload(shape, &self.words)?)
    }
}

fn not_reduced<T>(reader: &RecordReader<'_>, limb: &[u64], q: Modulus) -> Result<T> {
    let found = limb.iter().enumerate().find(|&(_, &residue)| residue >= q.value());
    let (index, residue) = found.map_or((0, 0), |(index, &residue)| (index, residue));
    reader.refuse(format!(
        "residue {residue} of coefficient {index} is not below its modulus {}",
        q.value()
    ))
}
