//! Creates the Services that connect webhooks and APIServices with the ports that a CSV names.

use super::Work;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::selector;
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The default port of a reference to a Service.
pub(super) const DEFAULT_PORT: u64 = 443;

/// A port of a Deployment's pods, and the port of the Service that forwards to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Endpoint {
    /// The position of the Deployment.
    pub(super) deployment: usize,
    /// The port of the Service.
    pub(super) port: u64,
    /// The number or name of the pod port.
    pub(super) target: Value,
}

/// The name and namespace of a Service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) name: String,
    pub(super) namespace: String,
}

#[derive(Debug)]
struct Planned {
    name: Name,
    deployment: usize,
    ports: Vec<(u64, Value)>,
    used: BTreeSet<u64>,
    /// The position of the object, if the bundle already contains the Service.
    existing: Option<usize>,
}

/// The Services that the new bundle refers to.
#[derive(Debug, Default)]
pub(super) struct Services {
    planned: Vec<Planned>,
    taken: BTreeSet<String>,
    needed: Vec<Endpoint>,
}

impl Services {
    /// Collects the existing Services. `needed` contains the endpoints of the CSV; names in `avoided` are not used for
    /// new Services.
    pub(super) fn new(work: &Work<'_>, needed: Vec<Endpoint>, avoided: impl IntoIterator<Item = String>) -> Self {
        let mut services = Self {
            planned: Vec::new(),
            taken: avoided.into_iter().collect(),
            needed,
        };
        for (index, service) in of(work) {
            services.taken.insert(service.name().to_owned());
            let Some(deployment) = selected(work, service) else {
                continue;
            };
            let ports: Vec<(u64, Value)> = ports(service);
            // OLM itself creates Services with generated names, so a Service with such a name must not be shipped.
            // Therefore, all of its ports must be used, or the Service is not used at all.
            let all_needed = ports.iter().all(|(port, target)| {
                let endpoint = Endpoint {
                    deployment,
                    port: *port,
                    target: target.clone(),
                };
                services.needed.contains(&endpoint)
            });
            if !services.is_generated(work, service.name()) || all_needed && !ports.is_empty() {
                services.planned.push(Planned {
                    name: Name {
                        name: service.name().to_owned(),
                        namespace: service.namespace().unwrap_or(&work.namespace).to_owned(),
                    },
                    deployment,
                    ports,
                    used: BTreeSet::new(),
                    existing: Some(index),
                });
            }
        }
        services
    }

    /// Returns whether OLM will create a Service with this name.
    fn is_generated(&self, work: &Work<'_>, name: &str) -> bool {
        self.needed.iter().any(|endpoint| {
            let deployment = work.deployments[endpoint.deployment].name;
            name == format!("{deployment}-service") || name == format!("{}-service", deployment.replace('.', "-"))
        })
    }

    /// Makes the Service with this name forward to the endpoint; returns `false` if the Service already forwards to
    /// another endpoint.
    pub(super) fn lead_by(&mut self, name: &Name, endpoint: &Endpoint) -> bool {
        let named = |planned: &Planned| {
            let anywhere = planned.existing.is_some();
            planned.name.name == name.name && (anywhere || planned.name.namespace == name.namespace)
        };
        if let Some(planned) = self.planned.iter_mut().find(|planned| named(planned)) {
            return planned.take(endpoint);
        }
        if self.taken.contains(&name.name) {
            return false;
        }
        self.plan(name.clone(), endpoint);
        true
    }

    /// Returns a Service that forwards to the endpoint. A Service of the bundle is used only if it is already in use,
    /// or if OLM would create a Service with its name. `purpose` is part of the name of a new Service.
    pub(super) fn lead(&mut self, work: &Work<'_>, endpoint: &Endpoint, purpose: &str) -> Name {
        for position in 0..self.planned.len() {
            let planned = &self.planned[position];
            let free = match planned.existing {
                None => planned.name.namespace == work.namespace,
                Some(_) => !planned.used.is_empty() || self.is_generated(work, &planned.name.name),
            };
            if free && self.planned[position].take(endpoint) {
                return self.planned[position].name.clone();
            }
        }
        let deployment = work.deployments[endpoint.deployment].name.replace('.', "-");
        // A Service's name is a label of at most 63 characters.
        let start: String = deployment.chars().take(50).collect();
        let start = start.trim_end_matches('-');
        let base = if start.ends_with(purpose) {
            start.to_owned()
        } else {
            format!("{start}-{purpose}")
        };
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        let name = std::iter::once(base.clone())
            .chain(numbered)
            .find(|name| !self.taken.contains(name))
            .unwrap_or_default();
        let name = Name {
            name,
            namespace: work.namespace.clone(),
        };
        self.plan(name.clone(), endpoint);
        name
    }

    fn plan(&mut self, name: Name, endpoint: &Endpoint) {
        self.taken.insert(name.name.clone());
        self.planned.push(Planned {
            name,
            deployment: endpoint.deployment,
            ports: vec![(endpoint.port, endpoint.target.clone())],
            used: BTreeSet::from([endpoint.port]),
            existing: None,
        });
    }

    /// Writes the new Services, and reports changes to existing ones.
    pub(super) fn write(self, work: &mut Work<'_>) {
        let mut files: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        for planned in self.planned.iter().filter(|planned| planned.existing.is_none()) {
            let deployment = &work.deployments[planned.deployment];
            let selector = deployment.selector.as_ref();
            files
                .entry(planned.deployment)
                .or_default()
                .push(planned.object(selector));
        }
        for (deployment, objects) in files {
            let name = format!("{}.service", work.deployments[deployment].name);
            work.files.write(&name, &objects);
        }
        for (index, service) in of(work) {
            let planned = self.planned.iter().find(|planned| planned.existing == Some(index));
            let whole =
                planned.is_some_and(|planned| !planned.ports.is_empty() && planned.used.len() == planned.ports.len());
            if whole {
                let message = format!(
                    "{} will not be shipped, because the webhooks use all of its ports, and OLM creates a Service for \
                     them",
                    service.label()
                );
                let finding = Diagnostic::new(&rules::CONVERT_OBJECT_NOT_SHIPPED, message).object(service.label());
                work.findings.push(finding.at(service.name_place()));
            } else if self.is_generated(work, service.name()) {
                let message = format!(
                    "{} is omitted, because OLM creates a Service with that name",
                    service.label()
                );
                let finding = Diagnostic::new(&rules::CONVERT_FILE_LEFT_OUT, message).object(service.label());
                work.findings.push(finding.at(service.name_place()));
                work.changed.insert(index, None);
            }
        }
    }
}

impl Planned {
    /// Makes the Service forward to the endpoint if possible; returns whether the Service forwards to the endpoint.
    fn take(&mut self, endpoint: &Endpoint) -> bool {
        if self.deployment != endpoint.deployment {
            return false;
        }
        match self.ports.iter().find(|(port, _)| *port == endpoint.port) {
            Some((_, target)) if *target != endpoint.target => return false,
            Some(_) => {}
            None if self.existing.is_some() => return false,
            None => self.ports.push((endpoint.port, endpoint.target.clone())),
        }
        self.used.insert(endpoint.port);
        true
    }

    fn object(&self, selector: Option<&Map<String, Value>>) -> Value {
        let several = self.ports.len() > 1;
        let ports: Vec<Value> = self
            .ports
            .iter()
            .map(|(port, target)| {
                if several {
                    json!({"name": format!("port-{port}"), "port": port, "targetPort": target})
                } else {
                    json!({"port": port, "targetPort": target})
                }
            })
            .collect();
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": self.name.name, "namespace": self.name.namespace},
            "spec": {"selector": selector, "ports": ports},
        })
    }
}

/// Returns the Services among the objects other than the CSV, with their positions.
fn of<'a>(work: &Work<'a>) -> Vec<(usize, &'a Object)> {
    let others = work.others.iter().copied().enumerate();
    others.filter(|(_, object)| object.gvk().is("", "Service")).collect()
}

fn ports(service: &Object) -> Vec<(u64, Value)> {
    let ports = service.list(&["spec", "ports"]).iter();
    ports
        .filter_map(|port| {
            let number = port.get("port")?.as_u64()?;
            Some((number, target(port.get("targetPort"), number)))
        })
        .collect()
}

/// Returns a target port as written, or the port itself if the target is absent or 0.
pub(super) fn target(written: Option<&Value>, port: u64) -> Value {
    match written {
        Some(target) if !target.is_null() && target.as_u64() != Some(0) => target.clone(),
        _ => port.into(),
    }
}

/// Returns the only Deployment that a Service selects.
fn selected(work: &Work<'_>, service: &Object) -> Option<usize> {
    let wanted = service.map(&["spec", "selector"]).filter(|wanted| !wanted.is_empty())?;
    let external = service.text(&["spec", "type"]) == Some("ExternalName");
    (!external).then(|| only(work, wanted)).flatten()
}

/// Returns the only Deployment whose pods have these labels.
fn only(work: &Work<'_>, wanted: &Map<String, Value>) -> Option<usize> {
    let mut selected = work
        .deployments
        .iter()
        .enumerate()
        .filter(|(_, deployment)| selector::contains_all(&deployment.pod_labels(), wanted));
    let (index, _) = selected.next()?;
    selected.next().is_none().then_some(index)
}

/// Returns the labels that select only this Deployment: those of its selector if they suffice, otherwise all labels of
/// its pods.
pub(super) fn selector_of(work: &Work<'_>, deployment: usize) -> Option<Map<String, Value>> {
    let entry = &work.deployments[deployment];
    let matched = entry
        .spec
        .pointer("/selector/matchLabels")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    [matched, entry.pod_labels()]
        .into_iter()
        .find(|labels| !labels.is_empty() && only(work, labels) == Some(deployment))
}

/// Returns the endpoint that an entry of the CSV names, and reports problems with it.
pub(super) fn endpoint(work: &mut Work<'_>, path: &Path, port: u64, target: Value) -> Option<Endpoint> {
    let entry = path.get(work.csv.value())?;
    let name = entry.get("deploymentName").and_then(Value::as_str).unwrap_or_default();
    let found = work.deployments.iter().position(|deployment| deployment.name == name);
    let field = path.key("deploymentName");
    let report = |rule, message: String| {
        let finding = Diagnostic::new(rule, message).object(work.csv.label()).path(&field);
        finding.at(work.csv.place(&field))
    };
    let Some(deployment) = found else {
        let message = format!("{path} names the Deployment {name:?}, which the install strategy does not contain");
        let finding = report(&rules::CONVERT_DEPLOYMENT_UNKNOWN, message);
        work.findings.push(finding);
        return None;
    };
    if work.deployments[deployment].selector.is_none() {
        let message = format!(
            "no Service can select only the Deployment {name}, because other pods have all of its \
                               labels"
        );
        let finding = report(&rules::CONVERT_POD_LABELS, message);
        work.findings.push(finding);
        return None;
    }
    Some(Endpoint {
        deployment,
        port,
        target,
    })
}
