//! Rules about a bundle, on small inputs that break them and on the nearest ones that do not, if there is more than one
//! way to break them. Another test checks that every rule has an example.

mod cases;
mod decisions;
mod parts;
mod plain;
mod proposals;
mod whole;

use cases::{Case, all};
use opmx::bundle;
use opmx::diagnostic::Diagnostic;
use opmx::rules::{self, Severity};
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation;
use parts::Files;
use std::collections::BTreeSet;

/// Rules about something that is absent as a whole, so that there is no place to point at.
const WITHOUT_PLACE: [&str; 7] = [
    "ann-file-missing",
    "format-manifests-dir",
    "format-metadata-dir",
    "index-no-csv",
    "index-no-objects",
    "k8s-deployment-missing",
    "k8s-olm-yaml-missing",
];

/// The codes of the synthesis, and the rules that report them.
const CODES: &[(&str, &[&str])] = &[
    ("E-NO-OLM", &["k8s-olm-yaml-missing"]),
    ("E-OLM-FIELD", &["olm-required"]),
    ("E-OLM-TYPE", &["olm-type", "olm-version"]),
    (
        "E-YAML",
        &["yaml-duplicate-key", "olm-misindented", "olm-extra-document"],
    ),
    ("E-ICON", &["olm-icon", "olm-icon-file"]),
    ("E-OVERLAY", &["olm-overlay-unmatched"]),
    ("E-HAS-CSV", &["k8s-media-type-ambiguous"]),
    ("E-DUPLICATE", &["object-duplicate"]),
    ("E-OLD-API", &["k8s-old-api"]),
    ("E-NAMESPACES", &["k8s-namespaces"]),
    ("E-UNSUPPORTED-KIND", &["k8s-kind-unsupported"]),
    ("E-CUSTOM-RESOURCE", &["k8s-custom-resource"]),
    ("E-NO-DEPLOYMENT", &["k8s-deployment-missing"]),
    ("E-DUP-DEPLOYMENT", &["deployment-duplicate"]),
    ("E-SELECTOR", &["deployment-selector"]),
    ("E-WILDCARD", &["rbac-wildcard", "rbac-group-subject"]),
    ("E-UNRESOLVED", &["rbac-kind-unknown"]),
    ("E-ROLEREF", &["rbac-role-ref"]),
    ("E-CRD-NAME", &["crd-name"]),
    ("E-CRD-NOT-SERVED", &["crd-not-served"]),
    ("E-APISERVICE-LOCAL", &["apiservice-local"]),
    ("E-APISERVICE-SERVICE", &["apiservice-service-missing"]),
    ("E-APISERVICE-NOKIND", &["apiservice-kind-missing"]),
    ("E-SERVICE-NO-DEPLOYMENT", &["service-selector"]),
    ("E-SERVICE-AMBIGUOUS", &["service-selector"]),
    ("E-SERVICE-PORT", &["service-port"]),
    ("E-SERVICE-CLASH", &["service-name-clash"]),
    ("E-PORT-NAME", &["service-port-name"]),
    ("E-WEBHOOK-URL", &["webhook-url"]),
    ("E-WEBHOOK-SERVICE", &["webhook-service-missing"]),
    ("E-WEBHOOK-RULES", &["webhook-rules"]),
    ("E-WEBHOOK-DUP", &["webhook-duplicate"]),
    ("E-MATCH-CONDITIONS", &["webhook-match-conditions"]),
    ("E-CONVERSION-MODES", &["webhook-conversion-modes"]),
    ("E-CONVERSION-PRESERVE", &["webhook-conversion-preserve"]),
    ("W-PARTIAL-BINDING", &["rbac-partial-binding"]),
    ("W-ROLE-NOT-IN-BUNDLE", &["rbac-role-missing"]),
    ("W-OTHER-NAMESPACE", &["rbac-other-namespace"]),
    ("W-SUBJECT-FORM", &["rbac-subject-form"]),
    ("W-KEPT-SUBJECT-NAMESPACE", &["rbac-kept-subject-namespace"]),
    ("W-AGGREGATED", &["rbac-aggregated"]),
    ("W-AGGREGATED-RULES", &["rbac-aggregated-rules"]),
    ("W-SA-FIELDS", &["serviceaccount-fields"]),
    ("W-OPTIONAL-VALUE", &["rbac-optional-annotation"]),
    ("W-OPENSHIFT-REQUIRED", &["rbac-openshift-required"]),
    ("W-UNKNOWN-RESOURCE", &["rbac-unknown-resource"]),
    ("W-SUBRESOURCE-WILDCARD", &["rbac-subresource-wildcard"]),
    ("W-NONRESOURCE-NAMESPACED", &["rbac-nonresource-namespaced"]),
    ("W-CERT-SECRET", &["cert-secret-missing"]),
    ("W-APISERVICE-INSECURE", &["apiservice-insecure"]),
    ("W-NAMESPACE-SELECTOR", &["webhook-namespace-selector"]),
    ("W-SERVICE-KEPT", &["service-kept"]),
    ("W-CONVERSION-NOSVC", &["webhook-conversion-service-missing"]),
    ("W-DOT-NAME", &["deployment-dot-name"]),
    ("W-DEPLOYMENT-ANNOTATIONS", &["deployment-annotations"]),
    ("W-V1BETA1-CRD", &["crd-v1beta1"]),
    ("W-OLD-API", &["k8s-old-api"]),
    ("W-OLM-UNKNOWN", &["olm-unknown-key"]),
    ("I-DUPLICATE", &["k8s-duplicate-copy"]),
    ("I-NAMESPACE", &["k8s-namespace-dropped"]),
    ("I-CERT-MANAGER", &["k8s-cert-manager-dropped"]),
    ("I-CA", &["webhook-cabundle"]),
    ("I-GENERATED-BINDING", &["rbac-generated-binding"]),
    ("I-NONRESOURCE", &["rbac-nonresource"]),
    ("I-OLM-API", &["rbac-olm-api"]),
    ("I-WATCH-NAMESPACE", &["deployment-watch-namespace"]),
    ("I-APISERVICE-FIELDS", &["apiservice-fields"]),
];

fn tree(files: &Files) -> Tree {
    let mut tree = Tree::new("bundle");
    for (path, content) in files {
        let content = content.clone().into_bytes();
        tree.insert(path, content, &TreeLimits::default()).unwrap();
    }
    tree
}

/// Returns everything that is found about a bundle of these files before it becomes an image.
fn findings(files: &Files) -> Vec<Diagnostic> {
    validation::check_reading(&bundle::read(&tree(files), &Limits::default()))
}

/// Returns everything that `bundle validate` reports about it.
fn validated(files: &Files) -> Vec<Diagnostic> {
    let validation = validation::validate(&tree(files), &validation::Request::default());
    validation
        .findings
        .into_iter()
        .map(|finding| finding.diagnostic)
        .collect()
}

fn list(findings: &[Diagnostic]) -> String {
    let lines: Vec<String> = findings.iter().map(|finding| format!("\n    {finding}")).collect();
    lines.concat()
}

fn errors(findings: &[Diagnostic]) -> BTreeSet<&'static str> {
    let errors = findings.iter().filter(|finding| finding.is_error());
    errors.map(|finding| finding.rule.id).collect()
}

#[test]
fn each_rule_reports_its_minimal_wrong_input_and_not_the_right_one() {
    let cases = all();
    let problems = problems(&cases, findings);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(cases.len() > 120, "{} cases", cases.len());
}

#[test]
fn each_whole_bundle_rule_reports_its_wrong_input_and_not_the_right_one() {
    let cases = whole::all();
    let problems = problems(&cases, validated);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn problems(cases: &[Case], findings: impl Fn(&Files) -> Vec<Diagnostic>) -> Vec<String> {
    let mut problems = Vec::new();
    for case in cases {
        let rule = rules::by_id(case.rule).unwrap_or_else(|| panic!("{} is no rule", case.rule));
        let wrong = findings(&case.wrong);
        let found: Vec<_> = wrong.iter().filter(|finding| finding.rule == rule).collect();
        let mut expected: BTreeSet<&str> = case.also.iter().copied().collect();
        if case.severity.unwrap_or(rule.severity) == Severity::Error {
            expected.insert(case.rule);
        }
        let name = format!("{} ({})", case.rule, case.about);
        if found.len() != 1 {
            problems.push(format!("{name}: {} findings{}", found.len(), list(&wrong)));
            continue;
        }
        if found[0].severity != case.severity.unwrap_or(rule.severity) {
            problems.push(format!("{name}: is {}", found[0].severity));
        }
        if errors(&wrong) != expected {
            problems.push(format!("{name}: the errors are not {expected:?}{}", list(&wrong)));
        }
        match &found[0].place {
            Some(place) if !place.source.name().starts_with("bundle/") => {
                problems.push(format!("{name}: points into {}", place.source.name()));
            }
            None if !WITHOUT_PLACE.contains(&case.rule) => problems.push(format!("{name}: has no place")),
            _ => {}
        }
        if found[0].advice().is_empty() || found[0].message.ends_with('.') {
            problems.push(format!("{name}: its sentence or its advice is no good: {}", found[0]));
        }
        let right = findings(&case.right);
        if right.iter().any(|finding| finding.rule == rule) || !errors(&right).is_empty() {
            problems.push(format!("{name}: the right input is refused{}", list(&right)));
        }
    }
    problems
}

#[test]
fn findings_are_unique_and_in_source_order() {
    for case in all() {
        let findings = findings(&case.wrong);
        let keys: Vec<_> = findings
            .iter()
            .map(|finding| {
                let place = finding.place.as_ref();
                let file = place.map_or("", |place| place.source.name());
                (file, place.map_or(0, |place| place.span.start))
            })
            .collect();
        assert!(keys.is_sorted(), "{}: {}", case.rule, list(&findings));
        let mut seen = BTreeSet::new();
        for finding in &findings {
            assert!(
                seen.insert(finding.to_string()),
                "{}: {finding} appears twice",
                case.rule
            );
        }
    }
}

#[test]
fn every_synthesis_code_maps_to_a_rule_with_a_case() {
    let covered: BTreeSet<&str> = all().iter().map(|case| case.rule).collect();
    for (code, rules) in CODES {
        for rule in *rules {
            assert!(covered.contains(rule), "{code} is {rule}, which has no case");
        }
        let letter = match rules::by_id(rules[0]).unwrap().severity {
            Severity::Error => "E",
            Severity::Warning => "W",
            Severity::Info => "I",
        };
        let same = code.starts_with(letter) || *code == "W-OLD-API";
        assert!(same, "{code} and {} weigh differently", rules[0]);
    }
}
