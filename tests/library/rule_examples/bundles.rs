//! The bundles of an example: a valid one, with the changes and one of the snippets.

use crate::noise;
use opmx::rules::examples::{Change, Example, INDEX_DOCKERFILE};
use opmx::tree::{Tree, TreeLimits};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// The files of a bundle: path to content.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Wrong,
    Right,
}

/// Returns the bundle of a media type that breaks no rule.
pub(crate) fn right_bundle(media_type: &str) -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library/rule_examples/bundles");
    let tree = Tree::from_directory(&folder.join(media_type), &TreeLimits::default()).unwrap();
    let files = tree.iter();
    files
        .map(|(path, content)| (path.to_owned(), content.to_vec()))
        .collect()
}

/// Returns the file and the snippet of one side, with placeholders filled in.
pub(crate) fn side(example: &Example, side: Side) -> (&str, Option<String>) {
    let (file, text) = match side {
        Side::Wrong => (example.file.as_str(), &example.wrong),
        Side::Right => (example.right_file(), &example.right),
    };
    (file, text.as_ref().map(|text| filled(text)))
}

/// Returns the files of the bundle of one side, which may include the Dockerfile of an index.
pub(crate) fn files(example: &Example, side: Side) -> Files {
    let mut files = right_bundle(&example.bundle);
    for change in &example.besides {
        make(&mut files, change);
    }
    place(&mut files, example, side);
    files
}

fn make(files: &mut Files, Change { file, replaces, text }: &Change) {
    let Some(text) = text else {
        assert!(files.remove(file).is_some(), "there is no {file}");
        return;
    };
    match replaces {
        Some(lines) => {
            let old = std::str::from_utf8(&files[file]).unwrap();
            let (span, indent) = find(old, lines).unwrap_or_else(|| panic!("{file} does not hold {lines}"));
            let new = replaced(old, &span, &indented(text, &indent));
            files.insert(file.clone(), new.into_bytes());
        }
        None => {
            files.insert(file.clone(), text.clone().into_bytes());
        }
    }
}

/// Puts the snippet into its file, and returns the file and the range of bytes.
fn place(files: &mut Files, example: &Example, which: Side) -> (String, Range<usize>) {
    let (file, snippet) = side(example, which);
    if example.command_line || example.link.is_some() && which == Side::Wrong {
        return (file.to_owned(), 0..0);
    }
    let Some(snippet) = snippet else {
        files.remove(file);
        return (file.to_owned(), 0..0);
    };
    let Some(old) = files.get(file).filter(|_| !example.whole) else {
        let length = snippet.len();
        files.insert(file.to_owned(), bytes(example, snippet));
        return (file.to_owned(), 0..length);
    };
    let old = std::str::from_utf8(old).unwrap().to_owned();
    let anchors = [
        example.replaces.clone(),
        example.right.as_ref().map(|text| filled(text)),
        example.wrong.as_ref().map(|text| filled(text)),
    ];
    let found = anchors.iter().flatten().find_map(|anchor| find(&old, anchor));
    let (span, indent) = found.unwrap_or((old.len()..old.len(), String::new()));
    let snippet = indented(&snippet, &indent);
    let new = replaced(&old, &span, &snippet);
    files.insert(file.to_owned(), bytes(example, new));
    (file.to_owned(), span.start..span.start + snippet.len())
}

/// Returns the file and the range of bytes of a snippet in its bundle.
pub(crate) fn snippet(example: &Example, side: Side) -> (String, Range<usize>) {
    let mut files = right_bundle(&example.bundle);
    for change in &example.besides {
        make(&mut files, change);
    }
    place(&mut files, example, side)
}

/// Returns where the lines are, with any indentation, and that indentation. They must occur once.
pub(crate) fn find(text: &str, lines: &str) -> Option<(Range<usize>, String)> {
    let wanted: Vec<&str> = lines.lines().collect();
    let own = wanted[0].len() - wanted[0].trim_start().len();
    let mut starts: Vec<usize> = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut found = starts.into_iter().filter_map(|start| {
        let mut end = start;
        let mut present = text[start..].split_inclusive('\n');
        let first = present.clone().next()?;
        let indent = (first.len() - first.trim_start().len()).checked_sub(own)?;
        let indent = first.get(..indent)?.to_owned();
        for line in &wanted {
            let there = present.next()?;
            if there.trim_end_matches('\n') != format!("{indent}{line}") {
                return None;
            }
            end += there.len();
        }
        Some((start..end, indent))
    });
    let first = found.next();
    assert!(found.next().is_none(), "{lines} appears there twice");
    first
}

fn replaced(text: &str, span: &Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..span.start], &text[span.end..])
}

fn indented(text: &str, indent: &str) -> String {
    text.lines()
        .map(|line| {
            if line.is_empty() {
                "\n".to_owned()
            } else {
                format!("{indent}{line}\n")
            }
        })
        .collect()
}

fn bytes(example: &Example, text: String) -> Vec<u8> {
    const BYTE: &str = "\\xfc";
    if !example.bytes {
        return text.into_bytes();
    }
    let mut bytes = Vec::new();
    for (index, part) in text.split(BYTE).enumerate() {
        if index > 0 {
            bytes.push(0xfc);
        }
        bytes.extend_from_slice(part.as_bytes());
    }
    bytes
}

/// Fills in `{1000 letters}`: incompressible letters, the same every time.
fn filled(text: &str) -> String {
    let Some((before, rest)) = text.split_once(" letters}") else {
        return text.to_owned();
    };
    let (before, number) = before.rsplit_once('{').unwrap();
    let letters = noise::letters(number.parse().unwrap());
    format!("{before}{letters}{rest}")
}

/// Removes the Dockerfile of the index from the files, and returns it.
pub(crate) fn index_dockerfile(files: &mut Files) -> Option<String> {
    files
        .remove(INDEX_DOCKERFILE)
        .map(|content| String::from_utf8(content).unwrap())
}
