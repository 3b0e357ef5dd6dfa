//! The standard streams inherited by the process.
//!
//! Before `main`, Rust opens `/dev/null` for any standard stream that is closed, so that no other file gets the number
//! of this stream. After that, `opmx index list x.db >&-` looks the same as `opmx index list x.db >/dev/null`, although
//! the result is lost in the first case and unwanted in the second.

#[cfg(target_os = "linux")]
pub(crate) use linux::stdout_is_closed;

/// On other systems, a closed stream cannot be detected.
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
        // EBADF: the stream does not exist.
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
