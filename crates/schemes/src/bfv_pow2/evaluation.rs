//! Computing on ciphertexts, as in "Accelerating FHE BFV Decryptor and Encryptor" (Fadhli):
//! ct + ct, ct + pt, ct * pt, and ct * ct with relinearisation by modulus raising (Fan and
//! Vercauteren, eprint 2012/144, section 4, version 2).
//!
//! Every result carries a noise bound; an operation whose bound passes the capacity is refused.
//! Two errors of the paper are not repeated: ct + pt and ct * pt treat the polynomials as the
//! scheme demands (a plaintext is added to `c_0` alone and multiplies both), and `c_1` of a product
//! is that of its own operands.

use super::ciphertext::Ciphertext;
use super::context::Pow2Context;
use super::exact::{ExactMultiplier, Transformed, centred, signed_halves};
use super::keys::RelinearizationKey;
use super::parameters::Pow2Parameters;
use super::plaintext::Plaintext;
use crate::error::{Error, Result};
use cyclotron_ring::norms::Norms;
use std::sync::Arc;

/// Computes on ciphertexts of one parameter set.
#[derive(Debug)]
pub struct Evaluator {
    context: Arc<Pow2Context>,
    key: Option<PreparedKey>,
    /// Primes that hold a product of ciphertexts, of ciphertext and plaintext, of ciphertext and
    /// relinearisation key.
    primes: [usize; 3],
}

/// The transforms of a relinearisation key: for each polynomial its low and high half, the latter
/// only where `p q` has more than 64 bits.
#[derive(Debug)]
struct PreparedKey([Vec<Transformed>; 2]);

impl Evaluator {
    /// An evaluator, with the key that products of ciphertexts need, or without.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn new(context: &Arc<Pow2Context>, key: Option<&RelinearizationKey>) -> Result<Self> {
        let parameters = context.parameters();
        let (log_n, log_q) =
            (f64::from(parameters.degree().ilog2()), f64::from(parameters.log_q()));
        // Magnitudes of signed words of k bits are at most 2^(k-1); two terms in the middle
        // polynomial of a product of ciphertexts.
        let primes = [
            2.0 * (log_q - 1.0) + log_n + 1.0,
            log_q - 1.0 + f64::from(parameters.log_t()) - 1.0 + log_n,
            log_q - 1.0 + 63.0 + log_n,
        ]
        .map(ExactMultiplier::primes_for);
        let mut evaluator = Self { context: Arc::clone(context), key: None, primes };
        if let Some(key) = key {
            parameters.check_id("relinearisation key", key.id)?;
            evaluator.key = Some(evaluator.prepare(key)?);
        }
        Ok(evaluator)
    }

    fn prepare(&self, key: &RelinearizationKey) -> Result<PreparedKey> {
        let bits = RelinearizationKey::bits(&self.context)?;
        let prepare = |words: &[u128]| {
            let (low, high): (Vec<i64>, Vec<i64>) =
                words.iter().map(|&word| signed_halves(word)).unzip();
            let halves = if bits <= 64 { vec![low] } else { vec![low, high] };
            halves.iter().map(|half| self.context.exact.transform(half, self.primes[2])).collect()
        };
        Ok(PreparedKey([prepare(&key.body), prepare(&key.mask)]))
    }

    fn parameters(&self) -> &Pow2Parameters {
        self.context.parameters()
    }

    fn check(&self, ciphertexts: &[&Ciphertext]) -> Result<()> {
        let mut ids = ciphertexts.iter().map(|ciphertext| ciphertext.id);
        ids.try_for_each(|id| self.parameters().check_id("ciphertext", id))
    }

    /// A result, if its bound allows it.
    fn result(
        &self,
        operation: &'static str,
        parts: Vec<Vec<u64>>,
        noise: Norms,
    ) -> Result<Ciphertext> {
        let (bound, capacity) = (noise.inf_log2(), self.parameters().noise().capacity());
        if bound > capacity {
            return Err(Error::NoiseExhausted { operation, bound, capacity });
        }
        Ok(Ciphertext { id: self.parameters().id(), parts, noise })
    }

    /// Part by part; a part that one operand lacks is zero.
    fn combine(&self, a: &Ciphertext, b: &Ciphertext, f: fn(u64, u64) -> u64) -> Vec<Vec<u64>> {
        let mask = self.parameters().mask_q();
        let zero = vec![0; self.parameters().degree()];
        (0..a.parts.len().max(b.parts.len()))
            .map(|i| {
                let (x, y) = (a.parts.get(i).unwrap_or(&zero), b.parts.get(i).unwrap_or(&zero));
                x.iter().zip(y).map(|(&x, &y)| f(x, y) & mask).collect()
            })
            .collect()
    }

    /// `a + b`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::NoiseExhausted`].
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.check(&[a, b])?;
        self.result("add", self.combine(a, b, u64::wrapping_add), a.noise + b.noise)
    }

    /// `a - b`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::NoiseExhausted`].
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.check(&[a, b])?;
        self.result("sub", self.combine(a, b, u64::wrapping_sub), a.noise + b.noise)
    }

    /// `-a`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::NoiseExhausted`] when `a` has none left.
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.check(&[a])?;
        self.result("neg", self.combine(a, a, |x, _| x.wrapping_neg()), a.noise)
    }

    /// `a + plain`: no noise is added, because `t` divides `q`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::NoiseExhausted`] when `a` has none left.
    pub fn add_plain(&self, a: &Ciphertext, plain: &Plaintext) -> Result<Ciphertext> {
        self.with_plain("add_plain", a, plain, u64::wrapping_add)
    }

    /// `a - plain`.
    ///
    /// # Errors
    /// As [`Self::add_plain`].
    pub fn sub_plain(&self, a: &Ciphertext, plain: &Plaintext) -> Result<Ciphertext> {
        self.with_plain("sub_plain", a, plain, u64::wrapping_sub)
    }

    fn with_plain(
        &self,
        operation: &'static str,
        a: &Ciphertext,
        plain: &Plaintext,
        f: fn(u64, u64) -> u64,
    ) -> Result<Ciphertext> {
        self.check(&[a])?;
        self.parameters().check_id("plaintext", plain.id)?;
        let (shift, mask) = (self.parameters().log_delta(), self.parameters().mask_q());
        let mut parts = a.parts.clone();
        for (c, &m) in parts[0].iter_mut().zip(plain.coefficients()) {
            *c = f(*c, m << shift) & mask;
        }
        self.result(operation, parts, a.noise)
    }

    /// `a plain`, for a plaintext that is public: the noise bound depends on its norms.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::NoiseExhausted`].
    pub fn mul_plain(&self, a: &Ciphertext, plain: &Plaintext) -> Result<Ciphertext> {
        self.check(&[a])?;
        let parameters = self.parameters();
        parameters.check_id("plaintext", plain.id)?;
        let noise = parameters.noise().mul_plain(a.noise, plain.norms());
        let factor = self.context.exact.transform(&plain.to_signed(), self.primes[1]);
        let mask = parameters.mask_q();
        let multiply = |part: &Vec<u64>| {
            let part = self.transform(part, self.primes[1]);
            let product = self.context.exact.sum_of_products(&[(&part, &factor)]);
            product.into_iter().map(|word| word as u64 & mask).collect()
        };
        self.result("mul_plain", a.parts.iter().map(multiply).collect(), noise)
    }

    /// `a b`, relinearised.
    ///
    /// # Errors
    /// As [`Self::multiply`] and [`Self::relinearize`].
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.key("mul")?;
        self.relinearize(&self.multiply(a, b)?)
    }

    /// `a b` as a ciphertext of three polynomials:
    /// `round((t/q) (a_0 b_0, a_0 b_1 + a_1 b_0, a_1 b_1))`, the products over the integers.
    ///
    /// # Errors
    /// [`Error::NotLinear`] for operands of three polynomials; [`Error::ParameterMismatch`],
    /// [`Error::NoiseExhausted`].
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.check(&[a, b])?;
        a.require_linear("multiply")?;
        b.require_linear("multiply")?;
        let parameters = self.parameters();
        let uniform = [a, b].map(|operand| (operand.noise, !operand.is_transparent()));
        let noise = parameters.noise().multiply(uniform[0], uniform[1]);
        // Refused before the work.
        self.result("multiply", Vec::new(), noise)?;
        let transform =
            |x: &Ciphertext| [0, 1].map(|i| self.transform(&x.parts[i], self.primes[0]));
        let [a0, a1] = transform(a);
        let [b0, b1] = transform(b);
        let (shift, mask) = (parameters.log_delta(), parameters.mask_q());
        let scaled = |pairs: &[(&Transformed, &Transformed)]| {
            let product = self.context.exact.sum_of_products(pairs);
            divide_round(product, shift, mask)
        };
        let parts =
            vec![scaled(&[(&a0, &b0)]), scaled(&[(&a0, &b1), (&a1, &b0)]), scaled(&[(&a1, &b1)])];
        self.result("multiply", parts, noise)
    }

    /// Brings a ciphertext of three polynomials back to two; one of two is returned as it is.
    ///
    /// # Errors
    /// [`Error::MissingKey`]; [`Error::ParameterMismatch`], [`Error::NoiseExhausted`].
    pub fn relinearize(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.check(&[a])?;
        let Some(quadratic) = a.parts.get(2) else { return Ok(a.clone()) };
        let key = self.key("relinearize")?;
        let parameters = self.parameters();
        let uniform = quadratic.iter().any(|&word| word != 0);
        let noise = a.noise + parameters.noise().relinearization(uniform);
        self.result("relinearize", Vec::new(), noise)?;
        let quadratic = self.transform(quadratic, self.primes[2]);
        let (shift, mask) = (parameters.log_p(), parameters.mask_q());
        let exact = &self.context.exact;
        let parts = key.0.iter().zip(&a.parts).map(|(halves, part)| {
            let mut product = vec![0u128; part.len()];
            for (half, shift) in halves.iter().zip([0, 64]) {
                let term = exact.sum_of_products(&[(&quadratic, half)]);
                for (sum, term) in product.iter_mut().zip(term) {
                    *sum = sum.wrapping_add(term << shift);
                }
            }
            let mut out = divide_round(product, shift, mask);
            out.iter_mut().zip(part).for_each(|(x, &c)| *x = x.wrapping_add(c) & mask);
            out
        });
        self.result("relinearize", parts.collect(), noise)
    }

    fn key(&self, operation: &'static str) -> Result<&PreparedKey> {
        self.key.as_ref().ok_or_else(|| Error::MissingKey {
            operation,
            wanted: "the relinearisation key".to_owned(),
            present: "none".to_owned(),
            remedy: "generate it with the secret key and give it to the evaluator".to_owned(),
        })
    }

    /// Words modulo `q`, centred, ready for products.
    fn transform(&self, words: &[u64], primes: usize) -> Transformed {
        let bits = self.parameters().log_q();
        let signed: Vec<i64> = words.iter().map(|&word| centred(word, bits)).collect();
        self.context.exact.transform(&signed, primes)
    }
}

/// `floor((x + 2^(shift - 1)) / 2^shift) mod q`: rounded, halves up. Bits above those that count
/// may be missing from `x`.
fn divide_round(product: Vec<u128>, shift: u32, mask: u64) -> Vec<u64> {
    let half = 1u128 << (shift - 1);
    product.into_iter().map(|x| (x.wrapping_add(half) >> shift) as u64 & mask).collect()
}
