//! Removing packages and bundles from an index, for the commands on images and on database files.

use crate::cli::following;
use crate::database::deprecate::{Request, Truncation};
use crate::database::remove::Removal;
use crate::resolver::closure::Lost;
use crate::terminal::Printer;
use clap::Args;
use std::collections::BTreeSet;

/// The options for deprecating bundles.
#[derive(Debug, Args)]
pub(crate) struct DeprecationArguments {
    /// Ignore bundles that are not in the index
    #[arg(long)]
    permissive: bool,
    /// Remove a package if the heads of all its channels are specified
    #[arg(long)]
    allow_package_removal: bool,
}

impl DeprecationArguments {
    /// Returns the deprecation request.
    pub(crate) fn request<'a>(&self, bundles: &'a BTreeSet<String>) -> Request<'a> {
        Request {
            bundles,
            permissive: self.permissive,
            allow_package_removal: self.allow_package_removal,
        }
    }
}

/// Reports the packages and bundles that were removed from the index.
pub(crate) fn report(removal: &Removal, printer: &Printer) {
    for missing in &removal.missing {
        printer.warning(format_args!("the index contains no {missing}"));
    }
    for package in &removal.packages {
        printer.status(format_args!("removed package {package}"));
    }
    for bundle in &removal.bundles {
        printer.status(format_args!("removed bundle {bundle}"));
    }
    for bundle in &removal.stranded {
        printer.status(format_args!("removed bundle {bundle}, which was not in any channel"));
    }
    let needed = removal.needed.iter().filter(|(_, reasons)| !reasons.is_empty());
    let needed = needed
        .map(|(package, reasons)| (package.clone(), reasons.clone()))
        .collect();
    following::report(&needed, &removal.unsatisfied, printer);
    report_lost(&removal.lost, "index", printer);
    if removal.packages.is_empty() && removal.bundles.is_empty() && removal.stranded.is_empty() {
        printer.status("there was nothing to remove");
    }
}

/// Warns if remaining bundles require something that nothing in the `index` provides anymore.
pub(crate) fn report_lost(lost: &[Lost], index: &str, printer: &Printer) {
    for Lost { bundles, wish, .. } in lost {
        let require = if bundles.len() == 1 { "requires" } else { "require" };
        let bundles = following::some(bundles);
        printer.warning(format_args!(
            "{bundles} {require} {wish}, which nothing in the {index} provides anymore"
        ));
    }
}

/// Reports the result of a truncation. The bundles in `unlisted` are not in the index anymore, because no channel of a
/// file-based catalog lists them.
pub(crate) fn report_truncation(truncation: &Truncation, unlisted: &[String], printer: &Printer) {
    for bundle in truncation.deprecated.iter().filter(|bundle| !unlisted.contains(bundle)) {
        printer.status(format_args!("deprecated bundle {bundle}"));
    }
    for (package, channel) in &truncation.channels {
        printer.status(format_args!(
            "removed channel {channel} of package {package}: the head of the channel is deprecated"
        ));
    }
    let removal = &truncation.removal;
    if truncation.deprecated.is_empty() || !removal.bundles.is_empty() || !removal.missing.is_empty() {
        report(removal, printer);
    } else {
        report_lost(&removal.lost, "index", printer);
    }
}
