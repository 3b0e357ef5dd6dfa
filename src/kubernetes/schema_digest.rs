//! Digests of the schemas of CustomResourceDefinitions. A reduced definition contains them instead of the schemas.

use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The key of the digest in a version of a reduced definition.
pub(crate) const KEY: &str = "schemaDigest";

/// Returns the digest of the schema of a version, which does not depend on descriptions; `None` if the version has
/// neither a schema nor its digest.
pub(crate) fn of(version: &Value) -> Option<String> {
    if let Some(known) = version.get(KEY).and_then(Value::as_str) {
        return Some(known.to_owned());
    }
    let schema = version.pointer("/schema/openAPIV3Schema")?;
    let mut hasher = DefaultHasher::new();
    feed(schema, &mut hasher);
    Some(format!("{:016x}", hasher.finish()))
}

/// Hashes a schema without its descriptions. A property may be called `description`, but its value is an object.
fn feed(schema: &Value, hasher: &mut DefaultHasher) {
    match schema {
        Value::Object(keys) => {
            let is_description = |key: &str, value: &Value| key == "description" && value.is_string();
            let kept = keys.iter().filter(|(key, value)| !is_description(key, value));
            let mut kept: Vec<(&String, &Value)> = kept.collect();
            kept.sort_by_key(|(key, _)| *key);
            ('{', kept.len()).hash(hasher);
            for (key, value) in kept {
                key.hash(hasher);
                feed(value, hasher);
            }
        }
        Value::Array(items) => {
            ('[', items.len()).hash(hasher);
            for item in items {
                feed(item, hasher);
            }
        }
        other => other.to_string().hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_changes_of_what_a_schema_accepts_change_its_digest() {
        let of = |schema: Value| of(&json!({"name": "v1", "schema": {"openAPIV3Schema": schema}})).unwrap();
        let first =
            of(json!({"type": "object", "properties": {"description": {"type": "string", "description": "a"}}}));
        let described =
            of(json!({"properties": {"description": {"description": "b", "type": "string"}}, "type": "object"}));
        assert_eq!(first, described);
        assert_ne!(
            first,
            of(json!({"type": "object", "properties": {"description": {"type": "integer"}}}))
        );
        assert_ne!(first, of(json!({"type": "object", "properties": {}})));
        assert_eq!(super::of(&json!({"name": "v1", KEY: first})), Some(first));
        assert_eq!(super::of(&json!({"name": "v1", "schema": {}})), None);
    }
}
