//! Carries out a [`Program`]: in the clear where everything is public, on ciphertexts elsewhere.

use super::clear::{Clear, Trouble};
use super::{Binary, Program, Step};
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use cyclotron_schemes::vector::{EncryptedVector, Operand, Values, VectorEvaluator};

/// The value of a step.
#[derive(Debug)]
pub enum Value {
    /// Public.
    Clear(Clear),
    /// Encrypted.
    Encrypted(EncryptedVector),
}

/// Where named inputs come from.
pub trait Inputs {
    /// The value of a name.
    ///
    /// # Errors
    /// For an unknown name; when it cannot be read.
    fn get(&mut self, name: &str) -> Result<Value>;
}

/// The value of a program's last step.
///
/// # Errors
/// What the inputs and the library refuse, with the place in the expression.
pub fn evaluate(
    program: &Program,
    inputs: &mut dyn Inputs,
    evaluator: &VectorEvaluator,
    progress: &Progress,
) -> Result<Value> {
    let last_uses = program.last_uses();
    let mut values: Vec<Option<Value>> = Vec::with_capacity(program.steps().len());
    for (place, step) in program.steps().iter().enumerate() {
        let span = program.span(place);
        progress.doing(program.text().get(span.clone()).unwrap_or_default());
        let value = run(step, &values, inputs, evaluator)
            .map_err(|failure| failure.at(program.text(), span))?;
        values.push(Some(value));
        // What no later step needs gives its memory back.
        for operand in step.operands().filter(|&operand| last_uses[operand] == place) {
            values[operand] = None;
        }
        progress.step();
    }
    values.pop().flatten().ok_or_else(|| Failure::usage("expression", "nothing to compute"))
}

fn run(
    step: &Step,
    values: &[Option<Value>],
    inputs: &mut dyn Inputs,
    evaluator: &VectorEvaluator,
) -> Result<Value> {
    let value = |place: usize| {
        let value = values.get(place).and_then(Option::as_ref);
        // Steps come after what they need, so this is never seen.
        value.ok_or_else(|| Failure::refused("internal", "a value is missing"))
    };
    match step {
        Step::Integer(number) => Ok(Value::Clear(Clear::Scalar(*number))),
        Step::Name(name) => inputs.get(name),
        Step::Negate(a) => match value(*a)? {
            Value::Clear(a) => a.negate().map(Value::Clear).map_err(|trouble| refused(&trouble)),
            Value::Encrypted(a) => Ok(Value::Encrypted(evaluator.neg(a)?)),
        },
        Step::Sum(a) => match value(*a)? {
            Value::Clear(a) => a.sum().map(Value::Clear).map_err(|trouble| refused(&trouble)),
            Value::Encrypted(a) => Ok(Value::Encrypted(evaluator.sum(a)?)),
        },
        Step::Binary(operation, a, b) => match (value(*a)?, value(*b)?) {
            (Value::Clear(a), Value::Clear(b)) => Clear::binary(*operation, a, b)
                .map(Value::Clear)
                .map_err(|trouble| refused(&trouble)),
            (a, b) => encrypted(*operation, a, b, evaluator).map(Value::Encrypted),
        },
    }
}

/// An operation with at least one encrypted operand.
fn encrypted(
    operation: Binary,
    a: &Value,
    b: &Value,
    evaluator: &VectorEvaluator,
) -> Result<EncryptedVector> {
    use Value::{Clear as Public, Encrypted};
    let result = match (operation, a, b) {
        (Binary::Add, Encrypted(a), b) => evaluator.add(a, operand(b)),
        (Binary::Add, a, Encrypted(b)) => evaluator.add(b, operand(a)),
        (Binary::Sub, Encrypted(a), b) => evaluator.sub(a, operand(b)),
        (Binary::Sub, a, Encrypted(b)) => evaluator.add(&evaluator.neg(b)?, operand(a)),
        (Binary::Mul, Encrypted(a), b) => evaluator.mul(a, operand(b)),
        (Binary::Mul, a, Encrypted(b)) => evaluator.mul(b, operand(a)),
        (Binary::Dot, Encrypted(a), b) => evaluator.dot(a, operand(b)),
        (Binary::Dot, a, Encrypted(b)) => evaluator.dot(b, operand(a)),
        (Binary::Power, Encrypted(a), Public(Clear::Scalar(exponent))) => {
            return power(a, *exponent, evaluator);
        }
        (Binary::Rotate, Encrypted(a), Public(Clear::Scalar(steps))) => {
            let steps = i64::try_from(*steps).map_err(|_| {
                Failure::usage("type", format!("a rotation by {steps} steps"))
                    .remedy("steps within 64 bits")
            })?;
            evaluator.rotate(a, steps)
        }
        (Binary::Power, _, b) => return Err(not_a_number("an exponent", b)),
        (Binary::Rotate, Public(_), _) => return Err(refused(&Trouble::Rotation)),
        (Binary::Rotate, _, b) => return Err(not_a_number("a number of steps", b)),
        // Both public: computed in the clear.
        (_, Public(_), Public(_)) => return Err(Failure::refused("internal", "nothing encrypted")),
    };
    Ok(result?)
}

/// `a^exponent`, at most `ceil(log2(exponent))` multiplications deep: the product of the squares
/// of squares that the exponent's bits name, shallow ones first.
fn power(
    a: &EncryptedVector,
    exponent: i128,
    evaluator: &VectorEvaluator,
) -> Result<EncryptedVector> {
    let bits = u64::try_from(exponent).ok().filter(|&bits| bits > 0).ok_or_else(|| {
        Failure::usage("type", format!("the power {exponent} of an encrypted vector"))
            .remedy("an exponent from 1")
    })?;
    let mut squares: Vec<EncryptedVector> = Vec::new();
    for _ in 0..bits.ilog2() {
        let last = squares.last().unwrap_or(a);
        let square = evaluator.mul(last, Operand::Encrypted(last))?;
        squares.push(square);
    }
    if bits.is_power_of_two() {
        // The last square itself; the first power is a copy.
        return match squares.pop() {
            Some(square) => Ok(square),
            None => Ok(evaluator.mod_switch(a, a.level())?),
        };
    }
    let powers: Vec<&EncryptedVector> = std::iter::once(a).chain(&squares).collect();
    let lowest = bits.trailing_zeros() as usize;
    let mut product: Option<EncryptedVector> = None;
    for (bit, factor) in powers.iter().enumerate().skip(lowest + 1) {
        if bits >> bit & 1 == 1 {
            let left = product.as_ref().unwrap_or(powers[lowest]);
            product = Some(evaluator.mul(left, Operand::Encrypted(factor))?);
        }
    }
    // Not a power of two: there was a second factor.
    product.ok_or_else(|| Failure::refused("internal", "no factor"))
}

fn operand(value: &Value) -> Operand<'_> {
    match value {
        Value::Clear(clear) => Operand::Plain(Values::I128(clear.values())),
        Value::Encrypted(vector) => Operand::Encrypted(vector),
    }
}

fn not_a_number(what: &str, found: &Value) -> Failure {
    let found = match found {
        Value::Clear(clear) => clear.describe(),
        Value::Encrypted(_) => "encrypted".to_owned(),
    };
    Failure::usage("type", format!("{what} must be a public number, this one is {found}"))
        .remedy("a literal, or --let with one integer")
}

fn refused(trouble: &Trouble) -> Failure {
    match trouble {
        Trouble::Overflow => {
            Failure::refused("overflow", "a public intermediate result needs more than 127 bits")
        }
        Trouble::Lengths(left, right) => {
            Failure::usage("type", format!("public vectors of {left} and {right} values"))
                .remedy("vectors of one length, or one number")
        }
        Trouble::Exponent => Failure::usage("type", "an exponent must be a public number from 0"),
        Trouble::Rotation => Failure::usage("type", "rotate moves encrypted vectors only")
            .remedy("reorder public values before"),
    }
}
