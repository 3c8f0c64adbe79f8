//! The conformance suite finds broken engines: for each operation, engines that are wrong in one
//! residue, skip the work, or forget a check are caught; and an engine with fewer capabilities is
//! tested for what it has.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what it demands")]

use cyclotron_engine::conformance::{Failure, Options, Report, run_with};
use cyclotron_engine::validate::Validator;
use cyclotron_engine::*;
use cyclotron_ring::rns::{ConvertPlan, DivideRoundPlan, ScaleRoundPlan};
use cyclotron_ring::sample::Seed;
use std::any::Any;
use std::sync::Arc;

/// What an operation does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The first residue of the output is changed.
    First,
    /// The last residue of the output is changed.
    Last,
    /// Nothing is done, and success reported.
    Nothing,
    /// Refused requests are reported as done.
    Accepts,
}

/// The CPU engine with a fault in one operation.
#[derive(Debug)]
struct Broken {
    inner: Arc<CpuEngine>,
    operation: &'static str,
    fault: Fault,
    capabilities: Capabilities,
    check: Validator,
}

/// Storage that does not note that it is secret.
struct Forgetful(Box<dyn Storage>);

impl Storage for Forgetful {
    fn as_any(&self) -> &dyn Any {
        self.0.as_any()
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self.0.as_any_mut()
    }

    fn mark_secret(&mut self) {}
}

impl Broken {
    fn new(operation: &'static str, fault: Fault) -> Self {
        let inner = CpuEngine::builder().threads(1).open().unwrap();
        let capabilities = inner.capabilities().clone();
        let check = Validator::new(inner.id(), "broken");
        Self { inner, operation, fault, capabilities, check }
    }

    /// Runs an operation that writes `out`, with the fault if it is the one.
    fn write(
        &self,
        operation: &'static str,
        queue: &Queue,
        out: &mut Buffer,
        work: impl FnOnce(&CpuEngine, &mut Buffer) -> Result<()>,
    ) -> Result<()> {
        if operation != self.operation {
            return work(&self.inner, out);
        }
        if self.fault == Fault::Nothing {
            return Ok(());
        }
        let result = work(&self.inner, out);
        if self.fault == Fault::Accepts {
            return Ok(());
        }
        result?;
        let mut words = vec![0; out.shape().words()];
        self.inner.download(queue, out, &mut words)?;
        let moduli: Vec<_> = out.shape().moduli().collect();
        let (place, q) = match self.fault {
            Fault::First => (0, moduli[0]),
            _ => (words.len() - 1, moduli[moduli.len() - 1]),
        };
        words[place] = q.add(words[place], 1);
        self.inner.upload(queue, out, &words)
    }
}

impl Engine for Broken {
    fn id(&self) -> EngineId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn queue(&self) -> Queue {
        self.inner.queue()
    }

    fn wait(&self, queue: &Queue) -> Result<()> {
        self.inner.wait(queue)
    }

    fn record(&self, queue: &Queue) -> Result<Event> {
        self.inner.record(queue)
    }

    fn join(&self, queue: &Queue, event: Event) -> Result<()> {
        self.inner.join(queue, event)
    }

    fn prepare(&self, ring: &Arc<Ring>) -> Result<()> {
        self.check.ring(&self.capabilities, ring)?;
        self.inner.prepare(ring)
    }

    fn alloc(&self, shape: &Shape) -> Result<Buffer> {
        if (self.operation, self.fault) == ("alloc", Fault::Accepts) {
            let small = shape.with_batch(shape.batch.min(16));
            return self.inner.alloc(&small);
        }
        self.check.alloc(&self.capabilities, shape)?;
        let mut buffer = self.inner.alloc(shape)?;
        if self.operation != "mark_secret" {
            // What an operation does not write is reduced, so that debug builds go on.
            self.inner.zero(&self.inner.queue(), &mut buffer)?;
            return Ok(buffer);
        }
        let (engine, shape, storage) = buffer.into_parts();
        Ok(Buffer::new(engine, shape, Box::new(Forgetful(storage))))
    }

    fn upload(&self, queue: &Queue, out: &mut Buffer, host: &[u64]) -> Result<()> {
        self.write("upload", queue, out, |e, out| e.upload(queue, out, host))
    }

    fn download(&self, queue: &Queue, a: &Buffer, host: &mut [u64]) -> Result<()> {
        if self.operation != "download" {
            return self.inner.download(queue, a, host);
        }
        match self.fault {
            Fault::Nothing => return Ok(()),
            Fault::Accepts => return self.inner.download(queue, a, host).or(Ok(())),
            _ => self.inner.download(queue, a, host)?,
        }
        let place = if self.fault == Fault::First { 0 } else { host.len() - 1 };
        host[place] ^= 1;
        Ok(())
    }

    fn copy(
        &self,
        queue: &Queue,
        out: &mut Buffer,
        to: usize,
        a: &Buffer,
        from: usize,
        count: usize,
    ) -> Result<()> {
        self.write("copy", queue, out, |e, out| e.copy(queue, out, to, a, from, count))
    }

    fn zero(&self, queue: &Queue, out: &mut Buffer) -> Result<()> {
        self.write("zero", queue, out, |e, out| e.zero(queue, out))
    }

    fn sample_uniform(&self, queue: &Queue, out: &mut Buffer, seed: &Seed, s: u32) -> Result<()> {
        self.write("sample_uniform", queue, out, |e, out| e.sample_uniform(queue, out, seed, s))
    }

    fn forward(&self, queue: &Queue, a: &mut Buffer) -> Result<()> {
        self.write("forward", queue, a, |e, a| e.forward(queue, a))
    }

    fn inverse(&self, queue: &Queue, a: &mut Buffer) -> Result<()> {
        self.write("inverse", queue, a, |e, a| e.inverse(queue, a))
    }

    fn ring_mul(&self, queue: &Queue, out: &mut Buffer, a: &Buffer, b: &Buffer) -> Result<()> {
        self.write("ring_mul", queue, out, |e, out| e.ring_mul(queue, out, a, b))
    }

    fn binary(
        &self,
        queue: &Queue,
        op: BinaryOp,
        out: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
    ) -> Result<()> {
        let name = match op {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
        };
        self.write(name, queue, out, |e, out| e.binary(queue, op, out, a, b))
    }

    fn binary_assign(
        &self,
        queue: &Queue,
        op: BinaryOp,
        acc: &mut Buffer,
        b: &Buffer,
    ) -> Result<()> {
        let name = match op {
            BinaryOp::Add => "add_assign",
            BinaryOp::Sub => "sub_assign",
            BinaryOp::Mul => "mul_assign",
        };
        self.write(name, queue, acc, |e, acc| e.binary_assign(queue, op, acc, b))
    }

    fn mul_add(&self, queue: &Queue, acc: &mut Buffer, a: &Buffer, b: &Buffer) -> Result<()> {
        self.write("mul_add", queue, acc, |e, acc| e.mul_add(queue, acc, a, b))
    }

    fn neg_assign(&self, queue: &Queue, a: &mut Buffer) -> Result<()> {
        self.write("neg_assign", queue, a, |e, a| e.neg_assign(queue, a))
    }

    fn scale_assign(&self, queue: &Queue, a: &mut Buffer, factors: &[u64]) -> Result<()> {
        self.write("scale_assign", queue, a, |e, a| e.scale_assign(queue, a, factors))
    }

    fn inner_product(
        &self,
        queue: &Queue,
        out: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
        columns: usize,
    ) -> Result<()> {
        self.write("inner_product", queue, out, |e, out| e.inner_product(queue, out, a, b, columns))
    }

    fn automorphism(
        &self,
        queue: &Queue,
        domain: Domain,
        element: u64,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()> {
        let name = match domain {
            Domain::Coefficient => "automorphism of coefficients",
            Domain::Evaluation => "automorphism of values",
        };
        self.write(name, queue, out, |e, out| e.automorphism(queue, domain, element, out, a))
    }

    fn convert(
        &self,
        queue: &Queue,
        plan: &Arc<ConvertPlan>,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()> {
        self.write("convert", queue, out, |e, out| e.convert(queue, plan, out, a))
    }

    fn scale_round(
        &self,
        queue: &Queue,
        plan: &Arc<ScaleRoundPlan>,
        out: &mut Buffer,
        den: &Buffer,
        ext: Option<&Buffer>,
    ) -> Result<()> {
        self.write("scale_round", queue, out, |e, out| e.scale_round(queue, plan, out, den, ext))
    }

    fn divide_correction(
        &self,
        queue: &Queue,
        plan: &Arc<DivideRoundPlan>,
        out: &mut Buffer,
        dropped: &Buffer,
    ) -> Result<()> {
        self.write("divide_correction", queue, out, |e, out| {
            e.divide_correction(queue, plan, out, dropped)
        })
    }

    fn decompose(
        &self,
        queue: &Queue,
        plan: &Arc<DecomposePlan>,
        out: &mut Buffer,
        a: &Buffer,
    ) -> Result<()> {
        self.write("decompose", queue, out, |e, out| e.decompose(queue, plan, out, a))
    }

    fn decompose_forward(
        &self,
        queue: &Queue,
        plan: &Arc<DecomposePlan>,
        out: &mut Buffer,
        a: &Buffer,
        values: Option<&Buffer>,
    ) -> Result<()> {
        self.write("decompose_forward", queue, out, |e, out| {
            e.decompose_forward(queue, plan, out, a, values)
        })
    }

    fn tensor(
        &self,
        queue: &Queue,
        linear: &mut Buffer,
        quadratic: &mut Buffer,
        a: &Buffer,
        b: &Buffer,
    ) -> Result<()> {
        if self.operation == "tensor, quadratic part" {
            return self.write("tensor, quadratic part", queue, quadratic, |e, quadratic| {
                e.tensor(queue, linear, quadratic, a, b)
            });
        }
        self.write("tensor", queue, linear, |e, linear| e.tensor(queue, linear, quadratic, a, b))
    }

    fn divide_round(
        &self,
        queue: &Queue,
        domain: Domain,
        plan: &Arc<DivideRoundPlan>,
        out: &mut Buffer,
        keep: &Buffer,
        drop: &mut Buffer,
    ) -> Result<()> {
        let name = match domain {
            Domain::Coefficient => "divide_round of coefficients",
            Domain::Evaluation => "divide_round of values",
        };
        self.write(name, queue, out, |e, out| e.divide_round(queue, domain, plan, out, keep, drop))
    }

    fn gadget_product(
        &self,
        queue: &Queue,
        plan: &KeySwitchPlan,
        out: &mut Buffer,
        digits: &Buffer,
        key: &Buffer,
    ) -> Result<()> {
        self.write("gadget_product", queue, out, |e, out| {
            e.gadget_product(queue, plan, out, digits, key)
        })
    }
}

const OPERATIONS: [&str; 29] = [
    "upload",
    "download",
    "copy",
    "zero",
    "sample_uniform",
    "forward",
    "inverse",
    "ring_mul",
    "add",
    "sub",
    "mul",
    "add_assign",
    "sub_assign",
    "mul_assign",
    "mul_add",
    "neg_assign",
    "scale_assign",
    "inner_product",
    "automorphism of coefficients",
    "automorphism of values",
    "convert",
    "scale_round",
    "divide_correction",
    "decompose",
    "decompose_forward",
    "tensor",
    "tensor, quadratic part",
    "divide_round of coefficients",
    "gadget_product",
];

fn suite(engine: &dyn Engine) -> std::result::Result<Report, Failure> {
    run_with(engine, &Options { degrees: vec![8, 32], each_width: false, seed: 1 })
}

#[test]
fn an_engine_without_a_fault_passes_through_the_wrapper() {
    suite(&Broken::new("none", Fault::First)).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn every_wrong_residue_and_every_missing_result_is_found() {
    for operation in OPERATIONS.into_iter().chain(["divide_round of values"]) {
        for fault in [Fault::First, Fault::Last, Fault::Nothing] {
            let failure = suite(&Broken::new(operation, fault));
            assert!(failure.is_err(), "{operation}: {fault:?} was not found");
        }
    }
}

#[test]
fn every_missing_check_is_found() {
    // `zero` has no wrong request that another operation's checks do not show first.
    let checked = OPERATIONS.into_iter().filter(|&operation| operation != "zero");
    for operation in checked.chain(["alloc", "divide_round of values"]) {
        let failure = suite(&Broken::new(operation, Fault::Accepts));
        let failure = failure.expect_err(operation);
        assert!(failure.to_string().contains("accepted"), "{operation}: {failure}");
    }
}

#[test]
fn a_secret_that_comes_back_is_found() {
    let failure = suite(&Broken::new("mark_secret", Fault::Nothing)).unwrap_err();
    assert!(failure.check.contains("secret"), "{failure}");
}

#[test]
fn an_engine_that_opens_with_wrong_results_is_refused() {
    let error = self_test::run(&Broken::new("forward", Fault::Last)).unwrap_err();
    assert!(matches!(error, EngineError::SelfTest { .. }), "{error}");
    assert!(error.to_string().contains("transforms"), "{error}");
}

#[test]
fn an_engine_with_fewer_capabilities_is_tested_for_what_it_has() {
    let mut narrow = Broken::new("none", Fault::First);
    narrow.capabilities.modulus_bits = 31;
    narrow.capabilities.degrees = (16, 64);
    narrow.capabilities.operations =
        vec![Operation::Transform, Operation::Arithmetic, Operation::Automorphism];
    let report = suite(&narrow).unwrap_or_else(|failure| panic!("{failure}"));
    let skipped: Vec<_> = report.skipped().keys().map(String::as_str).collect();
    for what in ["degree 8", "conversions", "digits", "key switching", "uniform sampling"] {
        assert!(skipped.contains(&what), "{what} in {skipped:?}");
    }
    assert!(!skipped.contains(&"rings beyond the capabilities"), "they exist and are refused");
    assert!(!skipped.contains(&"transforms") && report.comparisons() > 50, "{report}");

    // And it must refuse what it says that it has not.
    narrow.operation = "alloc";
    narrow.fault = Fault::Accepts;
    let failure = suite(&narrow).unwrap_err();
    assert!(failure.detail.contains("accepted"), "{failure}");
}
