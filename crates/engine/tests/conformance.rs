//! The conformance suite on the CPU engine: every SIMD level that this machine has, one thread and
//! several, and the level that `CYCLOTRON_SIMD` names.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what it demands")]

use cyclotron_engine::conformance::{Options, Report, run_with};
use cyclotron_engine::{CpuEngine, Engine};
use cyclotron_ring::SimdLevel;

/// All degrees, one ring for each: all widths of moduli together.
fn brief() -> Options {
    Options { each_width: false, ..Options::default() }
}

fn passed(engine: &dyn Engine, options: &Options) -> Report {
    let report = run_with(engine, options).unwrap_or_else(|failure| panic!("{failure}"));
    let rings = options.degrees.len() as u64 * if options.each_width { 4 } else { 1 };
    assert!(report.comparisons() > 250 * rings && report.refusals() > 80 * rings, "{report}");
    report
}

/// The Makefile runs this once for each level, through the environment.
#[test]
fn conformance_of_the_engine_that_opens() {
    let engine = CpuEngine::open().unwrap();
    assert_eq!(engine.simd(), SimdLevel::from_environment().unwrap());
    passed(&*engine, &Options::default());
}

#[test]
fn conformance_of_every_level_and_thread_count_is_one_transcript() {
    let mut transcripts = Vec::new();
    for level in SimdLevel::available() {
        for threads in [1, 2] {
            let engine = CpuEngine::builder().simd(level).threads(threads).open().unwrap();
            assert_eq!((engine.simd(), engine.threads()), (level, threads));
            transcripts.push(passed(&*engine, &brief()).transcript());
        }
    }
    assert!(transcripts.iter().all(|&t| t == transcripts[0]), "{transcripts:x?}");
}

#[test]
fn conformance_depends_on_the_seed_alone() {
    let engine = CpuEngine::builder().threads(1).open().unwrap();
    let with = |seed| {
        let options = Options { seed, ..Options::quick() };
        run_with(&*engine, &options).unwrap().transcript()
    };
    assert_eq!(with(3), with(3));
    assert_ne!(with(3), with(4));
}

#[test]
fn conformance_within_a_memory_limit() {
    let engine = CpuEngine::builder().threads(1).memory_limit(64 << 20).open().unwrap();
    let report = passed(&*engine, &brief());
    assert!(!report.skipped().contains_key("memory limit"), "{report}");
    assert!(engine.peak_bytes() <= 64 << 20);
    assert_eq!(engine.bytes_in_use(), 0, "the suite has dropped every buffer");
}

#[test]
fn conformance_says_what_it_skips() {
    let engine = CpuEngine::builder().threads(1).open().unwrap();
    let options = Options { degrees: vec![8, 1 << 20], ..Options::quick() };
    let report = run_with(&*engine, &options).unwrap();
    assert!(report.skipped().contains_key("degree 1048576"), "{report}");
    assert!(report.to_string().contains("skipped degree 1048576"));
}
