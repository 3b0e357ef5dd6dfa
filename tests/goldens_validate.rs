//! The validators of bundles, against what the original ones said about real bundles and about small changes of one.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic, and says what it compared"
)]

mod shared;

use opmx::bundle;
use opmx::diagnostic::Diagnostic;
use opmx::rules::Severity;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::validators::{Input, Options, VALIDATORS, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Validator, severity and rule, and how often it is said.
type Findings = BTreeMap<(String, Severity, String), usize>;

/// What the recorded findings about CRDs call by the field is a rule here.
const CRD_FIELDS: &[(&str, &str)] = &[
    ("metadata.name", "crd-name"),
    ("spec.scope", "crd-scope"),
    ("spec.versions", "crd-storage-count"),
    ("spec.additionalPrinterColumns[].JSONPath", "crd-printer-column"),
    ("spec.additionalPrinterColumns[].type", "crd-printer-column"),
    ("spec.subresources.scale.specReplicasPath", "crd-scale-path"),
    ("spec.conversion.webhookClientConfig", "crd-conversion-client"),
    (
        "spec.conversion.conversionReviewVersions",
        "crd-conversion-review-versions",
    ),
];

fn names() -> Vec<&'static str> {
    VALIDATORS.iter().map(|validator| validator.name).collect()
}

fn found(folder: &Path, names: &[&str], reference: bool) -> Vec<(&'static str, Diagnostic)> {
    let files = Tree::from_directory(folder, &TreeLimits::default()).unwrap();
    let reading = bundle::read(&files, &Limits::default());
    let Some(bundle) = reading.bundle else {
        return Vec::new();
    };
    let options = Options {
        reference,
        ..Options::default()
    };
    let input = Input {
        bundle: &bundle,
        files: &files,
        options: &options,
    };
    run(&input, names)
}

fn counted(found: &[(&'static str, Diagnostic)]) -> Findings {
    found.iter().fold(Findings::new(), |mut counts, (validator, finding)| {
        let key = ((*validator).to_owned(), finding.severity, finding.rule.id.to_owned());
        *counts.entry(key).or_default() += 1;
        counts
    })
}

fn recorded(case: &Path) -> Findings {
    let expected: Vec<Value> = serde_json::from_slice(&std::fs::read(case.join("expected.json")).unwrap()).unwrap();
    expected.iter().fold(Findings::new(), |mut counts, finding| {
        let text = |key: &str| finding[key].as_str().unwrap();
        let severity = match text("level") {
            "Error" => Severity::Error,
            "Warning" => Severity::Warning,
            other => panic!("{other}"),
        };
        let rule = match text("rule").strip_prefix("crd-k8s:") {
            Some(field) => CRD_FIELDS.iter().find(|(known, _)| *known == field).unwrap().1,
            None => text("rule"),
        };
        let key = (text("validator").to_owned(), severity, rule.to_owned());
        *counts.entry(key).or_default() += 1;
        counts
    })
}

/// The recorded bundles: the real ones and the changed one, sorted.
fn cases() -> Option<Vec<PathBuf>> {
    let folder = shared::folder("goldens/validate")?;
    let mut cases: Vec<PathBuf> = [folder.clone(), folder.join("mutants")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expected.json").is_file())
        .collect();
    cases.sort();
    Some(cases)
}

/// Bundles that the original could not read, so that no validator ran; reading them is judged elsewhere.
fn is_unreadable(case: &Path) -> bool {
    let opm: Value = serde_json::from_slice(&std::fs::read(case.join("opm.json")).unwrap()).unwrap();
    let error = opm["load_error"].as_str();
    error.is_some_and(|error| !error.is_empty()) && recorded(case).is_empty()
}

fn name_of(case: &Path) -> String {
    case.file_name().unwrap().to_string_lossy().into_owned()
}

/// What is in `left` and not in `right`, with how often.
fn beyond<'a>(
    left: &'a Findings,
    right: &'a Findings,
) -> impl Iterator<Item = (&'a (String, Severity, String), usize)> {
    left.iter().filter_map(|(key, count)| {
        let more = count.saturating_sub(right.get(key).copied().unwrap_or(0));
        (more > 0).then_some((key, more))
    })
}

#[test]
fn the_original_verdict_is_given_where_it_is_wanted() {
    let Some(cases) = cases() else {
        return;
    };
    let (mut agreed, mut unreadable, mut findings) = (0, 0, 0);
    let mut differences = Vec::new();
    for case in &cases {
        if is_unreadable(case) {
            unreadable += 1;
            continue;
        }
        let (found, recorded) = (counted(&found(&case.join("bundle"), &names(), true)), recorded(case));
        findings += recorded.values().sum::<usize>();
        if found == recorded {
            agreed += 1;
        }
        let (more, less) = (beyond(&found, &recorded), beyond(&recorded, &found));
        differences.extend(more.map(|(key, count)| format!("{}: {count} too many of {key:?}", name_of(case))));
        differences.extend(less.map(|(key, count)| format!("{}: {count} too few of {key:?}", name_of(case))));
    }
    println!(
        "{agreed} of {} bundles agree, {findings} findings; {unreadable} could not be read by the original",
        cases.len()
    );
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
