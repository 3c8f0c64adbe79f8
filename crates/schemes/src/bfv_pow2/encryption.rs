//! Encryption under the public key, on whatever device there is.

use super::ciphertext::Ciphertext;
use super::context::Pow2Context;
use super::device::{
    Cost, CryptDevice, DeviceDescription, DeviceError, EncryptRun, RUN_PLAINTEXTS,
};
use super::keys::PublicKey;
use super::parameters::Pow2Parameters;
use super::plaintext::Plaintext;
use crate::error::Result;
use cyclotron_ring::sample::SecretSeed;
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Encrypts under one public key on a device of its own.
///
/// It holds the secret seed of all its encryptions and the next unused run counter; both serve one
/// device, and no second encryptor may have the same seed ([`SecretSeed`] is not copied). What it
/// encrypts is a function of key, seed, run counter and messages alone, on every device.
pub struct Encryptor {
    context: Arc<Pow2Context>,
    key: Arc<PublicKey>,
    device: Box<dyn CryptDevice>,
    seed: SecretSeed,
    next_run: u64,
}

/// What a device returned: polynomial after polynomial.
struct Run {
    c0: Vec<u64>,
    c1: Vec<u64>,
    cost: Cost,
}

impl Encryptor {
    /// An encryptor on a device, with a fresh seed from the operating system.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`]; [`DeviceError::Mismatch`] for a device of another
    /// degree or moduli; [`crate::Error::Ring`] when the system's generator fails.
    pub fn new(
        context: &Arc<Pow2Context>,
        key: &Arc<PublicKey>,
        device: Box<dyn CryptDevice>,
    ) -> Result<Self> {
        Self::with_seed(context, key, device, SecretSeed::from_os()?, 0)
    }

    /// An encryptor on the processor, with a fresh seed from the operating system.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn on_processor(context: &Arc<Pow2Context>, key: &Arc<PublicKey>) -> Result<Self> {
        Self::new(context, key, Box::new(context.processor()?))
    }

    /// An encryptor with a given seed and first run counter: for tests, which repeat, and for
    /// comparing devices. **A (seed, run counter) pair that serves twice gives the difference of
    /// two messages away**; use [`Self::new`] for everything else.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_seed(
        context: &Arc<Pow2Context>,
        key: &Arc<PublicKey>,
        device: Box<dyn CryptDevice>,
        seed: SecretSeed,
        first_run: u64,
    ) -> Result<Self> {
        context.parameters().check_id("public key", key.id)?;
        let description = device.describe();
        check_device(context.parameters(), &description)?;
        if description.max_plaintexts < RUN_PLAINTEXTS {
            return Err(DeviceError::Mismatch {
                what: "number of plaintexts of a run",
                found: description.max_plaintexts.to_string(),
                expected: format!("{RUN_PLAINTEXTS} or more"),
            }
            .into());
        }
        let (context, key) = (Arc::clone(context), Arc::clone(key));
        Ok(Self { context, key, device, seed, next_run: first_run })
    }

    /// What it encrypts on.
    #[must_use]
    pub fn device(&self) -> DeviceDescription {
        self.device.describe()
    }

    /// The run counter that the next encryption takes.
    #[must_use]
    pub fn next_run(&self) -> u64 {
        self.next_run
    }

    /// Encrypts one plaintext: a run of its own.
    ///
    /// # Errors
    /// As [`Self::encrypt_many`].
    pub fn encrypt(&mut self, plaintext: &Plaintext) -> Result<Ciphertext> {
        let Run { c0, c1, .. } = self.run(std::slice::from_ref(plaintext))?;
        Ok(self.ciphertext(c0, c1))
    }

    /// Encrypts any number of plaintexts, [`RUN_PLAINTEXTS`] in a run.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`]; [`crate::Error::Device`] as the device fails: the run
    /// counters of the runs begun are used up, and no ciphertext is returned.
    pub fn encrypt_many(&mut self, plaintexts: &[Plaintext]) -> Result<(Vec<Ciphertext>, Cost)> {
        for plaintext in plaintexts {
            self.context.parameters().check_id("plaintext", plaintext.id)?;
        }
        let degree = self.context.parameters().degree();
        let mut ciphertexts = Vec::with_capacity(plaintexts.len());
        let mut total = Cost::default();
        for chunk in plaintexts.chunks(RUN_PLAINTEXTS) {
            let Run { c0, c1, cost } = self.run(chunk)?;
            total += cost;
            let pairs = c0.chunks_exact(degree).zip(c1.chunks_exact(degree));
            ciphertexts.extend(pairs.map(|(c0, c1)| self.ciphertext(c0.to_vec(), c1.to_vec())));
        }
        Ok((ciphertexts, total))
    }

    fn run(&mut self, plaintexts: &[Plaintext]) -> Result<Run> {
        let parameters = self.context.parameters();
        let words = plaintexts.len() * parameters.degree();
        let mut messages = Zeroizing::new(Vec::with_capacity(words));
        for plaintext in plaintexts {
            parameters.check_id("plaintext", plaintext.id)?;
            messages.extend_from_slice(plaintext.coefficients());
        }
        let (mut c0, mut c1) = (vec![0; words], vec![0; words]);
        let run_counter = self.next_run;
        let run = EncryptRun {
            key: self.key.polynomials(),
            messages: &messages,
            seed: &self.seed,
            run_counter,
        };
        // Whatever the device says, this pair does not serve again. The last counter stays, and
        // the device refuses it.
        self.next_run = run_counter.saturating_add(1);
        let cost = self.device.encrypt(&run, &mut c0, &mut c1)?;
        Ok(Run { c0, c1, cost })
    }

    fn ciphertext(&self, c0: Vec<u64>, c1: Vec<u64>) -> Ciphertext {
        let parameters = self.context.parameters();
        let (id, noise) = (parameters.id(), parameters.noise().fresh());
        Ciphertext { id, parts: vec![c0, c1], noise }
    }
}

impl fmt::Debug for Encryptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Encryptor({}, run {})", self.device.describe().name, self.next_run)
    }
}

/// Refuses a device of another degree or moduli.
pub(super) fn check_device(
    parameters: &Pow2Parameters,
    description: &DeviceDescription,
) -> Result<()> {
    for (what, found, expected) in [
        ("degree", description.degree, parameters.degree()),
        ("log2 of q", description.log_q as usize, parameters.log_q() as usize),
        ("log2 of t", description.log_t as usize, parameters.log_t() as usize),
    ] {
        if found != expected {
            let (found, expected) = (found.to_string(), expected.to_string());
            return Err(DeviceError::Mismatch { what, found, expected }.into());
        }
    }
    Ok(())
}
