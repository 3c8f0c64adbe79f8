//! Bounds are never below the noise, and what they do not allow is refused.

use super::lab::{Lab, parameters, preset};
use cyclotron_ring::norms::Norms;
use cyclotron_schemes::Error;
use cyclotron_schemes::bfv_pow2::{Ciphertext, Plaintext};
use proptest::prelude::*;

/// The noise is below its bound, and the bound not absurdly high.
fn check(lab: &Lab, ciphertext: &Ciphertext, slack: f64) {
    let measured = lab.decryptor.measure(ciphertext).unwrap();
    assert!(measured.noise <= measured.bound, "{measured:?}");
    assert!(measured.bound <= measured.noise + slack, "{measured:?}");
}

fn product(a: &Plaintext, b: &Plaintext, log_t: u32) -> Vec<u64> {
    let ring = cyclotron_ring::pow2::Pow2Ring::new(a.coefficients().len(), log_t).unwrap();
    let mut out = vec![0; ring.degree()];
    ring.mul(&mut out, a.coefficients(), b.coefficients());
    out
}

/// A plaintext with the largest norms there are.
fn full_range(lab: &Lab) -> Plaintext {
    let half = 1i64 << (lab.parameters.log_t() - 1);
    Plaintext::from_signed(&lab.parameters, &vec![-half; lab.parameters.degree()]).unwrap()
}

/// The four cases of S-MINI: at q = 2^32 and t = 2^16 no noise is left for products, whatever the
/// degree; at t = 2^8, or at q = 2^64, there is.
#[test]
fn products_are_refused_where_the_noise_has_no_room_and_right_elsewhere() {
    for n in [4, 8, 16] {
        let mut tight = Lab::new(&preset(&format!("PAPER_BFV_MINI_{n}")));
        let message = tight.message();
        let ciphertext = tight.encryptor.encrypt(&message).unwrap();
        for (operation, result) in [
            ("multiply", tight.evaluator.mul(&ciphertext, &ciphertext)),
            ("mul_plain", tight.evaluator.mul_plain(&ciphertext, &full_range(&tight))),
        ] {
            match result {
                Err(Error::NoiseExhausted { operation: found, bound, capacity }) => {
                    assert_eq!(found, operation);
                    assert!(bound > capacity && capacity < 15.0);
                }
                other => panic!("{n} {operation}: {other:?}"),
            }
        }
        // It is not the bound that is too careful: without it the result is garbage, which
        // measuring finds in all but (3/4)^n of the cases.
        let (mut refused, mut wrong) = (0, 0);
        for _ in 0..40 {
            let (x, y) = (tight.message(), tight.message());
            let parts = tight.encryptor.encrypt(&x).unwrap().parts().to_vec();
            let raw = Ciphertext::from_parts(&tight.parameters, parts, Norms::ZERO).unwrap();
            let unbounded = tight.evaluator.mul_plain(&raw, &y).unwrap();
            match tight.decryptor.decrypt(&unbounded) {
                Err(Error::NoiseMeasured { fraction, .. }) => {
                    assert!(fraction > 0.375 && fraction <= 0.5);
                    refused += 1;
                }
                other => {
                    let right = product(&x, &y, 16);
                    wrong += usize::from(other.unwrap().coefficients() != right);
                }
            }
        }
        assert!(refused >= 20 && refused + wrong >= 36, "{n}: {refused} {wrong}");

        for suffix in ["T8", "Q64"] {
            let mut lab = Lab::new(&preset(&format!("PAPER_BFV_MINI_{n}_{suffix}")));
            let log_t = lab.parameters.log_t();
            let full = full_range(&lab);
            for _ in 0..50 {
                let (x, y) = (lab.message(), lab.message());
                let a = lab.encryptor.encrypt(&x).unwrap();
                let b = lab.encryptor.encrypt(&y).unwrap();
                let both = lab.evaluator.mul(&a, &b).unwrap();
                check(&lab, &both, 16.0);
                let found = lab.decryptor.decrypt(&both).unwrap();
                assert_eq!(found.coefficients(), product(&x, &y, log_t));
                for plain in [&y, &full] {
                    let plainly = lab.evaluator.mul_plain(&a, plain).unwrap();
                    check(&lab, &plainly, 16.0);
                    let found = lab.decryptor.decrypt(&plainly).unwrap();
                    assert_eq!(found.coefficients(), product(&x, plain, log_t));
                }
            }
        }
    }
}

#[test]
fn fresh_noise_stays_below_its_bound_at_every_preset() {
    for preset in cyclotron_schemes::bfv_pow2::PRESETS {
        let mut lab = Lab::new(&super::lab::preset(preset.name));
        for _ in 0..20 {
            let message = lab.message();
            let ciphertext = lab.encryptor.encrypt(&message).unwrap();
            check(&lab, &ciphertext, 9.0);
        }
    }
}

/// `ct + ct` and `ct * ct` of the same ciphertext: what depends on itself is covered.
#[test]
fn dependent_operands_are_covered() {
    let mut lab = Lab::new(&preset("PAPER_BFV_1024_Q64"));
    let message = lab.message();
    let mut sum = lab.encryptor.encrypt(&message).unwrap();
    let mut expected = message.coefficients().to_vec();
    let square = lab.evaluator.mul(&sum, &sum).unwrap();
    check(&lab, &square, 14.0);
    let found = lab.decryptor.decrypt(&square).unwrap();
    assert_eq!(found.coefficients(), product(&message, &message, 16));
    for _ in 0..20 {
        sum = lab.evaluator.add(&sum, &sum).unwrap();
        expected.iter_mut().for_each(|x| *x = (*x * 2) & 0xFFFF);
        check(&lab, &sum, 9.0);
        assert_eq!(lab.decryptor.decrypt(&sum).unwrap().coefficients(), expected);
    }
    let mut doublings = 0;
    while let Ok(next) = lab.evaluator.add(&sum, &sum) {
        sum = next;
        doublings += 1;
    }
    assert!((10..20).contains(&doublings), "{doublings}");
    assert!(lab.decryptor.decrypt(&sum).is_ok());
}

/// A false claim, an altered ciphertext and a wrong key are found by measuring.
#[test]
fn decryption_measures() {
    let mut lab = Lab::new(&preset("PAPER_BFV_1024"));
    let message = lab.message();
    let good = lab.encryptor.encrypt(&message).unwrap();
    let wrong_key = Lab::seeded(&preset("PAPER_BFV_1024"), 8);
    let measured =
        |error| matches!(error, Err(Error::NoiseMeasured { limit, .. }) if limit < 0.376);
    assert!(measured(wrong_key.decryptor.decrypt(&good)));
    let mut parts = good.parts().to_vec();
    // Half of Delta; a multiple of Delta would change the message and not the noise.
    parts[1][17] ^= 1 << 23;
    let altered = Ciphertext::from_parts(&lab.parameters, parts.clone(), good.noise()).unwrap();
    assert!(measured(lab.decryptor.decrypt(&altered)));
    // Alone in c_0, noise just below and just above 3/8 of Delta.
    for (noise, accepted) in [((3 << 21) - 20_000, true), ((3 << 21) + 20_000, false)] {
        let mut parts = good.parts().to_vec();
        parts[0][5] = parts[0][5].wrapping_add(noise) & u64::from(u32::MAX);
        let shifted = Ciphertext::from_parts(&lab.parameters, parts, good.noise()).unwrap();
        let found = lab.decryptor.decrypt(&shifted);
        assert_eq!(found.is_ok(), accepted, "{found:?}");
        assert_eq!(found.ok().map(|m| m == message), accepted.then_some(true));
    }
    let claimed = Norms::worst_case(1024, 22.6);
    let claim = Ciphertext::from_parts(&lab.parameters, good.parts().to_vec(), claimed).unwrap();
    let refused = lab.decryptor.decrypt(&claim);
    assert!(matches!(refused, Err(Error::NoiseExhausted { operation: "decrypt", .. })));
    let mut device = lab.context.processor().unwrap();
    let check = cyclotron_schemes::bfv_pow2::DeviceCheck::ClaimedBound;
    assert!(lab.decryptor.decrypt_on(&mut device, &[claim], check).is_err());
    let check = cyclotron_schemes::bfv_pow2::DeviceCheck::Measured;
    assert!(measured(lab.decryptor.decrypt_on(&mut device, &[altered], check).map(|_| message)));
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Add(usize, usize),
    Sub(usize, usize),
    Neg(usize),
    AddPlain(usize),
    Scale(usize, i64),
    Shift(usize, usize),
    Mul(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let place = 0usize..64;
    prop_oneof![
        (place.clone(), place.clone()).prop_map(|(a, b)| Step::Add(a, b)),
        (place.clone(), place.clone()).prop_map(|(a, b)| Step::Sub(a, b)),
        place.clone().prop_map(Step::Neg),
        place.clone().prop_map(Step::AddPlain),
        (place.clone(), -9i64..9).prop_map(|(a, x)| Step::Scale(a, x)),
        (place.clone(), 0usize..16).prop_map(|(a, x)| Step::Shift(a, x)),
        (place.clone(), place).prop_map(|(a, b)| Step::Mul(a, b)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random circuits are right or refused, and every bound holds; also for ciphertexts that
    /// anyone can read, which products and differences make.
    #[test]
    fn random_circuits_are_right_or_refused(
        steps in prop::collection::vec(step(), 1..24),
        (log_n, log_t, log_p) in (2u32..7, 1u32..24, 20u32..=64),
        key in 0u8..,
    ) {
        let parameters = parameters(1 << log_n, 64, log_t, log_p);
        let mut lab = Lab::seeded(&parameters, key);
        let mask = parameters.mask_t();
        let mut values = Vec::new();
        for _ in 0..2 {
            let message = lab.message();
            values.push((lab.encryptor.encrypt(&message).unwrap(), message));
        }
        let plain = |words: Vec<u64>| {
            Plaintext::new(&parameters, words.into_iter().map(|x| x & mask).collect()).unwrap()
        };
        for step in steps {
            let (count, extra) = (values.len(), lab.message());
            let at = |place: usize| &values[place % count];
            let combine = |a: usize, b: usize, f: fn(u64, u64) -> u64| {
                let (x, y) = (at(a).1.coefficients(), at(b).1.coefficients());
                plain(x.iter().zip(y).map(|(&x, &y)| f(x, y)).collect())
            };
            let times = |a: usize, factor: &Plaintext| plain(product(&at(a).1, factor, log_t));
            let evaluator = &lab.evaluator;
            let (result, expected) = match step {
                Step::Add(a, b) => {
                    (evaluator.add(&at(a).0, &at(b).0), combine(a, b, u64::wrapping_add))
                }
                Step::Sub(a, b) => {
                    (evaluator.sub(&at(a).0, &at(b).0), combine(a, b, u64::wrapping_sub))
                }
                Step::Neg(a) => (evaluator.neg(&at(a).0), combine(a, a, |x, _| x.wrapping_neg())),
                Step::AddPlain(a) => {
                    let pairs = at(a).1.coefficients().iter().zip(extra.coefficients());
                    let sum = pairs.map(|(&x, &y)| x.wrapping_add(y)).collect();
                    (evaluator.add_plain(&at(a).0, &extra), plain(sum))
                }
                Step::Scale(a, x) => {
                    let factor = plain(vec![x as u64]);
                    (evaluator.mul_plain(&at(a).0, &factor), times(a, &factor))
                }
                Step::Shift(a, x) => {
                    let mut factor = vec![0; parameters.degree()];
                    factor[x % parameters.degree()] = 1;
                    let factor = plain(factor);
                    (evaluator.mul_plain(&at(a).0, &factor), times(a, &factor))
                }
                Step::Mul(a, b) => (evaluator.mul(&at(a).0, &at(b).0), times(a, &at(b).1)),
            };
            match result {
                Ok(result) => {
                    let measured = lab.decryptor.measure(&result).unwrap();
                    prop_assert!(measured.noise <= measured.bound, "{:?} {:?}", step, measured);
                    let found = lab.decryptor.decrypt(&result).unwrap();
                    prop_assert_eq!(found.coefficients(), expected.coefficients());
                    values.push((result, expected));
                }
                Err(error) => prop_assert!(
                    matches!(error, Error::NoiseExhausted { .. }), "{:?} {}", step, error
                ),
            }
        }
    }
}
