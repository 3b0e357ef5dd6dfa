//! Checks webhooks.

use super::Part;
use crate::rules;
use crate::text::Path;
use serde_json::Value;

impl Part<'_> {
    /// Checks the rules of the webhooks in a list.
    pub(super) fn webhooks(&mut self, list: &str) {
        let list = Path::from(list);
        for (index, webhook) in self.list(&list).iter().enumerate() {
            let rules = list.index(index).key("rules");
            for rule in 0..webhook.get("rules").and_then(Value::as_array).map_or(0, Vec::len) {
                let operations = rules.index(rule).key("operations");
                for (index, operation) in self.list(&operations).iter().enumerate() {
                    let operation = operation.as_str().unwrap_or_default();
                    if OPERATIONS.contains(&operation) {
                        continue;
                    }
                    let path = operations.index(index);
                    let message = format!("the operation {operation:?} of a webhook is unknown");
                    let finding = self.finding(&rules::WEBHOOK_OPERATION, &path, message);
                    let exact = OPERATIONS.iter().find(|known| known.eq_ignore_ascii_case(operation));
                    self.findings.push(match exact {
                        Some(exact) => finding.help(format!("Write {exact}.")),
                        None => finding,
                    });
                }
            }
        }
    }
}

/// The operations that a webhook can intercept.
const OPERATIONS: [&str; 5] = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];
