//! Transforms and products of polynomials.

use super::reference;
use super::trial::{Host, Outcome, Trial};
use crate::engine::{BinaryOp, Operation};
use crate::shape::{Limb, LimbSet, Ring, Shape};
use cyclotron_ring::Modulus;

/// A composite modulus with a transform: `257^3`, degree 128, and a primitive 256th root.
const CUBE: (u64, usize, u64) = (257 * 257 * 257, 128, 3_259_673);

pub fn run(t: &mut Trial<'_>) -> Outcome {
    let fixture = t.fixture;
    if t.has("transforms", &[Operation::Transform]) {
        let limbs = fixture.chain.concat(&fixture.special);
        t.check("inverse after forward");
        let (a, values) = t.random_values(&limbs, 3)?;
        t.expect_values(values, &a)?;

        for batch in [1, 3] {
            t.check("transform, product, inverse transform");
            let (a, first) = t.random_values(&limbs, 3)?;
            let (b, second) = t.random_values(&limbs, batch)?;
            let mut out = t.alloc(&a.shape)?;
            t.engine.binary(&t.queue, BinaryOp::Mul, &mut out, &first, &second)?;
            t.expect_values(out, &reference::products(fixture, &a.shape, &a, &b)?)?;
            t.check("operands of a product are unchanged");
            t.expect_values(first, &a)?;
            t.expect_values(second, &b)?;
        }
        composite(t)?;
    }
    if t.has("products of coefficients", &[Operation::RingMul]) {
        // By the definition where there is no transform, so only at degrees where that is quick.
        let plain = if fixture.degree() > 1024 { LimbSet::new([]) } else { fixture.plain.clone() };
        let limbs = LimbSet::new([6, 1]).concat(&plain);
        for batch in [1, 3] {
            t.check("ring_mul");
            let (a, first) = t.random(&limbs, 3)?;
            let (b, second) = t.random(&limbs, batch)?;
            let mut out = t.alloc(&a.shape)?;
            t.engine.ring_mul(&t.queue, &mut out, &first, &second)?;
            t.expect(&out, &reference::products(fixture, &a.shape, &a, &b)?)?;
            t.unchanged(&[(&first, &a), (&second, &b)])?;
        }
    }
    Ok(())
}

/// The transform modulo a composite, with the root that the ring names.
fn composite(t: &mut Trial<'_>) -> Outcome {
    let (cube, degree, root) = CUBE;
    let q = Modulus::new(cube)?;
    if t.fixture.degree() != degree || q.bits() > t.engine.capabilities().modulus_bits {
        return Ok(());
    }
    t.check("product modulo 257^3");
    let ring = Ring::new(degree, vec![Limb { modulus: q, root: Some(root) }])?;
    let shape = Shape::new(&ring, &LimbSet::new([0]), 2)?;
    let (a, b) = (t.data(&shape), t.data(&shape));
    let (mut first, mut second) = (t.upload(&a)?, t.upload(&b)?);
    t.engine.forward(&t.queue, &mut first)?;
    t.engine.forward(&t.queue, &mut second)?;
    t.engine.binary_assign(&t.queue, BinaryOp::Mul, &mut first, &second)?;
    let expected = Host::build(&shape, |poly, index, q| {
        Ok(reference::definition(q, a.limb(poly, index)?, b.limb(poly, index)?))
    })?;
    t.expect_values(first, &expected)
}
