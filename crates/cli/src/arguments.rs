//! The command line.

use crate::commands::{decrypt, encrypt, engines, eval, inspect, keygen, params, report, rtl};
use clap::{Args, Parser, Subcommand};

/// Compute on encrypted integers with BFV and BGV.
#[derive(Debug, Parser)]
#[command(
    name = "cyclotron",
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 refused (noise, missing key, out of range); 2 usage; \
                  3 file or format.\nThe secret key stays with the client: eval needs only \
                  parameters, evaluation keys and ciphertexts."
)]
pub struct Arguments {
    /// What holds for every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
pub struct Global {
    /// Print one JSON object instead of tables (errors too, on standard error)
    #[arg(long, global = true)]
    pub json: bool,
    /// Compute with so many threads [default: all processors]
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<usize>,
    /// Print nothing but values and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

impl Global {
    /// How errors are printed under `--json`.
    pub const JSON: bool = true;
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the engines, SIMD levels, threads and devices of this machine
    Engines(engines::EnginesArguments),
    /// Choose parameters, explain them and pin them to a file
    Params(params::ParamsArguments),
    /// Make a secret key, a public key and evaluation keys
    Keygen(keygen::KeygenArguments),
    /// Encrypt the columns of a CSV or .npy file
    Encrypt(encrypt::EncryptArguments),
    /// Compute on ciphertexts, without the secret key
    Eval(eval::EvalArguments),
    /// Decrypt ciphertexts
    Decrypt(decrypt::DecryptArguments),
    /// Say what a file is
    Inspect(inspect::InspectArguments),
    /// Simulated devices, and attacks on the mode of their paper
    Rtl(rtl::RtlArguments),
    /// Make the studies of the devices: tables and pictures
    Report(report::ReportArguments),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_expression_may_begin_with_minus() {
        let line = ["cyclotron", "eval", "-p", "p", "--let", "x=x.ct", "-x*2", "-o", "y.ct"];
        let Command::Eval(eval) = Arguments::try_parse_from(line).unwrap().command else {
            panic!("not eval");
        };
        assert_eq!(eval.expression, "-x*2");
        assert_eq!(eval.output.to_str(), Some("y.ct"));
    }
}
