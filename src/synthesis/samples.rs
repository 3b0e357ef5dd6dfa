//! Sample custom resources, which become the examples of a `ClusterServiceVersion`.

use crate::bundle::BundleLimits;
use crate::diagnostic::{self, Diagnostic};
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::version::compare_priority;
use crate::manifest::{Layout, Manifests, Object, has_manifest_extension};
use crate::rules;
use crate::text::Path;
use crate::tree::{Tree, TreeError};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path as FilePath, PathBuf};

/// The reason why samples cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SamplesError {
    /// The folder cannot be read, or exceeds a limit.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A file has errors.
    #[error("the samples in {} cannot be read", folder.display())]
    Unreadable {
        /// The folder.
        folder: PathBuf,
        /// The findings.
        diagnostics: Vec<Diagnostic>,
    },
    /// The folder contains no sample.
    #[error("{} contains no sample in a YAML or JSON file", folder.display())]
    Nothing {
        /// The folder.
        folder: PathBuf,
    },
}

/// Reads the samples in a folder, sorted by kind and name, and skips kustomize files.
///
/// # Errors
/// Returns an error if the folder cannot be read, if a file in it has errors, or if it contains no sample.
pub(crate) fn read(folder: &FilePath, limits: &BundleLimits) -> Result<Manifests, SamplesError> {
    let mut samples = Manifests::default();
    for (path, content) in Tree::from_directory(folder, &limits.tree)?.iter() {
        if has_manifest_extension(path) && !is_kustomization(path, content) {
            let name = folder.join(path).display().to_string();
            samples.read_file(&name, content, Layout::Nested, &limits.text);
        }
    }
    let folder = folder.to_owned();
    if diagnostic::has_errors(&samples.diagnostics) {
        let diagnostics = samples.diagnostics;
        return Err(SamplesError::Unreadable { folder, diagnostics });
    }
    if samples.objects.is_empty() {
        return Err(SamplesError::Nothing { folder });
    }
    // The order does not depend on the names of the files.
    samples.objects.sort_by(|left, right| {
        let identity = left.identity().cmp(&right.identity());
        identity.then_with(|| compare_priority(&left.gvk().version, &right.gvk().version))
    });
    Ok(samples)
}

/// Returns the samples in their order, and findings about them. Consoles offer the first example of a kind by default.
/// The bundle must provide the kind of each sample. Duplicates are ignored.
pub(crate) fn examples(samples: &[Object], provided: &BTreeSet<GroupVersionKind>) -> (Vec<Value>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let mut known: HashMap<_, &Object> = HashMap::new();
    let mut kept: Vec<&Object> = Vec::new();
    for sample in samples {
        if let Some(first) = known.get(&(sample.identity(), sample.gvk())) {
            if first.value() != sample.value() {
                let message = format!("{} appears here a second time, with different content", sample.label());
                let finding = Diagnostic::new(&rules::OBJECT_DUPLICATE, message).object(sample.label());
                findings.push(
                    finding
                        .at(sample.name_place())
                        .also(first.name_place(), "it first appears here"),
                );
            }
            continue;
        }
        known.insert((sample.identity(), sample.gvk()), sample);
        if let Some(finding) = not_provided(sample.gvk(), provided) {
            let place = sample.place(&Path::root().key("kind"));
            findings.push(finding.object(sample.label()).at(place));
        }
        kept.push(sample);
    }
    (
        kept.into_iter().map(|sample| sample.value().clone()).collect(),
        findings,
    )
}

/// Adds the custom resources in `others` that are not among the samples.
pub(crate) fn with(mut samples: Vec<Object>, others: Vec<Object>) -> Vec<Object> {
    let new = |other: &Object| !samples.iter().any(|sample| sample.identity() == other.identity());
    let others: Vec<Object> = others.into_iter().filter(new).collect();
    samples.extend(others);
    samples
}

/// Returns a finding about an example whose kind the bundle does not provide.
pub(super) fn not_provided(gvk: &GroupVersionKind, provided: &BTreeSet<GroupVersionKind>) -> Option<Diagnostic> {
    if provided.contains(gvk) {
        return None;
    }
    let message = format!(
        "this example has the kind {} ({}), which the bundle does not provide",
        gvk.kind,
        gvk.api_version()
    );
    let finding = Diagnostic::new(&rules::CSV_EXAMPLE_WITHOUT_PROVIDED_API, message);
    let kinds: Vec<String> = provided
        .iter()
        .map(|known| format!("{} ({})", known.kind, known.api_version()))
        .collect();
    Some(if kinds.is_empty() {
        finding.help("Remove the example, because the bundle provides no kind.")
    } else {
        finding.help(format!("The bundle provides {}.", kinds.join(", ")))
    })
}

/// Whether the file belongs to kustomize and is not a manifest.
pub(crate) fn is_kustomization(path: &str, content: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let by_name = ["kustomization.yaml", "kustomization.yml", "Kustomization"].contains(&name);
    by_name || {
        let text = String::from_utf8_lossy(content);
        text.lines()
            .any(|line| line.starts_with("apiVersion: kustomize.config.k8s.io/"))
    }
}
