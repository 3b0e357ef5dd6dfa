//! The YAML examples of the proposals, corrected where they contradict themselves or Kubernetes.

use super::{assert_valid, documents, validator};
use crate::shared;
use opmx::cluster::conditions::{Held, OperatorCondition, Progress, judge};
use opmx::install::operator::{OperatorOptions, operators};
use opmx::kubernetes::rbac::PolicyRule;
use opmx::steps::optional::{OptionalManifest, is_optional};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::{Request, validate};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The examples of a proposal between these fences, without their common indentation.
fn examples(file: &str, fence: &str) -> Option<Vec<String>> {
    let text = fs::read_to_string(shared::folder("seeds")?.join(file)).unwrap();
    let mut found = Vec::new();
    let mut inside: Option<(usize, String)> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        match &mut inside {
            None if line.trim() == fence => inside = Some((indent, String::new())),
            None => {}
            Some((_, example)) if line.trim() == fence.trim_end_matches("yaml") => {
                found.push(std::mem::take(example));
                inside = None;
            }
            Some((indent, example)) => {
                example.push_str(line.get(*indent..).unwrap_or_default());
                example.push('\n');
            }
        }
    }
    Some(found)
}

/// Texts of an example and their replacements.
type Corrections<'a> = &'a [(&'a str, &'a str)];

fn corrected(example: &str, corrections: Corrections<'_>) -> String {
    corrections.iter().fold(example.to_owned(), |text, (wrong, right)| {
        assert!(text.contains(wrong), "there is no {wrong:?} to correct in\n{text}");
        text.replace(wrong, right)
    })
}

/// An unquoted status is a boolean and not a string.
const QUOTED: (&str, &str) = ("status: True", "status: \"True\"");
/// A condition has a type.
const TYPED: (&str, &str) = ("- kind: UpdateAvailable", "- type: UpdateAvailable");
/// A resource version is a string.
const VERSIONS: [(&str, &str); 3] = [
    ("resourceVersion: 109811", "resourceVersion: \"109811\""),
    ("resourceVersion: 75396", "resourceVersion: \"75396\""),
    ("resourceVersion: 75438", "resourceVersion: \"75438\""),
];

/// The place of the example of a part in an object.
enum Part {
    Whole,
    /// Of an Operator.
    Operator(&'static str),
    /// Of an Install.
    Install(&'static str),
    /// Something of Kubernetes.
    Foreign,
}

#[test]
fn the_examples_of_simplify_olm_apis_are_accepted() {
    let Some(examples) = examples("simplify-olm-apis.md", "```yaml") else {
        return;
    };
    let install = [
        // The status is not part of the spec.
        ("\n status:", "\nstatus:"),
        ("- kind: PendingApproval", "- type: PendingApproval"),
        QUOTED,
    ];
    let whole = [TYPED, QUOTED, VERSIONS[0], VERSIONS[1], VERSIONS[2]];
    // The field is called refs elsewhere in the proposal, and by OLM.
    let refs = [("    resources:", "    refs:"), QUOTED, VERSIONS[0]];
    let one_ref = [QUOTED, ("resourceVersion: 109888", "resourceVersion: \"109888\"")];
    // An image to install is wanted, so it is no status.
    let wanted = [("status:", "spec:")];
    let table: [(Part, Corrections<'_>); 17] = [
        (Part::Whole, &whole),
        (Part::Whole, &install),
        (Part::Operator(""), &[]),
        (Part::Operator(""), &refs),
        (Part::Operator(""), &[]),
        (Part::Operator("/spec"), &[]),
        (Part::Foreign, &[]),
        (Part::Operator("/status"), &[QUOTED]),
        (Part::Operator("/status"), &[QUOTED]),
        (Part::Operator("/status/components/refs"), &one_ref),
        (Part::Operator(""), &[TYPED, QUOTED]),
        (Part::Operator(""), &[]),
        (Part::Operator(""), &wanted),
        (Part::Install(""), &[]),
        (Part::Operator("/status/conditions"), &[QUOTED]),
        (Part::Operator("/status"), &[QUOTED]),
        (Part::Install("/spec"), &[]),
    ];
    assert_eq!(examples.len(), table.len());
    for (example, (part, corrections)) in examples.iter().zip(table) {
        let text = corrected(example, corrections);
        for value in documents(&text) {
            match part {
                Part::Whole => assert_whole(&value),
                Part::Operator(at) => assert_whole(&placed("Operator", at, value)),
                Part::Install(at) => {
                    let mut whole = placed("Install", at, value);
                    if whole.get("spec").is_none() {
                        whole["spec"] = json!({"content": [{"type": "Raw", "raw": "a"}]});
                    }
                    assert_whole(&whole);
                }
                Part::Foreign => {
                    let rule = PolicyRule(&value["rules"][0]);
                    assert_eq!(rule.list("verbs").collect::<Vec<_>>(), [(0, "install")]);
                }
            }
        }
    }
}

/// An object of the kind with a part.
fn placed(kind: &str, at: &str, part: Value) -> Value {
    let mut object = json!({"apiVersion": "operators.coreos.com/v2alpha1", "kind": kind, "metadata": {"name": "a"}});
    let mut place = &mut object;
    for key in at.split('/').filter(|key| !key.is_empty()) {
        place = &mut place[key];
    }
    match part {
        Value::Object(part) if !place.is_null() => place.as_object_mut().unwrap().extend(part),
        part => *place = part,
    }
    object
}

fn assert_whole(value: &Value) {
    let name = format!("{}s", value["kind"].as_str().unwrap().to_lowercase());
    assert_valid(&validator(&name, "v2alpha1"), value);
}

#[test]
fn the_operator_of_the_proposal_keeps_its_spec() {
    let Some(examples) = examples("simplify-olm-apis.md", "```yaml") else {
        return;
    };
    // As it stands, with a condition that has a kind and a status without quotes.
    let operator = documents(&examples[0]);
    let found = operators(&operator, &[], OperatorOptions::default());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].metadata.name, "plumbus");
    assert_eq!(found[0].spec, operator[0]["spec"]);
    assert_eq!(found[0].spec["updates"]["catalogSource"]["ref"]["name"], "community");
    // Whether there is an update, only an index can say.
    assert!(found[0].status.conditions.is_empty());
}

/// Values for the fields that an example omits.
const LEFT_OUT: (&str, &str) = (
    "    ...\n",
    "    status: \"True\"\n    reason: Ready\n    message: m\n    lastTransitionTime: \"2020-08-24T23:15:55Z\"\n",
);

#[test]
fn the_examples_of_operator_conditions_are_accepted() {
    let Some(examples) = examples("operator-conditions.md", "```yaml") else {
        return;
    };
    let migrating = || Some("the operator is not upgradeable: The operator is performing a migration.".to_owned());
    let upgrading =
        || Some("the operator is being upgraded: The operator is performing a migration to version v2.3.4".to_owned());
    let quotes = [("in the \"foo\" state", "in the foo state")];
    // Which corrections, what holds the upgrade, how many notes.
    let table: [(Corrections<'_>, Option<String>, usize); 6] = [
        (&quotes, None, 1),
        (&[], migrating(), 1),
        (&[LEFT_OUT], upgrading(), 0),
        (&[LEFT_OUT], upgrading(), 0),
        (&[LEFT_OUT], None, 1),
        (&[], None, 2),
    ];
    assert_eq!(examples.len(), table.len());
    let validator = validator("conditions", "v1");
    for (example, (corrections, held, notes)) in examples.iter().zip(table) {
        let mut value = documents(&corrected(example, corrections)).remove(0);
        let judgement = judge(OperatorCondition::of(&value).unwrap(), Some("2.3.4"));
        assert_eq!(judgement.held.as_ref().map(Held::to_string), held, "{example}");
        assert_eq!(judgement.notes.len(), notes, "{example}\n{:?}", judgement.notes);
        // What is noted is what a cluster would refuse.
        let conditions = &mut value["status"]["conditions"];
        if conditions.is_object() {
            *conditions = json!([conditions.take()]);
        }
        for condition in conditions.as_array_mut().unwrap() {
            if condition["reason"] == "Upgrade Done" {
                assert_eq!(judgement.progress, Progress::Done);
                condition["reason"] = json!("UpgradeDone");
            }
        }
        assert_valid(&validator, &value);
    }
}

/// The findings about the greenhouse operator with an additional file, by rules with this prefix.
fn findings(file: &str, content: &str, rules: &str) -> Vec<String> {
    let bundle = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/greenhouse-operator");
    let mut tree = Tree::from_directory(&bundle, &TreeLimits::default()).unwrap();
    tree.remove(file);
    tree.insert(file, content.as_bytes().to_vec(), &TreeLimits::default())
        .unwrap();
    let found = validate(&tree, &Request::default()).findings.into_iter();
    found
        .map(|finding| finding.diagnostic)
        .filter(|finding| finding.rule.id.starts_with(rules) || finding.rule.id.starts_with("yaml-"))
        .map(|finding| format!("{}[{}]", finding.severity, finding.rule.id))
        .collect()
}

#[test]
fn the_example_of_optional_dependencies_is_accepted() {
    let Some(examples) = examples("olm-optional-dependency-declaration.md", "```yaml") else {
        return;
    };
    assert_eq!(examples.len(), 1);
    let file = "metadata/dependencies.yaml";
    // A plain scalar cannot begin with `>`, and an intent is one of the three.
    assert!(!findings(file, &examples[0], "dep-").is_empty());
    for intent in ["required", "recommended", "optional"] {
        let corrections = [(">0.27.0", "\">0.27.0\""), ("required|recommended|optional", intent)];
        let text = corrected(&examples[0], &corrections);
        let found: Vec<_> = findings(file, &text, "dep-")
            .into_iter()
            .filter(|finding| finding.starts_with("error"))
            .collect();
        assert_eq!(found, [""; 0], "{text}");
    }
}

#[test]
fn the_examples_of_optional_manifests_are_accepted() {
    let Some(examples) = examples("optional-manifest.md", "~~~") else {
        return;
    };
    let is_yaml = |example: &&String| example.starts_with("properties:") || example.starts_with("- resolving:");
    let examples: Vec<_> = examples.iter().filter(is_yaml).collect();
    assert_eq!(examples.len(), 2);
    // A group has no version.
    let text = corrected(examples[0], &[("autoscaling.k8s.io/v1", "autoscaling.k8s.io")]);
    let errors = findings("metadata/properties.yaml", &text, "prop-");
    let errors: Vec<_> = errors.iter().filter(|finding| finding.starts_with("error")).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let property = &documents(&text)[0]["properties"][0];
    assert_eq!(property["type"], "olm.manifests.optional");
    assert_eq!(property["value"]["manifests"][1]["group"], "autoscaling.k8s.io");
    let manifests = property["value"]["manifests"].clone();
    let named: Vec<OptionalManifest> = serde_json::from_value(manifests).unwrap();
    let object = |api_version: &str, kind: &str, metadata: Value| {
        let object = json!({"apiVersion": api_version, "kind": kind, "metadata": metadata});
        is_optional(&object, &named)
    };
    let rule = json!({"name": "my-rule", "namespace": "my-namespace"});
    assert!(object("monitoring.coreos.com/v1", "PrometheusRule", rule));
    assert!(object(
        "autoscaling.k8s.io/v1",
        "VerticalPodAutoscaler",
        json!({"name": "my-vpa"})
    ));
    assert!(!object(
        "autoscaling.k8s.io/v1",
        "VerticalPodAutoscaler",
        json!({"name": "my-rule"})
    ));
    // The fields of a step stand further to the right than its first one.
    let step = &documents(&corrected(examples[1], &[("\n      ", "\n  ")]))[0][0];
    assert_eq!(
        (&step["optional"], &step["status"]),
        (&json!(true), &json!("NotCreated"))
    );
}
