//! `cyclotron keygen`: a secret key for the client, a public key, evaluation keys for the server.

use crate::arguments::Global;
use crate::failure::Result;
use crate::family::{self, KeyRequest, MadeKeys};
use crate::output::{self, Output};
use crate::write::{Folder, check_free};
use clap::Args;
use cyclotron_schemes::vector::Rotations;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// Options of `keygen`.
#[derive(Debug, Args)]
pub struct KeygenArguments {
    /// Parameter file
    #[arg(long, short, value_name = "FILE")]
    params: PathBuf,
    /// Folder for secret.key, public.key and evaluation.key
    #[arg(long, short, value_name = "FOLDER")]
    output: PathBuf,
    /// Rotations: sums (any, and sum and dot), none, or steps to the left such as 1,2,-4
    /// [default: sums; none for power-of-two parameters, which have no others]
    #[arg(long, value_name = "WHICH", value_parser = rotations, allow_hyphen_values = true)]
    rotations: Option<Rotations>,
    /// No key for products of ciphertexts
    #[arg(long)]
    no_relin: bool,
    /// Replace existing keys: what was encrypted under them is lost
    #[arg(long)]
    force: bool,
}

fn rotations(text: &str) -> std::result::Result<Rotations, String> {
    match text {
        "sums" => Ok(Rotations::Sums),
        "none" => Ok(Rotations::None),
        steps => steps
            .split(',')
            .map(|step| step.trim().parse())
            .collect::<std::result::Result<Vec<i64>, _>>()
            .map(Rotations::Steps)
            .map_err(|_| "sums, none, or steps such as 1,2,-4".to_owned()),
    }
}

#[derive(Serialize)]
struct KeyFile {
    what: &'static str,
    path: PathBuf,
    bytes: u64,
}

#[derive(Serialize)]
struct Report {
    parameters: String,
    relinearization: bool,
    galois_elements: usize,
    files: Vec<KeyFile>,
    seconds: f64,
}

/// Makes the keys; all files appear, or none.
pub fn run(global: &Global, arguments: &KeygenArguments) -> Result<Output> {
    let names = ["secret.key", "public.key", "evaluation.key"];
    for name in names {
        check_free(&arguments.output.join(name), arguments.force)?;
    }
    let session = family::open(global, &arguments.params)?;
    if session.is_insecure() {
        output::note(
            global,
            "warning: keys of parameters that are NOT SECURE; tests and teaching only",
        );
    }
    let start = Instant::now();
    let folder = Folder::open(&arguments.output)?;
    let [secret_path, public_path, evaluation_path] = names.map(|name| folder.file(name));
    let places = [&secret_path, &public_path, &evaluation_path].map(PathBuf::as_path);
    let request =
        KeyRequest { relinearization: !arguments.no_relin, rotations: arguments.rotations.clone() };
    let made = session.generate(global, &request, places, arguments.force)?;
    let MadeKeys { secret, public, evaluation, relinearization, galois_elements } = made;

    let whats = ["secret: stays with the client", "public: encrypts", "evaluation: for the server"];
    let mut files = Vec::new();
    let mut table = output::table(["file", "size", "what"], &[1]);
    for (what, pending) in whats.into_iter().zip([Some(secret), Some(public), evaluation]) {
        let Some(pending) = pending else { continue };
        let (path, bytes) = (pending.path().to_owned(), pending.bytes()?);
        pending.commit()?;
        table.add_row([path.display().to_string(), output::bytes(bytes), what.to_owned()]);
        files.push(KeyFile { what, path, bytes });
    }
    let elapsed = start.elapsed();
    let products = if relinearization { "products" } else { "no products" };
    let table = output::render(&mut table);
    let human = format!(
        "{table}\n{products}, {}; {}",
        output::counted(galois_elements, "rotation"),
        output::seconds(elapsed)
    );
    let report = Report {
        parameters: session.id().to_string(),
        relinearization,
        galois_elements,
        files,
        seconds: elapsed.as_secs_f64(),
    };
    Output::report(&report, human)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_are_named_or_listed() {
        assert_eq!(rotations("sums"), Ok(Rotations::Sums));
        assert_eq!(rotations("none"), Ok(Rotations::None));
        assert_eq!(rotations("1, 2,-4"), Ok(Rotations::Steps(vec![1, 2, -4])));
        assert!(rotations("all").is_err());
        assert!(rotations("1,,2").is_err());
    }
}
