//! A test whether time depends on a secret, in the manner of dudect (Reparaz, Balasch and
//! Verbauwhede, "Dude, is my code constant time?", 2017).
//!
//! For each routine two classes of inputs are timed in random order: one fixed secret, and fresh
//! random ones. Welch's t statistic compares the two means, over all measurements and over those
//! below several quantiles, which drops interruptions. Above 10 a leak is certain, above 4.5 likely:
//! repeat the run. A routine that leaks on purpose shows that the test sees a leak.

use cyclotron_ring::sample::{SecretRng, SecretSeed};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// Inputs prepared together.
const BATCH: usize = 64;

/// The value of |t| above which a routine leaks.
const LIMIT: f64 = 10.0;

/// A routine under test: a name, whether it must not leak, and the work on prepared input.
pub struct Routine<I> {
    pub name: String,
    pub constant_time: bool,
    pub run: Box<dyn Fn(&mut I)>,
}

impl<I> Routine<I> {
    /// A routine that must not leak.
    pub fn new(name: impl Into<String>, run: impl Fn(&mut I) + 'static) -> Self {
        Self { name: name.into(), constant_time: true, run: Box::new(run) }
    }
}

/// Whether to measure and decide (`cargo bench`), or to make a short run that decides nothing (as
/// in `cargo test --benches`).
pub fn decides() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// Prints the head of the table.
pub fn head() {
    println!("{:<36}{:>10}{:>12}   |t| above {LIMIT}: leaks", "routine", "ns", "largest |t|");
}

/// What a program that measured returns.
pub fn exit(as_expected: bool) -> ExitCode {
    if decides() && !as_expected { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Measures routines and prints a line of each; whether all are as expected. `prepare` puts a
/// secret into an input: the fixed one, or a random one from the generator.
///
/// # Errors
/// Those of `blank`.
pub fn measure<I, E>(
    routines: &[Routine<I>],
    measurements: usize,
    blank: impl Fn() -> Result<I, E>,
    mut prepare: impl FnMut(&mut I, bool, &mut SecretRng),
) -> Result<bool, E> {
    let measurements = if decides() { measurements } else { 10 * BATCH };
    let mut source = SecretRng::from_seed(SecretSeed::new([1; 32]));
    // Inputs are prepared many at a time, so that preparing one leaves nothing in the caches and
    // predictors that could set the classes apart when it is timed.
    let inputs: Result<Vec<(bool, I)>, E> = (0..BATCH).map(|_| Ok((false, blank()?))).collect();
    let mut inputs = inputs?;
    let mut as_expected = true;
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
        println!("{:<36}{mean:>10.0}{t:>12.1}", routine.name);
        as_expected &= (t <= LIMIT) == routine.constant_time;
    }
    Ok(as_expected)
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
