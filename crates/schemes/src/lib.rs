//! Homomorphic encryption schemes over any [`cyclotron_engine::Engine`].
//!
//! * [`rlwe`]: parameters, security tables, noise bounds, keys, encryption, key switching;
//! * [`bfv`], [`bgv`]: where the schemes differ;
//! * [`bfv_pow2`]: BFV modulo a power of two, on the processor or on hardware;
//! * [`bgv_word`]: BGV whose whole modulus fits a word, on the processor or on hardware;
//! * [`encode`]: integers as plaintext polynomials;
//! * [`vector`]: vectors of integers under one handle, which the command line and Python use;
//! * [`files`]: the versioned byte format.

pub mod bfv;
pub mod bfv_pow2;
pub mod bgv;
pub mod bgv_word;
pub mod encode;
pub mod error;
pub mod files;
pub mod rlwe;
pub mod vector;

pub use error::{Error, Result};
