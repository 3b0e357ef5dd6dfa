//! The program under the name `grpc_health_probe`, which OLM calls inside every catalog pod.

use crate::causes::with_causes;
use crate::cli::error::SUCCESS;
use crate::cli::{Process, Work};
use crate::server::probe::{self, ProbeError};
use crate::terminal::Printer;
use crate::terminal::output::Settings;
use crate::terminal::stdout::Stdout;
use std::ffi::OsString;
use std::process::ExitCode;

/// Checks the health of a server. The exit codes are those of the original probe, not those of opmx commands.
pub fn run(arguments: Vec<OsString>, process: Process) -> ExitCode {
    let printer = Printer::new(Settings::default(), Stdout::new(process.stdout_is_closed));
    let arguments = arguments
        .into_iter()
        .map(|argument| argument.to_string_lossy().into_owned());
    let runtime = match (process.start)(Work::Command) {
        Ok(runtime) => runtime,
        Err(error) => {
            printer.error(with_causes(&error));
            return ExitCode::FAILURE;
        }
    };
    let asked = probe::parse(arguments).and_then(|probe| runtime.block_on(probe::probe(&probe)));
    match asked {
        Ok(()) => {
            printer.status("status: SERVING");
            ExitCode::from(SUCCESS)
        }
        Err(error) => {
            printer.error(&error);
            ExitCode::from(ProbeError::exit_code(&error))
        }
    }
}
