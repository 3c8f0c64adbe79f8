//! The portable bodies compiled for wider vectors: best where memory, not arithmetic, is the bound.

use super::scalar;
use crate::modulus::Modulus;

/// The portable kernels compiled for `$features`.
macro_rules! compiled {
    ($features:literal: $($name:ident($out:ident $(, $slice:ident)*; $($word:ident)?);)*) => {
        $(
            #[target_feature(enable = $features)]
            pub(in crate::kernels) fn $name(
                q: Modulus,
                $out: &mut [u64],
                $($slice: &[u64],)*
                $($word: u64,)?
            ) {
                scalar::$name(q, $out $(, $slice)* $(, $word)?);
            }
        )*
    };
}

/// 256-bit vectors.
pub(super) mod avx2 {
    use super::*;
    compiled!("avx2":
        add(out, a, b;);
        add_assign(acc, b;);
        sub(out, a, b;);
        sub_assign(acc, b;);
        neg(out, a;);
        neg_assign(acc;);
        mul(out, a, b;);
        mul_assign(acc, b;);
        mul_add_assign(acc, a, b;);
        scale(out, a; w);
        scale_assign(acc; w);
        scale_add_assign(acc, a; w);
        sub_scale_assign(acc, b; w);
        reduce(out, a;);
    );
}

/// 512-bit vectors.
pub(super) mod avx512 {
    use super::*;
    compiled!("avx512f,avx512dq,avx512vl,avx512bw":
        add(out, a, b;);
        add_assign(acc, b;);
        sub(out, a, b;);
        sub_assign(acc, b;);
        neg(out, a;);
        neg_assign(acc;);
    );
}
