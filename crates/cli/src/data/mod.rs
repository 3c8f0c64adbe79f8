//! Columns of integers: from CSV and `.npy` files, from the command line, and back.
//!
//! Decimals become integers by an exact power of ten ([`decimal`]); what does not fit exactly is
//! refused with row, column and value, because rounding in silence would be a wrong result.

pub mod csv;
pub mod decimal;
pub mod npy;

use crate::failure::{Failure, Result};
use decimal::Power;
use std::path::Path;

/// Values under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name as the source has it.
    pub name: String,
    /// The values, after scaling.
    pub values: Vec<i128>,
}

/// What to read and how.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// Columns to read; empty for all.
    pub columns: Vec<String>,
    /// What decimals are multiplied by; without it they are refused.
    pub scale: Option<Power>,
    /// The first line of a CSV file holds values, not names.
    pub no_header: bool,
}

/// Reads the columns of a file.
pub fn read(path: &Path, reading: &Reading) -> Result<Vec<Column>> {
    match extension(path).as_str() {
        "csv" => csv::read(path, reading),
        "npy" => npy::read(path, reading),
        other => Err(Failure::file(
            "unknown_data",
            path,
            format!("data files end in .csv or .npy, not in {other:?}"),
        )),
    }
}

/// The extension of a path in lower case, empty when it has none.
pub fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// A column's name in file names and expressions: letters, digits and `_`.
pub fn plain_name(name: &str) -> String {
    let name = name.trim();
    let keep = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
    if name.is_empty() { "_".to_owned() } else { name.chars().map(keep).collect() }
}

/// Where the wanted names stand among all names, by themselves or by their plain form.
fn choose(path: &Path, all: &[String], wanted: &[String]) -> Result<Vec<usize>> {
    if wanted.is_empty() {
        return Ok((0..all.len()).collect());
    }
    let find = |name: &String| {
        let exact: Vec<usize> = places(all, |own| own.trim() == name);
        let found =
            if exact.is_empty() { places(all, |own| plain_name(own) == *name) } else { exact };
        match found[..] {
            [only] => Ok(only),
            [] => Err(Failure::usage(
                "unknown_column",
                format!("{} has no column `{name}`", path.display()),
            )
            .remedy(format!("one of {}", listed(all)))),
            _ => Err(Failure::usage(
                "ambiguous_column",
                format!("{} has {} columns `{name}`", path.display(), found.len()),
            )
            .remedy("give the columns different names")),
        }
    };
    wanted.iter().map(find).collect()
}

fn places(all: &[String], wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    (0..all.len()).filter(|&i| wanted(&all[i])).collect()
}

/// Names for a message: the first of them when there are many.
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(|name| name.as_ref().trim()).collect();
    let more = names.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_plain() {
        assert_eq!(plain_name(" mean radius "), "mean_radius");
        assert_eq!(plain_name("a-b/c"), "a_b_c");
        assert_eq!(plain_name("größe2"), "größe2");
        assert_eq!(plain_name("  "), "_");
    }

    #[test]
    fn columns_are_found_by_name_or_plain_name() {
        let all = ["mean radius", "a", "mean-radius"].map(str::to_owned);
        let choose = |name: &str| choose(Path::new("f.csv"), &all, &[name.to_owned()]);
        assert_eq!(choose("a").unwrap(), [1]);
        assert_eq!(choose("mean radius").unwrap(), [0]);
        assert_eq!(choose("mean_radius").unwrap_err().kind, "ambiguous_column");
        let error = choose("b").unwrap_err();
        assert_eq!((error.kind, error.exit_code), ("unknown_column", 2));
        assert!(error.remedy.is_some_and(|remedy| remedy.contains("mean radius, a")));
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..20).map(|i| i.to_string()).collect();
        assert!(listed(&names).ends_with("11 and 8 more"));
    }
}
