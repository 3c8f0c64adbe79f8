//! The suite that every engine passes, bit for bit.
//!
//! [`run`] drives an engine through the [`Engine`] trait alone and compares every result, in the
//! coefficient domain, with plain scalar code of its own. Degrees and widths of moduli follow the
//! engine's [`crate::Capabilities`]; what an engine has not is skipped, and the [`Report`] says so.
//!
//! The data are deterministic, so two engines that pass have the same [`Report::transcript`], a
//! hash of everything that was read back, if they ran the same checks.
//!
//! ```
//! let engine = cyclotron_engine::CpuEngine::builder().threads(1).open()?;
//! let options = cyclotron_engine::conformance::Options::quick();
//! match cyclotron_engine::conformance::run_with(&*engine, &options) {
//!     Ok(report) => println!("{report}"),
//!     Err(failure) => println!("{failure}"),
//! }
//! # Ok::<(), cyclotron_engine::EngineError>(())
//! ```

mod arithmetic;
mod automorphisms;
mod composites;
mod conversions;
mod digits;
mod fixture;
mod memory;
mod misuse;
mod queues;
mod reference;
mod report;
mod transforms;
mod trial;

pub use report::{Failure, Report};

use crate::engine::Engine;
use fixture::Fixture;
use trial::Trial;

/// How much to test.
#[derive(Debug, Clone)]
pub struct Options {
    /// Degrees to test; those that the engine has not are skipped.
    pub degrees: Vec<usize>,
    /// Whether to test each width of modulus on its own, besides all of them in one ring.
    pub each_width: bool,
    /// Where the data start from; the same seed gives the same transcript.
    pub seed: u64,
}

impl Default for Options {
    /// The whole suite: the smallest degree, a middle one, and one beyond the block sizes that
    /// engines cut polynomials into.
    fn default() -> Self {
        Self { degrees: vec![8, 128, 8192], each_width: true, seed: 1 }
    }
}

impl Options {
    /// A few milliseconds: the self-test of an engine that opens.
    #[must_use]
    pub fn quick() -> Self {
        Self { degrees: vec![8, 64], each_width: false, seed: 2 }
    }
}

/// One subject of the suite.
type Subject = fn(&mut Trial<'_>) -> Result<(), Failure>;

const SUBJECTS: [(&str, Subject); 9] = [
    ("memory", memory::run),
    ("queues", queues::run),
    ("transforms", transforms::run),
    ("arithmetic", arithmetic::run),
    ("automorphisms", automorphisms::run),
    ("conversions", conversions::run),
    ("digits", digits::run),
    ("composites", composites::run),
    ("misuse", misuse::run),
];

/// The whole suite.
///
/// # Errors
/// The first [`Failure`].
pub fn run(engine: &dyn Engine) -> Result<Report, Failure> {
    run_with(engine, &Options::default())
}

/// The suite with options.
///
/// # Errors
/// The first [`Failure`].
pub fn run_with(engine: &dyn Engine, options: &Options) -> Result<Report, Failure> {
    let capabilities = engine.capabilities();
    let mut report = Report::new(&capabilities.name);
    let (smallest, largest) = capabilities.degrees;
    for &degree in &options.degrees {
        if !(smallest..=largest).contains(&degree) {
            let reason = format!("the engine's degrees are {smallest} to {largest}");
            report.skip(&format!("degree {degree}"), reason);
            continue;
        }
        for fixture in Fixture::all(degree, capabilities.modulus_bits, options.each_width) {
            let (name, fixture) = fixture;
            match fixture {
                Ok(fixture) => {
                    for (subject, check) in SUBJECTS {
                        let mut trial = Trial::new(engine, &fixture, &mut report, options.seed);
                        if let Err(failure) = check(&mut trial) {
                            let step = trial.step();
                            return Err(failure.during(&format!("{subject}: {step}"), &name));
                        }
                    }
                }
                Err(reason) => report.skip(&name, reason.to_string()),
            }
        }
    }
    Ok(report)
}
