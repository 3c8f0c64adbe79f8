//! Noise bounds of BFV modulo a power of two; the rules and their reasons are in `docs/noise.md`.
//!
//! With `Delta = q/t`, a whole number here, a ciphertext satisfies `c(s) = Delta m + e (mod q)`. It
//! decrypts while `|e| < Delta/2`; [`DECRYPTION_FRACTION`] of `Delta` is the capacity, so that a
//! wrong key or an altered ciphertext is noticed. What differs from `rlwe::noise`:
//!
//! * messages need no rounding, so a plaintext adds no noise;
//! * residues modulo `2^k` have the mean `-1/2` of their unit. Ciphertexts that were multiplied by
//!   public plaintexts are multiples of coarser units. Their noise grew by the same factor, so the
//!   unit stays below `Delta`, and `-Delta/(2q)` bounds the mean of `c/q`: one over `2t`.

use crate::rlwe::noise::DECRYPTION_FRACTION;
use cyclotron_ring::norms::Norms;

/// Bounds for one parameter set. Logarithms are binary.
#[derive(Debug, Clone)]
pub struct Pow2Noise {
    degree: usize,
    log_q: f64,
    log_t: f64,
    log_p: f64,
    error: Norms,
    secret: Norms,
    /// Uniform in `[-1/2, 1/2)`.
    rounding: Norms,
}

impl Pow2Noise {
    pub(super) fn new(degree: usize, log_q: u32, log_t: u32, log_p: u32) -> Self {
        Self {
            degree,
            log_q: log_q.into(),
            log_t: log_t.into(),
            log_p: log_p.into(),
            error: Norms::binomial(degree, super::parameters::ERROR_K),
            secret: Norms::bounded_ternary(degree),
            rounding: Norms::uniform(degree, -1.0),
        }
    }

    /// log2 of the largest noise that decrypts.
    #[must_use]
    pub fn capacity(&self) -> f64 {
        self.log_q - self.log_t + DECRYPTION_FRACTION.log2()
    }

    /// Bits left between a noise bound and the capacity; negative when there is no guarantee.
    #[must_use]
    pub fn margin(&self, noise: &Norms) -> f64 {
        self.capacity() - noise.inf_log2()
    }

    fn mul(&self, a: Norms, b: Norms) -> Norms {
        a.mul(b, self.degree)
    }

    /// A fresh ciphertext under the public key: `e1 + e2 s - u e`, `u` ternary.
    #[must_use]
    pub fn fresh(&self) -> Norms {
        let masked = self.mul(Norms::ternary(self.degree), self.error);
        masked + self.error + self.mul(self.error, self.secret)
    }

    /// After multiplying by a plaintext polynomial with these norms (centred lift).
    #[must_use]
    pub fn mul_plain(&self, noise: Norms, plain: Norms) -> Norms {
        self.mul(noise, plain)
    }

    /// Uniform in `[-1/2, 1/2)`, of a mean below `2^log_mean`.
    fn biased(&self, log_mean: f64) -> Norms {
        self.rounding + Norms::worst_case(self.degree, log_mean)
    }

    /// `r_0 + r_1 s` for two such polynomials.
    fn linear(&self, uniform: Norms) -> Norms {
        uniform + self.mul(uniform, self.secret)
    }

    /// A bound on `c(s)/q = (c_0 + c_1 s)/q`: of a uniform ciphertext, or of any, such as one whose
    /// `c_1` is zero.
    fn phase(&self, uniform: bool) -> Norms {
        let worst = Norms::worst_case(self.degree, -1.0);
        let part = if uniform { self.biased(-self.log_t - 1.0) } else { worst };
        self.linear(part.min(worst))
    }

    /// The product of two ciphertexts of two polynomials before relinearisation:
    /// `t c_1(s)/q e_2 + t c_2(s)/q e_1 + (t/q) e_1 e_2`, and the rounding of three polynomials.
    /// Each operand comes with whether its polynomials are (pseudo-)random.
    #[must_use]
    pub fn multiply(&self, a: (Norms, bool), b: (Norms, bool)) -> Norms {
        let ((a, a_uniform), (b, b_uniform)) = (a, b);
        let scaled = |uniform| self.phase(uniform).scale_log2(self.log_t);
        let square = self.mul(a, b).scale_log2(self.log_t - self.log_q);
        self.mul(scaled(a_uniform), b)
            + self.mul(scaled(b_uniform), a)
            + square
            + self.product_rounding(a_uniform && b_uniform)
    }

    /// `r_0 + r_1 s + r_2 s^2`, half a unit at most.
    fn product_rounding(&self, uniform: bool) -> Norms {
        let worst = Norms::worst_case(self.degree, -1.0);
        let biased = self.biased(self.log_t - self.log_q - 1.0).min(worst);
        let part = if uniform { biased } else { worst };
        let linear = self.mul(part, self.secret);
        part + linear + self.mul(linear, self.secret)
    }

    /// What relinearisation by a modulus raised by `p` adds: `c_2 e / p`, and the rounding of two
    /// polynomials. `uniform` says whether `c_2` is (pseudo-)random.
    #[must_use]
    pub fn relinearization(&self, uniform: bool) -> Norms {
        let worst = Norms::worst_case(self.degree, -1.0);
        let part = if uniform { self.biased(-self.log_t - 1.0).min(worst) } else { worst };
        let key = self.mul(part, self.error).scale_log2(self.log_q - self.log_p);
        let rounding = if uniform { self.biased(-self.log_p - 1.0).min(worst) } else { worst };
        key + self.linear(rounding)
    }
}
