//! Reads the files of a bundle into a [`Bundle`].

use super::annotations::{CHANNELS, DEFAULT_CHANNEL, PACKAGE};
use super::olm_yaml::Olm;
use super::{
    ANNOTATIONS_YAML, Annotations, Bundle, MANIFESTS, METADATA, MediaType, OLM_YAML, is_csv, metadata, names, unpacked,
};
use crate::diagnostic::Diagnostic;
use crate::manifest::{self, Layout};
use crate::rules;
use crate::source::{Place, SourceFile};
use crate::text::{self, Document, Limits, Path};
use crate::tree::Tree;

/// A bundle and the findings from reading its files. The bundle is absent if its manifests are missing or its files
/// exceed a limit.
#[derive(Debug)]
pub struct BundleReading {
    /// The bundle, as far as it could be read.
    pub bundle: Option<Bundle>,
    /// The problems found in the files.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the files of a bundle: `manifests/` and `metadata/`.
pub fn read(tree: &Tree, limits: &Limits) -> BundleReading {
    let mut reading = read_as(tree, None, limits);
    names::check_files(tree, &mut reading.diagnostics);
    passed_over(tree, limits, &mut reading.diagnostics);
    if let Some(bundle) = &reading.bundle
        && (tree.get(OLM_YAML).is_none() || bundle.olm.is_some())
    {
        check_media_type(bundle, tree, &mut reading.diagnostics);
    }
    if let Some(bundle) = &reading.bundle {
        names::check(bundle, &mut reading.diagnostics);
    }
    reading
}

/// Reads the files of a bundle as the specified media type, or as the media type that the files name. Does not check
/// whether the files are consistent.
pub(crate) fn read_as(tree: &Tree, media_type: Option<MediaType>, limits: &Limits) -> BundleReading {
    let mut diagnostics = Vec::new();
    for (folder, rule) in [
        (MANIFESTS, &rules::FORMAT_MANIFESTS_DIR),
        (METADATA, &rules::FORMAT_METADATA_DIR),
    ] {
        if tree.below(folder).next().is_none() {
            let message = format!("{} contains no files in {folder}/", tree.origin());
            let finding = Diagnostic::new(rule, message);
            diagnostics.push(match other_folder(tree) {
                Some(help) => finding.help(help),
                None => finding,
            });
        }
    }
    let mut texts = metadata_files(tree, limits);
    if let Some(finding) = text::excess(&texts, limits) {
        return unread(diagnostics, finding);
    }
    let metadata = Metadata::read(&texts, limits, &mut diagnostics);
    if tree.below(MANIFESTS).next().is_none() {
        return BundleReading {
            bundle: None,
            diagnostics,
        };
    }
    let named = metadata.annotations.as_ref().and_then(Annotations::media_type);
    let plain = tree.get(OLM_YAML).is_some() || named == Some(MediaType::K8sV1.as_str());
    let media_type = media_type.unwrap_or(if plain { MediaType::K8sV1 } else { MediaType::RegistryV1 });
    let layout = match media_type {
        MediaType::K8sV1 => Layout::Nested,
        MediaType::RegistryV1 => Layout::Flat,
    };
    texts.extend(manifest::files(tree, MANIFESTS, layout));
    if let Some(finding) = text::excess(&texts, limits) {
        return unread(diagnostics, finding);
    }
    if media_type == MediaType::K8sV1 {
        binary_files(tree, &mut diagnostics);
    }
    let manifests = manifest::read(tree, MANIFESTS, layout, &limits.counted());
    diagnostics.extend(manifests.diagnostics.into_iter().map(misplaced));
    let icon = metadata.olm.as_ref().and_then(|olm| Olm::new(olm).icon_path());
    let icon = icon.filter(|path| path.starts_with(METADATA));
    let icon = icon.and_then(|path| tree.get(path)).map(<[u8]>::to_vec);
    let bundle = Bundle {
        origin: tree.origin().to_owned(),
        media_type,
        annotations: metadata.annotations,
        objects: manifests.objects,
        unpacked: match media_type {
            MediaType::RegistryV1 => unpacked::read(tree, limits),
            MediaType::K8sV1 => Vec::new(),
        },
        passed_over: manifests.passed_over,
        olm: metadata.olm,
        icon,
        dependencies: metadata.dependencies,
        properties: metadata.properties,
        metadata: metadata.documents,
        empty_metadata: metadata.empty,
    };
    BundleReading {
        bundle: Some(bundle),
        diagnostics,
    }
}

/// Returns advice for a folder that is part of a bundle, or that contains bundles.
fn other_folder(tree: &Tree) -> Option<String> {
    let has = |folder: &str| tree.below(folder).next().is_some();
    if has(MANIFESTS) || has(METADATA) {
        return None;
    }
    let origin = tree.origin().trim_end_matches('/');
    for part in [MANIFESTS, METADATA] {
        let above = origin.strip_suffix(part).and_then(|above| above.strip_suffix('/'));
        if let Some(above) = above {
            return Some(format!("Specify the folder of the bundle: {above}"));
        }
    }
    if tree.iter().take(LOOKED_AT).any(|(_, content)| is_catalog(content)) {
        return Some(format!(
            "{origin} contains a file-based catalog, not a bundle; specify the folder or image of a bundle."
        ));
    }
    let inside = format!("/{MANIFESTS}/");
    let mut bundles: Vec<&str> = tree
        .iter()
        .filter_map(|(path, _)| path.split_once(&inside).map(|(bundle, _)| bundle))
        .collect();
    bundles.dedup();
    let first = bundles.first()?;
    Some(match bundles.len() {
        1 => format!("Specify the folder of the bundle: {origin}/{first}"),
        count => format!("Specify one of the {count} bundles in this folder, such as {origin}/{first}"),
    })
}

/// The maximum number of files that are searched for a catalog.
const LOOKED_AT: usize = 100;

/// Whether a file begins with a document of a file-based catalog.
fn is_catalog(content: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&content[..content.len().min(1_000)]).replace(['"', ' '], "");
    start.contains("schema:olm.")
}

/// Reports files among the manifests that are not text, and manifests in files that are not read. In a `registry+v1`
/// bundle, files that are not text are reported when the manifests are read.
fn binary_files(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    for (path, content) in tree.below(MANIFESTS) {
        if manifest::has_manifest_extension(path) {
            continue;
        }
        let is_text = std::str::from_utf8(content).is_ok_and(|text| !text.contains('\0'));
        let (rule, message) = if !is_text {
            (&rules::K8S_BINARY_FILE, format!("{path} is not a manifest"))
        } else if looks_like_manifest(content) {
            let message = format!("{path} is not read, because it does not end in .yaml, .yml or .json");
            (&rules::K8S_FILE_IGNORED, message)
        } else {
            continue;
        };
        let name = format!("{}/{path}", tree.origin().trim_end_matches('/'));
        let place = Place::new(&SourceFile::new(name, String::new()), 0..0);
        diagnostics.push(Diagnostic::new(rule, message).at(place));
    }
}

/// Whether a file contains a line that only manifests contain.
fn looks_like_manifest(content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    text.lines().any(|line| line.trim_start().starts_with("apiVersion:"))
}

fn unread(mut diagnostics: Vec<Diagnostic>, finding: Diagnostic) -> BundleReading {
    diagnostics.push(finding);
    BundleReading {
        bundle: None,
        diagnostics,
    }
}

/// Returns the files of `metadata/` that are read, each with the name shown in findings.
fn metadata_files<'t>(tree: &'t Tree, limits: &Limits) -> Vec<(String, &'t [u8])> {
    let mut files = Vec::new();
    for (path, content) in tree.below(METADATA) {
        let inside = &path[METADATA.len() + 1..];
        let name = format!("{}/{path}", tree.origin().trim_end_matches('/'));
        if !inside.contains('/') && (is_text_file(inside) || has_metadata(&name, content, limits)) {
            files.push((name, content));
        }
    }
    files
}

/// Whether a file contains metadata, although its name does not tell. opm looks only at the content of files.
fn has_metadata(name: &str, content: &[u8], limits: &Limits) -> bool {
    let reading = text::read(name, content, limits);
    let annotates = |document: &Document| {
        let known = [PACKAGE, CHANNELS, DEFAULT_CHANNEL];
        let annotations = Annotations::from_document(document);
        annotations.is_some_and(|annotations| known.into_iter().any(|key| annotations.get(key).is_some()))
    };
    let says = |document: &Document| {
        let mut lists = ["dependencies", "properties"].into_iter();
        lists.any(|list| metadata::has_list(document, list)) || annotates(document)
    };
    !crate::diagnostic::has_errors(&reading.diagnostics) && reading.documents.first().is_some_and(says)
}

fn says_something(value: &serde_json::Value) -> bool {
    value.is_array() || value.is_object()
}

/// Reports files in subfolders of `metadata/` that opmx would read if they were directly in `metadata/`.
fn passed_over(tree: &Tree, limits: &Limits, diagnostics: &mut Vec<Diagnostic>) {
    for (path, content) in tree.below(METADATA) {
        let inside = &path[METADATA.len() + 1..];
        let Some((folder, file)) = inside.rsplit_once('/').filter(|(_, file)| is_text_file(file)) else {
            continue;
        };
        let name = format!("{}/{path}", tree.origin().trim_end_matches('/'));
        let reading = text::read(&name, content, limits);
        let Some(document) = reading.documents.first() else {
            continue;
        };
        let keys = ["annotations", "dependencies", "properties"];
        let Some(key) = keys
            .into_iter()
            .filter_map(|key| metadata::field(document.value(), key))
            .find_map(|(key, value)| says_something(value).then_some(key))
        else {
            continue;
        };
        let message =
            format!("the {key} in {METADATA}/{folder}/{file} are ignored: only files directly in {METADATA}/ are read");
        let place = document.key_place(&Path::root().key(key));
        diagnostics.push(Diagnostic::new(&rules::METADATA_SUBFOLDER, message).at(place));
    }
}

#[derive(Default)]
struct Metadata {
    annotations: Option<Annotations>,
    olm: Option<Document>,
    dependencies: Vec<super::TypedValue>,
    properties: Vec<super::TypedValue>,
    documents: Vec<Document>,
    empty: Vec<Place>,
}

impl Metadata {
    /// Reads the metadata files. The first file by name is used for each role; a file may have several roles.
    fn read(files: &[(String, &[u8])], limits: &Limits, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut metadata = Self::default();
        let (mut dependencies, mut properties) = (false, false);
        for (name, content) in files {
            let is_olm = name.ends_with(&format!("/{OLM_YAML}"));
            let reading = text::read(name, content, limits);
            let broken = crate::diagnostic::has_errors(&reading.diagnostics);
            diagnostics.extend(reading.diagnostics.into_iter().map(unquoted_range));
            let mut documents = reading.documents.into_iter();
            let Some(document) = documents.next() else {
                if !broken {
                    let place = Place::new(&SourceFile::new(name.as_str(), String::from_utf8_lossy(content)), 0..0);
                    if is_olm {
                        let message = "metadata/olm.yaml is empty";
                        let finding = Diagnostic::new(&rules::OLM_REQUIRED, message).at(place.clone());
                        diagnostics.push(finding.help(super::olm_yaml::REQUIRED_HELP));
                    }
                    metadata.empty.push(place);
                }
                continue;
            };
            if let Some(second) = documents.next() {
                let finding = if is_olm {
                    let message = "metadata/olm.yaml must contain only one document";
                    Diagnostic::new(&rules::OLM_EXTRA_DOCUMENT, message)
                } else {
                    let message = "only the first document of a metadata file is read";
                    Diagnostic::new(&rules::METADATA_EXTRA_DOCUMENT, message)
                };
                diagnostics.push(finding.at(second.place(&Path::root())));
            }
            if is_olm {
                metadata.olm = Some(document);
                continue;
            }
            if metadata.annotations.is_none() {
                metadata.annotations = Annotations::from_document(&document);
            }
            if !dependencies && metadata::has_list(&document, "dependencies") {
                dependencies = true;
                metadata.dependencies = metadata::entries(&document, "dependencies", diagnostics);
            }
            if !properties && metadata::has_list(&document, "properties") {
                properties = true;
                metadata.properties = metadata::entries(&document, "properties", diagnostics);
            }
            metadata.documents.push(document);
        }
        metadata
    }
}

/// Rephrases the finding about an unquoted range, because ranges that begin with `>` are the usual reason why a
/// dependencies file is not valid YAML.
fn unquoted_range(mut finding: Diagnostic) -> Diagnostic {
    let Some(place) = finding.place.as_ref().filter(|_| finding.rule == &rules::YAML_SYNTAX) else {
        return finding;
    };
    let before = &place.source.text()[..place.source.text().floor_char_boundary(place.span.start)];
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    let is_range = ["version:", "versionRange:", "olm.skipRange:"]
        .iter()
        .any(|key| line.ends_with(key));
    if is_range && place.text().starts_with(['>', '!']) {
        finding.rule = &rules::DEP_RANGE_QUOTING;
        finding.message = format!(
            "the version range {} is not quoted, so the file is not valid YAML",
            place.text()
        );
    }
    finding
}

/// Rephrases the finding about a metadata file among the manifests.
fn misplaced(finding: Diagnostic) -> Diagnostic {
    let place = finding
        .place
        .as_ref()
        .filter(|_| finding.rule == &rules::OBJECT_FIELD_MISSING);
    let name = place.and_then(|place| Some(place.source.name().rsplit_once(&format!("/{MANIFESTS}/"))?.1.to_owned()));
    let names = [
        OLM_YAML,
        ANNOTATIONS_YAML,
        "metadata/dependencies.yaml",
        "metadata/properties.yaml",
    ];
    if name.as_deref() == Some("kustomization.yaml") {
        return finding.help("Remove the file. It is an input of kustomize, which must render the manifests first.");
    }
    match names
        .into_iter()
        .find(|path| path.rsplit_once('/').map(|(_, file)| file) == name.as_deref())
    {
        Some(path) => finding.help(format!("Move the file to {path}.")),
        None => finding,
    }
}

/// Returns the file that is probably meant to be `metadata/olm.yaml`, but has another name or is in another folder.
pub(crate) fn misplaced_olm_yaml(tree: &Tree) -> Option<&str> {
    let mut paths = tree.iter().map(|(path, _)| path).filter(|path| *path != OLM_YAML);
    paths.find(|path| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let name = name.to_ascii_lowercase();
        ["", MANIFESTS, METADATA].contains(&folder) && ["olm.yaml", "olm.yml"].contains(&name.as_str())
    })
}

/// Whether a metadata file is YAML or JSON by its name. Metadata folders also contain icons and notes, whose content
/// is not reported.
fn is_text_file(name: &str) -> bool {
    !name.starts_with('.')
        && name
            .rsplit_once('.')
            .is_some_and(|(_, extension)| ["yaml", "yml", "json"].contains(&extension))
}

fn check_media_type(bundle: &Bundle, tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    let csv = bundle.objects.iter().find(|object| is_csv(object));
    let annotations = bundle.annotations.as_ref();
    let named = annotations.and_then(Annotations::media_type);
    let named_place = annotations.map(|annotations| annotations.place(super::annotations::MEDIA_TYPE));
    match (&bundle.olm, csv) {
        (Some(olm), Some(csv)) => {
            let message = "this bundle contains both a ClusterServiceVersion and metadata/olm.yaml";
            let finding = Diagnostic::new(&rules::K8S_MEDIA_TYPE_AMBIGUOUS, message)
                .at(csv.name_place())
                .also(
                    olm.key_place(&Path::root()),
                    "metadata/olm.yaml makes this a k8s+v1 bundle",
                );
            diagnostics.push(finding);
        }
        (Some(_), None) if named == Some(MediaType::RegistryV1.as_str()) => {
            let message = "the annotations specify registry+v1, but metadata/olm.yaml makes this a k8s+v1 bundle";
            diagnostics.push(Diagnostic::new(&rules::K8S_MEDIA_TYPE_MISMATCH, message).at(named_place));
        }
        (None, Some(_)) if named == Some(MediaType::K8sV1.as_str()) => {
            let message = "the annotations specify k8s+v1, but the manifests contain a ClusterServiceVersion and metadata/olm.yaml is missing";
            diagnostics.push(Diagnostic::new(&rules::K8S_MEDIA_TYPE_MISMATCH, message).at(named_place));
        }
        (None, None) if named == Some(MediaType::K8sV1.as_str()) => {
            let message = format!("{} has no readable metadata/olm.yaml", bundle.origin);
            let finding = Diagnostic::new(&rules::K8S_OLM_YAML_MISSING, message);
            diagnostics.push(match misplaced_olm_yaml(tree) {
                Some(path) => finding.help(format!("Move {path} to {OLM_YAML}, because only this file is read.")),
                None => finding,
            });
        }
        _ => {}
    }
}
