//! Checked, immutable parameters.

use super::literal::{
    DigitChoice, ErrorDistribution, ParametersLiteral, SchemeKind, SecurityPolicy,
};
use super::noise::NoiseModel;
use super::security::{SecurityLevel, SecurityTable};
use crate::error::{Error, Result};
use cyclotron_ring::primes::is_prime;
use cyclotron_ring::{Modulus, primes};
use std::fmt;
use std::sync::Arc;

/// Smallest and largest ring degree of a parameter set.
pub const DEGREES: (usize, usize) = (1 << 3, 1 << 17);
/// Largest number of primes in `Q` and `P` together.
pub const MAX_LIMBS: usize = 96;
/// Largest plaintext modulus, in bits.
pub const MAX_PLAINTEXT_BITS: u32 = 60;

/// Identity of a parameter set: BLAKE3 of everything that decides what a ciphertext means
/// (scheme, degree, moduli, plaintext modulus, digits, error), but not of the security policy.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ParametersId([u8; 32]);

impl ParametersId {
    /// The 32 bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// An identity read from a file.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for ParametersId {
    /// The first eight bytes, in hexadecimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ParametersId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParametersId({self})")
    }
}

#[derive(Debug)]
struct Inner {
    literal: ParametersLiteral,
    id: ParametersId,
    plaintext: Modulus,
    moduli: Vec<Modulus>,
    special: Vec<Modulus>,
    noise: NoiseModel,
}

/// A checked parameter set; cheap to clone, shared by everything made from it.
#[derive(Debug, Clone)]
pub struct Parameters(Arc<Inner>);

impl Parameters {
    /// Checks a literal.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a value out of range, [`Error::Insecure`] when `log2(QP)` exceeds
    /// the chosen table and insecurity is not acknowledged, [`Error::Ring`] for primes that have
    /// no transform.
    pub fn new(literal: ParametersLiteral) -> Result<Self> {
        check_shape(&literal)?;
        check_plaintext(&literal)?;
        let moduli = check_primes(&literal, &literal.moduli)?;
        let special = check_primes(&literal, &literal.special_moduli)?;
        let mut all: Vec<u64> = [&literal.moduli[..], &literal.special_moduli[..]].concat();
        all.sort_unstable();
        if let Some(pair) = all.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(parameter("prime of Q and P", pair[0], "use each prime once"));
        }
        let inner = Inner {
            id: identity(&literal),
            plaintext: Modulus::new(literal.plaintext_modulus)?,
            moduli,
            special,
            noise: NoiseModel::new(&literal),
            literal,
        };
        inner.check_security()?;
        Ok(Self(Arc::new(inner)))
    }

    /// The literal that was checked.
    #[must_use]
    pub fn literal(&self) -> &ParametersLiteral {
        &self.0.literal
    }

    /// Identity, stamped on every key and ciphertext.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.0.id
    }

    /// The scheme.
    #[must_use]
    pub fn scheme(&self) -> SchemeKind {
        self.0.literal.scheme
    }

    /// Ring degree `n`.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.0.literal.degree
    }

    /// Plaintext modulus `t`.
    #[must_use]
    pub fn plaintext_modulus(&self) -> Modulus {
        self.0.plaintext
    }

    /// Primes of `Q`.
    #[must_use]
    pub fn moduli(&self) -> &[Modulus] {
        &self.0.moduli
    }

    /// Primes of `P`.
    #[must_use]
    pub fn special_moduli(&self) -> &[Modulus] {
        &self.0.special
    }

    /// The level of fresh ciphertexts: the number of primes of `Q`, less one.
    #[must_use]
    pub fn max_level(&self) -> usize {
        self.0.moduli.len() - 1
    }

    /// Noise bounds.
    #[must_use]
    pub fn noise(&self) -> &NoiseModel {
        &self.0.noise
    }

    /// `log2(Q)`.
    #[must_use]
    pub fn log_q(&self) -> f64 {
        log2_product(&self.0.moduli)
    }

    /// `log2(QP)`: what security is judged by.
    #[must_use]
    pub fn log_qp(&self) -> f64 {
        self.log_q() + log2_product(&self.0.special)
    }

    /// The strongest level that the set reaches in a table, whatever was asked for.
    #[must_use]
    pub fn security_in(&self, table: SecurityTable) -> Option<SecurityLevel> {
        table.level_of(self.degree(), self.log_qp())
    }

    /// Whether the plaintext modulus has slots: a prime `t = 1 mod 2n`.
    #[must_use]
    pub fn has_slots(&self) -> bool {
        let t = self.0.literal.plaintext_modulus;
        is_prime(t) && t % (2 * self.degree() as u64) == 1
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Inner {
    fn check_security(&self) -> Result<()> {
        match self.literal.security {
            SecurityPolicy::InsecureAcknowledged => Ok(()),
            SecurityPolicy::Table { level, table } => {
                let deviation = self.literal.error.deviation();
                if deviation < cyclotron_ring::sample::gaussian::DEFAULT_SIGMA {
                    let remedy = "the security tables presume at least 3.19; use the default \
                                  error, or acknowledge insecure parameters";
                    return Err(parameter("error deviation", deviation, remedy));
                }
                let log_qp = log2_product(&self.moduli) + log2_product(&self.special);
                table.check(self.literal.degree, log_qp, level)
            }
        }
    }
}

fn log2_product(moduli: &[Modulus]) -> f64 {
    moduli.iter().map(|q| (q.value() as f64).log2()).sum()
}

fn parameter(what: &'static str, value: impl fmt::Display, remedy: &str) -> Error {
    Error::Parameter { what, value: value.to_string(), remedy: remedy.to_owned() }
}

fn check_shape(literal: &ParametersLiteral) -> Result<()> {
    let (min, max) = DEGREES;
    if !literal.degree.is_power_of_two() || !(min..=max).contains(&literal.degree) {
        let remedy = format!("choose a power of two from {min} to {max}");
        return Err(parameter("ring degree", literal.degree, &remedy));
    }
    let limbs = literal.moduli.len() + literal.special_moduli.len();
    if literal.moduli.is_empty() || limbs > MAX_LIMBS {
        let remedy = format!("give 1 to {MAX_LIMBS} primes in Q and P together, one at least in Q");
        return Err(parameter("number of primes", limbs, &remedy));
    }
    match literal.digits {
        DigitChoice::Limbs(group) if !(1..=literal.moduli.len()).contains(&group) => {
            let remedy = format!("choose 1 to {}, the number of limbs", literal.moduli.len());
            return Err(parameter("limbs a digit", group, &remedy));
        }
        DigitChoice::Words(bits) if !(1..=30).contains(&bits) => {
            return Err(parameter("bits a digit", bits, "choose 1 to 30"));
        }
        _ => {}
    }
    match literal.error {
        ErrorDistribution::Gaussian(sigma) if !(0.5..=10.0).contains(&sigma) => {
            Err(parameter("error deviation", sigma, "choose 0.5 to 10 (default 3.19)"))
        }
        ErrorDistribution::Binomial(k) if !(1..=64).contains(&k) => {
            Err(parameter("binomial error k", k, "choose 1 to 64 (21 has deviation 3.24)"))
        }
        _ => Ok(()),
    }
}

fn check_plaintext(literal: &ParametersLiteral) -> Result<()> {
    let t = literal.plaintext_modulus;
    if !(2..1 << MAX_PLAINTEXT_BITS).contains(&t) {
        let remedy = format!("choose 2 to 2^{MAX_PLAINTEXT_BITS} - 1, or several moduli (CRT)");
        return Err(parameter("plaintext modulus", t, &remedy));
    }
    let primes = literal.moduli.iter().chain(&literal.special_moduli);
    if let Some(q) = primes.into_iter().find(|&&q| q != 0 && t.is_multiple_of(q)) {
        let remedy = format!("it must be coprime to every ciphertext prime; {q} divides it");
        return Err(parameter("plaintext modulus", t, &remedy));
    }
    Ok(())
}

fn check_primes(literal: &ParametersLiteral, values: &[u64]) -> Result<Vec<Modulus>> {
    values
        .iter()
        .map(|&q| {
            let modulus = Modulus::new(q)?;
            let order = 2 * literal.degree as u64;
            if !is_prime(q) || q % order != 1 {
                let found = primes::primes_below(modulus.bits(), order, 1, &[]);
                let example = found.map_or_else(
                    |_| "a wider prime".to_owned(),
                    |primes| format!("for example {}", primes[0]),
                );
                let remedy = format!("it must be a prime q = 1 mod {order}, {example}");
                return Err(parameter("ciphertext prime", q, &remedy));
            }
            Ok(modulus)
        })
        .collect()
}

/// BLAKE3 of the fields in the order and widths of `docs/file-format.md`.
fn identity(literal: &ParametersLiteral) -> ParametersId {
    let mut hasher = blake3::Hasher::new_derive_key("cyclotron parameters v1");
    hasher.update(literal.scheme.name().as_bytes());
    let mut word = |value: u64| {
        hasher.update(&value.to_le_bytes());
    };
    word(literal.degree as u64);
    word(literal.plaintext_modulus);
    for list in [&literal.moduli, &literal.special_moduli] {
        word(list.len() as u64);
        list.iter().for_each(|&q| word(q));
    }
    match literal.digits {
        DigitChoice::Limbs(group) => [0, group as u64].map(&mut word),
        DigitChoice::Words(bits) => [1, u64::from(bits)].map(&mut word),
    };
    match literal.error {
        ErrorDistribution::Gaussian(sigma) => [0, sigma.to_bits()].map(&mut word),
        ErrorDistribution::Binomial(k) => [1, u64::from(k)].map(&mut word),
    };
    ParametersId(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal() -> ParametersLiteral {
        ParametersLiteral::with_bits(SchemeKind::Bfv, 4096, 65_537, &[36, 36], &[34]).unwrap()
    }

    #[test]
    fn accepts_a_secure_set_and_says_what_it_is() {
        let parameters = Parameters::new(literal()).unwrap();
        assert!(parameters.log_qp() <= 106.0 && parameters.log_q() > 70.0);
        assert!(parameters.has_slots());
        let table = SecurityTable::default();
        assert_eq!(parameters.security_in(table), Some(SecurityLevel::Bits128));
    }

    #[test]
    fn refuses_what_is_out_of_range_with_the_value() {
        type Change = fn(&mut ParametersLiteral);
        let changes: [(&str, Change); 11] = [
            ("4095", |l| l.degree = 4095),
            ("262144", |l| l.degree = 1 << 18),
            ("number of primes is 1", |l| l.moduli.clear()),
            ("limbs a digit is 0", |l| l.digits = DigitChoice::Limbs(0)),
            ("limbs a digit is 3", |l| l.digits = DigitChoice::Limbs(3)),
            ("bits a digit is 0", |l| l.digits = DigitChoice::Words(0)),
            ("error deviation is 0.1", |l| l.error = ErrorDistribution::Gaussian(0.1)),
            ("plaintext modulus is 1", |l| l.plaintext_modulus = 1),
            ("1152921504606846976", |l| l.plaintext_modulus = 1 << 60),
            ("ciphertext prime is 12289", |l| l.moduli[0] = 12_289 /* not 1 mod 8192 */),
            ("use each prime once", |l| l.special_moduli[0] = l.moduli[0]),
        ];
        for (text, change) in changes {
            let mut changed = literal();
            change(&mut changed);
            let message = Parameters::new(changed).unwrap_err().to_string();
            assert!(message.contains(text), "{message:?} lacks {text:?}");
        }
    }

    #[test]
    fn refuses_insecure_sets_unless_acknowledged() {
        let mut wide =
            ParametersLiteral::with_bits(SchemeKind::Bgv, 4096, 257, &[50, 50], &[50]).unwrap();
        assert!(matches!(Parameters::new(wide.clone()), Err(Error::Insecure { limit: 106, .. })));
        wide.security = SecurityPolicy::InsecureAcknowledged;
        assert!(Parameters::new(wide).is_ok());

        let mut narrow_error = literal();
        narrow_error.error = ErrorDistribution::Gaussian(3.0);
        assert!(Parameters::new(narrow_error).unwrap_err().to_string().contains("3.19"));
    }

    #[test]
    fn identity_follows_meaning_not_policy() {
        let base = Parameters::new(literal()).unwrap();
        let mut acknowledged = literal();
        acknowledged.security = SecurityPolicy::InsecureAcknowledged;
        assert_eq!(Parameters::new(acknowledged).unwrap().id(), base.id());
        let changes: [fn(&mut ParametersLiteral); 5] = [
            |l| l.scheme = SchemeKind::Bgv,
            |l| l.plaintext_modulus = 257,
            |l| l.moduli.swap(0, 1),
            |l| l.digits = DigitChoice::Limbs(2),
            |l| l.error = ErrorDistribution::Binomial(21),
        ];
        for change in changes {
            let mut changed = literal();
            change(&mut changed);
            assert_ne!(Parameters::new(changed).unwrap().id(), base.id());
        }
    }

    #[test]
    fn literals_round_trip_through_json_and_reject_unknown_fields() {
        let text = serde_json::to_string(&literal()).unwrap();
        assert_eq!(serde_json::from_str::<ParametersLiteral>(&text).unwrap(), literal());
        let extra = text.replacen('{', "{\"surprise\":1,", 1);
        assert!(serde_json::from_str::<ParametersLiteral>(&extra).is_err());
    }
}
