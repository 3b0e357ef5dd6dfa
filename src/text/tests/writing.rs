use super::*;
use proptest::prelude::*;
use serde_json::{Map, json};

#[test]
fn yaml_is_formatted_like_kubernetes_manifests() {
    let value = json!({
        "apiVersion": "v1",
        "items": [{"name": "a", "args": ["--x=1", "b"]}, [], {}, [[1, 2], "c"], null],
        "text": "one\ntwo\n",
        "empty": "",
        "n": {"deep": {"er": true}},
    });
    let expected = "\
apiVersion: v1
items:
- name: a
  args:
  - --x=1
  - b
- []
- {}
- - - 1
    - 2
  - c
- null
text: |
  one
  two
empty: \"\"
\"n\":
  deep:
    er: true
";
    assert_eq!(to_yaml(&value), expected);
}

#[test]
fn strings_are_quoted_exactly_if_readers_need_it() {
    for text in [
        "",
        " ",
        " a",
        "a ",
        "on",
        "y",
        "Yes",
        "NO",
        "null",
        "~",
        "1",
        "1_000",
        "0x1F",
        "0o7",
        "1e3",
        ".5",
        "+1",
        ".inf",
        "<<",
        "=",
        "a: b",
        "a:",
        "# x",
        "a #b",
        "-",
        "- a",
        "?",
        "? a",
        ":",
        "*",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a",
        "|",
        ">",
        "'a",
        "\"a",
        "[a",
        "{a",
        "a\tb",
        "a\rb",
        "\u{85}",
        "\u{2028}",
        "\u{FEFF}",
        "\u{7f}",
        "\u{1b}",
        "---",
        "...",
        "--- a",
        "1e400",
        "12:30:45",
        "2001-12-14",
        "true",
        "0",
        "08",
        ",a",
        "]",
        "}",
        "#",
    ] {
        let written = to_yaml(&json!(text));
        assert!(written.starts_with(['"', '\'']), "{text:?}: {written}");
        assert_eq!(value(&written), json!(text));
    }
    for text in [
        "a",
        "a b",
        "0.14.1",
        "10Gi",
        "100m",
        "v1",
        "--flag",
        "-x",
        "a:b",
        "a#b",
        "http://a/b?c=d",
        "tRue",
        "it's",
        "ä",
        "😀",
        "a, b",
        "x[0]",
        "{{",
        "1.2.3-rc.1",
        "a\"b",
        ">=1",
    ] {
        let written = to_yaml(&json!(text));
        let plain = format!("{text}\n");
        assert_eq!(written == plain, !text.starts_with(['{', '>']), "{written}");
        assert_eq!(value(&written), json!(text));
    }
}

#[test]
fn multi_line_strings_are_literal_if_lossless() {
    for (text, written) in [
        ("a\nb", "|-\n  a\n  b\n"),
        ("a\nb\n", "|\n  a\n  b\n"),
        ("a\n\n", "|+\n  a\n\n"),
        (" a\nb\n", "|2\n   a\n  b\n"),
        ("\na", "|2-\n\n  a\n"),
        ("\ta\n", "|2\n  \ta\n"),
        ("# a\n--- b\n", "|\n  # a\n  --- b\n"),
    ] {
        assert_eq!(to_yaml(&json!(text)), written);
        assert_eq!(value(written), json!(text));
    }
    for text in ["\n", "a\n \n", "a\r\nb", "a\u{85}b\nc", "a\n  "] {
        let written = to_yaml(&json!(text));
        assert!(written.starts_with('"'), "{written}");
        assert_eq!(value(&written), json!(text));
    }
}

#[test]
fn numbers_survive_a_round_trip() {
    for number in [
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1.0),
        json!(-0.0),
        json!(1e21),
        json!(1.5e300),
        json!(5e-324),
        json!(0.1),
        json!(f64::MAX),
    ] {
        let written = to_yaml(&number);
        assert_eq!(value(&written), number);
        assert_eq!(value(&written).to_string(), number.to_string());
    }
}

#[test]
fn long_keys_and_lines_are_written() {
    let long = "x ".repeat(5_000) + "x";
    let map = json!([{ &long: [1], "b": { &long: &long, "c": {&long: {"d": 1}} } }]);
    assert_eq!(value(&to_yaml(&map)), map);
}

#[test]
fn json_is_indented_with_two_spaces() {
    assert_eq!(
        to_json(&json!({"b": [1], "a": {}})),
        "{\n  \"b\": [\n    1\n  ],\n  \"a\": {}\n}\n"
    );
}

/// Strings that are easy to get wrong in YAML.
fn strings() -> impl Strategy<Value = String> {
    prop_oneof![
        "[-?:,\\[\\]{}#&*!|>'\"%@`ab01. \t\r\n<=~_xeé\u{85}\u{2028}\u{FEFF}\u{7f}\u{0}😀]{0,12}",
        "[ \n\ta]{0,12}",
        "[-+]?[0-9_.:exob-]{1,8}",
        any::<String>(),
        "(---|\\.\\.\\.|<<|=|y|No|on|null|~|[.]inf|0x1F)[ \na]{0,2}",
        "[a ]{990,1100}",
    ]
}

pub(super) fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        strings().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((strings(), inner), 0..6)
                .prop_map(|entries| Value::from(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

#[test]
fn unprintable_text_is_escaped() {
    use crate::visible::{begins_command, has_marker, is_hidden};
    for text in [
        "\u{1b}[2J\u{7f}\u{9b}\r",
        "\u{202e}x\u{2066}\u{61c}\u{2028}",
        "x\u{e0041}",
        "##[group]x",
        "a '\"##vso[x]\"",
        "a\n::stop-commands::x\n  ::b::\n",
        "a\n##[b]\n",
        "::a",
    ] {
        let wanted = json!({ text: [text, { "a": text }], "b": { text: text } });
        for written in [to_yaml(&wanted), to_json(&wanted)] {
            assert!(!written.contains(is_hidden) && !has_marker(&written), "{written:?}");
            assert!(!written.lines().any(begins_command), "{written}");
        }
        assert_eq!(reading(&to_yaml(&wanted)).documents[0].value(), &wanted);
        assert_eq!(serde_json::from_str::<Value>(&to_json(&wanted)).unwrap(), wanted);
    }
    assert_eq!(
        to_yaml(&json!("x\u{e0041}\u{9b}##[")),
        "\"x\\U000E0041\\u009B#\\u0023[\"\n"
    );
}

proptest! {
    #![proptest_config(property(256))]

    #[test]
    fn any_value_survives_yaml(wanted in values()) {
        let written = to_yaml(&wanted);
        let reading = reading(&written);
        prop_assert_eq!(&reading.diagnostics, &[], "{}", written);
        prop_assert_eq!(reading.documents.len(), 1);
        prop_assert_eq!(reading.documents[0].value(), &wanted);
        // The writer did not fall back to JSON.
        let block = wanted.as_object().is_some_and(|map| !map.is_empty());
        prop_assert!(!(block && written.starts_with('{')), "{}", written);
        prop_assert_eq!(to_yaml(&wanted), written);
    }

    #[test]
    fn any_value_survives_json_formatting(wanted in values()) {
        let mut written = String::new();
        crate::text::emit::flow(&wanted, &mut written);
        let reading = super::super::load::load(&written, &Limits::default()).unwrap().unwrap();
        prop_assert_eq!(&reading.value, &wanted);
    }

    #[test]
    fn any_value_survives_json(wanted in values()) {
        let reading = read("a", to_json(&wanted).as_bytes(), &Limits::default());
        if wanted.is_object() || wanted.is_array() {
            prop_assert_eq!(reading.documents[0].value(), &wanted);
        }
        let canonical = canonical::to_string(&wanted);
        let again: Value = serde_json::from_str(&canonical).unwrap();
        prop_assert_eq!(canonical::to_string(&again), canonical);
    }
}

#[test]
fn a_value_in_a_message_is_one_short_line() {
    let long = "é".repeat(61);
    for (value, expected) in [
        (Value::from("a\nb"), "a b".to_owned()),
        (Value::from(long.as_str()), format!("{}…", "é".repeat(60))),
        (
            serde_json::json!({"b": [1], "a": true}),
            r#"{"a":true,"b":[1]}"#.to_owned(),
        ),
    ] {
        assert_eq!(short_value(&value), expected);
    }
}
