//! `cyclotron.pow2`: BFV modulo a power of two, on the processor or a device.
//!
//! * [`context`]: parameters; [`keys`], [`secret`]; [`ciphertext`]: vectors and their operators;
//! * [`shared`]: what every object of a context shares, and the devices that wait for work.
//!
//! Classes are called `Pow2Context` and so on in the native module, and `cyclotron.pow2.Context`
//! for users.

pub mod ciphertext;
pub mod context;
pub mod keys;
pub mod secret;
pub mod shared;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Adds the classes and functions to the native module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Pow2Context", py.get_type::<context::Pow2Context>())?;
    module.add("Pow2Keys", py.get_type::<keys::Pow2Keys>())?;
    module.add("Pow2SecretKey", py.get_type::<secret::Pow2SecretKey>())?;
    module.add("Pow2PublicKey", py.get_type::<keys::Pow2PublicKey>())?;
    module.add("Pow2RelinearizationKey", py.get_type::<keys::Pow2RelinearizationKey>())?;
    module.add("Pow2Ciphertext", py.get_type::<ciphertext::Pow2Ciphertext>())?;
    module.add("Pow2Cost", py.get_type::<shared::Pow2Cost>())?;
    module.add_function(wrap_pyfunction!(context::pow2_presets, module)?)?;
    module.add_function(wrap_pyfunction!(pow2_devices, module)?)?;
    Ok(())
}

/// The devices that `cyclotron.pow2` encrypts and decrypts on, as a list of dictionaries: `name`,
/// `description`, `degrees` (empty: any), `log_q` (None: any), `log_t` (empty: any), `simulated`,
/// `available`, and `remedy` when it is not.
///
/// >>> cy.pow2.devices()[0]["name"]
/// 'cpu'
#[pyfunction]
pub fn pow2_devices(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for listing in cyclotron_devices::devices() {
        let entry = PyDict::new(py);
        entry.set_item("name", listing.name)?;
        entry.set_item("description", listing.description)?;
        entry.set_item("degrees", listing.degrees)?;
        entry.set_item("log_q", listing.log_q)?;
        entry.set_item("log_t", listing.log_t)?;
        entry.set_item("simulated", listing.simulated)?;
        entry.set_item("available", listing.available)?;
        entry.set_item("remedy", listing.remedy)?;
        list.append(entry)?;
    }
    Ok(list)
}
