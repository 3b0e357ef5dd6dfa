//! Bindings that are shipped alongside the CSV, and OLM's handling of their subjects.
//!
//! OLM creates a RoleBinding in the install namespace, whatever namespace it specifies, but does not change the
//! subjects of any binding. The API server requires a namespace for each service account of a ClusterRoleBinding. In a
//! RoleBinding, a subject without a namespace is in the namespace of the binding.

use super::Work;
use super::deployments::Accounts;
use super::hooks;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac;
use crate::manifest::Object;
use crate::olm::annotation::SUGGESTED_NAMESPACE;
use crate::rules;
use crate::text::Path;
use serde_json::Value;

/// The advice about an account that OLM need not bind.
const OF_HOOK: &str = "If only Helm hooks use the account, leave the binding and the other hooks out of the bundle, \
                       because OLM runs no hooks.";

/// Checks the subjects of a binding that is shipped unchanged.
pub(super) fn look_at(work: &mut Work<'_>, accounts: &Accounts, binding: &Object) {
    for (index, subject) in binding.list(&["subjects"]).iter().enumerate() {
        subject_of(work, accounts, binding, index, subject);
    }
}

/// Checks the subject at position `index` in the author's list.
pub(super) fn subject_of(work: &mut Work<'_>, accounts: &Accounts, binding: &Object, index: usize, subject: &Value) {
    let text = |key: &str| subject.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    // The API server rejects a service account with an API group, which another rule reports.
    if text("kind") != Some("ServiceAccount") || text("apiGroup").is_some() {
        return;
    }
    let of_cluster = binding.gvk().kind == "ClusterRoleBinding";
    let name = text("name").unwrap_or_default();
    let path = Path::root().key("subjects").index(index);
    let finding = match text("namespace") {
        None if !of_cluster => return,
        None => {
            let message = format!(
                "the API server rejects {}, because its subject {name} specifies no namespace",
                binding.label()
            );
            let help = if is_of_hook(work, accounts, binding, name) {
                format!("Add the namespace of the account. {OF_HOOK}")
            } else {
                format!(
                    "Add the namespace of the account. If it is an account of this bundle, {}.",
                    listing(work, accounts, binding, name)
                )
            };
            Diagnostic::new(&rules::RBAC_SUBJECT_NAMESPACE_MISSING, message)
                .help(help)
                .at(binding.place(&path))
        }
        // The author has suggested this namespace for the operator.
        Some(namespace) if suggested(work) == Some(namespace) => return,
        // The author must replace a binding that grants nothing, whatever its subjects are.
        Some(_) if loses_role(work, binding) => return,
        Some(namespace) => {
            let grants = format!(
                " grants its role to account {name} of namespace {namespace}, wherever the operator is installed"
            );
            let help = if is_of_hook(work, accounts, binding, name) {
                OF_HOOK.to_owned()
            } else if is_of_bundle(work, accounts, name) {
                let listing = listing(work, accounts, binding, name);
                let without = if of_cluster {
                    ""
                } else {
                    "\nOr remove the namespace, so that the subject is in the namespace where OLM creates the binding."
                };
                format!(
                    "To bind the account wherever the operator is installed, {listing}.{without}\nTo install the \
                     operator into {namespace}, add annotations: {{{SUGGESTED_NAMESPACE}: {namespace}}} to \
                     metadata/olm.yaml."
                )
            } else {
                format!(
                    "No action needed if another program in {namespace} uses the account. If it is an account of \
                     the operator, add the ServiceAccount to the bundle."
                )
            };
            let place = binding.place(&path.key("namespace"));
            let is_same =
                |finding: &&mut Diagnostic| finding.message.ends_with(&grants) && finding.help.as_ref() == Some(&help);
            if let Some(said) = work.findings.iter_mut().find(is_same) {
                said.related
                    .push((place, format!("{} also grants it", binding.label())));
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

/// Reports a group or user that stands for the accounts of one namespace, in a binding that also names the accounts of
/// the operator themselves.
pub(super) fn all_of_namespace(work: &mut Work<'_>, binding: &Object, index: usize, subject: &Value) {
    let text = |key: &str| subject.get(key).and_then(Value::as_str).unwrap_or_default();
    let (name, kind) = (text("name"), text("kind").to_lowercase());
    let rest = name.strip_prefix("system:serviceaccounts:");
    let rest = rest.or_else(|| name.strip_prefix("system:serviceaccount:"));
    let Some(namespace) = rest.and_then(|rest| rest.split(':').next()) else {
        return;
    };
    if suggested(work) == Some(namespace) {
        return;
    }
    let message = format!(
        "{} grants its role to {kind} {name}, wherever the operator is installed",
        binding.label()
    );
    let help = format!(
        "Remove the {kind}, because the binding names the operator's service account itself.\nTo install the operator \
         into {namespace}, add annotations: {{{SUGGESTED_NAMESPACE}: {namespace}}} to metadata/olm.yaml."
    );
    let finding = Diagnostic::new(&rules::RBAC_KEPT_SUBJECT_NAMESPACE, message).object(binding.label());
    let place = binding.place(&Path::root().key("subjects").index(index).key("name"));
    work.report(finding.help(help).at(place));
}

/// Whether the binding was reported because OLM moves it out of the namespace of its Role.
fn loses_role(work: &Work<'_>, binding: &Object) -> bool {
    let place = binding.place(&Path::from("metadata.namespace"));
    let mut reported = work.findings.iter();
    binding.text(&["roleRef", "kind"]) == Some("Role")
        && !is_role_in_bundle(work, binding)
        && reported
            .any(|finding| *finding.rule == rules::RBAC_OTHER_NAMESPACE && finding.place.as_ref() == Some(&place))
}

/// Returns the kind and name of the role that a binding refers to.
pub(crate) fn role_of(binding: &Object) -> (&str, &str) {
    let text = |key: &str| binding.text(&["roleRef", key]).unwrap_or_default();
    (text("kind"), text("name"))
}

/// Whether the bundle contains the role that the binding refers to.
fn is_role_in_bundle(work: &Work<'_>, binding: &Object) -> bool {
    let (kind, role) = role_of(binding);
    !work.inventory.named(rbac::GROUP, kind, role).is_empty()
}

/// Whether the bundle contains an account with this name.
fn is_of_bundle(work: &Work<'_>, accounts: &Accounts, account: &str) -> bool {
    accounts.is_projected(account) || !work.inventory.named("", "ServiceAccount", account).is_empty()
}

/// Whether an account other than the operator's belongs to Helm hooks: the account or the binding is a hook.
pub(super) fn is_of_hook(work: &Work<'_>, accounts: &Accounts, binding: &Object, account: &str) -> bool {
    let mut objects = work.inventory.objects().iter();
    let is_hook =
        |object: &&Object| object.gvk().is("", "ServiceAccount") && object.name() == account && hooks::is_hook(object);
    !accounts.is_projected(account) && (hooks::is_hook(binding) || objects.any(is_hook))
}

/// Returns the namespace that the author suggests for the operator.
pub(super) fn suggested<'a>(work: &Work<'a>) -> Option<&'a str> {
    work.olm.text(&["annotations", SUGGESTED_NAMESPACE])
}

/// Describes how to let OLM bind the account itself, in the install namespace.
fn listing(work: &Work<'_>, accounts: &Accounts, binding: &Object, account: &str) -> String {
    let (kind, role) = role_of(binding);
    let in_bundle = is_role_in_bundle(work, binding);
    let known = accounts.is_projected(account);
    let add_role = format!("bind it to a role of the bundle with the rules of {kind} {role}");
    let add_account = format!("add extraServiceAccounts: [{account}] to metadata/olm.yaml");
    match (in_bundle, known) {
        (true, true) if binding.gvk().kind == "ClusterRoleBinding" => match &accounts.namespace {
            Some(namespace) => {
                format!("set the namespace of the subject to {namespace}, the namespace of the Deployment")
            }
            None => "remove the namespace of the subject".to_owned(),
        },
        (true, true) => "move the binding and the Deployment into the same namespace".to_owned(),
        (true, false) => add_account,
        (false, true) => add_role,
        (false, false) => format!("{add_account}, and {add_role}"),
    }
}
