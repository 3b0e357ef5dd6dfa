//! `opmx bundle update`: importing the next release of an operator into the folder of the previous release.

use super::decisions;
use super::from;
use super::inference::{self, InferenceArguments};
use super::wildcards::WildcardArguments;
use crate::bundle::{MANIFESTS, OLM_YAML};
use crate::cli::Context;
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::diagnostic;
use crate::files;
use crate::synthesis::import::has_csv;
use crate::synthesis::next_release::{Release, ReleaseError, ReleaseOptions, next_release};
use crate::terminal::reports::{are_similar, renamed, unified};
use crate::terminal::shell::word;
use crate::tree::Tree;
use crate::version::parse_strict;
use clap::Args;
use semver::Version;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Import the manifests of the next release; the version is the tag of the operator's image
  $ opmx bundle update etcd --from deploy/

  Import the output of kustomize as version 0.9.5, and only preview the changes
  $ kustomize build config/default | opmx bundle update etcd --from - --version 0.9.5 --dry-run

  Leave out an object that the bundle should not contain
  $ opmx bundle update etcd --from deploy/ --exclude StatefulSet/etcd-metrics

  Keep a manifest that was added manually
  $ opmx bundle update etcd --from deploy/ --keep manifests/monitor.yaml";

/// Update the folder of a bundle to the next release
///
/// Replaces the files in manifests/ with the new manifests. In metadata/olm.yaml, sets name, version and replaces, and
/// updates inferred values that have changed; everything else is kept, including comments. As with "opmx bundle init",
/// custom resources of the bundle's own kinds are added to the examples, and tests of a Helm chart are skipped.
/// Wildcards in RBAC rules are expanded where the previous release lists the bundle's own kinds by name. Resources that
/// only the new manifests use become comments under apis. Prints the changes as a diff, and lists the added and removed
/// objects. A second run changes nothing.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UpdateArguments {
    /// Folder of the bundle, which contains manifests/ and metadata/olm.yaml
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The manifests of the next release: a folder, a file, or standard input (-)
    ///
    /// Input that kustomize or Helm must render first is an error. If a kustomization only lists manifests, only the
    /// listed manifests are imported. Files without manifests are skipped.
    #[arg(long, value_name = "DIR|FILE|-")]
    from: PathBuf,
    /// Version of the operator, such as 1.2.3 [default: the tag of its image]
    #[arg(long, value_name = "VERSION", value_parser = parse_strict)]
    version: Option<Version>,
    /// Name of the bundle that this version replaces [default: the bundle in DIR]
    #[arg(long, value_name = "NAME")]
    replaces: Option<String>,
    /// Keep this manifest although it is not among the new manifests; may be repeated
    #[arg(long, value_name = "PATH")]
    keep: Vec<String>,
    /// Exclude this object of the manifests; may be repeated
    #[arg(long, value_name = "KIND/NAME")]
    exclude: Vec<String>,
    /// Print the changes without writing anything
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
    let command = format!("opmx bundle update {}", word(&shown));
    let (intake, manifests) = from::read(
        &arguments.from,
        &arguments.exclude,
        &command,
        &arguments.limits,
        context,
    )?;
    if !decisions::are_sound(&manifests, context) {
        return Ok(Status::Failure);
    }
    if let Some((error, exclusions)) = from::csv_among(&manifests) {
        let hint = format!("leave it out with {exclusions}; the metadata of the bundle remains in {shown}/{OLM_YAML}");
        return Err(error.hint(hint));
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
    let release = next_release(&folder, &intake, &manifests, &options)
        .map_err(|error| advised(error, arguments, &folder, context))?;
    inference::report(&release.findings, &release.resolved, context);
    if diagnostic::has_errors(&release.findings) {
        printer.error("nothing was written");
        return Ok(Status::Failure);
    }
    if !arguments.dry_run {
        release.write(&arguments.folder)?;
    }
    printer.diff(&difference(&release, &shown))?;
    printer.flush()?;
    report(&release, arguments, &shown, context);
    let sources = &options.outside.sources;
    decisions::list(&release.decisions, sources, &shown, context);
    Ok(Status::Success)
}

/// Returns the changes in unified diff format. A renamed file is compared with its new name.
fn difference(release: &Release, shown: &str) -> String {
    let content = |path: &str| {
        let file = release.files.get(path);
        file.and_then(|file| file.before.as_deref().or(file.after.as_deref()))
            .unwrap_or_default()
    };
    let mut renames = release.renames();
    renames.retain(|(old, new)| are_similar(content(old), content(new)));
    let mut out = String::new();
    for (path, file) in &release.files {
        if renames.iter().any(|(old, _)| old == path) {
            continue;
        }
        out.push_str(&match renames.iter().find(|(_, new)| new == path) {
            Some((old, new)) => renamed(shown, [old, new], [content(old), content(new)]),
            None => unified(shown, [(path.as_str(), file.before.as_deref(), file.after.as_deref())]),
        });
    }
    out
}

/// Returns a path relative to the bundle, without the folder of the bundle at its beginning.
fn inside(path: &str, folder: &str) -> String {
    let folder = format!("{}/", folder.trim_end_matches('/'));
    path.strip_prefix(&folder).unwrap_or(path).to_owned()
}

fn report(release: &Release, arguments: &UpdateArguments, shown: &str, context: &Context<'_>) {
    let printer = &context.printer;
    decisions::settled(&release.settled, &release.named_before, context);
    for object in &release.differing {
        printer.status(format_args!(
            "the example {} in {shown}/{OLM_YAML} is kept, although it differs from the manifests",
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
    if let Some(version) = release.unreplaced.as_ref().filter(|_| !release.files.is_empty()) {
        printer.status(format_args!(
            "{shown}/{OLM_YAML} already has version {version} and no replaces; if this is a new release, specify the \
            previous release with --replaces NAME"
        ));
    }
    let moves = release.moves();
    let renamed = if arguments.dry_run { "would rename" } else { "renamed" };
    for (old, new) in &moves {
        printer.status(format_args!("{renamed} {shown}/{old} to {new}, with the same content"));
    }
    let is_moved = |path: &str| moves.iter().any(|(old, new)| [*old, *new].contains(&path));
    for (path, file) in release.files.iter().filter(|(path, _)| !is_moved(path)) {
        let done = match (arguments.dry_run, &file.after) {
            (false, Some(_)) => "wrote",
            (false, None) => "removed",
            (true, Some(_)) => "would write",
            (true, None) => "would remove",
        };
        printer.status(format_args!("{done} {shown}/{path}"));
    }
    if release.files.is_empty() {
        printer.status(format_args!("{shown} is already up to date"));
    }
}

fn advised(error: ReleaseError, arguments: &UpdateArguments, folder: &Tree, context: &Context<'_>) -> CommandError {
    let error = match error {
        ReleaseError::Tree(error) => return error.into(),
        ReleaseError::Edit(error) => return error.into(),
        error => error,
    };
    let hint = match &error {
        ReleaseError::NoBundle { .. } if has_csv(folder) => from::converting(&arguments.folder),
        ReleaseError::NoBundle { .. } => "create a bundle with \"opmx bundle init\"".to_owned(),
        ReleaseError::Unreadable { diagnostics, .. } => {
            context.printer.report(diagnostics);
            return CommandError::failure(error.to_string());
        }
        ReleaseError::NoVersion(_) => "set it with --version".to_owned(),
        ReleaseError::Lower { .. } => {
            "use a higher version, or use --replaces to specify the bundle that this version replaces".to_owned()
        }
        ReleaseError::Itself { .. } => "specify the previous release with --replaces".to_owned(),
        ReleaseError::Older { .. } => "set another version with --version".to_owned(),
        ReleaseError::Name { name, .. } => format!(
            "set the name and version of the next release in {OLM_YAML}, and specify --version and --replaces {}",
            word(name)
        ),
        ReleaseError::Examples { .. } => {
            format!("change \"annotations: {{alm-examples: […]}}\" to a list in {OLM_YAML}")
        }
        ReleaseError::NotThere { .. } => {
            let hint = format!("use a path relative to the folder of the bundle, such as {MANIFESTS}/extra.yaml");
            return CommandError::missing(error.to_string()).hint(hint);
        }
        ReleaseError::KeptFile { path, .. } => {
            let kept = word(path);
            format!("rename {path} in the folder of the bundle, or omit --keep {kept} to import the new file")
        }
        ReleaseError::KeptObject { object, path, .. } => {
            let (path, object) = (word(path), word(object));
            format!("omit --keep {path} to import the new object, or leave the new object out with --exclude {object}")
        }
        ReleaseError::Tree(_) | ReleaseError::Edit(_) => return CommandError::failure(error.to_string()),
    };
    CommandError::failure(error.to_string()).hint(hint)
}
