//! Standard output that hides no failure.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

/// Standard output as the process was given it.
///
/// The one of the standard library takes a stream that is closed, or not open for writing, for one whose reader wants
/// nothing.
#[derive(Debug)]
pub struct Stdout(io::Result<File>);

impl Stdout {
    /// Takes over the stream. `closed` says that the process was started without one: the standard library opens
    /// `/dev/null` in its place before `main`, so that the stream itself does not tell.
    pub fn new(closed: bool) -> Self {
        if closed {
            // What the system says of a stream that is closed.
            const EBADF: i32 = 9;
            return Self(Err(io::Error::from_raw_os_error(EBADF)));
        }
        Self(io::stdout().as_fd().try_clone_to_owned().map(File::from))
    }

    fn file(&mut self) -> io::Result<&mut File> {
        self.0.as_mut().map_err(|error| match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => error.kind().into(),
        })
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    /// Nothing is kept back here, so that only a write can fail.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
