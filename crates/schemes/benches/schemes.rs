//! Times of the scheme operations at the sets that other libraries are measured at, and of the
//! processor that stands in for a device of BFV modulo a power of two.
//!
//! `CYCLOTRON_SIMD` forces a SIMD level; `CYCLOTRON_THREADS` sets the threads (default 1).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a benchmark that cannot run panics"
)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cyclotron_engine::{CpuEngine, Engine};
use cyclotron_ring::sample::device::{DeviceSamples, DeviceStream};
use cyclotron_ring::sample::{SecretRng, SecretSeed, SmallPoly};
use cyclotron_schemes::bfv_pow2::{
    CpuCrypt, CryptDevice, EncryptRun, PublicPolynomials, RUN_PLAINTEXTS,
};
use cyclotron_schemes::encode::BatchEncoder;
use cyclotron_schemes::encode::batch::rotation_element;
use cyclotron_schemes::rlwe::{
    Context, Decryptor, Encryptor, EvaluationKeys, Evaluator, GaloisKeys, Mode, Parameters,
    PublicKey, RelinearizationKey, SchemeKind, SecretKey, presets,
};
use std::sync::Arc;
use std::time::Duration;

fn schemes(criterion: &mut Criterion) {
    let threads = std::env::var("CYCLOTRON_THREADS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let engine: Arc<dyn Engine> = CpuEngine::builder().threads(threads).open().unwrap();
    eprintln!("engine: {}", engine.capabilities().description);
    for name in ["STANDARD_2018_8192", "STANDARD_2018_16384", "STANDARD_2018_32768"] {
        for scheme in [SchemeKind::Bfv, SchemeKind::Bgv] {
            measure(criterion, &engine, name, scheme);
        }
    }
}

fn measure(criterion: &mut Criterion, engine: &Arc<dyn Engine>, name: &str, scheme: SchemeKind) {
    let parameters = Parameters::new(presets::literal(name, scheme).unwrap()).unwrap();
    let context = Context::new(&parameters, engine).unwrap();
    let mut rng = SecretRng::from_seed(SecretSeed::new([7; 32]));
    let secret = Arc::new(SecretKey::generate(&context, &mut rng).unwrap());
    let public = Arc::new(PublicKey::generate(&context, &secret, &mut rng).unwrap());
    let relinearization = RelinearizationKey::generate(&context, &secret, &mut rng).unwrap();
    let element = rotation_element(parameters.degree(), 1);
    let galois = GaloisKeys::generate(&context, &secret, &[element], &mut rng).unwrap();
    let keys = EvaluationKeys {
        relinearization: Some(Arc::new(relinearization)),
        galois: Some(Arc::new(galois)),
    };
    let evaluator = Evaluator::new(&context, keys, Mode::Strict).unwrap();
    let encoder = BatchEncoder::new(&parameters).unwrap();
    let values: Vec<u64> = (0..parameters.degree() as u64).collect();
    let plaintext = encoder.encode(&values).unwrap();
    let encryptor = Encryptor::public(&context, &public).unwrap();
    let symmetric = Encryptor::symmetric(&context, &secret).unwrap();
    let decryptor = Decryptor::new(&context, &secret).unwrap();
    let a = encryptor.encrypt(&plaintext, &mut rng).unwrap();
    let b = encryptor.encrypt(&plaintext, &mut rng).unwrap();

    let degree = parameters.degree();
    let bits = parameters.log_qp().ceil();
    let mut group = criterion.benchmark_group(format!("{scheme}/n={degree}/logQP={bits}"));
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2))
        .warm_up_time(Duration::from_millis(300));
    group.bench_function("encode", |bench| bench.iter(|| encoder.encode(&values).unwrap()));
    group.bench_function("encrypt", |bench| {
        bench.iter(|| encryptor.encrypt(&plaintext, &mut rng).unwrap());
    });
    group.bench_function("encrypt_symmetric", |bench| {
        bench.iter(|| symmetric.encrypt(&plaintext, &mut rng).unwrap());
    });
    group.bench_function("decrypt", |bench| bench.iter(|| decryptor.decrypt(&a).unwrap()));
    group.bench_function("add", |bench| bench.iter(|| evaluator.add(&a, &b).unwrap()));
    group.bench_function("mul_plain", |bench| {
        bench.iter(|| evaluator.mul_plain(&a, &plaintext).unwrap());
    });
    group.bench_function("mul", |bench| bench.iter(|| evaluator.mul(&a, &b).unwrap()));
    group.bench_function("mul_relin", |bench| {
        bench.iter(|| evaluator.relinearize(&evaluator.mul(&a, &b).unwrap()).unwrap());
    });
    group.bench_function("rotate", |bench| bench.iter(|| evaluator.rotate(&a, 1).unwrap()));
    group.finish();
}

/// The paper's size. Runs are of one polynomial, and of as many as a device takes; times of the
/// latter are of the whole run.
fn processor_device(criterion: &mut Criterion) {
    const DEGREE: usize = 1024;
    let mut device = CpuCrypt::new(DEGREE, 32, 16).unwrap();
    let mut rng = SecretRng::from_seed(SecretSeed::new([7; 32]));
    let mut words = |count: usize, bits: u32| -> Vec<u64> {
        (0..count).map(|_| rng.next_u64() >> (64 - bits)).collect()
    };
    let (p0, p1) = (words(DEGREE, 32), words(DEGREE, 32));
    let messages = words(RUN_PLAINTEXTS * DEGREE, 16);
    let [c0, c1] = [0; 2].map(|_| words(RUN_PLAINTEXTS * DEGREE, 32));
    let secret = SmallPoly::ternary(&mut rng, DEGREE);
    let key = PublicPolynomials { p0: &p0, p1: &p1 };
    let seed = SecretSeed::new([9; 32]);
    let mut group = criterion.benchmark_group("bfv_pow2/n=1024/q=2^32");
    group.sample_size(50).measurement_time(Duration::from_secs(2));
    let mut run_counter = 0;
    for count in [1, RUN_PLAINTEXTS] {
        let length = count * DEGREE;
        group.throughput(Throughput::Elements(count as u64));
        let (mut x, mut y) = (vec![0; length], vec![0; length]);
        group.bench_function(format!("encrypt/{count}"), |bench| {
            bench.iter(|| {
                run_counter += 1;
                let messages = &messages[..length];
                let run = EncryptRun { key, messages, seed: &seed, run_counter };
                device.encrypt(&run, &mut x, &mut y).unwrap()
            });
        });
        group.bench_function(format!("decrypt/{count}"), |bench| {
            bench.iter(|| {
                device.decrypt(&secret, &c0[..length], &c1[..length], &mut x).unwrap();
            });
        });
    }
    group.throughput(Throughput::Elements(1));
    let stream = DeviceStream::new(&seed, 0);
    let mut samples = DeviceSamples::zero(DEGREE).unwrap();
    group.bench_function("randomness", |bench| bench.iter(|| stream.refill(0, &mut samples)));
    group.finish();
}

criterion_group!(benches, processor_device, schemes);
criterion_main!(benches);
