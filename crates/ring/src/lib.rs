//! Polynomial rings for homomorphic encryption.
//!
//! Everything a scheme needs below the level of ciphertexts, and nothing that knows a scheme:
//!
//! * [`modulus`]: integers modulo a word-sized `q` (Barrett, Shoup, Montgomery);
//! * [`primes`]: primality, NTT-friendly primes, roots of unity;
//! * [`simd`]: which vector instructions this process may use;
//! * [`ntt`]: the negacyclic transform of `Z_q[x]/(x^n + 1)` at every SIMD level;
//! * [`kernels`]: element-wise arithmetic on one limb at every SIMD level;
//! * [`pow2`]: `Z_{2^k}[x]/(x^n + 1)`, which has no transform;
//! * [`automorphism`]: `x -> x^g` in both domains;
//! * [`rns`]: residue number systems: bases, conversion, scaling, exact CRT;
//! * [`sample`]: uniform, ternary, Gaussian and binomial samplers;
//! * [`norms`]: three norms of a polynomial, and how they compose;
//! * [`wipe()`]: overwrites scratch that held secrets.
//!
//! The scalar code is the specification: every vector kernel returns the same integers.

pub mod automorphism;
pub mod error;
pub mod kernels;
pub mod modulus;
pub mod norms;
pub mod ntt;
pub mod pow2;
pub mod primes;
pub mod rns;
pub mod sample;
pub mod simd;
mod wipe;

pub use error::{Result, RingError};
pub use modulus::Modulus;
pub use simd::SimdLevel;
pub use wipe::wipe;
