//! `object`: reports settings that can harm a cluster, in the objects alongside the CSV and in the permissions that the
//! CSV requests.

use super::{Input, csv_of, found, permission_rules};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac::PolicyRule;
use crate::manifest::Object;
use crate::rules::{self, Severity};
use crate::text::{Path, kind_of};
use serde_json::Value;

/// The security context constraints that every OpenShift cluster has.
const DEFAULT_CONSTRAINTS: [&str; 8] = [
    "privileged",
    "restricted",
    "anyuid",
    "hostaccess",
    "hostmount-anyuid",
    "hostnetwork",
    "node-exporter",
    "nonroot",
];

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    for object in &input.bundle.objects {
        match object.gvk().kind.as_str() {
            "PodDisruptionBudget" => disruption_budget(object, input.options.reference, findings),
            "PriorityClass" => priority_class(object, findings),
            "Role" | "ClusterRole" => role(object, findings),
            _ => {}
        }
    }
    if let Some((object, csv)) = csv_of(input).filter(|_| !input.options.reference) {
        for (path, rule) in permission_rules(csv) {
            let earlier = findings.len();
            policy_rule(object, &path, rule, findings);
            let new = findings.iter_mut().skip(earlier);
            new.for_each(|finding| finding.severity = Severity::Warning);
        }
    }
}

fn unparsable(object: &Object, path: &Path, value: &Value, wanted: &str) -> Diagnostic {
    let message = format!("{path} is {}, not {wanted}", kind_of(value));
    found(&rules::OBJ_UNPARSABLE, object, path, message)
}

/// Reports a budget that never allows a pod to be evicted, which prevents nodes from being drained.
fn disruption_budget(object: &Object, reference: bool, findings: &mut Vec<Diagnostic>) {
    let fields = ["minAvailable", "maxUnavailable"].map(|field| {
        let path = Path::from("spec").key(field);
        let value = path.get(object.value()).filter(|value| !value.is_null());
        (path, value)
    });
    let wrong = |value: &Value| !value.is_string() && !value.is_i64();
    for (path, value) in &fields {
        if let Some(value) = value.filter(|value| wrong(value)) {
            findings.push(unparsable(object, path, value, "a number or a percentage"));
            return;
        }
    }
    let [(min_path, min), (max_path, max)] = fields;
    // The original reads any string as the number 0.
    let none = |value: &Value| match value {
        Value::String(text) => reference || text == "0%",
        other => other.as_i64() == Some(0),
    };
    if max.is_some_and(none) {
        let message = "the budget never allows a pod to be unavailable";
        findings.push(found(&rules::OBJ_PDB_MAXUNAVAILABLE_ZERO, object, &max_path, message));
    }
    if min.and_then(Value::as_str) == Some("100%") {
        let message = "the budget requires all pods to be available at all times";
        findings.push(found(&rules::OBJ_PDB_MINAVAILABLE_FULL, object, &min_path, message));
    }
}

fn priority_class(object: &Object, findings: &mut Vec<Diagnostic>) {
    let path = Path::from("globalDefault");
    match object.get(&["globalDefault"]) {
        Some(Value::Bool(true)) => {
            let message = "this class would become the default of the whole cluster";
            findings.push(found(&rules::OBJ_PRIORITYCLASS_GLOBAL_DEFAULT, object, &path, message));
        }
        None | Some(Value::Bool(false) | Value::Null) => {}
        Some(other) => findings.push(unparsable(object, &path, other, "true or false")),
    }
}

fn role(object: &Object, findings: &mut Vec<Diagnostic>) {
    let path = Path::from("rules");
    let rules = match object.get(&["rules"]) {
        Some(Value::Array(rules)) => rules.as_slice(),
        None | Some(Value::Null) => return,
        Some(other) => return findings.push(unparsable(object, &path, other, "a list")),
    };
    if let Some(index) = rules.iter().position(|rule| !rule.is_object()) {
        let path = path.index(index);
        let value = path.get(object.value()).unwrap_or(&Value::Null);
        return findings.push(unparsable(object, &path, value, "a map"));
    }
    for (index, rule) in rules.iter().enumerate() {
        policy_rule(object, &path.index(index), rule, findings);
    }
}

/// Checks an RBAC rule. Groups and resources count only if they are named explicitly.
fn policy_rule(object: &Object, path: &Path, rule: &Value, findings: &mut Vec<Diagnostic>) {
    let rule = PolicyRule(rule);
    let about = |group: &str, resource: &str| {
        rule.api_groups().any(|(_, listed)| listed == group) && rule.resources().any(|(_, listed)| listed == resource)
    };
    let verb = |verbs: &[&str]| rule.list("verbs").find(|(_, listed)| verbs.contains(listed));
    if about("policy", "poddisruptionbudgets")
        && let Some((index, _)) = verb(&["*", "create", "update", "patch"])
    {
        let message = "this rule allows changes to disruption budgets, which can prevent nodes from being drained";
        let path = path.key("verbs").index(index);
        findings.push(found(&rules::OBJ_RBAC_PDB_WRITE, object, &path, message));
    }
    let constraint = rule
        .list("resourceNames")
        .find(|(_, name)| DEFAULT_CONSTRAINTS.contains(name));
    if about("security.openshift.io", "securitycontextconstraints")
        && let (Some((index, _)), Some((_, name))) = (verb(&["*", "delete", "update", "patch"]), constraint)
    {
        let message = format!(
            "this rule allows changes to the security context constraints {name}, which every \
                               cluster has"
        );
        let path = path.key("verbs").index(index);
        findings.push(found(&rules::OBJ_RBAC_DEFAULT_SCC_WRITE, object, &path, message));
    }
}
