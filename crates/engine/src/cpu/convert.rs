//! Operations of the CPU engine that mix limbs: conversions, rounding and digits.
//!
//! Coefficients do not meet, so a task is a block of coefficients of one polynomial, with all its
//! limbs.

use crate::buffer::Buffer;
use crate::cpu::CpuEngine;
use crate::cpu::access::{Layout, Reader, storage, storage_mut};
use crate::cpu::transform::transforms;
use crate::cpu::workers::{BLOCK, Weight, deal};
use crate::error::Result;
use crate::plan::{DecomposePlan, Digit};
use cyclotron_ring::Result as RingResult;
use cyclotron_ring::rns::{ConvertPlan, DivideRoundPlan, ScaleRoundPlan};
use std::sync::Arc;

pub fn convert(engine: &CpuEngine, plan: &ConvertPlan, out: &mut Buffer, a: &Buffer) -> Result<()> {
    mix(engine, out, &[a], |src, dst| plan.apply(engine.simd, src, dst))
}

pub fn scale_round(
    engine: &CpuEngine,
    plan: &ScaleRoundPlan,
    out: &mut Buffer,
    den: &Buffer,
    ext: Option<&Buffer>,
) -> Result<()> {
    let operands: Vec<&Buffer> = [den].into_iter().chain(ext).collect();
    mix(engine, out, &operands, |src, dst| plan.apply(engine.simd, src, dst))
}

pub fn divide_correction(
    engine: &CpuEngine,
    plan: &DivideRoundPlan,
    out: &mut Buffer,
    dropped: &Buffer,
) -> Result<()> {
    mix(engine, out, &[dropped], |src, dst| plan.correction(engine.simd, src, dst))
}

/// Division in the coefficient domain, in one pass over the limbs.
pub fn divide_coefficients(
    engine: &CpuEngine,
    plan: &DivideRoundPlan,
    out: &mut Buffer,
    keep: &Buffer,
    drop: &Buffer,
) -> Result<()> {
    let limbs = out.shape().limbs.clone();
    let keep = Reader::new(keep, &limbs)?;
    let drop = Reader::new(drop, &drop.shape().limbs)?;
    mix_readers(engine, out, &[keep, drop], |src, dst| plan.apply(engine.simd, src, dst))
}

/// Calls `apply(sources, destinations)` for each block of each polynomial; the sources are the
/// limbs of the operands, one operand after the other.
fn mix<W>(engine: &CpuEngine, out: &mut Buffer, operands: &[&Buffer], apply: W) -> Result<()>
where
    W: Fn(&[&[u64]], &mut [&mut [u64]]) -> RingResult<()> + Sync,
{
    let readers = operands.iter().map(|buffer| Reader::new(buffer, &buffer.shape().limbs));
    mix_readers(engine, out, &readers.collect::<Result<Vec<_>>>()?, apply)
}

fn mix_readers<W>(
    engine: &CpuEngine,
    out: &mut Buffer,
    readers: &[Reader<'_>],
    apply: W,
) -> Result<()>
where
    W: Fn(&[&[u64]], &mut [&mut [u64]]) -> RingResult<()> + Sync,
{
    let layout = Layout::of(out);
    let block = layout.n.min(BLOCK);
    let blocks = layout.n / block;
    let limbs = layout.moduli.len();
    let words = storage_mut(out)?.block.words_mut();
    let work = words.len();
    let tasks = deal(words, layout.n, block, layout.batch, |row| row / limbs);
    engine.workers.tasks(Weight::Heavy, work, tasks, |i, mut outputs| {
        let (poly, start) = (i / blocks, i % blocks * block);
        let range = start..start + block;
        let sources: Vec<&[u64]> =
            readers.iter().flat_map(|reader| reader.slices(poly, &range)).collect();
        Ok(apply(&sources, &mut outputs)?)
    })
}

/// The digits of `a`; with `own` false, target limbs that belong to a digit's own group are left
/// as they are.
pub fn decompose(
    engine: &CpuEngine,
    plan: &DecomposePlan,
    out: &mut Buffer,
    a: &Buffer,
    own: bool,
) -> Result<()> {
    let level = engine.simd;
    let layout = Layout::of(out);
    let block = layout.n.min(BLOCK);
    let blocks = layout.n / block;
    let targets = layout.moduli.len();
    let rows = plan.count() * targets;
    let batch = a.shape().batch;
    let a = Reader::new(a, &plan.source)?;
    let words = storage_mut(out)?.block.words_mut();
    let work = words.len();
    let tasks = deal(words, layout.n, block, batch, |row| row / rows);
    engine.workers.tasks(Weight::Heavy, work, tasks, |i, mut outputs| {
        let (poly, start) = (i / blocks, i % blocks * block);
        let range = start..start + block;
        let mut rest = &mut outputs[..];
        for digit in &plan.digits {
            let (mine, others) = rest.split_at_mut(digit.count() * targets);
            rest = others;
            match digit {
                Digit::Group { source, copied, convert, .. } => {
                    let mut converted: Vec<&mut [u64]> = Vec::with_capacity(targets);
                    for (target, slice) in mine.iter_mut().enumerate() {
                        match copied.iter().find(|&&(_, place)| place == target) {
                            Some(&(place, _)) if own => {
                                slice.copy_from_slice(a.slice(poly, place, range.clone()));
                            }
                            Some(_) => {}
                            None => converted.push(slice),
                        }
                    }
                    if let Some(convert) = convert {
                        let group: Vec<&[u64]> = source
                            .clone()
                            .map(|place| a.slice(poly, place, range.clone()))
                            .collect();
                        convert.apply(level, &group, &mut converted)?;
                    }
                }
                Digit::Words { source, digits } => {
                    let limb = a.slice(poly, *source, range.clone());
                    digits.decompose_residues(&[limb], &layout.moduli, mine)?;
                }
            }
        }
        Ok(())
    })
}

/// The digits in the evaluation domain. With `values`, the limbs of a digit's own group are copied
/// from there; only the others are transformed.
pub fn decompose_forward(
    engine: &CpuEngine,
    plan: &DecomposePlan,
    out: &mut Buffer,
    a: &Buffer,
    values: Option<&Buffer>,
) -> Result<()> {
    decompose(engine, plan, out, a, values.is_none())?;
    let layout = Layout::of(out);
    let n = layout.n;
    let targets = layout.moduli.len();
    let known = values.map(|values| Reader::new(values, &plan.source)).transpose()?;
    let sources = known_sources(plan, targets);
    let tables = Arc::clone(&storage(out)?.tables);
    let transforms = transforms(&tables, &layout.limbs)?;
    let words = storage_mut(out)?.block.words_mut();
    engine.workers.pieces(Weight::Heavy, words, n, |i, row| {
        match (&known, sources[i % sources.len()]) {
            (Some(values), Some(place)) => {
                row.copy_from_slice(values.slice(i / sources.len(), place, 0..n));
            }
            _ => transforms[i % targets].forward(engine.simd, row),
        }
        Ok(())
    })
}

/// For each digit and target limb, the source limb whose residues it holds unchanged.
fn known_sources(plan: &DecomposePlan, targets: usize) -> Vec<Option<usize>> {
    let mut sources = Vec::with_capacity(plan.count() * targets);
    for digit in &plan.digits {
        let first = sources.len();
        sources.resize(first + digit.count() * targets, None);
        if let Digit::Group { copied, .. } = digit {
            for &(source, target) in copied {
                sources[first + target] = Some(source);
            }
        }
    }
    sources
}
