//! `plan`: the InstallPlan of a bundle and its outcome.

use crate::bundles::{BOTH, fail, garden, miss, operator, outcome_of, rake, refuse, succeed};
use crate::common::{Outcome, Sandbox};
use serde_json::Value;
use std::fs;

const MONITOR: &str = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata:\n  name: rake\nspec: {}\n";
const PROPERTIES: &str = "properties:\n- type: olm.manifests.optional\n  value:\n    manifests:\n    - group: monitoring.coreos.com\n      kind: ServiceMonitor\n      name: rake\n";

/// A bundle with a ServiceMonitor, and a cluster that does not serve this API.
fn monitored(is_optional: bool) -> Sandbox {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.1.0", Some("rake.v1.0.0"));
    fs::write(sandbox.path("rake/manifests/monitor.yaml"), MONITOR).unwrap();
    if is_optional {
        fs::write(sandbox.path("rake/metadata/properties.yaml"), PROPERTIES).unwrap();
    }
    fs::write(sandbox.path("cluster.yaml"), "version: 1\napis: []\n").unwrap();
    sandbox
}

fn json(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.run(line.split(' ')).stdout).unwrap()
}

#[test]
fn a_suggested_namespace_is_reported() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    let csv = "rake/manifests/operator.clusterserviceversion.yaml";
    let text = fs::read_to_string(sandbox.path(csv)).unwrap();
    let annotated = text.replacen(
        "metadata:\n",
        "metadata:\n  annotations: {operatorframework.io/suggested-namespace: rakes}\n",
        1,
    );
    fs::write(sandbox.path(csv), annotated).unwrap();
    let told = "rake.v1.0.0 suggests the namespace rakes, but this command uses the namespace operators; to change it, \
                use --namespace rakes\n";
    for command in ["plan", "permissions"] {
        let outcome = outcome_of(&sandbox, &format!("{command} rake"));
        assert!(outcome.stderr.contains(told), "{outcome}");
        let outcome = outcome_of(&sandbox, &format!("{command} rake --namespace operators"));
        assert!(!outcome.stderr.contains("suggests"), "{outcome}");
    }
}

/// An OperatorGroup in a dump.
fn operator_group(name: &str, namespace: &str) -> String {
    format!(
        "---\napiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {{name: {name}, namespace: {namespace}}}\n\
         spec: {{}}\n"
    )
}

#[test]
fn a_bundle_goes_into_the_namespace_that_the_dump_determines() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    fs::write(sandbox.path("dump.yaml"), operator_group("only", "garden")).unwrap();
    let outcome = outcome_of(&sandbox, "plan rake --cluster dump.yaml");
    assert!(outcome.stdout.contains("namespace  garden"), "{outcome}");
    let outcome = outcome_of(&sandbox, "permissions rake --cluster dump.yaml");
    assert!(
        outcome.stdout.contains("\ngarden ") && !outcome.stdout.contains("\noperators "),
        "{outcome}"
    );
    let subscription = |namespace: &str| {
        format!(
            "---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\n\
             metadata: {{name: hoe, namespace: {namespace}}}\nspec: {{name: hoe}}\n"
        )
    };
    fs::write(sandbox.path("dump.yaml"), subscription("shed")).unwrap();
    let outcome = outcome_of(&sandbox, "plan rake --cluster dump.yaml");
    assert!(outcome.stdout.contains("namespace  shed"), "{outcome}");
    fs::write(
        sandbox.path("dump.yaml"),
        subscription("shed") + &subscription("garden"),
    )
    .unwrap();
    let outcome = outcome_of(&sandbox, "plan rake --cluster dump.yaml");
    assert!(outcome.stdout.contains("namespace  operators"), "{outcome}");
    let told = "there are Subscriptions in the namespaces garden, shed, but OLM resolves each namespace separately; \
                this command uses the namespace operators; to change it, use --namespace\n";
    assert!(outcome.stderr.contains(told), "{outcome}");
}

#[test]
fn every_command_that_plans_warns_of_several_operator_groups() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    succeed(&sandbox, "registry add -q -d index.db -b rake");
    let groups = operator_group("a", "garden") + &operator_group("b", "garden");
    fs::write(sandbox.path("dump.yaml"), groups).unwrap();
    let told =
        "warning: the namespace garden has 2 OperatorGroups: as proposed, each installation there uses a separate";
    for line in [
        "plan rake",
        "permissions rake",
        "permissions rake --user ann",
        "permissions diff rake rake",
        "resolve rake --catalog index.db",
        "plan",
    ] {
        let outcome = sandbox.run(format!("{line} --cluster dump.yaml -n garden").split(' '));
        assert_eq!(outcome.stderr.matches(told).count(), 1, "{line}: {outcome}");
    }
    let outcome = outcome_of(&sandbox, "permissions rake --cluster dump.yaml --olm 0.28.0");
    let told = "warning: the namespace garden has 2 OperatorGroups, so OLM 0.28.0 installs nothing there\n";
    assert!(outcome.stderr.contains(told), "{outcome}");
    let outcome = sandbox.run("plan rake --cluster dump.yaml --olm 0.28.0".split(' '));
    assert!(
        outcome.status == Some(3) && outcome.stderr.contains("TooManyOperatorGroups"),
        "{outcome}"
    );
}

#[test]
fn a_version_whose_native_apis_are_not_served_stays_pending() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    let csv = "rake/manifests/operator.clusterserviceversion.yaml";
    let text = fs::read_to_string(sandbox.path(csv)).unwrap();
    let native = "  nativeAPIs: [{group: route.example.com, version: v1, kind: Route}]\n";
    fs::write(
        sandbox.path(csv),
        text.replacen("spec:\n", &format!("spec:\n{native}"), 1),
    )
    .unwrap();
    let cluster = |apis: &str| fs::write(sandbox.path("state.yaml"), format!("version: 1\napis: [{apis}]\n")).unwrap();
    cluster("");
    let outcome = sandbox.run("plan rake --state state.yaml".split(' '));
    assert_eq!(outcome.status, Some(3), "{outcome}");
    let told = "rake.v1.0.0 stays Pending: the cluster does not serve its native APIs Route (route.example.com/v1)";
    assert!(outcome.stderr.contains(told), "{outcome}");
    assert!(!outcome.stdout.contains("Nothing would be missing"), "{outcome}");
    cluster("{group: route.example.com, version: v1, kind: Route}");
    assert_eq!(outcome_of(&sandbox, "plan rake --state state.yaml").status, Some(0));
}

#[test]
fn a_version_that_needs_a_newer_kubernetes_stays_pending() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    let csv = "rake/manifests/operator.clusterserviceversion.yaml";
    let text = fs::read_to_string(sandbox.path(csv)).unwrap();
    let required = text.replacen("spec:\n", "spec:\n  minKubeVersion: 1.30.0\n", 1);
    fs::write(sandbox.path(csv), required).unwrap();
    let told = "error: the plan completes, but rake.v1.0.0 stays Pending: it requires Kubernetes 1.30.0 or newer, but the \
                cluster has v1.29.7";
    for (file, older, newer) in [
        (
            "version.yaml",
            "clientVersion: {gitVersion: v1.33.0}\nserverVersion: {gitVersion: v1.29.7}\n",
            "clientVersion: {gitVersion: v1.28.0}\nserverVersion: {gitVersion: v1.30.0+k3s1}\n",
        ),
        (
            "version.json",
            r#"{"major": "1", "gitVersion": "v1.29.7-gke.100"}"#,
            r#"{"major": "1", "gitVersion": "v1.30.0-gke.100"}"#,
        ),
    ] {
        let line = format!("plan rake --cluster {file}");
        fs::write(sandbox.path(file), older).unwrap();
        let outcome = sandbox.run(line.split(' '));
        assert!(outcome.status == Some(3) && outcome.stderr.contains(told), "{outcome}");
        fs::write(sandbox.path(file), newer).unwrap();
        succeed(&sandbox, &line);
    }
    fs::write(sandbox.path("state.yaml"), "version: 1\nkubernetesVersion: v1.29.7\n").unwrap();
    let outcome = sandbox.run("plan rake --state state.yaml".split(' '));
    assert!(outcome.status == Some(3) && outcome.stderr.contains(told), "{outcome}");
    fs::write(sandbox.path("state.yaml"), "version: 1\n").unwrap();
    succeed(&sandbox, "plan rake --state state.yaml");
}

#[test]
fn a_version_whose_minimum_kubernetes_olm_cannot_read_stays_pending() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.0.0", None);
    let csv = "rake/manifests/operator.clusterserviceversion.yaml";
    let text = fs::read_to_string(sandbox.path(csv)).unwrap();
    fs::write(sandbox.path("version.yaml"), "serverVersion: {gitVersion: v1.30.0}\n").unwrap();
    fs::write(sandbox.path("state.yaml"), "version: 1\n").unwrap();
    let require = |minimum: &str| {
        let required = text.replacen("spec:\n", &format!("spec:\n  minKubeVersion: {minimum:?}\n"), 1);
        fs::write(sandbox.path(csv), required).unwrap();
    };
    for minimum in ["1.25", "bogus", "vv1.25.0", "1.25.0.0", " 1.25.0"] {
        require(minimum);
        let told = format!(
            "rake.v1.0.0 stays Pending: OLM cannot read its minKubeVersion {minimum:?}, which must consist of three \
             numbers, such as 1.25.0 (\"CSV version parsing error\")"
        );
        for line in ["plan rake --cluster version.yaml", "plan rake --state state.yaml"] {
            let outcome = sandbox.run(line.split(' '));
            assert!(
                outcome.status == Some(3) && outcome.stderr.contains(&told),
                "{line}: {outcome}"
            );
        }
    }
    for minimum in ["1.25.0", "v1.25.0", "1.25.0-0", ""] {
        require(minimum);
        succeed(&sandbox, "plan rake --cluster version.yaml");
    }
}

#[test]
fn all_that_decides_about_the_status_is_in_the_json() {
    let sandbox = garden();
    fs::write(
        sandbox.path("dump.yaml"),
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: heap.v1, namespace: operators}\n\
         spec: {customresourcedefinitions: {owned: [{name: compostheaps.garden.example.org, version: v1alpha1, kind: CompostHeap}]}}\n",
    )
    .unwrap();
    fs::write(sandbox.path("state.yaml"), "version: 1\napis: []\n").unwrap();
    let conditions = |line: &str, status| {
        let outcome = sandbox.run(format!("plan -q {line} -o json").split(' '));
        assert_eq!(outcome.status, Some(status), "{outcome}");
        let plan: Value = serde_json::from_str(&outcome.stdout).unwrap();
        plan["status"]["conditions"].clone()
    };
    let conflict = "compost-operator.v0.3.1: conflicting CRD owner in namespace: compostheaps.garden.example.org is also \
                    owned by heap.v1, which stays installed";
    let failed =
        serde_json::json!({"type": "VersionFailed", "status": "True", "reason": "OwnerConflict", "message": conflict});
    let installed = serde_json::json!({"type": "Installed", "status": "True"});
    let line = "compost --cluster dump.yaml";
    assert_eq!(conditions(line, 3), serde_json::json!([installed, failed]));
    let approved = serde_json::json!({"type": "InstalledAfterApproval", "status": "True"});
    let line = "compost --cluster dump.yaml --approval manual";
    assert_eq!(conditions(line, 3), serde_json::json!([approved, failed]));
    let pending =
        "greenhouse-operator.v1.2.0: the cluster does not serve its required APIs Certificate (cert-manager.io/v1)";
    let pending = serde_json::json!({
        "type": "VersionPending", "status": "True", "reason": "RequirementsNotMet", "message": pending,
    });
    let line = "greenhouse --state state.yaml";
    assert_eq!(conditions(line, 3), serde_json::json!([installed, pending]));
}

/// An installed version in the namespace team that owns or requires a version of the definition of compost-operator.
fn installed(list: &str, version: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: heap.v1, namespace: team}}\n\
         spec: {{customresourcedefinitions: {{{list}: [{{name: compostheaps.garden.example.org, version: {version}, \
         kind: CompostHeap}}]}}}}\nstatus: {{phase: Succeeded}}\n"
    )
}

#[test]
fn a_plan_names_the_definitions_and_custom_resources_that_the_input_lacks() {
    let sandbox = garden();
    fs::write(sandbox.path("dump.yaml"), installed("owned", "v1alpha1")).unwrap();
    let outcome = outcome_of(&sandbox, "plan compost --cluster dump.yaml");
    assert_eq!(outcome.status, Some(0), "{outcome}");
    let mut lines = outcome.stdout.lines();
    let step = lines.find(|line| line.starts_with("CustomResourceDefinition"));
    assert!(step.is_some_and(|step| step.contains("Present")), "{outcome}");
    let warning = "warning: the input does not contain compostheaps.garden.example.org, which the installed heap.v1 owns, so \
                   neither stored versions nor custom resources could be checked; add \
                   \"crd,compostheaps.garden.example.org\" to the kinds of \"kubectl get -A\" to include them\n";
    assert!(outcome.stderr.contains(warning), "{outcome}");
    let path = sandbox.path("compost/manifests/compostheaps.crd.yaml");
    let definition = fs::read_to_string(&path).unwrap();
    fs::write(sandbox.path("dump.yaml"), &definition).unwrap();
    let outcome = outcome_of(&sandbox, "plan compost --cluster dump.yaml");
    assert_eq!(outcome.status, Some(0), "{outcome}");
    assert!(!outcome.stderr.contains("custom resources"), "{outcome}");
    fs::write(&path, definition + "        required: [spec]\n").unwrap();
    let outcome = outcome_of(&sandbox, "plan compost --cluster dump.yaml");
    assert_eq!(outcome.status, Some(0), "{outcome}");
    let warning = "warning: changed schemas were not checked against custom resources: the input has none of kind \
                   CompostHeap; if the cluster has some, add \"compostheaps.garden.example.org\" to the kinds of \"kubectl \
                   get -A\" to include them\n";
    assert!(outcome.stderr.contains(warning), "{outcome}");
}

#[test]
fn a_plan_that_breaks_an_installed_version_in_another_namespace_does_not_succeed() {
    let sandbox = garden();
    fs::write(sandbox.path("dump.yaml"), installed("required", "v1")).unwrap();
    let outcome = sandbox.run("plan compost --cluster dump.yaml -o json".split(' '));
    assert_eq!(outcome.status, Some(3), "{outcome}");
    let cause = "requirements no longer met: compostheaps.garden.example.org no longer serves v1";
    let error = format!(
        "error: the installed heap.v1 in the namespace team then ends in the phase Failed with the reason \
         RequirementsNotMet: {cause}\n"
    );
    assert!(outcome.stderr.contains(&error), "{outcome}");
    let plan: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let failed = serde_json::json!({"type": "VersionFailed", "status": "True", "reason": "RequirementsNotMet",
        "message": format!("heap.v1 in the namespace team: {cause}")});
    assert_eq!(plan["status"]["conditions"][1], failed);
}

#[test]
fn a_version_whose_required_apis_have_no_provider_stays_pending() {
    let sandbox = garden();
    let cluster = |more: &str| fs::write(sandbox.path("state.yaml"), format!("version: 1\napis: []\n{more}")).unwrap();
    cluster("");
    let outcome = sandbox.run("plan greenhouse --state state.yaml".split(' '));
    assert_eq!(outcome.status, Some(3), "{outcome}");
    let told = "greenhouse-operator.v1.2.0 stays Pending: the cluster does not serve its required APIs Certificate \
                (cert-manager.io/v1)";
    assert!(outcome.stderr.contains(told), "{outcome}");
    assert!(
        outcome.stderr.contains("use opmx resolve to look for providers"),
        "{outcome}"
    );
    let provider = "installed:\n- name: cert-manager.v1.0.0\n  provides:\n  \
                    - {group: cert-manager.io, version: v1, kind: Certificate}\n";
    cluster(provider);
    succeed(&sandbox, "plan greenhouse --state state.yaml");
}

#[test]
fn required_apis_that_were_not_checked_are_listed() {
    let sandbox = garden();
    let told = "Certificate (cert-manager.io/v1), which greenhouse-operator.v1.2.0 requires from another operator; use \
                opmx resolve to look for providers in a catalog\n";
    let outcome = outcome_of(&sandbox, "plan -q greenhouse");
    assert!(outcome.stdout.contains(&format!("\nunchecked  {told}")), "{outcome}");
    let outcome = outcome_of(&sandbox, "plan greenhouse -o json");
    assert!(
        outcome.stderr.contains(&format!("warning: not checked: {told}")),
        "{outcome}"
    );
    fs::write(sandbox.path("state.yaml"), "version: 1\n").unwrap();
    let outcome = outcome_of(&sandbox, "plan -q greenhouse --state state.yaml");
    assert!(outcome.stdout.contains(&format!("\nunchecked  {told}")), "{outcome}");
    let sandbox = subscribed("");
    let outcome = outcome_of(&sandbox, "plan --state state.yaml");
    assert!(
        !outcome.stdout.contains("unchecked"),
        "a resolution checks them: {outcome}"
    );
}

#[test]
fn a_bundle_from_an_index_has_the_edges_of_the_index() {
    let sandbox = garden();
    rake(&sandbox, "old", "1.0.0", None);
    rake(&sandbox, "new", "1.1.0", Some("rake.v0.9.0"));
    succeed(&sandbox, "registry add -q -d index.db -b old,new --mode semver");
    let plan = json(&sandbox, "plan rake.v1.1.0 --index index.db -o json -q");
    let manifest = plan["status"]["plan"][0]["resource"]["manifest"].as_str().unwrap();
    assert!(manifest.contains(r#""replaces":"rake.v1.0.0""#), "{manifest}");
    let outcome = miss(&sandbox, "plan rake --index index.db");
    assert!(outcome.stderr.contains("did you mean \"rake.v1.1.0\"?"), "{outcome}");
}

#[test]
fn a_plan_is_printed_as_a_table_and_as_an_install_plan() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.1.0", Some("rake.v1.0.0"));
    insta::assert_snapshot!(outcome_of(&sandbox, "plan rake"), @"
    installs   rake.v1.1.0
    namespace  operators
    phase      Installing

    KIND                   NAME         NEEDS
    ClusterServiceVersion  rake.v1.1.0  clusterserviceversions.operators.coreos.com in operators

    permissions of the accounts of rake.v1.1.0 after installation:
    ACCOUNT  NAMESPACE  GROUP                 RESOURCE            NAMES        VERBS               WHY
    default  operators  operators.coreos.com  operatorconditions  rake.v1.1.0  get, update, patch  1

      1  Role rake.v1.1.0, with which OLM lets the operator write its OperatorCondition
      (no OperatorGroup was specified, so one without target namespaces is assumed, because the operator supports AllNamespaces)
    ");
    let plan = json(
        &sandbox,
        "plan rake -o json --namespace garden --catalog c --catalog-namespace n",
    );
    assert_eq!(
        (plan["kind"].as_str(), plan["metadata"]["namespace"].as_str()),
        (Some("InstallPlan"), Some("garden"))
    );
    let step = &plan["status"]["plan"][0];
    assert_eq!(
        (&step["resource"]["sourceName"], &step["resource"]["sourceNamespace"]),
        (&"c".into(), &"n".into())
    );
    let csv: Value = serde_json::from_str(step["resource"]["manifest"].as_str().unwrap()).unwrap();
    assert_eq!(csv["spec"]["replaces"], "rake.v1.0.0");
    let csv = |line: &str| -> Value {
        let plan = json(&sandbox, line);
        serde_json::from_str(plan["status"]["plan"][0]["resource"]["manifest"].as_str().unwrap()).unwrap()
    };
    assert_eq!(
        csv("plan rake -o json --replaces rake.v0.9.0")["spec"]["replaces"],
        "rake.v0.9.0"
    );
    let none = sandbox.run(["plan", "rake", "-o", "json", "--replaces", ""]);
    assert!(!none.stdout.contains("rake.v1.0.0"), "{none}");
    let yaml: Value = serde_yaml::from_str(&outcome_of(&sandbox, "plan rake -o yaml").stdout).unwrap();
    assert_eq!(yaml, json(&sandbox, "plan rake -o json"));
    let waiting = json(&sandbox, "plan rake -o json --approval manual");
    assert_eq!(waiting["status"]["phase"], "RequiresApproval");
}

#[test]
fn a_bundle_of_plain_manifests_has_a_plan() {
    let sandbox = garden();
    let plan = json(&sandbox, "plan -q greenhouse -o json");
    assert_eq!(
        plan["spec"]["clusterServiceVersionNames"][0],
        "greenhouse-operator.v1.2.0"
    );
    let steps = plan["status"]["plan"].as_array().unwrap();
    let kinds: Vec<_> = steps
        .iter()
        .map(|step| step["resource"]["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds[0], "ClusterServiceVersion");
    assert!(
        kinds.contains(&"CustomResourceDefinition") && kinds.contains(&"Role"),
        "{kinds:?}"
    );
    assert!(!kinds.contains(&"Deployment"), "{kinds:?}");
}

#[test]
fn a_bundle_in_an_index_has_the_same_plan_as_its_folder() {
    let sandbox = garden();
    let _ = outcome_of(&sandbox, "registry add -q -b compost,greenhouse -d index.db");
    let _ = outcome_of(&sandbox, "migrate -q index.db catalog");
    for (folder, name) in [
        ("compost", "compost-operator.v0.3.1"),
        ("greenhouse", "greenhouse-operator.v1.2.0"),
    ] {
        let of_folder = steps_of(&sandbox, &format!("plan -q {folder} -o json"));
        // A database serves nothing of what a bundle needs among its properties, and a catalog does.
        for (index, names_needs) in [("index.db", false), ("catalog", true)] {
            let of_index = steps_of(&sandbox, &format!("plan -q {name} --index {index} -o json"));
            let (version, others) = apart(of_index);
            let (version_of_folder, others_of_folder) = apart(of_folder.clone());
            assert_eq!(others, others_of_folder, "{index}");
            assert_eq!(version.contains(".required"), names_needs, "{index}: {version}");
            if !names_needs {
                assert_eq!(version, version_of_folder, "{index}");
            }
        }
    }
    let outcome = sandbox.run("plan compost-operator.v0.3.2 --index index.db".split(' '));
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(4), ""), "{outcome}");
    assert!(
        outcome.stderr.contains("did you mean \"compost-operator.v0.3.1\"?"),
        "{outcome}"
    );
}

/// The step of the version, and the others.
fn apart(steps: Vec<String>) -> (String, Vec<String>) {
    let is_version = |step: &String| step.contains(r#""kind":"ClusterServiceVersion""#);
    let (versions, others): (Vec<String>, Vec<String>) = steps.into_iter().partition(is_version);
    (versions.concat(), others)
}

/// The steps of a plan by kind and name, independent of the order of objects in an index.
fn steps_of(sandbox: &Sandbox, line: &str) -> Vec<String> {
    let plan = json(sandbox, line);
    let steps = plan["status"]["plan"].as_array().unwrap();
    let mut steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
    steps.sort();
    assert!(!steps.is_empty(), "{line}");
    steps
}

#[test]
fn a_plan_completes_without_an_api_only_if_its_manifest_is_optional() {
    let sandbox = monitored(true);
    insta::assert_snapshot!(outcome_of(&sandbox, "plan rake --state cluster.yaml"), @"
    installs   rake.v1.1.0
    namespace  operators
    phase      Complete

    KIND                   NAME         STATUS      NEEDS
    ClusterServiceVersion  rake.v1.1.0  Created     clusterserviceversions.operators.coreos.com in operators
    ServiceMonitor         rake         NotCreated  servicemonitors.monitoring.coreos.com/v1 in operators, optional

    permissions of the accounts of rake.v1.1.0 after installation:
    ACCOUNT  NAMESPACE  GROUP                 RESOURCE            NAMES        VERBS               WHY
    default  operators  operators.coreos.com  operatorconditions  rake.v1.1.0  get, update, patch  1

      1  Role rake.v1.1.0, with which OLM lets the operator write its OperatorCondition
      (no OperatorGroup was specified, so one without target namespaces is assumed, because the operator supports AllNamespaces)

    Missing after one pass:
      ServiceMonitor rake (optional): the cluster does not serve ServiceMonitor of monitoring.coreos.com/v1
    ------- stderr -------
    warning: OLM 0.46.0 requires every manifest, including optional manifests, and its plan would end in the phase Failed; use --olm 0.46.0 to show its answer
    warning: the optional manifest monitoring.coreos.com/ServiceMonitor rake was not created: NotFound
    ");
    let sandbox = monitored(false);
    insta::assert_snapshot!(sandbox.run("plan rake --state cluster.yaml".split(' ')), @"
    installs   rake.v1.1.0
    namespace  operators
    phase      Failed
    message    api-server resource not found installing ServiceMonitor rake: GroupVersionKind monitoring.coreos.com/v1, Kind=ServiceMonitor not found on the cluster. This API may have been deprecated and removed, see https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information.

    KIND                   NAME         STATUS   NEEDS
    ClusterServiceVersion  rake.v1.1.0  Created  clusterserviceversions.operators.coreos.com in operators
    ServiceMonitor         rake         Unknown  servicemonitors.monitoring.coreos.com/v1 in operators

    Missing after 2 passes:
      ServiceMonitor rake: the cluster does not serve ServiceMonitor of monitoring.coreos.com/v1
    ------- exit 3 -------
    ");
    let plan = json(&sandbox, "plan rake --state cluster.yaml -o json");
    assert_eq!(plan["status"]["phase"], "Failed");
    assert_eq!(plan["status"]["conditions"][0]["reason"], "InstallComponentFailed");
    let known = "NAME             SHORTNAMES  APIVERSION                NAMESPACED  KIND\nservicemonitors  smon        monitoring.coreos.com/v1  true        ServiceMonitor\n";
    fs::write(sandbox.path("apis"), known).unwrap();
    let plan = json(&sandbox, "plan rake --cluster apis -o json");
    assert_eq!(plan["status"]["phase"], "Complete");
}

#[test]
fn a_bundle_with_errors_has_no_plan() {
    let sandbox = garden();
    rake(&sandbox, "rake", "1.1.0", None);
    fs::write(
        sandbox.path("rake/manifests/operator.clusterserviceversion.yaml"),
        "kind: [\n",
    )
    .unwrap();
    let outcome = sandbox.run(["plan", "rake"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    assert!(
        outcome.stderr.contains("operator.clusterserviceversion.yaml:"),
        "{outcome}"
    );
    fs::write(sandbox.path("state.yaml"), "bogus: 1\n").unwrap();
    let outcome = sandbox.run("plan greenhouse --state state.yaml".split(' '));
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(1), ""), "{outcome}");
    let outcome = sandbox.run("plan greenhouse --cluster absent".split(' '));
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(4), ""), "{outcome}");
}

#[test]
fn the_printed_plan_matches_the_schema_of_install_plans() {
    let Some(schemas) = crate::shared::folder("schemas") else {
        return;
    };
    let text = fs::read_to_string(schemas.join("operators.coreos.com_installplans.yaml")).unwrap();
    let definition: Value = serde_yaml::from_str(&text).unwrap();
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let validator = jsonschema::validator_for(&strict(schema)).unwrap();
    let sandbox = monitored(true);
    for line in [
        "plan rake -o json",
        "plan -q greenhouse -o json",
        "plan rake --state cluster.yaml -o json",
        "plan -q greenhouse --state cluster.yaml --approval manual -o json",
    ] {
        let plan = json(&sandbox, line);
        let problems: Vec<String> = validator.iter_errors(&plan).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{line}: {problems:?}");
    }
}

/// The schema, which rejects fields that a cluster would drop.
pub(crate) fn strict(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(map) = schema.as_object_mut() {
        if map.contains_key("properties") {
            map.insert("additionalProperties".to_owned(), false.into());
        }
        for (key, value) in map.iter_mut() {
            match key.as_str() {
                "properties" => {
                    let properties = value.as_object_mut().unwrap();
                    properties.values_mut().for_each(|value| *value = strict(value));
                }
                "items" => *value = strict(value),
                _ => {}
            }
        }
    }
    schema
}

/// An index with both bundles of the repository, and a subscription to the one that requires the other.
fn subscribed(more: &str) -> Sandbox {
    let sandbox = garden();
    succeed(&sandbox, &format!("registry add -q -b {BOTH} -d index.db"));
    let state = format!(
        "version: 1\nnamespace: garden\nglobalNamespace: olm\n\
         catalogs:\n- name: own\n  namespace: olm\n  source: index.db\n\
         installed:\n- name: cert-manager.v1.0.0\n  version: 1.0.0\n  package: cert-manager\n  provides:\n  \
         - {{group: cert-manager.io, version: v1, kind: Certificate}}\n\
         subscriptions:\n- name: compost\n  package: compost-operator\n{more}"
    );
    fs::write(sandbox.path("state.yaml"), state).unwrap();
    sandbox
}

#[test]
fn a_plan_contains_everything_that_a_what_if_file_resolves_to() {
    let sandbox = subscribed("");
    let plan = json(&sandbox, "plan -q --state state.yaml -o json");
    let resolution = json(&sandbox, "resolve -q --state state.yaml -o json");
    assert_eq!(plan["spec"]["clusterServiceVersionNames"], resolution["install"]);
    assert_eq!(
        resolution["install"],
        serde_json::json!(["compost-operator.v0.3.1", "greenhouse-operator.v1.2.0"])
    );
    assert_eq!(plan["metadata"]["namespace"], "garden");
    let steps = plan["status"]["plan"].as_array().unwrap();
    let made = steps
        .iter()
        .find(|step| step["resource"]["kind"] == "Subscription")
        .unwrap();
    assert_eq!(made["resolving"], "greenhouse-operator.v1.2.0");
    assert_eq!(made["resource"]["sourceNamespace"], "olm");
    let subscription: Value = serde_json::from_str(made["resource"]["manifest"].as_str().unwrap()).unwrap();
    assert_eq!(subscription["spec"]["startingCSV"], "greenhouse-operator.v1.2.0");
    assert_eq!(subscription["spec"]["source"], "own");
    assert_eq!(
        subscription["metadata"]["name"],
        resolution["newSubscriptions"][0]["name"]
    );
}

#[test]
fn an_unresolvable_what_if_file_has_no_plan() {
    let sandbox = subscribed("- name: rake\n  package: rake\n");
    let outcome = refuse(&sandbox, "plan --state state.yaml");
    assert!(
        outcome.stderr.contains("no operators found in package rake"),
        "{outcome}"
    );
    let written_out = "version: 1\ncatalogs:\n- name: c\n  packages:\n  - name: p\n    defaultChannel: stable\n    \
                       channels:\n    - name: stable\n      entries:\n      - name: p.v1\n    bundles:\n    - name: p.v1\n      \
                       version: 1.0.0\nsubscriptions:\n- name: p\n  package: p\n";
    fs::write(sandbox.path("state.yaml"), written_out).unwrap();
    let outcome = fail(&sandbox, "plan --state state.yaml");
    assert!(outcome.stderr.contains("p.v1"), "{outcome}");
    assert!(outcome.stderr.contains("no manifests"), "{outcome}");
}

#[test]
fn a_misspelled_reason_of_an_error_is_reported() {
    let sandbox = garden();
    let state = |reason: &str| {
        let state = format!("version: 1\nerrors:\n- {{kind: Secret, reason: {reason}}}\n");
        fs::write(sandbox.path("state.yaml"), state).unwrap();
        outcome_of(&sandbox, "plan greenhouse --state state.yaml").stderr
    };
    let said = state("forbidden");
    let warning = "warning: state.yaml: errors[0]: the reason \"forbidden\" is unknown, so only the code decides; did you \
                   mean Forbidden?";
    assert!(said.contains(warning), "{said}");
    assert!(!state("Forbidden").contains("is unknown"));
}

/// Runs a command that must print a result and give a negative answer.
#[track_caller]
fn incomplete(sandbox: &Sandbox, line: &str) -> Outcome {
    let outcome = sandbox.run(line.split(' '));
    assert!(
        outcome.status == Some(3) && !outcome.stdout.is_empty(),
        "{line}: {outcome}"
    );
    outcome
}

/// Two versions of two packages, and what-if files in which the older ones are installed.
fn two_packages() -> Sandbox {
    let sandbox = garden();
    for package in ["rake", "hoe"] {
        operator(&sandbox, &format!("{package}-old"), package, "1.0.0", None);
        let replaces = format!("{package}.v1.0.0");
        operator(&sandbox, &format!("{package}-new"), package, "1.1.0", Some(&replaces));
    }
    let bundles = "rake-old,rake-new,hoe-old,hoe-new";
    succeed(&sandbox, &format!("registry add -q -b {bundles} -d index.db"));
    sandbox
}

/// Writes a what-if file with these installed packages, in which rake reports a condition.
fn reporting(sandbox: &Sandbox, packages: &[&str], condition: &str, status: &str) {
    let mut state = "version: 1\nnamespace: garden\ncatalogs:\n- name: own\n  source: index.db\n".to_owned();
    state.push_str("installed:\n");
    for package in packages {
        state.push_str(&format!(
            "- {{name: {package}.v1.0.0, version: 1.0.0, package: {package}}}\n"
        ));
    }
    state.push_str("subscriptions:\n");
    for package in packages {
        state.push_str(&format!(
            "- {{name: {package}, package: {package}, installedCSV: {package}.v1.0.0}}\n"
        ));
    }
    state.push_str(&format!(
        "conditions:\n- apiVersion: operators.coreos.com/v2\n  kind: OperatorCondition\n  metadata:\n    name: rake.v1.0.0\n    \
         namespace: garden\n    generation: 1\n  status:\n    conditions:\n    - type: {condition}\n      status: \"{status}\"\n      \
         reason: Digging\n      message: wait for the potatoes\n      observedGeneration: 1\n      \
         lastTransitionTime: \"2026-01-01T00:00:00Z\"\n"
    ));
    fs::write(sandbox.path("state.yaml"), state).unwrap();
}

#[test]
fn an_operator_that_is_not_upgradeable_is_not_upgraded() {
    let sandbox = two_packages();
    reporting(&sandbox, &["rake"], "Upgradeable", "True");
    let upgrade = json(&sandbox, "resolve --state state.yaml -o json");
    assert_eq!(upgrade["install"], serde_json::json!(["rake.v1.1.0"]));
    reporting(&sandbox, &["rake"], "Upgradeable", "False");
    let held = json(&sandbox, "resolve --state state.yaml -o json");
    assert_eq!(held.get("install"), None);
    assert!(held["notes"].to_string().contains("wait for the potatoes"), "{held}");
    let plan = incomplete(&sandbox, "plan -q --state state.yaml -o json");
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    assert_eq!(plan["operator"], "rake.v1.0.0");
    assert_eq!(plan["heldBy"]["condition"], "OperatorCondition/rake.v1.0.0");
    insta::assert_snapshot!(refuse(&sandbox, "plan --state state.yaml -q"), @r#"
    ------- stderr -------
    error: rake.v1.1.0 does not replace rake.v1.0.0: operator is not upgradeable: the operator is not upgradeable: wait for the potatoes
      because: OperatorCondition/rake.v1.0.0 reports Upgradeable=False (Digging) since 2026-01-01T00:00:00Z
      note: OLM 0.46.0 still creates the InstallPlan, but leaves rake.v1.1.0 in the phase Pending with the reason OperatorConditionNotUpgradeable
      it would work after: kubectl patch operatorconditions.operators.coreos.com rake.v1.0.0 -n garden --type merge -p '{"spec":{"overrides":[{"type":"Upgradeable","status":"True","reason":"Overridden","message":"an administrator allows the upgrade"}]}}'
    ------- exit 3 -------
    "#);
}

#[test]
fn a_plan_without_a_blocked_update_reports_the_update() {
    let sandbox = two_packages();
    reporting(&sandbox, &["rake", "hoe"], "Upgrading", "True");
    let plan = incomplete(&sandbox, "plan -q --state state.yaml");
    assert!(plan.stdout.contains("installs   hoe.v1.1.0\n"), "{plan}");
    assert!(
        plan.stderr.contains("rake.v1.1.0 does not replace rake.v1.0.0"),
        "{plan}"
    );
    assert!(plan.stderr.contains("OLM 0.46.0 ignores this condition"), "{plan}");
    let plan = json(&sandbox, "plan -q --state state.yaml -o json");
    let conditions = plan["status"]["conditions"].as_array().unwrap();
    let blocked = conditions.iter().find(|condition| condition["type"] == "UpdateBlocked");
    assert!(
        blocked.unwrap()["message"].to_string().contains("rake.v1.1.0"),
        "{plan}"
    );
}

#[test]
fn a_release_plans_an_update_that_conditions_block_and_leaves_it_pending() {
    let sandbox = two_packages();
    reporting(&sandbox, &["rake"], "Upgradeable", "False");
    for line in ["plan -q --state state.yaml", "plan rake-new -q --state state.yaml"] {
        let outcome = incomplete(&sandbox, &format!("{line} --olm 0.46.0"));
        assert!(outcome.stdout.contains("phase      Complete"), "{outcome}");
        let pending =
            "but rake.v1.1.0 stays Pending: operator is not upgradeable: the operator is not upgradeable: wait";
        assert!(outcome.stderr.contains(pending), "{outcome}");
        assert!(outcome.stderr.contains("kubectl patch operatorconditions"), "{outcome}");
        let plan = json(&sandbox, &format!("{line} --olm 0.46.0 -o json"));
        let conditions = plan["status"]["conditions"].as_array().unwrap();
        let pending = conditions
            .iter()
            .find(|condition| condition["type"] == "VersionPending");
        assert_eq!(pending.unwrap()["reason"], "OperatorConditionNotUpgradeable", "{plan}");
        // The release before the first one that reads these conditions.
        succeed(&sandbox, &format!("{line} --olm 0.17.0"));
    }
    let resolved = json(&sandbox, "resolve --state state.yaml --olm 0.46.0 -o json");
    assert_eq!(resolved["install"], serde_json::json!(["rake.v1.1.0"]));
    assert!(
        resolved["notes"].to_string().contains("in the phase Pending"),
        "{resolved}"
    );
    let warned = outcome_of(&sandbox, "resolve --state state.yaml");
    let other =
        "warning: OLM 0.46.0 ignores conditions when it plans updates, and would plan rake.v1.1.0; use --olm 0.46.0";
    assert!(warned.stderr.contains(other), "{warned}");
    reporting(&sandbox, &["rake"], "Upgrading", "True");
    for line in ["plan -q --state state.yaml", "plan rake-new -q --state state.yaml"] {
        succeed(&sandbox, &format!("{line} --olm 0.46.0"));
    }
}

#[test]
fn no_plan_is_null_in_json() {
    let sandbox = two_packages();
    reporting(&sandbox, &["rake"], "Upgradeable", "True");
    let state = fs::read_to_string(sandbox.path("state.yaml")).unwrap();
    fs::write(sandbox.path("state.yaml"), state.replace("1.0.0", "1.1.0")).unwrap();
    let outcome = outcome_of(&sandbox, "plan -q --state state.yaml -o json");
    assert_eq!(outcome.stdout, "null\n");
}

/// O16: the example of the proposal in a k8s+v1 bundle, planned from its folder, an index, a file-based catalog, and
/// the converted bundle.
#[test]
fn o16_the_example_of_the_proposal_is_optional_in_every_form() {
    let sandbox = garden();
    let rule = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: my-rule, namespace: my-namespace}\nspec: {}\n";
    fs::write(sandbox.path("greenhouse/manifests/rule.yaml"), rule).unwrap();
    let properties = "# Ours.\nproperties:\n- type: olm.manifests.optional\n  value:\n    manifests:\n    - group: monitoring.coreos.com\n      kind: PrometheusRule\n      namespace: my-namespace\n      name: my-rule\n";
    fs::write(sandbox.path("greenhouse/metadata/properties.yaml"), properties).unwrap();
    succeed(&sandbox, "registry add -b greenhouse -d index.db");
    fs::create_dir(sandbox.path("catalog")).unwrap();
    let catalog = outcome_of(&sandbox, "render index.db -o yaml -q").stdout;
    fs::write(sandbox.path("catalog/index.yaml"), catalog).unwrap();
    succeed(&sandbox, "bundle convert greenhouse registry --to registry+v1");
    succeed(&sandbox, "bundle convert registry back --to k8s+v1");
    let name = "greenhouse-operator.v1.2.0";
    for line in [
        "plan greenhouse -o json -q".to_owned(),
        format!("plan {name} --index index.db -o json -q"),
        format!("plan {name} --index catalog -o json -q"),
        "plan registry -o json -q".to_owned(),
        "plan back -o json -q".to_owned(),
    ] {
        let plan = json(&sandbox, &line);
        let steps = plan["status"]["plan"].as_array().unwrap();
        let optional: Vec<&Value> = steps
            .iter()
            .filter(|step| step["optional"] == true)
            .map(|step| &step["resource"]["name"])
            .collect();
        assert_eq!(optional, ["my-rule"], "{line}");
    }
}

#[test]
fn a_bundle_with_wildcards_is_planned_in_the_form_in_which_it_is_shipped() {
    let sandbox = garden();
    let file = sandbox.path("greenhouse/manifests/rbac.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replacen("resources: [configmaps, services]", "resources: ['*']", 1),
    )
    .unwrap();
    for command in [
        "plan greenhouse",
        "permissions greenhouse",
        "permissions diff greenhouse greenhouse",
    ] {
        let outcome = fail(&sandbox, command);
        assert!(outcome.stderr.contains("error[rbac-wildcard]"), "{outcome}");
        succeed(&sandbox, &format!("{command} --media-type registry+v1"));
    }
    let inspected = outcome_of(&sandbox, "bundle inspect greenhouse --media-type registry+v1");
    assert!(
        inspected.stdout.starts_with("media type       registry+v1\n"),
        "{inspected}"
    );
    for line in [
        "plan --state cluster.yaml",
        "permissions --state cluster.yaml",
        "plan a.v1 --index index.db",
    ] {
        let line = format!("{line} --media-type registry+v1");
        let outcome = sandbox.run(line.split(' '));
        assert_eq!(outcome.status, Some(2), "{outcome}");
    }
}
