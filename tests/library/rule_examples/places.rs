//! Findings point at the same value in whatever form it is written.

use super::bundles::{Files, Side, files, snippet};
use super::forms::{Form, Written, write, write_anchored};
use super::judgement::{judge, judge_files};
use opmx::diagnostic::{Diagnostic, has_errors};
use opmx::rules::examples::{Example, INDEX_DOCKERFILE, VALIDATE, all};
use opmx::source::{Place, Position};
use opmx::text::{Document, Limits, Path, read};
use serde_json::Value;
use std::ops::Range;

/// What a finding points at.
enum Target {
    Value(Path),
    Key(Path),
    /// A part of a string, as written.
    Inside(Path, String),
}

/// An example whose finding is in a readable YAML file, and what the finding points at.
struct Pointed {
    id: String,
    example: Example,
    file: String,
    text: String,
    place: Place,
    document: usize,
    target: Target,
}

fn wrong_findings(id: &str, example: &Example, files: &Files) -> Vec<Place> {
    let findings = judge_files(example, Side::Wrong, files.clone());
    let of_rule = findings
        .into_iter()
        .filter(|finding: &Diagnostic| finding.rule.id == id);
    of_rule.filter_map(|finding| finding.place).collect()
}

/// Returns the examples whose finding is in the snippet.
fn pointed() -> Vec<Pointed> {
    let mut pointed = Vec::new();
    for (id, example) in all().unwrap() {
        let named = example.points_at.is_some() || example.without_place.is_some() || example.command_line;
        // Every other form of a file also exceeds a limit on file size. Places in documents of a catalog are relative
        // to the document.
        let part = example.command.as_deref() == Some(VALIDATE);
        if named || part || example.bytes || !example.flags.is_empty() {
            continue;
        }
        let (file, _) = snippet(&example, Side::Wrong);
        let Some(content) = files(&example, Side::Wrong).remove(&file) else {
            continue;
        };
        let text = String::from_utf8(content).unwrap();
        let findings = judge(&example, Side::Wrong);
        let finding = findings.into_iter().find(|finding| finding.rule.id == id);
        let Some(place) = finding.and_then(|finding| finding.place) else {
            continue;
        };
        let reading = read(&file, text.as_bytes(), &Limits::default());
        if file == INDEX_DOCKERFILE || has_errors(&reading.diagnostics) {
            continue;
        }
        let mut found = reading.documents.iter().enumerate();
        let Some((document, target)) = found.find_map(|(number, document)| Some((number, target(document, &place)?)))
        else {
            continue;
        };
        pointed.push(Pointed {
            id,
            example,
            file,
            text,
            place,
            document,
            target,
        });
    }
    pointed
}

/// Returns the value or key at the place.
fn target(document: &Document, place: &Place) -> Option<Target> {
    let mut all = Vec::new();
    paths(document.value(), &Path::root(), &mut all);
    all.reverse();
    for path in &all {
        if document.place(path).span == place.span {
            return Some(Target::Value(path.clone()));
        }
        if document.key_place(path).span == place.span {
            return Some(Target::Key(path.clone()));
        }
    }
    let around = |path: &&Path| {
        let outer = document.place(path).span;
        let text = path.get(document.value()).is_some_and(Value::is_string);
        text && outer.start <= place.span.start && place.span.end <= outer.end
    };
    let path = all.iter().find(around)?;
    Some(Target::Inside(path.clone(), place.text().to_owned()))
}

fn paths(value: &Value, path: &Path, all: &mut Vec<Path>) {
    all.push(path.clone());
    match value {
        Value::Object(map) => map.iter().for_each(|(key, item)| paths(item, &path.key(key), all)),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| paths(item, &path.index(index), all));
        }
        _ => {}
    }
}

/// Determines line and column by counting.
fn position(text: &str, offset: usize) -> Position {
    let before = &text[..offset];
    let line = before.rsplit('\n').next().unwrap();
    Position {
        line: before.matches('\n').count() + 1,
        column: line.chars().count() + 1,
    }
}

/// Tries each example with its file rewritten; `change` returns the text and where the finding must begin.
fn tried(form: &str, least: usize, change: impl Fn(&Pointed) -> Option<(String, Vec<Range<usize>>)>) {
    let (mut count, mut problems) = (0, Vec::new());
    for pointed in &pointed() {
        let Some((text, expected)) = change(pointed) else {
            continue;
        };
        count += 1;
        let mut files = files(&pointed.example, Side::Wrong);
        files.insert(pointed.file.clone(), text.clone().into_bytes());
        let places = wrong_findings(&pointed.id, &pointed.example, &files);
        let bare = |text: &str| text.trim_matches(['"', '\'']).to_owned();
        let right = |place: &&Place| {
            let begins = expected.iter().any(|range| {
                let inside = range.start <= place.span.start && place.span.end <= range.end;
                match &pointed.target {
                    Target::Inside(_, _) => inside,
                    // A finding may point at the text of a scalar without its quotes.
                    _ => range.start == place.span.start || inside && bare(place.text()) == bare(pointed.place.text()),
                }
            });
            begins && place.start() == position(&text, place.span.start)
        };
        match places.iter().find(right) {
            None => problems.push(format!("{}: {places:?}, not {expected:?} in\n{text}", pointed.id)),
            Some(place) => {
                if let Target::Inside(_, written) = &pointed.target
                    && place.text() != written
                {
                    problems.push(format!("{}: {:?}, not {written:?}", pointed.id, place.text()));
                }
            }
        }
    }
    println!("{count} findings keep their place: {form}");
    assert!(
        problems.is_empty(),
        "{form}: {} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
    assert!(count >= least, "{count}");
}

#[test]
fn findings_have_the_right_place_with_carriage_returns() {
    tried("with CRLF", 150, |pointed| {
        let text = pointed.text.replace('\n', "\r\n");
        let start = pointed.place.span.start;
        let before = pointed.text[..start].matches('\n').count();
        let within = pointed.text[pointed.place.span.clone()].matches('\n').count();
        let range = start + before..pointed.place.span.end + before + within;
        // Line and column stay the same.
        assert_eq!(position(&text, range.start), pointed.place.start(), "{}", pointed.id);
        Some((text, vec![range]))
    });
}

#[test]
fn findings_have_the_right_place_after_other_lines() {
    const LINES: &str = "# \u{6f22}\u{5b57} \u{1f600}\n\n";
    tried("behind a comment", 150, |pointed| {
        let range = pointed.place.span.start + LINES.len()..pointed.place.span.end + LINES.len();
        Some((format!("{LINES}{}", pointed.text), vec![range]))
    });
}

#[test]
fn findings_have_the_right_place_after_other_documents() {
    const BEFORE: &str =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: before}\ndata: {a: \u{6f22}\u{5b57}}\n---\n";
    tried("behind another document", 50, |pointed| {
        if pointed.example.bundle != "k8s+v1" || !pointed.file.starts_with("manifests/") {
            return None;
        }
        let range = pointed.place.span.start + BEFORE.len()..pointed.place.span.end + BEFORE.len();
        Some((format!("{BEFORE}{}", pointed.text), vec![range]))
    });
}

/// Returns the file with the target document written by `write_target`, and the others as parsed.
fn rewritten(pointed: &Pointed, write_target: impl Fn(&Value) -> Written) -> Option<(String, Vec<Range<usize>>)> {
    // With the key that is written before all others, the copy is no longer a copy.
    if pointed.id == "k8s-duplicate-copy" {
        return None;
    }
    let reading = read(&pointed.file, pointed.text.as_bytes(), &Limits::default());
    let mut text = String::new();
    let mut expected = Vec::new();
    for (number, document) in reading.documents.iter().enumerate() {
        if number > 0 {
            text.push_str("---\n");
        }
        if !document.value().is_object() {
            return None;
        }
        if number != pointed.document {
            text.push_str(&format!("{}\n", document.value()));
            continue;
        }
        let written = write_target(document.value());
        let range = match &pointed.target {
            Target::Value(path) | Target::Inside(path, _) => written.values.get(&path.to_string()),
            Target::Key(path) => written.keys.get(&path.to_string()),
        };
        let range = range.unwrap_or_else(|| panic!("{}: nothing is written for it", pointed.id));
        expected.push(range.start + text.len()..range.end + text.len());
        text.push_str(&written.text);
    }
    Some((text, expected))
}

#[test]
fn findings_have_the_right_place_in_flow_style() {
    tried("in flow style", 150, |pointed| {
        rewritten(pointed, |value| write(value, Form::Flow))
    });
}

#[test]
fn findings_have_the_right_place_in_json() {
    tried("as JSON", 150, |pointed| {
        rewritten(pointed, |value| write(value, Form::Json))
    });
}

#[test]
fn findings_have_the_right_place_in_block_style() {
    tried("in block style", 150, |pointed| {
        rewritten(pointed, |value| write(value, Form::Block))
    });
}

#[test]
fn findings_have_the_right_place_behind_an_anchor() {
    tried("behind an anchor", 100, |pointed| {
        let (Target::Value(path) | Target::Key(path) | Target::Inside(path, _)) = &pointed.target;
        let parent = path.parent().filter(|parent| !parent.is_root())?;
        rewritten(pointed, |value| write_anchored(value, &parent))
    });
}

/// The examples of a bundle in every form that a string can have. The sign is in front of what is pointed at.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "literal",
        "|-\n      [{\"gr\u{f6}\u{df}e\": \"\u{1f600}\", \"apiVersion\": \"cache.example.com/v1\", \"kind\": \u{a7}\"B\u{e4}r\"}]\n",
    ),
    (
        "literal on several lines",
        "|\n      [\n\n        {\"apiVersion\": \"cache.example.com/v1\",\n         \"kind\": \u{a7}\"B\u{e4}r\"}\n      ]\n\n",
    ),
    (
        "literal with a number",
        "|2-\n        [{\"apiVersion\": \"cache.example.com/v1\", \"kind\": \u{a7}\"B\u{e4}r\"}]\n",
    ),
    (
        "folded",
        ">\n      [\n      {\"apiVersion\": \"cache.example.com/v1\",\n      \"gr\u{f6}\u{df}e\": 1, \"kind\": \u{a7}\"B\u{e4}r\"}\n      ]\n",
    ),
    (
        "folded with deeper lines",
        ">-\n      [{\"apiVersion\":\n         \"cache.example.com/v1\",\n\n      \"kind\": \u{a7}\"B\u{e4}r\"}]\n",
    ),
    (
        "single quotes",
        "'[{\"it''s\": \"\u{6f22}\", \"apiVersion\": \"cache.example.com/v1\",\n\n      \"kind\": \u{a7}\"B\u{e4}r\"}]'\n",
    ),
    (
        "double quotes",
        "\"[{\\\"\\u6f22\\\": \\\"\u{1f600}\\\", \\\"apiVersion\\\": \\\"cache.example.com/v1\\\", \\\"kind\\\": \u{a7}\\\"B\u{e4}r\\\"}]\"\n",
    ),
    (
        "double quotes on two lines",
        "\"[{\\\"apiVersion\\\": \\\"cache.example.com/v1\\\", \\\n      \\\"kind\\\":\n      \u{a7}\\\"B\u{e4}r\\\"}]\"\n",
    ),
    ("an alias", "*examples\n    other: 1\n"),
];

#[test]
fn json_in_a_string_has_places_in_every_string_style() {
    const SIGN: char = '\u{a7}';
    const FILE: &str = "manifests/memcached-operator.clusterserviceversion.yaml";
    const RULE: &str = "csv-example-without-provided-api";
    let example = Example {
        bundle: "registry+v1".to_owned(),
        ..all().unwrap().remove("csv-replaces-format").unwrap()
    };
    let right = String::from_utf8(files(&example, Side::Right).remove(FILE).unwrap()).unwrap();
    let (before, rest) = right.split_once("    alm-examples: ").unwrap();
    let (_, after) = rest.split_once("      ]\n").unwrap();
    for (form, written) in EXAMPLES {
        let mut text = format!("{before}    alm-examples: {written}{after}");
        if *form == "an alias" {
            let anchored = format!("gr\u{f6}\u{df}e: &examples {}", EXAMPLES[0].1.replace("      ", "  "));
            text.insert_str(0, &anchored);
        }
        for text in [text.clone(), text.replace('\n', "\r\n"), format!("# \u{6f22}\n{text}")] {
            let at = text.find(SIGN).unwrap();
            let text = text.replace(SIGN, "");
            let mut files = files(&example, Side::Right);
            files.insert(FILE.to_owned(), text.clone().into_bytes());
            let places = wrong_findings(RULE, &example, &files);
            let [place] = &places[..] else {
                panic!("{form}: {places:?} in\n{text}");
            };
            assert_eq!(place.span.start, at, "{form}: {place} in\n{text}");
            assert_eq!(place.start(), position(&text, at), "{form}");
            let shown = place.text().trim_matches(['"', '\\']);
            assert_eq!(shown, "B\u{e4}r", "{form}");
        }
    }
}
