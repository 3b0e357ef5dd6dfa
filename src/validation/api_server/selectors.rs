//! Checks label selectors.

use super::part::Part;
use crate::kubernetes::names::is_qualified_name;
use crate::kubernetes::selector;
use crate::rules;
use crate::text::Path;
use crate::value::text;
use serde_json::{Map, Value};

impl Part<'_> {
    /// Checks that a Deployment has a selector.
    pub(super) fn has_selector(&mut self, spec: &Path, label: &str) {
        let (path, deployment) = (spec.key("selector"), self.value(spec));
        let wrong = match deployment.map(|spec| spec.get("selector")) {
            Some(None | Some(Value::Null)) => "has no selector",
            Some(Some(selector @ Value::Object(_))) if is_empty(selector) => "has an empty selector",
            _ => return,
        };
        let finding = self.finding(&rules::DEPLOYMENT_SELECTOR, &path, format!("{label} {wrong}"));
        let help = "Select the labels of the pod template with spec.selector.matchLabels.";
        self.findings.push(finding.help(help));
    }

    /// Checks that the selector of a Deployment selects its own pods.
    pub(super) fn selects_own_pods(&mut self, spec: &Path, label: &str) {
        let none = Map::new();
        let labels = spec.key("template").key("metadata").key("labels");
        let pods = match self.value(&labels) {
            None | Some(Value::Null) => &none,
            Some(Value::Object(map)) => map,
            Some(_) => return,
        };
        let selector = spec.key("selector");
        let Some(wanted) = self.value(&selector).filter(|selector| selector.is_object()) else {
            return;
        };
        if is_empty(wanted) || selector::selects(wanted, pods) {
            return;
        }
        let message = format!("the selector of {label} does not select its own pods");
        let finding = self.finding(&rules::DEPLOYMENT_SELECTOR, &selector, message);
        let finding = finding.also(self.object.place(&labels), "the labels of the pods");
        self.findings.push(finding);
    }

    /// Checks a label selector. Another rule reports unknown operators.
    pub(super) fn label_selector(&mut self, at: &Path) {
        self.labels(&at.key("matchLabels"));
        let list = at.key("matchExpressions");
        for (index, expression) in self.list(&list).iter().enumerate() {
            let path = list.index(index);
            let key = text(expression, "key");
            if !key.is_empty() && !is_qualified_name(key) {
                self.refuse(&path.key("key"), format!("{key:?} is not a valid label key"), KEY);
            }
            let has_values = match expression.get("values") {
                None | Some(Value::Null) => false,
                Some(Value::Array(values)) => !values.is_empty(),
                Some(_) => continue,
            };
            let (wrong, help) = match text(expression, "operator") {
                "In" | "NotIn" if !has_values => ("needs values", "List values, or use Exists or DoesNotExist."),
                "Exists" | "DoesNotExist" if has_values => {
                    ("allows no values", "Remove the values, or use In or NotIn.")
                }
                _ => continue,
            };
            let message = format!(
                "the operator {} of a label selector {wrong}",
                text(expression, "operator")
            );
            self.refuse(&path.key("values"), message, help);
        }
    }
}

/// Whether a selector has neither labels nor expressions.
fn is_empty(selector: &Value) -> bool {
    let is_absent = |key: &str| match selector.get(key) {
        None | Some(Value::Null) => true,
        Some(Value::Object(map)) => map.is_empty(),
        Some(Value::Array(list)) => list.is_empty(),
        Some(_) => false,
    };
    is_absent("matchLabels") && is_absent("matchExpressions")
}

const KEY: &str =
    "Use at most 63 letters, digits, hyphens, underscores and dots, optionally after a DNS name and a slash.";
