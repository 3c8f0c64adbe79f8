//! Composite operations of the CPU engine, fused where that saves memory traffic.

use crate::buffer::Buffer;
use crate::cpu::access::{Layout, Reader, storage, storage_mut};
use crate::cpu::transform::transforms;
use crate::cpu::workers::{BLOCK, Weight, deal};
use crate::cpu::{CpuEngine, arithmetic, convert, transform};
use crate::engine::Domain;
use crate::error::Result;
use crate::plan::KeySwitchPlan;
use crate::shape::Shape;
use cyclotron_ring::kernels;
use cyclotron_ring::rns::DivideRoundPlan;
use std::sync::Arc;

pub fn tensor(
    engine: &CpuEngine,
    linear: &mut Buffer,
    quadratic: &mut Buffer,
    a: &Buffer,
    b: &Buffer,
) -> Result<()> {
    let level = engine.simd;
    let layout = Layout::of(quadratic);
    let (n, pairs, limbs) = (layout.n, layout.batch, layout.moduli.len());
    let (a, b) = (Reader::new(a, &layout.limbs)?, Reader::new(b, &layout.limbs)?);
    let block = n.min(BLOCK);
    let blocks = n / block;
    let groups = pairs * limbs;
    let quadratic = storage_mut(quadratic)?.block.words_mut();
    let linear = storage_mut(linear)?.block.words_mut();
    let work = 4 * quadratic.len();
    let outputs: Vec<_> =
        deal(linear, n, block, groups, |row| row / (2 * limbs) * limbs + row % limbs)
            .into_iter()
            .zip(deal(quadratic, n, block, groups, |row| row))
            .collect();
    engine.workers.tasks(Weight::Light, work, outputs, |i, (linear, quadratic)| {
        let (pair, limb) = (i / blocks / limbs, i / blocks % limbs);
        let start = i % blocks * block;
        let q = layout.moduli[limb];
        let range = start..start + block;
        let [a0, a1] = [0, 1].map(|k| a.slice(2 * pair + k, limb, range.clone()));
        let [b0, b1] = [0, 1].map(|k| b.slice(2 * pair + k, limb, range.clone()));
        let mut linear = linear.into_iter();
        if let (Some(constant), Some(cross)) = (linear.next(), linear.next()) {
            kernels::mul(level, q, constant, a0, b0);
            kernels::inner_product(level, q, cross, &[a0, a1], &[b1, b0]);
        }
        for square in quadratic {
            kernels::mul(level, q, square, a1, b1);
        }
        Ok(())
    })
}

pub fn divide_round(
    engine: &CpuEngine,
    domain: Domain,
    plan: &DivideRoundPlan,
    out: &mut Buffer,
    keep: &Buffer,
    drop: &mut Buffer,
) -> Result<()> {
    match domain {
        Domain::Coefficient => convert::divide_coefficients(engine, plan, out, keep, drop),
        Domain::Evaluation => {
            transform::inverse(engine, drop)?;
            convert::divide_correction(engine, plan, out, drop)?;
            let layout = Layout::of(out);
            let n = layout.n;
            let keep = Reader::new(keep, &layout.limbs)?;
            let tables = Arc::clone(&storage(out)?.tables);
            let transforms = transforms(&tables, &layout.limbs)?;
            let words = storage_mut(out)?.block.words_mut();
            engine.workers.pieces(Weight::Heavy, words, n, |i, delta| {
                let place = layout.place(i, n);
                let q = layout.moduli[place.limb];
                transforms[place.limb].forward(engine.simd, delta);
                // (x - delta) / P = (delta - x) (-1/P).
                let factor = q.neg(plan.inverse_factor(place.limb).0);
                kernels::sub_scale_assign(engine.simd, q, delta, keep.at(&place), factor);
                Ok(())
            })
        }
    }
}

pub fn gadget_product(
    engine: &CpuEngine,
    plan: &KeySwitchPlan,
    out: &mut Buffer,
    digits: &Buffer,
    key: &Buffer,
) -> Result<()> {
    let Some(divide) = &plan.divide else {
        return arithmetic::inner_product(engine, out, digits, key, 2);
    };
    let secret = storage(digits)?.block.is_secret() || storage(key)?.block.is_secret();
    let scratch = |limbs| {
        let shape = Shape::new(&digits.shape().ring, limbs, out.shape().batch)?;
        let mut buffer = engine.buffer(&shape)?;
        if secret {
            buffer.mark_secret();
        }
        Ok::<_, crate::EngineError>(buffer)
    };
    let (mut keep, mut drop) = (scratch(&plan.kept)?, scratch(&plan.special)?);
    arithmetic::inner_product(engine, &mut keep, digits, key, 2)?;
    arithmetic::inner_product(engine, &mut drop, digits, key, 2)?;
    divide_round(engine, Domain::Evaluation, divide, out, &keep, &mut drop)
}
