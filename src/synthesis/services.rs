//! The Services that webhooks and APIServices refer to, with their Deployments and ports.

use super::Work;
use super::draft::Origin;
use super::fate::{self, Fate};
use crate::diagnostic::Diagnostic;
use crate::manifest::Object;
use crate::rules::{self, Rule, Severity};
use crate::text::Path;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The rules that report a webhook or an APIService for which no Deployment is found.
static UNREACHED: [&Rule; 6] = [
    &rules::SERVICE_SELECTOR,
    &rules::SERVICE_PORT,
    &rules::WEBHOOK_SERVICE_MISSING,
    &rules::WEBHOOK_URL,
    &rules::APISERVICE_SERVICE_MISSING,
    &rules::APISERVICE_LOCAL,
];

/// Whether a finding reports a webhook or an APIService for which no Deployment is found.
pub(super) fn is_unreached(finding: &Diagnostic) -> bool {
    UNREACHED.contains(&finding.rule)
}

/// The default port of a Service reference.
const DEFAULT_PORT: u64 = 443;

/// The target of a Service reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    /// Index of the Service.
    pub(super) service: usize,
    /// Index of the Service port in `spec.ports`.
    pub(super) port: usize,
    /// Index of the Deployment that the Service selects.
    pub(super) deployment: usize,
    /// Number of the Service port.
    pub(super) number: u64,
}

/// A reference to a Service, its place, and the rule for a missing Service.
pub(super) struct ServiceReference<'r> {
    /// The object that contains the reference.
    pub(super) object: &'r Object,
    /// Path of `{name, namespace, port}` in the object.
    pub(super) path: Path,
    /// The rule to report if the Service is not in the bundle.
    pub(super) missing: &'static Rule,
}

/// Follows a reference to the Deployment of the Service, and reports problems.
pub(super) fn follow(work: &mut Work<'_>, reference: &ServiceReference<'_>) -> Option<Target> {
    let object = reference.object;
    let value = reference.path.get(object.value())?;
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let name = text("name").unwrap_or_default();
    let Some(service_index) = work.inventory.service(name, text("namespace")) else {
        let elsewhere = work.inventory.service(name, None);
        let elsewhere = elsewhere.and_then(|index| work.inventory.object(index).namespace());
        if let (Some(actual), Some(wanted)) = (elsewhere, text("namespace")) {
            let message = format!(
                "{} refers to Service {name} in namespace {wanted}, but the bundle contains it in namespace {actual}",
                object.label()
            );
            let help = format!("Use the namespace of the Service: namespace: {actual}.");
            let finding = Diagnostic::new(reference.missing, message).object(object.label());
            let place = object.place(&reference.path.key("namespace"));
            work.report(finding.at(place).help(help));
            return None;
        }
        let message = format!(
            "{} refers to Service {name}, which is not in the bundle",
            object.label()
        );
        let finding = Diagnostic::new(reference.missing, message).object(object.label());
        work.report(finding.at(object.place(&reference.path.key("name"))));
        return None;
    };
    let service = work.inventory.object(service_index);
    let deployment = selected_deployment(work, service)?;
    let number = value.get("port").and_then(Value::as_u64).unwrap_or(DEFAULT_PORT);
    let ports = service.list(&["spec", "ports"]);
    let port = ports
        .iter()
        .position(|port| port.get("port").and_then(Value::as_u64) == Some(number));
    let Some(port) = port else {
        let message = format!(
            "{} refers to port {number}, which Service {name} does not have",
            object.label()
        );
        let finding = Diagnostic::new(&rules::SERVICE_PORT, message).object(object.label());
        let place = object.place(&reference.path.key("port"));
        let ports = service.place(&Path::root().key("spec").key("ports"));
        work.report(finding.at(place).also(ports, "the ports of the Service"));
        return None;
    };
    Some(Target {
        service: service_index,
        port,
        deployment,
        number,
    })
}

fn selected_deployment(work: &mut Work<'_>, service: &Object) -> Option<usize> {
    let wanted = service.map(&["spec", "selector"]).filter(|wanted| !wanted.is_empty());
    let external = service.text(&["spec", "type"]) == Some("ExternalName");
    let selected: Vec<usize> = match wanted {
        Some(wanted) if !external => work.inventory.deployments_with(wanted),
        _ => Vec::new(),
    };
    if let [deployment] = selected[..] {
        return Some(deployment);
    }
    let names: Vec<&str> = selected
        .iter()
        .map(|index| work.inventory.object(*index).name())
        .collect();
    let message = if names.is_empty() {
        format!("{} does not select the pods of any Deployment", service.label())
    } else {
        format!(
            "{} selects the pods of several Deployments: {}",
            service.label(),
            names.join(", ")
        )
    };
    let finding = Diagnostic::new(&rules::SERVICE_SELECTOR, message).object(service.label());
    let place = service.place(&Path::root().key("spec").key("selector"));
    if !work.findings.iter().any(|known| known.message == finding.message) {
        work.report(finding.at(place));
    }
    None
}

/// Returns the `targetPort` of a Service port as written, and its origin. If `targetPort` is absent or 0, returns the
/// port itself.
pub(super) fn target_port(work: &Work<'_>, target: Target) -> (Value, Origin) {
    let service = work.inventory.object(target.service);
    let path = Path::root().key("spec").key("ports").index(target.port);
    let written = path.key("targetPort").get(service.value());
    match written {
        Some(port) if !port.is_null() && port.as_u64() != Some(0) => {
            (port.clone(), Origin::object(service, &path.key("targetPort")))
        }
        _ => (target.number.into(), Origin::object(service, &path.key("port"))),
    }
}

/// Returns the number of the container port that a Service port leads to. Names are looked up in the container ports.
///
/// # Errors
/// Returns an error if no container has a port with this name.
pub(super) fn container_port(work: &Work<'_>, target: Target) -> Result<(u64, Vec<Origin>), Box<Diagnostic>> {
    let (port, origin) = target_port(work, target);
    if let Some(number) = port.as_u64() {
        return Ok((number, vec![origin]));
    }
    let name = port.as_str().unwrap_or_default();
    let deployment = work.inventory.object(target.deployment);
    for (container, path) in super::deployments::containers(deployment.value()) {
        let ports = container.get("ports").and_then(Value::as_array);
        for (index, port) in ports.into_iter().flatten().enumerate() {
            if port.get("name").and_then(Value::as_str) == Some(name)
                && let Some(number) = port.get("containerPort").and_then(Value::as_u64)
            {
                let path = path.key("ports").index(index).key("containerPort");
                let origins = vec![
                    Origin::object(deployment, &path),
                    origin.derived("the name of the container port"),
                ];
                return Ok((number, origins));
            }
        }
    }
    let service = work.inventory.object(target.service);
    let message = format!(
        "{} leads to port {name}, but no container of {} has a port with this name",
        service.label(),
        deployment.label()
    );
    let finding = Diagnostic::new(&rules::SERVICE_PORT_NAME, message).object(service.label());
    let finding = finding.at(origin.place());
    Err(Box::new(finding.also(deployment.name_place(), "the Deployment")))
}

/// Reports a finding once, even if several references cause it.
pub(super) fn report_once(work: &mut Work<'_>, finding: Diagnostic) {
    if !work.findings.contains(&finding) {
        work.report(finding);
    }
}

/// Reports a webhook port without a target. The CSV contains the name of the port unchanged, and the cluster accepts
/// it, but no container will answer.
pub(super) fn check_webhook_port(work: &mut Work<'_>, target: Target) {
    if let Err(mut finding) = container_port(work, target) {
        finding.severity = Severity::Warning;
        report_once(work, *finding);
    }
}

/// Decides which Services are shipped: a Service is projected if webhooks and APIServices use all of its ports; all
/// other Services are kept. Reports a kept Service whose name OLM will use.
pub(super) fn settle(work: &mut Work<'_>, webhooks: &[Target], apiservices: &[Target]) {
    let mut used: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut generated: BTreeMap<String, usize> = BTreeMap::new();
    for target in webhooks.iter().chain(apiservices) {
        used.entry(target.service).or_default().insert(target.port);
        let deployment = work.inventory.object(target.deployment);
        generated.insert(format!("{}-service", deployment.name()), target.deployment);
        generated.insert(
            format!("{}-service", deployment.name().replace('.', "-")),
            target.deployment,
        );
    }
    for target in webhooks {
        let deployment = work.inventory.object(target.deployment);
        if deployment.name().contains('.') {
            let message = format!(
                "OLM cannot find the webhook Service of {}, because its name contains a dot",
                deployment.label()
            );
            let finding = Diagnostic::new(&rules::DEPLOYMENT_DOT_NAME, message).object(deployment.label());
            let finding = finding.at(deployment.name_place());
            if !work.findings.contains(&finding) {
                work.report(finding);
            }
        }
    }
    for index in work.inventory.of("", "Service") {
        let service = work.inventory.object(index);
        let ports = service.list(&["spec", "ports"]).len();
        let taken = used.get(&index).map_or(0, BTreeSet::len);
        if taken > 0 && taken == ports {
            work.inventory.decide(
                index,
                Fate::Projected,
                "OLM creates a Service for the webhooks and APIServices",
            );
            continue;
        }
        if let Some(deployment) = generated.get(service.name()) {
            let deployment = work.inventory.object(*deployment);
            let message = format!(
                "OLM creates a Service named {} for {}",
                service.name(),
                deployment.label()
            );
            let finding = Diagnostic::new(&rules::SERVICE_NAME_CLASH, message).object(service.label());
            work.report(finding.at(service.name_place()));
        } else if taken > 0 {
            let message = format!(
                "{} is shipped in addition to the Service that OLM creates, because it also has ports that no webhook \
                 or APIService uses",
                service.label()
            );
            let finding = Diagnostic::new(&rules::SERVICE_KEPT, message).object(service.label());
            work.report(finding.at(service.name_place()));
        }
        let reason = if taken > 0 {
            "it has ports other than those of webhooks and APIServices, so OLM applies it"
        } else {
            "no webhook or APIService refers to it, so OLM applies it"
        };
        work.inventory.decide(index, Fate::Kept(fate::shipped(service)), reason);
    }
}
