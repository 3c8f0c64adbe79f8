//! Parameters of BFV modulo a power of two: an open literal, checked into an immutable set.
//!
//! Everything is a power of two: the degree `n`, `q = 2^log_q`, `t = 2^log_t`, and the factor
//! `p = 2^log_p` by which relinearisation raises the modulus. Errors are centred binomial with
//! `k = 21` (deviation 3.24) and secrets ternary, as `docs/device-randomness.md` has them, so
//! neither is a parameter.

use super::noise::Pow2Noise;
use super::ternary::MAX_DEGREE;
use crate::error::{Error, Result};
use crate::rlwe::{ParametersId, SecurityPolicy};
use cyclotron_ring::sample::device::MIN_DEGREE;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The `k` of the centred binomial error.
pub const ERROR_K: u32 = cyclotron_ring::sample::device::MAX_NOISE;

/// Most bits of `q` and of `p`: words of the processor.
pub const MAX_LOG_Q: u32 = 64;

/// Parameters before they are checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pow2Literal {
    /// Ring degree `n`, a power of two from 4 to 32768.
    pub degree: usize,
    /// `q = 2^log_q`, 2 to 64.
    pub log_q: u32,
    /// `t = 2^log_t`, at least 1.
    pub log_t: u32,
    /// `p = 2^log_p` of relinearisation, 1 to 64; 0 for parameters without relinearisation keys.
    pub log_p: u32,
    /// What is demanded of the security, for `log_q + log_p` bits.
    pub security: SecurityPolicy,
}

#[derive(Debug)]
struct Inner {
    literal: Pow2Literal,
    id: ParametersId,
    noise: Pow2Noise,
}

/// A checked parameter set; cheap to clone, shared by everything made from it.
#[derive(Debug, Clone)]
pub struct Pow2Parameters(Arc<Inner>);

impl Pow2Parameters {
    /// Checks a literal.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a value out of range, or a `t` so large that not even a fresh
    /// ciphertext is sure to decrypt; [`Error::Insecure`] when `log_q + log_p` exceeds the chosen
    /// table and insecurity is not acknowledged.
    pub fn new(literal: Pow2Literal) -> Result<Self> {
        let &Pow2Literal { degree, log_q, log_t, log_p, security } = &literal;
        if !degree.is_power_of_two() || !(MIN_DEGREE..=MAX_DEGREE).contains(&degree) {
            let remedy = format!("choose a power of two from {MIN_DEGREE} to {MAX_DEGREE}");
            return Err(parameter("ring degree", degree, remedy));
        }
        if !(2..=MAX_LOG_Q).contains(&log_q) {
            let remedy = format!("choose 2 to {MAX_LOG_Q}");
            return Err(parameter("log2 of the ciphertext modulus", log_q, remedy));
        }
        if !(1..log_q).contains(&log_t) {
            let remedy = format!("choose 1 to {} (below log_q = {log_q})", log_q - 1);
            return Err(parameter("log2 of the plaintext modulus", log_t, remedy));
        }
        if log_p > MAX_LOG_Q {
            let remedy = format!("choose 1 to {MAX_LOG_Q}, or 0 to do without relinearisation");
            return Err(parameter("log2 of the relinearisation factor", log_p, remedy));
        }
        let noise = Pow2Noise::new(degree, log_q, log_t, log_p);
        let (fresh, capacity) = (noise.fresh().inf_log2(), noise.capacity());
        if fresh > capacity {
            let remedy = format!(
                "fresh noise may reach 2^{fresh:.1} where 2^{capacity:.1} decrypts; choose {} bits \
                 less for t, or more for q",
                (fresh - capacity).ceil()
            );
            return Err(parameter("log2 of the plaintext modulus", log_t, remedy));
        }
        if let SecurityPolicy::Table { level, table } = security {
            table.check(degree, f64::from(log_q + log_p), level)?;
        }
        let id = identity(&literal);
        Ok(Self(Arc::new(Inner { literal, id, noise })))
    }

    /// The literal that was checked.
    #[must_use]
    pub fn literal(&self) -> &Pow2Literal {
        &self.0.literal
    }

    /// Identity, stamped on every key and ciphertext. The security policy is no part of it.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.0.id
    }

    /// Ring degree `n`.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.0.literal.degree
    }

    /// `log2 q`.
    #[must_use]
    pub fn log_q(&self) -> u32 {
        self.0.literal.log_q
    }

    /// `log2 t`.
    #[must_use]
    pub fn log_t(&self) -> u32 {
        self.0.literal.log_t
    }

    /// `log2 p` of relinearisation; 0 without.
    #[must_use]
    pub fn log_p(&self) -> u32 {
        self.0.literal.log_p
    }

    /// `log2(q/t)`, the place of the message.
    #[must_use]
    pub fn log_delta(&self) -> u32 {
        self.log_q() - self.log_t()
    }

    /// `q - 1`.
    #[must_use]
    pub fn mask_q(&self) -> u64 {
        u64::MAX >> (64 - self.log_q())
    }

    /// `t - 1`, the largest coefficient of a message.
    #[must_use]
    pub fn mask_t(&self) -> u64 {
        u64::MAX >> (64 - self.log_t())
    }

    /// Noise bounds.
    #[must_use]
    pub fn noise(&self) -> &Pow2Noise {
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

impl PartialEq for Pow2Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

fn parameter(what: &'static str, value: impl fmt::Display, remedy: String) -> Error {
    Error::Parameter { what, value: value.to_string(), remedy }
}

fn json(error: &serde_json::Error) -> Error {
    Error::File { what: "parameters of BFV modulo 2^k".to_owned(), reason: error.to_string() }
}

/// BLAKE3 of the fields in the order of `docs/file-format.md`.
fn identity(literal: &Pow2Literal) -> ParametersId {
    let mut hasher = blake3::Hasher::new_derive_key("cyclotron parameters of bfv-pow2 v1");
    let &Pow2Literal { degree, log_q, log_t, log_p, .. } = literal;
    for word in [degree as u64, log_q.into(), log_t.into(), log_p.into(), ERROR_K.into()] {
        hasher.update(&word.to_le_bytes());
    }
    ParametersId::from_bytes(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rlwe::{SecurityLevel, SecurityTable};

    fn literal() -> Pow2Literal {
        let security = SecurityPolicy::InsecureAcknowledged;
        Pow2Literal { degree: 1024, log_q: 32, log_t: 8, log_p: 0, security }
    }

    #[test]
    fn refuses_what_is_out_of_range_with_the_value() {
        type Change = fn(&mut Pow2Literal);
        let changes: [(&str, Change); 9] = [
            ("ring degree is 1000", |l| l.degree = 1000),
            ("ring degree is 2;", |l| l.degree = 2),
            ("ring degree is 65536", |l| l.degree = 1 << 16),
            ("ciphertext modulus is 65", |l| l.log_q = 65),
            ("ciphertext modulus is 1;", |l| l.log_q = 1),
            ("plaintext modulus is 0", |l| l.log_t = 0),
            ("plaintext modulus is 32", |l| l.log_t = 32),
            ("relinearisation factor is 65", |l| l.log_p = 65),
            ("fresh noise may reach", |l| l.log_t = 18),
        ];
        for (text, change) in changes {
            let mut changed = literal();
            change(&mut changed);
            let message = Pow2Parameters::new(changed).unwrap_err().to_string();
            assert!(message.contains(text), "{message:?} lacks {text:?}");
        }
    }

    #[test]
    fn security_counts_the_relinearisation_factor() {
        let mut secure = literal();
        secure.security = SecurityPolicy::default();
        let refused = Pow2Parameters::new(secure.clone());
        assert!(matches!(refused, Err(Error::Insecure { limit: 26, degree: 1024, .. })));
        secure.degree = 2048;
        assert!(Pow2Parameters::new(secure.clone()).is_ok());
        secure.log_p = 21;
        assert!(Pow2Parameters::new(secure.clone()).is_ok());
        secure.log_p = 22;
        let refused = Pow2Parameters::new(secure.clone());
        assert!(matches!(refused, Err(Error::Insecure { limit: 53, .. })), "{refused:?}");
        let (level, table) = (SecurityLevel::Bits128, SecurityTable::Standard2018);
        secure.security = SecurityPolicy::Table { level, table };
        assert!(Pow2Parameters::new(secure).is_ok());
    }

    #[test]
    fn identity_follows_meaning_not_policy() {
        let base = Pow2Parameters::new(literal()).unwrap();
        let mut policy = literal();
        policy.degree = 2048;
        let other = Pow2Parameters::new(policy.clone()).unwrap();
        policy.security = SecurityPolicy::default();
        assert_eq!(Pow2Parameters::new(policy).unwrap().id(), other.id());
        assert_ne!(base, other);
        let changes: [fn(&mut Pow2Literal); 3] =
            [|l| l.log_q = 33, |l| l.log_t = 9, |l| l.log_p = 1];
        for change in changes {
            let mut changed = literal();
            change(&mut changed);
            assert_ne!(Pow2Parameters::new(changed).unwrap().id(), base.id());
        }
        assert!(base.check_id("key", other.id()).is_err());
    }

    #[test]
    fn json_round_trips_and_is_checked() {
        let base = Pow2Parameters::new(literal()).unwrap();
        let text = base.to_json().unwrap();
        assert_eq!(Pow2Parameters::from_json(&text).unwrap().literal(), base.literal());
        for broken in [text.replace("1024", "1023"), text.replacen('{', "{\"x\":1,", 1)] {
            assert!(Pow2Parameters::from_json(&broken).is_err());
        }
        assert_eq!((base.mask_q(), base.mask_t(), base.log_delta()), (u32::MAX.into(), 255, 24));
    }
}
