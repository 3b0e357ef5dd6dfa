//! Fixes that require no decision by a person: each kind of change with the text before and after it, and the
//! properties of all of them.

use opmx::text::{self, Limits};
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::fix::{Fixing, fix};
use opmx::validation::{Request, Selection, Validation, suites};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const COMPOST: &str = "compost-operator";
const GREENHOUSE: &str = "greenhouse-operator";
const CSV: &str = "manifests/compost-operator.clusterserviceversion.yaml";
const ANNOTATIONS: &str = "metadata/annotations.yaml";
const DEPENDENCIES: &str = "metadata/dependencies.yaml";
const OLM: &str = "metadata/olm.yaml";

/// A way to break a bundle of `testdata/`, and its fix.
struct Case {
    operator: &'static str,
    file: &'static str,
    /// The text in the file, or nothing for a new file.
    sound: &'static str,
    broken: &'static str,
    fixed: &'static str,
    rule: &'static str,
}

const fn case(
    operator: &'static str,
    file: &'static str,
    sound: &'static str,
    broken: &'static str,
    fixed: &'static str,
    rule: &'static str,
) -> Case {
    Case {
        operator,
        file,
        sound,
        broken,
        fixed,
        rule,
    }
}

const CASES: &[Case] = &[
    case(
        COMPOST,
        CSV,
        "minKubeVersion: 1.25.0",
        "minKubeVersion: v1.25.0 # the oldest",
        "minKubeVersion: 1.25.0 # the oldest",
        "csv-minkubeversion-format",
    ),
    case(
        COMPOST,
        CSV,
        "minKubeVersion: 1.25.0",
        "minKubeVersion: \" 1.25.0\"",
        "minKubeVersion: \"1.25.0\"",
        "csv-minkubeversion-format",
    ),
    case(
        COMPOST,
        CSV,
        "  version: 0.3.1",
        "  version: 'v0.3.1'",
        "  version: '0.3.1'",
        "index-csv-version-semver",
    ),
    case(
        COMPOST,
        CSV,
        "    olm.skipRange:",
        "    olm.skiprange:",
        "    olm.skipRange:",
        "csv-annotation-case",
    ),
    case(
        COMPOST,
        CSV,
        "    capabilities:",
        "    \"olm.OperatorGroup\": a\n    capabilities:",
        "    \"olm.operatorGroup\": a\n    capabilities:",
        "csv-annotation-case",
    ),
    case(
        COMPOST,
        CSV,
        "    capabilities:",
        "    weight: 010 # eight\n    on-top: yes\n    capabilities:",
        "    weight: \"010\" # eight\n    on-top: \"yes\"\n    capabilities:",
        "content-csv-shape",
    ),
    case(
        COMPOST,
        CSV,
        "spec:\n  displayName",
        "spec:\n  keywords: compost\n  displayName",
        "spec:\n  keywords: [compost]\n  displayName",
        "content-csv-shape",
    ),
    case(
        COMPOST,
        CSV,
        "spec:\n  displayName",
        "spec:\n  keywords: 'a: b'   # one\n  displayName",
        "spec:\n  keywords: ['a: b']   # one\n  displayName",
        "content-csv-shape",
    ),
    case(
        COMPOST,
        CSV,
        "spec:\n  displayName",
        "spec:\n  maturity: [alpha]\n  displayName",
        "spec:\n  maturity: alpha\n  displayName",
        "content-csv-shape",
    ),
    case(
        COMPOST,
        CSV,
        "{app: compost-operator}\n          template",
        "{app: compost-operator, on: true}\n          template",
        "{app: compost-operator, on: \"true\"}\n          template",
        "content-csv-shape",
    ),
    case(
        COMPOST,
        ANNOTATIONS,
        "channels.v1: alpha",
        "channels.v1: alpha, beta ,stable",
        "channels.v1: alpha,beta,stable",
        "ann-channel-blank",
    ),
    case(
        COMPOST,
        ANNOTATIONS,
        "channels.v1: alpha",
        "channels.v1: \"alpha,\"",
        "channels.v1: \"alpha\"",
        "ann-channel-blank",
    ),
    case(
        COMPOST,
        DEPENDENCIES,
        "\">=1.0.0 <2.0.0\"",
        ">=1.0.0 <2.0.0 # both",
        "\">=1.0.0 <2.0.0\" # both",
        "dep-range-quoting",
    ),
    case(
        COMPOST,
        DEPENDENCIES,
        "\">=1.0.0 <2.0.0\"",
        "\">=v1.0.0 <v2.0.0\"",
        "\">=1.0.0 <2.0.0\"",
        "dep-package-version-format",
    ),
    case(
        COMPOST,
        DEPENDENCIES,
        "\">=1.0.0 <2.0.0\"",
        "1.0.0\n    intent: Recommended",
        "1.0.0\n    intent: recommended",
        "dep-intent-value",
    ),
    case(
        COMPOST,
        "metadata/properties.yaml",
        "",
        "properties:\n- type: olm.manifests.optional\n  value:\n    manifests:\n    - {group: autoscaling.k8s.io/v1, kind: A, name: b}\n",
        "properties:\n- type: olm.manifests.optional\n  value:\n    manifests:\n    - {group: autoscaling.k8s.io, kind: A, name: b}\n",
        "opt-group-version",
    ),
    case(
        COMPOST,
        "manifests/pdb.yaml",
        "",
        "# budget\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}}\n",
        "# budget\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}}\n",
        "removed-api-1.25",
    ),
    case(
        COMPOST,
        "manifests/role.json",
        "",
        "{\"apiVersion\": \"rbac.authorization.k8s.io/v1beta1\", \"kind\": \"Role\", \"metadata\": {\"name\": \"a\"}, \"rules\": []}\n",
        "{\"apiVersion\": \"rbac.authorization.k8s.io/v1\", \"kind\": \"Role\", \"metadata\": {\"name\": \"a\"}, \"rules\": []}\n",
        "removed-api-1.22",
    ),
    case(
        COMPOST,
        "manifests/class.yaml",
        "",
        "kind: PriorityClass\napiVersion: 'scheduling.k8s.io/v1beta1'\nmetadata: {name: a}\nvalue: 1\n",
        "kind: PriorityClass\napiVersion: 'scheduling.k8s.io/v1'\nmetadata: {name: a}\nvalue: 1\n",
        "removed-api-1.22",
    ),
    case(
        GREENHOUSE,
        OLM,
        "version: 1.2.0\n",
        "version: v1.2.0 # new\n",
        "version: 1.2.0 # new\n",
        "olm-version",
    ),
    case(
        GREENHOUSE,
        OLM,
        "minKubeVersion: 1.25.0",
        "minKubeVersion: \"v1.25.0 \"",
        "minKubeVersion: \"1.25.0\"",
        "olm-version",
    ),
    case(
        GREENHOUSE,
        OLM,
        "keywords: [garden, greenhouse]",
        "keywords: garden",
        "keywords: [garden]",
        "olm-type",
    ),
    case(
        GREENHOUSE,
        OLM,
        "maturity: stable",
        "maturity: [ stable ]",
        "maturity: stable",
        "olm-type",
    ),
    case(
        GREENHOUSE,
        OLM,
        "maturity: stable",
        "maturity: 1.10 # beta",
        "maturity: \"1.10\" # beta",
        "olm-type",
    ),
    case(
        GREENHOUSE,
        OLM,
        "  email: gard",
        "email: gard",
        "  email: gard",
        "olm-misindented",
    ),
    case(
        GREENHOUSE,
        OLM,
        "provider:\n  name: Example Gardens\n  url: https://garden.example.com\n",
        "provider:\nname: Example Gardens\n",
        "provider:\n  name: Example Gardens\n",
        "olm-misindented",
    ),
    case(
        GREENHOUSE,
        "manifests/rbac.yaml",
        "apiVersion: rbac.authorization.k8s.io/v1\n",
        "apiVersion: rbac.authorization.k8s.io/v1beta1\n",
        "apiVersion: rbac.authorization.k8s.io/v1\n",
        "k8s-old-api",
    ),
];

/// Cases that look fixable, but require a decision.
const UNDECIDED: &[Case] = &[
    case(
        COMPOST,
        CSV,
        "  version: 0.3.1",
        "  version: 1.10",
        "",
        "content-csv-shape",
    ),
    case(
        COMPOST,
        CSV,
        "minKubeVersion: 1.25.0",
        "minKubeVersion: v1.25",
        "",
        "csv-minkubeversion-format",
    ),
    case(
        COMPOST,
        CSV,
        "spec:\n  displayName",
        "spec:\n  keywords: a, b\n  displayName",
        "",
        "content-csv-shape",
    ),
    case(
        COMPOST,
        CSV,
        "spec:\n  displayName",
        "spec:\n  maturity: [alpha, beta]\n  displayName",
        "",
        "content-csv-shape",
    ),
    case(
        COMPOST,
        CSV,
        "    olm.skipRange:",
        "    olm.skiprange: 1.x\n    olm.skipRange:",
        "",
        "csv-annotation-case",
    ),
    case(
        COMPOST,
        CSV,
        "minKubeVersion: 1.25.0",
        "minKubeVersion: &v v1.25.0\n  maturity: *v",
        "",
        "csv-minkubeversion-format",
    ),
    case(
        COMPOST,
        DEPENDENCIES,
        "\">=1.0.0 <2.0.0\"",
        "\"^v1.0\"",
        "",
        "dep-package-version-format",
    ),
    case(
        COMPOST,
        DEPENDENCIES,
        "\">=1.0.0 <2.0.0\"",
        "1.0.0\n    intent: recomended",
        "",
        "dep-intent-value",
    ),
    case(
        COMPOST,
        DEPENDENCIES,
        "\">=1.0.0 <2.0.0\"",
        ">=\n1.0.0 <2.0.0",
        "",
        "dep-range-quoting",
    ),
    case(
        COMPOST,
        "manifests/pdb.yaml",
        "",
        "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {selector: {}}\n",
        "",
        "removed-api-1.25",
    ),
    case(
        COMPOST,
        "manifests/crd2.yaml",
        "",
        "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\nspec: {}\n",
        "",
        "removed-api-1.22",
    ),
    case(
        GREENHOUSE,
        OLM,
        "keywords: [garden, greenhouse]",
        "keywords:\n  a: b",
        "",
        "olm-type",
    ),
    case(GREENHOUSE, OLM, "version: 1.2.0\n", "version: 1.2\n", "", "olm-type"),
];

fn testdata(operator: &str) -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(operator);
    let tree = Tree::from_directory(&folder, &TreeLimits::default()).unwrap();
    tree.iter()
        .map(|(path, bytes)| (path.to_owned(), String::from_utf8(bytes.to_vec()).unwrap()))
        .collect()
}

fn tree(files: &BTreeMap<String, String>) -> Tree {
    let mut tree = Tree::new("bundle");
    for (path, text) in files {
        tree.insert(path, text.clone().into_bytes(), &TreeLimits::default())
            .unwrap();
    }
    tree
}

fn everything() -> Request {
    Request {
        validators: suites::validators_of("all").unwrap(),
        ..Request::default()
    }
}

fn find_fixes(files: &BTreeMap<String, String>) -> (Fixing, Validation) {
    fix(tree(files), &everything(), &Selection::default())
}

/// The files after the fix.
fn fixed_files(files: &BTreeMap<String, String>, fixing: &Fixing) -> BTreeMap<String, String> {
    let mut files = files.clone();
    for (path, change) in &fixing.files {
        assert_eq!(Some(files[path].as_bytes()), change.before.as_deref(), "{path}");
        let after = change.after.clone().unwrap();
        files.insert(path.clone(), String::from_utf8(after).unwrap());
    }
    files
}

impl Case {
    /// The bundle with this text at the place.
    fn with(&self, text: &str, form: &dyn Fn(&str) -> String) -> BTreeMap<String, String> {
        let mut files = testdata(self.operator);
        let changed = if self.sound.is_empty() {
            text.to_owned()
        } else {
            assert!(files[self.file].contains(self.sound), "{}", self.sound);
            files[self.file].replacen(self.sound, text, 1)
        };
        files.insert(self.file.to_owned(), changed);
        files.into_iter().map(|(path, text)| (path, form(&text))).collect()
    }
}

fn rules(findings: &[opmx::validation::Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.diagnostic.rule.id).collect()
}

#[test]
fn each_mechanical_mistake_is_fixed_in_place() {
    let forms: [&dyn Fn(&str) -> String; 3] = [&str::to_owned, &|text| text.replace('\n', "\r\n"), &|text| {
        format!("\u{feff}{text}")
    }];
    for case in CASES {
        for (number, form) in forms.iter().enumerate() {
            // A file of JSON has no byte order mark.
            if case.file.ends_with("json") && number == 2 {
                continue;
            }
            let broken = case.with(case.broken, form);
            let (fixing, left) = find_fixes(&broken);
            let context = format!("{} {:?} in form {number}: {fixing:?}", case.rule, case.broken);
            assert!(rules(&fixing.fixed).contains(&case.rule), "{context}");
            assert_eq!(fixed_files(&broken, &fixing), case.with(case.fixed, form), "{context}");
            assert!(!rules(&left.findings).contains(&case.rule), "{context}");
            assert!(fixing.refused.is_empty(), "{context}");
            let (again, _) = find_fixes(&fixed_files(&broken, &fixing));
            assert!(again.files.is_empty() && again.fixed.is_empty(), "{context}\n{again:?}");
        }
    }
}

#[test]
fn findings_that_require_a_decision_are_not_fixed() {
    for case in UNDECIDED {
        let broken = case.with(case.broken, &str::to_owned);
        let (fixing, left) = find_fixes(&broken);
        assert!(fixing.files.is_empty(), "{}: {fixing:?}", case.broken);
        assert!(rules(&left.findings).contains(&case.rule), "{}: {left:?}", case.broken);
    }
}

#[test]
fn a_blocked_edit_is_retried_after_the_other_fixes() {
    let mut files = testdata(GREENHOUSE);
    for (path, sound, broken) in [
        (OLM, "version: 1.2.0\n", "version: v1.2.0\n"),
        ("manifests/rbac.yaml", "k8s.io/v1\n", "k8s.io/v1beta1\n"),
    ] {
        let changed = files[path].replacen(sound, broken, 1);
        assert_ne!(files.insert(path.to_owned(), changed.clone()), Some(changed));
    }
    // The fault is found only where the version can be read.
    let budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: beds}\n\
        spec: {maxUnavailable: 0, selector: {matchLabels: {plant: bean}}}\n";
    files.insert("manifests/budget.yaml".to_owned(), budget.to_owned());
    let (fixing, _) = find_fixes(&files);
    assert_eq!(rules(&fixing.fixed), ["olm-version", "k8s-old-api"], "{fixing:?}");
}

#[test]
fn only_selected_rules_are_fixed() {
    let mut files = testdata(COMPOST);
    let broken = files[CSV].replace("version: 0.3.1\n", "version: v0.3.1\n");
    files.insert(CSV.to_owned(), broken.replace("olm.skipRange", "olm.skiprange"));
    let rule = opmx::rules::by_id("csv-annotation-case").unwrap();
    for (selection, wanted) in [
        (
            Selection {
                only: vec![rule],
                ..Selection::default()
            },
            vec!["csv-annotation-case"],
        ),
        (
            Selection {
                allow: vec![rule],
                ..Selection::default()
            },
            vec!["index-csv-version-semver"],
        ),
        (
            Selection::default(),
            vec!["csv-annotation-case", "index-csv-version-semver"],
        ),
    ] {
        let (fixing, _) = fix(tree(&files), &everything(), &selection);
        assert_eq!(rules(&fixing.fixed), wanted);
    }
}

/// The values of all documents of a file, with the number of each.
fn values(path: &str, text: &[u8]) -> Vec<(usize, serde_json::Value)> {
    let documents = text::read(path, text, &Limits::default()).documents;
    documents
        .iter()
        .map(|document| (document.number(), document.value().clone()))
        .collect()
}

/// The number of different values.
fn differences(old: &serde_json::Value, new: &serde_json::Value) -> usize {
    use serde_json::Value;
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let changed: usize = old
                .iter()
                .map(|(key, value)| new.get(key).map_or(1, |new| differences(value, new)))
                .sum();
            changed + new.keys().filter(|key| !old.contains_key(*key)).count()
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            old.iter().zip(new).map(|(old, new)| differences(old, new)).sum()
        }
        _ => usize::from(old != new),
    }
}

/// Asserts the properties of every fix.
fn check(files: &BTreeMap<String, String>, fixing: &Fixing) {
    let after = fixed_files(files, fixing);
    for (path, change) in &fixing.files {
        let (before, after) = (change.before.as_deref().unwrap(), change.after.as_deref().unwrap());
        let (old, new) = (values(path, before), values(path, after));
        assert!(!new.is_empty() && new.len() >= old.len(), "{path}: {fixing:?}");
        let edits: usize = fixing.fixed.iter().map(|finding| finding.diagnostic.edits.len()).sum();
        let changed: usize = old
            .iter()
            .filter_map(|(number, old)| {
                let (_, new) = new.iter().find(|(other, _)| other == number)?;
                Some(differences(old, new))
            })
            .sum();
        // A key in another place is gone from the one and new in the other.
        assert!(
            changed <= 2 * edits,
            "{path}: {changed} values for {edits} edits: {fixing:?}"
        );
        // Lines stay lines: comments and layout with them.
        let lines = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').count();
        assert_eq!(lines(before), lines(after), "{path}");
        let comments = |bytes: &[u8]| bytes.split(|byte| *byte == b'#').count();
        assert_eq!(comments(before), comments(after), "{path}");
    }
    let (again, _) = find_fixes(&after);
    assert!(again.files.is_empty(), "{:?} after {fixing:?}", again.fixed);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fixing_changes_nothing_else_and_terminates(
        chosen in prop::collection::vec((0..CASES.len(), any::<bool>()), 1..5),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), "[ -~\n]{0,3}"), 0..3),
    ) {
        let operator = CASES[chosen[0].0].operator;
        let mut files = testdata(operator);
        for (index, crlf) in chosen {
            let case = &CASES[index];
            if case.operator != operator {
                continue;
            }
            let old = files.get(case.file).cloned().unwrap_or_default();
            let mut text = if case.sound.is_empty() { case.broken.to_owned() } else { old.replacen(case.sound, case.broken, 1) };
            if crlf {
                text = text.replace("\r\n", "\n").replace('\n', "\r\n");
            }
            files.insert(case.file.to_owned(), text);
        }
        for (file, at, text) in damage {
            let path = file.get(&files.keys().cloned().collect::<Vec<_>>()).clone();
            let content = files.get_mut(&path).unwrap();
            let at = content.floor_char_boundary(at.index(content.len() + 1));
            content.insert_str(at, &text);
        }
        let (fixing, _) = find_fixes(&files);
        check(&files, &fixing);
    }
}

/// Common mistakes in the text of a published bundle, each at a suitable place.
fn spoil(path: &str, text: &str) -> Option<String> {
    let spoilt: Vec<String> = text
        .split_inclusive('\n')
        .map(|line| {
            let versions = ["  version: ", "  minKubeVersion: "];
            let channels = "  operators.operatorframework.io.bundle.channels.v1: ";
            if path.starts_with("manifests/") {
                for key in versions {
                    let Some(value) = line.strip_prefix(key) else { continue };
                    let quote = if value.starts_with(['"', '\'']) {
                        &value[..1]
                    } else {
                        ""
                    };
                    let version = value[quote.len()..].trim_end().trim_end_matches(quote);
                    if opmx::version::parse_strict(version).is_ok() {
                        return format!("{key}{quote}v{}", &value[quote.len()..]);
                    }
                }
            } else if let Some(value) = line.strip_prefix(channels) {
                return format!("{channels}{}", value.replace(',', ", "));
            }
            line.to_owned()
        })
        .collect();
    let spoilt = spoilt.concat();
    (spoilt != text).then_some(spoilt)
}

#[test]
fn published_bundles_are_restored_byte_for_byte() {
    let Some(folder) = crate::shared::folder("corpus") else {
        return;
    };
    let mut bundles: Vec<PathBuf> = walkdir::WalkDir::new(&folder)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_dir() && entry.path().join("manifests").is_dir())
        .map(|entry| entry.path().to_owned())
        .collect();
    bundles.sort();
    let (mut spoilt, mut own, mut refused) = (0, 0, 0);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for bundle in &bundles {
        let tree = Tree::from_directory(bundle, &TreeLimits::default()).unwrap();
        let (fixing, _) = fix(tree.clone(), &everything(), &Selection::default());
        own += fixing.files.len();
        let text = |(path, bytes): (&str, &[u8])| Some((path.to_owned(), String::from_utf8(bytes.to_vec()).ok()?));
        let files: BTreeMap<String, String> = tree.iter().filter_map(text).collect();
        let sound = fixed_files(&files, &fixing);
        let mut broken = sound.clone();
        for (path, text) in &sound {
            if let Some(text) = spoil(path, text) {
                broken.insert(path.clone(), text);
                spoilt += 1;
            }
        }
        let (fixing, _) = find_fixes(&broken);
        check(&broken, &fixing);
        for (path, text) in fixed_files(&broken, &fixing) {
            assert!(sound[&path] == text, "{}/{path}: {fixing:?}", bundle.display());
        }
        for finding in &fixing.fixed {
            *counts.entry(finding.diagnostic.rule.id.to_owned()).or_default() += 1;
        }
        refused += fixing.refused.len();
    }
    println!(
        "{} bundles: {own} files to fix as they are; {spoilt} files spoilt and fixed, {refused} refused: {counts:?}",
        bundles.len()
    );
    assert!(bundles.len() > 100 && spoilt > 100 && counts.len() > 2);
}
