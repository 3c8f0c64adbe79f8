//! What the suite found.

use crate::error::EngineError;
use cyclotron_ring::RingError;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

/// What was checked and what was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    engine: String,
    comparisons: u64,
    refusals: u64,
    words: u64,
    transcript: u64,
    skipped: BTreeMap<String, String>,
}

impl Report {
    pub(super) fn new(engine: &str) -> Self {
        Self {
            engine: engine.to_owned(),
            comparisons: 0,
            refusals: 0,
            words: 0,
            // The offset basis of 64-bit FNV-1a.
            transcript: 0xcbf2_9ce4_8422_2325,
            skipped: BTreeMap::new(),
        }
    }

    pub(super) fn compared(&mut self, words: &[u64]) {
        self.comparisons += 1;
        self.words += words.len() as u64;
        for &word in words {
            // FNV-1a, a word at a time.
            self.transcript = (self.transcript ^ word).wrapping_mul(0x0000_0100_0000_01b3);
            self.transcript ^= self.transcript >> 32;
        }
    }

    pub(super) fn refused(&mut self) {
        self.refusals += 1;
    }

    pub(super) fn skip(&mut self, what: &str, reason: String) {
        self.skipped.insert(what.to_owned(), reason);
    }

    /// How many results were compared with the reference.
    #[must_use]
    pub fn comparisons(&self) -> u64 {
        self.comparisons
    }

    /// How many wrong requests were refused as they should be.
    #[must_use]
    pub fn refusals(&self) -> u64 {
        self.refusals
    }

    /// How many residues were compared.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.words
    }

    /// A hash of every residue compared, in order (not a cryptographic one).
    #[must_use]
    pub fn transcript(&self) -> u64 {
        self.transcript
    }

    /// What was not checked, and why.
    #[must_use]
    pub fn skipped(&self) -> &BTreeMap<String, String> {
        &self.skipped
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "engine {}: {} results ({} residues) equal, {} misuses refused, transcript {:016x}",
            self.engine, self.comparisons, self.words, self.refusals, self.transcript
        )?;
        self.skipped.iter().try_for_each(|(what, reason)| writeln!(f, "  skipped {what}: {reason}"))
    }
}

/// A check that an engine did not pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The check.
    pub check: String,
    /// The ring it was made in.
    pub ring: String,
    /// What was found and what was expected.
    pub detail: String,
    /// The engine's own error, when the check ended with one.
    pub error: Option<Box<EngineError>>,
}

impl Failure {
    pub(super) fn new(detail: String) -> Self {
        Self { check: String::new(), ring: String::new(), detail, error: None }
    }

    /// Completes the failure with the check and the ring.
    pub(super) fn during(self, check: &str, ring: &str) -> Self {
        Self { check: check.to_owned(), ring: ring.to_owned(), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.check, self.ring, self.detail)
    }
}

impl Error for Failure {}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self {
            error: Some(Box::new(error.clone())),
            ..Self::new(format!("the engine says: {error}"))
        }
    }
}

impl From<RingError> for Failure {
    fn from(error: RingError) -> Self {
        Self::new(format!("the ring says: {error}"))
    }
}
