//! Who may read what: files that only their owner may open, and what a file passes on to the one that takes its place.

use super::regular::require_regular;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a file that only its owner may read and write.
///
/// # Errors
/// When something is there already, or the system refuses.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    create(path, true)
}

/// Creates a folder that only its owner may enter.
///
/// # Errors
/// When something is there already, or the system refuses.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    private_folders().create(path)
}

/// As [`create_private_folder`], with all folders above it. It may be there already.
///
/// # Errors
/// When the system refuses.
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

/// What a file passes on to the one that takes its place: its owner and group, as far as the system allows it, and its
/// mode.
#[derive(Debug)]
pub(super) struct Legacy {
    before: Option<Metadata>,
}

impl Legacy {
    /// What the file at a path passes on; where there is none, or a link without an end, the new one begins afresh.
    ///
    /// # Errors
    /// When something else than a regular file is there, or the system refuses.
    pub(super) fn of(target: &Path) -> io::Result<Self> {
        match require_regular(target) {
            Ok(metadata) => Ok(Self { before: Some(metadata) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { before: None }),
            Err(error) => Err(error),
        }
    }

    /// Whether there is a file that is replaced.
    pub(super) fn is_any(&self) -> bool {
        self.before.is_some()
    }

    /// Creates the file that will take the place. Until its content is complete nobody else may open it, unless it has
    /// no predecessor.
    pub(super) fn create(&self, path: &Path) -> io::Result<File> {
        create(path, self.before.is_some())
    }

    /// Gives the finished file what its predecessor had.
    pub(super) fn pass_on(&self, to: &File) -> io::Result<()> {
        match &self.before {
            Some(before) => pass_on(before, to),
            None => Ok(()),
        }
    }
}

#[cfg(unix)]
fn pass_on(before: &Metadata, to: &File) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let now = to.metadata()?;
    if (before.uid(), before.gid()) != (now.uid(), now.gid()) {
        // Only the superuser gives files away; others may still name a group of theirs.
        let _ = fchown(to, Some(before.uid()), Some(before.gid())).or_else(|_| fchown(to, None, Some(before.gid())));
    }
    let mut mode = before.mode() & 0o777;
    if to.metadata()?.gid() != before.gid() {
        // What one group may do is not meant for another: its members are among all others.
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    to.set_permissions(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn pass_on(before: &Metadata, to: &File) -> io::Result<()> {
    to.set_permissions(before.permissions())
}
