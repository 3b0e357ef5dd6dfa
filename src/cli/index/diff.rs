//! `opmx index diff`: what differs between two indexes.

use crate::catalog::difference::difference;
use crate::catalog::losses::{LossKind, counterpart, losses};
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandResult, Status};
use crate::cli::{Context, sources};
use crate::terminal::{Format, index_difference};
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  What a new version of an index image brings
  $ opmx index diff registry.example.com/index:v1 registry.example.com/index:v2

  For a pull request
  $ opmx index diff registry.example.com/index:v1 index.db -o markdown

  What is lost on the way to a file-based catalog: nothing
  $ opmx migrate index.db catalog && opmx index diff index.db catalog

  In a script
  $ opmx index diff old.db new.db -q --exit-code

  A fragment against the catalog in production: may it be merged?
  $ opmx index diff registry.example.com/catalog:v1 catalog --fragment \\
      --deny removed-channel,removed-bundle,lost-upgrade";

/// Say what differs between two indexes
///
/// Compared are packages with their default channels, channels with their heads, what bundles replace and skip in them,
/// and of each bundle version, image, skipRange, properties and dependencies. Manifests are not.
///
/// What only NEW holds has a plus, what only OLD holds a minus, what differs a tilde.
///
/// The exit status is 0 even where the indexes differ, unless a flag asks for another.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DiffArguments {
    /// The index before: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file, or a folder with a catalog
    #[arg(value_name = "OLD")]
    old: String,
    /// The index after it, in the same or another form
    #[arg(value_name = "NEW")]
    new: String,
    /// Form of the result
    #[arg(short, long, value_enum, value_name = "FORM", default_value_t)]
    output: Form,
    /// End with exit status 3 where the indexes differ
    #[arg(long)]
    exit_code: bool,
    /// End with exit status 3 where NEW takes something of this kind away from users of OLD, and name each; may be
    /// given several times
    #[arg(long, value_name = "LOSSES", value_delimiter = ',', value_enum)]
    deny: Vec<Denied>,
    /// NEW is a part of OLD that is to replace it: leave out the packages that only OLD holds
    #[arg(long)]
    fragment: bool,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

/// What may not be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Denied {
    /// Everything below
    All,
    /// A package
    RemovedPackage,
    /// A channel of a package that stays
    RemovedChannel,
    /// A bundle of a package that stays
    RemovedBundle,
    /// A bundle of a channel, where both stay
    RemovedEntry,
    /// The update of clusters that run a bundle which a channel has, or had
    LostUpgrade,
    /// The version of the head of a channel
    LowerHead,
    /// The default channel
    ChangedDefaultChannel,
    /// The image or version of a bundle
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
    /// For a person
    #[default]
    Text,
    /// JSON, with stable field names
    Json,
    /// The same fields as YAML
    Yaml,
    /// Lists for a pull request
    Markdown,
}

pub(crate) fn run(arguments: &DiffArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let limits = arguments.limits.index(&arguments.registry);
    let open = |name: &str| sources::open_catalog(name, &arguments.registry, limits, context);
    let (old, new) = (open(&arguments.old)?, open(&arguments.new)?);
    let (mut old, new) = (old.catalog()?.into_owned(), new.catalog()?);
    if arguments.fragment {
        old = counterpart(&old, &new);
    }
    let found = difference(&old, &new);
    match arguments.output {
        Form::Text => {
            if found.is_empty() {
                printer.status("the indexes do not differ");
            }
            for line in index_difference::lines(&found) {
                printer.line(line)?;
            }
        }
        Form::Json => printer.document(Format::Json, &found)?,
        Form::Yaml => printer.document(Format::Yaml, &found)?,
        Form::Markdown => printer.lines(&index_difference::markdown(&found))?,
    }
    let losses = losses(&old, &new);
    let denied = losses
        .iter()
        .filter(|loss| arguments.deny.iter().any(|denied| denied.covers(loss.kind)));
    let mut refused = 0;
    for loss in denied {
        refused += 1;
        printer.error(format_args!("{}: {loss}", loss.kind.name()));
    }
    Ok(Status::of_answer(
        refused == 0 && (!arguments.exit_code || found.is_empty()),
    ))
}
