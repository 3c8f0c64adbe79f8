//! Multiplications on eight 64-bit lanes, for `q < 2^61`; 64-bit products made of 32-bit ones.

use super::lanes::*;
use crate::modulus::Modulus;
use std::arch::x86_64::*;

/// The constants of a modulus `q` of `k` bits, `2^(k-1) < q <= 2^k`.
#[derive(Clone, Copy)]
struct Wide {
    q: V,
    twice: V,
    /// `floor(2^(k+63) / q)`, below `2^64`.
    mu: V,
    /// `65 - k` and `k - 1`.
    shifts: (__m128i, __m128i),
}

impl Wide {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    fn new(q: Modulus) -> Self {
        let k = q.bits();
        let mu = (1u128 << (k + 63)) / u128::from(q.value());
        Self {
            q: splat(q.value()),
            twice: splat(2 * q.value()),
            mu: splat(mu as u64),
            shifts: (_mm_cvtsi32_si128(65 - k as i32), _mm_cvtsi32_si128(k as i32 - 1)),
        }
    }

    /// `x y mod q` in `[0, 2.25q)`.
    ///
    /// With `h = floor(x y / 2^(k-1)) < 2^(k+1)`, the quotient estimate `floor(h mu / 2^64)` is
    /// short by less than 1 (from `h`) + 1/4 (from `mu`) + 1.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    fn product(self, x: V, y: V) -> V {
        let (high, low) = (high_product(x, y), _mm512_mullo_epi64(x, y));
        let h = _mm512_or_si512(
            _mm512_sll_epi64(high, self.shifts.0),
            _mm512_srl_epi64(low, self.shifts.1),
        );
        let quotient = high_product(h, self.mu);
        _mm512_sub_epi64(low, _mm512_mullo_epi64(quotient, self.q))
    }

    /// A fixed factor with its Shoup constant.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    fn fixed(q: Modulus, w: u64) -> (V, V) {
        (splat(w), splat(q.shoup(w)))
    }

    /// `x w mod q` in `[0, 2q)` for any words `x`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    fn times(self, x: V, (w, shoup): (V, V)) -> V {
        let quotient = high_product(x, shoup);
        _mm512_sub_epi64(_mm512_mullo_epi64(x, w), _mm512_mullo_epi64(quotient, self.q))
    }

    /// From `[0, 4q)` to `[0, q)`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
    fn reduced(self, x: V) -> V {
        below(below(x, self.twice), self.q)
    }
}

multiplications!(Wide, "avx512f,avx512dq,avx512vl,avx512bw");

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
pub(super) fn reduce(q: Modulus, out: &mut [u64], a: &[u64]) {
    let (m, barrett) = (Wide::new(q), splat(q.barrett().0));
    map!(out, a; {
        // As Modulus::reduce: the remainder is in [0, 3q).
        let quotient = high_product(a, barrett);
        m.reduced(_mm512_sub_epi64(a, _mm512_mullo_epi64(quotient, m.q)))
    });
}
