//! Key switching: the one gadget that relinearisation and rotation stand on.
//!
//! A switching key from `s'` to `s` holds, for each digit `j` of the gadget `g`,
//! `b_j = -(a_j s + scale e_j) + P g_j s'` and `a_j` over `QP`. For `x` at any level,
//! `sum_j digit_j(x) (b_j, a_j) / P` has the phase `x s'` plus small noise, because the digits
//! recompose `x` modulo every limb that is left (Fan-Vercauteren, eprint 2012/144, relinearisation
//! versions 1 and 2; hybrid: Han and Ki, eprint 2019/688).

use super::context::Context;
use super::keys::SecretKey;
use crate::error::Result;
use cyclotron_engine::{Coefficient, Evaluation, Poly, Shape, Stream};
use cyclotron_ring::sample::{SecretRng, Seed};

/// A key from some `s'` to the secret key.
#[derive(Debug)]
pub struct SwitchingKey {
    /// `(b_0, a_0, b_1, a_1, ...)` over the limbs of `QP`.
    pub(crate) pairs: Poly<Evaluation>,
    /// The seed of the `a_j`.
    pub(crate) seed: Seed,
}

impl SwitchingKey {
    /// A key from `source` (over the limbs of `QP`) to `secret`.
    ///
    /// # Errors
    /// Engine errors.
    pub(crate) fn generate(
        context: &Context,
        stream: &Stream,
        secret: &SecretKey,
        source: &Poly<Evaluation>,
        rng: &mut SecretRng,
    ) -> Result<Self> {
        let gadget = context.switching_plan(context.parameters().max_level())?.decompose.gadget();
        let seed = rng.public_seed();
        let shape = context.key_shape(gadget.len())?;
        let errors =
            gadget.iter().map(|_| context.sample_error(rng)).collect::<Result<Vec<_>>>()?;
        let errors: Vec<_> = errors.iter().collect();

        // bodies = -(a s) - scale e + P g s'
        let mut bodies = context.expand(stream, &shape, &seed, 0)?;
        stream.mul_assign(&mut bodies, &secret.values)?;
        let errors = stream.forward(context.upload_small(stream, &shape, &errors, true)?)?;
        stream.add_assign(&mut bodies, &errors)?;
        stream.neg_assign(&mut bodies)?;
        for (j, (limbs, power)) in gadget.into_iter().enumerate() {
            let moduli = shape.moduli().enumerate();
            let factors: Vec<u64> = moduli
                .map(|(place, q)| {
                    let special = context.parameters().special_moduli().iter();
                    let p = special.fold(q.reduce(1), |p, s| q.mul(p, q.reduce(s.value())));
                    if limbs.contains(&place) { q.mul(p, q.pow(2, u64::from(power))) } else { 0 }
                })
                .collect();
            let mut term = stream.duplicate(source)?;
            term.mark_secret();
            stream.scale_assign(&mut term, &factors)?;
            let mut body = stream.select(&bodies, &shape.limbs, j, 1)?;
            stream.add_assign(&mut body, &term)?;
            stream.place(&mut bodies, j, &body)?;
        }
        Self::assemble(context, stream, &shape, seed, |j| {
            Ok(stream.select(&bodies, &shape.limbs, j, 1)?)
        })
    }

    /// A key from its bodies `b_j`, taken one at a time, and the seed of the `a_j`; `shape` is
    /// that of all bodies.
    ///
    /// # Errors
    /// Engine errors; those of `body`.
    pub(crate) fn assemble(
        context: &Context,
        stream: &Stream,
        shape: &Shape,
        seed: Seed,
        mut body: impl FnMut(usize) -> Result<Poly<Evaluation>>,
    ) -> Result<Self> {
        let single = shape.with_batch(1);
        let mut pairs = stream.zeros(&shape.with_batch(2 * shape.batch))?;
        for (j, number) in (0..shape.batch).zip(0u32..) {
            stream.place(&mut pairs, 2 * j, &body(j)?)?;
            let mask = context.expand(stream, &single, &seed, number)?;
            stream.place(&mut pairs, 2 * j + 1, &mask)?;
        }
        Ok(Self { pairs, seed })
    }

    /// How many digits the key is for.
    pub(crate) fn digits(&self) -> usize {
        self.pairs.shape().batch / 2
    }

    /// The body `b_j`, as coefficients: what a file holds besides the seed.
    ///
    /// # Errors
    /// Engine errors.
    pub(crate) fn body(&self, stream: &Stream, j: usize) -> Result<Poly<Coefficient>> {
        Ok(stream.inverse(stream.select(&self.pairs, &self.pairs.shape().limbs, 2 * j, 1)?)?)
    }

    /// The shape of the bodies of a key in a context.
    ///
    /// # Errors
    /// Never for a well-formed context.
    pub(crate) fn bodies_shape(context: &Context) -> Result<Shape> {
        let plan = context.switching_plan(context.parameters().max_level())?;
        context.key_shape(plan.decompose.count())
    }

    /// The pair with the phase `x s'`, for `x` given by its coefficients (and its values, when
    /// they are at hand).
    ///
    /// # Errors
    /// Engine errors.
    pub(crate) fn apply(
        &self,
        context: &Context,
        stream: &Stream,
        level: usize,
        x: &Poly<Coefficient>,
        values: Option<&Poly<Evaluation>>,
    ) -> Result<Poly<Evaluation>> {
        let plan = context.switching_plan(level)?;
        let digits = stream.digits(&plan.decompose, x, values)?;
        Ok(stream.gadget_product(&plan, &digits, &self.pairs)?)
    }
}
