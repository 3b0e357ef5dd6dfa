//! Permissions for people: a row for each resource, and what the accounts of an operator hold, with the reasons below.

use super::output::{OutputError, Printer};
use super::table::Table;
use crate::install::permissions::{Holding, Operator, Permission};

/// Prints one row for each permission.
///
/// # Errors
/// When nobody reads the output any more, or it cannot be written.
pub fn permissions(printer: &Printer, permissions: &[Permission]) -> Result<(), OutputError> {
    let mut table = Table::new(printer.stdout(), ["NAMESPACE", "GROUP", "RESOURCE", "NAMES", "VERBS"]);
    for permission in permissions {
        let [place, group, what, names, verbs] = permission.in_words();
        table.row([&*place, &group, &what, &names, &verbs])?;
    }
    table.finish()
}

/// Prints what the accounts of operators hold after the install, each after a blank line.
///
/// # Errors
/// When nobody reads the output any more, or it cannot be written.
pub fn operators(printer: &Printer, operators: &[Operator]) -> Result<(), OutputError> {
    for operator in operators {
        printer.line("")?;
        printer.line(format!("held by the accounts of {} after the install:", operator.name))?;
        let headings = ["ACCOUNT", "NAMESPACE", "GROUP", "RESOURCE", "NAMES", "VERBS", "WHY"];
        let mut table = Table::new(printer.stdout(), headings);
        let mut reasons: Vec<&str> = Vec::new();
        for account in &operator.accounts {
            for Holding {
                permission,
                reasons: own,
            } in &account.permissions
            {
                let mut numbers: Vec<usize> = own.iter().map(|reason| number(&mut reasons, reason)).collect();
                numbers.sort_unstable();
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                let [place, group, what, names, verbs] = permission.in_words();
                table.row([
                    &*account.account.name,
                    &place,
                    &group,
                    &what,
                    &names,
                    &verbs,
                    &numbers.join(", "),
                ])?;
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

/// The number of a reason, counted from 1.
fn number<'a>(reasons: &mut Vec<&'a str>, reason: &'a str) -> usize {
    let known = reasons.iter().position(|known| *known == reason);
    known.unwrap_or_else(|| {
        reasons.push(reason);
        reasons.len() - 1
    }) + 1
}
