//! Sets up the process: the name it was called by, the one runtime, the exit code.
//!
//! Writing to a pipe that nobody reads is an error here and not a signal, as Rust sets it up: a server must survive a
//! client that goes away. The printer takes it as the quiet end of a command.

use std::ffi::OsStr;
use std::io::Write;
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let program = arguments.next().unwrap_or_default();
    // Threads beyond the processors gain nothing, and each keeps the memory of the largest bundle that it ever read.
    let processors = std::thread::available_parallelism().map_or(2, NonZero::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(processors.clamp(2, 8))
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            // Nothing is set up yet; if even this cannot be written, the exit code says it.
            let _ = writeln!(std::io::stderr(), "error: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    #[cfg(target_os = "linux")]
    meet_limits_on_file_sizes(&runtime);
    let arguments = arguments.collect();
    // Everything but the names of other programs is taken as ours, so that a renamed copy works.
    let code = match Path::new(&program).file_stem().and_then(OsStr::to_str) {
        Some("grpc_health_probe") => opmx::cli::probe(arguments, &runtime),
        Some("opm") => opmx::cli::run("opm", arguments, &runtime),
        _ => opmx::cli::run("opmx", arguments, &runtime),
    };
    // What is still under way on other threads has no use any more and must not hold up the end.
    runtime.shutdown_background();
    code
}

/// Makes a limit on file sizes (`ulimit -f`) an error of the write that passes it, as a full disk is one. The signal
/// that comes with it would end the process before it could say why and tidy up.
#[cfg(target_os = "linux")]
fn meet_limits_on_file_sizes(runtime: &tokio::runtime::Runtime) {
    use tokio::signal::unix::{SignalKind, signal};
    // SIGXFSZ, which has this number on all processors that Linux images are built for.
    const FILE_SIZE_LIMIT: i32 = 25;
    let _runtime = runtime.enter();
    // Once it is handled it stays so; nobody needs to hear of it. Without it, all works as it did.
    let _ = signal(SignalKind::from_raw(FILE_SIZE_LIMIT));
}
