//! Noise bounds, computed without the secret key.
//!
//! Every ciphertext carries [`Norms`] of its noise: bounds on three norms of one polynomial,
//! which compose by inequalities that hold for *any* operands (`ct + ct`, `ct * ct` of itself).
//! Only fresh randomness is treated by its distribution: keys, errors, and the residues of
//! ciphertexts, which are uniform by the ring-LWE assumption; each such bound fails with
//! probability at most `2^-80` (`cyclotron_ring::norms`).
//!
//! With `c(s) = c_0 + c_1 s (+ c_2 s^2)`, the noise is
//! * BFV: `e` in `c(s) = (Q/t) m + e  (mod Q)`, real; right while `|e|_inf < Q/(2t)`;
//! * BGV: `v = m' + t e` in `c(s) = v (mod Q)`, centred; right while `|v|_inf < Q/2`.
//!
//! Derivations are in `docs/noise.md`. Fan-Vercauteren, eprint 2012/144; Kim, Polyakov and Zucca,
//! eprint 2021/204 (encoding by `round(Q m / t)`); Costache, Laine and Player, eprint 2019/493
//! (canonical embedding).

use super::literal::{DigitChoice, ErrorDistribution, ParametersLiteral, SchemeKind};
use cyclotron_ring::norms::Norms;

/// Largest fraction of the modulus (BFV: of `Q/t`) that the noise may reach, where 1/2 is the
/// limit of right decryption: what is between makes a wrong key or an altered ciphertext
/// detectable, because their noise is uniform.
pub const DECRYPTION_FRACTION: f64 = 3.0 / 8.0;

/// Bounds for one parameter set. Levels count limbs: at level `l` the modulus is `q_0 ... q_l`.
///
/// # Panics
/// [`NoiseModel::mod_switch`] and [`NoiseModel::key_switch`] for a level that does not exist;
/// the evaluator checks levels before.
#[derive(Debug, Clone)]
pub struct NoiseModel {
    scheme: SchemeKind,
    degree: usize,
    /// log2 of `t`.
    plaintext: f64,
    /// log2 of each prime of `Q`.
    moduli: Vec<f64>,
    /// log2 of each prime of `P`.
    special: f64,
    digits: DigitChoice,
    /// One error polynomial.
    error: Norms,
    /// The secret key.
    secret: Norms,
    /// A polynomial uniform in `[-1/2, 1/2)`.
    rounding: Norms,
}

impl NoiseModel {
    /// The bounds of a (checked) literal.
    #[must_use]
    pub fn new(literal: &ParametersLiteral) -> Self {
        let log2 = |q: &u64| (*q as f64).log2();
        Self::from_widths(
            literal.scheme,
            literal.degree,
            (literal.plaintext_modulus as f64).log2(),
            literal.moduli.iter().map(log2).collect(),
            literal.special_moduli.iter().map(log2).sum(),
            literal.digits,
            literal.error,
        )
    }

    /// The bounds for moduli of the given widths (log2), before primes are chosen.
    #[must_use]
    pub fn from_widths(
        scheme: SchemeKind,
        degree: usize,
        plaintext: f64,
        moduli: Vec<f64>,
        special: f64,
        digits: DigitChoice,
        error: ErrorDistribution,
    ) -> Self {
        let error = match error {
            ErrorDistribution::Gaussian(sigma) => Norms::gaussian(degree, sigma),
            ErrorDistribution::Binomial(k) => Norms::binomial(degree, k),
        };
        Self {
            scheme,
            degree,
            plaintext,
            moduli,
            special,
            digits,
            error,
            secret: Norms::bounded_ternary(degree),
            rounding: Norms::uniform(degree, -1.0),
        }
    }

    /// log2 of the modulus at a level.
    #[must_use]
    pub fn modulus(&self, level: usize) -> f64 {
        self.moduli.iter().take(level + 1).sum()
    }

    /// log2 of the largest noise that decrypts at a level.
    #[must_use]
    pub fn capacity(&self, level: usize) -> f64 {
        let scale = match self.scheme {
            SchemeKind::Bfv => self.plaintext,
            SchemeKind::Bgv => 0.0,
        };
        self.modulus(level) - scale + DECRYPTION_FRACTION.log2()
    }

    /// Bits left between a noise bound and the capacity; negative when there is no guarantee.
    #[must_use]
    pub fn margin(&self, noise: &Norms, level: usize) -> f64 {
        self.capacity(level) - noise.inf_log2()
    }

    fn mul(&self, a: Norms, b: Norms) -> Norms {
        a.mul(b, self.degree)
    }

    /// What an error term is multiplied by: `t` in BGV.
    fn error_scale(&self) -> f64 {
        match self.scheme {
            SchemeKind::Bfv => 0.0,
            SchemeKind::Bgv => self.plaintext,
        }
    }

    /// What adding a plaintext adds: the rounding of `Q m / t` in BFV, the message itself in
    /// BGV. The message is anything, so the worst case counts.
    #[must_use]
    pub fn message(&self) -> Norms {
        let largest = match self.scheme {
            SchemeKind::Bfv => -1.0,
            SchemeKind::Bgv => self.plaintext - 1.0,
        };
        Norms::worst_case(self.degree, largest)
    }

    /// A fresh ciphertext under the secret key: `e`.
    #[must_use]
    pub fn fresh_symmetric(&self) -> Norms {
        self.error.scale_log2(self.error_scale()) + self.message()
    }

    /// A fresh ciphertext under the public key: `u e_pk + e_0 + e_1 s`, `u` ternary.
    #[must_use]
    pub fn fresh_public(&self) -> Norms {
        let masked = self.mul(Norms::ternary(self.degree), self.error);
        let error = masked + self.error + self.mul(self.error, self.secret);
        error.scale_log2(self.error_scale()) + self.message()
    }

    /// Rounding both polynomials of a ciphertext: `r_0 + r_1 s`, scaled by `t` in BGV.
    #[must_use]
    pub fn ciphertext_rounding(&self) -> Norms {
        (self.rounding + self.mul(self.rounding, self.secret)).scale_log2(self.error_scale())
    }

    /// After dropping the limbs above level `to` of a ciphertext of 2 or 3 polynomials.
    #[must_use]
    pub fn mod_switch(&self, noise: Norms, parts: usize, from: usize, to: usize) -> Norms {
        let rounding = match parts {
            2 => self.ciphertext_rounding(),
            _ => self.product_rounding().scale_log2(self.error_scale()),
        };
        (to..from)
            .rev()
            .fold(noise, |noise, level| noise.scale_log2(-self.moduli[level + 1]) + rounding)
    }

    /// After multiplying by a plaintext polynomial with the given norms (centred lift).
    #[must_use]
    pub fn mul_plain(&self, noise: Norms, plain: Norms) -> Norms {
        self.mul(noise, plain)
    }

    /// The product of two ciphertexts at a level, before relinearisation.
    #[must_use]
    pub fn multiply(&self, a: Norms, b: Norms, level: usize) -> Norms {
        match self.scheme {
            SchemeKind::Bgv => self.mul(a, b),
            SchemeKind::Bfv => {
                // c(s)/Q = u_0 + u_1 s with u uniform in [-1/2, 1/2).
                let phase = self.rounding + self.mul(self.rounding, self.secret);
                let scaled = phase.scale_log2(self.plaintext);
                let square = self.mul(a, b).scale_log2(self.plaintext - self.modulus(level));
                self.mul(scaled, a) + self.mul(scaled, b) + square + self.product_rounding()
            }
        }
    }

    /// Rounding the three polynomials of a BFV product: `r_0 + r_1 s + r_2 s^2`.
    fn product_rounding(&self) -> Norms {
        let linear = self.mul(self.rounding, self.secret);
        self.rounding + linear + self.mul(linear, self.secret)
    }

    /// What one key switch adds at a level.
    #[must_use]
    pub fn key_switch(&self, level: usize) -> Norms {
        let limbs = &self.moduli[..=level];
        // Digits are centred residues: uniform within half of their modulus.
        let widths: Vec<f64> = match self.digits {
            DigitChoice::Limbs(group) => {
                limbs.chunks(group.max(1)).map(|group| group.iter().sum()).collect()
            }
            // One bit more than the base, for the last digit, which takes the final carry.
            DigitChoice::Words(bits) => limbs
                .iter()
                .flat_map(|log_q| {
                    let count = (log_q / f64::from(bits)).ceil() as usize;
                    std::iter::repeat_n(f64::from(bits) + 1.0, count)
                })
                .collect(),
        };
        // Balanced digits of an even base have mean -1/2, which is not random.
        let mean = match self.digits {
            DigitChoice::Limbs(_) => Norms::ZERO,
            DigitChoice::Words(_) => Norms::worst_case(self.degree, -1.0),
        };
        let products = widths.into_iter().fold(Norms::ZERO, |sum, width| {
            sum + self.mul(Norms::uniform(self.degree, width - 1.0) + mean, self.error)
        });
        let scaled = products.scale_log2(self.error_scale());
        if self.special == 0.0 {
            scaled
        } else {
            scaled.scale_log2(-self.special) + self.ciphertext_rounding()
        }
    }

    /// The level at which two operands are best multiplied: in BGV the one that leaves the most
    /// room for the product, after switching both down to it; in BFV the lower of the two.
    #[must_use]
    pub fn product_level(&self, a: Norms, a_level: usize, b: Norms, b_level: usize) -> usize {
        let highest = a_level.min(b_level);
        if self.scheme == SchemeKind::Bfv {
            return highest;
        }
        let room = |level: usize| {
            let left = self.mod_switch(a, 2, a_level, level);
            let right = self.mod_switch(b, 2, b_level, level);
            // A level where an operand itself has no room left is no choice.
            let operands = self.margin(&left, level).min(self.margin(&right, level));
            let product = self.multiply(left, right, level) + self.key_switch(level);
            self.margin(&product, level).min(operands)
        };
        (0..=highest).max_by(|&x, &y| room(x).total_cmp(&room(y))).unwrap_or(highest)
    }
}
