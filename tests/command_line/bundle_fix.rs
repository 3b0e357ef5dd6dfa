//! `opmx bundle validate --fix`: what it changes, what it leaves unchanged, and what it reports.

use crate::bundle_files::{copy, edit, files, greenhouse, read, succeeds, write};
use crate::common::{Outcome, Sandbox};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const CSV: &str = "compost/manifests/compost-operator.clusterserviceversion.yaml";
const ANNOTATIONS: &str = "compost/metadata/annotations.yaml";

fn validate(sandbox: &Sandbox, line: &str) -> Outcome {
    let words = ["bundle", "validate"].into_iter().chain(line.split_whitespace());
    sandbox.run(words)
}

/// A folder with a bundle that has two mistakes that can be fixed and one that requires a decision.
fn broken() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    edit(&sandbox, CSV, "  version: 0.3.1", "  version: v0.3.1 # see the tag");
    edit(&sandbox, CSV, "  displayName: Compost Operator\n", "");
    edit(&sandbox, ANNOTATIONS, "channels.v1: alpha", "channels.v1: alpha, beta");
    sandbox
}

#[test]
fn all_unquoted_ranges_in_a_file_are_quoted_in_one_run() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    let entry = |package: &str, range: &str| {
        format!("- type: olm.package\n  value:\n    packageName: {package}\n    version: {range}\n")
    };
    let file = |first: &str, second: &str| format!("dependencies:\n{}{}", entry("foo", first), entry("bar", second));
    let path = "compost/metadata/dependencies.yaml";
    write(&sandbox, path, file(">1.0.0", ">2.0.0"));
    let outcome = validate(&sandbox, "compost --fix");
    assert!(!outcome.stderr.contains("not fixed"), "{outcome}");
    assert!(outcome.stderr.ends_with("fixed 2 findings in 1 file\n"), "{outcome}");
    assert_eq!(read(&sandbox, path), file("\">1.0.0\"", "\">2.0.0\""));
}

#[test]
fn files_are_fixed_in_place_and_remaining_findings_reported() {
    let sandbox = broken();
    let script = sandbox.path(ANNOTATIONS);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o600)).unwrap();
    let before = files(&sandbox.path("compost"));
    let outcome = validate(&sandbox, "compost --fix");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stdout.starts_with("error[csv-required-field]"), "{outcome}");
    assert!(
        outcome.stdout.ends_with("compost (registry+v1): 1 error\n"),
        "{outcome}"
    );
    insta::assert_snapshot!(outcome.stderr, @r#"
    fixed compost/manifests/compost-operator.clusterserviceversion.yaml:11:12: spec.version "v0.3.1" is not a semantic version: use 0.3.1 without a prefix [index-csv-version-semver]
    fixed compost/metadata/annotations.yaml:2:54: the channel " beta" has a space in its name [ann-channel-blank]
    fixed 2 findings in 2 files
    "#);
    assert!(read(&sandbox, CSV).contains("  version: 0.3.1 # see the tag\n"));
    assert!(read(&sandbox, ANNOTATIONS).contains("channels.v1: alpha,beta\n"));
    assert_eq!(fs::metadata(&script).unwrap().permissions().mode() & 0o777, 0o600);
    let after = files(&sandbox.path("compost"));
    let changed: Vec<&String> = before
        .iter()
        .filter(|(path, text)| after[*path] != **text)
        .map(|(path, _)| path)
        .collect();
    assert_eq!((changed.len(), before.len()), (2, after.len()), "{changed:?}");
    let outcome = validate(&sandbox, "compost compost --fix");
    assert!(outcome.stderr.ends_with("fixed 0 findings in 0 files\n"), "{outcome}");
    assert_eq!(files(&sandbox.path("compost")), after);
}

#[test]
fn a_dry_run_prints_a_patch_that_other_programs_apply() {
    let sandbox = broken();
    let text = read(&sandbox, ANNOTATIONS);
    write(&sandbox, ANNOTATIONS, text.trim_end().replace('\n', "\r\n"));
    copy(&sandbox, "greenhouse-operator", "my bundle");
    edit(
        &sandbox,
        "my bundle/metadata/olm.yaml",
        "keywords: [garden, greenhouse]",
        "keywords: garden",
    );
    let before = files(&sandbox.path("."));
    let outcome = sandbox.run(["bundle", "validate", "./compost", "my bundle", "--fix", "--dry-run"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains("would fix 3 findings in 3 files"), "{outcome}");
    assert!(
        outcome
            .stdout
            .contains("--- a/compost/metadata/annotations.yaml\n+++ b/compost/metadata/annotations.yaml\n"),
        "{outcome}"
    );
    assert_eq!(files(&sandbox.path(".")), before);
    write(&sandbox, "fix.patch", &outcome.stdout);
    succeeds(&sandbox.run(["bundle", "validate", "my bundle", "--fix", "--quiet"]));
    assert_eq!(validate(&sandbox, "compost --fix").status, Some(1));
    let patch = sandbox.path("fix.patch");
    let fixed = files(&sandbox.path("compost"));
    let fixed = (fixed, files(&sandbox.path("my bundle")));
    for (program, arguments) in [
        ("git", &["apply", "--whitespace=nowarn"][..]),
        ("patch", &["-p1", "--binary", "-i"]),
    ] {
        if Command::new(program).arg("--version").output().is_err() {
            crate::shared::not_run(&format!("{program} is not installed"));
            continue;
        }
        let fresh = tempfile::tempdir().unwrap();
        for (path, text) in before
            .iter()
            .filter(|(path, _)| path.starts_with("compost") || path.starts_with("my bundle"))
        {
            let path = fresh.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let applied = Command::new(program)
            .args(arguments)
            .arg(&patch)
            .current_dir(fresh.path())
            .output()
            .unwrap();
        assert!(applied.status.success(), "{program}: {applied:?}\n{}", outcome.stdout);
        assert_eq!(
            (
                files(&fresh.path().join("compost")),
                files(&fresh.path().join("my bundle"))
            ),
            fixed,
            "{program}"
        );
    }
}

#[test]
fn a_diff_names_files_from_the_folder_where_the_command_runs() {
    let sandbox = broken();
    fs::create_dir(sandbox.path("elsewhere")).unwrap();
    let whole = fs::canonicalize(sandbox.path("compost")).unwrap().display().to_string();
    let from_root = format!("{}/", whole.trim_start_matches('/'));
    for (from, bundle, folder) in [
        ("", "compost", "compost/"),
        ("", "elsewhere/../compost", "compost/"),
        ("", &*whole, "compost/"),
        ("compost", "../compost", ""),
        ("elsewhere", "../compost", &*from_root),
    ] {
        let mut command = sandbox.command(["bundle", "validate", bundle, "--fix", "--dry-run"]);
        let output = command.current_dir(sandbox.path(from)).output().unwrap();
        let diff = String::from_utf8(output.stdout).unwrap();
        assert!(
            diff.starts_with(&format!("--- a/{folder}m")),
            "{bundle} in {from:?}: {diff}"
        );
    }
}

#[test]
fn a_dry_run_exits_with_the_status_of_the_fixed_bundle() {
    let sandbox = broken();
    edit(&sandbox, CSV, "spec:\n", "spec:\n  displayName: Compost\n");
    assert_eq!(validate(&sandbox, "compost").status, Some(1));
    let outcome = validate(&sandbox, "compost --fix --dry-run");
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(
        outcome
            .stderr
            .ends_with("after these fixes: compost (registry+v1): no errors, no warnings\n"),
        "{outcome}"
    );
    let outcome = validate(&sandbox, "compost --fix --only ann-channel-blank -o json");
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(read(&sandbox, CSV).contains("v0.3.1 #") && read(&sandbox, ANNOTATIONS).contains("alpha,beta"));
}

#[test]
fn only_folders_are_fixed_and_only_by_rules_of_opmx() {
    let sandbox = broken();
    for (line, said) in [
        (
            "registry.example.com/compost:v1 --fix",
            "--fix changes only files in folders",
        ),
        ("compost oci:layout:v1 --fix", "--fix changes only files in folders"),
        ("compost --fix --as opm", "cannot be used with"),
        ("compost --dry-run", "--fix"),
        ("compost --fix --dry-run -o json", "cannot be used with"),
    ] {
        let before = files(&sandbox.path("compost"));
        let outcome = validate(&sandbox, line);
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(2), ""),
            "{line}: {outcome}"
        );
        assert!(outcome.stderr.contains(said), "{line}: {outcome}");
        assert_eq!(files(&sandbox.path("compost")), before);
    }
}

#[test]
fn a_folder_that_is_not_writable_is_left_unchanged() {
    let sandbox = broken();
    let folder = sandbox.path("compost/metadata");
    let before = files(&sandbox.path("compost"));
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let may_write = fs::write(folder.join("probe"), "").is_ok();
    let _ = fs::remove_file(folder.join("probe"));
    let outcome = validate(&sandbox, "compost --fix --only ann-channel-blank -o json");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    if may_write {
        println!("not run: this user may write everywhere");
        return;
    }
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains("annotations.yaml"), "{outcome}");
    assert!(outcome.stdout.contains("bundle-unreadable"), "{outcome}");
    assert_eq!(files(&sandbox.path("compost")), before);
}

#[test]
fn reports_mark_fixable_findings() {
    let sandbox = broken();
    let outcome = validate(&sandbox, "compost --only ann-channel-blank");
    assert!(
        outcome
            .stdout
            .contains("= note: \"opmx bundle validate --fix\" can fix this"),
        "{outcome}"
    );
    let report: Value = serde_json::from_str(&validate(&sandbox, "compost -o json").stdout).unwrap();
    let findings = report["bundles"][0]["findings"].as_array().unwrap();
    let fixable = |rule: &str| findings.iter().find(|finding| finding["rule"] == rule).unwrap()["fixable"].as_bool();
    assert_eq!(
        (fixable("ann-channel-blank"), fixable("csv-required-field")),
        (Some(true), Some(false))
    );
    let report: Value = serde_json::from_str(&validate(&sandbox, "compost -o sarif").stdout).unwrap();
    let mut texts = files(&sandbox.path("compost"));
    let mut edits = 0;
    for result in report["runs"][0]["results"].as_array().unwrap() {
        for change in result["fixes"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|fix| fix["artifactChanges"].as_array().unwrap())
        {
            let path = change["artifactLocation"]["uri"]
                .as_str()
                .unwrap()
                .strip_prefix("compost/")
                .unwrap();
            for replacement in change["replacements"].as_array().unwrap() {
                let region = &replacement["deletedRegion"];
                let number = |key: &str| usize::try_from(region[key].as_u64().unwrap()).unwrap();
                let (start, length) = (number("byteOffset"), number("byteLength"));
                let text = texts.get_mut(path).unwrap();
                let lines = text[..start].split(|byte| *byte == b'\n').count();
                assert_eq!(number("startLine"), lines);
                let inserted = replacement["insertedContent"]["text"].as_str().unwrap();
                text.splice(start..start + length, inserted.bytes());
                edits += 1;
            }
        }
    }
    assert_eq!(edits, 2);
    assert_eq!(validate(&sandbox, "compost --fix").status, Some(1));
    assert_eq!(files(&sandbox.path("compost")), texts);
}

#[test]
fn the_capitalization_of_keys_is_corrected_in_all_files() {
    let sandbox = greenhouse();
    let deployment = "bundle/manifests/deployment.yaml";
    let wrong = |path: &str, key: &str, written: &str| {
        let right = read(&sandbox, path);
        edit(&sandbox, path, key, written);
        (path.to_owned(), right)
    };
    let files = [
        wrong("bundle/metadata/olm.yaml", "displayName:", "displayname:"),
        wrong("bundle/metadata/annotations.yaml", "mediatype.v1", "mediaType.v1"),
        wrong(deployment, "replicas:", "Replicas:"),
    ];
    let _ = validate(&sandbox, "bundle --fix");
    for (path, right) in files {
        assert_eq!(read(&sandbox, &path), right);
    }
}

#[test]
fn a_range_is_quoted_only_if_quotes_make_it_valid() {
    let sandbox = greenhouse();
    copy(&sandbox, "compost-operator", "compost");
    let dependencies = "dependencies:\n- type: olm.constraint\n\
         \x20 value: {failureMessage: m, Package: {packageName: a, VersionRange: 1.0}}\n\
         - type: olm.constraint\n  value: {failureMessage: m, cel: {rule: 1}}\n";
    write(&sandbox, "compost/metadata/dependencies.yaml", dependencies);
    edit(&sandbox, CSV, "olm.skipRange: \">=0.2.0 <0.3.1\"", "olm.skipRange: 1.0");
    let olm = "bundle/metadata/olm.yaml";
    edit(
        &sandbox,
        olm,
        "\nannotations:\n",
        "\nannotations:\n  olm.skipRange: 1.0\n",
    );
    let before = [files(&sandbox.path("compost")), files(&sandbox.path("bundle"))];
    let outcome = validate(&sandbox, "compost bundle --fix");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stdout.contains("Use all three numbers: 1.0.0."), "{outcome}");
    let after = [files(&sandbox.path("compost")), files(&sandbox.path("bundle"))];
    assert_eq!(before, after, "{outcome}");
}

#[test]
fn a_fix_that_uncovers_another_fixable_finding_is_applied() {
    let sandbox = greenhouse();
    let olm = "bundle/metadata/olm.yaml";
    let right = read(&sandbox, olm);
    edit(&sandbox, olm, "\nversion: 1.2.0", "\nVersion: v1.2.0");
    edit(&sandbox, olm, "displayName:", "displayname:");
    let outcome = validate(&sandbox, "bundle --fix");
    succeeds(&outcome);
    assert_eq!(read(&sandbox, olm), right, "{outcome}");
}

#[test]
fn a_harmful_fix_does_not_prevent_the_other_fixes_in_its_file() {
    let sandbox = greenhouse();
    let olm = "bundle/metadata/olm.yaml";
    edit(&sandbox, olm, "\nversion: 1.2.0", "\nVersion: one");
    edit(&sandbox, olm, "displayName:", "displayname:");
    edit(&sandbox, olm, "maturity:", "Maturity:");
    let outcome = validate(&sandbox, "bundle --fix");
    let text = read(&sandbox, olm);
    assert!(
        text.contains("\nVersion: one\n") && text.contains("displayName:") && text.contains("\nmaturity:"),
        "{text}{outcome}"
    );
    assert!(
        outcome.stderr.contains("was not fixed for olm-unknown-key"),
        "{outcome}"
    );
}

#[test]
fn the_capitalization_of_identifying_keys_is_corrected() {
    let sandbox = greenhouse();
    let (deployment, properties) = ("bundle/manifests/deployment.yaml", "bundle/metadata/properties.yaml");
    let right = read(&sandbox, deployment);
    edit(&sandbox, deployment, "apiVersion: v1\nkind:", "apiversion: v1\nKind:");
    edit(
        &sandbox,
        deployment,
        "metadata:\n  name: greenhouse-operator\n",
        "Metadata:\n  name: greenhouse-operator\n",
    );
    write(
        &sandbox,
        properties,
        "properties:\n- type: olm.manifests.optional\n  value:\n    Manifests:\n    - {Group: '', kind: Service, \
         name: greenhouse-metrics}\n",
    );
    let outcome = validate(&sandbox, "bundle");
    for line in [
        "the key apiversion must be written as apiVersion\n --> bundle/manifests/deployment.yaml:1:1\n",
        "the key Kind must be written as kind\n --> bundle/manifests/deployment.yaml:2:1\n",
        "the key Metadata must be written as metadata\n",
        "the key Manifests must be written as manifests\n --> bundle/metadata/properties.yaml:4:5\n",
    ] {
        assert!(outcome.stdout.contains(line), "{line}: {outcome}");
    }
    let _ = validate(&sandbox, "bundle --fix");
    assert_eq!(read(&sandbox, deployment), right);
    let fixed = read(&sandbox, properties);
    assert!(fixed.contains("    manifests:\n    - {group: '', kind"), "{fixed}");
}
