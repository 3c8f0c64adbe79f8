//! What every object of a context shares, and what waits for work: devices and encryptors.

use crate::errors;
use cyclotron_ring::sample::SecretSeed;
use cyclotron_schemes::bfv_pow2::vector::range;
use cyclotron_schemes::bfv_pow2::{Cost, CryptDevice, Pow2Context, Pow2Parameters};
use cyclotron_schemes::{Error, Result};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The device that needs no hardware and no simulator.
pub const CPU: &str = "cpu";

/// What every object of a context shares.
pub struct Shared {
    /// Parameters and tables.
    pub context: Arc<Pow2Context>,
    /// The device that is used when no other is named.
    pub device: String,
    /// Devices that decrypt, by name.
    devices: Pool<Box<dyn CryptDevice>>,
}

impl Shared {
    /// Opens the parameters; the device is opened once to see that it fits them.
    pub fn open(py: Python<'_>, parameters: &Pow2Parameters, device: &str) -> PyResult<Arc<Self>> {
        let open = || {
            let context = Pow2Context::new(parameters)?;
            let devices = Pool::default();
            devices.put(device, open_device(parameters, device)?);
            Ok(Arc::new(Self { context, device: device.to_owned(), devices }))
        };
        py.detach(open).map_err(errors::scheme)
    }

    /// The parameters.
    pub fn parameters(&self) -> &Pow2Parameters {
        self.context.parameters()
    }

    /// Works with a device that nobody else uses meanwhile; it waits for more work unless it has
    /// failed.
    pub fn with_device<T>(
        &self,
        name: &str,
        work: impl FnOnce(&mut dyn CryptDevice) -> Result<T>,
    ) -> Result<T> {
        let open = || open_device(self.parameters(), name);
        self.devices.with(name, open, |device| work(&mut **device))
    }

    /// Smallest and largest integer.
    pub fn range(&self, signed: bool) -> (i128, i128) {
        range(self.parameters(), signed)
    }

    /// `n=1024, q=2^32, t=2^8`: how every `repr` begins.
    pub fn label(&self) -> String {
        let parameters = self.parameters();
        let (n, q, t) = (parameters.degree(), parameters.log_q(), parameters.log_t());
        format!("n={n}, q=2^{q}, t=2^{t}")
    }
}

/// Opens a device for parameters.
pub fn open_device(parameters: &Pow2Parameters, name: &str) -> Result<Box<dyn CryptDevice>> {
    let (degree, log_q, log_t) = (parameters.degree(), parameters.log_q(), parameters.log_t());
    Ok(cyclotron_devices::open(name, degree, log_q, log_t)?)
}

/// Things that wait for work, by the name of their device.
pub struct Pool<T>(Mutex<HashMap<String, Vec<T>>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<T> Pool<T> {
    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Vec<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, name: &str, item: T) {
        self.waiting().entry(name.to_owned()).or_default().push(item);
    }

    /// Works with one that nobody else has; the lock is not held meanwhile. One that fails is
    /// dropped.
    pub fn with<R>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<T>,
        work: impl FnOnce(&mut T) -> Result<R>,
    ) -> Result<R> {
        let waiting = self.waiting().get_mut(name).and_then(Vec::pop);
        let mut item = match waiting {
            Some(item) => item,
            None => make()?,
        };
        let result = work(&mut item)?;
        self.put(name, item);
        Ok(result)
    }
}

/// `insecure_seed` of encryption: 32 bytes, or a number.
#[derive(FromPyObject)]
pub enum SeedArgument {
    /// The seed itself.
    Bytes(PyBackedBytes),
    /// Its first eight bytes, least significant first; the others are zero.
    Number(u64),
}

impl SeedArgument {
    /// The seed.
    pub fn seed(&self) -> Result<SecretSeed> {
        let mut seed = [0; 32];
        match self {
            Self::Number(number) => seed[..8].copy_from_slice(&number.to_le_bytes()),
            Self::Bytes(bytes) if bytes.len() == seed.len() => seed.copy_from_slice(bytes),
            Self::Bytes(bytes) => {
                return Err(Error::Parameter {
                    what: "insecure_seed",
                    value: format!("{} bytes", bytes.len()),
                    remedy: "give 32 bytes, or an integer".to_owned(),
                });
            }
        }
        Ok(SecretSeed::new(seed))
    }
}

/// Clock cycles of a device: `compute_cycles` from the start of each run to its end,
/// `transfer_cycles` in which operands and results were carried; None where nobody counts, as on
/// the processor.
///
/// >>> cy.pow2.Context("PAPER_BFV_1024", acknowledge_insecure=True).keygen().encrypt([1]).cost
/// Cost(compute_cycles=None, transfer_cycles=None)
#[pyclass(frozen, eq, skip_from_py_object, name = "Cost", module = "cyclotron.pow2")]
#[derive(Clone, Copy, PartialEq)]
pub struct Pow2Cost(pub Cost);

#[pymethods]
impl Pow2Cost {
    /// From the start of each run to its end.
    #[getter]
    fn compute_cycles(&self) -> Option<u64> {
        self.0.compute_cycles
    }

    /// In which operands and results were carried.
    #[getter]
    fn transfer_cycles(&self) -> Option<u64> {
        self.0.transfer_cycles
    }

    fn __repr__(&self) -> String {
        let text = |cycles: Option<u64>| cycles.map_or("None".to_owned(), |c| c.to_string());
        let Cost { compute_cycles, transfer_cycles } = self.0;
        format!(
            "Cost(compute_cycles={}, transfer_cycles={})",
            text(compute_cycles),
            text(transfer_cycles)
        )
    }
}
