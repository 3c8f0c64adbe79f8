//! An engine with one of its queues: typed operations on polynomials.
//!
//! Names are rules: `x_assign` overwrites its first argument, the others allocate their result.

use crate::buffer::Queue;
use crate::engine::{BinaryOp, Engine};
use crate::error::Result;
use crate::plan::{DecomposePlan, KeySwitchPlan};
use crate::poly::{Coefficient, DomainMarker, Evaluation, Poly};
use crate::shape::{LimbSet, Shape};
use cyclotron_ring::rns::{ConvertPlan, DivideRoundPlan, ScaleRoundPlan};
use cyclotron_ring::sample::Seed;
use std::sync::Arc;

/// An in-order stream of typed polynomial operations on one engine.
#[derive(Debug)]
pub struct Stream {
    engine: Arc<dyn Engine>,
    queue: Queue,
}

impl Stream {
    /// A stream on a new queue of `engine`.
    #[must_use]
    pub fn new(engine: &Arc<dyn Engine>) -> Self {
        Self { engine: Arc::clone(engine), queue: engine.queue() }
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    /// The queue.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Blocks until everything asked of this stream is done.
    pub fn wait(&self) -> Result<()> {
        self.engine.wait(&self.queue)
    }

    fn alloc<D: DomainMarker>(&self, shape: &Shape) -> Result<Poly<D>> {
        Ok(Poly::from_buffer(self.engine.alloc(shape)?))
    }

    fn alloc_like<D: DomainMarker, E: DomainMarker>(
        &self,
        a: &Poly<E>,
        limbs: &LimbSet,
        batch: usize,
    ) -> Result<Poly<D>> {
        self.alloc(&Shape::new(&a.shape().ring, limbs, batch)?)
    }

    /// Host data `[batch][limb][coefficient]` as a polynomial.
    pub fn upload(&self, shape: &Shape, host: &[u64]) -> Result<Poly<Coefficient>> {
        let mut out = self.alloc(shape)?;
        self.engine.upload(&self.queue, out.buffer_mut(), host)?;
        Ok(out)
    }

    /// The coefficients, `[batch][limb][coefficient]`.
    pub fn download(&self, a: &Poly<Coefficient>) -> Result<Vec<u64>> {
        let mut host = vec![0; a.shape().words()];
        self.engine.download(&self.queue, a.buffer(), &mut host)?;
        Ok(host)
    }

    /// Polynomials that are zero.
    pub fn zeros<D: DomainMarker>(&self, shape: &Shape) -> Result<Poly<D>> {
        let mut out = self.alloc(shape)?;
        self.engine.zero(&self.queue, out.buffer_mut())?;
        Ok(out)
    }

    /// Public uniform coefficients from a seed; polynomial `b` uses stream number `first + b`.
    pub fn uniform(&self, shape: &Shape, seed: &Seed, first: u32) -> Result<Poly<Coefficient>> {
        let mut out = self.alloc(shape)?;
        self.engine.sample_uniform(&self.queue, out.buffer_mut(), seed, first)?;
        Ok(out)
    }

    /// Coefficients to values.
    pub fn forward(&self, a: Poly<Coefficient>) -> Result<Poly<Evaluation>> {
        let mut buffer = a.into_buffer();
        self.engine.forward(&self.queue, &mut buffer)?;
        Ok(Poly::from_buffer(buffer))
    }

    /// Values to coefficients.
    pub fn inverse(&self, a: Poly<Evaluation>) -> Result<Poly<Coefficient>> {
        let mut buffer = a.into_buffer();
        self.engine.inverse(&self.queue, &mut buffer)?;
        Ok(Poly::from_buffer(buffer))
    }

    /// A copy.
    pub fn duplicate<D: DomainMarker>(&self, a: &Poly<D>) -> Result<Poly<D>> {
        self.select(a, &a.shape().limbs, 0, a.shape().batch)
    }

    /// A copy of polynomials `first .. first + batch`, with a subset of the limbs.
    pub fn select<D: DomainMarker>(
        &self,
        a: &Poly<D>,
        limbs: &LimbSet,
        first: usize,
        batch: usize,
    ) -> Result<Poly<D>> {
        let mut out = self.alloc_like(a, limbs, batch)?;
        self.engine.copy(&self.queue, out.buffer_mut(), 0, a.buffer(), first, batch)?;
        Ok(out)
    }

    /// Overwrites polynomials `to .. to + a.batch` of `out` by those of `a`.
    pub fn place<D: DomainMarker>(&self, out: &mut Poly<D>, to: usize, a: &Poly<D>) -> Result<()> {
        let count = a.shape().batch;
        self.engine.copy(&self.queue, out.buffer_mut(), to, a.buffer(), 0, count)
    }

    /// The polynomials of several equal-limbed batches, one after another.
    pub fn stack<D: DomainMarker>(&self, parts: &[&Poly<D>]) -> Result<Poly<D>> {
        let batch = parts.iter().map(|part| part.shape().batch).sum();
        let Some(first) = parts.first() else {
            return Err(cyclotron_ring::RingError::EmptyBasis.into());
        };
        let mut out = self.alloc(&first.shape().with_batch(batch))?;
        let mut to = 0;
        for part in parts {
            self.place(&mut out, to, part)?;
            to += part.shape().batch;
        }
        Ok(out)
    }

    fn binary<D: DomainMarker>(&self, op: BinaryOp, a: &Poly<D>, b: &Poly<D>) -> Result<Poly<D>> {
        let mut out = self.alloc(a.shape())?;
        self.engine.binary(&self.queue, op, out.buffer_mut(), a.buffer(), b.buffer())?;
        Ok(out)
    }

    /// `a + b`; `b` may have batch 1.
    pub fn add<D: DomainMarker>(&self, a: &Poly<D>, b: &Poly<D>) -> Result<Poly<D>> {
        self.binary(BinaryOp::Add, a, b)
    }

    /// `a - b`; `b` may have batch 1.
    pub fn sub<D: DomainMarker>(&self, a: &Poly<D>, b: &Poly<D>) -> Result<Poly<D>> {
        self.binary(BinaryOp::Sub, a, b)
    }

    /// The ring product `a * b`; `b` may have batch 1.
    pub fn mul(&self, a: &Poly<Evaluation>, b: &Poly<Evaluation>) -> Result<Poly<Evaluation>> {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// `acc += b`; `b` may have batch 1.
    pub fn add_assign<D: DomainMarker>(&self, acc: &mut Poly<D>, b: &Poly<D>) -> Result<()> {
        self.engine.binary_assign(&self.queue, BinaryOp::Add, acc.buffer_mut(), b.buffer())
    }

    /// `acc -= b`; `b` may have batch 1.
    pub fn sub_assign<D: DomainMarker>(&self, acc: &mut Poly<D>, b: &Poly<D>) -> Result<()> {
        self.engine.binary_assign(&self.queue, BinaryOp::Sub, acc.buffer_mut(), b.buffer())
    }

    /// `acc *= b`; `b` may have batch 1.
    pub fn mul_assign(&self, acc: &mut Poly<Evaluation>, b: &Poly<Evaluation>) -> Result<()> {
        self.engine.binary_assign(&self.queue, BinaryOp::Mul, acc.buffer_mut(), b.buffer())
    }

    /// `acc += a * b`; `b` may have batch 1.
    pub fn mul_add_assign(
        &self,
        acc: &mut Poly<Evaluation>,
        a: &Poly<Evaluation>,
        b: &Poly<Evaluation>,
    ) -> Result<()> {
        self.engine.mul_add(&self.queue, acc.buffer_mut(), a.buffer(), b.buffer())
    }

    /// `a = -a`.
    pub fn neg_assign<D: DomainMarker>(&self, a: &mut Poly<D>) -> Result<()> {
        self.engine.neg_assign(&self.queue, a.buffer_mut())
    }

    /// Multiplies limb `i` by `factors[i]`.
    pub fn scale_assign<D: DomainMarker>(&self, a: &mut Poly<D>, factors: &[u64]) -> Result<()> {
        self.engine.scale_assign(&self.queue, a.buffer_mut(), factors)
    }

    /// `a(x^element)`.
    pub fn automorphism<D: DomainMarker>(&self, a: &Poly<D>, element: u64) -> Result<Poly<D>> {
        let mut out = self.alloc(a.shape())?;
        let (out_buffer, a) = (out.buffer_mut(), a.buffer());
        self.engine.automorphism(&self.queue, D::DOMAIN, element, out_buffer, a)?;
        Ok(out)
    }

    /// Basis conversion to `limbs`.
    pub fn convert(
        &self,
        plan: &Arc<ConvertPlan>,
        a: &Poly<Coefficient>,
        limbs: &LimbSet,
    ) -> Result<Poly<Coefficient>> {
        let mut out = self.alloc_like(a, limbs, a.shape().batch)?;
        self.engine.convert(&self.queue, plan, out.buffer_mut(), a.buffer())?;
        Ok(out)
    }

    /// `round(t/Q x)` over `limbs`, for `x` over the limbs of `den` and `ext`.
    pub fn scale_round(
        &self,
        plan: &Arc<ScaleRoundPlan>,
        den: &Poly<Coefficient>,
        ext: Option<&Poly<Coefficient>>,
        limbs: &LimbSet,
    ) -> Result<Poly<Coefficient>> {
        let mut out = self.alloc_like(den, limbs, den.shape().batch)?;
        let ext = ext.map(Poly::buffer);
        self.engine.scale_round(&self.queue, plan, out.buffer_mut(), den.buffer(), ext)?;
        Ok(out)
    }

    /// Division with rounding by the limbs that `limbs` does not hold but `a` does (the plan's
    /// dropped ones, given as `dropped`).
    pub fn divide_round<D: DomainMarker>(
        &self,
        plan: &Arc<DivideRoundPlan>,
        a: &Poly<D>,
        limbs: &LimbSet,
        dropped: &LimbSet,
    ) -> Result<Poly<D>> {
        let batch = a.shape().batch;
        let mut out = self.alloc_like(a, limbs, batch)?;
        let mut drop = self.select(a, dropped, 0, batch)?;
        self.engine.divide_round(
            &self.queue,
            D::DOMAIN,
            plan,
            out.buffer_mut(),
            a.buffer(),
            drop.buffer_mut(),
        )?;
        Ok(out)
    }

    /// The digits of `a` in the evaluation domain; `values` is `a` there already, if at hand.
    pub fn digits(
        &self,
        plan: &Arc<DecomposePlan>,
        a: &Poly<Coefficient>,
        values: Option<&Poly<Evaluation>>,
    ) -> Result<Poly<Evaluation>> {
        let mut out = self.alloc_like(a, &plan.target, a.shape().batch * plan.count())?;
        let values = values.map(Poly::buffer);
        self.engine.decompose_forward(&self.queue, plan, out.buffer_mut(), a.buffer(), values)?;
        Ok(out)
    }

    /// Digits times a switching key, divided by the special limbs: pairs of polynomials.
    pub fn gadget_product(
        &self,
        plan: &KeySwitchPlan,
        digits: &Poly<Evaluation>,
        key: &Poly<Evaluation>,
    ) -> Result<Poly<Evaluation>> {
        let groups = digits.shape().batch / plan.decompose.count();
        let mut out = self.alloc_like(digits, &plan.kept, 2 * groups)?;
        let (digits, key) = (digits.buffer(), key.buffer());
        self.engine.gadget_product(&self.queue, plan, out.buffer_mut(), digits, key)?;
        Ok(out)
    }

    /// `(a0 b0, a0 b1 + a1 b0)` and `a1 b1` over `limbs`, for pairs of polynomials.
    pub fn tensor(
        &self,
        a: &Poly<Evaluation>,
        b: &Poly<Evaluation>,
        limbs: &LimbSet,
    ) -> Result<(Poly<Evaluation>, Poly<Evaluation>)> {
        let pairs = a.shape().batch / 2;
        let mut linear = self.alloc_like(a, limbs, 2 * pairs)?;
        let mut quadratic = self.alloc_like(a, limbs, pairs)?;
        self.engine.tensor(
            &self.queue,
            linear.buffer_mut(),
            quadratic.buffer_mut(),
            a.buffer(),
            b.buffer(),
        )?;
        Ok((linear, quadratic))
    }
}
