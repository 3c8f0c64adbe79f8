//! The simulated device against the processor, bit for bit, and what it says to bad input.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]
#![cfg(feature = "sim")]

mod common;

use common::{Case, LOG_T, device, random_words};
use cyclotron_devices::bfv_crypt::paper::{InsecurePaperMode, PaperRun};
use cyclotron_devices::registers::bfv_crypt as regs;
use cyclotron_devices::{Bus, BusError, BusResult, Done, Limit, SimBus, SimModel};
use cyclotron_ring::pow2::Pow2Ring;
use cyclotron_ring::sample::lfsr::LfsrGaussian;
use cyclotron_ring::sample::{SecretRng, SecretSeed, SmallPoly};
use cyclotron_schemes::bfv_pow2::{CpuCrypt, CryptDevice, DeviceError, EncryptRun};
use std::time::Duration;

const TOY: &str = "bfv-crypt:toy16";
const FULL: &str = "bfv-crypt:paper_1024";

/// Encrypts `batch` messages on both, compares, decrypts on both, compares.
fn round_trip(
    device: &mut impl CryptDevice,
    cpu: &mut CpuCrypt,
    case: &Case,
    batch: usize,
    counter: u64,
) {
    let n = device.describe().degree;
    let messages = random_words(&format!("m{counter}"), batch * n, LOG_T);
    let run = case.run(&messages, counter);
    let [mut c0, mut c1, mut cpu_c0, mut cpu_c1] = [(); 4].map(|()| vec![0; batch * n]);
    let cost = device.encrypt(&run, &mut c0, &mut c1).unwrap();
    cpu.encrypt(&run, &mut cpu_c0, &mut cpu_c1).unwrap();
    assert_eq!(c0, cpu_c0, "c0, batch {batch}, run {counter}");
    assert_eq!(c1, cpu_c1, "c1, batch {batch}, run {counter}");
    assert!(cost.compute_cycles.unwrap() >= (2 * batch * n) as u64);
    assert!(cost.transfer_cycles.unwrap() >= (3 * batch * n) as u64);
    let mut found = vec![0; batch * n];
    device.decrypt(&case.secret, &c0, &c1, &mut found).unwrap();
    assert_eq!(found, messages, "decryption, batch {batch}, run {counter}");
}

/// Decrypts words that are no ciphertexts at all: every rounding, carry and wrap.
fn decrypt_noise(
    device: &mut impl CryptDevice,
    cpu: &mut CpuCrypt,
    case: &Case,
    batch: usize,
    tag: u64,
) {
    let n = device.describe().degree;
    let c0 = random_words(&format!("c0 {tag}"), batch * n, 32);
    let c1 = random_words(&format!("c1 {tag}"), batch * n, 32);
    let [mut found, mut expected] = [(); 2].map(|()| vec![0; batch * n]);
    device.decrypt(&case.secret, &c0, &c1, &mut found).unwrap();
    cpu.decrypt(&case.secret, &c0, &c1, &mut expected).unwrap();
    assert_eq!(found, expected, "batch {batch}, {tag}");
}

#[test]
fn a_thousand_small_encryptions_and_decryptions_match_the_processor() {
    let mut device = device(TOY);
    let case = Case::new(16, 1);
    let mut cpu = CpuCrypt::new(16, 32, LOG_T).unwrap();
    let (mut encrypted, mut decrypted, mut counter) = (0, 0, 0);
    while encrypted < 1000 || decrypted < 2000 {
        let batch = 1 + counter as usize % 16;
        // Neighbouring counters are primed by the device itself; gaps make it begin anew.
        round_trip(
            &mut device,
            &mut cpu,
            &case,
            batch,
            counter * (1 + counter % 3) + counter * counter,
        );
        decrypt_noise(&mut device, &mut cpu, &case, 1 + (7 * counter as usize) % 32, counter);
        encrypted += batch;
        decrypted += batch + 1 + (7 * counter as usize) % 32;
        counter += 1;
    }
}

#[test]
fn the_paper_s_degree_matches_the_processor() {
    let mut device = device(FULL);
    let case = Case::new(1024, 2);
    let mut cpu = CpuCrypt::new(1024, 32, LOG_T).unwrap();
    for (counter, batch) in [16, 16, 1, 15, 16].into_iter().enumerate() {
        round_trip(&mut device, &mut cpu, &case, batch, counter as u64);
    }
    for batch in [32, 32, 1] {
        decrypt_noise(&mut device, &mut cpu, &case, batch, batch as u64);
    }
}

/// Runs of encryption only: the device primes each next one by itself and keeps the key.
#[test]
fn consecutive_runs_need_no_new_key_or_seed() {
    let mut device = device(TOY);
    let case = Case::new(16, 3);
    let mut cpu = CpuCrypt::new(16, 32, LOG_T).unwrap();
    let mut transfers = Vec::new();
    for counter in 0..40 {
        let batch = 1 + counter as usize % 16;
        let messages = random_words(&format!("{counter}"), batch * 16, LOG_T);
        let run = case.run(&messages, counter);
        let [mut c0, mut c1, mut cpu_c0, mut cpu_c1] = [(); 4].map(|()| vec![0; batch * 16]);
        let cost = device.encrypt(&run, &mut c0, &mut c1).unwrap();
        cpu.encrypt(&run, &mut cpu_c0, &mut cpu_c1).unwrap();
        assert_eq!((c0, c1), (cpu_c0, cpu_c1), "run {counter}");
        if batch == 1 {
            transfers.push(cost.transfer_cycles.unwrap());
        }
    }
    assert!(transfers[1] < transfers[0], "key and seed are written again: {transfers:?}");
}

#[test]
fn the_extremes_of_every_operand_match() {
    let mut device = device(TOY);
    let mut cpu = CpuCrypt::new(16, 32, LOG_T).unwrap();
    let mut case = Case::new(16, 4);
    let mut counter = 0;
    let values = [0, 1, u64::from(u32::MAX), 1 << 31, (1 << 31) - 1, (1 << 23) - 1, 1 << 23];
    for (i, &value) in values.iter().enumerate() {
        for small in [0, 1, -1] {
            case.p0 = vec![value; 16];
            case.p1 = vec![values[(i + 1) % values.len()]; 16];
            case.secret = SmallPoly::from_coefficients(vec![small; 16]);
            let messages = vec![(value & 255).max(i as u64 * 40 % 256); 16];
            let run = case.run(&messages, counter);
            counter += 1;
            let [mut c0, mut c1, mut cpu_c0, mut cpu_c1] = [(); 4].map(|()| vec![0; 16]);
            device.encrypt(&run, &mut c0, &mut c1).unwrap();
            cpu.encrypt(&run, &mut cpu_c0, &mut cpu_c1).unwrap();
            assert_eq!((c0, c1), (cpu_c0, cpu_c1));
            let [mut found, mut expected] = [(); 2].map(|()| vec![0; 16]);
            device.decrypt(&case.secret, &case.p0, &case.p1, &mut found).unwrap();
            cpu.decrypt(&case.secret, &case.p0, &case.p1, &mut expected).unwrap();
            assert_eq!(found, expected, "value {value:#x}, small {small}");
        }
    }
}

/// A slow bus changes no result and no compute cycle.
#[test]
fn idle_cycles_on_the_bus_change_nothing() {
    let case = Case::new(16, 5);
    let messages = random_words("idle", 16 * 16, LOG_T);
    let mut results = Vec::new();
    for per_mille in [0, 200, 900] {
        let mut device = device(TOY);
        device.bus_mut().set_idle(per_mille, 7);
        let [mut c0, mut c1] = [(); 2].map(|()| vec![0; 16 * 16]);
        let cost = device.encrypt(&case.run(&messages, 0), &mut c0, &mut c1).unwrap();
        results.push((c0, c1, cost.compute_cycles));
    }
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
}

/// What registers held before reset does not matter.
#[test]
fn the_state_before_reset_does_not_matter() {
    let case = Case::new(16, 6);
    let messages = random_words("start", 16, LOG_T);
    let mut results = Vec::new();
    for seed in [1, 2, 0xffff] {
        let bus = SimBus::open_seeded(SimModel::find(TOY).unwrap(), seed).unwrap();
        let mut device = cyclotron_devices::BfvCrypt::open(bus).unwrap();
        let [mut c0, mut c1] = [(); 2].map(|()| vec![0; 16]);
        let cost = device.encrypt(&case.run(&messages, 0), &mut c0, &mut c1).unwrap();
        results.push((c0, c1, cost));
    }
    assert!(results.iter().all(|result| *result == results[0]));
}

/// Two secrets and two messages take the same cycles on the bus and in the core.
#[test]
fn cycles_do_not_depend_on_secrets() {
    let mut costs = Vec::new();
    for (seed, fill) in [(7, 0), (8, 255), (9, 1)] {
        let mut device = device(TOY);
        let mut case = Case::new(16, seed);
        if fill == 0 {
            case.secret = SmallPoly::from_coefficients(vec![0; 16]);
        }
        let messages = vec![fill; 5 * 16];
        let [mut c0, mut c1, mut found] = [(); 3].map(|()| vec![0; 5 * 16]);
        let encrypted = device.encrypt(&case.run(&messages, 0), &mut c0, &mut c1).unwrap();
        let decrypted = device.decrypt(&case.secret, &c0, &c1, &mut found).unwrap();
        costs.push((encrypted, decrypted));
    }
    assert_eq!(costs[0], costs[1]);
    assert_eq!(costs[0], costs[2]);
}

/// Runs `check`, which gets errors out of the device, and demands that the device still works, from
/// the run counter `next`.
fn survives(next: u64, check: impl FnOnce(&mut cyclotron_devices::BfvCrypt<SimBus>, &Case)) {
    let mut device = device(TOY);
    let case = Case::new(16, 10);
    let mut cpu = CpuCrypt::new(16, 32, LOG_T).unwrap();
    round_trip(&mut device, &mut cpu, &case, 2, 5);
    check(&mut device, &case);
    device.set_limit(None);
    round_trip(&mut device, &mut cpu, &case, 16, next);
    round_trip(&mut device, &mut cpu, &case, 1, next + 1);
}

#[test]
fn wrong_operands_are_refused_and_the_device_works_on() {
    survives(6, |device, case| {
        let good = vec![0; 16];
        let [mut c0, mut c1] = [(); 2].map(|()| vec![0; 17 * 16]);
        let mut encrypt = |messages: &[u64], words: usize, counter: u64, seed: &SecretSeed| {
            let run = EncryptRun { seed, ..case.run(messages, counter) };
            device.encrypt(&run, &mut c0[..words], &mut c1[..words]).unwrap_err()
        };
        let seed = &case.seed;
        let error = encrypt(&good[..15], 16, 6, seed);
        assert_eq!(error, DeviceError::WrongSize { what: "plaintexts", found: 15, expected: 16 });
        let error = encrypt(&good, 32, 6, seed);
        assert!(matches!(error, DeviceError::WrongSize { found: 32, expected: 16, .. }));
        let error = encrypt(&vec![0; 17 * 16], 17 * 16, 6, seed);
        assert_eq!(error, DeviceError::TooMany { what: "plaintexts", found: 17, max: 16 });
        let error = encrypt(&[256; 16], 16, 6, seed);
        assert!(matches!(error, DeviceError::OutOfRange { found: 256, max: 255, .. }));
        assert_eq!(encrypt(&good, 16, 6, &SecretSeed::new([0; 32])), DeviceError::SeedZero);
        let error = encrypt(&good, 16, u64::MAX, seed);
        assert_eq!(error, DeviceError::CounterExhausted { given: u64::MAX });

        let [c0, c1] = [(); 2].map(|()| vec![0; 33 * 16]);
        let mut out = vec![0; 33 * 16];
        let error = device.decrypt(&case.secret, &c0, &c1, &mut out).unwrap_err();
        assert_eq!(error, DeviceError::TooMany { what: "ciphertexts", found: 33, max: 32 });
        let wide = SmallPoly::from_coefficients(vec![2; 16]);
        let error = device.decrypt(&wide, &c0[..16], &c1[..16], &mut out[..16]).unwrap_err();
        assert_eq!(error, DeviceError::NotTernary);
        let error = device.decrypt(&case.secret, &c0[..16], &c1[..32], &mut out[..16]);
        assert!(matches!(error, Err(DeviceError::WrongSize { found: 32, expected: 16, .. })));
    });
}

#[test]
fn a_used_run_counter_is_refused_by_the_device() {
    survives(6, |device, case| {
        let messages = vec![0; 16];
        let [mut c0, mut c1] = [(); 2].map(|()| vec![0; 16]);
        for given in [5, 0] {
            let error = device.encrypt(&case.run(&messages, given), &mut c0, &mut c1).unwrap_err();
            assert!(
                matches!(error, DeviceError::CounterReused { given: found, .. } if found == given),
                "{error}"
            );
        }
        // Another seed may count from 0, and the first one goes on after it.
        let other = SecretSeed::new([9; 32]);
        let run = EncryptRun { seed: &other, ..case.run(&messages, 0) };
        device.encrypt(&run, &mut c0, &mut c1).unwrap();
        let error = device.encrypt(&run, &mut c0, &mut c1).unwrap_err();
        assert_eq!(error, DeviceError::CounterReused { given: 0, next: 1 });
    });
}

/// The last counter that may be used, and the device's refusal of what follows.
#[test]
fn the_last_run_counter_ends_a_seed() {
    let mut device = device(TOY);
    let case = Case::new(16, 11);
    let mut cpu = CpuCrypt::new(16, 32, LOG_T).unwrap();
    round_trip(&mut device, &mut cpu, &case, 1, u64::MAX - 1);
    // Past the driver: the register must refuse it too.
    let bus = device.bus_mut();
    bus.write32(regs::RUN_COUNTER_LO, u32::MAX).unwrap();
    bus.write32(regs::RUN_COUNTER_HI, u32::MAX).unwrap();
    assert_eq!(bus.read32(regs::ERRCODE).unwrap(), code("COUNTER_EXHAUSTED"));
    let disarmed = bus.read32(regs::STATUS).unwrap();
    assert!(!regs::STATUS_ARMED.is_set(disarmed), "{disarmed:#x}");
    // The driver reads the error away, and a new seed works.
    let case = Case::new(16, 12);
    round_trip(&mut device, &mut cpu, &case, 3, 0);
}

#[test]
fn a_run_that_does_not_end_in_time_is_given_up() {
    survives(7, |device, case| {
        device.set_limit(Some(Limit { cycles: 20, time: Duration::from_secs(1) }));
        let messages = vec![1; 16 * 16];
        let [mut c0, mut c1, mut found] = [(); 3].map(|()| vec![0; 16 * 16]);
        let error = device.encrypt(&case.run(&messages, 6), &mut c0, &mut c1).unwrap_err();
        assert!(
            matches!(&error, DeviceError::Timeout { operation: "encryption", remedy, .. }
                if remedy.contains("used again")),
            "{error}"
        );
        let error = device.decrypt(&case.secret, &c0, &c1, &mut found).unwrap_err();
        assert!(matches!(error, DeviceError::Timeout { operation: "decryption", .. }), "{error}");
        // The run had begun, so its counter is used up.
        device.set_limit(None);
        let error = device.encrypt(&case.run(&messages, 6), &mut c0, &mut c1).unwrap_err();
        assert!(matches!(error, DeviceError::CounterReused { given: 6, .. }), "{error}");
    });
}

fn code(name: &str) -> u32 {
    regs::ERRORS.iter().find(|known| known.name == name).unwrap().code
}

/// Every refusal of the register file, by its code, and nothing changes.
#[test]
fn the_registers_refuse_what_they_must() {
    let mut bus = SimBus::open_named(TOY).unwrap();
    let take = |bus: &mut SimBus| {
        let found = bus.read32(regs::ERRCODE).unwrap();
        bus.write32(regs::STATUS, regs::STATUS_ERROR.mask()).unwrap();
        assert_eq!(bus.read32(regs::ERRCODE).unwrap(), 0);
        found
    };
    let refused = |result: BusResult<()>| {
        assert!(matches!(result, Err(BusError::Refused { response: 2, .. })), "{result:?}");
    };
    let start = |polys: u32| regs::CONTROL_COUNT.put(polys) | regs::CONTROL_START.mask();

    // Secrets cannot be read; what is read only cannot be written; holes are holes.
    for address in [
        regs::SEED,
        regs::SEED + 28,
        regs::RUN_COUNTER_LO,
        regs::RUN_COUNTER_HI,
        regs::MULTIPLIER,
        regs::CTRL,
        0x3c,
        0x48,
    ] {
        refused(bus.read32(address).map(drop));
    }
    for address in [regs::ID, regs::VERSION, regs::CONFIG0, regs::ERRCODE, regs::SENTINEL, 0x34] {
        refused(bus.write32(address, 1));
    }
    assert_eq!(bus.read32(regs::ERRCODE).unwrap(), 0);

    // Starts without what they need.
    bus.write32(regs::CONTROL, start(2)).unwrap();
    assert_eq!(take(&mut bus), code("NO_SEED"));
    bus.write32(regs::CONTROL, 0).unwrap();
    bus.write32(regs::CONTROL, start(3)).unwrap();
    assert_eq!(take(&mut bus), code("COUNT_ODD"));
    bus.write32(regs::CONTROL, 0).unwrap();
    bus.write32(regs::MODE, regs::MODE_PAPER.mask()).unwrap();
    bus.write32(regs::CONTROL, start(2)).unwrap();
    assert_eq!(take(&mut bus), code("SEED_ZERO"));
    bus.write32(regs::CONTROL, 0).unwrap();
    bus.write32(regs::MODE, 0).unwrap();

    // A seed of seven words.
    for word in 0..7 {
        bus.write32(regs::SEED + 4 * word, 1).unwrap();
    }
    bus.write32(regs::RUN_COUNTER_HI, 0).unwrap();
    assert_eq!(take(&mut bus), code("NO_SEED"));
    assert!(!regs::STATUS_ARMED.is_set(bus.read32(regs::STATUS).unwrap()));
    bus.write32(regs::SEED + 28, 1).unwrap();
    bus.write32(regs::RUN_COUNTER_HI, 0).unwrap();
    assert_eq!(bus.read32(regs::ERRCODE).unwrap(), 0);
    assert!(regs::STATUS_ARMED.is_set(bus.read32(regs::STATUS).unwrap()));

    // Multiplier words.
    refused(bus.write32(regs::MULTIPLIER, 0x8000_0000));
    assert_eq!(take(&mut bus), code("BAD_CODE"));
    refused(bus.write32(regs::MULTIPLIER + 4, 0));
    assert_eq!(take(&mut bus), code("DATA_ADDRESS"));
    bus.write32(regs::MULTIPLIER, 0xffff_5555).unwrap();

    // The data window.
    let region = 1 << 17;
    let words = 32 * 16;
    let mut word = [0];
    refused(bus.read_block(0, &mut word));
    assert_eq!(take(&mut bus), code("DATA_ADDRESS"));
    refused(bus.write_block(2 * region, &word));
    assert_eq!(take(&mut bus), code("DATA_ADDRESS"));
    refused(bus.write_block(4 * words, &word));
    assert_eq!(take(&mut bus), code("DATA_ADDRESS"));
    bus.write_block(4 * words - 4, &word).unwrap();
    assert_eq!(bus.read32(regs::ERRCODE).unwrap(), 0);

    // While busy: only resets and flags.
    bus.write32(regs::CONTROL, start(32)).unwrap();
    assert!(regs::STATUS_BUSY.is_set(bus.read32(regs::STATUS).unwrap()));
    refused(bus.write32(regs::MODE, 1));
    assert_eq!(take(&mut bus), code("BUSY_REGISTER"));
    refused(bus.write32(regs::MULTIPLIER, 0));
    assert_eq!(take(&mut bus), code("BUSY_REGISTER"));
    refused(bus.write32(regs::CONTROL, start(2)));
    assert_eq!(take(&mut bus), code("BUSY_REGISTER"));
    refused(bus.write_block(0, &word));
    assert_eq!(take(&mut bus), code("BUSY_DATA"));
    refused(bus.read_block(2 * region, &mut word));
    assert_eq!(take(&mut bus), code("BUSY_DATA"));
    bus.write32(regs::IRQ_STATUS, 3).unwrap();
    assert!(regs::STATUS_BUSY.is_set(bus.read32(regs::STATUS).unwrap()), "took too long");
    // A reset changes no other bit of the control word.
    bus.write32(regs::CONTROL, regs::CONTROL_RESET.mask() | regs::CONTROL_COUNT.put(9)).unwrap();
    bus.step(8).unwrap();
    assert!(!regs::STATUS_BUSY.is_set(bus.read32(regs::STATUS).unwrap()));
    let control = bus.read32(regs::CONTROL).unwrap();
    assert_eq!(control & !regs::CONTROL_DONE.mask(), 0, "count 32 is 0, and start has fallen");
    assert_eq!(bus.read32(regs::MODE).unwrap(), 0);
}

/// The first error is kept, and an error raises the interrupt only where it is enabled.
#[test]
fn the_first_error_is_kept() {
    let mut bus = SimBus::open_named(TOY).unwrap();
    let _ = bus.write32(regs::MULTIPLIER, 2);
    let _ = bus.write32(regs::MULTIPLIER + 4, 0);
    assert_eq!(bus.read32(regs::ERRCODE).unwrap(), code("BAD_CODE"));
    assert_eq!(bus.read32(regs::IRQ_STATUS).unwrap(), regs::IRQ_STATUS_ERROR.mask());
    // Writing 0 clears nothing.
    bus.write32(regs::STATUS, 0).unwrap();
    assert_eq!(bus.read32(regs::ERRCODE).unwrap(), code("BAD_CODE"));
    bus.write32(regs::STATUS, regs::STATUS_ERROR.mask()).unwrap();
    assert_eq!(bus.read32(regs::ERRCODE).unwrap(), 0);
}

/// The paper's mode against a software model of it: schedule, shared `u`, noise in output order.
#[test]
fn the_paper_s_mode_matches_its_model() {
    let mut device = device(TOY);
    let case = Case::new(16, 13);
    let ring = Pow2Ring::new(16, 32).unwrap();
    let mut rng = SecretRng::from_seed(SecretSeed::new([13; 32]));
    let mut cpu = CpuCrypt::new(16, 32, LOG_T).unwrap();
    for (batch, noise_seed) in [(1, 1), (5, 0x12345), (1, 1 << 19), (16, 0xf_ffff)] {
        let messages = random_words(&format!("paper {batch}"), batch * 16, LOG_T);
        let u = SmallPoly::ternary(&mut rng, 16);
        let [mut c0, mut c1] = [(); 2].map(|()| vec![0; batch * 16]);
        let key = case.run(&messages, 0).key;
        let run = PaperRun { key, messages: &messages, u: &u, noise_seed };
        let mode = InsecurePaperMode::acknowledge();
        device.encrypt_paper(mode, &run, &mut c0, &mut c1).unwrap();

        let mut noise = LfsrGaussian::new(20, noise_seed.into()).unwrap();
        for k in 0..batch {
            for (out, p, add) in [(&c0, &case.p0, true), (&c1, &case.p1, false)] {
                let product = common::small_product(&ring, p, &u);
                for i in 0..16 {
                    let sample = i64::from(noise.next_sample()) as u64;
                    let message = if add { messages[16 * k + i] << 24 } else { 0 };
                    let expected = product[i].wrapping_add(sample).wrapping_add(message);
                    assert_eq!(out[16 * k + i], expected & 0xffff_ffff, "plaintext {k}, {i}");
                }
            }
        }
        let mut found = vec![0; batch * 16];
        device.decrypt_paper(&case.secret, &c0, &c1, &mut found).unwrap();
        assert_eq!(found, messages);
        // The default mode works in between.
        round_trip(&mut device, &mut cpu, &case, 2, 100 + u64::from(noise_seed));
    }
    for (noise_seed, expected) in [
        (0, DeviceError::SeedZero),
        (
            1 << 20,
            DeviceError::OutOfRange {
                what: "noise seed",
                index: 0,
                found: 1 << 20,
                max: (1 << 20) - 1,
            },
        ),
    ] {
        let messages = vec![0; 16];
        let u = SmallPoly::from_coefficients(vec![0; 16]);
        let run =
            PaperRun { key: case.run(&messages, 0).key, messages: &messages, u: &u, noise_seed };
        let [mut c0, mut c1] = [(); 2].map(|()| vec![0; 16]);
        let mode = InsecurePaperMode::acknowledge();
        assert_eq!(device.encrypt_paper(mode, &run, &mut c0, &mut c1).unwrap_err(), expected);
    }
}

/// Nothing secret is left in the memories that can be read.
#[test]
fn a_wipe_leaves_nothing() {
    let mut device = device(TOY);
    let case = Case::new(16, 14);
    let mut cpu = CpuCrypt::new(16, 32, LOG_T).unwrap();
    round_trip(&mut device, &mut cpu, &case, 16, 0);
    let mut words = vec![0; 32 * 16];
    device.bus_mut().read_block(2 << 17, &mut words).unwrap();
    assert!(words.iter().any(|&word| word != 0));
    device.wipe().unwrap();
    device.bus_mut().read_block(2 << 17, &mut words).unwrap();
    assert!(words.iter().all(|&word| word == 0));
    // Key and seed are gone too: a bare start is refused, and the driver loads them again.
    let status = device.bus_mut().read32(regs::STATUS).unwrap();
    assert!(!regs::STATUS_ARMED.is_set(status) && !regs::STATUS_PRIMED.is_set(status));
    device.bus_mut().write_block(1 << 17, &[1 << 24; 16]).unwrap();
    device.bus_mut().write32(regs::CONTROL, 1 | regs::CONTROL_MODE.mask()).unwrap();
    device.bus_mut().write32(regs::CONTROL, 0x41 | regs::CONTROL_MODE.mask()).unwrap();
    let done = Done::any_set(regs::STATUS, regs::STATUS_DONE.mask());
    let limit = Limit { cycles: 10_000, time: Duration::from_secs(1) };
    device.bus_mut().wait(done, limit).unwrap();
    device.bus_mut().read_block(2 << 17, &mut words[..16]).unwrap();
    assert_eq!(words[..16], [1; 16], "the wiped secret and c1 still act");
    device.bus_mut().write32(regs::CONTROL, regs::CONTROL_RESET.mask()).unwrap();
    round_trip(&mut device, &mut cpu, &case, 4, 1);
}
