//! Encoding, keys, encryption and decryption of vectors.

use super::keys::{Rotations, VectorEvaluationKeys, VectorPublicKey, VectorSecretKey};
use super::layout::{Encoding, EncryptedVector, Layout};
use super::parameters::VectorParameters;
use super::residues::Values;
use crate::encode::batch::{rotation_element, row_swap_element, slot_sum_elements};
use crate::encode::{BatchEncoder, coefficient};
use crate::error::{Error, Result};
use crate::rlwe::{
    Context, Decryptor, Encryptor, EvaluationKeys, GaloisKeys, Plaintext, PublicKey,
    RelinearizationKey, SecretKey,
};
use cyclotron_engine::Engine;
use cyclotron_ring::sample::{SecretRng, SmallPoly};
use std::sync::Arc;

/// Vector parameters on an engine. Immutable and `Send + Sync`.
#[derive(Debug)]
pub struct VectorContext {
    parameters: VectorParameters,
    channels: Vec<Channel>,
}

/// One plaintext modulus.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) context: Arc<Context>,
    /// Missing when the modulus has no slots.
    batch: Option<BatchEncoder>,
}

impl Channel {
    pub(crate) fn encode(&self, encoding: Encoding, residues: &[u64]) -> Result<Plaintext> {
        match encoding {
            Encoding::Slots => self.batch()?.encode(residues),
            Encoding::Coefficients => coefficient::encode(self.context.parameters(), residues),
        }
    }

    fn decode(&self, encoding: Encoding, plaintext: &Plaintext) -> Result<Vec<u64>> {
        match encoding {
            Encoding::Slots => Ok(self.batch()?.decode(plaintext)),
            Encoding::Coefficients => Ok(coefficient::decode(plaintext)),
        }
    }

    fn batch(&self) -> Result<&BatchEncoder> {
        let parameters = self.context.parameters();
        let (modulus, degree) = (parameters.plaintext_modulus().value(), parameters.degree());
        self.batch.as_ref().ok_or(Error::NoSlots { modulus, degree })
    }
}

impl VectorContext {
    /// Puts parameters on an engine.
    ///
    /// # Errors
    /// Engine errors for what the engine does not support.
    pub fn new(parameters: &VectorParameters, engine: &Arc<dyn Engine>) -> Result<Arc<Self>> {
        let channels = parameters
            .channels()
            .iter()
            .map(|parameters| {
                let context = Context::new(parameters, engine)?;
                let batch =
                    parameters.has_slots().then(|| BatchEncoder::new(parameters)).transpose()?;
                Ok(Channel { context, batch })
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(Self { parameters: parameters.clone(), channels }))
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &VectorParameters {
        &self.parameters
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<dyn Engine> {
        self.channels[0].context.engine()
    }

    pub(crate) fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The context of each channel.
    pub fn contexts(&self) -> impl ExactSizeIterator<Item = &Arc<Context>> {
        self.channels.iter().map(|channel| &channel.context)
    }

    /// How many values fit in one vector: `n`.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.parameters.first().degree()
    }

    /// Slots when every plaintext modulus has them, else coefficients.
    #[must_use]
    pub fn default_encoding(&self) -> Encoding {
        let slots = self.channels.iter().all(|channel| channel.batch.is_some());
        if slots { Encoding::Slots } else { Encoding::Coefficients }
    }

    /// Level of fresh ciphertexts.
    #[must_use]
    pub fn max_level(&self) -> usize {
        self.parameters.first().max_level()
    }

    /// A fresh secret key.
    ///
    /// # Errors
    /// Engine errors.
    pub fn generate_secret_key(&self, rng: &mut SecretRng) -> Result<VectorSecretKey> {
        self.secret_key_from(SmallPoly::bounded_ternary(rng, self.capacity())?)
    }

    /// The secret key with these coefficients.
    pub(crate) fn secret_key_from(&self, small: SmallPoly) -> Result<VectorSecretKey> {
        let small = Arc::new(small);
        let channels = self
            .contexts()
            .map(|context| Ok(Arc::new(SecretKey::from_small(context, Arc::clone(&small))?)))
            .collect::<Result<_>>()?;
        Ok(VectorSecretKey { channels })
    }

    /// A public key.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; engine errors.
    pub fn generate_public_key(
        &self,
        secret: &VectorSecretKey,
        rng: &mut SecretRng,
    ) -> Result<VectorPublicKey> {
        let channels = self
            .pairs(&secret.channels, "secret key")?
            .map(|(channel, key)| Ok(Arc::new(PublicKey::generate(&channel.context, key, rng)?)))
            .collect::<Result<_>>()?;
        Ok(VectorPublicKey { channels })
    }

    /// Evaluation keys: for products when `relinearization`, and for rotations.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; engine errors.
    pub fn generate_evaluation_keys(
        &self,
        secret: &VectorSecretKey,
        relinearization: bool,
        rotations: &Rotations,
        rng: &mut SecretRng,
    ) -> Result<VectorEvaluationKeys> {
        let elements = self.galois_elements(rotations);
        let channels = self
            .pairs(&secret.channels, "secret key")?
            .map(|(channel, key)| {
                let context = &channel.context;
                let relinearization = relinearization
                    .then(|| RelinearizationKey::generate(context, key, rng).map(Arc::new))
                    .transpose()?;
                let galois = (!elements.is_empty())
                    .then(|| GaloisKeys::generate(context, key, &elements, rng).map(Arc::new))
                    .transpose()?;
                Ok(EvaluationKeys { relinearization, galois })
            })
            .collect::<Result<_>>()?;
        Ok(VectorEvaluationKeys { channels })
    }

    /// The Galois elements of some rotations.
    #[must_use]
    pub fn galois_elements(&self, rotations: &Rotations) -> Vec<u64> {
        let degree = self.capacity();
        match rotations {
            Rotations::None => Vec::new(),
            Rotations::Sums => slot_sum_elements(degree),
            Rotations::Steps(steps) => std::iter::once(row_swap_element(degree))
                .chain(steps.iter().map(|&steps| rotation_element(degree, steps)))
                .filter(|&element| element != 1)
                .collect(),
        }
    }

    /// Plaintexts of all channels with the given values in the first places.
    ///
    /// # Errors
    /// [`Error::ValueOutOfRange`], [`Error::TooManyValues`], [`Error::NoSlots`].
    pub(crate) fn encode(
        &self,
        values: Values<'_>,
        encoding: Encoding,
        signed: bool,
    ) -> Result<Vec<Plaintext>> {
        let (found, capacity) = (values.len(), self.capacity());
        if found > capacity {
            return Err(Error::TooManyValues { found, capacity });
        }
        let residues = self.parameters.plaintext().split(values, signed)?;
        let channels = self.channels.iter().zip(&residues);
        channels.map(|(channel, residues)| channel.encode(encoding, residues)).collect()
    }

    /// Encrypts values under the public key.
    ///
    /// # Errors
    /// [`Error::ValueOutOfRange`], [`Error::TooManyValues`], [`Error::NoSlots`],
    /// [`Error::ParameterMismatch`]; engine errors.
    pub fn encrypt(
        &self,
        key: &VectorPublicKey,
        values: Values<'_>,
        encoding: Encoding,
        signed: bool,
        rng: &mut SecretRng,
    ) -> Result<EncryptedVector> {
        let encryptors = self
            .pairs(&key.channels, "public key")?
            .map(|(channel, key)| Encryptor::public(&channel.context, key))
            .collect::<Result<Vec<_>>>()?;
        self.encrypt_with(&encryptors, values, encoding, signed, rng)
    }

    /// Encrypts values under the secret key: less noise, and half the bytes in files.
    ///
    /// # Errors
    /// As [`VectorContext::encrypt`].
    pub fn encrypt_symmetric(
        &self,
        key: &VectorSecretKey,
        values: Values<'_>,
        encoding: Encoding,
        signed: bool,
        rng: &mut SecretRng,
    ) -> Result<EncryptedVector> {
        let encryptors = self
            .pairs(&key.channels, "secret key")?
            .map(|(channel, key)| Encryptor::symmetric(&channel.context, key))
            .collect::<Result<Vec<_>>>()?;
        self.encrypt_with(&encryptors, values, encoding, signed, rng)
    }

    fn encrypt_with(
        &self,
        encryptors: &[Encryptor],
        values: Values<'_>,
        encoding: Encoding,
        signed: bool,
        rng: &mut SecretRng,
    ) -> Result<EncryptedVector> {
        let plaintexts = self.encode(values, encoding, signed)?;
        let channels = encryptors
            .iter()
            .zip(&plaintexts)
            .map(|(encryptor, plaintext)| encryptor.encrypt(plaintext, rng))
            .collect::<Result<_>>()?;
        let length = values.len();
        let layout = Layout { encoding, signed, length, replicated: false, clean: true };
        Ok(EncryptedVector { channels, layout })
    }

    /// The values.
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`], [`Error::NoiseMeasured`], [`Error::ParameterMismatch`]; engine
    /// errors.
    pub fn decrypt(&self, key: &VectorSecretKey, vector: &EncryptedVector) -> Result<Vec<i128>> {
        let channels = self
            .pairs(&key.channels, "secret key")?
            .zip(self.pairs(&vector.channels, "encrypted vector")?)
            .map(|((channel, key), (_, ciphertext))| {
                let plaintext = Decryptor::new(&channel.context, key)?.decrypt(ciphertext)?;
                channel.decode(vector.layout.encoding, &plaintext)
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(self.parameters.plaintext().join(&channels, &vector.layout))
    }

    /// Bits left between the noise bound and the capacity, in the worst channel. Needs no key.
    #[must_use]
    pub fn margin(&self, vector: &EncryptedVector) -> f64 {
        let margins = self.channels.iter().zip(&vector.channels).map(|(channel, ciphertext)| {
            let noise = channel.context.parameters().noise();
            noise.margin(&ciphertext.noise, ciphertext.level)
        });
        margins.fold(f64::INFINITY, f64::min)
    }

    /// Bits left between the measured noise and the capacity, in the worst channel: slow, and to
    /// be shown to nobody without the key.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; engine errors.
    pub fn measured_margin(&self, key: &VectorSecretKey, vector: &EncryptedVector) -> Result<f64> {
        let mut worst = f64::INFINITY;
        let keys = self.pairs(&key.channels, "secret key")?;
        for ((channel, key), (_, ciphertext)) in
            keys.zip(self.pairs(&vector.channels, "encrypted vector")?)
        {
            let measured = Decryptor::new(&channel.context, key)?.measure(ciphertext)?;
            worst = worst.min(measured.capacity - measured.noise);
        }
        Ok(worst)
    }

    /// Channels with what belongs to them.
    pub(crate) fn pairs<'a, T>(
        &'a self,
        items: &'a [T],
        what: &'static str,
    ) -> Result<impl Iterator<Item = (&'a Channel, &'a T)>> {
        if items.len() != self.channels.len() {
            return Err(Error::ParameterMismatch {
                what,
                found: format!("with {} channels", items.len()),
                expected: format!("{} with {} channels", self.parameters.id(), self.channels.len()),
            });
        }
        Ok(self.channels.iter().zip(items))
    }
}
