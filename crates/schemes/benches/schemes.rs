//! Times of the scheme operations at the sets that other libraries are measured at.
//!
//! `CYCLOTRON_SIMD` forces a SIMD level; `CYCLOTRON_THREADS` sets the threads (default 1).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a benchmark that cannot run panics"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use cyclotron_engine::{CpuEngine, Engine};
use cyclotron_ring::sample::{SecretRng, SecretSeed};
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

criterion_group!(benches, schemes);
criterion_main!(benches);
