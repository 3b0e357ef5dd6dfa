//! File changes in the format that `patch -p1` and `git apply` accept.

use crate::validation::fix::Fixing;
use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::{env, fs};

/// Returns the changes to one bundle, as a unified diff whose file names are relative to the current directory or, if
/// the bundle is outside of it, to the root directory.
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
    let folder = below_here(Path::new(bundle));
    for (path, before, after) in changes {
        let name = relative(&folder.join(path));
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
    let folder = below_here(Path::new(bundle));
    let named = |side: &str, path: &str| quoted(&format!("{side}{}", relative(&folder.join(path))));
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
    let (input, diff) = compare(&before, &after);
    let same = input.before.len() - diff.count_removals() as usize;
    4 * same >= input.before.len() + input.after.len()
}

/// Compares two texts line by line.
fn compare<'t>(before: &'t str, after: &'t str) -> (InternedInput<&'t str>, Diff) {
    let input = InternedInput::new(before, after);
    // Myers' algorithm takes minutes for large files with many changes.
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    (input, diff)
}

/// Returns the differing lines below a header; empty if there are none.
fn hunks(old: &str, new: &str, before: &[u8], after: &[u8]) -> String {
    // Changed files have already been read as text.
    let before = String::from_utf8_lossy(before);
    let after = String::from_utf8_lossy(after);
    let (input, diff) = compare(&before, &after);
    let changes: Vec<Change> = diff.hunks().map(Change::from).collect();
    if changes.is_empty() {
        return String::new();
    }
    let mut out = format!("--- {old}\n+++ {new}\n");
    for near in changes.chunk_by(|change, next| next.before.start - change.before.end <= 2 * CONTEXT) {
        hunk(near, &input, &mut out);
    }
    out
}

/// The number of unchanged lines to show before and after a change.
const CONTEXT: usize = 3;

/// Lines that are replaced by others.
struct Change {
    before: Range<usize>,
    after: Range<usize>,
}

impl From<Hunk> for Change {
    fn from(hunk: Hunk) -> Self {
        let range = |lines: Range<u32>| lines.start as usize..lines.end as usize;
        Self {
            before: range(hunk.before),
            after: range(hunk.after),
        }
    }
}

/// Writes changes that are near each other, with the lines around and between them.
fn hunk(changes: &[Change], input: &InternedInput<&str>, out: &mut String) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
        return;
    };
    let ahead = CONTEXT.min(first.before.start);
    let behind = CONTEXT.min(input.before.len() - last.before.end);
    let before = first.before.start - ahead..last.before.end + behind;
    let after = first.after.start - ahead..last.after.end + behind;
    out.push_str(&format!("@@ -{} +{} @@\n", range(&before), range(&after)));
    let mut write = |sign: char, lines: &[Token]| {
        for line in lines {
            let line = input.interner[*line];
            out.push(sign);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    let mut at = before.start;
    for change in changes {
        write(' ', &input.before[at..change.before.start]);
        write('-', &input.before[change.before.clone()]);
        write('+', &input.after[change.after.clone()]);
        at = change.before.end;
    }
    write(' ', &input.before[at..before.end]);
}

/// Returns a range of lines as the header of a hunk writes it: the first line, counted from 1, and the number of lines.
fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// Returns the path of an existing folder from the current directory, which may be the folder itself; the absolute path
/// if the folder is elsewhere. Tools that apply patches reject paths with `..`.
fn below_here(folder: &Path) -> PathBuf {
    let is_below = folder.is_relative() && !folder.components().any(|step| step == Component::ParentDir);
    let whole = fs::canonicalize(folder).ok().filter(|_| !is_below);
    let Some(whole) = whole else {
        return folder.to_owned();
    };
    let here = env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    whole.strip_prefix(&here).map(Path::to_owned).unwrap_or(whole)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hunk_has_three_lines_of_context_and_marks_a_missing_line_feed() {
        assert_eq!(
            hunks("a/f", "b/f", b"1\n2\n3\n4\n5\n6", b"1\n2\n3\n4\nfive\n6\n"),
            "--- a/f\n+++ b/f\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n-6\n\\ No newline at end of file\n+five\n+6\n"
        );
        assert_eq!(
            hunks("/dev/null", "b/f", b"", b"1\n"),
            "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+1\n"
        );
        assert_eq!(hunks("a/f", "b/f", b"1\n", b"1\n"), "");
    }

    /// Applies hunks to the lines of a file, like `patch` without fuzz.
    fn apply(patch: &str, before: &[&str]) -> Vec<String> {
        let mut after = Vec::new();
        let mut at = 0;
        for line in patch.split_inclusive('\n').skip(2) {
            let (sign, rest) = line.split_at(1);
            match sign {
                "@" => {
                    let mut numbers = rest
                        .split(['-', ',', ' '])
                        .filter_map(|word| word.parse::<usize>().ok());
                    let (first, has_lines) = (numbers.next().unwrap(), !rest.starts_with("@ -0,"));
                    let start = first - usize::from(has_lines);
                    after.extend(before[at..start].iter().map(|line| (*line).to_owned()));
                    at = start;
                }
                " " | "-" => {
                    assert_eq!(before[at], rest);
                    at += 1;
                    after.extend((sign == " ").then(|| rest.to_owned()));
                }
                _ => after.push(rest.to_owned()),
            }
        }
        after.extend(before[at..].iter().map(|line| (*line).to_owned()));
        after
    }

    proptest! {
        #[test]
        fn applying_a_patch_gives_the_new_file(
            before in prop::collection::vec(0..6_u8, 0..60),
            after in prop::collection::vec(0..6_u8, 0..60),
        ) {
            let text = |lines: &[u8]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let (before, after) = (text(&before), text(&after));
            let patch = hunks("a/f", "b/f", before.as_bytes(), after.as_bytes());
            let lines: Vec<&str> = before.split_inclusive('\n').collect();
            prop_assert_eq!(apply(&patch, &lines).concat(), after, "{}", patch);
        }
    }
}
