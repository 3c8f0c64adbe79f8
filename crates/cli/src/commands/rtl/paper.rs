//! The simulated BFV device in the paper's mode, compared with the software of that mode.

use crate::failure::{Failure, Result};
use cyclotron_devices::attack::paper_mode;
use cyclotron_devices::attack::scheme::{Ciphertexts, PublicKey};
use cyclotron_devices::bfv_crypt::BfvCrypt;
use cyclotron_devices::bfv_crypt::paper::{InsecurePaperMode, PaperRun};
use cyclotron_devices::{BusError, SimBus, SimModel};
use cyclotron_ring::sample::SmallPoly;
use cyclotron_schemes::Error;
use cyclotron_schemes::bfv_pow2::{Cost, CryptDevice, DeviceError, PublicPolynomials};

/// A device that has the paper's mode.
pub(super) struct PaperDevice(BfvCrypt<SimBus>);

impl PaperDevice {
    /// Opens the simulated device of this name with this degree; `bfv-crypt` is the one of that
    /// name that has it, `bfv-crypt:toy16` a certain configuration.
    pub fn open(name: &str, degree: usize) -> Result<Self> {
        let models: Vec<SimModel> = if name.contains(':') {
            vec![SimModel::find(name).map_err(no_model)?]
        } else {
            SimModel::find(name).map_err(no_model)?;
            SimModel::all().iter().filter(|model| model.device() == name).copied().collect()
        };
        let mut degrees = Vec::new();
        for model in models {
            let bus = SimBus::open(model).map_err(no_model)?;
            let device = BfvCrypt::open(bus).map_err(refused)?;
            let found = device.describe().degree;
            if found == degree {
                return Ok(Self(device));
            }
            degrees.push(found.to_string());
        }
        let message = format!("{name} has degree {}, not {degree}", degrees.join(" or "));
        Err(Failure::usage("device", message).remedy("cyclotron rtl info lists the degrees"))
    }

    /// Encrypts on the device; fails unless the software model gives the same words.
    pub fn encrypt(
        &mut self,
        key: &PublicKey,
        messages: &[u8],
        u: &[i32],
        noise_seed: u32,
    ) -> Result<(Ciphertexts, Cost)> {
        let wide = |words: &[u32]| words.iter().map(|&x| u64::from(x)).collect::<Vec<u64>>();
        let (p0, p1) = (wide(key.p0()), wide(key.p1()));
        let u_poly = SmallPoly::from_coefficients(u.to_vec());
        let wide_messages: Vec<u64> = messages.iter().map(|&m| u64::from(m)).collect();
        let run = PaperRun {
            key: PublicPolynomials { p0: &p0, p1: &p1 },
            messages: &wide_messages,
            u: &u_poly,
            noise_seed,
        };
        let (mut c0, mut c1) = (vec![0; messages.len()], vec![0; messages.len()]);
        let acknowledged = InsecurePaperMode::acknowledge();
        let cost = self.0.encrypt_paper(acknowledged, &run, &mut c0, &mut c1).map_err(refused)?;
        let n = key.degree();
        let pairs = c0.chunks_exact(n).zip(c1.chunks_exact(n));
        let words = pairs.flat_map(|(c0, c1)| c0.iter().chain(c1)).map(|&x| x as u32).collect();
        let ciphertexts = Ciphertexts::new(n, words)?;
        if ciphertexts != paper_mode::encrypt(key, messages, u, noise_seed)? {
            let message = "the device's ciphertexts of the paper's mode are not those of its model";
            return Err(Failure::refused("device_differs", message));
        }
        Ok((ciphertexts, cost))
    }

    /// Decrypts on the device with the paper's schedule.
    pub fn decrypt(
        &mut self,
        secret: &[i32],
        ciphertexts: &Ciphertexts,
    ) -> Result<(Vec<u8>, Cost)> {
        let n = ciphertexts.degree();
        let secret = SmallPoly::from_coefficients(secret.to_vec());
        let part = |part: usize| {
            let polynomials = ciphertexts.words().chunks_exact(n).skip(part).step_by(2);
            polynomials.flatten().map(|&x| u64::from(x)).collect::<Vec<u64>>()
        };
        let (c0, c1) = (part(0), part(1));
        let mut messages = vec![0; c0.len()];
        let cost = self.0.decrypt_paper(&secret, &c0, &c1, &mut messages).map_err(refused)?;
        Ok((messages.into_iter().map(|m| m as u8).collect(), cost))
    }
}

fn no_model(error: BusError) -> Failure {
    Failure::usage("device", error.to_string()).remedy("cyclotron rtl info lists the devices")
}

fn refused(error: DeviceError) -> Failure {
    Error::from(error).into()
}
