//! `cyclotron encrypt`: one encrypted vector a column.

use crate::arguments::Global;
use crate::data::decimal::Power;
use crate::data::{self, Column, Reading};
use crate::device::{DeviceOption, DeviceReport, SeedOptions};
use crate::failure::{Failure, Result};
use crate::family::{self, Limits};
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::session;
use crate::write::{Folder, Pending, check_free};
use clap::Args;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of `encrypt`.
#[derive(Debug, Args)]
pub struct EncryptArguments {
    /// Parameter file
    #[arg(long, short, value_name = "FILE")]
    params: PathBuf,
    /// Public or secret key; under the secret key, files are half as large (primes only)
    #[arg(long, short, value_name = "FILE")]
    key: PathBuf,
    /// Data: .csv with a line of names, or .npy of one or two dimensions
    #[arg(long, short, value_name = "FILE")]
    input: PathBuf,
    /// Only these columns; may be repeated [default: all]
    #[arg(long = "column", short, value_name = "NAME")]
    columns: Vec<String>,
    /// Multiply by this power of ten (1000 or 10^3), exactly
    #[arg(long, value_name = "10^K")]
    scale: Option<Power>,
    /// Values from 0, twice as far; all that is computed with them is unsigned
    #[arg(long)]
    unsigned: bool,
    /// The CSV file has no line of names: columns are column1, column2, ...
    #[arg(long)]
    no_header: bool,
    /// Folder for COLUMN.ct, or one file that ends in .ct
    #[arg(long, short, value_name = "PATH")]
    output: PathBuf,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    seed: SeedOptions,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Row {
    column: String,
    path: PathBuf,
    values: usize,
    bytes: u64,
}

#[derive(Serialize)]
struct Report {
    parameters: String,
    scale: Option<String>,
    unsigned: bool,
    files: Vec<Row>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    device: Option<DeviceReport>,
    seconds: f64,
}

/// Encrypts; all files appear, or none.
pub fn run(global: &Global, arguments: &EncryptArguments) -> Result<Output> {
    let start = Instant::now();
    session::check_readable(&arguments.input)?;
    let session = family::open(global, &arguments.params)?;
    let reading = Reading {
        columns: arguments.columns.clone(),
        scale: arguments.scale,
        no_header: arguments.no_header,
    };
    let columns = data::read(&arguments.input, &reading)?;
    let signed = !arguments.unsigned;
    let limits = session.limits(signed);
    for column in &columns {
        check_values(&limits, column)?;
    }
    let paths = places(&columns, &arguments.output)?;
    for path in &paths {
        check_free(path, arguments.force)?;
    }
    let mut encryptor =
        session.encryptor(global, &arguments.key, &arguments.device, &arguments.seed)?;

    let single = data::extension(&arguments.output) == "ct";
    let _folder = if single { None } else { Some(Folder::open(&arguments.output)?) };
    let progress = Progress::new(global, "columns", columns.len());
    let mut pending: Vec<Pending> = Vec::new();
    for (column, path) in columns.iter().zip(&paths) {
        progress.doing(&column.name);
        let written = encryptor
            .encrypt(&column.values, signed, path, arguments.force)
            .map_err(|failure| failure.about(format!("column `{}`", column.name)))?;
        pending.push(written);
        progress.step();
    }
    drop(progress);

    let mut rows = Vec::new();
    let mut table = output::table(["column", "values", "file", "size"], &[1, 3]);
    for (column, pending) in columns.iter().zip(pending) {
        let (path, bytes) = (pending.path().to_owned(), pending.bytes()?);
        pending.commit()?;
        let values = column.values.len();
        let name = column.name.clone();
        table.add_row([
            &name,
            &values.to_string(),
            &path.display().to_string(),
            &output::bytes(bytes),
        ]);
        rows.push(Row { column: name, path, values, bytes });
    }
    let scaled = arguments.scale.map_or_else(String::new, |scale| format!(" times {scale}"));
    let elapsed = start.elapsed();
    let table = output::render(&mut table);
    let device = encryptor.device();
    let device_line = device.as_ref().map_or_else(String::new, |d| format!("\n{}", d.line()));
    let human = format!(
        "{table}\n{}{scaled}; {}{device_line}",
        output::counted(rows.len(), "column"),
        output::seconds(elapsed)
    );
    let report = Report {
        parameters: session.id().to_string(),
        scale: arguments.scale.map(|scale| scale.to_string()),
        unsigned: arguments.unsigned,
        files: rows,
        device,
        seconds: elapsed.as_secs_f64(),
    };
    Output::report(&report, human)
}

/// Refuses values that the plaintext space cannot hold, with their row.
fn check_values(limits: &Limits, column: &Column) -> Result<()> {
    let &Limits { min, max, capacity, wider } = limits;
    let (name, found) = (&column.name, column.values.len());
    if let Some(row) = column.values.iter().position(|value| !(min..=max).contains(value)) {
        let value = column.values[row];
        let message = format!(
            "row {}, column `{name}`: {value} (scaled) is outside {min} ... {max}",
            row + 1
        );
        return Err(Failure::refused("value_out_of_range", message).remedy(wider));
    }
    if let Some(capacity) = capacity.filter(|&capacity| found > capacity) {
        let message = format!("column `{name}` has {found} values, a vector holds {capacity}");
        return Err(Failure::refused("too_many_values", message)
            .remedy("split the file, or new parameters: cyclotron params with more --slots"));
    }
    Ok(())
}

/// The file of each column.
fn places(columns: &[Column], output: &Path) -> Result<Vec<PathBuf>> {
    if data::extension(output) == "ct" {
        if let [_] = columns {
            return Ok(vec![output.to_owned()]);
        }
        let message =
            format!("{} columns do not go into one file {}", columns.len(), output.display());
        return Err(
            Failure::usage("usage", message).remedy("a folder, or one column with --column")
        );
    }
    let mut owners: HashMap<PathBuf, &str> = HashMap::new();
    for column in columns {
        let path = output.join(format!("{}.ct", data::plain_name(&column.name)));
        if let Some(other) = owners.insert(path.clone(), &column.name) {
            let message =
                format!("columns `{other}` and `{}` both go to {}", column.name, path.display());
            return Err(Failure::usage("ambiguous_column", message)
                .remedy("choose one with --column, or rename one"));
        }
    }
    let place = |column: &Column| output.join(format!("{}.ct", data::plain_name(&column.name)));
    Ok(columns.iter().map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Vec<Column> {
        names.iter().map(|&name| Column { name: name.to_owned(), values: vec![1] }).collect()
    }

    #[test]
    fn files_are_named_by_columns() {
        let paths = places(&columns(&["mean radius", "b"]), Path::new("out")).unwrap();
        assert_eq!(paths, [Path::new("out/mean_radius.ct"), Path::new("out/b.ct")]);
        let paths = places(&columns(&["a"]), Path::new("x.ct")).unwrap();
        assert_eq!(paths, [Path::new("x.ct")]);
        assert_eq!(places(&columns(&["a", "b"]), Path::new("x.ct")).unwrap_err().exit_code, 2);
        let clash = places(&columns(&["a b", "a-b"]), Path::new("out")).unwrap_err();
        assert_eq!(clash.kind, "ambiguous_column");
    }
}
