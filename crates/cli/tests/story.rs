//! The whole way: parameters, keys, encryption, computing without the secret key, decryption.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says so what it demands")]

mod common;

use common::{Place, copy, npy, numbers};
use std::fs;

const DATA: &str = "id,mean radius,weight\n1,17.99,-3\n2,20.57,0\n3,11.4,12\n4,0.01,7\n";

#[test]
fn client_and_cloud_with_both_schemes() {
    for scheme in ["bfv", "bgv"] {
        let client = Place::with_keys(scheme);
        client.write("data.csv", DATA);
        client.ok(
            "encrypt -p p.cyc -k keys/public.key -i data.csv --scale 100 -c 'mean radius' -o data",
        );
        client.ok("encrypt -p p.cyc -k keys/secret.key -i data.csv -c weight -o data");
        assert_eq!(client.names("data"), ["mean_radius.ct", "weight.ct"]);

        // The cloud has everything but the secret key.
        let cloud = Place::new();
        fs::create_dir(cloud.path("data")).unwrap();
        for file in [
            "p.cyc",
            "keys/public.key",
            "keys/evaluation.key",
            "data/mean_radius.ct",
            "data/weight.ct",
        ] {
            let name = file.rsplit('/').next().unwrap();
            let target = if name.ends_with(".ct") { file } else { name };
            copy(&client.path(file), &cloud.path(target));
        }
        let eval = "eval -p p.cyc -e evaluation.key --let data=data --let w=5,-1,0,2";
        for (name, expression) in [
            ("square", "sum(data.mean_radius^2)"),
            ("score", "data.mean_radius*w - 3*data.weight + 7"),
            ("dot", "dot(data.mean_radius, data.weight)"),
            ("whole", "data.weight"),
        ] {
            cloud.ok(&format!("{eval} '{expression}' -o {name}.ct"));
            copy(&cloud.path(&format!("{name}.ct")), &client.path(&format!("{name}.ct")));
        }

        let decrypt = "decrypt -p p.cyc -k keys/secret.key";
        let radius = [1799, 2057, 1140, 1];
        let square: i64 = radius.iter().map(|r| r * r).sum();
        assert_eq!(client.ok(&format!("{decrypt} -i square.ct")).trim(), square.to_string());
        let human = client.ok(&format!("{decrypt} -i square.ct --divide 10^4"));
        assert_eq!(human.trim(), "876.7251");
        let json = client.json(&format!("{decrypt} -i score.ct dot.ct"));
        assert_eq!(numbers(&json["columns"][0]["values"]), [9011, -2050, -29, -12]);
        assert_eq!(numbers(&json["columns"][1]["values"]), [-5397 + 13_680 + 7]);
        assert!(json["columns"][0]["margin_bits"].as_f64().unwrap() > 0.0);
        client.ok(&format!("{decrypt} -i score.ct whole.ct -o out.csv"));
        assert_eq!(client.text("out.csv"), "score,whole\n9011,-3\n-2050,0\n-29,12\n-12,7\n");
    }
}

#[test]
fn results_are_shrunk_unless_told_otherwise() {
    let place = Place::with_keys("bgv");
    place.write("data.csv", "x\n1\n2\n3\n");
    place.ok("encrypt -p p.cyc -k keys/public.key -i data.csv -o x.ct");
    let small = place.json("eval -p p.cyc --let x=x.ct 'x + 1' -o small.ct");
    let large = place.json("eval -p p.cyc --let x=x.ct 'x + 1' --no-shrink -o large.ct");
    assert_eq!(large["level"], large["max_level"]);
    assert!(small["level"].as_u64() < large["level"].as_u64());
    assert_eq!(
        small["bytes"].as_u64().unwrap(),
        fs::metadata(place.path("small.ct")).unwrap().len()
    );
    assert!(small["bytes"].as_u64() < large["bytes"].as_u64());
    for name in ["small", "large"] {
        let values = place.ok(&format!("decrypt -p p.cyc -k keys/secret.key -i {name}.ct"));
        assert_eq!(values, "2\n3\n4\n");
    }
}

#[test]
fn a_symmetric_ciphertext_is_half_as_large() {
    let place = Place::with_keys("bfv");
    place.write("data.csv", "x\n1\n2\n3\n");
    let size = |key: &str, file: &str| {
        let report =
            place.json(&format!("encrypt -p p.cyc -k keys/{key}.key -i data.csv -o {file}.ct"));
        report["files"][0]["bytes"].as_u64().unwrap()
    };
    assert!(size("secret", "a") * 3 < size("public", "b") * 2);
}

#[test]
fn numpy_arrays_go_in_and_come_out() {
    let place = Place::with_keys("bfv");
    let matrix: Vec<u8> = (-3i64..3).flat_map(i64::to_le_bytes).collect();
    place.write("m.npy", npy("<i8", "(3, 2)", &matrix));
    let vector: Vec<u8> = [7i32, -8, 9].iter().flat_map(|v| v.to_le_bytes()).collect();
    place.write("v.npy", npy("<i4", "(3,)", &vector));
    place.ok("encrypt -p p.cyc -k keys/public.key -i m.npy -o m");
    assert_eq!(place.names("m"), ["m_0.ct", "m_1.ct"]);
    place.ok("encrypt -p p.cyc -k keys/public.key -i v.npy -o v.ct");
    place.ok("eval -p p.cyc --let m=m --let v=v.npy 'm.m_0*v + m.m_1' -o r.ct");
    place.ok("decrypt -p p.cyc -k keys/secret.key -i r.ct -o r.npy");
    let bytes = fs::read(place.path("r.npy")).unwrap();
    // -3*7-2, -1*-8+0, 1*9+2 as int64 in C order.
    let expected: Vec<u8> = [-23i64, 8, 11].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert!(bytes.starts_with(b"\x93NUMPY") && bytes.ends_with(&expected));
    assert!(String::from_utf8_lossy(&bytes).contains("'shape': (3,"));
    assert!(String::from_utf8_lossy(&bytes).contains("<i8"));
    // Two columns become a matrix, row by row; decimals become floats.
    place.ok("decrypt -p p.cyc -k keys/secret.key -i r.ct v.ct --divide 10 -o s.npy");
    let bytes = fs::read(place.path("s.npy")).unwrap();
    let expected: Vec<u8> =
        [-2.3f64, 0.7, 0.8, -0.8, 1.1, 0.9].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert!(bytes.ends_with(&expected) && String::from_utf8_lossy(&bytes).contains("(3, 2"));
    // What came out goes in again.
    place.ok("encrypt -p p.cyc -k keys/public.key -i s.npy --scale 10 -o again");
    let again = place.ok("decrypt -p p.cyc -k keys/secret.key -i again/s_1.ct");
    assert_eq!(again, "7\n-8\n9\n");
}

#[test]
fn unsigned_values_reach_twice_as_far() {
    let place = Place::new();
    place.ok("params --preset TOY_64 --scheme bfv --acknowledge-insecure -o p.cyc");
    place.ok("keygen -p p.cyc -o keys --rotations none --no-relin");
    place.write("data.csv", "x\n200\n256\n0\n");
    let encrypt = "encrypt -p p.cyc -k keys/public.key -i data.csv -o";
    let text = place.refused(&format!("{encrypt} x.ct"), 1, "value_out_of_range");
    assert!(text.contains("row 1, column `x`: 200") && text.contains("-128 ... 128"), "{text}");
    place.ok(&format!("{encrypt} x.ct --unsigned"));
    place.ok("eval -p p.cyc --let x=x.ct 'x + 56' -o y.ct");
    // 256 + 56 modulo 257: arithmetic is modulo T, as the manual says.
    assert_eq!(place.ok("decrypt -p p.cyc -k keys/secret.key -i y.ct"), "256\n55\n56\n");
}

#[test]
fn chosen_parameters_are_secure_explained_and_pinned() {
    let place = Place::new();
    let request = "params --scheme bgv --bits 20 --depth 1 --terms 16";
    let explained = place.ok(&format!("{request} --explain"));
    for word in ["128 bits by guidelines-2024", "security: log2 QP", "noise:", "slots"] {
        assert!(explained.contains(word), "{explained}");
    }
    assert_eq!(place.names("."), Vec::<String>::new());
    let chosen = place.json(&format!("{request} -o p.cyc"));
    let inspected = place.json("inspect p.cyc");
    assert_eq!(inspected["files"][0]["parameters"], chosen["parameters"]);
    assert_eq!(chosen["parameters"]["security"]["bits"], 128);
    place.ok("keygen -p p.cyc -o keys --rotations 1,-1");
    place.write("x.csv", "x\n500\n-3\n");
    place.ok("encrypt -p p.cyc -k keys/public.key -i x.csv -o x.ct");
    place.ok(
        "eval -p p.cyc -e keys/evaluation.key --let x=x.ct 'rotate(x, 0)^2 + rotate(x, 1)' -o y.ct",
    );
    let values = place.ok("decrypt -p p.cyc -k keys/secret.key -i y.ct");
    let values: Vec<&str> = values.lines().take(3).collect();
    assert_eq!(values, ["249997", "9", "0"]);
}
