//! The image of a bundle: its two folders as a layer, its annotations as labels.

use super::{MANIFESTS, METADATA};
use crate::image::{Image, ImageConfig, ImageError, build, layer_from_tree, tree_of};
use crate::tree::{Tree, TreeLimits};
use std::collections::BTreeMap;

/// The folder of the scorecard tests, which opm packs as well.
const TESTS: &str = "tests";

/// Builds the image of a bundle: the same files, labels and time give the same digest, whenever and wherever. `epoch`
/// is the time that it carries, in seconds since 1970.
///
/// # Errors
/// When a temporary file cannot be written.
pub fn image_of(tree: &Tree, labels: &BTreeMap<String, String>, epoch: u64) -> Result<Image, ImageError> {
    let mut files = Tree::new(tree.origin());
    let unlimited = TreeLimits {
        files: usize::MAX,
        file_bytes: u64::MAX,
        total_bytes: u64::MAX,
    };
    for (path, content) in tree.iter().filter(|(path, _)| is_bundle_path(path)) {
        files.insert(path, content.to_vec(), &unlimited)?;
    }
    let config = ImageConfig {
        labels: labels.clone(),
        annotations: labels.clone(),
        epoch,
        ..ImageConfig::default()
    };
    build(&config, vec![layer_from_tree(&files, epoch)?])
}

/// The files of a bundle image: its manifests, metadata and tests; anything else in the image is passed over.
///
/// # Errors
/// When a layer is damaged, holds entries that no bundle may hold, or passes a limit.
pub fn files_of(image: &Image, limits: &TreeLimits) -> Result<Tree, ImageError> {
    tree_of(image, &is_bundle_path, limits)
}

fn is_bundle_path(path: &str) -> bool {
    path.split_once('/')
        .is_some_and(|(folder, _)| [MANIFESTS, METADATA, TESTS].contains(&folder))
}
