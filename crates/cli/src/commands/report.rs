//! `cyclotron report`: the studies of the devices, made by the Python package.

use crate::arguments::Global;
use crate::failure::{Failure, Result};
use crate::output::Output;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names the Python that has the package, when it is not beside the command.
const PYTHON_VARIABLE: &str = "CYCLOTRON_PYTHON";

/// Where the Python part finds this command, for what it measures through it.
const COMMAND_VARIABLE: &str = "CYCLOTRON_COMMAND";

/// Options of `report`.
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Which study
    study: Study,
    /// Folder of the pictures and tables [default: docs]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Fewer repetitions: to see that it runs, not for figures that are quoted
    #[arg(long)]
    quick: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Study {
    /// The noise generators: histogram, quantiles, correlation, SP 800-22, area
    Prng,
    /// BFV device of degree 1024: cycles and times against the processor and the paper
    Bfv,
    /// BFV devices of degree 4, 8 and 16: 50 to 1000 items
    Mini,
    /// BGV accelerator of degree 128: cycles, resources, failures, against tables 2 to 7 of its paper
    Bgv,
    /// All of them
    All,
}

impl Study {
    const fn name(self) -> &'static str {
        match self {
            Self::Prng => "prng",
            Self::Bfv => "bfv",
            Self::Mini => "mini",
            Self::Bgv => "bgv",
            Self::All => "all",
        }
    }
}

#[derive(Serialize)]
struct Report {
    study: &'static str,
    python: PathBuf,
}

/// Runs the study with the output of the Python part in place; under `--json` that output goes to
/// standard error, and one object says what ran.
pub fn run(global: &Global, arguments: &ReportArguments) -> Result<Output> {
    let python = python();
    let mut command = Command::new(&python);
    command.args(["-m", "cyclotron.report", arguments.study.name()]);
    if let Some(out) = &arguments.out {
        command.arg("--out").arg(out);
    }
    if arguments.quick {
        command.arg("--quick");
    }
    if let Ok(this) = env::current_exe() {
        command.env(COMMAND_VARIABLE, this);
    }
    require_package(&python)?;
    if global.json {
        command.stdout(Stdio::from(std::io::stderr()));
    } else if global.quiet {
        command.stdout(Stdio::null());
    }
    let status = command.status().map_err(|error| no_python(&python, &error.to_string()))?;
    if !status.success() {
        let study = arguments.study.name();
        let message = format!("the study `{study}` by {} ended with {status}", python.display());
        return Err(Failure::refused("report_failed", message));
    }
    let report = Report { study: arguments.study.name(), python };
    let human = format!("study `{}` done", report.study);
    Output::report(&report, human)
}

/// The Python beside this command, the one that is named, or the first on the path.
fn python() -> PathBuf {
    let beside = |executable: PathBuf| {
        let folder = executable.parent()?;
        ["python3", "python", "python.exe"]
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.is_file())
    };
    let named = |value: OsString| (!value.is_empty()).then(|| PathBuf::from(value));
    env::var_os(PYTHON_VARIABLE)
        .and_then(named)
        .or_else(|| env::current_exe().ok().and_then(beside))
        .unwrap_or_else(|| PathBuf::from("python3"))
}

/// Says what is missing before anything long begins.
fn require_package(python: &Path) -> Result<()> {
    let test = "import cyclotron.report, matplotlib";
    let output = Command::new(python)
        .args(["-c", test])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| no_python(python, &error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let trace = String::from_utf8_lossy(&output.stderr);
    let last = trace.lines().rev().find(|line| !line.trim().is_empty());
    Err(no_python(python, last.unwrap_or("no reason given")))
}

fn no_python(python: &Path, reason: &str) -> Failure {
    let message = format!("{} cannot run the studies: {reason}", python.display());
    Failure::refused("no_python", message).remedy(format!(
        "make build, then .venv/bin/cyclotron report; or name a Python with the package and \
         matplotlib in {PYTHON_VARIABLE}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_interpreter_is_a_failure_with_a_remedy() {
        let failure = require_package(Path::new("/nonexistent/python")).unwrap_err();
        assert_eq!(failure.kind, "no_python");
        assert!(failure.message.contains("/nonexistent/python"));
        assert!(failure.remedy.is_some_and(|remedy| remedy.contains(PYTHON_VARIABLE)));
    }
}
