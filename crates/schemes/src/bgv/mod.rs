//! BGV: the message in the low bits (Brakerski, Gentry and Vaikuntanathan, eprint 2011/277), in
//! RNS, leveled.
//!
//! `c(s) = f m + t e (mod Q)` where the factor `f`, a unit modulo `t`, collects the primes that
//! modulus switching divided by (Gentry, Halevi and Smart, eprint 2012/099, appendix D; the factor
//! as in Kim, Polyakov and Zucca, eprint 2021/204, section 4).

mod balance;

use crate::error::Result;
use crate::rlwe::ciphertext::{Ciphertext, Quadratic};
use crate::rlwe::context::Context;
use crate::rlwe::fraction::PhaseFraction;
use crate::rlwe::parameters::Parameters;
use crate::rlwe::plaintext::Plaintext;
use crate::rlwe::scheme::{Phase, Scheme};
use cyclotron_engine::{Coefficient, Evaluation, LimbSet, Poly, Stream};
use cyclotron_ring::rns::{Conversion, ConvertPlan, DivideRoundPlan, RnsBasis};
use cyclotron_ring::{Modulus, SimdLevel};
use std::sync::Arc;

/// What one level needs.
#[derive(Debug)]
struct Level {
    /// The centred phase modulo `t`.
    decode: ConvertPlan,
    fraction: PhaseFraction,
    /// Division by the limb above this level, and that prime's inverse modulo `t`.
    drop: Option<(Arc<DivideRoundPlan>, u64)>,
}

/// The BGV operations of one context.
#[derive(Debug)]
pub struct Bgv {
    simd: SimdLevel,
    t: Modulus,
    levels: Vec<Level>,
}

impl Bgv {
    /// The plans of every level.
    ///
    /// # Errors
    /// Ring errors for moduli that are not coprime.
    pub fn new(parameters: &Parameters, main: &LimbSet) -> Result<Self> {
        let t = parameters.plaintext_modulus();
        let levels = (0..main.len())
            .map(|level| {
                let basis = RnsBasis::new(&parameters.moduli()[..=level])?;
                let drop = match parameters.moduli().get(level + 1) {
                    None => None,
                    Some(&q) => {
                        let dropped = RnsBasis::new(&[q])?;
                        let plan = DivideRoundPlan::new(&basis, &dropped, Some(t))?;
                        Some((Arc::new(plan), t.inv(t.reduce(q.value()))?))
                    }
                };
                Ok(Level {
                    decode: ConvertPlan::new(&basis, &[t], Conversion::Centred)?,
                    fraction: PhaseFraction::new(&basis, 1),
                    drop,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Self { simd: SimdLevel::from_environment()?, t, levels })
    }
}

impl Scheme for Bgv {
    fn error_scale(&self) -> Option<Modulus> {
        Some(self.t)
    }

    fn embed(
        &self,
        context: &Context,
        stream: &Stream,
        plaintext: &Plaintext,
        level: usize,
        factor: u64,
    ) -> Result<Poly<Coefficient>> {
        let scaled = plaintext.coefficients().iter().map(|&m| self.t.mul(m, factor)).collect();
        let scaled = Plaintext::new(context.parameters(), scaled)?;
        let mut embedded = scaled.lift(stream, &context.shape(level, 1)?)?;
        embedded.mark_secret();
        Ok(embedded)
    }

    fn read(&self, context: &Context, level: usize, phase: &[u64]) -> Result<Phase> {
        context.check_level(level, context.parameters().max_level())?;
        let degree = context.parameters().degree();
        let limbs: Vec<&[u64]> = phase.chunks_exact(degree).collect();
        let mut message = vec![0; degree];
        let plans = &self.levels[level];
        plans.decode.apply(self.simd, &limbs, &mut [&mut message])?;
        Ok(Phase { message, fraction: plans.fraction.largest(phase) })
    }

    fn tensor(
        &self,
        context: &Context,
        stream: &Stream,
        a: &Ciphertext,
        b: &Ciphertext,
    ) -> Result<(Poly<Evaluation>, Quadratic)> {
        let (linear, quadratic) = stream.tensor(&a.linear, &b.linear, &context.limbs(a.level))?;
        Ok((linear, Quadratic::Evaluation(quadratic)))
    }

    fn drop_plan(&self, to: usize) -> Option<&Arc<DivideRoundPlan>> {
        Some(&self.levels.get(to)?.drop.as_ref()?.0)
    }

    fn factor_after_drop(&self, factor: u64, to: usize) -> u64 {
        let drop = self.levels.get(to).and_then(|level| level.drop.as_ref());
        drop.map_or(factor, |(_, inverse)| self.t.mul(factor, *inverse))
    }

    fn balance(&self, left: u64, right: u64) -> (u64, u64) {
        balance::balance(self.t, left, right)
    }
}
