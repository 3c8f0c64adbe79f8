//! `cyclotron rtl run`: batches through a simulated device, equal to the processor bit for bit; the
//! cycles of the device and the time of the processor.
//!
//! The studies of `cyclotron report` take their figures from here (`--json`).

use super::bench::{Bench, Half, Measured};
use super::info::LOG_Q;
use crate::arguments::Global;
use crate::failure::Result;
use crate::output::{self, Output};
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use cyclotron_schemes::bfv_pow2::RUN_PLAINTEXTS;
use serde::Serialize;
use std::fmt::Write;

/// The clock at which cycles are shown as time: the paper's. No timing run stands behind it.
const ASSUMED_MHZ: f64 = 100.0;

/// Options of `rtl run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Device (cyclotron rtl info lists them)
    #[arg(long, value_name = "NAME", default_value = "bfv-crypt")]
    device: String,
    /// Degree of its configuration [default: the largest]
    #[arg(long, value_name = "N")]
    degree: Option<usize>,
    /// Bits of its plaintext modulus [default: its first]
    #[arg(long, value_name = "BITS")]
    log_t: Option<u32>,
    /// How many plaintexts or ciphertexts; several numbers for several measurements
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [RUN_PLAINTEXTS],
          value_parser = items)]
    items: Vec<usize>,
    /// What is done
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',',
          default_values_t = [Operation::Encrypt, Operation::Decrypt])]
    operation: Vec<Operation>,
    /// Draws keys, messages and seeds
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum Operation {
    Encrypt,
    Decrypt,
    /// Encryption with the paper's schedule and randomness (insecure)
    PaperEncrypt,
    /// Decryption with the paper's schedule
    PaperDecrypt,
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Encrypt => "encrypt",
            Self::Decrypt => "decrypt",
            Self::PaperEncrypt => "paper-encrypt",
            Self::PaperDecrypt => "paper-decrypt",
        })
    }
}

/// One measurement.
#[derive(Debug, Serialize)]
struct Row {
    operation: Operation,
    #[serde(flatten)]
    measured: Measured,
}

#[derive(Debug, Serialize)]
struct Report {
    device: String,
    description: String,
    simulated: bool,
    processor: String,
    degree: usize,
    log_q: u32,
    log_t: u32,
    rows: Vec<Row>,
}

fn items(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(items @ 1..=4096) => Ok(items),
        _ => Err("a number from 1 to 4096".to_owned()),
    }
}

/// Runs and compares.
pub fn run(global: &Global, arguments: &RunArguments) -> Result<Output> {
    let (degree, log_t) = configuration(arguments)?;
    let mut bench = Bench::open(&arguments.device, degree, log_t, arguments.seed)?;
    let description = bench.device_description();
    let steps = arguments.items.len() * arguments.operation.len();
    let progress = Progress::new(global, "measurements", steps);
    let mut rows = Vec::with_capacity(steps);
    for &operation in &arguments.operation {
        for &items in &arguments.items {
            let measured = match operation {
                Operation::Encrypt => bench.encrypt(items)?,
                Operation::Decrypt => bench.decrypt(items)?,
                Operation::PaperEncrypt => bench.paper(items, Half::Encryption)?,
                Operation::PaperDecrypt => bench.paper(items, Half::Decryption)?,
            };
            rows.push(Row { operation, measured });
            progress.step();
        }
    }
    drop(progress);
    let report = Report {
        device: arguments.device.clone(),
        description: description.name,
        simulated: description.simulated,
        processor: bench.processor_name(),
        degree,
        log_q: LOG_Q,
        log_t,
        rows,
    };
    Output::report(&report, human(&report))
}

/// The degree and `log2 t` asked for, or those of the listing.
fn configuration(arguments: &RunArguments) -> Result<(usize, u32)> {
    // A full model name such as bfv-crypt:toy16 belongs to the device before the colon.
    let family = arguments.device.split(':').next().unwrap_or_default();
    let listing = cyclotron_devices::devices().into_iter().find(|device| device.name == family);
    let degree = listing.as_ref().and_then(|listing| listing.degrees.iter().max().copied());
    let log_t = listing.as_ref().and_then(|listing| listing.log_t.first().copied());
    let degree = arguments.degree.or(degree).unwrap_or(1024);
    Ok((degree, arguments.log_t.or(log_t).unwrap_or(8)))
}

fn human(report: &Report) -> String {
    let mut text = format!(
        "{} ({}), n = {}, q = 2^{}, t = 2^{}; compared with the {}: every word equal\n",
        report.device,
        report.description,
        report.degree,
        report.log_q,
        report.log_t,
        report.processor
    );
    let mut table = output::table(
        ["", "items", "cycles", "an item", "transfer", "us at 100 MHz", "us processor"],
        &[1, 2, 3, 4, 5, 6],
    );
    for Row { operation, measured } in &report.rows {
        let items = measured.items as f64;
        let count = |cycles: Option<u64>| cycles.map_or_else(|| "-".to_owned(), |c| c.to_string());
        let each = |digits, scale: f64| {
            move |cycles: Option<u64>| {
                let value = cycles.map(|cycles| cycles as f64 / items / scale);
                value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
            }
        };
        table.add_row([
            operation.to_string(),
            measured.items.to_string(),
            count(measured.compute_cycles),
            each(1, 1.0)(measured.compute_cycles),
            count(measured.transfer_cycles),
            each(2, ASSUMED_MHZ)(measured.compute_cycles),
            measured
                .processor_seconds
                .map_or_else(|| "-".to_owned(), |seconds| format!("{:.2}", seconds * 1e6 / items)),
        ]);
    }
    let _ = write!(
        text,
        "{}\nus are an item: the device's without transfers, at an assumed clock of \
         {ASSUMED_MHZ} MHz;\n\
         the processor's on one thread",
        output::render(&mut table)
    );
    text
}
