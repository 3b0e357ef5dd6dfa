//! Files out of an image: all the wanted ones as a tree, or one large one onto the disk.
//!
//! Layers are read as streams, in one pass, and nothing but the wanted files is kept.

use super::error::{ContentProblem, ImageError};
use super::image::Image;
use super::layer_reader::{Kind, LayerReader, Member, Stop, UnpackLimit, plain_path};
use crate::files::{FileError, Replacement};
use crate::tree::{Tree, TreeError, TreeLimits};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::ops::Bound;
use std::path::Path;

/// Bytes that the layers of an image may unpack to, all together, unless told otherwise.
pub const DEFAULT_IMAGE_LIMIT: u64 = 64 << 30;
/// An image may hold this many times more than the files that are wanted from it.
const UNWANTED_FACTOR: u64 = 16;
/// Bytes of a tar file that a small file costs besides its content.
const HEADER_ALLOWANCE: u64 = 4096;

/// A path of the layers read so far.
enum Found {
    File(Vec<u8>),
    Refused(&'static str),
}

type Files = BTreeMap<String, Found>;

/// Reads the files that are `wanted`, layer over layer, as the image's file system shows them.
///
/// `wanted` is asked with plain relative paths (`manifests/csv.yaml`); about a link also with a slash behind it, since it
/// may stand for a folder.
///
/// # Errors
/// When a layer is damaged, cut short, unpacks to more than 16 times the limit of all files, or holds a path that climbs;
/// when a wanted path is a link, device or pipe; when the wanted files pass a limit.
pub fn tree_of(image: &Image, wanted: &dyn Fn(&str) -> bool, limits: &TreeLimits) -> Result<Tree, ImageError> {
    let origin = image.origin();
    let mut lower = Files::new();
    let mut budget = UnpackLimit {
        bytes: limits.total_bytes.saturating_mul(UNWANTED_FACTOR) + limits.files as u64 * HEADER_ALLOWANCE,
        option: "--max-total-size",
    };
    for layer in image.layers() {
        let mut upper = Files::new();
        let mut held = lower.values().map(Found::bytes).sum();
        let reader = LayerReader::open(origin, layer, budget)?;
        let unpacked = reader.visit(&mut |member| {
            if let Some(hidden) = Whiteout::of(&member.path) {
                hidden.apply(&mut lower);
                return Ok(());
            }
            let found = read_member(origin, member, wanted, limits, &mut held, [&mut lower, &mut upper])?;
            if let Some((path, found)) = found {
                upper.insert(path, found);
            }
            if upper.len() + lower.len() > limits.files {
                return Err(limit(origin, "the number of files", limits.files.to_string(), "--max-files").into());
            }
            Ok(())
        })?;
        budget.bytes = budget.bytes.saturating_sub(unpacked);
        lower.append(&mut upper);
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

/// Clears what the member replaces, and reads it if it is wanted.
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
    } = member;
    for files in layers {
        files.remove(&path);
        if kind != Kind::Directory {
            remove_below(files, &path);
        }
        for parent in parents(&path) {
            if matches!(files.get(parent), Some(Found::File(_))) {
                files.remove(parent);
            }
        }
    }
    match kind {
        // A name that is not UTF-8 shows by this character.
        Kind::File if path.contains('\u{fffd}') && wanted(&path) => Err(TreeError::PathEscape {
            origin: origin.to_owned(),
            path,
        }
        .into()),
        Kind::File if wanted(&path) => {
            if size > limits.file_bytes {
                let what = format!("the size of {path}");
                return Err(limit(origin, what, format!("{} bytes", limits.file_bytes), "--max-file-size").into());
            }
            *held += size;
            if *held > limits.total_bytes {
                let what = format!("the size of all files (reached at {path})");
                return Err(limit(
                    origin,
                    what,
                    format!("{} bytes", limits.total_bytes),
                    "--max-total-size",
                )
                .into());
            }
            let mut bytes = Vec::new();
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

/// Streams one file of the image's file system to `to`, which gets its content whole or not at all.
///
/// `limit` bounds the bytes that the layers may unpack to; [`DEFAULT_IMAGE_LIMIT`] suits index images. The layers are
/// read from the uppermost down, and those below the file not at all.
///
/// # Errors
/// When there is no such file, a layer is damaged or over the limit, the path is a link or device, or `to` cannot be
/// written.
pub fn extract_file(image: &Image, path: &str, to: &Path, limit: u64) -> Result<(), ImageError> {
    let origin = image.origin();
    let (wanted, _) = plain_path(origin, path.as_bytes())?;
    let mut budget = UnpackLimit {
        bytes: limit,
        option: "--max-image-size",
    };
    for layer in image.layers().iter().rev() {
        let mut found: Option<Replacement> = None;
        let mut hidden = false;
        let reader = LayerReader::open(origin, layer, budget)?;
        let unpacked = reader.visit(&mut |member| {
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

/// Copies exactly `size` bytes, telling a failing source from a failing target.
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

/// A mark in an upper layer that hides paths of the layers below it.
enum Whiteout {
    /// One path, with everything below it.
    Path(String),
    /// Everything below a folder, but not the folder.
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

    fn apply(&self, files: &mut Files) {
        match self {
            Self::Path(hidden) => {
                files.remove(hidden);
                remove_below(files, hidden);
            }
            Self::Below(folder) if folder.is_empty() => files.clear(),
            Self::Below(folder) => remove_below(files, folder),
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

fn remove_below(files: &mut Files, folder: &str) {
    // '0' is the byte behind '/', so this range is exactly what starts with the folder and a slash.
    let range = (
        Bound::Included(format!("{folder}/")),
        Bound::Excluded(format!("{folder}0")),
    );
    let below: Vec<_> = files.range(range).map(|(path, _)| path.clone()).collect();
    for path in below {
        files.remove(&path);
    }
}

fn limit(origin: &str, what: impl Into<String>, limit: String, option: &'static str) -> TreeError {
    TreeError::Limit {
        origin: origin.to_owned(),
        what: what.into(),
        limit,
        option,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::digest::Digest;
    use crate::image::image::{Blob, Layer};
    use crate::image::manifest::{Descriptor, LAYER_GZIP};
    use crate::image::{ImageConfig, build};
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use tar::EntryType;

    type Entry<'a> = (&'a str, EntryType, &'a [u8]);

    fn file<'a>(path: &'a str, content: &'a [u8]) -> Entry<'a> {
        (path, EntryType::Regular, content)
    }

    fn tar_of(entries: &[Entry<'_>]) -> Vec<u8> {
        let mut tar = tar::Builder::new(Vec::new());
        for (path, kind, content) in entries {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_size(content.len() as u64);
            if !kind.is_file() {
                header.set_link_name("target").unwrap();
            }
            // The tar crate does not write names that climb.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            tar.append(&header, *content).unwrap();
        }
        tar.into_inner().unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    fn layer(stored: Vec<u8>) -> Layer {
        Layer {
            descriptor: Descriptor {
                media_type: LAYER_GZIP.to_owned(),
                digest: Digest::of(&stored),
                size: stored.len() as u64,
            },
            diff_id: Some(Digest::of(b"not looked at")),
            content: Blob::Memory(stored.into()),
        }
    }

    fn image_of_layers(layers: Vec<Layer>) -> Image {
        build(&ImageConfig::default(), layers).unwrap()
    }

    fn image(layers: &[&[Entry<'_>]]) -> Image {
        image_of_layers(layers.iter().map(|entries| layer(gzip(&tar_of(entries)))).collect())
    }

    fn manifests(path: &str) -> bool {
        path.starts_with("manifests/")
    }

    fn read(image: &Image) -> Result<Vec<(String, String)>, String> {
        match tree_of(image, &manifests, &TreeLimits::default()) {
            Ok(tree) => Ok(tree
                .iter()
                .map(|(path, content)| (path.to_owned(), String::from_utf8_lossy(content).into_owned()))
                .collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn files(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter()
            .map(|(path, content)| ((*path).to_owned(), (*content).to_owned()))
            .collect()
    }

    fn extract(image: &Image, path: &str, limit: u64) -> Result<String, String> {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("out");
        let extracted = extract_file(image, path, &target, limit);
        let left = std::fs::read_dir(directory.path()).unwrap().count();
        match extracted {
            Ok(()) => Ok(std::fs::read_to_string(target).unwrap()),
            Err(error) => {
                assert_eq!(left, 0, "nothing may be left behind");
                Err(error.to_string())
            }
        }
    }

    #[test]
    fn later_layers_replace_and_hide_files_of_earlier_ones() {
        let image = image(&[
            &[
                file("manifests/a", b"1"),
                file("manifests/b", b"1"),
                file("./manifests/c/d", b"1"),
                file("other", b"1"),
            ],
            &[
                file("/manifests/a", b"2"),
                file("manifests/.wh.b", b""),
                file("manifests/.wh.c", b""),
            ],
        ]);
        assert_eq!(read(&image), Ok(files(&[("manifests/a", "2")])));
        assert_eq!(extract(&image, "manifests/a", 1 << 20), Ok("2".to_owned()));
        assert_eq!(extract(&image, "/other", 1 << 20), Ok("1".to_owned()));
        for hidden in ["manifests/b", "manifests/c/d", "manifests/c", "nothing"] {
            let error = extract(&image, hidden, 1 << 20).unwrap_err();
            assert!(error.contains(&format!("the file /{hidden} was not found")), "{error}");
        }
    }

    #[test]
    fn an_opaque_folder_hides_what_is_below_it_but_not_its_own_layer() {
        let image = image(&[
            &[file("manifests/a", b"1"), file("manifests/sub/b", b"1")],
            &[
                file("manifests/c", b"2"),
                file("manifests/.wh..wh..opq", b""),
                file("manifests/d", b"2"),
            ],
        ]);
        assert_eq!(read(&image), Ok(files(&[("manifests/c", "2"), ("manifests/d", "2")])));
        assert!(extract(&image, "manifests/a", 1 << 20).is_err());
        assert_eq!(extract(&image, "manifests/c", 1 << 20), Ok("2".to_owned()));
    }

    #[test]
    fn files_and_folders_take_each_others_place() {
        let folder = ("manifests/b", EntryType::Directory, b"".as_slice());
        let image = image(&[
            &[
                file("manifests/a/x", b"1"),
                file("manifests/b", b"1"),
                file("manifests/c", b"1"),
            ],
            &[file("manifests/a", b"2"), folder, file("manifests/c/y", b"2")],
        ]);
        assert_eq!(read(&image), Ok(files(&[("manifests/a", "2"), ("manifests/c/y", "2")])));
        assert!(extract(&image, "manifests/a/x", 1 << 20).is_err());
        assert!(extract(&image, "manifests/b", 1 << 20).is_err());
    }

    #[test]
    fn the_last_member_of_a_path_wins_within_a_layer() {
        let image = image(&[&[file("manifests/a", b"1"), file("./manifests/a", b"2")]]);
        assert_eq!(read(&image), Ok(files(&[("manifests/a", "2")])));
        assert_eq!(extract(&image, "manifests/a", 1 << 20), Ok("2".to_owned()));
    }

    #[test]
    fn layers_may_be_uncompressed_whatever_the_media_type_says() {
        let image = image_of_layers(vec![layer(tar_of(&[file("manifests/a", b"1")]))]);
        assert_eq!(read(&image), Ok(files(&[("manifests/a", "1")])));
    }

    #[test]
    fn climbing_paths_are_refused_wanted_or_not() {
        for path in ["../x", "manifests/../../x", "a/..", "/../etc/passwd"] {
            let image = image(&[&[file(path, b"1")]]);
            let error = read(&image).unwrap_err();
            assert!(
                error.contains("leads out of the folder") && error.contains(path),
                "{error}"
            );
            assert!(extract(&image, "x", 1 << 20).unwrap_err().contains("leads out"));
        }
    }

    #[test]
    fn links_devices_and_pipes_are_refused_where_files_are_wanted() {
        for (kind, name) in [
            (EntryType::Symlink, "symbolic link"),
            (EntryType::Link, "hard link"),
            (EntryType::Char, "character device"),
            (EntryType::Block, "block device"),
            (EntryType::Fifo, "named pipe"),
        ] {
            let wanted = image(&[&[("manifests/a", kind, b"")]]);
            let error = read(&wanted).unwrap_err();
            assert!(error.contains(&format!("manifests/a is a {name}")), "{error}");
            let error = extract(&wanted, "manifests/a", 1 << 20).unwrap_err();
            assert!(error.contains(name), "{error}");
            let folder = image(&[&[("manifests", kind, b"")]]);
            assert!(read(&folder).unwrap_err().contains(&format!("manifests is a {name}")));
            assert!(extract(&folder, "manifests/a", 1 << 20).unwrap_err().contains(name));
            let elsewhere = image(&[&[("etc/a", kind, b""), file("manifests/b", b"1")]]);
            assert_eq!(read(&elsewhere), Ok(files(&[("manifests/b", "1")])));
            let replaced = image(&[&[("manifests/a", kind, b"")], &[file("manifests/a", b"2")]]);
            assert_eq!(read(&replaced), Ok(files(&[("manifests/a", "2")])));
        }
    }

    #[test]
    fn a_gzip_bomb_is_stopped_while_it_unpacks() {
        let limits = TreeLimits {
            files: 10,
            file_bytes: 1 << 10,
            total_bytes: 1 << 16,
        };
        let zeros = vec![0; 4 << 20];
        let bomb = image(&[&[file("somewhere/else", &zeros)]]);
        let error = tree_of(&bomb, &manifests, &limits).unwrap_err().to_string();
        assert!(
            error.contains("--max-total-size") && error.contains("layer sha256:"),
            "{error}"
        );
        let error = extract(&bomb, "somewhere/else", 1 << 20).unwrap_err();
        assert!(error.contains("--max-image-size"), "{error}");
        let wanted = image(&[&[file("manifests/a", &zeros)]]);
        let error = tree_of(&wanted, &manifests, &limits).unwrap_err().to_string();
        assert!(error.contains("--max-file-size"), "{error}");
    }

    #[test]
    fn many_and_large_files_are_stopped_while_they_are_read() {
        let limits = TreeLimits {
            files: 2,
            file_bytes: 8,
            total_bytes: 12,
        };
        let many = image(&[
            &[file("manifests/a", b""), file("manifests/b", b"")],
            &[file("manifests/c", b"")],
        ]);
        let error = tree_of(&many, &manifests, &limits).unwrap_err().to_string();
        assert!(error.contains("--max-files"), "{error}");
        let large = image(&[&[file("manifests/a", b"12345678"), file("manifests/b", b"12345678")]]);
        let error = tree_of(&large, &manifests, &limits).unwrap_err().to_string();
        assert!(error.contains("--max-total-size"), "{error}");
    }

    #[test]
    fn long_names_of_any_claimed_length_stay_out_of_memory() {
        let name = vec![b'a'; 2 << 20];
        let image = image(&[&[
            ("././@LongLink", EntryType::GNULongName, &name),
            file("manifests/a", b"1"),
        ]]);
        let error = read(&image).unwrap_err();
        assert!(error.contains("headers are larger than 1 MiB"), "{error}");
    }

    #[test]
    fn sparse_files_are_refused() {
        let image = image(&[&[("manifests/a", EntryType::GNUSparse, b"")]]);
        assert!(read(&image).is_err());
    }

    #[test]
    fn a_layer_cut_short_is_named() {
        let noise = crate::image::layer::tests::noise(40_000);
        let tar = tar_of(&[file("manifests/a", &noise), file("manifests/b", b"2")]);
        let compressed = gzip(&tar);
        for stored in [&compressed[..compressed.len() / 2], &tar[..tar.len() / 2], &tar[..700]] {
            let layer = layer(stored.to_vec());
            let digest = layer.descriptor.digest;
            let image = image_of_layers(vec![layer]);
            for error in [
                read(&image).unwrap_err(),
                extract(&image, "manifests/b", 1 << 20).unwrap_err(),
            ] {
                assert!(error.contains(&format!("layer {digest} is cut short")), "{error}");
            }
        }
    }

    #[test]
    fn content_that_is_not_what_the_manifest_says_is_refused() {
        let stored = gzip(&tar_of(&[file("manifests/a", b"1")]));
        let mut other = layer(stored.clone());
        other.descriptor.digest = Digest::of(b"something else");
        let error = read(&image_of_layers(vec![other])).unwrap_err();
        assert!(error.contains("has the digest sha256:"), "{error}");
        let mut longer = layer(stored);
        longer.descriptor.size -= 1;
        let error = read(&image_of_layers(vec![longer])).unwrap_err();
        assert!(error.contains("bytes, expected"), "{error}");
    }

    #[test]
    fn zstd_and_noise_are_named() {
        let zstd = image_of_layers(vec![layer(vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0])]);
        assert!(read(&zstd).unwrap_err().contains("compressed with zstd"));
        let noise = image_of_layers(vec![layer(vec![7; 2000])]);
        assert!(read(&noise).unwrap_err().contains("is damaged"));
    }

    proptest! {
        #[test]
        fn damaged_layers_never_panic(flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6), compressed: bool) {
            let mut stored = tar_of(&[file("manifests/a", b"1"), ("manifests/b", EntryType::Symlink, b""), file("manifests/c", b"3")]);
            if compressed {
                stored = gzip(&stored);
            }
            for (index, byte) in flips {
                let index = index.index(stored.len());
                stored[index] = byte;
            }
            let image = image_of_layers(vec![layer(stored)]);
            let _ = read(&image);
            let _ = extract(&image, "manifests/c", 1 << 20);
        }
    }
}
