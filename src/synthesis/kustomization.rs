//! Kustomizations: determines whether kustomize must render a folder, or whether the kustomizations in the folder only
//! list manifests.

use crate::manifest::has_manifest_extension;
use crate::text::{self, Limits};
use crate::tree::Tree;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the kustomizations of a folder do with its manifests.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kustomization {
    /// Kustomize must render `folder`, because of the kustomization `file` in it.
    Rendered { folder: String, file: String },
    /// The kustomizations only list manifests, but the kustomization at `path` lists an entry that does not exist.
    Incomplete { path: String, entry: String },
    /// The kustomizations, if any, only list manifests. They do not list these files.
    Lists { unlisted: BTreeSet<String> },
}

const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Returns what the kustomizations of a folder do. If kustomize must render the manifests, also returns the folder to
/// render. This is a folder that no other kustomization refers to: preferably the top folder, otherwise a folder named
/// `default`.
pub(super) fn of(tree: &Tree) -> Kustomization {
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    // The files and folders that each kustomization refers to, by the folder of the kustomization.
    let mut references: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let (mut only_lists, mut absent) = (true, None);
    for (path, content) in tree.iter() {
        let name = path.rsplit('/').next().unwrap_or(path);
        if !NAMES.contains(&name) {
            continue;
        }
        let folder = folder_of(path);
        found.insert(folder, name);
        let reading = text::read(path, content, &Limits::default());
        let value = reading.documents.first().map(|document| document.value().clone());
        let Some(Value::Object(map)) = value else {
            only_lists = false;
            continue;
        };
        let plain = ["apiVersion", "kind", "metadata", "resources"];
        only_lists &= map.keys().all(|key| plain.contains(&key.as_str()));
        let references = references.entry(folder).or_default();
        for key in ["resources", "bases", "components"] {
            let entries = map.get(key).and_then(Value::as_array).into_iter().flatten();
            for entry in entries.filter_map(Value::as_str) {
                let inside = joined(folder, entry);
                match &inside {
                    Some(inside) if inside.is_empty() || tree.below(inside).next().is_some() => {}
                    Some(inside) if tree.get(inside).is_some() => {}
                    Some(inside) if has_manifest_extension(inside) => {
                        absent.get_or_insert_with(|| (path.to_owned(), entry.to_owned()));
                    }
                    _ => only_lists = false,
                }
                references.extend(inside);
            }
        }
    }
    let referred = |folder: &str| references.values().any(|entries| entries.contains(folder));
    let mut tops: Vec<(&str, &str)> = found.iter().map(|(folder, name)| (*folder, *name)).collect();
    tops.retain(|(folder, _)| folder.is_empty() || !referred(folder));
    let top = tops.iter().find(|(folder, _)| folder.is_empty());
    if only_lists {
        if let Some((path, entry)) = absent {
            return Kustomization::Incomplete { path, entry };
        }
        let roots: Vec<&str> = match top {
            Some((folder, _)) => vec![folder],
            None if tops.is_empty() => found.keys().copied().collect(),
            None => tops.iter().map(|(folder, _)| *folder).collect(),
        };
        let listed = listed(tree, &references, &roots);
        let governed = |path: &str| found.keys().any(|folder| is_below(path, folder));
        let unlisted = tree.iter().map(|(path, _)| path);
        let unlisted = unlisted.filter(|path| governed(path) && !listed.contains(path));
        return Kustomization::Lists {
            unlisted: unlisted.map(str::to_owned).collect(),
        };
    }
    let is_default = |folder: &str| folder.rsplit('/').next() == Some("default");
    let top = top.or_else(|| tops.iter().find(|(folder, _)| is_default(folder)));
    let top = top.copied().or(tops.first().copied());
    let (folder, file) = top.or_else(|| found.into_iter().next()).unwrap_or_default();
    Kustomization::Rendered {
        folder: folder.to_owned(),
        file: file.to_owned(),
    }
}

/// Returns the files that the kustomizations in these folders list, directly or through other folders.
fn listed<'a>(tree: &'a Tree, references: &BTreeMap<&'a str, BTreeSet<String>>, roots: &[&str]) -> BTreeSet<&'a str> {
    let mut listed = BTreeSet::new();
    let mut visited = BTreeSet::new();
    let mut next: Vec<String> = roots.iter().map(|root| (*root).to_owned()).collect();
    while let Some(path) = next.pop() {
        if !visited.insert(path.clone()) {
            continue;
        }
        if let Some(entries) = references.get(path.as_str()) {
            next.extend(entries.iter().cloned());
        } else {
            let files = tree.iter().map(|(file, _)| file);
            listed.extend(files.filter(|file| *file == path || is_below(file, &path)));
        }
    }
    listed
}

/// Whether a path is in a folder, at any depth. The top folder is empty.
fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the folder of a path; empty for the top folder.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Appends a path to a folder; `None` if the path leads out of the top folder.
fn joined(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains("://") {
        return None;
    }
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeLimits;

    fn kustomization(files: &[(&str, &str)]) -> Kustomization {
        let mut tree = Tree::new("folder");
        for (path, content) in files {
            let content = content.as_bytes().to_vec();
            tree.insert(path, content, &TreeLimits::default()).unwrap();
        }
        of(&tree)
    }

    fn unlisted(files: &[(&str, &str)]) -> Vec<String> {
        match kustomization(files) {
            Kustomization::Lists { unlisted } => {
                let manifests = unlisted.into_iter();
                manifests.filter(|path| !path.ends_with("kustomization.yaml")).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_manifest_that_no_kustomization_lists_is_unlisted() {
        let files = [
            ("kustomization.yaml", "resources: [a.yaml, listed, plain]\n"),
            ("a.yaml", ""),
            ("b.yaml", ""),
            ("listed/kustomization.yaml", "resources: [a.yaml]\n"),
            ("listed/a.yaml", ""),
            ("listed/b.yaml", ""),
            ("plain/a.yaml", ""),
            ("other/kustomization.yaml", "resources: [a.yaml]\n"),
            ("other/a.yaml", ""),
        ];
        assert_eq!(unlisted(&files), ["b.yaml", "listed/b.yaml", "other/a.yaml"]);
    }

    #[test]
    fn without_a_top_kustomization_every_list_counts_and_other_folders_are_complete() {
        let files = [
            ("crd/kustomization.yaml", "resources: [a.yaml]\n"),
            ("crd/a.yaml", ""),
            ("crd/b.yaml", ""),
            ("rbac/kustomization.yaml", "resources: [a.yaml, ../crd]\n"),
            ("rbac/a.yaml", ""),
            ("manager/a.yaml", ""),
        ];
        assert_eq!(unlisted(&files), ["crd/b.yaml"]);
        assert_eq!(unlisted(&files[5..]), [""; 0]);
    }

    #[test]
    fn cyclic_kustomizations_terminate() {
        let files = [
            ("a/kustomization.yaml", "resources: [../b, a.yaml]\n"),
            ("a/a.yaml", ""),
            ("b/kustomization.yaml", "resources: [../a]\n"),
        ];
        assert_eq!(unlisted(&files), [""; 0]);
    }
}
