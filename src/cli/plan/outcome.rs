//! Reports a plan and its result, or the upgrades that are held back.

use super::{PlanArguments, requirements, text, unchecked};
use crate::cli::Context;
use crate::cli::error::{CommandResult, Status};
use crate::cli::what_if;
use crate::cluster::State;
use crate::cluster::conditions::NOT_UPGRADEABLE;
use crate::cluster::state::Approval;
use crate::install::handling;
use crate::install::hold::{HeldUpgrade, also_holds};
use crate::install::plan::{PlanOptions, Planned, Subject, plan};
use crate::olm::limits::OBJECT;
use crate::olm::releases::Olm;
use crate::steps::{Repetition, Step};
use crate::terminal::{Format, conditions};
use serde_json::{Value, json};

/// Reports that there is no plan because the conditions of installed versions hold back all upgrades.
pub(super) fn withheld(
    held: &[HeldUpgrade],
    state: &State,
    namespace: &str,
    arguments: &PlanArguments,
    context: &Context<'_>,
) -> CommandResult {
    if let (Some(first), true) = (held.first(), arguments.output.output != Format::Text) {
        let messages: Vec<String> = held.iter().map(HeldUpgrade::message).collect();
        let mut answer = json!({"error": messages.join("; "), "operator": first.operator, "heldBy": first.hold});
        if held.len() > 1 {
            answer["held"] = json!(held);
        }
        context.printer.document(arguments.output.output, &answer)?;
    }
    report_held(held, state, namespace, context);
    Ok(Status::No)
}

/// Reports the upgrades that are held back, with the source of the conditions and the command that overrides them.
pub(super) fn report_held(held: &[HeldUpgrade], state: &State, namespace: &str, context: &Context<'_>) {
    let printer = &context.printer;
    for upgrade in held {
        let HeldUpgrade { bundle, operator, hold } = upgrade;
        printer.error(upgrade.message());
        printer.detail("because", hold);
        let newest = Olm::newest();
        let note = if also_holds(&newest, operator, state, namespace) {
            format!(
                "{newest} still creates the InstallPlan, but leaves {bundle} in the phase Pending with the reason \
                {NOT_UPGRADEABLE}"
            )
        } else {
            format!("{newest} ignores this condition, and installs {bundle}")
        };
        printer.detail("note", note);
        if let Some(release) = &hold.release {
            printer.detail("it would work after", conditions::command(release));
        }
    }
}

/// Prints the plan of a bundle or a resolution, with its result if a cluster is known. `released` describes how the
/// plan of the newest release differs, if that is already known, and `held` are the upgrades that the plan lacks.
pub(super) fn show(
    subject: Subject<'_>,
    state: Option<&State>,
    options: PlanOptions,
    (released, held): (Option<String>, &[HeldUpgrade]),
    arguments: &PlanArguments,
    context: &Context<'_>,
) -> CommandResult {
    let options = PlanOptions {
        approval: arguments.approval.map(Approval::from).or(options.approval),
        repetition: if arguments.repeat_properties {
            Repetition::AsOlm
        } else {
            Repetition::Once
        },
        ..options
    };
    let Some(mut planned) = plan(subject, state, &options)? else {
        if let Some(released) = released {
            what_if::note_released(&released, context);
        }
        context
            .printer
            .status("there is nothing to install, so OLM creates no plan");
        if arguments.output.output != Format::Text {
            context.printer.document(arguments.output.output, &Value::Null)?;
        }
        return Ok(Status::Success);
    };
    planned.held_upgrades = held.to_vec();
    printed(planned, released, state, arguments, context)
}

/// Prints a plan, and reports its result.
pub(super) fn printed(
    planned: Planned,
    released: Option<String>,
    state: Option<&State>,
    arguments: &PlanArguments,
    context: &Context<'_>,
) -> CommandResult {
    let other = planned.released.as_ref().map(|released| {
        let requires = "requires every manifest, including optional manifests";
        match &planned.applied {
            None => requires.to_owned(),
            Some(_) => format!(
                "{requires}, and its plan would end in the phase {:?}",
                released.status.phase
            ),
        }
    });
    if let Some(other) = released.or(other) {
        what_if::note_released(&other, context);
    }
    for note in planned.operators.iter().flat_map(|operator| &operator.notes) {
        context.printer.warning(note);
    }
    let unsupported = unsupported_kinds(&planned.plan.status.plan, arguments.olm.get());
    if !unsupported.is_empty() {
        let kinds = unsupported.join(", ");
        context.printer.warning(format_args!(
            "{} does not install {kinds}, so the plan fails",
            arguments.olm.get()
        ));
    }
    match arguments.output.output {
        Format::Text => text::print(&planned, arguments.olm.get(), context)?,
        format => {
            for sentence in requirements::unchecked(&planned.unchecked) {
                context.printer.warning(format_args!("not checked: {sentence}"));
            }
            context.printer.document(format, &planned.resource())?;
        }
    }
    if let Some(bytes) = planned.too_large {
        context.printer.error(format!(
            "the InstallPlan takes {bytes} bytes, but a cluster stores objects of at most {OBJECT} bytes, so OLM \
            creates no plan, and the Subscription reports \"error ensuring InstallPlan: etcdserver: request is too \
            large\""
        ));
        return Ok(Status::Failure);
    }
    let Some(applied) = planned.applied else {
        return Ok(Status::Success);
    };
    for warning in &applied.warnings {
        context.printer.warning(warning);
    }
    unchecked::warn(&applied.unchecked, context);
    for version in &applied.failed {
        context.printer.error(format!("the plan completes, but {version}"));
    }
    for version in &applied.broken {
        context.printer.error(version);
    }
    requirements::report_pending(&applied.pending, context);
    if state.is_some_and(|state| state.apis.is_none()) {
        context
            .printer
            .status("the input does not list the APIs of the cluster, so every API is assumed to be served");
    }
    Ok(Status::of_answer(applied.succeeds()))
}

/// Returns the kinds in a plan that this version of OLM does not install.
fn unsupported_kinds<'a>(steps: &'a [Step], olm: &Olm) -> Vec<&'a str> {
    let steps = steps.iter().filter(|step| !handling::is_supported(step, olm));
    let mut kinds: Vec<&str> = steps.map(handling::manifest_kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
