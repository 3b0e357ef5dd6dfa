//! Checks the capitalization of the keys in metadata files.

use crate::bundle::{Bundle, field};
use crate::diagnostic::Diagnostic;
use crate::rules;
use crate::text::{Document, Path, source_edit};
use serde_json::Value;

/// Reports keys that opm recognizes in any capitalization, but that are not written as in the format.
pub(super) fn check(bundle: &Bundle, findings: &mut Vec<Diagnostic>) {
    for document in &bundle.metadata {
        let root = Path::root();
        key(document, &root, document.value(), "annotations", findings);
        for list in ["dependencies", "properties"] {
            let Some((written, entries)) = key(document, &root, document.value(), list, findings) else {
                continue;
            };
            let path = root.key(written);
            for (index, entry) in entries.as_array().into_iter().flatten().enumerate() {
                for name in ["type", "value"] {
                    key(document, &path.index(index), entry, name, findings);
                }
            }
        }
    }
}

/// Returns a field of the map at `path` with its key as written, and reports a wrong capitalization.
fn key<'v>(
    document: &Document,
    path: &Path,
    map: &'v Value,
    name: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<(&'v str, &'v Value)> {
    let (written, value) = field(map, name)?;
    if written != name {
        let path = path.key(written);
        let message = format!("the key {written} must be written as {name}");
        let finding = Diagnostic::new(&rules::METADATA_KEY_CASE, message).at(document.key_place(&path));
        findings.push(finding.fixed_by(source_edit::recapitalize(document, &path, name)));
    }
    Some((written, value))
}
