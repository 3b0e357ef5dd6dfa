//! The cases: a rule, the change that breaks it, and the text at the place of the finding.

use super::bundle::{ACCOUNT, ANNOTATIONS, BUDGET, CLASS, CRD, CSV, GROUP, PACKAGE, ROLE};
use opmx::rules::{self, Severity};
use opmx::validation::validators::ValidatorOptions;
use std::collections::BTreeMap;

/// One way to break a rule by changing the bundle.
pub(crate) struct Case {
    pub(crate) rule: &'static str,
    pub(crate) severity: Severity,
    /// The file, the text to replace in it, and the replacement. If the text is empty, the whole file is replaced.
    pub(crate) edits: Vec<(&'static str, &'static str, &'static str)>,
    /// The beginning of the text at the place; empty if the finding has no place.
    pub(crate) place: &'static str,
    /// Other rules that the change inevitably breaks.
    pub(crate) with: &'static [&'static str],
    pub(crate) options: ValidatorOptions,
}

type Edit = (&'static str, &'static str, &'static str);

fn case(rule: &'static str, edit: Edit, place: &'static str) -> Case {
    Case {
        rule,
        severity: rules::by_id(rule).unwrap_or_else(|| panic!("{rule}")).severity,
        edits: vec![edit],
        place,
        with: &[],
        options: ValidatorOptions::default(),
    }
}

impl Case {
    fn and(mut self, edit: Edit) -> Self {
        self.edits.push(edit);
        self
    }

    fn with(mut self, rules: &'static [&'static str]) -> Self {
        self.with = rules;
        self
    }

    fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    fn options(mut self, options: ValidatorOptions) -> Self {
        self.options = options;
        self
    }
}

pub(crate) fn all() -> Vec<Case> {
    [
        csv(),
        examples(),
        crd(),
        schema(),
        bundle(),
        hub(),
        removed(),
        practices(),
        objects(),
        package(),
        community(),
        multiarch(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn csv() -> Vec<Case> {
    let long = "name: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.v1.0.0\n";
    vec![
        case(
            "csv-name-format",
            (CSV, "name: op.v1.0.0", "name: Op.v1.0.0"),
            "Op.v1.0.0",
        ),
        case("csv-name-format", (CSV, "name: op.v1.0.0\n", long), "nnn"),
        case("csv-replaces-format", (CSV, "op.v0.9.0", "op_a.v0.9.0"), "op_a.v0.9.0"),
        case(
            "csv-installmodes-missing",
            (
                CSV,
                "installModes:\n  - {type: AllNamespaces, supported: true}\n  - {type: OwnNamespace, supported: false}",
                "installModes: []",
            ),
            "[]",
        ),
        case(
            "csv-installmodes-none-supported",
            (CSV, "supported: true", "supported: false"),
            "- {type: AllNamespaces",
        )
        .and((
            CSV,
            "  - type: ConversionWebhook\n    conversionCRDs: [things.example.com]",
            "  - type: MutatingAdmissionWebhook",
        )),
        case(
            "csv-installmodes-duplicate",
            (CSV, "type: OwnNamespace", "type: AllNamespaces"),
            "AllNamespaces",
        )
        .with(&["csv-conversion-allnamespaces-only"]),
        case(
            "csv-installmodes-unknown",
            (CSV, "type: OwnNamespace", "type: EveryNamespace"),
            "EveryNamespace",
        ),
        case(
            "csv-conversion-allnamespaces-only",
            (CSV, "supported: false", "supported: true"),
            "[things.example.com]",
        ),
        case(
            "csv-minkubeversion-missing",
            (CSV, "minKubeVersion: 1.25.0", "minKubeVersion: '  '"),
            "'  '",
        ),
        case(
            "csv-minkubeversion-format",
            (CSV, "minKubeVersion: 1.25.0", "minKubeVersion: v1.25.0"),
            "v1.25.0",
        ),
        case(
            "csv-minkubeversion-format",
            (CSV, "minKubeVersion: 1.25.0", "minKubeVersion: latest"),
            "latest",
        ),
        case("csv-required-field", (CSV, "  displayName: Op\n", ""), "version: 1.0.0"),
        case(
            "csv-required-field",
            (CSV, "    strategy: deployment\n", ""),
            "spec:\n      clusterPermissions",
        ),
        case(
            "csv-annotation-case",
            (CSV, "olm.skipRange", "olm.skiprange"),
            "olm.skiprange",
        ),
        case(
            "csv-olm-properties-annotation",
            (
                CSV,
                "    olm.skipRange:",
                "    olm.properties: '[]'\n    olm.skipRange:",
            ),
            "olm.properties",
        ),
        case(
            "csv-owned-group-key",
            (CSV, "      group: example.com", "      group: other.example.com"),
            "other.example.com",
        ),
        case("cap-unknown", (CSV, "Full Lifecycle", "Full"), "Full"),
        case(
            "cat-unknown",
            (CSV, "Database, Monitoring", "Database, Nonsense"),
            "Nonsense",
        ),
        case(
            "cat-unknown",
            (CSV, "Database, Monitoring", "\"Database,\\tNonsense\""),
            "Nonsense",
        ),
        case(
            "cat-custom-unknown",
            (CSV, "Database, Monitoring", "Database, Toys"),
            "Database",
        )
        .options(ValidatorOptions {
            categories: Some(vec!["Toys".to_owned()]),
            ..ValidatorOptions::default()
        }),
        case(
            "og-annotation-case",
            (GROUP, "olm.providedAPIs", "olm.providedapis"),
            "olm.providedapis",
        ),
    ]
}

fn examples() -> Vec<Case> {
    const WITHOUT: &[&str] = &["csv-provided-api-without-example"];
    vec![
        case(
            "csv-annotations-missing",
            (
                CSV,
                "  annotations:\n    alm-examples: |-\n      [\n        {\"apiVersion\": \"example.com/v1\", \"kind\": \"Thing\", \"metadata\": {\"name\": \"a\"}},\n        {\"apiVersion\": \"served.example.com/v1\", \"kind\": \"Served\"}\n      ]\n    capabilities: Full Lifecycle\n    categories: Database, Monitoring\n    olm.skipRange: '<1.0.0'\n",
                "",
            ),
            "name: op.v1.0.0",
        ),
        case("csv-examples-missing", (CSV, "alm-examples", "other"), "other"),
        case(
            "csv-examples-both",
            (CSV, "    capabilities", "    olm.examples: '[]'\n    capabilities"),
            "olm.examples",
        ),
        case(
            "csv-examples-json",
            (CSV, "\"kind\": \"Served\"}", "\"kind\": \"Served\"},"),
            ",",
        ),
        case(
            "csv-examples-json",
            (
                CSV,
                "{\"apiVersion\": \"served.example.com/v1\", \"kind\": \"Served\"}",
                "7",
            ),
            "7",
        ),
        case(
            "csv-example-without-provided-api",
            (CSV, "\"kind\": \"Served\"", "\"kind\": \"Other\""),
            "\"Other\"",
        )
        .with(WITHOUT),
        case(
            "csv-provided-api-without-example",
            (
                CSV,
                ",\n        {\"apiVersion\": \"served.example.com/v1\", \"kind\": \"Served\"}",
                "",
            ),
            "Served",
        ),
        case(
            "csv-owned-crd-name-shape",
            (CSV, "- name: things.example.com", "- name: things"),
            "things",
        )
        .with(&[
            "bundle-owned-crd-absent",
            "bundle-crd-not-owned",
            "csv-example-without-provided-api",
        ]),
    ]
}

fn crd() -> Vec<Case> {
    const OLD: &[&str] = &[
        "removed-api-1.22",
        "community-index-path-missing",
        "community-maxopenshift-missing",
    ];
    const GROUPS: &[&str] = &["bundle-owned-crd-absent", "bundle-crd-not-owned"];
    let service = "service: {name: hook, namespace: op, path: /convert, port: 443}";
    let webhook = "strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n      clientConfig:\n        service: {name: hook, namespace: op, path: /convert, port: 443}";
    let beta = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\nspec:\n  group: example.com\n  names: {plural: things, kind: Thing}\n  version: v1\n";
    let both = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\nspec:\n  group: example.com\n  names: {plural: things, kind: Thing}\n  subresources: {status: {}}\n  versions:\n  - {name: v1, storage: true, subresources: {status: {}}}\n  - {name: v2}\n";
    let other = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\nspec:\n  group: example.com\n  names: {plural: things, kind: Thing}\n  version: v0\n  versions:\n  - {name: v1, storage: true}\n";
    let defaults = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\nspec:\n  group: example.com\n  names: {plural: things, kind: Thing}\n  version: v1\n  validation: {openAPIV3Schema: {type: object, properties: {a: {type: string, default: x}}}}\n";
    vec![
        case(
            "crd-name",
            (CRD, "name: things.example.com", "name: thing.example.com"),
            "thing.example.com",
        ),
        case("crd-metadata", (CRD, "labels: {app: op}", "labels: {app: -op}"), "-op"),
        case("crd-metadata", (CRD, "labels: {app: op}", "labels: {app/: op}"), "app/"),
        case("crd-metadata", (CRD, "  labels: {app: op}", "  namespace: op"), "op"),
        case(
            "crd-metadata",
            (
                CRD,
                "  labels: {app: op}",
                "  ownerReferences: [{kind: A, name: a, apiVersion: v1}]",
            ),
            "{kind: A",
        ),
        case(
            "crd-metadata",
            (CRD, "  labels: {app: op}", "  finalizers: [a b]"),
            "a b",
        ),
        case("crd-group", (CRD, "group: example.com", "group: example"), "example")
            .with(GROUPS)
            .and((CRD, "name: things.example.com", "name: things.example")),
        case(
            "crd-group",
            (CRD, "group: example.com", "group: Example.com"),
            "Example.com",
        )
        .with(&["bundle-owned-crd-absent", "bundle-crd-not-owned", "crd-name"]),
        case("crd-group", (CRD, "  group: example.com\n", ""), "scope: Namespaced").with(&[
            "bundle-owned-crd-absent",
            "bundle-crd-not-owned",
            "crd-name",
        ]),
        case("crd-scope", (CRD, "scope: Namespaced", "scope: Galaxy"), "Galaxy"),
        case("crd-scope", (CRD, "  scope: Namespaced\n", ""), "group: example.com"),
        case("crd-version-name", (CRD, "- name: v1beta1", "- name: v1.1"), "v1.1"),
        case("crd-version-unique", (CRD, "- name: v1beta1", "- name: v1"), "v1").with(&["bundle-crd-duplicate"]),
        case("crd-storage-count", (CRD, "storage: false", "storage: true"), "true"),
        case(
            "crd-storage-count",
            (CRD, "storage: true", "storage: false"),
            "- name: v1",
        ),
        case("crd-version-field", (CRD, "", other), "v0").with(OLD),
        case("crd-global-and-version", (CRD, "", both), "{status: {}}").with(OLD),
        case("crd-defaults-need-pruning", (CRD, "", defaults), "group: example.com").with(OLD),
        case(
            "crd-preserve-unknown-fields",
            (CRD, "preserveUnknownFields: false", "preserveUnknownFields: true"),
            "true",
        )
        .with(&["crd-conversion-strategy", "crd-defaults-need-pruning"]),
        case("removed-api-1.22", (CRD, "", beta), "apiextensions.k8s.io/v1beta1")
            .severity(Severity::Error)
            .with(OLD),
        case("crd-names-required", (CRD, "    kind: Thing\n", ""), "plural: things").with(GROUPS),
        case("crd-names-format", (CRD, "singular: thing", "singular: Thing"), "Thing"),
        case("crd-names-format", (CRD, "[th]", "[t_h]"), "t_h"),
        case(
            "crd-names-format",
            (CRD, "listKind: ThingList", "listKind: Thing"),
            "Thing",
        ),
        case(
            "crd-printer-column",
            (CRD, "type: integer, format", "type: int, format"),
            "int",
        ),
        case("crd-printer-column", (CRD, "format: int32", "format: int8"), "int8"),
        case(
            "crd-printer-column",
            (CRD, "jsonPath: .spec.size", "jsonPath: spec.size"),
            "spec.size",
        ),
        case("crd-printer-column", (CRD, "{name: Size, ", "{"), "{type: integer"),
        case(
            "crd-scale-path",
            (CRD, "specReplicasPath: .spec.size", "specReplicasPath: .size"),
            ".size",
        ),
        case(
            "crd-scale-path",
            (
                CRD,
                "statusReplicasPath: .status.size",
                "statusReplicasPath: .spec.size",
            ),
            ".spec.size",
        ),
        case(
            "crd-scale-path",
            (
                CRD,
                "labelSelectorPath: .status.selector",
                "labelSelectorPath: .selector",
            ),
            ".selector",
        ),
        case(
            "crd-selectable-fields",
            (CRD, "jsonPath: .spec.mode", "jsonPath: .spec.many"),
            ".spec.many",
        ),
        case(
            "crd-selectable-fields",
            (CRD, "jsonPath: .spec.mode", "jsonPath: .spec.none"),
            ".spec.none",
        ),
        case(
            "crd-selectable-fields",
            (CRD, "jsonPath: .spec.mode", "jsonPath: .metadata.name"),
            ".metadata.name",
        ),
        case(
            "crd-selectable-fields",
            (
                CRD,
                "- {jsonPath: .spec.mode}",
                "- {jsonPath: .spec.mode}\n    - {jsonPath: .spec.mode}",
            ),
            ".spec.mode",
        ),
        case("crd-deprecation-warning", (CRD, "    deprecated: true\n", ""), "Use v1"),
        case(
            "crd-deprecation-warning",
            (CRD, "deprecationWarning: Use v1", "deprecationWarning: \"a\\nb\""),
            "\"a\\nb\"",
        ),
        case("crd-conversion-strategy", (CRD, webhook, "strategy: Magic"), "Magic"),
        case(
            "crd-conversion-client",
            (CRD, "strategy: Webhook", "strategy: None"),
            "[v1]",
        )
        .and((
            CRD,
            "clientConfig:\n        service: {name: hook, namespace: op, path: /convert, port: 443}",
            "clientConfig: null",
        )),
        case(
            "crd-conversion-client",
            (CRD, service, "url: http://example.com"),
            "http://example.com",
        ),
        case(
            "crd-conversion-client",
            (CRD, service, "url: https://a@example.com"),
            "https://a@example.com",
        ),
        case("crd-conversion-client", (CRD, service, "{}"), "{}"),
        case(
            "crd-conversion-client",
            (CRD, "path: /convert", "path: convert"),
            "convert",
        ),
        case(
            "crd-conversion-client",
            (CRD, "path: /convert", "path: /Convert"),
            "/Convert",
        ),
        case("crd-conversion-client", (CRD, "port: 443", "port: 70000"), "70000"),
        case("crd-conversion-client", (CRD, "name: hook, ", ""), "{namespace: op"),
        case("crd-conversion-review-versions", (CRD, "[v1]", "[v2]"), "[v2]"),
        case("crd-conversion-review-versions", (CRD, "[v1]", "[v1, v1]"), "v1"),
        case("crd-conversion-review-versions", (CRD, "[v1]", "[]"), "[]"),
        case(
            "crd-api-approved",
            (CRD, "group: example.com", "group: example.k8s.io"),
            "example.k8s.io",
        )
        .and((CRD, "name: things.example.com", "name: things.example.k8s.io"))
        .with(GROUPS),
    ]
}

fn schema() -> Vec<Case> {
    const MODE: &str = "mode: {type: string, anyOf: [{minLength: 1}, {pattern: x}]}";
    vec![
        case("crd-schema-missing", (CRD, "    schema:\n      openAPIV3Schema: {type: object}\n", ""), "name: v1beta1"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {}"), "{}"),
        case("crd-schema-structural", (CRD, MODE, "mode: {type: string}\n              odd: {minLength: 1}"), "{minLength: 1}"),
        case("crd-schema-structural", (CRD, MODE, "mode: {type: string, anyOf: [{type: string}]}"), "string"),
        case("crd-schema-structural", (CRD, MODE, "mode: {type: string}\n            anyOf: [{properties: {odd: {minLength: 1}}}]"), "{minLength: 1}")
            .and((CRD, "              many: {type: array, items: {type: string}}\n              port:\n                x-kubernetes-int-or-string: true\n                anyOf: [{type: integer}, {type: string}]\n", "")),
        case("crd-schema-structural", (CRD, "many: {type: array, items: {type: string}}", "many: {type: array}"), "{type: array}"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {metadata: {type: object, description: Metadata}}}"), "Metadata"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {metadata: {type: object, properties: {labels: {type: object}}}}}"), "{type: object}"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {metadata: {type: string}}}"), "string"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {apiVersion: {type: integer}}}"), "integer"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {kind: {type: boolean}}}"), "boolean"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true}}}"), "{type: object, x-kubernetes-embedded-resource: true}"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, additionalProperties: true, x-kubernetes-preserve-unknown-fields: true}}}"), "true"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {a: {type: array, items: {type: string}, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}"), "array"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, properties: {kind: {type: integer}}}}}"), "integer"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {a: {x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true}}}"), "true"),
        case("crd-schema-structural", (CRD, MODE, "mode: {type: string, anyOf: [{additionalProperties: false}]}"), "false"),
        case("crd-schema-structural", (CRD, MODE, "mode: {type: string, not: {default: false}}"), "false"),
        case("crd-schema-structural", (CRD, MODE, "mode: {type: string, oneOf: [{x-kubernetes-validations: [{rule: 'true'}]}]}"), "[{rule: 'true'}]"),
        case("crd-schema-structural", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {metadata: {type: object}}, anyOf: [{properties: {metadata: {minProperties: 1}}}]}"), "{minProperties: 1}"),
        case("crd-schema-keyword", (CRD, "many: {type: array, items: {type: string}}", "many: {type: array, items: {type: string}, uniqueItems: true}"), "true"),
        case("crd-schema-keyword", (CRD, MODE, "mode: {type: string, $ref: '#/a'}"), "'#/a'"),
        case("crd-schema-keyword", (CRD, "openAPIV3Schema: {type: object}", "openAPIV3Schema: {type: object, properties: {a: {type: object, properties: {b: {type: string}}, additionalProperties: {type: string}}}}"), "{type: string}"),
        case("crd-schema-type", (CRD, "many: {type: array, items: {type: string}}", "many: {type: text}"), "text"),
        case("crd-schema-default", (CRD, "default: 1", "default: one"), "one"),
    ]
}

fn bundle() -> Vec<Case> {
    vec![
        case(
            "bundle-crd-duplicate",
            (
                "manifests/copy.yaml",
                "",
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec:\n  group: example.com\n  scope: Cluster\n  names: {plural: things, kind: Thing}\n  versions:\n  - {name: v1, storage: true, schema: {openAPIV3Schema: {type: object}}}\n",
            ),
            "v1",
        ),
        case(
            "bundle-owned-crd-absent",
            (CSV, "      version: v1\n", "      version: v2\n"),
            "v2",
        )
        .with(&[
            "bundle-crd-not-owned",
            "csv-example-without-provided-api",
            "csv-provided-api-without-example",
        ]),
        case(
            "bundle-crd-not-owned",
            (
                "manifests/copy.yaml",
                "",
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: others.example.com}\nspec:\n  group: example.com\n  scope: Cluster\n  names: {plural: others, kind: Other}\n  versions:\n  - {name: v1, storage: true, schema: {openAPIV3Schema: {type: object}}}\n",
            ),
            "v1",
        ),
        case(
            "bundle-serviceaccount-clash",
            (ACCOUNT, "name: other", "name: op"),
            "op",
        ),
        case(
            "bundle-release-name",
            (CSV, "  version: 1.0.0\n", "  version: 1.0.0\n  release: '1'\n"),
            "op.v1.0.0",
        ),
        case(
            "bundle-relatedimage-empty",
            (CSV, "name: op, image: registry.example.com/op:1.0.0", "name: op"),
            "{name: op}",
        ),
        case(
            "bundle-relatedimage-format",
            (CSV, "registry.example.com/op:1.0.0", "oci://registry.example.com/op"),
            "oci://registry.example.com/op",
        ),
        case(
            "bundle-relatedimage-format",
            (CSV, "registry.example.com/op:1.0.0", "registry.example.com/Op"),
            "registry.example.com/Op",
        ),
    ]
}

fn hub() -> Vec<Case> {
    vec![
        case(
            "hub-provider-name",
            (CSV, "provider: {name: Example}", "provider: {url: x}"),
            "{url: x}",
        ),
        case(
            "hub-maintainer-incomplete",
            (CSV, "{name: Ann, email: ann@example.com}", "{email: ann@example.com}"),
            "{email",
        ),
        case(
            "hub-maintainer-email",
            (CSV, "email: ann@example.com", "email: ann"),
            "ann",
        ),
        case(
            "hub-link-incomplete",
            (CSV, "{name: Docs, url: https://example.com/docs}", "{name: Docs}"),
            "{name: Docs}",
        ),
        case(
            "hub-link-url",
            (CSV, "https://example.com/docs", "example.com/docs"),
            "example.com/docs",
        ),
        case(
            "hub-version-missing",
            (CSV, "  version: 1.0.0\n", ""),
            "displayName: Op",
        ),
        case(
            "hub-version-missing",
            (CSV, "  version: 1.0.0\n", "  version: 0.0.0\n"),
            "0.0.0",
        ),
        case(
            "hub-icon-missing",
            (
                CSV,
                "icon:\n  - {base64data: PHN2Zy8+, mediatype: image/svg+xml}",
                "icon: []",
            ),
            "[]",
        ),
        case(
            "hub-icon-count",
            (CSV, "  relatedImages:", "  - {}\n  relatedImages:"),
            "{}",
        ),
        case(
            "hub-icon-incomplete",
            (CSV, "{base64data: PHN2Zy8+, ", "{"),
            "{mediatype",
        ),
        case("hub-icon-mediatype", (CSV, "image/svg+xml", "image/webp"), "image/webp"),
    ]
}

fn removed() -> Vec<Case> {
    let budget = (BUDGET, "policy/v1", "policy/v1beta1");
    vec![
        case("removed-api-1.25", budget, "policy/v1beta1").severity(Severity::Error),
        case("removed-api-1.25", budget, "policy/v1beta1").and((CSV, "1.25.0", "1.24.0")),
        case("removed-api-1.25", budget, "policy/v1beta1")
            .and((CSV, "1.25.0", "1.24.0"))
            .severity(Severity::Error)
            .options(ValidatorOptions {
                kubernetes_version: opmx::version::parse_tolerant("1.25"),
                ..ValidatorOptions::default()
            }),
        case(
            "removed-api-1.25",
            (CSV, "version: batch/v1}", "version: batch/v1beta1}"),
            "batch/v1beta1",
        )
        .severity(Severity::Error),
        case(
            "removed-api-1.25",
            (
                CSV,
                "- apiGroups: [example.com]\n          resources: [things]",
                "- apiGroups: [policy]\n          resources: [podsecuritypolicies]",
            ),
            "podsecuritypolicies",
        ),
        case(
            "removed-api-1.26",
            (
                "manifests/hpa.yaml",
                "",
                "apiVersion: autoscaling/v2beta2\nkind: HorizontalPodAutoscaler\nmetadata: {name: op}\n",
            ),
            "autoscaling/v2beta2",
        ),
    ]
}

fn practices() -> Vec<Case> {
    vec![
        case("gp-no-deployment", (CSV, "      deployments:\n      - name: op\n        spec:\n          template:\n            spec:\n              serviceAccountName: op\n              containers:\n              - name: manager\n                resources:\n                  requests: {cpu: 10m, memory: 64Mi}\n", ""), "clusterPermissions").with(&["csv-required-field"]),
        case("gp-resource-requests", (CSV, "{cpu: 10m, memory: 64Mi}", "{cpu: 10m}"), "{cpu: 10m}"),
        case("gp-crd-description-empty", (CSV, "      description: A thing.\n", ""), "name: things.example.com"),
        case("gp-channel-name", (ANNOTATIONS, "channels.v1: stable", "channels.v1: stable,alpha"), "stable,alpha"),
        case("gp-channel-name", (ANNOTATIONS, "default.v1: stable", "default.v1: beta"), "beta"),
        case("gp-rbac-create-crd", (CSV, "- apiGroups: [example.com]\n          resources: [things]", "- apiGroups: [apiextensions.k8s.io]\n          resources: ['*']"), "create"),
        case("gp-name-semver", (CSV, "name: op.v1.0.0", "name: op.v1"), "op.v1"),
        case("gp-name-shape", (CSV, "name: op.v1.0.0", "name: op-1.0.0"), "op-1.0.0"),
    ]
}

fn objects() -> Vec<Case> {
    vec![
        case("obj-pdb-maxunavailable-zero", (BUDGET, "50%", "0"), "0"),
        case("obj-pdb-maxunavailable-zero", (BUDGET, "50%", "0%"), "0%"),
        case(
            "obj-pdb-minavailable-full",
            (BUDGET, "maxUnavailable: 50%", "minAvailable: 100%"),
            "100%",
        ),
        case(
            "obj-priorityclass-global-default",
            (CLASS, "globalDefault: false", "globalDefault: true"),
            "true",
        ),
        case("obj-rbac-pdb-write", (ROLE, "[get]", "[get, patch]"), "patch"),
        case(
            "obj-rbac-pdb-write",
            (
                CSV,
                "- apiGroups: [example.com]\n          resources: [things]",
                "- apiGroups: [policy]\n          resources: [poddisruptionbudgets]",
            ),
            "create",
        ),
        case(
            "obj-rbac-default-scc-write",
            (
                ROLE,
                "- apiGroups: [policy]\n  resources: [poddisruptionbudgets]\n  verbs: [get]",
                "- apiGroups: [security.openshift.io]\n  resources: [securitycontextconstraints]\n  resourceNames: [anyuid]\n  verbs: [update]",
            ),
            "update",
        ),
        case("obj-unparsable", (BUDGET, "50%", "true"), "true"),
        case(
            "obj-unparsable",
            (CLASS, "globalDefault: false", "globalDefault: never"),
            "never",
        ),
        case(
            "obj-unparsable",
            (
                ROLE,
                "- apiGroups: [policy]\n  resources: [poddisruptionbudgets]\n  verbs: [get]",
                "- all",
            ),
            "all",
        ),
    ]
}

fn package() -> Vec<Case> {
    vec![
        case("pkg-name-empty", (PACKAGE, "packageName: op", "packageName: ''"), "''"),
        case(
            "pkg-channels-empty",
            (PACKAGE, "", "packageName: op\nchannels: []\n"),
            "[]",
        ),
        case(
            "pkg-default-missing",
            (PACKAGE, "defaultChannel: stable\n", ""),
            "packageName: op",
        ),
        case(
            "pkg-default-unknown",
            (PACKAGE, "defaultChannel: stable", "defaultChannel: slow"),
            "slow",
        ),
        case(
            "pkg-channel-name-empty",
            (PACKAGE, "- name: fast\n  ", "- "),
            "currentCSV: op.v1.0.1",
        ),
        case(
            "pkg-channel-csv-empty",
            (PACKAGE, "\n  currentCSV: op.v1.0.1", ""),
            "name: fast",
        ),
        case(
            "pkg-channel-duplicate",
            (PACKAGE, "name: fast", "name: stable"),
            "stable",
        ),
    ]
}

fn community() -> Vec<Case> {
    const CLASS_V1BETA1: Edit = (CLASS, "scheduling.k8s.io/v1", "scheduling.k8s.io/v1beta1");
    const ALSO: &[&str] = &[
        "removed-api-1.22",
        "community-index-path-missing",
        "csv-olm-properties-annotation",
    ];
    let missing = case("community-maxopenshift-missing", CLASS_V1BETA1, "alm-examples").with(ALSO);
    let property = |rule, edit: Edit| case(rule, CLASS_V1BETA1, "'").and(edit).with(ALSO);
    let index = |rule, content: &str, place| {
        let property = (
            CSV,
            "    olm.skipRange:",
            "    olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.8\"}]'\n    olm.skipRange:",
        );
        let options = ValidatorOptions {
            index_dockerfile: Some(("index.Dockerfile".to_owned(), content.to_owned())),
            ..ValidatorOptions::default()
        };
        case(rule, CLASS_V1BETA1, place)
            .and(property)
            .with(ALSO)
            .options(options)
    };
    vec![
        missing,
        property(
            "community-maxopenshift-json",
            (
                CSV,
                "    olm.skipRange:",
                "    olm.properties: '[{\"type\": \"a\", \"value\": 4.8}]'\n    olm.skipRange:",
            ),
        ),
        property(
            "community-maxopenshift-absent",
            (
                CSV,
                "    olm.skipRange:",
                "    olm.properties: '[]'\n    olm.skipRange:",
            ),
        ),
        property(
            "community-maxopenshift-version",
            (
                CSV,
                "    olm.skipRange:",
                "    olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"new\"}]'\n    olm.skipRange:",
            ),
        ),
        property(
            "community-maxopenshift-patch",
            (
                CSV,
                "    olm.skipRange:",
                "    olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.8.1\"}]'\n    olm.skipRange:",
            ),
        ),
        property(
            "community-maxopenshift-too-high",
            (
                CSV,
                "    olm.skipRange:",
                "    olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.9\"}]'\n    olm.skipRange:",
            ),
        ),
        case("community-index-path-missing", CLASS_V1BETA1, "op.v1.0.0")
            .with(&["removed-api-1.22", "community-maxopenshift-missing"]),
        index("community-index-label-missing", "FROM scratch\n", "FROM scratch"),
        index(
            "community-index-label-syntax",
            "LABEL com.redhat.openshift.versions\n",
            "LABEL",
        ),
        index(
            "community-index-range",
            "FROM scratch\nLABEL com.redhat.openshift.versions=v4.6\n",
            "LABEL",
        ),
    ]
}

/// The pods of the bundle with an image, and the nodes that they are scheduled on.
const POD: (&str, &str, &str) = (
    CSV,
    "              containers:\n              - name: manager\n",
    "              nodeSelector: {kubernetes.io/os: linux}\n              affinity:\n                nodeAffinity:\n                  \
     requiredDuringSchedulingIgnoredDuringExecution:\n                    nodeSelectorTerms:\n                    \
     - matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [amd64, arm64]}]\n              \
     containers:\n              - name: proxy\n                image: registry.example.com/op:1.0.0\n                \
     resources: {requests: {cpu: 1m, memory: 1Mi}}\n              - name: manager\n                image: manager:1\n",
);
const LABELS: (&str, &str, &str) = (
    CSV,
    "  name: op.v1.0.0\n",
    "  name: op.v1.0.0\n  labels:\n    operatorframework.io/arch.amd64: supported\n    \
     operatorframework.io/arch.arm64: supported\n    operatorframework.io/arch.s390x: unsupported\n",
);

fn multiarch() -> Vec<Case> {
    let both = ["linux/amd64", "linux/arm64"];
    let platforms = |manager: Result<&[&str], &str>, other: &[&str]| {
        let parse = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect();
        let manager = manager.map(parse).map_err(str::to_owned);
        ValidatorOptions {
            platforms: Some(BTreeMap::from([
                ("manager:1".to_owned(), manager),
                ("registry.example.com/op:1.0.0".to_owned(), Ok(parse(other))),
            ])),
            ..ValidatorOptions::default()
        }
    };
    let broken = |rule, edit, place, options| case(rule, POD, place).and(edit).options(options);
    vec![
        broken(
            "multiarch-inspect-failed",
            LABELS,
            "manager:1",
            platforms(Err("gone"), &both),
        ),
        broken(
            "multiarch-unsupported",
            LABELS,
            "manager:1",
            platforms(Ok(&both[..1]), &both),
        )
        .with(&["multiarch-affinity-extra"]),
        case("multiarch-label-missing-arch", POD, "name: op.v1.0.0").options(platforms(Ok(&both), &both)),
        broken(
            "multiarch-label-missing-os",
            LABELS,
            "operatorframework.io/arch.amd64",
            platforms(Ok(&["linux/amd64", "linux/arm64", "windows/amd64"]), &both),
        )
        .with(&["multiarch-image-narrower", "multiarch-affinity-narrow"]),
        broken(
            "multiarch-image-narrower",
            LABELS,
            "registry.example.com/op",
            platforms(Ok(&["linux/amd64", "linux/arm64", "linux/riscv64"]), &both),
        )
        .with(&["multiarch-label-missing-arch", "multiarch-affinity-narrow"]),
        broken(
            "multiarch-affinity-missing",
            LABELS,
            "nodeSelectorTerms",
            platforms(Ok(&both), &both),
        )
        .and((CSV, "key: kubernetes.io/arch", "key: kubernetes.io/zone")),
        broken(
            "multiarch-affinity-extra",
            LABELS,
            "nodeSelectorTerms",
            platforms(Ok(&both), &both),
        )
        .and((CSV, "[amd64, arm64]", "[amd64, arm64, s390x]")),
        broken(
            "multiarch-affinity-narrow",
            LABELS,
            "nodeSelectorTerms",
            platforms(Ok(&both), &both),
        )
        .and((CSV, "[amd64, arm64]", "[amd64]")),
    ]
}
