//! A running model, behind the C functions of `csrc/sim.h`.

use super::SimModel;
use crate::bus::{Bus, BusError, BusResult, Done, Limit};
use std::ffi::{CStr, CString, c_char, c_void};
use std::fs::File;
use std::path::Path;
use std::ptr::NonNull;
use std::{fmt, mem};

/// `SimOps` of `csrc/sim.h`, field for field.
#[repr(C)]
pub(super) struct SimOps {
    create: unsafe extern "C" fn(u64) -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    read32: unsafe extern "C" fn(*mut c_void, u32, *mut u32) -> i32,
    write32: unsafe extern "C" fn(*mut c_void, u32, u32) -> i32,
    read_block: unsafe extern "C" fn(*mut c_void, u32, *mut u32, usize) -> i32,
    write_block: unsafe extern "C" fn(*mut c_void, u32, *const u32, usize) -> i32,
    wait: unsafe extern "C" fn(*mut c_void, u32, u32, i32, u64, *mut u32) -> i32,
    step: unsafe extern "C" fn(*mut c_void, u64) -> i32,
    cycles: unsafe extern "C" fn(*const c_void) -> u64,
    set_idle: unsafe extern "C" fn(*mut c_void, u32, u64),
    fault: unsafe extern "C" fn(*const c_void) -> *const c_char,
    trace: unsafe extern "C" fn(*mut c_void, *const c_char) -> i32,
}

const SIM_HANG: i32 = -1;
const SIM_FAULT: i32 = -2;
const SIM_UNSUPPORTED: i32 = -3;
const SIM_TIMEOUT: i32 = -4;

/// What the registers of a model hold before its reset, unless [`SimBus::open_seeded`] says else.
const DEFAULT_SEED: u64 = 1;

/// A simulated device that is switched on and reset.
///
/// Cycles are those of the device's clock. The bus works as fast as the device lets it, one beat a
/// cycle in bursts; [`SimBus::set_idle`] makes it a slower one.
pub struct SimBus {
    model: SimModel,
    ops: &'static SimOps,
    handle: NonNull<c_void>,
}

// SAFETY: a model owns all it points to, and Verilator's runtime keeps no state in a thread; the
// functions of `SimOps` are called through `&mut self` or read only.
unsafe impl Send for SimBus {}

impl SimBus {
    /// Switches a model on and resets it.
    ///
    /// # Errors
    /// [`BusError::Unavailable`] when there is no memory for it.
    pub fn open(model: SimModel) -> BusResult<Self> {
        Self::open_seeded(model, DEFAULT_SEED)
    }

    /// As [`SimBus::open`], with other contents of the registers before reset: no result may
    /// depend on them.
    ///
    /// # Errors
    /// As [`SimBus::open`].
    pub fn open_seeded(model: SimModel, seed: u64) -> BusResult<Self> {
        // SAFETY: the build script has linked this function, which returns a constant.
        let ops = unsafe { (model.ops)() };
        // SAFETY: that constant lives as long as the program; its layout is the one of sim.h.
        let ops: &'static SimOps = unsafe { &*ops };
        // SAFETY: no precondition.
        let handle = unsafe { (ops.create)(seed) };
        let handle = NonNull::new(handle).ok_or_else(|| BusError::Unavailable {
            what: format!("{model} does not start"),
            remedy: "free some memory, or choose a smaller configuration".to_owned(),
        })?;
        Ok(Self { model, ops, handle })
    }

    /// Switches on the model of this name, as [`SimModel::find`] knows it.
    ///
    /// # Errors
    /// [`BusError::Unavailable`] for an unknown name, with those that there are.
    pub fn open_named(name: &str) -> BusResult<Self> {
        Self::open(SimModel::find(name)?)
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> SimModel {
        self.model
    }

    /// Lets the device run.
    ///
    /// # Errors
    /// [`BusError::Fault`] when an assertion of the RTL fails.
    pub fn step(&mut self, cycles: u64) -> BusResult<()> {
        // SAFETY: the handle is that of a living model.
        let code = unsafe { (self.ops.step)(self.handle.as_ptr(), cycles) };
        self.check(code, "step", 0)
    }

    /// Makes the bus hold back each of its own valid and ready signals with this probability (at
    /// most 999 in 1000), from a generator of its own. 0 is the fastest bus.
    pub fn set_idle(&mut self, per_mille: u32, seed: u64) {
        // SAFETY: the handle is that of a living model.
        unsafe { (self.ops.set_idle)(self.handle.as_ptr(), per_mille, seed) }
    }

    /// Records all signals from now on into an FST file.
    ///
    /// # Errors
    /// [`BusError::Unavailable`] in a build without the feature `fst`; [`BusError::System`] when
    /// the file cannot be written.
    pub fn record(&mut self, path: &Path) -> BusResult<()> {
        let system = |fault: &str| BusError::System {
            what: format!("waveform {}", path.display()),
            fault: fault.to_owned(),
        };
        let text = path.to_str().and_then(|text| CString::new(text).ok());
        let text = text.ok_or_else(|| system("the name is not text"))?;
        if cfg!(feature = "fst") {
            // The writer does not tell when it cannot open its file.
            File::create(path).map_err(|fault| system(&fault.to_string()))?;
        }
        // SAFETY: a living model, and a string that ends with a zero.
        match unsafe { (self.ops.trace)(self.handle.as_ptr(), text.as_ptr()) } {
            SIM_UNSUPPORTED => Err(BusError::Unavailable {
                what: "no waveforms: built without the feature `fst`".to_owned(),
                remedy: "build with `--features fst` (needs the headers of zlib and lz4)"
                    .to_owned(),
            }),
            SIM_HANG => Err(system("it cannot be written")),
            code => self.check(code, "record", 0),
        }
    }

    fn check(&self, code: i32, operation: &'static str, address: u32) -> BusResult<()> {
        match code {
            0 => Ok(()),
            SIM_HANG => Err(BusError::Hang { operation, address }),
            SIM_FAULT => {
                // SAFETY: a living model; it returns a string that lives as long as it.
                let fault = unsafe { CStr::from_ptr((self.ops.fault)(self.handle.as_ptr())) };
                Err(BusError::Fault { fault: fault.to_string_lossy().into_owned() })
            }
            response => {
                Err(BusError::Refused { operation, address, response: response.unsigned_abs() })
            }
        }
    }
}

/// Demands whole words of a 32-bit address space.
fn check_address(operation: &'static str, address: u32, words: usize) -> BusResult<()> {
    let limit = 1u64 << 32;
    let end = (words as u64).checked_mul(4).and_then(|bytes| bytes.checked_add(address.into()));
    if address.is_multiple_of(4) && end.is_some_and(|end| end <= limit) {
        Ok(())
    } else {
        Err(BusError::Address { operation, address, found: words, limit })
    }
}

impl Bus for SimBus {
    fn read32(&mut self, address: u32) -> BusResult<u32> {
        check_address("read32", address, 1)?;
        let mut value = 0;
        // SAFETY: a living model, and a place for one word.
        let code = unsafe { (self.ops.read32)(self.handle.as_ptr(), address, &raw mut value) };
        self.check(code, "read32", address)?;
        Ok(value)
    }

    fn write32(&mut self, address: u32, value: u32) -> BusResult<()> {
        check_address("write32", address, 1)?;
        // SAFETY: a living model.
        let code = unsafe { (self.ops.write32)(self.handle.as_ptr(), address, value) };
        self.check(code, "write32", address)
    }

    fn read_block(&mut self, address: u32, words: &mut [u32]) -> BusResult<()> {
        check_address("read_block", address, words.len())?;
        if words.is_empty() {
            return Ok(());
        }
        let (pointer, count) = (words.as_mut_ptr(), words.len());
        // SAFETY: a living model, and a place for `count` words.
        let code = unsafe { (self.ops.read_block)(self.handle.as_ptr(), address, pointer, count) };
        self.check(code, "read_block", address)
    }

    fn write_block(&mut self, address: u32, words: &[u32]) -> BusResult<()> {
        check_address("write_block", address, words.len())?;
        if words.is_empty() {
            return Ok(());
        }
        let (pointer, count) = (words.as_ptr(), words.len());
        // SAFETY: a living model, and `count` words to read.
        let code = unsafe { (self.ops.write_block)(self.handle.as_ptr(), address, pointer, count) };
        self.check(code, "write_block", address)
    }

    fn wait(&mut self, done: Done, limit: Limit) -> BusResult<u32> {
        check_address("wait", done.address, 1)?;
        let Done { address, mask, set } = done;
        let mut value = 0;
        // SAFETY: a living model, and a place for one word.
        let code = unsafe {
            let handle = self.handle.as_ptr();
            (self.ops.wait)(handle, address, mask, i32::from(set), limit.cycles, &raw mut value)
        };
        if code == SIM_TIMEOUT {
            let waited = format!("{} cycles", limit.cycles);
            return Err(BusError::Timeout { address, mask, found: value, waited });
        }
        self.check(code, "wait", address)?;
        Ok(value)
    }

    fn cycles(&self) -> Option<u64> {
        // SAFETY: a living model; the call only reads.
        Some(unsafe { (self.ops.cycles)(self.handle.as_ptr()) })
    }

    fn simulated(&self) -> bool {
        true
    }

    fn name(&self) -> String {
        format!("{} (Verilator)", self.model)
    }
}

impl Drop for SimBus {
    fn drop(&mut self) {
        // SAFETY: the model is living, and nobody has it after this.
        unsafe { (self.ops.destroy)(self.handle.as_ptr()) }
    }
}

impl fmt::Debug for SimBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimBus")
            .field("model", &self.model)
            .field("cycles", &self.cycles())
            .finish_non_exhaustive()
    }
}

// `SimOps` has one pointer for each function of sim.h.
const _: () = assert!(mem::size_of::<SimOps>() == 12 * mem::size_of::<usize>());
