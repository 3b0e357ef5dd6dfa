//! A folder of an image's file system on the disk, for catalogs that are too large for memory.

use super::{Stop, Whiteout, copy, is_below, limit, parents, take_with_below};
use crate::files::{FileError, create_private};
use crate::image::error::ImageError;
use crate::image::image::Image;
use crate::image::layer_reader::{Kind, LayerReader, Member, UnpackLimit, plain_path};
use crate::limit::Limit;
use crate::tree::TreeError;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// The most files that a folder may have.
const MOST_FILES: usize = 100_000;

/// Streams all files below the folder `inside` of the image to the folder `to`, which is there and empty, under their
/// paths below it. Nobody else may open them. Layers lie over one another as the image's file system shows them.
///
/// `bytes` bounds what the layers may unpack to.
///
/// # Errors
/// When there is no such file, a layer is damaged or over the limit, a path below the folder is a link or device, or
/// `to` cannot be written.
pub fn extract_folder(image: &Image, inside: &str, to: &Path, bytes: u64) -> Result<(), ImageError> {
    let origin = image.origin();
    let inside = match inside.trim_matches('/') {
        "" => String::new(),
        inside => plain_path(origin, inside.as_bytes())?.0,
    };
    let mut budget = UnpackLimit {
        bytes,
        raised_by: Some(Limit::ImageBytes),
    };
    let mut lower = Paths::new();
    for layer in image.layers() {
        let mut upper = Paths::new();
        let reader = LayerReader::open(origin, layer, budget)?;
        let unpacked = reader.visit(&mut |member| {
            if let Some(hidden) = Whiteout::of(&member.path) {
                return Ok(remove(hidden.take(&mut lower), to, &inside)?);
            }
            place(&mut lower, &mut upper, member, &inside, to)?;
            if lower.len() + upper.len() > MOST_FILES {
                let what = format!("the number of files in /{inside}");
                return Err(limit(origin, what, MOST_FILES.to_string(), None).into());
            }
            Ok(())
        })?;
        budget.bytes = budget.bytes.saturating_sub(unpacked);
        lower.append(&mut upper);
    }
    for (path, refused) in &lower {
        if let Some(kind) = refused {
            let (origin, path) = (origin.to_owned(), path.clone());
            return Err(TreeError::EntryType { origin, path, kind }.into());
        }
    }
    if lower.is_empty() {
        return Err(ImageError::NotFound {
            image: origin.to_owned(),
            what: format!("any file in /{inside}"),
            available: Vec::new(),
        });
    }
    Ok(())
}

/// The paths that were written, and those that may not stand there at the end, with what they are.
type Paths = BTreeMap<String, Option<&'static str>>;

/// Removes what a whiteout or a member of an upper layer hides.
fn remove(hidden: Vec<(String, Option<&'static str>)>, to: &Path, inside: &str) -> Result<(), FileError> {
    let files = hidden.into_iter().filter(|(_, refused)| refused.is_none());
    for (path, _) in files {
        let file = to.join(below(&path, inside));
        fs::remove_file(&file).map_err(|error| FileError::new("remove", &file, error))?;
    }
    Ok(())
}

/// Puts a member in the place of what stood there.
fn place(lower: &mut Paths, upper: &mut Paths, member: Member<'_>, inside: &str, to: &Path) -> Result<(), Stop> {
    let Member {
        path,
        kind,
        size,
        content,
    } = member;
    for paths in [lower, &mut *upper] {
        let mut hidden = match kind {
            Kind::Directory => paths.remove_entry(&path).into_iter().collect(),
            _ => take_with_below(paths, &path),
        };
        hidden.extend(parents(&path).filter_map(|parent| paths.remove_entry(parent)));
        remove(hidden, to, inside)?;
    }
    if !is_below(&path, inside) {
        return Ok(());
    }
    match kind {
        Kind::Directory => {}
        Kind::Other(kind) => {
            upper.insert(path, Some(kind));
        }
        Kind::File => {
            let file = to.join(below(&path, inside));
            let made = |error: io::Error| FileError::new("write", &file, error);
            // Folders that members in the way left empty may stand where the file goes.
            if file.is_dir() {
                fs::remove_dir_all(&file).map_err(made)?;
            }
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent).map_err(made)?;
            }
            let mut target = create_private(&file).map_err(made)?;
            copy(content, &mut target, size, &file)?;
            upper.insert(path, None);
        }
    }
    Ok(())
}

/// The part of a path below the folder.
fn below<'a>(path: &'a str, inside: &str) -> &'a str {
    path.get(inside.len()..).unwrap_or_default().trim_start_matches('/')
}
