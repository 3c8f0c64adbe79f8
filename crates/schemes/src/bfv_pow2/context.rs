//! Parameters with the tables that computing with them takes.

use super::cpu::CpuCrypt;
use super::exact::ExactMultiplier;
use super::parameters::Pow2Parameters;
use super::ternary::TernaryRing;
use crate::error::Result;
use cyclotron_ring::Modulus;
use cyclotron_ring::sample::{Seed, uniform};
use std::sync::Arc;

/// Bits of a limb of what is expanded from a seed.
const LIMB_BITS: u32 = 32;

/// Parameters and tables, shared by keys, encryptors, decryptors and evaluators.
#[derive(Debug)]
pub struct Pow2Context {
    parameters: Pow2Parameters,
    pub(crate) ternary: Arc<TernaryRing>,
    pub(crate) exact: ExactMultiplier,
}

impl Pow2Context {
    /// A context.
    ///
    /// # Errors
    /// [`crate::Error::Ring`] when `CYCLOTRON_SIMD` forces a level that the machine has not.
    pub fn new(parameters: &Pow2Parameters) -> Result<Arc<Self>> {
        let degree = parameters.degree();
        Ok(Arc::new(Self {
            parameters: parameters.clone(),
            ternary: Arc::new(TernaryRing::new(degree, parameters.log_q())?),
            exact: ExactMultiplier::new(degree)?,
        }))
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Pow2Parameters {
        &self.parameters
    }

    /// The processor as a device, with the tables of this context.
    ///
    /// # Errors
    /// Never for checked parameters.
    pub fn processor(&self) -> Result<CpuCrypt> {
        Ok(CpuCrypt::with_ring(Arc::clone(&self.ternary), self.parameters.log_t())?)
    }

    /// `n` uniform numbers of `bits` bits, up to 128, from a public seed: bits `32 l .. 32 l + 31`
    /// are limb number `l` of polynomial 0 of the seed (`cyclotron_ring::sample::uniform`), of
    /// which the last may be narrower.
    ///
    /// # Errors
    /// Never for `1 <= bits <= 128`.
    pub(crate) fn expand(&self, seed: &Seed, bits: u32) -> Result<Vec<u128>> {
        let degree = self.parameters.degree();
        let mut out = vec![0; degree];
        let mut limb = vec![0; degree];
        for l in 0..bits.div_ceil(LIMB_BITS) {
            let width = (bits - LIMB_BITS * l).min(LIMB_BITS);
            uniform::fill(seed, 0, l, Modulus::new(1 << width)?, &mut limb);
            for (word, &part) in out.iter_mut().zip(&limb) {
                *word |= u128::from(part) << (LIMB_BITS * l);
            }
        }
        Ok(out)
    }
}
