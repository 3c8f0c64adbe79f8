//! Encryption, under the secret key (half of the ciphertext is then a seed) or the public key.

use super::ciphertext::Ciphertext;
use super::context::Context;
use super::keys::{PublicKey, SecretKey};
use super::plaintext::Plaintext;
use crate::error::Result;
use cyclotron_engine::{Evaluation, Poly, Stream};
use cyclotron_ring::sample::{SecretRng, Seed, SmallPoly};
use std::sync::Arc;

/// Whose key encrypts.
#[derive(Debug, Clone)]
enum Key {
    Secret(Arc<SecretKey>),
    Public(Arc<PublicKey>),
}

/// Encrypts plaintexts under one key. Each call draws fresh randomness from the generator given.
#[derive(Debug, Clone)]
pub struct Encryptor {
    context: Arc<Context>,
    key: Key,
}

impl Encryptor {
    /// Symmetric encryption: smaller noise, and fresh ciphertexts of half the size in files.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`].
    pub fn symmetric(context: &Arc<Context>, key: &Arc<SecretKey>) -> Result<Self> {
        context.check_id("secret key", key.id)?;
        Ok(Self { context: Arc::clone(context), key: Key::Secret(Arc::clone(key)) })
    }

    /// Public-key encryption.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`].
    pub fn public(context: &Arc<Context>, key: &Arc<PublicKey>) -> Result<Self> {
        context.check_id("public key", key.id)?;
        Ok(Self { context: Arc::clone(context), key: Key::Public(Arc::clone(key)) })
    }

    /// A fresh encryption at the highest level.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`]; engine errors.
    pub fn encrypt(&self, plaintext: &Plaintext, rng: &mut SecretRng) -> Result<Ciphertext> {
        let context = &*self.context;
        context.check_id("plaintext", plaintext.id())?;
        let stream = context.stream();
        let level = context.parameters().max_level();
        let embedded = context.scheme().embed(context, &stream, plaintext, level, 1)?;
        let message = stream.forward(embedded)?;
        let noise = context.parameters().noise();
        let (linear, noise, seed) = match &self.key {
            Key::Secret(key) => {
                let (linear, seed) = symmetric(context, &stream, key, &message, rng)?;
                (linear, noise.fresh_symmetric(), Some(seed))
            }
            Key::Public(key) => {
                (public(context, &stream, key, &message, rng)?, noise.fresh_public(), None)
            }
        };
        let (quadratic, factor, transparent) = (None, 1, false);
        Ok(Ciphertext {
            id: context.id(),
            linear,
            quadratic,
            level,
            noise,
            factor,
            seed,
            transparent,
        })
    }
}

/// `(-(a s) + scale e + message, a)` with `a` from a fresh seed.
fn symmetric(
    context: &Context,
    stream: &Stream,
    key: &SecretKey,
    message: &Poly<Evaluation>,
    rng: &mut SecretRng,
) -> Result<(Poly<Evaluation>, Seed)> {
    let shape = message.shape();
    let seed = rng.public_seed();
    let error = context.sample_error(rng)?;
    let error = stream.forward(context.upload_small(stream, shape, &[&error], true)?)?;
    let mask = context.expand(stream, shape, &seed, 0)?;
    let mut secret = stream.select(&key.values, &shape.limbs, 0, 1)?;
    secret.mark_secret();
    let mut body = stream.mul(&mask, &secret)?;
    stream.neg_assign(&mut body)?;
    stream.add_assign(&mut body, &error)?;
    stream.add_assign(&mut body, message)?;
    Ok((stream.stack(&[&body, &mask])?, seed))
}

/// `u (b, a) + scale (e_0, e_1) + (message, 0)` with `u` ternary.
fn public(
    context: &Context,
    stream: &Stream,
    key: &PublicKey,
    message: &Poly<Evaluation>,
    rng: &mut SecretRng,
) -> Result<Poly<Evaluation>> {
    let shape = message.shape();
    let mask = SmallPoly::ternary(rng, context.parameters().degree());
    let errors = [context.sample_error(rng)?, context.sample_error(rng)?];
    let pair = shape.with_batch(2);
    let errors = context.upload_small(stream, &pair, &errors.each_ref(), true)?;
    let mut linear = stream.forward(errors)?;
    let mask = stream.forward(context.upload_small(stream, shape, &[&mask], false)?)?;
    stream.mul_add_assign(&mut linear, &key.pair, &mask)?;
    let mut body = stream.select(&linear, &shape.limbs, 0, 1)?;
    stream.add_assign(&mut body, message)?;
    stream.place(&mut linear, 0, &body)?;
    Ok(linear)
}
