//! **Insecure.** The noise generators of the S-BFV paper: sums of rotations of a shift register.
//!
//! They exist to reproduce the paper ("BFV homomorphic encryption accelerator with integrated
//! Gaussian PRNG on FPGA", sections III.F, III.G and IV.G) and to show the attack on it: the 20-bit
//! state can be searched, and every sample is a function of the state alone. Nothing here is kept
//! secret or wiped. The default noise is [`device`](super::device).
//!
//! The register of `m` bits is a Fibonacci register, bit `i` of the state being stage `s_i`: a step
//! moves stage `i` to stage `i - 1` and the feedback into stage `m - 1`. The state `s` gives the
//! rotations `Rot^(k)(s) = (s >> k) | (s << (m - k))`.
//!
//! | generator | `m` | connection polynomial | feedback | samples of | bits `N` | rotations `k` |
//! |---|---|---|---|---|---|---|
//! | split | 20 | `1 + x^17 + x^20` | `s0 ^ s3` | halves of rotations | 10 | 0, 2, 5, 7 |
//! | split | 60 | `1 + x^59 + x^60` | `s0 ^ s1` | halves of rotations | 30 | 0, 7, 15, 22 |
//! | rotation only | 11 | `1 + x^9 + x^11` | `s0 ^ s2` | rotations | 11 | 0, 3, 6, 9 |
//! | rotation only | 20 | `1 + x^17 + x^20` | `s0 ^ s3` | rotations | 20 | 0, 5, 10, 15 |
//!
//! A tree of adders, each `(x + y) >> 1`, takes the 8 (or 4) samples of `N` bits to their mean `M`,
//! and the output is `((M + 2^(N-6) + 1) >> (N - 5)) - 16`, in `[-16, 16]`. The constant is half a
//! unit of the output and what the truncations of the tree lose, so that the mean is zero to
//! `2^(3-N)`. The paper's figure of the tree is illegible and its rotations are not printed: these
//! are the ones whose distribution is nearest to a Gaussian (least excess kurtosis), none a multiple
//! of `m/2` from another, which would give the same halves swapped. The shift keeps the standard
//! deviation near, and not below, the 3.19 that the security tables assume: 3.9 for split 20, 3.3
//! for split 60, 4.8 for rotation 20, 5.4 for rotation 11. The width of the baseline is not certain
//! either (20 bits but 11 registers in the paper's table 3): both are here.

use crate::error::{Result, RingError};

/// Samples are in `[-BOUND, BOUND]`.
pub const BOUND: i32 = 16;

/// A generator of the paper with its state. An iterator without end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LfsrGaussian {
    wiring: &'static Wiring,
    state: u64,
}

/// What is fixed in a generator.
#[derive(Debug, PartialEq, Eq)]
struct Wiring {
    /// Bits of the state.
    width: u32,
    /// The stage that is added to stage 0.
    tap: u32,
    rotations: [u32; 4],
    /// Whether each rotation is cut into halves.
    split: bool,
}

#[rustfmt::skip]
static SPLIT: [Wiring; 2] = [
    Wiring { width: 20, tap: 3, rotations: [0, 2, 5, 7], split: true },
    Wiring { width: 60, tap: 1, rotations: [0, 7, 15, 22], split: true },
];

#[rustfmt::skip]
static ROTATION_ONLY: [Wiring; 2] = [
    Wiring { width: 11, tap: 2, rotations: [0, 3, 6, 9], split: false },
    Wiring { width: 20, tap: 3, rotations: [0, 5, 10, 15], split: false },
];

impl LfsrGaussian {
    /// The paper's generator (rotation and split) with the register width 20 or 60.
    ///
    /// # Errors
    /// [`RingError::OutOfRange`] for another width, and for a state that is zero (which the
    /// register never leaves) or not below `2^width`.
    pub fn new(width: u32, state: u64) -> Result<Self> {
        Self::with_wiring(&SPLIT, width, state)
    }

    /// The baseline that the paper compares with (rotation only), with the width 11 or 20.
    ///
    /// # Errors
    /// As [`LfsrGaussian::new`], for these widths.
    pub fn rotation_only(width: u32, state: u64) -> Result<Self> {
        Self::with_wiring(&ROTATION_ONLY, width, state)
    }

    fn with_wiring(known: &'static [Wiring; 2], width: u32, state: u64) -> Result<Self> {
        let wiring = known.iter().find(|wiring| wiring.width == width).ok_or_else(|| {
            RingError::OutOfRange {
                what: "width of the shift register (only the two ends of the range exist)",
                value: width.to_string(),
                min: known[0].width.to_string(),
                max: known[1].width.to_string(),
            }
        })?;
        let mask = wiring.mask();
        if !(1..=mask).contains(&state) {
            return Err(RingError::OutOfRange {
                what: "state of the shift register",
                value: state.to_string(),
                min: 1.to_string(),
                max: mask.to_string(),
            });
        }
        Ok(Self { wiring, state })
    }

    /// Bits of the register.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.wiring.width
    }

    /// The state, never zero.
    #[must_use]
    pub const fn state(&self) -> u64 {
        self.state
    }

    /// The mean of the rotated samples, before it is made small: in `[0, 2^N)`.
    #[must_use]
    pub fn mean(&self) -> u64 {
        let sample = |rotation| self.wiring.rotated_mean(self.state, rotation);
        let [a, b, c, d] = self.wiring.rotations.map(sample);
        (((a + b) >> 1) + ((c + d) >> 1)) >> 1
    }

    /// The sample of the present state, in `[-16, 16]`.
    #[must_use]
    pub fn sample(&self) -> i32 {
        let shift = self.wiring.sample_bits() - 5;
        ((self.mean() + (1 << (shift - 1)) + 1) >> shift) as i32 - BOUND
    }

    /// Goes to the next state.
    pub const fn step(&mut self) {
        let feedback = (self.state ^ (self.state >> self.wiring.tap)) & 1;
        self.state = (self.state >> 1) | (feedback << (self.wiring.width - 1));
    }

    /// The sample of the present state, and on to the next.
    pub fn next_sample(&mut self) -> i32 {
        let sample = self.sample();
        self.step();
        sample
    }
}

impl Iterator for LfsrGaussian {
    type Item = i32;

    fn next(&mut self) -> Option<i32> {
        Some(self.next_sample())
    }
}

impl Wiring {
    const fn mask(&self) -> u64 {
        (1 << self.width) - 1
    }

    /// `N`.
    const fn sample_bits(&self) -> u32 {
        if self.split { self.width / 2 } else { self.width }
    }

    /// `Rot^(k)(s)`, or the mean of its halves.
    const fn rotated_mean(&self, state: u64, rotation: u32) -> u64 {
        let rotated = ((state >> rotation) | (state << (self.width - rotation))) & self.mask();
        if self.split {
            let half = self.width / 2;
            ((rotated >> half) + (rotated & ((1 << half) - 1))) >> 1
        } else {
            rotated
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All states of the generator in order, from the state 1.
    fn period(mut generator: LfsrGaussian) -> (u64, Vec<i32>) {
        let first = generator.state();
        let mut samples = Vec::new();
        loop {
            samples.push(generator.next_sample());
            if generator.state() == first {
                return (samples.len() as u64, samples);
            }
        }
    }

    fn mean_and_deviation(samples: &[i32]) -> (f64, f64) {
        let count = samples.len() as f64;
        let mean = samples.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
        let square = samples.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / count;
        (mean, square.sqrt())
    }

    #[test]
    fn the_period_is_maximal_and_the_moments_are_those_documented() {
        for (generator, deviation) in [
            (LfsrGaussian::new(20, 1).unwrap(), 3.94),
            (LfsrGaussian::rotation_only(11, 1).unwrap(), 5.41),
            (LfsrGaussian::rotation_only(20, 1).unwrap(), 4.77),
        ] {
            let width = generator.width();
            let (length, samples) = period(generator);
            assert_eq!(length, (1 << width) - 1);
            let (mean, sigma) = mean_and_deviation(&samples);
            println!("width {width}: mean {mean}, deviation {sigma}");
            assert!(mean.abs() < 0.02, "width {width}: {mean}");
            assert!((sigma - deviation).abs() < 0.02, "width {width}: {sigma}");
            assert!(samples.iter().all(|x| x.abs() <= BOUND));
        }
        let samples: Vec<i32> =
            LfsrGaussian::new(60, 0x0123_4567_89ab_cdef).unwrap().take(1 << 20).collect();
        let (mean, sigma) = mean_and_deviation(&samples);
        // Neighbours are correlated over 60 steps: the mean is known to 3.3 sqrt(60) / 2^10.
        assert!(mean.abs() < 0.1, "{mean}");
        assert!((sigma - 3.3).abs() < 0.05, "{sigma}");
    }

    /// A wrong tap would not have the order `2^60 - 1`: the step, a linear map, is raised to this
    /// power and to its quotients by the prime factors.
    #[test]
    fn the_wide_register_has_the_maximal_period() {
        let step = |state: u64| {
            let mut generator = LfsrGaussian::new(60, 1).unwrap();
            generator.state = state;
            generator.step();
            generator.state
        };
        let apply = |map: &[u64], state: u64| {
            (0..60).filter(|i| state >> i & 1 == 1).fold(0, |sum, i| sum ^ map[i as usize])
        };
        let power = |mut exponent: u64| {
            let mut result: Vec<u64> = (0..60).map(|i| 1 << i).collect();
            let mut square: Vec<u64> = result.iter().map(|&basis| step(basis)).collect();
            while exponent > 0 {
                if exponent & 1 == 1 {
                    result = result.iter().map(|&image| apply(&square, image)).collect();
                }
                square = square.iter().map(|&image| apply(&square, image)).collect();
                exponent >>= 1;
            }
            result
        };
        let identity: Vec<u64> = (0..60).map(|i| 1 << i).collect();
        let order = (1u64 << 60) - 1;
        assert_eq!(power(order), identity);
        let primes = [3u64, 5, 7, 11, 13, 31, 41, 61, 151, 331, 1321];
        assert_eq!(primes.iter().product::<u64>() * 3 * 5, order);
        for prime in primes {
            assert_ne!(power(order / prime), identity, "the order divides (2^60 - 1) / {prime}");
        }
    }

    #[test]
    fn refuses_other_widths_and_states() {
        for generator in [
            LfsrGaussian::new(11, 1),
            LfsrGaussian::new(21, 1),
            LfsrGaussian::new(20, 0),
            LfsrGaussian::new(20, 1 << 20),
            LfsrGaussian::new(60, 1 << 60),
            LfsrGaussian::rotation_only(60, 1),
            LfsrGaussian::rotation_only(11, 1 << 11),
        ] {
            let error = generator.unwrap_err();
            assert!(matches!(error, RingError::OutOfRange { .. }), "{error}");
        }
    }

    /// The vectors of the independent model in `tests/python/model`.
    #[test]
    fn matches_the_shared_vectors() {
        let file = include_str!("../../../../tests/vectors/lfsr_noise.json");
        let file: serde_json::Value = serde_json::from_str(file).unwrap();
        let cases = file["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 12);
        for case in cases {
            let states: Vec<u64> = case["states"]
                .as_array()
                .unwrap()
                .iter()
                .map(|state| u64::from_str_radix(state.as_str().unwrap(), 16).unwrap())
                .collect();
            let name = case["generator"].as_str().unwrap();
            let mut generator = match name {
                "split20" => LfsrGaussian::new(20, states[0]),
                "split60" => LfsrGaussian::new(60, states[0]),
                "rotation11" => LfsrGaussian::rotation_only(11, states[0]),
                _ => LfsrGaussian::rotation_only(20, states[0]),
            }
            .unwrap();
            for (i, sample) in case["samples"].as_array().unwrap().iter().enumerate() {
                if let Some(&state) = states.get(i) {
                    assert_eq!(generator.state(), state, "{name}, step {i}");
                }
                let found = generator.next();
                assert_eq!(found.map(i64::from), sample.as_i64(), "{name}, sample {i}");
            }
        }
    }
}
