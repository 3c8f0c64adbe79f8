//! `Keys`, `PublicKey` and `EvaluationKeys`.

use crate::arrays::{Accept, Integers};
use crate::ciphertext::Ciphertext;
use crate::context::Context;
use crate::errors::{self, Exception};
use crate::evaluator::{Core, Evaluator};
use crate::options::{RotationsArgument, parse_encoding};
use crate::secret::SecretKey;
use crate::shared::{Shared, generator};
use crate::stored;
use cyclotron_ring::sample::SecretRng;
use cyclotron_schemes::Error;
use cyclotron_schemes::rlwe::Mode;
use cyclotron_schemes::vector::{
    Encoding, EncryptedVector, Rotations, Values, VectorContext, VectorEvaluationKeys,
    VectorPublicKey, VectorSecretKey,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// The keys of one person: `secret`, `public`, `evaluation`, and the `evaluator` that computes with
/// the evaluation keys. Made by `Context.keygen`, or from keys that were loaded:
/// `Keys(secret, public, evaluation)`.
///
/// >>> x = keys.encrypt([3, -1, 2])
/// >>> keys.decrypt(x * x + 1)
/// array([10,  2,  5])
#[pyclass(frozen, module = "cyclotron")]
pub struct Keys {
    secret: Py<SecretKey>,
    public: Py<PublicKey>,
    evaluation: Py<EvaluationKeys>,
    core: Arc<Core>,
}

#[pymethods]
impl Keys {
    #[new]
    fn new(
        secret: Bound<'_, SecretKey>,
        public: Bound<'_, PublicKey>,
        evaluation: Bound<'_, EvaluationKeys>,
    ) -> PyResult<Self> {
        let context = &secret.get().context;
        for (what, other) in
            [("public key", &public.get().context), ("evaluation keys", &evaluation.get().context)]
        {
            if !Arc::ptr_eq(context, other) {
                return Err(context_mismatch(secret.py(), what, other, context));
            }
        }
        let core = Core::new(context, Some(evaluation.get()), Mode::Automatic)?;
        Ok(Self {
            secret: secret.unbind(),
            public: public.unbind(),
            evaluation: evaluation.unbind(),
            core,
        })
    }

    /// The context.
    #[getter]
    fn context(&self, py: Python<'_>) -> PyResult<Py<Context>> {
        Context::of(py, &self.core.context)
    }

    /// The secret key: decrypts, and stays with its owner.
    #[getter]
    fn secret(&self, py: Python<'_>) -> Py<SecretKey> {
        self.secret.clone_ref(py)
    }

    /// The public key: encrypts.
    #[getter]
    fn public(&self, py: Python<'_>) -> Py<PublicKey> {
        self.public.clone_ref(py)
    }

    /// The evaluation keys: what a server needs to compute.
    #[getter]
    fn evaluation(&self, py: Python<'_>) -> Py<EvaluationKeys> {
        self.evaluation.clone_ref(py)
    }

    /// The evaluator (mode "automatic") that `encrypt` attaches to ciphertexts.
    #[getter]
    fn evaluator(&self) -> Evaluator {
        Evaluator { core: Arc::clone(&self.core) }
    }

    /// Encrypts integers under the public key, ready to be computed on with these evaluation keys.
    /// Arguments and errors as in `PublicKey.encrypt`.
    #[pyo3(signature = (values, *, signed = None, encoding = None, insecure_seed = None))]
    fn encrypt(
        &self,
        values: &Bound<'_, PyAny>,
        signed: Option<bool>,
        encoding: Option<&str>,
        insecure_seed: Option<u64>,
    ) -> PyResult<Ciphertext> {
        let public = self.public.bind(values.py()).get();
        encrypt(&self.core, values, signed, encoding, insecure_seed, |vector, input, rng| {
            vector.encrypt(&public.key, input.values, input.encoding, input.signed, rng)
        })
    }

    /// As `SecretKey.decrypt`.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Bound<'py, Ciphertext>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.secret.bind(py).get().decrypt(py, ciphertext)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!(
            "Keys({}, {})",
            self.core.context.label(),
            self.evaluation.bind(py).get().contents()
        )
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<()> {
        Err(stored::refuse_pickle(py, "Keys"))
    }
}

impl Keys {
    /// Fresh keys.
    pub fn generate(
        py: Python<'_>,
        context: &Arc<Shared>,
        relinearize: bool,
        rotations: &Rotations,
        insecure_seed: Option<u64>,
    ) -> PyResult<Self> {
        let (secret, public, evaluation) = context.run(py, |vector| {
            let mut rng = generator(insecure_seed)?;
            let secret = vector.generate_secret_key(&mut rng)?;
            let public = vector.generate_public_key(&secret, &mut rng)?;
            let evaluation =
                vector.generate_evaluation_keys(&secret, relinearize, rotations, &mut rng)?;
            Ok((secret, public, evaluation))
        })?;
        let shared = || Arc::clone(context);
        Self::new(
            Bound::new(py, SecretKey { context: shared(), key: Arc::new(secret) })?,
            Bound::new(py, PublicKey { context: shared(), key: public })?,
            Bound::new(py, EvaluationKeys { context: shared(), keys: Arc::new(evaluation) })?,
        )
    }
}

/// A public key: encrypts, and may be given to anybody.
#[pyclass(frozen, module = "cyclotron")]
pub struct PublicKey {
    pub context: Arc<Shared>,
    pub key: VectorPublicKey,
}

#[pymethods]
impl PublicKey {
    /// Encrypts a vector of at most `context.capacity` integers.
    ///
    /// `values` is a one-dimensional integer array, or a list of Python integers (up to 126 bits).
    /// Contiguous `int64` and `uint64` arrays are read where they stand; do not write to one
    /// meanwhile. `signed` says whether decryption gives integers in `context.range(True)` or in
    /// `context.range(False)`; by default it follows the dtype. `encoding` is "slots" (products are
    /// slot by slot) or "coefficients" (products are negacyclic convolutions); by default what the
    /// context says. `insecure_seed` repeats a ciphertext, for tests alone.
    ///
    /// The result computes with public values and sums; attach an evaluator for products and
    /// rotations, or use `keys.encrypt`.
    ///
    /// Raises `ArrayError` for floats, strings and more than one dimension, `ValueOutOfRangeError`,
    /// `TooManyValuesError`, `NoSlotsError`, `ParameterError` for an unknown encoding.
    ///
    /// >>> keys.public.encrypt(np.array([1, 2, 3], np.uint8))
    /// Ciphertext(bfv, n=64, 3 unsigned values in slots, level 1, margin ... bits, 1.7 kB)
    /// >>> keys.public.encrypt([0.5])
    /// Traceback (most recent call last):
    /// ...
    /// cyclotron.errors.ArrayError: value 0.5 at index 0 is a float; integers are ...
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
            vector.encrypt(&self.key, input.values, input.encoding, input.signed, rng)
        })
    }

    /// The context.
    #[getter]
    fn context(&self, py: Python<'_>) -> PyResult<Py<Context>> {
        Context::of(py, &self.context)
    }

    /// Bytes of `to_bytes`.
    #[getter]
    fn size_in_bytes(&self) -> PyResult<u64> {
        stored::size(&self.context, &self.key)
    }

    /// The key as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        stored::to_bytes(py, &self.context, &self.key)
    }

    /// A key from its bytes. Raises `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn from_bytes(
        py: Python<'_>,
        context: &Bound<'_, Context>,
        data: PyBackedBytes,
    ) -> PyResult<Self> {
        let context = Arc::clone(&context.get().inner);
        Ok(Self { key: stored::from_bytes(py, &context, &data)?, context })
    }

    /// Writes the key to a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        stored::save(py, &self.context, &self.key, &path)
    }

    /// A key from a file. Raises `OSError`, `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn load(py: Python<'_>, context: &Bound<'_, Context>, path: PathBuf) -> PyResult<Self> {
        let context = Arc::clone(&context.get().inner);
        Ok(Self { key: stored::load(py, &context, &path)?, context })
    }

    fn __repr__(&self) -> String {
        format!("PublicKey({})", self.context.label())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let own = slf.get();
        let py = slf.py();
        stored::reduce(slf.as_any(), own.context(py)?, &own.to_bytes(py)?)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf
    }
}

/// Evaluation keys: relinearisation and rotations. A server gets them; they decrypt nothing.
#[pyclass(frozen, module = "cyclotron")]
pub struct EvaluationKeys {
    pub context: Arc<Shared>,
    pub keys: Arc<VectorEvaluationKeys>,
}

#[pymethods]
impl EvaluationKeys {
    /// The context.
    #[getter]
    fn context(&self, py: Python<'_>) -> PyResult<Py<Context>> {
        Context::of(py, &self.context)
    }

    /// Whether products of ciphertexts can be relinearised.
    #[getter]
    fn has_relinearization(&self) -> bool {
        self.keys.has_relinearization()
    }

    /// The Galois elements (`x -> x^g`) that there are keys for.
    #[getter]
    fn galois_elements(&self) -> Vec<u64> {
        self.keys.galois_elements()
    }

    /// Bytes of `to_bytes`.
    #[getter]
    fn size_in_bytes(&self) -> PyResult<u64> {
        stored::size(&self.context, &*self.keys)
    }

    /// The keys as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        stored::to_bytes(py, &self.context, &*self.keys)
    }

    /// Keys from their bytes. Raises `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn from_bytes(
        py: Python<'_>,
        context: &Bound<'_, Context>,
        data: PyBackedBytes,
    ) -> PyResult<Self> {
        let context = Arc::clone(&context.get().inner);
        Ok(Self { keys: Arc::new(stored::from_bytes(py, &context, &data)?), context })
    }

    /// Writes the keys to a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        stored::save(py, &self.context, &*self.keys, &path)
    }

    /// Keys from a file. Raises `OSError`, `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn load(py: Python<'_>, context: &Bound<'_, Context>, path: PathBuf) -> PyResult<Self> {
        let context = Arc::clone(&context.get().inner);
        Ok(Self { keys: Arc::new(stored::load(py, &context, &path)?), context })
    }

    fn __repr__(&self) -> String {
        format!("EvaluationKeys({}, {})", self.context.label(), self.contents())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let own = slf.get();
        let py = slf.py();
        stored::reduce(slf.as_any(), own.context(py)?, &own.to_bytes(py)?)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf
    }
}

impl EvaluationKeys {
    /// Fresh keys of a secret key.
    pub fn generate(
        py: Python<'_>,
        context: &Arc<Shared>,
        secret: &VectorSecretKey,
        relinearize: bool,
        rotations: &RotationsArgument,
        insecure_seed: Option<u64>,
    ) -> PyResult<Self> {
        let keys = context.run(py, |vector| {
            let mut rng = generator(insecure_seed)?;
            vector.generate_evaluation_keys(secret, relinearize, &rotations.0, &mut rng)
        })?;
        Ok(Self { context: Arc::clone(context), keys: Arc::new(keys) })
    }

    /// What there is, for `repr`.
    pub fn contents(&self) -> String {
        let elements = self.keys.galois_elements().len();
        let products = if self.keys.has_relinearization() { "" } else { "no " };
        let s = if elements == 1 { "" } else { "s" };
        format!("{products}relinearisation, {elements} Galois element{s}")
    }
}

/// Integers to be encrypted, and how.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub values: Values<'a>,
    pub encoding: Encoding,
    pub signed: bool,
}

/// What encryption gives.
pub type Encrypted = Result<EncryptedVector, Error>;

/// Encrypts integers; the result is attached to `core`.
pub fn encrypt(
    core: &Arc<Core>,
    values: &Bound<'_, PyAny>,
    signed: Option<bool>,
    encoding: Option<&str>,
    insecure_seed: Option<u64>,
    f: impl FnOnce(&VectorContext, Input<'_>, &mut SecretRng) -> Encrypted + Send,
) -> PyResult<Ciphertext> {
    let py = values.py();
    let context = &core.context;
    let range = signed.map_or_else(|| context.widest_range(), |signed| context.range(signed));
    let Some(integers) = Integers::read(values, Accept::Vectors, range)? else {
        let name = values.get_type().name()?.to_string();
        let remedy = "give a one-dimensional integer array";
        return Err(Exception::new(py, "ArrayError", format!("a {name} is no array; {remedy}"))
            .with("dtype", name)
            .with("shape", PyTuple::empty(py))
            .with("remedy", remedy)
            .error());
    };
    let encoding = encoding.map(parse_encoding).transpose().map_err(errors::scheme)?;
    let input = Input {
        values: integers.values()?,
        encoding: encoding.unwrap_or_else(|| context.vector.default_encoding()),
        signed: signed.unwrap_or_else(|| integers.is_signed()),
    };
    let vector = context.run(py, |vector| f(vector, input, &mut generator(insecure_seed)?))?;
    Ok(Ciphertext { core: Arc::clone(core), vector: Arc::new(vector) })
}

/// The refusal to put objects of two contexts together.
pub fn context_mismatch(py: Python<'_>, what: &str, found: &Shared, expected: &Shared) -> PyErr {
    let [found, expected] =
        [found, expected].map(|context| context.vector.parameters().id().to_string());
    let remedy = if found == expected {
        "load both with one Context object"
    } else {
        "use objects of one parameter set"
    };
    let message = format!(
        "{what} belongs to a context of parameters {found}, not to that of {expected}; {remedy}"
    );
    Exception::new(py, "ParameterMismatchError", message)
        .with("what", what)
        .with("found", found)
        .with("expected", expected)
        .error()
}
