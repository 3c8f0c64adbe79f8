//! Secret, public and evaluation keys.

use super::context::Context;
use super::parameters::ParametersId;
use super::switching::SwitchingKey;
use crate::error::{Error, Result};
use cyclotron_engine::{Evaluation, Poly};
use cyclotron_ring::sample::{SecretRng, Seed, SmallPoly};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A ternary secret key `s`. Zeroized when dropped, never printed.
pub struct SecretKey {
    pub(crate) id: ParametersId,
    pub(crate) small: Arc<SmallPoly>,
    /// `s` over the limbs of `QP`.
    pub(crate) values: Poly<Evaluation>,
}

impl SecretKey {
    /// A fresh key, uniform among ternary polynomials of bounded canonical norm
    /// (`SmallPoly::bounded_ternary`).
    ///
    /// # Errors
    /// Engine errors.
    pub fn generate(context: &Context, rng: &mut SecretRng) -> Result<Self> {
        let small = SmallPoly::bounded_ternary(rng, context.parameters().degree())?;
        Self::from_small(context, Arc::new(small))
    }

    /// A key from its coefficients.
    ///
    /// # Errors
    /// [`Error::TooManyValues`] unless there are `n` coefficients; engine errors.
    pub(crate) fn from_small(context: &Context, small: Arc<SmallPoly>) -> Result<Self> {
        let capacity = context.parameters().degree();
        if small.len() != capacity {
            return Err(Error::TooManyValues { found: small.len(), capacity });
        }
        let stream = context.stream();
        let coefficients =
            context.upload_small(&stream, &context.key_shape(1)?, &[&small], false)?;
        let mut values = stream.forward(coefficients)?;
        values.mark_secret();
        Ok(Self { id: context.id(), small, values })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(parameters {}, contents hidden)", self.id)
    }
}

/// A public key: an encryption of zero, `(-(a s) - scale e, a)` over `Q`.
#[derive(Debug)]
pub struct PublicKey {
    pub(crate) id: ParametersId,
    pub(crate) pair: Poly<Evaluation>,
    /// The seed of `a`.
    pub(crate) seed: Seed,
}

impl PublicKey {
    /// A public key of `secret`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; engine errors.
    pub fn generate(context: &Context, secret: &SecretKey, rng: &mut SecretRng) -> Result<Self> {
        context.check_id("secret key", secret.id)?;
        let stream = context.stream();
        let shape = context.shape(context.parameters().max_level(), 1)?;
        let seed = rng.public_seed();
        let error = context.sample_error(rng)?;
        let error = stream.forward(context.upload_small(&stream, &shape, &[&error], true)?)?;
        let mask = context.expand(&stream, &shape, &seed, 0)?;
        let mut values = stream.select(&secret.values, &shape.limbs, 0, 1)?;
        values.mark_secret();
        let mut body = stream.mul(&mask, &values)?;
        stream.add_assign(&mut body, &error)?;
        stream.neg_assign(&mut body)?;
        let pair = stream.stack(&[&body, &mask])?;
        Ok(Self { id: context.id(), pair, seed })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }
}

/// The key from `s^2` to `s`.
#[derive(Debug)]
pub struct RelinearizationKey {
    pub(crate) id: ParametersId,
    pub(crate) key: SwitchingKey,
}

impl RelinearizationKey {
    /// A relinearisation key of `secret`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; engine errors.
    pub fn generate(context: &Context, secret: &SecretKey, rng: &mut SecretRng) -> Result<Self> {
        context.check_id("secret key", secret.id)?;
        let stream = context.stream();
        let mut square = stream.mul(&secret.values, &secret.values)?;
        square.mark_secret();
        let key = SwitchingKey::generate(context, &stream, secret, &square, rng)?;
        Ok(Self { id: context.id(), key })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }
}

/// The keys from `s(x^g)` to `s`, for some Galois elements `g`.
#[derive(Debug)]
pub struct GaloisKeys {
    pub(crate) id: ParametersId,
    pub(crate) keys: BTreeMap<u64, Arc<SwitchingKey>>,
}

impl GaloisKeys {
    /// Keys for the given Galois elements (odd, below `2n`).
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::Ring`] for an element that is not one.
    pub fn generate(
        context: &Context,
        secret: &SecretKey,
        elements: &[u64],
        rng: &mut SecretRng,
    ) -> Result<Self> {
        context.check_id("secret key", secret.id)?;
        let stream = context.stream();
        let mut keys = BTreeMap::new();
        for &element in elements {
            let mut image = stream.automorphism(&secret.values, element)?;
            image.mark_secret();
            let key = SwitchingKey::generate(context, &stream, secret, &image, rng)?;
            keys.insert(element, Arc::new(key));
        }
        Ok(Self { id: context.id(), keys })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }

    /// The Galois elements that there are keys for.
    pub fn elements(&self) -> impl Iterator<Item = u64> + '_ {
        self.keys.keys().copied()
    }
}

/// What a server needs to compute: no secret in it.
#[derive(Debug, Clone, Default)]
pub struct EvaluationKeys {
    /// For products of ciphertexts.
    pub relinearization: Option<Arc<RelinearizationKey>>,
    /// For rotations.
    pub galois: Option<Arc<GaloisKeys>>,
}

impl EvaluationKeys {
    /// The relinearisation key.
    ///
    /// # Errors
    /// [`Error::MissingKey`].
    pub(crate) fn relinearization(&self, operation: &'static str) -> Result<&RelinearizationKey> {
        self.relinearization.as_deref().ok_or_else(|| Error::MissingKey {
            operation,
            wanted: "the relinearisation key".to_owned(),
            present: "none".to_owned(),
            remedy: "generate it with the secret key and give it to the evaluator".to_owned(),
        })
    }

    /// The key of a Galois element.
    ///
    /// # Errors
    /// [`Error::MissingKey`] with the elements that there are.
    pub(crate) fn galois(&self, operation: &'static str, element: u64) -> Result<&SwitchingKey> {
        let found = self.galois.as_deref().and_then(|keys| keys.keys.get(&element));
        found.map(|key| &**key).ok_or_else(|| {
            let present: Vec<String> = self
                .galois
                .iter()
                .flat_map(|keys| keys.elements())
                .map(|element| element.to_string())
                .collect();
            Error::MissingKey {
                operation,
                wanted: format!("the key of Galois element {element}"),
                present: if present.is_empty() { "none".to_owned() } else { present.join(", ") },
                remedy: "generate it with the secret key for the rotations you use".to_owned(),
            }
        })
    }
}
