//! What every engine checks before it works: owners, rings, shapes, batches, limbs, plans.
//!
//! One function for each operation of [`crate::Engine`]. Nothing here touches contents except
//! host data; a call refused here has changed nothing. Errors carry the value found and the value
//! needed.

use crate::buffer::{Buffer, EngineId, Event, Queue};
use crate::engine::{Capabilities, Domain};
use crate::error::{EngineError, Result};
use crate::plan::{DecomposePlan, KeySwitchPlan};
use crate::shape::{Limb, LimbSet, Ring, Shape};
use cyclotron_ring::rns::{Combination, ConvertPlan, DivideRoundPlan, ScaleRoundPlan};
use cyclotron_ring::{Modulus, RingError};

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
        if element % 2 == 0 || element >= bound {
            return Err(RingError::BadGaloisElement { element, bound }.into());
        }
        match domain {
            Domain::Coefficient => Ok(()),
            Domain::Evaluation => transformable(a),
        }
    }

    /// The limbs of `a` and `out` are the plan's source and destination; equal batches.
    ///
    /// # Errors
    /// [`EngineError::PlanMismatch`], [`EngineError::ShapeMismatch`] and those of
    /// [`Self::operands`].
    pub fn convert(
        &self,
        queue: &Queue,
        plan: &ConvertPlan,
        out: &Buffer,
        a: &Buffer,
    ) -> Result<()> {
        self.operands("convert", queue, &[out, a])?;
        batch("convert", a, out.shape().batch)?;
        combination("convert", plan.combination(), out, a)
    }

    /// `den` and `out` have the plan's moduli; `ext` is given when the plan needs it and has
    /// those of `out`; equal batches.
    ///
    /// # Errors
    /// [`EngineError::PlanMismatch`], [`EngineError::ShapeMismatch`] and those of
    /// [`Self::operands`].
    pub fn scale_round(
        &self,
        queue: &Queue,
        plan: &ScaleRoundPlan,
        out: &Buffer,
        den: &Buffer,
        ext: Option<&Buffer>,
    ) -> Result<()> {
        const OPERATION: &str = "scale_round";
        self.operands(OPERATION, queue, &[out, den])?;
        batch(OPERATION, den, out.shape().batch)?;
        combination(OPERATION, plan.combination(), out, den)?;
        match (plan.combination().takes_own(), ext) {
            (false, None) => Ok(()),
            (true, Some(ext)) => {
                self.operands(OPERATION, queue, &[out, ext])?;
                batch(OPERATION, ext, out.shape().batch)?;
                moduli(OPERATION, rows(plan.combination()), ext)
            }
            (needed, _) => {
                let says = |yes: bool| if yes { "with extension" } else { "without extension" };
                Err(EngineError::PlanMismatch {
                    operation: OPERATION,
                    plan: says(needed).to_owned(),
                    operand: says(!needed).to_owned(),
                })
            }
        }
    }

    /// `dropped` and `out` have the plan's dropped and kept moduli; equal batches.
    ///
    /// # Errors
    /// [`EngineError::PlanMismatch`], [`EngineError::ShapeMismatch`] and those of
    /// [`Self::operands`].
    pub fn divide_correction(
        &self,
        queue: &Queue,
        plan: &DivideRoundPlan,
        out: &Buffer,
        dropped: &Buffer,
    ) -> Result<()> {
        self.operands("divide_correction", queue, &[out, dropped])?;
        batch("divide_correction", dropped, out.shape().batch)?;
        combination("divide_correction", plan.correction_combination(), out, dropped)
    }

    /// As [`Self::divide_correction`], and `keep` holds the limbs of `out`; in the evaluation
    /// domain every limb of `out` and `drop` has a transform.
    ///
    /// # Errors
    /// [`EngineError::PlanMismatch`], [`EngineError::ShapeMismatch`],
    /// [`RingError::NoRootOfUnity`] and those of [`Self::operands`].
    pub fn divide_round(
        &self,
        queue: &Queue,
        domain: Domain,
        plan: &DivideRoundPlan,
        out: &Buffer,
        keep: &Buffer,
        drop: &Buffer,
    ) -> Result<()> {
        const OPERATION: &str = "divide_round";
        self.operands(OPERATION, queue, &[out, keep, drop])?;
        limbs_within(OPERATION, out, keep)?;
        batch(OPERATION, keep, out.shape().batch)?;
        batch(OPERATION, drop, out.shape().batch)?;
        combination(OPERATION, plan.correction_combination(), out, drop)?;
        match domain {
            Domain::Coefficient => Ok(()),
            Domain::Evaluation => transformable(out).and_then(|()| transformable(drop)),
        }
    }

    /// The limbs of `a` and `out` are the plan's source and target; `out` has a batch of `d`
    /// digits for each polynomial of `a`.
    ///
    /// # Errors
    /// [`EngineError::PlanMismatch`], [`EngineError::ShapeMismatch`] and those of
    /// [`Self::operands`].
    pub fn decompose(
        &self,
        queue: &Queue,
        plan: &DecomposePlan,
        out: &Buffer,
        a: &Buffer,
    ) -> Result<()> {
        const OPERATION: &str = "decompose";
        self.operands(OPERATION, queue, &[out, a])?;
        decomposes(OPERATION, plan, a)?;
        same_limbs(OPERATION, a, &plan.source)?;
        targets(OPERATION, plan, out)?;
        batch(OPERATION, out, a.shape().batch * plan.count())
    }

    /// As [`Self::decompose`]; the target limbs have transforms, and `values` has the shape of
    /// `a`.
    ///
    /// # Errors
    /// Those of [`Self::decompose`], and [`RingError::NoRootOfUnity`].
    pub fn decompose_forward(
        &self,
        queue: &Queue,
        plan: &DecomposePlan,
        out: &Buffer,
        a: &Buffer,
        values: Option<&Buffer>,
    ) -> Result<()> {
        self.decompose(queue, plan, out, a)?;
        transformable(out)?;
        let Some(values) = values else { return Ok(()) };
        self.operands("decompose_forward", queue, &[a, values])?;
        same_shape("decompose_forward", values, a)
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

    /// Digits over the plan's target limbs, a key `[d x 2]` that holds them, an output of pairs
    /// over the kept limbs.
    ///
    /// # Errors
    /// [`EngineError::PlanMismatch`], [`EngineError::ShapeMismatch`],
    /// [`RingError::NoRootOfUnity`] and those of [`Self::operands`].
    pub fn gadget_product(
        &self,
        queue: &Queue,
        plan: &KeySwitchPlan,
        out: &Buffer,
        digits: &Buffer,
        key: &Buffer,
    ) -> Result<()> {
        const OPERATION: &str = "gadget_product";
        self.operands(OPERATION, queue, &[out, digits, key])?;
        let count = plan.decompose.count();
        targets(OPERATION, &plan.decompose, digits)?;
        multiple(OPERATION, digits, count)?;
        limbs_within(OPERATION, digits, key)?;
        multiple(OPERATION, key, 2)?;
        at_least(OPERATION, key, 2 * count)?;
        same_limbs(OPERATION, out, &plan.kept)?;
        batch(OPERATION, out, digits.shape().batch / count * 2)?;
        limbs_within(OPERATION, out, digits)?;
        if let Some(divide) = &plan.divide {
            transformable(digits)?;
            let special = Shape::new(&out.shape().ring, &plan.special, 1)?;
            if digits.shape().limbs.positions(&plan.special).is_none() {
                let expected = format!("a shape with the special limbs {:?}", plan.special);
                return Err(mismatch(OPERATION, digits, expected));
            }
            let tables = divide.correction_combination();
            let sources = tables.sources().iter().copied();
            plan_moduli(OPERATION, sources, &special)?;
            moduli(OPERATION, rows(tables), out)?;
        }
        Ok(())
    }
}

fn length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(RingError::LengthMismatch { what, found, expected }.into())
}

fn mismatch(operation: &'static str, found: &Buffer, expected: String) -> EngineError {
    EngineError::ShapeMismatch { operation, found: found.shape().clone(), expected }
}

/// `a` has the shape of `model`.
fn same_shape(operation: &'static str, a: &Buffer, model: &Buffer) -> Result<()> {
    if a.shape() == model.shape() {
        return Ok(());
    }
    Err(mismatch(operation, a, model.shape().to_string()))
}

/// `a` holds exactly `limbs`, in their order.
fn same_limbs(operation: &'static str, a: &Buffer, limbs: &LimbSet) -> Result<()> {
    if a.shape().limbs == *limbs {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a shape of exactly the limbs {limbs:?}")))
}

/// `a` holds every limb of `out`.
fn limbs_within(operation: &'static str, out: &Buffer, a: &Buffer) -> Result<()> {
    let limbs = &out.shape().limbs;
    if a.shape().limbs.positions(limbs).is_some() {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a shape with the limbs {limbs:?}")))
}

fn batch(operation: &'static str, a: &Buffer, expected: usize) -> Result<()> {
    if a.shape().batch == expected {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a batch of {expected}")))
}

fn at_least(operation: &'static str, a: &Buffer, expected: usize) -> Result<()> {
    if a.shape().batch >= expected {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a batch of at least {expected}")))
}

fn batch_or_one(operation: &'static str, a: &Buffer, expected: usize) -> Result<()> {
    if a.shape().batch == expected || a.shape().batch == 1 {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a batch of {expected} or 1")))
}

fn multiple(operation: &'static str, a: &Buffer, of: usize) -> Result<()> {
    if of != 0 && a.shape().batch % of == 0 {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a batch that is a multiple of {of}")))
}

/// Every limb of `a` has a transform.
fn transformable(a: &Buffer) -> Result<()> {
    let shape = a.shape();
    for index in shape.limbs.iter() {
        let limb = shape.ring.limbs()[index];
        if limb.root.is_none() {
            let order = 2 * shape.degree() as u64;
            return Err(RingError::NoRootOfUnity { order, modulus: limb.modulus.value() }.into());
        }
    }
    Ok(())
}

fn list(moduli: impl Iterator<Item = Modulus>) -> String {
    let values: Vec<String> = moduli.map(|modulus| modulus.to_string()).collect();
    format!("[{}]", values.join(", "))
}

fn rows(tables: &Combination) -> impl ExactSizeIterator<Item = Modulus> + Clone {
    tables.rows().iter().map(cyclotron_ring::rns::Row::modulus)
}

/// The limbs of `shape` have the moduli `plan`, in order.
fn plan_moduli(
    operation: &'static str,
    plan: impl Iterator<Item = Modulus> + Clone,
    shape: &Shape,
) -> Result<()> {
    if plan.clone().eq(shape.moduli()) {
        return Ok(());
    }
    let (plan, operand) = (list(plan), list(shape.moduli()));
    Err(EngineError::PlanMismatch { operation, plan, operand })
}

fn moduli(
    operation: &'static str,
    plan: impl Iterator<Item = Modulus> + Clone,
    a: &Buffer,
) -> Result<()> {
    plan_moduli(operation, plan, a.shape())
}

/// `a` has the source moduli of the tables and `out` those of their rows.
fn combination(
    operation: &'static str,
    tables: &Combination,
    out: &Buffer,
    a: &Buffer,
) -> Result<()> {
    moduli(operation, tables.sources().iter().copied(), a)?;
    moduli(operation, rows(tables), out)
}

/// `a` has the plan's source moduli.
fn decomposes(operation: &'static str, plan: &DecomposePlan, a: &Buffer) -> Result<()> {
    moduli(operation, plan.source_moduli.iter().copied(), a)
}

/// `digits` has the plan's target limbs, of the plan's moduli.
fn targets(operation: &'static str, plan: &DecomposePlan, digits: &Buffer) -> Result<()> {
    moduli(operation, plan.target_moduli.iter().copied(), digits)?;
    same_limbs(operation, digits, &plan.target)
}
