//! The syntax of names that the API server requires.

/// The maximum length of a DNS label, such as the name of a namespace.
pub(crate) const MOST_OF_LABEL: usize = 63;

/// Whether the string is a DNS-1123 label: up to 63 characters from `a-z`, `0-9` and `-`, with a letter or digit at
/// both ends.
pub(crate) fn is_dns1123_label(text: &str) -> bool {
    text.len() <= MOST_OF_LABEL && is_dashed(text, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// Describes why the string is not a DNS-1123 label; `None` if it is one.
pub(crate) fn fault_of_dns1123_label(text: &str) -> Option<String> {
    if is_dns1123_label(text) {
        None
    } else if is_dashed(text, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        Some(too_long(text))
    } else {
        let fault = "must consist of lowercase letters, digits and hyphens, with a letter or digit at both ends";
        Some(fault.to_owned())
    }
}

fn too_long(text: &str) -> String {
    format!("has {} characters, but at most 63 are allowed", text.len())
}

/// Whether the string is a DNS-1123 subdomain: labels joined by dots, with up to 253 characters in total.
pub(crate) fn is_dns1123_subdomain(text: &str) -> bool {
    let label = |part: &str| is_dashed(part, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    text.len() <= 253 && text.split('.').all(label)
}

/// Whether the string is a DNS-1035 label: like a DNS-1123 label, but beginning with a letter.
pub(crate) fn is_dns1035_label(text: &str) -> bool {
    is_dns1123_label(text) && text.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Whether the string can name a port of a container: up to 15 characters from `a-z`, `0-9` and `-`, with at least one
/// letter, no two hyphens in a row, and a letter or digit at both ends.
pub(crate) fn is_port_name(text: &str) -> bool {
    text.len() <= 15
        && is_dns1123_label(text)
        && text.bytes().any(|byte| byte.is_ascii_lowercase())
        && !text.contains("--")
}

/// Whether the number can be a port of a container or a Service.
pub(crate) fn is_port_number(number: i64) -> bool {
    (1..=65_535).contains(&number)
}

/// Whether the string can be a key in the data of a ConfigMap or a Secret.
pub(crate) fn is_data_key(text: &str) -> bool {
    let usual = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !text.is_empty() && text.len() <= 253 && text.bytes().all(usual) && text != "." && !text.starts_with("..")
}

/// Whether the string can be the value of a label: up to 63 characters, or empty.
pub(crate) fn is_label_value(text: &str) -> bool {
    let end = |byte: &u8| byte.is_ascii_alphanumeric();
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let bytes = text.as_bytes();
    text.is_empty()
        || text.len() <= 63
            && bytes.first().is_some_and(end)
            && bytes.last().is_some_and(end)
            && text.bytes().all(inner)
}

/// Whether the string can be the name of a channel. Clusters follow a channel by its name in a Subscription or a
/// `ClusterExtension`.
pub(crate) fn is_channel_name(text: &str) -> bool {
    let end = |byte: &u8| byte.is_ascii_alphanumeric();
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let bytes = text.as_bytes();
    bytes.len() <= 253 && bytes.first().is_some_and(end) && bytes.last().is_some_and(end) && text.bytes().all(inner)
}

/// Whether the string can be a label key or a finalizer: up to 63 characters, optionally preceded by a DNS subdomain
/// and a slash. Annotation keys have the same syntax, except that their prefix may contain capital letters.
pub(crate) fn is_qualified_name(text: &str) -> bool {
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    prefix.is_none_or(is_dns1123_subdomain) && !name.is_empty() && is_label_value(name)
}

/// Whether the string can name a `ClusterServiceVersion`. OLM also uses the name as a label value.
pub(crate) fn is_csv_name(text: &str) -> bool {
    is_dns1123_subdomain(text) && is_label_value(text)
}

/// Describes why the string cannot name a `ClusterServiceVersion`; `None` if it can.
pub(crate) fn fault_of_csv_name(text: &str) -> Option<String> {
    if is_csv_name(text) {
        None
    } else if is_dns1123_subdomain(text) {
        Some(too_long(text))
    } else {
        Some("is not a valid ClusterServiceVersion name".to_owned())
    }
}

/// Describes why the string is not the path of a service that a webhook calls; `None` if it is. The API server ignores
/// a slash at the end.
pub(crate) fn fault_of_webhook_path(path: &str) -> Option<String> {
    if ["", "/"].contains(&path) {
        return None;
    }
    let Some(segments) = path.strip_prefix('/') else {
        return Some("does not begin with /".to_owned());
    };
    let mut segments = segments.strip_suffix('/').unwrap_or(segments).split('/');
    match segments.find(|segment| !is_dns1123_subdomain(segment))? {
        "" => Some("has an empty segment".to_owned()),
        wrong => Some(format!("has the segment {wrong:?}, which is not a lowercase DNS name")),
    }
}

fn is_dashed(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte == b'-' || allowed(byte))
        && !text.starts_with('-')
        && !text.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_validated_like_the_api_server() {
        let long = "a".repeat(64);
        assert!(is_dns1123_label("a-1") && !is_dns1123_label("a.b") && !is_dns1123_label(&long));
        assert!(is_dns1123_subdomain("a.b-c.v1.0.0") && !is_dns1123_subdomain("a..b") && !is_dns1123_subdomain("A"));
        assert!(is_dns1123_subdomain(&format!("{long}.x")));
        assert!(is_dns1035_label("a1") && !is_dns1035_label("1a"));
        assert!(is_port_name("https") && is_port_name("a-1") && !is_port_name("8443") && !is_port_name("a--b"));
        assert!(!is_port_name("metrics-endpoint") && !is_port_name("Https"));
        assert!(is_data_key(".dockerconfigjson") && is_data_key("A_b-c.d") && is_data_key(&"a".repeat(253)));
        for wrong in ["", ".", "..", "..a", "a/b", "a b", &"a".repeat(254)] {
            assert!(!is_data_key(wrong), "{wrong}");
        }
        assert!(is_label_value("") && is_label_value("A_b.c") && !is_label_value("-a") && !is_label_value(&long));
        assert!(is_qualified_name("a_B.c") && is_qualified_name("example.com/a") && is_qualified_name("a"));
        for wrong in ["", "/a", "example.com/", "a/b/c", "Example.com/a", "-a", &long] {
            assert!(!is_qualified_name(wrong), "{wrong}");
        }
        for right in ["", "/", "/validate", "/validate/", "/a.b/c-1"] {
            assert_eq!(fault_of_webhook_path(right), None, "{right}");
        }
        for (wrong, fault) in [
            ("a", "does not begin with /"),
            ("//", "has an empty segment"),
            ("/a//b", "has an empty segment"),
            ("/a?b=c", "has the segment \"a?b=c\", which is not a lowercase DNS name"),
            (
                "/a/validateFoo",
                "has the segment \"validateFoo\", which is not a lowercase DNS name",
            ),
        ] {
            assert_eq!(fault_of_webhook_path(wrong).as_deref(), Some(fault), "{wrong}");
        }
        let fault = fault_of_dns1123_label(&long).unwrap();
        assert_eq!(fault, "has 64 characters, but at most 63 are allowed");
        assert!(fault_of_dns1123_label("A").unwrap().starts_with("must consist of"));
        assert_eq!(fault_of_dns1123_label("a"), None);
        assert_eq!(
            fault_of_csv_name(&format!("{long}.x")).unwrap(),
            fault.replace("64", "66")
        );
        assert!(is_csv_name("foo.v1.0.0") && !is_csv_name("foo.v1.0.0+1") && !is_csv_name(&long));
    }
}
