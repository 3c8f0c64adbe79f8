//! The discrete Gaussian distribution on the integers, in constant time.
//!
//! `P(x)` is proportional to `exp(-x^2 / (2 sigma^2))`. The sampler inverts a cumulative table of
//! 126 bits, whose statistical distance to the true distribution is below `2^-117` (`2^-120` for
//! the default `sigma`). The table ends where the remaining probability rounds to zero, at about
//! `13 sigma`.
//!
//! Coefficient `i` takes the words `w0, w1` number `2 i` and `2 i + 1` of the generator:
//! `u = 2^63 floor(w1 / 2) + floor(w0 / 2)` is compared with every entry of the table, the number
//! of entries not above `u` is the magnitude, and the lowest bit of `w1` the sign (1 is negative).
//!
//! Every entry is compared with every `u` by subtraction and borrow: no branch, no index and no
//! early end depends on a secret. The same integer code is compiled for each SIMD level.

use super::{BLOCK, SecretRng, cdt};
use crate::error::{Result, RingError};
use crate::simd::SimdLevel;
use std::fmt;
use zeroize::Zeroizing;

/// The standard deviation of errors that the security tables are computed for (`8 / sqrt(2 pi)`).
pub const DEFAULT_SIGMA: f64 = 3.19;

/// The smallest parameter accepted.
pub const MIN_SIGMA: f64 = 0.5;

/// The largest parameter accepted: the scan grows with it, to 418 entries.
pub const MAX_SIGMA: f64 = 32.0;

/// Low 63 bits of a word.
const MASK: u64 = u64::MAX >> 1;

/// A sampler of one parameter `sigma`. Immutable; one can serve many threads.
#[derive(Clone)]
pub struct GaussianSampler {
    sigma: f64,
    level: SimdLevel,
    /// Entries of the cumulative table as (high, low) numbers of 63 bits, rising.
    table: Vec<(u64, u64)>,
}

impl GaussianSampler {
    /// A sampler for `sigma` in `[0.5, 32]`, at the SIMD level of the environment.
    ///
    /// # Errors
    /// [`RingError::OutOfRange`] for another `sigma`, [`RingError::SimdUnavailable`] when
    /// `CYCLOTRON_SIMD` forces a level that the machine has not.
    pub fn new(sigma: f64) -> Result<Self> {
        Self::with_level(sigma, SimdLevel::from_environment()?)
    }

    /// A sampler that runs at `level`. Every level draws the same values.
    ///
    /// # Errors
    /// As [`GaussianSampler::new`].
    pub fn with_level(sigma: f64, level: SimdLevel) -> Result<Self> {
        if !(MIN_SIGMA..=MAX_SIGMA).contains(&sigma) {
            return Err(RingError::OutOfRange {
                what: "sigma of the discrete Gaussian distribution",
                value: sigma.to_string(),
                min: MIN_SIGMA.to_string(),
                max: MAX_SIGMA.to_string(),
            });
        }
        let level = SimdLevel::require(level.name())?;
        let table = cdt::cumulative_table(sigma)
            .into_iter()
            .map(|entry| ((entry >> 63) as u64, entry as u64 & MASK))
            .collect();
        Ok(Self { sigma, level, table })
    }

    /// The parameter.
    #[must_use]
    pub const fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The largest magnitude that can be drawn.
    #[must_use]
    pub fn bound(&self) -> u32 {
        self.table.len() as u32
    }

    /// Fills `out` with independent samples; two words of the generator for each.
    pub fn fill(&self, rng: &mut SecretRng, out: &mut [i32]) {
        let mut words = Zeroizing::new([0u64; 2 * BLOCK]);
        let mut block =
            Zeroizing::new(Block { high: [0; BLOCK], low: [0; BLOCK], below: [0; BLOCK] });
        for coefficients in out.chunks_mut(BLOCK) {
            let words = &mut words[..2 * coefficients.len()];
            rng.fill_words(words);
            for (i, [first, second]) in words.as_chunks().0.iter().enumerate() {
                block.low[i] = first >> 1;
                block.high[i] = second >> 1;
            }
            self.scan(&mut block);
            for (i, coefficient) in coefficients.iter_mut().enumerate() {
                let magnitude = self.table.len() as i32 - block.below[i] as i32;
                let sign = (words[2 * i + 1] & 1) as i32;
                *coefficient = (magnitude ^ -sign) + sign;
            }
        }
    }

    /// `block.below[i]` = the number of entries above `u_i`.
    fn scan(&self, block: &mut Block) {
        match self.level {
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => {
                // SAFETY: `with_level` accepts only levels that this machine has.
                unsafe { scan_avx2(&self.table, block) }
            }
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 | SimdLevel::Avx512Ifma => {
                // SAFETY: `with_level` accepts only levels that this machine has.
                unsafe { scan_avx512(&self.table, block) }
            }
            _ => scan(&self.table, block),
        }
    }
}

impl fmt::Debug for GaussianSampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GaussianSampler")
            .field("sigma", &self.sigma)
            .field("bound", &self.bound())
            .field("level", &self.level)
            .finish()
    }
}

/// Uniform 126-bit numbers and, for each, the entries above it. Coefficients lie side by side, so
/// that the compiler makes vectors of them.
#[derive(zeroize::Zeroize)]
struct Block {
    high: [u64; BLOCK],
    low: [u64; BLOCK],
    below: [u64; BLOCK],
}

/// The comparison of every number with every entry: `u < C` is the borrow of `u - C`, taken in two
/// steps of 63 bits whose differences fit a signed word.
#[inline(always)]
fn scan(table: &[(u64, u64)], block: &mut Block) {
    block.below = [0; BLOCK];
    for &(entry_high, entry_low) in table {
        for i in 0..BLOCK {
            let borrow = block.low[i].wrapping_sub(entry_low) >> 63;
            let difference = block.high[i].wrapping_sub(entry_high).wrapping_sub(borrow);
            block.below[i] += difference >> 63;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn scan_avx2(table: &[(u64, u64)], block: &mut Block) {
    scan(table, block);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn scan_avx512(table: &[(u64, u64)], block: &mut Block) {
    scan(table, block);
}

#[cfg(test)]
mod tests {
    use super::super::test_support::*;
    use super::*;
    use proptest::prelude::*;

    /// The distribution in double precision, by its definition.
    fn density(sigma: f64) -> impl Fn(i32) -> f64 {
        let rho = move |x: i32| (-f64::from(x).powi(2) / (2.0 * sigma * sigma)).exp();
        let total: f64 = (-2000..=2000).map(rho).sum();
        move |x| rho(x) / total
    }

    #[test]
    fn known_answers() {
        let mut out = [0; 300];
        GaussianSampler::new(DEFAULT_SIGMA).unwrap().fill(&mut known_rng(), &mut out);
        assert_eq!(out[..16], [-1, 3, -2, 0, -1, 1, -1, -4, 1, -5, 2, 1, 3, -2, -3, 1]);
        assert_eq!(out[255..259], [1, 1, -2, 3]);
        assert_eq!(checksum_of_small(&out), 0x6ca1_58ae_0bf1_3602);
    }

    #[test]
    fn where_the_output_is_cut_does_not_matter() {
        let sampler = GaussianSampler::new(DEFAULT_SIGMA).unwrap();
        assert_cut_does_not_matter(|rng, out| sampler.fill(rng, out));
    }

    #[test]
    fn every_simd_level_draws_the_same() {
        for sigma in [MIN_SIGMA, DEFAULT_SIGMA, MAX_SIGMA] {
            let draw = |level| {
                let mut out = vec![0; 1000];
                GaussianSampler::with_level(sigma, level).unwrap().fill(&mut rng(3), &mut out);
                out
            };
            for level in SimdLevel::available() {
                assert_eq!(draw(level), draw(SimdLevel::Scalar), "{level} at sigma = {sigma}");
            }
        }
    }

    #[test]
    fn follows_the_distribution_and_a_sigma_one_percent_off_is_seen() {
        for sigma in [MIN_SIGMA, 1.0, DEFAULT_SIGMA, 10.0, MAX_SIGMA] {
            let sampler = GaussianSampler::new(sigma).unwrap();
            let bound = sampler.bound() as i32;
            let mut out = vec![0; 1 << 21];
            sampler.fill(&mut rng(4), &mut out);
            assert!(chi_square(&out, bound, density(sigma)) < 1.0, "sigma = {sigma}");
            assert!(chi_square(&out, bound, density(sigma * 1.01)) > 1.0, "sigma = {sigma}");
            assert!(chi_square(&out, bound, density(sigma * 0.99)) > 1.0, "sigma = {sigma}");
            let p = density(sigma);
            let moment = |k| (-bound..=bound).map(|x| f64::from(x).powi(k) * p(x)).sum::<f64>();
            assert_moments(&out, moment(2), moment(4));
        }
    }

    #[test]
    fn signs_are_even_and_neighbours_independent() {
        let mut out = vec![0; 1 << 20];
        GaussianSampler::new(DEFAULT_SIGMA).unwrap().fill(&mut rng(5), &mut out);
        let signs: Vec<i32> = out.iter().filter(|&&x| x != 0).map(|x| x.signum()).collect();
        assert!(chi_square(&signs, 1, |x| f64::from(x.abs()) / 2.0) < 1.0);
        let products: f64 = out.windows(2).map(|pair| f64::from(pair[0] * pair[1])).sum();
        let deviation = DEFAULT_SIGMA * DEFAULT_SIGMA * (out.len() as f64).sqrt();
        assert!(products.abs() < 6.0 * deviation, "{}", products / deviation);
    }

    #[test]
    fn refuses_parameters_outside_the_range() {
        for sigma in [0.0, -1.0, 0.499, 32.01, f64::NAN, f64::INFINITY] {
            let error = GaussianSampler::new(sigma).unwrap_err();
            assert!(matches!(error, RingError::OutOfRange { .. }), "{error}");
        }
        assert_eq!(GaussianSampler::new(DEFAULT_SIGMA).unwrap().bound(), 41);
    }

    proptest! {
        /// The scan against the comparison of 128-bit integers, at entries and around them.
        #[test]
        fn the_scan_counts_entries_above(
            numbers in proptest::collection::vec((0usize..60, -1i128..=1, any::<u128>(), any::<bool>()), BLOCK),
        ) {
            let table = cdt::cumulative_table(DEFAULT_SIGMA);
            let numbers: Vec<u128> = numbers
                .into_iter()
                .map(|(k, step, any, near)| match table.get(k) {
                    Some(entry) if near => entry.saturating_add_signed(step),
                    _ => any >> 2,
                })
                .collect();
            for level in SimdLevel::available() {
                let sampler = GaussianSampler::with_level(DEFAULT_SIGMA, level).unwrap();
                let mut block = Block { high: [0; BLOCK], low: [0; BLOCK], below: [7; BLOCK] };
                for (i, &u) in numbers.iter().enumerate() {
                    block.high[i] = (u >> 63) as u64;
                    block.low[i] = u as u64 & MASK;
                }
                sampler.scan(&mut block);
                for (i, u) in numbers.iter().enumerate() {
                    let above = table.iter().filter(|&entry| entry > u).count();
                    prop_assert_eq!(block.below[i], above as u64);
                }
            }
        }
    }
}
