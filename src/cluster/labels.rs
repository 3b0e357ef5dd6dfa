//! The labels that link components to an operator.
//!
//! The proposal simplify-olm-apis uses the key `operators.coreos.com/operator:v2alpha1/<name>`. No API server accepts
//! this key, because a key may contain only one slash and no colon. OLM uses `operators.coreos.com/<name>`, with the
//! name cut to fit.

use serde_json::{Map, Value};

const SEED: &str = "operators.coreos.com/operator:v2alpha1/";
const VERSIONED: &str = "v2alpha1.operators.coreos.com/";
const SHIPPED: &str = "operators.coreos.com/";

/// The maximum length of the name after the slash of a label key.
const LONGEST_NAME: usize = 63;

/// The form of the label key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LabelStyle {
    /// `operators.coreos.com/<name>`, as OLM writes it.
    #[default]
    Shipped,
    /// `v2alpha1.operators.coreos.com/<name>`, which a cluster also accepts, and which includes the version.
    Versioned,
    /// `operators.coreos.com/operator:v2alpha1/<name>`, as in the proposal; for display only.
    Seed,
}

/// Returns the key of the label that marks the components of an operator.
pub(crate) fn key(style: LabelStyle, operator: &str) -> String {
    match style {
        LabelStyle::Shipped => format!("{SHIPPED}{}", cut(operator)),
        LabelStyle::Versioned => format!("{VERSIONED}{}", cut(operator)),
        LabelStyle::Seed => format!("{SEED}{operator}"),
    }
}

/// Returns the operators named by the labels of an object, in any style. Names may be cut (see [`is_name_of`]).
pub(crate) fn operators(labels: Option<&Map<String, Value>>) -> impl Iterator<Item = &str> {
    let keys = labels.into_iter().flat_map(Map::keys);
    // The key of the proposal begins like OLM's key, so the proposal's key is tried first.
    keys.filter_map(|key| {
        [SEED, VERSIONED, SHIPPED]
            .iter()
            .find_map(|prefix| key.strip_prefix(prefix))
    })
    .filter(|name| !name.is_empty())
}

/// Returns whether the name in a label is that of the operator.
pub(crate) fn is_name_of(labelled: &str, operator: &str) -> bool {
    labelled == operator || labelled == cut(operator)
}

/// Cuts a name to fit into a label as OLM does: to 63 bytes, without trailing characters that must not end a label.
pub(crate) fn cut(name: &str) -> &str {
    let end = (0..=LONGEST_NAME.min(name.len()))
        .rev()
        .find(|end| name.is_char_boundary(*end));
    name[..end.unwrap_or(0)].trim_end_matches(['.', '_', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::names::is_qualified_name;
    use serde_json::json;

    #[test]
    fn keys_are_valid_except_that_of_the_proposal() {
        for name in [
            "plumbus",
            "etcd.operators",
            &"a".repeat(70),
            &format!("{}.operators", "a".repeat(61)),
        ] {
            for style in [LabelStyle::Shipped, LabelStyle::Versioned] {
                assert!(is_qualified_name(&key(style, name)), "{name}");
            }
            assert!(!is_qualified_name(&key(LabelStyle::Seed, name)));
        }
        assert_eq!(
            key(LabelStyle::default(), "etcd.operators"),
            "operators.coreos.com/etcd.operators"
        );
        let cut = format!("{}.operators", "a".repeat(62));
        assert_eq!(
            key(LabelStyle::Shipped, &cut),
            format!("operators.coreos.com/{}", "a".repeat(62))
        );
    }

    #[test]
    fn every_label_style_is_read() {
        let labels = json!({
            "operators.coreos.com/operator:v2alpha1/one": "",
            "v2alpha1.operators.coreos.com/two": "",
            "operators.coreos.com/three.operators": "",
            "operators.coreos.com/": "",
            "example.com/four": "",
            "app": "five",
        });
        let found: Vec<&str> = operators(labels.as_object()).collect();
        assert_eq!(found, ["one", "two", "three.operators"]);
        assert_eq!(operators(None).count(), 0);
    }

    #[test]
    fn a_truncated_label_name_matches_the_operator() {
        let long = format!("{}.operators", "a".repeat(61));
        let written = key(LabelStyle::Shipped, &long);
        let labels = json!({ written: "" });
        let labelled = operators(labels.as_object()).next().unwrap();
        assert!(labelled != long && is_name_of(labelled, &long));
        assert!(!is_name_of(labelled, "a"));
    }
}
