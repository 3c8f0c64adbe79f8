//! What a `u` that serves two plaintexts gives away, without a key and without a search.
//!
//! Under one `u`, `c0 - c0' = Delta (m - m') + (e1 - e1')`: the difference of two ciphertexts is a
//! multiple of `Delta` but for a few units, and the multiple is the difference of the plaintexts;
//! `c1 - c1' = e2 - e2'` is small outright. One known plaintext then opens all others of its run.
//! Under two independent `u` both differences are uniform modulo `q`.

use super::AttackError;
use super::scheme::{Ciphertexts, LOG_DELTA, check_length};
use cyclotron_ring::sample::lfsr;

/// The largest distance from a multiple of `Delta` that two noise samples of the paper's register
/// can make.
pub const LARGEST_LEAK: u32 = 2 * lfsr::BOUND as u32;

/// The difference of two ciphertexts.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The multiples of `Delta` nearest to `c0' - c0`: under one `u` the difference `m' - m` modulo
    /// `2^8`.
    pub plaintext: Vec<u8>,
    /// How far the coefficients of `c0' - c0` are from multiples of `Delta`.
    pub c0: Distance,
    /// How far the coefficients of `c1' - c1` are from zero.
    pub c1: Distance,
}

/// Distances of the coefficients of a polynomial from a lattice of period `2^bits`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// The largest, in `[0, 2^(bits-1)]`.
    pub largest: u32,
    /// The mean divided by `2^(bits-2)`, what it is for uniform coefficients: near 1 for those, with
    /// the standard deviation `1 / sqrt(3 n)`; near 0 when the difference is small.
    pub relative_mean: f64,
}

impl Difference {
    /// Whether the plaintext difference is read off: no coefficient is farther from a multiple of
    /// `Delta` than the noise can be. A uniform difference of degree `n` passes with a chance of
    /// `(65 / 2^24)^n`.
    #[must_use]
    pub const fn leaks(&self) -> bool {
        self.c0.largest <= LARGEST_LEAK
    }
}

/// The difference of ciphertexts `other` and `first` of a run (or of two runs joined).
///
/// # Errors
/// [`AttackError::NoSuchPlaintext`].
pub fn difference(
    ciphertexts: &Ciphertexts,
    first: usize,
    other: usize,
) -> Result<Difference, AttackError> {
    let c0 = subtract(ciphertexts.c0(other)?, ciphertexts.c0(first)?);
    let c1 = subtract(ciphertexts.c1(other)?, ciphertexts.c1(first)?);
    let half = 1 << (LOG_DELTA - 1);
    let plaintext = c0.iter().map(|x| (x.wrapping_add(half) >> LOG_DELTA) as u8).collect();
    let (c0, c1) = (Distance::of(&c0, LOG_DELTA), Distance::of(&c1, u32::BITS));
    Ok(Difference { plaintext, c0, c1 })
}

/// All plaintexts of a run in the paper's mode, `B n` coefficients, from the one numbered `known`.
/// `None` when the differences do not leak.
///
/// # Errors
/// [`AttackError::NoSuchPlaintext`]; [`AttackError::Length`] when `message` is no polynomial.
pub fn all_from_one(
    ciphertexts: &Ciphertexts,
    known: usize,
    message: &[u8],
) -> Result<Option<Vec<u8>>, AttackError> {
    check_length("known plaintext", message.len(), ciphertexts.degree())?;
    let mut messages = Vec::with_capacity(ciphertexts.count() * message.len());
    for k in 0..ciphertexts.count() {
        let difference = difference(ciphertexts, known, k)?;
        if !difference.leaks() {
            return Ok(None);
        }
        let coefficients = message.iter().zip(&difference.plaintext);
        messages.extend(coefficients.map(|(&m, &d)| m.wrapping_add(d)));
    }
    Ok(Some(messages))
}

impl Distance {
    /// Distances from multiples of `2^bits`, `2 <= bits <= 32`.
    fn of(coefficients: &[u32], bits: u32) -> Self {
        let unused = u32::BITS - bits;
        let distance = |&x: &u32| (((x << unused) as i32) >> unused).unsigned_abs();
        let largest = coefficients.iter().map(distance).max().unwrap_or(0);
        let sum: f64 = coefficients.iter().map(|x| f64::from(distance(x))).sum();
        let mean = sum / coefficients.len().max(1) as f64;
        Self { largest, relative_mean: mean / f64::exp2(f64::from(bits - 2)) }
    }
}

fn subtract(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().zip(b).map(|(&x, &y)| x.wrapping_sub(y)).collect()
}
