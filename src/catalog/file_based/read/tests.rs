use super::super::write::{Language, write};
use super::*;

fn catalog(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<FileBasedCatalog, CatalogError>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let catalog = FileBasedCatalog::open(folder.path(), CatalogLimits::default());
    (folder, catalog)
}

fn error(files: &[(&str, &str)]) -> String {
    catalog(files).1.unwrap_err().to_string()
}

#[test]
fn yaml_and_json_files_form_one_catalog_in_canonical_order() {
    let (_folder, catalog) = catalog(&[
        (
            "b/any.txt",
            "{\"schema\":\"olm.bundle\",\"package\":\"b\",\"name\":\"b.v2\"} {\"schema\":\"other\",\"x\":1}",
        ),
        (
            "a.yaml",
            "---\n# nothing\n---\nschema: olm.deprecations\npackage: b\n---\nschema: olm.bundle\npackage: b\nname: b.v1\n",
        ),
        (
            "z",
            "schema: olm.channel\nname: stable\npackage: b\n---\nschema: custom\npackage: b\n",
        ),
        ("y.json", "\u{FEFF}{\"schema\":\"olm.package\",\"name\":\"b\"}"),
        ("empty", ""),
    ]);
    let catalog = catalog.unwrap();
    let handles = catalog.handles.iter();
    let shown: Vec<_> = handles.map(|handle| (handle.schema.name(), &*handle.name)).collect();
    assert_eq!(
        shown,
        [
            ("olm.package", "b"),
            ("olm.channel", "stable"),
            ("olm.bundle", "b.v1"),
            ("olm.bundle", "b.v2"),
            ("custom", ""),
            ("olm.deprecations", ""),
            ("other", ""),
        ]
    );
    assert_eq!(catalog.handles[2].line, 7);
    assert!(catalog.file(&catalog.handles[2]).ends_with("a.yaml"));
    let mut out = Vec::new();
    let document = catalog.document(&catalog.handles[6]).unwrap();
    write(&document, Language::Json, &mut out).unwrap();
    assert_eq!(out, b"{\n    \"schema\": \"other\",\n    \"x\": 1\n}\n");
}

#[test]
fn ignored_files_are_not_read() {
    let (_folder, catalog) = catalog(&[
        (".indexignore", "README.md\n*.txt\n!keep.txt\n/build/\n"),
        ("README.md", "# A catalog"),
        ("sub/drop.txt", "x"),
        ("sub/keep.txt", "schema: a"),
        ("build/x", "x"),
        ("sub/build/x", "schema: b"),
        (".hidden", "schema: c"),
    ]);
    let schemas: Vec<_> = catalog
        .unwrap()
        .handles
        .iter()
        .map(|handle| handle.schema.to_string())
        .collect();
    assert_eq!(schemas, ["a", "b", "c"]);
}

#[test]
fn errors_are_reported_with_file_and_line() {
    let cases = [
        ("schema: a\n---\nb: [\n", "f:3: not YAML"),
        ("schema: a\n---\nb: 1\n", "f:3: the document has no schema"),
        ("{\"schema\":\"a\"}\n{\"schema\":\n}\n", "f:3: expected value"),
        ("{\"schema\":\"a\"}\n]", "f:2: expected the next object"),
        ("{\"schema\":\"a\",", "f:1: the object that begins here is not closed"),
        ("apiVersion: v1\nkind: Service\n", "f:1: this is a Kubernetes manifest"),
        ("- a\n", "f:1: invalid type: sequence, expected an object"),
    ];
    for (content, expected) in cases {
        let found = error(&[("f", content)]);
        assert!(found.contains(expected), "{content:?}: {found}");
        assert!(!found.contains(" at line "), "a second place: {found}");
    }
}

#[test]
fn the_last_value_of_a_repeated_key_wins() {
    for content in [
        "schema: a\nname: draft\nname: final\n",
        r#"{"schema": "a", "name": "draft", "name": "final"}"#,
        r#"{"schema": "a", "name": "draft", "Name": "final"}"#,
    ] {
        let (_folder, catalog) = catalog(&[("f", content)]);
        let catalog = catalog.unwrap();
        let handle = &catalog.handles[0];
        assert_eq!(&*handle.name, "final", "{content}");
        assert_eq!(catalog.document(handle).unwrap().text("name"), "final", "{content}");
    }
}

#[test]
fn concurrently_changed_files_are_detected() {
    let (folder, catalog) = catalog(&[("f", "{\"schema\":\"a\"}")]);
    let catalog = catalog.unwrap();
    fs::write(folder.path().join("f"), "{\"schema\":\"b\"}").unwrap();
    let error = catalog.document(&catalog.handles[0]).unwrap_err();
    assert!(matches!(error, CatalogError::Changed { .. }), "{error}");
}

#[test]
fn errors_name_the_folder_as_the_user_does() {
    let (folder, catalog) = catalog(&[("a/p.yaml", "schema: olm.package\nname: p\n")]);
    drop(catalog);
    let shown = Path::new("image: /configs");
    let open = || FileBasedCatalog::open_shown_as(folder.path(), shown, CatalogLimits::default());
    let catalog = open().unwrap();
    assert_eq!(catalog.file(&catalog.handles[0]), Path::new("image: /configs/a/p.yaml"));
    fs::write(folder.path().join("a/p.yaml"), "schema: olm.package\nname: [p]\n").unwrap();
    let changed = catalog.document(&catalog.handles[0]).unwrap_err().to_string();
    assert_eq!(
        changed,
        "image: /configs/a/p.yaml changed while it was being read; try again"
    );
    let wrong = open().unwrap_err().to_string();
    assert_eq!(wrong, "image: /configs/a/p.yaml:1: name is a list, not a string");
}
