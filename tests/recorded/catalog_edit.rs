//! Edits of published catalogs: unedited parts keep their bytes, and an undone change leaves no traces.

use crate::shared::folder as shared_folder;
use opmx::catalog::file_based::draft::{Deprecated, Draft, DraftError, Target};
use opmx::catalog::file_based::edit::{CatalogEditError, Editor};
use opmx::catalog::file_based::format::format;
use opmx::catalog::file_based::limits::CatalogLimits;
use opmx::text::{self, Limits};
use serde_json::Value;
use std::fs;
use std::path::Path;

const CATALOGS: [&str; 4] = [
    "inline-dependencies-cleared",
    "replaces-single",
    "skips-truncated-many-channels",
    "two-packages-skiprange",
];

/// Changes a package, and returns the number of changed files.
fn change(
    folder: &Path,
    package: &str,
    change: impl FnOnce(&mut Draft) -> Result<(), DraftError>,
) -> Result<usize, CatalogEditError> {
    let mut editor = Editor::open(folder, CatalogLimits::default())?;
    editor.change(package, change)?;
    let edited = editor.finish()?;
    edited.write()?;
    Ok(edited.files.len())
}

/// The packages of a catalog.
fn drafts(folder: &Path) -> Vec<Draft> {
    let editor = Editor::open(folder, CatalogLimits::default()).unwrap();
    let packages = editor.packages().into_iter();
    let draft = |package| Draft::read(package, &editor.documents(package).unwrap().values).unwrap();
    packages.map(draft).collect()
}

/// The same documents as YAML.
fn yaml(json: &str) -> String {
    let documents = text::read("catalog.json", json.as_bytes(), &Limits::default()).documents;
    assert!(!documents.is_empty());
    let texts = documents
        .iter()
        .map(|document| format!("--- # a document\n{}", text::to_yaml(document.value())));
    texts.collect()
}

#[test]
fn a_change_that_is_undone_restores_the_original_bytes() {
    let Some(recorded) = shared_folder("goldens/render") else {
        return;
    };
    for name in CATALOGS {
        let json = fs::read_to_string(recorded.join(name).join("render.json")).unwrap();
        for (file, text) in [("catalog.json", json.clone()), ("catalog.yaml", yaml(&json))] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(file);
            fs::write(&file, &text).unwrap();
            for draft in drafts(folder.path()) {
                let package = draft.name.as_str();
                let channel = draft.channels[0].name.clone();
                let bundle = draft.bundles[0].name.clone();
                let what = [
                    Deprecated::Package,
                    Deprecated::Channel(channel.clone()),
                    Deprecated::Bundle(bundle.clone()),
                ];
                for what in &what {
                    assert_eq!(
                        change(folder.path(), package, |draft| draft.deprecate(what, "old")).unwrap(),
                        1
                    );
                }
                for what in &what {
                    change(folder.path(), package, |draft| draft.undeprecate(what).map(drop)).unwrap();
                }
                assert!(
                    fs::read_to_string(&file).unwrap() == text,
                    "{name}: deprecations of {package}"
                );

                change(folder.path(), package, |draft| draft.copy(&channel, "copied")).unwrap();
                let copied = Target {
                    channel: Some("copied".to_owned()),
                    bundle: None,
                };
                change(folder.path(), package, |draft| draft.remove(&[copied], None).map(drop)).unwrap();
                assert!(
                    fs::read_to_string(&file).unwrap() == text,
                    "{name}: a channel of {package}"
                );

                change(folder.path(), package, |draft| draft.rename(&channel, "renamed")).unwrap();
                change(folder.path(), package, |draft| draft.rename("renamed", &channel)).unwrap();
                assert!(
                    fs::read_to_string(&file).unwrap() == text,
                    "{name}: the name of {channel} of {package}"
                );
            }
        }
    }
}

#[test]
fn formatting_published_catalogs_is_idempotent_and_keeps_their_content() {
    let Some(recorded) = shared_folder("goldens/render") else {
        return;
    };
    let values = |text: &[u8]| -> Vec<Value> {
        let documents = text::read("catalog", text, &Limits::default()).documents;
        documents.iter().map(|document| document.value().clone()).collect()
    };
    for name in CATALOGS {
        let json = fs::read_to_string(recorded.join(name).join("render.json")).unwrap();
        let formatted = |text: &str| format(text.as_bytes(), CatalogLimits::default()).unwrap().content;
        assert!(formatted(&json) == json.as_bytes(), "{name}: the form of opm");
        assert!(
            formatted(&json.replace("    ", " ")) == json.as_bytes(),
            "{name}: less indentation"
        );
        let text = yaml(&json).replace(" # a document", "");
        let wider: String = text.lines().map(wider).collect();
        let once = formatted(&wider);
        assert!(values(&once) == values(json.as_bytes()), "{name}");
        assert!(
            formatted(std::str::from_utf8(&once).unwrap()) == once,
            "{name}: formatted twice"
        );
    }
}

/// A list with comments and other line endings.
fn wider(line: &str) -> String {
    match line.strip_prefix("- ") {
        Some(item) if item.starts_with("name: ") => format!("# of the list\n- {item}   # one of them\r\n"),
        _ => format!("{line}\n"),
    }
}

#[test]
fn removing_a_bundle_changes_only_its_document_and_its_channels() {
    let Some(recorded) = shared_folder("goldens/render") else {
        return;
    };
    let mut removed = 0;
    for name in CATALOGS {
        let json = fs::read_to_string(recorded.join(name).join("render.json")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("catalog.yaml");
        let text = yaml(&json);
        fs::write(&file, &text).unwrap();
        for draft in drafts(folder.path()) {
            let package = draft.name.as_str();
            for bundle in &draft.bundles {
                fs::write(&file, &text).unwrap();
                let target = Target {
                    channel: None,
                    bundle: Some(bundle.name.clone()),
                };
                // A head, or the only bundle of the default channel, may have to stay.
                if change(folder.path(), package, |draft| draft.remove(&[target], None).map(drop)).is_err() {
                    continue;
                }
                removed += 1;
                let after = fs::read_to_string(&file).unwrap_or_default();
                let kept: Vec<&str> = after.split("--- # a document\n").collect();
                let documents = text.split("--- # a document\n");
                let changed = documents.filter(|document| !kept.contains(document)).count();
                let channels = draft.channels.len();
                assert!(
                    changed <= 2 + channels,
                    "{name}: {changed} documents changed without {}",
                    bundle.name
                );
            }
        }
    }
    assert!(removed > 3, "{removed}");
}
