//! BFV modulo a power of two, as hardware without multipliers has it: `q = 2^k`, `t = 2^s`.
//!
//! After "BFV homomorphic encryption accelerator with integrated Gaussian PRNG on FPGA" (S-BFV:
//! encryption and decryption on a systolic array) and H. Fadhli, "Accelerating FHE BFV Decryptor
//! and Encryptor" (S-MINI: small arrays, and the whole scheme in software). The papers' weaknesses
//! are repaired: fresh randomness for every plaintext, from a stream cipher; noise bounds on every
//! ciphertext; security tables. `docs/bfv-pow2.md` tells the whole story.
//!
//! * [`device`]: what encrypts and decrypts; [`cpu`]: the processor, the reference of all devices;
//! * [`parameters`], [`presets`], [`noise`];
//! * [`context`], [`keys`], [`plaintext`], [`ciphertext`];
//! * [`encryption`], [`decryption`], [`evaluation`];
//! * [`vector`]: columns of values of any length, in several ciphertexts.
//!
//! ```
//! use cyclotron_ring::sample::SecretRng;
//! use cyclotron_schemes::bfv_pow2::*;
//!
//! # fn main() -> cyclotron_schemes::Result<()> {
//! let parameters = Pow2Parameters::new(Pow2Preset::named("POW2_2048")?.literal())?;
//! let context = Pow2Context::new(&parameters)?;
//! let keys = KeyPair::generate(&context, &mut SecretRng::from_os()?)?;
//! let mut encryptor = Encryptor::on_processor(&context, &keys.public)?;
//! let a = encryptor.encrypt(&Plaintext::new(&parameters, vec![1, 2, 3])?)?;
//! let b = encryptor.encrypt(&Plaintext::new(&parameters, vec![10, 20, 30])?)?;
//! let sum = Evaluator::new(&context, None)?.add(&a, &b)?;
//! let plain = Decryptor::new(&context, &keys.secret)?.decrypt(&sum)?;
//! assert_eq!(plain.coefficients()[..4], [11, 22, 33, 0]);
//! # Ok(())
//! # }
//! ```

pub mod ciphertext;
pub mod context;
pub mod cpu;
pub mod decryption;
pub mod device;
pub mod encryption;
pub mod evaluation;
mod exact;
mod fourier;
pub mod keys;
pub mod noise;
pub mod parameters;
pub mod plaintext;
pub mod presets;
pub mod ternary;
pub mod vector;
pub mod vector_evaluation;

pub use ciphertext::Ciphertext;
pub use context::Pow2Context;
pub use cpu::CpuCrypt;
pub use decryption::{Decryptor, DeviceCheck};
pub use device::{
    Cost, CryptDevice, DeviceDescription, DeviceError, DeviceResult, EncryptRun, PublicPolynomials,
    RUN_PLAINTEXTS,
};
pub use encryption::Encryptor;
pub use evaluation::Evaluator;
pub use keys::{KeyPair, PublicKey, RelinearizationKey, SecretKey};
pub use noise::Pow2Noise;
pub use parameters::{Pow2Literal, Pow2Parameters};
pub use plaintext::Plaintext;
pub use presets::{PRESETS, Pow2Preset};
pub use ternary::TernaryRing;
pub use vector::Pow2Vector;
pub use vector_evaluation::{Pow2Operand, Pow2VectorEvaluator};
