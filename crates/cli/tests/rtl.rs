//! `rtl` and `report`: what is claimed of the devices and of the attacks is shown or refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says so what it demands")]

mod common;

use common::Place;
use serde_json::Value;

#[test]
fn the_attack_breaks_the_papers_mode_and_not_the_default() {
    let place = Place::new();
    let report = place.json("rtl attack --keys 3 --degree 256 --text 'read me'");
    let keys = report["keys"].as_array().unwrap();
    assert_eq!(keys.len(), 3);
    for key in keys {
        assert_eq!(key["paper"]["found"], 1);
        assert_eq!(key["seed_found"], key["seed"]);
        assert_eq!(key["text_found"], "read me");
        assert_eq!(key["paper"]["states"], (1 << 20) - 1);
        assert_eq!(key["default"]["found"], 0);
    }
    let reuse = &report["reuse"];
    assert_eq!(
        (&reuse["paper"]["leaks"], &reuse["default"]["leaks"]),
        (&true.into(), &false.into())
    );
    assert!(reuse["paper"]["largest_distance"].as_u64() <= reuse["limit"].as_u64());
    let text = place.ok("rtl attack --keys 1 --degree 64 --text 'read me'");
    assert!(text.contains("plaintext: read me") && text.contains("none explains"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn the_attack_reads_the_ciphertexts_of_the_simulated_device() {
    let place = Place::new();
    let report = place.json("rtl attack --keys 2 --degree 16 --text 'read me' --device bfv-crypt");
    assert_eq!(report["device"], "bfv-crypt");
    assert_eq!(report["keys"][1]["text_found"], "read me");
}

#[test]
fn attacks_that_make_no_sense_are_refused() {
    let place = Place::new();
    for line in ["--degree 48", "--degree 8", "--degree 16 --text 'longer than the plaintext'"] {
        place.refused(&format!("rtl attack {line}"), 2, "parameter");
    }
    place.refused("rtl attack --degree 32 --text short --device bfv-crypt", 2, "device");
    place.refused("rtl attack --device nothing", 2, "device");
}

#[test]
fn devices_say_what_they_are() {
    let place = Place::new();
    let report = place.json("rtl info");
    let devices = report["devices"].as_array().unwrap();
    let device = devices.iter().find(|device| device["name"] == "bfv-crypt").unwrap();
    let configurations = device["configurations"].as_array().unwrap();
    let full = configurations.iter().find(|found| found["degree"] == 1024).unwrap();
    assert_eq!((&full["log_q"], &full["log_t"]), (&32.into(), &8.into()));
    assert_eq!((&full["max_plaintexts"], &full["max_ciphertexts"]), (&16.into(), &32.into()));
    assert!(place.ok("rtl info").contains("bfv-crypt"));
}

#[test]
fn a_run_counts_the_cycles_of_the_device() {
    let place = Place::new();
    let report = place.json("rtl run --degree 16 --items 1,16,40");
    let rows = report["rows"].as_array().unwrap();
    let cycles = |row: &Value| row["compute_cycles"].as_u64().unwrap();
    assert_eq!(rows.len(), 6);
    for row in rows {
        let items = row["items"].as_u64().unwrap();
        let polynomials = if row["operation"] == "encrypt" { 2 * items } else { items };
        // No fewer than a coefficient a cycle, and a fill and a drain more for each run.
        let runs = row["runs"].as_u64().unwrap();
        assert!(cycles(row) >= 16 * polynomials, "{row}");
        assert!(cycles(row) <= 16 * polynomials + runs * 64, "{row}");
        assert!(row["transfer_cycles"].as_u64().unwrap() > 0 && row["identical"] == true);
        assert!(row["processor_seconds"].as_f64().unwrap() > 0.0);
    }
    let report =
        place.json("rtl run --degree 16 --items 3 --operation paper-encrypt,paper-decrypt");
    let rows = report["rows"].as_array().unwrap();
    assert!(cycles(&rows[0]) >= 3 * 4 * 16 && cycles(&rows[1]) >= 3 * 2 * 16, "{rows:?}");
    place.run("rtl run --items 0").code(2);
    place.run("rtl run --device nothing").failure();
}

#[test]
fn a_report_without_python_says_what_is_missing() {
    let place = Place::new();
    let mut command = place.command("report bfv --json");
    let done = command.env("CYCLOTRON_PYTHON", "/nonexistent/python").assert().code(1);
    let error: Value = serde_json::from_slice(&done.get_output().stderr).unwrap();
    assert_eq!(error["error"]["kind"], "no_python");
    assert!(error["error"]["remedy"].as_str().unwrap().contains("CYCLOTRON_PYTHON"));
    place.run("report everything").code(2);
}
