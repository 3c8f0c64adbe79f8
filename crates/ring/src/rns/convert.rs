//! The same integer modulo other moduli.
//!
//! With `y_i = [x_i (Q/q_i)^-1]_{q_i}` the CRT reads `x = sum_i y_i (Q/q_i) - v Q` for an integer
//! `v` in `[0, k]`. The conversions differ in what they know of `v`.

use super::basis::RnsBasis;
use super::combination::{Carry, Combination, Fraction, Row, Stage, fraction_floor};
use crate::error::Result;
use crate::modulus::Modulus;
use crate::simd::SimdLevel;

/// How exactly a conversion knows the integer behind the residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// `v = 0`: the result represents `x + u Q`, `x` in `[0, Q)`, with an unknown `0 <= u < k`
    /// (Bajard, Eynard, Hasan, Zucca, eprint 2016/510, section 3.1).
    Fast,
    /// `v = floor((sum_i y_i Theta_i + 2^103) / 2^104)`, `Theta_i = floor(2^104 / q_i)`: the result
    /// represents `x` in `[-Q/2, Q/2)` (Halevi, Polyakov, Shoup, eprint 2018/117, section 2.2,
    /// with integers in place of floating point).
    ///
    /// The sum falls short of `2^104 sum_i y_i / q_i` by less than `sum_i q_i < k 2^61`. So an
    /// `x` in `[Q/2, Q/2 + k 2^-43 Q)` may stand for itself where `x - Q` was meant, always the
    /// same way; every other `x` is centred exactly. Nothing is wrong by more than that choice.
    Centred,
    /// The result represents `x` in `[0, Q)`, for every input: mixed-radix digits (Garner).
    Exact,
}

/// Residues modulo a source basis to residues modulo any list of destination moduli.
#[derive(Debug, Clone)]
pub struct ConvertPlan {
    conversion: Conversion,
    combination: Combination,
}

impl ConvertPlan {
    /// A plan from `src` to the moduli `dst`, which need not be coprime to anything: a plaintext
    /// modulus, a power of two, or a modulus of `src` will do.
    ///
    /// # Errors
    /// [`crate::RingError::EmptyBasis`] when `dst` is empty.
    pub fn new(src: &RnsBasis, dst: &[Modulus], conversion: Conversion) -> Result<Self> {
        let sources = src.moduli();
        let combination = match conversion {
            Conversion::Exact => {
                let rows = dst.iter().map(|&p| Row::new(p, radix_weights(sources, p), None));
                let digits = Stage::MixedRadix(garner_rows(sources)?);
                Combination::new(sources, digits, None, rows.collect())?
            }
            Conversion::Fast | Conversion::Centred => {
                let centred = conversion == Conversion::Centred;
                let rows = dst.iter().map(|&p| {
                    let punctured = (0..src.len()).map(|i| src.punctured_mod(i, p));
                    let wrap = centred.then(|| p.neg(src.product_mod(p)));
                    Row::new(p, punctured.chain(wrap).collect(), None)
                });
                let stage =
                    Stage::Scaled((0..src.len()).map(|i| src.punctured_inverse(i)).collect());
                let fraction = centred.then(|| inverse_fractions(sources));
                Combination::new(sources, stage, fraction, rows.collect())?
            }
        };
        Ok(Self { conversion, combination })
    }

    /// Which conversion this is.
    #[must_use]
    pub fn conversion(&self) -> Conversion {
        self.conversion
    }

    /// The tables, for an engine that evaluates them itself.
    #[must_use]
    pub fn combination(&self) -> &Combination {
        &self.combination
    }

    /// Converts: `src` holds one limb for each source modulus, `dst` receives one for each
    /// destination modulus, all of one length and reduced.
    ///
    /// # Errors
    /// As [`Combination::apply`].
    pub fn apply(&self, level: SimdLevel, src: &[&[u64]], dst: &mut [&mut [u64]]) -> Result<()> {
        self.combination.apply(level, src, dst)
    }
}

/// `Theta_i = floor(2^104 / q_i)`.
pub(super) fn inverse_fractions(moduli: &[Modulus]) -> Fraction {
    Fraction::new(moduli.iter().map(|q| fraction_floor(1, q.value())), Carry::Term)
}

/// The weights `1, q_0, q_0 q_1, ...` of the mixed-radix digits, modulo `p`.
fn radix_weights(moduli: &[Modulus], p: Modulus) -> Vec<u64> {
    let products = moduli.iter().scan(p.reduce(1), |weight, q| {
        let this = *weight;
        *weight = p.mul(this, p.reduce(q.value()));
        Some(this)
    });
    products.collect()
}

/// Digit `i` as a row: `(x_i - sum_{j<i} y_j q_0...q_{j-1}) (q_0...q_{i-1})^-1 mod q_i`.
pub(super) fn garner_rows(moduli: &[Modulus]) -> Result<Vec<Row>> {
    let row = |(i, &q): (usize, &Modulus)| {
        let mut weights = radix_weights(&moduli[..=i], q);
        let inverse = q.inv(weights.pop().unwrap_or(1))?;
        let coefficients = weights.iter().map(|&w| q.neg(q.mul(w, inverse))).collect();
        Ok(Row::new(q, coefficients, Some(inverse)))
    };
    moduli.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::error::RingError;
    use num_bigint::BigInt;
    use num_integer::Integer;
    use num_traits::{Signed, Zero};

    /// Destinations of every kind: wide, narrow, even, a power of two, a source modulus.
    fn destinations(src: &RnsBasis) -> Vec<Modulus> {
        let odd =
            [2, 4, 65_537, 1 << 20, 6, (1 << 50) - 27, 1 << 60].map(|p| Modulus::new(p).unwrap());
        [mixed_moduli(7, 40), odd.to_vec(), src.moduli()[..1].to_vec()].concat()
    }

    fn narrow_destinations() -> Vec<Modulus> {
        let odd = [2, 3, 4, 65_537, 1 << 49, (1 << 50) - 27].map(|p| Modulus::new(p).unwrap());
        [moduli_of(&[20, 31, 50, 49, 48], 10, 40), odd.to_vec()].concat()
    }

    /// Checks a conversion of many integers against the integer that `expected` names.
    fn check(
        src: &RnsBasis,
        dst: &[Modulus],
        conversion: Conversion,
        expected: impl Fn(&[u64]) -> BigInt,
    ) {
        let plan = ConvertPlan::new(src, dst, conversion).unwrap();
        let limbs = limbs(src, &integers(src, 77));
        let out = at_every_level(&limbs, dst.len(), |l, s, d| plan.apply(l, s, d));
        for c in 0..limbs[0].len() {
            let x = expected(&column(&limbs, c));
            for (p, limb) in dst.iter().zip(&out) {
                let residue = x.mod_floor(&BigInt::from(p.value()));
                assert_eq!(BigInt::from(limb[c]), residue, "{conversion:?} {x} mod {p}");
            }
        }
    }

    /// `sum_i y_i (Q/q_i)`, by wide integers.
    fn fast_model(src: &RnsBasis, residues: &[u64]) -> BigInt {
        let terms = src.moduli().iter().zip(residues).enumerate().map(|(i, (q, &x))| {
            big(src.product()) / q.value() * q.mul(x, src.punctured_inverse(i).0)
        });
        terms.sum()
    }

    fn check_all(src: &RnsBasis, dst: &[Modulus]) {
        check(src, dst, Conversion::Exact, |r| big(&src.lift(r).unwrap()));
        check(src, dst, Conversion::Fast, |r| {
            let sum = fast_model(src, r);
            let quotient = &sum / big(src.product());
            assert!(!quotient.is_negative() && quotient < BigInt::from(src.len()));
            sum
        });
        // The test integers at the tie itself may go either way, as documented: by the fixed point.
        check(src, dst, Conversion::Centred, |r| {
            let sum = fast_model(src, r);
            let fixed: BigInt = src
                .moduli()
                .iter()
                .zip(r)
                .enumerate()
                .map(|(i, (q, &x))| {
                    let y = q.mul(x, src.punctured_inverse(i).0);
                    (BigInt::from(1) << 104) / q.value() * y
                })
                .sum();
            let v = (fixed + (BigInt::from(1) << 103)) >> 104;
            let result = sum - v * big(src.product());
            let centred = src.lift_centred(r).unwrap();
            if result != centred {
                let q = big(src.product());
                assert_eq!(&result - &q, centred, "the only other choice is one Q more");
                assert!(((&result * 2 - &q) << 42) < &q * src.len(), "outside the bound");
            }
            result
        });
    }

    #[test]
    fn conversions_equal_wide_integers() {
        for k in 1..=20 {
            let src = basis(k, 3 * k);
            check_all(&src, &destinations(&src));
        }
    }

    #[test]
    fn narrow_conversions_equal_wide_integers() {
        for k in 1..=20 {
            let src = basis_of(&[50, 31, 49, 20, 48], k, 2 * k);
            check_all(&src, &narrow_destinations()[k % 2..]);
        }
    }

    #[test]
    fn the_longest_bases_do_not_overflow() {
        for widths in [[61, 60], [50, 49]] {
            let src = basis_of(&widths, 128, 0);
            let dst = moduli_of(&widths, 3, 70);
            check_all(&src, &dst);
        }
    }

    #[test]
    fn centred_is_exact_outside_its_error_bound() {
        for (k, widths) in [(1, [61]), (7, [60]), (3, [30]), (12, [50])] {
            let src = basis_of(&widths, k, 9);
            let q = big(src.product());
            // k 2^-43 Q, rounded up, on both sides of Q/2.
            let slack: BigInt = ((&q * k) >> 43) + 1;
            let at = [&q / 2 - 1, &q / 2, (&q + 1) / 2 + &slack, (&q + 1) / 2 + &slack + 1];
            let dst = moduli_of(&[50], 2, 90);
            let plan = ConvertPlan::new(&src, &dst, Conversion::Centred).unwrap();
            let limbs = limbs(&src, &at);
            let out = at_every_level(&limbs, 2, |l, s, d| plan.apply(l, s, d));
            for (c, x) in at.iter().enumerate() {
                let centred = if x * 2 < q { x.clone() } else { x - &q };
                for (p, limb) in dst.iter().zip(&out) {
                    assert!((&centred - limb[c]).mod_floor(&p.value().into()).is_zero(), "{k} {c}");
                }
            }
        }
    }

    #[test]
    fn the_tie_of_a_wide_modulus_is_pinned() {
        // q = 2^61 - 1: 2^104 mod q = 2^43 is more than the margin 2^103 / q allows, so the integer
        // next above the tie stands for itself.
        let q = Modulus::new((1 << 61) - 1).unwrap();
        let src = RnsBasis::new(&[q]).unwrap();
        let p = Modulus::new(1 << 60).unwrap();
        let plan = ConvertPlan::new(&src, &[p], Conversion::Centred).unwrap();
        let mut out = [0];
        plan.apply(SimdLevel::Scalar, &[&[1 << 60]], &mut [&mut out]).unwrap();
        let fixed = (((1u128 << 104) / u128::from(q.value())) << 60) + (1 << 103);
        assert_eq!(fixed >> 104, 1);
        assert_eq!(out[0], p.from_signed((1 << 60) - q.value() as i64));
    }

    #[test]
    fn shapes_and_levels_are_checked() {
        let src = basis(3, 0);
        assert_eq!(
            ConvertPlan::new(&src, &[], Conversion::Fast).unwrap_err(),
            RingError::EmptyBasis
        );
        let plan = ConvertPlan::new(&src, &mixed_moduli(1, 9), Conversion::Centred).unwrap();
        let (a, b) = ([0u64; 4], [0u64; 5]);
        let mut out = [0u64; 4];
        let mismatch = |r: Result<()>| assert!(matches!(r, Err(RingError::LengthMismatch { .. })));
        mismatch(plan.apply(SimdLevel::Scalar, &[&a, &a], &mut [&mut out]));
        mismatch(plan.apply(SimdLevel::Scalar, &[&a, &a, &b], &mut [&mut out]));
        mismatch(plan.apply(SimdLevel::Scalar, &[&b, &b, &b], &mut [&mut out]));
        mismatch(plan.apply(SimdLevel::Scalar, &[&a, &a, &a], &mut []));
        plan.apply(SimdLevel::Scalar, &[&a, &a, &a], &mut [&mut out]).unwrap();
        for level in SimdLevel::ALL.into_iter().filter(|l| !l.is_available()) {
            assert!(matches!(
                plan.apply(level, &[&a, &a, &a], &mut [&mut out]),
                Err(RingError::SimdUnavailable { .. })
            ));
        }
    }
}
