use super::*;
use crate::catalog::{Bundle, Catalog, Channel, ChannelEntry, ManifestsId, Package, Property, Text};
use crate::text::{self, Limits};

const LABEL: &str = "operators.coreos.com/plumbus.operators";

fn values(yaml: &str) -> Vec<Value> {
    let reading = text::read("dump.yaml", yaml.as_bytes(), &Limits::default());
    assert_eq!(reading.diagnostics, []);
    reading.documents.into_iter().map(text::Document::into_value).collect()
}

/// A ClusterServiceVersion of the operator.
fn csv(version: &str, phase: &str, created: &str) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": format!("plumbus.v{version}"), "namespace": "operators", "uid": "u1", "resourceVersion": 109_811,
            "creationTimestamp": created, "labels": {LABEL: ""}},
        "spec": {
            "displayName": format!("Plumbus {version}"),
            "description": "Everyone has one.",
            "version": version,
            "customresourcedefinitions": {
                "owned": [{"name": "plumbai.how.theydoit.com", "version": "v2alpha1", "kind": "Plumbus"}],
                "required": [{"name": "grumbos.manufacturing.how.theydoit.com", "version": "", "kind": "Grumbo"}]
            },
            "apiservicedefinitions": {
                "owned": [{"group": "dinglebop.com", "version": "v1", "kind": "Dinglebop", "name": "dinglebops"}]
            }
        },
        "status": {"phase": phase, "reason": "InstallSucceeded", "message": "done"}
    })
}

fn subscription(channel: &str) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": "plumbus", "namespace": "operators", "labels": {LABEL: ""}},
        "spec": {"name": "plumbus", "channel": channel, "source": "community", "sourceNamespace": "olm",
            "installPlanApproval": "Automatic"},
        "status": {"installedCSV": "plumbus.v2.0.0"}
    })
}

fn one(objects: &[Value], catalog: Option<&Catalog>, options: OperatorOptions) -> Operator {
    let catalogs = catalog.map(|catalog| NamedCatalog { name: None, catalog });
    let mut found = operators(objects, catalogs.as_slice(), options);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn operator_of(objects: &[Value]) -> Operator {
    one(objects, None, OperatorOptions::default())
}

/// A catalog of the package with these channels. The bundles of each channel are listed from the head, as version and
/// replaced version.
fn catalog(channels: &[(&str, &[(&str, &str)])]) -> Catalog {
    let name = |version: &str| Text::from(format!("plumbus.v{version}"));
    let versions: BTreeSet<&str> = channels
        .iter()
        .flat_map(|(_, entries)| entries.iter().map(|(version, _)| *version))
        .collect();
    let mut bundles: Vec<Bundle> = versions
        .into_iter()
        .map(|version| Bundle {
            name: name(version),
            version: Some(Text::from(version)),
            image: None,
            properties: Vec::<Property>::new(),
            dependencies: Vec::new(),
            manifests: ManifestsId(0),
        })
        .collect();
    bundles.sort_by(|one, other| one.name.cmp(&other.name));
    let mut catalog = Catalog {
        packages: Vec::new(),
        bundles,
    };
    let channel = |(channel, entries): &(&str, &[(&str, &str)])| Channel {
        name: Text::from(*channel),
        head: entries.first().map(|(version, _)| name(version)),
        entries: entries
            .iter()
            .map(|(version, replaces)| ChannelEntry {
                bundle: catalog.find(&name(version)).unwrap(),
                replaces: Some(name(replaces)),
                skips: Vec::new(),
                skip_range: None,
            })
            .collect(),
    };
    let channels = channels.iter().map(channel).collect();
    catalog.packages.push(Package {
        name: Text::from("plumbus"),
        default_channel: None,
        channels,
    });
    catalog
}

#[test]
fn components_are_found_by_every_label_style_in_the_order_of_olm() {
    let objects = values(
        "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: b, namespace: x, labels: {operators.coreos.com/p: ''}}\n---\n\
         apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: z, labels: {v2alpha1.operators.coreos.com/p: ''}}\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: z, labels: {'operators.coreos.com/operator:v2alpha1/p': ''}}\n---\n\
         apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: z, labels: {app: p}}\n---\n\
         apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: c, namespace: z, labels: {operators.coreos.com/p: ''}}\n",
    );
    let operator = operator_of(&objects);
    assert_eq!(operator.metadata.name, "p");
    let refs: Vec<_> = operator
        .status
        .components
        .refs
        .iter()
        .map(|found| (found.kind.as_str(), found.namespace.as_deref(), found.name.as_str()))
        .collect();
    assert_eq!(
        refs,
        [
            ("ClusterRoleBinding", None, "c"),
            ("Deployment", Some("z"), "d"),
            ("ServiceAccount", Some("x"), "b"),
            ("ServiceAccount", Some("z"), "a"),
        ]
    );
    assert_eq!(operator.status.metadata, None);
    assert_eq!(operator.spec, json!({}));
}

#[test]
fn the_label_has_the_requested_style() {
    let objects = [csv("2.0.0", "Succeeded", "")];
    for (label_style, key) in [
        (LabelStyle::Shipped, LABEL),
        (LabelStyle::Versioned, "v2alpha1.operators.coreos.com/plumbus.operators"),
        (
            LabelStyle::Seed,
            "operators.coreos.com/operator:v2alpha1/plumbus.operators",
        ),
    ] {
        let options = OperatorOptions {
            label_style,
            ..OperatorOptions::default()
        };
        let labels = one(&objects, None, options).status.components.match_labels;
        assert_eq!(labels, Map::from_iter([(key.to_owned(), json!(""))]));
    }
}

#[test]
fn an_object_of_several_operators_is_a_component_of_each() {
    let objects = values(
        "apiVersion: v1\nkind: Service\nmetadata: {name: s, labels: {operators.coreos.com/a: '', operators.coreos.com/b: ''}}\n",
    );
    let names: Vec<_> = operators(&objects, &[], OperatorOptions::default())
        .into_iter()
        .map(|operator| (operator.metadata.name, operator.status.components.refs.len()))
        .collect();
    assert_eq!(names, [("a".to_owned(), 1), ("b".to_owned(), 1)]);
    assert!(operators(&[], &[], OperatorOptions::default()).is_empty());
}

#[test]
fn duplicates_are_one_component_and_copies_by_olm_are_none() {
    let mut copy = csv("2.0.0", "Succeeded", "");
    copy["metadata"]["namespace"] = json!("elsewhere");
    copy["metadata"]["labels"]["olm.copiedFrom"] = json!("operators");
    let original = csv("2.0.0", "Succeeded", "");
    let operator = operator_of(&[original.clone(), copy, original]);
    assert_eq!(operator.status.components.refs.len(), 1);
    assert_eq!(
        operator.status.components.refs[0].namespace.as_deref(),
        Some("operators")
    );
    assert_eq!(
        operator.status.components.refs[0].resource_version.as_deref(),
        Some("109811")
    );
}

#[test]
fn the_newest_working_version_is_reported() {
    let version = |objects: &[Value]| operator_of(objects).status.metadata.map(|metadata| metadata.version);
    let (old, new) = (csv("2.0.0", "Succeeded", ""), csv("10.0.0", "Succeeded", ""));
    assert_eq!(version(&[old.clone(), new.clone()]).as_deref(), Some("10.0.0"));
    assert_eq!(version(&[new, old.clone()]).as_deref(), Some("10.0.0"));
    assert_eq!(
        version(&[old.clone(), csv("10.0.0", "Installing", "")]).as_deref(),
        Some("2.0.0")
    );
    assert_eq!(version(&[csv("2.0.0", "Failed", "")]), None);
    let mut younger = csv("2.0.0", "Succeeded", "2026-02-01T00:00:00Z");
    younger["metadata"]["name"] = json!("aaa");
    younger["spec"]["displayName"] = json!("younger");
    let older = csv("2.0.0", "Succeeded", "2026-01-01T00:00:00Z");
    let metadata = operator_of(&[older, younger]).status.metadata.unwrap();
    assert_eq!(metadata.display_name, "younger");
}

#[test]
fn apis_are_those_of_the_csv_with_the_names_of_the_crds() {
    let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "plumbai.how.theydoit.com"}, "spec": {"names": {"singular": "plumb"}}});
    let apis = operator_of(&[csv("2.0.0", "Succeeded", ""), crd])
        .status
        .metadata
        .unwrap()
        .apis;
    assert_eq!(
        serde_json::to_value(apis).unwrap(),
        json!({
            "provides": [
                {"group": "dinglebop.com", "version": "v1", "kind": "Dinglebop", "plural": "dinglebops", "singular": "dinglebop"},
                {"group": "how.theydoit.com", "version": "v2alpha1", "kind": "Plumbus", "plural": "plumbai", "singular": "plumb"},
            ],
            "requires": [
                {"group": "manufacturing.how.theydoit.com", "version": "", "kind": "Grumbo", "plural": "grumbos", "singular": "grumbo"},
            ],
        })
    );
}

#[test]
fn only_abnormal_component_conditions_are_shown_unless_all_are_requested() {
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "operators", "labels": {LABEL: ""}},
        "status": {"conditions": [
            {"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable", "message": "none"},
            {"type": "Progressing", "status": "True"}]}});
    let objects = [csv("2.0.0", "Succeeded", ""), deployment];
    let kinds = |all_conditions| -> Vec<Vec<String>> {
        let options = OperatorOptions {
            all_conditions,
            ..OperatorOptions::default()
        };
        let refs = one(&objects, None, options).status.components.refs;
        let kinds = |conditions: Vec<Condition>| conditions.into_iter().map(|condition| condition.kind).collect();
        refs.into_iter().map(|found| kinds(found.conditions)).collect()
    };
    assert_eq!(kinds(false), [vec![], vec!["Available".to_owned()]]);
    let all = ["Succeeded"].map(str::to_owned).to_vec();
    assert_eq!(
        kinds(true),
        [all, ["Available", "Progressing"].map(str::to_owned).to_vec()]
    );
}

#[test]
fn the_followed_channel_is_that_of_the_resource_or_the_subscription() {
    let csv = csv("2.0.0", "Succeeded", "");
    let from_subscription = operator_of(&[csv.clone(), subscription("stable")]);
    assert_eq!(
        from_subscription.spec,
        json!({"updates": {"type": "CatalogSource", "catalogSource": {
            "package": "plumbus", "channel": "stable", "approval": "Automatic", "ref": {"name": "community", "namespace": "olm"}}}})
    );
    for field in ["updates", "source"] {
        let updates = json!({"type": "ManifestImage", "manifestImage": "registry.example.com/plumbus:v2"});
        let resource = json!({"apiVersion": API_VERSION, "kind": "Operator",
            "metadata": {"name": "plumbus.operators"}, "spec": {field: updates}});
        let operator = operator_of(&[resource, csv.clone(), subscription("stable")]);
        assert_eq!(operator.spec["updates"], updates, "{field}");
        assert_eq!(operator.status.components.refs.len(), 2);
    }
}

#[test]
fn an_operator_has_the_name_of_its_resource_if_its_label_is_truncated() {
    let name = format!("{}.operators", "a".repeat(60));
    let resource =
        json!({"apiVersion": "operators.coreos.com/v1", "kind": "Operator", "metadata": {"name": name}, "spec": {}});
    let key = labels::key(LabelStyle::Shipped, &name);
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "labels": {key: ""}}});
    let operator = operator_of(&[service, resource]);
    assert_eq!(
        (operator.metadata.name, operator.status.components.refs.len()),
        (name, 1)
    );
}

/// The update condition, as its reason and message.
fn update(objects: &[Value], catalog: &Catalog) -> Option<(String, String)> {
    let status = one(objects, Some(catalog), OperatorOptions::default()).status;
    let condition = status
        .conditions
        .into_iter()
        .find(|condition| condition.kind == "UpdateAvailable")?;
    assert_eq!(condition.status, "True");
    Some((condition.reason?, condition.message?))
}

#[test]
fn an_update_is_in_the_followed_channel_or_another_one() {
    let objects = [csv("2.0.0", "Succeeded", ""), subscription("stable")];
    let stable: &[(&str, &str)] = &[("2.1.0", "2.0.0"), ("2.0.0", "1.0.0")];
    let old: &[(&str, &str)] = &[("2.0.0", "1.0.0")];
    let beta: &[(&str, &str)] = &[("3.0.0", "2.0.0")];
    let both = catalog(&[("beta", beta), ("stable", stable)]);
    let found = |words: (&str, &str)| Some((words.0.to_owned(), words.1.to_owned()));
    assert_eq!(
        update(&objects, &both),
        found((
            "UpdateFound",
            "an upgrade to plumbus.v2.1.0 has been found in the channel stable"
        ))
    );
    let available = one(&objects, Some(&both), OperatorOptions::default())
        .status
        .updates
        .unwrap();
    assert_eq!(
        serde_json::to_value(available).unwrap(),
        json!({"available": [
            {"name": "community", "package": "plumbus", "channel": "beta"},
            {"name": "community", "package": "plumbus", "channel": "stable"}]})
    );
    assert_eq!(
        update(&objects, &catalog(&[("beta", beta), ("stable", old)])),
        found((
            "UpdateFoundInAnotherChannel",
            "an upgrade has been found outside the specified channel: plumbus.v3.0.0 in beta"
        ))
    );
    assert_eq!(update(&objects, &catalog(&[("stable", old)])), None);
    // An operator without a channel follows all of them.
    let objects = [csv("2.0.0", "Succeeded", ""), subscription("")];
    assert_eq!(
        update(&objects, &both),
        found((
            "UpdateFound",
            "an upgrade to plumbus.v3.0.0 has been found in the channel beta"
        ))
    );
}

#[test]
fn without_a_subscription_the_package_comes_from_the_bundle_or_the_name() {
    let newer = catalog(&[("stable", &[("2.1.0", "2.0.0")])]);
    let by_name = csv("2.0.0", "Succeeded", "");
    assert!(update(std::slice::from_ref(&by_name), &newer).is_some());
    let mut by_property = by_name;
    by_property["metadata"]["labels"] = json!({"operators.coreos.com/other": ""});
    assert!(update(std::slice::from_ref(&by_property), &newer).is_none());
    let properties = r#"{"properties":[{"type":"olm.package","value":{"packageName":"plumbus","version":"2.0.0"}}]}"#;
    by_property["metadata"]["annotations"] = json!({"operatorframework.io/properties": properties});
    assert!(update(&[by_property], &newer).is_some());
}

fn conditions(objects: &[Value]) -> Vec<(String, Option<String>, Option<String>)> {
    let conditions = operator_of(objects).status.conditions.into_iter();
    conditions
        .map(|condition| (condition.kind, condition.reason, condition.last_transition_time))
        .collect()
}

fn expected(kind: &str, reason: &str, time: Option<&str>) -> Vec<(String, Option<String>, Option<String>)> {
    vec![(kind.to_owned(), Some(reason.to_owned()), time.map(str::to_owned))]
}

#[test]
fn a_waiting_install_is_reported_at_the_top() {
    let install = |status: &str| {
        json!({"apiVersion": API_VERSION, "kind": "Install", "metadata": {"name": "plan", "labels": {LABEL: ""}},
            "status": {"conditions": [{"type": "PendingApproval", "status": status, "reason": "UnsatisfiedPermissions",
                "message": "m", "lastTransitionTime": "2019-09-16T22:26:29Z"}]}})
    };
    assert_eq!(
        conditions(&[install("True")]),
        expected(
            "InstallPendingApproval",
            "PrivilegeEscalationRequired",
            Some("2019-09-16T22:26:29Z")
        )
    );
    assert_eq!(conditions(&[install("False")]), []);
    let refs = operator_of(&[install("True")]).status.components.refs;
    assert_eq!(refs[0].conditions[0].kind, "PendingApproval");
}

#[test]
fn an_image_that_cannot_be_pulled_is_reported_at_the_top() {
    let mut failed = subscription("stable");
    failed["status"]["conditions"] = json!([{"type": "BundleUnpackFailed", "status": "True", "reason": "BackoffLimitExceeded",
        "message": "no such image"}]);
    assert_eq!(
        conditions(&[failed]),
        expected("ContentImportError", "ManifestImagePullFailed", None)
    );
    assert_eq!(conditions(&[subscription("stable")]), []);
}

#[test]
fn conditions_only_a_controller_sees_are_copied() {
    let resource = json!({"apiVersion": API_VERSION, "kind": "Operator", "metadata": {"name": "plumbus.operators"},
        "spec": {}, "status": {"conditions": [
            {"type": "ComponentsDiverge", "status": "True", "reason": "ComponentsDivergeFromInstall", "lastTransitionTime": "t"},
            {"type": "UpdateAvailable", "status": "True", "reason": "UpdateFound", "lastTransitionTime": "before"}]}});
    let own = [resource, csv("2.0.0", "Succeeded", ""), subscription("stable")];
    let diverge = expected("ComponentsDiverge", "ComponentsDivergeFromInstall", Some("t"));
    assert_eq!(conditions(&own), diverge);
    // Only the index contains the update, but the resource records since when it has been available.
    let newer = catalog(&[("stable", &[("2.1.0", "2.0.0")])]);
    let conditions = one(&own, Some(&newer), OperatorOptions::default()).status.conditions;
    assert_eq!(conditions[1].kind, "UpdateAvailable");
    assert_eq!(conditions[1].last_transition_time.as_deref(), Some("before"));
}

#[test]
fn many_operators_are_not_compared_with_all_objects_of_the_cluster() {
    // Comparing each operator with each object would take hours.
    const OPERATORS: usize = 6000;
    let object = |api_version: &str, kind: &str, name: &str, namespace: &str| json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace}});
    let mut objects = Vec::new();
    for number in 0..OPERATORS {
        let (name, namespace) = (format!("op{number}"), format!("ns{number}"));
        let version = format!("{name}.v1");
        let mut subscription = object("operators.coreos.com/v1alpha1", "Subscription", &name, &namespace);
        subscription["spec"] = json!({"name": name, "channel": "stable", "source": "c", "sourceNamespace": "olm"});
        subscription["status"] = json!({"installedCSV": version, "installPlanRef": {"name": "plan"}});
        let mut csv = object(
            "operators.coreos.com/v1alpha1",
            "ClusterServiceVersion",
            &version,
            &namespace,
        );
        let definition = format!("{name}s.example.com");
        csv["spec"]["customresourcedefinitions"]["owned"] =
            json!([{"name": definition, "version": "v1", "kind": format!("Op{number}")}]);
        csv["status"]["phase"] = "Succeeded".into();
        let mut plan = object("operators.coreos.com/v1alpha1", "InstallPlan", "plan", &namespace);
        plan["status"]["bundleLookups"] =
            json!([{"identifier": version, "path": format!("registry.example.com/{name}")}]);
        let mut group = object("operators.coreos.com/v1", "OperatorGroup", "group", &namespace);
        group["spec"]["serviceAccountName"] = "installer".into();
        let mut condition = object("operators.coreos.com/v2", "OperatorCondition", &version, &namespace);
        condition["status"]["conditions"] = json!([{"type": "Upgradeable", "status": "False", "message": "busy"}]);
        let mut definition = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", &definition, "");
        definition["spec"]["names"]["singular"] = format!("one{number}").into();
        let resource = object(
            "operators.coreos.com/v1",
            "Operator",
            &format!("{name}.{namespace}"),
            "",
        );
        objects.extend([subscription, csv, plan, group, condition, definition, resource]);
    }
    let found = operators(&objects, &[], OperatorOptions::default());
    assert_eq!(found.len(), OPERATORS);
    for operator in [&found[0], &found[OPERATORS - 1]] {
        let kinds: Vec<&str> = operator
            .status
            .components
            .refs
            .iter()
            .map(|found| &*found.kind)
            .collect();
        let expected = [
            "ClusterServiceVersion",
            "CustomResourceDefinition",
            "InstallPlan",
            "OperatorCondition",
            "Subscription",
        ];
        assert_eq!(kinds, expected);
        assert_eq!(operator.status.conditions[0].kind, "Upgradeable");
        let metadata = operator.status.metadata.as_ref().unwrap();
        assert!(metadata.apis.provides[0].singular.starts_with("one"));
    }
    let migration = migrate::migrate(&objects, &|_, _, _| None);
    assert_eq!(
        (migration.operators.len(), migration.installs.len()),
        (OPERATORS, OPERATORS)
    );
    let last = &migration.installs[OPERATORS - 1];
    assert!(
        last["spec"]["content"][0]["manifestImage"]
            .as_str()
            .unwrap()
            .starts_with("registry.example.com/op")
    );
    assert_eq!(last["status"]["serviceAccountRef"]["name"], "installer");
}
