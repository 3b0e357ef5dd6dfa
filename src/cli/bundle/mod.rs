//! `opmx bundle`: creating, checking and building bundles.

mod build;
mod convert;
mod decisions;
mod from;
mod generate;
mod inference;
mod init;
mod inspect;
mod open_apis;
mod output_folder;
mod rules;
mod schema;
mod synthesize;
mod unpack;
mod update;
pub(crate) mod validate;
mod wildcards;

pub(crate) use rules::headings;

use crate::bundle::{AnnotationError, AskedAnnotations, MANIFESTS, METADATA, UnknownAnnotations};
use crate::cli::error::{CommandError, CommandResult};
use crate::cli::lazy::Lazy;
use crate::cli::values::name;
use crate::cli::{Context, containment};
use crate::diagnostic::Diagnostic;
use crate::files;
use crate::tree::{Tree, TreeError, TreeLimits};
use clap::{Args, Subcommand};
use std::path::{Component, Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Build an image from raw manifests
  $ opmx bundle init etcd --from deploy/ --package etcd --version 0.9.4
  $ opmx bundle validate etcd
  $ opmx bundle build etcd -t registry.example.com/etcd-bundle:v0.9.4";

/// Create, inspect and build bundles, one for each operator version
///
/// A bundle is a folder with manifests/ and metadata/. Its manifests are plain Kubernetes objects (media type k8s+v1),
/// or a ClusterServiceVersion and its accompanying objects (registry+v1).
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct BundleArguments {
    #[command(subcommand)]
    command: BundleCommand,
}

#[derive(Debug, Subcommand)]
enum BundleCommand {
    #[command(flatten)]
    Shared(SharedCommand),
    Update(Lazy<update::UpdateArguments>),
    Validate(Lazy<validate::ValidateArguments>),
    Rules(Lazy<rules::RulesArguments>),
}

/// The commands that `opmx bundle` and `opmx alpha bundle` share.
#[derive(Debug, Subcommand)]
pub(crate) enum SharedCommand {
    Init(Lazy<init::InitArguments>),
    Generate(Lazy<generate::GenerateArguments>),
    Synthesize(Lazy<synthesize::SynthesizeArguments>),
    Build(Lazy<build::BuildArguments>),
    Convert(Lazy<convert::ConvertArguments>),
    Inspect(Lazy<inspect::InspectArguments>),
    Unpack(Lazy<unpack::UnpackArguments>),
    Schema(Lazy<schema::SchemaArguments>),
}

pub(crate) fn run(arguments: &BundleArguments, context: &Context<'_>) -> CommandResult {
    match &arguments.command {
        BundleCommand::Shared(command) => run_shared(command, context),
        BundleCommand::Update(arguments) => update::run(arguments, context),
        BundleCommand::Validate(arguments) => validate::run(arguments, context),
        BundleCommand::Rules(arguments) => rules::run(arguments, context),
    }
}

/// Runs a command of `opmx alpha bundle`.
pub(crate) fn run_shared_as_opm(command: &SharedCommand, context: &Context<'_>) -> CommandResult {
    match command {
        SharedCommand::Generate(arguments) => generate::run_as_opm(arguments, context),
        SharedCommand::Unpack(arguments) => unpack::run_as_opm(arguments, context),
        command => run_shared(command, context),
    }
}

fn run_shared(command: &SharedCommand, context: &Context<'_>) -> CommandResult {
    match command {
        SharedCommand::Init(arguments) => init::run(arguments, context),
        SharedCommand::Generate(arguments) => generate::run(arguments, context),
        SharedCommand::Synthesize(arguments) => synthesize::run(arguments, context),
        SharedCommand::Build(arguments) => build::run(arguments, context),
        SharedCommand::Convert(arguments) => convert::run(arguments, context),
        SharedCommand::Inspect(arguments) => inspect::run(arguments, context),
        SharedCommand::Unpack(arguments) => unpack::run(arguments, context),
        SharedCommand::Schema(arguments) => schema::run(arguments, context),
    }
}

/// The folder of a bundle, from the positional argument of opmx or from opm's option `--directory`.
#[derive(Debug, Args)]
struct FolderArguments {
    /// Folder of the bundle, which contains manifests/ and metadata/
    #[arg(value_name = "DIR", required_unless_present = "directory")]
    folder: Option<PathBuf>,
    /// Folder of the manifests, as in opm; metadata/ is next to it
    #[arg(short, long, value_name = "DIR", conflicts_with = "folder")]
    directory: Option<PathBuf>,
}

impl FolderArguments {
    /// Returns the folder that contains the manifests and `metadata/`.
    fn bundle(&self) -> PathBuf {
        match (&self.folder, &self.directory) {
            (Some(folder), _) => folder.clone(),
            // `.` and paths that end with `..` contain no name to remove.
            (None, Some(manifests)) if manifests.file_name().is_none() => {
                let above = manifests.join("..");
                above.components().filter(|part| *part != Component::CurDir).collect()
            }
            (None, Some(manifests)) => match manifests.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
                _ => PathBuf::from("."),
            },
            // clap requires one of the two arguments.
            (None, None) => PathBuf::from("."),
        }
    }

    /// Returns the folder of the manifests, which has any name if it is from `--directory`.
    fn manifests(&self) -> PathBuf {
        match (&self.folder, &self.directory) {
            (None, Some(manifests)) => manifests.clone(),
            _ => self.bundle().join(MANIFESTS),
        }
    }

    /// Reads the files of the bundle. The manifests are in `manifests/`, whatever the name of their folder.
    fn tree(&self, limits: &TreeLimits) -> Result<Tree, TreeError> {
        let (folder, manifests) = (self.bundle(), self.manifests());
        if manifests.ends_with(MANIFESTS) {
            return Tree::from_directory(&folder, limits);
        }
        // An interrupted change is recorded in the folder of the bundle, and its parts are read without that record.
        files::finish_change(&folder)?;
        let mut tree = Tree::new(manifests.display().to_string());
        let metadata = folder.join(METADATA);
        for (name, part) in [(MANIFESTS, &manifests), (METADATA, &metadata)] {
            if name == METADATA && !part.exists() {
                continue;
            }
            for (path, content) in Tree::from_directory(part, limits)?.iter() {
                tree.insert(&format!("{name}/{path}"), content.to_vec(), limits)?;
            }
        }
        Ok(tree)
    }

    /// Makes sure that an output folder is not the folder of the bundle or inside its folders: its files would be
    /// replaced or be read as a part of it.
    fn require_outside(&self, out: &Path) -> Result<(), CommandError> {
        let folder = self.bundle();
        let is_same = matches!((folder.canonicalize(), out.canonicalize()), (Ok(one), Ok(other)) if one == other);
        let is_inside = |part: &Path| containment::is_inside(out, part);
        if !is_same && !is_inside(&self.manifests()) && !is_inside(&folder.join(METADATA)) {
            return Ok(());
        }
        let error = CommandError::usage(format!("{} is a folder of the bundle itself", out.display()));
        Err(error.hint("specify another folder"))
    }

    /// Names the files in findings about [`FolderArguments::tree`] as the user does.
    fn name_files(&self, findings: &mut [Diagnostic]) {
        let (folder, manifests) = (self.bundle(), self.manifests());
        if manifests.ends_with(MANIFESTS) {
            return;
        }
        for finding in findings {
            finding.rename_files(|file| {
                let inside = file.strip_prefix(&manifests).ok()?;
                match inside.strip_prefix(MANIFESTS) {
                    Ok(manifest) => Some(manifests.join(manifest)),
                    Err(_) => Some(folder.join(inside)),
                }
            });
        }
    }
}

/// The options that set the content of `metadata/annotations.yaml`.
#[derive(Debug, Args)]
struct AnnotationArguments {
    /// Package that the bundle belongs to
    #[arg(short, long, value_name = "NAME")]
    package: Option<String>,
    /// Channels of the bundle, separated by commas
    #[arg(short, long, alias = "channel", value_name = "NAMES", value_delimiter = ',', value_parser = name)]
    channels: Vec<String>,
    /// Default channel
    #[arg(short = 'e', long = "default", value_name = "NAME")]
    default_channel: Option<String>,
}

impl AnnotationArguments {
    fn asked(&self) -> AskedAnnotations {
        AskedAnnotations {
            package: self.package.clone(),
            channels: self.channels.clone(),
            // Scripts pass an empty value if there is no default channel.
            default_channel: self.default_channel.clone().filter(|name| !name.is_empty()),
        }
    }
}

/// Converts an error, and adds a hint if the annotations can be set on the command line.
fn annotation_error(error: AnnotationError) -> CommandError {
    match error {
        AnnotationError::Unknown(unknown) => CommandError::usage(error.to_string()).hint(match unknown {
            UnknownAnnotations::Package => "set it with --package",
            UnknownAnnotations::Channels => "set them with --channels",
            UnknownAnnotations::Both => "set them with --package and --channels",
        }),
        error => error.into(),
    }
}
