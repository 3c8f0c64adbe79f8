//! The engine behind a context: how it is chosen, and what there is.

use crate::errors;
use cyclotron_engine::CpuEngine;
use cyclotron_ring::SimdLevel;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::Arc;

/// The user's choices for an engine.
#[derive(Debug, Clone, Default)]
pub struct EngineOptions {
    /// Threads; all of the machine's when not given.
    pub threads: Option<usize>,
    /// Name of a SIMD level; the fastest, or that of `CYCLOTRON_SIMD`, when not given.
    pub simd: Option<String>,
    /// The most bytes of buffers.
    pub memory_limit: Option<u64>,
}

impl EngineOptions {
    /// Opens the engine, which tests itself.
    pub fn open(&self, py: Python<'_>) -> PyResult<Arc<CpuEngine>> {
        let mut builder = CpuEngine::builder();
        if let Some(name) = &self.simd {
            builder = builder.simd(SimdLevel::require(name).map_err(errors::ring)?);
        }
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        if let Some(bytes) = self.memory_limit {
            builder = builder.memory_limit(bytes);
        }
        py.detach(|| builder.open()).map_err(errors::engine)
    }

    /// As keyword arguments of Python's `Context`.
    pub fn keywords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keywords = PyDict::new(py);
        keywords.set_item("threads", self.threads)?;
        keywords.set_item("simd", self.simd.as_deref())?;
        keywords.set_item("memory_limit", self.memory_limit)?;
        Ok(keywords)
    }
}

/// The engines of this machine, as a list of dictionaries: `name`, `description`, `threads`,
/// `modulus_bits` (of the widest prime), `degrees` (smallest and largest ring degree), and
/// `simd` (the SIMD levels that `Context(simd=...)` may name, slowest first; every level gives
/// the same integers).
///
/// >>> [engine["name"] for engine in cy.engines()]
/// ['cpu']
/// >>> cy.engines()[0]["simd"][0]
/// 'scalar'
#[pyfunction]
pub fn engines(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let engine = EngineOptions::default().open(py)?;
    let engine: &dyn cyclotron_engine::Engine = &*engine;
    let capabilities = engine.capabilities();
    let entry = PyDict::new(py);
    entry.set_item("name", &capabilities.name)?;
    entry.set_item("description", &capabilities.description)?;
    entry.set_item("threads", capabilities.threads)?;
    entry.set_item("modulus_bits", capabilities.modulus_bits)?;
    entry.set_item("degrees", capabilities.degrees)?;
    let levels: Vec<_> = SimdLevel::available().into_iter().map(SimdLevel::name).collect();
    entry.set_item("simd", levels)?;
    PyList::new(py, [entry])
}
