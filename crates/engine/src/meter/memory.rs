//! Memory as a meter sees it: how many bytes of buffers exist, and the most there were.

use crate::buffer::Storage;
use crate::error::{EngineError, Result};
use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes in use and their peak.
#[derive(Debug, Default)]
pub struct Gauge(Mutex<(u64, u64)>);

impl Gauge {
    fn lock(&self) -> MutexGuard<'_, (u64, u64)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes in use and their peak.
    pub fn read(&self) -> (u64, u64) {
        *self.lock()
    }

    /// Makes the present use the peak.
    pub fn reset(&self) {
        let mut gauge = self.lock();
        gauge.1 = gauge.0;
    }

    /// Counts `bytes` for as long as the claim lives.
    pub fn claim(self: &Arc<Self>, bytes: u64, limit: Option<u64>, engine: &str) -> Result<Claim> {
        let mut gauge = self.lock();
        let available = limit.map_or(u64::MAX, |limit| limit.saturating_sub(gauge.0));
        if bytes > available {
            let engine = engine.to_owned();
            return Err(EngineError::OutOfMemory { engine, requested: bytes, available });
        }
        gauge.0 += bytes;
        gauge.1 = gauge.1.max(gauge.0);
        drop(gauge);
        Ok(Claim { bytes, gauge: Arc::clone(self) })
    }
}

/// A part of what a gauge shows.
#[derive(Debug)]
pub struct Claim {
    bytes: u64,
    gauge: Arc<Gauge>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.gauge.lock().0 -= self.bytes;
    }
}

/// The storage of a dry run.
struct Nothing;

impl Storage for Nothing {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn mark_secret(&mut self) {}
}

/// Storage that is counted: an engine's own, which the engine finds again through it, or nothing.
pub struct Metered {
    inner: Box<dyn Storage>,
    _claim: Claim,
}

impl Metered {
    /// Memory without contents.
    pub fn dry(claim: Claim) -> Self {
        Self::around(Box::new(Nothing), claim)
    }

    /// An engine's memory.
    pub fn around(inner: Box<dyn Storage>, claim: Claim) -> Self {
        Self { inner, _claim: claim }
    }
}

impl Storage for Metered {
    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self.inner.as_any_mut()
    }

    fn mark_secret(&mut self) {
        self.inner.mark_secret();
    }
}
