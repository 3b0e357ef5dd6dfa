//! The chain of trust: no later command rejects what an earlier one has accepted.
//!
//! Every bundle in this crate, valid or with one fault for each rule, goes the way of a published bundle: checked by
//! its author, added to an index, checked there, rendered as a catalog, checked again, and turned into a database once
//! more.

use crate::chain::{Step, broken_after, send};
use crate::rule_examples::bundles::{Side, files, find, right_bundle, side};
use opmx::bundle;
use opmx::catalog::graph::Mode;
use opmx::database::add::{Additions, Policy};
use opmx::database::change::{ChangeOptions, Target};
use opmx::database::record::Record;
use opmx::index::intake::{Recording, prepare};
use opmx::rules::examples::{Example, all};
use opmx::rules::{self, Gate};
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::{Request, Strictness, check, judge_files, validate};
use std::collections::BTreeMap;

/// Returns the previous version, in all channels that examples name: a bundle alone does not decide whether a channel
/// or another bundle exists.
fn before() -> Record {
    let mut files = right_bundle("registry+v1");
    let mut change = |file: &str, old: &str, new: &str| {
        let text = String::from_utf8(files[file].clone()).unwrap();
        assert!(text.contains(old), "{file} does not hold {old}");
        files.insert(file.to_owned(), text.replace(old, new).into_bytes());
    };
    let csv = "manifests/memcached-operator.clusterserviceversion.yaml";
    change(csv, "  replaces: memcached-operator.v0.9.0\n", "");
    change(csv, "1.0.0", "0.9.0");
    change("metadata/annotations.yaml", "fast,stable", "fast,stable,candidate");
    let strictness = Strictness::at(Gate::Authoring);
    let prepared = prepare(
        &tree(&files).unwrap(),
        Recording::default(),
        &Limits::default(),
        &strictness,
    );
    prepared.unwrap().record
}

fn tree(files: &BTreeMap<String, Vec<u8>>) -> Option<Tree> {
    let mut tree = Tree::new("bundle");
    for (path, content) in files {
        tree.insert(path, content.clone(), &TreeLimits::default()).ok()?;
    }
    Some(tree)
}

#[test]
fn a_valid_bundle_passes_every_step() {
    for media_type in ["registry+v1", "k8s+v1"] {
        let (broken, steps) = send(&tree(&right_bundle(media_type)).unwrap(), Some(&before()));
        assert_eq!(broken, Vec::<String>::new(), "{media_type}");
        assert_eq!(steps, [Step::Authored, Step::Taken], "{media_type}");
    }
}

#[test]
fn no_later_command_rejects_a_faulty_bundle_that_an_earlier_one_accepted() {
    let mut problems = Vec::new();
    let before = before();
    let (mut authored, mut taken) = (0, 0);
    for (id, example) in all().unwrap() {
        if example.link.is_some() || example.command_line || !["registry+v1", "k8s+v1"].contains(&&*example.bundle) {
            continue;
        }
        if example
            .wrong
            .as_ref()
            .is_some_and(|wrong| wrong.contains("olm.substitutesFor"))
        {
            continue;
        }
        let Some(tree) = tree(&files(&example, Side::Wrong)) else {
            continue;
        };
        let (broken, steps) = send(&tree, Some(&before));
        authored += usize::from(steps.contains(&Step::Authored));
        taken += usize::from(steps.contains(&Step::Taken));
        problems.extend(broken.into_iter().map(|broken| format!("{id}: {broken}")));
        let rule = rules::by_id(&id).unwrap();
        // No program reads a CSV in which this very field has the wrong type.
        if rule != &rules::CONTENT_CSV_SHAPE
            && rule.consequence().is_some()
            && example.bundle == "registry+v1"
            && !steps.contains(&Step::Taken)
        {
            problems.push(format!("{id}: is tolerated, and its example is not taken"));
        }
    }
    println!("{authored} faults pass their author's check, {taken} an index takes");
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
    assert!(taken > 100, "{taken}");
}

/// Rules that the validation of a bundle does not report if it reports the same defect under another rule.
const OTHER_RULE: &[&str] = &[
    "index-owned-crd-absent",
    "index-owned-crd-name",
    "index-version-shape",
    "index-release-shape",
    "index-csv-version-semver",
    "object-field-type",
    "opt-builtin-kind",
    "opt-core-kind",
];

/// What keeps a bundle out of an index is also reported to its author.
#[test]
fn bundle_validate_reports_every_rule_checked_at_later_gates() {
    let mut problems = Vec::new();
    let mut compared = 0;
    for (id, mut example) in all().unwrap() {
        let own = example.bundle.clone();
        if example.link.is_some() || !["registry+v1", "k8s+v1"].contains(&&*own) {
            continue;
        }
        for media_type in ["registry+v1", "k8s+v1"] {
            if media_type != own && !fits(&example, media_type) {
                continue;
            }
            media_type.clone_into(&mut example.bundle);
            let Some(tree) = tree(&files(&example, Side::Wrong)) else {
                continue;
            };
            let Some(bundle) = bundle::read(&tree, &Limits::default()).bundle else {
                continue;
            };
            let validation = validate(&tree, &Request::default());
            for finding in check(&bundle) {
                let rule = finding.rule.id;
                let is_reported = validation.findings.iter().any(|other| other.diagnostic.rule.id == rule);
                compared += 1;
                if !is_reported && !OTHER_RULE.contains(&rule) {
                    problems.push(format!("{id}, {media_type}: {rule} is not reported"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_crd_without_a_kind_in_a_plain_bundle_is_reported_by_every_command() {
    let mut files = right_bundle("k8s+v1");
    let definition = files.get_mut("manifests/memcacheds.yaml").unwrap();
    let text = String::from_utf8(definition.clone()).unwrap();
    *definition = text.replace("    kind: Memcached\n", "").into_bytes();
    let tree = tree(&files).unwrap();
    let validation = validate(&tree, &Request::default());
    let rules: Vec<&str> = validation
        .findings
        .iter()
        .map(|finding| finding.diagnostic.rule.id)
        .collect();
    assert!(rules.contains(&"index-crd-decode"), "{rules:?}");
}

/// Rules whose examples have a different fault in a bundle of the other media type, or whose fault another rule
/// reports there.
const OTHER_FAULT: &[&str] = &[
    "ann-mediatype-mismatch",
    "bundle-crd-not-owned",
    "bundle-inline-size",
    "format-metadata-dir",
    "index-crd-decode",
    "k8s-media-type-ambiguous",
    "k8s-media-type-mismatch",
    "k8s-olm-yaml-missing",
];

/// The table of rules is true at intake: it names the severity of each fault that is found there, in a bundle of either
/// media type.
#[test]
fn intake_reports_rules_with_the_severity_in_the_table() {
    let mut problems = Vec::new();
    let mut compared = [0, 0];
    for (id, mut example) in all().unwrap() {
        // Other commands find the others, with other limits or without a bundle.
        let by_validation = example.command.is_none() && !example.command_line && example.flags.is_empty();
        if !by_validation || example.link.is_some() || example.bundle.is_empty() {
            continue;
        }
        let own = example.bundle.clone();
        for (number, media_type) in ["registry+v1", "k8s+v1"].into_iter().enumerate() {
            if media_type != own && (OTHER_FAULT.contains(&&*id) || !fits(&example, media_type)) {
                continue;
            }
            media_type.clone_into(&mut example.bundle);
            let Some(tree) = tree(&files(&example, Side::Wrong)) else {
                continue;
            };
            let reading = bundle::read(&tree, &Limits::default());
            let strictness = Strictness::at(Gate::Intake);
            let found = judge_files(&tree, &reading, true, &strictness).findings;
            let found = found.iter().find(|finding| finding.rule.id == id);
            let gate = [Gate::Intake, Gate::PlainIntake][number];
            let stated = rules::by_id(&id).unwrap().at(gate);
            compared[number] += 1;
            // Some findings are milder than their rule.
            let reported = found.map(|finding| finding.severity);
            if reported.is_some() != stated.is_some() || reported < stated {
                problems.push(format!("{id}, {media_type}: {found:?}, not {stated:?}"));
            }
        }
    }
    println!("{compared:?} faults compared");
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
    assert!(compared.iter().all(|&count| count > 100), "{compared:?}");
}

/// Returns whether the fault of an example fits into a bundle of the other media type: whether that bundle has the
/// changed file, or the snippet is a file of its own.
fn fits(example: &Example, media_type: &str) -> bool {
    let has = |files: &BTreeMap<String, Vec<u8>>, file: &str| files.contains_key(file);
    let (own, other) = (right_bundle(&example.bundle), right_bundle(media_type));
    let is_anchored = |files: &BTreeMap<String, Vec<u8>>| {
        let Some(Ok(text)) = files.get(&example.file).map(|content| std::str::from_utf8(content)) else {
            return false;
        };
        let mut snippets = [Side::Right, Side::Wrong]
            .into_iter()
            .filter_map(|which| side(example, which).1);
        snippets.any(|snippet| find(text, &snippet).is_some())
    };
    example.file != "metadata/olm.yaml"
        && example.replaces.is_none()
        && (example.whole || is_anchored(&own) == is_anchored(&other))
        && std::iter::once(&example.file)
            .chain(example.besides.iter().map(|change| &change.file))
            .all(|file| has(&own, file) == has(&other, file))
}

/// Numbers that look random but are always the same.
struct Dice(u64);

impl Dice {
    fn roll<'a, T>(&mut self, sides: &'a [T]) -> &'a T {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        &sides[usize::try_from(self.0 >> 33).unwrap() % sides.len()]
    }
}

/// Returns a bundle of package memo that replaces and skips random versions: mostly earlier ones, sometimes ones that
/// do not exist.
fn any_version(dice: &mut Dice, earlier: &[String], number: usize) -> (String, Tree) {
    const VERSIONS: [&str; 5] = ["1.0.0", "1.1.0", "1.1.1", "1.2.0", "2.0.0"];
    let name = format!("memo.v{}", VERSIONS[number]);
    let version = match *dice.roll(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]) {
        1 => "1.1.0",
        2 => "1.1.0+1",
        3 => "1.1.0-rc.1",
        _ => VERSIONS[number],
    };
    let gone = "memo.v0.9.0".to_owned();
    let last = earlier.last().unwrap_or(&gone).clone();
    let any = |dice: &mut Dice| match *dice.roll(&[0, 0, 0, 0, 1]) {
        0 if !earlier.is_empty() => dice.roll(earlier).clone(),
        _ => gone.clone(),
    };
    let replaces = match *dice.roll(&[0, 0, 1, 1, 1, 2]) {
        0 => String::new(),
        1 if !earlier.is_empty() => last.clone(),
        _ => any(dice),
    };
    let skips = match *dice.roll(&[0, 0, 1, 2, 3]) {
        0 => Vec::new(),
        1 => vec![last],
        2 => vec![any(dice)],
        _ => vec![any(dice), any(dice)],
    };
    let range = *dice.roll(&["", "", "", "<1.1.0", ">=1.0.0 <2.0.0", "1.x to 2"]);
    let channels = *dice.roll(&[
        "stable",
        "stable",
        "stable",
        "stable,fast",
        "stable,fast",
        "fast",
        "fast, stable",
    ]);
    let default = *dice.roll(&["", "", "stable", "stable", "fast", "gone"]);
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: {name}\n  \
         annotations: {{olm.skipRange: '{range}'}}\nspec:\n  version: {version}\n  replaces: '{replaces}'\n  \
         skips: {skips:?}\n  install: {{strategy: deployment, spec: {{deployments: []}}}}\n"
    );
    let annotations = format!(
        "annotations:\n  operators.operatorframework.io.bundle.package.v1: memo\n  \
         operators.operatorframework.io.bundle.channels.v1: {channels}\n  \
         operators.operatorframework.io.bundle.channel.default.v1: '{default}'\n"
    );
    let files = [
        ("manifests/csv.yaml".to_owned(), csv.into_bytes()),
        ("metadata/annotations.yaml".to_owned(), annotations.into_bytes()),
    ];
    (name, tree(&files.into()).unwrap())
}

#[test]
fn no_later_command_rejects_bundles_that_an_index_accepted_together() {
    let mut problems = Vec::new();
    let (mut accepted, mut refused) = (0, 0);
    for seed in 40..80 {
        let mut dice = Dice(seed);
        let mut names = Vec::new();
        let mut records = Vec::new();
        let mut texts = String::new();
        for number in 0..5 {
            let (name, tree) = any_version(&mut dice, &names, number);
            let csv = tree.get("manifests/csv.yaml").unwrap();
            texts += &String::from_utf8_lossy(csv);
            texts += &String::from_utf8_lossy(tree.get("metadata/annotations.yaml").unwrap());
            names.push(name);
            let prepared = prepare(&tree, Recording::default(), &Limits::default(), &Strictness::default());
            records.push(prepared.unwrap().record);
        }
        for mode in [Mode::Replaces, Mode::Semver, Mode::SemverSkipPatch] {
            let folder = tempfile::tempdir().unwrap();
            let database = folder.path().join("index.db");
            let mut added = false;
            // All at once, or one after the other as far as the index accepts them.
            let calls = *dice.roll(&[5, 1]);
            for call in records.chunks(calls) {
                let mut additions = Additions::new(folder.path());
                for record in call {
                    additions.push(record).unwrap();
                }
                let policy = Policy::from(mode);
                added |= additions
                    .commit(policy, &Target::InPlace(&database), &ChangeOptions::default())
                    .is_ok();
            }
            if !added {
                refused += 1;
                continue;
            }
            accepted += 1;
            let broken = broken_after(&database, folder.path());
            problems.extend(
                broken
                    .iter()
                    .map(|broken| format!("set {seed}, {mode:?}: {broken}\n{texts}")),
            );
        }
    }
    println!("{accepted} indexes made, {refused} sets refused");
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
    assert!(accepted > 50, "{accepted}");
}
