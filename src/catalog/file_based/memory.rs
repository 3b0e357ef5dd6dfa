//! An estimate of the memory that a reader needs for a catalog's documents if it keeps names, edges and properties, but
//! not manifests.

use super::{Schema, document};
use crate::olm::property::holds_manifests;
use serde_json::value::RawValue;

/// The bytes for a document's position in the catalog, in addition to its names.
const DOCUMENT: usize = 256;
/// The bytes for an entry in addition to its names, or for a property in addition to its value.
const ITEM: usize = 96;
/// The bytes for a string in addition to its text.
const STRING: usize = 32;

/// Returns an estimate, which may be too high, of the number of bytes that are kept in memory for a document with this
/// schema. `field` returns the values of the document's fields.
pub(super) fn kept<'a>(schema: &Schema, field: impl Fn(&str) -> Option<&'a RawValue>) -> usize {
    let length = |name: &str| field(name).map_or(0, |value| value.get().len());
    let names = ["schema", "package", "name"].map(length).iter().sum::<usize>();
    if !schema.is_of_olm() {
        return DOCUMENT + names;
    }
    let entries = field("entries").map_or(0, |entries| of_entries(entries.get()));
    let properties = field("properties").map_or(0, of_properties);
    DOCUMENT + names + length("image") + entries + properties
}

fn of_entries(entries: &str) -> usize {
    let count = |byte: u8| memchr::memchr_iter(byte, entries.as_bytes()).count();
    entries.len() + count(b'{') * ITEM + count(b'"') / 2 * STRING
}

fn of_properties(properties: &RawValue) -> usize {
    let properties = document::properties(Some(properties)).unwrap_or_default();
    let kept = properties.iter().filter(|property| !holds_manifests(&property.kind));
    // Catalog servers also keep the encoded value.
    kept.map(|property| ITEM + property.kind.len() + 2 * property.value.get().len())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::document::Document;
    use super::*;

    fn kept_of(json: &str) -> usize {
        let document = Document::from_json(json).unwrap();
        kept(&document.schema().unwrap(), |name| document.field(name))
    }

    #[test]
    fn manifests_and_icons_are_not_kept_in_memory() {
        let small = r#"{"schema":"olm.bundle","name":"a","properties":[]}"#;
        let large = "x".repeat(10_000);
        let objects = format!(
            r#"{{"schema":"olm.bundle","name":"a","properties":[{{"type":"olm.bundle.object","value":{{"data":"{large}"}}}}]}}"#
        );
        assert_eq!(kept_of(&objects), kept_of(small));
        let package = format!(r#"{{"schema":"olm.package","name":"a","description":"{large}"}}"#);
        assert!(kept_of(&package) < 1_000);
    }

    #[test]
    fn edges_and_properties_are_kept_in_memory() {
        let channel =
            r#"{"schema":"olm.channel","name":"a","package":"p","entries":[{"name":"p.v1"},{"name":"p.v2"}]}"#;
        assert!(kept_of(channel) > DOCUMENT + 2 * ITEM);
        let value = "x".repeat(10_000);
        let bundle = format!(r#"{{"schema":"olm.bundle","name":"a","properties":[{{"type":"t","value":"{value}"}}]}}"#);
        assert!(kept_of(&bundle) > 20_000);
    }
}
