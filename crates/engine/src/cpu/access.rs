//! Views of buffers for the CPU engine: which words an operation reads and writes.

use crate::buffer::Buffer;
use crate::cpu::memory::CpuStorage;
use crate::error::{EngineError, Result};
use crate::shape::LimbSet;
use cyclotron_ring::Modulus;
use std::ops::Range;

/// The engine's own storage of a buffer that [`crate::validate`] has accepted.
pub fn storage(buffer: &Buffer) -> Result<&CpuStorage> {
    buffer.storage().as_any().downcast_ref().ok_or_else(foreign)
}

/// As [`storage`], mutable.
pub fn storage_mut(buffer: &mut Buffer) -> Result<&mut CpuStorage> {
    buffer.storage_mut().as_any_mut().downcast_mut().ok_or_else(foreign)
}

/// Only a buffer that lies about its owner gets here.
fn foreign() -> EngineError {
    EngineError::WrongEngine {
        operation: "access",
        expected: "cpu".to_owned(),
        found: "unknown storage".to_owned(),
    }
}

/// A slice of an operation's output.
#[derive(Debug, Clone)]
pub struct Place {
    /// Which polynomial of the batch.
    pub poly: usize,
    /// Which limb, by position in the output.
    pub limb: usize,
    /// Which coefficients (or values).
    pub range: Range<usize>,
}

/// The rows of an output: batch, limbs and their moduli, degree.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The degree.
    pub n: usize,
    /// How many polynomials.
    pub batch: usize,
    /// The limbs.
    pub limbs: LimbSet,
    /// Their indices in the ring.
    pub indices: Vec<usize>,
    /// Their moduli.
    pub moduli: Vec<Modulus>,
}

impl Layout {
    /// The layout of a buffer.
    pub fn of(buffer: &Buffer) -> Self {
        let shape = buffer.shape();
        Self {
            n: shape.degree(),
            batch: shape.batch,
            limbs: shape.limbs.clone(),
            indices: shape.limbs.iter().collect(),
            moduli: shape.moduli().collect(),
        }
    }

    /// Where piece `i` of the buffer lies when it is cut into pieces of `length`, a divisor of
    /// `n`.
    pub fn place(&self, i: usize, length: usize) -> Place {
        let start = i * length;
        let (row, offset) = (start / self.n, start % self.n);
        let limbs = self.moduli.len();
        Place { poly: row / limbs, limb: row % limbs, range: offset..offset + length }
    }
}

/// An operand, seen through the limbs of the output.
#[derive(Debug)]
pub struct Reader<'a> {
    words: &'a [u64],
    n: usize,
    limbs: usize,
    positions: Vec<usize>,
    /// 0 when its one polynomial serves the whole batch.
    step: usize,
}

impl<'a> Reader<'a> {
    /// `buffer` for an output with these limbs.
    pub fn new(buffer: &'a Buffer, limbs: &LimbSet) -> Result<Self> {
        let shape = buffer.shape();
        let positions = shape.limbs.positions(limbs).ok_or_else(|| EngineError::ShapeMismatch {
            operation: "access",
            found: shape.clone(),
            expected: format!("a shape with the limbs {limbs:?}"),
        })?;
        let words = storage(buffer)?.block.words();
        Ok(Self { words, n: shape.degree(), limbs: shape.limbs.len(), positions, step: 1 })
    }

    /// As [`Self::new`]; a batch of 1 is used for each of the output's `batch` polynomials.
    pub fn broadcast(buffer: &'a Buffer, limbs: &LimbSet) -> Result<Self> {
        let step = usize::from(buffer.shape().batch != 1);
        Ok(Self { step, ..Self::new(buffer, limbs)? })
    }

    /// The operand's slice for a place of the output.
    pub fn at(&self, place: &Place) -> &'a [u64] {
        self.slice(place.poly, place.limb, place.range.clone())
    }

    /// A slice of polynomial `poly`, at the output's limb `limb`.
    pub fn slice(&self, poly: usize, limb: usize, range: Range<usize>) -> &'a [u64] {
        let row = poly * self.step * self.limbs + self.positions[limb];
        &self.words[row * self.n + range.start..row * self.n + range.end]
    }

    /// The slices of every limb of polynomial `poly`.
    pub fn slices(&self, poly: usize, range: &Range<usize>) -> impl Iterator<Item = &'a [u64]> {
        (0..self.positions.len()).map(move |limb| self.slice(poly, limb, range.clone()))
    }
}
