//! `catalog merge`: merging several file-based catalogs.

use crate::bundles::{CATALOG, fail, names, outcome_of, succeed};
use crate::common::Sandbox;
use std::fs;

/// The catalog of a package.
fn catalog(package: &str) -> String {
    CATALOG.replace("rake", package)
}

fn place() -> Sandbox {
    let sandbox = Sandbox::new();
    for (folder, packages) in [("a", ["rake", "hoe"]), ("b", ["rake", "spade"])] {
        fs::create_dir(sandbox.path(folder)).unwrap();
        for package in packages {
            let file = sandbox.path(format!("{folder}/{package}.yaml"));
            fs::write(file, catalog(package)).unwrap();
        }
    }
    sandbox
}

#[test]
fn packages_are_merged_into_a_new_folder() {
    let sandbox = place();
    insta::assert_snapshot!(outcome_of(&sandbox, "catalog merge a b -o out"), @"
    ------- stderr -------
    hoe from a
    rake from a and b
    spade from b
    wrote out
    ");
    assert_eq!(names(&sandbox.path("out")), ["hoe", "rake", "spade"]);
    let text = fs::read_to_string(sandbox.path("out/rake/catalog.yaml")).unwrap();
    assert_eq!(text, CATALOG);
    succeed(&sandbox, "validate out");
    insta::assert_snapshot!(fail(&sandbox, "catalog merge a b -o out"), @"
    ------- stderr -------
    error: out already exists and is not an empty folder
      hint: choose another folder, or remove the existing content
    ------- exit 1 -------
    ");
}

#[test]
fn differences_are_resolved_by_the_preferred_catalog() {
    let sandbox = place();
    let text = CATALOG.replace("rake:1.0.0", "rake:new");
    fs::write(sandbox.path("b/rake.yaml"), text).unwrap();
    insta::assert_snapshot!(fail(&sandbox, "catalog merge a b -o out"), @r#"
    ------- stderr -------
    error: the catalogs differ:
           bundle "rake.v1.0.0" of package "rake": image "registry.example.com/rake:1.0.0" -> "registry.example.com/rake:new" (a/rake.yaml:24, b/rake.yaml:24)
      hint: choose one of the catalogs with --prefer
    ------- exit 1 -------
    "#);
    assert!(!sandbox.path("out").exists());
    succeed(&sandbox, "catalog merge a b -o out --prefer ./a/../b/");
    assert!(
        fs::read_to_string(sandbox.path("out/rake/catalog.yaml"))
            .unwrap()
            .contains("rake:new")
    );
    let outcome = sandbox.run("catalog merge a b -o other --prefer c".split_whitespace());
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    error: c is not one of the catalogs to merge
      hint: specify one of the catalogs with --prefer
    ------- exit 2 -------
    ");
}

#[test]
fn lifecycles_of_one_package_are_merged_into_one_document() {
    let sandbox = place();
    let lifecycles = |version: &str, end: &str| {
        format!(
            "schema: io.openshift.operators.lifecycles.v1alpha1\npackage: rake\nversions:\n- name: \"{version}\"\n  phases:\n  \
             - name: All\n    startDate: \"2026-01-01\"\n    endDate: \"{end}\"\n"
        )
    };
    let write = |file: &str, text: &str| fs::write(sandbox.path(file), text).unwrap();
    write("a/lifecycles.yaml", &lifecycles("1.0", "2026-06-30"));
    write("b/lifecycles.yaml", &lifecycles("1.1", "2026-12-31"));
    succeed(&sandbox, "catalog merge a b -o out");
    let text = fs::read_to_string(sandbox.path("out/rake/catalog.yaml")).unwrap();
    let (document, _) = text.split_once("---").unwrap();
    insta::assert_snapshot!(document, @r#"
    schema: io.openshift.operators.lifecycles.v1alpha1
    package: rake
    versions:
    - name: "1.0"
      phases:
      - name: All
        startDate: "2026-01-01"
        endDate: "2026-06-30"
    - name: "1.1"
      phases:
      - name: All
        startDate: "2026-01-01"
        endDate: "2026-12-31"
    "#);
    write("b/lifecycles.yaml", &lifecycles("1.0", "2026-12-31"));
    insta::assert_snapshot!(fail(&sandbox, "catalog merge a b -o other"), @r#"
    ------- stderr -------
    error: the catalogs differ:
           entry "1.0" of the lifecycles of package "rake": phases[All] …"endDate":"2026-06-30"} -> …"endDate":"2026-12-31"} (a/lifecycles.yaml:4, b/lifecycles.yaml:4)
      hint: choose one of the catalogs with --prefer
    ------- exit 1 -------
    "#);
    succeed(&sandbox, "catalog merge a b -o other --prefer b");
    let text = fs::read_to_string(sandbox.path("other/rake/catalog.yaml")).unwrap();
    assert!(text.contains("2026-12-31") && !text.contains("2026-06-30"), "{text}");
    succeed(&sandbox, "validate other");
}

#[test]
fn a_merged_catalog_with_errors_is_not_written() {
    let sandbox = place();
    fs::write(sandbox.path("b/rake.yaml"), CATALOG.replace("1.2.0", "1.3.0")).unwrap();
    insta::assert_snapshot!(fail(&sandbox, "catalog merge a b -o out"), @r#"
    ------- stderr -------
    error[catalog-channel-head]: channel "stable" of package "rake" has 2 heads instead of one: "rake.v1.2.0" and "rake.v1.3.0" are neither replaced nor skipped by another entry
      --> out/rake/catalog.yaml:11:11
       |
    11 |   - name: rake.v1.2.0
       |           ^^^^^^^^^^^
       |
       = note: at entries[0].name
       = help: Leave exactly one entry that no other entry names in replaces or skips.
    note: another head
      --> out/rake/catalog.yaml:13:11
       |
    13 |   - name: rake.v1.3.0
       |           -----------

    error[catalog-channel-head]: channel "test" of package "rake" has 2 heads instead of one: "rake.v1.2.0" and "rake.v1.3.0" are neither replaced nor skipped by another entry
      --> out/rake/catalog.yaml:24:11
       |
    24 |   - name: rake.v1.2.0
       |           ^^^^^^^^^^^
       |
       = note: at entries[0].name
       = help: Leave exactly one entry that no other entry names in replaces or skips.
    note: another head
      --> out/rake/catalog.yaml:25:11
       |
    25 |   - name: rake.v1.3.0
       |           -----------

    2 errors
    error: the change would introduce errors in out (lines are counted after the change), so nothing was written
    ------- exit 1 -------
    "#);
    assert!(!sandbox.path("out").exists());
}

#[test]
fn errors_that_a_source_already_has_are_counted() {
    let sandbox = place();
    let broken = catalog("spade").replace("defaultChannel: stable", "defaultChannel: none");
    fs::write(sandbox.path("b/spade.yaml"), broken).unwrap();
    let outcome = outcome_of(&sandbox, "catalog merge a b -o out");
    assert_eq!(outcome.status, Some(0), "{outcome}");
    let told = "warning: like its sources, out has 1 error: out/spade/catalog.yaml:";
    assert!(outcome.stderr.contains(told), "{outcome}");
    assert!(
        outcome.stderr.contains("\"opmx validate out\" shows all\n"),
        "{outcome}"
    );
}

#[test]
fn a_catalog_is_not_merged_into_itself() {
    let sandbox = place();
    for output in ["a/out", "./a/sub/out", "a"] {
        let outcome = sandbox.run(["catalog", "merge", "a", "b", "-o", output]);
        assert_eq!(outcome.status, Some(2), "{outcome}");
        assert!(outcome.stderr.contains("is inside the catalog a"), "{outcome}");
    }
    succeed(&sandbox, "validate a");
    succeed(&sandbox, "catalog merge a b -o ab");
}

#[test]
fn custom_documents_with_the_same_name_are_one_document() {
    let sandbox = place();
    let note = |name: &str, value: u8| format!("---\nschema: custom.n\npackage: rake\n{name}v: {value}\n");
    let write = |folder: &str, notes: &[String]| {
        fs::write(sandbox.path(folder).join("notes.yaml"), notes.concat()).unwrap();
    };
    write("a", &[note("name: note\n", 1), note("", 1), note("", 2)]);
    write("b", &[note("name: note\n", 2), note("", 2), note("", 3)]);
    let outcome = fail(&sandbox, "catalog merge a b -o out");
    assert!(outcome.stderr.contains("the catalogs differ"), "{outcome}");
    assert!(outcome.stderr.contains("v 1 -> 2 (a/notes.yaml:"), "{outcome}");
    succeed(&sandbox, "catalog merge a b -o out --prefer b");
    let text = fs::read_to_string(sandbox.path("out/rake/catalog.yaml")).unwrap();
    let values: Vec<&str> = text.lines().filter(|line| line.starts_with("v: ")).collect();
    assert_eq!(values, ["v: 2", "v: 1", "v: 2", "v: 3"]);
    write("b", &[note("name: note\n", 1)]);
    succeed(&sandbox, "catalog merge a b -o same");
    let text = fs::read_to_string(sandbox.path("same/rake/catalog.yaml")).unwrap();
    assert_eq!(text.matches("name: note\n").count(), 1);
}
