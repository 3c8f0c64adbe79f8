//! Devices by name: what there is in this build, and the one whose size fits.
//!
//! [`devices`] and [`open`] are for BFV, [`bgv_devices`] and [`open_bgv`] for leveled circuits of BGV.

mod bgv;

pub use bgv::{BgvConfiguration, BgvListing, bgv_devices, open_bgv, open_bgv_core};

use crate::bfv_crypt::BfvCrypt;
use crate::bfv_mini::BfvMini;
use crate::sim::{SimBus, SimModel, build_with};
use cyclotron_schemes::bfv_pow2::{
    CpuCrypt, CryptDevice, DeviceDescription, DeviceError, DeviceResult,
};

/// The device that needs no hardware and no simulator.
pub const CPU: &str = "cpu";

/// What a device is, for lists of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceListing {
    /// Its name, for [`open`].
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// Ring degrees that can be opened; empty for any.
    pub degrees: Vec<usize>,
    /// `log2 q`; none for any.
    pub log_q: Option<u32>,
    /// `log2 t`; empty for any.
    pub log_t: Vec<u32>,
    /// Whether its cycles are those of a simulation.
    pub simulated: bool,
    /// Whether it can be opened.
    pub available: bool,
    /// What to do when it cannot.
    pub remedy: Option<String>,
}

/// A kind of simulated device.
struct Kind {
    name: &'static str,
    description: &'static str,
    open: fn(SimBus) -> DeviceResult<Box<dyn CryptDevice>>,
}

/// Drivers by the device's name.
const KINDS: [Kind; 2] = [
    Kind {
        name: "bfv-crypt",
        description: "BFV on a systolic array, its RTL simulated cycle by cycle",
        open: |bus| Ok(Box::new(BfvCrypt::open(bus)?)),
    },
    Kind {
        name: "bfv-mini",
        description: "BFV of degree 4, 8, 16 on a two-dimensional array, simulated likewise",
        open: |bus| Ok(Box::new(BfvMini::open(bus)?)),
    },
];

/// What to do when this build has no model of a device.
fn remedy(device: &str) -> String {
    let of_kind = |name: &&&str| name.split(':').next() == Some(device);
    let left_out: Vec<&str> = SimModel::left_out().iter().filter(of_kind).copied().collect();
    if left_out.is_empty() {
        "build with the feature `sim`, which needs Verilator (make setup)".to_owned()
    } else {
        build_with(&left_out)
    }
}

/// The devices of this build, the processor first.
#[must_use]
pub fn devices() -> Vec<DeviceListing> {
    let processor = DeviceListing {
        name: CPU,
        description: "this machine's processor, the reference of all devices",
        degrees: Vec::new(),
        log_q: None,
        log_t: Vec::new(),
        simulated: false,
        available: true,
        remedy: None,
    };
    std::iter::once(processor).chain(KINDS.iter().map(list)).collect()
}

fn list(kind: &Kind) -> DeviceListing {
    let mut sizes: Vec<DeviceDescription> = models(kind.name)
        .filter_map(|model| start(kind, model).ok())
        .map(|d| d.describe())
        .collect();
    sizes.sort_by_key(|size| size.degree);
    let (mut degrees, mut log_t): (Vec<usize>, Vec<u32>) =
        sizes.iter().map(|size| (size.degree, size.log_t)).unzip();
    degrees.dedup();
    log_t.sort_unstable();
    log_t.dedup();
    let available = !sizes.is_empty();
    DeviceListing {
        name: kind.name,
        description: kind.description,
        degrees,
        log_q: sizes.first().map(|size| size.log_q),
        log_t,
        simulated: true,
        available,
        remedy: (!available).then(|| remedy(kind.name)),
    }
}

fn models(device: &'static str) -> impl Iterator<Item = SimModel> {
    SimModel::all().iter().copied().filter(move |model| model.device() == device)
}

fn bus(model: SimModel) -> DeviceResult<SimBus> {
    SimBus::open(model).map_err(|error| DeviceError::Bus(error.to_string()))
}

fn start(kind: &Kind, model: SimModel) -> DeviceResult<Box<dyn CryptDevice>> {
    (kind.open)(bus(model)?)
}

/// A device's name, and the configuration that stands after a colon.
fn split(name: &str) -> (&str, Option<&str>) {
    name.split_once(':').map_or((name, None), |(family, rest)| (family, Some(rest)))
}

/// An error for a name of this device of which this build has no model.
fn no_model(device: &'static str, name: &str) -> DeviceError {
    if SimModel::left_out().contains(&name) {
        return unknown(name, build_with(&[name]));
    }
    let all: Vec<String> = models(device).map(|model| model.to_string()).collect();
    if all.is_empty() {
        return unknown(name, remedy(device));
    }
    unknown(name, format!("choose one of {}", all.join(", ")))
}

/// Opens the device called `name`: "cpu", a kind of device, of which the configuration with this
/// degree is taken, or one configuration such as "bfv-crypt:toy16".
///
/// # Errors
/// [`DeviceError::Unsupported`] for an unknown name, or when this build has no simulator;
/// [`DeviceError::Mismatch`] with both values when no configuration fits; as the device fails.
pub fn open(
    name: &str,
    degree: usize,
    log_q: u32,
    log_t: u32,
) -> DeviceResult<Box<dyn CryptDevice>> {
    if name == CPU {
        return Ok(Box::new(CpuCrypt::new(degree, log_q, log_t)?));
    }
    let (family, configuration) = split(name);
    let Some(kind) = KINDS.iter().find(|kind| kind.name == family) else {
        let known: Vec<&str> = std::iter::once(CPU).chain(KINDS.iter().map(|k| k.name)).collect();
        return Err(unknown(name, format!("choose one of {}", known.join(", "))));
    };
    // Small ones first: they are opened in no time, so that trying them costs little.
    let mut found = Vec::new();
    for model in models(kind.name).filter(|m| configuration.is_none_or(|c| m.configuration() == c))
    {
        let device = start(kind, model)?;
        let size = device.describe();
        if (size.degree, size.log_q, size.log_t) == (degree, log_q, log_t) {
            return Ok(device);
        }
        found.push(size);
    }
    if found.is_empty() {
        return Err(no_model(kind.name, name));
    }
    let mismatch = |what, values: Vec<String>, expected: String| {
        Err(DeviceError::Mismatch { what, found: values.join(", "), expected })
    };
    let of = |f: fn(&DeviceDescription) -> String| -> Vec<String> {
        let mut values: Vec<String> = found.iter().map(f).collect();
        values.dedup();
        values
    };
    if found.iter().all(|size| size.log_q != log_q) {
        return mismatch("log2 of q", of(|size| size.log_q.to_string()), log_q.to_string());
    }
    if found.iter().all(|size| size.log_t != log_t) {
        return mismatch("log2 of t", of(|size| size.log_t.to_string()), log_t.to_string());
    }
    mismatch("degree", of(|size| size.degree.to_string()), degree.to_string())
}

fn unknown(name: &str, remedy: String) -> DeviceError {
    DeviceError::Unsupported {
        what: format!("device `{name}`"),
        device: "this build".to_owned(),
        remedy,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may panic")]
    use super::*;

    #[test]
    fn the_processor_is_always_there() {
        let all = devices();
        assert_eq!(all[0].name, CPU);
        assert!(all[0].available);
        let device = open(CPU, 64, 32, 8).unwrap();
        assert_eq!(device.describe().degree, 64);
    }

    #[test]
    fn what_is_listed_can_be_opened() {
        for listing in devices().iter().filter(|listing| listing.available && listing.simulated) {
            for &degree in &listing.degrees {
                let log_t = listing.log_t[0];
                let device = open(listing.name, degree, 32, log_t).unwrap().describe();
                assert_eq!((device.degree, device.log_t), (degree, log_t), "{}", listing.name);
                assert!(device.simulated);
                assert!(device.max_plaintexts >= 16);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_named_with_both_values() {
        let error = |name, degree, log_q, log_t| open(name, degree, log_q, log_t).err().unwrap();
        let text = error("fpga", 16, 32, 8).to_string();
        assert!(text.contains("`fpga`") && text.contains("cpu, bfv-crypt, bfv-mini"), "{text}");
        for listing in devices().iter().filter(|listing| !listing.available) {
            let text = error(listing.name, 16, 32, 8).to_string();
            assert!(text.contains(listing.remedy.as_ref().unwrap()), "{text}");
            let variable = text.contains("CYCLOTRON_SIM_MODELS");
            assert_eq!(variable, cfg!(feature = "sim"), "{text}");
            assert_eq!(text.contains("feature `sim`"), !variable, "{text}");
        }
        let ours = |name: &&&str| KINDS.iter().any(|kind| kind.name == split(name).0);
        for name in SimModel::left_out().iter().filter(ours) {
            let text = error(name, 16, 32, 8).to_string();
            assert!(text.contains("CYCLOTRON_SIM_MODELS") && text.contains(name), "{text}");
        }
        if !devices()[1].available {
            return;
        }
        let text = error("bfv-crypt:huge", 16, 32, 8).to_string();
        assert!(text.contains("bfv-crypt:toy16"), "{text}");
        for (degree, log_q, log_t, what, expected) in [
            (17, 32, 8, "degree", "17"),
            (16, 64, 8, "log2 of q", "64"),
            (16, 32, 16, "log2 of t", "16"),
        ] {
            let found = error("bfv-crypt", degree, log_q, log_t);
            assert!(
                matches!(&found, DeviceError::Mismatch { what: w, expected: e, .. }
                    if *w == what && e == expected),
                "{found}"
            );
        }
    }
}
