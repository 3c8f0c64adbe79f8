//! Parameters from what is to be computed, with the reasons.
//!
//! For each degree, from small to large, prime counts are tried until the noise bounds of
//! [`NoiseModel`] leave room after a chain of `depth` squarings and one long sum, each squaring
//! relinearised, at the modulus that the security table allows. Among the prime counts that fit
//! the smallest total is taken, then the fewest transforms in a key switch
//! (`digits * (limbs of Q and P)`), then the narrowest primes that still fit.

use super::literal::{
    DigitChoice, ErrorDistribution, ParametersLiteral, SchemeKind, SecurityPolicy,
};
use super::noise::NoiseModel;
use super::parameters::{MAX_LIMBS, MAX_PLAINTEXT_BITS, Parameters};
use super::security::{SecurityLevel, SecurityTable};
use crate::error::{Error, Result};
use cyclotron_ring::primes::{is_prime, primes_below};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Degrees tried, smallest first.
const DEGREES: [usize; 8] = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];

/// Bits of noise margin that a choice leaves at least: room for an addition or two more than
/// asked for, and for switching results down to fewer limbs before they are sent.
const RESERVE: f64 = 3.0;

/// The plaintext space wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlaintextRequest {
    /// This modulus exactly.
    Modulus(u64),
    /// The largest prime below `2^bits` that has slots.
    SlotBits(u32),
}

/// What is to be computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The scheme.
    pub scheme: SchemeKind,
    /// The plaintext space.
    pub plaintext: PlaintextRequest,
    /// Multiplications in a row (by ciphertexts or by full-range plaintexts).
    pub depth: usize,
    /// Terms of one sum at the end; the default, 0, means one a slot.
    pub terms: usize,
    /// Whether keys for products or rotations are wanted; always so when `depth > 0`.
    pub key_switching: bool,
    /// Bits of security.
    pub security: SecurityLevel,
    /// By which table.
    pub table: SecurityTable,
    /// At least this many slots or coefficients.
    pub slots: usize,
    /// How many plaintext moduli of the requested width there will be (CRT channels): the
    /// ciphertext primes are chosen apart from all of them.
    pub channels: usize,
    /// Widest ciphertext prime, in bits: 50 suits AVX-512 IFMA, 30 engines with 32-bit words.
    pub limb_bits: u32,
}

impl Request {
    /// A request with the defaults: 128 bits by the 2024 table, a sum over all slots at the end,
    /// primes of at most 50 bits.
    #[must_use]
    pub fn new(scheme: SchemeKind, plaintext: PlaintextRequest, depth: usize) -> Self {
        Self {
            scheme,
            plaintext,
            depth,
            terms: 0,
            key_switching: true,
            security: SecurityLevel::Bits128,
            table: SecurityTable::default(),
            slots: 1,
            channels: 1,
            limb_bits: 50,
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, depth, table, slots, limb_bits, .. } = self;
        let bits = self.security.bits();
        match self.plaintext {
            PlaintextRequest::Modulus(t) => write!(f, "{scheme}, t = {t}")?,
            PlaintextRequest::SlotBits(bits) => write!(f, "{scheme}, slots modulo {bits} bits")?,
        }
        write!(
            f,
            ", depth {depth}, {slots} slots, {bits} bits by {table}, limbs of {limb_bits} bits"
        )
    }
}

/// Chosen parameters and why.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The parameters; their literal can be pinned to a file.
    pub parameters: Parameters,
    /// One reason a line.
    pub reasons: Vec<String>,
}

/// Prime counts and widths of one candidate.
#[derive(Debug, Clone, Copy)]
struct Shape {
    degree: usize,
    limbs: usize,
    special: usize,
    bits: u32,
}

/// Chooses parameters.
///
/// # Errors
/// [`Error::NoParameters`] when nothing fits, with what was nearest; [`Error::Parameter`] for a
/// request out of range.
pub fn select(request: &Request) -> Result<Selection> {
    if !(20..=60).contains(&request.limb_bits) {
        return Err(Error::Parameter {
            what: "width of ciphertext primes",
            value: request.limb_bits.to_string(),
            remedy: "choose 20 to 60 bits".to_owned(),
        });
    }
    let mut rejected = Vec::new();
    for degree in DEGREES.into_iter().filter(|&degree| degree >= request.slots) {
        let Some(limit) = request.table.max_log_qp(degree, request.security) else { continue };
        let plaintext = match plaintext_moduli(request, degree) {
            Ok(plaintext) => plaintext,
            Err(Error::Ring(error)) => {
                rejected.push(format!("n = {degree}: {error}"));
                continue;
            }
            Err(error) => return Err(error),
        };
        match best_shape(request, degree, limit, plaintext[0]) {
            Some(shape) => match build(request, shape, &plaintext) {
                Ok(parameters) => return Ok(explain(request, parameters, limit, rejected)),
                Err(error) => rejected.push(format!("n = {degree}: {error}")),
            },
            None => rejected.push(format!(
                "n = {degree}: {limit} bits of QP leave no room for the noise of depth {}",
                request.depth
            )),
        }
    }
    let reason = format!(
        "{}; ask for less depth, a smaller plaintext modulus (or several, by CRT), or less security",
        rejected.last().cloned().unwrap_or_else(|| "no degree is large enough".to_owned())
    );
    Err(Error::NoParameters { request: request.to_string(), reason })
}

/// The plaintext moduli of all channels, the largest first.
fn plaintext_moduli(request: &Request, degree: usize) -> Result<Vec<u64>> {
    match request.plaintext {
        PlaintextRequest::Modulus(t) => Ok(vec![t]),
        PlaintextRequest::SlotBits(bits) if bits > MAX_PLAINTEXT_BITS => Err(Error::Parameter {
            what: "bits of the plaintext modulus",
            value: bits.to_string(),
            remedy: format!("choose at most {MAX_PLAINTEXT_BITS}, or several moduli (CRT)"),
        }),
        PlaintextRequest::SlotBits(bits) => {
            Ok(primes_below(bits, 2 * degree as u64, request.channels.max(1), &[])?)
        }
    }
}

/// The noise margin after the requested computation, in bits.
fn margin(request: &Request, shape: Shape, t: u64) -> f64 {
    let width = f64::from(shape.bits);
    // Primes are taken from the top of their width; 0.1 bit is more than they fall short.
    let prime = width - 0.1;
    let model = NoiseModel::from_widths(
        request.scheme,
        shape.degree,
        (t as f64).log2(),
        vec![prime; shape.limbs],
        prime * shape.special as f64,
        DigitChoice::Limbs(shape.special.max(1)),
        ErrorDistribution::DEFAULT,
    );
    margin_of(request, &model, shape.limbs - 1, shape.degree)
}

/// The same for given bounds.
fn margin_of(request: &Request, model: &NoiseModel, top: usize, degree: usize) -> f64 {
    let mut noise = model.fresh_public();
    let mut level = top;
    for _ in 0..request.depth {
        let next = model.product_level(noise, level, noise, level);
        noise = model.mod_switch(noise, 2, level, next);
        level = next;
        noise = model.multiply(noise, noise, level) + model.key_switch(level);
        if model.margin(&noise, level) < 0.0 {
            return model.margin(&noise, level);
        }
    }
    let terms = if request.terms == 0 { degree } else { request.terms };
    if request.key_switching {
        noise += model.key_switch(level);
    }
    model.margin(&noise.times(terms as f64), level)
}

/// The smallest shape that fits the table and the noise.
fn best_shape(request: &Request, degree: usize, limit: u32, t: u64) -> Option<Shape> {
    let switching = request.key_switching || request.depth > 0;
    let least_bits = (2 * degree as u64).ilog2() + 4;
    for total in 1..=MAX_LIMBS {
        let bits = request.limb_bits.min(limit / total as u32);
        if bits < least_bits.max(20) {
            return None;
        }
        let specials = if switching { 1..=total / 2 } else { 0..=0 };
        let cost = |shape: &Shape| shape.limbs.div_ceil(shape.special.max(1)) * total;
        let fitting = specials
            .map(|special| Shape { degree, limbs: total - special, special, bits })
            .filter(|&shape| margin(request, shape, t) >= RESERVE);
        if let Some(mut shape) = fitting.min_by_key(cost) {
            let fits = |bits| margin(request, Shape { bits, ..shape }, t) >= RESERVE;
            while shape.bits > least_bits.max(20) && fits(shape.bits - 1) {
                shape.bits -= 1;
            }
            return Some(shape);
        }
    }
    None
}

fn build(request: &Request, shape: Shape, plaintext: &[u64]) -> Result<Parameters> {
    let Shape { degree, limbs, special, bits } = shape;
    let mut literal = ParametersLiteral::with_bits_avoiding(
        request.scheme,
        degree,
        plaintext[0],
        &vec![bits; limbs],
        &vec![bits; special],
        plaintext,
    )?;
    literal.security = SecurityPolicy::Table { level: request.security, table: request.table };
    let parameters = Parameters::new(literal)?;
    // The primes themselves, not only their widths, must do.
    let left = margin_of(request, parameters.noise(), parameters.max_level(), degree);
    if left < RESERVE {
        return Err(Error::NoParameters {
            request: request.to_string(),
            reason: format!("the primes found leave {left:.1} bits"),
        });
    }
    Ok(parameters)
}

fn explain(
    request: &Request,
    parameters: Parameters,
    limit: u32,
    rejected: Vec<String>,
) -> Selection {
    let degree = parameters.degree();
    let t = parameters.plaintext_modulus().value();
    let (limbs, special) = (parameters.moduli().len(), parameters.special_moduli().len());
    let noise = parameters.noise();
    let top = parameters.max_level();
    let left = margin_of(request, noise, top, degree);
    let digits = limbs.div_ceil(special.max(1));
    let residue =
        |count: usize| (count * degree) as f64 * f64::from(parameters.moduli()[0].bits()) / 8e6;
    let slots = if parameters.has_slots() {
        format!("{degree} slots in two rows")
    } else {
        format!("no slots (t is not a prime = 1 mod {}): coefficients only", 2 * degree)
    };
    let mut reasons = rejected;
    reasons.push(format!(
        "n = {degree}: the smallest degree whose modulus holds depth {} with t = {t}{}",
        request.depth,
        if is_prime(t) { " (prime)" } else { "" }
    ));
    reasons.push(format!(
        "log2 Q = {:.1} in {limbs} primes, log2 P = {:.1} in {special}, {digits} key-switching \
         digits",
        parameters.log_q(),
        parameters.log_qp() - parameters.log_q()
    ));
    reasons.push(format!(
        "security: log2 QP = {:.1} of at most {limit} for {} bits by {}",
        parameters.log_qp(),
        request.security.bits(),
        request.table
    ));
    reasons.push(format!(
        "noise: fresh 2^{:.1} of 2^{:.1}; {left:.1} bits left after depth {} and the final sum",
        noise.fresh_public().inf_log2(),
        noise.capacity(top),
        request.depth
    ));
    reasons.push(slots);
    reasons.push(format!(
        "sizes: ciphertext {:.2} MB (fresh and symmetric {:.2} MB), switching key {:.1} MB",
        residue(2 * limbs),
        residue(limbs),
        residue(digits * (limbs + special))
    ));
    Selection { parameters, reasons }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_growing_degrees_for_growing_depth() {
        for scheme in [SchemeKind::Bfv, SchemeKind::Bgv] {
            let mut last = 0;
            for depth in 0..6 {
                let request = Request::new(scheme, PlaintextRequest::SlotBits(17), depth);
                let Selection { parameters, reasons } = select(&request).unwrap();
                assert!(parameters.degree() >= last);
                last = parameters.degree();
                let level = parameters.security_in(SecurityTable::default());
                assert!(level >= Some(SecurityLevel::Bits128), "{scheme} {depth}");
                assert!(parameters.has_slots());
                assert!(reasons.iter().any(|line| line.contains("security")));
            }
            assert!(last >= 8192);
        }
    }

    #[test]
    fn honours_slots_security_and_limb_width() {
        let mut request = Request::new(SchemeKind::Bgv, PlaintextRequest::Modulus(65_537), 2);
        request.slots = 16_384;
        request.security = SecurityLevel::Bits256;
        request.limb_bits = 30;
        let parameters = select(&request).unwrap().parameters;
        assert!(parameters.degree() >= 16_384);
        assert!(parameters.moduli().iter().all(|q| q.bits() <= 30));
        let level = parameters.security_in(SecurityTable::default());
        assert_eq!(level, Some(SecurityLevel::Bits256));
    }

    #[test]
    fn explains_what_cannot_be_had() {
        let request = Request::new(SchemeKind::Bfv, PlaintextRequest::SlotBits(60), 60);
        let error = select(&request).unwrap_err().to_string();
        assert!(error.contains("depth 60") && error.contains("ask for less"), "{error}");
        let request = Request::new(SchemeKind::Bfv, PlaintextRequest::SlotBits(61), 1);
        assert!(select(&request).unwrap_err().to_string().contains("CRT"));
    }
}
