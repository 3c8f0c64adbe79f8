//! A small laboratory: one context with all keys, and a plain model to compare with.
#![allow(dead_code)] // each test file uses its part

use cyclotron_engine::{CpuEngine, Engine};
use cyclotron_ring::Modulus;
use cyclotron_ring::sample::{SecretRng, SecretSeed};
use cyclotron_schemes::encode::BatchEncoder;
use cyclotron_schemes::encode::batch::{row_swap_element, slot_sum_elements};
use cyclotron_schemes::rlwe::{
    Ciphertext, Context, Decryptor, Encryptor, EvaluationKeys, Evaluator, GaloisKeys, Mode,
    Parameters, ParametersLiteral, PublicKey, RelinearizationKey, SchemeKind, SecretKey,
    SecurityPolicy,
};
use std::sync::Arc;

/// A generator of secrets with a fixed seed, so that tests repeat.
pub fn rng(seed: u8) -> SecretRng {
    SecretRng::from_seed(SecretSeed::new([seed; 32]))
}

/// Parameters that may be insecure.
pub fn parameters(
    scheme: SchemeKind,
    degree: usize,
    t: u64,
    moduli: &[u32],
    special: &[u32],
) -> Parameters {
    let mut literal = ParametersLiteral::with_bits(scheme, degree, t, moduli, special).unwrap();
    literal.security = SecurityPolicy::InsecureAcknowledged;
    Parameters::new(literal).unwrap()
}

pub struct Lab {
    pub context: Arc<Context>,
    pub encoder: BatchEncoder,
    pub symmetric: Encryptor,
    pub public: Encryptor,
    pub decryptor: Decryptor,
    pub secret: Arc<SecretKey>,
    pub keys: EvaluationKeys,
    pub automatic: Evaluator,
    pub strict: Evaluator,
    pub t: Modulus,
}

impl Lab {
    pub fn new(parameters: &Parameters) -> Self {
        let engine: Arc<dyn Engine> = CpuEngine::open().unwrap();
        Self::on(parameters, &engine)
    }

    pub fn on(parameters: &Parameters, engine: &Arc<dyn Engine>) -> Self {
        let context = Context::new(parameters, engine).unwrap();
        let mut rng = rng(1);
        let secret = Arc::new(SecretKey::generate(&context, &mut rng).unwrap());
        let public = Arc::new(PublicKey::generate(&context, &secret, &mut rng).unwrap());
        let degree = parameters.degree();
        let mut elements = slot_sum_elements(degree);
        elements.push(row_swap_element(degree));
        let keys = EvaluationKeys {
            relinearization: Some(Arc::new(
                RelinearizationKey::generate(&context, &secret, &mut rng).unwrap(),
            )),
            galois: Some(Arc::new(
                GaloisKeys::generate(&context, &secret, &elements, &mut rng).unwrap(),
            )),
        };
        Self {
            encoder: BatchEncoder::new(parameters).unwrap(),
            symmetric: Encryptor::symmetric(&context, &secret).unwrap(),
            public: Encryptor::public(&context, &public).unwrap(),
            decryptor: Decryptor::new(&context, &secret).unwrap(),
            automatic: Evaluator::new(&context, keys.clone(), Mode::Automatic).unwrap(),
            strict: Evaluator::new(&context, keys.clone(), Mode::Strict).unwrap(),
            t: parameters.plaintext_modulus(),
            context,
            secret,
            keys,
        }
    }

    pub fn encrypt(&self, slots: &[u64], seed: u8) -> Ciphertext {
        self.public.encrypt(&self.encoder.encode(slots).unwrap(), &mut rng(seed)).unwrap()
    }

    pub fn encrypt_symmetric(&self, slots: &[u64], seed: u8) -> Ciphertext {
        self.symmetric.encrypt(&self.encoder.encode(slots).unwrap(), &mut rng(seed)).unwrap()
    }

    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Vec<u64> {
        self.encoder.decode(&self.decryptor.decrypt(ciphertext).unwrap())
    }

    /// Bits between the noise bound and the measured noise; fails when the bound is too small.
    pub fn slack(&self, ciphertext: &Ciphertext) -> f64 {
        let measured = self.decryptor.measure(ciphertext).unwrap();
        assert!(
            measured.noise <= measured.bound,
            "measured noise 2^{:.2} above the bound 2^{:.2}",
            measured.noise,
            measured.bound
        );
        measured.bound - measured.noise
    }

    /// Slot values that look random, the same for the same seed.
    pub fn values(&self, seed: u64) -> Vec<u64> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        (0..self.encoder.slots())
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                self.t.reduce(state)
            })
            .collect()
    }

    pub fn zip(&self, a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> Vec<u64> {
        a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
    }
}
