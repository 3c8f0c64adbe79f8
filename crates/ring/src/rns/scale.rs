//! `round(t x / Q)`, the rounding of BFV (Halevi, Polyakov, Shoup, eprint 2018/117).
//!
//! Both plans split a rational weight of each term into its integer and its fraction, the fraction
//! as `Theta_i = floor(theta_i 2^104 + 1/2)`. With `k` source moduli below `2^61` the sum of
//! fractions is wrong by at most `sum_i y_i 2^-105 < k 2^-44`. So the result is the exact rounding
//! (a tie rounds up) unless the fractional part of `t x / Q` is within `k 2^-44` of 1/2; there it
//! may be the neighbour, 1 away, always the same one.

use super::basis::RnsBasis;
use super::combination::{Carry, Combination, Fraction, Row, Stage, fraction_round};
use super::crt::residue;
use crate::error::Result;
use crate::modulus::Modulus;
use crate::simd::SimdLevel;
use num_bigint::BigUint;

/// A plan for `round(t x / Q)`; see the module for its error.
#[derive(Debug, Clone)]
pub struct ScaleRoundPlan {
    combination: Combination,
}

impl ScaleRoundPlan {
    /// BFV decryption (section 2.3): `x` modulo `Q`, the product of `den`, to
    /// `round(t x / Q) mod t`, one limb, which is the same for every representative of `x`.
    ///
    /// With `y_i = [x_i (Q/q_i)^-1]_{q_i}` and `t / q_i = omega_i + theta_i` the result is
    /// `sum_i y_i omega_i + round(sum_i y_i theta_i) mod t`.
    ///
    /// # Errors
    /// None today.
    pub fn to_plaintext(den: &RnsBasis, t: Modulus) -> Result<Self> {
        let moduli = den.moduli();
        let stage = Stage::Scaled((0..den.len()).map(|i| den.punctured_inverse(i)).collect());
        let fractions = moduli.iter().map(|q| fraction_round(q.reduce(t.value()), q.value()));
        let fraction = Fraction::new(fractions, Carry::Unit);
        // t / q_i is below t, since q_i >= 2.
        let omega = moduli.iter().map(|q| t.value() / q.value()).collect();
        let rows = vec![Row::new(t, omega, None)];
        Ok(Self { combination: Combination::new(moduli, stage, Some(fraction), rows)? })
    }

    /// BFV multiplication (section 4): `x` modulo `Q B`, the products of `den` and `ext`, to
    /// `round(numerator x / Q)` modulo each modulus of `ext`, which is the same for every
    /// representative of `x`.
    ///
    /// With `y_i = [x_i (Q B / q_i)^-1]_{q_i}` for the moduli of `den`, and
    /// `numerator B / q_i = omega_i + theta_i`, the result modulo `b_j` is
    /// `x_j numerator Q^-1 + sum_i y_i omega_i + round(sum_i y_i theta_i)`.
    ///
    /// # Errors
    /// [`crate::RingError::NotCoprime`] when the two bases share a factor, and the other errors of
    /// [`RnsBasis::join`].
    pub fn to_extension(den: &RnsBasis, ext: &RnsBasis, numerator: &BigUint) -> Result<Self> {
        let joint = den.join(ext)?;
        let moduli = den.moduli();
        let stage = Stage::Scaled((0..den.len()).map(|i| joint.punctured_inverse(i)).collect());
        let scaled = numerator * ext.product();
        let fractions = moduli.iter().map(|&q| fraction_round(residue(&scaled, q), q.value()));
        let fraction = Fraction::new(fractions, Carry::Unit);
        let omega: Vec<BigUint> = moduli.iter().map(|q| &scaled / q.value()).collect();
        let row = |&b: &Modulus| {
            let own = b.mul(residue(numerator, b), b.inv(den.product_mod(b))?);
            Ok(Row::new(b, omega.iter().map(|w| residue(w, b)).collect(), Some(own)))
        };
        let rows = ext.moduli().iter().map(row).collect::<Result<_>>()?;
        Ok(Self { combination: Combination::new(moduli, stage, Some(fraction), rows)? })
    }

    /// The tables, for an engine that evaluates them itself.
    #[must_use]
    pub fn combination(&self) -> &Combination {
        &self.combination
    }

    /// Scales and rounds: `src` holds the limbs of `den` and then, for [`Self::to_extension`],
    /// those of `ext`; `dst` receives one limb modulo `t`, or one for each modulus of `ext`.
    ///
    /// # Errors
    /// As [`Combination::apply`].
    pub fn apply(&self, level: SimdLevel, src: &[&[u64]], dst: &mut [&mut [u64]]) -> Result<()> {
        self.combination.apply(level, src, dst)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::error::RingError;
    use num_bigint::BigInt;
    use num_integer::Integer;

    /// Integers whose scaled value is next to, and just outside of the doubt about, a tie.
    fn near_ties(whole: &RnsBasis, numerator: &BigInt, den: &RnsBasis) -> Vec<BigInt> {
        let q = big(den.product());
        let slack: BigInt = ((&q * den.len()) >> 44) + 1;
        let mut random = TestRandom(5);
        (0..20)
            .flat_map(|_| {
                // t x = Q m + Q/2: x is next to (2 m + 1) Q / (2 t).
                let m = big(&random.below(whole.product())) * numerator / &q;
                let tie: BigInt = (m * 2 + 1) * &q / (numerator * 2);
                let step: BigInt = &slack / numerator + 2;
                [&tie - &step, tie.clone(), &tie + 1, &tie + &step]
            })
            .collect()
    }

    /// Whether `out` is the rounding of `a / q`, exact outside of the documented doubt.
    fn assert_rounds(a: &BigInt, q: &BigInt, k: usize, p: Modulus, out: u64) {
        let residue = |x: BigInt| x.mod_floor(&p.value().into());
        let exact = round_div(a, q);
        let doubt = tie_distance(a, q);
        let near = (doubt << 43) <= q * k;
        let matches = residue(exact.clone()) == BigInt::from(out);
        let above: BigInt = a.mod_floor(q) * 2;
        let neighbour: BigInt = if above >= *q { exact - 1 } else { exact + 1 };
        assert!(
            matches || (near && residue(neighbour.clone()) == BigInt::from(out)),
            "{a} / {q} mod {p} gave {out}, doubtful: {near}"
        );
    }

    fn check_plaintext(den: &RnsBasis, t: Modulus) {
        let plan = ScaleRoundPlan::to_plaintext(den, t).unwrap();
        let numerator = BigInt::from(t.value());
        let mut xs = integers(den, 40);
        xs.extend(near_ties(den, &numerator, den));
        let limbs = limbs(den, &xs);
        let out = at_every_level(&limbs, 1, |l, s, d| plan.apply(l, s, d));
        for (x, &out) in xs.iter().zip(&out[0]) {
            assert_rounds(&(x * &numerator), &big(den.product()), den.len(), t, out);
        }
    }

    fn check_extension(den: &RnsBasis, ext: &RnsBasis, numerator: &BigUint) {
        let plan = ScaleRoundPlan::to_extension(den, ext, numerator).unwrap();
        let whole = den.join(ext).unwrap();
        let mut xs = integers(&whole, 40);
        xs.extend(near_ties(&whole, &big(numerator), den));
        let limbs = limbs(&whole, &xs);
        let out = at_every_level(&limbs, ext.len(), |l, s, d| plan.apply(l, s, d));
        for (c, x) in xs.iter().enumerate() {
            for (&b, limb) in ext.moduli().iter().zip(&out) {
                assert_rounds(&(x * big(numerator)), &big(den.product()), den.len(), b, limb[c]);
            }
        }
    }

    fn plaintext_moduli() -> Vec<Modulus> {
        [2, 3, 16, 65_537, 1 << 20, (1 << 50) - 27, (1 << 59) - 55, 1 << 60]
            .map(|t| Modulus::new(t).unwrap())
            .to_vec()
    }

    #[test]
    fn decryption_rounds_as_wide_integers_do() {
        for t in plaintext_moduli() {
            for (k, widths) in [(1, [30]), (2, [50]), (5, [60]), (9, [50]), (4, [61])] {
                check_plaintext(&basis_of(&widths, k, 4), t);
            }
            for k in [3, 6, 20] {
                check_plaintext(&basis(k, k), t);
            }
        }
    }

    #[test]
    fn multiplication_rounds_as_wide_integers_do() {
        for t in plaintext_moduli() {
            for (k, l, widths) in [(1, 2, [30]), (4, 5, [50]), (3, 4, [60]), (9, 10, [50])] {
                let (den, ext) = (basis_of(&widths, k, 0), basis_of(&widths, l, 20));
                check_extension(&den, &ext, &t.value().into());
            }
        }
        for k in [1, 2, 7, 20] {
            let (den, ext) = (basis(k, 0), basis(k % 5 + 1, 30));
            check_extension(&den, &ext, &BigUint::from(65_537u32));
            check_extension(&den, &ext, &(BigUint::from(3u32) << 100));
        }
    }

    #[test]
    fn the_longest_bases_do_not_overflow() {
        for widths in [[61, 60], [50, 49]] {
            let all = moduli_of(&widths, 128, 0);
            let (den, ext) =
                (RnsBasis::new(&all[..125]).unwrap(), RnsBasis::new(&all[125..]).unwrap());
            check_extension(&den, &ext, &BigUint::from((1u64 << 50) - 1));
            check_plaintext(&den, Modulus::new((1 << 50) - 27).unwrap());
        }
    }

    #[test]
    fn sizes_and_shared_factors_are_refused() {
        let (den, ext) = (basis(3, 0), basis(3, 0));
        let one = BigUint::from(1u32);
        assert!(matches!(
            ScaleRoundPlan::to_extension(&den, &ext, &one),
            Err(RingError::NotCoprime { .. })
        ));
    }
}
