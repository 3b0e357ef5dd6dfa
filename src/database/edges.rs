//! Converts the table `channel_entry` back to the update graph: the bundles that each bundle replaces and skips.
//!
//! Each row is one edge, from a bundle to a target. The update line consists of the rows that can be reached by
//! following links from the rows with the lowest depth (the heads). A bundle replaces the targets of its rows on this
//! line, and skips the targets of its other rows.

use super::read::text;
use rusqlite::{Connection, Row, Rows, Statement};
use std::collections::{HashMap, HashSet};

/// A channel with its bundles, from the head downwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelMembers {
    /// The package.
    pub package: String,
    /// The channel.
    pub channel: String,
    /// The bundle names in the channel, including names that are only skipped.
    pub members: Vec<Member>,
}

impl ChannelMembers {
    /// Returns the only bundle that no other bundle of the channel replaces or skips, if it is the topmost one.
    pub(super) fn only_head(&self) -> Option<&str> {
        let mut below = HashSet::new();
        for member in &self.members {
            let targets = member.skips.iter().chain(&member.replaces);
            below.extend(targets.filter(|target| **target != member.bundle));
        }
        let mut heads = self.members.iter().filter(|member| !below.contains(&member.bundle));
        let head = heads.next()?;
        let is_topmost = self.members.first() == Some(head);
        (heads.next().is_none() && is_topmost).then_some(&head.bundle)
    }
}

/// A bundle name in a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Member {
    /// The bundle.
    pub bundle: String,
    /// The bundle that this bundle replaces; if the table contains several, the last name in byte order.
    pub replaces: Option<String>,
    /// The bundles that this bundle skips, in the order of the table.
    pub skips: Vec<String>,
}

/// The prepared query for the channels of all packages, or of one package.
#[derive(Debug)]
pub(crate) struct ChannelQuery<'connection> {
    statement: Statement<'connection>,
    package: Option<String>,
}

impl<'connection> ChannelQuery<'connection> {
    pub(crate) fn new(connection: &'connection Connection, package: Option<&str>) -> rusqlite::Result<Self> {
        let statement = connection.prepare(
            "WITH RECURSIVE line(id, next) AS (
                SELECT entry_id, replaces FROM channel_entry
                WHERE depth = (SELECT min(depth) FROM channel_entry) AND package_name IS coalesce(?1, package_name)
                UNION
                SELECT below.entry_id, below.replaces FROM line JOIN channel_entry AS below ON below.entry_id = line.next
            )
            SELECT entry.package_name, entry.channel_name, entry.operatorbundle_name, entry.entry_id,
                target.operatorbundle_name, entry.entry_id IN (SELECT id FROM line)
            FROM channel_entry AS entry LEFT JOIN channel_entry AS target ON target.entry_id = entry.replaces
            WHERE entry.package_name = coalesce(?1, entry.package_name)
                AND entry.channel_name IS NOT NULL AND entry.operatorbundle_name IS NOT NULL
            ORDER BY entry.package_name, entry.channel_name, entry.depth, entry.entry_id",
        )?;
        Ok(Self {
            statement,
            package: package.map(ToOwned::to_owned),
        })
    }

    /// Returns the channels, sorted by package and name.
    pub(crate) fn channels(&mut self) -> rusqlite::Result<Channels<'_>> {
        Ok(Channels {
            rows: self.statement.query([&self.package])?,
            current: None,
        })
    }
}

/// An iterator over channels that keeps one of them in memory at a time.
pub(crate) struct Channels<'statement> {
    rows: Rows<'statement>,
    current: Option<Group>,
}

impl Channels<'_> {
    fn advance(&mut self) -> rusqlite::Result<Option<ChannelMembers>> {
        while let Some(row) = self.rows.next()? {
            let (package, channel) = (required(row, 0)?, required(row, 1)?);
            let same = self
                .current
                .as_ref()
                .is_some_and(|group| group.package == package && group.channel == channel);
            let finished = if same {
                None
            } else {
                self.current.replace(Group::new(package, channel))
            };
            if let Some(group) = &mut self.current {
                group.add(row)?;
            }
            if let Some(group) = finished {
                return Ok(Some(group.finish()));
            }
        }
        Ok(self.current.take().map(Group::finish))
    }
}

impl Iterator for Channels<'_> {
    type Item = rusqlite::Result<ChannelMembers>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}

#[derive(Debug)]
struct Group {
    package: String,
    channel: String,
    members: Vec<Unfinished>,
    places: HashMap<String, usize>,
}

#[derive(Debug, Default)]
struct Unfinished {
    bundle: String,
    replaces: Option<String>,
    skips: Vec<(i64, String)>,
}

impl Group {
    fn new(package: &str, channel: &str) -> Self {
        Self {
            package: package.to_owned(),
            channel: channel.to_owned(),
            members: Vec::new(),
            places: HashMap::new(),
        }
    }

    fn add(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let bundle = required(row, 2)?;
        let next = self.members.len();
        let at = *self.places.entry(bundle.to_owned()).or_insert(next);
        if at == next {
            self.members.push(Unfinished {
                bundle: bundle.to_owned(),
                ..Unfinished::default()
            });
        }
        let (Some(target), Some(member)) = (text(row, 4)?, self.members.get_mut(at)) else {
            return Ok(());
        };
        let on_the_line: bool = row.get(5)?;
        if !on_the_line {
            member.skips.push((row.get(3)?, target.to_owned()));
        } else if member.replaces.as_deref().is_none_or(|known| known < target) {
            member.replaces = Some(target.to_owned());
        }
        Ok(())
    }

    fn finish(self) -> ChannelMembers {
        let members = self.members.into_iter().map(|mut member| {
            member.skips.sort();
            Member {
                bundle: member.bundle,
                replaces: member.replaces,
                skips: member.skips.into_iter().map(|(_, name)| name).collect(),
            }
        });
        ChannelMembers {
            package: self.package,
            channel: self.channel,
            members: members.collect(),
        }
    }
}

fn required<'row>(row: &'row Row<'_>, column: usize) -> rusqlite::Result<&'row str> {
    Ok(text(row, column)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_wrap)]

    use super::super::sample::SCHEMA;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A row: channel, bundle, number of the target row, and depth.
    type Row = (u8, u8, Option<usize>, i64);

    fn members(rows: &[Row]) -> Vec<(String, Member)> {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        for (at, (channel, bundle, next, depth)) in rows.iter().enumerate() {
            connection
                .execute(
                    "INSERT INTO channel_entry VALUES (?1, 'c' || ?2, 'p', 'b' || ?3, ?4, ?5)",
                    rusqlite::params![at as i64, channel, bundle, next.map(|next| next as i64), depth],
                )
                .unwrap();
        }
        let mut query = ChannelQuery::new(&connection, None).unwrap();
        let channels: Vec<_> = query.channels().unwrap().map(Result::unwrap).collect();
        let members = channels.into_iter().flat_map(|channel| {
            let name = channel.channel;
            channel.members.into_iter().map(move |member| (name.clone(), member))
        });
        members.collect()
    }

    /// The same result, computed row by row from the definition.
    fn expected(rows: &[Row]) -> BTreeSet<(String, String, Option<String>, Vec<String>)> {
        let tip = rows.iter().map(|row| row.3).min();
        let mut line: BTreeSet<usize> = (0..rows.len()).filter(|at| Some(rows[*at].3) == tip).collect();
        loop {
            let reached: BTreeSet<usize> = line
                .iter()
                .filter_map(|at| rows[*at].2)
                .filter(|at| *at < rows.len())
                .collect();
            let known = line.len();
            line.extend(reached);
            if line.len() == known {
                break;
            }
        }
        let of =
            |channel: u8, bundle: u8| (0..rows.len()).filter(move |at| (rows[*at].0, rows[*at].1) == (channel, bundle));
        let end = |at: usize| {
            rows[at]
                .2
                .and_then(|next| rows.get(next))
                .map(|row| format!("b{}", row.1))
        };
        rows.iter()
            .map(|(channel, bundle, ..)| {
                let replaces = of(*channel, *bundle)
                    .filter(|at| line.contains(at))
                    .filter_map(end)
                    .max();
                let skips = of(*channel, *bundle)
                    .filter(|at| !line.contains(at))
                    .filter_map(end)
                    .collect();
                (format!("c{channel}"), format!("b{bundle}"), replaces, skips)
            })
            .collect()
    }

    proptest! {
        #[test]
        fn edges_follow_their_definition_for_any_table(
            rows in prop::collection::vec((0..3_u8, 0..5_u8, prop::option::of(0..14_usize), 0..4_i64), 0..12)
        ) {
            let found: Vec<_> = members(&rows)
                .into_iter()
                .map(|(channel, member)| (channel, member.bundle, member.replaces, member.skips))
                .collect();
            prop_assert_eq!(found.len(), expected(&rows).len());
            prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected(&rows));
        }
    }
}
