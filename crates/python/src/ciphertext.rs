//! `Ciphertext`: an encrypted vector, and the operators on it.

use crate::arrays::{Accept, Integers};
use crate::context::Context;
use crate::errors::{self, Exception};
use crate::evaluator::{Core, Evaluator};
use crate::keys::context_mismatch;
use crate::options::encoding_name;
use crate::shared::Shared;
use crate::stored;
use cyclotron_schemes::Error;
use cyclotron_schemes::rlwe::Mode;
use cyclotron_schemes::vector::{EncryptedVector, Operand, VectorEvaluator};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// An encrypted vector of integers. Immutable; made by `encrypt`, `load` and computing.
///
/// `+ - *` take ciphertexts, integer arrays (on either side), lists, and single integers, which
/// stand for one in every place; `@` and `dot` are the sum of the products, `**` takes a positive
/// integer. In the encoding "coefficients" a product is a negacyclic convolution. All arithmetic is
/// modulo `context.plaintext_modulus`, and results wrap around as integers do in numpy.
///
/// An operation that could make decryption wrong raises `NoiseExhaustedError` instead. Operands of
/// unlike length, encoding or sign raise `EncodingMismatchError`; products and rotations without
/// their key `MissingKeyError`; other parameters `ParameterMismatchError`.
///
/// >>> x = keys.encrypt(np.array([1, 2, 3]))
/// >>> keys.decrypt(2 * x + np.array([0, 0, 1]) - x * x)
/// array([ 1,  0, -2])
/// >>> keys.decrypt(x @ np.array([1, 10, 20]))
/// array([81])
#[pyclass(frozen, module = "cyclotron")]
pub struct Ciphertext {
    pub core: Arc<Core>,
    pub vector: Arc<EncryptedVector>,
}

/// An operation of two operands.
#[derive(Clone, Copy)]
enum Binary {
    Add,
    Sub,
    Mul,
    Dot,
}

impl Binary {
    fn apply(
        self,
        evaluator: &VectorEvaluator,
        a: &EncryptedVector,
        b: Operand<'_>,
    ) -> Result<EncryptedVector, Error> {
        match self {
            Self::Add => evaluator.add(a, b),
            Self::Sub => evaluator.sub(a, b),
            Self::Mul => evaluator.mul(a, b),
            Self::Dot => evaluator.dot(a, b),
        }
    }
}

#[pymethods]
impl Ciphertext {
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
            Some(difference) => Ok(difference.__neg__(py)?.into_pyobject(py)?.into_any().unbind()),
            None => Ok(py.NotImplemented()),
        }
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operator(other, Binary::Mul)
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operator(other, Binary::Mul)
    }

    fn __matmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operator(other, Binary::Dot)
    }

    fn __rmatmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operator(other, Binary::Dot)
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Self> {
        self.map(py, VectorEvaluator::neg)
    }

    fn __pos__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __pow__(
        &self,
        py: Python<'_>,
        exponent: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let exponent = match exponent.extract::<u32>() {
            Ok(exponent) if exponent > 0 && modulo.is_none() => exponent,
            _ => {
                return Err(errors::scheme(Error::Parameter {
                    what: "exponent",
                    value: exponent.repr()?.to_string(),
                    remedy: "give a positive integer".to_owned(),
                }));
            }
        };
        self.map(py, |evaluator, x| power(evaluator, x, exponent))
    }

    /// The sum of all values: a ciphertext of length 1 that goes with vectors of any length.
    /// Needs the rotation keys "sums".
    ///
    /// >>> keys.decrypt(keys.encrypt([1, 2, 3]).sum())
    /// array([6])
    fn sum(&self, py: Python<'_>) -> PyResult<Self> {
        self.map(py, VectorEvaluator::sum)
    }

    /// The sum of the products with another ciphertext or an integer array: `x @ y`.
    ///
    /// >>> x = keys.encrypt([1, 2, 3])
    /// >>> keys.decrypt(x.dot(x))
    /// array([14])
    fn dot(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(result) = self.binary(other, Binary::Dot)? {
            return Ok(result);
        }
        let name = other.get_type().name()?.to_string();
        let remedy = "give a ciphertext or an integer array";
        Err(Exception::new(other.py(), "ArrayError", format!("dot with a {name}; {remedy}"))
            .with("dtype", name)
            .with("remedy", remedy)
            .error())
    }

    /// Slots are two rows of n/2: rotates both to the left by `steps` (negative: to the right). The
    /// result has all n values, the zeros after the vector's end among them.
    ///
    /// >>> row = np.arange(32)
    /// >>> keys.decrypt(keys.encrypt(row).rotate(1))[:32]
    /// array([ 1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,
    ///        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,  0])
    fn rotate(&self, py: Python<'_>, steps: i64) -> PyResult<Self> {
        self.map(py, |evaluator, x| evaluator.rotate(x, steps))
    }

    /// Exchanges the two rows of n/2 slots; the result has all n values.
    ///
    /// >>> keys.decrypt(keys.encrypt([5, 6]).swap_rows())[32:34]
    /// array([5, 6])
    fn swap_rows(&self, py: Python<'_>) -> PyResult<Self> {
        self.map(py, VectorEvaluator::swap_rows)
    }

    /// The same values at a lower level: fewer bytes, and in BGV less noise.
    ///
    /// Raises `LevelOutOfRangeError`, `NoiseExhaustedError`.
    ///
    /// >>> x = keys.encrypt([1, 2, 3])
    /// >>> x.level, x.mod_switch(0).level
    /// (1, 0)
    fn mod_switch(&self, py: Python<'_>, level: usize) -> PyResult<Self> {
        self.map(py, |evaluator, x| evaluator.mod_switch(x, level))
    }

    /// The same values at the lowest level that keeps `margin` bits: the last step before a result
    /// is sent back.
    ///
    /// >>> x = keys.encrypt([1, 2, 3])
    /// >>> x.shrink().size_in_bytes < x.size_in_bytes
    /// True
    #[pyo3(signature = (margin = 1.0))]
    fn shrink(&self, py: Python<'_>, margin: f64) -> PyResult<Self> {
        self.map(py, |evaluator, x| evaluator.shrink(x, margin))
    }

    /// The same values in two polynomials, after products of an evaluator in mode "strict".
    /// Raises `MissingKeyError`.
    fn relinearize(&self, py: Python<'_>) -> PyResult<Self> {
        self.map(py, VectorEvaluator::relinearize)
    }

    /// The context.
    #[getter]
    fn context(&self, py: Python<'_>) -> PyResult<Py<Context>> {
        Context::of(py, &self.core.context)
    }

    /// The evaluator whose keys and mode the operators use.
    #[getter]
    fn evaluator(&self) -> Evaluator {
        Evaluator { core: Arc::clone(&self.core) }
    }

    /// The level: how many primes of Q are left, less one. It only falls.
    #[getter]
    fn level(&self) -> usize {
        self.vector.level()
    }

    /// Bits between the noise bound and the most noise that decrypts; computed without a key.
    #[getter]
    fn margin(&self) -> f64 {
        self.core.context.vector.margin(&self.vector)
    }

    /// Polynomials in a ciphertext: 2, or 3 for a product that is not relinearised.
    #[getter]
    fn parts(&self) -> usize {
        self.vector.channels().iter().map(|channel| channel.parts()).max().unwrap_or(0)
    }

    /// Whether anyone can read the values without a key, as after a product with zero.
    #[getter]
    fn is_transparent(&self) -> bool {
        self.vector.channels().iter().any(|channel| channel.is_transparent())
    }

    /// Whether decryption gives signed integers.
    #[getter]
    fn signed(&self) -> bool {
        self.vector.layout().signed
    }

    /// "slots" or "coefficients".
    #[getter]
    fn encoding(&self) -> &'static str {
        encoding_name(self.vector.layout().encoding)
    }

    /// Bytes of `to_bytes`.
    #[getter]
    fn size_in_bytes(&self) -> PyResult<u64> {
        stored::size(&self.core.context, &*self.vector)
    }

    /// The ciphertext as bytes, without parameters and keys.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        stored::to_bytes(py, &self.core.context, &*self.vector)
    }

    /// A ciphertext from its bytes; its operators use the evaluator, or no keys when a context is
    /// given. Raises `FileFormatError`, `ParameterMismatchError`.
    ///
    /// >>> data = keys.encrypt([1, 2, 3]).to_bytes()
    /// >>> keys.decrypt(cy.Ciphertext.from_bytes(keys.evaluator, data).sum())
    /// array([6])
    #[staticmethod]
    fn from_bytes(py: Python<'_>, owner: Owner<'_>, data: PyBackedBytes) -> PyResult<Self> {
        let core = owner.core()?;
        let vector = Arc::new(stored::from_bytes(py, &core.context, &data)?);
        Ok(Self { core, vector })
    }

    /// Writes the ciphertext to a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        stored::save(py, &self.core.context, &*self.vector, &path)
    }

    /// A ciphertext from a file; its operators use the evaluator, or no keys when a context is
    /// given. Raises `OSError`, `FileFormatError`, `ParameterMismatchError`.
    #[staticmethod]
    fn load(py: Python<'_>, owner: Owner<'_>, path: PathBuf) -> PyResult<Self> {
        let core = owner.core()?;
        let vector = Arc::new(stored::load(py, &core.context, &path)?);
        Ok(Self { core, vector })
    }

    fn __len__(&self) -> usize {
        self.vector.layout().length
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!(
            "Ciphertext({}, {}, level {}, margin {:.1} bits, {}{})",
            self.core.context.label(),
            self.vector.layout(),
            self.level(),
            self.margin(),
            byte_text(self.size_in_bytes()?),
            if self.is_transparent() { ", transparent" } else { "" },
        ))
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

impl Ciphertext {
    /// The vector in the memory of a context's engine: its own, or a copy.
    pub fn within(&self, py: Python<'_>, context: &Arc<Shared>) -> PyResult<Arc<EncryptedVector>> {
        let own = &self.core.context;
        if Arc::ptr_eq(own, context) {
            return Ok(Arc::clone(&self.vector));
        }
        if own.vector.parameters().id() != context.vector.parameters().id() {
            return Err(context_mismatch(py, "ciphertext", own, context));
        }
        use cyclotron_schemes::files::Stored;
        let bytes = own.run(py, |vector| self.vector.to_bytes(vector))?;
        context.run(py, |vector| EncryptedVector::from_bytes(vector, &bytes)).map(Arc::new)
    }

    fn operator(&self, other: &Bound<'_, PyAny>, operation: Binary) -> PyResult<Py<PyAny>> {
        let py = other.py();
        match self.binary(other, operation)? {
            Some(result) => Ok(result.into_pyobject(py)?.into_any().unbind()),
            None => Ok(py.NotImplemented()),
        }
    }

    /// `None` when `other` is nothing to compute with.
    fn binary(&self, other: &Bound<'_, PyAny>, operation: Binary) -> PyResult<Option<Self>> {
        let py = other.py();
        if let Ok(other) = other.cast::<Self>() {
            let other = other.get();
            let core = Core::of_both(py, &self.core, &other.core)?;
            let a = self.within(py, &core.context)?;
            let b = other.within(py, &core.context)?;
            let vector = core
                .context
                .run(py, |_| operation.apply(&core.native, &a, Operand::Encrypted(&b)))?;
            return Ok(Some(Self { core: Arc::clone(core), vector: Arc::new(vector) }));
        }
        let range = self.core.context.range(self.vector.layout().signed);
        let Some(integers) = Integers::read(other, Accept::Numbers, range)? else {
            return Ok(None);
        };
        let values = integers.values()?;
        self.map(py, |evaluator, x| operation.apply(evaluator, x, Operand::Plain(values))).map(Some)
    }

    fn map(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&VectorEvaluator, &EncryptedVector) -> Result<EncryptedVector, Error> + Send,
    ) -> PyResult<Self> {
        let vector = self.core.context.run(py, |_| f(&self.core.native, &self.vector))?;
        Ok(Self { core: Arc::clone(&self.core), vector: Arc::new(vector) })
    }
}

/// `x^exponent` in `ceil(log2(exponent))` levels: each power is the product of its two halves.
fn power(
    evaluator: &VectorEvaluator,
    x: &EncryptedVector,
    exponent: u32,
) -> Result<EncryptedVector, Error> {
    // Only two neighbouring powers are needed at each halving.
    let mut wanted = vec![exponent];
    while let Some(&last) = wanted.last()
        && last > 1
    {
        wanted.push(last / 2);
    }
    wanted.reverse();
    let mut powers: BTreeMap<u32, EncryptedVector> = BTreeMap::new();
    for &low in &wanted {
        for target in [low, low + 1] {
            if target == 1 || target > exponent {
                continue;
            }
            let (half, rest) = (target / 2, target.div_ceil(2));
            let of = |power: u32| powers.get(&power).unwrap_or(x);
            let product = evaluator.mul(of(rest), Operand::Encrypted(of(half)))?;
            powers.insert(target, product);
        }
        powers.retain(|&power, _| power >= low);
    }
    match powers.remove(&exponent) {
        Some(result) => Ok(result),
        None => evaluator.mod_switch(x, x.level()),
    }
}

/// What a loaded ciphertext is attached to.
#[derive(FromPyObject)]
pub enum Owner<'py> {
    /// An evaluator.
    Evaluator(Bound<'py, Evaluator>),
    /// A context: no keys.
    Context(Bound<'py, Context>),
}

impl Owner<'_> {
    fn core(&self) -> PyResult<Arc<Core>> {
        match self {
            Self::Evaluator(evaluator) => Ok(Arc::clone(&evaluator.get().core)),
            Self::Context(context) => Core::new(&context.get().inner, None, Mode::Automatic),
        }
    }
}

fn secret_comparison(py: Python<'_>, what: &str) -> PyErr {
    let message = format!("{what} is not known without the secret key; decrypt it first");
    Exception::new(py, "ComparisonError", message).error()
}

/// `1.6 kB`.
fn byte_text(bytes: u64) -> String {
    let value = bytes as f64;
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} kB", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", value / 1e6),
        _ => format!("{:.1} GB", value / 1e9),
    }
}
