//! What is written is read again, byte for byte and value for value.

use super::lab::{Lab, RECIPES, centred, engine, rng};
use cyclotron_schemes::Error;
use cyclotron_schemes::files::{
    HEADER_BYTES, MAGIC, RecordKind, Stored, TRAILER_BYTES, VERSION, inspect, parameters_size,
    read_parameters, write_parameters,
};
use cyclotron_schemes::rlwe::{Mode, SchemeKind};
use cyclotron_schemes::vector::{
    Encoding, EncryptedVector, Operand, Rotations, Values, VectorContext, VectorEvaluationKeys,
    VectorEvaluator, VectorPublicKey, VectorSecretKey,
};
use std::io::Read;

/// Writes, checks the size, reads, and demands the same bytes again.
fn round_trip<T: Stored>(object: &T, context: &VectorContext) -> T {
    let bytes = object.to_bytes(context).unwrap();
    assert_eq!(object.size(context).unwrap(), bytes.len() as u64);
    let again = T::from_bytes(context, &bytes).unwrap();
    assert_eq!(again.to_bytes(context).unwrap(), bytes);
    assert_eq!(again.size(context).unwrap(), bytes.len() as u64);
    again
}

#[test]
fn ciphertexts_of_every_shape() {
    for recipe in RECIPES {
        let lab = Lab::new(recipe);
        for sample in lab.samples() {
            let case = format!("{} {}", recipe.name, sample.name);
            assert_eq!(lab.decrypt(&sample.vector), sample.values, "{case} before");
            let again = round_trip(&sample.vector, &lab.context);
            assert_eq!(lab.decrypt(&again), sample.values, "{case}");
            assert_eq!(again.layout(), sample.vector.layout(), "{case}");
            for (new, old) in again.channels().iter().zip(sample.vector.channels()) {
                assert_eq!(new.noise(), old.noise(), "{case}");
                assert_eq!(new.level(), old.level(), "{case}");
                assert_eq!(new.parts(), old.parts(), "{case}");
                assert_eq!(new.factor(), old.factor(), "{case}");
                assert_eq!(new.seed(), old.seed(), "{case}");
                assert_eq!(new.is_transparent(), old.is_transparent(), "{case}");
            }
            let channel = &sample.vector.channels()[0];
            let low = sample.name == "low";
            assert_eq!(channel.seed().is_some(), sample.name == "seeded", "{case}");
            assert_eq!(channel.parts(), 2 + usize::from(sample.name == "product"), "{case}");
            assert_eq!(channel.level() == 0, low, "{case}");
            assert_eq!(channel.is_transparent(), sample.name == "zero", "{case}");
            let changed = low && recipe.scheme == SchemeKind::Bgv;
            assert_eq!(channel.factor() != 1, changed, "{case}: factors of BGV change with levels");
        }
    }
}

#[test]
fn a_replicated_sum_stays_replicated() {
    let lab = Lab::new(RECIPES[2]);
    let mut rng = rng(5);
    let keys = lab
        .context
        .generate_evaluation_keys(&lab.secret, false, &Rotations::Sums, &mut rng)
        .unwrap();
    let values = Values::I64(&[1, -2, 30]);
    let vector = lab.context.encrypt(&lab.public, values, Encoding::Slots, true, &mut rng).unwrap();
    let evaluator = VectorEvaluator::new(&lab.context, &keys, Mode::Automatic).unwrap();
    let again = round_trip(&evaluator.sum(&vector).unwrap(), &lab.context);
    assert!(again.layout().replicated && !again.layout().clean);
    assert_eq!(lab.decrypt(&again), [29]);
}

#[test]
fn a_seed_halves_a_ciphertext_and_a_level_costs_its_limb() {
    let lab = Lab::new(RECIPES[0]);
    let sizes: Vec<(&str, u64)> = lab
        .samples()
        .iter()
        .map(|sample| (sample.name, sample.vector.size(&lab.context).unwrap()))
        .collect();
    // Degree 8: as many bytes a limb as bits; primes of 36 and 31 bits.
    let around = HEADER_BYTES + TRAILER_BYTES + 16 + 40;
    let expected = [
        ("fresh", around + 2 * 67),
        ("seeded", around + 32 + 67),
        ("unsigned", around + 2 * 67),
        ("product", around + 3 * 67),
        ("low", around + 2 * 36),
        ("zero", around + 2 * 67),
    ];
    assert_eq!(sizes, expected);
    let around = HEADER_BYTES + TRAILER_BYTES;
    assert_eq!(lab.secret.size(&lab.context).unwrap(), around + 2);
    assert_eq!(lab.public.size(&lab.context).unwrap(), around + 4 + 32 + 67);
    // Two digits over Q and P: 36 + 31 + 37 bits.
    let relinearization = around + 4 + 32 + 2 * 104;
    let galois = relinearization + 8;
    let contents = around + 12 + 3 * 8;
    assert_eq!(lab.keys.size(&lab.context).unwrap(), contents + relinearization + 3 * galois);
}

#[test]
fn keys_work_after_reading() {
    for recipe in RECIPES {
        let mut lab = Lab::new(recipe);
        let samples = lab.make_samples();
        lab.secret = round_trip(&lab.secret, &lab.context);
        lab.public = round_trip(&lab.public, &lab.context);
        lab.keys = round_trip(&lab.keys, &lab.context);
        assert_eq!(lab.decrypt(&samples[0].vector), samples[0].values, "{}", recipe.name);

        let encrypted = lab
            .context
            .encrypt(&lab.public, Values::I64(&[4, -5]), Encoding::Slots, true, &mut rng(1))
            .unwrap();
        assert_eq!(lab.decrypt(&encrypted), [4, -5]);
        let evaluator = VectorEvaluator::new(&lab.context, &lab.keys, Mode::Automatic).unwrap();
        let modulus = lab.context.parameters().plaintext().product() as i128;
        let square = evaluator.mul(&encrypted, Operand::Encrypted(&encrypted)).unwrap();
        assert_eq!(square.channels()[0].parts(), 2, "relinearised");
        assert_eq!(lab.decrypt(&square), [16, 25]);
        for steps in [1, 2] {
            let rotated = lab.decrypt(&evaluator.rotate(&encrypted, steps).unwrap());
            let half = lab.context.capacity() / 2;
            assert_eq!(rotated[(half - steps as usize) % half], centred(4, modulus));
        }
    }
}

#[test]
fn sets_of_keys_with_some_and_with_none() {
    let lab = Lab::new(RECIPES[3]);
    let make = |relinearization, rotations: &Rotations| {
        let rng = &mut rng(3);
        lab.context.generate_evaluation_keys(&lab.secret, relinearization, rotations, rng).unwrap()
    };
    let none = round_trip(&make(false, &Rotations::None), &lab.context);
    assert!(!none.has_relinearization() && none.galois_elements().is_empty());
    let products = round_trip(&make(true, &Rotations::None), &lab.context);
    assert!(products.has_relinearization() && products.galois_elements().is_empty());
    let rotations = make(false, &Rotations::Sums);
    let again = round_trip(&rotations, &lab.context);
    assert!(!again.has_relinearization());
    assert_eq!(again.galois_elements(), rotations.galois_elements());
    assert!(again.galois_elements().len() > 2);
}

#[test]
fn parameters_need_no_context() {
    for recipe in RECIPES {
        let parameters = recipe.parameters();
        let mut bytes = Vec::new();
        write_parameters(&parameters, &mut bytes).unwrap();
        assert_eq!(parameters_size(&parameters).unwrap(), bytes.len() as u64);
        let again = read_parameters(&mut &bytes[..]).unwrap();
        assert_eq!(again.id(), parameters.id());
        assert_eq!(again.to_json().unwrap(), parameters.to_json().unwrap());
        let text = parameters.to_json().unwrap();
        assert_eq!(&bytes[HEADER_BYTES as usize..][..text.len()], text.as_bytes());
    }
}

/// Gives one byte at a time, and an interruption before each.
struct Trickle<'a>(&'a [u8], bool);

impl Read for Trickle<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let count = out.len().min(1);
        self.0.read(&mut out[..count])
    }
}

#[test]
fn several_objects_follow_one_another_on_a_slow_stream() {
    let lab = Lab::new(RECIPES[2]);
    let context = &*lab.context;
    let samples = lab.samples();
    let mut bytes = Vec::new();
    write_parameters(context.parameters(), &mut bytes).unwrap();
    lab.keys.write(context, &mut bytes).unwrap();
    for sample in samples {
        sample.vector.write(context, &mut bytes).unwrap();
    }
    lab.public.write(context, &mut bytes).unwrap();
    lab.secret.write(context, &mut bytes).unwrap();

    let mut stream = Trickle(&bytes, false);
    assert_eq!(read_parameters(&mut stream).unwrap().id(), context.parameters().id());
    let keys = VectorEvaluationKeys::read(context, &mut stream).unwrap();
    assert_eq!(keys.galois_elements(), lab.keys.galois_elements());
    for sample in samples {
        let vector = EncryptedVector::read(context, &mut stream).unwrap();
        assert_eq!(lab.decrypt(&vector), sample.values);
    }
    VectorPublicKey::read(context, &mut stream).unwrap();
    VectorSecretKey::read(context, &mut stream).unwrap();
    assert!(stream.0.is_empty());
    let error = VectorSecretKey::read(context, &mut stream).unwrap_err();
    assert!(error.to_string().contains("secret key: is empty"), "{error}");
    assert_eq!(inspect(&mut Trickle(&bytes, false)).unwrap().len(), 1 + 5 + 6 + 2);
}

#[test]
fn one_object_of_bytes_is_one_object() {
    let lab = Lab::new(RECIPES[0]);
    let bytes = lab.public.to_bytes(&lab.context).unwrap();
    for extra in [&bytes[..], &[0], &bytes[..20]] {
        let both = [&bytes[..], extra].concat();
        let error = VectorPublicKey::from_bytes(&lab.context, &both).unwrap_err();
        assert!(error.to_string().contains("more bytes follow"), "{error}");
    }
}

#[test]
fn inspection_tells_what_there_is_without_a_key() {
    let lab = Lab::new(RECIPES[3]);
    let context = &*lab.context;
    let mut bytes = Vec::new();
    write_parameters(context.parameters(), &mut bytes).unwrap();
    lab.secret.write(context, &mut bytes).unwrap();
    lab.public.write(context, &mut bytes).unwrap();
    lab.keys.write(context, &mut bytes).unwrap();
    for sample in lab.samples() {
        sample.vector.write(context, &mut bytes).unwrap();
    }
    assert_eq!(bytes[..8], MAGIC);
    let found = inspect(&mut &bytes[..]).unwrap();
    assert_eq!(found.iter().map(|info| info.bytes).sum::<u64>(), bytes.len() as u64);
    let id = context.parameters().id();
    assert!(found.iter().all(|info| info.version == VERSION && info.parameters == id));
    let galois = RecordKind::GaloisKey;
    let kinds: Vec<_> = found.iter().map(|info| info.kind).collect();
    assert_eq!(kinds[..3], RecordKind::ALL[..3]);
    assert_eq!(kinds[3], RecordKind::EvaluationKeys);
    assert_eq!(kinds[4..8], [RecordKind::RelinearizationKey, galois, galois, galois]);
    assert_eq!(kinds[8..], [RecordKind::Ciphertext; 6]);

    let value = |index: usize, name: &str| -> &str {
        let line = found[index].summary.iter().find(|(own, _)| own == name);
        &line.unwrap_or_else(|| panic!("{:?} lacks {name}", found[index].summary)).1
    };
    assert_eq!(value(0, "scheme"), "bgv");
    assert_eq!(value(0, "plaintext moduli"), "193, 97");
    assert_eq!(value(0, "bits of the primes of Q"), "45, 31, 33");
    assert_eq!(value(1, "ring degree"), "16");
    assert_eq!(value(2, "channels"), "2");
    let elements = lab.keys.galois_elements();
    let listed: Vec<_> = elements.iter().map(u64::to_string).collect();
    assert_eq!(value(3, "galois elements"), listed.join(", "));
    assert_eq!(value(3, "relinearisation"), "yes");
    assert_eq!(value(6, "galois element"), elements[1].to_string());
    let (fresh, seeded, product, low) = (8, 9, 11, 12);
    assert_eq!(value(fresh, "layout"), "15 signed values in slots");
    assert_eq!((value(fresh, "level"), value(low, "level")), ("2", "0"));
    assert_eq!((value(fresh, "parts"), value(product, "parts")), ("2", "3"));
    assert_eq!((value(fresh, "seeded"), value(seeded, "seeded")), ("no", "yes"));
    assert!(value(low, "factor").contains(", "), "a factor a channel");
    let noise: f64 =
        value(seeded, "claimed noise, log2").split(", ").next().unwrap().parse().unwrap();
    let exact = lab.samples()[1].vector.channels()[0].noise().inf_log2();
    assert!((noise - exact).abs() <= 0.05);
    let empty = inspect(&mut std::io::empty()).unwrap_err();
    assert!(matches!(empty, Error::File { .. }));
}

#[test]
fn objects_of_other_parameters_are_refused_with_both_identities() {
    let (lab, other) = (Lab::new(RECIPES[0]), Lab::new(RECIPES[1]));
    let (context, ids) = (&*other.context, [&lab, &other].map(|lab| lab.context.parameters().id()));
    let check = |error: Error| match error {
        Error::ParameterMismatch { found, expected, .. } => {
            assert_eq!([found, expected], ids.map(|id| id.to_string()));
        }
        other => panic!("{other}"),
    };
    let vector = &lab.samples()[0].vector;
    // On writing ...
    check(lab.secret.size(context).unwrap_err());
    check(lab.secret.to_bytes(context).unwrap_err());
    check(lab.public.to_bytes(context).unwrap_err());
    check(lab.keys.to_bytes(context).unwrap_err());
    check(vector.to_bytes(context).unwrap_err());
    // ... and on reading.
    let own = &*lab.context;
    check(VectorSecretKey::from_bytes(context, &lab.secret.to_bytes(own).unwrap()).unwrap_err());
    check(VectorPublicKey::from_bytes(context, &lab.public.to_bytes(own).unwrap()).unwrap_err());
    check(VectorEvaluationKeys::from_bytes(context, &lab.keys.to_bytes(own).unwrap()).unwrap_err());
    check(EncryptedVector::from_bytes(context, &vector.to_bytes(own).unwrap()).unwrap_err());
    // One channel of a set with two is another set.
    let two = VectorContext::new(&RECIPES[2].parameters(), engine()).unwrap();
    let error = lab.secret.to_bytes(&two).unwrap_err();
    assert!(matches!(error, Error::ParameterMismatch { .. }), "{error}");
}

#[test]
fn a_record_of_another_kind_is_named() {
    let lab = Lab::new(RECIPES[0]);
    let context = &*lab.context;
    let mut parameters = Vec::new();
    write_parameters(context.parameters(), &mut parameters).unwrap();
    let files = [
        ("parameters", parameters),
        ("secret key", lab.secret.to_bytes(context).unwrap()),
        ("public key", lab.public.to_bytes(context).unwrap()),
        ("evaluation keys", lab.keys.to_bytes(context).unwrap()),
        ("ciphertext", lab.samples()[0].vector.to_bytes(context).unwrap()),
    ];
    for (name, bytes) in files {
        let errors = [
            ("parameters", read_parameters(&mut &bytes[..]).err()),
            ("secret key", VectorSecretKey::from_bytes(context, &bytes).err()),
            ("public key", VectorPublicKey::from_bytes(context, &bytes).err()),
            ("evaluation keys", VectorEvaluationKeys::from_bytes(context, &bytes).err()),
            ("ciphertext", EncryptedVector::from_bytes(context, &bytes).err()),
        ];
        for (wanted, error) in errors {
            let expected = format!("holds {name} where {wanted} is needed");
            let found = error.map(|error| error.to_string());
            assert_eq!(found.is_some_and(|text| text.contains(&expected)), wanted != name);
        }
    }
}
