//! What the versions of a plan require, in words: the APIs that were not checked, and what the cluster lacks.

use crate::cli::Context;
use crate::install::apply::Requirements;
use crate::install::apply::requirements::listed;
use crate::kubernetes::platform::is_platform_group;
use crate::terminal::conditions;

/// Returns a sentence for each group of APIs that were not checked, with the option or command that checks them.
pub(super) fn unchecked(versions: &[Requirements]) -> Vec<String> {
    let mut sentences = Vec::new();
    for Requirements {
        name, required, native, ..
    } in versions
    {
        if !required.is_empty() {
            sentences.push(format!(
                "{}, which {name} requires from another operator; use opmx resolve to look for providers in a catalog",
                listed(required)
            ));
        }
        if !native.is_empty() {
            sentences.push(format!(
                "{}, which {name} requires from the cluster; use --cluster with the output of \"kubectl api-resources\"",
                listed(native)
            ));
        }
    }
    sentences
}

/// Reports the versions that stay `Pending` because the cluster does not meet their requirements.
pub(super) fn report_pending(versions: &[Requirements], context: &Context<'_>) {
    for version in versions {
        let Requirements { name, required, .. } = version;
        context.printer.error(format!(
            "the plan completes, but {name} stays Pending: {}",
            version.reason()
        ));
        if let Some(release) = version.held.as_ref().and_then(|hold| hold.release.as_ref()) {
            context
                .printer
                .detail("it would work after", conditions::command(release));
        }
        let (of_platform, of_operators): (Vec<_>, Vec<_>) =
            required.iter().cloned().partition(|api| is_platform_group(&api.group));
        if !of_platform.is_empty() {
            context.printer.detail(
                "hint",
                format!(
                    "no bundle provides {}, because the platform serves such APIs: set \"dependency: native\" in the \
                     olm.yaml of {name}",
                    listed(&of_platform)
                ),
            );
        }
        if !of_operators.is_empty() {
            context.printer.detail(
                "hint",
                "use opmx resolve to look for providers in a catalog, or plan without a bundle to include the \
                 providers",
            );
        }
    }
}
