//! The labels that tie components to an operator.
//!
//! The proposal simplify-olm-apis writes the key `operators.coreos.com/operator:v2alpha1/<name>`. No API server takes
//! it: a key has one slash and no colon. OLM writes `operators.coreos.com/<name>`, with the name cut so that it fits.

use serde_json::{Map, Value};

const SEED: &str = "operators.coreos.com/operator:v2alpha1/";
const VERSIONED: &str = "v2alpha1.operators.coreos.com/";
const SHIPPED: &str = "operators.coreos.com/";

/// The longest name behind the slash of a label.
const LONGEST_NAME: usize = 63;

/// How the key of the label is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LabelStyle {
    /// `operators.coreos.com/<name>`, as OLM writes it.
    #[default]
    Shipped,
    /// `v2alpha1.operators.coreos.com/<name>`, which is as good for a cluster and also says the version.
    Versioned,
    /// `operators.coreos.com/operator:v2alpha1/<name>`, as the proposal writes it. It is for people only.
    Seed,
}

/// The key of the label of an operator's components.
pub(crate) fn key(style: LabelStyle, operator: &str) -> String {
    match style {
        LabelStyle::Shipped => format!("{SHIPPED}{}", cut(operator)),
        LabelStyle::Versioned => format!("{VERSIONED}{}", cut(operator)),
        LabelStyle::Seed => format!("{SEED}{operator}"),
    }
}

/// The operators that the labels of an object name, in whichever style. A name may be cut (see [`is_name_of`]).
pub(crate) fn operators(labels: Option<&Map<String, Value>>) -> impl Iterator<Item = &str> {
    let keys = labels.into_iter().flat_map(Map::keys);
    // The key of the proposal begins like that of OLM, so it is looked for first.
    keys.filter_map(|key| {
        [SEED, VERSIONED, SHIPPED]
            .iter()
            .find_map(|prefix| key.strip_prefix(prefix))
    })
    .filter(|name| !name.is_empty())
}

/// Whether the name in a label is that of the operator.
pub(crate) fn is_name_of(labelled: &str, operator: &str) -> bool {
    labelled == operator || labelled == cut(operator)
}

/// The name as it fits into a label: OLM cuts it to 63 bytes, and then takes off what may not be at the end.
fn cut(name: &str) -> &str {
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
    fn keys_are_valid_but_for_that_of_the_proposal() {
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
    fn every_style_is_read() {
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
    fn a_cut_name_is_that_of_the_operator() {
        let long = format!("{}.operators", "a".repeat(61));
        let written = key(LabelStyle::Shipped, &long);
        let labels = json!({ written: "" });
        let labelled = operators(labels.as_object()).next().unwrap();
        assert!(labelled != long && is_name_of(labelled, &long));
        assert!(!is_name_of(labelled, "a"));
    }
}
