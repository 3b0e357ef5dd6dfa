//! Templates, and the catalogs generated from them.

use super::convert::convert;
use super::*;
use crate::catalog::file_based::Property;
use crate::catalog::file_based::write::{Language, write};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(text: &str, wanted: Option<Kind>) -> Result<Template, TemplateError> {
    Template::read("t.yaml", text.as_bytes(), wanted, CatalogLimits::default())
}

fn error(text: &str, wanted: Option<Kind>) -> String {
    read(text, wanted).unwrap_err().to_string()
}

/// Returns a rendered bundle `p.vVERSION`.
fn bundle(version: &str) -> Bundle {
    let csv = json!({
        "kind": "ClusterServiceVersion",
        "spec": {"description": format!("about {version}"), "icon": [{"base64data": "R0lG ODlh", "mediatype": "image/gif"}]},
    });
    let object = json!({"data": STANDARD.encode(csv.to_string())});
    Bundle {
        name: format!("p.v{version}"),
        package: "p".to_owned(),
        image: format!("registry.example.com/p:{version}"),
        properties: vec![
            Property::parse(
                "olm.package",
                &json!({"packageName": "p", "version": version}).to_string(),
            )
            .unwrap(),
            Property::parse("olm.bundle.object", &object.to_string()).unwrap(),
        ],
        related_images: Vec::new(),
    }
}

/// Returns the bundles in a template; the version of each follows the last colon of its image.
fn rendered(template: &Template) -> Vec<Bundle> {
    let images = template.images.iter();
    images
        .map(|image| bundle(image.reference.rsplit(':').next().unwrap()))
        .collect()
}

fn documents(text: &str) -> Result<Vec<Value>, TemplateError> {
    let template = read(text, None)?;
    let rendered = rendered(&template);
    let made = template.documents(rendered)?;
    Ok(made
        .iter()
        .map(|made| serde_json::from_str(&serde_json::to_string(&made.document().unwrap()).unwrap()).unwrap())
        .collect())
}

/// Returns the channels, one line for each entry.
fn channels(documents: &[Value]) -> Vec<String> {
    let mut lines = Vec::new();
    for channel in documents.iter().filter(|document| document["schema"] == "olm.channel") {
        for entry in channel["entries"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap_or_default().replace("p.v", "");
            let skips = entry["skips"].as_array().into_iter().flatten().map(&text);
            let skips: Vec<String> = skips.collect();
            lines.push(format!(
                "{}: {} <- {} [{}]",
                text(&channel["name"]),
                text(&entry["name"]),
                text(&entry["replaces"]),
                skips.join(" ")
            ));
        }
    }
    lines
}

/// A list of a semver template, and its versions.
type List<'a> = (&'a str, &'a [&'a str]);

fn list(archetype: &str, versions: &[&str]) -> String {
    let lines = versions
        .iter()
        .map(|version| format!("  - image: registry.example.com/p:{version}\n"));
    format!("{archetype}:\n  bundles:\n{}", lines.collect::<String>())
}

fn semver(head: &str, lists: &[List<'_>]) -> String {
    let lists = lists.iter().map(|(archetype, versions)| list(archetype, versions));
    format!("schema: olm.semver\n{head}{}", lists.collect::<String>())
}

#[test]
fn major_channels_match_those_of_the_reference() {
    let text = semver(
        "generateMajorChannels: true\n",
        &[("stable", &["3.18.5", "3.20.0", "3.20.1"])],
    );
    let documents = documents(&text).unwrap();
    assert_eq!(
        channels(&documents),
        [
            "stable-v3: 3.18.5 <-  []",
            "stable-v3: 3.20.0 <-  []",
            "stable-v3: 3.20.1 <- 3.18.5 [3.20.0]",
        ]
    );
    assert_eq!(documents[0]["defaultChannel"], "stable-v3");
    assert_eq!(documents[0]["description"], "about 3.20.1");
    assert_eq!(documents[0]["icon"]["base64data"], "R0lGODlh");
}

#[test]
fn the_highest_of_a_minor_version_skips_those_below_in_the_major_channel() {
    let versions = [
        "0.1.1",
        "0.1.0",
        "1.1.0",
        "1.2.1",
        "1.3.1-alpha",
        "1.3.1-beta",
        "1.3.1",
        "2.1.0",
        "2.1.1",
        "2.3.2",
        "2.3.1",
    ];
    let both = "generateMajorChannels: true\ngenerateMinorChannels: true\n";
    let documents = documents(&semver(both, &[("fast", &versions)])).unwrap();
    assert_eq!(
        channels(&documents),
        [
            "fast-v0: 0.1.0 <-  []",
            "fast-v0: 0.1.1 <-  [0.1.0]",
            "fast-v0.1: 0.1.0 <-  []",
            "fast-v0.1: 0.1.1 <-  [0.1.0]",
            "fast-v1: 1.1.0 <-  []",
            "fast-v1: 1.2.1 <- 1.1.0 []",
            "fast-v1: 1.3.1-alpha <-  []",
            "fast-v1: 1.3.1-beta <-  []",
            "fast-v1: 1.3.1 <- 1.2.1 [1.1.0 1.3.1-alpha 1.3.1-beta]",
            "fast-v1.1: 1.1.0 <-  []",
            "fast-v1.2: 1.2.1 <- 1.1.0 []",
            "fast-v1.3: 1.3.1-alpha <-  []",
            "fast-v1.3: 1.3.1-beta <-  []",
            "fast-v1.3: 1.3.1 <- 1.2.1 [1.1.0 1.3.1-alpha 1.3.1-beta]",
            "fast-v2: 2.1.0 <-  []",
            "fast-v2: 2.1.1 <-  [2.1.0]",
            "fast-v2: 2.3.1 <-  []",
            "fast-v2: 2.3.2 <- 2.1.1 [2.1.0 2.3.1]",
            "fast-v2.1: 2.1.0 <-  []",
            "fast-v2.1: 2.1.1 <-  [2.1.0]",
            "fast-v2.3: 2.3.1 <-  []",
            "fast-v2.3: 2.3.2 <- 2.1.1 [2.1.0 2.3.1]",
        ]
    );
    let generated = documents
        .iter()
        .filter(|document| document["schema"] == "olm.channel")
        .count();
    let loaded = super::load(&documents.iter().map(made).collect::<Vec<_>>()).unwrap();
    assert_eq!(generated, loaded.catalog.packages[0].channels.len());
    assert!(
        loaded.catalog.packages[0]
            .channels
            .iter()
            .all(|channel| channel.head.is_some())
    );
}

fn made(document: &Value) -> TemplateDocument {
    TemplateDocument::Written(Document::from_json(&document.to_string()).unwrap())
}

#[test]
fn the_default_channel_is_the_most_stable_then_the_highest_then_the_preferred() {
    let both = "GenerateMajorChannels: true\nGenerateMinorChannels: true\n";
    let cases: [(&str, &[List<'_>], &str); 6] = [
        ("", &[("candidate", &["2.0.0"]), ("stable", &["1.0.0"])], "stable-v1.0"),
        (
            "",
            &[("candidate", &["2.0.0"]), ("fast", &["1.0.0", "1.10.0", "1.9.0"])],
            "fast-v1.10",
        ),
        (both, &[("stable", &["3.1.0", "3.2.0"])], "stable-v3.2"),
        (
            &format!("{both}defaultChannelTypePreference: minor\n"),
            &[("stable", &["3.1.0", "3.2.0"])],
            "stable-v3.2",
        ),
        (
            &format!("{both}defaultChannelTypePreference: major\n"),
            &[("stable", &["3.1.0", "3.2.0"])],
            "stable-v3",
        ),
        (
            "generateMajorChannels: true\n",
            &[("stable", &["9.0.0", "10.0.0"])],
            "stable-v10",
        ),
    ];
    for (head, lists, expected) in cases {
        let documents = documents(&semver(head, lists)).unwrap();
        assert_eq!(documents[0]["defaultChannel"], expected, "{head}");
    }
}

#[test]
fn a_bundle_in_several_lists_is_rendered_once() {
    let text = semver("", &[("candidate", &["1.0.0", "1.0.1"]), ("stable", &["1.0.0"])]);
    let documents = documents(&text).unwrap();
    let bundles = documents.iter().filter(|document| document["schema"] == "olm.bundle");
    assert_eq!(bundles.count(), 2);
    assert_eq!(
        channels(&documents),
        [
            "candidate-v1.0: 1.0.0 <-  []",
            "candidate-v1.0: 1.0.1 <-  [1.0.0]",
            "stable-v1.0: 1.0.0 <-  []"
        ]
    );
}

#[test]
fn errors_in_a_semver_template_are_reported_with_their_line() {
    let ours = semver("", &[("stable", &["1.0.0"])]);
    let cases = [
        ("generateMajor: true\n", "t.yaml:2: unknown field \"generateMajor\""),
        (
            "stabel: {}\n",
            "t.yaml:2: unknown field \"stabel\"; did you mean \"stable\"?",
        ),
        (
            "generateMinorChannels: 1\n",
            "t.yaml:2: generateMinorChannels is a number, not true or false",
        ),
        (
            "defaultChannelTypePreference: x\n",
            "t.yaml:2: defaultChannelTypePreference is \"x\"",
        ),
        (
            "defaultChannelTypePreference: major\n",
            "t.yaml:2: the default channel should be a major channel",
        ),
        ("Stable: {}\n", "appears twice"),
        (
            "fast: {bundles: [{images: a}]}\n",
            "t.yaml:2: unknown field \"images\"; did you mean \"image\"?",
        ),
        ("fast: {bundles: [{}]}\n", "t.yaml:2: the bundle has no image"),
        ("fast: {bundles: {}}\n", "t.yaml:2: fast.bundles is a map, not a list"),
        (
            "fast:\n  bundles:\n  - image: a\n  - image: a\n",
            "t.yaml:5: the image \"a\" is already on line 4",
        ),
    ];
    for (line, words) in cases {
        let text = ours.replacen("schema: olm.semver\n", &format!("schema: olm.semver\n{line}"), 1);
        let found = error(&text, None);
        assert!(found.contains(words), "{line}: {found}");
    }
    assert_eq!(
        error("schema: olm.semver\n", None),
        "t.yaml:1: the template lists no bundle under candidate, fast or stable"
    );
    let two = format!("{ours}---\nschema: olm.package\n");
    assert!(
        error(&two, None).starts_with("t.yaml:6: a second document begins here"),
        "{}",
        error(&two, None)
    );
}

#[test]
fn bundles_that_cannot_be_ordered_are_rejected_with_their_lines() {
    let wrong = |lists: &[List<'_>]| documents(&semver("", lists)).unwrap_err().to_string();
    let found = wrong(&[("stable", &["1.0.0+a", "1.0.0+b"])]);
    assert!(
        found.starts_with("t.yaml:5: p.v1.0.0+b has version 1.0.0+b, which cannot be ordered relative to 1.0.0+a"),
        "{found}"
    );
    let found = wrong(&[("stable", &["1.0"])]);
    assert!(
        found.starts_with("t.yaml:4: the version \"1.0\" of p.v1.0 is not a semantic version"),
        "{found}"
    );

    let template = read(&semver("", &[("stable", &["1.0.0", "1.1.0"])]), None).unwrap();
    let mut others = rendered(&template);
    others[1].package = "q".to_owned();
    let found = template.documents(others).unwrap_err().to_string();
    assert!(
        found.starts_with("t.yaml:5: p.v1.1.0 belongs to package \"q\""),
        "{found}"
    );
    let template = read(&semver("", &[("stable", &["1.0.0", "1.1.0"])]), None).unwrap();
    let same = vec![bundle("1.0.0"), bundle("1.0.0")];
    let found = template.documents(same).unwrap_err().to_string();
    assert!(
        found.starts_with("t.yaml:5: this image contains p.v1.0.0, and so does the image on line 4"),
        "{found}"
    );
}

const CATALOG: &str = "schema: olm.package
name: p
defaultChannel: a
x: 1.50
---
schema: olm.channel
package: p
name: a
entries: [{name: p.v1.0.0}]
---
schema: olm.bundle
image: registry.example.com/p:1.0.0
---
schema: custom
z: {}
";

/// Returns the catalog in the newer form of a basic template.
fn newer_form() -> String {
    let documents = CATALOG
        .split("---\n")
        .map(|document| format!("- {}\n", document.trim_end().replace('\n', "\n  ")));
    format!(
        "schema: olm.template.basic\nentries:\n{}",
        documents.collect::<String>()
    )
}

#[test]
fn both_forms_of_a_basic_template_are_equivalent() {
    let expected = documents(CATALOG).unwrap();
    assert_eq!(documents(&newer_form()).unwrap(), expected);
    let schemas: Vec<_> = expected
        .iter()
        .map(|document| document["schema"].as_str().unwrap())
        .collect();
    assert_eq!(schemas, ["olm.package", "olm.channel", "olm.bundle", "custom"]);
    assert_eq!(expected[2]["name"], "p.v1.0.0");
    assert_eq!(expected[0]["x"], 1.5);
    let json: String = CATALOG
        .split("---\n")
        .map(|document| {
            let document: Value = serde_yaml::from_str(document).unwrap();
            document.to_string()
        })
        .collect();
    assert_eq!(documents(&json).unwrap(), expected);
    for kind in [None, Some(Kind::Basic)] {
        assert_eq!(read(CATALOG, kind).unwrap().images[0].at.line, 12);
        assert_eq!(read(&newer_form(), kind).unwrap().images.len(), 1);
    }
}

#[test]
fn errors_in_a_basic_template_are_reported_with_their_line() {
    let cases = [
        (
            CATALOG.replace("image: registry.example.com/p:1.0.0", "package: p"),
            "t.yaml:12: the bundle has the field \"package\"",
        ),
        (
            CATALOG.replace("image: registry.example.com/p:1.0.0", "name: p"),
            "t.yaml:11: bundle \"p\" has no image",
        ),
        (
            CATALOG.replace("schema: custom\n", ""),
            "t.yaml:14: the document has no schema",
        ),
        (
            format!("{CATALOG}---\nschema: olm.bundle\nimage: registry.example.com/p:1.0.0\n"),
            "t.yaml:18: the image",
        ),
        (format!("{}extra: 1\n", newer_form()), "unknown field \"extra\""),
        (
            format!("{CATALOG}---\nschema: olm.semver\n"),
            "t.yaml:17: a second document",
        ),
        ("a: [\n".to_owned(), "t.yaml:1: not YAML"),
        (String::new(), "t.yaml:1: the template contains no document"),
        ("- a\n".to_owned(), "t.yaml:1: the document is a list, not a map"),
    ];
    for (text, words) in cases {
        let found = error(&text, Some(Kind::Basic));
        assert!(found.contains(words), "{text}: {found}");
    }
}

#[test]
fn the_type_of_a_template_follows_from_its_schema() {
    let of = semver("", &[("stable", &["1.0.0"])]);
    assert!(matches!(
        read(&of, Some(Kind::Semver)).unwrap().content,
        Content::Semver(_)
    ));
    let found = error(&of, Some(Kind::Basic));
    assert_eq!(
        found,
        "t.yaml:1: the document has the schema \"olm.semver\", but a basic template has \"olm.template.basic\""
    );
    assert!(error(CATALOG, Some(Kind::Semver)).contains("a semver template has \"olm.semver\""));
    assert!(error("schema: olm.template.x\n", None).contains("\"olm.template.x\" is not a known template schema"));
    assert!(error("schema: olm.template.x\n", Some(Kind::Substitutes)).contains("a substitutes template"));
}

const SUBSTITUTES: &str = "schema: olm.template.substitutes
entries:
- {schema: olm.package, name: p, defaultChannel: a}
- schema: olm.channel
  package: p
  name: a
  entries:
  - {name: p.v1.2.0, replaces: p.v1.1.0, skips: [p.v1.0.5]}
  - {name: p.v1.1.0, replaces: p.v1.0.0, skips: [p.v1.0.9], skipRange: '<1.1.0'}
  - {name: p.v1.0.0}
- schema: olm.channel
  package: p
  name: b
  entries:
  - {name: p.v1.2.0, skips: [p.v1.0.0, p.v1.1.0]}
  - {name: p.v1.1.0}
- {schema: olm.bundle, package: p, name: p.v1.2.0, image: a, properties: [{type: olm.package, value: {packageName: p, version: 1.2.0}}]}
- {schema: olm.bundle, package: p, name: p.v1.1.0, image: b, properties: [{type: olm.package, value: {packageName: p, version: 1.1.0}}]}
- {schema: olm.bundle, package: p, name: p.v1.0.0, image: c, properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}]}
substitutions:
- name: registry.example.com/p:1.1.1
  base: p.v1.1.0
";

#[test]
fn a_substitute_inherits_the_edges() {
    let documents = documents(SUBSTITUTES).unwrap();
    assert_eq!(
        channels(&documents),
        [
            "a: 1.2.0 <- 1.1.1 [1.0.5 1.1.0]",
            "a: 1.1.0 <-  []",
            "a: 1.0.0 <-  []",
            "a: 1.1.1 <- 1.0.0 [1.0.9 1.1.0]",
            "b: 1.2.0 <-  [1.0.0 1.1.1]",
            "b: 1.1.0 <-  []",
            "b: 1.1.1 <-  [1.1.0]",
        ]
    );
    assert_eq!(documents[1]["entries"][3]["skipRange"], "<1.1.0");
    assert_eq!(documents.last().unwrap()["name"], "p.v1.1.1");
}

#[test]
fn an_invalid_substitute_is_rejected() {
    let cases = [
        (
            SUBSTITUTES.replace("p:1.1.1", "p:1.1.0-rc"),
            "t.yaml:21: p.v1.1.0-rc substitutes for p.v1.1.0, but its version",
        ),
        (
            SUBSTITUTES.replace("base: p.v1.1.0", "base: p.v7"),
            "t.yaml:21: no channel has an entry for \"p.v7\"",
        ),
        (
            SUBSTITUTES.replace("  base: p.v1.1.0\n", ""),
            "t.yaml:21: no channel has an entry for \"\"",
        ),
        (
            SUBSTITUTES.replace("replaces: p.v1.0.0, ", ""),
            "t.yaml:2: channel \"a\" of package \"p\" has 2 heads",
        ),
        (
            SUBSTITUTES.replace("name: p.v1.0.0, image", "name: p.v0, image"),
            "t.yaml:2: channel \"a\" of package \"p\" has an entry",
        ),
    ];
    for (text, words) in cases {
        let found = documents(&text).unwrap_err().to_string();
        assert!(found.contains(words), "{found}");
    }
}

#[test]
fn a_catalog_is_converted_to_a_template_that_renders_the_catalog() {
    let catalog = documents(CATALOG).unwrap();
    let text: String = catalog.iter().map(ToString::to_string).collect();
    for (kind, language) in [
        (Kind::Basic, Language::Json),
        (Kind::Basic, Language::Yaml),
        (Kind::Substitutes, Language::Yaml),
    ] {
        let converted = convert("c.json", text.as_bytes(), kind, CatalogLimits::default()).unwrap();
        let mut out = Vec::new();
        write(&converted, language, &mut out).unwrap();
        let again = String::from_utf8(out).unwrap();
        assert_eq!(documents(&again).unwrap(), catalog, "{again}");
    }
    let basic = convert("c.json", text.as_bytes(), Kind::Basic, CatalogLimits::default()).unwrap();
    let entry = serde_json::to_value(&basic).unwrap()["entries"][2].clone();
    assert_eq!(
        entry,
        json!({"schema": "olm.bundle", "image": "registry.example.com/p:1.0.0"})
    );

    let inline = text.replace("registry.example.com/p:1.0.0", "");
    let refused = convert("c.json", inline.as_bytes(), Kind::Basic, CatalogLimits::default()).unwrap_err();
    assert!(
        refused.to_string().contains("bundle \"p.v1.0.0\" has no image"),
        "{refused}"
    );
    let template = newer_form();
    let refused = convert("t.yaml", template.as_bytes(), Kind::Basic, CatalogLimits::default()).unwrap_err();
    assert!(refused.to_string().contains("this is already a template"), "{refused}");
}

/// Returns whether the chain of `replaces` from the head leads to every entry that no other entry skips.
fn is_sound(catalog: &crate::catalog::Catalog, channel: &crate::catalog::Channel) -> bool {
    let name = |entry: &crate::catalog::ChannelEntry| catalog.bundle(entry.bundle).unwrap().name.clone();
    let mut next = channel.head.clone();
    let mut left: Vec<_> = channel.entries.iter().collect();
    left.retain(|entry| !channel.entries.iter().any(|other| other.skips.contains(&name(entry))));
    while let Some(reached) = next.take() {
        left.retain(|entry| name(entry) != reached);
        let entry = channel.entries.iter().find(|entry| name(entry) == reached);
        next = entry.and_then(|entry| entry.replaces.clone());
    }
    channel.head.is_some() && left.is_empty()
}

proptest! {
    #[test]
    fn every_channel_of_a_semver_template_is_valid(
        lists in prop::collection::vec(prop::collection::btree_set((0_u8..3, 0_u8..3, 0_u8..3), 0..9), 3),
        major in any::<bool>(),
        minor in any::<bool>(),
    ) {
        let texts: Vec<Vec<String>> = lists
            .iter()
            .map(|list| list.iter().map(|(x, y, z)| format!("{x}.{y}.{z}")).collect())
            .collect();
        let versions: Vec<Vec<&str>> = texts.iter().map(|list| list.iter().map(String::as_str).collect()).collect();
        let lists: Vec<List<'_>> = ["fast", "stable", "candidate"]
            .into_iter()
            .zip(&versions)
            .map(|(name, list)| (name, list.as_slice()))
            .filter(|(_, list)| !list.is_empty())
            .collect();
        let text = semver(&format!("generateMajorChannels: {major}\ngenerateMinorChannels: {minor}\n"), &lists);
        if lists.is_empty() {
            prop_assert!(read(&text, None).is_err());
            return Ok(());
        }
        let documents: Vec<TemplateDocument> = documents(&text).unwrap().iter().map(made).collect();
        let catalog = super::load(&documents).unwrap().catalog;
        let package = &catalog.packages[0];
        prop_assert!(package.channel(package.default_channel.as_deref().unwrap()).is_some());
        for channel in &package.channels {
            prop_assert!(is_sound(&catalog, channel), "{channel:?}");
        }
        let members: usize = package.channels.iter().map(|channel| channel.entries.len()).sum();
        let listed: usize = versions.iter().map(Vec::len).sum();
        prop_assert_eq!(members, listed * if major && minor { 2 } else { 1 });
    }

    #[test]
    fn any_bytes_are_a_template_or_an_error(text in "(schema: |olm\\.semver|olm\\.bundle|olm\\.template\\.basic|entries|image|stable|bundles|[:{}\\[\\]\n \"-]|a){0,24}") {
        for wanted in [None, Some(Kind::Basic), Some(Kind::Semver), Some(Kind::Substitutes)] {
            let _ = read(&text, wanted);
        }
        let _ = convert("c", text.as_bytes(), Kind::Basic, CatalogLimits::default());
    }
}

#[test]
fn a_bundle_without_an_image_is_reported_by_name_if_it_has_one() {
    let refused = |text: &str| {
        let converted = convert("c.yaml", text.as_bytes(), Kind::Basic, CatalogLimits::default());
        converted.err().map(|error| error.to_string())
    };
    let named = refused("---\nschema: olm.bundle\nname: p.v1\npackage: p\nimage: ''\n");
    assert_eq!(named.as_deref(), Some("c.yaml:2: bundle \"p.v1\" has no image"));
    let nameless = refused("---\nschema: olm.bundle\npackage: p\n");
    assert_eq!(nameless.as_deref(), Some("c.yaml:2: the bundle has no image"));
}
