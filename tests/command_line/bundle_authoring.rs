//! Input for authors besides manifests: samples, API sources, icons from files, related images.

use crate::bundle_files::{edit, errors, files, findings, greenhouse, place, read, succeeds, write};
use crate::common::{Outcome, Sandbox};
use serde_json::{Value, json};
use std::fs;

const HINT: &str = "apis:\n- group: cert-manager.io\n  resource: certificates\n  kind: Certificate\n  version: v1\n";

/// The greenhouse operator without the kind of certificates in its `olm.yaml`.
fn without_hint() -> Sandbox {
    let sandbox = greenhouse();
    edit(&sandbox, "bundle/metadata/olm.yaml", HINT, "");
    sandbox
}

fn run(sandbox: &Sandbox, line: &str) -> Outcome {
    sandbox.run(line.split_whitespace())
}

fn csv(sandbox: &Sandbox, line: &str) -> Value {
    let outcome = run(sandbox, &format!("bundle synthesize {line} -o json"));
    serde_json::from_str(succeeds(&outcome)).unwrap()
}

fn required(csv: &Value) -> &Value {
    &csv["spec"]["customresourcedefinitions"]["required"]
}

fn crd(version: &str, kind: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: certificates.cert-manager.io}}\n\
         spec:\n  group: cert-manager.io\n  scope: Namespaced\n  names: {{kind: {kind}, plural: certificates}}\n  \
         versions: [{{name: {version}, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]\n"
    )
}

/// An index database whose only bundle provides certificates in this version.
fn index(sandbox: &Sandbox, version: &str) {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: cm}\nspec:\n  selector: {matchLabels: {app: cm}}\n  \
                      template:\n    metadata: {labels: {app: cm}}\n    spec: {containers: [{name: cm, image: registry.example.com/cm:1.0.0}]}\n";
    write(sandbox, "cm/manifests/deployment.yaml", deployment);
    write(sandbox, "cm/manifests/crd.yaml", crd(version, "Certificate"));
    succeeds(&run(sandbox, "bundle init cm --package cm --version 1.0.0"));
    succeeds(&run(sandbox, "registry add -b cm -d index.db"));
}

#[test]
fn an_unresolved_resource_is_one_finding_with_three_fixes() {
    let sandbox = without_hint();
    let outcome = run(&sandbox, "bundle synthesize bundle");
    let line = place(&sandbox, "bundle/manifests/rbac.yaml", "certificates");
    assert_eq!(errors(&outcome), [("rbac-kind-unknown".to_owned(), line)], "{outcome}");
    for way in [
        "- {group: cert-manager.io, resource: certificates, kind: Certificate, version: v1, dependency: required}",
        "--api-source",
        "operators.operatorframework.io.bundle.dependency: optional",
    ] {
        assert!(outcome.stderr.contains(way), "{way:?} is not in\n{outcome}");
    }
}

#[test]
fn api_sources_can_be_crds_tables_discovery_documents_and_indexes() {
    let sandbox = without_hint();
    write(&sandbox, "crds/deep/certificates.yaml", crd("v1", "Certificate"));
    write(
        &sandbox,
        "crds/other.yaml",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
    );
    write(&sandbox, "crds/README.md", "not YAML: [");
    write(
        &sandbox,
        "apis.txt",
        "NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND\n\
         certificates   cert,certs   cert-manager.io/v1   true   Certificate\n",
    );
    let list = json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "cert-manager.io/v1",
        "resources": [{"name": "certificates", "singularName": "certificate", "namespaced": true, "kind": "Certificate", "verbs": []}]});
    write(&sandbox, "group.json", list.to_string());
    let groups = json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
        {"metadata": {"name": "cert-manager.io"}, "versions": [
            {"version": "v1alpha1", "resources": [{"resource": "certificates", "responseKind": {"kind": "Certificate"}}]},
            {"version": "v1", "resources": [{"resource": "certificates", "responseKind": {"kind": "Certificate"}}]}]}]});
    write(&sandbox, "groups.json", groups.to_string());
    index(&sandbox, "v1");
    let catalog = run(&sandbox, "render -q index.db");
    write(&sandbox, "catalog/catalog.json", succeeds(&catalog));
    // Of a bundle with an image, a catalog has nothing but what user interfaces show.
    let described = "schema: olm.package\nname: cm\ndefaultChannel: stable\n---\n\
        schema: olm.channel\npackage: cm\nname: stable\nentries: [{name: cm.v1.0.0}]\n---\n\
        schema: olm.bundle\npackage: cm\nname: cm.v1.0.0\nimage: registry.example.com/cm:1.0.0\nproperties:\n\
        - {type: olm.package, value: {packageName: cm, version: 1.0.0}}\n\
        - {type: olm.csv.metadata, value: {crdDescriptions: {owned: [{name: certificates.cert-manager.io, version: v1, kind: Certificate}]}}}\n";
    write(&sandbox, "described/catalog.yaml", described);
    let wanted = json!([{"kind": "Certificate", "name": "certificates.cert-manager.io", "version": "v1"}]);
    for source in [
        "crds",
        "crds/deep/certificates.yaml",
        "apis.txt",
        "group.json",
        "groups.json",
        "index.db",
        "./index.db",
        "catalog",
        "catalog/catalog.json",
        "described",
    ] {
        let line = format!("bundle synthesize bundle -o json --api-source {source}");
        let outcome = run(&sandbox, &line);
        let csv: Value = serde_json::from_str(succeeds(&outcome)).unwrap();
        assert_eq!(required(&csv), &wanted, "{source}");
        let said = format!(
            "certificates of group cert-manager.io are Certificate v1, according to {source}; the bundle requires this API, unless"
        );
        assert!(outcome.stderr.contains(&said), "{outcome}");
    }
}

#[test]
fn a_resource_of_an_own_group_is_not_required_because_a_source_contains_it() {
    let sandbox = without_hint();
    edit(
        &sandbox,
        "bundle/manifests/rbac.yaml",
        "cert-manager.io",
        "garden.example.com",
    );
    write(
        &sandbox,
        "crds/certificates.yaml",
        crd("v1", "Certificate").replace("cert-manager.io", "garden.example.com"),
    );
    for line in ["bundle", "bundle --api-source crds"] {
        assert_eq!(required(&csv(&sandbox, line)), &Value::Null, "{line}");
    }
}

#[test]
fn an_index_image_is_an_api_source() {
    let sandbox = without_hint();
    index(&sandbox, "v1");
    crate::bundles::small_base(&sandbox);
    succeeds(&run(
        &sandbox,
        "index add -b cm -t oci:index:v1 --binary-image oci:base:v1",
    ));
    let csv = csv(&sandbox, "bundle --api-source oci:index:v1");
    assert_eq!(required(&csv)[0]["version"], "v1");
}

#[test]
fn the_bundle_takes_precedence_over_indexes_and_indexes_over_other_sources() {
    let sandbox = without_hint();
    index(&sandbox, "v1beta1");
    write(&sandbox, "crds/certificates.yaml", crd("v1", "Certificate"));
    write(&sandbox, "more/certificates.yaml", crd("v3", "Certificate"));
    let version = |line: &str| required(&csv(&sandbox, line))[0]["version"].clone();
    assert_eq!(version("bundle --api-source crds --api-source index.db"), "v1beta1");
    assert_eq!(version("bundle --api-source more --api-source crds"), "v3");
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    write(
        &sandbox,
        "bundle/metadata/olm.yaml",
        format!("{olm}{}", HINT.replace("v1", "v2")),
    );
    assert_eq!(version("bundle --api-source index.db"), "v2");
}

#[test]
fn several_kinds_of_one_resource_are_an_error_that_names_them() {
    let sandbox = without_hint();
    write(&sandbox, "crds/certificates.yaml", crd("v1", "Certificate"));
    write(&sandbox, "more/certificates.yaml", crd("v1", "Paper"));
    for command in ["synthesize bundle", "build bundle -t oci:out:v1"] {
        let outcome = run(
            &sandbox,
            &format!("bundle {command} --api-source crds --api-source more"),
        );
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
        let line = place(&sandbox, "bundle/manifests/rbac.yaml", "certificates");
        assert_eq!(
            errors(&outcome),
            [("rbac-kind-ambiguous".to_owned(), line)],
            "{outcome}"
        );
        assert!(
            outcome.stderr.contains("Certificate in crds, Paper in more"),
            "{outcome}"
        );
    }
    assert!(!sandbox.path("out").exists());
}

#[test]
fn a_native_api_without_a_kind_is_completed() {
    let sandbox = without_hint();
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    let native = "apis:\n- group: cert-manager.io\n  resource: certificates\n  dependency: native\n";
    write(&sandbox, "bundle/metadata/olm.yaml", format!("{olm}{native}"));
    write(&sandbox, "crds/certificates.yaml", crd("v1", "Certificate"));
    let csv = csv(&sandbox, "bundle --api-source crds");
    let wanted = json!([{"group": "cert-manager.io", "kind": "Certificate", "version": "v1"}]);
    assert_eq!(csv["spec"]["nativeAPIs"], wanted);
}

#[test]
fn an_api_source_without_apis_is_an_error() {
    let sandbox = without_hint();
    write(
        &sandbox,
        "empty/config.yaml",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
    );
    write(&sandbox, "broken.yaml", "a: [");
    for (source, status, said) in [
        ("empty", 1, "empty contains no information about the APIs of a cluster"),
        ("broken.yaml", 1, "broken.yaml cannot be read"),
        ("./absent", 4, "cannot read ./absent"),
        ("oci:absent:v1", 4, "absent"),
    ] {
        let outcome = run(&sandbox, &format!("bundle synthesize bundle --api-source {source}"));
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(status), ""),
            "{outcome}"
        );
        assert!(outcome.stderr.contains(said), "{said:?} is not in\n{outcome}");
    }
}

#[test]
fn build_adds_looked_up_apis_to_the_image_but_not_to_the_folder() {
    let sandbox = without_hint();
    write(&sandbox, "crds/certificates.yaml", crd("v1", "Certificate"));
    sample(&sandbox, "samples/one.yaml", "Greenhouse", "peppers");
    let before = files(&sandbox.path("bundle"));
    let options = "--api-source crds --samples samples";
    succeeds(&run(&sandbox, &format!("bundle build bundle -t oci:out:v1 {options}")));
    assert_eq!(
        files(&sandbox.path("bundle")),
        before,
        "the author's files stay as they are"
    );
    assert_eq!(csv(&sandbox, "oci:out:v1"), csv(&sandbox, &format!("bundle {options}")));
    succeeds(&run(&sandbox, "bundle unpack oci:out:v1 -o unpacked"));
    let olm = read(&sandbox, "unpacked/metadata/olm.yaml");
    assert!(
        olm.contains("\n  categories: Monitoring\n") && olm.contains("peppers") && !olm.contains("tomatoes"),
        "{olm}"
    );
    assert!(olm.contains("resource: certificates"), "{olm}");
    let mut same: Vec<_> = files(&sandbox.path("unpacked")).into_iter().collect();
    same.retain(|(path, content)| before.get(path) != Some(content));
    assert_eq!(same.len(), 1, "only olm.yaml is another");
}

fn sample(sandbox: &Sandbox, path: &str, kind: &str, name: &str) {
    let text = format!(
        "apiVersion: garden.example.com/v1\nkind: {kind}\nmetadata:\n  name: {name}\nspec:\n  heating: \"on\"\n"
    );
    write(sandbox, path, text);
}

#[test]
fn samples_become_examples_in_a_fixed_order() {
    let sandbox = greenhouse();
    sample(&sandbox, "samples/a.yaml", "Sensor", "window");
    sample(&sandbox, "samples/z/b.yaml", "Greenhouse", "roses");
    sample(&sandbox, "samples/c.yml", "Greenhouse", "peppers");
    write(&sandbox, "samples/kustomization.yaml", "resources: [a.yaml]\n");
    write(&sandbox, "samples/README.md", "Samples.\n");
    let csv = csv(&sandbox, "bundle --samples samples");
    let text = csv["metadata"]["annotations"]["alm-examples"].as_str().unwrap();
    assert!(
        text.starts_with("[\n  {\n    \"apiVersion\": \"garden.example.com/v1\",\n    \"kind\": \"Greenhouse\",\n"),
        "{text}"
    );
    let examples: Value = serde_json::from_str(text).unwrap();
    let names: Vec<_> = examples
        .as_array()
        .unwrap()
        .iter()
        .map(|example| &example["metadata"]["name"])
        .collect();
    assert_eq!(names, ["peppers", "roses", "window"]);
    assert_eq!(examples[0]["spec"]["heating"], "on");

    for (from, to) in [("a.yaml", "1.yaml"), ("c.yml", "2.yaml"), ("z/b.yaml", "0.yaml")] {
        std::fs::rename(sandbox.path("samples").join(from), sandbox.path("samples").join(to)).unwrap();
    }
    assert_eq!(
        self::csv(&sandbox, "bundle --samples samples"),
        csv,
        "names of files mean nothing"
    );
}

#[test]
fn a_sample_of_an_unowned_kind_is_an_error_at_its_line() {
    let sandbox = greenhouse();
    sample(&sandbox, "samples/a.yaml", "Greenhouse", "roses");
    sample(&sandbox, "samples/b.yaml", "Tractor", "red");
    let wrong = place(&sandbox, "samples/b.yaml", "Tractor");
    for command in [
        "synthesize bundle",
        "build bundle -t oci:out:v1",
        "init bundle --overwrite",
    ] {
        let before = files(&sandbox.path("bundle"));
        let outcome = run(&sandbox, &format!("bundle {command} --samples samples"));
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
        let wanted = [("csv-example-without-provided-api".to_owned(), wrong.clone())];
        assert_eq!(errors(&outcome), wanted, "{outcome}");
        assert!(
            outcome.stderr.contains("Greenhouse (garden.example.com/v1)"),
            "{outcome}"
        );
        assert_eq!(files(&sandbox.path("bundle")), before);
    }
    let outcome = run(&sandbox, "bundle synthesize bundle --samples absent");
    assert_eq!(outcome.status, Some(4), "{outcome}");
    std::fs::create_dir(sandbox.path("none")).unwrap();
    let outcome = run(&sandbox, "bundle synthesize bundle --samples none");
    assert!(
        outcome.status == Some(1) && outcome.stderr.contains("contains no sample"),
        "{outcome}"
    );
}

#[test]
fn a_bundle_with_a_csv_accepts_neither_samples_nor_api_sources() {
    let sandbox = Sandbox::new();
    crate::bundle_files::copy(&sandbox, "compost-operator", "compost");
    sample(&sandbox, "samples/a.yaml", "Greenhouse", "roses");
    let outcome = run(&sandbox, "bundle build compost -t oci:out:v1 --samples samples");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stderr.contains("omit --samples and --api-source"), "{outcome}");
}

#[test]
fn init_records_what_it_finds_in_api_sources() {
    let sandbox = greenhouse();
    sample(&sandbox, "samples/a.yaml", "Greenhouse", "roses");
    write(&sandbox, "crds/certificates.yaml", crd("v1", "Certificate"));
    let line = "bundle init new --from bundle/manifests --samples samples --api-source crds";
    let outcome = run(&sandbox, line);
    succeeds(&outcome);
    // Only what the chosen install modes mean is left.
    let decisions: Vec<&str> = outcome
        .stderr
        .lines()
        .filter(|line| line.contains("to decide"))
        .collect();
    assert!(
        matches!(decisions[..], [one] if one.contains("under installModes")),
        "{outcome}"
    );
    let olm: Value = serde_yaml::from_str(&read(&sandbox, "new/metadata/olm.yaml")).unwrap();
    assert_eq!(olm["annotations"]["alm-examples"][0]["metadata"]["name"], "roses");
    assert_eq!(
        olm["apis"],
        json!([{"group": "cert-manager.io", "resource": "certificates", "kind": "Certificate", "version": "v1"}])
    );
    let csv = csv(&sandbox, "new");
    assert_eq!(required(&csv)[0]["version"], "v1");
    succeeds(&run(&sandbox, "bundle build new -t oci:out:v1"));
}

#[test]
fn init_treats_platform_apis_as_native() {
    let sandbox = greenhouse();
    edit(
        &sandbox,
        "bundle/manifests/rbac.yaml",
        "cert-manager.io",
        "route.openshift.io",
    );
    edit(&sandbox, "bundle/manifests/rbac.yaml", "[certificates]", "[routes]");
    succeeds(&run(&sandbox, "bundle init stubs --from bundle/manifests"));
    let olm = read(&sandbox, "stubs/metadata/olm.yaml");
    let stub = "# apis:\n# - group: route.openshift.io\n#   resource: routes\n#   kind: Route\n#   version: v1\n#   dependency: native  # the cluster";
    assert!(olm.contains(stub), "{olm}");
    write(
        &sandbox,
        "apis.txt",
        "NAME  SHORTNAMES  APIVERSION  NAMESPACED  KIND\nroutes  route.openshift.io/v1  true  Route\n",
    );
    succeeds(&run(
        &sandbox,
        "bundle init found --from bundle/manifests --api-source apis.txt",
    ));
    let wanted = json!([{"group": "route.openshift.io", "kind": "Route", "version": "v1"}]);
    assert_eq!(csv(&sandbox, "found")["spec"]["nativeAPIs"], wanted);
}

#[test]
fn init_proposes_unknown_platform_resources_as_native() {
    let sandbox = greenhouse();
    let rbac = "bundle/manifests/rbac.yaml";
    edit(&sandbox, rbac, "cert-manager.io", "operator.openshift.io");
    edit(&sandbox, rbac, "[certificates]", "[storages]");
    succeeds(&run(&sandbox, "bundle init stubs --from bundle/manifests"));
    let olm = read(&sandbox, "stubs/metadata/olm.yaml");
    let stub = |group: &str, dependency: &str| {
        format!(
            "# - group: {group}\n#   resource: storages\n#   kind: …\n#   version: …\n#   dependency: {dependency}  #"
        )
    };
    assert!(olm.contains(&stub("operator.openshift.io", "native")), "{olm}");
    let outcome = run(&sandbox, "bundle synthesize stubs");
    assert!(
        outcome
            .stderr
            .contains("resource: storages, kind: …, version: …, dependency: native}"),
        "{outcome}"
    );
    // Other operators define further groups of the domain.
    edit(&sandbox, rbac, "operator.openshift.io", "hive.openshift.io");
    succeeds(&run(&sandbox, "bundle init hive --from bundle/manifests"));
    let olm = read(&sandbox, "hive/metadata/olm.yaml");
    assert!(olm.contains(&stub("hive.openshift.io", "required")), "{olm}");
}

#[test]
fn init_lists_images_outside_containers_and_build_can_add_them_later() {
    let sandbox = greenhouse();
    edit(
        &sandbox,
        "bundle/manifests/deployment.yaml",
        "      containers:\n",
        "      initContainers:\n      - {name: setup, image: 'registry.example.com/garden/setup:1', \
         args: ['--sensor-image=registry.example.com/garden/sensor:1']}\n      containers:\n",
    );
    succeeds(&run(&sandbox, "bundle init new --from bundle/manifests"));
    let olm: Value = serde_yaml::from_str(&read(&sandbox, "new/metadata/olm.yaml")).unwrap();
    let image =
        |name: &str, image: &str| json!({"name": name, "image": format!("registry.example.com/garden/{image}")});
    let sensor = image("sensor", "sensor:1");
    let images = olm["relatedImages"].as_array().unwrap();
    assert!(images.contains(&sensor), "{images:?}");
    for image in images {
        let image = image["image"].as_str().unwrap();
        assert!(
            !image.contains("/setup:") && !image.contains("/greenhouse-operator:"),
            "{image}"
        );
    }

    let outcome = run(&sandbox, "bundle validate bundle");
    succeeds(&outcome);
    let place = place(&sandbox, "bundle/manifests/deployment.yaml", "'--sensor-image");
    let said = format!("{outcome}");
    assert!(
        said.contains("related-image-missing") && said.contains(&place),
        "{place}: {outcome}"
    );
    assert!(
        said.contains("- name: sensor\n             image: registry.example.com/garden/sensor:1"),
        "{outcome}"
    );
    let outcome = run(&sandbox, "bundle build bundle -t oci:out:v1 --related-images");
    assert!(
        outcome
            .stderr
            .contains("related image sensor: registry.example.com/garden/sensor:1\n"),
        "{outcome}"
    );
    assert!(
        csv(&sandbox, "oci:out:v1")["spec"]["relatedImages"]
            .as_array()
            .unwrap()
            .contains(&sensor)
    );
}

#[test]
fn a_related_image_of_the_previous_release_is_an_error() {
    let sandbox = greenhouse();
    let old = "relatedImages:\n- {name: operator, image: 'registry.example.com/garden/greenhouse-operator:1.1.0'}\n";
    edit(&sandbox, "bundle/metadata/olm.yaml", "relatedImages:\n", old);
    let outcome = run(&sandbox, "bundle validate bundle -o json");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(outcome.stdout.contains("related-image-outdated"), "{outcome}");
}

#[test]
fn an_icon_is_read_from_its_file_and_shipped_with_the_bundle() {
    let sandbox = greenhouse();
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    let icon = olm.lines().find(|line| line.starts_with("icon: ")).unwrap().to_owned();
    let inline = csv(&sandbox, "bundle")["spec"]["icon"].clone();
    edit(&sandbox, "bundle/metadata/olm.yaml", &icon, "icon: metadata/icon.svg");
    let outcome = run(&sandbox, "bundle synthesize bundle");
    let named = place(&sandbox, "bundle/metadata/olm.yaml", "metadata/icon.svg");
    assert_eq!(errors(&outcome), [("olm-icon-file".to_owned(), named)], "{outcome}");

    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 8\"><path d=\"M4 1L1 4h1v3h4V4h1z\"/></svg>";
    write(&sandbox, "bundle/metadata/icon.svg", svg);
    assert_eq!(csv(&sandbox, "bundle")["spec"]["icon"], inline);
    succeeds(&run(&sandbox, "bundle build bundle -t oci:out:v1"));
    assert_eq!(csv(&sandbox, "oci:out:v1")["spec"]["icon"], inline);
    let outcome = run(&sandbox, "bundle synthesize bundle --explain -o json");
    assert!(succeeds(&outcome).contains("the file in base64"), "{outcome}");

    for (start, kind) in [
        (&b"\x89PNG\r\n\x1a\n"[..], "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"\n<?xml version=\"1.0\"?><svg/>", "image/svg+xml"),
    ] {
        write(&sandbox, "bundle/metadata/icon.svg", start);
        assert_eq!(csv(&sandbox, "bundle")["spec"]["icon"][0]["mediatype"], kind);
    }
    write(&sandbox, "bundle/metadata/icon.svg", "no image");
    let outcome = run(&sandbox, "bundle synthesize bundle");
    assert!(
        findings(&outcome).iter().any(|(title, _)| title == "error[olm-icon]"),
        "{outcome}"
    );
}

#[test]
fn a_release_is_part_of_the_name() {
    let sandbox = greenhouse();
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    write(&sandbox, "bundle/metadata/olm.yaml", format!("{olm}release: \"2\"\n"));
    let outcome = run(&sandbox, "bundle build bundle -t oci:out:v1");
    assert!(
        outcome.stderr.contains("must be greenhouse-operator-v1.2.0-2,"),
        "{outcome}"
    );
    edit(
        &sandbox,
        "bundle/metadata/olm.yaml",
        "greenhouse-operator.v1.2.0",
        "greenhouse-operator-v1.2.0-2",
    );
    assert_eq!(csv(&sandbox, "bundle")["spec"]["release"], "2");
}

#[test]
fn every_command_that_synthesizes_a_bundle_accepts_api_sources() {
    let sandbox = without_hint();
    write(&sandbox, "crds/certificates.yaml", crd("v1", "Certificate"));
    let installed = "---\n{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: greenhouse, \
        namespace: operators}, spec: {name: greenhouse-operator, source: c, sourceNamespace: olm}, status: {installedCSV: \
        greenhouse-operator.v1.2.0}}\n---\n{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, \
        metadata: {name: greenhouse-operator.v1.2.0, namespace: operators}, spec: {version: 1.2.0}}\n";
    write(&sandbox, "dump.yaml", installed);
    fs::create_dir(sandbox.path("catalog")).unwrap();
    write(
        &sandbox,
        "template.yaml",
        "schema: olm.semver\ngenerateMajorChannels: true\nstable: {bundles: [{image: bundle}]}\n",
    );
    for line in [
        "bundle validate bundle",
        "bundle convert bundle converted --to registry+v1",
        "operator dump.yaml --bundle bundle",
        "bundle inspect bundle",
        "plan bundle",
        "permissions bundle",
        "registry add -b bundle -d new.db --record-as registry.example.com/greenhouse:v1",
        "catalog add catalog -b bundle",
        "render bundle",
        "alpha render-template template.yaml",
    ] {
        let without = run(&sandbox, line);
        assert_eq!(without.status, Some(1), "{line}: {without}");
        let said = format!("{}{}", without.stdout, without.stderr);
        assert!(said.contains("rbac-kind-unknown"), "{line}: {without}");
        succeeds(&run(&sandbox, &format!("{line} --api-source crds")));
    }
    // The place of another finding is that of the file, which stays as it is.
    let olm = read(&sandbox, "bundle/metadata/olm.yaml");
    write(&sandbox, "bundle/metadata/olm.yaml", format!("{olm}Maturity: beta\n"));
    let place = place(&sandbox, "bundle/metadata/olm.yaml", "Maturity");
    let outcome = run(&sandbox, "bundle validate bundle --api-source crds");
    assert!(outcome.stdout.contains(&place), "{place}: {outcome}");
}
