//! What the tests of the devices share.

#![allow(clippy::unwrap_used, dead_code, reason = "tests; not every test file uses all of it")]

#[cfg(feature = "sim")]
use cyclotron_devices::{BfvCrypt, SimBus};
use cyclotron_ring::pow2::Pow2Ring;
use cyclotron_ring::sample::{SecretRng, SecretSeed, SmallPoly};
use cyclotron_schemes::bfv_pow2::{EncryptRun, PublicPolynomials};

/// `t = 2^8`.
pub const LOG_T: u32 = 8;

/// A simulated device that is switched on.
#[cfg(feature = "sim")]
pub fn device(name: &str) -> BfvCrypt<SimBus> {
    BfvCrypt::open(SimBus::open_named(name).unwrap()).unwrap()
}

/// `count` uniform words of `bits` bits: a hash of `tag` and the index, the same in every run.
pub fn random_words(tag: &str, count: usize, bits: u32) -> Vec<u64> {
    // SplitMix64 from the FNV hash of the tag: plain enough, and not from the code under test.
    let mut state = tag
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    (0..count)
        .map(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) >> (64 - bits)
        })
        .collect()
}

/// `p s` modulo `2^32` and `x^n + 1`, from the definition.
pub fn small_product(ring: &Pow2Ring, p: &[u64], s: &SmallPoly) -> Vec<u64> {
    let n = p.len();
    assert_eq!(ring.degree(), n);
    let mut out = vec![0u64; n];
    for (i, &a) in p.iter().enumerate() {
        for (j, &b) in s.as_slice().iter().enumerate() {
            let term = a.wrapping_mul(i64::from(b) as u64);
            let place = &mut out[(i + j) % n];
            *place = if i + j < n { place.wrapping_add(term) } else { place.wrapping_sub(term) };
        }
    }
    out.iter().map(|&x| x & 0xffff_ffff).collect()
}

/// A key pair, and a seed for encryptions.
pub struct Case {
    pub p0: Vec<u64>,
    pub p1: Vec<u64>,
    pub secret: SmallPoly,
    pub seed: SecretSeed,
}

impl Case {
    /// A true key pair of degree `n`: `p0 = -(p1 s + e)`.
    pub fn new(n: usize, seed: u8) -> Self {
        let mut rng = SecretRng::from_seed(SecretSeed::new([seed; 32]));
        let secret = SmallPoly::ternary(&mut rng, n);
        let error = SmallPoly::binomial(&mut rng, n, 21).unwrap();
        let p1 = random_words(&format!("p1 {seed}"), n, 32);
        let ring = Pow2Ring::new(n, 32).unwrap();
        let product = small_product(&ring, &p1, &secret);
        let p0 = product
            .iter()
            .zip(error.as_slice())
            .map(|(&a, &e)| a.wrapping_add(i64::from(e) as u64).wrapping_neg() & 0xffff_ffff)
            .collect();
        Self { p0, p1, secret, seed: SecretSeed::new([seed ^ 0x5a; 32]) }
    }

    pub fn run<'a>(&'a self, messages: &'a [u64], run_counter: u64) -> EncryptRun<'a> {
        let key = PublicPolynomials { p0: &self.p0, p1: &self.p1 };
        EncryptRun { key, messages, seed: &self.seed, run_counter }
    }
}
