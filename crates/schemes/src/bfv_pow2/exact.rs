//! Integer products of polynomials, exactly, delivered modulo `2^128`.
//!
//! A product of ciphertexts modulo `q = 2^k` is scaled by `t/q` before it is reduced, and a
//! relinearisation by `1/p`: both need the bits above `q`, so the product is taken over the
//! integers. As divisors are powers of two, `(t/q) x mod q` is a field of bits of `x` below
//! `2^(2 log_q - log_t) <= 2^128`, so words of 128 bits that wrap around are enough at the end.
//!
//! Coefficients (of magnitude below `2^139`) are held as residues modulo up to three 60-bit primes,
//! and recomposed in mixed radix (Garner, 1959). Below degree 64 the definition itself, in
//! wrapping 128-bit words, is faster.
//!
//! The time does not depend on the values.

use cyclotron_ring::ntt::NttTable;
use cyclotron_ring::primes::primes_below;
use cyclotron_ring::{Modulus, RingError, SimdLevel};
use zeroize::Zeroize;

/// Below this degree the schoolbook product is used.
const MIN_TRANSFORM: usize = 64;

/// Bits of the primes.
const PRIME_BITS: u32 = 60;

/// Bits that a prime contributes for certain: those found are above `2^59.9`.
const CERTAIN_BITS: f64 = 59.9;

/// Primes at most.
const MAX_PRIMES: usize = 3;

/// Tables for one degree.
#[derive(Debug)]
pub struct ExactMultiplier {
    degree: usize,
    simd: SimdLevel,
    /// Empty below [`MIN_TRANSFORM`].
    tables: Vec<NttTable>,
    /// `bases[k]` serves products of `k + 1` primes.
    bases: Vec<Base>,
}

/// Constants of recomposition from the first primes.
#[derive(Debug)]
struct Base {
    /// `(p_j^-1 mod p_i)` at `[i][j]`, `j < i`, with Shoup constants.
    inverses: Vec<Vec<(u64, u64)>>,
    /// `floor(P/2)` modulo each prime, and modulo `2^128`.
    half: Vec<u64>,
    half_wide: u128,
    /// `p_0 ... p_(i-1)` modulo `2^128`.
    weights: Vec<u128>,
}

/// A polynomial ready for products; wiped when dropped, as it may be a secret.
pub enum Transformed {
    /// The coefficients themselves, modulo `2^128`.
    Direct(Vec<u128>),
    /// Values modulo each prime.
    Values(Vec<Vec<u64>>),
}

impl Drop for Transformed {
    fn drop(&mut self) {
        match self {
            Self::Direct(words) => words.zeroize(),
            Self::Values(limbs) => limbs.zeroize(),
        }
    }
}

impl std::fmt::Debug for Transformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Transformed(..)")
    }
}

impl ExactMultiplier {
    /// Tables for degree `n`, a power of two, at most that of transforms.
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`]; [`RingError::SimdUnavailable`] for a forced level that
    /// the machine has not.
    pub fn new(n: usize) -> Result<Self, RingError> {
        let simd = SimdLevel::from_environment()?;
        if n < MIN_TRANSFORM {
            return Ok(Self { degree: n, simd, tables: Vec::new(), bases: Vec::new() });
        }
        let primes = primes_below(PRIME_BITS, 2 * n as u64, MAX_PRIMES, &[])?;
        let moduli = primes.into_iter().map(Modulus::new).collect::<Result<Vec<_>, _>>()?;
        let tables = moduli.iter().map(|&q| NttTable::new(n, q)).collect::<Result<_, _>>()?;
        let bases =
            (1..=MAX_PRIMES).map(|count| Base::new(&moduli[..count])).collect::<Result<_, _>>()?;
        Ok(Self { degree: n, simd, tables, bases })
    }

    /// How many primes hold coefficients of magnitude up to `2^bits`; at most 178 bits.
    #[must_use]
    pub fn primes_for(bits: f64) -> usize {
        (((bits + 1.0) / CERTAIN_BITS).ceil() as usize).clamp(1, MAX_PRIMES)
    }

    /// Transforms `n` signed coefficients for products held by `primes` primes.
    #[must_use]
    pub fn transform(&self, coefficients: &[i64], primes: usize) -> Transformed {
        debug_assert_eq!(coefficients.len(), self.degree);
        if self.tables.is_empty() {
            let wide = coefficients.iter().map(|&x| i128::from(x) as u128);
            return Transformed::Direct(wide.collect());
        }
        let limb = |table: &NttTable| {
            let q = table.modulus();
            let mut values: Vec<u64> = coefficients.iter().map(|&x| q.from_signed(x)).collect();
            table.forward(self.simd, &mut values);
            values
        };
        Transformed::Values(self.tables.iter().take(primes).map(limb).collect())
    }

    /// `sum a b` over pairs transformed for equally many primes, modulo `2^128`: exact as long as
    /// the sum's coefficients are below half of the product of the primes.
    #[must_use]
    pub fn sum_of_products(&self, pairs: &[(&Transformed, &Transformed)]) -> Vec<u128> {
        let mut direct = vec![0u128; self.degree];
        let mut limbs: Vec<Vec<u64>> = Vec::new();
        for pair in pairs {
            match pair {
                (Transformed::Direct(a), Transformed::Direct(b)) => add_product(&mut direct, a, b),
                (Transformed::Values(a), Transformed::Values(b)) => {
                    limbs.resize_with(a.len(), || vec![0; self.degree]);
                    for ((sum, table), (a, b)) in
                        limbs.iter_mut().zip(&self.tables).zip(a.iter().zip(b))
                    {
                        cyclotron_ring::kernels::mul_add_assign(
                            self.simd,
                            table.modulus(),
                            sum,
                            a,
                            b,
                        );
                    }
                }
                // Both come from this multiplier.
                _ => debug_assert!(false, "operands of different multipliers"),
            }
        }
        if !limbs.is_empty() {
            for (limb, table) in limbs.iter_mut().zip(&self.tables) {
                table.inverse(self.simd, limb);
            }
            self.recompose(&limbs, &mut direct);
            limbs.zeroize();
        }
        direct
    }

    /// The centred integers with these residues, modulo `2^128`.
    fn recompose(&self, limbs: &[Vec<u64>], out: &mut [u128]) {
        let base = &self.bases[limbs.len() - 1];
        let mut digits = [0u64; MAX_PRIMES];
        for (place, out) in out.iter_mut().enumerate() {
            // x + P/2 is in [0, P), so that its digits give it without a comparison.
            let mut wide = 0u128;
            for (i, (limb, table)) in limbs.iter().zip(&self.tables).enumerate() {
                let q = table.modulus();
                let mut digit = q.add(limb[place], base.half[i]);
                for (&previous, &(inverse, shoup)) in digits.iter().zip(&base.inverses[i]) {
                    digit = q.mul_shoup(q.sub(digit, q.reduce(previous)), inverse, shoup);
                }
                digits[i] = digit;
                wide = wide.wrapping_add(base.weights[i].wrapping_mul(digit.into()));
            }
            *out = wide.wrapping_sub(base.half_wide);
        }
        digits.zeroize();
    }
}

impl Base {
    fn new(moduli: &[Modulus]) -> Result<Self, RingError> {
        let product: num_bigint::BigUint = moduli.iter().map(|q| q.value()).product();
        let half = product >> 1u32;
        let mut weights = vec![1u128];
        for q in moduli {
            let last = weights[weights.len() - 1];
            weights.push(last.wrapping_mul(q.value().into()));
        }
        let inverses = moduli.iter().enumerate().map(|(i, q)| {
            let earlier = moduli[..i].iter().map(|p| {
                let inverse = q.inv(p.value())?;
                Ok((inverse, q.shoup(inverse)))
            });
            earlier.collect::<Result<Vec<_>, RingError>>()
        });
        let low = |x: &num_bigint::BigUint| x.iter_u64_digits().next().unwrap_or(0);
        let mut words = half.iter_u64_digits();
        let mut word = || u128::from(words.next().unwrap_or(0));
        Ok(Self {
            inverses: inverses.collect::<Result<_, _>>()?,
            half_wide: word() | (word() << 64),
            half: moduli.iter().map(|q| low(&(&half % q.value()))).collect(),
            weights,
        })
    }
}

/// `sum += a b` in `Z_{2^128}[x]/(x^n + 1)`, by the definition.
fn add_product(sum: &mut [u128], a: &[u128], b: &[u128]) {
    let n = sum.len();
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let term = x.wrapping_mul(y);
            let place = &mut sum[(i + j) % n];
            *place = if i + j < n { place.wrapping_add(term) } else { place.wrapping_sub(term) };
        }
    }
}

/// A word modulo `2^bits` as the signed number nearest to zero.
#[must_use]
pub const fn centred(word: u64, bits: u32) -> i64 {
    ((word << (64 - bits)) as i64) >> (64 - bits)
}

/// `x = low + 2^64 high (mod 2^128)` with both halves signed.
#[must_use]
pub const fn signed_halves(x: u128) -> (i64, i64) {
    let low = x as i64;
    (low, (x.wrapping_sub(low as i128 as u128) >> 64) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use num_traits::Zero;
    use proptest::prelude::*;

    /// The definition on big integers, modulo `2^128`.
    fn slow(pairs: &[(Vec<i64>, Vec<i64>)]) -> Vec<u128> {
        let n = pairs[0].0.len();
        let mut sum = vec![BigInt::zero(); n];
        for (a, b) in pairs {
            for (i, &x) in a.iter().enumerate() {
                for (j, &y) in b.iter().enumerate() {
                    let term = BigInt::from(x) * y;
                    let place = (i + j) % n;
                    sum[place] += if i + j < n { term } else { -term };
                }
            }
        }
        let modulus = BigInt::from(1) << 128u32;
        sum.into_iter()
            .map(|x| {
                let reduced: BigInt = ((x % &modulus) + &modulus) % &modulus;
                u128::try_from(reduced).unwrap()
            })
            .collect()
    }

    fn fast(
        multiplier: &ExactMultiplier,
        pairs: &[(Vec<i64>, Vec<i64>)],
        count: usize,
    ) -> Vec<u128> {
        let ready: Vec<_> = pairs
            .iter()
            .map(|(a, b)| (multiplier.transform(a, count), multiplier.transform(b, count)))
            .collect();
        let pairs: Vec<_> = ready.iter().map(|(a, b)| (a, b)).collect();
        multiplier.sum_of_products(&pairs)
    }

    /// The largest sums that a ciphertext product has, and both signs.
    #[test]
    fn extremes_are_exact() {
        for n in [4, 32, 64, 256] {
            let multiplier = ExactMultiplier::new(n).unwrap();
            let bits = 127.0 + f64::from(n.ilog2());
            let count = ExactMultiplier::primes_for(bits);
            assert_eq!(count, 3);
            for (x, y) in [(i64::MIN, i64::MIN), (i64::MIN, i64::MAX), (i64::MAX, i64::MAX)] {
                let pair = (vec![x; n], vec![y; n]);
                let pairs = [pair.clone(), pair];
                assert_eq!(fast(&multiplier, &pairs, count), slow(&pairs), "{n}");
            }
        }
        assert!(ExactMultiplier::new(1 << 18).is_err());
    }

    #[test]
    fn the_primes_are_as_wide_as_promised() {
        for n in [64, 1024, 1 << 15] {
            for table in ExactMultiplier::new(n).unwrap().tables {
                assert!((table.modulus().value() as f64).log2() > CERTAIN_BITS);
            }
        }
        // The largest ciphertext product: n = 2^15, q = 2^64, two terms.
        const { assert!(127.0 + 15.0 + 1.0 < 3.0 * CERTAIN_BITS) };
        assert_eq!(
            [10.0, 58.0, 59.5, 118.7, 119.0].map(ExactMultiplier::primes_for),
            [1, 1, 2, 2, 3]
        );
    }

    proptest! {
        #[test]
        fn products_equal_the_definition(
            log_n in 2u32..8, bits in 1u32..=64, terms in 1usize..3, seed: u64,
        ) {
            let n = 1usize << log_n;
            let mut state = seed;
            let mut word = || {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                centred(state ^ (state >> 29), bits)
            };
            let mut poly = || (0..n).map(|_| word()).collect::<Vec<i64>>();
            let pairs: Vec<_> = (0..terms).map(|_| (poly(), poly())).collect();
            let multiplier = ExactMultiplier::new(n).unwrap();
            let count = ExactMultiplier::primes_for(f64::from(2 * bits - 1 + log_n));
            prop_assert_eq!(fast(&multiplier, &pairs, count), slow(&pairs));
        }

        #[test]
        fn halves_and_centres(x: u128, word: u64, bits in 1u32..=64) {
            let (low, high) = signed_halves(x);
            let back = (i128::from(high) as u128).wrapping_shl(64);
            prop_assert_eq!(back.wrapping_add(i128::from(low) as u128), x);
            let near = i128::from(centred(word, bits));
            let (unit, half) = (1i128 << bits, 1i128 << (bits - 1));
            prop_assert!((-half..half).contains(&near));
            prop_assert_eq!((i128::from(word) - near) % unit, 0);
        }
    }
}
