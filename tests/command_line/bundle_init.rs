//! `opmx bundle init`.

use crate::bundle_files::{copy, edit, errors, files, place, read, succeeds, testdata, write};
use crate::common::Sandbox;
use std::io::Write;
use std::process::Stdio;

/// A sandbox with the greenhouse operator's manifests and the files of kustomize in the folder `deploy`.
fn deploy() -> Sandbox {
    let sandbox = Sandbox::new();
    for (path, content) in files(&testdata("greenhouse-operator/manifests")) {
        write(&sandbox, &format!("deploy/{path}"), content);
    }
    let listed = "resources: [crds.yaml, deployment.yaml, rbac.yaml, webhook.yaml]\n";
    write(&sandbox, "deploy/kustomization.yaml", listed);
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";
    write(&sandbox, "deploy/base/component.yaml", component);
    sandbox
}

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: op
spec:
  selector:
    matchLabels: {app: op}
  template:
    metadata:
      labels: {app: op}
    spec:
      containers:
      - name: manager
        image: registry.example.com/op
";

#[test]
fn an_unknown_kind_in_the_operators_own_group_is_left_to_decide() {
    let sandbox = deploy();
    edit(&sandbox, "deploy/rbac.yaml", "cert-manager.io", "garden.example.com");
    let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "deploy"]);
    let decision = "to decide: the kind of certificates of garden.example.com, and whether another release of this \
                    operator or another operator defines it, under apis in bundle/metadata/olm.yaml";
    assert!(outcome.stderr.contains(decision), "{outcome}");
}

#[test]
fn resources_are_grouped_by_the_decision_they_require() {
    let sandbox = deploy();
    let rbac = "deploy/rbac.yaml";
    edit(
        &sandbox,
        rbac,
        "[cert-manager.io]",
        "[cert-manager.io, route.openshift.io, example.org]",
    );
    edit(&sandbox, rbac, "[certificates]", "[certificates, routes]");
    let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "deploy"]);
    let decisions: Vec<&str> = outcome
        .stderr
        .lines()
        .filter(|line| line.contains("under apis"))
        .collect();
    assert_eq!(
        decisions,
        [
            "to decide: whether the dependency on certificates of cert-manager.io is required or optional, under apis in bundle/metadata/olm.yaml",
            "to decide: whether the dependency on routes of route.openshift.io is native or optional, under apis in bundle/metadata/olm.yaml",
            "to decide: the kind and version of routes of cert-manager.io and certificates, routes of example.org, and whether the dependency is required or optional, under apis in bundle/metadata/olm.yaml",
            "to decide: the kind and version of certificates of route.openshift.io, and whether the dependency is native or optional, under apis in bundle/metadata/olm.yaml",
        ],
        "{outcome}"
    );
}

#[test]
fn manifests_become_a_bundle_that_lacks_only_decisions() {
    let sandbox = deploy();
    let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "deploy"]);
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    skipped base/component.yaml, which contains no manifest
    skipped kustomization.yaml, which contains no manifest
    wrote bundle/manifests/crds.yaml
    wrote bundle/manifests/deployment.yaml
    wrote bundle/manifests/rbac.yaml
    wrote bundle/manifests/webhook.yaml
    wrote bundle/metadata/annotations.yaml
    wrote bundle/metadata/olm.yaml
    package greenhouse-operator: from the name of Deployment/greenhouse-operator
    version 1.2.0: the tag of container manager of Deployment/greenhouse-operator
    minKubeVersion 1.16.0: the first version that serves apiextensions.k8s.io/v1 (CustomResourceDefinition/greenhouses.garden.example.com)
    to decide: whether to keep AllNamespaces under installModes or to replace it with OwnNamespace, in bundle/metadata/olm.yaml; with AllNamespaces, OLM grants these permissions of the operator's Roles in all namespaces instead of one: events (create, patch) and leases of coordination.k8s.io (get, create, update)
    to decide: whether the dependency on certificates of cert-manager.io is required or optional, under apis in bundle/metadata/olm.yaml
    ");
    assert_eq!(
        files(&sandbox.path("bundle/manifests")),
        files(&testdata("greenhouse-operator/manifests")),
        "the manifests are the author's, byte for byte"
    );
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    for inferred in [
        "\nname: greenhouse-operator.v1.2.0\n",
        "\nversion: 1.2.0\n",
        "\nminKubeVersion: 1.16.0\n",
        "\ndisplayName: Greenhouse Operator\n",
        "- type: OwnNamespace\n  supported: true\n",
        "- type: MultiNamespace\n  supported: false\n",
        "- type: AllNamespaces\n  supported: true\n",
    ] {
        assert!(olm.contains(inferred), "{inferred:?} is not in\n{olm}");
    }
    for placeholder in ["\n# description: ", "\n# maintainers: ", "\n# icon: ", "\n# replaces: "] {
        assert!(olm.contains(placeholder), "{placeholder:?} is not in\n{olm}");
    }
    insta::assert_snapshot!(read(&sandbox, "bundle/metadata/annotations.yaml"), @"
    annotations:
      operators.operatorframework.io.bundle.channels.v1: stable
      operators.operatorframework.io.bundle.manifests.v1: manifests/
      operators.operatorframework.io.bundle.mediatype.v1: k8s+v1
      operators.operatorframework.io.bundle.metadata.v1: metadata/
      operators.operatorframework.io.bundle.package.v1: greenhouse-operator
    ");

    let outcome = sandbox.run(["bundle", "synthesize", "bundle"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    let unknown = place(&sandbox, "bundle/manifests/rbac.yaml", "certificates");
    assert_eq!(errors(&outcome), [("rbac-kind-unknown".to_owned(), unknown)]);

    let stub = "# apis:\n# - group: cert-manager.io\n#   resource: certificates\n#   kind: Certificate\n#   version: v1\n#   dependency: required  #";
    edit(&sandbox, "bundle/metadata/olm.yaml", stub, &stub.replace("# ", ""));
    let outcome = sandbox.run(["bundle", "synthesize", "bundle", "-o", "json"]);
    let csv: serde_json::Value = serde_json::from_str(succeeds(&outcome)).unwrap();
    assert_eq!(
        csv["spec"]["customresourcedefinitions"]["required"],
        serde_json::json!([{"kind": "Certificate", "name": "certificates.cert-manager.io", "version": "v1"}])
    );
    succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]));
}

#[test]
fn values_that_cannot_be_inferred_are_requested_by_the_next_command() {
    let sandbox = Sandbox::new();
    write(&sandbox, "bundle/manifests/deployment.yaml", DEPLOYMENT);
    let outcome = sandbox.run(["bundle", "init", "bundle"]);
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    wrote bundle/metadata/annotations.yaml
    wrote bundle/metadata/olm.yaml
    package op: from the name of Deployment/op
    minKubeVersion 1.16.0: the first version that serves apiextensions.k8s.io/v1, which OLM itself needs
    to decide: version, and with it the name op.vVERSION, in bundle/metadata/olm.yaml: no image tag of the operator is a version; set the version in this file, or use --overwrite --version VERSION
    ");
    let outcome = sandbox.run(["bundle", "synthesize", "bundle"]);
    let olm = "bundle/metadata/olm.yaml:1:1".to_owned();
    let required = || ("olm-required".to_owned(), olm.clone());
    assert_eq!(errors(&outcome), [required(), required()], "{outcome}");
    edit(
        &sandbox,
        "bundle/metadata/olm.yaml",
        "# name: my-operator.v1.0.0",
        "name: op.v2.0.0",
    );
    edit(
        &sandbox,
        "bundle/metadata/olm.yaml",
        "# version: 1.0.0",
        "version: 2.0.0",
    );
    succeeds(&sandbox.run(["bundle", "synthesize", "bundle"]));
}

#[test]
fn the_version_of_a_sidecar_is_not_the_version_of_the_operator() {
    let sandbox = Sandbox::new();
    let proxy =
        "      - name: kube-rbac-proxy\n        image: gcr.io/kubebuilder/kube-rbac-proxy:v0.13.1\n      - name";
    write(&sandbox, "deploy/a.yaml", DEPLOYMENT.replace("      - name", proxy));
    let reason = "no image tag of the operator is a version";
    let outcome = sandbox.run("bundle init bundle --from deploy".split(' '));
    succeeds(&outcome);
    assert!(
        outcome.stderr.contains(&format!("olm.yaml: {reason}; set")),
        "{outcome}"
    );
    succeeds(&sandbox.run("bundle init bundle --from deploy --overwrite --version 1.0.0".split(' ')));
    let outcome = sandbox.run("bundle update bundle --from deploy".split(' '));
    let said = format!("error: the version is unknown, because {reason}\n  hint: set it with --version\n");
    assert_eq!((outcome.status, &outcome.stderr), (Some(1), &said));
}

#[test]
fn a_version_with_capitals_or_build_metadata_is_written_as_a_valid_name() {
    for (version, wanted) in [
        ("1.2.3+build.5", "op.v1.2.3-build.5"),
        ("1.2.3-RC.v1", "op.v1.2.3-rc.v1"),
    ] {
        let sandbox = Sandbox::new();
        write(&sandbox, "bundle/manifests/deployment.yaml", DEPLOYMENT);
        succeeds(&sandbox.run(["bundle", "init", "bundle", "--version", version]));
        let olm = read(&sandbox, "bundle/metadata/olm.yaml");
        assert!(olm.contains(&format!("\nname: {wanted}\n")), "{olm}");
        let outcome = sandbox.run(["bundle", "validate", "bundle"]);
        for rule in ["csv-name-format", "olm-name-version"] {
            assert!(
                !outcome.stderr.contains(rule) && !outcome.stdout.contains(rule),
                "{outcome}"
            );
        }
        let line = [
            "bundle",
            "update",
            "bundle",
            "--from",
            "bundle/manifests",
            "--version",
            "1.2.4",
        ];
        succeeds(&sandbox.run(line));
        let olm = read(&sandbox, "bundle/metadata/olm.yaml");
        assert!(olm.contains(&format!("\nreplaces: {wanted}\n")), "{olm}");
        assert!(olm.contains("\nname: op.v1.2.4\n"), "{olm}");
    }
}

#[test]
fn a_name_that_is_too_long_is_left_to_decide_with_its_length() {
    for (length, said) in [
        (
            80,
            "the package, in bundle/metadata/annotations.yaml: NAME has 80 characters, but at most 63 are allowed; use",
        ),
        (
            60,
            "name, in bundle/metadata/olm.yaml: NAME.v1.0.0 has 67 characters, but at most 63 are allowed",
        ),
    ] {
        let sandbox = Sandbox::new();
        let name = "a".repeat(length);
        write(
            &sandbox,
            "bundle/manifests/deployment.yaml",
            DEPLOYMENT.replace("name: op\n", &format!("name: {name}\n")),
        );
        let outcome = sandbox.run("bundle init bundle --version 1.0.0".split(' '));
        succeeds(&outcome);
        let said = format!("to decide: {}", said.replace("NAME", &name));
        assert!(outcome.stderr.contains(&said), "{outcome}");
    }
    let sandbox = Sandbox::new();
    let name = "a".repeat(80);
    write(&sandbox, "bundle/manifests/deployment.yaml", DEPLOYMENT);
    let line = ["bundle", "init", "bundle", "--version", "1.0.0", "--package", &name];
    succeeds(&sandbox.run(line));
    let outcome = sandbox.run(["bundle", "validate", "bundle"]);
    let said = format!("the package name \"{name}\" has 80 characters, but at most 63 are allowed");
    assert!(format!("{outcome}").contains(&said), "{outcome}");
}

#[test]
fn differing_versions_are_listed_by_init_and_update() {
    let sandbox = Sandbox::new();
    let one = DEPLOYMENT.replace("registry.example.com/op", "registry.example.com/op:1.0.0");
    let two = DEPLOYMENT.replace("name: op\n", "name: op-agent\n");
    let two = two.replace("registry.example.com/op", "registry.example.com/op-agent:2.0.0");
    write(&sandbox, "deploy/a.yaml", format!("{one}---\n{two}"));
    let differ = "the versions in the manifests differ: 1.0.0 is the tag of container manager of Deployment/op, 2.0.0 is \
                  the tag of container manager of Deployment/op-agent";
    let outcome = sandbox.run("bundle init bundle --from deploy".split(' '));
    succeeds(&outcome);
    assert!(
        outcome.stderr.contains(&format!("olm.yaml: {differ}; set")),
        "{outcome}"
    );
    succeeds(&sandbox.run("bundle init bundle --from deploy --overwrite --version 0.9.0".split(' ')));
    let outcome = sandbox.run("bundle update bundle --from deploy".split(' '));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let said = format!("error: the version is unknown, because {differ}\n");
    assert!(outcome.stderr.starts_with(&said), "{outcome}");
}

#[test]
fn an_invalid_version_is_rejected() {
    let sandbox = Sandbox::new();
    write(&sandbox, "bundle/manifests/deployment.yaml", DEPLOYMENT);
    for version in ["v1.2.3", "1", "1.2.3.4", ""] {
        let outcome = sandbox.run(["bundle", "init", "bundle", "--version", version]);
        assert_eq!(outcome.status, Some(2), "{version}: {outcome}");
        assert!(!sandbox.path("bundle/metadata").exists());
    }
}

#[test]
fn the_kinds_of_an_api_service_are_left_to_decide() {
    let sandbox = Sandbox::new();
    write(&sandbox, "bundle/manifests/deployment.yaml", DEPLOYMENT);
    let service = "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.metrics.example.org}\n\
                   spec: {group: metrics.example.org, version: v1, groupPriorityMinimum: 100, versionPriority: 100, \
                   service: {name: op, namespace: op}}\n";
    write(&sandbox, "bundle/manifests/service.yaml", service);
    let outcome = sandbox.run(["bundle", "init", "bundle", "--version", "1.2.3"]);
    let line = "to decide: the kinds that APIService/v1.metrics.example.org serves, under apiservicedefinitions in \
                bundle/metadata/olm.yaml";
    assert!(outcome.stderr.contains(line), "{outcome}");
}

#[test]
fn every_commented_placeholder_is_valid_when_uncommented() {
    let sandbox = Sandbox::new();
    write(&sandbox, "bundle/manifests/deployment.yaml", DEPLOYMENT);
    succeeds(&sandbox.run(["bundle", "init", "bundle", "--version", "1.0.0"]));
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    let keys: Vec<&str> = olm
        .lines()
        .filter_map(|line| line.strip_prefix("# ")?.split_once(": ").map(|(key, _)| key))
        .filter(|key| !key.contains(' '))
        .collect();
    assert!(keys.len() > 12, "{keys:?}");
    // An icon needs its file, and a release another name of the bundle.
    for key in keys.iter().filter(|key| !["icon", "release"].contains(key)) {
        let open = olm.replacen(&format!("\n# {key}: "), &format!("\n{key}: "), 1);
        write(&sandbox, "bundle/metadata/olm.yaml", open);
        let outcome = sandbox.run(["bundle", "synthesize", "bundle"]);
        assert_eq!(
            (outcome.status, outcome.stderr.as_str()),
            (Some(0), ""),
            "{key}: {outcome}"
        );
    }
}

#[test]
fn a_stream_is_written_to_one_file() {
    let sandbox = deploy();
    let documents: Vec<String> = files(&testdata("greenhouse-operator/manifests"))
        .into_values()
        .map(|content| format!("---\n{}", String::from_utf8(content).unwrap()))
        .collect();
    let stream = documents.concat();
    let arguments =
        "bundle init bundle --from - --package greenhouse --version 2.0.0 --channels fast,slow --default slow";
    let mut child = sandbox
        .command(arguments.split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(read(&sandbox, "bundle/manifests/manifests.yaml"), stream);
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    assert!(
        olm.contains("\nname: greenhouse.v2.0.0\n") && olm.contains("\nversion: 2.0.0\n"),
        "{olm}"
    );
    let annotations = read(&sandbox, "bundle/metadata/annotations.yaml");
    for line in [
        "channels.v1: fast,slow\n",
        "channel.default.v1: slow\n",
        "package.v1: greenhouse\n",
    ] {
        assert!(annotations.contains(line), "{annotations}");
    }
    let inspected = sandbox.run(["bundle", "inspect", "bundle"]);
    assert!(
        inspected.stdout.contains("Deployment/greenhouse-operator"),
        "{inspected}"
    );
}

#[test]
fn nothing_is_overwritten_without_the_flag() {
    let sandbox = deploy();
    succeeds(&sandbox.run(["bundle", "init", "bundle", "--from", "deploy"]));
    write(&sandbox, "bundle/metadata/olm.yaml", "# mine\n");
    let before = files(&sandbox.path("bundle"));
    for arguments in [
        &["bundle", "init", "bundle"][..],
        &["bundle", "init", "bundle", "--from", "deploy"],
    ] {
        let outcome = sandbox.run(arguments);
        assert_eq!(outcome.status, Some(1), "{outcome}");
        assert!(
            outcome.stderr.contains(" already exists, so nothing was written\n"),
            "{outcome}"
        );
        assert!(
            outcome.stderr.contains("hint: opmx bundle update bundle --from ")
                && outcome
                    .stderr
                    .contains("hint: use --overwrite to replace existing files\n"),
            "{outcome}"
        );
        assert_eq!(files(&sandbox.path("bundle")), before);
    }
    succeeds(&sandbox.run(["bundle", "init", "bundle", "--overwrite", "--version", "3.0.0"]));
    assert!(read(&sandbox, "bundle/metadata/olm.yaml").contains("\nversion: 3.0.0\n"));
}

#[test]
fn only_the_missing_file_is_written_and_existing_annotations_are_kept() {
    let sandbox = deploy();
    succeeds(&sandbox.run(["bundle", "init", "bundle", "--from", "deploy", "--version", "1.0.0"]));
    let path = "bundle/metadata/annotations.yaml";
    edit(&sandbox, path, "channels.v1: stable", "channels.v1: alpha,beta # ours");
    let mine = format!("{}  com.example.mine: \"1\"\n", read(&sandbox, path));
    write(&sandbox, path, &mine);
    std::fs::remove_file(sandbox.path("bundle/metadata/olm.yaml")).unwrap();
    let outcome = sandbox.run(["bundle", "init", "bundle", "--version", "1.0.0", "--channels", "gamma"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(!outcome.stderr.contains("bundle update"), "{outcome}");
    edit(
        &sandbox,
        path,
        "  com.example.mine",
        "  operators.operatorframework.io.bundle.channel.default.v1: beta\n  com.example.mine",
    );
    let mine = read(&sandbox, path);
    succeeds(&sandbox.run(["bundle", "init", "bundle", "--version", "1.0.0"]));
    assert_eq!(read(&sandbox, path), mine);
    assert!(read(&sandbox, "bundle/metadata/olm.yaml").contains("version: 1.0.0\n"));
    succeeds(&sandbox.run(["bundle", "init", "bundle", "--overwrite", "--channels", "beta,gamma"]));
    let text = read(&sandbox, path);
    for kept in [
        "channels.v1: beta,gamma\n",
        "channel.default.v1: beta\n",
        "com.example.mine: ",
    ] {
        assert!(text.contains(kept), "{kept} is not in\n{text}");
    }
}

#[test]
fn a_file_that_is_meant_to_be_olm_yaml_is_moved_instead_of_replaced() {
    for place in [
        "metadata/olm.yml",
        "metadata/OLM.yaml",
        "olm.yaml",
        "manifests/olm.yaml",
    ] {
        let sandbox = deploy();
        succeeds(&sandbox.run(["bundle", "init", "bundle", "--from", "deploy", "--version", "1.0.0"]));
        let moved = sandbox.path(format!("bundle/{place}"));
        std::fs::rename(sandbox.path("bundle/metadata/olm.yaml"), moved).unwrap();
        let outcome = sandbox.run(["bundle", "validate", "bundle"]);
        let help = format!("help: Move {place} to metadata/olm.yaml, because only this file is read.\n");
        assert!(outcome.stdout.contains(&help), "{outcome}");
        let outcome = sandbox.run(["bundle", "init", "bundle", "--version", "1.0.0"]);
        assert_eq!(outcome.status, Some(1), "{outcome}");
        if place != "manifests/olm.yaml" {
            assert!(
                outcome
                    .stderr
                    .contains("hint: move the file to bundle/metadata/olm.yaml\n"),
                "{outcome}"
            );
        }
        assert!(!sandbox.path("bundle/metadata/olm.yaml").exists());
    }
}

#[test]
fn init_does_not_expand_wildcards_of_an_existing_bundle() {
    let sandbox = Sandbox::new();
    let upstream = std::fs::read_to_string(testdata("operators/pump/upstream.yaml")).unwrap();
    write(&sandbox, "pump/manifests/pump.yaml", upstream);
    succeeds(&sandbox.run("bundle init pump --package pump --version 1.0.0".split(' ')));
    let before = files(&sandbox.path("pump"));
    let line = "bundle init pump --package pump --version 1.0.0 --expand-wildcards";
    let outcome = sandbox.run(line.split(' '));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    error: pump/manifests/pump.yaml already exists, so nothing was written
      hint: opmx bundle update pump --from pump/manifests --expand-wildcards expands the wildcards and keeps manual changes in metadata/olm.yaml
      hint: use --overwrite to replace existing files
    ------- exit 1 -------
    ");
    assert_eq!(files(&sandbox.path("pump")), before);
    let update = "bundle update pump --from pump/manifests --version 1.0.0 --expand-wildcards";
    let outcome = sandbox.run(update.split(' '));
    succeeds(&outcome);
    assert!(
        outcome
            .stderr
            .contains("expanded rules[0] of ClusterRole/pump-operator"),
        "{outcome}"
    );
    let expanded = files(&sandbox.path("pump"));
    succeeds(&sandbox.run("bundle init pump --package pump --version 1.0.0 --expand-wildcards --overwrite".split(' ')));
    assert_eq!(files(&sandbox.path("pump/manifests")).len(), expanded.len() - 2);
}

#[test]
fn conversion_webhooks_allow_only_all_namespaces() {
    let sandbox = deploy();
    let conversion = "  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n      clientConfig:\n        service: {name: greenhouse-webhook, namespace: greenhouse-system, path: /convert}\n  versions:";
    edit(&sandbox, "deploy/crds.yaml", "  versions:", conversion);
    succeeds(&sandbox.run(["bundle", "init", "bundle", "--from", "deploy"]));
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    assert_eq!(olm.matches("supported: true").count(), 1, "{olm}");
    let outcome = sandbox.run(["bundle", "synthesize", "bundle"]);
    let rules: Vec<_> = errors(&outcome).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["rbac-kind-unknown"], "{outcome}");
}

#[test]
fn a_folder_without_manifests_is_rejected_with_a_hint() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    for folder in ["empty", "absent"] {
        let outcome = sandbox.run(["bundle", "init", folder]);
        assert_eq!(
            outcome.to_string(),
            format!(
                "------- stderr -------\nerror: {folder} contains no manifests in its folder manifests/\n  \
                 hint: import manifests with --from FOLDER, or from standard input with --from -\n------- exit 1 -------"
            )
        );
    }
    assert!(!sandbox.path("absent").exists());
    copy(&sandbox, "compost-operator", "compost");
    let before = files(&sandbox.path("compost"));
    let outcome = sandbox.run(["bundle", "init", "compost"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(
        outcome.stderr.contains("this is already a registry+v1 bundle"),
        "{outcome}"
    );
    assert!(outcome.stderr.contains("opmx bundle generate"), "{outcome}");
    assert_eq!(files(&sandbox.path("compost")), before);
}

#[test]
fn broken_manifests_are_reported_and_nothing_is_written() {
    let sandbox = deploy();
    write(
        &sandbox,
        "deploy/broken.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n",
    );
    edit(&sandbox, "deploy/kustomization.yaml", "[", "[broken.yaml, ");
    let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "deploy"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let errors = errors(&outcome);
    assert_eq!(errors.len(), 1, "{outcome}");
    assert_eq!(errors[0].0, "yaml-syntax", "{outcome}");
    assert!(errors[0].1.starts_with("deploy/broken.yaml:3:"), "{outcome}");
    assert!(!sandbox.path("bundle").exists());
}

#[test]
fn a_manifest_that_the_kustomization_does_not_list_is_skipped_and_reported() {
    let sandbox = deploy();
    write(&sandbox, "deploy/patch.yaml", DEPLOYMENT);
    let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "deploy"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
    let skipped = "skipped patch.yaml, which no kustomization lists\n";
    assert!(outcome.stderr.contains(skipped), "{outcome}");
    assert!(!sandbox.path("bundle/manifests/patch.yaml").exists());
    assert!(sandbox.path("bundle/manifests/rbac.yaml").exists());
}

#[test]
fn the_package_is_named_after_the_namespace_of_a_generically_named_deployment() {
    for (name, namespace, wanted) in [
        (
            "controller-manager",
            "kiln-system",
            "package kiln: from the namespace of Deployment/controller-manager\n",
        ),
        (
            "kiln-controller-manager",
            "clay",
            "package kiln: from the name of Deployment/kiln-controller-manager\n",
        ),
        (
            "manager",
            "kube-system",
            "warning: the package cannot be inferred from a Deployment",
        ),
    ] {
        let sandbox = Sandbox::new();
        let named = DEPLOYMENT.replacen("name: op", &format!("name: {name}\n  namespace: {namespace}"), 1);
        write(&sandbox, "deploy.yaml", named);
        let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "deploy.yaml"]);
        assert!(outcome.stderr.contains(wanted), "{outcome}");
    }
}

#[test]
fn an_image_layout_is_not_a_bundle_folder() {
    let sandbox = Sandbox::new();
    write(&sandbox, "images/oci-layout", "{}");
    write(&sandbox, "deploy.yaml", DEPLOYMENT);
    let outcome = sandbox.run(["bundle", "update", "images", "--from", "deploy.yaml"]);
    let wanted = "error: images is an OCI image layout, not a bundle folder\n";
    assert!(outcome.stderr.starts_with(wanted), "{outcome}");
    assert_eq!(outcome.status, Some(1), "{outcome}");
}

#[test]
fn input_that_requires_rendering_is_rejected_with_the_command_to_render_it() {
    let sandbox = Sandbox::new();
    write(
        &sandbox,
        "config/default/kustomization.yaml",
        "namePrefix: a-\nresources: [../manager]\n",
    );
    write(
        &sandbox,
        "config/manager/kustomization.yaml",
        "resources: [manager.yaml]\n",
    );
    write(&sandbox, "config/manager/manager.yaml", DEPLOYMENT);
    write(&sandbox, "Kustomization", "resources: [config/default]\n");
    write(&sandbox, "my chart/Chart.yaml", "name: op\n");
    write(&sandbox, "my chart/templates/a.yaml", "{{ if }}\n");
    write(&sandbox, "old chart/values.yaml", "replicas: 1\n");
    write(&sandbox, "old chart/templates/a.yaml", "{{ if }}\n");
    for (from, hint) in [
        (
            "config",
            "kubectl kustomize config/default | opmx bundle init new --from -",
        ),
        (
            "config/default/kustomization.yaml",
            "kubectl kustomize config/default | opmx bundle init new --from -",
        ),
        ("Kustomization", "kubectl kustomize . | opmx bundle init new --from -"),
        (
            "my chart",
            "helm template NAME 'my chart' --include-crds | opmx bundle init new --from -",
        ),
        (
            "https://example.com/op.yaml",
            "curl -fsSL https://example.com/op.yaml | opmx bundle init new --from -",
        ),
        (
            "old chart",
            "helm template NAME 'old chart' --include-crds | opmx bundle init new --from -",
        ),
    ] {
        let outcome = sandbox.run(["bundle", "init", "new", "--from", from]);
        assert_eq!(outcome.status, Some(1), "{outcome}");
        assert!(outcome.stderr.contains(&format!("it first: {hint}\n")), "{outcome}");
        assert!(!sandbox.path("new").exists());
    }
}

#[test]
fn an_empty_stream_is_an_error() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run(["bundle", "init", "new", "--from", "-"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(
        outcome
            .stderr
            .starts_with("error: standard input contains no Kubernetes object\n"),
        "{outcome}"
    );
    assert!(!sandbox.path("new").exists());
}

#[cfg(unix)]
#[test]
fn a_process_substitution_is_read_as_a_stream() {
    let sandbox = Sandbox::new();
    write(&sandbox, "a.yaml", DEPLOYMENT);
    let program = env!("CARGO_BIN_EXE_opmx");
    let script = format!("'{program}' bundle init new --version 1.0.0 --from <(cat a.yaml)");
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(sandbox.path("."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let paths: Vec<String> = files(&sandbox.path("new/manifests")).into_keys().collect();
    assert_eq!(paths, ["manifests.yaml"]);
}

#[test]
fn existing_manifests_are_not_mixed_with_imported_ones() {
    let sandbox = Sandbox::new();
    write(&sandbox, "a/op.yaml", DEPLOYMENT);
    write(&sandbox, "new/manifests/old.yaml", DEPLOYMENT);
    let outcome = sandbox.run(["bundle", "init", "new", "--from", "a", "--version", "1.0.0"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let error = "error: new/manifests/old.yaml already exists, so nothing was written\n";
    assert!(
        outcome.stderr.starts_with(error) && !outcome.stderr.contains("bundle update"),
        "{outcome}"
    );
    assert!(!sandbox.path("new/metadata").exists());
}

#[test]
fn a_binding_to_cluster_admin_is_left_to_decide() {
    let sandbox = Sandbox::new();
    let binding = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: all}\n\
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\n\
        subjects: [{kind: ServiceAccount, name: default, namespace: op}]\n";
    write(&sandbox, "op.yaml", format!("{DEPLOYMENT}{binding}"));
    let outcome = sandbox.run(["bundle", "init", "op", "--from", "op.yaml"]);
    let decision = "to decide: the permissions of the operator: ClusterRoleBinding/all in op/manifests/op.yaml:19 grants all \
        permissions; bind a role that names the required resources, or keep the binding and use bundle build --media-type \
        registry+v1\n";
    assert!(outcome.stderr.contains(decision), "{outcome}");
}

#[test]
fn a_bundle_is_rejected_as_a_folder_of_manifests() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "greenhouse-operator", "ready");
    let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "ready"]);
    let words =
        "error: ready is a bundle, not a folder of manifests\n  hint: use its manifests: --from ready/manifests\n";
    assert!(outcome.stderr.starts_with(words), "{outcome}");
    assert_eq!(outcome.status, Some(1), "{outcome}");
}

#[test]
fn two_documents_of_the_same_deployment_are_named_once() {
    let sandbox = Sandbox::new();
    write(&sandbox, "deploy/a.yaml", DEPLOYMENT);
    write(
        &sandbox,
        "deploy/patch.yaml",
        DEPLOYMENT.replace("registry.example.com/op", "registry.example.com/op:v1.0.0"),
    );
    let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "deploy"]);
    assert!(
        outcome.stderr.contains("package op: from the name of Deployment/op\n"),
        "{outcome}"
    );
}

#[test]
fn a_subresource_wildcard_is_answered_with_the_subresources() {
    let sandbox = Sandbox::new();
    let rules = "- {apiGroups: [apps], resources: ['*/scale'], verbs: [get, update]}\n- {apiGroups: ['*'], resources: \
                 ['*/scale', '*/status'], verbs: [get]}\n";
    let rbac = format!(
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: op}}\nrules:\n{rules}---\n\
         apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: op}}\nroleRef: {{apiGroup: \
         rbac.authorization.k8s.io, kind: ClusterRole, name: op}}\nsubjects:\n- {{kind: ServiceAccount, name: default, \
         namespace: ops}}\n"
    );
    write(&sandbox, "all.yaml", format!("{DEPLOYMENT}{rbac}"));
    let outcome = sandbox.run(["bundle", "init", "op", "--from", "all.yaml", "--version", "1.0.0"]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
    for decision in [
        "allows the subresource scale of all resources of apps; list the subresources that the operator uses; available \
         subresources: deployments/scale (Deployment), replicasets/scale (ReplicaSet), statefulsets/scale (StatefulSet)\n",
        "allows the subresources scale, status of all resources in all groups; list the groups and subresources that the \
         operator uses",
    ] {
        assert!(outcome.stderr.contains(decision), "{decision}: {outcome}");
    }
    assert!(!outcome.stderr.contains("--expand-wildcards"), "{outcome}");
    let outcome = sandbox.run(["bundle", "validate", "op"]);
    assert!(
        outcome.stdout.contains("Group \"apps\" contains deployments/scale"),
        "{outcome}"
    );
    assert!(
        !outcome.stdout.contains("--expand-wildcards"),
        "nothing to expand: {outcome}"
    );
}

#[test]
fn input_without_kubernetes_objects_is_rejected() {
    let sandbox = Sandbox::new();
    write(&sandbox, "values/values.yaml", "replicas: 1\n");
    write(&sandbox, "error.txt", "Error: repo not found\n");
    for (from, name) in [("values", "values"), ("error.txt", "error.txt")] {
        let outcome = sandbox.run(["bundle", "init", "new", "--from", from]);
        assert_eq!(outcome.status, Some(1), "{outcome}");
        let refusal = format!("error: {name} contains no Kubernetes object\n  hint: check the output");
        assert!(outcome.stderr.starts_with(&refusal), "{outcome}");
    }
}

/// A Role with its RoleBinding for the account of [`DEPLOYMENT`].
const ROLE: &str = "\
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: op}
rules:
- {apiGroups: [''], resources: [secrets], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: op}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: op}
subjects:
- {kind: ServiceAccount, name: default}
";

#[test]
fn keeping_all_namespaces_is_a_decision_only_if_both_answers_are_possible() {
    let own = "        env:\n        - name: WATCH_NAMESPACE\n          valueFrom: {fieldRef: {fieldPath: metadata.namespace}}\n";
    let converted = "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\n\
                     spec: {conversion: {strategy: Webhook}}\n";
    let all = "type: AllNamespaces\n  supported: true";
    for (manifests, asks, everywhere) in [
        (format!("{DEPLOYMENT}{ROLE}"), true, true),
        (format!("{DEPLOYMENT}{own}{ROLE}"), false, false),
        (format!("{DEPLOYMENT}{ROLE}{converted}"), false, true),
    ] {
        let sandbox = Sandbox::new();
        write(&sandbox, "deploy.yaml", manifests);
        let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "deploy.yaml"]);
        succeeds(&outcome);
        assert_eq!(
            outcome.stderr.contains("whether to keep AllNamespaces"),
            asks,
            "{outcome}"
        );
        let olm = read(&sandbox, "bundle/metadata/olm.yaml");
        assert_eq!(olm.contains(all), everywhere, "{olm}");
        assert_eq!(
            olm.contains("type: OwnNamespace\n  supported: true"),
            !everywhere,
            "{olm}"
        );
    }
}

#[test]
fn an_add_on_kind_of_kubernetes_is_not_assumed_in_every_cluster() {
    let sandbox = Sandbox::new();
    let more = "---\napiVersion: autoscaling.k8s.io/v1\nkind: VerticalPodAutoscaler\nmetadata: {name: op}\n\
                ---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: op}\nvalue: 1\n";
    write(&sandbox, "deploy.yaml", format!("{DEPLOYMENT}{more}"));
    let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "deploy.yaml"]);
    let decision = "whether clusters must have the kinds of VerticalPodAutoscaler/op: ";
    assert!(outcome.stderr.contains(decision), "{outcome}");
}

#[test]
fn a_kind_that_olm_does_not_install_is_not_suggested_as_an_optional_manifest() {
    let sandbox = Sandbox::new();
    let more = "---\napiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: op}\n";
    write(&sandbox, "deploy.yaml", format!("{DEPLOYMENT}{more}"));
    let outcome = sandbox.run(["bundle", "init", "bundle", "--from", "deploy.yaml"]);
    assert!(
        !outcome.stderr.contains("whether clusters must have the kinds"),
        "{outcome}"
    );
    assert!(
        outcome.stderr.contains("to decide: how to handle PodMonitor/op"),
        "{outcome}"
    );
}

#[test]
fn custom_resources_become_examples_in_the_order_of_the_input() {
    let sandbox = Sandbox::new();
    let sample =
        |name: &str| format!("---\napiVersion: garden.example.com/v1\nkind: Greenhouse\nmetadata: {{name: {name}}}\n");
    for (path, content) in files(&testdata("greenhouse-operator/manifests")) {
        write(&sandbox, &format!("deploy/{path}"), content);
    }
    write(
        &sandbox,
        "deploy/samples.yaml",
        format!("{}{}", sample("simple"), sample("advanced")),
    );
    succeeds(&sandbox.run(["bundle", "init", "bundle", "--from", "deploy"]));
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    let (simple, advanced) = (olm.find("name: simple"), olm.find("name: advanced"));
    assert!(simple.is_some() && simple < advanced, "{olm}");
}
