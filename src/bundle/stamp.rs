//! Sets the values that the caller chooses for a bundle, in the author's text. Comments and layout are preserved.

use super::edit::{EditError, Edits};
use super::versioned_name::with_version;
use super::{Bundle, BundleLimits, MediaType};
use crate::manifest::Object;
use crate::olm::annotation::{CONTAINER_IMAGE, EXAMPLES};
use crate::text::Path;
use crate::tree::Tree;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The values that the caller chooses for a bundle.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stamp {
    /// The version. If the bundle name ends in the old version, or in the old version and the release, the name gets
    /// the new version.
    pub version: Option<String>,
    /// The name of the bundle that this bundle replaces.
    pub replaces: Option<String>,
    /// The sample custom resources of a `k8s+v1` bundle, which replace the existing samples.
    pub examples: Option<Vec<Value>>,
    /// The APIs of resources that RBAC rules name, with the kinds that the caller specifies; only for a `k8s+v1`
    /// bundle.
    pub apis: Vec<ApiHint>,
    /// Keys of `olm.yaml` and their new values.
    pub refreshed: Vec<(&'static str, Value)>,
    /// Entries to add to the related images.
    pub related_images: Vec<Value>,
    /// Images to replace in the existing related images, each with its replacement.
    pub replaced_images: BTreeMap<String, String>,
    /// The value of the annotation `containerImage` of a `k8s+v1` bundle that has this annotation.
    pub container_image: Option<String>,
}

/// The API of a resource that RBAC rules name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiHint {
    /// API group.
    pub group: String,
    /// Plural name.
    pub resource: String,
    /// Kind.
    pub kind: String,
    /// Version.
    pub version: String,
    /// Whether the cluster itself serves the API. An existing entry keeps its dependency.
    pub native: bool,
    /// The position of the entry in `apis` that lacks the kind and version; `None` if a new entry is needed.
    pub entry: Option<usize>,
}

impl ApiHint {
    /// Returns the entry of `apis` in `olm.yaml`.
    pub fn to_value(&self) -> Value {
        let mut value =
            json!({"group": self.group, "resource": self.resource, "kind": self.kind, "version": self.version});
        if self.native {
            value["dependency"] = json!("native");
        }
        value
    }
}

/// Writes the stamp into `metadata/olm.yaml`, or into the `ClusterServiceVersion` of a `registry+v1` bundle.
///
/// # Errors
/// Returns an error if the changed file exceeds a limit, or if its form does not allow the edit.
pub(crate) fn stamp(tree: &mut Tree, bundle: &Bundle, stamp: &Stamp, limits: &BundleLimits) -> Result<(), EditError> {
    let plain = bundle.media_type == MediaType::K8sV1;
    let csv = bundle.csv().map(Object::document);
    let (document, root) = match (&bundle.olm, csv) {
        (Some(olm), _) if plain => (olm, Path::root()),
        (_, Some((document, root))) if !plain => (document, root.clone()),
        _ => return Ok(()),
    };
    let (name, spec) = if plain {
        (root.key("name"), root.clone())
    } else {
        (root.key("metadata").key("name"), root.key("spec"))
    };
    let mut edits = Edits::default();
    if let Some(version) = &stamp.version {
        let text = |path: &Path| path.get(document.value()).and_then(Value::as_str);
        let old = text(&spec.key("version")).unwrap_or_default();
        let renamed = text(&name).and_then(|name| with_version(name, text(&spec.key("release")), old, version));
        if let (Some(renamed), Some(parent)) = (renamed, name.parent()) {
            edits.set(document, &parent, "name", &json!(renamed));
        }
        edits.set(document, &spec, "version", &json!(version));
    }
    if let Some(replaces) = &stamp.replaces {
        edits.set(document, &spec, "replaces", &json!(replaces));
    }
    let related = spec.key("relatedImages");
    let entries = related.get(document.value()).and_then(Value::as_array);
    for index in 0..entries.map_or(0, Vec::len) {
        let path = related.index(index).key("image");
        let image = path.get(document.value()).and_then(Value::as_str);
        if let Some(new) = image.and_then(|image| stamp.replaced_images.get(image)) {
            edits.replace_text(document, &path, new);
        }
    }
    if !stamp.related_images.is_empty() {
        edits.extend(document, &spec, "relatedImages", &stamp.related_images);
    }
    if plain {
        for (key, value) in &stamp.refreshed {
            edits.set(document, &root, key, value);
        }
        let shown = root.key("annotations").key(CONTAINER_IMAGE);
        if let Some(image) = &stamp.container_image
            && shown.get(document.value()).is_some()
        {
            edits.replace_text(document, &shown, image);
        }
        if let Some(examples) = &stamp.examples {
            let annotations = root.key("annotations");
            let map = annotations.get(document.value()).and_then(Value::as_object);
            if map.is_some_and(|map| !map.is_empty()) {
                edits.set(document, &annotations, EXAMPLES, &json!(examples));
            } else {
                edits.set(document, &root, "annotations", &json!({ EXAMPLES: examples }));
            }
        }
        let mut added = Vec::new();
        for hint in &stamp.apis {
            if let Some(entry) = hint.entry {
                let entry = root.key("apis").index(entry);
                // The version and kind set by the author stay.
                for (key, value) in [("version", &hint.version), ("kind", &hint.kind)] {
                    let said = entry.key(key).get(document.value()).is_some_and(|said| !said.is_null());
                    if !said {
                        edits.set(document, &entry, key, &json!(value));
                    }
                }
            } else {
                added.push(hint.to_value());
            }
        }
        if !added.is_empty() {
            edits.extend(document, &root, "apis", &added);
        }
    }
    edits.apply(tree, limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle;

    fn both() -> Stamp {
        Stamp {
            version: Some("1.1.0".to_owned()),
            replaces: Some("op.v1.0.0".to_owned()),
            ..Stamp::default()
        }
    }

    fn stamped(path: &str, text: &str, wanted: &Stamp) -> String {
        let limits = BundleLimits::default();
        let mut tree = Tree::new("operator");
        tree.insert(
            "manifests/a.yaml",
            b"kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n".to_vec(),
            &limits.tree,
        )
        .unwrap();
        tree.insert(path, text.as_bytes().to_vec(), &limits.tree).unwrap();
        let bundle = bundle::read(&tree, &limits.text).bundle.unwrap();
        stamp(&mut tree, &bundle, wanted, &limits).unwrap();
        String::from_utf8(tree.get(path).unwrap().to_vec()).unwrap()
    }

    #[test]
    fn olm_yaml_keeps_its_comments() {
        let text = "# ours\nname: op.v1.0.0 # by custom\nversion: '1.0.0'\n";
        assert_eq!(
            stamped(bundle::OLM_YAML, text, &both()),
            "# ours\nname: op.v1.1.0 # by custom\nreplaces: op.v1.0.0\nversion: '1.1.0'\n"
        );
    }

    #[test]
    fn a_name_with_a_release_keeps_the_release() {
        let text = "name: op-v1.0.0-1\nversion: 1.0.0\nrelease: '1'\n";
        let wanted = "replaces: op.v1.0.0\nname: op-v1.1.0-1\nversion: 1.1.0\nrelease: '1'\n";
        assert_eq!(stamped(bundle::OLM_YAML, text, &both()), wanted);
    }

    #[test]
    fn a_csv_is_changed_in_place() {
        let text = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: op.v1.0.0\n\
                    spec:\n  version: 1.0.0\n  replaces: op.v0.9.0\n";
        let wanted = text.replace("1.0.0", "1.1.0").replace("v0.9.0", "v1.0.0");
        assert_eq!(stamped("manifests/op.csv.yaml", text, &both()), wanted);
    }

    #[test]
    fn flow_style_is_kept() {
        assert_eq!(
            stamped(bundle::OLM_YAML, "{name: op.v1.0.0, version: 1.0.0}\n", &both()),
            "{\"replaces\": \"op.v1.0.0\", name: op.v1.1.0, version: 1.1.0}\n"
        );
    }

    fn examples() -> Stamp {
        Stamp {
            examples: Some(vec![json!({"kind": "Foo", "spec": {"text": "a\nb\n", "on": "on"}})]),
            ..Stamp::default()
        }
    }

    fn hints(entry: Option<usize>) -> Stamp {
        let hint = ApiHint {
            group: "example.com".to_owned(),
            resource: "foos".to_owned(),
            kind: "Foo".to_owned(),
            version: "v1".to_owned(),
            native: false,
            entry,
        };
        Stamp {
            apis: vec![hint],
            ..Stamp::default()
        }
    }

    fn read_back(text: &str) -> Value {
        let reading = crate::text::read("olm", text.as_bytes(), &crate::text::Limits::default());
        assert!(reading.diagnostics.is_empty(), "{text}");
        reading.documents[0].value().clone()
    }

    #[test]
    fn existing_examples_are_replaced_in_every_form() {
        let wanted = json!([{"kind": "Foo", "spec": {"text": "a\nb\n", "on": "on"}}]);
        for olm in [
            "# ours\nname: a # here\n",
            "annotations:\n  # first\n  a: b\nname: a\n",
            "annotations: {a: b}\nname: a\n",
            "annotations:\nname: a\n",
            "annotations: {}\nname: a\n",
            "name: a\nannotations:\n  a: b\n  alm-examples: []\n",
            "name: a\nannotations:\n  a: b\n  alm-examples: [] # none\n  c: d\n",
            "annotations:\n  alm-examples:\n  - kind: Bar\n    name: a\n  a: b\nname: a\n",
            "annotations:\n  alm-examples: |-\n    [\n    ]\n  a: b\nname: a\n",
            "annotations:\n  alm-examples: |\n    [\n    ]\n",
            "annotations:\n  alm-examples: >\n    []",
            "annotations:\n  alm-examples: '[]'\nname: a",
            "{annotations: {alm-examples: [{a: b}]}, name: a}\n",
            "{\"name\": \"a\"}\n",
        ] {
            let text = stamped(bundle::OLM_YAML, olm, &examples());
            let (value, old) = (read_back(&text), read_back(olm));
            assert_eq!(value["annotations"]["alm-examples"], wanted, "{olm}{text}");
            assert_eq!(value["name"], old["name"], "{olm}{text}");
            for key in ["a", "c"] {
                assert_eq!(value["annotations"][key], old["annotations"][key], "{olm}{text}");
            }
            for comment in ["# ours", "# here", "# first", "# none"] {
                assert_eq!(text.contains(comment), olm.contains(comment), "{olm}{text}");
            }
        }
    }

    #[test]
    fn hints_are_added_to_existing_ones() {
        let text = stamped(
            bundle::OLM_YAML,
            "apis:\n- {group: a, resource: b} # ours\nname: a\n",
            &hints(None),
        );
        let added = "apis:\n- {group: example.com, resource: foos, kind: Foo, version: v1}\n- {group: a, resource: b} # ours\nname: a\n";
        assert_eq!(text, added);
        for olm in [
            "name: a\n",
            "apis:\n  - group: a\n    resource: b\n",
            "apis:\n- # ours\n  group: a\n  resource: b\n",
            "apis: []\nname: a\n",
            "apis:\nname: a\n",
            "apis: [{group: a, resource: b}]\n",
            "{\"apis\": [{\"group\": \"a\", \"resource\": \"b\"}]}",
        ] {
            let value = read_back(&stamped(bundle::OLM_YAML, olm, &hints(None)));
            let old = read_back(olm)["apis"].as_array().cloned().unwrap_or_default();
            let apis = value["apis"].as_array().unwrap();
            assert_eq!(apis[0]["kind"], "Foo", "{olm}");
            assert_eq!(apis[1..], old, "{olm}");
        }
    }

    #[test]
    fn a_hint_without_a_kind_is_completed_in_place() {
        let olm =
            "apis:\n- group: a\n  resource: b\n- group: example.com # ours\n  resource: foos\n  dependency: native\n";
        let text = stamped(bundle::OLM_YAML, olm, &hints(Some(1)));
        let wanted = "apis:\n- group: a\n  resource: b\n- kind: Foo\n  version: v1\n  group: example.com # ours\n  resource: foos\n  dependency: native\n";
        assert_eq!(text, wanted);
        let olm = "apis:\n- group: example.com\n  resource: foos\n  kind: Fool\n  version:\n";
        let value = read_back(&stamped(bundle::OLM_YAML, olm, &hints(Some(0))));
        let said = (&value["apis"][0]["kind"], &value["apis"][0]["version"]);
        assert_eq!(said, (&json!("Fool"), &json!("v1")), "what the author says stays");
        let text = stamped(
            bundle::OLM_YAML,
            "apis: [{group: example.com, resource: foos}]\n",
            &hints(Some(0)),
        );
        assert_eq!(read_back(&text)["apis"][0], hints(None).apis[0].to_value());
    }
}
