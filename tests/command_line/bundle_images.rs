//! `bundle build --image-map`, `--pins-out` and `--related-images`: the images of a bundle.

use crate::bundles::succeed;
use crate::common::{Outcome, Sandbox};
use serde_json::Value;
use std::fs;

const CSV: &str = "\
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: rake.v1.0.0
  annotations:
    containerImage: build.example.com/garden/rake:1 # of the operator
    notes: build.example.com/garden/rake:1, build.example.com/garden/hoe:1; or none
spec:
  displayName: Rake
  version: 1.0.0
  minKubeVersion: 1.25.0
  installModes: [{type: AllNamespaces, supported: true}]
  install:
    strategy: deployment
    spec:
      deployments:
      - name: rake
        spec:
          selector: {matchLabels: {app: rake}}
          template:
            metadata: {labels: {app: rake}}
            spec:
              initContainers:
              - {name: setup, image: \"build.example.com/garden/hoe:1\"}
              containers:
              - name: rake
                image: build.example.com/garden/rake:1 # ours
                args: [--hoe=build.example.com/garden/hoe:1]
                env:
                - {name: RELATED_IMAGE_GARDEN_HOE, value: 'build.example.com/garden/hoe:1'}
                - {name: RELATED_IMAGE_SPADE_IMAGE, value: other.example.com/spade:1}
  relatedImages:
  - {name: rake, image: build.example.com/garden/rake:1}
";

const ANNOTATIONS: &str = "\
annotations:
  operators.operatorframework.io.bundle.channels.v1: stable
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: rake
";

const FILE: &str = "manifests/rake.clusterserviceversion.yaml";

fn bundle() -> Sandbox {
    let sandbox = Sandbox::new();
    for (path, text) in [(FILE, CSV), ("metadata/annotations.yaml", ANNOTATIONS)] {
        let path = sandbox.path("bundle").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    sandbox
}

fn build(sandbox: &Sandbox, options: &str) -> Outcome {
    let line = format!("bundle build bundle -t oci:out:v1 -u built {options}");
    sandbox.run(line.split_whitespace())
}

/// The CSV in the image of the bundle.
fn built(sandbox: &Sandbox) -> String {
    succeed(sandbox, "bundle unpack oci:out:v1 -o unpacked");
    fs::read_to_string(sandbox.path("unpacked").join(FILE)).unwrap()
}

#[test]
fn image_map_lines_replace_images_everywhere_and_keep_other_text() {
    let sandbox = bundle();
    let map = "# what is released\nbuild.example.com/garden=registry.example.com/released\n\
               build.example.com/garden/hoe:1 registry.example.com/hoe:2\nregistry.example.net/none:1 registry.example.com/none:1\n";
    fs::write(sandbox.path("images.txt"), map).unwrap();
    insta::assert_snapshot!(build(&sandbox, "--image-map images.txt --pins-out pins.txt"), @"
    oci:out@sha256:3afac0aa6ec986537c2fa687ade240c408c7b8210eb76c253ceda6d8697c5ae1
    ------- stderr -------
    warning[related-image-missing]: a mirror of the bundle would not contain other.example.com/spade:1, which is not a related image
      --> bundle/manifests/rake.clusterserviceversion.yaml:31:60
       |
    31 | ...name: RELATED_IMAGE_SPADE_IMAGE, value: other.example.com/spade:1}
       |                                            ^^^^^^^^^^^^^^^^^^^^^^^^^
       = note: at spec.install.spec.deployments[0].spec.template.spec.containers[0].env[1].value
       = help: Add it to spec.relatedImages of the ClusterServiceVersion:
               - name: spade
                 image: other.example.com/spade:1
               `opmx bundle build --related-images` adds the image to the bundle image.

    1 warning
    warning: the bundle does not use the image registry.example.net/none:1, which the image map replaces
    build.example.com/garden/hoe:1 -> registry.example.com/hoe:2
    build.example.com/garden/rake:1 -> registry.example.com/released/rake:1
    built bundle as oci:out:v1
    ");
    let wanted = CSV
        .replace("build.example.com/garden/hoe:1", "registry.example.com/hoe:2")
        .replace(
            "build.example.com/garden/rake:1",
            "registry.example.com/released/rake:1",
        );
    assert_eq!(built(&sandbox), wanted);
    assert_eq!(fs::read_to_string(sandbox.path("bundle").join(FILE)).unwrap(), CSV);
    let pins = fs::read_to_string(sandbox.path("pins.txt")).unwrap();
    insta::assert_snapshot!(pins, @"
    build.example.com/garden/hoe:1 registry.example.com/hoe:2
    build.example.com/garden/rake:1 registry.example.com/released/rake:1
    ");

    let first = build(&sandbox, "--image-map images.txt");
    assert_eq!(
        build(&sandbox, "--image-map pins.txt").stdout,
        first.stdout,
        "the pins are such a map"
    );
}

#[test]
fn images_inside_longer_strings_are_replaced() {
    let sandbox = bundle();
    let listed = CSV
        .replace(
            "args: [",
            "args: ['--all=1=build.example.com/garden/hoe:1,2=build.example.com/garden/hoe:1.2', ",
        )
        .replace(
            "    notes:",
            "    list: |\n      build.example.com/garden/hoe:1\n      none\n    notes:",
        );
    fs::write(sandbox.path("bundle").join(FILE), &listed).unwrap();
    let map = "build.example.com/garden/hoe:1 registry.example.com/hoe:2\n";
    fs::write(sandbox.path("images.txt"), map).unwrap();
    succeed(&sandbox, "bundle build bundle -t oci:out:v1 --image-map images.txt");
    let wanted = listed
        .replace("build.example.com/garden/hoe:1", "registry.example.com/hoe:2")
        .replace("registry.example.com/hoe:2.2", "build.example.com/garden/hoe:1.2");
    assert_eq!(built(&sandbox), wanted);
}

#[test]
fn images_in_annotations_of_pods_and_objects_are_replaced() {
    let sandbox = bundle();
    let annotated = CSV.replace(
        "metadata: {labels: {app: rake}}",
        "metadata: {labels: {app: rake}, annotations: {seed: 'other.example.com/seed:1'}}",
    );
    fs::write(sandbox.path("bundle").join(FILE), &annotated).unwrap();
    let config =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, annotations: {seed: 'other.example.com/seed:1'}}\n";
    fs::write(sandbox.path("bundle/manifests/config.yaml"), config).unwrap();
    fs::write(
        sandbox.path("images.txt"),
        "other.example.com/seed:1 registry.example.com/seed:2\n",
    )
    .unwrap();
    let outcome = build(&sandbox, "--image-map images.txt");
    assert!(!outcome.stderr.contains("does not use the image"), "{outcome}");
    let new = |text: &str| text.replace("other.example.com/seed:1", "registry.example.com/seed:2");
    assert_eq!(built(&sandbox), new(&annotated));
    let unpacked = fs::read_to_string(sandbox.path("unpacked/manifests/config.yaml")).unwrap();
    assert_eq!(unpacked, new(config));
}

#[test]
fn images_in_examples_are_replaced() {
    let sandbox = bundle();
    let example = r#"[{"apiVersion": "a/v1", "kind": "A", "spec": {"image": "other.example.com/seed:1"}}]"#;
    let with_example = CSV.replace("    notes:", &format!("    alm-examples: '{example}'\n    notes:"));
    fs::write(sandbox.path("bundle").join(FILE), &with_example).unwrap();
    fs::write(
        sandbox.path("images.txt"),
        "other.example.com/seed:1 registry.example.com/seed:2\n",
    )
    .unwrap();
    let outcome = build(&sandbox, "--image-map images.txt");
    assert!(!outcome.stderr.contains("does not use the image"), "{outcome}");
    assert_eq!(
        built(&sandbox),
        with_example.replace("other.example.com/seed:1", "registry.example.com/seed:2")
    );
}

#[test]
fn names_in_an_image_map_replace_the_images_with_these_names() {
    let sandbox = bundle();
    let map = r#"[{"name": "rake", "image": "registry.example.com/rake:9"},
        {"name": "garden-hoe", "image": "registry.example.com/hoe:9", "revision": "abc"},
        {"name": "lawn", "image": "registry.example.com/lawn:9"}]"#;
    fs::write(sandbox.path("images.json"), map).unwrap();
    let outcome = build(&sandbox, "--image-map images.json");
    assert!(
        outcome
            .stderr
            .contains("warning: the bundle does not use the image lawn"),
        "{outcome}"
    );
    let wanted = CSV
        .replace("build.example.com/garden/hoe:1", "registry.example.com/hoe:9")
        .replace("build.example.com/garden/rake:1", "registry.example.com/rake:9");
    assert_eq!(built(&sandbox), wanted);
}

#[test]
fn cluster_mirror_sets_replace_their_sources() {
    let sandbox = bundle();
    let mirrors = "apiVersion: config.openshift.io/v1\nkind: ImageDigestMirrorSet\nmetadata: {name: all}\nspec:\n  imageDigestMirrors:\n  \
                   - {source: build.example.com/garden, mirrors: [mirror.example.com/a]}\n  - {source: unused.example.com, mirrors: [mirror.example.com/b]}\n";
    fs::write(sandbox.path("mirrors.yaml"), mirrors).unwrap();
    let outcome = build(&sandbox, "--image-map mirrors.yaml");
    assert!(
        !outcome.stderr.contains("warning: the bundle does not use the image"),
        "{outcome}"
    );
    assert_eq!(
        built(&sandbox),
        CSV.replace("build.example.com/garden", "mirror.example.com/a")
    );
}

#[test]
fn an_invalid_image_map_is_an_error_at_its_line_and_nothing_is_built() {
    let sandbox = bundle();
    fs::write(sandbox.path("images.txt"), "a/b\n").unwrap();
    insta::assert_snapshot!(build(&sandbox, "--image-map images.txt --pins-out pins.txt"), @r#"
    ------- stderr -------
    error: images.txt:1:1: expected FROM TO or FROM=TO, found "a/b"
    ------- exit 1 -------
    "#);
    fs::write(sandbox.path("images.yaml"), "kind: ConfigMap\n").unwrap();
    insta::assert_snapshot!(build(&sandbox, "--image-map images.yaml"), @"
    ------- stderr -------
    error: images.yaml:1:7: the kind ConfigMap defines no mirrors; expected one of ImageDigestMirrorSet, ImageTagMirrorSet, ImageContentSourcePolicy
    ------- exit 1 -------
    ");
    let absent = build(&sandbox, "--image-map absent.txt");
    assert_eq!(absent.status, Some(4), "{absent}");
    assert!(!sandbox.path("out").exists() && !sandbox.path("pins.txt").exists());
}

#[test]
fn environment_variables_become_related_images() {
    let sandbox = bundle();
    insta::assert_snapshot!(build(&sandbox, "--related-images from-env"), @"
    oci:out@sha256:69312948a9b74690165a253d489e07440a83d05968b40018d2ca7c3ddf864d84
    ------- stderr -------
    related image garden-hoe: build.example.com/garden/hoe:1
    related image spade-image: other.example.com/spade:1
    built bundle as oci:out:v1
    ");
    let csv: Value = serde_yaml::from_str(&built(&sandbox)).unwrap();
    insta::assert_snapshot!(csv["spec"]["relatedImages"].to_string(), @r#"
    [{"name":"garden-hoe","image":"build.example.com/garden/hoe:1"},{"name":"spade-image","image":"other.example.com/spade:1"},{"name":"rake","image":"build.example.com/garden/rake:1"}]
    "#);
    let mentioned = build(&sandbox, "--related-images");
    assert_eq!(mentioned.stdout, build(&sandbox, "--related-images mentioned").stdout);
    assert!(mentioned.stderr.contains("related image spade: "), "{mentioned}");
}
