//! `rtl/goals.yaml`: cycles of the full-size devices, measured through their buses. A count above
//! its limit fails; the table is printed (`cargo test --test goals -- --nocapture`).

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test may panic")]
#![cfg(feature = "sim")]

mod common;

use common::{Case, LOG_T, random_words};
use cyclotron_devices::bfv_crypt::paper::{InsecurePaperMode, PaperRun};
use cyclotron_devices::{BfvCrypt, BfvMini, BgvCore, SimBus, SimModel};
use cyclotron_ring::sample::{SecretRng, SecretSeed, SmallPoly};
use cyclotron_schemes::bfv_pow2::CryptDevice;
use cyclotron_schemes::bgv_word::{
    BgvDevice, Command, Form, KeySet, Refusal, WordContext, WordParameters, WordPreset,
};
use saphyr::{LoadableYamlNode, Yaml};
use std::collections::BTreeMap;

/// A measured count: cycles, and of how many operations.
type Counts = BTreeMap<String, (u64, u64)>;

fn open_crypt(name: &str) -> BfvCrypt<SimBus> {
    BfvCrypt::open(SimBus::open_named(name).unwrap()).unwrap()
}

fn encrypt(device: &mut BfvCrypt<SimBus>, case: &Case, batch: usize, counter: u64) -> u64 {
    let words = batch * device.describe().degree;
    let messages = random_words("goal", words, LOG_T);
    let [mut c0, mut c1] = [(); 2].map(|()| vec![0; words]);
    let cost = device.encrypt(&case.run(&messages, counter), &mut c0, &mut c1).unwrap();
    cost.compute_cycles.unwrap()
}

/// `bfv_crypt`: a fresh device for each figure that depends on what was prepared.
fn measure_crypt(configuration: &str) -> Counts {
    let name = format!("bfv-crypt:{configuration}");
    let mut device = open_crypt(&name);
    let n = device.describe().degree;
    let case = Case::new(n, 40);
    let mut counts = Counts::new();
    // Primed: the driver loads the public key before the messages, and the start comes last.
    let batch = encrypt(&mut device, &case, 16, 0);
    counts.insert("encrypt".to_owned(), (batch, 16));
    let half = encrypt(&mut device, &case, 8, 1);
    counts.insert("result_interval".to_owned(), (batch - half, 16));

    let mut cold = open_crypt(&name);
    cold.set_priming(false);
    counts.insert("encrypt_cold".to_owned(), (encrypt(&mut cold, &case, 16, 0), 1));

    let c = random_words("ciphertexts", 32 * n, 32);
    let mut out = vec![0; 32 * n];
    let cost = device.decrypt(&case.secret, &c, &c, &mut out).unwrap();
    counts.insert("decrypt".to_owned(), (cost.compute_cycles.unwrap(), 32));

    let messages = random_words("paper", n, LOG_T);
    let u = SmallPoly::from_coefficients((0..n).map(|i| i as i32 % 3 - 1).collect());
    let key = case.run(&messages, 0).key;
    let run = PaperRun { key, messages: &messages, u: &u, noise_seed: 1 };
    let [mut c0, mut c1, mut out] = [(); 3].map(|()| vec![0; n]);
    let mode = InsecurePaperMode::acknowledge();
    let cost = device.encrypt_paper(mode, &run, &mut c0, &mut c1).unwrap();
    counts.insert("paper_encrypt".to_owned(), (cost.compute_cycles.unwrap(), 1));
    let cost = device.decrypt_paper(&case.secret, &c0, &c1, &mut out).unwrap();
    counts.insert("paper_decrypt".to_owned(), (cost.compute_cycles.unwrap(), 1));
    counts
}

/// `bfv_mini`: latency and interval from two batch sizes. A run of B items takes `nB + overhead`
/// cycles; of the overhead, n are for reading an item in and n for writing it out, one coefficient a
/// cycle, and 3 for start, memory and gathering (`DeviceOverhead` of bfv_mini_pkg.sv); the rest is
/// the core, from inputs to outputs.
fn measure_mini(configuration: &str) -> Counts {
    let name = format!("bfv-mini:{configuration}");
    let mut device = BfvMini::open(SimBus::open_named(&name).unwrap()).unwrap();
    let n = device.describe().degree;
    let log_t = device.describe().log_t;
    let case = Case::new(n, 41);
    let mut counts = Counts::new();
    let one = |device: &mut BfvMini<SimBus>, batch: usize, counter: u64| {
        let messages = random_words("mini", batch * n, log_t);
        let [mut c0, mut c1, mut out] = [(); 3].map(|()| vec![0; batch * n]);
        let encrypted = device.encrypt(&case.run(&messages, counter), &mut c0, &mut c1).unwrap();
        let decrypted = device.decrypt(&case.secret, &c0, &c1, &mut out).unwrap();
        assert_eq!(out, messages);
        (encrypted.compute_cycles.unwrap(), decrypted.compute_cycles.unwrap())
    };
    let (encrypt_1, decrypt_1) = one(&mut device, 1, 0);
    let (encrypt_16, _) = one(&mut device, 16, 1);
    let stream_in_out = 2 * n as u64 + 3;
    counts.insert("encrypt".to_owned(), (encrypt_1 - stream_in_out, 1));
    counts.insert("decrypt".to_owned(), (decrypt_1 - stream_in_out, 1));
    // Sustained: what 63 items more than one take.
    let c = random_words("batch", 64 * n, 32);
    let mut out = vec![0; 64 * n];
    let cost = device.decrypt(&case.secret, &c, &c, &mut out).unwrap();
    let decrypting = cost.compute_cycles.unwrap() - decrypt_1;
    let encrypting = (encrypt_16 - encrypt_1) * 63 / 15;
    counts.insert("interval".to_owned(), (decrypting.max(encrypting), 63));
    counts
}

/// `bgv_core`: rates with no more units than the goals allow, from two lengths of run, and chains of
/// operations, start to done.
fn measure_bgv(configuration: &str) -> Counts {
    let preset = WordPreset::named("PAPER_128_P2").unwrap();
    let parameters = WordParameters::new(preset.acknowledged()).unwrap();
    let bus = SimBus::open_named(&format!("bgv-core:{configuration}")).unwrap();
    let mut device = BgvCore::open(bus, &parameters).unwrap();
    let built = if configuration == "paper_128_u20" { 20 } else { 7 };
    let context = WordContext::new(&parameters).unwrap();
    let keys = KeySet::generate(&context, &mut SecretRng::from_seed(SecretSeed::new([1; 32])));
    device.load_keys(&keys.unwrap()).unwrap();
    device.load_seed(&SecretSeed::new([2; 32]), 0).unwrap();
    device.set_refusal(Refusal::Paper);
    let words: Vec<u64> = (0..parameters.degree() as u64).map(|i| i & 1).collect();
    for buffer in 0..2 {
        device.write_message(buffer, &words).unwrap();
    }
    let (coefficients, evaluations) = (Form::Coefficients, Form::Evaluations);
    let encrypt = |form, to| Command::Encrypt { message: 0, to, form };
    let multiply = |form, to| Command::Multiply { left: 2, right: 3, to, form };
    let switch = |form, to| Command::KeySwitch { from: 4, to, form };
    let run = |device: &mut BgvCore<SimBus>, list: &[Command]| {
        device.run(list).unwrap().compute_cycles.unwrap()
    };
    let mut counts = Counts::new();
    let chain = |form| {
        vec![
            encrypt(form, 2),
            encrypt(form, 3),
            multiply(form, 4),
            switch(form, 5),
            Command::Decrypt { from: 5, to: 1 },
        ]
    };
    for (name, form) in [("chain_evaluations", evaluations), ("chain_coefficients", coefficients)] {
        let mut found = vec![0; parameters.degree()];
        // The second run: its randomness was drawn ahead, while keys and messages came.
        run(&mut device, &chain(form));
        device.read_message(1, &mut found).unwrap();
        assert!(found.iter().all(|&word| word < 2));
        counts.insert(name.to_owned(), (run(&mut device, &chain(form)), 1));
    }
    // Buffers 2 to 5 now hold coefficients.
    type Rate<'a> = (&'a str, u32, &'a dyn Fn(usize) -> Command);
    let rates: [Rate<'_>; 7] = [
        ("multiply", 7, &|k| multiply(coefficients, 6 + k % 4)),
        ("key_switch", 4, &|k| switch(coefficients, 6 + k % 4)),
        ("encrypt", 3, &|k| encrypt(coefficients, 6 + k % 4)),
        ("decrypt", 2, &|k| Command::Decrypt { from: 2, to: 6 + k % 4 }),
        ("add", 7, &|k| Command::Add { left: 2, right: 3, to: 6 + k % 4, form: coefficients }),
        ("mod_switch", 7, &|k| Command::ModSwitch { from: 2, to: 6 + k % 4 }),
        ("multiply_12", 12, &|k| multiply(coefficients, 6 + k % 4)),
    ];
    for (name, units, command) in rates {
        if units > built {
            continue;
        }
        device.set_units(units);
        let length = |count| (0..count).map(command).collect::<Vec<_>>();
        let (short, long) = (run(&mut device, &length(4)), run(&mut device, &length(16)));
        counts.insert(name.to_owned(), (long - short, 12));
    }
    // Circuits one after another, a step of each of seven in turn, so that no command waits for the
    // one before it.
    device.set_units(0);
    let circuits = |count: usize| -> Vec<Command> {
        let turn = |k: usize| {
            let (first, factor) = (2 * (k % 3), 2 * ((k + 1) % 3));
            let [product, switched, last] = [2, 4, 6].map(|back| 6 + (k + 10 - back) % 5);
            [
                Command::Encrypt { message: 15, to: first, form: coefficients },
                Command::Encrypt { message: 15, to: first + 1, form: coefficients },
                Command::Multiply {
                    left: factor,
                    right: factor + 1,
                    to: product,
                    form: coefficients,
                },
                Command::KeySwitch { from: switched, to: switched, form: coefficients },
                Command::Decrypt { from: last, to: 11 },
            ]
        };
        (0..count).flat_map(turn).collect()
    };
    device.write_message(15, &words).unwrap();
    // What the first turns read is written once.
    let fill: Vec<Command> = (0..6)
        .map(|to| Command::Encrypt { message: 15, to, form: coefficients })
        .chain((6..11).map(|to| Command::Multiply { left: 0, right: 1, to, form: coefficients }))
        .collect();
    run(&mut device, &fill);
    let switch_one = |to| Command::KeySwitch { from: to, to, form: coefficients };
    // Turns 0 and 1 decrypt what is switched here.
    run(&mut device, &[4, 0].map(|k| switch_one(6 + k)));
    let short = run(&mut device, &circuits(2));
    run(&mut device, &fill);
    run(&mut device, &[4, 0].map(|k| switch_one(6 + k)));
    let long = run(&mut device, &circuits(8));
    counts.insert("chains".to_owned(), (long - short, 6));
    counts
}

#[test]
fn the_goals_are_met() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rtl/goals.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    let documents = Yaml::load_from_str(&text).unwrap();
    let goals = documents[0].as_sequence().unwrap();
    assert!(!goals.is_empty());
    let mut measured: BTreeMap<(String, String), Counts> = BTreeMap::new();
    let mut failures = Vec::new();
    println!("{:32} {:>9} {:>7} {:>7} {:>7}", "operation", "measured", "limit", "paper", "floor");
    for goal in goals {
        let text = |key: &str| goal.as_mapping_get(key).unwrap().as_str().unwrap().to_owned();
        let number = |key: &str| goal.as_mapping_get(key).unwrap().as_integer();
        let (block, configuration) = (text("block"), text("configuration"));
        let operation = text("operation");
        if goal.as_mapping_get("bench").is_some() {
            // Of a module, not of a device: its own bench measures it.
            continue;
        }
        let limit = number("limit").unwrap();
        let device = block.replace('_', "-");
        if SimModel::find(&format!("{device}:{configuration}")).is_err() {
            // Only a build that was told to leave models out lacks one.
            assert!(option_env!("CYCLOTRON_SIM_MODELS").is_some(), "no {block} {configuration}");
            continue;
        }
        let counts = measured.entry((block.clone(), configuration.clone())).or_insert_with(|| {
            match block.as_str() {
                "bfv_crypt" => measure_crypt(&configuration),
                "bfv_mini" => measure_mini(&configuration),
                "bgv_core" => measure_bgv(&configuration),
                other => panic!("rtl/goals.yaml: block {other} is not measured here"),
            }
        });
        let &(cycles, operations) = counts
            .get(&operation)
            .unwrap_or_else(|| panic!("rtl/goals.yaml: {block} {operation} is not measured here"));
        let per = cycles as f64 / operations as f64;
        let shown = |key| number(key).map_or("-".to_owned(), |value| value.to_string());
        let what = format!("{configuration} {operation}");
        println!("{what:32} {per:>9.2} {limit:>7} {:>7} {:>7}", shown("paper"), shown("floor"));
        // No rounding in favour of the device.
        if cycles > limit as u64 * operations {
            failures.push(format!("{block} {what}: {per} cycles, limit {limit}"));
        }
        // A count below the floor means that something else was measured.
        if let Some(floor) = number("floor") {
            assert!(
                cycles >= floor as u64 * operations,
                "{what}: {per} is below the floor {floor}"
            );
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
