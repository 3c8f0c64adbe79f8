//! Noise bounds: the average case, propagated through the circuit and tested against measurement.
//!
//! A ciphertext satisfies `c(s) = v (mod Q_l)` with a small `v = m (mod p)`, and decrypts when every
//! `|v| < Q_l/2`. At a root `zeta` of `x^n + 1` a small random polynomial such as `s` or `e` is a sum
//! of `n` independent terms, nearly a complex Gaussian number. For a given key the *power*
//! `E |v(zeta)|^2` is a polynomial in four powers there:
//!
//! * `S`, `E`: of the secret and of the errors of keys, in units of their means. Every ciphertext
//!   under a key shares them, so that noises are not independent of each other: a product of
//!   products has `E[S^4] = 4! E[S]^4`. The secret is drawn with a bounded norm, which cuts `S`
//!   off at `ln(n/2) + 1`;
//! * `B`: of `1 + x + ... + x^(n-1)`, the mean of digits and roundings, largest near `zeta = 1`;
//! * `M`: of messages, of which nothing is assumed but `|m| <= p/2`.
//!
//! Powers of independent ciphertexts multiply. Those of ciphertexts with an encryption in common
//! multiply with the factor `C(a + b, a)`, `a` and `b` their degrees in fresh randomness (Bombieri's
//! inequality for polynomials in complex Gaussian numbers). Deviations of sums are added, whatever
//! the operands have in common.
//!
//! The mean power over the roots and keys, over `n`, is the variance of a coefficient. The bound is
//! [`NoiseModel::deviations`] of its square roots, for what is random given the key: every coefficient
//! stays below it but with probability `2^`[`FAILURE_LOG2`]. What the key determines, products of
//! means, is not spread over the roots and is counted at its most. All this is a heuristic: values at
//! roots and coefficients are taken for Gaussian, digits and roundings for uniform and independent.
//! `docs/bgv-word.md` has the formulas, and what tests measure.

use super::chain::ModulusChain;
use super::parameters::{Digits, WordLiteral};
use std::collections::BTreeMap;
use std::f64::consts::{LN_2, PI};
use std::sync::atomic::{AtomicU64, Ordering};

/// log2 of the probability, over all `n` coefficients, that the noise passes its bound.
pub const FAILURE_LOG2: i32 = -40;

/// What is added to the variance, times `1/sqrt(n)`: the prediction is a mean over keys, and covers
/// the mean over some hundred keys that way. One key by itself may be further from it.
const KEY_ALLOWANCE: f64 = 0.5;

/// Degree of a power above which it counts as infinite: no modulus below `2^27` holds it.
const MAX_DEGREE: u32 = 8;

/// Most encryptions that a ciphertext remembers; one of more counts as dependent on every other.
const MAX_SOURCES: usize = 64;

/// Exponents of `S`, `E`, `B` and `M`, and the number of factors that are random for a given key.
type Monomial = [u8; 5];

const FRESH: Monomial = [0, 0, 0, 0, 1];
const FRESH_SECRET: Monomial = [1, 0, 0, 0, 1];
const FRESH_ERROR: Monomial = [0, 1, 0, 0, 1];
const BIAS: Monomial = [0, 0, 1, 0, 0];
const BIASED_SECRET: Monomial = [1, 0, 1, 0, 0];
const BIASED_ERROR: Monomial = [0, 1, 1, 0, 0];
const MESSAGE: Monomial = [0, 0, 0, 1, 0];

/// What is known of the noise of a ciphertext without the secret key.
#[derive(Debug, Clone, PartialEq)]
pub struct WordNoise {
    /// The power `E |v(zeta)|^2`.
    power: BTreeMap<Monomial, f64>,
    /// Degree in randomness that is not the key's.
    fresh_degree: u32,
    /// The encryptions that it comes from, sorted; none when that is not known.
    sources: Option<Vec<u64>>,
}

impl WordNoise {
    /// Whether an encryption may have gone into both.
    fn shares(&self, other: &Self) -> bool {
        match (&self.sources, &other.sources) {
            (Some(a), Some(b)) => a.iter().any(|source| b.binary_search(source).is_ok()),
            _ => true,
        }
    }

    fn union(&self, other: &Self) -> Option<Vec<u64>> {
        let mut all = self.sources.clone()?;
        all.extend(other.sources.as_ref()?);
        all.sort_unstable();
        all.dedup();
        Some(all).filter(|all| all.len() <= MAX_SOURCES)
    }

    fn plus(&mut self, terms: &[(Monomial, f64)]) {
        for &(monomial, power) in terms {
            *self.power.entry(monomial).or_insert(0.0) += power;
        }
    }

    fn scaled(&self, factor: f64) -> impl Iterator<Item = (Monomial, f64)> + '_ {
        self.power.iter().map(move |(&monomial, &power)| (monomial, power * factor))
    }
}

/// The rules of one parameter set.
#[derive(Debug, Clone)]
pub struct NoiseModel {
    degree: f64,
    /// `p`.
    plain: f64,
    digit_bits: u32,
    digits: Digits,
    /// Variance of an error.
    error: f64,
    /// `(q_l, Q_l)`.
    levels: Vec<(f64, f64)>,
    /// `E[S^k]`.
    secret_moments: Vec<f64>,
    /// Means of `B^(k/2)` over the roots.
    bias_moments: Vec<f64>,
    /// The largest `B`.
    bias_peak: f64,
    /// The largest `S`, and an `E` that is seldom passed: `ln(n/2) + 1`.
    key_peak: f64,
    deviations: f64,
}

impl NoiseModel {
    pub(super) fn new(literal: &WordLiteral, chain: &ModulusChain) -> Self {
        let n = literal.degree as f64;
        let modulus = |level: usize| chain.modulus(level).map_or(1.0, |q| q.value() as f64);
        let factors = chain.factors().iter().enumerate();
        // At the root of angle pi (2 k + 1)/n.
        let bias: Vec<f64> = (0..literal.degree)
            .map(|k| (PI * (2 * k + 1) as f64 / (2.0 * n)).sin().powi(-2) / n)
            .collect();
        let mean = |k: u32| bias.iter().map(|b| b.powf(f64::from(k) / 2.0)).sum::<f64>() / n;
        let key_peak = (n / 2.0).ln() + 1.0;
        Self {
            degree: n,
            plain: f64::exp2(literal.log_p.into()),
            digit_bits: literal.digit_bits,
            digits: literal.digits,
            error: literal.error.device().variance(),
            levels: factors.map(|(level, &q)| (q as f64, modulus(level))).collect(),
            secret_moments: (0..=MAX_DEGREE).map(|k| truncated_moment(k, key_peak)).collect(),
            bias_moments: (0..=2 * MAX_DEGREE).map(mean).collect(),
            bias_peak: bias.iter().copied().fold(0.0, f64::max),
            key_peak,
            deviations: deviations(n),
        }
    }

    /// Deviations of a coefficient that make the bound.
    #[must_use]
    pub fn deviations(&self) -> f64 {
        self.deviations
    }

    /// The largest noise that decrypts at a level: `(Q_l - 1)/2`. Zero for a level that is none.
    #[must_use]
    pub fn limit(&self, level: usize) -> f64 {
        self.levels.get(level).map_or(0.0, |&(_, modulus)| (modulus - 1.0) / 2.0)
    }

    /// The predicted deviation of a coefficient of `v`, messages counted at their worst.
    #[must_use]
    pub fn deviation(&self, noise: &WordNoise) -> f64 {
        let terms = noise.power.iter().map(|(monomial, &power)| power * self.mean_key(monomial));
        self.root(terms.sum())
    }

    /// What the noise passes with probability `2^-40` at most: [`Self::deviations`] of what is random
    /// for a given key, and the most that the rest can be.
    #[must_use]
    pub fn bound(&self, noise: &WordNoise) -> f64 {
        let (mut random, mut fixed) = (0.0, 0.0);
        for (monomial, &power) in &noise.power {
            if power.is_infinite() {
                return power;
            }
            let &[secret, error, bias, _, fresh] = monomial;
            if fresh == 0 {
                fixed += power.sqrt() * self.amplitude(monomial);
            } else if bias == 0 {
                random += power * self.mean_key(monomial);
            } else {
                // One pair of roots decides, and with it the power of the key there.
                let peak = self.key_peak.powi(i32::from(secret) + i32::from(error));
                random += power * peak * self.roots(monomial);
            }
        }
        self.deviations * self.root(random) + fixed
    }

    /// The deviation of a coefficient with this mean power at the roots.
    fn root(&self, power: f64) -> f64 {
        (power / self.degree * (1.0 + KEY_ALLOWANCE / self.degree.sqrt())).sqrt()
    }

    /// Mean of a monomial over keys and roots.
    fn mean_key(&self, monomial: &Monomial) -> f64 {
        let &[secret, error, ..] = monomial;
        let errors: f64 = (1..=u32::from(error)).map(f64::from).product();
        self.secret_moments[usize::from(secret)] * errors * self.roots(monomial)
    }

    /// Mean of `B` and `M` of a monomial over the roots; an upper bound where messages are in it, of
    /// whose power only the mean is known.
    fn roots(&self, &[_, _, bias, message, _]: &Monomial) -> f64 {
        match message {
            0 => self.bias_moments[2 * usize::from(bias)],
            _ => self.degree.powi(i32::from(message) - 1) * self.bias_peak.powi(bias.into()),
        }
    }

    /// The most that the mean of the square root of a monomial over the roots can be, which bounds
    /// every coefficient: `S` at its cut-off, `E` where it is with probability `2^-40`.
    fn amplitude(&self, &[secret, error, bias, message, _]: &Monomial) -> f64 {
        let errors = -f64::from(FAILURE_LOG2) * LN_2;
        let keys = self.key_peak.powi(secret.into()) * errors.powi(error.into());
        let roots = match message {
            0 => self.bias_moments[usize::from(bias)],
            1 => self.bias_peak.powi(bias.into()).sqrt(),
            _ => {
                let messages = self.degree.powi(i32::from(message) - 2);
                (self.bias_peak.powi(bias.into()) * messages).sqrt()
            }
        };
        keys.sqrt() * roots
    }

    /// Mean power of the secret.
    fn secret(&self) -> f64 {
        self.degree * 2.0 / 3.0
    }

    /// A fresh encryption: `v = m + p (e1 + e2 s - u e)`, independent of every other noise.
    #[must_use]
    pub fn fresh(&self) -> WordNoise {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let source = NEXT.fetch_add(1, Ordering::Relaxed);
        let error = self.plain * self.plain * self.degree * self.error;
        let power = BTreeMap::from([
            (MESSAGE, self.degree * self.plain * self.plain / 4.0),
            (FRESH, error),
            (FRESH_SECRET, error * self.secret()),
            // `u` is distributed as the secret is.
            (FRESH_ERROR, error * self.secret()),
        ]);
        WordNoise { power, fresh_degree: 1, sources: Some(vec![source]) }
    }

    /// A claim about a ciphertext from elsewhere: coefficients of this deviation, in no relation to
    /// the key, possibly dependent on every other ciphertext.
    #[must_use]
    pub fn claimed(&self, deviation: f64) -> WordNoise {
        let power = BTreeMap::from([(FRESH, self.degree * deviation * deviation)]);
        WordNoise { power, fresh_degree: 1, sources: None }
    }

    /// The sum, whatever the operands have in common: `|x + y|^2 <= (1 + t) |x|^2 + (1 + 1/t) |y|^2`
    /// with the `t` that adds their deviations.
    #[must_use]
    pub fn add(&self, a: &WordNoise, b: &WordNoise) -> WordNoise {
        let (left, right) = (self.deviation(a), self.deviation(b));
        let mut power = BTreeMap::new();
        for (noise, own, other) in [(a, left, right), (b, right, left)] {
            let factor = if own > 0.0 && own.is_finite() { 1.0 + other / own } else { 1.0 };
            for (monomial, term) in noise.scaled(factor) {
                *power.entry(monomial).or_insert(0.0) += term;
            }
        }
        let fresh_degree = a.fresh_degree.max(b.fresh_degree);
        WordNoise { power, fresh_degree, sources: a.union(b) }
    }

    /// The product: `v_1 v_2`, as a polynomial.
    #[must_use]
    pub fn multiply(&self, a: &WordNoise, b: &WordNoise) -> WordNoise {
        let fresh_degree = a.fresh_degree.saturating_add(b.fresh_degree);
        let shared = if a.shares(b) { binomial(fresh_degree, a.fresh_degree) } else { 1.0 };
        let mut power = BTreeMap::new();
        for (&left, x) in &a.power {
            for (&right, y) in &b.power {
                let monomial: Monomial = std::array::from_fn(|i| left[i] + right[i]);
                let over = monomial.iter().any(|&exponent| u32::from(exponent) > MAX_DEGREE);
                let (monomial, term) =
                    if over { (FRESH, f64::INFINITY) } else { (monomial, shared * x * y) };
                *power.entry(monomial).or_insert(0.0) += term;
            }
        }
        if power.get(&FRESH).is_some_and(|power| power.is_infinite()) {
            power = BTreeMap::from([(FRESH, f64::INFINITY)]);
        }
        WordNoise { power, fresh_degree, sources: a.union(b) }
    }

    /// After a key switch at a level: `+ p sum_i D_i e_i`.
    #[must_use]
    pub fn key_switch(&self, noise: &WordNoise, level: usize) -> WordNoise {
        let modulus = self.levels.get(level).map_or(1.0, |&(_, modulus)| modulus);
        let base = f64::exp2(self.digit_bits.into());
        let (mut variance, mut mean_square) = (0.0, 0.0);
        let mut range = modulus;
        while range > 1.0 {
            let last = range < base;
            // The last digit takes a carry too.
            variance += if last { (range + 2.0).powi(2) } else { base * base - 1.0 } / 12.0;
            let mean: f64 = match self.digits {
                Digits::Signed => 0.5,
                Digits::Unsigned if last => range / 2.0,
                Digits::Unsigned => (base - 1.0) / 2.0,
            };
            mean_square += mean * mean;
            range /= base;
        }
        let error = self.plain * self.plain * self.degree * self.error;
        let mut noise = noise.clone();
        noise.fresh_degree = noise.fresh_degree.max(1);
        noise.plus(&[
            (FRESH_ERROR, error * self.degree * variance),
            (BIASED_ERROR, error * self.degree * mean_square),
        ]);
        noise
    }

    /// After switching from a level to the one below: `v/q - t_0 - t_1 s`, `t = c_q/q + k` with
    /// `c_q/q` uniform in `(-1/2, 1/2)` and `k` in `(-p/2, p/2]`, of mean 1/2.
    #[must_use]
    pub fn mod_switch(&self, noise: &WordNoise, level: usize) -> WordNoise {
        let q = self.levels.get(level).map_or(1.0, |&(q, _)| q);
        // Both vary by c_q, which covers whole periods of k but for one: hence the last term.
        let square = self.plain * self.plain;
        let variance = 1.0 / 12.0 + (square - 1.0) / 12.0 + square / q;
        let power = noise.scaled(1.0 / (q * q)).collect();
        let fresh_degree = noise.fresh_degree.max(1);
        let mut noise = WordNoise { power, fresh_degree, sources: noise.sources.clone() };
        noise.plus(&[
            (FRESH, self.degree * variance),
            (FRESH_SECRET, self.degree * variance * self.secret()),
            // |1 + s|^2 is not 1 + |s|^2: twice the 1 makes the mean of its square right.
            (BIAS, self.degree / 2.0),
            (BIASED_SECRET, self.degree / 4.0 * self.secret()),
        ]);
        noise
    }
}

/// `E[X^k]` of an exponential `X` of mean 1 that is at most `top`.
fn truncated_moment(k: u32, top: f64) -> f64 {
    // k! (1 - exp(-top) sum_{i <= k} top^i / i!) / (1 - exp(-top))
    let (mut factorial, mut term, mut sum) = (1.0, 1.0, 1.0);
    for i in 1..=k {
        factorial *= f64::from(i);
        term *= top / f64::from(i);
        sum += term;
    }
    let cut = (-top).exp();
    factorial * (1.0 - cut * sum) / (1.0 - cut)
}

/// `C(n, k)`.
fn binomial(n: u32, k: u32) -> f64 {
    (1..=k.min(n - k)).fold(1.0, |c, i| c * f64::from(n + 1 - i) / f64::from(i))
}

/// The `z` for which the inner product of two Gaussian vectors of length `n`, which is what a
/// coefficient of a product is, passes `z` deviations with probability [`FAILURE_LOG2`] over `n`:
/// by Chernoff's bound `exp(-t z sqrt(n)) (1 - t^2)^(-n/2)`, `t/(1 - t^2) = z/sqrt(n)`. It is more
/// than a Gaussian needs.
fn deviations(n: f64) -> f64 {
    let demanded = (2.0 * n).ln() - f64::from(FAILURE_LOG2) * LN_2;
    let exponent = |z: f64| {
        let y = z / n.sqrt();
        let t = ((1.0 + 4.0 * y * y).sqrt() - 1.0) / (2.0 * y);
        t * z * n.sqrt() + n / 2.0 * (1.0 - t * t).ln()
    };
    let (mut low, mut high) = (1.0, 100.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if exponent(middle) < demanded { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bgv_word::{WordParameters, WordPreset};

    fn model(name: &str) -> (NoiseModel, usize) {
        let literal = WordPreset::named(name).unwrap().acknowledged();
        let parameters = WordParameters::new(literal).unwrap();
        (parameters.noise().clone(), parameters.chain().top_level())
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        for (k, factorial) in [(0, 1.0), (1, 1.0), (2, 2.0), (5, 120.0)] {
            assert!((truncated_moment(k, 60.0) - factorial).abs() < 1e-9);
        }
        // By numerical integration.
        let (steps, top) = (100_000, 3.0);
        let points = (0..steps).map(|i| (f64::from(i) + 0.5) * top / f64::from(steps));
        let (weights, powers): (Vec<f64>, Vec<f64>) =
            points.map(|x| ((-x).exp(), (-x).exp() * x.powi(3))).unzip();
        let integral = powers.iter().sum::<f64>() / weights.iter().sum::<f64>();
        assert!((truncated_moment(3, top) - integral).abs() < 1e-6);
        assert_eq!([binomial(4, 2), binomial(8, 4), binomial(2, 2)], [6.0, 70.0, 1.0]);
        let (model, _) = model("PAPER_128");
        // B has the mean 1, and its square n/3.
        assert!((model.bias_moments[2] - 1.0).abs() < 1e-9);
        assert!((model.bias_moments[4] - 128.0 / 3.0).abs() < 0.01);
    }

    /// The Chernoff bound itself, at a point where it is known: more than a Gaussian, less at
    /// greater length.
    #[test]
    fn deviations_fall_towards_the_gaussian() {
        let found = [8.0, 128.0, 1024.0, 1e9].map(deviations);
        assert!(found.windows(2).take(2).all(|pair| pair[0] > pair[1]), "{found:?}");
        let gaussian = (2.0 * ((2e9f64).ln() + 40.0 * LN_2)).sqrt();
        assert!((found[3] - gaussian).abs() < 0.01, "{found:?} {gaussian}");
        assert!((found[1] - 9.05).abs() < 0.01, "{found:?}");
    }

    /// The fresh noise by hand: `p^2 (2/3) (1 + 2 n 2/3)` and the message, at most `p/2`.
    #[test]
    fn fresh_noise_by_hand() {
        let (model, _) = model("PAPER_128");
        let fresh = model.fresh();
        let n: f64 = 128.0;
        let s = truncated_moment(1, 64f64.ln() + 1.0);
        let variance = 1024.0 * 2.0 / 3.0 * (1.0 + n * 2.0 / 3.0 * (1.0 + s)) + 256.0;
        let expected = (variance * (1.0 + KEY_ALLOWANCE / n.sqrt())).sqrt();
        assert!((model.deviation(&fresh) - expected).abs() < 1e-9);
        // Sums of anything add deviations: a hundred times the same is a hundred times as large.
        let mut sum = model.fresh();
        for _ in 1..100 {
            sum = model.add(&sum, &fresh);
        }
        let ratio = model.deviation(&sum) / model.deviation(&fresh);
        assert!((ratio - 100.0).abs() < 1e-6, "{ratio}");
    }

    #[test]
    fn shared_encryptions_cost_a_binomial_factor() {
        let (model, top) = model("PAPER_128_P2_W6");
        let (a, b) = (model.fresh(), model.fresh());
        let ratio =
            |x: &WordNoise, y: &WordNoise| (model.deviation(x) / model.deviation(y)).powi(2);
        let (ab, aa) = (model.multiply(&a, &b), model.multiply(&a, &a));
        assert!((ratio(&aa, &ab) - 2.0).abs() < 1e-9);
        let claimed = model.claimed(1.0);
        let expected = model.multiply(&a, &claimed);
        assert_eq!(expected.sources, None);
        let (low, cd) = (model.mod_switch(&ab, top), model.multiply(&b, &model.fresh()));
        let cd = model.mod_switch(&cd, top);
        // a b and b c share b: C(4, 2).
        let other = model.mod_switch(&model.multiply(&model.fresh(), &model.fresh()), top);
        let shared = ratio(&model.multiply(&low, &cd), &model.multiply(&low, &other));
        assert!((shared - 6.0).abs() < 1e-9, "{shared}");
        // Products beyond every modulus are infinite, not a panic.
        let mut deep = aa;
        for _ in 0..8 {
            deep = model.multiply(&deep, &deep);
        }
        deep = model.add(&model.mod_switch(&model.key_switch(&deep, top), top), &a);
        assert!(model.bound(&deep).is_infinite());
    }
}
