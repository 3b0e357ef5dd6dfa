//! Sets up the process: selects the program by its name, and starts the only runtime.
//!
//! Writing to a pipe that has no reader returns an error instead of raising a signal. opmx keeps this default of Rust
//! because a server must survive clients that disconnect. The printer discards a result whose reader has left.

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
    // Every other name runs opmx, so that a renamed copy works.
    match Path::new(&program).file_stem().and_then(OsStr::to_str) {
        Some("grpc_health_probe") => opmx::cli::probe(arguments, process),
        Some("opm") => opmx::cli::run("opm", &arguments, process),
        _ => opmx::cli::run("opmx", &arguments, process),
    }
}

/// The number of file pairs to open as a test. A runtime opens files for events, for signals, and for wake-ups by other
/// threads.
#[cfg(unix)]
const PAIRS_OF_FILES: usize = 4;

/// Starts the only runtime of the process. Commands wait for the network on one thread, because passing every message
/// between threads would be more expensive. They run CPU-bound work on other threads. A server uses all processors.
fn start(work: Work) -> Result<Runtime, StartError> {
    // More threads than processors bring no benefit, and each thread keeps the memory of the largest bundle that it has
    // read.
    let processors = thread::available_parallelism().map_or(2, NonZero::get);
    let (mut builder, workers) = match work {
        Work::Command => (Builder::new_current_thread(), 0),
        Work::Server => (Builder::new_multi_thread(), processors),
    };
    // The runtime panics if it cannot open enough files or start enough threads.
    #[cfg(unix)]
    spare_files().map_err(StartError::Files)?;
    spare_threads(workers + 1).map_err(StartError::Threads)?;
    let runtime = builder
        .worker_threads(workers.max(1))
        .enable_all()
        .max_blocking_threads(processors.clamp(2, 8))
        // Keeps alive the thread that is started below, so that blocking work always finds a thread.
        .thread_keep_alive(Duration::from_hours(24 * 365))
        .build()
        .map_err(StartError::Runtime)?;
    drop(runtime.spawn_blocking(|| {}));
    #[cfg(target_os = "linux")]
    meet_limits_on_file_sizes(&runtime);
    Ok(runtime)
}

/// Checks that the process can open as many files as a runtime needs.
#[cfg(unix)]
fn spare_files() -> io::Result<()> {
    let pairs = [(); PAIRS_OF_FILES].map(|()| UnixStream::pair());
    pairs.into_iter().try_for_each(|pair| pair.map(drop))
}

/// Checks that `count` threads can run at once.
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

/// Makes writes beyond the file size limit (`ulimit -f`) return an error, as on a full disk. The accompanying signal
/// would otherwise end the process before it could report the error and clean up.
#[cfg(target_os = "linux")]
fn meet_limits_on_file_sizes(runtime: &Runtime) {
    use tokio::signal::unix::{SignalKind, signal};
    // The number of SIGXFSZ on all architectures that Linux images are built for.
    const FILE_SIZE_LIMIT: i32 = 25;
    let _runtime = runtime.enter();
    // The handler stays installed, and nothing has to wait for the signal. If the installation fails, everything else
    // still works.
    let _ = signal(SignalKind::from_raw(FILE_SIZE_LIMIT));
}
