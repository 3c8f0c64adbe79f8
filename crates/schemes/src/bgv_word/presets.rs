//! Named parameter sets.
//!
//! `PAPER_*` sets are those of the paper (S-BGV) and variants of them, `TOY_*` sets are for tests of
//! two different factors and of depth two. None is secure: [`super::WordParameters::new`] refuses
//! them until their `security` is set to [`SecurityPolicy::InsecureAcknowledged`];
//! [`WordPreset::caution`] says why. The others have 128 bits of security by the table that they
//! name.

use super::parameters::{Digits, ErrorKind, WordLiteral};
use crate::error::{Error, Result};
use crate::rlwe::{SecurityLevel, SecurityPolicy, SecurityTable};

/// A named set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordPreset {
    /// Its name.
    pub name: &'static str,
    /// Where it comes from, and what its noise allows.
    pub purpose: &'static str,
    /// Why it must not protect anything; none for secure sets.
    pub caution: Option<&'static str>,
    /// The table by which it has 128 bits; any for insecure sets, none of which allows them.
    pub table: SecurityTable,
    degree: usize,
    factors: &'static [u64],
    root: Option<u64>,
    log_p: u32,
    digit_bits: u32,
    error: ErrorKind,
}

const SMALL: &str = "ring degrees below 1024 have no security at such moduli: the key of n = 128 is \
                     found by lattice reduction on a laptop, and ternary errors are in no table";

const PAPER: WordPreset = WordPreset {
    name: "PAPER_128",
    purpose: "the paper's set: sums, and one product that fails to decrypt at times, so that strict \
              noise bounds refuse it",
    caution: Some(SMALL),
    table: SecurityTable::Guidelines2024,
    degree: 128,
    factors: &[257, 257, 257],
    root: Some(3_259_673),
    log_p: 5,
    digit_bits: 13,
    error: ErrorKind::Ternary,
};

const N1024: WordPreset = WordPreset {
    name: "N1024_Q26",
    purpose: "128 bits by the table of 2024: sums, and one product",
    caution: None,
    degree: 1024,
    factors: &[67_104_769],
    root: None,
    log_p: 1,
    digit_bits: 9,
    error: ErrorKind::Binomial,
    ..PAPER
};

/// Every set.
pub const PRESETS: [WordPreset; 8] = [
    PAPER,
    WordPreset {
        name: "PAPER_128_P2",
        purpose: "the paper's set with p = 2: one product, and sums after it",
        log_p: 1,
        ..PAPER
    },
    WordPreset {
        name: "PAPER_128_P2_W6",
        purpose: "the paper's set with p = 2 and small digits: as PAPER_128_P2; a second product \
                  mostly decrypts, without a guarantee, so that strict noise bounds refuse it",
        log_p: 1,
        digit_bits: 6,
        ..PAPER
    },
    WordPreset {
        name: "TOY_128_DEPTH2",
        purpose: "two factors chosen so that (a b)(c d) decrypts",
        factors: &[174_337, 769],
        root: None,
        log_p: 1,
        digit_bits: 5,
        ..PAPER
    },
    WordPreset {
        name: "TOY_256",
        purpose: "two factors of n = 256 with binomial errors: one product, and sums after it",
        degree: 256,
        factors: &[12_289, 10_753],
        root: None,
        log_p: 1,
        digit_bits: 9,
        error: ErrorKind::Binomial,
        ..PAPER
    },
    N1024,
    WordPreset {
        name: "N1024_Q27",
        purpose: "128 bits by the table of 2018 (27 bits at n = 1024), not by that of 2024: one \
                  product, and a sum after it",
        table: SecurityTable::Standard2018,
        factors: &[134_215_681],
        ..N1024
    },
    WordPreset {
        name: "N4096_Q27",
        purpose: "far more than 128 bits by the table of 2024: sums of messages modulo 32",
        degree: 4096,
        factors: &[134_176_769],
        log_p: 5,
        ..N1024
    },
];

impl WordPreset {
    /// The set called `name`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unknown name.
    pub fn named(name: &str) -> Result<Self> {
        PRESETS.into_iter().find(|preset| preset.name == name).ok_or_else(|| Error::Parameter {
            what: "preset",
            value: name.to_owned(),
            remedy: format!("choose one of {}", PRESETS.map(|preset| preset.name).join(", ")),
        })
    }

    /// Its literal, demanding 128 bits by its table.
    #[must_use]
    pub fn literal(&self) -> WordLiteral {
        let &Self { degree, root, log_p, digit_bits, error, table, .. } = self;
        WordLiteral {
            degree,
            factors: self.factors.to_vec(),
            root,
            log_p,
            digit_bits,
            digits: Digits::Signed,
            error,
            security: SecurityPolicy::Table { level: SecurityLevel::Bits128, table },
        }
    }

    /// Its literal for whoever has read [`Self::caution`] and uses it all the same.
    #[must_use]
    pub fn acknowledged(&self) -> WordLiteral {
        let mut literal = self.literal();
        if self.caution.is_some() {
            literal.security = SecurityPolicy::InsecureAcknowledged;
        }
        literal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bgv_word::{WordNoise, WordParameters};

    #[test]
    fn insecure_sets_must_be_acknowledged_and_the_others_are_secure() {
        for preset in PRESETS {
            let checked = WordParameters::new(preset.literal());
            match preset.caution {
                Some(_) => assert!(matches!(checked, Err(Error::Insecure { .. })), "{preset:?}"),
                None => assert!(checked.is_ok(), "{preset:?}: {checked:?}"),
            }
            let parameters = WordParameters::new(preset.acknowledged()).unwrap();
            let insecure = preset.name.starts_with("PAPER_") || preset.name.starts_with("TOY_");
            assert_eq!(insecure, preset.caution.is_some(), "{}", preset.name);
            assert_eq!(WordPreset::named(preset.name).unwrap(), preset);
            assert_eq!(parameters.literal().factors, preset.factors);
        }
        // Only the table of 2018 has 27 bits at n = 1024.
        let mut newer = WordPreset::named("N1024_Q27").unwrap();
        newer.table = SecurityTable::Guidelines2024;
        let refused = WordParameters::new(newer.literal());
        assert!(matches!(refused, Err(Error::Insecure { limit: 26, .. })), "{refused:?}");
        let unknown = WordPreset::named("PAPER_1").unwrap_err().to_string();
        assert!(unknown.contains("PAPER_1") && unknown.contains("N4096_Q27"), "{unknown}");
    }

    /// What the purposes promise of sums and products.
    #[test]
    fn margins_of_products() {
        for preset in PRESETS {
            let parameters = WordParameters::new(preset.acknowledged()).unwrap();
            let (noise, top) = (parameters.noise(), parameters.chain().top_level());
            let limit = noise.limit(top);
            let fresh = || noise.fresh();
            let product = |level| {
                let product = noise.multiply(&fresh(), &fresh());
                noise.key_switch(&product, level)
            };
            let (ab, cd) = (product(top), product(top));
            let sum = noise.add(&ab, &cd);
            let second = |left: &WordNoise, right: &WordNoise| {
                let low = [left, right].map(|x| noise.mod_switch(x, top));
                let product = noise.multiply(&low[0], &low[1]);
                let fraction = noise.bound(&noise.key_switch(&product, top - 1));
                fraction / noise.limit(top - 1)
            };
            let mut fractions = [noise.add(&fresh(), &fresh()), ab.clone(), sum]
                .map(|x| noise.bound(&x) / limit)
                .to_vec();
            if top > 0 {
                fractions.extend([second(&ab, &fresh()), second(&ab, &cd)]);
            }
            println!("{}: {fractions:.3?} of what decrypts", preset.name);
            fractions.resize(5, f64::INFINITY);
            let allowed: Vec<bool> = fractions.iter().map(|&fraction| fraction <= 1.0).collect();
            // a + b, a b, a b + c d, (a b) c, (a b)(c d)
            let promised = match preset.name {
                "PAPER_128" | "N4096_Q27" => [true, false, false, false, false],
                "PAPER_128_P2" | "PAPER_128_P2_W6" | "TOY_256" => [true, true, true, false, false],
                "TOY_128_DEPTH2" => [true, true, true, true, true],
                "N1024_Q26" => [true, true, false, false, false],
                _ => [true, true, true, false, false],
            };
            assert_eq!(allowed, promised, "{}", preset.name);
        }
    }
}
