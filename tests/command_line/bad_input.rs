//! Invalid input: every error is reported with file, line and column and a hint, and nothing is written.

use crate::bundle_files::{copy, edit, errors, files, findings, greenhouse, place, read, succeeds, write};
use crate::common::{Outcome, Sandbox};
use crate::shared;
use std::fs;

const OLM: &str = "bundle/metadata/olm.yaml";
const RBAC: &str = "bundle/manifests/rbac.yaml";
const DEPLOYMENT: &str = "bundle/manifests/deployment.yaml";

/// Runs the commands that read the bundle. Each rejects it with the reason and writes nothing, and all report the same
/// errors.
fn refused(sandbox: &Sandbox) -> Outcome {
    let before = files(&sandbox.path("bundle"));
    let synthesized = sandbox.run(["bundle", "synthesize", "bundle"]);
    let inspected = sandbox.run(["bundle", "inspect", "bundle"]);
    let built = sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]);
    let archived = sandbox.run(["bundle", "build", "bundle", "-t", "oci-archive:out.tar:v1"]);
    for outcome in [&synthesized, &inspected, &built, &archived] {
        assert_eq!(outcome.status, Some(1), "{outcome}");
        assert!(!outcome.stderr.contains("panicked"), "{outcome}");
    }
    for outcome in [&synthesized, &built, &archived] {
        assert_eq!(outcome.stdout, "", "{outcome}");
    }
    assert_eq!(errors(&inspected), errors(&built), "{inspected}\n{built}");
    assert!(!sandbox.path("out").exists() && !sandbox.path("out.tar").exists());
    assert_eq!(files(&sandbox.path("bundle")), before);
    assert_eq!(
        fs::read_dir(sandbox.path("")).unwrap().count(),
        1,
        "something lies about"
    );
    let told = findings(&built).len();
    assert_eq!(
        built.stderr.matches("= help: ").count(),
        told,
        "each finding says what to do: {built}"
    );
    built
}

/// Asserts that the only error is this one, at the place of `text` in `file`.
fn one(sandbox: &Sandbox, rule: &str, file: &str, text: &str) -> Outcome {
    let outcome = refused(sandbox);
    let expected = (rule.to_owned(), place(sandbox, file, text));
    assert_eq!(errors(&outcome), [expected], "{outcome}");
    outcome
}

/// The greenhouse operator with an additional manifest.
fn with_manifest(content: impl AsRef<[u8]>) -> Sandbox {
    let sandbox = greenhouse();
    write(&sandbox, "bundle/manifests/more.yaml", content);
    sandbox
}

const MORE: &str = "bundle/manifests/more.yaml";

fn says(outcome: &Outcome, text: &str) {
    assert!(outcome.stderr.contains(text), "{text:?} is not in\n{outcome}");
}

#[test]
fn no_deployment() {
    let sandbox = greenhouse();
    write(
        &sandbox,
        DEPLOYMENT,
        "{apiVersion: v1, kind: ServiceAccount, metadata: {name: greenhouse-operator}}\n",
    );
    let outcome = refused(&sandbox);
    let rules: Vec<_> = errors(&outcome).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(
        rules,
        ["k8s-deployment-missing"],
        "a Service without pods is no news: {outcome}"
    );
    says(
        &outcome,
        "the manifests contain no Deployment (apps/v1): bundle/manifests/crds.yaml contains CustomResourceDefinition; ",
    );
    says(&outcome, "bundle/manifests/deployment.yaml contains ServiceAccount");
    says(&outcome, "help: Add the operator's Deployment to manifests/");
}

#[test]
fn olm_yaml_is_missing() {
    let sandbox = greenhouse();
    fs::remove_file(sandbox.path(OLM)).unwrap();
    let outcome = refused(&sandbox);
    assert_eq!(
        errors(&outcome),
        [("k8s-olm-yaml-missing".to_owned(), String::new())],
        "{outcome}"
    );
    says(&outcome, "bundle has no readable metadata/olm.yaml");
    says(&outcome, "opmx bundle init");
}

#[test]
fn olm_yaml_is_empty() {
    for content in ["", "\n", "# to do\n", "---\n"] {
        let sandbox = greenhouse();
        write(&sandbox, OLM, content);
        let outcome = refused(&sandbox);
        assert_eq!(
            errors(&outcome),
            [("olm-required".to_owned(), format!("{OLM}:1:1"))],
            "{outcome}"
        );
        says(
            &outcome,
            "needs at least name, version, minKubeVersion and installModes",
        );
    }
}

#[test]
fn each_required_field_absent_in_turn() {
    for key in ["name", "version", "minKubeVersion", "installModes"] {
        for value in [None, Some(""), Some(" ~")] {
            let sandbox = greenhouse();
            let text = read(&sandbox, OLM);
            let start = text.find(&format!("{key}:")).unwrap();
            let rest = &text[start + 1..];
            let next = rest
                .match_indices('\n')
                .find(|(at, _)| !rest[at + 1..].starts_with([' ', '-']));
            let end = start + 1 + next.unwrap().0 + 1;
            let replacement = value.map_or(String::new(), |value| format!("{key}:{value}\n"));
            write(
                &sandbox,
                OLM,
                format!("{}{replacement}{}", &text[..start], &text[end..]),
            );
            let outcome = refused(&sandbox);
            let found = errors(&outcome);
            assert_eq!(found.len(), 1, "{key}: {outcome}");
            assert_eq!(found[0].0, "olm-required", "{key}: {outcome}");
            let line = if value.is_some() {
                text[..start].matches('\n').count() + 1
            } else {
                1
            };
            assert!(found[0].1.starts_with(&format!("{OLM}:{line}:")), "{key}: {outcome}");
            says(&outcome, &format!("metadata/olm.yaml requires a value for {key}\n"));
        }
    }
}

#[test]
fn the_misindented_example_from_the_proposal() {
    let Some(seeds) = shared::folder("seeds") else {
        return;
    };
    let proposal = fs::read_to_string(seeds.join("plain-k8s-bundles.md")).unwrap();
    let (_, example) = proposal.split_once("\n```yaml\n").unwrap();
    let (example, _) = example.split_once("```\n").unwrap();
    let sandbox = greenhouse();
    write(&sandbox, OLM, example);
    edit(
        &sandbox,
        RBAC,
        "- apiGroups: [cert-manager.io]\n  resources: [certificates]\n  verbs: [get, list, watch, create]\n",
        "",
    );
    let outcome = refused(&sandbox);
    let at = |text: &str| place(&sandbox, OLM, text);
    let error = |rule: &str, place: String| (rule.to_owned(), place);
    assert_eq!(
        errors(&outcome),
        [
            error("olm-misindented", at("email: openshift")),
            error("olm-misindented", at("name: Red Hat\nlinks")),
            error("yaml-duplicate-key", at("name: Red Hat\nlinks")),
            error("olm-misindented", at("url: https")),
            error("olm-icon", at("my-icon-png")),
        ],
        "{outcome}"
    );
    says(
        &outcome,
        "Indent the key:\n           maintainers:\n           - name: …\n             email: …\n",
    );
    says(
        &outcome,
        "Indent the key:\n           provider:\n             name: …\n",
    );
}

/// The greenhouse operator with these rules and this binding instead of its own.
fn with_rbac(rbac: &str) -> Sandbox {
    let sandbox = greenhouse();
    write(&sandbox, RBAC, rbac);
    edit(
        &sandbox,
        OLM,
        "apis:\n- group: cert-manager.io\n  resource: certificates\n  kind: Certificate\n  version: v1\n",
        "",
    );
    sandbox
}

const ROLE: &str = "\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: everything
rules:
- apiGroups: [apps]
  resources: [deployments]
  verbs: [get]
- apiGroups: ['*']
  resources: ['*']
  verbs: ['*']
";

const BINDING: &str = "\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: operator
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: everything
subjects:
- kind: ServiceAccount
  name: greenhouse-operator
  namespace: greenhouse-system
";

#[test]
fn wildcard_rbac() {
    let sandbox = with_rbac(&format!("{ROLE}---\n{BINDING}"));
    let outcome = one(&sandbox, "rbac-wildcard", RBAC, "'*'");
    says(
        &outcome,
        "rules[1] of ClusterRole/everything grants the operator's account greenhouse-operator access to \"*\"",
    );
    says(&outcome, "bound here by ClusterRoleBinding/operator");
    says(&outcome, "help: List the groups and resources that the operator uses");
}

#[test]
fn wildcard_rbac_of_other_accounts_is_allowed() {
    let sandbox = with_rbac(&format!("{ROLE}---\n{BINDING}").replace("name: greenhouse-operator", "name: other"));
    let outcome = sandbox.run(["bundle", "synthesize", "bundle"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    let rules: Vec<_> = errors(&outcome).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["rbac-account-unbound"], "{outcome}");
}

#[test]
fn wildcard_rbac_through_an_aggregated_role() {
    let role = ROLE.replace("  name: everything\n", "  name: part\n  labels: {part: everything}\n");
    let whole = "\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: everything
aggregationRule:
  clusterRoleSelectors:
  - matchLabels: {part: everything}
rules: []
";
    let sandbox = with_rbac(&format!("{whole}---\n{role}---\n{BINDING}"));
    let outcome = one(&sandbox, "rbac-wildcard", RBAC, "'*'");
    says(&outcome, "ClusterRole/part");
}

#[test]
fn wildcard_rbac_in_a_list() {
    let item = |text: &str| {
        let lines: Vec<String> = text.lines().map(|line| format!("  {line}\n")).collect();
        format!("-{}", &lines.concat()[1..])
    };
    let list = format!("apiVersion: v1\nkind: List\nitems:\n{}{}", item(ROLE), item(BINDING));
    let sandbox = with_rbac(&list);
    let outcome = one(&sandbox, "rbac-wildcard", RBAC, "'*'");
    says(&outcome, "ClusterRole/everything");
}

#[test]
fn wildcard_rbac_through_a_group() {
    for name in [
        "system:serviceaccounts",
        "system:serviceaccounts:greenhouse-system",
        "system:authenticated",
    ] {
        let subject = format!("- kind: Group\n  apiGroup: rbac.authorization.k8s.io\n  name: {name}\n");
        let (binding, _) = BINDING.split_once("- kind: ServiceAccount").unwrap();
        let sandbox = with_rbac(&format!("{ROLE}---\n{binding}{subject}"));
        let outcome = one(&sandbox, "rbac-group-subject", RBAC, name);
        says(&outcome, "which contains the operator's service account");
    }
}

#[test]
fn truncated_yaml() {
    let sandbox = greenhouse();
    let text = read(&sandbox, RBAC);
    let cut = text.find("watch, create").unwrap();
    write(&sandbox, RBAC, &text[..cut]);
    let outcome = refused(&sandbox);
    let found = errors(&outcome);
    assert_eq!(found[0].0, "yaml-syntax", "{outcome}");
    assert!(found[0].1.starts_with(&format!("{RBAC}:")), "{outcome}");
    assert_eq!(found.len(), 1, "{outcome}");
    // Cut where it is YAML still: the object that lost its end is named.
    let cut = text.find("kind: ClusterRoleBinding").unwrap();
    write(&sandbox, RBAC, &text[..cut]);
    let outcome = refused(&sandbox);
    assert_eq!(errors(&outcome)[0].0, "object-field-missing", "{outcome}");
}

#[test]
fn a_tab() {
    let sandbox = with_manifest("apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\n");
    let outcome = one(&sandbox, "yaml-syntax", MORE, "\tname");
    says(&outcome, "Indent with spaces, because YAML does not allow a tab here.");
}

#[test]
fn invalid_utf_8() {
    let sandbox = with_manifest(b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: caf\xe9\n");
    let outcome = refused(&sandbox);
    assert_eq!(
        errors(&outcome),
        [("text-encoding".to_owned(), format!("{MORE}:4:12"))],
        "{outcome}"
    );
    says(&outcome, "Save the file as UTF-8.");
    let wide: Vec<u8> = "\u{feff}kind: a\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let sandbox = with_manifest(wide);
    let outcome = refused(&sandbox);
    says(&outcome, "the file is UTF-16, not UTF-8");
}

#[test]
fn an_alias_bomb() {
    let levels = (1..40).map(|level| {
        let alias = format!("*a{}", level - 1);
        format!("  a{level}: &a{level} [{}]\n", [alias.as_str(); 9].join(", "))
    });
    let levels: Vec<String> = levels.collect();
    let start = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\ndata:\n  a0: &a0 [lol, lol]\n";
    let bomb = format!("{start}{}", levels.concat());
    let sandbox = with_manifest(bomb);
    let outcome = refused(&sandbox);
    let found = errors(&outcome);
    assert_eq!(
        (found.len(), found[0].0.as_str()),
        (1, "yaml-excessive-aliasing"),
        "{outcome}"
    );
    assert!(found[0].1.starts_with(&format!("{MORE}:")), "{outcome}");
}

#[test]
fn a_file_of_50_mebibytes() {
    let sandbox = greenhouse();
    let file = fs::File::create(sandbox.path(MORE)).unwrap();
    file.set_len(50 << 20).unwrap();
    for arguments in ["synthesize bundle", "inspect bundle", "build bundle -t oci:out:v1"] {
        let outcome = sandbox.run(["bundle"].into_iter().chain(arguments.split(' ')));
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
        says(
            &outcome,
            "bundle: the size of manifests/more.yaml exceeds the limit of 16777216 bytes",
        );
        says(
            &outcome,
            "hint: raise the limit with --max-file-size if you trust the input",
        );
        assert_eq!(outcome.stderr.lines().count(), 2, "{outcome}");
    }
    assert!(!sandbox.path("out").exists());
}

#[cfg(unix)]
#[test]
fn a_symlink_out_of_the_bundle() {
    for target in ["/etc/passwd", "../../../outside.yaml", "rbac.yaml"] {
        let sandbox = greenhouse();
        std::os::unix::fs::symlink(target, sandbox.path(MORE)).unwrap();
        let outcome = sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
        let said = "error: bundle: manifests/more.yaml is a symbolic link; only files and folders are supported\n";
        assert_eq!(outcome.stderr, said);
        assert!(!sandbox.path("out").exists());
    }
}

#[test]
fn unsupported_kinds() {
    for (api_version, kind) in [
        ("apps/v1", "StatefulSet"),
        ("apps/v1", "DaemonSet"),
        ("batch/v1", "Job"),
        ("networking.k8s.io/v1", "Ingress"),
        ("serving.knative.dev/v1", "Route"),
    ] {
        let sandbox = with_manifest(format!(
            "apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a}}\n"
        ));
        let outcome = one(&sandbox, "k8s-kind-unsupported", MORE, kind);
        says(
            &outcome,
            &format!("OLM does not install {kind} ({api_version}) from bundles"),
        );
    }
}

#[test]
fn a_custom_resource_of_its_own_crd() {
    let sandbox = with_manifest("apiVersion: garden.example.com/v1\nkind: Greenhouse\nmetadata: {name: tomatoes}\n");
    let outcome = one(&sandbox, "k8s-custom-resource", MORE, "tomatoes");
    says(&outcome, "alm-examples");
}

#[test]
fn a_metadata_file_among_the_manifests() {
    let sandbox = greenhouse();
    let file = "bundle/manifests/dependencies.yaml";
    let content = "dependencies:\n- {type: olm.package, value: {packageName: a, version: 1.0.0}}\n";
    write(&sandbox, file, content);
    let outcome = one(&sandbox, "object-field-missing", file, "dependencies:");
    says(&outcome, "Move the file to metadata/dependencies.yaml.");
}

#[test]
fn a_misspelled_annotation() {
    let sandbox = greenhouse();
    let file = "bundle/metadata/annotations.yaml";
    edit(&sandbox, file, "bundle.channels.v1", "bundle.chanels.v1");
    let key = "operators.operatorframework.io.bundle.chanels.v1";
    let outcome = sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]);
    let expected = ("ann-key-missing".to_owned(), place(&sandbox, file, key));
    assert_eq!(errors(&outcome), [expected], "{outcome}");
    assert!(
        outcome
            .stderr
            .contains(&format!("Correct the name of the annotation {key}.")),
        "{outcome}"
    );
}

#[test]
fn an_unreadable_olm_yaml_causes_no_further_findings() {
    let sandbox = greenhouse();
    edit(&sandbox, OLM, "version: 1.2.0", "version: [1.2.0");
    let outcome = sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]);
    let rules: Vec<String> = findings(&outcome).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["error[yaml-syntax]"], "{outcome}");
}

#[test]
fn an_object_without_api_version_kind_or_name() {
    for (manifest, said) in [
        (
            "kind: ConfigMap\nmetadata: {name: a}\n",
            "this object has no apiVersion",
        ),
        ("apiVersion: v1\nmetadata: {name: a}\n", "this object has no kind"),
        ("apiVersion: v1\nkind: ConfigMap\n", "this object has no metadata.name"),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n",
            "this object has no metadata.name",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ''}\n",
            "metadata.name is empty",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 12}\n",
            "metadata.name is a number, not a string",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: on}\n",
            "metadata.name is true or false, not a string",
        ),
    ] {
        let sandbox = with_manifest(manifest);
        let outcome = refused(&sandbox);
        let found = errors(&outcome);
        assert_eq!(
            (found.len(), found[0].0.as_str()),
            (1, "object-field-missing"),
            "{outcome}"
        );
        assert!(found[0].1.starts_with(&format!("{MORE}:")), "{outcome}");
        says(&outcome, said);
    }
}

#[test]
fn text_that_is_not_an_object() {
    let sandbox = with_manifest("just some notes\n");
    let outcome = one(&sandbox, "object-not-a-map", MORE, "just");
    says(&outcome, "this document is not a Kubernetes object");
}

#[test]
fn duplicate_objects() {
    let sandbox = with_manifest(
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: greenhouse-metrics\n  namespace: greenhouse-system\n\
         spec: {ports: [{port: 1}]}\n",
    );
    let outcome = refused(&sandbox);
    let found = errors(&outcome);
    assert_eq!(found.len(), 1, "{outcome}");
    assert_eq!(found[0].0, "object-duplicate", "{outcome}");
    says(
        &outcome,
        "Service/greenhouse-metrics appears here a second time, with different content",
    );
    // Both places are shown.
    says(&outcome, &place(&sandbox, MORE, "greenhouse-metrics"));
    says(
        &outcome,
        &place(&sandbox, "bundle/manifests/webhook.yaml", "greenhouse-metrics"),
    );
}

#[test]
fn a_webhook_whose_service_is_missing() {
    let sandbox = greenhouse();
    let webhook = "bundle/manifests/webhook.yaml";
    edit(&sandbox, webhook, "  name: greenhouse-webhook\n", "  name: another\n");
    let outcome = one(&sandbox, "webhook-service-missing", webhook, "greenhouse-webhook");
    says(
        &outcome,
        "refers to Service greenhouse-webhook, which is not in the bundle",
    );
}

#[test]
fn an_invalid_icon() {
    for (icon, rule, help) in [
        ("aGVsbG8=", "olm-icon", "base64 -w0 icon.svg"),
        ("PHN2", "olm-icon", "base64 -w0 icon.svg"),
        ("icon.svg", "olm-icon-file", "set icon: metadata/icon.svg"),
        ("metadata/icon.svg", "olm-icon-file", "Correct the path"),
        ("../metadata/icon.svg", "olm-icon-file", "set icon: metadata/icon.svg"),
        ("metadata/../metadata/icon.svg", "olm-icon-file", "Correct the path"),
    ] {
        let sandbox = greenhouse();
        let text = read(&sandbox, OLM);
        let line = text.lines().find(|line| line.starts_with("icon: ")).unwrap().to_owned();
        edit(&sandbox, OLM, &line, &format!("icon: {icon}"));
        let outcome = one(&sandbox, rule, OLM, icon);
        says(&outcome, help);
    }
}

#[test]
fn invalid_versions() {
    for (written, rule, help) in [
        ("1.0", "olm-type", "Use all three numbers: 1.0.0."),
        ("1", "olm-type", "Use all three numbers: 1.0.0."),
        ("v1.0.0", "olm-version", "use 1.0.0 without a prefix"),
        ("\"1.0\"", "olm-version", "Use a semantic version such as 1.2.3."),
        ("latest", "olm-version", "Use a semantic version such as 1.2.3."),
    ] {
        for key in ["version", "minKubeVersion"] {
            let sandbox = greenhouse();
            let old = if key == "version" { "1.2.0" } else { "1.25.0" };
            edit(
                &sandbox,
                OLM,
                &format!("\n{key}: {old}"),
                &format!("\n{key}: {written}"),
            );
            let outcome = one(&sandbox, rule, OLM, written_at(key, written).as_str());
            says(&outcome, help);
        }
    }
}

/// Returns the text of the value of the key.
fn written_at(key: &str, written: &str) -> String {
    let next = if key == "version" {
        "minKubeVersion"
    } else {
        "displayName"
    };
    format!("{written}\n{next}")
}

#[test]
fn an_unquoted_range() {
    for (entry, shown) in [
        (
            "  value:\n    packageName: a\n    version: >0.27.0\n",
            "`version: \">0.27.0\"`",
        ),
        ("  value: {packageName: a, version: >0.27.0}\n", "\">0.27.0\""),
    ] {
        let sandbox = greenhouse();
        let file = "bundle/metadata/dependencies.yaml";
        write(&sandbox, file, format!("dependencies:\n- type: olm.package\n{entry}"));
        let outcome = one(&sandbox, "dep-range-quoting", file, ">0.27.0");
        says(&outcome, "Quote the value");
        says(&outcome, shown);
        assert!(!outcome.stderr.contains("0.27.0}\""), "{outcome}");
    }
}

#[test]
fn a_duplicate_key() {
    let sandbox = greenhouse();
    edit(
        &sandbox,
        DEPLOYMENT,
        "      serviceAccountName:",
        "      serviceAccountName: other\n      serviceAccountName:",
    );
    let outcome = refused(&sandbox);
    let found = errors(&outcome);
    assert_eq!(found[0].0, "yaml-duplicate-key", "{outcome}");
    says(&outcome, &place(&sandbox, DEPLOYMENT, "serviceAccountName: other"));
}

#[test]
fn both_kinds_of_bundle_at_once() {
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: op.v1.0.0}\n";
    let sandbox = with_manifest(csv);
    let outcome = one(&sandbox, "k8s-media-type-ambiguous", MORE, "op.v1.0.0");
    says(&outcome, "Remove metadata/olm.yaml to build a registry+v1 bundle");
}

#[test]
fn a_folder_that_is_not_a_bundle() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("bundle")).unwrap();
    let outcome = refused(&sandbox);
    let rules: Vec<_> = errors(&outcome).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["format-manifests-dir", "format-metadata-dir"], "{outcome}");
    says(&outcome, "opmx bundle init");
}

#[test]
fn all_findings_are_shown_in_source_order() {
    let sandbox = greenhouse();
    edit(&sandbox, OLM, "minKubeVersion: 1.25.0\n", "minKubeVersion: v1.25\n");
    edit(&sandbox, OLM, "maturity: stable", "maturity: 3");
    edit(&sandbox, RBAC, "resources: [configmaps, services]", "resources: ['*']");
    write(
        &sandbox,
        MORE,
        "{apiVersion: batch/v1, kind: Job, metadata: {name: a}}\n",
    );
    let outcome = refused(&sandbox);
    let error = |rule: &str, file: &str, text: &str| (rule.to_owned(), place(&sandbox, file, text));
    assert_eq!(
        errors(&outcome),
        [
            error("k8s-kind-unsupported", MORE, "Job"),
            error("rbac-wildcard", RBAC, "'*'"),
            error("olm-version", OLM, "v1.25"),
            error("olm-type", OLM, "3\n"),
        ],
        "{outcome}"
    );
    says(&outcome, "4 errors, 2 infos\n");
}

#[test]
fn a_name_that_is_not_a_folder_is_not_looked_up_in_a_registry() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "greenhouse-operator", "greenhouse");
    for line in [
        "bundle validate grenhouse",
        "bundle inspect grenhouse",
        "index add -b grenhouse -t oci:out:v1",
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(4), "{line}: {outcome}");
        assert!(
            outcome
                .stderr
                .contains("cannot read grenhouse: No such file or directory"),
            "{line}: {outcome}"
        );
        assert!(
            outcome.stderr.contains("hint: did you mean greenhouse?\n"),
            "{line}: {outcome}"
        );
        let hint = "hint: if grenhouse is an image, specify its host or tag\n";
        assert!(outcome.stderr.contains(hint), "{line}: {outcome}");
    }
}

#[test]
fn a_missing_credential_file_is_reported_before_a_registry_asks_for_a_login() {
    let sandbox = Sandbox::new();
    for line in [
        "bundle validate localhost:1/rake:v1 --authfile absent.json",
        "registry add -b localhost:1/rake:v1 -d index.db --use-http --authfile absent.json",
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(4), "{outcome}");
        assert!(outcome.stderr.contains("cannot read absent.json"), "{outcome}");
    }
    let mut command = sandbox.command("bundle validate localhost:1/rake:v1 --retries 0".split(' '));
    let outcome = sandbox.finish(command.env("REGISTRY_AUTH_FILE", "absent.json"));
    assert!(!outcome.stderr.contains("absent.json"), "{outcome}");
}

#[test]
fn the_content_of_an_unreadable_manifest_is_not_reported_as_missing() {
    let sandbox = greenhouse();
    edit(&sandbox, DEPLOYMENT, "  replicas: 1\n", "\treplicas: 1\n");
    let outcome = refused(&sandbox);
    let rules: Vec<String> = errors(&outcome).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["yaml-syntax"], "{outcome}");
    let validated = sandbox.run(["bundle", "validate", "bundle"]);
    assert!(!validated.stdout.contains("k8s-deployment-missing"), "{validated}");
}

#[test]
fn an_empty_annotations_file_is_not_reported_as_missing() {
    let sandbox = greenhouse();
    write(&sandbox, "bundle/metadata/annotations.yaml", "# later\n");
    let outcome = sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    says(&outcome, "error[ann-file-missing]: metadata/annotations.yaml is empty");
    says(&outcome, "bundle/metadata/annotations.yaml:1:1");
}

#[test]
fn an_image_file_among_the_manifests_is_rejected() {
    let sandbox = greenhouse();
    write(&sandbox, "bundle/manifests/logo.png", b"\x89PNG\r\n\x1a\n\0\0\0");
    let outcome = refused(&sandbox);
    let rules: Vec<String> = errors(&outcome).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["k8s-binary-file"], "{outcome}");
    says(&outcome, "bundle/manifests/logo.png");
}

#[test]
fn a_misspelled_service_account_field_is_reported_with_the_bound_account() {
    let sandbox = greenhouse();
    edit(&sandbox, DEPLOYMENT, "serviceAccountName:", "serviceAcountName:");
    let outcome = sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    let rules: Vec<String> = errors(&outcome).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["rbac-account-unbound"], "{outcome}");
    says(&outcome, "Did you mean serviceAccountName?");
    says(
        &outcome,
        "Set serviceAccountName: greenhouse-operator in the pod template",
    );
    assert!(
        findings(&outcome).contains(&(
            "warning[object-field-unknown]".to_owned(),
            place(&sandbox, DEPLOYMENT, "serviceAcountName")
        )),
        "{outcome}"
    );
}

#[test]
fn a_webhook_that_names_a_service_in_another_namespace() {
    let sandbox = greenhouse();
    let webhook = "bundle/manifests/webhook.yaml";
    edit(
        &sandbox,
        webhook,
        "      namespace: greenhouse-system\n      path",
        "      namespace: elsewhere\n      path",
    );
    let outcome = one(&sandbox, "webhook-service-missing", webhook, "elsewhere");
    says(
        &outcome,
        "refers to Service greenhouse-webhook in namespace elsewhere, but the bundle contains it in namespace \
         greenhouse-system",
    );
}

#[test]
fn a_quoted_boolean_in_an_install_mode_is_the_only_error() {
    let sandbox = greenhouse();
    let text = read(&sandbox, OLM).replace("supported: true", "supported: false");
    let text = text.replacen("supported: false", "supported: \"true\"", 1);
    write(&sandbox, OLM, text);
    let outcome = one(&sandbox, "olm-type", OLM, "\"true\"");
    says(&outcome, "help: Remove the quotes: true.");
}

#[test]
fn a_string_instead_of_a_map_is_rejected_with_the_expected_keys() {
    let sandbox = greenhouse();
    let list = "- name: thermostat\n  image: registry.example.com/garden/thermostat:2.0.1\n";
    edit(&sandbox, OLM, list, "- registry.example.com/garden/thermostat:2.0.1\n");
    let outcome = one(
        &sandbox,
        "olm-type",
        OLM,
        "registry.example.com/garden/thermostat:2.0.1",
    );
    says(&outcome, "help: Use a map with the keys ");
}

#[test]
fn a_misspelled_constraint_key_is_the_only_error() {
    let dependencies = "bundle/metadata/dependencies.yaml";
    for (constraint, key, help) in [
        ("alll: {constraints: []}", "alll", "help: Did you mean all?"),
        (
            "package: {packageName: hose, version: \">=1.0.0\"}",
            "version",
            "help: Allowed fields: packageName, versionRange.",
        ),
        (
            "something: {}",
            "something",
            "help: Use failureMessage and one of all, any, cel, gvk, not and package.",
        ),
    ] {
        let sandbox = greenhouse();
        let text = format!("dependencies:\n- type: olm.constraint\n  value:\n    {constraint}\n");
        write(&sandbox, dependencies, text);
        let outcome = one(&sandbox, "dep-constraint-key", dependencies, key);
        says(&outcome, help);
    }
}

#[test]
fn a_kind_in_the_wrong_case_is_reported_with_the_right_spelling() {
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceversion\nmetadata: {name: a.v1.0.0}\n";
    let sandbox = with_manifest(csv);
    let outcome = one(&sandbox, "k8s-kind-unsupported", MORE, "ClusterServiceversion");
    says(&outcome, "help: Did you mean ClusterServiceVersion?");
}

#[test]
fn the_largest_limits_accept_everything() {
    let sandbox = greenhouse();
    let most = u64::MAX.to_string();
    let limits = ["--max-file-size", &most, "--max-total-size", &most];
    let validate = sandbox.run([&["bundle", "validate", "bundle"][..], &limits].concat());
    assert_eq!(validate.status, Some(0), "{validate}");
    succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]));
    let validate = sandbox.run([&["bundle", "validate", "oci:out:v1"][..], &limits].concat());
    assert_eq!(validate.status, Some(0), "{validate}");
}

#[test]
fn a_list_inside_a_list() {
    let sandbox = greenhouse();
    write(
        &sandbox,
        "bundle/manifests/list.yaml",
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: List, items: []}\n",
    );
    let outcome = sandbox.run(["bundle", "validate", "bundle"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stdout.contains("a List inside a List is not read"), "{outcome}");
    assert!(!outcome.stdout.contains("has no metadata.name"), "{outcome}");
}
