//! `round(Q m / t)` in RNS, without a division that depends on the message.

use cyclotron_ring::Modulus;
use cyclotron_ring::rns::RnsBasis;

/// Constants of the map `m -> round(Q m / t)`.
///
/// With `Q = D t + R`, it is `D m + floor((R m + floor(t/2)) / t)`, and the quotient is below
/// `t`, so one word holds it.
#[derive(Debug)]
pub struct Embedding {
    t: Modulus,
    /// `R = Q mod t`.
    remainder: u64,
    /// `t = 2^twos * odd`; the inverse of `odd` modulo `2^64` divides exactly.
    twos: u32,
    odd_inverse: u64,
    /// For each prime of `Q`: `D mod q` and its Shoup constant.
    quotients: Vec<(Modulus, u64, u64)>,
}

impl Embedding {
    /// Constants for a basis.
    #[must_use]
    pub fn new(basis: &RnsBasis, t: Modulus) -> Self {
        let quotient = basis.product() / t.value();
        let quotients = basis.moduli().iter().map(|&q| {
            let digits = (&quotient % q.value()).iter_u64_digits().next().unwrap_or(0);
            (q, digits, q.shoup(digits))
        });
        let twos = t.value().trailing_zeros();
        let odd = t.value() >> twos;
        // Newton's iteration: 3 correct bits, then 6, 12, 24, 48, 96.
        let mut odd_inverse = odd.wrapping_mul(3) ^ 2;
        for _ in 0..5 {
            let error = 2u64.wrapping_sub(odd.wrapping_mul(odd_inverse));
            odd_inverse = odd_inverse.wrapping_mul(error);
        }
        Self {
            t,
            remainder: basis.product_mod(t),
            twos,
            odd_inverse,
            quotients: quotients.collect(),
        }
    }

    /// The embedded coefficients, `[limb][coefficient]`.
    #[must_use]
    pub fn apply(&self, message: &[u64]) -> Vec<u64> {
        let half = u128::from(self.t.value() / 2);
        let rounded: Vec<u64> = message
            .iter()
            .map(|&m| {
                let x = u128::from(self.remainder) * u128::from(m) + half;
                let multiple = x - u128::from(self.t.reduce_u128(x));
                ((multiple >> self.twos) as u64).wrapping_mul(self.odd_inverse)
            })
            .collect();
        let mut out = Vec::with_capacity(message.len() * self.quotients.len());
        for &(q, quotient, shoup) in &self.quotients {
            out.extend(
                message
                    .iter()
                    .zip(&rounded)
                    .map(|(&m, &r)| q.add(q.mul_shoup(m, quotient, shoup), q.reduce(r))),
            );
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyclotron_ring::primes::primes_below;
    use num_bigint::BigInt;

    #[test]
    fn equals_exact_rounding() {
        let moduli = primes_below(40, 16, 3, &[]).unwrap();
        let moduli: Vec<Modulus> = moduli.into_iter().map(|q| Modulus::new(q).unwrap()).collect();
        let basis = RnsBasis::new(&moduli).unwrap();
        for t in [2u64, 3, 16, 65_537, 1 << 40, 3 << 57, (1 << 60) - 93] {
            let embedding = Embedding::new(&basis, Modulus::new(t).unwrap());
            let message = [0, 1, t / 2, t.div_ceil(2), t - 1, t / 3];
            let embedded = embedding.apply(&message);
            for (i, &m) in message.iter().enumerate() {
                let q = BigInt::from(basis.product().clone());
                let exact: BigInt = (q * m * 2u32 + t) / (BigInt::from(t) * 2u32);
                let column: Vec<u64> =
                    (0..3).map(|limb| embedded[limb * message.len() + i]).collect();
                assert_eq!(column, basis.residues(&exact), "t = {t}, m = {m}");
            }
        }
    }
}
