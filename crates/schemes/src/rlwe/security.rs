//! How large a modulus may be: the published tables for ring LWE with a ternary secret.
//!
//! * `guidelines-2024`: Bossuat et al., *Security Guidelines for Implementing Homomorphic
//!   Encryption*, eprint 2024/463, table 5.2 (classical, error deviation 3.19). The default.
//! * `standard-2018`: HomomorphicEncryption.org, *Homomorphic Encryption Standard* (2018), table 1
//!   (classical); the row n = 65536 as coded in OpenFHE.
//! * `standard-2018-quantum`: the same standard, quantum attacks.
//!
//! The sets that other libraries use in benchmarks (log QP = 109, 218, 438, 881) are those of the
//! 2018 standard and exceed the 2024 rows; comparisons select `standard-2018` by name.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Bits of security asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SecurityLevel {
    /// 128 bits.
    #[serde(rename = "128")]
    Bits128,
    /// 192 bits.
    #[serde(rename = "192")]
    Bits192,
    /// 256 bits.
    #[serde(rename = "256")]
    Bits256,
}

impl SecurityLevel {
    /// Every level, weakest first.
    pub const ALL: [Self; 3] = [Self::Bits128, Self::Bits192, Self::Bits256];

    /// The number of bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bits128 => 128,
            Self::Bits192 => 192,
            Self::Bits256 => 256,
        }
    }

    /// The level of a number of bits.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless `bits` is 128, 192 or 256.
    pub fn from_bits(bits: u32) -> Result<Self> {
        Self::ALL.into_iter().find(|level| level.bits() == bits).ok_or_else(|| Error::Parameter {
            what: "security level",
            value: bits.to_string(),
            remedy: "choose 128, 192 or 256".to_owned(),
        })
    }
}

/// A published table of the largest secure moduli.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecurityTable {
    /// eprint 2024/463, table 5.2, classical.
    #[default]
    #[serde(rename = "guidelines-2024")]
    Guidelines2024,
    /// HomomorphicEncryption.org 2018, classical.
    #[serde(rename = "standard-2018")]
    Standard2018,
    /// HomomorphicEncryption.org 2018, quantum.
    #[serde(rename = "standard-2018-quantum")]
    Standard2018Quantum,
}

/// `(n, [128, 192, 256 bits])`; 0 where the table has no entry.
type Row = (usize, [u32; 3]);

const GUIDELINES_2024: [Row; 8] = [
    (1024, [26, 0, 0]),
    (2048, [53, 36, 27]),
    (4096, [106, 73, 56]),
    (8192, [214, 147, 114]),
    (16_384, [430, 297, 230]),
    (32_768, [868, 597, 462]),
    (65_536, [1747, 1199, 929]),
    (131_072, [3523, 2411, 1866]),
];

const STANDARD_2018: [Row; 7] = [
    (1024, [27, 19, 14]),
    (2048, [54, 37, 29]),
    (4096, [109, 75, 58]),
    (8192, [218, 152, 118]),
    (16_384, [438, 305, 237]),
    (32_768, [881, 611, 476]),
    (65_536, [1747, 1199, 929]),
];

const STANDARD_2018_QUANTUM: [Row; 7] = [
    (1024, [25, 17, 13]),
    (2048, [51, 35, 27]),
    (4096, [101, 70, 54]),
    (8192, [202, 141, 109]),
    (16_384, [411, 284, 220]),
    (32_768, [827, 571, 443]),
    (65_536, [1663, 1145, 888]),
];

impl SecurityTable {
    /// Every table.
    pub const ALL: [Self; 3] =
        [Self::Guidelines2024, Self::Standard2018, Self::Standard2018Quantum];

    /// The name used in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guidelines2024 => "guidelines-2024",
            Self::Standard2018 => "standard-2018",
            Self::Standard2018Quantum => "standard-2018-quantum",
        }
    }

    /// The table called `name`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unknown name.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name).ok_or_else(|| Error::Parameter {
            what: "security table",
            value: name.to_owned(),
            remedy: format!("choose one of {}", Self::ALL.map(Self::name).join(", ")),
        })
    }

    const fn rows(self) -> &'static [Row] {
        match self {
            Self::Guidelines2024 => &GUIDELINES_2024,
            Self::Standard2018 => &STANDARD_2018,
            Self::Standard2018Quantum => &STANDARD_2018_QUANTUM,
        }
    }

    /// The largest log2(QP) at degree `n`, or `None` where the table has no entry.
    #[must_use]
    pub fn max_log_qp(self, degree: usize, level: SecurityLevel) -> Option<u32> {
        let column = SecurityLevel::ALL.iter().position(|&own| own == level)?;
        let row = self.rows().iter().find(|row| row.0 == degree)?;
        Some(row.1[column]).filter(|&limit| limit > 0)
    }

    /// The strongest level that a modulus of `log_qp` bits reaches at degree `n`.
    #[must_use]
    pub fn level_of(self, degree: usize, log_qp: f64) -> Option<SecurityLevel> {
        SecurityLevel::ALL.into_iter().rev().find(|&level| {
            self.max_log_qp(degree, level).is_some_and(|limit| log_qp <= f64::from(limit))
        })
    }

    /// Refuses a modulus of `log_qp` bits above the table's limit.
    ///
    /// # Errors
    /// [`Error::Insecure`] with the limit.
    pub fn check(self, degree: usize, log_qp: f64, level: SecurityLevel) -> Result<()> {
        let limit = self.max_log_qp(degree, level).unwrap_or(0);
        if log_qp <= f64::from(limit) {
            return Ok(());
        }
        let table = self.to_string();
        Err(Error::Insecure { log_qp, limit, bits: level.bits(), degree, table })
    }
}

impl fmt::Display for SecurityTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peers_sets_fit_2018_and_not_2024() {
        for (degree, log_qp) in [(4096, 109.0), (8192, 218.0), (16_384, 438.0), (32_768, 881.0)] {
            let level = SecurityLevel::Bits128;
            assert!(SecurityTable::Standard2018.check(degree, log_qp, level).is_ok());
            let error = SecurityTable::Guidelines2024.check(degree, log_qp, level).unwrap_err();
            assert!(matches!(error, Error::Insecure { degree: d, .. } if d == degree));
        }
    }

    /// The rows as printed in the sources, typed in anew: 128, 192 and 256 bits.
    #[test]
    fn rows_are_those_of_the_sources() {
        let check = |table: SecurityTable, rows: &[(usize, u32, u32, u32)]| {
            assert_eq!(table.rows().len(), rows.len(), "{table}");
            for &(degree, a, b, c) in rows {
                let row =
                    SecurityLevel::ALL.map(|level| table.max_log_qp(degree, level).unwrap_or(0));
                assert_eq!(row, [a, b, c], "{table} n = {degree}");
            }
        };
        check(
            SecurityTable::Guidelines2024,
            &[
                (1024, 26, 0, 0),
                (2048, 53, 36, 27),
                (4096, 106, 73, 56),
                (8192, 214, 147, 114),
                (16_384, 430, 297, 230),
                (32_768, 868, 597, 462),
                (65_536, 1747, 1199, 929),
                (131_072, 3523, 2411, 1866),
            ],
        );
        check(
            SecurityTable::Standard2018,
            &[
                (1024, 27, 19, 14),
                (2048, 54, 37, 29),
                (4096, 109, 75, 58),
                (8192, 218, 152, 118),
                (16_384, 438, 305, 237),
                (32_768, 881, 611, 476),
                (65_536, 1747, 1199, 929),
            ],
        );
        check(
            SecurityTable::Standard2018Quantum,
            &[
                (1024, 25, 17, 13),
                (2048, 51, 35, 27),
                (4096, 101, 70, 54),
                (8192, 202, 141, 109),
                (16_384, 411, 284, 220),
                (32_768, 827, 571, 443),
                (65_536, 1663, 1145, 888),
            ],
        );
    }

    #[test]
    fn limits_grow_with_n_and_fall_with_security() {
        for table in SecurityTable::ALL {
            for pair in table.rows().windows(2) {
                assert!((0..3).all(|i| pair[0].1[i] < pair[1].1[i] && pair[1].0 == 2 * pair[0].0));
            }
            for row in table.rows() {
                assert!(row.1[0] > row.1[1] && row.1[1] >= row.1[2]);
            }
        }
    }

    #[test]
    fn degrees_outside_the_table_are_refused() {
        let error = SecurityTable::default().check(512, 1.0, SecurityLevel::Bits128).unwrap_err();
        assert!(matches!(error, Error::Insecure { limit: 0, .. }));
        assert!(SecurityTable::default().check(1024, 20.0, SecurityLevel::Bits192).is_err());
    }

    #[test]
    fn names_round_trip() {
        for table in SecurityTable::ALL {
            assert_eq!(SecurityTable::from_name(table.name()).unwrap(), table);
        }
        assert!(SecurityTable::from_name("2019").is_err());
        assert!(SecurityLevel::from_bits(100).is_err());
    }

    #[test]
    fn names_the_level_reached() {
        let table = SecurityTable::Guidelines2024;
        assert_eq!(table.level_of(32_768, 400.0), Some(SecurityLevel::Bits256));
        assert_eq!(table.level_of(32_768, 868.0), Some(SecurityLevel::Bits128));
        assert_eq!(table.level_of(32_768, 868.1), None);
    }
}
