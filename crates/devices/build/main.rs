//! Makes the simulated devices: RTL through Verilator and the C++ compiler into static libraries.
//!
//! Without the feature `sim` there is nothing to do and neither tool is needed.

#[cfg(feature = "sim")]
mod cores;
#[cfg(feature = "sim")]
mod models;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    #[cfg(feature = "sim")]
    models::build_all()?;
    Ok(())
}
