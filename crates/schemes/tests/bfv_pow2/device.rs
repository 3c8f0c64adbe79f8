//! The reference device against the formulas, computed in the ring itself, and its refusals.

use super::lab::{Lab, device_seed, parameters, preset, rng};
use cyclotron_ring::pow2::Pow2Ring;
use cyclotron_ring::sample::device::DeviceStream;
use cyclotron_ring::sample::{SecretSeed, SmallPoly};
use cyclotron_schemes::Error;
use cyclotron_schemes::bfv_pow2::{
    Cost, CpuCrypt, CryptDevice, Decryptor, DeviceCheck, DeviceDescription, DeviceError,
    DeviceResult, EncryptRun, Encryptor, Plaintext, Pow2Context, PublicPolynomials,
};
use proptest::prelude::*;

fn lifted(small: &SmallPoly) -> Vec<u64> {
    small.as_slice().iter().map(|&x| i64::from(x) as u64).collect()
}

/// The specification: `c0 = p0 u + e1 + Delta m`, `c1 = p1 u + e2`; without a transform.
fn encrypt(ring: Pow2Ring, log_t: u32, run: &EncryptRun<'_>) -> (Vec<u64>, Vec<u64>) {
    let n = ring.degree();
    let stream = DeviceStream::new(run.seed, run.run_counter);
    let (mut c0, mut c1) = (Vec::new(), Vec::new());
    for (k, message) in (0u32..).zip(run.messages.chunks_exact(n)) {
        let samples = stream.plaintext(k, n).unwrap();
        let u = lifted(&samples.u);
        let part = |p: &[u64], e: &SmallPoly, message: &[u64]| {
            let mut out = vec![0; n];
            ring.mul(&mut out, p, &u);
            let terms = out.iter().zip(lifted(e)).zip(message);
            let delta = 1u64 << (ring.bits() - log_t);
            terms
                .map(|((&x, e), &m)| {
                    x.wrapping_add(e).wrapping_add(m.wrapping_mul(delta)) & ring.mask()
                })
                .collect::<Vec<u64>>()
        };
        c0.extend(part(run.key.p0, &samples.e1, message));
        c1.extend(part(run.key.p1, &samples.e2, &vec![0; n]));
    }
    (c0, c1)
}

/// The specification: `m = floor((c0 + c1 s) / Delta + 1/2) mod t`.
fn decrypt(ring: Pow2Ring, log_t: u32, s: &SmallPoly, c0: &[u64], c1: &[u64]) -> Vec<u64> {
    let (n, s) = (ring.degree(), lifted(s));
    let delta = 1u128 << (ring.bits() - log_t);
    let mut messages = Vec::new();
    for (c0, c1) in c0.chunks_exact(n).zip(c1.chunks_exact(n)) {
        let (mut product, mut phase) = (vec![0; n], vec![0; n]);
        ring.mul(&mut product, c1, &s);
        ring.add(&mut phase, &product, c0);
        let rounded = phase.iter().map(|&x| (u128::from(x) + delta / 2) / delta % (1 << log_t));
        messages.extend(rounded.map(|m| m as u64));
    }
    messages
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Any words, not only keys and ciphertexts: encryption and decryption are the formulas.
    #[test]
    fn the_processor_computes_the_formulas(
        log_n in 2u32..=11,
        (log_q, log_t) in (2u32..=64).prop_flat_map(|log_q| (Just(log_q), 1..log_q)),
        batch in 1usize..=16,
        run_counter in 0..u64::MAX,
        seed in 1u8..,
    ) {
        let n = 1usize << log_n;
        let batch = if n > 256 { batch.min(2) } else { batch };
        let ring = Pow2Ring::new(n, log_q).unwrap();
        let mut source = rng(seed);
        let mut words = |count: usize, bits: u32| -> Vec<u64> {
            (0..count).map(|_| source.next_u64() >> (64 - bits)).collect()
        };
        let (p0, p1) = (words(n, log_q), words(n, log_q));
        let messages = words(batch * n, log_t);
        let (mut c0, mut c1) = (words(batch * n, log_q), words(batch * n, log_q));
        let mut plain = vec![0; batch * n];
        let secret = SmallPoly::ternary(&mut source, n);
        let seed = SecretSeed::new([seed; 32]);
        let key = PublicPolynomials { p0: &p0, p1: &p1 };
        let run = EncryptRun { key, messages: &messages, seed: &seed, run_counter };

        let mut device = CpuCrypt::new(n, log_q, log_t).unwrap();
        device.decrypt(&secret, &c0, &c1, &mut plain).unwrap();
        prop_assert_eq!(plain, decrypt(ring, log_t, &secret, &c0, &c1));
        device.encrypt(&run, &mut c0, &mut c1).unwrap();
        prop_assert_eq!((c0, c1), encrypt(ring, log_t, &run));
    }
}

/// The sizes of the paper: full ciphertexts, full batches, and a key that changes in between.
#[test]
fn full_runs_at_the_paper_size() {
    for name in ["PAPER_BFV_1024", "PAPER_BFV_1024_Q64"] {
        let mut device = preset_device(name);
        for key in 1..3 {
            let mut lab = Lab::seeded(&preset(name), key);
            let (n, ring) = (1024, Pow2Ring::new(1024, lab.parameters.log_q()).unwrap());
            let messages: Vec<u64> =
                (0..16).flat_map(|_| lab.message().coefficients().to_vec()).collect();
            let (mut c0, mut c1) = (vec![0; 16 * n], vec![0; 16 * n]);
            let seed = SecretSeed::new([key; 32]);
            let key = lab.keys.public.polynomials();
            let run = EncryptRun { key, messages: &messages, seed: &seed, run_counter: 5 };
            device.encrypt(&run, &mut c0, &mut c1).unwrap();
            let log_t = lab.parameters.log_t();
            assert_eq!((c0.clone(), c1.clone()), encrypt(ring, log_t, &run));
            // 32 ciphertexts.
            let double = |c: &[u64]| [c, c].concat();
            let mut plain = vec![0; 32 * n];
            let secret = lab.keys.secret.expose();
            device.decrypt(secret, &double(&c0), &double(&c1), &mut plain).unwrap();
            assert_eq!(plain, double(&messages), "{name}");
            assert_eq!(plain[..n], decrypt(ring, log_t, secret, &c0[..n], &c1[..n]));
        }
    }
}

fn preset_device(name: &str) -> CpuCrypt {
    Pow2Context::new(&preset(name)).unwrap().processor().unwrap()
}

/// Every refusal, and that it comes before anything is used up.
#[test]
fn bad_operands_are_refused_with_both_values() {
    let mut device = CpuCrypt::new(4, 32, 8).unwrap();
    let good = vec![0; 4];
    let seed = SecretSeed::new([1; 32]);
    let mut attempt = |p0: &[u64], messages: &[u64], out: usize, seed: &SecretSeed, run_counter| {
        let key = PublicPolynomials { p0, p1: &good };
        let run = EncryptRun { key, messages, seed, run_counter };
        device.encrypt(&run, &mut vec![0; out], &mut vec![0; messages.len()])
    };
    let size = |what, found, expected| Err(DeviceError::WrongSize { what, found, expected });
    assert_eq!(attempt(&[0; 3], &good, 4, &seed, 0), size("p0", 3, 4));
    assert_eq!(attempt(&good, &[0; 5], 5, &seed, 0), size("plaintexts", 5, 8));
    assert_eq!(attempt(&good, &[], 0, &seed, 0), size("plaintexts", 0, 4));
    assert_eq!(attempt(&good, &good, 3, &seed, 0), size("output c0", 3, 4));
    let many = attempt(&good, &[0; 68], 68, &seed, 0);
    assert_eq!(many, Err(DeviceError::TooMany { what: "plaintexts", found: 17, max: 16 }));
    let wide = attempt(&[0, 0, 1 << 32, 0], &good, 4, &seed, 0);
    let max = u32::MAX.into();
    assert_eq!(wide, Err(DeviceError::OutOfRange { what: "p0", index: 2, found: 1 << 32, max }));
    let message = attempt(&good, &[0, 256, 0, 0], 4, &seed, 0);
    let out_of_range = DeviceError::OutOfRange { what: "messages", index: 1, found: 256, max: 255 };
    assert_eq!(message, Err(out_of_range));
    let zero = SecretSeed::new([0; 32]);
    assert_eq!(attempt(&good, &good, 4, &zero, 0), Err(DeviceError::SeedZero));
    let last = attempt(&good, &good, 4, &seed, u64::MAX);
    assert_eq!(last, Err(DeviceError::CounterExhausted { given: u64::MAX }));
    // Nothing has been used up: the first counter is still good.
    assert_eq!(attempt(&good, &good, 4, &seed, 0), Ok(Cost::default()));

    let secret = |x| SmallPoly::from_coefficients(vec![0, 0, x, 0]);
    let mut attempt = |secret: &SmallPoly, c0: &[u64], c1: &[u64], out: usize| {
        device.decrypt(secret, c0, c1, &mut vec![0; out])
    };
    assert_eq!(attempt(&secret(1), &good, &good, 3), size("output messages", 3, 4));
    assert_eq!(attempt(&secret(1), &good, &[0; 8], 4), size("c1", 8, 4));
    for illegal in [2, -2, 3, i32::MIN, i32::MAX] {
        let refused = attempt(&secret(illegal), &good, &good, 4);
        assert_eq!(refused, Err(DeviceError::NotTernary), "{illegal}");
    }
    let short = SmallPoly::from_coefficients(vec![0; 3]);
    assert_eq!(attempt(&short, &good, &good, 4), size("secret key", 3, 4));
    let many = attempt(&secret(1), &[0; 132], &[0; 132], 132);
    assert_eq!(many, Err(DeviceError::TooMany { what: "ciphertexts", found: 33, max: 32 }));
    let wide = attempt(&secret(1), &good, &[0, 0, 0, u64::MAX], 4);
    let found = u64::MAX;
    assert_eq!(wide, Err(DeviceError::OutOfRange { what: "c1", index: 3, found, max }));
    for (n, log_q, log_t) in [(2, 32, 8), (1000, 32, 8), (1024, 65, 8), (1024, 32, 32), (8, 9, 0)] {
        assert!(CpuCrypt::new(n, log_q, log_t).is_err(), "{n} {log_q} {log_t}");
    }
}

/// A pair of seed and run counter serves once.
#[test]
fn randomness_never_serves_twice() {
    let mut device = CpuCrypt::new(4, 32, 8).unwrap();
    let words = vec![0; 4];
    let mut run = |seed: u8, run_counter| {
        let seed = SecretSeed::new([seed; 32]);
        let key = PublicPolynomials { p0: &words, p1: &words };
        let run = EncryptRun { key, messages: &words, seed: &seed, run_counter };
        device.encrypt(&run, &mut [0; 4], &mut [0; 4]).map(|_| ())
    };
    assert_eq!(run(1, 10), Ok(()));
    assert_eq!(run(1, 10), Err(DeviceError::CounterReused { given: 10, next: 11 }));
    assert_eq!(run(1, 0), Err(DeviceError::CounterReused { given: 0, next: 11 }));
    assert_eq!(run(1, 11), Ok(()));
    assert_eq!(run(1, u64::MAX - 1), Ok(()));
    let given = u64::MAX - 1;
    assert_eq!(run(1, given), Err(DeviceError::CounterReused { given, next: u64::MAX }));
    assert_eq!(run(2, 0), Ok(()));

    let lab = Lab::new(&parameters(4, 32, 8, 0));
    let device = Box::new(lab.context.processor().unwrap());
    let seed = SecretSeed::new([1; 32]);
    let last = u64::MAX - 1;
    let mut encryptor =
        Encryptor::with_seed(&lab.context, &lab.keys.public, device, seed, last).unwrap();
    let plaintext = Plaintext::new(&lab.parameters, vec![1]).unwrap();
    assert!(encryptor.encrypt(&plaintext).is_ok());
    let exhausted = DeviceError::CounterExhausted { given: u64::MAX };
    for _ in 0..2 {
        assert_eq!(encryptor.encrypt(&plaintext).unwrap_err(), Error::Device(exhausted.clone()));
    }
}

/// The sixteen plaintexts of a run, and what comes after them.
#[test]
fn long_lists_are_cut_into_runs_of_sixteen() {
    let mut lab = Lab::new(&preset("PAPER_BFV_MINI_8"));
    let messages: Vec<Plaintext> = (0..37).map(|_| lab.message()).collect();
    let (together, cost) = lab.encryptor.encrypt_many(&messages).unwrap();
    assert_eq!((lab.encryptor.next_run(), cost), (3, Cost::default()));
    let ring = Pow2Ring::new(8, 32).unwrap();
    let seed = device_seed(7);
    for (j, ciphertext) in together.iter().enumerate() {
        let (run_counter, k) = (j as u64 / 16, j % 16);
        let first = j - k;
        let words: Vec<u64> =
            messages[first..=j].iter().flat_map(|m| m.coefficients().to_vec()).collect();
        let key = lab.keys.public.polynomials();
        let run = EncryptRun { key, messages: &words, seed: &seed, run_counter };
        let (c0, c1) = encrypt(ring, 16, &run);
        assert_eq!(ciphertext.parts(), [c0[8 * k..].to_vec(), c1[8 * k..].to_vec()], "{j}");
    }
    let mut device = lab.context.processor().unwrap();
    for check in [DeviceCheck::ClaimedBound, DeviceCheck::Measured] {
        let (found, _) = lab.decryptor.decrypt_on(&mut device, &together, check).unwrap();
        assert_eq!(found, messages);
    }
    assert_eq!(lab.encryptor.encrypt_many(&[]).unwrap().0, []);
}

/// A device that is what it says, and wrong in the result.
struct Wrong(CpuCrypt, DeviceDescription);

impl CryptDevice for Wrong {
    fn describe(&self) -> DeviceDescription {
        self.1.clone()
    }

    fn encrypt(
        &mut self,
        run: &EncryptRun<'_>,
        c0: &mut [u64],
        c1: &mut [u64],
    ) -> DeviceResult<Cost> {
        self.0.encrypt(run, c0, c1)
    }

    fn decrypt(
        &mut self,
        secret: &SmallPoly,
        c0: &[u64],
        c1: &[u64],
        messages: &mut [u64],
    ) -> DeviceResult<Cost> {
        self.0.decrypt(secret, c0, c1, messages)?;
        if let Some(last) = messages.last_mut() {
            *last ^= 1;
        }
        Ok(Cost { compute_cycles: Some(10), transfer_cycles: None })
    }
}

#[test]
fn a_wrong_or_unfit_device_is_noticed() {
    let mut lab = Lab::new(&preset("PAPER_BFV_MINI_4"));
    let device = || lab.context.processor().unwrap();
    let description = device().describe();
    let mut wrong =
        Wrong(device(), DeviceDescription { max_ciphertexts: 2, ..description.clone() });
    let others = [
        ("degree", DeviceDescription { degree: 8, ..description.clone() }),
        ("log2 of q", DeviceDescription { log_q: 33, ..description.clone() }),
        ("log2 of t", DeviceDescription { log_t: 8, ..description.clone() }),
        ("number of plaintexts of a run", DeviceDescription { max_plaintexts: 15, ..description }),
    ];
    for (property, other) in others {
        let unfit = Box::new(Wrong(device(), other));
        match Encryptor::new(&lab.context, &lab.keys.public, unfit) {
            Err(Error::Device(DeviceError::Mismatch { what, found, expected })) => {
                assert_eq!(what, property);
                assert_ne!(found, expected);
            }
            other => panic!("{property}: {other:?}"),
        }
    }
    let messages: Vec<Plaintext> = (0..3).map(|_| lab.message()).collect();
    let (ciphertexts, _) = lab.encryptor.encrypt_many(&messages).unwrap();
    let claimed = DeviceCheck::ClaimedBound;
    let (found, cost) = lab.decryptor.decrypt_on(&mut wrong, &ciphertexts, claimed).unwrap();
    assert_ne!(found, messages);
    // Two runs: two ciphertexts and one.
    assert_eq!(cost, Cost { compute_cycles: Some(20), transfer_cycles: None });
    let refused = lab.decryptor.decrypt_on(&mut wrong, &ciphertexts, DeviceCheck::Measured);
    match refused {
        Err(Error::Device(DeviceError::WrongResult { index: 1, .. })) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn objects_of_other_parameters_are_refused() {
    let mut lab = Lab::new(&preset("PAPER_BFV_MINI_4"));
    let mut other = Lab::new(&preset("PAPER_BFV_MINI_8"));
    let (foreign, own) = (other.message(), lab.message());
    let mismatch = |error: Error| matches!(error, Error::ParameterMismatch { .. });
    assert!(mismatch(lab.encryptor.encrypt(&foreign).unwrap_err()));
    assert!(mismatch(lab.encryptor.encrypt_many(&[own.clone(), foreign]).unwrap_err()));
    assert_eq!(lab.encryptor.next_run(), 0);
    let (a, b) = (lab.encryptor.encrypt(&own).unwrap(), lab.encryptor.encrypt(&own).unwrap());
    assert_ne!(a, b);
    assert!(mismatch(other.decryptor.decrypt(&a).unwrap_err()));
    assert!(mismatch(other.evaluator.add(&a, &a).unwrap_err()));
    assert!(mismatch(Decryptor::new(&lab.context, &other.keys.secret).unwrap_err()));
    assert!(mismatch(Encryptor::on_processor(&lab.context, &other.keys.public).unwrap_err()));
    let shown = format!("{:?} {:?}", lab.encryptor, lab.keys);
    assert!(shown.contains("contents hidden") && shown.contains("run 2"), "{shown}");
}
