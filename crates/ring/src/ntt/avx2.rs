//! Four lanes of 64 bits: AVX2, with 64-bit products made of 32-bit ones, for `q < 2^61`.

use super::NttTable;
use super::vector::{
    Lanes, TAIL, VectorTables, pass_forward, pass_inverse, pass_layers, tails_forward,
    tails_inverse, transform,
};
use crate::modulus::Modulus;
use std::arch::x86_64::*;

/// The constants of a modulus.
#[derive(Clone, Copy)]
pub(super) struct Avx2 {
    q: __m256i,
    twice: __m256i,
    /// The high words of `q`.
    q_high: __m256i,
}

/// `x` where the sign of `x - m` is set, else `x - m`: a minimum for words below `2^63`.
#[inline(always)]
unsafe fn below(x: __m256i, m: __m256i) -> __m256i {
    // SAFETY: as the caller.
    unsafe {
        let difference = _mm256_sub_epi64(x, m);
        let (d, x) = (_mm256_castsi256_pd(difference), _mm256_castsi256_pd(x));
        _mm256_castpd_si256(_mm256_blendv_pd(d, x, d))
    }
}

/// The low word of `x * y`, given the high halves.
#[inline(always)]
unsafe fn low_product(x: __m256i, xh: __m256i, y: __m256i, yh: __m256i) -> __m256i {
    // SAFETY: as the caller.
    unsafe {
        let cross = _mm256_add_epi64(_mm256_mul_epu32(xh, y), _mm256_mul_epu32(x, yh));
        _mm256_add_epi64(_mm256_mul_epu32(x, y), _mm256_slli_epi64::<32>(cross))
    }
}

impl Lanes for Avx2 {
    type V = __m256i;
    const LANES: usize = 4;
    const SHOUP_SHIFT: u32 = 0;

    #[inline(always)]
    unsafe fn new(q: Modulus) -> Self {
        // SAFETY: as the caller.
        unsafe {
            Self {
                q: Self::splat(q.value()),
                twice: Self::splat(2 * q.value()),
                q_high: Self::splat(q.value() >> 32),
            }
        }
    }
    #[inline(always)]
    unsafe fn load(p: *const u64) -> __m256i {
        // SAFETY: as the caller.
        unsafe { _mm256_loadu_si256(p.cast()) }
    }
    #[inline(always)]
    unsafe fn store(p: *mut u64, x: __m256i) {
        // SAFETY: as the caller.
        unsafe { _mm256_storeu_si256(p.cast(), x) }
    }
    #[inline(always)]
    unsafe fn splat(x: u64) -> __m256i {
        // SAFETY: as the caller.
        unsafe { _mm256_set1_epi64x(x as i64) }
    }
    #[inline(always)]
    unsafe fn add(self, x: __m256i, y: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe { _mm256_add_epi64(x, y) }
    }
    #[inline(always)]
    unsafe fn sub_lifted(self, x: __m256i, y: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe { _mm256_sub_epi64(_mm256_add_epi64(x, self.twice), y) }
    }
    #[inline(always)]
    unsafe fn fold_twice(self, x: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe { below(x, self.twice) }
    }
    #[inline(always)]
    unsafe fn sub(self, x: __m256i, y: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe { _mm256_sub_epi64(x, y) }
    }
    #[inline(always)]
    unsafe fn fold_signed(self, x: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe {
            let lifted = _mm256_castsi256_pd(_mm256_add_epi64(x, self.twice));
            let x = _mm256_castsi256_pd(x);
            _mm256_castpd_si256(_mm256_blendv_pd(x, lifted, x))
        }
    }
    #[inline(always)]
    unsafe fn mul(self, x: __m256i, w: __m256i, shoup: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe { self.mul_raw(x, w, shoup) }
    }
    #[inline(always)]
    unsafe fn settle(self, x: __m256i) -> __m256i {
        x
    }
    #[inline(always)]
    unsafe fn fold_once(self, x: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe { below(x, self.q) }
    }
    #[inline(always)]
    unsafe fn mul_raw(self, x: __m256i, w: __m256i, shoup: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe {
            let mask = _mm256_set1_epi64x(0xffff_ffff);
            let (xh, sh) = (_mm256_srli_epi64::<32>(x), _mm256_srli_epi64::<32>(shoup));
            let ll = _mm256_mul_epu32(x, shoup);
            let hl = _mm256_mul_epu32(xh, shoup);
            let lh = _mm256_mul_epu32(x, sh);
            let hh = _mm256_mul_epu32(xh, sh);
            let t = _mm256_add_epi64(hl, _mm256_srli_epi64::<32>(ll));
            let u = _mm256_add_epi64(lh, _mm256_and_si256(t, mask));
            let high = _mm256_add_epi64(hh, _mm256_srli_epi64::<32>(t));
            let quotient = _mm256_add_epi64(high, _mm256_srli_epi64::<32>(u));
            _mm256_sub_epi64(
                low_product(x, xh, w, _mm256_srli_epi64::<32>(w)),
                low_product(quotient, _mm256_srli_epi64::<32>(quotient), self.q, self.q_high),
            )
        }
    }
    #[inline(always)]
    unsafe fn transpose(v: &mut [__m256i; TAIL]) {
        // SAFETY: as the caller.
        unsafe {
            for top in [0, 4] {
                let low = _mm256_unpacklo_epi64(v[top], v[top + 1]);
                let high = _mm256_unpackhi_epi64(v[top], v[top + 1]);
                let low2 = _mm256_unpacklo_epi64(v[top + 2], v[top + 3]);
                let high2 = _mm256_unpackhi_epi64(v[top + 2], v[top + 3]);
                v[top] = _mm256_permute2x128_si256::<0x20>(low, low2);
                v[top + 1] = _mm256_permute2x128_si256::<0x20>(high, high2);
                v[top + 2] = _mm256_permute2x128_si256::<0x31>(low, low2);
                v[top + 3] = _mm256_permute2x128_si256::<0x31>(high, high2);
            }
        }
    }
}

transform!(Avx2, "avx2");
