use super::*;
use crate::rules;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn booleans_follow_yaml_1_1_even_as_keys() {
    assert_eq!(
        value("a: yes\nb: n\nc: ON\nd: 'yes'\ne: tRue"),
        json!({"a": true, "b": false, "c": true, "d": "yes", "e": "tRue"})
    );
    assert_eq!(value("y: 2\nno: 3"), json!({"true": 2, "false": 3}));
}

#[test]
fn numbers_can_have_octals_bases_and_underscores() {
    assert_eq!(
        value("[017, 0755, 0o17, 0x1F, 0b101, 08, 1_000, 1e3, 1., .5, +1, 1e400, 18446744073709551615]"),
        json!([15, 493, 15, 31, 5, 8.0, 1000, 1000.0, 1.0, 0.5, 1, "1e400", u64::MAX])
    );
    assert_eq!(value("18446744073709551616"), json!(18_446_744_073_709_551_616.0));
}

#[test]
fn dates_and_base_60_are_strings() {
    assert_eq!(
        value("[12:30:45, 0.14.1, 2001-12-14, 2001-12-14t21:59:43.10-05:00]"),
        json!(["12:30:45", "0.14.1", "2001-12-14", "2001-12-14t21:59:43.10-05:00"])
    );
}

#[test]
fn infinite_and_nan_numbers_are_rejected() {
    for text in ["a: .inf", "a: [-.Inf]", "a: .nan"] {
        assert_eq!(fault(text).rule.id, "yaml-unrepresentable");
    }
    assert_eq!(value(".inf: 1"), json!({".inf": 1}));
    let both = reading("a: .inf\nb: .nan\n");
    assert_eq!(both.diagnostics.len(), 2);
}

#[test]
fn keys_become_strings() {
    assert_eq!(
        value("1: a\ntrue: b\n1.5: c\n0x10: d\n1e6: e\n2001-01-01: f"),
        json!({"1": "a", "true": "b", "1.5": "c", "16": "d", "1e+06": "e", "2001-01-01": "f"})
    );
    for text in ["null: 1", "~: 1", "? \n: 1"] {
        let fault = fault(text);
        assert_eq!(fault.rule.id, "yaml-unrepresentable", "{text} {fault}");
        assert!(fault.message.contains("null"), "{}", fault.message);
    }
    assert_eq!(fault("18446744073709551615: 1").rule.id, "yaml-unrepresentable");
    assert_eq!(fault("[a]: 1").rule.id, "yaml-unrepresentable");
    assert_eq!(fault("? {a: 1}\n: 1").rule.id, "yaml-unrepresentable");
}

#[test]
fn the_last_of_two_equal_keys_wins_and_is_reported() {
    let reading = reading("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n");
    assert_eq!(reading.documents[0].value(), &json!({"a": 1, "b": {"c": 3, "d": 2}}));
    let [finding] = &reading.diagnostics[..] else {
        panic!("{:?}", reading.diagnostics)
    };
    assert_eq!(finding.rule.id, "yaml-duplicate-key");
    assert_eq!(finding.place.as_ref().unwrap().to_string(), "a.yaml:5:3");
    assert_eq!(finding.related[0].0.to_string(), "a.yaml:3:3");
    assert_eq!(finding.path.as_deref(), Some("b.c"));
}

#[test]
fn two_objects_without_a_separator_get_a_hint() {
    let reading = reading("apiVersion: v1\nkind: A\napiVersion: v1\nkind: B\n");
    assert_eq!(reading.diagnostics.len(), 2);
    assert!(reading.diagnostics[0].advice().contains("---"));
}

#[test]
fn many_duplicate_keys_are_counted() {
    let reading = reading(&"a: 1\n".repeat(500));
    assert_eq!(reading.diagnostics.len(), 101);
    assert!(
        reading
            .diagnostics
            .iter()
            .any(|finding| finding.message == "399 more duplicate keys follow")
    );
}

#[test]
fn merges_override_only_preceding_keys() {
    assert_eq!(
        value("base: &b {x: 1, y: 2}\nbefore:\n  x: 9\n  <<: *b\nafter:\n  <<: *b\n  x: 9\n"),
        json!({"base": {"x": 1, "true": 2}, "before": {"x": 1, "true": 2}, "after": {"x": 9, "true": 2}})
    );
    assert_eq!(
        value("a: &a {k: 1}\nb: &b {k: 2, l: 2}\nc: {<<: [*a, *b]}\nd: {<<: {m: 3}}\n"),
        json!({"a": {"k": 1}, "b": {"k": 2, "l": 2}, "c": {"k": 1, "l": 2}, "d": {"m": 3}})
    );
    assert_eq!(value("{'<<': 1}"), json!({"<<": 1}));
    assert_eq!(value("a: <<"), json!({"a": "<<"}));
    for text in ["<<: 1", "a: &a [{b: 1}]\nc:\n  <<: *a\n", "<<: [1]"] {
        assert_eq!(fault(text).rule.id, "yaml-syntax", "{text}");
    }
}

#[test]
fn explicit_tags_take_precedence() {
    assert_eq!(
        value("[!!str 12, !!int '12', !!float 1, !!bool 'yes', !!null '', !foo bar, !foo 12, ! '12', !!binary aGk=]"),
        json!(["12", 12, 1.0, true, null, "bar", "12", "12", "hi"])
    );
    assert_eq!(value("!!binary /w=="), json!("\u{FFFD}"));
    assert_eq!(value("a: !!map {b: !!seq [1]}\n"), json!({"a": {"b": [1]}}));
    assert_eq!(value("!!timestamp 2001-12-14"), json!("2001-12-14"));
    for text in [
        "!!int foo",
        "!!int 1.5",
        "!!bool 1",
        "!!null x",
        "!!binary '?'",
        "!!float x",
    ] {
        assert_eq!(fault(text).rule.id, "yaml-unrepresentable", "{text}");
    }
}

#[test]
fn aliases_repeat_values_within_bounds() {
    assert_eq!(
        value("a: &x [1, {b: 2}]\nc: *x\n&k d: *k\n"),
        json!({"a": [1, {"b": 2}], "c": [1, {"b": 2}], "d": "d"})
    );
    assert_eq!(value("a: &x 5\n*x : 1\n"), json!({"a": 5, "5": 1}));
    assert_eq!(value("&x 5: 1\nb: *x\n"), json!({"5": 1, "b": 5}));
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let last = format!("*a{}", level - 1);
        bomb += &format!("a{level}: &a{level} [{}]\n", vec![last; 9].join(", "));
    }
    assert_eq!(fault(&bomb).rule.id, "yaml-excessive-aliasing");
    assert_eq!(fault("a: &a [*a]").rule.id, "yaml-syntax");
    assert_eq!(fault("a: *b").rule.id, "yaml-syntax");
}

#[test]
fn aliases_of_large_texts_are_bounded() {
    let text = format!("a: &a {}\nb: [{}]\n", "x".repeat(1 << 20), vec!["*a"; 100].join(","));
    assert_eq!(fault(&text).rule.id, "yaml-excessive-aliasing");
    let nested: String = (0..100).map(|level| format!("&a{level} [")).collect();
    let text = format!("{nested}{}{}", "x".repeat(1 << 20), "]".repeat(100));
    assert_eq!(fault(&text).rule.id, "yaml-excessive-aliasing");
}

#[test]
fn depth_is_limited_even_behind_aliases() {
    let nest = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(reading(&format!("a: {}", nest(126))).diagnostics, []);
    assert_eq!(fault(&format!("a: {}", nest(127))).rule.id, "yaml-too-deep");
    assert_eq!(fault(&nest(128)).rule.id, "yaml-too-deep");
    assert_eq!(fault(&nest(100_000)).rule.id, "yaml-too-deep");
    assert_eq!(fault(&"- ".repeat(100_000)).rule.id, "yaml-too-deep");
    let chain: String = (1..60)
        .map(|level| format!("- &a{level} [*a{}]\n", level - 1))
        .collect();
    let shallow = Limits {
        depth: 50,
        ..Limits::default()
    };
    let chain = read("a", format!("- &a0 []\n{chain}").as_bytes(), &shallow);
    assert_eq!(chain.diagnostics[0].rule.id, "yaml-too-deep");
    let all = Limits {
        depth: usize::MAX,
        ..Limits::default()
    };
    let deep = read("a", nest(Limits::MOST_DEPTH).as_bytes(), &all);
    assert_eq!(deep.diagnostics, []);
    let value = deep.documents[0].value();
    assert_eq!(read("a", to_yaml(value).as_bytes(), &all).documents[0].value(), value);
    assert_eq!(read("a", to_json(value).as_bytes(), &all).documents[0].value(), value);
    assert_eq!(canonical::to_string(value), nest(Limits::MOST_DEPTH));
}

#[test]
fn documents_are_split_as_in_kubernetes() {
    let reading = reading("# about\n---\na: 1\n--- # next\nb: 2\n---\n---\nc: 3\n---\n");
    let numbers: Vec<_> = reading.documents.iter().map(Document::number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(reading.diagnostics.len(), 1);
    assert_eq!(reading.diagnostics[0].rule.id, "yaml-empty-document");
    assert_eq!(reading.diagnostics[0].place.as_ref().unwrap().text(), "# about");
    assert_eq!(reading.documents[2].place(&Path::root()).to_string(), "a.yaml:8:1");
}

#[test]
fn an_empty_file_is_one_empty_document() {
    for text in ["", "\n \n", "---\n", "# nothing\n", "\u{FEFF}"] {
        let reading = reading(text);
        assert!(reading.documents.is_empty());
        assert_eq!(reading.diagnostics.len(), 1, "{text:?}");
        assert_eq!(reading.diagnostics[0].rule.id, "yaml-empty-document");
    }
}

#[test]
fn a_broken_document_does_not_affect_the_others() {
    let reading = reading("a: 1\n---\nb: [\n---\nc: 3\n--- {d: 4}\ne: 5\n---\nf: 6\n");
    let values: Vec<_> = reading.documents.iter().map(Document::value).collect();
    assert_eq!(values, [&json!({"a": 1}), &json!({"f": 6})]);
    let numbers: Vec<_> = reading.documents.iter().map(Document::number).collect();
    assert_eq!(numbers, [0, 3]);
    assert_eq!(reading.diagnostics.len(), 2);
    assert!(
        reading
            .diagnostics
            .iter()
            .all(|finding| finding.rule.id == "yaml-syntax")
    );
}

#[test]
fn text_after_the_end_of_a_document_is_reported_and_not_read() {
    let reading = reading("a: 1\n...\n# note\nb: 2\n---\nc: 3\n");
    assert_eq!(reading.documents.len(), 2);
    assert_eq!(reading.diagnostics.len(), 1);
    assert_eq!(reading.diagnostics[0].rule.id, "yaml-hidden-text");
    assert_eq!(reading.diagnostics[0].place.as_ref().unwrap().to_string(), "a.yaml:4:1");
    assert_eq!(value("a: 1\n...\n# note\n"), json!({"a": 1}));
}

#[test]
fn directives_are_an_error() {
    for text in ["%YAML 1.1\n---\na: 1\n", "%TAG ! tag:x,2000:\n---\na: 1\n"] {
        let reading = reading(text);
        assert_eq!(reading.diagnostics.len(), 1, "{text}");
        assert_eq!(reading.diagnostics[0].rule.id, "yaml-syntax");
        assert!(reading.diagnostics[0].advice().contains("directives"));
    }
}

#[test]
fn many_directives_are_rejected_before_they_are_compared() {
    let text = format!("a: 1\n---\n{}---\na: 1\n", "%TAG !a! tag:x,2000:\n".repeat(500_000));
    let reading = reading(&text);
    assert_eq!(reading.diagnostics.len(), 1);
    assert!(
        reading.diagnostics[0].message.contains("too many %TAG directives"),
        "{:?}",
        reading.diagnostics[0]
    );
}

#[test]
fn byte_order_marks_and_carriage_returns_are_ignored() {
    let reading = reading("\u{FEFF}a: ä\r\nb: |\r\n  x\r\n  y\r\n---\r\n\u{FEFF}c: 3\r\n");
    assert_eq!(reading.diagnostics, []);
    assert_eq!(reading.documents[0].value(), &json!({"a": "ä", "b": "x\ny\n"}));
    assert_eq!(reading.documents[1].value(), &json!({"c": 3}));
    assert_eq!(reading.documents[0].place(&Path::from("a")).text(), "ä");
    assert_eq!(reading.documents[1].place(&Path::from("c")).text(), "3");
}

#[test]
fn text_that_is_not_utf_8_is_rejected_with_the_offset() {
    let reading = read("a.yaml", b"a: 1\nb: \xFF\n", &Limits::default());
    assert_eq!(reading.diagnostics[0].rule.id, "text-encoding");
    assert!(reading.diagnostics[0].message.contains("offset 8"));
    assert_eq!(reading.diagnostics[0].place.as_ref().unwrap().to_string(), "a.yaml:2:4");
    let reading = read("a.yaml", &[0xFF, 0xFE, b'a', 0], &Limits::default());
    assert!(reading.diagnostics[0].message.contains("UTF-16"));
}

#[test]
fn size_and_number_of_documents_are_limited() {
    let limits = Limits {
        file_bytes: 10,
        depth: 3,
        documents: 2,
        ..Limits::default()
    };
    assert_eq!(
        read("a", b"a: 12345678", &limits).diagnostics[0].rule.id,
        "text-too-large"
    );
    let reading = read("a", b"1\n---\n2\n", &limits);
    assert_eq!((reading.documents.len(), reading.diagnostics.len()), (2, 0));
    let limits = Limits {
        file_bytes: 100,
        ..limits
    };
    let reading = read("a", b"1\n---\n2\n---\n3\n---\n4\n", &limits);
    assert_eq!(reading.documents.len(), 2);
    assert_eq!(reading.diagnostics[0].rule.id, "yaml-too-many-documents");
    assert_eq!(reading.diagnostics.len(), 1);
    assert_eq!(
        read("a", b"{}{}{}", &limits).diagnostics[0].rule.id,
        "yaml-too-many-documents"
    );
    assert_eq!(read("a", b"[[[[]]]]", &limits).diagnostics[0].rule.id, "yaml-too-deep");
}

#[test]
fn a_stream_of_json_values_is_read() {
    let reading = reading("{\"a\": 1.0, \"y\": 1}\n{\"b\": \"\\ud83d\\ude00\"} [1]\n---\nc: 3\n---\n{d: 4}\n");
    assert_eq!(reading.diagnostics, []);
    let values: Vec<_> = reading.documents.iter().map(Document::value).collect();
    let expected = [
        json!({"a": 1.0, "y": 1}),
        json!({"b": "😀"}),
        json!([1]),
        json!({"c": 3}),
        json!({"d": 4}),
    ];
    assert_eq!(values, expected.iter().collect::<Vec<_>>());
    let formats: Vec<_> = reading.documents.iter().map(Document::format).collect();
    assert_eq!(
        formats,
        [Format::Json, Format::Json, Format::Json, Format::Yaml, Format::Yaml]
    );
    let numbers: Vec<_> = reading.documents.iter().map(Document::number).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
}

#[test]
fn text_that_only_looks_like_json_is_yaml() {
    assert_eq!(value("{a: 1}"), json!({"a": 1}));
    assert_eq!(value("[a, yes]"), json!(["a", true]));
    assert_eq!(value("{\"a\": 1,}"), json!({"a": 1}));
    assert_eq!(fault("[*]").rule.id, "yaml-syntax");
}

#[test]
fn broken_json_is_located() {
    let fault = fault("{\n  \"a\": 1\n  \"b\": 2\n}\n");
    assert_eq!(fault.rule.id, "json-syntax");
    assert_eq!(fault.place.unwrap().to_string(), "a.yaml:3:3");
    let junk = reading("{\"a\": 1}\njunk\n");
    assert_eq!(junk.documents.len(), 1);
    assert_eq!(junk.diagnostics[0].rule.id, "json-syntax");
    assert_eq!(junk.diagnostics[0].place.as_ref().unwrap().text(), "junk");
    let cut = reading("{\"a\": [1, 2");
    assert_eq!(cut.diagnostics[0].rule.id, "json-syntax");
}

#[test]
fn json_keys_must_be_unique() {
    let reading = reading("{\"a\": {\"b\": 1, \"b\": 2}, \"\\u0061\": 3}");
    assert_eq!(reading.documents[0].value(), &json!({"a": 3}));
    let paths: Vec<_> = reading
        .diagnostics
        .iter()
        .map(|finding| finding.path.as_deref().unwrap())
        .collect();
    assert_eq!(paths, ["a.b", "a"]);
    assert!(
        reading
            .diagnostics
            .iter()
            .all(|finding| finding.rule.id == rules::YAML_DUPLICATE_KEY.id)
    );
}

proptest! {
    #![proptest_config(property(256))]

    #[test]
    fn reading_any_bytes_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read("a", &bytes, &Limits::default());
    }

    #[test]
    fn reading_any_yaml_characters_does_not_panic(text in "[-?:,\\[\\]{}#&*!|>'\"%@`a0. \t\r\n<=~é\u{FEFF}\u{2028}]{0,80}") {
        let reading = read("a", text.as_bytes(), &Limits::default());
        for document in &reading.documents {
            document.place(&Path::root());
            for path in paths(document.value()) {
                document.key_place(&path);
                document.scalar_place(&path, 0..1);
                document.embedded(&path, &Limits::default());
            }
        }
        for finding in &reading.diagnostics {
            let place = finding.place.as_ref().unwrap();
            prop_assert!(text.get(place.span.clone()).is_some());
        }
    }
}

/// Returns the paths of a value and of all values inside it.
pub(super) fn paths(value: &Value) -> Vec<Path> {
    fn walk(value: &Value, path: &Path, paths: &mut Vec<Path>) {
        paths.push(path.clone());
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &path.clone().index(index), paths);
                }
            }
            Value::Object(map) => {
                for (key, value) in map {
                    walk(value, &path.clone().key(key), paths);
                }
            }
            _ => {}
        }
    }
    let mut paths = Vec::new();
    walk(value, &Path::root(), &mut paths);
    paths
}

#[test]
fn a_document_is_shared_between_threads() {
    let document = reading("a: [1, 2]\n").documents.remove(0);
    let copy = document.clone();
    let place = std::thread::spawn(move || copy.place(&"a[1]".into())).join().unwrap();
    assert_eq!(place, document.place(&"a[1]".into()));
    assert_eq!(document.into_value(), json!({"a": [1, 2]}));
}
