//! The BGV accelerator against the processor, bit for bit, and what it says to bad input.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]
#![cfg(feature = "sim")]

use cyclotron_devices::registers::bgv_core as regs;
use cyclotron_devices::{BgvCore, Bus, SimBus, SimModel};
use cyclotron_ring::sample::{SecretRng, SecretSeed};
use cyclotron_schemes::bfv_pow2::DeviceError;
use cyclotron_schemes::bgv_word::*;

const FORM: Form = Form::Coefficients;

/// The parameters of a configuration of `rtl/configs.yaml`.
fn parameters(model: SimModel, log_p: u32) -> WordParameters {
    let degree = if model.configuration() == "toy16" { 16 } else { 128 };
    let preset = WordPreset::named("PAPER_128_P2").unwrap();
    let literal = WordLiteral { degree, root: None, log_p, ..preset.acknowledged() };
    WordParameters::new(literal).unwrap()
}

/// Modulo 257^3, seven units.
fn modulo_257(model: SimModel) -> bool {
    model.device() == "bgv-core" && ["toy16", "paper_128"].contains(&model.configuration())
}

fn models() -> Vec<SimModel> {
    let found: Vec<SimModel> =
        SimModel::all().iter().copied().filter(|model| modulo_257(*model)).collect();
    assert!(!found.is_empty() || option_env!("CYCLOTRON_SIM_MODELS").is_some());
    found
}

fn open(model: SimModel, parameters: &WordParameters) -> BgvCore<SimBus> {
    BgvCore::open(SimBus::open(model).unwrap(), parameters).unwrap()
}

/// A fixed generator: the tests' numbers are the same every time.
fn rng(label: u8) -> SecretRng {
    SecretRng::from_seed(SecretSeed::new([label; 32]))
}

/// The same keys and seed in both devices.
fn load(devices: &mut [&mut dyn BgvDevice], cpu: &WordContext, label: u8) -> KeySet {
    let keys = KeySet::generate(cpu, &mut rng(label)).unwrap();
    for device in devices {
        device.load_keys(&keys).unwrap();
        device.load_seed(&SecretSeed::new([label + 1; 32]), 7).unwrap();
        device.set_refusal(Refusal::Paper);
    }
    keys
}

fn message(degree: usize, log_p: u32, label: u64) -> Vec<u64> {
    let word = |i| (i * 0x9e37_79b9 + label * 0x85eb_ca6b) >> 7;
    (0..degree as u64).map(|i| word(i) & ((1u64 << log_p) - 1)).collect()
}

/// Random programs: every buffer that holds a ciphertext agrees after each.
#[test]
fn random_programs_match_the_processor() {
    for model in models() {
        for log_p in [1, 5] {
            let parameters = parameters(model, log_p);
            let degree = parameters.degree();
            let mut device = open(model, &parameters);
            let mut cpu = CpuBgv::open(&parameters).unwrap();
            let context = WordContext::new(&parameters).unwrap();
            load(&mut [&mut device, &mut cpu], &context, log_p as u8);
            let mut state = 0x1234_5678_u64;
            let mut dice = move |below: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % below
            };
            let mut coin = 0x5eed_u64;
            let mut forms = move || {
                coin = coin.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                coin >> 63
            };
            for round in 0..if degree == 16 { 40 } else { 12 } {
                for k in 0..4 {
                    let words = message(degree, log_p, 4 * round + k as u64);
                    device.write_message(k, &words).unwrap();
                    cpu.write_message(k, &words).unwrap();
                }
                let mut program = Vec::new();
                for k in 0..4 {
                    program.push(Command::Encrypt { message: k, to: 4 + k, form: FORM });
                }
                let mut pick = || 4 + dice(4) as usize;
                for to in 8..12 {
                    let (left, right) = (pick(), pick());
                    program.push(Command::Add { left, right, to: left, form: FORM });
                    program.push(Command::Multiply { left, right, to, form: FORM });
                    program.push(Command::KeySwitch { from: to, to: to + 4, form: FORM });
                    program.push(Command::ModSwitch { from: to + 4, to: to + 4 });
                }
                program.push(Command::Add { left: 12, right: 13, to: 12, form: FORM });
                program.push(Command::Multiply { left: 12, right: 14, to: 14, form: FORM });
                program.push(Command::KeySwitch { from: 14, to: 14, form: FORM });
                program.push(Command::ModSwitch { from: 14, to: 13 });
                program.push(Command::Decrypt { from: 4, to: 0 });
                program.push(Command::Decrypt { from: 15, to: 1 });
                program.push(Command::Decrypt { from: 13, to: 2 });
                // Kept in any form; the longest programs do not fit with all that they ask for.
                for command in &mut program {
                    if let Command::Encrypt { form, .. }
                    | Command::Add { form, .. }
                    | Command::Multiply { form, .. }
                    | Command::KeySwitch { form, .. } = command
                        && forms() == 1
                    {
                        *form = Form::Evaluations;
                    }
                }
                let cost = device.run(&program).unwrap();
                assert!(cost.compute_cycles.unwrap() > degree as u64);
                cpu.run(&program).unwrap();
                for buffer in 4..16 {
                    let found = device.read_ciphertext(buffer).unwrap();
                    let expected = cpu.read_ciphertext(buffer).unwrap();
                    assert_eq!(found.level(), expected.level(), "{model}: {buffer}");
                    assert_eq!(found.parts(), expected.parts(), "{model}: {buffer}");
                }
                for buffer in 0..3 {
                    let [mut found, mut expected] = [(); 2].map(|()| vec![0; degree]);
                    device.read_message(buffer, &mut found).unwrap();
                    cpu.read_message(buffer, &mut expected).unwrap();
                    assert_eq!(found, expected, "{model}, round {round}, message {buffer}");
                }
            }
        }
    }
}

/// A list that does not fit as it asks for is run with coefficients, whatever was kept before.
#[test]
fn a_long_list_runs_without_evaluations() {
    for model in models().into_iter().filter(|model| model.configuration() == "toy16") {
        let parameters = parameters(model, 1);
        let mut device = open(model, &parameters);
        let mut cpu = CpuBgv::open(&parameters).unwrap();
        let context = WordContext::new(&parameters).unwrap();
        load(&mut [&mut device, &mut cpu], &context, 5);
        let form = Form::Evaluations;
        let devices: [&mut dyn BgvDevice; 2] = [&mut device, &mut cpu];
        let mut found = Vec::new();
        for device in devices {
            device.write_message(0, &message(16, 1, 3)).unwrap();
            let mut list = vec![Command::Encrypt { message: 0, to: 1, form }];
            device.run(&list).unwrap();
            list.extend((0..62).map(|_| Command::Multiply { left: 1, right: 1, to: 2, form }));
            list.push(Command::KeySwitch { from: 2, to: 3, form });
            assert_eq!(list.len(), device.describe().max_commands.min(64));
            device.run(&list).unwrap();
            let read = |buffer| device.read_ciphertext(buffer).unwrap().parts().to_vec();
            found.push([1, 2, 3].map(read));
        }
        assert_eq!(found[0], found[1]);
    }
}

/// The leveled example: everything on the device, decrypted at `257^2`.
#[test]
fn a_leveled_circuit_decrypts() {
    for model in models() {
        let parameters = parameters(model, 1);
        let degree = parameters.degree();
        let mut device = open(model, &parameters);
        let context = WordContext::new(&parameters).unwrap();
        load(&mut [&mut device], &context, 9);
        device.set_refusal(Refusal::Strict);
        let mut x = vec![0; degree];
        x[1] = 1;
        let one: Vec<u64> = (0..degree).map(|i| u64::from(i == 0)).collect();
        device.write_message(0, &x).unwrap();
        device.write_message(1, &one).unwrap();
        device
            .run(&[
                Command::Encrypt { message: 0, to: 2, form: FORM },
                Command::Encrypt { message: 1, to: 3, form: FORM },
                Command::Add { left: 2, right: 3, to: 4, form: FORM },
                Command::Multiply { left: 4, right: 2, to: 5, form: FORM },
                Command::KeySwitch { from: 5, to: 5, form: FORM },
                Command::ModSwitch { from: 5, to: 5 },
                Command::ModSwitch { from: 3, to: 6 },
                Command::Add { left: 5, right: 6, to: 5, form: FORM },
                Command::Decrypt { from: 5, to: 0 },
            ])
            .unwrap();
        // (x + 1) x + 1
        let mut found = vec![0; degree];
        device.read_message(0, &mut found).unwrap();
        let expected: Vec<u64> = (0..degree).map(|i| u64::from(i < 3)).collect();
        assert_eq!(found, expected, "{model}");
    }
}

/// Products that decrypt wrongly at the paper's parameters: the device and the processor count the
/// same. `make test-full` does 2,000 operations of each kind of digits, `make test` a few.
fn failures(operations: u64, per_key: u64) {
    for model in models().into_iter().filter(|model| model.configuration() == "paper_128") {
        for digits in [Digits::Unsigned, Digits::Signed] {
            let preset = WordPreset::named("PAPER_128").unwrap();
            let literal = WordLiteral { digits, ..preset.acknowledged() };
            let parameters = WordParameters::new(literal).unwrap();
            let context = WordContext::new(&parameters).unwrap();
            let study = FailureStudy { circuit: Circuit::Product, operations, per_key };
            let mut device = open(model, &parameters);
            let found = study.run_on(&mut device, &context, [3; 32]).unwrap();
            assert_eq!(found, study.run(&context, [3; 32]).unwrap(), "{digits:?}");
            println!("{digits:?} digits on {model}: {} of {operations} wrong", found.wrong);
        }
    }
}

#[test]
fn failures_are_those_of_the_processor() {
    failures(40, 20);
}

#[test]
#[ignore = "minutes: 4,000 operations on the simulated device"]
fn failure_rates_on_the_device() {
    failures(2000, 20);
}

/// Secure parameters: n = 1024 with a prime of 26 bits (tables of 2024), and of 27 (2018), at which
/// product, key switch and decryption are within the bounds.
#[test]
fn n1024_matches_the_processor() {
    for (configuration, name) in [("n1024_q26", "N1024_Q26"), ("n1024_q27", "N1024_Q27")] {
        let found = SimModel::find(&format!("bgv-core:{configuration}"));
        let Ok(model) = found else {
            assert!(option_env!("CYCLOTRON_SIM_MODELS").is_some(), "no {configuration}");
            continue;
        };
        let parameters = WordParameters::new(WordPreset::named(name).unwrap().literal()).unwrap();
        let degree = parameters.degree();
        let context = WordContext::new(&parameters).unwrap();
        let mut device = open(model, &parameters);
        let mut cpu = CpuBgv::open(&parameters).unwrap();
        load(&mut [&mut device, &mut cpu], &context, 11);
        let mut found = Vec::new();
        let devices: [&mut dyn BgvDevice; 2] = [&mut device, &mut cpu];
        for device in devices {
            device.set_refusal(Refusal::Strict);
            for form in [Form::Coefficients, Form::Evaluations] {
                for k in 0..2 {
                    device.write_message(k, &message(degree, 1, k as u64)).unwrap();
                }
                device
                    .run(&[
                        Command::Encrypt { message: 0, to: 2, form },
                        Command::Encrypt { message: 1, to: 3, form },
                        Command::Multiply { left: 2, right: 3, to: 4, form },
                        Command::KeySwitch { from: 4, to: 5, form },
                        Command::Decrypt { from: 5, to: 0 },
                        Command::Add { left: 2, right: 3, to: 6, form },
                        Command::Decrypt { from: 6, to: 1 },
                    ])
                    .unwrap();
                let mut words = vec![0; degree];
                for k in 0..2 {
                    device.read_message(k, &mut words).unwrap();
                    found.push(words.clone());
                }
                for buffer in 2..7 {
                    let ciphertext = device.read_ciphertext(buffer).unwrap();
                    found.extend(ciphertext.parts().iter().cloned());
                }
            }
        }
        let (rtl, expected) = found.split_at(found.len() / 2);
        assert_eq!(rtl, expected, "{model}");
        // And what was decrypted is right.
        let [a, b] = [0, 1].map(|k| message(degree, 1, k));
        let sum: Vec<u64> = a.iter().zip(&b).map(|(x, y)| x ^ y).collect();
        assert_eq!(rtl[1], sum);
        let mut product = vec![0; degree];
        for (i, _) in a.iter().enumerate().filter(|&(_, &x)| x == 1) {
            (0..degree).for_each(|j| product[(i + j) % degree] ^= b[j]);
        }
        assert_eq!(rtl[0], product);
    }
}

#[test]
fn bad_input_is_refused_and_the_device_stays_usable() {
    let Some(model) = models().into_iter().find(|model| model.configuration() == "toy16") else {
        return;
    };
    let parameters = parameters(model, 2);
    // Other sizes than the device was built for, with both values.
    let literal = WordLiteral { digit_bits: 6, ..parameters.literal().clone() };
    let other = WordParameters::new(literal).unwrap();
    let text = BgvCore::open(SimBus::open(model).unwrap(), &other).unwrap_err().to_string();
    assert!(text.contains("13") && text.contains('6'), "{text}");

    let mut device = open(model, &parameters);
    let context = WordContext::new(&parameters).unwrap();
    device.write_message(0, &message(16, 2, 1)).unwrap();
    let encrypt = [Command::Encrypt { message: 0, to: 1, form: FORM }];
    let missing = device.run(&encrypt).unwrap_err();
    assert!(matches!(missing, BgvDeviceError::NotLoaded { what: "public key", .. }), "{missing}");
    load(&mut [&mut device], &context, 3);
    device.run(&encrypt).unwrap();
    let kept = device.read_ciphertext(1).unwrap();

    // Commands that cannot run leave everything as it was.
    let wrong = [Command::KeySwitch { from: 1, to: 2, form: FORM }];
    assert!(matches!(device.run(&wrong), Err(BgvDeviceError::Command { index: 0, .. })));
    assert!(device.read_message(0, &mut [0; 15]).is_err());
    let reused = device.load_seed(&SecretSeed::new([4; 32]), 7).unwrap_err();
    let reused = matches!(reused, BgvDeviceError::Device(DeviceError::CounterReused { .. }));
    assert!(reused);
    assert_eq!(device.read_ciphertext(1).unwrap(), kept);

    // What the device itself refuses, past the driver.
    let bus = device.bus_mut();
    let mut start = |program: u32, count: u32, options: u32| {
        bus.write32(regs::OPTIONS, options).unwrap();
        bus.write32(regs::PROGRAM, program).unwrap();
        bus.write32(regs::COUNT, count).unwrap();
        bus.write32(regs::CONTROL, regs::CONTROL_START.mask()).unwrap();
        while regs::STATUS_BUSY.is_set(bus.read32(regs::STATUS).unwrap()) {}
        let code = bus.read32(regs::ERRCODE).unwrap();
        bus.write32(regs::CONTROL, regs::CONTROL_RESET.mask()).unwrap();
        bus.write32(regs::STATUS, regs::STATUS_ERROR.mask() | regs::STATUS_DONE.mask()).unwrap();
        regs::ERRORS.iter().find(|known| known.code == code).map_or("none", |known| known.name)
    };
    assert_eq!(start(3, 0, 1), "COUNT_RANGE");
    assert_eq!(start(3, 65, 1), "COUNT_RANGE");
    assert_eq!(start(3, 1, 0), "OPTION_RANGE");
    assert_eq!(start(3, 1, 9), "OPTION_RANGE");
    assert_eq!(start(4, 1, 2 | 6 << 8), "OPTION_RANGE");
    assert_eq!(start(9, 1, 1), "BAD_COMMAND");
    assert_eq!(start(3 | 3 << 16, 1, 1), "BAD_COMMAND");
    assert_eq!(start(6, 1, 1), "BAD_COMMAND");
    device.run(&encrypt).unwrap();
    assert_ne!(device.read_ciphertext(1).unwrap(), kept, "fresh randomness");
    let mut found = vec![0; 16];
    device.run(&[Command::Decrypt { from: 1, to: 2 }]).unwrap();
    device.read_message(2, &mut found).unwrap();
    assert_eq!(found, message(16, 2, 1));
}
