//! What the schemes refuse; each error carries both values and names the remedy.

use crate::bfv_pow2::DeviceError;
use crate::bgv_word::BgvDeviceError;
use cyclotron_engine::EngineError;
use cyclotron_ring::RingError;
use thiserror::Error;

/// Result of a scheme operation.
pub type Result<T> = std::result::Result<T, Error>;

/// A refused operation.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine refused or failed.
    #[error(transparent)]
    Engine(EngineError),
    /// The ring arithmetic refused.
    #[error(transparent)]
    Ring(RingError),
    /// The encryption device refused or failed.
    #[error(transparent)]
    Device(DeviceError),
    /// The BGV device refused or failed.
    #[error(transparent)]
    BgvDevice(BgvDeviceError),
    /// A parameter outside its range.
    #[error("{what} is {value}; {remedy}")]
    Parameter {
        /// Which parameter.
        what: &'static str,
        /// The value given.
        value: String,
        /// What is accepted.
        remedy: String,
    },
    /// A modulus too large for the wanted security.
    #[error(
        "log2(QP) = {log_qp:.1} exceeds the {limit} bits of {bits}-bit security at n = {degree} in \
         the table {table}{}; use a larger degree, fewer limbs, or acknowledge insecure parameters",
        if *limit == 0 { " (it has no entry there)" } else { "" }
    )]
    Insecure {
        /// log2 of the whole modulus.
        log_qp: f64,
        /// Largest log2 in the table; 0 when the table has no entry.
        limit: u32,
        /// Security asked for, in bits.
        bits: u32,
        /// The ring degree.
        degree: usize,
        /// The table.
        table: String,
    },
    /// No parameters satisfy the request.
    #[error("no parameters for {request}: {reason}")]
    NoParameters {
        /// What was asked for.
        request: String,
        /// Why nothing fits, and what would.
        reason: String,
    },
    /// Objects of different parameter sets.
    #[error(
        "{what} belongs to parameters {found}, the context has {expected}; \
         use objects of one parameter set"
    )]
    ParameterMismatch {
        /// Which object.
        what: &'static str,
        /// Its parameter hash.
        found: String,
        /// The context's parameter hash.
        expected: String,
    },
    /// The noise bound leaves no guarantee of a right decryption.
    #[error(
        "{operation}: the noise bound 2^{bound:.1} passes the capacity 2^{capacity:.1} by \
         {:.1} bits; use parameters for a greater depth, or fewer operations", bound - capacity
    )]
    NoiseExhausted {
        /// The operation.
        operation: &'static str,
        /// log2 of the bound on the noise.
        bound: f64,
        /// log2 of the most noise that decrypts.
        capacity: f64,
    },
    /// The noise measured with the key is too near the limit: the result would be garbage.
    #[error(
        "decryption refused: measured noise is {fraction:.3} of the decryption limit, above \
         {limit:.3}; the ciphertext was altered, or its claimed noise bound 2^{claimed:.1} is false, \
         or it is encrypted under another key"
    )]
    NoiseMeasured {
        /// Measured noise as a fraction of the decryption limit.
        fraction: f64,
        /// Largest fraction accepted.
        limit: f64,
        /// The bound that the ciphertext carries.
        claimed: f64,
    },
    /// Operands at different levels, in strict mode.
    #[error(
        "{operation}: operands are at levels {left} and {right}; \
         call mod_switch({}) on the higher one, or use automatic mode",
        left.min(right)
    )]
    LevelMismatch {
        /// The operation.
        operation: &'static str,
        /// Level of one operand.
        left: usize,
        /// Level of the other.
        right: usize,
    },
    /// Operands whose BGV factors differ, in strict mode.
    #[error(
        "{operation}: the plaintext factors {left} and {right} differ; \
         bring both operands to their level by the same path, or use automatic mode"
    )]
    FactorMismatch {
        /// The operation.
        operation: &'static str,
        /// Factor of one operand.
        left: u64,
        /// Factor of the other.
        right: u64,
    },
    /// A level that does not exist or lies above the present one.
    #[error("level {level} is outside [{min}, {max}]; levels only fall")]
    LevelOutOfRange {
        /// The level asked for.
        level: usize,
        /// Lowest level.
        min: usize,
        /// Highest level possible here.
        max: usize,
    },
    /// A ciphertext of three polynomials where two are needed.
    #[error("{operation}: the operand has {parts} polynomials where 2 are needed; relinearize it")]
    NotLinear {
        /// The operation.
        operation: &'static str,
        /// Polynomials in the ciphertext.
        parts: usize,
    },
    /// A key that was not generated or loaded.
    #[error("{operation} needs {wanted}, present: {present}; {remedy}")]
    MissingKey {
        /// The operation.
        operation: &'static str,
        /// The key.
        wanted: String,
        /// Keys that are there.
        present: String,
        /// How to get it.
        remedy: String,
    },
    /// A value that the plaintext space cannot hold.
    #[error(
        "value {value} at index {index} is outside [{min}, {max}]; use a larger plaintext modulus"
    )]
    ValueOutOfRange {
        /// Where.
        index: usize,
        /// The value.
        value: String,
        /// Smallest value.
        min: String,
        /// Largest value.
        max: String,
    },
    /// More values than slots or coefficients.
    #[error("{found} values where at most {capacity} fit; split them over several ciphertexts")]
    TooManyValues {
        /// How many were given.
        found: usize,
        /// How many fit.
        capacity: usize,
    },
    /// Operands encoded differently.
    #[error("{operation}: operands are encoded as {left} and {right}; encode both the same way")]
    EncodingMismatch {
        /// The operation.
        operation: &'static str,
        /// Encoding of one operand.
        left: String,
        /// Encoding of the other.
        right: String,
    },
    /// The plaintext modulus has no slots.
    #[error(
        "plaintext modulus {modulus} has no slots at n = {degree}: batching needs a prime t with \
         t = 1 mod {}; choose one, or encode coefficients", 2 * degree
    )]
    NoSlots {
        /// The plaintext modulus.
        modulus: u64,
        /// The ring degree.
        degree: usize,
    },
    /// A file that is not what it should be.
    #[error("{what}: {reason}")]
    File {
        /// Which file or record.
        what: String,
        /// What is wrong with it, with the values found and expected.
        reason: String,
    },
}

impl From<RingError> for Error {
    fn from(error: RingError) -> Self {
        Self::Ring(error)
    }
}

impl From<DeviceError> for Error {
    fn from(error: DeviceError) -> Self {
        match error {
            DeviceError::Ring(ring) => Self::Ring(ring),
            other => Self::Device(other),
        }
    }
}

impl From<BgvDeviceError> for Error {
    fn from(error: BgvDeviceError) -> Self {
        match error {
            BgvDeviceError::Device(device) => device.into(),
            other => Self::BgvDevice(other),
        }
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Ring(ring) => Self::Ring(ring),
            other => Self::Engine(other),
        }
    }
}
