//! `opmx catalog release`: releasing a version into all catalogs of a community repository.

use super::edit;
use crate::catalog::file_based::migrate::Level;
use crate::cli::additions::PARALLEL;
use crate::cli::alpha::template::refuse_bundles;
use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::catalog_output::MigrateLevel;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::strictness::{self, StrictnessArguments};
use crate::cli::values::name;
use crate::cli::{Context, guesses};
use crate::index::intake::IntakeError;
use crate::index::release::{ReleaseError, ReleaseRequest, release};
use crate::index::render::RenderOptions;
use crate::index::render::bundle::BundleError;
use crate::index::render::sources::SourceOptions;
use crate::validation::Strictness;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  Release the version of the bundle
  $ opmx catalog release operators/etcd --bundle registry.example.com/etcd-bundle:v0.9.4

  Preview the changes
  $ opmx catalog release operators/etcd 0.9.4 --dry-run \\
      --bundle registry.example.com/etcd-bundle:v0.9.4";

/// Release a version into all catalogs of a community repository
///
/// The file ci.yaml of the operator specifies the catalogs that are rendered from its templates. The file
/// release-config.yaml in the folder of the version specifies the channels of the version, and the bundles that the
/// version replaces in them. Missing templates are created. The catalogs are in catalogs/NAME/PACKAGE, next to the
/// folder that contains all operators, and are updated from their templates. Catalogs for OpenShift 4.17 and later
/// contain olm.csv.metadata instead of manifests. A bundle is fetched only if a catalog does not contain it yet, and
/// only once for all catalogs. Either all files change or none.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReleaseArguments {
    /// Folder of the operator, such as operators/etcd
    #[arg(value_name = "OPERATOR_DIR")]
    operator: PathBuf,
    /// Folder of the version in OPERATOR_DIR [default: the version of the bundle]
    #[arg(value_name = "VERSION")]
    version: Option<String>,
    /// Bundle of the version; this reference is written to the templates
    #[arg(short, long, value_name = "REF", value_parser = name)]
    bundle: String,
    /// Replace existing entries of the version, and remove catalog content that is not in the templates
    #[arg(long)]
    overwrite: bool,
    /// Print the changes as a diff without writing anything
    #[arg(long)]
    dry_run: bool,
    /// Replace old forms of content with newer forms in all catalogs, up to this level [default: depends on the
    /// OpenShift release]
    #[arg(long, value_enum, value_name = "LEVEL")]
    migrate_level: Option<MigrateLevel>,
    /// Omit recommended and optional dependencies
    ///
    /// OLM versions that do not support these dependencies treat them as required.
    #[arg(long)]
    required_only: bool,
    #[command(flatten)]
    sources: ApiSourceArguments,
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
    let limits = arguments.limits.source(&arguments.database, &arguments.registry);
    let outside = arguments.sources.outside(&arguments.registry, &limits, context)?;
    let opening = SourceOptions {
        limits,
        strictness: arguments.strictness.strictness(),
        options: RenderOptions {
            required_only: arguments.required_only,
        },
        outside: outside.map(Arc::new),
        published: None,
    };
    let request = ReleaseRequest {
        operator: &arguments.operator,
        version: arguments.version.as_deref(),
        bundle: &arguments.bundle,
        overwrite: arguments.overwrite,
        level: arguments.migrate_level.map(Level::from),
        parallel: PARALLEL,
    };
    let released = match context.runtime.block_on(release(&request, &transports, &opening)) {
        Ok(released) => released,
        Err(error) => return refused(error, context),
    };
    let Some(change) = &released.edited else {
        printer.report(&released.findings);
        printer.error(format_args!(
            "{} cannot be released, so nothing was written",
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
    edit::written(
        change,
        arguments.dry_run,
        &released.root,
        &Strictness::default(),
        printer,
    );
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
                printer.error(format_args!("{reference} has errors, so nothing was written"));
                return Ok(Status::Failure);
            }
            let error = CommandError::from(*source).context(format!("cannot render {reference}"));
            Err(guesses::with_index_guess(error, &reference))
        }
        error => Err(error.into()),
    }
}
