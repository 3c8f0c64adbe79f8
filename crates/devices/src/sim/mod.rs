//! Simulated devices: models that Verilator made from the RTL, inside this process.
//!
//! [`SimModel`] lists the models of this build and finds one by name; [`SimBus`] is a running one.
//! Without the feature `sim` the list is empty and opening one is a typed error.

#[cfg(feature = "sim")]
mod ffi;
#[cfg(feature = "sim")]
mod models;

#[cfg(not(feature = "sim"))]
mod absent;

#[cfg(feature = "sim")]
pub use ffi::SimBus;
#[cfg(feature = "sim")]
pub use models::SimModel;
#[cfg(feature = "sim")]
pub(crate) use models::build_with;

#[cfg(not(feature = "sim"))]
pub(crate) use absent::build_with;
#[cfg(not(feature = "sim"))]
pub use absent::{SimBus, SimModel};
