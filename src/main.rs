//! Sets up the process: the name it was called by, and the one runtime.
//!
//! Writing to a pipe that nobody reads is an error here and not a signal, as Rust sets it up: a server must survive a
//! client that goes away. The printer takes it as the quiet end of a command.

mod streams;

use opmx::cli::start::StartError;
use opmx::cli::{Process, Work};
use std::ffi::OsStr;
use std::io;
use std::num::NonZero;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;
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

/// Files that a runtime opens: for events, for signals, and to be woken by other threads.
#[cfg(unix)]
const PAIRS_OF_FILES: usize = 4;

/// Starts the one runtime of the process. Commands wait for the network on one thread, which is cheaper than handing
/// every message from one to another, and leave work of the processor to others; a server answers on all processors.
fn start(work: Work) -> Result<Runtime, StartError> {
    // Threads beyond the processors gain nothing, and each keeps the memory of the largest bundle that it ever read.
    let processors = thread::available_parallelism().map_or(2, NonZero::get);
    let (mut builder, workers) = match work {
        Work::Command => (Builder::new_current_thread(), 0),
        Work::Server => (Builder::new_multi_thread(), processors),
    };
    // The runtime panics where it finds too few of either.
    #[cfg(unix)]
    spare_files().map_err(StartError::Files)?;
    spare_threads(workers + 1).map_err(StartError::Threads)?;
    let runtime = builder
        .worker_threads(workers.max(1))
        .enable_all()
        .max_blocking_threads(processors.clamp(2, 8))
        // The one that is started here stays, so that work always finds one.
        .thread_keep_alive(Duration::from_hours(24 * 365))
        .build()
        .map_err(StartError::Runtime)?;
    drop(runtime.spawn_blocking(|| {}));
    #[cfg(target_os = "linux")]
    meet_limits_on_file_sizes(&runtime);
    Ok(runtime)
}

/// Makes sure that so many files can be opened as a runtime needs.
#[cfg(unix)]
fn spare_files() -> io::Result<()> {
    let pairs = [(); PAIRS_OF_FILES].map(|()| UnixStream::pair());
    pairs.into_iter().try_for_each(|pair| pair.map(drop))
}

/// Makes sure that so many threads can run at once.
fn spare_threads(count: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let _closed = gate.lock();
        for _ in 0..count {
            thread::Builder::new().spawn_scoped(scope, || drop(gate.lock()))?;
        }
        Ok(())
    })
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
