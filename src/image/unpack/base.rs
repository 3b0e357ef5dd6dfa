//! Reads a base image completely: whether its layers are undamaged, and whether it contains a program.

use super::links::Links;
use super::{Whiteout, take_with_below};
use crate::image::digest::Digest;
use crate::image::error::ImageError;
use crate::image::image::{Image, Layer};
use crate::image::layer_reader::{Kind, LayerReader, Member, UnpackLimit};
use crate::image::manifest;
use crate::image::problem::ContentProblem;
use crate::limit::Limit;
use std::collections::BTreeMap;

/// The maximum number of files with the name of the program that are remembered.
const MOST_NAMESAKES: usize = 10_000;

/// Checks all layers of an image as a runtime does that unpacks them: each must match its descriptor, be a complete tar
/// file, and have the uncompressed digest that the config states. Returns whether the image contains a file or link at
/// `path`, whose folders may be links. If that is unclear, for example because a layer is compressed with zstd, returns
/// `true`.
///
/// # Errors
/// Returns an error if a layer is damaged or truncated, or the layers together unpack to more than `limit` bytes.
pub(crate) fn check_base(image: &Image, path: &str, limit: u64) -> Result<bool, ImageError> {
    let mut budget = UnpackLimit {
        bytes: limit,
        raised_by: Some(Limit::ImageBytes),
    };
    let mut search = Some(Search::new(path));
    for layer in image.layers() {
        let reader = match LayerReader::open(image.origin(), layer, budget) {
            Ok(reader) => reader,
            Err(error) if is_of_unknown_form(&error) => {
                search = None;
                continue;
            }
            Err(error) => return Err(error),
        };
        let unpacked = match read(image, layer, reader, &mut search) {
            // Runtimes accept more paths and kinds of files than can be read here.
            Err(ImageError::Tree(_)) => {
                search = None;
                let mut reader = LayerReader::open(image.origin(), layer, budget)?;
                let diff_id = reader.finish()?;
                check_diff_id(image, layer, diff_id)?;
                reader.length()
            }
            unpacked => unpacked?,
        };
        budget.bytes = budget.bytes.saturating_sub(unpacked);
        if let Some(search) = &mut search {
            search.next_layer();
        }
    }
    let found = search.and_then(|search| search.result(image.origin()));
    Ok(found.unwrap_or(true))
}

/// Reads and checks a layer. Returns its uncompressed size in bytes.
fn read(image: &Image, layer: &Layer, mut reader: LayerReader, search: &mut Option<Search>) -> Result<u64, ImageError> {
    let diff_id = reader.visit_whole(&mut |member| {
        let known = search.as_mut().map(|search| search.add(image.origin(), &member));
        if known == Some(None) {
            *search = None;
        }
        Ok(())
    })?;
    check_diff_id(image, layer, diff_id)?;
    Ok(reader.length())
}

fn check_diff_id(image: &Image, layer: &Layer, found: Digest) -> Result<(), ImageError> {
    let Some(expected) = &layer.diff_id else {
        return Ok(());
    };
    let part = format!("layer {} (uncompressed)", layer.descriptor.digest);
    manifest::check_digest(expected, found).map_err(|problem| problem.of(image.origin(), part))
}

fn is_of_unknown_form(error: &ImageError) -> bool {
    matches!(
        error,
        ImageError::Content {
            problem: ContentProblem::Compression { .. },
            ..
        }
    )
}

/// The search for a file.
struct Search {
    path: String,
    links: Links,
    /// The files and links with the same name in the layers read so far, without links in their folders.
    lower: BTreeMap<String, Kind>,
    upper: BTreeMap<String, Kind>,
}

impl Search {
    fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            links: Links::default(),
            lower: BTreeMap::new(),
            upper: BTreeMap::new(),
        }
    }

    /// Adds a member. Returns `None` if it is not clear which files exist.
    fn add(&mut self, origin: &str, member: &Member<'_>) -> Option<()> {
        let real = self.links.follow(origin, member).ok()?;
        let place = real.as_deref().unwrap_or(&member.path);
        if let Some(hidden) = Whiteout::of(place) {
            hidden.take(&mut self.lower);
            return Some(());
        }
        for files in [&mut self.lower, &mut self.upper] {
            if member.kind == Kind::Directory {
                files.remove(place);
            } else {
                take_with_below(files, place);
            }
        }
        if member.kind != Kind::Directory && name(place) == name(&self.path) {
            self.upper.insert(place.to_owned(), member.kind);
        }
        (self.lower.len() + self.upper.len() <= MOST_NAMESAKES).then_some(())
    }

    fn next_layer(&mut self) {
        self.lower.append(&mut self.upper);
        self.links.next_layer();
    }

    /// Returns whether the file exists, or `None` if that is unclear.
    fn result(mut self, origin: &str) -> Option<bool> {
        let real = self.links.real(origin, &self.path, &self.path).ok()?;
        Some(self.lower.contains_key(real.as_deref().unwrap_or(&self.path)))
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
