//! Checks serving certificates of webhooks and APIServices: OLM creates these certificates, so the operator's own
//! certificates do not work.

use super::certificates::{self, Deployment, OF_API_SERVICES, OF_WEBHOOKS, OlmMount, SourceMount};
use super::missing_sources::{self, Creators};
use super::{Fate, Outcome, Provenance};
use crate::bundle::Bundle;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::names::{is_dns1035_label, is_dns1123_subdomain};
use crate::kubernetes::rbac::{self, PolicyRule};
use crate::manifest::{Object, of_kind};
use crate::rules;
use crate::source::Place;
use crate::text::Path;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Parts of names that indicate a certificate rather than a password.
const CERTIFICATE_WORDS: [&str; 4] = ["cert", "tls", "ssl", "pki"];

/// Checks the Deployments of plain manifests that serve the webhooks and APIServices of the synthesized CSV. The CSV
/// may be incomplete: it lacks APIServices whose kinds are unknown. `serving` contains the Deployments behind all
/// APIServices.
pub(super) fn check(
    bundle: &Bundle,
    (csv, provenance, outcomes): (&Value, &Provenance, &[Outcome]),
    serving: &BTreeSet<&str>,
    findings: &mut Vec<Diagnostic>,
) {
    let deployments = of_kind(&bundle.objects, "apps", "Deployment");
    let kept = outcomes.iter().filter(|outcome| matches!(outcome.fate, Fate::Kept(_)));
    let kept: Vec<&Object> = kept.map(|outcome| &outcome.object).collect();
    let mut served = served(csv);
    for name in serving {
        served.entry(name).or_insert(("an APIService", &OF_API_SERVICES));
    }
    own_secrets(&served, deployments.map(Deployment::of), bundle, &kept, findings);
    let made = objects_of_olm(bundle);
    patched(csv, (&made, !serving.is_empty()), findings, |path| {
        let origin = provenance.origin(path)?;
        Some((origin.object.clone(), origin.place()))
    });
}

/// Like [`check`], for the CSV of a `registry+v1` bundle.
pub(crate) fn check_csv(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let Some(csv) = bundle.csv() else { return };
    let kept: Vec<&Object> = bundle.objects.iter().collect();
    own_secrets(&served(csv.value()), Deployment::of_csv(csv), bundle, &kept, findings);
    patched(csv.value(), (&BTreeSet::new(), false), findings, |path| {
        Some((csv.label(), csv.place(path)))
    });
}

/// Reports Deployments that serve a webhook or an APIService with a certificate other than OLM's, and Deployments that
/// mount what nothing creates. `kept` lists the objects that are installed alongside the CSV.
fn own_secrets<'a>(
    served: &Served<'_>,
    deployments: impl Iterator<Item = Deployment<'a>>,
    bundle: &Bundle,
    kept: &[&Object],
    findings: &mut Vec<Diagnostic>,
) {
    let creators = Creators {
        objects: &bundle.objects,
        kept,
        serving: served.keys().copied().collect(),
    };
    for deployment in deployments {
        let serves = served.get(deployment.name());
        if serves.is_some() {
            findings.extend(service_name(&deployment));
        }
        for mount in certificates::source_mounts(&deployment, serves.is_some()) {
            let own = serves.and_then(|(what, from)| own_secret(&deployment, (what, from), &creators, &mount));
            findings.extend(own.or_else(|| missing_sources::find(&deployment, &creators, &mount)));
        }
    }
}

/// The Deployments that serve a webhook or an APIService, each with a description of what it serves and OLM's mount.
type Served<'a> = BTreeMap<&'a str, (&'static str, &'static OlmMount)>;

/// Returns the Deployments that serve a webhook or an APIService that OLM sets up, each with a description of what it
/// serves.
fn served(csv: &Value) -> Served<'_> {
    let named = |pointer: &str| {
        let list = csv.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|entry| entry.get("deploymentName").and_then(Value::as_str))
    };
    let apis = named("/spec/apiservicedefinitions/owned").map(|name| (name, ("an APIService", &OF_API_SERVICES)));
    let webhooks = named("/spec/webhookdefinitions").map(|name| (name, ("a webhook", &OF_WEBHOOKS)));
    apis.chain(webhooks).collect()
}

/// The maximum length of the name of a Service.
const LONGEST_SERVICE: usize = 63;

/// Reports a Deployment whose name leads to an invalid name of the Service that OLM creates for it.
fn service_name(deployment: &Deployment<'_>) -> Option<Diagnostic> {
    const SUFFIX: &str = "-service";
    let name = deployment.name();
    let service = format!("{name}{SUFFIX}");
    // Another rule reports names that are not valid for a Deployment either.
    if is_dns1035_label(&service) || !is_dns1123_subdomain(name) {
        return None;
    }
    let (fault, help) = if service.len() > LONGEST_SERVICE {
        let longest = LONGEST_SERVICE - SUFFIX.len();
        (
            format!("has more than {LONGEST_SERVICE} characters"),
            format!("Shorten the name of the Deployment to at most {longest} characters."),
        )
    } else {
        let help = "Use a Deployment name of lowercase letters, digits and hyphens that begins with a letter.";
        ("is not a valid Service name".to_owned(), help.to_owned())
    };
    let message = format!("OLM cannot create the Service {service}, whose name {fault}");
    let (object, path) = (deployment.object(), deployment.name_path());
    let finding = Diagnostic::new(&rules::OBJECT_FIELD_VALUE, message).object(object.label());
    Some(finding.path(&path).at(object.place(&path)).help(help))
}

/// Reports a Secret from which the Deployment seems to serve: a certificate in the bundle, if nothing refers to OLM's
/// certificate, or one that nothing creates.
fn own_secret(
    deployment: &Deployment<'_>,
    (what, from): (&str, &OlmMount),
    creators: &Creators<'_>,
    mount: &SourceMount<'_>,
) -> Option<Diagnostic> {
    if mount.kind != "Secret" || certificates::is_for_metrics(deployment, mount) {
        return None;
    }
    let reads_from_olm = certificates::reads_from_olm(deployment);
    let fault = if let Some(secret) = creators.source("Secret", mount.name) {
        if reads_from_olm || !is_certificate(secret) {
            return None;
        }
        "clients trust only the certificate that OLM creates"
    } else {
        // Without an optional Secret, the pods start, but with a certificate that no client trusts.
        let still_used = !reads_from_olm || !certificates::read_at(deployment, mount.mount).is_empty();
        let says = |text: &str| CERTIFICATE_WORDS.iter().any(|word| text.to_lowercase().contains(word));
        let about_certificates = [mount.name, mount.volume, mount.mount].into_iter().any(says);
        if !still_used || mount.optional && reads_from_olm || !about_certificates || creators.create(mount) {
            return None;
        }
        "no manifest creates that Secret"
    };
    let object = deployment.object();
    let message = format!(
        "{} serves {what} and mounts Secret {} at {} for a certificate, but {fault}",
        deployment.label(),
        mount.name,
        mount.mount
    );
    let finding = Diagnostic::new(&rules::CERT_OWN_SECRET, message)
        .object(object.label())
        .path(&mount.name_path)
        .at(object.place(&mount.name_path))
        .also(object.place(&mount.mount_path), "it is mounted here");
    Some(finding.help(certificates::read_from_olm(deployment, mount, from)))
}

/// Whether a Secret contains a certificate with its key.
fn is_certificate(secret: &Object) -> bool {
    let has = |key: &str| {
        ["data", "stringData"]
            .iter()
            .any(|field| secret.get(&[*field, key]).is_some())
    };
    secret.text(&["type"]) == Some("kubernetes.io/tls") || has("tls.crt") && has("tls.key")
}

/// Resources that OLM creates but that rules may allow the operator to change, and the definitions from which OLM
/// creates these resources.
const PATCHED: [(&str, &str, OlmObjects); 3] = [
    (
        "admissionregistration.k8s.io",
        "validatingwebhookconfigurations",
        OlmObjects::Webhooks("ValidatingAdmissionWebhook"),
    ),
    (
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations",
        OlmObjects::Webhooks("MutatingAdmissionWebhook"),
    ),
    ("apiregistration.k8s.io", "apiservices", OlmObjects::ApiServices),
];

/// Objects that OLM creates from definitions in a CSV.
#[derive(Clone, Copy)]
enum OlmObjects {
    /// Created from webhook definitions of this type.
    Webhooks(&'static str),
    ApiServices,
}

impl OlmObjects {
    /// Returns whether OLM creates such objects for a CSV.
    fn are_created_for(self, csv: &Value) -> bool {
        let list = |pointer: &str| csv.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        match self {
            Self::Webhooks(kind) => {
                let mut types = list("/spec/webhookdefinitions").filter_map(|webhook| webhook.get("type"));
                types.any(|found| found.as_str() == Some(kind))
            }
            Self::ApiServices => list("/spec/apiservicedefinitions/owned").next().is_some(),
        }
    }
}

/// Reports rules that allow the operator to write its own certificates into objects that OLM creates.
///
/// A rule with resource names is reported only if it names an object that OLM creates. `origin` returns the object and
/// the place that a path of the CSV comes from. `serves_apis` states whether the operator serves APIs that the CSV may
/// lack.
fn patched(
    csv: &Value,
    (created_names, serves_apis): (&BTreeSet<&str>, bool),
    findings: &mut Vec<Diagnostic>,
    origin: impl Fn(&Path) -> Option<(String, Place)>,
) {
    let created: Vec<_> = PATCHED
        .into_iter()
        .filter(|(_, _, objects)| {
            objects.are_created_for(csv) || serves_apis && matches!(objects, OlmObjects::ApiServices)
        })
        .collect();
    for list in ["permissions", "clusterPermissions"] {
        let list = Path::from("spec.install.spec").key(list);
        let entries = list.get(csv).and_then(Value::as_array).into_iter().flatten();
        for (entry, permission) in entries.enumerate() {
            let granted = permission.get("rules").and_then(Value::as_array).into_iter().flatten();
            for (index, rule) in granted.enumerate() {
                let (path, rule) = (list.index(entry).key("rules").index(index), PolicyRule(rule));
                if !names_one(rule, created_names) {
                    continue;
                }
                let changed = created.iter().filter_map(|(group, resource, objects)| {
                    Some((writes(rule, group, resource)?, *resource, *objects))
                });
                // One finding covers both kinds of webhook configurations, because operators change them together.
                let (webhooks, api_services): (Vec<_>, Vec<_>) =
                    changed.partition(|(.., objects)| matches!(objects, OlmObjects::Webhooks(_)));
                for found in [webhooks, api_services] {
                    if let Some((position, _, objects)) = found.first() {
                        let resources: Vec<&str> = found.iter().map(|(_, resource, _)| *resource).collect();
                        let place = path.key("resources").index(*position);
                        findings.push(patch(origin(&place), &resources.join(" and "), *objects));
                    }
                }
            }
        }
    }
}

/// Returns the position of the resource among the resources that the rule lets the operator change.
fn writes(rule: PolicyRule<'_>, group: &str, resource: &str) -> Option<usize> {
    let of_group = rule.api_groups().any(|(_, listed)| listed == group);
    let mut verbs = rule.list("verbs");
    let changes = verbs.any(|(_, verb)| ["patch", "update", rbac::ALL].contains(&verb));
    let (position, _) = rule.resources().find(|(_, listed)| *listed == resource)?;
    (of_group && changes).then_some(position)
}

/// Returns whether the rule applies to all objects, or to an object with one of these names.
fn names_one(rule: PolicyRule<'_>, names: &BTreeSet<&str>) -> bool {
    let mut named = rule.list("resourceNames").peekable();
    named.peek().is_none() || named.any(|(_, name)| names.contains(name))
}

/// Returns the names of the objects that OLM creates from the CSV of a bundle.
fn objects_of_olm(bundle: &Bundle) -> BTreeSet<&str> {
    let objects = bundle.objects.iter().filter(|object| {
        let group = &*object.gvk().group;
        PATCHED.iter().any(|(known, ..)| *known == group)
    });
    objects.map(Object::name).collect()
}

fn patch(origin: Option<(String, Place)>, resource: &str, objects: OlmObjects) -> Diagnostic {
    let (message, mount) = match objects {
        OlmObjects::Webhooks(_) => (
            format!(
                "the operator may change {resource}, but OLM creates those of the bundle under generated names, with \
                 OLM's own certificate"
            ),
            &OF_WEBHOOKS,
        ),
        OlmObjects::ApiServices => (
            format!(
                "the operator may change {resource}, but OLM creates those of the bundle, with OLM's own certificate"
            ),
            &OF_API_SERVICES,
        ),
    };
    let [certificate, key] = mount.files;
    let mut finding = Diagnostic::new(&rules::CERT_OWN_ROTATION, message).help(format!(
        "Disable the operator's own certificates, serve with {certificate} and {key} in {}, where OLM mounts them, \
         and remove the permission.",
        mount.path
    ));
    if let Some((object, place)) = origin {
        finding = finding.object(object).at(place);
    }
    finding
}
