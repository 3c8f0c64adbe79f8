//! The two families of parameters: vectors modulo primes, on an engine, and polynomials modulo a
//! power of two, on the processor or a device.
//!
//! Commands are written once, against what is common; what the parameter file holds decides, and
//! [`open`] is the one place where that is asked.

mod describe;
mod pow2;
mod vector;

use crate::arguments::Global;
use crate::device::{DeviceOption, DeviceReport, SeedOptions};
use crate::failure::{Failure, Result};
use crate::session;
use crate::write::Pending;
use cyclotron_schemes::bfv_pow2::{PRESETS, Pow2Parameters, Pow2Preset};
use cyclotron_schemes::files::{self, RecordKind};
use cyclotron_schemes::rlwe::{ParametersId, SecurityPolicy};
use cyclotron_schemes::vector::{Rotations, VectorParameters};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

pub use describe::AnyDescription;
pub use pow2::Pow2Session;
pub use vector::VectorSession;

/// Parameters of either family.
pub enum AnyParameters {
    /// Primes.
    Vector(VectorParameters),
    /// A power of two.
    Pow2(Pow2Parameters),
}

impl AnyParameters {
    /// Whether they are known not to be secure.
    pub fn is_insecure(&self) -> bool {
        let security = match self {
            Self::Vector(parameters) => parameters.first().literal().security,
            Self::Pow2(parameters) => parameters.literal().security,
        };
        security == SecurityPolicy::InsecureAcknowledged
    }

    /// Why a named set must not protect anything.
    pub fn caution(&self) -> Option<&'static str> {
        let Self::Pow2(parameters) = self else { return None };
        let same = |preset: &Pow2Preset| preset.acknowledged() == *parameters.literal();
        PRESETS.into_iter().find(same).and_then(|preset| preset.caution)
    }

    /// Why they were chosen, where they were.
    pub fn reasons(&self) -> &[String] {
        match self {
            Self::Vector(parameters) => parameters.reasons(),
            Self::Pow2(_) => &[],
        }
    }

    /// Writes them as a record.
    pub fn write(&self, out: &mut dyn Write) -> cyclotron_schemes::Result<()> {
        match self {
            Self::Vector(parameters) => files::write_parameters(parameters, out),
            Self::Pow2(parameters) => files::write_pow2_parameters(parameters, out),
        }
    }
}

/// Parameters of either family, ready to compute with.
pub enum Session {
    /// Primes, on an engine.
    Vector(VectorSession),
    /// A power of two.
    Pow2(Pow2Session),
}

/// The parameters in a file.
pub fn parameters(path: &Path) -> Result<AnyParameters> {
    session::check_readable(path)?;
    let records = files::inspect_path(path).map_err(|error| session::from_file(path, error))?;
    match records.first().map(|record| record.kind) {
        Some(RecordKind::Pow2Parameters) => pow2::parameters(path).map(AnyParameters::Pow2),
        // Whatever else it is, the loader says what it is not.
        _ => session::parameters(path).map(AnyParameters::Vector),
    }
}

/// Opens the parameters in a file.
pub fn open(global: &Global, path: &Path) -> Result<Session> {
    match parameters(path)? {
        AnyParameters::Vector(parameters) => {
            VectorSession::open(global, path, &parameters).map(Session::Vector)
        }
        AnyParameters::Pow2(parameters) => Pow2Session::open(path, &parameters).map(Session::Pow2),
    }
}

/// What the values of a vector may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Smallest value.
    pub min: i128,
    /// Largest value.
    pub max: i128,
    /// Most values; none when longer columns become several ciphertexts in one file.
    pub capacity: Option<usize>,
    /// How to get wider values.
    pub wider: &'static str,
}

/// Encrypts columns.
pub trait Encrypts {
    /// Encrypts values within the limits to a file beside its place.
    fn encrypt(
        &mut self,
        values: &[i128],
        signed: bool,
        path: &Path,
        force: bool,
    ) -> Result<Pending>;

    /// What it took; none where there is no choice of device.
    fn device(&self) -> Option<DeviceReport>;
}

/// What a ciphertext held.
pub struct Opened {
    /// The values.
    pub values: Vec<i128>,
    /// Whether they are signed ones.
    pub signed: bool,
    /// Bits between the noise bound and what decrypts.
    pub margin_bits: f64,
}

/// Decrypts files.
pub trait Decrypts {
    /// Decrypts what a file holds.
    fn decrypt(&mut self, path: &Path) -> Result<Opened>;

    /// What it took; none where there is no choice of device.
    fn device(&self) -> Option<DeviceReport>;
}

/// Which evaluation keys to make.
#[derive(Debug)]
pub struct KeyRequest {
    /// A key for products.
    pub relinearization: bool,
    /// Keys for rotations; none when nothing was said.
    pub rotations: Option<Rotations>,
}

/// Keys beside their places.
pub struct MadeKeys {
    /// The secret key.
    pub secret: Pending,
    /// The public key.
    pub public: Pending,
    /// Evaluation keys; none when there are none to make.
    pub evaluation: Option<Pending>,
    /// Whether products can be relinearised.
    pub relinearization: bool,
    /// Keys for rotations.
    pub galois_elements: usize,
}

/// What the parameters tell of a ciphertext.
#[derive(Debug, Serialize)]
pub struct Noise {
    /// The level; 0 where there is one only.
    pub level: usize,
    /// The highest level.
    pub max_level: usize,
    /// Bits between the noise bound and what decrypts.
    pub margin_bits: f64,
}

impl Session {
    /// Identity of the parameters.
    pub fn id(&self) -> ParametersId {
        match self {
            Self::Vector(session) => session.id(),
            Self::Pow2(session) => session.id(),
        }
    }

    /// Whether the parameters are known not to be secure.
    pub fn is_insecure(&self) -> bool {
        match self {
            Self::Vector(session) => session.is_insecure(),
            Self::Pow2(session) => session.is_insecure(),
        }
    }

    /// What the values of a vector may be.
    pub fn limits(&self, signed: bool) -> Limits {
        match self {
            Self::Vector(session) => session.limits(signed),
            Self::Pow2(session) => session.limits(signed),
        }
    }

    /// Makes keys and writes each beside its place: secret, public, evaluation.
    pub fn generate(
        &self,
        global: &Global,
        request: &KeyRequest,
        places: [&Path; 3],
        force: bool,
    ) -> Result<MadeKeys> {
        match self {
            Self::Vector(session) => session.generate(global, request, places, force),
            Self::Pow2(session) => session.generate(request, places, force),
        }
    }

    /// What encrypts under the key in a file.
    pub fn encryptor(
        &self,
        global: &Global,
        key: &Path,
        device: &DeviceOption,
        seed: &SeedOptions,
    ) -> Result<Box<dyn Encrypts>> {
        match self {
            Self::Vector(session) => session.encryptor(key, device, seed),
            Self::Pow2(session) => session.encryptor(global, key, device, seed),
        }
    }

    /// What decrypts with the secret key in a file.
    pub fn decryptor(&self, key: &Path, device: &DeviceOption) -> Result<Box<dyn Decrypts>> {
        match self {
            Self::Vector(session) => session.decryptor(key, device),
            Self::Pow2(session) => session.decryptor(key, device),
        }
    }

    /// Whether a file of this kind holds a ciphertext of the family.
    pub fn is_ciphertext(&self, kind: RecordKind) -> bool {
        match self {
            Self::Vector(_) => kind == RecordKind::Ciphertext,
            Self::Pow2(_) => kind == RecordKind::Pow2Vector,
        }
    }

    /// What the parameters tell of the ciphertext in a file.
    pub fn noise(&self, path: &Path) -> Result<Noise> {
        match self {
            Self::Vector(session) => session.noise(path),
            Self::Pow2(session) => session.noise(path),
        }
    }

    /// The vector family alone, which `eval` computes with.
    pub fn into_vector(self, path: &Path) -> Result<VectorSession> {
        match self {
            Self::Vector(session) => Ok(session),
            Self::Pow2(_) => {
                let message = format!(
                    "{} holds parameters modulo a power of two, which eval does not compute with",
                    path.display()
                );
                Err(Failure::refused("unsupported", message).remedy(
                    "the Python class cyclotron.pow2.Ciphertext adds and multiplies them; or \
                     cyclotron params --bits for eval",
                ))
            }
        }
    }
}
