//! Integers between numpy and Rust.
//!
//! `int64` and `uint64` arrays that are contiguous, aligned and in native byte order are used where
//! they stand, read-only ones too; other integer arrays are converted by numpy; Python integers
//! and object arrays of them are read one by one, up to 126 bits. Everything else is refused by
//! dtype and shape, with the remedy.

use crate::errors::Exception;
use cyclotron_schemes::vector::Values;
use numpy::{
    PyArray1, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyList, PyTuple};

/// Integers given from Python.
pub enum Integers<'py> {
    /// An `int64` array where it stands.
    Signed(PyReadonlyArray1<'py, i64>),
    /// A `uint64` array where it stands.
    Unsigned(PyReadonlyArray1<'py, u64>),
    /// Python integers.
    Wide(Vec<i128>),
}

/// Whether a single number will do (for one in every place), or a vector is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accept {
    /// Only one-dimensional data.
    Vectors,
    /// A number too.
    Numbers,
}

impl<'py> Integers<'py> {
    /// Reads integers; `None` for objects that are not numbers or sequences of them. `range` is
    /// what the context holds: it names the bounds for integers that not even 128 bits can hold.
    pub fn read(
        object: &Bound<'py, PyAny>,
        accept: Accept,
        range: (i128, i128),
    ) -> PyResult<Option<Self>> {
        let py = object.py();
        if object.cast::<PyInt>().is_ok() {
            return match accept {
                Accept::Numbers => Ok(Some(Self::Wide(vec![integer(object, 0, range)?]))),
                Accept::Vectors => Err(refuse_shape(
                    "int",
                    PyTuple::empty(py).as_any(),
                    "put it in a list: [value]",
                )),
            };
        }
        if object.cast::<PyFloat>().is_ok() || object.cast::<PyComplex>().is_ok() {
            let name = object.get_type().name()?.to_string();
            return Err(refuse_dtype(&name, PyTuple::empty(py).as_any(), ROUND));
        }
        if let Ok(list) = object.cast::<PyList>() {
            return Self::from_items(list.iter(), range).map(Some);
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return Self::from_items(tuple.iter(), range).map(Some);
        }
        if object.cast::<PyUntypedArray>().is_err() && !object.hasattr("__array__")? {
            return Ok(None);
        }
        let array = py.import("numpy")?.call_method1("asarray", (object,))?;
        Self::from_array(array.cast_into::<PyUntypedArray>()?, accept, range).map(Some)
    }

    fn from_array(
        array: Bound<'py, PyUntypedArray>,
        accept: Accept,
        range: (i128, i128),
    ) -> PyResult<Self> {
        let py = array.py();
        let dtype = array.dtype();
        let name = dtype.str()?.to_string();
        let shape = array.getattr("shape")?;
        let target = match dtype.kind() {
            b'i' | b'b' => "int64",
            b'u' => "uint64",
            b'O' => "object",
            b'f' => return Err(refuse_float(&array, &name, &shape)?),
            b'c' => return Err(refuse_dtype(&name, &shape, ROUND)),
            _ => return Err(refuse_dtype(&name, &shape, "give an integer array")),
        };
        match array.ndim() {
            0 if accept == Accept::Numbers => {
                return Ok(Self::Wide(vec![integer(&array.call_method0("item")?, 0, range)?]));
            }
            0 => return Err(refuse_shape(&name, &shape, "put it in an array of one value")),
            1 => {}
            _ => {
                let remedy = "encrypt row by row, [keys.encrypt(row) for row in x], or all in \
                              one, x.ravel()";
                return Err(refuse_shape(&name, &shape, remedy));
            }
        }
        if target == "object" {
            let items = array.call_method0("tolist")?.cast_into::<PyList>()?;
            return Self::from_items(items.iter(), range);
        }
        // Returns the array itself when it is as required.
        let array = py.import("numpy")?.call_method1("require", (array, target, "CA"))?;
        if target == "int64" {
            Ok(Self::Signed(array.cast::<PyArray1<i64>>()?.try_readonly()?))
        } else {
            Ok(Self::Unsigned(array.cast::<PyArray1<u64>>()?.try_readonly()?))
        }
    }

    fn from_items(
        items: impl Iterator<Item = Bound<'py, PyAny>>,
        range: (i128, i128),
    ) -> PyResult<Self> {
        let values = items.enumerate().map(|(index, item)| integer(&item, index, range));
        values.collect::<PyResult<_>>().map(Self::Wide)
    }

    /// What the schemes take.
    pub fn values(&self) -> PyResult<Values<'_>> {
        Ok(match self {
            Self::Signed(array) => Values::I64(array.as_slice()?),
            Self::Unsigned(array) => Values::U64(array.as_slice()?),
            Self::Wide(values) => Values::I128(values),
        })
    }

    /// Whether the type is a signed one; Python integers are.
    pub fn is_signed(&self) -> bool {
        !matches!(self, Self::Unsigned(_))
    }
}

/// Decrypted integers as an array: `int64` when all fit, else `uint64` when all fit, else an object
/// array of Python integers.
pub fn to_numpy(py: Python<'_>, values: Vec<i128>) -> PyResult<Bound<'_, PyAny>> {
    if let Some(words) = all(&values, |v| i64::try_from(v).ok()) {
        return PyArray1::from_vec(py, words).into_bound_py_any(py);
    }
    if let Some(words) = all(&values, |v| u64::try_from(v).ok()) {
        return PyArray1::from_vec(py, words).into_bound_py_any(py);
    }
    let list = PyList::new(py, values)?;
    py.import("numpy")?.call_method1("array", (list, "object"))
}

fn all<T>(values: &[i128], f: impl Fn(i128) -> Option<T>) -> Option<Vec<T>> {
    values.iter().map(|&value| f(value)).collect()
}

/// One integer: a Python int or numpy integer.
fn integer(item: &Bound<'_, PyAny>, index: usize, range: (i128, i128)) -> PyResult<i128> {
    let py = item.py();
    let failed = match item.extract::<i128>() {
        Ok(value) => return Ok(value),
        Err(failed) => failed,
    };
    if failed.is_instance_of::<PyOverflowError>(py) {
        let (min, max) = range;
        let message = format!(
            "value {} at index {index} is outside [{min}, {max}]; use a larger plaintext modulus",
            item.str()?
        );
        return Err(Exception::new(py, "ValueOutOfRangeError", message)
            .with("index", index)
            .with("value", item)
            .with("min", min)
            .with("max", max)
            .error());
    }
    let name = item.get_type().name()?.to_string();
    let message = format!("value {} at index {index} is a {name}; {ROUND}", item.repr()?);
    Err(Exception::new(py, "ArrayError", message)
        .with("dtype", name)
        .with("index", index)
        .with("remedy", ROUND)
        .error())
}

const ROUND: &str = "integers are needed: scale and round, np.round(x * 10**k).astype(np.int64), \
                     and divide what is decrypted by the scale";

fn refuse_float(
    array: &Bound<'_, PyUntypedArray>,
    dtype: &str,
    shape: &Bound<'_, PyAny>,
) -> PyResult<PyErr> {
    let finite = array.py().import("numpy")?.call_method1("isfinite", (array,))?;
    let finite: bool = finite.call_method0("all")?.extract()?;
    let remedy =
        if finite { ROUND.to_owned() } else { format!("it holds NaN or infinity, and {ROUND}") };
    Ok(refuse_dtype(dtype, shape, &remedy))
}

fn refuse_dtype(dtype: &str, shape: &Bound<'_, PyAny>, remedy: &str) -> PyErr {
    refuse(format!("dtype {dtype}, shape {shape}: {remedy}"), dtype, shape, remedy)
}

fn refuse_shape(dtype: &str, shape: &Bound<'_, PyAny>, remedy: &str) -> PyErr {
    let message = format!("shape {shape}, dtype {dtype}: one dimension is needed; {remedy}");
    refuse(message, dtype, shape, remedy)
}

fn refuse(message: String, dtype: &str, shape: &Bound<'_, PyAny>, remedy: &str) -> PyErr {
    Exception::new(shape.py(), "ArrayError", message)
        .with("dtype", dtype)
        .with("shape", shape)
        .with("remedy", remedy)
        .error()
}
