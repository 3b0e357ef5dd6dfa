//! Whether a bundle may replace the installed version, according to the conditions of the installed operator.

use super::upgrade::{Packages, is_upgraded, replaced};
use crate::cluster::State;
use crate::cluster::conditions::{Hold, InstalledOperator, held_in, installed_in};
use crate::olm::releases::Olm;
use crate::resolver::Resolution;
use crate::steps::Content;
use serde::Serialize;
use std::collections::BTreeMap;

/// The upgrade of an installed operator that currently allows none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldUpgrade {
    /// The name of the new version.
    pub bundle: String,
    /// The name of the operator's ClusterServiceVersion.
    pub operator: String,
    /// The resource that blocks the upgrade, and the reason.
    #[serde(rename = "heldBy")]
    pub hold: Hold,
}

impl HeldUpgrade {
    /// Returns the hold in one sentence.
    pub fn message(&self) -> String {
        let Self { bundle, operator, hold } = self;
        format!("{bundle} does not replace {operator}: {}", hold.message)
    }
}

/// Returns the upgrades in a resolution that are held back. `held` are the installed operators whose conditions block
/// upgrades.
pub(super) fn held_upgrades(resolution: &Resolution, held: &BTreeMap<String, Hold>) -> Vec<HeldUpgrade> {
    let selected = resolution.selected.iter();
    let planned = selected.filter(|selected| resolution.install.contains(&selected.name));
    let upgrade = planned.filter_map(|selected| {
        let operator = selected.replaces.clone()?;
        let hold = held.get(&operator)?.clone();
        Some(HeldUpgrade {
            bundle: selected.name.clone(),
            operator,
            hold,
        })
    });
    upgrade.collect()
}

/// Returns whether this OLM also leaves an operator without the upgrade that the proposals hold back. Otherwise, it
/// ignores the condition that holds the upgrade back.
pub fn also_holds(olm: &Olm, operator: &str, state: &State, namespace: &str) -> bool {
    held_in(state, namespace, olm).contains_key(operator)
}

/// Returns the operator that a bundle would upgrade in a namespace, if the operator's conditions block the upgrade. A
/// bundle upgrades the version that it replaces, a version that it skips, or any other version of its package.
/// `replaces` is the version to replace, or `""` for none; `None` means the version that the bundle itself replaces.
pub fn held_upgrade(content: &Content, replaces: Option<&str>, state: &State, namespace: &str) -> Option<HeldUpgrade> {
    let mut held = held_in(state, namespace, &Olm::Proposed);
    let mut upgraded = upgraded(content, replaces, state, namespace).into_iter();
    upgraded.find_map(|operator| {
        let operator = operator.name.to_owned();
        let hold = held.remove(&operator)?;
        Some(HeldUpgrade {
            bundle: content.name.clone(),
            operator,
            hold,
        })
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
    let packages = Packages::of(state);
    installed.retain(|operator| is_upgraded(operator, content, replaces, &packages));
    installed
}
