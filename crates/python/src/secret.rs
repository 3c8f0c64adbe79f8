//! `SecretKey`.

use crate::arrays::to_numpy;
use crate::ciphertext::Ciphertext;
use crate::context::Context;
use crate::evaluator::Core;
use crate::keys::{EvaluationKeys, PublicKey, encrypt};
use crate::options::RotationsArgument;
use crate::shared::{Shared, generator};
use crate::stored;
use cyclotron_schemes::rlwe::Mode;
use cyclotron_schemes::vector::VectorSecretKey;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::Arc;

/// A secret key: decrypts. It is never printed, wiped from memory when the last reference goes,
/// and not pickled; `save` and `to_bytes` say plainly what they do.
#[pyclass(frozen, module = "cyclotron")]
pub struct SecretKey {
    pub context: Arc<Shared>,
    pub key: Arc<VectorSecretKey>,
}

#[pymethods]
impl SecretKey {
    /// Decrypts: an array of `len(ciphertext)` integers, `int64` when all of them fit, else
    /// `uint64` when all fit, else Python integers in an object array.
    ///
    /// Raises `NoiseExhaustedError` when the noise bound gives no guarantee, `NoiseMeasuredError`
    /// when the noise itself is too large (a wrong key, an altered ciphertext),
    /// `ParameterMismatchError`.
    ///
    /// >>> keys.secret.decrypt(keys.encrypt([-5, 7]) * 2)
    /// array([-10,  14])
    pub fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, Ciphertext>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let vector = ciphertext.get().within(py, &self.context)?;
        let values = self.context.run(py, |context| context.decrypt(&self.key, &vector))?;
        to_numpy(py, values)
    }

    /// Bits between the noise, measured exactly, and the most noise that decrypts: what
    /// `Ciphertext.margin` bounds from below. Slow; it tells about the key, so show it to nobody
    /// who has not the key.
    ///
    /// >>> x = keys.encrypt([1, 2, 3])
    /// >>> keys.secret.measured_margin(x) >= x.margin
    /// True
    fn measured_margin(&self, py: Python<'_>, ciphertext: &Bound<'_, Ciphertext>) -> PyResult<f64> {
        let vector = ciphertext.get().within(py, &self.context)?;
        self.context.run(py, |context| context.measured_margin(&self.key, &vector))
    }

    /// Encrypts under the secret key: less noise, and half the bytes while the ciphertext is fresh.
    /// Arguments and errors as in `PublicKey.encrypt`.
    ///
    /// >>> x, y = keys.secret.encrypt([1, 2]), keys.public.encrypt([1, 2])
    /// >>> x.size_in_bytes < y.size_in_bytes
    /// True
    #[pyo3(signature = (values, *, signed = None, encoding = None, insecure_seed = None))]
    fn encrypt(
        &self,
        values: &Bound<'_, PyAny>,
        signed: Option<bool>,
        encoding: Option<&str>,
        insecure_seed: Option<u64>,
    ) -> PyResult<Ciphertext> {
        let core = Core::new(&self.context, None, Mode::Automatic)?;
        encrypt(&core, values, signed, encoding, insecure_seed, |vector, input, rng| {
            vector.encrypt_symmetric(&self.key, input.values, input.encoding, input.signed, rng)
        })
    }

    /// A public key of this secret key.
    #[pyo3(signature = (*, insecure_seed = None))]
    fn public_key(&self, py: Python<'_>, insecure_seed: Option<u64>) -> PyResult<PublicKey> {
        let key = self.context.run(py, |context| {
            context.generate_public_key(&self.key, &mut generator(insecure_seed)?)
        })?;
        Ok(PublicKey { context: Arc::clone(&self.context), key })
    }

    /// Evaluation keys of this secret key; arguments as in `Context.keygen`.
    #[pyo3(
        signature = (
            *, rotations = RotationsArgument::default(), relinearize = true, insecure_seed = None,
        ),
        text_signature = "($self, *, rotations='sums', relinearize=True, insecure_seed=None)"
    )]
    fn evaluation_keys(
        &self,
        py: Python<'_>,
        rotations: RotationsArgument,
        relinearize: bool,
        insecure_seed: Option<u64>,
    ) -> PyResult<EvaluationKeys> {
        let context = &self.context;
        EvaluationKeys::generate(py, context, &self.key, relinearize, &rotations, insecure_seed)
    }

    /// The context.
    #[getter]
    fn context(&self, py: Python<'_>) -> PyResult<Py<Context>> {
        Context::of(py, &self.context)
    }

    /// Bytes of `to_bytes`.
    #[getter]
    fn size_in_bytes(&self) -> PyResult<u64> {
        stored::size(&self.context, &*self.key)
    }

    /// The key as bytes, in the clear: as secret as the key.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        stored::to_bytes(py, &self.context, &*self.key)
    }

    /// A key from its bytes. Raises `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn from_bytes(
        py: Python<'_>,
        context: &Bound<'_, Context>,
        data: PyBackedBytes,
    ) -> PyResult<Self> {
        let context = Arc::clone(&context.get().inner);
        Ok(Self { key: Arc::new(stored::from_bytes(py, &context, &data)?), context })
    }

    /// Writes the key to a file, whole or not at all, in the clear: as secret as the key.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        stored::save(py, &self.context, &*self.key, &path)
    }

    /// A key from a file. Raises `OSError`, `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn load(py: Python<'_>, context: &Bound<'_, Context>, path: PathBuf) -> PyResult<Self> {
        let context = Arc::clone(&context.get().inner);
        Ok(Self { key: Arc::new(stored::load(py, &context, &path)?), context })
    }

    fn __repr__(&self) -> String {
        format!("SecretKey({}, contents hidden)", self.context.label())
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<()> {
        Err(stored::refuse_pickle(py, "SecretKey"))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf
    }
}

impl SecretKey {
    /// A fresh key.
    pub fn generate(
        py: Python<'_>,
        context: &Arc<Shared>,
        insecure_seed: Option<u64>,
    ) -> PyResult<Self> {
        let key =
            context.run(py, |vector| vector.generate_secret_key(&mut generator(insecure_seed)?))?;
        Ok(Self { context: Arc::clone(context), key: Arc::new(key) })
    }
}
