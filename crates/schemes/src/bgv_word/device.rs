//! What a BGV device is: the processor, a simulated accelerator, or an FPGA board.
//!
//! A device has [`BgvDescription::buffers`] numbered buffers and runs lists of [`Command`]s over
//! them, so that a whole leveled circuit runs without the host. **Every device returns the same
//! words** for the same keys, seed, run counter, messages and commands. [`super::CpuBgv`] is the
//! reference. Devices are opened for one parameter set, by functions of their own such as
//! [`super::CpuBgv::open`].
//!
//! A list is checked as a whole before anything runs ([`super::Buffers::plan`], the same for all
//! devices): what is refused changes nothing, and uses no run counter up.

use super::buffers::Refusal;
use super::ciphertext::WordCiphertext;
use super::command::{Command, CommandError};
use super::keys::{KeySet, PublicKey, RelinearizationKey, SecretKey};
use super::parameters::WordParameters;
use crate::bfv_pow2::{Cost, DeviceError};
use cyclotron_ring::RingError;
use cyclotron_ring::sample::SecretSeed;
use thiserror::Error;

/// Result of a device operation.
pub type BgvResult<T> = std::result::Result<T, BgvDeviceError>;

/// What a device is, and how much it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct BgvDescription {
    /// For people: the processor and its instructions, the simulator, or the board.
    pub name: String,
    /// What it was opened for.
    pub parameters: WordParameters,
    /// How many buffers it has.
    pub buffers: usize,
    /// Most commands of a run.
    pub max_commands: usize,
    /// Whether cycles are those of a simulation.
    pub simulated: bool,
}

/// Why a device refused or failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BgvDeviceError {
    /// A command of a list; nothing of the list has run.
    #[error("command {index}: {reason}")]
    Command {
        /// Which command, from 0.
        index: usize,
        /// Why.
        reason: CommandError,
    },
    /// A read or write of a buffer.
    #[error(transparent)]
    Access(#[from] CommandError),
    /// A key or seed that was not loaded.
    #[error("{operation} needs a {what}; load it first")]
    NotLoaded {
        /// The operation.
        operation: &'static str,
        /// The key, or the seed.
        what: &'static str,
    },
    /// What is not particular to BGV: operands, seeds and counters, the bus.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl From<RingError> for BgvDeviceError {
    fn from(error: RingError) -> Self {
        Self::Device(error.into())
    }
}

/// A device for one parameter set.
///
/// Keys, seed and buffers stay until they are replaced or the device is dropped, which wipes what is
/// secret. Every method checks its operands before it changes anything.
pub trait BgvDevice: Send {
    /// What the device is.
    fn describe(&self) -> BgvDescription;

    /// What it does with commands whose noise may be too large: [`Refusal::Strict`] until told
    /// otherwise.
    fn set_refusal(&mut self, refusal: Refusal);

    /// Loads the key of [`Command::Encrypt`].
    ///
    /// # Errors
    /// [`DeviceError::Mismatch`] for a key of other parameters; others as the device fails.
    fn load_public_key(&mut self, key: &PublicKey) -> BgvResult<()>;

    /// Loads the key of [`Command::Decrypt`].
    ///
    /// # Errors
    /// As [`Self::load_public_key`].
    fn load_secret_key(&mut self, key: &SecretKey) -> BgvResult<()>;

    /// Loads the key of [`Command::KeySwitch`].
    ///
    /// # Errors
    /// As [`Self::load_public_key`].
    fn load_relinearization_key(&mut self, key: &RelinearizationKey) -> BgvResult<()>;

    /// Loads all keys.
    ///
    /// # Errors
    /// As [`Self::load_public_key`].
    fn load_keys(&mut self, keys: &KeySet) -> BgvResult<()> {
        self.load_public_key(&keys.public)?;
        self.load_secret_key(&keys.secret)?;
        self.load_relinearization_key(&keys.relinearization)
    }

    /// Loads the secret seed of encryptions and the counter of the next run. The counter goes up by
    /// one with every run that has begun and that encrypts.
    ///
    /// # Errors
    /// [`DeviceError::SeedZero`]; [`DeviceError::CounterReused`] for a counter below the next one of
    /// the seed that is loaded, which would repeat randomness; [`DeviceError::CounterExhausted`] for
    /// `2^64 - 1`, which has no successor.
    fn load_seed(&mut self, seed: &SecretSeed, run_counter: u64) -> BgvResult<()>;

    /// Writes a message, `n` words in `[0, p)`, secret.
    ///
    /// # Errors
    /// [`CommandError::BufferOutOfRange`]; [`DeviceError::WrongSize`], [`DeviceError::OutOfRange`].
    fn write_message(&mut self, buffer: usize, message: &[u64]) -> BgvResult<()>;

    /// Writes a ciphertext with its noise.
    ///
    /// # Errors
    /// [`CommandError::BufferOutOfRange`]; [`DeviceError::Mismatch`] for other parameters.
    fn write_ciphertext(&mut self, buffer: usize, ciphertext: &WordCiphertext) -> BgvResult<()>;

    /// Runs a list of commands, one after another.
    ///
    /// # Errors
    /// [`BgvDeviceError::Command`] with the first command that cannot run: a buffer out of range,
    /// unwritten or of the wrong kind, levels or numbers of polynomials that do not fit, noise;
    /// [`BgvDeviceError::NotLoaded`]; [`DeviceError::TooMany`] commands;
    /// [`DeviceError::CounterExhausted`]; others as the device fails.
    fn run(&mut self, commands: &[Command]) -> BgvResult<Cost>;

    /// Reads a message, `n` words; the caller keeps it secret, and wipes it.
    ///
    /// # Errors
    /// [`CommandError::BufferOutOfRange`], [`CommandError::Unwritten`],
    /// [`CommandError::WrongContents`]; [`DeviceError::WrongSize`].
    fn read_message(&mut self, buffer: usize, message: &mut [u64]) -> BgvResult<()>;

    /// Reads a ciphertext, as coefficients, with its noise.
    ///
    /// # Errors
    /// As [`Self::read_message`].
    fn read_ciphertext(&mut self, buffer: usize) -> BgvResult<WordCiphertext>;
}

/// Demands `n` words in `[0, p)`, in time that does not depend on them unless one is out of range.
///
/// # Errors
/// [`DeviceError::WrongSize`], [`DeviceError::OutOfRange`].
pub fn check_message(parameters: &WordParameters, message: &[u64]) -> BgvResult<()> {
    check_size("message", message.len(), parameters.degree())?;
    let max = parameters.plain_modulus() - 1;
    // One pass without a branch; the place is looked for only when something is wrong.
    if message.iter().fold(0, |seen, &word| seen | word) <= max {
        return Ok(());
    }
    let place = message.iter().position(|&word| word > max).unwrap_or(0);
    let (what, found) = ("message", message[place]);
    Err(DeviceError::OutOfRange { what, index: place, found, max }.into())
}

/// Demands a length.
///
/// # Errors
/// [`DeviceError::WrongSize`].
pub fn check_size(what: &'static str, found: usize, expected: usize) -> BgvResult<()> {
    if found == expected {
        Ok(())
    } else {
        Err(DeviceError::WrongSize { what, found, expected }.into())
    }
}

/// Demands an object of the device's parameters.
///
/// # Errors
/// [`DeviceError::Mismatch`].
pub fn check_parameters(
    parameters: &WordParameters,
    what: &'static str,
    found: crate::rlwe::ParametersId,
) -> BgvResult<()> {
    if found == parameters.id() {
        return Ok(());
    }
    let (found, expected) = (found.to_string(), parameters.id().to_string());
    Err(DeviceError::Mismatch { what, found, expected }.into())
}
