//! What OLM installs from the image of a `registry+v1` bundle.
//!
//! An index reads the files directly in `manifests/`, except hidden ones. OLM unpacks an image into a ConfigMap with
//! the files of both folders and then installs each object in it, wherever the file was.

use super::{ANNOTATIONS_YAML, Bundle, MANIFESTS, METADATA, is_csv};
use crate::manifest::{Layout, Manifests, Object};
use crate::text::Limits;
use crate::tree::Tree;
use std::collections::BTreeMap;

/// Reads the objects in hidden files of `manifests/` and in files of `metadata/`, in this order.
pub(super) fn read(tree: &Tree, limits: &Limits) -> Vec<Object> {
    let hidden = tree
        .below(MANIFESTS)
        .filter(|(path, _)| path[MANIFESTS.len() + 1..].starts_with('.'));
    let metadata = tree.below(METADATA).filter(|(path, _)| *path != ANNOTATIONS_YAML);
    let mut read = Manifests::default();
    for (path, content) in hidden.chain(metadata) {
        // OLM does not read folders.
        if path.matches('/').count() == 1 {
            let name = format!("{}/{path}", tree.origin().trim_end_matches('/'));
            read.read_file(&name, content, Layout::Flat, limits);
        }
    }
    read.objects
}

/// Returns the key of a file in the ConfigMap that OLM unpacks a bundle into.
pub(crate) fn key_of(name: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_');
    name.chars()
        .map(|letter| if allowed(letter) { letter } else { '-' })
        .collect()
}

/// The objects that OLM installs from the image of a bundle.
#[derive(Debug)]
pub(crate) struct Installed<'b> {
    pub(crate) csv: Option<&'b Object>,
    /// The other objects, in the order of their steps.
    pub(crate) others: Vec<&'b Object>,
}

impl Bundle {
    /// Returns the objects that OLM installs from the image of the bundle. A file of `metadata/` replaces one of
    /// `manifests/` with the same name, and the last of several ClusterServiceVersions is installed.
    pub(crate) fn installed(&self) -> Installed<'_> {
        let mut by_key: BTreeMap<String, &Object> = BTreeMap::new();
        for object in self.objects.iter().chain(&self.unpacked) {
            let file = object.file();
            by_key.insert(key_of(file.rsplit_once('/').map_or(file, |(_, name)| name)), object);
        }
        let (mut csv, mut others) = (self.csv(), self.objects.iter().collect::<Vec<_>>());
        // The objects of a synthesized bundle are not in files of their own.
        if !self.unpacked.is_empty() {
            others = by_key.values().copied().collect();
            if self.unpacked.iter().any(is_csv) {
                csv = by_key.values().copied().rfind(|object| is_csv(object));
            }
        }
        others.retain(|object| !is_csv(object));
        Installed { csv, others }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::text::Limits;
    use crate::tree::{Tree, TreeLimits};

    fn installed(files: &[(&str, &str)]) -> (Option<String>, Vec<String>) {
        let mut tree = Tree::new("memo");
        for (path, content) in files {
            tree.insert(path, (*content).into(), &TreeLimits::default()).unwrap();
        }
        let bundle = read(&tree, &Limits::default()).bundle.unwrap();
        let installed = bundle.installed();
        let label = |object: &crate::manifest::Object| object.label();
        (
            installed.csv.map(label),
            installed.others.into_iter().map(label).collect(),
        )
    }

    fn object(kind: &str, name: &str) -> String {
        format!("{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}}}}}")
    }

    #[test]
    fn objects_in_metadata_and_in_hidden_files_are_installed_in_the_order_of_file_names() {
        let csv = object("ClusterServiceVersion", "memo.v1");
        let (a, b, c) = (
            object("ConfigMap", "a"),
            object("ConfigMap", "b"),
            object("ConfigMap", "c"),
        );
        let (csv_label, others) = installed(&[
            ("manifests/csv.yaml", &csv),
            ("manifests/b.yaml", &b),
            ("manifests/.c.yaml", &c),
            ("manifests/folder/.d.yaml", &c),
            ("metadata/a.yaml", &a),
            ("metadata/z", &a),
            ("metadata/dependencies.yaml", "dependencies: []"),
            ("metadata/annotations.yaml", "{kind: ConfigMap, annotations: {}}"),
        ]);
        assert_eq!(csv_label.as_deref(), Some("ClusterServiceVersion/memo.v1"));
        assert_eq!(others, ["ConfigMap/c", "ConfigMap/a", "ConfigMap/b", "ConfigMap/a"]);
    }

    #[test]
    fn a_file_of_metadata_replaces_a_manifest_and_the_last_version_is_installed() {
        let csv = |name: &str| object("ClusterServiceVersion", name);
        let (first, second) = (csv("memo.v1"), csv("evil.v1"));
        let (a, b) = (object("ConfigMap", "a"), object("Secret", "b"));
        let files = [
            ("manifests/csv.yaml", &*first),
            ("manifests/a.yaml", &a),
            ("metadata/a.yaml", &b),
        ];
        let expected = (
            Some("ClusterServiceVersion/memo.v1".to_owned()),
            vec!["Secret/b".to_owned()],
        );
        assert_eq!(installed(&files), expected);
        let later = [&files[..2], &[("metadata/d.yaml", &*second)]].concat();
        assert_eq!(installed(&later).0.as_deref(), Some("ClusterServiceVersion/evil.v1"));
        let earlier = [&files[..2], &[("metadata/b.yaml", &*second)]].concat();
        assert_eq!(installed(&earlier).0.as_deref(), Some("ClusterServiceVersion/memo.v1"));
    }
}
