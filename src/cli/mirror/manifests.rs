//! `opmx mirror manifests`: the cluster configuration for mirrored images.

use super::left_out::LeftOut;
use super::naming::{NamingArguments, warn_of_other_names};
use super::plan::pair;
use crate::cli::Context;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::{Item, output};
use crate::files::{FileError, FolderOutput, place};
use crate::mirror::manifests::{ManifestKind, ManifestOptions, Manifests, NAME, Scope, manifests};
use crate::mirror::placed::placed;
use crate::mirror::plan::Plan;
use crate::mirror::target::Target;
use clap::builder::EnumValueParser;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::{fs, io};

const EXAMPLES: &str = "\
Examples:
  $ opmx mirror manifests plan.json -o manifests
  $ kubectl apply -f manifests

  Write the files for a cluster with containerd
  $ opmx mirror manifests plan.json --kind catalogsource,hosts.toml --namespace olm -o manifests";

/// Write the cluster configuration for the mirrored images of a plan
///
/// Mirror rules map the image names in catalogs to the mirror. Each rule applies to a single repository, so that
/// clusters do not search the mirror for other images; --scope merges rules whose destinations stay the same. Catalogs
/// become CatalogSources and ClusterCatalogs, which are named after the repository and tag of the catalog. If the plan
/// was created for a cluster, the objects keep the names, labels, priorities and other settings that they have on the
/// cluster, so that Subscriptions and the selectors of ClusterExtensions still find them. The same plan always gives
/// the same files, even before anything is copied. It is an error if the folder contains other YAML or JSON files, such
/// as those of an earlier plan, because kubectl would also apply them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ManifestsArguments {
    /// Plan written by opmx mirror plan
    plan: PathBuf,
    /// Registry of the mirrored images, with an optional path; if the plan specifies a target, it is the default, and
    /// no other target is accepted
    #[arg(long, value_name = "REGISTRY[/PREFIX]")]
    to: Option<Target>,
    #[command(flatten)]
    naming: NamingArguments,
    /// Folder for the files
    #[arg(short, long, value_name = "DIR", value_parser = output())]
    output: PathBuf,
    /// Kinds of files to write, separated by commas
    #[arg(
        long,
        value_name = "KINDS",
        value_delimiter = ',',
        value_parser = Item(EnumValueParser::<Kind>::new()),
        default_value = "idms,itms,catalogsource,clustercatalog"
    )]
    kind: Vec<Kind>,
    /// Scope of the mirror rules
    #[arg(long, value_enum, value_name = "SCOPE", default_value = "repository")]
    scope: Width,
    /// Never fall back to the source registry
    #[arg(long)]
    never_contact_source: bool,
    /// Name of the mirror sets
    #[arg(long, default_value = NAME)]
    name: String,
    /// Namespace of the CatalogSources [default: that of the cluster, or openshift-marketplace]
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Name of the objects of a catalog; may be repeated
    #[arg(long, value_name = "CATALOG=NAME", value_parser = pair)]
    catalog_name: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// An ImageDigestMirrorSet, for images that are pulled by digest
    Idms,
    /// An ImageTagMirrorSet, for images that are pulled by tag
    Itms,
    /// An ImageContentSourcePolicy, for older releases of OpenShift
    Icsp,
    /// A CatalogSource for each catalog
    #[value(name = "catalogsource")]
    CatalogSource,
    /// A ClusterCatalog for each file-based catalog
    #[value(name = "clustercatalog")]
    ClusterCatalog,
    /// A drop-in file for CRI-O, podman and skopeo
    #[value(name = "registries.conf")]
    RegistriesConf,
    /// A file for each registry, for containerd
    #[value(name = "hosts.toml")]
    HostsToml,
    /// Lines SOURCE=DESTINATION, for copying tools
    #[value(name = "mapping.txt")]
    Mapping,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Width {
    /// One repository
    Repository,
    /// All repositories with the same parent path
    Namespace,
    /// All repositories of the registry
    Registry,
}

impl From<Kind> for ManifestKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Idms => Self::Idms,
            Kind::Itms => Self::Itms,
            Kind::Icsp => Self::Icsp,
            Kind::CatalogSource => Self::CatalogSource,
            Kind::ClusterCatalog => Self::ClusterCatalog,
            Kind::RegistriesConf => Self::RegistriesConf,
            Kind::HostsToml => Self::HostsToml,
            Kind::Mapping => Self::Mapping,
        }
    }
}

pub(super) fn run(arguments: &ManifestsArguments, context: &Context<'_>) -> CommandResult {
    let printer = &context.printer;
    let plan = Plan::read(&arguments.plan)?;
    if plan.to.is_none() && arguments.to.is_none() {
        let error = CommandError::usage("the plan specifies no target");
        return Err(error.hint("specify the registry with --to"));
    }
    let naming = arguments.naming.requested(arguments.to.as_ref(), plan.to.as_deref());
    let plan = placed(plan, naming.as_ref())?;
    warn_of_other_names(&plan, &arguments.plan, printer)?;
    let options = ManifestOptions {
        kinds: arguments.kind.iter().map(|kind| (*kind).into()).collect(),
        scope: match arguments.scope {
            Width::Repository => Scope::Repository,
            Width::Namespace => Scope::Namespace,
            Width::Registry => Scope::Registry,
        },
        never_contact_source: arguments.never_contact_source,
        name: arguments.name.clone(),
        namespace: arguments.namespace.clone(),
        catalog_names: arguments.catalog_name.iter().cloned().collect(),
    };
    let made = manifests(&plan, &options)?;
    let others = other_objects(&arguments.output, &made)?;
    if !others.is_empty() {
        let error = CommandError::failure(format!(
            "{} contains files that this command would not write: {}; nothing was written",
            arguments.output.display(),
            others.join(", ")
        ));
        return Err(error.hint("remove the files, or choose another folder: kubectl applies all files in a folder"));
    }
    for remark in &made.remarks {
        printer.warning(remark);
    }
    if made.files.is_empty() {
        printer.warning(format_args!(
            "nothing was written to {}, because the plan contains nothing for files of these kinds",
            arguments.output.display()
        ));
        LeftOut::of(&plan).warn(&arguments.plan, printer);
        return Ok(Status::Success);
    }
    let output = FolderOutput::new(&arguments.output)?;
    let contents = made
        .files
        .iter()
        .map(|(path, content)| (path.as_str(), content.as_bytes()));
    place(output.path(), contents)?;
    output.commit()?;
    let paths: Vec<&str> = made.files.keys().map(String::as_str).collect();
    printer.status(format_args!(
        "wrote to {}: {}",
        arguments.output.display(),
        paths.join(", ")
    ));
    LeftOut::of(&plan).warn(&arguments.plan, printer);
    Ok(Status::Success)
}

/// Returns the files in a folder that `kubectl apply` would read, except those to be written.
fn other_objects(folder: &Path, made: &Manifests) -> Result<Vec<String>, FileError> {
    let fail = |error| FileError::new("read the directory", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fail(error)),
    };
    let mut others = Vec::new();
    for entry in entries {
        let name = entry.map_err(fail)?.file_name().to_string_lossy().into_owned();
        let is_object = [".yaml", ".yml", ".json"]
            .iter()
            .any(|extension| name.ends_with(extension));
        if is_object && !made.files.contains_key(&name) {
            others.push(name);
        }
    }
    others.sort();
    Ok(others)
}
