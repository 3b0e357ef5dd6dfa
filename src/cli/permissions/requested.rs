//! `opmx permissions` for Operator and Install resources: the review of each Install, and of everything that the
//! Operators would install.

use super::user::{self, Approval, Question};
use super::{PermissionsArguments, Shape, print, roles};
use crate::cli::Context;
use crate::cli::cluster_files::observe;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::named_catalogs::named_indexes;
use crate::cli::requests::{self, OpenOperator};
use crate::cli::resolve::unresolved;
use crate::cli::what_if;
use crate::cluster::State;
use crate::cluster::requested::{RequestedInstall, Updates, add, is_request};
use crate::install::catalogs::SelectedBundles;
use crate::install::permissions::{self, pending};
use crate::install::requests::installs::{OpenContent, OpenInstall, Reviewed};
use crate::install::resolution_steps;
use crate::install::resolve::{ResolveOptions, Resolved};
use crate::kubernetes::rbac::account::Grants;
use crate::resolver::Selected;
use crate::steps::Content;
use crate::terminal::{self, Format};
use serde_json::Value;
use std::collections::BTreeMap;

/// Reviews the resources of a file or, without a file, those of the cluster.
pub(super) fn run(file: Option<&str>, arguments: &PermissionsArguments, context: &Context<'_>) -> CommandResult {
    if arguments.policy.policy.is_some() {
        return Err(CommandError::usage(
            "--policy applies to BUNDLE, not to Operators and Installs",
        ));
    }
    let install = &arguments.installer.install;
    let state = install.cluster.read(&install.limits, context)?;
    let requested = match file {
        Some(file) => requests::read(
            file,
            arguments.installer.olm.announced(context),
            &install.limits,
            context,
        )?,
        None => state
            .objects
            .iter()
            .filter(|object| is_request(object))
            .cloned()
            .collect(),
    };
    let outside = install.outside(context)?;
    let opened = requests::open_installs(
        &requested,
        outside.as_ref(),
        &install.registry,
        &install.limits,
        context,
    )?;
    let operators = requests::open_operators(
        &requested,
        outside.as_ref(),
        &install.registry,
        &install.limits,
        context,
    )?;
    let (Some(mut installs), Some(operators)) = (opened, operators) else {
        return Ok(Status::Failure);
    };
    if installs.is_empty() && operators.is_empty() {
        return Err(CommandError::usage(
            "specify a bundle, or a file with an Install or an Operator that sets spec.updates",
        ));
    }
    let catalogs = match &operators[..] {
        [] if arguments.user.user().is_some() => arguments.user.catalogs()?,
        operators => operators.iter().filter_map(catalog_of).collect(),
    };
    if !operators.is_empty() {
        match of_operators(&operators, &requested, state.clone(), arguments, context)? {
            Answer::Install(made) => installs.extend(made),
            Answer::Ended(status) => return Ok(status),
        }
    }
    if installs.is_empty() {
        context.printer.status("there is nothing to install");
        return Ok(Status::Success);
    }
    review(&installs, catalogs, &state, arguments, context)
}

/// Returns the namespace and the name of the CatalogSource that an Operator uses.
fn catalog_of(operator: &OpenOperator) -> Option<(String, String)> {
    match &operator.operator.updates {
        Updates::Catalog(updates) => Some((updates.catalog_namespace.clone(), updates.catalog.clone())),
        Updates::Image(_) => None,
    }
}

/// The result of reviewing Operators.
enum Answer {
    /// An Install of everything that the Operators install, if anything.
    Install(Option<OpenInstall>),
    /// No answer; the reason has been reported.
    Ended(Status),
}

fn of_operators(
    operators: &[OpenOperator],
    requested: &[Value],
    mut state: State,
    arguments: &PermissionsArguments,
    context: &Context<'_>,
) -> Result<Answer, CommandError> {
    let install = &arguments.installer.install;
    let olm = arguments.installer.olm.get();
    observe(&mut state, install.namespace.as_deref(), olm, context)?;
    add(requested, &mut state.objects);
    let mut options = ResolveOptions {
        operators: operators.iter().map(OpenOperator::asked).collect(),
        olm: olm.clone(),
        limits: install.index_limits(),
        ..ResolveOptions::default()
    };
    options.catalogs = named_indexes(&arguments.user.catalog);
    let resolved = what_if::resolve(state, &options, &install.registry, context)?;
    let resolution = match &resolved.answer {
        Ok(resolution) => resolution,
        Err(error) => return Ok(Answer::Ended(unresolved(error, &arguments.output, context)?)),
    };
    for note in resolution.stays.iter().chain(&resolution.notes) {
        context.printer.warning(note);
    }
    let Some(name) = operators.first().map(|operator| operator.operator.name.clone()) else {
        return Ok(Answer::Install(None));
    };
    let mut content = Vec::new();
    let mut bundles = resolved.catalogs.bundles();
    for selected in &resolution.selected {
        if resolution.install.contains(&selected.name) {
            content.push(of_selected(selected, &resolved, &mut bundles, operators)?);
            let made = resolution_steps::subscriptions(resolution, selected, &resolved.state.namespace);
            content.extend((!made.is_empty()).then_some(OpenContent::Raw(made)));
        }
    }
    let mut namespaces = BTreeMap::new();
    for bundle in content.iter().filter_map(bundle_of) {
        namespaces.extend(permissions::namespaces_of(bundle, &resolved.state.namespace));
    }
    let install = RequestedInstall {
        name,
        namespaces,
        approved: false,
        content: Vec::new(),
    };
    Ok(Answer::Install(
        (!content.is_empty()).then_some(OpenInstall { install, content }),
    ))
}

fn bundle_of(content: &OpenContent) -> Option<&Content> {
    match content {
        OpenContent::Image { bundle, .. } | OpenContent::Manifests(bundle) => Some(bundle),
        OpenContent::Raw(_) => None,
    }
}

/// Returns a selected bundle as the content of an Install: its image if that is pinned by digest, otherwise its
/// manifests.
fn of_selected(
    selected: &Selected,
    resolved: &Resolved,
    bundles: &mut SelectedBundles<'_>,
    operators: &[OpenOperator],
) -> Result<OpenContent, CommandError> {
    let mut images = operators.iter().filter_map(|operator| {
        let own = format!("{}/{}", resolved.state.namespace, operator.operator.name) == selected.catalog;
        operator.image.as_ref().filter(|_| own)
    });
    if let Some(image) = images.next() {
        return Ok(OpenContent::Image {
            named: image.named.clone(),
            resolved: image.resolved.clone(),
            bundle: Box::new(image.content.clone()),
        });
    }
    let bundle = Box::new(bundles.content(selected)?);
    let image = bundles.image(selected)?;
    Ok(match image.filter(|image| image.contains("@sha256:")) {
        Some(image) => OpenContent::Image {
            named: image.clone(),
            resolved: image,
            bundle,
        },
        None => OpenContent::Manifests(bundle),
    })
}

fn review(
    installs: &[OpenInstall],
    catalogs: Vec<(String, String)>,
    state: &State,
    arguments: &PermissionsArguments,
    context: &Context<'_>,
) -> CommandResult {
    let installer = &arguments.installer;
    let mut all = Vec::new();
    for install in installs {
        let named = installer.install.namespace_of(install, Some(state));
        all.push((
            install,
            install.review(state, named, installer.service_account.as_ref())?,
        ));
    }
    for (_, reviewed) in &all {
        let of_operators = reviewed.operators.iter().flat_map(|operator| &operator.notes);
        for note in reviewed.notes.iter().chain(of_operators) {
            context.printer.warning(note);
        }
    }
    if let Some(user) = arguments.user.user() {
        let [(install, reviewed)] = &all[..] else {
            let problem = format!("--user and --group check only one Install at a time, not {}", all.len());
            return Err(CommandError::usage(problem));
        };
        let question = Question {
            user: &user,
            catalogs,
            approval: Some(Approval {
                is_install: true,
                name: &install.install.name,
                needs: reviewed.needs.clone(),
                installer: &reviewed.held,
                pending: reviewed.pending.clone(),
            }),
            shape: arguments.shape,
            terms: None,
            refused: &[],
            output: &arguments.output,
        };
        return user::answer(&question, state, context);
    }
    let is_pending = all.iter().any(|(_, reviewed)| !reviewed.pending.is_empty());
    if let Some(Shape::Role) = arguments.shape {
        let made = all.iter().filter_map(|(install, reviewed)| {
            let account = reviewed.account.as_ref()?;
            Some(permissions::roles(&install.install.name, account, &reviewed.pending))
        });
        roles(&made.flatten().collect::<Vec<_>>(), arguments.output.output, context)?;
    } else if arguments.output.output == Format::Text {
        for (number, (install, reviewed)) in all.iter().enumerate() {
            if number > 0 {
                context.printer.line("")?;
            }
            show(install, reviewed, context)?;
        }
    } else {
        let written: Vec<Value> = all
            .iter()
            .map(|(install, reviewed)| install.written(reviewed))
            .collect();
        requests::print_all(&written, arguments.output.output, context)?;
    }
    Ok(Status::of_answer(!(arguments.exit_code && is_pending)))
}

fn show(install: &OpenInstall, reviewed: &Reviewed, context: &Context<'_>) -> Result<(), CommandError> {
    let printer = &context.printer;
    printer.line(format!("install    {}", install.install.name))?;
    printer.line(format!("namespace  {}", reviewed.namespace))?;
    for (from, to) in &install.install.namespaces {
        printer.line(format!("maps       {from} to {to}"))?;
    }
    for [named, holds, resolved] in requests::contents(install) {
        let resolved = if resolved.is_empty() || resolved == named {
            String::new()
        } else {
            format!(", {resolved}")
        };
        printer.line(format!("content    {named} ({holds}){resolved}"))?;
    }
    match &reviewed.account {
        Some(account) => printer.line(format!("applied by {account}"))?,
        None => printer.line("applied by OLM itself, which needs no approval")?,
    }
    let approval = match (reviewed.pending.is_empty(), install.install.approved) {
        (true, _) => "not needed",
        // Pending permissions require a new approval.
        (false, true) => "Approved before, but needed again for the pending permissions",
        (false, false) => "Unapproved",
    };
    printer.line(format!("approval   {approval}"))?;
    printer.line("")?;
    let missing = match reviewed.account {
        Some(_) => reviewed.pending.clone(),
        None => pending(&reviewed.needs, &Grants::default())?,
    };
    print(
        &reviewed.needs,
        &missing,
        &reviewed.held,
        reviewed.account.as_ref(),
        context,
    )?;
    Ok(terminal::permissions::operators(printer, &reviewed.operators)?)
}
