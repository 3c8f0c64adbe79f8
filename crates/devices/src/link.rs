//! What the drivers share: the words that every device starts with, its control word, its errors.

use crate::bus::{Bus, BusError, Done, Limit};
use crate::registers::{ErrorCode, common as regs};
use cyclotron_schemes::bfv_pow2::{Cost, DeviceError, DeviceResult};
use std::time::Duration;

/// What tells one device from another.
pub(crate) struct Identity {
    pub id: u32,
    pub version: u32,
    pub errors: &'static [ErrorCode],
}

/// A device whose common words are those of `rtl/lib/common.rdl`.
pub(crate) struct Link<B> {
    pub bus: B,
    pub name: String,
    errors: &'static [ErrorCode],
    /// How long a run may take, instead of what its driver allows.
    pub limit: Option<Limit>,
}

/// Cycles of one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent {
    /// By the device's own counter, from start to done.
    compute: u64,
    /// On the bus while it waited.
    waited: Option<u64>,
}

/// Sizes of the device, as its registers say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub log_n: u32,
    pub log_q: u32,
    pub log_t: u32,
    pub max_polys: usize,
    /// Bytes of one region of the data window.
    pub region_bytes: u32,
}

impl<B: Bus> Link<B> {
    /// Checks that the device is the one that is meant, before anything is written.
    pub fn open(mut bus: B, identity: &Identity) -> DeviceResult<Self> {
        let name = bus.name();
        let mut read = |address| bus.read32(address).map_err(bus_error);
        let hex = |word: u32| format!("{word:#010x}");
        for (what, address, expected) in [
            ("identification", regs::ID, identity.id),
            ("byte order", regs::SENTINEL, regs::SENTINEL_VALUE),
        ] {
            let found = read(address)?;
            if found != expected {
                return Err(mismatch(what, hex(found), hex(expected)));
            }
        }
        let version = read(regs::VERSION)?;
        let major = regs::VERSION_MAJOR;
        if major.get(version) != major.get(identity.version) {
            return Err(mismatch("register map version", hex(version), hex(identity.version)));
        }
        Ok(Self { bus, name, errors: identity.errors, limit: None })
    }

    /// Reads the sizes, and checks that a region of the data window has room for all words.
    pub fn sizes(&mut self, regions: u32) -> DeviceResult<Sizes> {
        let config = self.read(regs::CONFIG0)?;
        let abilities = self.read(regs::CAPS)?;
        let log_n = regs::CONFIG0_LOG_N.get(config);
        let max_polys = regs::CONFIG0_MAX_POLYS.get(config) as usize;
        let address_bits = regs::CAPS_DATA_ADDRESS_BITS.get(abilities);
        let region_bits = regs::CAPS_REGION_BITS.get(abilities);
        let needed = max_polys.checked_shl(log_n + 2).filter(|_| log_n < 16).unwrap_or(usize::MAX);
        let room = match address_bits.checked_sub(region_bits) {
            Some(bits) if address_bits < 32 => 1u32 << bits,
            _ => 0,
        };
        if 1 << region_bits < regions || (room as usize) < needed {
            let found = format!("{room} bytes, {} regions", 1 << region_bits);
            let expected = format!("{needed} bytes or more, {regions} regions");
            return Err(mismatch("data window", found, expected));
        }
        Ok(Sizes {
            log_n,
            log_q: regs::CONFIG0_LOG_Q.get(config),
            log_t: regs::CONFIG0_LOG_T.get(config),
            max_polys,
            region_bytes: room,
        })
    }

    pub fn write(&mut self, address: u32, value: u32) -> DeviceResult<()> {
        self.bus.write32(address, value).map_err(|fault| self.explain(fault))
    }

    pub fn read(&mut self, address: u32) -> DeviceResult<u32> {
        self.bus.read32(address).map_err(|fault| self.explain(fault))
    }

    pub fn write_block(&mut self, address: u32, words: &[u32]) -> DeviceResult<()> {
        self.bus.write_block(address, words).map_err(|fault| self.explain(fault))
    }

    pub fn read_block(&mut self, address: u32, words: &mut [u32]) -> DeviceResult<()> {
        self.bus.read_block(address, words).map_err(|fault| self.explain(fault))
    }

    /// Puts a refusal on the bus into the device's own words.
    fn explain(&mut self, fault: BusError) -> DeviceError {
        if matches!(fault, BusError::Refused { .. })
            && let Ok(Some(refusal)) = self.take_error()
        {
            return refusal;
        }
        bus_error(fault)
    }

    /// The device's first error, which is cleared.
    pub fn take_error(&mut self) -> DeviceResult<Option<DeviceError>> {
        let code = self.bus.read32(regs::ERRCODE).map_err(bus_error)?;
        if code == 0 {
            return Ok(None);
        }
        let error = regs::STATUS_ERROR.mask();
        self.bus.write32(regs::STATUS, error).map_err(bus_error)?;
        self.bus.write32(regs::IRQ_STATUS, regs::IRQ_STATUS_ERROR.mask()).map_err(bus_error)?;
        let known = self.errors.iter().find(|known| known.code == code);
        Ok(Some(DeviceError::Refused {
            code,
            name: known.map_or("unknown", |known| known.name).to_owned(),
            remedy: known.map_or("see the register map of the device", |k| k.remedy).to_owned(),
        }))
    }

    fn busy(&self) -> DeviceError {
        DeviceError::Busy { device: self.name.clone() }
    }

    /// Demands that nothing runs. An old error is cleared: it is not this run's.
    pub fn demand_idle(&mut self) -> DeviceResult<()> {
        let status = self.read(regs::STATUS)?;
        if regs::STATUS_BUSY.is_set(status) {
            return Err(self.busy());
        }
        if regs::STATUS_ERROR.is_set(status) {
            self.take_error()?;
        }
        Ok(())
    }

    /// Waits until nothing runs: a wipe of `words` words ends by itself, somebody else's run need
    /// not.
    pub fn wait_idle(&mut self, words: u64) -> DeviceResult<()> {
        let limit = limit_of(4 * words + 10_000);
        match self.bus.wait(Done::all_clear(regs::STATUS, regs::STATUS_BUSY.mask()), limit) {
            Ok(_) => Ok(()),
            Err(BusError::Timeout { .. }) => Err(self.busy()),
            Err(fault) => Err(bus_error(fault)),
        }
    }

    /// Gives up what runs, and clears flags and error. Memories and keys stay.
    pub fn reset(&mut self) -> DeviceResult<()> {
        let done_error = regs::STATUS_DONE.mask() | regs::STATUS_ERROR.mask();
        let causes = regs::IRQ_STATUS_DONE.mask() | regs::IRQ_STATUS_ERROR.mask();
        self.write(regs::CONTROL, regs::CONTROL_RESET.mask())?;
        self.write(regs::STATUS, done_error)?;
        self.write(regs::IRQ_STATUS, causes)
    }

    /// Ready for work: idle, reset, interrupts on.
    pub fn take_over(&mut self, wipe_words: u64) -> DeviceResult<()> {
        self.wait_idle(wipe_words)?;
        self.reset()?;
        let causes = regs::IRQ_ENABLE_DONE.mask() | regs::IRQ_ENABLE_ERROR.mask();
        self.write(regs::IRQ_ENABLE, causes)
    }

    /// Starts a run with this control word and waits for its end, by the run's `expected` cycles.
    pub fn run(
        &mut self,
        operation: &'static str,
        control: u32,
        expected: u64,
    ) -> DeviceResult<Spent> {
        self.write(regs::CONTROL, control | regs::CONTROL_START.mask())?;
        let begin = self.bus.cycles();
        let waited = self.wait_done(operation, expected);
        let end = self.bus.cycles();
        let status = waited?;
        if regs::STATUS_ERROR.is_set(status) {
            let refusal = self.take_error()?;
            return Err(refusal.unwrap_or_else(|| {
                let text = format!("STATUS {status:#x} shows an error that ERRCODE does not name");
                DeviceError::Bus(text)
            }));
        }
        let low = self.read(regs::CYCLES_LO)?;
        let high = self.read(regs::CYCLES_HI)?;
        // The start bit falls, so that the next one rises.
        self.write(regs::CONTROL, control)?;
        self.write(regs::STATUS, regs::STATUS_DONE.mask())?;
        self.write(regs::IRQ_STATUS, regs::IRQ_STATUS_DONE.mask())?;
        Ok(Spent {
            compute: u64::from(high) << 32 | u64::from(low),
            waited: begin.zip(end).map(|(begin, end)| end - begin),
        })
    }

    fn wait_done(&mut self, operation: &'static str, expected: u64) -> DeviceResult<u32> {
        // A wait for randomness is part of a run; twice the time is plenty.
        let limit = self.limit.unwrap_or_else(|| limit_of(2 * expected + 10_000));
        let mask = regs::STATUS_DONE.mask() | regs::STATUS_ERROR.mask();
        match self.bus.wait(Done::any_set(regs::STATUS, mask), limit) {
            Ok(status) => Ok(status),
            Err(BusError::Timeout { waited, .. }) => {
                // What a reset cannot do, its errors could not tell better than this one.
                let _ = self.reset();
                let status = self.bus.read32(regs::STATUS);
                let idle = status.is_ok_and(|status| !regs::STATUS_BUSY.is_set(status));
                let remedy = if idle {
                    "the device has been reset and can be used again"
                } else {
                    "a reset did not help: load the design again"
                };
                Err(DeviceError::Timeout { operation, waited, remedy: remedy.to_owned() })
            }
            Err(fault) => Err(bus_error(fault)),
        }
    }

    /// What the work since `begin` has cost, `spent` of it in the run.
    pub fn cost(&self, begin: Option<u64>, spent: Spent) -> Cost {
        let total = begin.zip(self.bus.cycles()).map(|(begin, end)| end.saturating_sub(begin));
        let transfer = total.zip(spent.waited).map(|(total, wait)| total.saturating_sub(wait));
        Cost { compute_cycles: Some(spent.compute), transfer_cycles: transfer }
    }

    /// Starts the wipe of keys, randomness and memories.
    pub fn clear(&mut self) -> DeviceResult<()> {
        self.write(regs::CTRL, regs::CTRL_CLEAR.mask())
    }
}

/// A limit of so many cycles, and of a clock of 10 MHz or more.
fn limit_of(cycles: u64) -> Limit {
    let time = Duration::from_secs(1) + Duration::from_nanos(cycles.saturating_mul(100));
    Limit { cycles, time }
}

pub(crate) fn bus_error(fault: BusError) -> DeviceError {
    DeviceError::Bus(fault.to_string())
}

pub(crate) fn mismatch(what: &'static str, found: String, expected: String) -> DeviceError {
    DeviceError::Mismatch { what, found, expected }
}

/// In time that does not depend on where they differ.
pub(crate) fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}
