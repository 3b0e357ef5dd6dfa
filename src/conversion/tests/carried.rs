//! Tests of the content of `olm.yaml` and the other files, and of the findings about omitted content.

use super::*;

#[test]
fn versions_and_modes_that_olm_yaml_requires_are_invented_and_reported() {
    let mut csv = csv();
    let spec = csv["spec"].as_object_mut().unwrap();
    for key in ["version", "minKubeVersion", "installModes"] {
        spec.shift_remove(key);
    }
    let (back, _, findings) = round_trip(&csv, &[]);
    assert_eq!(back["spec"]["version"], "0.0.0");
    assert_eq!(
        back["spec"].get("minKubeVersion"),
        None,
        "any version is as good as none"
    );
    let added: BTreeSet<_> = findings.iter().filter_map(|finding| finding.path.as_deref()).collect();
    assert_eq!(
        added,
        BTreeSet::from(["spec.version", "spec.installModes", "spec.install.spec.permissions"])
    );

    let mut csv = with("/spec/minKubeVersion", json!("v1.11"));
    set(&mut csv, "/spec/version", json!(1));
    let modes = json!([{"type": "AllNamespaces", "supported": true}, {"type": "AllNamespacesX", "supported": true}]);
    set(&mut csv, "/spec/installModes", modes);
    let (back, _, findings) = round_trip(&csv, &[]);
    assert_eq!(
        (&back["spec"]["minKubeVersion"], &back["spec"]["version"]),
        (&json!("1.11.0"), &json!("1.0.0"))
    );
    let said: BTreeSet<_> = findings
        .iter()
        .map(|finding| (finding.rule.id, finding.path.as_deref().unwrap()))
        .collect();
    for expected in [
        ("convert-field-changed", "spec.minKubeVersion"),
        ("convert-field-changed", "spec.version"),
        ("convert-field-lost", "spec.installModes[1]"),
    ] {
        assert!(said.contains(&expected), "{said:?}");
    }
}

#[test]
fn content_that_no_csv_can_hold_is_reported() {
    let mut csv = with("/spec/MinKubeVersion", json!("1.20.0"));
    set(&mut csv, "/status", json!({"phase": "Succeeded"}));
    set(&mut csv, "/metadata/namespace", json!("placeholder"));
    set(&mut csv, "/metadata/finalizers", json!(["x"]));
    set(
        &mut csv,
        "/metadata/annotations",
        json!({"certified": false, "empty": null}),
    );
    set(
        &mut csv,
        "/spec/provider",
        json!({"name": "Jane", "email": "jane@example.com"}),
    );
    set(&mut csv, "/spec/keywords", json!(["a", 1, {"b": "c"}]));
    set(&mut csv, "/spec/install/spec/extra", json!({"a": 1}));
    let (back, _, findings) = round_trip(&csv, &[]);
    assert_eq!(
        back["metadata"]["annotations"],
        json!({"certified": "false", "empty": ""})
    );
    assert_eq!(back["spec"]["keywords"], json!(["a", "1"]));
    let said: BTreeSet<_> = findings
        .iter()
        .map(|finding| (finding.rule.id, finding.path.as_deref().unwrap()))
        .collect();
    assert_eq!(
        said,
        BTreeSet::from([
            ("convert-field-added", "spec.install.spec.permissions"),
            ("convert-field-changed", "metadata.annotations.certified"),
            ("convert-field-changed", "spec.keywords[1]"),
            ("convert-field-lost", "metadata.finalizers"),
            ("convert-field-lost", "spec.MinKubeVersion"),
            ("convert-field-lost", "spec.install.spec.extra"),
            ("convert-field-lost", "spec.keywords[2]"),
            ("convert-field-lost", "spec.provider.email"),
            ("convert-field-set-by-cluster", "metadata.namespace"),
            ("convert-field-set-by-cluster", "status"),
        ])
    );
}

#[test]
fn only_files_read_by_olm_become_manifests() {
    let mut tree = tree(&csv(), &[]);
    let map = |name: &str| to_yaml(&json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}));
    for (path, content) in [
        ("manifests/first", map("first")),
        (
            "manifests/second.yaml",
            format!("# two\n{}---\n{}", map("second"), map("unread")),
        ),
        ("manifests/.hidden.yaml", map("hidden")),
        ("manifests/folder/deep.yaml", map("deep")),
        ("manifests/folder/notes.md", "notes".to_owned()),
        ("manifests/z.yaml", to_yaml(&with("/spec/version", json!("2.0.0")))),
        ("metadata/broken.yaml", "dependencies: [\n".to_owned()),
        ("metadata/icon.svg", "<svg/>".to_owned()),
        ("tests/scorecard/config.yaml", "kind: Configuration\n".to_owned()),
    ] {
        tree.insert(path, content.into_bytes(), &TreeLimits::UNLIMITED).unwrap();
    }
    let conversion = convert_tree(&tree);
    let plain = conversion.tree.unwrap();
    let paths: Vec<&str> = plain.iter().map(|(path, _)| path).collect();
    assert_eq!(
        paths,
        [
            "manifests/first.yaml",
            "manifests/folder/notes.md",
            "manifests/op.deployment.yaml",
            "manifests/op.rbac.yaml",
            "manifests/second.yaml",
            "metadata/annotations.yaml",
            "metadata/icon.svg",
            "metadata/olm.yaml",
            "tests/scorecard/config.yaml",
        ]
    );
    assert_eq!(plain.get("manifests/second.yaml"), Some(map("second").as_bytes()));
    let left_out: Vec<&str> = conversion
        .diagnostics
        .iter()
        .filter(|finding| finding.rule.id == "convert-file-left-out")
        .map(|finding| finding.message.split(' ').next().unwrap())
        .collect();
    assert_eq!(
        BTreeSet::from_iter(left_out),
        BTreeSet::from([
            "ClusterServiceVersion/op.v1.0.0",
            "manifests/.hidden.yaml",
            "manifests/folder/deep.yaml",
            "metadata/broken.yaml"
        ])
    );
}

#[test]
fn errors_in_the_new_bundle_point_to_the_old_one() {
    let mut csv = with("/spec/replaces", json!("op.v1.0.0"));
    set(
        &mut csv,
        "/metadata/annotations",
        json!({"a": "b", "alm-examples": "[{},]"}),
    );
    let mut wild = webhook("ValidatingAdmissionWebhook", "a.ex.com", "op", &json!({}));
    wild["rules"] = json!([{"apiGroups": ["*"], "apiVersions": ["v1"], "resources": ["foos"], "operations": ["*"]}]);
    set(&mut csv, "/spec/webhookdefinitions", json!([wild]));
    let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job"}});
    let refusals: BTreeSet<_> = refusals(&csv, &[job]).into_iter().collect();
    assert_eq!(
        refusals,
        BTreeSet::from([
            ("csv-examples-json", "metadata.annotations.alm-examples".to_owned()),
            ("csv-replaces-itself", "spec.replaces".to_owned()),
            ("k8s-kind-unsupported", String::new()),
            ("webhook-rules", "spec.webhookdefinitions".to_owned()),
        ])
    );
}

#[test]
fn lost_comments_and_hints_are_reported_when_converting_to_registry_v1() {
    let rules = json!([{"apiGroups": ["cert-manager.io"], "resources": ["certificates"], "verbs": ["get"]}]);
    let csv = with(
        CLUSTER_PERMISSIONS,
        json!([{"serviceAccountName": "op", "rules": rules}, {"serviceAccountName": "x", "rules": [rule("pods")]}]),
    );
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "metrics"}, "spec": {"ports": [{"port": 80}]}});
    let (back, mut plain, _) = round_trip(&csv, std::slice::from_ref(&service));
    let commented = format!("# metrics\n{}", to_yaml(&service));
    plain
        .insert(
            "manifests/0.yaml",
            commented.clone().into_bytes(),
            &TreeLimits::UNLIMITED,
        )
        .unwrap();
    plain
        .insert("manifests/README.md", b"# notes".to_vec(), &TreeLimits::UNLIMITED)
        .unwrap();
    let conversion = convert_tree(&plain);
    let said = ids(&conversion.diagnostics);
    for expected in ["convert-hints-lost", "convert-comments-lost", "convert-file-left-out"] {
        assert!(said.contains(expected), "{said:?}");
    }
    let registry = conversion.tree.unwrap();
    assert_eq!(
        registry.get("manifests/0.yaml"),
        Some(commented.as_bytes()),
        "a file of its own stays as it is"
    );
    let reading = bundle::read(&registry, &Limits::default());
    let bundle = reading.bundle.unwrap();
    assert_eq!(bundle.media_type, MediaType::RegistryV1);
    assert_eq!(bundle.csv().unwrap().value(), &back);
    assert_eq!(
        bundle.csv().unwrap().file(),
        "out/manifests/op.clusterserviceversion.yaml"
    );
    assert_eq!(bundle.objects.len(), 2);
}

#[test]
fn any_csv_is_converted_or_rejected() {
    let mut csv = conversion_csv("/convert");
    let admission = webhook(
        "MutatingAdmissionWebhook",
        "a.ex.com",
        "op",
        &json!({"containerPort": 443}),
    );
    csv["spec"]["webhookdefinitions"]
        .as_array_mut()
        .unwrap()
        .push(admission);
    let api = json!({"group": "g.ex.com", "version": "v1", "kind": "Bar", "name": "bars", "deploymentName": "op", "containerPort": 5443});
    set(&mut csv, "/spec/apiservicedefinitions", json!({"owned": [api]}));
    set(&mut csv, "/metadata/annotations", json!({"alm-examples": "[]"}));
    set(
        &mut csv,
        "/spec/icon",
        json!([{"base64data": "iVBORw0KGgo=", "mediatype": "image/png"}]),
    );
    let crd = crd("v1", None);
    let mut places = Vec::new();
    pointers(&csv, "", &mut places);
    let (mut converted, mut refused) = (0, 0);
    for place in places
        .iter()
        .filter(|place| !["", "/kind", "/metadata", "/metadata/name"].contains(&place.as_str()))
    {
        for strange in [
            json!(null),
            json!(true),
            json!(7),
            json!("x y"),
            json!([]),
            json!({}),
            json!([null, 1]),
            json!({"a": [1]}),
        ] {
            let mut csv = csv.clone();
            *csv.pointer_mut(place).unwrap() = strange.clone();
            let conversion = convert_tree(&tree(&csv, std::slice::from_ref(&crd)));
            let Some(plain) = conversion.tree else {
                assert!(diagnostic::has_errors(&conversion.diagnostics), "{place} = {strange}");
                refused += 1;
                continue;
            };
            let reading = bundle::read(&plain, &Limits::default());
            let synthesis = synthesize(reading.bundle.as_ref().unwrap(), &reading.diagnostics);
            assert!(
                synthesis.csv.is_some(),
                "{place} = {strange}: {:#?}",
                synthesis.diagnostics
            );
            converted += 1;
        }
    }
    assert!(
        converted > 300 && refused > 50,
        "{converted} converted, {refused} refused"
    );
}

#[test]
fn examples_with_a_repeated_key_are_a_warning() {
    let examples = "[{\"apiVersion\": \"ex.com/v1\", \"kind\": \"Foo\", \"kind\": \"Foo\"}]";
    let mut csv = with("/metadata/annotations", json!({"alm-examples": examples}));
    let owned = json!({"owned": owned(&["v1", "v1beta1"])});
    set(&mut csv, "/spec/customresourcedefinitions", owned);
    let (back, plain, _) = round_trip(&csv, &[crd("v1", None)]);
    assert_eq!(back["metadata"]["annotations"]["alm-examples"], examples);
    let said = convert_tree(&plain).diagnostics;
    let said = said
        .iter()
        .find(|finding| finding.rule.id == "csv-examples-json")
        .unwrap();
    assert!(!said.is_error());
    assert_eq!(said.message, "in alm-examples the key `kind` appears twice in one map");
}

#[test]
fn invented_file_names_fit_into_a_config_map_and_differ() {
    let long = |end: &str| format!("{}{end}", "c".repeat(240));
    let map = |name: String| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    let (_, plain, _) = round_trip(&csv(), &[]);
    let mut plain = plain;
    let both = [map(long("a")), map(long("b"))]
        .map(|object| to_yaml(&object))
        .join("---\n");
    plain
        .insert("manifests/maps.yaml", both.into_bytes(), &TreeLimits::UNLIMITED)
        .unwrap();
    let paths = || -> Vec<String> {
        let files = convert_tree(&plain).tree.unwrap();
        files.below("manifests").map(|(path, _)| path.to_owned()).collect()
    };
    let found = paths();
    let names: BTreeSet<&str> = found
        .iter()
        .filter_map(|path| path.strip_prefix("manifests/ccc"))
        .collect();
    assert_eq!(names.len(), 2, "{found:?}");
    assert!(
        names
            .iter()
            .all(|name| name.len() + 3 <= 253 && name.strip_suffix(".yaml").is_some())
    );
    assert_eq!(paths(), found);
    let account = "a".repeat(253);
    let csv = with(
        "/spec/install/spec/deployments",
        json!([deployment("op", &account, &json!({"app": "op"}))]),
    );
    let permission = json!([{"serviceAccountName": account, "rules": [rule("pods")]}]);
    let mut csv = csv;
    set(&mut csv, PERMISSIONS, permission);
    let plain = convert_tree(&tree(&csv, &[])).tree.unwrap();
    assert!(plain.iter().all(|(path, _)| path.len() <= "manifests/".len() + 253));
}

#[test]
fn an_invented_namespace_is_valid_for_every_package() {
    let namespace = |package: &str| {
        let mut tree = tree(&csv(), &[]);
        let annotations = ANNOTATIONS.replace("package.v1: op", &format!("package.v1: {package}"));
        tree.insert(
            "metadata/annotations.yaml",
            annotations.into_bytes(),
            &TreeLimits::UNLIMITED,
        )
        .unwrap();
        let plain = convert_tree(&tree).tree.unwrap();
        let deployment = plain.get("manifests/op.deployment.yaml").unwrap();
        let text = String::from_utf8_lossy(deployment).into_owned();
        let line = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("namespace: "))
            .unwrap();
        line.to_owned()
    };
    assert_eq!(namespace("op"), "op-system");
    assert_eq!(namespace("My.Operator"), "my-operator-system");
    let (first, second) = (namespace(&format!("{}a", "x".repeat(62))), namespace(&"x".repeat(57)));
    for name in [&first, &second] {
        assert!(
            crate::kubernetes::names::is_dns1123_label(name) && name.ends_with("-system"),
            "{name}"
        );
    }
    assert_ne!(first, second);
}

#[test]
fn each_of_many_documents_of_one_file_is_kept() {
    let maps: Vec<Value> = (0..1_500)
        .map(|number| {
            let data = json!({"a": "b", "c": "d", "e": "f", "g": "h"});
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("c{number}")}, "data": data})
        })
        .collect();
    let Some(mut plain) = convert_tree(&tree(&csv(), &[])).tree else {
        panic!("the CSV is not converted");
    };
    let one = maps.iter().map(to_yaml).collect::<Vec<_>>().join("---\n").into_bytes();
    plain
        .insert("manifests/maps.yaml", one, &TreeLimits::UNLIMITED)
        .unwrap();
    let back = convert_tree(&plain).tree.unwrap();
    let kept = back.iter().filter(|(path, _)| path.starts_with("manifests/c"));
    assert_eq!(kept.count(), maps.len());
}
