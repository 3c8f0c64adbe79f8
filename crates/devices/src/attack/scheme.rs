//! BFV with the parameters of the S-BFV paper (table 1), as the attacks need it: public things.

use super::AttackError;
use cyclotron_ring::pow2::Pow2Ring;
use cyclotron_ring::sample::{SecretRng, SecretSeed, SmallPoly};

/// Bits of a ciphertext coefficient: `q = 2^32`.
pub const LOG_Q: u32 = 32;
/// Bits of a plaintext coefficient: `t = 2^8`.
pub const LOG_T: u32 = 8;
/// `Delta = q / t`, in bits.
pub const LOG_DELTA: u32 = LOG_Q - LOG_T;
/// The degree of the paper.
pub const PAPER_DEGREE: usize = 1024;

/// `p0 = -(p1 s + e)`, `p1` uniform: `n` coefficients each, modulo `2^32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    ring: Pow2Ring,
    p0: Vec<u32>,
    p1: Vec<u32>,
}

/// A demonstration key: the secret lies open beside the public key, so that a test can decrypt.
#[derive(Debug, Clone)]
pub struct DemoKey {
    /// The public key.
    pub public: PublicKey,
    /// The secret key, `n` coefficients in `{-1, 0, 1}`.
    pub secret: Vec<i32>,
}

/// Ciphertexts of one run in the order of the device's output memory: polynomial `2k` is `c0` of
/// plaintext `k`, polynomial `2k + 1` its `c1`; lowest degree first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ciphertexts {
    degree: usize,
    words: Vec<u32>,
}

impl PublicKey {
    /// A public key of these polynomials.
    ///
    /// # Errors
    /// [`AttackError::Length`] when they differ in length; [`AttackError::Ring`] when the length is
    /// no power of two of at least 4.
    pub fn new(p0: Vec<u32>, p1: Vec<u32>) -> Result<Self, AttackError> {
        let ring = ring(p1.len())?;
        check_length("p0", p0.len(), p1.len())?;
        Ok(Self { ring, p0, p1 })
    }

    /// The degree `n`.
    #[must_use]
    pub const fn degree(&self) -> usize {
        self.ring.degree()
    }

    /// The ring `Z_{2^32}[x]/(x^n + 1)`.
    #[must_use]
    pub const fn ring(&self) -> Pow2Ring {
        self.ring
    }

    /// `p0`.
    #[must_use]
    pub fn p0(&self) -> &[u32] {
        &self.p0
    }

    /// `p1`.
    #[must_use]
    pub fn p1(&self) -> &[u32] {
        &self.p1
    }
}

impl DemoKey {
    /// A key of degree `n` drawn from `seed`: ternary secret, centred binomial noise (`k = 21`).
    ///
    /// # Errors
    /// [`AttackError::Ring`] when `n` is no power of two of at least 4.
    pub fn generate(n: usize, seed: [u8; 32]) -> Result<Self, AttackError> {
        let ring = ring(n)?;
        let mut rng = SecretRng::from_seed(SecretSeed::new(seed));
        let secret = SmallPoly::ternary(&mut rng, n).as_slice().to_vec();
        let noise = SmallPoly::binomial(&mut rng, n, 21)?;
        let p1: Vec<u32> = (0..n).map(|_| rng.next_u64() as u32).collect();
        let p0 = product(ring, &p1, &secret)
            .iter()
            .zip(noise.as_slice())
            .map(|(&x, &e)| x.wrapping_add_signed(e).wrapping_neg())
            .collect();
        Ok(Self { public: PublicKey { ring, p0, p1 }, secret })
    }

    /// `round((c0 + c1 s) / Delta) mod t` of plaintext `k`.
    ///
    /// # Errors
    /// [`AttackError::NoSuchPlaintext`]; [`AttackError::Length`] for another degree.
    pub fn decrypt(&self, ciphertexts: &Ciphertexts, k: usize) -> Result<Vec<u8>, AttackError> {
        check_length("ciphertext", ciphertexts.degree(), self.public.degree())?;
        let c1s = product(self.public.ring, ciphertexts.c1(k)?, &self.secret);
        let half = 1 << (LOG_DELTA - 1);
        let coefficient =
            |(&x, &y): (&u32, &u32)| (x.wrapping_add(y).wrapping_add(half) >> LOG_DELTA) as u8;
        Ok(ciphertexts.c0(k)?.iter().zip(&c1s).map(coefficient).collect())
    }
}

impl Ciphertexts {
    /// Ciphertexts of degree `n`, read from the output memory.
    ///
    /// # Errors
    /// [`AttackError::NotWhole`] unless there are a positive number of pairs of `n` words.
    pub fn new(n: usize, words: Vec<u32>) -> Result<Self, AttackError> {
        check_whole("ciphertext words", words.len(), 2 * n)?;
        Ok(Self { degree: n, words })
    }

    /// The degree `n`.
    #[must_use]
    pub const fn degree(&self) -> usize {
        self.degree
    }

    /// How many ciphertexts there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.words.len() / (2 * self.degree)
    }

    /// All words, in the order of the output memory.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// `c0` of plaintext `k`.
    ///
    /// # Errors
    /// [`AttackError::NoSuchPlaintext`].
    pub fn c0(&self, k: usize) -> Result<&[u32], AttackError> {
        self.polynomial(k, 0)
    }

    /// `c1` of plaintext `k`.
    ///
    /// # Errors
    /// [`AttackError::NoSuchPlaintext`].
    pub fn c1(&self, k: usize) -> Result<&[u32], AttackError> {
        self.polynomial(k, 1)
    }

    fn polynomial(&self, k: usize, part: usize) -> Result<&[u32], AttackError> {
        if k >= self.count() {
            return Err(AttackError::NoSuchPlaintext { index: k, count: self.count() });
        }
        let start = (2 * k + part) * self.degree;
        Ok(&self.words[start..start + self.degree])
    }
}

/// One encryption by its definition: `c0 = p0 u + e1 + Delta m`, `c1 = p1 u + e2`, appended to
/// `words`. All slices have the degree of the key.
pub(super) fn encrypt_into(
    words: &mut Vec<u32>,
    [p0u, p1u]: [&[u32]; 2],
    [e1, e2]: [&[i32]; 2],
    message: &[u8],
) {
    let scaled = message.iter().map(|&m| u32::from(m) << LOG_DELTA);
    words.extend(
        p0u.iter()
            .zip(e1)
            .zip(scaled)
            .map(|((&x, &e), m)| x.wrapping_add_signed(e).wrapping_add(m)),
    );
    words.extend(p1u.iter().zip(e2).map(|(&x, &e)| x.wrapping_add_signed(e)));
}

/// `a b` modulo `2^32` and `x^n + 1`, for small signed `b`. Both have the degree of `ring`.
pub(super) fn product(ring: Pow2Ring, a: &[u32], b: &[i32]) -> Vec<u32> {
    let a: Vec<u64> = a.iter().map(|&x| u64::from(x)).collect();
    let b: Vec<u64> = b.iter().map(|&x| i64::from(x) as u64).collect();
    let mut out = vec![0; ring.degree()];
    ring.mul(&mut out, &a, &b);
    out.into_iter().map(|x| x as u32).collect()
}

fn ring(n: usize) -> Result<Pow2Ring, AttackError> {
    let ring = Pow2Ring::new(n, LOG_Q)?;
    if n < 4 {
        // The least degree of the device's randomness.
        let (min, max) = (4, cyclotron_ring::pow2::MAX_DEGREE);
        return Err(cyclotron_ring::RingError::UnsupportedDegree { degree: n, min, max }.into());
    }
    Ok(ring)
}

pub(super) fn check_length(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), AttackError> {
    if found == expected { Ok(()) } else { Err(AttackError::Length { what, found, expected }) }
}

/// A positive number of whole polynomials.
pub(super) fn check_whole(
    what: &'static str,
    found: usize,
    degree: usize,
) -> Result<(), AttackError> {
    if degree > 0 && found > 0 && found.is_multiple_of(degree) {
        Ok(())
    } else {
        Err(AttackError::NotWhole { what, found, degree })
    }
}
