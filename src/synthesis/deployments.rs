//! Turns Deployments into the install strategy. Their service accounts determine the relevant RBAC.

use super::Work;
use super::annotated;
use super::draft::Origin;
use super::fate::Fate;
use super::inventory::{POD_LABELS, same_namespace};
use super::watching::{TARGET_NAMESPACES, WATCH_NAMESPACE, field_of, is_own_namespace};
use crate::diagnostic::Diagnostic;
use crate::kubernetes::{names, selector};
use crate::manifest::Object;
use crate::olm::install_mode::{ALL_NAMESPACES, OWN_NAMESPACE};
use crate::rules;
use crate::text::Path;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The service accounts of the bundle's Deployments, and those that `olm.yaml` adds.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    /// The Deployments that use each account, by account name.
    pub(super) of_deployments: BTreeMap<String, Vec<usize>>,
    /// Accounts in `extraServiceAccounts`, with their positions in this list.
    pub(super) extra: BTreeMap<String, usize>,
    /// The namespace of the Deployments, if they specify a namespace.
    pub(super) namespace: Option<String>,
}

impl Accounts {
    /// Whether OLM creates this account because the CSV names it.
    pub(super) fn is_projected(&self, name: &str) -> bool {
        self.of_deployments.contains_key(name) || self.extra.contains_key(name)
    }

    /// Whether the bundle uses an account with this name, in the namespace of the Deployments.
    pub(super) fn matches(&self, name: &str, namespace: Option<&str>) -> bool {
        self.is_projected(name) && same_namespace(self.namespace.as_deref(), namespace)
    }
}

/// Returns the account of a Deployment's pods, and the path of the field that specifies the account.
pub(crate) fn service_account(deployment: &Object) -> (&str, Path) {
    named_account(deployment.value())
        .unwrap_or_else(|| ("default", Path::root().key("spec").key("template").key("spec")))
}

/// Returns the service account that the pods of a Deployment, or of an entry of the install strategy, name, and its
/// path.
pub(crate) fn named_account(deployment: &Value) -> Option<(&str, Path)> {
    ["serviceAccountName", "serviceAccount"].into_iter().find_map(|field| {
        let path = Path::root().key("spec").key("template").key("spec").key(field);
        let name = path.get(deployment)?.as_str()?;
        (!name.is_empty()).then_some((name, path))
    })
}

/// Returns the labels of a Deployment's pods.
pub(super) fn pod_labels(deployment: &Object) -> serde_json::Map<String, Value> {
    deployment.map(&POD_LABELS).cloned().unwrap_or_default()
}

/// Writes the install strategy.
pub(super) fn project(work: &mut Work<'_>) -> Accounts {
    let strategy = Path::root().key("spec").key("install");
    work.draft.constant(&strategy.key("strategy"), crate::csv::STRATEGY);
    let list = strategy.key("spec").key("deployments");
    let deployments = work.inventory.of("apps", "Deployment");
    let mut accounts = extra_accounts(work);
    let mut position = 0;
    let mut names: BTreeMap<&str, &Object> = BTreeMap::new();
    let mut by_name = deployments.clone();
    by_name.sort_by_key(|index| work.inventory.object(*index).name());
    for index in by_name {
        let deployment = work.inventory.object(index);
        work.inventory
            .decide(index, Fate::Projected, "becomes part of the install strategy");
        if let Some(first) = names.insert(deployment.name(), deployment) {
            let message = format!("two Deployments have the name {}", deployment.name());
            let finding = Diagnostic::new(&rules::DEPLOYMENT_DUPLICATE, message).object(deployment.label());
            work.report(
                finding
                    .at(deployment.name_place())
                    .also(first.name_place(), "it first appears here"),
            );
            continue;
        }
        if let Some(api_version) = deployment.text(&["apiVersion"]).filter(|version| *version != "apps/v1") {
            old_api(work, deployment, api_version);
        }
        write_entry(work, deployment, &list.index(position));
        position += 1;
        look_at(work, deployment);
        let (account, _) = service_account(deployment);
        accounts
            .of_deployments
            .entry(account.to_owned())
            .or_default()
            .push(index);
    }
    for index in work.inventory.of("extensions", "Deployment") {
        let deployment = work.inventory.object(index);
        old_api(work, deployment, "extensions/v1beta1");
        work.inventory
            .decide(index, Fate::Projected, "becomes part of the install strategy");
    }
    if deployments.is_empty() && work.inventory.of("extensions", "Deployment").is_empty() {
        let message = format!("the manifests contain no Deployment (apps/v1){}", kinds_by_file(work));
        work.report(Diagnostic::new(&rules::K8S_DEPLOYMENT_MISSING, message));
    }
    accounts.namespace = common_namespace(work, &deployments);
    accounts
}

/// Lists the kinds in each file, with a leading colon; empty if there are none.
fn kinds_by_file(work: &Work<'_>) -> String {
    const SHOWN: usize = 5;
    let mut files: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for object in work.inventory.objects() {
        files
            .entry(object.file())
            .or_default()
            .insert(object.gvk().kind.clone());
    }
    let mut listed: Vec<String> = files
        .iter()
        .take(SHOWN)
        .map(|(file, kinds)| {
            format!(
                "{file} contains {}",
                kinds.iter().cloned().collect::<Vec<_>>().join(", ")
            )
        })
        .collect();
    if files.len() > SHOWN {
        listed.push(match files.len() - SHOWN {
            1 => "and 1 more file".to_owned(),
            more => format!("and {more} more files"),
        });
    }
    if listed.is_empty() {
        String::new()
    } else {
        format!(": {}", listed.join("; "))
    }
}

fn extra_accounts(work: &mut Work<'_>) -> Accounts {
    let listed = work.olm.list(&["extraServiceAccounts"]);
    let names = listed.iter().enumerate();
    Accounts {
        extra: names
            .filter_map(|(index, name)| Some((name.as_str()?.to_owned(), index)))
            .collect(),
        ..Accounts::default()
    }
}

fn old_api(work: &mut Work<'_>, deployment: &Object, api_version: &str) {
    let message = format!("{} uses {api_version} instead of apps/v1", deployment.label());
    let finding = Diagnostic::new(&rules::K8S_OLD_API, message).object(deployment.label());
    work.report(finding.at(deployment.place(&Path::root().key("apiVersion"))));
}

fn write_entry(work: &mut Work<'_>, deployment: &Object, entry: &Path) {
    let from = |path: Path| Origin::object(deployment, &path);
    let metadata = Path::root().key("metadata");
    work.draft.copy(&entry.key("name"), from(metadata.key("name")));
    if deployment
        .map(&["metadata", "labels"])
        .is_some_and(|labels| !labels.is_empty())
    {
        work.draft.copy(&entry.key("label"), from(metadata.key("labels")));
    }
    work.draft.copy(&entry.key("spec"), from(Path::root().key("spec")));
    let pod = ["spec", "template", "spec"];
    let (account, path) = service_account(deployment);
    if deployment.text(&[&pod[..], &["serviceAccountName"]].concat()).is_none() && account != "default" {
        // OLM reads only `serviceAccountName` when it grants access to certificates.
        let field = entry.key("spec").key("template").key("spec").key("serviceAccountName");
        let origin = from(path).derived("the deprecated field serviceAccount");
        work.draft.put(&field, account, [origin]);
    }
}

/// Reports the parts of a Deployment that are lost or will not work.
fn look_at(work: &mut Work<'_>, deployment: &Object) {
    if !names::is_dns1123_subdomain(deployment.name()) {
        let message = format!("{:?} is not a valid Deployment name", deployment.name());
        let finding = Diagnostic::new(&rules::DEPLOYMENT_NAME, message).object(deployment.label());
        work.report(finding.at(deployment.name_place()));
    }
    let metadata = Path::root().key("metadata");
    if deployment
        .map(&["metadata", "annotations"])
        .is_some_and(|map| map.keys().any(|key| !annotated::is_about_bundle(key)))
    {
        let message = format!(
            "the annotations of {} are lost, because a CSV has no field for them",
            deployment.label()
        );
        let finding = Diagnostic::new(&rules::DEPLOYMENT_ANNOTATIONS, message).object(deployment.label());
        work.report(finding.at(deployment.key_place(&metadata.key("annotations"))));
    }
    let wanted = deployment.map(&["spec", "selector", "matchLabels"]);
    if wanted.is_some_and(|wanted| !selector::contains_all(&pod_labels(deployment), wanted)) {
        let message = format!("the selector of {} does not select its own pods", deployment.label());
        let finding = Diagnostic::new(&rules::DEPLOYMENT_SELECTOR, message).object(deployment.label());
        let path = Path::root().key("spec").key("selector");
        let labels = Path::root().key("spec").key("template").key("metadata").key("labels");
        let place = deployment.place(&path.key("matchLabels"));
        work.report(
            finding
                .at(place)
                .also(deployment.place(&labels), "the labels of the pods"),
        );
    }
    for (container, path) in containers(deployment.value()) {
        watch_namespace(work, deployment, container, &path);
    }
}

/// Returns the containers of a Deployment with their paths, init containers last.
pub(super) fn containers(deployment: &Value) -> Vec<(&Value, Path)> {
    let pod = Path::root().key("spec").key("template").key("spec");
    let spec = deployment.pointer("/spec/template/spec");
    ["containers", "initContainers"]
        .into_iter()
        .flat_map(|field| {
            let list = spec.and_then(|spec| spec.get(field)).and_then(Value::as_array);
            let path = pod.key(field);
            list.into_iter()
                .flatten()
                .enumerate()
                .map(move |(index, container)| (container, path.index(index)))
        })
        .collect()
}

/// Whether a variable that selects the namespaces to watch selects those of the OperatorGroup in each supported install
/// mode. Another rule reports a fixed namespace of the operator.
fn follows_operator_group(work: &Work<'_>, deployment: &Object, variable: &Value) -> bool {
    if field_of(variable) == Some(TARGET_NAMESPACES) {
        return true;
    }
    let modes = work.olm.list(&["installModes"]).iter();
    let supported = modes.filter(|mode| mode.get("supported") == Some(&Value::Bool(true)));
    let kinds: BTreeSet<&str> = supported
        .filter_map(|mode| mode.get("type").and_then(Value::as_str))
        .collect();
    let only = |kind: &str| kinds.len() == 1 && kinds.contains(kind);
    let value = variable.get("value").and_then(Value::as_str);
    let selects_all = value.is_none_or(str::is_empty) && variable.get("valueFrom").is_none();
    only(ALL_NAMESPACES) && selects_all || only(OWN_NAMESPACE) && is_own_namespace(deployment, variable)
}

fn watch_namespace(work: &mut Work<'_>, deployment: &Object, container: &Value, path: &Path) {
    let variables = container.get("env").and_then(Value::as_array);
    for (index, variable) in variables.into_iter().flatten().enumerate() {
        if variable.get("name").and_then(Value::as_str) != Some(WATCH_NAMESPACE) {
            continue;
        }
        if !follows_operator_group(work, deployment, variable) {
            let message = format!(
                "{WATCH_NAMESPACE} of {} does not follow the OperatorGroup",
                deployment.label()
            );
            let finding = Diagnostic::new(&rules::DEPLOYMENT_WATCH_NAMESPACE, message).object(deployment.label());
            work.report(finding.at(deployment.place(&path.key("env").index(index))));
        }
    }
}

fn common_namespace(work: &mut Work<'_>, deployments: &[usize]) -> Option<String> {
    let mut named = deployments
        .iter()
        .map(|index| work.inventory.object(*index))
        .filter(|deployment| deployment.namespace().is_some());
    let first = named.next()?;
    let other = named.find(|deployment| deployment.namespace() != first.namespace());
    if let Some(other) = other {
        let namespace = Path::root().key("metadata").key("namespace");
        let message = "the Deployments are in more than one namespace, but a CSV installs into only one namespace";
        let finding = Diagnostic::new(&rules::K8S_NAMESPACES, message).object(other.label());
        let place = other.place(&namespace);
        work.report(
            finding
                .at(place)
                .also(first.place(&namespace), "this Deployment is in another namespace"),
        );
    }
    first.namespace().map(str::to_owned)
}
