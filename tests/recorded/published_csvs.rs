//! The synthesized CSVs of published operators, compared with those by their maintainers: every difference is listed in
//! `testdata/published-differences.tsv` with its cause, and the cause is checked.
//!
//! `OPMX_UPDATE=1 cargo test --test recorded published_csvs` updates the table. A difference without a cause fails even
//! then.

use opmx::bundle::{self, OLM_YAML};
use opmx::image::Reference;
use opmx::synthesis::synthesize;
use opmx::text::{self, Limits, canonical};
use opmx::tree::{Tree, TreeLimits};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Operators without a pair to compare, with the reason.
const ALONE: [(&str, &str); 2] = [
    ("grafana-operator", "its rules have wildcards, so there is no CSV"),
    ("metrics-server", "its maintainers publish no CSV"),
];

/// A value that only one of the two CSVs has, or that differs.
struct Difference {
    path: String,
    synthesized: Option<Value>,
    published: Option<Value>,
}

/// The data that causes are checked against, besides the difference itself.
struct Operator {
    /// The volumes of the synthesized CSV whose secrets would have been created by the certificates in the raw
    /// manifests.
    certificate_volumes: BTreeSet<String>,
    /// The volumes of the synthesized CSV with the token of the service account.
    token_volumes: BTreeSet<String>,
    /// The descriptions of its own kinds in their schemas.
    schema_descriptions: BTreeSet<String>,
    /// The fields of `spec` in the schema of a CSV.
    known_fields: BTreeSet<String>,
}

/// The name of a cause, and its condition.
type Cause = (&'static str, fn(&Difference, &Operator) -> bool);

/// All causes. The first one that applies wins.
const CAUSES: [Cause; 18] = [
    ("empty value", |difference, _| {
        matches!(
            (&difference.synthesized, &difference.published),
            (Some(value), None) | (None, Some(value)) if is_empty(value)
        )
    }),
    ("described by the schema", |difference, operator| {
        let text = difference.synthesized.as_ref().and_then(Value::as_str);
        difference.published.is_none()
            && difference.path.starts_with("spec.customresourcedefinitions.owned[")
            && difference.path.ends_with("].description")
            && text.is_some_and(|text| operator.schema_descriptions.contains(text))
    }),
    ("placeholder namespace", |difference, _| {
        difference.path == "metadata.namespace" && difference.synthesized.is_none()
    }),
    ("image changed", |difference, _| {
        let is_image = |value: &Option<Value>| {
            let text = value.as_ref().and_then(Value::as_str);
            text.is_some_and(|text| text.parse::<Reference>().is_ok())
        };
        difference
            .path
            .rsplit_once('.')
            .is_some_and(|(_, last)| last == "image")
            && is_image(&difference.synthesized)
            && is_image(&difference.published)
    }),
    ("deployment renamed", |difference, _| {
        difference.path.starts_with("spec.install.spec.deployments[") && difference.path.ends_with("].name")
    }),
    ("label changed", |difference, _| {
        below(&difference.path, "spec.install.spec.deployments[", "].label")
    }),
    ("argument changed", |difference, _| {
        below(&difference.path, "].spec.template.spec.containers[", "].args[")
    }),
    ("environment changed", |difference, _| {
        below(&difference.path, "].spec.template.spec.containers[", "].env")
    }),
    ("certificate volume left out", |difference, operator| {
        let volume = difference.synthesized.as_ref().and_then(|value| value["name"].as_str());
        difference.published.is_none() && volume.is_some_and(|name| operator.certificate_volumes.contains(name))
    }),
    ("token not mounted by hand", |difference, operator| {
        let volume = difference.synthesized.as_ref().and_then(|value| value["name"].as_str());
        let turned_off = difference
            .path
            .ends_with("].spec.template.spec.automountServiceAccountToken")
            && difference.synthesized == Some(Value::Bool(false));
        difference.published.is_none()
            && (turned_off || volume.is_some_and(|name| operator.token_volumes.contains(name)))
    }),
    ("resources left out", |difference, _| {
        let path = &difference.path;
        below(path, "].spec.template.spec.containers[", "].resources.") && difference.published.is_none()
    }),
    ("update strategy set", |difference, _| {
        below(&difference.path, "spec.install.spec.deployments[", "].spec.strategy") && difference.synthesized.is_none()
    }),
    ("security context left out", |difference, _| {
        let path = &difference.path;
        below(path, "].spec.template.spec.containers[", "].securityContext") && difference.published.is_none()
    }),
    ("permissions trimmed", |difference, _| {
        grants_less(difference.synthesized.as_ref(), difference.published.as_ref())
    }),
    ("permissions extended", |difference, _| {
        grants_less(difference.published.as_ref(), difference.synthesized.as_ref())
    }),
    ("rules regrouped", |difference, _| {
        let granted = |value: &Option<Value>| value.as_ref().map(grants);
        difference.path.ends_with("].rules") && granted(&difference.synthesized) == granted(&difference.published)
    }),
    ("required by olm.yaml", |difference, _| {
        difference.path == "spec.minKubeVersion" && difference.published.is_none()
    }),
    ("unknown to the format", |difference, operator| {
        let field = difference.path.strip_prefix("spec.");
        difference.synthesized.is_none()
            && field.is_some_and(|field| !field.contains(['.', '[']) && !operator.known_fields.contains(field))
    }),
];

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Whether the path contains the parts one after the other.
fn below(path: &str, outer: &str, inner: &str) -> bool {
    path.split_once(outer).is_some_and(|(_, rest)| rest.contains(inner))
}

/// Whether two lists of verbs on one resource differ only in verbs that `less` lacks.
fn grants_less(more: Option<&Value>, less: Option<&Value>) -> bool {
    let verbs = |value: Option<&Value>| -> Option<BTreeSet<String>> {
        let verbs = value.map_or(Some(&[][..]), |value| value["granted"].as_array().map(Vec::as_slice))?;
        Some(verbs.iter().map(|verb| verb.as_str().unwrap().to_owned()).collect())
    };
    matches!((verbs(more), verbs(less)), (Some(more), Some(less)) if less.is_subset(&more) && less != more)
}

/// The permissions of rules: the verbs for each resource or path, with its names if it is restricted to some.
fn grants(rules: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let list = |rule: &Value, key: &str| -> Vec<String> {
        let items = rule[key].as_array().into_iter().flatten();
        items.map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    let mut grants: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for rule in rules.as_array().unwrap() {
        let mut names = list(rule, "resourceNames");
        names.sort();
        let names = if names.is_empty() {
            String::new()
        } else {
            format!("({})", names.join(","))
        };
        let resources = list(rule, "apiGroups").into_iter().flat_map(|group| {
            let resources = list(rule, "resources");
            resources.into_iter().map(move |resource| format!("{resource}.{group}"))
        });
        let targets = resources.chain(list(rule, "nonResourceURLs"));
        for target in targets {
            let verbs = grants.entry(format!("{target}{names}")).or_default();
            verbs.extend(list(rule, "verbs"));
        }
    }
    grants
}

fn differ(path: &str, synthesized: &Value, published: &Value, found: &mut Vec<Difference>) {
    if synthesized == published {
        return;
    }
    match (synthesized, published) {
        (Value::Object(left), Value::Object(right)) => {
            let dot = if path.is_empty() { "" } else { "." };
            let (left, right) = (by_key(left), by_key(right));
            compare(&left, &right, |key| format!("{path}{dot}{key}"), found);
        }
        (Value::Array(left), Value::Array(right)) if path.ends_with("].rules") => {
            differ_in_rules(path, left, right, found);
        }
        (Value::Array(left), Value::Array(right)) => {
            let (mut left, mut right) = (by_identity(left), by_identity(right));
            if path.ends_with(".deployments") {
                pair_the_renamed(&mut left, &mut right);
            }
            compare(&left, &right, |key| format!("{path}[{key}]"), found);
        }
        _ => found.push(Difference {
            path: path.to_owned(),
            synthesized: Some(synthesized.clone()),
            published: Some(published.clone()),
        }),
    }
}

fn by_key(fields: &Map<String, Value>) -> BTreeMap<String, &Value> {
    fields.iter().map(|(key, value)| (key.clone(), value)).collect()
}

/// The items by their identifying keys: the order in the lists of a CSV has no meaning.
fn by_identity(items: &[Value]) -> BTreeMap<String, &Value> {
    const KEYS: [&str; 5] = ["serviceAccountName", "generateName", "name", "type", "containerPort"];
    let mut named = BTreeMap::new();
    for item in items {
        let names = KEYS.iter().filter_map(|key| item.get(key));
        let name = names
            .map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned))
            .next();
        let version = item
            .get("version")
            .and_then(Value::as_str)
            .map(|version| format!("/{version}"));
        let name = match name {
            Some(name) => name + version.as_deref().unwrap_or_default(),
            None => item.as_str().map_or_else(|| canonical::to_string(item), str::to_owned),
        };
        let before = named.insert(name.clone(), item);
        assert!(before.is_none(), "two items are called {name}");
    }
    named
}

/// If each side has one deployment that the other lacks, they are the same under two names.
fn pair_the_renamed(left: &mut BTreeMap<String, &Value>, right: &mut BTreeMap<String, &Value>) {
    let alone = |these: &BTreeMap<String, &Value>, those: &BTreeMap<String, &Value>| -> Vec<String> {
        these
            .keys()
            .filter(|name| !those.contains_key(*name))
            .cloned()
            .collect()
    };
    if let ([old], [new]) = (alone(left, right).as_slice(), alone(right, left).as_slice()) {
        let deployment = right.remove(new).unwrap();
        right.insert(old.clone(), deployment);
    }
}

fn compare(
    left: &BTreeMap<String, &Value>,
    right: &BTreeMap<String, &Value>,
    path: impl Fn(&str) -> String,
    found: &mut Vec<Difference>,
) {
    let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    for key in keys {
        match (left.get(key), right.get(key)) {
            (Some(left), Some(right)) => differ(&path(key), left, right, found),
            (left, right) => found.push(Difference {
                path: path(key),
                synthesized: left.map(|value| (*value).clone()),
                published: right.map(|value| (*value).clone()),
            }),
        }
    }
}

/// Compares rules by what they grant, resource by resource, or by their notation.
fn differ_in_rules(path: &str, left: &[Value], right: &[Value], found: &mut Vec<Difference>) {
    let set = |rules: &[Value]| -> BTreeSet<String> { rules.iter().map(canonical::to_string).collect() };
    let (granted, wanted) = (grants(&Value::from(left)), grants(&Value::from(right)));
    if granted == wanted {
        if set(left) != set(right) {
            found.push(Difference {
                path: path.to_owned(),
                synthesized: Some(left.into()),
                published: Some(right.into()),
            });
        }
        return;
    }
    let verbs = |verbs: Option<&BTreeSet<String>>| verbs.map(|verbs| serde_json::json!({ "granted": verbs }));
    let targets: BTreeSet<&String> = granted.keys().chain(wanted.keys()).collect();
    for target in targets
        .into_iter()
        .filter(|target| granted.get(*target) != wanted.get(*target))
    {
        found.push(Difference {
            path: format!("{path}[{target}]"),
            synthesized: verbs(granted.get(target)),
            published: verbs(wanted.get(target)),
        });
    }
}

/// The bundle of the raw manifests and the recorded `olm.yaml`.
fn bundle_tree(case: &Path) -> Tree {
    let raw = Tree::from_directory(&case.join("raw"), &TreeLimits::default()).unwrap();
    let mut tree = Tree::new("");
    for (path, content) in raw.iter() {
        let path = format!("manifests/{path}");
        tree.insert(&path, content.to_vec(), &TreeLimits::default()).unwrap();
    }
    let olm = fs::read(case.join("olm.yaml")).unwrap();
    tree.insert(OLM_YAML, olm, &TreeLimits::default()).unwrap();
    tree
}

fn document(path: &Path) -> Value {
    let read = text::read("", &fs::read(path).unwrap(), &Limits::default());
    read.documents[0].value().clone()
}

/// The names of the matching volumes in the deployments of a CSV.
fn volumes_of(csv: &Value, wanted: impl Fn(&Value) -> bool) -> BTreeSet<String> {
    let deployments = csv["spec"]["install"]["spec"]["deployments"].as_array().unwrap();
    let volumes = deployments.iter().flat_map(|deployment| {
        let volumes = &deployment["spec"]["template"]["spec"]["volumes"];
        volumes.as_array().into_iter().flatten()
    });
    volumes
        .filter(|volume| wanted(volume))
        .map(|volume| volume["name"].as_str().unwrap().to_owned())
        .collect()
}

fn holds_token(volume: &Value) -> bool {
    let sources = volume["projected"]["sources"].as_array().into_iter().flatten();
    sources
        .into_iter()
        .any(|source| source.get("serviceAccountToken").is_some())
}

/// The fields of `spec` in the schema of the ClusterServiceVersion.
fn known_fields() -> BTreeSet<String> {
    let definition = document(
        &crate::shared::folder("schemas")
            .unwrap()
            .join("operators.coreos.com_clusterserviceversions.yaml"),
    );
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let fields = schema["properties"]["spec"]["properties"].as_object().unwrap();
    fields.keys().cloned().collect()
}

fn schema_descriptions(bundle: &bundle::Bundle) -> BTreeSet<String> {
    let versions = bundle
        .objects
        .iter()
        .flat_map(|object| object.list(&["spec", "versions"]));
    versions
        .filter_map(|version| version.pointer("/schema/openAPIV3Schema/description")?.as_str())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_difference_from_a_published_csv_has_a_cause() {
    let Some(folder) = crate::shared::folder("corpus/k8sv1") else {
        return;
    };
    let known_fields = known_fields();
    let mut folders: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    let (mut table, mut alone, mut without_cause) = (String::from("operator\tpath\tcause\n"), Vec::new(), Vec::new());
    for case in folders {
        let name = case.file_name().unwrap().to_str().unwrap().to_owned();
        let reading = bundle::read(&bundle_tree(&case), &Limits::default());
        let bundle = reading.bundle.unwrap();
        let synthesized = synthesize(&bundle, &reading.diagnostics).csv;
        let published = case.join("published-csv.yaml");
        let Some(synthesized) = synthesized.filter(|_| published.is_file()) else {
            alone.push(name);
            continue;
        };
        let certificates = bundle
            .objects
            .iter()
            .filter(|object| object.value()["kind"] == "Certificate");
        let secrets = certificates.filter_map(|object| object.value()["spec"]["secretName"].as_str());
        let secrets: BTreeSet<String> = secrets.map(str::to_owned).collect();
        let operator = Operator {
            certificate_volumes: volumes_of(&synthesized, |volume| {
                let secret = volume["secret"]["secretName"].as_str();
                secret.is_some_and(|name| secrets.contains(name))
            }),
            token_volumes: volumes_of(&synthesized, holds_token),
            schema_descriptions: schema_descriptions(&bundle),
            known_fields: known_fields.clone(),
        };
        let mut found = Vec::new();
        differ("", &synthesized, &document(&published), &mut found);
        for difference in found {
            let cause = CAUSES.iter().find(|(_, holds)| holds(&difference, &operator));
            match cause {
                Some((cause, _)) => table += &format!("{name}\t{}\t{cause}\n", difference.path),
                None => without_cause.push(format!(
                    "{name} {}: {:?} became {:?}",
                    difference.path, difference.synthesized, difference.published
                )),
            }
        }
    }
    assert!(
        without_cause.is_empty(),
        "without a cause:\n{}",
        without_cause.join("\n")
    );
    assert_eq!(alone, ALONE.map(|(name, _)| name));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/published-differences.tsv");
    if std::env::var_os("OPMX_UPDATE").is_some() {
        fs::write(&file, &table).unwrap();
    }
    let recorded = fs::read_to_string(&file).unwrap();
    assert!(table == recorded, "the differences are now:\n{table}");
    let causes: BTreeSet<&str> = recorded
        .lines()
        .skip(1)
        .filter_map(|line| line.rsplit('\t').next())
        .collect();
    let never: Vec<_> = CAUSES
        .iter()
        .filter(|(cause, _)| !causes.contains(cause))
        .map(|(cause, _)| cause)
        .collect();
    assert!(never.is_empty(), "causes that explain nothing: {never:?}");
}
