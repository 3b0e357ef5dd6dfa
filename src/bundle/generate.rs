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

/// Returns the content of `bundle.Dockerfile`, for an image based on `base`. `manifests` and `metadata` are relative to
/// the build directory.
pub fn dockerfile(base: &str, values: &BTreeMap<String, String>, manifests: &str, metadata: &str) -> String {
    let mut text = format!("FROM {base}\n\n");
    for key in LABELS {
        if let Some(value) = values.get(key) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "LABEL {key}={value}");
        }
    }
    if values.contains_key(annotations::DEFAULT_CHANNEL) {
        text.push('\n');
    }
    let _ = write!(text, "COPY {manifests} /manifests/\nCOPY {metadata} /metadata/\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::MediaType;

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
            dockerfile("scratch", &values, "foo/manifests", "foo/metadata"),
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
        let text = dockerfile("scratch", &values, "m", "d");
        assert!(
            text.ends_with("channels.v1=a\nCOPY m /manifests/\nCOPY d /metadata/\n"),
            "{text}"
        );
    }
}
