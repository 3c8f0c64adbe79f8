//! Conversions between bases, scaling with rounding, division by dropped moduli.

use super::trial::{Host, Outcome, Trial};
use crate::engine::{Domain, Operation};
use crate::shape::LimbSet;
use cyclotron_ring::SimdLevel::Scalar;
use cyclotron_ring::rns::{Conversion, ConvertPlan, DivideRoundPlan, RnsBasis, ScaleRoundPlan};
use std::sync::Arc;

pub fn run(t: &mut Trial<'_>) -> Outcome {
    if t.has("conversions", &[Operation::Convert]) {
        conversions(t)?;
    }
    if t.has("scaling and division", &[Operation::ScaleRound]) {
        scaling(t)?;
        divisions(t)?;
    }
    Ok(())
}

fn conversions(t: &mut Trial<'_>) -> Outcome {
    let fixture = t.fixture;
    // One limb to many, many to many, to limbs without a transform, many to one.
    let choices = [
        (fixture.chain.prefix(1), fixture.extension.clone()),
        (fixture.chain.clone(), fixture.extension.concat(&fixture.special)),
        (LimbSet::new([5, 0, 2]), fixture.plain.clone()),
        (fixture.extension.clone(), fixture.plaintext.clone()),
    ];
    for (from, to) in choices {
        for kind in [Conversion::Fast, Conversion::Centred, Conversion::Exact] {
            t.check(format!("{kind:?} conversion from {from:?} to {to:?}"));
            let plan = ConvertPlan::new(&fixture.basis(&from)?, &fixture.moduli(&to), kind)?;
            let plan = Arc::new(plan);
            let (a, source) = t.random(&from, 3)?;
            let mut expected = Host::zero(&t.shape(&to, 3)?);
            let mut out = t.alloc(&expected.shape)?;
            t.engine.convert(&t.queue, &plan, &mut out, &source)?;
            for poly in 0..3 {
                plan.apply(Scalar, &a.rows(poly), &mut expected.rows_mut(poly))?;
            }
            t.expect(&out, &expected)?;
            t.unchanged(&[(&source, &a)])?;
        }
    }
    Ok(())
}

fn scaling(t: &mut Trial<'_>) -> Outcome {
    let fixture = t.fixture;
    let plaintext = fixture.moduli(&fixture.plaintext)[0];
    for chain in [fixture.chain.clone(), fixture.chain.prefix(1)] {
        let basis = fixture.basis(&chain)?;

        t.check(format!("scaling from {chain:?} to the plaintext modulus"));
        let plan = Arc::new(ScaleRoundPlan::to_plaintext(&basis, plaintext)?);
        let (a, den) = t.random(&chain, 3)?;
        let mut expected = Host::zero(&t.shape(&fixture.plaintext, 3)?);
        let mut out = t.alloc(&expected.shape)?;
        t.engine.scale_round(&t.queue, &plan, &mut out, &den, None)?;
        for poly in 0..3 {
            plan.apply(Scalar, &a.rows(poly), &mut expected.rows_mut(poly))?;
        }
        t.expect(&out, &expected)?;

        t.check(format!("scaling from {chain:?} to the extension"));
        let numerator = RnsBasis::new(&[plaintext])?;
        let extension = fixture.basis(&fixture.extension)?;
        let plan = ScaleRoundPlan::to_extension(&basis, &extension, numerator.product())?;
        let plan = Arc::new(plan);
        let (e, ext) = t.random(&fixture.extension, 3)?;
        let mut expected = Host::zero(&e.shape);
        let mut out = t.alloc(&e.shape)?;
        t.engine.scale_round(&t.queue, &plan, &mut out, &den, Some(&ext))?;
        for poly in 0..3 {
            let sources = [a.rows(poly), e.rows(poly)].concat();
            plan.apply(Scalar, &sources, &mut expected.rows_mut(poly))?;
        }
        t.expect(&out, &expected)?;
        t.unchanged(&[(&den, &a), (&ext, &e)])?;
    }
    Ok(())
}

fn divisions(t: &mut Trial<'_>) -> Outcome {
    let fixture = t.fixture;
    let plaintext = fixture.moduli(&fixture.plaintext)[0];
    let one = LimbSet::new([3]);
    let choices =
        [(fixture.chain.prefix(3), one), (fixture.chain.clone(), fixture.special.clone())];
    for (kept, dropped) in choices {
        for t_modulus in [None, Some(plaintext)] {
            let what = format!("division of {kept:?} by {dropped:?}, plaintext {t_modulus:?}");
            let plan =
                DivideRoundPlan::new(&fixture.basis(&kept)?, &fixture.basis(&dropped)?, t_modulus)?;
            let plan = Arc::new(plan);
            // The operand holds more limbs than are kept.
            let wide = kept.concat(&fixture.extension.prefix(1));
            let (k, keep) = t.random(&wide, 3)?;
            let (d, mut drop) = t.random(&dropped, 3)?;
            let shape = t.shape(&kept, 3)?;

            t.check(format!("{what}: correction"));
            let mut delta = Host::zero(&shape);
            let mut out = t.alloc(&shape)?;
            t.engine.divide_correction(&t.queue, &plan, &mut out, &drop)?;
            for poly in 0..3 {
                plan.correction(Scalar, &d.rows(poly), &mut delta.rows_mut(poly))?;
            }
            t.expect(&out, &delta)?;
            t.unchanged(&[(&drop, &d)])?;

            t.check(format!("{what}: coefficients"));
            let mut expected = Host::zero(&shape);
            for poly in 0..3 {
                let sources = [k.rows(poly)[..kept.len()].to_vec(), d.rows(poly)].concat();
                plan.apply(Scalar, &sources, &mut expected.rows_mut(poly))?;
            }
            let mut out = t.alloc(&shape)?;
            let engine = t.engine;
            engine.divide_round(
                &t.queue,
                Domain::Coefficient,
                &plan,
                &mut out,
                &keep,
                &mut drop,
            )?;
            t.expect(&out, &expected)?;
            t.unchanged(&[(&keep, &k)])?;

            if t.has("division of values", &[Operation::Transform]) {
                t.check(format!("{what}: values"));
                let mut keep = t.upload(&k)?;
                let mut drop = t.upload(&d)?;
                engine.forward(&t.queue, &mut keep)?;
                engine.forward(&t.queue, &mut drop)?;
                let mut out = t.alloc(&shape)?;
                let domain = Domain::Evaluation;
                engine.divide_round(&t.queue, domain, &plan, &mut out, &keep, &mut drop)?;
                t.expect_values(out, &expected)?;
                t.expect_values(keep, &k)?;
            }
        }
    }
    Ok(())
}
