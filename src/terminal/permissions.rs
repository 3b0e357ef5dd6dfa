//! Permissions as text: a row for each resource, or the permissions of an operator's accounts, followed by a list of
//! the reasons.

use super::output::{OutputError, Printer};
use super::table::Table;
use crate::install::permissions::{Gain, Holding, Operator, Permission};

/// Prints one row for each permission.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn permissions(printer: &Printer, permissions: &[Permission]) -> Result<(), OutputError> {
    let mut table = Table::new(printer.stdout(), ["NAMESPACE", "GROUP", "RESOURCE", "NAMES", "VERBS"]);
    for permission in permissions {
        let [place, group, what, names, verbs] = permission.in_words();
        table.row([&*place, &group, &what, &names, &verbs])?;
    }
    table.finish()
}

/// Prints the permissions that subjects gain.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn gains(printer: &Printer, gains: &[Gain]) -> Result<(), OutputError> {
    let headings = ["SUBJECT", "NAMESPACE", "GROUP", "RESOURCE", "NAMES", "VERBS"];
    let mut table = Table::new(printer.stdout(), headings);
    for gain in gains {
        let subject = gain.subject.to_string();
        for permission in &gain.permissions {
            let [place, group, what, names, verbs] = permission.in_words();
            table.row([&*subject, &place, &group, &what, &names, &verbs])?;
        }
    }
    table.finish()
}

/// Prints the permissions of the operators' accounts, and of the users and groups that their bundles bind, after the
/// installation, with a blank line before each operator.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn operators(printer: &Printer, operators: &[Operator]) -> Result<(), OutputError> {
    for operator in operators {
        printer.line("")?;
        printer.line(format!(
            "permissions of the accounts of {} after installation:",
            operator.name
        ))?;
        let headings = ["ACCOUNT", "NAMESPACE", "GROUP", "RESOURCE", "NAMES", "VERBS", "WHY"];
        let mut table = Table::new(printer.stdout(), headings);
        let mut reasons: Vec<&str> = Vec::new();
        // A binding that OLM applies with its original subjects may name an account in another namespace.
        let mut namespaces = operator.accounts.iter().map(|account| &account.account.namespace);
        let first = namespaces.next();
        let is_one_namespace = namespaces.all(|namespace| Some(namespace) == first);
        let accounts = operator.accounts.iter().map(|held| {
            let name = if is_one_namespace {
                held.account.name.clone()
            } else {
                held.account.to_string()
            };
            (name, &held.permissions)
        });
        let others = operator.others.iter();
        let others = others.map(|held| (held.subject.to_string(), &held.permissions));
        for (name, permissions) in accounts.chain(others) {
            for Holding {
                permission,
                reasons: own,
            } in permissions
            {
                let mut numbers: Vec<usize> = own.iter().map(|reason| number(&mut reasons, reason)).collect();
                numbers.sort_unstable();
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                let [place, group, what, names, verbs] = permission.in_words();
                table.row([&*name, &place, &group, &what, &names, &verbs, &numbers.join(", ")])?;
            }
        }
        table.finish()?;
        printer.line("")?;
        for (number, reason) in (1..).zip(reasons) {
            printer.line(format!("  {number}  {reason}"))?;
        }
        printer.line(format!("  ({operator})"))?;
    }
    Ok(())
}

/// Returns the number of a reason, counted from 1, and adds a new reason to the list.
fn number<'a>(reasons: &mut Vec<&'a str>, reason: &'a str) -> usize {
    let known = reasons.iter().position(|known| *known == reason);
    known.unwrap_or_else(|| {
        reasons.push(reason);
        reasons.len() - 1
    }) + 1
}
