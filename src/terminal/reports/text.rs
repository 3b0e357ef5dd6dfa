//! The report as text.

use super::counts;
use crate::rules;
use crate::terminal::{counted, findings};
use crate::validation::Validation;
use std::collections::BTreeSet;

/// Writes every finding (only errors if `quiet` is set) with its source line, and then a summary line. A bundle that
/// could not be read at all is reported elsewhere, with its causes, and is only counted here.
pub(super) fn write(validations: &[Validation], quiet: bool, color: bool) -> String {
    let mut out = String::new();
    let mut explained = BTreeSet::new();
    let all = validations.iter().flat_map(|validation| &validation.findings);
    let shown = all.filter(|finding| !quiet || finding.diagnostic.is_error());
    for finding in shown.filter(|finding| finding.diagnostic.rule != &rules::BUNDLE_UNREADABLE) {
        out.push_str(&findings::render_next(&finding.diagnostic, color, &mut explained));
        out.push_str("\n\n");
    }
    out.push_str(&summary(validations));
    out.push('\n');
    if validations
        .iter()
        .any(|validation| validation.incomplete && validation.has_errors())
    {
        out.push_str("more checks run after these errors are fixed\n");
    }
    out
}

/// Returns a line that summarizes the findings and the number of bundles.
pub fn summary(validations: &[Validation]) -> String {
    let (mut errors, mut warnings, mut failed) = (0, 0, 0);
    for validation in validations {
        let found = counts(validation);
        errors += found.0;
        warnings += found.1;
        failed += usize::from(found.0 > 0);
    }
    let found = match (errors, warnings) {
        (0, 0) => "no errors, no warnings".to_owned(),
        (0, _) => format!("no errors, {}", counted(warnings, "warning")),
        (_, 0) => counted(errors, "error"),
        _ => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
    };
    match validations {
        [one] => {
            let name = crate::visible::one_line(&one.bundle);
            match one.media_type {
                Some(media_type) => format!("{name} ({}): {found}", media_type.as_str()),
                None => format!("{name}: {found}"),
            }
        }
        _ if failed == 0 => format!("{}: {found}", counted(validations.len(), "bundle")),
        _ => format!(
            "{}, {failed} with errors: {found}",
            counted(validations.len(), "bundle")
        ),
    }
}
