//! A device with all keys, and a model on whole integers that shares no code with the scheme.

use cyclotron_ring::sample::{SecretRng, SecretSeed, SmallPoly};
use cyclotron_schemes::bgv_word::{
    BgvDevice, CpuBgv, KeySet, Refusal, WordContext, WordLiteral, WordParameters, WordPreset,
};
use cyclotron_schemes::rlwe::SecurityPolicy;

/// A generator of secrets with a fixed seed, so that tests repeat.
pub fn rng(seed: u8) -> SecretRng {
    SecretRng::from_seed(SecretSeed::new([seed; 32]))
}

pub fn preset(name: &str) -> WordParameters {
    WordParameters::new(WordPreset::named(name).unwrap().acknowledged()).unwrap()
}

pub fn changed(name: &str, change: impl FnOnce(&mut WordLiteral)) -> WordParameters {
    let mut literal = WordPreset::named(name).unwrap().acknowledged();
    literal.security = SecurityPolicy::InsecureAcknowledged;
    change(&mut literal);
    WordParameters::new(literal).unwrap()
}

pub struct Lab {
    pub parameters: WordParameters,
    pub keys: KeySet,
    pub device: CpuBgv,
    pub rng: SecretRng,
}

impl Lab {
    pub fn new(parameters: &WordParameters, seed: u8) -> Self {
        let context = WordContext::new(parameters).unwrap();
        let mut rng = rng(seed);
        let keys = KeySet::generate(&context, &mut rng).unwrap();
        let mut device = CpuBgv::with_context(&context, 12);
        device.load_keys(&keys).unwrap();
        device.load_seed(&SecretSeed::new(std::array::from_fn(|i| seed ^ i as u8)), 0).unwrap();
        Self { parameters: parameters.clone(), keys, device, rng }
    }

    /// One that runs whatever the noise.
    pub fn careless(parameters: &WordParameters, seed: u8) -> Self {
        let mut lab = Self::new(parameters, seed);
        lab.device.set_refusal(Refusal::Paper);
        lab
    }

    /// A message with every coefficient uniform modulo `p`.
    pub fn message(&mut self) -> Vec<u64> {
        let mut words = vec![0; self.parameters.degree()];
        self.rng.fill_words(&mut words);
        words.iter_mut().for_each(|word| *word &= self.parameters.plain_modulus() - 1);
        words
    }

    /// Writes messages to buffers 0, 1, ... and gives them back.
    pub fn messages(&mut self, count: usize) -> Vec<Vec<u64>> {
        let messages: Vec<Vec<u64>> = (0..count).map(|_| self.message()).collect();
        for (buffer, message) in messages.iter().enumerate() {
            self.device.write_message(buffer, message).unwrap();
        }
        messages
    }

    pub fn read(&mut self, buffer: usize) -> Vec<u64> {
        let mut words = vec![0; self.parameters.degree()];
        self.device.read_message(buffer, &mut words).unwrap();
        words
    }

    /// `Q_l`.
    pub fn modulus(&self, level: usize) -> i128 {
        self.parameters.literal().factors[..=level].iter().map(|&q| i128::from(q)).product()
    }
}

pub type Big = Vec<i128>;

pub fn big(words: &[u64]) -> Big {
    words.iter().map(|&word| word.into()).collect()
}

pub fn small(poly: &SmallPoly) -> Big {
    poly.as_slice().iter().map(|&x| x.into()).collect()
}

pub fn words(poly: &Big, modulus: i128) -> Vec<u64> {
    poly.iter().map(|x| u64::try_from(x.rem_euclid(modulus)).unwrap()).collect()
}

/// The residue nearest to zero, for an odd modulus.
pub fn centred(x: i128, modulus: i128) -> i128 {
    let residue = x.rem_euclid(modulus);
    if 2 * residue > modulus { residue - modulus } else { residue }
}

/// `a b` in `Z[x]/(x^n + 1)`, by the definition.
pub fn multiply(a: &Big, b: &Big) -> Big {
    let n = a.len();
    let mut out = vec![0; n];
    for (i, x) in a.iter().enumerate().filter(|&(_, &x)| x != 0) {
        for (j, y) in b.iter().enumerate() {
            if i + j < n { out[i + j] += x * y } else { out[i + j - n] -= x * y }
        }
    }
    out
}

pub fn sum(a: &Big, b: &Big) -> Big {
    a.iter().zip(b).map(|(x, y)| x + y).collect()
}

pub fn scale(a: &Big, factor: i128) -> Big {
    a.iter().map(|x| x * factor).collect()
}
