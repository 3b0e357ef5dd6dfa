//! The files that describe a bundle image, in the form that opm writes.

use super::annotations;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The annotations that become labels in a Dockerfile, in this order.
const LABELS: [&str; 6] = [
    annotations::MEDIA_TYPE,
    annotations::MANIFESTS,
    annotations::METADATA,
    annotations::PACKAGE,
    annotations::CHANNELS,
    annotations::DEFAULT_CHANNEL,
];

/// Returns the content of `metadata/annotations.yaml`.
pub(crate) fn annotations_yaml(values: &BTreeMap<String, String>) -> String {
    crate::text::to_yaml(&serde_json::json!({ "annotations": values }))
}

/// Returns the content of `bundle.Dockerfile`, for an image based on `base`. All annotations become labels. `folders`
/// are the folders to copy, each with its path in the build directory and in the image.
pub fn dockerfile(base: &str, values: &BTreeMap<String, String>, folders: &[(String, &str)]) -> String {
    let mut text = format!("FROM {base}\n\n");
    for key in LABELS {
        if let Some(value) = values.get(key) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "LABEL {key}={value}");
        }
    }
    for (key, value) in values.iter().filter(|(key, _)| !LABELS.contains(&key.as_str())) {
        let _ = writeln!(text, "LABEL \"{}\"=\"{}\"", quoted(key), quoted(value));
    }
    if values.contains_key(annotations::DEFAULT_CHANNEL) {
        text.push('\n');
    }
    for (from, to) in folders {
        let _ = writeln!(text, "COPY {}", copied(from, &format!("/{to}/")));
    }
    text
}

/// Escapes a string for the double quotes of a Dockerfile. As in opm, a `$` still begins a variable.
pub(crate) fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Returns the arguments of the instruction of a Dockerfile that copies `from` to `to`. Spaces separate arguments, so a
/// path with a space needs the form of a JSON list.
pub(crate) fn copied(from: &str, to: &str) -> String {
    if from.contains(char::is_whitespace) {
        let [from, to] = [from, to].map(serde_json::Value::from);
        format!("[{from}, {to}]")
    } else {
        format!("{from} {to}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::MediaType;

    fn folders(manifests: &str, metadata: &str) -> [(String, &'static str); 2] {
        [(manifests.to_owned(), "manifests"), (metadata.to_owned(), "metadata")]
    }

    #[test]
    fn files_are_identical_to_those_of_opm() {
        let values = annotations::standard(MediaType::RegistryV1, "microcks", "alpha,stable", Some("stable"));
        assert_eq!(
            annotations_yaml(&values),
            "annotations:\n  \
             operators.operatorframework.io.bundle.channel.default.v1: stable\n  \
             operators.operatorframework.io.bundle.channels.v1: alpha,stable\n  \
             operators.operatorframework.io.bundle.manifests.v1: manifests/\n  \
             operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  \
             operators.operatorframework.io.bundle.metadata.v1: metadata/\n  \
             operators.operatorframework.io.bundle.package.v1: microcks\n"
        );
        assert_eq!(
            dockerfile("scratch", &values, &folders("foo/manifests", "foo/metadata")),
            "FROM scratch\n\n\
             LABEL operators.operatorframework.io.bundle.mediatype.v1=registry+v1\n\
             LABEL operators.operatorframework.io.bundle.manifests.v1=manifests/\n\
             LABEL operators.operatorframework.io.bundle.metadata.v1=metadata/\n\
             LABEL operators.operatorframework.io.bundle.package.v1=microcks\n\
             LABEL operators.operatorframework.io.bundle.channels.v1=alpha,stable\n\
             LABEL operators.operatorframework.io.bundle.channel.default.v1=stable\n\n\
             COPY foo/manifests /manifests/\nCOPY foo/metadata /metadata/\n"
        );
    }

    #[test]
    fn without_a_default_channel_its_label_and_the_blank_line_are_omitted() {
        let values = annotations::standard(MediaType::RegistryV1, "p", "a", None);
        let text = dockerfile("scratch", &values, &folders("m", "d"));
        assert!(
            text.ends_with("channels.v1=a\nCOPY m /manifests/\nCOPY d /metadata/\n"),
            "{text}"
        );
    }

    #[test]
    fn paths_with_spaces_are_written_as_json() {
        let text = dockerfile("scratch", &BTreeMap::new(), &folders("my op/manifests", "m"));
        assert_eq!(
            text,
            "FROM scratch\n\nCOPY [\"my op/manifests\", \"/manifests/\"]\nCOPY m /metadata/\n"
        );
    }
}
