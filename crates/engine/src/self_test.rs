//! The short form of the conformance suite, run when an engine opens.
//!
//! A processor, a device or a build that computes wrong residues is refused before it touches
//! anybody's data.

use crate::conformance::{self, Options};
use crate::engine::Engine;
use crate::error::{EngineError, Result};

/// Runs the quick suite on an engine: some tens of milliseconds on a processor.
///
/// # Errors
/// [`EngineError::SelfTest`] with the first check that failed.
pub fn run(engine: &dyn Engine) -> Result<()> {
    conformance::run_with(engine, &Options::quick()).map(|_| ()).map_err(|failure| {
        EngineError::SelfTest {
            engine: engine.capabilities().name.clone(),
            test: failure.to_string(),
        }
    })
}
