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
/// [`EngineError::SelfTest`] with the first check that failed; [`EngineError::OutOfMemory`] as it
/// is, because an engine with too little memory is not one that computes wrongly.
pub fn run(engine: &dyn Engine) -> Result<()> {
    let Err(failure) = conformance::run_with(engine, &Options::quick()) else { return Ok(()) };
    let test = failure.to_string();
    match failure.error.map(|error| *error) {
        Some(error @ EngineError::OutOfMemory { .. }) => Err(error),
        _ => Err(EngineError::SelfTest { engine: engine.capabilities().name.clone(), test }),
    }
}

#[cfg(test)]
mod tests {
    use crate::{CpuEngine, EngineError};

    #[test]
    fn too_little_memory_is_not_called_a_wrong_result() {
        let refused = CpuEngine::builder().threads(1).memory_limit(1 << 10).open();
        assert!(matches!(refused, Err(EngineError::OutOfMemory { .. })), "{refused:?}");
    }
}
