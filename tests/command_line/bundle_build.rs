//! `opmx bundle build`.

use crate::bundle_files::{copy, edit, errors, files, greenhouse, image, read, succeeds, testdata, write};
use crate::common::Sandbox;
use serde_json::Value;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

#[test]
fn the_image_has_the_annotations_as_labels_and_only_its_reference_is_printed() {
    let sandbox = greenhouse();
    let outcome = sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1.2.0"]);
    let printed = succeeds(&outcome);
    let digest = printed
        .strip_prefix("oci:out@sha256:")
        .unwrap_or_else(|| panic!("{outcome}"));
    let digest = digest.strip_suffix('\n').unwrap();
    assert_eq!(digest.len(), 64, "{outcome}");
    assert!(
        outcome.stderr.ends_with("built bundle as oci:out:v1.2.0\n"),
        "{outcome}"
    );
    assert!(sandbox.path("out/blobs/sha256").join(digest).is_file());

    let (manifest, config) = image(&sandbox.path("out"), "v1.2.0");
    let text = read(&sandbox, "bundle/metadata/annotations.yaml");
    let annotations: Value = serde_yaml::from_str(&text).unwrap();
    assert_eq!(config["config"]["Labels"], annotations["annotations"]);
    assert_eq!(
        config["config"]["Labels"]["operators.operatorframework.io.bundle.mediatype.v1"],
        "k8s+v1"
    );
    assert_eq!(manifest["layers"].as_array().unwrap().len(), 1);

    succeeds(&sandbox.run(["bundle", "inspect", &format!("oci:out@sha256:{digest}")]));
    let quiet = sandbox.run(["--quiet", "bundle", "build", "bundle", "-t", "oci:out:v1.2.0"]);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), (printed, ""));
}

#[test]
fn a_damaged_blob_of_a_layout_is_rewritten() {
    let sandbox = greenhouse();
    let build = ["bundle", "build", "bundle", "-t", "oci:out:v1.2.0"];
    succeeds(&sandbox.run(build));
    let blobs = sandbox.path("out/blobs/sha256");
    let before = files(&blobs);
    for blob in std::fs::read_dir(&blobs).unwrap() {
        let path = blob.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[0] ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    succeeds(&sandbox.run(build));
    assert!(files(&blobs) == before);
}

#[test]
fn a_folder_with_other_files_is_not_turned_into_a_layout() {
    let sandbox = greenhouse();
    let before = files(&sandbox.path("bundle"));
    let outcome = sandbox.run(["bundle", "build", "bundle", "-t", "oci:bundle:v1"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let message = "cannot write an image to bundle: the folder contains files, but no OCI image layout";
    assert!(outcome.stderr.contains(message), "{outcome}");
    assert!(files(&sandbox.path("bundle")) == before);
    succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]));
    write(&sandbox, "out/README.md", "Images.\n");
    succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v2"]));
}

#[test]
fn a_registry_v1_bundle_is_built() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    succeeds(&sandbox.run(["bundle", "build", "compost", "-t", "oci-archive:compost.tar:v0.3.1"]));
    let outcome = sandbox.run(["bundle", "inspect", "oci-archive:compost.tar:v0.3.1", "-o", "json"]);
    let summary: Value = serde_json::from_str(succeeds(&outcome)).unwrap();
    assert_eq!(summary["mediaType"], "registry+v1");
    assert_eq!(summary["name"], "compost-operator.v0.3.1");
    let by_opm = sandbox.run("bundle build -d compost/manifests -t oci:out:v1 -b podman".split(' '));
    assert!(by_opm.stderr.contains("ignoring --image-builder"), "{by_opm}");
    succeeds(&by_opm);
}

#[test]
fn the_digest_is_independent_of_dates_file_order_and_modes() {
    let sandbox = Sandbox::new();
    let original = files(&testdata("greenhouse-operator"));
    for (path, content) in &original {
        write(&sandbox, &format!("first/{path}"), content);
    }
    for (number, (path, content)) in (1..).zip(original.iter().rev()) {
        let path = format!("second/{path}");
        write(&sandbox, &path, content);
        let file = File::options().write(true).open(sandbox.path(&path)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_hours(1000 * number))
            .unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.set_permissions(fs::Permissions::from_mode(0o600)).unwrap();
        }
    }
    let digest = |folder: &str, target: &str| {
        let outcome = sandbox.run(["bundle", "build", folder, "-t", target]);
        succeeds(&outcome).split_once('@').unwrap().1.to_owned()
    };
    let first = digest("first", "oci:one:v1");
    assert_eq!(digest("second", "oci:two:v2"), first);
    assert_eq!(digest("second", "oci-archive:three.tar:v3"), first);
    assert_eq!(digest("./first/", "oci:four:v1"), first);
    write(
        &sandbox,
        "second/manifests/more.yaml",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
    );
    assert_ne!(digest("second", "oci:five:v1"), first);
}

#[test]
fn an_archive_is_reproducible() {
    let sandbox = greenhouse();
    let mut archives = Vec::new();
    for name in ["a.tar", "b.tar"] {
        succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", &format!("oci-archive:{name}:v1")]));
        archives.push(fs::read(sandbox.path(name)).unwrap());
    }
    assert!(archives[0] == archives[1], "two archives of one image differ");
}

#[test]
fn version_and_replaces_can_be_set_on_the_command_line() {
    let sandbox = greenhouse();
    let before = files(&sandbox.path("bundle"));
    succeeds(
        &sandbox.run(
            "bundle build bundle -t oci:out:next --version 1.3.0 --replaces greenhouse-operator.v1.2.0".split(' '),
        ),
    );
    assert_eq!(
        files(&sandbox.path("bundle")),
        before,
        "the author's files stay as they are"
    );
    let outcome = sandbox.run(["bundle", "synthesize", "oci:out:next", "-o", "json"]);
    let csv: Value = serde_json::from_str(succeeds(&outcome)).unwrap();
    assert_eq!(csv["metadata"]["name"], "greenhouse-operator.v1.3.0");
    assert_eq!(csv["spec"]["version"], "1.3.0");
    assert_eq!(csv["spec"]["replaces"], "greenhouse-operator.v1.2.0");

    let outcome = sandbox.run("bundle build bundle -t oci:other:next --version v1.3".split(' '));
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{outcome}");
    assert!(
        outcome.stderr.contains("invalid value 'v1.3' for '--version"),
        "{outcome}"
    );
    assert!(!sandbox.path("other").exists());
}

#[test]
fn an_invalid_bundle_is_built_only_without_validation() {
    let sandbox = greenhouse();
    edit(&sandbox, "bundle/metadata/olm.yaml", "minKubeVersion: 1.25.0\n", "");
    let outcome = sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    assert_eq!(
        errors(&outcome),
        [("olm-required".to_owned(), "bundle/metadata/olm.yaml:1:1".to_owned())]
    );
    assert!(
        outcome
            .stderr
            .ends_with("error: bundle has errors, so no image was built\n"),
        "{outcome}"
    );
    assert!(!sandbox.path("out").exists());

    let outcome = sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1", "--no-validate"]);
    assert!(succeeds(&outcome).starts_with("oci:out@sha256:"), "{outcome}");
    assert!(
        outcome.stderr.contains("error[olm-required]"),
        "it is built, and the errors are said: {outcome}"
    );
}

#[test]
fn errors_in_a_registry_v1_bundle_prevent_the_build() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    let csv = "compost/manifests/compost-operator.clusterserviceversion.yaml";
    edit(&sandbox, csv, "version: 0.3.1", "version: 1.0");
    let outcome = sandbox.run(["bundle", "build", "compost", "-t", "oci-archive:out.tar:v1"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    let rules: Vec<_> = errors(&outcome).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["index-version-shape"], "{outcome}");
    assert!(!sandbox.path("out.tar").exists());
}

#[test]
fn a_registry_v1_bundle_with_a_subfolder_of_manifests_is_not_built() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    write(&sandbox, "compost/manifests/crds/more.yaml", "kind: ConfigMap\n");
    let outcome = sandbox.run(["bundle", "build", "compost", "-t", "oci:out:v1"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    assert!(outcome.stderr.contains("error[load-subdirectory]"), "{outcome}");
    assert!(!sandbox.path("out").exists());
}

#[test]
fn a_registry_v1_bundle_with_an_object_that_olm_does_not_install_is_not_built() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: seed}\n";
    write(&sandbox, "compost/manifests/job.yaml", job);
    let outcome = sandbox.run(["bundle", "build", "compost", "-t", "oci:out:v1"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    assert!(outcome.stderr.contains("error[content-kind-unsupported]"), "{outcome}");
    assert!(!sandbox.path("out").exists());
}

#[test]
fn a_second_tag_keeps_the_first_one() {
    let sandbox = greenhouse();
    let build = |tag: &str, version: &str| {
        let outcome = sandbox.run([
            "bundle",
            "build",
            "bundle",
            "-t",
            &format!("oci:out:{tag}"),
            "--version",
            version,
        ]);
        succeeds(&outcome).to_owned()
    };
    let first = build("v1", "1.0.0");
    let second = build("v2", "2.0.0");
    assert_ne!(first, second);
    for (tag, version) in [("v1", "1.0.0"), ("v2", "2.0.0")] {
        let outcome = sandbox.run(["bundle", "inspect", &format!("oci:out:{tag}"), "-o", "json"]);
        let summary: Value = serde_json::from_str(succeeds(&outcome)).unwrap();
        assert_eq!(summary["version"], version);
    }
    // The first again: one tag moves to another image, and no second entry of it appears.
    build("v1", "2.0.0");
    let index: Value = serde_json::from_str(&read(&sandbox, "out/index.json")).unwrap();
    assert_eq!(index["manifests"].as_array().unwrap().len(), 2, "{index}");
}

#[test]
fn annotations_on_the_command_line_must_match_unless_overwritten() {
    let sandbox = greenhouse();
    let wanted = "bundle build bundle -t oci:out:v1 --channels fast";
    let outcome = sandbox.run(wanted.split(' '));
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("operators.operatorframework.io.bundle.channels.v1 is \"candidate,stable\" in"),
        "{outcome}"
    );
    assert!(
        outcome
            .stderr
            .contains("hint: replace the annotations with --overwrite"),
        "{outcome}"
    );
    assert!(!sandbox.path("out").exists());
    let before = read(&sandbox, "bundle/metadata/annotations.yaml");
    succeeds(&sandbox.run(format!("{wanted} --overwrite").split(' ')));
    assert_eq!(read(&sandbox, "bundle/metadata/annotations.yaml"), before);
    assert!(!sandbox.path("bundle.Dockerfile").exists());
    let (_, config) = image(&sandbox.path("out"), "v1");
    assert_eq!(
        config["config"]["Labels"]["operators.operatorframework.io.bundle.channels.v1"],
        "fast"
    );
}

/// Letters that do not compress well.
fn noise(length: usize) -> String {
    let mut state = 1_u64;
    let letters = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let letter = u8::try_from(state >> 33 & 63).unwrap();
        char::from(match letter {
            0..26 => b'a' + letter,
            26..52 => b'A' + letter - 26,
            52..62 => b'0' + letter - 52,
            _ => b'x',
        })
    });
    letters.take(length).collect()
}

#[test]
fn build_rejects_and_add_reports_a_bundle_that_olm_cannot_unpack() {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "compost");
    let settings = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{noise: {}}}\n",
        noise(1_200_000)
    );
    write(&sandbox, "compost/manifests/settings.yaml", settings);
    let outcome = sandbox.run(["bundle", "build", "compost", "-t", "oci:out:v1"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let place = "compost/manifests/settings.yaml:3:18".to_owned();
    assert_eq!(errors(&outcome), [("bundle-size-exceeded".to_owned(), place)]);
    succeeds(&sandbox.run(["bundle", "build", "compost", "-t", "oci:out:v1", "--no-validate"]));
    let published = ["--record-as", "registry.example.com/compost:v1"];
    let added = sandbox.run(
        ["registry", "add", "-d", "index.db", "-b", "oci:out:v1"]
            .iter()
            .chain(&published),
    );
    assert_eq!(added.status, Some(0), "{added}");
    assert!(added.stderr.contains("warning[bundle-size-exceeded]"), "{added}");
    assert!(added.stderr.contains("OLM cannot unpack it"), "{added}");
}

#[test]
fn the_output_folder_never_mixes_two_bundles_and_is_not_the_source() {
    let sandbox = greenhouse();
    let before = files(&sandbox.path("bundle"));
    let build = |bundle: &str, folder: &str| {
        sandbox.run([
            "bundle",
            "build",
            bundle,
            "-t",
            "oci:out:v1",
            "--media-type",
            "registry+v1",
            "-u",
            folder,
        ])
    };
    for folder in ["bundle", "./bundle/", "bundle/manifests", "bundle/metadata/copy"] {
        let outcome = build("bundle", folder);
        assert_eq!(outcome.status, Some(2), "{outcome}");
        let said = format!("error: {folder} is a folder of the bundle itself\n");
        assert!(outcome.stderr.contains(&said), "{outcome}");
        assert_eq!(files(&sandbox.path("bundle")), before, "{folder}");
    }
    assert!(!sandbox.path("out").exists());

    succeeds(&build("bundle", "copy"));
    succeeds(&build("bundle", "copy"));
    succeeds(&sandbox.run(["bundle", "validate", "copy"]));
    let copied = files(&sandbox.path("copy"));
    copy(&sandbox, "compost-operator", "compost");
    let outcome = build("compost", "copy");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains(" is not a file of the bundle\n"), "{outcome}");
    assert_eq!(files(&sandbox.path("copy")), copied);
}

#[test]
fn a_definition_that_no_api_server_accepts_is_rejected_until_its_author_corrects_it() {
    let sandbox = greenhouse();
    let stored = ("served: true\n    storage: true", "served: true\n    storage: false");
    edit(&sandbox, "bundle/manifests/crds.yaml", stored.0, stored.1);
    let outcome = sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1"]);
    let rules: Vec<String> = errors(&outcome).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(rules, ["crd-storage-count"], "{outcome}");
    succeeds(&sandbox.run(["bundle", "build", "bundle", "-t", "oci:out:v1", "--no-validate"]));
    let outcome = sandbox.run(["registry", "add", "-b", "oci:out:v1", "-d", "index.db"]);
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains("error[crd-storage-count]"), "{outcome}");
}
