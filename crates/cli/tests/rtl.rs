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
fn leveled_circuits_of_the_bgv_device_equal_the_processors() {
    let place = Place::new();
    for device in ["bgv-core:toy16", "bgv-core"] {
        let line = format!("rtl run {device} --acknowledge-insecure");
        let report = place.json(&line);
        assert_eq!(report["identical"], true);
        let circuits = report["circuits"].as_array().unwrap();
        // Where no configuration is built for two products, they run as built and on the processor.
        let (one, built, two, paper) = match &circuits[..] {
            [one, two, paper] if device == "bgv-core" => (one, None, two, paper),
            [one, built, two, paper] if device != "bgv-core" => (one, Some(built), two, paper),
            other => panic!("{other:?}"),
        };
        let run = if built.is_none() { two } else { one };
        for circuit in [one, built.unwrap_or(run), paper] {
            assert_eq!(circuit["on_device"], true);
            let n = circuit["degree"].as_u64().unwrap();
            assert_eq!(n, if device == "bgv-core" { 128 } else { 16 });
            let steps = circuit["steps"].as_array().unwrap();
            let alone: u64 = steps.iter().map(|step| step["cycles"].as_u64().unwrap()).sum();
            let cycles = circuit["cycles"].as_u64().unwrap();
            assert!(cycles > 4 * n && cycles < alone, "{cycles} in one program, {alone} alone");
            // Every result in full, after both ways.
            assert!(circuit["words_compared"].as_u64().unwrap() > 4 * n * steps.len() as u64 - n);
        }
        // One product below its bounds, decrypted one level down.
        assert_eq!((&one["exact"], &one["refused_strictly"]), (&true.into(), &Value::Null));
        let steps = one["steps"].as_array().unwrap();
        let names: Vec<&str> = steps.iter().map(|step| step["command"].as_str().unwrap()).collect();
        assert_eq!(names[names.len() - 1], "decrypt 9 -> 10");
        assert_eq!(steps[names.len() - 2]["level"], 1);
        for step in &steps[..names.len() - 1] {
            let noise = step["noise_measured"].as_f64().unwrap();
            assert!(noise <= step["noise_bound"].as_f64().unwrap(), "{step}");
            assert_eq!(step["exact"], true);
        }
        // What the device was built for allows no second product; the set made for it does.
        if let Some(built) = built {
            let said = built["refused_strictly"].as_str().unwrap();
            assert!(said.contains("the noise may reach"), "{said}");
            assert!(built["note"].as_str().unwrap().contains("174337 * 769"), "{built}");
        }
        assert_eq!(
            (&two["exact"], &two["on_device"], &two["refused_strictly"]),
            (&true.into(), &built.is_none().into(), &Value::Null)
        );
        assert_eq!(paper["plaintext_modulus"], 32);
        if device == "bgv-core" {
            assert!(paper["refused_strictly"].as_str().unwrap().contains("command 2: multiply"));
        }
    }
    // However results are kept between commands, words and messages are the same.
    let kept = place.json("rtl run bgv-core:toy16 --acknowledge-insecure --form evaluations");
    assert_eq!((&kept["identical"], &kept["circuits"][0]["exact"]), (&true.into(), &true.into()));
    let text = place.ok("rtl run bgv-core:toy16 --acknowledge-insecure");
    assert!(text.contains("decryption exact") && text.contains("decrypt 9 -> 10"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn operations_of_the_bgv_device_are_counted() {
    let place = Place::new();
    let all = "encrypt,decrypt,add,multiply,key-switch,mod-switch,add-chain,multiply-chain";
    let report = place.json(&format!(
        "rtl run --device bgv-core:toy16 --acknowledge-insecure --items 1,9 --operation {all}"
    ));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 16);
    let n = 16;
    for pair in rows.chunks(2) {
        let cycles = |row: &Value| row["compute_cycles"].as_u64().unwrap();
        let (one, nine) = (cycles(&pair[0]), cycles(&pair[1]));
        // A word a cycle and lane at the least; commands one behind another overlap.
        assert!(one >= n / 2 && nine > one && nine <= 9 * one + 64, "{one} {nine}");
        assert!(pair.iter().all(|row| row["identical"] == true));
        assert!(pair[0]["processor_seconds"].as_f64().unwrap() > 0.0);
        let chain = pair[1]["operation"].as_str().unwrap().ends_with("chain");
        assert_eq!(pair[1]["runs"], if chain { 2 } else { 1 });
    }
    for what in ["message", "ciphertext", "result", "keys"] {
        assert!(report["carried"][what].as_u64().unwrap() >= n, "{what}");
    }
    let line = "rtl run bgv-core:toy16 --acknowledge-insecure --operation";
    let slow = place.json(&format!("{line} decrypt --items 8 --units 2"));
    let fast = place.json(&format!("{line} decrypt --items 8"));
    let cycles = |report: &Value| report["rows"][0]["compute_cycles"].as_u64().unwrap();
    assert!(cycles(&slow) > cycles(&fast), "{slow} {fast}");
    let kept = place.json(&format!("{line} multiply-chain --items 2 --form evaluations"));
    assert_eq!(
        (&kept["form"], &kept["rows"][0]["identical"]),
        (&"evaluations".into(), &true.into())
    );
    let text = place.ok(&format!("{line} add"));
    assert!(text.contains("every word equal") && text.contains("all transform units"), "{text}");
}

#[test]
fn what_the_bgv_device_cannot_is_refused() {
    let place = Place::new();
    place.refused("rtl run bgv-core:toy16", 1, "insecure");
    place.refused("rtl run bgv-core:toy16 --operation add", 1, "insecure");
    let text = place.refused("rtl run bgv-core:huge --acknowledge-insecure", 2, "device");
    assert!(text.contains("bgv-core:huge"), "{text}");
    let known = "rtl run bgv-core:toy16 --acknowledge-insecure";
    for options in
        ["--degree 16", "--log-t 1", "--units 3", "--items 4", "--operation paper-encrypt"]
    {
        place.refused(&format!("{known} {options}"), 2, "usage");
    }
    // More units than there are: the device itself says so.
    let text = place.refused(&format!("{known} --operation add --units 99"), 1, "device_failed");
    assert!(text.contains("OPTION_RANGE"), "{text}");
    place.refused("rtl run bfv-crypt:toy16 --degree 16 --operation multiply", 2, "usage");
    place.refused("rtl run bfv-crypt:toy16 --degree 16 --units 3", 2, "usage");
    place.refused("rtl run bfv-crypt:toy16 --degree 16 --form evaluations", 2, "usage");
    let report = place.json("rtl info");
    let devices = report["bgv_devices"].as_array().unwrap();
    assert_eq!(devices[0]["name"], "bgv-core");
    let built = &devices[0]["configurations"][0];
    assert_eq!((&built["name"], &built["digit_bits"]), (&"bgv-core:toy16".into(), &13.into()));
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
