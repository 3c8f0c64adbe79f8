//! What every object of a context shares: the native context, the engine, the process it belongs
//! to.

use crate::engines::EngineOptions;
use crate::errors::{self, Exception};
use cyclotron_engine::CpuEngine;
use cyclotron_ring::sample::{SecretRng, SecretSeed};
use cyclotron_schemes::Error;
use cyclotron_schemes::vector::{VectorContext, VectorParameters};
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What every object of a context shares.
#[derive(Debug)]
pub struct Shared {
    /// Parameters on the engine.
    pub vector: Arc<VectorContext>,
    /// The engine.
    pub engine: Arc<CpuEngine>,
    /// How the engine was asked for.
    pub options: EngineOptions,
    /// The process whose threads the engine has.
    process: u32,
    /// The Python object of this context, while there is one: `x.context is ctx`, and a pickle of
    /// several things holds their context once.
    handle: Mutex<Option<Py<PyWeakrefReference>>>,
}

impl Shared {
    pub fn open(
        py: Python<'_>,
        parameters: &VectorParameters,
        options: EngineOptions,
    ) -> PyResult<Arc<Self>> {
        let engine = options.open(py)?;
        let vector = py
            .detach(|| {
                let engine: Arc<dyn cyclotron_engine::Engine> = engine.clone();
                VectorContext::new(parameters, &engine)
            })
            .map_err(errors::scheme)?;
        let (process, handle) = (std::process::id(), Mutex::new(None));
        Ok(Arc::new(Self { vector, engine, options, process, handle }))
    }

    /// Runs `f` without the GIL. After a fork the engine's threads are gone, and waiting for them
    /// would never end: that is refused.
    pub fn run<T: Send>(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&Arc<VectorContext>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let (opened, here) = (self.process, std::process::id());
        if opened != here && self.engine.threads() > 1 {
            let message = format!(
                "the engine was opened in process {opened} and its threads do not exist in the \
                 forked process {here}; start processes with multiprocessing's \"spawn\", make the \
                 context in the process that uses it, or use Context(threads=1)"
            );
            return Err(Exception::new(py, "EngineError", message).error());
        }
        py.detach(|| f(&self.vector)).map_err(errors::scheme)
    }

    /// The lock is never held while Python code may run: nobody waits for it with the GIL in hand.
    pub fn handle(&self) -> MutexGuard<'_, Option<Py<PyWeakrefReference>>> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn living<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let weak = self.handle().as_ref().map(|weak| weak.clone_ref(py))?;
        weak.into_bound(py).upgrade()
    }

    /// Smallest and largest integer.
    pub fn range(&self, signed: bool) -> (i128, i128) {
        self.vector.parameters().plaintext().range(signed)
    }

    /// Signed integers from smallest to unsigned largest: what any encoding may hold.
    pub fn widest_range(&self) -> (i128, i128) {
        (self.range(true).0, self.range(false).1)
    }

    /// `bfv, n=8192`: how every `repr` begins.
    pub fn label(&self) -> String {
        let first = self.vector.parameters().first();
        format!("{}, n={}", first.scheme(), first.degree())
    }
}

/// A generator of secrets: from the operating system, or from a test's seed.
pub fn generator(insecure_seed: Option<u64>) -> Result<SecretRng, Error> {
    let Some(number) = insecure_seed else { return Ok(SecretRng::from_os()?) };
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    Ok(SecretRng::from_seed(SecretSeed::new(seed)))
}
