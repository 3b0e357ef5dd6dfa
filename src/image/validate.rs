//! Checks that an image matches its manifest.

use super::digest::Digest;
use super::error::ImageError;
use super::image::{Image, diff_ids};
use super::layer_reader::{LayerReader, UnpackLimit};
use super::manifest;
use super::problem::ContentProblem;

/// Verifies all digests and sizes of an image: those of the manifest, the config, the layers, and the uncompressed
/// content of the layers.
///
/// # Errors
/// Returns an error for the first part that does not match its digest or size.
pub fn validate(image: &Image) -> Result<(), ImageError> {
    let fail = |problem: ContentProblem, part: &str| problem.of(image.origin(), part);
    manifest::check_digest(&image.digest(), Digest::of(image.manifest()))
        .map_err(|problem| fail(problem, "the manifest"))?;
    let config = image.config_descriptor().check(image.config());
    config.map_err(|problem| fail(problem, "the config"))?;
    let known = image.layers().iter().filter(|layer| layer.diff_id.is_some()).count();
    if diff_ids(image.config_value())
        .map_err(|problem| fail(problem, "the config"))?
        .len()
        != image.layers().len()
        || known != image.layers().len()
    {
        let (expected, found) = (image.layers().len(), known);
        return Err(fail(ContentProblem::DiffIds { expected, found }, "the config"));
    }
    for layer in image.layers() {
        let mut reader = LayerReader::open(image.origin(), layer, UnpackLimit::NONE)?;
        let diff_id = reader.finish()?;
        if let Some(expected) = &layer.diff_id {
            let part = format!("layer {} (uncompressed)", layer.descriptor.digest);
            manifest::check_digest(expected, diff_id).map_err(|problem| fail(problem, &part))?;
        }
    }
    Ok(())
}
