//! Taking packages and parts of them out of a catalog in a folder, with a look at what others need of them.

use crate::catalog::file_based::draft::{Removal, Target};
use crate::catalog::file_based::edit::{CatalogEditError, Editor};
use crate::catalog::selection::part::Part;
use crate::resolver::closure::{self, Follow, Lost, Reason, Unsatisfied};
use std::collections::BTreeMap;

/// What of a catalog stays.
#[derive(Debug, Clone, Default)]
pub struct PruneRequest {
    /// The packages, each with what of it stays.
    pub parts: BTreeMap<String, Part>,
    /// The default channel of packages that lose theirs.
    pub default_channel: Option<String>,
    /// How far what the parts need is followed; what they need stays, too, as whole packages.
    pub follow: Follow,
}

/// What went from a catalog.
#[derive(Debug, Clone, Default)]
pub struct Pruned {
    /// The packages that changed, by name.
    pub packages: BTreeMap<String, PrunedPackage>,
    /// The packages that stay although no part of them was chosen, with the reasons.
    pub needed: BTreeMap<String, Vec<Reason>>,
    /// What was followed and is not there.
    pub unsatisfied: Vec<Unsatisfied>,
    /// What bundles that stay require, and nothing provides any more.
    pub lost: Vec<Lost>,
}

/// What went from a package.
#[derive(Debug, Clone, Default)]
pub struct PrunedPackage {
    /// What went.
    pub removal: Removal,
    /// Bundles, each with its channel, that stay only to hold the channel together.
    pub between: Vec<(String, String)>,
}

/// Keeps parts of packages, and what these need.
///
/// # Errors
/// When there is no such package or channel, a part does not hang together, the catalog cannot be read, or the form of
/// a document does not allow the change.
pub fn prune(editor: &mut Editor, request: &PruneRequest) -> Result<Pruned, CatalogEditError> {
    let mut pruned = Pruned::default();
    for (package, part) in &request.parts {
        let default_channel = request.default_channel.as_deref();
        let (removal, between) = editor.change(package, |draft| draft.prune(part, default_channel))?;
        let package = package.clone();
        pruned.packages.insert(package, PrunedPackage { removal, between });
    }
    if request.follow != Follow::default() {
        let mut closure = closure::of_parts(&editor.catalog()?, editor.stay(), &request.follow);
        closure
            .members
            .retain(|package, _| !request.parts.contains_key(package));
        pruned.needed = closure.members;
        pruned.unsatisfied = closure.unsatisfied;
    }
    let stays = |name: &&str| request.parts.contains_key(*name) || pruned.needed.contains_key(*name);
    let others = editor.packages().into_iter().filter(|name| !stays(name));
    let others: Vec<String> = others.map(str::to_owned).collect();
    for package in others {
        let removal = editor.change(&package, |draft| draft.remove(&[Target::default()], None))?;
        let between = Vec::new();
        pruned.packages.insert(package, PrunedPackage { removal, between });
    }
    pruned.lost = lost(editor);
    Ok(pruned)
}

/// What bundles that stay require, and nothing provides any more since `editor` was opened. What cannot be read of a
/// catalog requires nothing.
pub fn lost(editor: &Editor) -> Vec<Lost> {
    let catalog = editor.catalog();
    catalog.map_or_else(
        |_| Vec::new(),
        |catalog| closure::lost_of_parts(&catalog, editor.stay()),
    )
}
