use super::*;
use crate::text::read;
use proptest::prelude::*;
use serde_json::{Value, json};

const FIRST: [&str; 3] = ["schema", "name", "package"];

fn document(text: &str) -> Document {
    let reading = read("catalog.yaml", text.as_bytes(), &Limits::default());
    assert!(!crate::diagnostic::has_errors(&reading.diagnostics), "{text}");
    reading.documents.into_iter().next().unwrap()
}

fn formatted(text: &str) -> String {
    let once = reflow(&document(text), &FIRST).unwrap();
    let again = reflow(&document(&once), &FIRST);
    assert_eq!(again.as_deref(), Some(&*once), "{text}");
    once
}

#[test]
fn indentation_and_blanks_become_canonical_and_comments_keep_their_neighbours() {
    let text = formatted(
        "
# One of two.

package:   'rake'   # of the garden


entries:
    # the newest
    -   name:  rake.v2
        replaces: rake.v1     # the first
        skips:   # many
            # of them
            - rake.v0

    # the oldest
    - name: rake.v1   \t
    # - name: rake.v0
# the channel
schema: olm.channel
name:
      stable
description: |
      long

        text
icon: {a: 1,
       b: [2,
         3]}
note: a text
    of two lines

    and more
# the end

",
    );
    insta::assert_snapshot!(text, @"
    # One of two.

    # the channel
    schema: olm.channel
    name:
      stable
    package: 'rake'   # of the garden

    entries:
    # the newest
    - name: rake.v2
      replaces: rake.v1     # the first
      skips:   # many
      # of them
      - rake.v0

    # the oldest
    - name: rake.v1
    # - name: rake.v0
    description: |
      long

        text
    icon: {a: 1,
           b: [2,
             3]}
    note: a text
      of two lines

      and more
    # the end
    ");
}

#[test]
fn nested_lists_anchors_and_tags_keep_their_places() {
    let text = formatted(
        "schema: x\na:\n   -\n      - 1\n      -   - 2\n          - &y {b: 1}\n   - &x\n     # c\n     k: !!str 1\n   -   # d\n     l: *x\nm: &l\n  - 1\nn: !!map\n    o: p\n",
    );
    insta::assert_snapshot!(text, @"
    schema: x
    a:
    - - 1
      - - 2
        - &y {b: 1}
    - &x
      # c
      k: !!str 1
    -   # d
      l: *x
    m: &l
    - 1
    n: !!map
      o: p
    ");
}

#[test]
fn multi_line_strings_keep_their_blanks() {
    for text in [
        "a:\n    b: |2\n        deep\n      less\n",
        "a:\n    b: |+\n      x\n\n\nc: 1\n",
        "a:\n    b: >-   # folded\n        x\n\n          y\n        z\nc: 1\n",
        "a:\n  - |\n   x\n  - >\n\n    y\n",
        "a: \"x\n   y\\\n   \\ z\"\nb: 'it''s\n\n  long'\n",
        "a: |\n  x\n  \n   \n  y\n",
    ] {
        formatted(text);
    }
}

#[test]
fn text_that_cannot_be_reformatted_is_unchanged() {
    for text in [
        "? a\n: b\n",
        "a: 1\n...\n",
        "%YAML 1.1\n---\na: 1\n",
        "a: |\n  x",
        "{\"a\": 1}",
    ] {
        let reading = read("catalog.yaml", text.as_bytes(), &Limits::default());
        for document in reading.documents {
            assert_eq!(reflow(&document, &FIRST), None, "{text}");
        }
    }
}

#[test]
fn an_alias_stays_after_its_anchor() {
    let text = "a: &x 1\nschema:   *x\n";
    assert_eq!(formatted(text), "a: &x 1\nschema: *x\n");
}

#[test]
fn line_endings_become_line_feeds() {
    assert_eq!(
        formatted("a:\r\n  - 1 # c\r\nb: |\r\n   x\r\n   y\r\n"),
        "a:\n- 1 # c\nb: |\n  x\n  y\n"
    );
}

/// Values like those in catalogs.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..100_i64).prop_map(Value::from),
        "[ -~\n]{0,12}".prop_map(Value::from),
        "[a-c \n#]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-d]", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Writes a value with comments in a layout determined by `choices`; returns the text and the number of comments.
fn scattered(value: &Value, choices: &[u8]) -> (String, usize) {
    let mut choices = choices.iter().copied().cycle();
    let mut choose = move |of: u8| choices.next().map_or(0, |choice| choice % of);
    let mut out = String::new();
    let mut comments = 0;
    scatter(value, 0, &mut choose, &mut out, &mut comments);
    (out, comments)
}

fn scatter(value: &Value, column: usize, choose: &mut impl FnMut(u8) -> u8, out: &mut String, comments: &mut usize) {
    let line = |out: &mut String, comments: &mut usize, choose: &mut dyn FnMut(u8) -> u8| {
        match choose(5) {
            0 => out.push('\n'),
            1 => {
                *comments += 1;
                let shift = usize::from(choose(3));
                out.push_str(&format!(
                    "{}# comment {comments}\n",
                    " ".repeat(column.saturating_sub(1) + shift)
                ));
            }
            _ => {}
        }
        out.push_str(&" ".repeat(column));
    };
    let deeper = column + 1 + usize::from(choose(4));
    let members: Vec<(Option<&String>, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (Some(key), value)).collect(),
        Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
        _ => Vec::new(),
    };
    for (key, value) in members {
        line(out, comments, choose);
        match key {
            Some(key) => out.push_str(&format!("{}:", json!(key))),
            None => out.push('-'),
        }
        let block =
            (value.is_object() || value.is_array()) && choose(4) > 0 && *value != json!([]) && *value != json!({});
        if block {
            out.push_str(if choose(2) == 0 { "\n" } else { "  # here\n" });
            let indented = key.is_none() || value.is_object() || choose(2) == 0;
            scatter(value, if indented { deeper } else { column }, choose, out, comments);
        } else {
            let blanks = " ".repeat(1 + usize::from(choose(3)));
            out.push_str(&format!(
                "{blanks}{value}{}\n",
                if choose(3) == 0 { "   # there" } else { "" }
            ));
        }
    }
}

proptest! {
    #[test]
    fn reformatting_keeps_values_and_comments(
        fields in prop::collection::vec(("[a-d]|schema", value()), 1..5),
        choices in prop::collection::vec(any::<u8>(), 1..40),
    ) {
        let value = Value::Object(fields.into_iter().collect());
        let (text, count) = scattered(&value, &choices);
        let document = document(&text);
        prop_assert_eq!(document.value(), &value, "{}", text);
        let written = reflow(&document, &FIRST);
        prop_assert!(written.is_some(), "{}", text);
        let written = written.unwrap();
        let after = self::document(&written);
        prop_assert_eq!(after.value(), &value);
        for number in 1..=count {
            let comment = format!("# comment {number}\n");
            prop_assert_eq!(written.matches(&comment).count(), 1, "{}\n{}", text, written);
        }
        prop_assert_eq!(text.matches("  # there\n").count(), written.matches("  # there\n").count());
        let again = reflow(&after, &FIRST);
        prop_assert_eq!(again.as_deref(), Some(&*written), "{}", text);
        // The writer's layout is already canonical.
        let plain = crate::text::to_yaml(&value);
        if plain.starts_with(|first: char| first.is_ascii_lowercase()) {
            let plain = self::document(&plain);
            let same = reflow(&plain, &[]);
            prop_assert_eq!(same.as_deref(), Some(plain.source().text()));
        }
    }

    #[test]
    fn reformatting_is_idempotent_or_skipped(text in "([a-c]|: |- |\n|  | #c|\"|'|[|]\n|[>]\n|&a |[*]a|\\[|\\]|, ){0,24}") {
        let reading = read("catalog.yaml", text.as_bytes(), &Limits::default());
        if let [document] = &reading.documents[..]
            && let Some(written) = reflow(document, &FIRST)
        {
            let after = self::document(&written);
            prop_assert_eq!(after.value(), document.value());
            let again = reflow(&after, &FIRST);
            prop_assert_eq!(again.as_deref(), Some(&*written), "{}", text);
        }
    }
}
