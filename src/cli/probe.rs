//! The program under the name `grpc_health_probe`, which OLM calls inside every catalog pod.

use crate::causes::with_causes;
use crate::cli::error::SUCCESS;
use crate::cli::{Process, Work};
use crate::server::probe::{self, ProbeError, Request};
use crate::terminal::Printer;
use crate::terminal::output::Settings;
use crate::terminal::stdout::Stdout;
use std::ffi::OsString;
use std::process::ExitCode;

const HELP: &str = "\
Check the health of a gRPC server

Usage: grpc_health_probe -addr=HOST:PORT [FLAGS]

  -addr HOST:PORT       server to check; :PORT for localhost
  -service NAME         service to check; by default, the whole server
  -connect-timeout TIME maximum time to connect (default 1s)
  -rpc-timeout TIME     maximum time to wait for the answer (default 1s)
  -v                    accepted without effect
  -user-agent NAME      accepted without effect
  -version              print the version
  -help                 print this help

The exit code is 0 if the server is serving, 1 for a wrong command line, 2 if there is no connection, 3 if there is no
answer, and 4 if the server is not serving.
";

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
    let answered = probe::parse(arguments).and_then(|request| match request {
        Request::Check(probe) => runtime.block_on(probe::probe(&probe)).map(|()| None),
        Request::Version => Ok(Some(concat!("opmx ", env!("CARGO_PKG_VERSION"), "\n"))),
        Request::Help => Ok(Some(HELP)),
    });
    match answered {
        Ok(None) => printer.status("status: SERVING"),
        Ok(Some(text)) => {
            if let Err(error) = printer.lines(text).and_then(|()| printer.flush()) {
                printer.error(with_causes(&error));
                return ExitCode::FAILURE;
            }
        }
        Err(error) => {
            printer.error(&error);
            return ExitCode::from(ProbeError::exit_code(&error));
        }
    }
    ExitCode::from(SUCCESS)
}
