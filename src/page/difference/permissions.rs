//! Changes to the permissions that the operator has, and to those that its installation needs.

use super::super::access::{Access, Row};
use super::super::change::Change;
use super::super::model::Release;
use crate::install::permissions::{Need, Purpose, Subject, approved, not_held};
use crate::kubernetes::rbac::account::Grants;
use crate::kubernetes::rbac::covering::TooComplex;
use std::collections::BTreeSet;

/// Compares the permissions of the operator, and those that its bundles grant to users and groups. Returns `None` if
/// they are unknown for one of the versions.
pub(super) fn of_operator(before: &Release, after: &Release) -> Option<Vec<Change>> {
    let mut changes = compared(before, after, |access| access.held.clone())?;
    let others = [before, after].map(|version| {
        let access = version.access.as_ref().and_then(|access| access.as_ref().ok());
        access.map(|access| &access.others[..]).unwrap_or_default()
    });
    let subjects: BTreeSet<&Subject> = others
        .iter()
        .flat_map(|others| others.iter().map(|(subject, _)| subject))
        .collect();
    for subject in subjects {
        let of_subject = compared(before, after, |access| {
            let own = access.others.iter().filter(|(other, _)| other == subject);
            own.flat_map(|(_, needs)| needs.clone()).collect()
        })?;
        changes.extend(of_subject.into_iter().map(|change| Change {
            what: format!("{}, for {subject}", change.what),
            ..change
        }));
    }
    Some(changes)
}

/// Compares the permissions that the installation needs. Returns `None` if they are unknown for one of the versions.
pub(super) fn of_installation(before: &Release, after: &Release) -> Option<Vec<Change>> {
    compared(before, after, |access| access.needs.clone())
}

fn compared(before: &Release, after: &Release, which: impl Fn(&Access) -> Vec<Need>) -> Option<Vec<Change>> {
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
fn without_version(mut needs: Vec<Need>, version: &str) -> Vec<Need> {
    needs.retain(|need| need.purpose != Purpose::Optional);
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
    let held = approved(than, Grants::default());
    Ok(not_held(needs, &held)?.iter().map(Row::of).collect())
}
