//! The conditions of an operator as a whole.

use super::component::Component;
use super::normal::{Condition, listed};
use super::updates::{Followed, Found};
use crate::csv::GROUP;

/// The index contains an update.
const UPDATE_AVAILABLE: &str = "UpdateAvailable";
/// An install waits for the approval of its permissions.
const PENDING_APPROVAL: &str = "InstallPendingApproval";
/// The content of a bundle could not be loaded.
const IMPORT_ERROR: &str = "ContentImportError";
/// The components differ from the resolved content.
pub(super) const DIVERGE: &str = "ComponentsDiverge";

/// Returns the True conditions of an operator, in the order of their types.
pub(super) fn of(
    resource: Option<Component<'_>>,
    components: &[Component<'_>],
    found: &[Found],
    followed: &Followed,
) -> Vec<Condition> {
    let mut conditions: Vec<Condition> = [
        diverge(resource, components),
        import_error(resource, components),
        pending_approval(resource, components),
        update_available(found, followed),
    ]
    .into_iter()
    .flatten()
    .collect();
    // Only the resource in the cluster records when a condition became True.
    let before: Vec<Condition> = resource.map(listed).unwrap_or_default();
    for condition in &mut conditions {
        let same = |old: &&Condition| old.kind == condition.kind && old.status == condition.status;
        if let Some(old) = before.iter().find(same)
            && condition.last_transition_time.is_none()
        {
            condition.last_transition_time.clone_from(&old.last_transition_time);
        }
    }
    conditions
}

/// Returns the first True condition of a type in any of the objects.
fn first_true<'a>(objects: impl IntoIterator<Item = Component<'a>>, kind: &str) -> Option<Condition> {
    let mut all = objects.into_iter().flat_map(listed);
    all.find(|condition| condition.kind == kind && condition.status == "True")
}

fn of_kind<'a>(components: &[Component<'a>], kind: &str) -> Vec<Component<'a>> {
    let of_kind = |component: &&Component<'a>| component.is(GROUP, kind);
    components.iter().filter(of_kind).copied().collect()
}

fn diverge(resource: Option<Component<'_>>, components: &[Component<'_>]) -> Option<Condition> {
    first_true(resource, DIVERGE).or_else(|| first_true(of_kind(components, "Install"), DIVERGE))
}

/// Returns the condition about an image that could not be pulled. The condition is taken from an `Install`, from a
/// Subscription whose bundle could not be unpacked, or from the `Operator` resource, in this order.
fn import_error(resource: Option<Component<'_>>, components: &[Component<'_>]) -> Option<Condition> {
    let unpack_failed = || {
        let failed = first_true(of_kind(components, "Subscription"), "BundleUnpackFailed")?;
        Some(Condition {
            kind: IMPORT_ERROR.to_owned(),
            reason: Some("ManifestImagePullFailed".to_owned()),
            message: failed
                .message
                .or_else(|| Some("a manifest image pull has failed".to_owned())),
            ..failed
        })
    };
    first_true(of_kind(components, "Install"), IMPORT_ERROR)
        .or_else(unpack_failed)
        .or_else(|| first_true(resource, IMPORT_ERROR))
}

fn pending_approval(resource: Option<Component<'_>>, components: &[Component<'_>]) -> Option<Condition> {
    let of_install = || {
        let pending = first_true(of_kind(components, "Install"), "PendingApproval")?;
        let message = "one or more installs require privilege escalation approved by an authorized user";
        Some(Condition {
            kind: PENDING_APPROVAL.to_owned(),
            reason: Some("PrivilegeEscalationRequired".to_owned()),
            message: Some(message.to_owned()),
            ..pending
        })
    };
    of_install().or_else(|| first_true(resource, PENDING_APPROVAL))
}

fn update_available(found: &[Found], followed: &Followed) -> Option<Condition> {
    let first = found.first()?;
    let own = match &followed.channel {
        // An operator without a channel follows all channels.
        None => Some(first),
        Some(channel) => found.iter().find(|found| found.channel == *channel),
    };
    let (reason, message) = if let Some(own) = own {
        let message = format!(
            "an upgrade to {} has been found in the channel {}",
            own.bundle, own.channel
        );
        ("UpdateFound", message)
    } else {
        let found = found
            .iter()
            .map(|found| format!("{} in {}", found.bundle, found.channel));
        let found = found.collect::<Vec<_>>().join(", ");
        let message = format!("an upgrade has been found outside the specified channel: {found}");
        ("UpdateFoundInAnotherChannel", message)
    };
    Some(Condition {
        kind: UPDATE_AVAILABLE.to_owned(),
        status: "True".to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message),
        ..Condition::default()
    })
}
