//! A resolution as text: the operators to install or update, and the reason why each candidate was chosen or rejected.

use crate::resolver::{Considered, Resolution};
use crate::terminal::output::{OutputError, Printer};
use crate::terminal::table::Table;

/// Prints the operators that would be installed, the Subscriptions that would be created, notes, and explanations.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn print(printer: &Printer, resolution: &Resolution) -> Result<(), OutputError> {
    if resolution.selected.is_empty() {
        printer.status("nothing to install or update");
    } else {
        let mut table = Table::new(
            printer.stdout(),
            ["BUNDLE", "PACKAGE", "CHANNEL", "CATALOG", "REPLACES"],
        );
        for bundle in &resolution.selected {
            let replaces = bundle.replaces.as_deref().unwrap_or_default();
            table.row([
                &bundle.name,
                &bundle.package,
                &bundle.channel,
                &bundle.catalog,
                replaces,
            ])?;
        }
        table.finish()?;
    }
    for subscription in &resolution.new_subscriptions {
        let line = format!(
            "the Subscription {} is created for package {}",
            subscription.name, subscription.package
        );
        printer.line(line)?;
    }
    for note in resolution.stays.iter().chain(&resolution.notes) {
        printer.line(format!("note: {note}"))?;
    }
    explain(printer, &resolution.explain)
}

/// Prints the reason why each candidate was chosen or rejected.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn explain(printer: &Printer, considered: &[Considered]) -> Result<(), OutputError> {
    if considered.is_empty() {
        return Ok(());
    }
    printer.line("")?;
    let mut table = Table::new(
        printer.stdout(),
        ["FOR", "CANDIDATE", "CHANNEL", "CATALOG", "TAKEN", "WHY"],
    );
    for row in considered {
        let taken = if row.taken { "yes" } else { "no" };
        table.row([&row.wanted_by, &row.name, &row.channel, &row.catalog, taken, &row.why])?;
    }
    table.finish()
}
