//! Element-wise arithmetic on one limb: a slice of residues modulo one word-sized `q`.
//!
//! Every function takes the SIMD level first and returns the same integers at each. Inputs are in
//! `[0, q)` unless a function says otherwise; outputs always are. Slices have equal lengths
//! (checked in debug builds; in release builds the common prefix is processed and the rest of the
//! output is left as it was). A level that this machine has not runs as `Scalar`. Times depend on
//! the lengths, `q` and the level only.
//!
//! | level | sums (`auto`) | products and reductions |
//! |---|---|---|
//! | `Scalar` | `scalar`, the specification | `scalar`: Barrett, Shoup |
//! | `Avx2` | `scalar` compiled for AVX2 | likewise: 32-bit multipliers do not pay |
//! | `Avx512` | `scalar` compiled for AVX-512 | `avx512`: 64-bit Barrett, Shoup |
//! | `Avx512Ifma` | as `Avx512` | `ifma` for `q < 2^50`: 52-bit Barrett, Shoup; else as `Avx512` |
//!
//! Inner products of moduli of 50 bits and more sum double words in scalar code at every level.

#[cfg(target_arch = "x86_64")]
mod auto;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod ifma;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod scalar;

use crate::modulus::Modulus;
use crate::simd::SimdLevel;

/// The code that a level and a modulus lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Ifma,
}

impl Code {
    /// Names only instructions that this machine has, whatever the level says.
    fn of(level: SimdLevel, q: Modulus) -> Self {
        #[cfg(target_arch = "x86_64")]
        if level.is_available() {
            return match level {
                SimdLevel::Scalar => Self::Scalar,
                SimdLevel::Avx2 => Self::Avx2,
                SimdLevel::Avx512Ifma if q.value() < ifma::LIMIT => Self::Ifma,
                SimdLevel::Avx512 | SimdLevel::Avx512Ifma => Self::Avx512,
            };
        }
        let _ = (level, q);
        Self::Scalar
    }
}

/// Defines a public kernel: the checks on lengths, then the body of the level. After the
/// arrow are the bodies of `Avx2`, `Avx512` and `Ifma`.
macro_rules! kernel {
    (
        $(#[$doc:meta])*
        $name:ident($out:ident $(, $slice:ident)*; $($word:ident)?)
        => [$avx2:path, $avx512:path, $ifma:path]
    ) => {
        $(#[$doc])*
        pub fn $name(
            level: SimdLevel,
            q: Modulus,
            $out: &mut [u64],
            $($slice: &[u64],)*
            $($word: u64,)?
        ) {
            $(debug_assert_eq!($out.len(), $slice.len(), "lengths of the operands");)*
            $(debug_assert!($word < q.value(), "the factor is reduced");)?
            match Code::of(level, q) {
                // SAFETY: `Code::of` names only instructions that this machine has.
                #[cfg(target_arch = "x86_64")]
                Code::Ifma => unsafe { $ifma(q, $out $(, $slice)* $(, $word)?) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Code::Avx512 => unsafe { $avx512(q, $out $(, $slice)* $(, $word)?) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Code::Avx2 => unsafe { $avx2(q, $out $(, $slice)* $(, $word)?) },
                Code::Scalar => scalar::$name(q, $out $(, $slice)* $(, $word)?),
            }
        }
    };
}

kernel!(
    /// `out = a + b`.
    add(out, a, b;)
    => [auto::avx2::add, auto::avx512::add, auto::avx512::add]
);
kernel!(
    /// `acc = acc + b`.
    add_assign(acc, b;)
    => [auto::avx2::add_assign, auto::avx512::add_assign, auto::avx512::add_assign]
);
kernel!(
    /// `out = a - b`.
    sub(out, a, b;)
    => [auto::avx2::sub, auto::avx512::sub, auto::avx512::sub]
);
kernel!(
    /// `acc = acc - b`.
    sub_assign(acc, b;)
    => [auto::avx2::sub_assign, auto::avx512::sub_assign, auto::avx512::sub_assign]
);
kernel!(
    /// `out = -a`.
    neg(out, a;)
    => [auto::avx2::neg, auto::avx512::neg, auto::avx512::neg]
);
kernel!(
    /// `acc = -acc`.
    neg_assign(acc;)
    => [auto::avx2::neg_assign, auto::avx512::neg_assign, auto::avx512::neg_assign]
);
kernel!(
    /// `out = a * b`.
    mul(out, a, b;)
    => [auto::avx2::mul, avx512::mul, ifma::mul]
);
kernel!(
    /// `acc = acc * b`.
    mul_assign(acc, b;)
    => [auto::avx2::mul_assign, avx512::mul_assign, ifma::mul_assign]
);
kernel!(
    /// `acc = acc + a * b`.
    mul_add_assign(acc, a, b;)
    => [auto::avx2::mul_add_assign, avx512::mul_add_assign, ifma::mul_add_assign]
);
kernel!(
    /// `out = a * w` for a fixed factor `w`.
    scale(out, a; w)
    => [auto::avx2::scale, avx512::scale, ifma::scale]
);
kernel!(
    /// `acc = acc * w` for a fixed factor `w`.
    scale_assign(acc; w)
    => [auto::avx2::scale_assign, avx512::scale_assign, ifma::scale_assign]
);
kernel!(
    /// `acc = acc + a * w` for a fixed factor `w`.
    scale_add_assign(acc, a; w)
    => [auto::avx2::scale_add_assign, avx512::scale_add_assign, ifma::scale_add_assign]
);
kernel!(
    /// `acc = (acc - b) * w` for a fixed factor `w`: the last step of a division by a modulus.
    sub_scale_assign(acc, b; w)
    => [auto::avx2::sub_scale_assign, avx512::sub_scale_assign, ifma::sub_scale_assign]
);
kernel!(
    /// `out = a mod q` for any words `a`, such as residues of another modulus.
    reduce(out, a;)
    => [auto::avx2::reduce, avx512::reduce, avx512::reduce]
);

/// `out = sum_k a[k] * b[k]`, reduced once at the end where the sums fit; 0 for no terms.
///
/// `a` and `b` hold equally many slices, each as long as `out`.
pub fn inner_product(level: SimdLevel, q: Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) {
    let out = common(out, a, b);
    inner(level, q, out, a, b, false);
}

/// `acc = acc + sum_k a[k] * b[k]`; shapes as in [`inner_product`].
pub fn inner_product_add(
    level: SimdLevel,
    q: Modulus,
    acc: &mut [u64],
    a: &[&[u64]],
    b: &[&[u64]],
) {
    let acc = common(acc, a, b);
    inner(level, q, acc, a, b, true);
}

fn inner(level: SimdLevel, q: Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]], keep: bool) {
    match Code::of(level, q) {
        // SAFETY: `Code::of` names only instructions that this machine has.
        #[cfg(target_arch = "x86_64")]
        Code::Ifma => unsafe { ifma::inner_product(q, out, a, b, keep) },
        _ => scalar::inner_product(q, out, a, b, keep),
    }
}

/// The part of `out` that every term of an inner product covers.
fn common<'a>(out: &'a mut [u64], a: &[&[u64]], b: &[&[u64]]) -> &'a mut [u64] {
    debug_assert_eq!(a.len(), b.len(), "terms of an inner product");
    debug_assert!(a.iter().chain(b).all(|x| x.len() == out.len()), "lengths of the terms");
    let terms = a.len().min(b.len());
    let shortest = a[..terms].iter().chain(&b[..terms]).map(|x| x.len()).min();
    let length = shortest.map_or(out.len(), |length| length.min(out.len()));
    &mut out[..length]
}

#[cfg(test)]
mod tests;
