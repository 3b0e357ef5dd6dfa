//! What the commands report about the bundle of an example.

use super::bundles::{Files, Side, files, index_dockerfile};
use opmx::bundle::image::image_of;
use opmx::bundle::{self, BundleLimits};
use opmx::catalog::file_based::check::check as check_catalog;
use opmx::catalog::file_based::limits::CatalogLimits;
use opmx::catalog::release::OperatorFiles;
use opmx::conversion;
use opmx::database::read::Database;
use opmx::database::{check::check, schema};
use opmx::diagnostic::Diagnostic;
use opmx::image::{Digest, ImageError, RegistryError, RegistryFailure, write_layout};
use opmx::index::check::{self, images};
use opmx::index::open::Index;
use opmx::kubernetes::served::{ServedResources, read_table};
use opmx::rules;
use opmx::rules::examples::{Example, INDEX_CHECK, INDEX_DOCKERFILE, RELEASE, VALIDATE};
use opmx::synthesis::Shipping;
use opmx::synthesis::outside::{Outside, learn};
use opmx::text::Limits;
use opmx::tree::{Tree, TreeError, TreeLimits};
use opmx::validation::policy::{self, Terms};
use opmx::validation::validators::{MULTIARCH, Platforms, ValidatorName, ValidatorOptions};
use opmx::validation::{Reference, Request, Validation, check_reading, refused, suites, validate};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Returns the findings of the command that the example names.
pub(crate) fn judge(example: &Example, side: Side) -> Vec<Diagnostic> {
    judge_files(example, side, files(example, side))
}

/// Returns its findings about these files.
pub(crate) fn judge_files(example: &Example, side: Side, files: Files) -> Vec<Diagnostic> {
    if example.command_line {
        return said(example, side, &files);
    }
    if example.command.is_none() {
        return diagnostics(validation_of(example, side, files));
    }
    if example.command.as_deref() == Some(INDEX_CHECK) {
        return checked(example, side);
    }
    let tree = tree(example, side, &files).unwrap();
    let reading = bundle::read(&tree, &Limits::default());
    match example.command.as_deref() {
        Some(VALIDATE) => {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("catalog");
            tree.write_to(&path).unwrap();
            check_catalog(&path, CatalogLimits::default()).unwrap().findings
        }
        Some(RELEASE) => {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("operator");
            tree.write_to(&path).unwrap();
            let mut findings = Vec::new();
            let read = OperatorFiles::read(&path, None, CatalogLimits::default(), &mut findings);
            findings.extend(read.unwrap().released(None).findings);
            findings
        }
        Some("bundle build") => check_reading(&reading),
        Some("bundle convert") => {
            let conversion = conversion::convert(&tree, &reading, "out", &Limits::default());
            let mut findings = conversion.unwrap().unwrap().diagnostics;
            findings.extend(check_reading(&reading).into_iter().filter(Diagnostic::is_error));
            findings.dedup();
            findings
        }
        Some("bundle synthesize") => {
            let mut sources = ServedResources::default();
            for (index, text) in example.sources.iter().enumerate() {
                sources.add(&format!("source-{}.txt", index + 1), read_table(text).unwrap());
            }
            let outside = Outside { samples: None, sources };
            learn(reading.bundle.as_ref().unwrap(), &reading.diagnostics, &outside).findings
        }
        other => panic!("{other:?} is no command of an example"),
    }
}

/// Checks the database of the examples, with the statements of one side.
fn checked(example: &Example, side: Side) -> Vec<Diagnostic> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    schema::create(&connection, 0).unwrap();
    connection.execute_batch(DATABASE).unwrap();
    let (_, statements) = super::bundles::side(example, side);
    connection.execute_batch(&statements.unwrap()).unwrap();
    connection.close().unwrap();
    let index = Database::open(&path).unwrap();
    let mut findings = check(&index).unwrap();
    let index = Index::from(index);
    match example.cluster.as_deref().unwrap_or("proposed") {
        "olm-v1" => check::add_for_olm_v1(&mut findings, &index).unwrap(),
        olm => check::add_for_olm(&mut findings, &index, &olm.parse().unwrap()).unwrap(),
    }
    if let Some(terms) = terms(example) {
        let location = path.to_str().unwrap().parse().unwrap();
        findings.extend(check::against_policy(&index, &location, &terms).unwrap());
    }
    if let Some(registries) = &example.platforms {
        let wanted = images::wanted(&index, images::Which::Bundles).unwrap();
        let answers = wanted
            .iter()
            .map(|wanted| (wanted, Some(answer(registries, &wanted.image))));
        findings.extend(images::findings(answers.collect(), |_| None));
    }
    findings
}

/// Returns the answer of an example's registries to a request for an image.
fn answer(registries: &BTreeMap<String, Vec<String>>, image: &str) -> Result<(), ImageError> {
    let failure = match registries.get(image) {
        Some(platforms) if !platforms.is_empty() => return Ok(()),
        Some(_) => RegistryFailure::NotFound {
            is_named: true,
            message: String::new(),
        },
        None => RegistryFailure::Connection {
            cause: "no route".to_owned(),
        },
    };
    Err(ImageError::Registry(Box::new(RegistryError {
        image: image.to_owned(),
        request: "HEAD".to_owned(),
        failure: Arc::new(failure),
        attempts: 1,
    })))
}

/// A database that breaks no rule.
const DATABASE: &str = "
    INSERT INTO operatorbundle VALUES
        ('memcached-operator.v1.0.0', '{}', '{}', '', '', '1.0.0', '', '', ''),
        ('memcached-operator.v1.1.0', '{}', '{}', '', '', '1.1.0', 'memcached-operator.v1.0.0', '', '');
    INSERT INTO channel VALUES ('stable', 'memcached-operator', 'memcached-operator.v1.1.0');
    INSERT INTO package VALUES ('memcached-operator', 'stable');
    INSERT INTO channel_entry VALUES
        (1, 'stable', 'memcached-operator', 'memcached-operator.v1.1.0', 2, 0),
        (2, 'stable', 'memcached-operator', 'memcached-operator.v1.0.0', NULL, 1);
";

/// Writes the image of a bundle to the layout `memcached-image`, and an index of it for two platforms to
/// `memcached-index`.
fn write_index(bundle: &Tree, folder: &Path) {
    let image = image_of(bundle, &BTreeMap::new(), 0).unwrap();
    write_layout(&image, &folder.join("memcached-image"), Some("v1")).unwrap();
    let layout = folder.join("memcached-index");
    write_layout(&image, &layout, None).unwrap();
    let platform = |architecture: &str| {
        json!({
            "mediaType": image.media_type(), "digest": image.digest().to_string(), "size": image.manifest().len(),
            "platform": {"os": "linux", "architecture": architecture},
        })
    };
    let media_type = "application/vnd.oci.image.index.v1+json";
    let manifests = [platform("amd64"), platform("arm64")];
    let index = json!({"schemaVersion": 2, "mediaType": media_type, "manifests": manifests}).to_string();
    let digest = Digest::of(index.as_bytes());
    std::fs::write(layout.join("blobs/sha256").join(digest.hex()), &index).unwrap();
    let tag = json!({
        "mediaType": media_type, "digest": digest.to_string(), "size": index.len(),
        "annotations": {"org.opencontainers.image.ref.name": "v1"},
    });
    let all = json!({"schemaVersion": 2, "manifests": [tag]}).to_string();
    std::fs::write(layout.join("index.json"), all).unwrap();
}

/// Returns the findings of the command line, run in a folder with the bundle.
fn said(example: &Example, side: Side, files: &Files) -> Vec<Diagnostic> {
    let (_, command) = super::bundles::side(example, side);
    let command = command.unwrap();
    let words = command.split_whitespace().skip(1).chain(["-o", "json"]);
    let folder = tempfile::tempdir().unwrap();
    let bundle = tree(example, side, files).unwrap();
    bundle.write_to(&folder.path().join("memcached")).unwrap();
    write_index(&bundle, folder.path());
    let mut process = Command::new(env!("CARGO_BIN_EXE_opmx"));
    let output = process.args(words).current_dir(folder.path()).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let report = report.pointer("/bundles/0").unwrap_or(&report);
    let findings = report["findings"].as_array().unwrap().iter();
    let finding = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().unwrap();
        Diagnostic::new(rules::by_id(text("rule")).unwrap(), text("message"))
    };
    findings.map(finding).collect()
}

/// Returns the result of `bundle validate`; `None` if the example needs another command.
pub(crate) fn validation(example: &Example, side: Side) -> Option<Validation> {
    let validates = example.command.is_none() && !example.command_line;
    validates.then(|| validation_of(example, side, files(example, side)))
}

fn validation_of(example: &Example, side: Side, files: Files) -> Validation {
    let judge = example.judge.as_deref();
    let reference = judge.map(|judge| match judge {
        "opm" => Reference::Opm,
        "operator-sdk" => Reference::OperatorSdk,
        "api" => Reference::Api,
        other => panic!("{other} is no program to judge as"),
    });
    let validators = example
        .suite
        .as_deref()
        .map(|suite| suites::validators_of(suite).unwrap());
    let mut validation = run(example, side, files, reference, validators.unwrap_or_default());
    if reference == Some(Reference::Api) {
        // Reported for every bundle.
        validation
            .findings
            .retain(|finding| finding.diagnostic.rule.id != "hub-v1-deprecated");
    }
    validation
}

/// Returns the findings of all suites together.
pub(crate) fn everything(example: &Example, side: Side) -> Vec<Diagnostic> {
    if example.command.as_deref() == Some(INDEX_CHECK) {
        return checked(example, side);
    }
    if [Some(VALIDATE), Some(RELEASE)].contains(&example.command.as_deref()) {
        return judge(example, side);
    }
    let mut all = suites::validators_of("all").unwrap();
    all.extend(example.platforms.is_some().then_some(MULTIARCH));
    diagnostics(run(example, side, files(example, side), None, all))
}

fn run(
    example: &Example,
    side: Side,
    mut files: Files,
    reference: Option<Reference>,
    validators: Vec<ValidatorName>,
) -> Validation {
    let index_dockerfile = index_dockerfile(&mut files).map(|text| (INDEX_DOCKERFILE.to_owned(), text));
    let tree = match tree(example, side, &files) {
        Ok(tree) => tree,
        Err(error) => return refused("bundle", &error).unwrap(),
    };
    let flag = |name: &str, usual: usize| {
        example
            .flags
            .get(name)
            .map_or(usual, |limit| usize::try_from(*limit).unwrap())
    };
    let usual = Limits::default();
    let request = Request {
        validators,
        reference,
        options: ValidatorOptions {
            categories: example.categories.clone(),
            index_dockerfile,
            platforms: example.platforms.as_ref().map(platforms),
            ..ValidatorOptions::default()
        },
        policy: terms(example),
        shipping: Shipping::Plain,
        outside: None,
        limits: BundleLimits {
            text: Limits {
                file_bytes: flag("max-file-size", usual.file_bytes),
                depth: flag("max-depth", usual.depth),
                documents: flag("max-documents", usual.documents),
                values: flag("max-values", usual.values),
            },
            ..BundleLimits::default()
        },
    };
    validate(&tree, &request)
}

/// Returns the terms of an example's policy.
fn terms(example: &Example) -> Option<Terms> {
    let policy = example.policy.as_ref()?;
    let policy = policy::read("policy.yaml", policy.as_bytes(), &Limits::default()).unwrap();
    Some(policy.terms(None, &[]))
}

/// Returns the platforms that registries report for the images.
fn platforms(images: &BTreeMap<String, Vec<String>>) -> Platforms {
    let answer = |names: &Vec<String>| match &names[..] {
        [] => Err("the registry does not have it".to_owned()),
        names => Ok(names.iter().map(|name| name.parse().unwrap()).collect()),
    };
    images
        .iter()
        .map(|(image, names)| (image.clone(), answer(names)))
        .collect()
}

/// Returns the files as a tree. A link needs a folder on disk.
fn tree(example: &Example, side: Side, files: &Files) -> Result<Tree, TreeError> {
    let mut limits = TreeLimits::default();
    if let Some(files) = example.flags.get("max-files") {
        limits.files = usize::try_from(*files).unwrap();
    }
    if let (Some(link), Side::Wrong) = (&example.link, side) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(&example.file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(link, path).unwrap();
        return Tree::from_directory(folder.path(), &limits);
    }
    let mut tree = Tree::new("bundle");
    for (path, content) in files {
        tree.insert(path, content.clone(), &limits)?;
    }
    Ok(tree)
}

fn diagnostics(validation: Validation) -> Vec<Diagnostic> {
    let findings = validation.findings.into_iter();
    findings.map(|finding| finding.diagnostic).collect()
}
