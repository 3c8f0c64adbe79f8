//! Small factors that bring two plaintext factors together.

use cyclotron_ring::Modulus;

/// Units `(f, g)` modulo `t` with `f * left = g * right`, as small (centred) as Euclid's
/// algorithm finds: both near the square root of `t`, when `t` is prime.
///
/// `left` and `right` are units; residues are returned.
#[must_use]
pub fn balance(t: Modulus, left: u64, right: u64) -> (u64, u64) {
    let Ok(inverse) = t.inv(right) else { return (1, 1) };
    // g = f * ratio. Euclid on (t, ratio) keeps remainder = s * ratio.
    let ratio = t.mul(left, inverse);
    let (mut r0, mut r1) = (i128::from(t.value()), i128::from(ratio));
    let (mut s0, mut s1) = (0i128, 1i128);
    let cost = |f: i128, g: i128| f.abs() + g.abs();
    let mut best = (1i128, i128::from(t.to_centred(ratio)));
    while r1 != 0 {
        let f = t.from_signed_wide(s1);
        if cost(s1, r1) < cost(best.0, best.1) && t.inv(f).is_ok() {
            best = (s1, r1);
        }
        let quotient = r0 / r1;
        (r0, r1) = (r1, r0 - quotient * r1);
        (s0, s1) = (s1, s0 - quotient * s1);
    }
    (t.from_signed_wide(best.0), t.from_signed_wide(best.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_factors_need_nothing() {
        assert_eq!(balance(Modulus::new(65_537).unwrap(), 77, 77), (1, 1));
    }

    proptest! {
        #[test]
        fn factors_meet_and_are_small(left in 1u64..65_537, right in 1u64..65_537) {
            let t = Modulus::new(65_537).unwrap();
            let (f, g) = balance(t, left, right);
            prop_assert_eq!(t.mul(f, left), t.mul(g, right));
            prop_assert!(f != 0 && g != 0);
            let size = t.to_centred(f).unsigned_abs() + t.to_centred(g).unsigned_abs();
            prop_assert!(size <= 2 * 257, "{} + {}", f, g);
        }

        #[test]
        fn factors_are_units_modulo_a_power_of_two(left: u64, right: u64) {
            let t = Modulus::new(1 << 20).unwrap();
            let (left, right) = (t.reduce(left | 1), t.reduce(right | 1));
            let (f, g) = balance(t, left, right);
            prop_assert_eq!(t.mul(f, left), t.mul(g, right));
            prop_assert!(f % 2 == 1 && g % 2 == 1);
        }
    }
}
