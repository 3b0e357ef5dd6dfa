//! Options of `mirror` commands that would have no effect, and invalid arguments.

use crate::common::Sandbox;

#[test]
fn options_without_effect_are_rejected() {
    let sandbox = Sandbox::new();
    for (command, option) in [
        ("plan -c set.yaml", "-p rake"),
        ("plan -c set.yaml", "--all"),
        ("plan -c set.yaml", "--from 1.0.0"),
        ("plan -c set.yaml", "--range-style masterminds"),
        ("plan -c set.yaml", "--default-channel rake=stable"),
        ("plan --cluster dump.yaml", "--range-style masterminds"),
        (
            "plan --image localhost:1/rake:v1 -o other.json",
            "--default-channel rake=stable",
        ),
        ("plan --image localhost:1/rake:v1 -o other.json", "--keep-host"),
        ("plan --image localhost:1/rake:v1 -o other.json", "--max-nested-paths 2"),
        (
            "plan --image localhost:1/rake:v1 -o other.json --to mirror.example.com",
            "--to-authfile auth.json",
        ),
        (
            "plan --image localhost:1/rake:v1 -o other.json --to mirror.example.com",
            "--to-use-http",
        ),
        ("verify plan.json --at .", "--keep-host"),
        ("verify plan.json --at .", "--max-nested-paths 2"),
        ("copy plan.json --to mirror.example.com", "--base base.json"),
        ("copy plan.json --to mirror.example.com", "--name other"),
        ("copy plan.json --to mirror.example.com", "--volume-size 1G"),
        ("copy plan.json", "--base base.json"),
        ("copy plan.json --to-archive archive", "--keep-host"),
        ("copy plan.json --to-archive archive", "--max-nested-paths 2"),
        ("copy plan.json --to-archive archive", "--to-use-http"),
    ] {
        let line = format!("mirror {command} {option}");
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(2), "{line}: {outcome}");
        let text = &outcome.stderr;
        assert!(
            text.contains("cannot be used with") || text.contains("were not provided"),
            "{line}: {outcome}"
        );
        // Without the option, the command fails only because a file or image does not exist.
        let outcome = sandbox.run(format!("mirror {command} --retries 0").split(' '));
        assert!(matches!(outcome.status, Some(1 | 4)), "{command}: {outcome}");
    }
}

#[test]
fn a_missing_archive_has_the_exit_status_of_a_missing_item() {
    let sandbox = Sandbox::new();
    for place in ["archive", "./archive", "/archives/archive", "archives/archive"] {
        let outcome = sandbox.run(["mirror", "verify", "plan.json", "--at", place]);
        assert_eq!(outcome.status, Some(4), "{outcome}");
        let text = &outcome.stderr;
        assert!(
            text.starts_with(&format!("error: {place} does not exist\n")),
            "{outcome}"
        );
    }
    for place in ["mirror.example.com/olm:v1", "mirror.example.com/Olm", "localhost:1:2"] {
        let outcome = sandbox.run(["mirror", "verify", "plan.json", "--at", place]);
        assert_eq!(outcome.status, Some(2), "{outcome}");
    }
}

#[test]
fn a_missing_catalog_has_the_exit_status_of_a_missing_item_and_a_hint() {
    let sandbox = Sandbox::new();
    for catalog in ["missing", "./missing", "missing.db"] {
        let outcome = sandbox.run(["mirror", "plan", "--catalog", catalog]);
        assert_eq!(outcome.status, Some(4), "{outcome}");
        let hint = "  hint: an index is an image, a database file or the folder of a file-based catalog\n";
        assert!(outcome.stderr.ends_with(hint), "{outcome}");
    }
}

/// A plan without images.
const NOTHING: &str = r#"{"schema":"opmx.mirror.plan/v1","to":"mirror.example.com","catalogs":[],"images":[],"extras":[],
"manifests":{},"blobs":{},"totals":{"images":0,"manifests":0,"blobs":0,"bytes_referenced":0,"bytes_unique":0},
"because":[],"left_out":[]}"#;

#[test]
fn empty_manifests_are_reported_and_not_written() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("plan.json"), NOTHING).unwrap();
    let outcome = sandbox.run("mirror manifests plan.json -o out".split(' '));
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert_eq!(
        outcome.stderr,
        "warning: nothing was written to out, because the plan contains nothing for files of these kinds\n"
    );
    assert!(!sandbox.path("out").exists());
    let outcome = sandbox.run("mirror manifests plan.json -o out -n My_NS".split(' '));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("hint: set the namespace of the CatalogSources with --namespace"),
        "{outcome}"
    );
}

#[test]
fn misspelled_platforms_and_packages_are_rejected() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run("mirror plan --image localhost:1/rake:v1 --platforms amd64,linux/ar64".split(' '));
    assert_eq!(outcome.status, Some(2), "{outcome}");
    let said = "linux/ar64 is not a known platform; did you mean linux/arm64?";
    assert!(outcome.stderr.contains(said), "{outcome}");
    std::fs::create_dir(sandbox.path("catalog")).unwrap();
    let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/catalog/catalog.yaml");
    std::fs::copy(catalog, sandbox.path("catalog/catalog.yaml")).unwrap();
    for option in [
        "--default-channel compost-oprator=stable",
        "--with-optional compost-oprator",
        "--without-recommended=compost-oprator",
    ] {
        let line = format!("mirror plan --catalog catalog --all --no-binary --retries 0 {option}");
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(4), "{line}: {outcome}");
        let said = "none of the catalogs has a package \"compost-oprator\"\n  hint: did you mean \"compost-operator\"?";
        assert!(outcome.stderr.contains(said), "{line}: {outcome}");
    }
}
