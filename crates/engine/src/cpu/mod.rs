//! The CPU engine: SIMD kernels of `cyclotron-ring` on the engine's own threads.
//!
//! Calls are synchronous: when one returns, its work is done, so queues and events need no
//! bookkeeping and no result is ever poisoned. Evaluation-domain data is in the order of
//! [`cyclotron_ring::ntt`].
//!
//! * `memory`: blocks, the pool, the limit; `tables`: transforms and permutations;
//! * `workers`: threads; `access`: which words an operation touches;
//! * `arithmetic`, `transform`, `convert`, `composite`: the operations.

mod access;
mod arithmetic;
mod composite;
mod convert;
mod memory;
mod operations;
mod tables;
mod transform;
mod workers;

pub use memory::DEFAULT_CACHE;
pub use tables::MAX_PERMUTED;

use crate::buffer::{Buffer, EngineId};
use crate::engine::{Capabilities, Operation};
use crate::error::Result;
use crate::self_test;
use crate::shape::{MAX_DEGREE, MIN_DEGREE, Shape};
use crate::validate::Validator;
use cyclotron_ring::SimdLevel;
use cyclotron_ring::modulus::MAX_MODULUS;
use memory::{Block, CpuStorage, Pool};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tables::Tables;
use workers::Workers;

/// The engine that computes on this machine's processor.
pub struct CpuEngine {
    id: EngineId,
    capabilities: Capabilities,
    simd: SimdLevel,
    workers: Workers,
    pool: Arc<Pool>,
    tables: Tables,
    check: Validator,
    queues: AtomicU64,
}

impl CpuEngine {
    /// The engine with the SIMD level of `CYCLOTRON_SIMD` or the fastest one, and as many threads
    /// as the machine runs at once.
    ///
    /// # Errors
    /// [`cyclotron_ring::RingError::SimdUnavailable`] for a forced level that the machine has not;
    /// [`crate::EngineError::SelfTest`] when the engine computes wrong results.
    pub fn open() -> Result<Arc<Self>> {
        Self::builder().open()
    }

    /// Choices before opening.
    #[must_use]
    pub fn builder() -> CpuEngineBuilder {
        CpuEngineBuilder::default()
    }

    /// The SIMD level in use.
    #[must_use]
    pub fn simd(&self) -> SimdLevel {
        self.simd
    }

    /// How many threads work.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.workers.threads()
    }

    /// Bytes of the buffers that exist now.
    #[must_use]
    pub fn bytes_in_use(&self) -> u64 {
        self.pool.in_use()
    }

    /// The most that [`Self::bytes_in_use`] has been, scratch memory included.
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.pool.peak()
    }

    /// Bytes of dropped buffers that are kept for reuse.
    #[must_use]
    pub fn cached_bytes(&self) -> u64 {
        self.pool.cached()
    }

    /// Gives the memory kept for reuse back to the system.
    pub fn trim(&self) {
        self.pool.trim();
    }

    /// A buffer with unspecified contents.
    fn buffer(&self, shape: &Shape) -> Result<Buffer> {
        let words = self.check.alloc(&self.capabilities, shape)?;
        let tables = self.tables.ring(&shape.ring)?;
        let block = self.pool.take(words)?;
        Ok(Buffer::new(self.id, shape.clone(), Box::new(CpuStorage { block, tables })))
    }

    /// Memory for the length of a call, wiped afterwards if it holds a secret.
    fn scratch(&self, words: usize, secret: bool) -> Result<Block> {
        let mut block = self.pool.take(words)?;
        block.mark_secret_if(secret);
        Ok(block)
    }
}

impl fmt::Debug for CpuEngine {
    /// What it is and how much memory it uses; no tables, no contents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let description = &self.capabilities.description;
        write!(f, "CpuEngine({} {description}, {:?})", self.id, self.pool)
    }
}

/// Choices for a [`CpuEngine`].
#[derive(Debug, Clone, Default)]
pub struct CpuEngineBuilder {
    simd: Option<SimdLevel>,
    threads: Option<usize>,
    memory_limit: Option<u64>,
    cache: Option<u64>,
}

impl CpuEngineBuilder {
    /// Uses this SIMD level, whatever the environment says.
    #[must_use]
    pub fn simd(mut self, level: SimdLevel) -> Self {
        self.simd = Some(level);
        self
    }

    /// Uses this many threads; 1 means the caller's own.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Hands out at most this many bytes of buffers; more gives
    /// [`crate::EngineError::OutOfMemory`]. Tables are not counted.
    #[must_use]
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// Keeps at most this many bytes of dropped buffers for reuse ([`DEFAULT_CACHE`] otherwise).
    #[must_use]
    pub fn cache(mut self, bytes: u64) -> Self {
        self.cache = Some(bytes);
        self
    }

    /// Opens the engine and tests it.
    ///
    /// # Errors
    /// As [`CpuEngine::open`]; [`crate::EngineError::Configuration`] when threads cannot be had.
    pub fn open(self) -> Result<Arc<CpuEngine>> {
        let simd = match self.simd {
            Some(level) => SimdLevel::require(level.name())?,
            None => SimdLevel::from_environment()?,
        };
        let threads = self.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        let workers = Workers::new(threads)?;
        let id = EngineId::fresh();
        let capabilities = Capabilities {
            name: "cpu".to_owned(),
            description: format!("{}, SIMD {simd}, {threads} threads", std::env::consts::ARCH),
            degrees: (MIN_DEGREE, MAX_DEGREE),
            modulus_bits: 64 - MAX_MODULUS.leading_zeros(),
            operations: Operation::ALL.to_vec(),
            memory_limit: self.memory_limit,
            threads,
        };
        let engine = Arc::new(CpuEngine {
            id,
            pool: Pool::new("cpu", self.memory_limit, self.cache.unwrap_or(DEFAULT_CACHE)),
            check: Validator::new(id, "cpu"),
            capabilities,
            simd,
            workers,
            tables: Tables::default(),
            queues: AtomicU64::new(0),
        });
        self_test::run(&*engine)?;
        engine.trim();
        Ok(engine)
    }
}
