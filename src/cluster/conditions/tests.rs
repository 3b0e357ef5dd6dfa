use super::check::held;
use super::*;
use crate::cluster::State;
use crate::olm::releases::Olm;
use crate::text::{self, Limits};
use serde_json::json;

const VERSION: Option<&str> = Some("2.3.4");

fn value(yaml: &str) -> Value {
    let reading = text::read("condition.yaml", yaml.as_bytes(), &Limits::default());
    assert_eq!(reading.diagnostics, [], "{yaml}");
    reading.documents[0].value().clone()
}

/// Returns a resource of this kind, with `rest` after `metadata.name`.
fn resource(kind: &str, rest: &str) -> Value {
    value(&format!(
        "apiVersion: operators.coreos.com/{}\nkind: {}\nmetadata:\n  name: foo.v2.3.4\n  namespace: operators\n{rest}",
        if kind == "v2" { "v2" } else { "v1" },
        if kind == "seed" {
            "Condition"
        } else {
            "OperatorCondition"
        },
    ))
}

const KINDS: [&str; 3] = ["seed", "v1", "v2"];

fn judged(kind: &str, rest: &str) -> Judgement {
    let object = resource(kind, rest);
    judge(OperatorCondition::of(&object).unwrap(), VERSION)
}

/// Returns OLM's message, or `None` if the upgrade is allowed.
fn held_message(kind: &str, rest: &str) -> Option<String> {
    judged(kind, rest).held.map(|held| held.to_string())
}

fn reported(kind: &str, status: &str) -> String {
    format!("status:\n  conditions:\n  - {{type: {kind}, status: {status:?}, reason: Migration, message: at work}}\n")
}

// The test plan of the proposal.

#[test]
fn an_operator_without_a_condition_resource_is_upgraded() {
    let operator = InstalledOperator {
        name: "foo.v2.3.4",
        phase: Some("Succeeded"),
        ..InstalledOperator::default()
    };
    let checks = check(&[], &[operator]);
    assert!(checks[0].upgradeable && checks[0].condition.is_none());
    assert_eq!(checks[0].upgrade, Upgrade::Done);
    assert!(held(&[], &[operator], &Olm::Proposed).is_empty());
}

#[test]
fn an_operator_whose_resource_lacks_the_condition_is_upgraded() {
    for kind in KINDS {
        for rest in [
            "",
            "status: {}\n",
            "status: {conditions: []}\n",
            &reported("Foo", "False"),
        ] {
            assert_eq!(held_message(kind, rest), None, "{kind} {rest}");
        }
    }
}

#[test]
fn an_upgradeable_operator_is_upgraded() {
    for kind in KINDS {
        assert_eq!(held_message(kind, &reported("Upgradeable", "True")), None, "{kind}");
    }
}

#[test]
fn an_operator_that_is_not_upgradeable_is_not_upgraded() {
    for kind in KINDS {
        let said = held_message(kind, &reported("Upgradeable", "False"));
        assert_eq!(
            said.as_deref(),
            Some("the operator is not upgradeable: at work"),
            "{kind}"
        );
    }
}

// The gate, row by row.

#[test]
fn an_override_takes_precedence_over_the_operator() {
    let forms = [
        ("Upgradeable", None),
        ("{type: Upgradeable, status: \"True\", reason: R, message: go}", None),
        (
            "{type: Upgradeable, status: \"False\", reason: R, message: stop}",
            Some("stop"),
        ),
        (
            "{type: Upgradeable, status: Unknown, reason: R, message: who knows}",
            Some("who knows"),
        ),
    ];
    for kind in KINDS {
        for status in ["True", "False", "Unknown"] {
            for (form, message) in forms {
                let rest = format!("spec:\n  overrides:\n  - {form}\n{}", reported("Upgradeable", status));
                let expected = message.map(|message| format!("the operator is not upgradeable: {message}"));
                assert_eq!(held_message(kind, &rest), expected, "{kind} {rest}");
            }
        }
    }
}

#[test]
fn the_first_override_and_the_first_condition_of_a_type_win() {
    let rest = "spec:\n  overrides:\n  - Upgradeable\n  - {type: Upgradeable, status: \"False\", message: no}\n";
    assert_eq!(held_message("v1", rest), None);
    let rest = "status:\n  conditions:\n  - {type: Upgradeable, status: \"True\"}\n  \
                - {type: Upgradeable, status: \"False\", message: no}\n";
    assert_eq!(held_message("v1", rest), None);
}

#[test]
fn a_condition_of_another_generation_is_outdated() {
    let with = |generation: Option<i64>, observed: Option<i64>, status: &str| {
        let mut object = resource("v1", &reported("Upgradeable", status));
        if let Some(generation) = generation {
            object["metadata"]["generation"] = json!(generation);
        }
        if let Some(observed) = observed {
            object["status"]["conditions"][0]["observedGeneration"] = json!(observed);
        }
        let judgement = judge(OperatorCondition::of(&object).unwrap(), VERSION);
        judgement.held.map(|held| held.to_string())
    };
    for status in ["True", "False", "Unknown"] {
        let outdated = format!("the operatorcondition status \"Upgradeable\"=\"{status}\" is outdated");
        for (generation, observed) in [(Some(2), Some(1)), (Some(1), Some(2)), (Some(1), None), (None, Some(1))] {
            let said = with(generation, observed, status);
            assert_eq!(said.as_ref(), Some(&outdated), "{generation:?} {observed:?}");
        }
    }
    for (generation, observed) in [(Some(3), Some(3)), (None, None)] {
        assert_eq!(with(generation, observed, "True"), None);
        assert_eq!(with(generation, observed, "Unknown"), None);
        let said = with(generation, observed, "False");
        assert_eq!(said.as_deref(), Some("the operator is not upgradeable: at work"));
    }
}

/// An API server sets the generation of every resource, and the proposal's operators state none.
#[test]
fn a_proposed_condition_without_an_observed_generation_is_current() {
    let with = |condition: &str, observed: Option<i64>, status: &str| {
        let mut object = resource("seed", &reported(condition, status));
        object["metadata"]["generation"] = json!(1);
        if let Some(observed) = observed {
            object["status"]["conditions"][0]["observedGeneration"] = json!(observed);
        }
        let judgement = judge(OperatorCondition::of(&object).unwrap(), VERSION);
        judgement.held.map(|held| held.to_string())
    };
    for observed in [None, Some(1)] {
        assert_eq!(with("Upgradeable", observed, "True"), None);
        assert_eq!(with("Upgrading", observed, "False"), None);
        let said = with("Upgradeable", observed, "False");
        assert_eq!(said.as_deref(), Some("the operator is not upgradeable: at work"));
        let said = with("Upgrading", observed, "True");
        assert_eq!(said.as_deref(), Some("the operator is being upgraded: at work"));
    }
    for condition in ["Upgradeable", "Upgrading"] {
        for status in ["True", "False"] {
            let outdated = format!("the operatorcondition status {condition:?}={status:?} is outdated");
            assert_eq!(with(condition, Some(2), status), Some(outdated));
        }
    }
    assert_eq!(with("Upgrading", Some(2), "Unknown"), None);
}

#[test]
fn an_override_takes_precedence_over_an_outdated_condition() {
    let mut object = resource(
        "v2",
        &format!(
            "spec: {{overrides: [Upgradeable]}}\n{}",
            reported("Upgradeable", "False")
        ),
    );
    object["metadata"]["generation"] = json!(7);
    assert_eq!(judge(OperatorCondition::of(&object).unwrap(), VERSION).held, None);
}

#[test]
fn unknown_allows_upgrades_as_a_condition_and_blocks_them_as_an_override() {
    for kind in KINDS {
        assert_eq!(held_message(kind, &reported("Upgradeable", "Unknown")), None, "{kind}");
    }
    let rest = "spec: {overrides: [{type: Upgradeable, status: Unknown, message: m}]}\n";
    assert!(held_message("v2", rest).is_some());
}

#[test]
fn names_are_case_sensitive() {
    for (written, near) in [
        ("Upgradable", true),
        ("upgradeable", true),
        ("UpgradeableX", true),
        ("Foo", false),
    ] {
        let judgement = judged("v1", &reported(written, "False"));
        assert_eq!(judgement.held, None, "{written}");
        let note = Note::Misspelled {
            kind: written.to_owned(),
            meant: UPGRADEABLE,
        };
        assert_eq!(judgement.notes.contains(&note), near, "{written}");
    }
}

#[test]
fn an_unreadable_resource_blocks_upgrades() {
    for (rest, words) in [
        (
            "status: {conditions: nothing}\n",
            "status.conditions is a string, not a list of conditions",
        ),
        (
            "status: {conditions: [7]}\n",
            "status.conditions is a number, not a list of conditions",
        ),
        (
            "spec: {overrides: [{status: \"True\"}]}\n",
            "spec.overrides is a list with an entry that has no type, not a list of conditions",
        ),
    ] {
        assert_eq!(held_message("v2", rest).as_deref(), Some(words));
    }
}

#[test]
fn the_message_repeats_the_words_of_olm() {
    let judgement = judged("v2", &reported("Upgradeable", "False"));
    assert_eq!(
        judgement.held.unwrap().message(),
        "operator is not upgradeable: the operator is not upgradeable: at work"
    );
}

#[test]
fn the_condition_of_the_operator_counts_until_there_is_a_status() {
    let spec = "spec:\n  conditions:\n  - {type: Upgradeable, status: \"False\", reason: R, message: new}\n";
    let judgement = judged("v2", spec);
    assert_eq!(judgement.notes, [Note::NotCopied]);
    assert_eq!(
        judgement.held.unwrap().to_string(),
        "the operator is not upgradeable: new"
    );
    let judgement = judged("v2", &format!("{spec}{}", reported("Upgradeable", "True")));
    let (kind, written) = (UPGRADEABLE.to_owned(), "False".to_owned());
    assert_eq!(
        (judgement.held, judgement.notes),
        (None, vec![Note::WrittenOtherwise { kind, written }])
    );
    // Version v1 has no such list, so OLM does not copy it.
    assert_eq!(judged("v1", spec).held, None);
}

// Upgrading, row by row.

#[test]
fn upgrading_shows_the_progress_of_the_upgrade() {
    let done = Progress::Done;
    let at = |reached: &str| Progress::NotStarted {
        reached: reached.to_owned(),
        installed: "2.3.4".to_owned(),
    };
    let (waiting, odd) = (at("1.2.3"), at("v2.3.4"));
    let running = Progress::Upgrading {
        message: "at work".to_owned(),
    };
    for (status, reached, expected) in [
        (None, None, &Progress::Unsaid),
        (None, Some("1.2.3"), &Progress::Unsaid),
        (Some("True"), None, &running),
        (Some("True"), Some("v1.2.3"), &running),
        (Some("True"), Some("2.3.4"), &running),
        (Some("False"), None, &done),
        (Some("False"), Some("2.3.4"), &done),
        (Some("False"), Some("v2.3.4"), &done),
        (Some("False"), Some("v1.2.3"), &waiting),
        (Some("False"), Some("vv2.3.4"), &odd),
        (Some("Unknown"), None, &Progress::Unsaid),
        (Some("Unknown"), Some("v1.2.3"), &Progress::Unsaid),
    ] {
        let conditions = status.map_or("status:\n  conditions: []\n".to_owned(), |status| {
            reported("Upgrading", status)
        });
        let rest = reached.map_or(conditions.clone(), |reached| {
            format!("{conditions}  version: {reached}\n")
        });
        let judgement = judged("seed", &rest);
        assert_eq!(&judgement.progress, expected, "{rest}");
        let is_held = matches!(expected, Progress::Upgrading { .. } | Progress::NotStarted { .. });
        assert_eq!(
            (judgement.held.is_some(), judgement.hold.is_some()),
            (is_held, is_held),
            "{rest}"
        );
        assert_eq!(
            judgement.notes.contains(&Note::UpgradingUnknown),
            status == Some("Unknown")
        );
    }
}

#[test]
fn a_version_without_quotes_is_read_with_a_note() {
    for (written, notes) in [
        ("1.2.3", &[][..]),
        ("v1.2.3", &[]),
        (
            "\"1.2\"",
            &["status.version is \"1.2\", which is not a version such as 1.2.3"],
        ),
        (
            "banana",
            &["status.version is \"banana\", which is not a version such as 1.2.3"],
        ),
        (
            "1.2",
            &[
                "status.version is a number; clusters accept only a string, such as \"1.2.3\"",
                "status.version is \"1.2\", which is not a version such as 1.2.3",
            ],
        ),
    ] {
        let rest = format!("{}  version: {written}\n", reported("Upgrading", "False"));
        let judgement = judged("seed", &rest);
        let found: Vec<String> = judgement.notes.iter().map(ToString::to_string).collect();
        assert_eq!(found, notes, "{written}");
        assert!(matches!(judgement.held, Some(Held::NotBegun { .. })), "{written}");
    }
    let judgement = judged("seed", &format!("{}  version: []\n", reported("Upgrading", "False")));
    assert_eq!((judgement.held, judgement.notes.len()), (None, 1));
}

#[test]
fn an_override_of_upgrading_disables_it() {
    for form in [
        "Upgrading",
        "{type: Upgrading, status: \"True\", reason: R, message: m}",
    ] {
        let rest = format!("spec:\n  overrides:\n  - {form}\n{}", reported("Upgrading", "True"));
        let judgement = judged("seed", &rest);
        assert_eq!((judgement.held, judgement.progress), (None, Progress::Unsaid), "{form}");
    }
}

#[test]
fn without_upgrading_the_phase_counts() {
    let conditions = [resource("seed", &reported("Upgradeable", "True"))];
    for (phase, upgrade) in [
        (Some("Succeeded"), Upgrade::Done),
        (Some("Installing"), Upgrade::NotDone),
        (None, Upgrade::Unknown),
    ] {
        let operator = InstalledOperator {
            name: "foo.v2.3.4",
            phase,
            ..InstalledOperator::default()
        };
        assert_eq!(check(&conditions, &[operator])[0].upgrade, upgrade);
    }
}

// The forms of the proposal's own examples.

#[test]
fn a_single_condition_instead_of_a_list_is_read_with_a_note() {
    let rest = "status:\n   conditions:\n    type: Upgradeable\n    status: \"False\"\n    reason: \"migration\"\n    \
                message: \"The operator is performing a migration.\"\n";
    let judgement = judged("seed", rest);
    assert_eq!(judgement.notes, [Note::SingleCondition]);
    assert_eq!(
        judgement.held.unwrap().to_string(),
        "the operator is not upgradeable: The operator is performing a migration."
    );
}

#[test]
fn a_resource_that_a_cluster_would_reject_is_read_with_a_note() {
    let rest = "spec: {overrides: [Foo, Upgradable]}\nstatus:\n  conditions:\n  \
                - {type: Upgrading, status: False, reason: Upgrade Done}\n  - {type: Bar, status: maybe}\n";
    let notes: Vec<String> = judged("seed", rest).notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "the status of Upgrading is written without quotes; clusters accept only the string \"False\"",
            "the reason \"Upgrade Done\" of Upgrading is not in CamelCase; clusters reject it",
            "the status \"maybe\" of Bar is not True, False or Unknown",
            "the override of Foo has no effect, because OLM does not know this condition",
            "the override of Upgradable has no effect, because OLM does not know this condition; did you mean Upgradeable?",
        ]
    );
}

#[test]
fn reasons_have_the_format_of_the_api_server() {
    let note = |reason: &str| {
        let mut object = resource("v1", &reported("Upgradeable", "True"));
        object["status"]["conditions"][0]["reason"] = json!(reason);
        !judge(OperatorCondition::of(&object).unwrap(), VERSION).notes.is_empty()
    };
    for right in ["A", "Migration", "a_b", "A,b:c_"] {
        assert!(!note(right), "{right}");
    }
    for wrong in ["", "Upgrade Done", "1a", "a-b", "a:", "_a", &"a".repeat(1025)] {
        assert!(note(wrong), "{wrong}");
    }
}

// The operator that a resource belongs to.

#[test]
fn a_resource_belongs_to_an_operator_by_name_owner_or_label() {
    let operator = InstalledOperator {
        name: "foo.v1.0.0",
        namespace: Some("operators"),
        package: Some("foo"),
        ..InstalledOperator::default()
    };
    let of = |kind: &str, metadata: &str| {
        let object = value(&format!(
            "apiVersion: operators.coreos.com/v1\nkind: {kind}\nmetadata: {metadata}\n"
        ));
        OperatorCondition::of(&object).unwrap().is_of(&operator)
    };
    let owner = |name: &str| format!("{{name: x, ownerReferences: [{{kind: ClusterServiceVersion, name: {name}}}]}}");
    let label = |key: &str| format!("{{name: x, namespace: operators, labels: {{\"{key}\": \"\"}}}}");
    for kind in ["Condition", "OperatorCondition"] {
        assert!(of(kind, "{name: foo.v1.0.0, namespace: operators}") && of(kind, "{name: foo.v1.0.0}"));
        assert!(!of(kind, "{name: foo.v1.0.0, namespace: other}") && !of(kind, "{name: foo.v2.0.0}"));
    }
    assert!(of("Condition", &owner("foo.v1.0.0")) && !of("OperatorCondition", &owner("foo.v1.0.0")));
    assert!(!of("Condition", &owner("foo.v0.9.0")));
    for key in [
        "operators.coreos.com/operator:v2alpha1/foo",
        "operators.coreos.com/foo",
        "operators.coreos.com/foo.operators",
    ] {
        assert!(of("Condition", &label(key)), "{key}");
    }
    assert!(!of("Condition", &label("operators.coreos.com/foo.other")));
    assert!(!of("Condition", &label("example.com/foo")));
}

#[test]
fn the_package_of_an_operator_comes_from_its_label() {
    let csv = |label: &str| json!({"kind": csv::KIND, "metadata": {"name": "foo.v1.0.0", "namespace": "operators", "labels": {label: ""}}});
    for (label, package) in [
        ("operators.coreos.com/foo.operators", Some("foo")),
        ("operators.coreos.com/foo", Some("foo")),
        ("example.com/foo", None),
    ] {
        let csv = csv(label);
        assert_eq!(InstalledOperator::of(&csv).unwrap().package, package, "{label}");
    }
}

#[test]
fn operators_and_resources_are_listed_together() {
    let conditions = [
        resource("v2", &reported("Upgradeable", "False")),
        value("{apiVersion: operators.coreos.com/v2, kind: OperatorCondition, metadata: {name: gone.v1.0.0}}"),
        value("{apiVersion: example.com/v1, kind: Condition, metadata: {name: foreign}}"),
    ];
    let csv = |name: &str, more: Value| {
        let mut csv = json!({"apiVersion": csv::API_VERSION, "kind": csv::KIND,
            "metadata": {"name": name, "namespace": "operators"},
            "spec": {"version": "2.3.4"}, "status": {"phase": "Succeeded"}});
        csv["metadata"]["labels"] = more;
        csv
    };
    let csvs = [
        csv("foo.v2.3.4", json!({})),
        csv("bar.v1.0.0", json!({})),
        csv("bar.v1.0.0", json!({"olm.copiedFrom": "elsewhere"})),
    ];
    let installed: Vec<_> = csvs.iter().filter_map(InstalledOperator::of).collect();
    let checks = check(&conditions, &installed);
    let short: Vec<_> = checks
        .iter()
        .map(|check| (check.operator.as_str(), check.condition.as_deref(), check.upgradeable))
        .collect();
    assert_eq!(
        short,
        [
            ("gone.v1.0.0", Some("OperatorCondition/gone.v1.0.0"), true),
            ("bar.v1.0.0", None, true),
            ("foo.v2.3.4", Some("OperatorCondition/foo.v2.3.4"), false),
        ]
    );
    assert_eq!(checks[2].reason, Some("OperatorConditionNotUpgradeable"));
    let held = held(&conditions, &installed, &Olm::Proposed);
    let message = "operator is not upgradeable: the operator is not upgradeable: at work";
    let held: Vec<_> = held
        .iter()
        .map(|(name, hold)| (name.as_str(), hold.message.as_str()))
        .collect();
    assert_eq!(held, [("foo.v2.3.4", message)]);
}

// The resource that holds back an upgrade, the start time, and the change that allows the upgrade.

#[test]
fn c15_a_block_names_its_author_time_and_override() {
    let rest = "spec: {overrides: [Foo, {type: Bar, status: \"True\"}]}\nstatus:\n  conditions:\n  \
                - {type: Upgradeable, status: \"False\", reason: R, message: m, lastTransitionTime: \"2020-08-24T23:15:55Z\"}\n  \
                - {type: Upgrading, status: \"True\", reason: R}\n";
    for (kind, named, ours) in [
        (
            "seed",
            "conditions.operators.coreos.com",
            json!(["Foo", {"type": "Bar", "status": "True"}, "Upgradeable", "Upgrading"]),
        ),
        ("v2", "operatorconditions.operators.coreos.com", Value::Null),
    ] {
        let hold = judged(kind, rest).hold.unwrap();
        let said = "Upgradeable=False (R) since 2020-08-24T23:15:55Z";
        assert_eq!(hold.to_string(), format!("{} reports {said}", hold.condition), "{kind}");
        let release = hold.release.unwrap();
        assert_eq!((release.resource.as_str(), hold.by_override), (named, false));
        if !ours.is_null() {
            assert_eq!(release.patch, json!({"spec": {"overrides": ours}}));
        }
        // After the patch, the resource no longer holds back upgrades.
        let mut object = resource(kind, rest);
        object["spec"]["overrides"] = release.patch["spec"]["overrides"].clone();
        let after = judge(OperatorCondition::of(&object).unwrap(), VERSION);
        assert_eq!((after.held, after.overridden.len()), (None, 2), "{kind}");
    }
}

#[test]
fn c36_a_blocking_override_is_reported_as_an_override() {
    let judgement = judged(
        "v2",
        "spec: {overrides: [{type: Upgradeable, status: \"False\", reason: R, message: stop}]}\n",
    );
    let hold = judgement.hold.unwrap();
    assert!(
        hold.by_override && hold.to_string().starts_with("an override in OperatorCondition/"),
        "{hold}"
    );
    assert!(
        hold.explained().ends_with("change the override to allow the update)"),
        "{}",
        hold.explained()
    );
}

#[test]
fn c31_an_unfinished_upgrade_blocks_the_next_one() {
    let judgement = judged(
        "seed",
        &format!("{}  version: v1.2.3\n", reported("Upgrading", "False")),
    );
    let message = "the operator is at 1.2.3, and has not started its upgrade to 2.3.4";
    assert_eq!(judgement.held.unwrap().to_string(), message);
    assert_eq!(judgement.hold.unwrap().said.unwrap().kind, UPGRADING);
}

#[test]
fn c4_conditions_unknown_to_olm_are_kept() {
    let judgement = judged("v2", &reported("Foo", "False"));
    assert_eq!(
        judgement.others.iter().map(Said::state).collect::<Vec<_>>(),
        ["Foo=False"]
    );
    assert!(judged("v2", &reported("Upgradeable", "True")).others.is_empty());
}

#[test]
fn an_upgrade_is_not_done_while_a_subscription_waits_for_its_install_plan() {
    let of = |phase: &str, namespace: &str, others: Vec<Value>| {
        let object = |kind: &str, name: &str, parts: Value| {
            let mut object = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": kind,
                "metadata": {"name": name, "namespace": "garden"}});
            object
                .as_object_mut()
                .unwrap()
                .extend(parts.as_object().unwrap().clone());
            object
        };
        let mut version = object(
            "ClusterServiceVersion",
            "rake.v1",
            json!({"status": {"phase": "Succeeded"}}),
        );
        version["metadata"]["namespace"] = json!(namespace);
        let subscription = object(
            "Subscription",
            "rake",
            json!({"spec": {"name": "rake"}, "status": {"installedCSV": "rake.v1", "currentCSV": "rake.v2",
                "state": "UpgradePending", "installPlanRef": {"name": "install-abc"}}}),
        );
        let plan = object(
            "InstallPlan",
            "install-abc",
            json!({"spec": {"clusterServiceVersionNames": ["rake.v2"]}, "status": {"phase": phase}}),
        );
        let state = State {
            objects: [vec![version, subscription, plan], others].concat(),
            ..State::default()
        };
        let check = check_in(&state).swap_remove(0);
        (check.upgrade, check.notes)
    };
    let failed = "the InstallPlan install-abc with rake.v2 failed";
    let blocked = format!("{failed}; OLM creates no other plan until you delete it");
    assert_eq!(of("Failed", "garden", Vec::new()), (Upgrade::Failed, vec![blocked]));
    let (upgrade, notes) = of("RequiresApproval", "garden", Vec::new());
    assert_eq!(upgrade, Upgrade::AwaitsApproval);
    assert!(notes[0].contains("waits for approval"), "{notes:?}");
    assert_eq!(of("Installing", "garden", Vec::new()).0, Upgrade::NotDone);
    assert_eq!(of("Failed", "elsewhere", Vec::new()), (Upgrade::Done, Vec::new()));
    let group = json!({"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
        "metadata": {"name": "g", "namespace": "garden"}, "spec": {"upgradeStrategy": "TechPreviewUnsafeFailForward"}});
    let forward = of("Failed", "garden", vec![group]);
    assert_eq!(forward, (Upgrade::Failed, vec![failed.to_owned()]));
}
