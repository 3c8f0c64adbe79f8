//! `cyclotron.bgv_word`: leveled BGV circuits on devices, a list of commands at a time.
//!
//! * [`context`]: parameters and keys; [`device`]: what runs commands, and ciphertexts outside of it.
//!
//! Classes are called `BgvContext` and so on in the native module, and `cyclotron.bgv_word.Context`
//! for users.

pub mod context;
pub mod device;

use cyclotron_schemes::bgv_word::PRESETS;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Adds the classes and functions to the native module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("BgvContext", py.get_type::<context::BgvContext>())?;
    module.add("BgvKeys", py.get_type::<context::BgvKeys>())?;
    module.add("BgvDevice", py.get_type::<device::BgvDevice>())?;
    module.add("BgvCiphertext", py.get_type::<device::BgvCiphertext>())?;
    module.add_function(wrap_pyfunction!(bgv_presets, module)?)?;
    module.add_function(wrap_pyfunction!(bgv_devices, module)?)?;
    Ok(())
}

/// Names of all parameter sets that `bgv_word.Context` knows.
///
/// >>> cy.bgv_word.presets()[0]
/// 'PAPER_128'
#[pyfunction]
fn bgv_presets() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// The devices that run circuits, as a list of dictionaries: `name`, `description`,
/// `configurations` (what it is built for: a list of dictionaries with `name`, `degree`, `factors`,
/// `digit_bits`; empty: any parameters), `simulated`, `available`, and `remedy` when it is not.
///
/// >>> cy.bgv_word.devices()[0]["name"]
/// 'cpu'
#[pyfunction]
fn bgv_devices(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for listing in cyclotron_devices::bgv_devices() {
        let configurations = PyList::empty(py);
        for built in listing.configurations {
            let entry = PyDict::new(py);
            entry.set_item("name", built.name)?;
            entry.set_item("degree", built.degree)?;
            entry.set_item("factors", built.factors)?;
            entry.set_item("digit_bits", built.digit_bits)?;
            configurations.append(entry)?;
        }
        let entry = PyDict::new(py);
        entry.set_item("name", listing.name)?;
        entry.set_item("description", listing.description)?;
        entry.set_item("configurations", configurations)?;
        entry.set_item("simulated", listing.simulated)?;
        entry.set_item("available", listing.available)?;
        entry.set_item("remedy", listing.remedy)?;
        list.append(entry)?;
    }
    Ok(list)
}
