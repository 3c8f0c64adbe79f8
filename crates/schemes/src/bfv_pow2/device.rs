//! What encrypts and decrypts: the processor, a simulated accelerator, or an FPGA board.
//!
//! A device does the two heavy steps of BFV modulo `q = 2^k` ("BFV homomorphic encryption
//! accelerator with integrated Gaussian PRNG on FPGA", sections II and III):
//!
//! * encryption: `c0 = p0 u + e1 + (q/t) m`, `c1 = p1 u + e2`, the secrets `u, e1, e2` drawn by the
//!   device itself as `docs/device-randomness.md` says;
//! * decryption: `m = round((t/q)(c0 + c1 s)) mod t`, half rounded up.
//!
//! **Every device returns the same words** for the same arguments: what follows from a seed does
//! not depend on where it ran. [`super::CpuCrypt`] is the reference.
//!
//! Words are coefficients in order, in `[0, q)` for ciphertexts and keys and in `[0, t)` for
//! messages; a batch is polynomial after polynomial, without gaps.

use cyclotron_ring::RingError;
use cyclotron_ring::sample::{SecretSeed, SmallPoly};
use std::ops::AddAssign;
use thiserror::Error;

/// Plaintexts of one run on every device: plaintext `j` of a longer list is number `j mod 16` of
/// run `r + j div 16`, `r` being the first run counter, so that results do not depend on the device.
pub const RUN_PLAINTEXTS: usize = 16;

/// Result of a device operation.
pub type DeviceResult<T> = std::result::Result<T, DeviceError>;

/// What a device is, and how much it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceDescription {
    /// For people: the processor and its instructions, the simulator, or the board.
    pub name: String,
    /// Ring degree `n`.
    pub degree: usize,
    /// `q = 2^log_q`.
    pub log_q: u32,
    /// `t = 2^log_t`.
    pub log_t: u32,
    /// Most plaintexts of one [`CryptDevice::encrypt`]: [`RUN_PLAINTEXTS`] for every device that
    /// [`super::Encryptor`] takes.
    pub max_plaintexts: usize,
    /// Most ciphertexts of one [`CryptDevice::decrypt`].
    pub max_ciphertexts: usize,
    /// Whether cycles are those of a simulation.
    pub simulated: bool,
}

/// A public key, as coefficients.
#[derive(Debug, Clone, Copy)]
pub struct PublicPolynomials<'a> {
    /// `-(p1 s + e)`: `n` words in `[0, q)`.
    pub p0: &'a [u64],
    /// Uniform: `n` words in `[0, q)`.
    pub p1: &'a [u64],
}

/// One run of encryptions.
#[derive(Debug, Clone, Copy)]
pub struct EncryptRun<'a> {
    /// The key.
    pub key: PublicPolynomials<'a>,
    /// `batch n` words in `[0, t)`; secret. The batch is at least 1.
    pub messages: &'a [u64],
    /// The secret seed of the randomness; not zero.
    pub seed: &'a SecretSeed,
    /// Serves once with its seed; below `2^64 - 1`.
    pub run_counter: u64,
}

/// What an operation took. `None` where the device does not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Clock cycles from the start of the run to its end.
    pub compute_cycles: Option<u64>,
    /// Clock cycles in which operands and results were carried over the bus.
    pub transfer_cycles: Option<u64>,
}

impl AddAssign for Cost {
    /// Adds up runs one after another; a count that one side lacks is that of the other.
    fn add_assign(&mut self, other: Self) {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
        self.compute_cycles = sum(self.compute_cycles, other.compute_cycles);
        self.transfer_cycles = sum(self.transfer_cycles, other.transfer_cycles);
    }
}

/// Why a device refused or failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// An operand of the wrong length.
    #[error("{what}: {found} words where {expected} are needed; give whole polynomials")]
    WrongSize {
        /// Which operand.
        what: &'static str,
        /// Its words.
        found: usize,
        /// The words needed.
        expected: usize,
    },
    /// More polynomials than one run holds.
    #[error("{found} {what} where one run holds {max}; split them over several runs")]
    TooMany {
        /// Plaintexts or ciphertexts.
        what: &'static str,
        /// How many were given.
        found: usize,
        /// How many fit.
        max: usize,
    },
    /// A word that is not reduced. For secret operands the place tells no more than that the
    /// caller broke the contract.
    #[error("{what}: word {index} is {found}, above {max}; reduce the operand")]
    OutOfRange {
        /// Which operand.
        what: &'static str,
        /// Where.
        index: usize,
        /// The word.
        found: u64,
        /// The largest word accepted.
        max: u64,
    },
    /// A secret key with a coefficient outside `{-1, 0, 1}`; its value is not told.
    #[error("the secret key is not ternary; use a key that Cyclotron generated")]
    NotTernary,
    /// The device is at work for somebody else.
    #[error("{device} is busy; wait for the run in progress, or reset the device")]
    Busy {
        /// The device.
        device: String,
    },
    /// The device did not finish.
    #[error("{operation}: not finished after {waited}; {remedy}")]
    Timeout {
        /// What was waited for.
        operation: &'static str,
        /// How long, with its unit.
        waited: String,
        /// What to do.
        remedy: String,
    },
    /// The device is not the one that is needed: identification, version, degree or moduli.
    #[error("{what} of the device is {found} where {expected} is needed; load the matching design")]
    Mismatch {
        /// Which property.
        what: &'static str,
        /// As the device says.
        found: String,
        /// As needed.
        expected: String,
    },
    /// The device reports an error.
    #[error("the device refused with code {code} ({name}); {remedy}")]
    Refused {
        /// Contents of its error register.
        code: u32,
        /// Name of the code.
        name: String,
        /// What to do.
        remedy: String,
    },
    /// The seed of all zeros, which is what an unset register holds.
    #[error("the seed is zero, as in a device never seeded; draw one from the operating system")]
    SeedZero,
    /// The pair of seed and run counter has been used: its randomness would repeat.
    #[error(
        "run counter {given} was used with this seed, the next unused one is {next}; \
         use that, or draw a new seed"
    )]
    CounterReused {
        /// The counter given.
        given: u64,
        /// The smallest accepted.
        next: u64,
    },
    /// A run counter without a successor.
    #[error("run counter {given} is the last, which is never used; draw a new seed")]
    CounterExhausted {
        /// The counter given.
        given: u64,
    },
    /// The processor finds another result than the device; values of secrets are not told.
    #[error(
        "decryption {index} by {device} differs from the processor's; \
         run the device's self-test, and do not use its results"
    )]
    WrongResult {
        /// The device.
        device: String,
        /// Which ciphertext, from 0.
        index: usize,
    },
    /// Something that this device cannot do.
    #[error("{what} is not supported by {device}; {remedy}")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// The device.
        device: String,
        /// What to do.
        remedy: String,
    },
    /// The way to the device failed.
    #[error("bus: {0}")]
    Bus(String),
    /// The ring arithmetic or a sampler refused.
    #[error(transparent)]
    Ring(#[from] RingError),
}

/// An encryption and decryption device with one degree and one pair of moduli.
///
/// Every method checks its operands before it starts anything ([`check_encrypt`] and
/// [`check_decrypt`] do, in the same way for all devices); on an error the outputs hold nothing of
/// use. A run that has begun uses its run counter up, whether it ends well or not.
pub trait CryptDevice: Send {
    /// What the device is.
    fn describe(&self) -> DeviceDescription;

    /// One run: encrypts up to [`DeviceDescription::max_plaintexts`] messages. Message number `k`
    /// takes the randomness number `k` of (seed, run counter). `c0` and `c1` have as many words as
    /// the messages.
    ///
    /// # Errors
    /// [`DeviceError::WrongSize`], [`DeviceError::TooMany`], [`DeviceError::OutOfRange`] for
    /// operands; [`DeviceError::SeedZero`], [`DeviceError::CounterReused`],
    /// [`DeviceError::CounterExhausted`] for what would repeat randomness; others as the device
    /// fails.
    fn encrypt(
        &mut self,
        run: &EncryptRun<'_>,
        c0: &mut [u64],
        c1: &mut [u64],
    ) -> DeviceResult<Cost>;

    /// One run: decrypts up to [`DeviceDescription::max_ciphertexts`] ciphertexts under a ternary
    /// secret key of `n` coefficients. `messages` gets as many words as `c0` and `c1` have each;
    /// the caller keeps it secret, and wipes it.
    ///
    /// The noise is not measured: a ciphertext with too much of it decrypts to garbage.
    /// [`super::Decryptor`] says what it checks.
    ///
    /// # Errors
    /// [`DeviceError::WrongSize`], [`DeviceError::TooMany`], [`DeviceError::OutOfRange`],
    /// [`DeviceError::NotTernary`] for operands; others as the device fails.
    fn decrypt(
        &mut self,
        secret: &SmallPoly,
        c0: &[u64],
        c1: &[u64],
        messages: &mut [u64],
    ) -> DeviceResult<Cost>;
}

/// Checks the operands of [`CryptDevice::encrypt`], in time that does not depend on the messages
/// unless one is out of range. Returns the batch. The run counter is the device's own business.
///
/// # Errors
/// As [`CryptDevice::encrypt`] for operands, and [`DeviceError::SeedZero`].
pub fn check_encrypt(
    description: &DeviceDescription,
    run: &EncryptRun<'_>,
    c0: &[u64],
    c1: &[u64],
) -> DeviceResult<usize> {
    let &DeviceDescription { degree, log_q, log_t, max_plaintexts, .. } = description;
    for (what, words) in [("p0", run.key.p0), ("p1", run.key.p1)] {
        check_words(what, words, degree, log_q)?;
    }
    let batch = check_batch("plaintexts", run.messages.len(), degree, max_plaintexts)?;
    check_words("messages", run.messages, batch * degree, log_t)?;
    for (what, out) in [("output c0", c0), ("output c1", c1)] {
        check_size(what, out.len(), batch * degree)?;
    }
    if run.seed.expose().iter().fold(0, |seen, byte| seen | byte) == 0 {
        return Err(DeviceError::SeedZero);
    }
    if run.run_counter == u64::MAX {
        return Err(DeviceError::CounterExhausted { given: run.run_counter });
    }
    Ok(batch)
}

/// Checks the operands of [`CryptDevice::decrypt`], in time that does not depend on the secret
/// unless it is no secret key. Returns the batch.
///
/// # Errors
/// As [`CryptDevice::decrypt`] for operands.
pub fn check_decrypt(
    description: &DeviceDescription,
    secret: &SmallPoly,
    c0: &[u64],
    c1: &[u64],
    messages: &[u64],
) -> DeviceResult<usize> {
    let &DeviceDescription { degree, log_q, max_ciphertexts, .. } = description;
    check_size("secret key", secret.len(), degree)?;
    // 0, 1 and 2 have no bit above 1, and 3 is the only other word of two bits.
    let illegal = secret.as_slice().iter().fold(0, |seen, &x| {
        let shifted = x.wrapping_add(1) as u32;
        seen | (shifted >> 2) | (shifted & (shifted >> 1))
    });
    if illegal != 0 {
        return Err(DeviceError::NotTernary);
    }
    let batch = check_batch("ciphertexts", c0.len(), degree, max_ciphertexts)?;
    check_words("c0", c0, batch * degree, log_q)?;
    check_words("c1", c1, batch * degree, log_q)?;
    check_size("output messages", messages.len(), batch * degree)?;
    Ok(batch)
}

fn check_size(what: &'static str, found: usize, expected: usize) -> DeviceResult<()> {
    if found == expected { Ok(()) } else { Err(DeviceError::WrongSize { what, found, expected }) }
}

fn check_batch(what: &'static str, words: usize, degree: usize, max: usize) -> DeviceResult<usize> {
    let found = words.div_ceil(degree).max(1);
    check_size(what, words, found * degree)?;
    if found > max { Err(DeviceError::TooMany { what, found, max }) } else { Ok(found) }
}

/// Demands `expected` words of `bits` bits.
fn check_words(what: &'static str, words: &[u64], expected: usize, bits: u32) -> DeviceResult<()> {
    check_size(what, words.len(), expected)?;
    let max = u64::MAX >> (64 - bits);
    // One pass without a branch; the place is looked for only when something is wrong.
    let seen = words.iter().fold(0, |seen, &word| seen | word);
    if seen <= max {
        return Ok(());
    }
    let found = words.iter().enumerate().find(|&(_, &word)| word > max);
    let (index, found) = found.map_or((0, seen), |(index, &word)| (index, word));
    Err(DeviceError::OutOfRange { what, index, found, max })
}
