//! The files of a folder, read into Kubernetes objects.

use super::Object;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::GroupVersionKind;
use crate::rules;
use crate::text::{self, Document, Limits, Path};
use crate::tree::Tree;
use serde_json::Value;

/// How the manifests of a bundle lie in their folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `registry+v1`: the files of the folder itself, whatever their extension; names that begin with a dot
    /// and folders are passed over, and only the first document of a file counts. An object needs a kind, and is kept
    /// without a version or a name, which are empty then.
    Flat,
    /// `k8s+v1`: all YAML and JSON files of all folders, every document, lists opened.
    Nested,
}

/// What was read: the objects in the order of paths and documents, and what is wrong with the files.
#[derive(Debug, Default)]
pub struct Manifests {
    /// The objects that could be read.
    pub objects: Vec<Object>,
    /// Findings of reading; a file with an error contributes the objects that could be read.
    pub diagnostics: Vec<Diagnostic>,
}

/// The files below `folder` of a tree that hold manifests, each with the name that findings show.
pub fn files<'t>(tree: &'t Tree, folder: &str, layout: Layout) -> Vec<(String, &'t [u8])> {
    let prefix = format!("{}/", folder.trim_end_matches('/'));
    let wanted = |path: &str| match layout {
        Layout::Flat => !path.contains('/') && !path.starts_with('.'),
        Layout::Nested => has_manifest_extension(path),
    };
    tree.below(folder)
        .filter(|(path, _)| wanted(&path[prefix.len()..]))
        .map(|(path, content)| (shown_path(tree.origin(), path), content))
        .collect()
}

/// Reads the objects below `folder` of a tree. Where the files hold too much together, there are none.
pub fn read(tree: &Tree, folder: &str, layout: Layout, limits: &Limits) -> Manifests {
    let mut manifests = Manifests::default();
    let files = files(tree, folder, layout);
    manifests.diagnostics.extend(text::excess(&files, limits));
    if manifests.diagnostics.is_empty() {
        for (name, content) in files {
            manifests.read_file(&name, content, layout, limits);
        }
    }
    manifests
}

/// A file's path as the user can open it: below the directory that was given.
fn shown_path(origin: &str, path: &str) -> String {
    if origin.is_empty() {
        path.to_owned()
    } else {
        format!("{}/{path}", origin.trim_end_matches('/'))
    }
}

/// Whether a file is read for manifests, by its name.
pub(crate) fn has_manifest_extension(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| ["yaml", "yml", "json"].contains(&extension))
}

impl Manifests {
    /// Reads one more file, or a stream of documents such as the output of kustomize.
    pub(crate) fn read_file(&mut self, name: &str, content: &[u8], layout: Layout, limits: &Limits) {
        let reading = text::read(name, content, limits);
        self.diagnostics.extend(reading.diagnostics);
        let mut documents = reading.documents.into_iter();
        if layout == Layout::Nested {
            for document in documents {
                self.open(&document, &Path::root(), layout);
            }
            return;
        }
        let Some(first) = documents.next() else {
            return;
        };
        self.open_one(&first, &Path::root(), layout);
        if let Some(second) = documents.next() {
            let finding = Diagnostic::new(
                &rules::YAML_EXTRA_DOCUMENT,
                "only the first document of a file counts in a registry+v1 bundle",
            );
            self.diagnostics.push(finding.at(second.place(&Path::root())));
        }
    }

    fn open(&mut self, document: &Document, path: &Path, layout: Layout) {
        let value = path.get(document.value());
        let items = value.and_then(|value| value.get("items")).and_then(Value::as_array);
        let is_list = value
            .and_then(|value| value.get("kind"))
            .and_then(Value::as_str)
            .is_some_and(|kind| kind.ends_with("List"));
        match items {
            Some(items) if is_list => {
                for index in 0..items.len() {
                    self.open_one(document, &path.key("items").index(index), layout);
                }
            }
            _ => self.open_one(document, path, layout),
        }
    }

    fn open_one(&mut self, document: &Document, root: &Path, layout: Layout) {
        let Some(Value::Object(map)) = root.get(document.value()) else {
            let finding = Diagnostic::new(&rules::OBJECT_NOT_A_MAP, "this document is not a Kubernetes object");
            self.diagnostics.push(finding.at(document.place(root)));
            return;
        };
        let metadata = map.get("metadata").and_then(Value::as_object);
        let api_version = self.required(document, root, "apiVersion", map.get("apiVersion"));
        let kind = self.required(document, root, "kind", map.get("kind"));
        let name = self.required(
            document,
            root,
            "metadata.name",
            metadata.and_then(|metadata| metadata.get("name")),
        );
        let absent = (layout == Layout::Flat).then_some("");
        let (Some(api_version), Some(kind), Some(name)) = (api_version.or(absent), kind, name.or(absent)) else {
            return;
        };
        let namespace = metadata
            .and_then(|metadata| metadata.get("namespace"))
            .and_then(Value::as_str)
            .filter(|namespace| !namespace.is_empty());
        let gvk = GroupVersionKind::from_api_version(api_version, kind);
        self.objects
            .push(Object::new(document.clone(), root.clone(), gvk, name, namespace));
    }

    fn required<'a>(
        &mut self,
        document: &Document,
        root: &Path,
        field: &str,
        value: Option<&'a Value>,
    ) -> Option<&'a str> {
        let path = field.split('.').fold(root.clone(), |path, key| path.key(key));
        let message = match value {
            Some(Value::String(text)) if !text.is_empty() => return Some(text),
            None | Some(Value::Null) => format!("this object has no {field}"),
            Some(Value::String(_)) => format!("{field} is empty"),
            Some(other) => format!("{field} is {}, not a string", text::kind_of(other)),
        };
        let finding = Diagnostic::new(&rules::OBJECT_FIELD_MISSING, message).at(document.place(&path));
        let finding = match value {
            Some(Value::Number(_) | Value::Bool(_)) => {
                let written = document.place(&path).text().to_owned();
                finding.help(format!("Quote it: \"{written}\"."))
            }
            None if field == "metadata.name"
                && root.key("metadata").key("generateName").get(document.value()).is_some() =>
            {
                finding.help("Write metadata.name in place of generateName: nothing can refer to a generated name.")
            }
            _ => finding,
        };
        self.diagnostics.push(finding.path(field));
        None
    }
}
