//! `cyclotron rtl info`: the devices of this build and what their configuration words say.

use crate::arguments::Global;
use crate::failure::Result;
use crate::output::{self, Output};
use clap::Args;
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

#[derive(Serialize)]
struct Report {
    devices: Vec<Device>,
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
    let report = Report { devices };
    Output::report(&report, human(&report))
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
    output::render(&mut table)
}
