//! Published bundles taken apart into manifests, and put together again.
//!
//! Every `registry+v1` bundle of the corpus whose Deployments' accounts have no wildcard types goes to `k8s+v1`, is
//! synthesized, and is compared with its own CSV field by field, in all fields. What is compared and what is not is
//! written here independently of what the conversion says about itself.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic and say what it saw"
)]

#[path = "shared/csv_schema.rs"]
mod schema;
mod shared;

use opmx::bundle::{self, BundleReading, MediaType};
use opmx::conversion::convert;
use opmx::diagnostic::Diagnostic;
use opmx::kubernetes::rbac::PolicyRule;
use opmx::synthesis::synthesize;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::check_reading;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Fields whose value is another one, by bundle and by the beginning and end of their paths, with the cause.
const KNOWN: &[(&str, &str, &str, &str)] = &[
    (
        "strimzi-kafka-operator/1.2.0",
        "spec.MinKubeVersion",
        "",
        "no field of a CSV: a cluster drops it",
    ),
    (
        "node-healthcheck-operator/0.3.0",
        "spec.com.redhat.openshift.versions",
        "",
        "no field of a CSV: a cluster drops it",
    ),
    (
        "enmasse/0.30.2",
        "spec.customresourcedefinitions.owned",
        ".group",
        "no field of an owned CRD: a cluster drops it",
    ),
    ("etcd/", "spec.customresourcedefinitions.owned", "].name", NAMELESS),
    (
        "prometheus/0.56.3",
        "spec.customresourcedefinitions.owned",
        "].name",
        NAMELESS,
    ),
    (
        "service-binding-operator/1.4.0",
        "apiVersion",
        "",
        "not the version of a CSV: OLM does not read it",
    ),
];

const NAMELESS: &str = "a resource without the name that the schema asks for gets an empty one";

/// Fields that no CSV of an author needs: OLM and the cluster set them.
const SET_BY_CLUSTER: [&str; 3] = ["metadata.namespace", "metadata.creationTimestamp", "status"];

fn read(tree: &Tree) -> BundleReading {
    bundle::read(tree, &Limits::default())
}

fn converted(tree: &Tree) -> (Option<Tree>, Vec<Diagnostic>) {
    let conversion = convert(tree, &read(tree), "converted", &Limits::default())
        .unwrap()
        .unwrap();
    (conversion.tree, conversion.diagnostics)
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Whether the accounts of the Deployments have no wildcard types (plain-k8s-bundles, "Inferrable").
fn qualifies(csv: &Value) -> bool {
    let strategy = &csv["spec"]["install"]["spec"];
    let accounts: BTreeSet<&str> = list(strategy, "deployments")
        .iter()
        .map(|deployment| {
            let pod = &deployment["spec"]["template"]["spec"];
            let names = ["serviceAccountName", "serviceAccount"].map(|field| text(pod, field));
            names.into_iter().find(|name| !name.is_empty()).unwrap_or("default")
        })
        .collect();
    ["permissions", "clusterPermissions"]
        .iter()
        .flat_map(|field| list(strategy, field))
        .filter(|entry| accounts.contains(text(entry, "serviceAccountName")))
        .flat_map(|entry| list(entry, "rules"))
        .all(|rule| {
            let is = |field: &str, wild: fn(&str) -> bool| {
                list(rule, field).iter().any(|item| item.as_str().is_some_and(wild))
            };
            !is("apiGroups", |group| group == "*")
                && !is("resources", |resource| resource == "*" || resource.starts_with("*/"))
        })
}

/// Every field of a CSV: path to value. Entries of lists whose order means nothing are called by what they are known by.
fn fields(csv: &Value) -> BTreeMap<String, Value> {
    let mut fields = BTreeMap::new();
    for (key, value) in csv.as_object().unwrap() {
        collect(key, value, &mut fields);
    }
    fields.retain(|path, _| !SET_BY_CLUSTER.iter().any(|set| path.starts_with(set)));
    fields
}

fn collect(path: &str, value: &Value, fields: &mut BTreeMap<String, Value>) {
    // A Deployment is copied as it is; everywhere else empty is absent.
    let in_deployment = path.starts_with("spec.install.spec.deployments[") && path.contains("].spec");
    match (path, value) {
        ("spec.install.spec.permissions" | "spec.install.spec.clusterPermissions", _) => {
            for (account, rules) in granted(value) {
                for (index, rule) in rules.into_iter().enumerate() {
                    collect(&format!("{path}[{account}].rules[{index}]"), rule, fields);
                }
            }
        }
        ("spec.webhookdefinitions", _) => {
            for (name, webhook) in webhooks(value) {
                collect(&format!("{path}[{name}]"), &webhook, fields);
            }
        }
        (_, Value::Object(map)) if !map.is_empty() => {
            for (key, item) in map {
                collect(&format!("{path}.{key}"), item, fields);
            }
        }
        (_, Value::Array(items)) if !items.is_empty() => {
            let keys: &[&str] = match path {
                "spec.install.spec.deployments" => &["name"],
                "spec.installModes" => &["type"],
                "spec.nativeAPIs" => &["group", "version", "kind"],
                path if path.ends_with("definitions.owned") || path.ends_with("definitions.required") => {
                    &["name", "version", "kind"]
                }
                _ => &[],
            };
            for (index, item) in items.iter().enumerate() {
                let known: Vec<&str> = keys.iter().map(|key| text(item, key)).collect();
                let name = if known.is_empty() {
                    index.to_string()
                } else {
                    known.join(" ")
                };
                collect(&format!("{path}[{name}]"), item, fields);
            }
        }
        (_, Value::Object(_) | Value::Array(_) | Value::Null) if !in_deployment => {}
        (_, Value::String(text)) if text.is_empty() && !in_deployment && !path.ends_with("].name") => {}
        _ => {
            // What an entry repeats, such as a native API, counts once.
            let before = fields.insert(path.to_owned(), value.clone());
            assert!(before.is_none_or(|before| before == *value), "{path} stands twice");
        }
    }
}

/// The rules of each account: one entry an account, each rule once (csv-synthesis 6.4, D28).
fn granted(entries: &Value) -> BTreeMap<&str, Vec<&Value>> {
    let mut granted: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for entry in entries.as_array().into_iter().flatten() {
        for rule in list(entry, "rules") {
            let known = granted.entry(text(entry, "serviceAccountName")).or_default();
            if !known
                .iter()
                .any(|other| PolicyRule(other).grants_the_same(PolicyRule(rule)))
            {
                known.push(rule);
            }
        }
    }
    granted
}

/// The webhooks with default ports (10.1); conversions by CRD, because one definition may stand for several, and its
/// name follows from them (10.3, D21).
fn webhooks(definitions: &Value) -> Vec<(String, Value)> {
    let mut webhooks = Vec::new();
    for definition in definitions.as_array().into_iter().flatten() {
        let mut webhook = definition.clone();
        if webhook["containerPort"].is_null() {
            webhook["containerPort"] = json!(443);
        }
        if webhook["targetPort"].is_null() {
            webhook["targetPort"] = webhook["containerPort"].clone();
        }
        let kind = text(definition, "type");
        if kind == "ConversionWebhook" {
            for crd in list(definition, "conversionCRDs") {
                let mut webhook = webhook.clone();
                webhook["generateName"] = Value::Null;
                webhook["conversionCRDs"] = json!([crd]);
                webhooks.push((format!("{kind} {}", crd.as_str().unwrap()), webhook));
            }
        } else {
            webhooks.push((format!("{kind} {}", text(definition, "generateName")), webhook));
        }
    }
    webhooks
}

/// A pod that names its account by the old field gets the new one as well (csv-synthesis 5).
fn with_account_names(mut csv: Value) -> Value {
    let deployments = csv
        .pointer_mut("/spec/install/spec/deployments")
        .and_then(Value::as_array_mut);
    for deployment in deployments.into_iter().flatten() {
        let pod = deployment.pointer_mut("/spec/template/spec").unwrap();
        if text(pod, "serviceAccountName").is_empty() && !text(pod, "serviceAccount").is_empty() {
            pod["serviceAccountName"] = pod["serviceAccount"].clone();
        }
    }
    csv
}

/// Whether manifests alone say it; the rest comes from `olm.yaml`.
fn is_inferrable(path: &str) -> bool {
    let owned = path.starts_with("spec.customresourcedefinitions.owned[");
    let identity =
        ["].name", "].version", "].kind"].iter().any(|end| path.ends_with(end)) && path.matches(']').count() == 1;
    owned && identity
        || [
            "spec.install.",
            "spec.webhookdefinitions",
            "spec.nativeAPIs",
            "spec.customresourcedefinitions.required",
            "spec.apiservicedefinitions",
        ]
        .iter()
        .any(|start| path.starts_with(start))
}

#[derive(Default)]
struct Tally {
    inferrable: usize,
    carried: usize,
    differences: Vec<String>,
    known: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn compare(&mut self, bundle: &str, original: &Value, synthesized: &Value) {
        let original = fields(&with_account_names(original.clone()));
        let synthesized = fields(synthesized);
        let paths: BTreeSet<&String> = original.keys().chain(synthesized.keys()).collect();
        for path in paths {
            if is_inferrable(path) {
                self.inferrable += 1;
            } else {
                self.carried += 1;
            }
            let (before, after) = (original.get(path), synthesized.get(path));
            if before == after {
                continue;
            }
            let known = KNOWN
                .iter()
                .find(|(of, start, end, _)| bundle.starts_with(of) && path.starts_with(start) && path.ends_with(end));
            match known.filter(|_| !is_inferrable(path)) {
                Some((.., cause)) => *self.known.entry(cause).or_default() += 1,
                None => self
                    .differences
                    .push(format!("{bundle}: {path}: {before:?} became {after:?}")),
            }
        }
    }
}

/// What the schema says against a synthesized CSV and not against the published one, wherever in a list it stands.
fn new_problems(schema: &jsonschema::Validator, original: &Value, csv: &Value) -> Vec<String> {
    let anywhere = |problem: &String| problem.replace(|letter: char| letter.is_ascii_digit(), "0");
    let before: BTreeSet<String> = schema::problems(schema, original).iter().map(anywhere).collect();
    let problems = schema::problems(schema, csv).into_iter();
    problems
        .filter(|problem| !before.contains(&anywhere(problem)))
        .collect()
}

fn bundles(corpus: &Path) -> Vec<(String, PathBuf)> {
    let mut found: Vec<_> = walkdir::WalkDir::new(corpus)
        .min_depth(2)
        .max_depth(2)
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.join("manifests").is_dir())
        .map(|path| (path.strip_prefix(corpus).unwrap().display().to_string(), path))
        .collect();
    found.sort();
    found
}

#[test]
fn published_bundles_come_back_as_they_were() {
    let Some(corpus) = shared::folder("corpus/registryv1") else {
        return;
    };
    let schema = shared::folder("schemas").map(|folder| schema::validator(&folder));
    let mut tally = Tally::default();
    let (mut round_trips, mut refused, mut validated) = (0, 0, 0);
    for (name, path) in bundles(&corpus) {
        let tree = Tree::from_directory(&path, &TreeLimits::default()).unwrap();
        let reading = read(&tree);
        let original = reading.bundle.as_ref().unwrap().csv().unwrap().value().clone();
        let (plain, findings) = converted(&tree);
        if !qualifies(&original) {
            let rules: BTreeSet<&str> = findings
                .iter()
                .filter(|finding| finding.is_error())
                .map(|finding| finding.rule.id)
                .collect();
            assert_eq!(rules, BTreeSet::from(["rbac-wildcard"]), "{name}: {findings:#?}");
            assert!(findings.iter().any(|finding| finding.place.is_some()) && plain.is_none());
            refused += 1;
            continue;
        }
        let plain = plain.unwrap_or_else(|| panic!("{name} was not converted: {findings:#?}"));
        let reading = read(&plain);
        let bundle = reading.bundle.as_ref().unwrap();
        assert_eq!(bundle.media_type, MediaType::K8sV1, "{name}");
        let synthesis = synthesize(bundle, &reading.diagnostics);
        let csv = synthesis
            .csv
            .unwrap_or_else(|| panic!("{name}: {:#?}", synthesis.diagnostics));
        tally.compare(&name, &original, &csv);
        round_trips += 1;

        let (registry, findings) = converted(&plain);
        let registry = registry.unwrap_or_else(|| panic!("{name} did not go back: {findings:#?}"));
        let reading = read(&registry);
        let bundle = reading.bundle.as_ref().unwrap();
        assert_eq!(bundle.media_type, MediaType::RegistryV1, "{name}");
        assert_eq!(bundle.csv().unwrap().value(), &csv, "{name}");
        let errors: Vec<_> = check_reading(&reading)
            .into_iter()
            .filter(Diagnostic::is_error)
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        if let Some(schema) = &schema {
            let problems = new_problems(schema, &original, &csv);
            assert_eq!(problems, [""; 0], "{name}");
            validated += usize::from(schema::problems(schema, &csv).is_empty());
        }
        let (again, findings) = converted(&registry);
        let again = again.unwrap_or_else(|| panic!("{name} did not convert a second time: {findings:#?}"));
        let reading = read(&again);
        let second = synthesize(reading.bundle.as_ref().unwrap(), &reading.diagnostics).csv;
        assert_eq!(second.as_ref(), Some(&csv), "{name} is no fixed point");
    }
    println!("{round_trips} bundles there and back, {refused} refused for wildcards");
    println!(
        "{} inferrable and {} carried fields compared",
        tally.inferrable, tally.carried
    );
    println!(
        "{} differences; {validated} CSVs valid by the schema",
        tally.differences.len()
    );
    for (cause, count) in &tally.known {
        println!("{count} carried fields: {cause}");
    }
    assert!(tally.differences.is_empty(), "{}", tally.differences.join("\n"));
    assert_eq!((round_trips, refused), (69, 48));
}
