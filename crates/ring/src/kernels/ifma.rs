//! Multiplications with the 52-bit multiply-add of AVX-512 IFMA, for `q < 2^50`.

use super::lanes::*;
use crate::modulus::Modulus;
use std::arch::x86_64::*;

/// The first modulus too wide for these kernels: `[0, 4q)` fits 52 bits below it.
pub(super) const LIMIT: u64 = 1 << 50;

/// Terms of an inner product whose low and high parts each fit a word, with a start value.
const TERMS: usize = (1 << 12) - 1;

/// The constants of a modulus `q` of `k` bits, `2^(k-1) < q <= 2^k`.
#[derive(Clone, Copy)]
struct Ifma {
    q: V,
    twice: V,
    /// `2^52 - q`.
    negative: V,
    /// `2^52 - 1`.
    mask: V,
    /// `floor(2^(k+51) / q)`, below `2^52`.
    mu: V,
    /// `52 - k`.
    shift: __m128i,
}

impl Ifma {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")]
    fn new(q: Modulus) -> Self {
        let k = q.bits();
        let mu = (1u128 << (k + 51)) / u128::from(q.value());
        Self {
            q: splat(q.value()),
            twice: splat(2 * q.value()),
            negative: splat((1 << 52) - q.value()),
            mask: splat((1 << 52) - 1),
            mu: splat(mu as u64),
            shift: _mm_cvtsi32_si128(52 - k as i32),
        }
    }

    /// `x y mod q` in `[0, 2.5q)`.
    ///
    /// With `h = floor(x y / 2^(k-1)) < 2^(k+1)`, the quotient estimate `floor(h mu / 2^52)` is
    /// short by less than 1 (from `h`) + 1/2 (from `mu`) + 1.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")]
    fn product(self, x: V, y: V) -> V {
        let zero = _mm512_setzero_si512();
        let (shifted, doubled) = (_mm512_sll_epi64(x, self.shift), _mm512_add_epi64(y, y));
        let h = _mm512_madd52hi_epu64(zero, shifted, doubled);
        let quotient = _mm512_madd52hi_epu64(zero, h, self.mu);
        self.remainder(x, y, quotient)
    }

    /// `x w - quotient q`, known to be below `2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")]
    fn remainder(self, x: V, w: V, quotient: V) -> V {
        let product = _mm512_madd52lo_epu64(_mm512_setzero_si512(), x, w);
        let difference = _mm512_madd52lo_epu64(product, quotient, self.negative);
        _mm512_and_si512(difference, self.mask)
    }

    /// A fixed factor with its 52-bit Shoup constant.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")]
    fn fixed(q: Modulus, w: u64) -> (V, V) {
        (splat(w), splat(q.shoup(w) >> 12))
    }

    /// `x w mod q` in `[0, 2q)` for `x < 2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")]
    fn times(self, x: V, (w, shoup): (V, V)) -> V {
        self.remainder(x, w, _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, shoup))
    }

    /// From `[0, 4q)` to `[0, q)`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")]
    fn reduced(self, x: V) -> V {
        below(below(x, self.twice), self.q)
    }
}

multiplications!(Ifma, "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma");

/// `out = [out +] sum_k a[k] b[k]`: low and high 52-bit parts are summed apart and reduced once.
///
/// The slices of `a` and `b` are at least as long as `out` (checked by the caller).
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")]
pub(super) fn inner_product(
    q: Modulus,
    out: &mut [u64],
    a: &[&[u64]],
    b: &[&[u64]],
    mut keep: bool,
) {
    let sum = Sum::new(q);
    if a.is_empty() && !keep {
        out.fill(0);
    }
    for (a, b) in a.chunks(TERMS).zip(b.chunks(TERMS)) {
        // Four vectors at a time hide the latency and share the walk over the terms.
        let mut at = 0;
        while at + 32 <= out.len() {
            let zero = _mm512_setzero_si512();
            let (mut low, mut high) = ([zero; 4], [zero; 4]);
            if keep {
                for (i, low) in low.iter_mut().enumerate() {
                    *low = load(&out[at + 8 * i..at + 8 * i + 8]);
                }
            }
            for (x, y) in a.iter().zip(b) {
                let (x, y) = (&x[at..at + 32], &y[at..at + 32]);
                for i in 0..4 {
                    let (x, y) = (load(&x[8 * i..8 * i + 8]), load(&y[8 * i..8 * i + 8]));
                    low[i] = _mm512_madd52lo_epu64(low[i], x, y);
                    high[i] = _mm512_madd52hi_epu64(high[i], x, y);
                }
            }
            for i in 0..4 {
                store(&mut out[at + 8 * i..at + 8 * i + 8], sum.reduce(low[i], high[i]));
            }
            at += 32;
        }
        while at < out.len() {
            let end = out.len().min(at + 8);
            let mut high = _mm512_setzero_si512();
            let mut low = if keep { load(&out[at..end]) } else { high };
            for (x, y) in a.iter().zip(b) {
                let (x, y) = (load(&x[at..end]), load(&y[at..end]));
                low = _mm512_madd52lo_epu64(low, x, y);
                high = _mm512_madd52hi_epu64(high, x, y);
            }
            store(&mut out[at..end], sum.reduce(low, high));
            at = end;
        }
        keep = true;
    }
}

/// The final reduction of an inner product.
#[derive(Clone, Copy)]
struct Sum {
    m: Ifma,
    /// 1, `2^52` and `2^104` modulo `q`.
    powers: [(V, V); 3],
    four: V,
}

impl Sum {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")]
    fn new(q: Modulus) -> Self {
        let power = |bits: u32| Ifma::fixed(q, q.reduce_u128(1 << bits));
        Self {
            m: Ifma::new(q),
            powers: [power(0), power(52), power(104)],
            four: splat(4 * q.value()),
        }
    }

    /// `low + 2^52 high mod q` for `low < 2^64` and `high < 2^60 - 2^12`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")]
    fn reduce(self, low: V, high: V) -> V {
        // As three digits of 52 bits, each times its power in [0, 2q): the sum is below 6q < 2^53.
        let high = _mm512_add_epi64(high, _mm512_srli_epi64::<52>(low));
        let top = _mm512_srli_epi64::<52>(high);
        let [one, middle, large] = self.powers;
        let low = self.m.times(low, one);
        let sum = _mm512_add_epi64(self.m.times(high, middle), self.m.times(top, large));
        self.m.reduced(below(_mm512_add_epi64(low, sum), self.four))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::SimdLevel;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")]
    fn reduce_sum(q: Modulus, low: u64, high: u64) -> u64 {
        let mut out = [0; 8];
        store(&mut out, Sum::new(q).reduce(splat(low), splat(high)));
        out[0]
    }

    #[test]
    fn sums_of_all_sizes_are_reduced() {
        if !SimdLevel::Avx512Ifma.is_available() {
            return;
        }
        // The first modulus has Shoup constants far from their floors: sums above 4q are common.
        for q in [563_321_610_967_113, (1 << 49) + 1, LIMIT - 27, (1 << 40) + 15, 257, 3] {
            let q = Modulus::new(q).unwrap();
            let limit = (1u64 << 60) - (1 << 12);
            let mut state = 1u64;
            for _ in 0..20_000 {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(12_345);
                let (low, high) = (state ^ (state >> 33), state.rotate_left(17) % limit);
                // SAFETY: the level is available.
                let reduced = unsafe { reduce_sum(q, low, high) };
                let sum = u128::from(low) + (u128::from(high) << 52);
                assert_eq!(u128::from(reduced), sum % u128::from(q.value()), "{low} {high} {q}");
            }
        }
    }
}
