//! Checks of the operations that follow a plan: its moduli are those of the operands.

use super::Validator;
use super::parts::{
    at_least, batch, limbs_within, mismatch, multiple, same_limbs, same_shape, transformable,
};
use crate::buffer::{Buffer, Queue};
use crate::engine::Domain;
use crate::error::{EngineError, Result};
use crate::plan::{DecomposePlan, KeySwitchPlan};
use crate::shape::Shape;
use cyclotron_ring::Modulus;
use cyclotron_ring::rns::{Combination, ConvertPlan, DivideRoundPlan, ScaleRoundPlan};

impl Validator {
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
    /// [`NoRootOfUnity`](cyclotron_ring::RingError::NoRootOfUnity) and those of [`Self::operands`].
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
    /// Those of [`Self::decompose`], and
    /// [`NoRootOfUnity`](cyclotron_ring::RingError::NoRootOfUnity).
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

    /// Digits over the plan's target limbs, a key `[d x 2]` that holds them, an output of pairs
    /// over the kept limbs.
    ///
    /// # Errors
    /// [`EngineError::PlanMismatch`], [`EngineError::ShapeMismatch`],
    /// [`NoRootOfUnity`](cyclotron_ring::RingError::NoRootOfUnity) and those of [`Self::operands`].
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
