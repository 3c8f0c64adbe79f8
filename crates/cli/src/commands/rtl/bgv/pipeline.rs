//! Programs of many commands of one kind, and of many chains of them one behind another.

use super::operations::Operation;
use cyclotron_schemes::bfv_pow2::RUN_PLAINTEXTS;
use cyclotron_schemes::bgv_word::{Command, Form};

const FORM: Form = Form::Coefficients;

/// Buffers: two messages, two ciphertexts of two polynomials, one of three; results behind them.
pub const MESSAGES: [usize; 2] = [0, 1];
pub const PAIRS: [usize; 2] = [2, 3];
pub const TRIPLE: usize = 4;
pub const OPERANDS: [usize; 3] = [PAIRS[0], PAIRS[1], TRIPLE];
const FIRST: usize = 5;
const BUFFERS: usize = 16;

/// What makes the operands.
pub fn preparation() -> Vec<Command> {
    let [left, right] = PAIRS;
    vec![
        Command::Encrypt { message: MESSAGES[0], to: left, form: FORM },
        Command::Encrypt { message: MESSAGES[1], to: right, form: FORM },
        Command::Multiply { left, right, to: TRIPLE, form: FORM },
    ]
}

/// Most items of one program on a device of so many commands.
pub fn most(operation: Operation, max_commands: usize) -> usize {
    let per_run = match operation {
        Operation::Encrypt => RUN_PLAINTEXTS,
        Operation::AddChain | Operation::MultiplyChain => RUN_PLAINTEXTS / 2,
        _ => usize::MAX,
    };
    per_run.min(max_commands / commands_an_item(operation)).max(1)
}

const fn commands_an_item(operation: Operation) -> usize {
    match operation {
        Operation::AddChain => 4,
        Operation::MultiplyChain => 5,
        _ => 1,
    }
}

/// A program of so many items, whose results are kept in this form. Single commands do not depend on
/// each other; of chains every item is one step behind the one before.
pub fn program(operation: Operation, items: usize, form: Form) -> Vec<Command> {
    let stages: &[fn(usize) -> Vec<Command>] = match operation {
        Operation::Encrypt => {
            &[|k| vec![Command::Encrypt { message: MESSAGES[k % 2], to: result(k), form: FORM }]]
        }
        Operation::Decrypt => &[|k| vec![Command::Decrypt { from: PAIRS[k % 2], to: result(k) }]],
        Operation::Add => &[|k| {
            let [left, right] = PAIRS;
            vec![Command::Add { left, right, to: result(k), form: FORM }]
        }],
        Operation::Multiply => &[|k| {
            let [left, right] = PAIRS;
            vec![Command::Multiply { left, right, to: result(k), form: FORM }]
        }],
        Operation::KeySwitch => {
            &[|k| vec![Command::KeySwitch { from: TRIPLE, to: result(k), form: FORM }]]
        }
        Operation::ModSwitch => {
            &[|k| vec![Command::ModSwitch { from: PAIRS[k % 2], to: result(k) }]]
        }
        Operation::AddChain => &[
            encrypt_both,
            |k| {
                let (left, right) = own(k);
                vec![Command::Add { left, right, to: left, form: FORM }]
            },
            |k| vec![Command::Decrypt { from: own(k).0, to: own(k).0 }],
        ],
        Operation::MultiplyChain => &[
            encrypt_both,
            |k| {
                let (left, right) = own(k);
                vec![Command::Multiply { left, right, to: left, form: FORM }]
            },
            |k| vec![Command::KeySwitch { from: own(k).0, to: own(k).0, form: FORM }],
            |k| vec![Command::Decrypt { from: own(k).0, to: own(k).0 }],
        ],
    };
    let mut commands = Vec::new();
    for time in 0..items + stages.len() - 1 {
        // The oldest item first: the device takes commands in order.
        for (delay, stage) in stages.iter().enumerate().rev() {
            if let Some(item) = time.checked_sub(delay).filter(|&item| item < items) {
                commands.extend(stage(item));
            }
        }
    }
    commands.into_iter().map(|command| with_form(command, form)).collect()
}

/// The same command with its result kept in this form; mod switches and decryptions have none.
pub const fn with_form(command: Command, form: Form) -> Command {
    match command {
        Command::Encrypt { message, to, .. } => Command::Encrypt { message, to, form },
        Command::Add { left, right, to, .. } => Command::Add { left, right, to, form },
        Command::Multiply { left, right, to, .. } => Command::Multiply { left, right, to, form },
        Command::KeySwitch { from, to, .. } => Command::KeySwitch { from, to, form },
        Command::ModSwitch { .. } | Command::Decrypt { .. } => command,
    }
}

/// Where a single command puts its result.
const fn result(k: usize) -> usize {
    FIRST + k % (BUFFERS - FIRST)
}

/// The two buffers of a chain.
const fn own(k: usize) -> (usize, usize) {
    let left = FIRST + 2 * (k % ((BUFFERS - FIRST) / 2));
    (left, left + 1)
}

fn encrypt_both(k: usize) -> Vec<Command> {
    let (left, right) = own(k);
    vec![
        Command::Encrypt { message: MESSAGES[0], to: left, form: FORM },
        Command::Encrypt { message: MESSAGES[1], to: right, form: FORM },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_follow_one_another() {
        assert_eq!(program(Operation::Add, 3, FORM).len(), 3);
        let one = program(Operation::MultiplyChain, 1, FORM);
        assert_eq!(one.len(), commands_an_item(Operation::MultiplyChain));
        assert!(matches!(
            one[..],
            [
                Command::Encrypt { to: 5, .. },
                Command::Encrypt { to: 6, .. },
                Command::Multiply { left: 5, right: 6, to: 5, .. },
                Command::KeySwitch { from: 5, to: 5, .. },
                Command::Decrypt { from: 5, to: 5 },
            ]
        ));
        let two = program(Operation::AddChain, 2, FORM);
        let names: Vec<&str> = two.iter().map(Command::name).collect();
        assert_eq!(
            names,
            ["encrypt", "encrypt", "add", "encrypt", "encrypt", "decrypt", "add", "decrypt"]
        );
        let kept = program(Operation::MultiplyChain, 1, Form::Evaluations);
        assert!(matches!(kept[2], Command::Multiply { form: Form::Evaluations, .. }));
        assert_eq!(kept[4], one[4]);
        assert_eq!(most(Operation::MultiplyChain, 64), 8);
        assert_eq!(most(Operation::Encrypt, 64), 16);
        assert_eq!(most(Operation::Add, 64), 64);
    }
}
