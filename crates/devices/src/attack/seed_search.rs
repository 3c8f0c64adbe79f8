//! The search for the state of the 20-bit noise register, from a public key and one ciphertext.
//!
//! With `p1 = (x + 1)^v w^-1` ([`local_ring`]) the right noise `e2` makes
//! `w (c1 - e2) = (x + 1)^v u`, all of whose coefficients are at most `2^v`; a wrong one makes them
//! uniform modulo `2^32`. Coefficient 0 of `w e2` is an inner product of a fixed vector with `n`
//! successive samples of the register, so one multiply-add a sample and state decides: about `2^30`
//! for the paper's sizes. The `2^20 (2^(v+1) + 1) / 2^32` wrong states that survive by chance fall
//! at the next coefficients.
//!
//! Nothing but `c1` and the public key is needed, and no plaintext need be known; that `u` serves
//! several plaintexts is not used either.

use super::AttackError;
use super::local_ring::{self, Factored, divide_integer};
use super::paper_mode::{PERIOD, STATE_BITS};
use super::scheme::{Ciphertexts, LOG_DELTA, PublicKey, check_length, product};
use cyclotron_ring::sample::lfsr::LfsrGaussian;
use std::thread;

/// States that are tested together: their sums stay in registers.
const TOGETHER: usize = 64;

/// All that depends on the key alone, ready for any number of ciphertexts.
#[derive(Debug, Clone)]
pub struct SeedSearch {
    key: PublicKey,
    factored: Factored,
    /// `noise[i]` is the sample of the state `i` steps after state 1, as a number modulo `2^32`;
    /// over one period, and then as many more as a window reaches beyond it.
    noise: Vec<u32>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// States tested: all of them, also after a hit, so that one hit is known to be the only one.
    pub states: usize,
    /// How many passed the test of the first coefficient.
    pub survivors: usize,
    /// Those for which `u` is ternary throughout.
    pub found: Vec<Found>,
}

/// A state that explains `c1`, and the `u` it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Steps from state 1 to the state of the first sample of `c1`.
    position: usize,
    /// `u`, `n` coefficients in `{-1, 0, 1}`.
    pub u: Vec<i32>,
}

/// A broken ciphertext.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// The seed of the run, as in the control word.
    pub seed: u32,
    /// `u`, `n` coefficients in `{-1, 0, 1}`.
    pub u: Vec<i32>,
    /// The message, `n` coefficients modulo `2^8`.
    pub message: Vec<u8>,
}

impl SeedSearch {
    /// Prepares the search for a public key.
    ///
    /// # Errors
    /// [`AttackError::Valuation`] for one key in `2^29`.
    pub fn new(key: PublicKey) -> Result<Self, AttackError> {
        let factored = local_ring::factor(key.p1())?;
        let register = LfsrGaussian::new(STATE_BITS, 1)?;
        let window = key.degree() + TOGETHER;
        let noise = register.take(PERIOD + window).map(|x| x as u32).collect();
        Ok(Self { key, factored, noise })
    }

    /// The exponent `v` of `x + 1` in `p1`; 0 for every second key.
    #[must_use]
    pub const fn valuation(&self) -> u32 {
        self.factored.valuation
    }

    /// Tests every state of the register against `c1`, on so many threads (0 counts as 1).
    ///
    /// # Errors
    /// [`AttackError::Length`] when `c1` has not the degree of the key.
    pub fn search(&self, c1: &[u32], threads: usize) -> Result<Findings, AttackError> {
        check_length("c1", c1.len(), self.key.degree())?;
        let weights = self.weights(0);
        let target = inner(&weights, c1);
        let threads = threads.clamp(1, PERIOD);
        let share = PERIOD.div_ceil(threads);
        let survivors: Vec<usize> = thread::scope(|scope| {
            let part = |i: usize| {
                let range = (i * share)..((i + 1) * share).min(PERIOD);
                let weights = &weights;
                scope.spawn(move || self.first_coefficient(weights, target, range))
            };
            let parts: Vec<_> = (0..threads).map(part).collect();
            // A thread that panicked is a broken invariant; it goes on in this one.
            parts
                .into_iter()
                .flat_map(|part| {
                    part.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause))
                })
                .collect()
        });
        let found = survivors.iter().filter_map(|&position| self.confirm(c1, position)).collect();
        Ok(Findings { states: PERIOD, survivors: survivors.len(), found })
    }

    /// Breaks ciphertext `k` of a run of the paper's mode: seed, `u` and message. Empty when no
    /// state explains it.
    ///
    /// # Errors
    /// [`AttackError::NoSuchPlaintext`]; [`AttackError::Length`] for another degree.
    pub fn recover(
        &self,
        ciphertexts: &Ciphertexts,
        k: usize,
        threads: usize,
    ) -> Result<(Findings, Vec<Recovery>), AttackError> {
        let findings = self.search(ciphertexts.c1(k)?, threads)?;
        let c0 = ciphertexts.c0(k)?;
        let recover = |found: &Found| self.message(found, c0, k);
        let recoveries = findings.found.iter().filter_map(recover).collect();
        Ok((findings, recoveries))
    }

    /// `m = (c0 - p0 u - e1) / Delta`, which is exact for the right `u` and `e1`; `None` otherwise.
    fn message(&self, found: &Found, c0: &[u32], k: usize) -> Option<Recovery> {
        let n = self.key.degree();
        // c1 of plaintext k begins (2k + 1) n samples after the seed, c0 n samples before c1.
        let before = |steps: usize| (found.position + PERIOD - steps % PERIOD) % PERIOD;
        let e1 = &self.noise[before(n)..][..n];
        let p0u = product(self.key.ring(), self.key.p0(), &found.u);
        let scaled = c0.iter().zip(&p0u).zip(e1);
        let message = scaled
            .map(|((&c, &x), &e)| {
                let scaled = c.wrapping_sub(x).wrapping_sub(e);
                (scaled.trailing_zeros() >= LOG_DELTA).then_some((scaled >> LOG_DELTA) as u8)
            })
            .collect::<Option<Vec<u8>>>()?;
        let mut register = LfsrGaussian::new(STATE_BITS, 1).ok()?;
        for _ in 0..before((2 * k + 1) * n) {
            register.step();
        }
        Some(Recovery { seed: register.state() as u32, u: found.u.clone(), message })
    }

    /// The vector whose inner product with `e` is coefficient `j` of `w e`.
    fn weights(&self, j: usize) -> Vec<u32> {
        let w = &self.factored.inverse;
        let n = w.len();
        (0..n).map(|i| if i <= j { w[j - i] } else { w[n + j - i].wrapping_neg() }).collect()
    }

    /// The largest coefficient that `(x + 1)^v u` can have.
    const fn limit(&self) -> u32 {
        1 << self.factored.valuation
    }

    /// Positions in `range` at which coefficient 0 is small.
    fn first_coefficient(
        &self,
        weights: &[u32],
        target: u32,
        range: std::ops::Range<usize>,
    ) -> Vec<usize> {
        let mut survivors = Vec::new();
        for block in range.clone().step_by(TOGETHER) {
            let mut sums = [0u32; TOGETHER];
            for (windows, &weight) in self.noise[block..].windows(TOGETHER).zip(weights) {
                for (sum, &noise) in sums.iter_mut().zip(windows) {
                    *sum = sum.wrapping_add(weight.wrapping_mul(noise));
                }
            }
            let small = |&position: &usize| {
                is_small(target.wrapping_sub(sums[position - block]), self.limit())
            };
            survivors.extend((block..(block + TOGETHER).min(range.end)).filter(small));
        }
        survivors
    }

    /// All coefficients of `w (c1 - e2)`, then `u`, unless one of them is too large.
    fn confirm(&self, c1: &[u32], position: usize) -> Option<Found> {
        let n = c1.len();
        let e2 = &self.noise[position..position + n];
        let difference: Vec<u32> = c1.iter().zip(e2).map(|(&c, &e)| c.wrapping_sub(e)).collect();
        let mut quotient = (0..n)
            .map(|j| {
                let coefficient = inner(&self.weights(j), &difference);
                is_small(coefficient, self.limit()).then_some(i64::from(coefficient as i32))
            })
            .collect::<Option<Vec<i64>>>()?;
        for _ in 0..self.factored.valuation {
            quotient = divide_integer(&quotient)?;
        }
        let ternary = |x: i64| (x.abs() <= 1).then_some(x as i32);
        let u = quotient.into_iter().map(ternary).collect::<Option<Vec<i32>>>()?;
        Some(Found { position, u })
    }
}

fn is_small(x: u32, limit: u32) -> bool {
    (x as i32).unsigned_abs() <= limit
}

fn inner(a: &[u32], b: &[u32]) -> u32 {
    a.iter().zip(b).fold(0, |sum, (&x, &y)| sum.wrapping_add(x.wrapping_mul(y)))
}
