//! Parameters modulo a power of two: the whole way, on the processor and on the simulated devices,
//! which write the same bytes for the same seed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says so what it demands")]

mod common;

use common::{Place, numbers};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::sync::OnceLock;

const SEED: &str = "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef\n";

/// Parameters `p.params`, keys in `keys`, a seed.
fn with_keys(preset: &str) -> Place {
    let place = Place::new();
    place.ok(&format!("params --preset {preset} --acknowledge-insecure -o p.params"));
    place.ok("keygen -p p.params -o keys");
    place.write("seed.hex", SEED);
    place
}

/// Two columns of so many values of eight bits.
fn columns(length: i64) -> (String, Vec<i64>, Vec<i64>) {
    let x: Vec<i64> = (0..length).map(|i| i * 37 % 256 - 128).collect();
    let y: Vec<i64> = (0..length).map(|i| i * i % 256 - 128).collect();
    let mut text = String::from("x,y\n");
    for (x, y) in x.iter().zip(&y) {
        writeln!(text, "{x},{y}").unwrap();
    }
    (text, x, y)
}

#[test]
fn processor_and_device_write_the_same_bytes_and_read_each_other() {
    // 38 ciphertexts a column are three runs; at the paper's size, two ciphertexts are one.
    for (preset, name, length) in [
        ("PAPER_BFV_MINI_16_T8", "bfv-crypt", 600),
        ("PAPER_BFV_1024", "bfv-crypt", 1500),
        ("PAPER_BFV_MINI_4", "bfv-mini", 150),
        ("PAPER_BFV_MINI_8", "bfv-mini", 150),
        ("PAPER_BFV_MINI_16", "bfv-mini", 600),
    ] {
        let place = with_keys(preset);
        let (text, x, y) = columns(length);
        place.write("data.csv", text);
        let encrypt = "encrypt -p p.params -k keys/public.key -i data.csv --seed-file seed.hex";
        let cpu = place.json(&format!("{encrypt} -o cpu --run-counter 5"));
        let device = place.json(&format!("{encrypt} -o rtl --run-counter 5 --device {name}"));
        assert_eq!((&cpu["device"], &cpu["compute_cycles"]), (&"cpu".into(), &Value::Null));
        assert_eq!((&device["device"], &device["simulated"]), (&name.into(), &true.into()));
        for count in ["compute_cycles", "transfer_cycles"] {
            assert!(device[count].as_u64().unwrap() > 0, "{device}");
        }
        for column in ["x.ct", "y.ct"] {
            let read = |folder: &str| fs::read(place.path(&format!("{folder}/{column}"))).unwrap();
            assert_eq!(read("cpu"), read("rtl"), "{preset} {column}");
        }
        assert_ne!(
            fs::read(place.path("cpu/x.ct")).unwrap(),
            fs::read(place.path("cpu/y.ct")).unwrap()
        );
        for (files, by) in [("cpu", name), ("rtl", "cpu")] {
            let line = format!("-i {files}/x.ct {files}/y.ct --device {by}");
            let report = place.json(&format!("decrypt -p p.params -k keys/secret.key {line}"));
            assert_eq!(numbers(&report["columns"][0]["values"]), x, "{preset} {by}");
            assert_eq!(numbers(&report["columns"][1]["values"]), y, "{preset} {by}");
            assert!(report["columns"][0]["margin_bits"].as_f64().unwrap() > 1.0);
            assert_eq!(report["compute_cycles"].is_u64(), by == name);
        }
    }
}

#[test]
fn seeds_and_run_counters_are_what_differs() {
    let place = with_keys("PAPER_BFV_MINI_16_T8");
    place.write("data.csv", "x\n1\n2\n");
    let encrypt = "encrypt -p p.params -k keys/public.key -i data.csv";
    place
        .run(&format!("{encrypt} -o a.ct --seed-file seed.hex"))
        .success()
        .stderr(predicates::str::contains("warning: a given seed repeats its randomness"));
    place.ok(&format!("{encrypt} -o b.ct --seed-file seed.hex --run-counter 1"));
    place.ok(&format!("{encrypt} -o c.ct"));
    place.ok(&format!("{encrypt} -o d.ct"));
    let read = |name: &str| fs::read(place.path(name)).unwrap();
    let files = ["a.ct", "b.ct", "c.ct", "d.ct"].map(read);
    for (i, file) in files.iter().enumerate() {
        assert!(files[..i].iter().all(|other| other != file));
    }
    for name in ["a.ct", "b.ct", "c.ct", "d.ct"] {
        let text = place.ok(&format!("decrypt -p p.params -k keys/secret.key -i {name} -q"));
        assert_eq!(text, "1\n2\n");
    }
}

#[test]
fn files_say_what_they_are() {
    let place = with_keys("PAPER_BFV_MINI_16_T8");
    assert_eq!(place.names("keys"), ["evaluation.key", "public.key", "secret.key"]);
    place.write("data.csv", format!("x\n{}", "200\n".repeat(20)));
    place.ok("encrypt -p p.params -k keys/public.key -i data.csv -o x.ct --unsigned");
    let line =
        "inspect -p p.params p.params keys/secret.key keys/public.key keys/evaluation.key x.ct";
    let report = place.json(line);
    let files = report["files"].as_array().unwrap();
    let kinds: Vec<&str> =
        files.iter().map(|file| file["records"][0]["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "parameters modulo 2^k",
            "secret key modulo 2^k",
            "public key modulo 2^k",
            "relinearisation key modulo 2^k",
            "encrypted vector modulo 2^k"
        ]
    );
    assert_eq!(files[0]["parameters"]["degree"], 16);
    assert_eq!(files[4]["records"][0]["summary"]["length"], "20");
    assert_eq!(files[4]["records"].as_array().unwrap().len(), 3);
    assert!(files[4]["noise"]["margin_bits"].as_f64().unwrap() > 1.0);
    for text in place.ok(line).lines().chain(place.ok("params list").lines()) {
        assert!(text.chars().count() <= 100, "{text}");
    }
    let decrypted = place.json("decrypt -p p.params -k keys/secret.key -i x.ct");
    assert_eq!(numbers(&decrypted["columns"][0]["values"]), [200; 20]);
    // Without a factor for relinearisation there is no third key.
    let bare = with_keys("PAPER_BFV_1024");
    assert_eq!(bare.names("keys"), ["public.key", "secret.key"]);
    let mode = "params --preset POW2_2048 -o secure.params";
    bare.run(mode).success().stderr("");
}

/// Keys, data and a ciphertext that tests only read.
fn place() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| {
        let place = with_keys("PAPER_BFV_MINI_16_T8");
        place.write("data.csv", "x\n1\n-2\n3\n");
        place.ok("encrypt -p p.params -k keys/public.key -i data.csv -o x.ct");
        place.ok("keygen -p p.params -o others");
        place.ok("params --preset POW2_2048 -o large.params");
        place.ok("keygen -p large.params -o large");
        place.ok("encrypt -p large.params -k large/public.key -i data.csv -o large.ct");
        place.ok("params --preset TOY_64 --scheme bfv --acknowledge-insecure -o primes.cyc");
        place.ok("keygen -p primes.cyc -o primes");
        place.ok("encrypt -p primes.cyc -k primes/public.key -i data.csv -o primes.ct");
        place.write("short.hex", "0123\n");
        place.write("word.hex", "x".repeat(64));
        place.write("zero.hex", "0".repeat(64));
        place
    })
}

fn refused(line: &str, code: i32, kind: &str, words: &[&str]) {
    let text = place().refused(line, code, kind);
    for word in words {
        assert!(text.contains(word), "{line}: {text:?} lacks {word:?}");
    }
    let names = place().names(".");
    assert!(
        !names.iter().any(|name| name.starts_with("out") || name.starts_with('.')),
        "{names:?}"
    );
}

#[test]
fn devices_that_do_not_fit() {
    let encrypt = "encrypt -p p.params -k keys/public.key -i data.csv -o out";
    let decrypt = "decrypt -p p.params -k keys/secret.key -i x.ct";
    for line in [encrypt, decrypt] {
        refused(&format!("{line} --device fpga"), 2, "device", &["fpga", "bfv-crypt", "try:"]);
    }
    let large = "decrypt -p large.params -k large/secret.key -i large.ct --device bfv-crypt";
    refused(large, 1, "device_mismatch", &["2048", "1024", "--device cpu"]);
    let primes = "encrypt -p primes.cyc -k primes/public.key -i data.csv -o out";
    refused(
        &format!("{primes} --device bfv-crypt"),
        2,
        "device",
        &["bfv-crypt", "primes.cyc", "PAPER_BFV_1024"],
    );
    let primes = "decrypt -p primes.cyc -k primes/secret.key -i primes.ct --device bfv-crypt";
    refused(primes, 2, "device", &["primes.cyc"]);
}

#[test]
fn seeds_that_do_not_serve() {
    let encrypt = "encrypt -p p.params -k keys/public.key -i data.csv -o out";
    let with = |rest: &str| format!("{encrypt} --seed-file {rest}");
    refused(&with("none.hex"), 3, "not_found", &["none.hex"]);
    refused(&with("short.hex"), 3, "seed", &["4 characters", "64"]);
    refused(&with("word.hex"), 3, "seed", &["no hex digit"]);
    refused(&with("zero.hex"), 1, "seed", &["zero"]);
    let last = "seed.hex --run-counter 18446744073709551615";
    refused(&with(last), 1, "run_counter", &["18446744073709551615"]);
    for device in ["cpu", "bfv-crypt"] {
        let last = format!("zero.hex --device {device}");
        refused(&with(&last), 1, "seed", &["zero"]);
    }
    refused(&format!("{encrypt} --run-counter 1"), 2, "usage", &["--seed-file"]);
    let primes = "encrypt -p primes.cyc -k primes/public.key -i data.csv -o out";
    refused(&format!("{primes} --seed-file seed.hex"), 2, "seed", &["primes.cyc"]);
}

#[test]
fn parameters_and_values_that_do_not_fit() {
    refused("params --preset PAPER_BFV_1024 -o out.params", 1, "insecure", &["--acknowledge"]);
    refused("params --preset PAPER_BFV_2 -o out.params", 2, "usage", &["--scheme"]);
    let line = "params --preset PAPER_BFV_1024 --scheme bgv --acknowledge-insecure -o out.params";
    refused(line, 2, "usage", &["bgv"]);
    let line = "params --preset PAPER_BFV_1024 --modulus 97 --acknowledge-insecure -o out.params";
    refused(line, 2, "usage", &["--modulus"]);
    refused("keygen -p p.params -o out --rotations 1", 2, "rotations", &["p.params"]);
    place().write("wide.csv", "x\n1\n200\n");
    let wide = "encrypt -p p.params -k keys/public.key -i wide.csv -o out";
    refused(wide, 1, "value_out_of_range", &["row 2", "200", "-128 ... 127", "--unsigned"]);
    let eval = "eval -p p.params --let x=x.ct x+1 -o out.ct";
    refused(eval, 1, "unsupported", &["p.params", "cyclotron.pow2"]);
}

#[test]
fn files_mixed_up() {
    for (line, code, kind, word) in [
        ("keygen -p x.ct -o out", 3, "format", "holds encrypted vector modulo 2^k"),
        ("keygen -p keys/secret.key -o out", 3, "format", "holds secret key modulo 2^k"),
        (
            "encrypt -p p.params -k keys/secret.key -i data.csv -o out",
            3,
            "format",
            "holds secret key modulo 2^k",
        ),
        ("encrypt -p p.params -k primes/public.key -i data.csv -o out", 3, "format", "public key"),
        ("encrypt -p primes.cyc -k keys/public.key -i data.csv -o out", 3, "format", "modulo 2^k"),
        (
            "encrypt -p p.params -k large/public.key -i data.csv -o out",
            3,
            "parameter_mismatch",
            "belongs to parameters",
        ),
        ("decrypt -p p.params -k keys/public.key -i x.ct", 3, "format", "holds public key"),
        ("decrypt -p p.params -k keys/secret.key -i primes.ct", 3, "format", "holds ciphertext"),
        ("decrypt -p primes.cyc -k primes/secret.key -i x.ct", 3, "format", "modulo 2^k"),
        (
            "decrypt -p p.params -k keys/secret.key -i large.ct",
            3,
            "parameter_mismatch",
            "belongs to parameters",
        ),
        ("inspect -p large.params x.ct", 3, "parameter_mismatch", "belongs to parameters"),
        ("inspect -p large.params keys/public.key", 3, "parameter_mismatch", "belongs to"),
        ("decrypt -p p.params -k others/secret.key -i x.ct", 1, "noise_measured", "another key"),
        (
            "decrypt -p p.params -k others/secret.key -i x.ct --device bfv-crypt",
            1,
            "noise_measured",
            "another key",
        ),
    ] {
        refused(line, code, kind, &[word]);
    }
    let bytes = fs::read(place().path("x.ct")).unwrap();
    for length in [0, 40, 100, bytes.len() / 2, bytes.len() - 1] {
        let name = format!("cut{length}.ct");
        place().write(&name, &bytes[..length]);
        let line = format!("decrypt -p p.params -k keys/secret.key -i {name}");
        refused(&line, 3, "format", &[&name]);
    }
    for at in [70, bytes.len() / 2] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 4;
        place().write("flipped.ct", &flipped);
        let line = "decrypt -p p.params -k keys/secret.key -i flipped.ct";
        refused(line, 3, "format", &["flipped.ct"]);
    }
}
