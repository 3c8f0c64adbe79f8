//! `Z_{2^k}[x]/(x^n + 1)`, `1 <= k <= 64`: the ring of a systolic multiplier, without a transform.
//!
//! Coefficients are words in `[0, 2^k)`. Arithmetic wraps modulo `2^64` and is masked to `k` bits,
//! which is exact because `2^k` divides `2^64`. Products use Karatsuba's method (1962) above a
//! schoolbook base: `O(n^1.585)` word products, in time that depends on `n` only.

use crate::error::{Result, RingError};

/// The largest degree.
pub const MAX_DEGREE: usize = 1 << 17;

/// Below this degree the schoolbook product is faster than Karatsuba's.
const SCHOOLBOOK: usize = 32;

/// The ring `Z_{2^k}[x]/(x^n + 1)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pow2Ring {
    degree: usize,
    bits: u32,
}

impl Pow2Ring {
    /// The ring of degree `n`, a power of two up to `2^17`, and modulus `2^k`, `1 <= k <= 64`.
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`]; [`RingError::OutOfRange`] for `k`.
    pub fn new(n: usize, k: u32) -> Result<Self> {
        if !n.is_power_of_two() || n > MAX_DEGREE {
            return Err(RingError::UnsupportedDegree { degree: n, min: 1, max: MAX_DEGREE });
        }
        if !(1..=64).contains(&k) {
            return Err(RingError::OutOfRange {
                what: "bits of a power-of-two modulus",
                value: k.to_string(),
                min: "1".to_owned(),
                max: "64".to_owned(),
            });
        }
        Ok(Self { degree: n, bits: k })
    }

    /// The degree `n`.
    #[must_use]
    pub const fn degree(self) -> usize {
        self.degree
    }

    /// The bits `k` of a coefficient.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// `2^k - 1`.
    #[must_use]
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// `out = a mod 2^k` for any words.
    ///
    /// # Panics
    /// As every method with slices: when one has not `n` words, a broken invariant of the caller.
    pub fn reduce(self, out: &mut [u64], a: &[u64]) {
        self.check(&[out, a]);
        for (o, &x) in out.iter_mut().zip(a) {
            *o = x & self.mask();
        }
    }

    /// `out = a + b`.
    ///
    /// # Panics
    /// As [`Self::reduce`].
    pub fn add(self, out: &mut [u64], a: &[u64], b: &[u64]) {
        self.check(&[out, a, b]);
        for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
            *o = x.wrapping_add(y) & self.mask();
        }
    }

    /// `out = a - b`.
    ///
    /// # Panics
    /// As [`Self::reduce`].
    pub fn sub(self, out: &mut [u64], a: &[u64], b: &[u64]) {
        self.check(&[out, a, b]);
        for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
            *o = x.wrapping_sub(y) & self.mask();
        }
    }

    /// `out = -a`.
    ///
    /// # Panics
    /// As [`Self::reduce`].
    pub fn neg(self, out: &mut [u64], a: &[u64]) {
        self.check(&[out, a]);
        for (o, &x) in out.iter_mut().zip(a) {
            *o = x.wrapping_neg() & self.mask();
        }
    }

    /// `out = a * b mod (x^n + 1)`. Inputs may be any words: only their low `k` bits matter.
    ///
    /// # Panics
    /// As [`Self::reduce`].
    pub fn mul(self, out: &mut [u64], a: &[u64], b: &[u64]) {
        self.check(&[out, a, b]);
        let n = self.degree;
        let mut product = vec![0; 2 * n];
        let mut scratch = vec![0; 4 * n];
        multiply(&mut product, a, b, &mut scratch);
        let (low, high) = product.split_at(n);
        for ((o, &x), &y) in out.iter_mut().zip(low).zip(high) {
            *o = x.wrapping_sub(y) & self.mask();
        }
    }

    fn check(self, operands: &[&[u64]]) {
        for operand in operands {
            assert_eq!(operand.len(), self.degree, "words in an operand of a ring operation");
        }
    }
}

/// `out = a * b` modulo `2^64`: `m` words each in `a` and `b`, a power of two, `2m` in `out` (the
/// last is 0), `4m` in `scratch`.
fn multiply(out: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    let m = a.len();
    if m <= SCHOOLBOOK {
        out.fill(0);
        for (i, &x) in a.iter().enumerate() {
            for (o, &y) in out[i..i + m].iter_mut().zip(b) {
                *o = o.wrapping_add(x.wrapping_mul(y));
            }
        }
        return;
    }
    let half = m / 2;
    let ((a0, a1), (b0, b1)) = (a.split_at(half), b.split_at(half));
    multiply(&mut out[..m], a0, b0, scratch);
    multiply(&mut out[m..], a1, b1, scratch);

    let (sums, rest) = scratch.split_at_mut(m);
    let (middle, rest) = rest.split_at_mut(m);
    let (a_sum, b_sum) = sums.split_at_mut(half);
    for ((s, &x), &y) in a_sum.iter_mut().zip(a0).zip(a1) {
        *s = x.wrapping_add(y);
    }
    for ((s, &x), &y) in b_sum.iter_mut().zip(b0).zip(b1) {
        *s = x.wrapping_add(y);
    }
    // rest holds 2m words: four times the half that the inner product needs.
    multiply(middle, a_sum, b_sum, rest);
    for ((s, &x), &y) in middle.iter_mut().zip(&out[..m]).zip(&out[m..]) {
        *s = s.wrapping_sub(x).wrapping_sub(y);
    }
    for (o, &s) in out[half..half + m].iter_mut().zip(&*middle) {
        *o = o.wrapping_add(s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, on double words modulo `2^k`.
    fn slow(ring: Pow2Ring, a: &[u64], b: &[u64]) -> Vec<u64> {
        let (n, modulus) = (ring.degree(), 1u128 << ring.bits());
        let mut out = vec![0u128; n];
        for i in 0..n {
            for j in 0..n {
                let (x, y) = (u128::from(a[i]) % modulus, u128::from(b[j]) % modulus);
                let term = x.wrapping_mul(y) % modulus;
                let term = if i + j < n { term } else { modulus - term };
                out[(i + j) % n] = (out[(i + j) % n] + term) % modulus;
            }
        }
        out.into_iter().map(|x| x as u64).collect()
    }

    fn words(seed: u64, n: usize) -> Vec<u64> {
        let mut x = seed;
        let mut next = || {
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            x ^ (x >> 31)
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn refuses_bad_shapes() {
        assert!(matches!(Pow2Ring::new(24, 8), Err(RingError::UnsupportedDegree { .. })));
        assert!(matches!(Pow2Ring::new(0, 8), Err(RingError::UnsupportedDegree { .. })));
        assert!(matches!(Pow2Ring::new(1 << 18, 8), Err(RingError::UnsupportedDegree { .. })));
        assert!(matches!(Pow2Ring::new(8, 0), Err(RingError::OutOfRange { .. })));
        assert!(matches!(Pow2Ring::new(8, 65), Err(RingError::OutOfRange { .. })));
        assert_eq!(Pow2Ring::new(8, 64).unwrap().mask(), u64::MAX);
        assert_eq!(Pow2Ring::new(8, 1).unwrap().mask(), 1);
    }

    #[test]
    fn x_to_the_n_is_minus_one() {
        let ring = Pow2Ring::new(4, 10).unwrap();
        let mut out = [0; 4];
        ring.mul(&mut out, &[0, 0, 0, 3], &[0, 5, 0, 1]);
        // 3 x^3 (5 x + x^3) = 15 x^4 + 3 x^6 = -15 - 3 x^2.
        assert_eq!(out, [1024 - 15, 0, 1024 - 3, 0]);
    }

    #[test]
    fn products_equal_the_definition_at_every_degree_to_4096() {
        for log_n in 0..=12 {
            for k in if log_n < 10 { vec![1, 13, 32, 63, 64] } else { vec![40] } {
                let ring = Pow2Ring::new(1 << log_n, k).unwrap();
                let (a, b) = (words(1, 1 << log_n), words(2, 1 << log_n));
                let mut out = vec![0; 1 << log_n];
                ring.mul(&mut out, &a, &b);
                assert!(out == slow(ring, &a, &b), "n = 2^{log_n}, k = {k}");
            }
        }
    }

    #[test]
    fn the_largest_coefficients_wrap() {
        for k in [1, 31, 64] {
            let ring = Pow2Ring::new(128, k).unwrap();
            let a = vec![ring.mask(); 128];
            let mut out = vec![0; 128];
            ring.mul(&mut out, &a, &a);
            assert_eq!(out, slow(ring, &a, &a));
        }
    }

    proptest! {
        #[test]
        fn sums_follow_wide_integers(k in 1u32..=64, x: [u64; 4], y: [u64; 4]) {
            let ring = Pow2Ring::new(4, k).unwrap();
            let modulus = 1u128 << k;
            let (mut a, mut b, mut out) = ([0; 4], [0; 4], [0; 4]);
            ring.reduce(&mut a, &x);
            ring.reduce(&mut b, &y);
            ring.add(&mut out, &a, &b);
            for i in 0..4 {
                prop_assert_eq!(u128::from(a[i]), u128::from(x[i]) % modulus);
                prop_assert_eq!(u128::from(out[i]), (u128::from(a[i]) + u128::from(b[i])) % modulus);
            }
            ring.sub(&mut out, &a, &b);
            for i in 0..4 {
                let expected = (u128::from(a[i]) + modulus - u128::from(b[i])) % modulus;
                prop_assert_eq!(u128::from(out[i]), expected);
            }
            ring.neg(&mut out, &a);
            for i in 0..4 {
                prop_assert_eq!(u128::from(out[i]), (modulus - u128::from(a[i])) % modulus);
            }
        }

        #[test]
        fn products_distribute(log_n in 0u32..8, k in 1u32..=64, seed: u64) {
            let n = 1usize << log_n;
            let ring = Pow2Ring::new(n, k).unwrap();
            let [a, b, c] = [0, 1, 2].map(|i| words(seed ^ i, n));
            let product = |x: &[u64], y: &[u64]| {
                let mut out = vec![0; n];
                ring.mul(&mut out, x, y);
                out
            };
            let (mut sum, mut apart) = (vec![0; n], vec![0; n]);
            ring.add(&mut sum, &b, &c);
            ring.add(&mut apart, &product(&a, &b), &product(&a, &c));
            prop_assert_eq!(product(&a, &sum), apart);
        }
    }
}
