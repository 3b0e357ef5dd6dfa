//! The permissions of accounts after OLM installed a bundle, compared with those after `kubectl apply` of the raw
//! manifests.
//!
//! Both are computed with `kubernetes::rbac`, from the raw manifests and from the objects of the install plan in the
//! namespace of the Deployments, with an OperatorGroup for that namespace only. Objects that OLM creates later, once
//! the ClusterServiceVersion exists, are not included.

use opmx::kubernetes::rbac::Rule;
use opmx::kubernetes::rbac::account::{Account, Grants, grants};
use opmx::kubernetes::rbac::covering::{compact, uncovered};
use opmx::steps::{Content, Repetition, Target, of_bundle};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A permission that an account has on only one of the two sides: account, place, permission.
pub(crate) type Difference = [String; 3];

/// The differences between the permissions of the accounts of the operator's Deployments.
pub(crate) struct Compared {
    /// The accounts.
    pub(crate) accounts: usize,
    /// Permissions only after `kubectl apply`.
    pub(crate) applied: Vec<Difference>,
    /// Permissions only after OLM.
    pub(crate) through_olm: Vec<Difference>,
}

/// Built-in roles that bindings of published operators refer to.
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

/// The namespace of the Deployments, or if they have none, that of the subjects.
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

/// The permissions of one side that the other lacks: place and single permission.
fn beyond(more: &Grants, less: &Grants) -> BTreeSet<(String, String)> {
    let mut beyond = BTreeSet::new();
    let mut look = |place: Option<&str>, rules: &[Rule]| {
        let held = less.within(place);
        for rule in compact(&uncovered(&held, rules).unwrap()) {
            for verb in &rule.verbs {
                beyond.insert((place.unwrap_or("(all)").to_owned(), shown(&rule, verb)));
            }
        }
    };
    look(None, &more.cluster);
    for (namespace, rules) in &more.namespaces {
        look(Some(namespace), rules);
    }
    beyond
}

fn shown(rule: &Rule, verb: &str) -> String {
    let what = [
        &rule.api_groups[..],
        &rule.resources,
        &rule.resource_names,
        &rule.non_resource_urls,
    ]
    .concat();
    format!("{verb} {}", what.join("/"))
}

/// The verbs that requests can have, as known to the tests.
const VERBS: [&str; 8] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
];

/// The resources defined by raw manifests, with their subresources, by group.
fn own_resources(raw: &[Value]) -> BTreeMap<&str, Vec<String>> {
    let mut own: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for crd in raw.iter().filter(|object| object["kind"] == "CustomResourceDefinition") {
        let spec = &crd["spec"];
        let plural = spec["names"]["plural"].as_str().unwrap();
        let of_group = own.entry(spec["group"].as_str().unwrap()).or_default();
        of_group.extend([plural.to_owned(), format!("{plural}/finalizers")]);
        for version in spec["versions"].as_array().unwrap() {
            let declared = version["subresources"].as_object().into_iter().flatten();
            of_group.extend(declared.map(|(name, _)| format!("{plural}/{name}")));
        }
    }
    own
}

/// The rules of roles, with wildcards in groups of `own` expanded to single permissions. The rest of such a rule is
/// kept.
fn named(rules: &Value, own: &BTreeMap<&str, Vec<String>>) -> Value {
    let has = |rule: &Value, field: &str| rule[field].as_array().is_some_and(|list| list.contains(&json!("*")));
    let mut named = Vec::new();
    for rule in rules.as_array().into_iter().flatten() {
        let groups = rule["apiGroups"].as_array().cloned().unwrap_or_default();
        let is_own = |group: &Value| group.as_str().is_some_and(|group| own.contains_key(group));
        let (owned, others): (Vec<Value>, Vec<Value>) = groups.into_iter().partition(is_own);
        if owned.is_empty() || !(has(rule, "resources") || has(rule, "verbs")) {
            named.push(rule.clone());
            continue;
        }
        for group in owned {
            let mut one = rule.clone();
            if has(rule, "resources") {
                one["resources"] = json!(own[group.as_str().unwrap()]);
            }
            if has(rule, "verbs") {
                one["verbs"] = json!(VERBS);
            }
            one["apiGroups"] = json!([group]);
            named.push(one);
        }
        if !others.is_empty() {
            let mut rest = rule.clone();
            rest["apiGroups"] = others.into();
            named.push(rest);
        }
    }
    named.into()
}

/// Compares the permissions of the accounts of the Deployments. Wildcards count as what they grant on the kinds of the
/// bundle.
pub(crate) fn compare(mut raw: Vec<Value>, content: &Content) -> Compared {
    let namespace = namespace_of(&raw);
    let definitions = raw.clone();
    let own = own_resources(&definitions);
    for object in &mut raw {
        // What names no namespace goes where `kubectl apply -n` says.
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.entry("namespace").or_insert_with(|| namespace.as_str().into());
    }
    raw.extend(of_every_cluster());
    let namespace = namespace.as_str();
    let target = Target {
        namespace: namespace.to_owned(),
        catalog: String::new(),
        catalog_namespace: String::new(),
        repetition: Repetition::Once,
        ..Target::default()
    };
    let steps = of_bundle(content, &target, "").unwrap().into_iter();
    let installed = steps.map(|step| {
        let mut object = step.resource.manifest;
        // Objects of generated steps have no type of their own.
        object["apiVersion"] = format!("{}/{}", step.resource.group, step.resource.version).into();
        object["kind"] = step.resource.kind.as_str().into();
        if ["Role", "RoleBinding"].contains(&step.resource.kind.as_str()) {
            object["metadata"]["namespace"] = namespace.into();
        }
        object
    });
    let mut installed: Vec<Value> = installed.chain(of_every_cluster()).collect();
    for object in raw.iter_mut().chain(&mut installed) {
        if ["Role", "ClusterRole"].iter().any(|kind| object["kind"] == *kind) && !object["rules"].is_null() {
            object["rules"] = named(&object["rules"], &own);
        }
    }
    let deployments = raw.iter().filter(|object| object["kind"] == "Deployment");
    let names: BTreeSet<&str> = deployments
        .map(|deployment| {
            let pod = &deployment["spec"]["template"]["spec"];
            ["serviceAccountName", "serviceAccount"]
                .iter()
                .find_map(|field| pod[*field].as_str())
                .unwrap_or("default")
        })
        .collect();
    let mut compared = Compared {
        accounts: names.len(),
        applied: Vec::new(),
        through_olm: Vec::new(),
    };
    for name in names {
        let account = Account {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let (applied, _) = grants(&raw, &account);
        let (through_olm, _) = grants(&installed, &account);
        let of = |found: BTreeSet<(String, String)>| {
            let found = found.into_iter();
            found.map(|(place, what)| [name.to_owned(), place, what])
        };
        compared.applied.extend(of(beyond(&applied, &through_olm)));
        compared.through_olm.extend(of(beyond(&through_olm, &applied)));
    }
    compared
}
