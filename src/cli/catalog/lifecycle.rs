//! `opmx catalog lifecycle`: setting the maintenance phases and platforms of package versions.

use super::edit::EditArguments;
use crate::catalog::file_based::Schema;
use crate::catalog::file_based::draft::LifecycleChange;
use crate::catalog::file_based::lifecycle::{Date, MinorVersion, Phase, Platform, read_file};
use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::input;
use crate::diagnostic::has_errors;
use clap::Args;
use std::str::FromStr;

const EXAMPLES: &str = "\
Examples:
  Add a version with two phases
  $ opmx catalog lifecycle catalog etcd 0.9 \\
      --phase \"Full support=2026-01-01..2026-12-31\" \\
      --phase Maintenance=2027-01-01..2027-06-30 --platform openshift=4.20,4.21

  Add a new version of OpenShift
  $ opmx catalog lifecycle catalog etcd 0.9 --platform openshift=4.20,4.21,4.22

  Set all versions from a file
  $ opmx catalog lifecycle catalog etcd -f lifecycle.yaml

  Remove the lifecycle of a version
  $ opmx catalog lifecycle catalog etcd 0.8 --remove";

/// Set the maintenance phases and platforms of package versions
///
/// The catalog stores these values in one document of schema io.openshift.operators.lifecycles.v1alpha1 for each
/// package, and the OpenShift console shows them. Phases must follow each other without gaps; they include their first
/// and last days. Values that are not specified are kept.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LifecycleArguments {
    #[command(flatten)]
    edit: EditArguments,
    /// Name of the package
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// Version of the package, as MAJOR.MINOR
    #[arg(value_name = "VERSION", required_unless_present_any = ["file", "remove"])]
    version: Option<MinorVersion>,
    /// Maintenance phase, such as Maintenance=2027-01-01..2027-06-30; repeat for each phase, in order
    #[arg(long = "phase", value_name = "NAME=FIRST..LAST", requires = "version")]
    phases: Vec<PhaseArgument>,
    /// Supported platform with all its supported versions, such as openshift=4.20,4.21
    #[arg(long = "platform", value_name = "NAME=VERSIONS", requires = "version")]
    platforms: Vec<PlatformArgument>,
    /// Set all versions from a lifecycles document, in a file or on standard input (-)
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["version", "phases", "platforms", "remove"])]
    file: Option<String>,
    /// Remove the lifecycle of the version, or of all versions if none is specified
    #[arg(long, conflicts_with_all = ["phases", "platforms"])]
    remove: bool,
}

pub(crate) fn run(arguments: &LifecycleArguments, context: &Context<'_>) -> CommandResult {
    let package = &arguments.package;
    if let Some(file) = &arguments.file {
        return arguments.take_from(file, context);
    }
    if arguments.remove {
        return arguments.edit.run(
            context,
            |editor| editor.change(package, |draft| Ok(draft.remove_lifecycle(arguments.version))),
            |known, report| {
                if !known {
                    let of = arguments.version.map(|version| format!("version {version} of "));
                    let of = of.unwrap_or_default();
                    report.printer.warning(format_args!(
                        "the catalog contains no lifecycle for {of}package {package}"
                    ));
                }
            },
        );
    }
    let Some(version) = arguments.version else {
        return Err(CommandError::usage("no version was specified"));
    };
    let change = LifecycleChange {
        phases: arguments.phases.iter().map(|phase| phase.0.clone()).collect(),
        platforms: arguments.platforms.iter().map(|platform| platform.0.clone()).collect(),
    };
    if change == LifecycleChange::default() {
        return Err(CommandError::usage(
            "there is nothing to set; use --phase, --platform or --remove",
        ));
    }
    arguments.edit.run(
        context,
        |editor| {
            editor.change(package, |draft| {
                draft.set_lifecycle(version, &change)?;
                Ok(draft.may_have_version(version))
            })
        },
        |known, report| {
            if !known {
                report.printer.warning(format_args!(
                    "the catalog contains no bundle of version {version} of package {package}"
                ));
            }
        },
    )
}

impl LifecycleArguments {
    fn take_from(&self, file: &str, context: &Context<'_>) -> CommandResult {
        let (printer, limits) = (&context.printer, self.edit.limits());
        let (name, bytes) = input::read(file, (limits.document_bytes, None), context)?;
        let read = read_file(&name, &bytes, limits);
        printer.report(&read.findings);
        if has_errors(&read.findings) {
            printer.error(format_args!("{name} has errors, so nothing was written"));
            return Ok(Status::Failure);
        }
        let Some((package, versions)) = read.document else {
            let error = CommandError::failure(format!("expected exactly one lifecycles document in {name}"));
            return Err(error.hint(format!(
                "use a document of schema {}, as in a catalog",
                Schema::Lifecycles
            )));
        };
        if package != self.package {
            let error = format!("{name} describes package {package:?}, not {:?}", self.package);
            return Err(CommandError::failure(error));
        }
        self.edit.run(
            context,
            |editor| {
                editor.change(&self.package, |draft| {
                    draft.set_lifecycles(versions);
                    Ok(())
                })
            },
            |(), _| {},
        )
    }
}

#[derive(Debug, Clone)]
struct PhaseArgument(Phase);

impl FromStr for PhaseArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.rsplit_once('=').and_then(|(name, days)| {
            let (start, end) = days.split_once("..")?;
            (!name.is_empty()).then_some((name, start, end))
        });
        let (name, start, end) =
            parts.ok_or("expected NAME=FIRST..LAST, such as Maintenance=2027-01-01..2027-06-30")?;
        let day = |text: &str| text.parse::<Date>().map_err(|error| format!("{text:?}: {error}"));
        if day(end)? <= day(start)? {
            return Err(format!("the last day {end} is not after the first day {start}"));
        }
        Ok(Self(Phase {
            name: name.to_owned(),
            start_date: start.to_owned(),
            end_date: end.to_owned(),
        }))
    }
}

#[derive(Debug, Clone)]
struct PlatformArgument(Platform);

impl FromStr for PlatformArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
        let (name, versions) = parts.ok_or("expected NAME=VERSIONS, such as openshift=4.20,4.21")?;
        let version = |text: &str| match text.parse::<MinorVersion>() {
            Ok(_) => Ok(text.to_owned()),
            Err(error) => Err(format!("{text:?}: {error}")),
        };
        Ok(Self(Platform {
            name: name.to_owned(),
            versions: versions.split(',').map(version).collect::<Result<_, _>>()?,
        }))
    }
}
