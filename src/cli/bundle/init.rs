//! `opmx bundle init`: the metadata of a bundle, as far as the manifests tell it.

use super::decisions;
use super::from;
use super::inference::{self, InferenceArguments};
use super::wildcards::WildcardArguments;
use crate::bundle::ANNOTATIONS_YAML;
use crate::bundle::annotations::standard;
use crate::bundle::generate::annotations_yaml;
use crate::bundle::{MANIFESTS, MediaType, OLM_YAML, is_csv};
use crate::cli::Context;
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::diagnostic;
use crate::files;
use crate::manifest::{self, Layout};
use crate::synthesis::samples;
use crate::synthesis::settle::{Settling, settle};
use crate::synthesis::starter::{Known, start};
use crate::tree::Tree;
use crate::version::parse_strict;
use clap::Args;
use semver::Version;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  From manifests that stand in etcd/manifests already
  $ opmx bundle init etcd --package etcd --version 0.9.4 --channels alpha,stable

  From a folder elsewhere
  $ opmx bundle init etcd --from deploy/

  From what kustomize or helm renders
  $ kustomize build config/default | opmx bundle init etcd --from -

  With examples, and with the kinds of other operators from a cluster
  $ kubectl api-resources > apis.txt
  $ opmx bundle init etcd --samples config/samples --api-source apis.txt";

/// Begin a bundle: write the metadata that raw manifests need
///
/// Looks at the manifests and writes metadata/olm.yaml and metadata/annotations.yaml. What the manifests tell is
/// filled in, the rest stands there as comments, to be decided by a person. Files that are there already stay, unless
/// --overwrite is given; "opmx bundle update" takes in the next release.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArguments {
    /// Folder of the bundle; it is made where it is absent
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Copy the manifests from this folder or file, or from standard input (-)
    ///
    /// They become the files of manifests/. What kustomize or Helm must render first is refused; a kustomization that
    /// only lists manifests is left out, as are files that hold none.
    #[arg(long, value_name = "DIR|FILE|-")]
    from: Option<PathBuf>,
    /// Package that the bundle belongs to
    #[arg(short, long, value_name = "NAME")]
    package: Option<String>,
    /// Version of the operator, such as 1.2.3
    #[arg(long, value_name = "VERSION", value_parser = parse_strict)]
    version: Option<Version>,
    /// Channels that the bundle is offered in, separated by commas
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',')]
    channels: Vec<String>,
    /// Channel that users get who name none; without it, the first of several channels
    #[arg(short = 'e', long = "default", value_name = "NAME")]
    default_channel: Option<String>,
    /// Replace files that are there already
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    wildcards: WildcardArguments,
    #[command(flatten)]
    inference: InferenceArguments,
    #[command(flatten)]
    registry: RegistryArguments,
    #[command(flatten)]
    limits: LimitArguments,
}

pub(crate) fn run(arguments: &InitArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let shown = arguments.folder.display().to_string();
    files::finish_change(&arguments.folder)?;
    let limits = arguments.limits.tree();
    let mut tree = Tree::new(&shown);
    let manifests = if let Some(from) = &arguments.from {
        let command = format!("opmx bundle init {}", from::word(&shown));
        let (intake, manifests) = from::read(from, &command, &arguments.limits, context)?;
        for (path, content) in intake.files() {
            tree.insert(path, content.to_vec(), &limits)?;
        }
        manifests
    } else {
        if arguments.folder.exists() {
            tree = Tree::from_directory(&arguments.folder, &limits)?;
        }
        if tree.below(MANIFESTS).next().is_none() {
            let message = format!("{shown} has no manifests in its folder {MANIFESTS}/");
            let hint = "take them in with --from FOLDER, or from a stream with --from -";
            return Err(CommandError::failure(message).hint(hint));
        }
        manifest::read(&tree, MANIFESTS, Layout::Nested, &arguments.limits.text())
    };
    if !decisions::are_sound(&manifests, context) {
        return Ok(Status::Failure);
    }
    if let Some(csv) = manifests.objects.iter().find(|object| is_csv(object)) {
        let message = format!(
            "{} holds a ClusterServiceVersion, so this is a registry+v1 bundle already",
            csv.file()
        );
        return Err(CommandError::failure(message).hint("write its annotations with opmx bundle generate"));
    }
    let outside = arguments
        .inference
        .outside(&arguments.registry, &arguments.limits, context)?
        .unwrap_or_default();
    let known = Known {
        package: arguments.package.clone(),
        version: arguments.version.as_ref().map(ToString::to_string),
        samples: outside.samples.unwrap_or_default(),
        sources: outside.sources,
    };
    let before = tree.clone();
    let settling = Settling {
        cut: arguments.from.is_some(),
        expand_wildcards: arguments.wildcards.expand_wildcards,
        untouched: None,
    };
    let settled = settle(&mut tree, settling, &arguments.limits.bundle())?;
    let differs = |(path, content): &(&str, &[u8])| before.get(path) != Some(*content);
    let changed: BTreeSet<String> = tree.iter().filter(differs).map(|(path, _)| path.to_owned()).collect();
    decisions::settled(&settled, context);
    let known = Known {
        samples: samples::with(known.samples, settled.examples),
        ..known
    };
    let starter = start(&settled.objects, &known);
    printer.report(&starter.diagnostics);
    if diagnostic::has_errors(&starter.diagnostics) {
        printer.error("the samples have errors, so nothing was written");
        return Ok(Status::Failure);
    }
    let channels = match arguments.channels.as_slice() {
        [] => "stable".to_owned(),
        channels => channels.join(","),
    };
    // An index wants to know the default of several channels.
    let first = arguments.channels.first().filter(|_| arguments.channels.len() > 1);
    let default_channel = arguments.default_channel.as_ref().or(first).map(String::as_str);
    let mut written = Tree::new(&shown);
    // Without another source, the manifests are there already, and only their change was asked for.
    let is_new = |path: &str| arguments.from.is_some() || changed.contains(path);
    for (path, content) in tree
        .iter()
        .filter(|(path, _)| path.starts_with(MANIFESTS) && is_new(path))
    {
        written.insert(path, content.to_vec(), &limits)?;
    }
    written.insert(OLM_YAML, starter.olm_yaml.into_bytes(), &limits)?;
    if let Some(package) = &starter.package {
        let values = standard(MediaType::K8sV1, package, &channels, default_channel);
        written.insert(ANNOTATIONS_YAML, annotations_yaml(&values).into_bytes(), &limits)?;
    }
    refuse_overwriting(&written, &changed, arguments)?;
    written.write_to(&arguments.folder)?;
    for (path, _) in written.iter() {
        printer.status(format_args!("wrote {shown}/{path}"));
    }
    if let Some(found) = &starter.inferred_version {
        printer.status(format_args!("version {}: {}", found.version, found.source));
    }
    if starter.package.is_none() {
        printer
            .warning("no Deployment says what the operator is called, so no annotations were written; use --package");
    }
    printer.status(format_args!(
        "minKubeVersion {}: the first that serves all APIs of the manifests",
        starter.kube_version
    ));
    for key in starter.open {
        let why = if key == "version" {
            ": no tag of an image is one"
        } else {
            ""
        };
        printer.status(format_args!("to decide: {key}, in {shown}/{OLM_YAML}{why}"));
    }
    inference::report(&[], &starter.required, context);
    decisions::list(&starter.decisions, &known.sources, &BTreeSet::new(), &shown, context);
    Ok(Status::Success)
}

/// A file that says already what would be written is none to be overwritten: a command that was killed when it had done
/// its work can be given again. Manifests that are not taken in again would become a part of the bundle.
fn refuse_overwriting(
    written: &Tree,
    changed: &BTreeSet<String>,
    arguments: &InitArguments,
) -> Result<(), CommandError> {
    if arguments.overwrite {
        return Ok(());
    }
    let folder = &arguments.folder;
    let differs = |path: &Path, content: &[u8]| path.exists() && files::require_content(path, content).is_err();
    let meant = |path: &str| arguments.from.is_none() && changed.contains(path);
    let mut other = written
        .iter()
        .filter(|(path, _)| !meant(path))
        .map(|(path, content)| (folder.join(path), content))
        .find(|(path, content)| differs(path, content))
        .map(|(path, _)| path);
    if other.is_none() && arguments.from.is_some() && folder.join(MANIFESTS).is_dir() {
        let there = Tree::from_directory(&folder.join(MANIFESTS), &arguments.limits.tree())?;
        let mut paths = there.iter().map(|(path, _)| format!("{MANIFESTS}/{path}"));
        other = paths
            .find(|path| written.get(path).is_none())
            .map(|path| folder.join(path));
    }
    let Some(path) = other else { return Ok(()) };
    let shown = from::word(&folder.display().to_string());
    let update = match &arguments.from {
        Some(from) => format!(
            "opmx bundle update {shown} --from {}",
            from::word(&from.display().to_string())
        ),
        None => format!("opmx bundle update {shown} --from FOLDER"),
    };
    let message = format!("{} is there already, so nothing was written", path.display());
    Err(CommandError::failure(message)
        .hint(format!(
            "{update} takes in the next release and keeps what a person wrote in {OLM_YAML}"
        ))
        .hint("--overwrite replaces it"))
}
