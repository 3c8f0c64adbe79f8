//! How near the noise of a phase is to the limit of decryption.
//!
//! For `x` held by its residues modulo `Q`, `frac(num x / Q)` is
//! `sum_i y_i frac(num / q_i)` modulo 1 with `y_i = x_i (Q/q_i)^-1 mod q_i`; in 64-bit fixed
//! point this is right to `k 2^-63` for `k` limbs. No branch depends on `x`.

use cyclotron_ring::Modulus;
use cyclotron_ring::rns::RnsBasis;

/// Measures `|num x / Q|` modulo 1, centred.
#[derive(Debug)]
pub struct PhaseFraction {
    terms: Vec<Term>,
}

#[derive(Debug)]
struct Term {
    modulus: Modulus,
    /// `(Q/q_i)^-1 mod q_i` and its Shoup constant.
    inverse: (u64, u64),
    /// `frac(num / q_i)` in units of `2^-64` and `2^-128`.
    weight: (u64, u64),
}

impl PhaseFraction {
    /// Constants for a basis and numerator.
    #[must_use]
    pub fn new(basis: &RnsBasis, numerator: u64) -> Self {
        let terms = basis.moduli().iter().enumerate().map(|(i, &modulus)| {
            let q = u128::from(modulus.value());
            let first = u128::from(modulus.reduce(numerator)) << 64;
            let weight = ((first / q) as u64, (((first % q) << 64) / q) as u64);
            Term { modulus, inverse: basis.punctured_inverse(i), weight }
        });
        Self { terms: terms.collect() }
    }

    /// The largest fraction over all coefficients of `phase`, `[limb][coefficient]`: in [0, 1/2].
    #[must_use]
    pub fn largest(&self, phase: &[u64]) -> f64 {
        let degree = phase.len() / self.terms.len();
        let mut sums = vec![0u64; degree];
        for (limb, term) in phase.chunks_exact(degree).zip(&self.terms) {
            for (sum, &x) in sums.iter_mut().zip(limb) {
                let y = term.modulus.mul_shoup(x, term.inverse.0, term.inverse.1);
                let low = ((u128::from(y) * u128::from(term.weight.1)) >> 64) as u64;
                *sum = sum.wrapping_add(y.wrapping_mul(term.weight.0)).wrapping_add(low);
            }
        }
        let largest = sums.into_iter().map(|f| f.min(f.wrapping_neg())).max().unwrap_or(0);
        largest as f64 * f64::exp2(-64.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_traits::ToPrimitive;

    #[test]
    fn equals_the_exact_fraction() {
        let moduli = cyclotron_ring::primes::primes_below(50, 16, 3, &[]).unwrap();
        let moduli: Vec<Modulus> = moduli.into_iter().map(|q| Modulus::new(q).unwrap()).collect();
        let basis = RnsBasis::new(&moduli).unwrap();
        let q = BigInt::from(basis.product().clone());
        for numerator in [1u64, 65_537, (1 << 59) + 7] {
            let measure = PhaseFraction::new(&basis, numerator);
            for (part, whole) in [(0i64, 1i64), (1, 3), (-1, 7), (3, 8), (499, 1000), (1, 1 << 40)]
            {
                // An x with num x / Q nearest to part / whole.
                let x: BigInt = &q * part / whole / numerator;
                let residues = basis.residues(&x);
                let exact = (part as f64 / whole as f64).abs();
                let error = (measure.largest(&residues) - exact).abs();
                let step = numerator as f64 / q.to_f64().unwrap();
                assert!(error < 1e-15 + step, "{numerator} {part}/{whole}: {error}");
            }
        }
    }

    #[test]
    fn takes_the_largest_coefficient() {
        let basis = RnsBasis::new(&[Modulus::new(97).unwrap()]).unwrap();
        let measure = PhaseFraction::new(&basis, 1);
        assert!((measure.largest(&[0, 1, 90, 3]) - 7.0 / 97.0).abs() < 1e-12);
        assert_eq!(measure.largest(&[0, 0]), 0.0);
    }
}
