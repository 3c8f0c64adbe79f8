//! Transforms, products in the coefficient domain and automorphisms of the CPU engine.

use crate::buffer::Buffer;
use crate::cpu::CpuEngine;
use crate::cpu::access::{Layout, Reader, storage, storage_mut};
use crate::cpu::tables::RingTables;
use crate::cpu::workers::Weight;
use crate::engine::Domain;
use crate::error::Result;
use crate::shape::LimbSet;
use cyclotron_ring::ntt::{NttTable, ring_mul_schoolbook};
use cyclotron_ring::pow2::Pow2Ring;
use cyclotron_ring::{automorphism, kernels};
use std::sync::Arc;

/// The transforms of some limbs of a ring.
pub fn transforms<'a>(tables: &'a RingTables, limbs: &LimbSet) -> Result<Vec<&'a NttTable>> {
    limbs.iter().map(|index| tables.transform(index)).collect()
}

pub fn forward(engine: &CpuEngine, a: &mut Buffer) -> Result<()> {
    in_place(engine, a, |transform, row| transform.forward(engine.simd, row))
}

pub fn inverse(engine: &CpuEngine, a: &mut Buffer) -> Result<()> {
    in_place(engine, a, |transform, row| transform.inverse(engine.simd, row))
}

fn in_place<W>(engine: &CpuEngine, a: &mut Buffer, work: W) -> Result<()>
where
    W: Fn(&NttTable, &mut [u64]) + Sync,
{
    let layout = Layout::of(a);
    let storage = storage_mut(a)?;
    let transforms = transforms(&storage.tables, &layout.limbs)?;
    let words = storage.block.words_mut();
    engine.workers.pieces(Weight::Heavy, words, layout.n, |i, row| {
        work(transforms[i % transforms.len()], row);
        Ok(())
    })
}

pub fn ring_mul(engine: &CpuEngine, out: &mut Buffer, a: &Buffer, b: &Buffer) -> Result<()> {
    let level = engine.simd;
    let layout = Layout::of(out);
    let n = layout.n;
    let tables = Arc::clone(&storage(out)?.tables);
    let transforms: Vec<Option<&NttTable>> =
        layout.indices.iter().map(|&index| tables.limbs[index].transform.as_deref()).collect();
    let limbs = transforms.len();

    // The values of `b`, once for the whole batch; limbs without a transform stay unused.
    let secret = storage(b)?.block.is_secret();
    let reader = Reader::new(b, &layout.limbs)?;
    let mut values = engine.scratch(b.shape().words(), secret)?;
    engine.workers.pieces(Weight::Heavy, values.words_mut(), n, |i, row| {
        if let Some(transform) = transforms[i % limbs] {
            row.copy_from_slice(reader.slice(i / limbs, i % limbs, 0..n));
            transform.forward(level, row);
        }
        Ok(())
    })?;

    let values = values.words();
    let step = usize::from(b.shape().batch != 1);
    let (a, b) = (Reader::new(a, &layout.limbs)?, Reader::broadcast(b, &layout.limbs)?);
    let words = storage_mut(out)?.block.words_mut();
    engine.workers.pieces(Weight::Heavy, words, n, |i, row| {
        let place = layout.place(i, n);
        let q = layout.moduli[place.limb];
        match transforms[place.limb] {
            Some(transform) => {
                let other = (place.poly * step * limbs + place.limb) * n;
                row.copy_from_slice(a.at(&place));
                transform.forward(level, row);
                kernels::mul_assign(level, q, row, &values[other..other + n]);
                transform.inverse(level, row);
            }
            None if q.value().is_power_of_two() => {
                Pow2Ring::new(n, q.bits())?.mul(row, a.at(&place), b.at(&place));
            }
            None => row.copy_from_slice(&ring_mul_schoolbook(q, a.at(&place), b.at(&place))?),
        }
        Ok(())
    })
}

pub fn automorphism(
    engine: &CpuEngine,
    domain: Domain,
    element: u64,
    out: &mut Buffer,
    a: &Buffer,
) -> Result<()> {
    let layout = Layout::of(out);
    let n = layout.n;
    let a = Reader::new(a, &layout.limbs)?;
    let map = match domain {
        Domain::Coefficient => None,
        Domain::Evaluation => Some(engine.tables.permutation(n, element)?),
    };
    let words = storage_mut(out)?.block.words_mut();
    engine.workers.pieces(Weight::Light, words, n, |i, row| {
        let place = layout.place(i, n);
        let (q, a) = (layout.moduli[place.limb], a.at(&place));
        match &map {
            None => automorphism::apply_coefficient(q, element, row, a)?,
            Some(map) => map.apply(row, a)?,
        }
        Ok(())
    })
}
