//! `cyclotron rtl info`: the devices of this build and what their configuration words say.

use crate::arguments::Global;
use crate::failure::Result;
use crate::output::{self, Output};
use clap::Args;
use cyclotron_devices::BgvConfiguration;
use cyclotron_schemes::bfv_pow2::DeviceDescription;
use serde::Serialize;

/// `q = 2^32` in every device so far.
pub(super) const LOG_Q: u32 = 32;

/// No options of its own.
#[derive(Debug, Args)]
pub struct InfoArguments {}

#[derive(Serialize)]
struct Device {
    name: &'static str,
    description: &'static str,
    available: bool,
    remedy: Option<String>,
    configurations: Vec<Configuration>,
}

/// One configuration, as the device itself says when it is opened.
#[derive(Serialize)]
struct Configuration {
    says: String,
    degree: usize,
    log_q: u32,
    log_t: u32,
    max_plaintexts: usize,
    max_ciphertexts: usize,
}

impl From<DeviceDescription> for Configuration {
    fn from(description: DeviceDescription) -> Self {
        let DeviceDescription { name, degree, log_q, log_t, .. } = description;
        let DeviceDescription { max_plaintexts, max_ciphertexts, .. } = description;
        Self { says: name, degree, log_q, log_t, max_plaintexts, max_ciphertexts }
    }
}

/// A device for leveled circuits of BGV.
#[derive(Serialize)]
struct BgvDevice {
    name: &'static str,
    description: &'static str,
    available: bool,
    remedy: Option<String>,
    configurations: Vec<BgvBuilt>,
}

/// What a configuration of it has built in.
#[derive(Serialize)]
struct BgvBuilt {
    name: String,
    degree: usize,
    factors: Vec<u64>,
    digit_bits: u32,
}

#[derive(Serialize)]
struct Report {
    devices: Vec<Device>,
    bgv_devices: Vec<BgvDevice>,
}

/// Opens every configuration of every simulated device and asks it.
pub fn run(_global: &Global) -> Result<Output> {
    let mut devices = Vec::new();
    for listing in cyclotron_devices::devices() {
        if !listing.simulated {
            continue;
        }
        let mut configurations = Vec::new();
        if listing.available {
            for &degree in &listing.degrees {
                for &log_t in &listing.log_t {
                    let device = cyclotron_devices::open(listing.name, degree, LOG_Q, log_t)
                        .map_err(cyclotron_schemes::Error::from)?;
                    configurations.push(device.describe().into());
                }
            }
        }
        devices.push(Device {
            name: listing.name,
            description: listing.description,
            available: listing.available,
            remedy: listing.remedy,
            configurations,
        });
    }
    let report = Report { devices, bgv_devices: bgv_devices() };
    Output::report(&report, human(&report))
}

fn bgv_devices() -> Vec<BgvDevice> {
    let built = |found: BgvConfiguration| {
        let BgvConfiguration { name, degree, factors, digit_bits } = found;
        BgvBuilt { name, degree, factors, digit_bits }
    };
    cyclotron_devices::bgv_devices()
        .into_iter()
        .filter(|listing| listing.simulated)
        .map(|listing| BgvDevice {
            name: listing.name,
            description: listing.description,
            available: listing.available,
            remedy: listing.remedy,
            configurations: listing.configurations.into_iter().map(built).collect(),
        })
        .collect()
}

fn human(report: &Report) -> String {
    let mut table = output::table(
        ["device", "degree", "q", "t", "plain- / ciphertexts", "what"],
        &[1, 2, 3, 4],
    );
    for device in &report.devices {
        if device.configurations.is_empty() {
            let why = device.remedy.as_deref().unwrap_or("not in this build");
            table.add_row([device.name, "", "", "", "", why]);
        }
        for configuration in &device.configurations {
            table.add_row([
                device.name.to_owned(),
                configuration.degree.to_string(),
                format!("2^{}", configuration.log_q),
                format!("2^{}", configuration.log_t),
                format!("{} / {}", configuration.max_plaintexts, configuration.max_ciphertexts),
                configuration.says.clone(),
            ]);
        }
    }
    let mut circuits =
        output::table(["device for circuits", "degree", "Q", "bits a digit", "what"], &[1, 2, 3]);
    for device in &report.bgv_devices {
        if device.configurations.is_empty() {
            let why = device.remedy.as_deref().unwrap_or("not in this build");
            circuits.add_row([device.name, "", "", "", why]);
        }
        for built in &device.configurations {
            let factors: Vec<String> = built.factors.iter().map(u64::to_string).collect();
            circuits.add_row([
                built.name.clone(),
                built.degree.to_string(),
                factors.join(" * "),
                built.digit_bits.to_string(),
                device.description.to_owned(),
            ]);
        }
    }
    format!("{}\n\n{}", output::render(&mut table), output::render(&mut circuits))
}
