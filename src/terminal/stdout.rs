//! Standard output that reports every failure.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;

/// The standard output of the process.
///
/// Unlike this type, the standard output of the standard library silently discards writes to a stream that is closed or
/// not open for writing.
#[derive(Debug)]
pub struct Stdout(io::Result<File>);

impl Stdout {
    /// Takes over the stream. `closed` reports that the process was started without standard output: the standard
    /// library then opens `/dev/null` before `main`, so the stream itself does not show this.
    pub fn new(closed: bool) -> Self {
        if closed {
            // The operating system's error for a closed stream.
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

    /// Nothing is buffered here, so only a write can fail.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
