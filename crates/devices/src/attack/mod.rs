//! **Attacks** on the mode of the S-BFV paper, and their failure against the default mode.
//!
//! The paper ("BFV homomorphic encryption accelerator with integrated Gaussian PRNG on FPGA") loads
//! one `u` for all plaintexts of a run and draws the noise from a 20-bit shift register. Either
//! choice alone gives the plaintexts away, from public data, in seconds; `docs/attacks.md` tells why
//! and `cyclotron rtl attack` shows it.
//!
//! * [`scheme`]: the paper's BFV parameters, demonstration keys, ciphertexts in the order of the
//!   device's output memory;
//! * [`paper_mode`]: the paper's encryption as software, bit-exact with the RTL in paper mode;
//! * [`default_mode`]: the default encryption by its definition;
//! * [`local_ring`]: division and inversion in `Z_{2^32}[x]/(x^n + 1)`, for every public key;
//! * [`seed_search`]: all states of the noise register, from one ciphertext;
//! * [`reuse`]: differences of plaintexts, without the key and without a search.
//!
//! Keys and plaintexts here are for demonstration: nothing is secret, nothing is wiped, and
//! running times depend on the data.

pub mod default_mode;
mod error;
pub mod local_ring;
pub mod paper_mode;
pub mod reuse;
pub mod scheme;
pub mod seed_search;
#[cfg(test)]
mod tests;

pub use error::AttackError;
