//! Parameter sets as people and programs see them.

use super::AnyParameters;
use crate::output;
use cyclotron_schemes::bfv_pow2::Pow2Parameters;
use cyclotron_schemes::bfv_pow2::vector::range;
use cyclotron_schemes::rlwe::{Parameters, SecurityPolicy};
use cyclotron_schemes::vector::VectorParameters;
use serde::Serialize;

/// What security is claimed.
#[derive(Debug, Serialize)]
pub struct Security {
    /// Bits, by the table; none when it was acknowledged to be missing.
    bits: Option<u32>,
    table: Option<&'static str>,
    insecure_acknowledged: bool,
}

/// What is claimed by a policy.
fn claimed(policy: SecurityPolicy) -> Security {
    match policy {
        SecurityPolicy::Table { level, table } => Security {
            bits: Some(level.bits()),
            table: Some(table.name()),
            insecure_acknowledged: false,
        },
        SecurityPolicy::InsecureAcknowledged => {
            Security { bits: None, table: None, insecure_acknowledged: true }
        }
    }
}

fn claimed_text(policy: SecurityPolicy) -> String {
    match policy {
        SecurityPolicy::Table { level, table } => format!("{} bits by {table}", level.bits()),
        SecurityPolicy::InsecureAcknowledged => "NOT SECURE (acknowledged)".to_owned(),
    }
}

/// A parameter set as JSON.
#[derive(Debug, Serialize)]
pub struct Description {
    id: String,
    scheme: &'static str,
    degree: usize,
    slots: bool,
    plaintext_moduli: Vec<u64>,
    /// Smallest and largest signed value.
    range: (i128, i128),
    log_q: f64,
    log_qp: f64,
    levels: usize,
    security: Security,
    reasons: Vec<String>,
}

fn vector(parameters: &VectorParameters) -> Description {
    let first = parameters.first();
    let literal = first.literal();
    let security = claimed(literal.security);
    Description {
        id: parameters.id().to_string(),
        scheme: literal.scheme.name(),
        degree: literal.degree,
        slots: parameters.channels().iter().all(Parameters::has_slots),
        plaintext_moduli: parameters.plaintext().moduli().iter().map(|t| t.value()).collect(),
        range: parameters.plaintext().range(true),
        log_q: first.log_q(),
        log_qp: first.log_qp(),
        levels: first.max_level() + 1,
        security,
        reasons: parameters.reasons().to_vec(),
    }
}

fn vector_facts(parameters: &VectorParameters) -> String {
    let first = parameters.first();
    let (min, max) = parameters.plaintext().range(true);
    let moduli: Vec<String> =
        parameters.plaintext().moduli().iter().map(|t| t.value().to_string()).collect();
    let security = claimed_text(first.literal().security);
    let mut facts = output::facts();
    facts
        .add_row(["parameters", &parameters.id().to_string()])
        .add_row(["scheme", first.scheme().name()])
        .add_row(["values", &format!("{} a vector, {min} ... {max}", first.degree())])
        .add_row(["plaintext", &format!("modulo {}", moduli.join(" * "))])
        .add_row(["security", &security]);
    for (i, reason) in parameters.reasons().iter().enumerate() {
        facts.add_row([if i == 0 { "why" } else { "" }, reason]);
    }
    output::render(&mut facts)
}

/// A set modulo a power of two, as JSON.
#[derive(Debug, Serialize)]
pub struct Pow2Description {
    id: String,
    scheme: &'static str,
    degree: usize,
    log_q: u32,
    log_t: u32,
    /// 0 for sets without relinearisation keys.
    log_p: u32,
    /// Smallest and largest signed value.
    range: (i128, i128),
    /// Bits between the noise bound of a fresh ciphertext and the most that decrypts.
    fresh_margin_bits: f64,
    security: Security,
}

fn fresh_margin(parameters: &Pow2Parameters) -> f64 {
    let noise = parameters.noise();
    noise.margin(&noise.fresh())
}

fn pow2(parameters: &Pow2Parameters) -> Pow2Description {
    Pow2Description {
        id: parameters.id().to_string(),
        scheme: "bfv",
        degree: parameters.degree(),
        log_q: parameters.log_q(),
        log_t: parameters.log_t(),
        log_p: parameters.log_p(),
        range: range(parameters, true),
        fresh_margin_bits: fresh_margin(parameters),
        security: claimed(parameters.literal().security),
    }
}

fn pow2_facts(parameters: &Pow2Parameters) -> String {
    let (min, max) = range(parameters, true);
    let products = match parameters.log_p() {
        0 => "no relinearisation key".to_owned(),
        log_p => format!("relinearised with p = 2^{log_p}"),
    };
    let mut facts = output::facts();
    facts
        .add_row(["parameters", &parameters.id().to_string()])
        .add_row(["scheme", "bfv modulo a power of two"])
        .add_row(["values", &format!("{} a ciphertext, {min} ... {max}", parameters.degree())])
        .add_row(["moduli", &format!("q = 2^{}, t = 2^{}", parameters.log_q(), parameters.log_t())])
        .add_row(["products", &products])
        .add_row(["margin", &format!("{:.1} bits when fresh", fresh_margin(parameters))])
        .add_row(["security", &claimed_text(parameters.literal().security)]);
    output::render(&mut facts)
}

/// A set of either family as JSON.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum AnyDescription {
    /// Primes.
    Vector(Description),
    /// A power of two.
    Pow2(Pow2Description),
}

impl AnyParameters {
    /// For programs.
    pub fn describe(&self) -> AnyDescription {
        match self {
            Self::Vector(parameters) => AnyDescription::Vector(vector(parameters)),
            Self::Pow2(parameters) => AnyDescription::Pow2(pow2(parameters)),
        }
    }

    /// For people.
    pub fn facts(&self) -> String {
        match self {
            Self::Vector(parameters) => vector_facts(parameters),
            Self::Pow2(parameters) => pow2_facts(parameters),
        }
    }
}
