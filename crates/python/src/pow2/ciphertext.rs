//! `pow2.Ciphertext`: an encrypted vector modulo a power of two, and its operators.

use super::context::{Pow2Context, same_parameters};
use super::keys::{self, Pow2RelinearizationKey};
use super::shared::{Pow2Cost, Shared};
use crate::arrays::{Accept, Integers};
use crate::errors::{self, Exception};
use crate::stored::reduce;
use cyclotron_schemes::Result;
use cyclotron_schemes::bfv_pow2::{
    Cost, Pow2Operand, Pow2Vector, Pow2VectorEvaluator, RelinearizationKey,
};
use cyclotron_schemes::files::Pow2Stored;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyInt, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// Who computes, with which key.
pub struct Core {
    pub shared: Arc<Shared>,
    native: Pow2VectorEvaluator,
    key: Option<Arc<RelinearizationKey>>,
}

impl Core {
    /// With a relinearisation key, or without.
    pub fn new(shared: &Arc<Shared>, key: Option<Arc<RelinearizationKey>>) -> PyResult<Arc<Self>> {
        let native = Pow2VectorEvaluator::new(&shared.context, key.as_deref());
        let native = native.map_err(errors::scheme)?;
        Ok(Arc::new(Self { shared: Arc::clone(shared), native, key }))
    }

    /// That of two operands: the one with a key. Nothing is guessed from two keys.
    fn of_both<'a>(py: Python<'_>, a: &'a Arc<Self>, b: &'a Arc<Self>) -> PyResult<&'a Arc<Self>> {
        match (&a.key, &b.key) {
            (Some(left), Some(right)) if !Arc::ptr_eq(left, right) => {
                let message = "the operands are attached to two relinearisation keys; \
                               attach(key) one of them to the other's";
                Err(Exception::new(py, "EvaluatorMismatchError", message).error())
            }
            (None, Some(_)) => Ok(b),
            _ => Ok(a),
        }
    }
}

/// An encrypted vector of integers modulo a power of two. Immutable; made by `encrypt`, `load` and
/// computing.
///
/// `+` and `-` take ciphertexts, integer arrays and lists of the same length on either side, and
/// single integers, which stand for one in every place. `*` takes a single integer, which multiplies every
/// value; with a ciphertext or an array it is the negacyclic convolution (the product of
/// polynomials modulo x^n + 1). Arithmetic is modulo `context.plaintext_modulus`.
///
/// An operation that could make decryption wrong raises `NoiseExhaustedError` instead. Operands of
/// unlike length or sign raise `EncodingMismatchError`.
///
/// >>> keys = cy.pow2.Context("PAPER_BFV_1024", acknowledge_insecure=True).keygen()
/// >>> x = keys.encrypt(np.array([1, 2, 3]))
/// >>> keys.decrypt(2 * x + np.array([0, 0, 1]) - x)
/// array([1, 2, 4])
#[pyclass(frozen, name = "Ciphertext", module = "cyclotron.pow2")]
pub struct Pow2Ciphertext {
    pub core: Arc<Core>,
    pub vector: Arc<Pow2Vector>,
    /// Of its encryption, when it has been encrypted here.
    pub cost: Option<Cost>,
}

/// An operation of two operands.
#[derive(Clone, Copy)]
enum Binary {
    Add,
    Sub,
    Mul,
}

#[pymethods]
impl Pow2Ciphertext {
    /// numpy leaves operators with arrays to this class, instead of applying them element by
    /// element.
    #[classattr]
    fn __array_ufunc__(py: Python<'_>) -> Py<PyAny> {
        py.None()
    }

    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operator(other, Binary::Add)
    }

    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operator(other, Binary::Add)
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operator(other, Binary::Sub)
    }

    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = other.py();
        match self.binary(other, Binary::Sub)? {
            // m - x = -(x - m)
            Some(difference) => difference.__neg__(py)?.into_py_any(py),
            None => Ok(py.NotImplemented()),
        }
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operator(other, Binary::Mul)
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operator(other, Binary::Mul)
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Self> {
        self.map(py, || self.core.native.neg(&self.vector))
    }

    fn __pos__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The same values in two polynomials, after a product without a key. Raises
    /// `MissingKeyError`.
    fn relinearize(&self, py: Python<'_>) -> PyResult<Self> {
        self.map(py, || self.core.native.relinearize(&self.vector))
    }

    /// The same ciphertext, whose products use this relinearisation key.
    pub fn attach(&self, key: &Bound<'_, Pow2RelinearizationKey>) -> PyResult<Self> {
        let key = key.get();
        let shared = &self.core.shared;
        same_parameters("relinearisation key", key.shared.parameters(), shared.parameters())?;
        let core = match &self.core.key {
            Some(own) if Arc::ptr_eq(own, &key.key) => Arc::clone(&self.core),
            _ => Core::new(shared, Some(Arc::clone(&key.key)))?,
        };
        Ok(Self { core, vector: Arc::clone(&self.vector), cost: self.cost })
    }

    /// The context.
    #[getter]
    fn context(&self) -> Pow2Context {
        Pow2Context { inner: Arc::clone(&self.core.shared) }
    }

    /// What its encryption cost; None for what was computed or loaded.
    #[getter]
    fn cost(&self) -> Option<Pow2Cost> {
        self.cost.map(Pow2Cost)
    }

    /// Bits between the noise bound and the most noise that decrypts; computed without a key.
    #[getter]
    fn margin(&self) -> f64 {
        self.vector.margin(self.core.shared.parameters())
    }

    /// Polynomials in a ciphertext: 2, or 3 for a product that is not relinearised.
    #[getter]
    fn parts(&self) -> usize {
        self.vector.parts()
    }

    /// Whether anyone can read values without a key, as after a product with zero.
    #[getter]
    fn is_transparent(&self) -> bool {
        self.vector.is_transparent()
    }

    /// Whether decryption gives signed integers.
    #[getter]
    fn signed(&self) -> bool {
        self.vector.is_signed()
    }

    /// The coefficients, in [0, q): an array of `uint64`, ciphertext by part by coefficient.
    /// Raises `NotLinearError` while some have two parts and some three.
    ///
    /// >>> ctx = cy.pow2.Context("PAPER_BFV_1024", acknowledge_insecure=True)
    /// >>> ctx.keygen().encrypt(np.arange(100)).words.shape
    /// (1, 2, 1024)
    #[getter]
    fn words<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ciphertexts = self.vector.ciphertexts();
        let parts = self.vector.parts();
        if let Some(other) = ciphertexts.iter().find(|c| c.parts().len() != parts) {
            let parts = other.parts().len();
            let operation = "words";
            let error = cyclotron_schemes::Error::NotLinear { operation, parts };
            return Err(errors::scheme(error));
        }
        let degree = self.core.shared.parameters().degree();
        let words: Vec<u64> =
            ciphertexts.iter().flat_map(|c| c.parts()).flatten().copied().collect();
        let array = PyArray1::from_vec(py, words);
        array.reshape([ciphertexts.len(), parts, degree])?.into_bound_py_any(py)
    }

    /// Bytes of `to_bytes`.
    #[getter]
    fn size_in_bytes(&self) -> PyResult<u64> {
        self.vector.size(&self.core.shared.context).map_err(errors::scheme)
    }

    /// The ciphertext as bytes, without parameters and keys.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        keys::to_bytes(py, &self.core.shared, &*self.vector)
    }

    /// A ciphertext from its bytes. Raises `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn from_bytes(
        py: Python<'_>,
        context: &Bound<'_, Pow2Context>,
        data: PyBackedBytes,
    ) -> PyResult<Self> {
        let core = Core::new(&context.get().inner, None)?;
        let vector = Arc::new(keys::from_bytes(py, &core.shared, &data)?);
        Ok(Self { core, vector, cost: None })
    }

    /// Writes the ciphertext to a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let context = &self.core.shared.context;
        py.detach(|| self.vector.save(context, &path)).map_err(errors::scheme)
    }

    /// A ciphertext from a file. Raises `OSError`, `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn load(py: Python<'_>, context: &Bound<'_, Pow2Context>, path: PathBuf) -> PyResult<Self> {
        let core = Core::new(&context.get().inner, None)?;
        let vector = Arc::new(keys::load(py, &core.shared, path)?);
        Ok(Self { core, vector, cost: None })
    }

    fn __len__(&self) -> usize {
        self.vector.len()
    }

    fn __repr__(&self) -> String {
        let sign = if self.signed() { "signed" } else { "unsigned" };
        let values = if self.vector.len() == 1 { "value" } else { "values" };
        format!(
            "pow2.Ciphertext({}, {} {sign} {values} in {}, margin {:.1} bits{})",
            self.core.shared.label(),
            self.vector.len(),
            self.vector.ciphertexts().len(),
            self.margin(),
            if self.is_transparent() { ", transparent" } else { "" },
        )
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Err(secret_comparison(py, "whether a ciphertext is zero"))
    }

    fn __richcmp__(
        &self,
        other: &Bound<'_, PyAny>,
        _operator: pyo3::basic::CompareOp,
    ) -> PyResult<bool> {
        Err(secret_comparison(other.py(), "how the values of a ciphertext compare"))
    }

    fn __hash__(slf: &Bound<'_, Self>) -> u64 {
        slf.as_ptr() as u64
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

impl Pow2Ciphertext {
    fn operator(&self, other: &Bound<'_, PyAny>, operation: Binary) -> PyResult<Py<PyAny>> {
        let py = other.py();
        match self.binary(other, operation)? {
            Some(result) => result.into_py_any(py),
            None => Ok(py.NotImplemented()),
        }
    }

    /// `None` when `other` is nothing to compute with.
    fn binary(&self, other: &Bound<'_, PyAny>, operation: Binary) -> PyResult<Option<Self>> {
        let py = other.py();
        let vector = &self.vector;
        if let Ok(other) = other.cast::<Self>() {
            let other = other.get();
            let (own, its) = (self.core.shared.parameters(), other.core.shared.parameters());
            same_parameters("ciphertext", its, own)?;
            let core = Core::of_both(py, &self.core, &other.core)?;
            let operand = Pow2Operand::Encrypted(&other.vector);
            let apply = || operation.apply(&core.native, vector, operand);
            let result = py.detach(apply).map_err(errors::scheme)?;
            let (core, vector) = (Arc::clone(core), Arc::new(result));
            return Ok(Some(Self { core, vector, cost: None }));
        }
        let range = self.core.shared.range(vector.is_signed());
        let Some(integers) = Integers::read(other, Accept::Numbers, range)? else {
            return Ok(None);
        };
        let values = integers.values()?;
        let single = other.cast::<PyInt>().is_ok() || is_scalar(other)?;
        let operand =
            if single { Pow2Operand::Number(values.get(0)) } else { Pow2Operand::Plain(values) };
        self.map(py, || operation.apply(&self.core.native, vector, operand)).map(Some)
    }

    fn map(&self, py: Python<'_>, f: impl FnOnce() -> Result<Pow2Vector> + Send) -> PyResult<Self> {
        let vector = Arc::new(py.detach(f).map_err(errors::scheme)?);
        Ok(Self { core: Arc::clone(&self.core), vector, cost: None })
    }
}

impl Binary {
    fn apply(
        self,
        evaluator: &Pow2VectorEvaluator,
        a: &Pow2Vector,
        b: Pow2Operand<'_>,
    ) -> Result<Pow2Vector> {
        match self {
            Self::Add => evaluator.add(a, b),
            Self::Sub => evaluator.sub(a, b),
            Self::Mul => evaluator.mul(a, b),
        }
    }
}

/// Whether an array, as numpy's scalars are to it, has no dimension.
fn is_scalar(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match object.getattr_opt("ndim")? {
        Some(dimensions) => Ok(dimensions.extract::<usize>()? == 0),
        None => Ok(false),
    }
}

fn secret_comparison(py: Python<'_>, what: &str) -> PyErr {
    let message = format!("{what} is not known without the secret key; decrypt it first");
    Exception::new(py, "ComparisonError", message).error()
}
