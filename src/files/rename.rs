//! Renames a file without replacing another file.

use std::fs;
use std::io;
use std::path::Path;

/// Renames `from` to `to` in one step, unless `to` already exists.
///
/// # Errors
/// Returns an error if `to` already exists ([`io::ErrorKind::AlreadyExists`]), or if an I/O operation fails.
#[cfg(target_os = "linux")]
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not every file system supports this.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => link_new(from, to),
        renamed => Ok(renamed?),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    link_new(from, to)
}

/// Links the file to its new name, which fails if that name already exists, and then removes the old name.
fn link_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        // Some file systems do not support hard links.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists && fs::symlink_metadata(to).is_err() => {
            fs::rename(from, to)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_name_is_never_replaced() {
        for rename in [rename_new, link_new] {
            let folder = tempfile::tempdir().unwrap();
            let [from, to, other] = ["from", "to", "other"].map(|name| folder.path().join(name));
            fs::write(&from, "1").unwrap();
            fs::write(&other, "2").unwrap();
            rename(&from, &to).unwrap();
            assert!(!from.exists());
            assert_eq!(rename(&other, &to).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read(&to).unwrap(), b"1");
            assert_eq!(fs::read(&other).unwrap(), b"2");
        }
    }
}
