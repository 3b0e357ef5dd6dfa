//! Changes of files as `patch -p1` and `git apply` take them.

use crate::validation::fix::Fixing;
use similar::{Algorithm, TextDiff};
use std::path::{Component, Path};

/// The changes of one bundle, as a unified diff whose names are relative to the folder where the program runs.
pub fn patch(bundle: &str, fixing: &Fixing) -> String {
    let changes = fixing.files.iter();
    let changes = changes.map(|(path, change)| (path.as_str(), Some(&change.before[..]), Some(&change.after[..])));
    unified(bundle, changes)
}

/// Changes of the files of a bundle as such a diff: path, content before and after. A file that is not there has none.
pub fn unified<'c>(
    bundle: &str,
    changes: impl IntoIterator<Item = (&'c str, Option<&'c [u8]>, Option<&'c [u8]>)>,
) -> String {
    let mut out = String::new();
    for (path, before, after) in changes {
        let name = relative(&Path::new(bundle).join(path));
        let header = |side: &str, content: Option<&[u8]>| match content {
            Some(_) => quoted(&format!("{side}/{name}")),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (header("a", before), header("b", after));
        // What changes has been read as text.
        let before = String::from_utf8_lossy(before.unwrap_or_default());
        let after = String::from_utf8_lossy(after.unwrap_or_default());
        // Other programs end a line at its line feed alone.
        let before: Vec<&str> = before.split_inclusive('\n').collect();
        let after: Vec<&str> = after.split_inclusive('\n').collect();
        let diff = TextDiff::configure()
            .algorithm(Algorithm::Myers)
            .newline_terminated(true)
            .diff_slices(&before, &after);
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
