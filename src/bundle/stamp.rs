//! Setting the version of a bundle, and what it replaces, in the author's own text: comments and layout stay.

use super::{Bundle, MediaType};
use crate::manifest::Object;
use crate::source::Place;
use crate::text::{Document, Path, to_yaml};
use crate::tree::{Tree, TreeError, TreeLimits};
use serde_json::Value;

/// What a pipeline decides about a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The version. A name that ends in the old version gets the new one.
    pub version: Option<String>,
    /// The name of the bundle that this one replaces.
    pub replaces: Option<String>,
}

/// Writes the stamp into `metadata/olm.yaml`, or into the `ClusterServiceVersion` of a `registry+v1` bundle.
///
/// # Errors
/// When the changed file passes a limit.
pub fn stamp(tree: &mut Tree, bundle: &Bundle, stamp: &Stamp, limits: &TreeLimits) -> Result<(), TreeError> {
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
    let mut edits = Vec::new();
    if let Some(version) = &stamp.version {
        let text = |path: &Path| path.get(document.value()).and_then(Value::as_str);
        let old = text(&spec.key("version")).unwrap_or_default();
        if let Some(prefix) = text(&name)
            .and_then(|name| name.strip_suffix(old))
            .filter(|_| !old.is_empty())
        {
            edits.push((document.place(&name), scalar(&format!("{prefix}{version}"))));
        }
        edits.extend(set(document, &spec, "version", version));
    }
    if let Some(replaces) = &stamp.replaces {
        edits.extend(set(document, &spec, "replaces", replaces));
    }
    apply(tree, document, edits, limits)
}

type Change = (Place, String);

/// Replaces the value of a key, or puts the key before the first one of its map.
fn set(document: &Document, map: &Path, key: &str, value: &str) -> Option<Change> {
    let path = map.key(key);
    if path.get(document.value()).is_some() {
        return Some((document.place(&path), scalar(value)));
    }
    let first = map.get(document.value())?.as_object()?.keys().next()?;
    let place = document.key_place(&map.key(first));
    let text = document.source().text();
    let start = place.span.start;
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[line..start];
    let entry = if indent.trim().is_empty() {
        format!("{key}: {}\n{indent}", scalar(value))
    } else {
        format!("\"{key}\": {}, ", Value::from(value))
    };
    Some((Place::new(document.source(), start..start), entry))
}

/// The text as YAML writes it on one line.
fn scalar(text: &str) -> String {
    to_yaml(&Value::from(text)).trim_end().to_owned()
}

fn apply(tree: &mut Tree, document: &Document, mut edits: Vec<Change>, limits: &TreeLimits) -> Result<(), TreeError> {
    let source = document.source();
    let origin = format!("{}/", tree.origin().trim_end_matches('/'));
    let Some(path) = source.name().strip_prefix(&origin).map(str::to_owned) else {
        return Ok(());
    };
    let mut text = source.text().to_owned();
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.span.start));
    for (place, replacement) in edits {
        text.replace_range(place.span, &replacement);
    }
    tree.insert(&path, text.into_bytes(), limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle;
    use crate::text::Limits;

    fn stamped(path: &str, text: &str) -> String {
        let limits = TreeLimits::default();
        let mut tree = Tree::new("operator");
        tree.insert(
            "manifests/a.yaml",
            b"kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n".to_vec(),
            &limits,
        )
        .unwrap();
        tree.insert(path, text.as_bytes().to_vec(), &limits).unwrap();
        let bundle = bundle::read(&tree, &Limits::default()).bundle.unwrap();
        let wanted = Stamp {
            version: Some("1.1.0".to_owned()),
            replaces: Some("op.v1.0.0".to_owned()),
        };
        stamp(&mut tree, &bundle, &wanted, &limits).unwrap();
        String::from_utf8(tree.get(path).unwrap().to_vec()).unwrap()
    }

    #[test]
    fn olm_yaml_keeps_its_comments() {
        let text = "# ours\nname: op.v1.0.0 # by custom\nversion: '1.0.0'\n";
        assert_eq!(
            stamped(bundle::OLM_YAML, text),
            "# ours\nreplaces: op.v1.0.0\nname: op.v1.1.0 # by custom\nversion: 1.1.0\n"
        );
    }

    #[test]
    fn a_csv_is_changed_where_it_stands() {
        let text = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: op.v1.0.0\n\
                    spec:\n  version: 1.0.0\n  replaces: op.v0.9.0\n";
        let wanted = text.replace("1.0.0", "1.1.0").replace("v0.9.0", "v1.0.0");
        assert_eq!(stamped("manifests/op.csv.yaml", text), wanted);
    }

    #[test]
    fn flow_style_stays_flow_style() {
        assert_eq!(
            stamped(bundle::OLM_YAML, "{name: op.v1.0.0, version: 1.0.0}\n"),
            "{\"replaces\": \"op.v1.0.0\", name: op.v1.1.0, version: 1.1.0}\n"
        );
    }
}
