use super::*;
use crate::kubernetes::rbac::account::{Account, grants};
use crate::steps::tests::{content, csv, object, target};
use crate::steps::{in_order, of_bundle};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

mod serving;

fn plan(csv: Value, objects: Vec<Value>) -> Vec<Step> {
    in_order(of_bundle(&content(csv, objects), &target(), "").unwrap())
}

fn needs(steps: &[Step]) -> Vec<Need> {
    needed(steps, "operators", &Apis::default(), []).unwrap()
}

fn lines_of(permissions: &[Permission]) -> Vec<String> {
    let line = |permission: &Permission| {
        let Rule {
            api_groups,
            resources,
            resource_names,
            non_resource_urls,
            verbs,
        } = &permission.rule;
        let mut what = [&resources[..], &non_resource_urls[..]].concat().join(",");
        if let [group] = &api_groups[..]
            && !group.is_empty()
        {
            what = format!("{what}.{group}");
        }
        if !resource_names.is_empty() {
            what = format!("{what}/{}", resource_names.join(","));
        }
        let place = if permission.namespaces.is_empty() {
            "*".to_owned()
        } else {
            permission.namespaces.join(",")
        };
        format!("{place}: {what} {}", verbs.join(","))
    };
    permissions.iter().map(line).collect()
}

fn missing(steps: &[Step], held: &Grants) -> Vec<String> {
    lines_of(&pending(&needs(steps), held).unwrap())
}

fn with_deployment() -> Value {
    let mut csv = csv("memo.v1");
    csv["spec"]["install"]["spec"]["deployments"] = json!([{"name": "memo"}]);
    csv
}

#[test]
fn an_install_needs_its_requests_and_the_permissions_it_grants() {
    let steps = plan(
        with_deployment(),
        vec![
            object("v1", "Secret", "a"),
            object("policy/v1", "PodDisruptionBudget", "b"),
        ],
    );
    assert_eq!(
        missing(&steps, &Grants::default()),
        [
            "operators: pods get",
            "operators: secrets create",
            "operators: serviceaccounts create",
            "operators: deployments.apps create,delete,get,list,patch,update,watch",
            "operators: clusterserviceversions.operators.coreos.com create",
            "operators: poddisruptionbudgets.policy create",
            "operators: rolebindings.rbac.authorization.k8s.io create",
            "operators: roles.rbac.authorization.k8s.io create",
        ]
    );
    let purposes: Vec<_> = needs(&steps).iter().map(|need| need.purpose).collect();
    assert_eq!(
        purposes.iter().filter(|purpose| **purpose == Purpose::Operator).count(),
        2,
        "the role and its binding"
    );
}

/// OLM writes definitions with its own account, and reads and changes only objects that already exist.
#[test]
fn existing_objects_are_read_and_changed_and_definitions_need_no_permissions() {
    let budget = object("policy/v1", "PodDisruptionBudget", "b");
    let steps = plan(
        csv("memo.v1"),
        vec![
            object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "c"),
            object("v1", "Service", "a"),
            budget.clone(),
        ],
    );
    let asked = |existing: &[Value]| {
        let needs = needed(&steps, "operators", &Apis::default(), existing).unwrap();
        let shown = lines_of(&pending(&needs, &Grants::default()).unwrap());
        assert!(
            !shown.iter().any(|line| line.contains("customresourcedefinitions")),
            "{shown:?}"
        );
        let of = |what: &str| shown.iter().find(|line| line.contains(what)).unwrap().clone();
        [of("services"), of("poddisruptionbudgets")]
    };
    let first = [
        "operators: services create",
        "operators: poddisruptionbudgets.policy create",
    ];
    assert_eq!(asked(&[]), first);
    let here = |mut object: Value, namespace: &str| {
        object["metadata"]["namespace"] = namespace.into();
        object
    };
    let service = object("v1", "Service", "a");
    assert_eq!(asked(&[here(service.clone(), "elsewhere")]), first);
    assert_eq!(
        asked(&[here(service, "operators"), here(budget, "operators")]),
        [
            "operators: services create,get,patch",
            "operators: poddisruptionbudgets.policy create,get,update"
        ]
    );
}

fn held(namespace: Option<&str>, rules: &[Rule]) -> Grants {
    let mut grants = Grants::default();
    grants.add(namespace, rules.iter().cloned());
    grants
}

#[test]
fn held_permissions_are_not_missing_where_they_are_held() {
    let steps = plan(csv("memo.v1"), Vec::new());
    let everything = [Rule::new("*", "*", &["*"])];
    assert_eq!(missing(&steps, &held(None, &everything)), Vec::<String>::new());
    assert_eq!(
        missing(&steps, &held(Some("operators"), &everything)),
        Vec::<String>::new()
    );
    assert_eq!(missing(&steps, &held(Some("elsewhere"), &everything)).len(), 5);
    let pods = [Rule::new("", "pods", &["get", "list"])];
    assert!(!missing(&steps, &held(None, &pods)).contains(&"operators: pods get".to_owned()));
}

#[test]
fn escalate_and_bind_replace_held_permissions() {
    let steps = plan(csv("memo.v1"), Vec::new());
    let has_pods = |held: &Grants| missing(&steps, held).contains(&"operators: pods get".to_owned());
    let verbs = |resource: &str, verb: &str| Rule::new(rbac::GROUP, resource, &[verb]);
    let (escalate, bind) = (verbs("roles", "escalate"), verbs("roles", "bind"));
    assert!(
        has_pods(&held(None, std::slice::from_ref(&escalate))),
        "the binding still needs it"
    );
    assert!(
        has_pods(&held(None, std::slice::from_ref(&bind))),
        "the role still needs it"
    );
    assert!(!has_pods(&held(None, &[escalate.clone(), bind.clone()])));
    assert!(!has_pods(&held(Some("operators"), &[escalate.clone(), bind])));
    let other = verbs("roles", "bind").named("other");
    assert!(has_pods(&held(None, &[escalate, other])), "names are respected");
}

fn binding(kind: &str, role: (&str, &str)) -> Value {
    let mut binding = object("rbac.authorization.k8s.io/v1", kind, "b");
    binding["roleRef"] = json!({"apiGroup": rbac::GROUP, "kind": role.0, "name": role.1});
    binding
}

#[test]
fn a_bound_role_outside_the_bundle_is_looked_up_or_must_be_bindable() {
    let delegator = ("ClusterRole", "system:auth-delegator");
    let steps = plan(csv("memo.v1"), vec![binding("ClusterRoleBinding", delegator)]);
    let unknown = missing(&steps, &Grants::default());
    assert!(
        unknown.contains(&"*: clusterroles.rbac.authorization.k8s.io/system:auth-delegator bind".to_owned()),
        "{unknown:?}"
    );
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": delegator.0, "metadata": {"name": delegator.1},
        "rules": [{"apiGroups": ["authentication.k8s.io"], "resources": ["tokenreviews"], "verbs": ["create"]}]});
    let needs = needed(&steps, "operators", &Apis::default(), [&role]).unwrap();
    let known = lines_of(&pending(&needs, &Grants::default()).unwrap());
    assert!(
        known.contains(&"*: tokenreviews.authentication.k8s.io create".to_owned()),
        "{known:?}"
    );
}

#[test]
fn cluster_roles_must_be_held_cluster_wide_even_if_bound_in_one_namespace() {
    let rules = json!([{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]}, {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]);
    let mut role = object("rbac.authorization.k8s.io/v1", "ClusterRole", "r");
    role["rules"] = rules;
    let steps = plan(
        csv("memo.v1"),
        vec![role.clone(), binding("RoleBinding", ("ClusterRole", "r"))],
    );
    let missing_now = missing(&steps, &Grants::default());
    assert_eq!(missing_now[..2], ["*: /metrics get", "*: nodes get"]);
    assert!(
        !missing_now.contains(&"operators: nodes get".to_owned()),
        "what is missing everywhere is said once"
    );
    role["aggregationRule"] = json!({"clusterRoleSelectors": []});
    let steps = plan(csv("memo.v1"), vec![role]);
    assert!(missing(&steps, &Grants::default()).contains(&"*: *.* *".to_owned()));
}

#[test]
fn approving_an_aggregated_role_approves_nothing_else() {
    let rbac = |kind: &str, name: &str| object("rbac.authorization.k8s.io/v1", kind, name);
    let with_part = |resource: &str| {
        let mut whole = rbac("ClusterRole", "r");
        whole["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {"x": "y"}}]});
        let mut part = rbac("ClusterRole", "part");
        part["metadata"]["labels"] = json!({"x": "y"});
        part["rules"] = json!([{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]);
        let bound = binding("ClusterRoleBinding", ("ClusterRole", "r"));
        needs(&plan(csv("memo.v1"), vec![whole, part, bound]))
    };
    let approved = approved(&with_part("pods"), Grants::default());
    let missing = |resource: &str| lines_of(&pending(&with_part(resource), &approved).unwrap());
    assert_eq!(missing("pods"), Vec::<String>::new());
    assert_eq!(missing("*"), ["*: * get"]);
    let first = lines_of(&pending(&with_part("pods"), &Grants::default()).unwrap());
    assert!(first.contains(&"*: *.* *".to_owned()), "{first:?}");
}

#[test]
fn rules_with_too_many_permissions_to_read_are_not_expanded() {
    let many: Vec<String> = (0..1000).map(|number| format!("r{number}")).collect();
    let mut csv = csv("memo.v1");
    csv["spec"]["install"]["spec"]["permissions"][0]["rules"] =
        json!([{"apiGroups": many, "resources": many, "verbs": ["get"]}]);
    let steps = plan(csv, Vec::new());
    let missing = pending(&needs(&steps), &Grants::default()).unwrap();
    let wide = missing
        .iter()
        .find(|missing| missing.rule.api_groups.len() > 1)
        .unwrap();
    assert_eq!((wide.rule.api_groups.len(), wide.rule.resources.len()), (1000, 1000));
    assert_eq!(wide.rule.verbs, ["get"]);
    let approved = approved(&needs(&steps), Grants::default());
    assert_eq!(pending(&needs(&steps), &approved), Ok(Vec::new()));
}

#[test]
fn generated_roles_grant_the_missing_permissions() {
    let steps = plan(
        with_deployment(),
        vec![object("rbac.authorization.k8s.io/v1", "ClusterRole", "c")],
    );
    let needs = needs(&steps);
    let account: Account = "olm/installer".parse().unwrap();
    let missing = pending(&needs, &Grants::default()).unwrap();
    let objects = roles("memo.v1", &account, &missing);
    let kinds: Vec<_> = objects.iter().map(|object| object["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]);
    let (granted, notes) = grants(&objects, &account);
    assert_eq!((pending(&needs, &granted).unwrap(), notes), (Vec::new(), Vec::new()));
}

#[test]
fn approval_is_required_only_if_permissions_are_missing() {
    let mut review = Review {
        name: "memo.v1".to_owned(),
        content: vec![Content::Image {
            named: "registry.example.com/memo:1".to_owned(),
            resolved: "registry.example.com/memo@sha256:0".to_owned(),
        }],
        namespaces: BTreeMap::from([("default".to_owned(), "operators".to_owned())]),
        account: Some("olm/installer".parse().unwrap()),
        pending: pending(
            &[Need {
                namespace: Some("operators".to_owned()),
                rules: vec![Rule::new("", "secrets", &["get"])],
                purpose: Purpose::Install,
                unless: None,
                is_condition: false,
            }],
            &Grants::default(),
        )
        .unwrap(),
        operators: Vec::new(),
        refused_by_policy: Vec::new(),
    };
    let asked = install(&review);
    assert_eq!(
        asked,
        json!({
            "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install", "metadata": {"name": "memo.v1"},
            "spec": {"namespaces": [{"from": "default", "to": "operators"}], "approval": "Unapproved",
                "content": [{"type": "ManifestImage", "manifestImage": "registry.example.com/memo:1"}]},
            "status": {
                "serviceAccountRef": {"name": "installer", "namespace": "olm"},
                "conditions": [{"type": "PendingApproval", "status": "True", "reason": "UnsatisfiedPermissions",
                    "message": "pending approval of unsatisfied permissions"}],
                "resolved": [{"type": "ManifestImage", "manifestImage": "registry.example.com/memo@sha256:0"}],
                "pending": {"permissions": [
                    {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "namespaces": ["operators"]}]},
            },
        })
    );
    review.pending.clear();
    let asked = install(&review);
    assert_eq!(
        (asked["spec"].get("approval"), asked["status"].get("conditions")),
        (None, None)
    );
}

/// Any rules, including invalid ones that the API server would reject.
fn any_rules() -> impl Strategy<Value = Value> {
    let some = |words: &'static [&'static str]| prop::collection::vec(select(words), 0..3);
    let rule = (
        some(&["*", "", "apps"]),
        some(&["*", "pods", "pods/log", "*/log"]),
        some(&["a", "*"]),
        some(&["*", "/api", "/api/*"]),
        some(&["*", "get", "list"]),
    );
    let rule = rule.prop_map(|(groups, resources, names, urls, verbs)| {
        json!({"apiGroups": groups, "resources": resources, "resourceNames": names, "nonResourceURLs": urls, "verbs": verbs})
    });
    prop::collection::vec(rule, 0..4).prop_map(Value::from)
}

proptest! {
    #[test]
    fn no_approved_permission_is_pending(own in any_rules(), cluster in any_rules(), held_rules in any_rules()) {
        let mut csv = with_deployment();
        csv["spec"]["install"]["spec"]["permissions"][0]["rules"] = own;
        csv["spec"]["install"]["spec"]["clusterPermissions"] = json!([{"serviceAccountName": "sa", "rules": cluster}]);
        let needs = needs(&plan(csv, Vec::new()));
        let mut granted = Grants::default();
        granted.add(None, Rule::read_all(&json!({"rules": held_rules})));
        prop_assert_eq!(pending(&needs, &approved(&needs, granted.clone())).unwrap(), Vec::new());
    }
}
