//! `cyclotron eval`: an expression over encrypted and public inputs; needs no secret key.

use crate::arguments::Global;
use crate::data::decimal::{self, Power};
use crate::data::{self, Column, Reading};
use crate::expression::clear::Clear;
use crate::expression::evaluate::{Inputs, Value, evaluate};
use crate::expression::parse::parse;
use crate::failure::{Failure, Result};
use crate::family;
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::session;
use crate::write::check_free;
use clap::Args;
use cyclotron_schemes::rlwe::{Ciphertext, Mode};
use cyclotron_schemes::vector::{EncryptedVector, VectorContext, VectorEvaluator};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Bits that stay between noise and capacity when a result is shrunk: its bound is guaranteed, so
/// this is not for safety, but for the sum of two results.
const SPARE_BITS: f64 = 1.0;

/// Options of `eval`.
#[derive(Debug, Args)]
pub struct EvalArguments {
    /// Parameter file
    #[arg(long, short, value_name = "FILE")]
    params: PathBuf,
    /// Evaluation keys: for products of ciphertexts, sum, dot and rotate
    #[arg(long, short, value_name = "FILE")]
    evaluation_key: Option<PathBuf>,
    /// Input: a ciphertext, a folder of them (NAME.column), public data (.csv, .npy) or 3,1,4
    #[arg(long = "let", value_name = "NAME=WHAT", value_parser = binding)]
    lets: Vec<(String, String)>,
    /// Multiply a public input by a power of ten
    #[arg(long, value_name = "NAME=10^K", value_parser = scaling)]
    scale: Vec<(String, Power)>,
    /// For example "sum(x*x)" or "dot(x, w) + 3": + - * ^ ( ) sum dot rotate
    #[arg(allow_hyphen_values = true)]
    pub expression: String,
    /// Keep all moduli: for results that are computed with again
    #[arg(long)]
    no_shrink: bool,
    /// The encrypted result
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

fn binding(text: &str) -> std::result::Result<(String, String), String> {
    let (name, what) = text.split_once('=').ok_or("write NAME=WHAT")?;
    let first = name.chars().next().unwrap_or('=');
    if !(first.is_alphabetic() || first == '_') || data::plain_name(name) != name {
        return Err("a name is letters, digits and _, not beginning with a digit".to_owned());
    }
    if what.is_empty() {
        return Err("nothing after =".to_owned());
    }
    Ok((name.to_owned(), what.to_owned()))
}

fn scaling(text: &str) -> std::result::Result<(String, Power), String> {
    let (name, power) = text.split_once('=').ok_or("write NAME=10^K")?;
    Ok((name.to_owned(), power.parse()?))
}

/// What a name stands for.
#[derive(Debug)]
enum Source {
    /// A file with one encrypted vector.
    Encrypted(PathBuf),
    /// A folder of such files, a name each.
    Folder(PathBuf),
    /// Public columns.
    Columns(Vec<Column>),
    /// Public numbers from the command line.
    Numbers(Vec<i128>),
}

/// All names.
struct Sources<'a> {
    context: &'a VectorContext,
    sources: BTreeMap<String, Source>,
}

impl<'a> Sources<'a> {
    fn new(context: &'a VectorContext, arguments: &EvalArguments) -> Result<Self> {
        let mut scales: BTreeMap<&str, Power> = BTreeMap::new();
        for (name, power) in &arguments.scale {
            if scales.insert(name, *power).is_some() {
                return Err(Failure::usage("usage", format!("--scale {name} is given twice")));
            }
        }
        let mut sources = BTreeMap::new();
        for (name, what) in &arguments.lets {
            let scale = scales.remove(name.as_str());
            let source = Source::open(name, what, scale)?;
            if sources.insert(name.clone(), source).is_some() {
                return Err(Failure::usage("usage", format!("--let {name} is given twice")));
            }
        }
        if let Some(name) = scales.into_keys().next() {
            return Err(Failure::usage("usage", format!("--scale {name}, but no --let {name}")));
        }
        Ok(Self { context, sources })
    }
}

impl Source {
    fn open(name: &str, what: &str, scale: Option<Power>) -> Result<Self> {
        if let Some(numbers) = inline(name, what, scale)? {
            return Ok(Self::Numbers(numbers));
        }
        let path = PathBuf::from(what);
        let metadata = std::fs::metadata(&path);
        let metadata =
            metadata.map_err(|error| Failure::io(&path, &error).about(format!("--let {name}")))?;
        let public = ["csv", "npy"].contains(&data::extension(&path).as_str());
        if public && !metadata.is_dir() {
            let reading = Reading { scale, ..Reading::default() };
            let columns = data::read(&path, &reading).map_err(|mut failure| {
                let remedy = failure.remedy.as_mut();
                // The option of this command names the input.
                if let Some(remedy) = remedy {
                    *remedy = remedy.replace("--scale ", &format!("--scale {name}="));
                }
                failure
            })?;
            return Ok(Self::Columns(columns));
        }
        if scale.is_some() {
            let message = format!("--scale {name}: encrypted values cannot be scaled here");
            return Err(Failure::usage("usage", message)
                .remedy("scale when encrypting, or multiply in the expression"));
        }
        Ok(if metadata.is_dir() { Self::Folder(path) } else { Self::Encrypted(path) })
    }

    /// The value, or that of a column of it.
    fn get(&self, context: &VectorContext, name: &str, column: Option<&str>) -> Result<Value> {
        match (self, column) {
            (Self::Encrypted(path), None) => encrypted(context, path),
            (Self::Folder(path), Some(column)) => {
                let file = path.join(format!("{column}.ct"));
                if !file.exists() {
                    return Err(unknown_column(name, column, &ciphertexts(path)));
                }
                encrypted(context, &file)
            }
            (Self::Folder(path), None) => Err(choose_column(name, &ciphertexts(path))),
            (Self::Columns(columns), None) => match &columns[..] {
                [only] => Ok(public(&only.values)),
                _ => Err(choose_column(name, &names(columns))),
            },
            (Self::Columns(columns), Some(wanted)) => columns
                .iter()
                .find(|own| data::plain_name(&own.name) == wanted)
                .map(|own| public(&own.values))
                .ok_or_else(|| unknown_column(name, wanted, &names(columns))),
            (Self::Numbers(numbers), None) => Ok(public(numbers)),
            (Self::Encrypted(_) | Self::Numbers(_), Some(column)) => {
                let message = format!("`{name}` has no columns, so no `{column}`");
                Err(Failure::usage("unknown_name", message).remedy(format!("only {name}")))
            }
        }
    }
}

impl Inputs for Sources<'_> {
    fn get(&mut self, name: &str) -> Result<Value> {
        let (base, column) = match name.split_once('.') {
            Some((base, column)) => (base, Some(column)),
            None => (name, None),
        };
        let source = self.sources.get(base).ok_or_else(|| {
            let known: Vec<&String> = self.sources.keys().collect();
            let failure = Failure::usage("unknown_name", format!("unknown name `{base}`"));
            if known.is_empty() {
                failure.remedy(format!("--let {base}=FILE"))
            } else {
                failure.remedy(format!("--let {base}=FILE, or one of {}", data::listed(&known)))
            }
        })?;
        source.get(self.context, base, column)
    }
}

/// Numbers separated by commas, or `None` for what must be a path.
fn inline(name: &str, what: &str, scale: Option<Power>) -> Result<Option<Vec<i128>>> {
    let looks = |text: &str| {
        let text = text.trim().trim_start_matches(['+', '-']);
        text.starts_with(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    if !what.split(',').all(looks) {
        return Ok(None);
    }
    let parse = |text: &str| {
        decimal::parse(text, scale).map_err(|refusal| {
            let option = format!("--scale {name}=");
            let (message, remedy) = refusal.explain(text.trim(), scale, &option);
            Failure::usage("value", format!("--let {name}: {message}")).remedy(remedy)
        })
    };
    what.split(',').map(parse).collect::<Result<_>>().map(Some)
}

fn encrypted(context: &VectorContext, path: &Path) -> Result<Value> {
    session::load(context, path).map(Value::Encrypted)
}

fn public(values: &[i128]) -> Value {
    Value::Clear(match values {
        [only] => Clear::Scalar(*only),
        _ => Clear::Vector(values.to_vec()),
    })
}

fn names(columns: &[Column]) -> Vec<String> {
    columns.iter().map(|column| data::plain_name(&column.name)).collect()
}

/// The names of the ciphertexts in a folder.
fn ciphertexts(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.path())
        .filter(|path| data::extension(path) == "ct")
        .filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

fn choose_column(name: &str, columns: &[String]) -> Failure {
    let example = columns.first().map_or("column", String::as_str);
    Failure::usage("unknown_name", format!("`{name}` has {} columns", columns.len()))
        .remedy(format!("{name}.{example}; columns: {}", data::listed(columns)))
}

fn unknown_column(name: &str, column: &str, columns: &[String]) -> Failure {
    Failure::usage("unknown_name", format!("`{name}` has no column `{column}`"))
        .remedy(format!("one of {}", data::listed(columns)))
}

#[derive(Serialize)]
struct Report {
    output: PathBuf,
    parameters: String,
    layout: String,
    level: usize,
    max_level: usize,
    margin_bits: f64,
    bytes: u64,
    seconds: f64,
}

/// Parses, computes, writes.
pub fn run(global: &Global, arguments: &EvalArguments) -> Result<Output> {
    check_free(&arguments.output, arguments.force)?;
    let program = parse(&arguments.expression)?;
    let opened = family::open(global, &arguments.params)?;
    let context = opened.into_vector(&arguments.params)?.context;
    let evaluator = evaluator(&context, arguments.evaluation_key.as_deref())?;
    let mut sources = Sources::new(&context, arguments)?;
    let start = Instant::now();
    let progress = Progress::new(global, "computing", program.steps().len());
    let result = match evaluate(&program, &mut sources, &evaluator, &progress)? {
        Value::Encrypted(result) => result,
        Value::Clear(clear) => {
            let message = format!("the result is {}: nothing in it is encrypted", clear.describe());
            return Err(Failure::usage("type", message).remedy("use an encrypted input"));
        }
    };
    let result =
        if arguments.no_shrink { result } else { evaluator.shrink(&result, SPARE_BITS)? };
    drop(progress);
    let elapsed = start.elapsed();
    if result.channels().iter().any(Ciphertext::is_transparent) {
        output::note(global, "warning: the result does not depend on the key; anybody can read it");
    }
    let pending = session::pending(&context, &result, &arguments.output, arguments.force)?;
    let bytes = pending.bytes()?;
    pending.commit()?;
    report(&context, arguments, &result, bytes, elapsed)
}

fn evaluator(context: &Arc<VectorContext>, keys: Option<&Path>) -> Result<VectorEvaluator> {
    let Some(path) = keys else {
        return Ok(VectorEvaluator::without_keys(context, Mode::Automatic)?);
    };
    let keys = session::load(context, path)?;
    VectorEvaluator::new(context, &keys, Mode::Automatic)
        .map_err(|error| session::from_file(path, error))
}

fn report(
    context: &VectorContext,
    arguments: &EvalArguments,
    result: &EncryptedVector,
    bytes: u64,
    elapsed: std::time::Duration,
) -> Result<Output> {
    let margin = context.margin(result);
    let mut facts = output::facts();
    facts
        .add_row(["result", &result.layout().to_string()])
        .add_row(["level", &format!("{} of {}", result.level(), context.max_level())])
        .add_row(["margin", &format!("{margin:.1} bits before noise could matter")])
        .add_row(["written", &format!("{}, {}", arguments.output.display(), output::bytes(bytes))])
        .add_row(["time", &output::seconds(elapsed)]);
    let report = Report {
        output: arguments.output.clone(),
        parameters: context.parameters().id().to_string(),
        layout: result.layout().to_string(),
        level: result.level(),
        max_level: context.max_level(),
        margin_bits: margin,
        bytes,
        seconds: elapsed.as_secs_f64(),
    };
    Output::report(&report, output::render(&mut facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_have_a_name_and_something() {
        assert_eq!(binding("x=a=b"), Ok(("x".to_owned(), "a=b".to_owned())));
        for wrong in ["x", "=a", "x=", "1x=a", "a b=c", "a.b=c"] {
            assert!(binding(wrong).is_err(), "{wrong}");
        }
        assert!(scaling("w=10^3").is_ok() && scaling("w=3").is_err() && scaling("w").is_err());
    }

    #[test]
    fn numbers_and_paths_are_told_apart() {
        assert_eq!(inline("w", "3,-1, 4", None), Ok(Some(vec![3, -1, 4])));
        assert_eq!(inline("w", "0.5", "10".parse().ok()), Ok(Some(vec![5])));
        for path in ["x.ct", "3,x", "./3", "1e5", "", "data.csv"] {
            assert_eq!(inline("w", path, None), Ok(None), "{path}");
        }
        let failure = inline("w", "0.25", None).unwrap_err();
        assert_eq!(failure.exit_code, 2);
        assert!(failure.remedy.unwrap().contains("--scale w=10^2"));
    }
}
