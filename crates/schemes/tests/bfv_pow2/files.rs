//! Files: what is written is read again; what is damaged, foreign or hostile is refused.

use super::lab::{Lab, preset};
use cyclotron_schemes::Error;
use cyclotron_schemes::bfv_pow2::{Ciphertext, PublicKey, RelinearizationKey, SecretKey};
use cyclotron_schemes::files::{
    Pow2Stored, RecordKind, inspect, load_pow2_parameters, read_pow2_parameters,
    save_pow2_parameters, write_pow2_parameters,
};

const NAMES: [&str; 4] =
    ["PAPER_BFV_MINI_4", "PAPER_BFV_MINI_8_Q64", "PAPER_BFV_MINI_16_T8", "PAPER_BFV_1024_Q64"];

fn round_trip<T: Pow2Stored>(lab: &Lab, object: &T) -> Vec<u8> {
    let bytes = object.to_bytes(&lab.context).unwrap();
    assert_eq!(bytes.len() as u64, object.size(&lab.context).unwrap());
    let back = T::from_bytes(&lab.context, &bytes).unwrap();
    assert_eq!(back.to_bytes(&lab.context).unwrap(), bytes);
    bytes
}

/// A record with a right checksum.
fn rehash(bytes: &mut [u8]) {
    let end = bytes.len() - 32;
    let hash = *blake3::hash(&bytes[..end]).as_bytes();
    bytes[end..].copy_from_slice(&hash);
}

fn refusal<T: Pow2Stored>(lab: &Lab, bytes: &[u8]) -> String {
    match T::from_bytes(&lab.context, bytes) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn everything_round_trips_and_works_again() {
    for name in NAMES {
        let mut lab = Lab::new(&preset(name));
        let (n, parameters) = (lab.parameters.degree(), lab.parameters.clone());
        let message = lab.message();
        let fresh = lab.encryptor.encrypt(&message).unwrap();

        let bytes = round_trip(&lab, &*lab.keys.secret);
        assert_eq!(bytes.len(), 88 + n.div_ceil(4));
        let secret = SecretKey::from_bytes(&lab.context, &bytes).unwrap();
        assert_eq!(secret.expose().as_slice(), lab.keys.secret.expose().as_slice());

        let width = parameters.log_q() as usize / 8;
        let bytes = round_trip(&lab, &*lab.keys.public);
        assert_eq!(bytes.len(), 88 + 32 + n * width);
        let public = PublicKey::from_bytes(&lab.context, &bytes).unwrap();
        let (own, back) = (lab.keys.public.polynomials(), public.polynomials());
        assert_eq!((own.p0, own.p1), (back.p0, back.p1));

        let key = lab.relinearization.as_ref().unwrap();
        let bytes = round_trip(&lab, key);
        let raised = (parameters.log_q() + parameters.log_p()) as usize / 8;
        assert_eq!(bytes.len(), 88 + 32 + n * raised);

        let bytes = round_trip(&lab, &fresh);
        assert_eq!(bytes.len(), 88 + 32 + 2 * n * width);
        assert_eq!(Ciphertext::from_bytes(&lab.context, &bytes).unwrap(), fresh);
        if let Ok(product) = lab.evaluator.multiply(&fresh, &fresh) {
            let bytes = round_trip(&lab, &product);
            assert_eq!(Ciphertext::from_bytes(&lab.context, &bytes).unwrap(), product);
            let read =
                RelinearizationKey::from_bytes(&lab.context, &key.to_bytes(&lab.context).unwrap());
            let evaluator =
                cyclotron_schemes::bfv_pow2::Evaluator::new(&lab.context, Some(&read.unwrap()));
            let linear = evaluator.unwrap().relinearize(&product).unwrap();
            assert_eq!(linear, lab.evaluator.relinearize(&product).unwrap());
        }
    }
}

/// Golden bytes: a file of version 1 stays readable, and is written alike.
#[test]
fn bytes_are_those_of_the_document() {
    let lab = Lab::new(&preset("PAPER_BFV_MINI_4"));
    let parts = vec![vec![1, 2, 0xAABB_CCDD, 4], vec![0, 0, 0, u32::MAX.into()]];
    let noise = cyclotron_ring::norms::Norms::from_parts(1.0, 2.0, 3.0).unwrap();
    let ciphertext = Ciphertext::from_parts(&lab.parameters, parts, noise).unwrap();
    let bytes = ciphertext.to_bytes(&lab.context).unwrap();
    assert_eq!(&bytes[..16], b"\x89CYC\r\n\x1a\n\x01\x00\x0c\x00\x00\x00\x00\x00");
    assert_eq!(&bytes[16..48], lab.parameters.id().bytes());
    assert_eq!(&bytes[48..56], 64u64.to_le_bytes());
    assert_eq!(&bytes[56..64], [2, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(&bytes[64..72], 1f64.to_le_bytes());
    assert_eq!(&bytes[88..92], [1, 0, 0, 0]);
    assert_eq!(&bytes[96..100], [0xDD, 0xCC, 0xBB, 0xAA]);
    assert_eq!(&bytes[116..120], [0xFF; 4]);
    assert_eq!(bytes.len(), 120 + 32);
    let mut hasher = blake3::Hasher::new_derive_key("cyclotron parameters of bfv-pow2 v1");
    for word in [4u64, 32, 16, 32, 21] {
        hasher.update(&word.to_le_bytes());
    }
    assert_eq!(hasher.finalize().as_bytes(), lab.parameters.id().bytes());
    let mut text = Vec::new();
    write_pow2_parameters(&lab.parameters, &mut text).unwrap();
    let json =
        r#"{"degree":4,"log_q":32,"log_t":16,"log_p":32,"security":"insecure-acknowledged"}"#;
    assert_eq!(std::str::from_utf8(&text[56..text.len() - 32]).unwrap(), json);
}

/// Every byte altered and every truncation is an error; with a right checksum, an error or an
/// object, and never a panic.
#[test]
fn damage_is_found() {
    let mut lab = Lab::new(&preset("PAPER_BFV_MINI_4"));
    let message = lab.message();
    let ciphertext = lab.encryptor.encrypt(&message).unwrap();
    fn check<T: Pow2Stored>(lab: &Lab, object: &T) {
        let good = object.to_bytes(&lab.context).unwrap();
        for at in 0..good.len() {
            assert!(T::from_bytes(&lab.context, &good[..at]).is_err(), "truncated at {at}");
            for bit in 0..8 {
                let mut bytes = good.clone();
                bytes[at] ^= 1 << bit;
                assert!(T::from_bytes(&lab.context, &bytes).is_err(), "byte {at}, bit {bit}");
                rehash(&mut bytes);
                if let Ok(read) = T::from_bytes(&lab.context, &bytes) {
                    assert_eq!(read.to_bytes(&lab.context).unwrap(), bytes, "byte {at}, bit {bit}");
                }
            }
        }
        let longer = [&good[..], &[0]].concat();
        assert!(T::from_bytes(&lab.context, &longer).is_err());
    }
    check(&lab, &*lab.keys.secret);
    check(&lab, &*lab.keys.public);
    check(&lab, lab.relinearization.as_ref().unwrap());
    check(&lab, &ciphertext);
}

#[test]
fn what_does_not_fit_is_named() {
    let mut lab = Lab::new(&preset("PAPER_BFV_MINI_4"));
    let other = Lab::new(&preset("PAPER_BFV_MINI_4_T8"));
    let message = lab.message();
    let ciphertext = lab.encryptor.encrypt(&message).unwrap();
    let bytes = ciphertext.to_bytes(&lab.context).unwrap();
    let foreign = Ciphertext::from_bytes(&other.context, &bytes).unwrap_err();
    assert!(matches!(foreign, Error::ParameterMismatch { what: "ciphertext modulo 2^k", .. }));
    assert!(matches!(ciphertext.size(&other.context), Err(Error::ParameterMismatch { .. })));
    let kind = refusal::<PublicKey>(&lab, &bytes);
    assert!(kind.contains("holds ciphertext modulo 2^k where public key modulo 2^k is needed"));

    let altered = |at: usize, value: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        rehash(&mut bytes);
        refusal::<Ciphertext>(&lab, &bytes)
    };
    assert!(altered(56, &[4]).contains("4 polynomials where 2 or 3"));
    assert!(altered(56, &[3]).contains("announces 64 payload bytes where its parameters give 80"));
    assert!(altered(57, &[1]).contains("reserved"));
    assert!(altered(64, &f64::INFINITY.to_le_bytes()).contains("noise bounds inf"));
    assert!(altered(48, &[63]).contains("announces 63"));

    // Coefficients above a modulus that fills no whole bytes.
    let narrow = Lab::new(&super::lab::parameters(4, 30, 8, 1));
    let key = narrow.keys.public.to_bytes(&narrow.context).unwrap();
    let mut wide = key.clone();
    wide[88 + 3] |= 0x40;
    rehash(&mut wide);
    assert!(refusal::<PublicKey>(&narrow, &wide).contains("coefficient 0 is"));
    // A key that is not ternary.
    let mut secret = lab.keys.secret.to_bytes(&lab.context).unwrap();
    secret[56] = 0b10;
    rehash(&mut secret);
    assert!(refusal::<SecretKey>(&lab, &secret).contains("stored as 2"));
}

#[test]
fn parameters_and_files_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("parameters");
    for name in NAMES {
        let parameters = preset(name);
        save_pow2_parameters(&parameters, &path).unwrap();
        assert_eq!(load_pow2_parameters(&path).unwrap().literal(), parameters.literal());
    }
    let mut bytes = Vec::new();
    write_pow2_parameters(&preset("PAPER_BFV_MINI_4"), &mut bytes).unwrap();
    bytes[20] ^= 1;
    rehash(&mut bytes);
    let error = read_pow2_parameters(&mut &bytes[..]).unwrap_err().to_string();
    assert!(error.contains("stated as"), "{error}");
    assert!(read_pow2_parameters(&mut &b""[..]).unwrap_err().to_string().contains("0 bytes"));

    let mut lab = Lab::new(&preset("PAPER_BFV_MINI_8_Q64"));
    let path = folder.path().join("secret");
    lab.keys.secret.save(&lab.context, &path).unwrap();
    assert!(SecretKey::load(&lab.context, &path).is_ok());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let missing = Ciphertext::load(&lab.context, &folder.path().join("nothing")).unwrap_err();
    assert!(missing.to_string().contains("nothing: cannot be read"));

    // One stream of all kinds.
    let message = lab.message();
    let ciphertext = lab.encryptor.encrypt(&message).unwrap();
    let mut stream = Vec::new();
    write_pow2_parameters(&lab.parameters, &mut stream).unwrap();
    lab.keys.secret.write(&lab.context, &mut stream).unwrap();
    lab.keys.public.write(&lab.context, &mut stream).unwrap();
    lab.relinearization.as_ref().unwrap().write(&lab.context, &mut stream).unwrap();
    ciphertext.write(&lab.context, &mut stream).unwrap();
    let found = inspect(&mut &stream[..]).unwrap();
    let kinds: Vec<RecordKind> = found.iter().map(|info| info.kind).collect();
    assert_eq!(kinds, RecordKind::ALL[7..12]);
    let text = format!("{:?}", found.iter().map(|info| &info.summary).collect::<Vec<_>>());
    for value in [r#"("log2(q)", "64")"#, r#"("parts", "2")"#, r#"("ring degree", "8")"#] {
        assert!(text.contains(value), "{text} lacks {value}");
    }
}
