//! Catalogs built from documents.

use super::*;
use serde_json::json;

fn loaded(documents: &[Value]) -> Result<Loaded, LoadError> {
    let mut loader = Loader::default();
    for (number, document) in documents.iter().enumerate() {
        let document = Document::from_json(&document.to_string()).unwrap();
        loader.add(number, None, &document)?;
    }
    loader.finish()
}

fn package(default_channel: &str) -> Value {
    json!({"schema": "olm.package", "name": "p", "defaultChannel": default_channel})
}

fn channel(name: &str, entries: &Value) -> Value {
    json!({"schema": "olm.channel", "package": "p", "name": name, "entries": entries})
}

fn bundle(name: &str, version: &str) -> Value {
    json!({"schema": "olm.bundle", "package": "p", "name": name, "image": "", "properties": [
        {"type": "olm.package", "value": {"version": version, "packageName": "p"}},
    ]})
}

#[test]
fn requirements_become_dependencies_and_manifests_are_not_loaded() {
    let mut of_bundle = bundle("p.v1", "1.0.0");
    let more = json!([
        {"type": "olm.gvk", "value": {"version": "v1", "kind": "K", "group": "g"}},
        {"type": "olm.gvk.required", "value": {"version": "v1", "kind": "N", "group": "g"}},
        {"type": "olm.package.required", "value": {"versionRange": ">1.0.0", "packageName": "q", "intent": "optional"}},
        {"type": "olm.constraint", "value": {"all": {}}},
        {"type": "olm.bundle.object", "value": {"data": "e30="}},
        {"type": "olm.csv.metadata", "value": {"displayName": "P"}},
    ]);
    let list = of_bundle["properties"].as_array_mut().unwrap();
    list.extend(more.as_array().unwrap().iter().cloned());
    let documents = [of_bundle, channel("a", &json!([{"name": "p.v1"}])), package("a")];
    let loaded = loaded(&documents).unwrap();
    let bundle = &loaded.catalog.bundles[0];
    let shown = |list: &[Property]| -> Vec<String> {
        list.iter()
            .map(|property| format!("{} {}", property.kind, property.value))
            .collect()
    };
    assert_eq!(
        shown(&bundle.properties),
        [
            r#"olm.package {"packageName":"p","version":"1.0.0"}"#,
            r#"olm.gvk {"group":"g","kind":"K","version":"v1"}"#
        ]
    );
    assert_eq!(
        shown(&bundle.dependencies),
        [
            r#"olm.gvk {"group":"g","kind":"N","version":"v1"}"#,
            r#"olm.package {"intent":"optional","packageName":"q","version":"\u003e1.0.0"}"#,
            r#"olm.constraint {"all":{}}"#
        ]
    );
    assert_eq!(
        (bundle.version.as_deref(), bundle.image.as_deref()),
        (Some("1.0.0"), Some(""))
    );
    assert_eq!(bundle.manifests, ManifestsId(0));
}

#[test]
fn entries_are_ordered_from_the_head_down() {
    let entries = json!([
        {"name": "p.v1"},
        {"name": "p.v10", "replaces": "p.v2", "skips": ["p.v9"]},
        {"name": "p.v2", "replaces": "p.v1"},
        {"name": "p.v9"},
    ]);
    let documents = [
        package("a"),
        channel("a", &entries),
        bundle("p.v1", "1.0.0"),
        bundle("p.v2", "2.0.0"),
        bundle("p.v9", "9.0.0"),
        bundle("p.v10", "10.0.0"),
    ];
    let loaded = loaded(&documents).unwrap();
    let channel = &loaded.catalog.packages[0].channels[0];
    let names = |ids: &[BundleId]| -> Vec<String> {
        let bundles = ids.iter().map(|id| loaded.catalog.bundle(*id).unwrap());
        bundles.map(|bundle| bundle.name.to_string()).collect()
    };
    let order: Vec<BundleId> = channel.entries.iter().map(|entry| entry.bundle).collect();
    assert_eq!(names(&order), ["p.v10", "p.v9", "p.v2", "p.v1"]);
    assert_eq!(channel.head.as_deref(), Some("p.v10"));
    assert_eq!(names(&heads(&loaded.catalog, channel)), ["p.v10"]);
}

#[test]
fn each_entry_keeps_its_range() {
    let with = |range: &str| json!([{"name": "p.v1", "skipRange": range}]);
    let documents = [
        package("c"),
        channel("a", &with("<1.0.0")),
        channel("b", &with("")),
        channel("c", &with("<0.9.0")),
        bundle("p.v1", "1.0.0"),
    ];
    let loaded = loaded(&documents).unwrap();
    let package = &loaded.catalog.packages[0];
    let entries = package.channels.iter().flat_map(|channel| &channel.entries);
    let ranges: Vec<_> = entries.map(|entry| entry.skip_range.as_deref()).collect();
    assert_eq!(ranges, [Some("<1.0.0"), None, Some("<0.9.0")]);
}

#[test]
fn an_inconsistent_catalog_is_rejected() {
    let entry = |name: &str| json!([{"name": name}]);
    let cases: [(Vec<Value>, &str); 7] = [
        (vec![package(""), package("")], "package \"p\" already exists"),
        (
            vec![channel("a", &json!([]))],
            "channel \"a\" of package \"p\" belongs to a package",
        ),
        (
            vec![bundle("p.v1", "1.0.0")],
            "bundle \"p.v1\" of package \"p\" belongs to a package",
        ),
        (
            vec![package("a"), channel("a", &entry("p.v2"))],
            "has an entry for bundle \"p.v2\"",
        ),
        (
            vec![
                package("a"),
                channel("a", &json!([{"name": "b"}, {"name": "b"}])),
                bundle("b", "1.0.0"),
            ],
            "has two entries for bundle \"b\"",
        ),
        (vec![package("a"), channel("a", &json!({}))], "entries of channel \"a\""),
        (
            vec![json!({"schema": "olm.bundle", "package": "p"})],
            "the olm.bundle has no name",
        ),
    ];
    for (documents, words) in cases {
        let error = loaded(&documents).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn deprecations_belong_to_their_package() {
    let deprecations = json!({"schema": "olm.deprecations", "package": "p", "entries": [
        {"reference": {"schema": "olm.package"}, "message": "m"},
        {"reference": {"schema": "olm.channel", "name": "a"}, "message": "m"},
        {"reference": {"schema": "olm.bundle", "name": "p.v1"}, "message": "m"},
    ]});
    let deprecated = loaded(&[package("a"), deprecations]).unwrap().deprecated;
    let pair = |name: &str| BTreeSet::from([(Text::from("p"), Text::from(name))]);
    assert_eq!(deprecated.packages, BTreeSet::from([Text::from("p")]));
    assert_eq!((deprecated.channels, deprecated.bundles), (pair("a"), pair("p.v1")));
}
