//! The sources of bundles and indexes that commands accept: folders, files and images.

use crate::cli::Context;
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::CommandError;
use crate::cli::guesses;
use crate::index::open::{Index, OpenLimits};
use crate::tree::Tree;

/// Loads the files of the bundle in a folder or an image.
pub(crate) fn bundle_files(
    name: &str,
    registry: &RegistryArguments,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Tree, CommandError> {
    let location = guesses::location(name)?;
    let transports = registry.transports(context);
    let loading = location.load(&transports, limits.tree());
    let tree = context.runtime.block_on(loading);
    tree.map_err(|error| guesses::with_guess(error.into(), &location))
}

/// Opens an index of any form: a database, or a file-based catalog, in files or in an image.
pub(crate) fn open_catalog(
    name: &str,
    registry: &RegistryArguments,
    limits: OpenLimits,
    context: &Context<'_>,
) -> Result<Index, CommandError> {
    let transports = registry.transports(context);
    let opening = Index::open_named(name, &transports, limits);
    let opened = context.runtime.block_on(opening);
    opened.map_err(|error| guesses::with_index_guess(error.into(), name))
}
