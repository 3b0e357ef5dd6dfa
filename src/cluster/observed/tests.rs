use super::*;
use crate::cluster::state::{Approval, Subscription};
use crate::olm::annotation::PROPERTIES;
use serde_json::json;

fn object(kind: &str, name: &str, namespace: &str, more: Value) -> Value {
    let mut object = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": kind,
            "metadata": {"name": name, "namespace": namespace}});
    let (Value::Object(object_map), Value::Object(more)) = (&mut object, more) else {
        unreachable!("both are maps");
    };
    object_map.extend(more);
    object
}

fn subscription(name: &str, namespace: &str) -> Value {
    object(
        "Subscription",
        name,
        namespace,
        json!({"spec": {"name": "rake", "channel": "stable", "source": "main", "sourceNamespace": "olm",
                "installPlanApproval": "Manual"}, "status": {"installedCSV": "rake.v1.0.0"}}),
    )
}

fn observed(objects: Vec<Value>, namespace: Option<&str>) -> Result<State, ObservedError> {
    let mut state = State {
        objects,
        ..State::default()
    };
    observe(&mut state, namespace)?;
    Ok(state)
}

#[test]
fn subscriptions_and_installed_versions_are_read_as_from_a_what_if_file() {
    let properties = r#"{"properties":[{"type":"olm.package","value":{"packageName":"rake","version":"1.0.0"}}]}"#;
    let mut csv = object(
        csv::KIND,
        "rake.v1.0.0",
        "garden",
        json!({"spec": {"version": "1.0.0", "replaces": "rake.v0.9.0"}, "status": {"phase": "Succeeded"}}),
    );
    csv["metadata"]["annotations"] = json!({PROPERTIES: properties});
    let old = object(
        csv::KIND,
        "hoe.v1.0.0",
        "garden",
        json!({"spec": {"version": "1.0.0", "customresourcedefinitions": {
                "owned": [{"name": "hoes.example.com", "version": "v1", "kind": "Hoe"}],
                "required": [{"name": "beds.example.com", "version": "v1", "kind": "Bed"}]},
                "apiservicedefinitions": {"owned": [{"group": "g", "version": "v1", "kind": "K"}]}},
                "status": {"phase": "Failed"}}),
    );
    let mut copy = object(csv::KIND, "copied.v1.0.0", "garden", json!({}));
    copy["metadata"]["labels"] = json!({"olm.copiedFrom": "elsewhere"});
    let group = object(
        "OperatorGroup",
        "g",
        "garden",
        json!({"spec": {"serviceAccountName": "scoped", "upgradeStrategy": "TechPreviewUnsafeFailForward"}}),
    );
    let main = json!({"spec": {"image": "registry.example.com/index:v1", "priority": 7}});
    let catalogs = [
        object("CatalogSource", "main", "olm", main),
        object("CatalogSource", "own", "garden", json!({"spec": {}})),
        object("CatalogSource", "far", "elsewhere", json!({"spec": {}})),
    ];
    let mut objects = vec![csv, old, copy, group, subscription("rake", "garden")];
    objects.extend(catalogs);
    let state = observed(objects, None).unwrap();
    assert_eq!(
        (&*state.namespace, state.global_namespace.as_deref()),
        ("garden", Some("olm"))
    );
    assert_eq!(state.service_account.as_deref(), Some("scoped"));
    assert_eq!(state.upgrade_strategy, UpgradeStrategy::FailForward);
    let [rake] = &state.subscriptions[..] else {
        panic!("{:?}", state.subscriptions)
    };
    assert_eq!((&*rake.package, rake.channel.as_deref()), ("rake", Some("stable")));
    assert_eq!(rake.current_csv.as_deref(), Some("rake.v1.0.0"));
    assert_eq!(rake.install_plan_approval, Approval::Manual);
    let [csv, old] = &state.installed[..] else {
        panic!("{:?}", state.installed)
    };
    assert_eq!((csv.package.as_deref(), csv.properties.len()), (Some("rake"), 1));
    assert_eq!(csv.replaces.as_deref(), Some("rake.v0.9.0"));
    assert!(old.without_properties_annotation && old.phase == "Failed");
    assert_eq!((old.provides.len(), old.requires.len()), (2, 1));
    let catalogs: Vec<_> = state
        .catalogs
        .iter()
        .map(|catalog| (&*catalog.name, catalog.priority))
        .collect();
    assert_eq!(catalogs, [("main", 7), ("own", 0)]);
    assert_eq!(state.objects.len(), 8, "the objects stay");
}

#[test]
fn the_what_if_file_takes_precedence() {
    let mut state = State {
        namespace: "garden".to_owned(),
        objects: vec![subscription("rake", "garden"), subscription("hoe", "elsewhere")],
        ..State::default()
    };
    state.subscriptions.push(Subscription {
        name: "rake".to_owned(),
        package: "other".to_owned(),
        ..Subscription::default()
    });
    observe(&mut state, None).unwrap();
    let error = observe(&mut state.clone(), Some("elsewhere")).unwrap_err().to_string();
    assert_eq!(error, "the what-if file describes the namespace garden, not elsewhere");
    let packages: Vec<&str> = state.subscriptions.iter().map(|to| &*to.package).collect();
    assert_eq!(packages, ["other"]);
    // Catalogs of other namespaces in a what-if file do not become global.
    let mut alone = State {
        namespace: "garden".to_owned(),
        ..State::default()
    };
    alone.subscriptions.push(Subscription {
        catalog_namespace: "olm".to_owned(),
        ..Subscription::default()
    });
    observe(&mut alone, None).unwrap();
    assert_eq!(alone.global_namespace, None);
}

#[test]
fn global_catalogs_are_in_a_default_namespace_or_a_subscribed_one() {
    let catalog = |name: &str, namespace: &str| object("CatalogSource", name, namespace, json!({"spec": {}}));
    let global = |objects| observed(objects, Some("garden")).unwrap().global_namespace;
    let of = |name: &str| Some(name.to_owned());
    let all = || {
        vec![
            catalog("a", "dev"),
            catalog("b", "openshift-marketplace"),
            catalog("c", "garden"),
        ]
    };
    assert_eq!(global(all()), of("openshift-marketplace"));
    // `subscription` refers to a catalog in the namespace olm, which has no catalog.
    assert_eq!(
        global([all(), vec![subscription("rake", "garden")]].concat()),
        of("openshift-marketplace")
    );
    assert_eq!(
        global(vec![catalog("a", "dev"), subscription("rake", "garden")]),
        of("olm")
    );
    assert_eq!(global(vec![catalog("a", "dev")]), of("dev"));
    assert_eq!(global(vec![catalog("c", "garden")]), None);
    let state = observed(all(), Some("garden")).unwrap();
    assert_eq!(state.other_catalogs, [("dev".to_owned(), "a".to_owned())]);
    assert_eq!(state.catalogs.len(), 2);
}

#[test]
fn a_pending_version_counts_as_installed_once_it_exists() {
    let stale = |versions: &[&str]| {
        let mut to = subscription("rake", "garden");
        to["status"]["currentCSV"] = json!("rake.v1.1.0");
        let versions = versions.iter().map(|name| object(csv::KIND, name, "garden", json!({})));
        let state = observed(versions.chain([to]).collect(), None).unwrap();
        state.subscriptions[0].installed_csv.clone().unwrap()
    };
    assert_eq!(stale(&["rake.v1.0.0"]), "rake.v1.0.0");
    assert_eq!(stale(&["rake.v1.0.0", "rake.v1.1.0"]), "rake.v1.1.0");
    let mut first = subscription("rake", "garden");
    first["status"] = json!({"currentCSV": "rake.v1.0.0"});
    let version = object(csv::KIND, "rake.v1.0.0", "garden", json!({}));
    let state = observed(vec![first, version], None).unwrap();
    assert_eq!(state.subscriptions[0].installed_csv.as_deref(), Some("rake.v1.0.0"));
}

#[test]
fn the_one_namespace_with_an_operator_group_is_resolved() {
    let two = || vec![subscription("rake", "garden"), subscription("rake", "shed")];
    let error = observed(two(), None).unwrap_err().to_string();
    assert!(error.contains("in the namespaces garden, shed"), "{error}");
    assert_eq!(observed(two(), Some("shed")).unwrap().subscriptions.len(), 1);
    assert_eq!(observed(Vec::new(), None).unwrap().namespace, NAMESPACE);
    let group_in = |namespace: &str| object("OperatorGroup", "g", namespace, json!({"spec": {}}));
    let namespace = |objects| observed(objects, None).unwrap().namespace;
    assert_eq!(namespace(vec![group_in("shed")]), "shed");
    assert_eq!(namespace(vec![group_in("shed"), group_in("garden")]), NAMESPACE);
    assert_eq!(
        namespace(vec![group_in("shed"), subscription("rake", "garden")]),
        "garden"
    );
    let group = |name: &str| object("OperatorGroup", name, "operators", json!({"spec": {}}));
    assert!(observed(vec![group("a")], None).is_ok());
    // S57, S58: as proposed, an install then has its own account; released versions of OLM reject the namespace.
    for (objects, namespace, count) in [
        (vec![group("a")], "garden", 0),
        (vec![group("a"), group("b")], "operators", 2),
    ] {
        assert_eq!(refused_operator_groups(&objects, namespace), Some(count));
        let mut state = State {
            objects,
            ..State::default()
        };
        assert!(observe(&mut state.clone(), Some(namespace)).is_ok());
        let error = observe_with(&mut state, Some(namespace), OperatorGroups::Released).unwrap_err();
        let message = format!("expected 1 OperatorGroup in the namespace {namespace}, found {count}");
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(refused_operator_groups(&[group("a")], "operators"), None);
    assert_eq!(refused_operator_groups(&[], "operators"), None);
}
