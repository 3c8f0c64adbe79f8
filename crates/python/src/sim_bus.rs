//! Simulated devices for Python: the bus of a Verilated model, word by word and in bursts.

use crate::errors::Exception;
use cyclotron_devices::{Bus, BusError, Done, Limit, SimBus as Simulated, SimModel};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

fn bus_error(py: Python<'_>, error: BusError) -> PyErr {
    let message = error.to_string();
    let new = |class| Exception::new(py, class, message.as_str());
    match error {
        BusError::Timeout { .. } => new("DeviceTimeoutError"),
        BusError::Unavailable { .. } => new("DeviceUnsupportedError"),
        _ => new("DeviceError"),
    }
    .error()
}

/// A simulated device that is switched on: registers and data window of the RTL, in this process.
///
/// ``name`` is one of ``SimBus.names()``. Addresses are bytes, words have 32 bits. Cycles are those
/// of the device's clock. Wants the five calls of ``cyclotron.devices.Bus``.
#[pyclass(frozen, module = "cyclotron.devices", name = "SimBus")]
pub struct SimBus {
    bus: Mutex<Simulated>,
    name: String,
}

impl SimBus {
    /// The model. A panic in another thread leaves it as it was between two calls.
    fn lock(&self) -> MutexGuard<'_, Simulated> {
        self.bus.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Simulated) -> Result<T, BusError> + Send,
    ) -> PyResult<T> {
        py.detach(|| work(&mut self.lock())).map_err(|error| bus_error(py, error))
    }
}

#[pymethods]
impl SimBus {
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        let bus =
            py.detach(|| Simulated::open_named(name)).map_err(|error| bus_error(py, error))?;
        let name = bus.name();
        Ok(Self { bus: Mutex::new(bus), name })
    }

    /// The simulated devices of this build, ``device:configuration``.
    #[staticmethod]
    fn names() -> Vec<String> {
        SimModel::all().iter().map(ToString::to_string).collect()
    }

    /// Reads a register.
    fn read32(&self, py: Python<'_>, address: u32) -> PyResult<u32> {
        self.call(py, |bus| bus.read32(address))
    }

    /// Writes a register.
    fn write32(&self, py: Python<'_>, address: u32, value: u32) -> PyResult<()> {
        self.call(py, |bus| bus.write32(address, value))
    }

    /// Reads ``count`` words of the data window, in bursts.
    fn read_block<'py>(
        &self,
        py: Python<'py>,
        address: u32,
        count: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let words = self.call(py, |bus| {
            let mut words = vec![0; count];
            bus.read_block(address, &mut words)?;
            Ok(words)
        })?;
        Ok(words.into_pyarray(py))
    }

    /// Writes a contiguous array of ``uint32`` to the data window, in bursts.
    fn write_block(
        &self,
        py: Python<'_>,
        address: u32,
        words: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<()> {
        let words = words.as_slice()?;
        self.call(py, |bus| bus.write_block(address, words))
    }

    /// Runs until the register has one of the bits of ``mask`` (``set=True``) or none of them
    /// (``set=False``), at most ``cycles``, and gives its contents.
    #[pyo3(signature = (address, mask, cycles, *, set=true))]
    fn wait(
        &self,
        py: Python<'_>,
        address: u32,
        mask: u32,
        cycles: u64,
        set: bool,
    ) -> PyResult<u32> {
        // The simulation goes by cycles alone.
        let limit = Limit { cycles, time: Duration::MAX };
        self.call(py, |bus| bus.wait(Done { address, mask, set }, limit))
    }

    /// Lets the device run.
    fn step(&self, py: Python<'_>, cycles: u64) -> PyResult<()> {
        self.call(py, |bus| bus.step(cycles))
    }

    /// Makes the bus hold back each of its signals with this probability, from its own generator.
    #[pyo3(signature = (per_mille, *, seed=1))]
    fn set_idle(&self, per_mille: u32, seed: u64) {
        self.lock().set_idle(per_mille, seed);
    }

    /// Records all signals into an FST file (builds with the feature ``fst``).
    fn record(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.call(py, |bus| bus.record(&path))
    }

    /// Clock cycles since the device was switched on.
    #[getter]
    fn cycles(&self) -> Option<u64> {
        self.lock().cycles()
    }

    /// What this is, for people.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    fn __repr__(&self) -> String {
        format!("SimBus({:?}, {} cycles)", self.name, self.lock().cycles().unwrap_or(0))
    }
}
