//! Random expressions: parsed and computed, in the clear and encrypted, they are what a direct
//! evaluation of the tree says.

use super::clear::Clear;
use super::evaluate::{Inputs, Value, evaluate};
use super::parse::parse;
use crate::arguments::Global;
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use cyclotron_engine::{CpuEngine, Engine};
use cyclotron_ring::sample::SecretRng;
use cyclotron_schemes::rlwe::{Mode, SchemeKind, SecurityPolicy, presets};
use cyclotron_schemes::vector::{
    Encoding, EncryptedVector, Rotations, Values, VectorContext, VectorEvaluator, VectorParameters,
    VectorSecretKey,
};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};

/// Named vectors of the tests; `x` and `y` are encrypted where there is a key.
const NAMES: [(&str, &[i64]); 4] =
    [("x", &[3, -1, 4, 1, -5]), ("y", &[2, 7, -1, 8, 2]), ("w", &[1, 0, -2, 3, 1]), ("k", &[6])];

#[derive(Debug, Clone)]
enum Tree {
    Integer(u8),
    Name(usize),
    Negate(Box<Tree>),
    Infix(char, Box<Tree>, Box<Tree>),
    Power(Box<Tree>, u8),
    Sum(Box<Tree>),
    Dot(Box<Tree>, Box<Tree>),
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (0u8..10).prop_map(Tree::Integer),
        (0..NAMES.len()).prop_map(Tree::Name),
        (0..2usize).prop_map(Tree::Name),
    ];
    leaf.prop_recursive(5, 24, 2, |inner| {
        let pair = (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        prop_oneof![
            inner.clone().prop_map(|a| Tree::Negate(Box::new(a))),
            (prop::sample::select(vec!['+', '-', '*']), pair.clone())
                .prop_map(|(operator, (a, b))| Tree::Infix(operator, a, b)),
            (inner.clone(), 1u8..5).prop_map(|(a, exponent)| Tree::Power(Box::new(a), exponent)),
            inner.prop_map(|a| Tree::Sum(Box::new(a))),
            pair.prop_map(|(a, b)| Tree::Dot(a, b)),
        ]
    })
}

impl Tree {
    fn precedence(&self) -> u8 {
        match self {
            Self::Infix('*', ..) => 2,
            Self::Infix(..) => 1,
            Self::Negate(_) => 3,
            Self::Power(..) => 4,
            _ => 5,
        }
    }

    /// Python's way to write it, with no parenthesis that is not needed.
    fn text(&self, least: u8) -> String {
        let text = match self {
            Self::Integer(value) => value.to_string(),
            Self::Name(name) => NAMES[*name].0.to_owned(),
            Self::Negate(a) => format!("-{}", a.text(3)),
            Self::Infix(operator, a, b) => {
                let own = self.precedence();
                format!(
                    "{}{}{operator}{}",
                    a.text(own),
                    ["", " "][own as usize % 2],
                    b.text(own + 1)
                )
            }
            Self::Power(a, exponent) => format!("{}**{exponent}", a.text(5)),
            Self::Sum(a) => format!("sum({})", a.text(0)),
            Self::Dot(a, b) => format!("dot({}, {})", a.text(0), b.text(0)),
        };
        if self.precedence() < least { format!("({text})") } else { text }
    }

    /// Its value by big integers, and whether all values on the way fit in 128 bits.
    fn direct(&self) -> (Vec<BigInt>, bool) {
        let zip = |a: &Self, b: &Self, f: &dyn Fn(&BigInt, &BigInt) -> BigInt| {
            let ((a, fits_a), (b, fits_b)) = (a.direct(), b.direct());
            let length = a.len().max(b.len());
            let pair = |i: usize| f(&a[i % a.len()], &b[i % b.len()]);
            ((0..length).map(pair).collect::<Vec<_>>(), fits_a && fits_b)
        };
        let sum = |(values, mut fits): (Vec<BigInt>, bool)| {
            let mut sum = BigInt::zero();
            for value in &values {
                sum += value;
                fits &= value.to_i128().is_some() && sum.to_i128().is_some();
            }
            (vec![sum], fits)
        };
        let (values, fits) = match self {
            Self::Integer(value) => (vec![BigInt::from(*value)], true),
            Self::Name(name) => (NAMES[*name].1.iter().map(|&v| BigInt::from(v)).collect(), true),
            Self::Negate(a) => {
                let (values, fits) = a.direct();
                (values.into_iter().map(|value| -value).collect(), fits)
            }
            Self::Infix('+', a, b) => zip(a, b, &|a, b| a + b),
            Self::Infix('-', a, b) => zip(a, b, &|a, b| a - b),
            Self::Infix(_, a, b) => zip(a, b, &|a, b| a * b),
            Self::Power(a, exponent) => {
                let (values, fits) = a.direct();
                (values.into_iter().map(|value| value.pow(u32::from(*exponent))).collect(), fits)
            }
            Self::Sum(a) => sum(a.direct()),
            Self::Dot(a, b) => sum(zip(a, b, &|a, b| a * b)),
        };
        let fit = values.iter().all(|value| value.to_i128().is_some());
        (values, fits && fit)
    }
}

struct Fixture {
    context: Arc<VectorContext>,
    secret: VectorSecretKey,
    evaluator: VectorEvaluator,
}

/// A small, insecure context with three channels: `T` is about 2^45.
fn fixture(scheme: SchemeKind) -> &'static Fixture {
    static FIXTURES: [OnceLock<Fixture>; 2] = [OnceLock::new(), OnceLock::new()];
    FIXTURES[usize::from(scheme == SchemeKind::Bgv)].get_or_init(|| {
        let mut literal = presets::literal("TOY_1024", scheme).unwrap();
        literal.security = SecurityPolicy::InsecureAcknowledged;
        let parameters = VectorParameters::new(&literal, &[12_289, 40_961, 65_537]).unwrap();
        let engine: Arc<dyn Engine> = CpuEngine::builder().threads(1).open().unwrap();
        let context = VectorContext::new(&parameters, &engine).unwrap();
        let mut rng = SecretRng::from_os().unwrap();
        let secret = context.generate_secret_key(&mut rng).unwrap();
        let keys =
            context.generate_evaluation_keys(&secret, true, &Rotations::Sums, &mut rng).unwrap();
        let evaluator = VectorEvaluator::new(&context, &keys, Mode::Automatic).unwrap();
        Fixture { context, secret, evaluator }
    })
}

struct Named<'a> {
    fixture: &'a Fixture,
    encrypted: bool,
}

impl Named<'_> {
    fn encrypt(&self, values: &[i64]) -> EncryptedVector {
        let Fixture { context, secret, .. } = self.fixture;
        let mut rng = SecretRng::from_os().unwrap();
        let values = Values::I64(values);
        context.encrypt_symmetric(secret, values, Encoding::Slots, true, &mut rng).unwrap()
    }
}

impl Inputs for Named<'_> {
    fn get(&mut self, name: &str) -> Result<Value> {
        let (_, values) = NAMES
            .into_iter()
            .find(|(own, _)| *own == name)
            .ok_or_else(|| Failure::usage("unknown_name", name))?;
        if self.encrypted && ["x", "y"].contains(&name) {
            return Ok(Value::Encrypted(self.encrypt(values)));
        }
        Ok(Value::Clear(match values {
            [only] => Clear::Scalar(i128::from(*only)),
            _ => Clear::Vector(values.iter().map(|&value| i128::from(value)).collect()),
        }))
    }
}

fn compute(text: &str, fixture: &Fixture, encrypted: bool) -> Result<Value> {
    let program = parse(text)?;
    let progress = Progress::new(&Global::default(), "test", program.steps().len());
    evaluate(&program, &mut Named { fixture, encrypted }, &fixture.evaluator, &progress)
}

fn decrypted(text: &str, fixture: &Fixture) -> Result<Vec<i128>> {
    match compute(text, fixture, true)? {
        Value::Encrypted(vector) => Ok(fixture.context.decrypt(&fixture.secret, &vector)?),
        Value::Clear(clear) => Ok(clear.values().to_vec()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn in_the_clear_it_is_the_direct_value(tree in trees()) {
        let text = tree.text(0);
        let (values, fits) = tree.direct();
        match compute(&text, fixture(SchemeKind::Bfv), false) {
            Ok(Value::Clear(found)) => {
                let found: Vec<BigInt> = found.values().iter().map(|&v| BigInt::from(v)).collect();
                prop_assert_eq!(found, values, "{}", text);
            }
            Ok(Value::Encrypted(_)) => prop_assert!(false, "{} is public", text),
            Err(failure) => {
                prop_assert!(failure.kind == "overflow" && !fits, "{text}: {failure}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn encrypted_it_is_the_direct_value_or_refused(tree in trees(), bgv: bool) {
        let text = tree.text(0);
        let fixture = fixture(if bgv { SchemeKind::Bgv } else { SchemeKind::Bfv });
        let (min, max) = fixture.context.parameters().plaintext().range(true);
        let modulus = BigInt::from(max) - min + BigInt::one();
        match decrypted(&text, fixture) {
            Ok(found) => {
                let (values, _) = tree.direct();
                prop_assert_eq!(found.len(), values.len(), "{}", &text);
                for (found, value) in found.into_iter().zip(values) {
                    prop_assert!((value - found) % &modulus == BigInt::zero(), "{}", text);
                }
            }
            Err(failure) => {
                let expected = ["noise_exhausted", "value_out_of_range", "overflow"];
                prop_assert!(expected.contains(&failure.kind), "{text}: {failure}");
            }
        }
    }
}

#[test]
fn encrypted_examples_of_every_operation() {
    for scheme in [SchemeKind::Bfv, SchemeKind::Bgv] {
        let fixture = fixture(scheme);
        for (text, expected) in [
            ("x", vec![3, -1, 4, 1, -5]),
            ("-x", vec![-3, 1, -4, -1, 5]),
            ("x-w", vec![2, -1, 6, -2, -6]),
            ("w-x", vec![-2, 1, -6, 2, 6]),
            ("7-x", vec![4, 8, 3, 6, 12]),
            ("x*y", vec![6, -7, -4, 8, -10]),
            ("k*x + 1", vec![19, -5, 25, 7, -29]),
            ("x^1", vec![3, -1, 4, 1, -5]),
            ("x^2", vec![9, 1, 16, 1, 25]),
            ("x^3", vec![27, -1, 64, 1, -125]),
            ("x^6", vec![729, 1, 4096, 1, 15_625]),
            ("sum(x)", vec![2]),
            ("dot(w, x)", vec![-7]),
            ("dot(x, y)", vec![-7]),
            ("sum(x)*y - sum(w)", vec![1, 11, -5, 13, 1]),
        ] {
            assert_eq!(decrypted(text, fixture).unwrap(), expected, "{scheme} {text}");
        }
        let rotated = decrypted("rotate(x, 2)", fixture).unwrap();
        assert_eq!(rotated[..4], [4, 1, -5, 0]);
        assert_eq!(rotated[510..513], [3, -1, 0]);
        assert_eq!(decrypted("rotate(x, -1)", fixture).unwrap()[..3], [0, 3, -1]);
    }
}

#[test]
fn what_has_no_meaning_is_refused_with_its_place() {
    let fixture = fixture(SchemeKind::Bfv);
    for (text, kind, place) in [
        ("1 + x^y", "type", 4..7),
        ("x^w", "type", 0..3),
        ("x^0", "type", 0..3),
        ("x^-1", "type", 0..4),
        ("2^x", "type", 0..3),
        ("rotate(x, y)", "type", 0..12),
        ("rotate(w, 1)", "type", 0..12),
        ("rotate(x, 2^70)", "type", 0..15),
        ("2 * z", "unknown_name", 4..5),
        ("x * 10^20", "value_out_of_range", 0..9),
        ("10^40 * x", "overflow", 0..5),
        ("x + x^99", "noise_exhausted", 4..8),
    ] {
        let failure = compute(text, fixture, true).unwrap_err();
        assert_eq!(failure.kind, kind, "{text}: {failure}");
        let found = failure.place.unwrap();
        assert_eq!(found.start..found.end, place, "{text}");
    }
}
