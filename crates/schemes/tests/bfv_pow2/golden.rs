//! The stored files of every version of the format, which must load for ever: the kinds 8 to 13.
//!
//! `tests/golden/pow2-v1` holds, for each set of [`sets`], one file of every kind, and
//! `expected.json` says what they decrypt to. To store the files of a new version, once [`VERSION`]
//! has been raised:
//!
//! ```sh
//! CYCLOTRON_GOLDEN_POW2=tests/golden/pow2-v2 cargo test -p cyclotron-schemes --test bfv_pow2 golden
//! ```
//!
//! The path is relative to `crates/schemes`; a folder that exists is never written to. Files of
//! old versions are never made again: what wrote them is gone.

use super::lab::{Lab, parameters, preset};
use cyclotron_schemes::bfv_pow2::{
    Ciphertext, Decryptor, Evaluator, Plaintext, Pow2Context, Pow2Parameters, Pow2Vector,
    PublicKey, RelinearizationKey, SecretKey,
};
use cyclotron_schemes::files::{
    Pow2Stored, VERSION, inspect_path, load_pow2_parameters, save_pow2_parameters,
    write_pow2_parameters,
};
use cyclotron_schemes::vector::Values;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files of a set.
const FILES: [&str; 8] = [
    "parameters",
    "secret-key",
    "public-key",
    "relinearization-key",
    "fresh",
    "product",
    "signed",
    "unsigned",
];

/// A set of the papers, and one whose moduli fill neither bytes nor limbs.
pub fn sets() -> [(&'static str, Pow2Parameters); 2] {
    [("mini", preset("PAPER_BFV_MINI_16_T8")), ("odd", parameters(8, 43, 6, 30))]
}

/// The message of `fresh`.
pub fn message(parameters: &Pow2Parameters) -> Vec<u64> {
    (0..parameters.degree() as u64).map(|i| (5 * i + 1) & parameters.mask_t()).collect()
}

/// The square of a message, by the definition.
fn square(message: &[u64], parameters: &Pow2Parameters) -> Vec<u64> {
    let n = message.len();
    let mut out = vec![0u64; n];
    for (i, x) in message.iter().enumerate() {
        for (j, y) in message.iter().enumerate() {
            let at = &mut out[(i + j) % n];
            *at = if i + j < n { at.wrapping_add(x * y) } else { at.wrapping_sub(x * y) };
        }
    }
    out.iter().map(|x| x & parameters.mask_t()).collect()
}

/// The values of the vectors: three ciphertexts, of which the last is not full.
pub fn values(parameters: &Pow2Parameters, signed: bool) -> Vec<i64> {
    let t = 1i64 << parameters.log_t();
    let least = if signed { -t / 2 } else { 0 };
    (0..2 * parameters.degree() as i64 + 3).map(|i| least + (7 * i) % t).collect()
}

/// Writes the files of the present version into a new folder.
fn generate(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir(folder)?;
    let mut expected = Map::new();
    for (name, parameters) in sets() {
        let mut lab = Lab::new(&parameters);
        let own = folder.join(name);
        std::fs::create_dir(&own)?;
        let path = |file: &str| own.join(format!("{file}.cyc"));
        save_pow2_parameters(&parameters, &path("parameters")).unwrap();
        lab.keys.secret.save(&lab.context, &path("secret-key")).unwrap();
        lab.keys.public.save(&lab.context, &path("public-key")).unwrap();
        let key = lab.relinearization.as_ref().unwrap();
        key.save(&lab.context, &path("relinearization-key")).unwrap();
        let message = message(&parameters);
        let plaintext = Plaintext::new(&parameters, message.clone()).unwrap();
        let fresh = lab.encryptor.encrypt(&plaintext).unwrap();
        fresh.save(&lab.context, &path("fresh")).unwrap();
        let product = lab.evaluator.multiply(&fresh, &fresh).unwrap();
        product.save(&lab.context, &path("product")).unwrap();
        let mut found = json!({ "fresh": message, "product": square(&message, &parameters) });
        for (name, signed) in [("signed", true), ("unsigned", false)] {
            let values = values(&parameters, signed);
            let given = Values::I64(&values);
            let (vector, _) = lab.encryptor.encrypt_vector(&lab.context, given, signed).unwrap();
            vector.save(&lab.context, &path(name)).unwrap();
            found[name] = json!(values);
        }
        expected.insert(name.to_owned(), found);
    }
    let text = serde_json::to_string_pretty(&json!({ "version": VERSION, "sets": expected }))?;
    std::fs::write(folder.join("expected.json"), text + "\n")
}

/// Loads every file of a folder, decrypts, computes, and writes the same bytes again.
fn verify(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&text).unwrap();
    let current = expected["version"] == json!(VERSION);
    let sets = expected["sets"].as_object().unwrap();
    assert!(!sets.is_empty());
    for (set, expected) in sets {
        let own = folder.join(set);
        let path = |file: &str| own.join(format!("{file}.cyc"));
        let same = |file: &str, bytes: Vec<u8>| {
            let stored = std::fs::read(path(file)).unwrap();
            assert!(!current || stored == bytes, "{set}/{file} is written otherwise");
        };
        let parameters = load_pow2_parameters(&path("parameters")).unwrap();
        let mut bytes = Vec::new();
        write_pow2_parameters(&parameters, &mut bytes).unwrap();
        same("parameters", bytes);

        let context = Pow2Context::new(&parameters).unwrap();
        let secret = SecretKey::load(&context, &path("secret-key")).unwrap();
        same("secret-key", secret.to_bytes(&context).unwrap());
        let public = PublicKey::load(&context, &path("public-key")).unwrap();
        same("public-key", public.to_bytes(&context).unwrap());
        let key = RelinearizationKey::load(&context, &path("relinearization-key")).unwrap();
        same("relinearization-key", key.to_bytes(&context).unwrap());

        let decryptor = Decryptor::new(&context, &Arc::new(secret)).unwrap();
        let evaluator = Evaluator::new(&context, Some(&key)).unwrap();
        let words = |name: &str| -> Vec<u64> {
            let list = expected[name].as_array().unwrap();
            list.iter().map(|value| value.as_u64().unwrap()).collect()
        };
        let decrypt = |ciphertext: &Ciphertext| {
            decryptor.decrypt(ciphertext).unwrap().coefficients().to_vec()
        };
        for (name, parts) in [("fresh", 2), ("product", 3)] {
            let ciphertext = Ciphertext::load(&context, &path(name)).unwrap();
            assert_eq!(ciphertext.parts().len(), parts);
            assert_eq!(decrypt(&ciphertext), words(name), "{set}/{name}");
            same(name, ciphertext.to_bytes(&context).unwrap());
            // The keys serve the ciphertexts that they were stored with.
            if name == "product" {
                let linear = evaluator.relinearize(&ciphertext).unwrap();
                assert_eq!(decrypt(&linear), words(name), "{set}/{name}");
            }
        }
        for (name, signed) in [("signed", true), ("unsigned", false)] {
            let vector = Pow2Vector::load(&context, &path(name)).unwrap();
            assert_eq!((vector.is_signed(), vector.ciphertexts().len()), (signed, 3));
            let (values, _) = decryptor.decrypt_vector(&vector, None).unwrap();
            assert_eq!(json!(*values), expected[name], "{set}/{name}");
            same(name, vector.to_bytes(&context).unwrap());
        }
        for file in FILES {
            inspect_path(&path(file)).unwrap();
        }
        // Each file is expected, and each expected one is there.
        assert_eq!(std::fs::read_dir(&own).unwrap().count(), FILES.len());
    }
}

#[test]
fn stored_files_of_every_version_load_for_ever() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for version in 1..=VERSION {
        verify(&root.join(format!("pow2-v{version}")));
    }
}

#[test]
fn the_generator_makes_such_files_and_never_writes_over_old_ones() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = match std::env::var_os("CYCLOTRON_GOLDEN_POW2") {
        Some(folder) => PathBuf::from(folder),
        None => temporary.path().join("new"),
    };
    generate(&folder).unwrap();
    verify(&folder);
    let error = generate(&folder).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
}
