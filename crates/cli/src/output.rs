//! What a command prints: tables for people, one JSON object for programs.

use crate::arguments::Global;
use crate::failure::{Failure, Result};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// Widest line of a table.
const WIDTH: u16 = 100;

/// The result of a command.
#[derive(Debug)]
pub struct Output {
    json: String,
    human: String,
    /// Values that were asked for, printed even with `--quiet`.
    values: bool,
}

impl Output {
    /// A report.
    pub fn report(data: &impl Serialize, human: impl Into<String>) -> Result<Self> {
        let json = serde_json::to_string(data)
            .map_err(|error| Failure::refused("json", error.to_string()))?;
        Ok(Self { json, human: human.into(), values: false })
    }

    /// Values that were asked for.
    pub fn values(data: &impl Serialize, human: impl Into<String>) -> Result<Self> {
        Ok(Self { values: true, ..Self::report(data, human)? })
    }

    /// Prints to standard output. A reader that has gone away is no error.
    pub fn print(&self, global: &Global) -> Result<()> {
        let text = if global.json {
            &self.json
        } else if global.quiet && !self.values {
            return Ok(());
        } else {
            self.human.trim_end_matches('\n')
        };
        let mut stdout = io::stdout().lock();
        let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
        match written {
            Err(error) if !Failure::is_broken_pipe(&error) => {
                Err(Failure::io(Path::new("standard output"), &error))
            }
            _ => Ok(()),
        }
    }
}

/// A line on standard error that is no error.
pub fn note(global: &Global, text: &str) {
    if !global.quiet {
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// A table with a header.
pub fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = plain();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_header(header);
    table
}

/// Two columns: what, and its value.
pub fn facts() -> Table {
    let mut table = plain();
    table.load_style(presets::NOTHING);
    table
}

/// Aligns columns to the right.
pub fn right(table: &mut Table, columns: impl IntoIterator<Item = usize>) {
    for column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn plain() -> Table {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    table
}

/// A number of bytes for people.
pub fn bytes(count: u64) -> String {
    match count {
        0..1000 => format!("{count} B"),
        1000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.2} GB", count as f64 / 1e9),
    }
}

/// A duration for people.
pub fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1234), "1.2 kB");
        assert_eq!(bytes(12_345_678), "12.3 MB");
        assert_eq!(bytes(5_000_000_000), "5.00 GB");
        assert_eq!(seconds(Duration::from_micros(1500)), "1.5 ms");
        assert_eq!(seconds(Duration::from_millis(2500)), "2.50 s");
    }

    #[test]
    fn long_cells_wrap_within_the_width() {
        let mut table = facts();
        table.add_row(["what".to_owned(), "word ".repeat(60)]);
        assert!(table.to_string().lines().all(|line| line.chars().count() <= usize::from(WIDTH)));
    }
}
