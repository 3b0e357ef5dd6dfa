//! `opmx index extract`: some packages of an index, with all that they need, as an index or catalog of their own.

use super::publication::{self, CatalogFormArguments, ServerArguments};
use crate::catalog::file_based::migrate::Level;
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::catalog_output::OutputLanguage;
use crate::cli::error::{CommandResult, Status};
use crate::cli::following::{self, FollowArguments};
use crate::cli::{Context, additions, guesses, removals};
use crate::database::change::Target;
use crate::database::remove::{Packages, packages};
use crate::index::extract::{ExtractOptions, extract};
use crate::index::location::IndexLocation;
use crate::index::open::SourceLimits;
use crate::index::publish::{self, Applied, Destination, PublishOptions};
use crate::index::render::sources::{Form, SourceOptions};
use crate::resolver::closure::Follow;
use crate::terminal::counted;
use crate::validation::Strictness;
use clap::Args;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  A catalog of one package and of all that it could need
  $ opmx index extract etcd -f registry.example.com/index:v1 -o catalog

  An index image of two packages and what they require
  $ opmx index extract etcd prometheus -f registry.example.com/index:v1 -t registry.example.com/own:v1 \\
      --with-dependencies=required

  What would be in it, and why
  $ opmx index extract etcd -f index.db --dry-run";

/// Write some packages of an index, and what they need, as an index of their own
///
/// With a package comes every package of the index that could be what one of its bundles depends on, for which one is
/// installed is decided in the cluster; and so on with what these require. So the packages resolve there as they do in
/// the whole index. Why each package is there is said on standard error, and so is what nothing in the index satisfies.
///
/// The result is an index image, a database file or the folder of a file-based catalog. It is complete or not there.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExtractArguments {
    /// The packages
    #[arg(value_name = "PACKAGE", required = true)]
    packages: Vec<String>,
    /// The index: an image, a database file, or the folder of a file-based catalog
    #[arg(short, long, value_name = "INDEX")]
    from_index: String,
    /// Where an index image goes: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(
        short,
        long,
        value_name = "REF",
        required_unless_present_any = ["database", "folder", "dry_run"],
        conflicts_with_all = ["database", "folder"]
    )]
    tag: Option<String>,
    /// Write a database file, which is not there yet
    #[arg(short, long, value_name = "FILE", conflicts_with = "folder")]
    database: Option<PathBuf>,
    /// Write a file-based catalog into this folder, which is not there yet
    #[arg(short = 'o', long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Language of the file-based catalog
    #[arg(long, value_enum, value_name = "LANGUAGE", default_value_t, conflicts_with_all = ["tag", "database"])]
    language: OutputLanguage,
    #[command(flatten)]
    follow: FollowArguments,
    /// Only the packages that are named, and nothing that they need
    #[arg(long, conflicts_with_all = ["with_dependencies", "without_recommended", "with_optional"])]
    no_dependencies: bool,
    #[command(flatten)]
    form: CatalogFormArguments,
    #[command(flatten)]
    server: ServerArguments,
    /// Say what would be there, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

pub(crate) fn run(arguments: &ExtractArguments, context: &Context<'_>) -> CommandResult {
    let named = removals::names(&arguments.packages);
    let follow = if arguments.no_dependencies {
        Follow::default()
    } else {
        arguments.follow.or_all()
    };
    match &arguments.folder {
        Some(folder) => as_catalog(&named, &follow, folder, arguments, context),
        None => as_index(&named, &follow, arguments, context),
    }
}

fn as_catalog(
    named: &BTreeSet<String>,
    follow: &Follow,
    folder: &Path,
    arguments: &ExtractArguments,
    context: &Context<'_>,
) -> CommandResult {
    let printer = &context.printer;
    let options = ExtractOptions {
        packages: named,
        follow,
        folder: Some(folder).filter(|_| !arguments.dry_run),
        form: Form {
            language: arguments.language.into(),
            level: Level::None,
        },
    };
    let opening = SourceOptions {
        limits: SourceLimits {
            index: arguments.limits.index(&arguments.registry),
            ..SourceLimits::default()
        },
        ..SourceOptions::default()
    };
    let transports = arguments.registry.transports(context);
    let extracting = extract(&arguments.from_index, &options, &transports, &opening);
    let extracted = context.runtime.block_on(extracting);
    let extracted = extracted.map_err(|error| guesses::with_index_guess(error.into(), &arguments.from_index))?;
    following::report(&extracted.packages.members, &extracted.packages.unsatisfied, printer);
    if extracted.left_out > 0 {
        let left_out = counted(extracted.left_out, "document");
        printer.warning(format_args!("not kept: {left_out} of no package"));
    }
    if arguments.dry_run {
        printer.status("nothing was written");
    } else {
        printer.status(format_args!("wrote {}", folder.display()));
    }
    Ok(Status::Success)
}

fn as_index(
    named: &BTreeSet<String>,
    follow: &Follow,
    arguments: &ExtractArguments,
    context: &Context<'_>,
) -> CommandResult {
    let printer = &context.printer;
    let destination = match (&arguments.tag, &arguments.database) {
        _ if arguments.dry_run => Destination::Nowhere,
        (Some(tag), _) => Destination::Image {
            to: tag.parse()?,
            server: arguments.server.server()?,
        },
        (None, Some(file)) => Destination::Database(file.clone()),
        (None, None) => Destination::Nowhere,
    };
    let writing = additions::writing(&arguments.limits.database)?;
    let transports = arguments.registry.transports(context);
    let options = PublishOptions {
        transports: &transports,
        limits: arguments.limits.index(&arguments.registry),
        writing: &writing,
        strictness: &Strictness::default(),
        form: arguments.form.get(),
        // What others publish meanwhile is not what is extracted from.
        redo: false,
    };
    let from: IndexLocation = arguments.from_index.parse()?;
    let change = async |target: &Target<'_>, _: Applied| {
        let kept = Packages::AllButNeeded(named, follow);
        Ok(packages(kept, false, target, &writing)?)
    };
    match context
        .runtime
        .block_on(publish::make(Some(&from), &destination, options, change))
    {
        Ok(published) => {
            publication::remark(&published, printer);
            following::report(&published.changed.needed, &published.changed.unsatisfied, printer);
            publication::report(&published.made, printer)?;
            Ok(Status::Success)
        }
        Err(error) => {
            let refused = publication::refused(error, context);
            refused.map_err(|error| guesses::with_index_guess(error, &arguments.from_index))
        }
    }
}
