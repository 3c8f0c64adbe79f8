//! Counting what a computation costs, with or without carrying it out.
//!
//! [`Meter::wrap`] counts and forwards to an engine; [`Meter::dry`] checks and counts but computes
//! nothing, so that a circuit can be priced on a device that is too slow to simulate, or that does
//! not exist. Only calls that succeed are counted.
//!
//! Counts are kept per operation and degree. Work is counted in limb polynomials (one limb of one
//! polynomial), traffic in residues read and written:
//!
//! | operation | limb polynomials |
//! |---|---|
//! | element-wise, copies, transforms, automorphisms, sampling, `ring_mul` | batch x limbs written |
//! | `inner_product` | multiply-adds: outputs x terms x limbs |
//! | `convert`, `scale_round`, `divide_correction` | batch x source limbs x destination limbs |
//! | `decompose` | limbs copied, and source x destination limbs of each group; digits for words |
//!
//! A composite is forwarded as it is, so that an engine keeps its fused form, and counted as the
//! primitives that it stands for:
//!
//! | composite | primitives |
//! |---|---|
//! | `decompose_forward` | `decompose`, `forward` of the limbs that `values` does not give |
//! | `tensor` | 3 `mul` and 1 `mul_add` for each pair |
//! | `divide_round` | `divide_correction`, `sub`, `scale`; for values, `inverse` and `forward` too |
//! | `gadget_product` | `inner_product`, over kept and special limbs, then `divide_round` |

mod count;
mod engine;
mod memory;
mod price;
mod report;

pub use price::{Cost, CostTable, Price};
pub use report::{Count, MeterReport};

use crate::buffer::{Buffer, EngineId};
use crate::engine::{Capabilities, Engine};
use crate::error::Result;
use crate::shape::Shape;
use crate::validate::Validator;
use memory::{Gauge, Metered};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An engine that counts.
#[derive(Debug)]
pub struct Meter {
    id: EngineId,
    inner: Option<Arc<dyn Engine>>,
    capabilities: Capabilities,
    check: Validator,
    counts: Mutex<MeterReport>,
    memory: Arc<Gauge>,
    queues: AtomicU64,
}

impl Meter {
    /// Counts and forwards to `engine`. Buffers belong to both alike, so work may also go to the
    /// engine directly, uncounted.
    #[must_use]
    pub fn wrap(engine: Arc<dyn Engine>) -> Arc<Self> {
        let capabilities = engine.capabilities().clone();
        Arc::new(Self::new(engine.id(), Some(engine), capabilities))
    }

    /// Counts and computes nothing: buffers hold no data, and reading them is
    /// [`crate::EngineError::DryRun`]. Requests beyond `capabilities`, its memory limit included,
    /// are refused as by an engine.
    #[must_use]
    pub fn dry(capabilities: Capabilities) -> Arc<Self> {
        Arc::new(Self::new(EngineId::fresh(), None, capabilities))
    }

    fn new(id: EngineId, inner: Option<Arc<dyn Engine>>, capabilities: Capabilities) -> Self {
        Self {
            id,
            inner,
            check: Validator::new(id, &capabilities.name),
            capabilities,
            counts: Mutex::default(),
            memory: Arc::default(),
            queues: AtomicU64::new(0),
        }
    }

    /// What was counted so far.
    #[must_use]
    pub fn report(&self) -> MeterReport {
        let (bytes, peak_bytes) = self.memory.read();
        MeterReport { bytes, peak_bytes, ..self.counts().clone() }
    }

    /// Forgets the counts; the peak of memory becomes the present use.
    pub fn reset(&self) {
        *self.counts() = MeterReport::default();
        self.memory.reset();
    }

    fn counts(&self) -> MutexGuard<'_, MeterReport> {
        // Counts are added whole; a panic elsewhere does not harm them.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn buffer(&self, shape: &Shape) -> Result<Buffer> {
        let words = self.check.alloc(&self.capabilities, shape)?;
        let bytes = 8 * words as u64;
        let Some(engine) = &self.inner else {
            let limit = self.capabilities.memory_limit;
            let claim = self.memory.claim(bytes, limit, &self.capabilities.name)?;
            return Ok(Buffer::new(self.id, shape.clone(), Box::new(Metered::dry(claim))));
        };
        let buffer = engine.alloc(shape)?;
        // The engine keeps its own limit.
        let claim = self.memory.claim(bytes, None, &self.capabilities.name)?;
        let (id, shape, storage) = buffer.into_parts();
        Ok(Buffer::new(id, shape, Box::new(Metered::around(storage, claim))))
    }
}
