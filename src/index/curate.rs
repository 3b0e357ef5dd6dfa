//! Removes packages and parts of packages from a catalog in a folder, considering the needs of other packages.

use crate::catalog::file_based::draft::{Removal, Target};
use crate::catalog::file_based::edit::{CatalogEditError, Editor};
use crate::catalog::selection::part::Part;
use crate::resolver::closure::{self, Follow, Lost, Reason, Unsatisfied};
use std::collections::BTreeMap;

/// The parts of a catalog to keep.
#[derive(Debug, Clone, Default)]
pub struct PruneRequest {
    /// The packages, each with the parts to keep.
    pub parts: BTreeMap<String, Part>,
    /// The new default channel of each package that loses its default channel.
    pub default_channel: Option<String>,
    /// The kinds of needs to follow. The packages that the parts need are kept completely.
    pub follow: Follow,
}

/// The changes to a pruned catalog.
#[derive(Debug, Clone, Default)]
pub struct Pruned {
    /// The packages that changed, by name.
    pub packages: BTreeMap<String, PrunedPackage>,
    /// The packages that stay although no part of them was specified, with the reasons.
    pub needed: BTreeMap<String, Vec<Reason>>,
    /// Needs that were followed but that no bundle satisfies.
    pub unsatisfied: Vec<Unsatisfied>,
    /// The requirements that remaining bundles have but no bundle satisfies anymore.
    pub lost: Vec<Lost>,
}

/// The changes to a pruned package.
#[derive(Debug, Clone, Default)]
pub struct PrunedPackage {
    /// The removed parts.
    pub removal: Removal,
    /// Bundles that stay only to keep their channel connected, each with its channel.
    pub between: Vec<(String, String)>,
}

/// Keeps parts of packages and the packages that these need, and removes everything else.
///
/// # Errors
/// Returns an error if a package or channel does not exist, or if a part is not connected. Also returns an error if the
/// catalog cannot be read, or if the form of a document does not allow the change.
pub fn prune(editor: &mut Editor, request: &PruneRequest) -> Result<Pruned, CatalogEditError> {
    let mut pruned = Pruned::default();
    // A preference for a package that does not exist would have no effect.
    for package in request.follow.preferences.named() {
        editor.known(package)?;
    }
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

/// Returns the unsatisfied requirements of the remaining bundles, except requirements that were already unsatisfied
/// when `editor` was opened. Returns an empty list if the catalog cannot be read.
pub fn lost(editor: &Editor) -> Vec<Lost> {
    let catalog = editor.catalog();
    catalog.map_or_else(
        |_| Vec::new(),
        |catalog| closure::lost_of_parts(&catalog, editor.stay()),
    )
}
