//! `cyclotron engines`: what computes here.

use crate::arguments::Global;
use crate::failure::Result;
use crate::output::{self, Output};
use crate::session;
use clap::Args;
use cyclotron_engine::{Engine, self_test};
use cyclotron_ring::SimdLevel;
use cyclotron_ring::simd::SIMD_VARIABLE;
use serde::Serialize;
use std::time::Instant;

/// No options of its own.
#[derive(Debug, Args)]
pub struct EnginesArguments {}

#[derive(Serialize)]
struct EngineReport {
    name: String,
    description: String,
    simd: &'static str,
    threads: usize,
    modulus_bits: u32,
    degrees: (usize, usize),
    self_test_seconds: f64,
}

#[derive(Serialize)]
struct Report {
    simd_available: Vec<&'static str>,
    simd_forced: Option<String>,
    engines: Vec<EngineReport>,
}

/// Opens the engines and tests them.
pub fn run(global: &Global) -> Result<Output> {
    let engine = session::engine(global)?;
    let start = Instant::now();
    self_test::run(&*engine)?;
    let elapsed = start.elapsed();
    let capabilities = engine.capabilities();
    let available: Vec<&str> = SimdLevel::available().into_iter().map(SimdLevel::name).collect();
    let forced = std::env::var(SIMD_VARIABLE).ok();

    let mut table =
        output::table(["engine", "SIMD", "threads", "moduli", "degrees", "self-test"], &[2]);
    let (least, most) = capabilities.degrees;
    table.add_row([
        capabilities.name.clone(),
        engine.simd().name().to_owned(),
        engine.threads().to_string(),
        format!("{} bits", capabilities.modulus_bits),
        format!("{least} ... {most}"),
        format!("passed in {}", output::seconds(elapsed)),
    ]);
    let why = match &forced {
        Some(level) => format!("{SIMD_VARIABLE}={level}"),
        None => format!("{SIMD_VARIABLE} forces another"),
    };
    let human = format!(
        "{}\nSIMD levels: {}; chosen: {} ({why})",
        output::render(&mut table),
        available.join(", "),
        engine.simd()
    );
    let report = Report {
        simd_available: available,
        simd_forced: forced,
        engines: vec![EngineReport {
            name: capabilities.name.clone(),
            description: capabilities.description.clone(),
            simd: engine.simd().name(),
            threads: engine.threads(),
            modulus_bits: capabilities.modulus_bits,
            degrees: capabilities.degrees,
            self_test_seconds: elapsed.as_secs_f64(),
        }],
    };
    Output::report(&report, human)
}
