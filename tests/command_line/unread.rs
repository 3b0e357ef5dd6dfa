//! Objects and fields of a bundle that OLM reads although other programs do not.

use crate::bundles::{outcome_of, rake};
use crate::common::Sandbox;
use std::fs;

const DENY: &str = "version: 1\npermissions: {deny: [{resources: [secrets]}]}\n";

fn binding(name: &str) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: {name}}}\n\
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}}\n\
         subjects: [{{kind: ServiceAccount, name: rake, namespace: operators}}]\n"
    )
}

#[test]
fn objects_in_metadata_and_in_hidden_files_are_planned_and_judged() {
    for (file, rule) in [
        ("metadata/extra.yaml", "load-metadata-object"),
        ("manifests/.extra.yaml", "load-hidden-file"),
    ] {
        let sandbox = Sandbox::new();
        rake(&sandbox, "rake", "1.0.0", None);
        fs::write(sandbox.path("rake").join(file), binding("extra")).unwrap();
        fs::write(sandbox.path("rake/manifests/.gitkeep"), "").unwrap();
        fs::write(sandbox.path("policy.yaml"), DENY).unwrap();

        let planned = outcome_of(&sandbox, "plan rake -o json");
        assert!(planned.stdout.contains("cluster-admin"), "{planned}");
        let warning = format!("warning[{rule}]");
        let at_file = format!("rake/{file}:");
        let review = sandbox.run("permissions rake --policy policy.yaml".split(' '));
        assert_eq!(review.status, Some(3), "{review}");
        for line in [&*warning, "ClusterRoleBinding/extra: policy.yaml does not allow"] {
            assert!(review.stderr.contains(line), "{line}: {review}");
        }
        assert!(
            !review.stderr.contains("gitkeep") && planned.stderr.contains(&warning),
            "{review}"
        );

        let validated = sandbox.run("bundle validate rake --policy policy.yaml".split(' '));
        let error = format!("error[{rule}]");
        for line in [&*error, "error[policy-permission]", &at_file] {
            assert!(
                validated.stderr.contains(line) || validated.stdout.contains(line),
                "{line}: {validated}"
            );
        }
    }
}

#[test]
fn fields_that_olm_reads_in_any_case_are_reviewed_and_judged() {
    let sandbox = Sandbox::new();
    rake(&sandbox, "rake", "1.0.0", None);
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: extra}\n\
                Rules: [{apiGroups: [''], resources: [secrets], Verbs: [get]}]\n";
    fs::write(sandbox.path("rake/manifests/role.yaml"), role).unwrap();
    let binding = binding("extra")
        .replace("cluster-admin", "extra")
        .replace("roleRef", "roleref");
    fs::write(sandbox.path("rake/manifests/binding.yaml"), binding).unwrap();
    fs::write(sandbox.path("policy.yaml"), DENY).unwrap();

    let review = sandbox.run("permissions rake --policy policy.yaml".split(' '));
    assert_eq!(review.status, Some(3), "{review}");
    let mut rows = review.stdout.lines();
    assert!(
        rows.any(|row| row.starts_with("rake ") && row.contains("secrets")),
        "{review}"
    );
    assert!(
        review.stdout.contains("ClusterRoleBinding extra of the bundle"),
        "{review}"
    );
    let validated = sandbox.run("bundle validate rake --policy policy.yaml".split(' '));
    let said = format!("{}{}", validated.stdout, validated.stderr);
    for line in [
        "rake/manifests/role.yaml:4:9",
        "Use rules. OLM reads the field in this spelling, too",
    ] {
        assert!(said.contains(line), "{line}: {validated}");
    }
}
