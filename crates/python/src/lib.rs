//! The native half of the Python package `cyclotron`.

use pyo3::prelude::*;

/// The native module behind `import cyclotron`.
#[pymodule]
fn _native(_module: &Bound<'_, PyModule>) -> PyResult<()> {
    Ok(())
}
