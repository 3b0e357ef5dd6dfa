//! The stored form of a bundle's manifests in indexes: a sequence of JSON documents.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// Splits a string into its JSON documents, each without the surrounding white space.
///
/// # Errors
/// Returns an error if the string is not a sequence of JSON documents.
pub(crate) fn documents(stored: &str) -> Result<Vec<&str>, serde_json::Error> {
    let lines = || lines(stored).map(str::trim).filter(|line| !line.is_empty());
    // Indexes contain one document per line. A JSON string never contains a line break. If a document spans several
    // lines, at least one of the lines lacks a `{` at its beginning or a `}` at its end.
    if lines().all(|line| line.starts_with('{') && line.ends_with('}') && holds_one(line)) {
        return Ok(lines().collect());
    }
    let mut stream = serde_json::Deserializer::from_str(stored).into_iter::<IgnoredAny>();
    let (mut documents, mut start) = (Vec::new(), 0);
    while let Some(document) = stream.next() {
        document?;
        let end = stream.byte_offset();
        documents.extend(stored.get(start..end).map(str::trim));
        start = end;
    }
    Ok(documents)
}

#[derive(Deserialize)]
struct Kinded<'text> {
    #[serde(borrow, default)]
    kind: Cow<'text, str>,
}

/// Iterates over the lines of a string; the lines may be long.
fn lines(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
        let (line, rest) = text.split_at_checked(end).filter(|_| !text.is_empty())?;
        text = rest.strip_prefix('\n').unwrap_or_default();
        Some(line)
    })
}

/// Returns whether a line of documents contains only one. The line is parsed if it seems to contain two, because the
/// text in a string, such as a template, can look like the start of a second document.
fn holds_one(line: &str) -> bool {
    let bytes = line.as_bytes();
    let mut starts = memchr::memchr_iter(b'{', bytes);
    let seems_to_hold_two = starts.any(|at| {
        let before = bytes.get(..at).unwrap_or_default();
        before.trim_ascii_end().last() == Some(&b'}')
    });
    !seems_to_hold_two || serde_json::from_str::<IgnoredAny>(line).is_ok()
}

/// Returns the kind of the object in a JSON document, or an empty string if it has none.
pub(crate) fn kind(document: &str) -> Cow<'_, str> {
    // In the usual key order of indexes, the kind directly follows the API version.
    if let Some(rest) = document.strip_prefix("{\"apiVersion\":\"")
        && let Some((version, rest)) = rest.split_once('"')
        && let Some(rest) = rest.strip_prefix(",\"kind\":\"")
        && let Some((kind, _)) = rest.split_once('"')
        && !version.contains('\\')
        && !kind.contains('\\')
    {
        return Cow::Borrowed(kind);
    }
    serde_json::from_str::<Kinded<'_>>(document).map_or(Cow::Borrowed(""), |object| object.kind)
}

/// Returns the display name of the ClusterServiceVersion.
pub(crate) fn display_name(csv: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Csv {
        spec: Spec,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Spec {
        display_name: Option<String>,
    }
    serde_json::from_str::<Csv>(csv).ok()?.spec.display_name
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![any::<bool>().prop_map(Value::from), ".{0,8}".prop_map(Value::from)];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[a-z{}\\[\\]\\n]{0,4}", inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn documents_are_found_in_any_layout(
            stored in prop::collection::vec((value(), any::<bool>(), "[ \n]{0,2}"), 0..5)
        ) {
            let objects = stored.iter().map(|(value, ..)| serde_json::json!({"kind": "K", "of": value}));
            let objects: Vec<_> = objects.collect();
            let text: String = objects
                .iter()
                .zip(&stored)
                .map(|(object, (_, pretty, space))| {
                    let text = if *pretty { format!("{object:#}") } else { object.to_string() };
                    text + space
                })
                .collect();
            let found = documents(&text).unwrap();
            for document in &found {
                prop_assert_eq!(kind(document), "K");
            }
            let found: Vec<Value> = found.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
            prop_assert_eq!(found, objects);
        }

        #[test]
        fn text_that_is_not_a_document_is_harmless(text in "[{}\\[\\]\":,a \n]{0,40}") {
            let _ = documents(&text);
            let _ = kind(&text);
            let _ = display_name(&text);
        }
    }

    #[test]
    fn a_line_with_braces_in_a_string_holds_one_document() {
        assert!(holds_one(r#"{"a":"{{ b }} {{ c }}/{{ d }}"}"#));
        for two in [r#"{"a":1}{"b":2}"#, r#"{"a":"} {"} {"b":2}"#] {
            assert!(!holds_one(two), "{two}");
        }
    }

    #[test]
    fn documents_are_found_on_one_line_and_across_lines() {
        let lines = "{\"a\":\"\\n}{\"}\n{\"b\":{}}\n";
        assert_eq!(documents(lines).unwrap(), ["{\"a\":\"\\n}{\"}", "{\"b\":{}}"]);
        let broken = "{\n  \"a\": [\n{\"b\":1}\n]}\n{\"c\":{}}";
        assert_eq!(
            documents(broken).unwrap(),
            ["{\n  \"a\": [\n{\"b\":1}\n]}", "{\"c\":{}}"]
        );
        assert_eq!(documents("{\"a\":1} {\"b\":2}\n[").unwrap_err().line(), 2);
        assert!(documents("").unwrap().is_empty());
    }

    #[test]
    fn the_kind_is_read_regardless_of_key_order() {
        assert_eq!(
            kind("{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"spec\":{}}"),
            "Service"
        );
        assert_eq!(
            kind("{\"kind\": \"Ser\\u0076ice\", \"spec\": {\"kind\":\"No\"}}"),
            "Service"
        );
        assert_eq!(kind("{\"apiVersion\":\"v1\"}"), "");
        assert_eq!(kind("[1"), "");
    }

    #[test]
    fn a_display_name_is_optional() {
        assert_eq!(
            display_name("{\"spec\":{\"displayName\":\"etcd\"}}").as_deref(),
            Some("etcd")
        );
        assert_eq!(display_name("{\"spec\":{}}"), None);
    }
}
