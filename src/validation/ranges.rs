//! Checks version ranges in the metadata of a bundle.

use crate::bundle::{Bundle, TypedValue};
use crate::diagnostic::Diagnostic;
use crate::olm::annotation::SKIP_RANGE;
use crate::rules::{self, Rule};
use crate::text::{Document, Path, source_edit};
use crate::version::VersionRange;

/// Reports a problem with a version range of a dependency or constraint, at the exact place in the text of the range.
pub(super) fn range_problem(entry: &TypedValue, range: &str, path: &Path) -> Option<Diagnostic> {
    let (document, _) = entry.entry();
    let path = entry.value_path().join(path);
    problem(document, &path, range, &rules::DEP_PACKAGE_VERSION_FORMAT)
}

/// Checks the range of versions that this version can update: an annotation of the CSV or of `metadata/olm.yaml`.
pub(super) fn skip_range(bundle: &Bundle) -> Option<Diagnostic> {
    let annotations = Path::from("annotations");
    let (document, path) = match (&bundle.olm, bundle.csv()) {
        (Some(olm), _) => (olm, annotations),
        (None, Some(csv)) => {
            let (document, root) = csv.document();
            (document, root.key("metadata").join(&annotations))
        }
        (None, None) => return None,
    };
    let path = path.key(SKIP_RANGE);
    let range = path.get(document.value())?.as_str()?;
    let found = problem(document, &path, range, &rules::CSV_SKIP_RANGE).filter(|_| !range.is_empty())?;
    Some(found.path(&path))
}

/// Reports a problem with the range at `path`.
fn problem(document: &Document, path: &Path, range: &str, rule: &'static Rule) -> Option<Diagnostic> {
    // OLM ignores a dash between two versions, so both versions would have to match at once.
    if let Some(dash) = range.find(" - ")
        && VersionRange::parse(&range.replace(" - ", " ")).is_ok()
    {
        let message = format!("the range {range:?} contains no version, because - has no meaning in OLM's ranges");
        let place = document.scalar_place(path, dash + 1..dash + 2);
        return Some(Diagnostic::new(&rules::RANGE_HYPHEN, message).at(place));
    }
    let error = VersionRange::parse(range).err()?;
    let part = range.get(error.span.clone()).unwrap_or(range);
    let message = format!("{range:?} is not a version range, at {part:?}: {error}");
    let finding = Diagnostic::new(rule, message).at(document.scalar_place(path, error.span));
    Some(finding.fixed_by(without_v(range).and_then(|bare| source_edit::rewrite(document, path, &bare))))
}

/// Returns the range without a `v` before its versions, if that `v` is its only defect.
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
