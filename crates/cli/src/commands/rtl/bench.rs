//! A device beside the processor: equal words, the cycles of one and the time of the other.

use super::info::LOG_Q;
use super::paper::PaperDevice;
use crate::failure::{Failure, Result};
use cyclotron_devices::attack::paper_mode::PERIOD;
use cyclotron_devices::attack::scheme::DemoKey;
use cyclotron_ring::sample::{SecretRng, SecretSeed, SmallPoly};
use cyclotron_schemes::Error;
use cyclotron_schemes::bfv_pow2::{
    Cost, CpuCrypt, CryptDevice, DeviceDescription, DeviceError, EncryptRun, PublicPolynomials,
    RUN_PLAINTEXTS,
};
use serde::Serialize;
use std::time::{Duration, Instant};

/// The processor is measured until this much time has gone, or [`MOST_PASSES`].
const MEASURED: Duration = Duration::from_millis(300);
const MOST_PASSES: usize = 1000;

/// One measurement.
#[derive(Debug, Serialize)]
pub(super) struct Measured {
    /// Plaintexts or ciphertexts.
    pub items: usize,
    /// Starts of the device.
    pub runs: usize,
    /// Cycles from start to done, over all runs; none for a device that counts none.
    pub compute_cycles: Option<u64>,
    /// Cycles of carrying operands and results.
    pub transfer_cycles: Option<u64>,
    /// How long the device was simulated: of no meaning for hardware.
    pub simulation_seconds: f64,
    /// The processor for all items, one thread, keys prepared: the sum over the runs, each at its
    /// fastest, when other work on the machine disturbed it least. None for the paper's mode, which
    /// has no fast software.
    pub processor_seconds: Option<f64>,
    /// Passes over all items.
    pub processor_passes: usize,
    /// Always true: a difference is a failure of the command.
    pub identical: bool,
}

/// What of a run in the paper's mode is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Encryption,
    Decryption,
}

/// The fastest time of each run of a pass, in seconds.
#[derive(Default)]
pub(super) struct Fastest {
    runs: Vec<f64>,
    passes: usize,
}

/// Both, with a key.
pub(super) struct Bench {
    name: String,
    device: Box<dyn CryptDevice>,
    processor: CpuCrypt,
    degree: usize,
    log_t: u32,
    p0: Vec<u64>,
    p1: Vec<u64>,
    secret: SmallPoly,
    seed: SecretSeed,
    /// The next unused one.
    run_counter: u64,
    rng: SecretRng,
}

impl Bench {
    /// Opens the device, and draws a key; `seed` fixes all that is drawn.
    pub fn open(name: &str, degree: usize, log_t: u32, seed: u64) -> Result<Self> {
        let device = cyclotron_devices::open(name, degree, LOG_Q, log_t).map_err(refused)?;
        let processor = CpuCrypt::new(degree, LOG_Q, log_t).map_err(refused)?;
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut rng = SecretRng::from_seed(SecretSeed::new(bytes));
        rng.fill_bytes(&mut bytes);
        let key = DemoKey::generate(degree, bytes)?;
        rng.fill_bytes(&mut bytes);
        let wide = |words: &[u32]| words.iter().map(|&x| u64::from(x)).collect();
        Ok(Self {
            name: name.to_owned(),
            device,
            processor,
            degree,
            log_t,
            p0: wide(key.public.p0()),
            p1: wide(key.public.p1()),
            secret: SmallPoly::from_coefficients(key.secret),
            seed: SecretSeed::new(bytes),
            run_counter: 0,
            rng,
        })
    }

    pub fn device_description(&self) -> DeviceDescription {
        self.device.describe()
    }

    pub fn processor_name(&self) -> String {
        self.processor.describe().name
    }

    /// Encrypts so many random messages on both.
    pub fn encrypt(&mut self, items: usize) -> Result<Measured> {
        let messages = self.messages(items);
        let empty = || vec![0; messages.len()];
        let (mut c0, mut c1) = (empty(), empty());
        let start = Instant::now();
        let cost = self.encrypt_on(true, &messages, [&mut c0, &mut c1], &mut Fastest::default())?;
        let simulation_seconds = start.elapsed().as_secs_f64();
        let (mut d0, mut d1) = (empty(), empty());
        self.encrypt_on(false, &messages, [&mut d0, &mut d1], &mut Fastest::default())?;
        if (&c0, &c1) != (&d0, &d1) {
            return Err(differs("ciphertexts"));
        }
        let runs = runs(items, RUN_PLAINTEXTS);
        self.run_counter += runs as u64;
        let fastest = Fastest::of_passes(|fastest| {
            self.encrypt_on(false, &messages, [&mut d0, &mut d1], fastest)?;
            self.run_counter += runs as u64;
            Ok(())
        })?;
        Ok(measured(items, runs, cost, simulation_seconds, &fastest))
    }

    /// Decrypts so many ciphertexts, which the processor made, on both.
    pub fn decrypt(&mut self, items: usize) -> Result<Measured> {
        let messages = self.messages(items);
        let (mut c0, mut c1) = (vec![0; messages.len()], vec![0; messages.len()]);
        self.encrypt_on(false, &messages, [&mut c0, &mut c1], &mut Fastest::default())?;
        self.run_counter += runs(items, RUN_PLAINTEXTS) as u64;
        let mut out = vec![0; messages.len()];
        let start = Instant::now();
        let decrypt = |device: &mut dyn CryptDevice, out: &mut [u64], fastest: &mut Fastest| {
            decrypt_on(device, &self.secret, self.degree, [&c0, &c1], out, fastest)
        };
        let cost = decrypt(&mut *self.device, &mut out, &mut Fastest::default())?;
        let simulation_seconds = start.elapsed().as_secs_f64();
        let mut expected = vec![0; messages.len()];
        let fastest = Fastest::of_passes(|fastest| {
            decrypt(&mut self.processor, &mut expected, fastest).map(|_| ())
        })?;
        // Noise does not decide here: at t = 2^16 it may, and then both decide alike.
        if out != expected {
            return Err(differs("messages"));
        }
        let most = self.device.describe().max_ciphertexts;
        Ok(measured(items, runs(items, most), cost, simulation_seconds, &fastest))
    }

    /// The paper's mode, a run after the other; compared with its software, and with the messages.
    pub fn paper(&mut self, items: usize, half: Half) -> Result<Measured> {
        let mut device = PaperDevice::open(&self.name, self.degree)?;
        let mut bytes = [0; 32];
        self.rng.fill_bytes(&mut bytes);
        let key = DemoKey::generate(self.degree, bytes)?;
        let mut messages = vec![0; items * self.degree];
        self.rng.fill_bytes(&mut messages);
        let (mut cost, mut seconds) = (Cost::default(), 0.0);
        for messages in messages.chunks(RUN_PLAINTEXTS * self.degree) {
            let u = SmallPoly::ternary(&mut self.rng, self.degree);
            let noise_seed = (self.rng.next_u64() % PERIOD as u64) as u32 + 1;
            let start = Instant::now();
            let (ciphertexts, encryption) =
                device.encrypt(&key.public, messages, u.as_slice(), noise_seed)?;
            let middle = Instant::now();
            let (decrypted, decryption) = device.decrypt(&key.secret, &ciphertexts)?;
            if decrypted != messages {
                return Err(differs("messages"));
            }
            let (part, time) = match half {
                Half::Encryption => (encryption, middle - start),
                Half::Decryption => (decryption, middle.elapsed()),
            };
            cost += part;
            seconds += time.as_secs_f64();
        }
        Ok(measured(items, runs(items, RUN_PLAINTEXTS), cost, seconds, &Fastest::default()))
    }

    fn messages(&mut self, items: usize) -> Vec<u64> {
        let mut messages = vec![0; items * self.degree];
        self.rng.fill_words(&mut messages);
        messages.iter_mut().for_each(|m| *m >>= u64::BITS - self.log_t);
        messages
    }

    /// All messages, a run after the other from the next counter on.
    fn encrypt_on(
        &mut self,
        on_device: bool,
        messages: &[u64],
        [c0, c1]: [&mut Vec<u64>; 2],
        fastest: &mut Fastest,
    ) -> Result<Cost> {
        let device: &mut dyn CryptDevice =
            if on_device { &mut *self.device } else { &mut self.processor };
        let size = RUN_PLAINTEXTS * self.degree;
        let mut cost = Cost::default();
        let parts = messages.chunks(size).zip(c0.chunks_mut(size)).zip(c1.chunks_mut(size));
        for (i, ((messages, c0), c1)) in parts.enumerate() {
            let key = PublicPolynomials { p0: &self.p0, p1: &self.p1 };
            let run_counter = self.run_counter + i as u64;
            let run = EncryptRun { key, messages, seed: &self.seed, run_counter };
            cost += fastest.time(i, || device.encrypt(&run, c0, c1)).map_err(refused)?;
        }
        Ok(cost)
    }
}

fn decrypt_on(
    device: &mut dyn CryptDevice,
    secret: &SmallPoly,
    degree: usize,
    [c0, c1]: [&[u64]; 2],
    out: &mut [u64],
    fastest: &mut Fastest,
) -> Result<Cost> {
    let size = device.describe().max_ciphertexts * degree;
    let mut cost = Cost::default();
    let parts = c0.chunks(size).zip(c1.chunks(size)).zip(out.chunks_mut(size));
    for (i, ((c0, c1), out)) in parts.enumerate() {
        cost += fastest.time(i, || device.decrypt(secret, c0, c1, out)).map_err(refused)?;
    }
    Ok(cost)
}

pub(super) fn runs(items: usize, most: usize) -> usize {
    items.div_ceil(most.max(1))
}

impl Fastest {
    /// Makes passes over all items until enough time has gone.
    pub fn of_passes(mut pass: impl FnMut(&mut Self) -> Result<()>) -> Result<Self> {
        let begin = Instant::now();
        let mut fastest = Self::default();
        while fastest.passes == 0 || (begin.elapsed() < MEASURED && fastest.passes < MOST_PASSES) {
            pass(&mut fastest)?;
            fastest.passes += 1;
        }
        Ok(fastest)
    }

    /// Does run `i` of a pass and keeps its time when it is the least so far.
    pub fn time<T>(&mut self, i: usize, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        let seconds = start.elapsed().as_secs_f64();
        match self.runs.get_mut(i) {
            Some(least) => *least = least.min(seconds),
            None => self.runs.push(seconds),
        }
        result
    }
}

pub(super) fn measured(
    items: usize,
    runs: usize,
    cost: Cost,
    simulation_seconds: f64,
    fastest: &Fastest,
) -> Measured {
    Measured {
        items,
        runs,
        compute_cycles: cost.compute_cycles,
        transfer_cycles: cost.transfer_cycles,
        simulation_seconds,
        processor_seconds: (fastest.passes > 0).then(|| fastest.runs.iter().sum()),
        processor_passes: fastest.passes,
        identical: true,
    }
}

fn refused(error: DeviceError) -> Failure {
    Error::from(error).into()
}

pub(super) fn differs(what: &str) -> Failure {
    let message = format!("{what} of the device differ from those of the processor");
    Failure::refused("device_differs", message)
        .remedy("this is a fault of the device or of its driver; report it with the command line")
}
