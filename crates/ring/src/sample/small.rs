//! Residues of small signed coefficients, in constant time.
//!
//! Both loops are plain arithmetic that the compiler turns into vectors. A formula with a choice in
//! it, scalar, is compiled to a branch where the compiler thinks that faster, and then its time
//! tells of the signs: `benches/timing_leak.rs` watches.

use crate::error::{Result, RingError};
use crate::modulus::Modulus;

/// `out[i] = small[i] mod q` in `[0, q)`, for any values; the time depends on the length and on
/// `q` alone.
///
/// # Errors
/// [`RingError::LengthMismatch`] when the lengths differ.
pub fn to_residues(modulus: Modulus, small: &[i32], out: &mut [u64]) -> Result<()> {
    if small.len() != out.len() {
        return Err(RingError::LengthMismatch {
            what: "residues of a small polynomial",
            found: out.len(),
            expected: small.len(),
        });
    }
    let q = modulus.value();
    if q > 1 << 31 {
        // |x| < q for every 32-bit x: one conditional addition, by a mask.
        for (residue, &x) in out.iter_mut().zip(small) {
            let x = i64::from(x);
            *residue = (x as u64).wrapping_add(q & (x >> 63) as u64);
        }
    } else {
        // y = x + 2^31 in [0, 2^32); y - floor(y reciprocal / 2^32) q is in [0, 2q), because
        // the quotient is short by at most 1; then 2^31 is taken off again, modulo q.
        let reciprocal = (1u64 << 32) / q;
        let correction = q - (1 << 31) % q;
        for (residue, &x) in out.iter_mut().zip(small) {
            let y = u64::from(x as u32 ^ (1 << 31));
            let remainder = y - ((y * reciprocal) >> 32) * q;
            *residue = reduce_once(reduce_once(remainder + correction, q), q);
        }
    }
    Ok(())
}

/// `x` less `q` unless that is negative, for `x < 2^63`.
#[inline(always)]
fn reduce_once(x: u64, q: u64) -> u64 {
    let difference = x.wrapping_sub(q);
    difference.wrapping_add(q & ((difference as i64) >> 63) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn extremes_at_moduli_around_the_shortcut() {
        let small = [i32::MIN, i32::MIN + 1, -2, -1, 0, 1, 2, i32::MAX];
        let mut out = [0; 8];
        for q in [2, 3, 43, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, 1 << 32, (1 << 61) - 1] {
            to_residues(Modulus::new(q).unwrap(), &small, &mut out).unwrap();
            for (x, residue) in small.into_iter().zip(out) {
                assert_eq!(i128::from(residue), i128::from(x).rem_euclid(q.into()), "{x} mod {q}");
            }
        }
    }

    #[test]
    fn lengths_must_agree() {
        let error = to_residues(Modulus::new(17).unwrap(), &[1, 2], &mut [0; 3]).unwrap_err();
        assert!(matches!(error, RingError::LengthMismatch { found: 3, expected: 2, .. }));
    }

    proptest! {
        #[test]
        fn equals_the_remainder(
            q in prop_oneof![2u64..1 << 12, 2u64..1 << 33, 2u64..1 << 61],
            small in proptest::collection::vec(any::<i32>(), 0..40),
        ) {
            let mut out = vec![0; small.len()];
            to_residues(Modulus::new(q).unwrap(), &small, &mut out).unwrap();
            for (x, residue) in small.into_iter().zip(out) {
                prop_assert_eq!(i128::from(residue), i128::from(x).rem_euclid(q.into()));
            }
        }
    }
}
