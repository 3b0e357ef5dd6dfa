//! The synthesis on the install manifests of published operators, compared with recordings.

use opmx::bundle::{self, OLM_YAML};
use opmx::diagnostic::Diagnostic;
use opmx::rules::{self, Rule, Severity};
use opmx::synthesis::{Fate, Relation, Synthesis, synthesize};
use opmx::text::{self, Limits, canonical};
use opmx::tree::{Tree, TreeLimits};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The codes of the recorded diagnostics and the corresponding rules.
const CODES: [(&str, &str); 8] = [
    ("E-WILDCARD", "rbac-wildcard"),
    ("I-CERT-MANAGER", "k8s-cert-manager-dropped"),
    ("I-CERT-VOLUME", "deployment-cert-volume"),
    ("I-GENERATED-BINDING", "rbac-generated-binding"),
    ("I-NAMESPACE", "k8s-namespace-dropped"),
    ("W-APISERVICE-INSECURE", "apiservice-insecure"),
    ("W-CERT-SECRET", "cert-secret-missing"),
    ("W-WILDCARD", "rbac-wildcard"),
];

/// The bundle of the raw manifests and the recorded `olm.yaml`.
pub(crate) fn bundle_tree(case: &Path) -> Tree {
    let raw = Tree::from_directory(&case.join("raw"), &TreeLimits::default()).unwrap();
    let mut tree = Tree::new("");
    for (path, content) in raw.iter() {
        let path = format!("manifests/{path}");
        tree.insert(&path, content.to_vec(), &TreeLimits::default()).unwrap();
    }
    let olm = std::fs::read(case.join("olm.yaml")).unwrap();
    tree.insert(OLM_YAML, olm, &TreeLimits::default()).unwrap();
    tree
}

fn synthesis(tree: &Tree) -> Synthesis {
    let reading = bundle::read(tree, &Limits::default());
    let errors: Vec<_> = reading
        .diagnostics
        .iter()
        .filter(|finding| finding.is_error())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    synthesize(&reading.bundle.unwrap(), &reading.diagnostics)
}

/// Sorts the lists whose order has no meaning.
fn normalise(value: &mut Value) {
    const UNORDERED: [&str; 8] = [
        "clusterPermissions",
        "deployments",
        "installModes",
        "owned",
        "permissions",
        "required",
        "rules",
        "webhookdefinitions",
    ];
    match value {
        Value::Object(map) => {
            for (key, item) in map {
                normalise(item);
                if let (true, Value::Array(items)) = (UNORDERED.contains(&key.as_str()), item) {
                    items.sort_by_key(canonical::to_string);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalise),
        _ => {}
    }
}

fn count(ids: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    ids.fold(BTreeMap::new(), |mut counts, id| {
        *counts.entry(id).or_default() += 1;
        counts
    })
}

fn of_severity(findings: &[Diagnostic], severity: Severity) -> BTreeMap<String, usize> {
    // The records have no rules about certificates of the operator's own, and about what Deployments mount.
    let unrecorded: [&Rule; 3] = [
        &rules::CERT_OWN_SECRET,
        &rules::CERT_OWN_ROTATION,
        &rules::VOLUME_SOURCE_MISSING,
    ];
    let wanted = findings
        .iter()
        .filter(|finding| finding.severity == severity && !unrecorded.contains(&finding.rule));
    count(wanted.map(|finding| finding.rule.id.to_owned()))
}

fn recorded(expected: &Value, list: &str, prefix: &str) -> BTreeMap<String, usize> {
    let entries = expected[list].as_array().unwrap().iter();
    let codes = entries
        .map(|entry| entry[0].as_str().unwrap())
        .filter(|code| code.starts_with(prefix));
    count(codes.map(|code| {
        let rule = CODES.iter().find(|(known, _)| *known == code);
        rule.unwrap_or_else(|| panic!("{code} is not in the table"))
            .1
            .to_owned()
    }))
}

#[test]
fn published_operators_are_synthesized_to_the_recorded_csvs() {
    let Some(folder) = crate::shared::folder("corpus/k8sv1") else {
        return;
    };
    let (mut cases, mut explained) = (0, 0);
    let mut differences = Vec::new();
    let mut folders: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    for case in folders.into_iter().filter(|path| path.is_dir()) {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let expected: Value = serde_json::from_slice(&std::fs::read(case.join("expected.json")).unwrap()).unwrap();
        let synthesis = synthesis(&bundle_tree(&case));
        cases += 1;
        check_outcomes(&name, &synthesis);
        let errors = of_severity(&synthesis.diagnostics, Severity::Error);
        if errors != recorded(&expected, "errors", "E-") {
            differences.push(format!("{name}: errors {:#?}", synthesis.diagnostics));
        }
        let warnings = of_severity(&synthesis.diagnostics, Severity::Warning);
        if warnings != recorded(&expected, "other_diagnostics", "W-") {
            differences.push(format!("{name}: warnings {warnings:?}"));
        }
        let kept: Vec<String> = synthesis
            .outcomes
            .iter()
            .filter(|outcome| matches!(outcome.fate, Fate::Kept(_)))
            .map(|outcome| outcome.object.label())
            .filter(|label| !label.starts_with("CustomResourceDefinition/"))
            .collect();
        let mut wanted: Vec<&str> = expected["kept_objects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|label| label.as_str().unwrap())
            .collect();
        let mut found: Vec<&str> = kept.iter().map(String::as_str).collect();
        wanted.sort_unstable();
        found.sort_unstable();
        if found != wanted {
            differences.push(format!("{name}: kept {found:?}, recorded {wanted:?}"));
        }
        let expected_csv = case.join("expected-csv.yaml");
        assert_eq!(synthesis.csv.is_some(), expected_csv.exists(), "{name}");
        if let Some(mut csv) = synthesis.csv.clone() {
            let bytes = std::fs::read(expected_csv).unwrap();
            let mut wanted = text::read("expected", &bytes, &Limits::default()).documents[0]
                .value()
                .clone();
            without_schema_descriptions(&mut csv, &synthesis);
            normalise(&mut csv);
            normalise(&mut wanted);
            if csv != wanted {
                differences.push(format!("{name}: {}", first_difference(&csv, &wanted, String::new())));
            }
            explained += check_origins(&synthesis);
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    println!("{cases} operators agree; {explained} inferred values found again at their places");
    assert_eq!(cases, 10);
}

/// Removes the descriptions of own kinds, which the recorded CSVs lack because they now come from the schemas.
fn without_schema_descriptions(csv: &mut Value, synthesis: &Synthesis) {
    let owned = csv.pointer_mut("/spec/customresourcedefinitions/owned");
    let owned = owned.and_then(Value::as_array_mut).into_iter().flatten().enumerate();
    for (index, entry) in owned {
        let path = format!("spec.customresourcedefinitions.owned[{index}].description");
        let origin = synthesis.provenance.origin(&text::Path::parse(&path));
        if origin.is_some_and(|origin| origin.object.starts_with("CustomResourceDefinition/")) {
            entry.as_object_mut().unwrap().remove("description");
        }
    }
}

/// Asserts that every object is listed once, with its fate and the reason.
fn check_outcomes(name: &str, synthesis: &Synthesis) {
    let mut seen = BTreeSet::new();
    for outcome in &synthesis.outcomes {
        let label = outcome.object.label();
        assert!(seen.insert(outcome.object.identity()), "{name}: {label} appears twice");
        assert!(
            outcome.reason.len() > 10,
            "{name}: nothing says why {label} is {:?}",
            outcome.fate
        );
        if let Fate::Kept(value) = &outcome.fate {
            assert_eq!(value["kind"], outcome.object.value()["kind"], "{name}: {label}");
        }
    }
}

fn first_difference(found: &Value, wanted: &Value, path: String) -> String {
    match (found, wanted) {
        (Value::Object(left), Value::Object(right)) => {
            let keys = left.keys().chain(right.keys().filter(|key| !left.contains_key(*key)));
            for key in keys {
                let (left, right) = (&found[key], &wanted[key]);
                if left != right {
                    return first_difference(left, right, format!("{path}.{key}"));
                }
            }
            path
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let index = (0..left.len()).find(|index| left[*index] != right[*index]).unwrap();
            first_difference(&left[index], &right[index], format!("{path}[{index}]"))
        }
        _ => format!("{path}: found {found}, recorded {wanted}"),
    }
}

/// Asserts that every reported place contains its value, and returns the number of values.
fn check_origins(synthesis: &Synthesis) -> usize {
    let csv = synthesis.csv.as_ref().unwrap();
    let mut looked_up = 0;
    for (path, origins) in synthesis.provenance.iter() {
        let value = path.get(csv).unwrap_or_else(|| panic!("{path} is not in the CSV"));
        assert!(!origins.is_empty(), "{path} has no origin");
        for origin in origins {
            let place = origin.place();
            let written = text::read(
                "place",
                place.source.text()[place.span.clone()].as_bytes(),
                &Limits::default(),
            );
            match origin.relation {
                Relation::Copied => {
                    assert_eq!(origin.value(), Some(value), "{path}");
                    if let Value::String(_) | Value::Number(_) | Value::Bool(_) = value {
                        let Some(document) = written.documents.first() else {
                            panic!("{path}: nothing at {place}");
                        };
                        assert_eq!(document.value(), value, "{path} at {place}");
                    }
                }
                Relation::Derived(how) => assert!(!how.is_empty() && place.start().line > 0),
            }
            looked_up += 1;
        }
    }
    let mut leaves = Vec::new();
    collect_leaves(csv, &text::Path::root(), &mut leaves);
    for leaf in leaves {
        let constant = ["apiVersion", "kind", "spec.install.strategy"].contains(&leaf.to_string().as_str())
            || leaf.to_string().ends_with("].sideEffects")
            || leaf.to_string().ends_with("].rules");
        assert!(
            constant || synthesis.provenance.place(&leaf).is_some(),
            "nothing says where {leaf} came from"
        );
    }
    looked_up
}

fn collect_leaves(value: &Value, path: &text::Path, leaves: &mut Vec<text::Path>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter()
                .for_each(|(key, item)| collect_leaves(item, &path.key(key), leaves));
        }
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| collect_leaves(item, &path.index(index), leaves));
        }
        _ => leaves.push(path.clone()),
    }
}
