//! Adding bundles, for `index add` and `registry add`.

use crate::bundle::MediaType;
use crate::bundle::annotations::CHANNELS;
use crate::bundle::location::Location;
use crate::catalog::graph;
use crate::causes::with_causes;
use crate::cli::api_sources::ApiSourceArguments;
use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::strictness::{self, StrictnessArguments};
use crate::cli::values::Item;
use crate::cli::{Context, environment, guesses, input};
use crate::database::add::{Existing, Policy, Report, Stranded};
use crate::database::change;
use crate::diagnostic::Diagnostic;
use crate::image::Reference;
use crate::index::gather::{Added, GatherError, GatherOptions, GatherProblem};
use crate::index::intake::IntakeError;
use crate::synthesis::outside::Outside;
use crate::terminal::{Printer, graph_change};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// The options for adding bundles.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub(crate) struct AdditionArguments {
    /// Add the bundles that are listed in this file, or on standard input (-), one per line
    #[arg(long, value_name = "FILE|-")]
    pub(crate) bundles_from: Option<PathBuf>,
    /// Mode for placing a new bundle in its channels: replaces, semver or semver-skippatch
    ///
    /// With "replaces", the replaces and skips fields of the bundles are used. With "semver", a bundle replaces the
    /// next lower version. With "semver-skippatch", it also skips all lower patch versions; a bundle is refused if only
    /// the bundles that it skips lead to a lower minor version in the channel. Several bundles are added from the
    /// lowest version up, regardless of their order.
    #[arg(
        long,
        value_enum,
        value_name = "MODE",
        default_value_t,
        ignore_case = true,
        hide_possible_values = true
    )]
    mode: Mode,
    /// Action for a bundle that is already in the index: error, or skip if content and image are the same
    #[arg(
        long,
        value_enum,
        value_name = "ACTION",
        default_value_t,
        hide_possible_values = true
    )]
    if_exists: IfExists,
    /// Skip bundles that cannot be fetched or read, unless none can be; exit with status 1 if any was skipped
    #[arg(long)]
    permissive: bool,
    /// Overwrite a bundle of the same name if it is the head of all its channels
    #[arg(long, conflicts_with = "if_exists")]
    overwrite_latest: bool,
    /// Accept bundles with the annotation olm.substitutesFor
    #[arg(long)]
    enable_alpha: bool,
    /// Accept only bundles of these media types (registry+v1, k8s+v1); the clusters that use the index must support
    /// them
    #[arg(long, value_name = "TYPES", value_delimiter = ',', value_parser = Item(MediaType::from_str))]
    allow_media_types: Vec<MediaType>,
    /// Store a reference to a k8s+v1 bundle instead of its content, for versions of OLM that support this media type
    #[arg(long)]
    pub(crate) by_reference: bool,
    /// Reference under which the bundle will be published, to store in the index; only for a single bundle
    #[arg(long, value_name = "REF")]
    pub(crate) record_as: Option<String>,
    #[command(flatten)]
    pub(crate) sources: ApiSourceArguments,
    #[command(flatten)]
    pub(crate) strictness: StrictnessArguments,
}

/// The mode for building the update graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    #[default]
    Replaces,
    Semver,
    SemverSkippatch,
}

/// The action for a bundle that is already in the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum IfExists {
    #[default]
    Error,
    Skip,
}

impl From<Mode> for graph::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Replaces => Self::Replaces,
            Mode::Semver => Self::Semver,
            Mode::SemverSkippatch => Self::SemverSkipPatch,
        }
    }
}

impl AdditionArguments {
    /// Returns all bundles to add, from the command line and from the list. Empty lines and lines that begin with `#`
    /// are skipped.
    pub(crate) fn bundles(&self, named: &[String], context: &Context<'_>) -> Result<Vec<String>, CommandError> {
        let mut bundles = named.to_vec();
        if let Some(list) = &self.bundles_from {
            let (_, lines) = input::text(list, context)?;
            let lines = lines.lines().map(str::trim);
            bundles.extend(
                lines
                    .filter(|line| !line.is_empty() && !line.starts_with('#'))
                    .map(str::to_owned),
            );
        }
        // As in opm, a bundle that is listed twice counts once.
        let mut seen = BTreeSet::new();
        bundles.retain(|bundle| !bundle.is_empty() && seen.insert(bundle.clone()));
        if bundles.is_empty() {
            return Err(CommandError::usage("no bundle was specified")
                .hint("specify bundles with -b, or a list of bundles with --bundles-from"));
        }
        if self.record_as.is_some() && bundles.len() > 1 {
            return Err(CommandError::usage(
                "--record-as sets the reference of a single bundle, but several were specified",
            ));
        }
        Ok(bundles)
    }
}

/// Returns the reference from `--record-as` in the form that an index stores. Returns an error if clusters cannot pull
/// it.
fn published_reference(text: &str) -> Result<String, CommandError> {
    match text.parse() {
        Ok(Reference::Registry(reference)) => Ok(reference.as_written().to_owned()),
        Ok(_) => Err(CommandError::usage(format!(
            "--record-as {text}: clusters pull images only from registries"
        ))),
        Err(error) => Err(CommandError::usage(format!("--record-as: {}", with_causes(&error)))),
    }
}

impl AdditionArguments {
    /// Returns the locations of the bundles, and the options for adding them.
    pub(crate) fn call(
        &self,
        named: &[String],
        limits: &LimitArguments,
        outside: Option<Outside>,
        context: &Context<'_>,
    ) -> Result<(Vec<Location>, GatherOptions), CommandError> {
        let bundles = self.bundles(named, context)?;
        let locations = bundles.iter().map(|bundle| guesses::location(bundle));
        let options = GatherOptions {
            policy: Policy {
                mode: self.mode.into(),
                existing: match self.if_exists {
                    _ if self.overwrite_latest => Existing::Overwrite,
                    IfExists::Skip => Existing::Skip,
                    IfExists::Error => Existing::Refuse,
                },
                substitutes: self.enable_alpha,
                refuse_losses: self.strictness.refuses_warnings(),
            },
            permissive: self.permissive,
            media_types: self.allow_media_types.clone(),
            record_as: self.record_as.as_deref().map(published_reference).transpose()?,
            by_reference: self.by_reference,
            outside: outside.map(Arc::new),
            limits: limits.bundle(),
            strictness: self.strictness.strictness(),
            parallel: PARALLEL,
        };
        Ok((locations.collect::<Result<_, CommandError>>()?, options))
    }
}

/// Returns the options for writing a database.
pub(crate) fn writing(limits: &DatabaseLimitArguments) -> Result<change::ChangeOptions, CommandError> {
    Ok(change::ChangeOptions {
        epoch: environment::epoch()?.cast_signed(),
        steps: limits.max_database_steps,
        ..change::ChangeOptions::default()
    })
}

/// Reports why no bundles were added.
pub(crate) fn refused(error: GatherError, context: &Context<'_>) -> CommandResult {
    match error {
        GatherError::Bundles { problems, of } => Ok(refuse(problems, of, context)),
        error => Err(error.into()),
    }
}

/// The number of bundles that are fetched and read at once.
pub(crate) const PARALLEL: usize = 4;

fn refuse(problems: Vec<(Location, GatherProblem)>, of: usize, context: &Context<'_>) -> Status {
    let count = problems.len();
    let status = left_out(problems, context);
    context.printer.error(if of == 1 {
        "the bundle was not added".to_owned()
    } else {
        format!("{count} of {of} bundles cannot be added, so no bundle was added")
    });
    status
}

/// Reports, for each bundle in `problems`, why it cannot be added.
fn left_out(problems: Vec<(Location, GatherProblem)>, context: &Context<'_>) -> Status {
    let printer = &context.printer;
    let statuses = problems.into_iter().map(|(location, problem)| {
        match problem {
            GatherProblem::Intake(IntakeError::Findings { diagnostics, .. }) => {
                // A tolerated fault, which is only a warning, can be the cause of an error.
                let why = |finding: &Diagnostic| finding.is_error() || finding.rule.consequence().is_some();
                let why: Vec<Diagnostic> = diagnostics.into_iter().filter(why).collect();
                printer.report(&why);
                printer.error(format_args!("{location} has errors"));
                Status::Failure
            }
            problem => {
                let error = CommandError::from(problem).context(format!("{location} cannot be added"));
                let error = guesses::with_guess(error, &location);
                error.print(printer);
                error.status()
            }
        }
    });
    Status::of_failures(statuses.collect::<Vec<_>>())
}

/// Prints the changes that would be made, as the result of a dry run.
pub(crate) fn tried(added: Added, context: &Context<'_>) -> CommandResult {
    for line in graph_change::lines(&added.report) {
        context.printer.line(line)?;
    }
    warn_of_stranded(&added.report, &context.printer);
    Ok(failed(added.problems, context))
}

/// Reports the changes as status lines. Returns a failure if bundles were omitted.
pub(crate) fn report(added: Added, context: &Context<'_>) -> Status {
    let printer = &context.printer;
    let Added {
        report,
        remarks,
        problems,
    } = added;
    strictness::warn(&remarks, printer);
    for name in &report.skipped {
        printer.status(format_args!("{name} is already in the index"));
    }
    for name in &report.overwritten {
        printer.status(format_args!("overwrote the existing bundle {name}"));
    }
    for bundle in &report.bundles {
        let channels = bundle.channels.join(", ");
        printer.status(format_args!(
            "added {} to package {} ({channels})",
            bundle.name, bundle.package
        ));
    }
    for lost in report.lost() {
        printer.warning(&lost);
        if let Some(bundle) = &lost.withdrawn {
            printer.warning_hint(format_args!(
                "to avoid this, list channel {0} in the annotation {CHANNELS} of {bundle}; if {bundle} was promoted to \
                 {0}, promote it again",
                lost.channel
            ));
        } else if let Some((before, after)) = &lost.heads {
            printer.warning_hint(format_args!(
                "to avoid this, make {after} replace or skip {before}, or order the channel by version with \
                 --mode semver"
            ));
        }
    }
    warn_of_stranded(&report, printer);
    failed(problems, context)
}

/// Warns of the stranded bundles that `index check` will report.
fn warn_of_stranded(report: &Report, printer: &Printer) {
    let findings: Vec<_> = report.stranded.iter().map(Stranded::finding).collect();
    strictness::warn(&findings, printer);
}

fn failed(problems: Vec<(Location, GatherProblem)>, context: &Context<'_>) -> Status {
    if problems.is_empty() {
        return Status::Success;
    }
    let left_out = match problems.len() {
        1 => "1 bundle was omitted".to_owned(),
        count => format!("{count} bundles were omitted"),
    };
    self::left_out(problems, context);
    context.printer.error(left_out);
    Status::Failure
}
