//! Polynomials whose type tells their domain: mixing domains does not compile.

use crate::buffer::Buffer;
use crate::engine::Domain;
use crate::shape::Shape;
use std::marker::PhantomData;

/// Marker: coefficients of `x^0 ... x^(n-1)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coefficient;

/// Marker: values at the roots of unity, in the engine's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evaluation;

/// One of the two domain markers.
pub trait DomainMarker: sealed::Sealed + Send + Sync + 'static {
    /// The domain at run time.
    const DOMAIN: Domain;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Coefficient {}
    impl Sealed for super::Evaluation {}
}

impl DomainMarker for Coefficient {
    const DOMAIN: Domain = Domain::Coefficient;
}

impl DomainMarker for Evaluation {
    const DOMAIN: Domain = Domain::Evaluation;
}

/// A batch of RNS polynomials in domain `D`, in an engine's memory.
#[derive(Debug)]
pub struct Poly<D: DomainMarker> {
    buffer: Buffer,
    domain: PhantomData<D>,
}

impl<D: DomainMarker> Poly<D> {
    /// Declares that a buffer's contents are in domain `D`; for code that has just put them
    /// there through the untyped [`crate::Engine`] calls.
    #[must_use]
    pub fn from_buffer(buffer: Buffer) -> Self {
        Self { buffer, domain: PhantomData }
    }

    /// The untyped buffer.
    #[must_use]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The untyped buffer, mutable; its contents must stay in domain `D`.
    pub fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Gives the untyped buffer up.
    #[must_use]
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }

    /// The shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        self.buffer.shape()
    }

    /// From now on the contents are secret: zeroized before the memory is used again.
    pub fn mark_secret(&mut self) {
        self.buffer.mark_secret();
    }
}
