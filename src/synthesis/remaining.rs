//! The objects whose fate no other step has decided: they are kept, omitted or rejected.

use super::Work;
use super::certificates;
use super::crds::Owned;
use super::deployments::Accounts;
use super::fate::{Fate, applied, is_kept_kind, shipped};
use super::kept_binding::{self, role_of};
use super::services::{self, Target};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::{GroupVersionKind, builtin, rbac};
use crate::manifest::Object;
use crate::olm::kinds::is_installed;
use crate::rules::{self, Severity};
use crate::shape::nearest;
use crate::text::Path;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Decides the fate of every object that earlier steps have not decided. `certified` lists the Services for which OLM
/// creates certificates, and their Deployments.
pub(super) fn settle(work: &mut Work<'_>, accounts: &Accounts, owned: &Owned, certified: &[Target]) {
    let bound = bound_roles(work);
    // OLM also supplies certificates to the webhooks and APIServices whose Services remain to be corrected.
    let certificates_from_olm = !certified.is_empty() || work.findings.iter().any(services::is_unreached);
    let mut mounted: Option<Mounted<'_>> = None;
    for index in work.inventory.undecided() {
        let object = work.inventory.object(index);
        let gvk = object.gvk();
        match (gvk.group.as_str(), gvk.kind.as_str()) {
            ("", "ServiceAccount") if accounts.is_projected(object.name()) => service_account(work, index),
            ("", "Namespace") => {
                let message = format!(
                    "Namespace {} is omitted, because OLM installs into an existing namespace",
                    object.name()
                );
                report(work, &rules::K8S_NAMESPACE_DROPPED, message, object);
                work.inventory
                    .decide(index, Fate::Dropped, "OLM installs into an existing namespace");
            }
            ("cert-manager.io", "Issuer" | "ClusterIssuer" | "Certificate") if certificates_from_olm => {
                let mounted = mounted.get_or_insert_with(|| mounted_secrets(work, certified));
                cert_manager(work, index, mounted, certified);
            }
            (_, crate::csv::KIND) => {
                work.inventory.decide(
                    index,
                    Fate::Dropped,
                    "a ClusterServiceVersion cannot be part of a k8s+v1 bundle",
                );
            }
            _ if is_kept_kind(object) && !is_installed(&gvk.kind) => {
                let kind = &gvk.kind;
                let message =
                    format!("OLM v0 does not install a {kind}, so the install plan fails; only OLM v1 installs it");
                let mut finding = Diagnostic::new(&rules::K8S_KIND_UNSUPPORTED, message).object(object.label());
                finding.severity = Severity::Warning;
                work.report(finding.at(object.place(&Path::root().key("kind"))));
                work.inventory
                    .decide(index, Fate::Kept(shipped(object)), applied(object));
            }
            _ if owned.provides(gvk) && is_kept_kind(object) => {
                let label = object.label();
                let message =
                    format!("{label} is a custom resource of this bundle, but OLM applies it because of its kind");
                let mut finding = Diagnostic::new(&rules::K8S_CUSTOM_RESOURCE, message).object(label);
                finding.severity = Severity::Warning;
                work.report(finding.at(object.name_place()));
                work.inventory.decide(
                    index,
                    Fate::Kept(shipped(object)),
                    "OLM applies every object of this kind",
                );
            }
            _ if owned.provides(gvk) => {
                let message = format!(
                    "{} is a custom resource of this bundle, so the bundle cannot contain it",
                    object.label()
                );
                report(work, &rules::K8S_CUSTOM_RESOURCE, message, object);
                work.inventory
                    .decide(index, Fate::Dropped, "a bundle cannot ship its own custom resources");
            }
            _ if is_kept_kind(object) => {
                if gvk.group == rbac::GROUP && gvk.kind.ends_with("Binding") {
                    kept_binding::look_at(work, accounts, object);
                }
                let reason = kept_because(work, accounts, &bound, object);
                work.inventory.decide(index, Fate::Kept(shipped(object)), reason);
            }
            _ => {
                let message = format!("OLM does not install {} ({}) from bundles", gvk.kind, gvk.api_version());
                let mut finding = Diagnostic::new(&rules::K8S_KIND_UNSUPPORTED, message).object(object.label());
                // CSVs and the proposal use these names for the webhooks of the configurations.
                let meant = match gvk.kind.as_str() {
                    "ValidatingAdmissionWebhook" => Some("ValidatingWebhookConfiguration"),
                    "MutatingAdmissionWebhook" => Some("MutatingWebhookConfiguration"),
                    _ => None,
                };
                if let Some(meant) = meant {
                    finding = finding.help(format!("Did you mean {meant} of admissionregistration.k8s.io/v1?"));
                } else if let Some(advice) = meant_kind(gvk) {
                    finding = finding.help(advice);
                }
                work.report(finding.at(object.place(&Path::root().key("kind"))));
                work.inventory
                    .decide(index, Fate::Dropped, "OLM does not install this kind");
            }
        }
    }
}

/// Suggests a known kind for a misspelled kind or group.
fn meant_kind(gvk: &GroupVersionKind) -> Option<String> {
    const KINDS: [&str; 13] = [
        "APIService",
        "ClusterRole",
        "ClusterRoleBinding",
        "ClusterServiceVersion",
        "ConfigMap",
        "CustomResourceDefinition",
        "Deployment",
        "MutatingWebhookConfiguration",
        "Role",
        "RoleBinding",
        "Service",
        "ServiceAccount",
        "ValidatingWebhookConfiguration",
    ];
    let mut rows = builtin::all().iter().filter(|row| row.kind == gvk.kind);
    if let Some(row) = rows.clone().next() {
        let version = row.versions.first()?;
        let meant = GroupVersionKind::new(row.group, *version, row.kind).api_version();
        return rows
            .all(|row| row.group != gvk.group)
            .then(|| format!("Did you mean apiVersion: {meant}?"));
    }
    let meant = nearest(&gvk.kind, KINDS)?;
    Some(if meant.eq_ignore_ascii_case(&gvk.kind) {
        format!("Did you mean {meant}? The names of kinds are case-sensitive.")
    } else {
        format!("Did you mean {meant}?")
    })
}

/// The kind and name of each role that a binding refers to.
type BoundRoles<'a> = BTreeSet<(&'a str, &'a str)>;

fn bound_roles<'a>(work: &Work<'a>) -> BoundRoles<'a> {
    let kinds = ["RoleBinding", "ClusterRoleBinding"];
    let bindings = kinds.into_iter().flat_map(|kind| work.inventory.of_rbac(kind));
    bindings.map(|index| role_of(work.inventory.object(index))).collect()
}

/// Returns the reason for keeping an object that would be part of the CSV if it applied to the operator's accounts.
fn kept_because(work: &Work<'_>, accounts: &Accounts, bound: &BoundRoles<'_>, object: &Object) -> &'static str {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    match (object.gvk().group.as_str(), object.gvk().kind.as_str()) {
        ("", "ServiceAccount") => "no Deployment uses it, so OLM applies it",
        (rbac::GROUP, "Role" | "ClusterRole") => {
            if bound.contains(&(object.gvk().kind.as_str(), object.name())) {
                "a kept binding refers to it, so OLM applies it"
            } else {
                "no binding refers to it, so OLM applies it"
            }
        }
        (rbac::GROUP, "RoleBinding" | "ClusterRoleBinding") => {
            let subjects = object.list(&["subjects"]);
            let of_operator = subjects.iter().any(|subject| {
                text(subject, "kind") == "ServiceAccount" && accounts.matches(&text(subject, "name"), None)
            });
            let of_users = subjects.iter().any(|subject| text(subject, "kind") != "ServiceAccount");
            let (kind, name) = role_of(object);
            let there =
                ["Role", "ClusterRole"].contains(&kind) && !work.inventory.named(rbac::GROUP, kind, name).is_empty();
            let moved = object.namespace().is_some() && object.gvk().kind == "RoleBinding";
            match (of_operator, there, moved) {
                (false, _, false) if of_users => "it binds a user or group, so OLM applies it",
                (false, _, true) if of_users => "it binds a user or group, so OLM applies it in the install namespace",
                (false, _, false) => "it binds none of the operator's accounts, so OLM applies it",
                (false, _, true) => {
                    "it binds none of the operator's accounts, so OLM applies it in the install namespace"
                }
                (true, false, false) => "its role is not in the bundle, so OLM applies the binding",
                (true, false, true) => {
                    "its role is not in the bundle, so OLM applies the binding in the install namespace"
                }
                (true, true, true) => "it is for another namespace, but OLM applies it in the install namespace",
                (true, true, false) => "it is for an account of another namespace, so OLM applies it unchanged",
            }
        }
        _ => applied(object),
    }
}

fn report(work: &mut Work<'_>, rule: &'static rules::Rule, message: String, object: &Object) {
    let finding = Diagnostic::new(rule, message).object(object.label());
    work.report(finding.at(object.name_place()));
}

fn service_account(work: &mut Work<'_>, index: usize) {
    const LOST: [(&str, &str); 4] = [
        (
            "metadata.annotations",
            "Add the annotations on the cluster if they are needed, because a ClusterServiceVersion has no field for them.",
        ),
        ("imagePullSecrets", "Set imagePullSecrets in the pod template."),
        (
            "secrets",
            "Mount the Secrets as volumes of the pod template, because the account cannot list them.",
        ),
        (
            "automountServiceAccountToken",
            "Set automountServiceAccountToken in the pod template.",
        ),
    ];
    let object = work.inventory.object(index);
    for (field, help) in LOST {
        let path = Path::from(field);
        let says = match path.get(object.value()) {
            // Mounting the token is the default.
            None | Some(Value::Null | Value::Bool(true)) => false,
            Some(Value::Object(map)) => !map.is_empty(),
            Some(_) => true,
        };
        if says {
            let message = format!(
                "OLM creates service account {} itself, without its {field}",
                object.name()
            );
            let finding = Diagnostic::new(&rules::SERVICEACCOUNT_FIELDS, message).object(object.label());
            work.report(finding.path(&path).at(object.key_place(&path)).help(help));
        }
    }
    work.inventory.decide(
        index,
        Fate::Projected,
        "OLM creates the service accounts of the CSV's permissions",
    );
}

/// The Deployments that mount each Secret, each with its first mount of the Secret.
type Mounted<'a> = HashMap<&'a str, Vec<(certificates::Deployment<'a>, certificates::SourceMount<'a>)>>;

fn mounted_secrets<'a>(work: &Work<'a>, certified: &[Target]) -> Mounted<'a> {
    let serving: BTreeSet<usize> = certified.iter().map(|target| target.deployment).collect();
    let mut mounted = Mounted::new();
    for index in work.inventory.of("apps", "Deployment") {
        let pods = certificates::Deployment::of(work.inventory.object(index));
        let mut seen = BTreeSet::new();
        for mount in certificates::source_mounts(&pods, serving.contains(&index)) {
            if mount.kind == "Secret" && seen.insert(mount.name) {
                mounted.entry(mount.name).or_default().push((pods.clone(), mount));
            }
        }
    }
    mounted
}

fn cert_manager(work: &mut Work<'_>, index: usize, mounted: &Mounted<'_>, certified: &[Target]) {
    let object = work.inventory.object(index);
    let missing = missing_secrets(work, object, mounted, certified);
    let message = format!(
        "{} is omitted, because OLM supplies the serving certificates",
        object.label()
    );
    let finding = Diagnostic::new(&rules::K8S_CERT_MANAGER_DROPPED, message).object(object.label());
    let finding = finding.at(object.name_place());
    work.report(if missing.is_empty() {
        finding
    } else {
        finding.help("The finding about its Secret says what to change.")
    });
    work.findings.extend(missing);
    work.inventory
        .decide(index, Fate::Dropped, "OLM supplies the serving certificates");
}

/// Reports the Deployments that mount the Secret of an omitted Certificate.
fn missing_secrets(
    work: &Work<'_>,
    certificate: &Object,
    mounted: &Mounted<'_>,
    certified: &[Target],
) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let Some(secret) = certificate.text(&["spec", "secretName"]) else {
        return findings;
    };
    for (pods, mount) in mounted.get(secret).into_iter().flatten() {
        let deployment = pods.object();
        let message = format!(
            "{} mounts Secret {secret} at {}, but only the omitted Certificate {} would create it",
            deployment.label(),
            mount.mount,
            certificate.name()
        );
        let finding = Diagnostic::new(&rules::CERT_SECRET_MISSING, message).object(certificate.label());
        let place = certificate.place(&Path::root().key("spec").key("secretName"));
        // A pod that reads OLM's certificate mounts this Secret for another purpose.
        let advice = if certificates::reads_from_olm(pods)
            || certificates::is_for_metrics(pods, mount)
            || is_for_other_service(work, certificate, certified)
        {
            certificates::without_certificate(pods, mount)
        } else {
            certificates::read_from_olm(pods, mount, &certificates::OF_WEBHOOKS)
        };
        let finding = finding
            .at(place)
            .also(deployment.place(&mount.mount_path), "the Secret is mounted here");
        findings.push(finding.help(advice));
    }
    findings
}

/// Whether a Certificate is for Services of the bundle for which OLM creates no certificate.
fn is_for_other_service(work: &Work<'_>, certificate: &Object, certified: &[Target]) -> bool {
    let names = certificate.list(&["spec", "dnsNames"]).iter().filter_map(Value::as_str);
    let hosts = names.map(|name| name.split('.').next().unwrap_or_default());
    let services: Vec<usize> = hosts.filter_map(|host| work.inventory.service(host, None)).collect();
    let is_certified = |index: &usize| certified.iter().any(|target| target.service == *index);
    !services.is_empty() && !services.iter().any(is_certified)
}
