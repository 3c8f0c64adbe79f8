//! Where BFV and BGV differ; everything else is written once.

use super::ciphertext::{Ciphertext, Quadratic};
use super::context::Context;
use super::plaintext::Plaintext;
use crate::error::Result;
use cyclotron_engine::{Coefficient, Evaluation, Poly, Stream};
use cyclotron_ring::Modulus;
use cyclotron_ring::rns::DivideRoundPlan;
use std::fmt::Debug;
use std::sync::Arc;

/// A message read from the phase `c(s)`, and how near the noise is to the limit.
#[derive(Debug, Clone)]
pub struct Phase {
    /// The message polynomial modulo `t`, still multiplied by the ciphertext's factor.
    pub message: Vec<u64>,
    /// Largest noise coefficient as a fraction of what the message's place is worth (`Q/t` in
    /// BFV, `Q` in BGV); decryption is right below 1/2.
    pub fraction: f64,
}

/// The operations in which the schemes differ.
pub trait Scheme: Send + Sync + Debug {
    /// What errors are multiplied by: `t` in BGV, nothing in BFV.
    fn error_scale(&self) -> Option<Modulus>;

    /// A plaintext as it is added to `c_0`: `round(Q m / t)` in BFV, `factor m` in BGV.
    fn embed(
        &self,
        context: &Context,
        stream: &Stream,
        plaintext: &Plaintext,
        level: usize,
        factor: u64,
    ) -> Result<Poly<Coefficient>>;

    /// Reads the message from the coefficients of `c(s)`, `[limb][coefficient]`.
    fn read(&self, context: &Context, level: usize, phase: &[u64]) -> Result<Phase>;

    /// The product of two linear ciphertexts at one level: the pair of `1` and `s`, and the
    /// polynomial of `s^2`.
    fn tensor(
        &self,
        context: &Context,
        stream: &Stream,
        a: &Ciphertext,
        b: &Ciphertext,
    ) -> Result<(Poly<Evaluation>, Quadratic)>;

    /// Division by the limb above level `to`, with rounding; none at the highest level.
    fn drop_plan(&self, to: usize) -> Option<&Arc<DivideRoundPlan>>;

    /// What the plaintext factor becomes when the limb above level `to` is dropped.
    fn factor_after_drop(&self, factor: u64, to: usize) -> u64;

    /// Small factors `(f, g)` with `f * left = g * right (mod t)`, to add ciphertexts whose
    /// plaintext factors differ.
    fn balance(&self, left: u64, right: u64) -> (u64, u64);
}
