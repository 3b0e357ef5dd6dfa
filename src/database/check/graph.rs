//! Checks the update graph: packages, channels, and the edges between bundles.

use super::{quoted, texts};
use crate::database::edges::{ChannelMembers, ChannelQuery};
use crate::database::reach::stranded_in;
use crate::database::read::{Database, ReadError};
use crate::database::schema;
use crate::diagnostic::Diagnostic;
use crate::rules;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The channels of each package, with their heads.
type Packages = BTreeMap<String, BTreeMap<String, Option<String>>>;

pub(super) fn check(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let mut packages = Packages::new();
    for [package, channel, head] in texts(
        index,
        "the channels",
        "SELECT package_name, name, head_operatorbundle_name FROM channel",
    )? {
        let channels = packages.entry(package.unwrap_or_default()).or_default();
        channels.insert(channel.unwrap_or_default(), head);
    }
    default_channels(index, &packages, findings)?;
    targets(index, findings)?;
    depths(index, findings)?;
    let stored = texts::<1>(
        index,
        "the bundles",
        "SELECT name FROM operatorbundle WHERE name IS NOT NULL",
    )?;
    let stored: BTreeSet<String> = stored.into_iter().flatten().flatten().collect();
    let mut reached = HashSet::new();
    let mut read = || -> rusqlite::Result<()> {
        let mut query = ChannelQuery::new(index.connection(), None)?;
        for channel in query.channels()? {
            let channel = channel?;
            let head = packages
                .get_mut(&channel.package)
                .and_then(|channels| channels.remove(&channel.channel));
            let checked = Channel {
                of: &channel,
                stored: &stored,
            };
            match &head {
                Some(head) => checked.check(head.as_deref(), findings),
                None => findings.push(checked.without_row()),
            }
            reached.extend(channel.members.into_iter().map(|member| member.bundle));
        }
        Ok(())
    };
    read().map_err(|error| index.content_error("the channels", error))?;
    for (package, channels) in &packages {
        for channel in channels.keys() {
            let message = format!("channel {channel:?} of package {package:?} has no bundles");
            findings.push(Diagnostic::new(&rules::INDEX_CHANNEL_HEAD, message));
        }
    }
    let deprecated = deprecated(index)?;
    for bundle in stored
        .iter()
        .filter(|bundle| !reached.contains(*bundle) && !deprecated.contains(*bundle))
    {
        let message = format!("bundle {bundle:?} is not in any channel");
        findings.push(Diagnostic::new(&rules::INDEX_BUNDLE_UNREACHABLE, message));
    }
    Ok(())
}

fn deprecated(index: &Database) -> Result<BTreeSet<String>, ReadError> {
    let query = if index.schema_version() < schema::DEPRECATED_SINCE {
        "SELECT operatorbundle_name FROM properties WHERE type = 'olm.deprecated'"
    } else {
        "SELECT operatorbundle_name FROM deprecated"
    };
    Ok(texts::<1>(index, "the deprecated bundles", query)?
        .into_iter()
        .flatten()
        .flatten()
        .collect())
}

fn default_channels(index: &Database, packages: &Packages, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let mut known = BTreeSet::new();
    for [package, default] in texts(
        index,
        "the packages",
        "SELECT name, default_channel FROM package ORDER BY 1",
    )? {
        let package = package.unwrap_or_default();
        let channels = packages.get(&package);
        let wrong = match &default {
            None => Some(format!("package {package:?} has no default channel")),
            Some(default) if !channels.is_some_and(|channels| channels.contains_key(default)) => Some(format!(
                "the default channel {default:?} of package {package:?} is not one of its channels ({})",
                listed(channels)
            )),
            Some(_) => None,
        };
        findings.extend(wrong.map(|message| Diagnostic::new(&rules::INDEX_DEFAULT_CHANNEL, message)));
        known.insert(package);
    }
    for package in packages.keys().filter(|package| !known.contains(*package)) {
        let message = format!("there are channels of package {package:?}, but the package is not in the index");
        findings.push(Diagnostic::new(&rules::INDEX_PACKAGE_MISSING, message));
    }
    Ok(())
}

fn listed(channels: Option<&BTreeMap<String, Option<String>>>) -> String {
    let names = channels.into_iter().flat_map(BTreeMap::keys);
    let names: Vec<_> = names.map(|name| format!("{name:?}")).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// Reports entries that refer to a missing entry or to an entry of another channel.
fn targets(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let query = "SELECT entry.package_name, entry.channel_name, entry.operatorbundle_name,
            below.package_name, below.channel_name, CAST(below.entry_id AS TEXT)
        FROM channel_entry AS entry LEFT JOIN channel_entry AS below ON below.entry_id = entry.replaces
        WHERE entry.replaces IS NOT NULL AND (below.entry_id IS NULL
            OR below.package_name IS NOT entry.package_name OR below.channel_name IS NOT entry.channel_name)
        ORDER BY entry.entry_id";
    for [package, channel, bundle, other_package, other_channel, target] in texts(index, "the channels", query)? {
        let place = place(&package.unwrap_or_default(), &channel.unwrap_or_default());
        let bundle = quoted(bundle.as_deref());
        let message = match target {
            None => format!("in {place}, an entry for bundle {bundle} refers to an entry that does not exist"),
            Some(_) => format!(
                "in {place}, an entry for bundle {bundle} refers to channel {} of package {}",
                quoted(other_channel.as_deref()),
                quoted(other_package.as_deref())
            ),
        };
        findings.push(Diagnostic::new(&rules::INDEX_ENTRY_TARGET, message));
    }
    Ok(())
}

/// Reports channels in which no update line begins. The lines begin at the lowest depth of all channels together, so
/// each channel needs an entry with this depth.
fn depths(index: &Database, findings: &mut Vec<Diagnostic>) -> Result<(), ReadError> {
    let query = "WITH whole(lowest) AS (SELECT min(depth) FROM channel_entry),
            entry(package, channel, lowest, missing) AS (
                SELECT package_name, channel_name, min(depth), count(*) > count(depth) FROM channel_entry GROUP BY 1, 2)
        SELECT package, channel, CAST(entry.lowest AS TEXT), CAST(whole.lowest AS TEXT),
            CASE WHEN missing THEN '' END, CASE WHEN entry.lowest < 0 THEN '' END
        FROM entry, whole
        WHERE missing OR entry.lowest < 0 OR (whole.lowest >= 0 AND entry.lowest > whole.lowest) ORDER BY 1, 2";
    for [package, channel, lowest, of_all, missing, negative] in texts(index, "the channels", query)? {
        let place = place(&package.unwrap_or_default(), &channel.unwrap_or_default());
        let (lowest, of_all) = (lowest.unwrap_or_default(), of_all.unwrap_or_default());
        let message = if missing.is_some() {
            format!("{place} has an entry without a depth, so its order is unknown")
        } else if negative.is_some() {
            format!("{place} has an entry of depth {lowest}, so OLM finds no update line in channels that begin at 0")
        } else {
            format!("{place} begins at depth {lowest} instead of {of_all}, so OLM finds no update line in it")
        };
        findings.push(Diagnostic::new(&rules::INDEX_ENTRY_DEPTH, message));
    }
    Ok(())
}

fn place(package: &str, channel: &str) -> String {
    format!("channel {channel:?} of package {package:?}")
}

/// One channel with its edges.
struct Channel<'a> {
    of: &'a ChannelMembers,
    stored: &'a BTreeSet<String>,
}

impl Channel<'_> {
    fn without_row(&self) -> Diagnostic {
        let place = place(&self.of.package, &self.of.channel);
        let message = format!("there are entries of {place}, but the channel is not in the index");
        Diagnostic::new(&rules::INDEX_CHANNEL_MISSING, message)
    }

    /// `head` is the head according to the row of the channel.
    fn check(&self, head: Option<&str>, findings: &mut Vec<Diagnostic>) {
        let place = place(&self.of.package, &self.of.channel);
        self.missing_bundles(&place, findings);
        self.cycles(&place, findings);
        self.skips_itself(&place, findings);
        if let Some(wrong) = self.wrong_head(head) {
            let message = format!("the head of {place} {wrong}");
            findings.push(Diagnostic::new(&rules::INDEX_CHANNEL_HEAD, message));
        } else if let Some(head) = head {
            let stranded = stranded_in(self.of, head).into_iter();
            let stored = stranded.filter(|stranded| self.stored.contains(&stranded.bundle));
            findings.extend(stored.map(|stranded| stranded.finding()));
        }
    }

    fn wrong_head(&self, head: Option<&str>) -> Option<String> {
        let Some(head) = head else {
            return Some("is not specified".to_owned());
        };
        let members = &self.of.members;
        let above = members.iter().find(|member| {
            let mut below = member.skips.iter().chain(&member.replaces);
            member.bundle != head && below.any(|name| name == head)
        });
        if let Some(above) = above {
            return Some(format!(
                "is {head:?}, but bundle {:?} replaces or skips it",
                above.bundle
            ));
        }
        match members.first() {
            Some(first) if first.bundle == head => None,
            Some(_) if members.iter().all(|member| member.bundle != head) => {
                Some(format!("is {head:?}, which has no entry in the channel"))
            }
            first => Some(format!(
                "is {head:?}, but the topmost entry of the channel is {}",
                quoted(first.map(|first| first.bundle.as_str()))
            )),
        }
    }

    /// Reports bundles of the channel that are not stored, unless they are only skipped.
    fn missing_bundles(&self, place: &str, findings: &mut Vec<Diagnostic>) {
        let members = &self.of.members;
        let skipped: HashSet<&str> = members
            .iter()
            .flat_map(|member| &member.skips)
            .map(String::as_str)
            .collect();
        let replaced: HashSet<&str> = members.iter().filter_map(|member| member.replaces.as_deref()).collect();
        for member in members.iter().filter(|member| !self.stored.contains(&member.bundle)) {
            let name = member.bundle.as_str();
            let leads = member.replaces.is_some() || !member.skips.is_empty();
            if leads || replaced.contains(name) || !skipped.contains(name) {
                let message = format!("{place} has an entry for bundle {name:?}, which is not in the index");
                findings.push(Diagnostic::new(&rules::INDEX_BUNDLE_MISSING, message));
            }
        }
    }

    fn skips_itself(&self, place: &str, findings: &mut Vec<Diagnostic>) {
        let members = self.of.members.iter();
        for member in members.filter(|member| member.skips.contains(&member.bundle)) {
            let message = format!("in {place}, bundle {:?} skips itself", member.bundle);
            findings.push(Diagnostic::new(&rules::INDEX_SKIPS_ITSELF, message));
        }
    }

    /// Reports cycles of bundles that replace each other, each cycle once.
    fn cycles(&self, place: &str, findings: &mut Vec<Diagnostic>) {
        let members = self.of.members.iter();
        let below: HashMap<&str, &str> = members
            .filter_map(|member| Some((member.bundle.as_str(), member.replaces.as_deref()?)))
            .collect();
        let mut done = HashSet::new();
        for member in &self.of.members {
            let (mut current, mut path) = (member.bundle.as_str(), Vec::new());
            while done.insert(current) {
                path.push(current);
                match below.get(current) {
                    Some(next) => current = next,
                    None => break,
                }
            }
            let closes = below
                .contains_key(current)
                .then(|| path.iter().position(|name| *name == current));
            if let Some(Some(start)) = closes
                && path.last().and_then(|last| below.get(last)) == Some(&current)
            {
                let names: Vec<_> = path
                    .iter()
                    .skip(start)
                    .chain([&current])
                    .map(|name| format!("{name:?}"))
                    .collect();
                let message = format!("in {place}, bundles replace each other: {}", names.join(" replaces "));
                findings.push(Diagnostic::new(&rules::INDEX_CYCLE, message));
            }
        }
    }
}
