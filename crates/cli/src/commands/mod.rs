//! One file a subcommand: its arguments, and what it does with them.

pub mod decrypt;
pub mod encrypt;
pub mod engines;
pub mod eval;
pub mod inspect;
pub mod keygen;
pub mod params;
pub mod report;
pub mod rtl;

use crate::arguments::{Command, Global};
use crate::failure::Result;
use crate::output::Output;

/// Runs a subcommand.
///
/// # Errors
/// What the subcommand refuses.
pub fn run(global: &Global, command: Command) -> Result<Output> {
    match command {
        Command::Engines(_) => engines::run(global),
        Command::Params(arguments) => params::run(global, &arguments),
        Command::Keygen(arguments) => keygen::run(global, &arguments),
        Command::Encrypt(arguments) => encrypt::run(global, &arguments),
        Command::Eval(arguments) => eval::run(global, &arguments),
        Command::Decrypt(arguments) => decrypt::run(global, &arguments),
        Command::Inspect(arguments) => inspect::run(global, &arguments),
        Command::Rtl(arguments) => rtl::run(global, &arguments),
        Command::Report(arguments) => report::run(global, &arguments),
    }
}
