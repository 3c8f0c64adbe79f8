//! The randomness of an encryption by the hardware device, bit for bit (`docs/device-randomness.md`).
//!
//! Plaintext `k` of a batch has its own keystream: ChaCha20 (RFC 8439), key the seed, 96-bit nonce
//! `le32(k) || le64(run counter)`, block counter from 0. A polynomial degree `n` takes `2 n`
//! little-endian 64-bit words `W[0] .. W[2 n - 1]`:
//!
//! * `e[w] = ones(bits 0..20 of W[w]) - ones(bits 21..41)`, the centred binomial distribution of
//!   `k = 21`; `e1` is `e[0] .. e[n - 1]` and `e2` the rest ([`DeviceNoise`] has another one);
//! * with `h[w]` = bits 42..63 and `x = h[2 i] + 2^22 h[2 i + 1]`, `u[i]` is `0, 1, -1` for
//!   `floor(3 x / 2^44) = 0, 1, 2`.
//!
//! Hardware draws one noise sample a clock from this, which the general samplers of this module do
//! not allow. Nothing is rejected, and no secret decides a branch, an index or a division. The words
//! are turned into samples by one body, compiled for each of the levels of [`SimdLevel`] that gains
//! from it.

use super::{SecretSeed, SmallPoly};
use crate::error::{Result, RingError};
use crate::simd::SimdLevel;
use crate::wipe::wipe;
use chacha20::cipher::StreamCipher;
use chacha20::{ChaCha20, Key, KeyIvInit, Nonce};
use zeroize::Zeroizing;

/// The smallest degree: one ChaCha20 block.
pub const MIN_DEGREE: usize = 4;

/// The largest degree accepted.
pub const MAX_DEGREE: usize = 1 << 20;

/// `e1` and `e2` are in `[-MAX_NOISE, MAX_NOISE]`, with the standard deviation `sqrt(21 / 2)`.
pub const MAX_NOISE: u32 = 21;

/// Words of keystream drawn at once at most: the buffer stays on the stack, where it is wiped.
const DRAW: usize = 512;

/// Bits of a word that make its noise sample; the other 22 are half a coefficient of `u`.
const NOISE_BITS: u32 = 2 * MAX_NOISE;

/// How a word becomes a noise sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DeviceNoise {
    /// Centred binomial, `k = 21`: what the security tables assume.
    #[default]
    Binomial,
    /// `0, 1, -1` for `floor(3 x / 2^42) = 0, 1, 2`, `x` = bits 0..41: far below the deviation that
    /// the security tables assume, for reproducing a paper that draws its errors so.
    Ternary,
}

impl DeviceNoise {
    /// The variance of a sample.
    #[must_use]
    pub fn variance(self) -> f64 {
        match self {
            Self::Binomial => f64::from(MAX_NOISE) / 2.0,
            Self::Ternary => 2.0 / 3.0,
        }
    }

    /// The largest absolute value of a sample.
    #[must_use]
    pub const fn max(self) -> u32 {
        match self {
            Self::Binomial => MAX_NOISE,
            Self::Ternary => 1,
        }
    }
}

/// The low 21 bits.
const COUNTED: u64 = (1 << MAX_NOISE) - 1;

/// The secret randomness of one batch of encryptions: a seed and a run counter.
///
/// Two batches under one pair repeat their randomness, so that differences of their plaintexts can
/// be read off: a pair serves once. The device refuses the run counter `2^64 - 1`, which has no
/// successor; this model, which counts nothing, does not.
pub struct DeviceStream {
    seed: Zeroizing<[u8; 32]>,
    run_counter: u64,
    simd: SimdLevel,
}

/// The secrets of one encryption, each of `n` coefficients.
#[derive(Debug)]
pub struct DeviceSamples {
    /// The multiplier of the public key, in `{-1, 0, 1}`.
    pub u: SmallPoly,
    /// The noise of the first part, in `[-21, 21]`.
    pub e1: SmallPoly,
    /// The noise of the second part, in `[-21, 21]`.
    pub e2: SmallPoly,
}

impl DeviceStream {
    /// The stream of this seed and run counter. The seed is copied, and wiped with the stream.
    #[must_use]
    pub fn new(seed: &SecretSeed, run_counter: u64) -> Self {
        Self { seed: Zeroizing::new(*seed.expose()), run_counter, simd: SimdLevel::detect() }
    }

    /// The same stream, drawn with these instructions: it changes the speed alone. A level that
    /// this machine has not runs as `Scalar`.
    #[must_use]
    pub fn with_simd(self, simd: SimdLevel) -> Self {
        Self { simd, ..self }
    }

    /// The run counter.
    #[must_use]
    pub const fn run_counter(&self) -> u64 {
        self.run_counter
    }

    /// The secrets of plaintext number `k` of the batch, for the degree `n`, with binomial noise.
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`] when `n` is not a power of two in `[4, 2^20]`.
    pub fn plaintext(&self, k: u32, n: usize) -> Result<DeviceSamples> {
        self.plaintext_with(k, n, DeviceNoise::Binomial)
    }

    /// The secrets of plaintext number `k` of the batch, for the degree `n`; `u` is the same for
    /// every kind of noise.
    ///
    /// # Errors
    /// As [`Self::plaintext`].
    pub fn plaintext_with(&self, k: u32, n: usize, noise: DeviceNoise) -> Result<DeviceSamples> {
        let mut samples = DeviceSamples::zero(n)?;
        self.refill_with(k, noise, &mut samples);
        Ok(samples)
    }

    /// Overwrites samples with those of plaintext number `k`, for their degree, with binomial noise.
    pub fn refill(&self, k: u32, samples: &mut DeviceSamples) {
        self.refill_with(k, DeviceNoise::Binomial, samples);
    }

    fn refill_with(&self, k: u32, noise: DeviceNoise, samples: &mut DeviceSamples) {
        let mut nonce = Nonce::default();
        nonce[..4].copy_from_slice(&k.to_le_bytes());
        nonce[4..].copy_from_slice(&self.run_counter.to_le_bytes());
        let mut cipher = ChaCha20::new(Key::cast_from_core(&self.seed), &nonce);

        let DeviceSamples { u, e1, e2 } = samples;
        let half = u.len() / 2;
        let (u_of_e1, u_of_e2) = u.as_mut_slice().split_at_mut(half);
        let mut keystream = Wiped([0; 8 * DRAW]);
        for (u, e) in [(u_of_e1, e1), (u_of_e2, e2)] {
            let pieces = u.chunks_mut(DRAW / 2).zip(e.as_mut_slice().chunks_mut(DRAW));
            for (u, e) in pieces {
                let bytes = &mut keystream.0[..8 * e.len()];
                cipher.write_keystream(bytes);
                self.sample(noise, bytes, u, e);
            }
        }
    }

    /// As many noise samples as there are words of keystream, and half as many of `u`.
    fn sample(&self, noise: DeviceNoise, keystream: &[u8], u: &mut [i32], e: &mut [i32]) {
        #[cfg(target_arch = "x86_64")]
        if self.simd != SimdLevel::Scalar
            && SimdLevel::Avx2.is_available()
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: this machine has the instructions.
            unsafe { samples_avx2(noise, keystream, u, e) };
            return;
        }
        samples(noise, keystream, u, e);
    }
}

impl DeviceSamples {
    /// Zeros of degree `n`, to be drawn over.
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`] when `n` is not a power of two in `[4, 2^20]`.
    pub fn zero(n: usize) -> Result<Self> {
        if !n.is_power_of_two() || !(MIN_DEGREE..=MAX_DEGREE).contains(&n) {
            return Err(RingError::UnsupportedDegree {
                degree: n,
                min: MIN_DEGREE,
                max: MAX_DEGREE,
            });
        }
        let [u, e1, e2] = [0; 3].map(|zero| SmallPoly::from_coefficients(vec![zero; n]));
        Ok(Self { u, e1, e2 })
    }

    /// Overwrites every sample with zero.
    pub fn wipe(&mut self) {
        for poly in [&mut self.u, &mut self.e1, &mut self.e2] {
            wipe(poly.as_mut_slice());
        }
    }
}

impl std::fmt::Debug for DeviceStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DeviceStream(run counter {})", self.run_counter)
    }
}

/// Keystream, wiped when it goes.
struct Wiped([u8; 8 * DRAW]);

impl Drop for Wiped {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// As many noise samples as there are words of keystream, and half as many of `u`.
#[inline(always)]
fn samples(noise: DeviceNoise, keystream: &[u8], u: &mut [i32], e: &mut [i32]) {
    let words = keystream.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    match noise {
        DeviceNoise::Binomial => words.zip(e).for_each(|(word, e)| *e = binomial_noise(word)),
        DeviceNoise::Ternary => words.zip(e).for_each(|(word, e)| *e = ternary_noise(word)),
    }
    for (u, pair) in u.iter_mut().zip(keystream.as_chunks().0) {
        let pair = u128::from_le_bytes(*pair);
        let (first, second) = (pair as u64, (pair >> 64) as u64);
        *u = ternary((first >> NOISE_BITS) | ((second >> NOISE_BITS) << 22));
    }
}

/// The portable body compiled for 256-bit vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn samples_avx2(noise: DeviceNoise, keystream: &[u8], u: &mut [i32], e: &mut [i32]) {
    samples(noise, keystream, u, e);
}

/// Ones of bits 0..20 less ones of bits 21..41. As `-ones(b) = ones(not b) - 21`, one count does.
#[inline(always)]
const fn binomial_noise(word: u64) -> i32 {
    const BOTH: u64 = (COUNTED << MAX_NOISE) | COUNTED;
    ((word ^ (COUNTED << MAX_NOISE)) & BOTH).count_ones() as i32 - MAX_NOISE as i32
}

/// `0, 1, -1` for bits 0..41 in the first, second and last third of their range.
#[inline(always)]
const fn ternary_noise(word: u64) -> i32 {
    third(word & ((1 << NOISE_BITS) - 1), NOISE_BITS)
}

/// `0, 1, -1` for a number of 44 bits in the first, second and last third of its range.
#[inline(always)]
const fn ternary(x: u64) -> i32 {
    third(x, 44)
}

/// `0, 1, -1` for a number of so many bits, 62 at most.
#[inline(always)]
const fn third(x: u64, bits: u32) -> i32 {
    let third = ((3 * x) >> bits) as i32;
    third - 3 * (third >> 1)
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{SEED_BYTES, assert_moments, checksum, chi_square};
    use super::*;

    #[test]
    fn ternary_maps_thirds_and_noise_counts_bits() {
        let top = (1u64 << 44) - 1;
        let third = top / 3; // 2^44 = 1 mod 3: the first third ends at (2^44 - 1) / 3
        for (x, expected) in
            [(0, 0), (third, 0), (third + 1, 1), (2 * third, 1), (2 * third + 1, -1), (top, -1)]
        {
            assert_eq!(ternary(x), expected, "{x}");
            assert_eq!(
                (u128::from(x) * 3) >> 44,
                [0, 1, 2][expected.rem_euclid(3) as usize],
                "{x}"
            );
        }
        let binomial = [COUNTED, COUNTED << 21, u64::MAX, 1, u64::MAX << 42].map(binomial_noise);
        assert_eq!(binomial, [21, -21, 0, 1, 0]);
        let top = (1u64 << 42) - 1;
        let third = top / 3;
        for (x, expected) in
            [(0, 0), (third, 0), (third + 1, 1), (2 * third, 1), (2 * third + 1, -1), (top, -1)]
        {
            assert_eq!(ternary_noise(x), expected, "{x}");
            assert_eq!(ternary_noise(x | (u64::MAX << 42)), expected, "{x}");
        }
    }

    /// The kind of noise changes the noise alone.
    #[test]
    fn ternary_noise_has_its_own_distribution() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 1);
        let samples = stream.plaintext_with(0, 1 << 19, DeviceNoise::Ternary).unwrap();
        let binomial = stream.plaintext(0, 1 << 19).unwrap();
        assert_eq!(samples.u.as_slice(), binomial.u.as_slice());
        for e in [&samples.e1, &samples.e2] {
            assert!(chi_square(e.as_slice(), 1, |_| 1.0 / 3.0) < 1.0);
            assert_moments(e.as_slice(), DeviceNoise::Ternary.variance(), 2.0 / 3.0);
        }
        assert_eq!([DeviceNoise::Binomial, DeviceNoise::Ternary].map(DeviceNoise::max), [21, 1]);
    }

    /// Coefficients of the vector file: all of them, or the first and a digest.
    fn assert_matches(vector: &serde_json::Value, poly: &SmallPoly, at: &str) {
        let numbers = |key: &str| -> Option<Vec<i64>> {
            vector[key].as_array()?.iter().map(serde_json::Value::as_i64).collect()
        };
        let found: Vec<i64> = poly.as_slice().iter().map(|&x| x.into()).collect();
        if let Some(values) = numbers("values") {
            assert_eq!(found, values, "{at}");
        } else {
            let first = numbers("first").unwrap();
            assert_eq!(found[..first.len()], first, "{at}");
            let digest = checksum(found.iter().map(|&x| x as u8));
            assert_eq!(format!("{digest:016x}"), vector["fnv1a64"].as_str().unwrap(), "{at}");
        }
    }

    /// The vectors of the independent model in `tests/python/model`.
    #[test]
    fn matches_the_shared_vectors() {
        let file = include_str!("../../../../tests/vectors/device_randomness.json");
        let file: serde_json::Value = serde_json::from_str(file).unwrap();
        let cases = file["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 72);
        for case in cases {
            let hex = case["seed"].as_str().unwrap();
            let seed =
                std::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap());
            let run_counter = case["run_counter"].as_str().unwrap().parse().unwrap();
            let k = case["k"].as_u64().unwrap() as u32;
            let n = case["n"].as_u64().unwrap() as usize;
            for simd in SimdLevel::available() {
                let stream = DeviceStream::new(&SecretSeed::new(seed), run_counter);
                let samples = stream.with_simd(simd).plaintext(k, n).unwrap();
                let at = format!("run {run_counter}, k = {k}, n = {n}, {simd}");
                assert_matches(&case["u"], &samples.u, &at);
                assert_matches(&case["e1"], &samples.e1, &at);
                assert_matches(&case["e2"], &samples.e2, &at);
            }
        }
    }

    /// Every level gives the integers of the definition, for words at the edges of it too.
    #[test]
    fn levels_agree_with_the_definition() {
        let edges = [0, u64::MAX, COUNTED, COUNTED << 21, (1 << 42) - 1, u64::MAX << 42, 1 << 63];
        let mut state = 1u64;
        let random = std::iter::repeat_with(move || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state ^ (state >> 29)
        });
        let words: Vec<u64> = edges.into_iter().chain(random.take(5000)).collect();
        for length in [2, 4, 6, 8, 10, 30, 62, 64, 66, 512, 5006] {
            let words = &words[..length];
            let keystream: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let ones = |word: u64, from: u32| (word >> from & COUNTED).count_ones() as i32;
            let e: Vec<i32> = words.iter().map(|&word| ones(word, 0) - ones(word, 21)).collect();
            let u = words.chunks(2).map(|pair| {
                let x = u128::from(pair[0] >> 42) + (u128::from(pair[1] >> 42) << 22);
                [0, 1, -1][((3 * x) >> 44) as usize]
            });
            let u: Vec<i32> = u.collect();
            for simd in SimdLevel::available() {
                let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 0).with_simd(simd);
                let (mut found_u, mut found_e) = (vec![7; length / 2], vec![7; length]);
                stream.sample(DeviceNoise::Binomial, &keystream, &mut found_u, &mut found_e);
                assert!(found_u == u && found_e == e, "{simd}, {length} words");
            }
        }
    }

    #[test]
    fn samples_are_drawn_over_and_wiped() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 2);
        let mut samples = stream.plaintext(0, 1024).unwrap();
        stream.refill(1, &mut samples);
        let fresh = stream.plaintext(1, 1024).unwrap();
        for (again, fresh) in
            [(&samples.u, &fresh.u), (&samples.e1, &fresh.e1), (&samples.e2, &fresh.e2)]
        {
            assert_eq!(again.as_slice(), fresh.as_slice());
        }
        samples.wipe();
        for poly in [&samples.u, &samples.e1, &samples.e2] {
            assert_eq!(poly.as_slice(), [0; 1024]);
        }
    }

    #[test]
    fn known_answers() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 0);
        let samples = stream.plaintext(0, 4).unwrap();
        assert_eq!(samples.u.as_slice(), [0, 1, 1, 0]);
        assert_eq!(samples.e1.as_slice(), [1, 2, -5, 2]);
        assert_eq!(samples.e2.as_slice(), [-2, 2, -4, 0]);
    }

    /// The noise of a longer polynomial begins with that of a shorter one: one stream of words.
    #[test]
    fn degrees_share_the_stream() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 7);
        let short = stream.plaintext(3, 512).unwrap();
        let long = stream.plaintext(3, 4096).unwrap();
        assert_eq!(long.e1.as_slice()[..512], *short.e1.as_slice());
        assert_eq!(long.e1.as_slice()[512..1024], *short.e2.as_slice());
        assert_eq!(long.u.as_slice()[..512], *short.u.as_slice());
    }

    #[test]
    fn follows_its_distributions() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 1);
        let samples = stream.plaintext(0, 1 << 19).unwrap();
        assert!(chi_square(samples.u.as_slice(), 1, |_| 1.0 / 3.0) < 1.0);
        assert_moments(samples.u.as_slice(), 2.0 / 3.0, 2.0 / 3.0);
        for e in [samples.e1.as_slice(), samples.e2.as_slice()] {
            // Variance k / 2, fourth moment 3 variance^2 - k / 4.
            assert_moments(e, 10.5, 3.0 * 10.5 * 10.5 - 5.25);
            assert!(e.iter().all(|x| x.unsigned_abs() <= MAX_NOISE));
        }
    }

    #[test]
    fn refuses_other_degrees_and_prints_no_secret() {
        let stream = DeviceStream::new(&SecretSeed::new(SEED_BYTES), 5);
        for n in [0, 1, 2, 3, 12, (1 << 20) + 1, 1 << 21] {
            let error = stream.plaintext(0, n).unwrap_err();
            assert!(matches!(error, RingError::UnsupportedDegree { .. }), "{error}");
        }
        assert_eq!(format!("{stream:?}"), "DeviceStream(run counter 5)");
        let samples = stream.plaintext(0, 4).unwrap();
        assert!(format!("{samples:?}").contains("u: SmallPoly(4 coefficients)"));
        assert_eq!(stream.run_counter(), 5);
    }
}
