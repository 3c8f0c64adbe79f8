//! The negacyclic number-theoretic transform of `Z_q[x]/(x^n + 1)`.
//!
//! With `psi` a primitive `2n`-th root of unity modulo `q`, `psi^n = -1`, the transform of a
//! polynomial `a` is its values at the odd powers of `psi`, the roots of `x^n + 1`:
//!
//! ```text
//! forward(a)[i] = a(psi^(2 brv(i) + 1)),   i in [0, n),
//! ```
//!
//! where `brv` reverses the `log2 n` bits of `i` ([`NttTable::evaluation_exponent`]). Products of
//! polynomials become element-wise products of transforms. The order is the same at every SIMD
//! level, and so are the integers: inputs and outputs are reduced to `[0, q)`.
//!
//! | level | multiplication by a root | moduli |
//! |---|---|---|
//! | `Scalar` (`scalar`, the specification) | 64-bit Shoup | `q < 2^61` |
//! | `Avx2`, `Avx512` | 64-bit Shoup on 32-bit multipliers | `q < 2^61` |
//! | `Avx512Ifma` | 52-bit Shoup on `vpmadd52` | `q < 2^50`; wider moduli use the `Avx512` code |

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;
mod schoolbook;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use schoolbook::ring_mul_schoolbook;

use crate::error::{Result, RingError};
use crate::modulus::Modulus;
use crate::primes;
use crate::simd::SimdLevel;
#[cfg(target_arch = "x86_64")]
use std::sync::{Arc, OnceLock};

/// The smallest degree of a transform.
pub const MIN_DEGREE: usize = 1 << 3;
/// The largest degree of a transform.
pub const MAX_DEGREE: usize = 1 << 17;

/// A fixed factor with its Shoup constant `floor(value * 2^64 / q)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Factor {
    value: u64,
    shoup: u64,
}

impl Factor {
    fn new(modulus: Modulus, value: u64) -> Self {
        Self { value, shoup: modulus.shoup(value) }
    }
}

/// The tables of one transform: a degree, a modulus and a root.
#[derive(Debug, Clone)]
pub struct NttTable {
    degree: usize,
    modulus: Modulus,
    psi: u64,
    /// `psi^brv(i)` at index `i`; the layer with `m` blocks reads indices `[m, 2m)`.
    forward: Vec<Factor>,
    /// Element-wise inverses of `forward`.
    inverse: Vec<Factor>,
    /// `1/n`.
    scale: Factor,
    /// `inverse[1] / n`.
    scaled_root: Factor,
    /// What the vector levels read, made when a level is first used.
    #[cfg(target_arch = "x86_64")]
    vector: [OnceLock<Arc<vector::VectorTables>>; 3],
}

/// The vector code that a level, a degree and a modulus lead to; also the index of its tables.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
enum Code {
    Avx2,
    Avx512,
    Ifma,
}

impl NttTable {
    /// Tables for a power of two `n` in `[8, 131072]` and a prime `q = 1 mod 2n`, with the smallest
    /// primitive `2n`-th root of unity as `psi`.
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`]; [`RingError::NoRootOfUnity`] when `q` is not such a prime.
    pub fn new(n: usize, modulus: Modulus) -> Result<Self> {
        check_degree(n)?;
        let psi = primes::primitive_root(modulus, 2 * n as u64)?;
        Self::with_root(n, modulus, psi)
    }

    /// Tables with a given primitive `2n`-th root of unity `psi`, for prime or composite `q`.
    ///
    /// ```
    /// use cyclotron_ring::{Modulus, ntt::NttTable};
    /// let q = Modulus::new(257 * 257 * 257)?;
    /// let table = NttTable::with_root(128, q, 3_259_673)?;
    /// assert_eq!(table.degree(), 128);
    /// # Ok::<(), cyclotron_ring::RingError>(())
    /// ```
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`]; [`RingError::NotARoot`] when `psi^n != -1`;
    /// [`RingError::NotInvertible`] when `q` is even.
    pub fn with_root(n: usize, modulus: Modulus, psi: u64) -> Result<Self> {
        check_degree(n)?;
        let order = 2 * n as u64;
        if !primes::is_primitive_root(modulus, psi, order) {
            return Err(RingError::NotARoot { root: psi, order, modulus: modulus.value() });
        }
        let n_inverse = modulus.inv(n as u64)?;
        let psi_inverse = modulus.neg(modulus.pow(psi, n as u64 - 1));
        let inverse = powers(n, modulus, psi_inverse);
        let scaled_root = Factor::new(modulus, modulus.mul(inverse[1].value, n_inverse));
        Ok(Self {
            degree: n,
            modulus,
            psi,
            forward: powers(n, modulus, psi),
            inverse,
            scale: Factor::new(modulus, n_inverse),
            scaled_root,
            #[cfg(target_arch = "x86_64")]
            vector: Default::default(),
        })
    }

    /// The degree `n`.
    #[must_use]
    pub const fn degree(&self) -> usize {
        self.degree
    }

    /// The modulus `q`.
    #[must_use]
    pub const fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// The primitive `2n`-th root of unity.
    #[must_use]
    pub const fn psi(&self) -> u64 {
        self.psi
    }

    /// The odd `e` with `forward(a)[index] = a(psi^e)`: `2 brv(index) + 1`.
    #[must_use]
    pub const fn evaluation_exponent(&self, index: usize) -> u64 {
        evaluation_exponent(self.degree, index)
    }

    /// Replaces the coefficients `a` (`n` words in `[0, q)`) by the values in evaluation order, in
    /// `[0, q)`.
    ///
    /// A level that this machine has not runs as `Scalar`: the integers are the same. The time
    /// depends on `n`, `q` and the level only.
    ///
    /// # Panics
    /// When `a` has not exactly `n` words: a broken invariant of the caller.
    pub fn forward(&self, level: SimdLevel, a: &mut [u64]) {
        self.check_operand(a);
        #[cfg(target_arch = "x86_64")]
        if let Some(code) = self.code(level) {
            let (q, tables) = (self.modulus, self.vector_tables(code));
            // SAFETY: `code` names only instructions that this machine has.
            unsafe {
                match code {
                    Code::Avx2 => avx2::forward(q, tables, a),
                    Code::Avx512 => avx512::wide::forward(q, tables, a),
                    Code::Ifma => avx512::ifma::forward(q, tables, a),
                }
            }
            return;
        }
        let _ = level;
        scalar::forward(self, a);
    }

    /// The inverse of [`Self::forward`]: values in evaluation order (`n` words in `[0, q)`) to
    /// coefficients in `[0, q)`.
    ///
    /// # Panics
    /// When `a` has not exactly `n` words: a broken invariant of the caller.
    pub fn inverse(&self, level: SimdLevel, a: &mut [u64]) {
        self.check_operand(a);
        #[cfg(target_arch = "x86_64")]
        if let Some(code) = self.code(level) {
            let (q, tables) = (self.modulus, self.vector_tables(code));
            // SAFETY: `code` names only instructions that this machine has.
            unsafe {
                match code {
                    Code::Avx2 => avx2::inverse(q, tables, a),
                    Code::Avx512 => avx512::wide::inverse(q, tables, a),
                    Code::Ifma => avx512::ifma::inverse(q, tables, a),
                }
            }
            return;
        }
        let _ = level;
        scalar::inverse(self, a);
    }

    /// The vector code for `level`, or none where the scalar code runs: on short transforms and on
    /// machines without the level.
    #[cfg(target_arch = "x86_64")]
    fn code(&self, level: SimdLevel) -> Option<Code> {
        if self.degree < 64 || !level.is_available() {
            return None;
        }
        match level {
            SimdLevel::Scalar => None,
            // A vector of eight words needs a degree of 128.
            _ if level == SimdLevel::Avx2 || self.degree < 128 => Some(Code::Avx2),
            SimdLevel::Avx512Ifma if self.modulus.value() < 1 << 50 => Some(Code::Ifma),
            _ => Some(Code::Avx512),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn vector_tables(&self, code: Code) -> &vector::VectorTables {
        self.vector[code as usize].get_or_init(|| {
            Arc::new(match code {
                Code::Avx2 => avx2::tables(self),
                Code::Avx512 => avx512::wide::tables(self),
                Code::Ifma => avx512::ifma::tables(self),
            })
        })
    }

    fn check_operand(&self, a: &[u64]) {
        assert_eq!(a.len(), self.degree, "words in the operand of a transform");
        debug_assert!(a.iter().all(|&x| x < self.modulus.value()), "operand is not reduced");
    }
}

/// The odd `e < 2n` such that index `index` of a transform of degree `degree` holds `a(psi^e)`:
/// `e = 2 brv(index) + 1`. `degree` is a power of two, `index` is taken modulo it.
#[must_use]
pub const fn evaluation_exponent(degree: usize, index: usize) -> u64 {
    2 * reverse_bits(index % degree, degree.trailing_zeros()) as u64 + 1
}

/// The index of a transform of degree `degree` that holds `a(psi^exponent)`; the inverse of
/// [`evaluation_exponent`]. `exponent` is odd and is taken modulo `2 degree`.
#[must_use]
pub const fn evaluation_index(degree: usize, exponent: u64) -> usize {
    let half = (exponent % (2 * degree as u64)) / 2;
    reverse_bits(half as usize, degree.trailing_zeros())
}

const fn reverse_bits(index: usize, bits: u32) -> usize {
    if bits == 0 { 0 } else { index.reverse_bits() >> (usize::BITS - bits) }
}

fn check_degree(degree: usize) -> Result<()> {
    if degree.is_power_of_two() && (MIN_DEGREE..=MAX_DEGREE).contains(&degree) {
        Ok(())
    } else {
        Err(RingError::UnsupportedDegree { degree, min: MIN_DEGREE, max: MAX_DEGREE })
    }
}

/// `root^brv(i)` at index `i`.
fn powers(n: usize, modulus: Modulus, root: u64) -> Vec<Factor> {
    let bits = n.trailing_zeros();
    let mut table = vec![Factor::new(modulus, 1); n];
    let mut power = 1;
    for i in 0..n {
        table[reverse_bits(i, bits)] = Factor::new(modulus, power);
        power = modulus.mul(power, root);
    }
    table
}

#[cfg(test)]
mod tests;
