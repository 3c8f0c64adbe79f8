//! The noise bound: never below the noise, near it, and refusing before anything is wrong.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod common;

use common::{Lab, parameters};
use cyclotron_schemes::Error;
use cyclotron_schemes::rlwe::{Ciphertext, SchemeKind};
use proptest::prelude::*;

const SCHEMES: [SchemeKind; 2] = [SchemeKind::Bfv, SchemeKind::Bgv];

/// A sum of a ciphertext with itself, a hundred times over: no independence may be assumed.
#[test]
fn adding_a_ciphertext_to_itself_stays_below_the_bound() {
    for scheme in SCHEMES {
        let lab = Lab::new(&parameters(scheme, 1024, 65_537, &[45, 45, 45, 45], &[45]));
        let values = lab.values(1);
        let fresh = lab.encrypt(&values, 1);
        let (mut sum, mut expected) = (lab.automatic.neg(&fresh).unwrap(), values.clone());
        expected.iter_mut().for_each(|v| *v = lab.t.neg(*v));
        let mut doublings = 0;
        let refusal = loop {
            match lab.automatic.add(&sum, &sum) {
                Ok(next) => sum = next,
                Err(error) => break error,
            }
            doublings += 1;
            expected.iter_mut().for_each(|v| *v = lab.t.add(*v, *v));
            assert_eq!(lab.decrypt(&sum), expected, "{scheme}: wrong after {doublings}");
            let slack = lab.slack(&sum);
            assert!(slack < 14.0, "{scheme}: {slack:.1} bits after {doublings} doublings");
        };
        assert!(matches!(refusal, Error::NoiseExhausted { operation: "add", .. }));
        assert!(doublings >= 100, "{scheme}: {doublings}");
    }
}

/// Powers of one ciphertext: both operands are the same polynomial.
#[test]
fn squaring_stays_below_the_bound_and_near_it() {
    for degree in [1024, 4096, 8192] {
        for scheme in SCHEMES {
            let lab = Lab::new(&parameters(scheme, degree, 65_537, &[50; 7], &[50]));
            let mut values = lab.values(2);
            let mut power = lab.encrypt(&values, 1);
            let mut depth = 0;
            let refusal = loop {
                match lab.automatic.mul(&power, &power) {
                    Ok(next) => power = next,
                    Err(error) => break error,
                }
                depth += 1;
                values = lab.zip(&values, &values, |u, v| lab.t.mul(u, v));
                assert_eq!(lab.decrypt(&power), values, "{scheme}: wrong at depth {depth}");
                let slack = lab.slack(&power);
                println!("{scheme} n = {degree} depth {depth}: {slack:.1} bits");
                if scheme == SchemeKind::Bfv {
                    let most = 10.0 + 4.0 * f64::from(depth);
                    assert!(slack < most, "n = {degree} depth {depth}: {slack:.1} of {most} bits");
                }
            };
            assert!(matches!(refusal, Error::NoiseExhausted { .. }));
            assert!(depth >= 5, "{scheme} n = {degree}: depth {depth}");
        }
    }
}

/// After modulus switching the BGV noise is a rounding error, and the bound is close to it.
#[test]
fn the_bgv_bound_is_within_ten_bits_after_modulus_switching() {
    for (degree, t) in [(1024, 65_537), (8192, 65_537), (8192, 1_032_193), (32_768, 786_433)] {
        let lab = Lab::new(&parameters(SchemeKind::Bgv, degree, t, &[50, 50, 50], &[50]));
        let values = lab.values(3);
        let a = lab.encrypt(&values, 1);
        let switched = lab.automatic.mod_switch(&a, 1).unwrap();
        let product = lab.automatic.mul(&a, &a).unwrap();
        // Three polynomials round off three times: the bound must know.
        let unrelinearized = lab.strict.mul(&a, &a).unwrap();
        lab.slack(&lab.strict.mod_switch(&unrelinearized, 0).unwrap());
        for (name, ciphertext) in [
            ("fresh", &switched),
            ("fresh twice", &lab.automatic.mod_switch(&switched, 0).unwrap()),
            ("product", &lab.automatic.mod_switch(&product, product.level() - 1).unwrap()),
        ] {
            let slack = lab.slack(ciphertext);
            println!("bgv n = {degree} t = {t} {name}: {slack:.1} bits after switching");
            assert!(slack < 10.0, "n = {degree}, t = {t}, {name}: {slack:.1} bits");
        }
    }
}

/// One step of a random circuit over a stack of values.
#[derive(Debug, Clone, Copy)]
enum Step {
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    /// A square that keeps its three polynomials until something needs two.
    Square(usize),
    AddPlain(usize, u64),
    MulPlain(usize, u64),
    Neg(usize),
    Rotate(usize, i64),
    ModSwitch(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let i = || 0usize..64;
    prop_oneof![
        3 => (i(), i()).prop_map(|(a, b)| Step::Add(a, b)),
        2 => (i(), i()).prop_map(|(a, b)| Step::Sub(a, b)),
        4 => (i(), i()).prop_map(|(a, b)| Step::Mul(a, b)),
        2 => i().prop_map(Step::Square),
        1 => (i(), any::<u64>()).prop_map(|(a, s)| Step::AddPlain(a, s)),
        2 => (i(), any::<u64>()).prop_map(|(a, s)| Step::MulPlain(a, s)),
        1 => i().prop_map(Step::Neg),
        1 => (i(), -5i64..5).prop_map(|(a, k)| Step::Rotate(a, k)),
        1 => i().prop_map(Step::ModSwitch),
    ]
}

/// Runs a circuit on ciphertexts and in the clear; every value that is not refused must be right.
fn run(lab: &Lab, steps: &[Step]) -> (usize, usize) {
    let e = &lab.automatic;
    let half = lab.encoder.slots() / 2;
    let mut stack: Vec<(Ciphertext, Vec<u64>)> = (0..2u8)
        .map(|seed| {
            let values = lab.values(u64::from(seed) + 10);
            (lab.encrypt(&values, seed), values)
        })
        .collect();
    let (mut done, mut refused) = (0, 0);
    for &step in steps {
        // Recent values are taken more often, so that circuits get deep.
        let at = |i: usize| &stack[stack.len() - 1 - (i % 8) % stack.len()];
        let (result, values) = match step {
            Step::Add(i, j) => {
                let ((a, x), (b, y)) = (at(i), at(j));
                (e.add(a, b), lab.zip(x, y, |u, v| lab.t.add(u, v)))
            }
            Step::Sub(i, j) => {
                let ((a, x), (b, y)) = (at(i), at(j));
                (e.sub(a, b), lab.zip(x, y, |u, v| lab.t.sub(u, v)))
            }
            Step::Mul(i, j) => {
                let ((a, x), (b, y)) = (at(i), at(j));
                (e.mul(a, b), lab.zip(x, y, |u, v| lab.t.mul(u, v)))
            }
            Step::Square(i) => {
                let (a, x) = at(i);
                let evaluator = if a.parts() == 2 { &lab.strict } else { e };
                (evaluator.mul(a, a), lab.zip(x, x, |u, v| lab.t.mul(u, v)))
            }
            Step::AddPlain(i, seed) => {
                let ((a, x), y) = (at(i), lab.values(seed));
                let plain = lab.encoder.encode(&y).unwrap();
                (e.add_plain(a, &plain), lab.zip(x, &y, |u, v| lab.t.add(u, v)))
            }
            Step::MulPlain(i, seed) => {
                let ((a, x), y) = (at(i), lab.values(seed));
                let plain = lab.encoder.encode(&y).unwrap();
                (e.mul_plain(a, &plain), lab.zip(x, &y, |u, v| lab.t.mul(u, v)))
            }
            Step::Neg(i) => {
                let (a, x) = at(i);
                (e.neg(a), x.iter().map(|&u| lab.t.neg(u)).collect())
            }
            Step::Rotate(i, steps) => {
                let (a, x) = at(i);
                let place = |i: usize| (i as i64 + steps).rem_euclid(half as i64) as usize;
                let rows = [&x[..half], &x[half..]];
                let rotated = rows.iter().flat_map(|row| (0..half).map(|i| row[place(i)]));
                (e.rotate(a, steps), rotated.collect())
            }
            Step::ModSwitch(i) => {
                let (a, x) = at(i);
                (e.mod_switch(a, a.level().saturating_sub(1)), x.clone())
            }
        };
        match result {
            Ok(ciphertext) => {
                assert_eq!(lab.decrypt(&ciphertext), values, "wrong after {step:?}");
                lab.slack(&ciphertext);
                stack.push((ciphertext, values));
                done += 1;
            }
            Err(Error::NoiseExhausted { bound, capacity, .. }) => {
                assert!(bound > capacity);
                refused += 1;
            }
            Err(other) => panic!("{step:?}: {other}"),
        }
    }
    (done, refused)
}

/// Random circuits until the noise bound refuses: no wrong decryption, ever.
#[test]
fn random_circuits_are_right_or_refused() {
    for scheme in SCHEMES {
        for (t, moduli) in
            [(257u64, vec![40u32; 2]), (7681, vec![30; 3]), (1_095_233_372_161, vec![50; 4])]
        {
            // 1095233372161 is a 40-bit prime, 1 mod 128.
            let parameters = parameters(scheme, 64, t, &moduli, &moduli[..2]);
            let lab = Lab::new(&parameters);
            let totals = std::cell::Cell::new((0, 0));
            let mut runner = proptest::test_runner::TestRunner::new_with_rng(
                ProptestConfig {
                    cases: 24,
                    failure_persistence: None,
                    ..ProptestConfig::default()
                },
                proptest::test_runner::TestRng::deterministic_rng(
                    proptest::test_runner::RngAlgorithm::ChaCha,
                ),
            );
            runner
                .run(&prop::collection::vec(step(), 60), |steps| {
                    let (done, refused) = run(&lab, &steps);
                    totals.set((totals.get().0 + done, totals.get().1 + refused));
                    Ok(())
                })
                .unwrap();
            let (done, refused) = totals.get();
            // The test would show nothing if circuits never came near the limit.
            assert!(done > 300 && refused > 30, "{scheme} t = {t}: {done} done, {refused} refused");
        }
    }
}
