//! Primality, NTT-friendly primes and roots of unity.

use crate::error::{Result, RingError};
use crate::modulus::{MAX_MODULUS, Modulus};

/// Bases that make Miller-Rabin exact for every 64-bit integer (Sinclair, 2011).
const WITNESSES: [u64; 7] = [2, 325, 9375, 28_178, 450_775, 9_780_504, 1_795_265_022];

/// Whether `x` is prime; exact for `x < 2^61` (larger `x` gives `false`).
#[must_use]
pub fn is_prime(x: u64) -> bool {
    for small in [2u64, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37] {
        if x.is_multiple_of(small) {
            return x == small;
        }
    }
    let Ok(modulus) = Modulus::new(x) else { return false };
    let twos = (x - 1).trailing_zeros();
    let odd = (x - 1) >> twos;
    WITNESSES.iter().map(|&w| w % x).filter(|&w| w != 0).all(|witness| {
        let mut power = modulus.pow(witness, odd);
        if power == 1 || power == x - 1 {
            return true;
        }
        for _ in 1..twos {
            power = modulus.mul(power, power);
            if power == x - 1 {
                return true;
            }
        }
        false
    })
}

/// The largest `count` primes `q < 2^bits` with `q = 1 mod step`, in falling order, none of them
/// in `exclude` and all of exactly `bits` bits.
///
/// For the negacyclic transform of degree `n`, `step` is a multiple of `2n`.
///
/// # Errors
/// [`RingError::NotEnoughPrimes`] when fewer exist, [`RingError::OutOfRange`] when `bits` is not
/// in `[2, 61]` or `step` is 0.
pub fn primes_below(bits: u32, step: u64, count: usize, exclude: &[u64]) -> Result<Vec<u64>> {
    let range = |what: &'static str, value: u64, min: u64, max: u64| RingError::OutOfRange {
        what,
        value: value.to_string(),
        min: min.to_string(),
        max: max.to_string(),
    };
    if !(2..=61).contains(&bits) {
        return Err(range("bits of a prime", u64::from(bits), 2, 61));
    }
    if step == 0 || step > MAX_MODULUS {
        return Err(range("step between primes", step, 1, MAX_MODULUS));
    }
    let (floor, ceiling) = (1u64 << (bits - 1), (1u64 << bits) - 1);
    let mut candidate = ceiling - (ceiling - 1) % step;
    let mut found = Vec::with_capacity(count);
    while found.len() < count && candidate >= floor.max(2) {
        if is_prime(candidate) && !exclude.contains(&candidate) {
            found.push(candidate);
        }
        match candidate.checked_sub(step) {
            Some(next) => candidate = next,
            None => break,
        }
    }
    if found.len() < count {
        return Err(RingError::NotEnoughPrimes { wanted: count, found: found.len(), bits, step });
    }
    Ok(found)
}

/// Whether `root` is a primitive `order`-th root of unity modulo a prime or composite `q`, for an
/// `order` that is a power of two and at least 2: `root^(order/2) = -1`.
///
/// Modulo a composite `q` this is the stronger property that a transform needs: every
/// `root^i - 1`, `0 < i < order`, divides a power of two and so is a unit when `q` is odd.
#[must_use]
pub fn is_primitive_root(modulus: Modulus, root: u64, order: u64) -> bool {
    order.is_power_of_two()
        && order >= 2
        && modulus.value() > 2
        && root < modulus.value()
        && modulus.pow(root, order / 2) == modulus.value() - 1
}

/// The smallest primitive `order`-th root of unity modulo the prime `q`, `order` a power of two:
/// a canonical choice, so that tables agree between engines.
///
/// # Errors
/// [`RingError::NoRootOfUnity`] when `q` is not a prime with `q = 1 mod order`.
pub fn primitive_root(modulus: Modulus, order: u64) -> Result<u64> {
    let q = modulus.value();
    let missing = RingError::NoRootOfUnity { order, modulus: q };
    if !order.is_power_of_two() || order < 2 || !(q - 1).is_multiple_of(order) || !is_prime(q) {
        return Err(missing);
    }
    let cofactor = (q - 1) / order;
    let root = (2..q)
        .map(|base| modulus.pow(base, cofactor))
        .find(|&root| is_primitive_root(modulus, root, order))
        .ok_or(missing)?;
    // All primitive roots are the odd powers of one of them.
    let square = modulus.mul(root, root);
    let (mut power, mut smallest) = (root, root);
    for _ in 1..order / 2 {
        power = modulus.mul(power, square);
        smallest = smallest.min(power);
    }
    Ok(smallest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_trial_division() {
        let slow =
            |x: u64| x >= 2 && (2..).take_while(|d| d * d <= x).all(|d| !x.is_multiple_of(d));
        for x in 0..5000 {
            assert_eq!(is_prime(x), slow(x), "{x}");
        }
    }

    #[test]
    fn knows_large_primes_and_strong_pseudoprimes() {
        assert!(is_prime((1 << 61) - 1));
        assert!(is_prime(1_125_899_904_679_937) == slow_is_prime(1_125_899_904_679_937));
        // Strong pseudoprimes to the first prime bases (Jaeschke 1993) and a Carmichael number.
        for composite in [2_047, 3_215_031_751, 3_474_749_660_383, 341_550_071_728_321, 561] {
            assert!(!is_prime(composite), "{composite}");
        }
    }

    fn slow_is_prime(x: u64) -> bool {
        (2..).take_while(|d| d * d <= x).all(|d| !x.is_multiple_of(d))
    }

    #[test]
    fn finds_ntt_primes_of_the_exact_width() {
        let primes = primes_below(50, 1 << 16, 20, &[]).unwrap();
        assert!(primes.windows(2).all(|pair| pair[0] > pair[1]));
        for &q in &primes {
            assert!(is_prime(q) && q % (1 << 16) == 1 && q >> 49 == 1);
        }
        let rest = primes_below(50, 1 << 16, 19, &primes[..1]).unwrap();
        assert_eq!(rest, primes[1..]);
    }

    #[test]
    fn says_when_there_are_too_few() {
        let error = primes_below(20, 1 << 18, 10, &[]).unwrap_err();
        assert!(matches!(error, RingError::NotEnoughPrimes { wanted: 10, .. }));
        assert!(primes_below(62, 2, 1, &[]).is_err());
        assert!(primes_below(20, 0, 1, &[]).is_err());
    }

    #[test]
    fn roots_of_a_prime_and_of_257_cubed() {
        let q = Modulus::new(primes_below(50, 1 << 16, 1, &[]).unwrap()[0]).unwrap();
        let root = primitive_root(q, 1 << 16).unwrap();
        assert!(is_primitive_root(q, root, 1 << 16));
        assert!(!is_primitive_root(q, q.mul(root, root), 1 << 16));
        assert!(primitive_root(q, 1 << 60).is_err());

        // Known answer: n = 128, q = 257^3, omega = 908870 of order 128, psi = 3259673.
        let q = Modulus::new(257 * 257 * 257).unwrap();
        assert!(is_primitive_root(q, 908_870, 128));
        assert!(is_primitive_root(q, 3_259_673, 256));
        assert_eq!(q.mul(3_259_673, 3_259_673), 908_870);
        assert!(primitive_root(q, 256).is_err(), "a composite modulus needs a given root");
    }
}
