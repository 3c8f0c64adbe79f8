//! `cyclotron engines`: what computes here, and the devices that encrypt and decrypt.

use crate::arguments::Global;
use crate::failure::Result;
use crate::output::{self, Output};
use crate::session;
use clap::Args;
use cyclotron_devices::DeviceListing;
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
struct DeviceRow {
    name: &'static str,
    description: &'static str,
    /// Empty for any.
    degrees: Vec<usize>,
    /// None for any.
    log_q: Option<u32>,
    /// Empty for any.
    log_t: Vec<u32>,
    simulated: bool,
    available: bool,
    remedy: Option<String>,
}

#[derive(Serialize)]
struct Report {
    simd_available: Vec<&'static str>,
    simd_forced: Option<String>,
    engines: Vec<EngineReport>,
    devices: Vec<DeviceRow>,
}

fn devices() -> Vec<DeviceRow> {
    let row = |listing: DeviceListing| DeviceRow {
        name: listing.name,
        description: listing.description,
        degrees: listing.degrees,
        log_q: listing.log_q,
        log_t: listing.log_t,
        simulated: listing.simulated,
        available: listing.available,
        remedy: listing.remedy,
    };
    cyclotron_devices::devices().into_iter().map(row).collect()
}

fn device_table(rows: &[DeviceRow]) -> String {
    let any = |texts: Vec<String>| {
        if texts.is_empty() { "any".to_owned() } else { texts.join(", ") }
    };
    let mut table = output::table(["device", "degrees", "q", "t", "what", "there"], &[]);
    for row in rows {
        let power = |log: &u32| format!("2^{log}");
        let there = match (row.available, &row.remedy) {
            (true, _) => "yes".to_owned(),
            (false, Some(remedy)) => format!("no: {remedy}"),
            (false, None) => "no".to_owned(),
        };
        table.add_row([
            row.name.to_owned(),
            any(row.degrees.iter().map(ToString::to_string).collect()),
            any(row.log_q.iter().map(power).collect()),
            any(row.log_t.iter().map(power).collect()),
            row.description.to_owned(),
            there,
        ]);
    }
    output::render(&mut table)
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
    let devices = devices();
    let why = match &forced {
        Some(level) => format!("{SIMD_VARIABLE}={level}"),
        None => format!("{SIMD_VARIABLE} forces another"),
    };
    let human = format!(
        "{}\nSIMD levels: {}; chosen: {} ({why})\n\n{}",
        output::render(&mut table),
        available.join(", "),
        engine.simd(),
        device_table(&devices)
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
        devices,
    };
    Output::report(&report, human)
}
