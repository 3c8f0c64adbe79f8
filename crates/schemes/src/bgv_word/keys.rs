//! Secret, public and relinearisation keys.

use super::ciphertext::check_residues;
use super::context::WordContext;
use super::parameter;
use super::parameters::ErrorKind;
use crate::error::Result;
use crate::rlwe::ParametersId;
use cyclotron_ring::norms::{canonical_norm, secret_bound};
use cyclotron_ring::sample::device::MAX_NOISE;
use cyclotron_ring::sample::{SecretRng, Seed, SmallPoly, uniform};
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A ternary secret key `s`. Zeroized when dropped, never printed.
pub struct SecretKey {
    id: ParametersId,
    small: SmallPoly,
}

impl SecretKey {
    /// A fresh key, uniform among ternary polynomials of bounded canonical norm
    /// (`SmallPoly::bounded_ternary`).
    ///
    /// # Errors
    /// [`crate::Error::Ring`] never for checked parameters.
    pub fn generate(context: &WordContext, rng: &mut SecretRng) -> Result<Self> {
        let parameters = context.parameters();
        let small = SmallPoly::bounded_ternary(rng, parameters.degree())?;
        Ok(Self { id: parameters.id(), small })
    }

    /// A key from its coefficients, of which the noise bounds demand what [`Self::generate`] gives.
    ///
    /// # Errors
    /// [`crate::Error::Parameter`] for another length, coefficients outside `{-1, 0, 1}`, or a
    /// canonical norm above the bound; the values are not told.
    pub fn from_coefficients(context: &WordContext, small: SmallPoly) -> Result<Self> {
        let parameters = context.parameters();
        let degree = parameters.degree();
        if small.len() != degree {
            let remedy = format!("give {degree}");
            return Err(parameter("coefficients of the secret key", small.len(), remedy));
        }
        // 0, 1 and 2 have no bit above 1, and 3 is the only other word of two bits.
        let illegal = small.as_slice().iter().fold(0, |seen, &x| {
            let shifted = x.wrapping_add(1) as u32;
            seen | (shifted >> 2) | (shifted & (shifted >> 1))
        });
        let real: Zeroizing<Vec<f64>> =
            Zeroizing::new(small.as_slice().iter().map(|&x| x.into()).collect());
        if illegal != 0 || canonical_norm(&real) > secret_bound(degree) {
            let remedy = "use a key that Cyclotron generated".to_owned();
            return Err(parameter("secret key", "not ternary of bounded canonical norm", remedy));
        }
        Ok(Self { id: parameters.id(), small })
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

/// `-(a s + p e)` for the values `s`: the body of every public part of a key.
fn masked(
    context: &WordContext,
    a: &[u64],
    secret: &[u64],
    rng: &mut SecretRng,
) -> Result<Vec<u64>> {
    let (parameters, q) = (context.parameters(), context.top());
    let error = match parameters.error() {
        ErrorKind::Binomial => SmallPoly::binomial(rng, parameters.degree(), MAX_NOISE)?,
        ErrorKind::Ternary => SmallPoly::ternary(rng, parameters.degree()),
    };
    let error = context.residues(&error)?;
    let mut body = context.product(a, secret);
    for (word, &e) in body.iter_mut().zip(error.iter()) {
        *word = q.neg(q.mul_add(e, parameters.plain_modulus(), *word));
    }
    Ok(body)
}

/// Polynomial number `stream` of a public seed.
fn mask(context: &WordContext, seed: &Seed, stream: u32) -> Vec<u64> {
    let mut words = vec![0; context.parameters().degree()];
    uniform::fill(seed, stream, 0, context.top(), &mut words);
    words
}

/// A public key `p0 = -(p1 s + p e)`, `p1` uniform modulo `Q`.
#[derive(Debug, Clone)]
pub struct PublicKey {
    id: ParametersId,
    p0: Vec<u64>,
    p1: Vec<u64>,
}

impl PublicKey {
    /// A public key of `secret`.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`].
    pub fn generate(
        context: &WordContext,
        secret: &SecretKey,
        rng: &mut SecretRng,
    ) -> Result<Self> {
        context.parameters().check_id("secret key", secret.id)?;
        let values = context.transformed_small(&secret.small)?;
        let p1 = mask(context, &rng.public_seed(), 0);
        let p0 = masked(context, &p1, &values, rng)?;
        Ok(Self { id: secret.id, p0, p1 })
    }

    /// A key from its polynomials.
    ///
    /// # Errors
    /// [`crate::Error::Ring`] for another length than `n` or words that are not below `Q`.
    pub fn from_polynomials(context: &WordContext, p0: Vec<u64>, p1: Vec<u64>) -> Result<Self> {
        let parameters = context.parameters();
        for words in [&p0, &p1] {
            check_residues("public key", words, parameters.degree(), context.top().value())?;
        }
        Ok(Self { id: parameters.id(), p0, p1 })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }

    /// `(p0, p1)`: `n` words in `[0, Q)` each.
    #[must_use]
    pub fn polynomials(&self) -> (&[u64], &[u64]) {
        (&self.p0, &self.p1)
    }
}

/// Row `i` of a relinearisation key: `b = -(a s + p e) + 2^(w i) s^2`, `a` uniform, modulo `Q`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// `b_i`: `n` words in `[0, Q)`.
    pub b: Vec<u64>,
    /// `a_i`: `n` words in `[0, Q)`.
    pub a: Vec<u64>,
}

/// The key from `s^2` to `s`. Reduced modulo `Q_l` it is the key of level `l`.
#[derive(Clone)]
pub struct RelinearizationKey {
    id: ParametersId,
    rows: Vec<KeyRow>,
}

impl RelinearizationKey {
    /// A relinearisation key of `secret`.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`].
    pub fn generate(
        context: &WordContext,
        secret: &SecretKey,
        rng: &mut SecretRng,
    ) -> Result<Self> {
        let (parameters, q) = (context.parameters(), context.top());
        parameters.check_id("secret key", secret.id)?;
        let values = context.transformed_small(&secret.small)?;
        let square = Zeroizing::new(context.product(&context.residues(&secret.small)?, &values));
        let seed = rng.public_seed();
        let mut rows = Vec::with_capacity(parameters.digit_count());
        for i in 0..parameters.digit_count() as u32 {
            let a = mask(context, &seed, i);
            let mut b = masked(context, &a, &values, rng)?;
            let weight = 1 << (parameters.digit_bits() * i);
            for (word, &x) in b.iter_mut().zip(square.iter()) {
                *word = q.mul_add(x, weight, *word);
            }
            rows.push(KeyRow { b, a });
        }
        Ok(Self { id: parameters.id(), rows })
    }

    /// A key from its rows.
    ///
    /// # Errors
    /// [`crate::Error::Parameter`] for another number of rows; [`crate::Error::Ring`] for another
    /// length than `n` or words that are not below `Q`.
    pub fn from_rows(context: &WordContext, rows: Vec<KeyRow>) -> Result<Self> {
        let parameters = context.parameters();
        if rows.len() != parameters.digit_count() {
            let remedy = format!("give {}", parameters.digit_count());
            return Err(parameter("rows of the relinearisation key", rows.len(), remedy));
        }
        for words in rows.iter().flat_map(|row| [&row.b, &row.a]) {
            let modulus = context.top().value();
            check_residues("relinearisation key", words, parameters.degree(), modulus)?;
        }
        Ok(Self { id: parameters.id(), rows })
    }

    /// Identity of the parameters.
    #[must_use]
    pub fn id(&self) -> ParametersId {
        self.id
    }

    /// The rows, that of the lowest digit first.
    #[must_use]
    pub fn rows(&self) -> &[KeyRow] {
        &self.rows
    }
}

impl fmt::Debug for RelinearizationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RelinearizationKey({} rows, parameters {})", self.rows.len(), self.id)
    }
}

/// All keys of one secret.
#[derive(Debug, Clone)]
pub struct KeySet {
    /// The secret key.
    pub secret: Arc<SecretKey>,
    /// Its public key.
    pub public: Arc<PublicKey>,
    /// Its relinearisation key.
    pub relinearization: Arc<RelinearizationKey>,
}

impl KeySet {
    /// A fresh secret key and its other keys, a fixed function of what the generator yields.
    ///
    /// # Errors
    /// As [`SecretKey::generate`].
    pub fn generate(context: &WordContext, rng: &mut SecretRng) -> Result<Self> {
        let secret = SecretKey::generate(context, rng)?;
        let public = PublicKey::generate(context, &secret, rng)?;
        let relinearization = RelinearizationKey::generate(context, &secret, rng)?;
        Ok(Self {
            secret: Arc::new(secret),
            public: Arc::new(public),
            relinearization: Arc::new(relinearization),
        })
    }
}
