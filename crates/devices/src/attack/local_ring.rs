//! Division and inversion in `R = Z_{2^32}[x]/(x^n + 1)`, `n` a power of two.
//!
//! `R` is local: `x^n + 1 = (x + 1)^n` modulo 2, so an element is a unit exactly when the sum of its
//! coefficients is odd, and otherwise `x + 1` divides it. Every `p` that is not divisible by a huge
//! power of `x + 1` is `(x + 1)^v` times a unit, with `v >= k` for one uniform `p` in `2^k`. An
//! equation `c = p u + e` with a non-unit `p` can therefore still be solved for `u`: multiply by the
//! inverse of the unit, then divide `(x + 1)^v u`, whose coefficients are small, as integers.

use super::AttackError;
use super::scheme::LOG_Q;
use cyclotron_ring::pow2::Pow2Ring;

/// `(x + 1)^v` times a ternary polynomial has coefficients of at most `2^v`; beyond this exponent
/// they would no longer be told from numbers modulo `2^32`.
pub const MAX_VALUATION: u32 = 28;

/// `p = (x + 1)^valuation * unit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factored {
    /// The exponent `v`.
    pub valuation: u32,
    /// The unit, `n` coefficients modulo `2^32`.
    pub unit: Vec<u32>,
    /// Its inverse.
    pub inverse: Vec<u32>,
}

/// Takes the powers of `x + 1` out of `p` and inverts what is left.
///
/// # Errors
/// [`AttackError::Valuation`] beyond [`MAX_VALUATION`]; [`AttackError::Ring`] when the length of `p`
/// is no power of two.
pub fn factor(p: &[u32]) -> Result<Factored, AttackError> {
    let ring = Pow2Ring::new(p.len(), LOG_Q)?;
    let mut unit = p.to_vec();
    let mut valuation = 0;
    while let Some(quotient) = divide_modular(&unit) {
        valuation += 1;
        if valuation > MAX_VALUATION {
            return Err(AttackError::Valuation { valuation, max: MAX_VALUATION });
        }
        unit = quotient;
    }
    let inverse = invert(ring, &unit);
    Ok(Factored { valuation, unit, inverse })
}

/// One of the two `y` with `(x + 1) y = p` modulo `2^32` (they differ by `2^31` in every
/// coefficient); `None` when the sum of the coefficients is odd.
#[must_use]
pub fn divide_modular(p: &[u32]) -> Option<Vec<u32>> {
    // y_j + y_{j-1} = p_j with y_{-1} = -y_{n-1}. For even n the alternating sum from the top,
    // p_{n-1} - p_{n-2} + ..., is 2 y_{n-1}.
    let twice_last = p.iter().rev().enumerate().fold(0u32, |sum, (i, &x)| {
        if i % 2 == 0 { sum.wrapping_add(x) } else { sum.wrapping_sub(x) }
    });
    if twice_last % 2 == 1 {
        return None;
    }
    let mut before = (twice_last / 2).wrapping_neg();
    Some(
        p.iter()
            .map(|&x| {
                before = x.wrapping_sub(before);
                before
            })
            .collect(),
    )
}

/// The one `y` with `(x + 1) y = p` over the integers, or `None` when there is none. Coefficients
/// are below `2^31`, `p` has an even number of them.
#[must_use]
pub fn divide_integer(p: &[i64]) -> Option<Vec<i64>> {
    let twice_last: i64 =
        p.iter().rev().enumerate().map(|(i, &x)| if i % 2 == 0 { x } else { -x }).sum();
    if twice_last % 2 != 0 {
        return None;
    }
    let mut before = -(twice_last / 2);
    Some(
        p.iter()
            .map(|&x| {
                before = x - before;
                before
            })
            .collect(),
    )
}

/// The inverse of a unit.
fn invert(ring: Pow2Ring, unit: &[u32]) -> Vec<u32> {
    let n = ring.degree();
    let unit: Vec<u64> = unit.iter().map(|&x| u64::from(x)).collect();
    let mut product = vec![0; n];
    // Modulo 2, unit(x)^n = unit(x^n) = unit(1) = 1, so the inverse is unit^(n-1), the product of
    // the powers unit^(2^j) = unit(x^(2^j)).
    let mut inverse = vec![0; n];
    inverse[0] = 1;
    for j in 0..n.trailing_zeros() {
        let mut power = vec![0; n];
        for (i, &x) in unit.iter().enumerate() {
            power[(i << j) % n] ^= x & 1;
        }
        ring.mul(&mut product, &inverse, &power);
        for (y, &x) in inverse.iter_mut().zip(&product) {
            *y = x & 1;
        }
    }
    // Newton: each step w (2 - a w) doubles the bits that are right, 1 to 32.
    let mut error = vec![0; n];
    for _ in 0..LOG_Q.trailing_zeros() {
        ring.mul(&mut product, &unit, &inverse);
        ring.neg(&mut error, &product);
        error[0] = error[0].wrapping_add(2) & ring.mask();
        ring.mul(&mut product, &inverse, &error);
        std::mem::swap(&mut inverse, &mut product);
    }
    inverse.into_iter().map(|x| x as u32).collect()
}
