//! The smallest wrong input for every rule, next to the nearest right one.

use super::parts::{
    ANNOTATIONS_YAML, APISERVICE, APISERVICE_KINDS, Bundle, CRD, CSV, CSV_YAML, DEPLOYMENT, DEPLOYMENT_YAML, Files,
    OLM, OLM_YAML, OPERATOR, SERVICE, WEBHOOK, binding, grant, role,
};
use crate::noise;
use opmx::rules::Severity;

/// One rule, broken and kept.
pub(crate) struct Case {
    pub(crate) rule: &'static str,
    /// What is wrong, in brief.
    pub(crate) about: &'static str,
    pub(crate) wrong: Files,
    pub(crate) right: Files,
    /// Errors of other rules that cannot be avoided.
    pub(crate) also: &'static [&'static str],
    /// The severity, if it is not the rule's own.
    pub(crate) severity: Option<Severity>,
}

impl Case {
    pub(crate) fn also(mut self, rules: &'static [&'static str]) -> Self {
        self.also = rules;
        self
    }

    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }
}

pub(crate) fn case(rule: &'static str, about: &'static str, wrong: Bundle, right: Bundle) -> Case {
    Case {
        rule,
        about,
        wrong: wrong.0,
        right: right.0,
        also: &[],
        severity: None,
    }
}

/// Returns all cases.
pub(crate) fn all() -> Vec<Case> {
    let parts = [
        olm(),
        layout(),
        objects(),
        deployments(),
        rbac(),
        apis(),
        crds(),
        services(),
        apiservices(),
        webhooks(),
        conversions(),
        annotations(),
        dependencies(),
        registry(),
        super::plain::all(),
    ];
    parts.into_iter().flatten().collect()
}

const ICON: &str = "icon: PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
const CONFIG_MAP: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: b}}";

/// Returns a ConfigMap with this many incompressible letters, the same every time.
fn noise(length: usize) -> String {
    let letters = noise::letters(length);
    format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: noise}}, data: {{a: \"{letters}\"}}}}")
}

fn olm() -> Vec<Case> {
    let plain = Bundle::plain;
    let olm = |from: &str, to: &str| plain().with(OLM_YAML, from, to);
    vec![
        case("olm-required", "a key is absent", olm("version: 1.0.0\n", ""), plain()),
        case(
            "olm-required",
            "a key is empty",
            olm("version: 1.0.0", "version:"),
            plain(),
        ),
        case(
            "olm-required",
            "the file is empty",
            plain().file(OLM_YAML, "# later\n"),
            plain(),
        ),
        case(
            "olm-required",
            "an entry lacks a key",
            plain().olm("cleanup: {}"),
            plain().olm("cleanup: {enabled: false}"),
        ),
        case(
            "olm-type",
            "a number",
            plain().olm("maturity: 1"),
            plain().olm("maturity: \"1\""),
        ),
        case(
            "olm-type",
            "a string for a list",
            plain().olm("keywords: a"),
            plain().olm("keywords: [a]"),
        ),
        case(
            "olm-type",
            "a list for a map",
            plain().olm("provider: [a]"),
            plain().olm("provider: {name: a}"),
        ),
        case(
            "olm-type",
            "the file is a list",
            plain().file(OLM_YAML, "[]\n"),
            plain(),
        ),
        case(
            "olm-type",
            "an unknown class",
            plain().olm("apis: [{group: a.b, resource: c, dependency: often}]"),
            plain().olm("apis: [{group: a.b, resource: c, dependency: optional}]"),
        ),
        case(
            "olm-unknown-key",
            "a slip",
            plain().olm("Maturity: a"),
            plain().olm("maturity: a"),
        ),
        case(
            "olm-misindented",
            "a child at the left margin",
            plain().olm("maintainers:\n- name: A\nemail: a@example.com"),
            plain().olm("maintainers:\n- name: A\n  email: a@example.com"),
        ),
        case(
            "olm-extra-document",
            "two documents",
            plain().olm("---\nversion: 2.0.0"),
            plain(),
        ),
        case(
            "yaml-duplicate-key",
            "a key twice",
            plain().olm("version: 2.0.0"),
            plain(),
        ),
        case("olm-version", "a v", olm("version: 1.0.0", "version: v1.0.0"), plain()),
        case("olm-version", "two numbers", olm("1.25.0", "\"1.25\""), plain()),
        case("olm-icon", "no image", plain().olm("icon: aGVsbG8="), plain().olm(ICON)),
        case("olm-icon", "no base64", plain().olm("icon: an icon"), plain().olm(ICON)),
        case(
            "olm-icon",
            "a file that is no image",
            plain().olm("icon: metadata/icon.svg").file("metadata/icon.svg", "none"),
            plain()
                .olm("icon: ./metadata/icon.svg")
                .file("metadata/icon.svg", "<svg/>"),
        ),
        case(
            "olm-icon-file",
            "no such file",
            plain().olm("icon: metadata/icon.svg"),
            plain()
                .olm("icon: metadata/icon.svg")
                .file("metadata/icon.svg", "<svg/>"),
        ),
        case(
            "olm-icon-file",
            "a file that the image will not have",
            plain().olm("icon: icon.svg").file("icon.svg", "<svg/>"),
            plain()
                .olm("icon: metadata/icon.svg")
                .file("metadata/icon.svg", "<svg/>"),
        ),
        case(
            "olm-release",
            "an underline",
            plain().olm("release: a_b"),
            olm("name: op.v1.0.0", "name: op-v1.0.0-a-b").olm("release: a-b"),
        )
        .also(&["bundle-release-name"]),
        case(
            "olm-release",
            "too long",
            plain().olm("release: aaaaaaaaaaaaaaaaaaaaa"),
            olm("name: op.v1.0.0", "name: op-v1.0.0-aaaaaaaaaaaaaaaaaaaa").olm("release: aaaaaaaaaaaaaaaaaaaa"),
        )
        .also(&["bundle-release-name"]),
        case(
            "bundle-release-name",
            "not in the name",
            plain().olm("release: \"1\""),
            olm("name: op.v1.0.0", "name: op-v1.0.0-1").olm("release: \"1\""),
        ),
        case(
            "csv-name-format",
            "a capital in the name of a bundle with a release",
            olm("name: op.v1.0.0", "name: Op.v1.0.0").olm("release: \"1\""),
            olm("name: op.v1.0.0", "name: op-v1.0.0-1").olm("release: \"1\""),
        ),
        case(
            "bundle-relatedimage-format",
            "a capital",
            plain().olm("relatedImages: [{name: a, image: registry.example.com/A:1}]"),
            plain().olm("relatedImages: [{name: a, image: registry.example.com/a:1}]"),
        ),
        case(
            "bundle-relatedimage-format",
            "a layout",
            plain().olm("relatedImages: [{name: a, image: 'oci:a:1'}]"),
            plain().olm("relatedImages: [{name: a, image: a}]"),
        ),
        case(
            "csv-annotation-case",
            "small letters",
            plain().olm("annotations: {olm.skiprange: '<1.0.0'}"),
            plain().olm("annotations: {olm.skipRange: '<1.0.0'}"),
        ),
        case(
            "csv-example-without-provided-api",
            "of another version",
            plain()
                .and(CRD)
                .olm("annotations: {alm-examples: [{apiVersion: example.com/v2, kind: Foo}]}"),
            plain()
                .and(CRD)
                .olm("annotations: {alm-examples: [{apiVersion: example.com/v1, kind: Foo}]}"),
        ),
        case(
            "csv-example-without-provided-api",
            "in JSON text",
            plain()
                .and(CRD)
                .olm("annotations: {alm-examples: '[{\"apiVersion\": \"v1\", \"kind\": \"Foo\"}]'}"),
            plain()
                .and(CRD)
                .olm("annotations: {alm-examples: '[{\"apiVersion\": \"example.com/v1\", \"kind\": \"Foo\"}]'}"),
        ),
        case(
            "csv-examples-json",
            "one object",
            plain()
                .and(CRD)
                .olm("annotations: {alm-examples: {apiVersion: example.com/v1, kind: Foo}}"),
            plain()
                .and(CRD)
                .olm("annotations: {alm-examples: [{apiVersion: example.com/v1, kind: Foo}]}"),
        ),
        case(
            "csv-examples-json",
            "a string",
            plain().olm("annotations: {alm-examples: [a]}"),
            plain().olm("annotations: {alm-examples: []}"),
        ),
        case(
            "csv-api-both-ways",
            "of another version",
            plain()
                .and(CRD)
                .olm("customresourcedefinitions: {required: [{name: foos.example.com, version: v2, kind: Foo}]}"),
            plain()
                .and(CRD)
                .olm("customresourcedefinitions: {required: [{name: bars.example.com, version: v1, kind: Bar}]}"),
        ),
        case(
            "csv-api-both-ways",
            "aggregated",
            plain()
                .apiservice()
                .olm("customresourcedefinitions: {required: [{name: foos.example.com, version: v1, kind: Foo}]}"),
            plain()
                .apiservice()
                .olm("customresourcedefinitions: {required: [{name: foos.example.org, version: v1, kind: Foo}]}"),
        )
        .severity(Severity::Warning),
        case(
            "csv-resource-field",
            "neither a name nor a version",
            plain()
                .and(CRD)
                .olm("customresourcedefinitions: {owned: [{name: foos.example.com, version: v1, kind: Foo, resources: [{kind: Pod}]}]}"),
            plain()
                .and(CRD)
                .olm("customresourcedefinitions: {owned: [{name: foos.example.com, version: v1, kind: Foo, resources: [{kind: Pod, name: '', version: v1}]}]}"),
        ),
        case(
            "bundle-size-exceeded",
            "a large ConfigMap",
            plain().and(&noise(1_100_000)),
            plain().and(&noise(500_000)),
        ),
        case(
            "bundle-size-near-limit",
            "a large ConfigMap",
            plain().and(&noise(950_000)),
            plain().and(&noise(850_000)),
        ),
        case(
            "olm-overlay-unmatched",
            "another version",
            plain()
                .and(CRD)
                .olm("customresourcedefinitions: {owned: [{name: foos.example.com, version: v2, kind: Foo}]}"),
            plain()
                .and(CRD)
                .olm("customresourcedefinitions: {owned: [{name: foos.example.com, version: v1, kind: Foo}]}"),
        ),
        case(
            "olm-displayname-defaulted",
            "absent",
            olm("displayName: Op\n", ""),
            plain(),
        ),
        case(
            "csv-name-format",
            "a capital",
            olm("name: op.v1.0.0", "name: Op.v1.0.0"),
            plain(),
        ),
        case(
            "csv-name-format",
            "in replaces",
            plain().olm("replaces: op_v0"),
            plain().olm("replaces: op.v0"),
        ),
        case(
            "csv-replaces-itself",
            "its own name",
            plain().olm("replaces: op.v1.0.0"),
            plain().olm("replaces: op.v0.9.0"),
        ),
        case(
            "csv-skips-itself",
            "its own name",
            plain().olm("skips: [op.v0.8.0, op.v1.0.0]"),
            plain().olm("skips: [op.v0.8.0]"),
        ),
        case(
            "csv-examples-json",
            "half a list",
            plain().olm("annotations: {alm-examples: '[{'}"),
            plain().olm("annotations: {alm-examples: '[]'}"),
        ),
        case(
            "csv-installmodes-unknown",
            "a slip",
            plain().olm("- {type: OneNamespace, supported: true}"),
            plain(),
        ),
        case(
            "csv-installmodes-duplicate",
            "twice",
            plain().olm("- {type: AllNamespaces, supported: true}"),
            plain(),
        ),
        case(
            "csv-installmodes-none-supported",
            "none",
            olm("supported: true", "supported: false"),
            plain(),
        ),
    ]
}

fn layout() -> Vec<Case> {
    let plain = Bundle::plain;
    vec![
        case(
            "format-manifests-dir",
            "no manifests",
            plain().without(DEPLOYMENT_YAML),
            plain(),
        ),
        case(
            "format-metadata-dir",
            "no metadata",
            Bundle::registry().without(ANNOTATIONS_YAML),
            Bundle::registry(),
        )
        .also(&["ann-file-missing"]),
        case(
            "metadata-entry-shape",
            "no type",
            plain().dependency("{value: {label: a}}"),
            plain().dependency("{type: olm.label, value: {label: a}}"),
        ),
        case(
            "metadata-entry-shape",
            "no map",
            plain().dependency("olm.label"),
            plain(),
        ),
        case(
            "k8s-media-type-ambiguous",
            "a CSV",
            plain().file(CSV_YAML, CSV),
            plain(),
        ),
        case(
            "k8s-media-type-mismatch",
            "registry+v1",
            plain().with(ANNOTATIONS_YAML, "k8s+v1", "registry+v1"),
            plain(),
        ),
        case(
            "k8s-media-type-mismatch",
            "k8s+v1 with a CSV",
            Bundle::registry().with(ANNOTATIONS_YAML, "registry+v1", "k8s+v1"),
            Bundle::registry(),
        ),
        case(
            "k8s-olm-yaml-missing",
            "no olm.yaml",
            plain().without(OLM_YAML),
            plain(),
        ),
    ]
}

fn objects() -> Vec<Case> {
    let plain = Bundle::plain;
    vec![
        case("object-not-a-map", "a list", plain().and("[a]"), plain()),
        case(
            "object-field-missing",
            "no name",
            plain().and("{apiVersion: v1, kind: ConfigMap}"),
            plain().and(CONFIG_MAP),
        ),
        case(
            "object-field-missing",
            "a generated name",
            plain().and("{apiVersion: v1, kind: ConfigMap, metadata: {generateName: a-}}"),
            plain().and(CONFIG_MAP),
        ),
        case(
            "object-field-missing",
            "a number",
            plain().and(&CONFIG_MAP.replace("settings", "1")),
            plain().and(&CONFIG_MAP.replace("settings", "'1'")),
        ),
        case(
            "object-duplicate",
            "two contents",
            plain().and(CONFIG_MAP).and(&CONFIG_MAP.replace("{a: b}", "{a: c}")),
            plain().and(CONFIG_MAP),
        ),
        case(
            "k8s-duplicate-copy",
            "the same twice",
            plain().and(CONFIG_MAP).and(CONFIG_MAP),
            plain().and(CONFIG_MAP),
        ),
        case(
            "yaml-extra-document",
            "two in a file",
            Bundle::registry()
                .and(CONFIG_MAP)
                .and(&CONFIG_MAP.replace("settings", "more")),
            Bundle::registry().and(CONFIG_MAP),
        ),
        case(
            "k8s-kind-unsupported",
            "a StatefulSet",
            plain().and("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}}"),
            plain().and(CONFIG_MAP),
        ),
        case(
            "k8s-kind-unsupported",
            "a known kind in the wrong group",
            plain().and(&CONFIG_MAP.replace("v1,", "apps/v1,")),
            plain().and(CONFIG_MAP),
        ),
        case(
            "k8s-custom-resource",
            "of its own kind",
            plain()
                .and(CRD)
                .and("{apiVersion: example.com/v1, kind: Foo, metadata: {name: a}}"),
            plain().and(CRD),
        ),
        case(
            "k8s-custom-resource",
            "of a kind that Kubernetes has in another group",
            plain()
                .and(&CRD.replace("Foo", "Service"))
                .and("{apiVersion: example.com/v1, kind: Service, metadata: {name: a}}"),
            plain().and(&CRD.replace("Foo", "Service")),
        )
        .severity(Severity::Warning),
        case(
            "k8s-namespace-dropped",
            "a Namespace",
            plain().and("{apiVersion: v1, kind: Namespace, metadata: {name: a}}"),
            plain(),
        ),
        case(
            "k8s-cert-manager-dropped",
            "an Issuer",
            plain()
                .webhook()
                .and("{apiVersion: cert-manager.io/v1, kind: Issuer, metadata: {name: a}}"),
            plain().webhook(),
        ),
        case(
            "serviceaccount-fields",
            "pull secrets",
            plain().and("{apiVersion: v1, kind: ServiceAccount, metadata: {name: op}, imagePullSecrets: [{name: a}]}"),
            plain().and("{apiVersion: v1, kind: ServiceAccount, metadata: {name: op}}"),
        ),
        case(
            "serviceaccount-fields",
            "no token",
            plain().and(
                "{apiVersion: v1, kind: ServiceAccount, metadata: {name: op}, automountServiceAccountToken: false}",
            ),
            plain().and(
                "{apiVersion: v1, kind: ServiceAccount, metadata: {name: op}, automountServiceAccountToken: true}",
            ),
        ),
        case(
            "cert-secret-missing",
            "mounted elsewhere",
            certificate("/metrics-certs"),
            certificate("/tmp/k8s-webhook-server/serving-certs"),
        ),
    ]
}

/// Returns a webhook's bundle with a Certificate that the Deployment mounts.
fn certificate(mount: &str) -> Bundle {
    let volumes = format!(
        "        volumeMounts: [{{name: certs, mountPath: {mount}}}]\n      volumes: [{{name: certs, secret: {{secretName: certs}}}}]\n"
    );
    let certificate =
        "{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: a}, spec: {secretName: certs}}";
    let deployment = format!("{DEPLOYMENT}{volumes}");
    Bundle::plain()
        .file(DEPLOYMENT_YAML, &deployment)
        .webhook()
        .and(certificate)
}

fn deployments() -> Vec<Case> {
    let plain = Bundle::plain;
    let deployment = |from: &str, to: &str| plain().with(DEPLOYMENT_YAML, from, to);
    let second = DEPLOYMENT.replace("name: op\nspec", "name: second\nspec");
    let environment = |value: &str| {
        let lines = format!("        env: [{{name: WATCH_NAMESPACE, {value}}}]\n        ports:\n");
        deployment("        ports:\n", &lines)
    };
    vec![
        case(
            "k8s-deployment-missing",
            "none",
            plain().without(DEPLOYMENT_YAML).and(CONFIG_MAP),
            plain(),
        ),
        case(
            "deployment-name",
            "an underline",
            deployment("name: op\nspec", "name: my_op\nspec"),
            deployment("name: op\nspec", "name: my-op\nspec"),
        ),
        case(
            "k8s-old-api",
            "apps/v1beta1",
            deployment("apps/v1", "apps/v1beta1"),
            plain(),
        ),
        case(
            "k8s-old-api",
            "extensions/v1beta1",
            deployment("apps/v1", "extensions/v1beta1"),
            plain(),
        ),
        case(
            "k8s-old-api",
            "old RBAC",
            plain().and(&role("ClusterRole", "").replace("/v1", "/v1beta1")),
            plain().and(&role("ClusterRole", "")),
        )
        .severity(Severity::Warning),
        case(
            "k8s-old-api",
            "an old webhook",
            plain().webhook().but("k8s.io/v1", "k8s.io/v1beta1"),
            plain().webhook(),
        )
        .severity(Severity::Warning),
        case(
            "k8s-namespaces",
            "two",
            deployment("name: op\n", "name: op\n  namespace: a\n")
                .and(&second.replace("name: second\n", "name: second\n  namespace: b\n")),
            deployment("name: op\n", "name: op\n  namespace: a\n").and(&second),
        ),
        case(
            "deployment-duplicate",
            "one name",
            plain().and(&DEPLOYMENT.replace("name: op\nspec", "name: op\n  namespace: a\nspec")),
            plain().and(&second),
        ),
        case(
            "deployment-selector",
            "another label",
            deployment("matchLabels: {app: op}", "matchLabels: {app: other}"),
            plain(),
        ),
        case(
            "deployment-annotations",
            "an annotation",
            deployment("name: op\n", "name: op\n  annotations: {a: b}\n"),
            plain(),
        ),
        case(
            "deployment-dot-name",
            "a dot",
            deployment("name: op\nspec", "name: op.a\nspec").webhook(),
            plain().webhook(),
        )
        .also(&["object-field-value"]),
        case(
            "deployment-watch-namespace",
            "a value",
            environment("value: a"),
            environment("valueFrom: {fieldRef: {fieldPath: \"metadata.annotations['olm.targetNamespaces']\"}}"),
        ),
        case(
            "deployment-cert-volume",
            "OLM's place",
            deployment(
                "        ports:\n",
                "        volumeMounts: [{name: a, mountPath: /tmp/k8s-webhook-server/serving-certs/}]\n        ports:\n",
            )
            .webhook(),
            deployment(
                "        ports:\n",
                "        volumeMounts: [{name: a, mountPath: /tmp/serving}]\n        ports:\n",
            )
            .with(
                DEPLOYMENT_YAML,
                "      containers:\n",
                "      volumes: [{name: a, emptyDir: {}}]\n      containers:\n",
            )
            .webhook(),
        ),
        case(
            "deployment-cert-volume",
            "OLM's place, without a webhook",
            certificate("/tmp/k8s-webhook-server/serving-certs"),
            plain().with(
                DEPLOYMENT_YAML,
                "      containers:\n",
                "      volumes: [{name: a, emptyDir: {}}]\n      containers:\n",
            )
            .with(
                DEPLOYMENT_YAML,
                "        ports:\n",
                "        volumeMounts: [{name: a, mountPath: /tmp/k8s-webhook-server/serving-certs}]\n        ports:\n",
            ),
        ),
    ]
}

/// Returns a bundle with a role with this rule and its binding to the operator's account, as the items of a List.
fn listed(rule: &str) -> Bundle {
    let subject = OPERATOR;
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n\
         - {{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {{name: rules}}, rules: [{rule}]}}\n\
         - apiVersion: rbac.authorization.k8s.io/v1\n  kind: ClusterRoleBinding\n  metadata: {{name: binds}}\n  \
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: rules}}\n  subjects: [{subject}]\n"
    );
    Bundle::plain().and(&list)
}

/// Returns a bundle where the operator's role aggregates a role that aggregates one with this rule.
fn nested(rule: &str) -> Bundle {
    let aggregated = |name: &str, own: &str, takes: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: {name}, labels: {{is: {own}}}}}\n\
             aggregationRule: {{clusterRoleSelectors: [{{matchLabels: {{is: {takes}}}}}]}}\n"
        )
    };
    let part = role("ClusterRole", rule).replace("{name: rules}", "{name: part, labels: {is: inner}}");
    Bundle::plain()
        .and(&aggregated("rules", "outer", "middle"))
        .and(&aggregated("between", "middle", "inner"))
        .and(&part)
        .and(&binding("ClusterRoleBinding", "ClusterRole", OPERATOR))
}

/// Returns a bundle with a role with this rule and an optional binding.
fn optional(rule: &str) -> Bundle {
    Bundle::plain().granted(rule).but(
        "{name: binds}",
        "{name: binds, annotations: {operators.operatorframework.io.bundle.dependency: optional}}",
    )
}

fn rbac() -> Vec<Case> {
    let plain = Bundle::plain;
    let pods = grant("", "pods");
    let everything = grant("*", "pods");
    let placed = OPERATOR.replace("name: op", "name: op, namespace: a");
    let other = "{kind: ServiceAccount, name: other, namespace: elsewhere}";
    let group = "{kind: Group, name: 'system:serviceaccounts', apiGroup: rbac.authorization.k8s.io}";
    let user = "{kind: User, name: 'system:serviceaccount:a:op', apiGroup: rbac.authorization.k8s.io}";
    let bound = |rules: &str, subjects: &str| {
        plain()
            .and(&role("ClusterRole", rules))
            .and(&binding("ClusterRoleBinding", "ClusterRole", subjects))
    };
    let aggregated = |own: &str, part: &str| {
        let whole = format!(
            "aggregationRule: {{clusterRoleSelectors: [{{matchLabels: {{a: b}}}}]}}\n{}",
            role("ClusterRole", own)
        );
        let part = role("ClusterRole", part).replace("{name: rules}", "{name: part, labels: {a: b}}");
        plain()
            .and(&whole)
            .and(&part)
            .and(&binding("ClusterRoleBinding", "ClusterRole", OPERATOR))
    };
    let namespaced = |namespace: &str| {
        plain()
            .with(DEPLOYMENT_YAML, "name: op\n", "name: op\n  namespace: a\n")
            .and(&role("ClusterRole", &pods))
            .and(&binding(
                "RoleBinding",
                "ClusterRole",
                "{kind: ServiceAccount, name: op, namespace: a}",
            ))
            .but("{name: binds}", &format!("{{name: binds, namespace: {namespace}}}"))
    };
    let delegated = |role: &str| {
        plain()
            .webhook()
            .and(&binding("ClusterRoleBinding", "ClusterRole", OPERATOR))
            .but("name: rules}", &format!("name: {role}}}"))
    };
    let urls = "{nonResourceURLs: [/metrics], verbs: [get]}";
    vec![
        case(
            "rbac-wildcard",
            "all groups",
            plain().granted(&everything),
            plain().granted(&pods),
        ),
        case(
            "rbac-wildcard",
            "all resources",
            plain().granted(&grant("", "*")),
            plain().granted(&pods),
        ),
        case(
            "rbac-wildcard",
            "all of a subresource",
            plain().granted(&grant("apps", "*/scale")),
            plain().granted(&grant("apps", "deployments/scale")),
        ),
        case(
            "rbac-wildcard",
            "aggregated",
            aggregated("", &everything),
            aggregated("", &pods),
        ),
        case("rbac-wildcard", "in a List", listed(&everything), listed(&pods)),
        case(
            "rbac-wildcard",
            "through a role that is aggregated into an aggregated one",
            nested(&everything),
            nested(&pods),
        ),
        case(
            "rbac-wildcard",
            "behind an optional binding",
            optional(&everything),
            optional(&pods),
        ),
        case(
            "rbac-group-subject",
            "all accounts of any namespace",
            bound(&everything, &group.replace("serviceaccounts", "serviceaccounts:a")),
            bound(&everything, &group.replace("system:serviceaccounts", "gardeners")),
        ),
        case(
            "rbac-group-subject",
            "everybody who is known",
            bound(&everything, &group.replace("serviceaccounts", "authenticated")),
            bound(&everything, &group.replace("serviceaccounts", "masters")),
        ),
        case(
            "rbac-wildcard",
            "also for others",
            bound(&everything, &format!("{other}, {OPERATOR}")),
            bound(&everything, other),
        ),
        case(
            "rbac-group-subject",
            "all accounts",
            bound(&everything, group),
            bound(&pods, group),
        ),
        case(
            "rbac-group-subject",
            "as a user",
            bound(&everything, user),
            bound(&pods, user),
        ),
        case(
            "rbac-subject-form",
            "all accounts",
            bound(&pods, group),
            bound(&pods, OPERATOR),
        ),
        case(
            "rbac-subject-form",
            "a user with the name of the account",
            bound(&pods, "{kind: User, name: op, apiGroup: rbac.authorization.k8s.io}"),
            bound(&pods, OPERATOR),
        ),
        case(
            "rbac-role-ref",
            "a Role for the cluster",
            plain().and(&binding("ClusterRoleBinding", "Role", &placed)),
            plain().granted(&pods),
        ),
        case(
            "rbac-role-missing",
            "not there",
            plain().and(&binding("ClusterRoleBinding", "ClusterRole", &placed)),
            plain().granted(&pods),
        ),
        case(
            "rbac-partial-binding",
            "two subjects",
            bound(&pods, &format!("{OPERATOR}, {other}")),
            bound(&pods, OPERATOR),
        ),
        case("rbac-other-namespace", "elsewhere", namespaced("b"), namespaced("a")),
        case(
            "rbac-kept-subject-namespace",
            "a namespace",
            plain()
                .and(&role("ClusterRole", &pods))
                .and(&binding("RoleBinding", "ClusterRole", other)),
            plain().granted(&pods).and(&binding(
                "RoleBinding",
                "ClusterRole",
                "{kind: ServiceAccount, name: other}",
            )),
        ),
        case(
            "rbac-subject-namespace-missing",
            "an account of nowhere",
            bound(&pods, "{kind: ServiceAccount, name: other}").and(&binding("RoleBinding", "ClusterRole", OPERATOR)),
            bound(&pods, other).and(&binding("RoleBinding", "ClusterRole", OPERATOR)),
        ),
        case(
            "rbac-subject-namespace-missing",
            "the operator's account and a role of the cluster",
            plain().and(&binding("ClusterRoleBinding", "ClusterRole", OPERATOR)),
            plain().and(&binding("ClusterRoleBinding", "ClusterRole", &placed)),
        ),
        case(
            "rbac-wildcard",
            "through a binding in another namespace",
            namespaced("b").but(&pods, &everything),
            namespaced("b"),
        ),
        case(
            "rbac-optional-annotation",
            "on a role",
            plain().granted(&pods).but(
                "{name: rules}",
                "{name: rules, annotations: {operators.operatorframework.io.bundle.dependency: optional}}",
            ),
            plain().granted(&pods),
        ),
        case(
            "rbac-aggregated",
            "from others",
            aggregated("", &pods),
            plain().granted(&pods),
        ),
        case(
            "rbac-aggregated-rules",
            "rules of its own",
            aggregated(&pods, &pods),
            aggregated("", &pods),
        ),
        case(
            "rbac-optional-annotation",
            "another word",
            plain().granted(&pods).but(
                "{name: binds}",
                "{name: binds, annotations: {operators.operatorframework.io.bundle.dependency: maybe}}",
            ),
            plain().granted(&pods).but(
                "{name: binds}",
                "{name: binds, annotations: {operators.operatorframework.io.bundle.dependency: optional}}",
            ),
        ),
        case(
            "rbac-subresource-wildcard",
            "pods/*",
            plain().granted(&grant("", "pods/*")),
            plain().granted(&grant("", "pods/log")),
        ),
        case(
            "rbac-nonresource-namespaced",
            "a RoleBinding",
            plain()
                .and(&role("ClusterRole", urls))
                .and(&binding("RoleBinding", "ClusterRole", OPERATOR)),
            plain().granted(urls),
        ),
        case(
            "rbac-generated-binding",
            "of an API server",
            delegated("system:auth-delegator"),
            plain().webhook(),
        ),
    ]
}

fn apis() -> Vec<Case> {
    let plain = Bundle::plain;
    let certificates = || plain().granted(&grant("cert-manager.io", "certificates"));
    let routes = || plain().granted(&grant("route.openshift.io", "routes"));
    vec![
        case(
            "rbac-kind-unknown",
            "no hint",
            certificates(),
            certificates().olm("apis: [{group: cert-manager.io, resource: certificates, kind: Certificate, version: v1}]"),
        ),
        case(
            "rbac-kind-unknown",
            "native without a kind",
            certificates().olm("apis: [{group: cert-manager.io, resource: certificates, dependency: native}]"),
            certificates().olm("apis: [{group: cert-manager.io, resource: certificates, kind: Certificate, version: v1, dependency: native}]"),
        ),
        case(
            "rbac-openshift-required",
            "of the platform",
            routes().olm("apis: [{group: route.openshift.io, resource: routes, kind: Route, version: v1}]"),
            routes().olm("apis: [{group: route.openshift.io, resource: routes, kind: Route, version: v1, dependency: native}]"),
        ),
        case("rbac-unknown-resource", "a slip", plain().granted(&grant("apps", "pods")), plain().granted(&grant("", "pods"))),
        case(
            "rbac-nonresource",
            "metrics",
            plain().granted("{nonResourceURLs: [/metrics], verbs: [get]}"),
            plain().granted("{nonResourceURLs: [/apis/apps/v1/deployments], verbs: [get]}"),
        ),
        case(
            "rbac-olm-api",
            "subscriptions",
            plain().granted(&grant("operators.coreos.com", "subscriptions")),
            plain().granted(&grant("", "pods")),
        ),
    ]
}

fn crds() -> Vec<Case> {
    let plain = Bundle::plain;
    let crd = |from: &str, to: &str| plain().and(CRD).but(from, to);
    vec![
        case(
            "crd-name",
            "another name",
            crd("name: foos.example.com", "name: foo.example.com"),
            plain().and(CRD),
        ),
        case(
            "crd-not-served",
            "not served",
            crd("served: true", "served: false"),
            plain().and(CRD),
        ),
        case(
            "crd-v1beta1",
            "the old version",
            crd("k8s.io/v1\n", "k8s.io/v1beta1\n").but(", schema: {openAPIV3Schema: {type: object}}", ""),
            plain().and(CRD),
        ),
        case(
            "object-duplicate",
            "one kind in two CRDs",
            plain().and(CRD).and(
                &CRD.replace("name: foos", "name: oofs")
                    .replace("plural: foos", "plural: oofs"),
            ),
            plain().and(CRD),
        ),
    ]
}

fn services() -> Vec<Case> {
    let plain = Bundle::plain;
    let second = DEPLOYMENT.replace("name: op\nspec", "name: second\nspec");
    let named = |port: &str| {
        plain()
            .apiservice()
            .but("targetPort: 9443", &format!("targetPort: {port}"))
    };
    vec![
        case(
            "service-selector",
            "nothing",
            plain().webhook().but("selector: {app: op}", "selector: {app: a}"),
            plain().webhook(),
        ),
        case(
            "service-selector",
            "two",
            plain().webhook().and(&second),
            plain().webhook(),
        ),
        case(
            "service-port",
            "absent",
            plain()
                .webhook()
                .but("{name: hook}\n  rules", "{name: hook, port: 8443}\n  rules"),
            plain().webhook(),
        ),
        case("service-port-name", "absent", named("http"), named("https")),
        Case {
            severity: Some(Severity::Warning),
            ..case(
                "service-port-name",
                "behind a webhook",
                plain().webhook().but("targetPort: 9443", "targetPort: http"),
                plain().webhook().but("targetPort: 9443", "targetPort: https"),
            )
        },
        Case {
            severity: Some(Severity::Warning),
            ..case(
                "service-port-name",
                "behind a conversion",
                plain().conversion().but("targetPort: 9443", "targetPort: http"),
                plain().conversion().but("targetPort: 9443", "targetPort: https"),
            )
        },
        case(
            "service-name-clash",
            "OLM's name",
            plain()
                .and(SERVICE)
                .and(WEBHOOK)
                .and(&SERVICE.replace("name: hook", "name: op-service")),
            plain()
                .and(SERVICE)
                .and(WEBHOOK)
                .and(&SERVICE.replace("name: hook", "name: metrics")),
        ),
        case(
            "service-kept",
            "a further port",
            plain().webhook().but(
                "  - {port: 443",
                "  - {name: metrics, port: 8080}\n  - {name: https, port: 443",
            ),
            plain().webhook(),
        ),
    ]
}

fn apiservices() -> Vec<Case> {
    let plain = Bundle::plain;
    let right = || plain().apiservice();
    vec![
        case(
            "apiservice-local",
            "no Service",
            right().but("  service: {name: hook}\n", ""),
            right(),
        ),
        case(
            "apiservice-service-missing",
            "not there",
            plain().and(APISERVICE).olm(APISERVICE_KINDS),
            right(),
        ),
        case(
            "apiservice-kind-missing",
            "no kind",
            plain().and(SERVICE).and(APISERVICE),
            right(),
        ),
        case(
            "apiservice-insecure",
            "insecure",
            right().but("  version: v1\n", "  version: v1\n  insecureSkipTLSVerify: true\n"),
            right(),
        ),
        case(
            "apiservice-fields",
            "a priority",
            right().but("versionPriority: 15", "versionPriority: 10"),
            right(),
        ),
        case(
            "olm-overlay-unmatched",
            "another kind of APIService",
            right()
                .with(
                    OLM_YAML,
                    "group: example.com, version: v1",
                    "group: example.com, version: v2",
                )
                .granted(&grant("example.com", "foos"))
                .olm("apis: [{group: example.com, resource: foos, kind: Foo, version: v1}]"),
            right(),
        ),
    ]
}

fn webhooks() -> Vec<Case> {
    let plain = Bundle::plain;
    let right = || plain().webhook();
    let field = |line: &str| right().but("  sideEffects: None\n", &format!("  sideEffects: None\n  {line}\n"));
    vec![
        case(
            "webhook-name",
            "a capital",
            right().but("name: foos.example.com", "name: Foos"),
            right(),
        ),
        case(
            "webhook-url",
            "a URL",
            right().but("    service: {name: hook}\n", "    url: https://example.com\n"),
            right(),
        ),
        case("webhook-service-missing", "not there", plain().and(WEBHOOK), right()),
        case(
            "webhook-service-missing",
            "not named",
            right().but("    service: {name: hook}\n", "    caBundle: aGVsbG8=\n"),
            right(),
        ),
        case(
            "webhook-rules",
            "all groups",
            right().but("apiGroups: [example.com]", "apiGroups: ['*']"),
            right(),
        ),
        case(
            "webhook-rules",
            "OLM's group",
            right().but("apiGroups: [example.com]", "apiGroups: [operators.coreos.com]"),
            right(),
        ),
        case(
            "webhook-rules",
            "webhooks",
            right()
                .but("apiGroups: [example.com]", "apiGroups: [admissionregistration.k8s.io]")
                .but("resources: [foos]", "resources: ['*']"),
            right(),
        ),
        case(
            "webhook-duplicate",
            "one name",
            right().and(&WEBHOOK.replace("{name: hooks}", "{name: more}")),
            right().and(
                &WEBHOOK
                    .replace("{name: hooks}", "{name: more}")
                    .replace("name: foos.", "name: bars."),
            ),
        ),
        case(
            "webhook-duplicate",
            "one name for two types",
            right().and(
                &WEBHOOK
                    .replace("{name: hooks}", "{name: more}")
                    .replace("Validating", "Mutating"),
            ),
            right().and(
                &WEBHOOK
                    .replace("{name: hooks}", "{name: more}")
                    .replace("Validating", "Mutating")
                    .replace("name: foos.", "name: bars."),
            ),
        ),
        case(
            "webhook-match-conditions",
            "a condition",
            field("matchConditions: [{name: a, expression: 'true'}]"),
            right(),
        ),
        case(
            "webhook-namespace-selector",
            "a selector",
            field("namespaceSelector: {matchLabels: {a: b}}"),
            right(),
        ),
        case(
            "webhook-cabundle",
            "a certificate",
            right().but("    service:", "    caBundle: aGVsbG8=\n    service:"),
            right(),
        ),
        case(
            "webhook-cabundle",
            "an injected certificate",
            right().but(
                "{name: hooks}",
                "{name: hooks, annotations: {cert-manager.io/inject-ca-from: a/b}}",
            ),
            right(),
        ),
        case(
            "webhook-cabundle",
            "a certificate that is injected into an APIService",
            plain().apiservice().but(
                "{name: v1.example.com}",
                "{name: v1.example.com, annotations: {cert-manager.io/inject-ca-from-secret: a/b}}",
            ),
            plain().apiservice(),
        ),
        case(
            "webhook-cabundle",
            "a certificate that is injected into a CRD",
            plain().conversion().but(
                "{name: foos.example.com}",
                "{name: foos.example.com, annotations: {service.beta.openshift.io/inject-cabundle: \"true\"}}",
            ),
            plain().conversion(),
        ),
    ]
}

fn conversions() -> Vec<Case> {
    let right = || Bundle::plain().conversion();
    vec![
        case(
            "webhook-conversion-service-missing",
            "not there",
            right().but("service: {name: hook,", "service: {name: other,"),
            right(),
        ),
        case(
            "webhook-conversion-preserve",
            "unknown fields",
            right().but(
                "  scope: Namespaced\n",
                "  scope: Namespaced\n  preserveUnknownFields: true\n",
            ),
            right(),
        )
        .also(&["crd-conversion-strategy", "crd-preserve-unknown-fields"]),
        case(
            "webhook-conversion-modes",
            "another mode",
            right().olm("- {type: OwnNamespace, supported: true}"),
            right(),
        ),
        case(
            "webhook-conversion-modes",
            "AllNamespaces is absent",
            right()
                .with(
                    OLM_YAML,
                    "type: AllNamespaces, supported: true",
                    "type: AllNamespaces, supported: false",
                )
                .olm("- {type: OwnNamespace, supported: false}\n"),
            right().file(OLM_YAML, &format!("{OLM}- {{type: OwnNamespace, supported: false}}\n")),
        )
        .also(&["csv-installmodes-none-supported"]),
    ]
}

fn annotations() -> Vec<Case> {
    let plain = Bundle::plain;
    let annotation = |from: &str, to: &str| plain().with(ANNOTATIONS_YAML, from, to);
    vec![
        case(
            "ann-file-missing",
            "no file",
            plain().without(ANNOTATIONS_YAML),
            plain(),
        ),
        case(
            "ann-key-missing",
            "no package",
            annotation("  operators.operatorframework.io.bundle.package.v1: op\n", ""),
            plain(),
        ),
        case(
            "ann-mediatype-mismatch",
            "another one",
            annotation("k8s+v1", "helm"),
            plain(),
        ),
        case(
            "ann-package-empty",
            "empty",
            annotation("package.v1: op", "package.v1: ''"),
            plain(),
        ),
        case(
            "ann-channels-empty",
            "empty",
            annotation("channels.v1: alpha,stable", "channels.v1: ''"),
            plain(),
        ),
        case(
            "ann-channel-blank",
            "a blank",
            annotation("alpha,stable", "alpha, stable"),
            plain(),
        ),
        case(
            "ann-channel-blank",
            "two commas",
            annotation("alpha,stable", "alpha,,stable"),
            plain(),
        ),
        case(
            "ann-default-channel-empty",
            "empty",
            annotation("default.v1: stable", "default.v1: ''"),
            plain(),
        ),
    ]
}

fn dependencies() -> Vec<Case> {
    let entry = |kind: &str, value: &str| Bundle::plain().dependency(&format!("{{type: olm.{kind}, value: {value}}}"));
    let gvk = || entry("gvk", "{group: a.b, version: v1, kind: C}");
    let package = || entry("package", "{packageName: a, version: '>=1.0.0'}");
    let cel = || entry("constraint", "{cel: {rule: 'true'}}");
    vec![
        case("dep-type-unknown", "a slip", entry("crd", "{}"), gvk()),
        case("dep-value-shape", "a string", entry("gvk", "a"), gvk()),
        case(
            "dep-value-shape",
            "a number",
            entry("package", "{packageName: a, version: 1.0}"),
            package(),
        ),
        case(
            "dep-gvk-group-empty",
            "empty",
            entry("gvk", "{group: '', version: v1, kind: C}"),
            gvk(),
        ),
        case(
            "dep-gvk-version-empty",
            "absent",
            entry("gvk", "{group: a.b, kind: C}"),
            gvk(),
        ),
        case(
            "dep-gvk-kind-empty",
            "absent",
            entry("gvk", "{group: a.b, version: v1}"),
            gvk(),
        ),
        case(
            "dep-package-name-empty",
            "absent",
            entry("package", "{version: '>=1.0.0'}"),
            package(),
        ),
        case(
            "dep-package-version-empty",
            "absent",
            entry("package", "{packageName: a}"),
            package(),
        ),
        case(
            "dep-package-version-format",
            "no range",
            entry("package", "{packageName: a, version: newest}"),
            package(),
        ),
        case(
            "dep-label-empty",
            "absent",
            entry("label", "{}"),
            entry("label", "{label: a}"),
        ),
        case(
            "dep-cel-missing",
            "absent",
            entry("constraint", "{failureMessage: a}"),
            cel(),
        ),
        case(
            "dep-cel-invalid",
            "half an expression",
            entry("constraint", "{cel: {rule: 'a =='}}"),
            cel(),
        ),
        case(
            "dep-cel-empty",
            "empty",
            entry("constraint", "{cel: {rule: ''}}"),
            cel(),
        ),
    ]
}

fn registry() -> Vec<Case> {
    let right = Bundle::registry;
    let csv = |from: &str, to: &str| right().with(CSV_YAML, from, to);
    let owned = |name: &str, version: &str| {
        let entry =
            format!("  customresourcedefinitions: {{owned: [{{name: {name}, version: {version}, kind: Foo}}]}}\n");
        right().file(CSV_YAML, &format!("{CSV}{entry}")).and(CRD)
    };
    vec![
        case(
            "index-no-objects",
            "only a folder",
            right().without(CSV_YAML).file("manifests/more/op.yaml", CSV),
            right(),
        ),
        case(
            "index-no-csv",
            "no CSV",
            right().without(CSV_YAML).and(CONFIG_MAP),
            right(),
        ),
        case(
            "index-version-shape",
            "a number",
            csv("version: 1.0.0", "version: 1.0"),
            right(),
        ),
        case(
            "index-release-shape",
            "a number",
            csv("version: 1.0.0", "version: 1.0.0\n  release: 1"),
            csv("version: 1.0.0", "version: 1.0.0\n  release: \"1\""),
        ),
        case(
            "index-csv-version-semver",
            "two numbers",
            csv("version: 1.0.0", "version: '1.0'"),
            right(),
        ),
        case(
            "index-olm-properties",
            "no JSON",
            csv(
                "name: op.v1.0.0",
                "name: op.v1.0.0\n  annotations: {olm.properties: '[{'}",
            ),
            csv(
                "name: op.v1.0.0",
                "name: op.v1.0.0\n  annotations: {olm.properties: '[{\"type\":\"a\",\"value\":1}]'}",
            ),
        ),
        case(
            "index-owned-crd-name",
            "no group",
            owned("foos", "v1"),
            owned("foos.example.com", "v1"),
        ),
        case(
            "index-owned-crd-absent",
            "another version",
            owned("foos.example.com", "v2"),
            owned("foos.example.com", "v1"),
        ),
        case(
            "index-crd-decode",
            "no kind",
            right().and(CRD).but("kind: Foo, ", ""),
            right().and(CRD),
        ),
    ]
}
