//! Creates webhook configurations, conversion webhooks of CRDs, and APIServices from the definitions of a CSV.

use super::Work;
use super::services::{DEFAULT_PORT, Endpoint, Name, Services, endpoint, target};
use crate::csv::{Csv, WEBHOOK_FIELDS};
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The type of a definition, the kind of its configuration, and the suffix of the configuration's name.
const CONFIGURATIONS: [(&str, &str, &str); 2] = [
    ("MutatingAdmissionWebhook", "MutatingWebhookConfiguration", "mutating"),
    (
        "ValidatingAdmissionWebhook",
        "ValidatingWebhookConfiguration",
        "validating",
    ),
];

const CONVERSION: &str = "ConversionWebhook";

/// Writes all objects that refer to a Service.
pub(super) fn write(work: &mut Work<'_>) {
    let webhooks = webhooks(work);
    let apis = apis(work);
    let endpoints = webhooks.iter().map(|(_, endpoint)| endpoint.clone());
    let needed = endpoints.chain(apis.values().cloned()).collect();
    let mut services = Services::new(work, needed, undeclared(work));
    conversions(work, &webhooks, &mut services);
    configurations(work, &webhooks, &mut services);
    apiservices(work, &apis, &mut services);
    services.write(work);
}

/// Returns the definitions that refer to a Deployment, with their paths in the CSV.
fn webhooks(work: &mut Work<'_>) -> Vec<(Path, Endpoint)> {
    let list = Path::root().key("spec").key("webhookdefinitions");
    let count = Csv(work.csv.value()).list(&["spec", "webhookdefinitions"]).len();
    let mut found = Vec::new();
    for path in (0..count).map(|index| list.index(index)) {
        let field = |key: &str| path.get(work.csv.value()).and_then(|entry| entry.get(key));
        let port = field("containerPort").and_then(Value::as_u64).filter(|port| *port > 0);
        let port = port.unwrap_or(DEFAULT_PORT);
        let target = target(field("targetPort"), port);
        if let Some(endpoint) = endpoint(work, &path, port, target) {
            found.push((path, endpoint));
        }
    }
    found
}

/// Returns the names of Services in the `spec.conversion` of CRDs for which the CSV defines no conversion webhook. New
/// Services must not have these names; otherwise the conversions would start to work.
fn undeclared(work: &Work<'_>) -> Vec<String> {
    let declared: Vec<&str> = Csv(work.csv.value())
        .list(&["spec", "webhookdefinitions"])
        .iter()
        .flat_map(converted_crds)
        .collect();
    let crds = crds(work).into_iter().map(|(_, crd)| crd);
    crds.filter(|crd| !declared.contains(&crd.name()))
        .filter_map(|crd| Some(Stanza::of(crd)?.service.name))
        .collect()
}

fn converted_crds(definition: &Value) -> impl Iterator<Item = &str> {
    let list = definition.get("conversionCRDs").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

fn crds<'a>(work: &Work<'a>) -> Vec<(usize, &'a Object)> {
    let others = work.others.iter().copied().enumerate();
    others
        .filter(|(_, object)| object.gvk().is("apiextensions.k8s.io", "CustomResourceDefinition"))
        .collect()
}

fn configurations(work: &mut Work<'_>, webhooks: &[(Path, Endpoint)], services: &mut Services) {
    let mut configurations: BTreeMap<(usize, usize), Vec<Value>> = BTreeMap::new();
    for (path, endpoint) in webhooks {
        let Some(definition) = path.get(work.csv.value()) else {
            continue;
        };
        let kind = definition.get("type").and_then(Value::as_str).unwrap_or_default();
        let Some(position) = CONFIGURATIONS.iter().position(|(known, ..)| *known == kind) else {
            if kind != CONVERSION {
                super::fit::lost(
                    &mut work.findings,
                    work.csv,
                    path,
                    &format!("is not a webhook of a known type ({kind:?})"),
                );
            }
            continue;
        };
        let service = services.lead(work, endpoint, "webhook");
        let webhook = webhook(definition, &service, endpoint.port);
        configurations
            .entry((endpoint.deployment, position))
            .or_default()
            .push(webhook);
    }
    let mut files: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    for ((deployment, position), webhooks) in configurations {
        let (_, kind, ending) = CONFIGURATIONS[position];
        let name = format!("{}-{ending}", work.deployments[deployment].name);
        files.entry(deployment).or_default().push(json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": name},
            "webhooks": webhooks,
        }));
    }
    for (deployment, objects) in files {
        let name = format!("{}.webhooks", work.deployments[deployment].name);
        work.files.write(&name, &objects);
    }
}

fn webhook(definition: &Value, service: &Name, port: u64) -> Value {
    let mut webhook = Map::new();
    let name = definition.get("generateName").cloned().unwrap_or(Value::Null);
    webhook.insert("name".to_owned(), name);
    let service = reference(service, definition.get("webhookPath"), port);
    webhook.insert("clientConfig".to_owned(), json!({"service": service}));
    for field in WEBHOOK_FIELDS {
        if let Some(value) = definition.get(field).filter(|value| !value.is_null()) {
            webhook.insert(field.to_owned(), value.clone());
        }
    }
    webhook.into()
}

/// Returns a reference to a Service as it appears in a client configuration.
fn reference(service: &Name, route: Option<&Value>, port: u64) -> Value {
    let mut reference = Map::new();
    reference.insert("name".to_owned(), service.name.as_str().into());
    reference.insert("namespace".to_owned(), service.namespace.as_str().into());
    if let Some(route) = route.filter(|route| !route.is_null()) {
        reference.insert("path".to_owned(), route.clone());
    }
    if port != DEFAULT_PORT {
        reference.insert("port".to_owned(), port.into());
    }
    reference.into()
}

/// The conversion webhook in the `spec.conversion` of a CRD.
struct Stanza {
    service: Name,
    port: u64,
    route: Option<Value>,
    versions: Option<Value>,
}

impl Stanza {
    fn of(crd: &Object) -> Option<Self> {
        let conversion = crd.get(&["spec", "conversion"])?;
        let old = crd.gvk().version == "v1beta1";
        let (client, versions) = if old {
            (
                conversion.get("webhookClientConfig"),
                conversion.get("conversionReviewVersions"),
            )
        } else {
            let webhook = conversion.get("webhook");
            let field = |key| webhook.and_then(|webhook: &Value| webhook.get(key));
            (field("clientConfig"), field("conversionReviewVersions"))
        };
        let service = client?.get("service")?;
        let text = |key| service.get(key).and_then(Value::as_str);
        (conversion.get("strategy").and_then(Value::as_str) == Some("Webhook")).then(|| Self {
            service: Name {
                name: text("name").unwrap_or_default().to_owned(),
                namespace: text("namespace").unwrap_or_default().to_owned(),
            },
            port: service.get("port").and_then(Value::as_u64).unwrap_or(DEFAULT_PORT),
            route: service.get("path").filter(|route| !route.is_null()).cloned(),
            versions: versions.cloned(),
        })
    }
}

/// Makes the `spec.conversion` of each CRD match the CSV. If they differ, the CSV takes precedence, because OLM sets
/// `spec.conversion` from the CSV.
fn conversions(work: &mut Work<'_>, webhooks: &[(Path, Endpoint)], services: &mut Services) {
    for (path, endpoint) in webhooks {
        let Some(definition) = path.get(work.csv.value()) else {
            continue;
        };
        if definition.get("type").and_then(Value::as_str) != Some(CONVERSION) {
            continue;
        }
        for (position, name) in converted_crds(definition).enumerate() {
            let Some((index, crd)) = crds(work).into_iter().find(|(_, crd)| crd.name() == name) else {
                let path = path.key("conversionCRDs").index(position);
                let why = format!("({name}) is not in the bundle");
                super::fit::lost(&mut work.findings, work.csv, &path, &why);
                continue;
            };
            let route = definition.get("webhookPath").filter(|route| !route.is_null());
            let versions = definition.get("admissionReviewVersions");
            let fits = Stanza::of(crd).is_some_and(|stanza| {
                let namespace = Some(&stanza.service.namespace).filter(|namespace| !namespace.is_empty());
                let service = Name {
                    name: stanza.service.name.clone(),
                    namespace: namespace.unwrap_or(&work.namespace).clone(),
                };
                stanza.port == endpoint.port
                    && stanza.route.as_ref() == route
                    && stanza.versions.as_ref() == versions
                    && services.lead_by(&service, endpoint)
            });
            if !fits {
                let service = services.lead(work, endpoint, "webhook");
                let message = format!(
                    "the conversion of {} is replaced with the conversion webhook in the ClusterServiceVersion",
                    crd.label()
                );
                let finding = Diagnostic::new(&rules::CONVERT_CRD_CHANGED, message).object(crd.label());
                let stanza = Path::root().key("spec").key("conversion");
                let finding = finding.at(crd.key_place(&stanza));
                work.findings.push(finding.also(work.csv.place(path), "the definition"));
                let service = reference(&service, route, endpoint.port);
                let value = with_stanza(crd, &service, versions);
                work.changed.insert(index, Some(value));
            }
        }
    }
}

fn with_stanza(crd: &Object, service: &Value, versions: Option<&Value>) -> Value {
    let mut value = crd.value().clone();
    let versions = versions.cloned().unwrap_or_else(|| json!(["v1"]));
    let stanza = if crd.gvk().version == "v1beta1" {
        json!({"strategy": "Webhook", "webhookClientConfig": {"service": service}, "conversionReviewVersions": versions})
    } else {
        let webhook = json!({"clientConfig": {"service": service}, "conversionReviewVersions": versions});
        json!({"strategy": "Webhook", "webhook": webhook})
    };
    if let Some(spec) = value.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("conversion".to_owned(), stanza);
    }
    value
}

/// An API, as group and version.
type Api = (String, String);

/// Returns the endpoints of the aggregated APIs by group and version.
fn apis(work: &mut Work<'_>) -> BTreeMap<Api, Endpoint> {
    let list = Path::root().key("spec").key("apiservicedefinitions").key("owned");
    let count = Csv(work.csv.value())
        .list(&["spec", "apiservicedefinitions", "owned"])
        .len();
    let mut apis = BTreeMap::new();
    for path in (0..count).map(|index| list.index(index)) {
        let field = |key: &str| path.get(work.csv.value()).and_then(|entry| entry.get(key));
        let text = |key: &str| field(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let port = field("containerPort").and_then(Value::as_u64).filter(|port| *port > 0);
        let target = port.unwrap_or(DEFAULT_PORT).into();
        let api = (text("group"), text("version"));
        if let Some(endpoint) = endpoint(work, &path, DEFAULT_PORT, target) {
            apis.entry(api).or_insert(endpoint);
        }
    }
    apis
}

fn apiservices(work: &mut Work<'_>, apis: &BTreeMap<Api, Endpoint>, services: &mut Services) {
    let mut files: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    for ((group, version), endpoint) in apis {
        let service = services.lead(work, endpoint, "api");
        // The priorities are those that OLM sets in every APIService.
        files.entry(endpoint.deployment).or_default().push(json!({
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": format!("{version}.{group}")},
            "spec": {
                "group": group,
                "version": version,
                "groupPriorityMinimum": 2000,
                "versionPriority": 15,
                "service": {"name": service.name, "namespace": service.namespace},
            },
        }));
    }
    for (deployment, objects) in files {
        let name = format!("{}.apiservices", work.deployments[deployment].name);
        work.files.write(&name, &objects);
    }
}
