//! Vectors of integers: several channels, layouts, sums, and what is refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

mod common;

use common::{parameters, rng};
use cyclotron_engine::{CpuEngine, Engine};
use cyclotron_schemes::Error;
use cyclotron_schemes::rlwe::{Mode, SchemeKind};
use cyclotron_schemes::vector::{
    Encoding, EncryptedVector, Operand, Rotations, Values, VectorContext, VectorEvaluator,
    VectorParameters, VectorPublicKey, VectorRequest, VectorSecretKey,
};
use std::sync::Arc;

const SCHEMES: [SchemeKind; 2] = [SchemeKind::Bfv, SchemeKind::Bgv];
const N: usize = 64;

struct Bench {
    context: Arc<VectorContext>,
    secret: VectorSecretKey,
    public: VectorPublicKey,
    evaluator: VectorEvaluator,
}

impl Bench {
    /// Two channels: T = 12289 * 40961, about 2^28.9.
    fn new(scheme: SchemeKind, moduli: &[u64]) -> Self {
        let literal = parameters(scheme, N, moduli[0], &[50, 50, 50, 50], &[50]).literal().clone();
        let parameters = VectorParameters::new(&literal, moduli).unwrap();
        let engine: Arc<dyn Engine> = CpuEngine::builder().threads(1).open().unwrap();
        let context = VectorContext::new(&parameters, &engine).unwrap();
        let mut rng = rng(3);
        let secret = context.generate_secret_key(&mut rng).unwrap();
        let public = context.generate_public_key(&secret, &mut rng).unwrap();
        let keys =
            context.generate_evaluation_keys(&secret, true, &Rotations::Sums, &mut rng).unwrap();
        let evaluator = VectorEvaluator::new(&context, &keys, Mode::Automatic).unwrap();
        Self { context, secret, public, evaluator }
    }

    fn encrypt(&self, values: &[i64]) -> EncryptedVector {
        let encoding = self.context.default_encoding();
        let values = Values::I64(values);
        self.context.encrypt(&self.public, values, encoding, true, &mut rng(5)).unwrap()
    }

    fn decrypt(&self, vector: &EncryptedVector) -> Vec<i128> {
        self.context.decrypt(&self.secret, vector).unwrap()
    }
}

const TWO: [u64; 2] = [12_289, 40_961];

#[test]
fn channels_hold_integers_wider_than_one_modulus() {
    for scheme in SCHEMES {
        let bench = Bench::new(scheme, &TWO);
        let values: Vec<i64> = vec![-250_000_000, 250_000_000, 0, -1, 1, 123_456_789];
        let a = bench.encrypt(&values);
        assert_eq!(bench.decrypt(&a), values.iter().map(|&v| i128::from(v)).collect::<Vec<_>>());
        let small = bench.encrypt(&[-15_000, 12_345, 7, -7, 1, 0]);
        let square = bench.evaluator.mul(&small, Operand::Encrypted(&small)).unwrap();
        let expected = [225_000_000, 152_399_025, 49, 49, 1, 0];
        assert_eq!(bench.decrypt(&square), expected);
        assert!(bench.context.margin(&square) > 0.0);
        let measured = bench.context.measured_margin(&bench.secret, &square).unwrap();
        assert!(measured > bench.context.margin(&square));
    }
}

#[test]
fn sums_are_of_the_values_and_not_of_the_padding() {
    for scheme in SCHEMES {
        let bench = Bench::new(scheme, &TWO);
        let e = &bench.evaluator;
        let a = bench.encrypt(&[1, 2, 3, 4, 5]);
        let sum = e.sum(&a).unwrap();
        assert_eq!((bench.decrypt(&sum), sum.layout().replicated), (vec![15], true));
        // A replicated value goes with a vector of any length, and fills the padding...
        let centred = e.sub(&a, Operand::Encrypted(&sum)).unwrap();
        assert_eq!(bench.decrypt(&centred), vec![-14, -13, -12, -11, -10]);
        assert!(!centred.layout().clean);
        // ... which a further sum must not count.
        assert_eq!(bench.decrypt(&e.sum(&centred).unwrap()), vec![-60]);
        assert_eq!(bench.decrypt(&e.sum(&sum).unwrap()), vec![15]);
        // A public factor leaves what stands in the padding there; public values do not.
        let doubled = e.mul(&centred, Operand::Plain(Values::I64(&[2]))).unwrap();
        assert_eq!(bench.decrypt(&e.sum(&doubled).unwrap()), vec![-120]);
        // The same for a single value: its mask is a 1 in the first place alone.
        let single = e.add(&sum, Operand::Encrypted(&bench.encrypt(&[5]))).unwrap();
        assert_eq!((single.layout().clean, single.layout().length), (false, 1));
        assert_eq!(bench.decrypt(&e.sum(&single).unwrap()), vec![20]);
        let ones = Operand::Plain(Values::I64(&[1; 5]));
        assert!(e.mul(&centred, ones).unwrap().layout().clean);
        let rotated = e.rotate(&a, 1).unwrap();
        assert_eq!(bench.decrypt(&rotated)[..4], [2, 3, 4, 5]);
        assert_eq!(rotated.layout().length, N);
        // It fills every place, and goes with a vector that is zero beyond its values.
        let sum = e.add(&a, Operand::Encrypted(&rotated)).unwrap();
        assert_eq!(bench.decrypt(&sum)[..6], [3, 5, 7, 9, 5, 0]);
        assert_eq!(bench.decrypt(&sum)[N / 2 - 1], 1);
        let swapped = e.swap_rows(&a).unwrap();
        assert_eq!(bench.decrypt(&swapped)[N / 2..N / 2 + 5], [1, 2, 3, 4, 5]);
    }
}

#[test]
fn operators_take_vectors_scalars_and_public_values() {
    for scheme in SCHEMES {
        let bench = Bench::new(scheme, &TWO);
        let e = &bench.evaluator;
        let a = bench.encrypt(&[10, -20, 30]);
        let plain = |values: &'static [i64]| Operand::Plain(Values::I64(values));
        let check = |vector: EncryptedVector, expected: &[i128]| {
            assert_eq!(bench.decrypt(&vector), expected, "{scheme}");
        };
        check(e.add(&a, plain(&[5])).unwrap(), &[15, -15, 35]);
        check(e.sub(&a, plain(&[1, 2, 3])).unwrap(), &[9, -22, 27]);
        check(e.mul(&a, plain(&[-3])).unwrap(), &[-30, 60, -90]);
        check(e.mul(&a, plain(&[1, 0, -2])).unwrap(), &[10, 0, -60]);
        check(e.neg(&a).unwrap(), &[-10, 20, -30]);
        check(e.dot(&a, plain(&[1, 2, 3])).unwrap(), &[60]);
        check(e.dot(&a, Operand::Encrypted(&a)).unwrap(), &[1400]);
        let sum = e.sum(&a).unwrap();
        check(e.mul(&sum, plain(&[7])).unwrap(), &[140]);
        check(e.mul(&sum, Operand::Encrypted(&sum)).unwrap(), &[400]);
        check(e.mod_switch(&a, 1).unwrap(), &[10, -20, 30]);
        let shrunk = e.shrink(&sum, 2.0).unwrap();
        assert!(shrunk.level() < sum.level() && bench.context.margin(&shrunk) >= 2.0);
        check(shrunk, &[20]);
    }
}

#[test]
fn layouts_that_do_not_go_together_are_refused() {
    let bench = Bench::new(SchemeKind::Bfv, &TWO);
    let e = &bench.evaluator;
    let a = bench.encrypt(&[1, 2, 3]);
    let b = bench.encrypt(&[1, 2]);
    let error = e.add(&a, Operand::Encrypted(&b)).unwrap_err().to_string();
    assert!(error.contains("3 signed values") && error.contains("2 signed values"), "{error}");
    let short = Operand::Plain(Values::I64(&[1, 2]));
    let error = e.add(&a, short).unwrap_err().to_string();
    assert!(error.contains("3 signed values") && error.contains("2 public values"), "{error}");
    let rotated = e.rotate(&a, 0).unwrap();
    assert!(matches!(e.add(&rotated, short), Err(Error::EncodingMismatch { .. })));
    let encrypt = |encoding, signed| {
        let values = Values::I64(&[1, 2, 3]);
        bench.context.encrypt(&bench.public, values, encoding, signed, &mut rng(1)).unwrap()
    };
    for other in [encrypt(Encoding::Coefficients, true), encrypt(Encoding::Slots, false)] {
        let refused = e.mul(&a, Operand::Encrypted(&other));
        assert!(matches!(refused, Err(Error::EncodingMismatch { .. })));
    }
    let coefficients = encrypt(Encoding::Coefficients, true);
    assert!(matches!(e.sum(&coefficients), Err(Error::EncodingMismatch { .. })));
    let big = Operand::Plain(Values::I64(&[300_000_000]));
    assert!(matches!(e.add(&a, big), Err(Error::ValueOutOfRange { index: 0, .. })));
    let long = vec![0i64; N + 1];
    let encoding = Encoding::Slots;
    let refused =
        bench.context.encrypt(&bench.public, Values::I64(&long), encoding, true, &mut rng(1));
    assert!(matches!(refused, Err(Error::TooManyValues { found: 65, capacity: 64 })));
    let foreign = Bench::new(SchemeKind::Bgv, &TWO);
    for refused in [e.shrink(&foreign.encrypt(&[1]), 1.0), e.rotate(&foreign.encrypt(&[1]), 0)] {
        assert!(matches!(refused, Err(Error::ParameterMismatch { .. })));
    }
    let one = Bench::new(SchemeKind::Bfv, &TWO[..1]);
    assert!(matches!(one.context.decrypt(&one.secret, &a), Err(Error::ParameterMismatch { .. })));
}

#[test]
fn coefficients_multiply_as_polynomials() {
    for scheme in SCHEMES {
        // A modulus without slots: coefficients are the default.
        let bench = Bench::new(scheme, &[1 << 20]);
        assert_eq!(bench.context.default_encoding(), Encoding::Coefficients);
        let a = bench.encrypt(&[1, 2, 3]);
        let b = bench.encrypt(&[4, 0, -1]);
        let product = bench.evaluator.mul(&a, Operand::Encrypted(&b)).unwrap();
        assert_eq!(bench.decrypt(&product), [4, 8, 11, -2, -3]);
        let e = &bench.evaluator;
        let sum = e.add(&product, Operand::Encrypted(&a)).unwrap();
        assert_eq!(bench.decrypt(&sum), [5, 10, 14, -2, -3]);
        // A single public value is the constant term.
        let one = Operand::Plain(Values::I64(&[-1]));
        assert_eq!(bench.decrypt(&e.add(&a, one).unwrap()), [0, 2, 3]);
        assert_eq!(bench.decrypt(&e.mul(&a, one).unwrap()), [-1, -2, -3]);
        // Convolutions wrap around negacyclically at the degree.
        let mut top = vec![0; N];
        top[N - 1] = 1;
        let wrapped = e.mul(&a, Operand::Plain(Values::I64(&top))).unwrap();
        assert_eq!(bench.decrypt(&wrapped)[..3], [-2, -3, 0]);
        let refused = bench.context.encrypt(
            &bench.public,
            Values::I64(&[1]),
            Encoding::Slots,
            true,
            &mut rng(1),
        );
        assert!(matches!(refused, Err(Error::NoSlots { modulus: 1_048_576, degree: N })));
    }
}

/// What the automatic choice gives can be opened, and holds the depth that it was chosen for.
#[test]
fn chosen_parameters_open_and_hold_their_depth() {
    let engine: Arc<dyn Engine> = CpuEngine::open().unwrap();
    for scheme in SCHEMES {
        for (bits, modulus, depth) in
            [(10, None, 1), (17, None, 2), (60, None, 1), (0, Some(65_537), 1), (0, Some(4), 3)]
        {
            let mut request = VectorRequest::new(scheme, bits, depth);
            request.plaintext_modulus = modulus;
            let parameters = VectorParameters::select(&request).unwrap();
            let context = VectorContext::new(&parameters, &engine).unwrap();
            let mut rng = rng(6);
            let secret = context.generate_secret_key(&mut rng).unwrap();
            let public = context.generate_public_key(&secret, &mut rng).unwrap();
            let keys = context
                .generate_evaluation_keys(&secret, true, &Rotations::None, &mut rng)
                .unwrap();
            let evaluator = VectorEvaluator::new(&context, &keys, Mode::Automatic).unwrap();
            let encoding = context.default_encoding();
            let values = Values::I64(&[1, 0, 0]);
            let mut power = context.encrypt(&public, values, encoding, true, &mut rng).unwrap();
            for _ in 0..depth {
                power = evaluator.mul(&power, Operand::Encrypted(&power)).unwrap();
            }
            let one = context.decrypt(&secret, &power).unwrap()[0];
            assert_eq!(one, 1, "{scheme} {bits} {modulus:?} {depth}");
            assert!(context.margin(&power) > 0.0);
        }
    }
}
