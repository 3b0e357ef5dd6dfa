use super::*;
use crate::cluster::json_schema;
use crate::cluster::state::UpgradeStrategy;

fn state(text: &str) -> Result<State, String> {
    read("state.yaml", text.as_bytes(), &Limits::default()).map_err(|error| error.to_string())
}

const WHOLE: &str = "\
version: 1
name: everything
namespace: team
globalNamespace: olm
excludeGlobalCatalogs: true
upgradeStrategy: TechPreviewUnsafeFailForward
serviceAccount: installer
catalogs:
- name: main
  source: index.db
- {name: own, namespace: team, priority: -3, packages: []}
installed:
- {name: foo.v1, version: 1.0.0, package: foo, provides: [{group: g, version: v1, kind: Foo}]}
subscriptions:
- {package: foo, catalog: main, channel: '', installedCSV: foo.v1}
- {name: b, package: bar, catalog: own}
apis:
- {group: apps, version: v1, kind: Deployment, plural: deployments}
- {version: v1, kind: Namespace, plural: namespaces, namespaced: false}
objects:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: null}}
grants:
- serviceAccount: installer
  rules: [{apiGroups: [''], resources: [pods], verbs: [get], namespaces: [team]}]
conditions:
- {apiVersion: operators.coreos.com/v2, kind: OperatorCondition, metadata: {name: foo.v1}}
errors:
- {kind: ConfigMap, reason: Forbidden}
- {code: 500}
";

#[test]
fn every_key_is_read_and_omitted_ones_have_defaults() {
    let state = state(WHOLE).unwrap();
    assert_eq!(state.upgrade_strategy, UpgradeStrategy::FailForward);
    assert!(state.exclude_global_catalogs);
    assert_eq!(state.service_account.as_deref(), Some("installer"));
    let catalogs: Vec<_> = state
        .catalogs
        .iter()
        .map(|catalog| (&*catalog.namespace, catalog.priority, catalog.source.as_deref()))
        .collect();
    assert_eq!(catalogs, [("olm", 0, Some("index.db")), ("team", -3, None)]);
    assert_eq!(state.installed[0].phase, "Succeeded");
    let [first, second] = &state.subscriptions[..] else {
        panic!("two subscriptions")
    };
    assert_eq!((&*first.name, &*first.catalog_namespace), ("foo", "olm"));
    assert_eq!(
        (first.channel.as_deref(), first.current_csv.as_deref()),
        (None, Some("foo.v1"))
    );
    assert_eq!((&*second.name, &*second.catalog_namespace), ("b", "team"));
    let apis = state.apis.unwrap();
    assert_eq!((apis[0].namespaced, apis[1].namespaced), (true, false));
    assert_eq!((&*apis[0].kind.group, &*apis[1].kind.group), ("apps", ""));
    // Complete objects keep keys without a value.
    assert!(state.objects[0]["data"]["b"].is_null());
    assert_eq!(state.objects[0]["data"].as_object().map(serde_json::Map::len), Some(1));
    assert_eq!(state.grants[0].namespace, "team");
    assert_eq!(state.grants[0].rules[0]["namespaces"][0], "team");
    assert_eq!(
        (state.errors[0].reason.as_deref(), state.errors[1].code),
        (Some("Forbidden"), Some(500))
    );
}

#[test]
fn an_empty_map_is_an_empty_state() {
    let state = state("{}").unwrap();
    assert_eq!((&*state.namespace, state.apis), (NAMESPACE, None));
}

/// An invalid file, its error, and whether the schema also rejects the file.
const WRONG: &[(&str, &str, bool)] = &[
    ("[]", "1:1: the file must be a map, not a list", true),
    ("version: 2", "1:10: unknown format version 2", true),
    ("version: '1'", "1:10: unknown format version \"1\"", true),
    (
        "kubernetesVersion: latest",
        "1:20: kubernetesVersion must be a version such as 1.30.2, not \"latest\"",
        false,
    ),
    (
        "namspace: a",
        "1:1: namspace is not a known key of the file; did you mean namespace?",
        true,
    ),
    (
        "subscriptions:\n- package: a\n  installedCsv: b",
        "3:3: subscriptions[0].installedCsv is not a known key of the file; did you mean installedCSV?",
        true,
    ),
    (
        "errors: [{completely: 1}]",
        "known keys are group, version, kind, namespace, name, verb, reason, code, message",
        true,
    ),
    (
        "subscriptions: [{}]",
        "1:17: subscriptions[0] requires a value for package",
        true,
    ),
    (
        "subscriptions: [{package: ''}]",
        "subscriptions[0] requires a value for package",
        true,
    ),
    ("subscriptions: [{package: a}]", "but there are 0 catalogs", false),
    (
        "installed:\n- {name: a, version: 1.0}",
        "2:22: installed[0].version must be a string, not a number; use quotes",
        true,
    ),
    (
        "excludeGlobalCatalogs: 'true'",
        "must be true or false, not a string",
        true,
    ),
    (
        "upgradeStrategy: Fast",
        "upgradeStrategy is \"Fast\", but must be Default or TechPreviewUnsafeFailForward",
        true,
    ),
    ("catalogs: {}", "catalogs must be a list, not a map", true),
    (
        "catalogs: [{name: a, priority: 1.5}]",
        "must be a whole number from -2147483648 to 2147483647, not 1.5",
        true,
    ),
    (
        "catalogs: [{name: a, source: b, packages: []}]",
        "has both a source and packages",
        true,
    ),
    (
        "catalogs: [{name: a}, {name: a}]",
        "the catalog operators/a appears twice",
        false,
    ),
    (
        "installed: [{name: a}, {name: a}]",
        "the installed operator a appears twice",
        false,
    ),
    (
        "catalogs: [{name: a, packages: [{name: p, channels: [{name: c, entries: [{name: b}]}]}]}]",
        "the package p has no bundle b, although its channel c has an entry for it",
        false,
    ),
    (
        "objects: [{kind: A}]",
        "objects[0] requires a value for apiVersion",
        true,
    ),
    (
        "objects: [{apiVersion: 1, kind: A}]",
        "objects[0].apiVersion must be a string, not a number",
        true,
    ),
    (
        "grants: [{serviceAccount: a}]",
        "grants[0] requires a value for rules",
        true,
    ),
    (
        "grants: [{serviceAccount: a, rules: [a]}]",
        "grants[0].rules[0] must be a map, not a string",
        true,
    ),
    ("errors: [{kind: A}]", "the error has neither a reason nor a code", true),
    (
        "errors: [{kind: A, code: 20}]",
        "must be a whole number from 100 to 599, not 20",
        true,
    ),
    ("apis: [{kind: A}]", "apis[0] requires a value for version", true),
    (
        "catalogs: [{name: a, packages: [{name: p, bundles: [{name: b, properties: [{value: 1}]}]}]}]",
        "requires a value for type",
        true,
    ),
];

#[test]
fn errors_are_reported_with_their_line() {
    for (text, expected, _) in WRONG {
        let error = state(text).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
        assert!(error.starts_with("state.yaml:"), "{error}");
    }
    for text in ["", "---\na: 1\n---\nb: 1", "a: [", "{}\n---\n{}"] {
        assert!(state(text).is_err(), "{text:?}");
    }
    let long = format!("{{\"{}\": 1}}", "a".repeat(100_000));
    assert!(state(&long).unwrap_err().contains("known keys are version, name"));
}

#[test]
fn the_schema_rejects_the_same_files() {
    let schema = json_schema();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let value = |text: &str| {
        let reading = text::read("state.yaml", text.as_bytes(), &Limits::default());
        reading.documents[0].value().clone()
    };
    for good in [
        WHOLE,
        "{}",
        "name:\nerrors:\ncatalogs: [{name: a, source: b, packages: null}]",
    ] {
        assert!(state(good).is_ok(), "{:?}", state(good));
        let errors: Vec<String> = validator
            .iter_errors(&value(good))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{good}: {errors:?}");
    }
    for (text, _, visible) in WRONG {
        assert_eq!(!validator.is_valid(&value(text)), *visible, "{text}");
    }
}

#[test]
fn a_source_is_relative_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.yaml");
    std::fs::write(folder.path().join("index.db"), "").unwrap();
    std::fs::create_dir(folder.path().join("layout")).unwrap();
    let beside = folder.path().display();
    for (source, expected) in [
        ("index.db", format!("{beside}/index.db")),
        ("oci:layout:v1", format!("oci:{beside}/layout:v1")),
        ("absent.db", "absent.db".to_owned()),
        ("/index.db", "/index.db".to_owned()),
        (
            "registry.example.com/index:v1",
            "registry.example.com/index:v1".to_owned(),
        ),
    ] {
        assert_eq!(source_beside(&file, source), expected);
    }
}
