//! The computation behind the plans: a small matrix product over the coefficients.
//!
//! For each coefficient with residues `x_0, ..., x_{k-1}` modulo `q_0, ..., q_{k-1}`:
//!
//! ```text
//! y_i   = x_i w_i mod q_i                                         (or mixed-radix digits, below)
//! v     = floor((sum_{i<k} y_i Theta_i + 2^103) / 2^104)          (when there is a fraction)
//! out_j = sum_{i<k} y_i M_ij + x_{k+j} c_j + v V_j  mod p_j       (the terms with c, v if present)
//! ```
//!
//! Every plan of this module is a choice of the tables `w`, `Theta`, `M`, `c` and `V`. An engine
//! that cannot run this code (a GPU, say) uploads the tables and evaluates the three lines.
//!
//! Mixed-radix digits (Garner) satisfy `x = y_0 + y_1 q_0 + y_2 q_0 q_1 + ...`; digit `i` is itself
//! a row `y_i = sum_{j<i} y_j N_ij + x_i c_i mod q_i`.
//!
//! All residues are reduced, on entry and on return. There are at most 128 terms, moduli have at
//! most 61 bits and `Theta_i < 2^104`: the sums with `Theta` stay below 2^120 in each half, and `v`
//! below 2^69.

#[cfg(target_arch = "x86_64")]
use super::ifma;
use crate::error::{Result, RingError};
use crate::modulus::Modulus;
use crate::simd::SimdLevel;

/// Bits behind the point of the fixed-point fractions: two 52-bit words.
pub const FRACTION_BITS: u32 = 2 * HALF_BITS;
/// Bits of one word of a fraction.
const HALF_BITS: u32 = 52;

/// Coefficients in flight: a block of all limbs stays in the first-level cache.
pub(super) const BLOCK: usize = 32;

/// Products of two 61-bit residues that are added before a reduction: 32 of them, the term of the
/// own residue and `v` or a reduced residue are below `2^128`.
const LAZY_TERMS: usize = 32;

/// One limb of a block, on a cache line of its own.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Block(pub(super) [u64; BLOCK]);

/// How the terms `y_i` follow from the source residues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// `y_i = x_i w_i mod q_i`: each `w_i` with its Shoup constant.
    Scaled(Vec<(u64, u64)>),
    /// Garner's digits: row `i` combines the digits before `i` and the residue `x_i`.
    MixedRadix(Vec<Row>),
}

/// A row of the matrix: how one destination residue follows from the terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    modulus: Modulus,
    coefficients: Vec<u64>,
    own: Option<u64>,
}

impl Row {
    /// A row of reduced coefficients modulo `modulus`.
    pub(super) fn new(modulus: Modulus, coefficients: Vec<u64>, own: Option<u64>) -> Self {
        debug_assert!(coefficients.iter().chain(&own).all(|&c| c < modulus.value()));
        Self { modulus, coefficients, own }
    }

    /// The destination modulus `p_j`.
    #[must_use]
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// `M_ij` for each term, in `[0, p_j)`; then `V_j` when the carry is [`Carry::Term`].
    #[must_use]
    pub fn coefficients(&self) -> &[u64] {
        &self.coefficients
    }

    /// The factor `c_j` of the destination's own residue of `x`, in `[0, p_j)`, if it takes part.
    #[must_use]
    pub fn own(&self) -> Option<u64> {
        self.own
    }
}

/// Where the rounded sum of fractions goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carry {
    /// `V_j = 1`: `v < 2^69` is added to each destination.
    Unit,
    /// `v <= k` is one more term of each row, with `V_j` the row's last coefficient.
    Term,
}

/// The fractions `Theta_i / 2^104` of the terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fraction {
    theta: Vec<[u64; 2]>,
    carry: Carry,
}

impl Fraction {
    /// Fractions below 1, given as `Theta_i < 2^104`.
    pub(super) fn new(theta: impl Iterator<Item = u128>, carry: Carry) -> Self {
        let half = |t: u128| [t as u64 & ((1 << HALF_BITS) - 1), (t >> HALF_BITS) as u64];
        let theta: Vec<_> = theta.map(half).collect();
        debug_assert!(theta.iter().all(|t| t[1] >> HALF_BITS == 0));
        Self { theta, carry }
    }

    /// `Theta_i` as `[low, high]` words of 52 bits.
    #[must_use]
    pub fn theta(&self) -> &[[u64; 2]] {
        &self.theta
    }

    /// Where the rounded sum goes.
    #[must_use]
    pub fn carry(&self) -> Carry {
        self.carry
    }
}

/// `floor(numerator 2^104 / q)` for `numerator < q < 2^61`.
pub(super) fn fraction_floor(numerator: u64, q: u64) -> u128 {
    let (q, step) = (u128::from(q), |r: u128| r << HALF_BITS);
    let first = step(u128::from(numerator));
    ((first / q) << HALF_BITS) + step(first % q) / q
}

/// `floor(numerator 2^104 / q + 1/2)` for `numerator < q < 2^61`; still below `2^104`.
pub(super) fn fraction_round(numerator: u64, q: u64) -> u128 {
    let (q, step) = (u128::from(q), |r: u128| r << HALF_BITS);
    let first = step(u128::from(numerator));
    ((first / q) << HALF_BITS) + (2 * step(first % q) + q) / (2 * q)
}

/// The tables of a plan; see the module for the equations.
#[derive(Debug, Clone)]
pub struct Combination {
    sources: Vec<Modulus>,
    stage: Stage,
    fraction: Option<Fraction>,
    rows: Vec<Row>,
    /// Constants of the 52-bit code, when every modulus is narrow enough for it.
    #[cfg(target_arch = "x86_64")]
    narrow: Option<ifma::Constants>,
}

impl Combination {
    /// Tables whose shapes agree.
    ///
    /// # Errors
    /// [`RingError::EmptyBasis`] without rows.
    pub(super) fn new(
        sources: &[Modulus],
        stage: Stage,
        fraction: Option<Fraction>,
        rows: Vec<Row>,
    ) -> Result<Self> {
        if rows.is_empty() {
            return Err(RingError::EmptyBasis);
        }
        let combination = Self {
            sources: sources.to_vec(),
            #[cfg(target_arch = "x86_64")]
            narrow: ifma::Constants::new(sources, &stage, &rows),
            stage,
            fraction,
            rows,
        };
        debug_assert!(combination.is_consistent());
        Ok(combination)
    }

    fn is_consistent(&self) -> bool {
        let k = self.sources.len();
        let stage = match &self.stage {
            Stage::Scaled(factors) => factors.len() == k,
            Stage::MixedRadix(rows) => {
                let mut shapes = rows.iter().zip(&self.sources).enumerate();
                rows.len() == k
                    && shapes.all(|(i, (row, &q))| {
                        row.coefficients.len() == i && row.own.is_some() && row.modulus == q
                    })
            }
        };
        let own = self.takes_own();
        let rows = self
            .rows
            .iter()
            .all(|row| row.coefficients.len() == self.terms() && row.own.is_some() == own);
        stage && rows && self.fraction.as_ref().is_none_or(|f| f.theta.len() == k)
    }

    /// The source moduli `q_0, ..., q_{k-1}`.
    #[must_use]
    pub fn sources(&self) -> &[Modulus] {
        &self.sources
    }

    /// How the terms follow from the source residues.
    #[must_use]
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The fractions, if `v` takes part.
    #[must_use]
    pub fn fraction(&self) -> Option<&Fraction> {
        self.fraction.as_ref()
    }

    /// One row for each destination.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether the destinations' own residues take part.
    #[must_use]
    pub fn takes_own(&self) -> bool {
        self.rows.first().is_some_and(|row| row.own.is_some())
    }

    /// Terms of each row: `k`, and one more for a carry that is a term.
    fn terms(&self) -> usize {
        let carry = matches!(&self.fraction, Some(Fraction { carry: Carry::Term, .. }));
        self.sources.len() + usize::from(carry)
    }

    /// Computes every destination limb. `src` holds the `k` source limbs and then, if
    /// [`Self::takes_own`], one limb modulo each destination modulus; all limbs have one length.
    ///
    /// Source residues must be reduced; others give unspecified residues. The 52-bit code runs at
    /// [`SimdLevel::Avx512Ifma`] when all moduli are below `2^50`; the other levels, and wider
    /// moduli, run the scalar code. Results do not depend on the level.
    ///
    /// # Errors
    /// [`RingError::LengthMismatch`]; [`RingError::SimdUnavailable`] for a level that this machine
    /// has not.
    pub fn apply(&self, level: SimdLevel, src: &[&[u64]], dst: &mut [&mut [u64]]) -> Result<()> {
        let n = self.check(level, src, dst)?;
        let mut scratch = vec![Block([0; BLOCK]); self.terms()];
        let (sources, own) = src.split_at(self.sources.len());
        let mut start = 0;
        #[cfg(target_arch = "x86_64")]
        if let Some(constants) = self.narrow.as_ref().filter(|_| level == SimdLevel::Avx512Ifma) {
            start = n - n % BLOCK;
            // SAFETY: `check` found that this machine has the instructions of the level.
            unsafe { ifma::apply(self, constants, sources, own, dst, start, &mut scratch) };
        }
        while start < n {
            let len = BLOCK.min(n - start);
            self.block(sources, own, dst, start, len, &mut scratch);
            start += len;
        }
        Ok(())
    }

    /// Checks shapes and level; returns the number of coefficients.
    fn check(&self, level: SimdLevel, src: &[&[u64]], dst: &[&mut [u64]]) -> Result<usize> {
        let same = |what, found, expected| {
            let error = RingError::LengthMismatch { what, found, expected };
            if found == expected { Ok(()) } else { Err(error) }
        };
        if !level.is_available() {
            SimdLevel::require(level.name())?;
        }
        let own = if self.takes_own() { self.rows.len() } else { 0 };
        same("source limbs", src.len(), self.sources.len() + own)?;
        same("destination limbs", dst.len(), self.rows.len())?;
        let n = src.first().map_or(0, |limb| limb.len());
        src.iter().try_for_each(|limb| same("coefficients of a source limb", limb.len(), n))?;
        dst.iter()
            .try_for_each(|limb| same("coefficients of a destination limb", limb.len(), n))?;
        let own_moduli = self.rows.iter().map(|row| row.modulus);
        debug_assert!(
            src.iter()
                .zip(self.sources.iter().copied().chain(own_moduli))
                .all(|(limb, q)| limb.iter().all(|&x| x < q.value())),
            "source residues must be reduced"
        );
        Ok(n)
    }

    /// The coefficients `[start, start + len)`, `len <= BLOCK`: the specification.
    fn block(
        &self,
        src: &[&[u64]],
        own: &[&[u64]],
        dst: &mut [&mut [u64]],
        start: usize,
        len: usize,
        scratch: &mut [Block],
    ) {
        let none = [0u128; BLOCK];
        match &self.stage {
            Stage::Scaled(factors) => {
                let limbs = src.iter().zip(&self.sources).zip(factors);
                for (y, ((x, q), &(w, shoup))) in scratch.iter_mut().zip(limbs) {
                    for (y, &x) in y.0.iter_mut().zip(&x[start..start + len]) {
                        *y = q.mul_shoup(x, w, shoup);
                    }
                }
            }
            Stage::MixedRadix(rows) => mixed_radix(rows, src, start, len, scratch),
        }
        let mut initial = none;
        if let Some(fraction) = &self.fraction {
            let carries = fraction.sum(scratch);
            match fraction.carry {
                Carry::Unit => initial = carries,
                Carry::Term => {
                    scratch[self.sources.len()].0 = carries.map(|v| v as u64);
                }
            }
        }
        for (j, (row, out)) in self.rows.iter().zip(dst).enumerate() {
            let own = own.get(j).map(|x| &x[start..start + len]);
            dot(row, scratch, &initial, own, &mut out[start..start + len]);
        }
    }
}

impl Fraction {
    /// `v` of each coefficient of a block.
    fn sum(&self, terms: &[Block]) -> [u128; BLOCK] {
        let (mut low, mut high) = ([0u128; BLOCK], [0u128; BLOCK]);
        for (y, theta) in terms.iter().zip(&self.theta) {
            for (c, &y) in y.0.iter().enumerate() {
                low[c] += u128::from(y) * u128::from(theta[0]);
                high[c] += u128::from(y) * u128::from(theta[1]);
            }
        }
        let half = 1u128 << (HALF_BITS - 1);
        std::array::from_fn(|c| (high[c] + half + (low[c] >> HALF_BITS)) >> HALF_BITS)
    }
}

/// Garner's digits of the coefficients `[start, start + len)`, one block for each limb.
pub(super) fn mixed_radix(
    rows: &[Row],
    src: &[&[u64]],
    start: usize,
    len: usize,
    digits: &mut [Block],
) {
    for (i, (row, x)) in rows.iter().zip(src).enumerate() {
        let (before, rest) = digits.split_at_mut(i);
        let digit = &mut rest[0].0[..len];
        dot(row, before, &[0; BLOCK], Some(&x[start..start + len]), digit);
    }
}

/// `out = initial + sum_i terms_i coefficients_i + own c mod p`, coefficient by coefficient.
fn dot(row: &Row, terms: &[Block], initial: &[u128; BLOCK], own: Option<&[u64]>, out: &mut [u64]) {
    let mut sums = *initial;
    if let (Some(own), Some(factor)) = (own, row.own) {
        for (sum, &x) in sums.iter_mut().zip(own) {
            *sum += u128::from(x) * u128::from(factor);
        }
    }
    let lazy = terms.chunks(LAZY_TERMS).zip(row.coefficients.chunks(LAZY_TERMS));
    for (chunk, (terms, coefficients)) in lazy.enumerate() {
        if chunk > 0 {
            sums = sums.map(|sum| u128::from(row.modulus.reduce_u128(sum)));
        }
        // Four terms at a time, to keep the sums in registers for a while.
        let (four_terms, terms) = terms.as_chunks::<4>();
        let (four_coefficients, coefficients) = coefficients.as_chunks::<4>();
        for ([y0, y1, y2, y3], m) in four_terms.iter().zip(four_coefficients) {
            let m = m.map(u128::from);
            for (c, sum) in sums.iter_mut().enumerate() {
                *sum += u128::from(y0.0[c]) * m[0]
                    + u128::from(y1.0[c]) * m[1]
                    + u128::from(y2.0[c]) * m[2]
                    + u128::from(y3.0[c]) * m[3];
            }
        }
        for (y, &m) in terms.iter().zip(coefficients) {
            for (sum, &y) in sums.iter_mut().zip(&y.0) {
                *sum += u128::from(y) * u128::from(m);
            }
        }
    }
    for (out, &sum) in out.iter_mut().zip(&sums) {
        *out = row.modulus.reduce_u128(sum);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{TestRandom, at_every_level};
    use super::*;
    use num_bigint::{BigInt, BigUint};
    use proptest::prelude::*;

    fn modulus(q: u64) -> Modulus {
        Modulus::new(q).unwrap()
    }

    /// The three lines of the module, with wide integers, for one coefficient.
    fn model(combination: &Combination, x: &[u64]) -> Vec<u64> {
        let Stage::Scaled(factors) = &combination.stage else { panic!("not modelled here") };
        let k = factors.len();
        let mut terms: Vec<BigUint> = (combination.sources.iter().zip(factors).zip(x))
            .map(|((q, &(w, _)), &x)| BigUint::from(x) * w % q.value())
            .collect();
        let mut unit = BigUint::from(0u32);
        if let Some(fraction) = &combination.fraction {
            let theta = |t: &[u64; 2]| (BigUint::from(t[1]) << 52) + t[0];
            let sum: BigUint = terms.iter().zip(&fraction.theta).map(|(y, t)| y * theta(t)).sum();
            let v = (sum + (BigUint::from(1u32) << 103)) >> 104;
            match fraction.carry {
                Carry::Unit => unit = v,
                Carry::Term => terms.push(v),
            }
        }
        let row = |(j, row): (usize, &Row)| {
            let sum: BigUint = terms.iter().zip(&row.coefficients).map(|(y, m)| y * m).sum();
            let own = row.own.map_or(BigUint::from(0u32), |c| BigUint::from(x[k + j]) * c);
            let residue = (sum + own + &unit) % row.modulus.value();
            residue.try_into().unwrap()
        };
        combination.rows.iter().enumerate().map(row).collect()
    }

    /// Tables with every entry as large as it can be, and as large residues: the sums' bounds.
    #[test]
    fn the_largest_sums_do_not_overflow() {
        for (q, rows) in [
            ((1 << 61) - 1, vec![(1 << 61) - 1, 2, (1 << 61) - 2]),
            ((1 << 50) - 27, vec![(1 << 50) - 27, 2, (1 << 50) - 1, 3, 1 << 49]),
            ((1 << 31) - 1, vec![(1 << 50) - 1, (1 << 31) - 1]),
        ] {
            for k in [1, 13, 14, 15, 16, 28, 29, 31, 32, 33, 64, 127, 128] {
                for carry in [None, Some(Carry::Unit), Some(Carry::Term)] {
                    let sources = vec![modulus(q); k];
                    let stage = Stage::Scaled(vec![(1, modulus(q).shoup(1)); k]);
                    let theta = match carry {
                        Some(Carry::Term) => (1 << 104) / u128::from(q),
                        _ => (1 << 104) - 1,
                    };
                    let fraction = carry.map(|c| Fraction::new(vec![theta; k].into_iter(), c));
                    let terms = k + usize::from(carry == Some(Carry::Term));
                    let row = |&p: &u64| Row::new(modulus(p), vec![p - 1; terms], Some(p - 1));
                    let table: Vec<_> = rows.iter().map(row).collect();
                    let plan = Combination::new(&sources, stage, fraction, table).unwrap();
                    let x: Vec<_> = [vec![q - 1; k], rows.iter().map(|p| p - 1).collect()].concat();
                    // Whole blocks and a tail.
                    let src: Vec<_> = x.iter().map(|&x| vec![x; 2 * BLOCK + 5]).collect();
                    let out = at_every_level(&src, rows.len(), |l, s, d| plan.apply(l, s, d));
                    for (limb, expected) in out.iter().zip(model(&plan, &x)) {
                        assert!(limb.iter().all(|&y| y == expected), "{q} {k} {carry:?}");
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn random_tables_equal_the_model(
            seed: u64,
            bits in prop::collection::vec(1u32..=50, 1..20),
            wide: bool,
            rows in 1usize..6,
            n in 0usize..100,
            own: bool,
            carry in prop::option::of(prop::bool::ANY),
        ) {
            let mut random = TestRandom(seed);
            let mut any_modulus = |bits: u32| {
                let bits = if wide { bits + 11 } else { bits };
                modulus((random.word() >> (64 - bits)).max(2))
            };
            let sources: Vec<_> = bits.iter().map(|&b| any_modulus(b)).collect();
            let targets: Vec<_> = (0..rows).map(|j| any_modulus(bits[j % bits.len()])).collect();
            let k = sources.len();
            let stage = Stage::Scaled(sources.iter().map(|q| {
                let w = q.reduce(random.word());
                (w, q.shoup(w))
            }).collect());
            let fraction = carry.map(|unit| {
                let fractions = sources.iter().map(|q| {
                    if unit { fraction_round(q.reduce(random.word()), q.value()) } else { fraction_floor(1, q.value()) }
                }).collect::<Vec<_>>();
                Fraction::new(fractions.into_iter(), if unit { Carry::Unit } else { Carry::Term })
            });
            let terms = k + usize::from(carry == Some(false));
            let table = targets.iter().map(|p| {
                let coefficients = (0..terms).map(|_| p.reduce(random.word())).collect();
                Row::new(*p, coefficients, own.then(|| p.reduce(random.word())))
            }).collect();
            let plan = Combination::new(&sources, stage, fraction, table).unwrap();
            let limbs = sources.iter().chain(if own { &targets[..] } else { &[] });
            let src: Vec<Vec<u64>> =
                limbs.map(|q| (0..n).map(|_| q.reduce(random.word())).collect()).collect();
            let out = at_every_level(&src, rows, |l, s, d| plan.apply(l, s, d));
            for c in 0..n {
                let column = |limbs: &[Vec<u64>]| limbs.iter().map(|l| l[c]).collect::<Vec<_>>();
                prop_assert_eq!(column(&out), model(&plan, &column(&src)));
            }
        }

        #[test]
        fn fractions_equal_wide_division(numerator: u64, q in 2u64..1 << 61) {
            let numerator = numerator % q;
            let scaled = BigInt::from(numerator) << 104;
            prop_assert_eq!(BigInt::from(fraction_floor(numerator, q)), &scaled / q);
            let rounded: BigInt = (scaled * 2 + q) / (BigInt::from(q) * 2);
            prop_assert_eq!(BigInt::from(fraction_round(numerator, q)), rounded);
            prop_assert!(fraction_round(q - 1, q) < 1 << 104);
        }
    }
}
