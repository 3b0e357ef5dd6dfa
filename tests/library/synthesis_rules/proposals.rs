//! Rows of the proposals *plain-k8s-bundles* (K) and *optional-manifest* (O), each on the smallest bundle that shows
//! it.

use super::parts::{
    ANNOTATIONS, ANNOTATIONS_YAML, Bundle, CRD, DEPLOYMENT_YAML, OLM_YAML, OPERATOR, binding, grant, role,
};
use super::{list, tree, validated};
use opmx::bundle;
use opmx::bundle::olm_yaml::annotations;
use opmx::diagnostic::Diagnostic;
use opmx::install::content;
use opmx::rules::Severity;
use opmx::steps::optional;
use opmx::synthesis::{Synthesis, synthesize};
use opmx::text::Limits;
use serde_json::{Value, json};

fn plain() -> Bundle {
    Bundle::plain()
}

fn synthesis(bundle: &Bundle) -> Synthesis {
    let reading = bundle::read(&tree(&bundle.0), &Limits::default());
    synthesize(&reading.bundle.unwrap(), &reading.diagnostics)
}

fn spec(bundle: &Bundle, path: &str) -> Value {
    let synthesis = synthesis(bundle);
    let csv = synthesis
        .csv
        .unwrap_or_else(|| panic!("{}", list(&synthesis.diagnostics)));
    csv.pointer(&format!("/spec/{path}")).cloned().unwrap_or_default()
}

fn found(bundle: &Bundle, rule: &str) -> Vec<Diagnostic> {
    let findings = synthesis(bundle).diagnostics.into_iter();
    findings.filter(|finding| finding.rule.id == rule).collect()
}

/// Returns the advice of the only finding of a rule.
fn advice(bundle: &Bundle, rule: &str) -> String {
    let found = found(bundle, rule);
    assert_eq!(found.len(), 1, "{}", list(&found));
    found[0].advice().to_owned()
}

/// Returns a bundle whose Deployment is in namespace `a`, and whose account is bound by a RoleBinding in another one.
fn bound_elsewhere(rules: &str, subject: &str) -> Bundle {
    plain()
        .with(DEPLOYMENT_YAML, "name: op\n", "name: op\n  namespace: a\n")
        .and(&role("ClusterRole", rules))
        .and(&binding("RoleBinding", "ClusterRole", subject))
        .but("{name: binds}", "{name: binds, namespace: kube-system}")
}

const PLACED: &str = "{kind: ServiceAccount, name: op, namespace: a}";

/// K16: a version that is not served is neither owned nor advertised.
#[test]
fn k16_the_index_advertises_what_the_csv_owns() {
    let versions = "  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n  - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}\n  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n";
    let crd = CRD.replace(
        "  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n",
        versions,
    );
    assert_ne!(crd, CRD);
    let bundle = plain()
        .and(&crd)
        .olm("customresourcedefinitions: {unlisted: [{name: foos.example.com, version: v1beta1}]}");
    let owned = spec(&bundle, "customresourcedefinitions/owned");
    assert_eq!(
        owned,
        json!([{"kind": "Foo", "name": "foos.example.com", "version": "v1"}])
    );
    let (content, _) = content::of_files(&tree(&bundle.0), None, &Limits::default()).unwrap();
    let advertised = content.properties.iter().filter(|property| property.kind == "olm.gvk");
    let advertised: Vec<&Value> = advertised.map(|property| &property.value).collect();
    assert_eq!(
        advertised,
        [&json!({"group": "example.com", "kind": "Foo", "version": "v1"})]
    );
}

#[test]
fn k20_the_annotation_for_optional_apis_belongs_on_the_binding() {
    let bundle = plain().granted(&grant("", "pods")).but(
        "{name: rules}",
        "{name: rules, annotations: {operators.operatorframework.io.bundle.dependency: optional}}",
    );
    assert_eq!(
        advice(&bundle, "rbac-optional-annotation"),
        "Move the annotation to the RoleBinding or ClusterRoleBinding that binds the role."
    );
}

#[test]
fn k31_a_path_with_an_unknown_kind_reports_how_to_resolve_it() {
    let urls = "{nonResourceURLs: [/apis/velero.io/v1/backups, /api/v1/gadgets], verbs: [get]}";
    let bundle = plain().granted(urls);
    let findings = found(&bundle, "rbac-nonresource");
    let hints: Vec<&str> = findings
        .iter()
        .map(|finding| finding.advice().lines().last().unwrap())
        .collect();
    let hint = "- {group: velero.io, resource: backups, kind: …, version: v1, dependency: native}";
    assert_eq!(
        hints,
        [
            hint,
            "- {group: \"\", resource: gadgets, kind: …, version: v1, dependency: native}"
        ]
    );
    assert!(findings.iter().all(|finding| finding.message.contains("is unknown")));
    let named = bundle.olm(&format!("apis:\n{}", hint.replace('…', "Backup")));
    let wanted = json!([{"group": "velero.io", "kind": "Backup", "version": "v1"}]);
    assert_eq!(spec(&named, "nativeAPIs"), wanted);
    assert_eq!(found(&named, "rbac-nonresource").len(), 1);
}

#[test]
fn k40_wildcards_granted_by_a_binding_in_another_namespace_are_rejected() {
    for subject in [PLACED, OPERATOR] {
        let refused = found(&bound_elsewhere(&grant("*", "*"), subject), "rbac-wildcard");
        assert_eq!(refused.len(), 1, "{subject}");
        assert!(
            refused[0].related[0]
                .1
                .ends_with("which OLM moves into the install namespace")
        );
        assert!(found(&bound_elsewhere(&grant("", "pods"), subject), "rbac-wildcard").is_empty());
    }
    let of_another = "{kind: ServiceAccount, name: op, namespace: b}";
    assert!(found(&bound_elsewhere(&grant("*", "*"), of_another), "rbac-wildcard").is_empty());
}

#[test]
fn k41_apis_are_inferred_through_a_binding_in_another_namespace() {
    let bundle = bound_elsewhere(&grant("velero.io", "backups"), PLACED);
    assert_eq!(found(&bundle, "rbac-kind-unknown").len(), 1);
    let bundle = bundle.olm("apis: [{group: velero.io, resource: backups, kind: Backup, version: v1}]");
    let wanted = json!([{"kind": "Backup", "name": "backups.velero.io", "version": "v1"}]);
    assert_eq!(spec(&bundle, "customresourcedefinitions/required"), wanted);
    // OLM creates the binding itself, so its rules are not permissions of the CSV.
    let permissions = json!([{"serviceAccountName": "op", "rules": []}]);
    assert_eq!(spec(&bundle, "install/spec/permissions"), permissions);
    let kept: Vec<Value> = synthesis(&bundle).kept().cloned().collect();
    assert_eq!(
        (&kept[1]["kind"], &kept[1]["metadata"]),
        (&json!("RoleBinding"), &json!({"name": "binds"}))
    );
}

/// What OLM does with kept bindings, and what the author can do if OLM cannot do what is written.
#[test]
fn k41_changes_that_olm_makes_to_kept_bindings_are_reported() {
    let reader = bound_elsewhere(&grant("", "pods"), PLACED).but(
        "kind: ClusterRole, name: rules}",
        "kind: Role, name: extension-apiserver-authentication-reader}",
    );
    let findings = found(&reader, "rbac-other-namespace");
    assert!(
        findings[0]
            .message
            .contains("grants nothing, because OLM moves it from namespace kube-system"),
        "{}",
        findings[0].message
    );
    assert!(
        findings[0]
            .advice()
            .contains("resourceNames: [extension-apiserver-authentication]")
    );
    let other = reader.but("extension-apiserver-authentication-reader", "secrets-reader");
    assert!(advice(&other, "rbac-other-namespace").contains("ClusterRoleBinding"));
    let agent = "{kind: ServiceAccount, name: agent, namespace: a}";
    // The API server refuses a ClusterRoleBinding whose subject names no namespace.
    for (kind, may_go) in [("ClusterRoleBinding", false), ("RoleBinding", true)] {
        let bundle = plain()
            .and(&role("ClusterRole", &grant("", "pods")))
            .and(&binding(kind, "ClusterRole", agent));
        assert!(advice(&bundle, "rbac-kept-subject-namespace").starts_with("No action needed if another program"));
        let bundle = bundle.and("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: agent}\n");
        let advice = advice(&bundle, "rbac-kept-subject-namespace");
        assert_eq!(advice.contains("emove the namespace"), may_go, "{advice}");
        assert!(advice.contains("add extraServiceAccounts: [agent]"), "{advice}");
        let decided = bundle.olm("annotations: {operatorframework.io/suggested-namespace: a}");
        assert!(
            found(&decided, "rbac-kept-subject-namespace").is_empty(),
            "the author has decided"
        );
    }
}

#[test]
fn k41_a_moved_binding_keeps_the_namespace_of_its_subject() {
    let rule = "rbac-kept-subject-namespace";
    let bundle = bound_elsewhere(&grant("", "pods"), PLACED);
    let findings = found(&bundle, rule);
    assert_eq!(findings.len(), 1);
    assert!(
        findings[0]
            .message
            .ends_with("grants its role to account op of namespace a, wherever the operator is installed"),
        "{}",
        findings[0].message
    );
    assert!(advice(&bundle, rule).contains("move the binding and the Deployment into the same namespace"));
    let absent = bundle.but("kind: ClusterRole, name: rules}", "kind: Role, name: absent}");
    assert!(found(&absent, rule).is_empty(), "it grants nothing anyway");
}

fn annotated(lines: &str) -> Bundle {
    plain().with(OLM_YAML, "displayName: Op\n", "").with(
        DEPLOYMENT_YAML,
        "  name: op\n",
        &format!("  name: op\n  annotations:\n{lines}"),
    )
}

#[test]
fn k60_a_deployment_supplies_what_olm_yaml_omits() {
    let prefix = annotations::PREFIX;
    let lines = format!(
        "    {prefix}displayName: The Operator\n    {prefix}description: \"Does: things\"\n    {prefix}keywords: '[a, b]'\n    \
         {prefix}provider: '{{\"name\": \"Us\"}}'\n    {prefix}icon: PHN2Zy8+\n    {prefix}annotations: '{{capabilities: Basic Install, alm-examples: []}}'\n"
    );
    let bundle = annotated(&lines);
    let synthesis = synthesis(&bundle);
    assert!(
        synthesis
            .diagnostics
            .iter()
            .all(|finding| finding.rule.id != "deployment-annotations"),
        "{}",
        list(&synthesis.diagnostics)
    );
    let csv = synthesis.csv.unwrap();
    let spec = &csv["spec"];
    assert_eq!(
        (&spec["displayName"], &spec["description"]),
        (&json!("The Operator"), &json!("Does: things"))
    );
    assert_eq!(
        (&spec["keywords"], &spec["provider"]),
        (&json!(["a", "b"]), &json!({"name": "Us"}))
    );
    assert_eq!(spec["icon"][0]["mediatype"], "image/svg+xml");
    assert_eq!(
        csv["metadata"]["annotations"],
        json!({"alm-examples": "[]", "capabilities": "Basic Install"})
    );
    let rows = synthesis.provenance.explain(&csv);
    let row = rows.iter().find(|row| row.field == "spec.keywords").unwrap();
    assert_eq!(
        (row.object.as_str(), row.how, row.line),
        (
            "Deployment/op",
            "the annotation operators.operatorframework.io.bundle.keywords",
            8
        )
    );
    // olm.yaml takes precedence, even if it says that there is nothing.
    let told = annotated(&lines).olm("displayName: Op\ndescription: ''");
    assert_eq!(
        (&self::spec(&told, "displayName"), &self::spec(&told, "description")),
        (&json!("Op"), &Value::Null)
    );
}

#[test]
fn k60_a_crd_describes_its_kind() {
    let prefix = annotations::PREFIX;
    let lines = format!(
        "metadata:\n  name: foos.example.com\n  annotations:\n    {prefix}displayName: A Foo\n    {prefix}description: Holds a foo.\n    \
         {prefix}specDescriptors: '[{{path: size, displayName: Size}}]'\n    {prefix}resources: '[{{kind: Pod, version: v1}}]'\n    \
         {prefix}examples: '{{apiVersion: example.com/v1, kind: Foo, metadata: {{name: a}}}}'\n"
    );
    let bundle = plain().and(&CRD.replace("metadata: {name: foos.example.com}\n", &lines));
    let owned = &spec(&bundle, "customresourcedefinitions/owned")[0];
    let wanted = json!({"name": "foos.example.com", "version": "v1", "kind": "Foo", "displayName": "A Foo",
        "description": "Holds a foo.", "specDescriptors": [{"path": "size", "displayName": "Size"}],
        "resources": [{"kind": "Pod", "version": "v1", "name": ""}]});
    assert_eq!(owned, &wanted);
    let csv = synthesis(&bundle).csv.unwrap();
    let examples: Value =
        serde_json::from_str(csv["metadata"]["annotations"]["alm-examples"].as_str().unwrap()).unwrap();
    assert_eq!(examples[0]["metadata"]["name"], "a");
    let overlaid = bundle.clone().olm(
        "customresourcedefinitions: {owned: [{name: foos.example.com, version: v1, kind: Foo, displayName: Foo, description: ''}]}\nannotations: {alm-examples: []}",
    );
    let owned = &spec(&overlaid, "customresourcedefinitions/owned")[0];
    assert_eq!(
        (&owned["displayName"], &owned["description"]),
        (&json!("Foo"), &Value::Null)
    );
    assert_eq!(
        synthesis(&overlaid).csv.unwrap()["metadata"]["annotations"]["alm-examples"],
        "[]"
    );
    let foreign = bundle.but("kind: Foo, metadata", "kind: Bar, metadata");
    assert_eq!(found(&foreign, "olm-annotation-value").len(), 1);
}

#[test]
fn k60_fields_that_no_annotation_can_express_are_reported() {
    let prefix = annotations::PREFIX;
    let advice = |key: &str| {
        advice(
            &annotated(&format!("    {prefix}{key}: '1.0.0'\n")),
            "olm-annotation-key",
        )
    };
    assert_eq!(
        advice("version"),
        "Set version in metadata/olm.yaml, where it is required."
    );
    assert_eq!(advice("descripton"), format!("Did you mean {prefix}description?"));
    assert_eq!(
        advice("dependency"),
        "Move the annotation to a RoleBinding or a ClusterRoleBinding."
    );
    let wrong = annotated(&format!("    {prefix}keywords: one\n"));
    assert!(found(&wrong, "olm-annotation-value")[0].is_error());
    let two = annotated(&format!("    {prefix}maturity: alpha\n"));
    let second = two.0[DEPLOYMENT_YAML]
        .replace("name: op\n", "name: other\n")
        .replace("alpha", "beta");
    let both = two.and(&second);
    assert_eq!(spec(&both, "maturity"), "alpha");
    let told = found(&both, "olm-annotation-value");
    assert_eq!(told.len(), 1);
    assert!(!told[0].is_error());
}

#[test]
fn k83_the_webhook_kind_in_the_proposal_is_reported_with_the_real_kinds() {
    for (written, meant) in [
        ("ValidatingAdmissionWebhook", "ValidatingWebhookConfiguration"),
        ("MutatingAdmissionWebhook", "MutatingWebhookConfiguration"),
    ] {
        let bundle = plain()
            .webhook()
            .but("kind: ValidatingWebhookConfiguration", &format!("kind: {written}"));
        let advice = advice(&bundle, "k8s-kind-unsupported");
        assert_eq!(
            advice,
            format!("Did you mean {meant} of admissionregistration.k8s.io/v1?")
        );
    }
}

#[test]
fn a_pod_monitor_is_shipped_with_a_warning_because_only_olm_v1_installs_it() {
    let monitor = "{apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: {name: pods}}";
    let message = "OLM v0 does not install a PodMonitor, so the install plan fails; only OLM v1 installs it";
    for (bundle, rule) in [
        (plain(), "k8s-kind-unsupported"),
        (Bundle::registry(), "content-kind-unsupported"),
    ] {
        let told = |manifest: &str| {
            let findings = validated(&bundle.clone().and(manifest).0).into_iter();
            let findings = findings.filter(|finding| finding.rule.id == rule);
            findings
                .map(|finding| (finding.severity, finding.message))
                .collect::<Vec<_>>()
        };
        assert_eq!(told(monitor), [(Severity::Warning, message.to_owned())], "{rule}");
        assert_eq!(told(&monitor.replace("PodMonitor", "ServiceMonitor")), [], "{rule}");
    }
    let outcomes = synthesis(&plain().and(monitor)).outcomes;
    let outcome = outcomes.iter().find(|outcome| outcome.object.name() == "pods").unwrap();
    assert!(outcome.shipped().is_some());
    assert_eq!(outcome.reason, "only OLM v1 applies it");
}

#[test]
fn k111_an_unknown_media_type_is_reported() {
    let annotations = ANNOTATIONS.replace("k8s+v1", "plain+v0");
    let bundle = plain().without(OLM_YAML).file(ANNOTATIONS_YAML, &annotations);
    let findings = validated(&bundle.0);
    let about = ["index-no-csv", "ann-mediatype-mismatch"];
    let told: Vec<&str> = findings
        .iter()
        .filter(|finding| about.contains(&finding.rule.id))
        .map(|finding| finding.message.as_str())
        .collect();
    assert_eq!(
        told,
        ["unknown media type \"plain+v0\"; opmx supports registry+v1 and k8s+v1"]
    );
}

#[test]
fn o6_properties_in_a_folder_below_metadata_are_reported_as_ignored() {
    let properties = "properties:\n- {type: example.com/team, value: cache}\n";
    let bundle = plain().file("metadata/extra/properties.yaml", properties);
    let findings = validated(&bundle.0);
    let told: Vec<&Diagnostic> = findings
        .iter()
        .filter(|finding| finding.rule.id == "metadata-subfolder")
        .collect();
    assert_eq!(told.len(), 1, "{}", list(&findings));
    assert!(
        told[0]
            .message
            .starts_with("the properties in metadata/extra/properties.yaml are ignored")
    );
    let beside = plain().file("metadata/properties.yaml", properties);
    assert!(
        validated(&beside.0)
            .iter()
            .all(|finding| finding.rule.id != "metadata-subfolder")
    );
}

const RULE: &str = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: my-rule, namespace: my-namespace}\nspec: {}\n";

fn optional_rule(entry: &str) -> Bundle {
    let properties = format!(
        "properties:\n- type: olm.manifests.optional\n  value:\n    manifests:\n    - {{group: monitoring.coreos.com, kind: PrometheusRule, {entry}}}\n"
    );
    plain().and(RULE).file("metadata/properties.yaml", &properties)
}

/// O16, O17, K92: the proposal's own example. OLM moves the object, and the mark follows it. Both ways of writing the
/// entry name it, and no advice is against either.
#[test]
fn o16_o17_k92_an_optional_entry_follows_its_manifest() {
    for entry in ["namespace: my-namespace, name: my-rule", "name: my-rule"] {
        let bundle = optional_rule(entry);
        let findings = validated(&bundle.0);
        let told: Vec<&Diagnostic> = findings
            .iter()
            .filter(|finding| finding.rule.id.starts_with("opt-"))
            .collect();
        assert!(told.is_empty(), "{}", list(&findings));
        let (content, _) = content::of_files(&tree(&bundle.0), None, &Limits::default()).unwrap();
        let named = optional::named(&content);
        assert!(
            content
                .objects
                .iter()
                .any(|object| optional::is_optional(object, &named)),
            "{entry}"
        );
    }
    let elsewhere = optional_rule("namespace: other, name: my-rule");
    assert!(
        validated(&elsewhere.0)
            .iter()
            .any(|finding| finding.rule.id == "opt-no-match")
    );
    let (content, _) = content::of_files(&tree(&elsewhere.0), None, &Limits::default()).unwrap();
    let named = optional::named(&content);
    assert!(
        !content
            .objects
            .iter()
            .any(|object| optional::is_optional(object, &named))
    );
}

#[test]
fn an_operator_with_its_own_certificate_gets_the_path_of_the_one_from_olm() {
    let own = "        args: [--cert-dir=/certs]\n        volumeMounts: [{name: files, mountPath: /certs}]\n\
               \x20     volumes: [{name: files, secret: {secretName: hook-tls}}]\n";
    let bundle = plain().webhook().with(
        DEPLOYMENT_YAML,
        "        - {name: https, containerPort: 9443}\n",
        &format!("        - {{name: https, containerPort: 9443}}\n{own}"),
    );
    let findings = validated(&bundle.0);
    let finding = findings.iter().find(|finding| finding.rule.id == "cert-own-secret");
    let advice = finding.unwrap_or_else(|| panic!("{}", list(&findings))).advice();
    for part in [
        "/tmp/k8s-webhook-server/serving-certs as tls.crt and tls.key",
        "change spec.template.spec.containers[0].args[0]",
        "remove the volume files",
    ] {
        assert!(advice.contains(part), "{advice}");
    }
}

/// Returns a webhook's bundle with a second Certificate, for this Service, that the Deployment mounts at `/side`.
fn certified(argument: &str, service: &str) -> Bundle {
    let lines = format!(
        "        - {{name: https, containerPort: 9443}}\n        args: ['{argument}']\n\
         \x20       volumeMounts: [{{name: files, mountPath: /side}}]\n\
         \x20     volumes: [{{name: files, secret: {{secretName: side}}}}]\n"
    );
    plain()
        .webhook()
        .and("{apiVersion: v1, kind: Service, metadata: {name: side}, spec: {ports: [{port: 1}], selector: {a: b}}}")
        .and(&format!(
            "{{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {{name: a}}, \
             spec: {{secretName: side, dnsNames: [{service}.a.svc, {service}.a.svc.cluster.local]}}}}"
        ))
        .with(
            DEPLOYMENT_YAML,
            "        - {name: https, containerPort: 9443}\n",
            &lines,
        )
}

#[test]
fn an_omitted_certificate_of_another_service_is_not_replaced_with_that_of_olm() {
    let rule = "cert-secret-missing";
    let hook = advice(&certified("--tls=/side", "hook"), rule);
    assert!(hook.starts_with("OLM creates the certificate"), "{hook}");
    for (argument, service) in [("--tls=/side", "side"), ("--metrics-cert-path=/side", "hook")] {
        let told = advice(&certified(argument, service), rule);
        assert!(!told.contains("/tmp/k8s-webhook-server"), "{told}");
        let remove =
            "Remove the volume files, its mount and what uses its path (spec.template.spec.containers[0].args[0])";
        assert!(told.starts_with(remove), "{told}");
        assert_eq!(
            told.contains("controller-runtime creates a self-signed"),
            argument.contains("metrics")
        );
    }
    let bundle = certified(
        "--metrics-cert-path=/side --dir=/tmp/k8s-webhook-server/serving-certs",
        "side",
    );
    let beside = advice(&bundle, rule);
    assert!(
        beside.contains("(spec.template.spec.containers[0].args[0])"),
        "{beside}"
    );
}

#[test]
fn an_omitted_certificate_needs_an_action_only_if_its_secret_is_mounted() {
    let rule = "k8s-cert-manager-dropped";
    let mounted = certified("--tls=/side", "side");
    let unused = mounted
        .clone()
        .with(DEPLOYMENT_YAML, "secretName: side", "secretName: side, optional: true");
    let unused = unused.but("secretName: side", "secretName: other");
    assert!(!advice(&mounted, rule).contains("No action needed"));
    assert!(advice(&unused, rule).contains("No action needed"));
}

#[test]
fn the_missing_certificate_of_the_metrics_names_the_argument_that_uses_it() {
    let bundle = certified("--metrics-cert-path=/side", "side").but("Certificate", "Issuer");
    let told = advice(&bundle, "volume-source-missing");
    assert!(
        told.contains("(spec.template.spec.containers[0].args[0]); without a path, controller-runtime"),
        "{told}"
    );
}

#[test]
fn every_certificate_argument_is_reported_except_client_authorities() {
    let with = |arguments: &str, secret: &str| {
        let own = format!(
            "        args: [{arguments}]\n        volumeMounts: [{{name: files, mountPath: /certs}}]\n\
             \x20     volumes: [{{name: files, secret: {{secretName: hook-tls{secret}}}}}]\n"
        );
        let bundle = plain().webhook().with(
            DEPLOYMENT_YAML,
            "        - {name: https, containerPort: 9443}\n",
            &format!("        - {{name: https, containerPort: 9443}}\n{own}"),
        );
        let findings = validated(&bundle.0).into_iter();
        let mut advice = findings.filter(|finding| finding.rule.id == "cert-own-secret");
        advice.next().map(|finding| finding.advice().to_owned())
    };
    let files = "--client-ca-file=/certs/ca.crt, --tls-cert-file=/certs/tls.crt, --tls-private-key-file=/certs/tls.key";
    let advice = with(files, "").unwrap();
    assert!(
        advice.ends_with(
            "(change spec.template.spec.containers[0].args[1] and spec.template.spec.containers[0].args[2])."
        ),
        "{advice}"
    );
    // One of two changed arguments is not enough.
    let olm = "/tmp/k8s-webhook-server/serving-certs";
    let half = format!("--tls-cert-file={olm}/tls.crt, --tls-private-key-file=/certs/tls.key");
    assert!(with(&half, "").is_some());
    let whole = format!("--client-ca-file=/certs/ca.crt, --cert-dir={olm}");
    assert_eq!(with(&whole, ""), None);
    // The pods start without an optional Secret, but serve with another certificate.
    assert!(with("--cert-dir=/certs", ", optional: true").is_some());
    assert_eq!(with(&format!("--cert-dir={olm}"), ", optional: true"), None);
}

/// OLM names the Service of a webhook after the Deployment.
#[test]
fn a_name_that_is_too_long_for_the_service_of_olm_is_reported() {
    let named = |length: usize| {
        let name = format!("metadata:\n  name: {}\n", "a".repeat(length));
        let bundle = plain()
            .webhook()
            .with(DEPLOYMENT_YAML, "metadata:\n  name: op\n", &name);
        found(&bundle, "object-field-value")
    };
    assert_eq!(named(55), []);
    let findings = named(56);
    assert!(findings[0].message.contains("more than 63 characters"), "{findings:?}");
    assert_eq!(findings[0].path.as_deref(), Some("metadata.name"));
}

#[test]
fn a_certificate_for_an_api_service_is_found_even_if_its_kinds_are_unknown() {
    let mounted = "      volumes: [{name: tls, secret: {secretName: serving-tls}}]\n      containers:\n";
    let mount = "        volumeMounts: [{name: tls, mountPath: /certs}]\n        ports:\n";
    let bundle = plain()
        .apiservice()
        .with(OLM_YAML, "apiservicedefinitions", "annotations")
        .with(DEPLOYMENT_YAML, "      containers:\n", mounted)
        .with(DEPLOYMENT_YAML, "        ports:\n", mount);
    assert!(!found(&bundle, "apiservice-kind-missing").is_empty());
    assert_eq!(found(&bundle, "cert-own-secret").len(), 1);
}

/// The operator in namespace `a`, and its account and another subject in one ClusterRoleBinding.
fn bound_with(subject: &str) -> Bundle {
    plain()
        .with(DEPLOYMENT_YAML, "name: op\n", "name: op\n  namespace: a\n")
        .and(&role("ClusterRole", &grant("", "pods")))
        .and(&binding(
            "ClusterRoleBinding",
            "ClusterRole",
            &format!("{PLACED}, {subject}"),
        ))
}

#[test]
fn only_accounts_in_the_namespace_of_the_deployment_can_be_listed_as_extra_accounts() {
    let rule = "rbac-partial-binding";
    assert!(
        advice(&bound_with("{kind: ServiceAccount, name: b, namespace: a}"), rule).contains("extraServiceAccounts")
    );
    for subject in [
        "{kind: ServiceAccount, name: b, namespace: other}",
        "{kind: Group, name: 'system:serviceaccounts:a', apiGroup: rbac.authorization.k8s.io}",
    ] {
        assert!(
            advice(&bound_with(subject), rule).starts_with("No action needed"),
            "{subject}"
        );
    }
}

#[test]
fn a_group_beside_the_account_of_the_operator_is_reported_for_its_namespace() {
    let group = |name: &str| format!("{{kind: Group, name: '{name}', apiGroup: rbac.authorization.k8s.io}}");
    let bundle = bound_with(&group("system:serviceaccounts:a"));
    assert!(found(&bundle, "rbac-subject-form").is_empty());
    let findings = found(&bundle, "rbac-kept-subject-namespace");
    assert_eq!(findings.len(), 1);
    let said = "grants its role to group system:serviceaccounts:a, wherever the operator is installed";
    assert!(findings[0].message.ends_with(said), "{}", findings[0].message);
    let bundle = bound_with(&group("system:serviceaccounts"));
    for rule in ["rbac-subject-form", "rbac-kept-subject-namespace"] {
        assert!(found(&bundle, rule).is_empty(), "{rule}");
    }
}

#[test]
fn namespaces_of_kept_objects_are_compared_with_that_of_the_deployment() {
    let object = |kind: &str, namespace: &str| {
        format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: x, namespace: {namespace}}}\n")
    };
    let placed = || plain().with(DEPLOYMENT_YAML, "name: op\n", "name: op\n  namespace: a\n");
    let bundle = placed()
        .and(&object("ConfigMap", "a"))
        .and(&object("Secret", "kube-system"));
    let findings = found(&bundle, "k8s-namespace-moved");
    assert_eq!(findings.len(), 1, "{}", list(&findings));
    let said = "Secret/x is for namespace kube-system, but OLM creates it in the install namespace";
    assert_eq!(findings[0].message, said);
    for outcome in synthesis(&bundle)
        .outcomes
        .iter()
        .filter(|outcome| outcome.object.name() == "x")
    {
        assert_eq!(outcome.reason, "OLM applies it in the install namespace");
    }

    let plugin = "apiVersion: console.openshift.io/v1\nkind: ConsolePlugin\nmetadata: {name: p}\n\
                  spec: {displayName: p, backend: {type: Service, service: {name: s, namespace: a, port: 9443}}}\n";
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: m, namespace: a}\n\
                   spec: {namespaceSelector: {matchNames: [a]}, endpoints: [{tlsConfig: {serverName: s.a.svc}}]}\n";
    let bundle = placed().and(plugin).and(monitor);
    let rule = "k8s-namespace-fixed";
    assert_eq!(found(&bundle, rule).len(), 3, "{}", list(&found(&bundle, rule)));
    let decided = bundle.olm("annotations: {operatorframework.io/suggested-namespace: a}");
    assert!(found(&decided, rule).is_empty(), "the author has decided");
}

#[test]
fn an_account_of_helm_hooks_is_not_suggested_for_the_operator() {
    let hook = "annotations: {helm.sh/hook: pre-install}";
    let account = format!("apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: other, {hook}}}\n");
    let bound = |account: &str| {
        let subjects = format!("{OPERATOR}, {{kind: ServiceAccount, name: other}}");
        let bound = binding("ClusterRoleBinding", "ClusterRole", &subjects);
        plain()
            .and(&role("ClusterRole", &grant("", "pods")))
            .and(&bound)
            .and(account)
    };
    for (bundle, suggested) in [(bound(&account), false), (bound(&account.replace(hook, "")), true)] {
        for rule in ["rbac-partial-binding", "rbac-subject-namespace-missing"] {
            let findings = found(&bundle, rule);
            assert_eq!(findings.len(), 1, "{rule}");
            let help = findings[0].help.as_deref().unwrap_or(findings[0].rule.help);
            assert_eq!(help.contains("extraServiceAccounts"), suggested, "{rule}: {help}");
        }
    }
}

#[test]
fn an_alert_that_selects_the_namespace_of_the_deployment_never_matches_in_another() {
    let alert = |expression: &str| {
        let placed = plain().with(DEPLOYMENT_YAML, "name: op\n", "name: op\n  namespace: ops\n");
        placed.and(&format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: alerts, namespace: ops}}\nspec: \
             {{groups: [{{name: op, rules: [{{alert: Down, expr: {expression}}}]}}]}}\n"
        ))
    };
    for expression in [
        "'absent(up{job=\"op\", namespace=\"ops\"})'",
        "\"up{namespace =~ 'ops'} == 0\"",
        "'up{kubernetes_namespace!=`ops`}'",
    ] {
        let findings = found(&alert(expression), "k8s-namespace-fixed");
        assert_eq!(findings.len(), 1, "{expression}");
        let said =
            "PrometheusRule/alerts refers to the namespace ops, but the user chooses the namespace of the operator";
        assert_eq!(findings[0].message, said);
    }
    for expression in [
        "'absent(up{job=\"ops\"})'",
        "'up{namespace=\"ops-other\"} == 0'",
        "'sum by (namespace) (up{ops=\"1\"})'",
    ] {
        let findings = found(&alert(expression), "k8s-namespace-fixed");
        assert!(findings.is_empty(), "{expression}: {}", list(&findings));
    }
}
