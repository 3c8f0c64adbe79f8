//! `cyclotron rtl run`: batches through a simulated device, equal to the processor bit for bit; the
//! cycles of the device and the time of the processor.
//!
//! The studies of `cyclotron report` take their figures from here (`--json`).

use super::bench::{Bench, Half, Measured};
use super::bgv;
use super::info::LOG_Q;
use crate::arguments::Global;
use crate::failure::{Failure, Result};
use crate::output::{self, Output};
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use cyclotron_schemes::bfv_pow2::RUN_PLAINTEXTS;
use cyclotron_schemes::bgv_word::Form;
use serde::Serialize;
use std::fmt::Write;

/// The clock at which cycles are shown as time: the paper's. No timing run stands behind it.
const ASSUMED_MHZ: f64 = 100.0;

/// The device when none is named.
const DEVICE: &str = "bfv-crypt";

/// Options of `rtl run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Device (cyclotron rtl info lists them) [default: bfv-crypt]; bgv-core without --operation runs
    /// leveled circuits
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The same
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    device: Option<String>,
    /// Degree of its configuration [default: the largest]
    #[arg(long, value_name = "N")]
    degree: Option<usize>,
    /// Bits of its plaintext modulus [default: its first]
    #[arg(long, value_name = "BITS")]
    log_t: Option<u32>,
    /// How many plaintexts, ciphertexts or commands; several numbers for several measurements
    /// [default: 16]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = items)]
    items: Vec<usize>,
    /// What is done [default: encrypt,decrypt]; the last six are bgv-core's
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',')]
    operation: Vec<Operation>,
    /// Transform units of bgv-core to use [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    units: Option<u32>,
    /// How bgv-core keeps results between commands; it changes no word [default: coefficients]
    #[arg(long, value_name = "FORM")]
    form: Option<KeptForm>,
    /// Use the sets of bgv-core's paper, which are not secure
    #[arg(long)]
    acknowledge_insecure: bool,
    /// Draws keys, messages and seeds
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeptForm {
    Coefficients,
    Evaluations,
}

impl From<KeptForm> for Form {
    fn from(form: KeptForm) -> Self {
        match form {
            KeptForm::Coefficients => Self::Coefficients,
            KeptForm::Evaluations => Self::Evaluations,
        }
    }
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
    Add,
    Multiply,
    KeySwitch,
    ModSwitch,
    /// Two encryptions, their sum, its decryption
    AddChain,
    /// Two encryptions, their product, its key switch, its decryption
    MultiplyChain,
}

impl Operation {
    /// As an operation of the BGV device; none for those of the BFV devices alone.
    const fn of_bgv(self) -> Option<bgv::Operation> {
        Some(match self {
            Self::Encrypt => bgv::Operation::Encrypt,
            Self::Decrypt => bgv::Operation::Decrypt,
            Self::PaperEncrypt | Self::PaperDecrypt => return None,
            Self::Add => bgv::Operation::Add,
            Self::Multiply => bgv::Operation::Multiply,
            Self::KeySwitch => bgv::Operation::KeySwitch,
            Self::ModSwitch => bgv::Operation::ModSwitch,
            Self::AddChain => bgv::Operation::AddChain,
            Self::MultiplyChain => bgv::Operation::MultiplyChain,
        })
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.to_possible_value() {
            Some(value) => f.write_str(value.get_name()),
            None => Ok(()),
        }
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
    let device = arguments.name.as_deref().or(arguments.device.as_deref()).unwrap_or(DEVICE);
    if bgv::is_named(device) {
        return run_bgv(global, device, arguments);
    }
    for (given, option) in
        [(arguments.units.is_some(), "--units"), (arguments.form.is_some(), "--form")]
    {
        if given {
            return Err(unfit(device, option, "leave it out"));
        }
    }
    let default = [Operation::Encrypt, Operation::Decrypt];
    let operations = given_or(&arguments.operation, &default);
    let items = given_or(&arguments.items, &[RUN_PLAINTEXTS]);
    let (degree, log_t) = configuration(device, arguments);
    let mut bench = Bench::open(device, degree, log_t, arguments.seed)?;
    let description = bench.device_description();
    let steps = items.len() * operations.len();
    let progress = Progress::new(global, "measurements", steps);
    let mut rows = Vec::with_capacity(steps);
    for &operation in operations {
        for &items in items {
            let measured = match operation {
                Operation::Encrypt => bench.encrypt(items)?,
                Operation::Decrypt => bench.decrypt(items)?,
                Operation::PaperEncrypt => bench.paper(items, Half::Encryption)?,
                Operation::PaperDecrypt => bench.paper(items, Half::Decryption)?,
                _ => {
                    let remedy = format!("encrypt or decrypt, or the device {}", bgv::DEVICE);
                    return Err(unfit(device, &format!("--operation {operation}"), &remedy));
                }
            };
            rows.push(Row { operation, measured });
            progress.step();
        }
    }
    drop(progress);
    let report = Report {
        device: device.to_owned(),
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

/// The BGV accelerator: circuits, or the operations that were named.
fn run_bgv(global: &Global, device: &str, arguments: &RunArguments) -> Result<Output> {
    let &RunArguments { acknowledge_insecure: acknowledged, seed, .. } = arguments;
    let form = arguments.form.map_or(Form::default(), Form::from);
    for (given, option) in
        [(arguments.degree.is_some(), "--degree"), (arguments.log_t.is_some(), "--log-t")]
    {
        if given {
            let remedy = "name a configuration, such as bgv-core:toy16 (cyclotron rtl info)";
            return Err(unfit(device, option, remedy));
        }
    }
    if arguments.operation.is_empty() {
        for (given, option) in
            [(!arguments.items.is_empty(), "--items"), (arguments.units.is_some(), "--units")]
        {
            if given {
                return Err(unfit(device, option, "--operation says what is counted"));
            }
        }
        return bgv::run_example(global, device, acknowledged, seed, form);
    }
    let mut operations = Vec::with_capacity(arguments.operation.len());
    for operation in &arguments.operation {
        let option = || format!("--operation {operation}");
        let found = operation.of_bgv();
        operations.push(found.ok_or_else(|| unfit(device, &option(), "encrypt or decrypt"))?);
    }
    let request = bgv::Request {
        device,
        acknowledged,
        seed,
        items: given_or(&arguments.items, &[RUN_PLAINTEXTS]),
        operations,
        units: arguments.units.unwrap_or(0),
        form,
    };
    bgv::run_operations(global, &request)
}

fn given_or<'a, T>(given: &'a [T], default: &'a [T]) -> &'a [T] {
    if given.is_empty() { default } else { given }
}

/// An option that is another device's.
fn unfit(device: &str, option: &str, remedy: &str) -> Failure {
    Failure::usage("usage", format!("device `{device}` has no {option}")).remedy(remedy)
}

/// The degree and `log2 t` asked for, or those of the listing.
fn configuration(device: &str, arguments: &RunArguments) -> (usize, u32) {
    // A full model name such as bfv-crypt:toy16 belongs to the device before the colon.
    let family = device.split(':').next().unwrap_or_default();
    let listing = cyclotron_devices::devices().into_iter().find(|device| device.name == family);
    let degree = listing.as_ref().and_then(|listing| listing.degrees.iter().max().copied());
    let log_t = listing.as_ref().and_then(|listing| listing.log_t.first().copied());
    let degree = arguments.degree.or(degree).unwrap_or(1024);
    (degree, arguments.log_t.or(log_t).unwrap_or(8))
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
