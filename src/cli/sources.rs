//! Where bundles and indexes come from, as the commands take them: folders, files and images.

use crate::bundle::location::Location;
use crate::bundle::{self, BundleReading};
use crate::catalog::file_based::read::CatalogLimits;
use crate::cli::Context;
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::CommandError;
use crate::index::location::{DatabaseFile, IndexLocation};
use crate::index::opened::{OpenLimits, Opened};
use crate::index::read::Index;
use crate::tree::Tree;

/// The files of the bundle in a folder or an image.
pub(crate) fn bundle_files(
    name: &str,
    registry: &RegistryArguments,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Tree, CommandError> {
    let location: Location = name.parse()?;
    let transports = registry.transports(context);
    let loading = location.load(&transports, limits.tree());
    let tree = context.runtime.block_on(loading);
    tree.map_err(|error| with_guess(error.into(), &location))
}

/// Says that a name may have been meant for a folder, where it does not say which registry it is about.
pub(crate) fn with_guess(error: CommandError, location: &Location) -> CommandError {
    match location.registry_reference() {
        Some(name) if !names_host(name) => {
            error.hint(format!("there is no folder {name}, so it was taken for an image"))
        }
        _ => error,
    }
}

fn names_host(reference: &str) -> bool {
    reference
        .split_once('/')
        .is_some_and(|(host, _)| host == "localhost" || host.contains(['.', ':']))
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

/// An index that is open, and the file that it is in.
pub(crate) struct OpenIndex {
    pub(crate) index: Index,
    // Deleted when the index is closed, where it was taken out of an image.
    pub(crate) _file: DatabaseFile,
}

/// Opens the database in a file, or in an image.
pub(crate) fn open_index(
    name: &str,
    registry: &RegistryArguments,
    context: &Context<'_>,
) -> Result<OpenIndex, CommandError> {
    let location: IndexLocation = name.parse()?;
    let transports = registry.transports(context);
    let fetched = location.fetch(&transports, registry.max_image_size.0);
    let file = context.runtime.block_on(fetched)?;
    Ok(OpenIndex {
        index: Index::open(file.path())?,
        _file: file,
    })
}

/// Opens an index of any form: a database, or a file-based catalog, in files or in an image.
pub(crate) fn open_catalog(
    name: &str,
    registry: &RegistryArguments,
    context: &Context<'_>,
) -> Result<Opened, CommandError> {
    let location: IndexLocation = name.parse()?;
    let transports = registry.transports(context);
    let limits = OpenLimits {
        catalog: CatalogLimits::default(),
        image: registry.max_image_size.0,
    };
    let opening = Opened::open(&location, &transports, limits);
    Ok(context.runtime.block_on(opening)?)
}
