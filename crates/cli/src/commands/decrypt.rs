//! `cyclotron decrypt`: the values, to standard output, CSV or `.npy`.

use crate::arguments::Global;
use crate::data::decimal::{Power, divided};
use crate::data::{self, csv, npy};
use crate::device::{DeviceOption, DeviceReport};
use crate::failure::{Failure, Result};
use crate::family::{self, Opened};
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::write::{Access, Pending, check_free};
use clap::Args;
use serde::{Serialize, Serializer};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of `decrypt`.
#[derive(Debug, Args)]
pub struct DecryptArguments {
    /// Parameter file
    #[arg(long, short, value_name = "FILE")]
    params: PathBuf,
    /// Secret key
    #[arg(long, short, value_name = "FILE")]
    key: PathBuf,
    /// Ciphertexts; each becomes a column
    #[arg(long, short, value_name = "FILE", required = true, num_args = 1..)]
    input: Vec<PathBuf>,
    /// Write .csv or .npy instead of printing
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Divide by this power of ten: 1000 or 10^3
    #[arg(long, value_name = "10^K")]
    divide: Option<Power>,
    #[command(flatten)]
    device: DeviceOption,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// Decrypted values: integers, or exact decimals as texts.
enum Numbers {
    Integers(Vec<i128>),
    Decimals(Vec<String>),
}

impl Numbers {
    fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Decimals(values) => values.len(),
        }
    }

    fn texts(&self) -> Vec<String> {
        match self {
            Self::Integers(values) => values.iter().map(ToString::to_string).collect(),
            Self::Decimals(values) => values.clone(),
        }
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Integers(values) => serializer.collect_seq(values),
            Self::Decimals(values) => serializer.collect_seq(values),
        }
    }
}

#[derive(Serialize)]
struct Decrypted {
    name: String,
    path: PathBuf,
    length: usize,
    signed: bool,
    margin_bits: f64,
    /// Missing when the values went to a file.
    values: Option<Numbers>,
}

#[derive(Serialize)]
struct Report {
    output: Option<PathBuf>,
    columns: Vec<Decrypted>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    device: Option<DeviceReport>,
    seconds: f64,
}

/// Decrypts and prints or writes.
pub fn run(global: &Global, arguments: &DecryptArguments) -> Result<Output> {
    let start = Instant::now();
    if let Some(path) = &arguments.output {
        check_free(path, arguments.force)?;
        check_format(path)?;
    }
    let session = family::open(global, &arguments.params)?;
    let mut decryptor = session.decryptor(&arguments.key, &arguments.device)?;
    let progress = Progress::new(global, "decrypting", arguments.input.len());
    let mut columns = Vec::new();
    for path in &arguments.input {
        progress.doing(path.display().to_string());
        let Opened { values, signed, margin_bits } = decryptor.decrypt(path)?;
        let values = match arguments.divide {
            None => Numbers::Integers(values),
            Some(divisor) => {
                Numbers::Decimals(values.into_iter().map(|value| divided(value, divisor)).collect())
            }
        };
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        columns.push(Decrypted {
            name: stem.unwrap_or_default(),
            path: path.clone(),
            length: values.len(),
            signed,
            margin_bits,
            values: Some(values),
        });
        progress.step();
    }
    drop(progress);
    let device = decryptor.device();
    let equal = columns.iter().all(|column| column.length == columns[0].length);
    let human = match &arguments.output {
        Some(path) => {
            if !equal {
                let lengths: Vec<String> = columns
                    .iter()
                    .map(|column| format!("{} of {}", column.length, column.name))
                    .collect();
                let message = format!("columns of different lengths: {}", data::listed(&lengths));
                return Err(Failure::usage("lengths", message).remedy("decrypt them one by one"));
            }
            write(path, arguments.force, &columns)?;
            columns.iter_mut().for_each(|column| column.values = None);
            format!(
                "{} of {} written to {}; {}{}",
                output::counted(columns.len(), "column"),
                output::counted(columns[0].length, "value"),
                path.display(),
                output::seconds(start.elapsed()),
                device.as_ref().map_or_else(String::new, |device| format!("\n{}", device.line()))
            )
        }
        None => printed(&columns),
    };
    let report = Report {
        output: arguments.output.clone(),
        columns,
        device,
        seconds: start.elapsed().as_secs_f64(),
    };
    if arguments.output.is_some() {
        Output::report(&report, human)
    } else {
        Output::values(&report, human)
    }
}

fn check_format(path: &Path) -> Result<()> {
    match data::extension(path).as_str() {
        "csv" | "npy" => Ok(()),
        other => {
            let message =
                format!("{}: values are written as .csv or .npy, not {other:?}", path.display());
            Err(Failure::usage("unknown_data", message))
        }
    }
}

/// One column: a value a line. Several: a line for each, beginning with its name.
fn printed(columns: &[Decrypted]) -> String {
    let texts = |column: &Decrypted| column.values.as_ref().map(Numbers::texts).unwrap_or_default();
    match columns {
        [only] => texts(only).join("\n"),
        _ => {
            let line = |column: &Decrypted| format!("{}: {}", column.name, texts(column).join(" "));
            columns.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}

fn write(path: &Path, force: bool, columns: &[Decrypted]) -> Result<()> {
    let pending = Pending::write(path, Access::Default, force, |out| {
        if data::extension(path) == "csv" {
            let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
            let texts =
                columns.iter().filter_map(|column| column.values.as_ref()).map(Numbers::texts);
            return csv::write(out, path, &names, &texts.collect::<Vec<_>>());
        }
        let rows = columns.first().map_or(0, |column| column.length);
        let shape = match columns {
            [_] => vec![rows as u64],
            _ => vec![rows as u64, columns.len() as u64],
        };
        npy::write(out, path, &shape, &array(path, rows, columns)?)
    })?;
    pending.commit()
}

/// The values row by row, in the smallest of int64, uint64 and (for decimals) float64.
fn array(path: &Path, rows: usize, columns: &[Decrypted]) -> Result<npy::Numbers> {
    let (mut integers, mut floats) = (Vec::new(), Vec::new());
    for row in 0..rows {
        for column in columns {
            match &column.values {
                Some(Numbers::Integers(values)) => integers.push(values[row]),
                // The nearest float; the text is a decimal, so it always parses.
                Some(Numbers::Decimals(texts)) => {
                    floats.push(texts[row].parse().unwrap_or(f64::NAN))
                }
                None => {}
            }
        }
    }
    if !floats.is_empty() {
        return Ok(npy::Numbers::Float(floats));
    }
    let signed: Option<Vec<i64>> =
        integers.iter().map(|&value| i64::try_from(value).ok()).collect();
    if let Some(signed) = signed {
        return Ok(npy::Numbers::Signed(signed));
    }
    let unsigned: Option<Vec<u64>> =
        integers.iter().map(|&value| u64::try_from(value).ok()).collect();
    unsigned.map(npy::Numbers::Unsigned).ok_or_else(|| {
        let widest = integers.iter().max_by_key(|value| value.unsigned_abs());
        let message = format!(
            "{}: {} does not fit in 64 bits",
            path.display(),
            widest.map_or_else(String::new, ToString::to_string)
        );
        Failure::refused("value_out_of_range", message).remedy("write a .csv file")
    })
}
