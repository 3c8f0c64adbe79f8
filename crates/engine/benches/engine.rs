//! The CPU engine on the shapes of a scheme: a chain of 50-bit limbs, two special ones, digits of
//! two limbs. Throughput is in residues written.
//!
//! `cargo bench -p cyclotron-engine`; `CYCLOTRON_SIMD` chooses the level.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a benchmark stops at what it does not expect"
)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cyclotron_engine::{
    BinaryOp, Buffer, CpuEngine, DecomposePlan, Domain, Engine, KeySwitchPlan, Limb, LimbSet, Ring,
    Shape,
};
use cyclotron_ring::rns::{Conversion, ConvertPlan, RnsBasis};
use cyclotron_ring::sample::Seed;
use cyclotron_ring::{Modulus, primes};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

/// Degrees and lengths of the chain.
const SHAPES: [(usize, usize); 2] = [(8192, 4), (32768, 14)];
const SPECIAL: usize = 2;

struct Setting {
    engine: Arc<CpuEngine>,
    ring: Arc<Ring>,
    chain: LimbSet,
    special: LimbSet,
}

impl Setting {
    fn new(n: usize, chain: usize) -> Self {
        let limbs = primes::primes_below(50, 2 * n as u64, chain + SPECIAL, &[]).unwrap();
        let limb = |q: u64| Limb::prime(n, Modulus::new(q).unwrap()).unwrap();
        Self {
            engine: CpuEngine::open().unwrap(),
            ring: Ring::new(n, limbs.into_iter().map(limb).collect()).unwrap(),
            chain: LimbSet::new(0..chain),
            special: LimbSet::new(chain..chain + SPECIAL),
        }
    }

    fn random(&self, limbs: &LimbSet, batch: usize) -> Buffer {
        let mut buffer = self.engine.alloc(&Shape::new(&self.ring, limbs, batch).unwrap()).unwrap();
        let queue = self.engine.queue();
        self.engine.sample_uniform(&queue, &mut buffer, &Seed::new([1; 32]), 0).unwrap();
        buffer
    }
}

fn operations(criterion: &mut Criterion) {
    for (n, length) in SHAPES {
        let setting = Setting::new(n, length);
        let (e, queue) = (&setting.engine, setting.engine.queue());
        let chain = &setting.chain;
        let wide = chain.concat(&setting.special);
        let label = format!("n={n} limbs={length} {} x{}", e.simd(), e.threads());

        let bench = |criterion: &mut Criterion,
                     name: &str,
                     out: &mut Buffer,
                     work: &mut dyn FnMut(&mut Buffer)| {
            let mut group = criterion.benchmark_group(name);
            group.throughput(Throughput::Elements(out.shape().words() as u64));
            group.bench_function(BenchmarkId::from_parameter(&label), |b| {
                b.iter(|| work(black_box(&mut *out)));
            });
            group.finish();
        };

        let (a, b) = (setting.random(chain, 2), setting.random(chain, 2));
        let mut out = setting.random(chain, 2);
        bench(criterion, "forward", &mut out, &mut |out| e.forward(&queue, out).unwrap());
        bench(criterion, "inverse", &mut out, &mut |out| e.inverse(&queue, out).unwrap());
        bench(criterion, "add", &mut out, &mut |out| {
            e.binary(&queue, BinaryOp::Add, out, &a, &b).unwrap();
        });
        bench(criterion, "mul", &mut out, &mut |out| {
            e.binary(&queue, BinaryOp::Mul, out, &a, &b).unwrap();
        });
        for (name, domain) in [
            ("automorphism of coefficients", Domain::Coefficient),
            ("automorphism of values", Domain::Evaluation),
        ] {
            bench(criterion, name, &mut out, &mut |out| {
                e.automorphism(&queue, domain, 5, out, &a).unwrap();
            });
        }
        let mut quadratic = setting.random(chain, 1);
        bench(criterion, "tensor", &mut out, &mut |out| {
            e.tensor(&queue, out, &mut quadratic, &a, &b).unwrap();
        });

        let moduli = |limbs: &LimbSet| -> Vec<Modulus> {
            limbs.iter().map(|i| setting.ring.limbs()[i].modulus).collect()
        };
        let basis = RnsBasis::new(&moduli(&setting.special)).unwrap();
        let plan = ConvertPlan::new(&basis, &moduli(chain), Conversion::Centred).unwrap();
        let (plan, source) = (Arc::new(plan), setting.random(&setting.special, 2));
        bench(criterion, "convert 2 limbs to the chain", &mut out, &mut |out| {
            e.convert(&queue, &plan, out, &source).unwrap();
        });

        let plan = DecomposePlan::groups(&setting.ring, chain, &wide, SPECIAL).unwrap();
        let plan = KeySwitchPlan::new(&setting.ring, plan, &setting.special, None).unwrap();
        let count = plan.decompose.count();
        let one = setting.random(chain, 1);
        let (mut digits, key) = (setting.random(&wide, count), setting.random(&wide, 2 * count));
        bench(criterion, "digits of one polynomial", &mut digits, &mut |digits| {
            e.decompose_forward(&queue, &plan.decompose, digits, &one, Some(&one)).unwrap();
        });
        bench(criterion, "gadget product", &mut out, &mut |out| {
            e.gadget_product(&queue, &plan, out, &digits, &key).unwrap();
        });
    }
}

criterion_group! {
    name = engine;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = operations
}
criterion_main!(engine);
