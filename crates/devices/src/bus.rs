//! The way to a device: five calls, the same for a simulation and for a board.

use std::time::Duration;
use thiserror::Error;

/// Result of a bus call.
pub type BusResult<T> = std::result::Result<T, BusError>;

/// What [`Bus::wait`] waits for: a state of some bits of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// Byte address of the register.
    pub address: u32,
    /// The bits.
    pub mask: u32,
    /// `true`: until any of them is 1. `false`: until all of them are 0.
    pub set: bool,
}

impl Done {
    /// Until one of these bits is 1.
    #[must_use]
    pub const fn any_set(address: u32, mask: u32) -> Self {
        Self { address, mask, set: true }
    }

    /// Until all of these bits are 0.
    #[must_use]
    pub const fn all_clear(address: u32, mask: u32) -> Self {
        Self { address, mask, set: false }
    }

    /// Whether the register's contents `word` end the wait.
    #[must_use]
    pub const fn is_met(self, word: u32) -> bool {
        (word & self.mask != 0) == self.set
    }
}

/// How long [`Bus::wait`] waits. A bus that counts the device's cycles goes by them, so that a
/// simulation behaves the same on a slow machine; any other goes by the clock on the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Clock cycles of the device.
    pub cycles: u64,
    /// Time.
    pub time: Duration,
}

/// Register and data access to one device.
///
/// Addresses are byte addresses, multiples of 4. Registers and data window are separate address
/// spaces: `read32` and `write32` go to the registers, the block calls to the data window (bursts
/// on a bus that has them).
pub trait Bus: Send {
    /// Reads a register.
    ///
    /// # Errors
    /// [`BusError`] when the device refuses or does not answer.
    fn read32(&mut self, address: u32) -> BusResult<u32>;

    /// Writes a register.
    ///
    /// # Errors
    /// [`BusError`] when the device refuses or does not answer.
    fn write32(&mut self, address: u32, value: u32) -> BusResult<()>;

    /// Reads consecutive words of the data window.
    ///
    /// # Errors
    /// [`BusError`] when the device refuses or does not answer; `words` hold nothing of use then.
    fn read_block(&mut self, address: u32, words: &mut [u32]) -> BusResult<()>;

    /// Writes consecutive words of the data window.
    ///
    /// # Errors
    /// [`BusError`] when the device refuses or does not answer; some words may have been written.
    fn write_block(&mut self, address: u32, words: &[u32]) -> BusResult<()>;

    /// Waits until `done` is met, and returns the contents of its register.
    ///
    /// # Errors
    /// [`BusError::Timeout`] at the limit; others as `read32`.
    fn wait(&mut self, done: Done, limit: Limit) -> BusResult<u32>;

    /// Clock cycles of the device since it was switched on, where they are counted.
    fn cycles(&self) -> Option<u64> {
        None
    }

    /// Whether the device is simulated.
    fn simulated(&self) -> bool {
        false
    }

    /// What this is, for people.
    fn name(&self) -> String;
}

impl<B: Bus + ?Sized> Bus for Box<B> {
    fn read32(&mut self, address: u32) -> BusResult<u32> {
        (**self).read32(address)
    }
    fn write32(&mut self, address: u32, value: u32) -> BusResult<()> {
        (**self).write32(address, value)
    }
    fn read_block(&mut self, address: u32, words: &mut [u32]) -> BusResult<()> {
        (**self).read_block(address, words)
    }
    fn write_block(&mut self, address: u32, words: &[u32]) -> BusResult<()> {
        (**self).write_block(address, words)
    }
    fn wait(&mut self, done: Done, limit: Limit) -> BusResult<u32> {
        (**self).wait(done, limit)
    }
    fn cycles(&self) -> Option<u64> {
        (**self).cycles()
    }
    fn simulated(&self) -> bool {
        (**self).simulated()
    }
    fn name(&self) -> String {
        (**self).name()
    }
}

impl<B: Bus + ?Sized> Bus for &mut B {
    fn read32(&mut self, address: u32) -> BusResult<u32> {
        (**self).read32(address)
    }
    fn write32(&mut self, address: u32, value: u32) -> BusResult<()> {
        (**self).write32(address, value)
    }
    fn read_block(&mut self, address: u32, words: &mut [u32]) -> BusResult<()> {
        (**self).read_block(address, words)
    }
    fn write_block(&mut self, address: u32, words: &[u32]) -> BusResult<()> {
        (**self).write_block(address, words)
    }
    fn wait(&mut self, done: Done, limit: Limit) -> BusResult<u32> {
        (**self).wait(done, limit)
    }
    fn cycles(&self) -> Option<u64> {
        (**self).cycles()
    }
    fn simulated(&self) -> bool {
        (**self).simulated()
    }
    fn name(&self) -> String {
        (**self).name()
    }
}

/// Why a bus call failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BusError {
    /// The device answered with an error: nothing there, wrong direction, or busy.
    #[error("{operation} at {address:#x}: the device answered {response} instead of OKAY (0)")]
    Refused {
        /// Which call.
        operation: &'static str,
        /// First address of the call.
        address: u32,
        /// The AXI response: 2 is SLVERR, 3 is DECERR.
        response: u32,
    },
    /// No answer at all.
    #[error("{operation} at {address:#x}: the bus hangs; reset the device")]
    Hang {
        /// Which call.
        operation: &'static str,
        /// First address of the call.
        address: u32,
    },
    /// The state that was waited for did not come.
    #[error("register {address:#x} reads {found:#x} after {waited}: bits {mask:#x} did not change")]
    Timeout {
        /// The register.
        address: u32,
        /// The bits.
        mask: u32,
        /// What the register read at last.
        found: u32,
        /// How long, with its unit.
        waited: String,
    },
    /// An address that the bus cannot reach.
    #[error(
        "{operation}: {found} words at {address:#x} where a multiple of 4 below {limit:#x} is needed"
    )]
    Address {
        /// Which call.
        operation: &'static str,
        /// First address of the call.
        address: u32,
        /// Words of the call.
        found: usize,
        /// Bytes of the address space.
        limit: u64,
    },
    /// The simulated RTL broke one of its own assertions.
    #[error("the simulated device stopped: {fault}; open it anew, and report the fault")]
    Fault {
        /// What the RTL said.
        fault: String,
    },
    /// What this build or machine has not.
    #[error("{what}; {remedy}")]
    Unavailable {
        /// What is missing.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// The operating system refused.
    #[error("{what}: {fault}")]
    System {
        /// What was tried.
        what: String,
        /// What the system said.
        fault: String,
    },
}
