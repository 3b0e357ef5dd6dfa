//! Reports arguments and environment variables of Deployments that contain names from the author's cluster: the
//! namespace of the manifests, and Services that OLM replaces with its own.

use crate::bundle::Bundle;
use crate::diagnostic::Diagnostic;
use crate::manifest::{Object, of_kind};
use crate::olm::annotation::SUGGESTED_NAMESPACE;
use crate::rules;
use crate::synthesis::{Fate, Synthesis};
use crate::text::Path;
use crate::value::list;
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn check(bundle: &Bundle, synthesis: &Synthesis, findings: &mut Vec<Diagnostic>) {
    let replaced = synthesis
        .outcomes
        .iter()
        .filter(|outcome| outcome.object.gvk().is("", "Service") && matches!(outcome.fate, Fate::Projected));
    let services: BTreeSet<&str> = replaced.map(|outcome| outcome.object.name()).collect();
    let suggested = bundle.olm.as_ref().and_then(|olm| {
        let annotations = olm.value().get("annotations")?;
        annotations.get(SUGGESTED_NAMESPACE)?.as_str()
    });
    for deployment in of_kind(&bundle.objects, "apps", "Deployment") {
        let namespace = deployment.namespace().filter(|namespace| Some(*namespace) != suggested);
        for Setting { name, value, path } in settings(deployment) {
            let service = named_service(&name, value).and_then(|service| services.get(service));
            let problem = match (
                service,
                namespace.filter(|namespace| names_namespace(&name, value, namespace)),
            ) {
                (Some(service), _) => (
                    format!(
                        "{value:?} names the Service {service}, but OLM creates {}-service instead",
                        deployment.name()
                    ),
                    format!(
                        "Use {}-service, the Service that OLM creates for the Deployment.",
                        deployment.name()
                    ),
                ),
                (None, Some(namespace)) => (
                    format!(
                        "{value:?} names the namespace {namespace}, but the user chooses the namespace of the operator"
                    ),
                    format!(
                        "Read the namespace from an environment variable with fieldRef: {{fieldPath: \
                         metadata.namespace}}, or add annotations: {{{SUGGESTED_NAMESPACE}: {namespace}}} to \
                         metadata/olm.yaml."
                    ),
                ),
                (None, None) => continue,
            };
            let (message, help) = problem;
            let finding = Diagnostic::new(&rules::DEPLOYMENT_FIXED_NAME, message).object(deployment.label());
            findings.push(finding.path(&path).at(deployment.place(&path)).help(help));
        }
    }
}

/// An argument, or the value of an environment variable.
struct Setting<'a> {
    /// The flag or the variable, in lowercase letters; empty if it is unknown.
    name: String,
    value: &'a str,
    path: Path,
}

/// Returns the arguments and environment variables of the containers. The name of an argument is the part before `=`,
/// or the argument before it.
fn settings(deployment: &Object) -> Vec<Setting<'_>> {
    let containers = Path::from("spec.template.spec.containers");
    let mut settings = Vec::new();
    for (index, container) in deployment
        .list(&["spec", "template", "spec", "containers"])
        .iter()
        .enumerate()
    {
        let at = containers.index(index);
        for key in ["command", "args"] {
            let mut flag = "";
            for (index, word) in list(container, key).iter().enumerate() {
                let Some(word) = word.as_str() else { continue };
                let (name, value) = word.split_once('=').unwrap_or((flag, word));
                settings.push(Setting {
                    name: name.to_lowercase(),
                    value,
                    path: at.key(key).index(index),
                });
                flag = if word.starts_with('-') { word } else { "" };
            }
        }
        for (index, variable) in list(container, "env").iter().enumerate() {
            let text = |key: &str| variable.get(key).and_then(Value::as_str);
            if let (Some(name), Some(value)) = (text("name"), text("value")) {
                settings.push(Setting {
                    name: name.to_lowercase(),
                    value,
                    path: at.key("env").index(index).key("value"),
                });
            }
        }
    }
    settings
}

/// Returns the part of a value that may be the name of a Service: the first label of a host name, or the whole value of
/// a setting about a service.
fn named_service<'a>(name: &str, value: &'a str) -> Option<&'a str> {
    let host = value.split("://").last().unwrap_or_default();
    match host.split_once('.') {
        Some((service, rest)) if rest.contains(".svc") => Some(service),
        _ => (name.contains("service") && !name.contains("account")).then_some(value),
    }
}

/// Whether a setting contains the namespace: in a host name, or as the whole value of a setting about a namespace.
fn names_namespace(name: &str, value: &str, namespace: &str) -> bool {
    let in_host = value.contains(&format!(".{namespace}.svc"));
    in_host || value == namespace && name.contains("namespace")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_recognized_in_host_names_and_related_settings() {
        let names_service = |name: &str, value: &str, service: &str| named_service(name, value) == Some(service);
        assert!(names_service("--dns-name", "hook.ops.svc", "hook"));
        assert!(names_service("--url", "https://hook.ops.svc:9443", "hook"));
        assert!(names_service("--service-name", "hook", "hook"));
        assert!(!names_service("--service-account", "hook", "hook"));
        assert!(!names_service("--name", "hook", "hook"));
        assert!(!names_service("--dns-name", "hook2.ops.svc", "hook"));
        assert!(names_namespace("--secret-namespace", "ops", "ops"));
        assert!(names_namespace("", "db.ops.svc.cluster.local", "ops"));
        assert!(!names_namespace("--election-id", "ops", "ops"));
    }
}
