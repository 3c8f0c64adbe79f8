//! Tests of the kernels: the scalar code against wide integers, all levels against the scalar code.

use super::*;
use proptest::prelude::*;

/// Moduli of every width, prime or not, and those at the edges of the 52-bit code.
fn moduli() -> Vec<Modulus> {
    let edges = [2, 3, 4, 5, 7, 257, 257 * 257 * 257, (1 << 50) - 27, 1 << 50, (1 << 50) - 1];
    let widths = (3..=61).flat_map(|bits| [(1u64 << bits) - 1, (1 << (bits - 1)) + 1]);
    edges.into_iter().chain(widths).map(|q| Modulus::new(q).unwrap()).collect()
}

/// Random words modulo `q`, a run of the largest residue at the front, zeros behind it.
fn residues(seed: u64, count: usize, q: Modulus) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state ^ (state >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb)
    };
    let mut words: Vec<u64> = (0..count).map(|_| q.reduce(next())).collect();
    let (top, zeros) = (count / 4, count / 3);
    words[..top].fill(q.value() - 1);
    words[top..zeros].fill(0);
    words
}

/// Runs one kernel at a level on fresh operands.
type Run = fn(SimdLevel, Modulus, &mut [u64], &[u64], &[u64], u64);
/// The same as arithmetic on wide integers: `(old output, a, b, w)`.
type Model = fn(u128, u128, u128, u128, u128) -> u128;

/// Every kernel with its definition.
const KERNELS: [(&str, Run, Model); 14] = [
    ("add", |l, q, o, a, b, _| add(l, q, o, a, b), |q, _, a, b, _| (a + b) % q),
    ("add_assign", |l, q, o, _, b, _| add_assign(l, q, o, b), |q, o, _, b, _| (o + b) % q),
    ("sub", |l, q, o, a, b, _| sub(l, q, o, a, b), |q, _, a, b, _| (a + q - b) % q),
    ("sub_assign", |l, q, o, _, b, _| sub_assign(l, q, o, b), |q, o, _, b, _| (o + q - b) % q),
    ("neg", |l, q, o, a, _, _| neg(l, q, o, a), |q, _, a, _, _| (q - a) % q),
    ("neg_assign", |l, q, o, _, _, _| neg_assign(l, q, o), |q, o, _, _, _| (q - o) % q),
    ("mul", |l, q, o, a, b, _| mul(l, q, o, a, b), |q, _, a, b, _| a * b % q),
    ("mul_assign", |l, q, o, _, b, _| mul_assign(l, q, o, b), |q, o, _, b, _| o * b % q),
    (
        "mul_add_assign",
        |l, q, o, a, b, _| mul_add_assign(l, q, o, a, b),
        |q, o, a, b, _| (o + a * b) % q,
    ),
    ("scale", |l, q, o, a, _, w| scale(l, q, o, a, w), |q, _, a, _, w| a * w % q),
    ("scale_assign", |l, q, o, _, _, w| scale_assign(l, q, o, w), |q, o, _, _, w| o * w % q),
    (
        "scale_add_assign",
        |l, q, o, a, _, w| scale_add_assign(l, q, o, a, w),
        |q, o, a, _, w| (o + a * w) % q,
    ),
    (
        "sub_scale_assign",
        |l, q, o, _, b, w| sub_scale_assign(l, q, o, b, w),
        |q, o, _, b, w| (o + q - b) * w % q,
    ),
    ("reduce", |l, q, o, a, _, _| reduce(l, q, o, a), |q, _, a, _, _| a % q),
];

#[test]
fn every_kernel_equals_its_definition_at_every_level() {
    for q in moduli() {
        let wide = u128::from(q.value());
        for length in [0, 1, 7, 8, 9, 64, 101] {
            let (a, b) = (residues(1, length, q), residues(2, length, q));
            let start = residues(3, length, q);
            for w in [0, 1 % q.value(), q.value() - 1, q.value() / 3] {
                for (name, run, model) in KERNELS {
                    let expected: Vec<u64> = (0..length)
                        .map(|i| {
                            let [o, a, b, w] = [start[i], a[i], b[i], w].map(u128::from);
                            model(wide, o, a, b, w) as u64
                        })
                        .collect();
                    for level in SimdLevel::available() {
                        let mut out = start.clone();
                        run(level, q, &mut out, &a, &b, w);
                        assert_eq!(out, expected, "{name} at {level}, q = {q}, w = {w}");
                    }
                }
            }
        }
    }
}

#[test]
fn reduces_any_word() {
    let mut words = vec![0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 62];
    words.extend(residues(7, 50, Modulus::new((1 << 61) - 1).unwrap()).iter().map(|x| x << 3));
    for q in moduli() {
        words.extend([q.value(), q.value() * 2, q.value() * 2 - 1, q.value() * 3 + 1]);
        for level in SimdLevel::available() {
            let mut out = vec![0; words.len()];
            reduce(level, q, &mut out, &words);
            assert!(out.iter().zip(&words).all(|(&o, &x)| o == x % q.value()), "{level} {q}");
        }
    }
}

#[test]
fn inner_products_equal_their_definition_at_every_level() {
    for q in moduli() {
        for (terms, length) in [(0, 5), (1, 40), (3, 33), (65, 9), (130, 71)] {
            check_inner_product(q, terms, length, |k| residues(k, length, q));
        }
    }
}

#[test]
fn inner_products_keep_the_largest_sums() {
    // Twice as many terms of the largest size as one pass of any code can hold.
    for q in [(1u64 << 50) - 27, (1 << 50) - 1, (1 << 61) - 1, 1 << 60, 2] {
        let q = Modulus::new(q).unwrap();
        check_inner_product(q, 8200, 9, |_| vec![q.value() - 1; 9]);
        check_inner_product(q, 4096, 32, |_| vec![q.value() - 1; 32]);
    }
}

#[test]
fn inner_products_keep_the_largest_low_parts() {
    // 5 (2^52 - 1)/5 has 52 ones and no high part: sums of low parts grow the fastest.
    let q = Modulus::new((1 << 50) - 27).unwrap();
    let factor = |k: u64, terms| if k < terms { 5 } else { ((1 << 52) - 1) / 5 };
    check_inner_product(q, 4096, 41, |k| vec![factor(k, 4096); 41]);
    check_inner_product(q, 8192, 41, |k| vec![factor(k, 8192); 41]);
}

fn check_inner_product(q: Modulus, terms: u64, length: usize, make: impl Fn(u64) -> Vec<u64>) {
    let a: Vec<_> = (0..terms).map(&make).collect();
    let b: Vec<_> = (0..terms).map(|k| make(k + terms)).collect();
    let (a, b): (Vec<_>, Vec<_>) = a.iter().zip(&b).map(|(a, b)| (&a[..], &b[..])).unzip();
    let start = residues(99, length, q);
    let expected = |start: u64, j: usize| {
        let sum = a.iter().zip(&b).fold(u128::from(start), |sum, (a, b)| {
            (sum + u128::from(a[j]) * u128::from(b[j])) % u128::from(q.value())
        });
        sum as u64
    };
    for level in SimdLevel::available() {
        let mut out = start.clone();
        inner_product(level, q, &mut out, &a, &b);
        for (j, &o) in out.iter().enumerate() {
            assert_eq!(o, expected(0, j), "{level} {q} {terms} terms, index {j}");
        }
        let mut out = start.clone();
        inner_product_add(level, q, &mut out, &a, &b);
        for (j, &o) in out.iter().enumerate() {
            assert_eq!(o, expected(start[j], j), "add {level} {q} {terms} terms, index {j}");
        }
    }
}

proptest! {
    #[test]
    fn products_equal_wide_integers(q in 2u64..1 << 61, shift in 0u32..60, a: u64, b: u64, w: u64) {
        let q = Modulus::new((q >> shift).max(2)).unwrap();
        let [a, b, w] = [a, b, w].map(|x| q.reduce(x));
        for level in SimdLevel::available() {
            for (name, run, model) in KERNELS {
                let mut out = [b; 8];
                run(level, q, &mut out, &[a; 8], &[w; 8], w);
                let [q, a, b, w] = [q.value(), a, b, w].map(u128::from);
                prop_assert_eq!(u128::from(out[5]), model(q, b, a, w, w), "{} {}", name, level);
            }
        }
    }
}
