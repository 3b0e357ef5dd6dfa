use super::*;
use crate::server::listing::Absent;
use crate::server::proto;
use prost::Message;
use serde_json::{Value, json};
use std::fs;

/// Limits that let the files stay open.
fn kept_open() -> CatalogLimits {
    CatalogLimits {
        open_files: 256,
        ..CatalogLimits::default()
    }
}

fn catalog(documents: &[Value]) -> (tempfile::TempDir, Listing, Files) {
    let folder = tempfile::tempdir().unwrap();
    let text: String = documents.iter().map(|document| format!("{document:#}\n")).collect();
    fs::write(folder.path().join("catalog.json"), text).unwrap();
    let files = CatalogFiles::open(folder.path().into(), kept_open()).unwrap();
    let (listing, files) = files.into_parts();
    (folder, listing, files)
}

fn package(name: &str) -> Value {
    json!({
        "schema": "olm.package", "name": name, "defaultChannel": "b", "description": format!("all about {name}"),
        "icon": {"base64data": "aWNvbg==", "mediatype": "image/png"},
    })
}

fn channel(package: &str, name: &str, entries: &Value) -> Value {
    json!({"schema": "olm.channel", "package": package, "name": name, "entries": entries})
}

fn bundle(package: &str, name: &str, image: &str, more: &[Value]) -> Value {
    let identity = json!({"type": "olm.package", "value": {"packageName": package, "version": "1.2.3"}});
    let properties: Vec<_> = [identity].iter().chain(more).cloned().collect();
    json!({
        "schema": "olm.bundle", "package": package, "name": name, "image": image, "properties": properties,
        "relatedImages": [{"name": "", "image": "registry.example.com/x:1"}],
    })
}

fn single(listing: &Listing, files: &Files, package: &str, channel: &str, name: &str) -> proto::Bundle {
    let entry = listing.entry(package, channel, name).unwrap();
    let manifests = files.manifests(listing.wanted(entry).id).unwrap();
    let message = listing.single_message(entry, &[], manifests).encode_to_vec();
    proto::Bundle::decode(&*message).unwrap()
}

#[test]
fn a_field_of_an_entry_may_be_null() {
    let entry = json!({"name": "x.v2", "replaces": "x.v1", "skips": null, "skipRange": null});
    let (_folder, listing, files) = catalog(&[
        package("one"),
        channel("one", "b", &json!([{"name": "x.v1", "replaces": null}, entry])),
        bundle("one", "x.v1", "registry.example.com/x:1", &[]),
        bundle("one", "x.v2", "registry.example.com/x:2", &[]),
    ]);
    assert_eq!(single(&listing, &files, "one", "b", "x.v2").version, "1.2.3");
    assert_eq!(listing.head("one", "b").unwrap().0, "x.v2");
}

#[test]
fn bundle_names_and_skip_ranges_are_scoped_to_package_and_channel() {
    let image = "registry.example.com/x:1";
    let (_folder, listing, files) = catalog(&[
        bundle("two", "x.v1", image, &[]),
        bundle("one", "x.v1", "", &[]),
        channel("two", "b", &json!([{"name": "x.v1", "skipRange": "<1"}])),
        channel(
            "one",
            "b",
            &json!([{"name": "x.v1", "skipRange": "<2", "skips": ["x.v0"]}]),
        ),
        channel("one", "a", &json!([{"name": "x.v1", "replaces": "x.v0"}])),
        package("two"),
        package("one"),
    ]);
    let mut listed = Vec::new();
    let mut at = 0;
    while let Some((place, entry)) = listing.listed(at) {
        let message = listing.listed_message(entry, &[], Bytes::new()).encode_to_vec();
        let bundle = proto::Bundle::decode(&*message).unwrap();
        listed.push((
            bundle.package_name,
            bundle.channel_name,
            bundle.skip_range,
            bundle.replaces,
            bundle.skips,
        ));
        at = place + 1;
    }
    let row = |package: &str, channel: &str, range: &str, replaces: &str, skips: &[&str]| {
        let skips = skips.iter().map(ToString::to_string).collect();
        (
            package.to_owned(),
            channel.to_owned(),
            range.to_owned(),
            replaces.to_owned(),
            skips,
        )
    };
    let expected = [
        row("one", "a", "", "x.v0", &[]),
        row("one", "b", "<2", "", &["x.v0"]),
        row("two", "b", "<1", "", &[]),
    ];
    assert_eq!(listed, expected);
    assert_eq!(single(&listing, &files, "two", "b", "x.v1").bundle_path, image);
    assert_eq!(single(&listing, &files, "one", "b", "x.v1").bundle_path, "");
    assert_eq!(listing.entry("two", "a", "x.v1").unwrap_err(), Absent::Channel);
    assert_eq!(listing.head("one", "a").unwrap().0, "x.v1");
}

#[test]
fn requirements_are_also_dependencies_and_keep_their_intent() {
    let gvk = json!({"group": "g.io", "kind": "K", "version": "v1"});
    let (_folder, listing, files) = catalog(&[
        package("p"),
        channel("p", "b", &json!([{"name": "p.v1"}])),
        bundle(
            "p",
            "p.v1",
            "registry.example.com/p:1",
            &[
                json!({"type": "olm.gvk.required", "value": gvk}),
                json!({"type": "olm.package.required", "value": {"packageName": "q", "versionRange": "1.x", "intent": "optional"}}),
                json!({"type": "olm.constraint", "value": {"failureMessage": "no", "all": {"constraints": []}}}),
                json!({"type": "olm.bundle.object", "value": {"data": "e30="}}),
            ],
        ),
    ]);
    let bundle = single(&listing, &files, "p", "b", "p.v1");
    let shown = |kind: &str, value: &str| (kind.to_owned(), value.to_owned());
    let dependencies: Vec<_> = bundle
        .dependencies
        .into_iter()
        .map(|one| (one.r#type, one.value))
        .collect();
    let expected = [
        shown("olm.gvk", r#"{"group":"g.io","kind":"K","version":"v1"}"#),
        shown(
            "olm.package",
            r#"{"intent":"optional","packageName":"q","version":"1.x"}"#,
        ),
    ];
    assert_eq!(dependencies, expected);
    let kinds: Vec<_> = bundle.properties.iter().map(|one| one.r#type.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "olm.package",
            "olm.gvk.required",
            "olm.package.required",
            "olm.constraint"
        ]
    );
    assert!(bundle.properties[2].value.contains(r#""intent":"optional""#));
    assert_eq!(bundle.required_apis[0].kind, "K");
    assert!(bundle.provided_apis.is_empty());
}

#[test]
fn deprecations_are_in_the_messages_they_refer_to() {
    let entry = |schema: &str, name: Option<&str>, message: &str| {
        let mut reference = json!({"schema": schema});
        if let Some(name) = name {
            reference["name"] = name.into();
        }
        json!({"reference": reference, "message": message})
    };
    let entries = [
        entry("olm.package", None, "no package"),
        entry("olm.channel", Some("b"), "no channel"),
        entry("olm.bundle", Some("p.v1"), "no bundle"),
    ];
    let (_folder, listing, files) = catalog(&[
        json!({"schema": "olm.deprecations", "package": "p", "entries": entries}),
        package("p"),
        channel(
            "p",
            "a",
            &json!([{"name": "p.v2", "replaces": "p.v1"}, {"name": "p.v1"}]),
        ),
        channel("p", "b", &json!([{"name": "p.v1"}])),
        bundle("p", "p.v1", "registry.example.com/p:1", &[]),
        bundle("p", "p.v2", "registry.example.com/p:2", &[]),
    ]);
    let message = listing.package("p").unwrap().encode_to_vec();
    let message = proto::Package::decode(&*message).unwrap();
    let said = |deprecation: Option<proto::Deprecation>| deprecation.map(|deprecation| deprecation.message);
    assert_eq!(said(message.deprecation).as_deref(), Some("no package"));
    let channels: Vec<_> = message
        .channels
        .into_iter()
        .map(|one| (one.csv_name, said(one.deprecation)))
        .collect();
    assert_eq!(channels[0], ("p.v2".to_owned(), None));
    assert_eq!(channels[1], ("p.v1".to_owned(), Some("no channel".to_owned())));
    let deprecation = |channel: &str, name: &str| said(single(&listing, &files, "p", channel, name).deprecation);
    assert_eq!(deprecation("a", "p.v1").as_deref(), Some("no bundle"));
    assert_eq!(deprecation("b", "p.v1").as_deref(), Some("no bundle"));
    assert_eq!(deprecation("a", "p.v2"), None);
}

#[test]
fn a_csv_is_reconstructed_from_metadata_if_only_the_image_contains_it() {
    let metadata = json!({
        "annotations": {"capabilities": "Basic Install"}, "displayName": "P", "keywords": ["k"],
        "crdDescriptions": {"owned": []}, "apiServiceDefinitions": {}, "provider": {"name": "N"}, "minKubeVersion": "",
    });
    let property = json!({"type": "olm.csv.metadata", "value": metadata});
    let (_folder, listing, files) = catalog(&[
        package("p"),
        channel("p", "b", &json!([{"name": "p.v1"}])),
        bundle("p", "p.v1", "registry.example.com/p:1", &[property]),
    ]);
    let bundle = single(&listing, &files, "p", "b", "p.v1");
    assert_eq!(bundle.object, std::slice::from_ref(&bundle.csv_json));
    assert!(bundle.properties.iter().all(|one| one.r#type != "olm.csv.metadata"));
    let csv: Value = serde_json::from_str(&bundle.csv_json).unwrap();
    let expected = json!({
        "kind": "ClusterServiceVersion", "apiVersion": "operators.coreos.com/v1alpha1",
        "metadata": {"name": "p.v1", "annotations": {"capabilities": "Basic Install"}},
        "spec": {
            "install": {"strategy": "deployment", "spec": {"deployments": null}}, "version": "1.2.3",
            "customresourcedefinitions": {"owned": []}, "apiservicedefinitions": {}, "displayName": "P",
            "description": "all about p", "keywords": ["k"], "provider": {"name": "N"},
            "icon": [{"base64data": "aWNvbg==", "mediatype": "image/png"}],
            "relatedImages": [{"name": "", "image": "registry.example.com/x:1"}],
        },
    });
    assert_eq!(csv, expected);
}

#[test]
fn manifests_are_decoded_and_yaml_converted_to_json() {
    let data = |text: &str| {
        use base64::Engine;
        let data = base64::engine::general_purpose::STANDARD.encode(text);
        json!({"type": "olm.bundle.object", "value": {"data": data}})
    };
    let csv =
        r#"{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"p.v1"}}"#;
    let (_folder, listing, files) = catalog(&[
        package("p"),
        channel("p", "b", &json!([{"name": "p.v1"}])),
        bundle("p", "p.v1", "", &[data("kind: Service\napiVersion: v1\n"), data(csv)]),
    ]);
    let bundle = single(&listing, &files, "p", "b", "p.v1");
    assert_eq!(bundle.csv_json, csv);
    assert_eq!(bundle.object, [r#"{"kind":"Service","apiVersion":"v1"}"#, csv]);
}
