//! `opmx catalog release`: a version into all catalogs of a community repository.

use super::edit;
use crate::cli::alpha::template::refuse_bundles;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::strictness::{self, StrictnessArguments};
use crate::cli::{Context, guesses};
use crate::index::intake::IntakeError;
use crate::index::release::{ReleaseError, ReleaseRequest, release};
use crate::index::render::RenderOptions;
use crate::index::render::bundle::BundleError;
use crate::index::render::sources::SourceOptions;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  The version that the bundle says
  $ opmx catalog release operators/etcd --bundle registry.example.com/etcd-bundle:v0.9.4

  See first what would change
  $ opmx catalog release operators/etcd 0.9.4 --dry-run \\
      --bundle registry.example.com/etcd-bundle:v0.9.4";

/// How many bundles are fetched and read at once.
const PARALLEL: usize = 4;

/// Release a version into all catalogs of a community repository
///
/// The file ci.yaml of the operator says which catalogs are rendered from its templates, and release-config.yaml in the
/// folder of the version which channels it goes into and what it replaces there. Templates are made where they are
/// absent. The catalogs, in catalogs/NAME/PACKAGE beside the folder of all operators, take what their templates then say;
/// from OpenShift 4.17 on with olm.csv.metadata in the place of manifests. Only bundles that a catalog does not have are
/// fetched, each once for all catalogs. All files change or none.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReleaseArguments {
    /// Folder of the operator, such as operators/etcd
    #[arg(value_name = "OPERATOR_DIR")]
    operator: PathBuf,
    /// Folder of the version in it [default: the version of the bundle]
    #[arg(value_name = "VERSION")]
    version: Option<String>,
    /// Bundle of the version, as the templates are to name it
    #[arg(short, long, value_name = "REF")]
    bundle: String,
    /// Replace what is there of the version, and remove from the catalogs what their templates do not have
    #[arg(long)]
    overwrite: bool,
    /// Print what would change as a diff, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Leave out dependencies that are recommended or optional
    ///
    /// An OLM that does not know intents takes each dependency as required.
    #[arg(long)]
    required_only: bool,
    #[command(flatten)]
    strictness: StrictnessArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

pub(crate) fn run(arguments: &ReleaseArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let transports = arguments.registry.transports(context);
    let opening = SourceOptions {
        limits: arguments.limits.source(&arguments.database, &arguments.registry),
        strictness: arguments.strictness.strictness(),
        options: RenderOptions {
            required_only: arguments.required_only,
        },
        published: None,
    };
    let request = ReleaseRequest {
        operator: &arguments.operator,
        version: arguments.version.as_deref(),
        bundle: &arguments.bundle,
        overwrite: arguments.overwrite,
        parallel: PARALLEL,
    };
    let released = match context.runtime.block_on(release(&request, &transports, &opening)) {
        Ok(released) => released,
        Err(error) => return refused(error, context),
    };
    let Some(change) = &released.edited else {
        printer.report(&released.findings);
        printer.error(format_args!(
            "{} cannot be released; nothing was written",
            arguments.operator.display()
        ));
        return Ok(Status::Failure);
    };
    strictness::warn(&released.findings, printer);
    edit::show(change, arguments.dry_run, printer)?;
    if !arguments.dry_run {
        change.write()?;
    }
    if !change.files.is_empty() {
        let catalogs = released.catalogs.join(", ");
        printer.status(format_args!("{} is in {catalogs}", released.bundle));
    }
    edit::written(change, arguments.dry_run, &released.root, printer);
    Ok(Status::Success)
}

fn refused(error: ReleaseError, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    match error {
        ReleaseError::Catalog(error) => edit::refused(*error, printer),
        ReleaseError::Bundles { problems, of } => Ok(refuse_bundles(problems, of, context)),
        ReleaseError::Bundle { reference, source } => {
            if let BundleError::Intake(IntakeError::Findings { diagnostics, .. }) = &*source {
                printer.report(diagnostics);
                printer.error(format_args!("{reference} has errors; nothing was written"));
                return Ok(Status::Failure);
            }
            let error = CommandError::from(*source).context(format!("cannot render {reference}"));
            Err(guesses::with_index_guess(error, &reference))
        }
        error => Err(error.into()),
    }
}
