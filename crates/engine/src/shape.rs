//! Rings, limb sets and shapes: what a buffer is a buffer of.

use cyclotron_ring::primes::is_primitive_root;
use cyclotron_ring::{Modulus, Result as RingResult, RingError, primes};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Smallest ring degree.
pub const MIN_DEGREE: usize = 1 << 3;
/// Largest ring degree.
pub const MAX_DEGREE: usize = 1 << 17;

/// One modulus of a ring and how to multiply modulo it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limb {
    /// The modulus.
    pub modulus: Modulus,
    /// A primitive `2n`-th root of unity, when the limb has a transform.
    pub root: Option<u64>,
}

impl Limb {
    /// A prime limb with its canonical (smallest) root.
    ///
    /// # Errors
    /// [`RingError::NoRootOfUnity`] unless `modulus` is a prime with `q = 1 mod 2n`.
    pub fn prime(degree: usize, modulus: Modulus) -> RingResult<Self> {
        let root = primes::primitive_root(modulus, 2 * degree as u64)?;
        Ok(Self { modulus, root: Some(root) })
    }

    /// A limb without a transform: a power of two, or a plaintext modulus.
    #[must_use]
    pub const fn plain(modulus: Modulus) -> Self {
        Self { modulus, root: None }
    }
}

/// `Z[x]/(x^n + 1)` modulo each of a list of moduli: the chain of a scheme, its special and
/// auxiliary primes, and moduli without a transform. Buffers hold subsets of these limbs.
///
/// Immutable; compared by identity, because engines keep tables by it.
#[derive(Debug)]
pub struct Ring {
    id: u64,
    degree: usize,
    limbs: Vec<Limb>,
}

impl Ring {
    /// A ring of the given degree, a power of two in `[8, 131072]`, and limbs.
    ///
    /// # Errors
    /// [`RingError::UnsupportedDegree`], [`RingError::NotARoot`], [`RingError::EmptyBasis`].
    pub fn new(degree: usize, limbs: Vec<Limb>) -> RingResult<Arc<Self>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if !degree.is_power_of_two() || !(MIN_DEGREE..=MAX_DEGREE).contains(&degree) {
            return Err(RingError::UnsupportedDegree { degree, min: MIN_DEGREE, max: MAX_DEGREE });
        }
        if limbs.is_empty() {
            return Err(RingError::EmptyBasis);
        }
        let order = 2 * degree as u64;
        for limb in &limbs {
            if let Some(root) = limb.root
                && !is_primitive_root(limb.modulus, root, order)
            {
                return Err(RingError::NotARoot { root, order, modulus: limb.modulus.value() });
            }
        }
        Ok(Arc::new(Self { id: NEXT.fetch_add(1, Ordering::Relaxed), degree, limbs }))
    }

    /// Identity of the ring within this process.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// The degree `n`.
    #[must_use]
    pub const fn degree(&self) -> usize {
        self.degree
    }

    /// Every limb, in the order that [`LimbSet`]s index.
    #[must_use]
    pub fn limbs(&self) -> &[Limb] {
        &self.limbs
    }
}

/// A list of limbs of a ring, by index, each at most once.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct LimbSet(Arc<[u16]>);

impl LimbSet {
    /// The limbs with these indices, in this order.
    #[must_use]
    pub fn new(indices: impl IntoIterator<Item = usize>) -> Self {
        Self(indices.into_iter().map(|index| index as u16).collect())
    }

    /// How many limbs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The indices into the ring's limbs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.0.iter().map(|&index| usize::from(index))
    }

    /// Where the ring's limb `index` stands in this set.
    #[must_use]
    pub fn position(&self, index: usize) -> Option<usize> {
        self.0.iter().position(|&own| usize::from(own) == index)
    }

    /// Where each limb of `part` stands in this set; `None` when one is missing.
    #[must_use]
    pub fn positions(&self, part: &Self) -> Option<Vec<usize>> {
        part.iter().map(|index| self.position(index)).collect()
    }

    /// The first `count` limbs.
    #[must_use]
    pub fn prefix(&self, count: usize) -> Self {
        Self(self.0.iter().copied().take(count).collect())
    }

    /// The limbs of this set followed by those of `other`.
    #[must_use]
    pub fn concat(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(other.0.iter()).copied().collect())
    }
}

impl fmt::Debug for LimbSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter()).finish()
    }
}

/// Shape of a buffer: `batch` polynomials, each with the residues modulo `limbs`, of degree below
/// `n`. In host memory: `[batch][limb][coefficient]`, one `u64` a residue.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The ring.
    pub ring: Arc<Ring>,
    /// The limbs held, in memory order.
    pub limbs: LimbSet,
    /// How many polynomials.
    pub batch: usize,
}

impl Shape {
    /// A shape.
    ///
    /// # Errors
    /// [`RingError::OutOfRange`] when a limb is not one of the ring's or stands twice,
    /// [`RingError::EmptyBasis`] when there is no limb or no polynomial.
    pub fn new(ring: &Arc<Ring>, limbs: &LimbSet, batch: usize) -> RingResult<Self> {
        if limbs.is_empty() || batch == 0 {
            return Err(RingError::EmptyBasis);
        }
        for (place, index) in limbs.iter().enumerate() {
            if index >= ring.limbs.len() || limbs.position(index) != Some(place) {
                return Err(RingError::OutOfRange {
                    what: "limb index",
                    value: index.to_string(),
                    min: "0".to_owned(),
                    max: format!("{} (each once)", ring.limbs.len() - 1),
                });
            }
        }
        Ok(Self { ring: Arc::clone(ring), limbs: limbs.clone(), batch })
    }

    /// The degree `n`.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.ring.degree
    }

    /// How many residues a buffer of this shape holds.
    #[must_use]
    pub fn words(&self) -> usize {
        self.batch * self.limbs.len() * self.ring.degree
    }

    /// The same shape with another batch.
    #[must_use]
    pub fn with_batch(&self, batch: usize) -> Self {
        Self { batch, ..self.clone() }
    }

    /// The moduli of the limbs held, in memory order.
    pub fn moduli(&self) -> impl ExactSizeIterator<Item = Modulus> + '_ {
        self.limbs.iter().map(|index| self.ring.limbs[index].modulus)
    }

    /// Whether both shapes have the same ring.
    #[must_use]
    pub fn same_ring(&self, other: &Self) -> bool {
        self.ring.id == other.ring.id
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.same_ring(other) && self.limbs == other.limbs && self.batch == other.batch
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} x {:?} x {}]", self.batch, self.limbs, self.ring.degree)
    }
}
