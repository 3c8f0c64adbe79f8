//! From text to a [`Program`], with winnow's Pratt parser.

use super::{Binary, Function, Program, Step};
use crate::failure::{Failure, Result};
use std::ops::Range;
use winnow::Parser;
use winnow::combinator::{Infix, Prefix, expression};
use winnow::error::ParserError;
use winnow::stream::{LocatingSlice, Location, Stateful, Stream};
use winnow::token::{any, literal, take_while};

/// Deepest nesting of parentheses, minus signs and powers: the parser is recursive.
const DEEPEST: usize = 100;

type Input<'a> = Stateful<LocatingSlice<&'a str>, State>;
type Parsed<T> = std::result::Result<T, Fault>;

/// What is built, beside the text that is left.
#[derive(Debug, Default)]
struct State {
    program: Program,
    depth: usize,
}

/// A step and the text that it covers.
#[derive(Debug, Clone)]
struct Operand {
    step: usize,
    span: Range<usize>,
}

/// What is wrong and where.
#[derive(Debug, Clone)]
struct Fault {
    message: String,
    remedy: String,
    span: Range<usize>,
    /// No other way to read the text is tried.
    fatal: bool,
}

impl ParserError<Input<'_>> for Fault {
    type Inner = Self;

    fn from_input(input: &Input<'_>) -> Self {
        let start = input.current_token_start();
        Self { message: String::new(), remedy: String::new(), span: start..start, fatal: false }
    }

    fn is_backtrack(&self) -> bool {
        !self.fatal
    }

    fn into_inner(self) -> std::result::Result<Self, Self> {
        Ok(self)
    }
}

fn fault(message: impl Into<String>, remedy: impl Into<String>, span: Range<usize>) -> Fault {
    Fault { message: message.into(), remedy: remedy.into(), span, fatal: true }
}

/// Parses an expression.
///
/// # Errors
/// Kind `expression`, with the place.
pub fn parse(text: &str) -> Result<Program> {
    let mut input = Stateful { input: LocatingSlice::new(text), state: State::default() };
    let parsed = sum(&mut input).and_then(|_| end(&mut input));
    let mut program = input.state.program;
    program.text = text.to_owned();
    match parsed {
        Ok(()) => Ok(program),
        Err(fault) => {
            let failure = Failure::usage("expression", fault.message).at(text, fault.span);
            Err(if fault.remedy.is_empty() { failure } else { failure.remedy(fault.remedy) })
        }
    }
}

/// An expression of any precedence.
fn sum(input: &mut Input<'_>) -> Parsed<Operand> {
    expression(operand).prefix(prefix).infix(infix).parse_next(input)
}

fn space(input: &mut Input<'_>) -> Parsed<()> {
    take_while(0.., char::is_whitespace).void().parse_next(input)
}

fn next(input: &Input<'_>) -> Option<char> {
    input.peek_token()
}

/// The span of the next character, empty at the end.
fn here(input: &Input<'_>) -> Range<usize> {
    let start = input.current_token_start();
    start..start + next(input).map_or(0, char::len_utf8)
}

fn deeper(input: &mut Input<'_>) -> Parsed<()> {
    input.state.depth += 1;
    if input.state.depth > DEEPEST {
        let message = format!("nested more than {DEEPEST} deep");
        return Err(fault(message, "a simpler expression", here(input)));
    }
    Ok(())
}

fn step(input: &mut Input<'_>, step: Step, span: Range<usize>) -> Operand {
    Operand { step: input.state.program.intern(step, span.clone()), span }
}

fn binary(input: &mut Input<'_>, operation: Binary, a: &Operand, b: &Operand) -> Operand {
    step(input, Step::Binary(operation, a.step, b.step), a.span.start..b.span.end)
}

fn prefix<'a>(input: &mut Input<'a>) -> Parsed<Prefix<Input<'a>, Operand, Fault>> {
    space(input)?;
    match next(input) {
        Some('-') => {
            any.void().parse_next(input)?;
            deeper(input)?;
            Ok(Prefix(3, |input, a: Operand| {
                input.state.depth -= 1;
                let start = a.span.start.saturating_sub(1);
                Ok(step(input, Step::Negate(a.step), start..a.span.end))
            }))
        }
        found => {
            let found = found.map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"));
            let message = format!("{found} where a number, a name, `(` or `-` is needed");
            Err(fault(message, "", here(input)))
        }
    }
}

fn infix<'a>(input: &mut Input<'a>) -> Parsed<Infix<Input<'a>, Operand, Fault>> {
    space(input)?;
    let operator = winnow::combinator::alt(("**", "^", "*", "+", "-")).parse_next(input)?;
    Ok(match operator {
        "+" => Infix::Left(1, |input, a, b| Ok(binary(input, Binary::Add, &a, &b))),
        "-" => Infix::Left(1, |input, a, b| Ok(binary(input, Binary::Sub, &a, &b))),
        "*" => Infix::Left(2, |input, a, b| Ok(binary(input, Binary::Mul, &a, &b))),
        _ => {
            deeper(input)?;
            Infix::Right(5, |input, a, b| {
                input.state.depth -= 1;
                Ok(binary(input, Binary::Power, &a, &b))
            })
        }
    })
}

fn operand(input: &mut Input<'_>) -> Parsed<Operand> {
    space(input)?;
    match next(input) {
        Some('(') => parenthesis(input),
        Some(c) if c.is_ascii_digit() => integer(input),
        Some(c) if c.is_alphabetic() || c == '_' => name(input),
        _ => Err(Fault::from_input(input)),
    }
}

fn parenthesis(input: &mut Input<'_>) -> Parsed<Operand> {
    let open = here(input);
    any.void().parse_next(input)?;
    deeper(input)?;
    let inner = sum(input)?;
    let end = close(input, open.clone())?;
    input.state.depth -= 1;
    Ok(Operand { step: inner.step, span: open.start..end })
}

/// The closing parenthesis; gives the byte after it.
fn close(input: &mut Input<'_>, open: Range<usize>) -> Parsed<usize> {
    space(input)?;
    match next(input) {
        Some(')') => {
            let end = here(input).end;
            any.void().parse_next(input)?;
            Ok(end)
        }
        None => Err(fault("this parenthesis is not closed", "add `)`", open)),
        Some(_) => Err(unexpected(input)),
    }
}

fn integer(input: &mut Input<'_>) -> Parsed<Operand> {
    let start = input.current_token_start();
    let digits = take_while(1.., |c: char| c.is_ascii_digit()).parse_next(input)?;
    let end = start + digits.len();
    if next(input) == Some('.') {
        let remedy = "scale it: multiply by a power of ten here, and decrypt with --divide";
        return Err(fault("numbers are integers", remedy, start..end + 1));
    }
    let value = digits.parse().map_err(|_| {
        fault(format!("{digits} needs more than 127 bits"), "a smaller number", start..end)
    })?;
    Ok(step(input, Step::Integer(value), start..end))
}

fn word<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    take_while(1.., |c: char| c.is_alphanumeric() || c == '_').parse_next(input)
}

fn name(input: &mut Input<'_>) -> Parsed<Operand> {
    let start = input.current_token_start();
    let mut name = word(input)?.to_owned();
    if next(input) == Some('.') {
        any.void().parse_next(input)?;
        let place = here(input);
        let column =
            word(input).map_err(|_| fault("a column name is needed after the point", "", place))?;
        name = format!("{name}.{column}");
    }
    let end = start + name.len();
    let after = input.checkpoint();
    space(input)?;
    if next(input) == Some('(') {
        return call(input, &name, start..end);
    }
    input.reset(&after);
    Ok(step(input, Step::Name(name), start..end))
}

fn call(input: &mut Input<'_>, name: &str, span: Range<usize>) -> Parsed<Operand> {
    let found = Function::ALL.into_iter().find(|function| function.name() == name);
    let function = found.ok_or_else(|| {
        let names = Function::ALL.map(Function::name).join(", ");
        fault(format!("no function `{name}`"), format!("one of {names}"), span.clone())
    })?;
    let open = here(input);
    any.void().parse_next(input)?;
    deeper(input)?;
    let mut arguments = vec![sum(input)?];
    loop {
        space(input)?;
        if literal::<_, _, Fault>(",").parse_next(input).is_err() {
            break;
        }
        arguments.push(sum(input)?);
    }
    let end = close(input, open)?;
    input.state.depth -= 1;
    let steps: Vec<usize> = arguments.iter().map(|argument| argument.step).collect();
    let call = match (function, &steps[..]) {
        (Function::Sum, &[a]) => Step::Sum(a),
        (Function::Dot, &[a, b]) => Step::Binary(Binary::Dot, a, b),
        (Function::Rotate, &[a, b]) => Step::Binary(Binary::Rotate, a, b),
        _ => {
            let (takes, given) = (function.arguments(), steps.len());
            let plural = if takes == 1 { "argument" } else { "arguments" };
            let message = format!("`{name}` takes {takes} {plural}, {given} given");
            return Err(fault(message, "", span.start..end));
        }
    };
    Ok(step(input, call, span.start..end))
}

fn end(input: &mut Input<'_>) -> Parsed<()> {
    space(input)?;
    if next(input).is_none() { Ok(()) } else { Err(unexpected(input)) }
}

/// Something else where an operator or the end is needed.
fn unexpected(input: &Input<'_>) -> Fault {
    let found = next(input).unwrap_or(' ');
    let remedy = match found {
        '/' => "there is no division: multiply by an integer, and decrypt with --divide",
        ')' => "remove it, or add `(`",
        ',' => "commas stand between arguments of a function",
        _ => "an operator: + - * ^",
    };
    fault(format!("unexpected `{found}`"), remedy, here(input))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program as fully bracketed text.
    fn shown(program: &Program) -> String {
        let mut texts: Vec<String> = Vec::new();
        for step in program.steps() {
            let text = match step {
                Step::Integer(value) => value.to_string(),
                Step::Name(name) => name.clone(),
                Step::Negate(a) => format!("(-{})", texts[*a]),
                Step::Sum(a) => format!("sum({})", texts[*a]),
                Step::Binary(operation, a, b) => {
                    let (a, b) = (&texts[*a], &texts[*b]);
                    match operation {
                        Binary::Add => format!("({a}+{b})"),
                        Binary::Sub => format!("({a}-{b})"),
                        Binary::Mul => format!("({a}*{b})"),
                        Binary::Power => format!("({a}^{b})"),
                        Binary::Dot => format!("dot({a},{b})"),
                        Binary::Rotate => format!("rotate({a},{b})"),
                    }
                }
            };
            texts.push(text);
        }
        texts.pop().unwrap()
    }

    #[test]
    fn precedence_is_pythons() {
        for (text, expected) in [
            ("a-b-c", "((a-b)-c)"),
            ("a+b*c", "(a+(b*c))"),
            ("(a+b)*c", "((a+b)*c)"),
            ("-a^2", "(-(a^2))"),
            ("-a*b", "((-a)*b)"),
            ("a^2^3", "(a^(2^3))"),
            ("a**2*b", "((a^2)*b)"),
            ("a--b", "(a-(-b))"),
            ("a*-b", "(a*(-b))"),
            ("2^-1", "(2^(-1))"),
            (" sum ( a * a ) - dot(a, b-1) ", "(sum((a*a))-dot(a,(b-1)))"),
            ("rotate(data.mean_radius, -2)", "rotate(data.mean_radius,(-2))"),
            ("größe.2019+_x", "(größe.2019+_x)"),
            ("sum+1", "(sum+1)"),
        ] {
            assert_eq!(shown(&parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn equal_steps_are_one() {
        let program = parse("(x*y) + (x*y)*(x*y)").unwrap();
        assert_eq!(program.steps().len(), 5);
        assert_eq!(program.last_uses(), [2, 2, 4, 4, usize::MAX]);
    }

    #[test]
    fn faults_have_a_place_and_a_reason() {
        for (text, place, word) in [
            ("", 0..0, "the end where a number"),
            ("x+", 2..2, "the end where a number"),
            ("x+*y", 2..3, "`*` where a number"),
            ("x y", 2..3, "unexpected `y`"),
            ("2x", 1..2, "unexpected `x`"),
            ("x/y", 1..2, "unexpected `/`"),
            ("(x+1", 0..1, "not closed"),
            ("x+1)", 3..4, "unexpected `)`"),
            ("sum(x", 3..4, "not closed"),
            ("sum()", 4..5, "`)` where a number"),
            ("sum(x,)", 6..7, "`)` where a number"),
            ("(x,y)", 2..3, "unexpected `,`"),
            ("sum(x, y)", 0..9, "takes 1 argument, 2 given"),
            ("dot(x)", 0..6, "takes 2 arguments, 1 given"),
            ("mean(x)", 0..4, "no function `mean`"),
            ("1.5*x", 0..2, "integers"),
            ("x. y", 2..3, "column name"),
            ("x + 99999999999999999999999999999999999999999", 4..45, "127 bits"),
            ("é+é+$", 6..7, "`$` where a number"),
        ] {
            let failure = parse(text).unwrap_err();
            let found = failure.place.clone().unwrap();
            assert!(failure.message.contains(word), "{text:?}: {failure}");
            assert_eq!((found.start..found.end, failure.exit_code), (place, 2), "{text:?}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_long_chains_are_not() {
        for deep in
            ["-".repeat(100_000), "(".repeat(100_000), "x^".repeat(100_000), "sum(-".repeat(20_000)]
        {
            assert!(parse(&deep).unwrap_err().message.contains("deep"));
        }
        let nested = format!("{}x{}", "(".repeat(DEEPEST), ")".repeat(DEEPEST));
        assert!(parse(&nested).is_ok());
        // Depth is given back: nesting side by side is not deep.
        assert!(parse(&format!("x{}", "+(-x)^2".repeat(1000))).is_ok());
        assert_eq!(parse(&format!("x{}", "+x".repeat(30_000))).unwrap().steps().len(), 30_001);
    }
}
