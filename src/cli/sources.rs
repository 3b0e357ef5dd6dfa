//! Where bundles and indexes come from, as the commands take them: folders, files and images.

use crate::bundle::location::Location;
use crate::bundle::{self, BundleReading};
use crate::cli::Context;
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::CommandError;
use crate::files::TemporaryFolder;
use crate::image::{Reference, extract_file};
use crate::index::image::{CONFIGS_LABEL, DATABASE_LABEL, DATABASE_PATH};
use crate::index::read::Index;
use crate::tree::Tree;
use std::path::{Path, PathBuf};

/// The files of the bundle in a folder or an image.
pub(crate) fn bundle_files(
    name: &str,
    registry: &RegistryArguments,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Tree, CommandError> {
    let location: Location = name.parse()?;
    let transports = registry.transports(context);
    Ok(context.runtime.block_on(location.load(&transports, limits.tree()))?)
}

/// Reads the bundle in a folder or an image.
pub(crate) fn read_bundle(
    name: &str,
    registry: &RegistryArguments,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<BundleReading, CommandError> {
    let tree = bundle_files(name, registry, limits, context)?;
    Ok(bundle::read(&tree, &limits.text()))
}

/// An index that is open, and the folder that its database was unpacked to.
pub(crate) struct OpenIndex {
    pub(crate) index: Index,
    // Deleted when the index is closed.
    pub(crate) unpacked: Option<TemporaryFolder>,
}

/// A database file, and the folder that it was unpacked to where it came from an image.
pub(crate) struct DatabaseFile {
    pub(crate) path: PathBuf,
    // Deleted with this value.
    unpacked: Option<TemporaryFolder>,
}

/// Opens the database in a file, or in an image.
pub(crate) fn open_index(
    name: &str,
    registry: &RegistryArguments,
    context: &Context<'_>,
) -> Result<OpenIndex, CommandError> {
    let file = database(name, registry, context)?;
    Ok(OpenIndex {
        index: Index::open(&file.path)?,
        unpacked: file.unpacked,
    })
}

/// The database of an index: a file, or taken out of an image. A name that is a file on this machine is taken for the
/// file.
pub(crate) fn database(
    name: &str,
    registry: &RegistryArguments,
    context: &Context<'_>,
) -> Result<DatabaseFile, CommandError> {
    if is_file(name) {
        return Ok(DatabaseFile {
            path: PathBuf::from(name),
            unpacked: None,
        });
    }
    let reference: Reference = name.parse().map_err(|error| {
        CommandError::from(error).hint("an index is an image, or the database file of one; there is no such file")
    })?;
    let transports = registry.transports(context);
    let image = context.runtime.block_on(transports.pull(&reference))?;
    if image.label(DATABASE_LABEL).is_none() && image.label(CONFIGS_LABEL).is_some() {
        let message = format!("{name} is a file-based catalog, not an index with a database");
        return Err(CommandError::failure(message));
    }
    let path = image.label(DATABASE_LABEL).unwrap_or(DATABASE_PATH);
    let unpacked = TemporaryFolder::new()?;
    let file = unpacked.path().join("index.db");
    extract_file(&image, path.trim_start_matches('/'), &file, registry.max_image_size.0)
        .map_err(|error| CommandError::from(error).context(format!("{name} is not an index image")))?;
    Ok(DatabaseFile {
        path: file,
        unpacked: Some(unpacked),
    })
}

/// Whether this names a file on this machine rather than an image. A path that begins with `/` or `.` always does.
fn is_file(name: &str) -> bool {
    name.starts_with(['/', '.']) || Path::new(name).is_file()
}
