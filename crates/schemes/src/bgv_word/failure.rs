//! How often products decrypt wrongly, also where strict bounds refuse them.
//!
//! At the paper's parameters, `n = 128`, `Q = 257^3`, `p = 32`, the noise of one product with its key
//! switch now and then passes `Q/2`. The paper does not say so; this counts it.

use super::buffers::Refusal;
use super::command::{Command, Form};
use super::context::WordContext;
use super::cpu::CpuBgv;
use super::device::BgvDevice;
use super::keys::KeySet;
use crate::error::{Error, Result};
use cyclotron_ring::sample::{SecretRng, SecretSeed};
use std::sync::Arc;

/// What is computed on fresh ciphertexts `a, b, c, d`; every product is key switched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Circuit {
    /// `a b`, decrypted at the top level.
    Product,
    /// `(a b) c`, both operands switched to the level below, where it is decrypted.
    ProductByFresh,
    /// `(a b)(c d)`, likewise.
    ProductOfProducts,
}

/// A number of operations with random keys and messages of full range.
#[derive(Debug, Clone, Copy)]
pub struct FailureStudy {
    /// What is computed.
    pub circuit: Circuit,
    /// How often.
    pub operations: u64,
    /// Operations under one set of keys, at least 1: the rate depends on the key.
    pub per_key: u64,
}

/// What came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FailureCount {
    /// Operations done.
    pub operations: u64,
    /// Operations of which some coefficient was wrong.
    pub wrong: u64,
    /// Root of the mean square of `v` over all coefficients, `v` being known modulo `Q_l`: where
    /// operations fail, a little too small.
    pub deviation: f64,
    /// What the noise bounds predict for it.
    pub predicted: f64,
    /// The largest such root over one set of keys alone, as a fraction of the prediction.
    pub worst_key: f64,
    /// The largest `|v|`, as a fraction of what decrypts.
    pub largest: f64,
}

impl Circuit {
    /// The circuit called `product`, `product-by-fresh` or `product-of-products`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another name.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "product" => Ok(Self::Product),
            "product-by-fresh" => Ok(Self::ProductByFresh),
            "product-of-products" => Ok(Self::ProductOfProducts),
            _ => Err(Error::Parameter {
                what: "circuit",
                value: name.to_owned(),
                remedy: "choose product, product-by-fresh or product-of-products".to_owned(),
            }),
        }
    }

    fn messages(self) -> usize {
        match self {
            Self::Product => 2,
            Self::ProductByFresh => 3,
            Self::ProductOfProducts => 4,
        }
    }

    /// Messages from buffer 0 on, their ciphertexts from buffer 4 on; the result in buffer 4, its
    /// decryption in buffer 0.
    fn commands(self) -> Vec<Command> {
        let form = Form::Coefficients;
        let mut commands: Vec<Command> = (0..self.messages())
            .map(|message| Command::Encrypt { message, to: 4 + message, form })
            .collect();
        let mut product = |left, right, lower: bool| {
            let switch = |from| Command::ModSwitch { from, to: from };
            commands.extend(lower.then(|| [switch(left), switch(right)]).into_iter().flatten());
            commands.extend([
                Command::Multiply { left, right, to: left, form },
                Command::KeySwitch { from: left, to: left, form },
            ]);
        };
        product(4, 5, false);
        match self {
            Self::Product => {}
            Self::ProductByFresh => product(4, 6, true),
            Self::ProductOfProducts => {
                product(6, 7, false);
                product(4, 6, true);
            }
        }
        commands.push(Command::Decrypt { from: 4, to: 0 });
        commands
    }
}

impl FailureStudy {
    /// Runs the study on the processor. What it does follows from the seed.
    ///
    /// # Errors
    /// As the device refuses: a circuit of two levels at parameters of one.
    pub fn run(&self, context: &Arc<WordContext>, seed: [u8; 32]) -> Result<FailureCount> {
        self.run_on(&mut CpuBgv::with_context(context, 8), context, seed)
    }

    /// Runs the study on a device of the context's parameters: the same operations, so that every
    /// device counts the same. Its keys, seed and buffers 0 to 7 are replaced, and it refuses nothing
    /// for its noise afterwards.
    ///
    /// # Errors
    /// As [`Self::run`], and as the device fails.
    pub fn run_on(
        &self,
        device: &mut dyn BgvDevice,
        context: &Arc<WordContext>,
        seed: [u8; 32],
    ) -> Result<FailureCount> {
        let parameters = context.parameters();
        let (n, p) = (parameters.degree(), parameters.plain_modulus());
        let commands = self.circuit.commands();
        let mut rng = SecretRng::from_seed(SecretSeed::new(seed));
        let mut count = FailureCount {
            operations: 0,
            wrong: 0,
            deviation: 0.0,
            predicted: 0.0,
            worst_key: 0.0,
            largest: 0.0,
        };
        let (mut total, mut worst, mut largest) = (0.0, 0.0f64, 0.0f64);
        let (mut message, mut found) = (vec![0; n], vec![0; n]);
        while count.operations < self.operations {
            let keys = KeySet::generate(context, &mut rng)?;
            device.set_refusal(Refusal::Paper);
            device.load_keys(&keys)?;
            // Knows the secret key, and so the noise of what the device made.
            let mut judge = CpuBgv::with_context(context, 1);
            judge.load_secret_key(&keys.secret)?;
            let mut seed = [0; 32];
            rng.fill_bytes(&mut seed);
            device.load_seed(&SecretSeed::new(seed), 0)?;
            let operations = self.per_key.max(1).min(self.operations - count.operations);
            let mut squares = 0.0;
            for _ in 0..operations {
                let mut expected: Option<Vec<u64>> = None;
                for buffer in 0..self.circuit.messages() {
                    rng.fill_words(&mut message);
                    message.iter_mut().for_each(|word| *word &= p - 1);
                    device.write_message(buffer, &message)?;
                    expected = Some(match expected {
                        None => message.clone(),
                        Some(product) => plain_product(&product, &message, p),
                    });
                }
                device.run(&commands)?;
                device.read_message(0, &mut found)?;
                count.wrong += u64::from(expected.as_deref() != Some(&found));
                let result = device.read_ciphertext(4)?;
                judge.write_ciphertext(0, &result)?;
                for &v in judge.phase(0)?.iter() {
                    squares += (v as f64).powi(2);
                    largest = largest.max(v.unsigned_abs() as f64);
                }
                count.operations += 1;
            }
            total += squares;
            worst = worst.max(squares / operations as f64);
            let result = device.read_ciphertext(4)?;
            count.predicted = parameters.noise().deviation(result.noise());
            count.largest = largest / parameters.noise().limit(result.level());
        }
        count.deviation = (total / (count.operations as f64 * n as f64)).sqrt();
        count.worst_key = (worst / n as f64).sqrt() / count.predicted;
        Ok(count)
    }
}

/// `a b` modulo `x^n + 1` and `p`, by the definition.
fn plain_product(a: &[u64], b: &[u64], p: u64) -> Vec<u64> {
    let n = a.len();
    let mut out = vec![0u64; n];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let term = x * y;
            let sum = &mut out[(i + j) % n];
            *sum = if i + j < n { sum.wrapping_add(term) } else { sum.wrapping_sub(term) };
        }
    }
    out.iter_mut().for_each(|word| *word &= p - 1);
    out
}
