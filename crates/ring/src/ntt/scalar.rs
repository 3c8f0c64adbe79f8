//! The portable transform: the specification of every vector level.
//!
//! Butterflies after D. Harvey, "Faster arithmetic for number-theoretic transforms" (2014),
//! arranged as in Longa and Naehrig, "Speeding up the number theoretic transform for faster ideal
//! lattice-based cryptography" (2016): the powers of `psi` sit inside the butterflies, so no
//! separate twist by `psi^i` is needed.

use super::NttTable;

/// Decimation in time: `[0, q)` in coefficient order to `[0, q)` in evaluation order.
///
/// Between layers values are in `[0, 4q)`, which a word holds because `q < 2^61`.
pub(super) fn forward(table: &NttTable, a: &mut [u64]) {
    let q = table.modulus;
    let twice = 2 * q.value();
    let mut half = table.degree / 2;
    let mut blocks = 1;
    while half > 0 {
        let roots = &table.forward[blocks..2 * blocks];
        for (block, root) in a.chunks_exact_mut(2 * half).zip(roots) {
            let (low, high) = block.split_at_mut(half);
            for (x, y) in low.iter_mut().zip(high) {
                let u = once(*x, twice);
                let v = q.mul_shoup_lazy(*y, root.value, root.shoup);
                *x = u + v;
                *y = u + twice - v;
            }
        }
        blocks *= 2;
        half /= 2;
    }
    for x in a.iter_mut() {
        *x = q.reduce_once(once(*x, twice));
    }
}

/// Decimation in frequency: the inverse of [`forward`], with the factor `1/n` merged into the last
/// layer. Between layers values are in `[0, 2q)`.
pub(super) fn inverse(table: &NttTable, a: &mut [u64]) {
    let q = table.modulus;
    let twice = 2 * q.value();
    let mut half = 1;
    let mut blocks = table.degree / 2;
    while blocks > 1 {
        let roots = &table.inverse[blocks..2 * blocks];
        for (block, root) in a.chunks_exact_mut(2 * half).zip(roots) {
            let (low, high) = block.split_at_mut(half);
            for (x, y) in low.iter_mut().zip(high) {
                let (u, v) = (*x, *y);
                *x = once(u + v, twice);
                *y = q.mul_shoup_lazy(u + twice - v, root.value, root.shoup);
            }
        }
        blocks /= 2;
        half *= 2;
    }
    let (scale, last) = (table.scale, table.scaled_root);
    let (low, high) = a.split_at_mut(half);
    for (x, y) in low.iter_mut().zip(high) {
        let (u, v) = (*x, *y);
        *x = q.mul_shoup(u + v, scale.value, scale.shoup);
        *y = q.mul_shoup(u + twice - v, last.value, last.shoup);
    }
}

/// `x` brought from `[0, 2m)` to `[0, m)` without a branch.
#[inline(always)]
fn once(x: u64, m: u64) -> u64 {
    x.min(x.wrapping_sub(m))
}
