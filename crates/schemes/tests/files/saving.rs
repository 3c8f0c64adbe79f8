//! Files are there whole or not at all.

use super::lab::{Lab, RECIPES};
use cyclotron_schemes::Error;
use cyclotron_schemes::files::{
    Stored, inspect_path, load_parameters, save_parameters, write_parameters,
};
use cyclotron_schemes::vector::{
    EncryptedVector, VectorEvaluationKeys, VectorPublicKey, VectorSecretKey,
};
use std::io::Write;
use std::path::Path;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_is_saved_is_loaded() {
    let lab = Lab::new(RECIPES[2]);
    let (context, folder) = (&*lab.context, tempfile::tempdir().unwrap());
    let path = |name: &str| folder.path().join(name);
    save_parameters(context.parameters(), &path("parameters")).unwrap();
    lab.secret.save(context, &path("secret")).unwrap();
    lab.public.save(context, &path("public")).unwrap();
    lab.keys.save(context, &path("keys")).unwrap();
    let sample = &lab.samples()[0];
    sample.vector.save(context, &path("vector")).unwrap();

    let parameters = load_parameters(&path("parameters")).unwrap();
    assert_eq!(parameters.id(), context.parameters().id());
    let secret = VectorSecretKey::load(context, &path("secret")).unwrap();
    let vector = EncryptedVector::load(context, &path("vector")).unwrap();
    assert_eq!(context.decrypt(&secret, &vector).unwrap(), sample.values);
    VectorPublicKey::load(context, &path("public")).unwrap();
    VectorEvaluationKeys::load(context, &path("keys")).unwrap();
    assert_eq!(inspect_path(&path("keys")).unwrap().len(), 5);
    let written = std::fs::metadata(path("keys")).unwrap().len();
    assert_eq!(written, lab.keys.size(context).unwrap());
    // A file is replaced, and nothing else is left in the folder.
    lab.samples()[1].vector.save(context, &path("vector")).unwrap();
    assert!(
        EncryptedVector::load(context, &path("vector")).unwrap().channels()[0].seed().is_some()
    );
    assert_eq!(names(folder.path()), ["keys", "parameters", "public", "secret", "vector"]);
}

#[cfg(unix)]
#[test]
fn a_secret_key_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let lab = Lab::new(RECIPES[0]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    // What the process gives an ordinary file.
    std::fs::File::create(&path).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let ordinary = mode(&path);
    lab.public.save(&lab.context, &path).unwrap();
    assert_eq!(mode(&path), ordinary);
    lab.secret.save(&lab.context, &path).unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn a_refused_object_leaves_the_old_file_and_no_new_one() {
    let (lab, other) = (Lab::new(RECIPES[0]), Lab::new(RECIPES[1]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let refused = |result: Result<(), Error>| {
        assert!(matches!(result.unwrap_err(), Error::ParameterMismatch { .. }));
    };
    refused(lab.secret.save(&other.context, &path));
    refused(lab.keys.save(&other.context, &path));
    assert!(names(folder.path()).is_empty());
    lab.public.save(&lab.context, &path).unwrap();
    let before = std::fs::read(&path).unwrap();
    refused(lab.public.save(&other.context, &path));
    refused(lab.samples()[0].vector.save(&other.context, &path));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn paths_that_cannot_be_are_named() {
    let lab = Lab::new(RECIPES[0]);
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing").join("file");
    for error in [
        lab.secret.save(&lab.context, &missing).unwrap_err(),
        save_parameters(lab.context.parameters(), &missing).unwrap_err(),
        VectorSecretKey::load(&lab.context, &missing).unwrap_err(),
        VectorEvaluationKeys::load_selected(&lab.context, &missing, &[]).unwrap_err(),
        load_parameters(&missing).unwrap_err(),
        inspect_path(&missing).unwrap_err(),
        // A folder is no file.
        lab.public.save(&lab.context, folder.path()).unwrap_err(),
        VectorPublicKey::load(&lab.context, folder.path()).unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(matches!(error, Error::File { .. }), "{text}");
        assert!(text.contains(folder.path().to_str().unwrap()), "{text}");
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn an_error_inside_a_file_names_the_file() {
    let lab = Lab::new(RECIPES[0]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.cyc");
    let bytes = lab.public.to_bytes(&lab.context).unwrap();
    std::fs::write(&path, &bytes[..100]).unwrap();
    for error in
        [VectorPublicKey::load(&lab.context, &path).unwrap_err(), inspect_path(&path).unwrap_err()]
    {
        let text = error.to_string();
        assert!(text.contains("broken.cyc: public key: truncated"), "{text}");
    }
    std::fs::write(&path, [&bytes[..], &bytes[..]].concat()).unwrap();
    let text = VectorPublicKey::load(&lab.context, &path).unwrap_err().to_string();
    assert!(text.contains("broken.cyc") && text.contains("more bytes follow"), "{text}");
}

/// Takes so many bytes, and fails from then on.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        let count = bytes.len().min(self.0);
        self.0 -= count;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_wherever_it_fills() {
    let lab = Lab::new(RECIPES[1]);
    let context = &*lab.context;
    let vector = &lab.samples()[1].vector;
    let size = vector.size(context).unwrap() as usize;
    for room in 0..size {
        let error = vector.write(context, &mut Full(room)).unwrap_err();
        assert!(error.to_string().contains("cannot be written"), "{error}");
    }
    vector.write(context, &mut Full(size)).unwrap();
    let keys = lab.keys.size(context).unwrap() as usize;
    for room in (0..keys).step_by(37) {
        assert!(lab.keys.write(context, &mut Full(room)).is_err());
    }
    assert!(lab.secret.write(context, &mut Full(60)).is_err());
    assert!(write_parameters(context.parameters(), &mut Full(60)).is_err());
}
