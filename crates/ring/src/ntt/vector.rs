//! The transform for any width of vector: the same layers as [`super::scalar`], grouped so that
//! memory is passed over as seldom as possible.
//!
//! A transform of `n` values is a tree of blocks; the root has number 1, the halves of block `k`
//! are `2k` and `2k + 1`, and block `k` uses the factor `psi^brv(k)`. Three forms of work:
//!
//! * a **pass** does 1 to 3 layers of one block on 2, 4 or 8 vectors held in registers, then its
//!   children follow one by one (depth first), so that they are met again while in cache;
//! * a **tail** does all layers of a block of 8 vectors at once: three between vectors, then, after
//!   a transposition in registers puts neighbours into different vectors, the rest, with one factor
//!   per lane; a second transposition restores the order. Tails are worked on in pairs.
//!
//! [`Lanes`] supplies the arithmetic of one instruction set. Between passes and tails values are in
//! `[0, 4q)` forward and in `[0, 2q)` inverse; inside, a correction is left out wherever the next
//! operation does not need it (`Next`, and the raw products of [`Lanes::mul_raw`]).

use super::{Factor, NttTable};
use crate::modulus::Modulus;

/// Vectors in a tail block.
pub(super) const TAIL: usize = 8;

/// The vector arithmetic of one instruction set, for one modulus.
///
/// # Safety
/// The methods may only run where the instruction set is available.
pub(super) trait Lanes: Copy {
    /// A vector of words.
    type V: Copy;
    /// Words in a vector.
    const LANES: usize;
    /// Bits to drop from a 64-bit Shoup constant.
    const SHOUP_SHIFT: u32;

    /// Constants for `q`.
    unsafe fn new(q: Modulus) -> Self;
    /// `LANES` words at `p`.
    unsafe fn load(p: *const u64) -> Self::V;
    /// Stores `LANES` words at `p`.
    unsafe fn store(p: *mut u64, x: Self::V);
    /// A word in all lanes.
    unsafe fn splat(x: u64) -> Self::V;
    /// `x + y`.
    unsafe fn add(self, x: Self::V, y: Self::V) -> Self::V;
    /// `x - y`.
    unsafe fn sub(self, x: Self::V, y: Self::V) -> Self::V;
    /// `x + 2q - y`.
    unsafe fn sub_lifted(self, x: Self::V, y: Self::V) -> Self::V;
    /// From `[0, 4q)` to `[0, 2q)`.
    unsafe fn fold_twice(self, x: Self::V) -> Self::V;
    /// From `[0, 2q)` to `[0, q)`.
    unsafe fn fold_once(self, x: Self::V) -> Self::V;
    /// From `[-2q, 2q)`, negative words wrapping, to `[0, 2q)`.
    unsafe fn fold_signed(self, x: Self::V) -> Self::V;
    /// `x w mod q` in `[0, 2q)`, but only its low 52 bits if the products are of 52 bits; so may be
    /// those of `x`, whose value is in `[0, 4q)`.
    unsafe fn mul_raw(self, x: Self::V, w: Self::V, shoup: Self::V) -> Self::V;
    /// The value of what `mul_raw` returns.
    unsafe fn settle(self, x: Self::V) -> Self::V;
    /// `x w mod q` in `[0, 2q)` for `x` as in `mul_raw`.
    unsafe fn mul(self, x: Self::V, w: Self::V, shoup: Self::V) -> Self::V;
    /// Transposes each square of `LANES` vectors in turn.
    unsafe fn transpose(v: &mut [Self::V; TAIL]);
}

/// The factors of both directions, in the order in which one vector width reads them.
#[derive(Debug)]
pub(super) struct VectorTables {
    pub(super) forward: Direction,
    pub(super) inverse: Direction,
    /// `1/n` and `psi^-brv(1)/n`.
    last: [Factor; 2],
}

/// The factors of one direction.
#[derive(Debug)]
pub(super) struct Direction {
    /// By block number, for blocks of at least two vectors.
    pub(super) blocks: Vec<Factor>,
    /// For each square of `LANES` vectors: for each layer, from the largest blocks, for each block
    /// of the square's columns, a vector of factors and a vector of their Shoup constants.
    lanes: Vec<u64>,
}

impl VectorTables {
    /// Tables for vectors of `lanes` words; `shift` as [`Lanes::SHOUP_SHIFT`].
    pub(super) fn new(table: &NttTable, lanes: usize, shift: u32) -> Self {
        let narrow = |factor: Factor| Factor { shoup: factor.shoup >> shift, ..factor };
        let direction = |factors: &[Factor]| {
            let columns = table.degree / lanes;
            let blocks = factors[..columns].iter().copied().map(narrow).collect();
            let mut packed = Vec::with_capacity(2 * table.degree);
            for square in (0..columns).step_by(lanes) {
                let mut width = 1;
                while width < lanes {
                    for block in 0..width {
                        let factor =
                            |lane| narrow(factors[(columns + square + lane) * width + block]);
                        packed.extend((0..lanes).map(|lane| factor(lane).value));
                        packed.extend((0..lanes).map(|lane| factor(lane).shoup));
                    }
                    width *= 2;
                }
            }
            Direction { blocks, lanes: packed }
        };
        Self {
            forward: direction(&table.forward),
            inverse: direction(&table.inverse),
            last: [narrow(table.scale), narrow(table.scaled_root)],
        }
    }
}

/// The number of layers in the pass over a block with `layers` layers above its tails: passes of 3
/// below, and what does not divide above, in 2s if possible.
#[inline(always)]
pub(super) const fn pass_layers(layers: u32) -> u32 {
    match layers {
        1 => 1,
        2 | 4 => 2,
        _ if layers.is_multiple_of(3) => 3,
        _ => 2,
    }
}

/// The factors of a pass of `log2 R` layers of block `number`, in reading order.
#[inline(always)]
unsafe fn pass_factors<L: Lanes, const R: usize>(
    blocks: &[Factor],
    number: usize,
) -> [(L::V, L::V); R] {
    // SAFETY: the caller's block has `log2 R` layers above the lanes, so that all numbers are below
    // the length of the table.
    unsafe {
        let zero = L::splat(0);
        let mut factors = [(zero, zero); R];
        let mut width = 1;
        while width < R {
            for i in 0..width {
                let factor = blocks.get_unchecked(number * width + i);
                factors[width + i] = (L::splat(factor.value), L::splat(factor.shoup));
            }
            width *= 2;
        }
        factors
    }
}

/// What happens next to the results of a forward butterfly, which decides their range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Stored: both in `[0, 4q)`.
    Store,
    /// Multiplied: both in `[0, 4q)`, but only their low 52 bits if the products are of 52 bits.
    Multiply,
    /// Folded: the sum in `[0, 4q)`, the difference in `(-2q, 2q)`.
    Fold,
}

/// `(x + y w, x - y w)`; `signed` says that `x` is the difference of a butterfly for `Next::Fold`.
#[inline(always)]
unsafe fn butterfly_forward<L: Lanes>(
    l: L,
    (x, y): (L::V, L::V),
    (w, s): (L::V, L::V),
    signed: bool,
    next: Next,
) -> (L::V, L::V) {
    // SAFETY: as the caller.
    unsafe {
        let u = if signed { l.fold_signed(x) } else { l.fold_twice(x) };
        let v = l.mul_raw(y, w, s);
        match next {
            Next::Multiply => (l.add(u, v), l.sub_lifted(u, v)),
            Next::Store => {
                let v = l.settle(v);
                (l.add(u, v), l.sub_lifted(u, v))
            }
            Next::Fold => {
                let v = l.settle(v);
                (l.add(u, v), l.sub(u, v))
            }
        }
    }
}

/// `(x + y, (x - y) w)` in `[0, 2q)`, but of the product only the low 52 bits if the products are
/// of 52 bits; `raw` says that `x` and `y` are such products.
#[inline(always)]
unsafe fn butterfly_inverse<L: Lanes>(
    l: L,
    (x, y): (L::V, L::V),
    (w, s): (L::V, L::V),
    raw: bool,
) -> (L::V, L::V) {
    // SAFETY: as the caller.
    unsafe {
        let sum = l.add(x, y);
        let sum = l.fold_twice(if raw { l.settle(sum) } else { sum });
        (sum, l.mul_raw(l.sub_lifted(x, y), w, s))
    }
}

/// The layers between the `count` (2, 4 or 8) vectors from `top` in each of `K` (1 or 2) arrays,
/// each with its own factors; `last` says what follows them.
///
/// Written out, because the compiler keeps the vectors in registers only when every index is a
/// constant. Two arrays are worked on in turn: one alone has too few independent operations to
/// hide the latency of the multipliers. Odd blocks hold differences, which have been lifted if they
/// are to be multiplied.
#[inline(always)]
unsafe fn layers_forward<L: Lanes, const R: usize, const K: usize>(
    l: L,
    v: &mut [[L::V; R]; K],
    f: [&[(L::V, L::V); R]; K],
    (top, count): (usize, usize),
    last: Next,
) {
    macro_rules! butterfly {
        ($k:expr, $x:expr, $y:expr, $factor:literal, $signed:literal, $next:expr) => {
            // SAFETY: as the caller.
            (v[$k][$x], v[$k][$y]) = unsafe {
                butterfly_forward(l, (v[$k][$x], v[$k][$y]), f[$k][$factor], $signed, $next)
            };
        };
    }
    macro_rules! butterflies {
        ($($x:literal $y:literal $factor:literal $signed:literal $next:expr;)*) => {
            $(butterfly!(0, top + $x, top + $y, $factor, $signed, $next);)*
            if K == 2 {
                $(butterfly!(K - 1, top + $x, top + $y, $factor, $signed, $next);)*
            }
        };
    }
    match count {
        2 => {
            butterflies!(0 1 1 false last;);
        }
        4 => {
            butterflies!(
                0 2 1 false Next::Fold;
                1 3 1 false Next::Multiply;
            );
            butterflies!(
                0 1 2 false last;
                2 3 3 true last;
            );
        }
        _ => {
            butterflies!(
                0 4 1 false Next::Fold;
                1 5 1 false Next::Fold;
                2 6 1 false Next::Multiply;
                3 7 1 false Next::Multiply;
            );
            butterflies!(
                0 2 2 false Next::Fold;
                1 3 2 false Next::Multiply;
                4 6 3 true Next::Fold;
                5 7 3 true Next::Multiply;
            );
            butterflies!(
                0 1 4 false last;
                2 3 5 true last;
                4 5 6 false last;
                6 7 7 true last;
            );
        }
    }
}

/// The inverse of [`layers_forward`], on values in `[0, 2q)`. With `LAST` the first factor slot
/// holds `1/n` for the sums of the last layer, whose results are in `[0, q)`.
#[inline(always)]
unsafe fn layers_inverse<L: Lanes, const R: usize, const K: usize, const LAST: bool>(
    l: L,
    v: &mut [[L::V; R]; K],
    f: [&[(L::V, L::V); R]; K],
    (top, count): (usize, usize),
) {
    macro_rules! butterfly {
        ($k:expr, $x:expr, $y:expr, $factor:literal, $raw:literal) => {
            // SAFETY: as the caller.
            (v[$k][$x], v[$k][$y]) = unsafe {
                let (x, y) = (v[$k][$x], v[$k][$y]);
                if LAST && $factor == 1 {
                    let ((n, n_shoup), (w, s)) = (f[$k][0], f[$k][1]);
                    let sum = l.mul(l.add(x, y), n, n_shoup);
                    (l.fold_once(sum), l.fold_once(l.mul(l.sub_lifted(x, y), w, s)))
                } else {
                    let (x, y) = butterfly_inverse(l, (x, y), f[$k][$factor], $raw);
                    // The products of the last layer are stored or transposed.
                    (x, if $factor == 1 { l.settle(y) } else { y })
                }
            };
        };
    }
    macro_rules! butterflies {
        ($($x:literal $y:literal $factor:literal $raw:literal;)*) => {
            $(butterfly!(0, top + $x, top + $y, $factor, $raw);)*
            if K == 2 {
                $(butterfly!(K - 1, top + $x, top + $y, $factor, $raw);)*
            }
        };
    }
    match count {
        2 => {
            butterflies!(0 1 1 false;);
        }
        4 => {
            butterflies!(
                0 1 2 false;
                2 3 3 false;
            );
            butterflies!(
                0 2 1 false;
                1 3 1 true;
            );
        }
        _ => {
            butterflies!(
                0 1 4 false;
                2 3 5 false;
                4 5 6 false;
                6 7 7 false;
            );
            butterflies!(
                0 2 2 false;
                1 3 2 true;
                4 6 3 false;
                5 7 3 true;
            );
            butterflies!(
                0 4 1 false;
                1 5 1 false;
                2 6 1 true;
                3 7 1 true;
            );
        }
    }
}

/// `R` vectors, `stride` words apart.
#[inline(always)]
unsafe fn load_all<L: Lanes, const R: usize>(a: *const u64, stride: usize) -> [L::V; R] {
    // SAFETY: the caller's words at `a` hold all the vectors.
    unsafe {
        let mut v = [L::load(a); R];
        for (i, x) in v.iter_mut().enumerate().skip(1) {
            *x = L::load(a.add(i * stride));
        }
        v
    }
}

/// Stores what [`load_all`] loaded.
#[inline(always)]
unsafe fn store_all<L: Lanes, const R: usize>(a: *mut u64, stride: usize, v: &[L::V; R]) {
    for (i, &x) in v.iter().enumerate() {
        // SAFETY: the caller's words at `a` hold all the vectors.
        unsafe { L::store(a.add(i * stride), x) }
    }
}

/// One forward pass of `log2 R` layers over the block at `a` of `length` words.
#[inline(always)]
pub(super) unsafe fn pass_forward<L: Lanes, const R: usize>(
    l: L,
    blocks: &[Factor],
    a: *mut u64,
    length: usize,
    number: usize,
) {
    let stride = length / R;
    // SAFETY: `a` holds `length` words, a multiple of `R * LANES`.
    unsafe {
        let factors = pass_factors::<L, R>(blocks, number);
        let mut j = 0;
        while j < stride {
            let mut v = [load_all::<L, R>(a.add(j), stride)];
            layers_forward(l, &mut v, [&factors], (0, R), Next::Store);
            store_all::<L, R>(a.add(j), stride, &v[0]);
            j += L::LANES;
        }
    }
}

/// One inverse pass; `last` is the pair of scaled factors when the block is the root.
#[inline(always)]
pub(super) unsafe fn pass_inverse<L: Lanes, const R: usize, const LAST: bool>(
    l: L,
    tables: &VectorTables,
    a: *mut u64,
    length: usize,
    number: usize,
) {
    let stride = length / R;
    // SAFETY: `a` holds `length` words, a multiple of `R * LANES`.
    unsafe {
        let mut factors = pass_factors::<L, R>(&tables.inverse.blocks, number);
        if LAST {
            for (slot, last) in factors.iter_mut().zip(tables.last) {
                *slot = (L::splat(last.value), L::splat(last.shoup));
            }
        }
        let mut j = 0;
        while j < stride {
            let mut v = [load_all::<L, R>(a.add(j), stride)];
            layers_inverse::<L, R, 1, LAST>(l, &mut v, [&factors], (0, R));
            store_all::<L, R>(a.add(j), stride, &v[0]);
            j += L::LANES;
        }
    }
}

/// The factors for the layers inside the columns of one square, in the slots of a pass.
#[inline(always)]
unsafe fn lane_factors<L: Lanes>(lanes: *const u64) -> [(L::V, L::V); TAIL] {
    // SAFETY: `lanes` holds the factors of one square.
    unsafe {
        let zero = L::splat(0);
        let mut factors = [(zero, zero); TAIL];
        for (i, factor) in factors.iter_mut().enumerate().take(L::LANES).skip(1) {
            let at = lanes.add(2 * (i - 1) * L::LANES);
            *factor = (L::load(at), L::load(at.add(L::LANES)));
        }
        factors
    }
}

/// All forward layers of tail blocks `number` and `number + 1` at `a`; results in `[0, q)`.
#[inline(always)]
pub(super) unsafe fn tails_forward<L: Lanes>(
    l: L,
    direction: &Direction,
    a: *mut u64,
    number: usize,
    index: usize,
) {
    // SAFETY: `a` holds `2 TAIL` vectors, blocks `index` and `index + 1` of the transform.
    unsafe {
        let at = [a, a.add(TAIL * L::LANES)];
        let factors = [
            pass_factors::<L, TAIL>(&direction.blocks, number),
            pass_factors::<L, TAIL>(&direction.blocks, number + 1),
        ];
        let mut v = [load_all::<L, TAIL>(at[0], L::LANES), load_all::<L, TAIL>(at[1], L::LANES)];
        layers_forward(l, &mut v, [&factors[0], &factors[1]], (0, TAIL), Next::Store);
        L::transpose(&mut v[0]);
        L::transpose(&mut v[1]);
        let square = 2 * L::LANES * (L::LANES - 1);
        let block = (TAIL / L::LANES) * square;
        let mut lanes = direction.lanes.as_ptr().add(index * block);
        for top in (0..TAIL).step_by(L::LANES) {
            let factors = [lane_factors::<L>(lanes), lane_factors::<L>(lanes.add(block))];
            let both = [&factors[0], &factors[1]];
            layers_forward(l, &mut v, both, (top, L::LANES), Next::Fold);
            lanes = lanes.add(square);
        }
        for (v, a) in v.iter_mut().zip(at) {
            for (i, x) in v.iter_mut().enumerate() {
                // Odd places hold differences.
                *x = l.fold_once(if i % 2 == 1 { l.fold_signed(*x) } else { l.fold_twice(*x) });
            }
            L::transpose(v);
            store_all::<L, TAIL>(a, L::LANES, v);
        }
    }
}

/// All inverse layers of tail blocks `number` and `number + 1` at `a`; results in `[0, 2q)`.
#[inline(always)]
pub(super) unsafe fn tails_inverse<L: Lanes>(
    l: L,
    direction: &Direction,
    a: *mut u64,
    number: usize,
    index: usize,
) {
    // SAFETY: `a` holds `2 TAIL` vectors, blocks `index` and `index + 1` of the transform.
    unsafe {
        let at = [a, a.add(TAIL * L::LANES)];
        let mut v = [load_all::<L, TAIL>(at[0], L::LANES), load_all::<L, TAIL>(at[1], L::LANES)];
        L::transpose(&mut v[0]);
        L::transpose(&mut v[1]);
        let square = 2 * L::LANES * (L::LANES - 1);
        let block = (TAIL / L::LANES) * square;
        let mut lanes = direction.lanes.as_ptr().add(index * block);
        for top in (0..TAIL).step_by(L::LANES) {
            let factors = [lane_factors::<L>(lanes), lane_factors::<L>(lanes.add(block))];
            let both = [&factors[0], &factors[1]];
            layers_inverse::<L, TAIL, 2, false>(l, &mut v, both, (top, L::LANES));
            lanes = lanes.add(square);
        }
        L::transpose(&mut v[0]);
        L::transpose(&mut v[1]);
        let factors = [
            pass_factors::<L, TAIL>(&direction.blocks, number),
            pass_factors::<L, TAIL>(&direction.blocks, number + 1),
        ];
        layers_inverse::<L, TAIL, 2, false>(l, &mut v, [&factors[0], &factors[1]], (0, TAIL));
        store_all::<L, TAIL>(at[0], L::LANES, &v[0]);
        store_all::<L, TAIL>(at[1], L::LANES, &v[1]);
    }
}

/// Defines `forward`, `inverse` and `tables` of one instruction set, compiled for `$features`.
macro_rules! transform {
    ($lanes:ty, $features:literal) => {
        /// The tables of this vector width.
        pub(in crate::ntt) fn tables(table: &NttTable) -> VectorTables {
            VectorTables::new(table, <$lanes>::LANES, <$lanes>::SHOUP_SHIFT)
        }

        /// The forward transform of `a`, whose length is the degree of the tables.
        #[target_feature(enable = $features)]
        pub(in crate::ntt) fn forward(q: Modulus, tables: &VectorTables, a: &mut [u64]) {
            let length = a.len();
            // SAFETY: the features are enabled here, and the tables are for this length.
            unsafe { walk_forward(<$lanes>::new(q), tables, a.as_mut_ptr(), length, 1, 0) }
        }

        /// The inverse transform of `a`, whose length is the degree of the tables.
        #[target_feature(enable = $features)]
        pub(in crate::ntt) fn inverse(q: Modulus, tables: &VectorTables, a: &mut [u64]) {
            let length = a.len();
            // SAFETY: the features are enabled here, and the tables are for this length.
            unsafe { walk_inverse(<$lanes>::new(q), tables, a.as_mut_ptr(), length, 1, 0) }
        }

        /// Block `number` at `a`, a proper multiple of a tail; its first tail has number `index`.
        #[target_feature(enable = $features)]
        unsafe fn walk_forward(
            l: $lanes,
            tables: &VectorTables,
            a: *mut u64,
            length: usize,
            number: usize,
            index: usize,
        ) {
            const TAIL_LENGTH: usize = TAIL * <$lanes>::LANES;
            let blocks = &tables.forward.blocks;
            let layers = pass_layers((length / TAIL_LENGTH).trailing_zeros());
            // SAFETY: the block holds `length` words; children are within it.
            unsafe {
                match layers {
                    1 => pass_forward::<$lanes, 2>(l, blocks, a, length, number),
                    2 => pass_forward::<$lanes, 4>(l, blocks, a, length, number),
                    _ => pass_forward::<$lanes, 8>(l, blocks, a, length, number),
                }
                let child = length >> layers;
                let step = if child == TAIL_LENGTH { 2 } else { 1 };
                for i in (0..1 << layers).step_by(step) {
                    let (at, number) = (a.add(i * child), (number << layers) + i);
                    let index = index + i * (child / TAIL_LENGTH);
                    if child == TAIL_LENGTH {
                        tails_forward(l, &tables.forward, at, number, index);
                    } else {
                        walk_forward(l, tables, at, child, number, index);
                    }
                }
            }
        }

        /// The inverse of [`walk_forward`].
        #[target_feature(enable = $features)]
        unsafe fn walk_inverse(
            l: $lanes,
            tables: &VectorTables,
            a: *mut u64,
            length: usize,
            number: usize,
            index: usize,
        ) {
            const TAIL_LENGTH: usize = TAIL * <$lanes>::LANES;
            let layers = pass_layers((length / TAIL_LENGTH).trailing_zeros());
            // SAFETY: the block holds `length` words; children are within it.
            unsafe {
                let child = length >> layers;
                let step = if child == TAIL_LENGTH { 2 } else { 1 };
                for i in (0..1 << layers).step_by(step) {
                    let (at, number) = (a.add(i * child), (number << layers) + i);
                    let index = index + i * (child / TAIL_LENGTH);
                    if child == TAIL_LENGTH {
                        tails_inverse(l, &tables.inverse, at, number, index);
                    } else {
                        walk_inverse(l, tables, at, child, number, index);
                    }
                }
                match (layers, number) {
                    (1, 1) => pass_inverse::<$lanes, 2, true>(l, tables, a, length, number),
                    (2, 1) => pass_inverse::<$lanes, 4, true>(l, tables, a, length, number),
                    (_, 1) => pass_inverse::<$lanes, 8, true>(l, tables, a, length, number),
                    (1, _) => pass_inverse::<$lanes, 2, false>(l, tables, a, length, number),
                    (2, _) => pass_inverse::<$lanes, 4, false>(l, tables, a, length, number),
                    _ => pass_inverse::<$lanes, 8, false>(l, tables, a, length, number),
                }
            }
        }
    };
}
pub(super) use transform;
