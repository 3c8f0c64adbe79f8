//! Vectors modulo a power of two: values of any length, their records, and computing with them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says so what it demands")]

use cyclotron_ring::sample::{SecretRng, SecretSeed};
use cyclotron_schemes::Error;
use cyclotron_schemes::bfv_pow2::vector::{decode, encode, range};
use cyclotron_schemes::bfv_pow2::{
    Decryptor, Encryptor, KeyPair, Pow2Context, Pow2Operand, Pow2Parameters, Pow2Preset,
    Pow2Vector, Pow2VectorEvaluator, RelinearizationKey,
};
use cyclotron_schemes::files::{HEADER_BYTES, Pow2Stored, TRAILER_BYTES, inspect};
use cyclotron_schemes::vector::Values;
use proptest::prelude::*;
use std::sync::Arc;

struct Party {
    context: Arc<Pow2Context>,
    encryptor: Encryptor,
    decryptor: Decryptor,
    evaluator: Pow2VectorEvaluator,
}

impl Party {
    fn new(preset: &str) -> Self {
        let literal = Pow2Preset::named(preset).unwrap().acknowledged();
        let context = Pow2Context::new(&Pow2Parameters::new(literal).unwrap()).unwrap();
        let mut rng = SecretRng::from_seed(SecretSeed::new([7; 32]));
        let keys = KeyPair::generate(&context, &mut rng).unwrap();
        let key = RelinearizationKey::generate(&context, &keys.secret, &mut rng).unwrap();
        Self {
            encryptor: Encryptor::on_processor(&context, &keys.public).unwrap(),
            decryptor: Decryptor::new(&context, &keys.secret).unwrap(),
            evaluator: Pow2VectorEvaluator::new(&context, Some(&key)).unwrap(),
            context,
        }
    }

    fn encrypt(&mut self, values: &[i64], signed: bool) -> Pow2Vector {
        self.encryptor.encrypt_vector(&self.context, Values::I64(values), signed).unwrap().0
    }

    fn decrypt(&self, vector: &Pow2Vector) -> Vec<i64> {
        self.decryptor.decrypt_vector(vector, None).unwrap().0.to_vec()
    }
}

/// `n = 16`, `t = 2^8`, with relinearisation.
fn party() -> Party {
    Party::new("PAPER_BFV_MINI_16_T8")
}

#[test]
fn what_is_encrypted_is_decrypted_at_every_length() {
    let mut party = party();
    for length in [0, 1, 15, 16, 17, 300] {
        for (signed, offset) in [(true, 128), (false, 0)] {
            let values: Vec<i64> = (0..length).map(|i| i * 53 % 256 - offset).collect();
            let vector = party.encrypt(&values, signed);
            assert_eq!(vector.ciphertexts().len(), values.len().div_ceil(16).max(1));
            assert_eq!((vector.len(), vector.is_signed()), (values.len(), signed));
            assert_eq!(party.decrypt(&vector), values);
            assert!(vector.margin(party.context.parameters()) > 1.0);
            assert!(
                party.decryptor.measured_margin(&vector).unwrap()
                    >= vector.margin(party.context.parameters())
            );
        }
    }
}

#[test]
fn values_out_of_range_are_told_with_their_place() {
    let mut party = party();
    let parameters = party.context.parameters().clone();
    assert_eq!((range(&parameters, true), range(&parameters, false)), ((-128, 127), (0, 255)));
    for (value, signed) in [(128, true), (-129, true), (256, false), (-1, false)] {
        let values = [0, value];
        let refused = party.encryptor.encrypt_vector(&party.context, Values::I64(&values), signed);
        let found = matches!(&refused, Err(Error::ValueOutOfRange { index: 1, value: text, .. })
            if *text == value.to_string());
        assert!(found, "{refused:?}");
    }
    let wide = [i128::MAX];
    assert!(encode(&parameters, Values::I128(&wide), true).is_err());
}

#[test]
fn records_round_trip_and_are_checked() {
    let mut party = party();
    let values: Vec<i64> = (0..40).collect();
    let vector = party.encrypt(&values, true);
    let bytes = vector.to_bytes(&party.context).unwrap();
    assert_eq!(bytes.len() as u64, vector.size(&party.context).unwrap());
    let read = Pow2Vector::from_bytes(&party.context, &bytes).unwrap();
    assert_eq!(read, vector);
    assert_eq!(party.decrypt(&read), values);
    let records = inspect(&mut &bytes[..]).unwrap();
    assert_eq!(records.len(), 4);
    let summary = |name: &str| {
        records[0].summary.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone())
    };
    assert_eq!(summary("length").as_deref(), Some("40"));
    for length in 0..bytes.len() {
        let refused = Pow2Vector::from_bytes(&party.context, &bytes[..length]);
        assert!(matches!(refused, Err(Error::File { .. })), "{length}: {refused:?}");
    }
    let more = [&bytes[..], &[0]].concat();
    assert!(matches!(Pow2Vector::from_bytes(&party.context, &more), Err(Error::File { .. })));
    let other = Party::new("PAPER_BFV_MINI_8_T8");
    let refused = Pow2Vector::from_bytes(&other.context, &bytes);
    assert!(matches!(refused, Err(Error::ParameterMismatch { .. })));
    assert!(matches!(vector.size(&other.context), Err(Error::ParameterMismatch { .. })));
}

/// Contents that lie, with a right hash.
#[test]
fn contents_that_do_not_fit_are_refused() {
    let mut party = party();
    let bytes = party.encrypt(&[1; 40], true).to_bytes(&party.context).unwrap();
    let head = (HEADER_BYTES + 16) as usize;
    let forged = |at: usize, value: &[u8]| {
        let mut forged = bytes.clone();
        let at = HEADER_BYTES as usize + at;
        forged[at..at + value.len()].copy_from_slice(value);
        let hash = *blake3::hash(&forged[..head]).as_bytes();
        forged[head..head + TRAILER_BYTES as usize].copy_from_slice(&hash);
        Pow2Vector::from_bytes(&party.context, &forged).map_err(|error| error.to_string())
    };
    assert!(forged(8, &41u64.to_le_bytes()).is_ok());
    for (at, value, words) in [
        (0, &0u32.to_le_bytes()[..], "0 ciphertexts"),
        (0, &2u32.to_le_bytes()[..], "40 values in 2 ciphertexts"),
        (0, &u32::MAX.to_le_bytes()[..], "ciphertexts where"),
        (4, &[2], "signed is 2"),
        (5, &[0, 1, 0], "reserved"),
        (8, &49u64.to_le_bytes()[..], "49 values in 3 ciphertexts"),
        (8, &u64::MAX.to_le_bytes()[..], "in 3 ciphertexts"),
    ] {
        let refused = forged(at, value).unwrap_err();
        assert!(refused.contains(words), "{refused:?} lacks {words:?}");
    }
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let mut party = party();
    let (a, b) = (party.encrypt(&[1, 2, 3], true), party.encrypt(&[1, 2], true));
    let unsigned = party.encrypt(&[1, 2, 3], false);
    let long = party.encrypt(&[1; 40], true);
    let evaluator = &party.evaluator;
    let short = [1i64, 2];
    for refused in [
        evaluator.add(&a, Pow2Operand::Encrypted(&b)),
        evaluator.sub(&a, Pow2Operand::Plain(Values::I64(&short))),
        evaluator.add(&a, Pow2Operand::Encrypted(&unsigned)),
        evaluator.mul(&a, Pow2Operand::Encrypted(&unsigned)),
        evaluator.mul(&a, Pow2Operand::Encrypted(&long)),
        evaluator.mul(&long, Pow2Operand::Plain(Values::I64(&short))),
    ] {
        assert!(matches!(refused, Err(Error::EncodingMismatch { .. })), "{refused:?}");
    }
    let refused = Pow2Vector::new(party.context.parameters(), Vec::new(), 1, true);
    assert!(matches!(refused, Err(Error::EncodingMismatch { .. })));
    let other = Party::new("PAPER_BFV_MINI_8_T8");
    assert!(matches!(other.evaluator.neg(&a), Err(Error::ParameterMismatch { .. })));
    assert!(other.decryptor.decrypt_vector(&a, None).is_err());
    let ciphertexts = a.ciphertexts().to_vec();
    let refused = Pow2Vector::new(other.context.parameters(), ciphertexts, 3, true);
    assert!(matches!(refused, Err(Error::ParameterMismatch { .. })));
}

/// Signed modulo 2^8.
fn reduced(value: i64) -> i64 {
    (value + 128).rem_euclid(256) - 128
}

/// The negacyclic product of the first `n` places.
fn negacyclic(a: &[i64], b: &[i64], n: usize) -> Vec<i64> {
    let mut out = vec![0; n];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let sign = if i + j < n { 1 } else { -1 };
            out[(i + j) % n] += sign * x * y;
        }
    }
    out.into_iter().map(reduced).collect()
}

#[test]
fn sums_and_products_are_those_of_the_values() {
    let mut party = party();
    for length in [1usize, 5, 16, 35] {
        let a: Vec<i64> = (0..length as i64).map(|i| i * 7 % 23 - 11).collect();
        let b: Vec<i64> = (0..length as i64).map(|i| i * 5 % 7 - 3).collect();
        let (x, y) = (party.encrypt(&a, true), party.encrypt(&b, true));
        let pairs = |f: fn(i64, i64) -> i64| -> Vec<i64> {
            a.iter().zip(&b).map(|(&a, &b)| reduced(f(a, b))).collect()
        };
        let evaluator = &party.evaluator;
        let plain = Pow2Operand::Plain(Values::I64(&b));
        let encrypted = Pow2Operand::Encrypted(&y);
        let number = Pow2Operand::Number(3);
        for (result, expected) in [
            (evaluator.add(&x, encrypted), pairs(|a, b| a + b)),
            (evaluator.add(&x, plain), pairs(|a, b| a + b)),
            (evaluator.sub(&x, encrypted), pairs(|a, b| a - b)),
            (evaluator.sub(&x, plain), pairs(|a, b| a - b)),
            (evaluator.add(&x, number), pairs(|a, _| a + 3)),
            (evaluator.mul(&x, number), pairs(|a, _| 3 * a)),
            (evaluator.neg(&x), pairs(|a, _| -a)),
        ] {
            assert_eq!(party.decrypt(&result.unwrap()), expected, "length {length}");
        }
        let blocks = a.chunks(16).zip(b.chunks(16));
        let mut expected: Vec<i64> = blocks.flat_map(|(a, b)| negacyclic(a, b, 16)).collect();
        if length <= 16 {
            expected.truncate((2 * length - 1).min(16));
        }
        for operand in [encrypted, plain] {
            let product = evaluator.mul(&x, operand).unwrap();
            assert_eq!((product.parts(), product.len()), (2, expected.len()));
            assert_eq!(party.decrypt(&product), expected, "length {length}");
        }
    }
}

proptest! {
    #[test]
    fn decoding_undoes_encoding(values in prop::collection::vec(-128i64..128, 0..100)) {
        let literal = Pow2Preset::named("PAPER_BFV_MINI_8_T8").unwrap().acknowledged();
        let parameters = Pow2Parameters::new(literal).unwrap();
        let plaintexts = encode(&parameters, Values::I64(&values), true).unwrap();
        prop_assert_eq!(&decode(&plaintexts, values.len(), true)[..], &values[..]);
        let unsigned: Vec<i64> = values.iter().map(|value| value.rem_euclid(256)).collect();
        prop_assert_eq!(&decode(&plaintexts, values.len(), false)[..], &unsigned[..]);
    }
}
