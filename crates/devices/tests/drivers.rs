//! The drivers against buses that misbehave: wrong devices, silence, errors.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use common::Case;
use cyclotron_devices::registers::{bfv_crypt as regs, bfv_mini};
use cyclotron_devices::{BfvCrypt, BfvMini, Bus, BusError, BusResult, Done, Limit};
use cyclotron_schemes::bfv_pow2::{CryptDevice, DeviceError};
use std::collections::HashMap;

/// Registers that a test sets, and what was written: no device behind.
#[derive(Debug, Clone, Default)]
struct Mock {
    registers: HashMap<u32, u32>,
    /// What a write to a register leaves in other ones.
    effects: Vec<(u32, u32, u32)>,
    written: Vec<(u32, u32)>,
    blocks: usize,
    broken: bool,
}

impl Mock {
    /// The words of a `bfv_crypt` of degree 16.
    fn crypt() -> Self {
        let registers = [
            (regs::ID, regs::ID_VALUE),
            (regs::VERSION, regs::VERSION_VALUE),
            (regs::SENTINEL, regs::SENTINEL_VALUE),
            (regs::CONFIG0, 4 | 32 << 8 | 8 << 16 | 32 << 24),
            (regs::CONFIG1, 16 | regs::CONFIG1_PAPER.mask() | regs::CONFIG1_OVERLAP.mask()),
            (regs::CAPS, regs::CAPS_RANDOMNESS.mask() | 19 << 8 | 2 << 16),
        ];
        Self { registers: registers.into(), ..Self::default() }
    }

    fn with(mut self, register: u32, value: u32) -> Self {
        self.registers.insert(register, value);
        self
    }
}

impl Bus for Mock {
    fn read32(&mut self, address: u32) -> BusResult<u32> {
        if self.broken {
            return Err(BusError::Hang { operation: "read32", address });
        }
        Ok(self.registers.get(&address).copied().unwrap_or(0))
    }
    fn write32(&mut self, address: u32, value: u32) -> BusResult<()> {
        self.written.push((address, value));
        for &(when, register, value) in &self.effects {
            if when == address {
                self.registers.insert(register, value);
            }
        }
        Ok(())
    }
    fn read_block(&mut self, _: u32, words: &mut [u32]) -> BusResult<()> {
        words.fill(0);
        Ok(())
    }
    fn write_block(&mut self, address: u32, _: &[u32]) -> BusResult<()> {
        self.blocks += 1;
        if self.broken {
            return Err(BusError::Refused { operation: "write_block", address, response: 3 });
        }
        Ok(())
    }
    fn wait(&mut self, done: Done, limit: Limit) -> BusResult<u32> {
        let found = self.read32(done.address)?;
        if done.is_met(found) {
            return Ok(found);
        }
        let (Done { address, mask, .. }, waited) = (done, format!("{} cycles", limit.cycles));
        Err(BusError::Timeout { address, mask, found, waited })
    }
    fn name(&self) -> String {
        "mock".to_owned()
    }
}

#[test]
fn a_device_of_another_kind_or_size_is_refused_before_anything_is_written() {
    for (register, value, what, found, expected) in [
        (regs::ID, bfv_mini::ID_VALUE, "identification", "0x43594302", "0x43594301"),
        (regs::ID, 0xffff_ffff, "identification", "0xffffffff", "0x43594301"),
        (regs::SENTINEL, 0x0000_0101, "byte order", "0x00000101", "0x01010101"),
        (regs::VERSION, 0x0002_0000, "register map version", "0x00020000", "0x00010000"),
        (
            regs::CONFIG0,
            4 | 64 << 8 | 8 << 16 | 32 << 24,
            "log2 of the ciphertext modulus",
            "64",
            "32",
        ),
        (
            regs::CONFIG0,
            4 | 32 << 8 | 9 << 16 | 32 << 24,
            "log2 of the plaintext modulus",
            "9",
            "8",
        ),
        (regs::CONFIG0, 3 | 32 << 8 | 8 << 16 | 32 << 24, "log2 of the degree", "3", "4 to 12"),
        (regs::CONFIG0, 4 | 32 << 8 | 8 << 16 | 1 << 24, "number of polynomials", "1", "2 to 32"),
    ] {
        let mut mock = Mock::crypt().with(register, value);
        let error = BfvCrypt::open(&mut mock).unwrap_err();
        let (found, expected) = (found.to_owned(), expected.to_owned());
        assert_eq!(error, DeviceError::Mismatch { what, found, expected });
        assert!(mock.written.is_empty(), "{:?}", mock.written);
    }
    let error = BfvMini::open(Mock::crypt()).unwrap_err();
    assert!(matches!(error, DeviceError::Mismatch { what: "identification", .. }), "{error}");
    // A data window that is too small, or that has too few regions, or none at all.
    for caps in [9 << 8 | 2 << 16, 19 << 8 | 1 << 16, 0, 2 << 8 | 4 << 16, 255 << 8] {
        let mock = Mock::crypt().with(regs::CAPS, caps | regs::CAPS_RANDOMNESS.mask());
        let error = BfvCrypt::open(mock).unwrap_err();
        assert!(matches!(error, DeviceError::Mismatch { what: "data window", .. }), "{error}");
    }
    // A minor version may be newer.
    BfvCrypt::open(Mock::crypt().with(regs::VERSION, 0x0001_0007)).unwrap();
    // Without its own sampler the device could not be used safely.
    let mock = Mock::crypt().with(regs::CAPS, 19 << 8 | 2 << 16);
    let error = BfvCrypt::open(mock).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
}

#[test]
fn a_device_at_work_is_left_alone() {
    let mut mock = Mock::crypt().with(regs::STATUS, regs::STATUS_BUSY.mask());
    let error = BfvCrypt::open(&mut mock).unwrap_err();
    assert_eq!(error, DeviceError::Busy { device: "mock".to_owned() });
    assert!(mock.written.is_empty());

    let mut device = BfvCrypt::open(Mock::crypt()).unwrap();
    device.bus_mut().registers.insert(regs::STATUS, regs::STATUS_BUSY.mask());
    device.bus_mut().written.clear();
    let case = Case::new(16, 1);
    let [mut c0, mut c1] = [(); 2].map(|()| vec![0; 16]);
    let messages = vec![0; 16];
    let error = device.encrypt(&case.run(&messages, 0), &mut c0, &mut c1).unwrap_err();
    assert_eq!(error, DeviceError::Busy { device: "mock".to_owned() });
    assert!(device.bus_mut().written.is_empty());
}

#[test]
fn a_device_that_never_answers_is_given_up() {
    let case = Case::new(16, 2);
    let messages = vec![0; 16];
    let [mut c0, mut c1] = [(); 2].map(|()| vec![0; 16]);
    // It takes a reset, and could be used again.
    let mut device = BfvCrypt::open(Mock::crypt()).unwrap();
    let error = device.encrypt(&case.run(&messages, 0), &mut c0, &mut c1).unwrap_err();
    assert!(
        matches!(&error, DeviceError::Timeout { operation: "encryption", remedy, .. }
            if remedy.contains("used again")),
        "{error}"
    );
    let reset = (regs::CONTROL, regs::CONTROL_RESET.mask());
    assert!(device.bus_mut().written.contains(&reset));
    // It stays busy even then: a start makes it so for ever.
    let effects = vec![(regs::IRQ_STATUS, regs::STATUS, 0), (regs::CONTROL, regs::STATUS, 1)];
    let mut device = BfvCrypt::open(Mock { effects, ..Mock::crypt() }).unwrap();
    device.bus_mut().effects = vec![(regs::RUN_COUNTER_HI, regs::STATUS, 1)];
    device.bus_mut().registers.insert(regs::STATUS, 0);
    let error = device.encrypt(&case.run(&messages, 0), &mut c0, &mut c1).unwrap_err();
    assert!(
        matches!(&error, DeviceError::Timeout { remedy, .. } if remedy.contains("load the design")),
        "{error}"
    );
}

#[test]
fn errors_of_the_bus_and_of_the_device_come_out_by_name() {
    let case = Case::new(16, 3);
    let messages = vec![0; 16];
    let [mut c0, mut c1] = [(); 2].map(|()| vec![0; 16]);
    for known in regs::ERRORS.iter().filter(|known| known.code != 0) {
        // The code appears when the seed is committed.
        let effects = vec![(regs::RUN_COUNTER_HI, regs::ERRCODE, known.code)];
        let mut device = BfvCrypt::open(Mock { effects, ..Mock::crypt() }).unwrap();
        let error = device.encrypt(&case.run(&messages, 7), &mut c0, &mut c1).unwrap_err();
        match known.name {
            "COUNTER_REUSED" => {
                assert_eq!(error, DeviceError::CounterReused { given: 7, next: 8 });
            }
            "COUNTER_EXHAUSTED" => {
                assert_eq!(error, DeviceError::CounterExhausted { given: 7 });
            }
            name => assert_eq!(
                error,
                DeviceError::Refused {
                    code: known.code,
                    name: name.to_owned(),
                    remedy: known.remedy.to_owned(),
                }
            ),
        }
    }
    // A code that no map knows.
    let effects = vec![(regs::RUN_COUNTER_HI, regs::ERRCODE, 15)];
    let mut device = BfvCrypt::open(Mock { effects, ..Mock::crypt() }).unwrap();
    let error = device.encrypt(&case.run(&messages, 7), &mut c0, &mut c1).unwrap_err();
    assert!(matches!(&error, DeviceError::Refused { code: 15, name, .. } if name == "unknown"));

    let mut device = BfvCrypt::open(Mock::crypt()).unwrap();
    device.bus_mut().broken = true;
    let error = device.encrypt(&case.run(&messages, 0), &mut c0, &mut c1).unwrap_err();
    assert!(matches!(&error, DeviceError::Bus(text) if text.contains("hangs")), "{error}");
    let error = BfvCrypt::open(Mock { broken: true, ..Mock::crypt() }).unwrap_err();
    assert!(matches!(error, DeviceError::Bus(_)), "{error}");
}

/// The seed is written with the first run only; secrets are wiped when the driver goes.
#[test]
fn dropping_the_driver_starts_a_wipe() {
    let mut mock = Mock::crypt();
    drop(BfvCrypt::open(&mut mock).unwrap());
    assert_eq!(mock.written.last(), Some(&(regs::CTRL, regs::CTRL_CLEAR.mask())));
}
