//! `Context`: parameters on an engine, and the three ways to give them (chosen, named, literal).

use crate::engines::EngineOptions;
use crate::errors;
use crate::keys::Keys;
use crate::options::{RotationsArgument, encoding_name, json_error, parse_literal};
use crate::secret::SecretKey;
use crate::shared::Shared;
use crate::stored;
use cyclotron_schemes::rlwe::{
    ParametersLiteral, SchemeKind, SecurityLevel, SecurityPolicy, SecurityTable, presets as named,
};
use cyclotron_schemes::vector::{VectorParameters, VectorRequest};
use cyclotron_schemes::{Error, files};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyWeakrefReference};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

/// Parameters of a scheme on an engine: where everything begins. Immutable; share it freely among
/// threads.
///
/// `Context(scheme, bits, depth)` chooses parameters: `scheme` is "bfv" or "bgv", integers are held
/// modulo T of at least `bits` bits (inputs *and results* must fit, see `range`), and `depth` is
/// the number of multiplications in a row. Keywords: `plaintext_modulus`, T exactly, in place of
/// `bits`; `security` (128, 192 or 256 bits) by `table`
/// ("guidelines-2024", "standard-2018", "standard-2018-quantum"); `slots`, the least length of a
/// vector; `terms`, how many terms the final sum has (0: one a slot); `limb_bits`, the widest
/// ciphertext prime (20 to 60); `channel_bits`, the widest single plaintext prime (wider values
/// take several ciphertexts); `threads`, `simd`, `memory_limit` (bytes) for the engine.
///
/// Raises `NoParametersError` when nothing fits, `ParameterError` for a value out of range,
/// `EngineError` when the engine cannot be opened.
///
/// >>> ctx = cy.Context("bfv", bits=20, depth=1)
/// >>> print(ctx.explain().splitlines()[0])
/// bfv, n = ..., vectors of up to ... integers in [-..., ...] (signed)
#[pyclass(frozen, weakref, module = "cyclotron")]
pub struct Context {
    pub inner: Arc<Shared>,
}

#[pymethods]
impl Context {
    #[new]
    #[pyo3(signature = (
        scheme, bits = None, depth = 1, *, plaintext_modulus = None, security = 128, table = "guidelines-2024", slots = 1, terms = 0,
        limb_bits = 50, channel_bits = 45, threads = None, simd = None, memory_limit = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of the Python interface")]
    fn new(
        py: Python<'_>,
        scheme: &str,
        bits: Option<u32>,
        depth: usize,
        plaintext_modulus: Option<u64>,
        security: u32,
        table: &str,
        slots: usize,
        terms: usize,
        limb_bits: u32,
        channel_bits: u32,
        threads: Option<usize>,
        simd: Option<String>,
        memory_limit: Option<u64>,
    ) -> PyResult<Py<Self>> {
        let select = || {
            if bits.is_some() == plaintext_modulus.is_some() {
                return Err(Error::Parameter {
                    what: "plaintext space",
                    value: format!("bits={bits:?}, plaintext_modulus={plaintext_modulus:?}"),
                    remedy: "give one of bits and plaintext_modulus".to_owned(),
                });
            }
            let scheme = SchemeKind::from_name(scheme)?;
            let mut request = VectorRequest::new(scheme, bits.unwrap_or_default(), depth);
            request.plaintext_modulus = plaintext_modulus;
            request.channel_bits = channel_bits;
            request.base.security = SecurityLevel::from_bits(security)?;
            request.base.table = SecurityTable::from_name(table)?;
            request.base.slots = slots;
            request.base.terms = terms;
            request.base.limb_bits = limb_bits;
            VectorParameters::select(&request)
        };
        let parameters = py.detach(select).map_err(errors::scheme)?;
        Self::open(py, &parameters, EngineOptions { threads, simd, memory_limit })
    }

    /// A named parameter set (see `presets()`): `TOY_*` sets are far too small to be secure and
    /// want `acknowledge_insecure=True`; `STANDARD_2018_*` sets are those of other libraries'
    /// benchmarks.
    ///
    /// Raises `ParameterError` for an unknown name, `InsecureParametersError`.
    ///
    /// >>> cy.Context.preset("TOY_64", acknowledge_insecure=True)
    /// Context(bfv, n=64, T=257, 2 levels, insecure)
    #[staticmethod]
    #[pyo3(signature = (
        name, scheme = "bfv", *, acknowledge_insecure = false, threads = None, simd = None,
        memory_limit = None,
    ))]
    fn preset(
        py: Python<'_>,
        name: &str,
        scheme: &str,
        acknowledge_insecure: bool,
        threads: Option<usize>,
        simd: Option<String>,
        memory_limit: Option<u64>,
    ) -> PyResult<Py<Self>> {
        let literal = SchemeKind::from_name(scheme)
            .and_then(|scheme| named::literal(name, scheme))
            .map_err(errors::scheme)?;
        let moduli = [literal.plaintext_modulus];
        let options = EngineOptions { threads, simd, memory_limit };
        Self::from_parts(py, literal, &moduli, acknowledge_insecure, options)
    }

    /// Parameters spelled out, as a dictionary or JSON text: `scheme`, `degree`,
    /// `plaintext_modulus`, `moduli` (primes of Q, `1 mod 2n`); and optionally `special_moduli`
    /// (primes of P), `digits` (`{"limbs": k}` or `{"words": bits}`), `error` (`{"gaussian":
    /// sigma}` or `{"binomial": k}`), `security` (`{"table": {"level": "128", "table":
    /// "guidelines-2024"}}`). `plaintext_moduli` gives several moduli (CRT) in place of one.
    /// `acknowledge_insecure=True` takes sets that exceed the security table.
    ///
    /// Raises `ParameterError`, `InsecureParametersError`.
    ///
    /// >>> literal = {"scheme": "bgv", "degree": 16, "plaintext_modulus": 97, "moduli": [65537]}
    /// >>> cy.Context.from_literal(literal)
    /// Traceback (most recent call last):
    /// ...
    /// cyclotron.errors.InsecureParametersError: log2(QP) = 16.0 exceeds the 0 bits of ...
    /// >>> cy.Context.from_literal(literal, acknowledge_insecure=True).literal["digits"]
    /// {'limbs': 1}
    #[staticmethod]
    #[pyo3(signature = (
        literal, *, plaintext_moduli = None, acknowledge_insecure = false, threads = None,
        simd = None, memory_limit = None,
    ))]
    fn from_literal(
        literal: &Bound<'_, PyAny>,
        plaintext_moduli: Option<Vec<u64>>,
        acknowledge_insecure: bool,
        threads: Option<usize>,
        simd: Option<String>,
        memory_limit: Option<u64>,
    ) -> PyResult<Py<Self>> {
        let py = literal.py();
        let text = match literal.cast::<PyString>() {
            Ok(text) => text.to_string(),
            Err(_) => py.import("json")?.call_method1("dumps", (literal,))?.extract()?,
        };
        let literal = parse_literal(&text).map_err(errors::scheme)?;
        let moduli = plaintext_moduli.unwrap_or_else(|| vec![literal.plaintext_modulus]);
        let options = EngineOptions { threads, simd, memory_limit };
        Self::from_parts(py, literal, &moduli, acknowledge_insecure, options)
    }

    /// The context pinned by `to_json`, checked anew.
    ///
    /// Raises `FileFormatError`, and what `from_literal` raises.
    #[staticmethod]
    #[pyo3(signature = (text, *, threads = None, simd = None, memory_limit = None))]
    fn from_json(
        py: Python<'_>,
        text: &str,
        threads: Option<usize>,
        simd: Option<String>,
        memory_limit: Option<u64>,
    ) -> PyResult<Py<Self>> {
        let parameters = VectorParameters::from_json(text).map_err(errors::scheme)?;
        Self::open(py, &parameters, EngineOptions { threads, simd, memory_limit })
    }

    /// The context pinned by `save`, checked anew: parameters stay what they were, whatever a newer
    /// version of the library would choose.
    ///
    /// Raises `OSError`, `FileFormatError`.
    #[staticmethod]
    #[pyo3(signature = (path, *, threads = None, simd = None, memory_limit = None))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        threads: Option<usize>,
        simd: Option<String>,
        memory_limit: Option<u64>,
    ) -> PyResult<Py<Self>> {
        stored::readable(&path)?;
        let parameters = py.detach(|| files::load_parameters(&path)).map_err(errors::scheme)?;
        Self::open(py, &parameters, EngineOptions { threads, simd, memory_limit })
    }

    /// Pins the parameters to a file, which is written whole or not at all.
    ///
    /// Raises `FileFormatError` when it cannot be written.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let parameters = self.inner.vector.parameters();
        py.detach(|| files::save_parameters(parameters, &path)).map_err(errors::scheme)
    }

    /// The parameters and the reasons for them as JSON text.
    fn to_json(&self) -> PyResult<String> {
        self.inner.vector.parameters().to_json().map_err(errors::scheme)
    }

    /// Fresh keys, from the operating system's randomness.
    ///
    /// `rotations`: "sums" (sums over all slots, and any rotation in several steps), `None`, or a
    /// list of steps (negative: to the right), which makes smaller keys. `relinearize=False` leaves
    /// out the key for products of ciphertexts. `insecure_seed` repeats keys, for tests alone.
    ///
    /// Raises `ParameterError`, `EngineError`.
    ///
    /// >>> ctx.keygen(rotations=[1, -2])
    /// Keys(bfv, n=64, relinearisation, 3 Galois elements)
    #[pyo3(
        signature = (
            *, rotations = RotationsArgument::default(), relinearize = true, insecure_seed = None,
        ),
        text_signature = "($self, *, rotations='sums', relinearize=True, insecure_seed=None)"
    )]
    fn keygen(
        &self,
        py: Python<'_>,
        rotations: RotationsArgument,
        relinearize: bool,
        insecure_seed: Option<u64>,
    ) -> PyResult<Keys> {
        Keys::generate(py, &self.inner, relinearize, &rotations.0, insecure_seed)
    }

    /// A fresh secret key alone; `public_key()` and `evaluation_keys()` make the others from it.
    #[pyo3(signature = (*, insecure_seed = None))]
    fn secret_key(&self, py: Python<'_>, insecure_seed: Option<u64>) -> PyResult<SecretKey> {
        SecretKey::generate(py, &self.inner, insecure_seed)
    }

    /// What was chosen and why, one reason a line.
    fn explain(&self) -> String {
        let parameters = self.inner.vector.parameters();
        let first = parameters.first();
        let (min, max) = self.inner.range(true);
        let mut text = format!(
            "{}, n = {}, vectors of up to {} integers in [{min}, {max}] (signed)",
            first.scheme(),
            first.degree(),
            self.inner.vector.capacity(),
        );
        if parameters.reasons().is_empty() {
            let _ = write!(
                text,
                "\nlog2 Q = {:.1} in {} primes, log2 P = {:.1} in {}\nsecurity: {}",
                first.log_q(),
                first.moduli().len(),
                first.log_qp() - first.log_q(),
                first.special_moduli().len(),
                self.security_text(),
            );
        }
        for reason in parameters.reasons() {
            let _ = write!(text, "\n{reason}");
        }
        text
    }

    /// "bfv" or "bgv".
    #[getter]
    fn scheme(&self) -> &'static str {
        self.inner.vector.parameters().first().scheme().name()
    }

    /// Ring degree n.
    #[getter]
    fn degree(&self) -> usize {
        self.inner.vector.parameters().first().degree()
    }

    /// The most values in one vector: n.
    #[getter]
    fn capacity(&self) -> usize {
        self.inner.vector.capacity()
    }

    /// How vectors are encoded unless said otherwise: "slots" when T has them, else
    /// "coefficients".
    #[getter]
    fn encoding(&self) -> &'static str {
        encoding_name(self.inner.vector.default_encoding())
    }

    /// T: all arithmetic is modulo this integer, the product of `plaintext_moduli`.
    #[getter]
    fn plaintext_modulus(&self) -> u128 {
        self.inner.vector.parameters().plaintext().product()
    }

    /// One plaintext modulus a ciphertext of a vector.
    #[getter]
    fn plaintext_moduli(&self) -> Vec<u64> {
        self.inner.vector.parameters().plaintext().moduli().iter().map(|t| t.value()).collect()
    }

    /// Level of fresh ciphertexts: the number of primes of Q, less one.
    #[getter]
    fn max_level(&self) -> usize {
        self.inner.vector.max_level()
    }

    /// log2(QP), which security is judged by.
    #[getter]
    fn log_qp(&self) -> f64 {
        self.inner.vector.parameters().first().log_qp()
    }

    /// Identity of the parameters, in hexadecimal: the same for equal parameters everywhere.
    #[getter]
    fn id(&self) -> String {
        let id = self.inner.vector.parameters().id();
        id.bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The parameters (of the first plaintext modulus) as `from_literal` takes them.
    #[getter]
    fn literal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let literal = self.inner.vector.parameters().first().literal();
        let text = serde_json::to_string(literal).map_err(json_error).map_err(errors::scheme)?;
        py.import("json")?.call_method1("loads", (text,))
    }

    /// The engine: name, SIMD level, threads.
    #[getter]
    fn engine(&self) -> String {
        let engine: &dyn cyclotron_engine::Engine = &*self.inner.engine;
        let capabilities = engine.capabilities();
        format!("{}: {}", capabilities.name, capabilities.description)
    }

    /// Bytes of keys, ciphertexts and scratch memory that the engine holds now.
    #[getter]
    fn bytes_in_use(&self) -> u64 {
        self.inner.engine.bytes_in_use()
    }

    /// Gives memory that the engine keeps for reuse back to the system.
    fn trim(&self) {
        self.inner.engine.trim();
    }

    /// Smallest and largest integer that a vector can hold.
    ///
    /// >>> ctx.range(), ctx.range(signed=False)
    /// ((-128, 128), (0, 256))
    #[pyo3(signature = (signed = true))]
    fn range(&self, signed: bool) -> (i128, i128) {
        self.inner.range(signed)
    }

    fn __repr__(&self) -> String {
        let parameters = self.inner.vector.parameters();
        let levels = self.inner.vector.max_level() + 1;
        format!(
            "Context({}, T={}, {levels} level{}, {})",
            self.inner.label(),
            parameters.plaintext().product(),
            if levels == 1 { "" } else { "s" },
            self.security_text(),
        )
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let own = self.inner.vector.parameters().id();
        other.cast::<Self>().is_ok_and(|other| other.get().inner.vector.parameters().id() == own)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.inner.vector.parameters().id().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = py.import("cyclotron._pickle")?.getattr("context")?;
        let options = self.inner.options.keywords(py)?;
        PyTuple::new(py, [restore, (self.to_json()?, options).into_bound_py_any(py)?])
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf
    }
}

impl Context {
    /// The one Python object of a context.
    pub fn of(py: Python<'_>, inner: &Arc<Shared>) -> PyResult<Py<Self>> {
        if let Some(living) = inner.living(py) {
            return Ok(living.cast_into::<Self>()?.unbind());
        }
        let object = Bound::new(py, Self { inner: Arc::clone(inner) })?;
        let weak = PyWeakrefReference::new(object.as_any())?.unbind();
        // Two threads may come here at once: the last one's object stays the one.
        let old = inner.handle().replace(weak);
        drop(old);
        Ok(object.unbind())
    }

    fn open(
        py: Python<'_>,
        parameters: &VectorParameters,
        options: EngineOptions,
    ) -> PyResult<Py<Self>> {
        Self::of(py, &Shared::open(py, parameters, options)?)
    }

    fn from_parts(
        py: Python<'_>,
        mut literal: ParametersLiteral,
        moduli: &[u64],
        acknowledge_insecure: bool,
        options: EngineOptions,
    ) -> PyResult<Py<Self>> {
        if acknowledge_insecure {
            literal.security = SecurityPolicy::InsecureAcknowledged;
        }
        let parameters = VectorParameters::new(&literal, moduli).map_err(errors::scheme)?;
        Self::open(py, &parameters, options)
    }

    fn security_text(&self) -> String {
        let first = self.inner.vector.parameters().first();
        let table = match first.literal().security {
            SecurityPolicy::Table { table, .. } => table,
            SecurityPolicy::InsecureAcknowledged => SecurityTable::default(),
        };
        match first.security_in(table) {
            Some(level) => format!("{} bits by {}", level.bits(), table.name()),
            None => "insecure".to_owned(),
        }
    }
}

/// Names of all parameter sets that `Context.preset` knows.
///
/// >>> cy.presets()[0]
/// 'TOY_64'
#[pyfunction]
pub fn presets() -> Vec<&'static str> {
    named::names()
}
