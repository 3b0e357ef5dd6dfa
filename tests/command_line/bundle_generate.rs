//! `opmx bundle generate`.

use crate::bundle_files::{copy, greenhouse, read, succeeds};
use crate::common::Sandbox;

const ANNOTATIONS: &str = "\
annotations:
  operators.operatorframework.io.bundle.channel.default.v1: stable
  operators.operatorframework.io.bundle.channels.v1: alpha,stable
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: microcks
";

const DOCKERFILE: &str = "\
FROM scratch

LABEL operators.operatorframework.io.bundle.mediatype.v1=registry+v1
LABEL operators.operatorframework.io.bundle.manifests.v1=manifests/
LABEL operators.operatorframework.io.bundle.metadata.v1=metadata/
LABEL operators.operatorframework.io.bundle.package.v1=microcks
LABEL operators.operatorframework.io.bundle.channels.v1=alpha,stable
LABEL operators.operatorframework.io.bundle.channel.default.v1=stable

COPY foo/manifests /manifests/
COPY foo/metadata /metadata/
";

fn registry() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&sandbox, "compost-operator", "foo");
    std::fs::remove_file(sandbox.path("foo/metadata/annotations.yaml")).unwrap();
    sandbox
}

#[test]
fn both_files_are_identical_to_those_of_opm() {
    for folder in [
        &["foo"][..],
        &["-d", "foo/manifests"],
        &["--directory", "./foo/manifests/"],
    ] {
        let sandbox = registry();
        let options = ["-p", "microcks", "-c", "alpha,stable", "-e", "stable"];
        let words = ["bundle", "generate"].iter().chain(folder).chain(&options);
        succeeds(&sandbox.run(words));
        assert_eq!(
            read(&sandbox, "foo/metadata/annotations.yaml"),
            ANNOTATIONS,
            "{folder:?}"
        );
        assert_eq!(read(&sandbox, "bundle.Dockerfile"), DOCKERFILE, "{folder:?}");
    }
}

#[test]
fn a_manifests_folder_may_have_any_name() {
    let sandbox = registry();
    std::fs::rename(sandbox.path("foo/manifests"), sandbox.path("foo/0.0.1")).unwrap();
    std::fs::create_dir(sandbox.path("foo/0.0.2")).unwrap();
    let generate = |folder: &str, options: &[&str]| {
        let words = ["bundle", "generate", "-d", folder, "-p", "microcks", "-c", "a"];
        succeeds(&sandbox.run(words.iter().chain(options)));
        let dockerfile = read(&sandbox, "bundle.Dockerfile");
        dockerfile[dockerfile.find("COPY").unwrap()..].to_owned()
    };
    assert_eq!(
        generate("foo/0.0.1/", &[]),
        "COPY foo/0.0.1 /manifests/\nCOPY foo/metadata /metadata/\n"
    );
    assert!(sandbox.path("foo/metadata/annotations.yaml").exists());
    assert!(!sandbox.path("foo/manifests").exists());
    assert_eq!(
        generate("foo/0.0.1", &["-u", "out"]),
        "COPY out/manifests /manifests/\nCOPY out/metadata /metadata/\n"
    );
    assert!(sandbox.path("out/manifests/compostheaps.crd.yaml").exists());
    assert!(!sandbox.path("out/0.0.1").exists());
    let target = ["-t", "oci:layout:v1"];
    let build = ["bundle", "build", "-d", "foo/0.0.1", "-c", "a"];
    succeeds(&sandbox.run(build.iter().chain(&target)));
    succeeds(&sandbox.run(["bundle", "validate", "oci:layout:v1"]));
}

#[test]
fn findings_show_the_real_name_of_the_manifests_folder() {
    let sandbox = registry();
    std::fs::rename(sandbox.path("foo/manifests"), sandbox.path("foo/0.0.1")).unwrap();
    std::fs::write(sandbox.path("foo/0.0.1/more.yaml"), "kind: [\n").unwrap();
    std::fs::write(sandbox.path("foo/metadata/dependencies.yaml"), "dependencies: [\n").unwrap();
    let words = "bundle build -d foo/0.0.1 -p microcks -c a -t oci:layout:v1";
    let outcome = sandbox.run(words.split(' '));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    for file in ["foo/0.0.1/more.yaml:", "foo/metadata/dependencies.yaml:"] {
        assert!(outcome.stderr.contains(&format!("--> {file}")), "{file}: {outcome}");
    }
    assert!(!outcome.stderr.contains("0.0.1/manifests"), "{outcome}");
}

#[test]
fn metadata_is_written_next_to_the_working_folder_that_contains_the_manifests() {
    let sandbox = registry();
    let options = ["-d", ".", "-p", "microcks", "-c", "a"];
    let words = ["bundle", "generate"].iter().chain(&options);
    let mut command = sandbox.command(words);
    command.current_dir(sandbox.path("foo/manifests"));
    let outcome = sandbox.finish(&mut command);
    succeeds(&outcome);
    assert_eq!(
        outcome.stderr,
        "wrote ../metadata/annotations.yaml and bundle.Dockerfile\n"
    );
    assert!(sandbox.path("foo/metadata/annotations.yaml").exists());
    assert!(!sandbox.path("foo/manifests/metadata").exists());
    let dockerfile = read(&sandbox, "foo/manifests/bundle.Dockerfile");
    assert!(
        dockerfile.ends_with("COPY . /manifests/\nCOPY ../metadata /metadata/\n"),
        "{dockerfile}"
    );
}

#[test]
fn without_a_default_channel_its_lines_are_omitted() {
    let sandbox = registry();
    succeeds(&sandbox.run(["bundle", "generate", "foo", "-p", "microcks", "-c", "alpha,stable"]));
    let annotations = ANNOTATIONS.replace(
        "  operators.operatorframework.io.bundle.channel.default.v1: stable\n",
        "",
    );
    assert_eq!(read(&sandbox, "foo/metadata/annotations.yaml"), annotations);
    let dockerfile = DOCKERFILE.replace(
        "LABEL operators.operatorframework.io.bundle.channel.default.v1=stable\n\n",
        "",
    );
    assert_eq!(read(&sandbox, "bundle.Dockerfile"), dockerfile);
}

#[test]
fn unspecified_options_are_taken_from_existing_annotations() {
    let sandbox = greenhouse();
    let before = read(&sandbox, "bundle/metadata/annotations.yaml");
    succeeds(&sandbox.run(["bundle", "generate", "bundle"]));
    assert_eq!(read(&sandbox, "bundle/metadata/annotations.yaml"), before);
    succeeds(&sandbox.run(["bundle", "generate", "bundle", "--channels", "fast"]));
    let after = read(&sandbox, "bundle/metadata/annotations.yaml");
    // The default channel was "stable", which is no longer a channel.
    let default_channel = "  operators.operatorframework.io.bundle.channel.default.v1: stable\n";
    assert!(before.contains(default_channel), "{before}");
    assert_eq!(
        after,
        before.replace(default_channel, "").replace("candidate,stable", "fast")
    );
    let dockerfile = read(&sandbox, "bundle.Dockerfile");
    assert!(dockerfile.contains("bundle.mediatype.v1=k8s+v1\n"), "{dockerfile}");
    assert!(dockerfile.contains("bundle.channels.v1=fast\n"), "{dockerfile}");
}

#[test]
fn unreadable_annotations_are_reported_and_never_replaced() {
    let sandbox = registry();
    let broken = "annotations:\n  example.com/own: \"kept\n";
    std::fs::write(sandbox.path("foo/metadata/annotations.yaml"), broken).unwrap();
    let place = "foo/metadata/annotations.yaml:";
    for line in [
        "bundle generate foo -p microcks -c alpha",
        "bundle build foo -p microcks -c alpha --overwrite -t oci:out:v1",
        "bundle build foo -t oci:out:v1",
        "registry add -b foo -d index.db",
    ] {
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(1), "{line}: {outcome}");
        assert!(outcome.stderr.contains(place), "{line}: {outcome}");
        assert!(!outcome.stderr.contains("ann-file-missing"), "{line}: {outcome}");
        assert_eq!(read(&sandbox, "foo/metadata/annotations.yaml"), broken, "{line}");
    }
}

#[test]
fn an_output_folder_gets_copies_and_the_bundle_is_unchanged() {
    let sandbox = registry();
    succeeds(&sandbox.run(["bundle", "generate", "foo", "-p", "microcks", "-c", "a", "-u", "out"]));
    assert!(!sandbox.path("foo/metadata/annotations.yaml").exists());
    assert!(sandbox.path("out/metadata/annotations.yaml").exists());
    assert!(sandbox.path("out/manifests/compostheaps.crd.yaml").exists());
    let dockerfile = read(&sandbox, "bundle.Dockerfile");
    assert!(
        dockerfile.ends_with("COPY out/manifests /manifests/\nCOPY out/metadata /metadata/\n"),
        "{dockerfile}"
    );
}

#[test]
fn an_output_folder_with_files_of_another_bundle_is_used_only_by_alpha_bundle_generate() {
    let sandbox = registry();
    let words = "bundle generate foo -p microcks -c a -u out";
    let other = sandbox.path("out/manifests/other.yaml");
    std::fs::create_dir_all(other.parent().unwrap()).unwrap();
    std::fs::write(&other, "kind: ConfigMap\n").unwrap();
    let outcome = sandbox.run(words.split(' '));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    let said = "error: out/manifests/other.yaml is not a file of the bundle\n";
    assert!(outcome.stderr.contains(said), "{outcome}");
    assert!(!sandbox.path("out/metadata").exists());
    succeeds(&sandbox.run(format!("alpha {words}").split(' ')));
    assert!(sandbox.path("out/metadata/annotations.yaml").exists());
    std::fs::remove_file(other).unwrap();
    succeeds(&sandbox.run(words.split(' ')));
}

#[test]
fn a_missing_package_name_is_requested() {
    let sandbox = registry();
    let outcome = sandbox.run(["bundle", "generate", "foo"]);
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    error: the package and its channels are unknown
      hint: set them with --package and --channels
    ------- exit 2 -------
    ");
    for (options, said) in [
        (
            "-p foo",
            "error: the channels of the package are unknown\n  hint: set them with --channels\n",
        ),
        (
            "-c stable",
            "error: the package is unknown\n  hint: set it with --package\n",
        ),
    ] {
        let outcome = sandbox.run(format!("bundle generate foo {options}").split(' '));
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(2), said));
    }
    assert!(!sandbox.path("bundle.Dockerfile").exists());
}

#[test]
fn spaces_around_channels_are_ignored_and_empty_channels_rejected() {
    let sandbox = registry();
    let generate = ["bundle", "generate", "foo", "-p", "foo", "-c"];
    let outcome = sandbox.run(generate.into_iter().chain([" stable, alpha "]));
    assert_eq!(outcome.status, Some(0), "{outcome}");
    let annotations = read(&sandbox, "foo/metadata/annotations.yaml");
    assert!(annotations.contains("channels.v1: stable,alpha\n"), "{annotations}");
    for command in ["init", "generate"] {
        let outcome = sandbox.run(["bundle", command, "foo", "-p", "foo", "-c", ""]);
        assert_eq!(outcome.status, Some(2), "{outcome}");
        assert!(outcome.stderr.contains("a name is missing"), "{outcome}");
    }
}

#[test]
fn the_default_channel_must_be_one_of_the_channels() {
    let sandbox = registry();
    let generate = "bundle generate foo -p microcks -c";
    insta::assert_snapshot!(sandbox.run(format!("{generate} alpha,beta -e stable").split(' ')), @"
    ------- stderr -------
    error: the default channel stable is not one of the channels of the bundle: alpha,beta
      hint: add it to --channels, or specify another channel with --default
    ------- exit 1 -------
    ");
    assert!(!sandbox.path("foo/metadata/annotations.yaml").exists());
    let default_of = |line: &str| {
        succeeds(&sandbox.run(line.split(' ')));
        let annotations = read(&sandbox, "foo/metadata/annotations.yaml");
        let value = annotations.split("channel.default.v1: ").nth(1);
        value.map(|rest| rest.lines().next().unwrap().to_owned())
    };
    assert_eq!(
        default_of(&format!("{generate} alpha,beta -e beta")).as_deref(),
        Some("beta")
    );
    assert_eq!(default_of(&format!("{generate} beta,gamma")).as_deref(), Some("beta"));
    assert_eq!(default_of(&format!("{generate} stable")), None);
    assert_eq!(default_of(&format!("{generate} stable --default=")), None);
}

#[test]
fn content_that_cannot_be_a_bundle_in_an_index_is_rejected() {
    let sandbox = Sandbox::new();
    let write = |path: &str, text: &str| {
        let path = sandbox.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
    write("plain/a.yaml", manifest);
    write("chart/Chart.yaml", "name: chart\n");
    write("chart/templates/a.yaml", manifest);
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    let generate = |folder: &str| sandbox.run(["bundle", "generate", "-p", "p", "-c", "a", "-d", folder]);
    insta::assert_snapshot!(generate("plain"), @r#"
    ------- stderr -------
    error: plain contains plain manifests without a ClusterServiceVersion or metadata/olm.yaml
      hint: create a bundle of plain manifests with "opmx bundle init"
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(generate("chart"), @r#"
    ------- stderr -------
    error: chart contains a Helm chart, which cannot be added to an index
      hint: render the chart with "helm template", and create a bundle of the manifests with "opmx bundle init"
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(generate("empty"), @"
    ------- stderr -------
    error: empty contains no manifests
    ------- exit 1 -------
    ");
    assert!(!sandbox.path("metadata").exists() && !sandbox.path("bundle.Dockerfile").exists());
}

#[test]
fn labels_tests_and_comments_that_were_added_by_hand_are_kept() {
    let sandbox = registry();
    let annotations = format!("# mine\n{ANNOTATIONS}  com.redhat.openshift.versions: v4.12 # from\n");
    std::fs::write(sandbox.path("foo/metadata/annotations.yaml"), &annotations).unwrap();
    std::fs::create_dir_all(sandbox.path("foo/tests/scorecard")).unwrap();
    std::fs::write(sandbox.path("foo/tests/scorecard/config.yaml"), "").unwrap();
    std::fs::write(sandbox.path("bundle.Dockerfile"), "FROM scratch\nLABEL vendor=me\n").unwrap();
    let outcome = sandbox.run(["bundle", "generate", "foo"]);
    succeeds(&outcome);
    let warning = "warning: the new bundle.Dockerfile lacks lines of the previous one: LABEL vendor=me\n";
    assert!(outcome.stderr.contains(warning), "{outcome}");
    assert_eq!(read(&sandbox, "foo/metadata/annotations.yaml"), annotations);
    let dockerfile = read(&sandbox, "bundle.Dockerfile");
    assert!(
        dockerfile.contains("\nLABEL \"com.redhat.openshift.versions\"=\"v4.12\"\n"),
        "{dockerfile}"
    );
    assert!(
        dockerfile.ends_with("COPY foo/metadata /metadata/\nCOPY foo/tests/scorecard /tests/scorecard/\n"),
        "{dockerfile}"
    );
}
