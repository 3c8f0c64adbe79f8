//! Basis conversion, scaling and division, in milliseconds a polynomial on one thread.

#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark says by unwrap what it needs")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use cyclotron_ring::primes::primes_below;
use cyclotron_ring::rns::{
    BaseDigits, Conversion, ConvertPlan, DivideRoundPlan, RnsBasis, ScaleRoundPlan,
};
use cyclotron_ring::{Modulus, SimdLevel};
use num_bigint::BigUint;
use std::hint::black_box;

/// The first `k` and the next `l` primes of `bits` bits that suit degree `n`.
fn bases(bits: u32, n: usize, k: usize, l: usize) -> (RnsBasis, RnsBasis) {
    let primes = primes_below(bits, 2 * n as u64, k + l, &[]).unwrap();
    let moduli: Vec<_> = primes.into_iter().map(|q| Modulus::new(q).unwrap()).collect();
    (RnsBasis::new(&moduli[..k]).unwrap(), RnsBasis::new(&moduli[k..]).unwrap())
}

/// Limbs of residues that use the whole range.
fn limbs(moduli: &[Modulus], n: usize) -> Vec<Vec<u64>> {
    let mut x = 1u64;
    let mut next = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        x ^ (x >> 29)
    };
    moduli.iter().map(|q| (0..n).map(|_| q.reduce(next())).collect()).collect()
}

/// Times `apply` at every level of this machine that has code of its own for it.
fn levels(
    c: &mut Criterion,
    name: &str,
    sources: &[Modulus],
    destinations: usize,
    n: usize,
    apply: impl Fn(SimdLevel, &[&[u64]], &mut [&mut [u64]]),
) {
    let src = limbs(sources, n);
    let src: Vec<&[u64]> = src.iter().map(Vec::as_slice).collect();
    let mut dst = vec![vec![0u64; n]; destinations];
    let mut dst: Vec<&mut [u64]> = dst.iter_mut().map(Vec::as_mut_slice).collect();
    let mut group = c.benchmark_group(name);
    for level in [SimdLevel::Scalar, SimdLevel::Avx512Ifma] {
        if level.is_available() {
            group.bench_function(BenchmarkId::from_parameter(level), |b| {
                b.iter(|| apply(level, black_box(&src), black_box(&mut dst)));
            });
        }
    }
    group.finish();
}

fn convert(c: &mut Criterion) {
    for (bits, n, k, l) in [(50, 16_384, 9, 10), (50, 32_768, 4, 13), (60, 16_384, 9, 10)] {
        let (src, dst) = bases(bits, n, k, l);
        for conversion in [Conversion::Fast, Conversion::Centred, Conversion::Exact] {
            let plan = ConvertPlan::new(&src, dst.moduli(), conversion).unwrap();
            let name = format!("convert/{conversion:?}/{k}to{l}/{bits}bit/n{n}");
            levels(c, &name, src.moduli(), l, n, |level, s, d| plan.apply(level, s, d).unwrap());
        }
    }
}

fn scale(c: &mut Criterion) {
    let t = Modulus::new(65_537).unwrap();
    for bits in [50, 60] {
        let n = 16_384;
        let (den, ext) = bases(bits, n, 9, 10);
        let whole = den.join(&ext).unwrap();
        let plan = ScaleRoundPlan::to_extension(&den, &ext, &BigUint::from(t.value())).unwrap();
        let name = format!("scale/to_extension/9to10/{bits}bit/n{n}");
        levels(c, &name, whole.moduli(), 10, n, |level, s, d| plan.apply(level, s, d).unwrap());
        let plan = ScaleRoundPlan::to_plaintext(&den, t).unwrap();
        let name = format!("scale/to_plaintext/9/{bits}bit/n{n}");
        levels(c, &name, den.moduli(), 1, n, |level, s, d| plan.apply(level, s, d).unwrap());
    }
}

fn divide(c: &mut Criterion) {
    let t = Modulus::new(65_537).unwrap();
    for (bits, dropped) in [(50, 1), (50, 3), (60, 1)] {
        let n = 32_768;
        let (keep, drop) = bases(bits, n, 10, dropped);
        let whole = keep.join(&drop).unwrap();
        let plan = DivideRoundPlan::new(&keep, &drop, Some(t)).unwrap();
        let name = format!("divide/10by{dropped}/{bits}bit/n{n}");
        levels(c, &name, whole.moduli(), 10, n, |level, s, d| plan.apply(level, s, d).unwrap());
    }
}

fn digits(c: &mut Criterion) {
    let n = 16_384;
    for k in [1, 4, 9] {
        let (basis, _) = bases(50, n, k, 1);
        let plan = BaseDigits::new(&basis, 25, true).unwrap();
        let src = limbs(basis.moduli(), n);
        let src: Vec<&[u64]> = src.iter().map(Vec::as_slice).collect();
        let mut out = vec![vec![0i64; n]; plan.count()];
        let mut out: Vec<&mut [i64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
        c.bench_function(&format!("digits/base25/{k}limbs/n{n}"), |b| {
            b.iter(|| plan.decompose(black_box(&src), black_box(&mut out)).unwrap());
        });
    }
}

criterion_group!(benches, convert, scale, divide, digits);
criterion_main!(benches);
