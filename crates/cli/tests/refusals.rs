//! Every refusal has its exit code and kind, names the values, and leaves nothing behind.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says so what it demands")]

mod common;

use common::{Place, npy};
use std::fs;
use std::sync::OnceLock;

/// Keys, data and ciphertexts that tests only read; outputs all go to `out...` and never appear.
fn place() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| {
        let place = Place::with_keys("bfv");
        place.write("data.csv", "name,x,y\nanna,1,0.25\nbert,2,3\ncarl,-3,1e3\n");
        place.ok("encrypt -p p.cyc -k keys/public.key -i data.csv -c x -o x.ct");
        place.ok("encrypt -p p.cyc -k keys/public.key -i data.csv -c x -c y --scale 100 -o data");
        place.ok("params --preset TOY_1024 --scheme bgv --acknowledge-insecure -o other.cyc");
        place.ok("keygen -p other.cyc -o other --rotations none --no-relin");
        place.ok("keygen -p p.cyc -o bare --rotations none --no-relin");
        place
    })
}

/// Runs a line that must be refused and leave no output.
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
fn usage() {
    for line in [
        "",
        "frobnicate",
        "params",
        "params --scheme ckks --bits 20 --explain",
        "params --scheme bfv --bits 20",
        "params --scheme bfv --bits 20 --security 100 --explain",
        "params --scheme bfv --bits 20 --table 2019 --explain",
        "params --scheme bfv --preset TOY_64 --bits 20 --explain",
        "params --scheme bfv --bits 20 --acknowledge-insecure --explain",
        "keygen -p p.cyc -o out --rotations all",
        "encrypt -p p.cyc -k keys/public.key -i data.csv -o out --scale 20",
        "eval -p p.cyc --let 1x=x.ct x -o out.ct",
    ] {
        refused(line, 2, "usage", &["error"]);
    }
    refused("params --scheme bfv --bits 0 --explain", 2, "parameter", &["--bits is 0"]);
    refused("params --scheme bfv --preset NO --explain", 2, "parameter", &["NO", "TOY_64"]);
    refused("engines --threads 0", 2, "engine_configuration", &["at least one thread"]);
    let simd = place().command("engines").env("CYCLOTRON_SIMD", "sse9").assert().code(2);
    assert!(String::from_utf8_lossy(&simd.get_output().stderr).contains("scalar"));
}

#[test]
fn parameters_that_cannot_be_had() {
    refused(
        "params --scheme bfv --preset TOY_64 -o out.cyc",
        1,
        "insecure",
        &["--acknowledge-insecure", "150.0"],
    );
    refused(
        "params --scheme bfv --bits 60 --depth 99 -o out.cyc",
        1,
        "no_parameters",
        &["depth 99"],
    );
    refused("params --scheme bfv --bits 40 --limb-bits 99 -o out.cyc", 2, "parameter", &["99"]);
}

#[test]
fn data_that_is_not_as_it_should_be() {
    let encrypt = "encrypt -p p.cyc -k keys/public.key -o out -i";
    let with = |name: &str| format!("{encrypt} {name}");
    refused(&with("none.csv"), 3, "not_found", &["none.csv"]);
    refused(&with("x.ct"), 3, "unknown_data", &["\"ct\""]);
    refused(&with("data.csv"), 3, "value", &["row 1 (line 2)", "`name`", "anna"]);
    refused(&with("data.csv -c y"), 3, "value", &["0.25", "--scale 10^2"]);
    refused(&with("data.csv -c y --scale 10"), 3, "value", &["0.25 times 10^1", "--scale 10^2"]);
    refused(&with("data.csv -c z"), 2, "unknown_column", &["`z`", "name, x, y"]);
    refused(&with("data.csv -c x --scale 10^30"), 1, "value_out_of_range", &["row 1, column `x`"]);
    let put = |name: &str, bytes: &[u8]| place().write(name, bytes);
    put("nan.csv", b"x\n1\nNaN\n");
    refused(&with("nan.csv"), 3, "value", &["row 2 (line 3)", "NaN"]);
    put("hole.csv", b"x,y\n1,2\n3,\n");
    refused(&with("hole.csv"), 3, "value", &["row 2", "`y`", "no value"]);
    put("bare.csv", b"1,2\n3,4\n");
    refused(&with("bare.csv"), 3, "no_header", &["--no-header"]);
    put("long.csv", format!("x\n{}", "1\n".repeat(1025)).as_bytes());
    refused(&with("long.csv"), 1, "too_many_values", &["1025", "1024"]);
    put("float.npy", &npy("<f8", "(1,)", &1.5f64.to_le_bytes()));
    refused(&with("float.npy"), 3, "dtype", &["<f8", "--scale"]);
    refused(&with("float.npy --scale 1"), 3, "value", &["1.5", "--scale 10^1"]);
    put("nan.npy", &npy("<f8", "(1,)", &f64::NAN.to_le_bytes()));
    refused(&with("nan.npy --scale 1"), 3, "value", &["NaN"]);
    put("short.npy", &npy("<i8", "(2,)", &[0; 15]));
    refused(&with("short.npy"), 3, "npy", &["15 bytes", "16"]);
    let two = "encrypt -p p.cyc -k keys/public.key -i data.csv -c x -c y --scale 100 -o out.ct";
    refused(two, 2, "usage", &["2 columns"]);
}

#[test]
fn files_mixed_up() {
    let other = "belongs to parameters";
    for (line, kind, word) in [
        ("keygen -p x.ct -o out", "format", "holds ciphertext"),
        ("keygen -p keys/secret.key -o out", "format", "holds secret key"),
        ("keygen -p data.csv -o out", "format", "data.csv"),
        (
            "encrypt -p p.cyc -k keys/evaluation.key -i data.csv -c x -o out",
            "format",
            "evaluation keys",
        ),
        ("encrypt -p p.cyc -k x.ct -i data.csv -c x -o out", "format", "holds ciphertext"),
        (
            "encrypt -p p.cyc -k other/public.key -i data.csv -c x -o out",
            "parameter_mismatch",
            other,
        ),
        (
            "encrypt -p p.cyc -k other/secret.key -i data.csv -c x -o out",
            "parameter_mismatch",
            other,
        ),
        (
            "eval -p p.cyc -e keys/public.key --let x=x.ct x*x -o out.ct",
            "format",
            "holds public key",
        ),
        (
            "eval -p p.cyc -e keys/secret.key --let x=x.ct x*x -o out.ct",
            "format",
            "holds secret key",
        ),
        (
            "eval -p p.cyc -e other/evaluation.key --let x=x.ct x -o out.ct",
            "parameter_mismatch",
            other,
        ),
        ("eval -p p.cyc --let x=keys/public.key x+1 -o out.ct", "format", "holds public key"),
        ("eval -p other.cyc --let x=x.ct x+1 -o out.ct", "parameter_mismatch", other),
        ("decrypt -p p.cyc -k keys/public.key -i x.ct", "format", "holds public key"),
        ("decrypt -p p.cyc -k keys/secret.key -i keys/public.key", "format", "holds public key"),
        ("decrypt -p other.cyc -k keys/secret.key -i x.ct", "parameter_mismatch", other),
        ("decrypt -p p.cyc -k none.key -i x.ct", "not_found", "none.key"),
        ("decrypt -p p.cyc -k keys -i x.ct", "is_directory", "keys"),
        ("inspect data.csv", "format", "data.csv"),
        ("inspect none", "not_found", "none"),
        ("inspect -p other.cyc x.ct", "parameter_mismatch", other),
        ("inspect -p other.cyc keys/public.key", "parameter_mismatch", other),
    ] {
        refused(line, 3, kind, &[word]);
    }
}

#[test]
fn a_key_of_the_same_parameters_but_another_owner_gives_no_garbage() {
    refused("decrypt -p p.cyc -k bare/secret.key -i x.ct", 1, "noise_measured", &["another key"]);
}

#[test]
fn damaged_files() {
    let bytes = fs::read(place().path("x.ct")).unwrap();
    for length in [0, 7, 50, bytes.len() / 2, bytes.len() - 1] {
        let name = format!("cut{length}.ct");
        place().write(&name, &bytes[..length]);
        refused(&format!("eval -p p.cyc --let x={name} x+1 -o out.ct"), 3, "format", &[&name]);
        refused(&format!("inspect {name}"), 3, "format", &[&name]);
    }
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    place().write("flipped.ct", &flipped);
    refused("decrypt -p p.cyc -k keys/secret.key -i flipped.ct", 3, "format", &["flipped.ct"]);
}

#[test]
fn expressions() {
    let eval =
        "eval -p p.cyc -e keys/evaluation.key --let x=x.ct --let data=data --let w=1,2 -o out.ct";
    for (expression, code, kind, words) in [
        ("'x+'", 2, "expression", &["  | x+\n  |   ^"][..]),
        ("'sum(x'", 2, "expression", &["not closed", "   ^"]),
        ("'x/2'", 2, "expression", &["division", "  |  ^"]),
        ("'0.5*x'", 2, "expression", &["integers"]),
        ("'max(x)'", 2, "expression", &["sum, dot, rotate"]),
        ("'x+z'", 2, "unknown_name", &["`z`", "data, w, x", "  |   ^"]),
        ("'data'", 2, "unknown_name", &["data.x"]),
        ("'data.z'", 2, "unknown_name", &["one of x, y"]),
        ("'x.y'", 2, "unknown_name", &["no columns"]),
        ("'x^x'", 2, "type", &["encrypted"]),
        ("'sum(w)'", 2, "type", &["nothing in it is encrypted"]),
        ("'x*w'", 1, "encoding_mismatch", &["3 signed values", "2 public values", "rotate(v, 0)"]),
        ("'x + 10^20'", 1, "value_out_of_range", &["100000000000000000000"]),
        ("'x^99'", 1, "noise_exhausted", &["--depth"]),
    ] {
        refused(&format!("{eval} {expression}"), code, kind, words);
    }
    refused("eval -p p.cyc --let x=x.ct --let x=1 x -o out.ct", 2, "usage", &["twice"]);
    refused("eval -p p.cyc --let x=none.ct x -o out.ct", 3, "not_found", &["--let x", "none.ct"]);
    refused("eval -p p.cyc --let x=x.ct --scale y=10 x -o out.ct", 2, "usage", &["--let y"]);
    refused("eval -p p.cyc --let x=x.ct --scale x=10 x -o out.ct", 2, "usage", &["encrypted"]);
    refused(
        "eval -p p.cyc --let x=x.ct --let w=0.5 x*w -o out.ct",
        2,
        "value",
        &["--scale w=10^1"],
    );
    refused("eval -p p.cyc --let x=x.ct --let w=data.csv x*w.y -o out.ct", 3, "value", &["`name`"]);
}

#[test]
fn missing_keys() {
    let bare = "-p p.cyc -e bare/evaluation.key --let x=x.ct -o out.ct";
    for expression in ["x*x*x", "sum(x)", "'rotate(x,1)'"] {
        refused(&format!("eval {bare} {expression}"), 1, "missing_key", &["cyclotron keygen"]);
        let line = format!("eval -p p.cyc --let x=x.ct -o out.ct {expression}");
        refused(&line, 1, "missing_key", &["present: none"]);
    }
    // One product needs no key: its ciphertext has three parts, and stays so.
    let place = Place::with_parameters("bfv");
    place.ok("keygen -p p.cyc -o keys --rotations none --no-relin");
    place.write("data.csv", "x\n-3\n2\n");
    place.ok("encrypt -p p.cyc -k keys/public.key -i data.csv -o x.ct");
    place.ok("eval -p p.cyc --let x=x.ct x*x+1 -o y.ct");
    assert_eq!(place.ok("decrypt -p p.cyc -k keys/secret.key -i y.ct"), "10\n5\n");
}

#[test]
fn nothing_is_replaced_unless_forced() {
    let place = Place::with_keys("bfv");
    place.write("data.csv", "x\n1\n2\n");
    let lines = [
        ("params --preset TOY_64 --scheme bfv --acknowledge-insecure -o p2.cyc", "p2.cyc"),
        ("keygen -p p.cyc -o keys --rotations none", "keys/secret.key"),
        ("encrypt -p p.cyc -k keys/public.key -i data.csv -o c", "c/x.ct"),
        ("eval -p p.cyc --let x=c/x.ct x+1 -o y.ct", "y.ct"),
        ("decrypt -p p.cyc -k keys/secret.key -i y.ct -o y.csv", "y.csv"),
    ];
    for (line, file) in lines {
        if !place.path(file).exists() {
            place.ok(line);
        }
        let before = fs::read(place.path(file)).unwrap();
        let text = place.refused(line, 3, "exists");
        assert!(text.contains(file) && text.contains("--force"), "{text}");
        assert_eq!(fs::read(place.path(file)).unwrap(), before, "{line}");
    }
    // One key that is there is enough to make none.
    fs::remove_file(place.path("keys/public.key")).unwrap();
    place.refused(lines[1].0, 3, "exists");
    assert_eq!(place.names("keys"), ["evaluation.key", "secret.key"]);
    let secret = fs::read(place.path("keys/secret.key")).unwrap();
    place.ok(&format!("{} --force", lines[1].0));
    assert_ne!(fs::read(place.path("keys/secret.key")).unwrap(), secret);
    for (line, _) in [&lines[0], &lines[2], &lines[3], &lines[4]] {
        place.ok(&format!("{line} --force"));
    }
    assert_eq!(place.text("y.csv"), "y\n2\n3\n");
}

#[test]
fn columns_of_different_lengths_are_not_one_table() {
    let place = Place::with_keys("bfv");
    place.write("a.csv", "a\n1\n2\n");
    place.write("b.csv", "b\n1\n");
    for name in ["a", "b"] {
        place.ok(&format!("encrypt -p p.cyc -k keys/public.key -i {name}.csv -o {name}.ct"));
    }
    let line = "decrypt -p p.cyc -k keys/secret.key -i a.ct b.ct";
    let text = place.refused(&format!("{line} -o t.csv"), 2, "lengths");
    assert!(text.contains("2 of a, 1 of b") && !place.path("t.csv").exists());
    assert_eq!(place.ok(line), "a: 1 2\nb: 1\n");
    let line = format!("{line} -o t.txt");
    assert!(place.refused(&line, 2, "unknown_data").contains(".csv or .npy"));
}
