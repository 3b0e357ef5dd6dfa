//! `opmx index extract`: writing packages of an index, with their dependencies, to a separate index or catalog.

use super::publication::{self, CatalogFormArguments, ServerArguments};
use crate::catalog::file_based::migrate::Level;
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::catalog_output::{self, OutputLanguage};
use crate::cli::containment;
use crate::cli::error::{CommandResult, Status};
use crate::cli::following::{self, FollowArguments};
use crate::cli::values::{self, filled, name, output};
use crate::cli::{Context, additions, guesses};
use crate::database::change::Target;
use crate::database::remove::{Packages, packages};
use crate::image::Reference;
use crate::index::extract::{ExtractOptions, extract};
use crate::index::location::IndexLocation;
use crate::index::open::SourceLimits;
use crate::index::publish::{self, Applied, Destination, PublishOptions};
use crate::index::render::sources::{Form, SourceOptions};
use crate::resolver::closure::Follow;
use crate::terminal::counted;
use crate::validation::Strictness;
use clap::{ArgGroup, Args};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Write a catalog of one package and all its possible dependencies
  $ opmx index extract etcd -f registry.example.com/index:v1 -o catalog

  Push an index image of two packages and their required dependencies
  $ opmx index extract etcd prometheus -f registry.example.com/index:v1 -t registry.example.com/own:v1 \\
      --with-dependencies=required

  Show which packages the result would contain, and why
  $ opmx index extract etcd -f index.db --dry-run";

/// Write packages of an index, with their dependencies, to a separate index
///
/// The result includes all packages of the index that could satisfy a dependency of a bundle, because the cluster
/// decides which one is installed. It also includes the packages that these packages require. Therefore, OLM resolves
/// the packages from the result as it does from the whole index. The reason why each package is included, and
/// unsatisfied dependencies, are printed to standard error.
///
/// The result is an index image, a database file or the folder of a file-based catalog. It appears only when it is
/// complete.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "opmx index extract [OPTIONS] -f <INDEX> -t <REF> <PACKAGE>...
       opmx index extract [OPTIONS] -f <INDEX> -d <FILE> <PACKAGE>...
       opmx index extract [OPTIONS] -f <INDEX> -o <DIR> <PACKAGE>...",
    group = ArgGroup::new("destination").args(["tag", "database", "folder", "dry_run"]).required(true).multiple(true)
)]
pub(crate) struct ExtractArguments {
    /// Packages to extract
    #[arg(value_name = "PACKAGE", value_parser = name, required = true)]
    packages: Vec<String>,
    /// Source index: an image, a database file, or the folder of a file-based catalog
    #[arg(short, long, value_name = "INDEX", value_parser = filled())]
    from_index: String,
    /// Destination of an index image: HOST/NAME:TAG, oci:DIR:TAG or oci-archive:FILE:TAG
    #[arg(
        short,
        long,
        value_name = "REF",
        value_parser = values::destination,
        conflicts_with_all = ["database", "folder"]
    )]
    tag: Option<Reference>,
    /// Write a database file, which must not exist yet
    #[arg(short, long, value_name = "FILE", conflicts_with = "folder", value_parser = output())]
    database: Option<PathBuf>,
    /// Write a file-based catalog into this folder, which must be absent or empty
    #[arg(short = 'o', long, value_name = "DIR", value_parser = output())]
    folder: Option<PathBuf>,
    /// Language of the file-based catalog
    #[arg(long, value_enum, value_name = "LANGUAGE", default_value_t, conflicts_with_all = ["tag", "database"])]
    language: OutputLanguage,
    #[command(flatten)]
    follow: FollowArguments,
    /// Write only the named packages, without their dependencies
    #[arg(long, conflicts_with_all = ["with_dependencies", "without_recommended", "with_optional"])]
    no_dependencies: bool,
    #[command(flatten)]
    form: CatalogFormArguments,
    #[command(flatten)]
    server: ServerArguments,
    /// Print the packages of the result without writing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

pub(crate) fn run(arguments: &ExtractArguments, context: &Context<'_>) -> CommandResult {
    let named = arguments.packages.iter().cloned().collect();
    let follow = if arguments.no_dependencies {
        Follow::default()
    } else {
        arguments.follow.or_all()
    };
    if let Some(tag) = &arguments.tag {
        containment::require_image_outside(tag, Path::new(&arguments.from_index))?;
    }
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
    containment::require_outside(folder, Path::new(&arguments.from_index))?;
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
    catalog_output::report_omitted(&extracted.deprecated, printer);
    catalog_output::report_lost_icons(&extracted.lost_icons, printer);
    if extracted.left_out > 0 {
        let left_out = counted(extracted.left_out, "document");
        printer.warning(format_args!("left out {left_out} without a package"));
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
            to: tag.clone(),
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
        mode: None,
        // The extraction is not repeated if another index is published in the meantime.
        redo: false,
    };
    let from: IndexLocation = arguments.from_index.parse()?;
    let change = |target: &Target<'_>, _: Applied| {
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
