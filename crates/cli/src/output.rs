//! What a command prints: tables for people, one JSON object for programs.

use crate::arguments::Global;
use crate::failure::{Failure, Result};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
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

/// A table with a header; columns in `right` are aligned to the right.
pub fn table<const N: usize>(header: [&str; N], right: &[usize]) -> Table {
    let mut table = plain();
    let line = LineStyle::none().fill('─').junction('─');
    table.load_style(TableStyle::new().header_separator(line)).set_header(header);
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Two columns: what, and its value.
pub fn facts() -> Table {
    let mut table = plain();
    table.load_style(TableStyle::new());
    table
}

/// A table as text, without blanks at either end of a line.
pub fn render(table: &mut Table) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let text = table.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

fn plain() -> Table {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    table
}

/// A count with its noun, in the plural where that is due.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
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
        assert_eq!(
            (counted(1, "row"), counted(0, "row")),
            ("1 row".to_owned(), "0 rows".to_owned())
        );
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
        let text = render(&mut table);
        assert!(text.lines().count() > 2 && text.starts_with("what"));
        assert!(text.lines().all(|line| line.chars().count() <= usize::from(WIDTH)));
        assert!(text.lines().all(|line| !line.ends_with(' ')));
    }
}
