//! The modulus chain `Q = q_0 q_1 ... q_L < 2^27` and the root of unity that serves all its levels.
//!
//! Level `l` computes modulo `Q_l = q_0 ... q_l`. As `Q_l` divides `Q`, whatever is computed modulo
//! `Q` may be reduced modulo `Q_l` at the end; one transform, modulo `Q`, serves every level.
//!
//! `Q` need not be prime, nor its factors different: the paper's is `257^3`. A negacyclic transform
//! of degree `n` needs a `psi` with `psi^n = -1` and an odd `Q`, in which `2` and with it `n` and
//! all differences of the odd powers of `psi` are units. Such a `psi` exists when every prime
//! divisor is 1 modulo `2n`.

use super::parameter;
use crate::error::Result;
use cyclotron_ring::primes::{is_prime, is_primitive_root, primitive_root};
use cyclotron_ring::{Modulus, RingError};

/// Most bits of `Q`: the word of the device.
pub const MAX_LOG_Q: u32 = 27;

/// The smallest ring degree, that of the shortest transform.
pub const MIN_DEGREE: usize = cyclotron_ring::ntt::MIN_DEGREE;

/// The largest ring degree for which a prime below `2^27` is worth its noise.
pub const MAX_DEGREE: usize = 1 << 13;

/// Most bits of the plaintext modulus `p = 2^log_p`.
pub const MAX_LOG_P: u32 = 8;

/// A checked chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModulusChain {
    factors: Vec<u64>,
    /// `Q_0`, ..., `Q_L`.
    moduli: Vec<Modulus>,
    root: u64,
}

impl ModulusChain {
    /// Checks the factors `q_0, ..., q_L` for the degree `n` and the plaintext modulus `2^log_p`.
    /// Without a `root`, [`canonical_root`] is taken.
    ///
    /// # Errors
    /// [`crate::Error::Parameter`] with the value and the remedy: for a degree or `log_p` out of
    /// range, an even factor or one that is not 1 modulo `p`, a product of more than 27 bits, or a
    /// root with another order. [`crate::Error::Ring`] when there is no root.
    pub fn new(degree: usize, factors: &[u64], log_p: u32, root: Option<u64>) -> Result<Self> {
        if !degree.is_power_of_two() || !(MIN_DEGREE..=MAX_DEGREE).contains(&degree) {
            let remedy = format!("choose a power of two from {MIN_DEGREE} to {MAX_DEGREE}");
            return Err(parameter("ring degree", degree, remedy));
        }
        if !(1..=MAX_LOG_P).contains(&log_p) {
            let remedy = format!("choose 1 to {MAX_LOG_P}");
            return Err(parameter("log2 of the plaintext modulus", log_p, remedy));
        }
        let mut moduli = Vec::with_capacity(factors.len());
        let mut product = 1u64;
        for &factor in factors {
            if factor < 3 || factor % 2 == 0 || factor % (1 << log_p) != 1 {
                let remedy = format!(
                    "choose odd factors that are 1 modulo p = {}, so that switching moduli leaves \
                     the message as it is",
                    1u64 << log_p
                );
                return Err(parameter("factor of the ciphertext modulus", factor, remedy));
            }
            product = match product.checked_mul(factor).filter(|&q| q >> MAX_LOG_Q == 0) {
                Some(product) => product,
                None => {
                    let remedy = format!("choose factors with a product below 2^{MAX_LOG_Q}");
                    let value = factors.iter().map(u64::to_string).collect::<Vec<_>>().join(" * ");
                    return Err(parameter("ciphertext modulus", value, remedy));
                }
            };
            moduli.push(Modulus::new(product)?);
        }
        let Some(&top) = moduli.last() else {
            let remedy = "name at least one factor".to_owned();
            return Err(parameter("number of factors of the ciphertext modulus", 0, remedy));
        };
        let order = 2 * degree as u64;
        let root = match root {
            None => canonical_root(top, order)?,
            Some(root) if is_primitive_root(top, root, order) => root,
            Some(root) => {
                return Err(RingError::NotARoot { root, order, modulus: top.value() }.into());
            }
        };
        Ok(Self { factors: factors.to_vec(), moduli, root })
    }

    /// `q_0, ..., q_L`.
    #[must_use]
    pub fn factors(&self) -> &[u64] {
        &self.factors
    }

    /// `L`, the level of fresh ciphertexts.
    #[must_use]
    pub fn top_level(&self) -> usize {
        self.factors.len() - 1
    }

    /// `Q`, the modulus of the keys and of fresh ciphertexts.
    #[must_use]
    pub fn top(&self) -> Modulus {
        self.moduli[self.top_level()]
    }

    /// `Q_l`, for a level that exists.
    #[must_use]
    pub fn modulus(&self, level: usize) -> Option<Modulus> {
        self.moduli.get(level).copied()
    }

    /// `psi`, a primitive `2n`-th root of unity modulo `Q`, and so modulo every `Q_l`.
    #[must_use]
    pub const fn root(&self) -> u64 {
        self.root
    }
}

/// A primitive root of unity of the given order, a power of two, modulo any odd word `q`: modulo a
/// prime `r` the smallest, modulo `r^k` its lift `x^(r^(k-1))`, the only root of that order that is
/// the same modulo `r`; modulo a product the number with these residues.
///
/// # Errors
/// [`RingError::NoRootOfUnity`] when some prime divisor is not 1 modulo `order`.
pub fn canonical_root(q: Modulus, order: u64) -> Result<u64> {
    let (mut root, mut product) = (0u64, 1u64);
    for (prime, power) in prime_powers(q.value()) {
        let base = primitive_root(Modulus::new(prime)?, order)?;
        let modulus = Modulus::new(power)?;
        let lifted = modulus.pow(base, power / prime);
        // root + product t = lifted (mod power), by the inverse of product modulo power.
        if product == 1 {
            root = lifted;
        } else {
            let difference = modulus.sub(lifted, modulus.reduce(root));
            root += product * modulus.mul(difference, modulus.inv(product)?);
        }
        product *= power;
    }
    if is_primitive_root(q, root, order) {
        Ok(root)
    } else {
        Err(RingError::NoRootOfUnity { order, modulus: q.value() }.into())
    }
}

/// The prime powers that a number consists of, with their primes, by trial division.
fn prime_powers(mut value: u64) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let mut divisor = 2;
    while value > 1 {
        if divisor * divisor > value || is_prime(value) {
            divisor = value;
        }
        let mut power = 1;
        while value.is_multiple_of(divisor) {
            value /= divisor;
            power *= divisor;
        }
        if power > 1 {
            found.push((divisor, power));
        }
        divisor += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use proptest::prelude::*;

    #[test]
    fn the_papers_chain_and_root() {
        let chain = ModulusChain::new(128, &[257, 257, 257], 5, Some(3_259_673)).unwrap();
        let moduli: Vec<u64> = (0..3).map(|l| chain.modulus(l).unwrap().value()).collect();
        assert_eq!(moduli, [257, 66_049, 16_974_593]);
        assert_eq!((chain.top_level(), chain.modulus(3)), (2, None));
        // "omega = 908870", the 128-th root, and a root at every level.
        let top = chain.top();
        assert_eq!(top.mul(chain.root(), chain.root()), 908_870);
        for level in 0..3 {
            let modulus = chain.modulus(level).unwrap();
            assert!(is_primitive_root(modulus, modulus.reduce(chain.root()), 256));
        }
        // The canonical one is another: the lift of 3.
        let canonical = ModulusChain::new(128, &[257, 257, 257], 5, None).unwrap();
        assert_eq!((canonical.root() % 257, top.pow(canonical.root(), 256)), (3, 1));
    }

    #[test]
    fn refuses_with_the_value_and_the_remedy() {
        type Case<'a> = (usize, &'a [u64], u32, Option<u64>, &'a str);
        let cases: [Case<'_>; 12] = [
            (100, &[257], 1, None, "ring degree is 100"),
            (4, &[257], 1, None, "ring degree is 4;"),
            (1 << 14, &[257], 1, None, "ring degree is 16384"),
            (8, &[257], 0, None, "plaintext modulus is 0"),
            (8, &[257], 9, None, "plaintext modulus is 9"),
            (8, &[], 1, None, "number of factors"),
            (8, &[256], 1, None, "factor of the ciphertext modulus is 256"),
            (8, &[17, 97], 5, None, "factor of the ciphertext modulus is 17"),
            (8, &[257, 257, 257, 257], 1, None, "257 * 257 * 257 * 257"),
            (256, &[257], 1, None, "no primitive 512-th root of unity modulo 257"),
            (128, &[257, 257, 257], 5, Some(908_870), "908870 is not a primitive 256-th root"),
            (128, &[257, 257], 5, Some(u64::MAX), "is not a primitive 256-th root"),
        ];
        for (degree, factors, log_p, root, text) in cases {
            let error = ModulusChain::new(degree, factors, log_p, root).unwrap_err();
            assert!(matches!(error, Error::Parameter { .. } | Error::Ring(_)), "{error:?}");
            assert!(error.to_string().contains(text), "{error} lacks {text}");
        }
    }

    proptest! {
        /// Primes, their powers and products of both: the root has the order, modulo every divisor.
        #[test]
        fn canonical_roots_have_their_order(
            log_n in 3u32..=6,
            factors in proptest::sample::subsequence(vec![257u64, 257, 257, 641, 769, 1153, 3329, 7681], 1..4),
        ) {
            prop_assume!(factors.iter().product::<u64>() >> MAX_LOG_Q == 0);
            let order = 2u64 << log_n;
            prop_assume!(factors.iter().all(|q| q % order == 1));
            let chain = ModulusChain::new(1 << log_n, &factors, 1, None).unwrap();
            for &factor in &factors {
                let modulus = Modulus::new(factor).unwrap();
                prop_assert!(is_primitive_root(modulus, chain.root() % factor, order));
            }
            prop_assert_eq!(chain.top().pow(chain.root(), order / 2), chain.top().value() - 1);
        }
    }
}
