//! Integers as plaintext polynomials.
//!
//! * [`coefficient`]: one integer a coefficient; products are negacyclic convolutions;
//! * [`batch`]: one integer a slot; products are slot by slot, rotations move slots.

pub mod batch;
pub mod coefficient;

pub use batch::BatchEncoder;
