//! Sample custom resources, which become the examples of a `ClusterServiceVersion`.

use crate::diagnostic::Diagnostic;
use crate::kubernetes::GroupVersionKind;
use crate::kubernetes::version::compare_priority;
use crate::manifest::Object;
use crate::rules;
use crate::text::Path;
use serde_json::Value;
use std::collections::BTreeSet;

/// The samples in one fixed order, and what is wrong with them: each must be of a kind that the bundle provides.
/// Copies of one sample are one.
pub fn examples(samples: &[Object], provided: &BTreeSet<GroupVersionKind>) -> (Vec<Value>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let mut sorted: Vec<&Object> = samples.iter().collect();
    sorted.sort_by(|left, right| {
        let identity = left.identity().cmp(&right.identity());
        identity.then_with(|| compare_priority(&left.gvk().version, &right.gvk().version))
    });
    let mut kept: Vec<&Object> = Vec::new();
    for sample in sorted {
        let same = |last: &&&Object| last.identity() == sample.identity() && last.gvk() == sample.gvk();
        if let Some(first) = kept.last().filter(same) {
            if first.value() != sample.value() {
                let message = format!("{} stands here a second time, with another content", sample.label());
                let finding = Diagnostic::new(&rules::OBJECT_DUPLICATE, message).object(sample.label());
                findings.push(
                    finding
                        .at(sample.name_place())
                        .also(first.name_place(), "the first is here"),
                );
            }
            continue;
        }
        if let Some(finding) = not_provided(sample.gvk(), provided) {
            let place = sample.place(&Path::root().key("kind"));
            findings.push(finding.object(sample.label()).at(place));
        }
        kept.push(sample);
    }
    (
        kept.into_iter().map(|sample| sample.value().clone()).collect(),
        findings,
    )
}

/// The finding about an example of a kind that the bundle does not provide.
pub(super) fn not_provided(gvk: &GroupVersionKind, provided: &BTreeSet<GroupVersionKind>) -> Option<Diagnostic> {
    if provided.contains(gvk) {
        return None;
    }
    let message = format!(
        "this example is of {} ({}), which the bundle does not provide",
        gvk.kind,
        gvk.api_version()
    );
    let finding = Diagnostic::new(&rules::CSV_EXAMPLE_WITHOUT_PROVIDED_API, message);
    let kinds: Vec<String> = provided
        .iter()
        .map(|known| format!("{} ({})", known.kind, known.api_version()))
        .collect();
    Some(if kinds.is_empty() {
        finding.help("Remove the example: the bundle provides no kind.")
    } else {
        finding.help(format!("The bundle provides {}.", kinds.join(", ")))
    })
}
