//! Encryption with the known answers of `docs/device-randomness.md`: a key of one reads `u` and the
//! errors off the ciphertext.

use cyclotron_ring::sample::SecretSeed;
use cyclotron_schemes::bfv_pow2::{CpuCrypt, CryptDevice, EncryptRun, PublicPolynomials};
use serde_json::Value;

const VECTORS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/device_randomness.json");

fn seed(text: &str) -> SecretSeed {
    let byte = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap();
    SecretSeed::new(std::array::from_fn(byte))
}

fn values(case: &Value, name: &str) -> Option<Vec<i64>> {
    let values = case[name]["values"].as_array()?;
    Some(values.iter().map(|x| x.as_i64().unwrap()).collect())
}

/// With `p0 = 0` and `p1 = 2^10`: `c0 = e1 + Delta m` and `c1 = 2^10 u + e2`.
#[test]
fn ciphertexts_have_the_known_randomness() {
    let vectors: Value = serde_json::from_slice(&std::fs::read(VECTORS).unwrap()).unwrap();
    let mut checked = 0;
    for case in vectors["cases"].as_array().unwrap() {
        let n = case["n"].as_u64().unwrap() as usize;
        let k = case["k"].as_u64().unwrap() as usize;
        let run_counter: u64 = case["run_counter"].as_str().unwrap().parse().unwrap();
        let (Some(u), Some(e1), Some(e2)) =
            (values(case, "u"), values(case, "e1"), values(case, "e2"))
        else {
            continue;
        };
        if k >= 16 || run_counter == u64::MAX || n > 1 << 15 {
            continue;
        }
        let seed = seed(case["seed"].as_str().unwrap());
        if seed.expose() == &[0; 32] {
            continue;
        }
        for log_q in [32, 64] {
            let mask = u64::MAX >> (64 - log_q);
            let mut p1 = vec![0; n];
            p1[0] = 1 << 10;
            let key = PublicPolynomials { p0: &vec![0; n], p1: &p1 };
            let messages = vec![3; (k + 1) * n];
            let run = EncryptRun { key, messages: &messages, seed: &seed, run_counter };
            let (mut c0, mut c1) = (vec![0; (k + 1) * n], vec![0; (k + 1) * n]);
            let mut device = CpuCrypt::new(n, log_q, 8).unwrap();
            device.encrypt(&run, &mut c0, &mut c1).unwrap();
            for i in 0..n {
                let expected = (e1[i] as u64).wrapping_add(3 << (log_q - 8)) & mask;
                assert_eq!(c0[k * n + i], expected, "{case}");
                let expected = ((u[i] << 10) + e2[i]) as u64 & mask;
                assert_eq!(c1[k * n + i], expected, "{case}");
            }
        }
        checked += 1;
    }
    assert!(checked >= 10, "{checked}");
}
