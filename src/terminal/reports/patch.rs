//! File changes in the format that `patch -p1` and `git apply` accept.

use crate::validation::fix::Fixing;
use similar::{Algorithm, TextDiff};
use std::path::{Component, Path};

/// Returns the changes to one bundle, as a unified diff whose file names are relative to the current directory.
pub fn patch(bundle: &str, fixing: &Fixing) -> String {
    let changes = fixing.files.iter();
    let changes = changes.map(|(path, change)| (path.as_str(), change.before.as_deref(), change.after.as_deref()));
    unified(bundle, changes)
}

/// Returns changes to the files of a bundle as a unified diff. Each change consists of a path, the content before the
/// change, and the content after it. `None` means that the file does not exist.
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
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        out.push_str(&hunks(&old, &new, before, after));
    }
    out
}

/// Returns the change of a renamed file in unified diff format, with the header that git writes for it. The paths are
/// relative to the bundle.
pub fn renamed(bundle: &str, [old, new]: [&str; 2], [before, after]: [&[u8]; 2]) -> String {
    let named = |side: &str, path: &str| quoted(&format!("{side}{}", relative(&Path::new(bundle).join(path))));
    let mut out = format!("diff --git {} {}\n", named("a/", old), named("b/", new));
    out.push_str(&format!(
        "rename from {}\nrename to {}\n",
        named("", old),
        named("", new)
    ));
    out.push_str(&hunks(&named("a/", old), &named("b/", new), before, after));
    out
}

/// Whether at least half of the lines of two files are the same, so that a reader wants to compare them.
pub fn are_similar(before: &[u8], after: &[u8]) -> bool {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    TextDiff::from_lines(&*before, &*after).ratio() >= 0.5
}

/// Returns the differing lines below a header; empty if there are none.
fn hunks(old: &str, new: &str, before: &[u8], after: &[u8]) -> String {
    // Changed files have already been read as text.
    let before = String::from_utf8_lossy(before);
    let after = String::from_utf8_lossy(after);
    // Other programs treat only a line feed as the end of a line.
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .newline_terminated(true)
        .diff_slices(&before, &after);
    diff.unified_diff().header(old, new).to_string()
}

/// Returns a path without its root and its `.` components.
fn relative(path: &Path) -> String {
    let steps = path.components().filter_map(|step| match step {
        Component::Normal(step) => Some(step.to_string_lossy()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    steps.collect::<Vec<_>>().join("/")
}

/// Returns a name in diff format: in quotes if it contains a control character, a quotation mark or a backslash.
fn quoted(name: &str) -> String {
    if name
        .chars()
        .all(|letter| !letter.is_control() && !['"', '\\'].contains(&letter))
    {
        // A tab marks the end of a name that has spaces.
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
