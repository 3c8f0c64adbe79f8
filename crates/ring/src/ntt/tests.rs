//! Tests of the transform: the definition, the algebra, and all levels against the scalar code.

use super::*;
use crate::primes::primes_below;
use proptest::prelude::*;

/// A reproducible stream of words (SplitMix64, Steele et al. 2014).
fn words(seed: u64, count: usize, q: Modulus) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    (0..count).map(|_| q.reduce(next())).collect()
}

fn prime(bits: u32, n: usize) -> Modulus {
    Modulus::new(primes_below(bits, 2 * n as u64, 1, &[]).unwrap()[0]).unwrap()
}

fn forward(table: &NttTable, level: SimdLevel, a: &[u64]) -> Vec<u64> {
    let mut out = a.to_vec();
    table.forward(level, &mut out);
    out
}

fn inverse(table: &NttTable, level: SimdLevel, a: &[u64]) -> Vec<u64> {
    let mut out = a.to_vec();
    table.inverse(level, &mut out);
    out
}

/// Random and extreme operands.
fn operands(seed: u64, n: usize, q: Modulus) -> Vec<Vec<u64>> {
    let top = q.value() - 1;
    let alternating = (0..n).map(|i| if i % 2 == 0 { top } else { 0 }).collect();
    let halves = (0..n).map(|i| if i < n / 2 { 0 } else { top }).collect();
    vec![words(seed, n, q), vec![0; n], vec![top; n], alternating, halves]
}

#[test]
fn every_level_returns_the_scalar_integers() {
    let levels = SimdLevel::available();
    for log_n in 3..=17 {
        let n = 1usize << log_n;
        for bits in [20, 30, 31, 32, 49, 50, 51, 59, 60, 61] {
            let Ok(primes) = primes_below(bits, 2 * n as u64, 1, &[]) else { continue };
            let q = Modulus::new(primes[0]).unwrap();
            let table = NttTable::new(n, q).unwrap();
            for a in operands(u64::from(bits), n, q) {
                let (there, back) = (
                    forward(&table, SimdLevel::Scalar, &a),
                    inverse(&table, SimdLevel::Scalar, &a),
                );
                assert!(there.iter().chain(&back).all(|&x| x < q.value()));
                assert_eq!(inverse(&table, SimdLevel::Scalar, &there), a);
                for &level in &levels {
                    assert!(forward(&table, level, &a) == there, "{level} forward {n} {q}");
                    assert!(inverse(&table, level, &a) == back, "{level} inverse {n} {q}");
                }
            }
        }
    }
}

#[test]
fn values_at_the_odd_powers_of_psi() {
    for log_n in 3..=6 {
        let n = 1usize << log_n;
        for bits in [20, 50, 61] {
            let q = prime(bits, n);
            let table = NttTable::new(n, q).unwrap();
            let a = words(5, n, q);
            let transformed = forward(&table, SimdLevel::Scalar, &a);
            for (i, &value) in transformed.iter().enumerate() {
                let brv = (0..log_n).fold(0, |brv, bit| (brv << 1) | ((i >> bit) & 1));
                assert_eq!(table.evaluation_exponent(i), 2 * brv as u64 + 1);
                assert_eq!(evaluation_index(n, 2 * brv as u64 + 1), i);
                let x = q.pow(table.psi(), 2 * brv as u64 + 1);
                let horner = a.iter().rev().fold(0, |sum, &c| q.mul_add(sum, x, c));
                assert_eq!(value, horner, "n = {n}, index {i}");
            }
        }
    }
}

/// `a * b` by the transform.
fn product(table: &NttTable, level: SimdLevel, a: &[u64], b: &[u64]) -> Vec<u64> {
    let q = table.modulus();
    let (a, b) = (forward(table, level, a), forward(table, level, b));
    let pointwise: Vec<_> = a.iter().zip(&b).map(|(&x, &y)| q.mul(x, y)).collect();
    inverse(table, level, &pointwise)
}

#[test]
fn products_are_negacyclic() {
    for log_n in 3..=12 {
        let n = 1usize << log_n;
        for bits in if n < 4096 { vec![20, 31, 50, 61] } else { vec![50] } {
            let q = prime(bits, n);
            let table = NttTable::new(n, q).unwrap();
            let (a, b) = (words(1, n, q), words(2, n, q));
            let expected = ring_mul_schoolbook(q, &a, &b).unwrap();
            for level in SimdLevel::available() {
                assert!(product(&table, level, &a, &b) == expected, "{level}, n = {n}, q = {q}");
            }
        }
    }
}

#[test]
fn composite_moduli_take_a_given_root() {
    // Known answers: n = 128, omega = 908870, psi = 3259673 modulo 257^3; reduced modulo 257^2, 257.
    for modulus in [257 * 257 * 257, 257 * 257, 257] {
        let q = Modulus::new(modulus).unwrap();
        let table = NttTable::with_root(128, q, 3_259_673 % modulus).unwrap();
        assert_eq!(q.mul(table.psi(), table.psi()), 908_870 % modulus);
        let (a, b) = (words(1, 128, q), words(2, 128, q));
        let expected = ring_mul_schoolbook(q, &a, &b).unwrap();
        for level in SimdLevel::available() {
            assert_eq!(product(&table, level, &a, &b), expected);
            let x = forward(&table, level, &[&[0, 1], &[0; 126][..]].concat());
            assert_eq!(x[..2], [table.psi(), q.neg(table.psi())], "x at psi and psi^(n + 1)");
        }
    }
    let q = Modulus::new(257 * 257 * 257).unwrap();
    assert!(matches!(NttTable::new(128, q), Err(RingError::NoRootOfUnity { .. })));
}

#[test]
fn refuses_bad_degrees_roots_and_moduli() {
    let q = prime(50, 1 << 17);
    for n in [0, 1, 4, 7, 24, 1 << 18] {
        let error = NttTable::new(n, q).unwrap_err();
        assert!(matches!(error, RingError::UnsupportedDegree { degree, .. } if degree == n));
        assert!(NttTable::with_root(n, q, 1).is_err());
    }
    let table = NttTable::new(64, q).unwrap();
    for root in [0, 1, q.mul(table.psi(), table.psi()), q.value() - 1, q.value() + table.psi()] {
        let error = NttTable::with_root(64, q, root).unwrap_err();
        assert!(matches!(error, RingError::NotARoot { order: 128, .. }), "{root}");
    }
    let q = Modulus::new(998_244_353 - 2).unwrap();
    assert!(matches!(NttTable::new(64, q), Err(RingError::NoRootOfUnity { .. })));
}

#[test]
#[should_panic(expected = "words in the operand")]
fn a_wrong_length_is_a_broken_invariant() {
    let table = NttTable::new(128, prime(50, 128)).unwrap();
    table.forward(SimdLevel::detect(), &mut [0; 64]);
}

#[test]
fn tables_are_shared_between_threads_and_clones() {
    let q = prime(50, 1024);
    let table = NttTable::new(1024, q).unwrap();
    let a = words(3, 1024, q);
    let expected = forward(&table, SimdLevel::Scalar, &a);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let clone = table.clone();
                assert_eq!(forward(&table, SimdLevel::detect(), &a), expected);
                assert_eq!(forward(&clone, SimdLevel::detect(), &a), expected);
            });
        }
    });
}

proptest! {
    #[test]
    fn transforms_are_linear_and_invertible(
        log_n in 3u32..11, wide: bool, seed: u64, factor: u64,
    ) {
        let n = 1usize << log_n;
        let q = prime(if wide { 60 } else { 50 }, n);
        let table = NttTable::new(n, q).unwrap();
        let factor = q.reduce(factor);
        let (a, b) = (words(seed, n, q), words(seed ^ 1, n, q));
        let combine = |a: &[u64], b: &[u64]| -> Vec<u64> {
            a.iter().zip(b).map(|(&x, &y)| q.mul_add(x, factor, y)).collect()
        };
        for level in SimdLevel::available() {
            let sum = forward(&table, level, &combine(&a, &b));
            let (there, other) = (forward(&table, level, &a), forward(&table, level, &b));
            prop_assert_eq!(sum, combine(&there, &other));
            prop_assert_eq!(&inverse(&table, level, &there), &a);
            prop_assert_eq!(&forward(&table, level, &inverse(&table, level, &a)), &a);
        }
    }
}

/// Large degrees against the definition: random values by Horner's rule, and random coefficients
/// of a product by their sums.
#[test]
fn large_degrees_agree_with_the_definition_at_random_places() {
    for log_n in 12..=17 {
        let n = 1usize << log_n;
        let q = prime(50, n);
        let table = NttTable::new(n, q).unwrap();
        let (a, b) = (words(7, n, q), words(8, n, q));
        let places = words(9, 8, Modulus::new(n as u64).unwrap());
        for level in SimdLevel::available() {
            let (x, y) = (forward(&table, level, &a), forward(&table, level, &b));
            let product: Vec<u64> = x.iter().zip(&y).map(|(&u, &v)| q.mul(u, v)).collect();
            let product = inverse(&table, level, &product);
            for &place in &places {
                let place = place as usize;
                let point = q.pow(table.psi(), table.evaluation_exponent(place));
                let value = a.iter().rev().fold(0, |sum, &c| q.mul_add(sum, point, c));
                assert_eq!(x[place], value, "{level}: value {place} at n = {n}");
                let coefficient = (0..n).fold(0, |sum, i| {
                    let j = (place + n - i) % n;
                    let term = q.mul(a[i], b[j]);
                    if i + j < n { q.add(sum, term) } else { q.sub(sum, term) }
                });
                assert_eq!(product[place], coefficient, "{level}: coefficient {place}, n = {n}");
            }
        }
    }
}
