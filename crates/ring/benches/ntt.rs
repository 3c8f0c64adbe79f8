//! Time of the negacyclic transform, per level, degree and width of the modulus.

#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark says by unwrap what it needs")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use cyclotron_ring::ntt::NttTable;
use cyclotron_ring::primes::primes_below;
use cyclotron_ring::{Modulus, SimdLevel};

fn transforms(c: &mut Criterion) {
    for bits in [50, 60] {
        for log_n in 12..=16 {
            let n = 1usize << log_n;
            let prime = primes_below(bits, 2 * n as u64, 1, &[]).unwrap()[0];
            let q = Modulus::new(prime).unwrap();
            let table = NttTable::new(n, q).unwrap();
            let mut a: Vec<u64> =
                (0..n as u64).map(|i| q.reduce(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
            for level in SimdLevel::available() {
                let mut group = c.benchmark_group(format!("ntt/{bits}-bit/{level}"));
                group.bench_function(BenchmarkId::new("forward", n), |b| {
                    b.iter(|| table.forward(level, &mut a));
                });
                group.bench_function(BenchmarkId::new("inverse", n), |b| {
                    b.iter(|| table.inverse(level, &mut a));
                });
            }
        }
    }
}

criterion_group!(benches, transforms);
criterion_main!(benches);
