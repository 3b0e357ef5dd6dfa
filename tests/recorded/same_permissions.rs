//! What the accounts of real operators may do after OLM installed the bundle, beside what they may do after
//! `kubectl apply` of the raw manifests.
//!
//! Both are computed with `kubernetes::rbac`: from the raw manifests as they are, and from the objects of the install plan
//! in the namespace of the Deployments, with an OperatorGroup of that namespace alone. What OLM creates later, once the
//! ClusterServiceVersion is there, is not among them.

use super::synthesis::bundle_tree;
use opmx::diagnostic::Diagnostic;
use opmx::install::content;
use opmx::kubernetes::rbac::Rule;
use opmx::kubernetes::rbac::account::{Account, Grants, grants};
use opmx::kubernetes::rbac::covering::{atoms, covers};
use opmx::steps::{Repetition, Target, of_bundle};
use opmx::text::{self, Limits};
use opmx::tree::{Tree, TreeLimits};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const ANNOTATIONS: &str = "annotations:\n  operators.operatorframework.io.bundle.channels.v1: alpha\n  operators.operatorframework.io.bundle.manifests.v1: manifests/\n  operators.operatorframework.io.bundle.mediatype.v1: k8s+v1\n  operators.operatorframework.io.bundle.metadata.v1: metadata/\n  operators.operatorframework.io.bundle.package.v1: op\n";

/// Operator, account, where, what it holds after `kubectl apply` and not after OLM, and why.
const LOST: &[(&str, &str, &str, &str, &str)] = &[
    (
        "metrics-server",
        "metrics-server",
        "(all)",
        "create authentication.k8s.io/tokenreviews",
        DELEGATOR,
    ),
    (
        "metrics-server",
        "metrics-server",
        "(all)",
        "create authorization.k8s.io/subjectaccessreviews",
        DELEGATOR,
    ),
    (
        "metrics-server",
        "metrics-server",
        "kube-system",
        "get /configmaps/extension-apiserver-authentication",
        READER,
    ),
    (
        "metrics-server",
        "metrics-server",
        "kube-system",
        "list /configmaps/extension-apiserver-authentication",
        READER,
    ),
    (
        "metrics-server",
        "metrics-server",
        "kube-system",
        "watch /configmaps/extension-apiserver-authentication",
        READER,
    ),
];

const DELEGATOR: &str =
    "the binding is left out: for an APIService, OLM binds system:auth-delegator itself once the version is there";
const READER: &str =
    "the binding is left out: for an APIService, OLM binds extension-apiserver-authentication-reader itself";

fn objects(case: &std::path::Path) -> Vec<Value> {
    let tree = Tree::from_directory(&case.join("raw"), &TreeLimits::default()).unwrap();
    let documents = tree
        .iter()
        .flat_map(|(path, content)| text::read(path, content, &Limits::default()).documents);
    documents
        .flat_map(|document| match document.value()["items"].as_array() {
            Some(items) => items.clone(),
            None => vec![document.value().clone()],
        })
        .collect()
}

/// Roles that every cluster has and that bindings of the corpus name.
fn of_every_cluster() -> Vec<Value> {
    let version = "rbac.authorization.k8s.io/v1";
    vec![
        json!({"apiVersion": version, "kind": "ClusterRole", "metadata": {"name": "system:auth-delegator"}, "rules": [
            {"apiGroups": ["authentication.k8s.io"], "resources": ["tokenreviews"], "verbs": ["create"]},
            {"apiGroups": ["authorization.k8s.io"], "resources": ["subjectaccessreviews"], "verbs": ["create"]}]}),
        json!({"apiVersion": version, "kind": "Role", "rules": [{"apiGroups": [""], "resources": ["configmaps"],
            "resourceNames": ["extension-apiserver-authentication"], "verbs": ["get", "list", "watch"]}],
            "metadata": {"name": "extension-apiserver-authentication-reader", "namespace": "kube-system"}}),
    ]
}

/// The namespace of the Deployments, or where they name none, that of the subjects.
fn namespace_of(objects: &[Value]) -> String {
    let deployments = objects.iter().filter(|object| object["kind"] == "Deployment");
    let subjects = objects
        .iter()
        .flat_map(|object| object["subjects"].as_array().into_iter().flatten());
    let own = deployments.filter_map(|deployment| deployment["metadata"]["namespace"].as_str());
    let found = own
        .chain(subjects.filter_map(|subject| subject["namespace"].as_str()))
        .next();
    found.unwrap_or("default").to_owned()
}

/// What one side holds and the other does not: where, and each atom of a rule.
fn beyond(more: &Grants, less: &Grants) -> BTreeSet<(String, String)> {
    let mut beyond = BTreeSet::new();
    let mut look = |place: Option<&str>, rules: &[Rule]| {
        let held = less.within(place);
        for atom in rules.iter().flat_map(atoms).filter(|atom| !covers(&held, [atom])) {
            beyond.insert((place.unwrap_or("(all)").to_owned(), shown(&atom)));
        }
    };
    look(None, &more.cluster);
    for (namespace, rules) in &more.namespaces {
        look(Some(namespace), rules);
    }
    beyond
}

fn shown(rule: &Rule) -> String {
    let what = [
        &rule.api_groups[..],
        &rule.resources,
        &rule.resource_names,
        &rule.non_resource_urls,
    ]
    .concat();
    format!("{} {}", rule.verbs.join(","), what.join("/"))
}

#[test]
fn operators_hold_after_olm_what_they_hold_after_apply() {
    let Some(folder) = crate::shared::folder("corpus/k8sv1") else {
        return;
    };
    let mut folders: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    let (mut operators, mut accounts, mut refused) = (0, 0, Vec::new());
    let mut known: BTreeSet<_> = LOST
        .iter()
        .map(|(name, account, place, what, _)| [*name, *account, *place, *what].map(str::to_owned))
        .collect();
    let mut differences = Vec::new();
    for case in folders.into_iter().filter(|path| path.is_dir()) {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        operators += 1;
        let mut raw: Vec<Value> = objects(&case).into_iter().chain(of_every_cluster()).collect();
        let mut tree = bundle_tree(&case);
        tree.insert("metadata/annotations.yaml", ANNOTATIONS.into(), &TreeLimits::default())
            .unwrap();
        let content = match content::of_files(&tree, None, &Limits::default()) {
            Ok((content, _)) => content,
            Err(error) => {
                let opmx::install::content::ContentError::Intake(error) = error else {
                    panic!("{name}: {error}")
                };
                refused.push(format!("{name}: {}", rules(&error)));
                continue;
            }
        };
        let namespace = namespace_of(&raw);
        for object in &mut raw {
            // What names no namespace goes where `kubectl apply -n` says.
            let metadata = object["metadata"].as_object_mut().unwrap();
            metadata.entry("namespace").or_insert_with(|| namespace.as_str().into());
        }
        let namespace = namespace.as_str();
        let deployments: Vec<&Value> = raw.iter().filter(|object| object["kind"] == "Deployment").collect();
        let target = Target {
            namespace: namespace.to_owned(),
            catalog: String::new(),
            catalog_namespace: String::new(),
            repetition: Repetition::Once,
            ..Target::default()
        };
        let installed: Vec<Value> = of_bundle(&content, &target, "")
            .unwrap()
            .into_iter()
            .map(|step| {
                let mut object = step.resource.manifest;
                // Objects of generated steps have no type of their own.
                object["apiVersion"] = format!("{}/{}", step.resource.group, step.resource.version).into();
                object["kind"] = step.resource.kind.as_str().into();
                if ["Role", "RoleBinding"].contains(&step.resource.kind.as_str()) {
                    object["metadata"]["namespace"] = namespace.into();
                }
                object
            })
            .chain(of_every_cluster())
            .collect();
        let names: BTreeSet<&str> = deployments
            .iter()
            .map(|deployment| {
                let pod = &deployment["spec"]["template"]["spec"];
                ["serviceAccountName", "serviceAccount"]
                    .iter()
                    .find_map(|field| pod[*field].as_str())
                    .unwrap_or("default")
            })
            .collect();
        for account_name in names {
            accounts += 1;
            let account = Account {
                namespace: namespace.to_owned(),
                name: account_name.to_owned(),
            };
            let (applied, _) = grants(&raw, &account);
            let (through_olm, _) = grants(&installed, &account);
            assert!(
                !applied.cluster.is_empty() || !applied.namespaces.is_empty(),
                "{name}: {account_name} holds nothing"
            );
            for (place, what) in beyond(&applied, &through_olm) {
                if !known.remove(&[name.clone(), account_name.to_owned(), place.clone(), what.clone()]) {
                    differences.push(format!("{name} {account_name} only after apply, in {place}: {what}"));
                }
            }
            for (place, what) in beyond(&through_olm, &applied) {
                differences.push(format!("{name} {account_name} only after OLM, in {place}: {what}"));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(known.is_empty(), "no longer so: {known:?}");
    assert_eq!(refused, ["grafana-operator: rbac-wildcard"]);
    assert_eq!(operators, 10);
    println!(
        "{accounts} accounts of {operators} operators, {} differences with a reason",
        LOST.len()
    );
}

fn rules(error: &opmx::index::intake::IntakeError) -> String {
    let opmx::index::intake::IntakeError::Findings { diagnostics, .. } = error else {
        panic!("{error}");
    };
    let errors: BTreeSet<&str> = diagnostics
        .iter()
        .filter(|finding| Diagnostic::is_error(finding))
        .map(|finding| finding.rule.id)
        .collect();
    errors.into_iter().collect::<Vec<_>>().join(", ")
}
