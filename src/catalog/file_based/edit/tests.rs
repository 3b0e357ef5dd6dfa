use super::*;
use crate::catalog::file_based::draft::{Deprecated, Draft, DraftError, Target};
use crate::catalog::file_based::shown::Shown;
use serde_json::json;
use std::fs;

const CATALOG: &str = include_str!("../../../../testdata/rake.yaml");

fn catalog() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("rake")).unwrap();
    fs::write(folder.path().join("rake/catalog.yaml"), CATALOG).unwrap();
    folder
}

fn text(folder: &Path) -> String {
    fs::read_to_string(folder.join("rake/catalog.yaml")).unwrap()
}

/// Changes the package and writes the result.
fn change(folder: &Path, change: impl FnOnce(&mut Draft) -> Result<(), DraftError>) -> Result<usize, CatalogEditError> {
    let mut editor = Editor::open(folder, CatalogLimits::default())?;
    editor.change("rake", change)?;
    let edited = editor.finish()?;
    edited.write()?;
    Ok(edited.files.len())
}

fn bundle(name: &str) -> Target {
    Target {
        channel: None,
        bundle: Some(name.to_owned()),
    }
}

#[test]
fn removing_a_document_leaves_the_others_unchanged() {
    let folder = catalog();
    change(folder.path(), |draft| draft.remove(&[bundle("1.0.0")], None).map(drop)).unwrap();
    insta::assert_snapshot!(text(folder.path()), @"
    ---
    # The garden's tools.
    schema: olm.package   # the rake
    name: rake
    defaultChannel: stable
    ---
    schema: olm.channel
    package: rake
    name: stable   # for everybody
    entries:
      - name: rake.v1.2.0
        replaces: rake.v1.1.0
      # a bad one
      - name: rake.v1.1.0
        skips:
          - rake.v1.0.0
    ---
    schema: olm.channel
    package: rake
    name: test
    entries:
      - name: rake.v1.2.0
    ---
    schema: olm.bundle
    package: rake
    name: rake.v1.1.0
    image: registry.example.com/rake:1.1.0
    properties:
    - type: olm.package
      value: {packageName: rake, version: 1.1.0}
    ---
    schema: olm.bundle
    package: rake
    name: rake.v1.2.0
    image: registry.example.com/rake:1.2.0
    properties:
    - type: olm.package
      value: {packageName: rake, version: 1.2.0}
    ");
}

#[test]
fn an_added_document_follows_its_package_and_can_be_removed() {
    let folder = catalog();
    change(folder.path(), |draft| {
        draft.deprecate(&Deprecated::Package, "Use the hoe.")
    })
    .unwrap();
    insta::assert_snapshot!(text(folder.path()).strip_prefix(CATALOG).unwrap(), @"
    ---
    schema: olm.deprecations
    package: rake
    entries:
    - reference:
        schema: olm.package
      message: Use the hoe.
    ");
    let again = change(folder.path(), |draft| {
        draft.deprecate(&Deprecated::Package, "Use the hoe.")
    });
    assert_eq!(again.unwrap(), 0, "nothing changes");
    change(folder.path(), |draft| draft.undeprecate(&Deprecated::Package).map(drop)).unwrap();
    assert_eq!(text(folder.path()), CATALOG);
}

#[test]
fn json_keeps_its_format() {
    let folder = catalog();
    let file = folder.path().join("rake/catalog.yaml");
    let mut json = String::new();
    for piece in CATALOG.split("\n---") {
        let document = text::read(
            "x",
            piece.split_once('\n').unwrap().1.as_bytes(),
            &text::Limits::default(),
        );
        let value = document.documents[0].value().clone();
        json.push_str(&serde_json::to_string_pretty(&value).unwrap());
        json.push('\n');
    }
    fs::remove_file(file).unwrap();
    let file = folder.path().join("rake/catalog.json");
    fs::write(&file, &json).unwrap();
    change(folder.path(), |draft| {
        draft.deprecate(&Deprecated::Package, "Use the hoe.")
    })
    .unwrap();
    insta::assert_snapshot!(fs::read_to_string(&file).unwrap().strip_prefix(&json).unwrap(), @r#"
    {
      "schema": "olm.deprecations",
      "package": "rake",
      "entries": [
        {
          "reference": {
            "schema": "olm.package"
          },
          "message": "Use the hoe."
        }
      ]
    }
    "#);
    change(folder.path(), |draft| draft.undeprecate(&Deprecated::Package).map(drop)).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), json);
}

#[test]
fn line_endings_are_kept() {
    let folder = catalog();
    let file = folder.path().join("rake/catalog.yaml");
    let dos = CATALOG.replace('\n', "\r\n");
    fs::write(&file, &dos).unwrap();
    change(folder.path(), |draft| draft.rename("stable", "fast")).unwrap();
    change(folder.path(), |draft| {
        draft.deprecate(&Deprecated::Package, "Use the hoe.")
    })
    .unwrap();
    assert!(!text(folder.path()).replace("\r\n", "").contains('\n'));
    change(folder.path(), |draft| draft.undeprecate(&Deprecated::Package).map(drop)).unwrap();
    change(folder.path(), |draft| draft.rename("fast", "stable")).unwrap();
    assert_eq!(text(folder.path()), dos);
}

#[test]
fn removing_a_package_removes_its_file() {
    let folder = catalog();
    fs::write(folder.path().join("other.yaml"), CATALOG.replace("rake", "hoe")).unwrap();
    change(folder.path(), |draft| {
        draft.remove(&[Target::default()], None).map(drop)
    })
    .unwrap();
    assert!(!folder.path().join("rake").exists());
    assert!(folder.path().join("other.yaml").exists());
}

#[test]
fn new_errors_are_rejected_and_existing_ones_tolerated() {
    let folder = catalog();
    fs::write(
        folder.path().join("more.yaml"),
        CATALOG.replace("rake", "hoe").replace("1.2.0}", "x}"),
    )
    .unwrap();
    change(folder.path(), |draft| draft.rename("stable", "fast")).unwrap();
    let broken = change(folder.path(), |draft| {
        draft.channels[0].entries[1].name = "rake.v3.0.0".to_owned();
        Ok(())
    });
    let Err(CatalogEditError::Findings { findings, .. }) = broken else {
        panic!("{broken:?}")
    };
    let place = findings[0].place.as_ref().unwrap().source.name().to_owned();
    assert!(Path::new(&place).ends_with("rake/catalog.yaml"), "{place}");
    assert!(text(folder.path()).contains("rake.v1.0.0"));
}

#[test]
fn a_package_is_changed_only_once() {
    let folder = catalog();
    let mut editor = Editor::open(folder.path(), CatalogLimits::default()).unwrap();
    let mut change = || editor.change("rake", |draft| draft.remove(&[bundle("1.0.0")], None).map(drop));
    change().unwrap();
    let refused = change().unwrap_err();
    assert!(matches!(refused, CatalogEditError::Again { package } if package == "rake"));
}

#[test]
fn a_change_of_a_package_that_just_received_bundles_is_refused_for_that_reason() {
    let folder = catalog();
    let mut editor = Editor::open(folder.path(), CatalogLimits::default()).unwrap();
    add_package(&mut editor, "fork").unwrap();
    let refused = editor.change("fork", |draft| draft.remove(&[bundle("fork.v1.0.0")], None).map(drop));
    assert!(matches!(refused.unwrap_err(), CatalogEditError::Again { package } if package == "fork"));
}

#[test]
fn a_package_that_stays_the_same_is_not_changed_by_the_new_file_of_another() {
    let folder = catalog();
    let other = CATALOG.replace("rake", "hoe").replace("1.2.0}", "x}");
    fs::write(folder.path().join("hoe.yaml"), other).unwrap();
    let mut editor = Editor::open(folder.path(), CatalogLimits::default()).unwrap();
    add_package(&mut editor, "fork").unwrap();
    editor.change("hoe", |_| Ok(())).unwrap();
    editor.change("hoe", |_| Ok(())).unwrap();
    let edited = editor.finish().unwrap();
    assert_eq!(edited.files.keys().collect::<Vec<_>>(), ["fork/catalog.yaml"]);
    assert!(edited.findings.is_empty(), "{:?}", edited.findings);
}

#[test]
fn new_errors_in_a_copy_are_reported_with_the_name_of_the_catalog() {
    let folder = catalog();
    let editor = Editor::open(folder.path(), CatalogLimits::default()).unwrap();
    let mut editor = editor.shown_as("my/catalog".into());
    let changed = editor.change("rake", |draft| {
        draft.channels[0].entries[1].name = "rake.v3.0.0".to_owned();
        Ok(())
    });
    changed.unwrap();
    let Err(CatalogEditError::Findings { folder, findings }) = editor.finish() else {
        panic!("the catalog is valid")
    };
    assert_eq!(folder, Path::new("my/catalog"));
    let place = findings[0].place.as_ref().unwrap();
    assert_eq!(place.source.name(), "my/catalog/rake/catalog.yaml");
}

#[test]
fn a_document_with_a_repeated_key_is_not_changed() {
    let folder = catalog();
    let repeated = CATALOG.replace("name: rake\n", "name: rack\nname: rake\n");
    fs::write(folder.path().join("rake/catalog.yaml"), &repeated).unwrap();
    let error = change(folder.path(), |draft| draft.rename("stable", "fast")).unwrap_err();
    let expected = "rake/catalog.yaml:5: the key `name` appears twice in one map";
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(text(folder.path()), repeated);
}

#[test]
fn duplicate_or_misplaced_documents_are_rejected() {
    let folder = catalog();
    fs::write(
        folder.path().join("again.yaml"),
        "schema: olm.channel\npackage: rake\nname: stable\n",
    )
    .unwrap();
    let twice = change(folder.path(), |draft| draft.rename("stable", "fast")).unwrap_err();
    assert!(
        twice
            .to_string()
            .contains("a second document for channel \"stable\" of package \"rake\"; the first is at "),
        "{twice}"
    );

    let folder = catalog();
    let elsewhere = tempfile::tempdir().unwrap();
    let file = folder.path().join("rake/catalog.yaml");
    fs::rename(&file, elsewhere.path().join("catalog.yaml")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("catalog.yaml"), &file).unwrap();
    let outside = change(folder.path(), |draft| draft.rename("stable", "fast")).unwrap_err();
    assert!(
        outside
            .to_string()
            .contains("is a link to a file outside the catalog; replace the link"),
        "{outside}"
    );
    assert_eq!(text(folder.path()), CATALOG);

    let folder = catalog();
    let aliased = CATALOG.replace("name: stable ", "name: &n stable\nx-name: *n ");
    fs::write(folder.path().join("rake/catalog.yaml"), &aliased).unwrap();
    let alias = change(folder.path(), |draft| draft.rename("stable", "fast")).unwrap_err();
    assert!(alias.to_string().contains("rake/catalog.yaml:9:"), "{alias}");
    assert_eq!(text(folder.path()), aliased);
}

/// Adds a bundle to a new package, and writes the result.
fn begin(folder: &Path, package: &str) -> Result<(), CatalogEditError> {
    let mut editor = Editor::open(folder, CatalogLimits::default())?;
    add_package(&mut editor, package)?;
    Ok(editor.finish()?.write()?)
}

/// Adds a bundle to a new package.
fn add_package(editor: &mut Editor, package: &str) -> Result<(), CatalogEditError> {
    let version = json!({"type": "olm.package", "value": {"packageName": package, "version": "1.0.0"}});
    let name = format!("{package}.v1.0.0");
    let bundle = NewBundle {
        shown: Shown::default(),
        stated: [].into(),
        document: json!({"schema": "olm.bundle", "package": package, "name": name, "image": "registry.example.com/x",
            "properties": [version]}),
        entry: super::super::WrittenEntry {
            name,
            ..Default::default()
        },
        version: None,
        channels: vec!["stable".to_owned()],
        default_channel: None,
    };
    editor.add(package, &[bundle], &Placement::default())?;
    Ok(())
}

#[test]
fn a_new_package_gets_its_own_file_and_replaces_none() {
    // A catalog in a single file remains a single file.
    let single = tempfile::tempdir().unwrap();
    let file = single.path().join("catalog.yaml");
    fs::write(&file, CATALOG).unwrap();
    begin(single.path(), "hoe").unwrap();
    let both = fs::read_to_string(&file).unwrap();
    assert!(both.starts_with(CATALOG) && both.contains("package: hoe"));

    // A folder that is named after its only package receives no other package.
    let folder = catalog();
    begin(folder.path(), "hoe").unwrap();
    assert!(folder.path().join("hoe/catalog.yaml").is_file());
    assert_eq!(text(folder.path()), CATALOG);

    fs::write(folder.path().join("more.yaml"), CATALOG.replace("rake", "spade")).unwrap();
    begin(folder.path(), "fork").unwrap();
    assert!(folder.path().join("fork/catalog.yaml").is_file());

    // Files of another package, or of none, are unchanged.
    fs::create_dir(folder.path().join("saw")).unwrap();
    fs::write(folder.path().join("saw/catalog.yaml"), CATALOG.replace("rake", "axe")).unwrap();
    begin(folder.path(), "saw").unwrap();
    let both = fs::read_to_string(folder.path().join("saw/catalog.yaml")).unwrap();
    assert!(both.contains("name: axe") && both.contains("name: saw"));
    fs::create_dir(folder.path().join("file")).unwrap();
    fs::write(folder.path().join("file/catalog.yaml"), "mine").unwrap();
    fs::write(folder.path().join(".indexignore"), "file").unwrap();
    assert!(begin(folder.path(), "file").is_err());
    assert_eq!(
        fs::read_to_string(folder.path().join("file/catalog.yaml")).unwrap(),
        "mine"
    );

    for name in ["../out", "/out", ".", "a/b", ""] {
        let error = begin(folder.path(), name).unwrap_err().to_string();
        assert!(error.contains("lowercase letters"), "{name}: {error}");
    }
    assert!(!folder.path().join("../out").exists());
}

#[test]
fn new_bundles_use_the_layout_of_their_neighbours() {
    use crate::catalog::file_based::migrate::Level;
    let level = |package: &str, kind: &str| {
        let folder = tempfile::tempdir().unwrap();
        let text = CATALOG.replace(
            "- type: olm.package\n",
            &format!("- {{type: {kind}, value: {{}}}}\n- type: olm.package\n"),
        );
        fs::write(folder.path().join("rake.yaml"), text).unwrap();
        let editor = Editor::open(folder.path(), CatalogLimits::default()).unwrap();
        editor.level(package).unwrap()
    };
    for package in ["rake", "new"] {
        assert_eq!(
            level(package, "olm.csv.metadata"),
            Some(Level::BundleObjectToCsvMetadata)
        );
        assert_eq!(level(package, "olm.bundle.object"), Some(Level::None));
        assert_eq!(level(package, "other"), None);
    }
}

/// Returns the new file for the bundle 1.2.0 of a package whose bundles 1.0.0 and 1.1.0 are in these files.
fn file_beside(files: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let bundle = |version: &str| {
        json!({
            "schema": "olm.bundle",
            "package": "rake",
            "name": format!("rake.v{version}"),
            "image": format!("registry.example.com/rake:{version}"),
            "properties": [{"type": "olm.package", "value": {"packageName": "rake", "version": version}}],
        })
    };
    fs::write(
        folder.path().join("rake.json"),
        r#"{"schema":"olm.package","name":"rake"}"#,
    )
    .unwrap();
    for (file, version) in files.iter().zip(["1.0.0", "1.1.0"]) {
        let file = folder.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let before = fs::read_to_string(&file).unwrap_or_default();
        fs::write(file, format!("{before}{}\n", bundle(version))).unwrap();
    }
    let mut editor = Editor::open(folder.path(), CatalogLimits::default()).unwrap();
    let documents = editor.documents("rake").unwrap();
    let kept = (0..documents.values.len()).map(Revised::Kept);
    let revised = kept.chain([Revised::New(bundle("1.2.0"))]).collect();
    editor.revise(&documents, revised).unwrap();
    assert_eq!(editor.new_files.len() + editor.edits.len(), 1);
    editor.new_files.into_keys().next()
}

#[test]
fn the_file_of_a_new_bundle_is_named_like_the_files_of_the_others() {
    for (files, expected) in [
        (&["rake.v1.0.0.json", "rake.v1.1.0.json"][..], Some("rake.v1.2.0.json")),
        (&["b/v1.0.0.json", "b/v1.1.0.json"], Some("b/v1.2.0.json")),
        (&["bundle-1.0.0.json"], Some("bundle-1.2.0.json")),
        (
            &["rake.v1.0.0/bundle.json", "rake.v1.1.0/bundle.json"],
            Some("rake.v1.2.0/bundle.json"),
        ),
        (&["1.0.0/v1.0.0.json", "1.1.0/v1.1.0.json"], Some("1.2.0/v1.2.0.json")),
        // No pattern: two names that do not depend on the bundle in the same way.
        (&["b/first.json", "b/second.json"], Some("b/rake.v1.2.0.json")),
        (&["b/v1.0.0.json", "b/1.1.0.json"], Some("b/rake.v1.2.0.json")),
        (&["b/11.0.0.json", "b/11.1.0.json"], Some("b/rake.v1.2.0.json")),
        // Not one file for each bundle.
        (&["bundles.json", "bundles.json"], None),
        (&["bundles.json"], None),
        (&["rake.json", "rake.v1.1.0.json"], None),
        // The name is taken.
        (&["rake.v1.2.0.json", "rake.v1.1.0.json"], None),
    ] {
        assert_eq!(file_beside(files).as_deref(), expected, "{files:?}");
    }
}
