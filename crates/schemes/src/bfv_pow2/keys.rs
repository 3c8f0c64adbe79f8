//! Secret, public and relinearisation keys.

use super::context::Pow2Context;
use super::device::PublicPolynomials;
use super::exact::{ExactMultiplier, signed_halves};
use super::parameters::ERROR_K;
use super::ternary::PreparedSmall;
use crate::error::{Error, Result};
use crate::rlwe::ParametersId;
use cyclotron_ring::sample::{SecretRng, Seed, SmallPoly};
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A ternary secret key `s`. Zeroized when dropped, never printed.
pub struct SecretKey {
    pub(crate) id: ParametersId,
    pub(crate) small: SmallPoly,
    pub(crate) prepared: PreparedSmall,
}

impl SecretKey {
    /// A fresh key, uniform among ternary polynomials of bounded canonical norm
    /// (`SmallPoly::bounded_ternary`).
    ///
    /// # Errors
    /// [`Error::Ring`] never for checked parameters.
    pub fn generate(context: &Pow2Context, rng: &mut SecretRng) -> Result<Self> {
        let small = SmallPoly::bounded_ternary(rng, context.parameters().degree())?;
        Self::from_small(context, small)
    }

    /// A key from its coefficients, whose norm has been checked.
    pub(crate) fn from_small(context: &Pow2Context, small: SmallPoly) -> Result<Self> {
        let prepared = context.ternary.prepare_small(&small)?;
        Ok(Self { id: context.parameters().id(), small, prepared })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }

    /// The coefficients, for a device: as secret as the key.
    #[must_use]
    pub fn expose(&self) -> &SmallPoly {
        &self.small
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(parameters {}, contents hidden)", self.id)
    }
}

/// A public key `p0 = -(p1 s + e)`, `p1` uniform from a public seed.
#[derive(Debug, Clone)]
pub struct PublicKey {
    pub(crate) id: ParametersId,
    pub(crate) seed: Seed,
    pub(crate) p0: Vec<u64>,
    pub(crate) p1: Vec<u64>,
}

impl PublicKey {
    /// A public key of `secret`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn generate(
        context: &Pow2Context,
        secret: &SecretKey,
        rng: &mut SecretRng,
    ) -> Result<Self> {
        let parameters = context.parameters();
        parameters.check_id("secret key", secret.id)?;
        let seed = rng.public_seed();
        let error = SmallPoly::binomial(rng, parameters.degree(), ERROR_K)?;
        let p1 = Self::mask(context, &seed)?;
        let mut p0 = context.ternary.product(&p1, &secret.prepared)?;
        let mask = parameters.mask_q();
        for (word, &e) in p0.iter_mut().zip(error.as_slice()) {
            *word = word.wrapping_add(i64::from(e) as u64).wrapping_neg() & mask;
        }
        Ok(Self { id: parameters.id(), seed, p0, p1 })
    }

    /// `p1` of a seed.
    fn mask(context: &Pow2Context, seed: &Seed) -> Result<Vec<u64>> {
        let words = context.expand(seed, context.parameters().log_q())?;
        Ok(words.into_iter().map(|word| word as u64).collect())
    }

    /// A key from a file: `p0` has been checked.
    pub(crate) fn from_parts(context: &Pow2Context, seed: Seed, p0: Vec<u64>) -> Result<Self> {
        let p1 = Self::mask(context, &seed)?;
        Ok(Self { id: context.parameters().id(), seed, p0, p1 })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }

    /// The seed of `p1`.
    #[must_use]
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The two polynomials, `n` words in `[0, q)` each, as devices take them.
    #[must_use]
    pub fn polynomials(&self) -> PublicPolynomials<'_> {
        PublicPolynomials { p0: &self.p0, p1: &self.p1 }
    }
}

/// The key from `s^2` to `s` by modulus raising (Fan and Vercauteren, eprint 2012/144,
/// relinearisation version 2): `(-(a s + e) + p s^2, a)` modulo `p q`.
#[derive(Clone)]
pub struct RelinearizationKey {
    pub(crate) id: ParametersId,
    pub(crate) seed: Seed,
    /// `n` numbers in `[0, p q)`.
    pub(crate) body: Vec<u128>,
    pub(crate) mask: Vec<u128>,
}

impl fmt::Debug for RelinearizationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RelinearizationKey(parameters {})", self.id)
    }
}

impl RelinearizationKey {
    /// A relinearisation key of `secret`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; [`Error::Parameter`] when the parameters have none.
    pub fn generate(
        context: &Pow2Context,
        secret: &SecretKey,
        rng: &mut SecretRng,
    ) -> Result<Self> {
        let parameters = context.parameters();
        parameters.check_id("secret key", secret.id)?;
        let bits = Self::bits(context)?;
        let seed = rng.public_seed();
        let error = SmallPoly::binomial(rng, parameters.degree(), ERROR_K)?;
        let mask = context.expand(&seed, bits)?;

        let small: Vec<i64> = secret.small.as_slice().iter().map(|&x| x.into()).collect();
        let small = Zeroizing::new(small);
        let log_n = f64::from(parameters.degree().ilog2());
        let exact = &context.exact;
        // Products of signed 64-bit halves by s, and s by itself.
        let primes = ExactMultiplier::primes_for(63.0 + log_n);
        let s = exact.transform(&small, primes);
        let halves = |part: fn((i64, i64)) -> i64| -> Vec<u128> {
            let words: Vec<i64> = mask.iter().map(|&a| part(signed_halves(a))).collect();
            exact.sum_of_products(&[(&exact.transform(&words, primes), &s)])
        };
        let low = Zeroizing::new(halves(|(low, _)| low));
        let high = Zeroizing::new(halves(|(_, high)| high));
        let square = Zeroizing::new(exact.sum_of_products(&[(&s, &s)]));
        let reduce = u128::MAX >> (128 - bits);
        let products = low.iter().zip(high.iter()).zip(square.iter());
        let body = products.zip(error.as_slice()).map(|(((&low, &high), &square), &e)| {
            let masked = low.wrapping_add(high << 64).wrapping_add(i128::from(e) as u128);
            (square << parameters.log_p()).wrapping_sub(masked) & reduce
        });
        Ok(Self { id: parameters.id(), seed, body: body.collect(), mask })
    }

    /// Bits of `p q`.
    pub(crate) fn bits(context: &Pow2Context) -> Result<u32> {
        let parameters = context.parameters();
        if parameters.log_p() == 0 {
            return Err(Error::Parameter {
                what: "log2 of the relinearisation factor",
                value: "0".to_owned(),
                remedy: "choose parameters with a factor, such as log_p = log_q".to_owned(),
            });
        }
        Ok(parameters.log_q() + parameters.log_p())
    }

    /// A key from a file: the body has been checked.
    pub(crate) fn from_parts(context: &Pow2Context, seed: Seed, body: Vec<u128>) -> Result<Self> {
        let mask = context.expand(&seed, Self::bits(context)?)?;
        Ok(Self { id: context.parameters().id(), seed, body, mask })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }
}

/// A key pair.
#[derive(Debug)]
pub struct KeyPair {
    /// The secret key.
    pub secret: Arc<SecretKey>,
    /// Its public key.
    pub public: Arc<PublicKey>,
}

impl KeyPair {
    /// A fresh secret key and its public key.
    ///
    /// # Errors
    /// As [`SecretKey::generate`].
    pub fn generate(context: &Pow2Context, rng: &mut SecretRng) -> Result<Self> {
        let secret = SecretKey::generate(context, rng)?;
        let public = PublicKey::generate(context, &secret, rng)?;
        Ok(Self { secret: Arc::new(secret), public: Arc::new(public) })
    }
}
