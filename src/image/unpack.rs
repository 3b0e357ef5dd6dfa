//! Extracts files from an image: all wanted files as a tree, or a single large file to disk.
//!
//! Layers are streamed in a single pass, and only the wanted files are kept.

mod base;
mod folder;
mod links;

pub(crate) use base::check_base;
pub use folder::extract_folder;
use links::{Links, through_link, touches};

use super::error::ImageError;
use super::image::Image;
use super::layer_reader::{Kind, LayerReader, Member, Stop, UnpackLimit, plain_path};
use super::problem::ContentProblem;
use crate::counted::counted;
use crate::files::{FileError, Replacement};
use crate::limit::Limit;
use crate::tree::{Tree, TreeError, TreeLimits};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::ops::Bound;
use std::path::Path;

/// The default limit in bytes for the total unpacked size of the layers of an image.
pub const DEFAULT_IMAGE_LIMIT: u64 = 64 << 30;
/// The maximum ratio of the unpacked size of an image to the size limit for the wanted files.
const UNWANTED_FACTOR: u64 = 16;
/// The number of bytes that a small file takes in a tar file in addition to its content.
const HEADER_ALLOWANCE: u64 = 4096;

/// An entry in the layers read so far.
enum Found {
    File(Vec<u8>),
    Refused(&'static str),
}

type Files = BTreeMap<String, Found>;

/// Reads files from the file system of the image, layer by layer. Only reads the files for which `wanted` returns
/// `true`.
///
/// `wanted` is called with plain relative paths (`manifests/csv.yaml`). For a link, it is also called with the path
/// followed by a slash, because the link may point to a folder.
///
/// # Errors
/// Returns an error if a layer is damaged, is truncated, or contains a path outside the root. Also returns an error if
/// the layers together unpack to more than about 16 times `limits.total_bytes`, if a wanted path is a link, device or
/// pipe, or if the wanted files exceed a limit.
pub fn tree_of(image: &Image, wanted: &dyn Fn(&str) -> bool, limits: &TreeLimits) -> Result<Tree, ImageError> {
    let origin = image.origin();
    let mut lower = Files::new();
    let mut links = Links::default();
    let mut budget = UnpackLimit {
        bytes: limits
            .total_bytes
            .saturating_mul(UNWANTED_FACTOR)
            .saturating_add((limits.files as u64).saturating_mul(HEADER_ALLOWANCE)),
        raised_by: Some(Limit::TotalBytes),
    };
    for layer in image.layers() {
        let mut upper = Files::new();
        let mut held = lower.values().map(Found::bytes).sum();
        let reader = LayerReader::open(origin, layer, budget)?;
        let unpacked = reader.visit(&mut |member| {
            if let Some(real) = links.follow(origin, &member)? {
                let paths = [&member.path, &real];
                if paths
                    .into_iter()
                    .any(|path| changes([&mut lower, &mut upper], path, wanted))
                {
                    return Err(through_link(origin, &member.path).into());
                }
                return Ok(());
            }
            if let Some(hidden) = Whiteout::of(&member.path) {
                hidden.take(&mut lower);
                return Ok(());
            }
            let found = read_member(origin, member, wanted, limits, &mut held, [&mut lower, &mut upper])?;
            if let Some((path, found)) = found {
                upper.insert(path, found);
            }
            if upper.len() + lower.len() > limits.files {
                return Err(limit(
                    origin,
                    "the number of files",
                    limits.files.to_string(),
                    Some(Limit::Files),
                )
                .into());
            }
            Ok(())
        })?;
        budget.bytes = budget.bytes.saturating_sub(unpacked);
        lower.append(&mut upper);
        links.next_layer();
    }
    let mut tree = Tree::new(origin);
    for (path, found) in lower {
        match found {
            Found::File(content) => tree.insert(&path, content, limits)?,
            Found::Refused(kind) => {
                return Err(TreeError::EntryType {
                    origin: origin.to_owned(),
                    path,
                    kind,
                }
                .into());
            }
        }
    }
    Ok(tree)
}

/// Whether a member at this path would be wanted, or change what was read. May then remove entries.
fn changes(layers: [&mut Files; 2], path: &str, wanted: &dyn Fn(&str) -> bool) -> bool {
    if let Some(hidden) = Whiteout::of(path) {
        return layers.into_iter().any(|files| !hidden.take(files).is_empty());
    }
    let held = |files: &mut Files| {
        !take_with_below(files, path).is_empty() || parents(path).any(|parent| files.contains_key(parent))
    };
    wanted(path) || wanted(&format!("{path}/")) || layers.into_iter().any(held)
}

/// Removes the files that the member replaces, and reads the member if it is wanted.
fn read_member(
    origin: &str,
    member: Member<'_>,
    wanted: &dyn Fn(&str) -> bool,
    limits: &TreeLimits,
    held: &mut u64,
    layers: [&mut Files; 2],
) -> Result<Option<(String, Found)>, Stop> {
    let Member {
        path,
        kind,
        size,
        content,
        target: _,
    } = member;
    for files in layers {
        files.remove(&path);
        if kind != Kind::Directory {
            take_below(files, &path);
        }
        for parent in parents(&path) {
            if matches!(files.get(parent), Some(Found::File(_))) {
                files.remove(parent);
            }
        }
    }
    match kind {
        // This character replaces the invalid bytes in a name that is not UTF-8.
        Kind::File if path.contains('\u{fffd}') && wanted(&path) => Err(TreeError::Name {
            origin: origin.to_owned(),
            path,
        }
        .into()),
        Kind::File if wanted(&path) => {
            if size > limits.file_bytes {
                let what = format!("the size of {path}");
                return Err(limit(origin, what, counted(limits.file_bytes, "byte"), Some(Limit::FileBytes)).into());
            }
            *held += size;
            if *held > limits.total_bytes {
                let what = format!("the total size of the files (counted up to {path})");
                return Err(limit(
                    origin,
                    what,
                    counted(limits.total_bytes, "byte"),
                    Some(Limit::TotalBytes),
                )
                .into());
            }
            let mut bytes = Vec::new();
            // The size is only a hint to avoid many small reads.
            let _ = bytes.try_reserve_exact(usize::try_from(size).unwrap_or_default());
            content.read_to_end(&mut bytes).map_err(Stop::Read)?;
            if bytes.len() as u64 != size {
                return Err(Stop::Read(io::ErrorKind::UnexpectedEof.into()));
            }
            Ok(Some((path, Found::File(bytes))))
        }
        Kind::Other(kind) if wanted(&path) || wanted(&format!("{path}/")) => Ok(Some((path, Found::Refused(kind)))),
        _ => Ok(None),
    }
}

/// Streams a file from the file system of the image to `to`, which is written completely or not at all.
///
/// `limit` is the maximum total unpacked size in bytes of the layers; [`DEFAULT_IMAGE_LIMIT`] is suitable for index
/// images. Layers are read from the top down, only as far as the layer that contains the file, unless links could lead
/// to the file.
///
/// # Errors
/// Returns an error if the file does not exist, a layer is damaged or exceeds the limit, the path is a link or device,
/// a layer changes the file through a link, or `to` cannot be written.
pub fn extract_file(image: &Image, path: &str, to: &Path, limit: u64) -> Result<(), ImageError> {
    let origin = image.origin();
    let (wanted, _) = plain_path(origin, path.as_bytes())?;
    let mut budget = UnpackLimit {
        bytes: limit,
        raised_by: Some(Limit::ImageBytes),
    };
    let mut may_be_linked = false;
    for layer in image.layers().iter().rev() {
        let mut found: Option<Replacement> = None;
        let mut hidden = false;
        let reader = LayerReader::open(origin, layer, budget)?;
        let unpacked = reader.visit(&mut |member| {
            may_be_linked |= leads_elsewhere(&member.path, &wanted);
            if let Some(whiteout) = Whiteout::of(&member.path) {
                hidden |= whiteout.hides(&wanted);
                return Ok(());
            }
            let exact = member.path == wanted;
            if !exact && !is_below(&wanted, &member.path) {
                return Ok(());
            }
            match member.kind {
                Kind::File if exact => {
                    found = None;
                    let mut replacement = Replacement::new(to)?;
                    copy(member.content, replacement.file(), member.size, to)?;
                    found = Some(replacement);
                }
                Kind::Directory if !exact => {}
                Kind::File | Kind::Directory => (found, hidden) = (None, true),
                Kind::Other(kind) => {
                    let problem = ContentProblem::EntryType {
                        path: member.path,
                        kind,
                    };
                    return Err(problem.of(origin, format!("layer {}", layer.descriptor.digest)).into());
                }
            }
            Ok(())
        })?;
        if let Some(replacement) = found {
            if may_be_linked {
                refuse_links_to(image, &wanted, limit)?;
            }
            return Ok(replacement.commit()?);
        }
        if hidden {
            break;
        }
        budget.bytes = budget.bytes.saturating_sub(unpacked);
    }
    Err(ImageError::NotFound {
        image: origin.to_owned(),
        what: format!("the file /{wanted}"),
        available: Vec::new(),
    })
}

/// Whether a member could be at `wanted`, or hide it, if a folder in its path is a link.
fn leads_elsewhere(path: &str, wanted: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else {
        return false;
    };
    let name = name.strip_prefix(".wh.").unwrap_or(name);
    let is_above = path == wanted || is_below(wanted, path) || is_below(wanted, folder);
    !is_above && (name == ".wh..opq" || wanted.split('/').any(|component| component == name))
}

/// Refuses an image in which the file `wanted` is in a linked folder, or is changed through a link.
fn refuse_links_to(image: &Image, wanted: &str, limit: u64) -> Result<(), ImageError> {
    let origin = image.origin();
    let mut links = Links::default();
    let mut budget = UnpackLimit {
        bytes: limit,
        raised_by: Some(Limit::ImageBytes),
    };
    for layer in image.layers() {
        let unpacked = LayerReader::open(origin, layer, budget)?.visit(&mut |member| {
            if let Some(real) = links.follow(origin, &member)?
                && [&member.path, &real]
                    .into_iter()
                    .any(|path| touches(path, member.kind, wanted))
            {
                return Err(through_link(origin, &member.path).into());
            }
            Ok(())
        })?;
        links.next_layer();
        budget.bytes = budget.bytes.saturating_sub(unpacked);
    }
    if links.lead_to(wanted) {
        return Err(through_link(origin, wanted).into());
    }
    Ok(())
}

/// Copies exactly `size` bytes, and distinguishes read errors of the source from write errors of the target.
fn copy(source: &mut dyn Read, target: &mut dyn Write, size: u64, to: &Path) -> Result<(), Stop> {
    let mut buffer = vec![0; 64 << 10];
    let mut left = size;
    while left > 0 {
        let read = source.read(&mut buffer).map_err(Stop::Read)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
            return Err(Stop::Read(io::ErrorKind::UnexpectedEof.into()));
        };
        target
            .write_all(bytes)
            .map_err(|error| FileError::new("write", to, error))?;
        left = left.saturating_sub(read as u64);
    }
    Ok(())
}

/// A marker in an upper layer that hides paths of the lower layers.
enum Whiteout {
    /// Hides a path and everything below it.
    Path(String),
    /// Hides everything below a folder, but not the folder itself.
    Below(String),
}

impl Whiteout {
    fn of(path: &str) -> Option<Self> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let hidden = name.strip_prefix(".wh.")?;
        if hidden == ".wh..opq" {
            return Some(Self::Below(folder.to_owned()));
        }
        Some(Self::Path(if folder.is_empty() {
            hidden.to_owned()
        } else {
            format!("{folder}/{hidden}")
        }))
    }

    fn hides(&self, path: &str) -> bool {
        match self {
            Self::Path(hidden) => path == hidden || is_below(path, hidden),
            Self::Below(folder) => is_below(path, folder),
        }
    }

    /// Removes and returns the hidden entries.
    fn take<V>(&self, files: &mut BTreeMap<String, V>) -> Vec<(String, V)> {
        match self {
            Self::Path(hidden) => take_with_below(files, hidden),
            Self::Below(folder) if folder.is_empty() => std::mem::take(files).into_iter().collect(),
            Self::Below(folder) => take_below(files, folder),
        }
    }
}

impl Found {
    fn bytes(&self) -> u64 {
        match self {
            Self::File(content) => content.len() as u64,
            Self::Refused(_) => 0,
        }
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(end, _)| path.get(..end))
}

/// Removes and returns all entries below a folder, without visiting other entries.
fn take_below<V>(files: &mut BTreeMap<String, V>, folder: &str) -> Vec<(String, V)> {
    // '0' is the byte after '/', so this range contains exactly the paths that start with the folder and a slash.
    let range = (
        Bound::Included(format!("{folder}/")),
        Bound::Excluded(format!("{folder}0")),
    );
    let below: Vec<_> = files.range(range).map(|(path, _)| path.clone()).collect();
    below.iter().filter_map(|path| files.remove_entry(path)).collect()
}

fn take_with_below<V>(files: &mut BTreeMap<String, V>, path: &str) -> Vec<(String, V)> {
    let mut taken = take_below(files, path);
    taken.extend(files.remove_entry(path));
    taken
}

fn limit(origin: &str, what: impl Into<String>, limit: String, raised_by: Option<Limit>) -> TreeError {
    TreeError::Limit {
        origin: origin.to_owned(),
        what: what.into(),
        limit,
        raised_by,
    }
}

#[cfg(test)]
mod tests;
