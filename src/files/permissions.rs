//! Permissions: private files, and the attributes that a file passes on to its replacement.

use super::regular::require_regular;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a file that only its owner may read and write.
///
/// # Errors
/// Returns an error if the path already exists, or if an I/O operation fails.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    create(path, true)
}

/// Creates a folder that only its owner may enter.
///
/// # Errors
/// Returns an error if the path already exists, or if an I/O operation fails.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    private_folders().create(path)
}

/// Like [`create_private_folder`], but also creates missing parent folders. The folder may already exist.
///
/// # Errors
/// Returns an error if an I/O operation fails.
pub(crate) fn create_private_folders(path: &Path) -> io::Result<()> {
    private_folders().recursive(true).create(path)
}

fn private_folders() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn create(path: &Path, private: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    options.open(path)
}

/// The attributes that a file passes on to its replacement: its mode, and its owner and group as far as the system
/// allows.
#[derive(Debug)]
pub(super) struct InheritedAttributes {
    before: Option<Metadata>,
}

impl InheritedAttributes {
    /// Returns the attributes of the file at a path. If there is no file, or only a dangling link, the replacement gets
    /// default attributes.
    ///
    /// # Errors
    /// Returns an error if the path is not a regular file, or if an I/O operation fails.
    pub(super) fn of(target: &Path) -> io::Result<Self> {
        match require_regular(target) {
            Ok(metadata) => Ok(Self { before: Some(metadata) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { before: None }),
            Err(error) => Err(error),
        }
    }

    /// Whether an existing file is replaced.
    pub(super) fn exists(&self) -> bool {
        self.before.is_some()
    }

    /// Creates the replacement. If it replaces a file, other users cannot open it until its content is complete.
    pub(super) fn create(&self, path: &Path) -> io::Result<File> {
        create(path, self.before.is_some())
    }

    /// Applies the attributes of the replaced file to the finished file.
    pub(super) fn apply_to(&self, to: &File) -> io::Result<()> {
        match &self.before {
            Some(before) => apply(before, to),
            None => Ok(()),
        }
    }
}

#[cfg(unix)]
fn apply(before: &Metadata, to: &File) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let now = to.metadata()?;
    if (before.uid(), before.gid()) != (now.uid(), now.gid()) {
        // Only the superuser can change the owner; other users may still set one of their groups.
        let _ = fchown(to, Some(before.uid()), Some(before.gid())).or_else(|_| fchown(to, None, Some(before.gid())));
    }
    let mut mode = before.mode() & 0o777;
    if to.metadata()?.gid() != before.gid() {
        // The permissions of the old group must not apply to another group, whose members had only the permissions of
        // all other users.
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    to.set_permissions(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn apply(before: &Metadata, to: &File) -> io::Result<()> {
    to.set_permissions(before.permissions())
}
