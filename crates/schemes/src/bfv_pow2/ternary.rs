//! Products of `Z_{2^k}[x]/(x^n + 1)` by ternary polynomials, exactly.
//!
//! The systolic array of the device adds and subtracts; a processor is faster with a transform.
//! There is none modulo `2^k`, but the product of a 32-bit limb by a ternary polynomial has integer
//! coefficients of magnitude at most `n 2^32`. So
//!
//! ```text
//! a u = sum_l 2^(32 l) (a_l u),   a = sum_l 2^(32 l) a_l,
//! ```
//!
//! each `a_l u` taken over the integers and added up modulo `2^k`:
//!
//! | degree | how |
//! |---|---|
//! | below 64 | the definition, modulo `2^k` |
//! | 64 to 4096 | Fourier transform in double precision, whose rounding is provably exact ([`super::fourier`]); `-2^31 <= a_l < 2^31` |
//! | above, to 2^15 | transform modulo a prime `2^49 < p < 2^50`, so that `n 2^32 < p/2`; `0 <= a_l < 2^32` |
//!
//! Ternary operands are secret: no branch, index or division depends on them.

use super::device::DeviceResult;
use super::fourier::{self, Fourier};
use cyclotron_ring::ntt::NttTable;
use cyclotron_ring::pow2::Pow2Ring;
use cyclotron_ring::primes::primes_below;
use cyclotron_ring::sample::{SmallPoly, small};
use cyclotron_ring::{Modulus, RingError, SimdLevel};
use zeroize::{Zeroize, Zeroizing};

/// The largest degree for which products are exact, with a bit to spare.
pub const MAX_DEGREE: usize = 1 << 15;

/// Bits of the prime.
const PRIME_BITS: u32 = 50;

/// Bits of a limb.
const LIMB_BITS: u32 = 32;

/// The ring and its tables, made once and shared.
#[derive(Debug, Clone)]
pub struct TernaryRing {
    ring: Pow2Ring,
    method: Method,
    simd: SimdLevel,
    limbs: u32,
}

#[derive(Debug, Clone)]
enum Method {
    Direct,
    Fourier(Fourier),
    Prime(NttTable),
}

/// A public operand, transformed: the public key of many encryptions.
#[derive(Debug, Clone)]
pub struct PreparedWide {
    /// One a limb; without transform the words themselves and no constants.
    limbs: Vec<Factors>,
}

/// Values and their Shoup constants.
#[derive(Debug, Clone, Default)]
struct Factors {
    values: Vec<u64>,
    shoup: Vec<u64>,
}

/// A ternary operand, transformed: the secret key of many decryptions. Wiped when dropped.
pub struct PreparedSmall(Factors);

impl std::fmt::Debug for PreparedSmall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PreparedSmall({} coefficients)", self.0.values.len())
    }
}

impl Drop for PreparedSmall {
    fn drop(&mut self) {
        self.0.values.zeroize();
        self.0.shoup.zeroize();
    }
}

impl TernaryRing {
    /// The ring of degree `n`, a power of two up to [`MAX_DEGREE`], modulo `2^log_q`.
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`]; [`RingError::OutOfRange`] for `log_q` outside `[1, 64]`;
    /// [`RingError::SimdUnavailable`] for a forced level that the machine has not.
    pub fn new(n: usize, log_q: u32) -> Result<Self, RingError> {
        let ring = Pow2Ring::new(n, log_q)?;
        if n > MAX_DEGREE {
            return Err(RingError::UnsupportedDegree { degree: n, min: 1, max: MAX_DEGREE });
        }
        let simd = SimdLevel::from_environment()?;
        let method = if n < fourier::MIN_DEGREE {
            Method::Direct
        } else if let Some(fourier) = Fourier::new(n, simd) {
            Method::Fourier(fourier)
        } else {
            Method::Prime(Self::prime(n)?)
        };
        Ok(Self { ring, method, simd, limbs: log_q.div_ceil(LIMB_BITS) })
    }

    fn prime(n: usize) -> Result<NttTable, RingError> {
        let prime = primes_below(PRIME_BITS, 2 * n as u64, 1, &[])?[0];
        NttTable::new(n, Modulus::new(prime)?)
    }

    /// The ring.
    #[must_use]
    pub const fn ring(&self) -> Pow2Ring {
        self.ring
    }

    /// The vector instructions in use.
    #[must_use]
    pub const fn simd(&self) -> SimdLevel {
        self.simd
    }

    /// Words of scratch that products take: two polynomials.
    #[must_use]
    pub const fn work_words(&self) -> usize {
        2 * self.ring.degree()
    }

    /// Prepares a public operand of `n` words in `[0, 2^log_q)`.
    #[must_use]
    pub fn prepare_wide(&self, words: &[u64]) -> PreparedWide {
        let prepare = |l: u32| match &self.method {
            Method::Direct => Factors { values: words.to_vec(), shoup: Vec::new() },
            Method::Fourier(fourier) => {
                let mut work: Vec<u64> =
                    words.iter().map(|&word| fourier::from_small(signed_limb(word, l))).collect();
                let mut values = vec![0; work.len()];
                fourier.forward(&mut work, &mut values);
                fourier.scale(&mut values);
                Factors { values, shoup: Vec::new() }
            }
            Method::Prime(table) => {
                let mut values: Vec<u64> = words.iter().map(|&word| limb_of(word, l)).collect();
                table.forward(self.simd, &mut values);
                constants(table.modulus(), values)
            }
        };
        let limbs = if matches!(self.method, Method::Direct) { 1 } else { self.limbs };
        PreparedWide { limbs: (0..limbs).map(prepare).collect() }
    }

    /// Prepares a ternary operand.
    ///
    /// # Errors
    /// [`RingError::LengthMismatch`].
    pub fn prepare_small(&self, small: &SmallPoly) -> Result<PreparedSmall, RingError> {
        // Owned by what wipes it from the start.
        let values = vec![0; self.ring.degree()];
        let mut prepared = PreparedSmall(Factors { values, shoup: Vec::new() });
        let mut work = Zeroizing::new(vec![0; self.work_words()]);
        self.transform_small(small.as_slice(), &mut work, &mut prepared.0.values)?;
        match &self.method {
            Method::Direct => {}
            Method::Fourier(fourier) => fourier.scale(&mut prepared.0.values),
            Method::Prime(table) => {
                let modulus = table.modulus();
                prepared.0.shoup = prepared.0.values.iter().map(|&w| shoup(modulus, w)).collect();
            }
        }
        Ok(prepared)
    }

    /// Takes ternary coefficients to the form that [`Self::multiply_wide`] reads, `n` words.
    /// `work` holds [`Self::work_words`], and the caller wipes it.
    ///
    /// # Errors
    /// [`RingError::LengthMismatch`].
    pub fn transform_small(
        &self,
        small: &[i32],
        work: &mut [u64],
        values: &mut [u64],
    ) -> Result<(), RingError> {
        let n = self.ring.degree();
        check_length(small.len(), n)?;
        check_length(values.len(), n)?;
        check_length(work.len(), self.work_words())?;
        match &self.method {
            Method::Direct => {
                let lifted = small.iter().map(|&x| i64::from(x) as u64);
                values.iter_mut().zip(lifted).for_each(|(value, x)| *value = x);
            }
            Method::Fourier(fourier) => {
                let work = &mut work[..n];
                work.iter_mut().zip(small).for_each(|(w, &x)| *w = fourier::from_small(x));
                fourier.forward(work, values);
            }
            Method::Prime(table) => {
                small::to_residues(table.modulus(), small, values)?;
                table.forward(self.simd, values);
            }
        }
        Ok(())
    }

    /// `out = wide * small` modulo `2^64` at least to the bits of `log_q`; what is above them is
    /// not cleared. `values` comes from [`Self::transform_small`]; `work` holds
    /// [`Self::work_words`], and the caller wipes it.
    pub fn multiply_wide(
        &self,
        wide: &PreparedWide,
        values: &[u64],
        work: &mut [u64],
        out: &mut [u64],
    ) {
        let (work, spare) = work.split_at_mut(self.ring.degree());
        for (l, limb) in (0u32..).zip(&wide.limbs) {
            match &self.method {
                Method::Direct => self.ring.mul(out, &limb.values, values),
                Method::Fourier(fourier) => {
                    fourier.multiply(&limb.values, values, work);
                    fourier.inverse(work, spare);
                    accumulate(l, spare, out, fourier::nearest);
                }
                Method::Prime(table) => {
                    pointwise(table.modulus(), limb, values, work);
                    table.inverse(self.simd, work);
                    accumulate(l, work, out, centred(table.modulus()));
                }
            }
        }
    }

    /// `out = words * small`, as [`Self::multiply_wide`]; `words` are `n` in `[0, 2^log_q)`.
    pub fn multiply_small(
        &self,
        words: &[u64],
        small: &PreparedSmall,
        work: &mut [u64],
        out: &mut [u64],
    ) {
        let (work, spare) = work.split_at_mut(self.ring.degree());
        if matches!(self.method, Method::Direct) {
            self.ring.mul(out, words, &small.0.values);
            return;
        }
        for l in 0..self.limbs {
            match &self.method {
                Method::Direct => {}
                Method::Fourier(fourier) => {
                    for (limb, &word) in work.iter_mut().zip(words) {
                        *limb = fourier::from_small(signed_limb(word, l));
                    }
                    fourier.forward(work, spare);
                    fourier.multiply(spare, &small.0.values, work);
                    fourier.inverse(work, spare);
                    accumulate(l, spare, out, fourier::nearest);
                }
                Method::Prime(table) => {
                    for (limb, &word) in work.iter_mut().zip(words) {
                        *limb = limb_of(word, l);
                    }
                    table.forward(self.simd, work);
                    pointwise(table.modulus(), &small.0, work, spare);
                    table.inverse(self.simd, spare);
                    accumulate(l, spare, out, centred(table.modulus()));
                }
            }
        }
    }

    /// `out = words * small mod 2^log_q`, with its own scratch, which is wiped: for keys.
    ///
    /// # Errors
    /// [`RingError::LengthMismatch`] never for operands of `n` coefficients.
    pub fn product(&self, words: &[u64], small: &PreparedSmall) -> DeviceResult<Vec<u64>> {
        let n = self.ring.degree();
        check_length(words.len(), n)?;
        let (mut work, mut out) = (Zeroizing::new(vec![0; self.work_words()]), vec![0; n]);
        self.multiply_small(words, small, &mut work, &mut out);
        let mask = self.ring.mask();
        out.iter_mut().for_each(|word| *word &= mask);
        Ok(out)
    }
}

fn check_length(found: usize, expected: usize) -> Result<(), RingError> {
    if found == expected {
        return Ok(());
    }
    Err(RingError::LengthMismatch { what: "operand of a ternary product", found, expected })
}

/// Bits `32 l .. 32 l + 31`.
#[inline(always)]
const fn limb_of(word: u64, l: u32) -> u64 {
    (word >> (LIMB_BITS * l)) & (u32::MAX as u64)
}

/// The limbs of `word = sum_l 2^(32 l) limb_l (mod 2^64)`, each nearest to zero.
#[inline(always)]
const fn signed_limb(word: u64, l: u32) -> i32 {
    let low = word as i32;
    if l == 0 { low } else { (word.wrapping_sub(low as i64 as u64) >> LIMB_BITS) as i32 }
}

fn constants(modulus: Modulus, values: Vec<u64>) -> Factors {
    let shoup = values.iter().map(|&w| shoup(modulus, w)).collect();
    Factors { values, shoup }
}

/// `floor(w 2^64 / p)`, as [`Modulus::shoup`], without its division, whose time depends on `w`.
fn shoup(modulus: Modulus, w: u64) -> u64 {
    let (high, low) = modulus.barrett();
    // w floor(2^128 / p) / 2^64 is short of w 2^64 / p by less than 2^-14, and its floor by one.
    let estimate =
        w.wrapping_mul(high).wrapping_add(((u128::from(w) * u128::from(low)) >> 64) as u64);
    let remainder = 0u64.wrapping_sub(estimate.wrapping_mul(modulus.value()));
    let below = remainder.wrapping_sub(modulus.value()) >> 63;
    estimate + 1 - below
}

fn pointwise(modulus: Modulus, factors: &Factors, values: &[u64], out: &mut [u64]) {
    let factors = factors.values.iter().zip(&factors.shoup);
    for ((o, &x), (&w, &w_shoup)) in out.iter_mut().zip(values).zip(factors) {
        *o = modulus.mul_shoup(x, w, w_shoup);
    }
}

/// The number nearest to zero with a residue, modulo `2^64`.
fn centred(modulus: Modulus) -> impl Fn(u64) -> u64 {
    let p = modulus.value();
    let half = p / 2;
    // All ones above p/2: the difference is negative there.
    move |x: u64| x.wrapping_sub(p & ((half.wrapping_sub(x) as i64) >> 63) as u64)
}

/// `out += 2^(32 l) lift(products)`; for `l = 0`, `out = lift(products)`.
#[inline(always)]
fn accumulate(l: u32, products: &[u64], out: &mut [u64], lift: impl Fn(u64) -> u64) {
    if l == 0 {
        out.iter_mut().zip(products).for_each(|(o, &x)| *o = lift(x));
    } else {
        let shift = LIMB_BITS * l;
        for (o, &x) in out.iter_mut().zip(products) {
            *o = o.wrapping_add(lift(x) << shift);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyclotron_ring::sample::{SecretRng, SecretSeed};
    use proptest::prelude::*;

    fn rng(seed: u64) -> SecretRng {
        let mut bytes = [1; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        SecretRng::from_seed(SecretSeed::new(bytes))
    }

    /// Both ways of multiplying are those of the ring.
    fn check(n: usize, log_q: u32, words: &[u64], small: &SmallPoly) {
        let ternary = TernaryRing::new(n, log_q).unwrap();
        let ring = ternary.ring();
        let lifted: Vec<u64> = small.as_slice().iter().map(|&x| i64::from(x) as u64).collect();
        let mut expected = vec![0; n];
        ring.mul(&mut expected, words, &lifted);

        let prepared = ternary.prepare_small(small).unwrap();
        assert_eq!(ternary.product(words, &prepared).unwrap(), expected, "{n} {log_q}");
        let wide = ternary.prepare_wide(words);
        let (mut values, mut work, mut out) = (vec![7; n], vec![7; 2 * n], vec![7; n]);
        ternary.transform_small(small.as_slice(), &mut work, &mut values).unwrap();
        ternary.multiply_wide(&wide, &values, &mut work, &mut out);
        out.iter_mut().for_each(|word| *word &= ring.mask());
        assert_eq!(out, expected, "{n} {log_q}");
    }

    /// The largest coefficients that can be: every limb full, no cancellation.
    #[test]
    fn extremes_are_exact_at_every_degree() {
        for log_n in 0..=15 {
            let n = 1usize << log_n;
            for log_q in [1, 31, 32, 33, 63, 64] {
                if log_n > 12 && log_q != 64 {
                    continue;
                }
                let mask = u64::MAX >> (64 - log_q);
                let middle = 1u64.rotate_left(31) | 1u64.rotate_left(63);
                for word in
                    [mask, middle & mask, (middle - 1) & mask, middle.wrapping_sub(1 << 32) & mask]
                {
                    for sign in [1, -1] {
                        let small = SmallPoly::from_coefficients(vec![sign; n]);
                        check(n, log_q, &vec![word; n], &small);
                    }
                }
            }
        }
        assert!(TernaryRing::new(MAX_DEGREE * 2, 32).is_err());
        assert!(TernaryRing::new(1024, 65).is_err());
        assert!(TernaryRing::new(1000, 32).is_err());
    }

    #[test]
    fn the_prime_leaves_room() {
        let p = TernaryRing::prime(MAX_DEGREE).unwrap().modulus().value();
        assert!(p < 1 << 50 && p / 2 > (MAX_DEGREE as u64) << 32);
    }

    #[test]
    fn shoup_constants_without_division() {
        let modulus = TernaryRing::prime(1024).unwrap().modulus();
        let p = modulus.value();
        let mut words: Vec<u64> = (0..1000).map(|i| p - 1 - i * (p / 1001)).collect();
        words.extend([0, 1, 2, p / 2, p / 2 + 1, p - 2, p - 1]);
        for w in words {
            assert_eq!(shoup(modulus, w), modulus.shoup(w), "{w}");
        }
    }

    #[test]
    fn lengths_are_checked_and_secrets_not_printed() {
        let ring = TernaryRing::new(64, 32).unwrap();
        let short = SmallPoly::from_coefficients(vec![0; 63]);
        assert!(matches!(ring.prepare_small(&short), Err(RingError::LengthMismatch { .. })));
        let small = ring.prepare_small(&SmallPoly::from_coefficients(vec![1; 64])).unwrap();
        assert!(ring.product(&[0; 63], &small).is_err());
        assert_eq!(format!("{small:?}"), "PreparedSmall(64 coefficients)");
    }

    proptest! {
        #[test]
        fn products_equal_the_ring(log_n in 0u32..=13, log_q in 1u32..=64, seed: u64) {
            let n = 1usize << log_n;
            let mut source = rng(seed);
            let words: Vec<u64> = (0..n).map(|_| source.next_u64() >> (64 - log_q)).collect();
            check(n, log_q, &words, &SmallPoly::ternary(&mut source, n));
        }
    }
}
