//! Element-wise arithmetic and inner products.

use super::reference;
use super::trial::{Host, Outcome, Trial};
use crate::engine::{BinaryOp, Operation};
use crate::shape::LimbSet;

pub fn run(t: &mut Trial<'_>) -> Outcome {
    if !t.has("arithmetic", &[Operation::Arithmetic]) {
        return Ok(());
    }
    sums(t)?;
    scalars(t)?;
    if t.has("products of values", &[Operation::Transform]) {
        products(t)?;
        inner_products(t)?;
    }
    Ok(())
}

/// Pairs of (limbs of the operands, limbs of the output): equal; a subset in another order; limbs
/// without a transform.
fn limb_choices() -> [(LimbSet, LimbSet); 3] {
    [
        (LimbSet::new(0..4), LimbSet::new(0..4)),
        (LimbSet::new([4, 2, 0, 1, 12]), LimbSet::new([1, 4, 12])),
        (LimbSet::new(11..14), LimbSet::new([13, 11, 12])),
    ]
}

fn sums(t: &mut Trial<'_>) -> Outcome {
    for (limbs, kept) in limb_choices() {
        for op in [BinaryOp::Add, BinaryOp::Sub] {
            for batch in [1, 3] {
                t.check(format!("{op:?}, second batch {batch}, limbs {kept:?} of {limbs:?}"));
                let (a, first) = t.random(&limbs, 3)?;
                let (b, second) = t.random(&limbs, batch)?;
                let shape = t.shape(&kept, 3)?;
                let mut out = t.alloc(&shape)?;
                t.engine.binary(&t.queue, op, &mut out, &first, &second)?;
                let combine = |a: &Host, poly, index, q| {
                    Ok(reference::linear(op, q, a.limb(poly, index)?, b.limb(poly, index)?))
                };
                let expected = Host::build(&shape, |poly, index, q| combine(&a, poly, index, q))?;
                t.expect(&out, &expected)?;

                t.check(format!("{op:?} in place, second batch {batch}, limbs {kept:?}"));
                let (acc, mut sum) = t.random(&kept, 3)?;
                t.engine.binary_assign(&t.queue, op, &mut sum, &second)?;
                let expected = Host::build(&shape, |poly, index, q| combine(&acc, poly, index, q))?;
                t.expect(&sum, &expected)?;
                t.unchanged(&[(&first, &a), (&second, &b)])?;
            }
        }
    }
    Ok(())
}

fn scalars(t: &mut Trial<'_>) -> Outcome {
    for (limbs, _) in limb_choices() {
        t.check("negation");
        let (a, mut buffer) = t.random(&limbs, 3)?;
        t.engine.neg_assign(&t.queue, &mut buffer)?;
        let expected = Host::build(&a.shape, |poly, index, q| {
            Ok(a.limb(poly, index)?.iter().map(|&x| q.neg(x)).collect())
        })?;
        t.expect(&buffer, &expected)?;

        let moduli = t.fixture.moduli(&limbs);
        let random = moduli.iter().map(|q| q.reduce(t.word())).collect();
        let largest = moduli.iter().map(|q| q.value() - 1).collect();
        for factors in [random, largest, vec![0; moduli.len()]] {
            t.check("scaling by constants");
            let mut buffer = t.upload(&a)?;
            t.engine.scale_assign(&t.queue, &mut buffer, &factors)?;
            let expected = Host::build(&a.shape, |poly, index, q| {
                let factor = limbs.position(index).map_or(0, |place| factors[place]);
                Ok(a.limb(poly, index)?.iter().map(|&x| q.mul(x, factor)).collect())
            })?;
            t.expect(&buffer, &expected)?;
        }
    }
    Ok(())
}

fn products(t: &mut Trial<'_>) -> Outcome {
    let fixture = t.fixture;
    for (limbs, kept) in limb_choices()
        .into_iter()
        .take(1)
        .chain([(LimbSet::new([4, 2, 0, 1]), LimbSet::new([1, 4]))])
    {
        for batch in [1, 3] {
            let (a, first) = t.random_values(&limbs, 3)?;
            let (b, second) = t.random_values(&limbs, batch)?;
            let shape = t.shape(&kept, 3)?;
            let product = reference::products(fixture, &shape, &a, &b)?;

            t.check(format!("product, second batch {batch}, limbs {kept:?} of {limbs:?}"));
            let mut out = t.alloc(&shape)?;
            t.engine.binary(&t.queue, BinaryOp::Mul, &mut out, &first, &second)?;
            t.expect_values(out, &product)?;

            t.check(format!("product in place, second batch {batch}"));
            let (c, mut acc) = t.random_values(&kept, 3)?;
            t.engine.binary_assign(&t.queue, BinaryOp::Mul, &mut acc, &second)?;
            t.expect_values(acc, &reference::products(fixture, &shape, &c, &b)?)?;

            t.check(format!("multiply and add, second batch {batch}"));
            let mut acc = t.upload(&c)?;
            t.engine.forward(&t.queue, &mut acc)?;
            t.engine.mul_add(&t.queue, &mut acc, &first, &second)?;
            let expected = Host::build(&shape, |poly, index, q| {
                let (c, p) = (c.limb(poly, index)?, product.limb(poly, index)?);
                Ok(reference::linear(BinaryOp::Add, q, c, p))
            })?;
            t.expect_values(acc, &expected)?;
            t.check("operands of products are unchanged");
            t.expect_values(first, &a)?;
            t.expect_values(second, &b)?;
        }
    }
    Ok(())
}

fn inner_products(t: &mut Trial<'_>) -> Outcome {
    let fixture = t.fixture;
    // Many terms only where they are quick: enough to overflow sums that are reduced too late.
    let many = if fixture.degree() > 64 { 5 } else { 70 };
    // The last: a matrix with more rows than there are terms.
    for (groups, terms, columns, unused) in
        [(1, 1, 1, 0), (1, 3, 2, 0), (3, 2, 3, 0), (2, many, 1, 0), (2, 2, 2, 3)]
    {
        t.check(format!("inner product of {groups} groups, {terms} terms, {columns} columns"));
        let limbs = LimbSet::new([2, 0, 5]);
        let kept = LimbSet::new([0, 2]);
        let (a, first) = t.random_values(&limbs, groups * terms)?;
        // Rows that are not used, as a key has them for a ciphertext of a lower level.
        let (b, second) = t.random_values(&limbs, (terms + unused) * columns)?;
        let mut out = t.alloc(&t.shape(&kept, groups * columns)?)?;
        t.engine.inner_product(&t.queue, &mut out, &first, &second, columns)?;
        let mut parts = Vec::new();
        for group in 0..groups {
            for column in 0..columns {
                let pairs: Vec<_> =
                    (0..terms).map(|j| (group * terms + j, j * columns + column)).collect();
                parts.push(reference::sum_of_products(fixture, &kept, &a, &b, &pairs)?);
            }
        }
        t.expect_values(out, &reference::stack(&parts)?)?;
        t.check("operands of an inner product are unchanged");
        t.expect_values(first, &a)?;
        t.expect_values(second, &b)?;
    }
    Ok(())
}
