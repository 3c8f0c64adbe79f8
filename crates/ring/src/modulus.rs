//! Integers modulo a word-sized `q`, `2 <= q < 2^61`, prime or not.
//!
//! Three reductions, each where it is best:
//! * **Barrett** ([`Modulus::reduce_u128`], [`Modulus::mul`]): both factors vary;
//! * **Shoup** ([`Modulus::shoup`], [`Modulus::mul_shoup`]): one factor is fixed and used often;
//! * **Montgomery** ([`Montgomery`]): long chains of products modulo an odd `q`, as in
//!   [`Modulus::pow`].
//!
//! Unless a name says `lazy`, arguments and results are reduced to `[0, q)`.

use crate::error::{Result, RingError};

/// The largest modulus, `2^61 - 1`: it leaves lazy transforms the range `[0, 8q)` in a word.
pub const MAX_MODULUS: u64 = (1 << 61) - 1;

/// A modulus with its Barrett constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Modulus {
    value: u64,
    /// `floor(2^128 / q)`, high and low word.
    barrett: (u64, u64),
}

impl Modulus {
    /// A modulus `2 <= value < 2^61`.
    ///
    /// # Errors
    /// [`RingError::ModulusOutOfRange`].
    pub const fn new(value: u64) -> Result<Self> {
        if value < 2 || value > MAX_MODULUS {
            return Err(RingError::ModulusOutOfRange { value, min: 2, max: MAX_MODULUS });
        }
        // floor((2^128 - 1) / q) = floor(2^128 / q) unless q divides 2^128, when it is one less;
        // the reduction below tolerates the difference.
        let quotient = u128::MAX / value as u128;
        Ok(Self { value, barrett: ((quotient >> 64) as u64, quotient as u64) })
    }

    /// The modulus itself.
    #[inline]
    #[must_use]
    pub const fn value(self) -> u64 {
        self.value
    }

    /// Bits of `q - 1`: the number of bits that hold a residue.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u32 {
        64 - (self.value - 1).leading_zeros()
    }

    /// `floor(2^128 / q)` as (high, low) words (one less when `q` is a power of two).
    #[inline]
    #[must_use]
    pub const fn barrett(self) -> (u64, u64) {
        self.barrett
    }

    /// `x mod q` for any word.
    #[inline]
    #[must_use]
    pub const fn reduce(self, x: u64) -> u64 {
        let quotient = ((x as u128 * self.barrett.0 as u128) >> 64) as u64;
        let r = x.wrapping_sub(quotient.wrapping_mul(self.value));
        // The quotient is short by at most 1 (plus 1 for the truncated constant): r < 3q.
        self.reduce_once(self.reduce_once(r))
    }

    /// `x mod q` for any double word.
    #[inline]
    #[must_use]
    pub const fn reduce_u128(self, x: u128) -> u64 {
        let (xh, xl) = ((x >> 64) as u64, x as u64);
        let (bh, bl) = self.barrett;
        // quotient = floor(x * barrett / 2^128), dropping only carries of the lowest word.
        let low = ((xl as u128 * bl as u128) >> 64) as u64;
        let middle = xl as u128 * bh as u128 + low as u128;
        let other = xh as u128 * bl as u128 + (middle as u64) as u128;
        let quotient = (xh.wrapping_mul(bh))
            .wrapping_add((middle >> 64) as u64)
            .wrapping_add((other >> 64) as u64);
        let r = xl.wrapping_sub(quotient.wrapping_mul(self.value));
        self.reduce_once(self.reduce_once(r))
    }

    /// `x` brought from `[0, 2q)` to `[0, q)` without a branch; larger `x < 2^63` lose one `q`.
    ///
    /// The mask is made from the sign bit: a mask made from a borrow is compiled to a jump.
    #[inline]
    #[must_use]
    pub const fn reduce_once(self, x: u64) -> u64 {
        let difference = x.wrapping_sub(self.value);
        difference.wrapping_add(self.value & ((difference as i64) >> 63) as u64)
    }

    /// `a + b mod q`.
    #[inline]
    #[must_use]
    pub const fn add(self, a: u64, b: u64) -> u64 {
        self.reduce_once(a + b)
    }

    /// `a - b mod q`.
    #[inline]
    #[must_use]
    pub const fn sub(self, a: u64, b: u64) -> u64 {
        let difference = a.wrapping_sub(b);
        difference.wrapping_add(self.value & ((difference as i64) >> 63) as u64)
    }

    /// `-a mod q`.
    #[inline]
    #[must_use]
    pub const fn neg(self, a: u64) -> u64 {
        self.sub(0, a)
    }

    /// `a * b mod q`.
    #[inline]
    #[must_use]
    pub const fn mul(self, a: u64, b: u64) -> u64 {
        self.reduce_u128(a as u128 * b as u128)
    }

    /// `a * b + c mod q`.
    #[inline]
    #[must_use]
    pub const fn mul_add(self, a: u64, b: u64, c: u64) -> u64 {
        self.reduce_u128(a as u128 * b as u128 + c as u128)
    }

    /// `base^exponent mod q`, in time that depends on the exponent.
    #[must_use]
    pub fn pow(self, base: u64, mut exponent: u64) -> u64 {
        // Montgomery's form pays for its set-up in a long chain.
        if exponent >> 8 != 0
            && let Ok(form) = Montgomery::new(self)
        {
            return form.leave(form.pow(form.enter(self.reduce(base)), exponent));
        }
        let mut power = self.reduce(base);
        let mut result = self.reduce(1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, power);
            }
            power = self.mul(power, power);
            exponent >>= 1;
        }
        result
    }

    /// `a^-1 mod q`, for prime and composite `q`, in time that depends on `a`.
    ///
    /// # Errors
    /// [`RingError::NotInvertible`] with the common divisor.
    pub fn inv(self, a: u64) -> Result<u64> {
        // Extended Euclid on (q, a), keeping t * a = r mod q.
        let (mut r0, mut r1) = (i128::from(self.value), i128::from(self.reduce(a)));
        let (mut t0, mut t1) = (0i128, 1i128);
        while r1 != 0 {
            let quotient = r0 / r1;
            (r0, r1) = (r1, r0 - quotient * r1);
            (t0, t1) = (t1, t0 - quotient * t1);
        }
        if r0 == 1 {
            Ok(t0.rem_euclid(i128::from(self.value)) as u64)
        } else {
            Err(RingError::NotInvertible { value: a, modulus: self.value, gcd: r0 as u64 })
        }
    }

    /// Shoup's constant `floor(w * 2^64 / q)` of a fixed factor `w` in `[0, q)`.
    #[inline]
    #[must_use]
    pub const fn shoup(self, w: u64) -> u64 {
        (((w as u128) << 64) / self.value as u128) as u64
    }

    /// `x * w mod q` in `[0, 2q)` for any word `x`, with `w_shoup = self.shoup(w)`.
    #[inline]
    #[must_use]
    pub const fn mul_shoup_lazy(self, x: u64, w: u64, w_shoup: u64) -> u64 {
        let quotient = ((x as u128 * w_shoup as u128) >> 64) as u64;
        x.wrapping_mul(w).wrapping_sub(quotient.wrapping_mul(self.value))
    }

    /// `x * w mod q` for any word `x`, with `w_shoup = self.shoup(w)`.
    #[inline]
    #[must_use]
    pub const fn mul_shoup(self, x: u64, w: u64, w_shoup: u64) -> u64 {
        self.reduce_once(self.mul_shoup_lazy(x, w, w_shoup))
    }

    /// The residue of a signed integer, without a branch.
    #[inline]
    #[must_use]
    pub const fn from_signed(self, x: i64) -> u64 {
        let magnitude = self.reduce(x.unsigned_abs());
        let mask = (x >> 63) as u64;
        (magnitude & !mask) | (self.neg(magnitude) & mask)
    }

    /// The residue of a signed double word, without a branch on its sign.
    #[inline]
    #[must_use]
    pub const fn from_signed_wide(self, x: i128) -> u64 {
        let magnitude = self.reduce_u128(x.unsigned_abs());
        let mask = (x >> 127) as u64;
        (magnitude & !mask) | (self.neg(magnitude) & mask)
    }

    /// The representative of `x` in `[-floor(q/2), ceil(q/2))`, without a branch:
    /// `x` when `x < q - floor(q/2)`, else `x - q`.
    #[inline]
    #[must_use]
    pub const fn to_centred(self, x: u64) -> i64 {
        let threshold = self.value - self.value / 2;
        let not_below = !((x.wrapping_sub(threshold) as i64) >> 63) as u64;
        (x as i64).wrapping_sub((self.value & not_below) as i64)
    }
}

impl std::fmt::Display for Modulus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.value)
    }
}

/// Montgomery arithmetic modulo an odd `q`, with `R = 2^64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Montgomery {
    modulus: Modulus,
    /// `-q^-1 mod 2^64`.
    negative_inverse: u64,
    /// `R^2 mod q`.
    r_squared: u64,
}

impl Montgomery {
    /// Constants for an odd modulus.
    ///
    /// # Errors
    /// [`RingError::NotInvertible`] when `q` is even.
    pub const fn new(modulus: Modulus) -> Result<Self> {
        let q = modulus.value;
        if q & 1 == 0 {
            return Err(RingError::NotInvertible { value: q, modulus: 2, gcd: 2 });
        }
        // Newton's iteration doubles the correct low bits: 3, 6, 12, 24, 48, 96.
        let mut inverse = q.wrapping_mul(3) ^ 2;
        let mut round = 0;
        while round < 4 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(q.wrapping_mul(inverse)));
            round += 1;
        }
        let r = modulus.reduce_u128(1u128 << 64);
        Ok(Self { modulus, negative_inverse: inverse.wrapping_neg(), r_squared: modulus.mul(r, r) })
    }

    /// The modulus.
    #[must_use]
    pub const fn modulus(self) -> Modulus {
        self.modulus
    }

    /// `x * R^-1 mod q` for `x < q * 2^64`.
    #[inline]
    #[must_use]
    pub const fn reduce(self, x: u128) -> u64 {
        let m = (x as u64).wrapping_mul(self.negative_inverse);
        // x + m q is a multiple of 2^64 and below 2 q 2^64.
        let t = (x + m as u128 * self.modulus.value as u128) >> 64;
        self.modulus.reduce_once(t as u64)
    }

    /// `x` in Montgomery form, `x R mod q`.
    #[inline]
    #[must_use]
    pub const fn enter(self, x: u64) -> u64 {
        self.reduce(x as u128 * self.r_squared as u128)
    }

    /// The residue of a value in Montgomery form.
    #[inline]
    #[must_use]
    pub const fn leave(self, x: u64) -> u64 {
        self.reduce(x as u128)
    }

    /// A power of a value in Montgomery form, in time that depends on the exponent.
    #[must_use]
    pub const fn pow(self, base: u64, mut exponent: u64) -> u64 {
        let mut power = base;
        let mut result = self.enter(self.modulus.reduce(1));
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, power);
            }
            power = self.mul(power, power);
            exponent >>= 1;
        }
        result
    }

    /// The product of two values in Montgomery form.
    #[inline]
    #[must_use]
    pub const fn mul(self, a: u64, b: u64) -> u64 {
        self.reduce(a as u128 * b as u128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Small, even, power-of-two, composite, prime and extreme moduli.
    const MODULI: [u64; 10] = [
        2,
        3,
        257,
        65_536,
        65_537,
        16_974_593, // 257^3
        1 << 32,
        1 << 60,
        (1 << 50) - 27,
        MAX_MODULUS,
    ];

    fn moduli() -> impl Strategy<Value = Modulus> {
        prop_oneof![proptest::sample::select(MODULI.to_vec()), 2..=MAX_MODULUS]
            .prop_map(|q| Modulus::new(q).unwrap())
    }

    #[test]
    fn refuses_moduli_out_of_range() {
        for q in [0, 1, MAX_MODULUS + 1, u64::MAX] {
            let error = Modulus::new(q).unwrap_err();
            assert_eq!(error, RingError::ModulusOutOfRange { value: q, min: 2, max: MAX_MODULUS });
        }
    }

    #[test]
    fn reduces_the_extremes() {
        for q in MODULI {
            let m = Modulus::new(q).unwrap();
            for x in [0, 1, q - 1, q, q + 1, u64::MAX - 1, u64::MAX] {
                assert_eq!(m.reduce(x), x % q, "{x} mod {q}");
            }
            for x in [0, u128::MAX, u128::MAX - 1, u128::from(q) << 64, (u128::from(q) << 64) - 1] {
                assert_eq!(u128::from(m.reduce_u128(x)), x % u128::from(q), "{x} mod {q}");
            }
        }
    }

    proptest! {
        #[test]
        fn barrett_equals_division(m in moduli(), x: u128, y: u64) {
            prop_assert_eq!(u128::from(m.reduce_u128(x)), x % u128::from(m.value()));
            prop_assert_eq!(m.reduce(y), y % m.value());
        }

        #[test]
        fn arithmetic_equals_wide_integers(m in moduli(), a: u64, b: u64, c: u64) {
            let q = i128::from(m.value());
            let (a, b, c) = (m.reduce(a), m.reduce(b), m.reduce(c));
            let wide = |x: u64| i128::from(x);
            prop_assert_eq!(wide(m.add(a, b)), (wide(a) + wide(b)).rem_euclid(q));
            prop_assert_eq!(wide(m.sub(a, b)), (wide(a) - wide(b)).rem_euclid(q));
            prop_assert_eq!(wide(m.neg(a)), (-wide(a)).rem_euclid(q));
            prop_assert_eq!(wide(m.mul(a, b)), (wide(a) * wide(b)).rem_euclid(q));
            prop_assert_eq!(wide(m.mul_add(a, b, c)), (wide(a) * wide(b) + wide(c)).rem_euclid(q));
        }

        #[test]
        fn shoup_equals_barrett(m in moduli(), x: u64, w: u64) {
            let w = m.reduce(w);
            let lazy = m.mul_shoup_lazy(x, w, m.shoup(w));
            prop_assert!(u128::from(lazy) < 2 * u128::from(m.value()));
            prop_assert_eq!(m.mul_shoup(x, w, m.shoup(w)), m.mul(m.reduce(x), w));
        }

        #[test]
        fn montgomery_equals_barrett(m in moduli(), a: u64, b: u64) {
            let (a, b) = (m.reduce(a), m.reduce(b));
            match Montgomery::new(m) {
                Ok(form) => {
                    let product = form.mul(form.enter(a), form.enter(b));
                    prop_assert_eq!(form.leave(product), m.mul(a, b));
                }
                Err(_) => prop_assert!(m.value() % 2 == 0),
            }
        }

        #[test]
        fn inverse_is_an_inverse_or_names_the_divisor(m in moduli(), a: u64) {
            match m.inv(a) {
                Ok(inverse) => prop_assert_eq!(m.mul(m.reduce(a), inverse), m.reduce(1)),
                Err(RingError::NotInvertible { gcd, .. }) => {
                    prop_assert!(gcd > 1 && m.value() % gcd == 0 && m.reduce(a) % gcd == 0);
                }
                Err(other) => prop_assert!(false, "{}", other),
            }
        }

        #[test]
        fn signed_residues_round_trip(m in moduli(), x: i64, wide: i128) {
            let q = i128::from(m.value());
            prop_assert_eq!(i128::from(m.from_signed(x)), i128::from(x).rem_euclid(q));
            prop_assert_eq!(i128::from(m.from_signed_wide(wide)), wide.rem_euclid(q));
            let centred = m.to_centred(m.from_signed(x));
            prop_assert!(i128::from(centred) >= -(q / 2) && i128::from(centred) < q - q / 2);
            prop_assert_eq!(m.from_signed(centred), m.from_signed(x));
        }

        #[test]
        fn powers_follow_the_law(m in moduli(), a: u64, x in 0u64..1000, y in 0u64..1000) {
            prop_assert_eq!(m.pow(a, x + y), m.mul(m.pow(a, x), m.pow(a, y)));
        }
    }
}
