//! A place to run the command in.
#![allow(dead_code, reason = "each test file uses some of it")]

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A temporary folder in which commands run.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// With parameters `p.cyc`: three channels, `T` about 2^45, degree 1024.
    pub fn with_parameters(scheme: &str) -> Self {
        let place = Self::new();
        place.ok(&format!(
            "params --preset TOY_1024 --scheme {scheme} --modulus 12289,40961,65537 \
             --acknowledge-insecure -o p.cyc"
        ));
        place
    }

    /// With parameters and keys in `keys`.
    pub fn with_keys(scheme: &str) -> Self {
        let place = Self::with_parameters(scheme);
        place.ok("keygen -p p.cyc -o keys");
        place
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).unwrap();
    }

    /// Reads a text file.
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of the files in a folder, sorted.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A command with these arguments, separated by blanks; single quotes hold one together.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cyclotron"));
        command.current_dir(self.folder.path()).args(words(line));
        command
    }

    /// Runs a command.
    pub fn run(&self, line: &str) -> Assert {
        self.command(line).assert()
    }

    /// Runs a command that must succeed; gives its standard output.
    pub fn ok(&self, line: &str) -> String {
        let done = self.run(line).success();
        String::from_utf8(done.get_output().stdout.clone()).unwrap()
    }

    /// Runs a command with `--json` that must succeed; gives the object it prints.
    pub fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.ok(&format!("{line} --json"))).unwrap()
    }

    /// Runs a command that must be refused, twice: for people, whose text is given, and with
    /// `--json`, whose kind and exit code must be these. Nothing may come to standard output.
    pub fn refused(&self, line: &str, code: i32, kind: &str) -> String {
        let done = self.run(&format!("{line} --json")).code(code).stdout("");
        let stderr = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        let last = stderr.lines().last().unwrap_or_default();
        let json: Value = serde_json::from_str(last).unwrap_or_else(|_| panic!("{line}: {stderr}"));
        assert_eq!(json["error"]["kind"], kind, "{line}: {stderr}");
        assert_eq!(json["error"]["exit_code"], code, "{line}");
        let done = self.run(line).code(code).stdout("");
        String::from_utf8(done.get_output().stderr.clone()).unwrap()
    }
}

fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

/// An array file of one or two dimensions.
pub fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

/// The numbers of a list in JSON.
pub fn numbers(list: &Value) -> Vec<i64> {
    list.as_array().unwrap().iter().map(|value| value.as_i64().unwrap()).collect()
}

/// Copies a file.
pub fn copy(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap();
}
