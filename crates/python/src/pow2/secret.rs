//! `pow2.SecretKey`.

use super::ciphertext::Pow2Ciphertext;
use super::context::Pow2Context;
use super::keys::{from_bytes, load, to_bytes};
use super::shared::{CPU, Pow2Cost, Shared};
use crate::errors;
use crate::stored::refuse_pickle;
use cyclotron_schemes::Result;
use cyclotron_schemes::bfv_pow2::{CryptDevice, Decryptor, DeviceCheck, SecretKey};
use cyclotron_schemes::files::Pow2Stored;
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::Arc;

/// A secret key: decrypts. It is never printed, wiped from memory when the last reference goes,
/// and not pickled.
#[pyclass(frozen, name = "SecretKey", module = "cyclotron.pow2")]
pub struct Pow2SecretKey {
    inner: Arc<Shared>,
    key: Arc<SecretKey>,
}

#[pymethods]
impl Pow2SecretKey {
    /// Decrypts, on the context's device unless another is named: an array of `len(ciphertext)`
    /// integers. The processor measures the noise, and refuses what is near the limit. So it does
    /// after a device has decrypted, comparing every value; with `verify=False`, for ciphertexts
    /// that you made yourself, the bounds that they carry are all that is checked.
    ///
    /// Raises `NoiseExhaustedError`, `NoiseMeasuredError` (a wrong key, an altered ciphertext),
    /// `NotLinearError` for a product that is not relinearised, on a device;
    /// `ParameterMismatchError`, `DeviceError`.
    #[pyo3(signature = (ciphertext, *, device = None, verify = true))]
    pub fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, Pow2Ciphertext>,
        device: Option<&str>,
        verify: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.decrypt_with_cost(py, ciphertext, device, verify)?.0)
    }

    /// `decrypt`, and what it cost: `(values, cost)`.
    #[pyo3(signature = (ciphertext, *, device = None, verify = true))]
    fn decrypt_with_cost<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, Pow2Ciphertext>,
        device: Option<&str>,
        verify: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Pow2Cost)> {
        let vector = &ciphertext.get().vector;
        let device = device.unwrap_or(&self.inner.device);
        let check = if verify { DeviceCheck::Measured } else { DeviceCheck::ClaimedBound };
        let decrypt = || {
            let decryptor = self.decryptor()?;
            if device == CPU {
                return decryptor.decrypt_vector(vector, None);
            }
            let decrypt = |device: &mut dyn CryptDevice| {
                decryptor.decrypt_vector(vector, Some((device, check)))
            };
            self.inner.with_device(device, decrypt)
        };
        let (mut values, cost) = py.detach(decrypt).map_err(errors::scheme)?;
        // The array takes the memory over; there is no copy to wipe.
        let values = PyArray1::from_vec(py, std::mem::take(&mut *values));
        Ok((values.into_bound_py_any(py)?, Pow2Cost(cost)))
    }

    /// Bits between the noise, measured exactly, and the most noise that decrypts: what
    /// `Ciphertext.margin` bounds from below. It tells about the key, so show it to nobody who has
    /// not the key.
    fn measured_margin(
        &self,
        py: Python<'_>,
        ciphertext: &Bound<'_, Pow2Ciphertext>,
    ) -> PyResult<f64> {
        let vector = &ciphertext.get().vector;
        py.detach(|| self.decryptor()?.measured_margin(vector)).map_err(errors::scheme)
    }

    /// The context.
    #[getter]
    pub fn context(&self) -> Pow2Context {
        Pow2Context { inner: Arc::clone(&self.inner) }
    }

    /// Bytes of `to_bytes`.
    #[getter]
    fn size_in_bytes(&self) -> PyResult<u64> {
        self.key.size(&self.inner.context).map_err(errors::scheme)
    }

    /// The key as bytes, in the clear: as secret as the key.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, &self.inner, &*self.key)
    }

    /// A key from its bytes. Raises `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn from_bytes(
        py: Python<'_>,
        context: &Bound<'_, Pow2Context>,
        data: PyBackedBytes,
    ) -> PyResult<Self> {
        let inner = Arc::clone(&context.get().inner);
        let key = from_bytes(py, &inner, &data)?;
        Ok(Self::new(inner, key))
    }

    /// Writes the key to a file, whole or not at all, in the clear: as secret as the key.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.key.save(&self.inner.context, &path)).map_err(errors::scheme)
    }

    /// A key from a file. Raises `OSError`, `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn load(py: Python<'_>, context: &Bound<'_, Pow2Context>, path: PathBuf) -> PyResult<Self> {
        let inner = Arc::clone(&context.get().inner);
        let key = load(py, &inner, path)?;
        Ok(Self::new(inner, key))
    }

    fn __repr__(&self) -> String {
        format!("pow2.SecretKey({}, contents hidden)", self.inner.label())
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<()> {
        Err(refuse_pickle(py, "pow2.SecretKey"))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf
    }
}

impl Pow2SecretKey {
    pub fn new(inner: Arc<Shared>, key: SecretKey) -> Self {
        Self { inner, key: Arc::new(key) }
    }

    pub fn shared(&self) -> &Arc<Shared> {
        &self.inner
    }

    fn decryptor(&self) -> Result<Decryptor> {
        Decryptor::new(&self.inner.context, &self.key)
    }
}
