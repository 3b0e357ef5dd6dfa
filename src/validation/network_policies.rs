//! Checks NetworkPolicies of a bundle: OLM creates them in the install namespace, which other operators may share.

use crate::bundle::Bundle;
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::text::Path;
use serde_json::Value;

/// Reports policies that also apply to the pods of other operators.
pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let objects = bundle.objects.iter();
    for policy in objects.filter(|object| object.gvk().is("networking.k8s.io", "NetworkPolicy")) {
        let selector = policy.get(&["spec", "podSelector"]);
        let is_empty = selector.and_then(Value::as_object).is_none_or(|selector| {
            let mut parts = selector.values();
            parts.all(|part| match part {
                Value::Object(labels) => labels.is_empty(),
                Value::Array(terms) => terms.is_empty(),
                _ => true,
            })
        });
        if is_empty {
            let message = format!(
                "{} selects all pods of the namespace that the operator is installed into, including those of other \
                 operators",
                policy.label()
            );
            let path = Path::from("spec.podSelector");
            let finding = Diagnostic::new(&rules::NETWORKPOLICY_ALL_PODS, message).object(policy.label());
            findings.push(finding.path(&path).at(policy.place(&path)));
        }
    }
}
