//! `opmx index diff`: the differences between two indexes.

use crate::catalog::Catalog;
use crate::catalog::difference::{Difference, details as difference_of, difference};
use crate::catalog::losses::{Loss, LossKind, counterpart, losses};
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::values::{Item, filled};
use crate::cli::{Context, sources};
use crate::index::details::details;
use crate::terminal::{Format, index_difference};
use clap::builder::EnumValueParser;
use clap::{Args, ValueEnum};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  Show the changes in a new version of an index image
  $ opmx index diff registry.example.com/index:v1 registry.example.com/index:v2

  Write a summary for a pull request
  $ opmx index diff registry.example.com/index:v1 index.db -o markdown

  Verify that a migration to a file-based catalog loses nothing
  $ opmx migrate index.db catalog && opmx index diff index.db catalog

  Use the exit status in a script
  $ opmx index diff old.db new.db -q --exit-code

  Check whether a fragment may be merged into the catalog in production
  $ opmx index diff registry.example.com/catalog:v1 catalog --fragment \\
      --deny removed-channel,removed-bundle,lost-upgrade";

/// Show the differences between two indexes
///
/// Compares the packages and their default channels; the channels, their heads, and the replaces and skips fields of
/// their bundles; and the version, image, skipRange, properties, dependencies and related images of each bundle. If
/// both indexes contain a package, also compares its icon, description, deprecations, lifecycles and other documents. A
/// database contains neither descriptions nor deprecations nor other documents.
///
/// Manifests, and the metadata in olm.csv.metadata that is derived from them, are not compared.
///
/// A plus marks items that only NEW contains, a minus items that only OLD contains, and a tilde items that differ.
///
/// The exit status is 0 even if the indexes differ, unless --exit-code or --deny is used.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DiffArguments {
    /// Old index: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder with a catalog
    #[arg(value_name = "OLD", value_parser = filled())]
    old: String,
    /// New index, in the same or a different form
    #[arg(value_name = "NEW", value_parser = filled())]
    new: String,
    /// Output format
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
    output: Form,
    /// Exit with status 3 if the indexes differ
    #[arg(long)]
    exit_code: bool,
    /// Exit with status 3 if users of OLD lose something of this kind in NEW, and list the losses; may be repeated
    #[arg(long, value_name = "LOSSES", value_delimiter = ',', value_parser = Item(EnumValueParser::<Denied>::new()))]
    deny: Vec<Denied>,
    /// Treat NEW as a replacement for a part of OLD, and ignore packages that only OLD contains
    #[arg(long)]
    fragment: bool,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

/// The losses to deny.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Denied {
    /// All of the following
    All,
    /// A package
    RemovedPackage,
    /// A channel of a package that is kept
    RemovedChannel,
    /// A bundle of a package that is kept
    RemovedBundle,
    /// The entry of a bundle in a channel, if the bundle and the channel are kept
    RemovedEntry,
    /// The update path of clusters that run a current or former bundle of a channel
    LostUpgrade,
    /// The version of the head of a channel, if it is lower in NEW
    LowerHead,
    /// The default channel, if it is different in NEW
    ChangedDefaultChannel,
    /// The image or version of a bundle, if it is different in NEW
    ChangedBundle,
}

impl Denied {
    fn covers(self, kind: LossKind) -> bool {
        self == Self::All
            || self
                .to_possible_value()
                .is_some_and(|value| value.get_name() == kind.name())
    }
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Form {
    /// Human-readable text
    #[default]
    Text,
    /// JSON, with stable field names
    Json,
    /// YAML, with the same fields
    Yaml,
    /// Markdown lists for a pull request
    Markdown,
}

/// The differences, and the losses that --deny denies.
#[derive(Debug, Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    found: &'a Difference,
    #[serde(skip_serializing_if = "Option::is_none")]
    denied: Option<&'a [Loss]>,
}

pub(crate) fn run(arguments: &DiffArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let limits = arguments.limits.index(&arguments.registry);
    let open = |name: &str| sources::open_catalog(name, &arguments.registry, limits, context);
    let (old, new) = (open(&arguments.old)?, open(&arguments.new)?);
    let mut of_both = (details(&old)?, details(&new)?);
    let (mut old, new) = (old.catalog()?.into_owned(), new.catalog()?);
    if arguments.fragment {
        old = counterpart(&old, &new);
        let in_fragment = &of_both.1;
        of_both
            .0
            .retain(|detail, _| !detail.package.is_empty() || in_fragment.contains_key(detail));
    }
    let mut found = difference(&old, &new);
    found.details = difference_of::details((&old, &new), &of_both.0, &of_both.1);
    let denied = denied(arguments, (&old, &new));
    let document = Document {
        found: &found,
        denied: denied.as_deref(),
    };
    match arguments.output {
        Form::Text => {
            if found.is_empty() {
                printer.status("no differences found; manifests, and fields that OLM does not use, are not compared");
            }
            for line in index_difference::lines(&found) {
                printer.line(line)?;
            }
        }
        Form::Json => printer.document(Format::Json, &document)?,
        Form::Yaml => printer.document(Format::Yaml, &document)?,
        Form::Markdown => printer.lines(&index_difference::markdown(&found))?,
    }
    let denied = denied.unwrap_or_default();
    for loss in &denied {
        printer.error(format_args!("{}: {loss}", loss.kind.name()));
    }
    Ok(Status::of_answer(
        denied.is_empty() && (!arguments.exit_code || found.is_empty()),
    ))
}

/// Returns the losses that --deny denies, or `None` if it is not used.
fn denied(arguments: &DiffArguments, (old, new): (&Catalog, &Catalog)) -> Option<Vec<Loss>> {
    let is_denied = |loss: &Loss| arguments.deny.iter().any(|denied| denied.covers(loss.kind));
    (!arguments.deny.is_empty()).then(|| losses(old, new).into_iter().filter(is_denied).collect())
}
