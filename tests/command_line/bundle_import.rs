//! What `opmx bundle init` and `opmx bundle update` say about the output of Helm, kustomize and operator-sdk.

use crate::bundle_files::{copy, read, succeeds, testdata, write};
use crate::common::{Outcome, Sandbox};
use std::fs::File;

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: op}
spec:
  selector: {matchLabels: {app: op}}
  template:
    metadata: {labels: {app: op}}
    spec:
      containers:
      - {name: manager, image: 'registry.example.com/op:v1.0.0'}
";

/// The hooks that charts commonly use to upgrade their CustomResourceDefinitions, and hooks that are not reported.
const HOOKS: &str = "\
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: hook, namespace: op, annotations: {helm.sh/hook: pre-install}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: hook, annotations: {helm.sh/hook: 'pre-install,pre-upgrade'}}
rules:
- {apiGroups: ['*'], resources: ['*'], verbs: ['*']}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: hook, annotations: {helm.sh/hook: pre-install}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: hook}
subjects:
- {kind: ServiceAccount, name: hook, namespace: op}
---
apiVersion: batch/v1
kind: Job
metadata: {name: upgrade, annotations: {helm.sh/hook: pre-upgrade}}
spec: {}
---
apiVersion: v1
kind: Pod
metadata: {name: test, annotations: {helm.sh/hook: test}}
spec: {containers: [{name: test, image: registry.example.com/test}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ops.op.example.com, annotations: {helm.sh/hook: crd-install}}
spec:
  group: op.example.com
  names: {kind: Op, plural: ops, singular: op, listKind: OpList}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
";

fn decisions(outcome: &Outcome) -> Vec<&str> {
    let lines = outcome.stderr.lines();
    lines.filter(|line| line.starts_with("to decide: ")).collect()
}

#[test]
fn hooks_of_helm_are_kept_and_left_to_decide_together() {
    let sandbox = Sandbox::new();
    write(&sandbox, "chart.yaml", format!("{DEPLOYMENT}{HOOKS}"));
    let outcome = sandbox.run(["bundle", "init", "op", "--from", "chart.yaml"]);
    succeeds(&outcome);
    let options = "--exclude ServiceAccount/hook --exclude ClusterRole/hook --exclude ClusterRoleBinding/hook \
                   --exclude Job/upgrade";
    let decision = format!(
        "to decide: whether the operator needs the Helm hooks: OLM runs no hooks, so it installs ServiceAccount/hook, \
         ClusterRole/hook, ClusterRoleBinding/hook permanently, and does not install Job/upgrade; {options} leaves out \
         all of them"
    );
    assert_eq!(decisions(&outcome), [decision], "{outcome}");
    let manifests = read(&sandbox, "op/manifests/chart.yaml");
    assert!(
        manifests.contains("kind: Job\n") && !manifests.contains("kind: Pod\n"),
        "{manifests}"
    );

    let outcome = sandbox.run(["bundle", "validate", "op"]);
    for hook in [
        "ServiceAccount/hook is a hook of Helm (pre-install)",
        "ClusterRole/hook is a hook of Helm (pre-install,pre-upgrade)",
        "ClusterRoleBinding/hook is a hook of Helm (pre-install)",
    ] {
        let warning =
            format!("warning[k8s-helm-hook]: {hook}, but OLM runs no hooks, so it installs the object permanently\n");
        assert!(outcome.stdout.contains(&warning), "{warning}: {outcome}");
    }
    assert_eq!(outcome.stdout.matches("[k8s-helm-hook]").count(), 3, "{outcome}");
    assert!(!outcome.stdout.contains("extraServiceAccounts"), "{outcome}");

    // As the decision advises.
    let line = format!("bundle init op --from chart.yaml --overwrite {options}");
    let outcome = sandbox.run(line.split_whitespace());
    succeeds(&outcome);
    assert!(decisions(&outcome).is_empty(), "{outcome}");
    let outcome = sandbox.run(["bundle", "validate", "op"]);
    assert!(!outcome.stdout.contains("helm"), "{outcome}");
    assert!(read(&sandbox, "op/manifests/chart.yaml").contains("kind: CustomResourceDefinition\n"));
}

#[test]
fn hooks_that_become_part_of_the_csv_are_left_to_decide() {
    let sandbox = Sandbox::new();
    let binding = HOOKS
        .split("---\n")
        .nth(3)
        .unwrap()
        .replace("name: hook, namespace", "name: default, namespace");
    let role = HOOKS.split("---\n").nth(2).unwrap();
    write(&sandbox, "chart.yaml", format!("{DEPLOYMENT}---\n{role}---\n{binding}"));
    let outcome = sandbox.run(["bundle", "init", "op", "--from", "chart.yaml"]);
    succeeds(&outcome);
    let decision = "OLM runs no hooks, so it installs ClusterRole/hook, ClusterRoleBinding/hook permanently; --exclude \
                    ClusterRole/hook --exclude ClusterRoleBinding/hook leaves out all of them";
    assert!(outcome.stderr.contains(decision), "{outcome}");
}

#[test]
fn a_kind_that_may_be_missing_is_left_to_decide_without_relying_on_a_property_that_olm_ignores() {
    let sandbox = Sandbox::new();
    let monitor = "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: op}\n";
    write(&sandbox, "op.yaml", format!("{DEPLOYMENT}{monitor}"));
    let outcome = sandbox.run(["bundle", "init", "op", "--from", "op.yaml"]);
    let property = "{\"type\":\"olm.manifests.optional\",\"value\":{\"manifests\":[{\"group\":\
                    \"monitoring.coreos.com\",\"kind\":\"ServiceMonitor\",\"name\":\"op\"}]}}";
    let decision = format!(
        "to decide: whether clusters must have the kinds of ServiceMonitor/op: if a kind is missing, the installation \
         fails; let the operator create the object, or leave it out with --exclude ServiceMonitor/op; to mark it as \
         optional, which released versions of OLM ignore, add this entry under properties in op/metadata/properties.yaml: - {property}"
    );
    assert_eq!(decisions(&outcome), [decision], "{outcome}");
    let line = "bundle init op --from op.yaml --overwrite --exclude ServiceMonitor/op";
    let outcome = sandbox.run(line.split(' '));
    assert!(decisions(&outcome).is_empty(), "{outcome}");
}

#[test]
fn a_webhook_whose_service_selects_two_deployments_is_left_to_decide_and_its_certificate_is_not() {
    let sandbox = Sandbox::new();
    let webhook = |name: &str| {
        format!(
            "- name: {name}.example.com\n  admissionReviewVersions: [v1]\n  sideEffects: None\n  clientConfig: {{service: \
             {{name: hook, namespace: op}}}}\n  rules: [{{apiGroups: [example.com], apiVersions: [v1], operations: \
             [CREATE], resources: [foos]}}]\n"
        )
    };
    let others = format!(
        "---\n{}---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: \
         hooks}}\nwebhooks:\n{}{}---\napiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {{name: issuer}}\n",
        DEPLOYMENT.replacen("{name: op}", "{name: op-web}", 1),
        webhook("a"),
        webhook("b"),
    );
    let service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: hook}\nspec:\n  selector: {app: op}\n  ports: \
                   [{port: 443}]\n";
    for (service, decision) in [
        (
            service,
            "in op/manifests/op.yaml:46: Service/hook selects the pods of several Deployments: op, op-web: make the \
             Service's selector match the pod labels of exactly one Deployment of the bundle",
        ),
        (
            "",
            "in op/manifests/op.yaml:30: ValidatingWebhookConfiguration/hooks refers to Service hook, which is not in the \
             bundle: add the Service to the bundle",
        ),
    ] {
        write(&sandbox, "op.yaml", format!("{DEPLOYMENT}{others}{service}"));
        let outcome = sandbox.run(["bundle", "init", "op", "--from", "op.yaml", "--overwrite"]);
        let decision = format!("to decide: how the API server reaches the operator {decision}");
        assert_eq!(decisions(&outcome), [decision], "{outcome}");
    }
}

/// The compost operator, a registry+v1 bundle, in the folder `bundle`, and the manifests of its next release with the
/// base of its CSV in the file `base.yaml`, like the output of `kustomize build config/manifests`.
fn with_base() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "bundle");
    let base = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: \
                compost-operator.v0.0.0}\nspec: {displayName: Compost Operator, description: Turns heaps., version: \
                0.0.0}\n";
    let crd = testdata("compost-operator").join("manifests/compostheaps.crd.yaml");
    let crd = std::fs::read_to_string(crd).unwrap();
    write(&sandbox, "base.yaml", format!("{base}---\n{crd}---\n{DEPLOYMENT}"));
    sandbox
}

/// Runs the commands of a hint, which is the text after `hint: ` on the line that contains `route`, with these values.
fn follow(sandbox: &Sandbox, outcome: &Outcome, route: &str, values: &[(&str, &str)]) {
    let hint = outcome.stderr.lines().find(|line| line.contains(route));
    let mut hint = hint.unwrap_or_else(|| panic!("{route}: {outcome}")).to_owned();
    for (placeholder, value) in values {
        hint = hint.replace(placeholder, value);
    }
    let commands: Vec<&str> = hint.split("opmx ").skip(1).collect();
    assert_eq!(commands.len(), 2, "{hint}");
    for command in commands {
        let command = command.split(';').next().unwrap();
        succeeds(&sandbox.run(command.split_whitespace()));
    }
}

#[test]
fn manifests_with_a_base_of_a_csv_are_rejected_with_the_routes_that_work() {
    let sandbox = with_base();
    let outcome = sandbox.run(["bundle", "init", "new", "--from", "base.yaml"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let wanted = "error: base.yaml contains a ClusterServiceVersion, but opmx infers it from the manifests\n";
    assert!(outcome.stderr.starts_with(wanted), "{outcome}");
    assert!(!sandbox.path("new").exists());
    follow(
        &sandbox,
        &outcome,
        "to keep its metadata",
        &[("BUNDLE", "bundle"), ("OUT", "out")],
    );
    assert!(read(&sandbox, "out/metadata/olm.yaml").contains("\ndescription: Turns heaps.\n"));
    assert!(read(&sandbox, "out/manifests/base.yaml").contains("kind: Deployment"));

    let exclusion = "--exclude ClusterServiceVersion/compost-operator.v0.0.0";
    let without = format!("to start without its metadata, such as the description and the icon, use {exclusion}\n");
    assert!(outcome.stderr.contains(&without), "{outcome}");
    succeeds(&sandbox.run(format!("bundle init new --from base.yaml {exclusion}").split(' ')));

    let outcome = sandbox.run("bundle update out --from base.yaml".split(' '));
    let hint =
        format!("hint: leave it out with {exclusion}; the metadata of the bundle remains in out/metadata/olm.yaml\n");
    assert!(outcome.stderr.ends_with(&hint), "{outcome}");
    succeeds(&sandbox.run(format!("bundle update out --from base.yaml {exclusion}").split(' ')));
    let stream = sandbox.path("base.yaml");
    let mut command = sandbox.command(["bundle", "init", "other", "--from", "-"]);
    let output = command.stdin(File::open(stream).unwrap()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains(&format!("opmx bundle update OUT --from - {exclusion}\n")),
        "{said}"
    );
}

#[test]
fn a_bundle_with_a_csv_is_rejected_with_the_command_that_converts_it() {
    for line in [
        "bundle init new --from bundle",
        "bundle init new --from bundle/manifests",
        "bundle update bundle --from op.yaml",
    ] {
        let sandbox = with_base();
        write(&sandbox, "op.yaml", DEPLOYMENT);
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(1), "{outcome}");
        follow(
            &sandbox,
            &outcome,
            "hint: convert the bundle",
            &[("OUT", "out"), ("FROM", "op.yaml")],
        );
    }
}
