//! What a meter has counted.

use super::price::{CostTable, Price};
use std::collections::BTreeMap;
use std::fmt;

/// How much of one operation was done at one degree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Calls.
    pub calls: u64,
    /// Limb polynomials of work; the meter's documentation says what they are for each operation.
    pub polynomials: u64,
    /// Residues read and written.
    pub words: u64,
}

/// Counts of primitives by operation and degree, transfers, and memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeterReport {
    /// Primitives, by name and degree; those of composites are among them.
    pub operations: BTreeMap<(&'static str, usize), Count>,
    /// Calls of composites, by name and degree.
    pub composites: BTreeMap<(&'static str, usize), u64>,
    /// Bytes from the host to the engine.
    pub uploaded_bytes: u64,
    /// Bytes from the engine to the host.
    pub downloaded_bytes: u64,
    /// Bytes of the buffers that exist now, without the engine's own scratch memory.
    pub bytes: u64,
    /// The most bytes of buffers that existed at once.
    pub peak_bytes: u64,
}

impl MeterReport {
    /// The count of an operation at a degree; zero when there was none.
    #[must_use]
    pub fn count(&self, operation: &'static str, degree: usize) -> Count {
        self.operations.get(&(operation, degree)).copied().unwrap_or_default()
    }

    /// What the counts cost by a table of measured costs: a *composed* figure.
    #[must_use]
    pub fn price(&self, table: &CostTable) -> Price {
        Price::compose(self, table)
    }

    pub(super) fn add(
        &mut self,
        operation: &'static str,
        degree: usize,
        polynomials: usize,
        words: usize,
    ) {
        if polynomials == 0 {
            return;
        }
        let count = self.operations.entry((operation, degree)).or_default();
        count.calls += 1;
        count.polynomials += polynomials as u64;
        count.words += words as u64;
    }

    pub(super) fn add_composite(&mut self, operation: &'static str, degree: usize) {
        *self.composites.entry((operation, degree)).or_default() += 1;
    }
}

impl fmt::Display for MeterReport {
    /// A table within 100 columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<26}{:>8}{:>14}{:>20}{:>20}",
            "operation", "degree", "calls", "limb polynomials", "residues moved"
        )?;
        for ((operation, degree), count) in &self.operations {
            let Count { calls, polynomials, words } = count;
            writeln!(f, "{operation:<26}{degree:>8}{calls:>14}{polynomials:>20}{words:>20}")?;
        }
        for ((operation, degree), calls) in &self.composites {
            writeln!(f, "{operation:<26}{degree:>8}{calls:>14}{:>20}", "(counted above)")?;
        }
        writeln!(
            f,
            "uploaded {} bytes, downloaded {}",
            self.uploaded_bytes, self.downloaded_bytes
        )?;
        write!(f, "buffers hold {} bytes, at most {}", self.bytes, self.peak_bytes)
    }
}
