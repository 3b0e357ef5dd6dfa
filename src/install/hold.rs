//! Whether a bundle may replace the installed version, according to the conditions of the installed operator.

use crate::cluster::State;
use crate::cluster::conditions::{Hold, InstalledOperator, held_in, installed_in};
use crate::csv::Csv;
use crate::steps::Content;
use serde_json::Value;

/// An installed operator that currently allows no upgrade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldUpgrade {
    /// The name of the operator's ClusterServiceVersion.
    pub operator: String,
    /// The resource that blocks the upgrade, and the reason.
    pub hold: Hold,
}

/// Returns the operator that a bundle would upgrade in a namespace, if the operator's conditions block the upgrade. A
/// bundle upgrades the version that it replaces, a version that it skips, or any other version of its package.
/// `replaces` is the version to replace, or `""` for none; `None` means the version in the bundle's `spec.replaces`.
pub fn held_upgrade(content: &Content, replaces: Option<&str>, state: &State, namespace: &str) -> Option<HeldUpgrade> {
    let mut held = held_in(state, namespace);
    let csv = Csv(&content.csv);
    let replaces = replaces.unwrap_or(csv.replaces());
    let skips = csv.get(&["spec", "skips"]).and_then(Value::as_array);
    let skips = |name: &str| {
        skips
            .into_iter()
            .flatten()
            .any(|skipped| skipped.as_str() == Some(name))
    };
    let is_upgraded = |operator: &InstalledOperator<'_>| {
        let own = operator.name;
        let of_package = || operator.package.or(package_of(state, own)) == Some(content.package.as_str());
        own != content.name && (own == replaces || skips(own) || of_package())
    };
    let upgraded = installed_in(state).into_iter().filter(is_upgraded);
    let mut names = upgraded.map(|operator| operator.name.to_owned());
    names.find_map(|operator| {
        let hold = held.remove(&operator)?;
        Some(HeldUpgrade { operator, hold })
    })
}

/// Returns the package of the Subscription that installed this version.
fn package_of<'a>(state: &'a State, csv: &str) -> Option<&'a str> {
    let mut written = state.subscriptions.iter();
    let of_state = written.find(|to| to.installed_csv.as_deref() == Some(csv));
    of_state.map(|to| to.package.as_str()).or_else(|| {
        state.objects.iter().find_map(|object| {
            let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
            let installed = text("/kind") == Some("Subscription") && text("/status/installedCSV") == Some(csv);
            text("/spec/name").filter(|_| installed)
        })
    })
}
