//! Does the time of a product by a ternary polynomial modulo a power of two depend on that
//! polynomial, the secret? [`dudect`] tells how that is measured.
//!
//! `cargo bench -p cyclotron-schemes --bench timing_leak` measures and fails above 10; without
//! `--bench` (as in `cargo test --benches`) it makes a short run that decides nothing.

#[path = "../../ring/benches/common/dudect.rs"]
mod dudect;

use cyclotron_ring::RingError;
use cyclotron_ring::sample::{SecretRng, SmallPoly};
use cyclotron_schemes::bfv_pow2::TernaryRing;
use cyclotron_schemes::bfv_pow2::ternary::{PreparedSmall, PreparedWide};
use dudect::Routine;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;

/// Degrees of the three methods (definition, Fourier transform, prime), and measurements.
const DEGREES: [(usize, usize); 3] = [(16, 128_000), (1024, 128_000), (8192, 12_800)];

/// What one measurement works on; prepared outside the measured time.
struct Input {
    small: SmallPoly,
    prepared: PreparedSmall,
    values: Vec<u64>,
    work: Vec<u64>,
    out: Vec<u64>,
}

fn input(ring: &TernaryRing, small: SmallPoly) -> Result<Input, RingError> {
    let n = ring.ring().degree();
    let prepared = ring.prepare_small(&small)?;
    let (values, work, out) = (vec![0; n], vec![0; ring.work_words()], vec![0; n]);
    Ok(Input { small, prepared, values, work, out })
}

fn routines(ring: &Arc<TernaryRing>, words: Vec<u64>) -> Vec<Routine<Input>> {
    let n = ring.ring().degree();
    let wide: PreparedWide = ring.prepare_wide(&words);
    let [encrypting, decrypting] = [0; 2].map(|_| Arc::clone(ring));
    vec![
        // As an encryption multiplies: a public key by a fresh `u`.
        Routine::new(format!("key by u, n = {n}"), move |i: &mut Input| {
            let done = encrypting.transform_small(i.small.as_slice(), &mut i.work, &mut i.values);
            encrypting.multiply_wide(&wide, &i.values, &mut i.work, &mut i.out);
            drop(black_box(done));
        }),
        // As a decryption multiplies: a ciphertext by the secret key.
        Routine::new(format!("ciphertext by s, n = {n}"), move |i: &mut Input| {
            decrypting.multiply_small(&words, &i.prepared, &mut i.work, &mut i.out);
        }),
    ]
}

/// Adds up where the coefficient is not zero, as careless code saves itself work.
fn leaky(input: &mut Input) {
    for (at, &x) in input.small.as_slice().iter().enumerate() {
        if black_box(x) != 0 {
            input.out.iter_mut().skip(at).for_each(|out| *out = out.wrapping_add(x as u64));
        }
    }
}

fn run() -> Result<bool, RingError> {
    dudect::head();
    let mut as_expected = true;
    for (n, measurements) in DEGREES {
        let ring = Arc::new(TernaryRing::new(n, 32)?);
        let words: Vec<u64> = (0..n as u64).map(|i| i.wrapping_mul(0x9e37_79b9) >> 3).collect();
        let mut routines = routines(&ring, words.iter().map(|word| word & 0xffff_ffff).collect());
        if n == 16 {
            routines
                .push(Routine { constant_time: false, ..Routine::new("control: leaks", leaky) });
        }
        let zero = || SmallPoly::from_coefficients(vec![0; n]);
        let blank = || input(&ring, zero());
        let mut failed = Ok(());
        // The fixed secret is zero.
        let prepare = |old: &mut Input, fixed: bool, source: &mut SecretRng| {
            let random = SmallPoly::ternary(source, n);
            match input(&ring, if fixed { zero() } else { random }) {
                Ok(new) => *old = new,
                Err(error) => failed = Err(error),
            }
        };
        as_expected &= dudect::measure(&routines, measurements, blank, prepare)?;
        failed?;
    }
    Ok(as_expected)
}

fn main() -> ExitCode {
    match run() {
        Ok(as_expected) => dudect::exit(as_expected),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
