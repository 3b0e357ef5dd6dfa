//! Installed versions that other installed versions replace. OLM deletes them when the upgrade is complete.

use super::problem::Problem;
use crate::cluster::state::Installed;
use std::collections::BTreeSet;

const SUCCEEDED: &str = "Succeeded";

/// Returns the version for which OLM deletes an installed version: the first one that has succeeded in the chain of
/// installed versions that replace each other, or else the last one. Returns `None` if no installed version replaces
/// it.
pub(super) fn successor<'p>(problem: &'p Problem<'_>, name: &str) -> Option<&'p Installed> {
    let after = |name: &str| {
        let mut installed = problem.installed.iter();
        installed.find(|other| other.replaces.as_deref() == Some(name) && other.name != name)
    };
    let mut found = after(name)?;
    // The versions of a damaged cluster may replace each other in a cycle.
    let mut seen = BTreeSet::from([name, &*found.name]);
    while found.phase != SUCCEEDED {
        match after(&found.name).filter(|next| seen.insert(&next.name)) {
            Some(next) => found = next,
            None => break,
        }
    }
    Some(found)
}

/// Explains why a replaced version still exists.
pub(super) fn still_there(old: &str, new: &Installed) -> String {
    let Installed { name, phase, .. } = new;
    if phase == SUCCEEDED {
        return format!("OLM has not deleted {old} yet, although {name}, which replaces it, has succeeded");
    }
    format!("{old} stays until {name}, which replaces it, is in the phase Succeeded; {name} is in the phase {phase}")
}

/// Returns what makes OLM delete a replaced version.
pub(super) fn way_out(old: &str, new: &Installed) -> String {
    let Installed { name, phase, .. } = new;
    match phase.as_str() {
        SUCCEEDED => format!("the deletion of {old} by OLM, which follows the upgrade to {name}"),
        "Pending" | "Failed" | "Unknown" => {
            format!(
                "what {name} lacks in the phase {phase} (see its status); OLM then completes the upgrade and deletes {old}"
            )
        }
        _ => format!("the end of the upgrade to {name}, after which OLM deletes {old}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, installed: &[(&str, &str, &str)]) -> Option<String> {
        let installed = installed.iter().map(|(name, replaces, phase)| Installed {
            name: (*name).to_owned(),
            replaces: Some((*replaces).to_owned()),
            phase: (*phase).to_owned(),
            ..Installed::default()
        });
        let problem = Problem {
            installed: installed.collect(),
            ..Problem::default()
        };
        successor(&problem, name).map(|new| new.name.clone())
    }

    #[test]
    fn a_version_is_deleted_for_the_first_version_of_its_chain_that_succeeds() {
        let chain = |third: &'static str| [("b", "a", "Replacing"), ("c", "b", third), ("d", "c", "Pending")];
        assert_eq!(found("a", &chain("Replacing")).as_deref(), Some("d"));
        assert_eq!(found("a", &chain("Succeeded")).as_deref(), Some("c"));
        assert_eq!(found("d", &chain("Succeeded")), None);
    }

    #[test]
    fn versions_that_replace_each_other_in_a_cycle_have_a_successor() {
        let cycle = [("a", "b", "Replacing"), ("b", "a", "Replacing"), ("c", "c", "Pending")];
        assert_eq!(found("a", &cycle).as_deref(), Some("b"));
        assert_eq!(found("c", &cycle), None);
    }
}
