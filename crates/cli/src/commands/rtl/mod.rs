//! `cyclotron rtl`: the simulated devices, and the attacks on the mode of their paper.

mod attack;
mod bench;
mod bgv;
mod info;
mod paper;
mod run;

use crate::arguments::Global;
use crate::failure::Result;
use crate::output::Output;
use clap::{Args, Subcommand};

/// Options of `rtl`.
#[derive(Debug, Args)]
pub struct RtlArguments {
    #[command(subcommand)]
    command: RtlCommand,
}

#[derive(Debug, Subcommand)]
enum RtlCommand {
    /// List the simulated devices and what their configuration words say
    Info(info::InfoArguments),
    /// Run batches through a simulated device: equal to the processor, and how many cycles
    Run(run::RunArguments),
    /// Break the S-BFV paper's mode (noise seed, repeated u), and fail to break the default
    Attack(attack::AttackArguments),
}

/// Runs a subcommand of `rtl`.
///
/// # Errors
/// What it refuses.
pub fn run(global: &Global, arguments: &RtlArguments) -> Result<Output> {
    match &arguments.command {
        RtlCommand::Info(_) => info::run(global),
        RtlCommand::Run(arguments) => run::run(global, arguments),
        RtlCommand::Attack(arguments) => attack::run(global, arguments),
    }
}
