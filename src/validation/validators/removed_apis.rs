//! `alpha-deprecated-apis`: API versions that newer clusters no longer serve.

use super::bundle::is_crd;
use super::csv::min_kube_version;
use super::same_shape::successor;
use super::{Input, csv_of, found};
use crate::csv::Csv;
use crate::diagnostic::{Diagnostic, Edit};
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::rbac::PolicyRule;
use crate::manifest::Object;
use crate::rules::{self, Rule, Severity};
use crate::source::Place;
use crate::text::{Path, source_edit};
use crate::version::parse_tolerant;
use semver::Version;
use serde_json::Value;

/// A Kubernetes version, the rule about it, and the API versions that it no longer serves, each with its kinds.
struct Removal {
    version: Version,
    rule: &'static Rule,
    apis: &'static [(&'static str, &'static [&'static str])],
}

static REMOVALS: [Removal; 3] = [
    Removal {
        version: Version::new(1, 22, 0),
        rule: &rules::REMOVED_API_1_22,
        apis: &[
            ("scheduling.k8s.io/v1beta1", &["PriorityClass"]),
            (
                "rbac.authorization.k8s.io/v1beta1",
                &["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"],
            ),
            ("apiregistration.k8s.io/v1beta1", &["APIService"]),
            ("authentication.k8s.io/v1beta1", &["TokenReview"]),
            (
                "authorization.k8s.io/v1beta1",
                &[
                    "LocalSubjectAccessReview",
                    "SelfSubjectAccessReview",
                    "SubjectAccessReview",
                ],
            ),
            (
                "admissionregistration.k8s.io/v1beta1",
                &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
            ),
            ("coordination.k8s.io/v1beta1", &["Lease"]),
            ("extensions/v1beta1", &["Ingress"]),
            ("networking.k8s.io/v1beta1", &["Ingress", "IngressClass"]),
            (
                "storage.k8s.io/v1beta1",
                &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
            ),
            ("certificates.k8s.io/v1beta1", &["CertificateSigningRequest"]),
        ],
    },
    Removal {
        version: Version::new(1, 25, 0),
        rule: &rules::REMOVED_API_1_25,
        apis: &[
            ("batch/v1beta1", &["CronJob"]),
            ("discovery.k8s.io/v1beta1", &["EndpointSlice"]),
            ("events.k8s.io/v1beta1", &["Event"]),
            ("autoscaling/v2beta1", &["HorizontalPodAutoscaler"]),
            ("policy/v1beta1", &["PodDisruptionBudget", "PodSecurityPolicy"]),
            ("node.k8s.io/v1beta1", &["RuntimeClass"]),
        ],
    },
    Removal {
        version: Version::new(1, 26, 0),
        rule: &rules::REMOVED_API_1_26,
        apis: &[("autoscaling/v2beta2", &["HorizontalPodAutoscaler"])],
    },
];

impl Removal {
    fn covers(&self, api_version: &str, kind: &str) -> bool {
        self.apis
            .iter()
            .any(|(removed, kinds)| *removed == api_version && kinds.contains(&kind))
    }
}

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let Some((object, csv)) = csv_of(input) else {
        return;
    };
    let written = csv.text(&["spec", "minKubeVersion"]);
    let oldest = parse_tolerant(written);
    if !written.is_empty() && oldest.is_none() {
        findings.extend(unparsable(input, object, written));
    }
    for removal in &REMOVALS {
        let mut uses = uses_in_manifests(input, removal);
        if removal.rule == &rules::REMOVED_API_1_25 {
            uses.extend(uses_in_lists(object, csv, removal));
        }
        let gone = |version: &Option<Version>| version.as_ref().is_some_and(|version| *version >= removal.version);
        let severity = if gone(&input.options.kubernetes_version) || gone(&oldest) {
            Severity::Error
        } else {
            Severity::Warning
        };
        let edits: Vec<Edit> = uses
            .iter()
            .filter_map(|found| migrated(found, oldest.as_ref()))
            .collect();
        findings.extend(together(removal, severity, &uses).map(|finding| finding.fixed_by(edits)));
        if removal.rule == &rules::REMOVED_API_1_25 {
            let rules = pod_security_rules(object, csv);
            findings.extend(together(removal, Severity::Warning, &rules));
        }
    }
}

/// Returns the names of the objects in the bundle that Kubernetes 1.22 no longer serves, if any.
pub(super) fn gone_in_1_22(input: &Input<'_>) -> Option<String> {
    let uses = uses_in_manifests(input, &REMOVALS[0]);
    (!uses.is_empty()).then(|| names(&uses))
}

/// Replaces a removed API version with the next one, if the object means the same in both versions. Objects that the
/// CSV lists are created by the operator, so their content is unknown.
fn migrated(found: &Use<'_>, oldest: Option<&Version>) -> Option<Edit> {
    if found.path != Path::from("apiVersion") {
        return None;
    }
    let (document, root) = found.object.document();
    source_edit::rewrite(document, &root.join(&found.path), successor(found.object, oldest)?)
}

/// Reports a `minKubeVersion` that is not a version. By default, the module `csv` reports this defect instead.
fn unparsable(input: &Input<'_>, object: &Object, written: &str) -> Option<Diagnostic> {
    if !input.options.reference {
        let (missing, format) = (&rules::CSV_MINKUBEVERSION_MISSING, &rules::CSV_MINKUBEVERSION_FORMAT);
        return min_kube_version(object, missing, format);
    }
    let message = format!("spec.minKubeVersion {written:?} is not a version");
    let path = Path::from("spec.minKubeVersion");
    Some(found(&rules::REMOVED_API_MINKUBE_UNPARSABLE, object, &path, message))
}

/// A use of an API: its name in messages, the object, and the path in the object.
struct Use<'a> {
    name: String,
    object: &'a Object,
    path: Path,
}

impl Use<'_> {
    fn place(&self) -> Place {
        self.object.place(&self.path)
    }
}

fn uses_in_manifests<'a>(input: &Input<'a>, removal: &Removal) -> Vec<Use<'a>> {
    let removed = |gvk: &GroupVersionKind, object: &Object| {
        let crd = is_crd(object) && gvk.version == "v1beta1" && removal.rule == &rules::REMOVED_API_1_22;
        crd || removal.covers(&gvk.api_version(), &gvk.kind)
    };
    let objects = input.bundle.objects.iter();
    objects
        .filter(|object| removed(object.gvk(), object))
        .map(|object| Use {
            name: object.label(),
            object,
            path: Path::from("apiVersion"),
        })
        .collect()
}

/// Returns the uses in the lists of the resources that the operator creates for its APIs.
fn uses_in_lists<'a>(object: &'a Object, csv: Csv<'_>, removal: &Removal) -> Vec<Use<'a>> {
    let mut uses = Vec::new();
    for list in ["owned", "required"] {
        let entries = csv.list(&["spec", "customresourcedefinitions", list]);
        for (index, entry) in entries.iter().enumerate() {
            let resources = entry.get("resources").and_then(Value::as_array);
            for (number, resource) in resources.into_iter().flatten().enumerate() {
                let text = |key: &str| resource.get(key).and_then(Value::as_str).unwrap_or_default();
                if removal.covers(text("version"), text("kind")) {
                    let path = Path::from("spec.customresourcedefinitions").key(list).index(index);
                    uses.push(Use {
                        name: format!("{}/{}", text("kind"), text("name")),
                        object,
                        path: path.key("resources").index(number).key("version"),
                    });
                }
            }
        }
    }
    uses
}

/// Returns the rules about pod security policies, which have no effect on clusters without them.
fn pod_security_rules<'a>(object: &'a Object, csv: Csv<'_>) -> Vec<Use<'a>> {
    const RESOURCE: &str = "podsecuritypolicies";
    let listed = |kind: &str| {
        ["owned", "required"].iter().any(|list| {
            let entries = csv.list(&["spec", "customresourcedefinitions", list]).iter();
            let mut resources = entries.filter_map(|entry| entry.get("resources")?.as_array()).flatten();
            resources.any(|resource| {
                let of = resource.get("kind").and_then(Value::as_str).unwrap_or_default();
                format!("{}s", of.to_lowercase()) == kind
            })
        })
    };
    if listed(RESOURCE) {
        return Vec::new();
    }
    let policy_rules = super::permission_rules(csv);
    let of_policies = policy_rules.filter_map(|(path, rule)| {
        let rule = PolicyRule(rule);
        let policy = rule.api_groups().any(|(_, group)| group == "policy");
        let (index, _) = rule.resources().find(|(_, resource)| *resource == RESOURCE)?;
        policy.then(|| Use {
            name: format!("{RESOURCE} in {path}"),
            object,
            path: path.key("resources").index(index),
        })
    });
    of_policies.collect()
}

fn names(uses: &[Use<'_>]) -> String {
    let names: Vec<&str> = uses.iter().map(|found| found.name.as_str()).collect();
    names.join(", ")
}

/// Returns one finding for a Kubernetes version, with all places.
fn together(removal: &Removal, severity: Severity, uses: &[Use<'_>]) -> Option<Diagnostic> {
    let first = uses.first()?;
    let Version { major, minor, .. } = removal.version;
    let message = format!(
        "Kubernetes {major}.{minor} no longer serves the API version of {}",
        names(uses)
    );
    let mut finding = found(removal.rule, first.object, &first.path, message);
    finding.severity = severity;
    for other in uses.iter().skip(1) {
        finding = finding.also(other.place(), other.name.clone());
    }
    Some(finding)
}
