//! The single checks that operations are made of.

use crate::buffer::Buffer;
use crate::error::{EngineError, Result};
use crate::shape::LimbSet;
use cyclotron_ring::RingError;

pub(super) fn length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(RingError::LengthMismatch { what, found, expected }.into())
}

pub(super) fn mismatch(operation: &'static str, found: &Buffer, expected: String) -> EngineError {
    EngineError::ShapeMismatch { operation, found: found.shape().clone(), expected }
}

/// `a` has the shape of `model`.
pub(super) fn same_shape(operation: &'static str, a: &Buffer, model: &Buffer) -> Result<()> {
    if a.shape() == model.shape() {
        return Ok(());
    }
    Err(mismatch(operation, a, model.shape().to_string()))
}

/// `a` holds exactly `limbs`, in their order.
pub(super) fn same_limbs(operation: &'static str, a: &Buffer, limbs: &LimbSet) -> Result<()> {
    if a.shape().limbs == *limbs {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a shape of exactly the limbs {limbs:?}")))
}

/// `a` holds every limb of `out`.
pub(super) fn limbs_within(operation: &'static str, out: &Buffer, a: &Buffer) -> Result<()> {
    let limbs = &out.shape().limbs;
    if a.shape().limbs.positions(limbs).is_some() {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a shape with the limbs {limbs:?}")))
}

pub(super) fn batch(operation: &'static str, a: &Buffer, expected: usize) -> Result<()> {
    if a.shape().batch == expected {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a batch of {expected}")))
}

pub(super) fn at_least(operation: &'static str, a: &Buffer, expected: usize) -> Result<()> {
    if a.shape().batch >= expected {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a batch of at least {expected}")))
}

pub(super) fn batch_or_one(operation: &'static str, a: &Buffer, expected: usize) -> Result<()> {
    if a.shape().batch == expected || a.shape().batch == 1 {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a batch of {expected} or 1")))
}

pub(super) fn multiple(operation: &'static str, a: &Buffer, of: usize) -> Result<()> {
    if a.shape().batch.is_multiple_of(of) {
        return Ok(());
    }
    Err(mismatch(operation, a, format!("a batch that is a multiple of {of}")))
}

/// Every limb of `a` has a transform.
pub(super) fn transformable(a: &Buffer) -> Result<()> {
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
