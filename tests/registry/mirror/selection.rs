//! The selection of content, from files and from clusters.

use super::garden::{Garden, said};
use super::proxy::{Act, Proxy};
use crate::http::Reply;
use crate::tools::installed;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opmx::image::{ImageConfig, build};
use serde_json::{Value, json};
use std::fs;

/// The bundles that a plan keeps, by channel.
fn kept(plan: &Value) -> Vec<String> {
    let packages = plan["catalogs"][0]["kept"].as_array().unwrap().iter();
    let channels = packages.flat_map(|package| package["channels"].as_array().unwrap());
    let entries = channels.flat_map(|channel| channel["entries"].as_array().unwrap());
    let mut names: Vec<String> = entries.map(|entry| entry.as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_image_set_configuration_is_planned_and_copied() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let (host, to) = (&garden.source.host, garden.to());
    let catalog = garden.path("catalog.yaml");
    fs::write(
        garden.path("set.yaml"),
        format!(
            "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  platform: {{graph: true}}\n  operators:\n  \
             - catalog: {}\n    targetCatalog: my/catalog\n    targetTag: v9\n    packages:\n    - name: greenhouse-operator\n      \
             channels: [{{name: stable, minVersion: 1.1.0}}]\n  additionalImages: [{{name: '{host}/proxy/rbac:v0.15', targetRepo: mine/rbac}}]\n  \
             blockedImages: [{{name: '/garden/greenhouse:'}}]\n",
            catalog.display()
        ),
    )
    .unwrap();
    let text = garden.ok(&format!("mirror plan -c set.yaml --to {to} --use-http --no-binary"));
    assert!(text.contains("mirror.platform is ignored"), "{text}");
    assert!(text.contains("it is blocked by the pattern"), "{text}");
    let plan = garden.json("plan.json");
    assert_eq!(kept(&plan), ["c.v1.4.0", "g.v1.1.0", "g.v1.1.1", "g.v1.2.0"]);
    assert_eq!(plan["catalogs"][0]["destination"], json!(format!("{to}/my/catalog:v9")));
    assert_eq!(
        plan["left_out"][0]["image"],
        json!(format!("{host}/garden/greenhouse:v1.2.0"))
    );
    garden.ok("mirror copy plan.json --use-http");
    let client = garden.client();
    assert!(client.find(&format!("{to}/my/catalog:v9")).is_some());
    assert!(client.find(&format!("{to}/mine/rbac:v0.15")).is_some());
    // A plan without a target remembers the requested places.
    garden.ok("mirror plan -c set.yaml --use-http --no-binary -o later.json");
    let late = format!("{}/late", garden.target.host);
    garden.ok(&format!("mirror copy later.json --to {late} --use-http"));
    assert!(client.find(&format!("{late}/my/catalog:v9")).is_some());
    assert!(client.find(&format!("{late}/mine/rbac:v0.15")).is_some());
    // What the file blocks is not missing.
    garden.ok("mirror plan -c set.yaml --use-http --no-binary --deny left-out");
}

#[test]
fn a_cluster_gets_its_installed_versions_and_their_upgrades() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let subscription = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: g, namespace: ns}\n\
        spec: {name: greenhouse-operator, channel: stable, source: cs, sourceNamespace: olm}\nstatus: {installedCSV: g.v1.1.1}\n";
    let version = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: g.v1.1.1, namespace: ns}\n\
        spec: {version: 1.1.1}\n";
    fs::write(garden.path("dump.yaml"), format!("{subscription}---\n{version}")).unwrap();
    let output = garden.run("mirror plan --cluster dump.yaml --use-http --no-binary");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains("there is no CatalogSource cs with an image"),
        "{}",
        said(&output)
    );
    garden.ok("mirror plan --cluster dump.yaml --catalog cs=catalog.yaml --use-http --no-binary");
    assert_eq!(kept(&garden.json("plan.json")), ["c.v1.4.0", "g.v1.1.1", "g.v1.2.0"]);
}

/// Returns ClusterCatalogs with names, availability modes and priorities, and a ClusterExtension with these fields.
fn of_olm_v1(catalogs: &[(&str, &str, i32)], extension: &str) -> String {
    let mut text = String::new();
    for (name, mode, priority) in catalogs {
        text.push_str(&format!(
            "apiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata: {{name: {name}, labels: {{tier: a}}}}\n\
             spec: {{priority: {priority}, availabilityMode: {mode}, source: {{type: Image, image: {{ref: registry.example.com/{name}:v1}}}}}}\n---\n"
        ));
    }
    text.push_str(&format!(
        "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {{name: g}}\n\
         spec: {{namespace: g, source: {{sourceType: Catalog, catalog: {{packageName: greenhouse-operator, {extension}}}}}}}\n"
    ));
    text
}

#[test]
fn a_cluster_extension_gets_the_versions_that_its_range_allows() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let plan = "mirror plan --cluster dump.yaml --catalog one=catalog.yaml --use-http --no-binary";
    let catalogs = [("one", "Available", 0), ("two", "Unavailable", 0)];
    for (extension, status, expected) in [
        ("version: 1.1.x", "", &["g.v1.1.1"][..]),
        (
            "version: 1.1.0, upgradeConstraintPolicy: SelfCertified",
            "status: {install: {bundle: {name: g.v1.2.0, version: 1.2.0}}}\n",
            &["c.v1.4.0", "g.v1.1.0", "g.v1.1.1", "g.v1.2.0"],
        ),
    ] {
        fs::write(garden.path("dump.yaml"), of_olm_v1(&catalogs, extension) + status).unwrap();
        garden.ok(plan);
        assert_eq!(kept(&garden.json("plan.json")), expected, "{extension}");
    }
    // OLM v1 looks into all catalogs that the selector matches, and refuses to choose between equal priorities.
    let text = of_olm_v1(&[("one", "Available", 0), ("two", "Available", 0)], "version: 1.1.x");
    fs::write(garden.path("dump.yaml"), text).unwrap();
    fs::copy(garden.path("catalog.yaml"), garden.path("other.yaml")).unwrap();
    let text = garden.ok(&format!("{plan} --catalog two=other.yaml"));
    assert!(text.contains("have the same priority"), "{text}");
    let plan = garden.json("plan.json");
    let sources = plan["catalogs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|catalog| &catalog["source"]);
    assert_eq!(sources.collect::<Vec<_>>(), ["catalog.yaml", "other.yaml"]);
}

#[test]
fn two_cluster_catalogs_with_the_same_index_and_priority_are_a_contested_choice() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let plan =
        "mirror plan --cluster dump.yaml --catalog one=catalog.yaml --catalog two=catalog.yaml --use-http --no-binary";
    let warning = "the ClusterCatalogs one and two have the same priority";
    for (priority, is_contested) in [(0, true), (1, false)] {
        let catalogs = [("one", "Available", 0), ("two", "Available", priority)];
        fs::write(garden.path("dump.yaml"), of_olm_v1(&catalogs, "version: 1.1.x")).unwrap();
        let text = garden.ok(plan);
        assert_eq!(text.contains(warning), is_contested, "{text}");
        assert_eq!(kept(&garden.json("plan.json")), ["g.v1.1.1"]);
    }
}

#[test]
fn a_cluster_extension_gets_no_version_after_one_that_olm_v1_does_not_install() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let status = "status: {install: {bundle: {name: g.v1.0.0, version: 1.0.0}}}\n";
    let dump = of_olm_v1(&[("one", "Available", 0)], "channels: [stable]") + status;
    fs::write(garden.path("dump.yaml"), dump).unwrap();
    let catalog = fs::read_to_string(garden.path("catalog.yaml")).unwrap();
    let requires = "- type: olm.package.required\n  value: {packageName: certs-operator, versionRange: '>=1.0.0'}\n";
    let needing = catalog
        .replace("'>=1.0.0 <1.2.0'", "'>=1.1.1 <1.2.0'")
        .replace(requires, "")
        .replace("version: 1.1.1}\n", &format!("version: 1.1.1}}\n{requires}"));
    let without = needing.replace(requires, "");
    let warning = "OLM v1 does not install g.v1.1.1 for the ClusterExtension g: it has dependencies (package \
        \"certs-operator\"); the plan includes this bundle, but no later ones";
    for (catalog, expected, is_refused) in [
        (needing, &["c.v1.4.0", "g.v1.0.0", "g.v1.1.1"], true),
        (without, &["g.v1.0.0", "g.v1.1.1", "g.v1.2.0"], false),
    ] {
        fs::write(garden.path("catalog.yaml"), catalog).unwrap();
        let text = garden.ok("mirror plan --cluster dump.yaml --catalog one=catalog.yaml --use-http --no-binary");
        assert_eq!(kept(&garden.json("plan.json")), expected, "{text}");
        assert_eq!(text.contains(warning), is_refused, "{text}");
    }
}

#[test]
fn a_skipped_package_of_a_cluster_is_reported_and_can_be_denied() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let plan = "mirror plan --cluster dump.yaml --catalog one=catalog.yaml --use-http --no-binary";
    let catalogs = [("one", "Available", 0)];
    for (extension, reason) in [
        ("version: banana", "its version \"banana\" is not a valid range"),
        (
            "version: 9.x",
            "no bundle of package \"greenhouse-operator\" has a version in the range \"9.x\"",
        ),
        (
            "selector: {matchLabels: {tier: z}}",
            "its selector matches none of the ClusterCatalogs: one",
        ),
    ] {
        let skipped = of_olm_v1(&catalogs, extension);
        fs::write(garden.path("dump.yaml"), &skipped).unwrap();
        let output = garden.run(plan);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        let expected = format!("warning: the ClusterExtension g is skipped, because {reason}");
        assert!(text.contains(&expected), "{text}");
        assert!(
            text.contains("error: none of the packages that the cluster uses can be mirrored"),
            "{text}"
        );
        let other = of_olm_v1(&[], "channels: [stable]").replace("name: g}", "name: other}");
        fs::write(garden.path("dump.yaml"), format!("{skipped}---\n{other}")).unwrap();
        let output = garden.run(&format!("{plan} --deny left-out"));
        let text = said(&output);
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains("the plan lacks 1 cluster package"), "{text}");
    }
}

#[test]
fn the_same_selection_gives_the_same_plan_and_catalog() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let one = garden.plan("greenhouse-operator");
    let two = garden.plan("greenhouse-operator");
    assert_eq!(one, two);
    assert_eq!(kept(&one), ["c.v1.4.0", "g.v1.2.0", "g.v2.0.0-rc1"]);
    // What the filtered catalog names is in the plan.
    let digest = one["catalogs"][0]["digest_after"].as_str().unwrap();
    let layout = garden.path("plan.catalogs");
    garden.ok(&format!("index check oci:{}:catalog-0", layout.display()));
    assert!(layout.join("blobs/sha256").join(&digest[7..]).exists());
}

#[test]
fn the_table_shows_the_size_of_each_channel() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let to = garden.to();
    let text = garden.ok(&format!(
        "mirror plan --catalog catalog.yaml -p greenhouse-operator --to {to} --no-binary --use-http"
    ));
    for part in [
        "PACKAGE",
        "UNSHARED",
        "greenhouse-operator",
        "candidate",
        "certs-operator",
        "included package certs-operator",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn images_without_a_requested_platform_are_omitted() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let line = "mirror plan --catalog catalog.yaml -p greenhouse-operator=stable --platforms linux/s390x --use-http --no-binary";
    let text = garden.ok(line);
    let why = "it is only for linux/amd64, linux/arm64, none of which was requested";
    assert!(text.contains(why), "{text}");
    let plan = garden.json("plan.json");
    let image = format!("{}/garden/greenhouse:v1.2.0", garden.source.host);
    assert_eq!(plan["left_out"][0]["image"], json!(image));
    assert_eq!(plan["left_out"][0]["why"], json!(why));
    let output = garden.run(&format!("{line} --deny left-out"));
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn images_that_a_bundle_only_mentions_are_reported_and_can_be_requested_or_denied() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let image = format!("{}/certs/op:v1.4.0", garden.source.host);
    let container = json!({"name": "c", "image": format!("{}/garden/greenhouse:v1.2.0", garden.source.host),
        "env": [{"name": "RELATED_IMAGE_CERTS", "value": image}]});
    let pod = json!({"template": {"spec": {"containers": [container]}}});
    let csv = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": "g.v2.0.0-rc1"}, "spec": {"install": {"spec": {"deployments": [{"spec": pod}]}}}});
    let data = STANDARD.encode(csv.to_string());
    let catalog = fs::read_to_string(garden.path("catalog.yaml")).unwrap();
    let (before, after) = catalog.split_once("name: g.v2.0.0-rc1\npackage: ").unwrap();
    let after = after.replacen(
        "properties:\n",
        &format!("properties:\n- {{type: olm.bundle.object, value: {{data: {data}}}}}\n"),
        1,
    );
    let catalog = format!("{before}name: g.v2.0.0-rc1\npackage: {after}");
    fs::write(garden.path("catalog.yaml"), catalog).unwrap();
    let line = "mirror plan --catalog catalog.yaml -p greenhouse-operator=candidate --default-channel \
                greenhouse-operator=candidate --use-http --no-binary";
    let text = garden.ok(line);
    let why = format!("the plan lacks {image}: g.v2.0.0-rc1 mentions it but does not list it as a related image");
    assert!(text.contains(&why), "{text}");
    let output = garden.run(&format!("{line} --deny unlisted"));
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let text = garden.ok(&format!("{line} --deny unlisted --image {image}"));
    assert!(!text.contains("lacks"), "{text}");
}

#[test]
fn platforms_requested_in_several_places_are_all_planned() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let image = format!("{}/garden/greenhouse", garden.source.host);
    let digest = garden.operator[0];
    fs::write(
        garden.path("set.yaml"),
        format!(
            "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  additionalImages:\n  \
             - {{name: '{image}:v1.2.0', platforms: [{{os: linux, architecture: amd64}}]}}\n  \
             - {{name: '{image}@{digest}', platforms: [{{os: linux, architecture: arm64}}]}}\n"
        ),
    )
    .unwrap();
    garden.ok("mirror plan -c set.yaml --use-http --no-binary");
    let plan = garden.json("plan.json");
    assert_eq!(plan["images"][0]["platforms"], json!(["linux/amd64", "linux/arm64"]));
    assert_eq!(plan["images"][0].get("platforms_left_out"), None);
    garden.ok(&format!("mirror copy plan.json --to {} --use-http", garden.to()));
    for digest in garden.operator {
        let copied = garden
            .client()
            .find(&format!("{}/garden/greenhouse@{digest}", garden.to()));
        assert!(copied.is_some(), "{digest}");
    }
}

#[test]
fn an_image_index_without_one_of_its_images_is_left_out_with_its_platform() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let (host, digest) = (&garden.source.host, garden.operator[2]);
    let broken = Proxy::start(host, move |request, _| {
        if request.path.contains(&format!("/manifests/{digest}")) {
            return Act::Answer(Reply::new(
                404,
                r#"{"errors":[{"code":"MANIFEST_UNKNOWN","message":"gone"}]}"#,
            ));
        }
        Act::Pass
    });
    let line = format!(
        "mirror plan --image {}/garden/greenhouse:v1.2.0 --use-http",
        broken.host()
    );
    let output = garden.run(&line);
    let text = said(&output);
    let why = format!("its image {digest} for linux/arm64 cannot be read: not found: ");
    assert!(text.contains(&why), "{text}");
    assert!(
        text.contains("hint: to mirror the image without this platform"),
        "{text}"
    );
    let text = garden.ok(&format!("{line} --platforms linux/amd64"));
    assert!(!text.contains("left out"), "{text}");
}

#[test]
fn images_of_documents_of_other_schemas_are_mirrored() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let host = &garden.source.host;
    let mut catalog = fs::read_to_string(garden.path("catalog.yaml")).unwrap();
    catalog.push_str(&format!(
        "---\nschema: my.custom\npackage: certs-operator\nrelatedImages:\n- {{name: z, image: {host}/proxy/rbac:v0.15}}\n\
         ---\nschema: my.custom\nname: other\npackage: greenhouse-operator\nimage: {host}/garden/greenhouse:v1.2.0\n"
    ));
    fs::write(garden.path("catalog.yaml"), catalog).unwrap();
    let plan = garden.plan("certs-operator");
    let images = plan["images"].as_array().unwrap().iter();
    let sources: Vec<&str> = images.map(|image| image["source"].as_str().unwrap()).collect();
    assert!(
        sources.iter().any(|source| source.contains("/proxy/rbac@")),
        "{sources:?}"
    );
    assert!(
        !sources.iter().any(|source| source.contains("/garden/greenhouse@")),
        "{sources:?}"
    );
}

#[test]
fn an_image_named_with_a_transport_is_mirrored() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let image = format!("{}/garden/greenhouse", garden.source.host);
    let catalog = fs::read_to_string(garden.path("catalog.yaml")).unwrap();
    let named = catalog.replace(&format!("image: {image}:"), &format!("image: docker://{image}:"));
    assert_ne!(named, catalog);
    let plain = garden.plan("greenhouse-operator");
    fs::write(garden.path("catalog.yaml"), named).unwrap();
    let plan = garden.plan("greenhouse-operator");
    assert_eq!(plan["extras"], plain["extras"]);
    let sources = |plan: &Value| {
        let images = plan["images"].as_array().unwrap().iter();
        images.map(|image| image["source"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(sources(&plan), sources(&plain));
    garden.ok("mirror manifests plan.json -o manifests --kind mapping.txt");
    let mapping = fs::read_to_string(garden.path("manifests/mapping.txt")).unwrap();
    assert!(mapping.contains(&image) && !mapping.contains("docker:"), "{mapping}");
}

#[test]
fn channels_without_a_selected_version_are_reported() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let text = garden.ok("mirror plan --catalog catalog.yaml -p greenhouse-operator@<2.0.0-0 --use-http --no-binary");
    let told = "package greenhouse-operator: left out 1 channel without a selected version: candidate";
    assert!(text.contains(told), "{text}");
    let kept = garden.json("plan.json")["catalogs"][0]["kept"].clone();
    let kept = kept.as_array().unwrap().iter();
    let left_out: Vec<&Value> = kept.filter_map(|package| package.get("channels_left_out")).collect();
    assert_eq!(left_out, [&json!(["candidate"])]);
}

#[test]
fn an_empty_selection_reports_what_is_missing() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let output = garden.run("mirror plan --catalog catalog.yaml -p greenhouse-operatr --use-http --no-binary");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(
        text.contains("error: catalog.yaml has no package \"greenhouse-operatr\""),
        "{text}"
    );
    assert!(text.contains("did you mean \"greenhouse-operator\"?"), "{text}");
    let output = garden.run("mirror plan --catalog catalog.yaml -p greenhouse-operator=candidate@>=2.0.0 --no-binary");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("2.0.0-rc1 is below 2.0.0"), "{text}");
    assert!(
        text.contains("begin the range at 2.0.0-0 to include 2.0.0-rc1"),
        "{text}"
    );
}

#[test]
fn versions_of_installed_bundles_fall_back_to_the_catalog() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let dump = |installed: &str| {
        let text = format!(
            "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {{name: g, namespace: ns}}\n\
             spec: {{name: greenhouse-operator, channel: stable, source: cs, sourceNamespace: olm}}\n\
             status: {{installedCSV: {installed}}}\n"
        );
        fs::write(garden.path("dump.yaml"), text).unwrap();
    };
    let plan = "mirror plan --cluster dump.yaml --catalog cs=catalog.yaml --use-http --no-binary";
    dump("g.v1.1.1");
    let text = garden.ok(plan);
    assert!(!text.contains("unknown"), "{text}");
    assert_eq!(kept(&garden.json("plan.json")), ["c.v1.4.0", "g.v1.1.1", "g.v1.2.0"]);
    dump("g.v0.9.0");
    let text = garden.ok(plan);
    assert!(
        text.contains("warning: the version of g.v0.9.0, which is installed, is unknown"),
        "{text}"
    );
    assert_eq!(kept(&garden.json("plan.json")), ["c.v1.4.0", "g.v1.2.0"]);
}

#[test]
fn an_index_for_a_catalog_missing_from_the_cluster_is_an_error() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let dump = "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata: {name: cs, namespace: olm}\n\
        spec: {image: registry.example.com/catalog:v1}\n";
    fs::write(garden.path("dump.yaml"), dump).unwrap();
    let output = garden.run("mirror plan --cluster dump.yaml --catalog sc=catalog.yaml --use-http --no-binary");
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let text = said(&output);
    assert!(
        text.contains("error: the cluster has no CatalogSource or ClusterCatalog sc") && text.contains("are cs"),
        "{text}"
    );
}

#[test]
fn platforms_lost_by_a_rebuilt_catalog_are_reported() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    fs::create_dir(garden.path("folder")).unwrap();
    fs::copy(garden.path("catalog.yaml"), garden.path("folder/catalog.yaml")).unwrap();
    garden.ok("catalog build folder -t oci:layout:v1 --no-binary --all-platforms");
    let plan = "mirror plan --catalog oci:layout:v1 -p certs-operator --use-http";
    let text = garden.ok(plan);
    assert!(
        text.contains("warning: the catalog oci:layout:v1 also supported ") && text.contains("linux/s390x"),
        "{text}"
    );
    let text = garden.ok(&format!("{plan} --platforms linux/amd64"));
    assert!(!text.contains("also supported"), "{text}");
    let text = garden.ok(&format!("{plan} --platforms linux/s390x"));
    let lacking = "built from oci:layout:v1 does not support all requested platforms: linux/s390x is missing";
    assert!(text.contains(lacking), "{text}");
    let text = garden.ok(&format!("{plan} --platforms linux/s390x --no-binary"));
    assert!(!text.contains("does not support"), "{text}");
}

#[test]
fn a_single_image_for_another_platform_is_omitted_if_it_starts_a_program() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let program = ImageConfig {
        entrypoint: vec!["/run".to_owned()],
        ..ImageConfig::default()
    };
    let program = build(&program, Vec::new()).unwrap();
    let host = &garden.source.host;
    garden.client().push(&program, &format!("{host}/tools/run:v1"));
    let line =
        format!("mirror plan --image {host}/tools/run:v1 --image {host}/proxy/rbac:v0.15 --use-http --platforms");
    let text = garden.ok(&format!("{line} linux/arm64"));
    let left_out = format!("left out {host}/tools/run:v1: it is only for linux/amd64, none of which was requested");
    assert!(text.contains(&left_out), "{text}");
    assert_eq!(garden.json("plan.json")["images"].as_array().unwrap().len(), 1);
    let text = garden.ok(&format!("{line} linux/amd64"));
    assert!(!text.contains("left out"), "{text}");
}

#[test]
fn a_catalog_in_a_layout_without_a_tag_is_latest() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    fs::create_dir(garden.path("folder")).unwrap();
    fs::copy(garden.path("catalog.yaml"), garden.path("folder/catalog.yaml")).unwrap();
    garden.ok("catalog build folder -t oci:layout:v1 --no-binary");
    fs::write(
        garden.path("set.yaml"),
        format!(
            "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n  \
             - catalog: oci://{}\n",
            garden.path("layout").display()
        ),
    )
    .unwrap();
    let to = garden.to();
    garden.ok(&format!("mirror plan -c set.yaml --to {to} --use-http --no-binary"));
    let plan = garden.json("plan.json");
    assert_eq!(plan["catalogs"][0]["destination"], json!(format!("{to}/layout:latest")));
}

#[test]
fn an_unchanged_catalog_without_a_program_is_extracted_by_the_cluster() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    fs::create_dir(garden.path("folder")).unwrap();
    fs::copy(garden.path("catalog.yaml"), garden.path("folder/catalog.yaml")).unwrap();
    garden.ok("catalog build folder -t oci:layout:v1 --no-binary");
    let to = garden.to();
    garden.ok(&format!(
        "mirror plan --catalog oci:layout:v1 --all --to {to} --use-http -o plan.json"
    ));
    let plan = garden.json("plan.json");
    assert_eq!(plan["catalogs"][0]["rebuilt"], json!(false));
    assert_eq!(plan["catalogs"][0]["folder"], json!("/configs"));
    garden.ok("mirror manifests plan.json -o manifests --kind catalogsource --catalog-name oci:layout:v1=garden");
    let source = fs::read_to_string(garden.path("manifests/catalogsource-garden.yaml")).unwrap();
    assert!(
        source.contains("extractContent:\n      catalogDir: /configs\n"),
        "{source}"
    );
}

#[test]
fn findings_about_a_catalog_use_the_requested_name() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let catalog = fs::read_to_string(garden.path("catalog.yaml")).unwrap();
    let wrong = catalog.replace("'>=1.0.0 <1.2.0'", "'>=1.0.0 <x'");
    assert_ne!(wrong, catalog);
    fs::write(garden.path("catalog.yaml"), wrong).unwrap();
    let text = garden.ok("mirror plan --catalog catalog.yaml --use-http --no-binary");
    assert!(
        text.contains("warning[catalog-skip-range]: catalog.yaml: the skipRange") && !text.contains("catalog.json"),
        "{text}"
    );
}

#[test]
fn a_catalog_with_a_tag_and_a_digest_is_named_by_its_tag() {
    if !installed(&["docker-registry"]) {
        return;
    }
    let garden = Garden::new();
    let (host, to) = (&garden.source.host, garden.to());
    fs::create_dir(garden.path("catalog")).unwrap();
    fs::rename(garden.path("catalog.yaml"), garden.path("catalog/catalog.yaml")).unwrap();
    for tag in ["v0", "v1"] {
        garden.ok(&format!(
            "catalog build catalog --no-binary -t {host}/org/cat:{tag} --use-http"
        ));
    }
    let (_, digest) = garden.client().tags(&format!("{host}/org/cat")).remove(0);
    for (name, target) in [("placed", format!("--to {to}")), ("open", String::new())] {
        garden.ok(&format!(
            "mirror plan --catalog {host}/org/cat:v1@{digest} --all {target} --use-http -o {name}.json"
        ));
        garden.ok(&format!(
            "mirror manifests {name}.json --to {to} --kind catalogsource -o {name}"
        ));
        let object = fs::read_to_string(garden.path(name).join("catalogsource-cat-v1.yaml")).unwrap();
        assert!(object.contains(&format!("image: {to}/org/cat:v1\n")), "{object}");
    }
    // Two catalogs that only differ in their tag at the source.
    let set = format!(
        "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n  \
         - {{catalog: '{host}/org/cat:v1'}}\n  - {{catalog: '{host}/org/cat:v0', targetTag: v1}}\n"
    );
    fs::write(garden.path("set.yaml"), set).unwrap();
    let output = garden.run(&format!("mirror plan -c set.yaml --to {to} --no-binary --use-http"));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("hint: set targetCatalog or targetTag"), "{text}");
    assert!(!text.contains("--max-nested-paths"), "{text}");
}
