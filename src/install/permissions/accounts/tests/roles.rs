//! The roles that bindings refer to: of other versions, of the cluster, and written more than once.

use super::*;

fn rbac(kind: &str, name: &str, fields: Value) -> Value {
    let mut object = object("rbac.authorization.k8s.io/v1", kind, name);
    let Value::Object(fields) = fields else {
        panic!("the fields are not a map");
    };
    for (key, value) in fields {
        object[key] = value;
    }
    object
}

fn allowing(name: &str, resource: &str) -> Value {
    let rules = json!([{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]);
    rbac("ClusterRole", name, json!({ "rules": rules }))
}

fn bound_to(role: &str, subjects: &Value) -> Value {
    let reference = json!({"kind": "ClusterRole", "name": role});
    let name = format!("to-{role}");
    rbac(
        "ClusterRoleBinding",
        &name,
        json!({"roleRef": reference, "subjects": subjects}),
    )
}

fn to_sa(role: &str) -> Value {
    bound_to(
        role,
        &json!([{"kind": "ServiceAccount", "name": "sa", "namespace": "operators"}]),
    )
}

/// The permissions of the account `sa` that the bindings of [`version`] do not grant.
fn of_sa(operator: &Operator) -> Vec<String> {
    let mut shown = beyond(operator);
    shown.retain(|line| line != "*: pods get" && !line.starts_with("*: namespaces"));
    shown
}

fn of_others(operator: &Operator) -> Vec<String> {
    let lines = operator.others.iter().flat_map(|held| {
        let of_one = held.permissions.iter().map(|holding| &holding.permission.rule);
        of_one.map(|rule| {
            format!(
                "{}: {} {}",
                held.subject,
                rule.resources.join(","),
                rule.verbs.join(",")
            )
        })
    });
    lines.collect()
}

#[test]
fn a_role_of_another_version_of_the_plan_is_found() {
    let mut steps = of_bundle(&content(version(true), vec![to_sa("shared")]), &target(), "").unwrap();
    let mut other = content(csv("other.v1"), vec![allowing("shared", "secrets")]);
    other.name = "other.v1".to_owned();
    steps.extend(of_bundle(&other, &target(), "").unwrap());
    let found = operators(&in_order(steps), "operators", &State::default()).unwrap();
    let memo = found.iter().find(|operator| operator.name == "memo.v1").unwrap();
    assert_eq!(
        (of_sa(memo), &memo.notes),
        (vec!["*: secrets get".to_owned()], &Vec::new())
    );
}

#[test]
fn the_last_of_several_steps_for_one_role_determines_its_rules() {
    let twice = vec![allowing("r", "events"), allowing("r", "secrets"), to_sa("r")];
    assert_eq!(
        of_sa(&held(version(true), twice, &State::default())),
        ["*: secrets get"]
    );
}

#[test]
fn a_role_that_the_cluster_already_binds_gets_the_rules_of_the_bundle() {
    let devs = json!([{"kind": "Group", "name": "devs"},
        {"kind": "ServiceAccount", "name": "sa", "namespace": "operators"}]);
    let cluster = state(vec![allowing("shared", "events"), bound_to("shared", &devs)]);
    let after = held(version(true), vec![allowing("shared", "secrets")], &cluster);
    assert_eq!(of_sa(&after), ["*: secrets get"]);
    assert_eq!(of_others(&after), ["Group devs: secrets get"]);
    let reason = &after.others[0].permissions[0].reasons;
    assert_eq!(
        reason[..],
        ["ClusterRoleBinding to-shared of the cluster, whose ClusterRole shared the installation writes"]
    );
}

fn labelled(mut role: Value, label: &str) -> Value {
    role["metadata"]["labels"] = json!({ label: "true" });
    role
}

fn aggregated(name: &str, label: &str) -> Value {
    let selectors = json!([{"matchLabels": {label: "true"}}]);
    rbac(
        "ClusterRole",
        name,
        json!({"aggregationRule": {"clusterRoleSelectors": selectors}, "rules": []}),
    )
}

#[test]
fn an_aggregated_role_grants_the_rules_of_the_roles_that_it_selects() {
    let shipped = vec![
        aggregated("all", "x"),
        labelled(allowing("part", "secrets"), "x"),
        to_sa("all"),
    ];
    let cluster = state(vec![
        labelled(allowing("there", "events"), "x"),
        allowing("other", "nodes"),
    ]);
    let operator = held(version(true), shipped, &cluster);
    assert_eq!(of_sa(&operator), ["*: events get", "*: secrets get"]);
    assert_eq!(
        operator.notes,
        [
            "ClusterRole all is aggregated, so it also grants the rules of any other ClusterRole in the cluster that its \
          aggregationRule selects"
        ]
    );
}

#[test]
fn a_role_for_viewers_is_granted_to_everyone_who_may_view() {
    let viewer = labelled(
        allowing("viewer", "secrets"),
        "rbac.authorization.k8s.io/aggregate-to-view",
    );
    let after = held(version(true), vec![viewer], &State::default());
    assert_eq!(
        of_others(&after),
        [
            "everyone with ClusterRole admin: secrets get",
            "everyone with ClusterRole edit: secrets get",
            "everyone with ClusterRole view: secrets get",
        ]
    );
    let before = held(version(true), vec![allowing("viewer", "secrets")], &State::default());
    let gains = super::super::super::gained(&after, &[before], &Grants::default()).unwrap();
    assert_eq!(gains.len(), 3, "{gains:?}");
}

#[test]
fn a_role_that_an_aggregated_role_of_the_cluster_selects_is_granted_to_its_holders() {
    let mut cluster = vec![aggregated("monitoring", "x"), to_sa("monitoring")];
    cluster[0]["rules"] = allowing("", "events")["rules"].clone();
    let part = labelled(allowing("part", "secrets"), "x");
    let after = held(version(true), vec![part], &state(cluster));
    assert_eq!(of_others(&after), ["everyone with ClusterRole monitoring: secrets get"]);
    assert_eq!(of_sa(&after), ["*: events get", "*: secrets get"]);
    assert_eq!(after.notes, Vec::<String>::new());
}

/// A Role of the bundle and its RoleBinding, with labels and owner references like those that OLM generates.
fn sneaking(labels: &Value, owners: &Value) -> Vec<Value> {
    let rules = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let reference = json!({"kind": "Role", "name": "sneak"});
    let subjects = json!([{"kind": "ServiceAccount", "name": "sa"}]);
    let mut objects = vec![
        rbac("Role", "sneak", json!({ "rules": rules })),
        rbac(
            "RoleBinding",
            "sneak",
            json!({"roleRef": reference, "subjects": subjects}),
        ),
    ];
    for object in &mut objects {
        object["metadata"]["labels"] = labels.clone();
        object["metadata"]["ownerReferences"] = owners.clone();
    }
    objects
}

#[test]
fn roles_of_the_bundle_with_the_labels_of_the_version_are_copied_like_generated_ones() {
    let labels =
        json!({"olm.owner": "memo.v1", "olm.owner.namespace": "operators", "olm.owner.kind": "ClusterServiceVersion"});
    let owners = json!([{"kind": "ClusterServiceVersion", "name": "memo.v1"}]);
    let secrets = |spec: &Value, objects: Vec<Value>, existing: Vec<Value>| {
        let operator = held(version(true), objects, &state([vec![group(spec)], existing].concat()));
        let mut lines = lines_of(&operator, "sa");
        lines.retain(|line| line.contains("secrets get"));
        lines
    };
    let (everywhere, targets) = (json!({}), json!({"targetNamespaces": ["tgt"]}));
    let none = Value::Null;
    assert_eq!(
        secrets(&everywhere, sneaking(&labels, &none), vec![]),
        ["*: secrets get", "operators: secrets get"]
    );
    let mut of_other = labels.clone();
    of_other["olm.owner"] = "other.v1".into();
    assert_eq!(
        secrets(&everywhere, sneaking(&of_other, &owners), vec![]),
        ["operators: secrets get"]
    );
    // Only the labels count for ClusterRoles, but also the owner references for the target namespaces.
    assert_eq!(
        secrets(&targets, sneaking(&labels, &none), vec![]),
        ["operators: secrets get"]
    );
    assert_eq!(
        secrets(&targets, sneaking(&labels, &owners), vec![]),
        ["operators: secrets get", "operators,tgt: secrets get"]
    );
    // OLM binds an existing ClusterRole with the name of the Role.
    assert_eq!(
        secrets(
            &everywhere,
            sneaking(&labels, &none),
            vec![allowing("sneak", "topsecrets")]
        ),
        ["*: topsecrets get", "operators: secrets get"]
    );
}

/// Each binding grants all rules of its role, so few bytes may ask for more rules than fit into memory.
#[test]
fn bindings_that_grant_too_many_rules_are_rejected() {
    let found = |objects: Vec<Value>| {
        let steps = of_bundle(&content(version(true), objects), &target(), "").unwrap();
        operators(&in_order(steps), "operators", &State::default())
    };
    let bound_times = |count: usize| {
        let resources: Vec<String> = (0..1000).map(|number| format!("resource{number}")).collect();
        let mut role = allowing("big", "pods");
        role["rules"][0]["resources"] = json!(resources);
        let bindings = (0..count).map(|number| {
            let mut binding = to_sa("big");
            binding["metadata"]["name"] = format!("b{number}").into();
            binding
        });
        std::iter::once(role).chain(bindings).collect::<Vec<_>>()
    };
    assert!(found(bound_times(10)).is_ok());
    assert_eq!(found(bound_times(1000)), Err(TooComplex));
    // Each of these roles contains the next one.
    let aggregated = |count: usize| {
        let roles = (0..count).map(|number| {
            let mut role = allowing(&format!("r{number}"), "pods");
            role["metadata"]["labels"] = json!({"number": number.to_string()});
            let selector = json!({"matchLabels": {"number": (number + 1).to_string()}});
            role["aggregationRule"] = json!({"clusterRoleSelectors": [selector]});
            role
        });
        roles.collect::<Vec<_>>()
    };
    assert!(found(aggregated(10)).is_ok());
    assert_eq!(found(aggregated(1000)), Err(TooComplex));
}

#[test]
fn bindings_in_a_namespace_grant_nothing_on_paths() {
    let rules = json!([
        {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}
    ]);
    let with = |kind: &str| {
        let role = rbac("ClusterRole", "paths", json!({ "rules": rules }));
        let mut binding = to_sa("paths");
        binding["kind"] = json!(kind);
        of_sa(&held(version(true), vec![role, binding], &state(Vec::new())))
    };
    assert_eq!(with("ClusterRoleBinding"), ["*: /metrics get", "*: secrets get"]);
    assert_eq!(with("RoleBinding"), ["operators: secrets get"]);
}
