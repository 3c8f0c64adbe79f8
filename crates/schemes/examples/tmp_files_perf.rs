use cyclotron_engine::{CpuEngine, Engine};
use cyclotron_ring::sample::SecretRng;
use cyclotron_schemes::files::Stored;
use cyclotron_schemes::rlwe::*;
use cyclotron_schemes::vector::*;
use std::sync::Arc;
use std::time::Instant;
fn main() {
    let mut l =
        ParametersLiteral::with_bits(SchemeKind::Bgv, 32768, 65537, &[50; 13], &[50; 4]).unwrap();
    l.security = SecurityPolicy::InsecureAcknowledged;
    let p = VectorParameters::new(&l, &[65537]).unwrap();
    let engine: Arc<dyn Engine> = CpuEngine::open().unwrap();
    let c = VectorContext::new(&p, &engine).unwrap();
    let mut rng = SecretRng::from_os().unwrap();
    let s = c.generate_secret_key(&mut rng).unwrap();
    let t = Instant::now();
    let k = c.generate_evaluation_keys(&s, true, &Rotations::Sums, &mut rng).unwrap();
    println!("generate {:?}", t.elapsed());
    for _ in 0..2 {
        let t = Instant::now();
        let b = k.to_bytes(&c).unwrap();
        println!("write {} MB {:?}", b.len() >> 20, t.elapsed());
        let t = Instant::now();
        let _k = VectorEvaluationKeys::from_bytes(&c, &b).unwrap();
        println!("read {:?}", t.elapsed());
        let t = Instant::now();
        println!("hash {:?} {:?}", blake3::hash(&b).as_bytes()[0], t.elapsed());
    }
}
