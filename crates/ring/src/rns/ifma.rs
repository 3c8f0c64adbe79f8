//! [`Combination`] with AVX-512 IFMA: eight coefficients a vector, for moduli below `2^50`.
//!
//! The multiply-add takes the low 52 bits of two lanes and adds the low or the high 52 bits of
//! their product to a 64-bit lane. A sum of products is kept as `H 2^52 + L`, both lazily: with
//! residues below `2^50`, a product adds less than `2^52` to `L` and less than `2^48` to `H`.
//!
//! A *fold* brings it to one word. After the carry, `L < 2^52`, and `H < 2^52` as long as the sum
//! is below `2^104`: fifteen products ([`CHUNK`] and the own residue), `v < 2^57` and a folded
//! value leave room. Then `H (2^52 mod p)` by Shoup's method with a 52-bit constant and `L` by
//! Barrett's are below `2p` each.

use super::combination::{BLOCK, Block, Carry, Combination, Fraction, Row, Stage};
use crate::modulus::Modulus;
use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_madd52hi_epu64,
    _mm512_madd52lo_epu64, _mm512_min_epu64, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_srli_epi64, _mm512_storeu_si512, _mm512_sub_epi64,
};

/// Bits of a lane that take part in a product.
const WORD: u32 = 52;
const MASK: u64 = (1 << WORD) - 1;
/// Widest modulus, in bits.
const MODULUS_BITS: u32 = 50;
/// Coefficients of a vector.
const LANES: usize = 8;
/// Vectors of a block.
const VECTORS: usize = BLOCK / LANES;
/// Products between two folds.
const CHUNK: usize = 14;

/// One limb of a block in registers.
type Vectors = [__m512i; VECTORS];

/// Constants of one modulus `p`.
#[derive(Debug, Clone, Copy)]
struct Reduction {
    p: u64,
    /// `2^52 - p`: its product's low word subtracts.
    negative: u64,
    /// `2^52 mod p`, and its Shoup constant `floor((2^52 mod p) 2^52 / p)`.
    step: u64,
    step_shoup: u64,
    /// `floor(2^52 / p)`.
    barrett: u64,
}

/// Shoup's constant with 52 bits, `floor(w 2^52 / p)`.
fn shoup52(w: u64, p: Modulus) -> u64 {
    ((u128::from(w) << WORD) / u128::from(p.value())) as u64
}

impl Reduction {
    fn new(modulus: Modulus) -> Self {
        let p = modulus.value();
        let step = modulus.reduce(1 << WORD);
        Self {
            p,
            negative: (1 << WORD) - p,
            step,
            step_shoup: shoup52(step, modulus),
            barrett: (1 << WORD) / p,
        }
    }
}

/// Constants of a [`Combination`] whose moduli are all below `2^50`.
#[derive(Debug, Clone)]
pub(super) struct Constants {
    sources: Vec<Reduction>,
    rows: Vec<Reduction>,
    /// 52-bit Shoup constants of the factors of [`Stage::Scaled`].
    factors: Vec<u64>,
}

impl Constants {
    /// The constants, or nothing when a modulus is too wide.
    pub(super) fn new(sources: &[Modulus], stage: &Stage, rows: &[Row]) -> Option<Self> {
        let narrow = |q: Modulus| q.value() >> MODULUS_BITS == 0;
        if !sources.iter().copied().chain(rows.iter().map(Row::modulus)).all(narrow) {
            return None;
        }
        let factors = match stage {
            Stage::Scaled(factors) => {
                sources.iter().zip(factors).map(|(&q, &(w, _))| shoup52(w, q)).collect()
            }
            Stage::MixedRadix(_) => Vec::new(),
        };
        Some(Self {
            sources: sources.iter().map(|&q| Reduction::new(q)).collect(),
            rows: rows.iter().map(|row| Reduction::new(row.modulus())).collect(),
            factors,
        })
    }
}

/// Computes the coefficients `[0, end)`, `end` a multiple of [`BLOCK`].
///
/// `src`, `own` and `dst` have the shapes that [`Combination::apply`] checks; `scratch` has a block
/// for each term.
///
/// A caller without the target features must know that the machine has AVX-512 F and IFMA.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn apply(
    combination: &Combination,
    constants: &Constants,
    src: &[&[u64]],
    own: &[&[u64]],
    dst: &mut [&mut [u64]],
    end: usize,
    scratch: &mut [Block],
) {
    debug_assert!(end.is_multiple_of(BLOCK));
    let k = src.len();
    for start in (0..end).step_by(BLOCK) {
        match combination.stage() {
            Stage::Scaled(factors) => {
                for (i, &(w, _)) in factors.iter().enumerate() {
                    let x = load(&src[i][start..start + BLOCK]);
                    let y = scale(&x, w, constants.factors[i], &constants.sources[i]);
                    store(&y, &mut scratch[i].0);
                }
            }
            Stage::MixedRadix(rows) => {
                for (i, row) in rows.iter().enumerate() {
                    let (digits, rest) = scratch.split_at_mut(i);
                    let own = [Some(&src[i][start..start + BLOCK])];
                    let [digit] = dot([row], [&constants.sources[i]], digits, &zero(), own);
                    store(&digit, &mut rest[0].0);
                }
            }
        }
        let mut initial = zero();
        if let Some(fraction) = combination.fraction() {
            let carries = sum(fraction, &scratch[..k]);
            match fraction.carry() {
                Carry::Unit => initial = carries,
                Carry::Term => store(&carries, &mut scratch[k].0),
            }
        }
        // Two rows at a time share the loads of the terms.
        let residue = |j: usize| own.get(j).map(|limb| &limb[start..start + BLOCK]);
        let rows = combination.rows().chunks(2).zip(constants.rows.chunks(2));
        for (pair, (rows, out)) in rows.zip(dst.chunks_mut(2)).enumerate() {
            let j = 2 * pair;
            match (rows, out) {
                (([a, b], [p, q]), [out_a, out_b]) => {
                    let own = [residue(j), residue(j + 1)];
                    let [x, y] = dot([a, b], [p, q], scratch, &initial, own);
                    store(&x, &mut out_a[start..start + BLOCK]);
                    store(&y, &mut out_b[start..start + BLOCK]);
                }
                (([a], [p]), [out]) => {
                    let [x] = dot([a], [p], scratch, &initial, [residue(j)]);
                    store(&x, &mut out[start..start + BLOCK]);
                }
                _ => debug_assert!(false, "rows, constants and destinations are as many"),
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn set(x: u64) -> __m512i {
    _mm512_set1_epi64(x.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f")]
fn zero() -> Vectors {
    [_mm512_setzero_si512(); VECTORS]
}

/// Loads a block; missing words stay 0.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(limb: &[u64]) -> Vectors {
    debug_assert_eq!(limb.len(), BLOCK);
    let mut vectors = zero();
    for (vector, lanes) in vectors.iter_mut().zip(limb.as_chunks::<LANES>().0) {
        // SAFETY: `lanes` is 64 readable bytes, and the load asks for no alignment.
        *vector = unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) };
    }
    vectors
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(vectors: &Vectors, limb: &mut [u64]) {
    debug_assert_eq!(limb.len(), BLOCK);
    for (vector, lanes) in vectors.iter().zip(limb.as_chunks_mut::<LANES>().0) {
        // SAFETY: `lanes` is 64 writable bytes, and the store asks for no alignment.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), *vector) };
    }
}

/// `x` from `[0, 2 m)` to `[0, m)`: the smaller of `x` and `x - m` as unsigned words.
#[inline]
#[target_feature(enable = "avx512f")]
fn reduce_once(x: __m512i, m: u64) -> __m512i {
    _mm512_min_epu64(x, _mm512_sub_epi64(x, set(m)))
}

/// `x w mod q` for `x < 2^52`, with Shoup's 52-bit constant.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn scale(x: &Vectors, w: u64, w_shoup: u64, q: &Reduction) -> Vectors {
    let (zero, w, w_shoup, negative) =
        (_mm512_setzero_si512(), set(w), set(w_shoup), set(q.negative));
    x.map(
        #[inline]
        |x| {
            let quotient = _mm512_madd52hi_epu64(zero, x, w_shoup);
            let product = _mm512_madd52lo_epu64(zero, x, w);
            let r = _mm512_madd52lo_epu64(product, quotient, negative);
            reduce_once(_mm512_and_si512(r, set(MASK)), q.p)
        },
    )
}

/// `v = floor((sum_i y_i Theta_i + 2^103) / 2^104)`.
///
/// The four partial products of `y (T1 2^52 + T0)` weigh `1`, `2^52` (twice) and `2^104`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sum(fraction: &Fraction, terms: &[Block]) -> Vectors {
    let (mut low, mut middle, mut high) = (zero(), [set(1 << (WORD - 1)); VECTORS], zero());
    for (term, theta) in terms.iter().zip(fraction.theta()) {
        let (t0, t1) = (set(theta[0]), set(theta[1]));
        let y = load(&term.0);
        for v in 0..VECTORS {
            low[v] = _mm512_madd52lo_epu64(low[v], y[v], t0);
            middle[v] = _mm512_madd52hi_epu64(middle[v], y[v], t0);
            middle[v] = _mm512_madd52lo_epu64(middle[v], y[v], t1);
            high[v] = _mm512_madd52hi_epu64(high[v], y[v], t1);
        }
    }
    for v in 0..VECTORS {
        let carry = _mm512_add_epi64(middle[v], _mm512_srli_epi64::<WORD>(low[v]));
        high[v] = _mm512_add_epi64(high[v], _mm512_srli_epi64::<WORD>(carry));
    }
    high
}

/// `initial + sum_i terms_i coefficients_i + own c mod p` for `D` rows at once.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn dot<const D: usize>(
    rows: [&Row; D],
    reductions: [&Reduction; D],
    terms: &[Block],
    initial: &Vectors,
    own: [Option<&[u64]>; D],
) -> [Vectors; D] {
    let (mut low, mut high) = ([*initial; D], [zero(); D]);
    for d in 0..D {
        if let (Some(own), Some(c)) = (own[d], rows[d].own()) {
            let (x, c) = (load(own), set(c));
            for v in 0..VECTORS {
                low[d][v] = _mm512_madd52lo_epu64(low[d][v], x[v], c);
                high[d][v] = _mm512_madd52hi_epu64(high[d][v], x[v], c);
            }
        }
    }
    for (chunk, terms) in terms.chunks(CHUNK).enumerate() {
        if chunk > 0 {
            for d in 0..D {
                for v in 0..VECTORS {
                    low[d][v] = fold(low[d][v], high[d][v], reductions[d]);
                    high[d][v] = _mm512_setzero_si512();
                }
            }
        }
        let first = chunk * CHUNK;
        let coefficients = rows.map(
            #[inline]
            |row| &row.coefficients()[first..first + terms.len()],
        );
        for (i, term) in terms.iter().enumerate() {
            let y = load(&term.0);
            for d in 0..D {
                let m = set(coefficients[d][i]);
                for v in 0..VECTORS {
                    low[d][v] = _mm512_madd52lo_epu64(low[d][v], y[v], m);
                    high[d][v] = _mm512_madd52hi_epu64(high[d][v], y[v], m);
                }
            }
        }
    }
    for d in 0..D {
        for v in 0..VECTORS {
            low[d][v] = reduce(low[d][v], high[d][v], reductions[d]);
        }
    }
    low
}

/// `high 2^52 + low`, below `2^104`, with its carry done: `(low, high)` below `2^52` each.
#[inline]
#[target_feature(enable = "avx512f")]
fn carried(low: __m512i, high: __m512i) -> (__m512i, __m512i) {
    let high = _mm512_add_epi64(high, _mm512_srli_epi64::<WORD>(low));
    (_mm512_and_si512(low, set(MASK)), high)
}

/// A value below `2^52 + 2p` that is `high 2^52 + low` modulo `p`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn fold(low: __m512i, high: __m512i, m: &Reduction) -> __m512i {
    let zero = _mm512_setzero_si512();
    let (low, high) = carried(low, high);
    let quotient = _mm512_madd52hi_epu64(zero, high, set(m.step_shoup));
    let product = _mm512_madd52lo_epu64(zero, high, set(m.step));
    let r = _mm512_madd52lo_epu64(product, quotient, set(m.negative));
    _mm512_add_epi64(low, _mm512_and_si512(r, set(MASK)))
}

/// `high 2^52 + low mod p`: both quotients are added before they are multiplied by `p`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn reduce(low: __m512i, high: __m512i, m: &Reduction) -> __m512i {
    let (low, high) = carried(low, high);
    let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), high, set(m.step_shoup));
    let quotient = _mm512_madd52hi_epu64(quotient, low, set(m.barrett));
    let sum = _mm512_madd52lo_epu64(low, high, set(m.step));
    let r = _mm512_madd52lo_epu64(sum, quotient, set(m.negative));
    // Below 4p < 2^52: what was dropped above bit 51 cancels.
    reduce_once(reduce_once(_mm512_and_si512(r, set(MASK)), 2 * m.p), m.p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::SimdLevel;

    /// Both reductions of all pairs of words.
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn check(p: u64, highs: &[u64], lows: &[u64]) {
        let modulus = Modulus::new(p).unwrap();
        let constants = Reduction::new(modulus);
        for &h in highs {
            for &l in lows {
                let words = |vector: __m512i| {
                    let mut words = [0; BLOCK];
                    store(&[vector; VECTORS], &mut words);
                    words[0]
                };
                let expected = modulus.reduce_u128((u128::from(h) << WORD) + u128::from(l));
                assert_eq!(words(reduce(set(l), set(h), &constants)), expected, "{h} {l} {p}");
                let folded = words(fold(set(l), set(h), &constants));
                assert!(folded < (1 << WORD) + 2 * p);
                assert_eq!(modulus.reduce(folded), expected, "{h} {l} {p}");
            }
        }
    }

    /// Quotients that are short by as much as they can be: large words, all residues.
    #[test]
    fn reductions_are_right_at_the_ends_of_their_ranges() {
        if !SimdLevel::Avx512Ifma.is_available() {
            return;
        }
        let ends = |count: u64| (0..count).flat_map(|i| [i, MASK - i]).collect::<Vec<_>>();
        let many = ends(200);
        // Lows that carry up to 31 into the high word.
        let few = [0, 1, MASK - 31, MASK - 32];
        let carries: Vec<_> = (0..60).map(|i| (1 << 57) - 1 - i).collect();
        for p in (2..200).chain([(1 << 50) - 27, (1 << 50) - 1, 1 << 49, (1 << 49) + 1]) {
            // SAFETY: the level is available.
            unsafe {
                check(p, &many, &many);
                check(p, &few, &carries);
            }
        }
    }
}
