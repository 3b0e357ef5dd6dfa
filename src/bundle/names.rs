//! Checks the names and file names in a bundle for invisible characters.
//!
//! Names are printed in lists, stored in indexes and shown by consoles. An invisible character in a name could start a
//! new line, control the terminal, or make two different names look the same.

use super::annotations::{CHANNELS, DEFAULT_CHANNEL, PACKAGE};
use super::{Annotations, Bundle, TypedValue, is_csv};
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules;
use crate::shape;
use crate::source::{Place, SourceFile};
use crate::text::{Document, Path, Step};
use crate::tree::Tree;
use crate::visible::hidden_in;
use serde_json::Value;

/// The paths of the names in any object; `*` stands for each item of a list.
const OF_OBJECT: &[&[&str]] = &[
    &["apiVersion"],
    &["kind"],
    &["metadata", "name"],
    &["metadata", "namespace"],
];
/// The paths of names in a `ClusterServiceVersion`, in addition to the paths for any object and in [`APIS`].
const OF_CSV: &[&[&str]] = &[
    &["spec", "version"],
    &["spec", "replaces"],
    &["spec", "skips", "*"],
    &["spec", "relatedImages", "*", "name"],
    &["spec", "relatedImages", "*", "image"],
    &["spec", "install", "spec", "deployments", "*", "name"],
    &["spec", "install", "spec", "permissions", "*", "serviceAccountName"],
    &[
        "spec",
        "install",
        "spec",
        "clusterPermissions",
        "*",
        "serviceAccountName",
    ],
];
/// The lists of APIs below `spec` of a `ClusterServiceVersion` and in `metadata/olm.yaml`.
const APIS: &[&[&str]] = &[
    &["customresourcedefinitions", "owned"],
    &["customresourcedefinitions", "required"],
    &["customresourcedefinitions", "unlisted"],
    &["apiservicedefinitions", "owned"],
    &["apiservicedefinitions", "required"],
    &["nativeAPIs"],
    &["apis"],
];
/// The fields that contain names in an entry of these lists.
const OF_API: &[&str] = &["name", "group", "kind", "version", "resource"];
/// The paths of names in `metadata/olm.yaml`, except for its lists of APIs.
const OF_OLM_YAML: &[&[&str]] = &[
    &["name"],
    &["version"],
    &["release"],
    &["replaces"],
    &["skips", "*"],
    &["relatedImages", "*", "name"],
    &["relatedImages", "*", "image"],
    &["extraServiceAccounts", "*"],
];
/// The paths of names in the manifests from which a `ClusterServiceVersion` is generated: API definitions, workloads
/// and RBAC objects.
const OF_MANIFEST: &[&[&str]] = &[
    &["spec", "group"],
    &["spec", "version"],
    &["spec", "names", "kind"],
    &["spec", "names", "plural"],
    &["spec", "versions", "*", "name"],
    &["spec", "template", "spec", "serviceAccountName"],
    &["rules", "*", "apiGroups", "*"],
    &["rules", "*", "resources", "*"],
    &["subjects", "*", "name"],
];
/// The paths of names in a property or a dependency.
const OF_ENTRY: &[&[&str]] = &[
    &["type"],
    &["value", "packageName"],
    &["value", "group"],
    &["value", "kind"],
    &["value", "version"],
    &["value", "label"],
];

/// Reports the names in a bundle that contain an invisible character.
pub(super) fn check(bundle: &Bundle, diagnostics: &mut Vec<Diagnostic>) {
    let mut names = Names(diagnostics);
    if let Some(annotations) = &bundle.annotations {
        names.of_annotations(annotations);
    }
    for object in &bundle.objects {
        names.of_object(object);
    }
    if let Some(olm) = &bundle.olm {
        names.of_document(olm, &Path::root(), OF_OLM_YAML);
        names.of_apis(olm, &Path::root());
    }
    for entry in bundle.dependencies.iter().chain(&bundle.properties) {
        let (document, path) = TypedValue::entry(entry);
        names.of_document(document, path, OF_ENTRY);
    }
}

/// Reports the files whose paths contain an invisible character.
pub(super) fn check_files(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    let origin = tree.origin().trim_end_matches('/');
    let mut names = Names(diagnostics);
    for (path, _) in tree.iter() {
        let file = || Place::new(&SourceFile::new(format!("{origin}/{path}"), String::new()), 0..0);
        names.look("the path", path, file);
    }
}

struct Names<'d>(&'d mut Vec<Diagnostic>);

impl Names<'_> {
    fn look(&mut self, what: &str, name: &str, place: impl FnOnce() -> Place) {
        if let Some(message) = hidden_in(what, name) {
            let finding = Diagnostic::new(&rules::NAME_HIDDEN_CHARACTER, message);
            self.0.push(finding.at(place()));
        }
    }

    fn of_annotations(&mut self, annotations: &Annotations) {
        for (key, value) in annotations.values() {
            self.look("the annotation", key, || annotations.place(key));
            let what = match key.as_str() {
                PACKAGE => "the package",
                CHANNELS => "one of the channels",
                DEFAULT_CHANNEL => "the default channel",
                _ => continue,
            };
            self.look(what, value, || annotations.place(key));
        }
    }

    fn of_object(&mut self, object: &Object) {
        let (document, path) = object.document();
        self.of_document(document, path, OF_OBJECT);
        if is_csv(object) {
            self.of_document(document, path, OF_CSV);
            self.of_apis(document, &path.key("spec"));
        } else {
            self.of_document(document, path, OF_MANIFEST);
        }
        for map in ["labels", "annotations"] {
            for (key, value) in object.map(&["metadata", map]).into_iter().flatten() {
                let at = Path::from("metadata").key(map).key(key);
                self.look("the key", key, || object.key_place(&at));
                if let ("labels", Some(value)) = (map, value.as_str()) {
                    self.look("the label", value, || object.place(&at));
                }
            }
        }
    }

    /// Checks the names in the lists of APIs below `path`.
    fn of_apis(&mut self, document: &Document, path: &Path) {
        for list in APIS {
            for name in OF_API {
                let place = [list, &["*", name][..]].concat();
                self.of_document(document, path, &[&place]);
            }
        }
    }

    /// Checks the names at these places below `path`.
    fn of_document(&mut self, document: &Document, path: &Path, places: &[&[&str]]) {
        let Some(value) = path.get(document.value()) else {
            return;
        };
        for place in places {
            self.of_value(document, path, value, place);
        }
    }

    fn of_value(&mut self, document: &Document, path: &Path, value: &Value, steps: &[&str]) {
        match (steps, value) {
            ([], Value::String(name)) => {
                let key = path.steps().iter().rev().find_map(|step| match step {
                    Step::Key(key) => Some(&**key),
                    Step::Index(_) => None,
                });
                self.look(&format!("the {}", key.unwrap_or("name")), name, || document.place(path));
            }
            (["*", rest @ ..], Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.of_value(document, &path.index(index), item, rest);
                }
            }
            ([key, rest @ ..], Value::Object(map)) => {
                // Go programs read keys in any capitalization.
                if let Some((key, below)) = shape::entry(map, key) {
                    self.of_value(document, &path.key(key), below, rest);
                }
            }
            _ => {}
        }
    }
}
