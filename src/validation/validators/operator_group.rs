//! `operatorgroup`: checks the annotations of an `OperatorGroup`.

use super::{Input, csv};
use crate::diagnostic::Diagnostic;
use crate::rules;

pub(super) fn check(input: &Input<'_>, findings: &mut Vec<Diagnostic>) {
    let objects = input.bundle.objects.iter();
    for group in objects.filter(|object| object.gvk().is(crate::csv::GROUP, "OperatorGroup")) {
        csv::annotations(group, &rules::OG_ANNOTATION_CASE, findings);
    }
}
