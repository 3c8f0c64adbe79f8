//! Bounds against polynomials: exact norms of random and of adversarial ones.

use super::*;
use crate::sample::{GaussianSampler, SecretRng, SecretSeed, SmallPoly};
use proptest::prelude::*;

fn rng(number: u8) -> SecretRng {
    SecretRng::from_seed(SecretSeed::new([number; 32]))
}

fn real(small: &[i32]) -> Vec<f64> {
    small.iter().map(|&x| x.into()).collect()
}

fn parts(norms: Norms) -> [f64; 3] {
    [norms.inf_log2(), norms.l2_log2(), norms.can_log2()]
}

fn assert_ordered(norms: Norms) {
    let [inf, l2, can] = parts(norms);
    assert!(inf <= l2 && l2 <= can, "{norms:?}");
}

/// Each norm of `small` is at most that of `large`.
fn assert_within(small: Norms, large: Norms, what: &str) {
    let [a, b] = [small, large].map(parts);
    assert!(a.iter().zip(b).all(|(x, y)| *x <= y), "{what}: {small:?} not within {large:?}");
}

/// Each norm of `large` is above that of `small` by at most the given number of bits.
fn assert_slack(small: Norms, large: Norms, slack: [f64; 3], what: &str) {
    for ((x, y), slack) in parts(small).into_iter().zip(parts(large)).zip(slack) {
        assert!(y - x <= slack, "{what}: {large:?} is loose for {small:?}");
    }
}

/// `a b` modulo `x^n + 1`, exact while sums stay below `2^53`.
fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = a.len();
    let mut c = vec![0.0; n];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            c[(i + j) % n] += if i + j < n { x * y } else { -x * y };
        }
    }
    c
}

/// Values computed at 200 bits from the formulas in the documentation (Python, `mpmath`).
#[test]
fn bounds_are_the_documented_formulas() {
    #[rustfmt::skip]
    let known = [
        (Norms::ternary(8), [0.0, 1.5, 3.0]),
        (Norms::ternary(4096), [0.0, 5.87614589486584, 8.757454235844554]),
        (Norms::ternary(32768), [0.0, 7.2675389023399, 10.27920505516285]),
        (Norms::gaussian(8, 3.19), [5.122305614868745, 5.353754991209501, 6.154003703620872]),
        (Norms::gaussian(4096, 3.19), [5.19410104168317, 7.842183569216563, 10.72349191019528]),
        (Norms::gaussian(32768, 3.19), [5.2165281595753, 9.233576576690623, 12.24524272951357]),
        (Norms::uniform(4096, 0.0), [0.0, 5.37614589486584, 8.257454235844554]),
        (Norms::uniform(32768, 100.0), [100.0, 106.7675389023399, 109.77920505516285]),
        (Norms::binomial(8, 21), [4.39231742277876, 5.376357278608737, 6.176605991020107]),
        (Norms::binomial(32768, 21), [4.39231742277876, 9.256178864089858, 12.26784501691281]),
        (Norms::bounded_ternary(8), [0.0, 1.5, 1.834904758401183]),
        (Norms::bounded_ternary(4096), [0.0, 5.87614589486584, 7.261749111424445]),
        (Norms::bounded_ternary(32768), [0.0, 7.2675389023399, 8.917561886616712]),
        (Norms::worst_case(4096, 7.5), [7.5, 13.5, 19.5]),
        (Norms::constant(3000.0), [3000.0; 3]),
    ];
    for (norms, expected) in known {
        for (found, expected) in parts(norms).into_iter().zip(expected) {
            assert!((-1e-13..1e-11).contains(&(found - expected)), "{norms:?}: {expected}");
        }
    }
}

/// `E exp(tX) <= exp(V t^2 / 2)` for the proxies `V` of the documentation, and for none smaller.
#[test]
fn proxies_are_sub_gaussian() {
    let gaussian = |sigma: f64| -> Vec<(f64, f64)> {
        (-400..=400)
            .map(|x| (x.into(), (-f64::from(x * x) / (2.0 * sigma * sigma)).exp()))
            .collect()
    };
    let equal = |m: i32| -> Vec<(f64, f64)> { (-m..=m).map(|x| (x.into(), 1.0)).collect() };
    // The distributions with their proxies, and whether the proxy is the variance itself.
    let cases = [
        (equal(1), 2.0 / 3.0, true),
        (equal(2), 2.5f64.powi(2) / 3.0, false),
        (equal(50), 50.5f64.powi(2) / 3.0, false),
        (
            equal(2000).iter().map(|(x, p)| (x / 2000.0, *p)).collect(),
            1.001f64.powi(2) / 3.0,
            false,
        ),
        (gaussian(0.5), 0.25, false),
        (gaussian(3.19), 3.19 * 3.19, true),
        (gaussian(32.0), 1024.0, true),
        (vec![(-1.0, 1.0), (0.0, 2.0), (1.0, 1.0)], 0.5, true),
    ];
    for (i, (weights, proxy, tight)) in cases.into_iter().enumerate() {
        let total: f64 = weights.iter().map(|(_, p)| p).sum();
        let excess = |t: f64, v: f64| {
            let mean = weights.iter().map(|(x, p)| (t * x + p.ln()).exp()).sum::<f64>() / total;
            mean.ln() - v * t * t / 2.0
        };
        let scale = proxy.sqrt();
        for step in 1..=200 {
            let t = f64::from(step) * 0.03 / scale;
            assert!(excess(t, proxy) < 1e-12, "case {i} at t = {t}: {}", excess(t, proxy));
        }
        if tight {
            assert!(excess(0.1 / scale, proxy * 0.99) > 1e-6, "case {i}");
        }
    }
}

/// The squared cosines at every root and direction add up to `n / 2`.
#[test]
fn variance_along_a_direction() {
    for n in [2usize, 4, 8, 64] {
        for root in 0..n {
            for theta in [0.0, 0.3, 1.0, 2.5] {
                let angle = |i: usize| PI * ((2 * root + 1) * i) as f64 / n as f64 + theta;
                let sum: f64 = (0..n).map(|i| angle(i).cos().powi(2)).sum();
                assert!((sum - n as f64 / 2.0).abs() < 1e-9, "{n}, {root}, {theta}: {sum}");
            }
        }
    }
}

/// Every random polynomial is within its bound. Bounds of random polynomials are looser than
/// typical values by the price of a failure of `2^-80`: measured in bits, at most `log2 sqrt(82 /
/// log2 n)` and a little for the probable maxima, and next to nothing for the Euclidean norm of
/// many coefficients.
#[test]
fn random_polynomials_are_within_their_bounds_and_near_them() {
    let sampler = GaussianSampler::new(3.19).unwrap();
    let mut rng = rng(1);
    for log2_n in 3..=15u32 {
        let n = 1usize << log2_n;
        let large = log2_n >= 12;
        for _ in 0..if large { 4 } else { 200 } {
            let uniform: Vec<f64> =
                (0..n).map(|_| (rng.next_u64() as i64) as f64 / (1u64 << 63) as f64).collect();
            let cases = [
                ("ternary", real(SmallPoly::ternary(&mut rng, n).as_slice()), Norms::ternary(n)),
                (
                    "gaussian",
                    real(SmallPoly::gaussian(&mut rng, n, &sampler).as_slice()),
                    Norms::gaussian(n, 3.19),
                ),
                (
                    "binomial",
                    real(SmallPoly::binomial(&mut rng, n, 21).unwrap().as_slice()),
                    Norms::binomial(n, 21),
                ),
                ("uniform", uniform, Norms::uniform(n, 0.0)),
                (
                    "bounded ternary",
                    real(SmallPoly::bounded_ternary(&mut rng, n).unwrap().as_slice()),
                    Norms::bounded_ternary(n),
                ),
            ];
            for (name, polynomial, bound) in cases {
                let what = format!("{name}, n = {n}");
                let measured = Norms::measured(&polynomial);
                // 2^-30 of rounding up in `measured` is not the polynomial's.
                assert_within(measured.scale_log2(-2e-9), bound, &what);
                let slack = if large {
                    [2.5, if n >= 32_768 { 0.15 } else { 0.35 }, 2.0]
                } else {
                    [6.0, 4.0, 4.0]
                };
                assert_slack(measured, bound, slack, &what);
            }
        }
    }
}

#[test]
fn measured_norms_are_the_norms() {
    let mut rng = rng(2);
    for n in [1usize, 2, 4, 16, 128] {
        let a: Vec<f64> = (0..n).map(|_| (rng.next_u64() as i64 >> 20) as f64).collect();
        let l2 = a.iter().map(|x| x * x).sum::<f64>().sqrt();
        let inf = a.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let can = (0..n)
            .map(|k| {
                let angle = |j: usize| PI * ((2 * k + 1) * j % (2 * n)) as f64 / n as f64;
                let (re, im) = a.iter().enumerate().fold((0.0, 0.0), |(re, im), (j, x)| {
                    (re + x * angle(j).cos(), im + x * angle(j).sin())
                });
                f64::hypot(re, im)
            })
            .fold(0.0, f64::max);
        for (found, exact) in parts(Norms::measured(&a)).into_iter().zip([inf, l2, can]) {
            let raised = found - exact.log2();
            assert!((1e-9..2e-9).contains(&raised), "n = {n}: raised by {raised}");
        }
    }
    assert_eq!(Norms::measured(&[]), Norms::ZERO);
    assert_eq!(Norms::measured(&[0.0; 8]), Norms::ZERO);
    for bad in [f64::NAN, f64::INFINITY] {
        assert_eq!(parts(Norms::measured(&[1.0, bad])), [f64::INFINITY; 3]);
    }
    let huge = Norms::measured(&[f64::MAX / 8.0; 4]);
    assert!((huge.l2_log2() - 1022.0).abs() < 1e-6, "{huge:?}");
}

/// Pairs that come near the bounds, where a smaller rule would be wrong.
#[test]
fn adversarial_products_are_within_and_reach_their_bounds() {
    for n in [2usize, 8, 64] {
        let mut monomial = vec![0.0; n];
        monomial[n - 1] = 5.0;
        let ones = vec![1.0; n];
        // 1 - x + x^2 - ...: the largest values where `ones` has its smallest.
        let alternating: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        // The polynomial that collects the whole of `ones` in its last coefficient.
        let cosine: Vec<f64> = (0..n).map(|i| (PI * i as f64 / n as f64).cos()).collect();
        let all = [&monomial, &ones, &alternating, &cosine];
        for a in all {
            for b in all {
                let bound = Norms::measured(a).mul(Norms::measured(b), n);
                assert_within(Norms::measured(&product(a, b)), bound, &format!("{a:?} {b:?}"));
            }
        }
        let square = |a: &[f64]| {
            (Norms::measured(&product(a, a)), Norms::measured(a).mul(Norms::measured(a), n))
        };
        // A monomial: equality in all three norms.
        let (exact, bound) = square(&monomial);
        assert_slack(exact, bound, [1e-8; 3], "monomial");
        // All ones: the last coefficient of the square is n, inf = l2^2 = n inf^2.
        let (exact, bound) = square(&ones);
        assert_slack(exact, bound, [1e-8, f64::MAX, 1e-8], "ones");
        // One conjugate pair of values: l2(aa) = can(a) l2(a), can(aa) = can(a)^2.
        let (exact, bound) = square(&cosine);
        assert_slack(exact, bound, [f64::MAX, 1e-8, 1e-8], "cosine");
    }
}

#[test]
fn sums_add_in_every_norm() {
    let a = Norms::measured(&[3.0, -4.0, 0.0, 1.0]);
    let twice = a + a;
    for (one, two) in parts(a).into_iter().zip(parts(twice)) {
        assert!((0.0..1e-11).contains(&(two - one - 1.0)));
    }
    assert_eq!(a + Norms::ZERO, a);
    assert_eq!(Norms::ZERO + a, a);
    let mut sum = Norms::ZERO;
    (0..100).for_each(|_| sum += a);
    assert_eq!([a; 100].into_iter().sum::<Norms>(), sum);
    assert_within(a.times(100.0).scale_log2(-1e-9), sum, "a hundred terms");
    assert_slack(a.times(100.0), sum, [1e-9; 3], "a hundred terms");
    let wide = Norms::constant(3500.0) + Norms::constant(-3500.0);
    assert!(wide.inf_log2() >= 3500.0 && wide.inf_log2() < 3500.0 + 1e-11);
}

#[test]
fn zero_annihilates_and_what_is_no_number_is_infinite() {
    let infinite = Norms::constant(f64::INFINITY);
    assert_eq!(Norms::ZERO.mul(infinite, 8), Norms::ZERO);
    assert_eq!(Norms::ternary(8).times(0.0), Norms::ZERO);
    assert!(Norms::ZERO.is_zero() && !Norms::ternary(8).is_zero());
    for broken in [
        Norms::constant(f64::NAN),
        Norms::ternary(8).times(f64::NAN),
        Norms::worst_case(8, f64::NAN),
        Norms::gaussian(8, f64::NAN),
        infinite + infinite,
        infinite.mul(Norms::ternary(8), 8),
        Norms::ternary(8).mul(infinite, 8),
    ] {
        assert_eq!(parts(broken), [f64::INFINITY; 3]);
    }
}

#[test]
fn stored_bounds_are_checked_and_put_in_order() {
    for bad in [f64::NAN, f64::INFINITY] {
        for position in 0..3 {
            let mut stored = [1.0, 2.0, 3.0];
            stored[position] = bad;
            let [inf, l2, can] = stored;
            let error = Norms::from_parts(inf, l2, can).unwrap_err();
            assert!(matches!(error, RingError::OutOfRange { .. }), "{error}");
        }
    }
    assert_eq!(parts(Norms::from_parts(1.0, 2.0, 3.0).unwrap()), [1.0, 2.0, 3.0]);
    assert_eq!(parts(Norms::from_parts(9.0, 5.0, 7.0).unwrap()), [5.0, 5.0, 7.0]);
    assert_eq!(parts(Norms::from_parts(9.0, 8.0, 7.0).unwrap()), [7.0; 3]);
    let zero = f64::NEG_INFINITY;
    assert_eq!(Norms::from_parts(zero, zero, zero).unwrap(), Norms::ZERO);
}

fn any_norms() -> impl Strategy<Value = Norms> {
    let log2 = || prop_oneof![10 => -100.0..3600.0f64, 1 => Just(f64::NEG_INFINITY)];
    (log2(), log2(), log2()).prop_map(|(a, b, c)| Norms::from_parts(a, b, c).unwrap())
}

proptest! {
    #[test]
    fn operations_keep_the_order(a in any_norms(), b in any_norms(), x in -99.0..99.0f64, k in 0..17) {
        let n = 1usize << k;
        for norms in [a, a + b, a.mul(b, n), a.scale_log2(x), a.times(x), a.min(b), a.max(b)] {
            assert_ordered(norms);
        }
        prop_assert_eq!(a + b, b + a);
        prop_assert_eq!(a.mul(b, n), b.mul(a, n));
        assert_within(a.min(b), a, "min");
        assert_within(b, a.max(b), "max");
        assert_within(a, a + b, "a + b");
    }

    #[test]
    fn the_logarithm_of_a_sum_is_not_below_it(a in -40.0..40.0f64, b in -40.0..40.0f64) {
        let ratio = log2_of_sum(a, b).exp2() / (a.exp2() + b.exp2());
        prop_assert!((1.0..1.0 + 1e-11).contains(&ratio), "{}", ratio - 1.0);
    }

    #[test]
    fn random_products_and_sums_are_within(
        k in 1u32..6,
        values in proptest::collection::vec(-(1i32 << 20)..1 << 20, 64),
        shift in 0u32..20,
    ) {
        let n = 1usize << k;
        // A shift makes the second operand small and sparse.
        let (a, b): (Vec<i32>, Vec<i32>) =
            (values[..n].to_vec(), values[n..2 * n].iter().map(|x| x >> shift).collect());
        let (a, b) = (real(&a), real(&b));
        let (norm_a, norm_b) = (Norms::measured(&a), Norms::measured(&b));
        assert_within(Norms::measured(&product(&a, &b)), norm_a.mul(norm_b, n), "product");
        let sum: Vec<f64> = a.iter().zip(&b).map(|(x, y)| x + y).collect();
        assert_within(Norms::measured(&sum).scale_log2(-2e-9), norm_a + norm_b, "sum");
        let inf = norm_a.inf_log2();
        assert_within(norm_a, Norms::worst_case(n, inf), "worst case");
    }
}
