//! What-if files and dumps of clusters: whatever can be read can be resolved, planned and checked.

use super::{LIMITS, places, words};
use opmx::cluster::conditions::check_in;
use opmx::cluster::dump::{self, DumpLimits};
use opmx::cluster::{self, State, requested};
use opmx::install::catalogs::Catalogs;
use opmx::install::resolution_steps;
use opmx::olm::releases::Olm;
use opmx::resolver::{Problem, ResolverOptions, resolve};
use opmx::steps::Repetition;
use std::path::Path;

const STATE: &str = "\
version: 1
namespace: operators
globalNamespace: olm
catalogs:
- name: main
  priority: 10
  packages:
  - name: foo
    defaultChannel: stable
    channels:
    - name: stable
      entries:
      - {name: foo.v2, replaces: foo.v1, skips: [foo.v1.5], skipRange: '<2.0.0'}
      - {name: foo.v1}
    bundles:
    - name: foo.v2
      version: 2.0.0
      provides: [{group: g, version: v1, kind: Foo}]
      requires: [{group: g, version: v1, kind: Bar}]
      properties: [{type: olm.label, value: {label: x}}]
      dependencies:
      - {type: olm.package, value: {packageName: bar, version: '>1.0.0'}}
      - {type: olm.constraint, value: {failureMessage: m, any: {constraints: [{package: {packageName: bar, versionRange: 1.x}}, {cel: {rule: 'properties.all(p, true)'}}]}}}
    - {name: foo.v1, version: 1.0.0}
  - name: bar
    channels: [{name: alpha, entries: [{name: bar.v1}]}]
    bundles:
    - {name: bar.v1, version: 1.1.0, provides: [{group: g, version: v1, kind: Bar}]}
installed:
- {name: foo.v1, version: 1.0.0}
subscriptions:
- {name: foo, package: foo, channel: stable, catalog: main, installedCSV: foo.v1, currentCSV: foo.v1}
- {name: bar, package: bar, catalog: main}
";
const DUMPS: [&str; 4] = [
    "\
apiVersion: operators.coreos.com/v2alpha1
kind: Operator
metadata: {name: plumbus}
spec:
  updates: {type: CatalogSource, catalogSource: {package: foo, channel: stable, entrypoint: foo.v1, ref: {name: main, namespace: olm}}}
---
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {name: plan}
spec:
  namespaces: [{from: default, to: operators}]
  approval: Unapproved
  content: [{type: ManifestImage, manifestImage: registry.example.com/foo}, {type: Raw, raw: '{apiVersion: v1, kind: Pod, metadata: {name: a}}'}]
",
    "\
apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: foo, namespace: operators}
  spec: {name: foo, channel: stable, source: main, sourceNamespace: olm}
  status: {installedCSV: foo.v1, currentCSV: foo.v1}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: foo.v1, namespace: operators}
  spec:
    version: 1.0.0
    customresourcedefinitions: {owned: [{name: foos.g, kind: Foo, version: v1}]}
  status: {phase: Succeeded}
- apiVersion: operators.coreos.com/v2
  kind: OperatorCondition
  metadata: {name: foo.v1, namespace: operators}
  spec: {conditions: [{type: Upgradeable, status: 'False', reason: Busy, message: wait}]}
",
    r#"{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"name": "g", "namespace": "operators"}, "spec": {"serviceAccountName": "a"}}, {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "r", "namespace": "operators"}, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}]}"#,
    "NAME     SHORTNAMES   APIVERSION   NAMESPACED   KIND\npods     po           v1           true         Pod\nfoos                  g/v1         false        Foo\n",
];

/// Reads any bytes as a what-if file.
pub fn file(bytes: &[u8]) {
    match cluster::read("state.yaml", bytes, &LIMITS()) {
        Ok(state) => judged(&state),
        Err(error) => {
            places::inside(&error.place, &error.problem);
            assert!(!error.problem.to_string().is_empty());
        }
    }
}

/// Reads any bytes as a dump of a cluster.
pub fn dumped(bytes: &[u8]) {
    let limits = DumpLimits {
        object: 16 << 10,
        kept: 64 << 10,
        depth: 64,
        ..DumpLimits::default()
    };
    let mut state = State::default();
    let read = dump::read_stream(Path::new("dump.yaml"), bytes, dump::kept, &limits, &mut state);
    for error in [
        requested::operators(&state.objects).err(),
        requested::installs(&state.objects).err(),
    ] {
        assert!(error.is_none_or(|error| !error.problem.is_empty()));
    }
    if read.is_ok() && cluster::observe(&mut state, None).is_ok() {
        judged(&state);
    }
}

/// Reads a valid file with a word replaced by any string.
pub fn word(which: usize, word: usize, text: &str) {
    file(words::replaced(STATE, word, text).as_bytes());
    dumped(words::replaced(DUMPS[which % DUMPS.len()], word, text).as_bytes());
}

fn judged(state: &State) {
    let _ = check_in(state);
    let catalogs = Catalogs::new(state, state.catalogs.iter().map(|_| None).collect());
    let read = catalogs.read(true).unwrap();
    let problem = Problem::of_state(state, &read);
    for explain in [false, true] {
        let options = ResolverOptions {
            steps: 10_000,
            explain,
            ..ResolverOptions::default()
        };
        match resolve(&problem, &options) {
            Ok(resolution) => {
                assert!(serde_json::to_string(&resolution).is_ok());
                if let Ok(contents) = resolution_steps::contents(&resolution, &catalogs) {
                    let (namespace, olm) = (&state.namespace, Olm::default());
                    let _ = resolution_steps::steps(&resolution, &contents, namespace, Repetition::Once, &olm);
                }
            }
            Err(unresolved) => assert!(!unresolved.to_string().is_empty()),
        }
    }
}
