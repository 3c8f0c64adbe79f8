//! BGV whose whole ciphertext modulus fits a word: `Q = q_0 ... q_L < 2^27`, `p = 2^k`.
//!
//! After "complete leveled BGV accelerator" (S-BGV): a device on which whole circuits run, from
//! encryption over sums, products, key switching and switching of moduli to decryption, at
//! `Q = 257^3` and `n = 128`; and the same for larger rings and secure parameters. This module is
//! the device in software, bit for bit what the hardware computes. `docs/bgv-word.md` is the
//! specification of both.
//!
//! * [`command`]: what a device does; [`device`]: the trait; [`cpu`]: the processor, the reference;
//! * [`buffers`]: what all devices check before a run; [`noise`]: the bounds;
//! * [`chain`], [`parameters`], [`presets`]; [`context`], [`keys`], [`ciphertext`];
//! * [`failure`]: how often the paper's parameters decrypt wrongly.
//!
//! ```
//! use cyclotron_ring::sample::{SecretRng, SecretSeed};
//! use cyclotron_schemes::bgv_word::*;
//!
//! # fn main() -> cyclotron_schemes::Result<()> {
//! let parameters = WordParameters::new(WordPreset::named("N1024_Q26")?.literal())?;
//! let mut device = CpuBgv::open(&parameters)?;
//! let keys = KeySet::generate(device.context(), &mut SecretRng::from_os()?)?;
//! device.load_keys(&keys)?;
//! device.load_seed(&SecretSeed::from_os()?, 0)?;
//! let mut x = vec![0; 1024];
//! x[1] = 1; // the polynomial x
//! device.write_message(0, &x)?;
//! device.run(&[
//!     Command::Encrypt { message: 0, to: 1, form: Form::Coefficients },
//!     Command::Multiply { left: 1, right: 1, to: 2, form: Form::Coefficients },
//!     Command::KeySwitch { from: 2, to: 2, form: Form::Coefficients },
//!     Command::Decrypt { from: 2, to: 0 },
//! ])?;
//! let mut square = vec![0; 1024];
//! device.read_message(0, &mut square)?;
//! assert_eq!(square[..4], [0, 0, 1, 0]);
//! # Ok(())
//! # }
//! ```

pub mod buffers;
pub mod chain;
pub mod ciphertext;
pub mod command;
pub mod context;
pub mod cpu;
pub mod device;
pub mod failure;
pub mod keys;
pub mod noise;
mod operations;
pub mod parameters;
pub mod presets;

pub use buffers::{Buffers, Contents, Plan, Refusal};
pub use chain::{ModulusChain, canonical_root};
pub use ciphertext::WordCiphertext;
pub use command::{Command, CommandError, Form};
pub use context::WordContext;
pub use cpu::CpuBgv;
pub use device::{BgvDescription, BgvDevice, BgvDeviceError, BgvResult};
pub use failure::{Circuit, FailureCount, FailureStudy};
pub use keys::{KeyRow, KeySet, PublicKey, RelinearizationKey, SecretKey};
pub use noise::{NoiseModel, WordNoise};
pub use parameters::{Digits, ErrorKind, WordLiteral, WordParameters};
pub use presets::{PRESETS, WordPreset};

/// A parameter out of range.
fn parameter(what: &'static str, value: impl std::fmt::Display, remedy: String) -> crate::Error {
    crate::Error::Parameter { what, value: value.to_string(), remedy }
}
