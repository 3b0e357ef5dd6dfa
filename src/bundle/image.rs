//! The image of a bundle. The folders become a layer of the image, and the annotations become labels.

use super::{MANIFESTS, METADATA};
use crate::image::{Image, ImageConfig, ImageError, build, layer_from_tree, tree_of};
use crate::tree::{Tree, TreeLimits};
use std::collections::BTreeMap;

/// The folder of the scorecard tests, which opm also packs.
const TESTS: &str = "tests";

/// Builds the image of a bundle. `epoch` is the time in the image, in seconds since 1970. The digest depends only on
/// the files, the labels and this time.
///
/// # Errors
/// Returns an error if a temporary file cannot be written.
pub fn image_of(tree: &Tree, labels: &BTreeMap<String, String>, epoch: u64) -> Result<Image, ImageError> {
    let mut files = Tree::new(tree.origin());
    for (path, content) in tree.iter().filter(|(path, _)| is_bundle_path(path)) {
        files.insert(path, content.to_vec(), &TreeLimits::UNLIMITED)?;
    }
    let config = ImageConfig {
        labels: labels.clone(),
        annotations: labels.clone(),
        epoch,
        ..ImageConfig::default()
    };
    build(&config, vec![layer_from_tree(&files, epoch)?])
}

/// Returns the files of a bundle image: its manifests, metadata and tests. Skips all other files in the image.
///
/// # Errors
/// Returns an error if a layer is damaged, contains entries that are not allowed in a bundle, or exceeds a limit.
pub fn files_of(image: &Image, limits: &TreeLimits) -> Result<Tree, ImageError> {
    tree_of(image, &is_bundle_path, limits)
}

fn is_bundle_path(path: &str) -> bool {
    path.split_once('/')
        .is_some_and(|(folder, _)| [MANIFESTS, METADATA, TESTS].contains(&folder))
}
