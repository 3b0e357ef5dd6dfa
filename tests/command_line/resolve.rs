//! `resolve`: what OLM would install or update, from catalogs in every form.

use crate::bundles::{fail, garden, miss, operator, outcome_of, rake, refuse, small_base, succeed};
use crate::common::{Outcome, Sandbox};
use serde_json::{Value, json};
use std::fs;

/// One catalog as a database, as a file-based catalog and as an index image.
const FORMS: [&str; 3] = ["index.db", "catalog", "oci:index:v1"];

/// Three versions of the package rake, in all forms.
fn rakes() -> Sandbox {
    let sandbox = garden();
    small_base(&sandbox);
    rake(&sandbox, "rake1", "1.0.0", None);
    rake(&sandbox, "rake2", "1.1.0", Some("rake.v1.0.0"));
    rake(&sandbox, "rake3", "1.2.0", Some("rake.v1.1.0"));
    succeed(&sandbox, "registry add -q -b rake1,rake2,rake3 -d index.db");
    succeed(
        &sandbox,
        "index add -q -i oci:base:v1 -b rake1,rake2,rake3 -t oci:index:v1",
    );
    fs::create_dir(sandbox.path("catalog")).unwrap();
    let rendered = outcome_of(&sandbox, "render -q index.db").stdout;
    fs::write(sandbox.path("catalog/catalog.json"), rendered).unwrap();
    sandbox
}

/// A shed with a recommended lamp and an optional radio. The next major version requires a bright lamp.
const SHED: &str = "\
catalogs:
- name: main
  packages:
  - name: shed
    defaultChannel: stable
    channels:
    - name: stable
      entries: [{name: shed.v1.1.0, replaces: shed.v1.0.0}, {name: shed.v1.0.0}]
    - name: beta
      entries: [{name: shed.v2.0.0}]
    bundles:
    - {name: shed.v1.0.0, version: 1.0.0}
    - name: shed.v1.1.0
      version: 1.1.0
      dependencies:
      - {type: olm.package, value: {packageName: lamp, version: '>=1.0.0', intent: recommended}}
      - {type: olm.package, value: {packageName: radio, version: '>=1.0.0', intent: optional}}
    - name: shed.v2.0.0
      version: 2.0.0
      dependencies:
      - type: olm.constraint
        value:
          failureMessage: a bright lamp
          cel: {rule: \"properties.exists(p, p.type == 'acme.light' && p.value.matches('^bright'))\"}
  - name: lamp
    defaultChannel: stable
    channels: [{name: stable, entries: [{name: lamp.v1.0.0}]}]
    bundles:
    - {name: lamp.v1.0.0, version: 1.0.0, properties: [{type: acme.light, value: bright yellow}]}
  - name: radio
    defaultChannel: stable
    channels: [{name: stable, entries: [{name: radio.v1.0.0}]}]
    bundles: [{name: radio.v1.0.0, version: 1.0.0}]
subscriptions:
- {package: shed, channel: stable}
";

fn with_state(state: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("state.yaml"), state).unwrap();
    sandbox
}

fn run(sandbox: &Sandbox, line: &str) -> Outcome {
    sandbox.run(line.split_whitespace())
}

/// The names of the bundles that a command selects.
fn selected(sandbox: &Sandbox, line: &str) -> Vec<String> {
    let answer = outcome_of(sandbox, &format!("{line} -o json"));
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    let bundles = answer["selected"].as_array().cloned().unwrap_or_default();
    bundles
        .iter()
        .map(|bundle| bundle["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_form_of_a_catalog_is_resolved_identically() {
    let sandbox = rakes();
    for (options, names) in [
        ("", &["rake.v1.2.0"][..]),
        ("--starting-csv rake.v1.1.0", &["rake.v1.1.0"]),
        ("--installed rake.v1.0.0", &["rake.v1.1.0"]),
        ("--installed rake.v1.1.0", &["rake.v1.2.0"]),
        ("--installed rake.v1.2.0", &[]),
    ] {
        for form in FORMS {
            let found = selected(&sandbox, &format!("resolve rake --catalog {form} {options}"));
            assert_eq!(found, names, "{form} {options}");
        }
    }
    let [database, folder, image] = FORMS.map(|form| {
        let line = format!("resolve rake=stable --catalog {form} --installed rake.v1.0.0 --explain");
        outcome_of(&sandbox, &line)
    });
    assert_eq!((&folder, &image), (&database, &database));
    insta::assert_snapshot!(database, @"
    BUNDLE       PACKAGE  CHANNEL  CATALOG            REPLACES
    rake.v1.1.0  rake     stable   operators/catalog  rake.v1.0.0

    FOR                CANDIDATE    CHANNEL  CATALOG            TAKEN  WHY
    subscription rake  rake.v1.1.0  stable   operators/catalog  yes    it is the first candidate
    subscription rake  rake.v1.0.0                              no     it is installed, and rake.v1.1.0 comes before it
    subscription rake  rake.v1.2.0  stable   operators/catalog  no     it does not update rake.v1.0.0
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve rake --catalog catalog --installed rake.v1.2.0"), @"
    ------- stderr -------
    nothing to install or update
    ");
}

#[test]
fn json_and_yaml_output_are_identical() {
    let sandbox = rakes();
    let of = |form: &str| {
        outcome_of(
            &sandbox,
            &format!("resolve rake --catalog own=index.db,10 -n garden -o {form}"),
        )
    };
    let json: Value = serde_json::from_str(&of("json").stdout).unwrap();
    let yaml: Value = serde_yaml::from_str(&of("yaml").stdout).unwrap();
    assert_eq!(json, yaml);
    assert_eq!(
        json,
        json!({
            "install": ["rake.v1.2.0"],
            "selected": [{
                "name": "rake.v1.2.0",
                "package": "rake",
                "channel": "stable",
                "catalog": "garden/own",
                "replaces": "rake.v1.1.0",
            }],
            "updatedSubscriptions": [{"name": "rake", "currentCSV": "rake.v1.2.0"}],
        })
    );
}

#[test]
fn a_relative_source_is_resolved_against_the_what_if_file() {
    let sandbox = rakes();
    fs::create_dir(sandbox.path("states")).unwrap();
    for form in FORMS {
        let place = form.trim_start_matches("oci:").split(':').next().unwrap();
        fs::rename(sandbox.path(place), sandbox.path("states").join(place)).unwrap();
        let state = format!(
            "catalogs: [{{name: main, source: '{form}'}}]\nsubscriptions: [{{package: rake, channel: stable}}]\n"
        );
        fs::write(sandbox.path("states/state.yaml"), state).unwrap();
        let names = selected(&sandbox, "resolve --state states/state.yaml");
        assert_eq!(names, ["rake.v1.2.0"], "{form}");
    }
}

#[test]
fn recommended_dependencies_are_included_and_optional_ones_on_request() {
    let sandbox = with_state(SHED);
    for (options, names) in [
        ("", &["lamp.v1.0.0", "shed.v1.1.0"][..]),
        ("--without-recommended", &["shed.v1.1.0"]),
        ("--with-optional radio", &["lamp.v1.0.0", "radio.v1.0.0", "shed.v1.1.0"]),
    ] {
        let found = selected(&sandbox, &format!("resolve --state state.yaml {options}"));
        assert_eq!(found, names, "{options}");
    }
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve --state state.yaml --with-optional radoi"), @"
    BUNDLE       PACKAGE  CHANNEL  CATALOG         REPLACES
    lamp.v1.0.0  lamp     stable   operators/main
    shed.v1.1.0  shed     stable   operators/main  shed.v1.0.0
    the Subscription lamp-stable-main-operators is created for package lamp
    note: no selected bundle depends on package radoi
    ------- stderr -------
    warning: OLM 0.46.0 requires every dependency, regardless of its intent, and would install lamp.v1.0.0, radio.v1.0.0, shed.v1.1.0; use --olm 0.46.0 to show its answer
    ");
}

#[test]
fn a_constraint_can_match_a_regular_expression() {
    let beta = SHED.replace("{package: shed, channel: stable}", "{package: shed, channel: beta}");
    let sandbox = with_state(&beta);
    let names = selected(&sandbox, "resolve --state state.yaml");
    assert_eq!(names, ["lamp.v1.0.0", "shed.v2.0.0"]);
    let dim = with_state(&beta.replace("bright yellow", "not bright"));
    let outcome = run(&dim, "resolve --state state.yaml");
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(3), ""));
    let plain = "because: shed.v2.0.0 needs an operator with this purpose: a bright lamp, but no catalog contains one";
    assert!(outcome.stderr.contains(plain), "{outcome}");
}

#[test]
fn unsatisfiable_constraints_are_reported_like_olm_and_in_plain_language() {
    let sandbox = rakes();
    insta::assert_snapshot!(run(&sandbox, "resolve rake=stabel --catalog index.db"), @"
    ------- stderr -------
    error: constraints not satisfiable: no operators found in channel stabel of package rake in the catalog referenced by subscription rake, subscription rake exists
      because: the package rake has no channel stabel; did you mean stable?
    ------- exit 3 -------
    ");
    succeed(&sandbox, "registry add -q -b compost -d alone.db");
    insta::assert_snapshot!(run(&sandbox, "resolve compost-operator --catalog alone.db"), @"
    ------- stderr -------
    error: constraints not satisfiable: bundle compost-operator.v0.3.1 requires an operator with package: greenhouse-operator and with version in range: >=1.0.0 <2.0.0, subscription compost-operator exists, subscription compost-operator requires catalog/operators/alpha/compost-operator.v0.3.1
      because: the subscription compost-operator can use only compost-operator.v0.3.1 (channel alpha)
      because: compost-operator.v0.3.1 needs package greenhouse-operator in the range >=1.0.0 <2.0.0, but no catalog contains this package
      it would work with: a catalog with package greenhouse-operator in the range >=1.0.0 <2.0.0, for compost-operator.v0.3.1
    ------- exit 3 -------
    ");
    let outcome = run(
        &sandbox,
        "resolve compost-operator --catalog alone.db --explain -o json",
    );
    assert_eq!(outcome.status, Some(3));
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let error = answer["error"].as_str().unwrap();
    assert!(error.starts_with("constraints not satisfiable: "), "{error}");
    assert_eq!(answer["explain"][0]["name"], "compost-operator.v0.3.1");
    assert_eq!(answer["explain"][0]["taken"], false);
    let unknown = run(&sandbox, "resolve rake --catalog index.db --installed hoe.v1.0.0");
    assert_eq!((unknown.status, unknown.stdout.as_str()), (Some(4), ""));
    assert!(
        unknown.stderr.contains("no catalog contains the bundle hoe.v1.0.0"),
        "{unknown}"
    );
}

#[test]
fn a_dependency_can_come_from_another_catalog() {
    let sandbox = Sandbox::new();
    rake(&sandbox, "rake1", "1.0.0", None);
    operator(&sandbox, "hoe1", "hoe", "1.0.0", None);
    let needs = "dependencies:\n- {type: olm.package, value: {packageName: hoe, version: '>=1.0.0'}}\n";
    fs::write(sandbox.path("rake1/metadata/dependencies.yaml"), needs).unwrap();
    succeed(&sandbox, "registry add -q -b rake1 -d rake.db");
    succeed(&sandbox, "registry add -q -b hoe1 -d hoe.db");
    let line = "resolve rake --catalog main=rake.db --catalog hoe.db,10";
    assert_eq!(selected(&sandbox, line), ["hoe.v1.0.0", "rake.v1.0.0"]);
    let outcome = outcome_of(&sandbox, line);
    assert!(outcome.stdout.contains("operators/catalog-2"), "{outcome}");
}

#[test]
fn a_reason_that_applies_to_two_channels_is_reported_once() {
    let sandbox = garden();
    succeed(&sandbox, "registry add -q -b greenhouse,compost -d index.db");
    insta::assert_snapshot!(run(&sandbox, "resolve compost-operator --catalog index.db"), @"
    ------- stderr -------
    error: constraints not satisfiable: bundle compost-operator.v0.3.1 requires an operator with package: greenhouse-operator and with version in range: >=1.0.0 <2.0.0, bundle greenhouse-operator.v1.2.0 requires an operator providing an API with group: cert-manager.io, version: v1, kind: Certificate, subscription compost-operator exists, subscription compost-operator requires catalog/operators/alpha/compost-operator.v0.3.1
      because: the subscription compost-operator can use only compost-operator.v0.3.1 (channel alpha)
      because: compost-operator.v0.3.1 needs package greenhouse-operator in the range >=1.0.0 <2.0.0, and only greenhouse-operator.v1.2.0 (channel stable) or greenhouse-operator.v1.2.0 (channel candidate) satisfies this
      because: greenhouse-operator.v1.2.0 needs a provider of Certificate (cert-manager.io/v1), but no catalog contains one
      it would work with: a catalog with a provider of Certificate (cert-manager.io/v1), for greenhouse-operator.v1.2.0
    ------- exit 3 -------
    ");
}

#[test]
fn all_missing_providers_are_listed_and_platform_apis_separately() {
    let sandbox = garden();
    let olm = sandbox.path("greenhouse/metadata/olm.yaml");
    let text = fs::read_to_string(&olm).unwrap();
    let more = "customresourcedefinitions:\n  required:\n  \
                - {name: kafkas.kafka.strimzi.io, version: v1, kind: Kafka}\n  \
                - {name: routes.route.openshift.io, version: v1, kind: Route}\n";
    fs::write(&olm, text.replacen("customresourcedefinitions:\n", more, 1)).unwrap();
    succeed(&sandbox, "registry add -q -b greenhouse -d index.db");
    let outcome = run(&sandbox, "resolve greenhouse-operator --catalog index.db");
    let told = "it would work with: a catalog with a provider of Certificate (cert-manager.io/v1) and a provider of Kafka \
                (kafka.strimzi.io/v1), for greenhouse-operator.v1.2.0; and Route (route.openshift.io/v1) among the \
                native APIs of greenhouse-operator.v1.2.0 instead of the required ones (dependency: native in its \
                olm.yaml), because the platform serves such APIs, and no bundle does\n";
    assert!(outcome.stderr.contains(told), "{outcome}");
    fs::write(sandbox.path("state.yaml"), "version: 1\napis: []\n").unwrap();
    let outcome = run(&sandbox, "plan greenhouse --state state.yaml");
    let told =
        "required APIs Certificate (cert-manager.io/v1), Kafka (kafka.strimzi.io/v1), Route (route.openshift.io/v1)\n";
    assert!(outcome.stderr.contains(told), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("hint: no bundle provides Route (route.openshift.io/v1)"),
        "{outcome}"
    );
}

#[test]
fn an_invalid_command_line_has_its_own_exit_status() {
    let sandbox = Sandbox::new();
    for (line, message) in [
        ("resolve", "required arguments"),
        ("resolve rake", "--catalog"),
        (
            "resolve rake:stable --catalog a.db",
            "to specify a channel, use rake=stable",
        ),
        (
            "resolve rake rake=stable --catalog a.db",
            "the package rake is requested twice, or already has a Subscription",
        ),
        (
            "resolve rake --catalog main=a.db --catalog main=b.db",
            "two catalogs have the name main",
        ),
        (
            "resolve rake --catalog a.db --catalog catalog=b.db",
            "two catalogs have the name catalog",
        ),
        (
            "resolve rake --state state.yaml",
            "rake is a package, but the what-if file",
        ),
        (
            "resolve --state state.yaml --installed rake.v1.0.0",
            "cannot be used with",
        ),
    ] {
        let outcome = run(&sandbox, line);
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(2), ""),
            "{line}: {outcome}"
        );
        assert!(outcome.stderr.contains(message), "{line}: {outcome}");
    }
}

/// A cluster with an installed rake in namespace `garden`, as printed by kubectl; `spec` is that of its catalog.
fn dump(spec: &str) -> String {
    let olm = "apiVersion: operators.coreos.com/v1alpha1\n  kind";
    let properties = r#"{"properties":[{"type":"olm.package","value":{"packageName":"rake","version":"1.0.0"}}]}"#;
    format!(
        "apiVersion: v1\nitems:\n\
         - apiVersion: operators.coreos.com/v1\n  kind: OperatorGroup\n  metadata: {{name: group, namespace: garden}}\n\
         - {olm}: CatalogSource\n  metadata: {{name: main, namespace: olm}}\n  spec: {spec}\n\
         - {olm}: Subscription\n  metadata: {{name: rake, namespace: garden}}\n  \
         spec: {{name: rake, channel: stable, source: main, sourceNamespace: olm, installPlanApproval: Manual}}\n  \
         status: {{installedCSV: rake.v1.0.0}}\n\
         - {olm}: ClusterServiceVersion\n  metadata:\n    name: rake.v1.0.0\n    namespace: garden\n    \
         annotations: {{operatorframework.io/properties: '{properties}'}}\n  \
         spec: {{version: 1.0.0}}\n  status: {{phase: Succeeded}}\n\
         - apiVersion: operators.coreos.com/v2\n  kind: OperatorCondition\n  \
         metadata: {{name: rake.v1.0.0, namespace: garden}}\nkind: List\n"
    )
}

#[test]
fn a_cluster_dump_is_resolved() {
    let sandbox = rakes();
    fs::write(sandbox.path("dump.yaml"), dump("{image: 'oci:index:v1'}")).unwrap();
    let line = "resolve --cluster dump.yaml";
    insta::assert_snapshot!(outcome_of(&sandbox, line), @"
    BUNDLE       PACKAGE  CHANNEL  CATALOG   REPLACES
    rake.v1.1.0  rake     stable   olm/main  rake.v1.0.0
    ");
    let piped = sandbox.finish(
        sandbox
            .command(["resolve", "--cluster", "-", "--namespace", "garden"])
            .stdin(fs::File::open(sandbox.path("dump.yaml")).unwrap()),
    );
    assert_eq!(piped, outcome_of(&sandbox, line));
    let plan = outcome_of(&sandbox, "plan --cluster dump.yaml -o json");
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    assert_eq!(plan["metadata"]["namespace"], "garden");
    assert_eq!(
        plan["spec"],
        json!({"approval": "Manual", "approved": false, "clusterServiceVersionNames": ["rake.v1.1.0"], "generation": 1})
    );
    let status = (&plan["status"]["phase"], &plan["status"]["plan"][0]["status"]);
    assert_eq!(status, (&json!("RequiresApproval"), &json!("Unknown")), "it waits");
    let automatic = outcome_of(&sandbox, "plan --cluster dump.yaml --approval automatic -o json");
    for part in [r#""approved": true"#, r#""phase": "Complete""#] {
        assert!(automatic.stdout.contains(part), "{automatic}");
    }
    // A bundle of the same namespace is held by the Subscription as well, and one of another namespace is not.
    for (namespace, approved) in [("garden", false), ("elsewhere", true)] {
        let plan = outcome_of(
            &sandbox,
            &format!("plan -q rake2 --cluster dump.yaml -n {namespace} -o json"),
        );
        let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
        assert_eq!(plan["spec"]["approved"], json!(approved), "{namespace}");
    }
}

#[test]
fn a_version_that_the_cluster_has_is_not_installed_twice() {
    let sandbox = rakes();
    let unsubscribed = dump("{image: 'oci:index:v1'}").replace("kind: Subscription", "kind: Other");
    fs::write(sandbox.path("dump.yaml"), unsubscribed).unwrap();
    let line = "resolve rake=stable --cluster dump.yaml -n garden --installed rake.v1.0.0";
    assert_eq!(selected(&sandbox, line), ["rake.v1.1.0"]);
    let line = "resolve rake=stable --catalog index.db --installed rake.v1.0.0 --installed rake.v1.0.0";
    assert_eq!(selected(&sandbox, line), ["rake.v1.1.0"]);
}

#[test]
fn a_catalog_of_the_cluster_can_be_read_from_another_source() {
    let sandbox = rakes();
    fs::write(sandbox.path("dump.yaml"), dump("{address: 'main:50051'}")).unwrap();
    let outcome = sandbox.run(["resolve", "--cluster", "dump.yaml"]);
    let message = "the catalog olm/main does not specify an index image, so it is treated as empty; use --catalog main=INDEX to set an index";
    assert!(outcome.stderr.contains(message), "{outcome}");
    for form in FORMS {
        let line = format!("resolve --cluster dump.yaml --catalog main={form}");
        assert_eq!(selected(&sandbox, &line), ["rake.v1.1.0"]);
        let plan = outcome_of(&sandbox, &format!("plan --cluster dump.yaml --catalog main={form}"));
        assert!(plan.stdout.starts_with("installs   rake.v1.1.0\n"), "{plan}");
        let approval = "approval   Manual, as set by the Subscription rake for the whole namespace\n\
                        approved   the phase of the plan after manual approval is Complete\n";
        assert!(plan.stdout.contains(approval), "{plan}");
        let line = format!("resolve hoe --cluster dump.yaml --catalog main={form}");
        let outcome = refuse(&sandbox, &line);
        assert!(
            outcome.stderr.contains("no operators found in package hoe"),
            "{outcome}"
        );
    }
    let two = format!("{}---\n{}", dump("{}"), dump("{}").replace("garden", "shed"));
    fs::write(sandbox.path("two.yaml"), two).unwrap();
    insta::assert_snapshot!(fail(&sandbox, "resolve --cluster two.yaml --catalog main=index.db"), @"
    ------- stderr -------
    error: there are Subscriptions in the namespaces garden, shed, but OLM resolves each namespace separately
      hint: specify one of the namespaces with --namespace
    ------- exit 1 -------
    ");
    let line = "resolve --cluster two.yaml --namespace shed --catalog main=index.db";
    assert_eq!(selected(&sandbox, line), ["rake.v1.1.0"]);
}

#[test]
fn inconsistencies_in_a_dump_are_reported() {
    let sandbox = rakes();
    let whole = dump("{image: 'oci:index:v1'}");
    let without = whole.replace("ClusterServiceVersion", "Deleted");
    fs::write(sandbox.path("dump.yaml"), without).unwrap();
    let outcome = outcome_of(&sandbox, "resolve --cluster dump.yaml --catalog main=index.db");
    let message = "the Subscription rake lists rake.v1.0.0 as installed, but the input does not contain this version, so it is treated as not installed";
    assert!(outcome.stderr.contains(message), "{outcome}");
    let elsewhere = whole.replace("sourceNamespace: olm", "sourceNamespace: marketplace");
    fs::write(sandbox.path("dump.yaml"), elsewhere).unwrap();
    let outcome = refuse(&sandbox, "resolve --cluster dump.yaml --catalog main=index.db");
    let message = "the subscription rake uses the catalog main in marketplace, which does not exist; a catalog with this name is in olm";
    assert!(outcome.stderr.contains(message), "{outcome}");
    let private = whole.replace("sourceNamespace: olm", "sourceNamespace: dev").replace(
        "kind: List",
        "- {apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: main, namespace: dev}}\nkind: List",
    );
    fs::write(sandbox.path("dump.yaml"), private).unwrap();
    let outcome = refuse(&sandbox, "resolve --cluster dump.yaml --catalog main=index.db");
    let message = "the catalog main in dev, which OLM does not use for the namespace garden";
    assert!(outcome.stderr.contains(message), "{outcome}");
}

#[test]
fn an_update_without_operator_conditions_in_the_dump_is_reported() {
    let sandbox = rakes();
    let unknown = "the input contains no OperatorConditions, so whether rake.v1.0.0 refuses its upgrade is unknown";
    let whole = dump("{image: 'oci:index:v1'}");
    let without = whole.replace("kind: OperatorCondition", "kind: Other");
    for (text, is_unknown) in [(without, true), (whole, false)] {
        fs::write(sandbox.path("dump.yaml"), text).unwrap();
        for line in [
            "resolve --cluster dump.yaml --catalog main=index.db",
            "plan --cluster dump.yaml --catalog main=index.db",
            "plan rake.v1.1.0 --index index.db --cluster dump.yaml",
        ] {
            let outcome = run(&sandbox, line);
            assert_eq!(outcome.stderr.contains(unknown), is_unknown, "{line}: {outcome}");
        }
    }
}

#[test]
fn an_unreadable_catalog_is_reported_with_a_workaround() {
    let sandbox = rakes();
    let state =
        "version: 1\ncatalogs:\n- name: main\n  source: absent.db\nsubscriptions:\n- name: rake\n  package: rake\n";
    fs::write(sandbox.path("state.yaml"), state).unwrap();
    let outcome = miss(&sandbox, "resolve --state state.yaml");
    insta::assert_snapshot!(outcome, @"
    ------- stderr -------
    error: cannot read the catalog operators/main
      caused by: there is no file or folder absent.db
      hint: an index is an image, a database file or the folder of a file-based catalog
      hint: use --catalog main=INDEX to read the catalog from another index
    ------- exit 4 -------
    ");
    assert_eq!(miss(&sandbox, "plan --state state.yaml").stderr, outcome.stderr);
    let named = miss(&sandbox, "resolve rake --catalog absent.db").stderr;
    assert!(
        named.contains("absent.db") && !named.contains("hint: use --catalog"),
        "{named}"
    );
    let line = "plan --state state.yaml --catalog main=index.db";
    let plan = outcome_of(&sandbox, line);
    assert!(plan.stdout.starts_with("installs   rake.v1.2.0\n"), "{plan}");
    insta::assert_snapshot!(run(&sandbox, "plan --state state.yaml --catalog main"), @"
    ------- stderr -------
    error: --catalog main requires BUNDLE; use --catalog main=INDEX to read a catalog from an index
    ------- exit 2 -------
    ");
    insta::assert_snapshot!(run(&sandbox, "plan old --catalog main=index.db"), @"
    ------- stderr -------
    error: with BUNDLE, --catalog must be the name of the CatalogSource that contains the bundle
      hint: specify the index that contains the bundle with --index
    ------- exit 2 -------
    ");
}

#[test]
fn an_unavailable_update_is_reported_with_the_reason() {
    let sandbox = rakes();
    rake(&sandbox, "rake4", "1.3.0", Some("rake.v1.2.0"));
    let needs = "dependencies:\n- type: olm.package\n  value: {packageName: hoe, version: '>=1.0.0'}\n";
    fs::write(sandbox.path("rake4/metadata/dependencies.yaml"), needs).unwrap();
    succeed(&sandbox, "registry add -q -b rake4 -d index.db");
    insta::assert_snapshot!(outcome_of(&sandbox, "resolve rake --catalog index.db --installed rake.v1.2.0"), @"
    note: rake.v1.2.0 is not updated to rake.v1.3.0: rake.v1.3.0 needs package hoe in the range >=1.0.0, but no catalog contains this package
    ------- stderr -------
    nothing to install or update
    ");
}

/// A bundle whose dependencies file is this text.
fn depending(sandbox: &Sandbox, folder: &str, version: &str, replaces: Option<&str>, dependencies: &str) {
    operator(sandbox, folder, "shed", version, replaces);
    let file = sandbox.path(folder).join("metadata/dependencies.yaml");
    fs::write(file, dependencies).unwrap();
}

#[test]
fn a_bundle_with_unreadable_dependencies_is_omitted_and_reported() {
    let sandbox = garden();
    operator(&sandbox, "first", "shed", "1.0.0", None);
    let unreadable = "dependencies: [{type: olm.package, value: {packageName: [lamp], version: 1.0.0}}]";
    depending(&sandbox, "second", "1.1.0", Some("shed.v1.0.0"), unreadable);
    let outcome = outcome_of(&sandbox, "registry add -b first,second -d index.db");
    assert!(outcome.stderr.contains("warning[dep-value-shape]"), "{outcome}");
    let outcome = outcome_of(&sandbox, "resolve shed --catalog index.db");
    assert!(outcome.stdout.contains("\nshed.v1.0.0 "), "{outcome}");
    let note = "note: OLM skips shed.v1.1.0: its dependency";
    assert!(outcome.stdout.contains(note), "{outcome}");
    for line in ["plan shed.v1.1.0 --index index.db", "plan second"] {
        let outcome = outcome_of(&sandbox, line);
        let said = outcome.stderr.matches("OLM ignores shed.v1.1.0: its property").count();
        assert_eq!(said, 1, "{outcome}");
    }
    let outcome = outcome_of(&sandbox, "plan shed.v1.0.0 --index index.db");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_bundle_whose_dependencies_file_is_omitted_has_no_dependencies() {
    let sandbox = garden();
    let broken = "dependencies: [{type: olm.package, value: {packageName: lamp, version: >=1.0.0}}";
    depending(&sandbox, "shed", "1.0.0", None, broken);
    let outcome = outcome_of(&sandbox, "registry add -b shed -d index.db");
    assert!(
        outcome.stderr.contains("The file is omitted, so the bundle has none"),
        "{outcome}"
    );
    let outcome = outcome_of(&sandbox, "resolve shed --catalog index.db");
    assert!(outcome.stdout.contains("\nshed.v1.0.0 "), "{outcome}");
    assert_eq!(outcome_of(&sandbox, "plan shed.v1.0.0 --index index.db").stderr, "");
}

#[test]
fn an_intent_nested_in_a_constraint_is_read_consistently() {
    let sandbox = garden();
    // A constraint is about one bundle.
    let dependencies = "\
dependencies:
- type: olm.constraint
  value:
    any:
      constraints:
      - package: {packageName: lamp, versionRange: '>=1.0.0'}
- type: olm.constraint
  value:
    all:
      constraints:
      - any:
          constraints:
          - package:
              packageName: radio
              versionRange: '>=1.0.0'
              intent: recommended
- type: olm.constraint
  value: {all: {constraints: [{all: {constraints: [{package: {packageName: heater, versionRange: '>=0.1.0', intent: optional}}]}}]}}
";
    depending(&sandbox, "shed", "1.0.0", None, dependencies);
    let inside_not = "\
dependencies:
- type: olm.constraint
  value:
    not:
      constraints:
      - package: {packageName: gone, versionRange: '>=0.1.0', intent: optional}
";
    depending(&sandbox, "fence", "2.0.0", None, inside_not);
    for package in ["lamp", "radio", "heater"] {
        operator(&sandbox, package, package, "1.0.0", None);
    }
    for (bundle, places) in [("shed", &["16:15", "18:109"][..]), ("fence", &["6:63"])] {
        let outcome = sandbox.run(["bundle", "validate", bundle]);
        let told = outcome.stdout.matches("warning[dep-intent-constraint]").count();
        assert_eq!(told, places.len(), "{outcome}");
        for place in places {
            let place = format!("dependencies.yaml:{place}\n");
            assert!(outcome.stdout.contains(&place), "{place}: {outcome}");
        }
    }
    succeed(&sandbox, "registry add -q -b shed,lamp,radio,heater -d index.db");
    for (flags, intents, chosen) in [
        ("--without-recommended", "required", &["lamp"][..]),
        ("", "required,recommended", &["lamp", "radio"]),
        (
            "--with-optional heater",
            "required,recommended,optional",
            &["heater", "lamp", "radio"],
        ),
    ] {
        let resolved = outcome_of(&sandbox, &format!("resolve shed --catalog index.db {flags}"));
        let images = outcome_of(&sandbox, &format!("index list images index.db shed --intent {intents}"));
        for package in ["lamp", "radio", "heater"] {
            let expected = chosen.contains(&package);
            assert_eq!(resolved.stdout.contains(package), expected, "{flags}: {resolved}");
            assert_eq!(
                images.stdout.contains(&format!("/{package}:")),
                expected,
                "{intents}: {images}"
            );
        }
    }
}

#[test]
fn cluster_extensions_are_reported_because_they_belong_to_olm_v1() {
    let sandbox = rakes();
    let extension = "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {name: rake}\n\
                     spec: {namespace: a, source: {sourceType: Catalog, catalog: {packageName: rake}}}\n";
    fs::write(sandbox.path("extension.yaml"), extension).unwrap();
    for command in ["resolve", "plan"] {
        let outcome = run(
            &sandbox,
            &format!("{command} --cluster extension.yaml --catalog c=catalog"),
        );
        let said = "warning: the input contains the ClusterExtension rake, but this command predicts only the decisions \
                    of OLM v0";
        assert!(outcome.stderr.contains(said), "{outcome}");
    }
    let outcome = run(&sandbox, "plan extension.yaml");
    assert_eq!(outcome.status, Some(1), "{outcome}");
    assert!(
        outcome.stderr.contains("ClusterExtensions belong to OLM v1"),
        "{outcome}"
    );
    let outcome = run(&sandbox, "resolve rake --catalog catalog --olm olm-v1");
    assert_eq!(outcome.status, Some(2), "{outcome}");
    let said = "only the decisions of OLM v0 are predicted; use \"opmx index check --for olm-v1\"";
    assert!(outcome.stderr.contains(said), "{outcome}");
}
