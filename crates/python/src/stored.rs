//! Bytes, files and pickles of keys and ciphertexts, the same way for all of them.

use crate::errors::{self, Exception};
use crate::shared::Shared;
use cyclotron_schemes::files::{self, RecordInfo, Stored};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The bytes of an object.
pub fn to_bytes<'py, T: Stored + Sync>(
    py: Python<'py>,
    context: &Shared,
    object: &T,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = context.run(py, |vector| object.to_bytes(vector))?;
    Ok(PyBytes::new(py, &bytes))
}

/// An object from its bytes.
pub fn from_bytes<T: Stored + Send>(
    py: Python<'_>,
    context: &Shared,
    data: &PyBackedBytes,
) -> PyResult<T> {
    context.run(py, |vector| T::from_bytes(vector, data))
}

/// Writes an object to a file, whole or not at all.
pub fn save<T: Stored + Sync>(
    py: Python<'_>,
    context: &Shared,
    object: &T,
    path: &Path,
) -> PyResult<()> {
    context.run(py, |vector| object.save(vector, path))
}

/// An object from a file.
pub fn load<T: Stored + Send>(py: Python<'_>, context: &Shared, path: &Path) -> PyResult<T> {
    readable(path)?;
    context.run(py, |vector| T::load(vector, path))
}

/// Bytes of an object in a file.
pub fn size<T: Stored>(context: &Shared, object: &T) -> PyResult<u64> {
    object.size(&context.vector).map_err(errors::scheme)
}

/// Raises Python's own exception for a file that cannot be opened (`FileNotFoundError`,
/// `PermissionError`, ...).
pub fn readable(path: &Path) -> PyResult<()> {
    let Err(error) = File::open(path) else { return Ok(()) };
    Python::attach(|py| {
        let os_error = py.get_type::<pyo3::exceptions::PyOSError>();
        // OSError(errno, text, filename) picks its subclass by errno.
        let arguments = (error.raw_os_error(), error.to_string(), path);
        Err(PyErr::from_value(os_error.call1(arguments)?))
    })
}

/// What `__reduce__` returns for an object that is restored from its owner and its bytes.
pub fn reduce<'py>(
    object: &Bound<'py, PyAny>,
    owner: impl IntoPyObject<'py>,
    data: &Bound<'py, PyBytes>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = object.py();
    let restore = py.import("cyclotron._pickle")?.getattr("stored")?;
    PyTuple::new(py, [restore, (object.get_type(), owner, data).into_bound_py_any(py)?])
}

/// The refusal of everything that holds a secret to be pickled.
pub fn refuse_pickle(py: Python<'_>, class: &str) -> PyErr {
    let message = format!(
        "{class} holds a secret and is not pickled, because pickles are sent and cached unnoticed; \
         use SecretKey.save(path) or to_bytes(), and SecretKey.load(context, path) or from_bytes()"
    );
    Exception::new(py, "SecretPickleError", message).error()
}

/// What a file of this library, or the bytes of one, holds: a list of dictionaries, one a record:
/// `kind`, `version`, `parameters` (their identity), `bytes`, and what else the record says of
/// itself. Needs no key; what is said is checked against the checksum only.
///
/// Raises `OSError`, `FileFormatError` for what is not a whole file of this library.
///
/// >>> cy.inspect(keys.encrypt([1, 2, 3]).to_bytes())[0]["kind"]
/// 'ciphertext'
#[pyfunction]
pub fn inspect<'py>(py: Python<'py>, source: Source) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let records = match source {
        Source::Bytes(data) => py.detach(|| files::inspect(&mut &data[..])),
        Source::Path(path) => {
            readable(&path)?;
            py.detach(|| files::inspect_path(&path))
        }
    };
    let entry = |record: RecordInfo| {
        let entry = PyDict::new(py);
        entry.set_item("kind", record.kind.name())?;
        entry.set_item("version", record.version)?;
        let id = record.parameters.bytes().iter().map(|byte| format!("{byte:02x}"));
        entry.set_item("parameters", id.collect::<String>())?;
        entry.set_item("bytes", record.bytes)?;
        for (name, value) in record.summary {
            entry.set_item(name, value)?;
        }
        Ok(entry)
    };
    records.map_err(errors::scheme)?.into_iter().map(entry).collect()
}

/// Bytes, or the path of a file.
#[derive(FromPyObject)]
pub enum Source {
    /// Bytes.
    Bytes(PyBackedBytes),
    /// A path.
    Path(PathBuf),
}
