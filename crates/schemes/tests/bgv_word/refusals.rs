//! What a device refuses, with which values, and that a refusal changes nothing.

use super::lab::{Lab, changed, preset, rng};
use cyclotron_ring::RingError;
use cyclotron_ring::sample::{SecretSeed, SmallPoly};
use cyclotron_schemes::Error;
use cyclotron_schemes::bfv_pow2::DeviceError;
use cyclotron_schemes::bgv_word::{
    BgvDevice, BgvDeviceError, BgvResult, Command, CommandError, CpuBgv, Form, KeySet, PublicKey,
    Refusal, RelinearizationKey, SecretKey, WordCiphertext, WordContext,
};

const FORM: Form = Form::Coefficients;

const fn encrypt(message: usize, to: usize) -> Command {
    Command::Encrypt { message, to, form: FORM }
}

const fn add(left: usize, right: usize, to: usize) -> Command {
    Command::Add { left, right, to, form: FORM }
}

const fn multiply(left: usize, right: usize, to: usize) -> Command {
    Command::Multiply { left, right, to, form: FORM }
}

const fn key_switch(from: usize, to: usize) -> Command {
    Command::KeySwitch { from, to, form: FORM }
}

const fn mod_switch(from: usize, to: usize) -> Command {
    Command::ModSwitch { from, to }
}

const fn decrypt(from: usize, to: usize) -> Command {
    Command::Decrypt { from, to }
}

fn reason<T: std::fmt::Debug>(result: BgvResult<T>) -> (usize, CommandError) {
    match result.unwrap_err() {
        BgvDeviceError::Command { index, reason } => (index, reason),
        other => panic!("{other:?}"),
    }
}

/// A lab with messages in buffers 0 and 1, their ciphertexts in 2 and 3, the product in 4 and the
/// first one level lower in 5.
fn lab() -> Lab {
    let mut lab = Lab::new(&preset("PAPER_128_P2"), 1);
    lab.messages(2);
    let commands = [encrypt(0, 2), encrypt(1, 3), multiply(2, 3, 4), mod_switch(2, 5)];
    lab.device.run(&commands).unwrap();
    lab
}

#[test]
fn commands_that_do_not_fit_are_refused_before_anything_runs() {
    use CommandError::*;
    let mut lab = lab();
    let before: Vec<WordCiphertext> =
        (2..6).map(|buffer| lab.device.read_ciphertext(buffer).unwrap()).collect();
    let first = |operation, error: fn(&'static str) -> CommandError| error(operation);
    let cases = [
        (encrypt(12, 2), BufferOutOfRange { operation: "encrypt", buffer: 12, buffers: 12 }),
        (encrypt(0, 99), BufferOutOfRange { operation: "encrypt", buffer: 99, buffers: 12 }),
        (add(2, 12, 6), BufferOutOfRange { operation: "add", buffer: 12, buffers: 12 }),
        (decrypt(2, 12), BufferOutOfRange { operation: "decrypt", buffer: 12, buffers: 12 }),
        (encrypt(7, 2), Unwritten { operation: "encrypt", buffer: 7 }),
        (multiply(2, 8, 6), Unwritten { operation: "multiply", buffer: 8 }),
        (key_switch(9, 6), first("key switch", |operation| Unwritten { operation, buffer: 9 })),
        (
            encrypt(2, 6),
            WrongContents {
                operation: "encrypt",
                buffer: 2,
                found: "ciphertext",
                expected: "message",
            },
        ),
        (
            decrypt(0, 6),
            WrongContents {
                operation: "decrypt",
                buffer: 0,
                found: "message",
                expected: "ciphertext",
            },
        ),
        (add(2, 5, 6), LevelMismatch { operation: "add", left: 2, right: 1 }),
        (multiply(5, 3, 6), LevelMismatch { operation: "multiply", left: 1, right: 2 }),
        (add(2, 4, 6), WrongParts { operation: "add", buffer: 4, found: 3, expected: 2 }),
        (multiply(4, 2, 6), WrongParts { operation: "multiply", buffer: 4, found: 3, expected: 2 }),
        (multiply(2, 4, 6), WrongParts { operation: "multiply", buffer: 4, found: 3, expected: 2 }),
        (
            mod_switch(4, 6),
            WrongParts { operation: "mod switch", buffer: 4, found: 3, expected: 2 },
        ),
        (decrypt(4, 6), WrongParts { operation: "decrypt", buffer: 4, found: 3, expected: 2 }),
        (
            key_switch(2, 6),
            WrongParts { operation: "key switch", buffer: 2, found: 2, expected: 3 },
        ),
    ];
    for (command, expected) in cases {
        // Behind a command that could run, and does not.
        let result = lab.device.run(&[add(2, 3, 2), command]);
        assert_eq!(reason(result), (1, expected.clone()), "{command:?}");
        assert!(!expected.to_string().is_empty());
        for (buffer, held) in (2..6).zip(&before) {
            assert_eq!(&lab.device.read_ciphertext(buffer).unwrap(), held, "{command:?}");
        }
    }
    // Level 0 has none below.
    lab.device.run(&[mod_switch(5, 6)]).unwrap();
    let expected = WrongLevel { operation: "mod switch", level: 0, min: 1, max: 2 };
    assert_eq!(reason(lab.device.run(&[mod_switch(6, 6)])), (0, expected));
    // Reads say the same.
    let mut words = vec![0; 128];
    let read = lab.device.read_message(2, &mut words).unwrap_err();
    assert!(matches!(read, BgvDeviceError::Access(WrongContents { found: "ciphertext", .. })));
    let read = lab.device.read_ciphertext(11).unwrap_err();
    assert!(matches!(read, BgvDeviceError::Access(Unwritten { buffer: 11, .. })));
    assert!(lab.device.read_ciphertext(12).is_err() && lab.device.phase(0).is_err());
}

/// What is and is not allowed at the paper's sets, by the bound and the limit in the error.
#[test]
fn noise_is_refused_with_the_bound_and_the_limit() {
    let refused = |lab: &mut Lab, commands: &[Command], at: usize| {
        let (index, error) = reason(lab.device.run(commands));
        let CommandError::NoiseExhausted { bound, limit, .. } = error else {
            panic!("{error:?}");
        };
        assert!(index == at && bound > limit, "{index}: {bound} {limit}");
        // Whoever says so runs it all the same.
        lab.device.set_refusal(Refusal::Paper);
        lab.device.run(commands).unwrap();
        lab.device.set_refusal(Refusal::Strict);
        limit
    };
    let [ab, ab_switched] = [multiply(2, 3, 6), key_switch(6, 6)];
    let fresh = [encrypt(0, 2), encrypt(1, 3), encrypt(0, 4), encrypt(1, 5)];
    let prepare = |name: &str| {
        let mut lab = Lab::new(&preset(name), 2);
        lab.messages(2);
        lab.device.run(&fresh).unwrap();
        lab
    };

    // p = 2: sums, a product, its key switch, a level down, a sum.
    let mut p2 = prepare("PAPER_128_P2");
    let circuit = [add(2, 3, 2), ab, ab_switched, mod_switch(6, 6), add(6, 6, 6), decrypt(6, 7)];
    p2.device.run(&circuit).unwrap();
    // A second product needs smaller digits and more than 257^2.
    let deep = [
        ab,
        ab_switched,
        mod_switch(6, 6),
        mod_switch(4, 4),
        multiply(6, 4, 6),
        key_switch(6, 6),
        decrypt(6, 7),
    ];
    prepare("TOY_128_DEPTH2").device.run(&deep).unwrap();
    refused(&mut prepare("PAPER_128_P2_W6"), &deep, 4);
    assert_eq!(refused(&mut prepare("PAPER_128_P2"), &deep, 4), 33_024.0);
    let deeper = [
        ab,
        ab_switched,
        multiply(4, 5, 8),
        key_switch(8, 8),
        mod_switch(6, 6),
        mod_switch(8, 8),
        multiply(6, 8, 6),
        key_switch(6, 6),
        decrypt(6, 7),
    ];
    refused(&mut prepare("PAPER_128_P2_W6"), &deeper, 6);
    prepare("TOY_128_DEPTH2").device.run(&deeper).unwrap();
    // p = 32: sums decrypt; a product does at times, one of sums or a sum of two seldom.
    let mut paper = prepare("PAPER_128");
    paper.device.run(&[add(2, 3, 8), add(8, 8, 8), decrypt(8, 7)]).unwrap();
    assert_eq!(refused(&mut paper, &[ab, ab_switched], 0), 8_487_296.0);
    refused(&mut prepare("PAPER_128"), &[add(2, 4, 2), ab, ab_switched], 1);
    let two = [ab, multiply(4, 5, 8), add(6, 8, 6), key_switch(6, 6)];
    refused(&mut prepare("PAPER_128"), &two, 0);
    // What ran in spite of its noise is not decrypted once strictness is back.
    let (index, error) = reason(paper.device.run(&[decrypt(6, 7)]));
    assert!(index == 0 && matches!(error, CommandError::NoiseExhausted { .. }), "{error}");
    // A sum of a ciphertext with itself is twice its noise, however often.
    let mut n1024 = prepare("N1024_Q26");
    n1024.device.run(&[multiply(2, 2, 6), key_switch(6, 6), decrypt(6, 7)]).unwrap();
    refused(&mut n1024, &[ab, add(6, 6, 6)], 1);
}

#[test]
fn seeds_counters_and_numbers_of_encryptions() {
    let parameters = preset("PAPER_128_P2");
    let mut lab = Lab::new(&parameters, 4);
    lab.messages(1);
    let seed = || SecretSeed::new([9; 32]);
    let device = &mut lab.device;
    let zero = device.load_seed(&SecretSeed::new([0; 32]), 0).unwrap_err();
    assert_eq!(zero, DeviceError::SeedZero.into());
    let last = device.load_seed(&seed(), u64::MAX).unwrap_err();
    assert_eq!(last, DeviceError::CounterExhausted { given: u64::MAX }.into());
    device.load_seed(&seed(), 7).unwrap();
    // A refused list and one without encryption use nothing up.
    assert!(device.run(&[encrypt(0, 1), decrypt(5, 5)]).is_err());
    device.run(&[encrypt(0, 1)]).unwrap();
    device.run(&[add(1, 1, 2)]).unwrap();
    let reused = device.load_seed(&seed(), 7).unwrap_err();
    assert_eq!(reused, DeviceError::CounterReused { given: 7, next: 8 }.into());
    device.load_seed(&seed(), 8).unwrap();
    device.load_seed(&seed(), u64::MAX - 1).unwrap();
    device.run(&[encrypt(0, 1)]).unwrap();
    let exhausted = device.run(&[encrypt(0, 1)]).unwrap_err();
    assert_eq!(exhausted, DeviceError::CounterExhausted { given: u64::MAX }.into());

    device.load_seed(&SecretSeed::new([8; 32]), 0).unwrap();
    device.run(&[encrypt(0, 1); 16]).unwrap();
    let sixteenth = device.read_ciphertext(1).unwrap();
    let expected = CommandError::TooManyEncryptions { found: 17, max: 16 };
    assert_eq!(reason(device.run(&[encrypt(0, 1); 17])), (16, expected));
    // Encryption number 15 of run 0, whatever else ran.
    let mut other = CpuBgv::open(&parameters).unwrap();
    other.load_keys(&lab.keys).unwrap();
    other.load_seed(&SecretSeed::new([8; 32]), 0).unwrap();
    let mut message = vec![0; 128];
    lab.device.read_message(0, &mut message).unwrap();
    other.write_message(3, &message).unwrap();
    let mut commands = vec![encrypt(3, 4); 16];
    commands.insert(5, add(4, 4, 5));
    other.run(&commands).unwrap();
    assert_eq!(other.read_ciphertext(4).unwrap().parts(), sixteenth.parts());
}

#[test]
fn keys_and_operands_must_be_there_and_fit() {
    let parameters = preset("PAPER_128_P2");
    let mut device = CpuBgv::open(&parameters).unwrap();
    let missing = |result: BgvResult<_>, name: &str| match result.unwrap_err() {
        BgvDeviceError::NotLoaded { what, .. } => assert_eq!(what, name),
        other => panic!("{other:?}"),
    };
    let keys = KeySet::generate(device.context(), &mut rng(1)).unwrap();
    device.write_message(0, &[1; 128]).unwrap();
    missing(device.run(&[encrypt(0, 1)]), "public key");
    device.load_public_key(&keys.public).unwrap();
    missing(device.run(&[encrypt(0, 1)]), "seed");
    device.load_seed(&SecretSeed::new([1; 32]), 0).unwrap();
    device.run(&[encrypt(0, 1), multiply(1, 1, 2)]).unwrap();
    missing(device.run(&[key_switch(2, 2)]), "relinearisation key");
    missing(device.run(&[decrypt(1, 2)]), "secret key");
    assert!(matches!(device.phase(1), Err(BgvDeviceError::NotLoaded { .. })));

    let write = device.write_message(0, &[0; 127]).unwrap_err();
    let expected = DeviceError::WrongSize { what: "message", found: 127, expected: 128 };
    assert_eq!(write, expected.into());
    let mut words = [1; 128];
    words[5] = 2;
    let write = device.write_message(0, &words).unwrap_err();
    let expected = DeviceError::OutOfRange { what: "message", index: 5, found: 2, max: 1 };
    assert_eq!(write, expected.into());
    assert!(device.write_message(16, &[0; 128]).is_err());
    assert!(device.read_message(0, &mut [0; 5]).is_err());

    let other = WordContext::new(&changed("PAPER_128_P2", |l| l.digit_bits = 12)).unwrap();
    let foreign = KeySet::generate(&other, &mut rng(1)).unwrap();
    let mismatch = |result: BgvResult<()>| {
        let error = result.unwrap_err();
        assert!(matches!(error, BgvDeviceError::Device(DeviceError::Mismatch { .. })), "{error}");
    };
    mismatch(device.load_public_key(&foreign.public));
    mismatch(device.load_secret_key(&foreign.secret));
    mismatch(device.load_relinearization_key(&foreign.relinearization));
    let generated = PublicKey::generate(&other, &keys.secret, &mut rng(2));
    assert!(matches!(generated, Err(Error::ParameterMismatch { .. })));

    let context = device.context();
    let short = SecretKey::from_coefficients(context, SmallPoly::from_coefficients(vec![1; 4]));
    assert!(short.unwrap_err().to_string().contains("is 4"));
    for bad in [vec![2; 128], vec![i32::MIN + 1; 128], vec![1; 128]] {
        let key = SecretKey::from_coefficients(context, SmallPoly::from_coefficients(bad));
        assert!(matches!(key, Err(Error::Parameter { .. })));
    }
    let large = PublicKey::from_polynomials(context, vec![0; 128], vec![16_974_593; 128]);
    assert!(matches!(large, Err(Error::Ring(RingError::NotReduced { .. }))));
    assert!(RelinearizationKey::from_rows(context, Vec::new()).is_err());
    let noise = parameters.noise().claimed(1.0);
    let part = vec![66_048; 128];
    let made = |level, count| {
        WordCiphertext::from_parts(&parameters, level, vec![part.clone(); count], noise.clone())
    };
    assert!(made(1, 2).is_ok() && made(1, 3).is_ok() && made(0, 2).is_err());
    assert!(made(1, 4).is_err() && made(3, 2).is_err());
}
