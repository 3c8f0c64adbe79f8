//! Driver of the BFV encryption and decryption device (`rtl/bfv_crypt`).
//!
//! [`BfvCrypt`] is a [`CryptDevice`]: for the same key, messages, seed and run counter it returns
//! the words that the processor returns. A run holds 16 plaintexts or 32 ciphertexts ("BFV
//! homomorphic encryption accelerator with integrated Gaussian PRNG on FPGA", sections IV and V).
//! Products follow each other without the paper's hold phase; [`paper`] runs the published schedule.
//!
//! The public key stays in the device between runs, and seed and run counter are written only when
//! the device has not got them already, so the device prepares the next run by itself.

pub mod paper;

use crate::bus::{Bus, Limit};
use crate::link::{Identity, Link, Spent, mismatch, same_bytes};
use crate::registers::bfv_crypt as regs;
use cyclotron_ring::sample::{SecretSeed, SmallPoly};
use cyclotron_schemes::bfv_pow2::device::{check_decrypt, check_encrypt};
use cyclotron_schemes::bfv_pow2::{
    Cost, CryptDevice, DeviceDescription, DeviceError, DeviceResult, EncryptRun, PublicPolynomials,
};
use std::fmt;
use zeroize::Zeroizing;

/// `q = 2^32` and `t = 2^8`, as in the paper.
const LOG_Q: u32 = 32;
const LOG_T: u32 = 8;
const LOG_DELTA: u32 = LOG_Q - LOG_T;
/// Degrees that the register map has room for.
const LOG_N: std::ops::RangeInclusive<u32> = 4..=12;
/// Two-bit codes in a word of the multiplier window.
const CODES_A_WORD: usize = 16;
/// Polynomials that a plaintext makes.
const POLYS_A_PLAINTEXT: usize = 2;

const IDENTITY: Identity =
    Identity { id: regs::ID_VALUE, version: regs::VERSION_VALUE, errors: regs::ERRORS };

/// Memories of the device: regions of its data window.
#[derive(Debug, Clone, Copy)]
enum Region {
    /// The large operands: `p0, p1`, or the `c1` of the ciphertexts. Write only.
    Multiplicand = 0,
    /// What is added: `Delta m` in front of each pair, or the `c0`. Write only.
    Addend = 1,
    /// Results. Read only.
    Output = 2,
}
const REGIONS: u32 = 3;

/// Which way, as the control word's mode bit says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Encrypt = 0,
    Decrypt = 1,
}

/// The device behind a bus.
pub struct BfvCrypt<B: Bus> {
    link: Link<B>,
    description: DeviceDescription,
    /// Bytes of a region of the data window.
    region_bytes: u32,
    /// The public key in the multiplicand memory: `p0`, then `p1`.
    key: Option<Vec<u32>>,
    /// Seed in the device, and the run counter it uses next.
    seed: Option<(SecretSeed, u64)>,
    /// Whether the schedule register says paper.
    paper: bool,
    priming: bool,
}

impl<B: Bus> BfvCrypt<B> {
    /// Takes the device over: checks that it is one that this driver knows, waits for the end of a
    /// wipe, resets it.
    ///
    /// # Errors
    /// [`DeviceError::Mismatch`] with both values when it is another device, another version or
    /// another modulus; [`DeviceError::Busy`] when it works for somebody else;
    /// [`DeviceError::Bus`].
    pub fn open(bus: B) -> DeviceResult<Self> {
        let mut link = Link::open(bus, &IDENTITY)?;
        let sizes = link.sizes(REGIONS)?;
        for (what, found, expected) in [
            ("log2 of the ciphertext modulus", sizes.log_q, LOG_Q),
            ("log2 of the plaintext modulus", sizes.log_t, LOG_T),
        ] {
            if found != expected {
                return Err(mismatch(what, found.to_string(), expected.to_string()));
            }
        }
        if !LOG_N.contains(&sizes.log_n) {
            let expected = format!("{} to {}", LOG_N.start(), LOG_N.end());
            return Err(mismatch("log2 of the degree", sizes.log_n.to_string(), expected));
        }
        let largest = 1usize << regs::CONTROL_COUNT.width;
        if !(POLYS_A_PLAINTEXT..=largest).contains(&sizes.max_polys) {
            let expected = format!("{POLYS_A_PLAINTEXT} to {largest}");
            return Err(mismatch("number of polynomials", sizes.max_polys.to_string(), expected));
        }
        let build = link.read(regs::CONFIG1)?;
        let abilities = link.read(regs::CAPS)?;
        if !regs::CONFIG1_OVERLAP.is_set(build) || !regs::CAPS_RANDOMNESS.is_set(abilities) {
            return Err(DeviceError::Unsupported {
                what: "secure encryption".to_owned(),
                device: link.name,
                remedy: "build the device with its overlapped schedule and its sampler".to_owned(),
            });
        }
        let description = DeviceDescription {
            name: link.name.clone(),
            degree: 1 << sizes.log_n,
            log_q: LOG_Q,
            log_t: LOG_T,
            max_plaintexts: sizes.max_polys / POLYS_A_PLAINTEXT,
            max_ciphertexts: sizes.max_polys,
            simulated: link.bus.simulated(),
        };
        // Before there is a driver to drop: dropping one wipes the device.
        link.take_over((sizes.max_polys << sizes.log_n) as u64)?;
        link.write(regs::MODE, 0)?;
        Ok(Self {
            link,
            description,
            region_bytes: sizes.region_bytes,
            key: None,
            seed: None,
            paper: false,
            priming: true,
        })
    }

    /// The bus, for what this driver has no call for. What is written past the driver (a key, a
    /// seed, a mode) it does not know of.
    pub fn bus_mut(&mut self) -> &mut B {
        &mut self.link.bus
    }

    /// Whether the device begins the first product of a run as soon as its operands are there, while
    /// the messages, or the `c0`, are still on their way (default: yes).
    pub fn set_priming(&mut self, priming: bool) {
        self.priming = priming;
        self.key = None;
    }

    /// How long a run may take; `None` (default) allows several times what it should.
    pub fn set_limit(&mut self, limit: Option<Limit>) {
        self.link.limit = limit;
    }

    /// Wipes keys, randomness and all memories, and waits for the end of it. Dropping the driver
    /// starts the same.
    ///
    /// # Errors
    /// [`DeviceError::Busy`] when the wipe does not end; [`DeviceError::Bus`].
    pub fn wipe(&mut self) -> DeviceResult<()> {
        self.forget();
        self.link.clear()?;
        self.link.wait_idle(self.wipe_words())
    }

    /// Words of a memory: a wipe takes a cycle for each.
    fn wipe_words(&self) -> u64 {
        (self.description.max_ciphertexts * self.description.degree) as u64
    }

    /// What the device holds is no longer known.
    fn forget(&mut self) {
        self.key = None;
        self.seed = None;
    }

    fn address(&self, region: Region, poly: usize) -> u32 {
        // A region holds all polynomials in less than 2^31 bytes: checked when it was opened.
        region as u32 * self.region_bytes + (poly * self.description.degree * 4) as u32
    }

    fn write_polys(&mut self, region: Region, poly: usize, words: &[u32]) -> DeviceResult<()> {
        let address = self.address(region, poly);
        self.link.write_block(address, words)
    }

    fn set_paper(&mut self, paper: bool) -> DeviceResult<()> {
        if self.paper != paper {
            self.link.write(regs::MODE, regs::MODE_PAPER.put(u32::from(paper)))?;
            self.paper = paper;
        }
        Ok(())
    }

    fn control(direction: Direction, polys: usize) -> u32 {
        // 32 polynomials are written as 0.
        let count = polys as u32 % (1 << regs::CONTROL_COUNT.width);
        regs::CONTROL_COUNT.put(count) | regs::CONTROL_MODE.put(direction as u32)
    }

    /// Schedule, direction and count; the start follows when the operands are there.
    fn prepare(&mut self, paper: bool, direction: Direction, polys: usize) -> DeviceResult<()> {
        self.link.demand_idle()?;
        self.set_paper(paper)?;
        self.link.write(regs::CONTROL, Self::control(direction, polys))
    }

    fn run(&mut self, direction: Direction, polys: usize, noise_seed: u32) -> DeviceResult<Spent> {
        let operation = match direction {
            Direction::Encrypt => "encryption",
            Direction::Decrypt => "decryption",
        };
        let control = Self::control(direction, polys) | regs::CONTROL_LFSR_SEED.put(noise_seed);
        // The slower schedule takes 2n cycles a polynomial.
        let expected = 2 * self.description.degree as u64 * (polys as u64 + 2);
        self.link.run(operation, control, expected)
    }

    /// Runs `work` and says what it cost. After an error the device is reset and nothing is assumed
    /// of what it holds, so that it can be used again.
    fn costed(
        &mut self,
        work: impl FnOnce(&mut Self) -> DeviceResult<Spent>,
    ) -> DeviceResult<Cost> {
        let begin = self.link.bus.cycles();
        match work(self) {
            Ok(spent) => Ok(self.link.cost(begin, spent)),
            Err(error) => {
                // Somebody else's run is not ours to end.
                if !matches!(error, DeviceError::Busy { .. }) {
                    self.forget();
                    let _ = self.link.reset();
                }
                Err(error)
            }
        }
    }

    /// The public key into the multiplicand memory, unless it is there.
    fn load_key(&mut self, key: PublicPolynomials<'_>) -> DeviceResult<()> {
        let words = key.p0.iter().chain(key.p1).map(|&word| word as u32);
        if self.key.as_ref().is_some_and(|known| words.clone().eq(known.iter().copied())) {
            return Ok(());
        }
        self.key = None;
        let words: Vec<u32> = words.collect();
        self.write_polys(Region::Multiplicand, 0, &words)?;
        self.operand_loaded()?;
        self.key = Some(words);
        Ok(())
    }

    /// Multiplicand and multiplier are complete: the first product may begin ahead of the start.
    fn operand_loaded(&mut self) -> DeviceResult<()> {
        if self.priming && !self.paper {
            self.link.write(regs::CTRL, regs::CTRL_KEY_LOADED.mask())?;
        }
        Ok(())
    }

    /// Seed and run counter, unless the device has counted up to them by itself.
    fn load_seed(&mut self, seed: &SecretSeed, run_counter: u64) -> DeviceResult<()> {
        let known =
            self.seed.as_ref().filter(|(known, _)| same_bytes(known.expose(), seed.expose()));
        let next = known.map(|&(_, next)| next);
        if next == Some(run_counter) {
            return Ok(());
        }
        if next.is_none() {
            self.seed = None;
            for (address, word) in (regs::SEED..).step_by(4).zip(seed.expose().chunks_exact(4)) {
                let mut bytes = Zeroizing::new([0; 4]);
                bytes.copy_from_slice(word);
                self.link.write(address, u32::from_le_bytes(*bytes))?;
            }
        }
        self.link.write(regs::RUN_COUNTER_LO, run_counter as u32)?;
        self.link.write(regs::RUN_COUNTER_HI, (run_counter >> 32) as u32)?;
        match self.link.take_error()? {
            None => {
                self.seed = Some((SecretSeed::new(*seed.expose()), run_counter));
                Ok(())
            }
            Some(DeviceError::Refused { name, .. }) if name == "COUNTER_REUSED" => {
                // Unknown after the driver was opened on a device that was in use.
                let next = next.unwrap_or(run_counter.saturating_add(1));
                Err(DeviceError::CounterReused { given: run_counter, next })
            }
            Some(DeviceError::Refused { name, .. }) if name == "COUNTER_EXHAUSTED" => {
                Err(DeviceError::CounterExhausted { given: run_counter })
            }
            Some(other) => Err(other),
        }
    }

    /// Ternary codes, lowest degree in the lowest bits: 00 is 0, 01 is 1, 11 is -1.
    fn load_multiplier(&mut self, ternary: &SmallPoly) -> DeviceResult<()> {
        self.key = None; // what was prepared with it is undone
        for (index, coefficients) in ternary.as_slice().chunks(CODES_A_WORD).enumerate() {
            let codes = coefficients.iter().rev();
            // In two's complement the two low bits of 0, 1 and -1 are the codes.
            let word = Zeroizing::new(codes.fold(0u32, |word, &c| word << 2 | (c as u32 & 3)));
            self.link.write(regs::MULTIPLIER + 4 * index as u32, *word)?;
        }
        Ok(())
    }

    /// The first words of the output memory.
    fn read_output(&mut self, words: &mut [u32]) -> DeviceResult<()> {
        let address = self.address(Region::Output, 0);
        self.link.read_block(address, words)
    }

    /// `c0, c1` of each plaintext in turn.
    fn read_ciphertexts(&mut self, c0: &mut [u64], c1: &mut [u64]) -> DeviceResult<()> {
        let n = self.description.degree;
        let mut words = vec![0; 2 * c0.len()];
        self.read_output(&mut words)?;
        let outputs = c0.chunks_exact_mut(n).zip(c1.chunks_exact_mut(n));
        for (pair, (c0, c1)) in words.chunks_exact(2 * n).zip(outputs) {
            widen(&pair[..n], c0);
            widen(&pair[n..], c1);
        }
        Ok(())
    }

    fn decrypt_run(
        &mut self,
        paper: bool,
        secret: &SmallPoly,
        c0: &[u64],
        c1: &[u64],
        messages: &mut [u64],
    ) -> DeviceResult<Cost> {
        let batch = check_decrypt(&self.description, secret, c0, c1, messages)?;
        self.costed(|device| {
            device.prepare(paper, Direction::Decrypt, batch)?;
            device.load_multiplier(secret)?;
            device.write_polys(Region::Multiplicand, 0, &narrow(c1))?;
            device.operand_loaded()?;
            device.write_polys(Region::Addend, 0, &narrow(c0))?;
            let run = device.run(Direction::Decrypt, batch, 0)?;
            let mut words = Zeroizing::new(vec![0; messages.len()]);
            device.read_output(&mut words)?;
            widen(&words, messages);
            Ok(run)
        })
    }
}

impl<B: Bus> CryptDevice for BfvCrypt<B> {
    fn describe(&self) -> DeviceDescription {
        self.description.clone()
    }

    fn encrypt(
        &mut self,
        run: &EncryptRun<'_>,
        c0: &mut [u64],
        c1: &mut [u64],
    ) -> DeviceResult<Cost> {
        let batch = check_encrypt(&self.description, run, c0, c1)?;
        let degree = self.description.degree;
        self.costed(|device| {
            device.prepare(false, Direction::Encrypt, POLYS_A_PLAINTEXT * batch)?;
            device.load_key(run.key)?;
            device.load_seed(run.seed, run.run_counter)?;
            let mut scaled = Zeroizing::new(vec![0; degree]);
            for (k, message) in run.messages.chunks_exact(degree).enumerate() {
                scale(message, &mut scaled);
                // The polynomials between are taken as zero without being read.
                device.write_polys(Region::Addend, POLYS_A_PLAINTEXT * k, &scaled)?;
            }
            let spent = device.run(Direction::Encrypt, POLYS_A_PLAINTEXT * batch, 0)?;
            if let Some((_, next)) = &mut device.seed {
                *next = run.run_counter + 1;
            }
            device.read_ciphertexts(c0, c1)?;
            Ok(spent)
        })
    }

    fn decrypt(
        &mut self,
        secret: &SmallPoly,
        c0: &[u64],
        c1: &[u64],
        messages: &mut [u64],
    ) -> DeviceResult<Cost> {
        self.decrypt_run(false, secret, c0, c1, messages)
    }
}

impl<B: Bus> Drop for BfvCrypt<B> {
    fn drop(&mut self) {
        // A bus that fails now has nobody to hear it; the wipe goes on without the host.
        let _ = self.link.clear();
    }
}

impl<B: Bus> fmt::Debug for BfvCrypt<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BfvCrypt")
            .field("description", &self.description)
            .field("key_loaded", &self.key.is_some())
            .field("seeded", &self.seed.is_some())
            .finish_non_exhaustive()
    }
}

/// `Delta m`.
fn scale(message: &[u64], scaled: &mut [u32]) {
    for (word, &m) in scaled.iter_mut().zip(message) {
        *word = (m as u32) << LOG_DELTA;
    }
}

/// Words that have been checked to be below `2^32`.
fn narrow(words: &[u64]) -> Vec<u32> {
    words.iter().map(|&word| word as u32).collect()
}

fn widen(words: &[u32], out: &mut [u64]) {
    for (out, &word) in out.iter_mut().zip(words) {
        *out = word.into();
    }
}
