//! `cyclotron rtl attack`: the paper's mode is broken before the reader's eyes, the default is not.
//!
//! The command fails when an attack on the paper's mode does not succeed, and when one on the
//! default mode does: what it prints it has just seen.

use super::paper::PaperDevice;
use crate::arguments::Global;
use crate::failure::{Failure, Result};
use crate::output::{self, Output};
use crate::progress::Progress;
use clap::Args;
use cyclotron_devices::attack::paper_mode::{self, STATE_BITS};
use cyclotron_devices::attack::reuse::{self, Difference, LARGEST_LEAK};
use cyclotron_devices::attack::scheme::{Ciphertexts, DemoKey, PAPER_DEGREE, PublicKey};
use cyclotron_devices::attack::seed_search::SeedSearch;
use cyclotron_devices::attack::{AttackError, default_mode};
use cyclotron_ring::sample::{SecretRng, SecretSeed, SmallPoly};
use serde::Serialize;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Plaintexts of the run that is attacked.
const BATCH: usize = 4;

/// Rows of the table for people.
const ROWS: usize = 8;

/// Options of `rtl attack`.
#[derive(Debug, Args)]
pub struct AttackArguments {
    /// Public keys to attack, each with its own run
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    keys: u32,
    /// Degree of the ring, a power of two from 16
    #[arg(long, value_name = "N", default_value_t = PAPER_DEGREE)]
    degree: usize,
    /// What is encrypted, one byte a coefficient
    #[arg(long, default_value = "Nobody but the owner of the key should be able to read this.")]
    text: String,
    /// Let this simulated device make the paper's ciphertexts (bfv-crypt), instead of its model
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Draws keys, u and seeds: the same number, the same demonstration
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// One key.
#[derive(Debug, Serialize)]
struct Attempt {
    /// `p1` is `(x + 1)^valuation` times a unit; 0 for every second key.
    valuation: u32,
    paper: Outcome,
    /// The seed that the register had, and the one found.
    seed: u32,
    seed_found: Option<u32>,
    u_found: Option<Vec<i32>>,
    text_found: Option<String>,
    default: Outcome,
}

/// One search.
#[derive(Debug, Serialize)]
struct Outcome {
    states: usize,
    survivors: usize,
    found: usize,
    seconds: f64,
}

/// What one ciphertext pair gives away.
#[derive(Debug, Serialize)]
struct Pair {
    largest_distance: u32,
    relative_mean: f64,
    leaks: bool,
}

/// Differences of ciphertexts.
#[derive(Debug, Serialize)]
struct Reuse {
    /// The largest distance from a multiple of `Delta` that the noise can make.
    limit: u32,
    paper: Pair,
    plaintexts_from_one: usize,
    default: Pair,
}

#[derive(Debug, Serialize)]
struct Report {
    degree: usize,
    batch: usize,
    threads: usize,
    /// The simulated device that encrypted; none for the software of its mode.
    device: Option<String>,
    text: String,
    keys: Vec<Attempt>,
    seconds_largest: f64,
    seconds_mean: f64,
    reuse: Reuse,
}

/// What is encrypted under one key.
struct Victim {
    key: PublicKey,
    messages: Vec<u8>,
    u: Vec<i32>,
    lfsr_seed: u32,
    paper: Ciphertexts,
    default: Ciphertexts,
}

/// Attacks.
pub fn run(global: &Global, arguments: &AttackArguments) -> Result<Output> {
    let degree = arguments.degree;
    if !(16..=1 << 14).contains(&degree) || !degree.is_power_of_two() {
        return Err(Failure::usage(
            "parameter",
            format!("degree {degree} is not a power of two in [16, 16384]"),
        ));
    }
    if arguments.text.len() > degree {
        let found = arguments.text.len();
        return Err(Failure::usage(
            "parameter",
            format!("the text has {found} bytes, a plaintext of degree {degree} holds {degree}"),
        ));
    }
    let threads = threads(global);
    let progress = Progress::new(global, "keys", arguments.keys as usize);
    let open = |name: &String| PaperDevice::open(name, degree);
    let mut device = arguments.device.as_ref().map(open).transpose()?;
    let mut rng = generator(arguments.seed);
    let mut keys = Vec::new();
    let mut reused = None;
    for _ in 0..arguments.keys {
        let victim = Victim::draw(&mut rng, device.as_mut(), degree, &arguments.text)?;
        keys.push(attempt(&victim, threads)?);
        if reused.is_none() {
            reused = Some(reuse(&victim)?);
        }
        progress.step();
    }
    drop(progress);
    let reuse = reused.ok_or_else(|| Failure::usage("parameter", "--keys is 0"))?;
    let seconds = keys.iter().map(|key| key.paper.seconds);
    let report = Report {
        degree,
        batch: BATCH,
        threads,
        device: arguments.device.clone(),
        text: arguments.text.clone(),
        seconds_largest: seconds.clone().fold(0.0, f64::max),
        seconds_mean: seconds.sum::<f64>() / keys.len() as f64,
        keys,
        reuse,
    };
    Output::report(&report, human(&report))
}

/// As many threads as were asked for, or as there are.
fn threads(global: &Global) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    global.threads.filter(|&threads| threads > 0).unwrap_or_else(all)
}

fn generator(seed: u64) -> SecretRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    SecretRng::from_seed(SecretSeed::new(bytes))
}

impl Victim {
    /// A key, a run in the paper's mode, and the same messages in the default mode.
    fn draw(
        rng: &mut SecretRng,
        device: Option<&mut PaperDevice>,
        degree: usize,
        text: &str,
    ) -> Result<Self> {
        let key = DemoKey::generate(degree, fresh(rng))?.public;
        let u = SmallPoly::ternary(rng, degree).as_slice().to_vec();
        let lfsr_seed = (rng.next_u64() % paper_mode::PERIOD as u64) as u32 + 1;
        let mut messages = vec![0; BATCH * degree];
        rng.fill_bytes(&mut messages);
        // The others of the run stay random: of no form that would help.
        messages[..degree].fill(0);
        messages[..text.len()].copy_from_slice(text.as_bytes());
        let paper = match device {
            Some(device) => device.encrypt(&key, &messages, &u, lfsr_seed)?.0,
            None => paper_mode::encrypt(&key, &messages, &u, lfsr_seed)?,
        };
        let default = default_mode::encrypt(&key, &messages, &SecretSeed::new(fresh(rng)), 0)?;
        Ok(Self { key, messages, u, lfsr_seed, paper, default })
    }
}

fn fresh(rng: &mut SecretRng) -> [u8; 32] {
    let mut bytes = [0; 32];
    rng.fill_bytes(&mut bytes);
    bytes
}

/// The seed search against both modes.
fn attempt(victim: &Victim, threads: usize) -> Result<Attempt> {
    let start = Instant::now();
    let search = SeedSearch::new(victim.key.clone())?;
    let (findings, recoveries) = search.recover(&victim.paper, 0, threads)?;
    let paper = Outcome {
        states: findings.states,
        survivors: findings.survivors,
        found: recoveries.len(),
        seconds: start.elapsed().as_secs_f64(),
    };
    let recovery = recoveries.first();
    let degree = victim.key.degree();
    let right = recovery.is_some_and(|recovery| {
        recoveries.len() == 1
            && recovery.seed == victim.lfsr_seed
            && recovery.u == victim.u
            && recovery.message == victim.messages[..degree]
    });
    if !right {
        let found = recoveries.len();
        return Err(Failure::refused(
            "attack_failed",
            format!("the seed search found {found} solutions and not the right one alone"),
        ));
    }

    let start = Instant::now();
    let (findings, recoveries) = search.recover(&victim.default, 0, threads)?;
    let default = Outcome {
        states: findings.states,
        survivors: findings.survivors,
        found: recoveries.len(),
        seconds: start.elapsed().as_secs_f64(),
    };
    if !findings.found.is_empty() {
        let found = findings.found.len();
        return Err(Failure::refused(
            "default_broken",
            format!("{found} states of the register explain a ciphertext of the default mode"),
        ));
    }
    Ok(Attempt {
        valuation: search.valuation(),
        paper,
        seed: victim.lfsr_seed,
        seed_found: recovery.map(|recovery| recovery.seed),
        u_found: recovery.map(|recovery| recovery.u.iter().copied().take(16).collect()),
        text_found: recovery.map(|recovery| text_of(&recovery.message)),
        default,
    })
}

/// The differences of a run in both modes, and all plaintexts from one.
fn reuse(victim: &Victim) -> Result<Reuse> {
    let degree = victim.key.degree();
    let known = &victim.messages[(BATCH - 1) * degree..];
    let all = reuse::all_from_one(&victim.paper, BATCH - 1, known)?;
    if all.as_deref() != Some(&victim.messages) {
        let message = "one known plaintext did not open the others of its run";
        return Err(Failure::refused("attack_failed", message));
    }
    let paper = reuse::difference(&victim.paper, 0, 1)?;
    let default = reuse::difference(&victim.default, 0, 1)?;
    if default.leaks() {
        let message = "two ciphertexts of the default mode differ by a multiple of Delta and noise";
        return Err(Failure::refused("default_broken", message));
    }
    Ok(Reuse {
        limit: LARGEST_LEAK,
        paper: pair(&paper),
        plaintexts_from_one: BATCH,
        default: pair(&default),
    })
}

fn pair(difference: &Difference) -> Pair {
    Pair {
        largest_distance: difference.c0.largest,
        relative_mean: difference.c0.relative_mean,
        leaks: difference.leaks(),
    }
}

/// The bytes before the zeros.
fn text_of(message: &[u8]) -> String {
    let end = message.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    String::from_utf8_lossy(&message[..end]).into_owned()
}

fn human(report: &Report) -> String {
    let mut text = String::new();
    let paper = "paper's mode: one u a run, noise from a 20-bit register";
    let _ = writeln!(text, "{paper}; n = {}, q = 2^32, t = 2^8", report.degree);
    let by = report.device.as_deref().map_or_else(
        || "software of that mode, equal to the RTL bit for bit".to_owned(),
        |device| format!("simulated RTL ({device}), equal to the software of that mode"),
    );
    let _ = writeln!(text, "ciphertexts by the {by}\n");
    let _ = writeln!(text, "1. search of all 2^{STATE_BITS} - 1 seeds, from one ciphertext:");
    let mut table = output::table(
        ["key", "p1 / unit", "passed", "seed", "found", "time", "default: found"],
        &[0, 2, 3, 4, 5, 6],
    );
    for (i, key) in report.keys.iter().enumerate().take(ROWS) {
        let hexadecimal = |seed: u32| format!("0x{seed:05x}");
        table.add_row([
            (i + 1).to_string(),
            if key.valuation == 0 { "1".to_owned() } else { format!("(x + 1)^{}", key.valuation) },
            key.paper.survivors.to_string(),
            hexadecimal(key.seed),
            key.seed_found.map_or_else(|| "none".to_owned(), hexadecimal),
            output::seconds(Duration::from_secs_f64(key.paper.seconds)),
            key.default.found.to_string(),
        ]);
    }
    let _ = writeln!(text, "{}", output::render(&mut table));
    let count = report.keys.len();
    if count > ROWS {
        let _ = writeln!(text, "... {} more", count - ROWS);
    }
    let units = report.keys.iter().filter(|key| key.valuation == 0).count();
    let mean = output::seconds(Duration::from_secs_f64(report.seconds_mean));
    let largest = output::seconds(Duration::from_secs_f64(report.seconds_largest));
    let _ = writeln!(
        text,
        "recovered for {count} of {count} keys ({units} with a unit p1), in {mean} on average, \
         {largest} at most; {}",
        output::counted(report.threads, "thread")
    );
    if let Some(key) = report.keys.first() {
        if let Some(u) = &key.u_found {
            let shown: Vec<String> = u.iter().map(i32::to_string).collect();
            let _ = writeln!(text, "u = {} ...", shown.join(" "));
        }
        if let Some(found) = &key.text_found {
            let _ = writeln!(text, "plaintext: {found}");
        }
    }
    let reuse = &report.reuse;
    let _ = writeln!(
        text,
        "\n2. difference of two ciphertexts of a run, no key and no search:\n\
         c0 - c0' is within {} of a multiple of Delta = 2^24 (noise makes at most {}):\n\
         m - m' is read off, and one known plaintext opened all {} of the run",
        reuse.paper.largest_distance, reuse.limit, reuse.plaintexts_from_one
    );
    let tested: usize = report.keys.iter().map(|key| key.default.states).sum();
    let _ = write!(
        text,
        "\ndefault mode: fresh u for each plaintext, noise from ChaCha20\n\
         1. {tested} states tested over {}: none explains a ciphertext\n\
         2. differences are up to {} from a multiple of Delta, {:.3} of the mean of uniform ones",
        output::counted(count, "key"),
        reuse.default.largest_distance,
        reuse.default.relative_mean
    );
    text
}

impl From<AttackError> for Failure {
    fn from(error: AttackError) -> Self {
        match error {
            AttackError::Ring(error) => Self::from(error),
            error => Self::refused("attack", error.to_string()),
        }
    }
}
