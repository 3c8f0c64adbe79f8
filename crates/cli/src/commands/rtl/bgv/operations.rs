//! Many commands of one kind on the device: equal to the processor, and how many cycles.

use super::super::bench::{Fastest, Measured, measured, runs};
use super::{
    compare, configuration, generator, load, parameters, pipeline, random_message, refused, table,
};
use crate::arguments::Global;
use crate::failure::Result;
use crate::output::{self, Output};
use crate::progress::Progress;
use cyclotron_devices::{BgvConfiguration, BgvCore, Bus, SimBus, open_bgv_core};
use cyclotron_schemes::bfv_pow2::Cost;
use cyclotron_schemes::bgv_word::{
    BgvDevice, Command, CpuBgv, Form, KeySet, Refusal, WordCiphertext, WordContext, WordParameters,
};
use serde::Serialize;
use std::time::Instant;

/// The set that is measured; no count depends on it, nor on any data.
const PRESET: &str = "PAPER_128_P2";

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    Encrypt,
    Decrypt,
    Add,
    Multiply,
    KeySwitch,
    ModSwitch,
    /// Two encryptions, their sum, its decryption.
    AddChain,
    /// Two encryptions, their product, its key switch, its decryption.
    MultiplyChain,
}

/// What was asked for.
#[derive(Debug)]
pub struct Request<'a> {
    pub device: &'a str,
    pub acknowledged: bool,
    pub seed: u64,
    pub items: &'a [usize],
    pub operations: Vec<Operation>,
    /// Transform units to use; 0 for all.
    pub units: u32,
    /// How results are kept.
    pub form: Form,
}

#[derive(Debug, Serialize)]
struct Row {
    operation: Operation,
    #[serde(flatten)]
    measured: Measured,
}

/// Cycles in which the host carries things over the bus.
#[derive(Debug, Serialize)]
struct Carried {
    message: u64,
    ciphertext: u64,
    result: u64,
    keys: u64,
}

#[derive(Debug, Serialize)]
struct Report {
    device: String,
    description: String,
    simulated: bool,
    processor: String,
    degree: usize,
    factors: Vec<u64>,
    digit_bits: u32,
    /// 0: all.
    units: u32,
    form: &'static str,
    carried: Carried,
    rows: Vec<Row>,
}

/// Counts, compares, and times the processor.
pub fn run(global: &Global, request: &Request) -> Result<Output> {
    let built = configuration(request.device)?;
    let parameters = parameters(PRESET, built.degree, request.acknowledged)?;
    let mut bench = Bench::open(&built, &parameters, request)?;
    let carried = bench.carry()?;
    let steps = request.items.len() * request.operations.len();
    let progress = Progress::new(global, "measurements", steps);
    let mut rows = Vec::with_capacity(steps);
    for &operation in &request.operations {
        for &items in request.items {
            let measured = bench.measure(operation, items, request.form)?;
            rows.push(Row { operation, measured });
            progress.step();
        }
    }
    drop(progress);
    let report = Report {
        device: built.name.clone(),
        description: bench.device.describe().name,
        simulated: true,
        processor: bench.processor.describe().name,
        degree: built.degree,
        factors: built.factors,
        digit_bits: built.digit_bits,
        units: request.units,
        form: match request.form {
            Form::Coefficients => "coefficients",
            Form::Evaluations => "evaluations",
        },
        carried,
        rows,
    };
    Output::report(&report, human(&report))
}

/// The device, the processor that it is compared with, and one that is timed.
struct Bench {
    device: BgvCore<SimBus>,
    processor: CpuBgv,
    timed: CpuBgv,
    keys: KeySet,
    message: Vec<u64>,
}

impl Bench {
    fn open(
        built: &BgvConfiguration,
        parameters: &WordParameters,
        request: &Request,
    ) -> Result<Self> {
        let mut device = open_bgv_core(&built.name, parameters).map_err(refused)?;
        // For all that it runs, from the first program on.
        device.set_units(request.units);
        let context = WordContext::new(parameters)?;
        let [mut processor, mut timed, mut maker] =
            [(); 3].map(|()| CpuBgv::with_context(&context, CpuBgv::BUFFERS));
        let mut rng = generator(request.seed);
        load(&mut [&mut maker], &context, &mut rng)?;
        let mut all: [&mut dyn BgvDevice; 3] = [&mut device, &mut processor, &mut timed];
        let keys = load(&mut all, &context, &mut rng)?;
        let mut message = Vec::new();
        for buffer in pipeline::MESSAGES {
            message = random_message(parameters, &mut rng);
            maker.write_message(buffer, &message).map_err(refused)?;
            for device in &mut all {
                device.write_message(buffer, &message).map_err(refused)?;
            }
        }
        // No operand is a result of the device: a product wants more units than other commands do.
        maker.set_refusal(Refusal::Paper);
        maker.run(&pipeline::preparation()).map_err(refused)?;
        for device in &mut all {
            device.set_refusal(Refusal::Paper);
            for buffer in pipeline::OPERANDS {
                let operand = maker.read_ciphertext(buffer).map_err(refused)?;
                device.write_ciphertext(buffer, &operand).map_err(refused)?;
            }
        }
        Ok(Self { device, processor, timed, keys, message })
    }

    /// Cycles of the bus for what the host writes and reads.
    fn carry(&mut self) -> Result<Carried> {
        let [message, pair] = [pipeline::MESSAGES[1], pipeline::PAIRS[1]];
        let mut read: Option<WordCiphertext> = None;
        let result = self.cycles_of(|device, _| {
            read = Some(device.read_ciphertext(pair).map_err(refused)?);
            Ok(())
        })?;
        let ciphertext = self.cycles_of(|device, _| match &read {
            Some(words) => device.write_ciphertext(pair, words).map_err(refused),
            None => Ok(()),
        })?;
        let words = self.message.clone();
        let message =
            self.cycles_of(|device, _| device.write_message(message, &words).map_err(refused))?;
        let keys = self.cycles_of(|device, keys| device.load_keys(keys).map_err(refused))?;
        Ok(Carried { message, ciphertext, result, keys })
    }

    fn cycles_of(
        &mut self,
        work: impl FnOnce(&mut BgvCore<SimBus>, &KeySet) -> Result<()>,
    ) -> Result<u64> {
        let cycles = |device: &mut BgvCore<SimBus>| device.bus_mut().cycles().unwrap_or_default();
        let begin = cycles(&mut self.device);
        work(&mut self.device, &self.keys)?;
        Ok(cycles(&mut self.device) - begin)
    }

    fn measure(&mut self, operation: Operation, items: usize, form: Form) -> Result<Measured> {
        let most = pipeline::most(operation, self.device.describe().max_commands);
        let programs: Vec<Vec<Command>> = (0..runs(items, most))
            .map(|run| pipeline::program(operation, most.min(items - run * most), form))
            .collect();
        let mut cost = Cost::default();
        let mut seconds = 0.0;
        for program in &programs {
            let start = Instant::now();
            cost += self.device.run(program).map_err(refused)?;
            seconds += start.elapsed().as_secs_f64();
            self.processor.run(program).map_err(refused)?;
            self.compare(program)?;
        }
        let fastest = Fastest::of_passes(|fastest| {
            for (i, program) in programs.iter().enumerate() {
                fastest.time(i, || self.timed.run(program)).map_err(refused)?;
            }
            Ok(())
        })?;
        Ok(measured(items, programs.len(), cost, seconds, &fastest))
    }

    /// Demands the same words in every buffer that the program wrote.
    fn compare(&mut self, program: &[Command]) -> Result<()> {
        let mut last: Vec<Option<bool>> = vec![None; CpuBgv::BUFFERS];
        for command in program {
            last[command.destination()] = Some(matches!(command, Command::Decrypt { .. }));
        }
        for (buffer, is_message) in last.into_iter().enumerate() {
            if let Some(is_message) = is_message {
                compare(&mut self.device, &mut self.processor, buffer, is_message)?;
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Encrypt => "encrypt",
            Self::Decrypt => "decrypt",
            Self::Add => "add",
            Self::Multiply => "multiply",
            Self::KeySwitch => "key-switch",
            Self::ModSwitch => "mod-switch",
            Self::AddChain => "add-chain",
            Self::MultiplyChain => "multiply-chain",
        })
    }
}

fn human(report: &Report) -> String {
    let units = match report.units {
        0 => "all transform units".to_owned(),
        units => output::counted(units as usize, "transform unit"),
    };
    let mut table =
        output::table(["", "items", "runs", "cycles", "an item", "us processor"], &[1, 2, 3, 4, 5]);
    for Row { operation, measured } in &report.rows {
        let items = measured.items as f64;
        let cycles = measured.compute_cycles.unwrap_or_default();
        table.add_row([
            operation.to_string(),
            measured.items.to_string(),
            measured.runs.to_string(),
            cycles.to_string(),
            format!("{:.1}", cycles as f64 / items),
            measured
                .processor_seconds
                .map_or_else(|| "-".to_owned(), |s| format!("{:.2}", s * 1e6 / items)),
        ]);
    }
    let Carried { message, ciphertext, result, keys } = report.carried;
    format!(
        "{}, n = {}, Q = {}, {} bits a digit,\n{units}, results kept as {}; compared with the {}: \
         every word equal\n{}\nover the bus: a message {message} cycles, a ciphertext {ciphertext}, reading one \
         {result}, all keys {keys}",
        report.description,
        report.degree,
        table::product(&report.factors),
        report.digit_bits,
        report.form,
        report.processor,
        output::render(&mut table)
    )
}
