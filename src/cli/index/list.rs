//! `opmx index list`: what is in an index, as a table or for a program, its first rows at once.

use super::images;
use crate::catalog::selection::SelectionError;
use crate::cli::Context;
use crate::cli::arguments::{OutputArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::sources;
use crate::index::list;
use crate::index::read::{Index, ReadError};
use crate::terminal::Format;
use crate::terminal::output::List;
use crate::terminal::table::Table;
use clap::{Args, Subcommand};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  The packages of an index image
  $ opmx index list packages registry.example.com/index:v1

  The bundles of one package, in a database file
  $ opmx index list bundles index.db etcd

  All images that an index needs, one on each line
  $ opmx index list images index.db -o json | jq -r '.[].image'";

const EXAMPLES_PACKAGES: &str = "\
Examples:
  Of an index image
  $ opmx index list packages registry.example.com/index:v1";

const EXAMPLES_CHANNELS: &str = "\
Examples:
  Of all packages
  $ opmx index list channels index.db

  Of one package
  $ opmx index list channels index.db etcd";

const EXAMPLES_BUNDLES: &str = "\
Examples:
  Of one package, with the edges of its update graph
  $ opmx index list bundles oci:index:v1 etcd

  As JSON
  $ opmx index list bundles index.db -o json";

/// List what is in an index
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
    /// List the bundles of the channels, with what they replace and skip
    ///
    /// A bundle whose manifests are part of the index has "inline" in place of an image.
    #[command(after_help = EXAMPLES_BUNDLES)]
    Bundles(PartOfIndex),
    Images(images::ImagesArguments),
}

#[derive(Debug, Args)]
struct WholeIndex {
    #[command(flatten)]
    index: IndexArgument,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
}

#[derive(Debug, Args)]
struct PartOfIndex {
    #[command(flatten)]
    index: IndexArgument,
    /// Only this package
    #[arg(value_name = "PACKAGE")]
    package: Option<String>,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    registry: RegistryArguments,
}

#[derive(Debug, Args)]
pub(super) struct IndexArgument {
    /// The index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG or a database file
    #[arg(value_name = "REF|FILE")]
    pub(super) index: String,
}

/// Stands for the image of a bundle whose manifests are part of the index.
const INLINE: &str = "inline";

impl PartOfIndex {
    /// The package to list. One that the index does not hold is an error: an empty list would look like an answer.
    fn package(&self, index: &Index) -> Result<Option<&str>, CommandError> {
        let Some(package) = self.package.as_deref() else {
            return Ok(None);
        };
        let Err(nearest) = list::find_package(index, package)? else {
            return Ok(Some(package));
        };
        Err(self.index.no_package(package, nearest))
    }
}

impl IndexArgument {
    fn no_package(&self, package: &str, nearest: Option<String>) -> CommandError {
        let missing = CommandError::failure(format!("{} holds no package {package:?}", self.index));
        missing.hint(match nearest {
            Some(name) => format!("there is {name:?}"),
            None => format!("see opmx index list packages {}", self.index),
        })
    }

    /// What to say about a name that the index does not hold.
    pub(super) fn unknown(&self, error: SelectionError) -> CommandError {
        match error {
            SelectionError::Package { package, nearest } => self.no_package(&package, nearest),
            SelectionError::Channel { channel, nearest } => {
                let missing = CommandError::failure(format!("{} holds no such channel {channel:?}", self.index));
                missing.hint(match nearest {
                    Some(name) => format!("there is {name:?}"),
                    None => format!("see opmx index list channels {}", self.index),
                })
            }
        }
    }
}

pub(crate) fn run(arguments: &ListArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        ListCommand::Packages(wanted) => {
            let opened = sources::open_index(&wanted.index.index, &wanted.registry, context)?;
            let mut packages = list::packages(&opened.index)?;
            let headings = ["NAME", "DISPLAY NAME", "DEFAULT CHANNEL"];
            print(
                context,
                &wanted.output,
                &opened.index,
                packages.rows()?,
                headings,
                |row| {
                    [
                        row.name,
                        row.display_name.unwrap_or_default(),
                        row.default_channel.unwrap_or_default(),
                    ]
                },
            )
        }
        ListCommand::Channels(wanted) => {
            let opened = sources::open_index(&wanted.index.index, &wanted.registry, context)?;
            let mut channels = list::channels(&opened.index, wanted.package(&opened.index)?)?;
            let headings = ["PACKAGE", "CHANNEL", "HEAD"];
            print(
                context,
                &wanted.output,
                &opened.index,
                channels.rows()?,
                headings,
                |row| [row.package, row.channel, row.head.unwrap_or_default()],
            )
        }
        ListCommand::Bundles(wanted) => {
            let opened = sources::open_index(&wanted.index.index, &wanted.registry, context)?;
            let mut bundles = list::bundles(&opened.index, wanted.package(&opened.index)?)?;
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
            print(
                context,
                &wanted.output,
                &opened.index,
                bundles.rows()?,
                headings,
                |row| {
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
                },
            )
        }
        ListCommand::Images(arguments) => images::run(arguments, context),
    }
}

/// Prints rows while they are read.
fn print<Row: Serialize, const COLUMNS: usize>(
    context: &Context<'_>,
    output: &OutputArguments,
    index: &Index,
    rows: impl Iterator<Item = Result<Row, ReadError>>,
    headings: [&str; COLUMNS],
    cells: impl Fn(Row) -> [String; COLUMNS],
) -> CommandResult {
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
    index.check_unchanged()?;
    Ok(Status::Success)
}
