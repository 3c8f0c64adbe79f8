//! One subject on one ring: data, transfers, comparisons and refusals.

use super::fixture::Fixture;
use super::report::{Failure, Report};
use crate::buffer::{Buffer, Queue};
use crate::engine::{Engine, Operation};
use crate::error::EngineError;
use crate::shape::{LimbSet, Shape};
use cyclotron_ring::Modulus;

pub type Outcome<T = ()> = Result<T, Failure>;

/// Host data of a shape, `[batch][limb][coefficient]`.
#[derive(Debug, Clone)]
pub struct Host {
    pub shape: Shape,
    pub words: Vec<u64>,
}

impl Host {
    /// All zero.
    pub fn zero(shape: &Shape) -> Self {
        Self { shape: shape.clone(), words: vec![0; shape.words()] }
    }

    fn start(&self, poly: usize, limb: usize) -> usize {
        (poly * self.shape.limbs.len() + limb) * self.shape.degree()
    }

    /// Limb `limb` (by position) of polynomial `poly`.
    pub fn row(&self, poly: usize, limb: usize) -> &[u64] {
        let start = self.start(poly, limb);
        &self.words[start..start + self.shape.degree()]
    }

    /// The row of the ring's limb `index`; a batch of 1 serves every polynomial.
    pub fn limb(&self, poly: usize, index: usize) -> Outcome<&[u64]> {
        let missing = || Failure::new(format!("the suite's own data lack limb {index}"));
        let place = self.shape.limbs.position(index).ok_or_else(missing)?;
        Ok(self.row(if self.shape.batch == 1 { 0 } else { poly }, place))
    }

    /// Every limb of a polynomial.
    pub fn rows(&self, poly: usize) -> Vec<&[u64]> {
        (0..self.shape.limbs.len()).map(|limb| self.row(poly, limb)).collect()
    }

    /// Every limb of a polynomial, mutable.
    pub fn rows_mut(&mut self, poly: usize) -> Vec<&mut [u64]> {
        let size = self.shape.limbs.len() * self.shape.degree();
        let n = self.shape.degree();
        self.words[poly * size..(poly + 1) * size].chunks_exact_mut(n).collect()
    }

    /// A host value of the shape, row by row: `row(poly, ring limb, modulus)`.
    pub fn build(
        shape: &Shape,
        mut row: impl FnMut(usize, usize, Modulus) -> Outcome<Vec<u64>>,
    ) -> Outcome<Self> {
        let mut words = Vec::with_capacity(shape.words());
        for poly in 0..shape.batch {
            for (index, modulus) in shape.limbs.iter().zip(shape.moduli()) {
                words.extend(row(poly, index, modulus)?);
            }
        }
        Ok(Self { shape: shape.clone(), words })
    }
}

/// The state of a subject.
pub struct Trial<'e> {
    pub engine: &'e dyn Engine,
    pub queue: Queue,
    pub fixture: &'e Fixture,
    report: &'e mut Report,
    state: u64,
    step: String,
}

impl<'e> Trial<'e> {
    pub fn new(
        engine: &'e dyn Engine,
        fixture: &'e Fixture,
        report: &'e mut Report,
        seed: u64,
    ) -> Self {
        let queue = engine.queue();
        let state = seed ^ (fixture.degree() as u64) << 32;
        Self { engine, queue, fixture, report, state, step: "start".to_owned() }
    }

    /// Names what is checked from here on.
    pub fn check(&mut self, step: impl Into<String>) {
        self.step = step.into();
    }

    /// What is being checked.
    pub fn step(&self) -> String {
        self.step.clone()
    }

    /// Whether the engine has the operations; if not, the report says that `subject` is skipped.
    pub fn has(&mut self, subject: &str, operations: &[Operation]) -> bool {
        let own = &self.engine.capabilities().operations;
        let missing: Vec<_> = operations.iter().filter(|op| !own.contains(op)).collect();
        if !missing.is_empty() {
            self.report.skip(subject, format!("the engine has no {missing:?}"));
        }
        missing.is_empty()
    }

    /// Notes a check that cannot be made.
    pub fn skip(&mut self, what: &str, reason: &str) {
        self.report.skip(what, reason.to_owned());
    }

    /// The next pseudo-random word (SplitMix64).
    pub fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A shape of the fixture's ring.
    pub fn shape(&self, limbs: &LimbSet, batch: usize) -> Outcome<Shape> {
        Ok(Shape::new(&self.fixture.ring, limbs, batch)?)
    }

    /// Reduced data: random, with 0 and `q - 1` strewn in; the second polynomial of a batch is
    /// `q - 1` throughout, the largest value everywhere.
    pub fn data(&mut self, shape: &Shape) -> Host {
        let mut words = Vec::with_capacity(shape.words());
        for poly in 0..shape.batch {
            for modulus in shape.moduli() {
                for i in 0..shape.degree() {
                    words.push(match (poly, i % 7) {
                        (1, _) | (_, 2) => modulus.value() - 1,
                        (_, 5) => 0,
                        _ => modulus.reduce(self.word()),
                    });
                }
            }
        }
        Host { shape: shape.clone(), words }
    }

    pub fn alloc(&self, shape: &Shape) -> Outcome<Buffer> {
        Ok(self.engine.alloc(shape)?)
    }

    pub fn upload(&self, host: &Host) -> Outcome<Buffer> {
        let mut buffer = self.alloc(&host.shape)?;
        self.engine.upload(&self.queue, &mut buffer, &host.words)?;
        Ok(buffer)
    }

    pub fn download(&self, buffer: &Buffer) -> Outcome<Vec<u64>> {
        // Not zero, so that an engine that writes nothing is seen.
        let mut host = vec![u64::MAX; buffer.shape().words()];
        self.engine.download(&self.queue, buffer, &mut host)?;
        Ok(host)
    }

    /// Fresh data and their upload.
    pub fn random(&mut self, limbs: &LimbSet, batch: usize) -> Outcome<(Host, Buffer)> {
        let shape = self.shape(limbs, batch)?;
        let host = self.data(&shape);
        let buffer = self.upload(&host)?;
        Ok((host, buffer))
    }

    /// Fresh data and their transform.
    pub fn random_values(&mut self, limbs: &LimbSet, batch: usize) -> Outcome<(Host, Buffer)> {
        let (host, mut buffer) = self.random(limbs, batch)?;
        self.engine.forward(&self.queue, &mut buffer)?;
        Ok((host, buffer))
    }

    /// The coefficients in a buffer equal the reference.
    pub fn expect(&mut self, found: &Buffer, expected: &Host) -> Outcome {
        let words = self.download(found)?;
        let shape = &expected.shape;
        if found.shape() != shape {
            return Err(Failure::new(format!("shape {} where {shape} is needed", found.shape())));
        }
        if let Some(i) = (0..words.len()).find(|&i| words[i] != expected.words[i]) {
            let (row, place) = (i / shape.degree(), i % shape.degree());
            let (poly, limb) = (row / shape.limbs.len(), row % shape.limbs.len());
            return Err(Failure::new(format!(
                "polynomial {poly}, limb {limb}, coefficient {place}: {} where {} is right",
                words[i], expected.words[i]
            )));
        }
        self.report.compared(&words);
        Ok(())
    }

    /// The values in a buffer are those of the reference's coefficients; the buffer is used up.
    pub fn expect_values(&mut self, mut found: Buffer, expected: &Host) -> Outcome {
        self.engine.inverse(&self.queue, &mut found)?;
        self.expect(&found, expected)
    }

    /// Operands are as they were; values are compared through their inverse transform.
    pub fn unchanged(&mut self, operands: &[(&Buffer, &Host)]) -> Outcome {
        for (buffer, host) in operands {
            self.expect(buffer, host)?;
        }
        Ok(())
    }

    /// A request was refused with the right error, and `out` still holds `before`.
    pub fn refused(
        &mut self,
        what: &str,
        result: Result<(), EngineError>,
        right: impl Fn(&EngineError) -> bool,
        out: &Buffer,
        before: &Host,
    ) -> Outcome {
        self.check(format!("{what} must be refused"));
        self.rejected(result, right)?;
        let words = self.download(out)?;
        if words != before.words {
            return Err(Failure::new("the refused call has changed its output".to_owned()));
        }
        Ok(())
    }

    /// A request was refused with the right error.
    pub fn rejected<T>(
        &mut self,
        result: Result<T, EngineError>,
        right: impl Fn(&EngineError) -> bool,
    ) -> Outcome {
        match result {
            Ok(_) => Err(Failure::new("the engine accepted it".to_owned())),
            Err(error) if right(&error) => {
                self.report.refused();
                Ok(())
            }
            Err(error) => Err(Failure::new(format!("the wrong error: {error}"))),
        }
    }
}
