//! One circuit on a device and on the processor: as one program, and then step by step.

use super::pipeline::with_form;
use super::{load, plain, random_message, refused};
use crate::failure::Result;
use cyclotron_ring::sample::SecretRng;
use cyclotron_schemes::bfv_pow2::Cost;
use cyclotron_schemes::bgv_word::{
    BgvDevice, BgvDeviceError, BgvResult, Command, CommandError, CpuBgv, Form, Refusal,
    WordContext, WordParameters,
};
use serde::Serialize;
use std::time::Instant;

/// A circuit over buffers: messages first, and every step has a buffer of its own, so that all that
/// was computed can be compared when it has ended.
pub struct Circuit {
    /// What it computes.
    pub title: &'static str,
    /// How many messages it takes.
    pub messages: usize,
    /// Its commands, each with what its result decrypts to.
    pub steps: Vec<(Command, &'static str)>,
}

/// One command.
#[derive(Debug, Serialize)]
pub struct Step {
    /// The command with its buffers.
    pub command: String,
    /// What its result decrypts to.
    pub value: &'static str,
    /// Level of the result; none of a message.
    pub level: Option<usize>,
    /// Cycles of the device when the command is a program by itself.
    pub cycles: Option<u64>,
    /// How long the device was simulated for it.
    pub simulation_seconds: Option<f64>,
    /// What the largest `|v|` is below, but with probability `2^-40`; none of a message.
    pub noise_bound: Option<f64>,
    /// The largest `|v|`, exactly.
    pub noise_measured: Option<u64>,
    /// `(Q_l - 1)/2`.
    pub limit: Option<f64>,
    /// Whether it decrypts, or is, what it should be.
    pub exact: bool,
}

/// What came of a circuit.
#[derive(Debug, Serialize)]
pub struct Outcome {
    pub title: &'static str,
    /// The parameter set.
    pub preset: String,
    pub degree: usize,
    pub factors: Vec<u64>,
    pub plaintext_modulus: u64,
    pub digit_bits: u32,
    /// Whether the device ran it; otherwise the processor alone did.
    pub on_device: bool,
    /// Why these parameters, where the device does not have those of the set.
    pub note: Option<String>,
    /// What strict noise bounds say, where they refuse it.
    pub refused_strictly: Option<String>,
    pub steps: Vec<Step>,
    /// Cycles of the device from start to done, all commands in one program.
    pub cycles: Option<u64>,
    /// Cycles in which the program went over the bus.
    pub transfer_cycles: Option<u64>,
    /// How long the device was simulated for the program.
    pub simulation_seconds: Option<f64>,
    /// Whether the decryption is what it should be.
    pub exact: bool,
    /// Words of the device that were compared with the processor's; a difference is a failure of the
    /// command.
    pub words_compared: usize,
}

impl Circuit {
    /// The same circuit with results kept in this form.
    pub fn with_form(mut self, form: Form) -> Self {
        for (command, _) in &mut self.steps {
            *command = with_form(*command, form);
        }
        self
    }

    /// Runs it, on the processor alone without a device. Strict noise bounds come first; what they
    /// refuse runs all the same.
    pub fn run(
        &self,
        mut device: Option<&mut dyn BgvDevice>,
        preset: &str,
        parameters: &WordParameters,
        rng: &mut SecretRng,
    ) -> Result<Outcome> {
        let context = WordContext::new(parameters)?;
        let mut processor = CpuBgv::with_context(&context, CpuBgv::BUFFERS);
        let messages: Vec<Vec<u64>> =
            (0..self.messages).map(|_| random_message(parameters, rng)).collect();
        let mut both: Vec<&mut dyn BgvDevice> = vec![&mut processor];
        if let Some(device) = &mut device {
            both.push(&mut **device);
        }
        load(&mut both, &context, rng)?;
        for device in both {
            for (buffer, message) in messages.iter().enumerate() {
                device.write_message(buffer, message).map_err(refused)?;
            }
        }
        let commands: Vec<Command> = self.steps.iter().map(|(command, _)| *command).collect();
        let p = parameters.plain_modulus();
        let expected = plain::results(&messages, CpuBgv::BUFFERS, &commands, p);

        let mut pair = Pair { device, processor, words_compared: 0 };
        let (ran, refused_strictly) = pair.run_strictly_first(&commands)?;
        let mut steps = Vec::with_capacity(commands.len());
        for (command, value) in &self.steps {
            pair.compare(command)?;
            let expected = expected[command.destination()].as_deref().unwrap_or_default();
            steps.push(pair.look(parameters, command, value, expected)?);
        }
        let exact = steps.last().is_some_and(|step| step.exact);
        // Once more, every command as a program by itself, with other randomness.
        for ((command, _), step) in self.steps.iter().zip(&mut steps) {
            let alone = pair.run(std::slice::from_ref(command)).map_err(refused)?;
            (step.cycles, step.simulation_seconds) = (alone.cost.compute_cycles, alone.seconds);
        }
        for command in &commands {
            pair.compare(command)?;
        }
        let literal = parameters.literal();
        Ok(Outcome {
            title: self.title,
            preset: preset.to_owned(),
            degree: literal.degree,
            factors: literal.factors.clone(),
            plaintext_modulus: p,
            digit_bits: literal.digit_bits,
            on_device: pair.device.is_some(),
            note: None,
            refused_strictly,
            steps,
            cycles: ran.cost.compute_cycles,
            transfer_cycles: ran.cost.transfer_cycles,
            simulation_seconds: ran.seconds,
            exact,
            words_compared: pair.words_compared,
        })
    }
}

/// What a run took; nothing where there is no device.
#[derive(Debug, Clone, Copy, Default)]
struct Ran {
    cost: Cost,
    seconds: Option<f64>,
}

/// A device, where there is one, beside the processor.
struct Pair<'a> {
    device: Option<&'a mut dyn BgvDevice>,
    processor: CpuBgv,
    words_compared: usize,
}

impl Pair<'_> {
    fn set_refusal(&mut self, refusal: Refusal) {
        if let Some(device) = &mut self.device {
            device.set_refusal(refusal);
        }
        self.processor.set_refusal(refusal);
    }

    /// The device first: what refuses there has not run here.
    fn run(&mut self, commands: &[Command]) -> BgvResult<Ran> {
        let mut ran = Ran::default();
        if let Some(device) = &mut self.device {
            let start = Instant::now();
            ran.cost = device.run(commands)?;
            ran.seconds = Some(start.elapsed().as_secs_f64());
        }
        self.processor.run(commands)?;
        Ok(ran)
    }

    /// What strict bounds refuse changes nothing; it then runs without them, which is told.
    fn run_strictly_first(&mut self, commands: &[Command]) -> Result<(Ran, Option<String>)> {
        self.set_refusal(Refusal::Strict);
        match self.run(commands) {
            Ok(ran) => Ok((ran, None)),
            Err(
                error @ BgvDeviceError::Command {
                    reason: CommandError::NoiseExhausted { .. }, ..
                },
            ) => {
                self.set_refusal(Refusal::Paper);
                Ok((self.run(commands).map_err(refused)?, Some(error.to_string())))
            }
            Err(error) => Err(refused(error)),
        }
    }

    /// Demands the words of a result from both.
    fn compare(&mut self, command: &Command) -> Result<()> {
        if let Some(device) = &mut self.device {
            let is_message = matches!(command, Command::Decrypt { .. });
            let buffer = command.destination();
            self.words_compared +=
                super::compare(&mut **device, &mut self.processor, buffer, is_message)?;
        }
        Ok(())
    }

    /// The noise of a result that is the same on both, by the secret key.
    fn look(
        &mut self,
        parameters: &WordParameters,
        command: &Command,
        value: &'static str,
        expected: &[u64],
    ) -> Result<Step> {
        let buffer = command.destination();
        let mut step = Step {
            command: text(command),
            value,
            level: None,
            cycles: None,
            simulation_seconds: None,
            noise_bound: None,
            noise_measured: None,
            limit: None,
            exact: false,
        };
        if matches!(command, Command::Decrypt { .. }) {
            let mut message = vec![0; parameters.degree()];
            self.processor.read_message(buffer, &mut message).map_err(refused)?;
            step.exact = message == expected;
            return Ok(step);
        }
        let found = self.processor.read_ciphertext(buffer).map_err(refused)?;
        let phase = self.processor.phase(buffer).map_err(refused)?;
        let p = parameters.plain_modulus() as i64;
        step.level = Some(found.level());
        step.noise_bound = Some(parameters.noise().bound(found.noise()));
        step.noise_measured = phase.iter().map(|v| v.unsigned_abs()).max();
        step.limit = Some(parameters.noise().limit(found.level()));
        step.exact = phase.iter().map(|v| v.rem_euclid(p) as u64).eq(expected.iter().copied());
        Ok(step)
    }
}

/// `add 2 3 -> 4`.
fn text(command: &Command) -> String {
    let (name, to) = (command.name(), command.destination());
    match *command {
        Command::Add { left, right, .. } | Command::Multiply { left, right, .. } => {
            format!("{name} {left} {right} -> {to}")
        }
        Command::Encrypt { message: from, .. }
        | Command::KeySwitch { from, .. }
        | Command::ModSwitch { from, .. }
        | Command::Decrypt { from, .. } => format!("{name} {from} -> {to}"),
    }
}
