//! Vectors modulo primes, on an engine.

use super::{Decrypts, Encrypts, KeyRequest, Limits, MadeKeys, Noise, Opened};
use crate::arguments::Global;
use crate::device::{DeviceOption, DeviceReport, SeedOptions};
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use crate::session;
use crate::write::Pending;
use cyclotron_engine::Engine;
use cyclotron_ring::sample::SecretRng;
use cyclotron_schemes::files::{self, RecordKind};
use cyclotron_schemes::rlwe::{ParametersId, SecurityPolicy};
use cyclotron_schemes::vector::{
    EncryptedVector, Rotations, Values, VectorContext, VectorParameters, VectorPublicKey,
    VectorSecretKey,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Parameters on an engine.
pub struct VectorSession {
    /// The context.
    pub context: Arc<VectorContext>,
    /// Where the parameters came from.
    path: PathBuf,
}

/// What encrypts.
enum Key {
    Public(VectorPublicKey),
    Secret(VectorSecretKey),
}

struct Encryptor {
    context: Arc<VectorContext>,
    key: Key,
    rng: SecretRng,
}

struct Decryptor {
    context: Arc<VectorContext>,
    key: VectorSecretKey,
}

impl VectorSession {
    pub(super) fn open(
        global: &Global,
        path: &Path,
        parameters: &VectorParameters,
    ) -> Result<Self> {
        let engine: Arc<dyn Engine> = session::engine(global)?;
        Ok(Self { context: VectorContext::new(parameters, &engine)?, path: path.to_owned() })
    }

    pub(super) fn id(&self) -> ParametersId {
        self.context.parameters().id()
    }

    pub(super) fn is_insecure(&self) -> bool {
        let first = self.context.parameters().first();
        first.literal().security == SecurityPolicy::InsecureAcknowledged
    }

    pub(super) fn limits(&self, signed: bool) -> Limits {
        let (min, max) = self.context.parameters().plaintext().range(signed);
        let wider = "new parameters: cyclotron params with more --bits";
        Limits { min, max, capacity: Some(self.context.capacity()), wider }
    }

    pub(super) fn generate(
        &self,
        global: &Global,
        request: &KeyRequest,
        [secret_path, public_path, evaluation_path]: [&Path; 3],
        force: bool,
    ) -> Result<MadeKeys> {
        let context = &self.context;
        let progress = Progress::new(global, "keys", 3);
        let mut rng = SecretRng::from_os()?;
        progress.doing("secret key");
        let secret_key = context.generate_secret_key(&mut rng)?;
        let secret = session::pending(context, &secret_key, secret_path, force)?;
        progress.step();
        progress.doing("public key");
        let public = context.generate_public_key(&secret_key, &mut rng)?;
        let public = session::pending(context, &public, public_path, force)?;
        progress.step();
        progress.doing("evaluation keys");
        let relinearization = request.relinearization;
        let rotations = request.rotations.as_ref().unwrap_or(&Rotations::Sums);
        let keys =
            context.generate_evaluation_keys(&secret_key, relinearization, rotations, &mut rng)?;
        let evaluation = Some(session::pending(context, &keys, evaluation_path, force)?);
        progress.step();
        let galois_elements = keys.galois_elements().len();
        Ok(MadeKeys { secret, public, evaluation, relinearization, galois_elements })
    }

    pub(super) fn encryptor(
        &self,
        key: &Path,
        device: &DeviceOption,
        seed: &SeedOptions,
    ) -> Result<Box<dyn Encrypts>> {
        device.require_processor(&self.path)?;
        seed.require_none(&self.path)?;
        let key = Key::load(&self.context, key)?;
        let context = Arc::clone(&self.context);
        Ok(Box::new(Encryptor { context, key, rng: SecretRng::from_os()? }))
    }

    pub(super) fn decryptor(&self, key: &Path, device: &DeviceOption) -> Result<Box<dyn Decrypts>> {
        device.require_processor(&self.path)?;
        let key = session::load(&self.context, key)?;
        Ok(Box::new(Decryptor { context: Arc::clone(&self.context), key }))
    }

    pub(super) fn noise(&self, path: &Path) -> Result<Noise> {
        let vector: EncryptedVector = session::load(&self.context, path)?;
        Ok(Noise {
            level: vector.level(),
            max_level: self.context.max_level(),
            margin_bits: self.context.margin(&vector),
        })
    }
}

impl Key {
    fn load(context: &VectorContext, path: &Path) -> Result<Self> {
        session::check_readable(path)?;
        let records = files::inspect_path(path).map_err(|error| session::from_file(path, error))?;
        match records.first().map(|record| record.kind) {
            Some(RecordKind::SecretKey) => Ok(Self::Secret(session::load(context, path)?)),
            // Whatever else it is, the loader says what it is not.
            _ => Ok(Self::Public(session::load(context, path)?)),
        }
    }
}

impl Encrypts for Encryptor {
    fn encrypt(
        &mut self,
        values: &[i128],
        signed: bool,
        path: &Path,
        force: bool,
    ) -> Result<Pending> {
        let Self { context, key, rng } = self;
        let (values, encoding) = (Values::I128(values), context.default_encoding());
        let vector = match key {
            Key::Public(key) => context.encrypt(key, values, encoding, signed, rng)?,
            Key::Secret(key) => context.encrypt_symmetric(key, values, encoding, signed, rng)?,
        };
        session::pending(context, &vector, path, force)
    }

    fn device(&self) -> Option<DeviceReport> {
        None
    }
}

impl Decrypts for Decryptor {
    fn decrypt(&mut self, path: &Path) -> Result<Opened> {
        let vector: EncryptedVector = session::load(&self.context, path)?;
        let values = self
            .context
            .decrypt(&self.key, &vector)
            .map_err(|error| Failure::from(error).about(path.display()))?;
        let margin_bits = self.context.margin(&vector);
        Ok(Opened { values, signed: vector.layout().signed, margin_bits })
    }

    fn device(&self) -> Option<DeviceReport> {
        None
    }
}
