//! Changes of files as `patch -p1` and `git apply` take them.

use crate::validation::fix::Fixing;
use similar::{Algorithm, TextDiff};
use std::path::{Component, Path};

/// The changes of one bundle, as a unified diff whose names are relative to the folder where the program runs.
pub fn patch(bundle: &str, fixing: &Fixing) -> String {
    let mut out = String::new();
    for (path, change) in &fixing.files {
        // What is mended has been read as text.
        let before = String::from_utf8_lossy(&change.before);
        let after = String::from_utf8_lossy(&change.after);
        // Other programs end a line at its line feed alone.
        let before: Vec<&str> = before.split_inclusive('\n').collect();
        let after: Vec<&str> = after.split_inclusive('\n').collect();
        let diff = TextDiff::configure()
            .algorithm(Algorithm::Myers)
            .newline_terminated(true)
            .diff_slices(&before, &after);
        let name = relative(&Path::new(bundle).join(path));
        let (old, new) = (quoted(&format!("a/{name}")), quoted(&format!("b/{name}")));
        out.push_str(&diff.unified_diff().header(&old, &new).to_string());
    }
    out
}

/// A path without its root and steps that stay where they are.
fn relative(path: &Path) -> String {
    let steps = path.components().filter_map(|step| match step {
        Component::Normal(step) => Some(step.to_string_lossy()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    steps.collect::<Vec<_>>().join("/")
}

/// A name as it stands in a diff: in quotes where a character would end it.
fn quoted(name: &str) -> String {
    if name
        .chars()
        .all(|letter| !letter.is_control() && !['"', '\\'].contains(&letter))
    {
        // A tab ends a name that has blanks.
        let end = if name.contains(' ') { "\t" } else { "" };
        return format!("{name}{end}");
    }
    let mut quoted = String::from("\"");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\{byte:03o}")),
        }
    }
    quoted.push('"');
    quoted
}
