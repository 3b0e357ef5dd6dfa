//! What happens to each object: projected onto the CSV, kept beside it, or dropped.

use super::Work;
use super::crds::Owned;
use super::deployments::Accounts;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::{builtin, rbac};
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use serde_json::Value;

/// What happens to an object of the bundle.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// The CSV generates it again, so it is not shipped.
    Projected,
    /// It is shipped beside the CSV, as this value.
    Kept(Value),
    /// It is neither in the CSV nor shipped.
    Dropped,
}

/// An object, what happens to it, and why.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The object as the author wrote it.
    pub object: Object,
    /// What happens to it.
    pub fate: Fate,
    /// Why, in a few words.
    pub reason: String,
}

impl Outcome {
    /// The value to ship, where the object is kept.
    pub fn shipped(&self) -> Option<&Value> {
        match &self.fate {
            Fate::Kept(value) => Some(value),
            Fate::Projected | Fate::Dropped => None,
        }
    }
}

/// Kinds that OLM applies from a bundle beside the CSV, and whether it puts them into the install namespace.
const KEPT_KINDS: [(&str, bool); 20] = [
    ("ClusterRole", false),
    ("ClusterRoleBinding", false),
    ("ConfigMap", true),
    ("ConsoleCLIDownload", false),
    ("ConsoleLink", false),
    ("ConsolePlugin", false),
    ("ConsoleQuickStart", false),
    ("ConsoleYAMLSample", false),
    ("CustomResourceDefinition", false),
    ("NetworkPolicy", true),
    ("PodDisruptionBudget", true),
    ("PodMonitor", true),
    ("PriorityClass", false),
    ("PrometheusRule", true),
    ("Role", true),
    ("RoleBinding", true),
    ("Secret", true),
    ("Service", true),
    ("ServiceAccount", true),
    ("ServiceMonitor", true),
];

/// The value of a kept object: as written, but without the namespace that OLM sets.
pub(super) fn shipped(object: &Object) -> Value {
    let mut value = object.value().clone();
    let namespaced = KEPT_KINDS
        .iter()
        .any(|(kind, namespaced)| *namespaced && *kind == object.gvk().kind);
    if namespaced && let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.shift_remove("namespace");
    }
    value
}

/// Decides about every object that no earlier step has decided about.
pub(super) fn settle(work: &mut Work<'_>, accounts: &Accounts, owned: &Owned, certificates_from_olm: bool) {
    for index in work.inventory.undecided() {
        let object = work.inventory.object(index);
        let gvk = object.gvk();
        match (gvk.group.as_str(), gvk.kind.as_str()) {
            ("", "ServiceAccount") if accounts.is_projected(object.name()) => service_account(work, index),
            ("", "Namespace") => {
                let message = format!(
                    "Namespace {} is left out: OLM installs into a namespace that exists",
                    object.name()
                );
                report(work, &rules::K8S_NAMESPACE_DROPPED, message, object);
                work.inventory
                    .decide(index, Fate::Dropped, "OLM installs into a namespace that exists");
            }
            ("cert-manager.io", "Issuer" | "ClusterIssuer" | "Certificate") if certificates_from_olm => {
                cert_manager(work, index);
            }
            (_, crate::csv::KIND) => {
                work.inventory.decide(
                    index,
                    Fate::Dropped,
                    "a ClusterServiceVersion cannot be part of a k8s+v1 bundle",
                );
            }
            _ if owned.provides(gvk) => {
                let message = format!(
                    "{} is a custom resource of this bundle, which a bundle cannot ship",
                    object.label()
                );
                report(work, &rules::K8S_CUSTOM_RESOURCE, message, object);
                work.inventory
                    .decide(index, Fate::Dropped, "a bundle cannot ship its own custom resources");
            }
            _ if is_kept_kind(object) => {
                if gvk.group == rbac::GROUP && gvk.kind.ends_with("Binding") {
                    kept_subjects(work, object);
                }
                work.inventory
                    .decide(index, Fate::Kept(shipped(object)), "OLM applies it as it is");
            }
            _ => {
                let message = format!("OLM installs no {} ({}) from a bundle", gvk.kind, gvk.api_version());
                report(work, &rules::K8S_KIND_UNSUPPORTED, message, object);
                work.inventory
                    .decide(index, Fate::Dropped, "OLM does not install this kind");
            }
        }
    }
}

fn report(work: &mut Work<'_>, rule: &'static rules::Rule, message: String, object: &Object) {
    let finding = Diagnostic::new(rule, message).object(object.label());
    let kind = Path::root().key("kind");
    let place = if rule == &rules::K8S_KIND_UNSUPPORTED {
        object.place(&kind)
    } else {
        object.name_place()
    };
    work.report(finding.at(place));
}

fn is_kept_kind(object: &Object) -> bool {
    let gvk = object.gvk();
    let known = KEPT_KINDS.iter().any(|(kind, _)| *kind == gvk.kind) || gvk.kind == "VerticalPodAutoscaler";
    // Kubernetes' own kinds count in their own group only; the others belong to whichever group serves them.
    known && (!builtin::is_builtin_group(&gvk.group) || !is_foreign(gvk))
}

/// Whether a built-in group is named that has no such kind.
fn is_foreign(gvk: &crate::kubernetes::GroupVersionKind) -> bool {
    builtin::is_bare_group(&gvk.group) && builtin::find_kind(&gvk.group, &gvk.kind).is_none()
}

fn service_account(work: &mut Work<'_>, index: usize) {
    const LOST: [&str; 3] = ["imagePullSecrets", "secrets", "automountServiceAccountToken"];
    let object = work.inventory.object(index);
    let annotations = object
        .map(&["metadata", "annotations"])
        .is_some_and(|map| !map.is_empty());
    // Mounting the token is what happens anyway.
    let says = |field: &&str| object.get(&[field]).is_some_and(|value| *value != Value::Bool(true));
    let mut lost: Vec<&str> = LOST.into_iter().filter(says).collect();
    if annotations {
        lost.insert(0, "metadata.annotations");
    }
    if !lost.is_empty() {
        let message = format!(
            "OLM creates service account {} itself, without its {}",
            object.name(),
            lost.join(", ")
        );
        report(work, &rules::SERVICEACCOUNT_FIELDS, message, object);
    }
    work.inventory.decide(
        index,
        Fate::Projected,
        "OLM creates the service accounts of the CSV's permissions",
    );
}

fn cert_manager(work: &mut Work<'_>, index: usize) {
    let object = work.inventory.object(index);
    let message = format!("{} is left out: OLM supplies the serving certificates", object.label());
    report(work, &rules::K8S_CERT_MANAGER_DROPPED, message, object);
    work.inventory
        .decide(index, Fate::Dropped, "OLM supplies the serving certificates");
    let Some(secret) = object.text(&["spec", "secretName"]) else {
        return;
    };
    for deployment in work.inventory.of("apps", "Deployment") {
        let deployment = work.inventory.object(deployment);
        if super::deployments::mounts_elsewhere(deployment, secret) {
            let message = format!(
                "{} mounts Secret {secret}, which only the left-out Certificate {} would create",
                deployment.label(),
                object.name()
            );
            let finding = Diagnostic::new(&rules::CERT_SECRET_MISSING, message).object(object.label());
            let place = object.place(&Path::root().key("spec").key("secretName"));
            work.report(
                finding
                    .at(place)
                    .also(deployment.name_place(), "this Deployment mounts it"),
            );
        }
    }
}

/// Warns where a kept binding names a namespace, because OLM does not rewrite it.
fn kept_subjects(work: &mut Work<'_>, object: &Object) {
    for (index, subject) in object.list(&["subjects"]).iter().enumerate() {
        let account = subject.get("kind").and_then(Value::as_str) == Some("ServiceAccount");
        if let (true, Some(namespace)) = (account, subject.get("namespace").and_then(Value::as_str)) {
            let message = format!(
                "{} grants to an account of namespace {namespace}, wherever the operator is installed",
                object.label()
            );
            let finding = Diagnostic::new(&rules::RBAC_KEPT_SUBJECT_NAMESPACE, message).object(object.label());
            let path = Path::root().key("subjects").index(index).key("namespace");
            work.report(finding.at(object.place(&path)));
        }
    }
}
