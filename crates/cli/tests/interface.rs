//! What people and programs see: tables, JSON, quiet, modes, pipes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says so what it demands")]

mod common;

use common::Place;
use predicates::prelude::*;
use std::process::{Command, Stdio};

#[test]
fn every_command_prints_one_json_object() {
    let place = Place::with_parameters("bfv");
    place.write("data.csv", "x\n1\n2\n");
    let engines = place.json("engines");
    assert_eq!(engines["engines"][0]["name"], "cpu");
    assert!(engines["simd_available"].as_array().unwrap().contains(&"scalar".into()));
    let lists = place.json("params list");
    assert!(lists["presets"].as_array().unwrap().iter().any(|row| row["name"] == "TOY_64"));
    assert!(lists["tables"].as_array().unwrap().iter().any(|row| row["max_log_qp"][0] == 881));
    let params = place.json("params --preset STANDARD_2018_8192 --scheme bgv --explain");
    assert_eq!(params["parameters"]["degree"], 8192);
    let keys = place.json("keygen -p p.cyc -o keys --rotations 1,2");
    assert_eq!(keys["files"][0]["path"], "keys/secret.key");
    // Two rotations and the row swap.
    assert_eq!(keys["galois_elements"], 3);
    let encrypted = place.json("encrypt -p p.cyc -k keys/public.key -i data.csv -o c");
    assert_eq!(encrypted["files"][0]["values"], 2);
    let result = place.json("eval -p p.cyc -e keys/evaluation.key --let x=c/x.ct x*x -o y.ct");
    assert!(result["margin_bits"].as_f64().unwrap() >= 1.0);
    let decrypted = place.json("decrypt -p p.cyc -k keys/secret.key -i y.ct --divide 10");
    assert_eq!(decrypted["columns"][0]["values"], serde_json::json!(["0.1", "0.4"]));
    let inspected = place.json("inspect -p p.cyc p.cyc keys/evaluation.key y.ct");
    let files = inspected["files"].as_array().unwrap();
    assert_eq!(files[0]["parameters"]["id"], params_id(&place));
    assert_eq!(files[1]["records"].as_array().unwrap().len(), 5);
    assert_eq!(files[2]["noise"]["margin_bits"], result["margin_bits"]);
}

fn params_id(place: &Place) -> serde_json::Value {
    place.json("inspect p.cyc")["files"][0]["records"][0]["parameters"].clone()
}

#[test]
fn tables_stay_within_a_hundred_columns() {
    let place = Place::with_keys("bfv");
    place.write("data.csv", "x\n1\n2\n");
    place.ok("encrypt -p p.cyc -k keys/public.key -i data.csv -o c");
    for line in [
        "engines",
        "params list",
        "params --scheme bfv --bits 90 --depth 3 --explain",
        "inspect p.cyc keys/secret.key keys/public.key keys/evaluation.key c/x.ct",
        "--help",
        "eval --help",
        "params --help",
    ] {
        for text in place.ok(line).lines() {
            assert!(text.chars().count() <= 100, "{line}: {text}");
        }
    }
}

#[test]
fn quiet_prints_values_and_nothing_else() {
    let place = Place::with_parameters("bfv");
    place.write("data.csv", "x\n1\n2\n");
    for line in [
        "keygen -p p.cyc -o keys --quiet",
        "encrypt -q -p p.cyc -k keys/public.key -i data.csv -o c",
        "eval -q -p p.cyc --let x=c/x.ct -x -o y.ct",
    ] {
        place.run(line).success().stdout("").stderr("");
    }
    place
        .run("decrypt -q -p p.cyc -k keys/secret.key -i y.ct")
        .success()
        .stdout("-1\n-2\n")
        .stderr("");
}

#[test]
fn what_is_not_secret_or_not_secure_is_said() {
    let place = Place::new();
    let line = "params --preset TOY_64 --scheme bfv --acknowledge-insecure -o p.cyc";
    place.run(line).success().stderr(predicate::str::contains("NOT SECURE"));
    place.run("keygen -p p.cyc -o keys").success().stderr(predicate::str::contains("NOT SECURE"));
    place.write("data.csv", "x\n1\n2\n");
    place.ok("encrypt -p p.cyc -k keys/public.key -i data.csv -o x.ct");
    place
        .run("eval -p p.cyc --let x=x.ct 0*x -o y.ct")
        .success()
        .stderr(predicate::str::contains("anybody can read it"));
}

#[test]
fn inspect_tells_of_all_files_that_it_can_read() {
    let place = Place::with_parameters("bfv");
    place.write("no.ct", "hello");
    place
        .run("inspect no.ct p.cyc")
        .code(3)
        .stdout(predicate::str::contains("p.cyc").and(predicate::str::contains("bfv")))
        .stderr(predicate::str::contains("no.ct"));
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_the_secret_key() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with_keys("bfv");
    let mode =
        |name: &str| std::fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("keys/secret.key"), 0o600);
    assert_ne!(mode("keys/public.key") & 0o044, 0);
    assert_eq!(place.names("keys"), ["evaluation.key", "public.key", "secret.key"]);
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let place = Place::new();
    for line in [&["params", "list"][..], &["engines", "--json"], &["--help"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cyclotron"))
            .args(line)
            .current_dir(place.path("."))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{line:?}: {done:?}");
        assert!(done.stderr.is_empty(), "{line:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn threads_do_not_change_results() {
    let place = Place::with_keys("bgv");
    place.write("data.csv", "x\n1\n2\n");
    place.ok("encrypt -p p.cyc -k keys/secret.key -i data.csv -o x.ct");
    for threads in ["1", "3"] {
        place.ok(&format!(
            "--threads {threads} eval -p p.cyc -e keys/evaluation.key --let x=x.ct sum(x^3) -o y{threads}.ct"
        ));
    }
    let read = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert_eq!(read("y1.ct"), read("y3.ct"));
}
