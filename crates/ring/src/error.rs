//! What can be wrong with a request to this crate; each error carries the values and the remedy.

use thiserror::Error;

/// Result of a ring operation.
pub type Result<T> = std::result::Result<T, RingError>;

/// A refused ring operation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RingError {
    /// A modulus outside `[2, 2^61)`.
    #[error("modulus {value} is outside [{min}, {max}]; choose a modulus of at most 61 bits")]
    ModulusOutOfRange {
        /// The modulus asked for.
        value: u64,
        /// Smallest accepted modulus.
        min: u64,
        /// Largest accepted modulus.
        max: u64,
    },
    /// A ring degree that is not a power of two in the supported range.
    #[error("ring degree {degree} is not a power of two in [{min}, {max}]")]
    UnsupportedDegree {
        /// The degree asked for.
        degree: usize,
        /// Smallest accepted degree.
        min: usize,
        /// Largest accepted degree.
        max: usize,
    },
    /// No primitive `order`-th root of unity is known or exists modulo `modulus`.
    #[error(
        "no primitive {order}-th root of unity modulo {modulus}; \
         choose a prime q with q = 1 mod {order}, or pass a root for a composite modulus"
    )]
    NoRootOfUnity {
        /// The order asked for.
        order: u64,
        /// The modulus.
        modulus: u64,
    },
    /// The value offered as a root of unity is not a primitive one.
    #[error("{root} is not a primitive {order}-th root of unity modulo {modulus}")]
    NotARoot {
        /// The value offered.
        root: u64,
        /// The order it should have.
        order: u64,
        /// The modulus.
        modulus: u64,
    },
    /// `value` has no inverse modulo `modulus`.
    #[error("{value} has no inverse modulo {modulus}: their gcd is {gcd}")]
    NotInvertible {
        /// The value.
        value: u64,
        /// The modulus.
        modulus: u64,
        /// Their greatest common divisor.
        gcd: u64,
    },
    /// Fewer primes of the wanted shape exist than were asked for.
    #[error(
        "only {found} of {wanted} primes of {bits} bits with q = 1 mod {step} exist; \
         use a wider prime or fewer limbs"
    )]
    NotEnoughPrimes {
        /// How many were wanted.
        wanted: usize,
        /// How many were found.
        found: usize,
        /// Bits of each prime.
        bits: u32,
        /// The primes must be 1 modulo this.
        step: u64,
    },
    /// Two lengths that must agree do not.
    #[error("{what}: length {found} where {expected} is needed")]
    LengthMismatch {
        /// Which argument.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length needed.
        expected: usize,
    },
    /// A residue that is not reduced.
    #[error("{what}: residue {value} at index {index} is not below its modulus {modulus}")]
    NotReduced {
        /// Which argument.
        what: &'static str,
        /// Where.
        index: usize,
        /// The value found.
        value: u64,
        /// Its modulus.
        modulus: u64,
    },
    /// Moduli of a residue number system that are not pairwise coprime.
    #[error(
        "moduli {first} and {second} share the factor {gcd}; an RNS basis needs coprime moduli"
    )]
    NotCoprime {
        /// One modulus.
        first: u64,
        /// The other.
        second: u64,
        /// Their greatest common divisor.
        gcd: u64,
    },
    /// An empty basis.
    #[error("a residue number system needs at least one modulus")]
    EmptyBasis,
    /// A Galois element that is even or not below `2n`.
    #[error("Galois element {element} must be odd and below {bound}")]
    BadGaloisElement {
        /// The element.
        element: u64,
        /// `2n`.
        bound: u64,
    },
    /// A forced SIMD level that the machine has not.
    #[error("SIMD level {wanted} is not available here; available: {available}")]
    SimdUnavailable {
        /// The level asked for.
        wanted: String,
        /// The levels this machine has.
        available: String,
    },
    /// The operating system gave no randomness.
    #[error("the operating system's random generator failed: {0}")]
    Entropy(String),
    /// A parameter outside its documented range.
    #[error("{what} is {value}, outside [{min}, {max}]")]
    OutOfRange {
        /// Which parameter.
        what: &'static str,
        /// The value given.
        value: String,
        /// Smallest accepted value.
        min: String,
        /// Largest accepted value.
        max: String,
    },
}
