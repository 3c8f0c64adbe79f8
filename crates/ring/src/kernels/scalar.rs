//! The portable bodies: the specification of every vector kernel.
//!
//! They are inlined into functions compiled for wider vectors where the compiler's own
//! vectorisation is as good as intrinsics (addition, subtraction, negation).

use crate::modulus::Modulus;

#[inline(always)]
pub(super) fn add(q: Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
    for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
        *o = below(x + y, q.value());
    }
}

#[inline(always)]
pub(super) fn add_assign(q: Modulus, acc: &mut [u64], b: &[u64]) {
    for (x, &y) in acc.iter_mut().zip(b) {
        *x = below(*x + y, q.value());
    }
}

#[inline(always)]
pub(super) fn sub(q: Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
    for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
        *o = below(x + q.value() - y, q.value());
    }
}

#[inline(always)]
pub(super) fn sub_assign(q: Modulus, acc: &mut [u64], b: &[u64]) {
    for (x, &y) in acc.iter_mut().zip(b) {
        *x = below(*x + q.value() - y, q.value());
    }
}

#[inline(always)]
pub(super) fn neg(q: Modulus, out: &mut [u64], a: &[u64]) {
    for (o, &x) in out.iter_mut().zip(a) {
        *o = below(q.value() - x, q.value());
    }
}

#[inline(always)]
pub(super) fn neg_assign(q: Modulus, acc: &mut [u64]) {
    for x in acc {
        *x = below(q.value() - *x, q.value());
    }
}

#[inline(always)]
pub(super) fn mul(q: Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
    for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
        *o = q.mul(x, y);
    }
}

#[inline(always)]
pub(super) fn mul_assign(q: Modulus, acc: &mut [u64], b: &[u64]) {
    for (x, &y) in acc.iter_mut().zip(b) {
        *x = q.mul(*x, y);
    }
}

#[inline(always)]
pub(super) fn mul_add_assign(q: Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
    for ((z, &x), &y) in acc.iter_mut().zip(a).zip(b) {
        *z = q.mul_add(x, y, *z);
    }
}

#[inline(always)]
pub(super) fn scale(q: Modulus, out: &mut [u64], a: &[u64], w: u64) {
    let w_shoup = q.shoup(w);
    for (o, &x) in out.iter_mut().zip(a) {
        *o = q.mul_shoup(x, w, w_shoup);
    }
}

#[inline(always)]
pub(super) fn scale_assign(q: Modulus, acc: &mut [u64], w: u64) {
    let w_shoup = q.shoup(w);
    for x in acc {
        *x = q.mul_shoup(*x, w, w_shoup);
    }
}

#[inline(always)]
pub(super) fn scale_add_assign(q: Modulus, acc: &mut [u64], a: &[u64], w: u64) {
    let w_shoup = q.shoup(w);
    for (z, &x) in acc.iter_mut().zip(a) {
        *z = q.add(*z, q.mul_shoup(x, w, w_shoup));
    }
}

#[inline(always)]
pub(super) fn sub_scale_assign(q: Modulus, acc: &mut [u64], b: &[u64], w: u64) {
    let w_shoup = q.shoup(w);
    for (x, &y) in acc.iter_mut().zip(b) {
        *x = q.mul_shoup(*x + q.value() - y, w, w_shoup);
    }
}

#[inline(always)]
pub(super) fn reduce(q: Modulus, out: &mut [u64], a: &[u64]) {
    for (o, &x) in out.iter_mut().zip(a) {
        *o = q.reduce(x);
    }
}

/// `out[j] = start[j] + sum_k a[k][j] b[k][j]`, with `start = out` or 0.
///
/// The sum is kept in a double word and reduced after as many terms as surely fit.
pub(super) fn inner_product(q: Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]], keep: bool) {
    // A term is at most (q - 1)^2 < 2^(2 bits); one slot is left for the start value.
    let fitting = (1usize << (128 - 2 * q.bits()).min(20)) - 1;
    for (j, o) in out.iter_mut().enumerate() {
        let mut sum = if keep { u128::from(*o) } else { 0 };
        for (x, y) in a.chunks(fitting).zip(b.chunks(fitting)) {
            for (x, y) in x.iter().zip(y) {
                sum += u128::from(x[j]) * u128::from(y[j]);
            }
            sum = u128::from(q.reduce_u128(sum));
        }
        *o = sum as u64;
    }
}

/// `x` brought from `[0, 2m)` to `[0, m)` without a branch, in the form that vectorises.
#[inline(always)]
fn below(x: u64, m: u64) -> u64 {
    x.min(x.wrapping_sub(m))
}
