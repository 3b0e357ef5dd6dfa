//! Checks label selectors.

use super::part::{Part, text};
use crate::kubernetes::names::is_qualified_name;
use crate::text::Path;
use serde_json::Value;

impl Part<'_> {
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

const KEY: &str =
    "Use at most 63 letters, digits, hyphens, underscores and dots, optionally after a DNS name and a slash.";
