//! Digits in base `2^w` of a polynomial with any number of limbs.
//!
//! `x = sum_i d_i 2^(w i)` with `ceil(log2 Q / w)` digits:
//!
//! * unsigned: `x` in `[0, Q)`, digits in `[0, 2^w)`;
//! * signed (balanced): `x` in `[-Q/2, Q/2)`, digits in `[-2^(w-1), 2^(w-1))`; the last one takes
//!   what is left and lies in `[-2^(w-1), 2^(w-1)]`.
//!
//! Signed digits come without carries from digit to digit: those of `x + bias`, with `bias` half a
//! base at every digit but the last, are unsigned digits, each too large by half a base.
//! The integer comes from mixed-radix digits by Horner's rule, so it is exact; nothing branches on
//! values.

use super::basis::RnsBasis;
use super::combination::{BLOCK, Block, Row, mixed_radix};
use super::convert::garner_rows;
use crate::error::{Result, RingError};
use crate::modulus::Modulus;
use num_bigint::BigUint;

/// The widest base, `2^60`: a digit fits a signed word.
const MAX_WIDTH: u32 = 60;

/// A plan that writes coefficients in base `2^w`.
#[derive(Debug, Clone)]
pub struct BaseDigits {
    moduli: Vec<Modulus>,
    width: u32,
    count: usize,
    signed: bool,
    /// Garner's digits; unused with one limb.
    radix: Vec<Row>,
    /// `Q`, `ceil(Q/2)` and the bias, in the words of the accumulator.
    product: Vec<u64>,
    threshold: Vec<u64>,
    bias: Vec<u64>,
}

impl BaseDigits {
    /// A plan for digits of `width` bits, `1 <= width <= 60`.
    ///
    /// # Errors
    /// [`RingError::OutOfRange`] for another width.
    pub fn new(basis: &RnsBasis, width: u32, signed: bool) -> Result<Self> {
        if !(1..=MAX_WIDTH).contains(&width) {
            return Err(RingError::OutOfRange {
                what: "bits of a digit",
                value: width.to_string(),
                min: 1.to_string(),
                max: MAX_WIDTH.to_string(),
            });
        }
        let q = basis.product();
        let bits = (q - 1u32).bits();
        let count = bits.div_ceil(u64::from(width));
        // The sign, and x + bias < 2^(w count).
        let length = (count * u64::from(width) + 1).div_ceil(64) as usize;
        let words = |x: &BigUint| {
            let mut words = x.to_u64_digits();
            words.resize(length, 0);
            words
        };
        let half_base = BigUint::from(1u32) << (width - 1);
        let bias: BigUint = (1..count).map(|i| &half_base << (u64::from(width) * (i - 1))).sum();
        Ok(Self {
            moduli: basis.moduli().to_vec(),
            width,
            count: count as usize,
            signed,
            radix: garner_rows(basis.moduli())?,
            product: words(q),
            threshold: words(&((q + 1u32) / 2u32)),
            bias: words(&bias),
        })
    }

    /// Digits of each coefficient, `ceil(log2 Q / w)`.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Bits of a digit, `w`.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Whether the digits are balanced.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.signed
    }

    /// Writes the digits as integers: `src` holds one reduced limb for each modulus, `out[i]`
    /// receives digit `i`, of weight `2^(w i)`.
    ///
    /// # Errors
    /// [`RingError::LengthMismatch`].
    pub fn decompose(&self, src: &[&[u64]], out: &mut [&mut [i64]]) -> Result<()> {
        let lengths = out.iter().map(|digit| digit.len());
        let n = self.check(src, out.len(), self.count, lengths)?;
        self.blocks(src, n, |digit, start, values| {
            out[digit][start..start + values.len()].copy_from_slice(values);
        });
        Ok(())
    }

    /// Writes the residues of the digits modulo each of `moduli`: `out[i l + j]` receives digit `i`
    /// modulo `moduli[j]`, for `l` moduli.
    ///
    /// # Errors
    /// [`RingError::LengthMismatch`].
    pub fn decompose_residues(
        &self,
        src: &[&[u64]],
        moduli: &[Modulus],
        out: &mut [&mut [u64]],
    ) -> Result<()> {
        let lengths = out.iter().map(|digit| digit.len());
        let n = self.check(src, out.len(), self.count * moduli.len(), lengths)?;
        self.blocks(src, n, |digit, start, values| {
            for (j, modulus) in moduli.iter().enumerate() {
                let limb = &mut out[digit * moduli.len() + j][start..start + values.len()];
                for (residue, &value) in limb.iter_mut().zip(values) {
                    *residue = modulus.from_signed(value);
                }
            }
        });
        Ok(())
    }

    /// Checks shapes; returns the number of coefficients.
    fn check(
        &self,
        src: &[&[u64]],
        found: usize,
        expected: usize,
        mut lengths: impl Iterator<Item = usize>,
    ) -> Result<usize> {
        let same = |what, found, expected| {
            let error = RingError::LengthMismatch { what, found, expected };
            if found == expected { Ok(()) } else { Err(error) }
        };
        same("source limbs", src.len(), self.moduli.len())?;
        same("destination limbs", found, expected)?;
        let n = src.first().map_or(0, |limb| limb.len());
        src.iter().try_for_each(|limb| same("coefficients of a source limb", limb.len(), n))?;
        lengths.try_for_each(|length| same("coefficients of a destination limb", length, n))?;
        Ok(n)
    }

    /// Hands out the digits block by block: `(digit, first coefficient, values)`.
    fn blocks(&self, src: &[&[u64]], n: usize, mut write: impl FnMut(usize, usize, &[i64])) {
        let mut radix = vec![Block([0; BLOCK]); self.moduli.len()];
        let mut words = vec![0; self.product.len()];
        let mut digits = vec![[0i64; BLOCK]; self.count];
        for start in (0..n).step_by(BLOCK) {
            let len = BLOCK.min(n - start);
            if let ([q], [limb]) = (&self.moduli[..], src) {
                for (c, &x) in limb[start..start + len].iter().enumerate() {
                    let x = if self.signed { q.to_centred(x) } else { x as i64 };
                    self.split_word(x, |i, digit| digits[i][c] = digit);
                }
            } else {
                mixed_radix(&self.radix, src, start, len, &mut radix);
                (0..len).for_each(|c| {
                    self.lift(&radix, c, &mut words);
                    self.split(&words, |i, digit| digits[i][c] = digit);
                });
            }
            for (i, values) in digits.iter().enumerate() {
                write(i, start, &values[..len]);
            }
        }
    }

    /// The integer of coefficient `c`; centred and biased, in two's complement, for signed digits.
    fn lift(&self, radix: &[Block], c: usize, words: &mut [u64]) {
        words.fill(0);
        for (i, (digit, q)) in radix.iter().zip(&self.moduli).rev().enumerate() {
            // The product of i + 1 moduli; the words above it are 0.
            let active = words.len().min((i + 1) * 61 / 64 + 1);
            let mut carry = digit.0[c];
            for word in &mut words[..active] {
                let product = u128::from(*word) * u128::from(q.value()) + u128::from(carry);
                (*word, carry) = (product as u64, (product >> 64) as u64);
            }
            debug_assert_eq!(carry, 0);
        }
        if self.signed {
            let below = words.iter().zip(&self.threshold).fold(false, |borrow, (&x, &t)| {
                let (difference, first) = x.overflowing_sub(t);
                first | difference.overflowing_sub(u64::from(borrow)).1
            });
            let mask = u64::from(below).wrapping_sub(1);
            let mut carry = 0i128;
            for ((x, &q), &b) in words.iter_mut().zip(&self.product).zip(&self.bias) {
                carry += i128::from(*x) - i128::from(q & mask) + i128::from(b);
                *x = carry as u64;
                carry >>= 64;
            }
        }
    }

    /// The digits of an integer of several words, to which the bias was added.
    fn split(&self, biased: &[u64], mut write: impl FnMut(usize, i64)) {
        let sign = biased.last().map_or(0, |&top| ((top as i64) >> 63) as u64);
        let window = |i: usize| {
            let bit = i * self.width as usize;
            let word = |index: usize| biased.get(index).copied().unwrap_or(sign);
            let (low, high) = (word(bit / 64), word(bit / 64 + 1));
            ((u128::from(high) << 64 | u128::from(low)) >> (bit % 64)) as u64
        };
        for i in 0..self.count - 1 {
            write(i, self.digit(window(i)));
        }
        write(self.count - 1, window(self.count - 1) as i64);
    }

    /// The digits of one word.
    fn split_word(&self, x: i64, mut write: impl FnMut(usize, i64)) {
        // The bias is below 2^(w (count - 1)), which is below 2^61 for one limb.
        let biased = if self.signed { x + self.bias[0] as i64 } else { x };
        for i in 0..self.count - 1 {
            write(i, self.digit((biased >> (i as u32 * self.width)) as u64));
        }
        write(self.count - 1, biased >> ((self.count - 1) as u32 * self.width));
    }

    /// A digit from the low bits of its window.
    fn digit(&self, window: u64) -> i64 {
        let unsigned = (window & ((1 << self.width) - 1)) as i64;
        unsigned - (i64::from(self.signed) << (self.width - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn check(basis: &RnsBasis, width: u32, signed: bool) {
        let plan = BaseDigits::new(basis, width, signed).unwrap();
        let bits = (basis.product() - 1u32).bits();
        assert_eq!(plan.count() as u64, bits.div_ceil(u64::from(width)));
        let limbs = limbs(basis, &integers(basis, 30));
        let n = limbs[0].len();
        let src: Vec<&[u64]> = limbs.iter().map(Vec::as_slice).collect();
        let mut digits = vec![vec![i64::MAX; n]; plan.count()];
        plan.decompose(&src, &mut digits.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>())
            .unwrap();
        let (low, high) =
            if signed { (-1i64 << (width - 1), 1i64 << (width - 1)) } else { (0, 1i64 << width) };
        for c in 0..n {
            let sum: BigInt =
                digits.iter().rev().fold(BigInt::from(0), |sum, d| (sum << width) + d[c]);
            let residues = column(&limbs, c);
            let expected = if signed {
                basis.lift_centred(&residues).unwrap()
            } else {
                big(&basis.lift(&residues).unwrap())
            };
            assert_eq!(sum, expected, "width {width}, signed {signed}");
            let (last, rest) = digits.split_last().unwrap();
            assert!(rest.iter().all(|d| low <= d[c] && d[c] < high));
            assert!(low <= last[c] && last[c] < high + i64::from(signed), "{}", last[c]);
        }
        let moduli = [basis.moduli(), &mixed_moduli(2, 60)].concat();
        let mut residues = vec![vec![u64::MAX; n]; plan.count() * moduli.len()];
        let mut out: Vec<_> = residues.iter_mut().map(Vec::as_mut_slice).collect();
        plan.decompose_residues(&src, &moduli, &mut out).unwrap();
        for (i, digit) in digits.iter().enumerate() {
            for (j, q) in moduli.iter().enumerate() {
                let expected: Vec<_> = digit.iter().map(|&d| q.from_signed(d)).collect();
                assert_eq!(residues[i * moduli.len() + j], expected);
            }
        }
    }

    #[test]
    fn digits_recompose() {
        for k in [1, 2, 3, 7, 20] {
            for width in [1, 2, 7, 16, 31, 59, 60] {
                for signed in [false, true] {
                    check(&basis(k, 2), width, signed);
                    check(&basis_of(&[61], k, 2), width, signed);
                }
            }
        }
    }

    #[test]
    fn even_products_and_word_boundaries() {
        // 64 and 128 bits, a power of two, and a product next to one.
        for moduli in [&[4u64][..], &[2], &[1 << 60], &[1 << 32, (1 << 32) - 1], &[1 << 60, 17]] {
            let moduli: Vec<_> = moduli.iter().map(|&q| Modulus::new(q).unwrap()).collect();
            for width in [1, 4, 16, 32, 60] {
                check(&RnsBasis::new(&moduli).unwrap(), width, false);
                check(&RnsBasis::new(&moduli).unwrap(), width, true);
            }
        }
    }

    #[test]
    fn known_digits() {
        // 0x2fe in base 16: 14, 15, 2; balanced: -2, 0, 3.
        let basis = RnsBasis::new(&[Modulus::new(0xfff).unwrap()]).unwrap();
        for (signed, expected) in [(false, [14, 15, 2]), (true, [-2, 0, 3])] {
            let plan = BaseDigits::new(&basis, 4, signed).unwrap();
            let mut out = [[0i64]; 3];
            let [a, b, c] = &mut out;
            plan.decompose(&[&[0x2fe]], &mut [a, b, c]).unwrap();
            assert_eq!(out.map(|d| d[0]), expected);
        }
    }

    #[test]
    fn shapes_and_widths_are_checked() {
        let basis = basis(2, 0);
        assert!(matches!(BaseDigits::new(&basis, 0, true), Err(RingError::OutOfRange { .. })));
        assert!(matches!(BaseDigits::new(&basis, 61, true), Err(RingError::OutOfRange { .. })));
        let plan = BaseDigits::new(&basis, 60, true).unwrap();
        let (x, y) = ([0u64; 3], [0u64; 4]);
        let mut out = [[0i64; 3]; 1];
        for src in [&[&x[..]][..], &[&x[..], &y], &[&y[..], &y]] {
            let mut out: Vec<_> = out.iter_mut().map(|d| &mut d[..]).collect();
            assert!(matches!(plan.decompose(src, &mut out), Err(RingError::LengthMismatch { .. })));
        }
    }

    proptest! {
        #[test]
        fn any_width_and_basis(k in 1usize..12, salt in 0usize..50, width in 1u32..=60, signed: bool) {
            check(&basis(k, salt), width, signed);
        }
    }
}
