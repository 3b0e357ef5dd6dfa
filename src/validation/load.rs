//! Reports the reasons why the loader of the Operator Framework's validators rejects a bundle, or why two readers read
//! a bundle differently.

use super::content;
use crate::bundle::{Bundle, MANIFESTS, METADATA, is_csv, key_of};
use crate::diagnostic::Diagnostic;
use crate::rules::{self, Rule};
use crate::source::{Place, SourceFile};
use crate::text::Path;
use crate::tree::Tree;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path as FilePath;

/// Checks the files of a `registry+v1` bundle.
pub(super) fn check(bundle: &Bundle, tree: &Tree, findings: &mut Vec<Diagnostic>) {
    folders(tree, findings);
    file_names(tree, findings);
    let packages = bundle.objects.iter().filter(|object| content::is_crd(object));
    findings.extend(packages.filter_map(content::crd_version));
}

/// The rules about files that a decoder cannot read.
pub(super) static UNREADABLE: [&Rule; 6] = [
    &rules::YAML_SYNTAX,
    &rules::YAML_EXCESSIVE_ALIASING,
    &rules::YAML_TOO_DEEP,
    &rules::JSON_SYNTAX,
    &rules::TEXT_ENCODING,
    &rules::OBJECT_NOT_A_MAP,
];

/// Returns all findings for which the loader rejects the bundle.
pub(super) fn refusals(bundle: &Bundle, tree: &Tree, reading: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut findings: Vec<Diagnostic> = reading
        .iter()
        .filter(|finding| UNREADABLE.contains(&finding.rule))
        .cloned()
        .collect();
    if bundle.csv().is_none() {
        let message = format!("{} has no ClusterServiceVersion in manifests/", bundle.origin);
        findings.push(Diagnostic::new(&rules::INDEX_NO_CSV, message));
    }
    check(bundle, tree, &mut findings);
    content::shapes(bundle, &mut findings);
    findings
}

/// Reports folders and hidden files among the manifests, which only some readers read.
pub(super) fn folders(tree: &Tree, findings: &mut Vec<Diagnostic>) {
    let mut folders: Vec<&str> = Vec::new();
    for (path, _) in tree.below(MANIFESTS) {
        let inside = &path[MANIFESTS.len() + 1..];
        match inside.split_once('/') {
            Some((folder, _)) if !folders.contains(&folder) => {
                folders.push(folder);
                let message = format!("manifests/ contains the folder {folder}/");
                findings.push(Diagnostic::new(&rules::LOAD_SUBDIRECTORY, message).at(beginning(tree, path)));
            }
            None if inside.starts_with('.') => {
                let message = format!("manifests/ contains the hidden file {inside}");
                findings.push(Diagnostic::new(&rules::LOAD_HIDDEN_FILE, message).at(beginning(tree, path)));
            }
            _ => {}
        }
    }
}

/// Reports objects in `metadata/`, which OLM installs although they are not part of the bundle in an index.
pub(super) fn metadata_objects(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for object in &bundle.unpacked {
        let mut path = object.file().rsplit('/');
        let (file, folder) = (path.next().unwrap_or_default(), path.next());
        if folder == Some(METADATA) {
            let message = format!(
                "{METADATA}/{file} contains the object {}, which OLM would install from an image",
                object.label()
            );
            let finding = Diagnostic::new(&rules::LOAD_METADATA_OBJECT, message).object(object.label());
            findings.push(finding.at(object.place(&Path::root().key("kind"))));
        }
    }
}

/// Reports files that OLM unpacks under the same key, because only one of them is kept.
pub(super) fn file_names(tree: &Tree, findings: &mut Vec<Diagnostic>) {
    let mut keys: BTreeMap<String, &str> = BTreeMap::new();
    for (path, _) in tree.below(MANIFESTS).chain(tree.below(METADATA)) {
        let Some((_, name)) = path.rsplit_once('/') else {
            continue;
        };
        let key = key_of(name);
        let Some(first) = keys.insert(key.clone(), path) else {
            continue;
        };
        let message = format!("{first} and {path} would both be unpacked as {key}, so one of them would be lost");
        let finding = Diagnostic::new(&rules::LOAD_FILE_NAME, message).at(beginning(tree, path));
        findings.push(finding.also(beginning(tree, first), "the other file"));
    }
}

fn beginning(tree: &Tree, path: &str) -> Option<Place> {
    let name = FilePath::new(tree.origin()).join(path);
    let text = std::str::from_utf8(tree.get(path)?).unwrap_or_default();
    Some(Place::new(&SourceFile::new(name.to_string_lossy(), text), 0..0))
}

/// Reports all `ClusterServiceVersion`s but the first.
pub(super) fn several_csvs(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let mut csvs = bundle.objects.iter().filter(|object| is_csv(object));
    let Some(first) = csvs.next() else { return };
    for csv in csvs {
        let message = format!("the bundle has a second ClusterServiceVersion, {}", csv.name());
        let finding = Diagnostic::new(&rules::LOAD_MULTIPLE_CSV, message).object(csv.label());
        let finding = finding.at(csv.place(&Path::root().key("kind")));
        findings.push(finding.also(first.name_place(), "the first one, which an index would use"));
    }
}

/// Returns whether the value is an empty string or absent.
pub(super) fn is_blank(value: Option<&Value>) -> bool {
    value.is_none_or(|value| value.is_null() || value.as_str() == Some(""))
}
