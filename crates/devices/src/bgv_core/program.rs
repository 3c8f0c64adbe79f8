//! Programs of the device: command words from a list of commands (`bgv_core_pkg::command_t`).
//!
//! The device keeps a ciphertext as coefficients or as evaluations. A result is kept as its command
//! asks where that saves transforms; operands are converted by commands put between, in place, which
//! changes nothing that is read. Of three polynomials kept as evaluations the last one is
//! coefficients: all that comes of it is digits and sums.

use crate::registers::bgv_core as regs;
use cyclotron_schemes::bgv_word::{Command, Form};

/// Operations of a command word.
mod operation {
    pub const ENCRYPT: u32 = 1;
    pub const DECRYPT: u32 = 2;
    pub const ADD: u32 = 3;
    pub const MULTIPLY: u32 = 4;
    pub const KEY_SWITCH: u32 = 5;
    pub const MOD_SWITCH: u32 = 6;
    pub const CONVERT: u32 = 7;
}

/// Forms, as bits of a command word.
mod form {
    pub const A_EVALUATIONS: u32 = 1 << 20;
    pub const B_EVALUATIONS: u32 = 1 << 21;
    pub const EVALUATIONS: u32 = 1 << 22;
    pub const THIRD: u32 = 1 << 23;
}

/// How a buffer's ciphertext is kept; of a message, and of an empty buffer, it says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Kept {
    pub level: u32,
    pub evaluations: bool,
}

/// A program for a list whose plan was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub words: Vec<u32>,
    /// The buffers after it.
    pub kept: Vec<Kept>,
}

impl Program {
    /// Compiles a list for buffers that are kept so.
    pub fn new(commands: &[Command], kept: &[Kept], top: u32) -> Self {
        let mut program = Self { words: Vec::new(), kept: kept.to_vec() };
        for command in commands {
            program.command(command, top);
        }
        program
    }

    /// A list whose results are all kept as coefficients: a word a command, when the operands are.
    pub fn plain(commands: &[Command], kept: &[Kept], top: u32) -> Self {
        let asked: Vec<Command> = commands.iter().map(|command| without_form(*command)).collect();
        Self::new(&asked, kept, top)
    }

    /// Converts all of the buffers to coefficients.
    pub fn coefficients(buffers: impl IntoIterator<Item = usize>, kept: &[Kept]) -> Self {
        let mut program = Self { words: Vec::new(), kept: kept.to_vec() };
        for buffer in buffers {
            program.convert(buffer, buffer, Form::Coefficients);
        }
        program
    }

    /// Whether it fits the device.
    pub fn fits(&self) -> bool {
        self.words.len() <= regs::PROGRAM_WORDS
    }

    /// The buffers it writes to.
    pub fn destinations(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().map(|word| (word >> 4 & 0xf) as usize)
    }

    fn command(&mut self, command: &Command, top: u32) {
        let to = command.destination();
        match *command {
            Command::Encrypt { message, form, .. } => {
                self.put(operation::ENCRYPT, to, [message, 0], top, result(form));
                self.kept[to] = Kept { level: top, evaluations: form == Form::Evaluations };
            }
            Command::Add { left, right, form, .. } => {
                if self.kept[left].evaluations != self.kept[right].evaluations {
                    for operand in [left, right] {
                        self.convert(operand, operand, form);
                    }
                }
                let kept = self.kept[left];
                self.put(operation::ADD, to, [left, right], kept.level, 0);
                self.kept[to] = kept;
            }
            Command::Multiply { left, right, form, .. } => {
                let evaluations = |buffer: usize| self.kept[buffer].evaluations;
                // The device wants the one that it transforms first.
                let swap = evaluations(left) && !evaluations(right);
                let [a, b] = if swap { [right, left] } else { [left, right] };
                let level = self.kept[a].level;
                let forms = if evaluations(a) { form::A_EVALUATIONS } else { 0 }
                    | if evaluations(b) { form::B_EVALUATIONS } else { 0 };
                self.put(operation::MULTIPLY, to, [a, b], level, forms | result(form));
                self.kept[to] = Kept { level, evaluations: form == Form::Evaluations };
                if form == Form::Evaluations {
                    let third = form::A_EVALUATIONS | form::THIRD;
                    self.put(operation::CONVERT, to, [to, 0], level, third);
                }
            }
            Command::KeySwitch { from, .. } => {
                // The result is kept as the operand is: anything else costs transforms.
                let kept = self.kept[from];
                let forms = form::A_EVALUATIONS | form::EVALUATIONS;
                let forms = if kept.evaluations { forms } else { 0 };
                self.put(operation::KEY_SWITCH, to, [from, 0], kept.level, forms);
                self.kept[to] = kept;
            }
            Command::ModSwitch { from, .. } => {
                let converted = self.kept[from].evaluations;
                if converted {
                    self.convert(from, to, Form::Coefficients);
                }
                let level = self.kept[from].level;
                let operand = if converted { to } else { from };
                self.put(operation::MOD_SWITCH, to, [operand, 0], level, 0);
                self.kept[to] = Kept { level: level - 1, evaluations: false };
            }
            Command::Decrypt { from, .. } => {
                let Kept { level, evaluations } = self.kept[from];
                let forms = if evaluations { form::A_EVALUATIONS } else { 0 };
                self.put(operation::DECRYPT, to, [from, 0], level, forms);
                self.kept[to] = Kept::default();
            }
        }
    }

    /// Nothing, if the operand is kept so already and goes nowhere else.
    fn convert(&mut self, from: usize, to: usize, form: Form) {
        let Kept { level, evaluations } = self.kept[from];
        let wanted = form == Form::Evaluations;
        if evaluations != wanted {
            let forms = if evaluations { form::A_EVALUATIONS } else { form::EVALUATIONS };
            self.put(operation::CONVERT, to, [from, 0], level, forms);
            self.kept[to] = Kept { level, evaluations: wanted };
        }
    }

    fn put(&mut self, operation: u32, to: usize, [a, b]: [usize; 2], level: u32, forms: u32) {
        let buffers = (to as u32) << 4 | (a as u32) << 8 | (b as u32) << 12;
        self.words.push(operation | buffers | level << 16 | forms);
    }
}

const fn result(form: Form) -> u32 {
    match form {
        Form::Coefficients => 0,
        Form::Evaluations => form::EVALUATIONS,
    }
}

fn without_form(mut command: Command) -> Command {
    if let Command::Encrypt { form, .. }
    | Command::Add { form, .. }
    | Command::Multiply { form, .. }
    | Command::KeySwitch { form, .. } = &mut command
    {
        *form = Form::Coefficients;
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    const E: Form = Form::Evaluations;
    const C: Form = Form::Coefficients;

    fn operations(program: &Program) -> Vec<u32> {
        program.words.iter().map(|word| word & 0xf).collect()
    }

    #[test]
    fn evaluations_stay_and_conversions_come_where_they_must() {
        use operation::*;
        let buffers = [Kept { level: 2, evaluations: false }; 4];
        let list = [
            Command::Encrypt { message: 0, to: 1, form: E },
            Command::Multiply { left: 1, right: 2, to: 2, form: E },
            Command::KeySwitch { from: 2, to: 2, form: E },
            Command::Add { left: 2, right: 3, to: 0, form: C },
            Command::Decrypt { from: 2, to: 1 },
        ];
        let program = Program::new(&list, &buffers, 2);
        // The sum converts buffer 2, which the decryption finds as coefficients.
        let expected = [ENCRYPT, MULTIPLY, CONVERT, KEY_SWITCH, CONVERT, ADD, DECRYPT];
        assert_eq!(operations(&program), expected);
        // The operand that is transformed comes first: buffer 2, then buffer 1.
        assert_eq!(program.words[1] >> 8 & 0xff, 0x12);
        assert_eq!(program.words[1] >> 20, 0b0110);
        assert_eq!(program.words[2] >> 20, 0b1001);
        assert_eq!(program.words[3] >> 20, 0b0101);
        assert_eq!(program.words[6] >> 20, 0);
        assert!(program.kept.iter().all(|kept| !kept.evaluations || kept.level == 2));

        let plain = Program::plain(&list, &buffers, 2);
        assert_eq!(operations(&plain), [ENCRYPT, MULTIPLY, KEY_SWITCH, ADD, DECRYPT]);
        assert!(plain.words.iter().all(|word| word >> 20 == 0));
    }

    #[test]
    fn a_mod_switch_leaves_its_operand_alone() {
        let buffers = [Kept { level: 1, evaluations: true }; 2];
        let program = Program::new(&[Command::ModSwitch { from: 0, to: 1 }], &buffers, 2);
        assert_eq!(operations(&program), [operation::CONVERT, operation::MOD_SWITCH]);
        assert_eq!(program.destinations().collect::<Vec<_>>(), [1, 1]);
        assert_eq!(program.kept[0], buffers[0]);
        assert_eq!(program.kept[1], Kept { level: 0, evaluations: false });
    }
}
