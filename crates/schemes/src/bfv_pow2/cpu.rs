//! The reference device: the processor, one thread, bit for bit what the hardware computes.

use super::device::{
    Cost, CryptDevice, DeviceDescription, DeviceError, DeviceResult, EncryptRun, RUN_PLAINTEXTS,
    check_decrypt, check_encrypt,
};
use super::ternary::{PreparedSmall, PreparedWide, TernaryRing};
use cyclotron_ring::sample::device::{DeviceSamples, DeviceStream, MIN_DEGREE};
use cyclotron_ring::sample::{SecretSeed, SmallPoly};
use cyclotron_ring::wipe;
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Encrypts and decrypts on the processor.
///
/// Transforms of the last public and secret key are kept, so that a key is prepared once for many
/// runs. The secrets among them are wiped when the device is dropped or takes another key.
pub struct CpuCrypt {
    ring: Arc<TernaryRing>,
    log_t: u32,
    public: Option<PublicCache>,
    secret: Option<SecretCache>,
    /// The seed of the last run, and the next unused counter.
    used: Option<(Zeroizing<[u8; 32]>, u64)>,
    /// Wiped after every run.
    scratch: Scratch,
}

struct PublicCache {
    p0: Vec<u64>,
    p1: Vec<u64>,
    prepared: [PreparedWide; 2],
}

struct SecretCache {
    small: Zeroizing<Vec<i32>>,
    prepared: PreparedSmall,
}

/// What an encryption and a decryption write secrets into.
struct Scratch {
    values: Zeroizing<Vec<u64>>,
    work: Zeroizing<Vec<u64>>,
    samples: DeviceSamples,
}

impl Scratch {
    fn wipe(&mut self) {
        wipe(&mut self.values);
        wipe(&mut self.work);
        self.samples.wipe();
    }
}

impl CpuCrypt {
    /// Most ciphertexts of one decryption, as on the hardware of the paper.
    pub const MAX_CIPHERTEXTS: usize = 32;

    /// A device of degree `n`, a power of two from 4 to 2^15, `q = 2^log_q` and `t = 2^log_t`,
    /// `1 <= log_t < log_q <= 64`.
    ///
    /// # Errors
    /// [`DeviceError::Ring`] for a degree or modulus out of range; [`DeviceError::Unsupported`]
    /// for `t`.
    pub fn new(degree: usize, log_q: u32, log_t: u32) -> DeviceResult<Self> {
        Self::with_ring(Arc::new(TernaryRing::new(degree, log_q)?), log_t)
    }

    /// A device over a ring whose tables are there already.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_ring(ring: Arc<TernaryRing>, log_t: u32) -> DeviceResult<Self> {
        let degree = ring.ring().degree();
        if degree < MIN_DEGREE {
            return Err(DeviceError::Unsupported {
                what: format!("degree {degree}"),
                device: "the processor".to_owned(),
                remedy: "choose a power of two from 4 to 32768".to_owned(),
            });
        }
        let log_q = ring.ring().bits();
        if !(1..log_q).contains(&log_t) {
            return Err(DeviceError::Unsupported {
                what: format!("t = 2^{log_t} at q = 2^{log_q}"),
                device: "the processor".to_owned(),
                remedy: format!("choose t from 2^1 to 2^{}", log_q - 1),
            });
        }
        let scratch = |words| Zeroizing::new(vec![0; words]);
        let scratch = Scratch {
            values: scratch(degree),
            work: scratch(ring.work_words()),
            samples: DeviceSamples::zero(degree)?,
        };
        Ok(Self { ring, log_t, public: None, secret: None, used: None, scratch })
    }

    /// Takes a (seed, run counter) pair into use.
    fn begin(&mut self, seed: &SecretSeed, given: u64) -> DeviceResult<()> {
        let bytes = seed.expose();
        if let Some((last, next)) = &self.used {
            // Whether it is the same seed is public; where it differs is not.
            let difference = last.iter().zip(bytes).fold(0, |seen, (a, b)| seen | (a ^ b));
            if difference == 0 && given < *next {
                return Err(DeviceError::CounterReused { given, next: *next });
            }
        }
        self.used = Some((Zeroizing::new(*bytes), given + 1));
        Ok(())
    }

    fn load_public(&mut self, p0: &[u64], p1: &[u64]) {
        if self.public.as_ref().is_some_and(|cache| cache.p0 == p0 && cache.p1 == p1) {
            return;
        }
        let prepared = [p0, p1].map(|p| self.ring.prepare_wide(p));
        self.public = Some(PublicCache { p0: p0.to_vec(), p1: p1.to_vec(), prepared });
    }

    fn load_secret(&mut self, secret: &SmallPoly) -> DeviceResult<()> {
        let same = |cache: &SecretCache| {
            let pairs = cache.small.iter().zip(secret.as_slice());
            pairs.fold(0, |seen, (&a, &b)| seen | (a ^ b)) == 0
        };
        if self.secret.as_ref().is_some_and(same) {
            return Ok(());
        }
        let prepared = self.ring.prepare_small(secret)?;
        self.secret =
            Some(SecretCache { small: Zeroizing::new(secret.as_slice().to_vec()), prepared });
        Ok(())
    }
}

impl CryptDevice for CpuCrypt {
    fn describe(&self) -> DeviceDescription {
        let ring = self.ring.ring();
        DeviceDescription {
            name: format!("processor ({})", self.ring.simd().name()),
            degree: ring.degree(),
            log_q: ring.bits(),
            log_t: self.log_t,
            max_plaintexts: RUN_PLAINTEXTS,
            max_ciphertexts: Self::MAX_CIPHERTEXTS,
            simulated: false,
        }
    }

    fn encrypt(
        &mut self,
        run: &EncryptRun<'_>,
        c0: &mut [u64],
        c1: &mut [u64],
    ) -> DeviceResult<Cost> {
        check_encrypt(&self.describe(), run, c0, c1)?;
        self.begin(run.seed, run.run_counter)?;
        self.load_public(run.key.p0, run.key.p1);
        let Some(PublicCache { prepared: [p0, p1], .. }) = &self.public else {
            return Ok(Cost::default());
        };
        let ring = self.ring.ring();
        let (n, mask, shift) = (ring.degree(), ring.mask(), ring.bits() - self.log_t);
        let stream = DeviceStream::new(run.seed, run.run_counter).with_simd(self.ring.simd());
        let Scratch { values, work, samples } = &mut self.scratch;
        let outputs = c0.chunks_exact_mut(n).zip(c1.chunks_exact_mut(n));
        let mut result = Ok(Cost::default());
        for ((k, message), (c0, c1)) in (0u32..).zip(run.messages.chunks_exact(n)).zip(outputs) {
            stream.refill(k, samples);
            if let Err(error) = self.ring.transform_small(samples.u.as_slice(), work, values) {
                result = Err(error.into());
                break;
            }
            self.ring.multiply_wide(p0, values, work, c0);
            for ((c, &e), &m) in c0.iter_mut().zip(samples.e1.as_slice()).zip(message) {
                *c = c.wrapping_add(i64::from(e) as u64).wrapping_add(m << shift) & mask;
            }
            self.ring.multiply_wide(p1, values, work, c1);
            for (c, &e) in c1.iter_mut().zip(samples.e2.as_slice()) {
                *c = c.wrapping_add(i64::from(e) as u64) & mask;
            }
        }
        self.scratch.wipe();
        result
    }

    fn decrypt(
        &mut self,
        secret: &SmallPoly,
        c0: &[u64],
        c1: &[u64],
        messages: &mut [u64],
    ) -> DeviceResult<Cost> {
        check_decrypt(&self.describe(), secret, c0, c1, messages)?;
        self.load_secret(secret)?;
        let Some(SecretCache { prepared, .. }) = &self.secret else { return Ok(Cost::default()) };
        let ring = self.ring.ring();
        let (n, shift) = (ring.degree(), ring.bits() - self.log_t);
        let (half, mask) = (1u64 << (shift - 1), u64::MAX >> (64 - self.log_t));
        let inputs = c0.chunks_exact(n).zip(c1.chunks_exact(n));
        for ((c0, c1), message) in inputs.zip(messages.chunks_exact_mut(n)) {
            self.ring.multiply_small(c1, prepared, &mut self.scratch.work, message);
            for (m, &c) in message.iter_mut().zip(c0) {
                *m = (m.wrapping_add(c).wrapping_add(half) >> shift) & mask;
            }
        }
        wipe(&mut self.scratch.work);
        Ok(Cost::default())
    }
}

impl fmt::Debug for CpuCrypt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuCrypt({})", self.describe().name)
    }
}
