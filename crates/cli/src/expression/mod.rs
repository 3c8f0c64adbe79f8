//! The language of `eval`: integer arithmetic over named vectors.
//!
//! ```text
//! expression = expression ('+' | '-') expression | expression '*' expression
//!            | '-' expression | expression ('^' | '**') expression
//!            | integer | name | name '.' column | function '(' expression, ... ')' | '(' expression ')'
//! ```
//!
//! Precedence as in Python: powers bind tightest and to the right, then minus signs, products,
//! sums. [`parse`] gives a [`Program`]: steps in order of computation, equal ones once;
//! [`evaluate`] carries it out, on ciphertexts where it must and in the clear where it can.

pub mod clear;
pub mod evaluate;
pub mod parse;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// A function of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// The sum of all values.
    Sum,
    /// The sum of products.
    Dot,
    /// Slots to the left.
    Rotate,
}

impl Function {
    /// Every function.
    pub const ALL: [Self; 3] = [Self::Sum, Self::Dot, Self::Rotate];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Dot => "dot",
            Self::Rotate => "rotate",
        }
    }

    /// How many arguments it takes.
    pub const fn arguments(self) -> usize {
        match self {
            Self::Sum => 1,
            Self::Dot | Self::Rotate => 2,
        }
    }
}

/// An operation of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a ^ b`, the exponent in the clear.
    Power,
    /// `dot(a, b)`.
    Dot,
    /// `rotate(a, b)`, the steps in the clear.
    Rotate,
}

/// A step; operands are places of earlier steps.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// An integer.
    Integer(i128),
    /// A named input.
    Name(String),
    /// `-a`.
    Negate(usize),
    /// `sum(a)`.
    Sum(usize),
    /// An operation of two.
    Binary(Binary, usize, usize),
}

impl Step {
    /// The steps it needs.
    pub fn operands(&self) -> impl Iterator<Item = usize> {
        let (first, second) = match *self {
            Self::Integer(_) | Self::Name(_) => (None, None),
            Self::Negate(a) | Self::Sum(a) => (Some(a), None),
            Self::Binary(_, a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second)
    }
}

/// Steps in order of computation; the last one is the result.
#[derive(Debug, Default)]
pub struct Program {
    text: String,
    steps: Vec<Step>,
    spans: Vec<Range<usize>>,
    known: HashMap<Step, usize>,
}

impl Program {
    /// The text it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Where a step stands in the text, in bytes; the first place of equal ones.
    pub fn span(&self, step: usize) -> Range<usize> {
        self.spans[step].clone()
    }

    /// The place of a step, appended when it is new.
    fn intern(&mut self, step: Step, span: Range<usize>) -> usize {
        if let Some(&place) = self.known.get(&step) {
            return place;
        }
        let place = self.steps.len();
        self.known.insert(step.clone(), place);
        self.steps.push(step);
        self.spans.push(span);
        place
    }

    /// For each step, the last step that needs it.
    pub fn last_uses(&self) -> Vec<usize> {
        let mut last = vec![usize::MAX; self.steps.len()];
        for (place, step) in self.steps.iter().enumerate() {
            step.operands().for_each(|operand| last[operand] = place);
        }
        last
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
