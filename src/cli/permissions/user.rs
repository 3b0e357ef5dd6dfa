//! `opmx permissions --user`: whether a user may approve an installation and use catalogs.

use super::{Shape, roles};
use crate::cli::Context;
use crate::cli::arguments::OutputArguments;
use crate::cli::error::{CommandError, CommandResult, Status};
use crate::cli::values::namespace;
use crate::cluster::State;
use crate::diagnostic::Diagnostic;
use crate::install::permissions::{
    CatalogUse, Need, Permission, catalog_uses, catalogs_of, held_by, image_of, missing_to_approve, roles_to_allow,
};
use crate::kubernetes::names::is_dns1123_subdomain;
use crate::kubernetes::rbac::account::Grants;
use crate::kubernetes::rbac::user::User;
use crate::terminal;
use crate::terminal::Format;
use crate::terminal::table::Table;
use crate::validation::policy::{Terms, judge_catalog};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

/// The options for checking the permissions of a user.
#[derive(Debug, Args)]
pub(super) struct UserArguments {
    /// User who would approve the installation and use the catalogs
    ///
    /// Shows whether the bindings of the cluster grant the user the pending permissions, which an approval requires.
    /// The name of a service account is system:serviceaccount:NAMESPACE:NAME.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Group of the user; may be repeated. Without --user, any member of these groups is checked
    #[arg(long, value_name = "GROUP")]
    group: Vec<String>,
    /// CatalogSource that the user would use (this requires the verb install on it); may be repeated
    ///
    /// Without a bundle and without this option, the CatalogSources of the cluster are listed. For Operators, the
    /// CatalogSources that they name are checked, and the form is [NAME=]INDEX[,PRIORITY]: an index to use instead of
    /// the CatalogSource with this name, which is NAMESPACE/NAME if several have it.
    #[arg(long, value_name = "NAMESPACE/NAME|[NAME=]INDEX")]
    pub(super) catalog: Vec<String>,
}

impl UserArguments {
    /// Returns the user, if a user or group was specified.
    pub(super) fn user(&self) -> Option<User> {
        let is_named = self.user.is_some() || !self.group.is_empty();
        is_named.then(|| User {
            name: self.user.clone(),
            groups: self.group.clone(),
        })
    }

    /// Returns an error for invalid catalogs, and for catalogs that are specified without a user or group.
    pub(super) fn check(&self) -> Result<(), CommandError> {
        if self.user().is_none() && !self.catalog.is_empty() {
            let usage = "--catalog requires a user; specify it with --user or --group, or use --index to set the \
                index that contains BUNDLE";
            return Err(CommandError::usage(usage));
        }
        self.catalogs().map(drop)
    }

    /// Returns the namespaces and names of the specified CatalogSources.
    pub(super) fn catalogs(&self) -> Result<Vec<(String, String)>, CommandError> {
        let named = self.catalog.iter().map(|text| match text.split_once('/') {
            Some((of, name)) if namespace(of).is_ok() && is_dns1123_subdomain(name) => {
                Ok((of.to_owned(), name.to_owned()))
            }
            _ => Err(CommandError::usage(format!(
                "--catalog {text} does not name a CatalogSource; use NAMESPACE/NAME"
            ))),
        });
        named.collect()
    }
}

/// An installation that a user may have to approve.
pub(super) struct Approval<'a> {
    /// Whether an Install is to be approved, instead of the installation of a bundle.
    pub(super) is_install: bool,
    /// The name of the Install or the bundle.
    pub(super) name: &'a str,
    pub(super) needs: Vec<Need>,
    /// The permissions of the account that installs.
    pub(super) installer: &'a Grants,
    /// The permissions that the account lacks.
    pub(super) pending: Vec<Permission>,
}

/// The question whether a user may approve an installation and use catalogs.
pub(super) struct Question<'a> {
    pub(super) user: &'a User,
    /// The namespaces and names of the catalogs that the user would use.
    pub(super) catalogs: Vec<(String, String)>,
    /// The installation. Without an installation and without catalogs, the question is about all catalogs.
    pub(super) approval: Option<Approval<'a>>,
    pub(super) shape: Option<Shape>,
    /// The terms of the policy for the user, if a policy was specified.
    pub(super) terms: Option<&'a Terms>,
    /// The policy violations of the bundle, which have been reported.
    pub(super) refused: &'a [Diagnostic],
    pub(super) output: &'a OutputArguments,
}

pub(super) fn answer(question: &Question<'_>, state: &State, context: &Context<'_>) -> CommandResult {
    let Question { user, approval, .. } = question;
    let named = question.catalogs.clone();
    let all = approval.is_none() && named.is_empty();
    let (held, notes) = held_by(user, state);
    for note in notes {
        context.printer.warning(note);
    }
    let catalogs = if all {
        catalog_uses(catalogs_of(state), &held)
    } else {
        catalog_uses(named, &held)
    };
    let rows = catalogs.iter().map(|catalog| Row {
        catalog,
        refused_by_policy: question.terms.is_some_and(|terms| refuses(terms, catalog, state)),
    });
    let rows: Vec<Row<'_>> = rows.collect();
    if all && catalogs.is_empty() {
        return Err(CommandError::usage(
            "the input contains no CatalogSource; specify a bundle, or a CatalogSource with --catalog",
        ));
    }
    let missing = match approval.as_ref().filter(|approval| !approval.pending.is_empty()) {
        Some(approval) => missing_to_approve(&approval.needs, approval.installer, &held)?,
        None => Vec::new(),
    };
    let is_held = missing.is_empty() && (all || catalogs.iter().all(|catalog| catalog.may_use));
    // A list of all catalogs is not a yes-or-no answer, so it does not affect the status.
    let judged = if all { &[][..] } else { &rows[..] };
    let reasons = reasons(question, &missing, judged);
    let status = Status::of_answer(reasons.is_empty());
    if question.shape.is_some() {
        let name = approval.as_ref().map(|approval| approval.name);
        let roles_needed = roles_to_allow(user, name, &missing, &catalogs);
        roles(&roles_needed, question.output.output, context)?;
        return Ok(Status::Success);
    }
    if question.output.output != Format::Text {
        let answer = document(question, &missing, &rows);
        context.printer.document(question.output.output, &answer)?;
        report(&reasons, context);
        return Ok(status);
    }
    if let Some(approval) = approval {
        print_approval(user, approval, &missing, context)?;
    }
    list(&rows, approval.is_some(), context)?;
    report(&reasons, context);
    if !is_held {
        context.printer.status("use --as role to print the roles that allow it");
    }
    Ok(status)
}

/// Returns why the answer is no.
fn reasons(question: &Question<'_>, missing: &[Permission], rows: &[Row<'_>]) -> Vec<String> {
    let who = question.user.label();
    let mut reasons = Vec::new();
    if let Some(approval) = &question.approval {
        if !missing.is_empty() {
            reasons.push(format!("{who} lacks permissions to approve {}", approval.name));
        }
        if !question.refused.is_empty() {
            reasons.push(format!("the policy does not allow {}", approval.name));
        }
    }
    for row in rows {
        let CatalogUse { namespace, name, .. } = row.catalog;
        if row.refused_by_policy {
            reasons.push(format!("the policy does not allow the catalog {namespace}/{name}"));
        } else if !row.catalog.may_use {
            reasons.push(format!("{who} may not use the catalog {namespace}/{name}"));
        }
    }
    reasons
}

/// Returns the answer as a document.
fn document(question: &Question<'_>, missing: &[Permission], rows: &[Row<'_>]) -> Value {
    let mut answer = json!({"user": question.user.name, "groups": question.user.groups});
    if let Some(approval) = &question.approval {
        answer[if approval.is_install { "install" } else { "bundle" }] = json!(approval.name);
        answer["mayApprove"] = json!(missing.is_empty());
        answer["pending"] = json!(approval.pending);
        answer["missing"] = json!(missing);
    }
    answer["catalogs"] = json!(rows);
    if question.terms.is_some() {
        let refused = question.refused.iter().map(|finding| finding.message.as_str());
        answer["refusedByPolicy"] = json!(refused.collect::<Vec<_>>());
    }
    answer
}

/// Prints whether the user may approve the installation.
fn print_approval(
    user: &User,
    approval: &Approval<'_>,
    missing: &[Permission],
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let who = user.label();
    let kind = if approval.is_install { "Install " } else { "" };
    let what = format!("{kind}{}", approval.name);
    if approval.pending.is_empty() {
        context.printer.line(format!("{what} requires no approval"))?;
    } else if missing.is_empty() {
        context.printer.line(format!("{who} may approve {what}"))?;
    } else {
        let printer = &context.printer;
        printer.line(format!("{who} may not approve {what} without these permissions:"))?;
        terminal::permissions::permissions(printer, missing)?;
    }
    Ok(())
}

/// Reports why the answer is no, if it is.
fn report(reasons: &[String], context: &Context<'_>) {
    if !reasons.is_empty() {
        context
            .printer
            .error(format!("the answer is no: {}", reasons.join("; ")));
    }
}

/// A catalog in the output.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    #[serde(flatten)]
    catalog: &'a CatalogUse,
    refused_by_policy: bool,
}

/// Returns whether a policy forbids a catalog, by its name or by the name of its image.
fn refuses(terms: &Terms, catalog: &CatalogUse, state: &State) -> bool {
    let name = format!("{}/{}", catalog.namespace, catalog.name);
    let image = image_of(catalog, state);
    let names: Vec<&str> = std::iter::once(name.as_str()).chain(image).collect();
    judge_catalog(terms, &names).is_some()
}

fn list(rows: &[Row<'_>], below: bool, context: &Context<'_>) -> Result<(), CommandError> {
    if rows.is_empty() {
        return Ok(());
    }
    if below {
        context.printer.line("")?;
    }
    let mut table = Table::new(context.printer.stdout(), ["CATALOG", "NAMESPACE", "USE"]);
    for row in rows {
        let answer = match (row.catalog.may_use, row.refused_by_policy) {
            (_, true) => "forbidden by the policy",
            (true, false) => "allowed",
            (false, false) => "not allowed",
        };
        table.row([&row.catalog.name, &row.catalog.namespace, answer])?;
    }
    Ok(table.finish()?)
}
