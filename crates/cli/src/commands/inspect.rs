//! `cyclotron inspect`: what a file is, told without any key.

use crate::arguments::Global;
use crate::failure::{Failure, Result};
use crate::family::{self, AnyDescription, AnyParameters, Noise, Session};
use crate::output::{self, Output};
use crate::session;
use clap::Args;
use cyclotron_schemes::files::{self, RecordInfo, RecordKind};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Options of `inspect`.
#[derive(Debug, Args)]
pub struct InspectArguments {
    /// Files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Parameter file: then levels and noise margins are told too
    #[arg(long, short, value_name = "FILE")]
    params: Option<PathBuf>,
}

/// A record as JSON.
#[derive(Serialize)]
struct Record {
    kind: &'static str,
    version: u16,
    parameters: String,
    bytes: u64,
    summary: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct FileReport {
    path: PathBuf,
    records: Vec<Record>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<AnyDescription>,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<Noise>,
}

#[derive(Serialize)]
struct Report {
    files: Vec<FileReport>,
}

/// Inspects all files; the first that is no file of ours is an error, after the others were told.
pub fn run(global: &Global, arguments: &InspectArguments) -> Result<Output> {
    let session = arguments.params.as_deref().map(|path| family::open(global, path)).transpose()?;
    let mut reports = Vec::new();
    let mut sections = Vec::new();
    let mut failures = Vec::new();
    for path in &arguments.files {
        match inspect(path, session.as_ref()) {
            Ok((report, section)) => {
                reports.push(report);
                sections.push(section);
            }
            Err(failure) => failures.push(failure),
        }
    }
    let output = Output::report(&Report { files: reports }, sections.join("\n\n"))?;
    let mut failures = failures.into_iter();
    let Some(first) = failures.next() else { return Ok(output) };
    if arguments.files.len() > 1 {
        if !sections.is_empty() {
            output.print(global)?;
        }
        failures.for_each(|failure| failure.print(global.json));
    }
    Err(first)
}

fn inspect(path: &Path, session: Option<&Session>) -> Result<(FileReport, String)> {
    session::check_readable(path)?;
    let records = files::inspect_path(path).map_err(|error| session::from_file(path, error))?;
    let mut facts = output::facts();
    facts.add_row(["file", &path.display().to_string()]);
    for records in alike(&records) {
        let first = &records[0];
        let (kind, size) = (first.kind.name(), output::bytes(first.bytes));
        let version = first.version;
        if records.len() == 1 {
            facts.add_row(["kind", &format!("{kind}, version {version}, {size}")]);
        } else {
            let count = records.len();
            facts.add_row([
                "kind",
                &format!("{count} times {kind}, version {version}, {size} each"),
            ]);
            continue;
        }
        facts.add_row(["parameters", &first.parameters.to_string()]);
        for (name, value) in &first.summary {
            facts.add_row([name, value]);
        }
    }
    let total: u64 = records.iter().map(|record| record.bytes).sum();
    facts.add_row(["size", &format!("{total} bytes")]);
    let kind = records.first().map(|record| record.kind);
    let parameters = match kind {
        Some(RecordKind::Parameters | RecordKind::Pow2Parameters) => {
            Some(family::parameters(path)?)
        }
        _ => None,
    };
    if let Some(parameters) = &parameters {
        for (i, reason) in parameters.reasons().iter().enumerate() {
            facts.add_row([if i == 0 { "why" } else { "" }, reason]);
        }
    }
    let noise = match (kind, session) {
        (Some(kind), Some(session)) if session.is_ciphertext(kind) => Some(session.noise(path)?),
        (Some(_), Some(session)) => {
            check_parameters(path, &records, session)?;
            None
        }
        _ => None,
    };
    if let Some(noise) = &noise {
        facts.add_row(["highest level", &noise.max_level.to_string()]).add_row([
            "margin",
            &format!("{:.1} bits before noise could matter", noise.margin_bits),
        ]);
    }
    let report = FileReport {
        path: path.to_owned(),
        records: records.iter().map(record).collect(),
        parameters: parameters.as_ref().map(AnyParameters::describe),
        noise,
    };
    Ok((report, output::render(&mut facts)))
}

/// Runs of records of one kind and size.
fn alike(records: &[RecordInfo]) -> impl Iterator<Item = &[RecordInfo]> {
    records.chunk_by(|a, b| a.kind == b.kind && a.bytes == b.bytes && a.parameters == b.parameters)
}

fn record(info: &RecordInfo) -> Record {
    let pair = |(name, value): &(String, String)| (name.clone(), value.clone().into());
    Record {
        kind: info.kind.name(),
        version: info.version,
        parameters: info.parameters.to_string(),
        bytes: info.bytes,
        summary: info.summary.iter().map(pair).collect(),
    }
}

/// Refuses a file of other parameters than those given.
fn check_parameters(path: &Path, records: &[RecordInfo], session: &Session) -> Result<()> {
    let expected = session.id();
    match records.iter().find(|record| record.parameters != expected) {
        None => Ok(()),
        Some(other) => Err(Failure::file(
            "parameter_mismatch",
            path,
            format!("belongs to parameters {}, those given are {expected}", other.parameters),
        )
        .remedy("the parameter file that it was made with")),
    }
}
