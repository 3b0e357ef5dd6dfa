//! Rules for plain manifests that the synthesis does not depend on.

use super::cases::{Case, case};
use super::parts::{
    APISERVICE, Bundle, CRD, DEPLOYMENT, DEPLOYMENT_YAML, OLM_YAML, OPERATOR, SERVICE, binding, grant, role,
};
use super::{errors, findings, list, tree};
use opmx::bundle;
use opmx::synthesis::synthesize;
use opmx::text::Limits;

const ACCOUNT: &str = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: op}\n";
const OPTIONAL: &str = "{name: binds, annotations: {operators.operatorframework.io.bundle.dependency: optional}}";

pub(crate) fn all() -> Vec<Case> {
    let plain = Bundle::plain;
    let indented = DEPLOYMENT.replace('\n', "\n  ");
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {}\n", indented.trim_end());
    let pods = grant("", "pods");
    let verbs = |verbs: &str| plain().granted(&pods.replace("[get]", verbs));
    let urls = |url: &str| plain().granted(&format!("{{nonResourceURLs: ['{url}'], verbs: [get]}}"));
    let admin = |subject: &str| {
        let binding = binding("ClusterRoleBinding", "ClusterRole", subject);
        plain().and(&binding.replace("name: rules", "name: cluster-admin"))
    };
    let optional = |resource: &str| {
        let bundle = plain().and(CRD).granted(&grant("example.com", resource));
        bundle.but("{name: binds}", OPTIONAL)
    };
    let viewer = role("ClusterRole", &pods);
    let aggregated = viewer.replace(
        "{name: rules}",
        "{name: rules, labels: {rbac.authorization.k8s.io/aggregate-to-view: 'true'}}",
    );
    let labelled = |key: &str| {
        let labels = format!("  name: op\n  labels: {{'{key}': ''}}\n");
        plain().with(DEPLOYMENT_YAML, "  name: op\n", &labels)
    };
    let named = |name: &str| plain().with(OLM_YAML, "op.v1.0.0", name);
    let released = |name: &str| named(name).with(OLM_YAML, "version: 1.0.0", "version: 1.0.0+a.1");
    let other_version = CRD.replace("{name: v1,", "{name: v2,");
    let other_group = APISERVICE
        .replace("v1.example.com", "v1.a.example.com")
        .replace("group: example.com", "group: a.example.com");
    vec![
        case(
            "k8s-list-object",
            "a list",
            plain().file(DEPLOYMENT_YAML, &list),
            plain(),
        ),
        case(
            "content-metadata",
            "a key with two slashes",
            labelled("operators.coreos.com/operator:v2alpha1/op"),
            labelled("operators.coreos.com/op"),
        ),
        case("olm-name-version", "another version", named("op.v1.1.0"), plain()),
        case("olm-name-version", "no version", named("op"), plain()),
        case(
            "olm-name-version",
            "a part of it",
            named("op.v1.0"),
            named("op-v1.0.0-2"),
        ),
        case(
            "olm-name-version",
            "with a build",
            released("op.v1.0.1"),
            released("op.v1.0.0-a.1"),
        ),
        case(
            "olm-name-version",
            "with a build in the name",
            released("op.v1.0.1-a.1"),
            released("op.v1.0.0"),
        ),
        case(
            "rbac-cluster-admin",
            "the operator",
            admin("{kind: ServiceAccount, name: op, namespace: a}"),
            admin("{kind: ServiceAccount, name: other, namespace: a}"),
        ),
        case("rbac-wildcard-verb", "a verb", verbs("['*']"), verbs("[get, list]")),
        case("rbac-wildcard-verb", "an address", urls("*"), urls("/metrics/*")),
        case("rbac-account-missing", "no manifest", plain(), plain().and(ACCOUNT)),
        case(
            "rbac-account-missing",
            "another name",
            plain().and(&ACCOUNT.replace("op", "opp")),
            plain().with(DEPLOYMENT_YAML, "      serviceAccountName: op\n", ""),
        ),
        case(
            "rbac-account-unbound",
            "the account of no Deployment is bound",
            other_account("{kind: ServiceAccount, name: manager, namespace: a}").and(MANAGER),
            other_account("{kind: ServiceAccount, name: op}"),
        ),
        case(
            "rbac-account-unbound",
            "the pods name no account",
            other_account(OPERATOR).with(DEPLOYMENT_YAML, "      serviceAccountName: op\n", ""),
            other_account(OPERATOR),
        ),
        case(
            "rbac-account-unbound",
            "the operator is bound, and what it creates",
            other_account("{kind: ServiceAccount, name: manager}").and(MANAGER),
            other_account(&format!("{OPERATOR}, {{kind: ServiceAccount, name: manager}}")).and(MANAGER),
        ),
        case(
            "rbac-account-unbound",
            "an account of another namespace is bound",
            other_account("{kind: ServiceAccount, name: manager}"),
            other_account("{kind: ServiceAccount, name: monitor, namespace: monitoring}"),
        ),
        case(
            "cert-own-secret",
            "a webhook with a Secret of its own",
            mounted("hook-tls", "/certs").webhook(),
            mounted("hook-tls", "/tmp/k8s-webhook-server/serving-certs").webhook(),
        ),
        case(
            "cert-own-secret",
            "an APIService with a Secret of its own",
            mounted("serving", "/certs").apiservice(),
            mounted("serving", "/apiserver.local.config/certificates").apiservice(),
        ),
        case(
            "cert-own-secret",
            "a certificate, and a password",
            mounted("hook-tls", "/var/run/hook").webhook(),
            mounted("database", "/var/run/database").webhook(),
        ),
        case(
            "cert-own-secret",
            "a Secret of the bundle",
            mounted("hook-tls", "/certs").webhook(),
            mounted("hook-tls", "/certs")
                .webhook()
                .and("{apiVersion: v1, kind: Secret, metadata: {name: hook-tls}}"),
        ),
        case(
            "cert-own-secret",
            "a server that is told of OLM's place has another certificate beside it",
            mounted("side-tls", "/certs").webhook(),
            mounted("side-tls", "/certs").webhook().with(
                DEPLOYMENT_YAML,
                "        ports:\n",
                "        args: [--cert-dir=/tmp/k8s-webhook-server/serving-certs/]\n        ports:\n",
            ),
        ),
        case(
            "cert-own-secret",
            "a certificate in the bundle",
            mounted("hook", "/etc/webhook").webhook().and(CERTIFICATE_SECRET),
            mounted("hook", "/tmp/k8s-webhook-server/serving-certs")
                .webhook()
                .and(CERTIFICATE_SECRET),
        ),
        case(
            "cert-own-secret",
            "a certificate in the bundle beside OLM's",
            mounted("hook", "/etc/webhook").webhook().and(CERTIFICATE_SECRET),
            mounted("hook", "/etc/webhook").webhook().and(CERTIFICATE_SECRET).with(
                DEPLOYMENT_YAML,
                "        ports:\n",
                "        args: [--cert-dir=/tmp/k8s-webhook-server/serving-certs]\n        ports:\n",
            ),
        ),
        case(
            "cert-own-secret",
            "a certificate of the metrics",
            mounted("hook", "/etc/webhook").webhook().and(CERTIFICATE_SECRET),
            mounted("hook", "/etc/metrics").webhook().and(CERTIFICATE_SECRET),
        ),
        case(
            "volume-source-missing",
            "a Secret that nothing creates",
            mounted("database", "/etc/database"),
            mounted("database", "/etc/database").and("{apiVersion: v1, kind: Secret, metadata: {name: database}}"),
        ),
        case(
            "volume-source-missing",
            "the Secret that OpenShift creates for a Service",
            mounted("database", "/etc/database"),
            mounted("database", "/etc/database").and(
                "{apiVersion: v1, kind: Service, metadata: {name: metrics, annotations: \
                 {service.alpha.openshift.io/serving-cert-secret-name: database}}, \
                 spec: {selector: {app: metrics}, ports: [{port: 8443}]}}",
            ),
        ),
        case(
            "volume-source-missing",
            "an optional Secret",
            mounted("database", "/etc/database"),
            mounted("database", "/etc/database").with(DEPLOYMENT_YAML, "secretName: ", "optional: true, secretName: "),
        ),
        case(
            "volume-source-missing",
            "a volume that no container mounts",
            mounted("database", "/etc/database"),
            mounted("database", "/etc/database").with(
                DEPLOYMENT_YAML,
                "[{name: files, mountPath: /etc/database}]",
                "[]",
            ),
        ),
        case(
            "volume-source-missing",
            "OLM's path, without and with a webhook",
            mounted("hook", "/tmp/k8s-webhook-server/serving-certs"),
            mounted("hook", "/tmp/k8s-webhook-server/serving-certs").webhook(),
        ),
        case(
            "volume-source-missing",
            "the Secret that OLM creates for a webhook",
            mounted("op-service-cert", "/etc/hook"),
            mounted("op-service-cert", "/etc/hook").webhook(),
        ),
        case(
            "volume-source-missing",
            "a ConfigMap, and one that is in every namespace",
            mounted_map("settings"),
            mounted_map("kube-root-ca.crt"),
        ),
        case(
            "volume-source-missing",
            "a part of a projected volume",
            mounted("a", "/etc/a").with(
                DEPLOYMENT_YAML,
                "secret: {secretName: a}",
                "projected: {sources: [{configMap: {name: a}}]}",
            ),
            mounted("a", "/etc/a")
                .with(
                    DEPLOYMENT_YAML,
                    "secret: {secretName: a}",
                    "projected: {sources: [{configMap: {name: a}}]}",
                )
                .and("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"),
        ),
        case(
            "cert-own-secret",
            "nothing is served",
            mounted("hook-tls", "/certs").webhook(),
            mounted("hook-tls", "/certs"),
        ),
        case(
            "cert-own-rotation",
            "a webhook configuration",
            configurations("validatingwebhookconfigurations").webhook(),
            configurations("mutatingwebhookconfigurations").webhook(),
        ),
        case(
            "cert-own-rotation",
            "an APIService",
            api_services("patch").apiservice(),
            api_services("get").apiservice(),
        ),
        case(
            "rbac-optional-own-api",
            "its CRD",
            optional("foos/status"),
            plain().and(CRD).granted(&grant("example.com", "foos/status")),
        ),
        case(
            "rbac-unbound-role",
            "no binding",
            plain().and(&viewer),
            plain().and(&aggregated),
        ),
        case(
            "rbac-unbound-role",
            "a binding of another kind",
            plain().and(&role("Role", &pods)).and(&binding(
                "ClusterRoleBinding",
                "ClusterRole",
                "{kind: ServiceAccount, name: op, namespace: a}",
            )),
            plain().granted(&pods),
        ),
        case("service-unprojected", "alone", plain().and(SERVICE), plain().webhook()),
        case(
            "crd-provided-clash",
            "one version twice",
            plain().apiservice().and(CRD),
            plain().apiservice().and(&other_version),
        ),
        case(
            "apiservice-name",
            "another group",
            plain()
                .apiservice()
                .but("{name: v1.example.com}", "{name: v1.a.example.com}"),
            plain().and(SERVICE).and(&other_group).olm(
                "apiservicedefinitions:\n  owned:\n  - {group: a.example.com, version: v1, kind: Foo, name: foos}",
            ),
        ),
    ]
}

const MANAGER: &str = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: manager}}";

/// Returns a bundle that binds these subjects and no others.
fn other_account(subjects: &str) -> Bundle {
    Bundle::plain()
        .and(&role("ClusterRole", &grant("", "pods")))
        .and(&binding("RoleBinding", "ClusterRole", subjects))
}

/// Returns a bundle whose Deployment mounts a Secret as a volume.
fn mounted(secret: &str, path: &str) -> Bundle {
    let volume = format!(
        "        volumeMounts: [{{name: files, mountPath: {path}}}]\n      volumes: [{{name: files, secret: {{secretName: {secret}}}}}]\n"
    );
    Bundle::plain().file(DEPLOYMENT_YAML, &format!("{DEPLOYMENT}{volume}"))
}

/// Returns a bundle whose Deployment mounts this ConfigMap.
fn mounted_map(name: &str) -> Bundle {
    let map = format!("configMap: {{name: {name}}}");
    mounted("a", "/etc/a").with(DEPLOYMENT_YAML, "secret: {secretName: a}", &map)
}

/// A Secret with a certificate.
const CERTIFICATE_SECRET: &str = "{apiVersion: v1, kind: Secret, metadata: {name: hook}, type: kubernetes.io/tls, data: {tls.crt: Cg==, tls.key: Cg==}}";

/// Returns a bundle whose operator may patch the objects that create webhooks.
fn configurations(resource: &str) -> Bundle {
    Bundle::plain().granted(&grant("admissionregistration.k8s.io", resource).replace("[get]", "[get, patch]"))
}

/// Returns a bundle whose operator may do this with APIServices.
fn api_services(verb: &str) -> Bundle {
    Bundle::plain().granted(&grant("apiregistration.k8s.io", "apiservices").replace("[get]", &format!("[{verb}]")))
}

#[test]
fn urls_granted_by_a_role_binding_are_omitted_from_the_csv() {
    let urls = "{nonResourceURLs: [/metrics], verbs: [get]}";
    let pods = grant("", "pods");
    let bundle = Bundle::plain()
        .and(&role("ClusterRole", &format!("{urls}, {pods}")))
        .and(&binding("RoleBinding", "ClusterRole", OPERATOR));
    let findings = findings(&bundle.0);
    let about = |rule: &str| findings.iter().filter(|finding| finding.rule.id == rule).count();
    assert_eq!(
        (about("rbac-nonresource-namespaced"), about("rbac-nonresource")),
        (1, 0),
        "{}",
        list(&findings)
    );
    let reading = bundle::read(&tree(&bundle.0), &Limits::default());
    let csv = synthesize(&reading.bundle.unwrap(), &[]).csv.unwrap();
    let rules = &csv["spec"]["install"]["spec"]["permissions"][0]["rules"];
    assert_eq!(rules.as_array().map(Vec::len), Some(1), "{rules}");
    assert_eq!(rules[0]["resources"][0], "pods");
}

#[test]
fn a_deployment_with_webhooks_has_a_valid_service_name() {
    for (name, message) in [
        (
            "3scale",
            "cannot create the Service 3scale-service, whose name is not a valid Service name",
        ),
        (
            "op.a",
            "cannot create the Service op.a-service, whose name is not a valid Service name",
        ),
    ] {
        let bundle = Bundle::plain()
            .webhook()
            .with(DEPLOYMENT_YAML, "name: op\nspec", &format!("name: {name}\nspec"));
        let findings = findings(&bundle.0);
        let errors: Vec<_> = findings.iter().filter(|finding| finding.is_error()).collect();
        assert_eq!(errors.len(), 1, "{}", list(&findings));
        assert!(errors[0].message.contains(message), "{}", errors[0]);
    }
    let without = Bundle::plain().with(DEPLOYMENT_YAML, "name: op\nspec", "name: 3scale\nspec");
    assert!(errors(&findings(&without.0)).is_empty());
}
