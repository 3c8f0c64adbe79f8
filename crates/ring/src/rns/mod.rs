//! Residue number systems: an integer modulo `Q = q_0 ... q_{k-1}` held as its residues.
//!
//! * [`RnsBasis`]: pairwise coprime moduli, their product and the exact CRT with wide integers;
//! * [`ConvertPlan`]: the residues of the same integer modulo other moduli;
//! * [`ScaleRoundPlan`]: `round(t x / Q)`, the rounding of BFV decryption and multiplication;
//! * [`DivideRoundPlan`]: division by dropped moduli (rescaling, modulus switching, mod-down);
//! * [`BaseDigits`]: digits in base `2^w`;
//! * [`Combination`]: the one small matrix product that carries out the plans.
//!
//! A polynomial is a list of limbs; limb `i` is a slice of `n` residues in `[0, q_i)`, in the
//! coefficient domain. Coefficients do not meet: a plan accepts slices of any length, and a caller
//! may split a range over threads.
//!
//! A plan is a table of integers, and what it computes is a function of its inputs alone: where the
//! papers round with floating point, the tables hold fixed-point fractions of [`FRACTION_BITS`]
//! bits, and a tie rounds up. So every SIMD level, a GPU and hardware with 32-bit words return the
//! same integers. The plans run in time that does not depend on the residues; the functions with
//! wide integers ([`RnsBasis::lift`] and its kin) do not.

mod basis;
mod combination;
mod convert;
mod crt;
mod digits;
mod divide;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod scale;

pub use basis::{MAX_LIMBS, RnsBasis};
pub use combination::{Carry, Combination, FRACTION_BITS, Fraction, Row, Stage};
pub use convert::{Conversion, ConvertPlan};
pub use digits::BaseDigits;
pub use divide::DivideRoundPlan;
pub use scale::ScaleRoundPlan;

#[cfg(test)]
mod testing;
