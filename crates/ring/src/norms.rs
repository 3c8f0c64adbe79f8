//! Bounds on three norms of a polynomial, and how they compose: noise without the secret key.
//!
//! For `a` in `R[x]/(x^n + 1)`, `n` a power of two:
//!
//! * `inf`: the largest `|a_i|`;
//! * `l2`: the Euclidean norm of the coefficients;
//! * `can`: the largest `|a(z)|` over the roots `z` of `x^n + 1` (canonical embedding).
//!
//! With `l2(a)^2 = (1/n) sum |a(z)|^2` (Parseval) they obey
//!
//! * `inf <= l2 <= can <= sqrt(n) l2` and `l2 <= sqrt(n) inf`;
//! * `can(ab) <= can(a) can(b)`; `l2(ab) <= min(can(a) l2(b), l2(a) can(b))`;
//! * `inf(ab) <= min(l2(a) l2(b), n inf(a) inf(b), l2(ab))`.
//!
//! A [`Norms`] holds an upper bound of each as its binary logarithm (a modulus reaches `2^3500`),
//! `-inf` for the zero polynomial. **Bounds never fall below the truth**: every result of floating
//! arithmetic is raised by `2^-39` in the logarithm, a relative `2^-40`, which is more than the
//! rounding errors of one operation on logarithms below `2^12`; what is not a number becomes an
//! infinite bound, that is, a refusal.
//!
//! # Random polynomials
//!
//! The constructors named after distributions hold **except with probability `2^-80`**
//! ([`FAILURE_LOG2`]) for each polynomial drawn. What follows from them by `+`, `*` and so on is
//! certain, whether operands are independent or not. The arguments:
//!
//! *Sub-Gaussian coefficients.* A random `X` is sub-Gaussian with variance proxy `V` when
//! `E exp(tX) <= exp(V t^2 / 2)` for every real `t`. The proxies used are
//! * uniform on `[-h, h]`: `h^2 / 3`, as `sinh(u) / u <= exp(u^2 / 6)` term by term;
//! * uniform on the integers `-m..=m`: with `h = m + 1/2`, since a uniform fraction on
//!   `[-1/2, 1/2]` added to it gives the uniform distribution on `[-h, h]`, and
//!   `E exp(t fraction) >= 1`;
//! * uniform on `{-1, 0, 1}`: `2 / 3`, as `(1 + 2 cosh t) / 3 <= exp(t^2 / 3)` term by term;
//! * discrete Gaussian of parameter `sigma`: `sigma^2`, since `E exp(tX) = exp(sigma^2 t^2 / 2)
//!   rho(Z - sigma^2 t) / rho(Z)` and a shift never raises `rho(Z)`
//!   (Micciancio and Peikert, EUROCRYPT 2012, lemma 2.8);
//! * centred binomial of parameter `k`: `k / 2`, as `cosh(t/2)^2 <= exp(t^2 / 4)`.
//!
//! *inf.* Each of the `2n` events `±a_i > s` has probability at most `exp(-s^2 / (2V))`, so
//! `s = sqrt(2 V ln(2n / p))` fails with probability at most `p`.
//!
//! *can.* At a root `z`, `Re(a(z) e^{i theta}) = sum a_i cos(...)` is sub-Gaussian with proxy
//! `n V / 2`, for the squared cosines add up to `n / 2` at every `theta`. If `|a(z)| > s / cos(pi /
//! d)` then one of `d` evenly spread directions has `Re > s`. Over `n / 2` roots (one of each
//! conjugate pair), `s = sqrt(n V ln(d (n/2) / p))` fails with probability at most `p`; `d = 32`.
//!
//! *l2.* Hsu, Kakade and Zhang (Electron. Commun. Probab. 17, 2012, theorem 2.1 with the identity
//! matrix): `l2^2 <= V (n + 2 sqrt(n x) + 2 x)` fails with probability at most `exp(-x)`.
//!
//! Each of the three takes `p = 2^-82`. The last quarter of `2^-80` covers what the samplers of
//! this crate differ from the distributions above (Gaussian: a statistical distance of `2^-120` a
//! coefficient; ternary: a relative `2^-62` of every probability), and that a bounded ternary
//! polynomial is drawn among accepted ones (a factor below 2 on its one probable norm).

mod embedding;

pub use embedding::CanonicalEmbedding;

use crate::error::{Result, RingError};
use std::f64::consts::{LN_2, PI};
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Binary logarithm of the probability that a bound on a random polynomial fails.
pub const FAILURE_LOG2: i32 = -80;

/// `-ln p` for the probability `p = 2^-82` that one of the three norms fails.
const FAILURE_OF_ONE_NORM: f64 = (2 - FAILURE_LOG2) as f64 * LN_2;

/// Directions in which a complex value is bounded.
const DIRECTIONS: f64 = 32.0;

/// What every logarithm is raised by: `2^-39`, a relative `2^-39.5` of the bound.
const RAISE: f64 = 1.0 / (1u64 << 39) as f64;

/// Upper bounds on the three norms of one polynomial. See the [module](self).
///
/// The bounds are ordered, `inf <= l2 <= can`, and each is a binary logarithm, `-inf` for zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norms {
    inf: f64,
    l2: f64,
    can: f64,
}

impl Norms {
    /// The zero polynomial.
    pub const ZERO: Self =
        Self { inf: f64::NEG_INFINITY, l2: f64::NEG_INFINITY, can: f64::NEG_INFINITY };

    /// Any polynomial of degree below `n` whose coefficients are at most `2^log2_inf` in
    /// magnitude.
    #[must_use]
    pub fn worst_case(n: usize, log2_inf: f64) -> Self {
        let log2_n = log2_degree(n);
        Self::ordered(log2_inf, log2_inf + log2_n / 2.0, log2_inf + log2_n)
    }

    /// A constant polynomial of magnitude at most `2^log2_abs`: its three norms are equal. Also
    /// any constant times a power of `x`.
    #[must_use]
    pub fn constant(log2_abs: f64) -> Self {
        Self::ordered(log2_abs, log2_abs, log2_abs)
    }

    /// `n` independent coefficients, uniform on the reals of `[-h, h]`, `h = 2^log2_half_width`,
    /// or on the integers `-m..=m` with `h = m + 1/2` (residues modulo an odd `q = 2h`, centred).
    ///
    /// Residues modulo an even `q` have the mean `-1/2`: they are this with `h = q / 2` plus
    /// [`Norms::worst_case`]`(n, -1.0)`. The same holds for rounding errors with ties to one side.
    #[must_use]
    pub fn uniform(n: usize, log2_half_width: f64) -> Self {
        Self::sub_gaussian(n, 1.0 / 3.0, 1.0).scale_log2(log2_half_width)
    }

    /// `n` independent uniform coefficients in `{-1, 0, 1}`.
    #[must_use]
    pub fn ternary(n: usize) -> Self {
        Self::sub_gaussian(n, 2.0 / 3.0, 1.0)
    }

    /// A polynomial drawn by [`SmallPoly::bounded_ternary`](crate::sample::SmallPoly::bounded_ternary):
    /// its canonical norm is at most [`secret_bound`]`(n)` for certain.
    #[must_use]
    pub fn bounded_ternary(n: usize) -> Self {
        let Self { inf, l2, can } = Self::ternary(n);
        Self::ordered(inf, l2, can.min(secret_bound(n).log2() + RAISE))
    }

    /// `n` independent discrete Gaussian coefficients of parameter `sigma`.
    #[must_use]
    pub fn gaussian(n: usize, sigma: f64) -> Self {
        Self::sub_gaussian(n, 1.0, f64::INFINITY).scale_log2(sigma.log2())
    }

    /// `n` independent centred binomial coefficients of parameter `k`.
    #[must_use]
    pub fn binomial(n: usize, k: u32) -> Self {
        Self::sub_gaussian(n, f64::from(k) / 2.0, f64::from(k))
    }

    /// `n` independent coefficients, sub-Gaussian with proxy `variance`, none above `bound`.
    fn sub_gaussian(n: usize, variance: f64, bound: f64) -> Self {
        debug_assert!(n.is_power_of_two(), "degree {n} of x^n + 1");
        let degree = n.max(1) as f64;
        let x = FAILURE_OF_ONE_NORM;
        let inf = bound.min((2.0 * variance * ((2.0 * degree).ln() + x)).sqrt());
        let l2 = (variance * (degree + 2.0 * (degree * x).sqrt() + 2.0 * x)).sqrt();
        let can = if n < 2 {
            inf
        } else {
            let directions = (DIRECTIONS * degree / 2.0).ln() + x;
            (degree * variance * directions).sqrt() / (PI / DIRECTIONS).cos()
        };
        Self::ordered(inf.log2() + RAISE, l2.log2() + RAISE, can.log2() + RAISE)
            .min(Self::worst_case(n, inf.log2() + RAISE))
    }

    /// The norms of a known real polynomial of `x^n + 1`, `n` the number of coefficients,
    /// computed in double precision and raised by a relative `2^-30`. Infinite when a coefficient
    /// is not finite.
    ///
    /// The polynomial must be public: the time depends on it.
    #[must_use]
    pub fn measured(coefficients: &[f64]) -> Self {
        let n = coefficients.len();
        let can = CanonicalEmbedding::new(n).norm(coefficients);
        if !can.is_finite() {
            return Self::ordered(f64::INFINITY, f64::INFINITY, f64::INFINITY);
        }
        let inf = coefficients.iter().fold(0.0f64, |most, a| most.max(a.abs()));
        if inf == 0.0 {
            return Self::ZERO;
        }
        let squares: f64 = coefficients.iter().map(|a| (a / inf) * (a / inf)).sum();
        let raise = f64::exp2(-30.0) / LN_2;
        Self::ordered(
            inf.log2() + raise,
            inf.log2() + squares.log2() / 2.0 + raise,
            can.log2() + raise,
        )
    }

    /// Bounds kept elsewhere, in a file for instance. A bound that is looser than another implies
    /// is lowered to it, so that `inf <= l2 <= can`.
    ///
    /// # Errors
    /// [`RingError::OutOfRange`] when a bound is infinite or not a number.
    pub fn from_parts(inf_log2: f64, l2_log2: f64, can_log2: f64) -> Result<Self> {
        for (what, value) in [
            ("binary logarithm of the largest coefficient", inf_log2),
            ("binary logarithm of the Euclidean norm", l2_log2),
            ("binary logarithm of the canonical norm", can_log2),
        ] {
            if value.is_nan() || value == f64::INFINITY {
                return Err(RingError::OutOfRange {
                    what,
                    value: value.to_string(),
                    min: f64::NEG_INFINITY.to_string(),
                    max: f64::MAX.to_string(),
                });
            }
        }
        Ok(Self::ordered(inf_log2, l2_log2, can_log2))
    }

    /// Puts bounds in order: `inf <= l2 <= can`.
    fn ordered(inf: f64, l2: f64, can: f64) -> Self {
        let sane = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
        let can = sane(can);
        let l2 = sane(l2).min(can);
        Self { inf: sane(inf).min(l2), l2, can }
    }

    /// `log2` of the bound on the largest coefficient.
    #[must_use]
    pub const fn inf_log2(self) -> f64 {
        self.inf
    }

    /// `log2` of the bound on the Euclidean norm.
    #[must_use]
    pub const fn l2_log2(self) -> f64 {
        self.l2
    }

    /// `log2` of the bound on the canonical norm.
    #[must_use]
    pub const fn can_log2(self) -> f64 {
        self.can
    }

    /// Whether this is the zero polynomial for certain.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.inf == f64::NEG_INFINITY
    }

    /// The product of two polynomials of `R[x]/(x^n + 1)`, dependent or not.
    #[must_use]
    pub fn mul(self, other: Self, n: usize) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        let log2_n = log2_degree(n);
        let l2 = (self.can + other.l2).min(self.l2 + other.can) + RAISE;
        let can = (self.can + other.can).min(l2 + log2_n / 2.0) + RAISE;
        let inf = (self.l2 + other.l2).min(self.inf + other.inf + log2_n) + RAISE;
        Self::ordered(inf, l2, can)
    }

    /// The polynomial times a real number of magnitude `2^x`.
    #[must_use]
    pub fn scale_log2(self, x: f64) -> Self {
        if self.is_zero() {
            return Self::ZERO;
        }
        Self::ordered(self.inf + x + RAISE, self.l2 + x + RAISE, self.can + x + RAISE)
    }

    /// The polynomial times a real number.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        self.scale_log2(factor.abs().log2())
    }

    /// Both bounds, when both hold of the same polynomial.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self::ordered(self.inf.min(other.inf), self.l2.min(other.l2), self.can.min(other.can))
    }

    /// Either bound, when it is not known which of the two polynomials it is.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self::ordered(self.inf.max(other.inf), self.l2.max(other.l2), self.can.max(other.can))
    }
}

/// The triangle inequality, in each norm.
impl Add for Norms {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::ordered(
            log2_of_sum(self.inf, other.inf),
            log2_of_sum(self.l2, other.l2),
            log2_of_sum(self.can, other.can),
        )
    }
}

impl AddAssign for Norms {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Norms {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::ZERO, Add::add)
    }
}

/// The bound that [`SmallPoly::bounded_ternary`](crate::sample::SmallPoly::bounded_ternary) puts
/// on the canonical norm of a secret key: `sqrt(2n/3 (ln(n/2) + 1))` for `n >= 8`, and `n`, which
/// every ternary polynomial meets, below.
///
/// At a root, `|s(z)|^2` is close to exponential with mean `2n/3`, so each of the `n/2` pairs of
/// roots exceeds the bound with probability about `2 / (e n)`, and a candidate passes with
/// probability about `exp(-1/e) = 0.69`.
#[must_use]
pub fn secret_bound(n: usize) -> f64 {
    let degree = n as f64;
    if n < 8 { degree } else { (2.0 * degree / 3.0 * ((degree / 2.0).ln() + 1.0)).sqrt() }
}

/// The largest magnitude of a real polynomial at the roots of `x^n + 1`, `n` the number of
/// coefficients, to a relative error below `2^-32`. See [`CanonicalEmbedding`], which keeps the
/// prepared transform.
#[must_use]
pub fn canonical_norm(coefficients: &[f64]) -> f64 {
    CanonicalEmbedding::new(coefficients.len()).norm(coefficients)
}

/// `log2 n`, exact for powers of two and raised otherwise; 0 for `n = 0`.
fn log2_degree(n: usize) -> f64 {
    if n.is_power_of_two() { f64::from(n.ilog2()) } else { (n.max(1) as f64).log2() + RAISE }
}

/// `log2(2^a + 2^b)`, raised; exact when one term is zero.
fn log2_of_sum(a: f64, b: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if small == f64::NEG_INFINITY {
        return large;
    }
    large + (small - large).exp2().ln_1p() / LN_2 + RAISE
}

#[cfg(test)]
mod tests;
