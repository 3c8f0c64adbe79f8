//! Order within a queue, and between queues that are joined.

use super::trial::{Host, Outcome, Trial};
use crate::engine::BinaryOp;

pub fn run(t: &mut Trial<'_>) -> Outcome {
    let engine = t.engine;
    let other = engine.queue();

    t.check("work of one queue is in order");
    let (a, mut buffer) = t.random(&t.fixture.chain, 2)?;
    let (b, operand) = t.random(&t.fixture.chain, 1)?;
    for _ in 0..3 {
        engine.binary_assign(&t.queue, BinaryOp::Add, &mut buffer, &operand)?;
    }
    engine.neg_assign(&t.queue, &mut buffer)?;
    let expected = Host::build(&a.shape, |poly, index, q| {
        let (a, b) = (a.limb(poly, index)?, b.limb(poly, index)?);
        Ok(a.iter().zip(b).map(|(&x, &y)| q.neg(q.add(q.add(q.add(x, y), y), y))).collect())
    })?;

    t.check("a queue that waits for an event sees the work before it");
    let event = engine.record(&t.queue)?;
    engine.join(&other, event)?;
    let mut copy = t.alloc(&a.shape)?;
    engine.copy(&other, &mut copy, 0, &buffer, 0, 2)?;
    engine.wait(&other)?;
    let back = engine.record(&other)?;
    engine.join(&t.queue, back)?;
    t.expect(&copy, &expected)?;
    t.expect(&buffer, &expected)?;

    t.check("waiting twice, and for nothing");
    engine.wait(&t.queue)?;
    engine.wait(&t.queue)?;
    engine.wait(&engine.queue())?;

    t.check("a buffer and a queue may be dropped with work in flight");
    {
        let short = engine.queue();
        engine.neg_assign(&short, &mut copy)?;
        drop(copy);
    }
    engine.wait(&t.queue)?;
    Ok(())
}
