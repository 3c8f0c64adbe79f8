//! Plans made of several ring plans: digit decomposition and key switching.

use crate::error::{EngineError, Result};
use crate::shape::{LimbSet, Ring};
use cyclotron_ring::Modulus;
use cyclotron_ring::rns::{BaseDigits, Conversion, ConvertPlan, DivideRoundPlan, RnsBasis};
use std::ops::Range;
use std::sync::Arc;

/// How one digit is taken from a polynomial.
#[derive(Debug)]
pub enum Digit {
    /// The centred residue modulo a group of source limbs. In the target, limbs of the group are
    /// copied; the others are converted.
    Group {
        /// Positions of the group in the source limbs.
        source: Range<usize>,
        /// Limbs of the group that the target has: their positions in the source and there.
        copied: Vec<(usize, usize)>,
        /// Positions in the target of the limbs that `convert` writes, in its order.
        converted: Vec<usize>,
        /// Centred conversion from the group to the other target limbs; `None` when there is none.
        convert: Option<Arc<ConvertPlan>>,
    },
    /// All base-`2^w` digits of the residue modulo one source limb, each reduced modulo every
    /// target limb: `digits.count()` consecutive digits.
    Words {
        /// Position of the limb in the source limbs.
        source: usize,
        /// The decomposition.
        digits: Arc<BaseDigits>,
    },
}

impl Digit {
    /// How many digits this entry makes.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Group { .. } => 1,
            Self::Words { digits, .. } => digits.count(),
        }
    }
}

/// A decomposition of a polynomial over the source limbs into digits over the target limbs.
///
/// With digits `d_j` and the gadget of [`DecomposePlan::gadget`], `sum_j d_j g_j = x` modulo
/// every source limb.
#[derive(Debug)]
pub struct DecomposePlan {
    /// Limbs of the input.
    pub source: LimbSet,
    /// Limbs of each digit.
    pub target: LimbSet,
    /// The digits in order.
    pub digits: Vec<Digit>,
    /// Moduli of the source limbs.
    pub source_moduli: Vec<Modulus>,
    /// Moduli of the target limbs.
    pub target_moduli: Vec<Modulus>,
}

impl DecomposePlan {
    /// Digits that are residues modulo groups of `group` consecutive source limbs (the last group
    /// may be smaller): RNS digits for `group = 1`, hybrid digits for more.
    ///
    /// # Errors
    /// [`EngineError::Configuration`] when `group` is zero; ring errors for moduli that are not
    /// coprime.
    pub fn groups(ring: &Ring, source: &LimbSet, target: &LimbSet, group: usize) -> Result<Self> {
        if group == 0 {
            return Err(EngineError::Configuration("a digit needs at least one limb".to_owned()));
        }
        let modulus = |index: usize| ring.limbs()[index].modulus;
        let indices: Vec<usize> = source.iter().collect();
        let mut digits = Vec::new();
        let mut start = 0;
        while start < indices.len() {
            let range = start..(start + group).min(indices.len());
            let own = &indices[range.clone()];
            let basis = RnsBasis::new(&own.iter().map(|&i| modulus(i)).collect::<Vec<_>>())?;
            let (mut converted, mut moduli) = (Vec::new(), Vec::<Modulus>::new());
            for (place, index) in target.iter().enumerate() {
                if !own.contains(&index) {
                    converted.push(place);
                    moduli.push(modulus(index));
                }
            }
            let copied = range
                .clone()
                .filter_map(|place| Some((place, target.position(indices[place])?)))
                .collect();
            let convert = match moduli[..] {
                [] => None,
                _ => Some(Arc::new(ConvertPlan::new(&basis, &moduli, Conversion::Centred)?)),
            };
            start = range.end;
            digits.push(Digit::Group { source: range, copied, converted, convert });
        }
        Ok(Self::of(ring, source, target, digits))
    }

    fn of(ring: &Ring, source: &LimbSet, target: &LimbSet, digits: Vec<Digit>) -> Self {
        let moduli = |limbs: &LimbSet| limbs.iter().map(|i| ring.limbs()[i].modulus).collect();
        Self {
            source: source.clone(),
            target: target.clone(),
            digits,
            source_moduli: moduli(source),
            target_moduli: moduli(target),
        }
    }

    /// Signed base-`2^bits` digits of each source limb's residue.
    ///
    /// # Errors
    /// Ring errors for a digit width out of range.
    pub fn words(ring: &Ring, source: &LimbSet, target: &LimbSet, bits: u32) -> Result<Self> {
        let digits = source
            .iter()
            .enumerate()
            .map(|(place, index)| {
                let basis = RnsBasis::new(&[ring.limbs()[index].modulus])?;
                let digits = Arc::new(BaseDigits::new(&basis, bits, true)?);
                Ok(Digit::Words { source: place, digits })
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Self::of(ring, source, target, digits))
    }

    /// How many digits.
    #[must_use]
    pub fn count(&self) -> usize {
        self.digits.iter().map(Digit::count).sum()
    }

    /// The gadget: for each digit, the positions of the source limbs where its factor is not
    /// zero, and the power of two that the factor is there.
    #[must_use]
    pub fn gadget(&self) -> Vec<(Range<usize>, u32)> {
        let mut gadget = Vec::with_capacity(self.count());
        for digit in &self.digits {
            match digit {
                Digit::Group { source, .. } => gadget.push((source.clone(), 0)),
                Digit::Words { source, digits } => {
                    for k in 0..digits.count() {
                        gadget.push((*source..source + 1, k as u32 * digits.width()));
                    }
                }
            }
        }
        gadget
    }
}

/// Everything a key switch needs besides the key.
#[derive(Debug)]
pub struct KeySwitchPlan {
    /// Digits of the input, over the kept and the special limbs.
    pub decompose: Arc<DecomposePlan>,
    /// Limbs of the result.
    pub kept: LimbSet,
    /// Special limbs, divided out at the end; may be empty.
    pub special: LimbSet,
    /// Division by the special limbs; `None` when there is none.
    pub divide: Option<Arc<DivideRoundPlan>>,
}

impl KeySwitchPlan {
    /// A plan for polynomials over `kept` with the given digits and special limbs. `plaintext` is
    /// BGV's plaintext modulus: the rounding error is then a multiple of it.
    ///
    /// # Errors
    /// Ring errors for moduli that are not coprime.
    pub fn new(
        ring: &Ring,
        decompose: DecomposePlan,
        special: &LimbSet,
        plaintext: Option<Modulus>,
    ) -> Result<Self> {
        let kept = decompose.source.clone();
        let basis = |limbs: &LimbSet| {
            RnsBasis::new(&limbs.iter().map(|i| ring.limbs()[i].modulus).collect::<Vec<_>>())
        };
        let divide = if special.is_empty() {
            None
        } else {
            Some(Arc::new(DivideRoundPlan::new(&basis(&kept)?, &basis(special)?, plaintext)?))
        };
        Ok(Self { decompose: Arc::new(decompose), kept, special: special.clone(), divide })
    }
}
