//! Extracts a folder from the file system of an image to disk, for catalogs that are too large for memory.

use super::links::{Links, through_link, touches};
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

/// The maximum number of files in a folder, and of folders that are created for them.
const MOST_FILES: usize = 100_000;

/// Streams all files below the folder `inside` of the image to the folder `to`, which must exist and be empty. Relative
/// paths are kept, and only the current user can open the files. Layers are applied on top of each other, as in the
/// file system of the image.
///
/// `bytes` is the maximum total unpacked size of the layers.
///
/// # Errors
/// Returns an error if the folder does not exist, a layer is damaged, a limit is exceeded, a path below the folder
/// is a link or device, or `to` cannot be written.
pub fn extract_folder(image: &Image, inside: &str, to: &Path, bytes: u64) -> Result<(), ImageError> {
    extract_at_most(MOST_FILES, image, inside, to, bytes)
}

/// Like [`extract_folder`], with at most this many files, and as many folders for them.
pub(super) fn extract_at_most(
    most: usize,
    image: &Image,
    inside: &str,
    to: &Path,
    bytes: u64,
) -> Result<(), ImageError> {
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
    let mut links = Links::default();
    let mut folders = 0;
    // Whether the folder exists although it may be empty.
    let mut is_there = false;
    for layer in image.layers() {
        let mut upper = Paths::new();
        let reader = LayerReader::open(origin, layer, budget)?;
        let unpacked = reader.visit(&mut |member| {
            if let Some(real) = links.follow(origin, &member)? {
                let mut paths = [&member.path, &real].into_iter();
                if paths.any(|path| touches(path, member.kind, &inside)) {
                    return Err(through_link(origin, &member.path).into());
                }
                return Ok(());
            }
            if let Some(hidden) = Whiteout::of(&member.path) {
                is_there &= !hidden.hides(&inside);
                return Ok(remove(hidden.take(&mut lower), to, &inside)?);
            }
            if member.path == inside || is_below(&inside, &member.path) {
                is_there = member.kind == Kind::Directory && (is_there || member.path == inside);
            }
            folders += place(&mut lower, &mut upper, member, &inside, to)?;
            let counts = [("files", lower.len() + upper.len()), ("folders", folders)];
            if let Some((kind, _)) = counts.iter().find(|(_, count)| *count > most) {
                let what = format!("the number of {kind} in /{inside}");
                return Err(limit(origin, what, most.to_string(), None).into());
            }
            Ok(())
        })?;
        budget.bytes = budget.bytes.saturating_sub(unpacked);
        lower.append(&mut upper);
        links.next_layer();
    }
    for (path, refused) in &lower {
        if let Some(kind) = refused {
            let (origin, path) = (origin.to_owned(), path.clone());
            return Err(TreeError::EntryType { origin, path, kind }.into());
        }
    }
    if lower.is_empty() && !is_there {
        return Err(ImageError::NotFound {
            image: origin.to_owned(),
            what: format!("the content of /{inside}"),
            available: Vec::new(),
        });
    }
    Ok(())
}

/// The paths of the entries read so far. The value is `None` for a written file. For a link, device or pipe, it is the
/// kind of the entry, and an upper layer must hide the entry.
type Paths = BTreeMap<String, Option<&'static str>>;

/// Removes the paths that are hidden by a whiteout or a member of an upper layer.
fn remove(hidden: Vec<(String, Option<&'static str>)>, to: &Path, inside: &str) -> Result<(), FileError> {
    let files = hidden.into_iter().filter(|(_, refused)| refused.is_none());
    for (path, _) in files {
        let file = to.join(below(&path, inside));
        fs::remove_file(&file).map_err(|error| FileError::new("remove", &file, error))?;
    }
    Ok(())
}

/// Replaces any entry at the path of a member with the member. Returns the number of folders that were created.
fn place(lower: &mut Paths, upper: &mut Paths, member: Member<'_>, inside: &str, to: &Path) -> Result<usize, Stop> {
    let Member {
        path,
        kind,
        size,
        content,
        target: _,
    } = member;
    for paths in [lower, &mut *upper] {
        let mut hidden = match kind {
            Kind::Directory => paths.remove_entry(&path).into_iter().collect(),
            _ => take_with_below(paths, &path),
        };
        // A file below a link would be written to the target of the link, so the link stays and is refused.
        let files = parents(&path).filter(|parent| matches!(paths.get(*parent), Some(None)));
        let files: Vec<&str> = files.collect();
        hidden.extend(files.into_iter().filter_map(|file| paths.remove_entry(file)));
        remove(hidden, to, inside)?;
    }
    let leads_inside = path == inside || is_below(inside, &path);
    if !(is_below(&path, inside) || leads_inside && matches!(kind, Kind::Other(_))) {
        return Ok(0);
    }
    let mut folders = 0;
    match kind {
        Kind::Directory => {}
        Kind::Other(kind) => {
            upper.insert(path, Some(kind));
        }
        Kind::File => {
            let file = to.join(below(&path, inside));
            let made = |error: io::Error| FileError::new("write", &file, error);
            // The file may have to replace empty folders that remained after their members were removed.
            if file.is_dir() {
                fs::remove_dir_all(&file).map_err(made)?;
            }
            folders = create_parents(&file).map_err(made)?;
            let mut target = create_private(&file).map_err(made)?;
            copy(content, &mut target, size, &file)?;
            upper.insert(path, None);
        }
    }
    Ok(folders)
}

/// Creates the missing folders above a file, and returns their number.
fn create_parents(file: &Path) -> io::Result<usize> {
    let above = file.ancestors().skip(1);
    let missing: Vec<&Path> = above.take_while(|folder| !folder.is_dir()).collect();
    for folder in missing.iter().rev() {
        fs::create_dir(folder)?;
    }
    Ok(missing.len())
}

/// Returns the part of a path below the folder.
fn below<'a>(path: &'a str, inside: &str) -> &'a str {
    path.get(inside.len()..).unwrap_or_default().trim_start_matches('/')
}
