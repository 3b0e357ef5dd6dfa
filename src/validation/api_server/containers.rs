//! Checks the containers of pods: names, images, ports, mounts, environment variables and resources.

use super::part::Part;
use super::pods::Volumes;
use crate::image::check_pullable;
use crate::kubernetes::names::{is_dns1123_label, is_port_name, is_port_number, is_qualified_name};
use crate::kubernetes::quantity;
use crate::rules;
use crate::synthesis::certificates::is_olm_mount;
use crate::text::Path;
use crate::value::text;
use serde_json::Value;
use std::cmp::Ordering;

impl<'a> Part<'a> {
    /// Checks a container of a pod. `volumes` is `None` if the volumes of the pod are unknown.
    pub(super) fn container(&mut self, container: &'a Value, at: &Path, label: &str, volumes: Option<&Volumes<'_>>) {
        self.container_name(container, at);
        self.image(container, at, label);
        let ports = self.ports(at);
        self.probes(container, at, &ports);
        self.mounts(at, volumes);
        self.environment(at);
        self.resources(at);
    }

    fn container_name(&mut self, container: &Value, at: &Path) {
        let (path, name) = (at.key("name"), text(container, "name"));
        if is_nameless(container) {
            self.refuse(&path, "a container has no name".to_owned(), "Add a name.");
        } else if !name.is_empty() && !is_dns1123_label(name) {
            let message = format!("{name:?} is not a valid container name");
            let help = "Use at most 63 lowercase letters, digits and hyphens, with a letter or digit at both ends.";
            self.refuse(&path, message, help);
        }
    }

    fn image(&mut self, container: &Value, at: &Path, label: &str) {
        let image = text(container, "image");
        // A build may replace the image, so this is only a warning. Placeholders of templates are ignored.
        if image.contains(['$', '{']) || check_pullable(image).is_ok() {
            return;
        }
        let name = text(container, "name");
        let message = if image.is_empty() {
            format!("container {name:?} of {label} has no image")
        } else {
            format!("{image:?} is not an image reference, so container {name:?} of {label} never starts")
        };
        self.report(&rules::DEPLOYMENT_IMAGE, &at.key("image"), message);
    }

    /// Checks the ports of a container, and returns their names.
    fn ports(&mut self, at: &Path) -> Vec<&'a str> {
        let list = at.key("ports");
        let mut names = Vec::new();
        for (index, port) in self.list(&list).iter().enumerate() {
            let path = list.index(index);
            if let Some(number) = port.get("containerPort").filter(|port| !is_port(port)) {
                let message = format!("the container port {number} is not between 1 and 65535");
                self.report(&rules::DEPLOYMENT_PORT, &path.key("containerPort"), message);
            }
            let name = text(port, "name");
            if !name.is_empty() && !is_port_name(name) {
                let message = format!("{name:?} is not a valid port name");
                let finding = self.finding(&rules::DEPLOYMENT_PORT, &path.key("name"), message);
                let help = "Use at most 15 lowercase letters, digits and single hyphens, with at least one letter.";
                self.findings.push(finding.help(help));
            }
            names.push(name);
        }
        let help = "Use a different name for each port.";
        self.distinct(&[list], "name", "two ports of the container are named", help);
        names
    }

    /// Checks that the volumes of all mounts exist, and that the mounts have different paths.
    fn mounts(&mut self, at: &Path, volumes: Option<&Volumes<'_>>) {
        let list = at.key("volumeMounts");
        for (index, mount) in self.list(&list).iter().enumerate() {
            let (name, target) = (text(mount, "name"), text(mount, "mountPath"));
            // OLM adds its own volumes to Deployments, and replaces mounts at its paths.
            if name.is_empty() || OLM_VOLUMES.contains(&name) || is_olm_mount(target) {
                continue;
            }
            let Some(volumes) = volumes.filter(|volumes| !volumes.contains_key(name)) else {
                continue;
            };
            let message = format!("a volume named {name:?} is mounted, but the pod has no such volume");
            let help = match self.similar(name, volumes.keys().copied()) {
                Some(meant) => format!("Use the name {meant}."),
                None => "Correct the name, or add the volume to the volumes of the pod.".to_owned(),
            };
            self.refuse(&list.index(index).key("name"), message, &help);
        }
        let help = "Mount each volume at a different path.";
        self.distinct(&[list], "mountPath", "two volumes are mounted at", help);
    }

    fn environment(&mut self, at: &Path) {
        let list = at.key("env");
        for (index, variable) in self.list(&list).iter().enumerate() {
            let path = list.index(index);
            if is_nameless(variable) {
                let message = "an environment variable has no name".to_owned();
                self.refuse(&path.key("name"), message, "Add a name.");
            }
            let name = text(variable, "name");
            let is_usual = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
            // Every version of Kubernetes rejects these names.
            if !name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=') {
                let message = format!("{name:?} is not a valid name of an environment variable");
                self.refuse(&path.key("name"), message, "Use letters, digits and underscores.");
            } else if name.starts_with(|first: char| first.is_ascii_digit()) || !name.chars().all(is_usual) {
                let message = format!("the environment variable {name:?} has an unusual name");
                self.report(&rules::DEPLOYMENT_VARIABLE_NAME, &path.key("name"), message);
            }
            if !variable.get("valueFrom").is_some_and(Value::is_object) {
                continue;
            }
            let from = path.key("valueFrom");
            let sources = self.given(&from, &SOURCES);
            let has_value = !text(variable, "value").is_empty();
            let problem = match sources.as_slice() {
                [] => Some((
                    "has no source".to_owned(),
                    format!("Add one of {}.", SOURCES.join(", ")),
                )),
                _ if has_value => Some((
                    "is set in addition to value".to_owned(),
                    "Remove value or valueFrom.".to_owned(),
                )),
                [_] => None,
                _ => Some((
                    format!("has more than one source: {}", sources.join(", ")),
                    "Keep one of them.".to_owned(),
                )),
            };
            if let Some((wrong, help)) = problem {
                let message = format!("valueFrom of the environment variable {name:?} {wrong}");
                self.refuse(&from, message, &help);
            }
            self.pod_field(&from.key("fieldRef").key("fieldPath"));
        }
    }

    /// Checks the path of the pod field from which an environment variable takes its value.
    fn pod_field(&mut self, path: &Path) {
        let Some(field) = self.value(path).and_then(Value::as_str) else {
            return;
        };
        if is_pod_field(field) {
            return;
        }
        let message = format!("{field:?} is not a pod field from which an environment variable can take its value");
        let help = match self.similar(field, POD_FIELDS.into_iter()) {
            _ if POD_MAPS.contains(&field) => format!("Add the key, as in {field}['example.com/key']."),
            Some(meant) => format!("Did you mean {meant}?"),
            None => format!("Use {}, or a key of {}.", POD_FIELDS.join(", "), POD_MAPS.join(" or ")),
        };
        self.refuse(path, message, &help);
    }

    /// Checks that no request is above its limit.
    fn resources(&mut self, at: &Path) {
        let resources = at.key("resources");
        for name in ["cpu", "memory", "ephemeral-storage"] {
            let path = resources.key("requests").key(name);
            let request = self.value(&path).and_then(written);
            let limit = self.value(&resources.key("limits").key(name)).and_then(written);
            if let (Some(request), Some(limit)) = (request, limit)
                && quantity::compare(&request, &limit) == Some(Ordering::Greater)
            {
                let message = format!("the request of {request} for {name} is above the limit of {limit}");
                self.refuse(&path, message, "Lower the request, or raise the limit.");
            }
        }
    }
}

/// The names of the volumes in which OLM puts serving certificates.
const OLM_VOLUMES: [&str; 2] = ["apiservice-cert", "webhook-cert"];

/// The sources from which an environment variable can take its value.
const SOURCES: [&str; 5] = [
    "fieldRef",
    "resourceFieldRef",
    "configMapKeyRef",
    "secretKeyRef",
    "fileKeyRef",
];

/// The fields of a pod from which an environment variable can take its value.
const POD_FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// The maps of a pod from which an environment variable can take a single value.
const POD_MAPS: [&str; 2] = ["metadata.labels", "metadata.annotations"];

fn is_pod_field(path: &str) -> bool {
    // These are not suggested; spec.host is the old name of spec.nodeName.
    if POD_FIELDS.contains(&path) || ["spec.host", "spec.hostname"].contains(&path) {
        return true;
    }
    match path.strip_suffix("']").and_then(|path| path.split_once("['")) {
        Some(("metadata.labels", key)) => is_qualified_name(key),
        Some(("metadata.annotations", key)) => is_qualified_name(&key.to_lowercase()),
        _ => false,
    }
}

/// Whether a map lacks a name. A name of the wrong type is reported elsewhere.
fn is_nameless(value: &Value) -> bool {
    let name = value.get("name").unwrap_or(&Value::Null);
    value.is_object() && (name.is_null() || name == "")
}

/// Returns a quantity as written in the manifest.
fn written(quantity: &Value) -> Option<String> {
    match quantity {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Whether a value is a port number. Returns `true` for values of other types, which another rule reports.
pub(super) fn is_port(value: &Value) -> bool {
    value.as_i64().is_none_or(is_port_number)
}
