//! The chain of trust: what one command accepts, no later command refuses.
//!
//! Every bundle that this crate has, right and with one fault of each rule, goes the way of a published bundle: checked by
//! its author, taken into an index, checked there, rendered as a catalog, checked again, and made a database once more.

use crate::rule_examples::bundles::{Side, files, right_bundle};
use opmx::bundle;
use opmx::catalog::file_based::migrate::Level;
use opmx::catalog::file_based::read::CatalogLimits;
use opmx::catalog::file_based::write::Language;
use opmx::catalog::graph::Mode;
use opmx::database::add::{Additions, Policy};
use opmx::database::change::{Options, Target};
use opmx::database::record::Record;
use opmx::database::{check::check, read::Database};
use opmx::diagnostic::{Diagnostic, has_errors};
use opmx::image::{self, Transports};
use opmx::index::check::check_catalog;
use opmx::index::import::import;
use opmx::index::intake::{IntakeError, Recording, prepare};
use opmx::index::location::CatalogFolder;
use opmx::index::open::Index;
use opmx::index::render::folder::write_folder;
use opmx::index::render::sources::{Form, Opening, Source};
use opmx::rules::examples::all;
use opmx::rules::{self, Gate};
use opmx::text::Limits;
use opmx::tree::{Tree, TreeLimits};
use opmx::validation::{Strictness, check_reading};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// How far a bundle came.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Its author is told of errors.
    Authored,
    /// An index takes it.
    Taken,
}

fn errors(findings: &[Diagnostic]) -> String {
    let errors = findings.iter().filter(|finding| finding.is_error());
    errors.map(|finding| format!("\n    {finding}")).collect()
}

/// Sends a bundle down the chain. The broken links, and how far it came.
fn send(tree: &Tree) -> (Vec<String>, Vec<Step>) {
    let (mut broken, mut steps) = (Vec::new(), Vec::new());
    let limits = Limits::default();
    let authored = check_reading(&bundle::read(tree, &limits));
    if !has_errors(&authored) {
        steps.push(Step::Authored);
    }
    let prepared = match prepare(tree, Recording::default(), &limits, &Strictness::default()) {
        Ok(prepared) => prepared,
        Err(_) if has_errors(&authored) => return (broken, steps),
        Err(IntakeError::Findings { diagnostics, .. }) => {
            broken.push(format!("is refused at intake:{}", errors(&diagnostics)));
            return (broken, steps);
        }
        Err(error) => {
            broken.push(format!("is refused at intake: {error}"));
            return (broken, steps);
        }
    };
    steps.push(Step::Taken);
    for finding in &prepared.diagnostics {
        if finding.rule.at(Gate::Intake).is_none() {
            broken.push(format!("is told what is not looked for at intake: {finding}"));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (database, again) = (path("index.db"), path("again.db"));
    let to = |to| Target::Copy { from: None, to };
    // Which versions and channels are there is no question of one bundle alone.
    let tries = [(true, Mode::Replaces), (false, Mode::Replaces), (true, Mode::Semver)];
    let refused = tries.map(|(with_before, mode)| {
        if database.exists() {
            return None;
        }
        let mut additions = Additions::new(folder.path());
        if with_before {
            additions.push(&before()).unwrap();
        }
        additions.push(&prepared.record).unwrap();
        let policy = Policy {
            mode,
            ..Policy::default()
        };
        additions.commit(policy, &to(&database), &Options::default()).err()
    });
    let findings = &prepared.diagnostics;
    if !database.exists()
        && findings
            .iter()
            .any(|finding| finding.rule == &rules::INDEX_VERSION_MISSING)
    {
        // It counts as the lowest version of all, and this one replaces another.
        return (broken, steps);
    }
    if !database.exists() {
        let refused = refused.into_iter().flatten().map(|error| error.to_string());
        let refused: Vec<String> = refused.collect();
        broken.push(format!("is prepared and not added: {}", refused.join("; ")));
        return (broken, steps);
    }
    let found = check(&Database::open(&database).unwrap()).unwrap();
    if has_errors(&found) {
        broken.push(format!("fails the check of the index:{}", errors(&found)));
    }
    if let Err(problem) = as_catalog(&database, &path("catalog"), &to(&again)) {
        broken.push(problem);
    }
    (broken, steps)
}

/// The version before, in all channels that examples name: whether a channel or a bundle is there is no question of one
/// bundle alone.
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

/// From a database to a catalog and back.
fn as_catalog(database: &Path, catalog: &Path, again: &Target<'_>) -> Result<(), String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let transports = Transports::new(image::Options::default(), Arc::new(image::Silent));
    let opening = Opening::default();
    let opened = Source::open(database.to_str().unwrap(), &transports, &opening);
    let source = runtime
        .block_on(opened)
        .map_err(|error| format!("is not rendered: {error}"))?;
    let form = Form {
        language: Language::Json,
        level: Level::None,
    };
    write_folder(&[source], form, catalog).map_err(|error| format!("is not migrated: {error}"))?;
    let limits = CatalogLimits::default();
    let folder = || CatalogFolder::from(catalog);
    for gate in [Gate::Intake, Gate::Serving] {
        let found = check_catalog(&folder(), limits, &Strictness::at(gate)).unwrap();
        if has_errors(&found) {
            return Err(format!("fails the check of the catalog at {gate}:{}", errors(&found)));
        }
    }
    let index = Index::of_catalog(folder(), limits).map_err(|error| format!("is not opened: {error}"))?;
    assert!(!index.catalog().unwrap().bundles.is_empty());
    import(&folder(), limits, &Strictness::default(), again, &Options::default())
        .map_err(|error| format!("does not become a database again: {error}"))?;
    Ok(())
}

fn tree(files: &BTreeMap<String, Vec<u8>>) -> Option<Tree> {
    let mut tree = Tree::new("bundle");
    for (path, content) in files {
        tree.insert(path, content.clone(), &TreeLimits::default()).ok()?;
    }
    Some(tree)
}

#[test]
fn a_bundle_that_is_right_goes_all_the_way() {
    for media_type in ["registry+v1", "k8s+v1"] {
        let (broken, steps) = send(&tree(&right_bundle(media_type)).unwrap());
        assert_eq!(broken, Vec::<String>::new(), "{media_type}");
        assert_eq!(steps, [Step::Authored, Step::Taken], "{media_type}");
    }
}

#[test]
fn what_one_command_accepts_of_a_bundle_with_a_fault_no_later_one_refuses() {
    let mut problems = Vec::new();
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
        let (broken, steps) = send(&tree);
        authored += usize::from(steps.contains(&Step::Authored));
        taken += usize::from(steps.contains(&Step::Taken));
        problems.extend(broken.into_iter().map(|broken| format!("{id}: {broken}")));
        let rule = rules::by_id(&id).unwrap();
        // No program reads a CSV in which this very field has another type.
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
