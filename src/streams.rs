//! The standard streams as the process was given them.
//!
//! Before `main`, Rust opens `/dev/null` in place of a standard stream that is closed, so that no file gets its number.
//! From then on `opmx index list x.db >&-` looks like `>/dev/null`, and a result that is lost like one that nobody
//! wants.

#[cfg(target_os = "linux")]
pub(crate) use linux::stdout_is_closed;

/// Elsewhere a closed stream cannot be told.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stdout_is_closed() -> bool {
    false
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::os::fd::AsFd;
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    /// Has the loader call [`look`] before Rust sets up the process.
    #[used]
    #[expect(unsafe_code, reason = "the section decides what is run, and when")]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        // EBADF: there is no such stream.
        let closed = |error: io::Error| error.raw_os_error() == Some(9);
        CLOSED.store(
            io::stdout().as_fd().try_clone_to_owned().is_err_and(closed),
            Ordering::Relaxed,
        );
    }

    /// Whether the process was started without a standard output.
    pub(crate) fn stdout_is_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}
