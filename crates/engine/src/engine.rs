//! The [`Engine`] trait: what an accelerator must be able to do.

use crate::buffer::{Buffer, EngineId, Event, Queue};
use crate::error::Result;
use crate::plan::{DecomposePlan, KeySwitchPlan};
use crate::shape::{Ring, Shape};
use cyclotron_ring::rns::{ConvertPlan, DivideRoundPlan, ScaleRoundPlan};
use cyclotron_ring::sample::Seed;
use std::fmt::Debug;
use std::sync::Arc;

/// Whether a polynomial is given by its coefficients or by its values at the roots of unity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Coefficients of `x^0 ... x^(n-1)`, in that order.
    Coefficient,
    /// Values at the primitive `2n`-th roots of unity, in an order private to the engine.
    Evaluation,
}

/// An element-wise operation of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `a + b`, in either domain.
    Add,
    /// `a - b`, in either domain.
    Sub,
    /// `a * b` residue by residue: the ring product in the evaluation domain.
    Mul,
}

/// Operations that an engine may lack. Memory, queues, and element-wise arithmetic are never
/// lacking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Operation {
    /// The transform of both directions.
    Transform,
    /// Products in the coefficient domain, for limbs without a transform.
    RingMul,
    /// Element-wise arithmetic and inner products.
    Arithmetic,
    /// `x -> x^g`.
    Automorphism,
    /// RNS basis conversion.
    Convert,
    /// Scaling and rounding by `t/Q`, and division by dropped moduli.
    ScaleRound,
    /// Digit decomposition.
    Decompose,
    /// Uniform sampling from a public seed.
    SampleUniform,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 8] = [
        Self::Transform,
        Self::RingMul,
        Self::Arithmetic,
        Self::Automorphism,
        Self::Convert,
        Self::ScaleRound,
        Self::Decompose,
        Self::SampleUniform,
    ];
}

/// What an engine can do. Asking for more gives [`crate::EngineError::Unsupported`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// Short name, e.g. `cpu`.
    pub name: String,
    /// One line for people: processor, SIMD level, threads.
    pub description: String,
    /// Smallest and largest ring degree.
    pub degrees: (usize, usize),
    /// Widest modulus, in bits.
    pub modulus_bits: u32,
    /// Operations the engine has.
    pub operations: Vec<Operation>,
    /// Bytes of memory the engine may use, when there is a limit.
    pub memory_limit: Option<u64>,
    /// How many operations run at once.
    pub threads: usize,
}

/// A processor of batched RNS polynomials.
///
/// Rules for every method (the whole contract is `docs/engine-contract.md`):
/// * operands must be this engine's buffers, of one ring; shapes are checked before any work and
///   a refused call changes nothing;
/// * residues are in `[0, q)` between calls; coefficient-domain results equal the scalar
///   reference of `cyclotron-ring` bit for bit, whatever the number of threads;
/// * calls enqueue on `queue` and may return before the work is done; `download` and `wait`
///   synchronise and report device errors;
/// * "limbs of `out`" may be a subset of an input's limbs where a method says so.
pub trait Engine: Send + Sync + Debug {
    /// Identity of this open engine.
    fn id(&self) -> EngineId;

    /// What the engine can do.
    fn capabilities(&self) -> &Capabilities;

    /// A new in-order queue.
    fn queue(&self) -> Queue;

    /// Blocks until the queue's work is done and reports its first failure.
    fn wait(&self, queue: &Queue) -> Result<()>;

    /// Marks the present end of a queue.
    fn record(&self, queue: &Queue) -> Result<Event>;

    /// Makes later work of `queue` wait for `event` of another queue of this engine.
    fn join(&self, queue: &Queue, event: Event) -> Result<()>;

    /// Checks that the engine can work in `ring` and makes its tables; `alloc` does so on first
    /// use of a ring.
    fn prepare(&self, ring: &Arc<Ring>) -> Result<()>;

    /// Memory for a shape. Its contents are unspecified residues until written (never another
    /// owner's secrets).
    fn alloc(&self, shape: &Shape) -> Result<Buffer>;

    /// Writes host data `[batch][limb][coefficient]`; every residue is checked to be reduced.
    fn upload(&self, queue: &Queue, out: &mut Buffer, host: &[u64]) -> Result<()>;

    /// Reads a buffer into host memory `[batch][limb][coefficient]`, after the queue's work.
    /// Only coefficient-domain data means anything outside the engine.
    fn download(&self, queue: &Queue, a: &Buffer, host: &mut [u64]) -> Result<()>;

    /// Copies `count` polynomials: `out[to + i] = a[from + i]`. Limbs of `out` may be a subset of
    /// those of `a`.
    fn copy(
        &self,
        queue: &Queue,
        out: &mut Buffer,
        to: usize,
        a: &Buffer,
        from: usize,
        count: usize,
    ) -> Result<()>;

    /// Sets every residue to zero.
    fn zero(&self, queue: &Queue, out: &mut Buffer) -> Result<()>;

    /// Fills with public uniform coefficients (`ring::sample::uniform`): polynomial `b` of the
    /// batch uses stream `stream + b`, and the limb number is the limb's index in the ring.
    fn sample_uniform(
        &self,
        queue: &Queue,
        out: &mut Buffer,
        seed: &Seed,
        stream: u32,
    ) -> Result<()>;

    /// Coefficients to values, in place; every limb must have a transform.
    fn forward(&self, queue: &Queue, a: &mut Buffer) -> Result<()>;

    /// Values to coefficients, in place.
    fn inverse(&self, queue: &Queue, a: &mut Buffer) -> Result<()>;

    /// The ring product in the coefficient domain, for any limb. `b` may have batch 1.
    fn ring_mul(&self, queue: &Queue, out: &mut Buffer, a: &Buffer, b: &Buffer) -> Result<()>;

    /// `out = a op b`. Equal shapes; `b` may have batch 1 and is then used for every polynomial;
    /// limbs of `out` may be a subset of those of `a` and of `b`.
    fn binary(
        &self,
        queue: &Queue,
        op: BinaryOp,
        out: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
    ) -> Result<()>;

    /// `acc = acc op b`, with `b` as in [`Engine::binary`].
    fn binary_assign(
        &self,
        queue: &Queue,
        op: BinaryOp,
        acc: &mut Buffer,
        b: &Buffer,
    ) -> Result<()>;

    /// `acc = acc + a * b`; `b` may have batch 1; limbs of `acc` may be a subset of the others'.
    fn mul_add(&self, queue: &Queue, acc: &mut Buffer, a: &Buffer, b: &Buffer) -> Result<()>;

    /// `a = -a`.
    fn neg_assign(&self, queue: &Queue, a: &mut Buffer) -> Result<()>;

    /// Multiplies limb `i` by the constant `factors[i]`, reduced modulo that limb.
    fn scale_assign(&self, queue: &Queue, a: &mut Buffer, factors: &[u64]) -> Result<()>;

    /// A batch of small matrix-vector products: with `m = columns`, `out.batch / m` groups `g` of
    /// `k` terms each, where `a.batch = g k`,
    /// `out[g m + c] = sum_(j < k) a[g k + j] * b[j m + c]`, residue by residue.
    /// `b` may have more than the `k m` polynomials used: a key has rows for digits that a
    /// ciphertext of a lower level has not. Limbs of `out` may be a subset of those of `a` and `b`.
    fn inner_product(
        &self,
        queue: &Queue,
        out: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
        columns: usize,
    ) -> Result<()>;

    /// `out = a(x^element)`, `element` odd and below `2n`, in the given domain.
    fn automorphism(
        &self,
        queue: &Queue,
        domain: Domain,
        element: u64,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()>;

    /// RNS basis conversion from the limbs of `a` (the plan's source) to those of `out` (its
    /// destination), coefficient domain, equal batches.
    fn convert(
        &self,
        queue: &Queue,
        plan: &Arc<ConvertPlan>,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()>;

    /// `out = round(t/Q * x)` for `x` held by `den` (limbs of `Q`) and, if the plan has an
    /// extension, `ext` (limbs of `B`); coefficient domain, equal batches.
    fn scale_round(
        &self,
        queue: &Queue,
        plan: &Arc<ScaleRoundPlan>,
        out: &mut Buffer,
        den: &Buffer,
        ext: Option<&Buffer>,
    ) -> Result<()>;

    /// The correction `delta` of a division by dropped moduli, modulo the kept ones:
    /// `dropped` holds `x` modulo the dropped limbs; coefficient domain.
    fn divide_correction(
        &self,
        queue: &Queue,
        plan: &Arc<DivideRoundPlan>,
        out: &mut Buffer,
        dropped: &Buffer,
    ) -> Result<()>;

    /// Splits each polynomial of `a` (coefficient domain, the plan's source limbs) into the
    /// plan's `d` digits over its target limbs: digit `j` of polynomial `b` is
    /// `out[b d + j]`.
    fn decompose(
        &self,
        queue: &Queue,
        plan: &Arc<DecomposePlan>,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()>;

    /// The digits of [`Engine::decompose`] in the evaluation domain. `values`, when given, holds
    /// `a` in the evaluation domain, which saves an engine the transforms of limbs it has.
    fn decompose_forward(
        &self,
        queue: &Queue,
        plan: &Arc<DecomposePlan>,
        out: &mut Buffer,
        a: &Buffer,
        values: Option<&Buffer>,
    ) -> Result<()> {
        let _ = values;
        self.decompose(queue, plan, out, a)?;
        self.forward(queue, out)
    }

    /// The products of two ciphertexts' polynomials, evaluation domain: for each pair
    /// `(a0, a1)`, `(b0, b1)` of the batches, `linear = (a0 b0, a0 b1 + a1 b0)` and
    /// `quadratic = a1 b1`. Limbs of the outputs may be a subset of the inputs'.
    fn tensor(
        &self,
        queue: &Queue,
        linear: &mut Buffer,
        quadratic: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
    ) -> Result<()>;

    /// Division by dropped moduli with rounding: `out = (x - delta) / P`, where `keep` and `drop`
    /// hold `x` and `drop` is used as scratch (its contents are lost). In the evaluation domain
    /// only the dropped limbs and the correction are transformed. Limbs of `keep` may be a
    /// superset of those of `out`.
    fn divide_round(
        &self,
        queue: &Queue,
        domain: Domain,
        plan: &Arc<DivideRoundPlan>,
        out: &mut Buffer,
        keep: &Buffer,
        drop: &mut Buffer,
    ) -> Result<()> {
        if domain == Domain::Evaluation {
            self.inverse(queue, drop)?;
        }
        let mut correction = self.alloc(out.shape())?;
        self.divide_correction(queue, plan, &mut correction, drop)?;
        if domain == Domain::Evaluation {
            self.forward(queue, &mut correction)?;
        }
        self.binary(queue, BinaryOp::Sub, out, keep, &correction)?;
        let factors: Vec<u64> =
            (0..out.shape().limbs.len()).map(|i| plan.inverse_factor(i).0).collect();
        self.scale_assign(queue, out, &factors)
    }

    /// Multiplies digits (evaluation domain, `[groups x d]` over the plan's target limbs) by a
    /// switching key (`[d x 2]` or more, limbs a superset of the target's) and divides by the special
    /// moduli: `out` is `[groups x 2]` over the plan's kept limbs, evaluation domain.
    fn gadget_product(
        &self,
        queue: &Queue,
        plan: &KeySwitchPlan,
        out: &mut Buffer,
        digits: &Buffer,
        key: &Buffer,
    ) -> Result<()> {
        let Some(divide) = &plan.divide else {
            return self.inner_product(queue, out, digits, key, 2);
        };
        let shape = |limbs| Shape::new(&digits.shape().ring, limbs, out.shape().batch);
        let mut keep = self.alloc(&shape(&plan.kept)?)?;
        let mut drop = self.alloc(&shape(&plan.special)?)?;
        self.inner_product(queue, &mut keep, digits, key, 2)?;
        self.inner_product(queue, &mut drop, digits, key, 2)?;
        self.divide_round(queue, Domain::Evaluation, divide, out, &keep, &mut drop)
    }
}
