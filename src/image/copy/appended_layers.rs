//! Manifests to which other clients add layers: signing tools store all signatures of an image as the layers of one
//! manifest, and replace the manifest to add a signature.

use crate::image::document::Document;
use serde_json::Value;

/// Whether a manifest contains all layers of another one, with the same annotations.
pub fn has_layers_of(found: &Document, planned: &Document) -> bool {
    let planned = layers(planned);
    !planned.is_empty() && lacking(&layers(found), &planned).is_empty()
}

/// Returns the number of layers of a manifest that another one lacks.
pub(super) fn count_lost(found: &Document, planned: &Document) -> usize {
    lacking(&layers(planned), &layers(found)).len()
}

/// Returns the layers of `other` that are not among `layers`. Two signatures of the same text differ only in their
/// annotations.
fn lacking<'v>(layers: &[Value], other: &'v [Value]) -> Vec<&'v Value> {
    other.iter().filter(|layer| !layers.contains(layer)).collect()
}

fn layers(document: &Document) -> Vec<Value> {
    let manifest: Value = serde_json::from_slice(&document.bytes).unwrap_or_default();
    let layers = manifest.get("layers").and_then(Value::as_array);
    layers.cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::manifest::MANIFEST;
    use serde_json::json;

    fn signatures(signatures: &[&str]) -> Document {
        let layer = |signature: &&str| json!({"digest": "sha256:1", "annotations": {"signature": signature}});
        let layers: Vec<Value> = signatures.iter().map(layer).collect();
        Document::new(MANIFEST, json!({"layers": layers}).to_string().into_bytes())
    }

    #[test]
    fn signatures_of_the_same_text_are_distinguished() {
        let [none, one, other, both] = [&[][..], &["1"], &["2"], &["2", "1"]].map(signatures);
        assert!(has_layers_of(&both, &one) && has_layers_of(&one, &one));
        assert!(!has_layers_of(&other, &one) && !has_layers_of(&one, &both) && !has_layers_of(&one, &none));
        assert_eq!(count_lost(&both, &one), 1);
        assert_eq!(count_lost(&one, &both), 0);
        assert_eq!(count_lost(&none, &one), 0);
    }
}
