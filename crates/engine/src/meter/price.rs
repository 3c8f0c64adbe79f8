//! Prices: counts times measured costs.

use super::report::MeterReport;
use std::collections::BTreeMap;
use std::fmt;

/// What an operation costs at one degree, in the table's unit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// For each call.
    pub call: f64,
    /// For each limb polynomial.
    pub polynomial: f64,
}

/// Measured costs of a device.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CostTable {
    /// What was measured, and in which configuration.
    pub source: String,
    /// The unit, e.g. `cycles`.
    pub unit: String,
    /// Costs by operation (the names of [`MeterReport::operations`]) and degree.
    pub costs: BTreeMap<(String, usize), Cost>,
    /// For each byte uploaded or downloaded.
    pub byte: f64,
}

/// A figure composed of counts and measured costs: not a measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Where the costs come from.
    pub source: String,
    /// The unit.
    pub unit: String,
    /// The sum over all priced operations and transfers, as if nothing overlapped.
    pub total: f64,
    /// The part of each operation and degree.
    pub parts: BTreeMap<(&'static str, usize), f64>,
    /// The part of the transfers.
    pub transfers: f64,
    /// Operations that were counted but that the table does not price: the total lacks them.
    pub missing: Vec<(&'static str, usize)>,
}

impl Price {
    pub(super) fn compose(report: &MeterReport, table: &CostTable) -> Self {
        let mut parts = BTreeMap::new();
        let mut missing = Vec::new();
        for (&(operation, degree), count) in &report.operations {
            match table.costs.get(&(operation.to_owned(), degree)) {
                Some(cost) => {
                    let part =
                        count.calls as f64 * cost.call + count.polynomials as f64 * cost.polynomial;
                    parts.insert((operation, degree), part);
                }
                None => missing.push((operation, degree)),
            }
        }
        let transfers = (report.uploaded_bytes + report.downloaded_bytes) as f64 * table.byte;
        Self {
            source: table.source.clone(),
            unit: table.unit.clone(),
            total: parts.values().sum::<f64>() + transfers,
            parts,
            transfers,
            missing,
        }
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, unit, total, .. } = self;
        write!(f, "{total:.0} {unit}, composed (counts x measured costs of {source})")?;
        if !self.missing.is_empty() {
            write!(f, "; not priced, so the sum is too low:")?;
            for (operation, degree) in &self.missing {
                write!(f, " {operation} at degree {degree};")?;
            }
        }
        Ok(())
    }
}
