//! Engines: who carries out the polynomial arithmetic.
//!
//! Schemes are written once over the [`Engine`] trait: batched operations on RNS polynomials in
//! memory that the engine owns. The CPU engine is [`cpu::CpuEngine`]; a GPU or a simulated
//! accelerator implements the same trait and passes the same [`conformance`] suite, bit for bit.
//! The contract for engine authors is `docs/engine-contract.md`.
//!
//! * [`shape`]: rings, limb sets, shapes; [`buffer`]: memory, queues, events;
//! * [`engine`]: the trait and its capabilities; [`plan`]: plans made of several ring plans;
//! * [`poly`]: typed domains; [`stream`]: an engine with a queue, for typed polynomials;
//! * [`cpu`]: the CPU engine; [`meter`]: counting what a computation costs;
//! * [`conformance`]: the suite every engine passes; [`self_test`]: its short form, run on opening.

pub mod buffer;
pub mod conformance;
pub mod cpu;
pub mod engine;
pub mod error;
pub mod meter;
pub mod plan;
pub mod poly;
pub mod self_test;
pub mod shape;
pub mod stream;
pub mod validate;

pub use buffer::{Buffer, EngineId, Event, Queue, Storage};
pub use cpu::CpuEngine;
pub use engine::{BinaryOp, Capabilities, Domain, Engine, Operation};
pub use error::{EngineError, Result};
pub use meter::Meter;
pub use plan::{DecomposePlan, KeySwitchPlan};
pub use poly::{Coefficient, DomainMarker, Evaluation, Poly};
pub use shape::{Limb, LimbSet, Ring, Shape};
pub use stream::Stream;
