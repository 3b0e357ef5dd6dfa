//! Bundles of the media type `registry+v1`: what OLM reads and installs from them.

use crate::bundle_files::{copy, edit, succeeds, write};
use crate::bundles::{outcome_of, succeed};
use crate::common::{Outcome, Sandbox};
use std::fs;

/// A folder with the registry+v1 bundle `compost`.
fn compost() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    sandbox
}

fn validate(sandbox: &Sandbox) -> Outcome {
    sandbox.run(["bundle", "validate", "compost"])
}

/// Returns the findings without their messages, such as `error[rule]`.
fn told(sandbox: &Sandbox) -> Vec<String> {
    let outcome = validate(sandbox);
    let titles = outcome.stdout.lines().filter_map(|line| line.split_once("]: "));
    titles.map(|(title, _)| format!("{title}]")).collect()
}

#[test]
fn a_metadata_file_is_read_because_of_its_content() {
    for name in ["dependencies", "dependencies.YAML", "needs.txt"] {
        let sandbox = compost();
        let folder = sandbox.path("compost/metadata");
        fs::rename(folder.join("dependencies.yaml"), folder.join(name)).unwrap();
        write(&sandbox, "compost/metadata/README.md", "# Compost\n\nThe heap: a: b\n");
        write(&sandbox, "compost/metadata/NOTES", "annotations: {author: gardener}\n");
        write(&sandbox, "compost/metadata/icon.png", b"\x89PNG\r\n\x1a\n\0");
        assert_eq!(told(&sandbox), [""; 0], "{name}");
        succeed(&sandbox, "registry add -q -b compost -d index.db");
        let rendered = outcome_of(&sandbox, "render index.db -o json");
        assert!(rendered.stdout.contains("olm.package.required"), "{name}: {rendered}");
    }
}

#[test]
fn a_second_document_of_a_metadata_file_is_reported() {
    let sandbox = compost();
    let path = "compost/metadata/dependencies.yaml";
    let more = "---\nproperties: [{type: olm.maxOpenShiftVersion, value: '4.9'}]\n";
    let text = fs::read_to_string(sandbox.path(path)).unwrap() + more;
    write(&sandbox, path, text);
    let outcome = validate(&sandbox);
    assert!(
        succeeds(&outcome).contains(
            "warning[metadata-extra-document]: only the first document of a metadata file is read\n --> \
             compost/metadata/dependencies.yaml:7:1\n"
        ),
        "{outcome}"
    );
}

#[test]
fn an_intent_or_optional_manifest_that_cannot_be_read_is_reported_in_every_form_of_index() {
    let sandbox = compost();
    let need = "{packageName: greenhouse-operator, version: '>=1.0.0', intent: sometimes}";
    let dependencies = format!("dependencies:\n- {{type: olm.package, value: {need}}}\n");
    write(&sandbox, "compost/metadata/dependencies.yaml", dependencies);
    let properties = "properties:\n- {type: olm.manifests.optional, value: nope}\n";
    write(&sandbox, "compost/metadata/properties.yaml", properties);
    let added = outcome_of(&sandbox, "registry add -b compost -d index.db");
    assert!(
        added.stderr.contains(
            "= note: The property is stored unchanged, but what cannot be read makes no manifest optional.\n"
        ),
        "{added}"
    );
    let rendered = outcome_of(&sandbox, "render index.db");
    write(&sandbox, "catalog/index.json", rendered.stdout);
    let reported = |line: &str, severity: &str| {
        let outcome = sandbox.run(line.split_whitespace());
        let told = format!("{}{}", outcome.stdout, outcome.stderr);
        for rule in ["dep-intent-value", "opt-value-shape"] {
            let title = format!("{severity}[{rule}]: ");
            assert!(told.matches(&title).count() >= 1, "{line}: {outcome}");
        }
        assert!(!told.contains("OLM cannot determine"), "{line}: {outcome}");
    };
    reported("validate catalog --strict", "error");
    reported("validate catalog", "warning");
    reported("index check catalog", "warning");
    reported("index check index.db", "warning");
}

#[test]
fn a_last_openshift_version_that_cannot_be_read_is_reported_in_every_form_of_bundle_and_index() {
    let limits = "- {type: olm.maxOpenShiftVersion, value: 4.x}\n- {type: olm.maxOpenShiftVersion, value: '4.20.3'}\n";
    let sandbox = compost();
    write(
        &sandbox,
        "compost/metadata/properties.yaml",
        format!("properties:\n{limits}"),
    );
    let reported = |line: &str, severity: &str| {
        let outcome = sandbox.run(line.split_whitespace());
        let told = format!("{}{}", outcome.stdout, outcome.stderr);
        for words in [
            "4.x\", which is not a version",
            "4.20.3\", but must consist of",
            "second",
        ] {
            let found = told
                .lines()
                .any(|line| line.starts_with(&format!("{severity}[prop-max-openshift]: ")) && line.contains(words));
            assert!(found, "{line}: {words}: {outcome}");
        }
    };
    reported("bundle validate compost", "error");
    succeed(&sandbox, "registry add -b compost -d index.db");
    let rendered = outcome_of(&sandbox, "render index.db");
    write(&sandbox, "catalog/index.json", rendered.stdout);
    reported("validate catalog --strict", "error");
    reported("validate catalog", "warning");
    reported("index check catalog", "warning");
    reported("index check index.db", "warning");

    for operator in ["compost-operator", "greenhouse-operator"] {
        let sandbox = Sandbox::new();
        copy(&sandbox, operator, "compost");
        let (path, text) = match operator {
            "compost-operator" => (
                "compost/manifests/compost-operator.clusterserviceversion.yaml",
                "    olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.x\"}]'\n    capabilities:",
            ),
            _ => (
                "compost/metadata/olm.yaml",
                "  olm.properties: [{type: olm.maxOpenShiftVersion, value: 4.x}]\n  capabilities:",
            ),
        };
        let indent = &text[..text.len() - text.trim_start().len()];
        edit(&sandbox, path, &format!("{indent}capabilities:"), text);
        assert!(
            told(&sandbox).contains(&"error[prop-max-openshift]".to_owned()),
            "{operator}"
        );
    }
}

fn rule_in(namespace: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: turning, namespace: {namespace}}}\n"
    )
}

#[test]
fn objects_that_olm_moves_into_the_install_namespace_are_reported() {
    let sandbox = compost();
    write(&sandbox, "compost/manifests/one.yaml", rule_in("one"));
    assert_eq!(told(&sandbox), ["warning[k8s-namespace-moved]"]);
    write(&sandbox, "compost/manifests/two.yaml", rule_in("two"));
    assert_eq!(told(&sandbox), ["error[k8s-namespace-clash]"]);
    let inspected = sandbox.run(["--quiet", "bundle", "inspect", "compost"]);
    let row = "PrometheusRule/turning";
    let mut rows = inspected.stdout.lines().filter(|line| line.starts_with(row));
    assert!(
        rows.all(|line| line.ends_with("OLM applies it in the install namespace")),
        "{inspected}"
    );
    // A published bundle is accepted.
    succeed(&sandbox, "registry add -b compost -d index.db");
}

#[test]
fn an_object_that_olm_mistakes_for_a_core_object_is_reported_and_never_optional() {
    let sandbox = compost();
    let service = "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: heat}\nspec: {}\n";
    write(&sandbox, "compost/manifests/heat.yaml", service);
    let properties = "\
properties:
- type: olm.manifests.optional
  value: {manifests: [{group: serving.knative.dev, kind: Service, name: heat}]}
";
    write(&sandbox, "compost/metadata/properties.yaml", properties);
    assert_eq!(
        told(&sandbox),
        ["warning[content-kind-foreign]", "warning[opt-core-kind]"]
    );
    let outcome = validate(&sandbox);
    let message = "OLM treats Service/heat of serving.knative.dev as a Service of the core group\n";
    assert!(outcome.stdout.contains(message), "{outcome}");
}

#[test]
fn a_deployment_with_a_service_account_that_nothing_creates_is_reported() {
    let sandbox = compost();
    let csv = "compost/manifests/compost-operator.clusterserviceversion.yaml";
    let pod = "serviceAccountName: compost-operator\n              containers";
    edit(&sandbox, csv, pod, &pod.replace("compost-operator", "compost-oprator"));
    assert_eq!(told(&sandbox), ["warning[rbac-account-missing]"]);
    let outcome = validate(&sandbox);
    assert!(
        outcome.stdout.contains("help: Did you mean compost-operator?"),
        "{outcome}"
    );
    assert!(
        outcome.stdout.contains("clusterserviceversion.yaml:41:35\n"),
        "{outcome}"
    );
    edit(&sandbox, csv, "compost-oprator", "default");
    assert_eq!(told(&sandbox), [""; 0]);
}

#[test]
fn a_list_is_one_error_that_says_to_split_it() {
    let sandbox = compost();
    let list = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: heat}}\n";
    write(&sandbox, "compost/manifests/list.yaml", list);
    assert_eq!(told(&sandbox), ["error[object-field-missing]"]);
    let outcome = validate(&sandbox);
    assert!(
        outcome
            .stdout
            .contains("help: Put each object of the List into a file of its own."),
        "{outcome}"
    );
}
