//! The steps of a published bundle: checked by its author, added to an index, checked there, rendered as a catalog,
//! checked again, and converted to a database again.

use opmx::bundle::{self, MediaType};
use opmx::catalog::file_based::limits::CatalogLimits;
use opmx::catalog::file_based::migrate::Level;
use opmx::catalog::file_based::write::Language;
use opmx::catalog::graph::Mode;
use opmx::database::add::{Additions, Policy};
use opmx::database::change::{ChangeOptions, Target};
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
use opmx::index::render::sources::{Form, RenderSource, SourceOptions};
use opmx::rules::{self, Gate};
use opmx::text::Limits;
use opmx::tree::Tree;
use opmx::validation::{Strictness, check_reading};
use std::path::Path;
use std::sync::Arc;

/// How far a bundle got.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Errors are reported to its author.
    Authored,
    /// An index accepts it.
    Taken,
}

pub(crate) fn errors(findings: &[Diagnostic]) -> String {
    let errors = findings.iter().filter(|finding| finding.is_error());
    errors.map(|finding| format!("\n    {finding}")).collect()
}

/// Sends a bundle through the steps, into an index that may contain the previous version. Returns the inconsistencies,
/// and how far it got.
pub(crate) fn send(tree: &Tree, before: Option<&Record>) -> (Vec<String>, Vec<Step>) {
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
    let gate = match prepared.media_type {
        MediaType::RegistryV1 => Gate::Intake,
        MediaType::K8sV1 => Gate::PlainIntake,
    };
    for finding in &prepared.diagnostics {
        if finding.rule.at(gate).is_none() {
            broken.push(format!("is told what is not looked for at intake: {finding}"));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let database = path("index.db");
    // Which versions and channels are there is no question of one bundle alone.
    let tries = [(true, Mode::Replaces), (false, Mode::Replaces), (true, Mode::Semver)];
    let refused = tries.map(|(with_before, mode)| {
        if database.exists() {
            return None;
        }
        let mut additions = Additions::new(folder.path());
        if let Some(before) = before.filter(|_| with_before) {
            additions.push(before).unwrap();
        }
        additions.push(&prepared.record).unwrap();
        let policy = Policy {
            mode,
            ..Policy::default()
        };
        let to = Target::InPlace(&database);
        additions.commit(policy, &to, &ChangeOptions::default()).err()
    });
    // Without a version it counts as the lowest of all, and another bundle may have the default channel.
    let about_others = [&rules::INDEX_VERSION_MISSING, &rules::ANN_DEFAULT_CHANNEL_UNKNOWN];
    let mut findings = prepared.diagnostics.iter();
    if !database.exists() && findings.any(|finding| about_others.contains(&finding.rule)) {
        return (broken, steps);
    }
    if !database.exists() {
        let refused = refused.into_iter().flatten().map(|error| error.to_string());
        let refused: Vec<String> = refused.collect();
        broken.push(format!("is prepared and not added: {}", refused.join("; ")));
        return (broken, steps);
    }
    broken.extend(broken_after(&database, folder.path()));
    (broken, steps)
}

/// The rejections of a new database: by its check, by its conversion to a catalog, and by reading the catalog. The
/// files are written to `folder`.
pub(crate) fn broken_after(database: &Path, folder: &Path) -> Vec<String> {
    let mut broken = Vec::new();
    let found = check(&Database::open(database).unwrap()).unwrap();
    if has_errors(&found) {
        broken.push(format!("fails the check of the index:{}", errors(&found)));
    }
    broken.extend(as_catalog(database, &folder.join("catalog"), &folder.join("again.db")).err());
    broken
}

/// Converts a database to a catalog and back.
fn as_catalog(database: &Path, catalog: &Path, again: &Path) -> Result<(), String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let transports = Transports::new(image::ImageOptions::default(), Arc::new(image::Silent));
    let opening = SourceOptions::default();
    let opened = RenderSource::open(database.to_str().unwrap(), &transports, &opening);
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
    let again = Target::Copy {
        from: None,
        to: again,
        shown: again,
    };
    import(
        &folder(),
        limits,
        &Strictness::default(),
        &again,
        &ChangeOptions::default(),
    )
    .map_err(|error| format!("does not become a database again: {error}"))?;
    Ok(())
}
