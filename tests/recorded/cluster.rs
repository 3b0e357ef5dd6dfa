//! The actions of a real API server and a real OLM, recorded with the previous output of `kubectl get`, and reproduced
//! here. The README next to the recordings describes how each of them is compared.

use crate::common::{Outcome, Sandbox};
use crate::shared;
use opmx::kubernetes::rbac::Rule;
use opmx::kubernetes::rbac::covering::uncovered;
use opmx::text::{self, Document, Limits};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The annotation of a ClusterServiceVersion with the properties of its bundle, which are unordered.
const PROPERTIES: &str = "operatorframework.io/properties";
/// The namespaces in which the permissions of the accounts were recorded, besides that of the operator.
const ASKED: [&str; 3] = ["default", "kube-system", "tgt"];
/// The number of cases of each kind, so that none is skipped unnoticed.
const CASES: [(&str, usize); 9] = [
    ("approval", 1),
    ("condition-role", 1),
    ("optional", 2),
    ("outcome", 9),
    ("plan", 11),
    ("resolution", 10),
    ("rules", 4),
    ("size", 2),
    ("upgrades", 4),
];

/// A recording, and the output of opmx for it.
struct Case {
    folder: PathBuf,
    judge: String,
    expect: Value,
    /// The output of its commands, in order.
    said: Vec<Outcome>,
}

#[test]
fn recorded_cluster_cases_are_reproduced() {
    let Some(folder) = shared::folder("goldens/cluster") else {
        return;
    };
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> = entries.filter(|path| path.join("case.json").is_file()).collect();
    cases.sort();
    let waiting = Mutex::new(cases.iter());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = { waiting.lock().unwrap().next() } {
                    let result = judged(case);
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut differing = Vec::new();
    for (name, judge, differences) in results.into_inner().unwrap() {
        *counts.entry(judge).or_default() += 1;
        if !differences.is_empty() {
            differing.push(format!("{name}:\n  {}", differences.join("\n  ")));
        }
    }
    differing.sort();
    let all = cases.len();
    let counted: Vec<String> = counts.iter().map(|(judge, count)| format!("{count} {judge}")).collect();
    println!(
        "{} of {all} cases of the cluster agree: {}",
        all - differing.len(),
        counted.join(", ")
    );
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    let expected = CASES.map(|(judge, count)| (judge.to_owned(), count));
    assert_eq!(counts, BTreeMap::from(expected));
}

/// The name of a case, its judge, and the differences. Unexpected output of a command is also a difference.
fn judged(folder: &Path) -> (String, String, Vec<String>) {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let recorded = json_file(&folder.join("case.json"));
    let sandbox = Sandbox::new();
    let commands = recorded["commands"].as_array().unwrap();
    let said = commands
        .iter()
        .map(|line| run(&sandbox, folder, line.as_str().unwrap()));
    let case = Case {
        judge: recorded["judge"].as_str().unwrap().to_owned(),
        expect: recorded["expect"].clone(),
        said: said.collect(),
        folder: folder.to_owned(),
    };
    let differences = match case.judge.as_str() {
        "plan" => case.plan(),
        "outcome" => case.outcome(),
        "resolution" => case.resolution(),
        "approval" => case.approval(),
        "rules" => case.rules(),
        "size" => case.size(),
        "upgrades" => case.upgrades(),
        "condition-role" => case.condition_role(),
        "optional" => case.optional(),
        other => vec![format!("nobody knows how to judge {other:?}")],
    };
    (name, case.judge, differences)
}

/// Runs a command line in the folder of its case; `@` is an empty folder.
fn run(sandbox: &Sandbox, folder: &Path, line: &str) -> Outcome {
    let empty = sandbox.path("");
    let words = line.strip_prefix("opmx ").unwrap().split(' ');
    let words = words.map(|word| match word.strip_prefix("@/") {
        Some(name) => empty.join(name).into_os_string().into_string().unwrap(),
        None => word.to_owned(),
    });
    sandbox.finish(sandbox.command(words).current_dir(folder))
}

fn json_file(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn of(value: &Value, path: &str) -> String {
    let text = value.pointer(path).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> BTreeSet<String> {
    let texts = value.as_array().into_iter().flatten();
    texts.map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// The string with normalized whitespace.
fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The differences.
fn compare<T: PartialEq + std::fmt::Debug>(what: &str, ours: &T, theirs: &T) -> Option<String> {
    (ours != theirs).then(|| format!("{what} is {ours:?} and not {theirs:?}"))
}

impl Case {
    /// The JSON output of a command.
    fn json(&self, index: usize) -> Value {
        let said = &self.said[index];
        serde_json::from_str(&said.stdout).unwrap_or_else(|error| json!({"error": format!("{error}: {said}")}))
    }

    /// The plan created by OLM.
    fn recorded_plan(&self) -> Value {
        json_file(&self.folder.join(of(&self.expect, "/installplan")))
    }

    fn plan(&self) -> Vec<String> {
        plans(&self.json(0), &self.recorded_plan(), self.expect["only"].as_str())
    }

    fn outcome(&self) -> Vec<String> {
        let ours = self.json(0);
        let mut found: Vec<String> = Vec::new();
        found.extend(compare(
            "the phase",
            &of(&ours, "/status/phase"),
            &of(&self.expect, "/phase"),
        ));
        let messages = [&of(&ours, "/status/message"), &of(&self.expect, "/message")].map(|text| single_spaced(text));
        found.extend(compare("the message", &messages[0], &messages[1]));
        let statuses = steps(&ours).into_iter().map(|step| {
            let status = of(step, "/status").replace("Present", "Created");
            (label(step), status)
        });
        let theirs = self.expect["steps"].as_object().unwrap().iter();
        let theirs =
            theirs.map(|(name, status)| (name.clone(), status.as_str().unwrap().replace("Present", "Created")));
        found.extend(compare(
            "the status of the steps",
            &statuses.collect::<BTreeMap<_, _>>(),
            &theirs.collect::<BTreeMap<_, _>>(),
        ));
        let succeeds = self.expect["succeeds"].as_bool().unwrap();
        found.extend(compare("success", &(self.said[0].status == Some(0)), &succeeds));
        // What becomes of a version after its plan is not compared, but a failure is told in the same words.
        for csv in self.expect["csvs"].as_object().into_iter().flat_map(Map::values) {
            let message = of(csv, "/message");
            if of(csv, "/phase") == "Failed" && !single_spaced(&self.said[0].stderr).contains(&single_spaced(&message))
            {
                found.push(format!("{message:?} is not told: {}", self.said[0].stderr));
            }
        }
        found.extend(plans(&ours, &self.recorded_plan(), None));
        found
    }

    fn resolution(&self) -> Vec<String> {
        let ours = self.json(0);
        if let Some(error) = self.expect["error"].as_str() {
            let parts = |error: &str| -> BTreeSet<String> {
                let (_, messages) = error.split_once("constraints not satisfiable: ").unwrap_or(("", error));
                messages.split(", ").map(str::to_owned).collect()
            };
            return compare("the error", &parts(&of(&ours, "/error")), &parts(error))
                .into_iter()
                .collect();
        }
        let mut found = Vec::new();
        if ours["error"].is_string() || self.said.iter().any(|said| said.status != Some(0)) {
            found.push(format!("there is an error: {}", self.said[0]));
        }
        let installed = texts(&ours["install"]);
        if self.expect["nothing"] == true {
            found.extend(compare("what is installed", &installed, &BTreeSet::new()));
            return found;
        }
        let selected = ours["selected"].as_array().into_iter().flatten();
        let selected = selected.filter(|selected| installed.contains(&of(selected, "/name")));
        let selected = selected.map(|selected| {
            let csv = json!({"catalog": selected["catalog"], "replaces": selected.get("replaces")});
            (of(selected, "/name"), csv)
        });
        found.extend(compare(
            "what is installed",
            &Value::Object(selected.collect()),
            &self.expect["csvs"],
        ));
        let made = ours["newSubscriptions"].as_array().into_iter().flatten();
        let made: BTreeSet<String> = made.map(|made| of(made, "/name")).collect();
        found.extend(compare(
            "new subscriptions",
            &made,
            &texts(&self.expect["newSubscriptions"]),
        ));
        let plan = self.json(1);
        let approval = of(&plan, "/spec/approval");
        found.extend(compare("the approval", &approval, &of(&self.expect, "/approval")));
        if self.expect["installplan"].is_string() {
            found.extend(plans(&plan, &self.recorded_plan(), None));
        }
        found
    }

    fn approval(&self) -> Vec<String> {
        let plan = self.json(0);
        let ours = (of(&plan, "/spec/approval"), plan["spec"]["approved"].as_bool());
        let theirs = (of(&self.expect, "/approval"), self.expect["approved"].as_bool());
        compare("the approval", &ours, &theirs).into_iter().collect()
    }

    /// Asserts that the accounts hold exactly the recorded permissions in every recorded namespace, and that the table
    /// shows each rule.
    fn rules(&self) -> Vec<String> {
        let recorded = json_file(&self.folder.join(of(&self.expect, "/rules")));
        let home = of(&recorded, "/namespace");
        let shown = self.json(0);
        let shown = shown["status"]["accounts"].as_array().cloned().unwrap_or_default();
        let mut found = Vec::new();
        let mut names = texts_of_keys(&recorded["effective"]);
        names.extend(shown.iter().map(|account| of(account, "/serviceAccountRef/name")));
        for name in names {
            let mut accounts = shown.iter();
            let account = accounts.find(|account| of(account, "/serviceAccountRef/name") == name);
            let account = account.unwrap_or(&Value::Null);
            let permissions = account["permissions"].as_array().cloned().unwrap_or_default();
            for namespace in ASKED.into_iter().chain([home.as_str()]) {
                let here = permissions.iter().filter(|rule| {
                    let namespaces = texts(&rule["namespaces"]);
                    namespaces.is_empty() || namespaces.contains(namespace)
                });
                let ours: Vec<Rule> = here.map(Rule::read).collect();
                let theirs: Vec<Rule> = ["effective", "addedByOlm"]
                    .iter()
                    .flat_map(|part| {
                        recorded[*part][&name][namespace]
                            .as_array()
                            .cloned()
                            .unwrap_or_default()
                    })
                    .map(|rule| Rule::read(&rule))
                    .collect();
                for rule in uncovered(&ours, &theirs).unwrap() {
                    found.push(format!("{name} has {rule} in {namespace}, which is not shown"));
                }
                for rule in uncovered(&theirs, &ours).unwrap() {
                    found.push(format!(
                        "{name} is shown to have {rule} in {namespace}, which it has not"
                    ));
                }
                for rule in theirs {
                    let what = rule.resources.iter().chain(&rule.non_resource_urls).next().unwrap();
                    let mut lines = self.said[1].stdout.lines().filter(|line| line.contains(&name));
                    let is_shown = lines.any(|line| {
                        let in_place = line.contains("(all)") || line.contains(namespace);
                        in_place && line.contains(what) && rule.verbs.iter().all(|verb| line.contains(verb))
                    });
                    if !is_shown {
                        found.push(format!("the table shows no {rule} of {name} in {namespace}"));
                    }
                }
            }
            if permissions.iter().any(|rule| of(rule, "/reason").is_empty()) {
                found.push(format!("{name} has a permission without a reason"));
            }
        }
        let reasons = format!("{}", Value::Array(shown));
        for object in recorded["objects"].as_array().unwrap() {
            if !reasons.contains(&of(object, "/name")) {
                found.push(format!(
                    "no reason names the {} {}",
                    of(object, "/kind"),
                    of(object, "/name")
                ));
            }
        }
        found
    }

    fn size(&self) -> Vec<String> {
        let report = self.json(1);
        let bundle = of(&self.expect, "/bundle");
        let findings = report["findings"].as_array().into_iter().flatten();
        let mut sizes = findings
            .filter(|finding| of(finding, "/rule").ends_with("-size") && of(finding, "/message").contains(&bundle));
        let ours = sizes.next().is_some();
        compare("being too large", &ours, &(self.expect["tooLarge"] == true))
            .into_iter()
            .collect()
    }

    fn upgrades(&self) -> Vec<String> {
        let report = self.json(0);
        let held = self.expect["held"] == true;
        let mut found: Vec<String> = compare("the exit status", &self.said[0].status, &Some(if held { 3 } else { 0 }))
            .into_iter()
            .collect();
        if held {
            let (operator, message) = (of(&self.expect, "/operator"), of(&self.expect, "/message"));
            let mut operators = report["operators"].as_array().into_iter().flatten();
            let ours = operators.find(|entry| of(entry, "/operator") == operator);
            let ours = ours.map(|entry| of(entry, "/message"));
            found.extend(compare("why it is held", &ours, &Some(message)));
        }
        found
    }

    fn condition_role(&self) -> Vec<String> {
        let documents = text::read("init", self.said[0].stdout.as_bytes(), &Limits::default()).documents;
        let objects: Vec<Value> = documents.into_iter().map(Document::into_value).collect();
        let mut roles = objects.iter().filter(|object| object["kind"] == "Role");
        let theirs = &self.expect["role"];
        let Some(ours) = roles.find(|role| role["metadata"]["name"] == theirs["name"]) else {
            return Vec::new();
        };
        let rules = |role: &Value| -> BTreeSet<Rule> {
            let rules = role["rules"].as_array().unwrap().iter().map(Rule::read);
            rules
                .map(|mut rule| {
                    rule.verbs.sort();
                    rule
                })
                .collect()
        };
        let mut found: Vec<String> = compare("the role", &rules(ours), &rules(theirs)).into_iter().collect();
        found.extend(compare(
            "its namespace",
            &of(ours, "/metadata/namespace"),
            &of(theirs, "/namespace"),
        ));
        found
    }

    fn optional(&self) -> Vec<String> {
        let ours = self.json(0);
        let mut found: Vec<String> = Vec::new();
        found.extend(compare(
            "the phase",
            &of(&ours, "/status/phase"),
            &of(&self.expect, "/phase"),
        ));
        let object = of(&self.expect, "/object");
        let step = steps(&ours).into_iter().find(|step| label(step) == object);
        let step = step.map(|step| (of(step, "/status"), step["optional"] == true));
        found.extend(compare("the object", &step, &Some((of(&self.expect, "/status"), true))));
        found
    }
}

fn texts_of_keys(map: &Value) -> BTreeSet<String> {
    map.as_object().unwrap().keys().cloned().collect()
}

fn steps(plan: &Value) -> Vec<&Value> {
    plan["status"]["plan"].as_array().into_iter().flatten().collect()
}

/// `Kind/name` of a step.
fn label(step: &Value) -> String {
    format!("{}/{}", of(step, "/resource/kind"), of(step, "/resource/name"))
}

/// The differences between two plans; with `only`, those in the steps of that bundle.
fn plans(ours: &Value, theirs: &Value, only: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    let names = |plan: &Value| texts(&plan["spec"]["clusterServiceVersionNames"]);
    if only.is_none() {
        found.extend(compare("what is installed", &names(ours), &names(theirs)));
    }
    let (ours, theirs) = (by_bundle(ours), by_bundle(theirs));
    let bundles: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for bundle in bundles {
        if only.is_some_and(|only| only != bundle) {
            continue;
        }
        let none = (Vec::new(), Vec::new());
        let (ours, theirs) = (ours.get(bundle).unwrap_or(&none), theirs.get(bundle).unwrap_or(&none));
        for (ours, theirs) in [(&ours.0, &theirs.0), (&ours.1, &theirs.1)] {
            let labels = |steps: &[Value]| -> Vec<String> { steps.iter().map(label).collect() };
            found.extend(compare(
                &format!("the steps of {bundle}"),
                &labels(ours),
                &labels(theirs),
            ));
            for (ours, theirs) in ours.iter().zip(theirs) {
                let mut ours = ours.clone();
                let csv = |step: &Value| step["resource"]["manifest"].clone();
                if of(&ours, "/resource/kind") == "ClusterServiceVersion" {
                    without_schema_descriptions(&mut ours["resource"]["manifest"], &csv(theirs));
                }
                if ours != *theirs {
                    found.push(format!("{bundle}: {ours}\n    and not {theirs}"));
                }
            }
        }
    }
    found
}

/// Removes the descriptions of own kinds, which now come from their schemas, unless the recorded version has them.
pub(crate) fn without_schema_descriptions(ours: &mut Value, theirs: &Value) {
    const OWNED: &str = "/spec/customresourcedefinitions/owned";
    let described = |entry: &&Value| entry.get("description").is_some();
    let theirs = theirs.pointer(OWNED).and_then(Value::as_array).into_iter().flatten();
    let described: BTreeSet<String> = theirs.filter(described).map(|entry| of(entry, "/name")).collect();
    let ours = ours.pointer_mut(OWNED).and_then(Value::as_array_mut);
    for entry in ours.into_iter().flatten() {
        if !described.contains(&of(entry, "/name")) {
            entry.as_object_mut().unwrap().remove("description");
        }
    }
}

/// The steps of each bundle: first the ordered ones, then generated RBAC and Subscriptions, which are unordered.
fn by_bundle(plan: &Value) -> BTreeMap<String, (Vec<Value>, Vec<Value>)> {
    let mut bundles: BTreeMap<String, (Vec<Value>, Vec<Value>)> = BTreeMap::new();
    for step in steps(plan) {
        let mut manifest: Value = serde_json::from_str(&of(step, "/resource/manifest")).unwrap();
        let without_kind = manifest.get("kind").is_none();
        if let Some(text) = manifest.pointer_mut(&format!("/metadata/annotations/{}", PROPERTIES.replace('/', "~1"))) {
            let written: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
            let properties = written["properties"].as_array().cloned().unwrap_or_default();
            let set: BTreeSet<String> = properties
                .iter()
                .map(|property| cleaned(property).to_string())
                .collect();
            *text = json!(set);
        }
        let resource = &step["resource"];
        let compared = json!({
            "resolving": step["resolving"],
            "resource": {
                "group": resource["group"], "version": resource["version"], "kind": resource["kind"],
                "name": resource["name"], "sourceName": resource["sourceName"],
                "sourceNamespace": resource["sourceNamespace"], "manifest": cleaned(&manifest),
            },
        });
        let (ordered, unordered) = bundles.entry(of(step, "/resolving")).or_default();
        if without_kind { unordered } else { ordered }.push(compared);
    }
    for (_, unordered) in bundles.values_mut() {
        unordered.sort_by_key(label);
    }
    bundles
}

/// A value with sorted keys and without defaults of the cluster and empty values.
fn cleaned(value: &Value) -> Value {
    const FILLED_IN: [&str; 5] = [
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "lastUpdated",
    ];
    match value {
        Value::Array(items) => Value::Array(items.iter().map(cleaned).collect()),
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| !FILLED_IN.contains(&key.as_str()));
            let kept = kept.map(|(key, value)| (key.clone(), cleaned(value)));
            let kept = kept.filter(|(_, value)| ![json!(null), json!(""), json!([]), json!({})].contains(value));
            let sorted: BTreeMap<String, Value> = kept.collect();
            Value::Object(sorted.into_iter().collect())
        }
        other => other.clone(),
    }
}
