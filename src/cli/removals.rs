//! How packages and bundles leave an index, for the commands on images and on database files.

use crate::cli::following;
use crate::database::deprecate::{Request, Truncation};
use crate::database::remove::Removal;
use crate::resolver::closure::Lost;
use crate::terminal::Printer;
use clap::Args;
use std::collections::BTreeSet;

/// How bundles are deprecated.
#[derive(Debug, Args)]
pub(crate) struct DeprecationArguments {
    /// Pass over bundles that the index does not have
    #[arg(long)]
    permissive: bool,
    /// Take a package out where the heads of all of its channels are named
    #[arg(long)]
    allow_package_removal: bool,
}

impl DeprecationArguments {
    /// What is asked of the index.
    pub(crate) fn request<'a>(&self, bundles: &'a BTreeSet<String>) -> Request<'a> {
        Request {
            bundles,
            permissive: self.permissive,
            allow_package_removal: self.allow_package_removal,
        }
    }
}

/// The names of a list on the command line.
pub(crate) fn names(list: &[String]) -> BTreeSet<String> {
    list.iter().filter(|name| !name.is_empty()).cloned().collect()
}

/// Says what left the index.
pub(crate) fn report(removal: &Removal, printer: &Printer) {
    for missing in &removal.missing {
        printer.warning(format_args!("the index has no {missing}"));
    }
    for package in &removal.packages {
        printer.status(format_args!("removed package {package}"));
    }
    for bundle in &removal.bundles {
        printer.status(format_args!("removed bundle {bundle}"));
    }
    for bundle in &removal.stranded {
        printer.status(format_args!("removed bundle {bundle}, which was in no channel"));
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

/// Says which required dependencies of bundles that stay nothing in an `index` provides any more.
pub(crate) fn report_lost(lost: &[Lost], index: &str, printer: &Printer) {
    for Lost { bundles, wish, .. } in lost {
        let require = if bundles.len() == 1 { "requires" } else { "require" };
        let bundles = following::some(bundles);
        printer.warning(format_args!(
            "{bundles} {require} {wish}, which nothing in the {index} provides any more"
        ));
    }
}

/// Says what was cut off.
pub(crate) fn report_truncation(truncation: &Truncation, printer: &Printer) {
    for bundle in &truncation.deprecated {
        printer.status(format_args!("deprecated bundle {bundle}"));
    }
    for (package, channel) in &truncation.channels {
        printer.status(format_args!(
            "removed channel {channel} of package {package}, whose head is deprecated"
        ));
    }
    let removal = &truncation.removal;
    if truncation.deprecated.is_empty() || !removal.bundles.is_empty() || !removal.missing.is_empty() {
        report(removal, printer);
    } else {
        report_lost(&removal.lost, "index", printer);
    }
}
