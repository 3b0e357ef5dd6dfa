//! `upgrade-check`: whether upgrades are held back, and the resource with which an operator does so.

use crate::bundles::{fail, outcome_of};
use crate::common::{Outcome, Sandbox};
use serde_json::{Value, json};
use std::fs;

/// Two operators, one of which refuses its upgrade, as kubectl prints them.
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
fn where_there_are_no_operators_nothing_is_held() {
    let sandbox = sandbox("apiVersion: v1\nitems: []\nkind: List\n");
    insta::assert_snapshot!(run(&sandbox, "upgrade-check dump.yaml"), @"
    ------- stderr -------
    there are no operators, and so no upgrade is held back
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
fn what_is_held_is_told_with_the_words_of_olm() {
    let sandbox = sandbox(DUMP);
    insta::assert_snapshot!(run(&sandbox, "upgrade-check dump.yaml"), @"
    OPERATOR    NAMESPACE  UPGRADES  LAST UPGRADE  CONDITION                     WHY
    bar.v1.0.0  operators  allowed   done
    foo.v1.0.0  operators  held      done          OperatorCondition/foo.v1.0.0  operator is not upgradeable: the operator is not upgradeable: a migration is going on
    ------- exit 1 -------
    ");
    let json = run(&sandbox, "upgrade-check dump.yaml -o json");
    let yaml = run(&sandbox, "upgrade-check dump.yaml -o yaml");
    assert_eq!((json.status, yaml.status), (Some(1), Some(1)));
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
            "upgrade": "done",
        })
    );
    assert_eq!(json["operators"][0]["upgradeable"], true);
}

#[test]
fn an_override_lets_the_upgrade_through() {
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
fn what_a_cluster_would_refuse_is_a_warning() {
    let sandbox = sandbox(
        "apiVersion: operators.coreos.com/v1\nkind: Condition\nmetadata: {name: foo}\nspec: {overrides: [Upgradable]}\n\
         status:\n  conditions: {type: Upgrading, status: \"False\", reason: Upgrade Done}\n",
    );
    insta::assert_snapshot!(outcome_of(&sandbox, "upgrade-check dump.yaml"), @r#"
    OPERATOR  NAMESPACE  UPGRADES  LAST UPGRADE  CONDITION      WHY
    foo                  allowed   done          Condition/foo
    ------- stderr -------
    warning: Condition/foo: status.conditions is one condition; a cluster takes only a list of them
    warning: Condition/foo: the reason "Upgrade Done" of Upgrading is not in CamelCase; a cluster refuses it
    warning: Condition/foo: the override of Upgradable changes nothing: OLM does not know this condition; is Upgradeable meant?
    "#);
    assert_eq!(outcome_of(&sandbox, "upgrade-check dump.yaml -q").stderr, "");
}

#[test]
fn folders_and_standard_input_are_read_as_files_are() {
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
fn a_what_if_file_says_what_is_installed() {
    let sandbox = sandbox(DUMP);
    let state = "installed:\n- {name: rake.v1.0.0, version: 1.0.0, package: rake}\n- {name: hoe.v1.0.0, phase: Failed}\n\
                 conditions:\n- apiVersion: operators.coreos.com/v1\n  kind: Condition\n  \
                 metadata: {name: x, labels: {operators.coreos.com/rake.operators: \"\"}}\n  \
                 status: {conditions: [{type: Upgrading, status: \"True\", reason: R, message: to 1.0.0}]}\n";
    fs::write(sandbox.path("state.yaml"), state).unwrap();
    insta::assert_snapshot!(run(&sandbox, "upgrade-check --state state.yaml"), @"
    OPERATOR     NAMESPACE  UPGRADES  LAST UPGRADE  CONDITION    WHY
    hoe.v1.0.0   operators  allowed   not done
    rake.v1.0.0  operators  held      going on      Condition/x  operator is not upgradeable: the operator is being upgraded: to 1.0.0
    ------- exit 1 -------
    ");
    fs::write(
        sandbox.path("misspelled.yaml"),
        state.replace("conditions:\n- ", "condition:\n- "),
    )
    .unwrap();
    insta::assert_snapshot!(fail(&sandbox, "upgrade-check --state misspelled.yaml"), @r#"
    ------- stderr -------
    error: misspelled.yaml:4:1: condition is not a key of the file; did you mean conditions?
    ------- exit 1 -------
    "#);
    insta::assert_snapshot!(fail(&sandbox, "upgrade-check --state dump.yaml"), @"
    ------- stderr -------
    error: dump.yaml:1:1: this is a Kubernetes object, and no what-if file
      hint: a dump of a cluster is given with --cluster, or as FILE
    ------- exit 1 -------
    ");
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let sandbox = sandbox("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n");
    insta::assert_snapshot!(fail(&sandbox, "upgrade-check dump.yaml"), @r#"
    ------- stderr -------
    error: there is no operator and no condition of one in what was read
      hint: give what "kubectl get csv,operatorconditions -o yaml" prints
    ------- exit 1 -------
    "#);
    fs::write(sandbox.path("list.yaml"), "- 1\n").unwrap();
    insta::assert_snapshot!(fail(&sandbox, "upgrade-check list.yaml"), @r#"
    ------- stderr -------
    error: list.yaml:1: a number stands where a Kubernetes object is expected
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
    let missing = fail(&sandbox, "upgrade-check absent.yaml");
    assert!(
        missing.stderr.starts_with("error: cannot read absent.yaml"),
        "{missing}"
    );
    assert_eq!(run(&sandbox, "upgrade-check").status, Some(2));
}

#[test]
fn a_resource_is_written_with_the_least_permission() {
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
