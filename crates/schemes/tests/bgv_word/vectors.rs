//! The vectors of the independent model: `tests/vectors/bgv_word.json`.

use super::lab::{Big, scale, sum};
use cyclotron_ring::sample::device::DeviceStream;
use cyclotron_ring::sample::{SecretSeed, SmallPoly};
use cyclotron_ring::{Modulus, SimdLevel, ntt::NttTable};
use cyclotron_schemes::bgv_word::{
    BgvDevice, Command, CpuBgv, Digits, ErrorKind, Form, KeyRow, PublicKey, Refusal,
    RelinearizationKey, SecretKey, WordCiphertext, WordContext, WordLiteral, WordParameters,
};
use cyclotron_schemes::rlwe::SecurityPolicy;
use serde_json::Value;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/bgv_word.json");
const FORM: Form = Form::Coefficients;

fn signed(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|x| x.as_i64().unwrap()).collect()
}

fn unsigned(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|x| x.as_u64().unwrap()).collect()
}

fn polynomials(value: &Value) -> Vec<Vec<u64>> {
    value.as_array().unwrap().iter().map(unsigned).collect()
}

fn number(case: &Value, name: &str) -> u64 {
    case[name].as_u64().unwrap()
}

fn parameters(case: &Value, digits: Digits) -> WordParameters {
    let error = match case["error"].as_str().unwrap() {
        "ternary" => ErrorKind::Ternary,
        _ => ErrorKind::Binomial,
    };
    WordParameters::new(WordLiteral {
        degree: number(case, "n") as usize,
        factors: unsigned(&case["factors"]),
        root: Some(number(case, "root")),
        log_p: number(case, "log_p") as u32,
        digit_bits: number(case, "digit_bits") as u32,
        digits,
        error,
        security: SecurityPolicy::InsecureAcknowledged,
    })
    .unwrap()
}

fn secret_seed(case: &Value) -> SecretSeed {
    let hex = case["seed"].as_str().unwrap();
    SecretSeed::new(std::array::from_fn(|i| {
        u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()
    }))
}

/// A device with the keys of the case.
fn device(case: &Value, digits: Digits) -> CpuBgv {
    let context = WordContext::new(&parameters(case, digits)).unwrap();
    let s = signed(&case["secret"]).into_iter().map(|x| x as i32).collect();
    let secret = SecretKey::from_coefficients(&context, SmallPoly::from_coefficients(s)).unwrap();
    let public = &case["public"];
    let (p0, p1) = (unsigned(&public["p0"]), unsigned(&public["p1"]));
    let rows = case["relinearization"].as_array().unwrap().iter();
    let rows = rows.map(|row| KeyRow { b: unsigned(&row["b"]), a: unsigned(&row["a"]) }).collect();
    let mut device = CpuBgv::with_context(&context, 8);
    device.set_refusal(Refusal::Paper);
    device.load_public_key(&PublicKey::from_polynomials(&context, p0, p1).unwrap()).unwrap();
    device.load_secret_key(&secret).unwrap();
    let rows = RelinearizationKey::from_rows(&context, rows).unwrap();
    device.load_relinearization_key(&rows).unwrap();
    let run_counter = case["run_counter"].as_str().unwrap().parse().unwrap();
    device.load_seed(&secret_seed(case), run_counter).unwrap();
    device
}

fn parts(device: &mut CpuBgv, buffer: usize) -> Vec<Vec<u64>> {
    device.read_ciphertext(buffer).unwrap().parts().to_vec()
}

fn message(device: &mut CpuBgv, from: usize) -> Vec<u64> {
    device.run(&[Command::Decrypt { from, to: 7 }]).unwrap();
    let mut words = vec![0; device.context().parameters().degree()];
    device.read_message(7, &mut words).unwrap();
    words
}

fn check_randomness(case: &Value, parameters: &WordParameters) {
    let run_counter: u64 = case["run_counter"].as_str().unwrap().parse().unwrap();
    let stream = DeviceStream::new(&secret_seed(case), run_counter);
    for entry in case["encryptions"].as_array().unwrap() {
        let k = number(entry, "k") as u32;
        let noise = parameters.error().device();
        let drawn = stream.plaintext_with(k, parameters.degree(), noise).unwrap();
        for (name, found) in [("u", &drawn.u), ("e1", &drawn.e1), ("e2", &drawn.e2)] {
            let found: Vec<i64> = found.as_slice().iter().map(|&x| x.into()).collect();
            assert_eq!(found, signed(&entry[name]), "{name}");
        }
    }
}

fn check(case: &Value, digits: Digits, name: &str) {
    let mut device = device(case, digits);
    let entries = case["encryptions"].as_array().unwrap();
    let mut commands = Vec::new();
    for (buffer, entry) in entries.iter().enumerate() {
        device.write_message(buffer, &unsigned(&entry["message"])).unwrap();
        commands.push(Command::Encrypt { message: buffer, to: 2 + buffer, form: FORM });
    }
    commands.push(Command::Add { left: 2, right: 3, to: 4, form: FORM });
    device.run(&commands).unwrap();
    for (buffer, entry) in entries.iter().enumerate() {
        let expected = [unsigned(&entry["c0"]), unsigned(&entry["c1"])];
        assert_eq!(parts(&mut device, 2 + buffer), expected);
        let fresh = &case["fresh_messages"][buffer];
        assert_eq!(message(&mut device, 2 + buffer), unsigned(fresh));
        assert_eq!(fresh, &entry["message"]);
    }
    assert_eq!(parts(&mut device, 4), polynomials(&case["sum"]));
    assert_eq!(message(&mut device, 4), unsigned(&case["sum_message"]));

    for step in case["steps"].as_array().unwrap() {
        let multiply = Command::Multiply { left: 2, right: 3, to: 5, form: FORM };
        device.run(&[multiply, Command::KeySwitch { from: 5, to: 6, form: FORM }]).unwrap();
        assert_eq!(parts(&mut device, 5), polynomials(&step["tensor"]));
        let expected = polynomials(&step["key_switch"][name]["parts"]);
        assert_eq!(parts(&mut device, 6), expected);
        // The model goes on from the signed product.
        let signed_product = polynomials(&step["key_switch"]["signed"]["parts"]);
        let level = number(step, "level") as usize;
        let context = device.context().parameters().clone();
        let noise = context.noise().claimed(1.0);
        let product = WordCiphertext::from_parts(&context, level, signed_product, noise).unwrap();
        device.write_ciphertext(6, &product).unwrap();
        assert_eq!(message(&mut device, 6), unsigned(&step["product_message"]));
        let Some(below) = step.get("mod_switch") else { continue };
        device
            .run(&[Command::ModSwitch { from: 6, to: 2 }, Command::ModSwitch { from: 3, to: 3 }])
            .unwrap();
        assert_eq!(parts(&mut device, 2), polynomials(&below["product"]));
        assert_eq!(parts(&mut device, 3), polynomials(&below["right"]));
        assert_eq!(message(&mut device, 2), unsigned(&below["product_message"]));
    }
}

/// `sum_i D_i 2^(w i)` is the third polynomial, and digits are in their range.
fn check_digits(case: &Value) {
    let factors = unsigned(&case["factors"]);
    let (w, n) = (number(case, "digit_bits"), number(case, "n") as usize);
    for step in case["steps"].as_array().unwrap() {
        let level = number(step, "level") as usize;
        let q: i128 = factors[..=level].iter().map(|&q| i128::from(q)).product();
        for name in ["signed", "unsigned"] {
            let digits = step["key_switch"][name]["digits"].as_array().unwrap();
            let low = if name == "signed" { -(1i64 << (w - 1)) } else { 0 };
            let mut total: Big = vec![0; n];
            for (i, row) in digits.iter().enumerate() {
                let row = signed(row);
                let inside = row.iter().all(|d| (low..low + (1 << w)).contains(d));
                assert!(inside || i + 1 == digits.len());
                let row = row.into_iter().map(i128::from).collect();
                total = sum(&total, &scale(&row, 1 << (w * i as u64)));
            }
            let d2 = unsigned(&step["tensor"][2]);
            let same = total.iter().zip(&d2).all(|(x, &y)| x.rem_euclid(q) == y.into());
            assert!(same, "{name}");
        }
    }
}

#[test]
fn the_device_returns_the_vectors() {
    let file: Value = serde_json::from_slice(&std::fs::read(VECTORS).unwrap()).unwrap();
    let cases = file["cases"].as_array().unwrap();
    let degrees: Vec<u64> = cases.iter().map(|case| number(case, "n")).collect();
    assert_eq!(degrees, [8, 8, 16, 16, 32, 64, 128]);
    for case in cases {
        check_randomness(case, &parameters(case, Digits::Signed));
        check_digits(case);
        check(case, Digits::Signed, "signed");
        check(case, Digits::Unsigned, "unsigned");
        let q = unsigned(&case["factors"]).iter().product();
        let table = NttTable::with_root(
            number(case, "n") as usize,
            Modulus::new(q).unwrap(),
            number(case, "root"),
        );
        let entry = &case["encryptions"][0];
        let mut values = unsigned(&entry["c0"]);
        table.unwrap().forward(SimdLevel::Scalar, &mut values);
        assert_eq!(values, unsigned(&entry["c0_values"]));
    }
}
