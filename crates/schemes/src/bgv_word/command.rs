//! The commands of a BGV device, and why one is refused.
//!
//! A device has numbered buffers, each of which holds a message, or a ciphertext of two or three
//! polynomials with its level. Operands stay as they are; the result replaces what buffer `to` held,
//! which may be an operand.

use thiserror::Error;

/// In which order a device keeps the polynomials of a result. It changes no value: buffers are read
/// as coefficients whatever they are kept as. A device saves transforms by it where the next command
/// is a product; the processor pays no heed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// As coefficients.
    #[default]
    Coefficients,
    /// As values at the roots of `x^n + 1`, in the order of the transform.
    Evaluations,
}

/// One step of a circuit. `l` is the level of the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// `c0 = p0 u + p e1 + m`, `c1 = p1 u + p e2` modulo `Q`, `m` lifted to `[-p/2, p/2)`; the result
    /// is at the top level. Encryption number `k` of a run draws the randomness number `k` of the
    /// seed and the run counter.
    Encrypt {
        /// Buffer of the message.
        message: usize,
        /// Buffer of the result.
        to: usize,
        /// How the result is kept.
        form: Form,
    },
    /// The sum, of ciphertexts of equally many polynomials.
    Add {
        /// Buffer of one operand.
        left: usize,
        /// Buffer of the other.
        right: usize,
        /// Buffer of the result.
        to: usize,
        /// How the result is kept.
        form: Form,
    },
    /// `(c0 d0, c0 d1 + c1 d0, c1 d1)` modulo `Q_l`: a ciphertext of three polynomials.
    Multiply {
        /// Buffer of one operand, of two polynomials.
        left: usize,
        /// Buffer of the other, of two polynomials.
        right: usize,
        /// Buffer of the result.
        to: usize,
        /// How the result is kept.
        form: Form,
    },
    /// From three polynomials to two: `d0 + sum D_i b_i`, `d1 + sum D_i a_i` modulo `Q_l`, with the
    /// digits `D_i` of `d2` and the rows `(b_i, a_i)` of the relinearisation key.
    KeySwitch {
        /// Buffer of the operand, of three polynomials.
        from: usize,
        /// Buffer of the result.
        to: usize,
        /// How the result is kept.
        form: Form,
    },
    /// From level `l` to `l - 1`, of two polynomials. With `q = q_l`, `c_q` the residue of `c` nearest
    /// to zero modulo `q`, and `k = -c_q mod p` in `(-p/2, p/2]`: `(c - c_q)/q - k` modulo `Q_{l-1}`.
    ModSwitch {
        /// Buffer of the operand.
        from: usize,
        /// Buffer of the result.
        to: usize,
    },
    /// `m = v mod p`, `v` the residue of `c0 + c1 s` nearest to zero modulo `Q_l`.
    Decrypt {
        /// Buffer of the ciphertext, of two polynomials.
        from: usize,
        /// Buffer of the message.
        to: usize,
    },
}

impl Command {
    /// What it is called in errors.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Encrypt { .. } => "encrypt",
            Self::Add { .. } => "add",
            Self::Multiply { .. } => "multiply",
            Self::KeySwitch { .. } => "key switch",
            Self::ModSwitch { .. } => "mod switch",
            Self::Decrypt { .. } => "decrypt",
        }
    }

    /// The buffer of its result.
    #[must_use]
    pub const fn destination(&self) -> usize {
        match *self {
            Self::Encrypt { to, .. }
            | Self::Add { to, .. }
            | Self::Multiply { to, .. }
            | Self::KeySwitch { to, .. }
            | Self::ModSwitch { to, .. }
            | Self::Decrypt { to, .. } => to,
        }
    }
}

/// Why a command, or a look into a buffer, was refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CommandError {
    /// A buffer that the device has not.
    #[error("{operation}: buffer {buffer} of {buffers}; use buffers 0 to {}", buffers - 1)]
    BufferOutOfRange {
        /// The operation.
        operation: &'static str,
        /// The buffer named.
        buffer: usize,
        /// How many there are.
        buffers: usize,
    },
    /// A buffer that nothing was written to.
    #[error("{operation}: buffer {buffer} is empty; write to it first")]
    Unwritten {
        /// The operation.
        operation: &'static str,
        /// The buffer.
        buffer: usize,
    },
    /// A message where a ciphertext is needed, or the other way round.
    #[error("{operation}: buffer {buffer} holds a {found} where a {expected} is needed")]
    WrongContents {
        /// The operation.
        operation: &'static str,
        /// The buffer.
        buffer: usize,
        /// What it holds.
        found: &'static str,
        /// What is needed.
        expected: &'static str,
    },
    /// Operands at different levels.
    #[error("{operation}: operands are at levels {left} and {right}; mod switch the higher one")]
    LevelMismatch {
        /// The operation.
        operation: &'static str,
        /// Level of one operand.
        left: usize,
        /// Level of the other.
        right: usize,
    },
    /// A level at which the operation does not exist.
    #[error("{operation}: level {level} is outside [{min}, {max}]; use parameters of more factors")]
    WrongLevel {
        /// The operation.
        operation: &'static str,
        /// The level.
        level: usize,
        /// The lowest possible.
        min: usize,
        /// The highest possible.
        max: usize,
    },
    /// A ciphertext of the wrong number of polynomials.
    #[error(
        "{operation}: buffer {buffer} has {found} polynomials where {expected} are needed; {}",
        if *found == 3 { "key switch it first" } else { "only products are key switched" }
    )]
    WrongParts {
        /// The operation.
        operation: &'static str,
        /// The buffer.
        buffer: usize,
        /// Its polynomials.
        found: usize,
        /// Those needed.
        expected: usize,
    },
    /// The noise of the result may be too large to decrypt.
    #[error(
        "{operation}: the noise may reach {bound:.0} where {limit:.0} decrypts; use a smaller \
         plaintext modulus or digit, fewer operations, or larger parameters"
    )]
    NoiseExhausted {
        /// The operation.
        operation: &'static str,
        /// What the noise passes with probability `2^-40` at most.
        bound: f64,
        /// `(Q_l - 1)/2`.
        limit: f64,
    },
    /// More encryptions in a run than randomness has numbers for.
    #[error("{found} encryptions where one run has {max}; split them over several runs")]
    TooManyEncryptions {
        /// How many.
        found: usize,
        /// How many are possible.
        max: usize,
    },
}
