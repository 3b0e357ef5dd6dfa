//! Warnings about updates of CustomResourceDefinitions that were not checked, with the kinds to add to the input.

use crate::cli::Context;
use crate::install::apply::{Lacks, UncheckedUpdate};
use std::collections::BTreeMap;

/// Warns of the updates of definitions that were not checked: one warning for each owner of absent definitions, and one
/// for all kinds without custom resources.
pub(super) fn warn(updates: &[UncheckedUpdate], context: &Context<'_>) {
    let mut absent: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let (mut kinds, mut resources) = (Vec::new(), Vec::new());
    for update in updates {
        match &update.lacks {
            Lacks::Definition { owner } => absent.entry(owner).or_default().push(&update.definition),
            Lacks::Objects { kind } => {
                kinds.push(kind.as_str());
                resources.push(update.definition.as_str());
            }
        }
    }
    for (owner, definitions) in absent {
        context.printer.warning(format_args!(
            "the input does not contain {}, which the installed {owner} owns, so neither stored versions nor custom \
            resources could be checked; add \"crd,{}\" to the kinds of \"kubectl get -A\" to include them",
            definitions.join(", "),
            definitions.join(",")
        ));
    }
    if !kinds.is_empty() {
        context.printer.warning(format_args!(
            "changed schemas were not checked against custom resources: the input has none of kind {}; if the cluster \
            has some, add \"{}\" to the kinds of \"kubectl get -A\" to include them",
            kinds.join(", "),
            resources.join(",")
        ));
    }
}
