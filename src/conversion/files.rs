//! The files of the new bundle while they are collected.

use super::UNLIMITED;
use crate::bundle::MANIFESTS;
use crate::manifest::Object;
use crate::text::to_yaml;
use crate::tree::{Tree, TreeError};
use serde_json::Value;
use std::collections::BTreeMap;

/// Path to content.
#[derive(Debug, Default)]
pub(super) struct Files {
    files: BTreeMap<String, Vec<u8>>,
}

impl Files {
    /// Puts a file, in place of one that is there.
    pub(super) fn put(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.files.insert(path.to_owned(), content.into());
    }

    /// Takes a file away.
    pub(super) fn remove(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// The content of a file.
    pub(super) fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Writes objects into a new file of `manifests/`; a name that is taken gets a number.
    pub(super) fn write(&mut self, name: &str, objects: &[Value]) {
        let documents: Vec<String> = objects.iter().map(to_yaml).collect();
        let path = self.free(name, "yaml");
        self.put(&path, documents.join("---\n"));
    }

    /// A path in `manifests/` that is not taken. Names of objects may hold what names of files should not.
    pub(super) fn free(&self, name: &str, extension: &str) -> String {
        let safe = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
        let name: String = name
            .chars()
            .map(|letter| if safe(letter) { letter } else { '-' })
            .collect();
        let name = name.trim_start_matches('.');
        let numbered = (2..).map(|number| format!("{MANIFESTS}/{name}-{number}.{extension}"));
        std::iter::once(format!("{MANIFESTS}/{name}.{extension}"))
            .chain(numbered)
            .find(|path| !self.files.contains_key(path))
            .unwrap_or_default()
    }

    /// The files as a tree.
    ///
    /// # Errors
    /// When a path is none that a bundle may have.
    pub(super) fn into_tree(self, origin: &str) -> Result<Tree, TreeError> {
        let mut tree = Tree::new(origin);
        for (path, content) in self.files {
            tree.insert(&path, content, &UNLIMITED)?;
        }
        Ok(tree)
    }
}

/// Whether a file is read from the manifests of a plain bundle, and from the metadata of any, by its name.
pub(super) fn is_read(path: &str) -> bool {
    matches!(extension(path), Some("yaml" | "yml" | "json"))
}

/// What stands behind the last dot of a path.
pub(super) fn extension(path: &str) -> Option<&str> {
    path.rsplit_once('.').map(|(_, extension)| extension)
}

/// The path in the tree of a file that findings and objects call by its name with the origin before it.
pub(super) fn path_in<'n>(tree: &Tree, name: &'n str) -> &'n str {
    match name.strip_prefix(tree.origin().trim_end_matches('/')) {
        Some(rest) if !tree.origin().is_empty() => rest.trim_start_matches('/'),
        _ => name,
    }
}

/// The path in the tree of the file that an object was read from.
pub(super) fn path_of<'o>(tree: &Tree, object: &'o Object) -> &'o str {
    path_in(tree, object.file())
}
