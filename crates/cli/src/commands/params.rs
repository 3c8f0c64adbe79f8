//! `cyclotron params`: chooses parameters, says why, and pins them to a file.

use crate::arguments::Global;
use crate::failure::{Failure, Result};
use crate::family::{AnyDescription, AnyParameters};
use crate::output::{self, Output};
use crate::session;
use crate::write::{Access, Pending, check_free};
use clap::{Args, Subcommand};
use cyclotron_schemes::bfv_pow2::{PRESETS, Pow2Literal, Pow2Parameters, Pow2Preset};
use cyclotron_schemes::rlwe::{
    Parameters, SchemeKind, SecurityLevel, SecurityPolicy, SecurityTable, presets,
};
use cyclotron_schemes::vector::{VectorParameters, VectorRequest};
use serde::Serialize;
use std::path::PathBuf;

/// Options of `params`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ParamsArguments {
    /// `list`.
    #[command(subcommand)]
    list: Option<ParamsCommand>,
    /// bfv or bgv (bfv for presets modulo a power of two)
    #[arg(long, value_parser = scheme, required_unless_present = "preset")]
    scheme: Option<SchemeKind>,
    /// Bits of every result, sign included: values from about -2^(N-1) to 2^(N-1)
    #[arg(
        long,
        value_name = "N",
        required_unless_present_any = ["preset", "modulus"],
        conflicts_with_all = ["preset", "modulus"]
    )]
    bits: Option<u32>,
    /// Multiplications in a row
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "preset")]
    depth: usize,
    /// Bits of security: 128, 192 or 256
    #[arg(long, value_name = "BITS", default_value = "128", value_parser = security, conflicts_with = "preset")]
    security: SecurityLevel,
    /// Security table (cyclotron params list shows them)
    #[arg(long, value_name = "NAME", default_value = "guidelines-2024", value_parser = table, conflicts_with = "preset")]
    table: SecurityTable,
    /// At least so many values in a vector
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "preset")]
    slots: usize,
    /// Terms of the final sum; 0 for one a slot
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "preset")]
    terms: usize,
    /// Widest ciphertext prime: 50 suits CPUs, 30 engines with 32-bit words
    #[arg(long, value_name = "BITS", default_value_t = 50, conflicts_with = "preset")]
    limb_bits: u32,
    /// A named set instead (cyclotron params list)
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// This plaintext modulus in place of --bits, or instead of a preset's own (with a preset,
    /// several for wider values)
    #[arg(long, value_name = "T,...", value_delimiter = ',')]
    modulus: Vec<u64>,
    /// Use a preset that is not secure: for tests and teaching
    #[arg(long, requires = "preset", conflicts_with = "bits")]
    acknowledge_insecure: bool,
    /// Write the parameters to this file
    #[arg(long, short, value_name = "FILE", required_unless_present = "explain")]
    output: Option<PathBuf>,
    /// Only explain, write nothing
    #[arg(long, conflicts_with = "output")]
    explain: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Subcommand)]
enum ParamsCommand {
    /// Show the presets and the security tables
    List,
}

fn scheme(name: &str) -> std::result::Result<SchemeKind, String> {
    SchemeKind::from_name(name).map_err(|error| error.to_string())
}

fn security(bits: &str) -> std::result::Result<SecurityLevel, String> {
    let bits = bits.parse().map_err(|_| "choose 128, 192 or 256".to_owned())?;
    SecurityLevel::from_bits(bits).map_err(|error| error.to_string())
}

fn table(name: &str) -> std::result::Result<SecurityTable, String> {
    SecurityTable::from_name(name).map_err(|error| error.to_string())
}

#[derive(Serialize)]
struct Report {
    output: Option<PathBuf>,
    parameters: AnyDescription,
}

/// Chooses, explains, writes.
pub fn run(global: &Global, arguments: &ParamsArguments) -> Result<Output> {
    if arguments.list.is_some() {
        return list();
    }
    if let Some(path) = &arguments.output {
        check_free(path, arguments.force)?;
    }
    let parameters = choose_any(arguments)?;
    if parameters.is_insecure() {
        output::note(global, "warning: these parameters are NOT SECURE; tests and teaching only");
    }
    if let Some(caution) = parameters.caution() {
        output::note(global, &format!("warning: {caution}"));
    }
    let mut human = parameters.facts();
    if let Some(path) = &arguments.output {
        Pending::write(path, Access::Default, arguments.force, |out| {
            parameters.write(out).map_err(|error| session::from_file(path, error))
        })?
        .commit()?;
        human += &format!("\nwritten to {}", path.display());
    }
    let report = Report { output: arguments.output.clone(), parameters: parameters.describe() };
    Output::report(&report, human)
}

fn choose_any(arguments: &ParamsArguments) -> Result<AnyParameters> {
    let named = |preset: &Pow2Preset| Some(preset.name) == arguments.preset.as_deref();
    let Some(preset) = PRESETS.into_iter().find(named) else {
        return choose(arguments).map(AnyParameters::Vector);
    };
    let refused = |what: &str| {
        let message = format!("{}, a set of BFV modulo a power of two, with {what}", preset.name);
        Failure::usage("usage", message).remedy("leave it out")
    };
    if arguments.scheme.is_some_and(|scheme| scheme != SchemeKind::Bfv) {
        return Err(refused("--scheme bgv"));
    }
    if !arguments.modulus.is_empty() {
        return Err(refused("--modulus"));
    }
    let acknowledged = arguments.acknowledge_insecure;
    let literal = if acknowledged { preset.acknowledged() } else { preset.literal() };
    Ok(AnyParameters::Pow2(Pow2Parameters::new(literal)?))
}

fn choose(arguments: &ParamsArguments) -> Result<VectorParameters> {
    let missing = || Failure::usage("usage", "--scheme is needed").remedy("--scheme bfv or bgv");
    let scheme = arguments.scheme.ok_or_else(missing)?;
    let Some(name) = &arguments.preset else {
        let bits = arguments.bits.unwrap_or_default();
        let modulus = match arguments.modulus[..] {
            [] => None,
            [t] => Some(t),
            _ => {
                let remedy = "one modulus, or --bits, which takes several by itself";
                return Err(Failure::usage("usage", "several --modulus values").remedy(remedy));
            }
        };
        if bits == 0 && modulus.is_none() {
            return Err(Failure::usage("parameter", "--bits is 0").remedy("at least 1 bit"));
        }
        let mut request = VectorRequest::new(scheme, bits, arguments.depth);
        request.plaintext_modulus = modulus;
        request.base.security = arguments.security;
        request.base.table = arguments.table;
        request.base.slots = arguments.slots;
        request.base.terms = arguments.terms;
        request.base.limb_bits = arguments.limb_bits;
        return Ok(VectorParameters::select(&request)?);
    };
    let mut literal = presets::literal(name, scheme)?;
    if arguments.acknowledge_insecure {
        literal.security = SecurityPolicy::InsecureAcknowledged;
    }
    let own = [literal.plaintext_modulus];
    let moduli = if arguments.modulus.is_empty() { &own[..] } else { &arguments.modulus };
    Ok(VectorParameters::new(&literal, moduli)?)
}

#[derive(Serialize)]
struct PresetRow {
    name: &'static str,
    degree: usize,
    plaintext_modulus: u64,
    log_qp: f64,
    /// Bits of security by each table.
    security: Vec<(&'static str, Option<u32>)>,
}

#[derive(Clone, Serialize)]
struct Pow2Row {
    name: &'static str,
    degree: usize,
    log_q: u32,
    log_t: u32,
    log_p: u32,
    purpose: &'static str,
    caution: Option<&'static str>,
}

#[derive(Serialize)]
struct TableRow {
    table: &'static str,
    degree: usize,
    /// Largest log2(QP) for 128, 192 and 256 bits of security.
    max_log_qp: Vec<Option<u32>>,
}

#[derive(Serialize)]
struct Lists {
    presets: Vec<PresetRow>,
    power_of_two_presets: Vec<Pow2Row>,
    tables: Vec<TableRow>,
}

fn list() -> Result<Output> {
    let mut rows = Vec::new();
    for name in presets::names() {
        let mut literal = presets::literal(name, SchemeKind::Bfv)?;
        literal.security = SecurityPolicy::InsecureAcknowledged;
        let parameters = Parameters::new(literal)?;
        let security = SecurityTable::ALL
            .map(|table| (table.name(), parameters.security_in(table).map(SecurityLevel::bits)));
        rows.push(PresetRow {
            name,
            degree: parameters.degree(),
            plaintext_modulus: parameters.plaintext_modulus().value(),
            log_qp: parameters.log_qp(),
            security: security.to_vec(),
        });
    }
    let pow2 = PRESETS.map(|preset| {
        let Pow2Literal { degree, log_q, log_t, log_p, .. } = preset.literal();
        let Pow2Preset { name, purpose, caution, .. } = preset;
        Pow2Row { name, degree, log_q, log_t, log_p, purpose, caution }
    });
    let mut tables = Vec::new();
    for table in SecurityTable::ALL {
        for degree in (3..=17).map(|log| 1usize << log) {
            let limits = SecurityLevel::ALL.map(|level| table.max_log_qp(degree, level));
            if limits.iter().any(Option::is_some) {
                tables.push(TableRow { table: table.name(), degree, max_log_qp: limits.to_vec() });
            }
        }
    }
    let human =
        format!("{}\n\n{}\n\n{}", preset_table(&rows), pow2_table(&pow2), security_table(&tables));
    let lists = Lists { presets: rows, power_of_two_presets: pow2.to_vec(), tables };
    Output::report(&lists, human)
}

fn or_dash(value: Option<u32>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn preset_table(rows: &[PresetRow]) -> String {
    let mut table = output::table(
        ["preset", "n", "t", "log QP", "security (2024)", "(2018)", "(2018 quantum)"],
        &[1, 2, 3, 4, 5, 6],
    );
    for row in rows {
        let facts = [
            row.degree.to_string(),
            row.plaintext_modulus.to_string(),
            format!("{:.1}", row.log_qp),
        ];
        let security = row.security.iter().map(|(_, bits)| or_dash(*bits));
        table.add_row(
            std::iter::once(row.name.to_owned()).chain(facts).chain(security).collect::<Vec<_>>(),
        );
    }
    output::render(&mut table)
}

fn pow2_table(rows: &[Pow2Row]) -> String {
    let mut table = output::table(
        ["modulo a power of two", "n", "log q", "log t", "log p", "128 bits", "what for"],
        &[1, 2, 3, 4],
    );
    for row in rows {
        let secure = if row.caution.is_none() { "yes" } else { "NO" };
        let numbers = [row.degree.to_string(), row.log_q.to_string(), row.log_t.to_string()];
        let log_p = or_dash((row.log_p > 0).then_some(row.log_p));
        let words = [log_p, secure.to_owned(), row.purpose.to_owned()];
        let cells = std::iter::once(row.name.to_owned()).chain(numbers).chain(words);
        table.add_row(cells.collect::<Vec<_>>());
    }
    output::render(&mut table)
}

fn security_table(rows: &[TableRow]) -> String {
    let mut table = output::table(
        ["table: largest log QP", "n", "128 bits", "192 bits", "256 bits"],
        &[1, 2, 3, 4],
    );
    for row in rows {
        let limits = row.max_log_qp.iter().map(|&limit| or_dash(limit));
        table.add_row(
            [row.table.to_owned(), row.degree.to_string()]
                .into_iter()
                .chain(limits)
                .collect::<Vec<_>>(),
        );
    }
    output::render(&mut table)
}
