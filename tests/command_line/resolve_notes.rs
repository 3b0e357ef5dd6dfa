//! `resolve` and `plan`: what OLM does not do, and why; and what it warns of.

use crate::bundles::{outcome_of, refuse};
use crate::common::Sandbox;
use serde_json::Value;
use std::fs;

/// A cluster whose Subscription to rake waits for the InstallPlan of rake.v1.1.0, in this phase.
fn waiting(phase: &str) -> String {
    let olm = "apiVersion: operators.coreos.com/v1alpha1\n  kind";
    let properties = r#"{"properties":[{"type":"olm.package","value":{"packageName":"rake","version":"1.0.0"}}]}"#;
    format!(
        "apiVersion: v1\nitems:\n\
         - apiVersion: operators.coreos.com/v1\n  kind: OperatorGroup\n  \
         metadata: {{name: group, namespace: garden}}\n  spec: {{}}\n\
         - {olm}: CatalogSource\n  metadata: {{name: main, namespace: olm}}\n\
         - {olm}: ClusterServiceVersion\n  metadata:\n    name: rake.v1.0.0\n    namespace: garden\n    \
         annotations: {{operatorframework.io/properties: '{properties}'}}\n  \
         spec: {{version: 1.0.0}}\n  status: {{phase: Succeeded}}\n\
         - apiVersion: operators.coreos.com/v2\n  kind: OperatorCondition\n  \
         metadata: {{name: rake.v1.0.0, namespace: garden}}\n\
         - {olm}: InstallPlan\n  metadata: {{name: install-abc, namespace: garden}}\n  \
         spec: {{clusterServiceVersionNames: [rake.v1.1.0]}}\n  status: {{phase: {phase}}}\n\
         - {olm}: Subscription\n  metadata: {{name: rake, namespace: garden}}\n  \
         spec: {{name: rake, channel: stable, source: main, sourceNamespace: olm, installPlanApproval: Manual}}\n  \
         status: {{installedCSV: rake.v1.0.0, currentCSV: rake.v1.1.0, state: UpgradePending, \
         installPlanRef: {{name: install-abc, namespace: garden}}}}\n\
         kind: List\n"
    )
}

/// A file-based catalog of the package rake with these entries of its channel.
fn catalog(sandbox: &Sandbox, folder: &str, entries: &[(&str, Option<&str>)]) {
    let mut text = "schema: olm.package\nname: rake\ndefaultChannel: stable\n---\n\
                    schema: olm.channel\npackage: rake\nname: stable\nentries:\n"
        .to_owned();
    for (version, replaces) in entries {
        let replaces = replaces.map_or(String::new(), |replaces| format!(", replaces: rake.v{replaces}"));
        text.push_str(&format!("- {{name: rake.v{version}{replaces}}}\n"));
    }
    for (version, _) in entries {
        text.push_str(&format!(
            "---\nschema: olm.bundle\nname: rake.v{version}\npackage: rake\nimage: registry.example.com/rake:{version}\n\
             properties: [{{type: olm.package, value: {{packageName: rake, version: {version}}}}}]\n"
        ));
    }
    fs::create_dir(sandbox.path(folder)).unwrap();
    fs::write(sandbox.path(folder).join("catalog.yaml"), text).unwrap();
}

#[test]
fn an_install_plan_that_olm_waits_for_is_reported_instead_of_a_new_one() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, "same", &[("1.1.0", Some("1.0.0")), ("1.0.0", None)]);
    catalog(&sandbox, "newer", &[("1.2.0", Some("1.0.0")), ("1.0.0", None)]);
    fs::write(sandbox.path("waits.yaml"), waiting("RequiresApproval")).unwrap();
    fs::write(sandbox.path("failed.yaml"), waiting("Failed")).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve --cluster waits.yaml --catalog main=same"), @"
    note: the InstallPlan install-abc with rake.v1.1.0 waits for approval; OLM creates no other plan until you approve or delete it
    ------- stderr -------
    nothing to install or update
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve --cluster waits.yaml --catalog main=newer"), @"
    note: OLM does not yet create an install plan for rake.v1.2.0, because all Subscriptions of the namespace wait for an InstallPlan
    note: the InstallPlan install-abc with rake.v1.1.0 waits for approval; OLM creates no other plan until you approve or delete it
    ------- stderr -------
    nothing to install or update
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "plan --cluster failed.yaml --catalog main=newer"), @"
    ------- stderr -------
    warning: OLM does not yet create an install plan for rake.v1.2.0, because all Subscriptions of the namespace wait for an InstallPlan
    warning: the InstallPlan install-abc with rake.v1.1.0 failed; OLM creates no other plan until you delete it
    there is nothing to install, so OLM creates no plan
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "plan --cluster waits.yaml --catalog main=same --approval automatic"), @r#"
    ------- stderr -------
    warning: the InstallPlan install-abc with rake.v1.1.0 waits for approval; OLM creates no other plan until you approve or delete it
    there is nothing to install, so OLM creates no plan
    to show the result of the InstallPlan install-abc, plan its bundle: opmx plan rake.v1.1.0 --index same --namespace garden, with the same --cluster or --state
    warning: --approval automatic does not apply to the existing InstallPlan install-abc: OLM waits until somebody approves it, even if its Subscription no longer requires manual approval; to approve it, run: kubectl patch installplans.operators.coreos.com install-abc -n garden --type merge -p '{"spec":{"approved":true}}'
    "#);
    let outcome = outcome_of(&sandbox, "resolve --cluster failed.yaml --catalog main=same -o json");
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(answer["notes"][0]["kind"], "unfinished-plan");
    assert_eq!(answer["notes"][0]["subject"], "install-abc");
    assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
    // OLM does not notice that the Subscription cannot be resolved.
    let lost = waiting("RequiresApproval").replace("channel: stable", "channel: lost");
    fs::write(sandbox.path("lost.yaml"), lost).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve --cluster lost.yaml --catalog main=same"), @"
    note: the InstallPlan install-abc with rake.v1.1.0 waits for approval; OLM creates no other plan until you approve or delete it
    ------- stderr -------
    nothing to install or update
    ");
    // With fail-forward, OLM replaces a failed plan.
    let forward = waiting("Failed").replace("spec: {}", "spec: {upgradeStrategy: TechPreviewUnsafeFailForward}");
    fs::write(sandbox.path("forward.yaml"), forward).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve --cluster forward.yaml --catalog main=newer"), @"
    BUNDLE       PACKAGE  CHANNEL  CATALOG   REPLACES
    rake.v1.2.0  rake     stable   olm/main  rake.v1.0.0
    note: the InstallPlan install-abc with rake.v1.1.0 failed
    ");
}

/// A subscribed app with this dependency. The package bar has three versions: the head skips bar.v2.0.0, which replaces
/// bar.v1.0.0. Another namespace has a catalog with the package db.
fn depending(dependency: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let state = format!(
        "\
namespace: operators
globalNamespace: olm
catalogs:
- name: main
  namespace: olm
  packages:
  - name: app
    defaultChannel: stable
    channels: [{{name: stable, entries: [{{name: app.v1.0.0}}]}}]
    bundles:
    - {{name: app.v1.0.0, version: 1.0.0, dependencies: [{dependency}]}}
  - name: bar
    defaultChannel: stable
    channels:
    - name: stable
      entries:
      - {{name: bar.v3.0.0, skips: [bar.v2.0.0]}}
      - {{name: bar.v2.0.0, replaces: bar.v1.0.0}}
      - {{name: bar.v1.0.0}}
    bundles:
    - {{name: bar.v3.0.0, version: 3.0.0}}
    - {{name: bar.v2.0.0, version: 2.0.0, provides: [{{group: example.com, version: v1, kind: Bar}}]}}
    - {{name: bar.v1.0.0, version: 1.0.0}}
- name: team
  namespace: team-a
  packages:
  - name: db
    defaultChannel: stable
    channels: [{{name: stable, entries: [{{name: db.v1.0.0}}]}}]
    bundles:
    - {{name: db.v1.0.0, version: 1.0.0, provides: [{{group: example.com, version: v1, kind: Db}}]}}
subscriptions:
- {{package: app, channel: stable, catalog: main}}
"
    );
    fs::write(sandbox.path("state.yaml"), state).unwrap();
    sandbox
}

/// The reason for a failed resolution that concerns the dependency of the app, and the remedies.
fn reason(dependency: &str) -> String {
    let outcome = refuse(&depending(dependency), "resolve --state state.yaml");
    let lines = outcome.stderr.lines().map(str::trim_start);
    let told = lines.filter(|line| {
        line.contains(" needs ")
            || line.starts_with("it would work with: a catalog")
            || line.contains("the catalog team in")
    });
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_bundle_that_olm_does_not_offer_is_the_reason_for_a_dependency_without_candidates() {
    insta::assert_snapshot!(reason("{type: olm.package, value: {packageName: bar, version: '>=2.0.0 <3.0.0'}}"), @"
    because: app.v1.0.0 needs package bar in the range >=2.0.0 <3.0.0, but OLM does not install bar.v2.0.0 (channel stable), because bar.v3.0.0 skips it
    it would work with: a catalog with package bar in the range >=2.0.0 <3.0.0 that no other bundle skips, for app.v1.0.0
    ");
    insta::assert_snapshot!(reason("{type: olm.package, value: {packageName: bar, version: '<3.0.0'}}"), @"
    because: app.v1.0.0 needs package bar in the range <3.0.0, but OLM does not install bar.v2.0.0 (channel stable), because bar.v3.0.0 skips it, or bar.v1.0.0 (channel stable), because it has no update path to the head of its channel
    it would work with: a catalog with package bar in the range <3.0.0 that no other bundle skips, for app.v1.0.0
    ");
    insta::assert_snapshot!(reason("{type: olm.package, value: {packageName: bar, version: '<2.0.0'}}"), @"
    because: app.v1.0.0 needs package bar in the range <2.0.0, but OLM does not install bar.v1.0.0 (channel stable), because it has no update path to the head of its channel
    it would work with: a catalog with package bar in the range <2.0.0 that has an update path to the head of its channel, for app.v1.0.0
    ");
    insta::assert_snapshot!(reason("{type: olm.gvk, value: {group: example.com, version: v1, kind: Bar}}"), @"
    because: app.v1.0.0 needs a provider of Bar (example.com/v1), but OLM does not install bar.v2.0.0 (channel stable), because bar.v3.0.0 skips it
    it would work with: a catalog with a provider of Bar (example.com/v1) that no other bundle skips, for app.v1.0.0
    ");
    insta::assert_snapshot!(reason("{type: olm.package, value: {packageName: bar, version: '>3.0.0'}}"), @"
    because: app.v1.0.0 needs package bar in the range >3.0.0, but only 3 versions are available, from 1.0.0 to 3.0.0
    it would work with: a catalog with package bar in the range >3.0.0, for app.v1.0.0
    ");
}

#[test]
fn a_catalog_that_olm_does_not_use_is_the_reason_for_a_dependency_without_candidates() {
    let api = "{type: olm.gvk, value: {group: example.com, version: v1, kind: Db}}";
    insta::assert_snapshot!(reason(api), @"
    because: app.v1.0.0 needs a provider of Db (example.com/v1), but OLM does not use the catalog team in team-a, which contains db.v1.0.0, for the namespace operators
    it would work with: the catalog team in operators instead of team-a, for app.v1.0.0
    ");
    let wanted = "{type: olm.package, value: {packageName: db, version: '>=1.0.0', intent: recommended}}";
    let outcome = outcome_of(&depending(wanted), "resolve --state state.yaml");
    let note = "which is omitted: OLM does not use the catalog team in team-a, which contains db.v1.0.0, for the \
                namespace operators\n";
    assert!(outcome.stdout.contains(note), "{outcome}");
}

#[test]
fn deprecated_packages_channels_and_bundles_are_noted_if_they_are_selected_or_stay_installed() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, "index", &[("1.1.0", Some("1.0.0")), ("1.0.0", None)]);
    let deprecations = "\
schema: olm.deprecations
package: rake
entries:
- {reference: {schema: olm.package}, message: \"use the hoe\\n\"}
- {reference: {schema: olm.channel, name: stable}, message: \"use fast\\u202E\\ninstead\"}
- {reference: {schema: olm.channel, name: fast}, message: not selected}
- {reference: {schema: olm.bundle, name: rake.v1.0.0}, message: not selected}
- {reference: {schema: olm.bundle, name: rake.v1.1.0}, message: ''}
";
    fs::write(sandbox.path("index/deprecations.yaml"), deprecations).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve rake --catalog index"), @r"
    BUNDLE       PACKAGE  CHANNEL  CATALOG            REPLACES
    rake.v1.1.0  rake     stable   operators/catalog  rake.v1.0.0
    note: the catalog operators/catalog deprecates package rake: use the hoe
    note: the catalog operators/catalog deprecates channel stable of package rake: use fast\u{202e}\ninstead
    note: the catalog operators/catalog deprecates rake.v1.1.0
    ");
    let outcome = outcome_of(&sandbox, "resolve rake --catalog index -o json");
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let notes = answer["notes"].as_array().unwrap();
    let told: Vec<(&str, &str)> = notes
        .iter()
        .map(|note| (note["kind"].as_str().unwrap(), note["subject"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("deprecated", "rake"),
            ("deprecated", "stable"),
            ("deprecated", "rake.v1.1.0")
        ]
    );
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve rake=stable --catalog index --installed rake.v1.1.0"), @r"
    note: the catalog operators/catalog deprecates package rake: use the hoe
    note: the catalog operators/catalog deprecates channel stable of package rake: use fast\u{202e}\ninstead
    note: the catalog operators/catalog deprecates rake.v1.1.0
    ------- stderr -------
    nothing to install or update
    ");
    let updated = outcome_of(&sandbox, "resolve rake --catalog index --installed rake.v1.0.0");
    assert!(
        !updated.stdout.contains("deprecates rake.v1.0.0"),
        "the version does not stay: {updated}"
    );
}

#[test]
fn a_catalog_that_was_not_ready_in_the_cluster_is_reported_with_the_consequence() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, "index", &[("1.1.0", Some("1.0.0")), ("1.0.0", None)]);
    let olm = "apiVersion: operators.coreos.com/v1alpha1\n  kind: CatalogSource\n  metadata";
    let dump = format!(
        "apiVersion: v1\nitems:\n\
         - {olm}: {{name: main, namespace: olm}}\n  status: {{connectionState: {{lastObservedState: CONNECTING}}}}\n\
         - {olm}: {{name: other, namespace: olm}}\n  \
         status: {{connectionState: {{lastObservedState: TRANSIENT_FAILURE}}}}\n\
         kind: List\n"
    );
    fs::write(sandbox.path("dump.yaml"), dump).unwrap();
    let outcome = sandbox.run("resolve rake --cluster dump.yaml --catalog main=index".split(' '));
    assert_eq!(outcome.status, Some(0), "{outcome}");
    let warning = "warning: the catalog olm/other was not ready in the cluster (TRANSIENT_FAILURE); until OLM can read it, \
                   OLM resolves nothing in any namespace that uses it";
    assert!(outcome.stderr.contains(warning), "{outcome}");
    // An index replaces this catalog here, but not in the cluster.
    let replaced = "the catalog olm/main was not ready in the cluster (CONNECTING)";
    assert!(outcome.stderr.contains(replaced), "{outcome}");
}

#[test]
fn a_folder_of_dumps_may_contain_other_files() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, "index", &[("1.0.0", None)]);
    let of = |version: &str, kind: &str, name: &str, spec: &str| {
        format!(
            "apiVersion: operators.coreos.com/{version}\nkind: {kind}\nmetadata: {{name: {name}, namespace: garden}}\n\
             spec: {{{spec}}}\n"
        )
    };
    let subscription = "name: rake, channel: stable, source: main, sourceNamespace: garden";
    let folder = sandbox.path("gathered/namespaces/garden");
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in [
        (
            "catalog.yaml",
            of("v1alpha1", "CatalogSource", "main", "sourceType: grpc"),
        ),
        ("group.yaml", of("v1", "OperatorGroup", "group", "")),
        ("health.json", r#"[{"endpoint": "https://10.0.0.1:2379"}]"#.to_owned()),
        ("pods.txt", "NAME   READY   STATUS\np      1/1     Running\n".to_owned()),
        (
            "subscription.yaml",
            of("v1alpha1", "Subscription", "rake", subscription),
        ),
    ] {
        fs::write(folder.join(file), text).unwrap();
    }
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve --cluster gathered --catalog main=index"), @r"
    BUNDLE       PACKAGE  CHANNEL  CATALOG      REPLACES
    rake.v1.0.0  rake     stable   garden/main
    ------- stderr -------
    warning: gathered/namespaces/garden/health.json:1: expected a Kubernetes object, found a map without apiVersion and kind; the rest of this file is ignored
    ");
    fs::remove_file(folder.join("group.yaml")).unwrap();
    let outcome = outcome_of(&sandbox, "resolve --cluster gathered --catalog main=index");
    let warning = "warning: the input contains no OperatorGroup, so the namespace garden is assumed to have one";
    assert!(outcome.stderr.contains(warning), "{outcome}");
}

/// A cluster that upgrades rake.v1.0.0 to rake.v1.1.0, which is in this phase.
fn upgrading(phase: &str) -> String {
    let olm = "apiVersion: operators.coreos.com/v1alpha1\n  kind";
    let version = |version: &str, replaces: &str, phase: &str| {
        let properties = format!(
            r#"{{"properties":[{{"type":"olm.package","value":{{"packageName":"rake","version":"{version}"}}}}]}}"#
        );
        format!(
            "- {olm}: ClusterServiceVersion\n  metadata:\n    name: rake.v{version}\n    namespace: garden\n    \
             annotations: {{operatorframework.io/properties: '{properties}'}}\n  \
             spec: {{version: {version}{replaces}}}\n  status: {{phase: {phase}}}\n"
        )
    };
    format!(
        "apiVersion: v1\nitems:\n- {olm}: CatalogSource\n  metadata: {{name: main, namespace: olm}}\n{}{}\
         - {olm}: Subscription\n  metadata: {{name: rake, namespace: garden}}\n  \
         spec: {{name: rake, channel: stable, source: main, sourceNamespace: olm}}\n  \
         status: {{installedCSV: rake.v1.1.0, currentCSV: rake.v1.1.0, state: AtLatestKnown}}\nkind: List\n",
        version("1.0.0", "", "Replacing"),
        version("1.1.0", ", replaces: rake.v1.0.0", phase),
    )
}

#[test]
fn the_removal_of_a_version_that_is_being_replaced_is_no_remedy() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, "same", &[("1.1.0", Some("1.0.0")), ("1.0.0", None)]);
    let refusal = |phase: &str| {
        fs::write(sandbox.path("dump.yaml"), upgrading(phase)).unwrap();
        let outcome = refuse(&sandbox, "resolve --cluster dump.yaml --catalog main=same");
        let lines = outcome
            .stderr
            .lines()
            .filter(|line| line.contains("stays") || line.contains("work with"));
        lines
            .map(|line| line.trim_start().to_owned() + "\n")
            .collect::<String>()
    };
    insta::assert_snapshot!(refusal("Pending"), @"
    because: rake.v1.0.0 stays until rake.v1.1.0, which replaces it, is in the phase Succeeded; rake.v1.1.0 is in the phase Pending
    it would work with: what rake.v1.1.0 lacks in the phase Pending (see its status); OLM then completes the upgrade and deletes rake.v1.0.0
    ");
    insta::assert_snapshot!(refusal("Installing"), @"
    because: rake.v1.0.0 stays until rake.v1.1.0, which replaces it, is in the phase Succeeded; rake.v1.1.0 is in the phase Installing
    it would work with: the end of the upgrade to rake.v1.1.0, after which OLM deletes rake.v1.0.0
    ");
    // Nothing replaces this version, so only its removal helps.
    let other = upgrading("Succeeded").replace(", replaces: rake.v1.0.0", "");
    fs::write(sandbox.path("other.yaml"), other).unwrap();
    let outcome = refuse(&sandbox, "resolve --cluster other.yaml --catalog main=same");
    assert!(
        outcome
            .stderr
            .contains("it would work with: the removal of rake.v1.0.0"),
        "{outcome}"
    );
}

#[test]
fn a_starting_version_in_another_channel_is_not_called_missing() {
    let sandbox = Sandbox::new();
    catalog(&sandbox, "both", &[("1.0.0", None)]);
    let path = sandbox.path("both/catalog.yaml");
    let fast = "---\nschema: olm.channel\npackage: rake\nname: fast\nentries: [{name: rake.v2.0.0}]\n---\n\
                schema: olm.bundle\nname: rake.v2.0.0\npackage: rake\nimage: registry.example.com/rake:2.0.0\n\
                properties: [{type: olm.package, value: {packageName: rake, version: 2.0.0}}]\n";
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + fast).unwrap();
    let reason = |version: &str| {
        let line = format!("resolve rake=stable --catalog both --starting-csv rake.v{version}");
        let outcome = refuse(&sandbox, &line);
        let mut lines = outcome.stderr.lines();
        lines
            .find(|line| line.contains("because"))
            .unwrap()
            .trim_start()
            .to_owned()
    };
    let begin = "because: the subscription rake starts at rake.v";
    let elsewhere = format!("{begin}2.0.0, which is not in the channel stable, but in fast");
    assert_eq!(reason("2.0.0"), elsewhere);
    assert_eq!(
        reason("1.0.1"),
        format!("{begin}1.0.1, which does not exist; did you mean rake.v1.0.0?")
    );
}
