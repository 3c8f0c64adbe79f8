//! Division by dropped moduli: rescaling, modulus switching and mod-down.
//!
//! For `x` modulo `Q P`, where `Q` is kept and `P` is dropped, the plan computes `(x - delta) / P`
//! modulo `Q` with a small `delta = x mod P`:
//!
//! * without a plaintext modulus `delta` is in `[-P/2, P/2)`, and the result is
//!   `floor(x / P + 1/2)`;
//! * with a plaintext modulus `t` (BGV) `delta = t [x t^-1]_P` for the representative in
//!   `[-P/2, P/2)`: `delta = 0 mod t` and `|delta| <= t P / 2`, so that the result is
//!   `x P^-1 mod t`, and decryption owes the plaintext a factor `P`.
//!
//! `delta` comes from a centred conversion; next to the tie it may be the other representative, as
//! [`super::Conversion::Centred`] says: then `delta` exceeds its bound by a factor of less than
//! `1 + k 2^-42`, for `k` dropped moduli.

use super::basis::{RnsBasis, require_coprime};
use super::combination::{Combination, Row, Stage};
use super::convert::inverse_fractions;
use crate::error::Result;
use crate::modulus::Modulus;
use crate::simd::SimdLevel;

/// A plan for `(x - delta) / P`; see the module.
#[derive(Debug, Clone)]
pub struct DivideRoundPlan {
    correction: Combination,
    quotient: Combination,
    inverse_factors: Vec<(u64, u64)>,
}

impl DivideRoundPlan {
    /// A plan that keeps the moduli of `keep` and divides by the product of `drop`: one modulus
    /// to rescale, several special primes after a key switch. With `plaintext` the division
    /// preserves residues modulo it up to the factor `P^-1`.
    ///
    /// # Errors
    /// [`crate::RingError::NotCoprime`] when the bases share a factor, or when `plaintext` shares
    /// one with a dropped modulus; the other errors of [`RnsBasis::join`].
    pub fn new(keep: &RnsBasis, drop: &RnsBasis, plaintext: Option<Modulus>) -> Result<Self> {
        keep.join(drop)?;
        let t = plaintext.map_or(1, Modulus::value);
        for p in drop.moduli() {
            require_coprime(t, p.value())?;
        }
        // y_i = [x_i t^-1 (P/p_i)^-1]_{p_i}, so that [x t^-1]_P = sum_i y_i (P/p_i) - v P.
        let factor = |(i, &p): (usize, &Modulus)| {
            let w = p.mul(drop.punctured_inverse(i).0, p.inv(p.reduce(t))?);
            Ok((w, p.shoup(w)))
        };
        let stage =
            Stage::Scaled(drop.moduli().iter().enumerate().map(factor).collect::<Result<_>>()?);
        let (mut correction, mut quotient) = (Vec::new(), Vec::new());
        let mut inverse_factors = Vec::new();
        for &q in keep.moduli() {
            let product = drop.product_mod(q);
            let inverse = q.inv(product)?;
            let t = q.reduce(t);
            let scaled: Vec<u64> =
                (0..drop.len()).map(|i| q.mul(t, drop.punctured_mod(i, q))).collect();
            let wrap = q.neg(q.mul(t, product));
            let delta: Vec<u64> = scaled.into_iter().chain([wrap]).collect();
            // (x - delta) P^-1, with the division folded into the coefficients.
            let divided = delta.iter().map(|&m| q.neg(q.mul(m, inverse))).collect();
            correction.push(Row::new(q, delta, None));
            quotient.push(Row::new(q, divided, Some(inverse)));
            inverse_factors.push((inverse, q.shoup(inverse)));
        }
        let combine = |rows| {
            let fraction = inverse_fractions(drop.moduli());
            Combination::new(drop.moduli(), stage.clone(), Some(fraction), rows)
        };
        Ok(Self { correction: combine(correction)?, quotient: combine(quotient)?, inverse_factors })
    }

    /// `P^-1 mod q_i` of the kept modulus `i`, and its Shoup constant ([`Modulus::shoup`]).
    ///
    /// # Panics
    /// When there is no kept modulus `i`, as a slice would.
    #[must_use]
    pub fn inverse_factor(&self, i: usize) -> (u64, u64) {
        self.inverse_factors[i]
    }

    /// The tables of [`Self::correction`], for an engine that evaluates them itself.
    #[must_use]
    pub fn correction_combination(&self) -> &Combination {
        &self.correction
    }

    /// The tables of [`Self::apply`]; its sources are the dropped limbs.
    #[must_use]
    pub fn quotient_combination(&self) -> &Combination {
        &self.quotient
    }

    /// `delta` modulo each kept modulus, from the dropped limbs of `x`. All limbs are in the
    /// coefficient domain; since the transform is linear, an engine may transform `delta` and
    /// finish with `(x - delta) P^-1` in the evaluation domain.
    ///
    /// # Errors
    /// As [`Combination::apply`].
    pub fn correction(
        &self,
        level: SimdLevel,
        dropped: &[&[u64]],
        out: &mut [&mut [u64]],
    ) -> Result<()> {
        self.correction.apply(level, dropped, out)
    }

    /// `(x - delta) / P` modulo each kept modulus, all in the coefficient domain: `src` holds the
    /// kept limbs and then the dropped ones, `dst` receives the kept ones.
    ///
    /// # Errors
    /// As [`Combination::apply`].
    pub fn apply(&self, level: SimdLevel, src: &[&[u64]], dst: &mut [&mut [u64]]) -> Result<()> {
        let kept = self.inverse_factors.len().min(src.len());
        let (kept, dropped) = src.split_at(kept);
        self.quotient.apply(level, &[dropped, kept].concat(), dst)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::error::RingError;
    use num_bigint::BigInt;
    use num_integer::Integer;
    use num_traits::Zero;

    fn check(keep: &RnsBasis, drop: &RnsBasis, plaintext: Option<Modulus>) {
        let plan = DivideRoundPlan::new(keep, drop, plaintext).unwrap();
        let whole = keep.join(drop).unwrap();
        let t = BigInt::from(plaintext.map_or(1, Modulus::value));
        let p = big(drop.product());
        let mut xs = integers(&whole, 40);
        xs.extend(integers(drop, 10));
        let limbs = limbs(&whole, &xs);
        let delta =
            at_every_level(&limbs[keep.len()..], keep.len(), |l, s, d| plan.correction(l, s, d));
        let out = at_every_level(&limbs, keep.len(), |l, s, d| plan.apply(l, s, d));
        // A basis wide enough to see delta itself, not only its residues.
        let wide = basis_of(&[61], drop.len() + 2, 500);
        let seen = DivideRoundPlan::new(&wide, drop, plaintext).unwrap();
        let seen =
            at_every_level(&limbs[keep.len()..], wide.len(), |l, s, d| seen.correction(l, s, d));
        for (c, x) in xs.iter().enumerate() {
            let d = wide.lift_centred(&column(&seen, c)).unwrap();
            assert_eq!(column(&delta, c), keep.residues(&d));
            assert!((&d - x).mod_floor(&p).is_zero(), "delta = x mod P");
            assert!(d.mod_floor(&t).is_zero(), "delta = 0 mod t");
            // 2 |delta| <= t P (1 + k 2^-42)
            let bound = &t * &p + ((&t * &p * drop.len()) >> 42);
            assert!(BigInt::from(d.magnitude().clone()) * 2 <= bound, "delta is centred");
            // The quotient is exact.
            let quotient = (x - &d) / &p;
            assert_eq!(&quotient * &p, x - &d);
            assert_eq!(column(&out, c), keep.residues(&quotient));
            // Outside of the doubt about a tie the quotient is the rounding.
            let doubt = tie_distance(x, &p);
            if plaintext.is_none() && (doubt << 42) > &p * drop.len() {
                assert_eq!(quotient, round_div(x, &p), "{x} / {p}");
            }
        }
        for (i, q) in keep.moduli().iter().enumerate() {
            let (inverse, shoup) = plan.inverse_factor(i);
            assert_eq!(q.mul(inverse, drop.product_mod(*q)), 1);
            assert_eq!(shoup, q.shoup(inverse));
        }
    }

    #[test]
    fn quotients_equal_wide_integers() {
        let plaintexts = [2, 65_537, 1 << 16, (1 << 40) - 87, 3 * 5 * 17 * 257];
        for (keep, drop) in [(1, 1), (4, 1), (9, 2), (3, 5), (20, 3)] {
            for widths in [&[50][..], &[60], &[30], &[20, 31, 50, 60], &[61]] {
                let all = moduli_of(widths, keep + drop, 6);
                let (keep, drop) =
                    (RnsBasis::new(&all[..keep]).unwrap(), RnsBasis::new(&all[keep..]).unwrap());
                check(&keep, &drop, None);
                for t in plaintexts {
                    check(&keep, &drop, Some(Modulus::new(t).unwrap()));
                }
            }
        }
    }

    #[test]
    fn the_plaintext_keeps_its_residue_up_to_the_factor() {
        let (keep, drop) = (basis_of(&[50], 3, 0), basis_of(&[50], 2, 10));
        let t = Modulus::new(65_537).unwrap();
        let plan = DivideRoundPlan::new(&keep, &drop, Some(t)).unwrap();
        let whole = keep.join(&drop).unwrap();
        // Small multiples of t, with a message: what BGV switches.
        let xs: Vec<BigInt> = (-40i64..40)
            .map(|i| BigInt::from(i * 977) * t.value() * big(drop.product()) + i)
            .collect();
        let limbs = limbs(&whole, &xs);
        let out = at_every_level(&limbs, keep.len(), |l, s, d| plan.apply(l, s, d));
        for (c, x) in xs.iter().enumerate() {
            let y = keep.lift_centred(&column(&out, c)).unwrap();
            let scaled = y * big(drop.product()) - x;
            assert!(scaled.mod_floor(&t.value().into()).is_zero());
        }
    }

    #[test]
    fn shared_factors_and_shapes_are_refused() {
        let (keep, drop) = (basis_of(&[50], 2, 0), basis_of(&[50], 1, 10));
        let p = drop.moduli()[0];
        assert_eq!(
            DivideRoundPlan::new(&keep, &drop, Some(p)).unwrap_err(),
            RingError::NotCoprime { first: p.value(), second: p.value(), gcd: p.value() }
        );
        assert!(DivideRoundPlan::new(&keep, &keep, None).is_err());
        let plan = DivideRoundPlan::new(&keep, &drop, None).unwrap();
        let (a, mut out) = ([0u64; 4], [0u64; 4]);
        for src in [&[][..], &[&a[..]], &[&a[..], &a], &[&a[..]; 4]] {
            let result = plan.apply(SimdLevel::Scalar, src, &mut [&mut out, &mut [0; 4]]);
            assert!(matches!(result, Err(RingError::LengthMismatch { .. })));
        }
    }
}
