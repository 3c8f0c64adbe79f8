//! `pow2.Context`: parameters modulo a power of two, and the device that is used.

use super::ciphertext::Pow2Ciphertext;
use super::keys::{Pow2Keys, Pow2PublicKey};
use super::secret::Pow2SecretKey;
use super::shared::{SeedArgument, Shared};
use crate::errors;
use crate::options::json_error;
use crate::stored::readable;
use cyclotron_schemes::bfv_pow2::{PRESETS, Pow2Parameters, Pow2Preset};
use cyclotron_schemes::files;
use cyclotron_schemes::rlwe::SecurityPolicy;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

/// BFV with `q = 2^log_q` and `t = 2^log_t`: parameters, and the device that is used unless
/// another is named. Immutable; threads may share it.
///
/// `Context(preset)` takes a name of `pow2.presets()`. The `PAPER_*` sets are those of the hardware
/// papers and not secure: they want `acknowledge_insecure=True`. `device` is a name of
/// `pow2.devices()`; every device gives the same integers, and the same ciphertexts for the
/// same seed.
///
/// Raises `ParameterError` for an unknown name, `InsecureParametersError`,
/// `DeviceUnsupportedError` for an unknown device, `DeviceMismatchError` for one of other sizes.
///
/// >>> ctx = cy.pow2.Context("PAPER_BFV_1024", acknowledge_insecure=True)
/// >>> ctx
/// pow2.Context(n=1024, q=2^32, t=2^8, insecure, device cpu)
#[pyclass(frozen, name = "Context", module = "cyclotron.pow2")]
pub struct Pow2Context {
    pub inner: Arc<Shared>,
}

#[pymethods]
impl Pow2Context {
    #[new]
    #[pyo3(signature = (preset, *, acknowledge_insecure = false, device = "cpu"))]
    fn new(
        py: Python<'_>,
        preset: &str,
        acknowledge_insecure: bool,
        device: &str,
    ) -> PyResult<Self> {
        let preset = Pow2Preset::named(preset).map_err(errors::scheme)?;
        let literal = if acknowledge_insecure { preset.acknowledged() } else { preset.literal() };
        Self::open(py, Pow2Parameters::new(literal), device)
    }

    /// Parameters spelled out in a dictionary: `degree`, `log_q`, `log_t`, and `log_p` for
    /// relinearisation (0, the default, for none).
    ///
    /// Raises what `Context` raises.
    ///
    /// >>> small = {"degree": 16, "log_q": 32, "log_t": 8}
    /// >>> cy.pow2.Context.from_literal(small, acknowledge_insecure=True).capacity
    /// 16
    #[staticmethod]
    #[pyo3(signature = (literal, *, acknowledge_insecure = false, device = "cpu"))]
    fn from_literal(
        literal: &Bound<'_, PyAny>,
        acknowledge_insecure: bool,
        device: &str,
    ) -> PyResult<Self> {
        let py = literal.py();
        let text: String = py.import("json")?.call_method1("dumps", (literal,))?.extract()?;
        let parse = || {
            let mut value: serde_json::Value = serde_json::from_str(&text)?;
            if let serde_json::Value::Object(fields) = &mut value {
                fields.entry("log_p").or_insert_with(|| serde_json::json!(0));
                let policy = if acknowledge_insecure {
                    SecurityPolicy::InsecureAcknowledged
                } else {
                    SecurityPolicy::default()
                };
                fields.entry("security").or_insert_with(|| serde_json::json!(policy));
            }
            serde_json::from_value(value)
        };
        let literal = parse().map_err(json_error).map_err(errors::scheme)?;
        Self::open(py, Pow2Parameters::new(literal), device)
    }

    /// The context pinned by `to_json`, checked anew.
    #[staticmethod]
    #[pyo3(signature = (text, *, device = "cpu"))]
    fn from_json(py: Python<'_>, text: &str, device: &str) -> PyResult<Self> {
        Self::open(py, Pow2Parameters::from_json(text), device)
    }

    /// The context pinned by `save`, checked anew. Raises `OSError`, `FileFormatError`.
    #[staticmethod]
    #[pyo3(signature = (path, *, device = "cpu"))]
    fn load(py: Python<'_>, path: PathBuf, device: &str) -> PyResult<Self> {
        readable(&path)?;
        let parameters = py.detach(|| files::load_pow2_parameters(&path));
        Self::open(py, parameters, device)
    }

    /// Pins the parameters to a file, which is written whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let parameters = self.inner.parameters();
        py.detach(|| files::save_pow2_parameters(parameters, &path)).map_err(errors::scheme)
    }

    /// The parameters as JSON text.
    fn to_json(&self) -> PyResult<String> {
        self.inner.parameters().to_json().map_err(errors::scheme)
    }

    /// Fresh keys, from the operating system's randomness. `relinearize=False` leaves out the key
    /// for products of ciphertexts, which sets with `log_p == 0` never have. `insecure_seed`
    /// repeats keys, for tests alone.
    ///
    /// >>> keys = cy.pow2.Context("PAPER_BFV_1024", acknowledge_insecure=True).keygen()
    /// >>> keys.decrypt(keys.encrypt([1, -2]) + keys.encrypt([10, 20]))
    /// array([11, 18])
    #[pyo3(signature = (*, relinearize = true, insecure_seed = None))]
    fn keygen(
        &self,
        py: Python<'_>,
        relinearize: bool,
        insecure_seed: Option<u64>,
    ) -> PyResult<Pow2Keys> {
        Pow2Keys::generate(py, &self.inner, relinearize, insecure_seed)
    }

    /// Encrypts under a public key: `public.encrypt`.
    #[pyo3(signature = (
        public, values, *, signed = None, device = None, insecure_seed = None, run_counter = 0,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of the Python interface")]
    fn encrypt(
        &self,
        py: Python<'_>,
        public: &Bound<'_, Pow2PublicKey>,
        values: &Bound<'_, PyAny>,
        signed: Option<bool>,
        device: Option<&str>,
        insecure_seed: Option<SeedArgument>,
        run_counter: u64,
    ) -> PyResult<Pow2Ciphertext> {
        let device = device.unwrap_or(&self.inner.device);
        self.check("public key", public.get().shared().parameters())?;
        public.get().encrypt(py, values, signed, Some(device), insecure_seed, run_counter)
    }

    /// Decrypts with a secret key: `secret.decrypt`.
    #[pyo3(signature = (secret, ciphertext, *, device = None, verify = true))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        secret: &Bound<'py, Pow2SecretKey>,
        ciphertext: &Bound<'py, Pow2Ciphertext>,
        device: Option<&str>,
        verify: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let device = device.unwrap_or(&self.inner.device);
        self.check("secret key", secret.get().shared().parameters())?;
        secret.get().decrypt(py, ciphertext, Some(device), verify)
    }

    /// Smallest and largest integer.
    #[pyo3(signature = (signed = true))]
    fn range(&self, signed: bool) -> (i128, i128) {
        self.inner.range(signed)
    }

    /// Ring degree n.
    #[getter]
    fn degree(&self) -> usize {
        self.inner.parameters().degree()
    }

    /// The most values of one ciphertext: n. Longer vectors take several behind one handle.
    #[getter]
    fn capacity(&self) -> usize {
        self.degree()
    }

    /// log2 q.
    #[getter]
    fn log_q(&self) -> u32 {
        self.inner.parameters().log_q()
    }

    /// log2 t.
    #[getter]
    fn log_t(&self) -> u32 {
        self.inner.parameters().log_t()
    }

    /// log2 p of relinearisation; 0 for sets without.
    #[getter]
    fn log_p(&self) -> u32 {
        self.inner.parameters().log_p()
    }

    /// t: all arithmetic is modulo this integer.
    #[getter]
    fn plaintext_modulus(&self) -> u128 {
        1 << self.log_t()
    }

    /// The name of the device that is used when no other is named.
    #[getter]
    fn device(&self) -> &str {
        &self.inner.device
    }

    /// Identity of the parameters, in hexadecimal: the same for equal parameters everywhere.
    #[getter]
    fn id(&self) -> String {
        let id = self.inner.parameters().id();
        id.bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn __repr__(&self) -> String {
        let security = match self.inner.parameters().literal().security {
            SecurityPolicy::Table { level, table } => {
                format!("{} bits by {}", level.bits(), table.name())
            }
            SecurityPolicy::InsecureAcknowledged => "insecure".to_owned(),
        };
        format!("pow2.Context({}, {security}, device {})", self.inner.label(), self.inner.device)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let same = |other: &Bound<'_, Self>| {
            let other = &other.get().inner;
            other.parameters() == self.inner.parameters() && other.device == self.inner.device
        };
        other.cast::<Self>().is_ok_and(same)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.inner.parameters().id().bytes().hash(&mut hasher);
        self.inner.device.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = py.import("cyclotron._pickle")?.getattr("pow2_context")?;
        let arguments = (self.to_json()?, self.device()).into_bound_py_any(py)?;
        PyTuple::new(py, [restore, arguments])
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf
    }
}

impl Pow2Context {
    fn open(
        py: Python<'_>,
        parameters: cyclotron_schemes::Result<Pow2Parameters>,
        device: &str,
    ) -> PyResult<Self> {
        let parameters = parameters.map_err(errors::scheme)?;
        Ok(Self { inner: Shared::open(py, &parameters, device)? })
    }

    fn check(&self, what: &'static str, found: &Pow2Parameters) -> PyResult<()> {
        same_parameters(what, found, self.inner.parameters())
    }
}

/// Refuses an object of other parameters.
pub fn same_parameters(
    what: &'static str,
    found: &Pow2Parameters,
    expected: &Pow2Parameters,
) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (found.id().to_string(), expected.id().to_string());
    Err(errors::scheme(cyclotron_schemes::Error::ParameterMismatch { what, found, expected }))
}

/// Names of all parameter sets that `pow2.Context` knows.
///
/// >>> cy.pow2.presets()[0]
/// 'PAPER_BFV_1024'
#[pyfunction]
pub fn pow2_presets() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}
