use super::*;
use crate::steps::tests::{content, csv, object, target};
use crate::steps::{in_order, of_bundle};
use serde_json::json;

mod provided;
mod roles;

/// A version with a Role, a ClusterRole and a Deployment that serves webhooks, for the account `sa`.
fn version(everywhere: bool) -> Value {
    let mut csv = csv("memo.v1");
    let rules = json!([{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]}]);
    csv["spec"]["install"]["spec"]["clusterPermissions"] = json!([{"serviceAccountName": "sa", "rules": rules}]);
    csv["spec"]["install"]["spec"]["deployments"] =
        json!([{"name": "hook", "spec": {"template": {"spec": {"serviceAccountName": "sa"}}}}, {"name": "other"}]);
    csv["spec"]["webhookdefinitions"] =
        json!([{"deploymentName": "hook", "generateName": "h"}, {"deploymentName": "gone"}]);
    csv["spec"]["installModes"] = json!([{"type": "AllNamespaces", "supported": everywhere}]);
    csv
}

fn group(spec: &Value) -> Value {
    json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
        "metadata": {"name": "og", "namespace": "operators"}, "spec": spec})
}

fn state(objects: Vec<Value>) -> State {
    State {
        objects,
        ..State::default()
    }
}

fn held(csv: Value, objects: Vec<Value>, state: &State) -> Operator {
    let steps = in_order(of_bundle(&content(csv, objects), &target(), "").unwrap());
    let mut operators = operators(&steps, "operators", state).unwrap();
    assert_eq!(operators.len(), 1);
    operators.remove(0)
}

/// `namespaces: resource/name verbs` for each permission of an account.
fn lines_of(operator: &Operator, account: &str) -> Vec<String> {
    let mut accounts = operator.accounts.iter();
    let account = accounts.find(|known| known.account.name == account).unwrap();
    let line = |holding: &Holding| {
        let super::super::Permission { rule, namespaces } = &holding.permission;
        assert!(!holding.reasons.is_empty());
        let place = if namespaces.is_empty() {
            "*".to_owned()
        } else {
            namespaces.join(",")
        };
        let names: Vec<String> = rule.resource_names.iter().map(|name| format!("/{name}")).collect();
        format!(
            "{place}: {}{} {}",
            [&rule.resources[..], &rule.non_resource_urls[..]].concat().join(","),
            names.concat(),
            rule.verbs.join(",")
        )
    };
    account.permissions.iter().map(line).collect()
}

const OF_EVERY_OPERATOR: [&str; 6] = [
    "*: nodes get",
    "*: tokenreviews create",
    "*: subjectaccessreviews create",
    "kube-system: configmaps/extension-apiserver-authentication get,list,watch",
    "operators: secrets/hook-service-cert get",
    "operators: operatorconditions/memo.v1 get,update,patch",
];

fn beyond(operator: &Operator) -> Vec<String> {
    let mut shown = lines_of(operator, "sa");
    for of_every in OF_EVERY_OPERATOR {
        assert!(shown.iter().any(|line| line == of_every), "{of_every}: {shown:?}");
    }
    shown.retain(|line| !OF_EVERY_OPERATOR.contains(&line.as_str()));
    shown
}

#[test]
fn without_target_namespaces_a_role_applies_everywhere() {
    let all = held(version(true), Vec::new(), &state(vec![group(&json!({}))]));
    assert_eq!(beyond(&all), ["*: namespaces get,list,watch", "*: pods get"]);
    assert_eq!(
        all.to_string(),
        "the OperatorGroup og has no target namespaces, so it targets all namespaces"
    );
    let selected = json!({"namespaces": [""]});
    let mut global = group(&json!({"selector": {}}));
    global["status"] = selected;
    assert_eq!(
        beyond(&held(version(true), Vec::new(), &state(vec![global]))),
        beyond(&all)
    );
}

#[test]
fn with_target_namespaces_a_role_applies_in_each_of_them() {
    let with = |spec: Value| held(version(true), Vec::new(), &state(vec![group(&spec)]));
    let two = with(json!({"targetNamespaces": ["tgt", "more"]}));
    assert_eq!(beyond(&two), ["operators,tgt,more: pods get"]);
    assert_eq!(two.to_string(), "the OperatorGroup og targets tgt, more");
    assert_eq!(
        beyond(&with(json!({"targetNamespaces": ["operators"]}))),
        ["operators: pods get"]
    );
    let mut selecting = group(&json!({"selector": {"matchLabels": {"a": "b"}}}));
    selecting["status"] = json!({"namespaces": ["tgt"]});
    let selecting = held(version(true), Vec::new(), &state(vec![selecting]));
    assert_eq!(beyond(&selecting), ["operators,tgt: pods get"]);
}

#[test]
fn the_selector_of_an_operator_group_applies_to_namespaces_in_the_input() {
    let namespace = |name: &str, label: &str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"a": label}}});
    let with = |selector: Value, mut objects: Vec<Value>| {
        objects.push(group(&json!({ "selector": selector })));
        held(version(true), Vec::new(), &state(objects))
    };
    let labelled = || json!({"matchLabels": {"a": "b"}});
    let selected = with(labelled(), vec![namespace("tgt", "b"), namespace("other", "c")]);
    assert_eq!(beyond(&selected), ["operators,tgt: pods get"]);
    assert_eq!(selected.to_string(), "the OperatorGroup og targets tgt");
    let none = with(labelled(), vec![namespace("other", "c")]);
    assert_eq!(beyond(&none), ["operators: pods get"]);
    assert_eq!(
        none.to_string(),
        "the OperatorGroup og selects none of the Namespaces in the input"
    );
    let unknown = with(labelled(), Vec::new());
    assert_eq!(
        (&unknown.targets, beyond(&unknown)),
        (&Targets::Selected, vec!["operators: pods get".to_owned()])
    );
    assert!(
        unknown.notes[0].contains("the input contains no Namespaces"),
        "{:?}",
        unknown.notes
    );
    assert_eq!(with(json!({}), Vec::new()).targets, Targets::All);
}

#[test]
fn without_an_operator_group_the_install_modes_decide() {
    let elsewhere = json!({"kind": "OperatorGroup", "metadata": {"name": "og", "namespace": "elsewhere"}});
    for state in [State::default(), state(vec![elsewhere])] {
        let everywhere = held(version(true), Vec::new(), &state);
        assert_eq!((&everywhere.targets, &everywhere.group), (&Targets::All, &None));
        let here = held(version(false), Vec::new(), &state);
        assert_eq!(beyond(&here), ["operators: pods get"]);
        assert!(here.to_string().ends_with("does not support AllNamespaces"), "{here}");
    }
}

#[test]
fn bindings_of_the_bundle_and_the_cluster_are_included() {
    let subject = json!([{"kind": "ServiceAccount", "name": "sa", "namespace": "operators"}]);
    let binding = |kind: &str, name: &str, role: &str| {
        let mut binding = object("rbac.authorization.k8s.io/v1", kind, name);
        binding["roleRef"] = json!({"kind": "ClusterRole", "name": role});
        binding["subjects"] = subject.clone();
        binding
    };
    let role = |name: &str, resource: &str| {
        let mut role = object("rbac.authorization.k8s.io/v1", "ClusterRole", name);
        role["rules"] = json!([{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]);
        role
    };
    let shipped = vec![
        binding("RoleBinding", "b", "there"),
        binding("RoleBinding", "c", "nowhere"),
    ];
    let cluster = state(vec![
        role("there", "services"),
        role("other", "secrets"),
        binding("ClusterRoleBinding", "d", "other"),
        group(&json!({"targetNamespaces": ["operators"]})),
    ]);
    let found = held(version(true), shipped, &cluster);
    assert_eq!(
        beyond(&found),
        ["*: secrets get", "operators: pods get", "operators: services get"]
    );
    assert_eq!(
        found.notes,
        ["RoleBinding c refers to ClusterRole nowhere, which is not in the input"]
    );
    // A version without permissions updates its condition with the default account.
    let mut without = csv("memo.v1");
    without["spec"]["install"]["spec"] = json!({});
    let found = held(without, Vec::new(), &State::default());
    assert_eq!(
        lines_of(&found, "default"),
        ["operators: operatorconditions/memo.v1 get,update,patch"]
    );
}

#[test]
fn namespaces_with_the_same_bindings_share_their_rows() {
    let rbac = |kind: &str, name: &str| object("rbac.authorization.k8s.io/v1", kind, name);
    let mut role = rbac("ClusterRole", "r");
    role["rules"] = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let mut objects = vec![role, group(&json!({"targetNamespaces": ["operators"]}))];
    for namespace in 0..30 {
        let mut binding = rbac("RoleBinding", "b");
        binding["metadata"]["namespace"] = format!("n{namespace:02}").into();
        binding["roleRef"] = json!({"kind": "ClusterRole", "name": "r"});
        binding["subjects"] = json!([{"kind": "Group", "name": "system:serviceaccounts:operators"}]);
        objects.push(binding);
    }
    let found = held(version(true), Vec::new(), &state(objects));
    let own = found.accounts.iter().find(|held| held.account.name == "sa").unwrap();
    let rows = own.permissions.iter().map(|holding| &holding.permission);
    let rows: Vec<_> = rows
        .filter(|row| row.namespaces.iter().any(|name| name.starts_with('n')))
        .collect();
    assert_eq!((rows.len(), rows[0].namespaces.len()), (1, 30));
    let [place, ..] = rows[0].in_words();
    assert!(
        place.starts_with("n00, n01, ") && place.ends_with(", n19 and 10 more"),
        "{place}"
    );
}

#[test]
fn accounts_that_only_deployments_use_are_listed_with_their_permissions_in_the_cluster() {
    let rbac = |kind: &str, name: &str| object("rbac.authorization.k8s.io/v1", kind, name);
    let mut role = rbac("ClusterRole", "r");
    role["rules"] = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let mut binding = rbac("ClusterRoleBinding", "b");
    binding["roleRef"] = json!({"kind": "ClusterRole", "name": "r"});
    let subject = |name: &str| json!({"kind": "ServiceAccount", "name": name, "namespace": "operators"});
    binding["subjects"] = json!([subject("rich"), subject("alias"), subject("default"), subject("unused")]);
    let cluster = state(vec![role, binding]);
    let deployment = |name: &str, spec: Value| json!({"name": name, "spec": {"template": {"spec": spec}}});
    let with = |deployments: Vec<Value>| {
        let mut csv = version(true);
        csv["spec"]["install"]["spec"]["deployments"] = deployments.into();
        held(csv, Vec::new(), &cluster)
    };
    let before = with(vec![deployment("hook", json!({"serviceAccountName": "sa"}))]);
    let after = with(vec![
        deployment("hook", json!({"serviceAccountName": "sa", "serviceAccount": "poor"})),
        deployment("a", json!({"serviceAccountName": "rich"})),
        deployment("b", json!({"serviceAccount": "alias"})),
        deployment("c", json!({})),
        deployment("d", json!({"serviceAccountName": "poor"})),
    ]);
    let names = |operator: &Operator| -> Vec<String> {
        let accounts = operator.accounts.iter();
        accounts.map(|held| held.account.name.clone()).collect()
    };
    assert_eq!(names(&before), ["sa"]);
    assert_eq!(names(&after), ["alias", "default", "rich", "sa"]);
    for name in ["alias", "default", "rich"] {
        assert_eq!(lines_of(&after, name), ["*: secrets get"]);
    }
    let gains = super::super::gained(&after, &[before], &Grants::default()).unwrap();
    assert_eq!(gains.len(), 3, "{gains:?}");
}

/// OLM looks for the account by itself, and not as the API server does.
#[test]
fn the_deprecated_field_of_a_deployment_does_not_name_the_account_that_serves_webhooks() {
    let mut csv = version(true);
    let spec = json!({"serviceAccount": "alias"});
    csv["spec"]["install"]["spec"]["deployments"] = json!([{"name": "hook", "spec": {"template": {"spec": spec}}}]);
    let operator = held(csv, Vec::new(), &State::default());
    let lines = lines_of(&operator, "default");
    assert!(
        lines.contains(&"operators: secrets/hook-service-cert get".to_owned()),
        "{lines:?}"
    );
}

#[test]
fn a_binding_to_a_user_or_group_applies_to_the_accounts_it_includes() {
    let bound = |name: &str, kind: &str, subject: &str| {
        let mut binding = object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", name);
        binding["roleRef"] = json!({"kind": "ClusterRole", "name": name});
        binding["subjects"] = json!([{"kind": kind, "name": subject}]);
        let mut role = object("rbac.authorization.k8s.io/v1", "ClusterRole", name);
        role["rules"] = json!([{"apiGroups": [""], "resources": [name], "verbs": ["list"]}]);
        [binding, role]
    };
    let shipped = [
        bound("leases", "Group", "system:serviceaccounts:operators"),
        bound("services", "User", "system:serviceaccount:operators:sa"),
        bound("secrets", "Group", "system:serviceaccounts:elsewhere"),
        bound("events", "User", "system:serviceaccount:operators:another"),
    ];
    let found = held(version(true), shipped.concat(), &State::default());
    let beyond: Vec<String> = beyond(&found)
        .into_iter()
        .filter(|line| line.contains("list"))
        .collect();
    assert_eq!(
        beyond,
        ["*: leases list", "*: namespaces get,list,watch", "*: services list"]
    );
    let others: Vec<String> = found.others.iter().map(|held| held.subject.to_string()).collect();
    assert_eq!(
        others,
        [
            "Group system:serviceaccounts:elsewhere",
            "Group system:serviceaccounts:operators"
        ]
    );
    assert_eq!(lines_of(&found, "another"), ["*: events list"]);
}

#[test]
fn the_accounts_of_many_bindings_are_not_compared_with_each_other() {
    // Comparing all pairs would take hours.
    const ACCOUNTS: usize = 30_000;
    let rbac = |kind: &str, name: &str| object("rbac.authorization.k8s.io/v1", kind, name);
    let mut csv = csv("memo.v1");
    let rule = |resource: &str| json!([{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]);
    let permissions = (0..ACCOUNTS)
        .map(|number| json!({"serviceAccountName": format!("a{number}"), "rules": rule(&format!("r{number}"))}));
    csv["spec"]["install"]["spec"]["permissions"] = permissions.collect();
    let mut objects = vec![rbac("ClusterRole", "old")];
    objects[0]["rules"] = rule("nodes");
    objects.extend((0..ACCOUNTS).map(|number| {
        let mut binding = rbac("RoleBinding", &format!("b{number}"));
        binding["metadata"]["namespace"] = "operators".into();
        binding["roleRef"] = json!({"kind": "ClusterRole", "name": "old"});
        binding["subjects"] = json!([{"kind": "ServiceAccount", "name": format!("a{number}")}]);
        binding
    }));
    let operator = held(csv, Vec::new(), &state(objects));
    assert_eq!(operator.accounts.len(), ACCOUNTS);
    let mut lines = lines_of(&operator, "a29999");
    lines.sort();
    assert_eq!(
        lines,
        [
            "operators: nodes get",
            "operators: operatorconditions/memo.v1 get,update,patch",
            "operators: r29999 get",
        ]
    );
}

#[test]
fn the_objects_of_a_cluster_are_read_once_for_all_versions_of_a_plan() {
    // Reading all objects for each version would take many minutes.
    const VERSIONS: usize = 1500;
    let rbac = |kind: &str, name: &str| object("rbac.authorization.k8s.io/v1", kind, name);
    let steps = (0..VERSIONS).flat_map(|number| {
        let mut csv = csv("memo.v1");
        let name = format!("memo{number}.v1");
        csv["metadata"]["name"] = name.as_str().into();
        let mut binding = rbac("RoleBinding", &format!("b{number}"));
        binding["roleRef"] = json!({"kind": "ClusterRole", "name": format!("r{number}")});
        binding["subjects"] = json!([{"kind": "ServiceAccount", "name": "memo"}]);
        let mut content = content(csv, vec![binding]);
        content.name = name;
        of_bundle(&content, &target(), "").unwrap()
    });
    let steps: Vec<Step> = steps.collect();
    let roles = (0..20 * VERSIONS).map(|number| {
        let mut role = rbac("ClusterRole", &format!("r{number}"));
        role["rules"] = json!([{"apiGroups": [""], "resources": [format!("things{number}")], "verbs": ["get"]}]);
        role
    });
    let found = operators(&steps, "operators", &state(roles.collect())).unwrap();
    assert_eq!(found.len(), VERSIONS);
    for number in [0, VERSIONS - 1] {
        let lines = lines_of(&found[number], "memo");
        assert!(lines.contains(&format!("operators: things{number} get")), "{lines:?}");
        assert!(
            lines.iter().filter(|line| line.contains("things")).count() == 1,
            "{lines:?}"
        );
    }
}
