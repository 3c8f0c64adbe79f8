//! Element-wise arithmetic, copies, sampling and inner products of the CPU engine.

use crate::buffer::Buffer;
use crate::cpu::CpuEngine;
use crate::cpu::access::{Layout, Place, Reader, storage_mut};
use crate::cpu::workers::{BLOCK, Weight, deal};
use crate::engine::BinaryOp;
use crate::error::Result;
use cyclotron_ring::sample::{Seed, uniform};
use cyclotron_ring::{Modulus, kernels};

/// Words that the operands of one task of an inner product may take: half of a usual second-level
/// cache, so that a key block is read from memory once for all groups.
const INNER_WORDS: usize = 1 << 16;

/// Calls `work(place, modulus, piece)` for each block of `out`.
fn each_block<W>(engine: &CpuEngine, out: &mut Buffer, work: W) -> Result<()>
where
    W: Fn(&Place, Modulus, &mut [u64]) + Sync,
{
    let layout = Layout::of(out);
    let block = layout.n.min(BLOCK);
    let words = storage_mut(out)?.block.words_mut();
    engine.workers.pieces(Weight::Light, words, block, |i, piece| {
        let place = layout.place(i, block);
        work(&place, layout.moduli[place.limb], piece);
        Ok(())
    })
}

pub fn copy(
    engine: &CpuEngine,
    out: &mut Buffer,
    to: usize,
    a: &Buffer,
    from: usize,
    count: usize,
) -> Result<()> {
    let layout = Layout::of(out);
    let a = Reader::new(a, &layout.limbs)?;
    let block = layout.n.min(BLOCK);
    let stride = layout.moduli.len() * layout.n;
    let words = &mut storage_mut(out)?.block.words_mut()[to * stride..(to + count) * stride];
    engine.workers.pieces(Weight::Light, words, block, |i, piece| {
        let place = layout.place(i, block);
        piece.copy_from_slice(a.slice(from + place.poly, place.limb, place.range));
        Ok(())
    })
}

pub fn zero(engine: &CpuEngine, out: &mut Buffer) -> Result<()> {
    each_block(engine, out, |_, _, piece| piece.fill(0))
}

pub fn sample_uniform(
    engine: &CpuEngine,
    out: &mut Buffer,
    seed: &Seed,
    stream: u32,
) -> Result<()> {
    let layout = Layout::of(out);
    let block = layout.n.min(uniform::BLOCK);
    let words = storage_mut(out)?.block.words_mut();
    engine.workers.pieces(Weight::Heavy, words, block, |i, piece| {
        let place = layout.place(i, block);
        let (limb, modulus) = (layout.indices[place.limb] as u32, layout.moduli[place.limb]);
        let number = (place.range.start / block) as u32;
        let stream = stream + place.poly as u32;
        Ok(uniform::fill_block(seed, stream, limb, number, modulus, piece)?)
    })
}

pub fn binary(
    engine: &CpuEngine,
    op: BinaryOp,
    out: &mut Buffer,
    a: &Buffer,
    b: &Buffer,
) -> Result<()> {
    let level = engine.simd;
    let limbs = out.shape().limbs.clone();
    let (a, b) = (Reader::new(a, &limbs)?, Reader::broadcast(b, &limbs)?);
    each_block(engine, out, |place, q, piece| {
        let (a, b) = (a.at(place), b.at(place));
        match op {
            BinaryOp::Add => kernels::add(level, q, piece, a, b),
            BinaryOp::Sub => kernels::sub(level, q, piece, a, b),
            BinaryOp::Mul => kernels::mul(level, q, piece, a, b),
        }
    })
}

pub fn binary_assign(engine: &CpuEngine, op: BinaryOp, acc: &mut Buffer, b: &Buffer) -> Result<()> {
    let level = engine.simd;
    let b = Reader::broadcast(b, &acc.shape().limbs)?;
    each_block(engine, acc, |place, q, piece| {
        let b = b.at(place);
        match op {
            BinaryOp::Add => kernels::add_assign(level, q, piece, b),
            BinaryOp::Sub => kernels::sub_assign(level, q, piece, b),
            BinaryOp::Mul => kernels::mul_assign(level, q, piece, b),
        }
    })
}

pub fn mul_add(engine: &CpuEngine, acc: &mut Buffer, a: &Buffer, b: &Buffer) -> Result<()> {
    let limbs = acc.shape().limbs.clone();
    let (a, b) = (Reader::new(a, &limbs)?, Reader::broadcast(b, &limbs)?);
    each_block(engine, acc, |place, q, piece| {
        kernels::mul_add_assign(engine.simd, q, piece, a.at(place), b.at(place));
    })
}

pub fn neg_assign(engine: &CpuEngine, a: &mut Buffer) -> Result<()> {
    each_block(engine, a, |_, q, piece| kernels::neg_assign(engine.simd, q, piece))
}

pub fn scale_assign(engine: &CpuEngine, a: &mut Buffer, factors: &[u64]) -> Result<()> {
    each_block(engine, a, |place, q, piece| {
        kernels::scale_assign(engine.simd, q, piece, factors[place.limb]);
    })
}

pub fn inner_product(
    engine: &CpuEngine,
    out: &mut Buffer,
    a: &Buffer,
    b: &Buffer,
    columns: usize,
) -> Result<()> {
    let layout = Layout::of(out);
    let terms = a.shape().batch / (out.shape().batch / columns);
    let (a, b) = (Reader::new(a, &layout.limbs)?, Reader::new(b, &layout.limbs)?);
    let block = inner_block(layout.n, terms * columns + terms + columns);
    let blocks = layout.n / block;
    let limbs = layout.moduli.len();
    let words = storage_mut(out)?.block.words_mut();
    let work = words.len().saturating_mul(terms);
    let tasks = deal(words, layout.n, block, limbs, |row| row % limbs);
    engine.workers.tasks(Weight::Light, work, tasks, |i, outputs| {
        let (limb, start) = (i / blocks, i % blocks * block);
        let range = start..start + block;
        // The key's slices column by column; they stay in the cache for all groups.
        let key: Vec<&[u64]> = (0..columns * terms)
            .map(|place| {
                let (column, term) = (place / terms, place % terms);
                b.slice(term * columns + column, limb, range.clone())
            })
            .collect();
        let mut vector: Vec<&[u64]> = Vec::with_capacity(terms);
        for (place, output) in outputs.into_iter().enumerate() {
            let (group, column) = (place / columns, place % columns);
            if column == 0 {
                vector.clear();
                vector.extend((0..terms).map(|j| a.slice(group * terms + j, limb, range.clone())));
            }
            let key = &key[column * terms..(column + 1) * terms];
            kernels::inner_product(engine.simd, layout.moduli[limb], output, &vector, key);
        }
        Ok(())
    })
}

/// Coefficients of a task that touches `slices` slices of that length.
fn inner_block(n: usize, slices: usize) -> usize {
    let mut block = n.min(BLOCK);
    while block > 256 && block * slices > INNER_WORDS {
        block /= 2;
    }
    block
}
