//! Small, insecure contexts with one object of every kind that files hold.

use cyclotron_engine::{CpuEngine, Engine};
use cyclotron_ring::sample::{SecretRng, SecretSeed};
use cyclotron_schemes::files::{HEADER_BYTES, Stored, TRAILER_BYTES};
use cyclotron_schemes::rlwe::{DigitChoice, Mode, ParametersLiteral, SchemeKind, SecurityPolicy};
use cyclotron_schemes::vector::{
    Encoding, EncryptedVector, Operand, Rotations, Values, VectorContext, VectorEvaluationKeys,
    VectorEvaluator, VectorParameters, VectorPublicKey, VectorSecretKey,
};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// One engine for all contexts: opening one tests it.
pub fn engine() -> &'static Arc<dyn Engine> {
    static ENGINE: OnceLock<Arc<dyn Engine>> = OnceLock::new();
    ENGINE.get_or_init(|| CpuEngine::open().unwrap())
}

/// A generator of secrets with a fixed seed, so that tests repeat.
pub fn rng(seed: u8) -> SecretRng {
    SecretRng::from_seed(SecretSeed::new([seed; 32]))
}

/// What a set of parameters is made of.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    pub name: &'static str,
    pub scheme: SchemeKind,
    pub degree: usize,
    pub plaintext: &'static [u64],
    pub moduli: &'static [u32],
    pub special: &'static [u32],
    pub digits: DigitChoice,
}

/// Both schemes, one and two channels, all sorts of digits, narrow and wide moduli.
pub const RECIPES: [Recipe; 4] = [
    Recipe {
        name: "bfv",
        scheme: SchemeKind::Bfv,
        degree: 8,
        plaintext: &[97],
        moduli: &[36, 31],
        special: &[37],
        digits: DigitChoice::Limbs(1),
    },
    Recipe {
        name: "bgv",
        scheme: SchemeKind::Bgv,
        degree: 8,
        plaintext: &[97],
        moduli: &[31, 30],
        special: &[],
        digits: DigitChoice::Words(8),
    },
    Recipe {
        name: "bfv-two-channels",
        scheme: SchemeKind::Bfv,
        degree: 16,
        plaintext: &[97, 193],
        moduli: &[58, 31, 40],
        special: &[50, 60],
        digits: DigitChoice::Limbs(2),
    },
    Recipe {
        name: "bgv-two-channels",
        scheme: SchemeKind::Bgv,
        degree: 16,
        plaintext: &[193, 97],
        moduli: &[45, 31, 33],
        special: &[45],
        digits: DigitChoice::Limbs(1),
    },
];

impl Recipe {
    pub fn parameters(&self) -> VectorParameters {
        let avoid = self.plaintext;
        let mut literal = ParametersLiteral::with_bits_avoiding(
            self.scheme,
            self.degree,
            self.plaintext[0],
            self.moduli,
            self.special,
            avoid,
        )
        .unwrap();
        literal.digits = self.digits;
        literal.security = SecurityPolicy::InsecureAcknowledged;
        VectorParameters::new(&literal, self.plaintext).unwrap()
    }
}

/// A ciphertext with what it decrypts to.
pub struct Sample {
    pub name: &'static str,
    pub vector: EncryptedVector,
    pub values: Vec<i128>,
}

pub struct Lab {
    pub context: Arc<VectorContext>,
    pub secret: VectorSecretKey,
    pub public: VectorPublicKey,
    pub keys: VectorEvaluationKeys,
    samples: OnceLock<Vec<Sample>>,
}

impl Lab {
    pub fn new(recipe: Recipe) -> Self {
        let context = VectorContext::new(&recipe.parameters(), engine()).unwrap();
        let mut rng = rng(7);
        let secret = context.generate_secret_key(&mut rng).unwrap();
        let public = context.generate_public_key(&secret, &mut rng).unwrap();
        let rotations = Rotations::Steps(vec![1, 2]);
        let keys = context.generate_evaluation_keys(&secret, true, &rotations, &mut rng).unwrap();
        Self { context, secret, public, keys, samples: OnceLock::new() }
    }

    /// Ciphertexts of every shape that records know.
    pub fn samples(&self) -> &[Sample] {
        self.samples.get_or_init(|| self.make_samples())
    }

    pub fn make_samples(&self) -> Vec<Sample> {
        let (context, mut rng) = (&self.context, rng(8));
        let modulus = context.parameters().plaintext().product() as i128;
        let values: Vec<i64> = (0..context.capacity() as i64 - 1).map(|i| 3 * i - 5).collect();
        let values = Values::I64(&values);
        let slots = Encoding::Slots;
        let wide: Vec<i128> = (0..values.len()).map(|i| values.get(i)).collect();
        let squares: Vec<i128> = wide.iter().map(|v| centred(v * v, modulus)).collect();
        let public = |values, encoding, signed, rng: &mut SecretRng| {
            context.encrypt(&self.public, values, encoding, signed, rng).unwrap()
        };
        let fresh = public(values, slots, true, &mut rng);
        let seeded =
            context.encrypt_symmetric(&self.secret, values, slots, true, &mut rng).unwrap();
        let plain = [1u64, 2, 90];
        let unsigned = public(Values::U64(&plain), Encoding::Coefficients, false, &mut rng);
        let strict = VectorEvaluator::new(context, &self.keys, Mode::Strict).unwrap();
        let automatic = VectorEvaluator::new(context, &self.keys, Mode::Automatic).unwrap();
        let product = strict.mul(&fresh, Operand::Encrypted(&seeded)).unwrap();
        let low = automatic.mod_switch(&fresh, 0).unwrap();
        let zero = automatic.sub(&fresh, Operand::Encrypted(&fresh)).unwrap();
        let sample =
            |name, vector, values: &[i128]| Sample { name, vector, values: values.to_vec() };
        vec![
            sample("fresh", fresh, &wide),
            sample("seeded", seeded, &wide),
            sample("unsigned", unsigned, &[1, 2, 90]),
            sample("product", product, &squares),
            sample("low", low, &wide),
            sample("zero", zero, &vec![0; wide.len()]),
        ]
    }

    pub fn decrypt(&self, vector: &EncryptedVector) -> Vec<i128> {
        self.context.decrypt(&self.secret, vector).unwrap()
    }

    /// Uses an object that a loader let through, in every way that there is; errors are welcome,
    /// panics are not.
    pub fn use_keys(&self, keys: &VectorEvaluationKeys) {
        let Ok(evaluator) = VectorEvaluator::new(&self.context, keys, Mode::Automatic) else {
            return;
        };
        let vector = &self.samples()[0].vector;
        let results = [
            evaluator.mul(vector, Operand::Encrypted(vector)),
            evaluator.rotate(vector, 1),
            evaluator.sum(vector),
        ];
        for result in results.into_iter().flatten() {
            let _ = self.context.decrypt(&self.secret, &result);
        }
    }

    pub fn use_vector(&self, vector: &EncryptedVector) {
        let _ = self.context.decrypt(&self.secret, vector);
        let _ = self.context.margin(vector);
        let _ = self.context.measured_margin(&self.secret, vector);
        let evaluator = VectorEvaluator::new(&self.context, &self.keys, Mode::Automatic).unwrap();
        let results = [
            evaluator.add(vector, Operand::Encrypted(vector)),
            evaluator.mul(vector, Operand::Encrypted(vector)),
            evaluator.mul(vector, Operand::Plain(Values::I64(&[2]))),
            evaluator.sum(vector),
            evaluator.rotate(vector, 1),
            evaluator.mod_switch(vector, 0),
            evaluator.relinearize(vector),
        ];
        for result in results.into_iter().flatten() {
            let _ = self.context.decrypt(&self.secret, &result);
        }
        let _ = vector.to_bytes(&self.context);
    }

    pub fn use_secret(&self, secret: &VectorSecretKey) {
        for sample in self.samples() {
            let _ = self.context.decrypt(secret, &sample.vector);
        }
    }

    pub fn use_public(&self, public: &VectorPublicKey) {
        let (values, encoding) = (Values::I64(&[1, 2]), Encoding::Slots);
        let vector = self.context.encrypt(public, values, encoding, true, &mut rng(9)).unwrap();
        let _ = self.context.decrypt(&self.secret, &vector);
    }
}

/// The residue in `[-modulus/2, modulus/2)`.
pub fn centred(value: i128, modulus: i128) -> i128 {
    (value + modulus / 2).rem_euclid(modulus) - modulus / 2
}

/// Where the records of a well-formed file lie.
pub fn records(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let length = u64::from_le_bytes(bytes[start + 48..start + 56].try_into().unwrap());
        let end = start + (HEADER_BYTES + length + TRAILER_BYTES) as usize;
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// Makes the checksum of a record right again.
pub fn rehash(record: &mut [u8]) {
    let at = record.len() - TRAILER_BYTES as usize;
    let (contents, trailer) = record.split_at_mut(at);
    trailer.copy_from_slice(blake3::hash(contents).as_bytes());
}

/// A record with this kind, identity and payload, and a right checksum.
pub fn record(kind: u16, id: &[u8; 32], payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x89CYC\r\n\x1a\n\x01\x00".to_vec();
    bytes.extend_from_slice(&kind.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(id);
    bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes.extend_from_slice(&[0; TRAILER_BYTES as usize]);
    rehash(&mut bytes);
    bytes
}
