//! The CustomResourceDefinitions of Operator, Install and Condition: a cluster accepts them, and they accept the
//! examples of the proposals.

mod proposals;

use jsonschema::Validator;
use opmx::cluster::conditions::{Starter, starter};
use opmx::install::operator::definitions::{ALL, values};
use opmx::install::operator::{OperatorOptions, operators};
use opmx::text::{self, Limits};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::{Request, suites, validate};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The values of the documents of a string.
fn documents(text: &str) -> Vec<Value> {
    let reading = text::read("text", text.as_bytes(), &Limits::default());
    let wrong: Vec<_> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{}\n{text}", wrong.join("\n"));
    reading.documents.into_iter().map(text::Document::into_value).collect()
}

fn definition(name: &str) -> Value {
    let found = values().into_iter().find(|value| value["metadata"]["name"] == name);
    found.unwrap_or_else(|| panic!("no definition {name}"))
}

/// The schema of a version of a definition.
fn schema_in(definition: &Value, version: &str) -> Value {
    let versions = definition["spec"]["versions"].as_array().unwrap();
    let found = versions.iter().find(|found| found["name"] == version).unwrap();
    found["schema"]["openAPIV3Schema"].clone()
}

fn validator_in(definition: &Value, version: &str) -> Validator {
    let mut schema = schema_in(definition, version);
    crate::schema::translate(&mut schema);
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft7)
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

fn validator(name: &str, version: &str) -> Validator {
    validator_in(&definition(&format!("{name}.operators.coreos.com")), version)
}

fn assert_valid(validator: &Validator, value: &Value) {
    let wrong = crate::schema::problems(validator, value);
    assert!(wrong.is_empty(), "{}\n{value:#}", wrong.join("\n"));
}

#[test]
fn definitions_are_listed_under_their_own_names() {
    let names: Vec<Value> = values()
        .into_iter()
        .map(|value| value["metadata"]["name"].clone())
        .collect();
    assert_eq!(names, ALL.map(|(name, _)| json!(name)));
}

// What a cluster asks of a definition.

/// The findings of the rules about CRDs, for these definitions in a bundle.
fn findings(definitions: &[Value]) -> Vec<String> {
    let bundle = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/greenhouse-operator");
    let mut tree = Tree::from_directory(&bundle, &TreeLimits::default()).unwrap();
    for (number, definition) in definitions.iter().enumerate() {
        let path = format!("manifests/more-{number}.yaml");
        let content = text::to_yaml(definition).into_bytes();
        tree.insert(&path, content, &TreeLimits::default()).unwrap();
    }
    let request = Request {
        validators: suites::validators_of("all").unwrap(),
        ..Request::default()
    };
    let validation = validate(&tree, &request);
    let of_crds = validation
        .findings
        .iter()
        .filter(|finding| finding.diagnostic.rule.id.starts_with("crd-"));
    of_crds.map(|finding| finding.diagnostic.to_string()).collect()
}

#[test]
fn definitions_pass_the_rules_of_the_api_server() {
    assert_eq!(findings(&values()), [""; 0]);
    for (pointer, value, rule) in [
        (
            "/spec/versions/0/schema/openAPIV3Schema/type",
            json!(null),
            "crd-schema-structural",
        ),
        ("/spec/versions/0/storage", json!(false), "crd-storage-count"),
        ("/spec/scope", json!("World"), "crd-scope"),
    ] {
        for mut definition in values() {
            *definition.pointer_mut(pointer).unwrap() = value.clone();
            let found = findings(&[definition]);
            assert!(
                found.iter().any(|finding| finding.contains(rule)),
                "{pointer}: {found:?}"
            );
        }
    }
}

#[test]
fn schemas_are_structural() {
    for definition in values() {
        for version in definition["spec"]["versions"].as_array().unwrap() {
            let schema = &version["schema"]["openAPIV3Schema"];
            assert_eq!(schema["type"], "object");
            structural(
                schema,
                &format!("{} {}", definition["metadata"]["name"], version["name"]),
            );
        }
    }
}

/// Asserts that a schema describes a value: it has a type, its parts do so too, and the schemas combined with it only
/// restrict it.
fn structural(schema: &Value, at: &str) {
    const KNOWN: [&str; 27] = [
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "not",
        "nullable",
        "oneOf",
        "pattern",
        "properties",
        "required",
        "type",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        "x-kubernetes-preserve-unknown-fields",
        "default",
    ];
    let map = schema.as_object().unwrap_or_else(|| panic!("{at} is no schema"));
    for key in map.keys() {
        assert!(KNOWN.contains(&key.as_str()), "{at} has {key}");
    }
    let open = map.get("x-kubernetes-preserve-unknown-fields") == Some(&json!(true));
    assert!(map.contains_key("type") || open, "{at} has no type");
    assert!(
        !(map.contains_key("properties") && map.contains_key("additionalProperties")),
        "{at} has properties and additionalProperties"
    );
    assert!(
        map.get("type") != Some(&json!("array")) || map.contains_key("items"),
        "{at} has no items"
    );
    if map.get("x-kubernetes-list-type") == Some(&json!("map")) {
        for key in map["x-kubernetes-list-map-keys"].as_array().unwrap() {
            let required = map["items"]["required"].as_array().unwrap();
            assert!(required.contains(key), "{at} does not require the key {key}");
        }
    }
    for (name, part) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
        structural(part, &format!("{at}.{name}"));
    }
    for key in ["items", "additionalProperties"] {
        if let Some(part) = map.get(key) {
            structural(part, &format!("{at}[]"));
        }
    }
    for key in ["oneOf", "anyOf"] {
        for part in map.get(key).and_then(Value::as_array).into_iter().flatten() {
            narrowing(part, map, at);
        }
    }
}

/// Asserts that a combined schema has no type, and only parts that the combining schema describes.
fn narrowing(schema: &Value, described: &Map<String, Value>, at: &str) {
    const NARROWING: [&str; 4] = ["enum", "not", "properties", "required"];
    for key in schema.as_object().unwrap().keys() {
        assert!(NARROWING.contains(&key.as_str()), "{at} is combined with {key}");
    }
    let known = |name: &str| {
        let part = described.get("properties").and_then(|properties| properties.get(name));
        part.unwrap_or_else(|| panic!("{at} is combined with {name}, which it does not describe"))
    };
    for (name, part) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        narrowing(part, known(name).as_object().unwrap(), at);
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        known(name.as_str().unwrap());
    }
    if let Some(not) = schema.get("not") {
        narrowing(not, described, at);
    }
}

/// The definitions of OLM.
fn shipped() -> Option<Vec<Value>> {
    let folder = crate::shared::folder("schemas")?;
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            found.extend(documents(&fs::read_to_string(path).unwrap()));
        }
    }
    Some(found)
}

/// A schema without the keys that do not affect validity.
fn bare(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let passed_over = |key: &str, value: &Value| {
                (key == "description" && value.is_string()) || key == "x-kubernetes-preserve-unknown-fields"
            };
            let kept = map.iter().filter(|(key, value)| !passed_over(key, value));
            kept.map(|(key, value)| (key.clone(), bare(value))).collect()
        }
        Value::Array(items) => items.iter().map(bare).collect(),
        other => other.clone(),
    }
}

#[test]
fn applying_the_operator_replaces_nothing_of_olm() {
    let Some(shipped) = shipped() else { return };
    let ours = definition("operators.operators.coreos.com");
    let theirs = shipped
        .iter()
        .find(|one| one["metadata"]["name"] == ours["metadata"]["name"])
        .unwrap();
    for pointer in ["/spec/group", "/spec/names", "/spec/scope"] {
        assert_eq!(ours.pointer(pointer), theirs.pointer(pointer), "{pointer}");
    }
    assert_eq!(bare(&schema_in(&ours, "v1")), bare(&schema_in(theirs, "v1")));
    let (ours, theirs) = (&ours["spec"]["versions"][0], &theirs["spec"]["versions"][0]);
    for key in ["name", "served", "storage", "subresources"] {
        assert_eq!(ours[key], theirs[key], "{key}");
    }
    assert_eq!(
        definition("operators.operators.coreos.com")["spec"]["versions"][1]["storage"],
        json!(false)
    );
}

#[test]
fn no_name_conflicts_with_a_definition_of_olm() {
    let Some(shipped) = shipped() else { return };
    let names = |definition: &Value| -> BTreeSet<String> {
        let names = &definition["spec"]["names"];
        let one = ["plural", "singular"].into_iter().filter_map(|key| names[key].as_str());
        let short = names["shortNames"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        one.chain(short).map(str::to_owned).collect()
    };
    let kinds = |definition: &Value| -> BTreeSet<String> {
        let names = &definition["spec"]["names"];
        ["kind", "listKind"]
            .map(|key| names[key].as_str().unwrap().to_owned())
            .into()
    };
    for ours in values() {
        let others = shipped
            .iter()
            .filter(|one| one["metadata"]["name"] != ours["metadata"]["name"]);
        for theirs in others {
            let shared: Vec<_> = names(&ours).intersection(&names(theirs)).cloned().collect();
            assert!(
                shared.is_empty(),
                "{} and {}: {shared:?}",
                ours["metadata"]["name"],
                theirs["metadata"]["name"]
            );
            assert!(kinds(&ours).is_disjoint(&kinds(theirs)));
        }
    }
}

// What the definitions take.

/// All fields of a schema, as `status.conditions[].type`.
fn fields(schema: &Value, at: &str, found: &mut BTreeSet<String>) {
    for (name, part) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let path = if at.is_empty() {
            name.clone()
        } else {
            format!("{at}.{name}")
        };
        found.insert(path.clone());
        fields(part, &path, found);
    }
    if let Some(items) = schema.get("items") {
        fields(items, &format!("{at}[]"), found);
    }
}

/// The object with a different value in a field; in lists, in the first item.
fn with(whole: &Value, path: &str, value: &Value) -> Value {
    let mut object = whole.clone();
    let pointer = format!("/{}", path.replace("[]", ".0").replace('.', "/"));
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = object
        .pointer_mut(parent)
        .unwrap_or_else(|| panic!("{path}: the whole object has no such place"));
    match parent {
        Value::Array(items) => items[0] = value.clone(),
        parent => parent[name] = value.clone(),
    }
    object
}

#[test]
fn every_field_has_an_accepted_and_a_rejected_value() {
    let table = &documents(include_str!("operator_definitions/fields.yaml"))[0];
    let mut tried = 0;
    for section in table.as_array().unwrap() {
        let (name, version) = (
            section["definition"].as_str().unwrap(),
            section["version"].as_str().unwrap(),
        );
        let definition = definition(name);
        let validator = validator_in(&definition, version);
        assert_valid(&validator, &section["whole"]);
        let mut known = BTreeSet::new();
        fields(&schema_in(&definition, version), "", &mut known);
        let rows = section["fields"].as_object().unwrap();
        let listed: BTreeSet<String> = rows.keys().cloned().collect();
        assert_eq!(listed, known, "{name} {version}");
        for (field, row) in rows {
            let at = row.get("at").and_then(Value::as_str).unwrap_or(field);
            assert_valid(&validator, &with(&section["whole"], at, &row["accept"]));
            let rejected = with(&section["whole"], at, &row["reject"]);
            assert!(
                !validator.is_valid(&rejected),
                "{name} {version} {field} takes {}",
                row["reject"]
            );
            tried += 1;
        }
        let unknown = with(&section["whole"], "status.other", &json!("x"));
        assert_eq!(
            validator.is_valid(&unknown),
            version == "v1" && name.starts_with("operators."),
            "{name}"
        );
    }
    let all: usize = values()
        .iter()
        .flat_map(|definition| definition["spec"]["versions"].as_array().unwrap().clone())
        .map(|version| {
            let mut found = BTreeSet::new();
            fields(&version["schema"]["openAPIV3Schema"], "", &mut found);
            found.len()
        })
        .sum();
    assert_eq!(tried, all, "a version is not in the table");
}

#[test]
fn an_operator_derived_from_a_dump_matches_the_definition() {
    let dump = documents(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
         metadata: {name: p.v1, namespace: n, uid: u, resourceVersion: 5, labels: {operators.coreos.com/p.n: ''}}\n\
         spec:\n  displayName: P\n  version: 1.0.0\n  customresourcedefinitions:\n    owned: [{name: as.g.example.com, version: v1, kind: A}]\n\
         \x20   required: [{name: bs.g.example.com, kind: B}]\n\
         status: {phase: Succeeded, reason: R, message: m, lastTransitionTime: '2020-08-24T23:15:55Z'}\n---\n\
         apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: p, namespace: n, labels: {operators.coreos.com/p.n: ''}}\n\
         spec: {name: p, source: c, sourceNamespace: m, startingCSV: p.v1}\n\
         status: {installedCSV: p.v1, conditions: [{type: BundleUnpackFailed, status: 'True', reason: X, message: m}]}\n",
    );
    let validator = validator("operators", "v2alpha1");
    for all_conditions in [false, true] {
        let options = OperatorOptions {
            all_conditions,
            ..OperatorOptions::default()
        };
        let found = operators(&dump, &[], options);
        assert_eq!(found.len(), 1);
        assert_valid(&validator, &serde_json::to_value(&found[0]).unwrap());
    }
}

#[test]
fn the_printed_condition_resource_matches_the_definition_of_olm() {
    let Some(shipped) = shipped() else { return };
    let definition = shipped
        .iter()
        .find(|one| one["metadata"]["name"] == "operatorconditions.operators.coreos.com")
        .unwrap();
    let deployments = ["etcd".to_owned()];
    let [condition, role, binding] = starter(Starter {
        operator: "etcd.v0.9.4",
        namespace: "operators",
        service_accounts: &[],
        deployments: &deployments,
    });
    assert_valid(&validator_in(definition, "v2"), &condition);
    assert_eq!(role["rules"][0]["verbs"], json!(["get", "update", "patch"]));
    assert_eq!(role["rules"][0]["resourceNames"], json!(["etcd.v0.9.4"]));
    assert_eq!(binding["subjects"][0]["name"], json!("default"));
}
