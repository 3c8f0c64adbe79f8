//! Driver of the leveled BGV accelerator (`rtl/bgv_core`).
//!
//! [`BgvCore`] is a [`BgvDevice`]: for the same keys, seed, run counter, messages and commands its
//! buffers hold the words that [`CpuBgv`](cyclotron_schemes::bgv_word::CpuBgv) computes. A list of
//! commands runs as one program of the device (`program.rs`), without the host, where ciphertexts may
//! be kept as evaluations between commands; keys go to it as evaluations, in
//! the order of its transform, and cannot be read back. After "complete leveled BGV accelerator"
//! (S-BGV).

mod program;

use crate::bus::{Bus, Limit};
use crate::link::{Identity, Link, mismatch, same_bytes};
use crate::registers::bgv_core as regs;
use cyclotron_ring::sample::SecretSeed;
use cyclotron_schemes::bfv_pow2::{Cost, DeviceError, DeviceResult};
use cyclotron_schemes::bgv_word::device::{check_message, check_parameters, check_size};
use cyclotron_schemes::bgv_word::{
    BgvDescription, BgvDevice, BgvDeviceError, BgvResult, Buffers, Command, Contents, Digits,
    ErrorKind, Plan, PublicKey, Refusal, RelinearizationKey, SecretKey, WordCiphertext,
    WordContext, WordLiteral, WordParameters,
};
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

use program::{Kept, Program};

const IDENTITY: Identity =
    Identity { id: regs::ID_VALUE, version: regs::VERSION_VALUE, errors: regs::ERRORS };

/// Polynomials of a buffer; the number of a polynomial is `4 buffer + part`.
const PARTS: usize = 3;
/// Memories of the device: regions of its data window.
const REGION_BUFFERS: u32 = 0;
const REGION_KEYS: u32 = 1;
const REGIONS: u32 = 2;
/// Sets of keys; the number of a polynomial is `(set << log_lanes) + lane`.
const SET_RELINEARIZATION: u32 = 0;
const SET_PUBLIC: u32 = 1;
const SET_SECRET: u32 = 2;

/// Which keys are in the device.
#[derive(Debug, Clone, Copy, Default)]
struct Loaded {
    public: bool,
    secret: bool,
    relinearization: bool,
}

/// The seed of encryptions.
struct Randomness {
    seed: SecretSeed,
    /// The next unused counter.
    next: u64,
    /// The device has both, and goes on by itself.
    written: bool,
}

/// The device behind a bus.
pub struct BgvCore<B: Bus> {
    link: Link<B>,
    description: BgvDescription,
    /// With the root of unity of the device, in whose order it takes keys.
    context: Arc<WordContext>,
    buffers: Buffers,
    /// Which buffers are kept as evaluations.
    evaluations: Vec<bool>,
    region_bytes: u32,
    log_lanes: u32,
    /// Transform units to use; 0 for all.
    ring: u32,
    loaded: Loaded,
    randomness: Option<Randomness>,
}

impl<B: Bus> BgvCore<B> {
    /// Takes the device over for `parameters`: checks that it is one that this driver knows and
    /// that it was built for them, waits for the end of a wipe, resets it.
    ///
    /// # Errors
    /// [`DeviceError::Mismatch`] with both values when it is another device, version or size;
    /// [`DeviceError::Busy`]; [`DeviceError::Bus`].
    pub fn open(bus: B, parameters: &WordParameters) -> BgvResult<Self> {
        let mut link = Link::open(bus, &IDENTITY)?;
        let sizes = link.sizes(REGIONS)?;
        let levels = link.read(regs::LEVELS)?;
        let mut factors = Vec::new();
        for i in 0..regs::LEVELS_LEVELS.get(levels).min(regs::FACTOR_WORDS as u32) {
            factors.push(u64::from(link.read(regs::FACTOR + 4 * i)?));
        }
        let root = u64::from(link.read(regs::PSI)?);
        let digit_bits = regs::LEVELS_DIGIT_BITS.get(levels);
        let wanted = parameters.literal();
        let degree = 1usize.checked_shl(sizes.log_n).unwrap_or(0);
        for (what, found, expected) in [
            ("degree", degree.to_string(), wanted.degree.to_string()),
            ("factors of the modulus", list(&factors), list(&wanted.factors)),
            ("bits of a digit", digit_bits.to_string(), wanted.digit_bits.to_string()),
        ] {
            if found != expected {
                return Err(mismatch(what, found, expected).into());
            }
        }
        // The root is no part of a parameter set's identity: keys and results are the same.
        let literal = WordLiteral { root: Some(root), ..wanted.clone() };
        let context = WordParameters::new(literal)
            .and_then(|parameters| WordContext::new(&parameters))
            .map_err(|error| {
                mismatch("root of unity", root.to_string(), format!("one that serves: {error}"))
            })?;
        let buffers = 1usize << regs::LEVELS_LOG_BUFFERS.get(levels);
        let description = BgvDescription {
            name: link.name.clone(),
            parameters: parameters.clone(),
            buffers,
            max_commands: regs::PROGRAM_WORDS,
            simulated: link.bus.simulated(),
        };
        // Before there is a driver to drop: dropping one wipes the device.
        link.take_over((buffers << sizes.log_n) as u64)?;
        Ok(Self {
            link,
            description,
            context,
            buffers: Buffers::new(parameters, buffers),
            evaluations: vec![false; buffers],
            region_bytes: sizes.region_bytes,
            log_lanes: regs::LEVELS_LOG_LANES.get(levels),
            ring: 0,
            loaded: Loaded::default(),
            randomness: None,
        })
    }

    /// The bus, for what this driver has no call for. What is written past the driver it does not
    /// know of.
    pub fn bus_mut(&mut self) -> &mut B {
        &mut self.link.bus
    }

    /// How long a run may take; `None` (default) allows several times what it should.
    pub fn set_limit(&mut self, limit: Option<Limit>) {
        self.link.limit = limit;
    }

    /// How many transform units runs use, for measurements; 0 (default) for all.
    pub fn set_units(&mut self, units: u32) {
        self.ring = units;
    }

    /// Wipes keys and all memories, and waits for the end of it. Dropping the driver starts the
    /// same.
    ///
    /// # Errors
    /// [`DeviceError::Busy`] when the wipe does not end; [`DeviceError::Bus`].
    pub fn wipe(&mut self) -> DeviceResult<()> {
        self.loaded = Loaded::default();
        self.randomness = None;
        self.buffers = Buffers::new(&self.description.parameters, self.description.buffers);
        self.evaluations.fill(false);
        self.link.clear()?;
        self.link.wait_idle((self.description.buffers * self.degree()) as u64)
    }

    fn degree(&self) -> usize {
        self.description.parameters.degree()
    }

    fn address(&self, region: u32, polynomial: u32) -> u32 {
        region * self.region_bytes + polynomial * 4 * self.degree() as u32
    }

    fn write_polynomial(&mut self, region: u32, number: u32, words: &[u64]) -> DeviceResult<()> {
        let words: Zeroizing<Vec<u32>> =
            Zeroizing::new(words.iter().map(|&word| word as u32).collect());
        let address = self.address(region, number);
        self.link.write_block(address, &words)
    }

    fn read_polynomial(&mut self, number: u32) -> DeviceResult<Zeroizing<Vec<u64>>> {
        let mut words = Zeroizing::new(vec![0; self.degree()]);
        let address = self.address(REGION_BUFFERS, number);
        self.link.read_block(address, &mut words)?;
        Ok(Zeroizing::new(words.iter().map(|&word| word.into()).collect()))
    }

    fn write_key(&mut self, set: u32, lane: u32, coefficients: &[u64]) -> DeviceResult<()> {
        let values = Zeroizing::new(self.context.evaluations(coefficients));
        self.write_polynomial(REGION_KEYS, (set << self.log_lanes) + lane, &values)
    }

    /// How the buffers' ciphertexts are kept.
    fn kept(&self) -> Vec<Kept> {
        self.evaluations
            .iter()
            .enumerate()
            .map(|(buffer, &evaluations)| match self.buffers.get("run", buffer) {
                Ok(Contents::Ciphertext { level, .. }) => {
                    Kept { level: *level as u32, evaluations }
                }
                _ => Kept::default(),
            })
            .collect()
    }

    /// Options of a run.
    fn options(&self) -> u32 {
        let parameters = &self.description.parameters;
        let signed = parameters.digits() == Digits::Signed;
        let ternary = parameters.error() == ErrorKind::Ternary;
        regs::OPTIONS_LOG_P.put(parameters.log_p())
            | regs::OPTIONS_SIGNED_DIGITS.put(signed.into())
            | regs::OPTIONS_TERNARY_NOISE.put(ternary.into())
            | regs::OPTIONS_RING.put(self.ring)
    }

    fn demand_loaded(&self, plan: &Plan) -> BgvResult<()> {
        let needs = [
            (plan.encryptions > 0, self.loaded.public, "encrypt", "public key"),
            (plan.switches_keys, self.loaded.relinearization, "key switch", "relinearisation key"),
            (plan.decrypts, self.loaded.secret, "decrypt", "secret key"),
            (plan.encryptions > 0, self.randomness.is_some(), "encrypt", "seed"),
        ];
        match needs.into_iter().find(|&(needed, there, ..)| needed && !there) {
            Some((_, _, operation, what)) => Err(BgvDeviceError::NotLoaded { operation, what }),
            None => Ok(()),
        }
    }

    /// Writes seed and counter unless the device has them, and uses the counter up.
    fn arm(&mut self) -> BgvResult<()> {
        let Some(randomness) = &mut self.randomness else { return Ok(()) };
        let given = randomness.next;
        if given == u64::MAX {
            return Err(DeviceError::CounterExhausted { given }.into());
        }
        if !randomness.written {
            for (i, word) in (0..).zip(randomness.seed.expose().chunks_exact(4)) {
                let word = word.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
                self.link.write(regs::SEED + 4 * i, word)?;
            }
            self.link.write(regs::RUN_COUNTER_LO, given as u32)?;
            self.link.write(regs::RUN_COUNTER_HI, (given >> 32) as u32)?;
        }
        // From here on the pair counts as used, whatever becomes of the run.
        randomness.next = given + 1;
        randomness.written = true;
        Ok(())
    }

    /// Runs a program, after which the buffers are kept as it says.
    fn run_program(&mut self, program: &Program, encrypts: bool) -> BgvResult<Cost> {
        match self.run_words(&program.words, encrypts) {
            Ok(cost) => {
                self.evaluations = program.kept.iter().map(|kept| kept.evaluations).collect();
                Ok(cost)
            }
            Err(error) => {
                // Somebody else's run is not ours to end. Of an own one nothing is known: what it
                // may have written holds nothing, and seed and counter are written again.
                if !matches!(error, BgvDeviceError::Device(DeviceError::Busy { .. })) {
                    for buffer in program.destinations() {
                        self.buffers.set(buffer, Contents::Empty)?;
                    }
                    if let Some(randomness) = &mut self.randomness {
                        randomness.written = false;
                    }
                    let _ = self.link.reset();
                }
                Err(error)
            }
        }
    }

    fn run_words(&mut self, program: &[u32], encrypts: bool) -> BgvResult<Cost> {
        let begin = self.link.bus.cycles();
        self.link.demand_idle()?;
        self.link.write(regs::OPTIONS, self.options())?;
        self.link.write(regs::COUNT, regs::COUNT_COUNT.put(program.len() as u32))?;
        for (i, &word) in (0..).zip(program) {
            self.link.write(regs::PROGRAM + 4 * i, word)?;
        }
        if encrypts {
            self.arm()?;
        }
        // A command takes two transforms of n/2 log2 n butterflies and less than 4 n cycles more.
        let degree = self.degree() as u64;
        let command = degree * (u64::from(degree.ilog2()) + 4) + 256;
        let spent = self.link.run("program", 0, program.len() as u64 * command)?;
        Ok(self.link.cost(begin, spent))
    }
}

fn list(values: &[u64]) -> String {
    values.iter().map(u64::to_string).collect::<Vec<_>>().join(" * ")
}

impl<B: Bus> BgvDevice for BgvCore<B> {
    fn describe(&self) -> BgvDescription {
        self.description.clone()
    }

    fn set_refusal(&mut self, refusal: Refusal) {
        self.buffers.set_refusal(refusal);
    }

    fn load_public_key(&mut self, key: &PublicKey) -> BgvResult<()> {
        check_parameters(&self.description.parameters, "public key", key.id())?;
        self.loaded.public = false;
        self.link.demand_idle()?;
        let (p0, p1) = key.polynomials();
        self.write_key(SET_PUBLIC, 0, p0)?;
        self.write_key(SET_PUBLIC, 1, p1)?;
        self.loaded.public = true;
        Ok(())
    }

    fn load_secret_key(&mut self, key: &SecretKey) -> BgvResult<()> {
        check_parameters(&self.description.parameters, "secret key", key.id())?;
        self.loaded.secret = false;
        self.link.demand_idle()?;
        let q = self.description.parameters.chain().top().value();
        let residue = |&x: &i32| if x < 0 { q - u64::from(x.unsigned_abs()) } else { x as u64 };
        let coefficients: Zeroizing<Vec<u64>> =
            Zeroizing::new(key.expose().as_slice().iter().map(residue).collect());
        self.write_key(SET_SECRET, 0, &coefficients)?;
        self.loaded.secret = true;
        Ok(())
    }

    fn load_relinearization_key(&mut self, key: &RelinearizationKey) -> BgvResult<()> {
        check_parameters(&self.description.parameters, "relinearisation key", key.id())?;
        self.loaded.relinearization = false;
        self.link.demand_idle()?;
        for (i, row) in (0..).zip(key.rows()) {
            self.write_key(SET_RELINEARIZATION, 2 * i, &row.b)?;
            self.write_key(SET_RELINEARIZATION, 2 * i + 1, &row.a)?;
        }
        self.loaded.relinearization = true;
        Ok(())
    }

    fn load_seed(&mut self, seed: &SecretSeed, run_counter: u64) -> BgvResult<()> {
        if seed.expose().iter().fold(0, |seen, byte| seen | byte) == 0 {
            return Err(DeviceError::SeedZero.into());
        }
        if run_counter == u64::MAX {
            return Err(DeviceError::CounterExhausted { given: run_counter }.into());
        }
        if let Some(Randomness { seed: known, next, .. }) = &self.randomness
            && run_counter < *next
            && same_bytes(known.expose(), seed.expose())
        {
            return Err(DeviceError::CounterReused { given: run_counter, next: *next }.into());
        }
        let seed = SecretSeed::new(*seed.expose());
        self.randomness = Some(Randomness { seed, next: run_counter, written: false });
        Ok(())
    }

    fn write_message(&mut self, buffer: usize, message: &[u64]) -> BgvResult<()> {
        check_message(&self.description.parameters, message)?;
        self.buffers.get("write", buffer)?;
        self.buffers.set(buffer, Contents::Empty)?;
        self.evaluations[buffer] = false;
        self.link.demand_idle()?;
        self.write_polynomial(REGION_BUFFERS, 4 * buffer as u32, message)?;
        self.buffers.set(buffer, Contents::Message)?;
        Ok(())
    }

    fn write_ciphertext(&mut self, buffer: usize, ciphertext: &WordCiphertext) -> BgvResult<()> {
        check_parameters(&self.description.parameters, "ciphertext", ciphertext.id())?;
        self.buffers.set(buffer, Contents::Empty)?;
        self.evaluations[buffer] = false;
        self.link.demand_idle()?;
        for (part, words) in (0..).zip(ciphertext.parts()) {
            self.write_polynomial(REGION_BUFFERS, 4 * buffer as u32 + part, words)?;
        }
        let (level, parts) = (ciphertext.level(), ciphertext.parts().len().min(PARTS));
        let noise = ciphertext.noise().clone();
        self.buffers.set(buffer, Contents::Ciphertext { level, parts, noise })?;
        Ok(())
    }

    fn run(&mut self, commands: &[Command]) -> BgvResult<Cost> {
        let plan = self.buffers.plan(commands)?;
        self.demand_loaded(&plan)?;
        let (found, max) = (commands.len(), self.description.max_commands);
        if found > max {
            return Err(DeviceError::TooMany { what: "commands", found, max }.into());
        }
        if found == 0 {
            return Ok(Cost { compute_cycles: Some(0), transfer_cycles: Some(0) });
        }
        let (kept, top) = (self.kept(), self.description.parameters.chain().top_level() as u32);
        let mut program = Program::new(commands, &kept, top);
        let mut before = Cost { compute_cycles: Some(0), transfer_cycles: Some(0) };
        if !program.fits() {
            // Conversions are not needed where all is kept as coefficients; a list may not be split,
            // since a run is what randomness is numbered by.
            let buffers = (0..kept.len()).filter(|&buffer| kept[buffer].evaluations);
            before = self.run_program(&Program::coefficients(buffers, &kept), false)?;
            program = Program::plain(commands, &self.kept(), top);
        }
        let cost = self.run_program(&program, plan.encryptions > 0)?;
        self.buffers.commit(plan);
        let sum = |a: Option<u64>, b: Option<u64>| Some(a? + b?);
        Ok(Cost {
            compute_cycles: sum(before.compute_cycles, cost.compute_cycles),
            transfer_cycles: sum(before.transfer_cycles, cost.transfer_cycles),
        })
    }

    fn read_message(&mut self, buffer: usize, message: &mut [u64]) -> BgvResult<()> {
        self.buffers.require_message("read", buffer)?;
        check_size("output message", message.len(), self.degree())?;
        self.link.demand_idle()?;
        message.copy_from_slice(&self.read_polynomial(4 * buffer as u32)?);
        Ok(())
    }

    fn read_ciphertext(&mut self, buffer: usize) -> BgvResult<WordCiphertext> {
        self.buffers.require_ciphertext("read", buffer)?;
        let Contents::Ciphertext { level, parts, noise } =
            self.buffers.get("read", buffer)?.clone()
        else {
            return Err(DeviceError::Bus("a buffer changed while it was read".to_owned()).into());
        };
        if self.evaluations[buffer] {
            self.run_program(&Program::coefficients([buffer], &self.kept()), false)?;
        }
        self.link.demand_idle()?;
        let mut polynomials = Vec::with_capacity(parts);
        for part in 0..parts as u32 {
            polynomials.push(self.read_polynomial(4 * buffer as u32 + part)?.to_vec());
        }
        WordCiphertext::from_parts(&self.description.parameters, level, polynomials, noise)
            .map_err(|error| DeviceError::Bus(format!("the device's words: {error}")).into())
    }
}

impl<B: Bus> Drop for BgvCore<B> {
    fn drop(&mut self) {
        // A bus that fails now has nobody to hear it; the wipe goes on without the host.
        let _ = self.link.clear();
    }
}

impl<B: Bus> fmt::Debug for BgvCore<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BgvCore")
            .field("description", &self.description.name)
            .field("loaded", &self.loaded)
            .finish_non_exhaustive()
    }
}
