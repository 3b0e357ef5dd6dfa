//! Imports manifests into a bundle: from a folder, a file, or a stream of documents.

use super::kustomization::{self, Kustomization};
use super::samples::is_kustomization;
use crate::bundle::cut::{can_be_cut, cut};
use crate::bundle::{ANNOTATIONS_YAML, BundleLimits, EditError, MANIFESTS, is_csv};
use crate::files::FileError;
use crate::manifest::{self, Layout, Manifests, Object, has_manifest_extension};
use crate::shape::nearest;
use crate::text::{self, Limits};
use crate::tree::{Tree, TreeError, TreeLimits};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The file of the bundle that contains the manifests from a stream. The name is fixed, so that a later stream replaces
/// the file.
const STREAM_FILE: &str = "manifests.yaml";

/// Manifests, laid out as in a bundle. Findings name the original files.
#[derive(Debug)]
pub struct Intake {
    files: Tree,
    passed_over: Vec<PassedOver>,
    /// The original name of each file, by path.
    sources: BTreeMap<String, String>,
}

/// A file of the folder that is not part of the bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassedOver {
    /// The file is not a manifest.
    NoManifest(String),
    /// The kustomizations of the folder do not list the manifest.
    Unlisted(String),
}

/// The reason why manifests cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntakeError {
    /// The input is a URL.
    #[error("{url} is a URL, but manifests can only be read from a folder, a file or standard input")]
    Url {
        /// The URL.
        url: String,
    },
    /// The manifests depend on kustomize.
    #[error("{} must be rendered by kustomize, because its {file} does more than list manifests", folder.display())]
    Kustomization {
        /// The folder to render.
        folder: PathBuf,
        /// The file in the folder.
        file: String,
    },
    /// The file is itself a kustomization.
    #[error("{} is a kustomization, which must be rendered by kustomize first", file.display())]
    KustomizationFile {
        /// The file.
        file: PathBuf,
    },
    /// A kustomization lists a file that does not exist.
    #[error("{} lists {entry}, which does not exist", file.display())]
    Absent {
        /// The kustomization.
        file: PathBuf,
        /// The entry, as written.
        entry: String,
    },
    /// The folder is already a bundle.
    #[error("{} is a bundle, not a folder of manifests", folder.display())]
    Bundle {
        /// The folder.
        folder: PathBuf,
        /// Whether the bundle contains a ClusterServiceVersion.
        has_csv: bool,
    },
    /// The manifests depend on Helm.
    #[error("{} is a Helm chart, which must be rendered by Helm first", path.display())]
    Chart {
        /// The folder or archive.
        path: PathBuf,
    },
    /// The input contains no Kubernetes object.
    #[error("{name} contains no Kubernetes object")]
    Nothing {
        /// The folder, file or stream.
        name: String,
    },
    /// The input does not contain an object that is to be excluded.
    #[error("{name} does not contain {label}")]
    NoObject {
        /// The folder, file or stream.
        name: String,
        /// The object, as `Kind/name`.
        label: String,
        /// The most similar object in the input.
        nearest: Option<String>,
    },
    /// An object to exclude is an item of a list or in a JSON file.
    #[error("{label} cannot be excluded, because it is not a separate YAML document in {name}")]
    Item {
        /// The object, as `Kind/name`.
        label: String,
        /// The file.
        name: String,
    },
    /// An object cannot be removed from its file.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The files exceed a limit, or cannot be part of a bundle.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Intake {
    /// Reads a folder, a file, or the output of a pipe such as `/dev/fd/63`. Files without manifests are skipped. If
    /// the folder contains kustomizations that only list manifests, the manifests that they do not list are skipped.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read, or if another program must render it first.
    pub fn from_path(from: &Path, limits: &TreeLimits) -> Result<Self, IntakeError> {
        if let Some(url) = from.to_str().filter(|name| is_url(name)) {
            return Err(IntakeError::Url { url: url.to_owned() });
        }
        if from.is_dir() {
            return Self::from_folder(from, limits);
        }
        let fail = |error| FileError::new("read", from, error);
        let file = File::open(from).map_err(fail)?;
        let is_regular = file.metadata().map_err(fail)?.is_file();
        let is_device = from.starts_with("/dev") || from.starts_with("/proc");
        let name = from.file_name().filter(|_| is_regular && !is_device);
        let name = name.map_or(STREAM_FILE.to_owned(), |name| {
            let name = name.to_string_lossy();
            if has_manifest_extension(&name) {
                name.into_owned()
            } else {
                format!("{name}.yaml")
            }
        });
        let intake = Self::from_reader(&from.display().to_string(), &name, file, limits)?;
        // A chart in one file is a compressed archive.
        let content = intake.files.iter().next().map_or(&[][..], |(_, content)| content);
        if content.starts_with(&[0x1f, 0x8b]) {
            let path = from.to_owned();
            return Err(IntakeError::Chart { path });
        }
        // Kustomize renders only files with the names of kustomizations, so the content does not matter.
        if is_regular && is_kustomization(&from.to_string_lossy(), &[]) {
            let file = from.to_owned();
            return Err(IntakeError::KustomizationFile { file });
        }
        Ok(intake)
    }

    /// Reads a stream of documents. `name` represents the stream in findings.
    ///
    /// # Errors
    /// Returns an error if the stream cannot be read, or exceeds a limit.
    pub fn from_stream(name: &str, stream: impl Read, limits: &TreeLimits) -> Result<Self, IntakeError> {
        Self::from_reader(name, STREAM_FILE, stream, limits)
    }

    fn from_reader(shown: &str, file: &str, stream: impl Read, limits: &TreeLimits) -> Result<Self, IntakeError> {
        let mut content = Vec::new();
        stream
            .take(limits.file_bytes.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(|error| FileError::new("read", shown, error))?;
        let path = format!("{MANIFESTS}/{file}");
        let mut files = Tree::new(shown);
        files.insert(&path, content, limits)?;
        Ok(Self {
            files,
            passed_over: Vec::new(),
            sources: BTreeMap::from([(path, shown.to_owned())]),
        })
    }

    fn from_folder(folder: &Path, limits: &TreeLimits) -> Result<Self, IntakeError> {
        let tree = Tree::from_directory(folder, limits)?;
        if tree.get(ANNOTATIONS_YAML).is_some() && tree.below(MANIFESTS).next().is_some() {
            let (folder, has_csv) = (folder.to_owned(), has_csv(&tree));
            return Err(IntakeError::Bundle { folder, has_csv });
        }
        if let Some(chart) = chart_in(&tree) {
            let path = below(folder, chart);
            return Err(IntakeError::Chart { path });
        }
        let unlisted = match kustomization::of(&tree) {
            Kustomization::Rendered { folder: rendered, file } => {
                let folder = below(folder, &rendered);
                return Err(IntakeError::Kustomization { folder, file });
            }
            Kustomization::Incomplete { path, entry } => {
                let file = below(folder, &path);
                return Err(IntakeError::Absent { file, entry });
            }
            Kustomization::Lists { unlisted } => unlisted,
        };
        let mut intake = Self {
            files: Tree::new(tree.origin()),
            passed_over: Vec::new(),
            sources: BTreeMap::new(),
        };
        for (path, content) in tree.iter() {
            if !has_manifest_extension(path) || is_kustomization(path, content) {
                intake.passed_over.push(PassedOver::NoManifest(path.to_owned()));
                continue;
            }
            if unlisted.contains(path) {
                intake.passed_over.push(PassedOver::Unlisted(path.to_owned()));
                continue;
            }
            let inside = format!("{MANIFESTS}/{path}");
            intake.files.insert(&inside, content.to_vec(), limits)?;
            intake.sources.insert(inside, folder.join(path).display().to_string());
        }
        Ok(intake)
    }

    /// Returns the files, each with its path, which begins with `manifests/`.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter()
    }

    /// Returns the skipped files, by their paths in the folder.
    pub fn passed_over(&self) -> &[PassedOver] {
        &self.passed_over
    }

    /// Removes the objects with these labels, such as `StatefulSet/db`, from the files and from `manifests`, and
    /// returns them.
    ///
    /// # Errors
    /// Returns an error if there is no such object, or if it is an item of a list.
    pub fn exclude(
        &mut self,
        labels: &[String],
        manifests: &mut Manifests,
        limits: &BundleLimits,
    ) -> Result<Vec<Object>, IntakeError> {
        let is_excluded = |object: &Object| labels.contains(&object.label());
        for label in labels {
            let mut known = manifests.objects.iter().map(Object::label);
            if !known.any(|known| known == *label) {
                let known: Vec<String> = manifests.objects.iter().map(Object::label).collect();
                let nearest = nearest(label, known.iter().map(String::as_str)).map(str::to_owned);
                let (name, label) = (self.files.origin().to_owned(), label.clone());
                return Err(IntakeError::NoObject { name, label, nearest });
            }
        }
        let objects = manifest::read(&self.files, MANIFESTS, Layout::Nested, &limits.text).objects;
        let mut cuts = Vec::new();
        for object in objects.iter().filter(|object| is_excluded(object)) {
            if !can_be_cut(object) {
                let (label, name) = (object.label(), object.file().to_owned());
                return Err(IntakeError::Item { label, name });
            }
            cuts.push((object, format!("{} is excluded.", object.label())));
        }
        cut(&mut self.files, &cuts, limits)?;
        Ok(manifests.objects.extract_if(.., |object| is_excluded(object)).collect())
    }

    /// Reads the objects.
    ///
    /// # Errors
    /// Returns an error if all files can be read, but contain no objects.
    pub fn manifests(&self, limits: &Limits) -> Result<Manifests, IntakeError> {
        let named: Vec<(String, &[u8])> = manifest::files(&self.files, MANIFESTS, Layout::Nested)
            .into_iter()
            .map(|(shown, content)| {
                let inside = shown.strip_prefix(self.files.origin().trim_end_matches('/'));
                let source = inside.and_then(|inside| self.sources.get(inside.trim_start_matches('/')));
                (source.cloned().unwrap_or(shown), content)
            })
            .collect();
        let mut manifests = Manifests::default();
        manifests.diagnostics.extend(text::excess(&named, limits));
        if manifests.diagnostics.is_empty() {
            for (name, content) in &named {
                manifests.read_file(name, content, Layout::Nested, limits);
            }
        }
        let errors = manifests.diagnostics.iter().filter(|finding| finding.is_error());
        if manifests.objects.is_empty() && errors.count() == manifests.foreign {
            let name = self.files.origin().to_owned();
            return Err(IntakeError::Nothing { name });
        }
        Ok(manifests)
    }
}

/// Whether the manifests of a bundle contain a ClusterServiceVersion.
pub fn has_csv(bundle: &Tree) -> bool {
    let manifests = manifest::read(bundle, MANIFESTS, Layout::Nested, &Limits::default());
    manifests.objects.iter().any(is_csv)
}

fn is_url(name: &str) -> bool {
    let scheme = name.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        ["http", "https", "ftp", "oci", "git", "ssh"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
    })
}

fn below(folder: &Path, inside: &str) -> PathBuf {
    match inside {
        "" => folder.to_owned(),
        inside => folder.join(inside),
    }
}

/// Returns the topmost folder that contains a Helm chart.
fn chart_in(tree: &Tree) -> Option<&str> {
    let charts = tree.iter().filter_map(|(path, _)| {
        let folder = path
            .strip_suffix("Chart.yaml")
            .or_else(|| path.strip_suffix("values.yaml"))?;
        let has_templates = tree.below(&format!("{folder}templates")).next().is_some();
        (has_templates && (folder.is_empty() || folder.ends_with('/'))).then(|| folder.trim_end_matches('/'))
    });
    charts.min_by_key(|folder| folder.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        folder
    }

    fn taken(files: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let folder = folder(files);
        let root = folder.path().display().to_string();
        match Intake::from_path(folder.path(), &TreeLimits::default()) {
            Ok(intake) => Ok(intake.files().map(|(path, _)| path.to_owned()).collect()),
            Err(error) => Err(error.to_string().replace(&root, "ROOT")),
        }
    }

    #[test]
    fn manifests_are_imported_and_other_files_skipped() {
        let listing = "resources: [a.yaml, sub]\n";
        let files = [
            ("kustomization.yaml", listing),
            ("a.yaml", OBJECT),
            ("sub/b.json", "{}"),
            ("README.md", "#"),
            ("logo.png", "x"),
        ];
        let wanted = ["manifests/a.yaml", "manifests/sub/b.json"].map(str::to_owned);
        assert_eq!(taken(&files), Ok(wanted.to_vec()));
    }

    #[test]
    fn a_complex_kustomization_requires_rendering_and_lists_only_existing_files() {
        let cases: &[(&[(&str, &str)], &str)] = &[
            (
                &[("kustomization.yml", "namePrefix: a-\n")],
                "ROOT must be rendered by kustomize, because its kustomization.yml",
            ),
            (
                &[("kustomization.yaml", "resources: [../crd]\n")],
                "ROOT must be rendered",
            ),
            (
                &[("kustomization.yaml", "resources: ['https://example.com/a.yaml']\n")],
                "ROOT must be rendered",
            ),
            (
                &[
                    ("crd/kustomization.yaml", "resources: [a.yaml]\n"),
                    ("crd/a.yaml", OBJECT),
                    ("default/kustomization.yaml", "namePrefix: a-\nresources: [../crd]\n"),
                    ("another/kustomization.yaml", "resources: [../crd]\n"),
                ],
                "ROOT/default must be rendered",
            ),
            (
                &[
                    ("crd/kustomization.yaml", "resources: [a.yaml, ./b.yaml]\n"),
                    ("crd/a.yaml", OBJECT),
                ],
                "ROOT/crd/kustomization.yaml lists ./b.yaml, which does not exist",
            ),
        ];
        for (files, wanted) in cases {
            let error = taken(files).unwrap_err();
            assert!(error.starts_with(wanted), "{error}");
        }
    }

    #[test]
    fn a_chart_requires_rendering_as_a_folder_or_an_archive() {
        let files = [
            ("chart/Chart.yaml", "name: op\n"),
            ("chart/templates/a.yaml", "{{ if }}"),
        ];
        let error = taken(&files).unwrap_err();
        assert!(error.starts_with("ROOT/chart is a Helm chart"), "{error}");
        let folder = folder(&[]);
        let archive = folder.path().join("op-1.0.0.tgz");
        fs::write(&archive, [0x1f, 0x8b, 8, 0]).unwrap();
        let error = Intake::from_path(&archive, &TreeLimits::default()).unwrap_err();
        assert!(matches!(error, IntakeError::Chart { .. }), "{error}");
    }

    #[test]
    fn a_url_is_not_opened_as_a_file() {
        for url in [
            "https://example.com/a.yaml",
            "HTTP://example.com/a",
            "oci://example.com/chart",
        ] {
            let error = Intake::from_path(Path::new(url), &TreeLimits::default()).unwrap_err();
            assert!(matches!(error, IntakeError::Url { .. }), "{error}");
        }
    }

    #[test]
    fn an_imported_file_gets_a_name_that_is_read() {
        let folder = folder(&[("rendered", OBJECT), ("a.yml", OBJECT)]);
        for (name, wanted) in [("rendered", "manifests/rendered.yaml"), ("a.yml", "manifests/a.yml")] {
            let intake = Intake::from_path(&folder.path().join(name), &TreeLimits::default()).unwrap();
            let paths: Vec<&str> = intake.files().map(|(path, _)| path).collect();
            assert_eq!(paths, [wanted]);
        }
    }

    #[test]
    fn findings_name_the_source_and_an_empty_stream_is_an_error() {
        let limits = (TreeLimits::default(), Limits::default());
        let broken = Intake::from_stream("standard input", &b"kind: [\n"[..], &limits.0).unwrap();
        let manifests = broken.manifests(&limits.1).unwrap();
        let place = manifests.diagnostics[0].place.clone().unwrap();
        assert_eq!(place.source.name(), "standard input");
        for nothing in ["", "\n", "---\n# nothing\n---\n"] {
            let empty = Intake::from_stream("standard input", nothing.as_bytes(), &limits.0).unwrap();
            let error = empty.manifests(&limits.1).unwrap_err();
            assert_eq!(error.to_string(), "standard input contains no Kubernetes object");
        }
    }
}
