//! The reference device: the processor, one thread, bit for bit what the hardware computes.

use super::buffers::{Buffers, Contents, Refusal};
use super::ciphertext::WordCiphertext;
use super::command::Command;
use super::context::WordContext;
use super::device::{
    BgvDescription, BgvDevice, BgvDeviceError, BgvResult, check_message, check_parameters,
    check_size,
};
use super::keys::{PublicKey, RelinearizationKey, SecretKey};
use super::operations::PreparedRow;
use super::parameters::WordParameters;
use crate::bfv_pow2::{Cost, DeviceError};
use crate::error::Result;
use cyclotron_ring::Modulus;
use cyclotron_ring::sample::SecretSeed;
use cyclotron_ring::sample::device::DeviceStream;
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The words behind a buffer, of the kind that [`Buffers`] says.
enum Words {
    Empty,
    Message(Zeroizing<Vec<u64>>),
    Ciphertext { level: usize, parts: Vec<Vec<u64>> },
}

/// The seed in use, and its next unused counter.
struct Randomness {
    seed: Zeroizing<[u8; 32]>,
    next: u64,
}

/// A BGV device on the processor.
pub struct CpuBgv {
    context: Arc<WordContext>,
    buffers: Buffers,
    words: Vec<Words>,
    public: Option<PreparedRow>,
    secret: Option<Zeroizing<Vec<u64>>>,
    rows: Option<Vec<PreparedRow>>,
    randomness: Option<Randomness>,
}

impl CpuBgv {
    /// Buffers of a device that is opened without saying how many.
    pub const BUFFERS: usize = 16;

    /// A device for these parameters.
    ///
    /// # Errors
    /// As [`WordContext::new`].
    pub fn open(parameters: &WordParameters) -> Result<Self> {
        Ok(Self::with_context(&WordContext::new(parameters)?, Self::BUFFERS))
    }

    /// A device over tables that are there already, with so many buffers.
    #[must_use]
    pub fn with_context(context: &Arc<WordContext>, buffers: usize) -> Self {
        Self {
            context: Arc::clone(context),
            buffers: Buffers::new(context.parameters(), buffers),
            words: (0..buffers).map(|_| Words::Empty).collect(),
            public: None,
            secret: None,
            rows: None,
            randomness: None,
        }
    }

    /// The parameters and tables, by which keys are made.
    #[must_use]
    pub fn context(&self) -> &WordContext {
        &self.context
    }

    /// `v` in `c0 + c1 s (+ c2 s^2) = v (mod Q_l)`, the residues nearest to zero: message and noise,
    /// exactly. For tests and inspection: it tells the secret key to whoever has the ciphertext too.
    ///
    /// # Errors
    /// [`BgvDeviceError::NotLoaded`] without the secret key; as [`BgvDevice::read_ciphertext`].
    pub fn phase(&self, buffer: usize) -> BgvResult<Zeroizing<Vec<i64>>> {
        let (level, _) = self.buffers.require_ciphertext("measure", buffer)?;
        let modulus = self.modulus(level);
        let secret = loaded(self.secret.as_ref(), "measure", "secret key")?;
        let words = self.context.phase(modulus, secret, self.ciphertext(buffer).1);
        Ok(Zeroizing::new(words.iter().map(|&word| modulus.to_centred(word)).collect()))
    }

    fn parameters(&self) -> &WordParameters {
        self.context.parameters()
    }

    /// `Q_l` of a level that a buffer has.
    fn modulus(&self, level: usize) -> Modulus {
        self.parameters().chain().modulus(level).unwrap_or(self.context.top())
    }

    /// The level and polynomials of a buffer that a plan has found to hold a ciphertext.
    fn ciphertext(&self, buffer: usize) -> (usize, &[Vec<u64>]) {
        match &self.words[buffer] {
            Words::Ciphertext { level, parts } => (*level, parts),
            _ => (0, &[]),
        }
    }

    /// One command of a plan; `encryption` counts those of the run.
    fn execute(
        &self,
        command: &Command,
        stream: Option<&DeviceStream>,
        encryption: u32,
    ) -> BgvResult<Words> {
        let (context, operation) = (&self.context, command.name());
        let (level, parts) = match *command {
            Command::Encrypt { message, .. } => {
                let key = loaded(self.public.as_ref(), operation, "public key")?;
                let stream = loaded(stream, operation, "seed")?;
                let parameters = self.parameters();
                let noise = parameters.error().device();
                let samples = stream.plaintext_with(encryption, parameters.degree(), noise)?;
                let Words::Message(message) = &self.words[message] else {
                    return Ok(Words::Empty);
                };
                let parts = context.encrypt(key, &samples, message).map_err(into_device)?;
                (parameters.chain().top_level(), parts.into())
            }
            Command::Add { left, right, .. } => {
                let ((level, left), (_, right)) = (self.ciphertext(left), self.ciphertext(right));
                (level, context.sum(self.modulus(level), left, right))
            }
            Command::Multiply { left, right, .. } => {
                let ((level, left), (_, right)) = (self.ciphertext(left), self.ciphertext(right));
                (level, context.tensor(self.modulus(level), left, right))
            }
            Command::KeySwitch { from, .. } => {
                let rows = loaded(self.rows.as_ref(), operation, "relinearisation key")?;
                let (level, parts) = self.ciphertext(from);
                (level, context.key_switch(self.modulus(level), rows, parts))
            }
            Command::ModSwitch { from, .. } => {
                let (level, parts) = self.ciphertext(from);
                let factor = Modulus::new(self.parameters().chain().factors()[level])?;
                let below = level.saturating_sub(1);
                let modulus = self.modulus(below);
                let switch = |part: &Vec<u64>| context.mod_switch(factor, modulus, part);
                (below, parts.iter().map(switch).collect())
            }
            Command::Decrypt { from, .. } => {
                let secret = loaded(self.secret.as_ref(), operation, "secret key")?;
                let (level, parts) = self.ciphertext(from);
                let message = context.decrypt(self.modulus(level), secret, parts);
                return Ok(Words::Message(message));
            }
        };
        Ok(Words::Ciphertext { level, parts })
    }
}

/// What was loaded, or the error that says what was not.
fn loaded<'a, T>(
    what: Option<&'a T>,
    operation: &'static str,
    name: &'static str,
) -> BgvResult<&'a T> {
    what.ok_or(BgvDeviceError::NotLoaded { operation, what: name })
}

/// The only errors of checked operations are those of the ring.
fn into_device(error: crate::Error) -> BgvDeviceError {
    match error {
        crate::Error::Ring(error) => error.into(),
        other => DeviceError::Bus(other.to_string()).into(),
    }
}

impl BgvDevice for CpuBgv {
    fn describe(&self) -> BgvDescription {
        BgvDescription {
            name: format!("processor ({})", self.context.simd().name()),
            parameters: self.parameters().clone(),
            buffers: self.buffers.count(),
            max_commands: usize::MAX,
            simulated: false,
        }
    }

    fn set_refusal(&mut self, refusal: Refusal) {
        self.buffers.set_refusal(refusal);
    }

    fn load_public_key(&mut self, key: &PublicKey) -> BgvResult<()> {
        check_parameters(self.parameters(), "public key", key.id())?;
        let (p0, p1) = key.polynomials();
        let (b, a) = (self.context.transformed(p0), self.context.transformed(p1));
        self.public = Some(PreparedRow { b, a });
        Ok(())
    }

    fn load_secret_key(&mut self, key: &SecretKey) -> BgvResult<()> {
        check_parameters(self.parameters(), "secret key", key.id())?;
        self.secret = Some(self.context.transformed_small(key.expose()).map_err(into_device)?);
        Ok(())
    }

    fn load_relinearization_key(&mut self, key: &RelinearizationKey) -> BgvResult<()> {
        check_parameters(self.parameters(), "relinearisation key", key.id())?;
        let values = |words: &[u64]| self.context.transformed(words);
        let rows =
            key.rows().iter().map(|row| PreparedRow { b: values(&row.b), a: values(&row.a) });
        self.rows = Some(rows.collect());
        Ok(())
    }

    fn load_seed(&mut self, seed: &SecretSeed, run_counter: u64) -> BgvResult<()> {
        let bytes = seed.expose();
        if bytes.iter().fold(0, |seen, byte| seen | byte) == 0 {
            return Err(DeviceError::SeedZero.into());
        }
        if run_counter == u64::MAX {
            return Err(DeviceError::CounterExhausted { given: run_counter }.into());
        }
        if let Some(Randomness { seed, next }) = &self.randomness {
            // Whether it is the same seed is public; where it differs is not.
            let difference = seed.iter().zip(bytes).fold(0, |seen, (a, b)| seen | (a ^ b));
            if difference == 0 && run_counter < *next {
                let (given, next) = (run_counter, *next);
                return Err(DeviceError::CounterReused { given, next }.into());
            }
        }
        self.randomness = Some(Randomness { seed: Zeroizing::new(*bytes), next: run_counter });
        Ok(())
    }

    fn write_message(&mut self, buffer: usize, message: &[u64]) -> BgvResult<()> {
        check_message(self.parameters(), message)?;
        self.buffers.set(buffer, Contents::Message)?;
        self.words[buffer] = Words::Message(Zeroizing::new(message.to_vec()));
        Ok(())
    }

    fn write_ciphertext(&mut self, buffer: usize, ciphertext: &WordCiphertext) -> BgvResult<()> {
        check_parameters(self.parameters(), "ciphertext", ciphertext.id)?;
        let (level, parts) = (ciphertext.level, ciphertext.parts.len());
        let noise = ciphertext.noise.clone();
        self.buffers.set(buffer, Contents::Ciphertext { level, parts, noise })?;
        self.words[buffer] = Words::Ciphertext { level, parts: ciphertext.parts.clone() };
        Ok(())
    }

    fn run(&mut self, commands: &[Command]) -> BgvResult<Cost> {
        let plan = self.buffers.plan(commands)?;
        if plan.encryptions > 0 {
            loaded(self.public.as_ref(), "encrypt", "public key")?;
        }
        if plan.switches_keys {
            loaded(self.rows.as_ref(), "key switch", "relinearisation key")?;
        }
        if plan.decrypts {
            loaded(self.secret.as_ref(), "decrypt", "secret key")?;
        }
        let mut stream = None;
        if plan.encryptions > 0 {
            let missing = BgvDeviceError::NotLoaded { operation: "encrypt", what: "seed" };
            let randomness = self.randomness.as_mut().ok_or(missing)?;
            let run_counter = randomness.next;
            if run_counter == u64::MAX {
                return Err(DeviceError::CounterExhausted { given: run_counter }.into());
            }
            randomness.next += 1;
            stream = Some(DeviceStream::new(&SecretSeed::new(*randomness.seed), run_counter));
        }
        let mut encryption = 0;
        for command in commands {
            let words = self.execute(command, stream.as_ref(), encryption)?;
            encryption += u32::from(matches!(command, Command::Encrypt { .. }));
            self.words[command.destination()] = words;
        }
        self.buffers.commit(plan);
        Ok(Cost::default())
    }

    fn read_message(&mut self, buffer: usize, message: &mut [u64]) -> BgvResult<()> {
        self.buffers.require_message("read", buffer)?;
        check_size("output message", message.len(), self.parameters().degree())?;
        if let Words::Message(words) = &self.words[buffer] {
            message.copy_from_slice(words);
        }
        Ok(())
    }

    fn read_ciphertext(&mut self, buffer: usize) -> BgvResult<WordCiphertext> {
        let (level, noise) = self.buffers.require_ciphertext("read", buffer)?;
        let (id, parts) = (self.parameters().id(), self.ciphertext(buffer).1.to_vec());
        Ok(WordCiphertext { id, level, parts, noise })
    }
}

impl fmt::Debug for CpuBgv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuBgv({})", self.describe().name)
    }
}
