//! The workloads of a version: Deployments and webhooks.

use crate::csv::Csv;
use serde_json::Value;

/// A Deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Deployment {
    pub(super) name: String,
    pub(super) replicas: String,
    pub(super) account: String,
    /// The node resources that the Deployment uses.
    pub(super) host: Vec<&'static str>,
    pub(super) containers: Vec<Container>,
    /// The complete specification.
    pub(super) spec: Value,
}

/// A container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Container {
    pub(super) name: String,
    pub(super) image: String,
    /// The names and values of the environment variables.
    pub(super) environment: Vec<(String, String)>,
    pub(super) requests: String,
    pub(super) limits: String,
    pub(super) privileged: bool,
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Webhook {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) deployment: String,
    /// The operations and resources.
    pub(super) rules: Vec<String>,
    pub(super) failure_policy: String,
    pub(super) path: String,
    /// The complete specification.
    pub(super) spec: Value,
}

/// Returns the Deployments of a version.
pub(super) fn deployments(csv: &Value) -> Vec<Deployment> {
    Csv(csv).deployments().iter().map(deployment).collect()
}

fn text(value: &Value, pointer: &str) -> String {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    }
}

fn items<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn deployment(deployment: &Value) -> Deployment {
    const POD: &str = "/spec/template/spec";
    let pod = deployment.pointer(POD).unwrap_or(&Value::Null);
    let is = |key: &str| pod.get(key) == Some(&Value::Bool(true));
    let has_host_path = items(pod, "/volumes")
        .iter()
        .any(|volume| volume.get("hostPath").is_some());
    let host = [
        (is("hostNetwork"), "host network"),
        (is("hostPID"), "host processes"),
        (is("hostIPC"), "host shared memory"),
        (has_host_path, "host files"),
    ];
    let containers = items(pod, "/initContainers").iter().chain(items(pod, "/containers"));
    let account = text(pod, "/serviceAccountName");
    Deployment {
        name: text(deployment, "/name"),
        replicas: text(deployment, "/spec/replicas"),
        account: if account.is_empty() {
            "default".to_owned()
        } else {
            account
        },
        host: host
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, words)| words)
            .collect(),
        containers: containers.map(container).collect(),
        spec: deployment.get("spec").cloned().unwrap_or_default(),
    }
}

fn container(container: &Value) -> Container {
    let environment = items(container, "/env").iter().map(|variable| {
        let value = match variable.get("valueFrom") {
            Some(Value::Object(from)) => from.keys().next().map(|from| format!("({from})")).unwrap_or_default(),
            _ => text(variable, "/value"),
        };
        (text(variable, "/name"), value)
    });
    Container {
        name: text(container, "/name"),
        image: text(container, "/image"),
        environment: environment.collect(),
        requests: quantities(container.pointer("/resources/requests")),
        limits: quantities(container.pointer("/resources/limits")),
        privileged: container.pointer("/securityContext/privileged") == Some(&Value::Bool(true)),
    }
}

fn quantities(resources: Option<&Value>) -> String {
    let resources = resources.and_then(Value::as_object).into_iter().flatten();
    let resources: Vec<String> = resources
        .map(|(name, value)| {
            format!(
                "{name} {}",
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            )
        })
        .collect();
    resources.join(", ")
}

/// Returns the webhooks of a version.
pub(super) fn webhooks(csv: &Value) -> Vec<Webhook> {
    Csv(csv)
        .list(&["spec", "webhookdefinitions"])
        .iter()
        .map(webhook)
        .collect()
}

fn webhook(webhook: &Value) -> Webhook {
    let joined = |rule: &Value, key: &str| {
        let items = rule.get(key).and_then(Value::as_array).into_iter().flatten();
        let items: Vec<&str> = items.filter_map(Value::as_str).collect();
        items.join(", ")
    };
    let mut rules: Vec<String> = items(webhook, "/rules")
        .iter()
        .map(|rule| {
            let group = match joined(rule, "apiGroups") {
                group if group.is_empty() => "core".to_owned(),
                group => group,
            };
            let scope = match text(rule, "/scope") {
                scope if ["", "*"].contains(&scope.as_str()) => String::new(),
                scope => format!(", scope {scope}"),
            };
            format!(
                "{} of {} ({group}/{}{scope})",
                joined(rule, "operations"),
                joined(rule, "resources"),
                joined(rule, "apiVersions")
            )
        })
        .collect();
    let converted = items(webhook, "/conversionCRDs").iter().filter_map(Value::as_str);
    rules.extend(converted.map(|name| format!("conversion of {name}")));
    Webhook {
        name: text(webhook, "/generateName"),
        kind: text(webhook, "/type"),
        deployment: text(webhook, "/deploymentName"),
        rules,
        failure_policy: text(webhook, "/failurePolicy"),
        path: text(webhook, "/webhookPath"),
        spec: webhook.clone(),
    }
}
