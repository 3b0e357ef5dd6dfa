//! The steps of InstallPlans and the coverage of RBAC rules, as recorded from OLM.

use opmx::csv;
use opmx::install::content;
use opmx::kubernetes::quantity;
use opmx::kubernetes::rbac::Rule;
use opmx::kubernetes::rbac::covering::{compact, covers, uncovered};
use opmx::olm::releases::Olm;
use opmx::shape::{Presence, Shape, typed};
use opmx::steps::{self, Repetition, Target};
use opmx::text::{self, Limits};
use opmx::tree::{Tree, TreeLimits};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ANNOTATION: &str = "operatorframework.io/properties";

/// The rules of the recordings for strings read as JSON and for empty values.
fn cleaned(value: &Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some(value.clone()),
        Value::Number(number) => (number.as_f64() != Some(0.0)).then(|| value.clone()),
        Value::String(text) => (!text.is_empty()).then(|| value.clone()),
        Value::Array(items) => {
            let items: Vec<Value> = items.iter().filter_map(cleaned).collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        Value::Object(map) => {
            let entries = map.iter().filter_map(|(key, value)| {
                let value = match value {
                    Value::String(text) if key == ANNOTATION => serde_json::from_str(text).unwrap(),
                    other => other.clone(),
                };
                Some((key.clone(), cleaned(&value)?))
            });
            let map: serde_json::Map<String, Value> = entries.collect();
            (!map.is_empty()).then_some(Value::Object(map))
        }
    }
}

/// The places where two values differ.
fn differences(path: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(left), Value::Object(right)) => {
            let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            for key in keys {
                let (left, right) = (left.get(key), right.get(key));
                let nothing = Value::Null;
                differences(
                    &format!("{path}.{key}"),
                    left.unwrap_or(&nothing),
                    right.unwrap_or(&nothing),
                    found,
                );
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                differences(&format!("{path}[{index}]"), left, right, found);
            }
        }
        (left, right) if left == right => {}
        (left, right) => found.push(format!("{path}: {left} and not {right}")),
    }
}

#[test]
fn every_recorded_step_is_reproduced() {
    let Some(folder) = crate::shared::folder("goldens/steps") else {
        return;
    };
    let (mut bundles, mut compared, mut exact, mut wrong) = (0, 0, 0, Vec::new());
    for case in folders(&folder) {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let recorded: Value = serde_json::from_slice(&fs::read(case.join("expected-steps.json")).unwrap()).unwrap();
        let input = |key: &str| recorded["input"][key].as_str().unwrap().to_owned();
        let tree = Tree::from_directory(&case.join("bundle"), &TreeLimits::default()).unwrap();
        let (content, _) = content::of_files(&tree, None, &Limits::default()).unwrap();
        let target = Target {
            namespace: input("namespace"),
            catalog: input("catalogSource"),
            catalog_namespace: input("catalogSourceNamespace"),
            repetition: Repetition::AsOlm,
            olm: Olm::default(),
        };
        let steps = steps::of_bundle(&content, &target, &input("replaces")).unwrap();
        let steps = steps::in_order(steps);
        let theirs = recorded["steps"].as_array().unwrap();
        assert_eq!(steps.len(), theirs.len(), "{name}");
        bundles += 1;
        for (step, theirs) in steps.iter().zip(theirs) {
            let mut ours = serde_json::to_value(step).unwrap();
            ours["resource"]["manifest"] = step.resource.manifest.clone();
            let label = format!("{name}: {} {}", step.resource.kind, step.resource.name);
            if ours == *theirs {
                exact += 1;
            } else if step.resource.kind == "ClusterServiceVersion" {
                let parts = [&ours, theirs].map(|step| {
                    let mut step = step.clone();
                    let manifest = typed(&step["resource"]["manifest"], &csv::SHAPE).unwrap();
                    step["resource"]["manifest"] = manifest;
                    cleaned(&step).unwrap()
                });
                differences(&label, &parts[0], &parts[1], &mut wrong);
            } else {
                differences(&label, &ours, theirs, &mut wrong);
            }
            compared += 1;
        }
    }
    println!("{compared} steps of {bundles} bundles compared, {exact} of them are equal in every field");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(bundles >= 10 && compared >= 100);
}

fn folders(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

#[test]
fn every_recorded_rbac_comparison_is_reproduced() {
    let Some(folder) = crate::shared::folder("goldens/steps") else {
        return;
    };
    let bytes = fs::read(folder.join("rbac-covers.yaml")).unwrap();
    let cases = text::read("rbac-covers.yaml", &bytes, &Limits::default());
    let cases = cases.documents[0].value()["cases"].as_array().unwrap().clone();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let rules = |key: &str| -> Vec<Rule> {
            let list = case[key].as_array();
            list.into_iter().flatten().map(Rule::read).collect()
        };
        let (granted, required) = (rules("granted"), rules("required"));
        let missing = uncovered(&granted, &required).unwrap();
        assert_eq!(
            covers(&granted, &required).unwrap(),
            case["covered"].as_bool().unwrap(),
            "{name}"
        );
        // The recording lists each verb by itself.
        assert_eq!(compact(&missing), compact(&rules("uncovered")), "{name}");
        let set = |rules: Vec<Rule>| rules.into_iter().collect::<BTreeSet<_>>();
        let mut compacted = set(rules("uncoveredCompact"));
        // The recording repeats verbs that two rules ask for.
        compacted = compacted
            .into_iter()
            .map(|mut rule| {
                let mut seen = BTreeSet::new();
                rule.verbs.retain(|verb| seen.insert(verb.clone()));
                rule
            })
            .collect();
        assert_eq!(set(compact(&missing)), compacted, "{name}");
    }
    println!("{} coverings compared", cases.len());
    assert!(cases.len() >= 20);
}

/// Asserts that the types contain every field of the definition of a ClusterServiceVersion, with its type.
#[test]
fn the_field_types_of_a_csv_match_its_definition() {
    let Some(folder) = crate::shared::folder("schemas") else {
        return;
    };
    let bytes = fs::read(folder.join("operators.coreos.com_clusterserviceversions.yaml")).unwrap();
    let definition = text::read("crd", &bytes, &Limits::default());
    let definition = definition.documents[0].value();
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let (mut fields, mut wrong) = (0, Vec::new());
    same_type("", schema, &csv::SHAPE, &mut fields, &mut wrong);
    println!("{fields} fields compared");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(fields > 1000);
}

fn same_type(path: &str, schema: &Value, shape: &Shape, fields: &mut usize, wrong: &mut Vec<String>) {
    let kind = schema["type"].as_str().unwrap_or_default();
    let either = schema["x-kubernetes-int-or-string"] == true;
    match shape {
        Shape::Object(known) if !schema["properties"].is_null() => {
            let properties = schema["properties"].as_object().unwrap();
            for name in properties.keys() {
                if !known.iter().any(|field| field.key == name) {
                    wrong.push(format!("{path}.{name} is missing"));
                }
            }
            let required = schema["required"].as_array();
            for field in *known {
                *fields += 1;
                let path = format!("{path}.{}", field.key);
                let Some(schema) = properties.get(field.key) else {
                    wrong.push(format!("{path} is unknown to the definition"));
                    continue;
                };
                let must = required.is_some_and(|required| required.iter().any(|name| name == field.key));
                let always = matches!(field.presence, Presence::Always | Presence::Nullable);
                if must && !always {
                    wrong.push(format!("{path} is required"));
                }
                same_type(&path, schema, &field.shape, fields, wrong);
            }
        }
        Shape::List(of) if kind == "array" => same_type(&format!("{path}[]"), &schema["items"], of, fields, wrong),
        Shape::Map(_, of) if schema["additionalProperties"].is_object() => {
            same_type(
                &format!("{path}{{}}"),
                &schema["additionalProperties"],
                of,
                fields,
                wrong,
            );
        }
        Shape::Text | Shape::Syntax(_) if kind == "string" => {}
        Shape::Boolean if kind == "boolean" => {}
        Shape::Integer if kind == "integer" => {}
        Shape::Quantity if either && schema["pattern"].is_string() => {}
        Shape::IntOrString if either && schema["pattern"].is_null() => {}
        // The definition says nothing about metadata, and calls the JSON of a descriptor a string.
        Shape::Object(_) if kind == "object" && path.ends_with(".metadata") => {}
        Shape::Any if path.ends_with("escriptors[].value") => {}
        other => wrong.push(format!("{path} is {other:?} and should be {kind}")),
    }
}

#[test]
fn recorded_quantities_are_canonical() {
    let Some(folder) = crate::shared::folder("goldens/steps") else {
        return;
    };
    let mut seen = 0;
    for case in folders(&folder) {
        let recorded: Value = serde_json::from_slice(&fs::read(case.join("expected-steps.json")).unwrap()).unwrap();
        let mut waiting = vec![&recorded["steps"][0]["resource"]["manifest"]];
        while let Some(value) = waiting.pop() {
            for kind in ["limits", "requests"] {
                for quantity in value[kind].as_object().into_iter().flat_map(|map| map.values()) {
                    let text = quantity.as_str().unwrap();
                    assert_eq!(quantity::canonical(text).as_deref(), Some(text));
                    seen += 1;
                }
            }
            match value {
                Value::Array(items) => waiting.extend(items),
                Value::Object(map) => waiting.extend(map.values()),
                _ => {}
            }
        }
    }
    println!("{seen} quantities compared");
    assert!(seen > 20);
}
