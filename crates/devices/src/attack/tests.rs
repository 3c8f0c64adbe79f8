use super::local_ring::{self, divide_integer, divide_modular};
use super::reuse::{self, LARGEST_LEAK};
use super::scheme::{Ciphertexts, DemoKey, PAPER_DEGREE, PublicKey, product};
use super::seed_search::SeedSearch;
use super::{AttackError, default_mode, paper_mode};
use cyclotron_ring::pow2::Pow2Ring;
use cyclotron_ring::sample::lfsr::LfsrGaussian;
use cyclotron_ring::sample::{SecretRng, SecretSeed, SmallPoly};

fn rng(seed: u8) -> SecretRng {
    SecretRng::from_seed(SecretSeed::new([seed; 32]))
}

fn ternary(seed: u8, n: usize) -> Vec<i32> {
    SmallPoly::ternary(&mut rng(seed), n).as_slice().to_vec()
}

fn messages(seed: u8, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    rng(seed).fill_bytes(&mut bytes);
    bytes
}

fn key(seed: u8, n: usize) -> DemoKey {
    DemoKey::generate(n, [seed; 32]).unwrap()
}

/// `(x + 1)^v a`.
fn times_x_plus_1(a: &[u32], v: u32) -> Vec<u32> {
    let ring = Pow2Ring::new(a.len(), 32).unwrap();
    let mut factor = vec![0; a.len()];
    factor[0] = 1;
    factor[1] = 1;
    (0..v).fold(a.to_vec(), |a, _| product(ring, &a, &factor))
}

/// A public key whose `p1` is `(x + 1)^v` times a unit, for the `p0` of another secret.
fn key_of_valuation(seed: u8, n: usize, v: u32) -> PublicKey {
    let mut p1: Vec<u32> = (0..n).scan(rng(seed), |rng, _| Some(rng.next_u64() as u32)).collect();
    if p1.iter().fold(0, |sum, x| sum ^ x & 1) == 0 {
        p1[0] ^= 1;
    }
    let p0 = key(seed, n).public.p0().to_vec();
    PublicKey::new(p0, times_x_plus_1(&p1, v)).unwrap()
}

#[test]
fn every_polynomial_is_a_power_of_x_plus_1_times_a_unit() {
    for log_n in [2, 3, 6, 10] {
        let n = 1 << log_n;
        let ring = Pow2Ring::new(n, 32).unwrap();
        for v in [0, 1, 2, 7, local_ring::MAX_VALUATION] {
            let p = key_of_valuation(v as u8, n, v).p1().to_vec();
            let factored = local_ring::factor(&p).unwrap();
            assert_eq!(factored.valuation, v);
            assert_eq!(times_x_plus_1(&factored.unit, v), p);
            let [a, b] = [&factored.unit, &factored.inverse]
                .map(|x| x.iter().map(|&x| u64::from(x)).collect::<Vec<u64>>());
            let mut one = vec![0; n];
            ring.mul(&mut one, &a, &b);
            assert!(one[0] == 1 && one[1..].iter().all(|&x| x == 0), "n = {n}, v = {v}");
        }
        let p = key_of_valuation(1, n, local_ring::MAX_VALUATION + 1);
        let error = local_ring::factor(p.p1()).unwrap_err();
        assert_eq!(error, AttackError::Valuation { valuation: 29, max: 28 });
    }
}

#[test]
fn division_by_x_plus_1_is_exact_or_refused() {
    assert_eq!(divide_modular(&[1, 0, 0, 0]), None);
    assert_eq!(divide_integer(&[1, 0, 0, 0]), None);
    for seed in 0..20 {
        let y = ternary(seed, 16);
        let product = times_x_plus_1(&y.iter().map(|&x| x as u32).collect::<Vec<_>>(), 1);
        let integers: Vec<i64> = product.iter().map(|&x| i64::from(x as i32)).collect();
        let expected: Vec<i64> = y.iter().map(|&x| x.into()).collect();
        assert_eq!(divide_integer(&integers), Some(expected));
        assert_eq!(times_x_plus_1(&divide_modular(&product).unwrap(), 1), product);
    }
}

#[test]
fn the_paper_mode_decrypts_and_takes_its_noise_in_order() {
    for n in [16, PAPER_DEGREE] {
        let (key, u, messages) = (key(1, n), ternary(2, n), messages(3, 4 * n));
        let run = paper_mode::encrypt(&key.public, &messages, &u, 0xabcde).unwrap();
        assert_eq!((run.count(), run.words().len()), (4, 8 * n));
        for k in 0..4 {
            assert_eq!(key.decrypt(&run, k).unwrap(), messages[k * n..][..n]);
        }
        let p1u = product(key.public.ring(), key.public.p1(), &u);
        let register = LfsrGaussian::new(20, 0xabcde).unwrap();
        let noise: Vec<i32> = register.skip(5 * n).take(n).collect();
        let difference =
            run.c1(2).unwrap().iter().zip(&p1u).map(|(&c, &x)| c.wrapping_sub(x) as i32);
        assert_eq!(difference.collect::<Vec<_>>(), noise);
    }
}

#[test]
fn the_default_mode_decrypts() {
    let (key, messages) = (key(4, PAPER_DEGREE), messages(5, 2 * PAPER_DEGREE));
    let run = default_mode::encrypt(&key.public, &messages, &SecretSeed::new([6; 32]), 7).unwrap();
    for k in 0..2 {
        let message = &messages[k * PAPER_DEGREE..][..PAPER_DEGREE];
        assert_eq!(key.decrypt(&run, k).unwrap(), message);
    }
}

/// Seed, `u` and message are recovered for keys of every kind, from any ciphertext of a run.
#[test]
fn the_seed_search_breaks_the_paper_mode_for_every_key() {
    let n = PAPER_DEGREE;
    let mut kinds = [0, 0];
    for seed in 0..6 {
        let key = key(seed, n).public;
        let search = SeedSearch::new(key.clone()).unwrap();
        kinds[usize::from(search.valuation() > 0)] += 1;
        let (u, messages) = (ternary(seed + 100, n), messages(seed, 3 * n));
        // The first, the last and the one before the register begins again are states like others.
        let lfsr_seed = [1, (1 << 20) - 1, 2, 0x80000, 0x12345, 0xabcde][usize::from(seed)];
        let k = usize::from(seed) % 3;
        let run = paper_mode::encrypt(&key, &messages, &u, lfsr_seed).unwrap();
        let (findings, recoveries) = search.recover(&run, k, 2).unwrap();
        assert_eq!(findings.states, (1 << 20) - 1);
        assert_eq!(recoveries.len(), 1, "key {seed}");
        let recovery = &recoveries[0];
        assert_eq!(recovery.seed, lfsr_seed);
        assert_eq!(recovery.u, u);
        assert_eq!(recovery.message, messages[k * n..][..n]);
    }
    assert!(kinds[0] > 0 && kinds[1] > 0, "units and others: {kinds:?}");
}

#[test]
fn the_seed_search_takes_high_powers_of_x_plus_1() {
    for (n, v) in [(16, 1), (16, 20), (256, 3), (PAPER_DEGREE, 12)] {
        let key = key_of_valuation(9, n, v);
        let search = SeedSearch::new(key.clone()).unwrap();
        assert_eq!(search.valuation(), v);
        let (u, messages) = (ternary(10, n), messages(11, n));
        let run = paper_mode::encrypt(&key, &messages, &u, 777).unwrap();
        let (findings, recoveries) = search.recover(&run, 0, 1).unwrap();
        assert_eq!(recoveries.len(), 1, "n = {n}, v = {v}: {} survive", findings.survivors);
        assert_eq!((recoveries[0].seed, &recoveries[0].message), (777, &messages));
        // About 2^20 2^(v+1) / 2^32 wrong states pass the first coefficient.
        let chance = f64::exp2(f64::from(v) - 11.0);
        let survivors = findings.survivors as f64;
        assert!(survivors <= 1.0 + chance + 6.0 * chance.sqrt() + 3.0, "{survivors} at v = {v}");
    }
}

/// The same search against the default mode: no state survives. It would be noticed if the default
/// took its noise from the register, as the test above shows for the same keys.
#[test]
fn the_seed_search_fails_against_the_default_mode() {
    let n = PAPER_DEGREE;
    for seed in 0..4 {
        let key = key(seed, n).public;
        let messages = messages(seed, n);
        let run = default_mode::encrypt(&key, &messages, &SecretSeed::new([seed; 32]), 0).unwrap();
        let search = SeedSearch::new(key).unwrap();
        let (findings, recoveries) = search.recover(&run, 0, 2).unwrap();
        assert_eq!(
            (findings.states, findings.found.len(), recoveries.len()),
            ((1 << 20) - 1, 0, 0)
        );
    }
}

#[test]
fn one_u_for_a_run_gives_differences_and_then_all_plaintexts() {
    for n in [16, PAPER_DEGREE] {
        let (key, messages) = (key(12, n).public, messages(13, 16 * n));
        let run = paper_mode::encrypt(&key, &messages, &ternary(14, n), 4711).unwrap();
        for (first, other) in [(0, 1), (3, 15), (15, 3)] {
            let difference = reuse::difference(&run, first, other).unwrap();
            assert!(difference.leaks() && difference.c1.largest <= LARGEST_LEAK);
            assert!(difference.c0.relative_mean < 1e-5, "{difference:?}");
            let [a, b] = [first, other].map(|k| &messages[k * n..][..n]);
            let expected = a.iter().zip(b).map(|(&a, &b)| b.wrapping_sub(a));
            assert_eq!(difference.plaintext, expected.collect::<Vec<_>>());
        }
        let known = &messages[5 * n..][..n];
        assert_eq!(reuse::all_from_one(&run, 5, known).unwrap(), Some(messages.clone()));
    }
}

/// Every pair of a default run has uniform differences. The mean distance of `n` uniform
/// coefficients from multiples of `Delta` is within `6 / sqrt(3 n)` of its expectation except with
/// a chance of `2^-28`; the seed is fixed.
#[test]
fn differences_of_the_default_mode_are_uniform() {
    let n = PAPER_DEGREE;
    let (key, messages) = (key(15, n).public, messages(16, 16 * n));
    let run = default_mode::encrypt(&key, &messages, &SecretSeed::new([17; 32]), 3).unwrap();
    let tolerance = 6.0 / (3.0 * n as f64).sqrt();
    for first in 0..16 {
        for other in first + 1..16 {
            let difference = reuse::difference(&run, first, other).unwrap();
            assert!(!difference.leaks());
            for distance in [difference.c0, difference.c1] {
                assert!((distance.relative_mean - 1.0).abs() < tolerance, "{difference:?}");
            }
        }
    }
    assert_eq!(reuse::all_from_one(&run, 0, &messages[..n]).unwrap(), None);
}

/// The rule that a pair of seed and run counter serves once is what keeps the default safe.
#[test]
fn a_repeated_run_counter_would_be_noticed() {
    let n = PAPER_DEGREE;
    let (key, messages) = (key(18, n).public, messages(19, 2 * n));
    let run = |message: &[u8], counter| {
        default_mode::encrypt(&key, message, &SecretSeed::new([20; 32]), counter).unwrap()
    };
    for (counter, leaks) in [(5, true), (6, false)] {
        let mut words = run(&messages[..n], 5).words().to_vec();
        words.extend(run(&messages[n..], counter).words());
        let both = Ciphertexts::new(n, words).unwrap();
        assert_eq!(reuse::difference(&both, 0, 1).unwrap().leaks(), leaks);
    }
}

#[test]
fn refuses_what_does_not_fit() {
    let key = key(21, 16).public;
    let (u, message) = (ternary(22, 16), messages(23, 16));
    let refused = |messages: &[u8], u: &[i32], seed| {
        paper_mode::encrypt(&key, messages, u, seed).unwrap_err()
    };
    assert!(matches!(refused(&message[..15], &u, 1), AttackError::NotWhole { found: 15, .. }));
    assert!(matches!(refused(&[], &u, 1), AttackError::NotWhole { found: 0, degree: 16, .. }));
    assert!(matches!(
        refused(&message, &u[..15], 1),
        AttackError::Length { found: 15, expected: 16, .. }
    ));
    let mut two = u.clone();
    two[3] = 2;
    assert!(matches!(
        refused(&message, &two, 1),
        AttackError::NotTernary { index: 3, value: 2, .. }
    ));
    for seed in [0, 1 << 20] {
        assert!(matches!(refused(&message, &u, seed), AttackError::Ring(_)));
    }
    let long = vec![0; 1 << 19];
    assert!(matches!(
        refused(&long, &u, 1),
        AttackError::PeriodExceeded { found: 0x10_0000, period: 0xf_ffff }
    ));
    assert!(matches!(DemoKey::generate(2, [0; 32]), Err(AttackError::Ring(_))));
    assert!(matches!(DemoKey::generate(48, [0; 32]), Err(AttackError::Ring(_))));
    assert!(matches!(
        PublicKey::new(vec![0; 8], vec![0; 16]),
        Err(AttackError::Length { found: 8, expected: 16, .. })
    ));
    let run = paper_mode::encrypt(&key, &message, &u, 1).unwrap();
    assert_eq!(run.c0(1), Err(AttackError::NoSuchPlaintext { index: 1, count: 1 }));
    assert!(matches!(Ciphertexts::new(16, vec![0; 48]), Err(AttackError::NotWhole { .. })));
    assert!(matches!(Ciphertexts::new(0, vec![]), Err(AttackError::NotWhole { .. })));
    let search = SeedSearch::new(key).unwrap();
    assert!(matches!(search.search(&[0; 15], 1), Err(AttackError::Length { found: 15, .. })));
    assert!(matches!(reuse::all_from_one(&run, 0, &[0; 3]), Err(AttackError::Length { .. })));
}
