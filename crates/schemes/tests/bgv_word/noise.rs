//! Predicted deviations are never below what is measured, and not far above.

use super::lab::{Lab, changed, preset};
use cyclotron_schemes::bgv_word::{BgvDevice, Command, Digits, Form, WordParameters};

const FORM: Form = Form::Coefficients;
/// Buffers of the steps: fresh, sum, product, switched, one level down, its sum, square.
const STEPS: [(&str, usize); 7] = [
    ("fresh", 4),
    ("sum", 6),
    ("product", 7),
    ("key switch", 8),
    ("mod switch", 9),
    ("sum of switched", 10),
    ("square", 11),
];

/// Root mean squares of `v` after every step of one circuit, over `runs` runs with a key for every
/// 20, and what is predicted; none where the parameters lack the level.
fn measure(parameters: &WordParameters, runs: usize, worst: bool) -> Vec<(&'static str, f64, f64)> {
    let levels = parameters.chain().top_level();
    let mut commands: Vec<Command> =
        (0..2).map(|message| Command::Encrypt { message, to: 4 + message, form: FORM }).collect();
    commands.extend([
        Command::Add { left: 4, right: 5, to: 6, form: FORM },
        Command::Multiply { left: 4, right: 5, to: 7, form: FORM },
        Command::KeySwitch { from: 7, to: 8, form: FORM },
        Command::Multiply { left: 5, right: 5, to: 11, form: FORM },
    ]);
    if levels > 0 {
        commands.extend([
            Command::ModSwitch { from: 8, to: 9 },
            Command::Add { left: 9, right: 9, to: 10, form: FORM },
        ]);
    }
    let mut squares = [0.0; STEPS.len()];
    let mut predicted = [0.0; STEPS.len()];
    let mut present = [true; STEPS.len()];
    for key in 0..runs / 20 {
        let mut lab = Lab::careless(parameters, key as u8);
        for _ in 0..20 {
            let messages = lab.messages(2);
            if worst {
                // All -p/2.
                let half = vec![parameters.plain_modulus() / 2; messages[0].len()];
                (0..2).for_each(|buffer| lab.device.write_message(buffer, &half).unwrap());
            }
            lab.device.run(&commands).unwrap();
            for (step, &(_, buffer)) in STEPS.iter().enumerate() {
                let Ok(phase) = lab.device.phase(buffer) else {
                    present[step] = false;
                    continue;
                };
                squares[step] += phase.iter().map(|&v| (v as f64).powi(2)).sum::<f64>();
                let ciphertext = lab.device.read_ciphertext(buffer).unwrap();
                predicted[step] = parameters.noise().deviation(ciphertext.noise());
            }
        }
    }
    let samples = (runs / 20 * 20 * parameters.degree()) as f64;
    (0..STEPS.len())
        .filter(|&step| present[step])
        .map(|step| (STEPS[step].0, (squares[step] / samples).sqrt(), predicted[step]))
        .collect()
}

fn check(name: &str, parameters: &WordParameters, runs: usize, worst: bool) {
    for (step, measured, predicted) in measure(parameters, runs, worst) {
        println!("{name} {step}: measured {measured:.1}, predicted {predicted:.1}");
        assert!(measured <= predicted, "{name} {step}: {measured} above {predicted}");
        assert!(predicted <= 2.0 * measured, "{name} {step}: {predicted} far above {measured}");
    }
}

#[test]
fn predictions_hold_at_every_step() {
    for name in ["PAPER_128_P2", "PAPER_128_P2_W6", "TOY_128_DEPTH2", "TOY_256"] {
        check(name, &preset(name), 2000, false);
    }
    let unsigned = changed("PAPER_128_P2", |literal| literal.digits = Digits::Unsigned);
    check("unsigned", &unsigned, 2000, false);
    // Messages of one value, the largest that there is.
    check("largest messages", &preset("PAPER_128_P2"), 2000, true);
}

#[test]
fn predictions_hold_at_the_papers_plaintext_modulus() {
    // Here v is known modulo Q alone, and Q/2 is four deviations away: a little is lost.
    for digits in [Digits::Signed, Digits::Unsigned] {
        let parameters = changed("PAPER_128", |literal| literal.digits = digits);
        let steps = measure(&parameters, 2000, false);
        for (step, measured, predicted) in &steps {
            println!(
                "PAPER_128 {digits:?} {step}: measured {measured:.1}, predicted {predicted:.1}"
            );
        }
        for (step, measured, predicted) in &steps[..4] {
            assert!(measured <= predicted && predicted <= &(1.5 * measured), "{step}: {steps:?}");
        }
    }
}

#[test]
fn predictions_hold_at_secure_degrees() {
    check("N1024_Q26", &preset("N1024_Q26"), 2000, false);
}
