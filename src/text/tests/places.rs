use super::reading::paths;
use super::*;
use proptest::prelude::*;
use serde_json::json;

fn document(text: &str) -> Document {
    let reading = reading(text);
    assert_eq!(reading.diagnostics, [], "{text}");
    reading.documents.into_iter().next().unwrap()
}

#[test]
fn values_and_keys_have_places() {
    let document = document(
        "# é\nspec:\n  rules:\n  - verbs: [get, 'list']\n    a.b/c: &x !!str 12\n  text: |\n    one\n\n  next: *x\n",
    );
    for (path, text) in [
        ("spec.rules[0].verbs", "[get, 'list']"),
        ("spec.rules[0].verbs[1]", "'list'"),
        (r#"spec.rules[0]["a.b/c"]"#, "&x !!str 12"),
        ("spec.text", "|\n    one\n"),
        ("spec.next", "*x"),
    ] {
        assert_eq!(document.place(&path.into()).text(), text);
    }
    assert_eq!(document.key_place(&"spec.rules[0].verbs".into()).text(), "verbs");
    assert_eq!(document.key_place(&"spec.rules[0].verbs[0]".into()).text(), "get");
    assert_eq!(document.key_place(&"spec".into()).to_string(), "a.yaml:2:1");
    assert_eq!(document.key_place(&Path::root()), document.place(&Path::root()));
}

#[test]
fn a_missing_value_is_located_at_its_nearest_ancestor() {
    let document = document("a:\n  b: 1\n");
    assert_eq!(document.place(&"a.c.d[1]".into()).text(), "b: 1");
    assert_eq!(document.key_place(&"a.c.d[1]".into()).text(), "a");
    assert_eq!(document.place(&"a.b.c".into()).text(), "1");
}

#[test]
fn aliases_and_merges_are_located_where_the_value_is_written() {
    let document = document("a: &x {b: one, c: two}\nd: *x\ne:\n  <<: *x\n  c: three\n");
    assert_eq!(document.place(&"d".into()).text(), "*x");
    assert_eq!(document.place(&"d.b".into()).text(), "one");
    assert_eq!(document.place(&"e.b".into()).text(), "one");
    assert_eq!(document.key_place(&"e.b".into()).text(), "b");
    assert_eq!(document.place(&"e.c".into()).text(), "three");
    assert_eq!(document.scalar_place(&"d.c".into(), 1..2).text(), "w");
}

#[test]
fn an_alias_of_a_scalar_is_a_key() {
    let document = document("a: &t |\n  one\n  two\nb: &n 0x10\nc: {? *t : 1, ? *n : 2}\nd: &n x\ne: {*n : 3}\n");
    for (path, place) in [
        (Path::from("c").key("one\ntwo\n"), "*t"),
        (Path::from("c").key("16"), "*n"),
        (Path::from("e").key("x"), "*n"),
    ] {
        assert_eq!(document.key_place(&path).text(), place);
    }
}

#[test]
fn an_anchor_is_not_read_again_for_each_alias() {
    // Each alias would take as long as the text of the anchor, which is long only because of its line breaks.
    let text = format!(
        "a: &a \"{}x\"\nb: [{}]\n",
        "\\\n ".repeat(1 << 20),
        "*a, ".repeat(100_000)
    );
    let document = document(&text);
    assert_eq!(document.value()["b"][99_999], "x");
    assert_eq!(document.place(&"b[99999]".into()).text(), "*a");
}

#[test]
fn parts_of_scalars_are_located_in_every_style() {
    let text = "plain: one two\n  three\nsingle: 'it''s\n\n  two'\ndouble: \"\\u00e9 \\\n  a\\tb\\\"c\"\nliteral: |-\n    one\n      two\n\n    three\nfolded: >2+\n   one\n  two\n  three\n\nflow: [&a !!str 'x y']\n";
    for text in [text.to_owned(), text.replace('\n', "\r\n"), format!("é: é\n{text}")] {
        let document = document(&text);
        let object = document.value().as_object().unwrap();
        for (key, word, written) in [
            ("plain", "two", "two"),
            ("plain", "three", "three"),
            ("single", "it's", "it''s"),
            ("single", "two", "two"),
            ("double", "é", "\\u00e9"),
            ("double", "a\tb", "a\\tb"),
            ("double", "\"c", "\\\"c"),
            ("literal", "one", "one"),
            ("literal", "  two", "  two"),
            ("literal", "three", "three"),
            ("folded", " one", " one"),
            ("folded", "two three", "two\n  three"),
            ("folded", "three", "three"),
        ] {
            let decoded = object[key].as_str().unwrap();
            let at = decoded.find(word).unwrap_or_else(|| panic!("{key}: {decoded:?}"));
            let place = document.scalar_place(&key.into(), at..at + word.len());
            assert_eq!(place.text().replace('\r', ""), written, "{key} {word}");
        }
        let place = document.scalar_place(&"flow[0]".into(), 2..3);
        assert_eq!(place.text(), "y");
    }
}

#[test]
fn json_inside_a_scalar_has_places_in_the_file() {
    let text = "metadata:\n  annotations:\n    alm-examples: |-\n      [\n        {\"kind\": \"A\", \"é\": \"x\\ny\"}\n      ]\n    quoted: \"{\\\"a\\\": [1, 22]}\"\n    folded: >-\n      {\"a\":\n      [1, 22]}\n    yaml: |\n      a: 1\n      b: [x]\n      ---\n      c: 2\n    broken: '[1, 2'\n";
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        let document = document(&text);
        let embedded = |key: &str| {
            let path = Path::from("metadata.annotations").key(key);
            document.embedded(&path, &Limits::default())
        };
        let examples = embedded("alm-examples");
        assert_eq!(examples.diagnostics, []);
        let example = &examples.documents[0];
        assert_eq!(example.format(), Format::Json);
        assert_eq!(example.value(), &json!([{"kind": "A", "é": "x\ny"}]));
        assert_eq!(example.place(&"[0].kind".into()).text(), "\"A\"");
        assert_eq!(example.place(&"[0].kind".into()).to_string(), "a.yaml:5:18");
        assert_eq!(example.key_place(&"[0].é".into()).text(), "\"é\"");
        assert_eq!(example.scalar_place(&"[0].é".into(), 1..3).text(), "\\ny");
        assert_eq!(embedded("quoted").documents[0].place(&"a[1]".into()).text(), "22");
        assert_eq!(
            embedded("quoted").documents[0].key_place(&"a".into()).text(),
            "\\\"a\\\""
        );
        assert_eq!(embedded("folded").documents[0].place(&"a[1]".into()).text(), "22");
        let yaml = embedded("yaml");
        assert_eq!(yaml.documents[0].place(&"b[0]".into()).text(), "x");
        assert_eq!(yaml.documents[1].place(&"c".into()).to_string(), "a.yaml:15:10");
        let broken = embedded("broken");
        assert_eq!(broken.diagnostics[0].rule.id, "json-syntax");
        assert_eq!(broken.diagnostics[0].place.as_ref().unwrap().start().line, 16);
        assert!(embedded("missing").documents.is_empty());
    }
}

#[test]
fn a_scalar_with_an_encoded_value_is_located_only_as_a_whole() {
    let document = document("a: !!binary eyJhIjogMX0=\n");
    assert_eq!(document.value(), &json!({"a": "{\"a\": 1}"}));
    assert_eq!(document.scalar_place(&"a".into(), 2..3).text(), "!!binary eyJhIjogMX0=");
    let inner = document.embedded(&"a".into(), &Limits::default());
    assert_eq!(inner.documents[0].place(&"a".into()).text(), "!!binary eyJhIjogMX0=");
}

/// Writes a document in a mix of styles that a generator chooses.
fn styled(value: &Value, column: usize, choices: &mut std::slice::Iter<'_, u8>, flow: bool, out: &mut String) {
    let choice = choices.next().copied().unwrap_or(0);
    if choice % 7 == 3 {
        out.push_str(&format!("&a{} ", out.len()));
    }
    match value {
        Value::Object(map) if !map.is_empty() && !flow && choice % 4 != 1 => {
            for (key, value) in map {
                out.push('\n');
                out.push_str(&" ".repeat(column));
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push_str(": ");
                styled(value, column + 1, choices, false, out);
            }
        }
        Value::Array(items) if !items.is_empty() && !flow && choice % 4 != 1 => {
            for item in items {
                out.push('\n');
                out.push_str(&" ".repeat(column));
                out.push_str("- ");
                styled(item, column + 1, choices, false, out);
            }
        }
        Value::Object(map) => {
            out.push('{');
            for (position, (key, value)) in map.iter().enumerate() {
                out.push_str(if position > 0 { ", " } else { "" });
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push_str(": ");
                styled(value, column, choices, true, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                out.push_str(if position > 0 { ",\n" } else { "" });
                out.push_str(&" ".repeat(if position > 0 { column + 1 } else { 0 }));
                styled(item, column, choices, true, out);
            }
            out.push(']');
        }
        Value::String(text) if text.contains('\n') && !flow => {
            out.push_str(if choice % 2 == 0 { "|2+" } else { "|1+" });
            let indent = column - 1 + if choice % 2 == 0 { 2 } else { 1 };
            for line in text.trim_end_matches('\n').split('\n') {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                out.push_str(line);
            }
            let ends = text.len() - text.trim_end_matches('\n').len();
            out.push_str(&"\n".repeat(ends.saturating_sub(1)));
        }
        Value::String(text) if choice % 3 == 1 && !text.contains('\n') => {
            out.push_str(&format!("'{}'", text.replace('\'', "''")));
        }
        other => out.push_str(&other.to_string()),
    }
}

fn tame_values() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-zé😀 '\"]{0,8}", "[ab]{1,3}(\n[ab é]{0,2}[cd]){1,3}\n{1,3}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-zé \\.\"]{0,5}", inner, 0..4)
                .prop_map(|entries| Value::from(entries.into_iter().collect::<serde_json::Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(property(256))]

    #[test]
    fn the_place_of_every_node_parses_to_its_value(
        values in prop::collection::vec(tame_values(), 1..3),
        choices in prop::collection::vec(any::<u8>(), 0..60),
        crlf in any::<bool>(),
    ) {
        let mut choices = choices.iter();
        let mut text = String::from("\u{FEFF}# é\n");
        for value in &values {
            text.push_str("---\n");
            styled(&json!({"root": value}), 0, &mut choices, false, &mut text);
            text.push('\n');
        }
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let reading = reading(&text);
        prop_assert!(!crate::diagnostic::has_errors(&reading.diagnostics), "{:?}\n{}", reading.diagnostics, text);
        prop_assert_eq!(reading.documents.len(), values.len());
        for (document, value) in reading.documents.iter().zip(&values) {
            prop_assert_eq!(&document.value()["root"], value, "{}", &text);
            for path in paths(document.value()) {
                check_place(document, &path, &text)?;
            }
        }
    }

    #[test]
    fn places_in_json_parse_to_their_values(value in super::writing::values(), pretty in any::<bool>()) {
        let value = json!([value]);
        let text = if pretty { to_json(&value) } else { value.to_string() };
        let document = reading(&text).documents.remove(0);
        prop_assert_eq!(document.format(), Format::Json);
        for path in paths(document.value()) {
            let part: Value = serde_json::from_str(document.place(&path).text()).unwrap();
            prop_assert_eq!(&part, path.get(&value).unwrap());
            if let Some(decoded) = part.as_str() {
                check_scalar(&document, &path, decoded)?;
            }
        }
    }
}

fn check_place(document: &Document, path: &Path, text: &str) -> Result<(), TestCaseError> {
    let value = path.get(document.value()).unwrap();
    let place = document.place(path);
    // The column of a block cannot be determined from the text alone.
    let mut part = " ".repeat(place.start().column - 1) + place.text();
    if value.is_string() && part.contains('\n') && part.contains('|') {
        let column = document.key_place(path).start().column;
        let line = &text[..place.span.start];
        let list = line.rsplit('\n').next().unwrap_or_default();
        let parent = list.len() - list.trim_start().len();
        part = format!("{}k: {}", " ".repeat(parent.min(column)), place.text());
        let again = reading(&part);
        prop_assert_eq!(&again.documents[0].value()["k"], value, "{}:\n{}\n{}", path, part, text);
    } else {
        let again = reading(&part);
        prop_assert!(
            !again.documents.is_empty(),
            "{}: {:?}\n{}",
            path,
            again.diagnostics,
            text
        );
        prop_assert_eq!(again.documents[0].value(), value, "{}:\n{}", path, text);
    }
    if let Some(decoded) = value.as_str() {
        check_scalar(document, path, decoded)?;
    }
    Ok(())
}

/// Checks that every unescaped character is at the place that the document reports.
fn check_scalar(document: &Document, path: &Path, decoded: &str) -> Result<(), TestCaseError> {
    for (at, letter) in decoded.char_indices() {
        let place = document.scalar_place(path, at..at + letter.len_utf8());
        if letter.is_alphanumeric() && !place.text().starts_with('\\') {
            prop_assert_eq!(place.text(), letter.to_string(), "{} in {:?}", path, decoded);
        }
    }
    Ok(())
}
