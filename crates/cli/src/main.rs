//! The `cyclotron` command: parameters, keys, encryption, computation, decryption, inspection.
//!
//! * [`arguments`]: the command line; [`commands`]: one file a subcommand;
//! * [`expression`]: the language of `eval`; [`data`]: CSV, `.npy` and exact decimals;
//! * [`family`]: what parameters of primes and of a power of two have in common; [`device`]: the
//!   devices of the latter;
//! * [`session`]: parameters and engine; [`mod@write`]: files that are whole or not there;
//! * [`failure`]: errors and exit codes; [`output`], [`progress`]: what people and programs see.
//!
//! Results go to standard output, everything else to standard error; `docs/cli.md` is the manual.

mod arguments;
mod commands;
mod data;
mod device;
mod expression;
mod failure;
mod family;
mod output;
mod progress;
mod session;
mod write;

use arguments::{Arguments, Global};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refused_arguments(&error),
    };
    let result = commands::run(&arguments.global, arguments.command);
    let result = result.and_then(|output| output.print(&arguments.global));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print(arguments.global.json);
            failure.exit_code()
        }
    }
}

/// Help and version are answers; everything else is a usage error, as JSON when asked for so.
fn refused_arguments(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A reader that has gone away needs no help any more.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let json = std::env::args_os().any(|argument| argument == "--json");
    if json {
        let text = error.render().to_string();
        let message = text.lines().next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        Failure::usage("usage", message).remedy("see cyclotron --help").print(Global::JSON);
    } else {
        let _ = error.print();
    }
    ExitCode::from(failure::USAGE)
}
