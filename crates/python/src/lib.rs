//! The native half of the Python package `cyclotron`: the schemes of `cyclotron-schemes` for numpy
//! users.
//!
//! * [`context`], [`options`]: parameters on an engine, and how they are given; [`shared`]: what
//!   every object of a context shares; [`engines`]: the engine's options;
//! * [`keys`], [`secret`]: keys, encryption, decryption; [`evaluator`]: who computes,
//!   with which keys;
//! * [`ciphertext`]: encrypted vectors and their operators;
//! * [`pow2`]: BFV modulo a power of two, and the devices that encrypt and decrypt it;
//! * [`bgv_word`]: leveled circuits of BGV, on devices;
//! * [`sim_bus`]: simulated devices, word by word;
//! * [`arrays`]: numpy arrays in and out; [`stored`]: bytes, files, pickle; [`errors`]: exceptions.
//!
//! Every class is immutable (`frozen`) and may be used from several threads at once; the GIL is
//! released in everything that computes. Doc comments of classes and methods are the docstrings
//! that Python shows; `python/cyclotron/_native.pyi` has the types.

mod arrays;
mod bgv_word;
mod ciphertext;
mod context;
mod engines;
mod errors;
mod evaluator;
mod keys;
mod options;
mod pow2;
mod secret;
mod shared;
mod sim_bus;
mod stored;

use pyo3::prelude::*;

/// The native module behind `import cyclotron`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<context::Context>()?;
    module.add_class::<keys::Keys>()?;
    module.add_class::<secret::SecretKey>()?;
    module.add_class::<keys::PublicKey>()?;
    module.add_class::<keys::EvaluationKeys>()?;
    module.add_class::<evaluator::Evaluator>()?;
    module.add_class::<ciphertext::Ciphertext>()?;
    module.add_function(wrap_pyfunction!(engines::engines, module)?)?;
    module.add_function(wrap_pyfunction!(context::presets, module)?)?;
    module.add_function(wrap_pyfunction!(stored::inspect, module)?)?;
    pow2::register(module)?;
    bgv_word::register(module)?;
    module.add_class::<sim_bus::SimBus>()?;
    Ok(())
}
