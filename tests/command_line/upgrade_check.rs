//! `upgrade-check`: whether upgrades are blocked, and the resource with which an operator blocks them.

use crate::bundles::{fail, miss, operator, outcome_of, rake, succeed};
use crate::common::{Outcome, Sandbox};
use serde_json::{Value, json};
use std::fs;

/// Two operators, one of which blocks its upgrade, as printed by kubectl.
const DUMP: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: foo.v1.0.0, namespace: operators}
  spec: {version: 1.0.0}
  status: {phase: Succeeded}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: bar.v1.0.0, namespace: operators}
  spec: {version: 1.0.0}
  status: {phase: Succeeded}
- apiVersion: operators.coreos.com/v2
  kind: OperatorCondition
  metadata: {name: foo.v1.0.0, namespace: operators, generation: 1}
  status:
    conditions:
    - {type: Upgradeable, status: \"False\", reason: Migration, message: a migration is going on, observedGeneration: 1}
";

fn sandbox(dump: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("dump.yaml"), dump).unwrap();
    sandbox
}

fn run(sandbox: &Sandbox, line: &str) -> Outcome {
    sandbox.run(line.split(' '))
}

#[test]
fn without_operators_no_upgrade_is_blocked() {
    let sandbox = sandbox("apiVersion: v1\nitems: []\nkind: List\n");
    insta::assert_snapshot!(run(&sandbox, "upgrade-check dump.yaml"), @"
    ------- stderr -------
    there are no operators, so no upgrade is held back
    ");
    let json = run(&sandbox, "upgrade-check dump.yaml -q -o json");
    assert_eq!(json.stdout, "{\n  \"operators\": []\n}\n");
    fs::write(
        sandbox.path("dump.yaml"),
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n",
    )
    .unwrap();
    assert!(
        fail(&sandbox, "upgrade-check dump.yaml")
            .stderr
            .contains("kubectl get csv,operatorconditions")
    );
}

#[test]
fn an_upgrade_whose_install_plan_failed_or_waits_is_not_shown_as_done() {
    let dump = |phase: &str| {
        format!(
            "{DUMP}- apiVersion: operators.coreos.com/v1alpha1
  kind: InstallPlan
  metadata: {{name: install-abc, namespace: operators}}
  spec: {{clusterServiceVersionNames: [bar.v1.1.0]}}
  status: {{phase: {phase}}}
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {{name: bar, namespace: operators}}
  spec: {{name: bar}}
  status: {{installedCSV: bar.v1.0.0, currentCSV: bar.v1.1.0, state: UpgradePending, installPlanRef: {{name: install-abc}}}}
"
        )
    };
    let of = |phase: &str| {
        let outcome = run(&sandbox(&dump(phase)), "upgrade-check dump.yaml");
        let row = outcome.stdout.lines().find(|line| line.starts_with("bar.v1.0.0"));
        format!("{}\n{}", row.unwrap(), outcome.stderr)
    };
    insta::assert_snapshot!(of("Failed"), @"
    bar.v1.0.0  operators  allowed   failed
    warning: bar.v1.0.0: the InstallPlan install-abc with bar.v1.1.0 failed; OLM creates no other plan until you delete it
    ");
    insta::assert_snapshot!(of("RequiresApproval"), @"
    bar.v1.0.0  operators  allowed   waits for approval
    warning: bar.v1.0.0: the InstallPlan install-abc with bar.v1.1.0 waits for approval; OLM creates no other plan until you approve or delete it
    ");
}

#[test]
fn blocked_upgrades_are_reported_with_the_message_of_olm() {
    let sandbox = sandbox(DUMP);
    insta::assert_snapshot!(run(&sandbox, "upgrade-check dump.yaml"), @r#"
    OPERATOR    NAMESPACE  UPGRADES  LAST UPGRADE  CONDITION                     WHY
    bar.v1.0.0  operators  allowed   done
    foo.v1.0.0  operators  held      done          OperatorCondition/foo.v1.0.0  operator is not upgradeable: the operator is not upgradeable: a migration is going on

    OPERATOR    NAMESPACE  STATUS             SINCE  EFFECT              REASON     MESSAGE
    foo.v1.0.0  operators  Upgradeable=False         blocks the upgrade  Migration  a migration is going on

    To let foo.v1.0.0 be upgraded anyway:
      kubectl patch operatorconditions.operators.coreos.com foo.v1.0.0 -n operators --type merge -p '{"spec":{"overrides":[{"type":"Upgradeable","status":"True","reason":"Overridden","message":"an administrator allows the upgrade"}]}}'
    ------- exit 3 -------
    "#);
    let json = run(&sandbox, "upgrade-check dump.yaml -o json");
    let yaml = run(&sandbox, "upgrade-check dump.yaml -o yaml");
    assert_eq!((json.status, yaml.status), (Some(3), Some(3)));
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json, serde_yaml::from_str::<Value>(&yaml.stdout).unwrap());
    assert_eq!(
        json["operators"][1],
        json!({
            "operator": "foo.v1.0.0",
            "namespace": "operators",
            "version": "1.0.0",
            "condition": "OperatorCondition/foo.v1.0.0",
            "upgradeable": false,
            "reason": "OperatorConditionNotUpgradeable",
            "message": "operator is not upgradeable: the operator is not upgradeable: a migration is going on",
            "heldBy": {
                "condition": "OperatorCondition/foo.v1.0.0",
                "said": {"type": "Upgradeable", "status": "False", "reason": "Migration", "message": "a migration is going on"},
                "byOverride": false,
                "message": "operator is not upgradeable: the operator is not upgradeable: a migration is going on",
                "override": {
                    "resource": "operatorconditions.operators.coreos.com",
                    "name": "foo.v1.0.0",
                    "namespace": "operators",
                    "patch": {"spec": {"overrides": [{
                        "type": "Upgradeable", "status": "True", "reason": "Overridden",
                        "message": "an administrator allows the upgrade",
                    }]}},
                },
            },
            "upgrade": "done",
        })
    );
    assert_eq!(json["operators"][0]["upgradeable"], true);
}

#[test]
fn an_operator_that_has_not_succeeded_is_upgraded_only_with_fail_forward() {
    let operators = |phase: &str, group: &str| {
        let sandbox = sandbox(&(DUMP.replace("Succeeded", phase) + group));
        let outcome = run(&sandbox, "upgrade-check dump.yaml -o json");
        assert_eq!(outcome.status, Some(3), "{outcome}");
        serde_json::from_str::<Value>(&outcome.stdout).unwrap()["operators"].clone()
    };
    let pending = operators("Pending", "");
    assert_eq!(pending[0]["upgradeable"], false);
    assert_eq!(pending[0]["reason"], "RequirementsUnknown");
    assert_eq!(
        pending[0]["message"],
        "bar.v1.0.0 is in the phase Pending, and OLM replaces a version only in the phase Succeeded"
    );
    assert_eq!(pending[1]["reason"], "OperatorConditionNotUpgradeable");
    assert_eq!(operators("Failed", "")[0]["upgradeable"], false);
    let group = "- apiVersion: operators.coreos.com/v1\n  kind: OperatorGroup\n  \
                 metadata: {name: g, namespace: operators}\n  spec: {upgradeStrategy: TechPreviewUnsafeFailForward}\n";
    assert_eq!(operators("Failed", group)[0]["upgradeable"], true);
    assert_eq!(operators("Pending", group)[0]["upgradeable"], false);
    assert_eq!(operators("Replacing", "")[0]["upgradeable"], true);
}

#[test]
fn an_object_in_two_files_is_reported_once() {
    let sandbox = sandbox(DUMP);
    fs::write(sandbox.path("newer.yaml"), DUMP.replace("a migration is", "the end is")).unwrap();
    let once = run(&sandbox, "upgrade-check dump.yaml");
    assert_eq!(run(&sandbox, "upgrade-check dump.yaml dump.yaml"), once);
    let shown = saying();
    let twice = run(&shown, "operator dump.yaml dump.yaml");
    assert_eq!(twice, run(&shown, "operator dump.yaml"));
    let newer = run(&sandbox, "upgrade-check newer.yaml");
    let both = run(&sandbox, "upgrade-check dump.yaml newer.yaml");
    assert_eq!(both.stdout, newer.stdout);
    insta::assert_snapshot!(both.stderr, @"
    warning: the input contains OperatorCondition operators/foo.v1.0.0 more than once, with different content; the last one is used
    ");
}

#[test]
fn an_override_allows_the_upgrade() {
    let overridden = DUMP.replace(
        "  status:\n    conditions:",
        "  spec: {overrides: [Upgradeable]}\n  status:\n    conditions:",
    );
    assert_ne!(overridden, DUMP);
    let sandbox = sandbox(&overridden);
    let outcome = outcome_of(&sandbox, "upgrade-check dump.yaml");
    assert!(
        !outcome.stdout.contains("held") && outcome.stderr.is_empty(),
        "{outcome}"
    );
}

#[test]
fn a_dump_without_conditions_leaves_the_answer_unknown() {
    let (operators, _) = DUMP.split_once("- apiVersion: operators.coreos.com/v2").unwrap();
    let sandbox = sandbox(operators);
    insta::assert_snapshot!(outcome_of(&sandbox, "upgrade-check dump.yaml"), @r#"
    OPERATOR    NAMESPACE  UPGRADES  LAST UPGRADE  CONDITION  WHY
    bar.v1.0.0  operators  allowed   done
    foo.v1.0.0  operators  allowed   done
    ------- stderr -------
    warning: the input contains no OperatorConditions, so whether an operator refuses its upgrade is unknown; OLM allows an upgrade without one; use "kubectl get csv,operatorconditions -o yaml" to include them
    "#);
    // A what-if file is complete.
    fs::write(sandbox.path("state.yaml"), "installed:\n- {name: rake.v1.0.0}\n").unwrap();
    assert_eq!(outcome_of(&sandbox, "upgrade-check --state state.yaml").stderr, "");
}

#[test]
fn a_condition_that_a_cluster_would_reject_is_a_warning() {
    let sandbox = sandbox(
        "apiVersion: operators.coreos.com/v1\nkind: Condition\nmetadata: {name: foo}\nspec: {overrides: [Upgradable]}\n\
         status:\n  conditions: {type: Upgrading, status: \"False\", reason: Upgrade Done}\n",
    );
    insta::assert_snapshot!(outcome_of(&sandbox, "upgrade-check dump.yaml"), @r#"
    OPERATOR  NAMESPACE  UPGRADES  LAST UPGRADE  CONDITION      WHY
    foo                  allowed   done          Condition/foo
    ------- stderr -------
    warning: Condition/foo: status.conditions is one condition; clusters accept only a list of them
    warning: Condition/foo: the reason "Upgrade Done" of Upgrading is not in CamelCase; clusters reject it
    warning: Condition/foo: the override of Upgradable has no effect, because OLM does not know this condition; did you mean Upgradeable?
    "#);
    assert_eq!(outcome_of(&sandbox, "upgrade-check dump.yaml -q").stderr, "");
}

/// The printed commands are copied into shells.
#[test]
fn names_that_a_cluster_would_reject_do_not_become_part_of_a_command() {
    let hostile = "a; touch pwned #";
    for (from, to) in [
        (
            "foo.v1.0.0, namespace: operators, generation",
            format!("foo.v1.0.0, namespace: {hostile:?}, generation"),
        ),
        ("name: foo.v1.0.0, namespace", format!("name: {hostile:?}, namespace")),
    ] {
        let changed = DUMP.replace(from, &to);
        assert_ne!(changed, DUMP);
        let sandbox = sandbox(&changed);
        let outcome = run(&sandbox, "upgrade-check dump.yaml");
        assert!(
            outcome.status == Some(3) && !outcome.stdout.contains("kubectl"),
            "{outcome}"
        );
        let rejected = format!("is {hostile:?}, which is not a valid name; clusters reject it");
        assert!(outcome.stderr.contains(&rejected), "{outcome}");
    }
    // A Condition without a namespace is in the namespace of its operator.
    let changed = DUMP
        .replace("namespace: operators}", &format!("namespace: {hostile:?}}}"))
        .replace(", namespace: operators, generation", ", generation");
    let outcome = run(&sandbox(&changed), "upgrade-check dump.yaml");
    assert!(outcome.stdout.contains(" -n 'a; touch pwned #' --type"), "{outcome}");
}

#[test]
fn folders_and_standard_input_are_read_like_files() {
    let sandbox = sandbox(DUMP);
    let from_file = run(&sandbox, "upgrade-check dump.yaml");
    fs::create_dir(sandbox.path("dumps")).unwrap();
    for (number, item) in DUMP.split("\n- ").skip(1).enumerate() {
        let item = item.replace("\n  ", "\n");
        fs::write(sandbox.path(format!("dumps/{number}.yaml")), item).unwrap();
    }
    fs::write(sandbox.path("dumps/notes.txt"), "not read").unwrap();
    assert_eq!(run(&sandbox, "upgrade-check dumps"), from_file);
    let mut piped = sandbox.command(["upgrade-check", "-"]);
    let outcome = sandbox.finish(piped.stdin(fs::File::open(sandbox.path("dump.yaml")).unwrap()));
    assert_eq!(outcome, from_file);
}

#[test]
fn a_what_if_file_declares_installed_operators() {
    let sandbox = sandbox(DUMP);
    let state = "installed:\n- {name: rake.v1.0.0, version: 1.0.0, package: rake}\n- {name: hoe.v1.0.0, phase: Failed}\n\
                 conditions:\n- apiVersion: operators.coreos.com/v1\n  kind: Condition\n  \
                 metadata: {name: x, labels: {operators.coreos.com/rake.operators: \"\"}}\n  \
                 status: {conditions: [{type: Upgrading, status: \"True\", reason: R, message: to 1.0.0}]}\n";
    fs::write(sandbox.path("state.yaml"), state).unwrap();
    insta::assert_snapshot!(run(&sandbox, "upgrade-check --state state.yaml"), @r#"
    OPERATOR     NAMESPACE  UPGRADES  LAST UPGRADE   CONDITION    WHY
    hoe.v1.0.0   operators  held      not completed               hoe.v1.0.0 is in the phase Failed, and OLM replaces a version only in the phase Succeeded, or in the phase Failed if the upgradeStrategy of the OperatorGroup is TechPreviewUnsafeFailForward
    rake.v1.0.0  operators  held      in progress    Condition/x  operator is not upgradeable: the operator is being upgraded: to 1.0.0

    OPERATOR     NAMESPACE  STATUS          SINCE  EFFECT              REASON  MESSAGE
    rake.v1.0.0  operators  Upgrading=True         blocks the upgrade  R       to 1.0.0

    To let rake.v1.0.0 be upgraded anyway:
      kubectl patch conditions.operators.coreos.com x -n operators --type merge -p '{"spec":{"overrides":["Upgrading"]}}'
    ------- exit 3 -------
    "#);
    fs::write(
        sandbox.path("misspelled.yaml"),
        state.replace("conditions:\n- ", "condition:\n- "),
    )
    .unwrap();
    insta::assert_snapshot!(fail(&sandbox, "upgrade-check --state misspelled.yaml"), @r#"
    ------- stderr -------
    error: misspelled.yaml:4:1: condition is not a known key of the file; did you mean conditions?
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(fail(&sandbox, "upgrade-check --state dump.yaml"), @"
    ------- stderr -------
    error: dump.yaml:1:1: this is a Kubernetes object, not a what-if file
      hint: pass a cluster dump with --cluster, or as FILE
    ------- exit 1 -------
    ");
}

#[test]
fn input_that_cannot_be_judged_is_rejected() {
    let sandbox = sandbox("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n");
    insta::assert_snapshot!(fail(&sandbox, "upgrade-check dump.yaml"), @r#"
    ------- stderr -------
    error: the input contains neither operators nor operator conditions
      hint: pass the output of "kubectl get csv,operatorconditions -o yaml" for the namespace of the operator; the copies that OLM makes in other namespaces do not count
    ------- exit 1 -------
    "#);
    fs::write(sandbox.path("list.yaml"), "- 1\n").unwrap();
    insta::assert_snapshot!(fail(&sandbox, "upgrade-check list.yaml"), @r#"
    ------- stderr -------
    error: list.yaml:1: expected a Kubernetes object, found a number
      hint: a dump is the output of "kubectl get ... -o yaml", "kubectl api-resources" or "kubectl get --raw /apis/GROUP/VERSION"
    ------- exit 1 -------
    "#);
    fs::write(sandbox.path("broken.yaml"), "a: [\n").unwrap();
    let broken = fail(&sandbox, "upgrade-check broken.yaml");
    assert!(
        broken.stderr.starts_with("error: broken.yaml:1:5: not YAML: "),
        "{broken}"
    );
    let large = fail(&sandbox, "upgrade-check dump.yaml --max-file-size 10");
    assert!(large.stderr.contains("is larger than 10 bytes"), "{large}");
    let missing = miss(&sandbox, "upgrade-check absent.yaml");
    assert!(
        missing.stderr.starts_with("error: cannot read absent.yaml"),
        "{missing}"
    );
    assert_eq!(run(&sandbox, "upgrade-check").status, Some(2));
}

#[test]
fn a_resource_is_printed_with_the_minimal_permissions() {
    let sandbox = Sandbox::new();
    let line = "upgrade-check init --name etcd.v0.9.4 --namespace operators --service-account etcd --deployment etcd";
    let outcome = outcome_of(&sandbox, line);
    insta::assert_snapshot!(outcome, @"
    apiVersion: operators.coreos.com/v2
    kind: OperatorCondition
    metadata:
      name: etcd.v0.9.4
      namespace: operators
    spec:
      serviceAccounts:
      - etcd
      deployments:
      - etcd
    ---
    apiVersion: rbac.authorization.k8s.io/v1
    kind: Role
    metadata:
      name: etcd.v0.9.4
      namespace: operators
    rules:
    - apiGroups:
      - operators.coreos.com
      resources:
      - operatorconditions
      resourceNames:
      - etcd.v0.9.4
      verbs:
      - get
      - update
      - patch
    ---
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata:
      name: etcd.v0.9.4
      namespace: operators
    roleRef:
      apiGroup: rbac.authorization.k8s.io
      kind: Role
      name: etcd.v0.9.4
    subjects:
    - kind: ServiceAccount
      name: etcd
      namespace: operators
    ");
    fs::write(sandbox.path("written.yaml"), outcome.stdout).unwrap();
    let read = outcome_of(&sandbox, "upgrade-check written.yaml");
    assert!(read.stdout.contains("OperatorCondition/etcd.v0.9.4"), "{read}");
    for wrong in [
        "--name Etcd --namespace operators",
        "--name etcd --namespace a.b",
        "--name etcd --namespace a --service-account a/b",
        "--name etcd --namespace a --deployment -",
        "--name etcd --namespace a --deployment a/b.c",
        "--name etcd --namespace a --operator A",
        "--name etcd --namespace a --kind condition",
        "--name etcd",
    ] {
        let outcome = run(&sandbox, &format!("upgrade-check init {wrong}"));
        assert_eq!(
            (outcome.status, outcome.stdout.as_str()),
            (Some(2), ""),
            "{wrong}: {outcome}"
        );
    }
}

/// The conditions of the operators of [`DUMP`], with an override and a condition that OLM does not know.
const SAYING: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: rake.v1.0.0, namespace: garden, labels: {operators.coreos.com/rake.garden: \"\"}}
  spec: {version: 1.0.0}
  status: {phase: Succeeded}
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: rake, namespace: garden, labels: {operators.coreos.com/rake.garden: \"\"}}
  spec: {name: rake, channel: stable, source: own, sourceNamespace: garden}
  status: {installedCSV: rake.v1.0.0, currentCSV: rake.v1.0.0}
- apiVersion: operators.coreos.com/v1
  kind: OperatorGroup
  metadata: {name: garden, namespace: garden}
- apiVersion: operators.coreos.com/v2
  kind: OperatorCondition
  metadata: {name: rake.v1.0.0, namespace: garden, generation: 1}
  status:
    conditions:
    - {type: Upgradeable, status: \"False\", reason: Digging, message: wait for the potatoes, observedGeneration: 1, lastTransitionTime: \"2026-01-01T00:00:00Z\"}
    - {type: Rusty, status: \"True\", reason: Rain, message: oil the rake, lastTransitionTime: \"2026-01-02T00:00:00Z\"}
";

fn saying() -> Sandbox {
    let sandbox = sandbox(SAYING);
    rake(&sandbox, "old", "1.0.0", None);
    rake(&sandbox, "new", "1.1.0", Some("rake.v1.0.0"));
    succeed(&sandbox, "registry add -q -b old,new -d index.db");
    sandbox
}

/// C4, C15, C34 and the update that waits.
#[test]
fn c34_all_conditions_are_shown_with_their_time_and_the_waiting_update() {
    let sandbox = saying();
    insta::assert_snapshot!(run(&sandbox, "upgrade-check dump.yaml --catalog index.db"), @r#"
    OPERATOR     NAMESPACE  UPGRADES  WAITING               LAST UPGRADE  CONDITION                      WHY
    rake.v1.0.0  garden     held      rake.v1.1.0 (stable)  done          OperatorCondition/rake.v1.0.0  operator is not upgradeable: the operator is not upgradeable: wait for the potatoes

    OPERATOR     NAMESPACE  STATUS             SINCE                 EFFECT                 REASON   MESSAGE
    rake.v1.0.0  garden     Upgradeable=False  2026-01-01T00:00:00Z  blocks the upgrade     Digging  wait for the potatoes
    rake.v1.0.0  garden     Rusty=True         2026-01-02T00:00:00Z  none (unknown to OLM)  Rain     oil the rake

    To let rake.v1.0.0 be upgraded anyway:
      kubectl patch operatorconditions.operators.coreos.com rake.v1.0.0 -n garden --type merge -p '{"spec":{"overrides":[{"type":"Upgradeable","status":"True","reason":"Overridden","message":"an administrator allows the upgrade"}]}}'
    ------- exit 3 -------
    "#);
    let json = run(&sandbox, "upgrade-check dump.yaml --catalog index.db -o json");
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let rake = &json["operators"][0];
    assert_eq!(
        rake["update"],
        json!({"name": "rake.v1.1.0", "package": "rake", "channel": "stable"})
    );
    assert_eq!(rake["heldBy"]["said"]["lastTransitionTime"], "2026-01-01T00:00:00Z");
    assert_eq!(rake["conditions"][0]["type"], "Rusty");
    // The patch lets the upgrade through, and what it sets aside is still shown (C36).
    let patch = &rake["heldBy"]["override"]["patch"];
    let overridden = SAYING.replace(
        "generation: 1}\n",
        &format!("generation: 1}}\n  spec: {}\n", patch["spec"]),
    );
    assert_ne!(overridden, SAYING);
    fs::write(sandbox.path("dump.yaml"), overridden).unwrap();
    let after = outcome_of(&sandbox, "upgrade-check dump.yaml");
    assert!(
        after
            .stdout
            .contains("Upgradeable=False  2026-01-01T00:00:00Z  overridden"),
        "{after}"
    );
    let view = outcome_of(&sandbox, "operator dump.yaml");
    assert!(view.stdout.contains("Upgradeable=Unknown (Overridden)"), "{view}");
}

#[test]
fn updates_are_searched_in_the_catalog_of_the_subscription() {
    let sandbox = saying();
    succeed(&sandbox, "registry add -q -b old -d own.db");
    let update = |catalogs: &str| {
        let json = run(&sandbox, &format!("upgrade-check dump.yaml -o json {catalogs}"));
        let value: Value = serde_json::from_str(&json.stdout).unwrap();
        (value["operators"][0]["update"]["name"].clone(), json.stderr)
    };
    let (none, warnings) = update("--catalog own=own.db --catalog other=index.db");
    assert_eq!((none, &*warnings), (Value::Null, ""));
    let (found, _) = update("--catalog other=own.db --catalog own=index.db");
    assert_eq!(found, "rake.v1.1.0");
    let (none, warnings) = update("--catalog other=index.db");
    let warning = "warning: Subscriptions use the catalog own, whose updates are not shown; add --catalog own=INDEX\n";
    assert_eq!((none, &*warnings), (Value::Null, warning));
}

#[test]
fn one_index_for_subscriptions_of_several_catalogs_is_warned_about() {
    let sandbox = saying();
    let more = SAYING.replace("rake", "hoe").replace("source: own", "source: shop");
    fs::write(sandbox.path("more.yaml"), more).unwrap();
    let checked = run(&sandbox, "upgrade-check dump.yaml more.yaml --catalog index.db");
    let warning = "the Subscriptions use the catalogs own, shop, and the index is searched for all of them";
    assert!(checked.stderr.contains(warning), "{checked}");
}

/// [`SAYING`], and the same operator in another namespace, with a catalog of the same name.
fn in_two_namespaces() -> Sandbox {
    let sandbox = saying();
    succeed(&sandbox, "registry add -q -b old -d own.db");
    fs::write(sandbox.path("more.yaml"), SAYING.replace("garden", "shed")).unwrap();
    sandbox
}

#[test]
fn catalogs_of_one_name_are_told_apart_by_their_namespaces() {
    let sandbox = in_two_namespaces();
    let both = "upgrade-check dump.yaml more.yaml -o json --catalog garden/own=index.db";
    let updates = |line: &str| {
        let checked = run(&sandbox, line);
        let value: Value = serde_json::from_str(&checked.stdout).unwrap();
        let names = [0, 1].map(|row| value["operators"][row]["update"]["name"].clone());
        (names, checked.stderr)
    };
    let (found, warnings) = updates(&format!("{both} --catalog shed/own=own.db"));
    assert_eq!((found, &*warnings), ([json!("rake.v1.1.0"), Value::Null], ""));
    let (found, warnings) = updates(both);
    let warning = "warning: Subscriptions use the catalog shed/own, whose updates are not shown; add --catalog \
                   shed/own=INDEX\n";
    assert_eq!((found, &*warnings), ([json!("rake.v1.1.0"), Value::Null], warning));
    for command in ["upgrade-check", "operator", "operator migrate"] {
        let refused = run(
            &sandbox,
            &format!("{command} dump.yaml more.yaml --catalog own=index.db"),
        );
        assert_eq!((refused.status, &*refused.stdout), (Some(2), ""), "{refused}");
        let expected = "error: several CatalogSources have the name own: garden/own and shed/own\n  \
                        hint: use --catalog garden/own=INDEX or --catalog shed/own=INDEX\n";
        assert_eq!(refused.stderr, expected, "{command}");
    }
    let mirrored = run(
        &sandbox,
        "mirror plan --cluster dump.yaml --cluster more.yaml --catalog own=index.db",
    );
    assert!(
        mirrored.status == Some(2) && mirrored.stderr.contains("garden/own and shed/own"),
        "{mirrored}"
    );
}

#[test]
fn an_index_replaces_the_catalog_of_its_namespace_in_a_resolution() {
    let sandbox = in_two_namespaces();
    let source = |namespace: &str| {
        format!(
            "- apiVersion: operators.coreos.com/v1alpha1\n  kind: CatalogSource\n  \
             metadata: {{name: own, namespace: {namespace}}}\n"
        )
    };
    let allowed = SAYING.replace("\"False\", reason: Digging", "\"True\", reason: Done");
    let dump = [allowed, source("garden"), source("olm")].concat();
    fs::write(sandbox.path("dump.yaml"), dump).unwrap();
    for command in ["resolve", "plan"] {
        let refused = run(
            &sandbox,
            &format!("{command} --cluster dump.yaml --catalog own=index.db"),
        );
        assert_eq!(refused.status, Some(2), "{refused}");
        let expected = "several CatalogSources have the name own: garden/own and olm/own";
        assert!(refused.stderr.contains(expected), "{refused}");
        let planned = run(
            &sandbox,
            &format!("{command} --cluster dump.yaml --catalog garden/own=index.db --catalog olm/own=own.db"),
        );
        assert!(planned.stdout.contains("rake.v1.1.0"), "{planned}");
        let twice = run(
            &sandbox,
            &format!("{command} --cluster dump.yaml --catalog garden/own=index.db --catalog garden/own=own.db"),
        );
        assert!(
            twice.status == Some(2) && twice.stderr.contains("two catalogs have the name garden/own"),
            "{twice}"
        );
    }
    let other = run(&sandbox, "resolve --cluster dump.yaml --catalog olm/own=index.db");
    let empty = "the catalog garden/own does not specify an index image, so it is treated as empty; use --catalog \
                 garden/own=INDEX to set an index";
    assert!(other.stderr.contains(empty), "{other}");
}

#[test]
fn an_operator_is_compared_with_the_catalog_of_its_subscription() {
    let sandbox = saying();
    let shown = |catalogs: &str| outcome_of(&sandbox, &format!("operator dump.yaml {catalogs}"));
    let own = shown("--catalog own=index.db");
    assert!(
        own.stdout.contains("UpdateAvailable") && own.stdout.contains("diverges"),
        "{own}"
    );
    assert_eq!(own.stdout, shown("--catalog garden/own=index.db").stdout);
    let other = shown("--catalog other=index.db");
    assert!(
        !other.stdout.contains("UpdateAvailable") && !other.stdout.contains("diverges"),
        "{other}"
    );
    let warning = "warning: Subscriptions use the catalog own, whose updates are not shown; add --catalog own=INDEX\n";
    assert_eq!(other.stderr, warning);
    let more = SAYING.replace("rake", "hoe").replace("source: own", "source: shop");
    fs::write(sandbox.path("more.yaml"), more).unwrap();
    let unnamed = shown("more.yaml --catalog index.db");
    let warning = "the Subscriptions use the catalogs own, shop, and the index is searched for all of them";
    assert!(unnamed.stderr.contains(warning), "{unnamed}");
}

#[test]
fn an_installed_operator_that_blocks_the_upgrade_of_openshift_is_warned_about() {
    let limited = |name: &str, value: &str| {
        let properties = format!(r#"{{"properties":[{{"type":"olm.maxOpenShiftVersion","value":{value}}}]}}"#);
        format!(
            "- apiVersion: operators.coreos.com/v1alpha1\n  kind: ClusterServiceVersion\n  metadata:\n    name: {name}\n    \
             namespace: operators\n    labels: {{operators.coreos.com/{name}.operators: \"\"}}\n    \
             annotations: {{operatorframework.io/properties: '{properties}'}}\n  \
             spec: {{version: 1.0.0}}\n  status: {{phase: Succeeded}}\n"
        )
    };
    let cluster = "- apiVersion: config.openshift.io/v1\n  kind: ClusterVersion\n  metadata: {name: version}\n  \
                   status: {desired: {version: 4.15.3}}\n";
    let operators = [
        limited("hoe", "\"4.15\""),
        limited("rake", "\"4.16\""),
        limited("spade", "\"4.x\""),
    ]
    .concat();
    let list = "apiVersion: v1\nkind: List\nitems:\n";
    let sandbox = sandbox(&[list, &operators, cluster].concat());
    let checked = run(&sandbox, "upgrade-check dump.yaml -o json");
    assert_eq!(
        checked.status,
        Some(0),
        "the operators themselves may be upgraded: {checked}"
    );
    let hoe = "the cluster cannot be upgraded to OpenShift 4.16 while hoe is installed, which supports OpenShift only up \
               to 4.15";
    let spade = "an OpenShift cluster cannot be upgraded to another minor version while spade is installed, because its \
                 property olm.maxOpenShiftVersion is \"4.x\", which is not a version";
    let warnings: Vec<&str> = checked
        .stderr
        .lines()
        .filter(|line| line.contains("OpenShift"))
        .collect();
    assert_eq!(
        warnings,
        [format!("warning: hoe: {hoe}"), format!("warning: spade: {spade}")]
    );
    let rows: Value = serde_json::from_str(&checked.stdout).unwrap();
    let of = |row: usize| rows["operators"][row]["openshift"].clone();
    assert_eq!(
        of(0),
        json!({"maxVersion": "4.15", "blocksUpgrade": true, "message": hoe})
    );
    assert_eq!(of(1), json!({"maxVersion": "4.16", "blocksUpgrade": false}));
    assert_eq!(of(2), json!({"blocksUpgrade": true, "message": spade}));
    let shown = outcome_of(&sandbox, "operator dump.yaml --name hoe.operators").stdout;
    let condition = format!("OpenShiftUpgradeBlocked (IncompatibleOperatorsInstalled): {hoe}\n");
    assert!(shown.contains(&condition), "{shown}");
    let shown = outcome_of(&sandbox, "operator dump.yaml --name rake.operators").stdout;
    assert!(!shown.contains("OpenShift"), "{shown}");
    fs::write(sandbox.path("dump.yaml"), [list, &operators].concat()).unwrap();
    let shown = outcome_of(&sandbox, "operator dump.yaml --name rake.operators").stdout;
    assert!(shown.contains("OpenShiftUpgradeBlocked=Unknown"), "{shown}");
}

#[test]
fn a_package_or_channel_that_the_catalog_does_not_have_is_warned_about() {
    for (from, to, missing, json) in [
        (
            "channel: stable",
            "channel: ended",
            "channel ended of package rake",
            json!({"package": "rake", "channel": "ended"}),
        ),
        (
            "{name: rake, channel",
            "{name: hoe, channel",
            "package hoe",
            json!({"package": "hoe"}),
        ),
    ] {
        let sandbox = saying();
        fs::write(sandbox.path("dump.yaml"), SAYING.replace(from, to)).unwrap();
        let checked = run(&sandbox, "upgrade-check dump.yaml --catalog index.db -o json");
        let warning = format!(
            "warning: rake.v1.0.0: the catalog of its Subscription has no {missing}; OLM installs and updates nothing in \
             the namespace garden until the Subscription is changed\n"
        );
        assert_eq!(checked.stderr, warning);
        let value: Value = serde_json::from_str(&checked.stdout).unwrap();
        assert_eq!(value["operators"][0]["missing"], json);
    }
}

/// C21: a requested update is blocked, too.
#[test]
fn c21_a_plan_is_blocked_by_the_condition_of_the_replaced_version() {
    let sandbox = saying();
    insta::assert_snapshot!(run(&sandbox, "plan new --cluster dump.yaml -n garden"), @r#"
    ------- stderr -------
    error: rake.v1.1.0 does not replace rake.v1.0.0: operator is not upgradeable: the operator is not upgradeable: wait for the potatoes
      because: OperatorCondition/rake.v1.0.0 reports Upgradeable=False (Digging) since 2026-01-01T00:00:00Z
      note: OLM 0.46.0 still creates the InstallPlan, but leaves rake.v1.1.0 in the phase Pending with the reason OperatorConditionNotUpgradeable
      it would work after: kubectl patch operatorconditions.operators.coreos.com rake.v1.0.0 -n garden --type merge -p '{"spec":{"overrides":[{"type":"Upgradeable","status":"True","reason":"Overridden","message":"an administrator allows the upgrade"}]}}'
    ------- exit 3 -------
    "#);
    let json = run(&sandbox, "plan new --cluster dump.yaml -n garden -o json");
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["heldBy"]["condition"], "OperatorCondition/rake.v1.0.0");
    // Also where the bundle names no version that it replaces: the package is the same.
    let skipping = run(&sandbox, "plan new --cluster dump.yaml -n garden --replaces=");
    assert!(
        skipping.status == Some(3) && skipping.stderr.contains("does not replace rake.v1.0.0"),
        "{skipping}"
    );
    // Elsewhere there is nothing to hold.
    for line in [
        "plan new --cluster dump.yaml -n elsewhere",
        "plan old --cluster dump.yaml -n garden",
    ] {
        let _ = outcome_of(&sandbox, line);
    }
    let planned = run(&sandbox, "plan --cluster dump.yaml --catalog own=index.db");
    assert!(
        planned.status == Some(3)
            && planned
                .stderr
                .contains("Upgradeable=False (Digging) since 2026-01-01T00:00:00Z"),
        "{planned}"
    );
}

/// C23: the condition is reported if it makes the resolution impossible.
#[test]
fn c23_an_unresolvable_input_names_the_blocking_condition() {
    let sandbox = saying();
    operator(&sandbox, "hoe", "hoe", "1.0.0", None);
    let needs = "dependencies:\n- type: olm.package\n  value: {packageName: rake, version: \">=1.1.0\"}\n";
    fs::write(sandbox.path("hoe/metadata/dependencies.yaml"), needs).unwrap();
    succeed(&sandbox, "registry add -q -b hoe -d index.db");
    let subscription = "- apiVersion: operators.coreos.com/v1alpha1\n  kind: Subscription\n  metadata: {name: hoe, namespace: garden}\n  \
                        spec: {name: hoe, channel: stable, source: own, sourceNamespace: garden}\n";
    fs::write(sandbox.path("dump.yaml"), format!("{SAYING}{subscription}")).unwrap();
    insta::assert_snapshot!(run(&sandbox, "resolve --cluster dump.yaml --catalog own=index.db"), @"
    ------- stderr -------
    warning: OLM 0.46.0 ignores conditions when it plans updates, and would plan hoe.v1.0.0, rake.v1.1.0; use --olm 0.46.0 to show its answer
    error: constraints not satisfiable: @existing/garden//rake.v1.0.0 and own/garden/stable/rake.v1.1.0 originate from package rake, bundle hoe.v1.0.0 requires an operator with package: rake and with version in range: >=1.1.0, subscription hoe exists, subscription hoe requires own/garden/stable/hoe.v1.0.0, subscription rake exists, subscription rake requires @existing/garden//rake.v1.0.0
      because: only one version of package rake can be installed: rake.v1.0.0 (installed) or rake.v1.1.0 (channel stable)
      because: the subscription rake can use only rake.v1.0.0 (installed), because operator is not upgradeable: the operator is not upgradeable: wait for the potatoes (OperatorCondition/rake.v1.0.0 reports Upgradeable=False (Digging) since 2026-01-01T00:00:00Z; add an override to its spec.overrides to allow the update)
      because: the subscription hoe can use only hoe.v1.0.0 (channel stable)
      because: hoe.v1.0.0 needs package rake in the range >=1.1.0, and only rake.v1.1.0 (channel stable) satisfies this
      it would work with: an override in OperatorCondition/rake.v1.0.0, which blocks rake.v1.0.0
      it would work with: no subscription rake
      it would work with: no subscription hoe
    ------- exit 3 -------
    ");
}

#[test]
fn an_operator_is_shown_with_its_conditions_and_the_blocked_update() {
    let sandbox = saying();
    insta::assert_snapshot!(outcome_of(&sandbox, "operator dump.yaml --catalog index.db"), @r#"
    operator      rake.garden
    version       1.0.0
    updates in    stable
    condition     ComponentsDiverge (ComponentsDivergeFromInstall): on-cluster components diverge from install resource
    condition     UpdateAvailable (UpdateFound): an upgrade to rake.v1.1.0 has been found in the channel stable
    condition     Upgradeable=False (Digging) since 2026-01-01T00:00:00Z: operator is not upgradeable: the operator is not upgradeable: wait for the potatoes (OperatorCondition/rake.v1.0.0 reports Upgradeable=False (Digging) since 2026-01-01T00:00:00Z; add an override to its spec.overrides to allow the update)
    diverges      ClusterServiceVersion garden/rake.v1.0.0: spec.displayName is missing, but the bundle specifies "rake"
    diverges      ClusterServiceVersion garden/rake.v1.0.0: spec.install is missing, but the bundle specifies {"spec":{"deployments":[{"name":"rake","spec":{"selector":{"...
    diverges      ClusterServiceVersion garden/rake.v1.0.0: spec.installModes is missing, but the bundle specifies [{"supported":true,"type":"AllNamespaces"}]
    label         operators.coreos.com/rake.garden

    COMPONENT                          NAMESPACE  API VERSION                    CONDITIONS
    ClusterServiceVersion/rake.v1.0.0  garden     operators.coreos.com/v1alpha1
    OperatorCondition/rake.v1.0.0      garden     operators.coreos.com/v2        Upgradeable=False (Digging) since 2026-01-01T00:00:00Z: wait for the potatoes; Rusty (Rain) since 2026-01-02T00:00:00Z: oil the rake
    Subscription/rake                  garden     operators.coreos.com/v1alpha1
    ------- stderr -------
    rake.garden: the input contains no object of kind Deployment, so objects of this kind in rake.v1.0.0 are not compared
    "#);
}

#[test]
fn a_repeated_account_or_deployment_is_written_once() {
    let sandbox = Sandbox::new();
    let line = "upgrade-check init --name etcd.v0.9.4 --namespace operators --operator etcd.operators";
    let once = outcome_of(
        &sandbox,
        &format!("{line} --service-account a --service-account b --deployment c"),
    );
    let repeated = "--service-account a --service-account b --service-account a --deployment c --deployment c";
    assert_eq!(outcome_of(&sandbox, &format!("{line} {repeated}")), once);
}

/// C9 and C11: the label of the operator, and the patch of its Deployment.
#[test]
fn c9_c11_a_resource_is_linked_to_its_operator() {
    let sandbox = Sandbox::new();
    let line = "upgrade-check init --name etcd.v0.9.4 --namespace operators --operator etcd.operators --deployment etcd/manager --deployment other";
    let outcome = outcome_of(&sandbox, line);
    let commands: Vec<&str> = outcome.stdout.lines().filter(|line| line.starts_with('#')).collect();
    insta::assert_snapshot!(commands.join("\n"), @r#"
    # If OLM does not set OPERATOR_CONDITION_NAME, these commands set it:
    # kubectl patch deployment etcd -n operators -p '{"spec":{"template":{"spec":{"containers":[{"name":"manager","env":[{"name":"OPERATOR_CONDITION_NAME","value":"etcd.v0.9.4"}]}]}}}}'
    # kubectl set env deployment/other -n operators OPERATOR_CONDITION_NAME=etcd.v0.9.4
    "#);
    fs::write(sandbox.path("written.yaml"), &outcome.stdout).unwrap();
    let view = outcome_of(&sandbox, "operator written.yaml");
    assert!(view.stdout.contains("OperatorCondition/etcd.v0.9.4"), "{view}");
}

#[test]
fn the_proposed_condition_is_printed_with_the_verbs_of_the_proposal() {
    let sandbox = Sandbox::new();
    let line = "upgrade-check init --kind condition --name etcd.v0.9.4 --namespace operators --operator etcd.operators";
    insta::assert_snapshot!(outcome_of(&sandbox, line), @r#"
    apiVersion: operators.coreos.com/v1
    kind: Condition
    metadata:
      name: etcd.v0.9.4
      namespace: operators
      labels:
        operators.coreos.com/etcd.operators: ""
    ---
    apiVersion: rbac.authorization.k8s.io/v1
    kind: Role
    metadata:
      name: etcd.v0.9.4-condition
      namespace: operators
      labels:
        operators.coreos.com/etcd.operators: ""
    rules:
    - apiGroups:
      - operators.coreos.com
      resources:
      - conditions
      - conditions/status
      resourceNames:
      - etcd.v0.9.4
      verbs:
      - get
      - list
      - update
    ---
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata:
      name: etcd.v0.9.4-condition
      namespace: operators
      labels:
        operators.coreos.com/etcd.operators: ""
    roleRef:
      apiGroup: rbac.authorization.k8s.io
      kind: Role
      name: etcd.v0.9.4-condition
    subjects:
    - kind: ServiceAccount
      name: default
      namespace: operators
    "#);
}
