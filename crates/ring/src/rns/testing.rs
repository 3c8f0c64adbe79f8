//! Bases, integers and comparisons shared by the tests of this module.

use super::RnsBasis;
use crate::error::Result;
use crate::modulus::Modulus;
use crate::primes::primes_below;
use crate::simd::SimdLevel;
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::Signed;

/// SplitMix64: a small generator for test inputs, never for secrets.
pub struct TestRandom(pub u64);

impl TestRandom {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: &BigUint) -> BigUint {
        let words = bound.bits() as usize / 32 + 3;
        let words: Vec<u32> = (0..words).map(|_| self.word() as u32).collect();
        BigUint::new(words) % bound
    }
}

/// `count` distinct primes of the given widths in turn, the `salt`-th ones of their width.
pub fn moduli_of(widths: &[u32], count: usize, salt: usize) -> Vec<Modulus> {
    let pools: Vec<_> =
        widths.iter().map(|&w| primes_below(w, 2, count + salt, &[]).unwrap()).collect();
    (0..count)
        .map(|i| Modulus::new(pools[i % widths.len()][salt + i / widths.len()]).unwrap())
        .collect()
}

/// Primes of 20, 31, 50, 60, 49 and 61 bits in turn.
pub fn mixed_moduli(count: usize, salt: usize) -> Vec<Modulus> {
    moduli_of(&[20, 31, 50, 60, 49, 61], count, salt)
}

pub fn basis(k: usize, salt: usize) -> RnsBasis {
    RnsBasis::new(&mixed_moduli(k, salt)).unwrap()
}

pub fn basis_of(widths: &[u32], k: usize, salt: usize) -> RnsBasis {
    RnsBasis::new(&moduli_of(widths, k, salt)).unwrap()
}

/// Extreme integers modulo `Q` and `random` random ones, in `[-Q, Q]`.
pub fn integers(basis: &RnsBasis, random: usize) -> Vec<BigInt> {
    let q = BigInt::from(basis.product().clone());
    let half: BigInt = &q / 2;
    let mut list: Vec<BigInt> = (-3..=3)
        .flat_map(|small: i32| [BigInt::from(small), &q + small, &half + small, small - &half])
        .collect();
    let mut random_words = TestRandom(basis.len() as u64);
    list.extend((0..random).map(|_| BigInt::from(random_words.below(basis.product()))));
    // Every residue at its largest, and integers next to multiples of a punctured product.
    list.push(
        basis
            .lift(&basis.moduli().iter().map(|m| m.value() - 1).collect::<Vec<_>>())
            .unwrap()
            .into(),
    );
    list.extend(basis.moduli().iter().map(|m| &q / m.value() - 1));
    // Every term of the CRT at its largest: y_i = q_i - 1.
    list.push(-basis.moduli().iter().map(|m| &q / m.value()).sum::<BigInt>());
    list
}

/// The limbs of a list of integers.
pub fn limbs(basis: &RnsBasis, integers: &[BigInt]) -> Vec<Vec<u64>> {
    let columns: Vec<_> = integers.iter().map(|x| basis.residues(x)).collect();
    (0..basis.len()).map(|i| columns.iter().map(|c| c[i]).collect()).collect()
}

/// Coefficient `c` of a list of limbs.
pub fn column(limbs: &[Vec<u64>], c: usize) -> Vec<u64> {
    limbs.iter().map(|limb| limb[c]).collect()
}

/// `floor(a / b + 1/2)` for `b > 0`.
pub fn round_div(a: &BigInt, b: &BigInt) -> BigInt {
    let (a, b): (BigInt, BigInt) = (a * 2 + b, b * 2);
    a.div_floor(&b)
}

pub fn big(x: &BigUint) -> BigInt {
    BigInt::from_biguint(Sign::Plus, x.clone())
}

/// `|2 (a mod b) - b|`: the distance of `a / b` from a tie, in units of `1 / (2 b)`.
pub fn tie_distance(a: &BigInt, b: &BigInt) -> BigInt {
    let doubled: BigInt = a.mod_floor(b) * 2;
    (doubled - b).abs()
}

/// Runs `apply` at every level of this machine, demands equal results, and returns them.
pub fn at_every_level(
    src: &[Vec<u64>],
    destinations: usize,
    apply: impl Fn(SimdLevel, &[&[u64]], &mut [&mut [u64]]) -> Result<()>,
) -> Vec<Vec<u64>> {
    let n = src.first().map_or(0, Vec::len);
    let src: Vec<&[u64]> = src.iter().map(Vec::as_slice).collect();
    let run = |level| {
        let mut dst = vec![vec![u64::MAX; n]; destinations];
        let mut slices: Vec<&mut [u64]> = dst.iter_mut().map(Vec::as_mut_slice).collect();
        apply(level, &src, &mut slices).unwrap();
        dst
    };
    let expected = run(SimdLevel::Scalar);
    for level in SimdLevel::available() {
        assert_eq!(run(level), expected, "{level} differs from the scalar code");
    }
    expected
}
