//! Computing on encrypted vectors.

use super::context::VectorContext;
use super::keys::VectorEvaluationKeys;
use super::layout::{Encoding, EncryptedVector, Layout};
use super::residues::Values;
use crate::error::{Error, Result};
use crate::rlwe::{Ciphertext, Evaluator, Mode, Plaintext};
use std::sync::Arc;

/// The second operand of an operation.
#[derive(Debug, Clone, Copy)]
pub enum Operand<'a> {
    /// An encrypted vector.
    Encrypted(&'a EncryptedVector),
    /// Public values. In slots a single value stands for one in every place of the other operand;
    /// in coefficients it is the constant term, so that a sum changes the first value alone.
    Plain(Values<'a>),
}

/// Computes on vectors of one context; needs no secret.
#[derive(Debug, Clone)]
pub struct VectorEvaluator {
    context: Arc<VectorContext>,
    channels: Vec<Evaluator>,
}

impl VectorEvaluator {
    /// An evaluator with the keys it may use.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn new(
        context: &Arc<VectorContext>,
        keys: &VectorEvaluationKeys,
        mode: Mode,
    ) -> Result<Self> {
        let channels = context
            .pairs(&keys.channels, "evaluation keys")?
            .map(|(channel, keys)| Evaluator::new(&channel.context, keys.clone(), mode))
            .collect::<Result<_>>()?;
        Ok(Self { context: Arc::clone(context), channels })
    }

    /// An evaluator without keys: sums, and products with public values.
    ///
    /// # Errors
    /// Never for a well-formed context.
    pub fn without_keys(context: &Arc<VectorContext>, mode: Mode) -> Result<Self> {
        let channels = vec![crate::rlwe::EvaluationKeys::default(); context.channels().len()];
        Self::new(context, &VectorEvaluationKeys { channels }, mode)
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Arc<VectorContext> {
        &self.context
    }

    /// `a + b`.
    ///
    /// # Errors
    /// [`Error::EncodingMismatch`] for layouts that do not go together; otherwise as
    /// [`Evaluator::add`].
    pub fn add(&self, a: &EncryptedVector, b: Operand<'_>) -> Result<EncryptedVector> {
        self.linear("add", a, b, Evaluator::add, Evaluator::add_plain)
    }

    /// `a - b`.
    ///
    /// # Errors
    /// As [`VectorEvaluator::add`].
    pub fn sub(&self, a: &EncryptedVector, b: Operand<'_>) -> Result<EncryptedVector> {
        self.linear("sub", a, b, Evaluator::sub, Evaluator::sub_plain)
    }

    /// `a b`: place by place in slots, a negacyclic convolution in coefficients.
    ///
    /// # Errors
    /// As [`VectorEvaluator::add`]; [`Error::MissingKey`] as [`Evaluator::mul`].
    pub fn mul(&self, a: &EncryptedVector, b: Operand<'_>) -> Result<EncryptedVector> {
        match b {
            Operand::Encrypted(b) => {
                let layout =
                    together("mul", &a.layout, &b.layout, Rule::Product, self.context.capacity())?;
                self.zip(a, b, layout, Evaluator::mul)
            }
            Operand::Plain(values) => {
                let (plain, layout) = self.plain("mul", &a.layout, values, Rule::Product)?;
                self.zip_plain(a, &plain, layout, Evaluator::mul_plain)
            }
        }
    }

    /// `-a`.
    ///
    /// # Errors
    /// As [`Evaluator::neg`].
    pub fn neg(&self, a: &EncryptedVector) -> Result<EncryptedVector> {
        self.map(a, a.layout, Evaluator::neg)
    }

    /// The sum of all values, in every slot.
    ///
    /// # Errors
    /// [`Error::EncodingMismatch`] for coefficients, [`Error::MissingKey`],
    /// [`Error::NoiseExhausted`].
    pub fn sum(&self, a: &EncryptedVector) -> Result<EncryptedVector> {
        slots_only("sum", &a.layout)?;
        if a.layout.replicated {
            return self
                .map(a, a.layout, |evaluator, a| a.duplicate(&evaluator.context().stream()));
        }
        let layout = Layout { length: 1, replicated: true, clean: false, ..a.layout };
        let cleaned = self.cleaned(a)?;
        self.map(cleaned.as_ref().unwrap_or(a), layout, Evaluator::sum_slots)
    }

    /// `sum_i a_i b_i`, in every slot.
    ///
    /// # Errors
    /// As [`VectorEvaluator::mul`] and [`VectorEvaluator::sum`].
    pub fn dot(&self, a: &EncryptedVector, b: Operand<'_>) -> Result<EncryptedVector> {
        slots_only("dot", &a.layout)?;
        self.sum(&self.mul(a, b)?)
    }

    /// Rotates both rows of `n/2` slots to the left; the result has all `n` places.
    ///
    /// # Errors
    /// [`Error::EncodingMismatch`] for coefficients, [`Error::MissingKey`].
    pub fn rotate(&self, a: &EncryptedVector, steps: i64) -> Result<EncryptedVector> {
        slots_only("rotate", &a.layout)?;
        let length = self.context.capacity();
        let layout = if a.layout.replicated { a.layout } else { Layout { length, ..a.layout } };
        self.map(a, layout, |evaluator, a| evaluator.rotate(a, steps))
    }

    /// Exchanges the two rows of slots; the result has all `n` places.
    ///
    /// # Errors
    /// As [`VectorEvaluator::rotate`].
    pub fn swap_rows(&self, a: &EncryptedVector) -> Result<EncryptedVector> {
        slots_only("swap_rows", &a.layout)?;
        let length = self.context.capacity();
        let layout = if a.layout.replicated { a.layout } else { Layout { length, ..a.layout } };
        self.map(a, layout, Evaluator::swap_rows)
    }

    /// The same values at a lower level.
    ///
    /// # Errors
    /// As [`Evaluator::mod_switch`].
    pub fn mod_switch(&self, a: &EncryptedVector, level: usize) -> Result<EncryptedVector> {
        self.map(a, a.layout, |evaluator, a| evaluator.mod_switch(a, level))
    }

    /// The same values at the lowest level that keeps at least `margin` bits between noise bound
    /// and capacity: what is sent back to the client is then as small as can be.
    ///
    /// # Errors
    /// As [`Evaluator::mod_switch`].
    pub fn shrink(&self, a: &EncryptedVector, margin: f64) -> Result<EncryptedVector> {
        self.map(a, a.layout, |evaluator, a| {
            let noise = evaluator.context().parameters().noise();
            let fits = |&level: &usize| {
                noise.margin(&noise.mod_switch(a.noise(), a.parts(), a.level(), level), level)
                    >= margin
            };
            evaluator.mod_switch(a, (0..a.level).find(fits).unwrap_or(a.level))
        })
    }

    /// Two polynomials in every channel.
    ///
    /// # Errors
    /// As [`Evaluator::relinearize`].
    pub fn relinearize(&self, a: &EncryptedVector) -> Result<EncryptedVector> {
        self.map(a, a.layout, Evaluator::relinearize)
    }

    /// A vector whose places after the first `length` are zero: the same, or masked.
    fn cleaned(&self, a: &EncryptedVector) -> Result<Option<EncryptedVector>> {
        if a.layout.clean || a.layout.length == self.context.capacity() {
            return Ok(None);
        }
        // Encoded here and not through `mul`, where a single 1 would stand for a 1 in every place.
        let ones = vec![1i64; a.layout.length];
        let Layout { encoding, signed, .. } = a.layout;
        let mask = self.context.encode(Values::I64(&ones), encoding, signed)?;
        let layout = Layout { clean: true, ..a.layout };
        self.zip_plain(a, &mask, layout, Evaluator::mul_plain).map(Some)
    }

    fn linear(
        &self,
        operation: &'static str,
        a: &EncryptedVector,
        b: Operand<'_>,
        encrypted: impl Fn(&Evaluator, &Ciphertext, &Ciphertext) -> Result<Ciphertext>,
        plain: impl Fn(&Evaluator, &Ciphertext, &Plaintext) -> Result<Ciphertext>,
    ) -> Result<EncryptedVector> {
        match b {
            Operand::Encrypted(b) => {
                let layout =
                    together(operation, &a.layout, &b.layout, Rule::Sum, self.context.capacity())?;
                self.zip(a, b, layout, encrypted)
            }
            Operand::Plain(values) => {
                let (encoded, layout) = self.plain(operation, &a.layout, values, Rule::Sum)?;
                self.zip_plain(a, &encoded, layout, plain)
            }
        }
    }

    /// Public values encoded to go with a vector.
    fn plain(
        &self,
        operation: &'static str,
        layout: &Layout,
        values: Values<'_>,
        rule: Rule,
    ) -> Result<(Vec<Plaintext>, Layout)> {
        let capacity = self.context.capacity();
        let repeated: Vec<i128>;
        // A scalar in slots stands in every place that counts; in coefficients, it is the
        // constant term.
        let spread = values.len() == 1 && layout.encoding == Encoding::Slots;
        // A factor may stand in the padding too, which stays zero: it is then a constant
        // polynomial, with the least noise.
        let everywhere = spread && (layout.replicated || rule == Rule::Product);
        let values = if spread {
            let length = if everywhere { capacity } else { layout.length };
            repeated = vec![values.get(0); length];
            Values::I128(&repeated)
        } else {
            values
        };
        let replicated = spread && layout.replicated;
        let length = if spread { layout.length } else { values.len() };
        // Public values are not extended: a list of another length is more likely a mistake.
        let slots = layout.encoding == Encoding::Slots;
        if slots && !layout.replicated && length != layout.length {
            let left = layout.to_string();
            let right = format!("{length} public values");
            return Err(Error::EncodingMismatch { operation, left, right });
        }
        let own = Layout { length, replicated, clean: !everywhere, ..*layout };
        let joined = together(operation, layout, &own, rule, capacity)?;
        Ok((self.context.encode(values, layout.encoding, layout.signed)?, joined))
    }

    fn map(
        &self,
        a: &EncryptedVector,
        layout: Layout,
        f: impl Fn(&Evaluator, &Ciphertext) -> Result<Ciphertext>,
    ) -> Result<EncryptedVector> {
        let channels = self
            .context
            .pairs(&a.channels, "encrypted vector")?
            .zip(&self.channels)
            .map(|((_, a), evaluator)| {
                evaluator.context().check_id("encrypted vector", a.id)?;
                f(evaluator, a)
            })
            .collect::<Result<_>>()?;
        Ok(EncryptedVector { channels, layout })
    }

    fn zip(
        &self,
        a: &EncryptedVector,
        b: &EncryptedVector,
        layout: Layout,
        f: impl Fn(&Evaluator, &Ciphertext, &Ciphertext) -> Result<Ciphertext>,
    ) -> Result<EncryptedVector> {
        let right = self.context.pairs(&b.channels, "encrypted vector")?;
        let channels = self
            .context
            .pairs(&a.channels, "encrypted vector")?
            .zip(right)
            .zip(&self.channels)
            .map(|(((_, a), (_, b)), evaluator)| f(evaluator, a, b))
            .collect::<Result<_>>()?;
        Ok(EncryptedVector { channels, layout })
    }

    fn zip_plain(
        &self,
        a: &EncryptedVector,
        b: &[Plaintext],
        layout: Layout,
        f: impl Fn(&Evaluator, &Ciphertext, &Plaintext) -> Result<Ciphertext>,
    ) -> Result<EncryptedVector> {
        let channels = self
            .context
            .pairs(&a.channels, "encrypted vector")?
            .zip(b)
            .zip(&self.channels)
            .map(|(((_, a), b), evaluator)| f(evaluator, a, b))
            .collect::<Result<_>>()?;
        Ok(EncryptedVector { channels, layout })
    }
}

/// How the layout of a result follows from those of the operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Place by place: the padding is zero when it is in both operands.
    Sum,
    /// Slots: the padding is zero when it is in one operand. Coefficients: a convolution.
    Product,
}

/// The layout of a result, when the operands go together.
fn together(
    operation: &'static str,
    a: &Layout,
    b: &Layout,
    rule: Rule,
    capacity: usize,
) -> Result<Layout> {
    let coefficients = a.encoding == Encoding::Coefficients;
    // Polynomials of any two lengths go together; slots must stand side by side. A vector that
    // fills every place goes with one that is known to be zero beyond its length.
    let extends = |full: &Layout, part: &Layout| full.length == capacity && part.clean;
    let extended = extends(a, b) || extends(b, a);
    let lengths = coefficients || a.length == b.length || a.replicated || b.replicated || extended;
    if a.encoding != b.encoding || a.signed != b.signed || !lengths {
        let (left, right) = (a.to_string(), b.to_string());
        return Err(Error::EncodingMismatch { operation, left, right });
    }
    let length = match rule {
        Rule::Product if coefficients => (a.length + b.length).saturating_sub(1).min(capacity),
        Rule::Sum if coefficients => a.length.max(b.length),
        _ if a.replicated => b.length,
        _ if b.replicated => a.length,
        _ => a.length.max(b.length),
    };
    let clean = match rule {
        Rule::Sum => a.clean && b.clean,
        Rule::Product => a.clean || b.clean,
    };
    let replicated = a.replicated && b.replicated;
    Ok(Layout { encoding: a.encoding, signed: a.signed, length, replicated, clean })
}

fn slots_only(operation: &'static str, layout: &Layout) -> Result<()> {
    if layout.encoding == Encoding::Slots {
        return Ok(());
    }
    let (left, right) = (layout.to_string(), "slots".to_owned());
    Err(Error::EncodingMismatch { operation, left, right })
}
