//! Where power-of-two parameters are computed with: the processor, or a device; and what it took.

use crate::arguments::Global;
use crate::failure::{Failure, Result};
use crate::output;
use crate::session;
use clap::Args;
use cyclotron_ring::sample::SecretSeed;
use cyclotron_schemes::bfv_pow2::{Cost, CryptDevice, DeviceDescription, Pow2Parameters};
use serde::Serialize;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The device that needs no hardware and no simulator.
pub const CPU: &str = "cpu";

/// `--device`.
#[derive(Debug, Clone, Args)]
pub struct DeviceOption {
    /// What computes, for power-of-two parameters (cyclotron engines lists the devices)
    #[arg(long, value_name = "NAME", default_value = CPU)]
    device: String,
}

impl DeviceOption {
    /// The name of the device.
    pub fn name(&self) -> &str {
        &self.device
    }

    /// Opens the device for these parameters.
    pub fn open(&self, parameters: &Pow2Parameters) -> Result<Box<dyn CryptDevice>> {
        let (degree, log_q, log_t) = (parameters.degree(), parameters.log_q(), parameters.log_t());
        Ok(cyclotron_devices::open(&self.device, degree, log_q, log_t)
            .map_err(cyclotron_schemes::Error::from)?)
    }

    /// Refuses every device but the processor, for parameters that only it computes with.
    pub fn require_processor(&self, parameters_path: &Path) -> Result<()> {
        if self.device == CPU {
            return Ok(());
        }
        let message = format!(
            "device `{}` computes modulo a power of two, {} has primes",
            self.device,
            parameters_path.display()
        );
        Err(Failure::usage("device", message).remedy(
            "leave --device out, or parameters of cyclotron params --preset PAPER_BFV_1024",
        ))
    }
}

/// `--seed-file` and `--run-counter`: randomness that can be repeated.
#[derive(Debug, Clone, Args)]
pub struct SeedOptions {
    /// Repeat the randomness of this seed (64 hex digits): tests and comparisons only
    #[arg(long, value_name = "FILE")]
    seed_file: Option<PathBuf>,
    /// First run counter of the seed; a pair of both serves once
    #[arg(long, value_name = "N", requires = "seed_file", default_value_t = 0)]
    run_counter: u64,
}

impl SeedOptions {
    /// The seed and the first run counter, when they were given: with a warning, because whoever
    /// has the file reads what was encrypted.
    pub fn read(&self, global: &Global) -> Result<Option<(SecretSeed, u64)>> {
        let Some(path) = &self.seed_file else { return Ok(None) };
        session::check_readable(path)?;
        let text = std::fs::read(path).map_err(|error| Failure::io(path, &error))?;
        let seed = parse_seed(path, &Zeroizing::new(text))?;
        output::note(
            global,
            "warning: a given seed repeats its randomness; two encryptions with it give their \
             difference away",
        );
        Ok(Some((seed, self.run_counter)))
    }

    /// Refuses a seed where randomness always comes from the operating system.
    pub fn require_none(&self, parameters_path: &Path) -> Result<()> {
        let Some(path) = &self.seed_file else { return Ok(()) };
        let message = format!(
            "seed {} is for power-of-two parameters, {} has primes",
            path.display(),
            parameters_path.display()
        );
        Err(Failure::usage("seed", message).remedy("leave --seed-file out"))
    }
}

/// 64 hex digits, blanks around them; nothing of them is repeated in an error.
fn parse_seed(path: &Path, text: &[u8]) -> Result<SecretSeed> {
    let digits = text.trim_ascii();
    let refused = |reason: String| {
        Err(Failure::file("seed", path, reason).remedy("one line of 64 hex digits"))
    };
    if digits.len() != 64 {
        return refused(format!("{} characters where a seed has 64", digits.len()));
    }
    let mut seed = Zeroizing::new([0u8; 32]);
    for (byte, pair) in seed.iter_mut().zip(digits.chunks_exact(2)) {
        for &digit in pair {
            let Some(value) = char::from(digit).to_digit(16) else {
                return refused("a character that is no hex digit".to_owned());
            };
            *byte = *byte << 4 | value as u8;
        }
    }
    Ok(SecretSeed::new(*seed))
}

/// What a device did, for programs.
#[derive(Debug, Clone, Serialize)]
pub struct DeviceReport {
    device: String,
    description: String,
    simulated: bool,
    /// Clock cycles from the start of each run to its end; none where nobody counts.
    compute_cycles: Option<u64>,
    /// Clock cycles in which operands and results were carried.
    transfer_cycles: Option<u64>,
}

impl DeviceReport {
    /// The report of a device and the sum of its costs.
    pub fn new(name: &str, description: &DeviceDescription, cost: Cost) -> Self {
        Self {
            device: name.to_owned(),
            description: description.name.clone(),
            simulated: description.simulated,
            compute_cycles: cost.compute_cycles,
            transfer_cycles: cost.transfer_cycles,
        }
    }

    /// The same device with another cost.
    pub fn with_cost(self, cost: Cost) -> Self {
        let Cost { compute_cycles, transfer_cycles } = cost;
        Self { compute_cycles, transfer_cycles, ..self }
    }

    /// One line for people.
    pub fn line(&self) -> String {
        let simulated = if self.simulated { ", simulated" } else { "" };
        let cycles = |count: Option<u64>, what: &str| {
            count.map_or_else(String::new, |count| format!("; {count} cycles {what}"))
        };
        format!(
            "device {} ({}{simulated}){}{}",
            self.device,
            self.description,
            cycles(self.compute_cycles, "computing"),
            cycles(self.transfer_cycles, "transferring")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_sixty_four_hex_digits() {
        let path = Path::new("s.hex");
        let text = format!(" {}0fA\n", "0".repeat(61));
        let seed = parse_seed(path, text.as_bytes()).unwrap();
        assert_eq!((seed.expose()[30], seed.expose()[31]), (0, 0xfa));
        for (text, word) in [
            ("", "0 characters"),
            (&"1".repeat(63), "63 characters"),
            (&"1".repeat(66), "66 characters"),
            (&format!("{}g", "1".repeat(63)), "no hex digit"),
        ] {
            let failure = parse_seed(path, text.as_bytes()).unwrap_err();
            assert_eq!((failure.kind, failure.exit_code), ("seed", 3));
            assert!(failure.message.contains(word), "{failure}");
        }
    }

    #[test]
    fn cycles_are_told_where_they_are_counted() {
        let description = DeviceDescription {
            name: "model".to_owned(),
            degree: 16,
            log_q: 32,
            log_t: 8,
            max_plaintexts: 16,
            max_ciphertexts: 32,
            simulated: true,
        };
        let cost = Cost { compute_cycles: Some(5), transfer_cycles: Some(7) };
        let line = DeviceReport::new("bfv-crypt", &description, cost).line();
        assert_eq!(
            line,
            "device bfv-crypt (model, simulated); 5 cycles computing; 7 cycles transferring"
        );
        let description = DeviceDescription { simulated: false, ..description };
        let line = DeviceReport::new("cpu", &description, Cost::default()).line();
        assert_eq!(line, "device cpu (model)");
    }
}
