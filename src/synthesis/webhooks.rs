//! Turns webhook configurations and conversion webhooks into webhook definitions.

use super::draft::Origin;
use super::fate::Fate;
use super::services::{self, ServiceReference, Target};
use super::{Work, crds};
use crate::bundle::generated_name::generated_name;
use crate::csv::WEBHOOK_FIELDS;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::names;
use crate::manifest::Object;
use crate::olm::install_mode::ALL_NAMESPACES;
use crate::olm::webhook::{ADMISSION, refused_rules};
use crate::rules;
use crate::shape::Nearest;
use crate::text::Path;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The three kinds of definition, in the order in which definitions with equal names are sorted.
const CONVERSION: &str = "ConversionWebhook";
const MUTATING: &str = "MutatingAdmissionWebhook";
const VALIDATING: &str = "ValidatingAdmissionWebhook";

/// A webhook definition, before the definitions are sorted.
struct Definition {
    kind: &'static str,
    generate_name: String,
    object: String,
    place: crate::source::Place,
    fields: Vec<(&'static str, Value, Vec<Origin>)>,
}

/// Writes the webhook definitions. Returns the Deployments that serve webhooks.
pub(super) fn project(work: &mut Work<'_>) -> Vec<Target> {
    let mut targets = Vec::new();
    let mut definitions = Vec::new();
    let own = OwnResources::of(work);
    for (kind, configuration) in [
        (MUTATING, "MutatingWebhookConfiguration"),
        (VALIDATING, "ValidatingWebhookConfiguration"),
    ] {
        for index in work.inventory.of(ADMISSION, configuration) {
            let object = work.inventory.object(index);
            work.inventory.decide(
                index,
                Fate::Projected,
                "becomes a webhook definition, for which OLM creates a configuration",
            );
            injected_certificates(work, object, "is dropped");
            for webhook in 0..object.list(&["webhooks"]).len() {
                let path = Path::root().key("webhooks").index(webhook);
                own.check(work, object, &path);
                if let Some((definition, target)) = admission(work, object, &path, kind) {
                    definitions.push(definition);
                    targets.push(target);
                }
            }
        }
    }
    conversions(work, &mut definitions, &mut targets);
    definitions.sort_by(|left, right| (&left.generate_name, left.kind).cmp(&(&right.generate_name, right.kind)));
    // OLM compares the names across all types.
    let mut seen: BTreeMap<&str, &Definition> = BTreeMap::new();
    let list = Path::root().key("spec").key("webhookdefinitions");
    for (position, definition) in definitions.iter().enumerate() {
        if let Some(first) = seen.insert(&definition.generate_name, definition) {
            let message = format!("two webhooks have the name {}", definition.generate_name);
            let finding = Diagnostic::new(&rules::WEBHOOK_DUPLICATE, message).object(&definition.object);
            let finding = finding.at(definition.place.clone());
            work.findings
                .push(finding.also(first.place.clone(), "it first appears here"));
        }
        let entry = list.index(position);
        for (field, value, origins) in &definition.fields {
            if origins.is_empty() {
                work.draft.constant(&entry.key(field), value.clone());
            } else {
                work.draft
                    .put(&entry.key(field), value.clone(), origins.iter().cloned());
            }
        }
    }
    targets
}

/// Converts an admission webhook; `None` if its Service does not lead to a Deployment.
fn admission(work: &mut Work<'_>, object: &Object, path: &Path, kind: &'static str) -> Option<(Definition, Target)> {
    let webhook = path.get(object.value())?;
    let name = webhook.get("name").and_then(Value::as_str).unwrap_or_default();
    let from = |path: &Path| Origin::object(object, path);
    let mut report = |rule, message: String, path: &Path| {
        let finding = Diagnostic::new(rule, message).object(object.label());
        work.findings.push(finding.at(object.place(path)));
    };
    if !names::is_dns1123_subdomain(name) {
        let message = format!("the webhook name {name:?} is not a DNS name");
        report(&rules::WEBHOOK_NAME, message, &path.key("name"));
    }
    if webhook
        .get("matchConditions")
        .and_then(Value::as_array)
        .is_some_and(|list| !list.is_empty())
    {
        let message = format!("a CSV cannot contain the matchConditions of webhook {name}");
        report(&rules::WEBHOOK_MATCH_CONDITIONS, message, &path.key("matchConditions"));
    }
    let effects = webhook.get("sideEffects").and_then(Value::as_str);
    let message = match effects {
        Some("None" | "NoneOnDryRun") => None,
        Some(other) => Some(format!(
            "webhook {name} has sideEffects {other}, but OLM creates it in version v1, which accepts only None and \
             NoneOnDryRun"
        )),
        // The default of `v1beta1` is not valid in `v1`, so `verbatim` writes `None` instead.
        None if object.gvk().version == "v1beta1" => None,
        None => Some(format!("webhook {name} has no sideEffects, which version v1 requires")),
    };
    if let Some(message) = message {
        let place = effects.map_or_else(|| path.clone(), |_| path.key("sideEffects"));
        report(&rules::WEBHOOK_SIDE_EFFECTS, message, &place);
    }
    if webhook
        .get("namespaceSelector")
        .and_then(Value::as_object)
        .is_some_and(|map| !map.is_empty())
    {
        let message = format!("OLM replaces the namespaceSelector of webhook {name} with the OperatorGroup's");
        report(
            &rules::WEBHOOK_NAMESPACE_SELECTOR,
            message,
            &path.key("namespaceSelector"),
        );
    }
    let client = path.key("clientConfig");
    if client.key("caBundle").get(object.value()).is_some() {
        let message = format!("the caBundle of webhook {name} is dropped, because OLM writes its own");
        report(&rules::WEBHOOK_CABUNDLE, message, &client.key("caBundle"));
    }
    if client.key("url").get(object.value()).is_some() {
        let message = format!("webhook {name} calls a URL, but a CSV can refer only to a Service of the bundle");
        report(&rules::WEBHOOK_URL, message, &client.key("url"));
        return None;
    }
    for (index, reason) in refused_rules(webhook) {
        let message = format!("OLM refuses webhook {name}, because {reason}");
        report(&rules::WEBHOOK_RULES, message, &path.key("rules").index(index));
    }
    let service = client.key("service");
    let reference = ServiceReference {
        object,
        path: service.clone(),
        missing: &rules::WEBHOOK_SERVICE_MISSING,
    };
    if service.get(object.value()).is_none() {
        let message = format!("webhook {name} specifies no Service");
        let finding = Diagnostic::new(&rules::WEBHOOK_SERVICE_MISSING, message).object(object.label());
        work.report(finding.at(object.place(&client)));
        return None;
    }
    let target = services::follow(work, &reference)?;
    services::check_webhook_port(work, target);
    let mut fields = vec![
        (
            "type",
            Value::from(kind),
            vec![from(&Path::root().key("kind")).derived("the kind of the configuration")],
        ),
        ("generateName", Value::from(name), vec![from(&path.key("name"))]),
    ];
    fields.extend(endpoint(work, target, from(&service)));
    if let Some(route) = service.key("path").get(object.value()) {
        fields.push(("webhookPath", route.clone(), vec![from(&service.key("path"))]));
    }
    fields.extend(verbatim(object, webhook, path, kind));
    let definition = Definition {
        kind,
        generate_name: name.to_owned(),
        object: object.label(),
        place: object.place(&path.key("name")),
        fields,
    };
    Some((definition, target))
}

/// Returns the fields that are the same in a configuration and in a CSV. For `v1beta1`, adds the defaults of that
/// version.
fn verbatim(object: &Object, webhook: &Value, path: &Path, kind: &str) -> Vec<(&'static str, Value, Vec<Origin>)> {
    let old = object.gvk().version == "v1beta1";
    WEBHOOK_FIELDS
        .into_iter()
        .filter(|field| *field != "reinvocationPolicy" || kind == MUTATING)
        .filter_map(|field| {
            if let Some(value) = webhook.get(field).filter(|value| !value.is_null()) {
                return Some((field, value.clone(), vec![Origin::object(object, &path.key(field))]));
            }
            let default = match field {
                "failurePolicy" => json!("Ignore"),
                "matchPolicy" => json!("Exact"),
                "timeoutSeconds" => json!(30),
                "sideEffects" => json!("None"),
                "admissionReviewVersions" => json!(["v1beta1"]),
                _ => return None,
            };
            let why = Origin::object(object, &Path::root().key("apiVersion")).derived("the default of this version");
            old.then(|| (field, default, vec![why]))
        })
        .collect()
}

/// Returns the Deployment and the ports of a definition. In a CSV, the Service port is called `containerPort`.
fn endpoint(work: &Work<'_>, target: Target, reference: Origin) -> Vec<(&'static str, Value, Vec<Origin>)> {
    let deployment = work.inventory.object(target.deployment);
    let service = work.inventory.object(target.service);
    let name = Origin::object(deployment, &Path::root().key("metadata").key("name"));
    let port = Path::root().key("spec").key("ports").index(target.port).key("port");
    let (target_port, target_origin) = services::target_port(work, target);
    vec![
        ("deploymentName", Value::from(deployment.name()), vec![name]),
        (
            "containerPort",
            Value::from(target.number),
            vec![
                Origin::object(service, &port),
                reference.derived("the reference to the Service"),
            ],
        ),
        ("targetPort", target_port, vec![target_origin]),
    ]
}

/// The plurals of the bundle's CRDs by group, and the search for similar ones.
#[derive(Default)]
struct OwnResources {
    plurals: BTreeMap<String, BTreeSet<String>>,
    search: Nearest,
}

impl OwnResources {
    fn of(work: &Work<'_>) -> Self {
        let mut own = Self::default();
        for index in crds::of(work) {
            let crd = work.inventory.object(index);
            if let (Some(group), Some(plural)) = (crd.text(&["spec", "group"]), crd.text(&["spec", "names", "plural"]))
            {
                own.plurals
                    .entry(group.to_owned())
                    .or_default()
                    .insert(plural.to_owned());
            }
        }
        own
    }

    /// Reports resources in the rules of the webhook at `path` that are similar to a resource of the same group, but do
    /// not exist there.
    fn check(&self, work: &mut Work<'_>, object: &Object, path: &Path) {
        let list = |path: &Path| path.get(object.value()).and_then(Value::as_array);
        let rules = path.key("rules");
        for rule in (0..list(&rules).map_or(0, Vec::len)).map(|index| rules.index(index)) {
            let Some([Value::String(group)]) = list(&rule.key("apiGroups")).map(Vec::as_slice) else {
                continue;
            };
            let Some(plurals) = self.plurals.get(group) else {
                continue;
            };
            let resources = rule.key("resources");
            for (index, resource) in list(&resources).into_iter().flatten().enumerate() {
                let resource = resource
                    .as_str()
                    .unwrap_or_default()
                    .split('/')
                    .next()
                    .unwrap_or_default();
                if plurals.contains(resource) {
                    continue;
                }
                let Some(meant) = self.search.of(resource, plurals.iter().map(String::as_str)) else {
                    continue;
                };
                let message = format!("a webhook intercepts {resource} of {group}, which the bundle does not define");
                let finding = Diagnostic::new(&rules::WEBHOOK_RESOURCE, message).object(object.label());
                let place = object.place(&resources.index(index));
                work.report(finding.at(place).help(format!("Did you mean {meant}?")));
            }
        }
    }
}

/// Reports annotations that request certificates from another component, because these annotations have no effect in
/// OLM.
pub(super) fn injected_certificates(work: &mut Work<'_>, object: &Object, becomes: &str) {
    const INJECTORS: [&str; 4] = [
        "cert-manager.io/inject-ca-from",
        "cert-manager.io/inject-ca-from-secret",
        "cert-manager.io/inject-apiserver-ca",
        "service.beta.openshift.io/inject-cabundle",
    ];
    for key in INJECTORS {
        if object.get(&["metadata", "annotations", key]).is_some() {
            let message = format!(
                "the annotation {key} of {} {becomes}, because OLM writes its own certificates",
                object.label()
            );
            let finding = Diagnostic::new(&rules::WEBHOOK_CABUNDLE, message).object(object.label());
            let path = Path::root().key("metadata").key("annotations").key(key);
            work.report(finding.at(object.key_place(&path)));
        }
    }
}

/// A CRD whose conversion webhook is served through a Service of the bundle.
struct Conversion {
    crd: usize,
    service: Path,
    versions: Path,
    target: Target,
}

fn conversions(work: &mut Work<'_>, definitions: &mut Vec<Definition>, targets: &mut Vec<Target>) {
    let mut groups: BTreeMap<(usize, u64, String, String, String), Vec<Conversion>> = BTreeMap::new();
    for crd in crds::of(work) {
        let Some(conversion) = conversion(work, crd) else {
            continue;
        };
        let value = work.inventory.object(crd).value();
        let text = |path: &Path| path.get(value).map(ToString::to_string).unwrap_or_default();
        let (target_port, _) = services::target_port(work, conversion.target);
        let key = (
            conversion.target.deployment,
            conversion.target.number,
            target_port.to_string(),
            text(&conversion.service.key("path")),
            text(&conversion.versions),
        );
        groups.entry(key).or_default().push(conversion);
    }
    for conversions in groups.values() {
        targets.extend(conversions.iter().map(|conversion| conversion.target));
        if let Some(definition) = conversion_definition(work, conversions) {
            definitions.push(definition);
        }
    }
    if !groups.is_empty() {
        only_all_namespaces(work);
    }
}

fn conversion(work: &mut Work<'_>, index: usize) -> Option<Conversion> {
    let crd = work.inventory.object(index);
    if crd.text(&["spec", "conversion", "strategy"]) != Some("Webhook") {
        return None;
    }
    let conversion = Path::root().key("spec").key("conversion");
    let (client, versions) = if crd.gvk().version == "v1beta1" {
        (
            conversion.key("webhookClientConfig"),
            conversion.key("conversionReviewVersions"),
        )
    } else {
        let webhook = conversion.key("webhook");
        (webhook.key("clientConfig"), webhook.key("conversionReviewVersions"))
    };
    let service = client.key("service");
    let name = service.key("name").get(crd.value()).and_then(Value::as_str);
    let namespace = service.key("namespace").get(crd.value()).and_then(Value::as_str);
    let known = name.is_some_and(|name| work.inventory.service(name, namespace).is_some());
    if !known {
        let message = format!(
            "the conversion webhook of {} has no Service in the bundle, so the CSV cannot define it",
            crd.label()
        );
        let finding = Diagnostic::new(&rules::WEBHOOK_CONVERSION_SERVICE_MISSING, message).object(crd.label());
        work.report(finding.at(crd.place(&client)));
        return None;
    }
    if crd.get(&["spec", "preserveUnknownFields"]) == Some(&Value::Bool(true)) {
        let message = format!(
            "{} cannot be converted by a webhook while preserveUnknownFields is true",
            crd.label()
        );
        let finding = Diagnostic::new(&rules::WEBHOOK_CONVERSION_PRESERVE, message).object(crd.label());
        let path = Path::root().key("spec").key("preserveUnknownFields");
        work.report(finding.at(crd.place(&path)));
    }
    let reference = ServiceReference {
        object: crd,
        path: service.clone(),
        missing: &rules::WEBHOOK_SERVICE_MISSING,
    };
    let target = services::follow(work, &reference)?;
    services::check_webhook_port(work, target);
    injected_certificates(work, crd, "has no effect");
    Some(Conversion {
        crd: index,
        service,
        versions,
        target,
    })
}

fn conversion_definition(work: &Work<'_>, conversions: &[Conversion]) -> Option<Definition> {
    let first = conversions.first()?;
    let crd = |conversion: &Conversion| work.inventory.object(conversion.crd);
    let origin = |path: &Path| Origin::object(crd(first), path);
    let metadata_name = Path::root().key("metadata").key("name");
    let names: BTreeSet<&str> = conversions.iter().map(|conversion| crd(conversion).name()).collect();
    let generate_name = conversion_name(&names);
    let crd_origins = |how: Option<&'static str>| -> Vec<Origin> {
        let origins = conversions
            .iter()
            .map(|conversion| Origin::object(crd(conversion), &metadata_name));
        origins
            .map(|origin| match how {
                Some(how) => origin.derived(how),
                None => origin.derived("the name of the CustomResourceDefinition"),
            })
            .collect()
    };
    let value = crd(first).value();
    let strategy = Path::root().key("spec").key("conversion").key("strategy");
    let mut fields = vec![
        (
            "type",
            Value::from(CONVERSION),
            vec![origin(&strategy).derived("the conversion strategy")],
        ),
        (
            "generateName",
            Value::from(generate_name.as_str()),
            crd_origins(Some("the plural name")),
        ),
        ("conversionCRDs", json!(names), crd_origins(None)),
        ("sideEffects", json!("None"), Vec::new()),
    ];
    fields.extend(endpoint(work, first.target, origin(&first.service)));
    if let Some(route) = first.service.key("path").get(value) {
        fields.push(("webhookPath", route.clone(), vec![origin(&first.service.key("path"))]));
    }
    let (versions, versions_origin) = match first.versions.get(value) {
        Some(versions) => (versions.clone(), origin(&first.versions)),
        None => (
            json!(["v1beta1"]),
            origin(&strategy).derived("the default of this version"),
        ),
    };
    fields.push(("admissionReviewVersions", versions, vec![versions_origin]));
    Some(Definition {
        kind: CONVERSION,
        generate_name,
        object: crd(first).label(),
        place: crd(first).place(&strategy),
        fields,
    })
}

/// Returns a name that depends on the CRDs alone and is short enough for a label value.
fn conversion_name(crds: &BTreeSet<&str>) -> String {
    let plurals = crds.iter().filter_map(|name| name.split('.').next());
    let name: String = std::iter::once("c").chain(plurals).collect();
    generated_name(&name, ".kb.io", names::MOST_OF_LABEL)
}

/// Reports install modes that do not allow conversion, because OLM converts either for all namespaces or not at all.
fn only_all_namespaces(work: &mut Work<'_>) {
    let modes = work.olm.list(&["installModes"]);
    for (index, mode) in modes.iter().enumerate() {
        let kind = mode.get("type").and_then(Value::as_str).unwrap_or_default();
        let supported = mode.get("supported") == Some(&Value::Bool(true));
        if supported == (kind == ALL_NAMESPACES) {
            continue;
        }
        let message = format!(
            "a conversion webhook works only for all namespaces, but the install mode {kind} is {}",
            if supported { "supported" } else { "not supported" }
        );
        let path = Path::root().key("installModes").index(index);
        let finding = Diagnostic::new(&rules::WEBHOOK_CONVERSION_MODES, message);
        work.report(finding.at(work.olm.place(&path)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversion_name_is_short_and_derived_from_the_crds() {
        assert_eq!(conversion_name(&["foos.ex.com"].into()), "cfoos.kb.io");
        let many: Vec<String> = (0..20).map(|number| format!("resources{number}.example.com")).collect();
        let name = conversion_name(&many.iter().map(String::as_str).collect());
        assert!(name.len() <= 63 && names::is_dns1123_subdomain(&name), "{name}");
    }
}
