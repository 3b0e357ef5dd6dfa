//! The synthesis does not depend on the order of its input, except for the rules inside a role.

use opmx::bundle::{self, OLM_YAML};
use opmx::synthesis::{Fate, Outcome, synthesize};
use opmx::text::{self, Limits};
use opmx::tree::{Tree, TreeLimits};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Pseudo-random numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// The value with reordered keys at every depth; lists are unchanged, because their order can be significant.
fn shuffled(value: &Value, random: &mut Random) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            let mut out = Map::new();
            while !entries.is_empty() {
                let (key, value) = entries.swap_remove(random.below(entries.len()));
                out.insert(key.clone(), shuffled(value, random));
            }
            Value::Object(out)
        }
        Value::Array(list) => list.iter().map(|item| shuffled(item, random)).collect(),
        other => other.clone(),
    }
}

/// The objects of a bundle and its `olm.yaml`.
struct Parts {
    objects: Vec<Value>,
    olm: Value,
}

impl Parts {
    fn read(manifests: &Path, olm: &Path) -> Self {
        let read = |name: &str, content: &[u8]| text::read(name, content, &Limits::default()).documents;
        let tree = Tree::from_directory(manifests, &TreeLimits::default()).unwrap();
        let documents = tree.iter().flat_map(|(path, content)| read(path, content));
        Self {
            objects: documents.map(|document| document.value().clone()).collect(),
            olm: read(OLM_YAML, &std::fs::read(olm).unwrap())[0].value().clone(),
        }
    }

    /// Everything in one file, in the original order.
    fn in_order(&self) -> Tree {
        let texts: Vec<String> = self.objects.iter().map(text::to_yaml).collect();
        let mut tree = Tree::new("in order");
        insert(&mut tree, "manifests/all.yaml", texts.join("---\n"));
        insert(&mut tree, OLM_YAML, text::to_yaml(&self.olm));
        tree
    }

    /// The same in differently named files, with reordered documents and keys, as documents, Lists and JSON.
    fn scattered(&self, random: &mut Random) -> Tree {
        let mut objects = self.objects.clone();
        let count = 1 + random.below(objects.len());
        let mut files = vec![Vec::new(); count];
        while !objects.is_empty() {
            let object = objects.swap_remove(random.below(objects.len()));
            files[random.below(count)].push(shuffled(&object, random));
        }
        let mut tree = Tree::new("scattered");
        insert(&mut tree, OLM_YAML, text::to_yaml(&shuffled(&self.olm, random)));
        for (number, objects) in files.iter().enumerate().filter(|(_, objects)| !objects.is_empty()) {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
            let (extension, text) = match random.below(3) {
                0 => ("json", list.to_string()),
                1 => ("yml", text::to_yaml(&list)),
                _ => (
                    "yaml",
                    objects.iter().map(text::to_yaml).collect::<Vec<_>>().join("---\n"),
                ),
            };
            let folder = random.one_of(&["", "a/", "z/b/"]);
            let name = random.below(1000);
            insert(
                &mut tree,
                &format!("manifests/{folder}{name}-{number}.{extension}"),
                text,
            );
        }
        tree
    }
}

fn insert(tree: &mut Tree, path: &str, text: String) {
    tree.insert(path, text.into_bytes(), &TreeLimits::default()).unwrap();
}

/// The complete result as text: the CSV, the fate of each object, and the findings.
fn result(tree: &Tree) -> String {
    let reading = bundle::read(tree, &Limits::default());
    let synthesis = synthesize(&reading.bundle.unwrap(), &reading.diagnostics);
    let outcome = |outcome: &Outcome| {
        let (fate, shipped) = match &outcome.fate {
            Fate::Projected => ("projected", String::new()),
            // Kept objects are compared as values: they are shipped as their authors wrote them.
            Fate::Kept(value) => ("kept", text::canonical::to_string(value)),
            Fate::Dropped => ("dropped", String::new()),
        };
        format!("{} {fate} {} {shipped}\n", outcome.object.label(), outcome.reason)
    };
    let outcomes: String = synthesis.outcomes.iter().map(outcome).collect();
    let mut findings: Vec<String> = synthesis
        .diagnostics
        .iter()
        .map(|finding| format!("{} {} {:?}\n", finding.rule.id, finding.message, finding.help))
        .collect();
    findings.sort();
    let csv = synthesis.csv.as_ref().map_or("none\n".to_owned(), text::to_yaml);
    format!("{csv}{outcomes}{}", findings.concat())
}

#[test]
fn published_operators_are_independent_of_the_order_of_their_manifests() {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/greenhouse-operator");
    let greenhouse = Parts::read(&testdata.join("manifests"), &testdata.join("metadata/olm.yaml"));
    let mut operators = vec![("greenhouse".to_owned(), greenhouse)];
    if let Some(folder) = crate::shared::folder("corpus/k8sv1") {
        for entry in std::fs::read_dir(folder).unwrap() {
            let case = entry.unwrap().path();
            if case.join("raw").is_dir() {
                let name = case.file_name().unwrap().to_string_lossy().into_owned();
                operators.push((name, Parts::read(&case.join("raw"), &case.join("olm.yaml"))));
            }
        }
        assert_eq!(operators.len(), 11);
    }
    for (name, parts) in operators {
        let expected = result(&parts.in_order());
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for turn in 0..4 {
            let found = result(&parts.scattered(&mut random));
            assert!(
                found == expected,
                "{name}, turn {turn}: {}",
                first_difference(&expected, &found)
            );
        }
    }
}

fn first_difference(expected: &str, found: &str) -> String {
    let mut lines = expected.lines().zip(found.lines());
    let different = lines.find(|(expected, found)| expected != found);
    different.map_or("one is longer".to_owned(), |(expected, found)| {
        format!("{expected:?} became {found:?}")
    })
}

/// A random operator with Deployments, accounts, roles, bindings, kinds, webhooks and APIServices.
fn generated(random: &mut Random) -> Parts {
    let accounts = ["default", "first", "second", "third"];
    let mut objects = Vec::new();
    for number in 0..=random.below(3) {
        let account = random.one_of(&accounts);
        objects.push(json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": format!("op{number}"), "labels": {"a": "b"}, "annotations": {"c": "d"}},
            "spec": {"selector": {"matchLabels": {"app": format!("op{number}")}}, "template": {
                "metadata": {"labels": {"app": format!("op{number}")}},
                "spec": {"serviceAccountName": account, "containers": [
                    {"name": "main", "image": "op:1", "ports": [{"name": "hook", "containerPort": 9443}]}]}}}
        }));
        objects.push(json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": format!("hook{number}")},
            "spec": {"selector": {"app": format!("op{number}")}, "ports": [{"port": 443, "targetPort": "hook"}]}
        }));
    }
    for account in accounts {
        if random.below(2) == 0 {
            objects.push(json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}}));
        }
    }
    for number in 0..random.below(5) {
        let kind = random.one_of(&["Role", "ClusterRole"]);
        let rules: Vec<Value> = (0..random.below(5))
            .map(|_| {
                let group = random.one_of(&["", "apps", "example.com", "other.example.com", "served.example.com"]);
                let resource = random.one_of(&["pods", "deployments", "foos", "bars/status", "secrets"]);
                json!({"apiGroups": [group], "resources": [resource], "verbs": [random.one_of(&["get", "list", "*"])]})
            })
            .collect();
        let mut role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
            "metadata": {"name": format!("role{number}"), "labels": {"part": random.one_of(&["a", "b"])}}, "rules": rules
        });
        if kind == "ClusterRole" && random.below(4) == 0 {
            role["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {"part": "a"}}]});
        }
        objects.push(role);
    }
    for number in 0..random.below(6) {
        let kind = random.one_of(&["RoleBinding", "ClusterRoleBinding"]);
        let role = if kind == "RoleBinding" {
            random.one_of(&["Role", "ClusterRole"])
        } else {
            "ClusterRole"
        };
        let subjects: Vec<Value> = (0..=random.below(2))
            .map(|_| json!({"kind": "ServiceAccount", "name": random.one_of(&accounts), "namespace": "system"}))
            .collect();
        objects.push(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": format!("binds{number}")},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": format!("role{}", random.below(5))},
            "subjects": subjects
        }));
    }
    for (plural, kind) in [("foos", "Foo"), ("bars", "Bar")] {
        if random.below(2) == 0 {
            let mut crd = json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": format!("{plural}.example.com")},
                "spec": {"group": "example.com", "scope": "Namespaced", "names": {"kind": kind, "plural": plural}, "versions": [
                    {"name": "v1beta1", "served": true}, {"name": "v1", "served": random.below(4) > 0}]}
            });
            if random.below(2) == 0 {
                crd["spec"]["conversion"] = json!({"strategy": "Webhook", "webhook": {
                    "conversionReviewVersions": ["v1"], "clientConfig": {"service": {"name": "hook0", "path": "/convert"}}}});
            }
            objects.push(crd);
        }
    }
    for number in 0..random.below(3) {
        let kind = random.one_of(&["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]);
        objects.push(json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": format!("hooks{number}")},
            "webhooks": [{"name": format!("hook{}.example.com", random.below(2)), "admissionReviewVersions": ["v1"],
                "sideEffects": "None", "clientConfig": {"service": {"name": format!("hook{}", random.below(3))}}}]
        }));
    }
    if random.below(3) == 0 {
        objects.push(json!({
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.served.example.com"},
            "spec": {"group": "served.example.com", "version": "v1", "service": {"name": "hook0"}}
        }));
    }
    let modes = json!([{"type": "AllNamespaces", "supported": true}]);
    let mut olm = json!({"name": "op.v1.0.0", "version": "1.0.0", "minKubeVersion": "1.25.0", "installModes": modes});
    let hint =
        |group: &str, resource: &str| json!({"group": group, "resource": resource, "kind": "A", "version": "v1"});
    let groups = ["other.example.com", "example.com", "served.example.com"];
    let hints: Vec<Value> = groups
        .iter()
        .flat_map(|group| ["pods", "deployments", "foos", "bars", "secrets"].map(|resource| hint(group, resource)))
        .collect();
    if random.below(3) > 0 {
        olm["apis"] = json!(hints);
    }
    Parts { objects, olm }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_operators_are_independent_of_the_order_of_their_manifests(seed in any::<u64>()) {
        let mut random = Random(seed | 1);
        let parts = generated(&mut random);
        let expected = result(&parts.in_order());
        let found = result(&parts.scattered(&mut random));
        prop_assert!(found == expected, "{}", first_difference(&expected, &found));
    }
}

#[test]
fn generated_operators_include_valid_and_invalid_ones() {
    let results: Vec<bool> = (1..200_u64)
        .map(|seed| {
            let parts = generated(&mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1));
            !result(&parts.in_order()).starts_with("none\n")
        })
        .collect();
    let synthesized = results.iter().filter(|found| **found).count();
    assert!((40..160).contains(&synthesized), "{synthesized} of {}", results.len());
}

#[test]
fn the_rules_of_a_role_keep_their_order() {
    let rule = |resource: &str| json!({"apiGroups": [""], "resources": [resource], "verbs": ["get"]});
    let forth = ["pods", "configmaps", "secrets", "endpoints", "events", "nodes"];
    let back: Vec<&str> = forth.iter().rev().copied().collect();
    for order in [forth.to_vec(), back] {
        let rules: Vec<Value> = order.iter().map(|resource| rule(resource)).collect();
        let mut parts = generated(&mut Random(1));
        parts.objects.truncate(1);
        parts.objects[0]["spec"]["template"]["spec"]["serviceAccountName"] = json!("op");
        parts.objects.push(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "rules"}, "rules": rules
        }));
        parts.objects.push(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "binds"},
            "roleRef": {"kind": "ClusterRole", "name": "rules"}, "subjects": [{"kind": "ServiceAccount", "name": "op"}]
        }));
        let mut random = Random(7);
        for _ in 0..8 {
            let tree = parts.scattered(&mut random);
            let reading = bundle::read(&tree, &Limits::default());
            let csv = synthesize(&reading.bundle.unwrap(), &reading.diagnostics).csv.unwrap();
            assert_eq!(
                csv["spec"]["install"]["spec"]["clusterPermissions"][0]["rules"],
                json!(rules)
            );
        }
    }
}

#[test]
fn shuffling_changes_the_order() {
    let value = json!({"a": 1, "b": 2, "c": {"d": 3, "e": 4}, "f": 5});
    let mut random = Random(1);
    let texts: std::collections::BTreeSet<String> =
        (0..32).map(|_| shuffled(&value, &mut random).to_string()).collect();
    assert!(texts.len() > 8, "{texts:?}");
    assert!(
        texts
            .iter()
            .all(|text| serde_json::from_str::<Value>(text).unwrap() == value)
    );
}
