//! Eight words at a time: loads, stores, loops and corrections shared by the 512-bit kernels.

use std::arch::x86_64::*;

/// A vector of words.
pub(super) type V = __m512i;

/// The first eight words of `x`, or all of them and zeros when it is shorter.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
pub(super) fn load(x: &[u64]) -> V {
    // SAFETY: the mask has a bit only for words that the slice has.
    unsafe {
        if x.len() >= 8 {
            _mm512_loadu_si512(x.as_ptr().cast())
        } else {
            _mm512_maskz_loadu_epi64((1 << x.len()) - 1, x.as_ptr().cast())
        }
    }
}

/// Writes `v` to the first eight words of `x`, or to all of them when it is shorter.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
pub(super) fn store(x: &mut [u64], v: V) {
    // SAFETY: the mask has a bit only for words that the slice has.
    unsafe {
        if x.len() >= 8 {
            _mm512_storeu_si512(x.as_mut_ptr().cast(), v);
        } else {
            _mm512_mask_storeu_epi64(x.as_mut_ptr().cast(), (1 << x.len()) - 1, v);
        }
    }
}

/// A word in all lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
pub(super) fn splat(x: u64) -> V {
    _mm512_set1_epi64(x as i64)
}

/// From `[0, 2m)` to `[0, m)`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
pub(super) fn below(x: V, m: V) -> V {
    _mm512_min_epu64(x, _mm512_sub_epi64(x, m))
}

/// The high word of `x y`, from four 32-bit products.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
pub(super) fn high_product(x: V, y: V) -> V {
    let mask = splat(0xffff_ffff);
    let (xh, yh) = (_mm512_srli_epi64::<32>(x), _mm512_srli_epi64::<32>(y));
    let ll = _mm512_mul_epu32(x, y);
    let hl = _mm512_mul_epu32(xh, y);
    let lh = _mm512_mul_epu32(x, yh);
    let hh = _mm512_mul_epu32(xh, yh);
    let t = _mm512_add_epi64(hl, _mm512_srli_epi64::<32>(ll));
    let u = _mm512_add_epi64(lh, _mm512_and_si512(t, mask));
    let high = _mm512_add_epi64(hh, _mm512_srli_epi64::<32>(t));
    _mm512_add_epi64(high, _mm512_srli_epi64::<32>(u))
}

/// `$out[i] = $body` for each eight words, with each slice's words at `i` under its own name, over
/// the common length. The output's old words are read only where it is named after `;`.
macro_rules! map {
    ($out:ident, $($slice:ident),*; $body:expr) => {{
        let mut at = 0;
        let length = $out.len()$(.min($slice.len()))*;
        while at < length {
            let end = length.min(at + 8);
            let v = {
                $(let $slice = load(&$slice[at..end]);)*
                $body
            };
            store(&mut $out[at..end], v);
            at = end;
        }
    }};
    ($out:ident = $old:ident $(, $slice:ident)*; $body:expr) => {{
        let mut at = 0;
        let length = $out.len()$(.min($slice.len()))*;
        while at < length {
            let end = length.min(at + 8);
            let v = {
                let $old = load(&$out[at..end]);
                $(let $slice = load(&$slice[at..end]);)*
                $body
            };
            store(&mut $out[at..end], v);
            at = end;
        }
    }};
}
pub(super) use map;

/// The multiplicative kernels of a type with the methods `new`, `product` (in `[0, 2.5q)`), `fixed`
/// and `times` (in `[0, 2q)`), compiled for `$features`.
macro_rules! multiplications {
    ($arithmetic:ty, $features:literal) => {
        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn mul(q: Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
            let m = <$arithmetic>::new(q);
            map!(out, a, b; m.reduced(m.product(a, b)));
        }

        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn mul_assign(q: Modulus, acc: &mut [u64], b: &[u64]) {
            let m = <$arithmetic>::new(q);
            map!(acc = x, b; m.reduced(m.product(x, b)));
        }

        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn mul_add_assign(
            q: Modulus,
            acc: &mut [u64],
            a: &[u64],
            b: &[u64],
        ) {
            let m = <$arithmetic>::new(q);
            map!(acc = x, a, b; m.reduced(_mm512_add_epi64(x, m.product(a, b))));
        }

        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn scale(q: Modulus, out: &mut [u64], a: &[u64], w: u64) {
            let (m, w) = (<$arithmetic>::new(q), <$arithmetic>::fixed(q, w));
            map!(out, a; below(m.times(a, w), m.q));
        }

        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn scale_assign(q: Modulus, acc: &mut [u64], w: u64) {
            let (m, w) = (<$arithmetic>::new(q), <$arithmetic>::fixed(q, w));
            map!(acc = x; below(m.times(x, w), m.q));
        }

        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn scale_add_assign(
            q: Modulus,
            acc: &mut [u64],
            a: &[u64],
            w: u64,
        ) {
            let (m, w) = (<$arithmetic>::new(q), <$arithmetic>::fixed(q, w));
            map!(acc = x, a; m.reduced(_mm512_add_epi64(x, m.times(a, w))));
        }

        #[target_feature(enable = $features)]
        pub(in crate::kernels) fn sub_scale_assign(
            q: Modulus,
            acc: &mut [u64],
            b: &[u64],
            w: u64,
        ) {
            let (m, w) = (<$arithmetic>::new(q), <$arithmetic>::fixed(q, w));
            map!(acc = x, b; {
                let difference = _mm512_sub_epi64(_mm512_add_epi64(x, m.q), b);
                below(m.times(difference, w), m.q)
            });
        }
    };
}
pub(super) use multiplications;
