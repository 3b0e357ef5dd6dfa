//! The resources that the author must describe under `apis` in `olm.yaml`, with one sentence for each kind of decision.

use crate::synthesis::Unresolved;
use std::collections::BTreeMap;

/// Returns a sentence for each kind of decision that the author must make about resources.
pub(super) fn sentences(unresolved: &[Unresolved]) -> Vec<String> {
    let mut sorts: BTreeMap<(bool, bool, bool), Vec<&Unresolved>> = BTreeMap::new();
    for entry in unresolved {
        let sort = (entry.of_own_group, !entry.is_known(), entry.of_platform);
        sorts.entry(sort).or_default().push(entry);
    }
    let sentence = |((of_own_group, unknown, of_platform), entries): ((bool, bool, bool), Vec<&Unresolved>)| {
        let named = named(&entries);
        let choice = if of_platform {
            "native or optional"
        } else {
            "required or optional"
        };
        if of_own_group {
            format!(
                "the kind of {named}, and whether another release of this operator or another operator \
                 defines it"
            )
        } else if unknown {
            format!("the kind and version of {named}, and whether the dependency is {choice}")
        } else {
            format!("whether the dependency on {named} is {choice}")
        }
    };
    sorts.into_iter().map(sentence).collect()
}

/// Names resources by group, as in `certificates, issuers of cert-manager.io and routes of route.openshift.io`.
fn named(entries: &[&Unresolved]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for entry in entries {
        match groups.iter_mut().find(|(group, _)| *group == entry.group) {
            Some((_, resources)) => resources.push(&entry.resource),
            None => groups.push((&entry.group, vec![&entry.resource])),
        }
    }
    let parts: Vec<String> = groups
        .iter()
        .map(|(group, resources)| format!("{} of {group}", resources.join(", ")))
        .collect();
    parts.join(" and ")
}
