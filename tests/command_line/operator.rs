//! `operator`: the state of an operator on a cluster, and the definitions of such resources.

use crate::bundles::{fail, miss, outcome_of, rake, succeed};
use crate::common::Sandbox;
use crate::plan::strict;
use serde_json::{Value, json};
use std::fs;

/// An operator whose deployment is not available.
const DUMP: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: rake.v1.0.0, namespace: garden, labels: {operators.coreos.com/rake.garden: \"\"}}
  spec:
    displayName: Rake
    description: It rakes.
    version: 1.0.0
    customresourcedefinitions:
      owned: [{name: rakes.garden.example.com, version: v1, kind: Rake}]
      required: [{name: leaves.garden.example.com, version: v1beta1, kind: Leaf}]
  status: {phase: Succeeded, reason: InstallSucceeded, message: install strategy completed with no errors}
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: rake, namespace: garden, labels: {operators.coreos.com/rake.garden: \"\"}}
  spec: {name: rake, channel: stable, source: community, sourceNamespace: olm, installPlanApproval: Manual}
  status: {installedCSV: rake.v1.0.0}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: rake, namespace: garden, uid: d70a53b5, resourceVersion: \"7\", labels: {operators.coreos.com/rake.garden: \"\"}}
  status:
    conditions:
    - {type: Available, status: \"False\", reason: MinimumReplicasUnavailable, message: no replica is ready}
    - {type: Progressing, status: \"True\"}
- apiVersion: v1
  kind: Pod
  metadata: {name: other, namespace: garden}
";

/// A dump, and an index with an update for an operator in it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("dump.yaml"), DUMP).unwrap();
    sandbox
}

#[test]
fn an_operator_is_shown_with_its_problems_and_updates() {
    let sandbox = sandbox();
    rake(&sandbox, "rake2", "1.1.0", None);
    let path = sandbox.path("rake2/manifests/operator.clusterserviceversion.yaml");
    let csv = fs::read_to_string(&path).unwrap();
    let named = "  name: rake.v1.1.0\n";
    let skipping = format!("{named}  annotations: {{olm.skipRange: <1.1.0}}\n");
    fs::write(&path, csv.replace(named, &skipping)).unwrap();
    succeed(&sandbox, "registry add -q -b rake2 -d index.db");
    insta::assert_snapshot!(outcome_of(&sandbox, "operator dump.yaml --catalog index.db"), @"
    operator      rake.garden
    display name  Rake
    version       1.0.0
    provides      Rake (garden.example.com/v1)
    requires      Leaf (garden.example.com/v1beta1)
    updates in    stable
    condition     UpdateAvailable (UpdateFound): an upgrade to rake.v1.1.0 has been found in the channel stable
    label         operators.coreos.com/rake.garden

    COMPONENT                          NAMESPACE  API VERSION                    CONDITIONS
    ClusterServiceVersion/rake.v1.0.0  garden     operators.coreos.com/v1alpha1
    Deployment/rake                    garden     apps/v1                        Available=False (MinimumReplicasUnavailable): no replica is ready
    Subscription/rake                  garden     operators.coreos.com/v1alpha1
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "operator dump.yaml --catalog index.db -o yaml"), @r#"
    apiVersion: operators.coreos.com/v2alpha1
    kind: Operator
    metadata:
      name: rake.garden
    spec:
      updates:
        type: CatalogSource
        catalogSource:
          package: rake
          channel: stable
          approval: Manual
          ref:
            name: community
            namespace: olm
    status:
      metadata:
        displayName: Rake
        description: It rakes.
        version: 1.0.0
        apis:
          provides:
          - group: garden.example.com
            version: v1
            kind: Rake
            plural: rakes
            singular: rake
          requires:
          - group: garden.example.com
            version: v1beta1
            kind: Leaf
            plural: leaves
            singular: leaf
      updates:
        available:
        - name: community
          package: rake
          channel: stable
      conditions:
      - type: UpdateAvailable
        status: "True"
        reason: UpdateFound
        message: an upgrade to rake.v1.1.0 has been found in the channel stable
      components:
        matchLabels:
          operators.coreos.com/rake.garden: ""
        refs:
        - kind: ClusterServiceVersion
          namespace: garden
          name: rake.v1.0.0
          apiVersion: operators.coreos.com/v1alpha1
        - kind: Deployment
          namespace: garden
          name: rake
          uid: d70a53b5
          apiVersion: apps/v1
          resourceVersion: "7"
          conditions:
          - type: Available
            status: "False"
            reason: MinimumReplicasUnavailable
            message: no replica is ready
        - kind: Subscription
          namespace: garden
          name: rake
          apiVersion: operators.coreos.com/v1alpha1
    "#);
}

#[test]
fn conditions_and_labels_are_shown_on_request() {
    let sandbox = sandbox();
    let line = "operator dump.yaml -o json --all-conditions --label-style seed";
    let shown: Value = serde_json::from_str(&outcome_of(&sandbox, line).stdout).unwrap();
    let components = &shown["status"]["components"];
    assert_eq!(
        components["matchLabels"],
        json!({"operators.coreos.com/operator:v2alpha1/rake.garden": ""})
    );
    assert_eq!(components["refs"][0]["conditions"][0]["type"], "Succeeded");
    assert_eq!(components["refs"][1]["conditions"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&shown["status"]["updates"], &shown["status"]["conditions"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn an_operator_is_selected_by_name() {
    let sandbox = sandbox();
    fs::create_dir(sandbox.path("dumps")).unwrap();
    fs::rename(sandbox.path("dump.yaml"), sandbox.path("dumps/rake.yaml")).unwrap();
    let other = DUMP.replace("rake", "hoe");
    fs::write(sandbox.path("dumps/hoe.yaml"), other).unwrap();
    let read = |line: &str| -> Value { serde_json::from_str(&outcome_of(&sandbox, line).stdout).unwrap() };
    let all = read("operator dumps -o json");
    assert_eq!(
        (&all["kind"], all["items"].as_array().unwrap().len()),
        (&json!("List"), 2)
    );
    let one = read("operator dumps -o json --name rake.garden");
    assert_eq!(one, all["items"][1]);
    assert_eq!(
        outcome_of(&sandbox, "operator dumps")
            .stdout
            .matches("\noperator  ")
            .count(),
        1
    );
    insta::assert_snapshot!(miss(&sandbox, "operator dumps --name rake"), @"
    ------- stderr -------
    error: there is no operator rake
      hint: available operators: hoe.garden, rake.garden
    ------- exit 4 -------
    ");
}

#[test]
fn a_dump_without_operators_is_rejected() {
    let sandbox = sandbox();
    fs::write(
        sandbox.path("pod.yaml"),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
    )
    .unwrap();
    insta::assert_snapshot!(fail(&sandbox, "operator pod.yaml"), @r#"
    ------- stderr -------
    error: the input contains neither a Subscription nor a label operators.coreos.com/NAME
      hint: pass the output of "kubectl get -A -o yaml" for the kinds of an operator's components
    ------- exit 1 -------
    "#);
    let missing = miss(&sandbox, "operator dump.yaml --catalog ./absent.db");
    assert!(missing.stderr.contains("absent.db"), "{missing}");
    assert_eq!(sandbox.run(["operator"]).status, Some(2));
}

#[test]
fn resource_definitions_are_printed_as_yaml_and_json() {
    let sandbox = Sandbox::new();
    let yaml = outcome_of(&sandbox, "operator crds").stdout;
    let documents: Vec<Value> = yaml
        .split("---\n")
        .map(|text| serde_yaml::from_str(text).unwrap())
        .collect();
    let json: Value = serde_json::from_str(&outcome_of(&sandbox, "operator crds -o json").stdout).unwrap();
    assert_eq!(json["items"], json!(documents));
    let names: Vec<_> = documents
        .iter()
        .map(|value| value["metadata"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "operators.operators.coreos.com",
            "installs.operators.coreos.com",
            "conditions.operators.coreos.com"
        ]
    );
}

/// An Operator of the proposal, and a Subscription to the same package with its installed objects, all without labels.
fn unlabelled() -> String {
    let dump = DUMP.replace(", labels: {operators.coreos.com/rake.garden: \"\"}", "");
    let owned = "metadata: {name: rake, namespace: garden, uid: d70a53b5, resourceVersion: \"7\", \
                 ownerReferences: [{kind: ClusterServiceVersion, name: rake.v1.0.0, uid: '1'}]}";
    dump.replace(
        "metadata: {name: rake, namespace: garden, uid: d70a53b5, resourceVersion: \"7\"}",
        owned,
    )
    .replace(
        "metadata: {name: other, namespace: garden}",
        "metadata: {name: rake-0, namespace: garden, ownerReferences: [{kind: Deployment, name: rake, uid: d70a53b5}]}",
    )
}

const OPERATOR: &str = "- apiVersion: operators.coreos.com/v2alpha1\n  kind: Operator\n  metadata: {name: my-rake}\n  spec:\n    \
                        updates: {type: CatalogSource, catalogSource: {package: rake, channel: stable, ref: {name: community, namespace: olm}}}\n";

fn refs(operator: &Value) -> Vec<String> {
    let refs = operator["status"]["components"]["refs"].as_array().unwrap().iter();
    refs.map(|one| format!("{}/{}", one["kind"].as_str().unwrap(), one["name"].as_str().unwrap()))
        .collect()
}

/// S45, S53, S54: a Subscription and everything that its version owns belong to the Operator with its package, channel
/// and catalog, or without such an Operator to the one that OLM would create.
#[test]
fn s53_s54_components_are_found_without_labels() {
    let sandbox = sandbox();
    let all = [
        "ClusterServiceVersion/rake.v1.0.0",
        "Deployment/rake",
        "Pod/rake-0",
        "Subscription/rake",
    ];
    let shown = |dump: &str| -> Value {
        fs::write(sandbox.path("dump.yaml"), dump).unwrap();
        serde_json::from_str(&outcome_of(&sandbox, "operator dump.yaml -o json").stdout).unwrap()
    };
    let own = shown(&(unlabelled() + OPERATOR));
    assert_eq!(
        (&own["metadata"]["name"], refs(&own)),
        (&json!("my-rake"), all.map(str::to_owned).to_vec())
    );
    let made = shown(&unlabelled());
    assert_eq!(
        (&made["metadata"]["name"], refs(&made)),
        (&json!("rake.garden"), all.map(str::to_owned).to_vec())
    );
    let other = shown(&(unlabelled() + &OPERATOR.replace("channel: stable", "channel: beta")));
    let names: Vec<_> = other["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["metadata"]["name"])
        .collect();
    assert_eq!(names, ["my-rake", "rake.garden"]);
    assert_eq!(refs(&other["items"][0]), [""; 0]);
}

/// S14, S44, S59, S60: the cluster is compared with the bundle, and both reasons are reported.
#[test]
fn s59_s60_diverging_components_are_reported() {
    let sandbox = sandbox();
    rake(&sandbox, "rake1", "1.0.0", None);
    let built = outcome_of(&sandbox, "bundle build rake1 -q -t oci:out:v1").stdout;
    succeed(&sandbox, "registry add -q -b rake1 -d index.db");
    // What a cluster has of the bundle: the version and its Deployment.
    let plan: Value = serde_json::from_str(&outcome_of(&sandbox, "plan rake1 -n garden -o json").stdout).unwrap();
    let manifest = plan["status"]["plan"][0]["resource"]["manifest"].as_str().unwrap();
    let mut csv: Value = serde_json::from_str(manifest).unwrap();
    csv["status"] = json!({"phase": "Succeeded"});
    csv["metadata"]["labels"] = json!({"operators.coreos.com/my-rake": ""});
    let entry = &csv["spec"]["install"]["spec"]["deployments"][0];
    let mut deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "rake", "namespace": "garden"}, "spec": entry["spec"]});
    let operator = |updates: &Value| {
        json!({"apiVersion": "operators.coreos.com/v2alpha1", "kind": "Operator", "metadata": {"name": "my-rake"},
            "spec": {"updates": updates}})
    };
    let install = json!({"apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install",
        "metadata": {"name": "plan", "labels": {"operators.coreos.com/my-rake": ""}}, "spec": {}});
    let of_catalog = json!({"type": "CatalogSource", "catalogSource": {"package": "rake", "channel": "stable",
        "ref": {"name": "community", "namespace": "olm"}}});
    let of_image = json!({"type": "ManifestImage", "manifestImage": "registry.example.com/rake:v1"});
    let status = |updates: &Value, deployment: &Value, line: &str| -> Value {
        let items = [operator(updates), csv.clone(), deployment.clone(), install.clone()];
        fs::write(
            sandbox.path("dump.json"),
            json!({"kind": "List", "items": items}).to_string(),
        )
        .unwrap();
        let shown = outcome_of(&sandbox, &format!("operator dump.json {line} -o json"));
        serde_json::from_str::<Value>(&shown.stdout).unwrap()["status"].clone()
    };
    let same = status(&of_catalog, &deployment, "--catalog index.db");
    assert_eq!(same.get("conditions"), None, "{same}");
    assert_eq!(same["updates"]["catalogSource"]["entrypoint"], "rake.v1.0.0");
    deployment["spec"]["replicas"] = json!(3);
    let diverges = status(&of_catalog, &deployment, "--catalog index.db");
    let condition = &diverges["conditions"][0];
    assert_eq!(
        (&condition["type"], &condition["reason"], &condition["message"]),
        (
            &json!("ComponentsDiverge"),
            &json!("ComponentsDivergeFromInstall"),
            &json!(
                "on-cluster components diverge from install resource: Deployment garden/rake: spec.replicas is 3, which the bundle does not set"
            )
        )
    );
    let refs = diverges["components"]["refs"].as_array().unwrap();
    let of_install = refs.iter().find(|one| one["kind"] == "Install").unwrap();
    assert_eq!(of_install["conditions"][0], *condition);
    let diverges = status(&of_image, &deployment, "--bundle oci:out:v1");
    assert_eq!(
        diverges["conditions"][0]["reason"],
        "ComponentsDivergeFromResolvedContent"
    );
    assert_eq!(diverges["updates"]["manifestImage"], built.trim_end());
    let text = outcome_of(&sandbox, "operator dump.json --bundle rake1").stdout;
    assert!(
        text.contains("diverges      Deployment garden/rake: spec.replicas is 3, which the bundle does not set"),
        "{text}"
    );
    let definitions: Value = serde_json::from_str(&outcome_of(&sandbox, "operator crds -o json").stdout).unwrap();
    let schema = &definitions["items"][0]["spec"]["versions"][1]["schema"]["openAPIV3Schema"];
    let validator = jsonschema::validator_for(&strict(schema)).unwrap();
    let shown: Value =
        serde_json::from_str(&outcome_of(&sandbox, "operator dump.json --bundle oci:out:v1 -o json").stdout).unwrap();
    let problems: Vec<String> = validator.iter_errors(&shown).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?}");
    rake(&sandbox, "other", "1.0.0", None);
    let other = fs::read_to_string(sandbox.path("other/metadata/annotations.yaml")).unwrap();
    fs::write(
        sandbox.path("other/metadata/annotations.yaml"),
        other.replace("package.v1: rake", "package.v1: hoe"),
    )
    .unwrap();
    let newer = outcome_of(&sandbox, "operator dump.json --bundle other").stdout;
    assert!(newer.contains("diverges"), "the version decides: {newer}");
}

#[test]
fn a_migration_takes_the_image_of_the_subscribed_package() {
    let sandbox = sandbox();
    fs::write(sandbox.path("dump.yaml"), DUMP).unwrap();
    let package = |name: &str| {
        format!(
            "---\nschema: olm.package\nname: {name}\ndefaultChannel: a\n\
             ---\nschema: olm.channel\npackage: {name}\nname: a\nentries: [{{name: rake.v1.0.0}}]\n\
             ---\nschema: olm.bundle\npackage: {name}\nname: rake.v1.0.0\nimage: registry.example.com/{name}:1\n\
             properties: [{{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}]\n"
        )
    };
    fs::create_dir(sandbox.path("catalog")).unwrap();
    let packages: String = ["axe", "rake", "saw"].into_iter().map(package).collect();
    fs::write(sandbox.path("catalog/catalog.yaml"), packages).unwrap();
    let migration = outcome_of(&sandbox, "operator migrate dump.yaml --catalog catalog -o yaml").stdout;
    let images: Vec<&str> = migration
        .lines()
        .filter(|line| line.contains("manifestImage:"))
        .collect();
    assert!(
        !images.is_empty() && images.iter().all(|line| line.ends_with("registry.example.com/rake:1")),
        "{migration}"
    );
}

/// S54, S55, S56, S57, S89: the resources that replace Subscriptions, OperatorGroups and copied versions.
#[test]
fn s54_s89_replacements_of_subscriptions_are_printed() {
    let sandbox = sandbox();
    rake(&sandbox, "rake1", "1.0.0", None);
    succeed(&sandbox, "registry add -q -b rake1 -d index.db");
    let more = "- apiVersion: operators.coreos.com/v1\n  kind: OperatorGroup\n  metadata: {name: group, namespace: garden}\n  \
                spec: {serviceAccountName: gardener, targetNamespaces: [garden, shed]}\n\
                - apiVersion: operators.coreos.com/v1alpha1\n  kind: InstallPlan\n  metadata: {name: install-1, namespace: garden}\n  \
                status: {bundleLookups: [{identifier: rake.v1.0.0, path: 'registry.example.com/rake@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'}]}\n\
                - apiVersion: operators.coreos.com/v1alpha1\n  kind: ClusterServiceVersion\n  \
                metadata: {name: rake.v1.0.0, namespace: shed, labels: {olm.copiedFrom: garden}}\n\
                - apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: tools, namespace: shed, ownerReferences: [{kind: ClusterServiceVersion, name: rake.v1.0.0}]}\n\
                - apiVersion: operators.coreos.com/v1alpha1\n  kind: ClusterServiceVersion\n  \
                metadata: {name: hoe.v1.0.0, namespace: shed, labels: {olm.copiedFrom: elsewhere}}\n";
    fs::write(sandbox.path("dump.yaml"), DUMP.to_owned() + more).unwrap();
    insta::assert_snapshot!(outcome_of(&sandbox, "operator migrate dump.yaml"), @"
    SUBSCRIPTION  OPERATOR     INSTALL      CONTENT
    garden/rake   rake.garden  rake.garden  registry.example.com/rake@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef

    OperatorGroup garden/group is removed because the Installs use its service account garden/gardener; an Install has no field for the namespaces to watch: garden, shed
    ClusterServiceVersion shed/hoe.v1.0.0 is kept because its original belongs to no Operator
    ClusterServiceVersion shed/rake.v1.0.0 is removed because it is a copy, and Operator rake.garden becomes the owner of ConfigMap tools
    ");
    insta::assert_snapshot!(outcome_of(&sandbox, "operator migrate dump.yaml -q -o yaml"), @r#"
    apiVersion: operators.coreos.com/v2alpha1
    kind: Operator
    metadata:
      name: rake.garden
    spec:
      updates:
        type: CatalogSource
        catalogSource:
          package: rake
          channel: stable
          approval: Manual
          ref:
            name: community
            namespace: olm
    ---
    apiVersion: operators.coreos.com/v2alpha1
    kind: Install
    metadata:
      name: rake.garden
      labels:
        operators.coreos.com/rake.garden: ""
    spec:
      namespaces:
      - from: default
        to: garden
      content:
      - type: ManifestImage
        manifestImage: registry.example.com/rake@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
      approval: Approved
    status:
      serviceAccountRef:
        name: gardener
        namespace: garden
      resolved:
      - type: ManifestImage
        manifestImage: registry.example.com/rake@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    "#);
    let json = |line: &str| -> Value { serde_json::from_str(&outcome_of(&sandbox, line).stdout).unwrap() };
    // What is there already is not made again.
    fs::write(sandbox.path("dump.yaml"), unlabelled() + OPERATOR).unwrap();
    let made = json("operator migrate dump.yaml --catalog index.db -o json");
    let made = made["items"].as_array().unwrap();
    assert_eq!((made.len(), &made[0]["kind"]), (1, &json!("Install")));
    assert_eq!(
        made[0]["metadata"]["labels"],
        json!({"operators.coreos.com/my-rake": ""})
    );
    assert_eq!(
        made[0]["status"]["serviceAccountRef"],
        json!({"name": "rake.garden", "namespace": "olm"})
    );
    // Operators and Installs that were made are input of the other commands.
    let needs = "      required: [{name: leaves.garden.example.com, version: v1beta1, kind: Leaf}]\n";
    fs::write(sandbox.path("dump.yaml"), DUMP.replace(needs, "")).unwrap();
    let made = outcome_of(&sandbox, "operator migrate dump.yaml -q -o yaml").stdout;
    fs::write(sandbox.path("made.yaml"), made).unwrap();
    let reviewed = json("permissions -q made.yaml --cluster dump.yaml --catalog community=index.db -o json");
    assert_eq!(reviewed["metadata"]["name"], "rake.garden");
}

#[test]
fn the_content_of_versions_that_olm_copied_does_not_count_toward_the_size_of_a_dump() {
    let sandbox = sandbox();
    let description = "x".repeat(2000);
    let copies: String = (0..300)
        .map(|number| {
            format!(
                "- apiVersion: operators.coreos.com/v1alpha1\n  kind: ClusterServiceVersion\n  \
                 metadata: {{name: rake.v1.0.0, namespace: n{number}, labels: {{olm.copiedFrom: garden}}}}\n  \
                 spec: {{description: {description}}}\n"
            )
        })
        .collect();
    fs::write(sandbox.path("dump.yaml"), DUMP.to_owned() + &copies).unwrap();
    for command in ["operator dump.yaml", "operator migrate dump.yaml"] {
        let whole = outcome_of(&sandbox, command);
        let limited = outcome_of(&sandbox, &format!("{command} --max-total-size 400KiB"));
        assert_eq!(limited.stdout, whole.stdout);
    }
}
