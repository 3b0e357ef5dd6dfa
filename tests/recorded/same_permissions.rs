//! The permissions of the accounts of published operators after OLM installed the bundle, compared with those after
//! `kubectl apply` of the raw manifests.

use super::synthesis::bundle_tree;
use crate::compared::compare;
use opmx::diagnostic::Diagnostic;
use opmx::install::content;
use opmx::text::{self, Limits};
use opmx::tree::{Tree, TreeLimits};
use serde_json::Value;
use std::collections::BTreeSet;

const ANNOTATIONS: &str = "annotations:\n  operators.operatorframework.io.bundle.channels.v1: alpha\n  operators.operatorframework.io.bundle.manifests.v1: manifests/\n  operators.operatorframework.io.bundle.mediatype.v1: k8s+v1\n  operators.operatorframework.io.bundle.metadata.v1: metadata/\n  operators.operatorframework.io.bundle.package.v1: op\n";

/// Operator, account, place, a permission it has after `kubectl apply` but not after OLM, and the reason.
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

#[test]
fn operators_installed_by_olm_have_the_permissions_of_kubectl_apply() {
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
        let raw = objects(&case);
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
        let compared = compare(raw, &content);
        accounts += compared.accounts;
        for [account, place, what] in compared.applied {
            if !known.remove(&[name.clone(), account.clone(), place.clone(), what.clone()]) {
                differences.push(format!("{name} {account} only after apply, in {place}: {what}"));
            }
        }
        for [account, place, what] in compared.through_olm {
            differences.push(format!("{name} {account} only after OLM, in {place}: {what}"));
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
