//! Keys and operations against the definitions, on big integers.

use super::lab::{Big, Lab, add, big, centre, divide_round, multiply, parameters, preset, words};
use cyclotron_ring::norms::Norms;
use cyclotron_ring::sample::SmallPoly;
use cyclotron_schemes::Error;
use cyclotron_schemes::bfv_pow2::{Ciphertext, Evaluator, Plaintext, RelinearizationKey};
use num_bigint::BigInt;
use num_traits::Signed;
use proptest::prelude::*;

fn secret(lab: &Lab) -> Big {
    big(lab.keys.secret.expose().as_slice())
}

fn largest(poly: &Big) -> BigInt {
    poly.iter().map(Signed::abs).max().unwrap()
}

/// Any ciphertext, of no meaning: two uniform polynomials that claim no noise.
fn random(lab: &mut Lab, parts: usize) -> Ciphertext {
    let mask = lab.parameters.mask_q();
    let mut part = || {
        let mut words = vec![0; lab.parameters.degree()];
        lab.rng.fill_words(&mut words);
        words.into_iter().map(|word| word & mask).collect()
    };
    let parts = (0..parts).map(|_| part()).collect();
    Ciphertext::from_parts(&lab.parameters, parts, Norms::ZERO).unwrap()
}

#[test]
fn a_public_key_is_an_encryption_of_zero() {
    for (n, log_q) in [(4, 32), (16, 61), (64, 17), (1024, 32), (1024, 64)] {
        let lab = Lab::new(&parameters(n, log_q, 1, 0));
        let key = lab.keys.public.polynomials();
        let phase = add(&big(key.p0), &multiply(&big(key.p1), &secret(&lab)));
        let error = largest(&centre(&phase, log_q));
        assert!(error <= 21.into() && error > 0.into(), "{n} {log_q}: {error}");
        assert!(key.p1.iter().any(|&word| word >> (log_q - 1) == 1));
        assert!(key.p0.iter().chain(key.p1).all(|&word| word >> (log_q - 1) <= 1));
    }
}

/// The file is what shows a relinearisation key: 56 bytes of header, the seed, the body.
#[test]
fn a_relinearisation_key_hides_the_square_at_the_raised_modulus() {
    use cyclotron_ring::{Modulus, sample::uniform};
    use cyclotron_schemes::files::Pow2Stored;
    for (n, log_q, log_p) in [(4, 32, 32), (16, 64, 64), (64, 64, 42), (256, 40, 3)] {
        let lab = Lab::new(&parameters(n, log_q, 2, log_p));
        let key = lab.relinearization.as_ref().unwrap();
        let bytes = key.to_bytes(&lab.context).unwrap();
        let bits = log_q + log_p;
        let seed: [u8; 32] = bytes[56..88].try_into().unwrap();
        let width = bits.div_ceil(8) as usize;
        let body: Big = bytes[88..88 + n * width]
            .chunks_exact(width)
            .map(|chunk| BigInt::from_bytes_le(num_bigint::Sign::Plus, chunk))
            .collect();
        let mut mask = vec![BigInt::default(); n];
        for limb in 0..bits.div_ceil(32) {
            let modulus = Modulus::new(1 << (bits - 32 * limb).min(32)).unwrap();
            let mut part = vec![0; n];
            uniform::fill(&seed.into(), 0, limb, modulus, &mut part);
            mask.iter_mut().zip(part).for_each(|(x, word)| *x += BigInt::from(word) << (32 * limb));
        }
        let s = secret(&lab);
        let square: Big = multiply(&s, &s).into_iter().map(|x| -(x << log_p)).collect();
        let error = centre(&add(&add(&body, &multiply(&mask, &s)), &square), bits);
        let error = largest(&error);
        assert!(error <= 21.into() && error > 0.into(), "{n} {bits}: {error}");
    }
}

/// The exact tensor, scaled by t/q and rounded.
fn tensor(lab: &Lab, a: &Ciphertext, b: &Ciphertext) -> Vec<Vec<u64>> {
    let bits = lab.parameters.log_q();
    let [a0, a1] = [0, 1].map(|i| centre(&big(&a.parts()[i]), bits));
    let [b0, b1] = [0, 1].map(|i| centre(&big(&b.parts()[i]), bits));
    [multiply(&a0, &b0), add(&multiply(&a0, &b1), &multiply(&a1, &b0)), multiply(&a1, &b1)]
        .map(|part| words(&divide_round(&part, lab.parameters.log_delta()), bits))
        .to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_operation_is_its_definition(
        log_n in 2u32..=8,
        (log_q, log_t) in (14u32..=64).prop_flat_map(|log_q| (Just(log_q), 1..=(log_q - 13))),
        log_p in 1u32..=64,
        key in 0u8..,
    ) {
        let parameters = parameters(1 << log_n, log_q, log_t, log_p);
        let mut lab = Lab::seeded(&parameters, key);
        let (a, b, plain) = (random(&mut lab, 2), random(&mut lab, 3), lab.message());
        let evaluator = &lab.evaluator;
        let poly = |ciphertext: &Ciphertext, i: usize| {
            ciphertext.parts().get(i).map_or_else(|| vec![0.into(); 1 << log_n], |part| big(part))
        };
        let minus = |poly: Big| -> Big { poly.into_iter().map(|x| -x).collect() };
        let scaled: Big =
            plain.coefficients().iter().map(|&m| BigInt::from(m) << (log_q - log_t)).collect();
        for i in 0..3 {
            let sum = evaluator.add(&a, &b).unwrap();
            prop_assert_eq!(&sum.parts()[i], &words(&add(&poly(&a, i), &poly(&b, i)), log_q));
            let difference = evaluator.sub(&a, &b).unwrap();
            let expected = words(&add(&poly(&a, i), &minus(poly(&b, i))), log_q);
            prop_assert_eq!(&difference.parts()[i], &expected);
            let negative = evaluator.neg(&b).unwrap();
            prop_assert_eq!(&negative.parts()[i], &words(&minus(poly(&b, i)), log_q));
            let message = if i == 0 { scaled.clone() } else { vec![0.into(); 1 << log_n] };
            let plus = evaluator.add_plain(&b, &plain).unwrap();
            prop_assert_eq!(&plus.parts()[i], &words(&add(&poly(&b, i), &message), log_q));
            let less = evaluator.sub_plain(&b, &plain).unwrap();
            prop_assert_eq!(&less.parts()[i], &words(&add(&poly(&b, i), &minus(message)), log_q));
            let product = evaluator.mul_plain(&b, &plain).unwrap();
            let expected = words(&multiply(&poly(&b, i), &big(&plain.to_signed())), log_q);
            prop_assert_eq!(&product.parts()[i], &expected);
        }
        let c = random(&mut lab, 2);
        // Uniform words claim no noise here, so that the bound of the product is its rounding.
        match lab.evaluator.multiply(&a, &c) {
            Ok(product) => prop_assert_eq!(product.parts(), tensor(&lab, &a, &c)),
            Err(error) => {
                let exhausted = matches!(error, Error::NoiseExhausted { .. });
                prop_assert!(exhausted, "{}", error);
            }
        }
    }
}

/// At the papers' sizes: the product of ciphertexts with extreme words.
#[test]
fn products_are_exact_at_full_size() {
    for (name, bits) in [("PAPER_BFV_1024_Q64", 64), ("POW2_4096", 64)] {
        let mut lab = Lab::new(&preset(name));
        let n = lab.parameters.degree();
        let extreme = vec![vec![1u64 << (bits - 1); n]; 2];
        let extreme = Ciphertext::from_parts(&lab.parameters, extreme, Norms::ZERO).unwrap();
        // Sparse, so that the big integers stay quick.
        let mut sparse = random(&mut lab, 2).parts().to_vec();
        for (i, word) in sparse.iter_mut().flat_map(|part| part.iter_mut().enumerate()) {
            *word *= u64::from(i % 64 == 0 || i == n - 1);
        }
        let sparse = Ciphertext::from_parts(&lab.parameters, sparse, Norms::ZERO).unwrap();
        let found = lab.evaluator.multiply(&sparse, &extreme).unwrap();
        assert_eq!(found.parts(), tensor(&lab, &sparse, &extreme), "{name}");
    }
    // Against itself there is a closed form: (-2^63 sum x^i)^2 = 2^126 sum (2i + 2 - n) x^i.
    let lab = Lab::new(&preset("PAPER_BFV_1024_Q64"));
    let extreme = vec![vec![1u64 << 63; 1024]; 2];
    let extreme = Ciphertext::from_parts(&lab.parameters, extreme, Norms::ZERO).unwrap();
    let found = lab.evaluator.multiply(&extreme, &extreme).unwrap();
    let square: Big = (0..1024).map(|i| BigInt::from(2 * i + 2 - 1024) << 126u32).collect();
    let double: Big = square.iter().map(|x| x * 2).collect();
    for (part, expected) in found.parts().iter().zip([&square, &double, &square]) {
        assert_eq!(part, &words(&divide_round(expected, 48), 64));
    }
}

#[test]
fn messages_come_back_and_errors_name_their_values() {
    let mut lab = Lab::new(&preset("POW2_4096"));
    let (x, y) = (lab.message(), lab.message());
    let [a, b] = [&x, &y].map(|m| lab.encryptor.encrypt(m).unwrap());
    let product = lab.evaluator.multiply(&a, &b).unwrap();
    assert_eq!(product.parts().len(), 3);
    let linear = lab.evaluator.relinearize(&product).unwrap();
    assert_eq!(lab.decryptor.decrypt(&product).unwrap(), lab.decryptor.decrypt(&linear).unwrap());
    assert_eq!(lab.evaluator.mul(&a, &b).unwrap(), linear);
    assert_eq!(lab.evaluator.relinearize(&linear).unwrap(), linear);
    let ring = cyclotron_ring::pow2::Pow2Ring::new(4096, 12).unwrap();
    let mut expected = vec![0; 4096];
    ring.mul(&mut expected, x.coefficients(), y.coefficients());
    assert_eq!(lab.decryptor.decrypt(&linear).unwrap().coefficients(), expected);

    let refused = lab.evaluator.multiply(&product, &a).unwrap_err();
    assert_eq!(refused, Error::NotLinear { operation: "multiply", parts: 3 });
    let keyless = Evaluator::new(&lab.context, None).unwrap();
    for result in [keyless.mul(&a, &b), keyless.relinearize(&product)] {
        assert!(matches!(result, Err(Error::MissingKey { .. })));
    }
    let mut device = lab.context.processor().unwrap();
    let check = cyclotron_schemes::bfv_pow2::DeviceCheck::Measured;
    let refused = lab.decryptor.decrypt_on(&mut device, &[product], check).unwrap_err();
    assert!(matches!(refused, Error::NotLinear { parts: 3, .. }));

    let none = Lab::new(&preset("PAPER_BFV_1024"));
    let mut rng = super::lab::rng(1);
    let key = RelinearizationKey::generate(&none.context, &none.keys.secret, &mut rng);
    assert!(matches!(key, Err(Error::Parameter { .. })));
    let zero = lab.evaluator.sub(&a, &a).unwrap();
    assert!(zero.is_transparent() && !a.is_transparent());
}

#[test]
fn plaintexts_and_ciphertexts_are_checked() {
    let parameters = preset("PAPER_BFV_MINI_4_T8");
    let refused = |values: &[u64]| Plaintext::new(&parameters, values.to_vec()).unwrap_err();
    assert_eq!(refused(&[0; 5]), Error::TooManyValues { found: 5, capacity: 4 });
    assert!(refused(&[0, 256]).to_string().contains("value 256 at index 1 is outside [0, 255]"));
    let signed = Plaintext::from_signed(&parameters, &[-128, 127, -1]).unwrap();
    assert_eq!(signed.coefficients(), [128, 127, 255, 0]);
    assert_eq!(signed.to_signed().as_slice(), [-128, 127, -1, 0]);
    assert_eq!(format!("{signed:?}"), "Plaintext(4 coefficients)");
    for outside in [128, -129] {
        let error = Plaintext::from_signed(&parameters, &[outside]).unwrap_err().to_string();
        assert!(error.contains("[-128, 127]"), "{error}");
    }
    let good = vec![0; 4];
    for (parts, text) in [
        (vec![good.clone()], "polynomials is 1"),
        (vec![good.clone(); 4], "polynomials is 4"),
        (vec![good.clone(), vec![0; 3]], "polynomial is 3"),
        (vec![good, vec![0, 0, 1 << 32, 0]], "ciphertext is 4294967296"),
    ] {
        let error = Ciphertext::from_parts(&parameters, parts, Norms::ZERO).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
}

/// A thousand random messages at the paper's size, and at the secure one.
#[test]
fn a_thousand_encryptions_decrypt() {
    for name in ["PAPER_BFV_1024", "POW2_2048", "PAPER_BFV_MINI_16"] {
        let mut lab = Lab::new(&preset(name));
        let mut device = lab.context.processor().unwrap();
        for _ in 0..20 {
            let messages: Vec<Plaintext> = (0..50).map(|_| lab.message()).collect();
            let (ciphertexts, _) = lab.encryptor.encrypt_many(&messages).unwrap();
            let check = cyclotron_schemes::bfv_pow2::DeviceCheck::Measured;
            let (found, _) = lab.decryptor.decrypt_on(&mut device, &ciphertexts, check).unwrap();
            assert_eq!(found, messages, "{name}");
        }
    }
}

/// Secret keys have the norm that the bounds presume.
#[test]
fn secret_keys_are_ternary_and_bounded() {
    let lab = Lab::new(&preset("POW2_4096"));
    let s: &SmallPoly = lab.keys.secret.expose();
    let real: Vec<f64> = s.as_slice().iter().map(|&x| x.into()).collect();
    assert!(s.as_slice().iter().all(|x| x.abs() <= 1));
    let norm = cyclotron_ring::norms::canonical_norm(&real);
    assert!(norm <= cyclotron_ring::norms::secret_bound(4096));
}
