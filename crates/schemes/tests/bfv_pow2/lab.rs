//! One context with all keys, and a model on big integers that shares no code with the scheme.

use cyclotron_ring::sample::{SecretRng, SecretSeed};
use cyclotron_schemes::bfv_pow2::{
    Decryptor, Encryptor, Evaluator, KeyPair, Plaintext, Pow2Context, Pow2Literal, Pow2Parameters,
    Pow2Preset, RelinearizationKey,
};
use cyclotron_schemes::rlwe::SecurityPolicy;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Zero;
use std::sync::Arc;

/// A generator of secrets with a fixed seed, so that tests repeat.
pub fn rng(seed: u8) -> SecretRng {
    SecretRng::from_seed(SecretSeed::new([seed; 32]))
}

/// The seed of a lab's encryptor: never zero.
pub fn device_seed(seed: u8) -> SecretSeed {
    SecretSeed::new(std::array::from_fn(|i| seed ^ i as u8))
}

pub fn preset(name: &str) -> Pow2Parameters {
    Pow2Parameters::new(Pow2Preset::named(name).unwrap().acknowledged()).unwrap()
}

pub fn parameters(degree: usize, log_q: u32, log_t: u32, log_p: u32) -> Pow2Parameters {
    let security = SecurityPolicy::InsecureAcknowledged;
    Pow2Parameters::new(Pow2Literal { degree, log_q, log_t, log_p, security }).unwrap()
}

pub struct Lab {
    pub parameters: Pow2Parameters,
    pub context: Arc<Pow2Context>,
    pub keys: KeyPair,
    pub relinearization: Option<RelinearizationKey>,
    pub encryptor: Encryptor,
    pub decryptor: Decryptor,
    pub evaluator: Evaluator,
    pub rng: SecretRng,
}

impl Lab {
    pub fn new(parameters: &Pow2Parameters) -> Self {
        Self::seeded(parameters, 7)
    }

    pub fn seeded(parameters: &Pow2Parameters, seed: u8) -> Self {
        let context = Pow2Context::new(parameters).unwrap();
        let mut rng = rng(seed);
        let keys = KeyPair::generate(&context, &mut rng).unwrap();
        let relinearization = (parameters.log_p() > 0)
            .then(|| RelinearizationKey::generate(&context, &keys.secret, &mut rng).unwrap());
        let device = Box::new(context.processor().unwrap());
        let seed = device_seed(seed);
        Self {
            encryptor: Encryptor::with_seed(&context, &keys.public, device, seed, 0).unwrap(),
            decryptor: Decryptor::new(&context, &keys.secret).unwrap(),
            evaluator: Evaluator::new(&context, relinearization.as_ref()).unwrap(),
            parameters: parameters.clone(),
            context,
            keys,
            relinearization,
            rng,
        }
    }

    /// A message with every coefficient uniform modulo `t`.
    pub fn message(&mut self) -> Plaintext {
        let mut words = vec![0; self.parameters.degree()];
        self.rng.fill_words(&mut words);
        words.iter_mut().for_each(|word| *word &= self.parameters.mask_t());
        Plaintext::new(&self.parameters, words).unwrap()
    }
}

/// A polynomial on big integers.
pub type Big = Vec<BigInt>;

pub fn big<T: Copy + Into<BigInt>>(words: &[T]) -> Big {
    words.iter().map(|&word| word.into()).collect()
}

/// Residues nearest to zero.
pub fn centre(poly: &Big, bits: u32) -> Big {
    let (modulus, half) = (BigInt::from(1) << bits, BigInt::from(1) << (bits - 1));
    poly.iter().map(|x| (x + &half).mod_floor(&modulus) - &half).collect()
}

/// `a b` in `Z[x]/(x^n + 1)`, by the definition.
pub fn multiply(a: &Big, b: &Big) -> Big {
    let n = a.len();
    let mut out = vec![BigInt::zero(); n];
    for (i, x) in a.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
        for (j, y) in b.iter().enumerate() {
            let term = x * y;
            if i + j < n { out[i + j] += term } else { out[i + j - n] -= term }
        }
    }
    out
}

pub fn add(a: &Big, b: &Big) -> Big {
    a.iter().zip(b).map(|(x, y)| x + y).collect()
}

/// `floor(x / 2^shift + 1/2)` of every coefficient.
pub fn divide_round(poly: &Big, shift: u32) -> Big {
    let half = BigInt::from(1) << (shift - 1);
    poly.iter().map(|x| (x + &half).div_floor(&(BigInt::from(1) << shift))).collect()
}

/// Words in `[0, 2^bits)`.
pub fn words(poly: &Big, bits: u32) -> Vec<u64> {
    let modulus = BigInt::from(1) << bits;
    poly.iter().map(|x| u64::try_from(x.mod_floor(&modulus)).unwrap()).collect()
}
