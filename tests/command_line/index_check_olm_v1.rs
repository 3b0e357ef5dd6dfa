//! `index check --for olm-v1` and the suite `olm-v1`: the bundles that OLM v1 does not install.

use crate::bundles::{outcome_of, rake, succeed};
use crate::common::{Outcome, Sandbox};
use serde_json::Value;
use std::fs;

/// A property that OLM v1 rejects.
const NEEDS: &str = "- {type: olm.gvk.required, value: {group: g, version: v1, kind: K}}\n";
const ALL: &str = "- {type: olm.csv.metadata, value: {installModes: [{type: AllNamespaces, supported: true}]}}\n";

/// Returns a package with these channels, as JSON, and bundles, each with its properties.
fn package(name: &str, channels: &[(&str, &str)], bundles: &[(&str, &str)]) -> String {
    let mut text = format!(
        "---\nschema: olm.package\nname: {name}\ndefaultChannel: {}\n",
        channels[0].0
    );
    for (channel, entries) in channels {
        text += &format!("---\nschema: olm.channel\npackage: {name}\nname: {channel}\nentries: {entries}\n");
    }
    for (version, properties) in bundles {
        text += &format!(
            "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: registry.example.com/p:{version}\n\
             properties:\n- {{type: olm.package, value: {{packageName: {name}, version: {version}}}}}\n{properties}"
        );
    }
    text
}

fn check(catalog: &str) -> Outcome {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("catalog")).unwrap();
    fs::write(sandbox.path("catalog/p.yaml"), catalog).unwrap();
    sandbox.run("index check catalog --for olm-v1".split(' '))
}

#[test]
fn bundles_that_olm_v1_chooses_but_does_not_install_are_reported_with_what_they_block() {
    let channels = [
        ("a", "[{name: p.v2.0.0, skips: [p.v3.0.0]}, {name: p.v3.0.0}]"),
        ("b", "[{name: p.v2.0.0}]"),
    ];
    let catalog = package("p", &channels, &[("2.0.0", ""), ("3.0.0", NEEDS)]);
    insta::assert_snapshot!(check(&catalog), @r#"
    warning[cluster-olm-v1-unseen]: the index contains no manifests of 1 bundle that OLM v1 may install (p.v2.0.0), so only its properties were checked
     |
     = help: Check the images of these bundles with the suite olm-v1.

    error[cluster-olm-v1]: OLM v1 does not install bundle "p.v3.0.0": it has dependencies (K (g/v1)); in channel "a" of package "p", and for ClusterExtensions without channels, new installations fail
      --> catalog/p.yaml:25:7
       |
    25 | name: p.v3.0.0
       |       ^^^^^^^^
       |
       = note: in olm.bundle/p.v3.0.0
       = help: Remove the dependencies, and document what users have to install beforehand.

    1 error, 1 warning
    ------- exit 1 -------
    "#);
    let deprecations = "---\nschema: olm.deprecations\npackage: p\nentries:\n\
        - {reference: {schema: olm.bundle, name: p.v3.0.0}, message: Broken.}\n";
    let outcome = check(&(catalog + deprecations));
    assert!(!outcome.stdout.contains("cluster-olm-v1]"), "{outcome}");
}

#[test]
fn a_bundle_on_the_way_to_the_highest_version_blocks_the_updates_of_olm_v1() {
    let entries = "[{name: p.v1.0.0}, {name: p.v1.1.0, replaces: p.v1.0.0}, {name: p.v2.0.0, replaces: p.v1.1.0}]";
    let versions = |middle| [("1.0.0", ALL), ("1.1.0", middle), ("2.0.0", ALL)];
    let outcome = check(&package("p", &[("a", entries)], &versions(NEEDS)));
    let said = "OLM v1 does not install bundle \"p.v1.1.0\": it has dependencies (K (g/v1)); in channel \"a\" of package \
                \"p\", clusters with \"p.v1.0.0\" cannot be updated";
    assert!(outcome.stdout.contains(said), "{outcome}");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert_eq!(check(&package("p", &[("a", entries)], &versions(ALL))).status, Some(0));
    let skipping = entries.replace("replaces: p.v1.1.0", "replaces: p.v1.1.0, skipRange: <2.0.0");
    assert_eq!(
        check(&package("p", &[("a", &skipping)], &versions(NEEDS))).status,
        Some(0)
    );
}

#[test]
fn an_extension_without_channels_is_checked_with_all_channels() {
    let channels = [
        ("a", "[{name: p.v1.0.0}]"),
        ("b", "[{name: p.v2.0.0, skipRange: <2.0.0}]"),
    ];
    let outcome = check(&package("p", &channels, &[("1.0.0", ALL), ("2.0.0", NEEDS)]));
    for said in [
        "in channel \"b\" of package \"p\", new installations fail",
        "for ClusterExtensions of package \"p\" without channels, new installations fail, and clusters with \"p.v1.0.0\" \
         cannot be updated",
    ] {
        assert!(outcome.stdout.contains(said), "{said}: {outcome}");
    }
}

#[test]
fn a_package_that_no_extension_can_name_is_an_error() {
    let catalog = |name: &str| package(name, &[("a", &format!("[{{name: {name}.v1.0.0}}]"))], &[("1.0.0", ALL)]);
    let outcome = check(&catalog("My_Pkg"));
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(
        outcome
            .stdout
            .contains("a ClusterExtension cannot name the package \"My_Pkg\""),
        "{outcome}"
    );
    let place = "--> catalog/p.yaml:3:7\n";
    assert!(outcome.stdout.contains(place), "{outcome}");
    assert_eq!(check(&catalog("u.x-y")).status, Some(0));
}

#[test]
fn a_channel_that_no_extension_can_name_is_a_warning_and_no_scope_of_its_own() {
    let channels = [("Stable_1", "[{name: p.v1.0.0}]"), ("b", "[{name: p.v2.0.0}]")];
    let outcome = check(&package("p", &channels, &[("1.0.0", NEEDS), ("2.0.0", ALL)]));
    let said = "warning[cluster-olm-v1]: a ClusterExtension cannot name the channel \"Stable_1\", because the name must \
                consist of lowercase letters, digits, hyphens and dots\n --> catalog/p.yaml:8:7\n";
    assert!(outcome.stdout.contains(said), "{outcome}");
    assert_eq!(outcome.status, Some(0), "no extension chooses p.v1.0.0: {outcome}");
    let outcome = check(&package("p", &channels[..1], &[("1.0.0", NEEDS)]));
    let said = "for ClusterExtensions of package \"p\" without channels, new installations fail";
    assert!(outcome.stdout.contains(said), "{outcome}");
    assert_eq!(outcome.status, Some(1), "{outcome}");
}

#[test]
fn bundles_whose_manifests_the_catalog_does_not_contain_are_named_in_one_warning() {
    let versions = [("1.0.0", ALL), ("2.0.0", ALL)];
    let channels = [("a", "[{name: p.v1.0.0}]"), ("b", "[{name: p.v2.0.0}]")];
    let outcome = check(&package("p", &channels, &versions));
    let said = "warning[cluster-olm-v1-unseen]: the index contains no manifests of 2 bundles that OLM v1 may install \
                (p.v1.0.0 and p.v2.0.0), so only their properties were checked";
    assert_eq!(outcome.stdout.matches("cluster-olm-v1-unseen").count(), 1, "{outcome}");
    assert!(outcome.stdout.contains(said), "{outcome}");
    assert_eq!(outcome.status, Some(0), "{outcome}");
}

#[test]
fn findings_about_bundles_have_the_places_of_their_documents_in_yaml_and_json() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("catalog")).unwrap();
    let catalog = package("p", &[("a", "[{name: p.v1.0.0}]")], &[("1.0.0", NEEDS)]);
    let long = "x".repeat(100_000);
    let json = format!(
        r#"{{"schema":"olm.package","name":"q","defaultChannel":"a"}}
{{"schema":"olm.channel","package":"q","name":"a","entries":[{{"name":"q.v1.0.0"}}]}}

  {{"schema":"olm.bundle","package":"q","properties":[
{{"type":"olm.package","value":{{"packageName":"q","version":"1.0.0"}}}},
{{"type":"olm.gvk.required","value":{{"group":"g","version":"v1","kind":"K"}}}},{{"type":"x","value":"ä{long}"}}],"name":"q.v1.0.0","image":"registry.example.com/q:1"}}
"#
    );
    fs::write(sandbox.path("catalog/p.yaml"), catalog).unwrap();
    fs::write(sandbox.path("catalog/q.json"), &json).unwrap();
    let outcome = sandbox.run("index check catalog --for olm-v1 -o json".split(' '));
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let of_rule = findings.filter(|finding| finding["rule"] == "cluster-olm-v1");
    let places: Vec<String> = of_rule
        .map(|finding| format!("{}:{}:{}", finding["file"], finding["line"], finding["column"]))
        .collect();
    let line = json.lines().nth(5).unwrap();
    let (before, _) = line.split_once("\"q.v1.0.0\"").unwrap();
    let column = before.chars().count() + 1;
    let expected = [
        "\"catalog/p.yaml\":13:7".to_owned(),
        format!("\"catalog/q.json\":6:{column}"),
    ];
    assert_eq!(places, expected, "{outcome}");
    let outcome = sandbox.run("index check catalog --for olm-v1".split(' '));
    assert!(outcome.stdout.len() < 4_000, "{outcome}");
}

/// Returns a sandbox with a bundle that contains a Job, as a folder and in a catalog with its manifests.
fn with_job() -> Sandbox {
    let sandbox = Sandbox::new();
    rake(&sandbox, "rake", "1.0.0", None);
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {containers: [], \
               restartPolicy: Never}}}\n";
    fs::write(sandbox.path("rake/manifests/job.yaml"), job).unwrap();
    sandbox
}

#[test]
fn the_manifests_in_a_catalog_are_checked() {
    let sandbox = with_job();
    succeed(&sandbox, "registry add -q -b rake -d index.db");
    let database = sandbox.run("index check index.db --for olm-v1 -o json".split(' '));
    assert!(database.stderr.contains("OLM v1 does not read databases"), "{database}");
    let report: Value = serde_json::from_str(&database.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let of_rule: Vec<&Value> = findings.filter(|finding| finding["rule"] == "cluster-olm-v1").collect();
    let job = of_rule.iter().find(|finding| {
        finding["message"]
            .as_str()
            .unwrap()
            .contains("an object of the kind Job")
    });
    assert_eq!(job.unwrap()["object"], "olm.bundle/rake.v1.0.0", "{database}");
}

#[test]
fn the_suite_reports_what_a_bundle_alone_shows() {
    let sandbox = with_job();
    let outcome = sandbox.run("bundle validate rake --suite olm-v1 --only cluster-olm-v1".split(' '));
    insta::assert_snapshot!(outcome, @r"
    error[cluster-olm-v1]: OLM v1 does not install the bundle: it contains an object of the kind Job
     --> rake/manifests/job.yaml:2:7
      |
    2 | kind: Job
      |       ^^^
      |
      = note: in Job/j at kind
      = help: Let the operator create the object, or remove it from the bundle.

    rake (registry+v1): 1 error
    ------- exit 1 -------
    ");
    let all = outcome_of(&sandbox, "bundle validate rake --suite all --only cluster-olm-v1");
    assert_eq!(all.status, Some(0), "{all}");
    let outcome = sandbox.run("index check rake --for olm-v1".split(' '));
    let hint = "hint: use opmx bundle validate --suite olm-v1 to check a bundle for OLM v1";
    assert!(outcome.stderr.contains(hint), "{outcome}");
}

/// Returns the messages of the suite about a bundle that `change` changes.
fn messages_of_suite(change: impl FnOnce(&Sandbox)) -> Vec<String> {
    let sandbox = Sandbox::new();
    rake(&sandbox, "rake", "1.0.0", None);
    change(&sandbox);
    let outcome = sandbox.run("bundle validate rake --suite olm-v1 --only cluster-olm-v1 -o json".split(' '));
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{outcome}"));
    let findings = report["bundles"][0]["findings"].as_array();
    let findings = findings.unwrap_or_else(|| panic!("{outcome}"));
    let messages = findings.iter().map(|finding| {
        let message = finding["message"].as_str().unwrap();
        let reason = message.strip_prefix("OLM v1 does not install the bundle: ").unwrap();
        format!("{reason} at {}:{}", finding["file"].as_str().unwrap(), finding["line"])
    });
    messages.collect()
}

#[test]
fn the_suite_reads_all_documents_and_the_items_of_lists() {
    let of = |manifest: &str| {
        messages_of_suite(|sandbox| fs::write(sandbox.path("rake/manifests/more.yaml"), manifest).unwrap())
    };
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n";
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\n";
    let expected = ["it contains an object of the kind Job at rake/manifests/more.yaml:6"];
    assert_eq!(of(&format!("{map}---\n{job}")), expected);
    let list = |kind: &str| {
        format!(
            "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: m}}}}\n\
             - {{apiVersion: v1, kind: {kind}, metadata: {{name: n}}}}\n"
        )
    };
    assert!(of(&list("Secret")).is_empty());
    let expected = ["it contains an object of the kind Pod at rake/manifests/more.yaml:5"];
    assert_eq!(of(&list("Pod")), expected);
    let expected = ["it contains an object of the kind Pod at rake/manifests/more.yaml:9"];
    assert_eq!(of(&format!("{map}---\n{}", list("Pod"))), expected);
}

#[test]
fn olm_v1_reads_the_annotations_from_a_file_with_a_fixed_name_and_ignores_how_the_folder_is_written() {
    const ANNOTATIONS: &str = "rake/metadata/annotations.yaml";
    let renamed = messages_of_suite(|sandbox| {
        fs::rename(sandbox.path(ANNOTATIONS), sandbox.path("rake/metadata/annotations.yml")).unwrap();
    });
    let expected = "its annotations are in rake/metadata/annotations.yml, but OLM v1 reads only \
                    metadata/annotations.yaml at rake/metadata/annotations.yml:6";
    assert_eq!(renamed, [expected]);
    let rewritten = messages_of_suite(|sandbox| {
        let text = fs::read_to_string(sandbox.path(ANNOTATIONS)).unwrap();
        fs::write(
            sandbox.path(ANNOTATIONS),
            text.replace(": manifests/", ": ./manifests/"),
        )
        .unwrap();
    });
    assert!(rewritten.is_empty(), "{rewritten:?}");
}

#[test]
fn olm_v1_has_its_own_name_among_the_releases() {
    let outcome = Sandbox::new().run("index check catalog --for v1".split(' '));
    assert!(outcome.stderr.contains("for OLM v1, use olm-v1"), "{outcome}");
}
