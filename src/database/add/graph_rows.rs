//! Writes the graph of one package: its row, channels and entries.
//!
//! Existing rows are updated in place. Entry numbers are reused within each channel, because deleting entries is slow:
//! the schema has no index of the references between entries, so for each deleted entry, the database scans the entries
//! of all packages.

use super::stored::Package;
use crate::catalog::graph::{Channel, Graph};
use rusqlite::{OptionalExtension, Transaction};
use std::collections::BTreeSet;

pub(super) fn write(transaction: &Transaction<'_>, graph: &Graph, before: &Package) -> rusqlite::Result<()> {
    for channel in &graph.channels {
        write_channel(transaction, &graph.package, channel, before)?;
    }
    write_entries(transaction, graph, before)?;
    write_package(transaction, graph, before)?;
    // Channels are deleted last, because deleting a channel also deletes the package row and the entries that name the
    // channel.
    let kept: BTreeSet<&str> = graph.channels.iter().map(|channel| channel.name.as_str()).collect();
    for gone in before.heads.keys().filter(|channel| !kept.contains(channel.as_str())) {
        transaction
            .prepare("DELETE FROM channel WHERE name = ?1 AND package_name = ?2")?
            .execute((gone, &graph.package))?;
    }
    Ok(())
}

fn write_channel(
    transaction: &Transaction<'_>,
    package: &str,
    channel: &Channel,
    before: &Package,
) -> rusqlite::Result<()> {
    let sql = match before.heads.get(&channel.name) {
        Some(head) if *head == channel.head => return Ok(()),
        Some(_) => "UPDATE channel SET head_operatorbundle_name = ?3 WHERE name = ?1 AND package_name = ?2",
        None => "INSERT INTO channel (name, package_name, head_operatorbundle_name) VALUES (?1, ?2, ?3)",
    };
    transaction
        .prepare(sql)?
        .execute((&channel.name, package, &channel.head))?;
    Ok(())
}

fn write_package(transaction: &Transaction<'_>, graph: &Graph, before: &Package) -> rusqlite::Result<()> {
    let sql = if before.exists {
        "UPDATE package SET default_channel = ?2 WHERE name = ?1"
    } else {
        "INSERT INTO package (name, default_channel) VALUES (?1, ?2)"
    };
    transaction
        .prepare(sql)?
        .execute((&graph.package, &graph.default_channel))?;
    Ok(())
}

/// New entries first refer to themselves, and get their targets only after all entries exist: as long as any entry
/// refers to a missing entry, the database scans all entries on every insert.
fn write_entries(transaction: &Transaction<'_>, graph: &Graph, before: &Package) -> rusqlite::Result<()> {
    let (numbers, surplus) = numbers(transaction, graph, before)?;
    let stored: BTreeSet<i64> = before.entries.values().flatten().copied().collect();
    let entries = || {
        let channels = graph.channels.iter().zip(&numbers);
        channels.flat_map(|(channel, numbers)| {
            let entries = channel.entries.iter().zip(numbers);
            entries.map(move |(entry, number)| (channel, entry, *number, numbers))
        })
    };
    let mut insert = transaction.prepare(
        "INSERT INTO channel_entry (entry_id, channel_name, package_name, operatorbundle_name, replaces, depth)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (channel, entry, number, _) in entries().filter(|(_, _, number, _)| !stored.contains(number)) {
        let replaces = entry.replaces.map(|_| number);
        insert.execute((
            number,
            &channel.name,
            &graph.package,
            &entry.bundle,
            replaces,
            entry.depth,
        ))?;
    }
    let mut update = transaction.prepare(
        "UPDATE channel_entry SET channel_name = ?2, operatorbundle_name = ?3, replaces = ?4, depth = ?5
         WHERE entry_id = ?1",
    )?;
    for (channel, entry, number, numbers) in entries() {
        if entry.replaces.is_some() || stored.contains(&number) {
            let replaces = entry.replaces.and_then(|below| numbers.get(below));
            update.execute((number, &channel.name, &entry.bundle, replaces, entry.depth))?;
        }
    }
    let mut delete = transaction.prepare("DELETE FROM channel_entry WHERE entry_id = ?1")?;
    for number in surplus {
        delete.execute([number])?;
    }
    Ok(())
}

/// Returns the numbers of the entries of each channel, in ascending order, and the numbers that are no longer needed.
fn numbers(
    transaction: &Transaction<'_>,
    graph: &Graph,
    before: &Package,
) -> rusqlite::Result<(Vec<Vec<i64>>, Vec<i64>)> {
    let greatest: Option<i64> = transaction
        .query_row("SELECT max(entry_id) FROM channel_entry", [], |row| row.get(0))
        .optional()?
        .flatten();
    let mut free: BTreeSet<i64> = before.entries.values().flatten().copied().collect();
    let mut numbers = Vec::with_capacity(graph.channels.len());
    for channel in &graph.channels {
        let own = before.entries.get(&channel.name).map(Vec::as_slice).unwrap_or_default();
        let own: Vec<i64> = own.iter().take(channel.entries.len()).copied().collect();
        for number in &own {
            free.remove(number);
        }
        numbers.push(own);
    }
    let mut is_taken = transaction.prepare("SELECT 1 FROM channel_entry WHERE entry_id = ?1")?;
    let mut last = greatest.unwrap_or(0);
    for (channel, numbers) in graph.channels.iter().zip(&mut numbers) {
        while numbers.len() < channel.entries.len() {
            if let Some(number) = free.pop_first() {
                numbers.push(number);
                continue;
            }
            // After the greatest possible number, the numbers start over.
            last = last.checked_add(1).unwrap_or(1);
            while is_taken.exists([last])? {
                last = last.checked_add(1).unwrap_or(1);
            }
            numbers.push(last);
        }
        numbers.sort_unstable();
    }
    Ok((numbers, free.into_iter().collect()))
}
