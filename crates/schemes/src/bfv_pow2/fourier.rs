//! The negacyclic Fourier transform of real polynomials in double precision, for products whose
//! rounding is provably exact.
//!
//! `x^n + 1 = (x^m - i)(x^m + i)` with `m = n/2`, and a real polynomial is known by its residue
//! modulo `x^m - i`: the coefficients `a_j + i a_(j+m)`. That is taken modulo `x^(m/2) -+ w`, and so
//! on, down to values at `m` points.
//!
//! # Exactness
//!
//! With `u = 2^-53`, a layer of butterflies has a relative error below `7.4 u` in the Euclidean
//! norm: `u` for the sum, `sqrt(5) u` for the product (Brent, Percival and Zimmermann, Math. Comp.
//! 76, 2007), `4.1 u` for the root. In a product of transforms, `L = log2 m` layers in each of three
//! transforms, the errors add up in every coefficient to at most
//!
//! ```text
//! (3 L 7.4 + 2.3) u |a|_2 |b|_2
//! ```
//!
//! (Cauchy-Schwarz turns the two forward errors into sums of absolute values, of which the inverse
//! takes the mean). With `|a_j| <= 2^31` and `|b_j| <= 1`, `|a|_2 |b|_2 <= 2^31 n`: below 1/4 for
//! `n <= 4096`, and every coefficient rounds to the right integer.
//!
//! Buffers hold the bits of doubles: `m` real parts, then `m` imaginary ones. The order of values is
//! that of the transposed tree; it does not matter, as both operands have it.
//!
//! The time does not depend on the values: sums and products of normal numbers and zeros.

use cyclotron_ring::SimdLevel;
use std::f64::consts::PI;

/// The largest degree for which products are exact.
pub const MAX_DEGREE: usize = 1 << 12;

/// The smallest degree.
pub const MIN_DEGREE: usize = 64;

/// `1.5 * 2^52`: a double of magnitude below `2^51` added to it leaves its nearest integer in the
/// low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Tables of one degree.
#[derive(Debug, Clone)]
pub struct Fourier {
    /// `n / 2`.
    values: usize,
    /// The tree's first layers work on whole rows, the last on columns, after a transposition.
    rows: usize,
    columns: usize,
    /// `w` of block `b` of the layer of `blocks` blocks, at `blocks + b`.
    first: Vec<(f64, f64)>,
    /// Real and imaginary parts of `w`: for every later layer and block of a row, one a row.
    second: [Vec<f64>; 2],
    avx2: bool,
}

impl Fourier {
    /// Tables for `n`, a power of two from [`MIN_DEGREE`] to [`MAX_DEGREE`]; none for others.
    #[must_use]
    pub fn new(n: usize, simd: SimdLevel) -> Option<Self> {
        if !n.is_power_of_two() || !(MIN_DEGREE..=MAX_DEGREE).contains(&n) {
            return None;
        }
        let values = n / 2;
        let rows = 1 << (values.ilog2() / 2);
        let columns = values / rows;
        // Angles of the moduli x^k - e^(i angle), as `turns / (4 blocks)`.
        let mut turns = vec![1usize];
        let mut first = vec![(0.0, 0.0)];
        let mut second = [Vec::new(), Vec::new()];
        while turns.len() < values {
            let blocks = turns.len();
            let root = |block: usize| half_turns(turns[block] as f64 / (4 * blocks) as f64);
            if blocks < rows {
                first.extend((0..blocks).map(root));
            } else {
                let own = blocks / rows;
                for part in 0..own {
                    for row in 0..rows {
                        let (re, im) = root(row * own + part);
                        second[0].push(re);
                        second[1].push(im);
                    }
                }
            }
            turns = turns.iter().flat_map(|&turn| [turn, turn + 4 * blocks]).collect();
        }
        let avx2 = simd != SimdLevel::Scalar && SimdLevel::Avx2.is_available();
        Some(Self { values, rows, columns, first, second, avx2 })
    }

    /// The transform of `a` (destroyed) in `out`, `n` words each.
    pub fn forward(&self, a: &mut [u64], out: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `avx2` says that this machine has the instructions.
            unsafe { forward_avx2(self, a, out) };
            return;
        }
        self.forward_body(a, out);
    }

    /// The inverse of [`Self::forward`] times `n/2`, of `a` (destroyed) in `out`.
    pub fn inverse(&self, a: &mut [u64], out: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `avx2` says that this machine has the instructions.
            unsafe { inverse_avx2(self, a, out) };
            return;
        }
        self.inverse_body(a, out);
    }

    /// `out = a b`, value by value; `a` may be divided by `n/2` before, exactly
    /// ([`Self::scale`]).
    pub fn multiply(&self, a: &[u64], b: &[u64], out: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `avx2` says that this machine has the instructions.
            unsafe { multiply_avx2(self, a, b, out) };
            return;
        }
        self.multiply_body(a, b, out);
    }

    /// Divides by `n/2`, a power of two.
    pub fn scale(&self, a: &mut [u64]) {
        let factor = 1.0 / self.values as f64;
        a.iter_mut().for_each(|x| *x = (f64::from_bits(*x) * factor).to_bits());
    }

    #[inline(always)]
    fn forward_body(&self, a: &mut [u64], out: &mut [u64]) {
        let (re, im) = a.split_at_mut(self.values);
        let mut blocks = 1;
        while blocks < self.rows {
            let size = self.values / blocks;
            let parts = re.chunks_exact_mut(size).zip(im.chunks_exact_mut(size));
            for ((re, im), &(w, v)) in parts.zip(&self.first[blocks..]) {
                let (re0, re1) = re.split_at_mut(size / 2);
                let (im0, im1) = im.split_at_mut(size / 2);
                let low = re0.iter_mut().zip(im0);
                for ((x, y), (s, t)) in low.zip(re1.iter_mut().zip(im1)) {
                    split(x, y, s, t, w, v);
                }
            }
            blocks *= 2;
        }
        let (out_re, out_im) = out.split_at_mut(self.values);
        transpose(re, out_re, self.rows, self.columns);
        transpose(im, out_im, self.rows, self.columns);

        let (mut parts, mut offset) = (1, 0);
        while parts < self.columns {
            let size = self.values / parts;
            let blocks = out_re.chunks_exact_mut(size).zip(out_im.chunks_exact_mut(size));
            for (re, im) in blocks {
                let ws = &self.second[0][offset..offset + self.rows];
                let vs = &self.second[1][offset..offset + self.rows];
                offset += self.rows;
                let (re0, re1) = re.split_at_mut(size / 2);
                let (im0, im1) = im.split_at_mut(size / 2);
                let low = re0.chunks_exact_mut(self.rows).zip(im0.chunks_exact_mut(self.rows));
                let high = re1.chunks_exact_mut(self.rows).zip(im1.chunks_exact_mut(self.rows));
                for ((re0, im0), (re1, im1)) in low.zip(high) {
                    let low = re0.iter_mut().zip(im0);
                    let high = re1.iter_mut().zip(im1);
                    for (((x, y), (s, t)), (&w, &v)) in low.zip(high).zip(ws.iter().zip(vs)) {
                        split(x, y, s, t, w, v);
                    }
                }
            }
            parts *= 2;
        }
    }

    #[inline(always)]
    fn inverse_body(&self, a: &mut [u64], out: &mut [u64]) {
        let (re, im) = a.split_at_mut(self.values);
        let (mut parts, mut end) = (self.columns / 2, self.second[0].len());
        while parts > 0 {
            let size = self.values / parts;
            let mut offset = end - parts * self.rows;
            end = offset;
            for (re, im) in re.chunks_exact_mut(size).zip(im.chunks_exact_mut(size)) {
                let ws = &self.second[0][offset..offset + self.rows];
                let vs = &self.second[1][offset..offset + self.rows];
                offset += self.rows;
                let (re0, re1) = re.split_at_mut(size / 2);
                let (im0, im1) = im.split_at_mut(size / 2);
                let low = re0.chunks_exact_mut(self.rows).zip(im0.chunks_exact_mut(self.rows));
                let high = re1.chunks_exact_mut(self.rows).zip(im1.chunks_exact_mut(self.rows));
                for ((re0, im0), (re1, im1)) in low.zip(high) {
                    let low = re0.iter_mut().zip(im0);
                    let high = re1.iter_mut().zip(im1);
                    for (((x, y), (s, t)), (&w, &v)) in low.zip(high).zip(ws.iter().zip(vs)) {
                        join(x, y, s, t, w, v);
                    }
                }
            }
            parts /= 2;
        }
        let (out_re, out_im) = out.split_at_mut(self.values);
        transpose(re, out_re, self.columns, self.rows);
        transpose(im, out_im, self.columns, self.rows);

        let mut blocks = self.rows / 2;
        while blocks > 0 {
            let size = self.values / blocks;
            let parts = out_re.chunks_exact_mut(size).zip(out_im.chunks_exact_mut(size));
            for ((re, im), &(w, v)) in parts.zip(&self.first[blocks..]) {
                let (re0, re1) = re.split_at_mut(size / 2);
                let (im0, im1) = im.split_at_mut(size / 2);
                let low = re0.iter_mut().zip(im0);
                for ((x, y), (s, t)) in low.zip(re1.iter_mut().zip(im1)) {
                    join(x, y, s, t, w, v);
                }
            }
            blocks /= 2;
        }
    }

    #[inline(always)]
    fn multiply_body(&self, a: &[u64], b: &[u64], out: &mut [u64]) {
        let (a_re, a_im) = a.split_at(self.values);
        let (b_re, b_im) = b.split_at(self.values);
        let (out_re, out_im) = out.split_at_mut(self.values);
        let operands = a_re.iter().zip(a_im).zip(b_re.iter().zip(b_im));
        for ((x, y), ((&a, &b), (&c, &d))) in out_re.iter_mut().zip(out_im).zip(operands) {
            let [a, b, c, d] = [a, b, c, d].map(f64::from_bits);
            *x = (a * c - b * d).to_bits();
            *y = (a * d + b * c).to_bits();
        }
    }
}

/// `(x + iy, s + it)` to `(x + iy + (w + iv)(s + it), x + iy - (w + iv)(s + it))`.
#[inline(always)]
fn split(x: &mut u64, y: &mut u64, s: &mut u64, t: &mut u64, w: f64, v: f64) {
    let [a, b, c, d] = [*x, *y, *s, *t].map(f64::from_bits);
    let (e, f) = (c * w - d * v, c * v + d * w);
    (*x, *y) = ((a + e).to_bits(), (b + f).to_bits());
    (*s, *t) = ((a - e).to_bits(), (b - f).to_bits());
}

/// Twice the inverse of [`split`].
#[inline(always)]
fn join(x: &mut u64, y: &mut u64, s: &mut u64, t: &mut u64, w: f64, v: f64) {
    let [a, b, c, d] = [*x, *y, *s, *t].map(f64::from_bits);
    let (e, f) = (a - c, b - d);
    (*x, *y) = ((a + c).to_bits(), (b + d).to_bits());
    (*s, *t) = ((e * w + f * v).to_bits(), (f * w - e * v).to_bits());
}

/// A matrix of `rows` by `columns` turned over, in squares of four.
#[inline(always)]
fn transpose(from: &[u64], to: &mut [u64], rows: usize, columns: usize) {
    for row in (0..rows).step_by(4) {
        for column in (0..columns).step_by(4) {
            let mut square = [[0; 4]; 4];
            for (i, line) in square.iter_mut().enumerate() {
                let at = (row + i) * columns + column;
                line.copy_from_slice(&from[at..at + 4]);
            }
            for j in 0..4 {
                let at = (column + j) * rows + row;
                to[at..at + 4].copy_from_slice(&square.map(|line| line[j]));
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn forward_avx2(fourier: &Fourier, a: &mut [u64], out: &mut [u64]) {
    fourier.forward_body(a, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn inverse_avx2(fourier: &Fourier, a: &mut [u64], out: &mut [u64]) {
    fourier.inverse_body(a, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn multiply_avx2(fourier: &Fourier, a: &[u64], b: &[u64], out: &mut [u64]) {
    fourier.multiply_body(a, b, out);
}

/// `e^(i pi x)` for `0 <= x < 1`, each part to `4.1 * 2^-53`: the angle stays below a quarter turn.
fn half_turns(x: f64) -> (f64, f64) {
    let sign = if x > 0.5 { -1.0 } else { 1.0 };
    let (sin, cos) = (PI * if x > 0.5 { 1.0 - x } else { x }).sin_cos();
    (sign * cos, sin)
}

/// The bits of a signed number as a double.
#[inline(always)]
pub fn from_small(x: i32) -> u64 {
    f64::from(x).to_bits()
}

/// The integer nearest to a double of magnitude below `2^51`, modulo `2^64`.
#[inline(always)]
pub fn nearest(bits: u64) -> u64 {
    (f64::from_bits(bits) + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_of_the_error_is_below_a_quarter() {
        let layers = f64::from((MAX_DEGREE / 2).ilog2());
        let bound = (3.0 * layers * 7.4 + 2.3) * f64::exp2(31.0 - 53.0) * MAX_DEGREE as f64;
        assert!(bound < 0.25, "{bound}");
    }

    #[test]
    fn numbers_round_to_the_nearest() {
        for x in [0.0, 0.49, -0.49, 0.51, -0.51, 1e12 + 0.25, -1e12 - 0.25, -3.0] {
            assert_eq!(nearest(f64::to_bits(x)) as i64, x.round() as i64, "{x}");
        }
    }

    /// Errors of actual products are far below the bound, at both levels, which agree.
    #[test]
    fn products_are_far_from_halves() {
        for log_n in 6..=12 {
            let n = 1usize << log_n;
            let a: Vec<i32> =
                (0..n).map(|i| if i % 3 == 0 { i32::MIN } else { i32::MAX }).collect();
            let b: Vec<i32> = (0..n).map(|i| [1, -1, 1, 1][i % 4]).collect();
            let mut results = Vec::new();
            for simd in [SimdLevel::Scalar, SimdLevel::detect()] {
                let fourier = Fourier::new(n, simd).unwrap();
                let transform = |small: &[i32]| {
                    let mut work: Vec<u64> = small.iter().map(|&x| from_small(x)).collect();
                    let mut out = vec![0; n];
                    fourier.forward(&mut work, &mut out);
                    out
                };
                let (mut x, y, mut product) = (transform(&a), transform(&b), vec![0; n]);
                fourier.scale(&mut x);
                fourier.multiply(&x, &y, &mut product);
                fourier.inverse(&mut product, &mut x);
                let off = |&bits: &u64| {
                    let value = f64::from_bits(bits);
                    (value - value.round()).abs()
                };
                let worst = x.iter().map(off).fold(0.0, f64::max);
                assert!(worst < 0.02, "{n}: {worst}");
                results.push(x);
            }
            assert_eq!(results[0], results[1], "{n}");
        }
        assert!(Fourier::new(32, SimdLevel::Scalar).is_none());
        assert!(Fourier::new(8192, SimdLevel::Scalar).is_none());
    }
}
