//! `opmx bundle build --pin` with a real registry.

use crate::programs::{index_of_platforms, write_image};
use crate::tools::{DockerRegistry, installed};
use opmx::image::Digest;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn opmx(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_opmx"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(folder: &Path, path: &str) -> String {
    fs::read_to_string(folder.join(path)).unwrap()
}

/// A bundle of plain manifests with images in the registry given by tag, and one by digest.
fn plain_bundle(folder: &Path, host: &str) {
    let fixed = format!("{host}/garden/agent@sha256:{}", "0".repeat(64));
    write(
        folder,
        "bundle/manifests/deployment.yaml",
        &format!(
            "# The operator\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: op}}\nspec:\n  \
             selector: {{matchLabels: {{app: op}}}}\n  template:\n    metadata: {{labels: {{app: op}}}}\n    spec:\n      \
             initContainers:\n      - {{name: setup, image: \"{host}/garden/agent:v1\"}}\n      containers:\n      \
             - name: manager\n        image: {host}/garden/operator:v1 # by tag\n        env:\n        \
             - {{name: RELATED_IMAGE_AGENT, value: '{host}/garden/agent:v1'}}\n        \
             - {{name: OTHER, value: '{host}/garden/agent:v1'}}\n      - {{name: fixed, image: '{fixed}'}}\n"
        ),
    );
    write(
        folder,
        "bundle/metadata/olm.yaml",
        &format!(
            "name: op.v1.0.0\nversion: 1.0.0\nminKubeVersion: 1.25.0\ndisplayName: Op\n\
             installModes: [{{type: AllNamespaces, supported: true}}]\nrelatedImages:\n- name: agent\n  image: {host}/garden/agent:v1\n"
        ),
    );
}

#[test]
fn tags_are_pinned_to_the_digests_in_the_registry() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let registry = DockerRegistry::start(folder, "", "");
    let host = registry.host.as_str();
    let agent = write_image(folder, &format!("{host}/garden/agent:v1"), "agent");
    let operator = write_image(folder, &format!("{host}/garden/operator:v1"), "operator");
    plain_bundle(folder, host);
    let (deployment, olm) = (
        read(folder, "bundle/manifests/deployment.yaml"),
        read(folder, "bundle/metadata/olm.yaml"),
    );

    let line = "bundle build bundle -p op -c stable -t oci:out:v1 --use-http --pin";
    let output = opmx(folder, line);
    assert!(output.status.success(), "{}", said(&output));
    let told: Vec<String> = said(&output)
        .lines()
        .filter(|line| line.contains(" -> "))
        .map(str::to_owned)
        .collect();
    let pinned = |name: &str, digest: &str| {
        (
            format!("{host}/garden/{name}:v1"),
            format!("{host}/garden/{name}@{digest}"),
        )
    };
    let (agent, operator) = (pinned("agent", &agent), pinned("operator", &operator));
    let arrow = |(old, new): &(String, String)| format!("{old} -> {new}");
    assert_eq!(told, [arrow(&agent), arrow(&operator)]);
    assert_eq!(
        read(folder, "bundle/manifests/deployment.yaml"),
        deployment,
        "the author's files stay as they are"
    );
    assert_eq!(read(folder, "bundle/metadata/olm.yaml"), olm);

    assert!(opmx(folder, "bundle unpack oci:out:v1 -o unpacked").status.success());
    assert_eq!(
        read(folder, "unpacked/metadata/olm.yaml"),
        olm.replace(&agent.0, &agent.1)
    );
    let wanted = deployment.replace(&agent.0, &agent.1).replace(&operator.0, &operator.1);
    assert_eq!(read(folder, "unpacked/manifests/deployment.yaml"), wanted);

    let again = opmx(folder, line);
    assert_eq!(again.stdout, output.stdout, "the same digests give the same image");
    write_image(folder, &format!("{host}/garden/agent:v1"), "a newer agent");
    assert_ne!(opmx(folder, line).stdout, output.stdout);
}

#[test]
fn a_missing_image_is_reported_with_its_line() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let registry = DockerRegistry::start(folder, "", "");
    let host = registry.host.as_str();
    write_image(folder, &format!("{host}/garden/operator:v1"), "operator");
    plain_bundle(folder, host);
    let output = opmx(
        folder,
        "bundle build bundle -p op -c stable -t oci:out:v1 --use-http --retries 0 --pin",
    );
    assert_eq!(output.status.code(), Some(4));
    let wanted =
        format!("error: bundle/manifests/deployment.yaml:16:46: the image {host}/garden/agent:v1 cannot be pinned: ");
    assert!(said(&output).contains(&wanted), "{wanted}{}", said(&output));
    assert!(output.stdout.is_empty() && !folder.join("out").exists());
}

#[test]
fn the_images_of_a_csv_are_pinned() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let registry = DockerRegistry::start(folder, "", "");
    let host = registry.host.as_str();
    let digest = write_image(folder, &format!("{host}/garden/operator:v1"), "operator");
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: op.v1.0.0}}\nspec:\n  \
         displayName: Op\n  version: 1.0.0\n  installModes: [{{type: AllNamespaces, supported: true}}]\n  install:\n    \
         strategy: deployment\n    spec:\n      deployments:\n      - name: op\n        spec:\n          \
         selector: {{matchLabels: {{app: op}}}}\n          template:\n            metadata: {{labels: {{app: op}}}}\n            \
         spec:\n              containers:\n              - name: op\n                image: {host}/garden/operator:v1\n  \
         relatedImages:\n  - {{name: op, image: \"{host}/garden/operator:v1\"}}\n"
    );
    write(folder, "bundle/manifests/op.clusterserviceversion.yaml", &csv);
    write(folder, "bundle/metadata/annotations.yaml", "annotations: {}\n");
    let output = opmx(
        folder,
        "bundle build bundle -p op -c stable --overwrite -t oci:out:v1 --use-http --pin",
    );
    assert!(output.status.success(), "{}", said(&output));
    assert!(opmx(folder, "bundle unpack oci:out:v1 -o unpacked").status.success());
    let wanted = csv.replace("operator:v1", &format!("operator@{digest}"));
    assert_eq!(read(folder, "unpacked/manifests/op.clusterserviceversion.yaml"), wanted);
}

#[test]
fn images_in_annotations_of_both_media_types_are_pinned() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let registry = DockerRegistry::start(folder, "", "");
    let host = registry.host.as_str();
    let pinned = ["operator", "shown", "pod"].map(|name| {
        let image = format!("{host}/garden/{name}:v1");
        let digest = write_image(folder, &image, name);
        (image, format!("{host}/garden/{name}@{digest}"))
    });
    let by_digest = |text: &str| {
        pinned.iter().fold(text.to_owned(), |text, (image, by_digest)| {
            text.replace(image, by_digest)
        })
    };
    let template = format!(
        "{{metadata: {{labels: {{app: op}}, annotations: {{runs: '{host}/garden/pod:v1'}}}}, \
         spec: {{containers: [{{name: op, image: '{host}/garden/operator:v1'}}]}}}}"
    );
    let shown = format!("{{containerImage: '{host}/garden/shown:v1', other: '{host}/garden/operator:v1'}}");
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: op.v1.0.0\n  \
         annotations: {shown}\nspec:\n  displayName: Op\n  version: 1.0.0\n  \
         installModes: [{{type: AllNamespaces, supported: true}}]\n  install:\n    strategy: deployment\n    \
         spec: {{deployments: [{{name: op, spec: {{selector: {{matchLabels: {{app: op}}}}, template: {template}}}}}]}}\n"
    );
    let deployment = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: op}}\n\
         spec: {{selector: {{matchLabels: {{app: op}}}}, template: {template}}}\n"
    );
    let olm = format!(
        "name: op.v1.0.0\nversion: 1.0.0\nminKubeVersion: 1.25.0\ndisplayName: Op\nannotations: {shown}\n\
         installModes: [{{type: AllNamespaces, supported: true}}]\n"
    );
    write(folder, "registry/manifests/op.clusterserviceversion.yaml", &csv);
    write(folder, "registry/metadata/annotations.yaml", "annotations: {}\n");
    write(folder, "plain/manifests/op.yaml", &deployment);
    write(folder, "plain/metadata/olm.yaml", &olm);
    for (bundle, files) in [
        ("registry", vec![("manifests/op.clusterserviceversion.yaml", &csv)]),
        (
            "plain",
            vec![("manifests/op.yaml", &deployment), ("metadata/olm.yaml", &olm)],
        ),
    ] {
        let line = "-p op -c stable --overwrite --use-http --pin --pins-out pins.txt";
        let output = opmx(
            folder,
            &format!("bundle build {bundle} -t oci:{bundle}-image:v1 {line}"),
        );
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(read(folder, "pins.txt").lines().count(), pinned.len(), "{bundle}");
        let output = opmx(
            folder,
            &format!("bundle unpack oci:{bundle}-image:v1 -o {bundle}-unpacked"),
        );
        assert!(output.status.success(), "{}", said(&output));
        for (path, text) in files {
            assert_eq!(read(folder, &format!("{bundle}-unpacked/{path}")), by_digest(text));
        }
        let found = |bundle: &str| opmx(folder, &format!("bundle validate {bundle} --suite conforma")).stdout;
        let after = String::from_utf8(found(&format!("oci:{bundle}-image:v1"))).unwrap();
        assert!(
            after.contains("[olm.") && !after.contains("[olm.unpinned_references]"),
            "{after}"
        );
        let before = String::from_utf8(found(bundle)).unwrap();
        assert!(
            before.contains("[olm.unpinned_references]") && before.contains("`opmx bundle build --pin`"),
            "{before}"
        );
    }
}

#[test]
fn images_in_arguments_variables_and_settings_are_pinned() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let registry = DockerRegistry::start(folder, "", "");
    let host = registry.host.as_str();
    let pinned = ["operator", "agent", "probe", "nozzle", "hose", "tap"].map(|name| {
        let image = format!("{host}/garden/{name}:v1");
        let digest = write_image(folder, &image, name);
        (image, format!("{host}/garden/{name}@{digest}"))
    });
    plain_bundle(folder, host);
    let manifests = format!(
        "# The operator\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: op}}\nspec:\n  \
         selector: {{matchLabels: {{app: op}}}}\n  template:\n    metadata: {{labels: {{app: op}}}}\n    spec:\n      \
         containers:\n      - name: manager\n        image: {host}/garden/operator:v1\n        \
         args:\n        - --agent-image={host}/garden/agent:v1 # by tag\n        env:\n        \
         - {{name: PROBE_IMAGE, value: '{host}/garden/probe:v1'}}\n        \
         - {{name: IMAGES, value: \"1={host}/garden/hose:v1,2={host}/garden/probe:v1\"}}\n---\napiVersion: v1\nkind: ConfigMap\n\
         metadata: {{name: settings}}\ndata:\n  nozzle: {host}/garden/nozzle:v1 # the default\n  \
         settings.yaml: |\n    motto: water at dawn\n    tap: {host}/garden/tap:v1\n"
    );
    write(folder, "bundle/manifests/deployment.yaml", &manifests);
    let output = opmx(
        folder,
        "bundle build bundle -p op -c stable -t oci:out:v1 --use-http --pin --related-images",
    );
    assert!(output.status.success(), "{}", said(&output));
    assert!(opmx(folder, "bundle unpack oci:out:v1 -o unpacked").status.success());
    let wanted = pinned.iter().fold(manifests.clone(), |text, (image, by_digest)| {
        text.replace(image, by_digest)
    });
    assert_eq!(read(folder, "unpacked/manifests/deployment.yaml"), wanted);
    let olm = read(folder, "unpacked/metadata/olm.yaml");
    for (image, by_digest) in &pinned[1..] {
        assert!(olm.contains(by_digest) && !olm.contains(image), "{image}: {olm}");
    }
    assert_eq!(read(folder, "bundle/manifests/deployment.yaml"), manifests);
}

#[test]
fn a_multi_platform_image_is_pinned_to_its_index_wherever_the_map_sends_it() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let registry = DockerRegistry::start(folder, "", "");
    let host = registry.host.as_str();
    let index = index_of_platforms(folder, host, "released/operator", "v1", &["amd64", "arm64"]);
    let digest = Digest::of(index.as_bytes());
    let agent = write_image(folder, &format!("{host}/released/agent:v1"), "agent");
    plain_bundle(folder, host);
    write(folder, "images.txt", &format!("{host}/garden {host}/released\n"));
    let line =
        "bundle build bundle -p op -c stable -t oci:out:v1 --use-http --pin --image-map images.txt --pins-out pins.txt";
    let output = opmx(folder, line);
    assert!(output.status.success(), "{}", said(&output));
    let fixed = format!("agent@sha256:{}", "0".repeat(64));
    let wanted = [
        format!("{host}/garden/agent:v1 {host}/released/agent@{agent}\n"),
        format!("{host}/garden/{fixed} {host}/released/{fixed}\n"),
        format!("{host}/garden/operator:v1 {host}/released/operator@{digest}\n"),
    ];
    assert_eq!(read(folder, "pins.txt"), wanted.concat());
    assert!(opmx(folder, "bundle unpack oci:out:v1 -o unpacked").status.success());
    let deployment = read(folder, "unpacked/manifests/deployment.yaml");
    assert!(
        deployment.contains(&format!("image: {host}/released/operator@{digest} # by tag\n")),
        "{deployment}"
    );

    fs::remove_dir_all(folder.join("out")).unwrap();
    fs::rename(folder.join("pins.txt"), folder.join("before.txt")).unwrap();
    let again = opmx(
        folder,
        "bundle build bundle -p op -c stable -t oci:out:v1 --image-map before.txt",
    );
    assert_eq!(
        again.stdout, output.stdout,
        "without a registry the file gives the same image"
    );
}
