//! `opmx bundle unpack`.

use crate::bundle_files::{edit, files, greenhouse, succeeds, testdata, write};
use std::fs;

#[test]
fn unpacked_files_are_identical_to_the_files_built() {
    let sandbox = greenhouse();
    write(&sandbox, "bundle/tests/scorecard/config.yaml", "kind: Configuration\n");
    write(&sandbox, "bundle/README.md", "not part of the bundle\n");
    for target in ["oci:out:v1", "oci-archive:out.tar:v1"] {
        succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", target]));
        let folder = target.replace([':', '.'], "-");
        let outcome = sandbox.run(["bundle", "unpack", target, "-o", &folder]);
        assert_eq!(succeeds(&outcome), "");
        assert!(
            outcome.stderr.ends_with(&format!("wrote 7 files to {folder}\n")),
            "{outcome}"
        );
        let mut expected = files(&testdata("greenhouse-operator"));
        expected.insert(
            "tests/scorecard/config.yaml".to_owned(),
            b"kind: Configuration\n".to_vec(),
        );
        assert_eq!(files(&sandbox.path(&folder)), expected, "{target}");
    }
}

#[test]
fn an_unpacked_bundle_builds_to_the_same_image() {
    let sandbox = greenhouse();
    let build = |folder: &str, target: &str| {
        let outcome = sandbox.run(["bundle", "build", folder, "-t", target]);
        succeeds(&outcome).split_once('@').unwrap().1.to_owned()
    };
    let first = build("bundle", "oci:one:v1");
    succeeds(&sandbox.run(["bundle", "unpack", "oci:one:v1", "-o", "copy"]));
    assert_eq!(build("copy", "oci:two:v1"), first);
}

#[test]
fn a_bundle_with_errors_is_unpacked_only_without_validation() {
    let sandbox = greenhouse();
    edit(&sandbox, "bundle/metadata/olm.yaml", "version: 1.2.0", "version: one");
    succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1", "--no-validate"]));
    let outcome = sandbox.run(["bundle", "unpack", "oci:out:v1", "-o", "copy"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    assert!(outcome.stderr.contains("error[olm-version]"), "{outcome}");
    assert!(
        outcome.stderr.contains(" --> oci:out:v1/metadata/olm.yaml:2:10\n"),
        "{outcome}"
    );
    let end = "error: the bundle has errors, so nothing was written\n  hint: use --skip-validation to write the files despite the errors\n";
    assert!(outcome.stderr.ends_with(end), "{outcome}");
    assert!(!sandbox.path("copy").exists());
    succeeds(&sandbox.run(["bundle", "unpack", "oci:out:v1", "-o", "copy", "--skip-validation"]));
    assert_eq!(files(&sandbox.path("copy")), files(&sandbox.path("bundle")));
}

#[test]
fn two_bundles_are_not_mixed_in_one_folder_except_by_alpha_bundle_unpack() {
    let sandbox = greenhouse();
    let compost = testdata("compost-operator");
    succeeds(&sandbox.run(["bundle", "unpack", "bundle", "-o", "copy"]));
    write(&sandbox, "copy/README.md", "in no folder of the bundle\n");
    succeeds(&sandbox.run(["bundle", "unpack", "bundle", "-o", "copy"]));
    let before = files(&sandbox.path("copy"));

    let unpack = ["bundle", "unpack", compost.to_str().unwrap(), "-o", "copy"];
    let outcome = sandbox.run(unpack);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("error: copy/metadata/olm.yaml is not a file of the bundle\n"),
        "{outcome}"
    );
    assert_eq!(files(&sandbox.path("copy")), before);

    fs::remove_file(sandbox.path("copy/metadata/olm.yaml")).unwrap();
    let outcome = sandbox.run(unpack);
    assert!(outcome.stderr.contains("error: copy/manifests/"), "{outcome}");
    succeeds(&sandbox.run(["alpha"].into_iter().chain(unpack)));
}
