//! `x -> x^g` in both domains.

use super::reference;
use super::trial::{Host, Outcome, Trial};
use crate::engine::{Domain, Operation};

pub fn run(t: &mut Trial<'_>) -> Outcome {
    if !t.has("automorphisms", &[Operation::Automorphism]) {
        return Ok(());
    }
    let fixture = t.fixture;
    let n = fixture.degree() as u64;
    let mixed = fixture.chain.concat(&fixture.plain);
    // The identity, the generators 3 and 5, conjugation, x -> -x, and one of no special form.
    for element in [1, 3, 5, 2 * n - 1, n + 1, (n / 2) | 3] {
        t.check(format!("automorphism {element} of coefficients"));
        let (a, source) = t.random(&mixed, 2)?;
        let mut out = t.alloc(&a.shape)?;
        t.engine.automorphism(&t.queue, Domain::Coefficient, element, &mut out, &source)?;
        let image = |a: &Host| {
            Host::build(&a.shape, |poly, index, q| {
                Ok(reference::automorphism(q, element, a.limb(poly, index)?))
            })
        };
        t.expect(&out, &image(&a)?)?;
        t.unchanged(&[(&source, &a)])?;

        if t.has("automorphisms of values", &[Operation::Transform]) {
            t.check(format!("automorphism {element} of values"));
            let (a, source) = t.random_values(&fixture.chain, 3)?;
            let mut out = t.alloc(&a.shape)?;
            t.engine.automorphism(&t.queue, Domain::Evaluation, element, &mut out, &source)?;
            t.expect_values(out, &image(&a)?)?;
            t.expect_values(source, &a)?;
        }
    }
    Ok(())
}
