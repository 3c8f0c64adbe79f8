//! What every engine checks before it works: owners, rings, shapes, batches, limbs, plans.
//!
//! One function for each operation of [`crate::Engine`]. Nothing here touches contents except
//! host data; a call refused here has changed nothing. Errors carry the value found and the value
//! needed.

mod parts;
mod plans;

use crate::buffer::{Buffer, EngineId, Event, Queue};
use crate::engine::{Capabilities, Domain};
use crate::error::{EngineError, Result};
use crate::shape::{Limb, Ring, Shape};
use cyclotron_ring::{Modulus, RingError};
use parts::{
    at_least, batch, batch_or_one, length, limbs_within, mismatch, multiple, same_limbs,
    same_shape, transformable,
};

/// The checks of one engine.
#[derive(Debug, Clone)]
pub struct Validator {
    engine: EngineId,
    name: String,
}

impl Validator {
    /// Checks for the engine with this identity and name.
    #[must_use]
    pub fn new(engine: EngineId, name: &str) -> Self {
        Self { engine, name: name.to_owned() }
    }

    fn owner(&self, operation: &'static str, found: EngineId) -> Result<()> {
        if found == self.engine {
            return Ok(());
        }
        Err(EngineError::WrongEngine {
            operation,
            expected: format!("{} {}", self.name, self.engine),
            found: found.to_string(),
        })
    }

    /// The queue and every buffer belong to the engine, and the buffers to one ring.
    ///
    /// # Errors
    /// [`EngineError::WrongEngine`], [`EngineError::RingMismatch`].
    pub fn operands(
        &self,
        operation: &'static str,
        queue: &Queue,
        buffers: &[&Buffer],
    ) -> Result<()> {
        self.owner(operation, queue.engine())?;
        for buffer in buffers {
            self.owner(operation, buffer.engine())?;
        }
        for pair in buffers.windows(2) {
            let (left, right) = (&pair[0].shape().ring, &pair[1].shape().ring);
            if left.id() != right.id() {
                return Err(EngineError::RingMismatch {
                    operation,
                    left: format!("#{} of degree {}", left.id(), left.degree()),
                    right: format!("#{} of degree {}", right.id(), right.degree()),
                });
            }
        }
        Ok(())
    }

    /// Degree and moduli of a ring are within what the engine can do.
    ///
    /// # Errors
    /// [`EngineError::Unsupported`].
    pub fn ring(&self, capabilities: &Capabilities, ring: &Ring) -> Result<()> {
        let refuse = |what: String, remedy: String| {
            Err(EngineError::Unsupported { engine: self.name.clone(), what, remedy })
        };
        let (min, max) = capabilities.degrees;
        if !(min..=max).contains(&ring.degree()) {
            let remedy = format!("choose a degree from {min} to {max}, or another engine");
            return refuse(format!("degree {}", ring.degree()), remedy);
        }
        let bits = capabilities.modulus_bits;
        let wide = |limb: &&Limb| limb.modulus.bits() > bits;
        if let Some(limb) = ring.limbs().iter().find(wide) {
            let what = format!("modulus {} of {} bits", limb.modulus, limb.modulus.bits());
            let remedy = format!("choose moduli of at most {bits} bits, or another engine");
            return refuse(what, remedy);
        }
        Ok(())
    }

    /// The shape's ring is supported and its size fits a word; returns the size in residues.
    ///
    /// # Errors
    /// [`EngineError::Unsupported`], [`EngineError::OutOfMemory`].
    pub fn alloc(&self, capabilities: &Capabilities, shape: &Shape) -> Result<usize> {
        self.ring(capabilities, &shape.ring)?;
        let row = shape.limbs.len().checked_mul(shape.degree());
        let words = row.and_then(|row| row.checked_mul(shape.batch));
        words.filter(|&words| words <= usize::MAX / 16).ok_or_else(|| EngineError::OutOfMemory {
            engine: self.name.clone(),
            requested: u64::MAX,
            available: capabilities.memory_limit.unwrap_or(u64::MAX / 16),
        })
    }

    /// The queue belongs to the engine.
    ///
    /// # Errors
    /// [`EngineError::WrongEngine`].
    pub fn queue(&self, operation: &'static str, queue: &Queue) -> Result<()> {
        self.owner(operation, queue.engine())
    }

    /// Queue and event belong to the engine.
    ///
    /// # Errors
    /// [`EngineError::WrongEngine`].
    pub fn join(&self, queue: &Queue, event: Event) -> Result<()> {
        self.owner("join", queue.engine())?;
        self.owner("join", event.engine)
    }

    /// `host` has the buffer's size and every residue is reduced.
    ///
    /// # Errors
    /// Ring errors [`RingError::LengthMismatch`] and [`RingError::NotReduced`], and those of
    /// [`Self::operands`].
    pub fn upload(&self, queue: &Queue, out: &Buffer, host: &[u64]) -> Result<()> {
        self.operands("upload", queue, &[out])?;
        length("host data of an upload", host.len(), out.shape().words())?;
        let shape = out.shape();
        let moduli: Vec<Modulus> = shape.moduli().collect();
        for (row, coefficients) in host.chunks_exact(shape.degree()).enumerate() {
            let modulus = moduli[row % moduli.len()].value();
            if let Some(place) = coefficients.iter().position(|&value| value >= modulus) {
                return Err(RingError::NotReduced {
                    what: "host data of an upload",
                    index: row * shape.degree() + place,
                    value: coefficients[place],
                    modulus,
                }
                .into());
            }
        }
        Ok(())
    }

    /// `host` has the buffer's size.
    ///
    /// # Errors
    /// [`RingError::LengthMismatch`] and those of [`Self::operands`].
    pub fn download(&self, queue: &Queue, a: &Buffer, host: &[u64]) -> Result<()> {
        self.operands("download", queue, &[a])?;
        length("host memory of a download", host.len(), a.shape().words())
    }

    /// Both buffers hold the polynomials asked for, and `a` the limbs of `out`.
    ///
    /// # Errors
    /// [`EngineError::ShapeMismatch`] and those of [`Self::operands`].
    pub fn copy(
        &self,
        queue: &Queue,
        out: &Buffer,
        to: usize,
        a: &Buffer,
        from: usize,
        count: usize,
    ) -> Result<()> {
        self.operands("copy", queue, &[out, a])?;
        limbs_within("copy", out, a)?;
        for (buffer, first) in [(out, to), (a, from)] {
            let end = first.checked_add(count);
            if end.is_none_or(|end| end > buffer.shape().batch) {
                return Err(mismatch("copy", buffer, format!("{count} polynomials from {first}")));
            }
        }
        Ok(())
    }

    /// One buffer that is written or changed in place.
    ///
    /// # Errors
    /// Those of [`Self::operands`].
    pub fn single(&self, operation: &'static str, queue: &Queue, a: &Buffer) -> Result<()> {
        self.operands(operation, queue, &[a])
    }

    /// The stream numbers of the batch fit 32 bits.
    ///
    /// # Errors
    /// [`RingError::OutOfRange`] and those of [`Self::operands`].
    pub fn sample_uniform(&self, queue: &Queue, out: &Buffer, stream: u32) -> Result<()> {
        self.operands("sample_uniform", queue, &[out])?;
        let last = u64::from(stream) + out.shape().batch as u64 - 1;
        if last > u64::from(u32::MAX) {
            return Err(RingError::OutOfRange {
                what: "stream number of uniform residues",
                value: last.to_string(),
                min: "0".to_owned(),
                max: u32::MAX.to_string(),
            }
            .into());
        }
        Ok(())
    }

    /// Every limb of `a` has a transform.
    ///
    /// # Errors
    /// [`RingError::NoRootOfUnity`] and those of [`Self::operands`].
    pub fn transform(&self, operation: &'static str, queue: &Queue, a: &Buffer) -> Result<()> {
        self.operands(operation, queue, &[a])?;
        transformable(a)
    }

    /// `out` and `a` have one shape; `b` too, or with batch 1.
    ///
    /// # Errors
    /// [`EngineError::ShapeMismatch`] and those of [`Self::operands`].
    pub fn ring_mul(&self, queue: &Queue, out: &Buffer, a: &Buffer, b: &Buffer) -> Result<()> {
        self.operands("ring_mul", queue, &[out, a, b])?;
        same_shape("ring_mul", a, out)?;
        same_limbs("ring_mul", b, &out.shape().limbs)?;
        batch_or_one("ring_mul", b, out.shape().batch)
    }

    /// `a` has the batch of `out`, `b` too or 1; both hold the limbs of `out`.
    ///
    /// # Errors
    /// [`EngineError::ShapeMismatch`] and those of [`Self::operands`].
    pub fn binary(
        &self,
        operation: &'static str,
        queue: &Queue,
        out: &Buffer,
        a: &Buffer,
        b: &Buffer,
    ) -> Result<()> {
        self.operands(operation, queue, &[out, a, b])?;
        limbs_within(operation, out, a)?;
        limbs_within(operation, out, b)?;
        batch(operation, a, out.shape().batch)?;
        batch_or_one(operation, b, out.shape().batch)
    }

    /// `b` has the batch of `acc` or 1 and holds its limbs.
    ///
    /// # Errors
    /// [`EngineError::ShapeMismatch`] and those of [`Self::operands`].
    pub fn binary_assign(&self, queue: &Queue, acc: &Buffer, b: &Buffer) -> Result<()> {
        self.operands("binary_assign", queue, &[acc, b])?;
        limbs_within("binary_assign", acc, b)?;
        batch_or_one("binary_assign", b, acc.shape().batch)
    }

    /// One reduced factor for each limb.
    ///
    /// # Errors
    /// [`RingError::LengthMismatch`], [`RingError::NotReduced`] and those of [`Self::operands`].
    pub fn scale_assign(&self, queue: &Queue, a: &Buffer, factors: &[u64]) -> Result<()> {
        self.operands("scale_assign", queue, &[a])?;
        length("factors of a scaling", factors.len(), a.shape().limbs.len())?;
        for (index, (&value, modulus)) in factors.iter().zip(a.shape().moduli()).enumerate() {
            if value >= modulus.value() {
                let what = "factors of a scaling";
                let modulus = modulus.value();
                return Err(RingError::NotReduced { what, index, value, modulus }.into());
            }
        }
        Ok(())
    }

    /// With `m = columns`: `out.batch = g m`, `a.batch = g k`, `b.batch` a multiple of `m` and at
    /// least `k m`; `a` and `b`
    /// hold the limbs of `out`.
    ///
    /// # Errors
    /// [`EngineError::ShapeMismatch`], [`RingError::OutOfRange`] for no columns, and those of
    /// [`Self::operands`].
    pub fn inner_product(
        &self,
        queue: &Queue,
        out: &Buffer,
        a: &Buffer,
        b: &Buffer,
        columns: usize,
    ) -> Result<()> {
        const OPERATION: &str = "inner_product";
        self.operands(OPERATION, queue, &[out, a, b])?;
        if columns == 0 {
            return Err(RingError::OutOfRange {
                what: "columns of an inner product",
                value: "0".to_owned(),
                min: "1".to_owned(),
                max: b.shape().batch.to_string(),
            }
            .into());
        }
        limbs_within(OPERATION, out, a)?;
        limbs_within(OPERATION, out, b)?;
        multiple(OPERATION, b, columns)?;
        multiple(OPERATION, out, columns)?;
        let groups = out.shape().batch / columns;
        multiple(OPERATION, a, groups)?;
        at_least(OPERATION, b, a.shape().batch / groups * columns)
    }

    /// Equal shapes; the element is odd and below `2n`; values need limbs with a transform.
    ///
    /// # Errors
    /// [`RingError::BadGaloisElement`], [`RingError::NoRootOfUnity`],
    /// [`EngineError::ShapeMismatch`] and those of [`Self::operands`].
    pub fn automorphism(
        &self,
        queue: &Queue,
        domain: Domain,
        element: u64,
        out: &Buffer,
        a: &Buffer,
    ) -> Result<()> {
        self.operands("automorphism", queue, &[out, a])?;
        same_shape("automorphism", a, out)?;
        let bound = 2 * a.shape().degree() as u64;
        if element.is_multiple_of(2) || element >= bound {
            return Err(RingError::BadGaloisElement { element, bound }.into());
        }
        match domain {
            Domain::Coefficient => Ok(()),
            Domain::Evaluation => transformable(a),
        }
    }

    /// Pairs of polynomials: `a`, `b` and `linear` have one even batch, `quadratic` half of it;
    /// the outputs have the same limbs, which the inputs hold.
    ///
    /// # Errors
    /// [`EngineError::ShapeMismatch`] and those of [`Self::operands`].
    pub fn tensor(
        &self,
        queue: &Queue,
        linear: &Buffer,
        quadratic: &Buffer,
        a: &Buffer,
        b: &Buffer,
    ) -> Result<()> {
        const OPERATION: &str = "tensor";
        self.operands(OPERATION, queue, &[linear, quadratic, a, b])?;
        multiple(OPERATION, a, 2)?;
        batch(OPERATION, b, a.shape().batch)?;
        batch(OPERATION, linear, a.shape().batch)?;
        batch(OPERATION, quadratic, a.shape().batch / 2)?;
        same_limbs(OPERATION, quadratic, &linear.shape().limbs)?;
        limbs_within(OPERATION, linear, a)?;
        limbs_within(OPERATION, linear, b)
    }
}
