//! Ranges of versions in the metadata of a bundle.

use crate::bundle::TypedValue;
use crate::diagnostic::Diagnostic;
use crate::rules::{self, Rule};
use crate::text::Path;
use crate::version::VersionRange;

/// What is wrong with a range, at the place inside its text.
pub(super) fn range_problem(entry: &TypedValue, range: &str, path: &Path, rule: &'static Rule) -> Option<Diagnostic> {
    // OLM passes over a dash between two versions, so that both are to be met at once.
    if let Some(dash) = range.find(" - ")
        && VersionRange::parse(&range.replace(" - ", " ")).is_ok()
    {
        let message = format!("nothing is in the range {range:?}: - has no meaning in OLM's ranges");
        return Some(
            Diagnostic::new(&rules::RANGE_HYPHEN, message).at(entry.scalar_place_of(path, dash + 1..dash + 2)),
        );
    }
    let error = VersionRange::parse(range).err()?;
    let part = range.get(error.span.clone()).unwrap_or(range);
    let message = format!("{range:?} is no version range, at {part:?}: {error}");
    let finding = Diagnostic::new(rule, message).at(entry.scalar_place_of(path, error.span));
    Some(finding.mended_by(without_v(range).and_then(|bare| entry.rewrite(path, &bare))))
}

/// The range without a `v` before its versions, where that is all that is wrong with it.
fn without_v(range: &str) -> Option<String> {
    let mut bare = String::new();
    let mut rest = range.trim();
    while let Some(letter) = rest.chars().next() {
        let begins = bare.ends_with([' ', '>', '<', '=', '!', '|']) || bare.is_empty();
        rest = &rest[letter.len_utf8()..];
        if !(letter == 'v' && begins && rest.starts_with(|digit: char| digit.is_ascii_digit())) {
            bare.push(letter);
        }
    }
    VersionRange::parse(&bare).is_ok().then_some(bare)
}
