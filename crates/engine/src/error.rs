//! What an engine can refuse or fail at; each error carries the values and the remedy.

use crate::shape::Shape;
use cyclotron_ring::RingError;
use thiserror::Error;

/// Result of an engine operation.
pub type Result<T> = std::result::Result<T, EngineError>;

/// A refused or failed engine operation.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The ring arithmetic below refused.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// The engine has not this operation, ring or modulus.
    #[error("engine {engine} does not support {what}; {remedy}")]
    Unsupported {
        /// Name of the engine.
        engine: String,
        /// What was asked for, with its values.
        what: String,
        /// What to do instead.
        remedy: String,
    },
    /// Two operands whose shapes must agree do not.
    #[error("{operation}: operand of shape {found} where {expected} is needed")]
    ShapeMismatch {
        /// The operation.
        operation: &'static str,
        /// The operand's shape.
        found: Shape,
        /// The shape needed.
        expected: String,
    },
    /// Operands of different rings.
    #[error("{operation}: operands belong to the rings {left} and {right}; use one context")]
    RingMismatch {
        /// The operation.
        operation: &'static str,
        /// Identity of one ring.
        left: String,
        /// Identity of the other.
        right: String,
    },
    /// A buffer of another engine.
    #[error(
        "{operation}: buffer belongs to engine {found}, not to {expected}; \
         download it there and upload it here"
    )]
    WrongEngine {
        /// The operation.
        operation: &'static str,
        /// The engine called.
        expected: String,
        /// The engine that owns the buffer.
        found: String,
    },
    /// A plan made for other moduli than the operands have.
    #[error("{operation}: the plan is for moduli {plan}, the operand has {operand}")]
    PlanMismatch {
        /// The operation.
        operation: &'static str,
        /// Moduli of the plan.
        plan: String,
        /// Moduli of the operand.
        operand: String,
    },
    /// No memory left within the engine's limit.
    #[error(
        "engine {engine}: {requested} bytes asked for, {available} bytes left; \
         free buffers or keys, use a smaller batch, or raise the limit"
    )]
    OutOfMemory {
        /// Name of the engine.
        engine: String,
        /// Bytes asked for.
        requested: u64,
        /// Bytes left within the limit.
        available: u64,
    },
    /// The device failed; the outputs of the queue are poisoned.
    #[error("engine {engine} failed: {reason}; results queued since the last wait are lost")]
    Device {
        /// Name of the engine.
        engine: String,
        /// What it said.
        reason: String,
    },
    /// The start-up self-test found wrong results: the engine must not be used.
    #[error("engine {engine} gives wrong results in its self-test ({test}); it is not used")]
    SelfTest {
        /// Name of the engine.
        engine: String,
        /// The test that failed.
        test: String,
    },
    /// A dry run has no data to give.
    #[error("a metered dry run holds no data: {operation} is not possible; wrap a real engine")]
    DryRun {
        /// The operation.
        operation: &'static str,
    },
    /// An engine could not be configured.
    #[error("engine configuration: {0}")]
    Configuration(String),
}
