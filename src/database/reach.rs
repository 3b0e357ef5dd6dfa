//! Finds bundles of a channel that cannot be reached from its head.

use super::edges::{ChannelMembers, ChannelQuery};
use crate::diagnostic::Diagnostic;
use crate::rules;
use rusqlite::{Connection, OptionalExtension};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A bundle that cannot be reached from the head of its channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stranded {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle.
    pub bundle: String,
    /// The head of the channel.
    pub head: String,
}

impl Stranded {
    /// Returns the diagnostic that reports this bundle.
    pub fn finding(&self) -> Diagnostic {
        let Self {
            package,
            channel,
            bundle,
            head,
        } = self;
        let message = format!(
            "channel {channel:?} of package {package:?} has no update path from bundle {bundle:?} to the head {head:?}"
        );
        Diagnostic::new(&rules::INDEX_BUNDLE_UNREACHABLE, message)
    }

    /// Returns whether `self` and `other` describe the same bundle in the same channel, regardless of the head.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        let place = |of: &Self| [&of.package, &of.channel, &of.bundle].map(String::clone);
        place(self) == place(other)
    }
}

/// Returns the stranded bundles of one channel, including those that are not stored. A bundle is not stranded if
/// another bundle skips it, or if it is on the line of replaced bundles that begins at the head and ends at the first
/// skipped bundle.
pub(super) fn stranded_in(channel: &ChannelMembers, head: &str) -> Vec<Stranded> {
    let members = &channel.members;
    let replaced: HashMap<&str, Option<&str>> = members
        .iter()
        .map(|member| (member.bundle.as_str(), member.replaces.as_deref()))
        .collect();
    // A bundle that skips itself is not skipped by another bundle.
    let skipped = members.iter().flat_map(|member| {
        let skips = member.skips.iter().map(String::as_str);
        skips.filter(|skipped| *skipped != member.bundle)
    });
    let mut reached: HashSet<&str> = skipped.collect();
    let mut next = Some(head);
    while let Some(name) = next.filter(|name| reached.insert(name)) {
        next = replaced.get(name).copied().flatten();
    }
    let names = members.iter().map(|member| member.bundle.as_str());
    names
        .filter(|name| !reached.contains(name))
        .map(|name| Stranded {
            package: channel.package.clone(),
            channel: channel.channel.clone(),
            bundle: name.to_owned(),
            head: head.to_owned(),
        })
        .collect()
}

/// Returns the stranded bundles of some packages, except bundles that are not stored.
pub(super) fn stranded(connection: &Connection, packages: &BTreeSet<&str>) -> rusqlite::Result<Vec<Stranded>> {
    let mut head =
        connection.prepare("SELECT head_operatorbundle_name FROM channel WHERE package_name = ?1 AND name = ?2")?;
    let mut stored = connection.prepare("SELECT 1 FROM operatorbundle WHERE name = ?1")?;
    // A query for one package does not read the other packages.
    let one = match packages.first() {
        Some(package) if packages.len() == 1 => Some(*package),
        _ => None,
    };
    let mut found = Vec::new();
    let mut query = ChannelQuery::new(connection, one)?;
    for channel in query.channels()? {
        let channel = channel?;
        if !packages.contains(channel.package.as_str()) {
            continue;
        }
        let head: Option<Option<String>> = head
            .query_row((&channel.package, &channel.channel), |row| row.get(0))
            .optional()?;
        if let Some(head) = head.flatten() {
            for of in stranded_in(&channel, &head) {
                if stored.exists([&of.bundle])? {
                    found.push(of);
                }
            }
        }
    }
    Ok(found)
}
