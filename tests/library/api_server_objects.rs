//! Values of webhooks, schemas and Services that the API server rejects, and names of objects.

use opmx::diagnostic::Diagnostic;
use opmx::text::{Limits, Path, Step};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::{Request, validate};
use serde_json::{Value, json};

const ANNOTATIONS: &str = "\
annotations:
  operators.operatorframework.io.bundle.channels.v1: alpha
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: op
";

const CSV: &str = "\
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: op.v1.0.0}
spec:
  displayName: Op
  version: 1.0.0
  install:
    strategy: deployment
    spec:
      permissions:
      - serviceAccountName: namespaced
        rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]
      clusterPermissions:
      - serviceAccountName: cluster
        rules: [{apiGroups: [''], resources: [nodes], verbs: [get]}]
      deployments:
      - name: op
        spec:
          selector: {matchLabels: {app: op}}
          template:
            metadata: {labels: {app: op}}
            spec:
              serviceAccountName: cluster
              containers: [{name: manager, image: registry.example.com/op:1.0.0}]
  webhookdefinitions:
  - type: ValidatingAdmissionWebhook
    generateName: things.example.com
    deploymentName: op
    admissionReviewVersions: [v1]
    sideEffects: None
    timeoutSeconds: 10
    webhookPath: /validate
    rules:
    - apiGroups: [example.com]
      apiVersions: [v1]
      operations: [CREATE]
      resources: [things]
  - type: ConversionWebhook
    generateName: conversion.example.com
    deploymentName: op
    admissionReviewVersions: [v1beta1]
    sideEffects: None
    webhookPath: /convert
    conversionCRDs: [things.example.com]
";

const HOOKS: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks:
- name: things.example.com
  admissionReviewVersions: [v1, v1beta1]
  sideEffects: None
  timeoutSeconds: 30
  clientConfig:
    service: {name: hook, namespace: a, path: /validate}
  rules:
  - apiGroups: [example.com, '']
    apiVersions: ['*']
    operations: [CREATE, UPDATE]
    resources: ['*', things/status]
";

const CRD: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [mode]
        properties:
          mode: {type: string, enum: [fast, slow], default: fast}
          size: {type: integer, enum: [1, 2.0, 3], minimum: 1, maximum: 2, default: 2}
          ratio: {type: number, minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true, default: 0.5}
          name: {type: string, minLength: 2, maxLength: 4, default: äöü}
          tags: {type: array, items: {type: string}, minItems: 1, maxItems: 2, default: [a]}
          color: {type: string, pattern: '^\w+-[\d.]{1,2}$', default: red-1}
          either: {type: string, anyOf: [{pattern: '^a'}, {pattern: '^(b|[]c])+$'}]}
          labels: {type: object, additionalProperties: {type: string, pattern: '^[[]', maxLength: 1}}
          x-prop: {type: integer}
          redact__d: {type: string}
          namespace: {type: string}
          open: {x-kubernetes-preserve-unknown-fields: true, enum: [1, a, null], default: a}
          ports:
            type: array
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [number, protocol]
            items:
              type: object
              required: [number]
              properties:
                number: {type: integer}
                protocol: {type: string, default: TCP}
          parts:
            type: array
            items: {type: object, required: [a], properties: {a: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}}}
            x-kubernetes-list-map-keys: [a]
            "x-kubernetes-list-type": map
          whole:
            type: object
            required: [size]
            maxProperties: 4
            properties:
              size: {type: integer, maximum: 9}
              at: {type: string, format: date-time, nullable: true}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}
              more: {type: array, items: {type: object, additionalProperties: {x-kubernetes-int-or-string: true}}}
            default: {size: 1, at: '2024-01-02T03:04:05Z', open: {a: b, c: d}, more: [{}, {e: 1, f: g}]}
          template:
            type: object
            x-kubernetes-embedded-resource: true
            properties: {spec: {type: object}, metadata: {type: object, properties: {name: {type: string, default: pod}}}}
            default: {apiVersion: v1, kind: Pod, metadata: {labels: {a: b}}, spec: {}}
          zones: {type: array, x-kubernetes-list-type: set, items: {type: string}}
          pairs:
            type: array
            x-kubernetes-list-type: set
            items: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}}}
          grid: {type: array, x-kubernetes-list-type: set, items: {type: array, items: {type: string}}}
          metadata: {type: object, properties: {name: {type: string, maxLength: 9}}}
          steps:
            type: array
            x-kubernetes-validations: [{rule: self.size() >= oldSelf.size()}]
            items: {type: string, x-kubernetes-validations: [{rule: 'self != ""'}]}
        x-kubernetes-validations:
        - rule: 'has(self.metadata.name) && self.open.x == 1 && self.labels.y == "z"'
        - rule: 'self.size <= 9 && self.?mode.orValue("(") != ''slow'''
          message: too large
          messageExpression: '"size: " + string(self.size)'
        - rule: 'self.x__dash__prop > 0 && self.redact__underscores__d == self.__namespace__'
          message: wrong
          reason: FieldValueForbidden
          fieldPath: .labels['x']
        - rule: |
            !oldSelf.hasValue() ||
            self.size >= oldSelf.value().size
          message: '"size" must not decrease'
          optionalOldSelf: true
          fieldPath: .x-prop
"#;

const SERVICE: &str = "\
apiVersion: v1
kind: Service
metadata: {name: metrics}
spec:
  selector: {app: op}
  ports:
  - {name: https, port: 8443}
  - {name: http, port: 8080, protocol: TCP}
  - {name: dns, port: 8080, protocol: UDP}
";

/// The manifests of a bundle that the API server accepts.
const FILES: [(&str, &str); 4] = [
    ("manifests/hooks.yaml", HOOKS),
    ("manifests/op.clusterserviceversion.yaml", CSV),
    ("manifests/service.yaml", SERVICE),
    ("manifests/things.yaml", CRD),
];

/// Returns what validation finds in a bundle of these manifests.
fn findings(manifests: &[(&str, String)]) -> Vec<Diagnostic> {
    let mut tree = Tree::new("bundle");
    let annotations = ("metadata/annotations.yaml", ANNOTATIONS.to_owned());
    for (path, text) in manifests.iter().chain([&annotations]) {
        tree.insert(path, text.clone().into_bytes(), &TreeLimits::default())
            .unwrap();
    }
    let found = validate(&tree, &Request::default()).findings;
    found.into_iter().map(|finding| finding.diagnostic).collect()
}

/// Returns the paths and messages of values that the API server rejects.
fn rejected(manifests: &[(&str, String)]) -> Vec<(String, String)> {
    let mut found = findings(manifests);
    found.retain(|finding| finding.rule.id == "object-field-value");
    let shown = found.into_iter().map(|finding| {
        assert!(finding.place.is_some() && finding.help.is_some(), "{finding}");
        (finding.path.unwrap_or_default(), finding.message)
    });
    shown.collect()
}

/// A change to a manifest: the manifest, the text to replace, its replacement, the path of the finding, and part of the
/// message.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str);

const WEBHOOKS: &[Case] = &[
    (
        HOOKS,
        "name: things.example.com",
        "name: vserviceprofileconfigurationbundles-v1beta1.networking.example.com",
        "webhooks[0].name",
        "has 66 characters, but OLM also uses it as a label value",
    ),
    (
        CSV,
        "generateName: things.example.com",
        "generateName: vserviceprofileconfigurationbundles-v1beta1.networking.example.com",
        "spec.webhookdefinitions[0].generateName",
        "has 66 characters, but OLM also uses it as a label value",
    ),
    (
        CSV,
        "generateName: things.example.com",
        "generateName: vthing.kb",
        "spec.webhookdefinitions[0].generateName",
        "has fewer than three parts",
    ),
    (
        HOOKS,
        "path: /validate",
        "path: validate",
        "webhooks[0].clientConfig.service.path",
        "does not begin with /",
    ),
    (
        HOOKS,
        "path: /validate",
        "path: /validate, port: 65536",
        "webhooks[0].clientConfig.service.port",
        "calls the port 65536",
    ),
    (
        HOOKS,
        "path: /validate",
        "path: /a//b",
        "webhooks[0].clientConfig.service.path",
        "has an empty segment",
    ),
    (
        HOOKS,
        "timeoutSeconds: 30",
        "timeoutSeconds: 31",
        "webhooks[0].timeoutSeconds",
        "is 31",
    ),
    (
        HOOKS,
        "[v1, v1beta1]",
        "[v2]",
        "webhooks[0].admissionReviewVersions",
        "supports neither",
    ),
    (
        HOOKS,
        "  admissionReviewVersions: [v1, v1beta1]\n",
        "",
        "webhooks[0].admissionReviewVersions",
        "supports neither",
    ),
    (
        HOOKS,
        "[v1, v1beta1]",
        "[v1, v1beta1, v1]",
        "webhooks[0].admissionReviewVersions[2]",
        "\"v1\" is listed twice",
    ),
    (
        HOOKS,
        "name: things.example.com",
        "name: things.com",
        "webhooks[0].name",
        "fewer than three parts",
    ),
    (
        HOOKS,
        "[example.com, '']",
        "[]",
        "webhooks[0].rules[0].apiGroups",
        "no apiGroups",
    ),
    (
        HOOKS,
        "[example.com, '']",
        "[example.com, '*']",
        "webhooks[0].rules[0].apiGroups[1]",
        "apiGroups of a webhook lists *",
    ),
    (
        HOOKS,
        "    apiVersions: ['*']\n",
        "",
        "webhooks[0].rules[0].apiVersions",
        "no apiVersions",
    ),
    (
        HOOKS,
        "apiVersions: ['*']",
        "apiVersions: ['*', v1]",
        "webhooks[0].rules[0].apiVersions[0]",
        "apiVersions of a webhook lists *",
    ),
    (
        HOOKS,
        "operations: [CREATE, UPDATE]",
        "operations: null",
        "webhooks[0].rules[0].operations",
        "no operations",
    ),
    (
        HOOKS,
        "operations: [CREATE, UPDATE]",
        "operations: [CREATE, '*']",
        "webhooks[0].rules[0].operations[1]",
        "operations of a webhook lists *",
    ),
    (
        HOOKS,
        "resources: ['*', things/status]",
        "resources: []",
        "webhooks[0].rules[0].resources",
        "no resources",
    ),
    (
        CSV,
        "webhookPath: /validate",
        "webhookPath: validate",
        "spec.webhookdefinitions[0].webhookPath",
        "does not begin with /",
    ),
    (
        CSV,
        "webhookPath: /validate",
        "webhookPath: /validateThing",
        "spec.webhookdefinitions[0].webhookPath",
        "has the segment \"validateThing\"",
    ),
    (
        CSV,
        "timeoutSeconds: 10",
        "objectSelector: {matchExpressions: [{key: a, operator: In}]}",
        "spec.webhookdefinitions[0].objectSelector.matchExpressions[0].values",
        "In of a label selector needs values",
    ),
    (
        CSV,
        "timeoutSeconds: 10",
        "containerPort: 65536",
        "spec.webhookdefinitions[0].containerPort",
        "is 65536, but must be between 1 and 65535",
    ),
    (
        CSV,
        "timeoutSeconds: 10",
        "containerPort: -1",
        "spec.webhookdefinitions[0].containerPort",
        "is -1",
    ),
    (
        CSV,
        "timeoutSeconds: 10",
        "targetPort: 70000",
        "spec.webhookdefinitions[0].targetPort",
        "is 70000",
    ),
    (
        CSV,
        "timeoutSeconds: 10",
        "targetPort: webhook_server",
        "spec.webhookdefinitions[0].targetPort",
        "neither a number nor a valid port name",
    ),
    (
        CSV,
        "  webhookdefinitions:",
        "  apiservicedefinitions: {owned: [{group: g.example.com, version: v1, kind: K, name: ks, deploymentName: op, containerPort: 65536}]}\n  webhookdefinitions:",
        "spec.apiservicedefinitions.owned[0].containerPort",
        "is 65536",
    ),
    (
        CSV,
        "webhookPath: /convert",
        "webhookPath: convert",
        "spec.webhookdefinitions[1].webhookPath",
        "does not begin with /",
    ),
    (
        CSV,
        "timeoutSeconds: 10",
        "timeoutSeconds: 0",
        "spec.webhookdefinitions[0].timeoutSeconds",
        "is 0",
    ),
    (
        CSV,
        "[v1beta1]",
        "[v2]",
        "spec.webhookdefinitions[1].admissionReviewVersions",
        "supports neither",
    ),
    (
        CSV,
        "admissionReviewVersions: [v1]",
        "admissionReviewVersions: [v1, v1]",
        "spec.webhookdefinitions[0].admissionReviewVersions[1]",
        "listed twice",
    ),
    (
        CSV,
        "resources: [things]",
        "resources: []",
        "spec.webhookdefinitions[0].rules[0].resources",
        "no resources",
    ),
    (
        CSV,
        "operations: [CREATE]",
        "operations: ['*', CREATE]",
        "spec.webhookdefinitions[0].rules[0].operations[0]",
        "lists *",
    ),
];

/// The paths are those of properties in the schema.
const SCHEMAS: &[Case] = &[
    (
        CRD,
        "default: fast",
        "default: quick",
        "properties.mode.default",
        "not one of the values of enum",
    ),
    (
        CRD,
        "maximum: 2, default: 2",
        "maximum: 2, default: 3",
        "properties.size.default",
        "3 is greater than the maximum 2",
    ),
    (
        CRD,
        "[1, 2.0, 3], minimum: 1",
        "[1, 2.0, 3], minimum: 3",
        "properties.size.default",
        "2 is less than the minimum 3",
    ),
    (
        CRD,
        "default: 0.5",
        "default: 0",
        "properties.ratio.default",
        "is the exclusive minimum",
    ),
    (
        CRD,
        "default: 0.5",
        "default: 1.0",
        "properties.ratio.default",
        "is the exclusive maximum",
    ),
    (
        CRD,
        "default: äöü",
        "default: ä",
        "properties.name.default",
        "length of the default is 1, but minLength is 2",
    ),
    (
        CRD,
        "default: äöü",
        "default: abcde",
        "properties.name.default",
        "is 5, but maxLength is 4",
    ),
    (
        CRD,
        "default: [a]",
        "default: []",
        "properties.tags.default",
        "number of items of the default is 0, but minItems is 1",
    ),
    (
        CRD,
        "default: [a]",
        "default: [a, b, c]",
        "properties.tags.default",
        "is 3, but maxItems is 2",
    ),
    (
        CRD,
        "default: red-1",
        "default: red-123",
        "properties.color.default",
        "does not match the pattern",
    ),
    (
        CRD,
        "default: a}",
        "default: b}",
        "properties.open.default",
        "not one of the values of enum",
    ),
    (
        CRD,
        "pattern: '^a'",
        "pattern: '^(?!a)'",
        "properties.either.anyOf[0].pattern",
        "lookahead",
    ),
    (
        CRD,
        "pattern: '^(b|[]c])+$'",
        "pattern: '^(b|[]c)+$'",
        "properties.either.anyOf[1].pattern",
        "[ is not closed",
    ),
    (
        CRD,
        "pattern: '^[[]'",
        "pattern: '*.com'",
        "properties.labels.additionalProperties.pattern",
        "nothing to repeat",
    ),
    (
        CRD,
        "x-kubernetes-list-map-keys: [number, protocol]",
        "x-kubernetes-list-map-keys: []",
        "properties.ports.x-kubernetes-list-map-keys",
        "has no x-kubernetes-list-map-keys",
    ),
    (
        CRD,
        "            x-kubernetes-list-map-keys: [number, protocol]\n",
        "",
        "properties.ports.x-kubernetes-list-map-keys",
        "has no x-kubernetes-list-map-keys",
    ),
    (
        CRD,
        "[number, protocol]",
        "[number, name]",
        "properties.ports.x-kubernetes-list-map-keys[1]",
        "no property \"name\"",
    ),
    (
        CRD,
        "[number, protocol]",
        "[number, number]",
        "properties.ports.x-kubernetes-list-map-keys[1]",
        "\"number\" is listed twice",
    ),
    (
        CRD,
        "              required: [number]\n",
        "",
        "properties.ports.items.properties.number",
        "neither required nor has a default",
    ),
    (
        CRD,
        "number: {type: integer}",
        "number: {type: integer, nullable: true}",
        "properties.ports.items.properties.number.nullable",
        "cannot be nullable",
    ),
    (
        CRD,
        "protocol: {type: string, default: TCP}",
        "protocol: {type: object, default: {}}",
        "properties.ports.items.properties.protocol.type",
        "cannot be an object",
    ),
    (
        CRD,
        "              type: object\n              required",
        "              type: object\n              nullable: true\n              required",
        "properties.ports.items.nullable",
        "must not be nullable",
    ),
    (
        CRD,
        "            x-kubernetes-list-type: map\n",
        "",
        "properties.ports.x-kubernetes-list-map-keys",
        "whose type is not map",
    ),
    (
        CRD,
        "x-kubernetes-list-type: map",
        "x-kubernetes-list-type: maps",
        "properties.ports.x-kubernetes-list-type",
        "is \"maps\"",
    ),
    (
        CRD,
        "zones: {type: array, x-kubernetes-list-type: set, items: {type: string}}",
        "zones: {type: string, x-kubernetes-list-type: atomic}",
        "properties.zones.x-kubernetes-list-type",
        "not an array",
    ),
    (
        CRD,
        "zones: {type: array, x-kubernetes-list-type: set, items: {type: string}}",
        "zones: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: string}}",
        "properties.zones.items.type",
        "must be objects",
    ),
    (
        CRD,
        "x-kubernetes-map-type: atomic, ",
        "",
        "properties.pairs.items.x-kubernetes-map-type",
        "an item of a set must be atomic",
    ),
    (
        CRD,
        "items: {type: array, items: {type: string}}",
        "items: {type: array, x-kubernetes-list-type: set, items: {type: string}}",
        "properties.grid.items.x-kubernetes-list-type",
        "an item of a set must be atomic",
    ),
    (
        CRD,
        "x-prop: {type: integer}",
        "x-prop: {type: integer, x-kubernetes-map-type: atomic}",
        "properties.x-prop.x-kubernetes-map-type",
        "not an object",
    ),
    (
        CRD,
        "labels: {type: object,",
        "labels: {type: object, x-kubernetes-map-type: fine,",
        "properties.labels.x-kubernetes-map-type",
        "is \"fine\"",
    ),
    (
        CRD,
        "labels: {type: object,",
        "labels: {type: object, x-kubernetes-preserve-unknown-fields: false,",
        "properties.labels.x-kubernetes-preserve-unknown-fields",
        "is false",
    ),
    (
        CRD,
        "        required: [mode]",
        "        nullable: true",
        "nullable",
        "must not be nullable",
    ),
    (
        CRD,
        "        required: [mode]",
        "        oneOf: [{required: [mode]}]",
        "oneOf",
        "whose status is a subresource",
    ),
    (
        CRD,
        "maxLength: 9}",
        "maxLength: 9, default: a}",
        "properties.metadata.properties.name.default",
        "metadata of a custom resource must not have a default",
    ),
    (
        CRD,
        "default: {size: 1, at: '2024",
        "default: {at: '2024",
        "properties.whole.default",
        "the default has no size, which is required",
    ),
    (
        CRD,
        "size: {type: integer, maximum: 9}",
        "size: {type: string}",
        "properties.whole.default.size",
        "is a number, but the type is string",
    ),
    (
        CRD,
        "size: {type: integer, maximum: 9}",
        "size: {type: integer, maximum: 0}",
        "properties.whole.default.size",
        "1 is greater than the maximum 0",
    ),
    (
        CRD,
        "at: '2024-01-02T03:04:05Z'",
        "at: tomorrow",
        "properties.whole.default.at",
        "does not have the format date-time",
    ),
    (
        CRD,
        "default: {size: 1, at: '2024-01-02T03:04:05Z',",
        "default: {size: null, at: null,",
        "properties.whole.default.size",
        "the default is null",
    ),
    (
        CRD,
        "open: {a: b, c: d}",
        "open: {a: 1, c: d}",
        "properties.whole.default.open.a",
        "is a number, but the type is string",
    ),
    (
        CRD,
        "open: {a: b, c: d}",
        "close: {a: b, c: d}",
        "properties.whole.default.close",
        "has the field close, which the schema does not have",
    ),
    (
        CRD,
        "more: [{}, {e: 1, f: g}]",
        "more: [{}, 1]",
        "properties.whole.default.more[1]",
        "is a number, but the type is object",
    ),
    (
        CRD,
        "additionalProperties: {x-kubernetes-int-or-string: true}",
        "additionalProperties: {type: integer, x-kubernetes-int-or-string: true}",
        "properties.whole.default.more[1].f",
        "is a string, but the type is integer",
    ),
    (
        CRD,
        "maxProperties: 4",
        "maxProperties: 3",
        "properties.whole.default",
        "number of fields of the default is 4, but maxProperties is 3",
    ),
    (
        CRD,
        "metadata: {labels: {a: b}}, spec: {}",
        "metadata: {labels: {a: b}}, spec: {a: b}",
        "properties.template.default.spec.a",
        "has the field a, which",
    ),
    (
        CRD,
        "self.size <= 9",
        "(self.size <= 9",
        "x-kubernetes-validations[1].rule",
        "a bracket is not closed",
    ),
    (
        CRD,
        "self.size <= 9",
        "self.size = 9",
        "x-kubernetes-validations[1].rule",
        "= must be ==",
    ),
    (
        CRD,
        "string(self.size)'",
        "'",
        "x-kubernetes-validations[1].messageExpression",
        "ends with an operator",
    ),
    (
        CRD,
        "self.size <= 9",
        "self.sise <= 9",
        "x-kubernetes-validations[1].rule",
        "uses the field `sise`, which",
    ),
    (
        CRD,
        "self.x__dash__prop",
        "self.x__dot__prop",
        "x-kubernetes-validations[2].rule",
        "uses the field `x.prop`, which",
    ),
    (
        CRD,
        "{rule: 'self != \"\"'}",
        "{rule: ' '}",
        "properties.steps.items.x-kubernetes-validations[0].rule",
        "has no expression",
    ),
    (
        CRD,
        "{rule: 'self != \"\"'}",
        "{message: none}",
        "properties.steps.items.x-kubernetes-validations[0].rule",
        "has no expression",
    ),
    (
        CRD,
        "{rule: 'self != \"\"'}",
        "{rule: self != oldSelf}",
        "properties.steps.items.x-kubernetes-validations[0].rule",
        "uses oldSelf inside the items of a list",
    ),
    (
        CRD,
        "{rule: 'self != \"\"'}",
        "{rule: self != '', optionalOldSelf: false}",
        "properties.steps.items.x-kubernetes-validations[0].optionalOldSelf",
        "does not use oldSelf",
    ),
    (
        CRD,
        "message: wrong",
        "message: ' '",
        "x-kubernetes-validations[2].message",
        "is blank",
    ),
    (
        CRD,
        "message: wrong",
        "message: \"a\\nb\"",
        "x-kubernetes-validations[2].message",
        "has line breaks",
    ),
    (
        CRD,
        "          message: '\"size\" must not decrease'\n",
        "",
        "x-kubernetes-validations[3].message",
        "has line breaks, but no message",
    ),
    (
        CRD,
        "'\"size: \" + string(self.size)'",
        "' '",
        "x-kubernetes-validations[1].messageExpression",
        "messageExpression of a validation rule is blank",
    ),
    (
        CRD,
        "FieldValueForbidden",
        "Forbidden",
        "x-kubernetes-validations[2].reason",
        "is \"Forbidden\", but the API server knows only FieldValueDuplicate, ",
    ),
    (
        CRD,
        "fieldPath: .labels['x']",
        "fieldPath: .labels[0]",
        "x-kubernetes-validations[2].fieldPath",
        "\".labels[0]\" of a validation rule is not",
    ),
    (
        CRD,
        "fieldPath: .x-prop",
        "fieldPath: x-prop",
        "x-kubernetes-validations[3].fieldPath",
        "is not the path",
    ),
    (
        CRD,
        "fieldPath: .x-prop",
        "fieldPath: .tags.x",
        "x-kubernetes-validations[3].fieldPath",
        "is not the path",
    ),
];

const SERVICES: &[Case] = &[
    (
        SERVICE,
        "{name: https, port: 8443}",
        "{name: https, port: 8443, nodePort: 30443}",
        "spec.ports[0].nodePort",
        "but its type is ClusterIP",
    ),
    (
        SERVICE,
        "name: metrics",
        "name: Cache.metrics",
        "metadata.name",
        "not a valid Service name",
    ),
    (
        SERVICE,
        "{name: https, port: 8443}",
        "{port: 8443}",
        "spec.ports[0].name",
        "without a name",
    ),
    (
        SERVICE,
        "name: https",
        "name: HTTPS",
        "spec.ports[0].name",
        "not a valid port name",
    ),
    (
        SERVICE,
        "name: dns",
        "name: http",
        "spec.ports[2].name",
        "two ports of the Service are named \"http\"",
    ),
    (SERVICE, "port: 8443", "port: 0", "spec.ports[0].port", "port 0 is not"),
    (
        SERVICE,
        "port: 8443",
        "port: 65536",
        "spec.ports[0].port",
        "port 65536 is not",
    ),
    (SERVICE, ", port: 8443", "", "spec.ports[0].port", "no number"),
    (
        SERVICE,
        "port: 8443",
        "port: 8080",
        "spec.ports[1].port",
        "TCP port 8080 twice",
    ),
    (
        SERVICE,
        "selector: {app: op}",
        "type: ExternalName",
        "spec.externalName",
        "has no externalName",
    ),
    (
        CSV,
        "- name: op\n",
        "- name: op_\n",
        "spec.install.spec.deployments[0].name",
        "not a valid Deployment name",
    ),
    (
        CSV,
        "serviceAccountName: namespaced",
        "serviceAccountName: Namespaced",
        "spec.install.spec.permissions[0].serviceAccountName",
        "not a valid ServiceAccount name",
    ),
    (
        CSV,
        "- serviceAccountName: cluster",
        "- serviceAccountName: a/b",
        "spec.install.spec.clusterPermissions[0].serviceAccountName",
        "not a valid ServiceAccount name",
    ),
];

#[test]
fn what_the_api_server_rejects_is_reported_at_its_path() {
    let right = FILES.map(|(path, text)| (path, text.to_owned()));
    assert_eq!(rejected(&right), []);
    let mut wrong = Vec::new();
    for (cases, root) in [
        (WEBHOOKS, ""),
        (SCHEMAS, "spec.versions[0].schema.openAPIV3Schema."),
        (SERVICES, ""),
    ] {
        for (manifest, old, new, path, message) in cases {
            assert_eq!(manifest.matches(old).count(), 1, "{old:?} must occur once");
            let files = FILES.map(|(file, text)| {
                let changed = if text == *manifest {
                    text.replace(old, new)
                } else {
                    text.to_owned()
                };
                (file, changed)
            });
            let found = rejected(&files);
            let path = format!("{root}{path}");
            if !matches!(found.as_slice(), [(at, said)] if *at == path && said.contains(message)) {
                wrong.push(format!("{old:?} -> {new:?} gives {found:?}, not {path}: {message}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn enums_are_compared_with_a_limited_number_of_defaults() {
    let with = |values: usize| {
        let values: Vec<String> = (0..values).map(|number| format!("e{number}")).collect();
        let defaults: Vec<&str> = values.iter().rev().map(String::as_str).chain(["other"]).collect();
        let schema = json!({"type": "array", "items": {"type": "string", "enum": values}, "default": defaults});
        let text = CRD.replace("x-prop: {type: integer}", &format!("x-prop: {schema}"));
        assert_ne!(text, CRD);
        rejected(&[("manifests/things.yaml", text)]).len()
    };
    assert_eq!(with(1_000), 1);
    assert_eq!(with(10_000), 0);
}

#[test]
fn object_names_are_checked_by_the_rules_of_their_kind() {
    let named = |api_version: &str, kind: &str, name: &str| {
        let object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
        rejected(&[("manifests/object.yaml", object.to_string())])
    };
    for (api_version, kind) in [
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "ServiceAccount"),
        ("networking.k8s.io/v1", "NetworkPolicy"),
        ("policy/v1", "PodDisruptionBudget"),
        ("scheduling.k8s.io/v1", "PriorityClass"),
        ("monitoring.coreos.com/v1", "ServiceMonitor"),
        ("console.openshift.io/v1", "ConsoleLink"),
        ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"),
        ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ] {
        assert_eq!(named(api_version, kind, "cache.config-1"), [], "{kind}");
        let message = format!("\"cache_config\" is not a valid {kind} name");
        assert_eq!(
            named(api_version, kind, "cache_config"),
            [("metadata.name".to_owned(), message)]
        );
    }
    for kind in ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"] {
        let named = |name: &str| named("rbac.authorization.k8s.io/v1", kind, name);
        assert_eq!(named("system:Cache_reader"), [], "{kind}");
        for name in ["a/b", "100%", ".", ".."] {
            assert_eq!(named(name).len(), 1, "{kind} {name}");
        }
    }
    // Other kinds have other rules.
    for (api_version, kind) in [("v1", "Namespace"), ("example.com/v1", "ConfigMap")] {
        assert_eq!(named(api_version, kind, "A_b"), [], "{kind}");
    }
}

#[test]
fn defaults_inside_maps_and_in_v1beta1_schemas_are_not_checked() {
    // The API server accepts such defaults inside maps.
    let inside_map = CRD.replace("maxLength: 1}}", "maxLength: 1, default: abc}}");
    let old = CRD.replace("default: fast", "default: quick");
    let old = old.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1");
    for text in [inside_map, old] {
        assert_ne!(text, CRD);
        assert_eq!(rejected(&[("manifests/things.yaml", text)]), []);
    }
}

/// Collects the paths of all values inside a value.
fn paths(value: &Value, path: &Path, all: &mut Vec<Path>) {
    all.push(path.clone());
    match value {
        Value::Object(map) => map.iter().for_each(|(key, item)| paths(item, &path.key(key), all)),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| paths(item, &path.index(index), all));
        }
        _ => {}
    }
}

/// Replaces the value at the path.
fn put(value: &mut Value, steps: &[Step], new: &Value) {
    match steps {
        [] => *value = new.clone(),
        [Step::Key(key), rest @ ..] => put(&mut value[&**key], rest, new),
        [Step::Index(index), rest @ ..] => put(&mut value[index], rest, new),
    }
}

#[test]
fn values_of_other_types_do_not_stop_the_checks() {
    let others = [
        json!(null),
        json!(-7),
        json!(1e300),
        json!(u64::MAX),
        json!("\u{fc}(*'\\"),
        json!([[7, null], "x"]),
        json!({"kind": [7]}),
    ];
    for (file, text) in FILES {
        let documents = opmx::text::read(file, text.as_bytes(), &Limits::default()).documents;
        let value = documents[0].value();
        let mut all = Vec::new();
        paths(value, &Path::root(), &mut all);
        assert!(all.len() > 15, "{file} has {} values", all.len());
        for path in &all {
            for other in &others {
                let mut changed = value.clone();
                put(&mut changed, path.steps(), other);
                findings(&[(file, changed.to_string())]);
            }
        }
    }
}

#[test]
fn webhook_definitions_that_olm_refuses_are_reported_at_their_rule() {
    let definitions = |groups: &str, resources: &str| {
        let rule =
            "apiGroups: [example.com]\n      apiVersions: [v1]\n      operations: [CREATE]\n      resources: [things]";
        let other = format!(
            "apiGroups: [{groups}]\n      apiVersions: [v1]\n      operations: [CREATE]\n      resources: [{resources}]"
        );
        let csv = CSV.replace(rule, &other);
        assert_ne!(csv, CSV);
        let manifests = [("manifests/op.clusterserviceversion.yaml", csv)];
        let mut found = findings(&manifests);
        found.retain(|finding| finding.rule.id == "webhook-rules");
        let shown = found
            .into_iter()
            .map(|finding| (finding.path.unwrap_or_default(), finding.message));
        shown.collect::<Vec<_>>()
    };
    assert_eq!(definitions("apps", "deployments"), []);
    assert_eq!(
        definitions("admissionregistration.k8s.io", "validatingadmissionpolicies"),
        []
    );
    for (groups, resources, reason) in [
        ("'*'", "things", "it intercepts all API groups"),
        (
            "Operators.CoreOS.com",
            "subscriptions",
            "it intercepts OLM's own API group",
        ),
        (
            "admissionregistration.k8s.io",
            "validatingwebhookconfigurations",
            "it intercepts webhook configurations",
        ),
    ] {
        let message = format!("OLM refuses webhook things.example.com, because {reason}");
        let path = "spec.webhookdefinitions[0].rules[0]".to_owned();
        assert_eq!(definitions(groups, resources), [(path, message)], "{groups}");
    }
}

#[test]
fn webhook_definitions_with_the_same_name_are_reported_whatever_their_types() {
    let repeated = CSV.replace("conversion.example.com", "things.example.com");
    assert_ne!(repeated, CSV);
    let reported = |csv: &str| {
        let mut found = findings(&[("manifests/op.clusterserviceversion.yaml", csv.to_owned())]);
        found.retain(|finding| finding.rule.id == "webhook-duplicate");
        let shown = found.into_iter();
        let shown = shown.map(|finding| (finding.path.unwrap_or_default(), finding.message));
        shown.collect::<Vec<_>>()
    };
    assert_eq!(reported(CSV), []);
    let message = "OLM refuses webhook things.example.com, because another webhook has the same name".to_owned();
    let path = "spec.webhookdefinitions[1].generateName".to_owned();
    assert_eq!(reported(&repeated), [(path, message)]);
}
