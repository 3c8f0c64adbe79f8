//! The [`Engine`] trait for the meter: forward or check, then count.

use super::Meter;
use super::count::{automorphism_name, binary_name};
use crate::buffer::{Buffer, EngineId, Event, Queue};
use crate::engine::{BinaryOp, Capabilities, Domain, Engine};
use crate::error::{EngineError, Result};
use crate::plan::{DecomposePlan, KeySwitchPlan};
use crate::shape::{Ring, Shape};
use cyclotron_ring::rns::{ConvertPlan, DivideRoundPlan, ScaleRoundPlan};
use cyclotron_ring::sample::Seed;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Engine for Meter {
    fn id(&self) -> EngineId {
        self.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn queue(&self) -> Queue {
        match &self.inner {
            Some(engine) => engine.queue(),
            None => Queue::new(self.id, self.queues.fetch_add(1, Ordering::Relaxed)),
        }
    }

    fn wait(&self, queue: &Queue) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.wait(queue),
            None => self.check.queue("wait", queue),
        }
    }

    fn record(&self, queue: &Queue) -> Result<Event> {
        if let Some(engine) = &self.inner {
            return engine.record(queue);
        }
        self.check.queue("record", queue)?;
        Ok(Event { engine: self.id, queue: queue.id(), position: 0 })
    }

    fn join(&self, queue: &Queue, event: Event) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.join(queue, event),
            None => self.check.join(queue, event),
        }
    }

    fn prepare(&self, ring: &Arc<Ring>) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.prepare(ring),
            None => self.check.ring(&self.capabilities, ring),
        }
    }

    fn alloc(&self, shape: &Shape) -> Result<Buffer> {
        self.buffer(shape)
    }

    fn upload(&self, queue: &Queue, out: &mut Buffer, host: &[u64]) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.upload(queue, out, host)?,
            None => self.check.upload(queue, out, host)?,
        }
        self.counts().uploaded_bytes += 8 * host.len() as u64;
        Ok(())
    }

    fn download(&self, queue: &Queue, a: &Buffer, host: &mut [u64]) -> Result<()> {
        let Some(engine) = &self.inner else {
            self.check.download(queue, a, host)?;
            return Err(EngineError::DryRun { operation: "download" });
        };
        engine.download(queue, a, host)?;
        self.counts().downloaded_bytes += 8 * host.len() as u64;
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
        match &self.inner {
            Some(engine) => engine.copy(queue, out, to, a, from, count)?,
            None => self.check.copy(queue, out, to, a, from, count)?,
        }
        self.counts().element_wise("copy", &out.shape().with_batch(count), 1);
        Ok(())
    }

    fn zero(&self, queue: &Queue, out: &mut Buffer) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.zero(queue, out)?,
            None => self.check.single("zero", queue, out)?,
        }
        self.counts().element_wise("zero", out.shape(), 0);
        Ok(())
    }

    fn sample_uniform(
        &self,
        queue: &Queue,
        out: &mut Buffer,
        seed: &Seed,
        stream: u32,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.sample_uniform(queue, out, seed, stream)?,
            None => self.check.sample_uniform(queue, out, stream)?,
        }
        self.counts().element_wise("sample_uniform", out.shape(), 0);
        Ok(())
    }

    fn forward(&self, queue: &Queue, a: &mut Buffer) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.forward(queue, a)?,
            None => self.check.transform("forward", queue, a)?,
        }
        self.counts().element_wise("forward", a.shape(), 1);
        Ok(())
    }

    fn inverse(&self, queue: &Queue, a: &mut Buffer) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.inverse(queue, a)?,
            None => self.check.transform("inverse", queue, a)?,
        }
        self.counts().element_wise("inverse", a.shape(), 1);
        Ok(())
    }

    fn ring_mul(&self, queue: &Queue, out: &mut Buffer, a: &Buffer, b: &Buffer) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.ring_mul(queue, out, a, b)?,
            None => self.check.ring_mul(queue, out, a, b)?,
        }
        self.counts().element_wise("ring_mul", out.shape(), 2);
        Ok(())
    }

    fn binary(
        &self,
        queue: &Queue,
        op: BinaryOp,
        out: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.binary(queue, op, out, a, b)?,
            None => self.check.binary("binary", queue, out, a, b)?,
        }
        self.counts().element_wise(binary_name(op), out.shape(), 2);
        Ok(())
    }

    fn binary_assign(
        &self,
        queue: &Queue,
        op: BinaryOp,
        acc: &mut Buffer,
        b: &Buffer,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.binary_assign(queue, op, acc, b)?,
            None => self.check.binary_assign(queue, acc, b)?,
        }
        self.counts().element_wise(binary_name(op), acc.shape(), 2);
        Ok(())
    }

    fn mul_add(&self, queue: &Queue, acc: &mut Buffer, a: &Buffer, b: &Buffer) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.mul_add(queue, acc, a, b)?,
            None => self.check.binary("mul_add", queue, acc, a, b)?,
        }
        self.counts().element_wise("mul_add", acc.shape(), 3);
        Ok(())
    }

    fn neg_assign(&self, queue: &Queue, a: &mut Buffer) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.neg_assign(queue, a)?,
            None => self.check.single("neg_assign", queue, a)?,
        }
        self.counts().element_wise("neg", a.shape(), 1);
        Ok(())
    }

    fn scale_assign(&self, queue: &Queue, a: &mut Buffer, factors: &[u64]) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.scale_assign(queue, a, factors)?,
            None => self.check.scale_assign(queue, a, factors)?,
        }
        self.counts().element_wise("scale", a.shape(), 1);
        Ok(())
    }

    fn inner_product(
        &self,
        queue: &Queue,
        out: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
        columns: usize,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.inner_product(queue, out, a, b, columns)?,
            None => self.check.inner_product(queue, out, a, b, columns)?,
        }
        self.counts().inner_product(out.shape(), a.shape(), columns);
        Ok(())
    }

    fn automorphism(
        &self,
        queue: &Queue,
        domain: Domain,
        element: u64,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.automorphism(queue, domain, element, out, a)?,
            None => self.check.automorphism(queue, domain, element, out, a)?,
        }
        self.counts().element_wise(automorphism_name(domain), out.shape(), 1);
        Ok(())
    }

    fn convert(
        &self,
        queue: &Queue,
        plan: &Arc<ConvertPlan>,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.convert(queue, plan, out, a)?,
            None => self.check.convert(queue, plan, out, a)?,
        }
        self.counts().conversion("convert", out.shape(), a.shape().limbs.len());
        Ok(())
    }

    fn scale_round(
        &self,
        queue: &Queue,
        plan: &Arc<ScaleRoundPlan>,
        out: &mut Buffer,
        den: &Buffer,
        ext: Option<&Buffer>,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.scale_round(queue, plan, out, den, ext)?,
            None => self.check.scale_round(queue, plan, out, den, ext)?,
        }
        self.counts().conversion("scale_round", out.shape(), den.shape().limbs.len());
        Ok(())
    }

    fn divide_correction(
        &self,
        queue: &Queue,
        plan: &Arc<DivideRoundPlan>,
        out: &mut Buffer,
        dropped: &Buffer,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.divide_correction(queue, plan, out, dropped)?,
            None => self.check.divide_correction(queue, plan, out, dropped)?,
        }
        self.counts().conversion("divide_correction", out.shape(), dropped.shape().limbs.len());
        Ok(())
    }

    fn decompose(
        &self,
        queue: &Queue,
        plan: &Arc<DecomposePlan>,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.decompose(queue, plan, out, a)?,
            None => self.check.decompose(queue, plan, out, a)?,
        }
        self.counts().decompose(plan, out.shape());
        Ok(())
    }

    fn decompose_forward(
        &self,
        queue: &Queue,
        plan: &Arc<DecomposePlan>,
        out: &mut Buffer,
        a: &Buffer,
        values: Option<&Buffer>,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.decompose_forward(queue, plan, out, a, values)?,
            None => self.check.decompose_forward(queue, plan, out, a, values)?,
        }
        self.counts().decompose_forward(plan, out.shape(), values.is_some());
        Ok(())
    }

    fn tensor(
        &self,
        queue: &Queue,
        linear: &mut Buffer,
        quadratic: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.tensor(queue, linear, quadratic, a, b)?,
            None => self.check.tensor(queue, linear, quadratic, a, b)?,
        }
        self.counts().tensor(quadratic.shape());
        Ok(())
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
        match &self.inner {
            Some(engine) => engine.divide_round(queue, domain, plan, out, keep, drop)?,
            None => self.check.divide_round(queue, domain, plan, out, keep, drop)?,
        }
        self.counts().divide_round(domain, out.shape(), drop.shape());
        Ok(())
    }

    fn gadget_product(
        &self,
        queue: &Queue,
        plan: &KeySwitchPlan,
        out: &mut Buffer,
        digits: &Buffer,
        key: &Buffer,
    ) -> Result<()> {
        match &self.inner {
            Some(engine) => engine.gadget_product(queue, plan, out, digits, key)?,
            None => self.check.gadget_product(queue, plan, out, digits, key)?,
        }
        self.counts().gadget_product(plan, out.shape(), digits.shape());
        Ok(())
    }
}
