//! The product of `Z_q[x]/(x^n + 1)` by its definition: the reference for transforms, and the only
//! product for moduli without one.

use crate::error::{Result, RingError};
use crate::modulus::Modulus;

/// `a * b mod (x^n + 1, q)` in `n^2` word products, for any `n >= 1` and any `q`; `a` and `b` hold
/// `n` words in `[0, q)`, and so does the result.
///
/// # Errors
/// [`RingError::LengthMismatch`] when the lengths differ.
pub fn ring_mul_schoolbook(q: Modulus, a: &[u64], b: &[u64]) -> Result<Vec<u64>> {
    let n = a.len();
    if b.len() != n {
        return Err(RingError::LengthMismatch {
            what: "second factor of a ring product",
            found: b.len(),
            expected: n,
        });
    }
    let mut out = vec![0; n];
    for (i, &x) in a.iter().enumerate() {
        // x^i b: the low n - i coefficients move up, the others come back negated.
        let (stay, wrap) = b.split_at(n - i);
        for (o, &y) in out[i..].iter_mut().zip(stay) {
            *o = q.mul_add(x, y, *o);
        }
        for (o, &y) in out.iter_mut().zip(wrap) {
            *o = q.sub(*o, q.mul(x, y));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_product_and_refusal() {
        // (1 + 2x + 3x^2)(4 + 5x + 6x^2) = 4 + 13x + 28x^2 + 27x^3 + 18x^4, and x^3 = -1.
        let q = Modulus::new(1000).unwrap();
        let product = ring_mul_schoolbook(q, &[1, 2, 3], &[4, 5, 6]).unwrap();
        assert_eq!(product, [4 + 1000 - 27, 1000 + 13 - 18, 28]);
        let error = ring_mul_schoolbook(q, &[1, 2, 3], &[4, 5]).unwrap_err();
        assert!(matches!(error, RingError::LengthMismatch { found: 2, expected: 3, .. }));
    }
}
