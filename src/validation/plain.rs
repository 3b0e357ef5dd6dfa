//! Rules about `k8s+v1` bundles that the synthesis does not need, but that help authors.

use super::validators::{self, found};
use super::{accounts, content, fields, fixed_names};
use crate::bundle::Bundle;
use crate::bundle::olm_yaml::{ANY_KUBE_VERSION, Olm};
use crate::bundle::versioned_name::version_in_name;
use crate::diagnostic::Diagnostic;
use crate::kubernetes::rbac::{self, PolicyRule};
use crate::kubernetes::removed::removed_in;
use crate::manifest::{Object, of_kind};
use crate::rules::{self, Severity};
use crate::synthesis::hooks;
use crate::synthesis::starter::needed_kube_version;
use crate::synthesis::{Fate, Shipping, Synthesis, role_of, service_account};
use crate::text::Path;
use crate::version::parse_strict;
use semver::Version;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// The annotation and its value that mark a binding as optional: the operator does not require the APIs to which the
/// binding grants access.
const OPTIONAL: (&str, &str) = ("operators.operatorframework.io.bundle.dependency", "optional");
/// The prefix of labels that aggregate a role into other roles; such a role needs no binding.
const AGGREGATED: &str = "rbac.authorization.k8s.io/aggregate-to-";

/// Checks a bundle that will be shipped in the form `shipping`.
pub(super) fn check(bundle: &Bundle, synthesis: &Synthesis, shipping: Shipping, findings: &mut Vec<Diagnostic>) {
    lists(bundle, findings);
    // The rules about CustomResourceDefinitions already check the metadata of CustomResourceDefinitions.
    for object in bundle.objects.iter().filter(|object| !content::is_crd(object)) {
        content::metadata(object, findings);
        findings.extend(content::foreign(object));
    }
    findings.extend(name_and_version(bundle));
    findings.extend(kube_version(bundle));
    findings.extend(removed_apis(bundle));
    fields::check(bundle, findings);
    accounts::check(bundle, findings);
    fixed_names::check(bundle, synthesis, findings);
    bindings(bundle, shipping, findings);
    unbound_roles(bundle, findings);
    api_services(bundle, findings);
    services(bundle, synthesis, findings);
    helm_hooks(synthesis, findings);
}

/// Checks the CustomResourceDefinitions that are shipped, as the API server does. Their author can still correct them,
/// so these checks are not left to the validators, which no build runs.
pub(super) fn definitions(synthesis: &Synthesis, findings: &mut Vec<Diagnostic>) {
    let mut found = Vec::new();
    let kept = |fate: &Fate| matches!(fate, Fate::Kept(_));
    for outcome in synthesis.outcomes.iter().filter(|outcome| kept(&outcome.fate)) {
        validators::definition(&outcome.object, false, &mut found);
    }
    // The synthesis checks the names, from which it infers the owned APIs.
    let said = |finding: &Diagnostic| {
        let mut earlier = synthesis.diagnostics.iter();
        earlier.any(|earlier| earlier.rule == finding.rule && earlier.object == finding.object)
    };
    found.retain(|finding| !said(finding));
    findings.extend(found);
}

/// Reports `List` objects, because not every manifest reader supports them.
fn lists(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let mut seen = BTreeSet::new();
    for object in &bundle.objects {
        let (document, root) = object.document();
        if !root.steps().is_empty() && seen.insert((document.source().name().to_owned(), document.number())) {
            let message = "the objects are in a List".to_owned();
            let finding = Diagnostic::new(&rules::K8S_LIST_OBJECT, message);
            findings.push(finding.at(document.place(&Path::root().key("kind"))));
        }
    }
}

/// Compares name and version, which should match because channels use the name and ranges use the version. A name may
/// omit the build metadata.
fn name_and_version(bundle: &Bundle) -> Option<Diagnostic> {
    let olm = bundle.olm.as_ref()?;
    let text = |key: &str| olm.value().get(key).and_then(Value::as_str);
    let (name, version) = (text("name")?, text("version")?);
    parse_strict(version).ok()?;
    let spelled = version_in_name(name);
    let full = version_in_name(version);
    if [".v", "-v"]
        .iter()
        .any(|sign| spelled.ends_with(&format!("{sign}{full}")))
    {
        return None;
    }
    let without_build = version.split_once('+').map_or(version, |(version, _)| version);
    let (_, end) = name
        .rsplit_once(".v")
        .or_else(|| name.rsplit_once("-v"))
        .unwrap_or_default();
    let spelled = version_in_name(end);
    let rest = spelled.strip_prefix(&version_in_name(without_build));
    if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.'])) {
        return None;
    }
    let message = if end.starts_with(|letter: char| letter.is_ascii_digit()) {
        format!("the name {name} ends in v{end}, but the version is {version}")
    } else {
        format!("the name {name} does not end in v{full}")
    };
    Some(Diagnostic::new(&rules::OLM_NAME_VERSION, message).at(olm.place(&Path::root().key("name"))))
}

/// Returns `minKubeVersion` as written and as a version, if it limits the versions of Kubernetes.
fn min_kube_version(olm: Olm<'_>) -> Option<(&str, Version)> {
    let written = olm.text(&["minKubeVersion"])?;
    let version = parse_strict(written).ok().filter(|_| written != ANY_KUBE_VERSION)?;
    Some((written, version))
}

/// Reports a `minKubeVersion` that does not serve all APIs of the manifests yet: OLM would start an installation that
/// fails.
fn kube_version(bundle: &Bundle) -> Option<Diagnostic> {
    let olm = Olm::new(bundle.olm.as_ref()?);
    let (written, version) = min_kube_version(olm)?;
    let needed = needed_kube_version(&bundle.objects)?;
    if (version.major, version.minor) >= (1, needed.minor) {
        return None;
    }
    let message = format!(
        "minKubeVersion is {written}, but Kubernetes serves {} only since {}",
        needed.object.gvk().api_version(),
        needed.version
    );
    let finding = Diagnostic::new(&rules::OLM_KUBE_VERSION, message).at(olm.place(&Path::from("minKubeVersion")));
    let place = needed.object.place(&Path::from("apiVersion"));
    Some(finding.also(place, format!("{} has this version", needed.object.label())))
}

/// Reports a `minKubeVersion` that no longer serves all APIs of the manifests: the installation fails on every cluster.
fn removed_apis(bundle: &Bundle) -> Option<Diagnostic> {
    let olm = Olm::new(bundle.olm.as_ref()?);
    let (written, version) = min_kube_version(olm)?;
    // Another rule reports old CustomResourceDefinitions.
    let objects = bundle.objects.iter().filter(|object| !content::is_crd(object));
    let removed = objects.filter_map(|object| Some((object, removed_in(object.gvk())?)));
    let mut removed = removed.filter(|(_, minor)| (version.major, version.minor) >= (1, *minor));
    let (first, minor) = removed.next()?;
    let message = format!(
        "minKubeVersion is {written}, but Kubernetes no longer serves {} of {} since 1.{minor}.0",
        first.gvk().kind,
        first.gvk().api_version()
    );
    let mut finding = Diagnostic::new(&rules::OLM_KUBE_VERSION, message).at(olm.place(&Path::from("minKubeVersion")));
    for (object, _) in std::iter::once((first, minor)).chain(removed) {
        let place = object.place(&Path::from("apiVersion"));
        finding = finding.also(
            place,
            format!("{} has the version {}", object.label(), object.gvk().version),
        );
    }
    Some(finding.help("Use API versions that the versions of Kubernetes from minKubeVersion on serve."))
}

/// The service accounts of the operator's pods, each with the namespaces of its Deployments; `None` if a Deployment
/// specifies no namespace.
type OperatorAccounts<'a> = HashMap<&'a str, BTreeSet<Option<&'a str>>>;

fn operator_accounts(bundle: &Bundle) -> OperatorAccounts<'_> {
    let mut accounts = OperatorAccounts::new();
    for deployment in of_kind(&bundle.objects, "apps", "Deployment") {
        let namespaces = accounts.entry(service_account(deployment).0).or_default();
        namespaces.insert(deployment.namespace());
    }
    accounts
}

/// The Roles and ClusterRoles of a bundle by kind and name; the first of several with the same name.
type Roles<'a> = HashMap<(&'a str, &'a str), &'a Object>;

fn roles(bundle: &Bundle) -> Roles<'_> {
    let mut roles = Roles::new();
    for object in bundle.objects.iter().filter(|object| object.gvk().group == rbac::GROUP) {
        roles
            .entry((object.gvk().kind.as_str(), object.name()))
            .or_insert(object);
    }
    roles
}

/// Checks the permissions that the bindings of the operator's accounts grant.
fn bindings(bundle: &Bundle, shipping: Shipping, findings: &mut Vec<Diagnostic>) {
    let mut seen = BTreeSet::new();
    let kinds = ["RoleBinding", "ClusterRoleBinding"];
    let (accounts, roles, own) = (operator_accounts(bundle), roles(bundle), own_resources(bundle));
    for binding in kinds
        .iter()
        .flat_map(|kind| of_kind(&bundle.objects, rbac::GROUP, kind))
    {
        if !is_of_operator(&accounts, binding) {
            continue;
        }
        let (kind, name) = role_of(binding);
        let Some(role) = roles.get(&(kind, name)) else {
            if (kind, name) == ("ClusterRole", rbac::CLUSTER_ADMIN) {
                let message = format!("{} allows the operator to do everything", binding.label());
                let path = Path::from("roleRef.name");
                let mut finding = found(&rules::RBAC_CLUSTER_ADMIN, binding, &path, message);
                if shipping == Shipping::RegistryV1 {
                    finding.severity = Severity::Warning;
                    finding = finding.help("Bind the operator to a role that lists the resources it uses.");
                }
                findings.push(finding);
            }
            continue;
        };
        if seen.insert(role.identity()) {
            wildcard_verbs(role, findings);
        }
        if binding.text(&["metadata", "annotations", OPTIONAL.0]) == Some(OPTIONAL.1) {
            own_apis(&own, binding, role, findings);
        }
    }
}

fn is_of_operator(accounts: &OperatorAccounts<'_>, binding: &Object) -> bool {
    binding.list(&["subjects"]).iter().any(|subject| {
        let text = |key: &str| subject.get(key).and_then(Value::as_str);
        let namespace = text("namespace").or(binding.namespace());
        let homes = text("name").and_then(|name| accounts.get(name));
        text("kind") == Some("ServiceAccount")
            && homes.is_some_and(|homes| namespace.is_none() || homes.contains(&None) || homes.contains(&namespace))
    })
}

/// Returns the group and the plural name of each resource that the bundle defines.
fn own_resources(bundle: &Bundle) -> BTreeSet<(&str, &str)> {
    let definitions = of_kind(&bundle.objects, "apiextensions.k8s.io", "CustomResourceDefinition");
    let named =
        definitions.filter_map(|crd| Some((crd.text(&["spec", "group"])?, crd.text(&["spec", "names", "plural"])?)));
    named.collect()
}

/// Reports wildcards in verbs and non-resource URLs. The format bans only wildcard groups and resources, but wildcard
/// verbs and URLs also grant more than an operator needs.
fn wildcard_verbs(role: &Object, findings: &mut Vec<Diagnostic>) {
    let rules = Path::root().key("rules");
    for (index, rule) in role.list(&["rules"]).iter().enumerate() {
        let rule = PolicyRule(rule);
        let verb = rule.list("verbs").find(|(_, verb)| *verb == "*");
        let url = rule.non_resource_urls().find(|(_, url)| *url == "*");
        let wildcards = [("verbs", "any verb", verb), ("nonResourceURLs", "any path", url)];
        for (list, what, (position, _)) in wildcards
            .into_iter()
            .filter_map(|(list, what, at)| Some((list, what, at?)))
        {
            let message = format!("{} allows the operator {what}", role.label());
            let path = rules.index(index).key(list).index(position);
            let finding = found(&rules::RBAC_WILDCARD_VERB, role, &path, message);
            findings.push(match list {
                "nonResourceURLs" => finding.help("List the paths that the operator uses."),
                _ => finding,
            });
        }
    }
}

/// Reports optional permissions for APIs that the bundle provides.
fn own_apis(own: &BTreeSet<(&str, &str)>, binding: &Object, role: &Object, findings: &mut Vec<Diagnostic>) {
    let owns = |group: &str, resource: &str| own.contains(&(group, rbac::parent_resource(resource)));
    let rules = Path::root().key("rules");
    for (index, rule) in role.list(&["rules"]).iter().enumerate() {
        let rule = PolicyRule(rule);
        let own = rule.resources().find_map(|(position, resource)| {
            rule.api_groups()
                .any(|(_, group)| owns(group, resource))
                .then_some((position, resource))
        });
        if let Some((position, resource)) = own {
            let message = format!("{} is optional, but {resource} belong to this bundle", binding.label());
            let path = rules.index(index).key("resources").index(position);
            let finding = found(&rules::RBAC_OPTIONAL_OWN_API, role, &path, message);
            let annotation = Path::root().key("metadata").key("annotations").key(OPTIONAL.0);
            findings.push(finding.also(binding.place(&annotation), "the binding is optional"));
        }
    }
}

fn unbound_roles(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let kinds = ["RoleBinding", "ClusterRoleBinding"];
    let bindings = kinds
        .into_iter()
        .flat_map(|kind| of_kind(&bundle.objects, rbac::GROUP, kind));
    let named: BTreeSet<(&str, &str)> = bindings.map(role_of).collect();
    let bound = |role: &Object| named.contains(&(role.gvk().kind.as_str(), role.name()));
    for role in ["Role", "ClusterRole"]
        .into_iter()
        .flat_map(|kind| of_kind(&bundle.objects, rbac::GROUP, kind))
    {
        let labels = role.map(&["metadata", "labels"]);
        let aggregated = labels.is_some_and(|labels| labels.keys().any(|key| key.starts_with(AGGREGATED)));
        if !aggregated && !bound(role) {
            let message = format!("no binding refers to {}, so it is shipped unchanged", role.label());
            let name = Path::root().key("metadata").key("name");
            findings.push(found(&rules::RBAC_UNBOUND_ROLE, role, &name, message));
        }
    }
}

fn api_services(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    let mut defined: HashMap<(&str, &str), &Object> = HashMap::new();
    for crd in of_kind(&bundle.objects, "apiextensions.k8s.io", "CustomResourceDefinition") {
        let versions = crd.list(&["spec", "versions"]).iter();
        let names = versions.filter_map(|version| version.get("name").and_then(Value::as_str));
        if let Some(group) = crd.text(&["spec", "group"]) {
            for name in names {
                defined.entry((group, name)).or_insert(crd);
            }
        }
    }
    for service in of_kind(&bundle.objects, "apiregistration.k8s.io", "APIService") {
        let text = |key: &str| service.text(&["spec", key]).unwrap_or_default();
        let (group, version) = (text("group"), text("version"));
        let name = format!("{version}.{group}");
        if service.name() != name {
            let message = format!(
                "the APIService for {version} of {group} is named {} instead of {name}",
                service.name()
            );
            let path = Path::root().key("metadata").key("name");
            let finding = found(&rules::APISERVICE_NAME, service, &path, message);
            findings.push(finding.help(format!("Name it {name}.")));
        }
        if let Some(crd) = defined.get(&(group, version)) {
            let message = format!("{version} of {group} comes from both an APIService and {}", crd.label());
            let finding = found(
                &rules::CRD_PROVIDED_CLASH,
                service,
                &Path::root().key("spec").key("group"),
                message,
            );
            findings.push(finding.also(
                crd.place(&Path::root().key("spec").key("group")),
                "the other definition",
            ));
        }
    }
}

/// Reports Services that neither a webhook nor an APIService refers to.
fn services(bundle: &Bundle, synthesis: &Synthesis, findings: &mut Vec<Diagnostic>) {
    let referred: BTreeSet<&str> = bundle.objects.iter().flat_map(referred_services).collect();
    for outcome in &synthesis.outcomes {
        let service = &outcome.object;
        let kept = matches!(outcome.fate, Fate::Kept(_)) && service.gvk().is("", "Service");
        if kept && !referred.contains(service.name()) {
            let message = format!(
                "neither a webhook nor an APIService refers to {}, so it is shipped unchanged",
                service.label()
            );
            let name = Path::root().key("metadata").key("name");
            findings.push(found(&rules::SERVICE_UNPROJECTED, service, &name, message));
        }
    }
}

/// Reports Helm hooks that OLM installs.
fn helm_hooks(synthesis: &Synthesis, findings: &mut Vec<Diagnostic>) {
    let installed = synthesis.outcomes.iter();
    let installed = installed.filter(|outcome| !matches!(outcome.fate, Fate::Dropped));
    for object in installed
        .map(|outcome| &outcome.object)
        .filter(|object| hooks::is_hook(object))
    {
        let message = format!(
            "{} is a hook of Helm ({}), but OLM runs no hooks, so it installs the object permanently",
            object.label(),
            hooks::moments(object).unwrap_or_default()
        );
        let path = Path::from("metadata.annotations").key(hooks::HOOK);
        findings.push(found(&rules::K8S_HELM_HOOK, object, &path, message));
    }
}

fn referred_services(object: &Object) -> Vec<&str> {
    let webhooks = object.list(&["webhooks"]).iter();
    let admission = webhooks.filter_map(|webhook| webhook.pointer("/clientConfig/service/name")?.as_str());
    let conversion = object.text(&["spec", "conversion", "webhook", "clientConfig", "service", "name"]);
    let aggregated = object.text(&["spec", "service", "name"]);
    admission.chain(conversion).chain(aggregated).collect()
}
