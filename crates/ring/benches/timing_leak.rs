//! Does the time of a sampler depend on the secret? A test in the manner of dudect (Reparaz,
//! Balasch and Verbauwhede, "Dude, is my code constant time?", 2017).
//!
//! For each routine two classes of inputs are timed in random order: one fixed secret, and fresh
//! random ones. Welch's t statistic compares the two means, over all measurements and over those
//! below several quantiles, which drops interruptions. Above 10 a leak is certain, above 4.5 likely:
//! repeat the run. A routine that leaks on purpose shows that the test sees a leak.
//!
//! `cargo bench -p cyclotron-ring --bench timing_leak` measures and fails above 10; without
//! `--bench` (as in `cargo test --benches`) it makes a short run that decides nothing.

use cyclotron_ring::Modulus;
use cyclotron_ring::sample::{
    DEFAULT_SIGMA, GaussianSampler, SecretRng, SecretSeed, binomial, small, ternary,
};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// Coefficients drawn in one measurement.
const LENGTH: usize = 256;

/// Inputs prepared together.
const BATCH: usize = 64;

/// The value of |t| above which a routine leaks.
const LIMIT: f64 = 10.0;

/// A routine under test: a name, whether it must not leak, and the work on prepared input.
struct Routine {
    name: &'static str,
    constant_time: bool,
    run: Box<dyn Fn(&mut Input)>,
}

/// What one measurement works on; prepared outside the measured time.
struct Input {
    rng: SecretRng,
    small: Vec<i32>,
    out: Vec<i32>,
    residues: Vec<u64>,
}

fn routines() -> cyclotron_ring::Result<Vec<Routine>> {
    let sampler = GaussianSampler::new(DEFAULT_SIGMA)?;
    let wide = Modulus::new((1 << 50) - 27)?;
    let narrow = Modulus::new((1 << 31) - 1)?;
    let routine = |name, run: Box<dyn Fn(&mut Input)>| Routine { name, constant_time: true, run };
    let leaky = |input: &mut Input| {
        // Divides only where the coefficient is not zero, as careless code saves itself work.
        let sum =
            input.small.iter().filter(|&&x| x != 0).fold(1, |sum: u64, x| {
                black_box(sum.wrapping_mul(31) / u64::from(x.unsigned_abs()))
            });
        black_box(sum);
    };
    Ok(vec![
        routine("gaussian", Box::new(move |i| sampler.fill(&mut i.rng, &mut i.out))),
        routine("ternary", Box::new(|i| ternary::fill(&mut i.rng, &mut i.out))),
        routine("binomial", Box::new(|i| drop(binomial::fill(&mut i.rng, 21, &mut i.out)))),
        routine(
            "residues modulo 50 bits",
            Box::new(move |i| drop(small::to_residues(wide, &i.small, &mut i.residues))),
        ),
        routine(
            "residues modulo 31 bits",
            Box::new(move |i| drop(small::to_residues(narrow, &i.small, &mut i.residues))),
        ),
        Routine { name: "control: leaks", constant_time: false, run: Box::new(leaky) },
    ])
}

/// The fixed secret is a zero polynomial and the generator of a zero seed.
fn prepare(input: &mut Input, fixed: bool, source: &mut SecretRng) {
    let mut seed = [0; 32];
    let mut words = [0; LENGTH];
    source.fill_bytes(&mut seed);
    source.fill_words(&mut words);
    let keep = if fixed { 0 } else { u8::MAX };
    input.rng = SecretRng::from_seed(SecretSeed::new(seed.map(|byte| byte & keep)));
    for (x, word) in input.small.iter_mut().zip(words) {
        *x = ((word % 41) as i32 - 20) * i32::from(keep & 1);
    }
}

/// The largest |t| over the quantiles; `times` are (class is fixed, nanoseconds).
fn largest_t(times: &[(bool, f64)]) -> f64 {
    let mut sorted: Vec<f64> = times.iter().map(|(_, time)| *time).collect();
    sorted.sort_by(f64::total_cmp);
    [0.5, 0.75, 0.9, 0.95, 1.0]
        .into_iter()
        .map(|quantile| {
            let last = (sorted.len() as f64 * quantile) as usize;
            let cut = sorted[last.clamp(1, sorted.len()) - 1];
            let class = |fixed: bool| {
                let of_class: Vec<f64> = times
                    .iter()
                    .filter(|(class, time)| *class == fixed && *time <= cut)
                    .map(|(_, time)| *time)
                    .collect();
                let count = of_class.len() as f64;
                let mean = of_class.iter().sum::<f64>() / count;
                let squares: f64 = of_class.iter().map(|time| (time - mean).powi(2)).sum();
                (mean, squares / (count - 1.0) / count)
            };
            let ((mean_a, error_a), (mean_b, error_b)) = (class(true), class(false));
            (mean_a - mean_b).abs() / (error_a + error_b).sqrt()
        })
        .fold(0.0, f64::max)
}

fn main() -> ExitCode {
    let decide = std::env::args().any(|argument| argument == "--bench");
    let measurements = if decide { 128_000 } else { 640 };
    let routines = match routines() {
        Ok(routines) => routines,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut source = SecretRng::from_seed(SecretSeed::new([1; 32]));
    // Inputs are prepared many at a time, so that preparing one leaves nothing in the caches and
    // predictors that could set the classes apart when it is timed.
    let blank = || Input {
        rng: SecretRng::from_seed(SecretSeed::new([0; 32])),
        small: vec![0; LENGTH],
        out: vec![0; LENGTH],
        residues: vec![0; LENGTH],
    };
    let mut inputs: Vec<(bool, Input)> = (0..BATCH).map(|_| (false, blank())).collect();
    let mut as_expected = true;
    println!("{:<28}{:>10}{:>12}   |t| above {LIMIT}: leaks", "routine", "ns", "largest |t|");
    for routine in routines {
        let mut times = Vec::with_capacity(measurements);
        for _ in 0..measurements / BATCH {
            for (fixed, input) in &mut inputs {
                *fixed = source.next_u64() & 1 == 1;
                prepare(input, *fixed, &mut source);
            }
            for (fixed, input) in &mut inputs {
                let start = Instant::now();
                (routine.run)(black_box(input));
                times.push((*fixed, start.elapsed().as_nanos() as f64));
            }
        }
        // The first tenth warms caches and clocks.
        let times = &times[times.len() / 10..];
        let t = largest_t(times);
        let mean = times.iter().map(|(_, time)| time).sum::<f64>() / times.len() as f64;
        println!("{:<28}{mean:>10.0}{t:>12.1}", routine.name);
        as_expected &= (t <= LIMIT) == routine.constant_time;
    }
    if decide && !as_expected { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
