//! Samplers: public randomness that any engine can expand, and secrets in constant time.
//!
//! | what | from | how |
//! |---|---|---|
//! | [`uniform`] residues modulo `q` | a public [`Seed`] | ChaCha20 and rejection, block by block |
//! | [`ternary`] coefficients `-1, 0, 1` | a [`SecretRng`] | scaled 64-bit word |
//! | [`gaussian`] coefficients | a [`SecretRng`] | cumulative table of 126 bits, full scan |
//! | [`binomial`] coefficients | a [`SecretRng`] | difference of two bit counts |
//! | [`device`] secrets of one encryption | a [`SecretSeed`] | as the hardware device draws them |
//! | [`lfsr`] noise, insecure | a state | the generators of the S-BFV paper, to study them |
//!
//! Secret polynomials live in [`SmallPoly`], which is wiped when dropped and never printed;
//! [`small`] takes them to residues. No secret decides a branch, an index or a division, with one
//! stated exception: [`SmallPoly::bounded_ternary`] draws again when a candidate is refused, which
//! tells of the discarded candidate alone.
//!
//! Every sampler is a fixed function of its generator's output, written in its documentation, so
//! that a seed reproduces the same polynomials on every machine and in hardware.

pub mod binomial;
mod cdt;
pub mod device;
pub mod gaussian;
pub mod lfsr;
mod poly;
mod rng;
mod seed;
pub mod small;
pub mod ternary;
#[cfg(test)]
mod test_support;
pub mod uniform;

pub use gaussian::{DEFAULT_SIGMA, GaussianSampler};
pub use poly::SmallPoly;
pub use rng::SecretRng;
pub use seed::{SecretSeed, Seed};

/// Coefficients that a sampler of secrets treats at a time: its buffers stay in the first-level
/// cache and on the stack, where they are wiped.
const BLOCK: usize = 256;
