//! The operations of the device on polynomials, modulo `Q` and reduced to `Q_l` at the end.
//!
//! Messages and phases are secret: nothing here branches on a word, indexes or divides by one.

use super::context::WordContext;
use super::parameters::Digits;
use crate::error::Result;
use cyclotron_ring::Modulus;
use cyclotron_ring::sample::device::DeviceSamples;
use zeroize::Zeroizing;

/// The values of the two polynomials of one row of a key.
pub(super) struct PreparedRow {
    pub(super) b: Vec<u64>,
    pub(super) a: Vec<u64>,
}

impl WordContext {
    /// `p0 u + p e1 + m` and `p1 u + p e2` modulo `Q`, for the values of `p0` and `p1`.
    pub(super) fn encrypt(
        &self,
        key: &PreparedRow,
        samples: &DeviceSamples,
        message: &[u64],
    ) -> Result<[Vec<u64>; 2]> {
        let (parameters, q) = (self.parameters(), self.top());
        let (plain, log_p) = (parameters.plain_modulus(), parameters.log_p());
        let u = self.transformed_small(&samples.u)?;
        let part = |values: &[u64], error: &[u64]| {
            let mut words = vec![0; values.len()];
            self.multiply_add(&mut words, values, &u);
            self.inverse(&mut words);
            for (word, &e) in words.iter_mut().zip(error) {
                *word = q.mul_add(e, plain, *word);
            }
            words
        };
        let mut c0 = part(&key.b, &self.residues(&samples.e1)?);
        let c1 = part(&key.a, &self.residues(&samples.e2)?);
        for (word, &m) in c0.iter_mut().zip(message) {
            // The upper half of [0, p) stands for [-p/2, 0).
            let lifted = m + (m >> (log_p - 1)) * (q.value() - plain);
            *word = q.add(*word, lifted);
        }
        Ok([c0, c1])
    }

    /// The message of `c0 + c1 s` modulo `Q_l`, for the values of `s`.
    pub(super) fn decrypt(
        &self,
        modulus: Modulus,
        secret: &[u64],
        parts: &[Vec<u64>],
    ) -> Zeroizing<Vec<u64>> {
        let mut words = self.phase(modulus, secret, parts);
        let mask = self.parameters().plain_modulus() - 1;
        for word in words.iter_mut() {
            *word = modulus.to_centred(*word) as u64 & mask;
        }
        words
    }

    /// `c0 + c1 s (+ c2 s^2)` in `[0, Q_l)`, by Horner's rule.
    pub(super) fn phase(
        &self,
        modulus: Modulus,
        secret: &[u64],
        parts: &[Vec<u64>],
    ) -> Zeroizing<Vec<u64>> {
        let mut words = Zeroizing::new(vec![0; self.parameters().degree()]);
        for (i, part) in parts.iter().rev().enumerate() {
            if i > 0 {
                words = Zeroizing::new(self.product(&words, secret));
            }
            self.add(&mut words, part);
        }
        self.reduce(modulus, &mut words);
        words
    }

    /// The sums of polynomials modulo `Q_l`.
    pub(super) fn sum(
        &self,
        modulus: Modulus,
        left: &[Vec<u64>],
        right: &[Vec<u64>],
    ) -> Vec<Vec<u64>> {
        let mut parts = left.to_vec();
        for (part, other) in parts.iter_mut().zip(right) {
            self.add(part, other);
            self.reduce(modulus, part);
        }
        parts
    }

    /// `c0 d0`, `c0 d1 + c1 d0`, `c1 d1` modulo `Q_l`.
    pub(super) fn tensor(
        &self,
        modulus: Modulus,
        left: &[Vec<u64>],
        right: &[Vec<u64>],
    ) -> Vec<Vec<u64>> {
        let values = |parts: &[Vec<u64>]| -> Vec<Vec<u64>> {
            parts.iter().map(|part| self.transformed(part)).collect()
        };
        let (left, right) = (values(left), values(right));
        let mut parts = vec![vec![0; self.parameters().degree()]; left.len() + right.len() - 1];
        for (i, a) in left.iter().enumerate() {
            for (j, b) in right.iter().enumerate() {
                self.multiply_add(&mut parts[i + j], a, b);
            }
        }
        for part in &mut parts {
            self.inverse(part);
            self.reduce(modulus, part);
        }
        parts
    }

    /// `d0 + sum D_i b_i`, `d1 + sum D_i a_i` modulo `Q_l`.
    pub(super) fn key_switch(
        &self,
        modulus: Modulus,
        rows: &[PreparedRow],
        parts: &[Vec<u64>],
    ) -> Vec<Vec<u64>> {
        let degree = self.parameters().degree();
        let [mut body, mut mask] = [vec![0; degree], vec![0; degree]];
        let mut digit = vec![0; degree];
        let mut rest: Vec<i64> = match self.parameters().digits() {
            Digits::Signed => parts[2].iter().map(|&word| modulus.to_centred(word)).collect(),
            Digits::Unsigned => parts[2].iter().map(|&word| word as i64).collect(),
        };
        for (i, row) in rows.iter().enumerate() {
            let last = i + 1 == rows.len();
            for (word, rest) in digit.iter_mut().zip(&mut rest) {
                *word = self.top().from_signed(self.next_digit(rest, last));
            }
            self.forward(&mut digit);
            self.multiply_add(&mut body, &digit, &row.b);
            self.multiply_add(&mut mask, &digit, &row.a);
        }
        let mut switched = vec![body, mask];
        for (words, part) in switched.iter_mut().zip(parts) {
            self.inverse(words);
            self.add(words, part);
            self.reduce(modulus, words);
        }
        switched
    }

    /// Takes the lowest digit off, or all that is left.
    fn next_digit(&self, rest: &mut i64, last: bool) -> i64 {
        let base = 1i64 << self.parameters().digit_bits();
        let digit = if last {
            *rest
        } else {
            match self.parameters().digits() {
                Digits::Signed => ((*rest + base / 2) & (base - 1)) - base / 2,
                Digits::Unsigned => *rest & (base - 1),
            }
        };
        *rest = (*rest - digit) >> self.parameters().digit_bits();
        digit
    }

    /// `(c - c_q)/q - k` modulo `Q_{l-1}`, for `q = q_l`.
    pub(super) fn mod_switch(&self, factor: Modulus, below: Modulus, part: &[u64]) -> Vec<u64> {
        let plain = self.parameters().plain_modulus() as i64;
        let switch = |&word: &u64| {
            let residue = factor.to_centred(factor.reduce(word));
            let remainder = -residue & (plain - 1);
            // (-p/2, p/2]: p is taken off above p/2.
            let k = remainder - (plain & ((plain / 2 - remainder) >> 63));
            let quotient = (word as i64 - residue) / factor.value() as i64;
            below.from_signed(quotient - k)
        };
        part.iter().map(switch).collect()
    }

    /// Reduces words to `[0, Q_l)`.
    pub(super) fn reduce(&self, modulus: Modulus, words: &mut [u64]) {
        if modulus != self.top() {
            words.iter_mut().for_each(|word| *word = modulus.reduce(*word));
        }
    }
}
