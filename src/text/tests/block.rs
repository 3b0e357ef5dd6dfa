//! Compares the reader of plain block YAML with the reader of all YAML.

use super::super::places::Places;
use super::super::{block, load};
use super::*;
use proptest::prelude::*;
use std::fs;
use std::path::Path as FilePath;

/// Returns whether the module reads a document; asserts that the result is the same as that of libyaml.
fn reads(text: &str) -> bool {
    let limits = Limits::default();
    let Some((value, top)) = block::load(text, &limits) else {
        return false;
    };
    let loaded = load::load(text, &limits).unwrap_or_else(|problems| panic!("{text:?}: {problems:?}, not {value}"));
    let loaded = loaded.unwrap_or_else(|| panic!("{text:?}: empty, not {value}"));
    // Compared as text, in which the order of keys counts.
    assert_eq!(value.to_string(), loaded.value.to_string(), "{text:?}");
    assert!(!loaded.repeated && loaded.hidden.is_none(), "{text:?}");
    let places = Places::yaml(text);
    assert!(has_same_places(&top, &places, &value, &Path::root()), "{text:?}");
    assert_eq!(block::places(text), Some(places), "{text:?}");
    true
}

/// Returns whether the places of the upper levels are among those of the whole document. `value` is at `path`.
fn has_same_places(top: &Places, all: &Places, value: &Value, path: &Path) -> bool {
    let agrees = |path: &Path| match top.find(path) {
        Some(found) => Some(found) == all.find(path),
        None => path.steps().len() > 1,
    };
    let is_part_same = |part: Path, value| has_same_places(top, all, value, &part);
    agrees(path)
        && agrees(&path.key("no such key"))
        && match value {
            Value::Object(map) => map.iter().all(|(key, value)| is_part_same(path.key(key), value)),
            Value::Array(list) => {
                let mut items = list.iter().enumerate();
                items.all(|(index, item)| is_part_same(path.index(index), item))
            }
            _ => true,
        }
}

#[test]
fn maps_lists_and_scalars_of_every_style_are_read() {
    for text in [
        "a: 1\nb:\n  c: x y # note\n  d:\n  - e: ~\n    f:\n      - yes\n      - 0x10\n  -\n  - - g\n    - h: [i, {j: k}]\ng: {}\n",
        "a:\n- b\n- c\nd: e",
        "  a: 1\n  b: 2\n",
        "- a\n- b: 1\n  c: 2\n-\n  - d\n",
        "'a b': 1\n\"c\": 2\n/d: e:f\n8080: http://x#y\n",
        "a: one\n  two\n\n\n  three - four\nb: 1\n",
        "a:\n  one\n  two\nb: 'it''s\n  so\n\n  long  '\n",
        "a: \"x\\n\\u00e9  \\\n  \\  y\n  z\"\nb: ''\n",
        "a: |\n  one\n   two\n\n  three\n\n\nb: |-\n\n    x\n\nc: |+\n  y\n\n\n",
        "a: >\n  one\n  two\n\n  three\n   four\n  five\n\n   six\n\nb: >-\n  x\n  y\nc: >+\n  z\n\n# end\n",
        "# first\n\na: # here\n  # inside\n  b: c\n# last\n",
        "a: é ☃ 漢\n",
        "a: [] # b\nc: {d: [e]} # f\ng:\n  h: [{i: \"#\"}] # j\n  k:\n    l: [m] # n\no: p\n",
    ] {
        assert!(reads(text), "{text:?}");
    }
}

#[test]
fn unsupported_syntax_is_left_to_the_full_parser() {
    for text in [
        "",
        "# nothing\n",
        "text\n",
        "a: &b c\nd: *b\n",
        "a: !!str 1\n",
        "<<: {a: 1}\n",
        "a: 1\na: 2\n",
        "~: 1\n",
        "a: .inf\n",
        "? a\n: b\n",
        "a: b: c\n",
        "a: b\n  c: d\n",
        "a: b # c\n  d\n",
        "a:\n    b: 1\n  c: 2\n",
        "- a\nb: 1\n",
        "a: - b\n",
        "a: \"b\" c\n",
        "a: \"b\n",
        "a: 'b\n---\n'\n",
        "a: [b,\n  c]\n",
        "a: [b]: c\n",
        "a: |2\n   b\n",
        "a: |\nb: 1\n",
        "a: |\n    \n  b\n",
        "a: |\n  b",
        "a:\tb\n",
        "a: b\r\n",
        "a: 1\n...\nb\n",
        "a: \u{85}\n",
        "a: \"\\ud800\"\n",
    ] {
        assert!(!reads(text), "{text:?}");
    }
    let deep: String = (0..100).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert!(!reads(&deep));
    assert!(!reads(&format!("{}: 1\n", "a".repeat(1_100))));
}

/// Returns the documents of the YAML files below a folder.
fn documents(folder: &FilePath) -> Vec<String> {
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    let texts = files.filter_map(|entry| {
        let path = entry.unwrap().into_path();
        let extension = path.extension()?.to_str()?;
        matches!(extension, "yaml" | "yml").then(|| fs::read_to_string(path).unwrap())
    });
    texts
        .flat_map(|text| {
            let pieces = super::super::split::pieces(&text, 0);
            pieces.map(|piece| text[piece.range].to_owned()).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn nearly_all_manifests_are_read_by_the_block_parser() {
    let project = FilePath::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = project.join("../shared/corpus");
    for folder in [project.join("testdata"), corpus] {
        if !folder.is_dir() {
            assert!(
                std::env::var_os("OPMX_REQUIRE_SHARED").is_none(),
                "../shared is not here"
            );
            println!("not run: ../shared is not here");
            continue;
        }
        let documents = documents(&folder);
        let read: Vec<&String> = documents.iter().filter(|text| reads(text)).collect();
        let bytes = |length: usize, text: &String| length + text.len();
        let (all, part) = (
            documents.iter().fold(0, bytes),
            read.iter().fold(0, |sum, text| bytes(sum, text)),
        );
        println!(
            "{}: {part} of {all} bytes, {} of {} documents",
            folder.display(),
            read.len(),
            documents.len()
        );
        assert!(part > all / 10 * 8, "{part} of {all}");
    }
}

/// Scalars as written after a key or a dash; `I` is the indentation of further lines.
const SCALARS: &[&str] = &[
    "a b",
    "1",
    "0x1F",
    "yes",
    "~",
    "",
    "''",
    "\"\"",
    "'it''s'",
    "\"q\\\"\\u00e9\"",
    "{}",
    "[]",
    "[a, 'b', {c: d}]",
    "x # note",
    "é ☃",
    "http://x:80#y",
    "-1",
    "a\nIb\n\n\nI- c d",
    "'a\nI  b\n\nIc '",
    "\"a \\\nI  b\n\nI\\  c  \nId\"",
    "|\nIa\nI  b\n\nIc",
    "|-\nIa\n\n",
    "|+\n\nIa\n\n",
    ">\nIa\nIb\n\nI c\nId",
    ">-\nIa\n\n\nIb",
    ">+\nIa\nI  b\nIc\n\n",
    "\nIon the next line\nIand the next",
];

#[derive(Debug, Clone)]
enum Node {
    Scalar(&'static str),
    /// A map, with the additional indentation of each value and whether a comment precedes its entry.
    Map(Vec<(usize, bool, Node)>),
    List(Vec<(usize, bool, Node)>),
}

impl Node {
    /// Writes the node after a key or a dash, in a map or list that begins in `column`; `of_key` means that a list may
    /// begin in the same column.
    fn write(&self, column: usize, deeper: usize, of_key: bool, out: &mut String) {
        let inner = match self {
            Self::Scalar(text) => {
                *out += " ";
                *out += &text.replace('I', &" ".repeat(column + 1 + deeper));
                *out += "\n";
                return;
            }
            Self::List(_) if of_key => column + deeper,
            _ => column + 1 + deeper,
        };
        // The value after a dash may begin on the same line.
        if !of_key && deeper > 0 {
            *out += &" ".repeat(deeper);
            self.write_at(inner, true, out);
        } else {
            *out += "\n";
            self.write_at(inner, false, out);
        }
    }

    fn write_at(&self, column: usize, mut begun: bool, out: &mut String) {
        let (Self::Map(entries) | Self::List(entries)) = self else {
            return;
        };
        for (number, (deeper, comment, node)) in entries.iter().enumerate() {
            if !begun {
                if *comment {
                    *out += "# note\n\n";
                }
                *out += &" ".repeat(column);
            }
            begun = false;
            let of_key = matches!(self, Self::Map(_));
            *out += &if of_key { format!("k{number}:") } else { "-".to_owned() };
            node.write(column, *deeper, of_key, out);
        }
    }
}

fn collections() -> impl Strategy<Value = Node> {
    let scalar = prop::sample::select(SCALARS).prop_map(Node::Scalar).boxed();
    let entries = |node: BoxedStrategy<Node>| prop::collection::vec((0..3_usize, any::<bool>(), node), 1..5);
    let collection = move |node: BoxedStrategy<Node>| {
        prop_oneof![
            entries(node.clone()).prop_map(Node::Map),
            entries(node).prop_map(Node::List)
        ]
        .boxed()
    };
    let leaf = collection(scalar.clone());
    leaf.prop_recursive(4, 40, 4, move |inner| {
        collection(prop_oneof![scalar.clone(), inner].boxed())
    })
}

proptest! {
    #![proptest_config(property(1_000))]

    #[test]
    fn block_style_output_is_read_by_the_block_parser(node in collections(), column in 0..3_usize) {
        let mut text = String::new();
        node.write_at(column, false, &mut text);
        prop_assert!(reads(&text), "{text}");
    }
}

/// Parts of lines; `K` stands for a distinct key.
const PARTS: &[&str] = &[
    "K:",
    "K: ",
    "K: x",
    "- ",
    "-",
    "- a",
    "- K: c",
    "- K:",
    "K: 'it''s",
    "K: 'a",
    "K: \"x\\n",
    "K: \"a",
    "K: |",
    "K: >-",
    "K: |+",
    "K: >",
    "K: |-",
    "- |",
    "- >",
    "K: [a, b]",
    "K: {a: 1}",
    "K: {}",
    "# note",
    "",
    "   ",
    "text goes on",
    "- - x",
    "- - K: x",
    "K: y # z",
    "K: &a b",
    "*a",
    "K: !!str x",
    "---",
    "...",
    "'K': 1",
    "\"K\": 1",
    ": v",
    "? K",
    "K: 0x1F",
    "yes: no",
    "<<: {a: 1}",
    "K : v",
    "K: v:",
    "K: v: w",
    "K:v",
    "K: #c",
    "K: - a",
    "K: -a",
    "end'",
    "end\"",
    "x \\",
    "\\",
    "a\tb",
    "a # b",
    "K: ~",
    "K: é",
    "\u{2028}",
    "K: 'a'",
    "K: \"b\\\"\" # c",
    "K: 'x' y",
    "a'b",
    "K: [",
    "]",
    "K: |2",
    "%TAG",
    "@x",
    "- 'K': x",
    "-x",
];

fn lines() -> impl Strategy<Value = String> {
    let line = (0..7_usize, prop::sample::select(PARTS), any::<bool>());
    prop::collection::vec(line, 1..12).prop_map(|lines| {
        let mut text = String::new();
        for (number, (indent, part, spaced)) in lines.into_iter().enumerate() {
            let spaces = if spaced { indent } else { indent / 2 * 2 };
            text += &" ".repeat(spaces);
            text += &part.replace('K', &format!("k{number}"));
            text.push('\n');
        }
        text
    })
}

proptest! {
    #![proptest_config(property(4_000))]

    #[test]
    fn lines_of_all_kinds_are_read_as_in_libyaml(text in lines(), cut in any::<bool>()) {
        reads(if cut { text.trim_end_matches('\n') } else { &text });
    }
}

proptest! {
    #![proptest_config(property(400))]

    #[test]
    fn damaged_manifests_are_read_as_in_libyaml(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, prop::sample::select(PARTS)), 1..4),
    ) {
        let documents = documents(&FilePath::new(env!("CARGO_MANIFEST_DIR")).join("testdata"));
        let mut text = which.get(&documents).clone();
        for (at, removed, part) in damage {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + removed).min(text.len()));
            text.replace_range(start..end, part);
        }
        reads(&text);
    }
}
