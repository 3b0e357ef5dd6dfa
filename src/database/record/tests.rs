use super::*;

fn csv() -> Value {
    json!({
        "kind": "ClusterServiceVersion",
        "apiVersion": "operators.coreos.com/v1alpha1",
        "metadata": {"name": "memo.v1.2.0", "annotations": {"olm.skipRange": "<1.2.0"}},
        "spec": {
            "version": "1.2.0",
            "replaces": "memo.v1.1.0",
            "skips": ["memo.v1.0.1", "memo.v1.0.2"],
            "description": "a < b",
            "customresourcedefinitions": {
                "owned": [{"name": "memos.example.com", "version": "v1", "kind": "Memo"}],
                "required": [{"name": "pads.example.com", "version": "v1", "kind": "Pad"}],
            },
            "apiservicedefinitions": {
                "owned": [{"name": "scores", "group": "api.example.com", "version": "v1", "kind": "Score"}],
                "required": [{"name": "inks", "group": "", "version": "v2", "kind": "Ink"}],
            },
            "install": {"strategy": "deployment", "spec": {"deployments": [{"name": "memo", "spec": {"template": {"spec": {
                "initContainers": [{"name": "init", "image": "registry.example.com/init:1"}],
                "containers": [{"name": "memo", "image": "registry.example.com/memo:1", "env": [
                    {"name": "RELATED_IMAGE_X", "value": "registry.example.com/unseen:1"}]}, {"name": "bare"}],
            }}}}]}},
            "relatedImages": [
                {"name": "memo", "image": "registry.example.com/memo:1"},
                {"name": "db", "image": "registry.example.com/db:1"},
            ],
        },
    })
}

fn crd(api_version: &str) -> Value {
    json!({
        "apiVersion": format!("apiextensions.k8s.io/{api_version}"),
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "memos.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Memo", "plural": "memos"},
            "version": "v1beta1",
            "versions": [{"name": "v1"}, {"name": "v1alpha1", "served": false}],
        },
    })
}

fn contents<'a>(csv: &'a Value, others: &'a [Value]) -> Contents<'a> {
    Contents {
        origin: "memo/1.2.0",
        csv,
        objects: others.iter().chain([csv]).collect(),
        package: "memo",
        channels: vec!["stable".to_owned()],
        default_channel: Some(String::new()),
        dependencies: vec![("olm.package".to_owned(), r#"{ "packageName": "x" }"#.to_owned())],
        properties: vec![(
            "olm.gvk".to_owned(),
            r#"{"group":"example.com","kind":"Memo","version":"v1"}"#.to_owned(),
        )],
        bundle_path: "registry.example.com/memo-bundle:1.2.0",
        extra_images: Vec::new(),
        provided: crate::database::record::Provided::Defined,
    }
}

fn apis(apis: &BTreeSet<Api>) -> Vec<String> {
    apis.iter().map(Api::to_string).collect()
}

#[test]
fn columns_are_filled_from_the_csv() {
    let (csv, crds) = (csv(), [crd("v1")]);
    let record = Record::new(&contents(&csv, &crds)).unwrap();
    assert_eq!(
        (record.name(), record.package(), record.version()),
        ("memo.v1.2.0", "memo", "1.2.0")
    );
    assert_eq!(record.replaces, "memo.v1.1.0");
    assert_eq!(record.skips, ["memo.v1.0.1", "memo.v1.0.2"]);
    assert_eq!(record.rows.skip_range, "<1.2.0");
    assert_eq!(record.default_channel, None);
}

#[test]
fn manifests_are_lines_of_canonical_json_including_the_csv() {
    let (csv, crds) = (csv(), [crd("v1")]);
    let Manifests {
        text,
        csv: range,
        bundle,
    } = Record::new(&contents(&csv, &crds)).unwrap().manifests;
    let lines: Vec<_> = std::str::from_utf8(&text[bundle])
        .unwrap()
        .split_inclusive('\n')
        .collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with(r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"#));
    assert_eq!(lines[1].as_bytes(), &text[range]);
    assert!(lines[1].contains(r#""description":"a \u003c b""#));
    assert_eq!(serde_json::from_str::<Value>(lines[1]).unwrap(), csv);
}

#[test]
fn a_csv_missing_among_the_objects_is_still_stored_in_its_column() {
    let (csv, crds) = (csv(), [crd("v1")]);
    let mut contents = contents(&csv, &crds);
    contents.objects.pop();
    let Manifests {
        text,
        csv: range,
        bundle,
    } = Record::new(&contents).unwrap().manifests;
    assert_eq!(serde_json::from_slice::<Value>(&text[range]).unwrap(), csv);
    assert_eq!(serde_json::from_slice::<Value>(&text[bundle]).unwrap(), crds[0]);
}

#[test]
fn images_of_containers_and_related_images_are_listed_once() {
    let (csv, crds) = (csv(), [crd("v1")]);
    let mut contents = contents(&csv, &crds);
    contents.extra_images.push("registry.example.com/from:1".to_owned());
    let images = Record::new(&contents).unwrap().rows.related_images;
    let expected = ["", "db:1", "from:1", "init:1", "memo-bundle:1.2.0", "memo:1"];
    let expected = expected.map(|image| match image {
        "" => String::new(),
        image => format!("registry.example.com/{image}"),
    });
    assert_eq!(images.into_iter().collect::<Vec<_>>(), expected);
    let mut other = csv.clone();
    other["spec"]["install"]["strategy"] = "other".into();
    contents.csv = &other;
    contents.bundle_path = "";
    let images = Record::new(&contents).unwrap().rows.related_images;
    assert_eq!(images.len(), 3, "{images:?}");
}

#[test]
fn every_version_of_a_definition_is_provided_whether_served_or_not() {
    let csv = csv();
    let service = "api.example.com/v1/Score (scores)".to_owned();
    let memo = |version| format!("example.com/{version}/Memo (memos)");
    for (api_version, versions) in [
        ("v1", vec!["v1", "v1alpha1"]),
        ("v1beta1", vec!["v1", "v1alpha1", "v1beta1"]),
    ] {
        let crds = [crd(api_version)];
        let record = Record::new(&contents(&csv, &crds)).unwrap();
        let expected: Vec<_> = [service.clone()]
            .into_iter()
            .chain(versions.into_iter().map(memo))
            .collect();
        assert_eq!(apis(&record.rows.provided), expected);
        assert_eq!(
            apis(&record.rows.required),
            ["/v2/Ink (inks)", "example.com/v1/Pad (pads)"]
        );
    }
}

#[test]
fn owned_apis_must_be_defined() {
    let csv = csv();
    let error = Record::new(&contents(&csv, &[])).unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with(
            "memo/1.2.0: the ClusterServiceVersion of bundle memo.v1.2.0 owns example.com/v1/Memo (memos)"
        ),
        "{message}"
    );
    let mut nameless = csv.clone();
    nameless["spec"]["customresourcedefinitions"]["required"][0]["name"] = "pads".into();
    let crds = [crd("v1")];
    let error = Record::new(&contents(&nameless, &crds)).unwrap_err();
    assert!(
        matches!(&error, RecordError::CrdName { path, .. } if path == "spec.customresourcedefinitions.required[0].name"),
        "{error}"
    );
}

#[test]
fn dependencies_are_those_of_the_file_followed_by_required_apis() {
    let (csv, crds) = (csv(), [crd("v1")]);
    let dependencies = Record::new(&contents(&csv, &crds)).unwrap().rows.dependencies;
    let expected = [
        ("olm.package", r#"{ "packageName": "x" }"#),
        ("olm.gvk", r#"{"group":"","kind":"Ink","version":"v2"}"#),
        ("olm.gvk", r#"{"group":"example.com","kind":"Pad","version":"v1"}"#),
    ];
    assert_eq!(
        dependencies,
        expected.map(|(kind, value)| (kind.to_owned(), value.to_owned()))
    );
}

#[test]
fn properties_are_deduplicated_by_their_text() {
    let (mut csv, crds) = (csv(), [crd("v1")]);
    csv["metadata"]["annotations"]["olm.properties"] =
        r#"[{"type":"olm.maxOpenShiftVersion","value":"4.8"},{"type":"olm.maxOpenShiftVersion","value": "4.8"}]"#
            .into();
    let properties = Record::new(&contents(&csv, &crds)).unwrap().rows.properties;
    let shown: Vec<_> = properties
        .iter()
        .map(|(kind, value)| format!("{kind} {value}"))
        .collect();
    assert_eq!(
        shown,
        [
            r#"olm.package {"packageName":"memo","version":"1.2.0"}"#,
            r#"olm.gvk {"group":"api.example.com","kind":"Score","version":"v1"}"#,
            r#"olm.gvk {"group":"example.com","kind":"Memo","version":"v1"}"#,
            r#"olm.gvk {"group":"example.com","kind":"Memo","version":"v1alpha1"}"#,
            r#"olm.maxOpenShiftVersion "4.8""#,
        ]
    );
}

#[test]
fn wrong_types_are_reported_with_their_path() {
    let crds = [crd("v1")];
    for (pointer, value, path) in [
        ("/metadata/name", json!(1), "metadata.name"),
        ("/spec/version", json!(1.0), "spec.version"),
        ("/spec/skips", json!("a,b"), "spec.skips"),
        ("/spec/skips/1", json!({}), "spec.skips[1]"),
        ("/spec/relatedImages", json!({}), "spec.relatedImages"),
        ("/spec/relatedImages/0/image", json!([]), "spec.relatedImages[0].image"),
        (
            "/spec/install/spec/deployments/0",
            json!("x"),
            "spec.install.spec.deployments[0]",
        ),
        (
            "/metadata/annotations/olm.skipRange",
            json!(true),
            "metadata.annotations.olm.skipRange",
        ),
    ] {
        let mut csv = csv();
        *csv.pointer_mut(pointer).unwrap() = value;
        let error = Record::new(&contents(&csv, &crds)).unwrap_err();
        assert!(
            matches!(&error, RecordError::Shape { path: found, .. } if found == path),
            "{pointer}: {error}"
        );
    }
}

#[test]
fn a_bundle_requires_a_name_and_a_channel() {
    let crds = [crd("v1")];
    let csv = csv();
    let mut contents = contents(&csv, &crds);
    contents.channels.clear();
    assert!(matches!(
        Record::new(&contents).unwrap_err(),
        RecordError::NoChannel { .. }
    ));
    let nameless = json!({"kind": "ClusterServiceVersion"});
    contents.csv = &nameless;
    assert!(matches!(
        Record::new(&contents).unwrap_err(),
        RecordError::NameMissing { .. }
    ));
}
