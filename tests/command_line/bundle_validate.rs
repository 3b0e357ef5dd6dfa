//! `opmx bundle validate` and `opmx bundle rules`.

use crate::bundle_files::{copy, edit, greenhouse, read, succeeds, write};
use crate::common::{Outcome, Sandbox};
use serde_json::Value;

fn validate(sandbox: &Sandbox, line: &str) -> Outcome {
    let words = ["bundle", "validate"].into_iter().chain(line.split_whitespace());
    sandbox.run(words)
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"))
}

fn rules(report: &Value) -> Vec<&str> {
    let findings = report["bundles"][0]["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| finding["rule"].as_str().unwrap())
        .collect()
}

/// A folder with the registry+v1 bundle `compost` and the k8s+v1 bundle `bundle`.
fn both() -> Sandbox {
    let sandbox = greenhouse();
    copy(&sandbox, "compost-operator", "compost");
    sandbox
}

#[test]
fn findings_show_their_line_and_are_followed_by_one_summary() {
    let sandbox = both();
    edit(&sandbox, "compost/metadata/annotations.yaml", "registry+v1", "plain");
    let outcome = validate(&sandbox, "compost");
    insta::assert_snapshot!(outcome.stdout, @"
    error[ann-mediatype-mismatch]: the media type is plain, but the content is registry+v1
     --> compost/metadata/annotations.yaml:4:55
      |
    4 | ...eratorframework.io.bundle.mediatype.v1: plain
      |                                            ^^^^^
      = help: Set the media type of the content: registry+v1 with a ClusterServiceVersion, k8s+v1 with metadata/olm.yaml.

    compost (registry+v1): 1 error
    ");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(1), ""));
    let outcome = validate(&sandbox, "bundle compost");
    assert_eq!(outcome.status, Some(1));
    assert!(
        outcome
            .stdout
            .ends_with("\n\n2 bundles, 1 with errors: 1 error, 2 warnings\n"),
        "{outcome}"
    );
}

#[test]
fn json_matches_its_published_schema_in_argument_order() {
    let sandbox = both();
    let schema: Value = serde_json::from_str(succeeds(&sandbox.run(["bundle", "schema", "findings"]))).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for line in ["compost bundle compost -o json", "bundle -o json --suite all --as api"] {
        let report = json(&validate(&sandbox, line));
        assert!(schema.is_valid(&report), "{report}");
    }
    let report = json(&validate(&sandbox, "compost bundle compost -o json"));
    let of = |key: &str| {
        report["bundles"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bundle| bundle[key].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("bundle"), ["compost", "bundle", "compost"]);
    assert_eq!(of("mediaType"), ["registry+v1", "k8s+v1", "registry+v1"]);
}

#[test]
fn an_image_has_the_same_findings_as_its_folder() {
    let sandbox = both();
    succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]));
    let of_folder = validate(&sandbox, "bundle --suite all -o json").stdout;
    let of_image = validate(&sandbox, "oci:out:v1 --suite all -o json").stdout;
    assert_eq!(of_image.replace("oci:out:v1", "bundle"), of_folder);
}

#[test]
fn a_list_of_channels_that_contains_only_spaces_is_an_error_for_its_author() {
    let sandbox = both();
    edit(
        &sandbox,
        "compost/metadata/annotations.yaml",
        "channels.v1: alpha",
        "channels.v1: \" \"",
    );
    let outcome = validate(&sandbox, "compost");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    for line in [
        "error[ann-channel-blank]: no channel is specified, because the list is \" \"\n",
        "help: List at least one channel.\n",
    ] {
        assert!(outcome.stdout.contains(line), "{outcome}");
    }
    let outcome = sandbox.run(["registry", "add", "-b", "compost", "-d", "index.db"]);
    assert!(outcome.stderr.contains("warning[ann-channel-blank]"), "{outcome}");
}

#[test]
fn rules_can_be_allowed_selected_and_denied() {
    let sandbox = both();
    edit(
        &sandbox,
        "compost/metadata/annotations.yaml",
        "channels.v1: alpha",
        "channels.v1: alpha,",
    );
    let report = json(&validate(&sandbox, "compost -o json"));
    assert_eq!(rules(&report), ["ann-channel-blank"]);
    let outcome = validate(&sandbox, "compost -o json --deny warnings");
    assert_eq!(
        (outcome.status, json(&outcome)["bundles"][0]["errors"].as_u64()),
        (Some(1), Some(1))
    );
    let outcome = validate(&sandbox, "compost -o json --deny warnings --allow ann-channel-blank");
    assert_eq!((outcome.status, rules(&json(&outcome)).len()), (Some(0), 0));
    let outcome = validate(&sandbox, "compost -o json --suite all --only hub-icon-missing");
    assert_eq!(rules(&json(&outcome)), ["hub-icon-missing"]);
    let quiet = validate(&sandbox, "compost --quiet");
    assert_eq!(quiet.stdout, "compost (registry+v1): no errors, 1 warning\n");
}

#[test]
fn unknown_rules_and_suites_suggest_the_nearest_name() {
    let sandbox = both();
    for (line, nearest) in [
        ("compost --allow ann-chanel-blank", "ann-channel-blank"),
        ("compost --only hub-icon-misssing", "hub-icon-missing"),
        ("compost --suite operatorhup", "operatorhub"),
        ("compost --k8s-version new", "1.25"),
        ("compost --as olm", "opm"),
    ] {
        let outcome = validate(&sandbox, line);
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(2), ""),
            "{line}: {outcome}"
        );
        assert!(outcome.stderr.contains(nearest), "{line}: {outcome}");
    }
    let outcome = validate(&sandbox, "compost --suite unrelated");
    assert!(
        outcome
            .stderr
            .contains(" multiarch, konflux, conforma, olm-v1, capabilities, "),
        "{outcome}"
    );
}

#[test]
fn an_unreadable_bundle_does_not_prevent_validation_of_the_others() {
    let sandbox = both();
    write(&sandbox, "file", "");
    let outcome = validate(&sandbox, "./nowhere file bundle");
    assert_eq!(outcome.status, Some(1));
    assert!(
        outcome
            .stdout
            .ends_with("\n\n3 bundles, 2 with errors: 2 errors, 2 warnings\n"),
        "{outcome}"
    );
    assert!(!outcome.stdout.contains("bundle-unreadable"), "{outcome}");
    assert!(outcome.stderr.contains("./nowhere could not be checked"), "{outcome}");
    assert!(outcome.stderr.contains("file is a file, not a bundle"), "{outcome}");
    std::os::unix::fs::symlink("/etc/passwd", sandbox.path("compost/manifests/link.yaml")).unwrap();
    let report = json(&validate(&sandbox, "compost -o json"));
    assert_eq!(rules(&report), ["tree-entry-type"]);
}

#[test]
fn every_report_format_includes_unreadable_bundles() {
    let sandbox = both();
    write(&sandbox, "file", "");
    std::fs::create_dir(sandbox.path("layout")).unwrap();
    write(&sandbox, "layout/oci-layout", "{}");
    let schema: Value = serde_json::from_str(succeeds(&sandbox.run(["bundle", "schema", "findings"]))).unwrap();
    let line = "./nowhere file compost layout No:Name";
    let outcome = validate(&sandbox, &format!("{line} -o json --only hub-icon-missing"));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let report = json(&outcome);
    assert!(jsonschema::is_valid(&schema, &report), "{report}");
    let bundles = report["bundles"].as_array().unwrap();
    let names: Vec<&str> = bundles
        .iter()
        .map(|bundle| bundle["bundle"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["./nowhere", "file", "compost", "layout", "No:Name"]);
    for (bundle, message, help) in [
        (&bundles[0], "No such file", "Check the name"),
        (&bundles[1], "file is a file, not a bundle", "Check the name"),
        (&bundles[3], "OCI image layout", "oci:layout:TAG"),
        (&bundles[4], "No:Name is neither", "Check the name"),
    ] {
        assert_eq!(
            (bundle["mediaType"].as_str(), bundle["errors"].as_u64()),
            (None, Some(1))
        );
        let finding = &bundle["findings"][0];
        assert_eq!(
            (finding["rule"].as_str(), finding["validator"].as_str()),
            (Some("bundle-unreadable"), Some("load"))
        );
        assert!(finding["message"].as_str().unwrap().contains(message), "{finding}");
        assert!(finding["help"].as_str().unwrap().contains(help), "{finding}");
    }
    assert_eq!(bundles[2]["findings"].as_array().unwrap().len(), 0);
    for form in ["sarif", "github", "junit"] {
        let outcome = validate(&sandbox, &format!("{line} -o {form}"));
        assert_eq!(outcome.status, Some(1));
        let findings = outcome.stdout.matches("No such file").count();
        assert!(
            findings > 0 && outcome.stdout.contains("layout, not a bundle folder"),
            "{form}: {outcome}"
        );
    }
}

#[test]
fn sarif_is_accepted_by_an_independent_reader() {
    let sandbox = both();
    edit(
        &sandbox,
        "compost/metadata/annotations.yaml",
        "alpha",
        "\"alpha, beta\"",
    );
    edit(
        &sandbox,
        "bundle/metadata/olm.yaml",
        "version: 1.2.0",
        "version: v1.2.0",
    );
    let outcome = validate(&sandbox, "compost bundle ./absent --suite all -o sarif");
    let written: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let read: serde_sarif::sarif::Sarif = serde_json::from_value(written.clone()).unwrap();
    let known: Value = serde_json::to_value(&read).unwrap();
    assert_eq!(known, written, "a key is not of SARIF 2.1.0");
    let run = &read.runs[0];
    let rules = run.tool.driver.rules.as_ref().unwrap();
    let results = run.results.as_ref().unwrap();
    assert!(
        results.len() > 3 && results.iter().any(|result| result.fixes.is_some()),
        "{outcome}"
    );
    for result in results {
        let index = usize::try_from(result.rule_index.unwrap()).unwrap();
        assert_eq!(Some(&rules[index].id), result.rule_id.as_ref());
    }
}

#[test]
fn junit_is_accepted_by_an_independent_reader() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    const SCRIPT: &str = "\
import sys, json, xml.etree.ElementTree as tree
root = tree.parse(sys.stdin.buffer).getroot()
suites = [[suite.get('name'), int(suite.get('tests')), int(suite.get('failures')), len(suite.findall('testcase')),
           [failure.get('type') for failure in suite.iter('failure')]] for suite in root.iter('testsuite')]
print(json.dumps([root.tag, int(root.get('tests')), int(root.get('failures')), suites]))";
    let sandbox = both();
    edit(
        &sandbox,
        "compost/metadata/annotations.yaml",
        "registry+v1",
        "\"a<b>&'\"",
    );
    let outcome = validate(&sandbox, "compost bundle ./no<where -o junit");
    let python = Command::new("python3")
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut python) = python else {
        crate::shared::not_run("python3 is not installed");
        return;
    };
    python
        .stdin
        .take()
        .unwrap()
        .write_all(outcome.stdout.as_bytes())
        .unwrap();
    let read = python.wait_with_output().unwrap();
    let read: Value = serde_json::from_slice(&read.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"));
    let expected = serde_json::json!([
        "testsuites",
        6,
        2,
        [
            ["compost", 1, 1, 1, ["ann-mediatype-mismatch"]],
            ["bundle", 4, 0, 4, []],
            ["./no<where", 1, 1, 1, ["bundle-unreadable"]],
        ]
    ]);
    assert_eq!(read, expected, "{outcome}");
}

#[test]
fn other_programs_are_imitated_exactly() {
    let sandbox = both();
    let csv = "compost/manifests/compost-operator.clusterserviceversion.yaml";
    edit(&sandbox, csv, "spec:\n", "spec:\n  icon: []\n");
    write(
        &sandbox,
        "compost/metadata/dependencies.yaml",
        "dependencies:\n- type: olm.constraint\n  value:\n    failureMessage: no\n    package: {packageName: a, versionRange: 1.x}\n",
    );
    assert_eq!(validate(&sandbox, "compost").status, Some(1));
    write(
        &sandbox,
        "compost/metadata/dependencies.yaml",
        "dependencies:\n- type: olm.constraint\n  value:\n    package: {packageName: a, versionRange: 1.x}\n",
    );
    assert_eq!(validate(&sandbox, "compost").status, Some(0));
    let outcome = validate(&sandbox, "compost --as opm -o json");
    assert_eq!(
        (outcome.status, rules(&json(&outcome))),
        (Some(1), vec!["dep-cel-missing"])
    );
    assert_eq!(validate(&sandbox, "compost --as api").status, Some(0));
    assert_eq!(validate(&sandbox, "compost --as operator-sdk").status, Some(1));
}

#[test]
fn opm_bundle_validate_accepts_its_own_options() {
    let sandbox = both();
    let outcome = sandbox.run([
        "alpha",
        "bundle",
        "validate",
        "-t",
        "compost",
        "-b",
        "podman",
        "-o",
        "operatorhub",
    ]);
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(
        outcome.stdout.contains("hub-icon-missing") && outcome.stderr.contains("--image-builder"),
        "{outcome}"
    );
    let outcome = sandbox.run(["alpha", "bundle", "validate", "--tag", "compost", "-b", "none"]);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome}");
}

#[test]
fn the_unquoted_range_of_the_dependency_proposal_is_shown_quoted() {
    let sandbox = both();
    write(
        &sandbox,
        "bundle/metadata/dependencies.yaml",
        "dependencies:\n- type: olm.package\n  value:     \n    packageName: prometheus\n    version: >0.27.0\n    intent: required|recommended|optional\n",
    );
    let outcome = validate(&sandbox, "bundle --only dep-range-quoting");
    insta::assert_snapshot!(outcome.stdout, @r#"
    error[dep-range-quoting]: the version range >0.27.0 is not quoted, so the file is not valid YAML
     --> bundle/metadata/dependencies.yaml:5:14
      |
    5 |     version: >0.27.0
      |              ^^^^^^^
      |
      = help: Quote the value: `version: ">0.27.0"`.
      = note: "opmx bundle validate --fix" can fix this

    bundle (k8s+v1): 1 error
    more checks run after these errors are fixed
    "#);
}

#[test]
fn every_rule_is_listed_and_explained() {
    let sandbox = Sandbox::new();
    let list = sandbox.run(["bundle", "rules", "-o", "json"]);
    let list: Vec<Value> = serde_json::from_str(succeeds(&list)).unwrap();
    assert_eq!(list.len(), opmx::rules::all().count());
    let text = sandbox.run(["bundle", "rules"]);
    assert_eq!(text.stdout.lines().count(), list.len() + 1);
    let outcome = sandbox.run(["bundle", "rules", "dep-intent-value"]);
    insta::assert_snapshot!(succeeds(&outcome), @r#"
    dep-intent-value (error), from proposal olm-optional-dependency-declaration

    Use required, recommended or optional.

    In a published registry+v1 bundle, this is a warning. The dependency is treated as required.

    Wrong, in metadata/dependencies.yaml: a word that is not an intent

        dependencies:
        - type: olm.package
          value: {packageName: etcd, version: ">=1.0.0", intent: suggested}

    Right

        dependencies:
        - type: olm.package
          value: {packageName: etcd, version: ">=1.0.0", intent: recommended}

    Found by opmx bundle validate
    "#);
    let outcome = sandbox.run(["bundle", "rules", "prop-file-name", "-o", "json"]);
    let rule: Value = serde_json::from_str(succeeds(&outcome)).unwrap();
    let example = &rule["example"];
    assert_eq!(example["wrong"]["file"], "metadata/properties.yaml");
    assert_eq!(example["right"]["file"], "metadata/dependencies.yaml");
    assert_eq!(example["foundBy"], "opmx bundle validate");
    assert!(list.iter().all(|rule| rule["example"]["wrong"]["text"].is_string()));
    let outcome = sandbox.run(["bundle", "rules", "dep-intent-valu"]);
    assert_eq!(outcome.status, Some(2));
    assert!(outcome.stderr.contains("did you mean dep-intent-value?"), "{outcome}");
}

#[test]
fn channels_given_as_a_list_are_shown_as_a_string() {
    let sandbox = both();
    let annotations = "compost/metadata/annotations.yaml";
    edit(
        &sandbox,
        annotations,
        "channels.v1: alpha",
        "channels.v1: [alpha, beta]",
    );
    insta::assert_snapshot!(validate(&sandbox, "compost"), @r#"
    error[ann-value-type]: the annotation operators.operatorframework.io.bundle.channels.v1 must be a string with the channels separated by commas, not a list
     --> compost/metadata/annotations.yaml:2:54
      |
    2 | ...peratorframework.io.bundle.channels.v1: [alpha, beta]
      |                                            ^^^^^^^^^^^^^
      = help: Use operators.operatorframework.io.bundle.channels.v1: "alpha,beta".

    compost (registry+v1): 1 error
    ------- exit 1 -------
    "#);
    edit(&sandbox, annotations, "channels.v1: [alpha, beta]", "channels.v1: 1.10");
    let outcome = validate(&sandbox, "compost");
    assert!(outcome.stdout.contains("help: Use quotes: \"1.10\".\n"), "{outcome}");
}

#[test]
fn a_missing_annotation_is_located_at_the_key_of_the_map() {
    let sandbox = both();
    let annotations = "compost/metadata/annotations.yaml";
    edit(
        &sandbox,
        annotations,
        "  operators.operatorframework.io.bundle.channels.v1: alpha\n",
        "",
    );
    let outcome = validate(&sandbox, "compost");
    assert!(
        outcome.stdout.contains("--> compost/metadata/annotations.yaml:1:1\n"),
        "{outcome}"
    );
}

#[test]
fn an_incomplete_version_is_completed_as_written() {
    let sandbox = both();
    let csv = "compost/manifests/compost-operator.clusterserviceversion.yaml";
    edit(&sandbox, csv, "version: 0.3.1", "version: 1.10");
    let outcome = validate(&sandbox, "compost");
    assert!(
        outcome.stdout.contains("help: Use all three numbers: 1.10.0.\n"),
        "{outcome}"
    );
}

#[test]
fn checks_prevented_by_errors_are_announced() {
    let sandbox = both();
    let rbac = "bundle/manifests/rbac.yaml";
    edit(
        &sandbox,
        rbac,
        "[certificates]",
        "[certificates, issuers, clusterissuers]",
    );
    let outcome = validate(&sandbox, "bundle");
    assert!(
        outcome
            .stdout
            .ends_with("2 errors\nmore checks run after these errors are fixed\n"),
        "{outcome}"
    );
    // The advice that is the same for all resources is given once.
    assert_eq!(outcome.stdout.matches("--api-source").count(), 1, "{outcome}");
    assert_eq!(
        outcome.stdout.matches("Add an entry to metadata/olm.yaml,").count(),
        2,
        "{outcome}"
    );
    edit(
        &sandbox,
        rbac,
        "[certificates, issuers, clusterissuers]",
        "[certificates]",
    );
    let outcome = validate(&sandbox, "bundle");
    assert!(!outcome.stdout.contains("more checks"), "{outcome}");
}

#[test]
fn annotations_outside_their_map_are_reported_in_their_file() {
    let sandbox = greenhouse();
    let path = "bundle/metadata/annotations.yaml";
    edit(&sandbox, path, "annotations:\n", "");
    let text = std::fs::read_to_string(sandbox.path(path)).unwrap();
    write(&sandbox, path, text.replace("  operators", "operators"));
    let outcome = validate(&sandbox, "bundle");
    let words = "error[ann-file-missing]: metadata/annotations.yaml has no map named annotations\n";
    assert!(outcome.stdout.contains(words), "{outcome}");
    assert!(
        outcome.stdout.contains("bundle/metadata/annotations.yaml:1:1"),
        "{outcome}"
    );
    assert_eq!(outcome.status, Some(1), "{outcome}");
}

#[test]
fn a_folder_above_or_below_a_bundle_is_rejected_with_the_bundle_folder() {
    let sandbox = greenhouse();
    for (folder, help) in [
        ("bundle/manifests", "= help: Specify the folder of the bundle: bundle\n"),
        ("bundle/metadata", "= help: Specify the folder of the bundle: bundle\n"),
        (".", "= help: Specify the folder of the bundle: ./bundle\n"),
    ] {
        let outcome = validate(&sandbox, folder);
        assert!(outcome.stdout.contains(help), "{folder}: {outcome}");
        assert_eq!(outcome.status, Some(1), "{outcome}");
    }
}

#[test]
fn an_own_namespace_operator_may_watch_the_namespace_of_its_pod() {
    let sandbox = greenhouse();
    let deployment = "bundle/manifests/deployment.yaml";
    edit(
        &sandbox,
        deployment,
        "fieldPath: metadata.annotations['olm.targetNamespaces']",
        "fieldPath: metadata.namespace",
    );
    let is_reported = || {
        validate(&sandbox, "bundle")
            .stdout
            .contains("deployment-watch-namespace")
    };
    assert!(is_reported(), "the operator can also be installed for other namespaces");
    for mode in ["SingleNamespace", "AllNamespaces"] {
        let supported = format!("- type: {mode}\n  supported: true\n");
        let unsupported = format!("- type: {mode}\n  supported: false\n");
        edit(&sandbox, "bundle/metadata/olm.yaml", &supported, &unsupported);
    }
    assert!(!is_reported());
    edit(
        &sandbox,
        deployment,
        "fieldPath: metadata.namespace",
        "fieldPath: metadata.name",
    );
    assert!(is_reported());
}

#[test]
fn an_all_namespaces_operator_may_watch_all_namespaces() {
    let sandbox = greenhouse();
    let deployment = "bundle/manifests/deployment.yaml";
    let of_group = "          valueFrom:\n            fieldRef:\n              fieldPath: \
                    metadata.annotations['olm.targetNamespaces']\n";
    edit(&sandbox, deployment, of_group, "          value: \"\"\n");
    let is_reported = || {
        validate(&sandbox, "bundle")
            .stdout
            .contains("deployment-watch-namespace")
    };
    assert!(is_reported(), "the operator can also be installed for one namespace");
    for mode in ["OwnNamespace", "SingleNamespace"] {
        let supported = format!("- type: {mode}\n  supported: true\n");
        let unsupported = format!("- type: {mode}\n  supported: false\n");
        edit(&sandbox, "bundle/metadata/olm.yaml", &supported, &unsupported);
    }
    assert!(!is_reported());
    edit(&sandbox, deployment, "value: \"\"\n", "value: garden\n");
    assert!(is_reported());
}

#[test]
fn list_items_are_trimmed_and_never_empty() {
    let sandbox = both();
    for line in [
        ["--suite", " operatorhub , good-practices"],
        ["--allow", "hub-icon-missing, ann-channel-blank "],
        ["--only", " ann-channel-blank"],
    ] {
        let outcome = sandbox.run(["bundle", "validate", "compost"].into_iter().chain(line));
        assert_eq!(outcome.status, Some(0), "{line:?}: {outcome}");
    }
    for option in ["--suite", "--allow", "--only", "--allowed-registries"] {
        for list in ["", "a,,b", " "] {
            let outcome = sandbox.run(["bundle", "validate", "compost", option, list]);
            assert_eq!(outcome.status, Some(2), "{option} {list:?}: {outcome}");
        }
        let outcome = sandbox.run(["bundle", "validate", "compost", option, ""]);
        assert!(outcome.stderr.contains("a name is missing"), "{outcome}");
    }
}

#[test]
fn options_that_no_suite_uses_are_rejected() {
    let sandbox = both();
    write(&sandbox, "categories.json", r#"{"categories": ["Gardens"]}"#);
    insta::assert_snapshot!(validate(&sandbox, "compost --categories categories.json"), @"
    ------- stderr -------
    error: --categories has no effect without a suite that uses it
      hint: add --suite categories or --suite operatorhub
    ------- exit 2 -------
    ");
    for option in ["--allowed-registries quay.io", "--index-dockerfile Dockerfile"] {
        let outcome = validate(&sandbox, &format!("compost --suite good-practices {option}"));
        assert_eq!(outcome.status, Some(2), "{outcome}");
    }
    for suite in ["categories", "operatorhub", "all"] {
        let line = format!("compost --categories categories.json --suite {suite}");
        assert_ne!(validate(&sandbox, &line).status, Some(2), "{suite}");
    }
    let all = validate(&sandbox, "compost --categories categories.json --as api");
    assert_ne!(all.status, Some(2), "{all}");
    // A variable is set for many commands, and not only for those that use it.
    let mut command = sandbox.command(["bundle", "validate", "compost"]);
    let outcome = sandbox.finish(command.env("OPERATOR_BUNDLE_CATEGORIES", "categories.json"));
    assert_eq!(outcome.status, Some(0), "{outcome}");
}

#[test]
fn a_registry_with_a_scheme_is_rejected() {
    let sandbox = both();
    let outcome = validate(
        &sandbox,
        "compost --suite conforma --allowed-registries https://quay.io/team",
    );
    assert_eq!(outcome.status, Some(2), "{outcome}");
    assert!(outcome.stderr.contains("use quay.io/team"), "{outcome}");
    write(
        &sandbox,
        "policy.yaml",
        "version: 1\nregistries:\n  allow: ['https://quay.io']\n",
    );
    insta::assert_snapshot!(validate(&sandbox, "compost --policy policy.yaml"), @r#"
    ------- stderr -------
    error: policy.yaml:3:11: "https://quay.io" matches nothing, because names of images contain no scheme
    ------- exit 1 -------
    "#);
}

#[test]
fn a_misspelled_kind_in_a_policy_is_reported() {
    let sandbox = both();
    write(
        &sandbox,
        "policy.yaml",
        "version: 1\nkinds: {deny: [Deploymnt, apps/deployment, Kafka, other.io/Secrets, Secret, 'C*']}\n",
    );
    let outcome = validate(&sandbox, "bundle --policy policy.yaml --quiet");
    assert_eq!(outcome.stderr, "");
    let outcome = validate(&sandbox, "bundle --policy policy.yaml");
    insta::assert_snapshot!(outcome.stderr, @"
    warning: policy.yaml:2:16: Deploymnt is not a Kubernetes kind; did you mean Deployment?
    warning: policy.yaml:2:27: apps/deployment is not a Kubernetes kind; did you mean apps/Deployment?
    ");
}

#[test]
fn unquoted_versions_in_the_metadata_are_shown_quoted() {
    let sandbox = both();
    write(
        &sandbox,
        "compost/metadata/properties.yaml",
        "properties:\n- type: olm.maxOpenShiftVersion\n  value: 4.10\n",
    );
    write(
        &sandbox,
        "compost/metadata/dependencies.yaml",
        "dependencies:\n- type: olm.package\n  value: {packageName: a, version: 4.10}\n- type: olm.label\n  value: {label: 1}\n\
         - type: olm.constraint\n  value: {failureMessage: a, package: {packageName: b, versionRange: 4.10}}\n",
    );
    insta::assert_snapshot!(validate(&sandbox, "compost").stdout, @r#"
    error[dep-value-shape]: version of a dependency of type olm.package is a number, not a string
     --> compost/metadata/dependencies.yaml:3:36
      |
    3 |   value: {packageName: a, version: 4.10}
      |                                    ^^^^
      |
      = help: Use quotes and all three numbers: "4.10.0".

    error[dep-value-shape]: label of a dependency of type olm.label is a number, not a string
     --> compost/metadata/dependencies.yaml:5:18
      |
    5 |   value: {label: 1}
      |                  ^
      |
      = help: Use quotes: "1".
      = note: "opmx bundle validate --fix" can fix this

    error[dep-value-shape]: versionRange of a dependency of type olm.constraint is a number, not a string
     --> compost/metadata/dependencies.yaml:7:70
      |
    7 | ...package: {packageName: b, versionRange: 4.10}}
      |                                            ^^^^
      = help: Use quotes and all three numbers: "4.10.0".

    warning[prop-version-quoting]: the version in olm.maxOpenShiftVersion is 4.10 without quotes, which YAML reads as 4.1
     --> compost/metadata/properties.yaml:3:10
      |
    3 |   value: 4.10
      |          ^^^^
      |
      = help: Use quotes: "4.10".
      = note: "opmx bundle validate --fix" can fix this

    compost (registry+v1): 3 errors, 1 warning
    "#);
    let _ = validate(&sandbox, "compost --fix");
    let properties = crate::bundle_files::read(&sandbox, "compost/metadata/properties.yaml");
    assert!(properties.ends_with("value: \"4.10\"\n"), "{properties}");
}

#[test]
fn dependencies_in_properties_are_checked_like_other_dependencies() {
    let sandbox = both();
    write(
        &sandbox,
        "compost/metadata/properties.yaml",
        "properties:\n- type: olm.package.required\n  value: {packageName: a, versionRange: '>=1.0'}\n\
         - type: olm.package.required\n  value: {packageName: b, versionRange: 1.0}\n\
         - type: olm.package.required\n  value: {packageName: compost-operator, versionRange: '>=1.0.0'}\n\
         - type: olm.gvk.required\n  value: {group: g.example.com, version: 1, kind: K}\n\
         - type: olm.gvk\n  value: {group: g.example.com, version: 1, kind: L}\n",
    );
    let report = json(&validate(&sandbox, "compost -o json"));
    let expected = [
        "dep-package-version-format",
        "dep-value-shape",
        "dep-self",
        "dep-value-shape",
        "prop-shape",
    ];
    assert_eq!(rules(&report), expected, "{report:#}");
}

#[test]
fn keys_of_metadata_files_are_matched_case_insensitively() {
    let sandbox = both();
    write(
        &sandbox,
        "compost/metadata/dependencies.yaml",
        "Dependencies:\n- Type: olm.package\n  Value: {packageName: compost-operator, version: '>=1.0.0'}\n",
    );
    edit(
        &sandbox,
        "compost/metadata/annotations.yaml",
        "annotations:",
        "Annotations:",
    );
    let report = json(&validate(&sandbox, "compost -o json"));
    let case = "metadata-key-case";
    let mut found = rules(&report);
    found.sort_unstable();
    assert_eq!(found, ["dep-self", case, case, case, case], "{report:#}");
    let _ = validate(&sandbox, "compost --fix");
    assert_eq!(rules(&json(&validate(&sandbox, "compost -o json"))), ["dep-self"]);
}

#[test]
fn an_unquoted_annotation_that_yaml_changes_is_fixed_with_quotes() {
    let sandbox = both();
    let annotations = "compost/metadata/annotations.yaml";
    edit(
        &sandbox,
        annotations,
        "annotations:\n",
        "annotations:\n  com.redhat.openshift.versions: 4.10\n  example.com/same: 4.9\n  example.com/true: True\n",
    );
    edit(
        &sandbox,
        "bundle/metadata/olm.yaml",
        "\nannotations:\n",
        "\nannotations:\n  olm.properties: [{type: olm.maxOpenShiftVersion, value: 4.10}]\n",
    );
    assert_eq!(
        rules(&json(&validate(&sandbox, "compost -o json"))),
        ["ann-name-quoting"]
    );
    let report = json(&validate(&sandbox, "bundle -o json"));
    assert!(rules(&report).contains(&"prop-version-quoting"), "{report:#}");
    let _ = validate(&sandbox, "compost bundle --fix");
    let fixed = crate::bundle_files::read(&sandbox, annotations);
    assert!(
        fixed.contains("versions: \"4.10\"\n  example.com/same: 4.9\n"),
        "{fixed}"
    );
    let fixed = crate::bundle_files::read(&sandbox, "bundle/metadata/olm.yaml");
    assert!(fixed.contains("value: \"4.10\"}"), "{fixed}");
}

#[test]
fn hidden_characters_are_found_under_keys_in_any_case() {
    let sandbox = both();
    let dependencies = "dependencies:\n- Type: olm.package\n  Value: {packageName: \"a\\u202Eb\", version: '>1.0.0'}\n";
    write(&sandbox, "compost/metadata/dependencies.yaml", dependencies);
    let report = json(&validate(&sandbox, "compost -o json"));
    assert!(rules(&report).contains(&"name-hidden-character"), "{report:#}");
}

#[test]
fn a_deployment_nested_too_deeply_for_a_csv_is_reported_at_its_location() {
    let sandbox = both();
    let deployment = "bundle/manifests/deployment.yaml";
    let nested = |depth: usize| format!("{}x{}", "{a: ".repeat(depth), "}".repeat(depth));
    let text = crate::bundle_files::read(&sandbox, deployment);
    for (depth, is_valid) in [(118, true), (119, false)] {
        let deep = format!("      affinities: {}\n      containers:\n", nested(depth));
        write(&sandbox, deployment, text.replacen("      containers:\n", &deep, 1));
        let report = json(&validate(&sandbox, "bundle -o json"));
        assert_eq!(!rules(&report).contains(&"yaml-too-deep"), is_valid, "{depth}");
        let outcome = sandbox.run([
            "bundle",
            "convert",
            "bundle",
            &format!("{depth}"),
            "--to",
            "registry+v1",
        ]);
        assert_eq!(outcome.status, Some(i32::from(!is_valid)), "{outcome}");
        if is_valid {
            succeeds(&validate(&sandbox, &format!("{depth}")));
        } else {
            let place = "--> bundle/manifests/deployment.yaml:32:";
            assert!(outcome.stderr.contains(place), "{outcome}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_file_name_that_is_not_utf8_is_reported_as_such() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = both();
    let name = std::ffi::OsStr::from_bytes(b"x\xff.yaml");
    std::fs::write(sandbox.path("compost/manifests").join(name), "").unwrap();
    let outcome = validate(&sandbox, "compost");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("the name of manifests/x\u{fffd}.yaml is not UTF-8"),
        "{outcome}"
    );
    assert!(outcome.stderr.contains("hint: rename the file"), "{outcome}");
}

#[test]
fn extra_accounts_that_nothing_names_are_reported() {
    let sandbox = greenhouse();
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    write(
        &sandbox,
        "bundle/metadata/olm.yaml",
        format!("{olm}extraServiceAccounts: [greenhouse-operatr]\n"),
    );
    let outcome = sandbox.run(["bundle", "validate", "bundle"]);
    let said = "extraServiceAccounts[0] is greenhouse-operatr, which is not in any manifest or binding\n";
    assert!(outcome.to_string().contains(said), "{outcome}");
    assert!(
        outcome.to_string().contains("Did you mean greenhouse-operator?"),
        "{outcome}"
    );
}

#[test]
fn skipped_names_must_be_names_of_bundles() {
    let sandbox = greenhouse();
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    for (name, valid) in [("a.v0.9.0", true), ("a.v0.9.0 ", false), ("a v0.8", false)] {
        write(
            &sandbox,
            "bundle/metadata/olm.yaml",
            format!("{olm}skips: ['{name}']\n"),
        );
        let outcome = sandbox.run(["bundle", "validate", "bundle"]);
        let found = outcome.to_string().contains("error[csv-name-format]: skips[0] ");
        assert_eq!(found, !valid, "{name}: {outcome}");
    }
}

#[test]
fn an_annotation_at_the_top_level_is_shown_below_annotations() {
    let sandbox = greenhouse();
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    for (key, annotation) in [
        ("olm.skipRange", "olm.skipRange"),
        ("skipRange", "olm.skipRange"),
        ("capabilities", "capabilities"),
    ] {
        write(&sandbox, "bundle/metadata/olm.yaml", format!("{olm}{key}: '<1.0.0'\n"));
        let outcome = sandbox.run(["bundle", "validate", "bundle"]);
        let said = format!("warning[olm-unknown-key]: {key} is not a known key of metadata/olm.yaml\n");
        assert!(outcome.to_string().contains(&said), "{outcome}");
        let help = format!("Set the value as an annotation: annotations: {{{annotation}: …}}.");
        assert!(outcome.to_string().contains(&help), "{outcome}");
    }
}

#[test]
fn the_names_of_suites_in_other_programs_are_explained() {
    let sandbox = Sandbox::new();
    for (name, meant) in [
        ("suite=operatorframework", "operatorframework"),
        ("name=good-practices", "good-practices"),
        ("standardcapabilities", "capabilities"),
        ("name=standardcategories", "categories"),
    ] {
        let outcome = sandbox.run(["bundle", "validate", "x", "--suite", name]);
        assert_eq!(outcome.status, Some(2), "{outcome}");
        let hint = format!("hint: use --suite {meant}\n");
        assert!(outcome.stderr.contains(&hint), "{outcome}");
    }
    let outcome = sandbox.run("bundle validate x --suite quuxquuxquux".split(' '));
    assert!(
        outcome
            .stderr
            .contains("hint: other accepted names: operatorframework, "),
        "{outcome}"
    );
}
