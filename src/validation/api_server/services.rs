//! Checks the names of objects, and the ports of Services.

use super::containers::is_port;
use super::part::{Part, is_unset};
use crate::kubernetes::names::{is_dns1035_label, is_dns1123_label, is_dns1123_subdomain};
use crate::kubernetes::rbac;
use crate::text::Path;
use crate::value::text;
use serde_json::Value;
use std::collections::HashSet;

impl Part<'_> {
    /// Checks the name of an object of a kind that bundles contain. Other rules check the names of Deployments,
    /// CustomResourceDefinitions, APIServices and ClusterServiceVersions.
    pub(super) fn object_name(&mut self) {
        let (name, gvk) = (self.object.name(), self.object.gvk());
        let (is_valid, help) = match (gvk.group.as_str(), gvk.kind.as_str()) {
            ("", "Service") => (is_dns1035_label(name), LABEL),
            (rbac::GROUP, _) => (is_path_segment(name), "Use a name without / and %."),
            ("", "ConfigMap" | "Secret" | "ServiceAccount")
            | ("admissionregistration.k8s.io" | "console.openshift.io" | "monitoring.coreos.com", _)
            | ("autoscaling.k8s.io", "VerticalPodAutoscaler")
            | ("networking.k8s.io", "NetworkPolicy")
            | ("policy", "PodDisruptionBudget")
            | ("scheduling.k8s.io", "PriorityClass") => (is_dns1123_subdomain(name), SUBDOMAIN),
            _ => return,
        };
        // A missing name is reported elsewhere.
        if !is_valid && !name.is_empty() {
            let message = format!("{name:?} is not a valid {} name", gvk.kind);
            self.refuse(&Path::from("metadata.name"), message, help);
        }
    }

    /// Checks the names of the Deployments and ServiceAccounts that OLM creates from a ClusterServiceVersion.
    pub(super) fn created_names(&mut self) {
        for (list, field, kind) in [
            ("deployments", "name", "Deployment"),
            ("permissions", "serviceAccountName", "ServiceAccount"),
            ("clusterPermissions", "serviceAccountName", "ServiceAccount"),
        ] {
            let list = Path::from("spec.install.spec").key(list);
            for (index, entry) in self.list(&list).iter().enumerate() {
                let name = text(entry, field);
                if !name.is_empty() && !is_dns1123_subdomain(name) {
                    let message = format!("{name:?} is not a valid {kind} name");
                    self.refuse(&list.index(index).key(field), message, SUBDOMAIN);
                }
            }
        }
    }

    /// Checks the ports of a Service, and that a Service of the type `ExternalName` has an external name.
    pub(super) fn service(&mut self) {
        let spec = Path::from("spec");
        let list = spec.key("ports");
        let (mut names, mut numbers) = (HashSet::new(), HashSet::new());
        let several = self.list(&list).len() > 1;
        for (index, port) in self.list(&list).iter().enumerate() {
            let path = list.index(index);
            if !port.is_object() {
                continue;
            }
            if is_unset(port.get("name")) {
                if several {
                    let message = "a Service with several ports has a port without a name".to_owned();
                    self.refuse(&path.key("name"), message, "Add a name.");
                }
            } else if let Some(name) = port.get("name").and_then(Value::as_str) {
                if !is_dns1123_label(name) {
                    let message = format!("{name:?} is not a valid port name");
                    self.refuse(&path.key("name"), message, PORT_NAME);
                } else if !names.insert(name) {
                    let message = format!("two ports of the Service are named {name:?}");
                    self.refuse(&path.key("name"), message, "Use a different name for each port.");
                }
            }
            self.port_number(port, &path.key("port"));
            let protocol = match port.get("protocol") {
                unset if is_unset(unset) => "TCP",
                Some(Value::String(protocol)) => protocol.as_str(),
                _ => continue,
            };
            if let Some(number) = port.get("port").and_then(Value::as_i64)
                && !numbers.insert((number, protocol))
            {
                let message = format!("the Service has the {protocol} port {number} twice");
                self.refuse(&path.key("port"), message, "Remove one of the two ports.");
            }
        }
        self.labels(&spec.key("selector"));
        self.service_type(&spec);
    }

    /// Checks the fields that a Service of its type must have or must not have.
    fn service_type(&mut self, spec: &Path) {
        let of_type = match self.value(&spec.key("type")) {
            unset if is_unset(unset) => "ClusterIP",
            Some(Value::String(of_type)) => of_type,
            _ => return,
        };
        let external = spec.key("externalName");
        let is_external = of_type == "ExternalName";
        if is_external && is_unset(self.value(&external)) {
            let message = "a Service of the type ExternalName has no externalName".to_owned();
            self.refuse(&external, message, "Set externalName, or change the type.");
        }
        let ports = spec.key("ports");
        let is_list = self
            .value(&ports)
            .is_none_or(|ports| ports.is_array() || ports.is_null());
        let is_headless = self
            .value(&spec.key("clusterIP"))
            .is_some_and(|address| address == "None");
        if is_list && self.list(&ports).is_empty() && !is_external && !is_headless {
            let message = "a Service with an address has no ports".to_owned();
            self.refuse(&ports, message, "Add a port, or set clusterIP: None.");
        }
        for (index, port) in self.list(&ports).iter().enumerate() {
            let number = port.get("nodePort").and_then(Value::as_i64);
            if let Some(number) = number.filter(|number| of_type == "ClusterIP" && *number != 0) {
                let message = format!("the Service has the nodePort {number}, but its type is ClusterIP");
                let help = "Remove nodePort, or use the type NodePort.";
                self.refuse(&ports.index(index).key("nodePort"), message, help);
            }
        }
    }

    fn port_number(&mut self, port: &Value, path: &Path) {
        let message = match port.get("port") {
            None | Some(Value::Null) => "a port of the Service has no number".to_owned(),
            Some(number) if !is_port(number) => format!("the Service port {number} is not between 1 and 65535"),
            Some(_) => return,
        };
        self.refuse(path, message, "Use a number from 1 to 65535.");
    }
}

const SUBDOMAIN: &str = "Use lowercase letters, digits, dots and hyphens, with a letter or digit at both ends.";
const LABEL: &str = "Use at most 63 lowercase letters, digits and hyphens, beginning with a letter.";
const PORT_NAME: &str = "Use at most 63 lowercase letters, digits and hyphens, with a letter or digit at both ends.";

/// Whether the string can be a segment of a URL path. The names of roles and bindings have no other restrictions.
fn is_path_segment(name: &str) -> bool {
    ![".", ".."].contains(&name) && !name.contains(['/', '%'])
}
