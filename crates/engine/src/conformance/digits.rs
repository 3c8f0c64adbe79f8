//! Digit decomposition: equality with a reference, and recomposition.

use super::report::Failure;
use super::trial::{Host, Outcome, Trial};
use crate::engine::Operation;
use crate::plan::DecomposePlan;
use crate::shape::LimbSet;
use cyclotron_ring::SimdLevel::Scalar;
use cyclotron_ring::rns::{BaseDigits, Conversion, ConvertPlan, RnsBasis};
use std::sync::Arc;

/// How a plan cuts digits, and so how the reference does.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Groups(usize),
    Words(u32),
}

pub fn run(t: &mut Trial<'_>) -> Outcome {
    if !t.has("digits", &[Operation::Decompose]) {
        return Ok(());
    }
    let fixture = t.fixture;
    let source = &fixture.chain;
    let wide = source.concat(&fixture.special);
    let elsewhere = LimbSet::new([6, 2, 0, 4]);
    let one = source.prefix(1);
    let choices = [
        (source, &wide, Kind::Groups(1)),
        (source, &wide, Kind::Groups(3)),
        (source, &elsewhere, Kind::Groups(2)),
        (&one, &one, Kind::Groups(1)),
        (source, source, Kind::Groups(4)),
        (source, &wide, Kind::Words(13)),
        (&one, &elsewhere, Kind::Words(60)),
    ];
    for (source, target, kind) in choices {
        let what = format!("digits {kind:?} of {source:?} over {target:?}");
        t.check(&what);
        let plan = Arc::new(match kind {
            Kind::Groups(group) => DecomposePlan::groups(&fixture.ring, source, target, group)?,
            Kind::Words(bits) => DecomposePlan::words(&fixture.ring, source, target, bits)?,
        });
        let (a, coefficients) = t.random(source, 3)?;
        let expected = reference(t, &plan, &a, kind)?;
        recomposes(&plan, &a, &expected)?;

        let mut out = t.alloc(&expected.shape)?;
        t.engine.decompose(&t.queue, &plan, &mut out, &coefficients)?;
        t.expect(&out, &expected)?;
        t.unchanged(&[(&coefficients, &a)])?;

        if t.has("digits of values", &[Operation::Transform]) {
            t.check(format!("{what}, transformed"));
            let mut values = t.upload(&a)?;
            t.engine.forward(&t.queue, &mut values)?;
            for known in [None, Some(&values)] {
                let mut out = t.alloc(&expected.shape)?;
                t.engine.decompose_forward(&t.queue, &plan, &mut out, &coefficients, known)?;
                t.expect_values(out, &expected)?;
            }
            t.expect_values(values, &a)?;
            t.unchanged(&[(&coefficients, &a)])?;
        }
    }
    Ok(())
}

/// The digits from the ring's scalar plans, group by group.
fn reference(t: &Trial<'_>, plan: &DecomposePlan, a: &Host, kind: Kind) -> Outcome<Host> {
    let moduli = t.fixture.moduli(&plan.target);
    let sources = t.fixture.moduli(&plan.source);
    let mut words = Vec::new();
    for poly in 0..a.shape.batch {
        let limbs = a.rows(poly);
        match kind {
            Kind::Groups(group) => {
                for (own, limbs) in sources.chunks(group).zip(limbs.chunks(group)) {
                    // Centred residues: converting to a group's own modulus changes nothing.
                    let basis = RnsBasis::new(own)?;
                    let convert = ConvertPlan::new(&basis, &moduli, Conversion::Centred)?;
                    let mut rows = vec![vec![0; a.shape.degree()]; moduli.len()];
                    let mut slices: Vec<_> = rows.iter_mut().map(|row| &mut row[..]).collect();
                    convert.apply(Scalar, limbs, &mut slices)?;
                    words.extend(rows.concat());
                }
            }
            Kind::Words(bits) => {
                for (&own, limb) in sources.iter().zip(limbs) {
                    let cut = BaseDigits::new(&RnsBasis::new(&[own])?, bits, true)?;
                    let mut rows = vec![vec![0i64; a.shape.degree()]; cut.count()];
                    let mut slices: Vec<_> = rows.iter_mut().map(|row| &mut row[..]).collect();
                    cut.decompose(&[limb], &mut slices)?;
                    for row in rows {
                        for q in &moduli {
                            words.extend(row.iter().map(|&digit| q.from_signed(digit)));
                        }
                    }
                }
            }
        }
    }
    let shape = t.shape(&plan.target, words.len() / (moduli.len() * a.shape.degree()))?;
    Ok(Host { shape, words })
}

/// `sum_j d_j g_j = x` modulo the source limbs that the target has.
fn recomposes(plan: &DecomposePlan, a: &Host, digits: &Host) -> Outcome {
    let gadget = plan.gadget();
    if digits.shape.batch != a.shape.batch * plan.count() || gadget.len() != plan.count() {
        return Err(Failure::new(format!("the plan says {} digits", plan.count())));
    }
    for (place, (index, q)) in a.shape.limbs.iter().zip(a.shape.moduli()).enumerate() {
        if plan.target.position(index).is_none() {
            continue;
        }
        for poly in 0..a.shape.batch {
            let mut sum = vec![0; a.shape.degree()];
            for (j, (limbs, power)) in gadget.iter().enumerate() {
                let factor = if limbs.contains(&place) { q.pow(2, u64::from(*power)) } else { 0 };
                let digit = digits.limb(poly * plan.count() + j, index)?;
                sum.iter_mut().zip(digit).for_each(|(s, &d)| *s = q.mul_add(d, factor, *s));
            }
            if sum != a.row(poly, place) {
                let text =
                    format!("the digits of polynomial {poly} do not recompose, limb {place}");
                return Err(Failure::new(text));
            }
        }
    }
    Ok(())
}
