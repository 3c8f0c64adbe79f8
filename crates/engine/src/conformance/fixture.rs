//! The rings of the suite.

use crate::shape::{Limb, LimbSet, Ring};
use cyclotron_ring::ntt::NttTable;
use cyclotron_ring::rns::RnsBasis;
use cyclotron_ring::{Modulus, Result, primes};
use std::cell::OnceCell;
use std::sync::Arc;

/// Prime limbs: a chain, special primes and an extension.
const ROLES: [usize; 3] = [4, 2, 5];
/// Plaintext modulus of the fixtures, without a transform.
const PLAINTEXT: u64 = 257;
/// A modulus that is neither prime nor a power of two, without a transform.
const COMPOSITE: u64 = 1_000_000;

/// A ring with limbs in the roles that schemes have.
#[derive(Debug)]
pub struct Fixture {
    /// The ring.
    pub ring: Arc<Ring>,
    /// The modulus chain.
    pub chain: LimbSet,
    /// Special limbs of a key switch.
    pub special: LimbSet,
    /// Limbs of an extended basis.
    pub extension: LimbSet,
    /// A plaintext modulus, without a transform.
    pub plaintext: LimbSet,
    /// Limbs without a transform: the plaintext modulus, a power of two, a composite.
    pub plain: LimbSet,
    /// Scalar transforms for the reference, by index in the ring, made when asked for.
    transforms: Vec<OnceCell<NttTable>>,
}

impl Fixture {
    /// Rings of a degree, with their names: one with all widths of moduli, and one for each width
    /// if asked.
    pub fn all(degree: usize, bits: u32, each_width: bool) -> Vec<(String, Result<Self>)> {
        let mut widths = vec![30.min(bits), 50.min(bits), bits];
        widths.dedup();
        let mut fixtures = Vec::new();
        let mut add = |widths: &[u32]| {
            let name = format!("degree {degree}, moduli of {widths:?} bits");
            fixtures.push((name, Self::new(degree, widths, bits)));
        };
        add(&widths);
        if each_width && widths.len() > 1 {
            widths.iter().for_each(|&width| add(&[width]));
        }
        fixtures
    }

    fn new(degree: usize, widths: &[u32], bits: u32) -> Result<Self> {
        let wanted: usize = ROLES.iter().sum();
        let step = 2 * degree as u64;
        let each = wanted.div_ceil(widths.len());
        let pools = widths
            .iter()
            .map(|&width| primes::primes_below(width, step, each, &[]))
            .collect::<Result<Vec<_>>>()?;
        // Wide and narrow limbs take turns.
        let mut limbs = (0..wanted)
            .map(|i| Limb::prime(degree, Modulus::new(pools[i % pools.len()][i / pools.len()])?))
            .collect::<Result<Vec<_>>>()?;
        for modulus in [PLAINTEXT, 1 << bits.min(32), COMPOSITE] {
            limbs.push(Limb::plain(Modulus::new(modulus)?));
        }
        let ring = Ring::new(degree, limbs)?;
        let [chain, special, extension] = ROLES;
        let set = |from: usize, count: usize| LimbSet::new(from..from + count);
        Ok(Self {
            ring,
            chain: set(0, chain),
            special: set(chain, special),
            extension: set(chain + special, extension),
            plaintext: set(wanted, 1),
            plain: set(wanted, 3),
            transforms: vec![OnceCell::new(); wanted + 3],
        })
    }

    /// The transform of the ring's limb `index`, if it has one.
    pub fn transform(&self, index: usize) -> Result<Option<&NttTable>> {
        let limb = self.ring.limbs()[index];
        let Some(root) = limb.root else { return Ok(None) };
        let cell = &self.transforms[index];
        if let Some(table) = cell.get() {
            return Ok(Some(table));
        }
        let table = NttTable::with_root(self.degree(), limb.modulus, root)?;
        Ok(Some(cell.get_or_init(|| table)))
    }

    /// The moduli of some limbs.
    pub fn moduli(&self, limbs: &LimbSet) -> Vec<Modulus> {
        limbs.iter().map(|index| self.ring.limbs()[index].modulus).collect()
    }

    /// The basis of some limbs.
    pub fn basis(&self, limbs: &LimbSet) -> Result<RnsBasis> {
        RnsBasis::new(&self.moduli(limbs))
    }

    /// The degree.
    pub fn degree(&self) -> usize {
        self.ring.degree()
    }
}
