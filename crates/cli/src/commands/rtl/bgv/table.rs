//! The circuits as text, 100 columns wide.

use super::circuit::{Outcome, Step};
use super::example::Report;
use crate::output;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Widest line.
const WIDTH: usize = 100;

/// `257 * 257 * 257`.
pub fn product(factors: &[u64]) -> String {
    factors.iter().map(u64::to_string).collect::<Vec<_>>().join(" * ")
}

/// All circuits.
pub fn text(report: &Report) -> String {
    let mut text =
        format!("{} and the {}: every word equal\n", report.description, report.processor);
    for outcome in &report.circuits {
        let _ = write!(text, "\n{}", circuit(outcome));
    }
    text += "\ncycles: of a command that is a program by itself; noise: the largest |v|, its bound \
             holds but with\nprobability 2^-40, and v decrypts where it is below the limit of its \
             level. Nothing was read from\nthe device until a program had ended.";
    text
}

fn circuit(outcome: &Outcome) -> String {
    let mut text = String::new();
    for line in outcome.note.iter().flat_map(|note| wrap(note)) {
        let _ = writeln!(text, "{line}");
    }
    let limits: BTreeMap<usize, f64> =
        outcome.steps.iter().filter_map(|step| step.level.zip(step.limit)).collect();
    let limits: Vec<String> =
        limits.iter().rev().map(|(level, limit)| format!("{limit:.0} at level {level}")).collect();
    let _ = writeln!(
        text,
        "{}: {}, n = {}, Q = {}, p = {}, {} bits a digit\nlimit of |v|: {}",
        outcome.title,
        outcome.preset,
        outcome.degree,
        product(&outcome.factors),
        outcome.plaintext_modulus,
        outcome.digit_bits,
        limits.join(", ")
    );
    for line in outcome.refused_strictly.iter().flat_map(|said| {
        wrap(&format!("strict noise bounds refuse it ({said}); run without them, as the paper's"))
    }) {
        let _ = writeln!(text, "{line}");
    }
    let mut table = output::table(
        ["command", "result", "level", "cycles", "bound", "measured", "exact", "simulated, ms"],
        &[2, 3, 4, 5, 7],
    );
    for step in &outcome.steps {
        let Step { command, value, level, cycles, exact, .. } = step;
        table.add_row([
            command.clone(),
            (*value).to_owned(),
            or_dash(level.as_ref()),
            or_dash(cycles.as_ref()),
            step.noise_bound.map_or_else(dash, |bound| format!("{bound:.0}")),
            or_dash(step.noise_measured.as_ref()),
            yes(*exact).to_owned(),
            step.simulation_seconds.map_or_else(dash, milliseconds),
        ]);
    }
    let _ = writeln!(text, "{}", output::render(&mut table));
    let decrypted = if outcome.exact { "exact" } else { "NOT EXACT" };
    let _ = match (outcome.cycles, outcome.simulation_seconds) {
        (Some(cycles), Some(seconds)) => {
            let alone: u64 = outcome.steps.iter().filter_map(|step| step.cycles).sum();
            writeln!(
                text,
                "one program: {cycles} cycles ({alone} command by command), {} ms of simulation; \
                 decryption {decrypted};\n{} words equal",
                milliseconds(seconds),
                outcome.words_compared
            )
        }
        _ => writeln!(text, "decryption {decrypted}"),
    };
    text
}

fn dash() -> String {
    "-".to_owned()
}

fn or_dash(value: Option<&impl ToString>) -> String {
    value.map_or_else(dash, ToString::to_string)
}

fn yes(exact: bool) -> &'static str {
    if exact { "yes" } else { "NO" }
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.1}", seconds * 1e3)
}

/// Words over lines.
fn wrap(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_notes_wrap_within_the_width() {
        let lines = wrap(&"word ".repeat(50));
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.len() <= WIDTH && !line.ends_with(' ')));
        assert!(wrap("").is_empty());
    }
}
