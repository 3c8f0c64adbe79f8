//! Does the time of a sampler depend on the secret? [`dudect`] tells how that is measured.
//!
//! `cargo bench -p cyclotron-ring --bench timing_leak` measures and fails above 10; without
//! `--bench` (as in `cargo test --benches`) it makes a short run that decides nothing.

#[path = "common/dudect.rs"]
mod dudect;

use cyclotron_ring::Modulus;
use cyclotron_ring::sample::device::{DeviceSamples, DeviceStream};
use cyclotron_ring::sample::{
    DEFAULT_SIGMA, GaussianSampler, SecretRng, SecretSeed, binomial, small, ternary,
};
use dudect::Routine;
use std::hint::black_box;
use std::process::ExitCode;

/// Coefficients drawn in one measurement.
const LENGTH: usize = 256;

/// What one measurement works on; prepared outside the measured time.
struct Input {
    rng: SecretRng,
    stream: DeviceStream,
    samples: DeviceSamples,
    small: Vec<i32>,
    out: Vec<i32>,
    residues: Vec<u64>,
}

fn routines() -> cyclotron_ring::Result<Vec<Routine<Input>>> {
    let sampler = GaussianSampler::new(DEFAULT_SIGMA)?;
    let wide = Modulus::new((1 << 50) - 27)?;
    let narrow = Modulus::new((1 << 31) - 1)?;
    let leaky = |input: &mut Input| {
        // Divides only where the coefficient is not zero, as careless code saves itself work.
        let sum =
            input.small.iter().filter(|&&x| x != 0).fold(1, |sum: u64, x| {
                black_box(sum.wrapping_mul(31) / u64::from(x.unsigned_abs()))
            });
        black_box(sum);
    };
    Ok(vec![
        Routine::new("gaussian", move |i: &mut Input| sampler.fill(&mut i.rng, &mut i.out)),
        Routine::new("ternary", |i: &mut Input| ternary::fill(&mut i.rng, &mut i.out)),
        Routine::new("binomial", |i: &mut Input| drop(binomial::fill(&mut i.rng, 21, &mut i.out))),
        Routine::new("randomness of a device", |i: &mut Input| i.stream.refill(0, &mut i.samples)),
        Routine::new("residues modulo 50 bits", move |i: &mut Input| {
            drop(small::to_residues(wide, &i.small, &mut i.residues));
        }),
        Routine::new("residues modulo 31 bits", move |i: &mut Input| {
            drop(small::to_residues(narrow, &i.small, &mut i.residues));
        }),
        Routine { constant_time: false, ..Routine::new("control: leaks", leaky) },
    ])
}

/// The fixed secret is a zero polynomial and the generator of a zero seed.
fn prepare(input: &mut Input, fixed: bool, source: &mut SecretRng) {
    let mut seed = [0; 32];
    let mut words = [0; LENGTH];
    source.fill_bytes(&mut seed);
    source.fill_words(&mut words);
    let keep = if fixed { 0 } else { u8::MAX };
    let seed = || SecretSeed::new(seed.map(|byte| byte & keep));
    input.rng = SecretRng::from_seed(seed());
    input.stream = DeviceStream::new(&seed(), 0);
    for (x, word) in input.small.iter_mut().zip(words) {
        *x = ((word % 41) as i32 - 20) * i32::from(keep & 1);
    }
}

fn run() -> cyclotron_ring::Result<bool> {
    let zero = || SecretSeed::new([0; 32]);
    let blank = || {
        Ok(Input {
            rng: SecretRng::from_seed(zero()),
            stream: DeviceStream::new(&zero(), 0),
            samples: DeviceSamples::zero(LENGTH)?,
            small: vec![0; LENGTH],
            out: vec![0; LENGTH],
            residues: vec![0; LENGTH],
        })
    };
    dudect::head();
    dudect::measure(&routines()?, 128_000, blank, prepare)
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
