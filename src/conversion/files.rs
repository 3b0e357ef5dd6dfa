//! Collects the files of the new bundle.

use crate::bundle::MANIFESTS;
use crate::bundle::generated_name::generated_name;
use crate::manifest::Object;
use crate::text::{self, Limits, to_yaml};
use crate::tree::{Tree, TreeError, TreeLimits};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum length of the name of a new file: OLM unpacks a bundle into a ConfigMap, whose keys are the file names.
const MOST_OF_FILE_NAME: usize = 253;

/// The contents of files by path.
#[derive(Debug, Default)]
pub(super) struct Files {
    files: BTreeMap<String, Vec<u8>>,
}

impl Files {
    /// Adds a file, replacing any existing file at the same path.
    pub(super) fn put(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.files.insert(path.to_owned(), content.into());
    }

    /// Removes a file.
    pub(super) fn remove(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// Returns the content of a file.
    pub(super) fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Writes objects to a new file in `manifests/`; a number is added to a name that is already in use.
    pub(super) fn write(&mut self, name: &str, objects: &[Value]) {
        let documents: Vec<String> = objects.iter().map(to_yaml).collect();
        let path = self.free(name, "yaml");
        self.put(&path, documents.join("---\n"));
    }

    /// Returns an unused path in `manifests/`. Object names may contain characters that file names should not contain,
    /// and may be longer than file names.
    pub(super) fn free(&self, name: &str, extension: &str) -> String {
        let safe = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
        let name: String = name
            .chars()
            .map(|letter| if safe(letter) { letter } else { '-' })
            .collect();
        let name = name.trim_start_matches('.');
        let numbered = (2..).map(|number| format!("-{number}.{extension}"));
        std::iter::once(format!(".{extension}"))
            .chain(numbered)
            .map(|end| format!("{MANIFESTS}/{}", generated_name(name, &end, MOST_OF_FILE_NAME)))
            .find(|path| !self.files.contains_key(path))
            .unwrap_or_default()
    }

    /// Returns the files as a tree.
    ///
    /// # Errors
    /// Returns an error if a path is not allowed in a bundle.
    pub(super) fn into_tree(self, origin: &str) -> Result<Tree, TreeError> {
        let mut tree = Tree::new(origin);
        for (path, content) in self.files {
            tree.insert(&path, content, &TreeLimits::UNLIMITED)?;
        }
        Ok(tree)
    }
}

/// Returns whether a file with this name is read if it is in the manifests of a plain bundle, or in the metadata of any
/// bundle.
pub(super) fn is_read(path: &str) -> bool {
    matches!(extension(path), Some("yaml" | "yml" | "json"))
}

/// Returns the part of a path after the last dot.
pub(super) fn extension(path: &str) -> Option<&str> {
    path.rsplit_once('.').map(|(_, extension)| extension)
}

/// Returns the path of a file in the tree. `name` is its name in findings and objects, which begins with the origin.
pub(super) fn path_in<'n>(tree: &Tree, name: &'n str) -> &'n str {
    match name.strip_prefix(tree.origin().trim_end_matches('/')) {
        Some(rest) if !tree.origin().is_empty() => rest.trim_start_matches('/'),
        _ => name,
    }
}

/// Returns the paths, in the tree, of the files with objects that contain a single document.
pub(super) fn with_one_document<'o>(
    tree: &Tree,
    objects: impl IntoIterator<Item = &'o Object>,
    limits: &Limits,
) -> BTreeSet<&'o str> {
    let paths: BTreeSet<&str> = objects.into_iter().map(|object| path_of(tree, object)).collect();
    let has_one = |path: &&str| {
        let content = tree.get(path).unwrap_or_default();
        text::read(path, content, limits).documents.len() == 1
    };
    paths.into_iter().filter(has_one).collect()
}

/// Returns the path, in the tree, of the file that contains an object.
pub(super) fn path_of<'o>(tree: &Tree, object: &'o Object) -> &'o str {
    path_in(tree, object.file())
}
