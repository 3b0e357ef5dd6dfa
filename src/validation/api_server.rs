//! Checks values that the API server or a node rejects, so that an installation fails although the files are
//! well-formed.

mod affinity;
mod containers;
mod data;
mod expressions;
mod network;
mod part;
pub(super) mod permissions;
mod pods;
mod priorities;
mod probes;
mod schemas;
mod selectors;
mod services;
mod webhooks;

use crate::bundle::{Bundle, MediaType};
use crate::csv::{self, Csv};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac;
use crate::manifest::Object;
use crate::olm::webhook::WEBHOOK_TYPES;
use crate::rules;
use crate::shape::nearest;
use crate::text::Path;
use crate::value::text;
use crate::version::{is_name_of_higher, parse_tolerant};
use part::Part;
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
            (rbac::GROUP, kind @ ("Role" | "ClusterRole")) => part.policy_rules(&Path::root(), kind == "Role"),
            (rbac::GROUP, "RoleBinding" | "ClusterRoleBinding") => part.subjects(),
            ("admissionregistration.k8s.io", _) => part.webhooks("webhooks"),
            (csv::GROUP, csv::KIND) => {
                part.csv();
                part.created_names();
            }
            ("apiextensions.k8s.io", "CustomResourceDefinition") => part.schemas(),
            ("", "Service") => part.service(),
            ("", "Secret") => {
                part.encoded("data", "stringData");
                part.data_keys(&["data", "stringData"]);
                part.secret_type();
            }
            ("", "ConfigMap") => {
                part.encoded("binaryData", "data");
                part.data_keys(&["data", "binaryData"]);
                part.data_twice();
            }
            ("networking.k8s.io", "NetworkPolicy") => part.network_policy(),
            ("policy", "PodDisruptionBudget") => part.disruption_budget(),
            ("scheduling.k8s.io", "PriorityClass") => part.priority_class(),
            _ => {}
        }
    }
}

/// Checks the Deployments in a ClusterServiceVersion, and the names of the objects that OLM creates from it.
pub(super) fn deployments(csv: &Object, findings: &mut Vec<Diagnostic>) {
    let mut part = Part { object: csv, findings };
    part.deployments();
    part.created_names();
}

impl Part<'_> {
    fn deployments(&mut self) {
        let list = Path::from("spec.install.spec.deployments");
        for (index, deployment) in Csv(self.object.value()).deployments().iter().enumerate() {
            let (path, label) = (list.index(index), format!("Deployment/{}", text(deployment, "name")));
            self.pods(&label, &path);
            self.selects_own_pods(&path.key("spec"), &label);
        }
    }

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
        self.deployments();
        for (key, namespaced) in [("permissions", true), ("clusterPermissions", false)] {
            let path = strategy.key(key);
            for index in 0..self.list(&path).len() {
                self.policy_rules(&path.index(index), namespaced);
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
            let path = definitions.index(index);
            self.served_ports(service, &path);
            self.deployment(service, &path, &names);
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
}
