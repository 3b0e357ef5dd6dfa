//! Complete verdicts on bundles: those of opm and of the API library on request, and otherwise our own, which differs
//! from theirs only in listed ways.

use crate::crd_fields::CRD_FIELDS;
use crate::validate::{cases, name_of};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::{Reference, Request, Validation, suites, validate};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The rules for findings of opm, by a part of their text. The first match wins.
const OPM: &[(&str, &str)] = &[
    ("Missing annotation", "ann-key-missing"),
    (
        "bundle.channel.default.v1\" to have non-empty value",
        "ann-default-channel-empty",
    ),
    ("bundle.channels.v1\" to have non-empty value", "ann-channels-empty"),
    ("to have value", "ann-mediatype-mismatch"),
    ("The CEL field is missing", "dep-cel-missing"),
    ("Invalid CEL expression", "dep-cel-invalid"),
    ("API Group is empty", "dep-gvk-group-empty"),
    ("Label information is missing", "dep-label-empty"),
    ("Invalid semver format version", "dep-package-version-format"),
    ("Package version is empty", "dep-package-version-empty"),
    ("couldn't parse dependency of type olm.foo", "dep-type-unknown"),
    ("couldn't parse dependency of type", "dep-value-shape"),
    ("error validating object metadata", "content-metadata"),
    (
        "is not supported type for registryV1 bundle",
        "content-kind-unsupported",
    ),
    ("error getting bundle CSV version", "index-version-shape"),
    ("owned CRD", "opm-owned-crd-absent"),
    ("Field spec.preserveUnknownFields", "crd-preserve-unknown-fields"),
    ("Field metadata.annotations[api-approved", "crd-api-approved"),
    ("Field metadata.name", "crd-name"),
    ("Field spec.scope", "crd-scope"),
    ("Field spec.versions", "crd-storage-count"),
    ("Field spec.additionalPrinterColumns", "crd-printer-column"),
    ("Field spec.subresources.scale", "crd-scale-path"),
    (
        "Field spec.conversion.conversionReviewVersions",
        "crd-conversion-review-versions",
    ),
    ("Field spec.conversion.webhookClientConfig", "crd-conversion-client"),
    ("uses wrong case", "csv-annotation-case"),
    (
        "only AllNamespaces InstallModeType",
        "csv-conversion-allnamespaces-only",
    ),
    ("required field missing", "csv-required-field"),
    ("invalid example", "csv-examples-json"),
    ("invalid character at", "csv-examples-json"),
    ("error decoding example", "csv-examples-json"),
    ("example must have a provided API", "csv-example-without-provided-api"),
    (
        "none of InstallModeTypes are supported",
        "csv-installmodes-none-supported",
    ),
    ("install modes not found", "csv-installmodes-missing"),
    ("MinKubeVersion has an invalid value", "csv-minkubeversion-format"),
    ("metadata.name \"", "csv-name-format"),
    ("spec.replaces \"", "csv-replaces-format"),
    ("couldn't parse plural.group", "csv-owned-crd-name-shape"),
    ("cannot restore slice from string", "content-csv-shape"),
    ("found in major number", "content-csv-shape"),
    (
        "cannot unmarshal number into Go value of type string",
        "content-csv-shape",
    ),
];

fn json(case: &Path, file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(case.join(file)).unwrap()).unwrap()
}

fn judge(case: &Path, reference: Option<Reference>) -> Validation {
    let tree = Tree::from_directory(&case.join("bundle"), &TreeLimits::default()).unwrap();
    let request = Request {
        reference,
        validators: suites::validators_of("all").unwrap(),
        ..Request::default()
    };
    validate(&tree, &request)
}

/// The findings of opm about a bundle: stage and rule, with their number.
fn opm(case: &Path) -> BTreeMap<(&'static str, &'static str), usize> {
    let mut counts = BTreeMap::new();
    for finding in json(case, "opm.json")["opm"].as_array().unwrap() {
        let stage = match finding["stage"].as_str().unwrap() {
            "opm-format" => "format",
            "opm-content" => "content",
            _ => continue,
        };
        let detail = finding["detail"].as_str().unwrap();
        let rule = OPM.iter().find(|(part, _)| detail.contains(part));
        let (_, rule) = rule.unwrap_or_else(|| panic!("{}: {detail}", name_of(case)));
        *counts.entry((stage, *rule)).or_default() += 1;
    }
    counts
}

#[test]
fn the_verdict_of_opm_is_reproduced() {
    let Some(cases) = cases("opm.json") else { return };
    let (mut findings, mut differences) = (0, Vec::new());
    for case in &cases {
        let mut found = BTreeMap::new();
        for finding in judge(case, Some(Reference::Opm)).findings {
            if let Some(stage @ ("format" | "content")) = finding.validator {
                *found.entry((stage, finding.diagnostic.rule.id)).or_default() += 1;
            }
        }
        let recorded = opm(case);
        findings += recorded.values().sum::<usize>();
        if found != recorded {
            differences.push(format!("{}: {found:?}, and opm {recorded:?}", name_of(case)));
        }
    }
    println!(
        "opm: {} cases, {findings} findings agree",
        cases.len() - differences.len()
    );
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(cases.len() > 150 && findings > 100);
}

#[test]
fn the_verdict_of_the_api_library_is_reproduced() {
    let Some(cases) = cases("opm.json") else { return };
    let (mut refused, mut differences) = (0, Vec::new());
    for case in &cases {
        let found = judge(case, Some(Reference::Api));
        let unloaded = found.findings.iter().any(|finding| finding.validator == Some("load"));
        let load_error = !json(case, "opm.json")["load_error"].as_str().unwrap().is_empty();
        let expected = json(case, "expected.json");
        let fails = expected
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["level"] == "Error");
        refused += usize::from(fails || load_error);
        if unloaded != load_error || found.has_errors() != (fails || load_error) {
            differences.push(name_of(case));
        }
    }
    println!(
        "the library: {} cases agree, of which it refuses {refused}",
        cases.len() - differences.len()
    );
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Rules that only opmx reports (`+`) or omits (`-`), with the number of bundles and the reason.
const OURS: &[(char, &str, usize, &str)] = &[
    (
        '+',
        "ann-default-channel-unknown",
        7,
        "a default channel outside the channels is a warning",
    ),
    ('+', "ann-manifests-path", 1, "the folder is compared"),
    ('+', "ann-package-empty", 1, "an empty package is refused"),
    ('+', "crd-schema-missing", 1, "it fails on the cluster"),
    ('+', "crd-schema-type", 1, "it fails on the cluster"),
    ('+', "csv-installmodes-duplicate", 1, "a mode listed twice is seen"),
    ('+', "csv-installmodes-unknown", 1, "an unknown mode is seen"),
    (
        '+',
        "csv-owned-group-key",
        2,
        "a group that contradicts the name is a warning",
    ),
    (
        '+',
        "index-version-missing",
        1,
        "no range and no semver index holds a bundle without a version",
    ),
    (
        '+',
        "csv-resource-field",
        3,
        "what is not said about a resource is written as empty",
    ),
    ('+', "gp-resource-requests", 1, "cpu and memory are both asked for"),
    ('+', "hub-icon-missing", 1, "an empty list of icons is none"),
    (
        '+',
        "index-csv-version-semver",
        1,
        "an index takes strict versions only",
    ),
    (
        '+',
        "index-version-missing",
        1,
        "a bundle without a version is in no range",
    ),
    ('+', "k8s-media-type-mismatch", 1, "the media type is known here"),
    (
        '+',
        "obj-rbac-pdb-write",
        5,
        "permissions of the CSV are looked at, too",
    ),
    (
        '+',
        "object-field-missing",
        1,
        "an object without a name is said by reading",
    ),
    (
        '+',
        "object-field-unknown",
        7,
        "fields that the API server drops, in schemas, in Deployments of the CSV and in the CSV itself",
    ),
    ('+', "opt-no-match", 1, "an optional manifest that is not there"),
    ('+', "prop-files", 1, "two files with properties"),
    (
        '+',
        "related-image-missing",
        1,
        "an image in an argument that no container has",
    ),
    (
        '+',
        "yaml-extra-document",
        1,
        "further documents are lost, which is a warning",
    ),
    (
        '-',
        "ann-mediatype-mismatch",
        2,
        "said once, as a missing key or as the known media type",
    ),
    (
        '-',
        "content-metadata",
        1,
        "an object without a name is said by reading",
    ),
    (
        '-',
        "crd-preserve-unknown-fields",
        12,
        "only an explicit true counts; the old version is removed-api-1.22",
    ),
    ('-', "dep-cel-missing", 1, "a compound constraint is a constraint"),
    ('-', "hub-minkubeversion-format", 2, "said once, by csv"),
    ('-', "hub-minkubeversion-missing", 23, "said once, by csv"),
    ('-', "hub-v1-deprecated", 153, "the deprecated validator does not run"),
    (
        '-',
        "index-version-shape",
        1,
        "said once, as what does not fit the type",
    ),
    (
        '-',
        "obj-pdb-maxunavailable-zero",
        1,
        "other percentages than 0 are fine",
    ),
    (
        '-',
        "opm-owned-crd-absent",
        10,
        "said once, by bundle, and an entry with a group is fine",
    ),
    ('-', "removed-api-minkube-unparsable", 1, "said once, as missing"),
    (
        '+',
        "rbac-group-version",
        2,
        "a group with a version, so the rule grants nothing",
    ),
];

#[test]
fn the_default_verdict_differs_only_in_known_ways() {
    let Some(cases) = cases("opm.json") else { return };
    let mut found: BTreeMap<(char, String), BTreeSet<String>> = BTreeMap::new();
    let mut agreed = 0;
    for case in &cases {
        let ours: BTreeSet<String> = judge(case, None)
            .findings
            .iter()
            .map(|finding| finding.diagnostic.rule.id.to_owned())
            .collect();
        let mut theirs: BTreeSet<String> = opm(case).into_keys().map(|(_, rule)| rule.to_owned()).collect();
        for finding in json(case, "expected.json").as_array().unwrap() {
            let rule = finding["rule"].as_str().unwrap();
            let rule = match rule.strip_prefix("crd-k8s:") {
                Some(field) => CRD_FIELDS.iter().find(|(known, _)| *known == field).unwrap().1,
                None => rule,
            };
            theirs.insert(rule.to_owned());
        }
        agreed += ours.intersection(&theirs).count();
        for rule in ours.difference(&theirs) {
            found.entry(('+', rule.clone())).or_default().insert(name_of(case));
        }
        for rule in theirs.difference(&ours) {
            found.entry(('-', rule.clone())).or_default().insert(name_of(case));
        }
    }
    println!("ours: {} cases, {agreed} rules agree", cases.len());
    let counted: BTreeMap<(char, &str), usize> = found
        .iter()
        .map(|((sign, rule), cases)| ((*sign, rule.as_str()), cases.len()))
        .collect();
    let expected: BTreeMap<(char, &str), usize> = OURS
        .iter()
        .map(|(sign, rule, count, why)| {
            assert!(why.len() > 10, "{rule} has no reason");
            ((*sign, *rule), *count)
        })
        .collect();
    let surprises: Vec<String> = found
        .iter()
        .filter(|(key, cases)| expected.get(&(key.0, key.1.as_str())) != Some(&cases.len()))
        .map(|(key, cases)| format!("{}{} in {}: {cases:?}", key.0, key.1, cases.len()))
        .collect();
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
    assert_eq!(counted, expected);
}
