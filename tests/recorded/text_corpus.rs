//! Reading and writing published files, and damaged copies of them.

use opmx::diagnostic::has_errors;
use opmx::text::{self, Document, Format, Limits, Path as ValuePath, Step};
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Files that Kubernetes tools do not read either, by the end of their path, with the rule that reports them.
const BROKEN: &[(&str, &str)] = &[("eventing-kogito/1.2.0/metadata/dependencies.yaml", "yaml-syntax")];

/// All YAML and JSON files, in the order of their paths.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for part in ["corpus", "goldens", "schemas"] {
        for entry in walkdir::WalkDir::new(folder.join(part)).sort_by_file_name() {
            let entry = entry.unwrap();
            let extension = entry.path().extension().and_then(|extension| extension.to_str());
            if entry.file_type().is_file() && matches!(extension, Some("yaml" | "yml" | "json")) {
                let name = entry.path().strip_prefix(folder).unwrap();
                files.push((name.display().to_string(), fs::read(entry.path()).unwrap()));
            }
        }
    }
    files
}

#[test]
fn published_files_are_read_and_written_without_loss() {
    let Some(folder) = crate::shared::folder("") else {
        return;
    };
    let (mut read, mut documents, mut strings, mut broken) = (0, 0, 0, 0);
    for (name, bytes) in files(&folder) {
        let reading = text::read(&name, &bytes, &Limits::default());
        if let Some((_, rule)) = BROKEN.iter().find(|(end, _)| name.ends_with(end)) {
            assert!(
                reading.diagnostics.iter().any(|finding| finding.rule.id == *rule),
                "{name}"
            );
            broken += 1;
            continue;
        }
        assert!(!has_errors(&reading.diagnostics), "{:?}", reading.diagnostics);
        let written = String::from_utf8(bytes).unwrap();
        check_foreign(&name, &written, &reading.documents);
        for document in &reading.documents {
            check_writing(&name, document.value());
            strings += check_places(document);
            documents += 1;
        }
        read += 1;
    }
    println!("{read} files, {documents} documents, {strings} strings with places; {broken} broken files refused");
    assert!(read >= 2_000, "only {read} files");
}

/// Asserts that another parser reads the same values, except for differences between YAML 1.1 and 1.2.
fn check_foreign(name: &str, written: &str, documents: &[Document]) {
    let foreign: Vec<Value> = if documents.iter().all(|document| document.format() == Format::Json) {
        let values = serde_json::Deserializer::from_str(written).into_iter();
        values.map(Result::unwrap).collect()
    } else {
        let values = serde_yaml::Deserializer::from_str(written).map(Value::deserialize);
        values
            .map(|value| value.unwrap_or_else(|error| panic!("{name}: {error}")))
            .filter(|value| !value.is_null())
            .collect()
    };
    let ours: Vec<_> = documents
        .iter()
        .filter(|document| !document.value().is_null())
        .collect();
    assert_eq!(ours.len(), foreign.len(), "{name}");
    for (ours, foreign) in ours.iter().zip(&foreign) {
        check_same(name, &ValuePath::root(), ours.value(), foreign);
    }
}

fn check_same(name: &str, path: &ValuePath, ours: &Value, foreign: &Value) {
    match (ours, foreign) {
        (Value::Object(ours), Value::Object(foreign)) if !foreign.contains_key("<<") => {
            assert_eq!(ours.len(), foreign.len(), "{name}: {path}");
            for ((our_key, ours), (key, foreign)) in ours.iter().zip(foreign) {
                assert!(
                    our_key == key || boolean(key) == our_key.parse().ok(),
                    "{name}: {path}: {our_key}"
                );
                check_same(name, &path.clone().key(key), ours, foreign);
            }
        }
        (Value::Object(_), Value::Object(_)) => {}
        (Value::Array(ours), Value::Array(foreign)) => {
            assert_eq!(ours.len(), foreign.len(), "{name}: {path}");
            for (index, (ours, foreign)) in ours.iter().zip(foreign).enumerate() {
                check_same(name, &path.clone().index(index), ours, foreign);
            }
        }
        (Value::Bool(ours), Value::String(foreign)) => assert_eq!(boolean(foreign), Some(*ours), "{name}: {path}"),
        (Value::Number(_), Value::String(foreign)) => {
            let number = |letter: char| letter.is_ascii_hexdigit() || "+-_.ox".contains(letter);
            assert!(foreign.chars().all(number), "{name}: {path}: {foreign}");
        }
        (ours, foreign) => assert_eq!(ours, foreign, "{name}: {path}"),
    }
}

/// The booleans that exist only in YAML 1.1.
fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "y" | "yes" | "on" => Some(true),
        "n" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn check_writing(name: &str, value: &Value) {
    let canonical = text::canonical::to_string(value);
    let again = text::read(name, canonical.as_bytes(), &Limits::default());
    if value.is_object() || value.is_array() {
        assert_eq!(
            text::canonical::to_string(again.documents[0].value()),
            canonical,
            "{name}"
        );
    }
    for written in [text::to_yaml(value), text::to_json(value)] {
        let again = text::read(name, written.as_bytes(), &Limits::default());
        assert_eq!(again.diagnostics, [], "{name}");
        assert_eq!(again.documents[0].value(), value, "{name}");
    }
    let block = value.as_object().is_some_and(|map| !map.is_empty());
    assert!(
        !block || !text::to_yaml(value).starts_with('{'),
        "{name} is not written in block style"
    );
}

/// Asserts that the first letter of every string is where the document locates it.
fn check_places(document: &Document) -> usize {
    let mut strings = 0;
    walk(document.value(), &mut ValuePath::root(), &mut |path, value| {
        if let Value::String(text) = value
            && let Some((at, letter)) = text.char_indices().find(|(_, letter)| letter.is_alphanumeric())
        {
            let place = document.scalar_place(path, at..at + letter.len_utf8());
            let found = place.text();
            assert!(
                found.starts_with('\\') || found.chars().eq([letter]),
                "{place:?}: {path}: {found:?}"
            );
            strings += 1;
        }
        let key = document.key_place(path);
        if let Some(Step::Key(name)) = path.steps().last() {
            assert!(
                key.text().trim_matches(['"', '\'']) == &**name || key.text().contains('\\'),
                "{key:?}: {name}"
            );
        }
    });
    strings
}

fn walk(value: &Value, path: &mut ValuePath, visit: &mut dyn FnMut(&ValuePath, &Value)) {
    visit(path, value);
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index);
                walk(item, path, visit);
                path.pop();
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                path.push(key.as_str());
                walk(value, path, visit);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Pseudo-random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % sides.max(1)
    }
}

/// Random damage of the kinds that editors, templates and transfers cause.
fn damage(bytes: &mut Vec<u8>, dice: &mut Dice) {
    const SIGNS: &[&str] = &[
        "-", "- ", "?", "? ", ":", ": ", ",", "[", "]", "{", "}", "#", " #", "&a ", "*a", "!", "!!int ", "|", "|2+\n",
        ">", ">-\n", "'", "\"", "%", "@", "`", "\n", "\r\n", "\t", "  ", "---\n", "...\n", "<<: *a\n", "\\", "\\u12",
        "é", "\u{2028}", "\u{85}", "\u{FEFF}", "\0", "0x", "1e9", "y", "~",
    ];
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(bytes.len() + 1);
        let length = dice.roll(20).min(bytes.len() - at);
        match dice.roll(6) {
            0 => drop(bytes.drain(at..at + length)),
            1 => drop(bytes.splice(at..at, SIGNS[dice.roll(SIGNS.len())].bytes())),
            2 => drop(bytes.splice(at..at + length.min(2), SIGNS[dice.roll(SIGNS.len())].bytes())),
            3 => {
                let copy = bytes[at..at + length].to_vec();
                let to = dice.roll(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            4 if at < bytes.len() => bytes[at] = u8::try_from(dice.roll(256)).unwrap(),
            _ => bytes.truncate(at.max(bytes.len() / 2)),
        }
    }
}

#[test]
fn mutated_files_are_read_within_limits() {
    let Some(folder) = crate::shared::folder("") else {
        return;
    };
    let wanted = std::env::var("OPMX_MUTANTS").map_or(3_000, |count| count.parse().unwrap());
    let limits = Limits {
        file_bytes: 4_096,
        depth: 24,
        documents: 20,
        values: Limits::default().values,
    };
    let pieces: Vec<Vec<u8>> = files(&folder).into_iter().map(|(_, bytes)| beginning(bytes)).collect();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let (mut documents, mut findings) = (0, 0);
    for _ in 0..wanted {
        let mut bytes = pieces[dice.roll(pieces.len())].clone();
        damage(&mut bytes, &mut dice);
        let survived = std::panic::catch_unwind(|| check_mutant(&bytes, &limits));
        let Ok((read, found)) = survived else {
            panic!("{:?}", String::from_utf8_lossy(&bytes));
        };
        documents += read;
        findings += found;
    }
    println!("{wanted} mutants: {documents} documents, {findings} findings");
    assert!(documents > wanted / 5 && findings > wanted / 5);
}

/// As many complete lines as fit into a small file.
fn beginning(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() > 1_500 {
        let end = bytes[..1_500].iter().rposition(|byte| *byte == b'\n');
        bytes.truncate(end.map_or(1_500, |end| end + 1));
    }
    bytes
}

fn check_mutant(bytes: &[u8], limits: &Limits) -> (usize, usize) {
    let reading = text::read("mutant", bytes, limits);
    assert!(!reading.documents.is_empty() || !reading.diagnostics.is_empty());
    assert!(reading.documents.len() <= limits.documents);
    for finding in &reading.diagnostics {
        let place = finding.place.as_ref().unwrap();
        assert!(place.source.text().get(place.span.clone()).is_some(), "{finding}");
        for edit in &finding.edits {
            assert!(place.source.text().get(edit.place.span.clone()).is_some(), "{finding}");
        }
    }
    for document in &reading.documents {
        let value = document.value();
        assert!(depth(value) <= limits.depth);
        let again = text::read("again", text::to_yaml(value).as_bytes(), &Limits::default());
        assert_eq!(again.documents[0].value(), value);
        walk(value, &mut ValuePath::root(), &mut |path, value| {
            let place = document.place(path);
            assert!(place.source.text().get(place.span.clone()).is_some());
            document.key_place(path);
            if let Value::String(text) = value {
                let end = text.chars().next().map_or(0, char::len_utf8);
                let place = document.scalar_place(path, 0..end);
                assert!(place.source.text().get(place.span.clone()).is_some());
                document.embedded(path, limits);
            }
        });
    }
    (reading.documents.len(), reading.diagnostics.len())
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
