//! Tensor products and key switching.

use super::reference::{stack, sum_of_products};
use super::trial::{Host, Outcome, Trial};
use crate::engine::Operation::{Arithmetic, Decompose, ScaleRound, Transform};
use crate::plan::{DecomposePlan, KeySwitchPlan};
use crate::shape::LimbSet;
use cyclotron_ring::SimdLevel::Scalar;

pub fn run(t: &mut Trial<'_>) -> Outcome {
    if t.has("tensor products", &[Arithmetic, Transform]) {
        tensors(t)?;
    }
    if t.has("key switching", &[Arithmetic, Transform, ScaleRound, Decompose]) {
        gadget_products(t)?;
    }
    Ok(())
}

fn tensors(t: &mut Trial<'_>) -> Outcome {
    let fixture = t.fixture;
    let limbs = fixture.chain.concat(&fixture.extension);
    for (pairs, kept) in [(1, limbs.clone()), (3, LimbSet::new([7, 0, 2]))] {
        t.check(format!("tensor products of {pairs} pairs over {kept:?}"));
        let (a, first) = t.random_values(&limbs, 2 * pairs)?;
        let (b, second) = t.random_values(&limbs, 2 * pairs)?;
        let mut linear = t.alloc(&t.shape(&kept, 2 * pairs)?)?;
        let mut quadratic = t.alloc(&t.shape(&kept, pairs)?)?;
        t.engine.tensor(&t.queue, &mut linear, &mut quadratic, &first, &second)?;
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for i in (0..2 * pairs).step_by(2) {
            let sum = |terms: &[(usize, usize)]| sum_of_products(fixture, &kept, &a, &b, terms);
            low.push(sum(&[(i, i)])?);
            low.push(sum(&[(i, i + 1), (i + 1, i)])?);
            high.push(sum(&[(i + 1, i + 1)])?);
        }
        t.expect_values(linear, &stack(&low)?)?;
        t.expect_values(quadratic, &stack(&high)?)?;
        t.check("operands of a tensor product are unchanged");
        t.expect_values(first, &a)?;
        t.expect_values(second, &b)?;
    }
    Ok(())
}

fn gadget_products(t: &mut Trial<'_>) -> Outcome {
    let fixture = t.fixture;
    let none = LimbSet::new([]);
    let plaintext = fixture.moduli(&fixture.plaintext)[0];
    let choices = [
        (&fixture.special, 2, None, 1, 0),
        (&fixture.special, 3, Some(plaintext), 2, 0),
        (&none, 1, None, 2, 1),
        (&fixture.special, 1, None, 2, 1),
    ];
    for (special, group, plaintext, groups, unused) in choices {
        t.check(format!("key switch, digits of {group}, special {special:?}, {groups} groups"));
        // One level below the key: it has more limbs than the digits, and may have more rows.
        let kept = fixture.chain.prefix(3);
        let target = kept.concat(special);
        let digits = DecomposePlan::groups(&fixture.ring, &kept, &target, group)?;
        let plan = KeySwitchPlan::new(&fixture.ring, digits, special, plaintext)?;
        let count = plan.decompose.count();
        let (d, digits) = t.random_values(&target, groups * count)?;
        let whole = fixture.special.concat(&fixture.chain);
        let (k, key) = t.random_values(&whole, 2 * (count + unused))?;
        let mut out = t.alloc(&t.shape(&kept, 2 * groups)?)?;
        t.engine.gadget_product(&t.queue, &plan, &mut out, &digits, &key)?;

        let mut parts = Vec::new();
        for (group, column) in (0..groups).flat_map(|group| [(group, 0), (group, 1)]) {
            let pairs: Vec<_> = (0..count).map(|j| (group * count + j, 2 * j + column)).collect();
            let sum = sum_of_products(fixture, &target, &d, &k, &pairs)?;
            parts.push(match &plan.divide {
                None => sum,
                Some(divide) => {
                    let mut quotient = Host::zero(&t.shape(&kept, 1)?);
                    divide.apply(Scalar, &sum.rows(0), &mut quotient.rows_mut(0))?;
                    quotient
                }
            });
        }
        t.expect_values(out, &stack(&parts)?)?;
        t.check("operands of a key switch are unchanged");
        t.expect_values(digits, &d)?;
        t.expect_values(key, &k)?;
    }
    Ok(())
}
