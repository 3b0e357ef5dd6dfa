//! Bindings that are shipped beside the CSV: what OLM makes of their subjects.
//!
//! OLM creates a RoleBinding in the install namespace, whatever namespace it names, and leaves its subjects and those
//! of a ClusterRoleBinding as they are. The API server wants a namespace with each service account of a
//! ClusterRoleBinding, and takes that of a RoleBinding where a subject of it names none.

use super::Work;
use super::deployments::Accounts;
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::olm::annotation::SUGGESTED_NAMESPACE;
use crate::rules;
use crate::text::Path;
use serde_json::Value;

/// Looks at the subjects of a binding that is shipped as it is.
pub(super) fn look_at(work: &mut Work<'_>, accounts: &Accounts, binding: &Object) {
    for (index, subject) in binding.list(&["subjects"]).iter().enumerate() {
        subject_of(work, accounts, binding, index, subject);
    }
}

/// Looks at the subject at `index` of the author's list.
pub(super) fn subject_of(work: &mut Work<'_>, accounts: &Accounts, binding: &Object, index: usize, subject: &Value) {
    let text = |key: &str| subject.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    if text("kind") != Some("ServiceAccount") {
        return;
    }
    let of_cluster = binding.gvk().kind == "ClusterRoleBinding";
    let name = text("name").unwrap_or_default();
    let path = Path::root().key("subjects").index(index);
    let finding = match text("namespace") {
        None if !of_cluster => return,
        None => {
            let message = format!(
                "the API server refuses {}: its subject {name} names no namespace",
                binding.label()
            );
            let help = format!(
                "Write the namespace of the account. Where it is an account of this bundle, {}.",
                listing(work, accounts, binding, name)
            );
            Diagnostic::new(&rules::RBAC_SUBJECT_NAMESPACE_MISSING, message)
                .help(help)
                .at(binding.place(&path))
        }
        // The author has decided where it is installed.
        Some(namespace) if suggested(work) == Some(namespace) => return,
        Some(namespace) => {
            let grants =
                format!(" grants to account {name} of namespace {namespace}, wherever the operator is installed");
            let listing = listing(work, accounts, binding, name);
            let without = if of_cluster {
                ""
            } else {
                " Or remove the namespace: the subject is then of the namespace that OLM creates the binding in."
            };
            let help = format!(
                "To bind the account wherever the operator is installed, {listing}.{without} To have it installed into \
                 {namespace}, write annotations: {{{SUGGESTED_NAMESPACE}: {namespace}}} into metadata/olm.yaml."
            );
            let place = binding.place(&path.key("namespace"));
            let is_same =
                |finding: &&mut Diagnostic| finding.message.ends_with(&grants) && finding.help.as_ref() == Some(&help);
            if let Some(said) = work.findings.iter_mut().find(is_same) {
                said.related.push((place, format!("{} does, too", binding.label())));
                return;
            }
            Diagnostic::new(
                &rules::RBAC_KEPT_SUBJECT_NAMESPACE,
                format!("{}{grants}", binding.label()),
            )
            .help(help)
            .at(place)
        }
    };
    work.report(finding.object(binding.label()));
}

/// The namespace that the author suggests for the operator.
fn suggested<'a>(work: &Work<'a>) -> Option<&'a str> {
    work.olm.text(&["annotations", SUGGESTED_NAMESPACE])
}

/// What makes OLM bind the account itself, in the namespace that it installs into.
fn listing(work: &Work<'_>, accounts: &Accounts, binding: &Object, account: &str) -> String {
    let role = binding.text(&["roleRef", "name"]).unwrap_or_default();
    let kind = binding.text(&["roleRef", "kind"]).unwrap_or_default();
    let roles = work.inventory.of_rbac(kind).into_iter();
    let in_bundle = roles
        .map(|role| work.inventory.object(role))
        .any(|found| found.name() == role);
    let known = accounts.is_projected(account);
    let add_role = format!("bind it to a role of the bundle that has the rules of {kind} {role}");
    let add_account = format!("write extraServiceAccounts: [{account}] into metadata/olm.yaml");
    match (in_bundle, known) {
        (true, true) => "put binding and Deployment into one namespace".to_owned(),
        (true, false) => add_account,
        (false, true) => add_role,
        (false, false) => format!("{add_account}, and {add_role}"),
    }
}
