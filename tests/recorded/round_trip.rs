//! Published bundles, split into manifests and put together again.
//!
//! Every `registry+v1` bundle of the corpus without wildcard types for the accounts of its Deployments is converted to
//! `k8s+v1`, synthesized, and compared with its own CSV in all fields. The expected differences are listed here,
//! independently of the messages of the conversion.

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

/// Fields with a different value: the bundle, the beginning and end of their paths, and the cause.
const KNOWN: &[(&str, &str, &str, &str)] = &[
    ("strimzi-kafka-operator/1.2.0", "spec.MinKubeVersion", "", UNKNOWN),
    (
        "node-healthcheck-operator/0.3.0",
        "spec.com.redhat.openshift.versions",
        "",
        UNKNOWN,
    ),
    (
        "node-maintenance-operator/0.1",
        "spec.com.redhat.openshift.versions",
        "",
        UNKNOWN,
    ),
    ("deployment-validation-operator/", "spec.skipRange", "", UNKNOWN),
    (
        "enmasse/0.30.2",
        "spec.customresourcedefinitions.owned",
        ".group",
        UNKNOWN,
    ),
    (
        "multicluster-operators-subscription/",
        "spec.customresourcedefinitions.owned",
        ".group",
        UNKNOWN,
    ),
    (
        "multicluster-operators-subscription/",
        "spec.customresourcedefinitions.owned[gitopsclusters.apps.open-cluster-management.io v1alpha1 ",
        "",
        UNSERVED,
    ),
    ("etcd/", "spec.customresourcedefinitions.owned", "].name", NAMELESS),
    (
        "prometheus/0.56.3",
        "spec.customresourcedefinitions.owned",
        "].name",
        NAMELESS,
    ),
    (
        "tidb-operator/1.3.1",
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

const UNKNOWN: &str = "no field of a CSV: a cluster drops it";
const UNSERVED: &str = "an owned version that its CRD does not serve: OLM refuses it (8, D27)";
const NAMELESS: &str = "a resource without the name that the schema asks for gets an empty one";

/// Fields set by OLM and the cluster rather than by authors.
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

/// Every field of a CSV as path and value. Items of unordered lists are identified by their keys.
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
            assert!(before.is_none_or(|before| before == *value), "{path} appears twice");
        }
    }
}

/// The rules of each account: one entry per account, without duplicates (csv-synthesis 6.4, D28).
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

/// The webhooks with default ports (10.1), and conversions by CRD, because one definition may cover several, and its
/// name is derived from them (10.3, D21).
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

/// A pod with its account in the deprecated field gets the current one as well (csv-synthesis 5).
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

/// Whether the field comes from manifests alone and not from `olm.yaml`.
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
    /// The number of known differences in inferrable fields.
    known_inferrable: usize,
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
            match known {
                Some((.., cause)) => {
                    *self.known.entry(cause).or_default() += 1;
                    self.known_inferrable += usize::from(is_inferrable(path));
                }
                None => self
                    .differences
                    .push(format!("{bundle}: {path}: {before:?} became {after:?}")),
            }
        }
    }
}

/// The schema errors of a synthesized CSV that the published one does not have, regardless of list positions. A
/// Deployment is copied with its errors.
fn new_problems(schema: &jsonschema::Validator, original: &Value, csv: &Value) -> Vec<String> {
    let anywhere = |problem: &String| {
        let place = problem.split(':').next().unwrap_or_default();
        let copied = place.starts_with("/spec/install/spec/deployments/");
        let problem = if copied { place } else { problem };
        problem.replace(|letter: char| letter.is_ascii_digit(), "0")
    };
    let before: BTreeSet<String> = crate::schema::problems(schema, original).iter().map(anywhere).collect();
    let problems = crate::schema::problems(schema, csv).into_iter();
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

fn bundle_csv_file(tree: &Tree) -> String {
    let bundle = read(tree).bundle.unwrap();
    let file = bundle.csv().unwrap().file();
    file.strip_prefix(&format!("{}/", tree.origin())).unwrap().to_owned()
}

/// The results for all bundles.
#[derive(Default)]
struct Run {
    tally: Tally,
    round_trips: usize,
    valid: usize,
}

impl Run {
    /// One round trip, and a second one.
    fn round_trip(&mut self, name: &str, tree: &Tree, schema: Option<&jsonschema::Validator>) {
        let original = read(tree).bundle.unwrap().csv().unwrap().value().clone();
        let (plain, findings) = converted(tree);
        let plain = plain.unwrap_or_else(|| panic!("{name} was not converted: {findings:#?}"));
        let reading = read(&plain);
        let bundle = reading.bundle.as_ref().unwrap();
        assert_eq!(bundle.media_type, MediaType::K8sV1, "{name}");
        let synthesis = synthesize(bundle, &reading.diagnostics);
        let csv = synthesis
            .csv
            .unwrap_or_else(|| panic!("{name}: {:#?}", synthesis.diagnostics));
        self.tally.compare(name, &original, &csv);
        self.round_trips += 1;
        let read_again = ["annotations.yaml", "annotations.yml"];
        let csv_file = bundle_csv_file(tree);
        let mut left_out = Vec::new();
        for (path, content) in tree.iter().filter(|(path, _)| *path != csv_file) {
            match plain.get(path) {
                None => left_out.push(path),
                Some(after) => assert!(
                    after == content || read_again.iter().any(|name| path.ends_with(name)),
                    "{name}: {path} has not stayed as it was"
                ),
            }
        }
        let said = findings
            .iter()
            .filter(|finding| finding.rule.id == "convert-file-left-out");
        assert_eq!(left_out.len(), said.count(), "{name}: {left_out:?} are left out");

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
        if let Some(schema) = schema {
            let problems = new_problems(schema, &original, &csv);
            assert_eq!(problems, [""; 0], "{name}");
            self.valid += usize::from(crate::schema::problems(schema, &csv).is_empty());
        }
        let (again, findings) = converted(&registry);
        let again = again.unwrap_or_else(|| panic!("{name} did not convert a second time: {findings:#?}"));
        let reading = read(&again);
        let second = synthesize(reading.bundle.as_ref().unwrap(), &reading.diagnostics).csv;
        assert_eq!(second.as_ref(), Some(&csv), "{name} is no fixed point");
    }

    fn print(&self) {
        println!(
            "{} bundles there and back; {} CSVs valid by the schema",
            self.round_trips, self.valid
        );
        let Tally {
            inferrable,
            carried,
            differences,
            known,
            known_inferrable,
        } = &self.tally;
        println!("{inferrable} inferrable and {carried} carried fields compared");
        println!("{} differences without a known cause", differences.len());
        println!("{known_inferrable} inferrable fields with a known cause");
        for (cause, count) in known {
            println!("{count} fields: {cause}");
        }
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
}

fn corpus() -> Option<(Vec<(String, Tree)>, jsonschema::Validator)> {
    let corpus = crate::shared::folder("corpus/registryv1")?;
    let schema = crate::schema::validator(&crate::shared::folder("schemas")?);
    let bundles = bundles(&corpus).into_iter();
    let trees = bundles.map(|(name, path)| (name, Tree::from_directory(&path, &TreeLimits::default()).unwrap()));
    Some((trees.collect(), schema))
}

#[test]
fn published_bundles_survive_a_round_trip() {
    let Some((bundles, schema)) = corpus() else {
        return;
    };
    let mut run = Run::default();
    let mut refused = 0;
    for (name, tree) in &bundles {
        let csv = read(tree).bundle.unwrap().csv().unwrap().value().clone();
        if qualifies(&csv) {
            run.round_trip(name, tree, Some(&schema));
            continue;
        }
        let (plain, findings) = converted(tree);
        let errors = findings.iter().filter(|finding| finding.is_error());
        let rules: BTreeSet<&str> = errors.map(|finding| finding.rule.id).collect();
        assert_eq!(rules, BTreeSet::from(["rbac-wildcard"]), "{name}: {findings:#?}");
        assert!(plain.is_none(), "{name}");
        refused += 1;
    }
    run.print();
    assert_eq!((run.round_trips, refused), (69, 48));
    assert_eq!(run.tally.known_inferrable, 0);
}

/// The rejected bundles are as diverse as the others, so they are tested with their wildcards expanded.
#[test]
fn rejected_bundles_survive_a_round_trip_once_their_wildcards_are_expanded() {
    let Some((bundles, schema)) = corpus() else {
        return;
    };
    let mut run = Run::default();
    for (name, mut tree) in bundles {
        let reading = read(&tree);
        let csv = reading.bundle.as_ref().unwrap().csv().unwrap();
        if qualifies(csv.value()) {
            continue;
        }
        let path = csv
            .file()
            .strip_prefix(&format!("{}/", tree.origin()))
            .unwrap()
            .to_owned();
        let named = without_wildcards(csv.value());
        let text = opmx::text::to_yaml(&named);
        tree.insert(&path, text.into_bytes(), &TreeLimits::default()).unwrap();
        run.round_trip(&name, &tree, Some(&schema));
    }
    run.print();
    assert_eq!(run.round_trips, 48);
    // Name, version and kind of the one version that is not served.
    assert_eq!(run.tally.known_inferrable, 3);
}

fn without_wildcards(csv: &Value) -> Value {
    let mut csv = csv.clone();
    for field in ["permissions", "clusterPermissions"] {
        let entries = csv.pointer_mut(&format!("/spec/install/spec/{field}"));
        for entry in entries.and_then(Value::as_array_mut).into_iter().flatten() {
            for rule in entry["rules"].as_array_mut().unwrap() {
                for (list, name) in [("apiGroups", "things.example.com"), ("resources", "things")] {
                    for item in rule.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                        let text = item.as_str().unwrap();
                        if text == "*" || text.starts_with("*/") {
                            *item = text.replacen('*', name, 1).into();
                        }
                    }
                }
            }
        }
    }
    csv
}

/// Asserts that plain manifests of a published operator synthesize to the same CSV after a round trip to `registry+v1`.
#[test]
fn synthesized_bundles_are_fixed_points() {
    let Some(folder) = crate::shared::folder("corpus/k8sv1") else {
        return;
    };
    let annotations = "annotations:\n  operators.operatorframework.io.bundle.channels.v1: stable\n  operators.operatorframework.io.bundle.manifests.v1: manifests/\n  operators.operatorframework.io.bundle.mediatype.v1: k8s+v1\n  operators.operatorframework.io.bundle.metadata.v1: metadata/\n  operators.operatorframework.io.bundle.package.v1: operator\n";
    let limits = TreeLimits::default();
    let mut trees = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let case = entry.unwrap().path();
        if !case.is_dir() {
            continue;
        }
        let mut tree = Tree::new("");
        for (path, content) in Tree::from_directory(&case.join("raw"), &limits).unwrap().iter() {
            tree.insert(&format!("manifests/{path}"), content.to_vec(), &limits)
                .unwrap();
        }
        let olm = std::fs::read(case.join("olm.yaml")).unwrap();
        tree.insert(bundle::OLM_YAML, olm, &limits).unwrap();
        tree.insert("metadata/annotations.yaml", annotations.into(), &limits)
            .unwrap();
        trees.push((case.file_name().unwrap().to_string_lossy().into_owned(), tree));
    }
    let (mut there, mut refused) = (0, 0);
    for (name, tree) in trees {
        let reading = read(&tree);
        let synthesis = synthesize(reading.bundle.as_ref().unwrap(), &reading.diagnostics);
        let Some(csv) = synthesis.csv else {
            let mut errors = synthesis.diagnostics.iter().filter(|finding| finding.is_error());
            // Wildcards are carried along.
            let wildcards_alone = errors.all(|finding| *finding.rule == opmx::rules::RBAC_WILDCARD);
            assert_eq!(converted(&tree).0.is_some(), wildcards_alone, "{name}");
            refused += 1;
            continue;
        };
        let mut tree = tree;
        for step in 0..4 {
            let (next, findings) = converted(&tree);
            tree = next.unwrap_or_else(|| panic!("{name}, step {step}: {findings:#?}"));
            let reading = read(&tree);
            let bundle = reading.bundle.as_ref().unwrap();
            let found = match bundle.csv() {
                Some(csv) => csv.value().clone(),
                None => synthesize(bundle, &reading.diagnostics).csv.unwrap(),
            };
            assert_eq!(found, csv, "{name}, step {step}");
        }
        there += 1;
    }
    println!("{there} operators there and back twice, {refused} refused as before");
    assert_eq!(there + refused, 10);
    assert!(there >= 5, "{there}");
}
