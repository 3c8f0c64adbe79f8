//! Transfers, copies, sampling, secrets and exhaustion.

use super::report::Failure;
use super::trial::{Host, Outcome, Trial};
use crate::engine::Operation;
use crate::error::EngineError;
use crate::shape::LimbSet;
use cyclotron_ring::sample::{Seed, uniform};

pub fn run(t: &mut Trial<'_>) -> Outcome {
    transfers(t)?;
    copies(t)?;
    sampling(t)?;
    secrets(t)?;
    exhaustion(t)
}

fn transfers(t: &mut Trial<'_>) -> Outcome {
    t.check("upload and download");
    let all = LimbSet::new(0..t.fixture.ring.limbs().len());
    let (first, one) = t.random(&all, 3)?;
    let (second, two) = t.random(&all, 3)?;
    t.expect(&two, &second)?;
    t.check("two buffers are two memories");
    t.expect(&one, &first)?;
    t.check("zero");
    let mut cleared = t.upload(&first)?;
    t.engine.zero(&t.queue, &mut cleared)?;
    t.expect(&cleared, &Host::zero(&first.shape))
}

fn copies(t: &mut Trial<'_>) -> Outcome {
    // All polynomials; a part of them to another place; limbs in another order, some missing.
    let all = LimbSet::new(0..t.fixture.ring.limbs().len());
    let some = LimbSet::new([5, 0, 12, 3]);
    for (limbs, batch, to, from, count) in
        [(&all, 4, 0, 0, 4), (&some, 3, 1, 2, 2), (&some, 2, 1, 3, 1), (&all, 1, 0, 1, 0)]
    {
        t.check(format!("copy of {count} polynomials from {from} to {to}"));
        let (a, source) = t.random(&all, 4)?;
        let (before, mut out) = t.random(limbs, batch)?;
        t.engine.copy(&t.queue, &mut out, to, &source, from, count)?;
        let expected = Host::build(&before.shape, |poly, index, _| {
            let copied = (to..to + count).contains(&poly);
            let row =
                if copied { a.limb(poly - to + from, index) } else { before.limb(poly, index) };
            Ok(row?.to_vec())
        })?;
        t.expect(&out, &expected)?;
        t.unchanged(&[(&source, &a)])?;
    }
    Ok(())
}

fn sampling(t: &mut Trial<'_>) -> Outcome {
    if !t.has("uniform sampling", &[Operation::SampleUniform]) {
        return Ok(());
    }
    let seed = Seed::new(std::array::from_fn(|i| (7 * i + 1) as u8));
    let limbs = LimbSet::new([12, 1, 3, 0, 13]);
    for (batch, stream) in [(1, 0), (3, 5), (2, u32::MAX - 1)] {
        t.check(format!("uniform sampling of streams from {stream}"));
        let shape = t.shape(&limbs, batch)?;
        let mut out = t.alloc(&shape)?;
        t.engine.sample_uniform(&t.queue, &mut out, &seed, stream)?;
        let expected = Host::build(&shape, |poly, index, q| {
            let mut row = vec![0; shape.degree()];
            uniform::fill(&seed, stream + poly as u32, index as u32, q, &mut row);
            Ok(row)
        })?;
        t.expect(&out, &expected)?;
    }
    Ok(())
}

/// As far as it can be seen from outside: memory that held a marked secret does not come back
/// with it.
fn secrets(t: &mut Trial<'_>) -> Outcome {
    t.check("a secret does not survive in recycled memory");
    // Random throughout: other data never have the same residues in the same places.
    let shape = t.shape(&t.fixture.chain, 2)?;
    let secret = Host::build(&shape, |_, _, q| {
        Ok((0..shape.degree()).map(|_| q.reduce(t.word() >> 1)).collect())
    })?;
    let mut buffer = t.upload(&secret)?;
    buffer.mark_secret();
    t.expect(&buffer, &secret)?;
    drop(buffer);
    let buffers: Vec<_> = (0..4).map(|_| t.alloc(&secret.shape)).collect::<Outcome<_>>()?;
    for buffer in &buffers {
        let words = t.download(buffer)?;
        let same = words.iter().zip(&secret.words).filter(|(x, y)| x == y && **y != 0).count();
        if same > words.len() / 4 {
            let text = format!("{same} of {} residues of a dropped secret are back", words.len());
            return Err(Failure::new(text));
        }
    }
    Ok(())
}

fn exhaustion(t: &mut Trial<'_>) -> Outcome {
    let exhausted = |error: &EngineError| matches!(error, EngineError::OutOfMemory { .. });
    t.check("a shape larger than any memory");
    let endless = t.shape(&t.fixture.chain, usize::MAX / 64)?;
    t.rejected(t.engine.alloc(&endless), exhausted)?;
    match t.engine.capabilities().memory_limit {
        Some(limit) => {
            t.check("a shape beyond the engine's limit");
            let row = 8 * t.fixture.degree() as u64;
            let Ok(batch) = usize::try_from(limit / row + 1) else { return Ok(()) };
            let shape = t.shape(&t.fixture.chain.prefix(1), batch)?;
            t.rejected(t.engine.alloc(&shape), exhausted)
        }
        None => {
            t.skip("memory limit", "the engine has none");
            Ok(())
        }
    }
}
