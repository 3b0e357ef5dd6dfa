//! Changes to the permissions that the operator has, and to those that its installation needs.

use super::super::access::{Access, Row};
use super::super::change::Change;
use super::super::model::Release;
use crate::install::permissions::{Need, Purpose, not_held};
use crate::kubernetes::rbac::account::Grants;
use crate::kubernetes::rbac::covering::{TooComplex, halves};

/// Compares the permissions of the operator. Returns `None` if they are unknown for one of the versions.
pub(super) fn of_operator(before: &Release, after: &Release) -> Option<Vec<Change>> {
    compared(before, after, |access| &access.held)
}

/// Compares the permissions that the installation needs. Returns `None` if they are unknown for one of the versions.
pub(super) fn of_installation(before: &Release, after: &Release) -> Option<Vec<Change>> {
    compared(before, after, |access| &access.needs)
}

fn compared(before: &Release, after: &Release, which: impl Fn(&Access) -> &Vec<Need>) -> Option<Vec<Change>> {
    let known = |version: &Release| {
        let access = version.access.as_ref()?.as_ref().ok()?;
        Some(without_version(which(access), &version.name))
    };
    let (old, new) = (known(before)?, known(after)?);
    let (gained, lost) = (more(&new, &old).ok()?, more(&old, &new).ok()?);
    let gained = gained.into_iter().map(|row| Change {
        remarks: row.dangers.clone(),
        ..Change::added(row.words())
    });
    Some(
        gained
            .chain(lost.iter().map(|row| Change::removed(row.words())))
            .collect(),
    )
}

/// Replaces object names that are equal to the name of the version, so that they do not differ between versions. The
/// needs of optional manifests are left out, because the installation completes without them.
fn without_version(needs: &[Need], version: &str) -> Vec<Need> {
    let needs = needs.iter().filter(|need| need.purpose != Purpose::Optional);
    let mut needs: Vec<Need> = needs.cloned().collect();
    for need in &mut needs {
        let rules = need.rules.iter_mut().chain(&mut need.unless);
        for name in rules.flat_map(|rule| &mut rule.resource_names) {
            if name == version {
                "like the version".clone_into(name);
            }
        }
    }
    needs
}

/// Returns the permissions in `needs` that `than` does not include.
fn more(needs: &[Need], than: &[Need]) -> Result<Vec<Row>, TooComplex> {
    let mut held = Grants::default();
    for need in than {
        // Permissions on resources and on paths are added as separate rules, because a rule that has both names and
        // paths does not even cover itself.
        held.add(need.namespace.as_deref(), need.rules.iter().flat_map(halves));
    }
    Ok(not_held(needs, &held)?.iter().map(Row::of).collect())
}
