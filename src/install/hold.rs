//! Whether a bundle may replace the installed version, according to the conditions of the installed operator.

use super::upgrade::{is_upgraded, replaced};
use crate::cluster::State;
use crate::cluster::conditions::{Hold, InstalledOperator, held_in, installed_in};
use crate::steps::Content;

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
/// `replaces` is the version to replace, or `""` for none; `None` means the version that the bundle itself replaces.
pub fn held_upgrade(content: &Content, replaces: Option<&str>, state: &State, namespace: &str) -> Option<HeldUpgrade> {
    let mut held = held_in(state, namespace);
    let mut upgraded = upgraded(content, replaces, state, namespace).into_iter();
    upgraded.find_map(|operator| {
        let operator = operator.name.to_owned();
        let hold = held.remove(&operator)?;
        Some(HeldUpgrade { operator, hold })
    })
}

/// Returns the installed operators that a bundle would upgrade, as [`held_upgrade`] does.
pub fn upgraded<'a>(
    content: &Content,
    replaces: Option<&str>,
    state: &'a State,
    namespace: &str,
) -> Vec<InstalledOperator<'a>> {
    let replaces = replaces.unwrap_or_else(|| replaced(content, state, namespace));
    let mut installed = installed_in(state);
    installed.retain(|operator| is_upgraded(operator, content, replaces, state));
    installed
}
