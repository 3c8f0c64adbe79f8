//! What BFV and BGV share: parameters, security, noise, keys, encryption, key switching.
//!
//! * [`literal`] -> [`parameters`]: an open literal, checked into an immutable set;
//!   [`security`]: the published tables; [`select`]: parameters from what is to be computed;
//! * [`noise`]: bounds carried by every ciphertext;
//! * [`context`]: parameters on an engine; [`scheme`]: where BFV and BGV differ;
//! * [`keys`], [`switching`]: secret, public and evaluation keys;
//! * [`plaintext`], [`ciphertext`], [`encryption`], [`decryption`], [`evaluation`].

pub mod ciphertext;
pub mod context;
pub mod decryption;
pub mod encryption;
pub mod evaluation;
pub mod fraction;
pub mod keys;
pub mod literal;
pub mod noise;
pub mod parameters;
pub mod plaintext;
pub mod presets;
pub mod scheme;
pub mod security;
pub mod select;
pub mod switching;

pub use ciphertext::Ciphertext;
pub use context::Context;
pub use decryption::{Decryptor, Measured};
pub use encryption::Encryptor;
pub use evaluation::{Evaluator, Mode};
pub use keys::{EvaluationKeys, GaloisKeys, PublicKey, RelinearizationKey, SecretKey};
pub use literal::{DigitChoice, ErrorDistribution, ParametersLiteral, SchemeKind, SecurityPolicy};
pub use noise::NoiseModel;
pub use parameters::{Parameters, ParametersId};
pub use plaintext::Plaintext;
pub use scheme::Scheme;
pub use security::{SecurityLevel, SecurityTable};
pub use select::{Request, Selection};
pub use switching::SwitchingKey;
