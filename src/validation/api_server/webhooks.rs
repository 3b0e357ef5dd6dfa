//! Checks webhooks.

use super::containers::is_port;
use super::part::Part;
use crate::bundle::is_csv;
use crate::kubernetes::names::{fault_of_webhook_path, is_dns1123_subdomain, is_label_value, is_port_name};
use crate::olm::webhook::refused_rules;
use crate::rules;
use crate::text::Path;
use crate::value::text;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

impl Part<'_> {
    /// Checks the webhooks in a list.
    pub(super) fn webhooks(&mut self, list: &str) {
        let list = Path::from(list);
        if is_csv(self.object) {
            self.repeated_names(&list);
        }
        for (index, webhook) in self.list(&list).iter().enumerate() {
            let path = list.index(index);
            self.operations(&path);
            self.review_versions(webhook, &path);
            if is_csv(self.object) {
                self.refused_by_olm(webhook, &path);
                self.served_ports(webhook, &path);
                self.called_path(&path.key("webhookPath"));
            } else {
                let service = path.key("clientConfig").key("service");
                self.called_path(&service.key("path"));
                if let Some(port) = self.value(&service.key("port")).filter(|port| !is_port(port)) {
                    let message = format!("the webhook calls the port {port}, which is not between 1 and 65535");
                    self.refuse(&service.key("port"), message, PORT);
                }
                self.webhook_name(text(webhook, "name"), &path.key("name"));
                self.webhook_label(text(webhook, "name"), &path.key("name"));
            }
            // OLM ignores the timeout and the rules of a conversion webhook, except that it refuses some rules.
            if text(webhook, "type") != "ConversionWebhook" {
                self.webhook_timeout(&path);
                self.intercepted(&path);
                self.label_selector(&path.key("objectSelector"));
                self.webhook_name(text(webhook, "generateName"), &path.key("generateName"));
                self.webhook_label(text(webhook, "generateName"), &path.key("generateName"));
            }
        }
    }

    fn operations(&mut self, webhook: &Path) {
        let rules = webhook.key("rules");
        for rule in 0..self.list(&rules).len() {
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

    /// Checks that a webhook supports a review version that API servers send, and lists each version once.
    fn review_versions(&mut self, webhook: &Value, at: &Path) {
        let path = at.key("admissionReviewVersions");
        let versions = match webhook.get("admissionReviewVersions") {
            Some(Value::Array(versions)) => versions.as_slice(),
            // The default of `v1beta1` is `v1beta1`.
            None | Some(Value::Null) if webhook.is_object() && self.object.gvk().version != "v1beta1" => &[],
            _ => return,
        };
        let mut seen = BTreeSet::new();
        for (index, version) in versions.iter().enumerate() {
            if let Some(version) = version.as_str()
                && !seen.insert(version)
            {
                let message = format!("the review version {version:?} is listed twice");
                self.refuse(&path.index(index), message, "Remove the repetition.");
            }
        }
        let known = REVIEWS.iter().any(|known| seen.contains(known));
        if !known && versions.iter().all(Value::is_string) {
            let message = "the webhook supports neither of the review versions that API servers send, v1 and v1beta1";
            self.refuse(&path, message.to_owned(), "Add v1 to admissionReviewVersions.");
        }
    }

    /// Checks the rules of a webhook definition. Those of a webhook configuration are checked when the definition is
    /// inferred from it.
    fn refused_by_olm(&mut self, webhook: &Value, at: &Path) {
        for (index, reason) in refused_rules(webhook) {
            let name = text(webhook, "generateName");
            let message = format!("OLM refuses webhook {name}, because {reason}");
            let path = at.key("rules").index(index);
            self.findings.push(self.finding(&rules::WEBHOOK_RULES, &path, message));
        }
    }

    /// Reports webhook definitions with the name of an earlier one, which may have another type.
    fn repeated_names(&mut self, list: &Path) {
        let mut seen = BTreeMap::new();
        for (index, webhook) in self.list(list).iter().enumerate() {
            let name = text(webhook, "generateName");
            if name.is_empty() {
                continue;
            }
            let path = list.index(index).key("generateName");
            let Some(first) = seen.get(name) else {
                seen.insert(name, path);
                continue;
            };
            let message = format!("OLM refuses webhook {name}, because another webhook has the same name");
            let finding = self.finding(&rules::WEBHOOK_DUPLICATE, &path, message);
            self.findings
                .push(finding.also(self.object.place(first), "it first appears here"));
        }
    }

    /// Checks the ports of a webhook definition or an APIService definition, from which OLM creates a Service. A port
    /// of 0 is treated as absent.
    pub(super) fn served_ports(&mut self, definition: &Value, at: &Path) {
        for field in ["containerPort", "targetPort"] {
            let path = at.key(field);
            match definition.get(field) {
                Some(number) if *number != 0 && !is_port(number) => {
                    let message = format!("{field} is {number}, but must be between 1 and 65535");
                    self.refuse(&path, message, PORT);
                }
                Some(Value::String(name)) if field == "targetPort" && !name.is_empty() && !is_port_name(name) => {
                    let message = format!("{field} is {name:?}, which is neither a number nor a valid port name");
                    self.refuse(&path, message, TARGET_PORT);
                }
                _ => {}
            }
        }
    }

    fn called_path(&mut self, path: &Path) {
        let called = self.value(path).and_then(Value::as_str).unwrap_or_default();
        if let Some(fault) = fault_of_webhook_path(called) {
            let help = if called.starts_with('/') {
                "Use only lowercase letters, digits, dots and hyphens between single slashes.".to_owned()
            } else {
                format!("Write /{called}.")
            };
            self.refuse(path, format!("the path {called:?} of a webhook {fault}"), &help);
        }
    }

    /// Checks the name of an admission webhook. For a webhook definition, OLM uses `generateName`.
    fn webhook_name(&mut self, name: &str, path: &Path) {
        // Other rules report names that are not DNS names.
        if is_dns1123_subdomain(name) && name.split('.').count() < 3 {
            let message = format!("the webhook name {name:?} has fewer than three parts");
            let help = format!("Use at least three parts, separated by dots, such as {name}.example.com.");
            self.refuse(path, message, &help);
        }
    }

    /// Checks that the name of an admission webhook is short enough for `olm.webhook-description-generate-name`, a
    /// label that OLM sets on the configuration that it creates.
    fn webhook_label(&mut self, name: &str, path: &Path) {
        // Other rules report names that are not DNS names.
        if is_dns1123_subdomain(name) && !is_label_value(name) {
            let message = format!(
                "the webhook name {name:?} has {} characters, but OLM also uses it as a label value, which has at most \
                 63",
                name.len()
            );
            self.refuse(path, message, "Shorten the name to at most 63 characters.");
        }
    }

    fn webhook_timeout(&mut self, webhook: &Path) {
        let path = webhook.key("timeoutSeconds");
        let seconds = self.value(&path).and_then(Value::as_i64);
        if let Some(seconds) = seconds.filter(|seconds| !(1..=30).contains(seconds)) {
            let message = format!("timeoutSeconds is {seconds}, but must be between 1 and 30");
            self.refuse(&path, message, "Use a number from 1 to 30, or remove the field.");
        }
    }

    /// Checks the lists of the rules of a webhook.
    fn intercepted(&mut self, webhook: &Path) {
        let rules = webhook.key("rules");
        for (index, rule) in self.list(&rules).iter().enumerate() {
            if !rule.is_object() {
                continue;
            }
            for (field, help) in LISTS {
                let path = rules.index(index).key(field);
                let items = match rule.get(field) {
                    Some(Value::Array(items)) => items.as_slice(),
                    None | Some(Value::Null) => &[],
                    Some(_) => continue,
                };
                if items.is_empty() {
                    self.refuse(&path, format!("a rule of a webhook has no {field}"), help);
                }
                // `*` has another meaning for resources, because they have subresources.
                let all = items.iter().position(|item| item == "*");
                if let Some(all) = all.filter(|_| items.len() > 1 && field != "resources") {
                    let message = format!("{field} of a webhook lists * together with other values");
                    self.refuse(&path.index(all), message, "Remove *, or the other values.");
                }
            }
        }
    }
}

const PORT: &str = "Use a number from 1 to 65535.";
const TARGET_PORT: &str = "Use a number from 1 to 65535, or the name of a port of the container: at most 15 lowercase \
                           letters, digits and single hyphens, with a letter or digit at both ends.";

/// The operations that a webhook can intercept.
const OPERATIONS: [&str; 5] = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];

/// The versions of the AdmissionReview and ConversionReview objects that an API server sends.
const REVIEWS: [&str; 2] = ["v1", "v1beta1"];

/// The lists that a rule of a webhook must have, and what to write.
const LISTS: [(&str, &str); 4] = [
    (
        "apiGroups",
        "List the API groups; \"\" is the core group, and \"*\" means all groups.",
    ),
    (
        "apiVersions",
        "List the versions, such as v1; \"*\" means all versions.",
    ),
    (
        "operations",
        "List the operations, such as CREATE; \"*\" means all operations.",
    ),
    (
        "resources",
        "List the resources in the plural; \"*/*\" means all resources and subresources.",
    ),
];
