//! Regular files, as opposed to other entries at a path. Opening a named pipe waits for its other end, reading a device
//! may never end, and SQLite treats an empty device as an empty database.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file, or a link to one, for reading. Never blocks if the path is not a regular file.
///
/// # Errors
/// Returns an error if the path does not exist, or if an I/O operation fails. Also returns an error if the path leads
/// to a folder ([`io::ErrorKind::IsADirectory`]), a named pipe, a socket or a device ([`io::ErrorKind::InvalidInput`]).
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    // Opening a device can already have effects, and opening a socket fails with an unhelpful error.
    require_regular(path)?;
    let mut options = OpenOptions::new();
    options.read(true);
    // A named pipe may have been created at the path in the meantime.
    do_not_wait(&mut options, true);
    let file = options.open(path)?;
    require(&file.metadata()?)?;
    Ok(file)
}

/// Opens a regular file for reading and writing, and creates it if it does not exist. Never blocks, and follows no
/// link: use this for a name that opmx chooses itself, because a link created by an attacker must not determine which
/// file is written.
///
/// # Errors
/// Returns an error if the path leads to anything else than a regular file, or if an I/O operation fails.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    change(path, true)
}

/// Like [`open_or_create`], but the file must exist.
///
/// # Errors
/// Returns an error if the file does not exist, or if [`open_or_create`] returns one.
pub(crate) fn open_to_change(path: &Path) -> io::Result<File> {
    change(path, false)
}

fn change(path: &Path, create: bool) -> io::Result<File> {
    // The system's own error about a link does not mention the link.
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        found => require(&found?)?,
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(create);
    do_not_wait(&mut options, false);
    let file = options.open(path)?;
    require(&file.metadata()?)?;
    Ok(file)
}

/// Returns the metadata of a regular file, or of the regular file that a link leads to, without opening it.
///
/// # Errors
/// Returns an error if [`open_regular`] does.
pub(crate) fn require_regular(path: &Path) -> io::Result<Metadata> {
    let metadata = fs::metadata(path)?;
    require(&metadata)?;
    Ok(metadata)
}

fn require(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let message = format!("it is a {}, not a regular file", name_of(kind));
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

#[cfg(unix)]
fn name_of(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_symlink() {
        "symbolic link"
    } else if kind.is_fifo() {
        "named pipe"
    } else if kind.is_socket() {
        "socket"
    } else {
        "device"
    }
}

#[cfg(not(unix))]
fn name_of(_: FileType) -> &'static str {
    "special file"
}

#[cfg(unix)]
fn do_not_wait(options: &mut OpenOptions, follow_links: bool) {
    use rustix::fs::OFlags;
    let flags = if follow_links {
        OFlags::NONBLOCK
    } else {
        OFlags::NONBLOCK | OFlags::NOFOLLOW
    };
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn do_not_wait(_: &mut OpenOptions, _: bool) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    #[test]
    fn a_special_file_is_reported_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, socket) = (folder.path().join("pipe"), folder.path().join("socket"));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _listener = UnixListener::bind(&socket).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("pipe", &link).unwrap();
        for (path, kind) in [
            (pipe.as_path(), "named pipe"),
            (&link, "named pipe"),
            (&socket, "socket"),
            (Path::new("/dev/null"), "device"),
        ] {
            let expected = format!("it is a {kind}, not a regular file");
            assert_eq!(open_regular(path).unwrap_err().to_string(), expected, "{path:?}");
            assert_eq!(require_regular(path).unwrap_err().to_string(), expected, "{path:?}");
        }
        let kind = |path: &Path| open_regular(path).unwrap_err().kind();
        assert_eq!(kind(folder.path()), io::ErrorKind::IsADirectory);
        assert_eq!(kind(&folder.path().join("absent")), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_file_to_be_written_is_opened_or_created_but_not_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "content").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        std::os::unix::fs::symlink("absent", at("dangling")).unwrap();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        for (name, kind) in [
            ("link", "symbolic link"),
            ("dangling", "symbolic link"),
            ("pipe", "named pipe"),
        ] {
            let expected = format!("it is a {kind}, not a regular file");
            assert_eq!(open_or_create(&at(name)).unwrap_err().to_string(), expected);
            assert_eq!(open_to_change(&at(name)).unwrap_err().to_string(), expected);
        }
        assert!(!at("absent").exists());
        open_to_change(&at("absent")).unwrap_err();
        open_or_create(&at("absent")).unwrap();
        assert!(at("absent").exists());
        open_or_create(&at("file")).unwrap();
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "content");
    }

    #[test]
    fn a_link_to_a_regular_file_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "content").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("file", &link).unwrap();
        let mut content = String::new();
        open_regular(&link).unwrap().read_to_string(&mut content).unwrap();
        assert_eq!(content, "content");
        assert_eq!(require_regular(&link).unwrap().len(), 7);
    }
}
