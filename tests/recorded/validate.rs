//! The validators of bundles, compared with the findings of the original ones about published bundles and about small
//! changes of one.

use crate::crd_fields::CRD_FIELDS;
use opmx::bundle;
use opmx::diagnostic::Diagnostic;
use opmx::rules::Severity;
use opmx::source::Place;
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::validators::{DEFAULT, Input, VALIDATORS, ValidatorName, ValidatorOptions, run};
use opmx::validation::{Request, suites, validate};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Validator, severity and rule, with the number of findings.
type Findings = BTreeMap<(String, Severity, String), usize>;

/// Cases in which the original is wrong and opmx judges differently, with the reason.
/// Findings that opmx reports instead of, or in addition to, those of the original:
const ADDED: &[(&str, &str, &str)] = &[
    ("crd", "crd-schema-type", "a cluster rejects a type that is none"),
    (
        "csv",
        "csv-owned-group-key",
        "the original does not see that group and name disagree",
    ),
    (
        "crd",
        "crd-schema-missing",
        "a cluster rejects a version without a schema",
    ),
    (
        "crd",
        "crd-scale-path",
        "a cluster rejects a wrong path of the replicas in the status",
    ),
    (
        "csv",
        "csv-installmodes-duplicate",
        "the original forgets what it has seen",
    ),
    ("csv", "csv-installmodes-unknown", "OLM knows four install modes"),
    (
        "csv",
        "csv-resource-field",
        "OLM writes what is not said about a resource as empty",
    ),
    (
        "good-practices",
        "gp-resource-requests",
        "cpu alone, or memory alone, is not both",
    ),
    (
        "object",
        "obj-rbac-pdb-write",
        "the permissions of the CSV are permissions, too",
    ),
    (
        "operatorhubv2",
        "hub-icon-missing",
        "the original comes to grief on an empty list",
    ),
    (
        "operatorhub",
        "hub-v1-deprecated",
        "the original comes to grief on an empty list of icons",
    ),
];
/// Findings that opmx does not report:
const DROPPED: &[(&str, &str, &str)] = &[
    (
        "crd",
        "crd-preserve-unknown-fields",
        "v1beta1 CRDs that say nothing were right in their time",
    ),
    ("object", "obj-pdb-maxunavailable-zero", "a percentage is not zero"),
    ("community", "community-maxopenshift-missing", "said once, as an error"),
    (
        "alpha-deprecated-apis",
        "removed-api-minkube-unparsable",
        "said once, by csv",
    ),
    (
        "alpha-deprecated-apis",
        "removed-api-1.22",
        "said once, by operatorhubv2",
    ),
    (
        "alpha-deprecated-apis",
        "removed-api-1.25",
        "said once, by operatorhubv2",
    ),
    (
        "alpha-deprecated-apis",
        "removed-api-1.26",
        "said once, by operatorhubv2",
    ),
    ("operatorhubv2", "hub-minkubeversion-missing", "said once, by csv"),
    ("operatorhubv2", "hub-minkubeversion-format", "said once, by csv"),
    ("operatorhubv2", "removed-api-minkube-unparsable", "said once, by csv"),
];
/// The first version of a validator repeats the findings of its successors, except that it is the first version.
const REPEATS: &str = "operatorhub";

fn names() -> Vec<ValidatorName> {
    VALIDATORS.iter().map(|validator| validator.name).collect()
}

fn found(folder: &Path, names: &[ValidatorName], reference: bool) -> Vec<(&'static str, Diagnostic)> {
    let files = Tree::from_directory(folder, &TreeLimits::default()).unwrap();
    let reading = bundle::read(&files, &Limits::default());
    let Some(bundle) = reading.bundle else {
        return Vec::new();
    };
    let options = ValidatorOptions {
        reference,
        ..ValidatorOptions::default()
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

/// The recorded bundles with this file, both published ones and small changes of one, sorted.
pub(crate) fn cases(file: &str) -> Option<Vec<PathBuf>> {
    let folder = crate::shared::folder("goldens/validate")?;
    let mut cases: Vec<PathBuf> = [folder.clone(), folder.join("mutants")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join(file).is_file())
        .collect();
    cases.sort();
    Some(cases)
}

/// Bundles that the original could not read, so that no validator ran; reading them is tested elsewhere.
fn is_unreadable(case: &Path) -> bool {
    let opm: Value = serde_json::from_slice(&std::fs::read(case.join("opm.json")).unwrap()).unwrap();
    let error = opm["load_error"].as_str();
    error.is_some_and(|error| !error.is_empty()) && recorded(case).is_empty()
}

pub(crate) fn name_of(case: &Path) -> String {
    case.file_name().unwrap().to_string_lossy().into_owned()
}

/// The elements of `left` that are not in `right`, with their number.
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
fn the_verdict_of_the_original_is_given_on_request() {
    let Some(cases) = cases("expected.json") else {
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

#[test]
fn every_different_verdict_has_a_reason() {
    let Some(cases) = cases("expected.json") else {
        return;
    };
    let mut differences = Vec::new();
    let mut used = BTreeSet::new();
    let mut explained = 0;
    for case in cases.iter().filter(|case| !is_unreadable(case)) {
        let (found, recorded) = (counted(&found(&case.join("bundle"), &names(), false)), recorded(case));
        let mut explain = |table: &'static [(&str, &str, &str)], key: &(String, Severity, String), what: &str| {
            let (validator, _, rule) = key;
            match table.iter().find(|(of, id, _)| of == validator && id == rule) {
                Some(row) => {
                    used.insert(*row);
                    explained += 1;
                }
                None if what == "less" && validator == REPEATS && rule != "hub-v1-deprecated" => explained += 1,
                None => differences.push(format!("{}: {what} {key:?}", name_of(case))),
            }
        };
        beyond(&found, &recorded).for_each(|(key, _)| explain(ADDED, key, "more"));
        beyond(&recorded, &found).for_each(|(key, _)| explain(DROPPED, key, "less"));
    }
    println!("{explained} differences, each for one of {} reasons", used.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let idle: Vec<_> = ADDED.iter().chain(DROPPED).filter(|row| !used.contains(*row)).collect();
    assert!(idle.is_empty(), "nothing shows these anymore: {idle:#?}");
}

/// Errors in bundles that a catalog once accepted, and why they are errors nevertheless.
const ACCEPTED_THEN: &[(&str, &str)] = &[
    // The original reports it, too; it did not look yet when version 0.1.1 was published.
    ("node-healthcheck-operator", "bundle-serviceaccount-clash"),
];

#[test]
fn published_bundles_pass_the_default_validators() {
    let Some(folder) = crate::shared::folder("corpus/registryv1") else {
        return;
    };
    let mut bundles = 0;
    let mut errors = BTreeMap::<(String, String), Vec<String>>::new();
    for operator in folders(&folder) {
        for version in folders(&operator) {
            bundles += 1;
            let everything = found(&version, &names(), false);
            assert_eq!(counted(&everything), counted(&found(&version, &names(), false)));
            for (validator, finding) in found(&version, DEFAULT, false) {
                assert!(
                    finding.place.is_some() || finding.rule.id.starts_with("bundle-size"),
                    "{finding}"
                );
                if finding.is_error() {
                    let name = format!("{} {}", name_of(&operator), name_of(&version));
                    let key = (name_of(&operator), finding.rule.id.to_owned());
                    errors
                        .entry(key)
                        .or_default()
                        .push(format!("{name}: {validator}: {finding}"));
                }
            }
        }
    }
    let unexplained: Vec<&String> = errors
        .iter()
        .filter(|((operator, rule), _)| !ACCEPTED_THEN.contains(&(operator, rule)))
        .flat_map(|(_, findings)| findings)
        .collect();
    println!(
        "{bundles} bundles, {} kinds of errors that have a reason",
        ACCEPTED_THEN.len()
    );
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    for (operator, rule) in ACCEPTED_THEN {
        assert!(
            errors.contains_key(&((*operator).to_owned(), (*rule).to_owned())),
            "{operator}: {rule}"
        );
    }
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The ranges of bytes in which the lines of a changed text differ from the original: new lines without their common
/// prefix and suffix with the old ones, or an empty range if lines were only removed.
fn hunks(before: &str, after: &str) -> Vec<Range<usize>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        before.split_inclusive('\n').collect(),
        after.split_inclusive('\n').collect(),
    );
    // How many lines the ends from here on have in common.
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for left in (0..old.len()).rev() {
        for right in (0..new.len()).rev() {
            common[left][right] = if old[left] == new[right] {
                common[left + 1][right + 1] + 1
            } else {
                common[left + 1][right].max(common[left][right + 1])
            };
        }
    }
    let (mut left, mut right, mut at) = (0, 0, 0);
    let mut hunks = Vec::new();
    while left < old.len() || right < new.len() {
        if left < old.len() && right < new.len() && old[left] == new[right] {
            at += new[right].len();
            (left, right) = (left + 1, right + 1);
            continue;
        }
        let (gone, start) = (left, at);
        while left < old.len() || right < new.len() {
            let same = left < old.len() && right < new.len() && old[left] == new[right];
            if same {
                break;
            }
            let remove = right == new.len() || left < old.len() && common[left + 1][right] >= common[left][right + 1];
            if remove {
                left += 1;
            } else {
                at += new[right].len();
                right += 1;
            }
        }
        hunks.push(trimmed(&old[gone..left].concat(), after, start..at));
    }
    hunks
}

fn trimmed(old: &str, text: &str, span: Range<usize>) -> Range<usize> {
    let new = &text[span.clone()];
    let alike = |pair: &(char, char)| pair.0 == pair.1;
    let length = |pairs: usize, letters: &mut dyn Iterator<Item = char>| -> usize {
        letters.take(pairs).map(char::len_utf8).sum()
    };
    let first = old.chars().zip(new.chars()).take_while(alike).count();
    let start = span.start + length(first, &mut new.chars());
    let rest = &text[start..span.end];
    let room = old.chars().count().saturating_sub(first);
    let last = old
        .chars()
        .rev()
        .zip(rest.chars().rev())
        .take(room)
        .take_while(alike)
        .count();
    start..span.end - length(last, &mut rest.chars().rev())
}

/// The changes of a bundle from its original: the file and the range of bytes of each.
fn changes(base: &Tree, changed: &Tree) -> Vec<(String, Range<usize>)> {
    let mut changes = Vec::new();
    for (path, content) in changed
        .iter()
        .filter(|(path, content)| base.get(path) != Some(*content))
    {
        let text = |content: &[u8]| String::from_utf8(content.to_vec()).unwrap();
        let before = base.get(path).map(text).unwrap_or_default();
        let hunks = hunks(&before, &text(content));
        changes.extend(hunks.into_iter().map(|span| (path.to_owned(), span)));
    }
    changes
}

/// Changes whose findings are located at the other side of a contradiction, with the change as a second place.
const OTHER_SIDE: &[(&str, &str)] = &[
    ("bundle-crd-twice", "of two copies the one that is read first is right"),
    ("bundle-release-name", "the name lacks the release that was added"),
    ("csv-examples-empty", "the kind lacks an example; the list is empty"),
];

#[test]
fn a_finding_about_a_change_is_located_at_the_change() {
    let Some(cases) = cases("expected.json") else {
        return;
    };
    let tree = |case: &Path| Tree::from_directory(&case.join("bundle"), &TreeLimits::default()).unwrap();
    let request = Request {
        validators: suites::validators_of("all").unwrap(),
        ..Request::default()
    };
    let base = tree(cases.iter().find(|case| name_of(case) == "base").unwrap());
    let usual = validate(&base, &request).findings;
    assert_eq!(usual, []);
    let (mut pointed, mut second, mut gone, mut right) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| case.parent().unwrap().ends_with("mutants")) {
        let changed = tree(case);
        let findings = validate(&changed, &request).findings;
        let changes = changes(&base, &changed);
        if findings.is_empty() {
            right += 1;
            continue;
        }
        // A file that is gone leaves nothing to point at.
        if changes.is_empty() {
            gone += 1;
            continue;
        }
        let meets = |place: &Place| {
            let text = place.source.text();
            let hit = |(_, span): &(String, Range<usize>)| {
                // Where lines went, what is around them is as near as can be: the blanks between are no text.
                let before = text[..span.start].trim_end().len();
                let after = text.len() - text[span.end..].trim_start().len();
                let touches = span.is_empty() && place.span.start <= after && before <= place.span.end;
                touches || place.span.start < span.end && span.start < place.span.end
            };
            let own = changes.iter().filter(|(file, _)| place.source.name().ends_with(file));
            own.into_iter().any(hit)
        };
        let of = |finding: &Diagnostic| finding.place.as_ref().is_some_and(meets);
        let beside = |finding: &Diagnostic| finding.related.iter().any(|(place, _)| meets(place));
        let listed = OTHER_SIDE.iter().any(|(name, _)| *name == name_of(case));
        let findings: Vec<Diagnostic> = findings.into_iter().map(|finding| finding.diagnostic).collect();
        match (findings.iter().any(of), findings.iter().any(beside)) {
            (true, _) if !listed => pointed += 1,
            (false, true) if listed => second += 1,
            _ => wrong.push(format!("{}: {changes:?} change, not {findings:?}", name_of(case))),
        }
    }
    println!(
        "{pointed} changes are pointed at, {second} by a second place; {gone} leave nothing, {right} break no rule"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(second, OTHER_SIDE.len());
}
