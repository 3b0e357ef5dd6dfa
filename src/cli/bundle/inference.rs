//! What helps the synthesis from outside the bundle: sample custom resources, and sources of APIs.

use crate::bundle::stamp::{Stamp, stamp};
use crate::bundle::{self, BundleReading, MediaType};
use crate::cli::Context;
use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::CommandError;
use crate::cli::sources::open_index;
use crate::diagnostic;
use crate::files::FileError;
use crate::index::read::Index;
use crate::kubernetes::served::{self, ServedResource, ServedResources};
use crate::manifest::{Layout, Manifests};
use crate::synthesis::resolve::resolve;
use crate::synthesis::samples::examples;
use crate::synthesis::starter::is_kustomization;
use crate::synthesis::synthesize;
use crate::text;
use crate::tree::{Tree, TreeError};
use clap::Args;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What is known outside the bundle.
#[derive(Debug, Args)]
pub(super) struct InferenceArguments {
    /// Folder of sample custom resources, which become the alm-examples
    ///
    /// Each must be of a kind that the bundle provides. They take the place of the examples in metadata/olm.yaml.
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    /// Where kinds are looked up that RBAC rules name; may be given several times
    ///
    /// An index (a database file or an image), a file or folder of CRDs, or what a cluster says of itself: the output
    /// of \"kubectl api-resources\", or of \"kubectl get --raw /apis/GROUP/VERSION\". Indexes are asked first. Of several
    /// versions in one source the most stable and newest is taken; several kinds of one name are an error.
    #[arg(long, value_name = "INDEX|DIR|FILE")]
    api_source: Vec<String>,
}

const SQLITE: &[u8] = b"SQLite format 3\0";

impl InferenceArguments {
    /// Writes into the files of a bundle what the call decides and what these options find out, so that the bundle says
    /// it from then on. `None` where errors were found; they have been reported.
    pub(super) fn apply(
        &self,
        tree: &mut Tree,
        reading: BundleReading,
        mut wanted: Stamp,
        (registry, limits): (&RegistryArguments, &LimitArguments),
        context: &Context<'_>,
    ) -> Result<Option<BundleReading>, CommandError> {
        let Some(bundle) = &reading.bundle else {
            return Ok(Some(reading));
        };
        let asked = self.samples.is_some() || !self.api_source.is_empty();
        if asked && bundle.media_type == MediaType::RegistryV1 {
            let message = format!(
                "{} has a ClusterServiceVersion, so nothing is inferred for it",
                bundle.origin
            );
            return Err(CommandError::failure(message).hint("leave out --samples and --api-source"));
        }
        if asked {
            let synthesis = synthesize(bundle, &reading.diagnostics);
            if let Some(samples) = self.samples(limits, context)? {
                let (list, findings) = examples(&samples.objects, &synthesis.provided);
                context.printer.report(&findings);
                if diagnostic::has_errors(&findings) {
                    context.printer.error("the samples have errors, so they were not used");
                    return Ok(None);
                }
                wanted.examples = Some(list);
            }
            let (resolved, findings) = resolve(&synthesis.unresolved, &self.sources(registry, limits, context)?);
            context.printer.report(&findings);
            if diagnostic::has_errors(&findings) {
                return Ok(None);
            }
            for entry in resolved {
                let hint = entry.hint;
                context.printer.status(format_args!(
                    "{} of group {} are {} {}, says {}",
                    hint.resource, hint.group, hint.kind, hint.version, entry.source
                ));
                wanted.apis.push(hint);
            }
        }
        if wanted == Stamp::default() {
            return Ok(Some(reading));
        }
        let (tree_limits, text_limits) = (limits.tree(), limits.text());
        stamp(tree, bundle, &wanted, (&tree_limits, &text_limits))?;
        Ok(Some(bundle::read(tree, &text_limits)))
    }

    /// The sample custom resources; files of kustomize are passed over.
    pub(super) fn samples(
        &self,
        limits: &LimitArguments,
        context: &Context<'_>,
    ) -> Result<Option<Manifests>, CommandError> {
        let Some(folder) = &self.samples else {
            return Ok(None);
        };
        let mut samples = Manifests::default();
        for (path, content) in Tree::from_directory(folder, &limits.tree())?.iter() {
            if is_manifest(path) && !is_kustomization(path, content) {
                let name = folder.join(path).display().to_string();
                samples.read_file(&name, content, Layout::Nested, &limits.text());
            }
        }
        context.printer.report(&samples.diagnostics);
        if diagnostic::has_errors(&samples.diagnostics) {
            return Err(CommandError::failure(format!(
                "the samples in {} cannot be read",
                folder.display()
            )));
        }
        if samples.objects.is_empty() {
            let message = format!("{} holds no sample in a YAML or JSON file", folder.display());
            return Err(CommandError::failure(message));
        }
        Ok(Some(samples))
    }

    /// What the sources say: the indexes first, then the others, each in the order of the command line.
    pub(super) fn sources(
        &self,
        registry: &RegistryArguments,
        limits: &LimitArguments,
        context: &Context<'_>,
    ) -> Result<ServedResources, CommandError> {
        let mut sources = ServedResources::default();
        let mut others = Vec::new();
        for name in &self.api_source {
            let path = Path::new(name);
            if path.is_dir() {
                others.push((name, Tree::from_directory(path, &limits.tree())?));
            } else if path.is_file() && is_database(path)? {
                sources.add(name, Index::open(path)?.apis()?);
            } else if path.is_file() || name.starts_with(['/', '.']) {
                others.push((name, one_file(path, limits)?));
            } else {
                sources.add(name, open_index(name, registry, context)?.index.apis()?);
            }
        }
        for (name, files) in others {
            let resources = read_files(&files, name, limits, context)?;
            if resources.is_empty() {
                let message = format!("{name} says nothing about the APIs of a cluster");
                return Err(CommandError::failure(message).hint(
                    "a source is an index, CustomResourceDefinitions, or the output of \"kubectl api-resources\" \
                     or \"kubectl get --raw /apis/GROUP/VERSION\"",
                ));
            }
            sources.add(name, resources);
        }
        Ok(sources)
    }
}

fn is_manifest(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end))
}

fn is_database(path: &Path) -> Result<bool, FileError> {
    let fail = |error| FileError::new("read", path, error);
    let mut start = Vec::new();
    let file = File::open(path).map_err(fail)?;
    file.take(SQLITE.len() as u64).read_to_end(&mut start).map_err(fail)?;
    Ok(start == SQLITE)
}

/// A file as a tree of its own, within the limits of a tree.
fn one_file(path: &Path, limits: &LimitArguments) -> Result<Tree, CommandError> {
    let fail = |error| FileError::new("read", path, error);
    let mut content = Vec::new();
    let file = File::open(path).map_err(fail)?;
    let bound = limits.tree().file_bytes + 1;
    file.take(bound).read_to_end(&mut content).map_err(fail)?;
    let mut tree = Tree::new("");
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let inserted: Result<(), TreeError> = tree.insert(&name, content, &limits.tree());
    inserted?;
    Ok(tree)
}

/// The resources that the files of a source name. Documents about something else are passed over.
fn read_files(
    files: &Tree,
    source: &str,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Vec<ServedResource>, CommandError> {
    let single = files.len() == 1;
    let mut resources = Vec::new();
    for (path, content) in files.iter() {
        let table = std::str::from_utf8(content).ok().and_then(served::read_table);
        if let Some(table) = table {
            resources.extend(table);
            continue;
        }
        if !single && !is_manifest(path) {
            continue;
        }
        let name = Path::new(source).join(path);
        let name = if Path::new(source).is_dir() {
            name.as_path()
        } else {
            Path::new(source)
        };
        let reading = text::read(&name.display().to_string(), content, &limits.text());
        if diagnostic::has_errors(&reading.diagnostics) {
            context.printer.report(&reading.diagnostics);
            return Err(CommandError::failure(format!("{} cannot be read", name.display())));
        }
        let documents = reading.documents.iter();
        resources.extend(
            documents
                .filter_map(|document| served::read(document.value()))
                .flatten(),
        );
    }
    Ok(resources)
}
