//! Vectors of integers, encrypted, under one handle: what the command line and Python use.
//!
//! A vector has one *channel* for each plaintext modulus `t_i`: the same ring, the same secret
//! key, one ciphertext each. Integers are held modulo `T = t_1 ... t_k` by the Chinese remainder
//! theorem, so values wider than one modulus still have one name, and every operation goes
//! through all channels. All arithmetic is modulo `T`.
//!
//! * [`parameters`]: one set a channel, selection and pinning; [`layout`]: how values stand in
//!   slots; [`residues`]: between integers and channels;
//! * [`context`]: encoding, keys, encryption and decryption; [`evaluator`]: computing.

pub mod context;
pub mod evaluator;
pub mod keys;
pub mod layout;
pub mod parameters;
pub mod residues;

pub use context::VectorContext;
pub use evaluator::{Operand, VectorEvaluator};
pub use keys::{Rotations, VectorEvaluationKeys, VectorPublicKey, VectorSecretKey};
pub use layout::{Encoding, EncryptedVector, Layout};
pub use parameters::{VectorParameters, VectorRequest};
pub use residues::Values;
