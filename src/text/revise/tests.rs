use super::*;
use crate::text::read;
use proptest::prelude::*;
use serde_json::{Map, json};

fn document(text: &str) -> Document {
    let reading = read("catalog.yaml", text.as_bytes(), &Limits::default());
    assert!(
        !reading.diagnostics.iter().any(crate::diagnostic::Diagnostic::is_error),
        "{text}"
    );
    reading.documents.into_iter().next().unwrap()
}

/// Returns the text after a change of the value.
fn revised(text: &str, change: impl FnOnce(&mut Value)) -> String {
    let document = document(text);
    let mut value = document.value().clone();
    change(&mut value);
    revise(&document, &value).unwrap()
}

const CHANNEL: &str = "\
schema: olm.channel   # one of two
package: 'rake'
name: stable
entries:
  # the newest
  - name: rake.v2
    replaces: rake.v1   # the first

  # the oldest
  - name: rake.v1
x-owner: \"garden\"
";

#[test]
fn an_item_is_added_in_the_layout_of_its_neighbours() {
    let text = revised(CHANNEL, |value| {
        let entry = json!({"name": "rake.v3", "replaces": "rake.v2", "skips": ["rake.v1"]});
        value["entries"].as_array_mut().unwrap().insert(0, entry);
    });
    insta::assert_snapshot!(text, @r#"
    schema: olm.channel   # one of two
    package: 'rake'
    name: stable
    entries:
      - name: rake.v3
        replaces: rake.v2
        skips:
          - rake.v1
      # the newest
      - name: rake.v2
        replaces: rake.v1   # the first

      # the oldest
      - name: rake.v1
    x-owner: "garden"
    "#);
    let text = revised(CHANNEL, |value| {
        value["entries"].as_array_mut().unwrap().push(json!({"name": "on"}));
    });
    insta::assert_snapshot!(text, @r#"
    schema: olm.channel   # one of two
    package: 'rake'
    name: stable
    entries:
      # the newest
      - name: rake.v2
        replaces: rake.v1   # the first

      # the oldest
      - name: rake.v1
      - name: "on"
    x-owner: "garden"
    "#);
}

#[test]
fn a_comment_between_a_dash_and_its_item_is_kept() {
    let text = "entries:\n- # the newest -\n  # of all\n  name: rake.v2\n- # the oldest\n  name: rake.v1\n";
    let added = revised(text, |value| {
        let entry = json!({"name": "rake.v3", "replaces": "rake.v2"});
        value["entries"].as_array_mut().unwrap().insert(0, entry);
    });
    insta::assert_snapshot!(added, @"
    entries:
    - name: rake.v3
      replaces: rake.v2
    - # the newest -
      # of all
      name: rake.v2
    - # the oldest
      name: rake.v1
    ");
    let removed = revised(text, |value| drop(value["entries"].as_array_mut().unwrap().remove(0)));
    insta::assert_snapshot!(removed, @"
    entries:
    - # the oldest
      name: rake.v1
    ");
}

#[test]
fn an_item_is_removed_with_its_comments() {
    let text = revised(CHANNEL, |value| {
        drop(value["entries"].as_array_mut().unwrap().remove(0));
    });
    insta::assert_snapshot!(text, @r#"
    schema: olm.channel   # one of two
    package: 'rake'
    name: stable
    entries:
      # the oldest
      - name: rake.v1
    x-owner: "garden"
    "#);
    let text = revised(CHANNEL, |value| drop(value["entries"].as_array_mut().unwrap().pop()));
    insta::assert_snapshot!(text, @r#"
    schema: olm.channel   # one of two
    package: 'rake'
    name: stable
    entries:
      # the newest
      - name: rake.v2
        replaces: rake.v1   # the first

    x-owner: "garden"
    "#);
}

#[test]
fn fields_are_changed_added_and_removed_in_place() {
    let text = revised(CHANNEL, |value| {
        value["package"] = json!("hoe");
        value["name"] = json!("on");
        let entry = value["entries"][0].as_object_mut().unwrap();
        entry.remove("replaces");
        entry.insert("skipRange".to_owned(), json!("<2.0.0"));
        value.as_object_mut().unwrap().remove("x-owner");
    });
    insta::assert_snapshot!(text, @r#"
    schema: olm.channel   # one of two
    package: 'hoe'
    name: "on"
    entries:
      # the newest
      - name: rake.v2
        skipRange: <2.0.0

      # the oldest
      - name: rake.v1
    "#);
    let text = revised(CHANNEL, |value| {
        value["entries"][1]["skips"] = json!(["rake.v0", "1.0"]);
        value["x-owner"] = json!("it's\nlong\n");
    });
    insta::assert_snapshot!(text, @r#"
    schema: olm.channel   # one of two
    package: 'rake'
    name: stable
    entries:
      # the newest
      - name: rake.v2
        replaces: rake.v1   # the first

      # the oldest
      - name: rake.v1
        skips:
          - rake.v0
          - "1.0"
    x-owner: |
      it's
      long
    "#);
}

#[test]
fn lists_can_be_emptied_and_filled() {
    let text = revised("a:\n- 1\n- 2 # two\nb: 3\n", |value| value["a"] = json!([]));
    assert_eq!(text, "a: []\nb: 3\n");
    let text = revised("a: []\nb: 3\n", |value| value["a"] = json!([{"c": 1, "d": 2}]));
    assert_eq!(text, "a:\n- c: 1\n  d: 2\nb: 3\n");
    let text = revised("a:\nb: 3\n", |value| value["a"] = json!({"c": 1}));
    assert_eq!(text, "a:\n  c: 1\nb: 3\n");
    let text = revised("a:\nb: 3\n", |value| value["a"] = json!("x"));
    assert_eq!(text, "a: x\nb: 3\n");
    let text = revised("a: |\n  long\n  text\n# c\nb: 3\n", |value| value["a"] = json!("x"));
    assert_eq!(text, "a: x\n# c\nb: 3\n");
}

#[test]
fn the_next_key_takes_the_place_of_a_removed_first_key() {
    let text = revised("a:\n  - b: 1 # one\n    c: 2\n", |value| value["a"] = json!([{"c": 2}]));
    assert_eq!(text, "a:\n  - b: 1 # one\n    c: 2\n".replace("b: 1 # one\n    ", ""));
    let text = revised("- {name: a, b: 1}\n- {name: c}\n", |value| {
        value[0]["b"] = json!(2);
        value.as_array_mut().unwrap().push(json!({"name": "d", "e": "x y"}));
    });
    assert_eq!(text, "- {name: a, b: 2}\n- {name: c}\n- {name: d, e: \"x y\"}\n");
}

#[test]
fn json_keeps_its_format() {
    let many = "{\n    \"schema\": \"olm.channel\",\n    \"entries\": [\n        {\n            \"name\": \"a\"\n        }\n    ]\n}\n";
    let add = |value: &mut Value| {
        let entries = value["entries"].as_array_mut().unwrap();
        entries.insert(0, json!({"name": "b", "skips": ["a"]}));
    };
    insta::assert_snapshot!(revised(many, add), @r#"
    {
        "schema": "olm.channel",
        "entries": [
            {
                "name": "b",
                "skips": [
                    "a"
                ]
            },
            {
                "name": "a"
            }
        ]
    }
    "#);
    let one = "{\"schema\":\"olm.channel\",\"entries\":[{\"name\":\"a\"}]}";
    assert_eq!(
        revised(one, add),
        "{\"schema\":\"olm.channel\",\"entries\":[{\"name\":\"b\",\"skips\":[\"a\"]},{\"name\":\"a\"}]}"
    );
    let spaced = "{\"entries\": [{\"name\": \"a\"}, {\"name\": \"c\"}], \"x\": null}";
    let text = revised(spaced, |value| {
        value["entries"][0]["name"] = json!("z");
        value.as_object_mut().unwrap().remove("x");
    });
    assert_eq!(text, "{\"entries\": [{\"name\": \"z\"}, {\"name\": \"c\"}]}");
}

#[test]
fn line_endings_are_kept() {
    let text = revised("a:\r\n- x\r\nb: 1\r\n", |value| {
        value["a"].as_array_mut().unwrap().push(json!("z"));
        value["c"] = json!({"d": [1]});
    });
    assert_eq!(text, "a:\r\n- x\r\n- z\r\nb: 1\r\nc:\r\n  d:\r\n  - 1\r\n");
    assert_eq!(revised("a: 1", |value| value["b"] = json!(2)), "a: 1\nb: 2");
}

#[test]
fn strings_ambiguous_to_other_readers_are_quoted() {
    let text = revised("a:\n- x\n", |value| {
        value["a"] = json!(["x", "on", "010", "1e3", "a: b", "# c", "~", ""]);
    });
    assert_eq!(
        document(&text).value()["a"],
        json!(["x", "on", "010", "1e3", "a: b", "# c", "~", ""])
    );
    assert!(text.starts_with("a:\n- x\n- \"on\"\n- \"010\"\n"), "{text}");
}

#[test]
fn a_value_behind_an_alias_or_merge_key_is_not_changed() {
    for (text, path) in [
        ("a: &x\n  b: 1\nc: *x\n", "c.b"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n", "c.b"),
        ("a: &x [1]\nc: *x\n", "c"),
    ] {
        let document = document(text);
        let mut value = document.value().clone();
        *value.pointer_mut(&format!("/{}", path.replace('.', "/"))).unwrap() = json!(5);
        let result = revise(&document, &value);
        // An alias that can itself be replaced is replaced.
        if let Ok(text) = result {
            assert_eq!(self::document(&text).value(), &value);
            assert!(text.starts_with(text.split("c:").next().unwrap()), "{text}");
        } else {
            let error = result.unwrap_err().to_string();
            assert!(error.contains("cannot be edited in place"), "{error}");
        }
    }
    let merged = document("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n");
    let error = revise(&merged, &json!({"a": {"b": 1}, "c": {"d": 2}})).unwrap_err();
    assert_eq!(error.to_string(), "catalog.yaml:2:1: c cannot be edited in place");
}

/// Values like those in catalogs.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..100_i64).prop_map(Value::from),
        "[a-c]{0,3}".prop_map(Value::from),
        "[ -~\n]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-d]", inner.clone()), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            prop::collection::vec(("[a-c]", inner), 0..3).prop_map(|items| {
                let named = items
                    .into_iter()
                    .map(|(name, value)| json!({"name": name, "value": value}));
                Value::Array(named.collect())
            }),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec(("[a-d]", value()), 1..4).prop_map(|fields| fields.into_iter().collect())
}

/// Returns the forms in which a value may be written.
fn written(value: &Value) -> Vec<String> {
    let yaml = crate::text::to_yaml(value);
    vec![
        yaml.clone(),
        yaml.replace('\n', "\r\n"),
        format!("# head\n{yaml}# foot\n"),
        yaml.trim_end().to_owned(),
        value.to_string(),
        serde_json::to_string_pretty(value).unwrap(),
        format!("{}\n", serde_json::to_string_pretty(value).unwrap()),
    ]
}

proptest! {
    #[test]
    fn revised_text_contains_the_new_value(old in object(), new in object()) {
        let (old, new) = (Value::Object(old), Value::Object(new));
        for text in written(&old) {
            let reading = read("catalog.yaml", text.as_bytes(), &Limits::default());
            let Some(document) = reading.documents.into_iter().next() else { continue };
            if document.value() != &old {
                // The value of a multi-line string depends on its line breaks.
                continue;
            }
            let revised = revise(&document, &new);
            prop_assert!(revised.is_ok(), "{text:?}\n{new}");
            let again = self::document(&revised.unwrap());
            prop_assert_eq!(again.value(), &new);
        }
    }

    #[test]
    fn equal_values_give_equal_bytes(old in object()) {
        let old = Value::Object(old);
        for text in written(&old) {
            let document = document(&text);
            prop_assert_eq!(revise(&document, document.value()).unwrap(), text);
        }
    }

    #[test]
    fn adding_and_removing_restores_the_bytes(old in object(), added in value(), at in 0..4_usize) {
        let mut old = old;
        old.insert("list".to_owned(), json!([{"name": "x"}, {"name": "y"}]));
        let old = Value::Object(old);
        for text in written(&old) {
            let document = document(&text);
            if document.value() != &old {
                continue;
            }
            let mut more = old.clone();
            let list = more["list"].as_array_mut().unwrap();
            list.insert(at.min(2), json!({"name": "new", "value": added}));
            let with = revise(&document, &more).unwrap();
            if with.ends_with('\n') && !text.ends_with('\n') {
                // The last line of a multi-line text needs its line break.
                continue;
            }
            let with = self::document(&with);
            prop_assert_eq!(revise(&with, &old).unwrap(), text);
        }
    }
}

#[test]
fn line_breaks_known_only_to_yaml_are_escaped_in_all_quotes() {
    for item in ["m", "'m'", "\"m\""] {
        let text = format!("entries:\n- message: {item}\n- message: {item}\n");
        for new in ["a\u{85}b", "it's\u{2028}so", "it's"] {
            let changed = revised(&text, |value| {
                value["entries"][0]["message"] = new.into();
                let items = value["entries"].as_array_mut().unwrap();
                items.push(json!({"message": new}));
            });
            assert!(!changed.contains(['\u{85}', '\u{2028}']), "{changed}");
        }
    }
}

#[test]
fn comments_between_brackets_stay_with_their_items() {
    let revised = |list: &str, items: &[&str]| {
        let text = format!("skips: [{list}]\n");
        let reading = read("f", text.as_bytes(), &Limits::default());
        let revised = revise(&reading.documents[0], &json!({"skips": items})).unwrap();
        revised
            .strip_prefix("skips: [")
            .unwrap()
            .strip_suffix("]\n")
            .unwrap()
            .to_owned()
    };
    let list = "a, # broken\n  c";
    assert_eq!(revised(list, &["a", "c", "d"]), "a, # broken\n  c,\n  d");
    assert_eq!(revised(list, &["a", "b", "c"]), "a, # broken\n  b,\n  c");
    assert_eq!(revised(list, &["a"]), "a, # broken\n  ");
    assert_eq!(revised(list, &["c"]), "c");
    assert_eq!(revised("a, # broken\n  b, c", &["a", "c"]), "a, # broken\n  c");
    assert_eq!(
        revised("a,\n  c # broken\n", &["a", "c", "d"]),
        "a,\n  c, # broken\n  d\n"
    );
    assert_eq!(
        revised("a, # broken\n  b, # fixed\n  c", &["a", "b", "d", "c"]),
        "a, # broken\n  b, # fixed\n  d,\n  c"
    );
    let list = "\n  # first\n  a, # broken\n  # second\n  b, # fixed\n  # third\n  c # last\n";
    let third = "\n  # third\n  c # last\n";
    assert_eq!(revised(list, &["c"]), third);
    assert_eq!(revised(list, &["b", "c"]), format!("\n  # second\n  b, # fixed{third}"));
    assert_eq!(revised(list, &["a", "c"]), format!("\n  # first\n  a, # broken{third}"));
    assert_eq!(
        revised(list, &["d", "b", "c"]),
        format!("\n  d,\n  # second\n  b, # fixed{third}")
    );
    assert_eq!(revised("\n  a,\n  b, # fixed\n  c\n", &["a", "c"]), "\n  a,\n  c\n");
    assert_eq!(revised("\n  a,\n  b # fixed\n", &["a"]), "\n  a\n");
    assert_eq!(revised("\n  # first\n  a\n", &["b", "a"]), "\n  b,\n  # first\n  a\n");
}

#[test]
fn long_lists_keep_the_comments_of_all_other_items() {
    const LENGTH: usize = 5_000;
    let item = |number: usize| format!("- name: v{number} # {number}\n  value: 1\n");
    let text: String = (0..LENGTH).map(item).collect();
    let changed = revised(&format!("entries:\n{text}"), |value| {
        let entries = value["entries"].as_array_mut().unwrap();
        entries.remove(LENGTH - 2);
        entries.remove(1);
    });
    let kept: String = (0..LENGTH)
        .filter(|number| ![1, LENGTH - 2].contains(number))
        .map(item)
        .collect();
    assert!(changed == format!("entries:\n{kept}"));
}

#[test]
fn a_document_without_a_name_in_a_list_is_changed_in_place() {
    let text = "\
entries:
  - schema: olm.package
    name: rake
  # agreed with the gardeners
  - package: rake
    schema: olm.deprecations
    entries:
      # remove in 2027
      - message: 'Use a hoe.'   # reviewed
        reference: {schema: olm.channel, name: stable}
";
    let changed = revised(text, |value| {
        let entries = value["entries"][1]["entries"].as_array_mut().unwrap();
        entries.push(json!({"message": "Gone.", "reference": {"schema": "olm.package"}}));
    });
    let added = changed.strip_prefix(text).unwrap();
    assert_eq!(
        added,
        "      - message: 'Gone.'\n        reference:\n          schema: olm.package\n"
    );
}

#[test]
fn a_renamed_reference_is_changed_in_place() {
    let text = "\
entries:
# agreed with the gardeners
- message: 'Use a hoe.'   # reviewed
  reference:
    name: old   # the channel
    schema: olm.channel
- {message: m, reference: {schema: olm.package}}
";
    let changed = revised(text, |value| value["entries"][0]["reference"]["name"] = json!("legacy"));
    assert_eq!(changed, text.replace("name: old ", "name: legacy "));
}

#[test]
fn the_first_item_is_replaced_before_an_empty_line() {
    let text = "versions:\n# old\n- '4.20'\n\n- '4.21'\n";
    let changed = revised(text, |value| value["versions"] = json!(["4.22", "4.21"]));
    assert_eq!(changed, "versions:\n- '4.22'\n\n- '4.21'\n");
    let changed = revised(text, |value| value["versions"] = json!(["4.22", "4.23", "4.21"]));
    assert_eq!(changed, "versions:\n- '4.22'\n- '4.23'\n\n- '4.21'\n");
    let changed = revised(text, |value| value["versions"] = json!(["4.21", "4.22"]));
    assert_eq!(changed, "versions:\n- '4.21'\n- '4.22'\n");
}

#[test]
fn a_comment_stays_on_the_first_line_of_a_multi_line_string() {
    for (old, new) in [
        ("\"short\" # reviewed", "|- # reviewed\n    a\n    b"),
        ("\"in\n    lines\" # reviewed", "|- # reviewed\n    a\n    b"),
        ("|  # reviewed\n    one\n    two", "|-  # reviewed\n    a\n    b"),
        ("# reviewed", "|- # reviewed\n    a\n    b"),
        ("short  ", "|-  \n    a\n    b"),
        ("|-\n    # one\n    two", "|-\n    a\n    b"),
    ] {
        for newline in ["\n", "\r\n"] {
            let text =
                |value: &str| format!("list:\n- name: x\n  message: {value}\n  more: 1\n").replace('\n', newline);
            let changed = revised(&text(old), |value| value["list"][0]["message"] = json!("a\nb"));
            assert_eq!(changed, text(new));
        }
    }
    let changed = revised("message: |  # reviewed\n  one\nmore: 1\n", |value| {
        value["message"] = json!("a");
    });
    assert_eq!(changed, "message: a  # reviewed\nmore: 1\n");
}
