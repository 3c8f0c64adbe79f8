//! The stored files of every version of the format, which must load for ever.
//!
//! `tests/golden/v1` holds, for each set of [`RECIPES`], one file of every kind, and
//! `expected.json` says what the ciphertexts decrypt to. To store the files of a new version, once
//! [`VERSION`] has been raised:
//!
//! ```sh
//! CYCLOTRON_GOLDEN=tests/golden/v2 cargo test -p cyclotron-schemes --test files golden
//! ```
//!
//! The path is relative to `crates/schemes`; a folder that exists is never written to. Files of
//! old versions are never made again: what wrote them is gone.

use super::lab::{Lab, RECIPES, engine};
use cyclotron_schemes::files::{
    Stored, VERSION, inspect_path, load_parameters, save_parameters, write_parameters,
};
use cyclotron_schemes::rlwe::Mode;
use cyclotron_schemes::vector::{
    EncryptedVector, Operand, VectorContext, VectorEvaluationKeys, VectorEvaluator,
    VectorPublicKey, VectorSecretKey,
};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Writes the files of the present version into a new folder.
fn generate(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir(folder)?;
    let mut expected = Map::new();
    for recipe in RECIPES {
        let lab = Lab::new(recipe);
        let own = folder.join(recipe.name);
        std::fs::create_dir(&own)?;
        save_parameters(lab.context.parameters(), &own.join("parameters.cyc")).unwrap();
        lab.secret.save(&lab.context, &own.join("secret-key.cyc")).unwrap();
        lab.public.save(&lab.context, &own.join("public-key.cyc")).unwrap();
        lab.keys.save(&lab.context, &own.join("evaluation-keys.cyc")).unwrap();
        let mut values = Map::new();
        for sample in lab.samples() {
            sample.vector.save(&lab.context, &own.join(format!("{}.cyc", sample.name))).unwrap();
            let list: Vec<i64> = sample.values.iter().map(|&v| v.try_into().unwrap()).collect();
            values.insert(sample.name.to_owned(), json!(list));
        }
        expected.insert(recipe.name.to_owned(), Value::Object(values));
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
    for (set, samples) in sets {
        let own = folder.join(set);
        let same = |name: &str, bytes: Vec<u8>| {
            let stored = std::fs::read(own.join(name)).unwrap();
            assert!(!current || stored == bytes, "{set}/{name} is written otherwise");
        };
        let parameters = load_parameters(&own.join("parameters.cyc")).unwrap();
        let mut bytes = Vec::new();
        write_parameters(&parameters, &mut bytes).unwrap();
        same("parameters.cyc", bytes);

        let context = VectorContext::new(&parameters, engine()).unwrap();
        let secret = VectorSecretKey::load(&context, &own.join("secret-key.cyc")).unwrap();
        same("secret-key.cyc", secret.to_bytes(&context).unwrap());
        let public = VectorPublicKey::load(&context, &own.join("public-key.cyc")).unwrap();
        same("public-key.cyc", public.to_bytes(&context).unwrap());
        let keys = VectorEvaluationKeys::load(&context, &own.join("evaluation-keys.cyc")).unwrap();
        same("evaluation-keys.cyc", keys.to_bytes(&context).unwrap());

        let evaluator = VectorEvaluator::new(&context, &keys, Mode::Automatic).unwrap();
        for (sample, values) in samples.as_object().unwrap() {
            let name = format!("{sample}.cyc");
            let vector = EncryptedVector::load(&context, &own.join(&name)).unwrap();
            let decrypt = |vector: &EncryptedVector| context.decrypt(&secret, vector).unwrap();
            let values: Vec<i128> =
                values.as_array().unwrap().iter().map(|v| v.as_i64().unwrap().into()).collect();
            assert_eq!(decrypt(&vector), values, "{set}/{name}");
            same(&name, vector.to_bytes(&context).unwrap());
            inspect_path(&own.join(&name)).unwrap();
            // The keys serve the ciphertexts that they were stored with.
            if sample == "fresh" {
                let rotated = decrypt(&evaluator.rotate(&vector, 1).unwrap());
                assert_eq!(rotated[0], values[1], "{set}/{name}");
                let square = evaluator.mul(&vector, Operand::Encrypted(&vector)).unwrap();
                assert_eq!(decrypt(&square)[0], values[0] * values[0], "{set}/{name}");
            }
        }
        // Each file is expected, and each expected one is there.
        assert_eq!(
            std::fs::read_dir(&own).unwrap().count(),
            4 + samples.as_object().unwrap().len()
        );
    }
}

#[test]
fn stored_files_of_every_version_load_for_ever() {
    for version in 1..=VERSION {
        verify(&root().join(format!("v{version}")));
    }
}

#[test]
fn the_generator_makes_such_files_and_never_writes_over_old_ones() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = match std::env::var_os("CYCLOTRON_GOLDEN") {
        Some(folder) => PathBuf::from(folder),
        None => temporary.path().join("new"),
    };
    generate(&folder).unwrap();
    verify(&folder);
    let error = generate(&folder).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
}
