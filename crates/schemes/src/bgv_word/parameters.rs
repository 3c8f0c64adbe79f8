//! Parameters of BGV modulo a word: an open literal, checked into an immutable set.

use super::chain::ModulusChain;
use super::noise::NoiseModel;
use super::parameter;
use crate::error::{Error, Result};
use crate::rlwe::{ParametersId, SecurityPolicy};
use cyclotron_ring::sample::device::DeviceNoise;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The distribution of the errors of keys and encryptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// Centred binomial with `k = 21`, deviation 3.24: what the security tables assume.
    #[default]
    Binomial,
    /// Uniform in `{-1, 0, 1}`, the paper's: no security table covers it.
    Ternary,
}

impl ErrorKind {
    /// The device's name for it.
    #[must_use]
    pub const fn device(self) -> DeviceNoise {
        match self {
            Self::Binomial => DeviceNoise::Binomial,
            Self::Ternary => DeviceNoise::Ternary,
        }
    }
}

/// How the third polynomial of a product is cut into digits of base `2^w`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Digits {
    /// Of the residue nearest to zero, digits in `[-2^(w-1), 2^(w-1))`, the last one what is left:
    /// a quarter of the variance, and next to no bias.
    #[default]
    Signed,
    /// Of the residue in `[0, Q_l)`, digits in `[0, 2^w)`, as in the paper.
    Unsigned,
}

/// Parameters before they are checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordLiteral {
    /// Ring degree `n`, a power of two from 8 to 8192.
    pub degree: usize,
    /// `q_0, ..., q_L`, odd, 1 modulo `p`, with a product below `2^27`; primes 1 modulo `2n` or
    /// products of them.
    pub factors: Vec<u64>,
    /// `psi` with `psi^n = -1`; none for the canonical one. It changes no result.
    pub root: Option<u64>,
    /// `p = 2^log_p`, the plaintext modulus, 1 to 8.
    pub log_p: u32,
    /// `w`: relinearisation works in base `2^w`, 1 to 26.
    pub digit_bits: u32,
    /// Signed or unsigned digits.
    pub digits: Digits,
    /// The errors.
    pub error: ErrorKind,
    /// What is demanded of the security, for `log2 Q` bits.
    pub security: SecurityPolicy,
}

#[derive(Debug)]
struct Inner {
    literal: WordLiteral,
    chain: ModulusChain,
    id: ParametersId,
    noise: NoiseModel,
}

/// A checked parameter set; cheap to clone, shared by everything made from it.
#[derive(Debug, Clone)]
pub struct WordParameters(Arc<Inner>);

impl WordParameters {
    /// Checks a literal.
    ///
    /// # Errors
    /// As [`ModulusChain::new`]; [`Error::Parameter`] for `w`, for errors that the demanded table
    /// does not cover, and where not even a fresh ciphertext is sure to decrypt;
    /// [`Error::Insecure`] when `log2 Q` exceeds the table and insecurity is not acknowledged.
    pub fn new(literal: WordLiteral) -> Result<Self> {
        let &WordLiteral { degree, log_p, digit_bits, error, security, .. } = &literal;
        let chain = ModulusChain::new(degree, &literal.factors, log_p, literal.root)?;
        if !(1..super::chain::MAX_LOG_Q).contains(&digit_bits) {
            let remedy = format!("choose 1 to {}", super::chain::MAX_LOG_Q - 1);
            return Err(parameter("bits of a digit", digit_bits, remedy));
        }
        if let SecurityPolicy::Table { level, table } = security {
            table.check(degree, (chain.top().value() as f64).log2(), level)?;
            if error == ErrorKind::Ternary {
                let remedy = "choose binomial, whose deviation the tables assume, or acknowledge \
                              insecure parameters"
                    .to_owned();
                return Err(parameter("distribution of the errors", "ternary", remedy));
            }
        }
        let noise = NoiseModel::new(&literal, &chain);
        let (fresh, limit) = (noise.bound(&noise.fresh()), noise.limit(chain.top_level()));
        if fresh > limit {
            let remedy = format!(
                "fresh noise may reach {fresh:.0} where {limit:.0} decrypts; choose a smaller \
                 plaintext modulus, or a larger ciphertext modulus"
            );
            return Err(parameter("log2 of the plaintext modulus", log_p, remedy));
        }
        let id = identity(&literal);
        Ok(Self(Arc::new(Inner { literal, chain, id, noise })))
    }

    /// The literal that was checked.
    #[must_use]
    pub fn literal(&self) -> &WordLiteral {
        &self.0.literal
    }

    /// The moduli.
    #[must_use]
    pub fn chain(&self) -> &ModulusChain {
        &self.0.chain
    }

    /// Identity, stamped on every key and ciphertext. The root and the security policy, which
    /// change no result, are no part of it.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.0.id
    }

    /// Ring degree `n`.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.0.literal.degree
    }

    /// `log2 p`.
    #[must_use]
    pub fn log_p(&self) -> u32 {
        self.0.literal.log_p
    }

    /// `p`.
    #[must_use]
    pub fn plain_modulus(&self) -> u64 {
        1 << self.log_p()
    }

    /// Signed or unsigned digits.
    #[must_use]
    pub fn digits(&self) -> Digits {
        self.0.literal.digits
    }

    /// `w`.
    #[must_use]
    pub fn digit_bits(&self) -> u32 {
        self.0.literal.digit_bits
    }

    /// `ceil(bits(Q) / w)`: digits of a residue, and rows of a relinearisation key.
    #[must_use]
    pub fn digit_count(&self) -> usize {
        self.chain().top().bits().div_ceil(self.digit_bits()) as usize
    }

    /// The errors.
    #[must_use]
    pub fn error(&self) -> ErrorKind {
        self.0.literal.error
    }

    /// The noise bounds.
    #[must_use]
    pub fn noise(&self) -> &NoiseModel {
        &self.0.noise
    }

    /// Pinned JSON: what a file of parameters holds.
    ///
    /// # Errors
    /// Never for checked parameters.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(&self.0.literal).map_err(|error| json(&error))
    }

    /// Parameters from JSON, checked anew.
    ///
    /// # Errors
    /// [`Error::File`] for what is no such JSON; as [`Self::new`].
    pub fn from_json(text: &str) -> Result<Self> {
        Self::new(serde_json::from_str(text).map_err(|error| json(&error))?)
    }

    /// Refuses an object of other parameters.
    pub(crate) fn check_id(&self, what: &'static str, found: ParametersId) -> Result<()> {
        if found == self.id() {
            return Ok(());
        }
        let (found, expected) = (found.to_string(), self.id().to_string());
        Err(Error::ParameterMismatch { what, found, expected })
    }
}

impl PartialEq for WordParameters {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

fn json(error: &serde_json::Error) -> Error {
    Error::File { what: "parameters of BGV modulo a word".to_owned(), reason: error.to_string() }
}

/// BLAKE3 of the fields that results depend on, as little-endian words.
fn identity(literal: &WordLiteral) -> ParametersId {
    let mut hasher = blake3::Hasher::new_derive_key("cyclotron parameters of bgv-word v1");
    let WordLiteral { degree, factors, log_p, digit_bits, digits, error, .. } = literal;
    let (digits, error) = (*digits as u64, *error as u64);
    let head = [*degree as u64, (*log_p).into(), (*digit_bits).into(), digits, error];
    for word in head.iter().chain(factors) {
        hasher.update(&word.to_le_bytes());
    }
    ParametersId::from_bytes(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rlwe::{SecurityLevel, SecurityTable};

    fn literal() -> WordLiteral {
        WordLiteral {
            degree: 1024,
            factors: vec![67_043_329],
            root: None,
            log_p: 1,
            digit_bits: 13,
            digits: Digits::Signed,
            error: ErrorKind::Binomial,
            security: SecurityPolicy::default(),
        }
    }

    #[test]
    fn refuses_what_is_out_of_range_with_the_value() {
        type Change = fn(&mut WordLiteral);
        let changes: [(&str, Change); 5] = [
            ("bits of a digit is 0", |l| l.digit_bits = 0),
            ("bits of a digit is 27", |l| l.digit_bits = 27),
            ("distribution of the errors is ternary", |l| l.error = ErrorKind::Ternary),
            ("fresh noise may reach", |l| {
                (l.factors, l.security) = (vec![12_289], SecurityPolicy::InsecureAcknowledged);
                l.log_p = 8;
            }),
            ("factor of the ciphertext modulus is 67043328", |l| l.factors = vec![67_043_328]),
        ];
        for (text, change) in changes {
            let mut changed = literal();
            change(&mut changed);
            let message = WordParameters::new(changed).unwrap_err().to_string();
            assert!(message.contains(text), "{message:?} lacks {text:?}");
        }
    }

    #[test]
    fn security_is_judged_by_the_whole_modulus() {
        assert!(WordParameters::new(literal()).is_ok());
        let mut wide = literal();
        wide.factors = vec![134_215_681];
        let refused = WordParameters::new(wide.clone());
        assert!(matches!(refused, Err(Error::Insecure { limit: 26, degree: 1024, .. })));
        let (level, table) = (SecurityLevel::Bits128, SecurityTable::Standard2018);
        wide.security = SecurityPolicy::Table { level, table };
        assert!(WordParameters::new(wide).is_ok());
    }

    #[test]
    fn identity_follows_what_results_depend_on() {
        let base = WordParameters::new(literal()).unwrap();
        let same: [fn(&mut WordLiteral); 2] = [
            |l| l.security = SecurityPolicy::InsecureAcknowledged,
            |l| l.root = Some(l.factors[0] - 1),
        ];
        let mut policy = literal();
        same[0](&mut policy);
        assert_eq!(WordParameters::new(policy).unwrap().id(), base.id());
        let mut root = literal();
        same[1](&mut root);
        assert_eq!(identity(&root), base.id());
        let changes: [fn(&mut WordLiteral); 5] = [
            |l| l.log_p = 2,
            |l| l.digit_bits = 12,
            |l| l.digits = Digits::Unsigned,
            |l| l.error = ErrorKind::Ternary,
            |l| l.factors = vec![66_994_177],
        ];
        for change in changes {
            let mut changed = literal();
            change(&mut changed);
            assert_ne!(identity(&changed), base.id());
        }
        let mut other = literal();
        other.log_p = 2;
        assert!(base.check_id("key", WordParameters::new(other).unwrap().id()).is_err());
    }

    #[test]
    fn json_round_trips_and_is_checked() {
        let base = WordParameters::new(literal()).unwrap();
        let text = base.to_json().unwrap();
        assert_eq!(WordParameters::from_json(&text).unwrap().literal(), base.literal());
        for broken in [text.replace("1024", "1023"), text.replacen('{', "{\"x\":1,", 1)] {
            assert!(WordParameters::from_json(&broken).is_err());
        }
        assert_eq!((base.plain_modulus(), base.digit_count()), (2, 2));
    }
}
