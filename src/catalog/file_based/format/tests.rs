use super::*;
use proptest::prelude::*;

fn formatted(text: &str) -> String {
    let limits = CatalogLimits::default();
    let formatted = format(text.as_bytes(), limits).unwrap();
    assert_eq!(
        format(&formatted.content, limits).as_ref().map(|again| &again.content),
        Some(&formatted.content)
    );
    String::from_utf8(formatted.content).unwrap()
}

#[test]
fn yaml_gets_separators_and_the_field_order_of_the_schemas() {
    let text = formatted(
        "\
# Licensed to the garden.
---
package: rake
schema: olm.bundle
image: registry.example.com/rake:1
# the first
name: rake.v1
---
---
# for everybody
entries:
   - name: rake.v1
name: stable
package: rake
schema: olm.channel
---
defaultChannel:  stable
name: rake
schema: olm.package
---
schema: garden
b: 1
a: 2
---
",
    );
    insta::assert_snapshot!(text, @"
    ---
    # Licensed to the garden.
    schema: olm.package
    name: rake
    defaultChannel: stable
    ---
    # for everybody
    schema: olm.channel
    name: stable
    package: rake
    entries:
    - name: rake.v1
    ---
    schema: olm.bundle
    # the first
    name: rake.v1
    package: rake
    image: registry.example.com/rake:1
    ---
    schema: garden
    b: 1
    a: 2
    ");
    assert_eq!(formatted("schema: a\r\n"), "---\nschema: a\n");
    assert_eq!(formatted("\u{feff}schema: a"), "---\nschema: a\n");
}

#[test]
fn comments_above_the_first_document_become_part_of_it() {
    let (document, other) = ("schema: olm.package\nname: a\n", "schema: olm.channel\npackage: a\n");
    for (text, expected) in [
        (format!("# a\n---\n{document}"), format!("---\n# a\n{document}")),
        (
            format!("# a\n---\n\n# b\n---\n{document}"),
            format!("---\n# a\n# b\n{document}"),
        ),
        (
            format!("--- # a\n# b\n---\n{document}"),
            format!("--- # a\n# b\n{document}"),
        ),
        (
            format!("# a\n---\n{other}---\n{document}"),
            format!("---\n# a\n{document}---\n{other}"),
        ),
        // Whether this comment is about the first document is unknown.
        (format!("# a\n--- # b\n{document}"), format!("# a\n--- # b\n{document}")),
        ("# a\n---\n# b\n".to_owned(), "# a\n---\n# b\n".to_owned()),
    ] {
        assert_eq!(formatted(&text), expected);
    }
}

#[test]
fn documents_keep_their_order_next_to_ambiguous_comments() {
    let documents = ["schema: olm.bundle\npackage: a\n", "schema: olm.package\nname: a\n"];
    for separator in ["--- # the rest\n", "# the rest\n---\n", "---\n# the rest\n---\n"] {
        let text = format!("---\n{}{separator}{}", documents[0], documents[1]);
        assert_eq!(formatted(&text), text);
    }
    let text = format!("---\n{}---\n{}", documents[0], documents[1]);
    assert_eq!(formatted(&text), format!("---\n{}---\n{}", documents[1], documents[0]));
    assert_eq!(
        formatted("--- # a\n--- # b\nschema: a\n--- # c\n"),
        "--- # a\n# b\nschema: a\n# c\n"
    );
}

#[test]
fn json_is_formatted_like_common_tools() {
    let text =
        formatted("{\"schema\":\"olm.bundle\",\"x\":1.50,\"name\":\"a\"} {\"name\":\"p\", \"schema\":\"olm.package\"}");
    insta::assert_snapshot!(text, @r#"
    {
        "schema": "olm.package",
        "name": "p"
    }
    {
        "schema": "olm.bundle",
        "name": "a",
        "x": 1.50
    }
    "#);
}

#[test]
fn the_fields_of_every_known_schema_are_ordered_in_both_languages() {
    let name = Schema::Lifecycles.name();
    assert_eq!(
        formatted(&format!("x: 1\nversions: []\npackage: rake\nschema: {name}\n")),
        format!("---\nschema: {name}\npackage: rake\nversions: []\nx: 1\n")
    );
    let json = formatted(&format!(
        r#"{{"x":1,"versions":[],"package":"rake","schema":"{name}"}} {{"b":1,"schema":"other","a":2}}"#
    ));
    let values: Vec<serde_json::Map<String, Value>> = serde_json::Deserializer::from_str(&json)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let fields = |document: &serde_json::Map<String, Value>| document.keys().cloned().collect::<Vec<_>>();
    let values: Vec<Vec<String>> = values.iter().map(fields).collect();
    assert_eq!(
        values,
        [vec!["schema", "package", "versions", "x"], vec!["b", "schema", "a"]]
    );
}

#[test]
fn a_document_that_cannot_be_reformatted_is_kept_and_reported() {
    let text = "schema: a\n---\n? schema\n: b\n";
    let formatted = format(text.as_bytes(), CatalogLimits::default()).unwrap();
    assert_eq!(formatted.content, b"---\nschema: a\n---\n? schema\n: b\n");
    assert_eq!(formatted.kept, [3]);
    let repeated = b"---\nschema: a\nx:   1\nx:   2\n";
    let formatted = format(repeated, CatalogLimits::default()).unwrap();
    assert_eq!((&*formatted.content, &*formatted.kept), (&repeated[..], &[2][..]));
    assert_eq!(format(b"a: [", CatalogLimits::default()), None);
}

#[test]
fn documents_that_differ_only_in_layout_have_the_same_digest() {
    let of = |text: &str| contents(text.as_bytes(), CatalogLimits::default()).unwrap();
    assert_eq!(of("a: 1\nb: [x]\n---\n"), of("{\"b\": [\"x\"], \"a\": 1}"));
    for other in [
        "{\"a\": 1.0, \"b\": [\"x\"]}",
        "{\"a\": \"1\", \"b\": [\"x\"]}",
        "{\"b\": [\"x\"]}",
    ] {
        assert_ne!(of("a: 1\nb: [x]\n"), of(other), "{other}");
    }
}

proptest! {
    #[test]
    fn formatting_any_text_keeps_its_documents_and_is_idempotent(
        text in "(---\n|--- # c\n|\\.\\.\\.\n|# c\n|a: 1\n|schema: olm.(bundle|channel|package)\n|name: a\n|package: b\n|  \n|x:\n +- y\n|\r\n){0,16}",
    ) {
        let limits = CatalogLimits::default();
        if let Some(formatted) = format(text.as_bytes(), limits) {
            let sorted = |content: &[u8]| {
                let mut contents = contents(content, limits).unwrap();
                contents.sort_unstable();
                contents
            };
            prop_assert_eq!(sorted(text.as_bytes()), sorted(&formatted.content));
            let content = String::from_utf8_lossy(&formatted.content);
            prop_assert_eq!(content.matches("# c").count(), text.matches("# c").count(), "{}", text);
            let again = format(&formatted.content, limits);
            prop_assert_eq!(again.map(|again| again.content), Some(formatted.content), "{}", text);
        }
    }
}
