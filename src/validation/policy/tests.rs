mod objects;

use super::*;
use crate::text::Limits;
use serde_json::{Value, json};

fn policy(yaml: &str) -> Policy {
    read("policy.yaml", yaml.as_bytes(), &Limits::default()).unwrap()
}

fn broken(yaml: &str, csv: &Value, objects: &[&Value]) -> Vec<(&'static str, String)> {
    let broken = judge(&policy(yaml).terms(None, &[]), Some(csv), objects, &Setting::default());
    broken
        .into_iter()
        .map(|broken| (broken.rule.id, broken.path.to_string()))
        .collect()
}

fn csv() -> Value {
    json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "spec": {
    "relatedImages": [{"name": "a", "image": "other.example.com/a:1"}],
    "webhookdefinitions": [{"type": "MutatingAdmissionWebhook"}, {"type": "ConversionWebhook"}],
    "install": {"spec": {
        "deployments": [{"name": "d", "spec": {"template": {"spec": {"containers": [{
            "image": "registry.example.com/d:1",
            "env": [{"name": "RELATED_IMAGE_B", "value": "other.example.com/b:1"}, {"name": "B", "value": "x/y"}],
        }]}}}}],
        "clusterPermissions": [{"serviceAccountName": "d", "rules": [
            {"apiGroups": [""], "resources": ["pods", "secrets"], "verbs": ["get", "list"]}]}],
    }}}})
}

#[test]
fn the_number_of_patterns_with_wildcards_is_limited() {
    let of = |count: usize| {
        let patterns: Vec<String> = (0..count).map(|number| format!("example.com/a*{number}")).collect();
        let text = format!(
            "version: 1\nregistries: {{deny: [plain.example.com, {}]}}\n",
            patterns.join(", ")
        );
        read("p", text.as_bytes(), &Limits::default()).map_err(|error| error.message)
    };
    assert!(of(1000).is_ok());
    assert_eq!(of(1001).unwrap_err(), "registries has more than 1000 patterns with *");
}

#[test]
fn s90_kinds_include_those_created_by_olm() {
    let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}});
    let rule = "policy-kind";
    for (kinds, expected) in [
        ("deny: [ConfigMap]", vec!["kind"]),
        (
            "deny: [ClusterRole, Role]",
            vec!["spec.install.spec.clusterPermissions", "spec.webhookdefinitions"],
        ),
        (
            "deny: [Secret, RoleBinding]",
            vec!["spec.webhookdefinitions", "spec.webhookdefinitions"],
        ),
        (
            "deny: ['*WebhookConfiguration']",
            vec!["spec.webhookdefinitions[0].type"],
        ),
        ("allow: ['*']", vec![]),
        (
            "allow: [core/*, 'rbac.authorization.k8s.io/*', apps/*]",
            vec!["spec.webhookdefinitions[0].type"],
        ),
    ] {
        let found = broken(&format!("version: 1\nkinds: {{{kinds}}}\n"), &csv(), &[&config]);
        let expected: Vec<_> = expected.into_iter().map(|path| (rule, path.to_owned())).collect();
        assert_eq!(found, expected, "{kinds}");
    }
}

#[test]
fn s90_permissions_are_rejected_verb_by_verb() {
    let deny = "version: 1\npermissions: {deny: [{resources: [secrets], verbs: [list], scope: Cluster}]}\n";
    let found = judge(&policy(deny).terms(None, &[]), Some(&csv()), &[], &Setting::default());
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].message,
        r#"policy.yaml does not allow {APIGroups:[""], Resources:["secrets"], Verbs:["list"]} in the whole cluster"#
    );
    assert_eq!(
        found[0].path.to_string(),
        "spec.install.spec.clusterPermissions[0].rules[0]"
    );
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]});
    let found = judge(
        &policy("version: 1\npermissions: {allow: [{verbs: [get, list, watch, create]}]}\n").terms(None, &[]),
        Some(&csv()),
        &[&role],
        &Setting::default(),
    );
    assert_eq!(found.iter().map(|found| found.object).collect::<Vec<_>>(), [1]);
}

fn binding(role: &str) -> Value {
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "b"},
        "roleRef": {"kind": "ClusterRole", "name": role}, "subjects": [{"kind": "ServiceAccount", "name": "d"}]})
}

#[test]
fn the_bindings_of_a_bundle_are_not_compared_with_each_of_its_objects() {
    // Comparing each binding with each role would take hours.
    const BINDINGS: usize = 30_000;
    let roles = (0..BINDINGS).map(|number| cluster_role(&format!("r{number}"), &json!({})));
    let bindings = (0..BINDINGS).map(|number| binding(&format!("r{number}")));
    let objects: Vec<Value> = bindings.chain(roles).chain([binding("other")]).collect();
    let objects: Vec<&Value> = objects.iter().collect();
    let facts = facts::Facts::of(None, &objects, &Setting::default());
    let spots: Vec<usize> = facts.grants.iter().map(|grant| grant.spot.object).collect();
    assert_eq!(spots, (BINDINGS..=2 * BINDINGS).collect::<Vec<_>>());
}

#[test]
fn a_binding_refers_to_a_role_of_the_bundle_only_in_its_own_namespace() {
    let object = |kind: &str, namespace: &str, more: Value| {
        let mut object = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
            "metadata": {"name": "r", "namespace": namespace}});
        object
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        object
    };
    let is_own = |binding: &str, kind: &str, role: &str| {
        let binding = object("RoleBinding", binding, json!({"roleRef": {"kind": kind, "name": "r"}}));
        let objects = [object(kind, role, json!({})), object(kind, "far", json!({})), binding];
        let facts = facts::Facts::of(None, &objects.iter().collect::<Vec<_>>(), &Setting::default());
        facts.grants.is_empty()
    };
    for (binding, role, expected) in [("a", "a", true), ("", "a", true), ("a", "", true), ("a", "b", false)] {
        assert_eq!(is_own(binding, "Role", role), expected, "{binding:?} {role:?}");
        assert!(is_own(binding, "ClusterRole", role));
    }
}

fn cluster_role(name: &str, more: &Value) -> Value {
    let mut role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]});
    role.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    role
}

#[test]
fn s90_a_binding_grants_the_rules_of_its_role() {
    let judged = |policy: &str, role: &str, cluster: &[Value]| {
        let terms = super::read("p", policy.as_bytes(), &Limits::default())
            .unwrap()
            .terms(None, &[]);
        let setting = Setting {
            objects: cluster,
            ..Setting::default()
        };
        let found = judge(&terms, None, &[&binding(role)], &setting);
        assert!(found.iter().all(|broken| broken.path.to_string() == "roleRef"));
        found.into_iter().map(|broken| broken.message).collect::<Vec<_>>()
    };
    let allow = "version: 1\npermissions: {allow: [{resources: [pods], verbs: [get, list]}]}";
    let deny = "version: 1\npermissions: {deny: [{verbs: [bind]}]}";
    let unknown = "p does not allow a binding to ClusterRole other, because this role is not in the input and its \
                   permissions are unknown";
    assert_eq!(judged(allow, "other", &[]), [unknown]);
    assert_eq!(judged(deny, "other", &[]), [unknown]);
    let known = [cluster_role("other", &json!({}))];
    assert_eq!(judged(allow, "other", &known), Vec::<String>::new());
    assert_eq!(judged(deny, "other", &known), Vec::<String>::new());
    assert_eq!(
        judged("version: 1\npermissions: {allow: [{}]}", "other", &[]),
        Vec::<String>::new()
    );
    assert_eq!(
        judged("version: 1\npermissions: {deny: [{scope: Namespace}]}", "other", &[]),
        Vec::<String>::new()
    );
    assert_eq!(
        judged(deny, "cluster-admin", &[]),
        [
            r#"p does not allow {NonResourceURLs:["*"], Verbs:["*"]}, {APIGroups:["*"], Resources:["*"], Verbs:["*"]} in the whole cluster, which ClusterRole cluster-admin contains"#
        ]
    );
}

#[test]
fn s90_the_rules_of_an_aggregated_role_are_unknown() {
    let role = cluster_role("r", &json!({"aggregationRule": {"clusterRoleSelectors": [{}]}}));
    let found = broken(
        "version: 1\npermissions: {deny: [{verbs: [bind]}]}",
        &csv(),
        &[&role, &binding("r")],
    );
    assert_eq!(found, [("policy-permission", "aggregationRule".to_owned())]);
}

#[test]
fn s90_permissions_extended_to_the_cluster_by_olm_are_judged_there() {
    let rules = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let csv = json!({"spec": {"install": {"spec": {"permissions": [{"serviceAccountName": "d", "rules": rules}]}}}});
    let judged = |policy: &str, everywhere: bool| {
        let terms = super::read("p", format!("version: 1\n{policy}").as_bytes(), &Limits::default()).unwrap();
        let setting = Setting {
            everywhere,
            ..Setting::default()
        };
        let found = judge(&terms.terms(None, &[]), Some(&csv), &[], &setting);
        found.into_iter().map(|broken| broken.message).collect::<Vec<_>>()
    };
    let deny = "permissions: {deny: [{resources: [secrets], scope: Cluster}]}";
    assert_eq!(judged(deny, false), Vec::<String>::new());
    assert_eq!(
        judged(deny, true),
        [
            r#"p does not allow {APIGroups:[""], Resources:["secrets"], Verbs:["get"]} in the whole cluster, to which OLM extends this rule, because the operator is for all namespaces"#
        ]
    );
    assert_eq!(judged("permissions: {deny: [{resources: [secrets]}]}", true).len(), 1);
    assert_eq!(
        judged("permissions: {deny: [{resources: [secrets], scope: Namespace}]}", true).len(),
        1
    );
    assert_eq!(judged("kinds: {deny: [ClusterRole]}", false).len(), 0);
    assert_eq!(
        judged("kinds: {deny: [ClusterRole]}", true),
        [
            "p does not allow objects of the kind rbac.authorization.k8s.io/ClusterRole, which OLM creates from this field"
        ]
    );
}

#[test]
fn s90_images_must_come_from_allowed_registries() {
    let found = broken("version: 1\nregistries: {allow: [registry.example.com]}\n", &csv(), &[]);
    let paths: Vec<_> = found.iter().map(|(_, path)| path.as_str()).collect();
    let variable = "spec.install.spec.deployments[0].spec.template.spec.containers[0].env[0].value";
    assert_eq!(paths, [variable, "spec.relatedImages[0].image"]);
    let terms = policy("version: 1\nregistries: {deny: [other.example.com]}\n").terms(None, &[]);
    assert!(
        judge_image(&terms, "other.example.com/a").is_some() && judge_image(&terms, "registry.example.com/a").is_none()
    );
}

#[test]
fn s90_image_volumes_and_image_lists_must_come_from_allowed_registries() {
    let mut csv = csv();
    let pod = &mut csv["spec"]["install"]["spec"]["deployments"][0]["spec"]["template"]["spec"];
    pod["volumes"] = json!([{"name": "v", "image": {"reference": "other.example.com/v:1"}}, {"name": "w"}]);
    pod["containers"][0]["env"][0]["value"] = json!("registry.example.com/a:1,other.example.com/b:1");
    let found = broken("version: 1\nregistries: {allow: [registry.example.com]}\n", &csv, &[]);
    let paths: Vec<_> = found.iter().map(|(_, path)| path.as_str()).collect();
    let pod = "spec.install.spec.deployments[0].spec.template.spec";
    let (variable, volume) = (
        format!("{pod}.containers[0].env[0].value"),
        format!("{pod}.volumes[0].image.reference"),
    );
    assert_eq!(paths, [&variable, &volume, "spec.relatedImages[0].image"]);
}

#[test]
fn s90_terms_for_a_user_replace_the_general_ones() {
    let policy = policy(
        "version: 1\ncatalogs: {allow: [olm/community]}\nkinds: {deny: [Secret]}\nfor:\n\
         - {groups: [ops], catalogs: {allow: ['olm/*']}}\n- {users: [ann], catalogs: {allow: []}}\n",
    );
    let catalog = |user: Option<&str>, groups: &[&str], name: &str| {
        let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        let terms = policy.terms(user, &groups);
        assert!(terms.conditions.kinds.is_some());
        judge_catalog(&terms, &[name]).is_none()
    };
    assert!(catalog(None, &[], "olm/community") && !catalog(None, &[], "olm/certified"));
    assert!(catalog(Some("bob"), &["ops"], "olm/certified"));
    assert!(!catalog(Some("ann"), &[], "olm/community"));
    assert!(
        catalog(Some("ann"), &["ops"], "olm/community"),
        "the first section counts"
    );
}

#[test]
fn a_section_for_a_group_applies_to_the_users_that_the_api_server_adds_to_it() {
    let sections = |group: &str, user: Option<&str>, groups: &[&str]| {
        let policy = policy(&format!(
            "version: 1\nfor: [{{groups: ['{group}'], kinds: {{deny: [Secret]}}}}]\n"
        ));
        let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
        policy.terms(user, &groups).conditions.kinds.is_some()
    };
    let robot = Some("system:serviceaccount:ci:bot");
    for group in [
        "system:serviceaccounts",
        "system:serviceaccounts:ci",
        "system:authenticated",
    ] {
        assert!(sections(group, robot, &[]), "{group}");
    }
    assert!(!sections("system:serviceaccounts:other", robot, &[]));
    assert!(sections("system:authenticated", Some("ann"), &[]) && sections("system:authenticated", None, &["dev"]));
    assert!(!sections("system:authenticated", None, &[]), "no user was specified");
    assert!(!sections("system:serviceaccounts", Some("ann"), &["dev"]));
}

#[test]
fn an_invalid_policy_is_rejected_with_its_line() {
    for (text, error) in [
        ("", "policy.yaml:1:1: expected 1 document in a policy file, found 0"),
        (
            "kinds: {}\n",
            "policy.yaml:1:1: the file requires a value for version; add `version: 1`, the version of the format",
        ),
        (
            "version: 2\n",
            "policy.yaml:1:10: version must be a whole number from 1 to 1, not 2",
        ),
        (
            "version: 1\nkind: {}\n",
            "policy.yaml:2:1: kind is not a known key of the file; did you mean kinds?",
        ),
        (
            "version: 1\nkinds: {allow: Role}\n",
            "policy.yaml:2:16: kinds.allow must be a list, not a string",
        ),
        (
            "version: 1\nfor:\n- kinds: {}\n",
            "policy.yaml:3:3: the section names neither users nor groups, so it has no effect",
        ),
    ] {
        let found = read("policy.yaml", text.as_bytes(), &Limits::default()).unwrap_err();
        assert_eq!(found.to_string(), error, "{text}");
    }
    assert_eq!(
        policy("version: 1\nkinds:\nfor: null\n").terms(None, &[]).conditions,
        Conditions::default()
    );
}

#[test]
fn an_entry_that_probably_matches_nothing_is_reported() {
    let entries = "deny: [{resources: [secret, pod/log, widget, secrets, '*'], verbs: [read, lst, approve, mark]}]";
    let doubts = policy(&format!("version: 1\npermissions:\n  {entries}\n")).doubts;
    assert_eq!(
        doubts,
        [
            "policy.yaml:3:23: secret is not a Kubernetes resource; did you mean secrets?",
            "policy.yaml:3:31: pod/log is not a Kubernetes resource; did you mean pods/log?",
            "policy.yaml:3:71: read is not a Kubernetes verb; did you mean get, list, watch?",
            "policy.yaml:3:77: lst is not a Kubernetes verb; did you mean list?",
        ]
    );
}

#[test]
fn an_entry_that_can_never_match_is_rejected_with_the_right_form() {
    for (entry, advice) in [
        ("permissions: {deny: [{apiGroups: [core]}]}", Some("use \"\"")),
        ("permissions: {allow: [{apiGroups: [apps/v1]}]}", Some("use \"apps\"")),
        (
            "permissions: {deny: [{resources: [ConfigMap]}]}",
            Some("use configmaps"),
        ),
        ("permissions: {deny: [{resources: [Pods/exec]}]}", Some("use pods/exec")),
        (
            "permissions: {deny: [{nonResourceURLs: [/metrics], verbs: [GET]}]}",
            Some("use get"),
        ),
        (
            "permissions: {deny: [{apiGroups: ['', '*'], resources: ['*'], verbs: [Approved, '*']}]}",
            None,
        ),
        (
            "permissions: {deny: [{resources: [pods/*]}]}",
            Some("*/NAME for the subresource NAME of all of them, as in RBAC"),
        ),
        ("permissions: {allow: [{resources: [sec*]}]}", Some("as in RBAC")),
        ("permissions: {deny: [{resources: ['*/st*']}]}", Some("as in RBAC")),
        (
            "permissions: {deny: [{apiGroups: ['*.example.com']}]}",
            Some("in API groups * only stands for all of them, as in RBAC"),
        ),
        ("permissions: {deny: [{verbs: ['get*']}]}", Some("as in RBAC")),
        (
            "permissions: {deny: [{nonResourceURLs: [/api/*/x]}]}",
            Some("use /api/*"),
        ),
        (
            "permissions: {deny: [{resources: ['*/status', '*'], verbs: ['*'], nonResourceURLs: ['/api/*', '*']}]}",
            None,
        ),
        (
            "permissions: {deny: [{verbs: []}]}",
            Some("the list verbs is empty; remove verbs to match all"),
        ),
        (
            "permissions: {deny: [{resources: []}]}",
            Some("the list resources is empty; remove resources to match all"),
        ),
        (
            "for: [{users: [ann], permissions: {allow: [{apiGroups: [], resources: [pods]}]}}]",
            Some("the list apiGroups is empty; remove apiGroups to match all"),
        ),
        (
            "permissions: {deny: [{nonResourceURLs: []}]}",
            Some("the list nonResourceURLs is empty; remove nonResourceURLs to match all"),
        ),
        ("permissions: {allow: []}", None),
        ("permissions: {deny: [{resources: [pods], nonResourceURLs: []}]}", None),
        ("permissions: {deny: [{resources: [], nonResourceURLs: [/x]}]}", None),
        ("kinds: {deny: [apps/v1/Deployment]}", Some("use apps/Deployment")),
        ("kinds: {deny: [v1/ServiceAccount]}", Some("use core/ServiceAccount")),
        (
            "permissions: {deny: [{apiGroups: [v1]}]}",
            Some("use \"\" for the core group"),
        ),
        ("kinds: {deny: [core/*, /Secret, '*']}", None),
        (
            "registries: {allow: ['quay.io/team/etcd:v1']}",
            Some("remove the tag: quay.io/team/etcd"),
        ),
        ("registries: {allow: ['nginx:latest']}", Some("remove the tag: nginx")),
        (
            "registries: {deny: ['quay.io/team/etcd@sha256:0a']}",
            Some("remove the digest: quay.io/team/etcd"),
        ),
        (
            "registries: {deny: ['localhost:5000', 'localhost:5000/team', 'localhost:*', 'oci:*']}",
            None,
        ),
        (
            "for: [{users: [ann], kinds: {deny: [apps/v1/Deployment]}}]",
            Some("use apps/Deployment"),
        ),
    ] {
        let text = format!("version: 1\n{entry}\n");
        let found = read("policy.yaml", text.as_bytes(), &Limits::default()).map_err(|error| error.to_string());
        match advice {
            Some(advice) => assert!(found.as_ref().unwrap_err().ends_with(advice), "{entry}: {found:?}"),
            None => assert!(found.is_ok(), "{entry}: {found:?}"),
        }
    }
}

#[test]
fn the_schema_rejects_what_the_reader_rejects() {
    let validator = jsonschema::validator_for(&json_schema()).unwrap();
    for text in [
        "version: 1",
        "kinds: {}",
        "version: 2",
        "{version: 1, kind: {}}",
        "{version: 1, kinds: {allow: Role}}",
        "{version: 1, kinds: {deny: [Role]}, permissions: {allow: [{verbs: [get], scope: Cluster}]}}",
        "{version: 1, permissions: {deny: [{scope: World}]}}",
        "{version: 1, for: [{kinds: {}}]}",
        "{version: 1, for: [{users: [ann], registries: {allow: [a]}}]}",
        "{version: 1, for: [{users: [], groups: [a]}]}",
    ] {
        let value: Value = serde_yaml::from_str(text).unwrap();
        let is_read = read("policy.yaml", text.as_bytes(), &Limits::default()).is_ok();
        assert_eq!(validator.is_valid(&value), is_read, "{text}");
    }
}
