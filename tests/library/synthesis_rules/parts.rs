//! The parts that the cases are made from: a bundle without findings, and what is added to it.

use std::collections::BTreeMap;

/// The files of a bundle: path to text.
pub(crate) type Files = BTreeMap<String, String>;

pub(crate) const DEPLOYMENT_YAML: &str = "manifests/deployment.yaml";
pub(crate) const OLM_YAML: &str = "metadata/olm.yaml";
pub(crate) const ANNOTATIONS_YAML: &str = "metadata/annotations.yaml";
pub(crate) const DEPENDENCIES_YAML: &str = "metadata/dependencies.yaml";
pub(crate) const CSV_YAML: &str = "manifests/op.clusterserviceversion.yaml";
/// Where [`Bundle::and`] puts its manifests.
const MORE_YAML: &str = "manifests/more.yaml";

pub(crate) const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: op
spec:
  selector:
    matchLabels: {app: op}
  template:
    metadata:
      labels: {app: op}
    spec:
      serviceAccountName: op
      containers:
      - name: manager
        image: registry.example.com/op:1.0.0
        ports:
        - {name: https, containerPort: 9443}
";

pub(crate) const OLM: &str = "\
name: op.v1.0.0
version: 1.0.0
minKubeVersion: 1.25.0
displayName: Op
installModes:
- {type: AllNamespaces, supported: true}
";

pub(crate) const ANNOTATIONS: &str = "\
annotations:
  operators.operatorframework.io.bundle.channels.v1: alpha,stable
  operators.operatorframework.io.bundle.channel.default.v1: stable
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.mediatype.v1: k8s+v1
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: op
";

pub(crate) const CSV: &str = "\
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: op.v1.0.0
spec:
  displayName: Op
  version: 1.0.0
  install: {strategy: deployment}
";

pub(crate) const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  names: {kind: Foo, plural: foos}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
";

pub(crate) const SERVICE: &str = "\
apiVersion: v1
kind: Service
metadata: {name: hook}
spec:
  selector: {app: op}
  ports:
  - {port: 443, targetPort: 9443}
";

pub(crate) const WEBHOOK: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks:
- name: foos.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig:
    service: {name: hook}
  rules:
  - {apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [foos]}
";

pub(crate) const APISERVICE: &str = "\
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.example.com}
spec:
  group: example.com
  version: v1
  groupPriorityMinimum: 2000
  versionPriority: 15
  service: {name: hook}
";

pub(crate) const APISERVICE_KINDS: &str = "\
apiservicedefinitions:
  owned:
  - {group: example.com, version: v1, kind: Foo, name: foos}
";

/// A bundle under construction.
#[derive(Clone)]
pub(crate) struct Bundle(pub(crate) Files);

impl Bundle {
    /// Creates a k8s+v1 bundle.
    pub(crate) fn plain() -> Self {
        Self::of(&[
            (DEPLOYMENT_YAML, DEPLOYMENT),
            (OLM_YAML, OLM),
            (ANNOTATIONS_YAML, ANNOTATIONS),
        ])
    }

    /// Creates a registry+v1 bundle.
    pub(crate) fn registry() -> Self {
        let annotations = ANNOTATIONS.replace("k8s+v1", "registry+v1");
        Self::of(&[(CSV_YAML, CSV), (ANNOTATIONS_YAML, &annotations)])
    }

    fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self(files.collect())
    }

    /// Writes a file.
    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        self.0.insert(path.to_owned(), text.to_owned());
        self
    }

    /// Removes a file.
    pub(crate) fn without(mut self, path: &str) -> Self {
        assert!(self.0.remove(path).is_some(), "{path} is not there");
        self
    }

    /// Replaces text in a file.
    pub(crate) fn with(mut self, path: &str, from: &str, to: &str) -> Self {
        let text = self.0.get_mut(path).unwrap();
        assert!(text.contains(from), "{path} does not hold {from:?}");
        *text = text.replacen(from, to, 1);
        self
    }

    /// Adds lines to `metadata/olm.yaml`.
    pub(crate) fn olm(mut self, lines: &str) -> Self {
        let text = self.0.get_mut(OLM_YAML).unwrap();
        text.push_str(lines);
        text.push('\n');
        self
    }

    /// Adds a manifest.
    pub(crate) fn and(mut self, manifest: &str) -> Self {
        let text = self.0.entry(MORE_YAML.to_owned()).or_default();
        if !text.is_empty() {
            text.push_str("---\n");
        }
        text.push_str(manifest.trim_end());
        text.push('\n');
        self
    }

    /// Adds a ClusterRole with these rules, and binds the operator's account to it.
    pub(crate) fn granted(self, rules: &str) -> Self {
        self.and(&role("ClusterRole", rules))
            .and(&binding("ClusterRoleBinding", "ClusterRole", OPERATOR))
    }

    /// Adds a Service and a webhook behind it.
    pub(crate) fn webhook(self) -> Self {
        self.and(SERVICE).and(WEBHOOK)
    }

    /// Adds a Service and an APIService behind it, and the kind that it serves.
    pub(crate) fn apiservice(self) -> Self {
        self.and(SERVICE).and(APISERVICE).olm(APISERVICE_KINDS)
    }

    /// Adds a CRD that the Service converts.
    pub(crate) fn conversion(self) -> Self {
        let crd = format!(
            "{CRD}  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n      clientConfig:\n        service: {{name: hook, namespace: system, path: /convert}}\n"
        );
        self.and(SERVICE).and(&crd)
    }

    /// Adds the dependencies file with one entry.
    pub(crate) fn dependency(self, entry: &str) -> Self {
        self.file(DEPENDENCIES_YAML, &format!("dependencies:\n- {entry}\n"))
    }

    /// Replaces text in what has been added.
    pub(crate) fn but(self, from: &str, to: &str) -> Self {
        self.with(MORE_YAML, from, to)
    }
}

/// The operator's account as a subject.
pub(crate) const OPERATOR: &str = "{kind: ServiceAccount, name: op}";

/// Returns a role called `rules` with these rules.
pub(crate) fn role(kind: &str, rules: &str) -> String {
    format!("apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {{name: rules}}\nrules: [{rules}]\n")
}

/// Returns a binding called `binds` of the role called `rules`.
pub(crate) fn binding(kind: &str, role: &str, subjects: &str) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {{name: binds}}\n\
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {role}, name: rules}}\nsubjects: [{subjects}]\n"
    )
}

/// Returns a rule of a role.
pub(crate) fn grant(group: &str, resource: &str) -> String {
    format!("{{apiGroups: [\"{group}\"], resources: [\"{resource}\"], verbs: [get]}}")
}
