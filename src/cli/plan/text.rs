//! Prints a plan as text: its objects and their permissions, and what would be missing on the cluster.

use super::requirements;
use crate::cli::Context;
use crate::cli::error::CommandError;
use crate::cluster::state::Approval;
use crate::install::apis::Apis;
use crate::install::apply::Applied;
use crate::install::handling::{self, Handling, Resource};
use crate::install::install_plan::Phase;
use crate::install::plan::Planned;
use crate::olm::releases::Olm;
use crate::steps::{Step, StepStatus};
use crate::terminal;
use crate::terminal::table::Table;

pub(super) fn print(planned: &Planned, olm: &Olm, context: &Context<'_>) -> Result<(), CommandError> {
    let Planned { plan, apis, .. } = planned;
    let applied = planned.applied.as_ref();
    let names = plan.spec.cluster_service_version_names.join(", ");
    context.printer.line(format!("installs   {names}"))?;
    context.printer.line(format!("namespace  {}", plan.namespace()))?;
    for label in plan.labels() {
        context.printer.line(format!(
            "label      {label}, on all these objects and on the resulting Deployments and APIServices"
        ))?;
    }
    context.printer.line(format!("phase      {:?}", plan.status.phase))?;
    for sentence in requirements::unchecked(&planned.unchecked) {
        context.printer.line(format!("unchecked  {sentence}"))?;
    }
    if plan.spec.approval == Approval::Manual {
        let by = match &planned.held_by[..] {
            [] => String::new(),
            [name] => format!(", as set by the Subscription {name} for the whole namespace"),
            names => format!(
                ", as set by the Subscriptions {} for the whole namespace",
                names.join(", ")
            ),
        };
        context.printer.line(format!("approval   Manual{by}"))?;
    }
    if let Some(applied) = applied.filter(|_| plan.spec.approval == Approval::Manual) {
        let phase = format!(
            "approved   the phase of the plan after manual approval is {:?}",
            applied.phase
        );
        context.printer.line(phase)?;
    }
    if let Some(message) = applied
        .map(|applied| &applied.message)
        .filter(|message| !message.is_empty())
    {
        paragraph("message    ", message, context)?;
    }
    context.printer.line("")?;
    let steps = &plan.status.plan;
    if let Some(applied) = applied {
        let mut table = Table::new(context.printer.stdout(), ["KIND", "NAME", "STATUS", "NEEDS"]);
        for (step, outcome) in steps.iter().zip(&applied.steps) {
            let status = outcome.status.to_string();
            table.row([
                &*step.resource.kind,
                &step.resource.name,
                &status,
                &needs(step, plan.namespace(), apis, olm),
            ])?;
        }
        table.finish()?;
        // If a plan does not complete, the accounts hold only a part of the permissions.
        if applied.phase == Phase::Complete {
            terminal::permissions::operators(&context.printer, &planned.operators)?;
        }
        return summary(steps, applied, context);
    }
    let mut table = Table::new(context.printer.stdout(), ["KIND", "NAME", "NEEDS"]);
    for step in steps {
        table.row([
            &*step.resource.kind,
            &step.resource.name,
            &needs(step, plan.namespace(), apis, olm),
        ])?;
    }
    table.finish()?;
    Ok(terminal::permissions::operators(&context.printer, &planned.operators)?)
}

/// Returns the permission that a step needs: the resource that it writes to, and the namespace.
fn needs(step: &Step, namespace: &str, apis: &Apis, olm: &Olm) -> String {
    let resource = Resource::of(step, apis);
    let place = if resource.namespaced {
        step.namespace(namespace)
    } else {
        "the cluster"
    };
    let optional = if step.optional { ", optional" } else { "" };
    if !handling::is_supported(step, olm) {
        return handling::unsupported(olm);
    }
    match handling::of_step(step) {
        Handling::Updated => format!("{}/{} in {place}{optional}", resource.label(), step.resource.version),
        Handling::Definition => "none: OLM uses its own account".to_owned(),
        Handling::Once | Handling::Patched | Handling::Unsupported => {
            format!("{} in {place}", resource.label())
        }
    }
}

/// Prints the objects that would be missing on the cluster, each with the reason.
fn summary(steps: &[Step], applied: &Applied, context: &Context<'_>) -> Result<(), CommandError> {
    let missing: Vec<_> = steps
        .iter()
        .zip(&applied.steps)
        .filter(|(_, outcome)| ![StepStatus::Created, StepStatus::Present].contains(&outcome.status))
        .collect();
    if missing.is_empty() && !applied.succeeds() {
        return Ok(());
    }
    context.printer.line("")?;
    let passes = if applied.passes == 1 {
        "one pass".to_owned()
    } else {
        format!("{} passes", applied.passes)
    };
    if missing.is_empty() {
        context
            .printer
            .line(format!("Nothing would be missing after {passes}."))?;
        return Ok(());
    }
    context.printer.line(format!("Missing after {passes}:"))?;
    for (step, outcome) in missing {
        let why = match outcome.status {
            _ if !outcome.why.is_empty() => outcome.why.as_str(),
            _ => "the plan ends before this step",
        };
        let optional = if step.optional { " (optional)" } else { "" };
        let (kind, name) = (&step.resource.kind, &step.resource.name);
        paragraph(&format!("  {kind} {name}{optional}: "), why, context)?;
    }
    Ok(())
}

/// Prints a multi-line string, with all lines after the first indented.
fn paragraph(begin: &str, text: &str, context: &Context<'_>) -> Result<(), CommandError> {
    let mut lines = text.split('\n');
    context
        .printer
        .line(format!("{begin}{}", lines.next().unwrap_or_default()))?;
    for line in lines {
        context.printer.line(format!("    {line}"))?;
    }
    Ok(())
}
