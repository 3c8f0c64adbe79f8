//! What the attacks refuse.

use cyclotron_ring::RingError;
use thiserror::Error;

/// A refused request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AttackError {
    /// An argument of the wrong length.
    #[error("{what}: {found} values where {expected} are needed")]
    Length {
        /// Which argument.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length needed.
        expected: usize,
    },
    /// A number of values that is no positive multiple of the degree.
    #[error("{what}: {found} values, which is no positive multiple of the degree {degree}")]
    NotWhole {
        /// Which argument.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The degree.
        degree: usize,
    },
    /// A coefficient that is not in `{-1, 0, 1}`.
    #[error("coefficient {index} of {what} is {value}, not -1, 0 or 1")]
    NotTernary {
        /// Which polynomial.
        what: &'static str,
        /// Where.
        index: usize,
        /// The value found.
        value: i32,
    },
    /// A plaintext that the batch does not have.
    #[error("plaintext {index} of a batch of {count}")]
    NoSuchPlaintext {
        /// The index asked for.
        index: usize,
        /// Plaintexts of the batch.
        count: usize,
    },
    /// A batch that would use the noise of the register more than once.
    #[error(
        "{found} noise samples are more than the period {period} of the register; \
         split the batch"
    )]
    PeriodExceeded {
        /// Samples needed.
        found: usize,
        /// The period.
        period: usize,
    },
    /// `p1` is divisible by so high a power of `x + 1` that `(x + 1)^v u` may exceed 31 bits: one
    /// key in `2^29`.
    #[error(
        "p1 is divisible by (x + 1)^{valuation}, beyond (x + 1)^{max}; one key in 2^29 is: \
         make another"
    )]
    Valuation {
        /// The exponent found (counting stops one past the largest).
        valuation: u32,
        /// The largest that the search takes.
        max: u32,
    },
    /// The ring refused.
    #[error(transparent)]
    Ring(#[from] RingError),
}
