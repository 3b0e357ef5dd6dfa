//! `--olm`: how a release of OLM differs from the proposals.

use crate::bundles::{garden, operator, outcome_of, rake, succeed};
use crate::common::{Outcome, Sandbox};
use serde_json::Value;
use std::fs;

/// A shed with its dependencies, and a lamp.
fn sheds(dependencies: &str) -> Sandbox {
    let sandbox = garden();
    operator(&sandbox, "shed", "shed", "1.0.0", None);
    operator(&sandbox, "lamp", "lamp", "1.0.0", None);
    let dependencies = format!("dependencies:\n{dependencies}");
    fs::write(sandbox.path("shed/metadata/dependencies.yaml"), dependencies).unwrap();
    succeed(&sandbox, "registry add -q -b shed,lamp -d index.db");
    sandbox
}

fn on(package: &str, intent: &str) -> String {
    format!("- {{type: olm.package, value: {{packageName: {package}, version: '>=1.0.0', intent: {intent}}}}}\n")
}

fn run(sandbox: &Sandbox, line: &str) -> Outcome {
    sandbox.run(line.split_whitespace())
}

fn installs(outcome: &Outcome) -> Vec<String> {
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let names = answer["install"].as_array().cloned().unwrap_or_default();
    names.iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Row D37: every released OLM rejects unsatisfiable dependencies, whatever their intent.
#[test]
fn d37_a_different_answer_of_a_released_olm_is_reported_in_one_line() {
    let sandbox = sheds(&on("radio", "optional"));
    let proposed = outcome_of(&sandbox, "resolve shed --catalog index.db -o json");
    assert_eq!(installs(&proposed), ["shed.v1.0.0"]);
    assert_eq!(
        proposed.stderr,
        "warning: OLM 0.46.0 requires every dependency, regardless of its intent, and would install nothing; use --olm \
         0.46.0 to show its answer\n"
    );
    for release in ["0.46.0", "0.28", "registry+v1"] {
        let released = run(&sandbox, &format!("resolve shed --catalog index.db --olm {release}"));
        assert_eq!(released.status, Some(3), "{released}");
        let message = "bundle shed.v1.0.0 requires an operator with package: radio and with version in range: >=1.0.0";
        assert!(released.stderr.contains(message), "{released}");
        assert!(!released.stderr.contains("--olm"), "{released}");
    }
    // The same with what is there: it is installed, although it is only optional.
    let sandbox = sheds(&on("lamp", "optional"));
    let proposed = outcome_of(&sandbox, "resolve shed --catalog index.db -o json");
    assert_eq!(installs(&proposed), ["shed.v1.0.0"]);
    assert!(
        proposed
            .stderr
            .contains("would install lamp.v1.0.0, shed.v1.0.0; use --olm"),
        "{proposed}"
    );
    let released = outcome_of(&sandbox, "resolve shed --catalog index.db -o json --olm 0.46.0");
    assert_eq!(installs(&released), ["lamp.v1.0.0", "shed.v1.0.0"]);
    assert_eq!(released.stderr, "");
    // A recommended dependency that is there is installed by both.
    let sandbox = sheds(&on("lamp", "recommended"));
    let proposed = outcome_of(&sandbox, "resolve shed --catalog index.db");
    assert_eq!(proposed.stderr, "");
    for flag in ["--without-recommended", "--with-optional lamp"] {
        let wrong = run(
            &sandbox,
            &format!("resolve shed --catalog index.db --olm 0.46.0 {flag}"),
        );
        assert_eq!(wrong.status, Some(2), "{wrong}");
        assert!(wrong.stderr.contains("OLM 0.46.0 does not support intents"), "{wrong}");
    }
}

/// Row D14: an intent inside a constraint makes OLM give up on the whole namespace.
#[test]
fn d14_an_intent_inside_a_constraint_stops_every_released_olm() {
    let sandbox = sheds(
        "- {type: olm.constraint, value: {package: {packageName: radio, versionRange: '>=1.0.0', intent: optional}}}\n",
    );
    let validated = outcome_of(&sandbox, "bundle validate shed");
    assert!(
        validated.stdout.contains(
            "warning[dep-intent-constraint]: a constraint has the key intent, and every released OLM rejects it, and \
             resolves nothing in the namespace\n"
        ),
        "{validated}"
    );
    let proposed = outcome_of(&sandbox, "resolve shed --catalog index.db -o json");
    assert_eq!(installs(&proposed), ["shed.v1.0.0"]);
    assert!(
        proposed.stderr.contains("would install nothing; use --olm 0.46.0"),
        "{proposed}"
    );
    let released = run(&sandbox, "resolve shed --catalog index.db --olm 0.46.0");
    assert_eq!(released.status, Some(3), "{released}");
    assert_eq!(
        released.stderr,
        "error: parse olm.constraint: json: unknown field \"intent\"\n"
    );
    // Before 0.20 constraints were passed over.
    let older = outcome_of(&sandbox, "resolve shed --catalog index.db -o json --olm 0.19.0");
    assert_eq!(installs(&older), ["shed.v1.0.0"]);
    let checked = run(&sandbox, "index check index.db --olm 0.46.0 -o json");
    assert_eq!(checked.status, Some(1), "{checked}");
    assert!(checked.stdout.contains("cluster-constraint"), "{checked}");
    assert!(
        !outcome_of(&sandbox, "index check index.db")
            .stdout
            .contains("cluster-constraint")
    );
}

#[test]
fn a_dependency_with_an_unknown_intent_is_required_everywhere() {
    let sandbox = sheds("- {type: olm.package, value: {packageName: lamp, version: '>=1.0.0'}}\n");
    let connection = rusqlite::Connection::open(sandbox.path("index.db")).unwrap();
    for intent in ["\"Recommended\"", "5"] {
        let value = format!(r#"{{"packageName":"lamp","version":">=1.0.0","intent":{intent}}}"#);
        connection
            .execute("UPDATE dependencies SET value = ?1 WHERE type = 'olm.package'", [value])
            .unwrap();
        for olm in ["", " --olm 0.46.0"] {
            let resolved = outcome_of(&sandbox, &format!("resolve shed --catalog index.db -o json{olm}"));
            assert_eq!(installs(&resolved), ["lamp.v1.0.0", "shed.v1.0.0"]);
            assert_eq!(resolved.stderr, "");
        }
        let listed = outcome_of(&sandbox, "index list images index.db shed --intent required");
        assert!(listed.stdout.contains("required by shed.v1.0.0"), "{listed}");
        fs::copy(sandbox.path("index.db"), sandbox.path("pruned.db")).unwrap();
        let pruned = outcome_of(
            &sandbox,
            "registry prune -d pruned.db -p shed --with-dependencies=required",
        );
        assert!(
            pruned.stderr.starts_with("kept package lamp: shed.v1.0.0 requires"),
            "{pruned}"
        );
    }
}

const MONITOR: &str = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata:\n  name: rake\nspec: {}\n";
const OPTIONAL: &str = "properties:\n- type: olm.manifests.optional\n  value: {manifests: [{group: monitoring.coreos.com, kind: ServiceMonitor, name: rake}]}\n";

/// Row O74: the feature gate of the proposal is the selected version of OLM.
#[test]
fn o74_optional_manifests_depend_on_the_release() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.1.0", None);
    fs::write(sandbox.path("rake/manifests/monitor.yaml"), MONITOR).unwrap();
    fs::write(sandbox.path("rake/metadata/properties.yaml"), OPTIONAL).unwrap();
    fs::write(sandbox.path("without.yaml"), "version: 1\napis: []\n").unwrap();
    fs::write(
        sandbox.path("with.yaml"),
        "version: 1\napis: [{group: monitoring.coreos.com, version: v1, kind: ServiceMonitor, plural: servicemonitors}]\n",
    )
    .unwrap();
    let marks = |outcome: &Outcome| outcome.stdout.matches("\"optional\": true").count();

    let gated = outcome_of(&sandbox, "plan rake -o json --olm 0.46.0");
    assert_eq!((marks(&gated), gated.stderr.as_str()), (0, ""));
    let proposed = outcome_of(&sandbox, "plan rake -o json");
    assert_eq!(marks(&proposed), 1);
    assert_eq!(
        proposed.stderr,
        "warning: OLM 0.46.0 requires every manifest, including optional manifests; use --olm 0.46.0 to show its answer\n"
    );

    let proposed = outcome_of(&sandbox, "plan rake --state without.yaml");
    let line = "OLM 0.46.0 requires every manifest, including optional manifests, and its plan would end in the phase ";
    assert_eq!(proposed.stderr.matches(line).count(), 1, "{proposed}");
    let gated = run(&sandbox, "plan rake --state without.yaml --olm proposed --olm 0.46.0");
    assert_eq!(gated.status, Some(2), "an option is given once");
    let gated = run(&sandbox, "plan rake --state without.yaml --olm 0.46.0");
    assert_eq!(gated.status, Some(3), "{gated}");
    // Where the API is served both end alike, and there is nothing to say.
    let proposed = outcome_of(&sandbox, "plan rake --state with.yaml");
    assert!(!proposed.stderr.contains("--olm"), "{proposed}");

    let permissions = outcome_of(&sandbox, "permissions rake --olm 0.46.0");
    assert!(permissions.stdout.contains("servicemonitors"), "{permissions}");
    let checked = outcome_of(&sandbox, "bundle validate rake");
    assert_eq!(checked.status, Some(0));
}

#[test]
fn a_plan_for_an_old_release_fails_at_an_unsupported_kind() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: rake\n";
    fs::write(sandbox.path("rake/manifests/secret.yaml"), secret).unwrap();
    fs::write(sandbox.path("empty.yaml"), "version: 1\n").unwrap();
    let row = |outcome: &Outcome| {
        let row = outcome
            .stdout
            .lines()
            .find(|line| line.starts_with("BundleSecret"))
            .unwrap();
        row.split_whitespace().collect::<Vec<_>>().join(" ")
    };

    let old = outcome_of(&sandbox, "plan rake --olm 0.14.1");
    assert_eq!(
        row(&old),
        "BundleSecret rake OLM 0.14.1 does not install objects of this kind"
    );
    assert!(
        old.stderr
            .contains("warning: OLM 0.14.1 does not install Secret, so the plan fails"),
        "{old}"
    );
    let old = run(&sandbox, "plan rake --olm 0.14.1 --state empty.yaml");
    assert_eq!(old.status, Some(3), "{old}");
    assert!(old.stdout.contains("UnsupportedResource"), "{old}");
    let newer = outcome_of(&sandbox, "plan rake --olm 0.15.0 --state empty.yaml");
    assert!(row(&newer).contains("Created"), "{newer}");
    assert_eq!(newer.stderr.matches("does not install").count(), 0, "{newer}");
}

#[test]
fn unknown_olm_versions_are_rejected_and_the_range_of_the_table_reported() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    for command in ["plan rake", "permissions rake", "resolve rake --catalog x"] {
        for wrong in ["4.12", "new", "1.0.0"] {
            let outcome = run(&sandbox, &format!("{command} --olm {wrong}"));
            assert_eq!(outcome.status, Some(2), "{outcome}");
            assert!(
                outcome
                    .stderr
                    .contains("proposed for the OLM that the proposals describe"),
                "{outcome}"
            );
        }
    }
    let outcome = outcome_of(&sandbox, "plan rake --olm 0.99.0");
    assert!(outcome.stderr.contains("opmx knows OLM up to 0.46"), "{outcome}");
}
