//! The meter: it changes no result, a dry run counts the same as a real one, and the counts and
//! prices are what they should be.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what it demands")]

use cyclotron_engine::meter::{Cost, CostTable, Count, MeterReport};
use cyclotron_engine::*;
use cyclotron_ring::rns::{Conversion, ConvertPlan, DivideRoundPlan, RnsBasis, ScaleRoundPlan};
use cyclotron_ring::sample::Seed;
use cyclotron_ring::{Modulus, primes};
use std::sync::Arc;

const N: usize = 64;

fn cpu() -> Arc<CpuEngine> {
    CpuEngine::builder().threads(1).open().unwrap()
}

/// Limbs 0 to 3 are a chain, 4 and 5 special, 6 the plaintext modulus.
fn ring() -> Arc<Ring> {
    let primes = primes::primes_below(40, 2 * N as u64, 6, &[]).unwrap();
    let mut limbs: Vec<_> =
        primes.iter().map(|&q| Limb::prime(N, Modulus::new(q).unwrap()).unwrap()).collect();
    limbs.push(Limb::plain(Modulus::new(257).unwrap()));
    Ring::new(N, limbs).unwrap()
}

fn basis(ring: &Ring, limbs: &LimbSet) -> RnsBasis {
    RnsBasis::new(&limbs.iter().map(|i| ring.limbs()[i].modulus).collect::<Vec<_>>()).unwrap()
}

/// Every operation once, on polynomials that are zero.
fn program(e: &dyn Engine, ring: &Arc<Ring>) {
    let q = e.queue();
    let (chain, special) = (LimbSet::new(0..4), LimbSet::new(4..6));
    let all = chain.concat(&special);
    let alloc = |limbs: &LimbSet, batch| {
        let mut buffer = e.alloc(&Shape::new(ring, limbs, batch).unwrap()).unwrap();
        e.zero(&q, &mut buffer).unwrap();
        buffer
    };
    let (mut a, b) = (alloc(&chain, 4), alloc(&chain, 4));
    let (mut out, mut half) = (alloc(&chain, 4), alloc(&chain, 2));
    let host = vec![0; a.shape().words()];
    e.upload(&q, &mut a, &host).unwrap();
    e.sample_uniform(&q, &mut half, &Seed::new([0; 32]), 0).unwrap();
    e.copy(&q, &mut out, 1, &half, 0, 2).unwrap();
    e.forward(&q, &mut a).unwrap();
    e.inverse(&q, &mut a).unwrap();
    e.ring_mul(&q, &mut out, &a, &b).unwrap();
    for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
        e.binary(&q, op, &mut out, &a, &b).unwrap();
        e.binary_assign(&q, op, &mut out, &b).unwrap();
    }
    e.mul_add(&q, &mut out, &a, &b).unwrap();
    e.neg_assign(&q, &mut out).unwrap();
    e.scale_assign(&q, &mut out, &[1; 4]).unwrap();
    e.inner_product(&q, &mut half, &a, &a, 3).unwrap_err();
    e.inner_product(&q, &mut out, &a, &b, 2).unwrap();
    for domain in [Domain::Coefficient, Domain::Evaluation] {
        e.automorphism(&q, domain, 3, &mut out, &a).unwrap();
    }
    e.tensor(&q, &mut out, &mut half, &a, &b).unwrap();

    let (own, other) = (basis(ring, &chain), basis(ring, &special));
    let mut ext = alloc(&special, 4);
    let plan = ConvertPlan::new(&own, other.moduli(), Conversion::Exact).unwrap();
    e.convert(&q, &Arc::new(plan), &mut ext, &a).unwrap();
    let mut plain = alloc(&LimbSet::new([6]), 4);
    let plan = ScaleRoundPlan::to_plaintext(&own, ring.limbs()[6].modulus).unwrap();
    e.scale_round(&q, &Arc::new(plan), &mut plain, &a, None).unwrap();
    let plan = Arc::new(DivideRoundPlan::new(&own, &other, None).unwrap());
    e.divide_correction(&q, &plan, &mut out, &ext).unwrap();
    for domain in [Domain::Coefficient, Domain::Evaluation] {
        e.divide_round(&q, domain, &plan, &mut out, &a, &mut ext).unwrap();
    }
    let plan = DecomposePlan::groups(ring, &chain, &all, 2).unwrap();
    let plan = KeySwitchPlan::new(ring, plan, &special, None).unwrap();
    let (mut digits, key) = (alloc(&all, 8), alloc(&all, 4));
    e.decompose(&q, &plan.decompose, &mut digits, &a).unwrap();
    e.decompose_forward(&q, &plan.decompose, &mut digits, &a, None).unwrap();
    e.decompose_forward(&q, &plan.decompose, &mut digits, &a, Some(&b)).unwrap();
    let mut pairs = alloc(&chain, 8);
    e.gadget_product(&q, &plan, &mut pairs, &digits, &key).unwrap();
    e.wait(&q).unwrap();
}

#[test]
fn a_metered_engine_passes_the_conformance_suite_with_the_same_transcript() {
    let engine = cpu();
    let options = conformance::Options { degrees: vec![8, 64], ..Default::default() };
    let plain = conformance::run_with(&*engine, &options).unwrap();
    let meter = Meter::wrap(engine);
    let metered = conformance::run_with(&*meter, &options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(plain.transcript(), metered.transcript());
    assert_eq!(meter.report().bytes, 0, "every buffer was dropped");
    assert!(meter.report().peak_bytes > 0);
}

#[test]
fn a_dry_run_counts_what_a_real_run_counts() {
    let (engine, ring) = (cpu(), ring());
    let dry = Meter::dry(engine.capabilities().clone());
    let real = Meter::wrap(engine);
    program(&*dry, &ring);
    program(&*real, &ring);
    assert_eq!(dry.report(), real.report());
    assert_eq!(real.report().operations.len(), 19);
    real.reset();
    assert_eq!(real.report(), MeterReport::default());
}

#[test]
fn the_counts_of_the_program_are_known() {
    let meter = Meter::wrap(cpu());
    program(&*meter, &ring());
    let report = meter.report();
    let count = |name| {
        let Count { calls, polynomials, words } = report.count(name, N);
        assert_eq!(words % N as u64, 0);
        (calls, polynomials, words / N as u64)
    };
    // Element-wise: 4 polynomials of 4 limbs are 16, read and written.
    assert_eq!(count("add"), (2, 32, 96));
    assert_eq!(count("neg"), (1, 16, 32));
    assert_eq!(count("copy"), (1, 8, 16));
    assert_eq!(count("sample_uniform"), (1, 8, 8));
    assert_eq!(count("ring_mul"), (1, 16, 48));
    // Two in the program; three of 2 pairs x 4 limbs in the tensor product.
    assert_eq!(count("mul"), (5, 32 + 24, 96 + 72));
    assert_eq!(count("mul_add"), (2, 16 + 8, 64 + 32));
    // 4 outputs x 2 terms x 4 limbs; in the key switch 8 outputs x 2 terms x (4 + 2) limbs.
    assert_eq!(count("inner_product"), (3, 32 + 96, 48 + (8 + 8 + 4) * 6));
    // 4 polynomials, 4 source limbs, 2 destination limbs.
    assert_eq!(count("convert"), (1, 32, 24));
    assert_eq!(count("scale_round"), (1, 16, 20));
    // Three divisions of 4 polynomials and one of 8, 2 dropped and 4 kept limbs.
    assert_eq!(count("divide_correction"), (4, 3 * 32 + 64, 3 * 24 + 48));
    assert_eq!(count("scale"), (4, 16 + 16 + 16 + 32, 160));
    // Digits of 2 limbs: each copies 2 and converts 2 to 4; 2 of them for 4 polynomials.
    assert_eq!(count("decompose"), (3, 3 * 4 * 2 * 10, 3 * (48 + 16)));
    // The program's own; two divisions; the digits: 48 rows, 16 fewer when they are known.
    assert_eq!(count("forward"), (5, 16 + 16 + 32 + 48 + 32, 288));
    assert_eq!(count("inverse"), (3, 16 + 8 + 16, 80));
    assert_eq!(report.composites[&("divide_round", N)], 2);
    assert_eq!(report.composites[&("gadget_product", N)], 1);
    assert_eq!(report.uploaded_bytes, 8 * 16 * N as u64);
    assert_eq!(report.downloaded_bytes, 0);
    let text = report.to_string();
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    assert!(text.contains("inner_product"));
}

#[test]
fn memory_is_the_buffers_that_exist() {
    let ring = ring();
    let engine = cpu();
    for meter in [Meter::dry(engine.capabilities().clone()), Meter::wrap(engine)] {
        let shape = Shape::new(&ring, &LimbSet::new([0, 1]), 3).unwrap();
        let bytes = 8 * shape.words() as u64;
        let first = meter.alloc(&shape).unwrap();
        let second = meter.alloc(&shape).unwrap();
        drop(first);
        assert_eq!((meter.report().bytes, meter.report().peak_bytes), (bytes, 2 * bytes));
        meter.reset();
        assert_eq!(meter.report().peak_bytes, bytes);
        drop(second);
        assert_eq!(meter.report().bytes, 0);
    }
}

#[test]
fn a_dry_run_refuses_like_an_engine_and_gives_no_data() {
    let ring = ring();
    let mut capabilities = cpu().capabilities().clone();
    capabilities.memory_limit = Some(1 << 16);
    let meter = Meter::dry(capabilities);
    let queue = meter.queue();
    let shape = Shape::new(&ring, &LimbSet::new([0, 6]), 2).unwrap();
    let mut buffer = meter.alloc(&shape).unwrap();
    let mut host = vec![0; shape.words()];
    let refused = meter.download(&queue, &buffer, &mut host).unwrap_err();
    assert_eq!(refused, EngineError::DryRun { operation: "download" });
    let refused = meter.forward(&queue, &mut buffer).unwrap_err();
    assert!(matches!(refused, EngineError::Ring(_)), "limb 6 has no transform");
    let refused = meter.alloc(&shape.with_batch(1 << 7)).unwrap_err();
    let left = (1 << 16) - 8 * shape.words() as u64;
    assert!(matches!(refused, EngineError::OutOfMemory { available, .. } if available == left));
    let foreign = cpu().alloc(&shape).unwrap();
    let refused = meter.binary_assign(&queue, BinaryOp::Add, &mut buffer, &foreign).unwrap_err();
    assert!(matches!(refused, EngineError::WrongEngine { .. }));
    assert!(meter.report().operations.is_empty(), "refused calls are not counted");
}

#[test]
fn prices_are_composed_and_say_what_they_lack() {
    let mut report = MeterReport { uploaded_bytes: 100, ..Default::default() };
    let count = |calls, polynomials| Count { calls, polynomials, words: 0 };
    report.operations.insert(("forward", 64), count(2, 10));
    report.operations.insert(("mul", 64), count(1, 5));
    report.operations.insert(("mul", 128), count(1, 1));
    let mut table = CostTable {
        source: "a table".to_owned(),
        unit: "cycles".to_owned(),
        byte: 0.5,
        ..Default::default()
    };
    table.costs.insert(("forward".to_owned(), 64), Cost { call: 7.0, polynomial: 100.0 });
    table.costs.insert(("mul".to_owned(), 64), Cost { call: 0.0, polynomial: 3.0 });
    let price = report.price(&table);
    assert_eq!(price.total, 2.0 * 7.0 + 1000.0 + 15.0 + 50.0);
    assert_eq!(price.missing, [("mul", 128)]);
    let text = price.to_string();
    assert!(text.starts_with("1079 cycles, composed"), "{text}");
    assert!(text.contains("not priced") && text.contains("mul at degree 128"), "{text}");
}
