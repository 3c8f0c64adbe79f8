//! Engine-owned memory: untyped buffers, queues and events.

use crate::shape::Shape;
use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Identity of an open engine within this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EngineId(u64);

impl EngineId {
    /// A fresh identity; each engine takes one when it opens.
    #[must_use]
    pub fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// What an engine keeps behind a buffer. Dropping it must be safe while work is in flight.
pub trait Storage: Any + Send + Sync {
    /// For the owning engine to find its own type again.
    fn as_any(&self) -> &dyn Any;
    /// For the owning engine to find its own type again.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// From now on the contents are secret: they are zeroized before the memory is used again.
    fn mark_secret(&mut self);
}

/// Memory of one engine with a shape. The host sees the contents only through `upload` and
/// `download`; the type knows no domain (see [`crate::Poly`]).
pub struct Buffer {
    engine: EngineId,
    shape: Shape,
    storage: Box<dyn Storage>,
}

impl Buffer {
    /// A buffer of `engine`; called by engines only.
    #[must_use]
    pub fn new(engine: EngineId, shape: Shape, storage: Box<dyn Storage>) -> Self {
        Self { engine, shape, storage }
    }

    /// The engine that owns the memory.
    #[must_use]
    pub fn engine(&self) -> EngineId {
        self.engine
    }

    /// The shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The engine's own storage.
    #[must_use]
    pub fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// The engine's own storage, mutable.
    pub fn storage_mut(&mut self) -> &mut dyn Storage {
        &mut *self.storage
    }

    /// From now on the contents are secret: zeroized before the memory is used again.
    pub fn mark_secret(&mut self) {
        self.storage.mark_secret();
    }

    /// Owner, shape and storage; for engines that wrap another engine's buffers.
    #[must_use]
    pub fn into_parts(self) -> (EngineId, Shape, Box<dyn Storage>) {
        (self.engine, self.shape, self.storage)
    }
}

impl fmt::Debug for Buffer {
    /// Shape and owner, never contents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} on engine {})", self.shape, self.engine)
    }
}

/// An in-order stream of work on one engine. Work of two queues is unordered unless joined by an
/// [`Event`].
#[derive(Debug)]
pub struct Queue {
    engine: EngineId,
    id: u64,
}

impl Queue {
    /// A queue of `engine`; called by engines only.
    #[must_use]
    pub fn new(engine: EngineId, id: u64) -> Self {
        Self { engine, id }
    }

    /// The engine the queue belongs to.
    #[must_use]
    pub fn engine(&self) -> EngineId {
        self.engine
    }

    /// Number of the queue within its engine.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }
}

/// A point in a queue that another queue can wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The engine.
    pub engine: EngineId,
    /// The queue.
    pub queue: u64,
    /// How much of the queue's work the event covers, in the engine's own count.
    pub position: u64,
}
