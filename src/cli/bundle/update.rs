//! `opmx bundle update`: the next release of an operator, in the folder of the one before.

use super::decisions;
use super::from;
use super::inference::{self, InferenceArguments};
use super::wildcards::WildcardArguments;
use crate::bundle::{MANIFESTS, OLM_YAML, is_csv};
use crate::cli::Context;
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::diagnostic;
use crate::files;
use crate::synthesis::next_release::{Release, ReleaseError, ReleaseOptions, next_release};
use crate::terminal::reports::unified;
use crate::tree::Tree;
use crate::version::parse_strict;
use clap::Args;
use semver::Version;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  The manifests of the next release; the version is the tag of the operator's image
  $ opmx bundle update etcd --from deploy/

  What kustomize renders, with another version; first look at what would change
  $ kustomize build config/default | opmx bundle update etcd --from - --version 0.9.5 --dry-run

  Keep a manifest that was added by hand
  $ opmx bundle update etcd --from deploy/ --keep manifests/monitor.yaml";

/// Update the folder of a bundle to the next release
///
/// Replaces the files in manifests/ with the new manifests. In metadata/olm.yaml it sets name, version and replaces,
/// and updates the values that "opmx bundle init" inferred and that have changed; everything else stays, with its
/// comments. As with init, custom resources of the bundle's own kinds are added to the examples, and tests of a Helm
/// chart are skipped. Prints the changes as a diff, and names the objects that are added and removed. A second run
/// changes nothing.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UpdateArguments {
    /// Folder of the bundle, with manifests/ and metadata/olm.yaml in it
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The manifests of the next release: a folder, a file, or standard input (-)
    ///
    /// What kustomize or Helm must render first is refused; a kustomization that only lists manifests is left out, as
    /// are files that hold none.
    #[arg(long, value_name = "DIR|FILE|-")]
    from: PathBuf,
    /// Version of the operator, such as 1.2.3 [default: the tag of its image]
    #[arg(long, value_name = "VERSION", value_parser = parse_strict)]
    version: Option<Version>,
    /// Name of the bundle that this one replaces [default: the bundle in DIR]
    #[arg(long, value_name = "NAME")]
    replaces: Option<String>,
    /// Keep this manifest although the new ones do not include it; may be given several times
    #[arg(long, value_name = "PATH")]
    keep: Vec<String>,
    /// Print what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    wildcards: WildcardArguments,
    #[command(flatten)]
    inference: InferenceArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
}

pub(crate) fn run(arguments: &UpdateArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let shown = arguments.folder.display().to_string();
    files::finish_change(&arguments.folder)?;
    let folder = Tree::from_directory(&arguments.folder, &arguments.limits.tree())?;
    let command = format!("opmx bundle update {}", from::word(&shown));
    let (intake, manifests) = from::read(&arguments.from, &command, &arguments.limits, context)?;
    if !decisions::are_sound(&manifests, context) {
        return Ok(Status::Failure);
    }
    if let Some(csv) = manifests.objects.iter().find(|object| is_csv(object)) {
        let message = format!("{} holds a ClusterServiceVersion, which is inferred here", csv.file());
        return Err(CommandError::failure(message).hint("leave it out"));
    }
    let outside = arguments
        .inference
        .outside(&arguments.registry, &arguments.limits, context)?
        .unwrap_or_default();
    let options = ReleaseOptions {
        version: arguments.version.as_ref().map(ToString::to_string),
        replaces: arguments.replaces.clone(),
        keep: arguments.keep.iter().map(|path| inside(path, &shown)).collect(),
        expand_wildcards: arguments.wildcards.expand_wildcards,
        outside,
        limits: arguments.limits.bundle(),
    };
    let release = next_release(&folder, &intake, &manifests, &options).map_err(|error| advised(error, context))?;
    inference::report(&release.findings, &release.resolved, context);
    if diagnostic::has_errors(&release.findings) {
        printer.error("nothing was written");
        return Ok(Status::Failure);
    }
    if !arguments.dry_run {
        release.write(&arguments.folder)?;
    }
    let changes = release.files.iter();
    let changes = changes.map(|(path, file)| (path.as_str(), file.before.as_deref(), file.after.as_deref()));
    for line in unified(&shown, changes).lines() {
        printer.line(line)?;
    }
    printer.flush()?;
    tell(&release, arguments, &shown, context);
    let sources = &options.outside.sources;
    decisions::list(&release.decisions, sources, &release.named_before, &shown, context);
    Ok(Status::Success)
}

/// A path as it is inside the bundle: people write it from where they are.
fn inside(path: &str, folder: &str) -> String {
    let folder = format!("{}/", folder.trim_end_matches('/'));
    path.strip_prefix(&folder).unwrap_or(path).to_owned()
}

fn tell(release: &Release, arguments: &UpdateArguments, shown: &str, context: &Context<'_>) {
    let printer = &context.printer;
    decisions::settled(&release.settled, context);
    for object in &release.differing {
        printer.status(format_args!(
            "the example {} in {shown}/{OLM_YAML} stays, although the manifests say otherwise",
            object.label()
        ));
    }
    for object in &release.added {
        printer.status(format_args!("added {object}"));
    }
    for (object, file) in &release.removed {
        printer.status(format_args!("removed {object}, which was in {file}"));
    }
    if let Some(found) = &release.inferred_version {
        printer.status(format_args!("version {}: {}", found.version, found.source));
    }
    for (path, file) in &release.files {
        let done = match (arguments.dry_run, &file.after) {
            (false, Some(_)) => "wrote",
            (false, None) => "removed",
            (true, Some(_)) => "would write",
            (true, None) => "would remove",
        };
        printer.status(format_args!("{done} {shown}/{path}"));
    }
    if release.files.is_empty() {
        printer.status(format_args!("{shown} is up to date: nothing changes"));
    }
}

fn advised(error: ReleaseError, context: &Context<'_>) -> CommandError {
    let error = match error {
        ReleaseError::Tree(error) => return error.into(),
        ReleaseError::Edit(error) => return error.into(),
        error => error,
    };
    let hint = match &error {
        ReleaseError::NoBundle { .. } => {
            "\"opmx bundle init\" begins one; a ClusterServiceVersion is written by hand".to_owned()
        }
        ReleaseError::Unreadable { diagnostics, .. } => {
            context.printer.report(diagnostics);
            return CommandError::failure(error.to_string());
        }
        ReleaseError::NoVersion => "say it with --version".to_owned(),
        ReleaseError::Older { .. } => "say which it is with --version".to_owned(),
        ReleaseError::Name { .. } => format!("write the next name and version into {OLM_YAML}, and use --version"),
        ReleaseError::Examples { .. } => {
            format!("write annotations: {{alm-examples: […]}} as a list in {OLM_YAML}")
        }
        _ => format!("paths begin at the folder of the bundle, as in {MANIFESTS}/extra.yaml"),
    };
    CommandError::failure(error.to_string()).hint(hint)
}
