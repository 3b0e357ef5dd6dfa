//! File changes in the format that `patch -p1` and `git apply` accept.

use crate::validation::fix::Fixing;
use similar::{Algorithm, TextDiff};
use std::path::{Component, Path};

/// Returns the changes to one bundle, as a unified diff whose file names are relative to the working folder.
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
        // Changed files have already been read as text.
        let before = String::from_utf8_lossy(before.unwrap_or_default());
        let after = String::from_utf8_lossy(after.unwrap_or_default());
        // Other programs treat only a line feed as the end of a line.
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
