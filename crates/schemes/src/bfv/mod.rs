//! BFV: the message in the high bits (Fan and Vercauteren, eprint 2012/144), in RNS.
//!
//! * Encoding by `round(Q m / t)` instead of `floor(Q/t) m`: Kim, Polyakov and Zucca, eprint
//!   2021/204, section 3.
//! * Multiplication after Halevi, Polyakov and Shoup, eprint 2018/117, section 4, with integer
//!   fixed point in place of floats: extend both operands from `Q` to `Q B`, multiply there,
//!   scale by `t/Q` into `B`, and convert back to `Q`.

mod embedding;

use crate::error::{Error, Result};
use crate::rlwe::ciphertext::{Ciphertext, Quadratic};
use crate::rlwe::context::Context;
use crate::rlwe::fraction::PhaseFraction;
use crate::rlwe::parameters::Parameters;
use crate::rlwe::plaintext::Plaintext;
use crate::rlwe::scheme::{Phase, Scheme};
use cyclotron_engine::{Coefficient, Evaluation, LimbSet, Poly, Stream};
use cyclotron_ring::primes::primes_below;
use cyclotron_ring::rns::{Conversion, ConvertPlan, DivideRoundPlan, RnsBasis, ScaleRoundPlan};
use cyclotron_ring::{Modulus, SimdLevel};
use embedding::Embedding;
use num_bigint::BigUint;
use std::sync::Arc;

/// Bits of the widest prime.
const MAX_PRIME_BITS: u32 = 61;

/// What one level needs.
#[derive(Debug)]
struct Level {
    embedding: Embedding,
    /// `round(t x / Q)` modulo `t`.
    decode: ScaleRoundPlan,
    fraction: PhaseFraction,
    /// Division by the limb above this level.
    drop: Option<Arc<DivideRoundPlan>>,
    /// The auxiliary limbs `B` of products.
    extension: LimbSet,
    /// `Q` to `B`, `t/Q` into `B`, and `B` to `Q`.
    extend: Arc<ConvertPlan>,
    scale: Arc<ScaleRoundPlan>,
    contract: Arc<ConvertPlan>,
}

/// The BFV operations of one context.
#[derive(Debug)]
pub struct Bfv {
    simd: SimdLevel,
    levels: Vec<Level>,
}

impl Bfv {
    /// The primes of `B`: of the width of the widest prime of `Q` and `P`, or wider where too few
    /// of that width exist, and so many that `B > 4 t n Q`: every scaled product coefficient fits.
    ///
    /// # Errors
    /// [`crate::Error::Ring`] when there are not enough primes of any width.
    pub fn auxiliary_moduli(parameters: &Parameters) -> Result<Vec<Modulus>> {
        let own = parameters.moduli().iter().chain(parameters.special_moduli());
        let bits = own.clone().map(|q| q.bits()).max().unwrap_or(MAX_PRIME_BITS);
        let mut used: Vec<u64> = own.map(|q| q.value()).collect();
        used.push(parameters.plaintext_modulus().value());
        let wanted = extension_bits(parameters, parameters.log_q());
        let step = 2 * parameters.degree() as u64;
        let mut found = primes_of_total(bits, step, wanted, &used);
        for wider in bits + 1..=MAX_PRIME_BITS {
            if found.is_ok() {
                break;
            }
            found = primes_of_total(wider, step, wanted, &used);
        }
        Ok(found?.into_iter().map(Modulus::new).collect::<std::result::Result<_, _>>()?)
    }

    /// The plans of every level.
    ///
    /// # Errors
    /// Ring errors for moduli that are not coprime.
    pub fn new(
        parameters: &Parameters,
        auxiliary: &[Modulus],
        main: &LimbSet,
        extension: &LimbSet,
    ) -> Result<Self> {
        let t = parameters.plaintext_modulus();
        let numerator = BigUint::from(t.value());
        let levels = main
            .iter()
            .enumerate()
            .map(|(level, _)| {
                let basis = RnsBasis::new(&parameters.moduli()[..=level])?;
                let wanted = extension_bits(parameters, basis.log2_product());
                let mut covered = 0.0;
                let mut count = 0;
                while covered < wanted {
                    let prime = auxiliary.get(count).ok_or_else(|| Error::Parameter {
                        what: "auxiliary modulus of BFV products",
                        value: format!("{covered:.0} bits"),
                        remedy: format!("{wanted:.0} bits are needed"),
                    })?;
                    covered += (prime.value() as f64).log2();
                    count += 1;
                }
                let auxiliary = &auxiliary[..count];
                let target = RnsBasis::new(auxiliary)?;
                let drop = match parameters.moduli().get(level + 1) {
                    None => None,
                    Some(&q) => {
                        let dropped = RnsBasis::new(&[q])?;
                        Some(Arc::new(DivideRoundPlan::new(&basis, &dropped, None)?))
                    }
                };
                Ok(Level {
                    embedding: Embedding::new(&basis, t),
                    decode: ScaleRoundPlan::to_plaintext(&basis, t)?,
                    fraction: PhaseFraction::new(&basis, t.value()),
                    drop,
                    extension: extension.prefix(count),
                    extend: Arc::new(ConvertPlan::new(&basis, auxiliary, Conversion::Centred)?),
                    scale: Arc::new(ScaleRoundPlan::to_extension(&basis, &target, &numerator)?),
                    contract: Arc::new(ConvertPlan::new(
                        &target,
                        basis.moduli(),
                        Conversion::Centred,
                    )?),
                })
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Self { simd: SimdLevel::from_environment()?, levels })
    }
}

/// So many primes of one width that their product has `wanted` bits. Where primes are rare the
/// later ones are much narrower than their width allows, so their true sizes count.
fn primes_of_total(bits: u32, step: u64, wanted: f64, used: &[u64]) -> Result<Vec<u64>> {
    let mut count = (wanted / f64::from(bits)).ceil() as usize;
    loop {
        let primes = primes_below(bits, step, count, used)?;
        if primes.iter().map(|&b| (b as f64).log2()).sum::<f64>() >= wanted {
            return Ok(primes);
        }
        count += 1;
    }
}

/// Bits that `B` needs for a modulus of `log_q` bits.
fn extension_bits(parameters: &Parameters, log_q: f64) -> f64 {
    let t = (parameters.plaintext_modulus().value() as f64).log2();
    log_q + t + (parameters.degree() as f64).log2() + 2.0
}

impl Level {
    /// A ciphertext's pair over `B`.
    fn extended(
        &self,
        stream: &Stream,
        pair: &Poly<Evaluation>,
        limbs: &LimbSet,
    ) -> Result<Poly<Evaluation>> {
        let coefficients = stream.inverse(stream.select(pair, limbs, 0, 2)?)?;
        Ok(stream.forward(stream.convert(&self.extend, &coefficients, &self.extension)?)?)
    }

    /// `round(t/Q x)` over `Q`, for products `x` over `Q` and `B`.
    fn scaled(
        &self,
        stream: &Stream,
        low: Poly<Evaluation>,
        high: Poly<Evaluation>,
        limbs: &LimbSet,
    ) -> Result<Poly<Coefficient>> {
        let (low, high) = (stream.inverse(low)?, stream.inverse(high)?);
        let scaled = stream.scale_round(&self.scale, &low, Some(&high), &self.extension)?;
        Ok(stream.convert(&self.contract, &scaled, limbs)?)
    }
}

impl Scheme for Bfv {
    fn error_scale(&self) -> Option<Modulus> {
        None
    }

    fn embed(
        &self,
        context: &Context,
        stream: &Stream,
        plaintext: &Plaintext,
        level: usize,
        _factor: u64,
    ) -> Result<Poly<Coefficient>> {
        context.check_level(level, context.parameters().max_level())?;
        let host = self.levels[level].embedding.apply(plaintext.coefficients());
        let mut embedded = stream.upload(&context.shape(level, 1)?, &host)?;
        embedded.mark_secret();
        Ok(embedded)
    }

    fn read(&self, context: &Context, level: usize, phase: &[u64]) -> Result<Phase> {
        context.check_level(level, context.parameters().max_level())?;
        let degree = context.parameters().degree();
        let limbs: Vec<&[u64]> = phase.chunks_exact(degree).collect();
        let mut message = vec![0; degree];
        let plans = &self.levels[level];
        plans.decode.apply(self.simd, &limbs, &mut [&mut message])?;
        Ok(Phase { message, fraction: plans.fraction.largest(phase) })
    }

    fn tensor(
        &self,
        context: &Context,
        stream: &Stream,
        a: &Ciphertext,
        b: &Ciphertext,
    ) -> Result<(Poly<Evaluation>, Quadratic)> {
        let plans = &self.levels[a.level];
        let limbs = context.limbs(a.level);
        let (low, low_square) = stream.tensor(&a.linear, &b.linear, &limbs)?;
        let extended = plans.extended(stream, &a.linear, &limbs)?;
        let other = if std::ptr::eq(a, b) {
            None
        } else {
            Some(plans.extended(stream, &b.linear, &limbs)?)
        };
        let other = other.as_ref().unwrap_or(&extended);
        let (high, high_square) = stream.tensor(&extended, other, &plans.extension)?;
        let linear = stream.forward(plans.scaled(stream, low, high, &limbs)?)?;
        let quadratic = plans.scaled(stream, low_square, high_square, &limbs)?;
        Ok((linear, Quadratic::Coefficient(quadratic)))
    }

    fn drop_plan(&self, to: usize) -> Option<&Arc<DivideRoundPlan>> {
        self.levels.get(to)?.drop.as_ref()
    }

    fn factor_after_drop(&self, factor: u64, _to: usize) -> u64 {
        factor
    }

    fn balance(&self, _left: u64, _right: u64) -> (u64, u64) {
        (1, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rlwe::{ParametersLiteral, SchemeKind, SecurityPolicy};

    /// Where primes of a width are rare, B must still reach its size: more of them are taken.
    #[test]
    fn the_auxiliary_basis_is_wide_enough_even_of_rare_primes() {
        for (degree, bits, limbs) in [(1 << 17, 29, 35), (1 << 10, 50, 3), (1 << 12, 20, 4)] {
            let mut literal = ParametersLiteral::with_bits(
                SchemeKind::Bfv,
                degree,
                2,
                &vec![bits; limbs],
                &[bits],
            )
            .unwrap();
            literal.security = SecurityPolicy::InsecureAcknowledged;
            let parameters = Parameters::new(literal).unwrap();
            let auxiliary = Bfv::auxiliary_moduli(&parameters).unwrap();
            let width: f64 = auxiliary.iter().map(|b| (b.value() as f64).log2()).sum();
            assert!(width >= extension_bits(&parameters, parameters.log_q()), "{degree} {bits}");
            let main = LimbSet::new(0..limbs);
            let extension = LimbSet::new(limbs + 1..limbs + 1 + auxiliary.len());
            assert!(Bfv::new(&parameters, &auxiliary, &main, &extension).is_ok());
            let short = &auxiliary[..auxiliary.len() - 1];
            let refused = Bfv::new(&parameters, short, &main, &extension);
            assert!(matches!(refused, Err(Error::Parameter { .. })));
        }
    }
}
