//! Computing on ciphertexts, written once for both schemes.
//!
//! Every operation first computes the noise bound of its result and refuses when nothing
//! would be guaranteed any more. In [`Mode::Automatic`] levels are aligned, BGV ciphertexts
//! switched to the level that leaves most room, and products relinearised; in [`Mode::Strict`]
//! exactly what was said is done, and what does not fit is an error.

use super::ciphertext::{Ciphertext, Quadratic};
use super::context::Context;
use super::keys::EvaluationKeys;
use super::plaintext::Plaintext;
use crate::encode::batch::rotation_element;
use crate::error::{Error, Result};
use cyclotron_engine::{DomainMarker, Evaluation, LimbSet, Poly, Stream};
use cyclotron_ring::norms::Norms;
use std::ops::Deref;
use std::sync::Arc;

/// Who manages levels and relinearisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The evaluator.
    #[default]
    Automatic,
    /// The caller.
    Strict,
}

/// Computes on ciphertexts of one context; needs no secret.
#[derive(Debug, Clone)]
pub struct Evaluator {
    context: Arc<Context>,
    keys: EvaluationKeys,
    mode: Mode,
}

/// An operand as given, or a copy brought to another level or factor.
enum Operand<'a> {
    Given(&'a Ciphertext),
    Made(Box<Ciphertext>),
}

impl Deref for Operand<'_> {
    type Target = Ciphertext;

    fn deref(&self) -> &Ciphertext {
        match self {
            Self::Given(ciphertext) => ciphertext,
            Self::Made(ciphertext) => ciphertext,
        }
    }
}

/// Addition or subtraction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

impl Evaluator {
    /// An evaluator with the keys it may use.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`] for keys of other parameters.
    pub fn new(context: &Arc<Context>, keys: EvaluationKeys, mode: Mode) -> Result<Self> {
        if let Some(key) = &keys.relinearization {
            context.check_id("relinearisation key", key.id())?;
        }
        if let Some(key) = &keys.galois {
            context.check_id("Galois keys", key.id())?;
        }
        Ok(Self { context: Arc::clone(context), keys, mode })
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Who manages levels and relinearisation.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Bits between a ciphertext's noise bound and the capacity of its level.
    #[must_use]
    pub fn margin(&self, a: &Ciphertext) -> f64 {
        self.context.parameters().noise().margin(&a.noise, a.level)
    }

    /// `a + b`.
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`], [`Error::ParameterMismatch`]; in strict mode
    /// [`Error::LevelMismatch`] and [`Error::FactorMismatch`].
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.combine("add", a, b, Sign::Plus)
    }

    /// `a - b`.
    ///
    /// # Errors
    /// As [`Evaluator::add`].
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let mut difference = self.combine("sub", a, b, Sign::Minus)?;
        difference.transparent |= std::ptr::eq(a, b);
        Ok(difference)
    }

    /// `-a`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; engine errors.
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.check(a)?;
        let stream = self.context.stream();
        let mut out = a.duplicate(&stream)?;
        out.seed = None;
        stream.neg_assign(&mut out.linear)?;
        match &mut out.quadratic {
            Some(Quadratic::Coefficient(poly)) => stream.neg_assign(poly)?,
            Some(Quadratic::Evaluation(poly)) => stream.neg_assign(poly)?,
            None => {}
        }
        Ok(out)
    }

    /// `a + m`.
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`], [`Error::ParameterMismatch`]; engine errors.
    pub fn add_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext> {
        self.combine_plain("add_plain", a, plaintext, Sign::Plus)
    }

    /// `a - m`.
    ///
    /// # Errors
    /// As [`Evaluator::add_plain`].
    pub fn sub_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext> {
        self.combine_plain("sub_plain", a, plaintext, Sign::Minus)
    }

    /// `a m`. Multiplying by zero is allowed and gives a transparent ciphertext. The noise bound
    /// of the result depends on `m`, which is public.
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`], [`Error::ParameterMismatch`], [`Error::NotLinear`]; engine
    /// errors.
    pub fn mul_plain(&self, a: &Ciphertext, plaintext: &Plaintext) -> Result<Ciphertext> {
        self.check(a)?;
        self.context.check_id("plaintext", plaintext.id())?;
        let stream = self.context.stream();
        let a = self.linear("mul_plain", Operand::Given(a))?;
        let norms = plaintext.norms();
        let noise = self.context.parameters().noise().mul_plain(a.noise, norms);
        self.admit("mul_plain", &noise, a.level)?;
        let lifted = plaintext.lift(&stream, &self.context.shape(a.level, 1)?)?;
        let linear = stream.mul(&a.linear, &stream.forward(lifted)?)?;
        let transparent = a.transparent || norms.is_zero();
        Ok(Ciphertext { linear, quadratic: None, noise, seed: None, transparent, ..*a })
    }

    /// `a b`. In automatic mode the operands are brought to the level that leaves the most room,
    /// and the product is relinearised when there is a key; in strict mode it has three
    /// polynomials.
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`], [`Error::ParameterMismatch`]; in strict mode
    /// [`Error::LevelMismatch`] and [`Error::NotLinear`].
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let product = self.product(a, b)?;
        match (self.mode, &self.keys.relinearization) {
            (Mode::Automatic, Some(_)) => self.relinearize(&product),
            _ => Ok(product),
        }
    }

    /// `sum_i a_i b_i` with one relinearisation.
    ///
    /// # Errors
    /// [`Error::TooManyValues`] for no pair at all; otherwise as [`Evaluator::mul`].
    pub fn sum_of_products(&self, pairs: &[(&Ciphertext, &Ciphertext)]) -> Result<Ciphertext> {
        let Some((first, rest)) = pairs.split_first() else {
            return Err(Error::TooManyValues { found: 0, capacity: usize::MAX });
        };
        let mut sum = self.product(first.0, first.1)?;
        for (a, b) in rest {
            sum = self.add(&sum, &self.product(a, b)?)?;
        }
        match (self.mode, &self.keys.relinearization) {
            (Mode::Automatic, Some(_)) => self.relinearize(&sum),
            _ => Ok(sum),
        }
    }

    /// The same message in two polynomials.
    ///
    /// # Errors
    /// [`Error::MissingKey`], [`Error::NoiseExhausted`]; engine errors.
    pub fn relinearize(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.check(a)?;
        let stream = self.context.stream();
        let Some(quadratic) = &a.quadratic else { return a.duplicate(&stream) };
        let key = self.keys.relinearization("relinearize")?;
        let noise = a.noise + self.context.parameters().noise().key_switch(a.level);
        self.admit("relinearize", &noise, a.level)?;
        let mut linear = match quadratic {
            Quadratic::Coefficient(x) => key.key.apply(&self.context, &stream, a.level, x, None)?,
            Quadratic::Evaluation(values) => {
                let x = stream.inverse(stream.duplicate(values)?)?;
                key.key.apply(&self.context, &stream, a.level, &x, Some(values))?
            }
        };
        stream.add_assign(&mut linear, &a.linear)?;
        Ok(Ciphertext { linear, quadratic: None, noise, seed: None, ..*a })
    }

    /// The same message at a lower level: a smaller modulus, smaller noise, a smaller file.
    ///
    /// # Errors
    /// [`Error::LevelOutOfRange`] for a level above the present one, [`Error::NoiseExhausted`].
    pub fn mod_switch(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        self.check(a)?;
        self.context.check_level(level, a.level)?;
        let stream = self.context.stream();
        if level == a.level {
            return a.duplicate(&stream);
        }
        let noise =
            self.context.parameters().noise().mod_switch(a.noise, a.parts(), a.level, level);
        self.admit("mod_switch", &noise, level)?;
        let scheme = self.context.scheme();
        let mut factor = a.factor;
        let mut linear: Option<Poly<Evaluation>> = None;
        let mut quadratic = None;
        for to in (level..a.level).rev() {
            let source = linear.as_ref().unwrap_or(&a.linear);
            let next = self.drop_limb(&stream, source, to)?;
            linear = Some(next);
            quadratic = match quadratic.as_ref().or(a.quadratic.as_ref()) {
                None => None,
                Some(Quadratic::Coefficient(poly)) => {
                    Some(Quadratic::Coefficient(self.drop_limb(&stream, poly, to)?))
                }
                Some(Quadratic::Evaluation(poly)) => {
                    Some(Quadratic::Evaluation(self.drop_limb(&stream, poly, to)?))
                }
            };
            factor = scheme.factor_after_drop(factor, to);
        }
        let Some(linear) = linear else { return a.duplicate(&stream) };
        Ok(Ciphertext { linear, quadratic, level, noise, factor, seed: None, ..*a })
    }

    /// `a(x^element)`: permutes the slots.
    ///
    /// # Errors
    /// [`Error::MissingKey`], [`Error::NotLinear`], [`Error::NoiseExhausted`]; engine errors.
    pub fn automorphism(&self, a: &Ciphertext, element: u64) -> Result<Ciphertext> {
        self.check(a)?;
        let key = self.keys.galois("automorphism", element)?;
        let a = self.linear("automorphism", Operand::Given(a))?;
        let noise = a.noise + self.context.parameters().noise().key_switch(a.level);
        self.admit("automorphism", &noise, a.level)?;
        let stream = self.context.stream();
        let image = stream.automorphism(&a.linear, element)?;
        let limbs = self.context.limbs(a.level);
        let values = stream.select(&image, &limbs, 1, 1)?;
        let x = stream.inverse(stream.duplicate(&values)?)?;
        let mut linear = key.apply(&self.context, &stream, a.level, &x, Some(&values))?;
        self.add_to_body(&stream, &mut linear, &image)?;
        Ok(Ciphertext { linear, quadratic: None, noise, seed: None, ..*a })
    }

    /// Several automorphisms of one ciphertext, its digits taken once (hoisting: Halevi and
    /// Shoup, eprint 2018/244).
    ///
    /// # Errors
    /// As [`Evaluator::automorphism`].
    pub fn automorphisms(&self, a: &Ciphertext, elements: &[u64]) -> Result<Vec<Ciphertext>> {
        self.check(a)?;
        let a = self.linear("automorphisms", Operand::Given(a))?;
        let noise = a.noise + self.context.parameters().noise().key_switch(a.level);
        self.admit("automorphisms", &noise, a.level)?;
        let keys = elements
            .iter()
            .map(|&element| self.keys.galois("automorphisms", element))
            .collect::<Result<Vec<_>>>()?;
        let stream = self.context.stream();
        let plan = self.context.switching_plan(a.level)?;
        let values = stream.select(&a.linear, &self.context.limbs(a.level), 1, 1)?;
        let x = stream.inverse(stream.duplicate(&values)?)?;
        let digits = stream.digits(&plan.decompose, &x, Some(&values))?;
        elements
            .iter()
            .zip(keys)
            .map(|(&element, key)| {
                let rotated = stream.automorphism(&digits, element)?;
                let mut linear = stream.gadget_product(&plan, &rotated, &key.pairs)?;
                self.add_to_body(&stream, &mut linear, &stream.automorphism(&a.linear, element)?)?;
                Ok(Ciphertext { linear, quadratic: None, noise, seed: None, ..*a })
            })
            .collect()
    }

    /// Rotates both rows of slots to the left by `steps` (to the right when negative). In
    /// automatic mode a rotation without a key of its own is composed of powers of two.
    ///
    /// # Errors
    /// [`Error::MissingKey`]; otherwise as [`Evaluator::automorphism`].
    pub fn rotate(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext> {
        self.check(a)?;
        let degree = self.context.parameters().degree();
        let row = (degree / 2) as i64;
        let steps = steps.rem_euclid(row);
        let element = |steps: i64| rotation_element(degree, steps);
        if steps == 0 {
            return a.duplicate(&self.context.stream());
        }
        let direct = self.keys.galois("rotate", element(steps));
        if direct.is_ok() || self.mode == Mode::Strict {
            direct?;
            return self.automorphism(a, element(steps));
        }
        let powers: Vec<i64> =
            (0..63).map(|bit| 1i64 << bit).filter(|power| steps & power != 0).collect();
        if powers.iter().any(|&power| self.keys.galois("rotate", element(power)).is_err()) {
            direct?;
        }
        let mut rotated = self.automorphism(a, element(powers[0]))?;
        for &power in &powers[1..] {
            rotated = self.automorphism(&rotated, element(power))?;
        }
        Ok(rotated)
    }

    /// Exchanges the two rows of slots.
    ///
    /// # Errors
    /// As [`Evaluator::automorphism`].
    pub fn swap_rows(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.automorphism(a, 2 * self.context.parameters().degree() as u64 - 1)
    }

    /// The sum of all slots, in every slot: `log2(n)` rotations.
    ///
    /// # Errors
    /// As [`Evaluator::rotate`].
    pub fn sum_slots(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let row = (self.context.parameters().degree() / 2) as i64;
        let mut sum = self.add(a, &self.swap_rows(a)?)?;
        let mut steps = 1;
        while steps < row {
            sum = self.add(&sum, &self.rotate(&sum, steps)?)?;
            steps *= 2;
        }
        Ok(sum)
    }

    fn check(&self, a: &Ciphertext) -> Result<()> {
        self.context.check_id("ciphertext", a.id)
    }

    /// Refuses a result whose bound passes the capacity.
    fn admit(&self, operation: &'static str, noise: &Norms, level: usize) -> Result<()> {
        let capacity = self.context.parameters().noise().capacity(level);
        let bound = noise.inf_log2();
        if bound > capacity {
            return Err(Error::NoiseExhausted { operation, bound, capacity });
        }
        Ok(())
    }

    /// An operand of two polynomials: relinearised in automatic mode.
    fn linear<'a>(&self, operation: &'static str, a: Operand<'a>) -> Result<Operand<'a>> {
        if a.quadratic.is_some() && self.mode == Mode::Automatic {
            return Ok(Operand::Made(Box::new(self.relinearize(&a)?)));
        }
        a.require_linear(operation)?;
        Ok(a)
    }

    /// An operand at a level that is not above its own.
    fn at_level<'a>(&self, a: Operand<'a>, level: usize) -> Result<Operand<'a>> {
        if a.level == level {
            return Ok(a);
        }
        Ok(Operand::Made(Box::new(self.mod_switch(&a, level)?)))
    }

    /// An operand multiplied by a small integer.
    fn scaled<'a>(&self, stream: &Stream, a: Operand<'a>, factor: u64) -> Result<Operand<'a>> {
        if factor == 1 {
            return Ok(a);
        }
        let t = self.context.parameters().plaintext_modulus();
        let centred = t.to_centred(factor);
        let moduli = &self.context.parameters().moduli()[..=a.level];
        let factors: Vec<u64> = moduli.iter().map(|q| q.from_signed(centred)).collect();
        let mut out = a.duplicate(stream)?;
        stream.scale_assign(&mut out.linear, &factors)?;
        match &mut out.quadratic {
            Some(Quadratic::Coefficient(poly)) => stream.scale_assign(poly, &factors)?,
            Some(Quadratic::Evaluation(poly)) => stream.scale_assign(poly, &factors)?,
            None => {}
        }
        out.noise = a.noise.times(centred.unsigned_abs() as f64);
        out.factor = t.mul(a.factor, factor);
        Ok(Operand::Made(Box::new(out)))
    }

    fn combine(
        &self,
        operation: &'static str,
        a: &Ciphertext,
        b: &Ciphertext,
        sign: Sign,
    ) -> Result<Ciphertext> {
        self.check(a)?;
        self.check(b)?;
        if self.mode == Mode::Strict && a.level != b.level {
            return Err(Error::LevelMismatch { operation, left: a.level, right: b.level });
        }
        let stream = self.context.stream();
        let level = a.level.min(b.level);
        let mut a = self.at_level(Operand::Given(a), level)?;
        let mut b = self.at_level(Operand::Given(b), level)?;
        if a.factor != b.factor {
            if self.mode == Mode::Strict {
                let (left, right) = (a.factor, b.factor);
                return Err(Error::FactorMismatch { operation, left, right });
            }
            let (f, g) = self.context.scheme().balance(a.factor, b.factor);
            a = self.scaled(&stream, a, f)?;
            b = self.scaled(&stream, b, g)?;
        }
        let noise = a.noise + b.noise;
        self.admit(operation, &noise, level)?;
        let linear = combine_polys(&stream, &a.linear, &b.linear, sign)?;
        let quadratic = match (&a.quadratic, &b.quadratic) {
            (None, None) => None,
            (Some(Quadratic::Coefficient(x)), Some(Quadratic::Coefficient(y))) => {
                Some(Quadratic::Coefficient(combine_polys(&stream, x, y, sign)?))
            }
            (Some(Quadratic::Evaluation(x)), Some(Quadratic::Evaluation(y))) => {
                Some(Quadratic::Evaluation(combine_polys(&stream, x, y, sign)?))
            }
            (Some(x), Some(y)) => {
                let (x, y) = (x.to_values(&stream)?, y.to_values(&stream)?);
                Some(Quadratic::Evaluation(combine_polys(&stream, &x, &y, sign)?))
            }
            (Some(x), None) => Some(x.duplicate(&stream)?),
            (None, Some(y)) => {
                let mut y = y.duplicate(&stream)?;
                if sign == Sign::Minus {
                    match &mut y {
                        Quadratic::Coefficient(poly) => stream.neg_assign(poly)?,
                        Quadratic::Evaluation(poly) => stream.neg_assign(poly)?,
                    }
                }
                Some(y)
            }
        };
        let transparent = a.transparent && b.transparent;
        Ok(Ciphertext { linear, quadratic, noise, seed: None, transparent, ..*a })
    }

    fn combine_plain(
        &self,
        operation: &'static str,
        a: &Ciphertext,
        plaintext: &Plaintext,
        sign: Sign,
    ) -> Result<Ciphertext> {
        self.check(a)?;
        let context = &*self.context;
        context.check_id("plaintext", plaintext.id())?;
        let noise = a.noise + context.parameters().noise().message();
        self.admit(operation, &noise, a.level)?;
        let stream = context.stream();
        let embedded = context.scheme().embed(context, &stream, plaintext, a.level, a.factor)?;
        let message = stream.forward(embedded)?;
        let mut out = a.duplicate(&stream)?;
        let mut body = stream.select(&out.linear, &context.limbs(a.level), 0, 1)?;
        match sign {
            Sign::Plus => stream.add_assign(&mut body, &message)?,
            Sign::Minus => stream.sub_assign(&mut body, &message)?,
        }
        stream.place(&mut out.linear, 0, &body)?;
        // The mask is untouched, but the seed of a fresh ciphertext promises a fresh bound too.
        out.seed = None;
        out.noise = noise;
        Ok(out)
    }

    /// The product with three polynomials.
    fn product(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.check(a)?;
        self.check(b)?;
        let operation = "mul";
        let context = &*self.context;
        if self.mode == Mode::Strict && a.level != b.level {
            return Err(Error::LevelMismatch { operation, left: a.level, right: b.level });
        }
        let a = self.linear(operation, Operand::Given(a))?;
        let b = self.linear(operation, Operand::Given(b))?;
        let level = match self.mode {
            Mode::Automatic => {
                context.parameters().noise().product_level(a.noise, a.level, b.noise, b.level)
            }
            Mode::Strict => a.level,
        };
        let a = self.at_level(a, level)?;
        let b = self.at_level(b, level)?;
        let noise = context.parameters().noise().multiply(a.noise, b.noise, level);
        self.admit(operation, &noise, level)?;
        let stream = context.stream();
        let (linear, quadratic) = context.scheme().tensor(context, &stream, &a, &b)?;
        Ok(Ciphertext {
            id: context.id(),
            linear,
            quadratic: Some(quadratic),
            level,
            noise,
            factor: context.parameters().plaintext_modulus().mul(a.factor, b.factor),
            seed: None,
            // Zero times anything is zero; a transparent message times an honest one is not.
            transparent: (a.transparent && b.transparent) || noise.is_zero(),
        })
    }

    fn drop_limb<D: DomainMarker>(
        &self,
        stream: &Stream,
        a: &Poly<D>,
        to: usize,
    ) -> Result<Poly<D>> {
        let max = self.context.parameters().max_level();
        let plan = self.context.scheme().drop_plan(to);
        let plan = plan.ok_or(Error::LevelOutOfRange { level: to + 1, min: 0, max })?;
        let dropped = LimbSet::new([to + 1]);
        Ok(stream.divide_round(plan, a, &self.context.limbs(to), &dropped)?)
    }

    /// Adds the first polynomial of `image` to the first of `pair`.
    fn add_to_body(
        &self,
        stream: &Stream,
        pair: &mut Poly<Evaluation>,
        image: &Poly<Evaluation>,
    ) -> Result<()> {
        let limbs = pair.shape().limbs.clone();
        let mut body = stream.select(pair, &limbs, 0, 1)?;
        stream.add_assign(&mut body, &stream.select(image, &limbs, 0, 1)?)?;
        Ok(stream.place(pair, 0, &body)?)
    }
}

fn combine_polys<D: DomainMarker>(
    stream: &Stream,
    a: &Poly<D>,
    b: &Poly<D>,
    sign: Sign,
) -> Result<Poly<D>> {
    Ok(match sign {
        Sign::Plus => stream.add(a, b)?,
        Sign::Minus => stream.sub(a, b)?,
    })
}
