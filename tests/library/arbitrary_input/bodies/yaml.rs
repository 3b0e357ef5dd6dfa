//! YAML and JSON: every value has a place, and what is written reads back the same.

use super::{LIMITS, bundle, places, words};
use opmx::text::{self, Document, Limits, Path, canonical};
use serde_json::Value;

/// Everything that the parser knows, besides the manifests of the examples.
const EXAMPLES: [&str; 3] = [
    "%YAML 1.1\n---\na: &a [1, 0x1f, 1e3, .5, ~, yes, \"x\\u00e4\\n\", 'it''s', *a]\nb: |+2\n    one\n   two\n\nc: >-\n  \
     folded\n  text\n\n  end\nd: &d {e: 1, ? f : 2}\ng:\n  <<: *d\n  h: !!str 1\n...\n---\n- - x\n  - y: z\n# end\n",
    "{\"a\": [1, 2.5, -3e7, null, true, {}], \"b\": {\"c\": \"\\ud83d\\ude00\\u0000\"}}\n[\"next\"]\n---\nd: 1\n",
    "text: '{\"kind\": \"A\", \"list\": [1, \"b\"]}'\nmore: |\n  kind: B\n  on: {a: b}\n\"quoted\": \"- a\\n- b\\n\"\nplain: a b\n  c\n",
];
/// The maximum number of values of one document to examine.
const MOST_VALUES: usize = 2_000;

/// Reads any bytes as a file.
pub fn file(bytes: &[u8]) {
    let reading = text::read("file.yaml", bytes, &LIMITS());
    places::of_findings(&reading.diagnostics);
    for document in &reading.documents {
        let mut left = MOST_VALUES;
        values(document, document.value(), &mut Path::root(), &mut left);
        written(document.value());
        revised(document, &reading);
    }
}

/// Revises a document by removing its first and last entry or item, and by adding one: either the written text has the
/// change, or nothing is written.
fn revised(document: &Document, reading: &text::Reading) {
    let value = document.value();
    assert_eq!(text::revise(document, value).unwrap(), document.source().text());
    // An invalid text may read as anything else.
    if reading.diagnostics.iter().any(opmx::diagnostic::Diagnostic::is_error) {
        return;
    }
    let changes: [fn(&mut Value); 3] = [
        |value| match value {
            Value::Object(map) => {
                let first = map.keys().next().cloned();
                drop(first.and_then(|first| map.shift_remove(&first)));
            }
            Value::Array(items) if !items.is_empty() => drop(items.remove(0)),
            _ => {}
        },
        |value| match value {
            Value::Object(map) => drop(map.insert("added".to_owned(), Value::from(vec!["on", "x: y"]))),
            Value::Array(items) => items.insert(items.len() / 2, "added".into()),
            _ => {}
        },
        |value| match value {
            Value::Object(map) => map.values_mut().for_each(|value| *value = "010".into()),
            Value::Array(items) => drop(items.pop()),
            _ => {}
        },
    ];
    for change in changes {
        let mut new = value.clone();
        change(&mut new);
        if let Ok(text) = text::revise(document, &new) {
            let again = text::read("file.yaml", text.as_bytes(), &Limits::default());
            let said = again.documents.iter().find(|said| said.number() == document.number());
            if let Some(said) = said {
                assert_eq!(said.value(), &new, "{text:?}");
            }
        }
    }
}

/// Reads a valid file with a word replaced by any string.
pub fn word(which: usize, word: usize, text: &str) {
    let manifests = ["compost-operator", "greenhouse-operator"]
        .into_iter()
        .flat_map(bundle::files);
    let manifests = manifests.map(|(_, bytes)| std::str::from_utf8(bytes).unwrap());
    let examples: Vec<&str> = EXAMPLES.into_iter().chain(manifests).collect();
    file(words::replaced(examples[which % examples.len()], word, text).as_bytes());
}

fn values(document: &Document, value: &Value, path: &mut Path, left: &mut usize) {
    let Some(fewer) = left.checked_sub(1) else { return };
    *left = fewer;
    assert_eq!(path.get(document.value()), Some(value), "{path}");
    places::inside(&document.place(path), path);
    places::inside(&document.key_place(path), path);
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index);
                values(document, item, path, left);
                path.pop();
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                path.push(key.as_str());
                values(document, item, path, left);
                path.pop();
            }
        }
        Value::String(text) => {
            let middle = text.char_indices().nth(1).map_or(0, |(at, _)| at);
            for range in [0..text.len(), 0..middle, middle..text.len()] {
                places::inside(&document.scalar_place(path, range), path);
            }
            places::of_findings(&document.embedded(path, &LIMITS()).diagnostics);
        }
        scalar => places::inside(&document.scalar_place(path, 0..scalar.to_string().len()), path),
    }
}

/// Checks that every way of writing a value gives the same value again.
fn written(value: &Value) {
    let limits = Limits {
        file_bytes: usize::MAX,
        ..Limits::default()
    };
    let read = |text: &str| {
        let reading = text::read("written.yaml", text.as_bytes(), &limits);
        assert!(reading.diagnostics.iter().all(|finding| !finding.is_error()), "{text}");
        reading.documents
    };
    let yaml = text::to_yaml(value);
    let [document] = &read(&yaml)[..] else {
        panic!("not one document: {yaml}");
    };
    assert_eq!(document.value(), value, "{yaml}");
    let json = text::to_json(value);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), *value, "{json}");
    // In this form, a float without a fraction is an integer.
    let json = canonical::to_string(value);
    let again: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(canonical::to_string(&again), json);
}
