//! The smallest wrong input for the rules about a bundle as a whole, next to the nearest right one.

use super::cases::{Case, case};
use super::parts::{ANNOTATIONS_YAML, Bundle, CRD, CSV_YAML, DEPENDENCIES_YAML, DEPLOYMENT};
use opmx::rules::Severity;

const PROPERTIES_YAML: &str = "metadata/properties.yaml";
const VPA: &str = "{apiVersion: autoscaling.k8s.io/v1, kind: VerticalPodAutoscaler, metadata: {name: vpa}}";
const CONFIG_MAP: &str = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\n";
const GOOD: &str = "{group: autoscaling.k8s.io, kind: VerticalPodAutoscaler, name: vpa}";

/// A registry+v1 bundle that owns the CRD `Foo`.
const CSV: &str = "\
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: op.v1.0.0
  annotations: {alm-examples: '[{\"apiVersion\": \"example.com/v1\", \"kind\": \"Foo\", \"metadata\": {\"name\": \"foo\"}}]'}
spec:
  displayName: Op
  version: 1.0.0
  minKubeVersion: 1.25.0
  installModes:
  - {type: AllNamespaces, supported: true}
  customresourcedefinitions:
    owned:
    - {name: foos.example.com, version: v1, kind: Foo}
    required:
    - {name: bars.example.com, version: v1, kind: Bar}
  install:
    strategy: deployment
    spec:
      deployments:
      - name: op
        spec:
          selector: {matchLabels: {app: op}}
          template:
            metadata: {labels: {app: op}}
            spec:
              containers:
              - {name: manager, image: registry.example.com/op:1.0.0}
";

/// Returns all cases.
pub(crate) fn all() -> Vec<Case> {
    let parts = [
        optional_manifests(),
        properties(),
        dependencies(),
        constraints(),
        annotations(),
        manifests(),
    ];
    parts.into_iter().flatten().collect()
}

fn registry() -> Bundle {
    Bundle::registry().file(CSV_YAML, CSV).file("manifests/crd.yaml", CRD)
}

fn optional(entries: &[&str]) -> Bundle {
    let list: String = entries.iter().map(|entry| format!("\n    - {entry}")).collect();
    Bundle::plain().and(VPA).file(
        PROPERTIES_YAML,
        &format!("properties:\n- type: olm.manifests.optional\n  value:\n    manifests:{list}\n"),
    )
}

fn property(entry: &str) -> Bundle {
    Bundle::plain()
        .and(VPA)
        .file(PROPERTIES_YAML, &format!("properties:\n- {entry}\n"))
}

fn optional_manifests() -> Vec<Case> {
    let good = || optional(&[GOOD]);
    let list = |list: &str| {
        property(&format!(
            "{{type: olm.manifests.optional, value: {{manifests: {list}}}}}"
        ))
    };
    let of = |manifest: &str, entry: &str| optional(&[entry]).and(manifest);
    let budget =
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: budget}, spec: {minAvailable: 1}}";
    vec![
        case("opt-value-shape", "no kind", optional(&["{group: autoscaling.k8s.io, name: vpa}"]), good()),
        case("opt-value-shape", "no map", optional(&["vpa"]), good()),
        case("opt-value-shape", "a number", optional(&["{group: autoscaling.k8s.io, kind: VerticalPodAutoscaler, name: 1}"]), good()),
        case("opt-value-shape", "no list", property("{type: olm.manifests.optional, value: {}}"), good()),
        case("opt-empty", "no entry", list("[]"), list(&format!("[{GOOD}]"))),
        case("opt-unknown-key", "a version", optional(&["{group: autoscaling.k8s.io, kind: VerticalPodAutoscaler, name: vpa, version: v1}"]), good()),
        case("opt-duplicate", "twice", optional(&[GOOD, GOOD]), good()),
        case("opt-several", "two lists", optional(&[GOOD]).with(PROPERTIES_YAML, "properties:\n", "properties:\n- {type: olm.manifests.optional, value: {manifests: [{kind: ConfigMap, name: settings}]}}\n").and(CONFIG_MAP), good()),
        case("opt-no-match", "a namespace", optional(&["{group: autoscaling.k8s.io, kind: VerticalPodAutoscaler, name: vpa, namespace: a}"]), good()),
        case("opt-no-match", "a plural", optional(&["{group: autoscaling.k8s.io, kind: verticalpodautoscalers, name: vpa}"]), good()),
        case("opt-no-match", "another name", optional(&["{group: autoscaling.k8s.io, kind: VerticalPodAutoscaler, name: vpb}"]), good()),
        case("opt-no-match", "another group", optional(&["{group: autoscaling, kind: VerticalPodAutoscaler, name: vpa}"]), good()),
        case("opt-group-version", "as in the proposal", optional(&["{group: autoscaling.k8s.io/v1, kind: VerticalPodAutoscaler, name: vpa}"]), good()),
        case("opt-core-kind", "a ConfigMap", of(CONFIG_MAP, "{kind: ConfigMap, name: settings}"), good()),
        case("opt-crd", "a CRD", of(CRD, "{group: apiextensions.k8s.io, kind: CustomResourceDefinition, name: foos.example.com}"), optional(&[GOOD]).and(CRD)),
        case("opt-builtin-kind", "a budget", of(budget, "{group: policy, kind: PodDisruptionBudget, name: budget}"), good()),
        case("opt-projected", "the Deployment", optional(&["{group: apps, kind: Deployment, name: op}"]), good()),
    ]
}

fn properties() -> Vec<Case> {
    let good = || property("{type: example.com/a, value: b}");
    let package = |value: &str| property(&format!("{{type: olm.package, value: {value}}}"));
    vec![
        case(
            "prop-files",
            "two",
            good().file("metadata/more.yaml", "properties:\n- {type: a, value: b}\n"),
            good(),
        ),
        case(
            "prop-shape",
            "a map",
            Bundle::plain().file(PROPERTIES_YAML, "properties: {type: a, value: b}\n"),
            good(),
        ),
        case("prop-shape", "no value", property("{type: example.com/a}"), good()),
        case(
            "prop-file-name",
            "dependencies",
            Bundle::plain().file(
                PROPERTIES_YAML,
                "dependencies:\n- {type: olm.label, value: {label: a}}\n",
            ),
            Bundle::plain().file(
                DEPENDENCIES_YAML,
                "dependencies:\n- {type: olm.label, value: {label: a}}\n",
            ),
        ),
        case(
            "prop-derived-clash",
            "a package",
            package("{packageName: other, version: 1.0.0}"),
            package("{packageName: op, version: 1.0.0}"),
        ),
        case(
            "prop-derived-clash",
            "a version",
            package("{packageName: op, version: 2.0.0}"),
            package("{packageName: op, version: 1.0.0}"),
        ),
    ]
}

fn packages(entries: &[&str]) -> Bundle {
    let list: String = entries
        .iter()
        .map(|value| format!("- {{type: olm.package, value: {value}}}\n"))
        .collect();
    Bundle::plain().file(DEPENDENCIES_YAML, &format!("dependencies:\n{list}"))
}

fn dependencies() -> Vec<Case> {
    let package = |rest: &str| packages(&[&format!("{{packageName: a, version: '>=1.0.0'{rest}}}")]);
    let entry = |entry: &str| Bundle::plain().dependency(entry);
    let written = |range: &str| {
        let text = format!("dependencies:\n- type: olm.package\n  value:\n    packageName: a\n    version: {range}\n");
        Bundle::plain().file(DEPENDENCIES_YAML, &text)
    };
    let gvk = "- {type: olm.gvk, value: {group: example.com, version: v1, kind: ";
    vec![
        case(
            "dep-range-quoting",
            "as in the proposal",
            written(">0.27.0"),
            written("\">0.27.0\""),
        ),
        case(
            "dep-range-quoting",
            "with =",
            written(">=0.27.0"),
            written("'>=0.27.0'"),
        ),
        case(
            "dep-intent-value",
            "another word",
            package(", intent: sometimes"),
            package(", intent: optional"),
        ),
        case(
            "dep-intent-value",
            "a capital",
            package(", intent: Required"),
            package(", intent: required"),
        ),
        case(
            "dep-intent-value",
            "a boolean",
            package(", intent: true"),
            package(", intent: recommended"),
        ),
        case(
            "dep-intent-place",
            "another type",
            entry("{type: olm.gvk, value: {group: a.b, version: v1, kind: C, intent: optional}}"),
            entry("{type: olm.gvk, value: {group: a.b, version: v1, kind: C}}"),
        ),
        case(
            "dep-intent-place",
            "beside the type",
            entry("{type: olm.package, intent: optional, value: {packageName: a, version: 1.x}}"),
            entry("{type: olm.package, value: {packageName: a, version: 1.x, intent: optional}}"),
        ),
        case(
            "dep-duplicate",
            "twice",
            packages(&["{packageName: a, version: 1.x}", "{packageName: a, version: '>1.2.0'}"]),
            packages(&["{packageName: a, version: 1.x}", "{packageName: b, version: '>1.2.0'}"]),
        ),
        case(
            "dep-duplicate",
            "nothing in both",
            packages(&["{packageName: a, version: 1.x}", "{packageName: a, version: 3.x}"]),
            packages(&["{packageName: a, version: 1.x}", "{packageName: b, version: 3.x}"]),
        )
        .severity(Severity::Error),
        case(
            "dep-conflicting-intent",
            "two intents",
            packages(&[
                "{packageName: a, version: 1.x}",
                "{packageName: a, version: 1.x, intent: optional}",
            ]),
            packages(&["{packageName: a, version: 1.x, intent: optional}"]),
        ),
        case(
            "dep-self",
            "its own package",
            packages(&["{packageName: op, version: 1.x}"]),
            packages(&["{packageName: a, version: 1.x}"]),
        ),
        case(
            "dep-csv-double",
            "required in both",
            registry().file(DEPENDENCIES_YAML, &format!("dependencies:\n{gvk}Bar}}}}\n")),
            registry().file(DEPENDENCIES_YAML, &format!("dependencies:\n{gvk}Baz}}}}\n")),
        ),
        case(
            "range-hyphen",
            "as npm has it",
            packages(&["{packageName: a, version: 1.0.0 - 2.0.0}"]),
            packages(&["{packageName: a, version: '>=1.0.0 <=2.0.0'}"]),
        ),
    ]
}

fn constraints() -> Vec<Case> {
    let constraint = |value: &str| Bundle::plain().dependency(&format!("{{type: olm.constraint, value: {value}}}"));
    let good = || {
        constraint(
            "{failureMessage: a, all: {constraints: [{package: {packageName: a, versionRange: 1.x}}, {cel: {rule: 'true'}}]}}",
        )
    };
    let long = format!("{{failureMessage: {}, cel: {{rule: 'true'}}}}", "a".repeat(131_072));
    vec![
        case(
            "dep-constraint-key",
            "another word",
            constraint("{cel: {rule: 'true'}, message: a}"),
            good(),
        ),
        case(
            "dep-constraint-several",
            "two",
            constraint("{cel: {rule: 'true'}, package: {packageName: a, versionRange: 1.x}}"),
            good(),
        ),
        case("dep-constraint-size", "too long", constraint(&long), good()),
        case(
            "dep-cel-missing",
            "an empty list",
            constraint("{any: {constraints: []}}"),
            good(),
        ),
        case(
            "dep-cel-invalid",
            "no boolean",
            constraint("{not: {constraints: [{cel: {rule: 'size(properties)'}}]}}"),
            good(),
        ),
        case(
            "dep-cel-invalid",
            "another variable",
            constraint("{cel: {rule: 'props.exists(p, true)'}}"),
            good(),
        ),
        case(
            "dep-package-version-format",
            "inside",
            constraint("{any: {constraints: [{package: {packageName: a, versionRange: ^1.0.0}}]}}"),
            good(),
        ),
        case("dep-value-shape", "a list", constraint("{all: []}"), good()),
    ]
}

fn annotations() -> Vec<Case> {
    let with = |from: &str, to: &str| Bundle::plain().with(ANNOTATIONS_YAML, from, to);
    vec![
        case(
            "ann-manifests-path",
            "a different folder",
            with("manifests.v1: manifests/", "manifests.v1: elsewhere/"),
            with("manifests.v1: manifests/", "manifests.v1: manifests"),
        ),
        case(
            "ann-metadata-path",
            "a different folder",
            with("metadata.v1: metadata/", "metadata.v1: elsewhere/"),
            with("metadata.v1: metadata/", "metadata.v1: ./metadata/"),
        ),
        case(
            "ann-default-channel-unknown",
            "another channel",
            with("default.v1: stable", "default.v1: fast"),
            with("default.v1: stable", "default.v1: alpha"),
        ),
    ]
}

fn manifests() -> Vec<Case> {
    let changed = |from: &str, to: &str| registry().with("manifests/crd.yaml", from, to);
    let second = CSV.replace("op.v1.0.0", "op.v1.0.1");
    let more = |text: &str| registry().file("manifests/more.yaml", text);
    vec![
        case(
            "content-metadata",
            "a key of a label in olm.yaml",
            Bundle::plain().olm("csv: {labels: {a b: c}}"),
            Bundle::plain().olm("csv: {labels: {a-b: c}}"),
        ),
        case(
            "load-subdirectory",
            "a folder",
            registry().file("manifests/more/a.yaml", CONFIG_MAP),
            more(CONFIG_MAP),
        ),
        case(
            "load-hidden-file",
            "a hidden file",
            registry().file("manifests/.a.yaml", CONFIG_MAP),
            more(CONFIG_MAP),
        ),
        case(
            "load-multiple-csv",
            "two",
            registry().file("manifests/second.yaml", &second),
            registry(),
        ),
        case(
            "content-kind-unsupported",
            "a Deployment",
            more(DEPLOYMENT),
            more(CONFIG_MAP),
        ),
        case(
            "content-metadata",
            "a label",
            more("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {b: c d}}}"),
            more("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {b: c}}}"),
        ),
        case(
            "content-csv-shape",
            "a string",
            registry().with(CSV_YAML, "  version: 1.0.0\n", "  version: 1.0.0\n  skips: op.v0.9.0\n"),
            registry().with(
                CSV_YAML,
                "  version: 1.0.0\n",
                "  version: 1.0.0\n  skips: [op.v0.9.0]\n",
            ),
        ),
        case(
            "content-csv-shape",
            "a number",
            registry().with(CSV_YAML, "  version: 1.0.0\n", "  version: 1.0\n"),
            registry(),
        ),
        case(
            "content-crd-shape",
            "a string",
            changed("plural: foos", "plural: foos, shortNames: f"),
            changed("plural: foos", "plural: foos, shortNames: [f]"),
        ),
        case(
            "content-crd-version",
            "a later one",
            changed("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v2"),
            registry(),
        )
        .also(&["bundle-owned-crd-absent"]),
    ]
}
