//! Random circuits on the device and on the slow model: the same words in every buffer.

use super::lab::{Big, Lab, big, centred, changed, multiply, rng, scale, small, sum, words};
use cyclotron_ring::sample::SecretSeed;
use cyclotron_ring::sample::device::DeviceStream;
use cyclotron_schemes::bgv_word::{
    BgvDevice, Command, Contents, Digits, ErrorKind, Form, WordParameters,
};
use proptest::prelude::*;

/// What the model holds.
#[derive(Clone)]
enum Held {
    Nothing,
    Message(Big),
    Ciphertext(usize, Vec<Big>),
}

struct Model<'a> {
    lab: &'a Lab,
    buffers: Vec<Held>,
    stream: DeviceStream,
    encryptions: u32,
}

impl Model<'_> {
    fn ciphertext(&self, buffer: usize) -> (usize, &Vec<Big>) {
        match &self.buffers[buffer] {
            Held::Ciphertext(level, parts) => (*level, parts),
            _ => panic!("no ciphertext"),
        }
    }

    fn reduced(&self, level: usize, parts: Vec<Big>) -> Held {
        let q = self.lab.modulus(level);
        let reduce = |part: Big| part.into_iter().map(|x| x.rem_euclid(q)).collect();
        Held::Ciphertext(level, parts.into_iter().map(reduce).collect())
    }

    fn run(&mut self, command: &Command) {
        let parameters = &self.lab.parameters;
        let p = i128::from(parameters.plain_modulus());
        let secret = small(self.lab.keys.secret.expose());
        let result = match *command {
            Command::Encrypt { message, .. } => {
                let Held::Message(message) = &self.buffers[message] else { panic!("no message") };
                let noise = parameters.error().device();
                let drawn =
                    self.stream.plaintext_with(self.encryptions, parameters.degree(), noise);
                let drawn = drawn.unwrap();
                self.encryptions += 1;
                let (p0, p1) = self.lab.keys.public.polynomials();
                let part = |key: &[u64], error| {
                    sum(&multiply(&big(key), &small(&drawn.u)), &scale(&small(error), p))
                };
                let lifted = message.iter().map(|&m| if m >= p / 2 { m - p } else { m }).collect();
                let parts = vec![sum(&part(p0, &drawn.e1), &lifted), part(p1, &drawn.e2)];
                self.reduced(parameters.chain().top_level(), parts)
            }
            Command::Add { left, right, .. } => {
                let ((level, a), (_, b)) = (self.ciphertext(left), self.ciphertext(right));
                self.reduced(level, a.iter().zip(b).map(|(x, y)| sum(x, y)).collect())
            }
            Command::Multiply { left, right, .. } => {
                let ((level, a), (_, b)) = (self.ciphertext(left), self.ciphertext(right));
                let cross = sum(&multiply(&a[0], &b[1]), &multiply(&a[1], &b[0]));
                let parts = vec![multiply(&a[0], &b[0]), cross, multiply(&a[1], &b[1])];
                self.reduced(level, parts)
            }
            Command::KeySwitch { from, .. } => {
                let (level, parts) = self.ciphertext(from);
                let mut out = parts[..2].to_vec();
                let q = self.lab.modulus(level);
                let signed = parameters.digits() == Digits::Signed;
                let base = 1i128 << parameters.digit_bits();
                let mut rest: Big = parts[2]
                    .iter()
                    .map(|&x| if signed { centred(x, q) } else { x.rem_euclid(q) })
                    .collect();
                let rows = self.lab.keys.relinearization.rows();
                for (i, row) in rows.iter().enumerate() {
                    let digit: Big = rest
                        .iter()
                        .map(|&x| match (i + 1 == rows.len(), signed) {
                            (true, _) => x,
                            (_, true) => (x + base / 2).rem_euclid(base) - base / 2,
                            (_, false) => x.rem_euclid(base),
                        })
                        .collect();
                    rest = rest.iter().zip(&digit).map(|(x, d)| (x - d) / base).collect();
                    out[0] = sum(&out[0], &multiply(&digit, &big(&row.b)));
                    out[1] = sum(&out[1], &multiply(&digit, &big(&row.a)));
                }
                self.reduced(level, out)
            }
            Command::ModSwitch { from, .. } => {
                let (level, parts) = self.ciphertext(from);
                let q = i128::from(parameters.literal().factors[level]);
                let switch = |&c: &i128| {
                    let residue = centred(c, q);
                    let mut k = (-residue).rem_euclid(p);
                    if k > p / 2 {
                        k -= p;
                    }
                    assert_eq!((c - residue) % q, 0);
                    (c - residue) / q - k
                };
                let parts = parts.iter().map(|part| part.iter().map(switch).collect()).collect();
                self.reduced(level - 1, parts)
            }
            Command::Decrypt { from, .. } => {
                let (level, parts) = self.ciphertext(from);
                let phase = sum(&parts[0], &multiply(&parts[1], &secret));
                let q = self.lab.modulus(level);
                Held::Message(phase.iter().map(|&x| centred(x, q).rem_euclid(p)).collect())
            }
        };
        self.buffers[command.destination()] = result;
    }
}

fn any_parameters() -> impl Strategy<Value = WordParameters> {
    // Chains, and the largest degree that each has a root for.
    let chains = prop_oneof![
        Just((vec![257u64, 257, 257], 7)),
        Just((vec![257, 257], 7)),
        Just((vec![12_289, 10_753], 8)),
        Just((vec![769, 257, 257], 7)),
        Just((vec![67_104_769], 8)),
    ];
    let kinds = (any::<bool>(), any::<bool>());
    (chains, 3u32..=8, 1u32..=8, 1u32..=26, kinds).prop_filter_map(
        "noise",
        |((factors, max), log_n, log_p, digit_bits, (signed, ternary))| {
            let literal = |log_p| {
                let mut literal = super::lab::preset("PAPER_128").literal().clone();
                literal.degree = 1 << log_n.min(max);
                (literal.factors, literal.root) = (factors.clone(), None);
                (literal.log_p, literal.digit_bits) = (log_p, digit_bits);
                literal.digits = if signed { Digits::Signed } else { Digits::Unsigned };
                literal.error = if ternary { ErrorKind::Ternary } else { ErrorKind::Binomial };
                literal
            };
            // Where fresh noise is too large for p = 2^log_p, p = 2.
            [log_p, 1].into_iter().find_map(|log_p| WordParameters::new(literal(log_p)).ok())
        },
    )
}

/// A command that can run on these buffers, chosen by a word.
fn command(contents: &[&Contents], word: u64) -> Option<Command> {
    let pick = |shift: u32, count: usize| (word >> shift) as usize % count;
    let (left, right) = (pick(8, contents.len()), pick(16, contents.len()));
    let to = pick(24, contents.len());
    let form = if word >> 40 & 1 == 0 { Form::Coefficients } else { Form::Evaluations };
    let shape = |buffer: usize| match contents[buffer] {
        Contents::Ciphertext { level, parts, .. } => Some((*level, *parts)),
        _ => None,
    };
    match (pick(0, 6), shape(left), shape(right)) {
        (0, None, _) if *contents[left] == Contents::Message => {
            Some(Command::Encrypt { message: left, to, form })
        }
        (1, Some(a), Some(b)) if a == b => Some(Command::Add { left, right, to, form }),
        (2, Some((a, 2)), Some((b, 2))) if a == b => {
            Some(Command::Multiply { left, right, to, form })
        }
        (3, Some((_, 3)), _) => Some(Command::KeySwitch { from: left, to, form }),
        (4, Some((level, 2)), _) if level > 0 => Some(Command::ModSwitch { from: left, to }),
        (5, Some((_, 2)), _) => Some(Command::Decrypt { from: left, to }),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any circuit, also one that no noise bound allows: every buffer holds the model's words.
    #[test]
    fn the_device_computes_the_specification(
        parameters in any_parameters(),
        seed in 1u8..,
        run_counter in 0..u64::MAX,
    ) {
        let mut lab = Lab::careless(&parameters, seed);
        let device_seed = [seed ^ 0x33 | 1; 32];
        lab.device.load_seed(&SecretSeed::new(device_seed), run_counter).unwrap();
        let count = 6;
        let messages = lab.messages(2);
        let mut choice = rng(seed ^ 0xff);
        let mut table = cyclotron_schemes::bgv_word::Buffers::new(&parameters, 12);
        table.set_refusal(cyclotron_schemes::bgv_word::Refusal::Paper);
        for buffer in 0..2 {
            table.set(buffer, Contents::Message).unwrap();
        }
        // Ciphertexts to begin with, then whatever can run.
        let form = Form::Evaluations;
        let mut commands: Vec<Command> = (0..2)
            .map(|message| Command::Encrypt { message, to: 2 + message, form })
            .collect();
        let plan = table.plan(&commands).unwrap();
        table.commit(plan);
        while commands.len() < 14 {
            let contents: Vec<&Contents> =
                (0..count).map(|buffer| table.get("test", buffer).unwrap()).collect();
            if let Some(command) = command(&contents, choice.next_u64()) {
                let plan = table.plan(&[command]).unwrap();
                table.commit(plan);
                commands.push(command);
            }
        }
        lab.device.run(&commands).unwrap();

        let stream = DeviceStream::new(&SecretSeed::new(device_seed), run_counter);
        let mut buffers = vec![Held::Nothing; 12];
        for (buffer, message) in messages.iter().enumerate() {
            buffers[buffer] = Held::Message(big(message));
        }
        let mut model = Model { lab: &lab, buffers, stream, encryptions: 0 };
        commands.iter().for_each(|command| model.run(command));
        let buffers = model.buffers;
        for (buffer, held) in buffers.iter().enumerate().take(count) {
            match held {
                Held::Nothing => prop_assert!(lab.device.read_ciphertext(buffer).is_err()),
                Held::Message(message) => {
                    let p = i128::from(parameters.plain_modulus());
                    prop_assert_eq!(lab.read(buffer), words(message, p));
                }
                Held::Ciphertext(level, parts) => {
                    let found = lab.device.read_ciphertext(buffer).unwrap();
                    prop_assert_eq!(found.level(), *level);
                    let q = lab.modulus(*level);
                    let expected: Vec<Vec<u64>> = parts.iter().map(|part| words(part, q)).collect();
                    prop_assert_eq!(found.parts(), expected);
                }
            }
        }
    }
}

/// The root of the transform changes no word.
#[test]
fn results_do_not_depend_on_the_root() {
    let form = Form::Coefficients;
    let results: Vec<_> = [None, Some(3_259_673)]
        .into_iter()
        .map(|root| {
            let parameters = changed("PAPER_128", |literal| literal.root = root);
            let mut lab = Lab::careless(&parameters, 5);
            lab.messages(2);
            let commands = [
                Command::Encrypt { message: 0, to: 2, form },
                Command::Encrypt { message: 1, to: 3, form },
                Command::Multiply { left: 2, right: 3, to: 4, form },
                Command::KeySwitch { from: 4, to: 4, form },
            ];
            lab.device.run(&commands).unwrap();
            lab.device.read_ciphertext(4).unwrap().parts().to_vec()
        })
        .collect();
    assert_eq!(results[0], results[1]);
}

/// Whole leveled circuits on one list of commands decrypt to what they say.
#[test]
fn leveled_circuits_are_right() {
    let form = Form::Coefficients;
    for name in ["PAPER_128_P2", "PAPER_128_P2_W6", "TOY_128_DEPTH2", "TOY_256", "N1024_Q26"] {
        let parameters = super::lab::preset(name);
        let mut lab = Lab::new(&parameters, 11);
        let m = lab.messages(3);
        let p = i128::from(parameters.plain_modulus());
        let levels = parameters.chain().top_level();
        let mut commands: Vec<Command> =
            (0..3).map(|message| Command::Encrypt { message, to: 3 + message, form }).collect();
        commands.extend([
            Command::Multiply { left: 3, right: 4, to: 6, form },
            Command::KeySwitch { from: 6, to: 6, form },
        ]);
        let mut expected = multiply(&big(&m[0]), &big(&m[1]));
        if levels > 0 {
            commands.extend([
                Command::ModSwitch { from: 6, to: 6 },
                Command::ModSwitch { from: 5, to: 5 },
                Command::Add { left: 6, right: 5, to: 6, form },
            ]);
            expected = sum(&expected, &big(&m[2]));
        }
        if name == "TOY_128_DEPTH2" {
            commands.truncate(commands.len() - 1);
            commands.extend([
                Command::Multiply { left: 6, right: 5, to: 6, form },
                Command::KeySwitch { from: 6, to: 6, form },
            ]);
            expected = multiply(&multiply(&big(&m[0]), &big(&m[1])), &big(&m[2]));
        }
        commands.push(Command::Decrypt { from: 6, to: 0 });
        lab.device.run(&commands).unwrap();
        assert_eq!(lab.read(0), words(&expected, p), "{name}");
    }
}

/// Public parts of keys are small combinations of the secret: no error is missing or too large.
#[test]
fn keys_satisfy_their_equations() {
    for name in ["PAPER_128", "TOY_256", "N1024_Q27"] {
        let lab = Lab::new(&super::lab::preset(name), 3);
        let (secret, top) = (small(lab.keys.secret.expose()), lab.parameters.chain().top_level());
        let (p, q) = (i128::from(lab.parameters.plain_modulus()), lab.modulus(top));
        let check = |b: &[u64], a: &[u64], rest: &Big| {
            let left = sum(&sum(&big(b), &multiply(&big(a), &secret)), &scale(rest, -1));
            let error: Big = left.iter().map(|&x| -centred(x, q)).collect();
            assert!(error.iter().all(|x| x % p == 0));
            let max = i128::from(lab.parameters.error().device().max());
            assert!(error.iter().all(|x| x.abs() <= p * max) && error.iter().any(|&x| x != 0));
        };
        let (p0, p1) = lab.keys.public.polynomials();
        check(p0, p1, &vec![0; secret.len()]);
        let square = multiply(&secret, &secret);
        for (i, row) in lab.keys.relinearization.rows().iter().enumerate() {
            check(&row.b, &row.a, &scale(&square, 1 << (lab.parameters.digit_bits() * i as u32)));
        }
        assert!(format!("{:?}", lab.keys.secret).contains("contents hidden"));
    }
}
