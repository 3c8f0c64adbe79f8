//! `cyclotron rtl run bgv-core`: leveled circuits of BGV on the simulated accelerator.
//!
//! * [`example`]: the circuits of the study, wholly on the device; [`circuit`]: one circuit, on the
//!   device and on the processor, step by step; [`table`]: what people see of it;
//! * [`operations`]: many commands of one kind, for their cycles; [`pipeline`]: the programs of that;
//! * [`plain`]: what the circuits should give.

mod circuit;
mod example;
mod operations;
mod pipeline;
mod plain;
mod table;

pub(super) use example::run as run_example;
pub(super) use operations::{Operation, Request, run as run_operations};

use super::bench::differs;
use crate::failure::{Failure, Result};
use cyclotron_devices::{BgvConfiguration, SimModel, bgv_devices};
use cyclotron_ring::sample::{SecretRng, SecretSeed};
use cyclotron_schemes::Error;
use cyclotron_schemes::bgv_word::{
    BgvDevice, BgvDeviceError, CpuBgv, KeySet, WordContext, WordLiteral, WordParameters, WordPreset,
};

/// The device of this name.
pub(super) const DEVICE: &str = "bgv-core";

/// Whether a name is one of the BGV accelerator's.
pub(super) fn is_named(name: &str) -> bool {
    name.split(':').next() == Some(DEVICE)
}

/// The configuration of this name; when it names none, the largest one of the paper's modulus and
/// digits, and of those the first.
fn configuration(name: &str) -> Result<BgvConfiguration> {
    let listing = bgv_devices().into_iter().find(|listing| listing.name == DEVICE);
    let mut found = listing.map_or_else(Vec::new, |listing| listing.configurations);
    let all: Vec<String> = found.iter().map(|found| found.name.clone()).collect();
    if name.contains(':') {
        found.retain(|found| found.name == name);
    } else {
        let paper = WordPreset::named("PAPER_128_P2")?.acknowledged();
        found.retain(|found| {
            (&found.factors, found.digit_bits) == (&paper.factors, paper.digit_bits)
        });
        found.reverse();
    }
    found.into_iter().max_by_key(|found| found.degree).ok_or_else(|| {
        let remedy = if SimModel::left_out().contains(&name) || all.is_empty() {
            "build with its model: CYCLOTRON_SIM_MODELS names those of a build (all, when not set)"
                .to_owned()
        } else {
            format!("choose {}", all.join(" or "))
        };
        Failure::usage("device", format!("this build has no device `{name}`")).remedy(remedy)
    })
}

/// A set for a configuration's ring degree, refused until its insecurity is acknowledged.
fn parameters(preset: &str, degree: usize, acknowledged: bool) -> Result<WordParameters> {
    let preset = WordPreset::named(preset)?;
    if !acknowledged {
        WordParameters::new(preset.literal())?;
    }
    // The root is one of 128 and more; the device has its own.
    let literal = WordLiteral { degree, root: None, ..preset.acknowledged() };
    Ok(WordParameters::new(literal)?)
}

/// The generator of keys, messages and seeds.
fn generator(seed: u64) -> SecretRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    SecretRng::from_seed(SecretSeed::new(bytes))
}

/// The same keys and the same seed in all devices.
fn load(
    devices: &mut [&mut dyn BgvDevice],
    context: &WordContext,
    rng: &mut SecretRng,
) -> Result<KeySet> {
    let keys = KeySet::generate(context, rng)?;
    let mut seed = [0; 32];
    rng.fill_bytes(&mut seed);
    for device in devices {
        device.load_keys(&keys).map_err(refused)?;
        device.load_seed(&SecretSeed::new(seed), 0).map_err(refused)?;
    }
    Ok(keys)
}

/// A message of full range.
fn random_message(parameters: &WordParameters, rng: &mut SecretRng) -> Vec<u64> {
    let mut words = vec![0; parameters.degree()];
    rng.fill_words(&mut words);
    words.iter_mut().for_each(|word| *word &= parameters.plain_modulus() - 1);
    words
}

/// Demands the same words in a buffer of both, and counts them.
fn compare(
    device: &mut dyn BgvDevice,
    processor: &mut CpuBgv,
    buffer: usize,
    is_message: bool,
) -> Result<usize> {
    let degree = device.describe().parameters.degree();
    let (equal, words) = if is_message {
        let [mut found, mut expected] = [vec![0; degree], vec![0; degree]];
        device.read_message(buffer, &mut found).map_err(refused)?;
        processor.read_message(buffer, &mut expected).map_err(refused)?;
        (found == expected, degree)
    } else {
        let found = device.read_ciphertext(buffer).map_err(refused)?;
        let expected = processor.read_ciphertext(buffer).map_err(refused)?;
        let same = (found.level(), found.parts()) == (expected.level(), expected.parts());
        (same, degree * found.parts().len())
    };
    if equal { Ok(words) } else { Err(differs(&format!("words of buffer {buffer}"))) }
}

fn refused(error: BgvDeviceError) -> Failure {
    Error::from(error).into()
}
