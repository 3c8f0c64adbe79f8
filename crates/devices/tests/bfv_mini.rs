//! The small device against the processor, bit for bit, and what it says to bad input.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]
#![cfg(feature = "sim")]

mod common;

use common::{Case, random_words};
use cyclotron_devices::registers::bfv_mini as regs;
use cyclotron_devices::{BfvMini, Bus, Limit, SimBus, SimModel};
use cyclotron_ring::sample::device::DeviceStream;
use cyclotron_ring::sample::{SecretSeed, SmallPoly};
use cyclotron_schemes::bfv_pow2::{CpuCrypt, CryptDevice, DeviceError, EncryptRun};
use std::time::Duration;

fn open(model: SimModel) -> BfvMini<SimBus> {
    BfvMini::open(SimBus::open(model).unwrap()).unwrap()
}

fn models() -> impl Iterator<Item = SimModel> {
    SimModel::all().iter().copied().filter(|model| model.device() == "bfv-mini")
}

#[test]
fn a_thousand_items_of_each_degree_match_the_processor() {
    assert!(models().next().is_some() || option_env!("CYCLOTRON_SIM_MODELS").is_some());
    for model in models() {
        let mut device = open(model);
        let size = device.describe();
        let n = size.degree;
        let mut cpu = CpuCrypt::new(n, 32, size.log_t).unwrap();
        let (mut items, mut counter) = (0, 0);
        while items < 1000 {
            let batch = 1 + counter as usize % 16;
            let case = Case::new(n, counter as u8);
            let messages = random_words(&format!("{counter}"), batch * n, size.log_t);
            let run = case.run(&messages, counter);
            let [mut c0, mut c1, mut cpu_c0, mut cpu_c1, mut found] =
                [(); 5].map(|()| vec![0; batch * n]);
            let cost = device.encrypt(&run, &mut c0, &mut c1).unwrap();
            cpu.encrypt(&run, &mut cpu_c0, &mut cpu_c1).unwrap();
            assert_eq!((&c0, &c1), (&cpu_c0, &cpu_c1), "{model}, run {counter}");
            assert_eq!(cost.compute_cycles.unwrap(), (n * batch + 2 * n + 5) as u64, "{model}");
            device.decrypt(&case.secret, &c0, &c1, &mut found).unwrap();
            assert_eq!(found, messages, "{model}, run {counter}");
            // Words that are no ciphertexts: every rounding, carry and wrap.
            let batch = 1 + (11 * counter as usize) % 32;
            let c0 = random_words(&format!("c0 {counter}"), batch * n, 32);
            let c1 = random_words(&format!("c1 {counter}"), batch * n, 32);
            let [mut found, mut expected] = [(); 2].map(|()| vec![0; batch * n]);
            device.decrypt(&case.secret, &c0, &c1, &mut found).unwrap();
            cpu.decrypt(&case.secret, &c0, &c1, &mut expected).unwrap();
            assert_eq!(found, expected, "{model}, run {counter}");
            items += batch;
            counter += 1;
        }
    }
}

#[test]
fn a_full_memory_of_64_items_is_one_run() {
    for model in models() {
        let mut device = open(model);
        let size = device.describe();
        let (n, case) = (size.degree, Case::new(size.degree, 50));
        let messages = random_words("64", 64 * n, size.log_t);
        let stream = DeviceStream::new(&case.seed, 3);
        let samples: Vec<_> = (0..64).map(|k| stream.plaintext(k, n).unwrap()).collect();
        let [mut c0, mut c1, mut found] = [(); 3].map(|()| vec![0; 64 * n]);
        let key = case.run(&messages, 0).key;
        let cost = device.encrypt_with(key, &messages, &samples, &mut c0, &mut c1).unwrap();
        assert_eq!(cost.compute_cycles.unwrap(), (66 * n + 5) as u64);
        let cost = device.decrypt(&case.secret, &c0, &c1, &mut found).unwrap();
        assert_eq!(cost.compute_cycles.unwrap(), (66 * n + 5) as u64);
        assert_eq!(found, messages);
        // The first 16 are what the trait's call makes.
        let mut cpu = CpuCrypt::new(n, 32, size.log_t).unwrap();
        let run = case.run(&messages[..16 * n], 3);
        let [mut cpu_c0, mut cpu_c1] = [(); 2].map(|()| vec![0; 16 * n]);
        cpu.encrypt(&run, &mut cpu_c0, &mut cpu_c1).unwrap();
        assert_eq!((&c0[..16 * n], &c1[..16 * n]), (&cpu_c0[..], &cpu_c1[..]));
    }
}

#[test]
fn errors_are_typed_and_the_device_works_on() {
    for model in models() {
        let mut device = open(model);
        let size = device.describe();
        let (n, log_t) = (size.degree, size.log_t);
        let case = Case::new(n, 51);
        let mut cpu = CpuCrypt::new(n, 32, log_t).unwrap();
        let mut counter = 0;
        let mut works = |device: &mut BfvMini<SimBus>| {
            let messages = random_words("works", n, log_t);
            let [mut c0, mut c1, mut cpu_c0, mut cpu_c1] = [(); 4].map(|()| vec![0; n]);
            let run = case.run(&messages, counter);
            device.encrypt(&run, &mut c0, &mut c1).unwrap();
            cpu.encrypt(&run, &mut cpu_c0, &mut cpu_c1).unwrap();
            assert_eq!((c0, c1), (cpu_c0, cpu_c1));
            counter += 10;
        };
        works(&mut device);
        let messages = vec![0; n];
        let [mut c0, mut c1, mut out] = [(); 3].map(|()| vec![0; n]);

        let error = device.encrypt(&case.run(&messages, 0), &mut c0, &mut c1).unwrap_err();
        assert_eq!(error, DeviceError::CounterReused { given: 0, next: 1 });
        let zero = SecretSeed::new([0; 32]);
        let run = EncryptRun { seed: &zero, ..case.run(&messages, 5) };
        assert_eq!(device.encrypt(&run, &mut c0, &mut c1).unwrap_err(), DeviceError::SeedZero);
        let wide = vec![1 << log_t; n];
        let error = device.encrypt(&case.run(&wide, 5), &mut c0, &mut c1).unwrap_err();
        assert!(matches!(error, DeviceError::OutOfRange { .. }), "{error}");
        let two = SmallPoly::from_coefficients(vec![2; n]);
        let error = device.decrypt(&two, &c0, &c1, &mut out).unwrap_err();
        assert_eq!(error, DeviceError::NotTernary);
        works(&mut device);

        device.set_limit(Some(Limit { cycles: 1, time: Duration::from_secs(1) }));
        let error = device.decrypt(&case.secret, &c0, &c1, &mut out).unwrap_err();
        assert!(
            matches!(&error, DeviceError::Timeout { remedy, .. } if remedy.contains("used again")),
            "{error}"
        );
        device.set_limit(None);
        works(&mut device);

        // A wipe takes the keys: the device itself refuses to start without.
        device.wipe().unwrap();
        let bus = device.bus_mut();
        bus.write32(regs::COUNT, 1).unwrap();
        bus.write32(regs::CONTROL, regs::CONTROL_START.mask()).unwrap();
        let code = bus.read32(regs::ERRCODE).unwrap();
        let known = regs::ERRORS.iter().find(|known| known.code == code).unwrap();
        assert_eq!(known.name, "NO_KEY");
        bus.write32(regs::CONTROL, regs::CONTROL_RESET.mask()).unwrap();
        bus.write32(regs::STATUS, regs::STATUS_ERROR.mask()).unwrap();
        works(&mut device);
    }
}
