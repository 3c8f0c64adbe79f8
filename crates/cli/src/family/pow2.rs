//! Polynomials modulo a power of two, on the processor or a device.

use super::{Decrypts, Encrypts, KeyRequest, Limits, MadeKeys, Noise, Opened};
use crate::arguments::Global;
use crate::device::{CPU, DeviceOption, DeviceReport, SeedOptions};
use crate::failure::{Failure, Result};
use crate::session;
use crate::write::{Access, Pending};
use cyclotron_ring::sample::SecretRng;
use cyclotron_schemes::bfv_pow2::vector::range;
use cyclotron_schemes::bfv_pow2::{
    Cost, CryptDevice, Decryptor, DeviceCheck, Encryptor, KeyPair, Pow2Context, Pow2Parameters,
    Pow2Vector, PublicKey, RelinearizationKey, SecretKey,
};
use cyclotron_schemes::files::{self, Pow2Stored};
use cyclotron_schemes::rlwe::{ParametersId, SecurityPolicy};
use cyclotron_schemes::vector::{Rotations, Values};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Parameters with their tables.
pub struct Pow2Session {
    context: Arc<Pow2Context>,
    /// Where the parameters came from.
    path: PathBuf,
}

struct ColumnEncryptor {
    context: Arc<Pow2Context>,
    encryptor: Encryptor,
    name: String,
    cost: Cost,
}

struct ColumnDecryptor {
    context: Arc<Pow2Context>,
    decryptor: Decryptor,
    /// None for the processor, which measures the noise as it decrypts.
    device: Option<Box<dyn CryptDevice>>,
    report: DeviceReport,
    cost: Cost,
}

/// The parameters in a file.
pub(super) fn parameters(path: &Path) -> Result<Pow2Parameters> {
    files::load_pow2_parameters(path).map_err(|error| session::from_file(path, error))
}

fn load<T: Pow2Stored>(context: &Pow2Context, path: &Path) -> Result<T> {
    session::check_readable(path)?;
    T::load(context, path).map_err(|error| session::from_file(path, error))
}

fn pending<T: Pow2Stored>(
    context: &Pow2Context,
    object: &T,
    path: &Path,
    force: bool,
) -> Result<Pending> {
    let access = if T::SECRET { Access::Owner } else { Access::Default };
    Pending::write(path, access, force, |out| {
        object.write(context, out).map_err(|error| session::from_file(path, error))
    })
}

impl Pow2Session {
    pub(super) fn open(path: &Path, parameters: &Pow2Parameters) -> Result<Self> {
        Ok(Self { context: Pow2Context::new(parameters)?, path: path.to_owned() })
    }

    fn parameters(&self) -> &Pow2Parameters {
        self.context.parameters()
    }

    pub(super) fn id(&self) -> ParametersId {
        self.parameters().id()
    }

    pub(super) fn is_insecure(&self) -> bool {
        self.parameters().literal().security == SecurityPolicy::InsecureAcknowledged
    }

    pub(super) fn limits(&self, signed: bool) -> Limits {
        let (min, max) = range(self.parameters(), signed);
        let wider = "--unsigned for values from 0; or parameters with a wider plaintext modulus \
                     (cyclotron params list)";
        Limits { min, max, capacity: None, wider }
    }

    pub(super) fn generate(
        &self,
        request: &KeyRequest,
        [secret_path, public_path, evaluation_path]: [&Path; 3],
        force: bool,
    ) -> Result<MadeKeys> {
        if !matches!(request.rotations, None | Some(Rotations::None)) {
            let message =
                format!("{}: there are no rotations modulo a power of two", self.path.display());
            return Err(Failure::usage("rotations", message).remedy("leave --rotations out"));
        }
        let context = &self.context;
        let mut rng = SecretRng::from_os()?;
        let keys = KeyPair::generate(context, &mut rng)?;
        let secret = pending(context, &*keys.secret, secret_path, force)?;
        let public = pending(context, &*keys.public, public_path, force)?;
        let relinearization = request.relinearization && self.parameters().log_p() > 0;
        let evaluation = if relinearization {
            let key = RelinearizationKey::generate(context, &keys.secret, &mut rng)?;
            Some(pending(context, &key, evaluation_path, force)?)
        } else {
            None
        };
        Ok(MadeKeys { secret, public, evaluation, relinearization, galois_elements: 0 })
    }

    pub(super) fn encryptor(
        &self,
        global: &Global,
        key: &Path,
        device: &DeviceOption,
        seed: &SeedOptions,
    ) -> Result<Box<dyn Encrypts>> {
        let context = Arc::clone(&self.context);
        let key: Arc<PublicKey> = Arc::new(load(&context, key)?);
        let opened = device.open(self.parameters())?;
        let encryptor = match seed.read(global)? {
            None => Encryptor::new(&context, &key, opened)?,
            Some((seed, first)) => Encryptor::with_seed(&context, &key, opened, seed, first)?,
        };
        let (name, cost) = (device.name().to_owned(), Cost::default());
        Ok(Box::new(ColumnEncryptor { context, encryptor, name, cost }))
    }

    pub(super) fn decryptor(&self, key: &Path, device: &DeviceOption) -> Result<Box<dyn Decrypts>> {
        let context = Arc::clone(&self.context);
        let key: Arc<SecretKey> = Arc::new(load(&context, key)?);
        let decryptor = Decryptor::new(&context, &key)?;
        let opened = device.open(self.parameters())?;
        let cost = Cost::default();
        let report = DeviceReport::new(device.name(), &opened.describe(), cost);
        let device = (device.name() != CPU).then_some(opened);
        Ok(Box::new(ColumnDecryptor { context, decryptor, device, report, cost }))
    }

    pub(super) fn noise(&self, path: &Path) -> Result<Noise> {
        let vector: Pow2Vector = load(&self.context, path)?;
        Ok(Noise { level: 0, max_level: 0, margin_bits: vector.margin(self.parameters()) })
    }
}

impl Encrypts for ColumnEncryptor {
    fn encrypt(
        &mut self,
        values: &[i128],
        signed: bool,
        path: &Path,
        force: bool,
    ) -> Result<Pending> {
        let (vector, cost) =
            self.encryptor.encrypt_vector(&self.context, Values::I128(values), signed)?;
        self.cost += cost;
        pending(&self.context, &vector, path, force)
    }

    fn device(&self) -> Option<DeviceReport> {
        Some(DeviceReport::new(&self.name, &self.encryptor.device(), self.cost))
    }
}

impl Decrypts for ColumnDecryptor {
    fn decrypt(&mut self, path: &Path) -> Result<Opened> {
        let vector: Pow2Vector = load(&self.context, path)?;
        // A file comes from elsewhere: what a device says of it is measured and compared.
        let device = self.device.as_mut().map(|device| (&mut **device as _, DeviceCheck::Measured));
        let (values, cost) = self
            .decryptor
            .decrypt_vector(&vector, device)
            .map_err(|error| Failure::from(error).about(path.display()))?;
        self.cost += cost;
        let values = values.iter().map(|&value| value.into()).collect();
        let margin_bits = vector.margin(self.context.parameters());
        Ok(Opened { values, signed: vector.is_signed(), margin_bits })
    }

    fn device(&self) -> Option<DeviceReport> {
        Some(self.report.clone().with_cost(self.cost))
    }
}
