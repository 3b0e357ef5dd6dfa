//! `opmx serve`: serving an index or a file-based catalog over gRPC.

use crate::catalog::file_based::limits::CatalogLimits;
use crate::cli::Context;
use crate::cli::arguments::{IndexLimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::guesses;
use crate::cli::serving::{self, ServingArguments, Unserved};
use crate::cli::values::filled;
use crate::database::read::Database;
use crate::diagnostic::Diagnostic;
use crate::files::FileError;
use crate::index::location::{CatalogFolder, DatabaseFile, Fetched, IndexLocation};
use crate::rules::Severity;
use crate::server::Served;
use crate::server::file_based::CatalogFiles;
use crate::terminal::log::{self, LogFormat};
use crate::terminal::{Printer, counted};
use clap::Args;
use std::fs;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  Check and serve a file-based catalog
  $ opmx serve catalog

  Serve a database file
  $ opmx serve index.db

  Pull and serve an index image or a catalog image
  $ opmx serve registry.example.com/index:v1 -p 50052

  Serve with metrics for Prometheus, and a machine-readable log
  $ opmx serve catalog --metrics-address :9090 --log-format json

  In the Dockerfile of a catalog, check the catalog, and fail the build if there are errors
  $ opmx serve catalog --cache-dir=/tmp/cache --cache-only";

/// The maximum number of warnings about a catalog that are reported before it is served.
const MOST_WARNINGS: usize = 20;

/// Serve an index or a file-based catalog to OLM, over gRPC
///
/// Starts when everything has been read and validated, and stops on a signal. If a catalog has errors, all errors are
/// shown, and nothing is served; if it has only warnings, the first 20 are shown. The server always returns the content
/// that it read at startup. If a file is modified in place while it is served, the server becomes unhealthy: calls that
/// need data of this file fail with UNAVAILABLE, and all other calls return the old content. The same happens if a file
/// of a catalog is replaced that the limit on open files did not allow to keep open; a warning at the start says so.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    mut_arg("cache_dir", |argument| argument.help("Folder for the cache of image layers").long_help(
        "Folder for the cache of image layers\n\n\
         A folder or a database is served without a cache, as fast as by opm with a cache. Files of opm in this \
             folder are neither read nor changed."
    )),
)]
pub(crate) struct ServeArguments {
    /// Index to serve: the folder or file of a file-based catalog, a database file, or an image of either:
    /// HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG
    #[arg(value_name = "REF|PATH", value_parser = filled())]
    index: String,
    /// Check the index without serving it
    ///
    /// Unlike opm, which writes a cache into the image of a catalog, opmx needs no cache. The folder of --cache-dir is
    /// still created, so that a Dockerfile can copy it.
    #[arg(long)]
    cache_only: bool,
    /// Not needed: the served content is always the content that was read
    #[arg(long, hide = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    cache_enforce_integrity: Option<bool>,
    /// Not supported: opmx has no Go profiles
    #[arg(long, hide = true, value_name = "ADDRESS")]
    pprof_addr: Option<String>,
    /// Not supported: opmx has no Go profiles
    #[arg(long, hide = true)]
    pprof_capture_profiles: bool,
    #[command(flatten)]
    serving: ServingArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: IndexLimitArguments,
}

pub(crate) fn run(arguments: &ServeArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    if arguments.pprof_capture_profiles || arguments.pprof_addr.as_ref().is_some_and(|address| !address.is_empty()) {
        let warning = "opmx has no Go profiles; use --metrics-address to monitor the server";
        serving::warn(warning, &arguments.serving, printer);
    }
    // Unpacked files must be kept until the server has stopped.
    let opened = serving::until_signal(context, || open(arguments, context));
    let (served, _database) = match opened {
        Ok((served, database)) => (Ok(served), database),
        Err(error) => (Err(error), None),
    };
    if !arguments.cache_only {
        return serving::serve(served, &arguments.index, &arguments.serving, context);
    }
    let checked = served
        .map_err(|unserved| unserved.error)
        .and_then(|served| check(&served, arguments, printer));
    serving::logged(checked, &arguments.serving)
}

/// Checks an index instead of serving it.
fn check(served: &Served, arguments: &ServeArguments, printer: &Printer) -> CommandResult {
    serving::warn_if_empty(served, &arguments.index, &arguments.serving, printer)?;
    let findings = served
        .check()
        .map_err(|error| guesses::with_index_guess(error.into(), &arguments.index))?;
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    if errors > 0 {
        let index = &arguments.index;
        let warning = format!(
            "{index} has {}; \"opmx index check\" shows all",
            counted(errors, "error")
        );
        serving::warn(&warning, &arguments.serving, printer);
    }
    if let Some(folder) = &arguments.registry.cache_dir {
        fs::create_dir_all(folder).map_err(|error| FileError::new("create the directory", folder, error))?;
    }
    let remark = format!("{} can be served", arguments.index);
    serving::remark(&remark, &arguments.serving, printer);
    Ok(Status::Success)
}

impl ServeArguments {
    pub(crate) fn serving(&self) -> &ServingArguments {
        &self.serving
    }
}

/// The served index and, if its database was extracted from an image, the extracted file.
type Opened = (Served, Option<DatabaseFile>);

fn open(arguments: &ServeArguments, context: &Context<'_>) -> Result<Opened, Unserved> {
    let location: IndexLocation = arguments.index.parse()?;
    let transports = arguments.registry.transports(context);
    let fetching = location.fetch_any(&transports, arguments.registry.max_image_size.0);
    let guess = |error: CommandError| guesses::with_index_guess(error, &arguments.index);
    match context
        .runtime
        .block_on(fetching)
        .map_err(|error| guess(error.into()))?
    {
        Fetched::Database(file) => {
            let steps = arguments.limits.database.max_database_steps;
            let index = Database::open_within(file.path(), steps).map_err(|error| guess(error.into()))?;
            Ok((index.into(), Some(file)))
        }
        Fetched::Catalog(folder) => Ok((catalog(folder, arguments, context)?.into(), None)),
    }
}

/// The link to the current files in a folder that Kubernetes mounts from a ConfigMap or Secret.
const MOUNTED: &str = "..data";

/// Checks and opens a catalog.
fn catalog(folder: CatalogFolder, arguments: &ServeArguments, context: &Context<'_>) -> Result<CatalogFiles, Unserved> {
    let limits = CatalogLimits {
        open_files: serving::catalog_files(&arguments.serving),
        ..arguments.limits.index(&arguments.registry).catalog
    };
    let (findings, catalog) = CatalogFiles::open_checked(folder, limits)?;
    let log_format = arguments.serving.log_format();
    if let Some(catalog) = catalog {
        warn(&findings, log_format, context);
        if catalog.files() > limits.open_files {
            let warning = format!(
                "the limit on open files is too low to keep all {} files of the catalog open; if one of them is replaced, \
                 the server becomes unhealthy",
                catalog.files()
            );
            serving::warn(&warning, &arguments.serving, &context.printer);
        }
        return Ok(catalog);
    }
    match log_format {
        Some(LogFormat::Json) => log::findings(&findings),
        _ => context.printer.report(&findings),
    }
    let problem = format!("the catalog {} has errors, so it is not served", arguments.index);
    let mut error = CommandError::failure(problem);
    if Path::new(&arguments.index).join(MOUNTED).is_symlink() {
        error = error.hint(format!(
            "{} is mounted from a ConfigMap or Secret and contains every file twice, once through a link; mount each file \
             with subPath",
            arguments.index
        ));
    }
    Err(Unserved { error, findings })
}

/// Reports the first warnings about a catalog that is served in spite of them, and the number of the others.
fn warn(findings: &[Diagnostic], log_format: Option<LogFormat>, context: &Context<'_>) {
    let warnings = findings.iter().filter(|finding| finding.severity == Severity::Warning);
    let more = warnings.clone().count().saturating_sub(MOST_WARNINGS);
    let warnings: Vec<Diagnostic> = warnings.take(MOST_WARNINGS).cloned().collect();
    let rest = format!("{} more; opmx index check shows all", counted(more, "warning"));
    if log_format.is_some() {
        log::findings(&warnings);
        if more > 0 {
            tracing::warn!("{rest}");
        }
    } else {
        context.printer.report(&warnings);
        if more > 0 {
            context.printer.warning(rest);
        }
    }
}
