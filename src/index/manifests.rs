//! The manifests of a bundle as the table `operatorbundle` holds them.

use serde::Deserialize;
use std::borrow::Cow;

/// The JSON documents of the column `bundle`, each without the white space around it.
///
/// # Errors
/// When the text is not a sequence of JSON documents.
pub fn documents(stored: &str) -> Result<Vec<&str>, serde_json::Error> {
    let lines = || stored.lines().map(str::trim).filter(|line| !line.is_empty());
    // Indexes hold one document a line. A line break never stands inside a JSON string, and where one document is
    // broken over lines, some line of it does not both begin with `{` and end with `}`.
    if lines().all(|line| line.starts_with('{') && line.ends_with('}')) {
        return Ok(lines().collect());
    }
    let mut stream = serde_json::Deserializer::from_str(stored).into_iter::<serde::de::IgnoredAny>();
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

/// The kind of the object in a JSON document; empty where it says none.
pub fn kind(document: &str) -> Cow<'_, str> {
    // The order in which indexes write keys puts the kind right behind the API version.
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

/// The name that the ClusterServiceVersion shows to people.
pub fn display_name(csv: &str) -> Option<String> {
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

    #[test]
    fn documents_are_found_in_lines_and_over_lines() {
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
    fn the_kind_is_read_from_any_order_of_keys() {
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
    fn a_display_name_may_be_absent() {
        assert_eq!(
            display_name("{\"spec\":{\"displayName\":\"etcd\"}}").as_deref(),
            Some("etcd")
        );
        assert_eq!(display_name("{\"spec\":{}}"), None);
    }
}
