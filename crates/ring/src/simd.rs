//! Which vector instructions this process may use.
//!
//! The level is found at run time; `CYCLOTRON_SIMD` forces one (`scalar`, `avx2`, `avx512`,
//! `avx512ifma`). Every level returns the same integers, so the choice changes only the speed.

use crate::error::{Result, RingError};
use std::fmt;
use std::str::FromStr;

/// Name of the environment variable that forces a level.
pub const SIMD_VARIABLE: &str = "CYCLOTRON_SIMD";

/// A set of vector instructions, from the slowest to the fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SimdLevel {
    /// Portable code: the specification.
    Scalar,
    /// 256-bit integer vectors.
    Avx2,
    /// 512-bit integer vectors (AVX-512 F, DQ, VL and BW).
    Avx512,
    /// 512-bit vectors with the 52-bit multiply-add of AVX-512 IFMA.
    Avx512Ifma,
}

impl SimdLevel {
    /// Every level, slowest first, whether or not this machine has it.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Avx2, Self::Avx512, Self::Avx512Ifma];

    /// The name used by `CYCLOTRON_SIMD`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx512Ifma => "avx512ifma",
        }
    }

    /// Whether this machine has the instructions of the level.
    #[must_use]
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let avx512 = || {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
            };
            match self {
                Self::Scalar => true,
                Self::Avx2 => is_x86_feature_detected!("avx2"),
                Self::Avx512 => avx512(),
                Self::Avx512Ifma => avx512() && is_x86_feature_detected!("avx512ifma"),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Scalar
        }
    }

    /// The levels this machine has, slowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|level| level.is_available()).collect()
    }

    /// The fastest level this machine has.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().last().copied().unwrap_or(Self::Scalar)
    }

    /// The level forced by `CYCLOTRON_SIMD`, or the fastest one when the variable is not set.
    ///
    /// # Errors
    /// [`RingError::SimdUnavailable`] when the variable names a level that is unknown or that the
    /// machine has not: a forced level is never silently replaced.
    pub fn from_environment() -> Result<Self> {
        match std::env::var(SIMD_VARIABLE) {
            Ok(name) => Self::require(&name),
            Err(_) => Ok(Self::detect()),
        }
    }

    /// The level called `name`, if this machine has it.
    ///
    /// # Errors
    /// [`RingError::SimdUnavailable`] when the level is unknown or missing here.
    pub fn require(name: &str) -> Result<Self> {
        name.parse::<Self>().ok().filter(|level| level.is_available()).ok_or_else(|| {
            let available: Vec<_> = Self::available().iter().map(|level| level.name()).collect();
            RingError::SimdUnavailable { wanted: name.to_owned(), available: available.join(", ") }
        })
    }
}

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SimdLevel {
    type Err = RingError;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| {
            RingError::SimdUnavailable {
                wanted: name.to_owned(),
                available: Self::ALL.map(Self::name).join(", "),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_unknown_names_are_refused() {
        for level in SimdLevel::ALL {
            assert_eq!(level.name().parse::<SimdLevel>().unwrap(), level);
        }
        let error = SimdLevel::require("sse9").unwrap_err();
        assert!(error.to_string().contains("sse9") && error.to_string().contains("scalar"));
    }

    #[test]
    fn scalar_is_always_there() {
        assert_eq!(SimdLevel::available()[0], SimdLevel::Scalar);
        assert!(SimdLevel::detect().is_available());
    }
}
