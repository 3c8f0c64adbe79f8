//! What the buffers of a device hold, as far as the host knows, and the checks of a list of commands.
//!
//! Every device has a [`Buffers`] of its own: [`Buffers::plan`] goes through a list before it runs
//! and says what the buffers will hold, or which command cannot run; [`Buffers::commit`] makes it so
//! after the run. Hardware that has the same checks finds nothing more.

use super::command::{Command, CommandError};
use super::device::{BgvDeviceError, BgvResult};
use super::noise::WordNoise;
use super::parameters::WordParameters;
use crate::bfv_pow2::RUN_PLAINTEXTS;

/// What a device does with a command whose noise may be too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Refusal {
    /// It is refused, as soon as the bound of a result passes what decrypts.
    #[default]
    Strict,
    /// It runs all the same, as on the paper's device, and may decrypt to something else.
    Paper,
}

/// What a buffer holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Contents {
    /// Nothing yet.
    #[default]
    Empty,
    /// A message.
    Message,
    /// A ciphertext.
    Ciphertext {
        /// Its level.
        level: usize,
        /// Its polynomials, 2 or 3.
        parts: usize,
        /// What is known of its noise.
        noise: WordNoise,
    },
}

impl Contents {
    const fn name(&self) -> &'static str {
        match self {
            Self::Empty => "nothing",
            Self::Message => "message",
            Self::Ciphertext { .. } => "ciphertext",
        }
    }
}

/// What a list of commands needs and leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    after: Vec<Contents>,
    /// How many encryptions the list has.
    pub encryptions: usize,
    /// Whether it switches keys.
    pub switches_keys: bool,
    /// Whether it decrypts.
    pub decrypts: bool,
}

/// A ciphertext among the operands.
struct Operand {
    level: usize,
    parts: usize,
    noise: WordNoise,
}

/// The buffers of one device.
#[derive(Debug, Clone)]
pub struct Buffers {
    parameters: WordParameters,
    contents: Vec<Contents>,
    refusal: Refusal,
}

impl Buffers {
    /// So many empty buffers.
    #[must_use]
    pub fn new(parameters: &WordParameters, count: usize) -> Self {
        let contents = vec![Contents::Empty; count];
        Self { parameters: parameters.clone(), contents, refusal: Refusal::default() }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.contents.len()
    }

    /// What is done with commands whose noise may be too large.
    pub fn set_refusal(&mut self, refusal: Refusal) {
        self.refusal = refusal;
    }

    /// What a buffer holds.
    ///
    /// # Errors
    /// [`CommandError::BufferOutOfRange`].
    pub fn get(&self, operation: &'static str, buffer: usize) -> Result<&Contents, CommandError> {
        slot(&self.contents, operation, buffer)
    }

    /// Notes what the host writes to a buffer.
    ///
    /// # Errors
    /// [`CommandError::BufferOutOfRange`].
    pub fn set(&mut self, buffer: usize, contents: Contents) -> Result<(), CommandError> {
        slot(&self.contents, "write", buffer)?;
        self.contents[buffer] = contents;
        Ok(())
    }

    /// Demands a message in a buffer.
    ///
    /// # Errors
    /// [`CommandError::BufferOutOfRange`], [`CommandError::Unwritten`],
    /// [`CommandError::WrongContents`].
    pub fn require_message(
        &self,
        operation: &'static str,
        buffer: usize,
    ) -> Result<(), CommandError> {
        message(&self.contents, operation, buffer)
    }

    /// Demands a ciphertext in a buffer, and gives its level and noise.
    ///
    /// # Errors
    /// As [`Self::require_message`].
    pub fn require_ciphertext(
        &self,
        operation: &'static str,
        buffer: usize,
    ) -> Result<(usize, WordNoise), CommandError> {
        let operand = ciphertext(&self.contents, operation, buffer)?;
        Ok((operand.level, operand.noise))
    }

    /// Goes through a list without running it.
    ///
    /// # Errors
    /// [`BgvDeviceError::Command`] with the first command that cannot run.
    pub fn plan(&self, commands: &[Command]) -> BgvResult<Plan> {
        let after = self.contents.clone();
        let mut plan = Plan { after, encryptions: 0, switches_keys: false, decrypts: false };
        for (index, command) in commands.iter().enumerate() {
            self.step(&mut plan, command)
                .map_err(|reason| BgvDeviceError::Command { index, reason })?;
        }
        Ok(plan)
    }

    /// Notes what a list has left behind.
    pub fn commit(&mut self, plan: Plan) {
        self.contents = plan.after;
    }

    fn step(&self, plan: &mut Plan, command: &Command) -> Result<(), CommandError> {
        let (operation, model) = (command.name(), self.parameters.noise());
        let contents = &plan.after;
        let (to, result) = match *command {
            Command::Encrypt { message: from, to, .. } => {
                message(contents, operation, from)?;
                plan.encryptions += 1;
                if plan.encryptions > RUN_PLAINTEXTS {
                    let (found, max) = (plan.encryptions, RUN_PLAINTEXTS);
                    return Err(CommandError::TooManyEncryptions { found, max });
                }
                let (level, noise) = (self.parameters.chain().top_level(), model.fresh());
                (to, Contents::Ciphertext { level, parts: 2, noise })
            }
            Command::Add { left, right, to, .. } => {
                let (a, b) = pair(contents, operation, left, right)?;
                require_parts(operation, right, b.parts, a.parts)?;
                let noise = model.add(&a.noise, &b.noise);
                (to, Contents::Ciphertext { level: a.level, parts: a.parts, noise })
            }
            Command::Multiply { left, right, to, .. } => {
                let (a, b) = pair(contents, operation, left, right)?;
                require_parts(operation, left, a.parts, 2)?;
                require_parts(operation, right, b.parts, 2)?;
                let noise = model.multiply(&a.noise, &b.noise);
                (to, Contents::Ciphertext { level: a.level, parts: 3, noise })
            }
            Command::KeySwitch { from, to, .. } => {
                let Operand { level, parts, noise } = ciphertext(contents, operation, from)?;
                require_parts(operation, from, parts, 3)?;
                plan.switches_keys = true;
                let noise = model.key_switch(&noise, level);
                (to, Contents::Ciphertext { level, parts: 2, noise })
            }
            Command::ModSwitch { from, to } => {
                let Operand { level, parts, noise } = ciphertext(contents, operation, from)?;
                require_parts(operation, from, parts, 2)?;
                if level == 0 {
                    let max = self.parameters.chain().top_level();
                    return Err(CommandError::WrongLevel { operation, level, min: 1, max });
                }
                let noise = model.mod_switch(&noise, level);
                (to, Contents::Ciphertext { level: level - 1, parts, noise })
            }
            Command::Decrypt { from, to } => {
                let Operand { level, parts, noise } = ciphertext(contents, operation, from)?;
                require_parts(operation, from, parts, 2)?;
                self.check_noise(operation, level, &noise)?;
                plan.decrypts = true;
                (to, Contents::Message)
            }
        };
        if let Contents::Ciphertext { level, noise, .. } = &result {
            self.check_noise(operation, *level, noise)?;
        }
        slot(&plan.after, operation, to)?;
        plan.after[to] = result;
        Ok(())
    }

    fn check_noise(
        &self,
        operation: &'static str,
        level: usize,
        noise: &WordNoise,
    ) -> Result<(), CommandError> {
        let model = self.parameters.noise();
        let (bound, limit) = (model.bound(noise), model.limit(level));
        match self.refusal {
            Refusal::Strict if bound > limit => {
                Err(CommandError::NoiseExhausted { operation, bound, limit })
            }
            _ => Ok(()),
        }
    }
}

fn slot<'a>(
    contents: &'a [Contents],
    operation: &'static str,
    buffer: usize,
) -> Result<&'a Contents, CommandError> {
    let buffers = contents.len();
    contents.get(buffer).ok_or(CommandError::BufferOutOfRange { operation, buffer, buffers })
}

fn message(
    contents: &[Contents],
    operation: &'static str,
    buffer: usize,
) -> Result<(), CommandError> {
    match slot(contents, operation, buffer)? {
        Contents::Message => Ok(()),
        other => Err(unfit(operation, buffer, other, "message")),
    }
}

fn ciphertext(
    contents: &[Contents],
    operation: &'static str,
    buffer: usize,
) -> Result<Operand, CommandError> {
    match slot(contents, operation, buffer)? {
        Contents::Ciphertext { level, parts, noise } => {
            Ok(Operand { level: *level, parts: *parts, noise: noise.clone() })
        }
        other => Err(unfit(operation, buffer, other, "ciphertext")),
    }
}

fn unfit(
    operation: &'static str,
    buffer: usize,
    contents: &Contents,
    expected: &'static str,
) -> CommandError {
    match contents {
        Contents::Empty => CommandError::Unwritten { operation, buffer },
        other => CommandError::WrongContents { operation, buffer, found: other.name(), expected },
    }
}

/// Two ciphertexts at one level.
fn pair(
    contents: &[Contents],
    operation: &'static str,
    left: usize,
    right: usize,
) -> Result<(Operand, Operand), CommandError> {
    let (a, b) = (ciphertext(contents, operation, left)?, ciphertext(contents, operation, right)?);
    if a.level == b.level {
        Ok((a, b))
    } else {
        Err(CommandError::LevelMismatch { operation, left: a.level, right: b.level })
    }
}

fn require_parts(
    operation: &'static str,
    buffer: usize,
    found: usize,
    expected: usize,
) -> Result<(), CommandError> {
    if found == expected {
        Ok(())
    } else {
        Err(CommandError::WrongParts { operation, buffer, found, expected })
    }
}
