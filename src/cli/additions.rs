//! How bundles are added, for `index add` and `registry add`.

use crate::bundle::location::{Location, LocationError};
use crate::cli::Context;
use crate::cli::arguments::LimitArguments;
use crate::cli::error::CommandError;
use crate::diagnostic::Diagnostic;
use crate::files::FileError;
use crate::image::{Reference, Transports};
use crate::index::add::{Additions, Report};
use crate::index::gather::{GatherError, GatherOptions, GatherProblem, gather};
use crate::index::intake::IntakeError;
use crate::rules::Severity;
use clap::{Args, ValueEnum};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// How bundles are added.
#[derive(Debug, Args)]
pub(crate) struct AdditionArguments {
    /// Add the bundles in this file, or on standard input (-), one on each line
    #[arg(long, value_name = "FILE|-")]
    pub(crate) bundles_from: Option<PathBuf>,
    /// How a new bundle takes its place: by the replaces, skips and skipRange that it names
    #[arg(
        long,
        value_enum,
        value_name = "MODE",
        default_value_t,
        ignore_case = true,
        hide_possible_values = true
    )]
    mode: Mode,
    /// Store the reference of a k8s+v1 bundle in place of its content, for an OLM that knows this media type
    #[arg(long)]
    pub(crate) by_reference: bool,
    /// Reference to store for the one bundle that is added, where it will be published
    #[arg(long, value_name = "REF")]
    pub(crate) record_as: Option<String>,
}

/// How the update graph is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// From what each bundle says that it replaces
    #[default]
    Replaces,
}

impl AdditionArguments {
    /// All bundles to add: those named on the command line and those in the list. Empty lines and lines that begin with
    /// `#` are passed over.
    pub(crate) fn bundles(&self, named: &[String]) -> Result<Vec<String>, CommandError> {
        let mut bundles = named.to_vec();
        if let Some(list) = &self.bundles_from {
            let lines = read_list(list)?;
            let lines = lines.lines().map(str::trim);
            bundles.extend(
                lines
                    .filter(|line| !line.is_empty() && !line.starts_with('#'))
                    .map(str::to_owned),
            );
        }
        bundles.retain(|bundle| !bundle.is_empty());
        if bundles.is_empty() {
            return Err(CommandError::usage("there is no bundle to add")
                .hint("name bundles with --bundles, or a list of them with --bundles-from"));
        }
        if self.record_as.is_some() && bundles.len() > 1 {
            return Err(CommandError::usage(
                "--record-as gives one bundle its reference, and there are several",
            ));
        }
        Ok(bundles)
    }
}

/// The reference of `--record-as` as an index stores it. It must be one that a cluster can pull.
fn published_reference(text: &str) -> Result<String, CommandError> {
    match text.parse() {
        Ok(Reference::Registry(reference)) => Ok(reference.as_written().to_owned()),
        Ok(_) => Err(CommandError::usage(format!(
            "--record-as {text}: a cluster pulls images from registries only"
        ))),
        Err(error) => Err(CommandError::usage(format!("--record-as: {error}"))),
    }
}

fn read_list(list: &Path) -> Result<String, FileError> {
    let fail = |error| FileError::new("read", list, error);
    if list == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map_err(fail)?;
        return Ok(text);
    }
    std::fs::read_to_string(list).map_err(fail)
}

/// The bundles of one call, gathered and ready to be written.
pub(crate) struct Gathered {
    pub(crate) additions: Additions,
    pub(crate) remarks: Vec<Diagnostic>,
}

impl AdditionArguments {
    /// Fetches all bundles and says what is wrong with those that cannot be added.
    pub(crate) fn gather(
        &self,
        named: &[String],
        transports: &Transports,
        limits: &LimitArguments,
        folder: &Path,
        context: &Context<'_>,
    ) -> Result<Option<Gathered>, CommandError> {
        let Mode::Replaces = self.mode;
        let bundles = self.bundles(named)?;
        let locations = bundles.iter().map(|bundle| bundle.parse());
        let locations: Vec<Location> = locations.collect::<Result<_, LocationError>>()?;
        let record_as = self.record_as.as_deref().map(published_reference).transpose()?;
        let options = GatherOptions {
            record_as,
            by_reference: self.by_reference,
            tree_limits: limits.tree(),
            text_limits: limits.text(),
            parallel: PARALLEL,
        };
        let mut additions = Additions::new(folder);
        match context
            .runtime
            .block_on(gather(&locations, transports, &options, &mut additions))
        {
            Ok(remarks) => Ok(Some(Gathered { additions, remarks })),
            Err(GatherError::Bundles { problems, of }) => {
                refuse(problems, of, context);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// How many bundles are fetched and read at once.
const PARALLEL: usize = 4;

fn refuse(problems: Vec<(Location, GatherProblem)>, of: usize, context: &Context<'_>) {
    let printer = &context.printer;
    let count = problems.len();
    for (location, problem) in problems {
        match problem {
            GatherProblem::Intake(IntakeError::Findings { diagnostics, .. }) => {
                let errors: Vec<Diagnostic> = diagnostics
                    .iter()
                    .filter(|finding| finding.is_error())
                    .cloned()
                    .collect();
                printer.report(&errors);
                printer.error(format_args!("{location} has errors"));
            }
            problem => {
                let mut error = CommandError::from(problem).context(format!("{location} cannot be added"));
                if let Some(name) = location.registry_reference()
                    && !names_host(name)
                {
                    error = error.hint(format!("there is no folder {name}, so it was taken for an image"));
                }
                error.print(printer);
            }
        }
    }
    let refused = if of == 1 {
        "the bundle was not added".to_owned()
    } else {
        format!("{count} of {of} bundles cannot be added, so none was")
    };
    printer.error(refused);
}

/// Whether a reference says which registry it is about. One that does not is as likely the name of a folder.
fn names_host(reference: &str) -> bool {
    reference
        .split_once('/')
        .is_some_and(|(host, _)| host == "localhost" || host.contains(['.', ':']))
}

/// Says what changed, for a person who watches.
pub(crate) fn report(report: &Report, remarks: &[Diagnostic], context: &Context<'_>) {
    let printer = &context.printer;
    let warnings: Vec<Diagnostic> = remarks
        .iter()
        .filter(|remark| remark.severity == Severity::Warning)
        .cloned()
        .collect();
    printer.report(&warnings);
    for bundle in &report.bundles {
        let channels = bundle.channels.join(", ");
        printer.status(format_args!(
            "added {} to package {} ({channels})",
            bundle.name, bundle.package
        ));
    }
    for package in &report.packages {
        for dropped in &package.dropped {
            printer.warning(format_args!(
                "{} is no longer in channel {} of package {}: nothing replaces or skips it there any more",
                dropped.bundle, dropped.channel, package.package
            ));
        }
    }
}
