//! Wrong requests: each is refused with its typed error, and its output stays as it was.

use super::trial::{Host, Outcome, Trial};
use crate::buffer::{Buffer, EngineId, Event, Queue, Storage};
use crate::engine::Operation::{self, Convert, Decompose, RingMul, SampleUniform, ScaleRound};
use crate::engine::{BinaryOp, Domain};
use crate::error::EngineError;
use crate::plan::{DecomposePlan, KeySwitchPlan};
use crate::shape::{Limb, LimbSet, MAX_DEGREE, Ring};
use cyclotron_ring::rns::{Conversion, ConvertPlan, DivideRoundPlan, RnsBasis, ScaleRoundPlan};
use cyclotron_ring::sample::Seed;
use cyclotron_ring::{Modulus, RingError};
use std::any::Any;
use std::sync::Arc;

pub fn run(t: &mut Trial<'_>) -> Outcome {
    owners(t)?;
    host_data(t)?;
    shapes(t)?;
    if t.has("misuse of transforms", &[Operation::Transform]) {
        values(t)?;
    }
    if t.has("misuse of plans", &[Convert, ScaleRound, Decompose]) {
        plans(t)?;
        key_switches(t)?;
    }
    rings(t)
}

/// Storage of an engine that does not exist.
#[derive(Debug)]
struct Foreign;

impl Storage for Foreign {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn mark_secret(&mut self) {}
}

fn wrong_engine(error: &EngineError) -> bool {
    matches!(error, EngineError::WrongEngine { .. })
}

fn wrong_shape(error: &EngineError) -> bool {
    matches!(error, EngineError::ShapeMismatch { .. })
}

fn wrong_plan(error: &EngineError) -> bool {
    matches!(error, EngineError::PlanMismatch { .. })
}

fn wrong_length(error: &EngineError) -> bool {
    matches!(error, EngineError::Ring(RingError::LengthMismatch { .. }))
}

fn not_reduced(error: &EngineError) -> bool {
    matches!(error, EngineError::Ring(RingError::NotReduced { .. }))
}

fn no_transform(error: &EngineError) -> bool {
    matches!(error, EngineError::Ring(RingError::NoRootOfUnity { .. }))
}

fn owners(t: &mut Trial<'_>) -> Outcome {
    let (e, chain) = (t.engine, &t.fixture.chain);
    let (before, mut out) = t.random(chain, 2)?;
    let other = EngineId::fresh();
    let foreign = Buffer::new(other, before.shape.clone(), Box::new(Foreign));
    let queue = Queue::new(other, 0);
    let event = Event { engine: other, queue: 0, position: 0 };

    let result = e.binary_assign(&t.queue, BinaryOp::Add, &mut out, &foreign);
    t.refused("a buffer of another engine", result, wrong_engine, &out, &before)?;
    let result = e.copy(&t.queue, &mut out, 0, &foreign, 0, 1);
    t.refused("a copy from another engine", result, wrong_engine, &out, &before)?;
    let result = e.neg_assign(&queue, &mut out);
    t.refused("a queue of another engine", result, wrong_engine, &out, &before)?;
    t.rejected(e.wait(&queue), wrong_engine)?;
    t.rejected(e.record(&queue), wrong_engine)?;
    t.rejected(e.join(&t.queue, event), wrong_engine)?;
    let mut host = vec![0; before.words.len()];
    t.rejected(e.download(&t.queue, &foreign, &mut host), wrong_engine)?;

    let limbs = t.fixture.ring.limbs().to_vec();
    let twin = Ring::new(t.fixture.degree(), limbs)?;
    let operand = t.alloc(&crate::Shape::new(&twin, chain, 2)?)?;
    let result = e.binary_assign(&t.queue, BinaryOp::Sub, &mut out, &operand);
    let wrong_ring = |error: &EngineError| matches!(error, EngineError::RingMismatch { .. });
    t.refused("a buffer of another ring", result, wrong_ring, &out, &before)
}

fn host_data(t: &mut Trial<'_>) -> Outcome {
    let e = t.engine;
    let (before, mut out) = t.random(&t.fixture.chain, 2)?;
    let mut host = before.words.clone();
    host.reverse();
    host.iter_mut().for_each(|word| *word %= 2);
    let last = host.len() - 1;
    let moduli = t.fixture.moduli(&t.fixture.chain);
    host[last] = moduli[moduli.len() - 1].value();
    let result = e.upload(&t.queue, &mut out, &host);
    t.refused("a residue that is not reduced", result, not_reduced, &out, &before)?;
    let result = e.upload(&t.queue, &mut out, &host[..last]);
    t.refused("too few residues", result, wrong_length, &out, &before)?;
    host[last] = 0;
    host.push(0);
    let result = e.upload(&t.queue, &mut out, &host);
    t.refused("too many residues", result, wrong_length, &out, &before)?;
    t.check("a download into too little memory must be refused");
    t.rejected(e.download(&t.queue, &out, &mut host[..last]), wrong_length)?;

    let factors = vec![1; moduli.len()];
    let result = e.scale_assign(&t.queue, &mut out, &factors[1..]);
    t.refused("too few factors", result, wrong_length, &out, &before)?;
    let mut factors = vec![1; moduli.len()];
    factors[1] = moduli[1].value();
    let result = e.scale_assign(&t.queue, &mut out, &factors);
    t.refused("a factor that is not reduced", result, not_reduced, &out, &before)?;

    if t.has("misuse of sampling", &[SampleUniform]) {
        let seed = Seed::new([1; 32]);
        let result = e.sample_uniform(&t.queue, &mut out, &seed, u32::MAX);
        let range = |e: &EngineError| matches!(e, EngineError::Ring(RingError::OutOfRange { .. }));
        t.refused("a stream number beyond 32 bits", result, range, &out, &before)?;
    }
    Ok(())
}

fn shapes(t: &mut Trial<'_>) -> Outcome {
    let (e, chain) = (t.engine, t.fixture.chain.clone());
    let (before, mut out) = t.random(&chain, 4)?;
    let (_, same) = t.random(&chain, 4)?;
    let (_, two) = t.random(&chain, 2)?;
    let (_, narrow) = t.random(&chain.prefix(3), 4)?;

    for (what, first, second) in [
        ("batch", &two, &same),
        ("batch", &same, &two),
        ("limbs", &narrow, &same),
        ("limbs", &same, &narrow),
    ] {
        let what = format!("an operand with the wrong {what}");
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
            let result = e.binary(&t.queue, op, &mut out, first, second);
            t.refused(&what, result, wrong_shape, &out, &before)?;
        }
        let result = e.mul_add(&t.queue, &mut out, first, second);
        t.refused(&what, result, wrong_shape, &out, &before)?;
        if t.has("misuse of ring_mul", &[RingMul]) {
            let result = e.ring_mul(&t.queue, &mut out, first, second);
            t.refused(&what, result, wrong_shape, &out, &before)?;
        }
    }
    for wrong in [&two, &narrow] {
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
            let result = e.binary_assign(&t.queue, op, &mut out, wrong);
            t.refused("an operand of the wrong shape", result, wrong_shape, &out, &before)?;
        }
        let result = e.automorphism(&t.queue, Domain::Coefficient, 3, &mut out, wrong);
        t.refused("an automorphism of the wrong shape", result, wrong_shape, &out, &before)?;
    }
    for (to, from, count) in
        [(0, 0, 5), (1, 0, 4), (0, 1, 4), (usize::MAX, 0, 1), (0, usize::MAX, 2)]
    {
        let result = e.copy(&t.queue, &mut out, to, &same, from, count);
        t.refused("a copy beyond the batch", result, wrong_shape, &out, &before)?;
    }
    let result = e.copy(&t.queue, &mut out, 0, &narrow, 0, 1);
    t.refused("a copy of limbs that are not there", result, wrong_shape, &out, &before)?;

    let bound = 2 * t.fixture.degree() as u64;
    let galois =
        |e: &EngineError| matches!(e, EngineError::Ring(RingError::BadGaloisElement { .. }));
    for element in [0, 2, bound, bound + 1, u64::MAX] {
        let result = e.automorphism(&t.queue, Domain::Coefficient, element, &mut out, &same);
        t.refused("an even or too large Galois element", result, galois, &out, &before)?;
    }

    // Four outputs: two groups of two columns need four elements of the vectors, one has two.
    for (what, a, b, columns) in [
        ("vectors of the wrong length", &same, &same, 4),
        ("columns that do not divide the matrix", &same, &same, 3),
        ("limbs that a vector has not", &narrow, &same, 2),
        ("limbs that a matrix has not", &same, &narrow, 2),
    ] {
        let result = e.inner_product(&t.queue, &mut out, a, b, columns);
        t.refused(what, result, wrong_shape, &out, &before)?;
    }
    let result = e.inner_product(&t.queue, &mut out, &same, &same, 0);
    let range = |e: &EngineError| matches!(e, EngineError::Ring(RingError::OutOfRange { .. }));
    t.refused("an inner product without columns", result, range, &out, &before)?;

    let (high, mut quadratic) = t.random(&chain, 2)?;
    let (_, three) = t.random(&chain, 3)?;
    for (what, a, b) in [
        ("pairs against single polynomials", &same, &two),
        ("an odd batch of pairs", &three, &three),
        ("limbs that a factor has not", &narrow, &same),
    ] {
        let result = e.tensor(&t.queue, &mut out, &mut quadratic, a, b);
        t.refused(what, result, wrong_shape, &out, &before)?;
        t.unchanged(&[(&quadratic, &high)])?;
    }
    let mut short = t.alloc(&t.shape(&chain, 1)?)?;
    let result = e.tensor(&t.queue, &mut out, &mut short, &same, &same);
    t.refused("a quadratic part of the wrong batch", result, wrong_shape, &out, &before)
}

/// Limbs without a transform where values are needed.
fn values(t: &mut Trial<'_>) -> Outcome {
    let e = t.engine;
    let mixed = t.fixture.chain.concat(&t.fixture.plain);
    let (before, mut out) = t.random(&mixed, 2)?;
    let (_, same) = t.random(&mixed, 2)?;
    let result = e.forward(&t.queue, &mut out);
    t.refused("a transform of limbs without one", result, no_transform, &out, &before)?;
    let result = e.inverse(&t.queue, &mut out);
    t.refused("an inverse transform of limbs without one", result, no_transform, &out, &before)?;
    let result = e.automorphism(&t.queue, Domain::Evaluation, 3, &mut out, &same);
    t.refused("values of limbs without a transform", result, no_transform, &out, &before)
}

fn plans(t: &mut Trial<'_>) -> Outcome {
    let (e, f) = (t.engine, t.fixture);
    let chain = f.basis(&f.chain)?;
    let extension = f.basis(&f.extension)?;
    let (before, mut out) = t.random(&f.extension, 2)?;
    let (_, a) = t.random(&f.chain, 2)?;
    let (_, short) = t.random(&f.chain.prefix(3), 2)?;
    let (_, one) = t.random(&f.chain, 1)?;

    let moduli = f.moduli(&f.extension);
    let plan = Arc::new(ConvertPlan::new(&chain, &moduli, Conversion::Centred)?);
    let result = e.convert(&t.queue, &plan, &mut out, &short);
    t.refused("a conversion from other limbs", result, wrong_plan, &out, &before)?;
    let result = e.convert(&t.queue, &plan, &mut out, &one);
    t.refused("a conversion of another batch", result, wrong_shape, &out, &before)?;
    let plan = Arc::new(ConvertPlan::new(&chain, &moduli[1..], Conversion::Fast)?);
    let result = e.convert(&t.queue, &plan, &mut out, &a);
    t.refused("a conversion to other limbs", result, wrong_plan, &out, &before)?;

    let numerator = RnsBasis::new(&f.moduli(&f.plaintext))?;
    let plan = ScaleRoundPlan::to_extension(&chain, &extension, numerator.product())?;
    let plan = Arc::new(plan);
    let (_, ext) = t.random(&f.extension, 2)?;
    for (what, den, ext) in [
        ("a scaling without its extension", &a, None),
        ("a scaling with another extension", &a, Some(&a)),
        ("a scaling of other limbs", &short, Some(&ext)),
    ] {
        let result = e.scale_round(&t.queue, &plan, &mut out, den, ext);
        t.refused(what, result, wrong_plan, &out, &before)?;
    }
    let result = e.scale_round(&t.queue, &plan, &mut out, &one, Some(&ext));
    t.refused("a scaling of another batch", result, wrong_shape, &out, &before)?;

    let (before, mut out) = t.random(&f.chain, 2)?;
    let plan = Arc::new(DivideRoundPlan::new(&chain, &f.basis(&f.special)?, None)?);
    let (d, mut drop) = t.random(&f.special, 2)?;
    let (_, mut other) = t.random(&f.extension.prefix(2), 2)?;
    let result = e.divide_correction(&t.queue, &plan, &mut out, &other);
    t.refused("a correction from other limbs", result, wrong_plan, &out, &before)?;
    for domain in [Domain::Coefficient, Domain::Evaluation] {
        let result = e.divide_round(&t.queue, domain, &plan, &mut out, &a, &mut other);
        t.refused("a division by other limbs", result, wrong_plan, &out, &before)?;
        let result = e.divide_round(&t.queue, domain, &plan, &mut out, &short, &mut drop);
        t.refused("a division of too few limbs", result, wrong_shape, &out, &before)?;
        let result = e.divide_round(&t.queue, domain, &plan, &mut out, &one, &mut drop);
        t.refused("a division of another batch", result, wrong_shape, &out, &before)?;
        t.unchanged(&[(&drop, &d)])?;
    }
    Ok(())
}

fn key_switches(t: &mut Trial<'_>) -> Outcome {
    let (e, f) = (t.engine, t.fixture);
    let target = f.chain.concat(&f.special);
    let groups = |group| DecomposePlan::groups(&f.ring, &f.chain, &target, group);
    let plan = Arc::new(groups(2)?);
    let (before, mut digits) = t.random(&target, 4)?;
    let (_, a) = t.random(&f.chain, 2)?;
    let (_, one) = t.random(&f.chain, 1)?;
    let (_, special) = t.random(&f.special.concat(&f.extension).prefix(4), 2)?;
    let result = e.decompose(&t.queue, &plan, &mut digits, &special);
    t.refused("digits of other limbs", result, wrong_plan, &digits, &before)?;
    let result = e.decompose(&t.queue, &plan, &mut digits, &one);
    t.refused("too few digits", result, wrong_shape, &digits, &before)?;
    let result = e.decompose_forward(&t.queue, &plan, &mut digits, &a, Some(&one));
    t.refused("values of another batch", result, wrong_shape, &digits, &before)?;
    let (other, mut wrong) = t.random(&f.chain, 4)?;
    let result = e.decompose(&t.queue, &plan, &mut wrong, &a);
    t.refused("digits over other limbs", result, wrong_plan, &wrong, &other)?;

    let plan = KeySwitchPlan::new(&f.ring, groups(2)?, &f.special, None)?;
    let (before, mut out) = t.random(&f.chain, 4)?;
    let (_, key) = t.random(&target, 4)?;
    let (_, short) = t.random(&target, 2)?;
    let (_, narrow) = t.random(&f.chain, 4)?;
    for (what, digits, key) in [
        ("a key with too few digits", &digits, &short),
        ("a key without the special limbs", &digits, &narrow),
        ("too few groups of digits", &short, &key),
    ] {
        let result = e.gadget_product(&t.queue, &plan, &mut out, digits, key);
        t.refused(what, result, wrong_shape, &out, &before)?;
    }
    let result = e.gadget_product(&t.queue, &plan, &mut out, &narrow, &key);
    t.refused("digits over other limbs", result, wrong_plan, &out, &before)
}

/// Rings beyond the engine's capabilities.
fn rings(t: &mut Trial<'_>) -> Outcome {
    let unsupported = |error: &EngineError| matches!(error, EngineError::Unsupported { .. });
    let capabilities = t.engine.capabilities();
    let mut beyond = Vec::new();
    if let Ok(wide) = Modulus::new(1 << capabilities.modulus_bits | 1) {
        beyond.push((
            "a modulus that is too wide",
            Ring::new(t.fixture.degree(), vec![Limb::plain(wide)])?,
        ));
    }
    let (small, large) = (capabilities.degrees.0 / 2, capabilities.degrees.1 * 2);
    let limb = Limb::plain(Modulus::new(257)?);
    for degree in [small, large] {
        if let Ok(ring) = Ring::new(degree, vec![limb]) {
            beyond.push(("a degree out of range", ring));
        }
    }
    if beyond.is_empty() {
        let text = format!("the engine has every ring of degree up to {MAX_DEGREE}");
        t.skip("rings beyond the capabilities", &text);
    }
    for (what, ring) in beyond {
        t.check(format!("{what} must be refused"));
        t.rejected(t.engine.prepare(&ring), unsupported)?;
        let shape = crate::Shape::new(&ring, &LimbSet::new([0]), 1)?;
        t.rejected(t.engine.alloc(&shape), unsupported)?;
    }
    // Everything still works after the refusals.
    t.check("work after refusals");
    let (a, buffer) = t.random(&t.fixture.chain, 1)?;
    let expected = Host { ..a };
    t.expect(&buffer, &expected)
}
