//! A bundle that has something for every rule to check, and breaks none.

use std::collections::BTreeMap;

pub(crate) const CSV: &str = "manifests/op.clusterserviceversion.yaml";
pub(crate) const CRD: &str = "manifests/things.crd.yaml";
pub(crate) const ANNOTATIONS: &str = "metadata/annotations.yaml";
pub(crate) const BUDGET: &str = "manifests/budget.yaml";
pub(crate) const ROLE: &str = "manifests/role.yaml";
pub(crate) const CLASS: &str = "manifests/class.yaml";
pub(crate) const GROUP: &str = "manifests/group.yaml";
pub(crate) const ACCOUNT: &str = "manifests/account.yaml";
pub(crate) const PACKAGE: &str = "op.package.yaml";

const CSV_TEXT: &str = r#"apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: op.v1.0.0
  annotations:
    alm-examples: |-
      [
        {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}},
        {"apiVersion": "served.example.com/v1", "kind": "Served"}
      ]
    capabilities: Full Lifecycle
    categories: Database, Monitoring
    olm.skipRange: '<1.0.0'
spec:
  version: 1.0.0
  displayName: Op
  replaces: op.v0.9.0
  minKubeVersion: 1.25.0
  provider: {name: Example}
  maintainers:
  - {name: Ann, email: ann@example.com}
  links:
  - {name: Docs, url: https://example.com/docs}
  icon:
  - {base64data: PHN2Zy8+, mediatype: image/svg+xml}
  relatedImages:
  - {name: op, image: registry.example.com/op:1.0.0}
  installModes:
  - {type: AllNamespaces, supported: true}
  - {type: OwnNamespace, supported: false}
  webhookdefinitions:
  - type: ConversionWebhook
    conversionCRDs: [things.example.com]
    sideEffects: None
  customresourcedefinitions:
    owned:
    - name: things.example.com
      version: v1
      kind: Thing
      group: example.com
      description: A thing.
      resources:
      - {kind: CronJob, name: jobs, version: batch/v1}
  apiservicedefinitions:
    owned:
    - {name: served.example.com, group: served.example.com, version: v1, kind: Served}
  install:
    strategy: deployment
    spec:
      clusterPermissions:
      - serviceAccountName: op
        rules:
        - apiGroups: [example.com]
          resources: [things]
          verbs: [get, create]
      deployments:
      - name: op
        spec:
          template:
            spec:
              serviceAccountName: op
              containers:
              - name: manager
                resources:
                  requests: {cpu: 10m, memory: 64Mi}
"#;

const CRD_TEXT: &str = r"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
  labels: {app: op}
spec:
  group: example.com
  scope: Namespaced
  preserveUnknownFields: false
  names:
    plural: things
    singular: thing
    kind: Thing
    listKind: ThingList
    shortNames: [th]
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig:
        service: {name: hook, namespace: op, path: /convert, port: 443}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Size, type: integer, format: int32, jsonPath: .spec.size}
    selectableFields:
    - {jsonPath: .spec.mode}
    subresources:
      scale:
        specReplicasPath: .spec.size
        statusReplicasPath: .status.size
        labelSelectorPath: .status.selector
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              either: {type: string, anyOf: [{type: integer}, {type: string}]}
              size: {type: integer, default: 1}
              mode: {type: string, anyOf: [{minLength: 1}, {pattern: x}]}
              many: {type: array, items: {type: string}}
              port:
                x-kubernetes-int-or-string: true
                anyOf: [{type: integer}, {type: string}]
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    deprecationWarning: Use v1
    schema:
      openAPIV3Schema: {type: object}
";

const ANNOTATIONS_TEXT: &str = "\
annotations:
  operators.operatorframework.io.bundle.channels.v1: stable
  operators.operatorframework.io.bundle.channel.default.v1: stable
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: op
";

const PACKAGE_TEXT: &str = "\
packageName: op
defaultChannel: stable
channels:
- name: stable
  currentCSV: op.v1.0.0
- name: fast
  currentCSV: op.v1.0.1
";

pub(crate) fn files() -> BTreeMap<&'static str, String> {
    let files = [
        (CSV, CSV_TEXT),
        (CRD, CRD_TEXT),
        (ANNOTATIONS, ANNOTATIONS_TEXT),
        (PACKAGE, PACKAGE_TEXT),
        (
            BUDGET,
            "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: op}\nspec: {maxUnavailable: 50%}\n",
        ),
        (
            CLASS,
            "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: op}\nvalue: 10\nglobalDefault: false\n",
        ),
        (
            ROLE,
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: op}\nrules:\n- apiGroups: [policy]\n  resources: [poddisruptionbudgets]\n  verbs: [get]\n",
        ),
        (
            GROUP,
            "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata:\n  name: op\n  annotations: {olm.providedAPIs: Thing}\n",
        ),
        (
            ACCOUNT,
            "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: other}\n",
        ),
    ];
    files.map(|(path, text)| (path, text.to_owned())).into_iter().collect()
}
