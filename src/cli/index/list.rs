//! `opmx index list`: listing the content of an index, as a table or in a machine-readable format.

use super::catalog_argument::CatalogArgument;
use super::images;
use crate::catalog::selection::Selection;
use crate::cli::Context;
use crate::cli::arguments::{IndexLimitArguments, OutputArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::sources;
use crate::database::list::{self, BundleRow, ChannelRow, PackageRow};
use crate::database::read::ReadError;
use crate::index::list_file_based as file_based;
use crate::index::open::{Index, OpenDatabase};
use crate::terminal::Format;
use crate::terminal::output::List;
use crate::terminal::table::Table;
use clap::{Args, Subcommand};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  List the packages of an index image
  $ opmx index list packages registry.example.com/index:v1

  List the bundles of one package in a database file
  $ opmx index list bundles index.db etcd

  Print all images that an index needs, one per line
  $ opmx index list images index.db -o json | jq -r '.[].image'";

const EXAMPLES_PACKAGES: &str = "\
Examples:
  List the packages of an index image
  $ opmx index list packages registry.example.com/index:v1";

const EXAMPLES_CHANNELS: &str = "\
Examples:
  List the channels of all packages
  $ opmx index list channels index.db

  List the channels of one package
  $ opmx index list channels index.db etcd";

const EXAMPLES_BUNDLES: &str = "\
Examples:
  List the bundles of one package, with the edges of its update graph
  $ opmx index list bundles oci:index:v1 etcd

  Print JSON
  $ opmx index list bundles index.db -o json";

/// List the content of an index
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct ListArguments {
    #[command(subcommand)]
    command: ListCommand,
}

#[derive(Debug, Subcommand)]
enum ListCommand {
    /// List the packages, with their default channels
    #[command(after_help = EXAMPLES_PACKAGES)]
    Packages(WholeIndex),
    /// List the channels, with their heads
    #[command(after_help = EXAMPLES_CHANNELS)]
    Channels(PartOfIndex),
    /// List the bundles of the channels, with the bundles that they replace and skip
    ///
    /// For a bundle whose manifests are part of the index, "inline" is shown instead of an image.
    #[command(after_help = EXAMPLES_BUNDLES)]
    Bundles(PartOfIndex),
    Images(images::ImagesArguments),
}

#[derive(Debug, Args)]
pub(crate) struct WholeIndex {
    #[command(flatten)]
    index: CatalogArgument,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PartOfIndex {
    #[command(flatten)]
    index: CatalogArgument,
    /// List only this package
    #[arg(value_name = "PACKAGE")]
    package: Option<String>,
    /// Same as PACKAGE, as in opmx index list images
    #[arg(short, long = "package", value_name = "PACKAGE", conflicts_with = "package")]
    package_option: Option<String>,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

/// The text that is shown instead of an image for a bundle whose manifests are part of the index.
const INLINE: &str = "inline";

impl PartOfIndex {
    /// Returns the package to list. A package that the index does not contain is an error, because an empty list would
    /// look like a valid answer.
    fn package(&self, opened: &Index) -> Result<Option<&str>, CommandError> {
        let Some(package) = self.package.as_deref().or(self.package_option.as_deref()) else {
            return Ok(None);
        };
        match opened {
            Index::Database(database) => match list::find_package(&database.database, package)? {
                Ok(()) => Ok(Some(package)),
                Err(nearest) => Err(self.index.no_package(package, nearest)),
            },
            Index::Catalog(files) => {
                let selection = Selection {
                    packages: vec![package.to_owned()],
                    channels: Vec::new(),
                };
                let found = selection.of(&files.loaded.catalog);
                found.map_err(|error| self.index.unknown(error))?;
                Ok(Some(package))
            }
        }
    }

    fn open(&self, context: &Context<'_>) -> Result<Index, CommandError> {
        let limits = self.limits.index(&self.registry);
        sources::open_catalog(&self.index.index, &self.registry, limits, context)
    }
}

pub(crate) fn run(arguments: &ListArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        ListCommand::Packages(wanted) => packages(wanted, context),
        ListCommand::Channels(wanted) => channels(wanted, context),
        ListCommand::Bundles(wanted) => bundles(wanted, context),
        ListCommand::Images(arguments) => images::run(arguments, context),
    }
}

/// Lists the packages.
pub(crate) fn packages(wanted: &WholeIndex, context: &Context<'_>) -> CommandResult {
    let headings = ["NAME", "DISPLAY NAME", "DEFAULT CHANNEL"];
    let cells = |row: PackageRow| {
        [
            row.name,
            row.display_name.unwrap_or_default(),
            row.default_channel.unwrap_or_default(),
        ]
    };
    let limits = wanted.limits.index(&wanted.registry);
    match sources::open_catalog(&wanted.index.index, &wanted.registry, limits, context)? {
        Index::Database(OpenDatabase { database: index, .. }) => {
            let mut packages = list::packages(&index)?;
            print(context, &wanted.output, packages.rows()?, headings, cells)?;
            index.check_unchanged()?;
        }
        Index::Catalog(files) => {
            let rows = file_based::packages(&files)?.into_iter().map(Ok);
            print(context, &wanted.output, rows, headings, cells)?;
        }
    }
    Ok(Status::Success)
}

/// Lists the channels. For a channel that has no head or several heads, an error is shown instead of the head.
pub(crate) fn channels(wanted: &PartOfIndex, context: &Context<'_>) -> CommandResult {
    let headings = ["PACKAGE", "CHANNEL", "HEAD"];
    let opened = wanted.open(context)?;
    let package = wanted.package(&opened)?;
    match &opened {
        Index::Database(OpenDatabase { database: index, .. }) => {
            let mut channels = list::channels(index, package)?;
            let cells = |row: ChannelRow| [row.package, row.channel, row.head.unwrap_or_default()];
            print(context, &wanted.output, channels.rows()?, headings, cells)?;
            index.check_unchanged()?;
        }
        Index::Catalog(files) => {
            let mut heads = file_based::possible_heads(&files.loaded, package).into_iter();
            let rows = file_based::channels(&files.loaded, package).into_iter().map(Ok);
            let cells = |row: ChannelRow| {
                let heads = heads.next().unwrap_or_default();
                let head = match heads.as_slice() {
                    [head] => head.clone(),
                    [] => "ERROR: no channel head found in graph".to_owned(),
                    heads => format!("ERROR: multiple channel heads found in graph: {}", heads.join(", ")),
                };
                [row.package, row.channel, head]
            };
            print(context, &wanted.output, rows, headings, cells)?;
        }
    }
    Ok(Status::Success)
}

/// Lists the bundles of the channels.
fn bundles(wanted: &PartOfIndex, context: &Context<'_>) -> CommandResult {
    let headings = [
        "PACKAGE",
        "CHANNEL",
        "BUNDLE",
        "VERSION",
        "REPLACES",
        "SKIPS",
        "SKIP RANGE",
        "MEDIA TYPE",
        "IMAGE",
    ];
    let cells = |row: BundleRow| {
        [
            row.package,
            row.channel,
            row.bundle,
            row.version.unwrap_or_default(),
            row.replaces.unwrap_or_default(),
            row.skips.join(","),
            row.skip_range.unwrap_or_default(),
            row.media_type,
            row.image.unwrap_or_else(|| INLINE.to_owned()),
        ]
    };
    let opened = wanted.open(context)?;
    let package = wanted.package(&opened)?;
    match &opened {
        Index::Database(OpenDatabase { database: index, .. }) => {
            let mut bundles = list::bundles(index, package)?;
            print(context, &wanted.output, bundles.rows()?, headings, cells)?;
            index.check_unchanged()?;
        }
        Index::Catalog(files) => {
            let rows = file_based::bundles(&files.loaded, package).into_iter().map(Ok);
            print(context, &wanted.output, rows, headings, cells)?;
        }
    }
    Ok(Status::Success)
}

/// Lists the bundles of the channels in opm's table format: sorted by name, and with opm's columns.
pub(crate) fn bundles_as_opm(wanted: &PartOfIndex, context: &Context<'_>) -> CommandResult {
    let headings = [
        "PACKAGE",
        "CHANNEL",
        "BUNDLE",
        "REPLACES",
        "SKIPS",
        "SKIP RANGE",
        "IMAGE",
    ];
    let cells = |row: BundleRow| {
        [
            row.package,
            row.channel,
            row.bundle,
            row.replaces.unwrap_or_default(),
            row.skips.join(","),
            row.skip_range.unwrap_or_default(),
            row.image.unwrap_or_default(),
        ]
    };
    let opened = wanted.open(context)?;
    let package = wanted.package(&opened)?;
    let mut rows: Vec<BundleRow> = match &opened {
        Index::Database(OpenDatabase { database: index, .. }) => {
            let rows = list::bundles(index, package)?.rows()?.collect::<Result<_, _>>()?;
            index.check_unchanged()?;
            rows
        }
        Index::Catalog(files) => file_based::bundles(&files.loaded, package),
    };
    rows.sort_by(|one, other| {
        let key = |row: &'_ BundleRow| (row.package.clone(), row.channel.clone(), row.bundle.clone());
        key(one).cmp(&key(other))
    });
    print(context, &wanted.output, rows.into_iter().map(Ok), headings, cells)?;
    Ok(Status::Success)
}

/// Prints rows as they are read.
fn print<Row: Serialize, const COLUMNS: usize>(
    context: &Context<'_>,
    output: &OutputArguments,
    rows: impl Iterator<Item = Result<Row, ReadError>>,
    headings: [&str; COLUMNS],
    mut cells: impl FnMut(Row) -> [String; COLUMNS],
) -> Result<(), CommandError> {
    let stdout = context.printer.stdout();
    if output.output == Format::Text {
        let mut table = Table::new(stdout, headings);
        for row in rows {
            table.row(cells(row?).each_ref().map(String::as_str))?;
        }
        table.finish()?;
    } else {
        let mut list = List::new(stdout, output.output);
        for row in rows {
            list.item(&row?)?;
        }
        list.finish()?;
    }
    Ok(())
}
