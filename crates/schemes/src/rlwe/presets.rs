//! Named parameter sets.
//!
//! `TOY_*` sets are far too small to be secure: tests and teaching; they must be acknowledged.
//! `STANDARD_2018_*` sets are the ones that other libraries use in benchmarks, at the limits of
//! the 2018 standard (they exceed the rows of 2024, and so name their table).

use super::literal::{ParametersLiteral, SchemeKind, SecurityPolicy};
use super::security::{SecurityLevel, SecurityTable};
use crate::error::{Error, Result};

/// A named set: degree, plaintext modulus, widths of the primes of `Q` and of `P`.
struct Preset {
    name: &'static str,
    degree: usize,
    plaintext: u64,
    moduli: &'static [u32],
    special: &'static [u32],
    table: SecurityTable,
}

/// Bits of security: none for `TOY_*`, 128 by its table for `STANDARD_2018_*`. A decryption that
/// the noise bound admits fails with probability below 2^-64 in all of them.
const PRESETS: [Preset; 6] = [
    // n = 64, log QP = 150: no security. Depth 1.
    Preset {
        name: "TOY_64",
        degree: 64,
        plaintext: 257,
        moduli: &[50, 50],
        special: &[50],
        table: SecurityTable::Guidelines2024,
    },
    // n = 1024, log QP = 250: no security. Depth 3.
    Preset {
        name: "TOY_1024",
        degree: 1024,
        plaintext: 65_537,
        moduli: &[50, 50, 50, 50],
        special: &[50],
        table: SecurityTable::Guidelines2024,
    },
    // n = 4096, log QP = 109: 128 bits by the 2018 table (2024: 106 at most).
    Preset {
        name: "STANDARD_2018_4096",
        degree: 4096,
        plaintext: 65_537,
        moduli: &[36, 36],
        special: &[37],
        table: SecurityTable::Standard2018,
    },
    // n = 8192, log QP = 218: 128 bits by the 2018 table (2024: 214 at most).
    Preset {
        name: "STANDARD_2018_8192",
        degree: 8192,
        plaintext: 65_537,
        moduli: &[43, 43, 44, 44],
        special: &[44],
        table: SecurityTable::Standard2018,
    },
    // n = 16384, log QP = 438: 128 bits by the 2018 table (2024: 430 at most).
    Preset {
        name: "STANDARD_2018_16384",
        degree: 16_384,
        plaintext: 65_537,
        moduli: &[48, 48, 48, 49, 49, 49],
        special: &[49, 49, 49],
        table: SecurityTable::Standard2018,
    },
    // n = 32768, log QP = 879: 128 bits by the 2018 table (881 at most; 2024: 868).
    Preset {
        name: "STANDARD_2018_32768",
        degree: 32_768,
        plaintext: 65_537,
        moduli: &[48, 48, 48, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49],
        special: &[49, 49, 49, 49],
        table: SecurityTable::Standard2018,
    },
];

/// Names of all sets.
#[must_use]
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// The literal of a named set. `TOY_*` sets are refused by [`super::Parameters::new`] until
/// their `security` is set to [`SecurityPolicy::InsecureAcknowledged`].
///
/// # Errors
/// [`Error::Parameter`] for an unknown name.
pub fn literal(name: &str, scheme: SchemeKind) -> Result<ParametersLiteral> {
    let preset = PRESETS.iter().find(|preset| preset.name == name);
    let preset = preset.ok_or_else(|| Error::Parameter {
        what: "preset",
        value: name.to_owned(),
        remedy: format!("choose one of {}", names().join(", ")),
    })?;
    let (t, moduli, special) = (preset.plaintext, preset.moduli, preset.special);
    let mut literal = ParametersLiteral::with_bits(scheme, preset.degree, t, moduli, special)?;
    literal.security = SecurityPolicy::Table { level: SecurityLevel::Bits128, table: preset.table };
    Ok(literal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rlwe::Parameters;

    #[test]
    fn standard_sets_are_accepted_and_toys_must_be_acknowledged() {
        for name in names() {
            for scheme in [SchemeKind::Bfv, SchemeKind::Bgv] {
                let mut literal = literal(name, scheme).unwrap();
                let checked = Parameters::new(literal.clone());
                if name.starts_with("TOY_") {
                    assert!(matches!(checked, Err(Error::Insecure { .. })), "{name}");
                    literal.security = SecurityPolicy::InsecureAcknowledged;
                    assert!(Parameters::new(literal).is_ok());
                } else {
                    assert!(checked.is_ok(), "{name}: {checked:?}");
                }
            }
        }
        assert!(super::literal("TOY_1", SchemeKind::Bfv).is_err());
    }
}
