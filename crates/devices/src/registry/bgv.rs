//! BGV devices by name, opened for the parameters that they are to compute with.
//!
//! Ring degree, factors of the modulus and bits of a digit are built into a configuration of the
//! hardware; plaintext modulus, kind of digits and errors are chosen at run time.

use super::{CPU, bus, models, no_model, remedy, split, unknown};
use crate::bgv_core::BgvCore;
use crate::bus::Bus;
use crate::link::{bus_error, mismatch};
use crate::registers::bgv_core as regs;
use crate::sim::{SimBus, SimModel};
use cyclotron_schemes::bfv_pow2::{DeviceError, DeviceResult};
use cyclotron_schemes::bgv_word::{BgvDevice, BgvDeviceError, BgvResult, CpuBgv, WordParameters};
use std::fmt;

/// The simulated device.
const CORE: &str = "bgv-core";

/// What a configuration of the hardware is built for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BgvConfiguration {
    /// Its name, for [`open_bgv`].
    pub name: String,
    /// Ring degree.
    pub degree: usize,
    /// Factors of the ciphertext modulus.
    pub factors: Vec<u64>,
    /// Bits of a digit of the key switch.
    pub digit_bits: u32,
}

/// What a device is, for lists of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BgvListing {
    /// Its name, for [`open_bgv`].
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// What it can be opened for, the smallest first; empty for any parameters.
    pub configurations: Vec<BgvConfiguration>,
    /// Whether its cycles are those of a simulation.
    pub simulated: bool,
    /// Whether it can be opened.
    pub available: bool,
    /// What to do when it cannot.
    pub remedy: Option<String>,
}

impl BgvConfiguration {
    /// Whether these parameters are the ones it is built for.
    #[must_use]
    pub fn serves(&self, parameters: &WordParameters) -> bool {
        let wanted = parameters.literal();
        self.degree == wanted.degree
            && self.factors == wanted.factors
            && self.digit_bits == wanted.digit_bits
    }
}

impl fmt::Display for BgvConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { degree, digit_bits, .. } = self;
        write!(f, "n = {degree}, Q = {}, {digit_bits} bits a digit", product(&self.factors))
    }
}

fn product(factors: &[u64]) -> String {
    factors.iter().map(u64::to_string).collect::<Vec<_>>().join(" * ")
}

/// The BGV devices of this build, the processor first.
#[must_use]
pub fn bgv_devices() -> Vec<BgvListing> {
    let processor = BgvListing {
        name: CPU,
        description: "this machine's processor, the reference of all devices",
        configurations: Vec::new(),
        simulated: false,
        available: true,
        remedy: None,
    };
    let mut configurations: Vec<BgvConfiguration> =
        models(CORE).filter_map(|model| ask(model).ok()).map(|(_, found)| found).collect();
    configurations.sort_by_key(|found| found.degree);
    let available = !configurations.is_empty();
    let core = BgvListing {
        name: CORE,
        description: "leveled circuits of BGV modulo a word, its RTL simulated cycle by cycle",
        configurations,
        simulated: true,
        available,
        remedy: (!available).then(|| remedy(CORE)),
    };
    vec![processor, core]
}

/// Switches a model on and asks what it is built for.
fn ask(model: SimModel) -> DeviceResult<(SimBus, BgvConfiguration)> {
    let mut bus = bus(model)?;
    let mut read = |address| bus.read32(address).map_err(bus_error);
    let log_n = regs::CONFIG0_LOG_N.get(read(regs::CONFIG0)?);
    let levels = read(regs::LEVELS)?;
    let count = regs::LEVELS_LEVELS.get(levels).min(regs::FACTOR_WORDS as u32);
    let factors: DeviceResult<Vec<u64>> =
        (0..count).map(|i| Ok(u64::from(read(regs::FACTOR + 4 * i)?))).collect();
    let found = BgvConfiguration {
        name: model.to_string(),
        degree: 1usize.checked_shl(log_n).unwrap_or(0),
        factors: factors?,
        digit_bits: regs::LEVELS_DIGIT_BITS.get(levels),
    };
    Ok((bus, found))
}

/// Opens the BGV device called `name` for these parameters: "cpu", "bgv-core", of which the
/// configuration that was built for them is taken, or one configuration such as "bgv-core:toy16".
///
/// # Errors
/// [`DeviceError::Unsupported`] for an unknown name, with those that there are, or when this build
/// has no simulator; [`DeviceError::Mismatch`] with both values when no configuration was built for
/// the parameters; as the device fails.
pub fn open_bgv(name: &str, parameters: &WordParameters) -> BgvResult<Box<dyn BgvDevice>> {
    if name == CPU {
        let device = CpuBgv::open(parameters).map_err(|error| match error {
            cyclotron_schemes::Error::Ring(error) => BgvDeviceError::from(error),
            other => DeviceError::Bus(other.to_string()).into(),
        })?;
        return Ok(Box::new(device));
    }
    Ok(Box::new(open_bgv_core(name, parameters)?))
}

/// As [`open_bgv`] for the simulated device alone, with the calls of its own driver.
///
/// # Errors
/// As [`open_bgv`]; "cpu" is none of its names.
pub fn open_bgv_core(name: &str, parameters: &WordParameters) -> BgvResult<BgvCore<SimBus>> {
    let (family, configuration) = split(name);
    if family != CORE {
        let remedy = format!("choose {CPU} or {CORE}: other devices do not compute BGV");
        return Err(unknown(name, remedy).into());
    }
    let mut others = Vec::new();
    for model in models(CORE).filter(|m| configuration.is_none_or(|c| m.configuration() == c)) {
        let (bus, found) = ask(model)?;
        if found.serves(parameters) {
            return BgvCore::open(bus, parameters);
        }
        others.push(found);
    }
    if others.is_empty() {
        return Err(no_model(CORE, name).into());
    }
    Err(misfit(&others, parameters).into())
}

/// The first value that no configuration has; the whole of all of them where each has each.
fn misfit(others: &[BgvConfiguration], parameters: &WordParameters) -> DeviceError {
    type Value = (&'static str, fn(&BgvConfiguration) -> String);
    let values: [Value; 3] = [
        ("factors of the modulus", |found| product(&found.factors)),
        ("bits of a digit", |found| found.digit_bits.to_string()),
        ("degree", |found| found.degree.to_string()),
    ];
    let literal = parameters.literal();
    let wanted = BgvConfiguration {
        name: String::new(),
        degree: literal.degree,
        factors: literal.factors.clone(),
        digit_bits: literal.digit_bits,
    };
    let all = |value: fn(&BgvConfiguration) -> String| {
        let mut found: Vec<String> = others.iter().map(value).collect();
        found.dedup();
        found
    };
    for (what, value) in values {
        let expected = value(&wanted);
        let found = all(value);
        if !found.contains(&expected) {
            return mismatch(what, found.join(", "), expected);
        }
    }
    mismatch("configuration", all(|found| found.to_string()).join("; "), wanted.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may panic")]
    use super::*;
    use cyclotron_schemes::bgv_word::{WordLiteral, WordPreset};

    fn parameters(degree: usize, change: impl FnOnce(&mut WordLiteral)) -> WordParameters {
        let preset = WordPreset::named("PAPER_128_P2").unwrap();
        let mut literal = WordLiteral { degree, root: None, ..preset.acknowledged() };
        change(&mut literal);
        WordParameters::new(literal).unwrap()
    }

    #[test]
    fn the_processor_is_always_there_and_serves_every_set() {
        let all = bgv_devices();
        assert_eq!((all[0].name, all[0].available, all[0].simulated), (CPU, true, false));
        for preset in cyclotron_schemes::bgv_word::PRESETS {
            let parameters = WordParameters::new(preset.acknowledged()).unwrap();
            let device = open_bgv(CPU, &parameters).unwrap().describe();
            assert_eq!(device.parameters, parameters);
        }
    }

    #[test]
    fn what_is_listed_can_be_opened_by_each_of_its_names() {
        let all = &bgv_devices()[1].configurations;
        for found in all {
            let parameters = parameters(found.degree, |literal| {
                (literal.factors, literal.digit_bits) = (found.factors.clone(), found.digit_bits);
            });
            assert!(found.serves(&parameters), "{found}");
            // Several may be built for the same parameters: the family's name opens the first.
            let first = &all.iter().find(|one| one.serves(&parameters)).unwrap().name;
            for (name, opened) in [(CORE, first), (&found.name, &found.name)] {
                let device = open_bgv(name, &parameters).unwrap().describe();
                assert!(device.simulated && device.name.contains(opened), "{device:?}");
                assert_eq!(device.parameters, parameters);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_named_with_both_values() {
        let error = |name, parameters| open_bgv(name, parameters).err().unwrap().to_string();
        let toy = parameters(16, |_| ());
        for name in ["fpga", "bfv-crypt", "bfv-crypt:toy16", "cpu:x"] {
            let text = error(name, &toy);
            assert!(text.contains(name) && text.contains("cpu or bgv-core"), "{text}");
        }
        for name in SimModel::left_out().iter().filter(|name| split(name).0 == CORE) {
            let text = error(name, &toy);
            assert!(text.contains("CYCLOTRON_SIM_MODELS") && text.contains(name), "{text}");
        }
        let listing = &bgv_devices()[1];
        assert_eq!(listing.available, listing.remedy.is_none());
        if let Some(remedy) = &listing.remedy {
            let text = error(CORE, &toy);
            assert!(text.contains(remedy), "{text}");
            return;
        }
        let text = error("bgv-core:huge", &toy);
        assert!(text.contains(&listing.configurations[0].name), "{text}");
        for (wanted, what, expected) in [
            (parameters(32, |_| ()), "degree", "32"),
            (parameters(16, |l| l.digit_bits = 6), "bits of a digit", "6"),
            (
                parameters(16, |l| l.factors = vec![12_289, 10_753]),
                "factors of the modulus",
                "12289 * 10753",
            ),
        ] {
            let found = open_bgv(CORE, &wanted).err().unwrap();
            assert!(
                matches!(&found, BgvDeviceError::Device(DeviceError::Mismatch { what: w, expected: e, .. })
                    if *w == what && e == expected),
                "{found}"
            );
        }
    }
}
