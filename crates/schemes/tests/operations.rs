//! Every operation of both schemes against the same operation in the clear.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod common;

use common::{Lab, parameters};
use cyclotron_engine::{CpuEngine, Engine};
use cyclotron_schemes::Error;
use cyclotron_schemes::encode::batch::rotation_element;
use cyclotron_schemes::encode::coefficient;
use cyclotron_schemes::rlwe::{
    Context, Decryptor, DigitChoice, Encryptor, EvaluationKeys, Evaluator, Mode, Parameters,
    SchemeKind, SecretKey,
};
use std::sync::Arc;

const SCHEMES: [SchemeKind; 2] = [SchemeKind::Bfv, SchemeKind::Bgv];

fn lab(scheme: SchemeKind) -> Lab {
    Lab::new(&parameters(scheme, 1024, 65_537, &[45, 45, 45, 45], &[45, 45]))
}

#[test]
fn fresh_ciphertexts_decrypt() {
    for scheme in SCHEMES {
        let lab = lab(scheme);
        let values = lab.values(3);
        for ciphertext in [lab.encrypt(&values, 1), lab.encrypt_symmetric(&values, 2)] {
            assert_eq!(lab.decrypt(&ciphertext), values, "{scheme}");
            let slack = lab.slack(&ciphertext);
            assert!(slack < 14.0, "{scheme}: {slack}");
        }
    }
}

#[test]
fn arithmetic_is_slot_by_slot() {
    for scheme in SCHEMES {
        let lab = lab(scheme);
        let (x, y) = (lab.values(3), lab.values(4));
        let (a, b) = (lab.encrypt(&x, 1), lab.encrypt_symmetric(&y, 2));
        let t = lab.t;
        let plain = lab.encoder.encode(&y).unwrap();
        let e = &lab.automatic;
        let cases = [
            (e.add(&a, &b), lab.zip(&x, &y, |u, v| t.add(u, v))),
            (e.sub(&a, &b), lab.zip(&x, &y, |u, v| t.sub(u, v))),
            (e.neg(&a), lab.zip(&x, &y, |u, _| t.neg(u))),
            (e.add_plain(&a, &plain), lab.zip(&x, &y, |u, v| t.add(u, v))),
            (e.sub_plain(&a, &plain), lab.zip(&x, &y, |u, v| t.sub(u, v))),
            (e.mul_plain(&a, &plain), lab.zip(&x, &y, |u, v| t.mul(u, v))),
            (e.mul(&a, &b), lab.zip(&x, &y, |u, v| t.mul(u, v))),
            (e.mul(&a, &a), lab.zip(&x, &x, |u, v| t.mul(u, v))),
            (
                e.sum_of_products(&[(&a, &b), (&a, &a)]),
                lab.zip(&x, &y, |u, v| t.add(t.mul(u, v), t.mul(u, u))),
            ),
        ];
        for (index, (result, expected)) in cases.into_iter().enumerate() {
            let result = result.unwrap();
            assert_eq!(lab.decrypt(&result), expected, "{scheme} case {index}");
            lab.slack(&result);
        }
    }
}
#[test]
fn rotations_move_slots() {
    for scheme in SCHEMES {
        let lab = lab(scheme);
        let x = lab.values(5);
        let a = lab.encrypt(&x, 1);
        let half = x.len() / 2;
        let rotated = |steps: i64| -> Vec<u64> {
            let place = |i: usize| (i as i64 + steps).rem_euclid(half as i64) as usize;
            (0..half).map(|i| x[place(i)]).chain((0..half).map(|i| x[half + place(i)])).collect()
        };
        for steps in [0, 1, 4, 5, 511, -1] {
            let result = lab.automatic.rotate(&a, steps).unwrap();
            assert_eq!(lab.decrypt(&result), rotated(steps), "{scheme} {steps}");
            lab.slack(&result);
        }
        let swapped = [&x[half..], &x[..half]].concat();
        assert_eq!(lab.decrypt(&lab.automatic.swap_rows(&a).unwrap()), swapped);
        let elements = [rotation_element(1024, 2), rotation_element(1024, 8)];
        let hoisted = lab.automatic.automorphisms(&a, &elements).unwrap();
        assert_eq!(lab.decrypt(&hoisted[0]), rotated(2));
        assert_eq!(lab.decrypt(&hoisted[1]), rotated(8));
        let sum = x.iter().fold(0, |sum, &v| lab.t.add(sum, v));
        let total = lab.automatic.sum_slots(&a).unwrap();
        assert_eq!(lab.decrypt(&total), vec![sum; x.len()]);
        lab.slack(&total);
    }
}

#[test]
fn levels_fall_and_keep_the_message() {
    for scheme in SCHEMES {
        let lab = lab(scheme);
        let (x, y) = (lab.values(6), lab.values(7));
        let (a, b) = (lab.encrypt(&x, 1), lab.encrypt(&y, 2));
        for level in (0..4).rev() {
            let low = lab.automatic.mod_switch(&a, level).unwrap();
            assert_eq!((low.level(), lab.decrypt(&low)), (level, x.clone()), "{scheme}");
            lab.slack(&low);
            // Levels and factors are aligned in automatic mode.
            let sum = lab.automatic.add(&low, &b).unwrap();
            assert_eq!(lab.decrypt(&sum), lab.zip(&x, &y, |u, v| lab.t.add(u, v)));
            lab.slack(&sum);
            if level > 1 {
                let product = lab.automatic.mul(&low, &b).unwrap();
                assert_eq!(lab.decrypt(&product), lab.zip(&x, &y, |u, v| lab.t.mul(u, v)));
                let rotated = lab.automatic.rotate(&low, 1).unwrap();
                assert_eq!(lab.decrypt(&rotated)[0], x[1]);
            }
        }
        let low = lab.automatic.mod_switch(&a, 1).unwrap();
        assert!(matches!(
            lab.automatic.mod_switch(&low, 2),
            Err(Error::LevelOutOfRange { level: 2, max: 1, .. })
        ));
    }
}

#[test]
fn strict_mode_does_exactly_what_was_said() {
    for scheme in SCHEMES {
        let lab = lab(scheme);
        let (x, y) = (lab.values(6), lab.values(7));
        let (a, b) = (lab.encrypt(&x, 1), lab.encrypt(&y, 2));
        let low = lab.strict.mod_switch(&a, 2).unwrap();
        for result in [lab.strict.add(&low, &b), lab.strict.mul(&low, &b)] {
            assert!(matches!(result, Err(Error::LevelMismatch { left: 2, right: 3, .. })));
        }
        let product = lab.strict.mul(&a, &b).unwrap();
        assert_eq!((product.parts(), product.level()), (3, 3));
        let expected = lab.zip(&x, &y, |u, v| lab.t.mul(u, v));
        assert_eq!(lab.decrypt(&product), expected);
        assert!(matches!(lab.strict.rotate(&product, 1), Err(Error::NotLinear { parts: 3, .. })));
        assert!(matches!(lab.strict.mul(&product, &b), Err(Error::NotLinear { parts: 3, .. })));
        let relinearized = lab.strict.relinearize(&product).unwrap();
        assert_eq!((relinearized.parts(), lab.decrypt(&relinearized)), (2, expected));
        // Three polynomials survive every linear operation.
        let switched = lab.strict.mod_switch(&product, 2).unwrap();
        let doubled = lab.strict.add(&switched, &switched).unwrap();
        let negated = lab.strict.neg(&doubled).unwrap();
        let cube = lab.zip(&x, &y, |u, v| lab.t.neg(lab.t.mul(2, lab.t.mul(u, v))));
        assert_eq!((negated.parts(), lab.decrypt(&negated)), (3, cube));
        // No composition of rotations.
        assert!(matches!(lab.strict.rotate(&a, 3), Err(Error::MissingKey { .. })));
    }
}

#[test]
fn zero_is_legal_and_flagged() {
    for scheme in SCHEMES {
        let lab = lab(scheme);
        let a = lab.encrypt(&lab.values(1), 1);
        let zero = lab.encoder.encode(&[]).unwrap();
        let product = lab.automatic.mul_plain(&a, &zero).unwrap();
        assert!(product.is_transparent() && !a.is_transparent());
        assert_eq!(lab.decrypt(&product), vec![0; 1024]);
        let difference = lab.automatic.sub(&a, &a).unwrap();
        assert!(difference.is_transparent());
        assert_eq!(lab.decrypt(&difference), vec![0; 1024]);
        // A readable message times a hidden one is hidden; zero times anything is zero.
        let one = lab.encoder.encode(&[1; 1024]).unwrap();
        let readable = lab.automatic.add_plain(&difference, &one).unwrap();
        assert!(readable.is_transparent());
        let hidden = lab.automatic.mul(&readable, &a).unwrap();
        assert!(!hidden.is_transparent());
        assert_eq!(lab.decrypt(&hidden), lab.values(1));
        lab.slack(&hidden);
        assert!(lab.strict.mul(&product, &product).unwrap().is_transparent());
    }
}

/// The same key switch with every kind of digit, with and without special primes, at every level.
#[test]
fn every_gadget_switches_keys_within_its_bound() {
    let gadgets: [(DigitChoice, &[u32]); 6] = [
        (DigitChoice::Limbs(1), &[]),
        (DigitChoice::Limbs(1), &[45]),
        (DigitChoice::Limbs(2), &[45, 45]),
        (DigitChoice::Limbs(3), &[45, 45, 46]),
        (DigitChoice::Words(9), &[]),
        (DigitChoice::Words(16), &[30]),
    ];
    for scheme in SCHEMES {
        for (digits, special) in gadgets {
            let mut literal =
                parameters(scheme, 256, 7681, &[45, 45, 45, 45], special).literal().clone();
            literal.digits = digits;
            let lab = Lab::new(&Parameters::new(literal).unwrap());
            let x = lab.values(3);
            let a = lab.encrypt(&x, 1);
            let square = lab.zip(&x, &x, |u, v| lab.t.mul(u, v));
            for level in [3, 2, 1] {
                let low = lab.strict.mod_switch(&a, level).unwrap();
                let product = lab.strict.mul(&low, &low).unwrap();
                let product = lab.strict.relinearize(&product).unwrap();
                let name = format!("{scheme} {digits:?} {special:?} level {level}");
                assert_eq!(lab.decrypt(&product), square, "{name}");
                let rotated = lab.strict.rotate(&low, 1).unwrap();
                assert_eq!(lab.decrypt(&rotated)[..127], x[1..128], "{name}");
                let slack = lab.slack(&rotated).max(lab.slack(&product));
                assert!(slack < 16.0, "{name}: {slack:.1}");
            }
        }
    }
}

#[test]
fn missing_keys_and_mixed_parameters_name_the_remedy() {
    let lab = lab(SchemeKind::Bfv);
    let a = lab.encrypt(&lab.values(1), 1);
    let bare = Evaluator::new(&lab.context, EvaluationKeys::default(), Mode::Automatic).unwrap();
    // Without a key the product keeps three polynomials, and stays right.
    let product = bare.mul(&a, &a).unwrap();
    assert_eq!(product.parts(), 3);
    for refused in [bare.relinearize(&product), bare.rotate(&a, 1), bare.mul(&product, &a)] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::MissingKey { .. }));
        assert!(error.to_string().contains("generate it"), "{error}");
    }
    let other = Lab::new(&parameters(SchemeKind::Bfv, 1024, 12_289, &[45, 45], &[45]));
    let b = other.encrypt(&[1], 1);
    for refused in [lab.automatic.add(&a, &b), lab.automatic.mul(&b, &a), lab.automatic.neg(&b)] {
        let text = refused.unwrap_err().to_string();
        assert!(text.contains(&lab.context.id().to_string()), "{text}");
        assert!(text.contains(&other.context.id().to_string()), "{text}");
    }
    assert!(matches!(lab.decryptor.decrypt(&b), Err(Error::ParameterMismatch { .. })));
    let plaintext = other.encoder.encode(&[1]).unwrap();
    assert!(lab.automatic.mul_plain(&a, &plaintext).is_err());
    assert!(Evaluator::new(&lab.context, other.keys.clone(), Mode::Strict).is_err());
}

/// A ciphertext under another key of the same parameters is noise, and decryption says so.
#[test]
fn a_wrong_key_is_refused_not_garbage() {
    for scheme in SCHEMES {
        let lab = lab(scheme);
        let mut generator = common::rng(99);
        let other = SecretKey::generate(&lab.context, &mut generator).unwrap();
        let decryptor = Decryptor::new(&lab.context, &Arc::new(other)).unwrap();
        let a = lab.encrypt(&lab.values(1), 1);
        let refusal = decryptor.decrypt(&a);
        assert!(matches!(refusal, Err(Error::NoiseMeasured { .. })), "{scheme}: {refusal:?}");
    }
}

/// The widest plaintext modulus: 60 bits, wider than every ciphertext prime.
#[test]
fn sixty_bit_plaintexts_multiply_and_switch() {
    let t = cyclotron_ring::primes::primes_below(60, 128, 1, &[]).unwrap()[0];
    for scheme in SCHEMES {
        let lab = Lab::new(&parameters(scheme, 64, t, &[50; 9], &[50, 50]));
        let (x, y) = (lab.values(8), lab.values(9));
        let (a, b) = (lab.encrypt(&x, 1), lab.encrypt_symmetric(&y, 2));
        let low = lab.automatic.mod_switch(&a, 7).unwrap();
        let product = lab.automatic.mul(&low, &b).unwrap();
        let expected = lab.zip(&x, &y, |u, v| lab.t.mul(u, v));
        assert_eq!(lab.decrypt(&product), expected, "{scheme}");
        // The factors of operands that came down by different paths are brought together.
        let sum = lab.automatic.add(&product, &low).unwrap();
        assert_eq!(lab.decrypt(&sum), lab.zip(&expected, &x, |u, v| lab.t.add(u, v)), "{scheme}");
        let twice = lab.automatic.mul(&product, &low).unwrap();
        let cube = lab.zip(&expected, &x, |u, v| lab.t.mul(u, v));
        assert_eq!(lab.decrypt(&twice), cube, "{scheme}");
        for ciphertext in [&product, &sum, &twice] {
            lab.slack(ciphertext);
        }
        if scheme == SchemeKind::Bgv {
            assert_ne!(product.factor(), low.factor());
            assert!(matches!(
                lab.strict.add(&product, &lab.strict.mod_switch(&low, product.level()).unwrap()),
                Err(Error::FactorMismatch { .. })
            ));
        }
    }
}

/// Plaintext moduli that are even or powers of two: messages in coefficients.
#[test]
fn composite_plaintext_moduli_work_in_coefficients() {
    for scheme in SCHEMES {
        for t in [2u64, 256, 1000, 1 << 40] {
            let parameters = parameters(scheme, 64, t, &[50; 5], &[50]);
            let engine: Arc<dyn Engine> = CpuEngine::builder().threads(1).open().unwrap();
            let context = Context::new(&parameters, &engine).unwrap();
            let mut generator = common::rng(4);
            let secret = Arc::new(SecretKey::generate(&context, &mut generator).unwrap());
            let encryptor = Encryptor::symmetric(&context, &secret).unwrap();
            let decryptor = Decryptor::new(&context, &secret).unwrap();
            let evaluator =
                Evaluator::new(&context, EvaluationKeys::default(), Mode::Automatic).unwrap();
            let message: Vec<u64> = (0..64).map(|i| (i * i + t / 3) % t).collect();
            let plaintext = coefficient::encode(&parameters, &message).unwrap();
            let a = encryptor.encrypt(&plaintext, &mut generator).unwrap();
            let low = evaluator.mod_switch(&a, 2).unwrap();
            let product = evaluator.mul(&a, &low).unwrap();
            let modulus = parameters.plaintext_modulus();
            let square = cyclotron_ring::ntt::ring_mul_schoolbook(modulus, &message, &message);
            let decrypted = decryptor.decrypt(&product).unwrap();
            assert_eq!(decrypted.coefficients(), square.unwrap(), "{scheme} t = {t}");
            let sum = evaluator.add(&product, &a).unwrap();
            let expected: Vec<u64> = decrypted
                .coefficients()
                .iter()
                .zip(&message)
                .map(|(&u, &v)| modulus.add(u, v))
                .collect();
            assert_eq!(decryptor.decrypt(&sum).unwrap().coefficients(), expected, "{scheme} {t}");
        }
    }
}
