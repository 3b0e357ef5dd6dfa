//! `catalog lifecycle`: writing and checking lifecycle documents, and serving them to clients.

use crate::bundles::{garden, miss, outcome_of, succeed};
use crate::common::{Outcome, Sandbox};
use crate::served::start;
use opmx::server::proto::ExperimentalListPackageCustomSchemasRequest;
use opmx::server::proto::experimental_registry_client::ExperimentalRegistryClient;
use std::fs;
use tokio_stream::StreamExt;
use tonic::{Code, Request, Status};

const RAKE: &str = "\
schema: olm.package
name: rake
defaultChannel: stable
---
schema: olm.channel
package: rake
name: stable
entries:
- name: rake.v1.2.0
---
schema: olm.bundle
package: rake
name: rake.v1.2.0
image: registry.example.com/rake:1.2.0
properties:
- type: olm.package
  value: {packageName: rake, version: 1.2.0}
";

const SCHEMA: &str = "io.openshift.operators.lifecycles.v1alpha1";

fn catalog() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/rake.yaml"), RAKE).unwrap();
    sandbox
}

fn text(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.path("catalog/rake.yaml")).unwrap()
}

fn run(sandbox: &Sandbox, line: &str) -> Outcome {
    sandbox.run(line.split_whitespace())
}

const FIRST: &str = "catalog lifecycle catalog rake 1.2 --phase All=2026-01-01..2026-12-31";

#[test]
fn versions_are_added_changed_and_removed_without_changing_other_bytes() {
    let sandbox = catalog();
    succeed(&sandbox, &format!("{FIRST} --platform openshift=4.20,4.21"));
    let with_one = text(&sandbox);
    insta::assert_snapshot!(with_one.strip_prefix(RAKE).unwrap(), @r#"
    ---
    schema: io.openshift.operators.lifecycles.v1alpha1
    package: rake
    versions:
    - name: "1.2"
      phases:
      - name: All
        startDate: "2026-01-01"
        endDate: "2026-12-31"
      platformCompatibility:
      - name: openshift
        versions:
        - "4.20"
        - "4.21"
    "#);
    let commented = with_one.replace("- name: All", "- name: All # of it");
    fs::write(sandbox.path("catalog/rake.yaml"), &commented).unwrap();
    succeed(
        &sandbox,
        "catalog lifecycle catalog rake 1.10 --phase Full=2026-06-01..2026-12-31 --phase Late=2027-01-01..2027-02-28",
    );
    succeed(
        &sandbox,
        "catalog lifecycle catalog rake 1.2 --platform openshift=4.20,4.21,4.22",
    );
    insta::assert_snapshot!(text(&sandbox).strip_prefix(RAKE).unwrap(), @r#"
    ---
    schema: io.openshift.operators.lifecycles.v1alpha1
    package: rake
    versions:
    - name: "1.2"
      phases:
      - name: All # of it
        startDate: "2026-01-01"
        endDate: "2026-12-31"
      platformCompatibility:
      - name: openshift
        versions:
        - "4.20"
        - "4.21"
        - "4.22"
    - name: "1.10"
      phases:
      - name: Full
        startDate: "2026-06-01"
        endDate: "2026-12-31"
      - name: Late
        startDate: "2027-01-01"
        endDate: "2027-02-28"
    "#);
    succeed(&sandbox, "validate catalog");
    succeed(&sandbox, "catalog lifecycle catalog rake 1.10 --remove");
    succeed(
        &sandbox,
        "catalog lifecycle catalog rake 1.2 --platform openshift=4.20,4.21",
    );
    assert_eq!(text(&sandbox), commented);
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog lifecycle catalog rake 1.10 --remove"), @"
    ------- stderr -------
    warning: the catalog contains no lifecycle for version 1.10 of package rake
    no changes in catalog
    ");
    succeed(&sandbox, "catalog lifecycle catalog rake --remove");
    assert_eq!(text(&sandbox), RAKE);
}

#[test]
fn a_document_from_a_file_is_copied_or_its_errors_reported_with_lines() {
    let sandbox = catalog();
    let document = format!(
        "schema: {SCHEMA}\npackage: rake\nversions:\n- name: '1.2'\n  phases:\n  - {{name: All, startDate: '2026-01-01', endDate: '2026-12-31'}}\n"
    );
    fs::write(sandbox.path("lifecycle.yaml"), &document).unwrap();
    succeed(&sandbox, "catalog lifecycle catalog rake -f lifecycle.yaml");
    let written = text(&sandbox);
    assert!(written.contains("name: All"), "{written}");
    succeed(&sandbox, "catalog lifecycle catalog rake -f lifecycle.yaml");
    assert_eq!(text(&sandbox), written);

    fs::write(
        sandbox.path("lifecycle.yaml"),
        document.replace("2026-12-31", "2025-12-31"),
    )
    .unwrap();
    insta::assert_snapshot!(run(&sandbox, "catalog lifecycle catalog rake -f lifecycle.yaml"), @r#"
    ------- stderr -------
    error[catalog-lifecycle-date]: phase "All" of version "1.2" of the lifecycles of package "rake" ends on 2025-12-31, which is not after its start on 2026-01-01
     --> lifecycle.yaml:6:51
      |
    6 | ... All, startDate: '2026-01-01', endDate: '2025-12-31'}
      |                                            ^^^^^^^^^^^^
      = note: at versions[0].phases[0].endDate
      = help: Set the first and the last day of the phase as YYYY-MM-DD; the last day must be after the first.

    1 error
    error: lifecycle.yaml has errors, so nothing was written
    ------- exit 1 -------
    "#);
    fs::write(sandbox.path("lifecycle.yaml"), document.replace("rake", "hoe")).unwrap();
    insta::assert_snapshot!(run(&sandbox, "catalog lifecycle catalog rake -f lifecycle.yaml"), @r#"
    ------- stderr -------
    error: lifecycle.yaml describes package "hoe", not "rake"
    ------- exit 1 -------
    "#);
    fs::write(sandbox.path("lifecycle.yaml"), "versions: []\n").unwrap();
    insta::assert_snapshot!(run(&sandbox, "catalog lifecycle catalog rake -f lifecycle.yaml"), @"
    ------- stderr -------
    error: expected exactly one lifecycles document in lifecycle.yaml
      hint: use a document of schema io.openshift.operators.lifecycles.v1alpha1, as in a catalog
    ------- exit 1 -------
    ");
    assert_eq!(text(&sandbox), written);
}

#[test]
fn an_invalid_lifecycle_is_rejected_and_nothing_is_written() {
    let sandbox = catalog();
    insta::assert_snapshot!(
        run(&sandbox, "catalog lifecycle catalog rake 1.2 --phase A=2026-01-01..2026-12-31 --phase B=2027-01-02..2027-12-31"),
        @r#"
    ------- stderr -------
    error[catalog-lifecycle-phase]: phase "B" of version "1.2" of the lifecycles of package "rake" begins on 2027-01-02, not on 2027-01-01; the previous phase "A" ends on 2026-12-31
      --> catalog/rake.yaml:28:16
       |
    28 |     startDate: "2027-01-02"
       |                ^^^^^^^^^^^^
       |
       = note: at versions[0].phases[1].startDate
       = help: List the phases in chronological order; each phase starts on the day after the previous one ends.

    1 error
    error: the change would introduce errors in catalog (lines are counted after the change), so nothing was written
    ------- exit 1 -------
    "#
    );
    insta::assert_snapshot!(run(&sandbox, "catalog lifecycle catalog rake 1.2 --platform openshift=4.20"), @r#"
    ------- stderr -------
    error: package "rake" has no lifecycle for version 1.2, and a new lifecycle requires phases
      hint: pass --phase once for each phase of the version
    ------- exit 1 -------
    "#);
    let _ = miss(
        &sandbox,
        "catalog lifecycle catalog hoe 1.2 --phase A=2026-01-01..2026-12-31",
    );
    assert_eq!(text(&sandbox), RAKE);
    for arguments in [
        "rake",
        "rake 1.2",
        "rake 1.2.0 --remove",
        "rake 1.2 --phase A=2026-01-01",
        "rake 1.2 --phase A=2026-01-01..2026-02-30",
        "rake 1.2 --phase A=2026-01-01..2026-01-01",
        "rake 1.2 --platform openshift=four",
        "rake 1.2 -f lifecycle.yaml",
        "rake --phase A=2026-01-01..2026-12-31",
    ] {
        let outcome = sandbox.run(format!("catalog lifecycle catalog {arguments}").split_whitespace());
        assert_eq!(outcome.status, Some(2), "{arguments}: {outcome}");
    }
}

#[test]
fn an_invalid_lifecycle_is_an_error_for_authors_and_a_warning_when_served() {
    let sandbox = catalog();
    let wrong = format!("{RAKE}---\nschema: {SCHEMA}\npackage: rake\nversions: []\n");
    fs::write(sandbox.path("catalog/rake.yaml"), wrong).unwrap();
    let outcome = run(&sandbox, "validate catalog --strict");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let said = &outcome.stdout;
    assert!(
        said.contains("catalog/rake.yaml:21") && said.contains("catalog-lifecycle-version"),
        "{outcome}"
    );
    let _server = start(&sandbox, "catalog");
}

/// Returns the answers of a server about schemas and packages, by the field `note` of the documents.
fn listed(
    sandbox: &Sandbox,
    served: &str,
    asked: &[(&str, &str, Option<&'static str>)],
) -> Vec<Result<Vec<String>, Status>> {
    let server = start(sandbox, served);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut client = ExperimentalRegistryClient::connect(server.endpoint()).await.unwrap();
        let mut answers = Vec::new();
        for (schema, package, acknowledged) in asked {
            let mut request = Request::new(ExperimentalListPackageCustomSchemasRequest {
                schema: (*schema).to_owned(),
                package_name: (*package).to_owned(),
            });
            if let Some(acknowledged) = acknowledged {
                let value = acknowledged.parse().unwrap();
                request.metadata_mut().insert("x-acknowledge-experimental", value);
            }
            let answer = client.experimental_list_package_custom_schemas(request).await;
            answers.push(match answer {
                Ok(answer) => {
                    let documents = answer.into_inner().collect::<Result<Vec<_>, _>>().await;
                    documents.map(|documents| {
                        documents
                            .iter()
                            .map(|document| format!("{:?}", document.fields.get("note")))
                            .collect()
                    })
                }
                Err(status) => Err(status),
            });
        }
        answers
    })
}

#[test]
fn clients_that_acknowledge_unstable_schemas_get_documents_of_a_schema() {
    let sandbox = catalog();
    succeed(&sandbox, FIRST);
    let mut catalog = text(&sandbox);
    for (package, note) in [
        ("package: rake\n", "first"),
        ("package: rake\n", "second"),
        ("", "of none"),
        ("package: hoe\n", "other"),
    ] {
        catalog.push_str(&format!("---\nschema: example.com.notes\n{package}note: {note}\n"));
    }
    fs::write(sandbox.path("catalog/rake.yaml"), catalog).unwrap();
    let notes = "example.com.notes";
    let answers = listed(
        &sandbox,
        "catalog",
        &[
            (notes, "rake", Some("true")),
            (notes, "", Some("true")),
            (notes, "spade", Some("true")),
            (SCHEMA, "rake", Some("true")),
            ("olm.bundle", "rake", Some("true")),
            (notes, "rake", None),
            (notes, "rake", Some("yes")),
            ("", "rake", None),
            ("", "rake", Some("true")),
            ("-x", "rake", Some("true")),
            (notes, "../rake", Some("true")),
        ],
    );
    let said: Vec<String> = answers
        .iter()
        .map(|answer| match answer {
            Ok(notes) => notes.join(", "),
            Err(status) => format!("{:?}: {}", status.code(), status.message()),
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r#"
    Some(Value { kind: Some(StringValue("first")) }), Some(Value { kind: Some(StringValue("second")) })
    Some(Value { kind: Some(StringValue("of none")) })

    None




    InvalidArgument: schema is required
    InvalidArgument: invalid schema "-x": expected letters, digits, dots, hyphens and underscores, beginning with a letter or digit
    InvalidArgument: invalid package name "../rake": expected letters, digits, dots, hyphens and underscores, beginning with a letter or digit
    "#);
}

#[test]
fn a_database_does_not_implement_documents_of_a_schema() {
    let sandbox = garden();
    succeed(&sandbox, "registry add -b compost -d index.db");
    let answers = listed(
        &sandbox,
        "index.db",
        &[(SCHEMA, "rake", Some("true")), (SCHEMA, "rake", None)],
    );
    assert_eq!(answers[0].as_ref().unwrap_err().code(), Code::Unimplemented);
    assert_eq!(answers[1].as_ref().unwrap(), &Vec::<String>::new());
}
