//! Tables of the CPU engine: transforms and permutations, made once and shared.
//!
//! * A ring's tables live as long as the ring or a buffer of it; rings that have the same degree,
//!   modulus and root share the transform.
//! * Permutations for automorphisms of evaluation-domain data are kept per (degree, element), at
//!   most [`MAX_PERMUTED`] indices in all; the least recently used go first.
//!
//! Tables are not counted against the engine's memory limit.

use crate::error::Result;
use crate::shape::{Limb, Ring};
use cyclotron_ring::automorphism::EvaluationMap;
use cyclotron_ring::ntt::NttTable;
use cyclotron_ring::{Modulus, RingError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Indices that the permutations kept for automorphisms hold at most: 128 permutations at the
/// largest degree, more at smaller ones.
pub const MAX_PERMUTED: usize = 1 << 24;

/// Tables of one limb.
#[derive(Debug)]
pub struct LimbTables {
    /// The modulus.
    pub modulus: Modulus,
    /// The transform, when the limb has a root of unity.
    pub transform: Option<Arc<NttTable>>,
}

/// Tables of one ring, limb by limb.
#[derive(Debug)]
pub struct RingTables {
    /// By index in the ring.
    pub limbs: Vec<LimbTables>,
    degree: usize,
}

impl RingTables {
    /// The transform of the ring's limb `index`.
    ///
    /// # Errors
    /// [`RingError::NoRootOfUnity`] when the limb has none.
    pub fn transform(&self, index: usize) -> Result<&NttTable> {
        let limb = &self.limbs[index];
        limb.transform.as_deref().ok_or_else(|| {
            let order = 2 * self.degree as u64;
            RingError::NoRootOfUnity { order, modulus: limb.modulus.value() }.into()
        })
    }
}

/// Degree, modulus and root: what determines a transform.
type TransformKey = (usize, u64, u64);

/// A permutation and when it was last asked for.
type UsedMap = (Arc<EvaluationMap>, u64);

#[derive(Debug, Default)]
struct Rings {
    rings: HashMap<u64, (Weak<Ring>, Arc<RingTables>)>,
    transforms: HashMap<TransformKey, Weak<NttTable>>,
}

#[derive(Debug, Default)]
struct Permutations {
    maps: HashMap<(usize, u64), UsedMap>,
    /// Sum of the degrees of `maps`.
    indices: usize,
    clock: u64,
}

/// Every table of one engine.
#[derive(Debug, Default)]
pub struct Tables {
    rings: Mutex<Rings>,
    permutations: Mutex<Permutations>,
}

/// A table is entered whole or not at all, so a panic elsewhere leaves the maps consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tables {
    /// The tables of a ring, made on first use.
    pub fn ring(&self, ring: &Arc<Ring>) -> Result<Arc<RingTables>> {
        let mut guard = lock(&self.rings);
        let Rings { rings, transforms } = &mut *guard;
        if let Some((_, tables)) = rings.get(&ring.id()) {
            return Ok(Arc::clone(tables));
        }
        rings.retain(|_, (ring, _)| ring.strong_count() > 0);
        transforms.retain(|_, transform| transform.strong_count() > 0);
        let degree = ring.degree();
        let limbs = ring
            .limbs()
            .iter()
            .map(|&Limb { modulus, root }| {
                let transform = root.map(|psi| {
                    let key = (degree, modulus.value(), psi);
                    if let Some(known) = transforms.get(&key).and_then(Weak::upgrade) {
                        return Ok(known);
                    }
                    let made = Arc::new(NttTable::with_root(degree, modulus, psi)?);
                    transforms.insert(key, Arc::downgrade(&made));
                    Ok::<_, RingError>(made)
                });
                Ok(LimbTables { modulus, transform: transform.transpose()? })
            })
            .collect::<Result<Vec<_>>>()?;
        let tables = Arc::new(RingTables { limbs, degree });
        rings.insert(ring.id(), (Arc::downgrade(ring), Arc::clone(&tables)));
        Ok(tables)
    }

    /// The permutation of evaluation-domain data for `x -> x^element`.
    pub fn permutation(&self, degree: usize, element: u64) -> Result<Arc<EvaluationMap>> {
        let mut guard = lock(&self.permutations);
        guard.clock += 1;
        let now = guard.clock;
        if let Some((map, used)) = guard.maps.get_mut(&(degree, element)) {
            *used = now;
            return Ok(Arc::clone(map));
        }
        let map = Arc::new(EvaluationMap::new(degree, element)?);
        while guard.indices + degree > MAX_PERMUTED {
            let oldest = guard.maps.iter().min_by_key(|(_, (_, used))| used).map(|(&key, _)| key);
            let Some(oldest) = oldest else { break };
            guard.maps.remove(&oldest);
            guard.indices -= oldest.0;
        }
        guard.indices += degree;
        guard.maps.insert((degree, element), (Arc::clone(&map), now));
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cyclotron_ring::primes::primes_below;

    fn limb(degree: usize) -> Limb {
        let q = primes_below(30, 2 * degree as u64, 1, &[]).unwrap()[0];
        Limb::prime(degree, Modulus::new(q).unwrap()).unwrap()
    }

    #[test]
    fn rings_share_transforms_and_are_forgotten_with_their_ring() {
        let tables = Tables::default();
        let plain = Limb::plain(Modulus::new(1 << 20).unwrap());
        let first = Ring::new(64, vec![limb(64), plain]).unwrap();
        let second = Ring::new(64, vec![limb(64)]).unwrap();
        let (a, b) = (tables.ring(&first).unwrap(), tables.ring(&second).unwrap());
        assert!(std::ptr::eq(a.transform(0).unwrap(), b.transform(0).unwrap()));
        assert!(Arc::ptr_eq(&a, &tables.ring(&first).unwrap()));
        let missing = RingError::NoRootOfUnity { order: 128, modulus: 1 << 20 };
        assert_eq!(a.transform(1).unwrap_err(), missing.into());
        drop((first, a));
        let third = Ring::new(32, vec![limb(32)]).unwrap();
        tables.ring(&third).unwrap();
        let known = lock(&tables.rings);
        assert_eq!(known.rings.len(), 2, "the first ring is gone");
        assert_eq!(known.transforms.len(), 2, "its transform is still used by the second");
    }

    #[test]
    fn permutations_are_kept_up_to_a_bound() {
        let tables = Tables::default();
        let degree = 1 << 17;
        let kept = MAX_PERMUTED / degree;
        let first = tables.permutation(degree, 3).unwrap();
        for k in 1..kept as u64 {
            tables.permutation(degree, 3 + 2 * k).unwrap();
        }
        assert!(Arc::ptr_eq(&first, &tables.permutation(degree, 3).unwrap()));
        tables.permutation(degree, 3 + 2 * kept as u64).unwrap();
        let known = lock(&tables.permutations);
        assert_eq!((known.maps.len(), known.indices), (kept, MAX_PERMUTED));
        assert!(known.maps.contains_key(&(degree, 3)), "used a moment ago");
        assert!(!known.maps.contains_key(&(degree, 5)), "the least recently used");
    }
}
