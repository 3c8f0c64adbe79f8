//! The [`Engine`] trait for the CPU engine: check, then work.

use crate::buffer::{Buffer, EngineId, Event, Queue};
use crate::cpu::access::storage_mut;
use crate::cpu::{CpuEngine, access, arithmetic, composite, convert, transform};
use crate::engine::{BinaryOp, Capabilities, Domain, Engine};
use crate::error::Result;
use crate::plan::{DecomposePlan, KeySwitchPlan};
use crate::shape::{Ring, Shape};
use cyclotron_ring::rns::{ConvertPlan, DivideRoundPlan, ScaleRoundPlan};
use cyclotron_ring::sample::Seed;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Engine for CpuEngine {
    fn id(&self) -> EngineId {
        self.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn queue(&self) -> Queue {
        Queue::new(self.id, self.queues.fetch_add(1, Ordering::Relaxed))
    }

    fn wait(&self, queue: &Queue) -> Result<()> {
        self.check.queue("wait", queue)
    }

    fn record(&self, queue: &Queue) -> Result<Event> {
        self.check.queue("record", queue)?;
        Ok(Event { engine: self.id, queue: queue.id(), position: 0 })
    }

    fn join(&self, queue: &Queue, event: Event) -> Result<()> {
        self.check.join(queue, event)
    }

    fn prepare(&self, ring: &Arc<Ring>) -> Result<()> {
        self.check.ring(&self.capabilities, ring)?;
        self.tables.ring(ring).map(|_| ())
    }

    fn alloc(&self, shape: &Shape) -> Result<Buffer> {
        self.buffer(shape)
    }

    fn upload(&self, queue: &Queue, out: &mut Buffer, host: &[u64]) -> Result<()> {
        self.check.upload(queue, out, host)?;
        storage_mut(out)?.block.words_mut().copy_from_slice(host);
        Ok(())
    }

    fn download(&self, queue: &Queue, a: &Buffer, host: &mut [u64]) -> Result<()> {
        self.check.download(queue, a, host)?;
        host.copy_from_slice(access::storage(a)?.block.words());
        Ok(())
    }

    fn copy(
        &self,
        queue: &Queue,
        out: &mut Buffer,
        to: usize,
        a: &Buffer,
        from: usize,
        count: usize,
    ) -> Result<()> {
        self.check.copy(queue, out, to, a, from, count)?;
        arithmetic::copy(self, out, to, a, from, count)
    }

    fn zero(&self, queue: &Queue, out: &mut Buffer) -> Result<()> {
        self.check.single("zero", queue, out)?;
        arithmetic::zero(self, out)
    }

    fn sample_uniform(
        &self,
        queue: &Queue,
        out: &mut Buffer,
        seed: &Seed,
        stream: u32,
    ) -> Result<()> {
        self.check.sample_uniform(queue, out, stream)?;
        arithmetic::sample_uniform(self, out, seed, stream)
    }

    fn forward(&self, queue: &Queue, a: &mut Buffer) -> Result<()> {
        self.check.transform("forward", queue, a)?;
        transform::forward(self, a)
    }

    fn inverse(&self, queue: &Queue, a: &mut Buffer) -> Result<()> {
        self.check.transform("inverse", queue, a)?;
        transform::inverse(self, a)
    }

    fn ring_mul(&self, queue: &Queue, out: &mut Buffer, a: &Buffer, b: &Buffer) -> Result<()> {
        self.check.ring_mul(queue, out, a, b)?;
        transform::ring_mul(self, out, a, b)
    }

    fn binary(
        &self,
        queue: &Queue,
        op: BinaryOp,
        out: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
    ) -> Result<()> {
        self.check.binary("binary", queue, out, a, b)?;
        arithmetic::binary(self, op, out, a, b)
    }

    fn binary_assign(
        &self,
        queue: &Queue,
        op: BinaryOp,
        acc: &mut Buffer,
        b: &Buffer,
    ) -> Result<()> {
        self.check.binary_assign(queue, acc, b)?;
        arithmetic::binary_assign(self, op, acc, b)
    }

    fn mul_add(&self, queue: &Queue, acc: &mut Buffer, a: &Buffer, b: &Buffer) -> Result<()> {
        self.check.binary("mul_add", queue, acc, a, b)?;
        arithmetic::mul_add(self, acc, a, b)
    }

    fn neg_assign(&self, queue: &Queue, a: &mut Buffer) -> Result<()> {
        self.check.single("neg_assign", queue, a)?;
        arithmetic::neg_assign(self, a)
    }

    fn scale_assign(&self, queue: &Queue, a: &mut Buffer, factors: &[u64]) -> Result<()> {
        self.check.scale_assign(queue, a, factors)?;
        arithmetic::scale_assign(self, a, factors)
    }

    fn inner_product(
        &self,
        queue: &Queue,
        out: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
        columns: usize,
    ) -> Result<()> {
        self.check.inner_product(queue, out, a, b, columns)?;
        arithmetic::inner_product(self, out, a, b, columns)
    }

    fn automorphism(
        &self,
        queue: &Queue,
        domain: Domain,
        element: u64,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()> {
        self.check.automorphism(queue, domain, element, out, a)?;
        transform::automorphism(self, domain, element, out, a)
    }

    fn convert(
        &self,
        queue: &Queue,
        plan: &Arc<ConvertPlan>,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()> {
        self.check.convert(queue, plan, out, a)?;
        convert::convert(self, plan, out, a)
    }

    fn scale_round(
        &self,
        queue: &Queue,
        plan: &Arc<ScaleRoundPlan>,
        out: &mut Buffer,
        den: &Buffer,
        ext: Option<&Buffer>,
    ) -> Result<()> {
        self.check.scale_round(queue, plan, out, den, ext)?;
        convert::scale_round(self, plan, out, den, ext)
    }

    fn divide_correction(
        &self,
        queue: &Queue,
        plan: &Arc<DivideRoundPlan>,
        out: &mut Buffer,
        dropped: &Buffer,
    ) -> Result<()> {
        self.check.divide_correction(queue, plan, out, dropped)?;
        convert::divide_correction(self, plan, out, dropped)
    }

    fn decompose(
        &self,
        queue: &Queue,
        plan: &Arc<DecomposePlan>,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()> {
        self.check.decompose(queue, plan, out, a)?;
        convert::decompose(self, plan, out, a, true)
    }

    fn decompose_forward(
        &self,
        queue: &Queue,
        plan: &Arc<DecomposePlan>,
        out: &mut Buffer,
        a: &Buffer,
        values: Option<&Buffer>,
    ) -> Result<()> {
        self.check.decompose_forward(queue, plan, out, a, values)?;
        convert::decompose_forward(self, plan, out, a, values)
    }

    fn tensor(
        &self,
        queue: &Queue,
        linear: &mut Buffer,
        quadratic: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
    ) -> Result<()> {
        self.check.tensor(queue, linear, quadratic, a, b)?;
        composite::tensor(self, linear, quadratic, a, b)
    }

    fn divide_round(
        &self,
        queue: &Queue,
        domain: Domain,
        plan: &Arc<DivideRoundPlan>,
        out: &mut Buffer,
        keep: &Buffer,
        drop: &mut Buffer,
    ) -> Result<()> {
        self.check.divide_round(queue, domain, plan, out, keep, drop)?;
        composite::divide_round(self, domain, plan, out, keep, drop)
    }

    fn gadget_product(
        &self,
        queue: &Queue,
        plan: &KeySwitchPlan,
        out: &mut Buffer,
        digits: &Buffer,
        key: &Buffer,
    ) -> Result<()> {
        self.check.gadget_product(queue, plan, out, digits, key)?;
        composite::gadget_product(self, plan, out, digits, key)
    }
}
