//! Test operators, each with one difficulty of real operators, taken through all steps: `init`, the decisions of a
//! person, `build`, `validate`, `add` and `plan`, with the same permissions as after `kubectl apply`.

use crate::bundle_files::{read, testdata, write};
use crate::common::{Outcome, Sandbox};
use crate::compared::compare;
use opmx::install::content;
use opmx::text::{self, Limits};
use opmx::tree::{Tree, TreeLimits};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// An operator, and what its author sees. Fields that are not set are empty.
#[derive(Default)]
struct Operator {
    /// Its folder in `testdata/operators`.
    name: &'static str,
    /// Further options of `init`.
    init: &'static str,
    /// What `init` reports and leaves to decide, line by line, without the written files and the version.
    said: &'static [&'static str],
    /// The rules of the findings of `validate` before the changes, and the advice of one of them; not checked if empty.
    found: &'static [&'static str],
    advice: &'static str,
    /// Changes that the author makes to `metadata/olm.yaml` or manifests: file, old text, new text.
    decided: &'static [(&'static str, &'static str, &'static str)],
    /// Further options of `build`.
    build: &'static str,
    /// The rules of the warnings of `build` and `validate`.
    warned: &'static [&'static str],
    /// Permissions that accounts have only after `kubectl apply`, and only after OLM: account, place, permission.
    lost: &'static [[&'static str; 3]],
    gained: &'static [[&'static str; 3]],
}

impl Operator {
    /// Takes the manifests of the operator and these additional ones through all steps.
    fn walk(&self, more: &[Value]) -> Sandbox {
        let name = self.name;
        let sandbox = Sandbox::new();
        let mut upstream = fs::read_to_string(testdata("operators").join(name).join("upstream.yaml")).unwrap();
        for object in more {
            upstream.push_str(&format!("---\n{}", text::to_yaml(object)));
        }
        write(&sandbox, "upstream.yaml", &upstream);
        let run = |step: &str, line: String| -> Outcome {
            let outcome = sandbox.run(line.split_whitespace());
            assert_eq!(outcome.status, Some(0), "{name}: {step}: {outcome}");
            outcome
        };
        let outcome = run(
            "init",
            format!("bundle init {name} --from upstream.yaml --package {name} {}", self.init),
        );
        let said: Vec<&str> = outcome
            .stderr
            .lines()
            .filter(|line| {
                !["wrote ", "version ", "minKubeVersion "]
                    .iter()
                    .any(|word| line.starts_with(word))
            })
            .collect();
        assert_eq!(said, self.said, "{name}: init");
        if !self.found.is_empty() {
            let outcome = run("validate", format!("bundle validate {name}"));
            let mut found = warnings(&outcome);
            found.retain(|rule| !UNDESCRIBED.contains(&rule.as_str()));
            assert_eq!(found, self.found, "{name}: validate: {outcome}");
            assert!(outcome.stdout.contains(self.advice), "{name}: validate: {outcome}");
        }
        for (file, old, new) in self.decided {
            let path = format!("{name}/{file}");
            let content = read(&sandbox, &path);
            assert!(
                content.contains(old),
                "{name}: {path} does not hold {old:?}:\n{content}"
            );
            write(&sandbox, &path, content.replacen(old, new, 1));
        }
        let outcome = run(
            "build",
            format!("bundle build {name} -t oci:out:v1 -u built {}", self.build),
        );
        assert_eq!(warnings(&outcome), self.warned, "{name}: build: {outcome}");
        let outcome = run("validate", "bundle validate built".to_owned());
        let new = |rule: &&String| !self.warned.contains(&rule.as_str()) && !UNDESCRIBED.contains(&rule.as_str());
        let new: Vec<String> = warnings(&outcome).iter().filter(new).cloned().collect();
        assert!(new.is_empty(), "{name}: validate: {outcome}");
        let published = if self.build.contains("registry+v1") {
            "--record-as registry.example.com/bundle:v1"
        } else {
            ""
        };
        let _ = run("add", format!("registry add -d index.db -b oci:out:v1 {published}"));
        let checked = run("check", "index check index.db -o json".to_owned());
        let checked: Value = serde_json::from_str(&checked.stdout).unwrap();
        assert_eq!(checked["findings"], json!([]), "{name}: check");
        let olm = read(&sandbox, &format!("{name}/metadata/olm.yaml"));
        let version = olm.lines().find_map(|line| line.strip_prefix("name: ")).unwrap();
        let plan = run("plan", format!("plan {version} --index index.db -o json"));
        let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
        assert_eq!(plan["status"]["phase"], "Installing", "{name}: plan: {plan:#}");
        write(&sandbox, "cluster.yaml", CLUSTER);
        let plan = run(
            "plan on a cluster",
            format!("plan {version} --index index.db --state cluster.yaml"),
        );
        assert!(plan.stdout.contains("\nphase      Complete\n"), "{name}: {plan}");
        assert!(plan.stdout.contains("Nothing would be missing"), "{name}: {plan}");
        let tree = Tree::from_directory(&sandbox.path("built"), &TreeLimits::default()).unwrap();
        let (content, _) = content::of_files(&tree, None, &Limits::default())
            .unwrap_or_else(|error| panic!("{name}: permissions: {error}"));
        let raw = text::read("upstream.yaml", upstream.as_bytes(), &Limits::default()).documents;
        let raw: Vec<Value> = raw.into_iter().map(text::Document::into_value).collect();
        let compared = compare(raw, &content);
        assert!(compared.accounts > 0, "{name}: permissions");
        assert_eq!(compared.applied, self.lost, "{name}: permissions: only after apply");
        assert_eq!(compared.through_olm, self.gained, "{name}: permissions: only after OLM");
        sandbox
    }
}

/// A cluster with only the APIs of Kubernetes and Prometheus.
const CLUSTER: &str =
    "version: 1\napis:\n- {group: monitoring.coreos.com, version: v1, kind: ServiceMonitor, plural: servicemonitors}\n";

/// Warnings of `validate` about missing descriptions of the operator.
const UNDESCRIBED: [&str; 2] = ["csv-annotations-missing", "csv-provided-api-without-example"];

/// The rules of the warnings that a command showed or reported, without duplicates.
fn warnings(outcome: &Outcome) -> Vec<String> {
    let lines = outcome.stdout.lines().chain(outcome.stderr.lines());
    let rules = lines.filter_map(|line| Some(line.strip_prefix("warning[")?.split_once("]: ")?.0.to_owned()));
    let rules: BTreeSet<String> = rules.collect();
    rules.into_iter().collect()
}

#[test]
fn wildcards_over_the_operators_own_groups_are_expanded() {
    let pump = Operator {
        name: "pump",
        init: "--expand-wildcards",
        said: &[
            "expanded rules[0] of ClusterRole/pump-operator in pump/manifests/upstream.yaml:81 to the bundle's own kinds of pumps.example.com",
        ],
        ..Operator::default()
    };
    let sandbox = pump.walk(&[]);
    let manifests = read(&sandbox, "pump/manifests/upstream.yaml");
    assert!(
        manifests.contains("# Everything that the operator brings itself.\n"),
        "{manifests}"
    );
    assert!(!manifests.contains('*'), "{manifests}");
    let upstream = read(&sandbox, "upstream.yaml");
    let (before, _) = upstream.split_once("  resources: [\"*\"]").unwrap();
    assert!(manifests.starts_with(before), "only the rule is another one");
}

#[test]
fn wildcards_that_must_stay_are_published_as_registry_v1() {
    let sweeper = Operator {
        name: "sweeper",
        said: &[
            "to decide: rules[0] of ClusterRole/sweeper in sweeper/manifests/upstream.yaml:54 allows all groups; list the groups that the operator uses, or keep the wildcard and use bundle build --media-type registry+v1",
            "to decide: rules[1] of ClusterRole/sweeper in sweeper/manifests/upstream.yaml:57 allows all resources of sweeper.example.com; use --expand-wildcards to allow only those of this bundle",
            "to decide: rules[1] of ClusterRole/sweeper in sweeper/manifests/upstream.yaml:57 allows all resources of batch; list the resources that the operator uses; available resources: cronjobs (CronJob), jobs (Job)",
        ],
        build: "--media-type registry+v1",
        warned: &["rbac-wildcard"],
        ..Operator::default()
    };
    let sandbox = sweeper.walk(&[]);
    let outcome = sandbox.run(["bundle", "build", "sweeper", "-t", "oci:out:plain"]);
    assert_eq!(outcome.status, Some(1));
    assert!(
        outcome.stderr.contains("`opmx bundle build --media-type registry+v1`"),
        "the refusal names the way: {outcome}"
    );
    let outcome = sandbox.run(["bundle", "validate", "sweeper"]);
    assert_eq!(outcome.status, Some(1));
    assert!(
        outcome
            .stdout
            .contains("`opmx bundle validate --media-type registry+v1` accepts"),
        "{outcome}"
    );
    let outcome = sandbox.run(["bundle", "validate", "sweeper", "--media-type", "registry+v1"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(
        outcome.stdout.contains("--> sweeper/manifests/upstream.yaml:54"),
        "the findings refer to the author's files: {outcome}"
    );
    let build = "bundle build sweeper -t oci:out:classic --media-type registry+v1";
    let outcome = sandbox.run(build.split(' '));
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(
        outcome.stderr.contains("--> sweeper/manifests/upstream.yaml:54"),
        "{outcome}"
    );
    assert!(!outcome.stderr.contains("clusterserviceversion.yaml"), "{outcome}");
    let outcome = sandbox.run(["bundle", "convert", "sweeper", "converted", "--to", "registry+v1"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert_eq!(warnings(&outcome), ["rbac-wildcard"]);
}

#[test]
fn webhooks_aggregated_apis_and_bindings_to_other_namespaces_are_published() {
    let operators = [
        Operator {
            name: "gate",
            said: &[
                "to decide: whether to keep AllNamespaces under installModes or to replace it with OwnNamespace, in gate/metadata/olm.yaml; with AllNamespaces, OLM grants these permissions of the operator's Roles in all namespaces instead of one: secrets \"gate-webhook-cert\" (get, update)",
                "to decide: how the operator obtains its certificate in gate/manifests/upstream.yaml:86: the operator may change validatingwebhookconfigurations, but OLM creates those of the bundle under generated names, with OLM's own certificate: disable the operator's own certificates, serve with tls.crt and tls.key in /tmp/k8s-webhook-server/serving-certs, where OLM mounts them, and remove the permission",
            ],
            found: &["cert-own-rotation"],
            advice: "Disable the operator's own certificates, serve with tls.crt and tls.key in \
                     /tmp/k8s-webhook-server/serving-certs, where OLM mounts them, and remove the permission.",
            decided: &[
                (
                    "manifests/upstream.yaml",
                    "--cert-dir=/certs",
                    "--cert-dir=/tmp/k8s-webhook-server/serving-certs",
                ),
                (
                    "manifests/upstream.yaml",
                    "        volumeMounts:\n        - {name: cert, mountPath: /certs, readOnly: true}\n      volumes:\n      \
                     - name: cert\n        secret: {secretName: gate-webhook-cert}\n",
                    "",
                ),
                (
                    "manifests/upstream.yaml",
                    "apiVersion: v1\nkind: Secret\nmetadata: {name: gate-webhook-cert, namespace: gate-system}\ntype: \
                     Opaque\n---\n",
                    "",
                ),
                (
                    "manifests/upstream.yaml",
                    "- {apiGroups: [admissionregistration.k8s.io], resources: [validatingwebhookconfigurations], verbs: [get, \
                     list, watch, update]}\n",
                    "",
                ),
            ],
            lost: &[
                [
                    "gate",
                    "(all)",
                    "get admissionregistration.k8s.io/validatingwebhookconfigurations",
                ],
                [
                    "gate",
                    "(all)",
                    "list admissionregistration.k8s.io/validatingwebhookconfigurations",
                ],
                [
                    "gate",
                    "(all)",
                    "update admissionregistration.k8s.io/validatingwebhookconfigurations",
                ],
                [
                    "gate",
                    "(all)",
                    "watch admissionregistration.k8s.io/validatingwebhookconfigurations",
                ],
            ],
            ..Operator::default()
        },
        Operator {
            name: "meter",
            said: &[
                "to decide: the kinds that APIService/v1.readings.example.com serves, under apiservicedefinitions in meter/metadata/olm.yaml",
            ],
            decided: &[(
                "metadata/olm.yaml",
                "# apiservicedefinitions: {owned: []}",
                "apiservicedefinitions: {owned: [{group: readings.example.com, version: v1, kind: Reading, name: readings}]}",
            )],
            warned: &["apiservice-insecure"],
            // OLM makes the two bindings itself once the version is there.
            lost: &[
                ["meter", "(all)", "create authentication.k8s.io/tokenreviews"],
                ["meter", "(all)", "create authorization.k8s.io/subjectaccessreviews"],
                [
                    "meter",
                    "kube-system",
                    "get /configmaps/extension-apiserver-authentication",
                ],
                [
                    "meter",
                    "kube-system",
                    "list /configmaps/extension-apiserver-authentication",
                ],
                [
                    "meter",
                    "kube-system",
                    "watch /configmaps/extension-apiserver-authentication",
                ],
            ],
            ..Operator::default()
        },
        Operator {
            name: "well",
            // As the finding about the binding advises.
            decided: &[(
                "manifests/upstream.yaml",
                "kind: RoleBinding\nmetadata: {name: well-auth-reader, namespace: kube-system}\nroleRef: {apiGroup: \
                 rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader}",
                "kind: ClusterRole\nmetadata: {name: well-auth-reader}\nrules:\n- {apiGroups: [\"\"], resources: [configmaps], \
                 resourceNames: [extension-apiserver-authentication], verbs: [get, list, watch]}\n---\napiVersion: \
                 rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: well-auth-reader}\nroleRef: \
                 {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: well-auth-reader}",
            )],
            gained: &[
                ["well", "(all)", "get /configmaps/extension-apiserver-authentication"],
                ["well", "(all)", "list /configmaps/extension-apiserver-authentication"],
                ["well", "(all)", "watch /configmaps/extension-apiserver-authentication"],
            ],
            ..Operator::default()
        },
    ];
    for operator in operators {
        operator.walk(&[]);
    }
}

#[test]
fn certificates_managed_by_the_operator_are_found_in_both_formats() {
    let sandbox = Sandbox::new();
    let upstream = fs::read_to_string(testdata("operators").join("gate/upstream.yaml")).unwrap();
    // The Secret is one that the operator is to make itself.
    let (before, secret) = upstream.split_once("apiVersion: v1\nkind: Secret\n").unwrap();
    let (_, after) = secret.split_once("---\n").unwrap();
    write(&sandbox, "upstream.yaml", format!("{before}{after}"));
    for line in [
        "bundle init gate --from upstream.yaml --package gate",
        "bundle convert gate converted --to registry+v1",
    ] {
        let outcome = sandbox.run(line.split_whitespace());
        assert_eq!(outcome.status, Some(0), "{outcome}");
    }
    for folder in ["gate", "converted"] {
        let outcome = sandbox.run(["bundle", "validate", folder]);
        let found = warnings(&outcome);
        for rule in ["cert-own-rotation", "cert-own-secret"] {
            assert!(found.iter().any(|found| found == rule), "{folder}: {rule}: {outcome}");
        }
        assert!(outcome.stdout.contains("(change spec."), "{outcome}");
    }
}

#[test]
fn several_deployments_images_in_settings_and_custom_resources_are_published() {
    let operators = [
        Operator {
            name: "sprinkler",
            ..Operator::default()
        },
        Operator {
            name: "nursery",
            said: &[
                "Climate/default becomes an example because OLM does not create custom resources of a bundle's own kinds",
            ],
            ..Operator::default()
        },
        Operator {
            name: "orchard",
            said: &[
                "to decide: whether to keep AllNamespaces under installModes or to replace it with OwnNamespace, in orchard/metadata/olm.yaml; with AllNamespaces, OLM grants these permissions of the operator's Roles in all namespaces instead of one: configmaps (get)",
            ],
            init: "--version 1.9.0",
            ..Operator::default()
        },
    ];
    for operator in operators {
        operator.walk(&[]);
    }
}

#[test]
fn output_of_helm_and_kustomize_is_published() {
    let operators = [
        Operator {
            name: "kettle",
            said: &["skipped Pod/release-name-kettle-test, which is a test of the Helm chart"],
            ..Operator::default()
        },
        Operator {
            name: "lantern",
            said: &[
                "to decide: whether to keep AllNamespaces under installModes or to replace it with OwnNamespace, in lantern/metadata/olm.yaml; with AllNamespaces, OLM grants these permissions of the operator's Roles in all namespaces instead of one: events (create, patch) and leases of coordination.k8s.io (get, list, watch, create, update, patch, delete)",
                "to decide: whether clusters must have the kinds of ServiceMonitor/lantern-controller-manager-metrics-monitor: if a kind is missing, the installation fails; let the operator create the object, or leave it out with --exclude ServiceMonitor/lantern-controller-manager-metrics-monitor; to mark it as optional, which released versions of OLM ignore, add this entry under properties in lantern/metadata/properties.yaml: - {\"type\":\"olm.manifests.optional\",\"value\":{\"manifests\":[{\"group\":\"monitoring.coreos.com\",\"kind\":\"ServiceMonitor\",\"name\":\"lantern-controller-manager-metrics-monitor\",\"namespace\":\"lantern-system\"}]}}",
            ],
            ..Operator::default()
        },
    ];
    for operator in operators {
        operator.walk(&[]);
    }
}

/// A CustomResourceDefinition of about this size, with schemas like those of pods: the same fields repeated.
fn large_definition(plural: &str, kind: &str, bytes: usize) -> Value {
    let mut properties = serde_json::Map::new();
    let mut size = 0;
    for number in 0.. {
        let description = format!(
            "Field {number} of the {kind}. It is applied to every container that is not named otherwise, and to those \
             that are, unless they say another value themselves. Cannot be updated."
        );
        let field = json!({"description": description, "type": "object", "properties": {
            "name": {"type": "string", "description": "Name of the referent. More info: see the page about names."},
            "optional": {"type": "boolean", "description": "Whether it or its key may be absent."}}});
        size += field.to_string().len() + 24;
        properties.insert(format!("field{number:06}"), field);
        if size >= bytes {
            break;
        }
    }
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.catalogue.example.com")},
        "spec": {"group": "catalogue.example.com", "scope": "Namespaced",
            "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"description": format!("A {kind}."), "type": "object",
                    "properties": {"spec": {"type": "object", "properties": properties}, "status": {"type": "object"}}}}}]}})
}

#[test]
fn large_definitions_are_reported_and_published_after_following_the_hint() {
    let kinds = [
        ("alerts", "Alert"),
        ("books", "Book"),
        ("charts", "Chart"),
        ("drawers", "Drawer"),
    ];
    let definitions = kinds.map(|(plural, kind)| large_definition(plural, kind, 662_500));
    let catalogue = Operator {
        name: "catalogue",
        init: "--expand-wildcards",
        said: &[
            "expanded rules[0] of ClusterRole/catalogue in catalogue/manifests/upstream.yaml:27 to the bundle's own kinds of catalogue.example.com",
        ],
        build: "--media-type registry+v1",
        warned: &["rbac-wildcard-verb"],
        ..Operator::default()
    };
    let sandbox = catalogue.walk(&definitions);
    for line in [
        "bundle build catalogue -t oci:out:plain",
        "registry add -d inline.db -b oci:out:plain",
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(0), "{outcome}");
        assert!(
            warnings(&outcome).contains(&"bundle-inline-size".to_owned()),
            "{outcome}"
        );
        assert!(
            outcome
                .stderr
                .contains("`opmx bundle build --media-type registry+v1` builds that image"),
            "{outcome}"
        );
    }
    let outcome = sandbox.run(["index", "check", "inline.db", "-o", "json"]);
    assert!(outcome.stdout.contains("\"index-bundle-size\"") || outcome.stdout.contains("\"index-message-size\""));
}
