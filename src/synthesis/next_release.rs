//! Creates the next release of an operator in the folder of the previous release: the new manifests replace the old
//! manifests, and `metadata/olm.yaml` keeps the author's values.

mod examples;
mod images;
mod left;
mod names;
mod stubs;

use super::decisions::Decisions;
use super::import::Intake;
use super::operator::{Found, UnknownVersion};
use super::outside::{Outside, Resolved, learn};
use super::settle::{Expand, Settled, Settling, settle};
use super::starter::{Inferred, RELATED_IMAGES, inferred};
use super::{samples, synthesize};
use crate::bundle::stamp::stamp;
use crate::bundle::{self, Bundle, BundleLimits, EditError, MANIFESTS, MediaType, OLM_YAML};
use crate::diagnostic::{self, Diagnostic};
use crate::files::{self, FileChange, FileError};
use crate::manifest::{Layout, Manifests, Object, has_manifest_extension};
use crate::text::Document;
use crate::tree::{Tree, TreeError};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The caller's decisions about the next release.
#[derive(Debug, Clone, Default)]
pub struct ReleaseOptions {
    /// The version of the release; by default, the version of the manifests.
    pub version: Option<String>,
    /// The bundle that the release replaces; by default, the existing bundle if its version is different.
    pub replaces: Option<String>,
    /// Manifests to keep although they are not among the new manifests, by their paths inside the bundle.
    pub keep: BTreeSet<String>,
    /// Whether to replace wildcards that stand for the bundle's own kinds with the names of these kinds. Wildcards are
    /// always replaced in a role that named these kinds in the previous release.
    pub expand_wildcards: bool,
    /// Information from outside the bundle.
    pub outside: Outside,
    /// The limits for the bundle.
    pub limits: BundleLimits,
}

/// The reason why the next release cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// The folder contains no bundle of plain manifests.
    #[error("{origin} is not a bundle of plain manifests, because it contains no {OLM_YAML}")]
    NoBundle {
        /// The folder.
        origin: String,
    },
    /// The existing bundle cannot be read.
    #[error("the bundle in {origin} has errors, so nothing was written")]
    Unreadable {
        /// The folder.
        origin: String,
        /// The findings.
        diagnostics: Vec<Diagnostic>,
    },
    /// The version is unknown.
    #[error("the version is unknown, because {0}")]
    NoVersion(UnknownVersion),
    /// The manifests have an older version.
    #[error("the manifests have version {new} ({source_of}), which is older than {old} in {OLM_YAML}")]
    Older {
        /// The version of the manifests.
        new: String,
        /// The origin of the version.
        source_of: String,
        /// The version of the bundle.
        old: String,
    },
    /// The specified version is lower than the version of the bundle that the release would replace.
    #[error("version {new} is lower than {old} in {OLM_YAML}, so it cannot replace that version")]
    Lower {
        /// The specified version.
        new: String,
        /// The version of the bundle.
        old: String,
    },
    /// The release would replace itself.
    #[error("the release is {name}, so it cannot replace {name}")]
    Itself {
        /// The name of the release.
        name: String,
    },
    /// The name does not end in the version, so the next name is unknown.
    #[error("the name {name} in {OLM_YAML} does not end in the version {version}, so the next name is unknown")]
    Name {
        /// The name.
        name: String,
        /// The version.
        version: String,
    },
    /// A file that should be kept does not exist.
    #[error("{origin} does not contain {path}, so it cannot be kept")]
    NotThere {
        /// The folder.
        origin: String,
        /// The file.
        path: String,
    },
    /// A file that should be kept has the path of a file with new manifests.
    #[error("{origin}/{path} cannot be kept, because the new manifests contain a file {path}")]
    KeptFile {
        /// The folder.
        origin: String,
        /// The file.
        path: String,
    },
    /// A file that should be kept contains an object of the new manifests.
    #[error("{origin}/{path} cannot be kept, because {object} is also in the new manifests, in {file}")]
    KeptObject {
        /// The folder.
        origin: String,
        /// The kept file, by its path inside the bundle.
        path: String,
        /// The object, as `Kind/name`.
        object: String,
        /// The file of the new manifests.
        file: String,
    },
    /// Examples cannot be added to the existing examples.
    #[error("{object} would become an example, but the examples in {OLM_YAML} are not a list")]
    Examples {
        /// The custom resource, as `Kind/name`.
        object: String,
    },
    /// A changed file exceeds a limit.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// `olm.yaml` cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// The next release, as changes to the folder.
#[derive(Debug)]
#[must_use = "nothing on disk changes before `Release::write`"]
pub struct Release {
    /// The files that change, by their paths inside the bundle.
    pub files: BTreeMap<String, FileChange>,
    /// The objects that are added, as `Kind/name`.
    pub added: Vec<String>,
    /// The objects that are removed, as `Kind/name`, with their files.
    pub removed: Vec<(String, String)>,
    /// The version of the manifests, if the caller specified none.
    pub inferred_version: Option<Found>,
    /// The version, if the existing bundle already has it and the release neither replaces nor skips a bundle.
    pub unreplaced: Option<String>,
    /// The resources in RBAC rules whose kinds were found in a source.
    pub resolved: Vec<Resolved>,
    /// The result of preparing the manifests. Its examples are the examples that are added to `olm.yaml`.
    pub settled: Settled,
    /// The custom resources that differ from an example in `olm.yaml`. The example is kept.
    pub differing: Vec<Object>,
    /// The remaining decisions for a person. Rules of Roles are included only if they allow more than the rules
    /// of the previous release.
    pub decisions: Decisions,
    /// The labels of the rules whose wildcards were expanded because the previous release listed the bundle's own kinds
    /// by name. See [`WildcardRule::label`](super::wildcards::WildcardRule::label).
    pub named_before: BTreeSet<String>,
    /// Problems in the samples, and choices that a person must make. If there are errors, the release cannot be
    /// written.
    pub findings: Vec<Diagnostic>,
}

impl Release {
    /// Returns the removed files that have the same content as a new file, each with the path of the new file.
    pub fn moves(&self) -> Vec<(&str, &str)> {
        let mut new: Vec<(&String, &FileChange)> =
            self.files.iter().filter(|(_, file)| file.before.is_none()).collect();
        let gone = self.files.iter().filter(|(_, file)| file.after.is_none());
        let moves = gone.filter_map(|(old, file)| {
            let at = new.iter().position(|(_, new)| new.after == file.before)?;
            Some((old.as_str(), new.remove(at).0.as_str()))
        });
        moves.collect()
    }

    /// Returns the pairs of a removed and a new file that may be the same file: the moved files, and if only one
    /// removed and one new file remain, these two.
    pub fn renames(&self) -> Vec<(&str, &str)> {
        let mut pairs = self.moves();
        let rest = |is_it: fn(&FileChange) -> bool| {
            let files = self.files.iter().filter(move |(_, file)| is_it(file));
            let paths = files.map(|(path, _)| path.as_str());
            let left = paths.filter(|path| pairs.iter().all(|(old, new)| path != old && path != new));
            left.collect::<Vec<_>>()
        };
        if let ([old], [new]) = (
            &*rest(|file| file.after.is_none()),
            &*rest(|file| file.before.is_none()),
        ) {
            pairs.push((old, new));
        }
        pairs
    }

    /// Writes the changes into the folder: all of them or none. Other files are not touched.
    ///
    /// # Errors
    /// Returns an error if a file was changed by another process, or cannot be written. In both cases, no file is
    /// changed.
    pub fn write(&self, folder: &Path) -> Result<(), FileError> {
        files::write_changes(folder, &self.files)
    }
}

/// Assembles the next release from the folder of a bundle and the new manifests. No file is changed on disk.
///
/// ```
/// use opmx::synthesis::import::Intake;
/// use opmx::synthesis::next_release::{ReleaseOptions, next_release};
/// use opmx::text::Limits;
/// use opmx::tree::{Tree, TreeLimits};
///
/// let folder = Tree::from_directory("testdata/greenhouse-operator".as_ref(), &TreeLimits::default())?;
/// let manifests = "testdata/greenhouse-operator/manifests";
/// let intake = Intake::from_path(manifests.as_ref(), &TreeLimits::default())?;
/// let options = ReleaseOptions { version: Some("2.0.0".to_owned()), ..ReleaseOptions::default() };
/// let release = next_release(&folder, &intake, &intake.manifests(&Limits::default())?, &options)?;
/// assert_eq!(release.files.keys().collect::<Vec<_>>(), ["metadata/olm.yaml"]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the folder contains no valid `k8s+v1` bundle, if the version is unknown or older than that of
/// the bundle, or if a file cannot be changed.
pub fn next_release(
    folder: &Tree,
    intake: &Intake,
    manifests: &Manifests,
    options: &ReleaseOptions,
) -> Result<Release, ReleaseError> {
    let limits = &options.limits;
    let reading = bundle::read(folder, &limits.text);
    let origin = || folder.origin().to_owned();
    if folder.get(OLM_YAML).is_none() {
        return Err(ReleaseError::NoBundle { origin: origin() });
    }
    let is_about_manifests = |finding: &Diagnostic| {
        let place = finding.place.as_ref();
        place.is_some_and(|place| place.source.name().contains(&format!("/{MANIFESTS}/")))
    };
    // Errors in the old manifests do not matter, because these manifests are removed.
    let mut diagnostics = reading.diagnostics;
    diagnostics.retain(|finding| finding.is_error() && !is_about_manifests(finding));
    let Some(before) = reading.bundle.filter(|bundle| bundle.media_type == MediaType::K8sV1) else {
        return Err(if diagnostics.is_empty() {
            ReleaseError::NoBundle { origin: origin() }
        } else {
            let origin = origin();
            ReleaseError::Unreadable { origin, diagnostics }
        });
    };
    if diagnostic::has_errors(&diagnostics) {
        let origin = origin();
        return Err(ReleaseError::Unreadable { origin, diagnostics });
    }
    let mut tree = manifests_of(folder, intake, options)?;
    let mut after = before.clone();
    // Findings about these objects name the original files of the manifests.
    let kept = objects_of(folder, &options.keep, limits);
    require_distinct(folder, &kept, &manifests.objects)?;
    after.objects = manifests.objects.iter().chain(&kept).cloned().collect();
    let learned = learn(&after, &[], &options.outside);
    let mut release = Release {
        files: BTreeMap::new(),
        added: Vec::new(),
        removed: Vec::new(),
        inferred_version: None,
        unreplaced: None,
        resolved: learned.resolved,
        settled: Settled::default(),
        differing: Vec::new(),
        decisions: Decisions::default(),
        named_before: BTreeSet::new(),
        findings: learned.findings,
    };
    if diagnostic::has_errors(&release.findings) {
        return Ok(release);
    }
    let was = synthesize(&before, &[]);
    release.named_before = left::named_before(&synthesize(&after, &[]), &was, &before);
    let settling = Settling {
        cut: true,
        expand: if options.expand_wildcards {
            Expand::All
        } else {
            Expand::Labels(&release.named_before)
        },
        untouched: Some(&options.keep),
    };
    let mut settled = settle(&mut tree, settling, limits)?;
    after.objects.clone_from(&settled.objects);
    let objects = &settled.objects;
    let labels = labels_beyond(objects, &before.objects).into_iter();
    release.added = labels.map(|(label, _)| label).collect();
    release.removed = labels_beyond(&before.objects, objects);
    let mut wanted = names::wanted(&before, objects, options, &mut release)?;
    wanted.apis = release.resolved.iter().map(|resolved| resolved.hint.clone()).collect();
    wanted.refreshed = refreshed(&before, objects);
    if !wanted.refreshed.iter().any(|(key, _)| *key == RELATED_IMAGES) {
        wanted.replaced_images = images::replaced(&before, objects);
    }
    wanted.container_image = images::container_image(&before, objects);
    let is = synthesize(&after, &[]);
    let olm = before.olm.as_ref().map_or(&Value::Null, Document::value);
    if let Some(samples) = &options.outside.samples {
        let all = samples::with(samples.clone(), settled.examples.clone());
        wanted.examples = Some(samples::examples(&all, &is.provided).0);
    } else {
        let merged = examples::merge(olm, &settled.examples, &is.provided, &limits.text)?;
        wanted.examples = merged.examples;
        (settled.examples, release.differing) = (merged.added, merged.differing);
    }
    release.decisions = left::decisions(&is, &after, &Decisions::of(&was, &before.objects), &wanted);
    let mut metadata = Tree::new(folder.origin());
    let old = folder.get(OLM_YAML).unwrap_or_default();
    metadata.insert(OLM_YAML, old.to_vec(), &limits.tree)?;
    stamp(&mut metadata, &after, &wanted, limits)?;
    let stamped = str::from_utf8(metadata.get(OLM_YAML).unwrap_or_default());
    let new = stubs::new(&release.decisions.unresolved, &was.unresolved);
    if let Some(text) = stamped.ok().and_then(|text| stubs::added(text, &new)) {
        metadata.insert(OLM_YAML, text.into_bytes(), &limits.tree)?;
    }
    let new = metadata.get(OLM_YAML).unwrap_or_default();
    release.files = manifests_that_change(folder, &tree);
    note(&mut release.files, OLM_YAML, Some(old), Some(new));
    release.settled = settled;
    Ok(release)
}

/// Returns the keys of `olm.yaml` to update, with their new values. A key is updated if it still has the value inferred
/// from the old manifests, and another value is inferred from the new manifests.
fn refreshed(before: &Bundle, objects: &[Object]) -> Vec<(&'static str, Value)> {
    let Some(olm) = before.olm.as_ref().map(Document::value) else {
        return Vec::new();
    };
    let was = inferred(&before.objects);
    let is = inferred(objects);
    is.iter()
        .filter(|(key, value)| {
            let said = olm.get(*key);
            said.is_some() && said != Some(value) && said == value_of(&was, key)
        })
        .cloned()
        .collect()
}

fn value_of<'v>(list: &'v [Inferred], key: &str) -> Option<&'v Value> {
    list.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
}

fn note(files: &mut BTreeMap<String, FileChange>, path: &str, before: Option<&[u8]>, after: Option<&[u8]>) {
    if before != after {
        let change = FileChange {
            before: before.map(<[u8]>::to_vec),
            after: after.map(<[u8]>::to_vec),
        };
        files.insert(path.to_owned(), change);
    }
}

/// Returns the manifests of the next release with their paths: the new and the kept manifests.
fn manifests_of(folder: &Tree, intake: &Intake, options: &ReleaseOptions) -> Result<Tree, ReleaseError> {
    let mut tree = Tree::new(folder.origin());
    let limits = &options.limits.tree;
    for path in &options.keep {
        let Some(content) = folder.get(path) else {
            let (origin, path) = (folder.origin().to_owned(), path.clone());
            return Err(ReleaseError::NotThere { origin, path });
        };
        tree.insert(path, content.to_vec(), limits)?;
    }
    for (path, content) in intake.files() {
        if options.keep.contains(path) {
            let (origin, path) = (folder.origin().to_owned(), path.to_owned());
            return Err(ReleaseError::KeptFile { origin, path });
        }
        tree.insert(path, content.to_vec(), limits)?;
    }
    Ok(tree)
}

/// Returns the changes that add the new manifests and remove all other manifests. Files other than manifests stay.
fn manifests_that_change(folder: &Tree, new: &Tree) -> BTreeMap<String, FileChange> {
    let mut files = BTreeMap::new();
    for (path, content) in new.iter() {
        note(&mut files, path, folder.get(path), Some(content));
    }
    for (path, content) in folder.below(MANIFESTS) {
        if has_manifest_extension(path) && new.get(path).is_none() {
            note(&mut files, path, Some(content), None);
        }
    }
    files
}

/// Returns the objects in the kept files.
fn objects_of(folder: &Tree, paths: &BTreeSet<String>, limits: &BundleLimits) -> Vec<Object> {
    let mut manifests = Manifests::default();
    for path in paths {
        if let Some(content) = folder.get(path) {
            let name = format!("{}/{path}", folder.origin().trim_end_matches('/'));
            manifests.read_file(&name, content, Layout::Nested, &limits.text);
        }
    }
    manifests.objects
}

/// Fails if a kept object is also among the new objects. An object without a namespace may be in any namespace.
fn require_distinct(folder: &Tree, kept: &[Object], new: &[Object]) -> Result<(), ReleaseError> {
    let identity = |object: &Object| (object.gvk().group.clone(), object.label());
    let mut by_identity: BTreeMap<_, Vec<&Object>> = BTreeMap::new();
    for object in new {
        by_identity.entry(identity(object)).or_default().push(object);
    }
    let origin = folder.origin().trim_end_matches('/');
    for object in kept {
        let same = by_identity.get(&identity(object)).into_iter().flatten().find(|other| {
            let namespaces = object.namespace().zip(other.namespace());
            namespaces.is_none_or(|(here, there)| here == there)
        });
        if let Some(same) = same {
            let file = object.file();
            let path = file.strip_prefix(origin).and_then(|rest| rest.strip_prefix('/'));
            return Err(ReleaseError::KeptObject {
                origin: origin.to_owned(),
                path: path.unwrap_or(file).to_owned(),
                object: object.label(),
                file: same.file().to_owned(),
            });
        }
    }
    Ok(())
}

/// Returns the labels of the objects that are not in `others`, with their files.
fn labels_beyond(objects: &[Object], others: &[Object]) -> Vec<(String, String)> {
    // Namespaces are placeholders, so they are ignored.
    let identity = |object: &Object| (object.gvk().group.clone(), object.label());
    let known: BTreeSet<_> = others.iter().map(identity).collect();
    let mut labels: Vec<(String, String)> = objects
        .iter()
        .filter(|object| !known.contains(&identity(object)))
        .map(|object| (object.label(), object.file().to_owned()))
        .collect();
    labels.sort();
    labels.dedup();
    labels
}

#[cfg(test)]
mod tests;
