//! Parameters as an open, serialisable literal; checked by [`super::Parameters`].

use super::security::{SecurityLevel, SecurityTable};
use crate::error::{Error, Result};
use cyclotron_ring::primes::primes_below;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A homomorphic encryption scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemeKind {
    /// Brakerski / Fan-Vercauteren: the message in the high bits (scale invariant).
    Bfv,
    /// Brakerski-Gentry-Vaikuntanathan: the message in the low bits (leveled).
    Bgv,
}

impl SchemeKind {
    /// The name used in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bfv => "bfv",
            Self::Bgv => "bgv",
        }
    }

    /// The scheme called `name`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unknown name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "bfv" => Ok(Self::Bfv),
            "bgv" => Ok(Self::Bgv),
            _ => Err(Error::Parameter {
                what: "scheme",
                value: name.to_owned(),
                remedy: "choose bfv or bgv".to_owned(),
            }),
        }
    }
}

impl fmt::Display for SchemeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Digits of key switching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DigitChoice {
    /// A digit is the residue modulo so many consecutive limbs: 1 gives RNS digits, more give
    /// hybrid digits (with special moduli of about the same total width).
    Limbs(usize),
    /// Signed digits in base `2^w` of each limb's residue.
    Words(u32),
}

/// Distribution of the error polynomials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorDistribution {
    /// Discrete Gaussian with this standard deviation.
    Gaussian(f64),
    /// Centred binomial: the sum of `k` bits minus the sum of `k` bits.
    Binomial(u32),
}

impl ErrorDistribution {
    /// The default: discrete Gaussian of deviation 3.19.
    pub const DEFAULT: Self = Self::Gaussian(cyclotron_ring::sample::gaussian::DEFAULT_SIGMA);

    /// The standard deviation.
    #[must_use]
    pub fn deviation(self) -> f64 {
        match self {
            Self::Gaussian(sigma) => sigma,
            Self::Binomial(k) => (f64::from(k) / 2.0).sqrt(),
        }
    }
}

/// What is demanded of the security of a parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecurityPolicy {
    /// Refuse moduli above a published table.
    Table {
        /// Bits of security.
        level: SecurityLevel,
        /// The table.
        table: SecurityTable,
    },
    /// Not checked: the user knows that the set may be insecure.
    InsecureAcknowledged,
}

impl Default for SecurityPolicy {
    fn default() -> Self {
        Self::Table { level: SecurityLevel::Bits128, table: SecurityTable::default() }
    }
}

/// A parameter set as anyone may write it; nothing is checked until [`super::Parameters::new`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParametersLiteral {
    /// The scheme.
    pub scheme: SchemeKind,
    /// Ring degree `n`, a power of two.
    pub degree: usize,
    /// Plaintext modulus `t`, 2 to 60 bits.
    pub plaintext_modulus: u64,
    /// Primes of the ciphertext modulus `Q`, `q = 1 mod 2n`, dropped from the last to the first.
    pub moduli: Vec<u64>,
    /// Primes of the special modulus `P` of key switching; may be empty.
    pub special_moduli: Vec<u64>,
    /// Digits of key switching.
    pub digits: DigitChoice,
    /// Distribution of errors.
    pub error: ErrorDistribution,
    /// What is demanded of the security.
    pub security: SecurityPolicy,
}

impl ParametersLiteral {
    /// A literal with the largest fitting primes of the given widths, hybrid digits of as many
    /// limbs as there are special primes (RNS digits when there is none).
    ///
    /// # Errors
    /// [`Error::Ring`] when there are not enough primes.
    pub fn with_bits(
        scheme: SchemeKind,
        degree: usize,
        plaintext_modulus: u64,
        moduli_bits: &[u32],
        special_bits: &[u32],
    ) -> Result<Self> {
        let avoid = [plaintext_modulus];
        Self::with_bits_avoiding(
            scheme,
            degree,
            plaintext_modulus,
            moduli_bits,
            special_bits,
            &avoid,
        )
    }

    /// The same, with none of the primes in `avoid`: the plaintext moduli of several channels.
    ///
    /// # Errors
    /// [`Error::Ring`] when there are not enough primes.
    pub fn with_bits_avoiding(
        scheme: SchemeKind,
        degree: usize,
        plaintext_modulus: u64,
        moduli_bits: &[u32],
        special_bits: &[u32],
        avoid: &[u64],
    ) -> Result<Self> {
        let mut used = avoid.to_vec();
        let mut take = |bits: &[u32]| -> Result<Vec<u64>> {
            bits.iter()
                .map(|&bits| {
                    let prime = primes_below(bits, 2 * degree as u64, 1, &used)?[0];
                    used.push(prime);
                    Ok(prime)
                })
                .collect()
        };
        let special_moduli = take(special_bits)?;
        let moduli = take(moduli_bits)?;
        Ok(Self {
            scheme,
            degree,
            plaintext_modulus,
            moduli,
            digits: DigitChoice::Limbs(special_moduli.len().max(1)),
            special_moduli,
            error: ErrorDistribution::DEFAULT,
            security: SecurityPolicy::default(),
        })
    }
}
