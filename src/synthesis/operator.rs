//! Determines which Deployment is the operator, and the version of the operator.

use super::deployments::{pod_labels, service_account};
use crate::image::Reference;
use crate::kubernetes::{rbac, selector};
use crate::manifest::{Object, of_kind};
use crate::version::parse_strict;
use serde_json::Value;
use std::fmt::{self, Display, Formatter};

/// A version found in manifests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The version.
    pub version: String,
    /// The origin of the version, such as "the tag of container manager of Deployment/op".
    pub source: String,
}

/// The reason why the version of the operator is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnknownVersion {
    /// No tag and no label of the operator is a version.
    Absent,
    /// The versions in the manifests differ, and nothing shows which of them is the version of the operator.
    Differing(Vec<Found>),
}

/// The maximum number of versions that are listed; the others are only counted.
const LISTED: usize = 4;

impl Display for UnknownVersion {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let found = match self {
            Self::Absent => return formatter.write_str("no image tag of the operator is a version"),
            Self::Differing(found) => found,
        };
        formatter.write_str("the versions in the manifests differ: ")?;
        for (index, Found { version, source }) in found.iter().take(LISTED).enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(formatter, "{separator}{version} is {source}")?;
        }
        match found.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(formatter, ", and {more} more"),
        }
    }
}

/// The label that contains the version of an application.
const VERSION_LABEL: &str = "app.kubernetes.io/version";

/// The annotation of a pod template that names its main container.
const MAIN_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// The usual names of containers that run next to an operator, and have their own versions.
const SIDECARS: [&str; 12] = [
    "auth-proxy",
    "cloud-sql-proxy",
    "cloudsql-proxy",
    "config-reloader",
    "envoy",
    "fluent-bit",
    "istio-proxy",
    "kube-rbac-proxy",
    "linkerd-proxy",
    "oauth-proxy",
    "oauth2-proxy",
    "vault-agent",
];

/// Signs that distinguish the operator from the other Deployments, the most reliable sign first.
type Sign = (fn(&Object, &[Object]) -> bool, &'static str);
const SIGNS: [Sign; 5] = [
    (
        has_bound_account,
        "the only one whose service account is bound to a role",
    ),
    (serves_webhooks, "the only one that serves webhooks or an API"),
    (is_control_plane, "the only one with the label control-plane"),
    (
        has_operators_name,
        "the only one with operator or controller in its name",
    ),
    (has_version, "the only one with a version"),
];

/// Returns the version of the operator: the tag of its image if the tag is a full version, otherwise the label
/// `app.kubernetes.io/version`.
///
/// # Errors
/// Returns the reason why the version is unknown.
pub fn version(objects: &[Object]) -> Result<Found, UnknownVersion> {
    let deployments: Vec<&Object> = of_kind(objects, "apps", "Deployment").collect();
    let all: Vec<Found> = deployments
        .iter()
        .filter_map(|deployment| of_deployment(deployment))
        .collect();
    let same = all.first().filter(|first| are_same(&all, first));
    if let Some((operator, sign)) = chosen(&deployments, objects) {
        let found = of_deployment(operator).ok_or_else(|| unknown(&[operator]))?;
        return Ok(match same {
            Some(first) => first.clone(),
            None => Found {
                source: format!("{}, {sign}", found.source),
                ..found
            },
        });
    }
    same.cloned().ok_or_else(|| unknown(&deployments))
}

fn are_same(all: &[Found], first: &Found) -> bool {
    all.iter().all(|found| found.version == first.version)
}

/// Returns the reason why these Deployments have no common version.
fn unknown(deployments: &[&Object]) -> UnknownVersion {
    let mut all: Vec<Found> = Vec::new();
    for deployment in deployments {
        let tags = tags(deployment);
        all.extend(if tags.is_empty() {
            of_deployment(deployment).into_iter().collect()
        } else {
            tags
        });
    }
    match all.first() {
        Some(first) if !are_same(&all, first) => UnknownVersion::Differing(all),
        _ => UnknownVersion::Absent,
    }
}

/// Returns the operator's Deployment, and the sign that distinguishes it. If several Deployments share a sign, later
/// signs decide among these Deployments.
fn chosen<'a>(deployments: &[&'a Object], objects: &[Object]) -> Option<(&'a Object, &'static str)> {
    let mut left = deployments.to_vec();
    for (is_shown, sign) in SIGNS {
        let shown: Vec<&Object> = left.iter().copied().filter(|one| is_shown(one, objects)).collect();
        match shown[..] {
            [operator] => return Some((operator, sign)),
            [] => {}
            _ => left = shown,
        }
    }
    None
}

fn of_deployment(deployment: &Object) -> Option<Found> {
    let mut tags = tags(deployment);
    if tags.first().is_some_and(|first| are_same(&tags, first)) {
        return Some(tags.swap_remove(0));
    }
    let version = full_version(deployment.text(&["metadata", "labels", VERSION_LABEL])?)?;
    Some(Found {
        version,
        source: format!("the label {VERSION_LABEL} of {}", deployment.label()),
    })
}

/// Returns the versions in the tags of the operator's own containers.
fn tags(deployment: &Object) -> Vec<Found> {
    let tagged = own_containers(deployment).into_iter().filter_map(|container| {
        Some(Found {
            version: tag_version(container.get("image")?.as_str()?)?,
            source: format!("the tag of container {} of {}", name_of(container), deployment.label()),
        })
    });
    tagged.collect()
}

/// Returns the containers that may be the operator: the main container if its name shows it, otherwise all containers
/// that are not known as sidecars.
fn own_containers(deployment: &Object) -> Vec<&Value> {
    let containers = deployment.list(&["spec", "template", "spec", "containers"]);
    let main = deployment.text(&["spec", "template", "metadata", "annotations", MAIN_CONTAINER]);
    let mut names = main.into_iter().chain(["manager", "operator", deployment.name()]);
    let named = names.find_map(|name| containers.iter().find(|container| name_of(container) == name));
    match (named, containers) {
        (Some(own), _) | (None, [own]) => vec![own],
        _ => {
            let is_sidecar = |container: &&Value| SIDECARS.contains(&name_of(container));
            containers.iter().filter(|container| !is_sidecar(container)).collect()
        }
    }
}

fn name_of(container: &Value) -> &str {
    container.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn tag_version(image: &str) -> Option<String> {
    let Ok(Reference::Registry(_)) = image.parse() else {
        return None;
    };
    let name = image.split('@').next()?.rsplit('/').next()?;
    full_version(name.split_once(':')?.1)
}

fn full_version(text: &str) -> Option<String> {
    let version = text.strip_prefix('v').unwrap_or(text);
    parse_strict(version).ok().map(|_| version.to_owned())
}

fn has_bound_account(deployment: &Object, objects: &[Object]) -> bool {
    let (account, _) = service_account(deployment);
    let bindings = objects.iter().filter(|object| {
        object.gvk().is(rbac::GROUP, "RoleBinding") || object.gvk().is(rbac::GROUP, "ClusterRoleBinding")
    });
    bindings.flat_map(|binding| binding.list(&["subjects"])).any(|subject| {
        let is = |key: &str, value: &str| subject.get(key).and_then(Value::as_str) == Some(value);
        is("kind", "ServiceAccount") && is("name", account)
    })
}

fn serves_webhooks(deployment: &Object, objects: &[Object]) -> bool {
    let labels = pod_labels(deployment);
    let named = objects.iter().flat_map(served_by);
    named.into_iter().any(|service| {
        let service = objects
            .iter()
            .find(|object| object.gvk().is("", "Service") && object.name() == service);
        let wanted = service.and_then(|service| service.map(&["spec", "selector"]));
        wanted.is_some_and(|wanted| !wanted.is_empty() && selector::contains_all(&labels, wanted))
    })
}

/// Returns the names of the Services that a webhook configuration, a conversion or an APIService refers to.
fn served_by(object: &Object) -> Vec<String> {
    let mut names: Vec<Option<&str>> =
        vec![object.text(&["spec", "conversion", "webhook", "clientConfig", "service", "name"])];
    match object.gvk().kind.as_str() {
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => {
            let webhooks = object.list(&["webhooks"]).iter();
            names.extend(webhooks.map(|webhook| webhook.pointer("/clientConfig/service/name")?.as_str()));
        }
        "APIService" => names.push(object.text(&["spec", "service", "name"])),
        _ => {}
    }
    names.into_iter().flatten().map(str::to_owned).collect()
}

fn is_control_plane(deployment: &Object, _: &[Object]) -> bool {
    pod_labels(deployment).contains_key("control-plane")
        || deployment.text(&["metadata", "labels", "control-plane"]).is_some()
}

fn has_operators_name(deployment: &Object, _: &[Object]) -> bool {
    ["operator", "controller"]
        .iter()
        .any(|word| deployment.name().contains(word))
}

fn has_version(deployment: &Object, _: &[Object]) -> bool {
    of_deployment(deployment).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Layout, Manifests};
    use crate::text::Limits;

    fn found(text: &str) -> Option<(String, String)> {
        let mut manifests = Manifests::default();
        manifests.read_file("a.yaml", text.as_bytes(), Layout::Nested, &Limits::default());
        assert!(manifests.diagnostics.is_empty(), "{:?}", manifests.diagnostics);
        version(&manifests.objects)
            .ok()
            .map(|found| (found.version, found.source))
    }

    fn reason(text: &str) -> String {
        let mut manifests = Manifests::default();
        manifests.read_file("a.yaml", text.as_bytes(), Layout::Nested, &Limits::default());
        version(&manifests.objects).unwrap_err().to_string()
    }

    fn deployment(name: &str, account: &str, images: &[(&str, &str)]) -> String {
        let containers: Vec<String> = images
            .iter()
            .map(|(name, image)| format!("{{name: {name}, image: '{image}'}}"))
            .collect();
        format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  template:\n    metadata: \
             {{labels: {{app: {name}}}}}\n    spec: {{serviceAccountName: {account}, containers: [{}]}}\n",
            containers.join(", ")
        )
    }

    const BINDING: &str = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\n\
        subjects: [{kind: ServiceAccount, name: worker, namespace: a}]\n";

    #[test]
    fn the_version_comes_from_the_deployment_whose_account_is_bound() {
        let agent = deployment("agent", "default", &[("agent", "example.com/agent:9.0.0")]);
        let operator = deployment("worker", "worker", &[("worker", "example.com/op:v1.2.0")]);
        let (version, source) = found(&format!("{agent}{operator}{BINDING}")).unwrap();
        assert_eq!(version, "1.2.0");
        assert_eq!(
            source,
            "the tag of container worker of Deployment/worker, the only one whose service account is bound to a role"
        );
        assert_eq!(
            found(&format!("{agent}{}", operator.replace("v1.2.0", "9.0.0")))
                .unwrap()
                .0,
            "9.0.0"
        );
    }

    #[test]
    fn without_a_binding_a_webhook_a_label_or_the_name_identifies_the_operator() {
        let agent = deployment("agent", "a", &[("agent", "example.com/agent:9.0.0")]);
        let server = deployment("server", "b", &[("server", "example.com/op:1.2.0")]);
        assert_eq!(found(&format!("{agent}{server}")), None);
        let webhook = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n\
            metadata: {name: w}\nwebhooks: [{name: w, clientConfig: {service: {name: s}}}]\n\
            ---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {app: server}}\n";
        let labelled = server.replace("labels: {", "labels: {control-plane: x, ");
        let named = server.replace("name: server}", "name: the-operator}");
        for text in [format!("{server}{webhook}"), labelled, named] {
            assert_eq!(found(&format!("{agent}{text}")).unwrap().0, "1.2.0");
        }
    }

    #[test]
    fn a_sidecar_does_not_determine_the_version() {
        let images = [
            ("proxy", "example.com/proxy:v0.15.0"),
            ("manager", "example.com/op:v1.2.0"),
        ];
        let text = deployment("op", "op", &images);
        assert_eq!(found(&text).unwrap().0, "1.2.0");
        assert_eq!(found(&text.replace("name: manager", "name: other")), None);
        let annotated = text.replace("name: manager", "name: other").replace(
            "labels: {",
            "annotations: {kubectl.kubernetes.io/default-container: other}, labels: {",
        );
        assert_eq!(found(&annotated).unwrap().0, "1.2.0");
        let untagged = annotated.replace("op:v1.2.0", "op:latest");
        assert_eq!(found(&untagged), None, "the proxy has a version, the operator none");
        let labelled = untagged.replace(
            "metadata: {name: op}",
            "metadata: {name: op, labels: {app.kubernetes.io/version: v1.3.0}}",
        );
        let (version, source) = found(&labelled).unwrap();
        assert_eq!(
            (version.as_str(), source.as_str()),
            ("1.3.0", "the label app.kubernetes.io/version of Deployment/op")
        );
    }

    #[test]
    fn the_version_of_a_known_sidecar_is_never_used() {
        let sidecar = ("kube-rbac-proxy", "gcr.io/kubebuilder/kube-rbac-proxy:v0.13.1");
        let digest = format!("example.com/op@sha256:{}", "a".repeat(64));
        for image in ["controller:latest", "example.com/op:v1.4", "example.com/op", &digest] {
            for name in ["manager", "any"] {
                let text = deployment("memcached-controller-manager", "a", &[sidecar, (name, image)]);
                assert_eq!(
                    reason(&text),
                    "no image tag of the operator is a version",
                    "{name}: {image}"
                );
            }
        }
        let text = deployment("op", "a", &[sidecar, ("any", "example.com/op:1.2.0")]);
        let (version, source) = found(&text).unwrap();
        assert_eq!(
            (version.as_str(), source.as_str()),
            ("1.2.0", "the tag of container any of Deployment/op")
        );
        let alone = deployment("proxy", "a", &[sidecar]);
        assert_eq!(found(&alone).unwrap().0, "0.13.1", "the only container is the program");
    }

    #[test]
    fn an_operator_deployment_without_a_version_leaves_the_version_open() {
        let agent = deployment("agent", "default", &[("agent", "example.com/agent:9.0.0")]);
        let operator = deployment("worker", "worker", &[("worker", "example.com/op:latest")]);
        let text = format!("{agent}{operator}{BINDING}");
        assert_eq!(reason(&text), "no image tag of the operator is a version");
    }

    #[test]
    fn differing_versions_are_listed_with_their_workloads() {
        let one = deployment("op", "a", &[("op", "example.com/op:1.0.0")]);
        let two = deployment("op-agent", "b", &[("agent", "example.com/op-agent:2.0.0")]);
        assert_eq!(
            reason(&format!("{one}{two}")),
            "the versions in the manifests differ: 1.0.0 is the tag of container op of Deployment/op, 2.0.0 is the tag of \
             container agent of Deployment/op-agent"
        );
        let names = ["a", "b", "c", "d", "e", "f"];
        let images: Vec<String> = (0..6).map(|number| format!("example.com/a:{number}.0.0")).collect();
        let images: Vec<(&str, &str)> = names.into_iter().zip(images.iter().map(String::as_str)).collect();
        let reason = reason(&deployment("many", "a", &images));
        assert!(
            reason.ends_with("3.0.0 is the tag of container d of Deployment/many, and 2 more"),
            "{reason}"
        );
    }
}
