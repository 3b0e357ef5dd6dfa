use super::*;
use crate::catalog::file_based::draft::{Deprecated, Draft, DraftError, NewBundle, Placement, Revised, Target};
use crate::catalog::file_based::shown::Shown;
use crate::catalog::file_based::{Bundle, Property, WrittenEntry};
use crate::catalog::graph::Mode;
use ::semver::Version;
use proptest::prelude::*;
use serde_json::json;
use std::fs;

const BASIC: &str = "\
# The garden's tools.
schema: olm.template.basic
entries:
  - schema: olm.package # the rake
    name: rake
    defaultChannel: stable
  - schema: olm.channel
    package: rake
    name: stable
    entries:
      - name: rake.v1.1.0
        replaces: rake.v1.0.0
      - name: rake.v1.0.0 # the first
  # The first release.
  - schema: olm.bundle
    image: registry.example.com/rake:1.0.0
    name: rake.v1.0.0
  - schema: olm.bundle
    image: registry.example.com/rake:1.1.0
";

fn place(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("template.yaml");
    fs::write(&file, text).unwrap();
    (folder, file)
}

/// Returns the template after a change.
fn edited<T>(
    text: &str,
    change: impl FnOnce(&mut TemplateEditor) -> Result<T, CatalogEditError>,
) -> Result<String, String> {
    let (folder, file) = place(text);
    let edit = || {
        let mut editor = TemplateEditor::open(&file, CatalogLimits::default())?;
        change(&mut editor)?;
        editor.finish()?.write()?;
        Ok(fs::read_to_string(&file).unwrap())
    };
    let around = format!("{}/", folder.path().display());
    edit().map_err(|error: CatalogEditError| error.to_string().replace(&around, ""))
}

fn bundle(version: &str) -> TemplateBundle {
    TemplateBundle {
        image: format!("registry.example.com/rake:{version}"),
        bundle: NewBundle {
            shown: Shown::default(),
            stated: [].into(),
            document: json!({}),
            entry: WrittenEntry {
                name: format!("rake.v{version}"),
                ..WrittenEntry::default()
            },
            version: Version::parse(version).ok(),
            channels: vec!["stable".to_owned()],
            default_channel: None,
        },
    }
}

fn remove(text: &str, bundle: &str) -> Result<String, String> {
    let target = Target {
        channel: None,
        bundle: Some(bundle.to_owned()),
    };
    edited(text, |editor| {
        editor.change("rake", |draft| draft.remove(&[target], None))
    })
}

#[test]
fn a_bundle_is_added_to_and_removed_from_a_basic_template() {
    let mut new = bundle("1.2.0");
    new.bundle.entry.replaces = "rake.v1.1.0".to_owned();
    let add = |text: &str, new: &TemplateBundle| {
        let placement = Placement::default();
        edited(text, |editor| {
            editor.add("rake", std::slice::from_ref(new), &placement, &BTreeMap::new())
        })
    };
    let text = add(BASIC, &new).unwrap();
    insta::assert_snapshot!(text, @"
    # The garden's tools.
    schema: olm.template.basic
    entries:
      - schema: olm.package # the rake
        name: rake
        defaultChannel: stable
      - schema: olm.channel
        package: rake
        name: stable
        entries:
          - name: rake.v1.2.0
            replaces: rake.v1.1.0
          - name: rake.v1.1.0
            replaces: rake.v1.0.0
          - name: rake.v1.0.0 # the first
      # The first release.
      - schema: olm.bundle
        image: registry.example.com/rake:1.0.0
        name: rake.v1.0.0
      - schema: olm.bundle
        image: registry.example.com/rake:1.1.0
      - schema: olm.bundle
        image: registry.example.com/rake:1.2.0
        name: rake.v1.2.0
    ");
    assert_eq!(add(&text, &new).unwrap(), text, "the same again changes nothing");
    assert_eq!(remove(&text, "rake.v1.2.0").unwrap(), BASIC);
    new.image = "registry.example.com/rake:other".to_owned();
    let error = add(&text, &new).unwrap_err();
    assert!(error.contains("with different content: image"), "{error}");
}

#[test]
fn a_bundle_entry_without_a_name_is_not_guessed() {
    insta::assert_snapshot!(remove(BASIC, "rake.v1.1.0").unwrap_err(), @r#"template.yaml: a channel lists the bundle "rake.v1.1.0", but no olm.bundle entry has this name"#);
    insta::assert_snapshot!(remove(BASIC, "rake.v1.0.0").unwrap(), @"
    # The garden's tools.
    schema: olm.template.basic
    entries:
      - schema: olm.package # the rake
        name: rake
        defaultChannel: stable
      - schema: olm.channel
        package: rake
        name: stable
        entries:
          - name: rake.v1.1.0
            skips:
              - rake.v1.0.0
      - schema: olm.bundle
        image: registry.example.com/rake:1.1.0
    ");
    let mut other = bundle("1.1.0");
    other.image = "registry.example.com/rake:other".to_owned();
    let error = edited(BASIC, |editor| {
        editor.add("rake", &[other], &Placement::default(), &BTreeMap::new())
    });
    assert!(error.unwrap_err().contains("no olm.bundle entry has this name"));
    // All bundles without an entry are reported at once.
    let nameless = BASIC.replace("    name: rake.v1.0.0\n", "").replace(
        "      - name: rake.v1.1.0\n",
        "      - name: rake.v1.2.0\n        replaces: rake.v1.1.0\n      - name: rake.v1.1.0\n",
    );
    let both = ["1.0.0", "1.1.0"].map(|version| Target {
        channel: None,
        bundle: Some(format!("rake.v{version}")),
    });
    let error = edited(&nameless, |editor| {
        editor.change("rake", |draft| draft.remove(&both, None))
    });
    insta::assert_snapshot!(error.unwrap_err(), @r#"template.yaml: channels list the bundles "rake.v1.0.0", "rake.v1.1.0", but the olm.bundle entries have no names, so it is unclear which of them are meant"#);
    // The bundle is removed together with its package.
    let gone = edited(BASIC, |editor| {
        editor.change("rake", |draft| draft.remove(&[Target::default()], None))
    });
    assert_eq!(
        gone.unwrap(),
        "# The garden's tools.\nschema: olm.template.basic\nentries: []\n"
    );
}

#[test]
fn deprecations_and_channels_of_a_basic_template_change_in_place() {
    let deprecate = |draft: &mut Draft| draft.deprecate(&Deprecated::Bundle("rake.v1.1.0".to_owned()), "Broken.");
    let text = edited(BASIC, |editor| editor.change("rake", deprecate)).unwrap();
    insta::assert_snapshot!(text.strip_prefix(BASIC).unwrap(), @"
    - schema: olm.deprecations
      package: rake
      entries:
        - reference:
            schema: olm.bundle
            name: rake.v1.1.0
          message: Broken.
    ");
    let rename = |draft: &mut Draft| draft.rename("stable", "fast");
    let text = edited(BASIC, |editor| editor.change("rake", rename)).unwrap();
    assert_eq!(text, BASIC.replace("stable", "fast"));
    let unknown = edited(BASIC, |editor| editor.change("rak", rename)).unwrap_err();
    assert!(unknown.contains("has no package \"rak\""), "{unknown}");
}

#[test]
fn images_are_added_to_and_removed_from_a_semver_template() {
    let text = "\
# keep
Schema: olm.semver
GenerateMajorChannels: true
Stable:
  Bundles:
  - Image: registry.example.com/rake:1.0.0 # the first
";
    let add = |text: &str, image: &str, lists: &[&str]| {
        let lists: Vec<String> = lists.iter().map(|list| (*list).to_owned()).collect();
        edited(text, |editor| Ok(editor.add_image(image, &lists)?))
    };
    let both = add(text, "registry.example.com/rake:1.1.0", &["stable", "fast"]).unwrap();
    insta::assert_snapshot!(both, @"
    # keep
    Schema: olm.semver
    GenerateMajorChannels: true
    Stable:
      Bundles:
      - Image: registry.example.com/rake:1.0.0 # the first
      - Image: registry.example.com/rake:1.1.0
    Fast:
      Bundles:
      - Image: registry.example.com/rake:1.1.0
    ");
    assert_eq!(add(&both, "registry.example.com/rake:1.1.0", &["fast"]).unwrap(), both);
    let removed = edited(&both, |editor| {
        Ok(editor.remove_image("registry.example.com/rake:1.1.0", None)?)
    });
    assert_eq!(removed.unwrap(), text);
    let begun = add("schema: olm.semver\n", "a", &["candidate"]).unwrap();
    assert_eq!(begun, "schema: olm.semver\ncandidate:\n  bundles:\n  - image: a\n");
    assert_eq!(
        add(text, "a", &["beta"]).unwrap_err(),
        "template.yaml: \"beta\" is not one of the lists of a semver template"
    );
    let absent = edited(text, |editor| {
        Ok(editor.remove_image("registry.example.com/rake:2.0.0", Some("stable"))?)
    });
    assert_eq!(
        absent.unwrap_err(),
        "template.yaml: no bundle has the image \"registry.example.com/rake:2.0.0\""
    );
    let lists = "schema: olm.semver\ncandidate: {bundles: [{image: a}]}\nstable: {bundles: [{image: b}]}\n";
    assert_eq!(
        edited(lists, |editor| Ok(editor.remove_image("a", Some("stable"))?)).unwrap_err(),
        "template.yaml: the list stable does not contain the image \"a\", but candidate contains it"
    );
}

#[test]
fn changes_that_a_template_type_does_not_support_are_rejected() {
    let rename = |draft: &mut Draft| draft.rename("a", "b");
    let of = |text: &str| edited(text, |editor| editor.change("rake", rename)).unwrap_err();
    assert_eq!(
        of("schema: olm.semver\nstable: {bundles: [{image: a}]}\n"),
        "template.yaml: this change is not supported in a semver template"
    );
    assert!(
        of("schema: olm.template.substitutes\nentries: []\nsubstitutions: []\n").contains("in a substitutes template")
    );
    assert!(of("schema: olm.package\nname: rake\n").contains("without the schema olm.template.basic"));
    let rendered = "schema: olm.bundle\nimage: a\npackage: rake\nproperties: [{type: a, value: b}]\n";
    assert!(of(rendered).contains("is not a folder"));
    assert!(of("schema: [").contains("template.yaml:1"), "{}", of("schema: ["));
}

/// Returns a rendered bundle, with the version in its image.
fn rendered(image: &str) -> Bundle {
    let version = image.rsplit(':').next().unwrap();
    let value = json!({"packageName": "rake", "version": version}).to_string();
    Bundle {
        name: format!("rake.v{version}"),
        package: "rake".to_owned(),
        image: image.to_owned(),
        properties: vec![Property::parse("olm.package", &value).unwrap()],
        related_images: Vec::new(),
    }
}

/// Returns the documents of a template, sorted, with the entries of channels sorted.
fn documents(text: &str) -> Vec<String> {
    let template = Template::read("t", text.as_bytes(), None, CatalogLimits::default()).unwrap();
    let bundles = template.images.iter().map(|image| rendered(&image.reference)).collect();
    let documents = template.documents(bundles).unwrap().into_iter();
    let values = documents.map(|made| serde_json::to_value(made.document().unwrap()).unwrap());
    sorted(values.collect())
}

fn sorted(mut values: Vec<Value>) -> Vec<String> {
    for value in &mut values {
        value.sort_all_objects();
        if let Some(entries) = value.get_mut("entries").and_then(Value::as_array_mut) {
            entries.sort_by_key(ToString::to_string);
        }
    }
    let mut texts: Vec<String> = values.iter().map(Value::to_string).collect();
    texts.sort_unstable();
    texts
}

/// Generates versions in any order, each with whether it is in the second channel.
fn versions() -> impl Strategy<Value = Vec<(Version, bool)>> {
    let version = (0..2_u64, 0..3_u64, 0..3_u64).prop_map(|(major, minor, patch)| Version::new(major, minor, patch));
    prop::collection::btree_map(version, any::<bool>(), 1..8)
        .prop_map(|versions| versions.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

fn channels(both: bool) -> Vec<String> {
    let channels = if both { &["stable", "fast"][..] } else { &["stable"] };
    channels.iter().map(|channel| (*channel).to_owned()).collect()
}

/// Returns a basic template whose channels lead from each version to the next one.
fn chains(versions: &[(Version, bool)]) -> String {
    let mut versions = versions.to_vec();
    versions.sort();
    let mut entries = vec![json!({"schema": "olm.package", "name": "rake", "defaultChannel": "stable"})];
    for channel in ["stable", "fast"] {
        let own: Vec<String> = versions
            .iter()
            .filter(|(_, both)| *both || channel == "stable")
            .map(|(version, _)| format!("rake.v{version}"))
            .collect();
        let of_channel =
            own.iter().enumerate().map(
                |(place, name)| match place.checked_sub(1).and_then(|below| own.get(below)) {
                    Some(below) => json!({"name": name, "replaces": below}),
                    None => json!({"name": name}),
                },
            );
        let of_channel: Vec<Value> = of_channel.collect();
        if !of_channel.is_empty() {
            entries.push(json!({"schema": "olm.channel", "package": "rake", "name": channel, "entries": of_channel}));
        }
    }
    let images = versions
        .iter()
        .map(|(version, _)| format!("registry.example.com/rake:{version}"));
    entries.extend(images.map(|image| json!({"schema": "olm.bundle", "image": image})));
    text::to_yaml(&json!({"schema": "olm.template.basic", "entries": entries}))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_basic_template_is_independent_of_the_order_of_additions(versions in versions()) {
        let mut text = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: rake\n  defaultChannel: stable\n".to_owned();
        let known: BTreeMap<String, Version> =
            versions.iter().map(|(version, _)| (format!("rake.v{version}"), version.clone())).collect();
        let mut draft = Draft::new("rake");
        for (version, both) in &versions {
            let new = bundle(&version.to_string());
            let placement = Placement { channels: channels(*both), mode: Mode::Semver, default_channel: Some("stable".to_owned()), overwrite: false };
            text = edited(&text, |editor| editor.add("rake", std::slice::from_ref(&new), &placement, &known)).unwrap();
            let rendered = crate::catalog::file_based::Blob::Bundle(rendered(&new.image));
            let in_catalog = NewBundle { document: serde_json::to_value(rendered).unwrap(), ..new.bundle };
            draft.add(&in_catalog, &placement, None).unwrap();
            draft.choose_default(std::iter::once(&in_catalog), &placement).unwrap();
        }
        let expected = documents(&chains(&versions));
        prop_assert_eq!(documents(&text), expected.clone());
        // The channels of a catalog are the same after these additions.
        let new = draft.revise(&[]).into_iter().filter_map(|revised| match revised {
            Revised::New(value) => Some(value),
            _ => None,
        });
        prop_assert_eq!(sorted(new.collect()), expected);
    }

    #[test]
    fn a_semver_template_is_independent_of_the_order_of_additions(versions in versions()) {
        let head = "schema: olm.semver\ngenerateMajorChannels: true\ngenerateMinorChannels: true\n";
        let template = |versions: &[(Version, bool)]| {
            versions.iter().fold(head.to_owned(), |text, (version, both)| {
                let image = format!("registry.example.com/rake:{version}");
                edited(&text, |editor| Ok(editor.add_image(&image, &channels(*both))?)).unwrap()
            })
        };
        let mut in_order = versions.clone();
        in_order.sort();
        let list = |list: &str, versions: &[(Version, bool)]| {
            let images = versions.iter().filter(|(_, both)| *both || list == "stable");
            let images: Vec<Value> = images.map(|(version, _)| json!({"image": format!("registry.example.com/rake:{version}")})).collect();
            json!({"bundles": images})
        };
        let written = json!({"stable": list("stable", &in_order), "fast": list("fast", &in_order)});
        let written = format!("{head}{}", text::to_yaml(&written));
        prop_assert_eq!(documents(&template(&versions)), documents(&written));
    }
}

#[test]
fn a_failed_change_leaves_the_template_unchanged() {
    let (_folder, file) = place(BASIC);
    let mut editor = TemplateEditor::open(&file, CatalogLimits::default()).unwrap();
    let failed = editor.change("rake", |draft| {
        draft
            .remove(&[], None)
            .and(Err::<(), _>(DraftError::channel(draft, "x")))
    });
    assert!(failed.is_err());
    assert!(editor.finish().unwrap().files.is_empty());
    // A file that another process has changed is not overwritten.
    let mut editor = TemplateEditor::open(&file, CatalogLimits::default()).unwrap();
    editor.change("rake", |draft| draft.rename("stable", "fast")).unwrap();
    let edited = editor.finish().unwrap();
    fs::write(&file, "other").unwrap();
    assert!(edited.write().is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "other");
}
