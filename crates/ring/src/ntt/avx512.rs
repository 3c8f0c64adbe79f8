//! Eight lanes of 64 bits: AVX-512 F and DQ, and the 52-bit products of IFMA.

use super::NttTable;
use super::vector::{Lanes, TAIL};
use crate::modulus::Modulus;
use std::arch::x86_64::*;

/// Transposes an 8 x 8 square.
#[inline(always)]
unsafe fn transpose(v: &mut [__m512i; 8]) {
    // SAFETY: as the caller.
    unsafe {
        let mut pairs = *v;
        for i in 0..4 {
            pairs[2 * i] = _mm512_unpacklo_epi64(v[2 * i], v[2 * i + 1]);
            pairs[2 * i + 1] = _mm512_unpackhi_epi64(v[2 * i], v[2 * i + 1]);
        }
        // Then a 4 x 4 square of pairs, once for even and once for odd columns.
        for i in 0..2 {
            let low = _mm512_shuffle_i64x2::<0x44>(pairs[i], pairs[i + 2]);
            let high = _mm512_shuffle_i64x2::<0xee>(pairs[i], pairs[i + 2]);
            let low2 = _mm512_shuffle_i64x2::<0x44>(pairs[i + 4], pairs[i + 6]);
            let high2 = _mm512_shuffle_i64x2::<0xee>(pairs[i + 4], pairs[i + 6]);
            v[i] = _mm512_shuffle_i64x2::<0x88>(low, low2);
            v[i + 2] = _mm512_shuffle_i64x2::<0xdd>(low, low2);
            v[i + 4] = _mm512_shuffle_i64x2::<0x88>(high, high2);
            v[i + 6] = _mm512_shuffle_i64x2::<0xdd>(high, high2);
        }
    }
}

/// The methods that do not depend on the multiplier.
macro_rules! common_lanes {
    () => {
        type V = __m512i;
        const LANES: usize = 8;

        #[inline(always)]
        unsafe fn load(p: *const u64) -> __m512i {
            // SAFETY: as the caller.
            unsafe { _mm512_loadu_si512(p.cast()) }
        }
        #[inline(always)]
        unsafe fn store(p: *mut u64, x: __m512i) {
            // SAFETY: as the caller.
            unsafe { _mm512_storeu_si512(p.cast(), x) }
        }
        #[inline(always)]
        unsafe fn splat(x: u64) -> __m512i {
            // SAFETY: as the caller.
            unsafe { _mm512_set1_epi64(x as i64) }
        }
        #[inline(always)]
        unsafe fn add(self, x: __m512i, y: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe { _mm512_add_epi64(x, y) }
        }
        #[inline(always)]
        unsafe fn sub_lifted(self, x: __m512i, y: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe { _mm512_sub_epi64(_mm512_add_epi64(x, self.twice), y) }
        }
        #[inline(always)]
        unsafe fn fold_twice(self, x: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe { _mm512_min_epu64(x, _mm512_sub_epi64(x, self.twice)) }
        }
        #[inline(always)]
        unsafe fn sub(self, x: __m512i, y: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe { _mm512_sub_epi64(x, y) }
        }
        #[inline(always)]
        unsafe fn fold_signed(self, x: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe { _mm512_min_epu64(x, _mm512_add_epi64(x, self.twice)) }
        }
        #[inline(always)]
        unsafe fn mul(self, x: __m512i, w: __m512i, shoup: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe { self.settle(self.mul_raw(x, w, shoup)) }
        }
        #[inline(always)]
        unsafe fn fold_once(self, x: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe { _mm512_min_epu64(x, _mm512_sub_epi64(x, self.q)) }
        }
        #[inline(always)]
        unsafe fn transpose(v: &mut [__m512i; TAIL]) {
            // SAFETY: as the caller.
            unsafe { transpose(v) }
        }
    };
}

/// 64-bit Shoup multiplication for `q < 2^61`.
pub(super) mod wide {
    use super::super::vector::{
        VectorTables, pass_forward, pass_inverse, pass_layers, tails_forward, tails_inverse,
        transform,
    };
    use super::*;

    /// The constants of a modulus.
    #[derive(Clone, Copy)]
    pub(in crate::ntt) struct Wide {
        q: __m512i,
        twice: __m512i,
    }

    impl Lanes for Wide {
        common_lanes!();
        const SHOUP_SHIFT: u32 = 0;

        #[inline(always)]
        unsafe fn new(q: Modulus) -> Self {
            // SAFETY: as the caller.
            unsafe { Self { q: Self::splat(q.value()), twice: Self::splat(2 * q.value()) } }
        }

        #[inline(always)]
        unsafe fn mul_raw(self, x: __m512i, w: __m512i, shoup: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe {
                // The high word of x * shoup from four 32-bit products.
                let mask = _mm512_set1_epi64(0xffff_ffff);
                let (xh, sh) = (_mm512_srli_epi64::<32>(x), _mm512_srli_epi64::<32>(shoup));
                let ll = _mm512_mul_epu32(x, shoup);
                let hl = _mm512_mul_epu32(xh, shoup);
                let lh = _mm512_mul_epu32(x, sh);
                let hh = _mm512_mul_epu32(xh, sh);
                let t = _mm512_add_epi64(hl, _mm512_srli_epi64::<32>(ll));
                let u = _mm512_add_epi64(lh, _mm512_and_si512(t, mask));
                let high = _mm512_add_epi64(hh, _mm512_srli_epi64::<32>(t));
                let quotient = _mm512_add_epi64(high, _mm512_srli_epi64::<32>(u));
                _mm512_sub_epi64(_mm512_mullo_epi64(x, w), _mm512_mullo_epi64(quotient, self.q))
            }
        }

        #[inline(always)]
        unsafe fn settle(self, x: __m512i) -> __m512i {
            x
        }
    }

    transform!(Wide, "avx512f,avx512dq,avx512vl,avx512bw");
}

/// 52-bit Shoup multiplication for `q < 2^50`.
pub(super) mod ifma {
    use super::super::vector::{
        VectorTables, pass_forward, pass_inverse, pass_layers, tails_forward, tails_inverse,
        transform,
    };
    use super::*;

    /// The constants of a modulus.
    #[derive(Clone, Copy)]
    pub(in crate::ntt) struct Ifma {
        q: __m512i,
        twice: __m512i,
        /// `2^52 - q`.
        negative: __m512i,
    }

    impl Lanes for Ifma {
        common_lanes!();
        const SHOUP_SHIFT: u32 = 12;

        #[inline(always)]
        unsafe fn new(q: Modulus) -> Self {
            // SAFETY: as the caller.
            unsafe {
                Self {
                    q: Self::splat(q.value()),
                    twice: Self::splat(2 * q.value()),
                    negative: Self::splat((1 << 52) - q.value()),
                }
            }
        }

        #[inline(always)]
        unsafe fn mul_raw(self, x: __m512i, w: __m512i, shoup: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe {
                let zero = _mm512_setzero_si512();
                let quotient = _mm512_madd52hi_epu64(zero, x, shoup);
                let product = _mm512_madd52lo_epu64(zero, x, w);
                // x w - quotient q is below 2q < 2^52, so that its low 52 bits are all of it.
                _mm512_madd52lo_epu64(product, quotient, self.negative)
            }
        }

        #[inline(always)]
        unsafe fn settle(self, x: __m512i) -> __m512i {
            // SAFETY: as the caller.
            unsafe { _mm512_and_si512(x, _mm512_set1_epi64((1 << 52) - 1)) }
        }
    }

    transform!(Ifma, "avx512f,avx512dq,avx512vl,avx512bw,avx512ifma");
}
