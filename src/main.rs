//! Sets up the process: the name it was called by, and the one runtime.
//!
//! Writing to a pipe that nobody reads is an error here and not a signal, as Rust sets it up: a server must survive a
//! client that goes away. The printer takes it as the quiet end of a command.

mod streams;

use opmx::cli::{Process, Work};
use std::ffi::OsStr;
use std::io;
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;
use tokio::runtime::{Builder, Runtime};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let program = arguments.next().unwrap_or_default();
    let arguments = arguments.collect();
    let process = Process {
        start,
        stdout_is_closed: streams::stdout_is_closed(),
    };
    // Everything but the names of other programs is taken as ours, so that a renamed copy works.
    match Path::new(&program).file_stem().and_then(OsStr::to_str) {
        Some("grpc_health_probe") => opmx::cli::probe(arguments, process),
        Some("opm") => opmx::cli::run("opm", arguments, process),
        _ => opmx::cli::run("opmx", arguments, process),
    }
}

/// Starts the one runtime of the process. Commands wait for the network on one thread, which is cheaper than handing
/// every message from one to another, and leave work of the processor to others; a server answers on all processors.
fn start(work: Work) -> io::Result<Runtime> {
    let mut builder = match work {
        Work::Command => Builder::new_current_thread(),
        Work::Server => Builder::new_multi_thread(),
    };
    // Threads beyond the processors gain nothing, and each keeps the memory of the largest bundle that it ever read.
    let processors = std::thread::available_parallelism().map_or(2, NonZero::get);
    let runtime = builder
        .enable_all()
        .max_blocking_threads(processors.clamp(2, 8))
        .build()?;
    #[cfg(target_os = "linux")]
    meet_limits_on_file_sizes(&runtime);
    Ok(runtime)
}

/// Makes a limit on file sizes (`ulimit -f`) an error of the write that passes it, as a full disk is one. The signal
/// that comes with it would end the process before it could say why and tidy up.
#[cfg(target_os = "linux")]
fn meet_limits_on_file_sizes(runtime: &Runtime) {
    use tokio::signal::unix::{SignalKind, signal};
    // SIGXFSZ, which has this number on all processors that Linux images are built for.
    const FILE_SIZE_LIMIT: i32 = 25;
    let _runtime = runtime.enter();
    // Once it is handled it stays so; nobody needs to hear of it. Without it, all works as it did.
    let _ = signal(SignalKind::from_raw(FILE_SIZE_LIMIT));
}
