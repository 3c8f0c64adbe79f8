//! Driver of the small BFV encryptor and decryptor (`rtl/bfv_mini`), degrees 4, 8 and 16.
//!
//! [`BfvMini`] is a [`CryptDevice`]: for the same key, messages, seed and run counter it returns
//! the words that the processor returns. The device has no generator of its own: this driver
//! samples `u`, `e1` and `e2` by `docs/device-randomness.md` and sends them. It is the device of
//! H. Fadhli, "Accelerating FHE BFV Decryptor and Encryptor"; at these degrees **there is no
//! security at all**, it is for study.

use crate::bus::{Bus, Limit};
use crate::link::{Identity, Link, Spent, mismatch, same_bytes};
use crate::registers::bfv_mini as regs;
use cyclotron_ring::sample::device::{DeviceSamples, DeviceStream};
use cyclotron_ring::sample::{SecretSeed, SmallPoly};
use cyclotron_schemes::bfv_pow2::device::{check_decrypt, check_encrypt};
use cyclotron_schemes::bfv_pow2::{
    Cost, CryptDevice, DeviceDescription, DeviceError, DeviceResult, EncryptRun, PublicPolynomials,
    RUN_PLAINTEXTS,
};
use std::fmt;
use zeroize::Zeroizing;

const LOG_Q: u32 = 32;
/// Messages travel in 16 bits.
const LOG_T: std::ops::RangeInclusive<u32> = 1..=16;
const LOG_N: std::ops::RangeInclusive<u32> = 2..=4;
/// `p1` starts at this word of the public key's registers.
const P1_WORD: u32 = 16;
/// What `OPERAND` says of a device that takes -1.
const TERNARY_BITS: u32 = 2;

const IDENTITY: Identity =
    Identity { id: regs::ID_VALUE, version: regs::VERSION_VALUE, errors: regs::ERRORS };

/// Memories of the device: regions of its data window.
#[derive(Debug, Clone, Copy)]
enum Region {
    /// Packed operands of an encryption, or the `c1`. Write only.
    Input0 = 0,
    /// The `c0` to decrypt. Write only.
    Input1 = 1,
    /// The `c0` made, or the messages. Read only.
    Output0 = 2,
    /// The `c1` made. Read only.
    Output1 = 3,
}
const REGIONS: u32 = 4;

/// The device behind a bus.
pub struct BfvMini<B: Bus> {
    link: Link<B>,
    description: DeviceDescription,
    region_bytes: u32,
    /// Items a memory holds.
    items: usize,
    /// The public key in the device: `p0`, then `p1`.
    key: Option<Vec<u64>>,
    /// The seed of the last run, and the next unused counter: this driver keeps the rule that the
    /// larger device keeps by itself.
    used: Option<(SecretSeed, u64)>,
}

impl<B: Bus> BfvMini<B> {
    /// Takes the device over: checks that it is one that this driver knows, waits for the end of a
    /// wipe, resets it.
    ///
    /// # Errors
    /// [`DeviceError::Mismatch`] with both values when it is another device, version or size;
    /// [`DeviceError::Unsupported`] when it takes binary operands only; [`DeviceError::Busy`];
    /// [`DeviceError::Bus`].
    pub fn open(bus: B) -> DeviceResult<Self> {
        let mut link = Link::open(bus, &IDENTITY)?;
        let sizes = link.sizes(REGIONS)?;
        if sizes.log_q != LOG_Q {
            let found = sizes.log_q.to_string();
            return Err(mismatch("log2 of the ciphertext modulus", found, LOG_Q.to_string()));
        }
        for (what, found, range) in [
            ("log2 of the plaintext modulus", sizes.log_t, LOG_T),
            ("log2 of the degree", sizes.log_n, LOG_N),
        ] {
            if !range.contains(&found) {
                let expected = format!("{} to {}", range.start(), range.end());
                return Err(mismatch(what, found.to_string(), expected));
            }
        }
        if sizes.max_polys < RUN_PLAINTEXTS {
            let expected = format!("{RUN_PLAINTEXTS} or more");
            return Err(mismatch("number of items", sizes.max_polys.to_string(), expected));
        }
        if regs::OPERAND_BITS.get(link.read(regs::OPERAND)?) != TERNARY_BITS {
            return Err(DeviceError::Unsupported {
                what: "a ternary secret".to_owned(),
                device: link.name,
                remedy: "build the device with OperandBits = 2".to_owned(),
            });
        }
        let description = DeviceDescription {
            name: link.name.clone(),
            degree: 1 << sizes.log_n,
            log_q: LOG_Q,
            log_t: sizes.log_t,
            max_plaintexts: RUN_PLAINTEXTS,
            max_ciphertexts: sizes.max_polys,
            simulated: link.bus.simulated(),
        };
        // Before there is a driver to drop: dropping one wipes the device.
        link.take_over((sizes.max_polys << sizes.log_n) as u64)?;
        Ok(Self {
            link,
            description,
            region_bytes: sizes.region_bytes,
            items: sizes.max_polys,
            key: None,
            used: None,
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

    /// Wipes keys and all memories, and waits for the end of it. Dropping the driver starts the
    /// same.
    ///
    /// # Errors
    /// [`DeviceError::Busy`] when the wipe does not end; [`DeviceError::Bus`].
    pub fn wipe(&mut self) -> DeviceResult<()> {
        self.key = None;
        self.link.clear()?;
        self.link.wait_idle(self.wipe_words())
    }

    /// Encrypts up to as many messages as the memories hold, in one run, with the randomness given:
    /// the paper's measurement. [`CryptDevice::encrypt`] is the safe call.
    ///
    /// # Errors
    /// As [`CryptDevice::encrypt`]; [`DeviceError::OutOfRange`] for randomness outside the ranges
    /// of `docs/device-randomness.md`.
    pub fn encrypt_with(
        &mut self,
        key: PublicPolynomials<'_>,
        messages: &[u64],
        samples: &[DeviceSamples],
        c0: &mut [u64],
        c1: &mut [u64],
    ) -> DeviceResult<Cost> {
        // As many as the memories hold, and otherwise the operands of any encryption.
        let room = DeviceDescription { max_plaintexts: self.items, ..self.description.clone() };
        let seed = &SecretSeed::new([1; 32]);
        let shape = EncryptRun { key, messages, seed, run_counter: 0 };
        let batch = check_encrypt(&room, &shape, c0, c1)?;
        if samples.len() != batch {
            let (what, found) = ("samples", samples.len());
            return Err(DeviceError::WrongSize { what, found, expected: batch });
        }
        let degree = self.description.degree;
        let mut words = Zeroizing::new(vec![0u32; messages.len()]);
        let items = words.chunks_exact_mut(degree).zip(messages.chunks_exact(degree)).zip(samples);
        for ((words, message), DeviceSamples { u, e1, e2 }) in items {
            check_samples(degree, u, e1, e2)?;
            let samples = u.as_slice().iter().zip(e1.as_slice()).zip(e2.as_slice());
            for ((word, &m), ((&u, &e1), &e2)) in words.iter_mut().zip(message).zip(samples) {
                // In two's complement the two low bits of 0, 1 and -1 are the codes.
                let [u, e1, e2] = [u as u32 & 3, e1 as u32 & 0x7f, e2 as u32 & 0x7f];
                *word = m as u32 | u << 16 | e1 << 18 | e2 << 25;
            }
        }
        self.costed(|device| {
            device.prepare(0, batch)?;
            device.load_key(key)?;
            device.write_items(Region::Input0, &words)?;
            let spent = device.run("encryption", 0, batch)?;
            device.read_items(Region::Output0, c0)?;
            device.read_items(Region::Output1, c1)?;
            Ok(spent)
        })
    }

    fn wipe_words(&self) -> u64 {
        (self.items * self.description.degree) as u64
    }

    fn prepare(&mut self, mode: u32, items: usize) -> DeviceResult<()> {
        self.link.demand_idle()?;
        self.link.write(regs::COUNT, regs::COUNT_COUNT.put(items as u32))?;
        self.link.write(regs::CONTROL, regs::CONTROL_MODE.put(mode))
    }

    fn run(&mut self, operation: &'static str, mode: u32, items: usize) -> DeviceResult<Spent> {
        let expected = ((items + 2) * self.description.degree) as u64 + 16;
        self.link.run(operation, regs::CONTROL_MODE.put(mode), expected)
    }

    fn load_key(&mut self, key: PublicPolynomials<'_>) -> DeviceResult<()> {
        let words = key.p0.iter().chain(key.p1);
        if self.key.as_ref().is_some_and(|known| known.iter().eq(words.clone())) {
            return Ok(());
        }
        self.key = None;
        for (first, polynomial) in [(0, key.p0), (P1_WORD, key.p1)] {
            for (index, &word) in (first..).zip(polynomial) {
                self.link.write(regs::PUBLIC_KEY + 4 * index, word as u32)?;
            }
        }
        self.link.write(regs::CTRL, regs::CTRL_KEY_LOADED.mask())?;
        self.key = Some(words.copied().collect());
        Ok(())
    }

    fn write_items(&mut self, region: Region, words: &[u32]) -> DeviceResult<()> {
        self.link.write_block(region as u32 * self.region_bytes, words)
    }

    fn read_items(&mut self, region: Region, out: &mut [u64]) -> DeviceResult<()> {
        let mut words = Zeroizing::new(vec![0; out.len()]);
        self.link.read_block(region as u32 * self.region_bytes, &mut words)?;
        for (out, &word) in out.iter_mut().zip(words.iter()) {
            *out = word.into();
        }
        Ok(())
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
                    self.key = None;
                    let _ = self.link.reset();
                }
                Err(error)
            }
        }
    }
}

impl<B: Bus> CryptDevice for BfvMini<B> {
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
        let given = run.run_counter;
        if let Some((seed, next)) = &self.used
            && given < *next
            && same_bytes(seed.expose(), run.seed.expose())
        {
            return Err(DeviceError::CounterReused { given, next: *next });
        }
        let stream = DeviceStream::new(run.seed, given);
        let degree = self.description.degree;
        let samples = (0..batch as u32)
            .map(|k| stream.plaintext(k, degree))
            .collect::<Result<Vec<_>, _>>()?;
        self.link.demand_idle()?;
        // From here on the pair counts as used, whatever becomes of the run.
        self.used = Some((SecretSeed::new(*run.seed.expose()), given + 1));
        self.encrypt_with(run.key, run.messages, &samples, c0, c1)
    }

    fn decrypt(
        &mut self,
        secret: &SmallPoly,
        c0: &[u64],
        c1: &[u64],
        messages: &mut [u64],
    ) -> DeviceResult<Cost> {
        let batch = check_decrypt(&self.description, secret, c0, c1, messages)?;
        self.costed(|device| {
            device.prepare(1, batch)?;
            let codes = secret.as_slice().iter().rev();
            let codes = Zeroizing::new(codes.fold(0u32, |word, &c| word << 2 | (c as u32 & 3)));
            device.link.write(regs::SECRET, *codes)?;
            for (region, words) in [(Region::Input0, c1), (Region::Input1, c0)] {
                let words: Vec<u32> = words.iter().map(|&word| word as u32).collect();
                device.write_items(region, &words)?;
            }
            let spent = device.run("decryption", 1, batch)?;
            device.read_items(Region::Output0, messages)?;
            Ok(spent)
        })
    }
}

impl<B: Bus> Drop for BfvMini<B> {
    fn drop(&mut self) {
        // A bus that fails now has nobody to hear it; the wipe goes on without the host.
        let _ = self.link.clear();
    }
}

impl<B: Bus> fmt::Debug for BfvMini<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BfvMini")
            .field("description", &self.description)
            .field("key_loaded", &self.key.is_some())
            .finish_non_exhaustive()
    }
}

/// Ternary `u`, and noise that fits its 7 bits.
fn check_samples(n: usize, u: &SmallPoly, e1: &SmallPoly, e2: &SmallPoly) -> DeviceResult<()> {
    for (what, poly) in [("u", u), ("e1", e1), ("e2", e2)] {
        if poly.len() != n {
            return Err(DeviceError::WrongSize { what, found: poly.len(), expected: n });
        }
    }
    if u.as_slice().iter().any(|c| !(-1..=1).contains(c)) {
        return Err(DeviceError::NotTernary);
    }
    for (what, poly) in [("e1", e1), ("e2", e2)] {
        if let Some(index) = poly.as_slice().iter().position(|e| !(-64..=63).contains(e)) {
            // The value is secret; its place says only that the caller broke the contract.
            return Err(DeviceError::OutOfRange { what, index, found: 64, max: 63 });
        }
    }
    Ok(())
}
