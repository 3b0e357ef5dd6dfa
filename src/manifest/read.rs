//! Reads the files of a folder into Kubernetes objects.

use super::Object;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::GroupVersionKind;
use crate::rules;
use crate::text::{self, Document, Limits, Path, source_edit};
use crate::tree::Tree;
use serde_json::Value;

/// The folder layout of bundle manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `registry+v1`: the files directly in the folder, with any extension. Subfolders and names that begin with a dot
    /// are skipped, and only the first document of each file is read. An object must have a kind; an absent version or
    /// name is read as an empty string.
    Flat,
    /// `k8s+v1`: the YAML and JSON files in all folders, with all documents and the items of lists.
    Nested,
}

/// The objects in the order of paths and documents, and the findings about the files.
#[derive(Debug, Default)]
pub struct Manifests {
    /// The objects that could be read.
    pub objects: Vec<Object>,
    /// The objects in a folder of the layout [`Layout::Flat`] that OLM v0 does not read, but OLM v1 does: further
    /// documents of files, and the items of lists.
    pub passed_over: Vec<Object>,
    /// Findings from reading. A file with an error contributes the objects that could be read.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of documents that have neither an API version nor a kind, such as the values of a Helm chart. Each of
    /// them is also a finding.
    pub foreign: usize,
}

/// Returns the manifest files below `folder` of a tree, each with its name as shown in findings.
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

/// Reads the objects below `folder` of a tree. Returns no objects if the files together exceed a limit.
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

/// Returns a path that the user can open: the folder that the user named, followed by the path of the file in it.
fn shown_path(origin: &str, path: &str) -> String {
    if origin.is_empty() {
        path.to_owned()
    } else {
        format!("{}/{path}", origin.trim_end_matches('/'))
    }
}

/// Whether the name of a file identifies it as a manifest.
pub(crate) fn has_manifest_extension(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| ["yaml", "yml", "json"].contains(&extension))
}

/// Returns the items of a `List`, or of a list of a specific kind.
pub(crate) fn items(value: Option<&Value>) -> Option<&Vec<Value>> {
    let kind = value?.get("kind")?.as_str()?;
    kind.ends_with("List").then(|| value?.get("items")?.as_array())?
}

/// Whether the value is a `List`, or a list of a specific kind.
pub(crate) fn is_list(value: Option<&Value>) -> bool {
    items(value).is_some()
}

/// Returns the finding for a field with a key in the wrong capitalization, on the way to `field`.
fn miscapitalized(document: &Document, root: &Path, field: &str) -> Option<Diagnostic> {
    let mut map = root.clone();
    for key in field.split('.') {
        if let Some(path) = source_edit::miscapitalized(document, &map, key) {
            let place = document.key_place(&path);
            let message = format!("the key {} must be written as {key}", place.text());
            let finding = Diagnostic::new(&rules::OBJECT_FIELD_MISSING, message).at(place);
            let finding = finding.help("Use exactly this capitalization, because the API server accepts no other.");
            return Some(
                finding
                    .path(field)
                    .fixed_by(source_edit::recapitalize(document, &path, key)),
            );
        }
        map = map.key(key);
    }
    None
}

impl Manifests {
    /// Reads an additional file, or a stream of documents such as the output of kustomize.
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
        if is_list(Some(first.value())) {
            self.pass_over(&first);
        }
        if let Some(second) = documents.next() {
            for document in std::iter::once(&second).chain(documents.as_slice()) {
                self.pass_over(document);
            }
            let finding = Diagnostic::new(
                &rules::YAML_EXTRA_DOCUMENT,
                "only the first document of a file is read in a registry+v1 bundle",
            );
            self.diagnostics.push(finding.at(second.place(&Path::root())));
        }
    }

    /// Reads an object that is in no file, such as a ClusterServiceVersion that opmx makes.
    pub(crate) fn read_value(&mut self, name: &str, value: Value) {
        self.open_one(&Document::of_value(name, value), &Path::root(), Layout::Flat);
    }

    /// Keeps the objects of a document that OLM v0 does not read.
    fn pass_over(&mut self, document: &Document) {
        let root = Path::root();
        let paths = match items(Some(document.value())) {
            Some(items) => (0..items.len()).map(|index| root.key("items").index(index)).collect(),
            None => vec![root],
        };
        for path in paths {
            let Some(value) = path.get(document.value()) else {
                continue;
            };
            let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
            let Some(kind) = text("/kind") else { continue };
            let gvk = GroupVersionKind::from_api_version(text("/apiVersion").unwrap_or_default(), kind);
            let (name, namespace) = (text("/metadata/name").unwrap_or_default(), text("/metadata/namespace"));
            let object = Object::new(document.clone(), path.clone(), gvk, name, namespace);
            self.passed_over.push(object);
        }
    }

    fn open(&mut self, document: &Document, path: &Path, layout: Layout) {
        let value = path.get(document.value());
        match items(value) {
            Some(items) => {
                for index in 0..items.len() {
                    self.open_one(document, &path.key("items").index(index), layout);
                }
            }
            None => self.open_one(document, path, layout),
        }
    }

    fn open_one(&mut self, document: &Document, root: &Path, layout: Layout) {
        let Some(Value::Object(map)) = root.get(document.value()) else {
            let finding = Diagnostic::new(&rules::OBJECT_NOT_A_MAP, "this document is not a Kubernetes object");
            self.diagnostics.push(finding.at(document.place(root)));
            return;
        };
        let metadata = map.get("metadata").and_then(Value::as_object);
        let lacks = |field: &str| {
            map.get(field).is_none_or(Value::is_null) && source_edit::miscapitalized(document, root, field).is_none()
        };
        if lacks("apiVersion") && lacks("kind") {
            let message = "this document is not a Kubernetes object, because it has no apiVersion and no kind";
            let finding = Diagnostic::new(&rules::OBJECT_FIELD_MISSING, message).at(document.place(root));
            self.diagnostics.push(finding.path("kind"));
            self.foreign += 1;
            return;
        }
        let is_nameless = metadata.is_none_or(|metadata| !metadata.contains_key("name"));
        if layout == Layout::Nested && is_nameless && items(root.get(document.value())).is_some() {
            let finding = Diagnostic::new(&rules::OBJECT_FIELD_MISSING, "a List inside a List is not read");
            let finding = finding.help("Move its items to the outer List, or remove it.");
            self.diagnostics.push(finding.at(document.place(root)));
            return;
        }
        let is_list = layout == Layout::Flat && is_list(root.get(document.value()));
        let api_version = self.required(document, root, "apiVersion", map.get("apiVersion"));
        let kind = self.required(document, root, "kind", map.get("kind"));
        let name = metadata.and_then(|metadata| metadata.get("name"));
        let name = if is_list {
            let message = "the objects in a List are not read in a registry+v1 bundle";
            let finding = Diagnostic::new(&rules::OBJECT_FIELD_MISSING, message);
            let finding = finding.help("Put each object of the List into a file of its own.");
            self.diagnostics.push(finding.at(document.place(&root.key("kind"))));
            name.and_then(Value::as_str)
        } else {
            self.required(document, root, "metadata.name", name)
        };
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
        if value.is_none()
            && let Some(finding) = miscapitalized(document, root, field)
        {
            if !self.diagnostics.contains(&finding) {
                self.diagnostics.push(finding);
            }
            return None;
        }
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
                finding.help(format!("Quote the value: \"{written}\"."))
            }
            None if field == "metadata.name"
                && root.key("metadata").key("generateName").get(document.value()).is_some() =>
            {
                finding
                    .help("Use metadata.name instead of generateName, because nothing can refer to a generated name.")
            }
            _ => finding,
        };
        self.diagnostics.push(finding.path(field));
        None
    }
}
