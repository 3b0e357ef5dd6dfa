//! The JSON Schema of `metadata/olm.yaml`, evaluated by an independent validator, compared with the check of opmx.

use jsonschema::Validator;
use opmx::bundle::olm_yaml::{self, Olm, SHAPE, json_schema};
use opmx::shape::{Field, Shape};
use opmx::text::{self, Limits};
use serde_json::{Value, json};
use std::path::Path;

fn validator() -> Validator {
    let schema = json_schema();
    assert!(jsonschema::draft7::meta::is_valid(&schema));
    jsonschema::draft7::new(&schema).unwrap()
}

const GOOD: &str = "\
name: op.v1.0.0
version: 1.0.0
minKubeVersion: 1.25.0
installModes:
- {type: AllNamespaces, supported: true}
";

/// The findings of opmx about a file with this text.
fn findings(text: &str) -> Vec<String> {
    let reading = text::read("metadata/olm.yaml", text.as_bytes(), &Limits::default());
    assert!(reading.diagnostics.is_empty(), "{text}: {:?}", reading.diagnostics);
    let findings = olm_yaml::check(Olm::new(&reading.documents[0]), &[]);
    findings.iter().map(ToString::to_string).collect()
}

fn value(text: &str) -> Value {
    text::read("olm", text.as_bytes(), &Limits::default()).documents[0]
        .value()
        .clone()
}

/// Both verdicts on one text: opmx's findings and the validator's errors.
fn verdicts(validator: &Validator, text: &str) -> (Vec<String>, Vec<String>) {
    let value = value(text);
    let errors = validator
        .iter_errors(&value)
        .map(|error| format!("{}: {error}", error.instance_path()));
    (findings(text), errors.collect())
}

#[test]
fn published_files_pass_the_schema_and_the_check() {
    let validator = validator();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("testdata/greenhouse-operator/metadata/olm.yaml")];
    if let Some(folder) = crate::shared::folder("corpus/k8sv1") {
        let folders = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().join("olm.yaml"));
        files.extend(folders.filter(|file| file.is_file()));
        assert_eq!(files.len(), 11);
    }
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let (found, errors) = verdicts(&validator, &text);
        assert!(
            found.is_empty() && errors.is_empty(),
            "{}: {found:?} {errors:?}",
            file.display()
        );
    }
}

/// The error, and whether a schema can detect it.
const WRONG: &[(&str, bool)] = &[
    ("name: op.v1.0.0", true),
    ("{}", true),
    ("[]", true),
    ("name: ''|", true),
    ("name: null|", true),
    ("name: Op|", true),
    ("name: op..v1|", true),
    ("name: op.v1.0.0+1|", true),
    (
        "name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|",
        true,
    ),
    ("version: 1.0|", true),
    ("version: '1.0'|", true),
    ("version: v1.0.0|", true),
    ("version: 01.0.0|", true),
    ("version: 1.0.0-01|", true),
    ("version: 1.0.0-a..b|", true),
    ("minKubeVersion: 1.25|", true),
    ("installModes: []|", true),
    ("installModes: {AllNamespaces: true}|", true),
    ("installModes: [{type: All, supported: true}]|", true),
    ("installModes: [{type: AllNamespaces}]|", true),
    ("installModes: [{type: AllNamespaces, supported: 'true'}]|", true),
    ("installModes: [{type: AllNamespaces, supported: false}]|", true),
    ("installModes: [{type: AllNamespaces, supported: true, note: a}]|", true),
    (
        "installModes: [{type: AllNamespaces, supported: true}, {type: AllNamespaces, supported: false}]|",
        false,
    ),
    ("MinKubeVersion: 1.25.0", true),
    ("skipRange: '<1.0.0'", true),
    ("replaces: op.v1.0.0", false),
    ("replaces: Op", true),
    ("skips: op.v0.9.0", true),
    ("skips: [1]", true),
    ("keywords: [true]", true),
    ("displayName: 1", true),
    ("maintainers: [a]", true),
    ("maintainers: {name: a}", true),
    ("maintainers:\n- name: a\nemail: a@example.com", true),
    ("provider: Example", true),
    ("provider: {name: a, mail: b}", true),
    ("links: [{name: a, url: 1}]", true),
    ("icon: 1", true),
    ("icon: [a]", true),
    ("icon: {base64data: a}", true),
    ("labels: {a: 1}", true),
    ("labels: {a: null}", true),
    ("labels: [a]", true),
    ("selector: {matchLabels: {a: 1}}", true),
    ("selector: {app: a}", true),
    ("annotations: {a: 1}", true),
    ("annotations: {a: true}", true),
    ("csv: {annotations: {a: b}}", true),
    ("csv: {labels: {a: 1}}", true),
    ("cleanup: {}", true),
    ("cleanup: {enabled: 1}", true),
    ("relatedImages: [{name: a}]", true),
    ("relatedImages: [registry.example.com/a:1]", true),
    ("release: 1", true),
    ("release: '01'", true),
    ("release: a_b", true),
    ("release: aaaaaaaaaaaaaaaaaaaaa", true),
    ("nativeAPIs: [{version: v1, kind: Pod}]", true),
    ("customresourcedefinitions: {owned: [{name: a}]}", true),
    (
        "customresourcedefinitions: {owned: [{name: a, version: v1, kind: A, specDescriptors: [{displayName: a}]}]}",
        true,
    ),
    (
        "apiservicedefinitions: {owned: [{name: a, version: v1, kind: A}]}",
        true,
    ),
    ("apis: [{resource: a}]", true),
    ("apis: [{group: a, resource: b, dependency: maybe}]", true),
    ("apis: [{group: a, resource: b, apiService: 'yes'}]", true),
    ("extraServiceAccounts: a", true),
];

/// A text that ends with `|` replaces the line of the valid file for that key. Any other text is added to the valid
/// file, or is a complete file.
fn file(wrong: &str) -> String {
    if let Some(line) = wrong.strip_suffix('|') {
        let key = line.split(':').next().unwrap();
        let mut good: Vec<&str> = GOOD
            .lines()
            .filter(|good| !good.starts_with(&format!("{key}:")))
            .collect();
        if key == "installModes" {
            good.retain(|good| !good.starts_with('-'));
        }
        return format!("{}\n{line}\n", good.join("\n"));
    }
    if ["name", "{", "["].iter().any(|start| wrong.starts_with(start)) {
        return format!("{wrong}\n");
    }
    format!("{GOOD}{wrong}\n")
}

#[test]
fn the_schema_rejects_what_opmx_reports() {
    let validator = validator();
    let (found, errors) = verdicts(&validator, GOOD);
    assert!(found.is_empty() && errors.is_empty(), "{found:?} {errors:?}");
    for (wrong, visible) in WRONG {
        let (found, errors) = verdicts(&validator, &file(wrong));
        assert!(!found.is_empty(), "opmx reports nothing about {wrong}");
        assert_eq!(
            !errors.is_empty(),
            *visible,
            "{wrong}: opmx says {found:?}, the schema {errors:?}"
        );
    }
}

/// Values of every kind, and strings that match one of the shapes.
fn samples() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(1),
        json!(1.5),
        json!(""),
        json!("a"),
        json!("A b"),
        json!("1.2.3"),
        json!("AllNamespaces"),
        json!("native"),
        json!([]),
        json!(["a"]),
        json!([1]),
        json!([{}]),
        json!([null]),
        json!({}),
        json!({"a": "b"}),
        json!({"a": null}),
        json!({"enabled": true}),
        json!([{"name": "a"}]),
    ]
}

/// A complete value of the shape.
fn full(shape: Shape) -> Value {
    let map = |fields: &[Field]| -> Value {
        fields
            .iter()
            .map(|field| (field.key.to_owned(), full(field.shape)))
            .collect()
    };
    match shape {
        Shape::Syntax(syntax) => {
            let samples = ["a", "1.2.3"];
            let fits = |sample: &&str| (syntax.fault)(sample).is_none();
            json!(samples.into_iter().find(fits).unwrap())
        }
        Shape::Choice(of) => json!(of[0]),
        Shape::Boolean => json!(true),
        Shape::Map(known, others) => {
            let mut all = map(known);
            all["a"] = full(*others);
            all
        }
        Shape::Object(fields) => map(fields),
        Shape::OneOf(shapes, _) => full(*shapes.last().unwrap()),
        Shape::List(shape) => json!([full(*shape)]),
        _ => json!("a"),
    }
}

/// The paths of all values below a value.
fn pointers(value: &Value, path: &str, into: &mut Vec<String>) {
    into.push(path.to_owned());
    match value {
        Value::Object(map) => map
            .iter()
            .for_each(|(key, item)| pointers(item, &format!("{path}/{}", key.replace('/', "~1")), into)),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| pointers(item, &format!("{path}/{index}"), into));
        }
        _ => {}
    }
}

#[test]
fn the_schema_and_the_check_agree_on_every_key_with_every_type() {
    let validator = validator();
    let mut whole = full(SHAPE);
    whole["replaces"] = json!("b");
    whole["skips"] = json!(["c"]);
    let (found, errors) = verdicts(&validator, &whole.to_string());
    assert!(found.is_empty() && errors.is_empty(), "{found:?} {errors:?}");
    let mut all = Vec::new();
    pointers(&whole, "", &mut all);
    let (mut compared, mut refused) = (0, 0);
    let mut differences = Vec::new();
    for pointer in all.iter().filter(|pointer| !pointer.is_empty()) {
        let mut changes: Vec<Value> = samples()
            .into_iter()
            .map(|sample| {
                let mut changed = whole.clone();
                *changed.pointer_mut(pointer).unwrap() = sample;
                changed
            })
            .collect();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let mut changed = whole.clone();
        if let Some(Value::Object(map)) = changed.pointer_mut(parent) {
            let value = map.shift_remove(&key.replace("~1", "/")).unwrap();
            changes.push(changed.clone());
            changed.pointer_mut(parent).unwrap()[format!("{key}x")] = value;
            changes.push(changed);
        }
        for changed in changes {
            let (found, errors) = verdicts(&validator, &changed.to_string());
            compared += 1;
            refused += usize::from(!found.is_empty());
            // No schema compares two values.
            let name = &changed["name"];
            let skips_itself = changed["skips"]
                .as_array()
                .is_some_and(|skipped| skipped.contains(name));
            let itself = changed["replaces"] == *name || skips_itself;
            // A schema has no warnings, such as that about a version instead of a name.
            let warned = errors.is_empty() && found.iter().all(|finding| finding.contains("csv-replaces-version"));
            if found.is_empty() != errors.is_empty() && !itself && !warned {
                differences.push(format!("{pointer}: opmx {found:?}, schema {errors:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(
        compared > 1000 && refused > 500 && refused < compared,
        "{refused} of {compared}"
    );
}

#[test]
fn every_key_has_a_description() {
    fn walk(schema: &Value, path: &str) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        for (key, property) in properties {
            let about = property["description"].as_str().unwrap_or_default();
            assert!(about.ends_with('.'), "{path}.{key}: {about:?}");
            walk(property, &format!("{path}.{key}"));
            walk(&property["items"], &format!("{path}.{key}"));
        }
    }
    walk(&json_schema(), "");
}
