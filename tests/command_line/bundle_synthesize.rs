//! `opmx bundle synthesize`.

use crate::bundle_files::{copy, edit, greenhouse, succeeds};
use crate::common::Sandbox;
use opmx::bundle::OLM_YAML;
use serde_json::Value;
use std::fs;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn yaml_and_json_output_are_the_same_csv() {
    let sandbox = greenhouse();
    let yaml = sandbox.run(["bundle", "synthesize", "bundle"]);
    let from_yaml: Value = serde_yaml::from_str(succeeds(&yaml)).unwrap();
    let json = json(succeeds(&sandbox.run(["bundle", "synthesize", "bundle", "-o", "json"])));
    assert_eq!(from_yaml, json);
    assert!(
        yaml.stdout
            .starts_with("apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n"),
        "{yaml}"
    );
    assert_eq!(json["metadata"]["name"], "greenhouse-operator.v1.2.0");
    let spec = &json["spec"];
    assert_eq!(spec["minKubeVersion"], "1.25.0");
    assert_eq!(spec["icon"][0]["mediatype"], "image/svg+xml");
    let install = &spec["install"]["spec"];
    assert_eq!(install["deployments"].as_array().unwrap().len(), 1);
    // The text "on" would be a boolean in a reader of YAML 1.1 if it lost its quotes.
    let environment = &install["deployments"][0]["spec"]["template"]["spec"]["containers"][0]["env"];
    assert_eq!(environment[2]["value"], "on");
    assert_eq!(install["clusterPermissions"][0]["rules"].as_array().unwrap().len(), 6);
    assert_eq!(install["permissions"][0]["rules"].as_array().unwrap().len(), 2);
    let owned = spec["customresourcedefinitions"]["owned"].as_array().unwrap();
    let owned: Vec<_> = owned.iter().map(|entry| (&entry["kind"], &entry["version"])).collect();
    assert_eq!(
        format!("{owned:?}"),
        r#"[(String("Greenhouse"), String("v1")), (String("Greenhouse"), String("v1beta1")), (String("Sensor"), String("v1"))]"#
    );
    let required = spec["customresourcedefinitions"]["required"].as_array().unwrap();
    assert_eq!(
        required.len(),
        1,
        "what an optional binding asks for is not required: {required:?}"
    );
    assert_eq!(spec["webhookdefinitions"][0]["targetPort"], "webhook");
    let examples = json["metadata"]["annotations"]["alm-examples"].as_str().unwrap();
    assert_eq!(self::json(examples)[0]["spec"]["heating"], "on");
}

/// Returns the value at a line and column of a YAML file, without using the parser of opmx.
fn value_at(text: &str, line: usize, column: usize) -> Value {
    let mut lines = text.lines().skip(line - 1);
    let first: String = lines.next().unwrap().chars().skip(column - 1).collect();
    let mut block = format!("{}{first}\n", " ".repeat(column - 1));
    if first.starts_with(['{', '[']) {
        // As much of the line as is a whole value.
        let ends = first.char_indices().filter(|(_, letter)| ['}', ']'].contains(letter));
        let whole = ends.filter_map(|(end, _)| serde_yaml::from_str(&first[..=end]).ok());
        return whole
            .into_iter()
            .next()
            .unwrap_or_else(|| panic!("{first} is no whole value"));
    }
    let is_list = first.starts_with("- ");
    let is_block = is_list || first.ends_with(':') || first.contains(": ");
    for line in lines.take_while(|_| is_block) {
        let indentation = line.len() - line.trim_start().len();
        let same_kind = line.trim_start().starts_with("- ") == is_list;
        let inside = indentation >= column || indentation == column - 1 && same_kind;
        if !line.is_empty() && (!inside || line == "---") {
            break;
        }
        block.push_str(line);
        block.push('\n');
    }
    serde_yaml::from_str(&block).unwrap_or_else(|error| panic!("{error}:\n{block}"))
}

/// The steps of a path such as `spec.icon[0]`, as a JSON pointer.
fn pointer(field: &str) -> String {
    let steps = field.replace(']', "").replace('[', ".");
    format!("/{}", steps.replace('.', "/"))
}

#[test]
fn an_explanation_gives_the_location_of_each_value() {
    let sandbox = greenhouse();
    let csv = json(succeeds(&sandbox.run(["bundle", "synthesize", "bundle", "-o", "json"])));
    let rows = json(succeeds(&sandbox.run([
        "bundle",
        "synthesize",
        "bundle",
        "--explain",
        "-o",
        "json",
    ])));
    let (mut copied, mut derived) = (0, 0);
    for row in rows.as_array().unwrap() {
        let text = |key: &str| row[key].as_str().unwrap_or_else(|| panic!("{row} has no {key}"));
        let number = |key: &str| usize::try_from(row[key].as_u64().unwrap()).unwrap();
        let (line, column) = (number("line"), number("column"));
        let content = fs::read_to_string(sandbox.path(text("file"))).unwrap();
        let written = content
            .lines()
            .nth(line - 1)
            .unwrap_or_else(|| panic!("{row}: no such line"));
        assert!(written.chars().count() >= column, "{row}: {written}");
        let (kind, name) = text("object").split_once('/').unwrap();
        let named = kind == "metadata" && text("file").ends_with(OLM_YAML)
            || content.contains(&format!("kind: {kind}\n")) && content.contains(&format!("name: {name}\n"));
        assert!(named, "{row}: the object is not in the file");
        if text("how") != "copied" {
            derived += 1;
            continue;
        }
        copied += 1;
        let field = csv
            .pointer(&pointer(text("field")))
            .unwrap_or_else(|| panic!("{row}: no such field"));
        let there = value_at(&content, line, column);
        let same = match (field, &there) {
            // A plain 1.25.0 is a string, and a reader of one line does not know where a list goes on.
            (Value::String(field), Value::String(there)) => {
                field == there || there.starts_with(&format!("{field}, ")) || there.starts_with(&format!("{field}]"))
            }
            (field, there) => field == there,
        };
        assert!(same, "{row}: there stands {there}, the CSV has {field}");
    }
    assert!(copied > 30 && derived > 10, "{copied} copied, {derived} derived");
}

#[test]
fn an_explanation_covers_every_value() {
    const CONSTANT: [&str; 3] = ["apiVersion", "kind", "spec.install.strategy"];
    fn leaves(value: &Value, path: &str, out: &mut Vec<String>) {
        let below = |key: &str| {
            if path.is_empty() {
                key.to_owned()
            } else {
                format!("{path}.{key}")
            }
        };
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| leaves(value, &below(key), out)),
            Value::Array(list) => {
                (list.iter().enumerate()).for_each(|(index, value)| leaves(value, &format!("{path}[{index}]"), out));
            }
            _ => out.push(path.to_owned()),
        }
    }
    let sandbox = greenhouse();
    let csv = json(succeeds(&sandbox.run(["bundle", "synthesize", "bundle", "-o", "json"])));
    let rows = json(succeeds(&sandbox.run([
        "bundle",
        "synthesize",
        "bundle",
        "--explain",
        "-o",
        "json",
    ])));
    let fields: Vec<&str> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["field"].as_str().unwrap())
        .collect();
    let mut values = Vec::new();
    leaves(&csv, "", &mut values);
    assert!(values.len() > 100, "{values:?}");
    for value in values {
        let covers = |field: &&&str| {
            value
                .strip_prefix(**field)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        assert!(
            CONSTANT.contains(&value.as_str()) || fields.iter().any(|field| covers(&field)),
            "nothing explains {value}"
        );
    }
}

#[test]
fn an_explanation_is_printed_as_a_table_by_default() {
    let sandbox = greenhouse();
    let outcome = sandbox.run(["bundle", "synthesize", "bundle", "--explain", "--quiet"]);
    let lines: Vec<Vec<&str>> = succeeds(&outcome)
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines[0], ["FIELD", "PLACE", "OBJECT", "HOW", "VALUE"]);
    let version = [
        "spec.version",
        "bundle/metadata/olm.yaml:2:10",
        "metadata/olm.yaml",
        "copied",
        "1.2.0",
    ];
    assert!(lines.iter().any(|line| *line == version), "{outcome}");
}

#[test]
fn each_field_of_a_requirement_is_attributed_to_its_source() {
    let sandbox = greenhouse();
    let rows = json(succeeds(&sandbox.run([
        "bundle",
        "synthesize",
        "bundle",
        "--explain",
        "-o",
        "json",
    ])));
    let lines = |field: &str| -> Vec<u64> {
        let name = format!("spec.customresourcedefinitions.required[0].{field}");
        let rows = rows
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["field"] == name.as_str());
        rows.filter(|row| row["file"] == "bundle/metadata/olm.yaml")
            .map(|row| row["line"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(
        (lines("kind"), lines("version"), lines("name")),
        (vec![44], vec![45], vec![])
    );
}

#[test]
fn empty_fields_are_omitted() {
    let sandbox = greenhouse();
    let before = json(succeeds(&sandbox.run(["bundle", "synthesize", "bundle", "-o", "json"])));
    let empty = "replaces: ''\nrelease: ''\ncleanup:\nlabels:\nextraServiceAccounts: []\nnativeAPIs: []\n";
    let olm = fs::read_to_string(sandbox.path("bundle/metadata/olm.yaml")).unwrap();
    fs::write(sandbox.path("bundle/metadata/olm.yaml"), format!("{olm}{empty}")).unwrap();
    let after = json(succeeds(&sandbox.run(["bundle", "synthesize", "bundle", "-o", "json"])));
    assert_eq!(after, before);
}

#[test]
fn errors_are_reported_and_nothing_is_printed() {
    let sandbox = greenhouse();
    edit(&sandbox, "bundle/metadata/olm.yaml", "version: 1.2.0", "version: one");
    for arguments in [&["-o", "yaml"][..], &["-o", "json"], &["--explain"]] {
        let outcome = sandbox.run(["bundle", "synthesize", "bundle"].iter().chain(arguments));
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
        assert!(outcome.stderr.contains("error[olm-version]"), "{outcome}");
    }
}

#[test]
fn a_bundle_with_a_csv_is_rejected() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    let outcome = sandbox.run(["bundle", "synthesize", "compost"]);
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    error: compost is not a k8s+v1 bundle, so there is nothing to infer
      hint: create a k8s+v1 bundle from the manifests with opmx bundle init
    ------- exit 1 -------
    ");
}

#[test]
fn an_image_and_its_folder_give_the_same_csv() {
    let sandbox = greenhouse();
    succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]));
    let folder = sandbox.run(["bundle", "synthesize", "bundle"]);
    let image = sandbox.run(["bundle", "synthesize", "oci:out:v1"]);
    assert_eq!(succeeds(&folder), succeeds(&image));
}
