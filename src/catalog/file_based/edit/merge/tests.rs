use super::*;
use crate::catalog::file_based::read::FileBasedCatalog;
use proptest::prelude::*;
use std::fs;

const RAKE: &str = "\
# The garden's tools.
---
schema: olm.package
name: rake
defaultChannel: stable
---
schema: olm.channel
package: rake
name: stable
entries:
  - name: rake.v1.0.0 # the first
--- # bundles
schema: olm.bundle
name: rake.v1.0.0
package: rake
image: registry.example.com/rake:1.0.0
properties:
- type: olm.package
  value: {packageName: rake, version: 1.0.0}
";

const NEXT: &str = "\
schema: olm.channel
package: rake
name: stable
entries:
- name: rake.v2.0.0
  replaces: rake.v1.0.0
- name: rake.v1.0.0
---
schema: olm.channel
package: rake
name: fast
entries:
- name: rake.v2.0.0
---
# the second
schema: olm.bundle
name: rake.v2.0.0
package: rake
image: registry.example.com/rake:2.0.0
properties:
- type: olm.package
  value: {packageName: rake, version: 2.0.0}
---
schema: olm.package
name: rake
description: For leaves.
";

/// Creates folders with these files, and returns them with a path for one more folder.
fn folders(catalogs: &[&[(&str, &str)]]) -> (tempfile::TempDir, Vec<PathBuf>, PathBuf) {
    let around = tempfile::tempdir().unwrap();
    let mut folders = Vec::new();
    for (number, files) in catalogs.iter().enumerate() {
        let folder = around.path().join(number.to_string());
        files::place(&folder, files.iter().map(|(path, text)| (*path, text.as_bytes()))).unwrap();
        folders.push(folder);
    }
    let output = around.path().join("output");
    (around, folders, output)
}

fn merged(catalogs: &[&[(&str, &str)]], preferred: Option<usize>) -> Result<BTreeMap<String, String>, String> {
    let (around, folders, output) = folders(catalogs);
    let result = merge(&folders, preferred, &output, CatalogLimits::default());
    result.map_err(|error| {
        assert!(!output.exists());
        let around = format!("{}/", around.path().display());
        error.to_string().replace(&around, "")
    })?;
    let files = walkdir::WalkDir::new(&output).into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file()).map(|entry| {
        let inside = entry.path().strip_prefix(&output).unwrap().display().to_string();
        (inside, fs::read_to_string(entry.path()).unwrap())
    });
    Ok(files.collect())
}

#[test]
fn packages_of_one_catalog_are_copied_byte_for_byte() {
    let hoe = RAKE.replace("rake", "hoe");
    let spade = format!("{}{}", RAKE.replace("rake", "spade"), "---\n# the end");
    let both = format!("{hoe}---\n{spade}");
    let json = "{\"schema\":\"garden\"}\n  {\"schema\":\"garden\",\"a\":1}";
    let files = merged(
        &[
            &[("all.yaml", RAKE), ("garden.json", json)],
            &[("deep/other.yml", &both)],
        ],
        None,
    )
    .unwrap();
    assert_eq!(files["rake/catalog.yaml"], RAKE);
    assert_eq!(files["hoe/catalog.yaml"], hoe);
    assert_eq!(files["spade/catalog.yaml"], format!("---\n{spade}"));
    assert_eq!(files["catalog.json"], json);
    assert_eq!(files.len(), 4);
}

#[test]
fn the_content_of_a_package_in_several_catalogs_is_merged() {
    let files = merged(&[&[("rake.yaml", RAKE)], &[("next.yaml", NEXT)]], None).unwrap();
    insta::assert_snapshot!(files["rake/catalog.yaml"], @"
    # The garden's tools.
    ---
    schema: olm.package
    name: rake
    defaultChannel: stable
    description: For leaves.
    ---
    schema: olm.channel
    package: rake
    name: stable
    entries:
      - name: rake.v2.0.0
        replaces: rake.v1.0.0
      - name: rake.v1.0.0 # the first
    ---
    schema: olm.channel
    package: rake
    name: fast
    entries:
    - name: rake.v2.0.0
    --- # bundles
    schema: olm.bundle
    name: rake.v1.0.0
    package: rake
    image: registry.example.com/rake:1.0.0
    properties:
    - type: olm.package
      value: {packageName: rake, version: 1.0.0}
    ---
    # the second
    schema: olm.bundle
    name: rake.v2.0.0
    package: rake
    image: registry.example.com/rake:2.0.0
    properties:
    - type: olm.package
      value: {packageName: rake, version: 2.0.0}
    ");
    let again = merged(
        &[
            &[("a.yaml", &files["rake/catalog.yaml"])],
            &[("b.yaml", NEXT)],
            &[("c.yaml", RAKE)],
        ],
        None,
    );
    assert_eq!(again.unwrap(), files);
}

#[test]
fn differences_are_an_error_or_resolved_by_the_preferred_catalog() {
    let other = RAKE
        .replace("rake:1.0.0", "rake:new")
        .replace("defaultChannel: stable", "defaultChannel: fast")
        .replace("# the first", "\n    skips: [rake.v0.9.0]")
        + "---\nschema: olm.channel\npackage: rake\nname: fast\nentries: [{name: rake.v1.0.0}]\n";
    let catalogs: [&[(&str, &str)]; 2] = [&[("rake.yaml", RAKE)], &[("other.yaml", &other)]];
    let error = merged(&catalogs, None).unwrap_err();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 4, "{error}");
    assert!(
        lines[1].starts_with("defaultChannel of package \"rake\": \"stable\" -> "),
        "{error}"
    );
    assert!(lines[1].ends_with(" (0/rake.yaml:5, 1/other.yaml:5)"), "{error}");
    let entry = "entry \"rake.v1.0.0\" of channel \"stable\" of package \"rake\": skips ";
    assert!(lines[2].starts_with(entry), "{error}");
    let image = "bundle \"rake.v1.0.0\" of package \"rake\": image \"registry.example.com/rake:1.0.0\" -> ";
    assert!(lines[3].starts_with(image), "{error}");
    let files = merged(&catalogs, Some(1)).unwrap();
    let text = &files["rake/catalog.yaml"];
    assert!(
        text.contains("rake:new") && text.contains("defaultChannel: fast") && text.contains("rake.v0.9.0"),
        "{text}"
    );
    let files = merged(&catalogs, Some(0)).unwrap();
    let text = &files["rake/catalog.yaml"];
    assert!(
        text.contains("# the first\n") && text.contains("name: fast") && text.contains("rake:1.0.0"),
        "{text}"
    );
}

#[test]
fn a_catalog_with_new_errors_is_not_written() {
    // Each channel is valid, but together they have two heads.
    let other = RAKE.replace("1.0.0", "2.0.0");
    let (_around, folders, output) = folders(&[&[("a.yaml", RAKE)], &[("b.yaml", &other)]]);
    let result = merge(&folders, None, &output, CatalogLimits::default());
    let Err(CatalogEditError::Findings { folder, findings }) = result else {
        panic!("{result:?}")
    };
    assert_eq!(folder, output);
    let place = findings[0].place.as_ref().unwrap().source.name();
    assert!(place.ends_with("output/rake/catalog.yaml"), "{place}");
    assert!(!output.exists());
}

#[test]
fn a_missing_final_line_break_does_not_join_documents() {
    let open = format!("{RAKE}text: |\n  two\n  lines");
    let files = merged(&[&[("a.yaml", &open)], &[("b.yaml", NEXT)]], None).unwrap();
    let text = &files["rake/catalog.yaml"];
    assert!(
        text.contains("text: \"two\\nlines\"\n---\n") || text.contains("text: |-\n  two\n  lines\n---\n"),
        "{text}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_new_catalog_contains_every_document(
        at in prop::collection::vec((1..4_u8, 0..3_u8), 8),
        json in any::<[bool; 3]>(),
    ) {
        // Each document is in one catalog or both, and in one of three files.
        let mut files = vec![vec![String::new(); 3]; 2];
        let mut expected = 0;
        for (number, (catalogs, file)) in at.iter().enumerate() {
            let (package, kind) = (["rake", "hoe"][number % 2], number / 2);
            let name = format!("{package}.v{kind}.0.0");
            let channel = "schema: olm.channel\npackage: P\nname: stable\nentries: [{name: P.v0.0.0}] # one\n";
            let document = match kind {
                0 => "schema: olm.package\nname: P\ndefaultChannel: stable\n".to_owned(),
                1 => channel.to_owned(),
                2 => RAKE.split("bundles\n").nth(1).unwrap().replace("rake", "P").replace("1.0.0", "0.0.0"),
                _ => format!("# c\nschema: garden\npackage: P\nname: {name}\n"),
            };
            let document = document.replace('P', package);
            expected += 1;
            for (catalog, files) in files.iter_mut().enumerate() {
                if catalogs & (1 << catalog) != 0 {
                    let text = &mut files[usize::from(*file)];
                    if json[usize::from(*file)] {
                        let read = text::read("", document.as_bytes(), &text::Limits::default());
                        text.push_str(&read.documents[0].value().to_string());
                    } else {
                        text.push_str(&format!("---\n{document}"));
                    }
                }
            }
        }
        let around = tempfile::tempdir().unwrap();
        let folders: Vec<PathBuf> = (0..2).map(|number| around.path().join(number.to_string())).collect();
        for (folder, files) in folders.iter().zip(&files) {
            fs::create_dir(folder).unwrap();
            for (number, text) in files.iter().enumerate() {
                fs::write(folder.join(number.to_string()), text).unwrap();
            }
        }
        let output = around.path().join("output");
        let merged = merge(&folders, None, &output, CatalogLimits::default());
        prop_assert!(merged.is_ok(), "{:?}", merged);
        let new = FileBasedCatalog::open(&output, CatalogLimits::default()).unwrap();
        prop_assert_eq!(new.handles.len(), expected);
    }
}
