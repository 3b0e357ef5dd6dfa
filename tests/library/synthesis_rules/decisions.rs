//! The decisions of the synthesis (D1 to D30 of its reference), each on the smallest bundle that shows it.

use super::parts::{self, Bundle, CRD, DEPLOYMENT_YAML, OLM_YAML, OPERATOR, SERVICE, WEBHOOK, binding, grant, role};
use opmx::bundle;
use opmx::synthesis::{Synthesis, synthesize};
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use serde_json::{Value, json};

/// The result: the CSV, the objects shipped with it, and the IDs of the findings.
struct Outcome {
    csv: Value,
    kept: Vec<Value>,
    findings: Vec<&'static str>,
}

impl Outcome {
    fn spec(&self, path: &str) -> &Value {
        self.csv.pointer(&format!("/spec/{path}")).unwrap_or(&Value::Null)
    }

    fn required(&self) -> &Value {
        self.spec("customresourcedefinitions/required")
    }

    fn has(&self, rule: &str) -> bool {
        self.findings.contains(&rule)
    }
}

fn outcome(bundle: Bundle) -> Outcome {
    let synthesis = synthesis(bundle);
    Outcome {
        kept: synthesis.kept().cloned().collect(),
        findings: synthesis.diagnostics.iter().map(|finding| finding.rule.id).collect(),
        csv: synthesis.csv.unwrap_or_default(),
    }
}

/// Returns every object, and the reason for what it has become.
fn reasons(bundle: Bundle) -> Vec<(String, String)> {
    let outcomes = synthesis(bundle).outcomes.into_iter();
    outcomes
        .map(|outcome| (outcome.object.label(), outcome.reason))
        .collect()
}

fn synthesis(bundle: Bundle) -> Synthesis {
    let mut tree = Tree::new("bundle");
    for (path, text) in bundle.0 {
        tree.insert(&path, text.into_bytes(), &TreeLimits::default()).unwrap();
    }
    let reading = bundle::read(&tree, &Limits::default());
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    synthesize(&reading.bundle.unwrap(), &[])
}

fn plain() -> Bundle {
    Bundle::plain()
}

#[test]
fn d1_to_d5_olm_yaml_supplies_what_manifests_cannot() {
    // D1: the minimum Kubernetes version is required, and must be a complete version.
    assert!(outcome(plain().with(OLM_YAML, "minKubeVersion: 1.25.0\n", "")).has("olm-required"));
    assert!(outcome(plain().with(OLM_YAML, "1.25.0", "v1.25.0")).has("olm-version"));
    // D2
    let found = outcome(plain().with(OLM_YAML, "displayName: Op\n", ""));
    assert_eq!(found.spec("displayName"), "op");
    // D3
    let svg = "PHN2Zy8+";
    let wanted = json!([{"base64data": svg, "mediatype": "image/svg+xml"}]);
    let list = format!("icon: [{{base64data: {svg}, mediatype: image/svg+xml}}]");
    for icon in [format!("icon: {svg}"), list] {
        assert_eq!(outcome(plain().olm(&icon)).spec("icon"), &wanted);
    }
    for data in ["data:image/png;base64,iVBORw0KGgo=", "aGVsbG8="] {
        let map = format!("{{base64data: '{data}', mediatype: image/png}}");
        for icon in [format!("icon: {map}"), format!("icon: [{map}]")] {
            assert!(outcome(plain().olm(&icon)).has("olm-icon"), "{icon}");
        }
    }
    // D4
    let found = outcome(plain().olm("labels: {a: b}\ncsv: {labels: {c: d}}"));
    assert_eq!(found.spec("labels"), &json!({"a": "b"}));
    assert_eq!(found.csv["metadata"]["labels"], json!({"c": "d"}));
    // D5
    assert_eq!(outcome(plain()).spec("relatedImages"), &Value::Null);
}

#[test]
fn d6_d14_and_d15_kinds_are_declared_and_never_guessed() {
    let backups = || plain().granted(&grant("velero.example.com", "backups"));
    let found = outcome(backups());
    assert!(found.has("rbac-kind-unknown") && found.csv.is_null());
    let hint = "group: velero.example.com, resource: backups, kind: Backup, version: v1";
    let found = outcome(backups().olm(&format!("apis: [{{{hint}}}]")));
    let wanted = json!([{"kind": "Backup", "name": "backups.velero.example.com", "version": "v1"}]);
    assert_eq!(found.required(), &wanted);
    let found = outcome(backups().olm(&format!("apis: [{{{hint}, apiService: true}}]")));
    let wanted = json!([{"group": "velero.example.com", "kind": "Backup", "name": "backups", "version": "v1"}]);
    assert_eq!(found.spec("apiservicedefinitions/required"), &wanted);
    assert_eq!(found.required(), &Value::Null);
    for (class, natives) in [("optional", 0), ("none", 0), ("native", 1)] {
        let found = outcome(backups().olm(&format!("apis: [{{{hint}, dependency: {class}}}]")));
        assert_eq!(found.required(), &Value::Null, "{class}");
        let listed = found.spec("nativeAPIs").as_array().map_or(0, Vec::len);
        assert_eq!(listed, natives, "{class}");
    }
}

#[test]
fn a_resource_of_an_own_group_is_required_only_if_declared() {
    let bundle = || plain().and(CRD).granted(&grant("example.com", "bars"));
    let found = outcome(bundle());
    assert!(found.has("rbac-own-group"));
    assert_eq!(found.required(), &Value::Null);
    let found = outcome(bundle().olm("apis: [{group: example.com, resource: bars, kind: Bar, version: v1}]"));
    assert!(!found.has("rbac-own-group"));
    assert_eq!(found.required()[0]["kind"], "Bar");
    assert!(!outcome(plain().and(CRD).granted(&grant("example.com", "foos"))).has("rbac-own-group"));
}

#[test]
fn entries_for_several_versions_of_an_api_are_all_required() {
    let entry =
        |version: &str| format!("{{group: velero.example.com, resource: backups, kind: Backup, version: {version}}}");
    let apis = format!("apis: [{}, {}]", entry("v1"), entry("v2"));
    let found = outcome(plain().granted(&grant("velero.example.com", "backups")).olm(&apis));
    let versions: Vec<&Value> = found
        .required()
        .as_array()
        .unwrap()
        .iter()
        .map(|api| &api["version"])
        .collect();
    assert_eq!(versions, ["v2", "v1"]);
    assert!(!found.has("olm-api-conflict"));
}

#[test]
fn entries_that_contradict_each_other_are_an_error_at_both() {
    let api = "group: velero.example.com, resource: backups, kind: Backup, version: v1";
    for (first, second, key) in [
        ("dependency: optional", "dependency: required", "dependency"),
        ("dependency: native", "apiService: false", "dependency"),
        ("apiService: true", "dependency: required", "apiService"),
    ] {
        let apis = format!("apis:\n- {{{api}, {first}}}\n- {{{api}, {second}}}\n");
        let found = synthesis(plain().granted(&grant("velero.example.com", "backups")).olm(&apis));
        let mut findings = found.diagnostics.iter();
        let finding = findings.find(|finding| finding.rule.id == "olm-api-conflict").unwrap();
        assert_eq!(
            finding.message,
            format!("apis[0] and apis[1] describe backups of group velero.example.com, but differ in {key}")
        );
        let lines = [finding.place.as_ref().unwrap(), &finding.related[0].0].map(|place| place.start().line);
        assert_eq!(lines[0], lines[1] + 1);
        assert!(found.csv.is_none());
    }
}

#[test]
fn the_error_about_a_definition_without_owned_versions_is_at_the_entry_that_excludes_them() {
    let unlisted = "customresourcedefinitions:\n  unlisted: [{name: foos.example.com, version: v1}]\n";
    let said = |olm: &str| -> Vec<(&'static str, String)> {
        let found = synthesis(plain().and(CRD).olm(olm)).diagnostics;
        let errors = found.iter().filter(|finding| finding.is_error());
        errors
            .map(|finding| (finding.rule.id, finding.message.clone()))
            .collect()
    };
    let not_owned = "foos.example.com is in the bundle, but customresourcedefinitions.unlisted excludes all its served \
                     versions, so the ClusterServiceVersion does not own it";
    assert_eq!(said(unlisted), [("bundle-crd-not-owned", not_owned.to_owned())]);
    let described = format!("{unlisted}  owned: [{{name: foos.example.com, version: v1, kind: Foo}}]\n");
    let excluded = "customresourcedefinitions.owned[0] describes foos.example.com v1, but \
                    customresourcedefinitions.unlisted[0] excludes this version";
    let described = said(&described);
    assert!(
        described.contains(&("olm-overlay-unmatched", excluded.to_owned())),
        "{described:?}"
    );
    assert_eq!(described.len(), 2);
}

#[test]
fn an_undeclared_resource_of_an_own_group_does_not_stop_the_synthesis() {
    let found = synthesis(plain().and(CRD).granted(&grant("example.com", "bars")));
    assert!(found.csv.is_some());
    let open: Vec<_> = found
        .unresolved
        .iter()
        .map(|api| (&*api.resource, api.of_own_group))
        .collect();
    assert_eq!(open, [("bars", true)]);
    let finding = found
        .diagnostics
        .iter()
        .find(|finding| finding.rule.id == "rbac-own-group");
    let help = finding.unwrap().advice();
    assert!(
        help.contains("{group: example.com, resource: bars, kind: …, version: …}"),
        "{help}"
    );
}

#[test]
fn an_entry_about_a_resource_that_no_rule_names_has_no_effect() {
    let backups = || plain().granted(&grant("velero.example.com", "backups"));
    let bundle = |apis: &str| backups().olm(&format!("apis: [{apis}]"));
    let said = |apis: &str| -> Vec<String> {
        let found = synthesis(bundle(apis)).diagnostics.into_iter();
        let found = found.filter(|finding| finding.rule.id == "olm-api-unused");
        found.map(|finding| finding.message).collect()
    };
    let kind = "kind: Backup, version: v1";
    assert_eq!(
        said(&format!("{{group: nosuch.example.org, resource: foos, {kind}}}")),
        ["no rule names foos of group nosuch.example.org"]
    );
    assert_eq!(
        said(&format!("{{group: velero.example.com, resource: backup, {kind}}}")),
        ["no rule names backup of group velero.example.com, but one names backups of group velero.example.com"]
    );
    assert_eq!(
        said(&format!("{{group: velero.example.com, resource: backups, {kind}}}")),
        [""; 0]
    );
}

#[test]
fn d7_accounts_of_operands_are_kept_without_wildcard_checks_and_inference() {
    let bound = plain()
        .and(&role(
            "ClusterRole",
            &format!("{}, {}", grant("*", "*"), grant("velero.example.com", "backups")),
        ))
        .and(&binding(
            "ClusterRoleBinding",
            "ClusterRole",
            "{kind: ServiceAccount, name: agent}",
        ));
    let without = outcome(bound.clone());
    assert_eq!(without.spec("install/spec/clusterPermissions"), &Value::Null);
    let found = outcome(bound.olm("extraServiceAccounts: [agent]"));
    let permissions = found.spec("install/spec/clusterPermissions");
    assert_eq!(permissions[0]["serviceAccountName"], "agent");
    assert_eq!(permissions[0]["rules"].as_array().unwrap().len(), 2);
    assert_eq!(found.required(), &Value::Null);
    assert!(found.kept.is_empty(), "{:?}", found.kept);
}

#[test]
fn d8_custom_resources_are_not_turned_into_examples() {
    let found = outcome(
        plain()
            .and(CRD)
            .and("{apiVersion: example.com/v1, kind: Foo, metadata: {name: a}}"),
    );
    assert!(found.has("k8s-custom-resource"));
}

#[test]
fn d9_and_d10_deployments_are_copied_unchanged() {
    let lines = "        env: [{name: WATCH_NAMESPACE, value: a}]\n        \
                 volumeMounts: [{name: certs, mountPath: /tmp/k8s-webhook-server/serving-certs}]\n        ports:\n";
    let bundle = plain().webhook().with(DEPLOYMENT_YAML, "        ports:\n", lines);
    let written: Value = serde_yaml::from_str(&bundle.0[DEPLOYMENT_YAML]).unwrap();
    let found = outcome(bundle);
    assert_eq!(found.spec("install/spec/deployments/0/spec"), &written["spec"]);
    assert!(found.has("deployment-watch-namespace") && found.has("deployment-cert-volume"));
}

#[test]
fn d11_and_d28_each_account_has_one_entry_even_without_rules() {
    let found = outcome(plain());
    assert_eq!(
        found.spec("install/spec/permissions"),
        &json!([{"serviceAccountName": "op", "rules": []}])
    );
    let found = outcome(plain().with(DEPLOYMENT_YAML, "      serviceAccountName: op\n", ""));
    assert_eq!(
        found.spec("install/spec/permissions"),
        &Value::Null,
        "the default account needs none"
    );
    let second = binding("ClusterRoleBinding", "ClusterRole", OPERATOR)
        .replace("name: binds", "name: second")
        .replace("name: rules", "name: more");
    let more = role(
        "ClusterRole",
        &format!("{}, {}", grant("", "pods"), grant("", "secrets")),
    )
    .replace("name: rules", "name: more");
    let found = outcome(plain().granted(&grant("", "pods")).and(&more).and(&second));
    let permissions = found.spec("install/spec/clusterPermissions").as_array().unwrap();
    assert_eq!(permissions.len(), 1);
    let resources: Vec<_> = permissions[0]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| &rule["resources"][0])
        .collect();
    assert_eq!(
        resources,
        ["pods", "secrets"],
        "a rule that is already selected is not repeated"
    );
}

#[test]
fn d12_and_d13_built_in_apis_are_not_required() {
    for group in [
        "",
        "apps",
        "batch",
        "autoscaling",
        "policy",
        "extensions",
        "gateway.networking.k8s.io",
        "operators.coreos.com",
    ] {
        let found = outcome(plain().granted(&grant(group, "things")));
        assert!(!found.csv.is_null() && found.required().is_null(), "{group}");
    }
    for group in ["cluster.x-k8s.io", "k8s.io", "wgpolicyk8s.io"] {
        assert!(
            outcome(plain().granted(&grant(group, "things"))).has("rbac-kind-unknown"),
            "{group}"
        );
    }
}

#[test]
fn d16_d17_and_d27_a_crd_is_owned_in_its_served_versions_and_shipped() {
    let versions = "  versions:\n  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {description: A Foo.}}}\n  \
                    - {name: v1alpha1, served: false, storage: false}\n  - {name: v1, served: true, storage: true}\n";
    let found = outcome(
        plain()
            .conversion()
            .but(
                "  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n",
                versions,
            )
            .but(
                "service: {name: hook, namespace: system, path: /convert}",
                "{caBundle: YQ==, service: {name: hook, namespace: system, path: /convert}}",
            ),
    );
    let owned = |version: &str| json!({"kind": "Foo", "name": "foos.example.com", "version": version});
    let mut described = owned("v1beta1");
    described["description"] = json!("A Foo.");
    assert_eq!(
        found.spec("customresourcedefinitions/owned"),
        &json!([owned("v1"), described]),
        "where nothing else describes a version, its schema does"
    );
    let conversion = &found.kept[0]["spec"]["conversion"];
    assert_eq!(conversion["strategy"], "Webhook");
    let client = &conversion["webhook"]["clientConfig"];
    assert_eq!(
        client,
        &json!({"service": {"name": "hook", "namespace": "system", "path": "/convert"}})
    );
    // D21
    assert_eq!(found.spec("webhookdefinitions/0/generateName"), "cfoos.kb.io");
}

#[test]
fn d18_and_d19_an_api_service_uses_the_container_port_and_requires_a_kind() {
    let found = outcome(plain().apiservice());
    assert_eq!(found.spec("apiservicedefinitions/owned/0/containerPort"), 9443);
    let found = outcome(plain().and(SERVICE).and(parts::APISERVICE));
    assert!(found.has("apiservice-kind-missing"));
    let found = outcome(plain().webhook());
    assert_eq!(found.spec("webhookdefinitions/0/containerPort"), 443);
    assert_eq!(found.spec("webhookdefinitions/0/targetPort"), 9443);
}

#[test]
fn d20_defaults_of_a_v1beta1_webhook_are_written_explicitly() {
    let found = outcome(plain().webhook().but("k8s.io/v1", "k8s.io/v1beta1"));
    let definition = found.spec("webhookdefinitions/0");
    let defaults = ["failurePolicy", "matchPolicy", "timeoutSeconds"].map(|field| &definition[field]);
    assert_eq!(defaults, [&json!("Ignore"), &json!("Exact"), &json!(30)]);
    let found = outcome(plain().webhook());
    assert_eq!(found.spec("webhookdefinitions/0/failurePolicy"), &Value::Null);
}

#[test]
fn d22_native_apis_come_only_from_resource_paths() {
    let urls = "{nonResourceURLs: [/metrics, /apis/apps/v1/deployments, /apis/apps/v1, '*'], verbs: [get]}";
    let found = outcome(plain().granted(urls));
    let wanted = json!([{"group": "apps", "kind": "Deployment", "version": "v1"}]);
    assert_eq!(found.spec("nativeAPIs"), &wanted);
    assert_eq!(found.findings.iter().filter(|id| **id == "rbac-nonresource").count(), 3);
}

#[test]
fn urls_of_own_resources_and_other_paths_are_named_as_what_they_are() {
    let urls = "{nonResourceURLs: [/apis/example.com/v1/foos, /apis/apps/v1], verbs: [get]}";
    let found = synthesis(plain().and(CRD).granted(urls)).diagnostics;
    let found = found.iter().filter(|finding| finding.rule.id == "rbac-nonresource");
    let messages: Vec<&str> = found.map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "the API at /apis/example.com/v1/foos belongs to this bundle, so it is not in nativeAPIs",
            "/apis/apps/v1 is not the path of a resource, such as /apis/apps/v1/deployments, so it implies no native API",
        ]
    );
}

#[test]
fn d23_and_d24_bindings_decide_the_scope_and_namespaces_are_placeholders() {
    let found = outcome(plain().and(&role("ClusterRole", &grant("", "pods"))).and(&binding(
        "RoleBinding",
        "ClusterRole",
        OPERATOR,
    )));
    assert_eq!(found.spec("install/spec/permissions/0/rules/0/resources/0"), "pods");
    assert_eq!(found.spec("install/spec/clusterPermissions"), &Value::Null);
    let subject = "{kind: ServiceAccount, name: op, namespace: system}";
    let found = outcome(plain().and(&role("ClusterRole", &grant("", "pods"))).and(&binding(
        "ClusterRoleBinding",
        "ClusterRole",
        subject,
    )));
    assert_eq!(
        found.spec("install/spec/clusterPermissions/0/rules/0/resources/0"),
        "pods"
    );
}

#[test]
fn d25_a_group_of_the_bundle_is_never_required() {
    let found = outcome(plain().and(CRD).granted(&grant("example.com", "siblings")));
    assert!(!found.csv.is_null() && found.required().is_null());
}

#[test]
fn d26_an_api_that_one_binding_requires_is_not_optional() {
    let optional = plain().granted(&grant("velero.example.com", "backups")).but(
        "{name: binds}",
        "{name: binds, annotations: {operators.operatorframework.io.bundle.dependency: optional}}",
    );
    assert!(!outcome(optional.clone()).csv.is_null());
    let firm = binding("RoleBinding", "ClusterRole", OPERATOR).replace("name: binds", "name: firm");
    assert!(outcome(optional.and(&firm)).has("rbac-kind-unknown"));
}

#[test]
fn d29_a_binding_keeps_its_other_subjects() {
    let other = "{kind: ServiceAccount, name: other, namespace: elsewhere}";
    let found = outcome(plain().and(&role("ClusterRole", &grant("", "pods"))).and(&binding(
        "ClusterRoleBinding",
        "ClusterRole",
        &format!("{OPERATOR}, {other}"),
    )));
    assert_eq!(found.spec("install/spec/clusterPermissions/0/serviceAccountName"), "op");
    let kinds: Vec<_> = found.kept.iter().map(|object| &object["kind"]).collect();
    assert_eq!(kinds, ["ClusterRole", "ClusterRoleBinding"]);
    assert_eq!(
        found.kept[1]["subjects"],
        json!([{"kind": "ServiceAccount", "name": "other", "namespace": "elsewhere"}])
    );
}

#[test]
fn d30_conditions_are_refused_and_selectors_replaced() {
    let with = |field: &str| {
        plain()
            .webhook()
            .but("  sideEffects: None\n", &format!("  sideEffects: None\n  {field}\n"))
    };
    assert!(outcome(with("matchConditions: [{name: a, expression: 'true'}]")).has("webhook-match-conditions"));
    let found = outcome(with("namespaceSelector: {matchLabels: {a: b}}"));
    assert!(found.has("webhook-namespace-selector"));
    assert_eq!(found.spec("webhookdefinitions/0/namespaceSelector"), &Value::Null);
}

#[test]
fn a_webhook_with_a_wrong_service_does_not_make_certificates_unsupported() {
    let issuer = "{apiVersion: cert-manager.io/v1, kind: Issuer, metadata: {name: a}}";
    let rules = |bundle: Bundle| outcome(bundle.and(issuer)).findings;
    let dropped = "k8s-cert-manager-dropped";
    let second = parts::DEPLOYMENT.replacen("name: op\n", "name: second\n", 1);
    let aggregated = || plain().apiservice();
    for (bundle, error) in [
        (plain().webhook().and(&second), "service-selector"),
        (plain().conversion().and(&second), "service-selector"),
        (aggregated().and(&second), "service-selector"),
        (plain().and(WEBHOOK), "webhook-service-missing"),
        (aggregated().but("port: 443", "port: 8443"), "service-port"),
    ] {
        let found = rules(bundle);
        assert!(found.contains(&error) && found.contains(&dropped), "{found:?}");
        assert!(!found.contains(&"k8s-kind-unsupported"), "{found:?}");
    }
    // Without a Service in the bundle, the operator itself converts, with its own certificate.
    let found = rules(plain().conversion().but("name: hook}", "name: other}"));
    assert!(found.contains(&"webhook-conversion-service-missing"), "{found:?}");
    assert!(found.contains(&"k8s-kind-unsupported"), "{found:?}");
}

#[test]
fn kept_objects_have_a_reason() {
    let other = "{kind: ServiceAccount, name: other}";
    let account = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: other}}";
    let free = role("Role", &grant("", "pods")).replace("name: rules", "name: free");
    let missing = binding("ClusterRoleBinding", "ClusterRole", OPERATOR)
        .replace("name: binds", "name: missing")
        .replace("name: rules", "name: view");
    let bundle = plain()
        .and(&role("ClusterRole", &grant("", "pods")))
        .and(&binding("ClusterRoleBinding", "ClusterRole", other))
        .and(account)
        .and(&free)
        .and(&missing)
        .and(SERVICE);
    let reasons = reasons(bundle);
    let reasons: Vec<(&str, &str)> = reasons
        .iter()
        .filter_map(|(label, reason)| {
            let (reason, applied) = reason.split_once(", so OLM applies ")?;
            matches!(applied, "it" | "the binding").then_some((label.as_str(), reason))
        })
        .collect();
    let wanted = [
        ("Service/hook", "no webhook or APIService refers to it"),
        ("ServiceAccount/other", "no Deployment uses it"),
        ("ClusterRole/rules", "a kept binding refers to it"),
        ("ClusterRoleBinding/binds", "it binds none of the operator's accounts"),
        ("ClusterRoleBinding/missing", "its role is not in the bundle"),
        ("Role/free", "no binding refers to it"),
    ];
    assert_eq!(reasons, wanted);
}
