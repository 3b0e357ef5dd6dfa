//! `opmx bundle init`: the metadata of a bundle, inferred from the manifests where possible.

use super::annotation_error;
use super::decisions;
use super::from;
use super::inference::{self, InferenceArguments};
use super::wildcards::WildcardArguments;
use crate::bundle::annotations::DEFAULT_CHANNEL;
use crate::bundle::generate::annotations_yaml;
use crate::bundle::{
    ANNOTATIONS_YAML, Annotations, AskedAnnotations, MANIFESTS, METADATA, MediaType, OLM_YAML, existing_annotations,
    is_csv, misplaced_olm_yaml,
};
use crate::cli::Context;
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::name;
use crate::diagnostic;
use crate::files;
use crate::manifest::{self, Layout, Manifests};
use crate::synthesis::samples;
use crate::synthesis::settle::{Expand, Settling, settle};
use crate::synthesis::starter::{Known, Starter, start};
use crate::terminal::Printer;
use crate::terminal::shell::word;
use crate::tree::Tree;
use crate::version::parse_strict;
use clap::Args;
use semver::Version;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Start from manifests that are already in etcd/manifests
  $ opmx bundle init etcd --package etcd --version 0.9.4 --channels alpha,stable

  Copy the manifests from another folder
  $ opmx bundle init etcd --from deploy/

  Read the output of kustomize or helm
  $ kustomize build config/default | opmx bundle init etcd --from -

  Add examples, and look up the kinds of other operators on a cluster
  $ kubectl api-resources > apis.txt
  $ opmx bundle init etcd --samples config/samples --api-source apis.txt";

/// Start a bundle: write the metadata that raw manifests need
///
/// Reads the manifests, and writes metadata/olm.yaml and metadata/annotations.yaml. Values that follow from the
/// manifests are filled in; the others are comments for the author to complete. Existing files are replaced only with
/// --overwrite. Existing annotations stay unchanged unless an option sets another value. To import the next release,
/// use "opmx bundle update".
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArguments {
    /// Folder of the bundle; created if absent
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Copy the manifests from this folder or file, or from standard input (-)
    ///
    /// The manifests become the files of manifests/. Input that kustomize or Helm must render first is an error. If a
    /// kustomization only lists manifests, only the listed manifests are copied. Files without manifests are skipped.
    #[arg(long, value_name = "DIR|FILE|-")]
    from: Option<PathBuf>,
    /// Package that the bundle belongs to [default: the name of the Deployment, or the common prefix of several names,
    /// or the namespace if the name is generic]
    #[arg(short, long, value_name = "NAME")]
    package: Option<String>,
    /// Version of the operator, such as 1.2.3 [default: the tag of the operator's image]
    #[arg(long, value_name = "VERSION", value_parser = parse_strict)]
    version: Option<Version>,
    /// Channels of the bundle, separated by commas [default: those of the existing annotations, or stable]
    #[arg(short, long, alias = "channel", value_name = "NAMES", value_delimiter = ',', value_parser = name)]
    channels: Vec<String>,
    /// Default channel [default: the first channel, if there are several]
    #[arg(short = 'e', long = "default", value_name = "NAME")]
    default_channel: Option<String>,
    /// Exclude this object of the manifests; may be repeated
    #[arg(long, value_name = "KIND/NAME", requires = "from")]
    exclude: Vec<String>,
    /// Overwrite existing files
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
    let (mut tree, manifests) = read(arguments, context)?;
    if !decisions::are_sound(&manifests, context) {
        return Ok(Status::Failure);
    }
    refuse_csv(&manifests, arguments)?;
    let there = match arguments.from {
        Some(_) => metadata(arguments)?,
        None => tree.clone(),
    };
    refuse_misplaced(&there, arguments)?;
    let present = existing_annotations(&there, &arguments.limits.text()).map_err(annotation_error)?;
    let known = known(arguments, present.as_ref(), context)?;
    let before = tree.clone();
    let settling = Settling {
        cut: arguments.from.is_some(),
        expand: Expand::if_asked(arguments.wildcards.expand_wildcards),
        untouched: None,
    };
    let settled = settle(&mut tree, settling, &arguments.limits.bundle())?;
    let differs = |(path, content): &(&str, &[u8])| before.get(path) != Some(*content);
    let changed: BTreeSet<String> = tree.iter().filter(differs).map(|(path, _)| path.to_owned()).collect();
    let known = Known {
        samples: samples::with(known.samples, settled.examples.clone()),
        ..known
    };
    let starter = start(&settled.objects, &known);
    printer.report(&starter.diagnostics);
    if diagnostic::has_errors(&starter.diagnostics) {
        printer.error("the samples have errors, so nothing was written");
        return Ok(Status::Failure);
    }
    let written = files(arguments, &tree, &changed, &starter, present.as_ref())?;
    refuse_overwriting(&written, &changed, arguments)?;
    decisions::settled(&settled, &BTreeSet::new(), context);
    written.write_to(&arguments.folder)?;
    for (path, _) in written.iter() {
        printer.status(format_args!("wrote {shown}/{path}"));
    }
    report(&starter, &shown, printer);
    inference::report(&[], &starter.resolved, context);
    decisions::list(&starter.decisions, &known.sources, &shown, context);
    Ok(Status::Success)
}

/// Reads the manifests of `--from`, or those that are already in the folder.
fn read(arguments: &InitArguments, context: &Context<'_>) -> Result<(Tree, Manifests), CommandError> {
    let shown = arguments.folder.display().to_string();
    let limits = arguments.limits.tree();
    let mut tree = Tree::new(&shown);
    if let Some(from) = &arguments.from {
        let command = format!("opmx bundle init {}", word(&shown));
        let (intake, manifests) = from::read(from, &arguments.exclude, &command, &arguments.limits, context)?;
        for (path, content) in intake.files() {
            tree.insert(path, content.to_vec(), &limits)?;
        }
        return Ok((tree, manifests));
    }
    if arguments.folder.exists() {
        tree = Tree::from_directory(&arguments.folder, &limits)?;
    }
    if tree.below(MANIFESTS).next().is_none() {
        let message = format!("{shown} contains no manifests in its folder {MANIFESTS}/");
        let hint = "import manifests with --from FOLDER, or from standard input with --from -";
        return Err(CommandError::failure(message).hint(hint));
    }
    let manifests = manifest::read(&tree, MANIFESTS, Layout::Nested, &arguments.limits.text());
    Ok((tree, manifests))
}

/// Returns an error if the manifests contain a ClusterServiceVersion.
fn refuse_csv(manifests: &Manifests, arguments: &InitArguments) -> Result<(), CommandError> {
    if let Some(from) = &arguments.from
        && let Some((error, exclusions)) = from::csv_among(manifests)
    {
        return Err(with_routes(error, from, &exclusions));
    }
    let Some(csv) = manifests.objects.iter().find(|object| is_csv(object)) else {
        return Ok(());
    };
    let message = format!(
        "{} contains a ClusterServiceVersion, so this is already a registry+v1 bundle",
        csv.file()
    );
    let manifests = word(&arguments.folder.join(MANIFESTS).display().to_string());
    let hint = format!("generate its annotations with opmx bundle generate -d {manifests} -p PACKAGE -c CHANNELS");
    Err(CommandError::failure(message).hint(hint))
}

/// Returns what is known apart from the manifests: from the options, the existing annotations, and outside the folder.
fn known(
    arguments: &InitArguments,
    present: Option<&Annotations>,
    context: &Context<'_>,
) -> Result<Known, CommandError> {
    let InitArguments { registry, limits, .. } = arguments;
    let outside = arguments
        .inference
        .outside(registry, limits, context)?
        .unwrap_or_default();
    let named = present.map(Annotations::package).filter(|package| !package.is_empty());
    Ok(Known {
        package: arguments.package.clone().or_else(|| named.map(str::to_owned)),
        version: arguments.version.as_ref().map(ToString::to_string),
        samples: outside.samples.unwrap_or_default(),
        sources: outside.sources,
    })
}

/// Returns the files to write: imported and changed manifests, and the metadata. Without `--from`, unchanged manifests
/// are already in place.
fn files(
    arguments: &InitArguments,
    tree: &Tree,
    changed: &BTreeSet<String>,
    starter: &Starter,
    present: Option<&Annotations>,
) -> Result<Tree, CommandError> {
    let limits = arguments.limits.tree();
    if let Some(default) = &arguments.default_channel
        && !arguments.channels.is_empty()
        && !arguments.channels.contains(default)
    {
        return Err(CommandError::usage(format!(
            "the default channel {default} is not among the channels {}",
            arguments.channels.join(", ")
        )));
    }
    let mut written = Tree::new(arguments.folder.display().to_string());
    let is_new = |path: &str| arguments.from.is_some() || changed.contains(path);
    let is_written = |(path, _): &(&str, &[u8])| path.starts_with(MANIFESTS) && is_new(path);
    for (path, content) in tree.iter().filter(is_written) {
        written.insert(path, content.to_vec(), &limits)?;
    }
    written.insert(OLM_YAML, starter.olm_yaml.clone().into_bytes(), &limits)?;
    if let Some(package) = &starter.package {
        let values = annotations(package, present, arguments)?;
        if present.is_none_or(|present| *present.values() != values) {
            written.insert(ANNOTATIONS_YAML, annotations_yaml(&values).into_bytes(), &limits)?;
        }
    }
    Ok(written)
}

/// Reports what was inferred, and what remains to be decided.
fn report(starter: &Starter, shown: &str, printer: &Printer) {
    if let (Some(package), Some(source)) = (&starter.package, &starter.package_source) {
        printer.status(format_args!("package {package}: from {source}"));
    }
    if let Some(found) = &starter.inferred_version {
        printer.status(format_args!("version {}: {}", found.version, found.source));
    }
    if starter.package.is_none() {
        printer
            .warning("the package cannot be inferred from a Deployment, so no annotations were written; use --package");
    }
    printer.status(format_args!(
        "minKubeVersion {}: the first version that serves {}",
        starter.kube_version, starter.kube_version_source
    ));
    for sentence in open_keys(starter, shown) {
        printer.status(format_args!("to decide: {sentence}"));
    }
}

/// Adds the hints about manifests from `from` that contain a ClusterServiceVersion. The manifests of a finished bundle
/// contain no Deployment, so its ClusterServiceVersion cannot be left out.
fn with_routes(error: CommandError, from: &Path, exclusions: &str) -> CommandError {
    let parent = from.parent().filter(|parent| !parent.as_os_str().is_empty());
    let bundle = parent.unwrap_or(Path::new("."));
    if from.is_dir() && bundle.join(ANNOTATIONS_YAML).is_file() {
        return error.hint(from::converting(bundle));
    }
    let from = word(&from.display().to_string());
    error
        .hint(format!(
            "to keep its metadata, convert a finished bundle of the operator: opmx bundle convert BUNDLE OUT --to k8s+v1; \
             then import these manifests: opmx bundle update OUT --from {from} {exclusions}"
        ))
        .hint(format!(
            "to start without its metadata, such as the description and the icon, use {exclusions}"
        ))
}

/// Returns the files that already exist in `metadata/`. Other parts of the folder might be too large to read.
fn metadata(arguments: &InitArguments) -> Result<Tree, CommandError> {
    let limits = arguments.limits.tree();
    let mut there = Tree::new(arguments.folder.display().to_string());
    let folder = arguments.folder.join(METADATA);
    if folder.is_dir() {
        for (path, content) in Tree::from_directory(&folder, &limits)?.iter() {
            there.insert(&format!("{METADATA}/{path}"), content.to_vec(), &limits)?;
        }
    }
    Ok(there)
}

/// Returns the annotations of the bundle. Existing annotations are kept unless an option or the media type requires
/// another value.
fn annotations(
    package: &str,
    present: Option<&Annotations>,
    arguments: &InitArguments,
) -> Result<BTreeMap<String, String>, CommandError> {
    let is_listed = present.is_some_and(|present| present.channels().iter().any(|channel| !channel.trim().is_empty()));
    let channels = match arguments.channels.as_slice() {
        [] if !is_listed => vec!["stable".to_owned()],
        channels => channels.to_vec(),
    };
    let mut asked = AskedAnnotations {
        package: Some(package.to_owned()),
        default_channel: arguments.default_channel.clone(),
        channels,
    };
    let values = asked.over(present, MediaType::K8sV1).map_err(annotation_error)?;
    if values.contains_key(DEFAULT_CHANNEL) || asked.channels.len() < 2 {
        return Ok(values);
    }
    // An index requires a default channel if the bundle has several channels.
    asked.default_channel = asked.channels.first().cloned();
    asked.over(present, MediaType::K8sV1).map_err(annotation_error)
}

/// Returns an error if a file with another name or in another folder is probably meant to be `metadata/olm.yaml`,
/// because the new file would not contain what it says.
fn refuse_misplaced(there: &Tree, arguments: &InitArguments) -> Result<(), CommandError> {
    if arguments.overwrite || there.get(OLM_YAML).is_some() {
        return Ok(());
    }
    let Some(path) = misplaced_olm_yaml(there) else {
        return Ok(());
    };
    let message = format!(
        "{} is not read, because it is not {OLM_YAML}, so nothing was written",
        arguments.folder.join(path).display()
    );
    let hint = format!("move the file to {}", arguments.folder.join(OLM_YAML).display());
    Err(CommandError::failure(message)
        .hint(hint)
        .hint("use --overwrite to write a new file without its content"))
}

/// Returns the decisions that remain about the package and the required keys. If the package is known, the name follows
/// from the version and is not listed separately.
fn open_keys(starter: &Starter, shown: &str) -> Vec<String> {
    let reason = starter
        .unknown_version
        .as_ref()
        .map_or(String::new(), |reason| format!("{reason}; "));
    let why = format!("{reason}set the version in this file, or use --overwrite --version VERSION");
    let derived = starter.package.as_ref().filter(|_| starter.open.contains(&"version"));
    let keys = starter.open.iter().filter(|key| **key != "name" || derived.is_none());
    let sentence = |key: &&'static str| match (*key, derived) {
        ("version", Some(package)) => {
            format!("version, and with it the name {package}.vVERSION, in {shown}/{OLM_YAML}: {why}")
        }
        ("version", None) => format!("version, in {shown}/{OLM_YAML}: {why}"),
        (key, _) => format!("{key}, in {shown}/{OLM_YAML}"),
    };
    let package = starter
        .package
        .iter()
        .zip(&starter.package_fault)
        .map(|(package, fault)| {
            format!("the package, in {shown}/{ANNOTATIONS_YAML}: {package} {fault}; use --overwrite --package NAME")
        });
    let name = starter.name_fault.iter();
    let name = name.map(|(name, fault)| format!("name, in {shown}/{OLM_YAML}: {name} {fault}"));
    package.chain(name).chain(keys.map(sentence)).collect()
}

/// Returns an error if files would be overwritten. Files that already have the new content are ignored, so that a
/// command that was killed after it wrote the files can be repeated. Old manifests that are not imported again also
/// cause an error, because they would become part of the bundle.
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
    // A folder without an `olm.yaml` is not a bundle yet, so the manifests in it may be changed as requested.
    let begins = !folder.join(OLM_YAML).exists();
    let meant = |path: &str| arguments.from.is_none() && begins && changed.contains(path);
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
    let shown = word(&folder.display().to_string());
    let from = arguments.from.as_ref().map(|from| word(&from.display().to_string()));
    let advice = if arguments.wildcards.expand_wildcards {
        let own = || word(&folder.join(MANIFESTS).display().to_string());
        let from = from.unwrap_or_else(own);
        format!("opmx bundle update {shown} --from {from} --expand-wildcards expands the wildcards")
    } else {
        let from = from.unwrap_or_else(|| "FOLDER".to_owned());
        format!("opmx bundle update {shown} --from {from} imports the next release")
    };
    let message = format!("{} already exists, so nothing was written", path.display());
    let mut error = CommandError::failure(message);
    if !begins {
        error = error.hint(format!("{advice} and keeps manual changes in {OLM_YAML}"));
    }
    Err(error.hint("use --overwrite to replace existing files"))
}
