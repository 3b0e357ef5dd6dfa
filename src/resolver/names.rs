//! The names of bundles in explanations.

use super::clause::listed;
use super::entries::EntryId;
use super::variables::Variables;

/// The maximum number of names that a sentence lists.
pub(super) const SHOWN: usize = 4;

/// Lists the first names, joined with `word`, and the number of the others.
pub(super) fn few(names: Vec<String>, word: &str) -> String {
    let more = names.len().saturating_sub(SHOWN);
    if more == 0 {
        return listed(&names, word);
    }
    let shown: Vec<String> = names.into_iter().take(SHOWN).collect();
    format!("{} {word} {more} more", shown.join(", "))
}

/// Describes a bundle for users: its name and channel, and its catalog if there are several.
pub(super) fn named(variables: &Variables<'_>, id: EntryId) -> String {
    let entry = variables.entries.get(id);
    match variables.catalog(id) {
        None => format!("{} (installed)", entry.name),
        Some((catalog, _)) if variables.problem.catalogs.len() > 1 => {
            format!("{} (channel {} of {catalog})", entry.name, entry.channel)
        }
        Some(_) => format!("{} (channel {})", entry.name, entry.channel),
    }
}
