//! `pow2.Keys`, `PublicKey` and `RelinearizationKey`.

use super::ciphertext::{Core, Pow2Ciphertext};
use super::context::{Pow2Context, same_parameters};
use super::secret::Pow2SecretKey;
use super::shared::{Pool, SeedArgument, Shared, open_device};
use crate::arrays::{Accept, Integers};
use crate::errors::{self, Exception};
use crate::shared::generator;
use crate::stored::{readable, reduce, refuse_pickle};
use cyclotron_schemes::Result;
use cyclotron_schemes::bfv_pow2::{Encryptor, PublicKey, RelinearizationKey, SecretKey};
use cyclotron_schemes::files::Pow2Stored;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// The keys of one person: `secret`, `public`, and `relinearization`, which is None where there is
/// none. Made by `Context.keygen`.
///
/// >>> keys = cy.pow2.Context("PAPER_BFV_MINI_8_T8", acknowledge_insecure=True).keygen()
/// >>> keys.decrypt(keys.encrypt([3, -1]) * keys.encrypt([2]))
/// array([ 6, -2])
#[pyclass(frozen, name = "Keys", module = "cyclotron.pow2")]
pub struct Pow2Keys {
    secret: Py<Pow2SecretKey>,
    public: Py<Pow2PublicKey>,
    relinearization: Option<Py<Pow2RelinearizationKey>>,
}

#[pymethods]
impl Pow2Keys {
    #[new]
    #[pyo3(signature = (secret, public, relinearization = None))]
    fn new(
        secret: Bound<'_, Pow2SecretKey>,
        public: Bound<'_, Pow2PublicKey>,
        relinearization: Option<Bound<'_, Pow2RelinearizationKey>>,
    ) -> PyResult<Self> {
        let expected = secret.get().shared().parameters();
        same_parameters("public key", public.get().shared.parameters(), expected)?;
        if let Some(key) = &relinearization {
            same_parameters("relinearisation key", key.get().shared.parameters(), expected)?;
        }
        let relinearization = relinearization.map(Bound::unbind);
        Ok(Self { secret: secret.unbind(), public: public.unbind(), relinearization })
    }

    /// The context.
    #[getter]
    fn context(&self) -> Pow2Context {
        self.secret.get().context()
    }

    /// The secret key: decrypts, and stays with its owner.
    #[getter]
    fn secret(&self, py: Python<'_>) -> Py<Pow2SecretKey> {
        self.secret.clone_ref(py)
    }

    /// The public key: encrypts.
    #[getter]
    fn public(&self, py: Python<'_>) -> Py<Pow2PublicKey> {
        self.public.clone_ref(py)
    }

    /// The relinearisation key: what a server needs for products of ciphertexts; None without.
    #[getter]
    fn relinearization(&self, py: Python<'_>) -> Option<Py<Pow2RelinearizationKey>> {
        self.relinearization.as_ref().map(|key| key.clone_ref(py))
    }

    /// Encrypts under the public key, ready for products with the relinearisation key. Arguments
    /// and errors as in `PublicKey.encrypt`.
    #[pyo3(signature = (
        values, *, signed = None, device = None, insecure_seed = None, run_counter = 0,
    ))]
    fn encrypt(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        signed: Option<bool>,
        device: Option<&str>,
        insecure_seed: Option<SeedArgument>,
        run_counter: u64,
    ) -> PyResult<Pow2Ciphertext> {
        let public = self.public.get();
        let fresh = public.encrypt(py, values, signed, device, insecure_seed, run_counter)?;
        match &self.relinearization {
            Some(key) => fresh.attach(key.bind(py)),
            None => Ok(fresh),
        }
    }

    /// Decrypts with the secret key. Arguments and errors as in `SecretKey.decrypt`.
    #[pyo3(signature = (ciphertext, *, device = None, verify = true))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, Pow2Ciphertext>,
        device: Option<&str>,
        verify: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.secret.get().decrypt(py, ciphertext, device, verify)
    }

    fn __repr__(&self) -> String {
        let relinearization =
            if self.relinearization.is_some() { "relinearisation" } else { "no relinearisation" };
        format!("pow2.Keys({}, {relinearization})", self.secret.get().shared().label())
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<()> {
        Err(refuse_pickle(py, "pow2.Keys"))
    }
}

impl Pow2Keys {
    /// Fresh keys.
    pub fn generate(
        py: Python<'_>,
        shared: &Arc<Shared>,
        relinearize: bool,
        insecure_seed: Option<u64>,
    ) -> PyResult<Self> {
        let context = &shared.context;
        let relinearize = relinearize && shared.parameters().log_p() > 0;
        let generate = || -> Result<_> {
            let mut rng = generator(insecure_seed)?;
            let secret = SecretKey::generate(context, &mut rng)?;
            let public = PublicKey::generate(context, &secret, &mut rng)?;
            let key = if relinearize {
                Some(RelinearizationKey::generate(context, &secret, &mut rng)?)
            } else {
                None
            };
            Ok((secret, public, key))
        };
        let (secret, public, key) = py.detach(generate).map_err(errors::scheme)?;
        let inner = || Arc::clone(shared);
        let key = key.map(|key| Pow2RelinearizationKey::new(inner(), key));
        Ok(Self {
            secret: Py::new(py, Pow2SecretKey::new(inner(), secret))?,
            public: Py::new(py, Pow2PublicKey::new(inner(), public))?,
            relinearization: key.map(|key| Py::new(py, key)).transpose()?,
        })
    }
}

/// A public key: encrypts. Immutable; threads may share it.
#[pyclass(frozen, name = "PublicKey", module = "cyclotron.pow2")]
pub struct Pow2PublicKey {
    shared: Arc<Shared>,
    key: Arc<PublicKey>,
    /// Each with a seed of its own from the operating system.
    encryptors: Pool<Encryptor>,
}

#[pymethods]
impl Pow2PublicKey {
    /// Encrypts integers, on the context's device unless another is named. `values` is an integer
    /// array or list of any length: n values go into one ciphertext. `signed` tells how decryption
    /// reads them; by default as their dtype does.
    ///
    /// `insecure_seed` (32 bytes, or an integer) with `run_counter` repeats ciphertexts, on every
    /// device alike, for tests alone: two encryptions with one pair give their difference away.
    ///
    /// Raises `ArrayError`, `ValueOutOfRangeError`, `TooManyValuesError`; `DeviceError`.
    #[pyo3(signature = (
        values, *, signed = None, device = None, insecure_seed = None, run_counter = 0,
    ))]
    pub fn encrypt(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        signed: Option<bool>,
        device: Option<&str>,
        insecure_seed: Option<SeedArgument>,
        run_counter: u64,
    ) -> PyResult<Pow2Ciphertext> {
        let range = (self.shared.range(true).0, self.shared.range(false).1);
        let Some(integers) = Integers::read(values, Accept::Vectors, range)? else {
            let name = values.get_type().name()?.to_string();
            let remedy = "give an integer array or a list of integers";
            return Err(Exception::new(py, "ArrayError", format!("a {name}; {remedy}"))
                .with("dtype", name)
                .with("remedy", remedy)
                .error());
        };
        let signed = signed.unwrap_or_else(|| integers.is_signed());
        let values = integers.values()?;
        let device = device.unwrap_or(&self.shared.device);
        let context = &self.shared.context;
        let encrypt = || -> Result<_> {
            let open = || open_device(self.shared.parameters(), device);
            let work = |e: &mut Encryptor| e.encrypt_vector(context, values, signed);
            match insecure_seed {
                None => {
                    let make = || Encryptor::new(context, &self.key, open()?);
                    self.encryptors.with(device, make, work)
                }
                Some(seed) => {
                    let (seed, key) = (seed.seed()?, &self.key);
                    work(&mut Encryptor::with_seed(context, key, open()?, seed, run_counter)?)
                }
            }
        };
        let (vector, cost) = py.detach(encrypt).map_err(errors::scheme)?;
        let core = Core::new(&self.shared, None)?;
        Ok(Pow2Ciphertext { core, vector: Arc::new(vector), cost: Some(cost) })
    }

    /// The context.
    #[getter]
    fn context(&self) -> Pow2Context {
        Pow2Context { inner: Arc::clone(&self.shared) }
    }

    /// Bytes of `to_bytes`.
    #[getter]
    fn size_in_bytes(&self) -> PyResult<u64> {
        self.key.size(&self.shared.context).map_err(errors::scheme)
    }

    /// The key as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, &self.shared, &*self.key)
    }

    /// A key from its bytes. Raises `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn from_bytes(
        py: Python<'_>,
        context: &Bound<'_, Pow2Context>,
        data: PyBackedBytes,
    ) -> PyResult<Self> {
        let shared = Arc::clone(&context.get().inner);
        let key = from_bytes(py, &shared, &data)?;
        Ok(Self::new(shared, key))
    }

    /// Writes the key to a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.key.save(&self.shared.context, &path)).map_err(errors::scheme)
    }

    /// A key from a file. Raises `OSError`, `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn load(py: Python<'_>, context: &Bound<'_, Pow2Context>, path: PathBuf) -> PyResult<Self> {
        let shared = Arc::clone(&context.get().inner);
        let key = load(py, &shared, path)?;
        Ok(Self::new(shared, key))
    }

    fn __repr__(&self) -> String {
        format!("pow2.PublicKey({})", self.shared.label())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (own, py) = (slf.get(), slf.py());
        reduce(slf.as_any(), Py::new(py, own.context())?, &own.to_bytes(py)?)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf
    }
}

impl Pow2PublicKey {
    fn new(shared: Arc<Shared>, key: PublicKey) -> Self {
        Self { shared, key: Arc::new(key), encryptors: Pool::default() }
    }

    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

/// What a server needs for products of ciphertexts.
#[pyclass(frozen, name = "RelinearizationKey", module = "cyclotron.pow2")]
pub struct Pow2RelinearizationKey {
    pub shared: Arc<Shared>,
    pub key: Arc<RelinearizationKey>,
}

#[pymethods]
impl Pow2RelinearizationKey {
    /// The context.
    #[getter]
    fn context(&self) -> Pow2Context {
        Pow2Context { inner: Arc::clone(&self.shared) }
    }

    /// Bytes of `to_bytes`.
    #[getter]
    fn size_in_bytes(&self) -> PyResult<u64> {
        self.key.size(&self.shared.context).map_err(errors::scheme)
    }

    /// The key as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, &self.shared, &*self.key)
    }

    /// A key from its bytes. Raises `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn from_bytes(
        py: Python<'_>,
        context: &Bound<'_, Pow2Context>,
        data: PyBackedBytes,
    ) -> PyResult<Self> {
        let shared = Arc::clone(&context.get().inner);
        let key = from_bytes(py, &shared, &data)?;
        Ok(Self::new(shared, key))
    }

    /// Writes the key to a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.key.save(&self.shared.context, &path)).map_err(errors::scheme)
    }

    /// A key from a file. Raises `OSError`, `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn load(py: Python<'_>, context: &Bound<'_, Pow2Context>, path: PathBuf) -> PyResult<Self> {
        let shared = Arc::clone(&context.get().inner);
        let key = load(py, &shared, path)?;
        Ok(Self::new(shared, key))
    }

    fn __repr__(&self) -> String {
        format!("pow2.RelinearizationKey({})", self.shared.label())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (own, py) = (slf.get(), slf.py());
        reduce(slf.as_any(), Py::new(py, own.context())?, &own.to_bytes(py)?)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf
    }
}

impl Pow2RelinearizationKey {
    fn new(shared: Arc<Shared>, key: RelinearizationKey) -> Self {
        Self { shared, key: Arc::new(key) }
    }
}

/// The bytes of an object.
pub fn to_bytes<'py, T: Pow2Stored + Sync>(
    py: Python<'py>,
    shared: &Shared,
    object: &T,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = py.detach(|| object.to_bytes(&shared.context)).map_err(errors::scheme)?;
    Ok(PyBytes::new(py, &bytes))
}

/// An object from its bytes.
pub fn from_bytes<T: Pow2Stored + Send>(
    py: Python<'_>,
    shared: &Shared,
    data: &PyBackedBytes,
) -> PyResult<T> {
    py.detach(|| T::from_bytes(&shared.context, data)).map_err(errors::scheme)
}

/// An object from a file.
pub fn load<T: Pow2Stored + Send>(py: Python<'_>, shared: &Shared, path: PathBuf) -> PyResult<T> {
    readable(&path)?;
    py.detach(|| T::load(&shared.context, &path)).map_err(errors::scheme)
}
