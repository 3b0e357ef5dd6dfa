//! The requests that OLM sends for the Deployments that serve webhooks or APIs. OLM sends them with the account that
//! creates the objects of the plan, after the plan is complete.
//!
//! Source: `installCertRequirementsForDeployment`, `createOrUpdateAPIService`, `deleteLegacyAPIServiceResources` and
//! `createOrUpdateWebhook` in OLM.

use super::{Need, Purpose, verb_on};
use crate::csv::Csv;
use crate::install::existing::Existing;
use crate::install::handling::Resource;
use crate::kubernetes::rbac::{Rule, role};
use crate::olm::webhook::ADMISSION;
use serde_json::Value;
use std::collections::BTreeSet;

/// The namespace of the role that lets extension API servers read how requests are authenticated.
const SYSTEM_NAMESPACE: &str = "kube-system";
/// The account of Pods that specify no account.
pub(super) const DEFAULT_ACCOUNT: &str = "default";

/// A Deployment that serves webhooks or APIs.
pub(super) struct Server<'a> {
    /// The name of the Deployment.
    pub(super) deployment: &'a str,
    /// The service account of its Pods, as OLM reads it.
    pub(super) account: &'a str,
    /// What it serves, in words.
    pub(super) serves: &'static str,
}

/// An object that OLM writes for a [`Server`].
pub(super) struct Written {
    /// The kind.
    pub(super) kind: &'static str,
    /// The name.
    pub(super) name: String,
    /// The namespace; `None` for a cluster-scoped object.
    pub(super) namespace: Option<String>,
    /// The kind and name of the role that a binding refers to.
    pub(super) role: Option<(&'static str, String)>,
    /// The rules that the object contains or grants.
    pub(super) rules: Vec<Rule>,
}

/// Requests about one object.
pub(in crate::install) struct Request {
    /// The resource.
    pub(in crate::install) resource: Resource,
    /// The name of the object. Requests that create or list objects do not specify it.
    pub(in crate::install) name: String,
    /// The namespace; empty for a cluster-scoped object.
    pub(in crate::install) namespace: String,
    /// The verbs, in order.
    pub(in crate::install) verbs: &'static [&'static str],
    /// What the account must hold to write the object.
    pub(in crate::install) handed_on: Option<Need>,
}

/// Returns the Deployments of a version that serve webhooks or APIs, in the order of the install strategy.
pub(super) fn servers(csv: Csv<'_>) -> Vec<Server<'_>> {
    let served = |keys: &[&str]| -> BTreeSet<&str> {
        let entries = csv.list(keys).iter();
        let names = entries.filter_map(|entry| entry.get("deploymentName")?.as_str());
        names.filter(|name| !name.is_empty()).collect()
    };
    let webhooks = served(&["spec", "webhookdefinitions"]);
    let apis = served(&["spec", "apiservicedefinitions", "owned"]);
    let mut seen = BTreeSet::new();
    let servers = csv.deployments().iter().filter_map(|written| {
        let deployment = written.get("name")?.as_str()?;
        let serves = match (webhooks.contains(deployment), apis.contains(deployment)) {
            (true, true) => "webhooks and APIs",
            (true, false) => "webhooks",
            (false, true) => "APIs",
            (false, false) => return None,
        };
        // The first of several Deployments with the same name counts.
        seen.insert(deployment).then_some(Server {
            deployment,
            // OLM does not read the deprecated field `serviceAccount`.
            account: text_in_pod(written, "serviceAccountName").unwrap_or(DEFAULT_ACCOUNT),
            serves,
        })
    });
    servers.collect()
}

/// Returns a string of the Pod that a Deployment creates, unless it is empty.
pub(super) fn text_in_pod<'a>(deployment: &'a Value, key: &str) -> Option<&'a str> {
    let spec = deployment.pointer("/spec/template/spec")?;
    spec.get(key).and_then(Value::as_str).filter(|name| !name.is_empty())
}

impl Server<'_> {
    /// Returns the objects that OLM writes before it creates the Deployment, in OLM's order.
    pub(super) fn objects(&self, namespace: &str) -> [Written; 6] {
        let service = format!("{}-service", self.deployment);
        let certificate = format!("{service}-cert");
        let secret = Rule::new("", "secrets", &["get"]).named(&certificate);
        let here = |kind, name: &str, role, rules| Written {
            kind,
            name: name.to_owned(),
            namespace: Some(namespace.to_owned()),
            role,
            rules,
        };
        [
            here("Service", &service, None, Vec::new()),
            here("Secret", &certificate, None, Vec::new()),
            here("Role", &certificate, None, vec![secret.clone()]),
            here(
                "RoleBinding",
                &certificate,
                Some(("Role", certificate.clone())),
                vec![secret],
            ),
            Written {
                kind: "ClusterRoleBinding",
                name: format!("{service}-{}", role::AUTH_DELEGATOR),
                namespace: None,
                role: Some(("ClusterRole", role::AUTH_DELEGATOR.to_owned())),
                rules: role::auth_delegation().into(),
            },
            Written {
                kind: "RoleBinding",
                name: format!("{service}-auth-reader"),
                namespace: Some(SYSTEM_NAMESPACE.to_owned()),
                role: Some(("Role", "extension-apiserver-authentication-reader".to_owned())),
                rules: vec![role::authentication_reader()],
            },
        ]
    }
}

impl Written {
    /// Whether OLM writes the object by a server-side apply. Releases before 0.28 create it.
    fn is_applied(&self) -> bool {
        self.kind == "Service"
            || self.kind == "ClusterRoleBinding"
            || self.namespace.as_deref() == Some(SYSTEM_NAMESPACE)
    }

    fn request(self, existing: &Existing<'_>) -> Option<Request> {
        let resource = Resource::known(self.kind)?;
        let namespace = self.namespace.clone().unwrap_or_default();
        let exists = existing
            .find(&resource.group, self.kind, &namespace, &self.name)
            .is_some();
        let verbs: &[&str] = match (self.is_applied(), exists) {
            (true, false) => &["patch", "create"],
            (true, true) => &["patch"],
            (false, false) => &["create"],
            // OLM keeps a certificate until it expires.
            (false, true) if self.kind == "Secret" => &[],
            (false, true) => &["get", "patch"],
        };
        let unless = match &self.role {
            Some((kind, name)) => verb_on(kind, name, "bind"),
            None => verb_on(self.kind, &self.name, "escalate"),
        };
        let handed_on = (!self.rules.is_empty()).then_some(Need {
            namespace: self.namespace,
            rules: self.rules,
            purpose: Purpose::Operator,
            unless: Some(unless),
            is_condition: false,
        });
        Some(Request {
            resource,
            name: self.name,
            namespace,
            verbs,
            handed_on,
        })
    }
}

/// Returns the requests that OLM sends before it creates the Deployments of a version.
pub(in crate::install) fn certificates(csv: Csv<'_>, namespace: &str, existing: &Existing<'_>) -> Vec<Request> {
    let servers = servers(csv).into_iter();
    let objects = servers.flat_map(|server| server.objects(namespace));
    objects.filter_map(|object| object.request(existing)).collect()
}

/// Returns the requests about APIServices that OLM sends after it has created the first Deployment of a version. OLM
/// also looks for the objects that old releases created for each APIService.
pub(in crate::install) fn api_services(csv: Csv<'_>, namespace: &str, existing: &Existing<'_>) -> Vec<Request> {
    let mut requests = Vec::new();
    for api in csv.owned_api_services() {
        let name = format!("{}.{}", api.version, api.group);
        let resource = cluster_wide("apiregistration.k8s.io", "apiservices");
        let exists = existing.find(&resource.group, "APIService", "", &name).is_some();
        let verbs: &[&str] = if exists { &["get", "patch"] } else { &["create"] };
        let certificate = format!("{name}-cert");
        let legacy = [
            ("Service", namespace, name.replace('.', "-")),
            ("Secret", namespace, certificate.clone()),
            ("Role", namespace, certificate.clone()),
            ("RoleBinding", namespace, certificate),
            ("ClusterRoleBinding", "", format!("{name}-{}", role::AUTH_DELEGATOR)),
            ("RoleBinding", SYSTEM_NAMESPACE, format!("{name}-auth-reader")),
        ];
        requests.push(request(resource, name, "", verbs));
        let looked_up = legacy
            .into_iter()
            .filter_map(|(kind, namespace, name)| Some(request(Resource::known(kind)?, name, namespace, &["get"])));
        requests.extend(looked_up);
    }
    requests
}

/// Returns the requests that OLM sends for a webhook of a version. OLM ignores the answers, and then waits until the
/// webhook is set up.
pub(in crate::install) fn webhook(definition: &Value) -> Vec<Request> {
    let configurations = match definition.get("type").and_then(Value::as_str) {
        Some("ValidatingAdmissionWebhook") => "validatingwebhookconfigurations",
        Some("MutatingAdmissionWebhook") => "mutatingwebhookconfigurations",
        Some("ConversionWebhook") => {
            let definitions = definition.get("conversionCRDs").and_then(Value::as_array);
            let names = definitions.into_iter().flatten().filter_map(Value::as_str);
            let resource = || cluster_wide("apiextensions.k8s.io", "customresourcedefinitions");
            return names
                .map(|name| request(resource(), name.to_owned(), "", &["get", "update"]))
                .collect();
        }
        _ => return Vec::new(),
    };
    let resource = cluster_wide(ADMISSION, configurations);
    vec![request(resource, String::new(), "", &["list", "create"])]
}

fn request(resource: Resource, name: String, namespace: &str, verbs: &'static [&'static str]) -> Request {
    Request {
        resource,
        name,
        namespace: namespace.to_owned(),
        verbs,
        handed_on: None,
    }
}

fn cluster_wide(group: &str, plural: &str) -> Resource {
    Resource {
        group: group.to_owned(),
        plural: plural.to_owned(),
        namespaced: false,
    }
}
