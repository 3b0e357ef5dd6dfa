//! Namespaces in the objects that are shipped alongside the CSV. They come from the author's cluster, but the user
//! chooses the namespace of the operator, and OLM creates all namespaced objects there.

use super::Work;
use super::deployments::Accounts;
use super::fate::is_moved;
use super::inventory::same_namespace;
use super::kept_binding::suggested;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac;
use crate::manifest::Object;
use crate::olm::annotation::SUGGESTED_NAMESPACE;
use crate::rules;
use crate::text::Path;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The kinds whose fields may refer to the namespace of the operator. The permissions of bindings are checked
/// separately, and OLM itself sets the namespaces in webhooks.
const REFERRING: [&str; 4] = ["ConsolePlugin", "PodMonitor", "PrometheusRule", "ServiceMonitor"];

/// Checks the shipped objects.
pub(super) fn check(work: &mut Work<'_>, accounts: &Accounts) {
    let kept = work.inventory.kept();
    let kept: Vec<&Object> = kept.into_iter().map(|index| work.inventory.object(index)).collect();
    work.findings.extend(clashes(kept.iter().copied()));
    let clashing = work
        .findings
        .iter()
        .filter(|finding| *finding.rule == rules::K8S_NAMESPACE_CLASH);
    let clashing: BTreeSet<String> = clashing.filter_map(|finding| finding.object.clone()).collect();
    for object in kept {
        moved(work, accounts, &clashing, object);
        if let Some(namespace) = accounts.namespace.as_deref()
            && suggested(work) != Some(namespace)
            && REFERRING.contains(&object.gvk().kind.as_str())
        {
            references(work, object, namespace);
        }
    }
}

/// Reports an object for a namespace other than that of the Deployments, unless it is among the `clashing` objects,
/// which were already reported.
fn moved(work: &mut Work<'_>, accounts: &Accounts, clashing: &BTreeSet<String>, object: &Object) {
    // The findings about bindings include their roles.
    let is_reported = object.gvk().group == rbac::GROUP || clashing.contains(&object.label());
    if !is_moved(object) || is_reported || same_namespace(object.namespace(), accounts.namespace.as_deref()) {
        return;
    }
    work.report(moved_to_install_namespace(object));
}

/// Returns the finding about an object whose namespace OLM replaces.
pub(crate) fn moved_to_install_namespace(object: &Object) -> Diagnostic {
    let message = format!(
        "{} is for namespace {}, but OLM creates it in the install namespace",
        object.label(),
        object.namespace().unwrap_or_default()
    );
    let finding = Diagnostic::new(&rules::K8S_NAMESPACE_MOVED, message).object(object.label());
    finding.at(object.place(&Path::from("metadata.namespace")))
}

/// Reports the fields of an object that refer to the namespace of the Deployments.
fn references(work: &mut Work<'_>, object: &Object, namespace: &str) {
    let spec = Path::root().key("spec");
    let mut found = Vec::new();
    if let Some(value) = spec.get(object.value()) {
        collect("", value, &spec, namespace, &mut found);
    }
    for path in found {
        let kind = &object.gvk().kind;
        let without = if path.to_string().contains(".matchNames[") {
            format!("Remove the selector, because a {kind} without one selects in its own namespace")
        } else if kind == "PrometheusRule" {
            format!("Select by other labels than the namespace, or let the operator create the {kind}")
        } else {
            format!("Let the operator create the {kind}")
        };
        let message = format!(
            "{} refers to the namespace {namespace}, but the user chooses the namespace of the operator",
            object.label()
        );
        let help = format!(
            "{without}, or add annotations: {{{SUGGESTED_NAMESPACE}: {namespace}}} to metadata/olm.yaml to install the \
             operator into {namespace}."
        );
        let finding = Diagnostic::new(&rules::K8S_NAMESPACE_FIXED, message).object(object.label());
        work.report(finding.path(&path).at(object.place(&path)).help(help));
    }
}

/// Collects the paths of the strings that name the namespace. `key` is the nearest key above the value.
fn collect(key: &str, value: &Value, path: &Path, namespace: &str, found: &mut Vec<Path>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                collect(key, value, &path.key(key), namespace, found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect(key, value, &path.index(index), namespace, found);
            }
        }
        Value::String(text) => {
            let names = match key {
                "namespace" | "matchNames" => text == namespace,
                "serverName" => {
                    let mut parts = text.split('.').skip(1);
                    parts.next() == Some(namespace) && parts.next() == Some("svc")
                }
                "expr" => selects(text, namespace),
                _ => false,
            };
            if names {
                found.push(path.clone());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a PromQL expression compares a label such as `namespace` with this namespace in quotes.
fn selects(expression: &str, namespace: &str) -> bool {
    ['"', '\'', '`'].iter().any(|quote| {
        let quoted = format!("{quote}{namespace}{quote}");
        expression.match_indices(&quoted).any(|(at, _)| {
            let before = expression[..at].trim_end();
            let label = before.trim_end_matches(['=', '!', '~']);
            label.len() < before.len() && label.trim_end().ends_with("namespace")
        })
    })
}

/// Returns findings about pairs of objects that differ only in their namespaces: OLM creates both in the install
/// namespace, so the second overwrites the first.
pub(crate) fn clashes<'a>(objects: impl Iterator<Item = &'a Object>) -> Vec<Diagnostic> {
    let mut shipped: BTreeMap<(&str, &str, &str), &Object> = BTreeMap::new();
    let mut findings = Vec::new();
    for object in objects.filter(|object| is_moved(object)) {
        let gvk = object.gvk();
        let first = shipped.insert((&gvk.group, &gvk.kind, object.name()), object);
        let Some(first) = first.filter(|first| first.namespace() != object.namespace()) else {
            continue;
        };
        let message = format!(
            "{} is in the namespaces {} and {}, but OLM creates both objects in the install namespace",
            object.label(),
            first.namespace().unwrap_or("\"\""),
            object.namespace().unwrap_or("\"\"")
        );
        let finding = Diagnostic::new(&rules::K8S_NAMESPACE_CLASH, message).object(object.label());
        let finding = finding.at(object.name_place());
        findings.push(finding.also(first.name_place(), "the other object"));
    }
    findings
}
