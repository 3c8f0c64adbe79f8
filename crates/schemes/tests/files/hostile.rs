//! Bytes that someone made up: random, and well-formed outside but not inside.

use super::lab::{self, Lab, RECIPES, Recipe, record, records, rehash};
use cyclotron_schemes::Error;
use cyclotron_schemes::files::{Stored, inspect, read_parameters, write_parameters};
use cyclotron_schemes::vector::{
    Encoding, EncryptedVector, Values, VectorEvaluationKeys, VectorPublicKey, VectorSecretKey,
};
use proptest::prelude::*;
use std::sync::OnceLock;

fn labs() -> &'static [Lab] {
    static LABS: OnceLock<Vec<Lab>> = OnceLock::new();
    LABS.get_or_init(|| RECIPES.into_iter().map(Lab::new).collect())
}

/// The files of [`files`] of every set.
fn all_files() -> &'static [Vec<Vec<u8>>] {
    static FILES: OnceLock<Vec<Vec<Vec<u8>>>> = OnceLock::new();
    FILES.get_or_init(|| labs().iter().map(files).collect())
}

/// Every reader on the same bytes; whatever one accepts is used.
fn read_all(lab: &Lab, bytes: &[u8]) -> Vec<Error> {
    let context = &*lab.context;
    let mut errors = Vec::new();
    let mut note = |result: Result<(), Error>| errors.extend(result.err());
    note(VectorSecretKey::from_bytes(context, bytes).map(|key| lab.use_secret(&key)));
    note(VectorPublicKey::from_bytes(context, bytes).map(|key| lab.use_public(&key)));
    note(VectorEvaluationKeys::from_bytes(context, bytes).map(|keys| lab.use_keys(&keys)));
    note(EncryptedVector::from_bytes(context, bytes).map(|vector| lab.use_vector(&vector)));
    note(read_parameters(&mut &bytes[..]).map(drop));
    note(inspect(&mut &bytes[..]).map(drop));
    errors
}

/// The sample files of a set.
fn files(lab: &Lab) -> Vec<Vec<u8>> {
    let context = &*lab.context;
    let mut parameters = Vec::new();
    write_parameters(context.parameters(), &mut parameters).unwrap();
    let samples = lab.samples();
    let vectors = samples.iter().map(|sample| sample.vector.to_bytes(context).unwrap());
    let mut files: Vec<Vec<u8>> = vectors.collect();
    files.push(parameters);
    files.push(lab.secret.to_bytes(context).unwrap());
    files.push(lab.public.to_bytes(context).unwrap());
    files.push(lab.keys.to_bytes(context).unwrap());
    files
}

/// A change to the payload of a record.
#[derive(Debug, Clone)]
enum Mutation {
    Overwrite(prop::sample::Index, Vec<u8>),
    Insert(prop::sample::Index, Vec<u8>),
    Remove(prop::sample::Index, usize),
    Swap(prop::sample::Index, prop::sample::Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<prop::sample::Index>;
    // Words that lengths and bounds are wrong with, and anything else.
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..9),
        Just(vec![0xFF; 8]),
        Just(vec![0; 8]),
        Just(f64::INFINITY.to_le_bytes().to_vec()),
        Just(f64::NAN.to_le_bytes().to_vec()),
        Just(1e300f64.to_le_bytes().to_vec()),
        Just((1u64 << 60).to_le_bytes().to_vec()),
    ];
    prop_oneof![
        4 => (index(), bytes.clone()).prop_map(|(at, bytes)| Mutation::Overwrite(at, bytes)),
        1 => (index(), bytes).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        1 => (index(), 1usize..40).prop_map(|(at, count)| Mutation::Remove(at, count)),
        1 => (index(), index()).prop_map(|(a, b)| Mutation::Swap(a, b)),
    ]
}

impl Mutation {
    fn apply(&self, payload: &mut Vec<u8>) {
        let length = payload.len();
        match self {
            Self::Overwrite(at, bytes) => {
                let at = at.index(length);
                let count = bytes.len().min(length - at);
                payload[at..at + count].copy_from_slice(&bytes[..count]);
            }
            Self::Insert(at, bytes) => {
                let at = at.index(length);
                payload.splice(at..at, bytes.iter().copied());
            }
            Self::Remove(at, count) => {
                let at = at.index(length);
                payload.drain(at..(at + count).min(length));
            }
            Self::Swap(a, b) => payload.swap(a.index(length), b.index(length)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(read_all(&labs()[0], &bytes).len(), 6);
    }

    #[test]
    fn a_right_header_before_random_bytes_is_no_passport(
        set in 0..RECIPES.len(),
        kind in 1u16..=13,
        payload in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let lab = &labs()[set];
        let bytes = record(kind, lab.context.parameters().id().bytes(), &payload);
        prop_assert!(read_all(lab, &bytes).len() >= 4);
    }

    #[test]
    fn structured_mutations_are_refused_or_harmless(
        set in 0..RECIPES.len(),
        file: prop::sample::Index,
        which: prop::sample::Index,
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        let lab = &labs()[set];
        let files = &all_files()[set];
        let good = &files[file.index(files.len())];
        let ranges = records(good);
        let range = ranges[which.index(ranges.len())].clone();
        let mut payload = good[range.start + 56..range.end - 32].to_vec();
        for mutation in &mutations {
            if payload.is_empty() {
                break;
            }
            mutation.apply(&mut payload);
        }
        let kind = u16::from_le_bytes([good[range.start + 10], good[range.start + 11]]);
        let id = lab.context.parameters().id();
        let altered = record(kind, id.bytes(), &payload);
        let bytes = [&good[..range.start], &altered, &good[range.end..]].concat();
        // Four of the six readers are of another kind.
        prop_assert!(read_all(lab, &bytes).len() >= 4);
    }
}

/// A length is checked before memory is taken for it: these would abort the process.
#[test]
fn announced_lengths_take_no_memory() {
    for (lab, files) in labs().iter().zip(all_files()) {
        for good in files {
            for length in [0, 1, 1 << 31, 1 << 40, 1 << 60, i64::MAX as u64, u64::MAX] {
                let mut bytes = good.clone();
                bytes[48..56].copy_from_slice(&length.to_le_bytes());
                let end = records(good)[0].end;
                rehash(&mut bytes[..end]);
                assert_eq!(read_all(lab, &bytes).len(), 6, "length {length}");
            }
        }
    }
}

#[test]
fn counts_take_no_memory() {
    let lab = &labs()[0];
    let id = lab.context.parameters().id();
    // Contents of keys that announce 2^32 - 1 elements, and many that do not ascend.
    let mut payload = [1u32, 1, u32::MAX].map(u32::to_le_bytes).concat();
    payload.extend([3u64; 4].map(u64::to_le_bytes).concat());
    let bytes = record(7, id.bytes(), &payload);
    let text = VectorEvaluationKeys::from_bytes(&lab.context, &bytes).unwrap_err().to_string();
    assert!(text.contains("ascending"), "{text}");
    for kind in 3..=7 {
        let bytes = record(kind, id.bytes(), &[0xFF; 24]);
        assert!(inspect(&mut &bytes[..]).unwrap_err().to_string().contains("4294967295 channels"));
    }
}

/// One field of a ciphertext at a time, with the message that a person would see.
#[test]
fn each_field_of_a_ciphertext_has_its_validator() {
    let bgv = &labs()[3];
    let fresh = bgv.samples()[0].vector.to_bytes(&bgv.context).unwrap();
    let seeded = bgv.samples()[1].vector.to_bytes(&bgv.context).unwrap();
    let product = bgv.samples()[3].vector.to_bytes(&bgv.context).unwrap();
    let refused = |file: &[u8], at: usize, new: &[u8]| -> String {
        let mut bytes = file.to_vec();
        bytes[56 + at..56 + at + new.len()].copy_from_slice(new);
        rehash(&mut bytes);
        let error = EncryptedVector::from_bytes(&bgv.context, &bytes).unwrap_err();
        assert!(matches!(error, Error::File { .. }), "{error}");
        error.to_string()
    };
    let word = |value: u64| value.to_le_bytes();
    let bound = |value: f64| value.to_le_bytes();
    let cases: Vec<(&[u8], usize, Vec<u8>, &str)> = vec![
        (&fresh, 0, vec![1, 0, 0, 0], "1 channels where the parameters have 2"),
        (&fresh, 0, vec![0; 4], "0 channels"),
        (&fresh, 4, vec![2], "encoding is 2"),
        (&fresh, 5, vec![9], "signed is 9"),
        (&fresh, 6, vec![1], "replicated, but"),
        (&fresh, 7, vec![255], "clean is 255"),
        (&fresh, 8, word(17).to_vec(), "17 values where at most 16 fit"),
        (&fresh, 8, word(u64::MAX).to_vec(), "values"),
        (&fresh, 16, vec![3], "level 3 is outside [0, 2]"),
        (&fresh, 19, vec![255], "is outside [0, 2]"),
        (&seeded, 16, vec![1], "level 1 is outside [2, 2]"),
        (&fresh, 20, vec![1], "1 polynomials"),
        (&fresh, 20, vec![4], "4 polynomials"),
        (&fresh, 20, vec![3], "payload bytes where"),
        (&product, 20, vec![2], "payload bytes where"),
        (&seeded, 20, vec![3], "a seed, which fresh"),
        (&seeded, 21, vec![1], "a seed, which fresh"),
        (&seeded, 24, vec![2], "a seed, which fresh"),
        (&fresh, 21, vec![2], "transparent is 2"),
        (&fresh, 22, vec![2], "seeded is 2"),
        (&fresh, 23, vec![1], "reserved byte"),
        (&fresh, 24, word(0).to_vec(), "factor 0"),
        (&fresh, 24, word(193).to_vec(), "factor 193"),
        (&fresh, 32, bound(f64::NAN).to_vec(), "noise bounds"),
        (&fresh, 40, bound(f64::INFINITY).to_vec(), "noise bounds"),
        (&fresh, 48, bound(f64::NAN).to_vec(), "noise bounds"),
        (&fresh, 32, bound(1e300).to_vec(), "noise bounds"),
        (&fresh, 16 + 2 * 40, vec![0xFF; 6], "is not below its modulus"),
    ];
    for (file, at, new, message) in cases {
        let text = refused(file, at, &new);
        assert!(text.contains(message), "byte {at} = {new:?}: {text}");
    }
    // BFV has no factors.
    let bfv = &labs()[0];
    let mut bytes = bfv.samples()[0].vector.to_bytes(&bfv.context).unwrap();
    bytes[56 + 24] = 2;
    rehash(&mut bytes);
    let text = EncryptedVector::from_bytes(&bfv.context, &bytes).unwrap_err().to_string();
    assert!(text.contains("factor 2"), "{text}");
}

/// A plaintext modulus that is no prime has no slots, and not every factor is a unit.
#[test]
fn composite_plaintext_moduli_have_their_own_rules() {
    let lab = Lab::new(Recipe { plaintext: &[64], ..RECIPES[3] });
    let context = &*lab.context;
    let values = Values::I64(&[1, -2, 3]);
    let vector = context
        .encrypt(&lab.public, values, Encoding::Coefficients, true, &mut lab::rng(4))
        .unwrap();
    let good = vector.to_bytes(context).unwrap();
    let read = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[56 + at] = value;
        rehash(&mut bytes);
        EncryptedVector::from_bytes(context, &bytes).map(|vector| lab.decrypt(&vector))
    };
    assert_eq!(read(4, 1).unwrap(), [1, -2, 3]);
    assert!(read(4, 0).unwrap_err().to_string().contains("modulus 64 lacks"));
    assert!(read(24, 6).unwrap_err().to_string().contains("factor 6"));
    // 3 is a unit: 43 = -21 inverts it modulo 64.
    assert_eq!(read(24, 3).unwrap(), [-21, -22, 1]);
}

#[test]
fn a_false_noise_bound_does_not_decrypt_to_a_wrong_value() {
    let lab = &labs()[1];
    let good = lab.samples()[0].vector.to_bytes(&lab.context).unwrap();
    // A random first polynomial, and the claim that there is no noise at all.
    let mut bytes = good.clone();
    for (i, byte) in bytes[56 + 56..56 + 56 + 30].iter_mut().enumerate() {
        *byte ^= 0x3D + i as u8;
    }
    for at in [32, 40, 48] {
        bytes[56 + 16 + at - 16..][..8].copy_from_slice(&f64::NEG_INFINITY.to_le_bytes());
    }
    rehash(&mut bytes);
    let vector = EncryptedVector::from_bytes(&lab.context, &bytes).unwrap();
    let error = lab.context.decrypt(&lab.secret, &vector).unwrap_err();
    assert!(matches!(error, Error::NoiseMeasured { .. }), "{error}");
}

#[test]
fn keys_that_no_generator_makes_are_refused() {
    let lab = &labs()[2];
    let id = lab.context.parameters().id();
    let refused = |payload: [u8; 4]| {
        let bytes = record(2, id.bytes(), &payload);
        VectorSecretKey::from_bytes(&lab.context, &bytes).unwrap_err().to_string()
    };
    // 2 is no coefficient, wherever it stands.
    for at in 0..16 {
        let mut payload = [0; 4];
        payload[at / 4] = 2 << (2 * (at % 4));
        assert!(refused(payload).contains("stored as 2"), "coefficient {at}");
    }
    // All ones: the noise bounds do not hold for such a key.
    assert!(refused([0b0101_0101; 4]).contains("canonical norm"));
    let elements = |elements: &[u64]| {
        let mut payload = [2u32, 0, elements.len() as u32].map(u32::to_le_bytes).concat();
        elements.iter().for_each(|element| payload.extend(element.to_le_bytes()));
        let bytes = record(7, id.bytes(), &payload);
        VectorEvaluationKeys::from_bytes(&lab.context, &bytes).unwrap_err().to_string()
    };
    assert!(elements(&[4]).contains("Galois element 4 is not odd"));
    assert!(elements(&[3, 3]).contains("ascending"));
    assert!(elements(&[5, 3]).contains("ascending"));
    assert!(elements(&[33]).contains("33 is not below 32"));
    assert!(elements(&[3]).contains("Galois key: is empty"));
}
