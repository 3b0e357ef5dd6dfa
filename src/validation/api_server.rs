//! Checks values that the API server or a node rejects, so that an installation fails although the files are well-formed.

mod affinity;
mod containers;
mod expressions;
mod part;
mod patterns;
mod pods;
mod probes;
mod schemas;
mod services;
mod webhooks;

use crate::bundle::{Bundle, MediaType};
use crate::csv::{self, Csv};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac::{self, PolicyRule};
use crate::rules;
use crate::shape::nearest;
use crate::text::Path;
use crate::version::{is_name_of_higher, parse_tolerant};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use part::{Part, text};
use serde_json::Value;

/// Checks all objects of a bundle, and the objects that OLM creates from its ClusterServiceVersion.
pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for object in &bundle.objects {
        let mut part = Part { object, findings };
        part.object_name();
        let gvk = object.gvk();
        match (gvk.group.as_str(), gvk.kind.as_str()) {
            // OLM ignores a Deployment beside a ClusterServiceVersion. Another rule reports it.
            ("apps", "Deployment") if bundle.media_type == MediaType::K8sV1 => {
                part.pods(&object.label(), &Path::root());
            }
            (rbac::GROUP, "Role" | "ClusterRole") => part.policy_rules(&Path::root()),
            ("admissionregistration.k8s.io", _) => part.webhooks("webhooks"),
            (csv::GROUP, csv::KIND) => {
                part.csv();
                part.created_names();
            }
            ("apiextensions.k8s.io", "CustomResourceDefinition") => part.schemas(),
            ("", "Service") => part.service(),
            ("", "Secret") => part.encoded("data", "stringData"),
            ("", "ConfigMap") => part.encoded("binaryData", "data"),
            _ => {}
        }
    }
}

impl Part<'_> {
    fn csv(&mut self) {
        let strategy = Path::from("spec.install.spec");
        let csv = Csv(self.object.value());
        let name = csv.text(&["spec", "install", "strategy"]);
        if !name.is_empty() && name != csv::STRATEGY {
            let path = Path::from("spec.install.strategy");
            let message = format!("{path} is {name:?}, but OLM knows only {}", csv::STRATEGY);
            let finding = self.finding(&rules::OBJECT_FIELD_VALUE, &path, message);
            self.findings.push(finding.help(format!("Use {}.", csv::STRATEGY)));
        }
        let replaces = csv.text(&["spec", "replaces"]);
        if parse_tolerant(replaces).is_some() {
            let message = format!("spec.replaces is {replaces}, which is a version and not the name of a bundle");
            self.report(&rules::CSV_REPLACES_VERSION, &Path::from("spec.replaces"), message);
        }
        let version = csv.text(&["spec", "version"]);
        if is_name_of_higher(replaces, version) {
            let message = format!("version {version} replaces {replaces}, which has a higher version");
            self.report(&rules::CSV_REPLACES_HIGHER, &Path::from("spec.replaces"), message);
        }
        let names: Vec<&str> = csv.deployments().iter().map(|entry| text(entry, "name")).collect();
        for (index, name) in names.iter().enumerate() {
            let path = strategy.key("deployments").index(index);
            self.pods(&format!("Deployment/{name}"), &path);
        }
        for key in ["permissions", "clusterPermissions"] {
            let path = strategy.key(key);
            for index in 0..self.list(&path).len() {
                self.policy_rules(&path.index(index));
            }
        }
        self.webhooks("spec.webhookdefinitions");
        let definitions = Path::from("spec.webhookdefinitions");
        for (index, webhook) in self.list(&definitions).iter().enumerate() {
            let path = definitions.index(index);
            let kind = text(webhook, "type");
            if !WEBHOOK_TYPES.contains(&kind) {
                let message = format!(
                    "{} is {kind:?}, but OLM knows only {}",
                    path.key("type"),
                    WEBHOOK_TYPES.join(", ")
                );
                self.report(&rules::CSV_WEBHOOK_TYPE, &path.key("type"), message);
            }
            self.deployment(webhook, &path, &names);
        }
        let definitions = Path::from("spec.apiservicedefinitions.owned");
        for (index, service) in self.list(&definitions).iter().enumerate() {
            self.deployment(service, &definitions.index(index), &names);
        }
    }

    /// Checks that the Deployment that serves a webhook or an APIService exists.
    fn deployment(&mut self, definition: &Value, path: &Path, names: &[&str]) {
        let name = text(definition, "deploymentName");
        // Without a Deployment, there is nothing to compare the name with.
        if names.contains(&name) || names.is_empty() {
            return;
        }
        let path = path.key("deploymentName");
        let message = format!("{path} is {name:?}, but the install strategy has no Deployment of that name");
        let finding = self.finding(&rules::CSV_DEPLOYMENT_UNKNOWN, &path, message);
        let only = || names.first().filter(|_| names.len() == 1).copied();
        let meant = nearest(name, names.iter().copied()).or_else(only);
        self.findings.push(match meant {
            Some(meant) => finding.help(format!("Use the name {meant}.")),
            None => finding,
        });
    }

    /// Reports groups of a policy rule that contain a version.
    fn groups(&mut self, rule: &Value, at: &Path) {
        for (index, group) in PolicyRule(rule).api_groups() {
            if let Some((name, _)) = group.split_once('/') {
                let path = at.key("apiGroups").index(index);
                let message = format!("the group {group:?} contains a version, so the rule grants nothing in {name}");
                let finding = self.finding(&rules::RBAC_GROUP_VERSION, &path, message);
                self.findings.push(finding.help(format!("Use {name:?}.")));
            }
        }
    }

    /// Reports verbs that are misspelled.
    fn verbs(&mut self, rule: &Value, at: &Path) {
        for (index, verb) in PolicyRule(rule).list("verbs") {
            if VERBS.contains(&verb) || !(3..=20).contains(&verb.len()) {
                continue;
            }
            let lower = verb.to_lowercase();
            let meant = VERBS
                .iter()
                .find(|known| strsim::damerau_levenshtein(known, &lower) <= 1);
            if let Some(meant) = meant {
                let path = at.key("verbs").index(index);
                let message = format!("the verb {verb:?} is unknown, so it grants nothing");
                let finding = self.finding(&rules::RBAC_VERB_UNKNOWN, &path, message);
                self.findings.push(finding.help(format!("Did you mean {meant}?")));
            }
        }
    }

    /// Checks values that must be encoded in base64. The field `plain` takes text instead.
    fn encoded(&mut self, field: &str, plain: &str) {
        let object = self.object;
        for (key, value) in object.map(&[field]).into_iter().flatten() {
            let Some(value) = value.as_str() else { continue };
            // The API server ignores line breaks.
            let joined = value.replace(['\r', '\n'], "");
            if STANDARD.decode(joined).is_err() {
                let path = Path::root().key(field).key(key);
                let message = format!("the value of {path} in {} is not encoded in base64", object.label());
                let finding = self.finding(&rules::DATA_ENCODING, &path, message);
                let help = format!("Encode the value in base64, or move it to {plain}, which contains plain text.");
                self.findings.push(finding.help(help));
            }
        }
    }

    /// Checks the policy rules in the list `rules` below `at`.
    fn policy_rules(&mut self, at: &Path) {
        let list = at.key("rules");
        for (index, rule) in self.list(&list).iter().enumerate() {
            let path = list.index(index);
            self.groups(rule, &path);
            self.verbs(rule, &path);
            let is_empty = |key: &str| rule.get(key).and_then(Value::as_array).is_none_or(Vec::is_empty);
            let missing = if is_empty("verbs") {
                "verbs"
            } else if !is_empty("nonResourceURLs") {
                continue;
            } else if is_empty("apiGroups") {
                "apiGroups"
            } else if is_empty("resources") {
                "resources"
            } else {
                continue;
            };
            let message = format!(
                "{path} has no {missing}, so the API server rejects {}",
                self.object.label()
            );
            self.report(&rules::RBAC_RULE_INCOMPLETE, &path, message);
        }
    }
}

/// The verbs that have a meaning in Kubernetes. Extensions can define additional verbs.
const VERBS: [&str; 15] = [
    "*",
    "approve",
    "bind",
    "create",
    "delete",
    "deletecollection",
    "escalate",
    "get",
    "impersonate",
    "list",
    "patch",
    "sign",
    "update",
    "use",
    "watch",
];

/// The types of webhooks in a ClusterServiceVersion.
const WEBHOOK_TYPES: [&str; 3] = [
    "ValidatingAdmissionWebhook",
    "MutatingAdmissionWebhook",
    "ConversionWebhook",
];
