//! Writes layers as gzip-compressed tar files whose bytes depend only on the content.
//!
//! Members are sorted by path, and each follows the folders that contain it. They have the owner 0:0, the time 0 (or
//! `SOURCE_DATE_EPOCH`) and fixed modes. Long and non-ASCII paths are stored in PAX records. The gzip header contains
//! neither a time nor an operating system.

use super::digest::{Digest, Hasher, Hashing};
use super::error::ImageError;
use super::image::{Blob, Layer};
use super::layer_reader::MOST_COMPONENTS;
use super::manifest::{Descriptor, LAYER_GZIP};
use super::memory::MEMORY_LIMIT;
use super::problem::BuildProblem;
use crate::files::{FileError, open_regular};
use crate::tree::Tree;
use flate2::{Compression, GzBuilder};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::spooled_tempfile;

pub(super) const FILE_MODE: u32 = 0o644;
pub(super) const DIRECTORY_MODE: u32 = 0o755;
/// The default level of zlib. Higher levels take much longer but save only about one percent.
const LEVEL: u32 = 6;
/// The value for "unknown" in RFC 1952, so that the bytes are the same on all operating systems.
const GZIP_SYSTEM: u8 = 255;

/// A file to be written to a layer.
#[derive(Debug, Clone)]
pub struct LayerEntry {
    /// The path relative to the root of the image, such as `database/index.db`.
    pub path: String,
    /// Permission bits, such as `0o644` or `0o755`.
    pub mode: u32,
    /// The content of the file.
    pub content: EntryContent,
}

/// The content of a file in a layer.
#[derive(Debug, Clone)]
pub enum EntryContent {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// A file on disk, whose content is streamed.
    File(PathBuf),
    /// A symbolic link to this path.
    Link(String),
    /// Nothing: the entry is an empty folder.
    Folder,
}

/// Writes a tree as a layer. All files have the mode 0644 and the modification time `epoch` in seconds since 1970.
///
/// # Errors
/// Returns an error if a temporary file cannot be written.
pub fn layer_from_tree(tree: &Tree, epoch: u64) -> Result<Layer, ImageError> {
    let entries = tree
        .iter()
        .map(|(path, content)| (path, (FILE_MODE, FileContent::Bytes(content))));
    write_layer(entries.collect(), epoch)
}

/// Writes files in any order as a layer. All files have the modification time `epoch` in seconds since 1970.
///
/// # Errors
/// Returns an error if a path is not a plain relative path, is too deep, or appears twice, a file cannot be read, or a
/// temporary file cannot be written.
pub fn layer_from_files(entries: &[LayerEntry], epoch: u64) -> Result<Layer, ImageError> {
    write_layer(sources(entries)?, epoch)
}

/// Computes the digest of the tar file that [`layer_from_files`] would write, without compressing it.
pub(super) fn diff_id_of(entries: &[LayerEntry], epoch: u64) -> Result<Digest, ImageError> {
    let tar = write_tar(Hashing::new(io::sink()), sources(entries)?, epoch)?;
    Ok(tar.into_parts().1.finish())
}

fn sources(entries: &[LayerEntry]) -> Result<BTreeMap<&str, (u32, FileContent<'_>)>, ImageError> {
    let mut sources = BTreeMap::new();
    for entry in entries {
        let source = match &entry.content {
            EntryContent::Bytes(bytes) => FileContent::Bytes(bytes),
            EntryContent::File(path) => FileContent::File(path),
            EntryContent::Link(target) => FileContent::Link(target),
            EntryContent::Folder => FileContent::Folder,
        };
        if sources.insert(entry.path.as_str(), (entry.mode, source)).is_some() {
            let path = entry.path.clone();
            return Err(BuildProblem::Duplicate { path }.into());
        }
    }
    Ok(sources)
}

enum FileContent<'a> {
    Bytes(&'a [u8]),
    File(&'a Path),
    Link(&'a str),
    Folder,
}

fn write_layer(entries: BTreeMap<&str, (u32, FileContent<'_>)>, time: u64) -> Result<Layer, ImageError> {
    let spool = Hashing::new(spooled_tempfile(MEMORY_LIMIT));
    let gzip = GzBuilder::new().mtime(0).operating_system(GZIP_SYSTEM);
    let tar = Hashing::new(gzip.write(spool, Compression::new(LEVEL)));
    let (gzip, uncompressed) = write_tar(tar, entries, time)?.into_parts();
    let (spool, compressed) = gzip.finish().map_err(temporary)?.into_parts();
    Ok(into_layer(spool, compressed, uncompressed.finish()).map_err(temporary)?)
}

fn write_tar<W: Write>(to: W, entries: BTreeMap<&str, (u32, FileContent<'_>)>, time: u64) -> Result<W, ImageError> {
    check_paths(&entries)?;
    let mut tar = tar::Builder::new(to);
    let mut last_folder = "";
    for (path, (mode, source)) in entries {
        for folder in new_folders(last_folder, path) {
            let header = header(
                tar::Header::new_ustar(),
                tar::EntryType::Directory,
                DIRECTORY_MODE,
                0,
                time,
            );
            append(&mut tar, header, &format!("{folder}/"), &mut io::empty()).map_err(temporary)?;
        }
        last_folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        match source {
            FileContent::Bytes(bytes) => {
                let header = header(
                    tar::Header::new_ustar(),
                    tar::EntryType::Regular,
                    mode,
                    bytes.len() as u64,
                    time,
                );
                append(&mut tar, header, path, &mut &*bytes).map_err(temporary)?;
            }
            FileContent::File(file) => append_file(&mut tar, path, mode, file, time)?,
            FileContent::Link(target) => {
                let mut header = header(tar::Header::new_ustar(), tar::EntryType::Symlink, 0o777, 0, time);
                header.set_link_name_literal(target).map_err(temporary)?;
                append(&mut tar, header, path, &mut io::empty()).map_err(temporary)?;
            }
            FileContent::Folder => {
                let header = header(tar::Header::new_ustar(), tar::EntryType::Directory, mode, 0, time);
                append(&mut tar, header, &format!("{path}/"), &mut io::empty()).map_err(temporary)?;
            }
        }
    }
    Ok(tar.into_inner().map_err(temporary)?)
}

fn into_layer(spool: tempfile::SpooledTempFile, compressed: Hasher, diff_id: Digest) -> io::Result<Layer> {
    let size = compressed.length();
    let content = match spool.into_inner() {
        tempfile::SpooledData::InMemory(cursor) => Blob::Memory(cursor.into_inner().into()),
        tempfile::SpooledData::OnDisk(mut file) => {
            file.rewind()?;
            Blob::of_file(file, size)
        }
    };
    Ok(Layer {
        descriptor: Descriptor {
            media_type: LAYER_GZIP.to_owned(),
            digest: compressed.finish(),
            size,
        },
        diff_id: Some(diff_id),
        content,
    })
}

fn check_paths(entries: &BTreeMap<&str, (u32, FileContent<'_>)>) -> Result<(), BuildProblem> {
    for path in entries.keys() {
        let path = (*path).to_owned();
        if path.contains('\0') || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(BuildProblem::Path { path });
        }
        if path.split('/').count() > MOST_COMPONENTS {
            let limit = MOST_COMPONENTS;
            return Err(BuildProblem::Deep { path, limit });
        }
        let mut folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
        if let Some(folder) = folders.find(|folder| entries.contains_key(folder)) {
            let path = folder.to_owned();
            return Err(BuildProblem::Duplicate { path });
        }
    }
    Ok(())
}

/// Returns the parent folders of `path`, outermost first, except those already written for a path in `last_folder`.
fn new_folders<'a>(last_folder: &str, path: &'a str) -> impl Iterator<Item = &'a str> {
    let folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
    let written = format!("{last_folder}/");
    folders.filter(move |folder| !written.starts_with(&format!("{folder}/")))
}

/// Fills an empty tar header. The result does not depend on the current time or user.
pub(super) fn header(
    mut header: tar::Header,
    entry_type: tar::EntryType,
    mode: u32,
    size: u64,
    time: u64,
) -> tar::Header {
    header.set_entry_type(entry_type);
    header.set_mode(mode & 0o7777);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(time);
    header.set_size(size);
    header
}

fn append<W: Write>(
    tar: &mut tar::Builder<W>,
    mut header: tar::Header,
    path: &str,
    content: &mut dyn Read,
) -> io::Result<()> {
    if !path.is_ascii() || header.set_path(path).is_err() {
        tar.append_pax_extensions([("path", path.as_bytes())])?;
        // The path in the header is for readers that do not support PAX records; all other readers use the record.
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let plain: String = path.chars().map(plain).take(90).collect();
        header.set_path(plain)?;
    }
    header.set_cksum();
    tar.append(&header, content)
}

fn append_file<W: Write>(
    tar: &mut tar::Builder<W>,
    path: &str,
    mode: u32,
    file: &Path,
    time: u64,
) -> Result<(), ImageError> {
    let fail = |error| FileError::new("read", file, error);
    let opened = open_regular(file).map_err(fail)?;
    let size = opened.metadata().map_err(fail)?.len();
    let mut content = SizedFile {
        file: opened.take(size),
        left: size,
        failure: None,
    };
    let appended = append(
        tar,
        header(tar::Header::new_ustar(), tar::EntryType::Regular, mode, size, time),
        path,
        &mut content,
    );
    if let Some(error) = content.failure {
        return Err(fail(error).into());
    }
    appended.map_err(temporary)?;
    if content.left > 0 {
        let path = file.display().to_string();
        return Err(BuildProblem::Changed { path }.into());
    }
    Ok(())
}

/// A file reader that records read errors, to distinguish them from errors that occur while the layer is being written.
struct SizedFile {
    file: io::Take<File>,
    left: u64,
    failure: Option<io::Error>,
}

impl Read for SizedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.file.read(buffer) {
            Ok(read) => {
                self.left = self.left.saturating_sub(read as u64);
                Ok(read)
            }
            Err(error) => {
                let kind = error.kind();
                self.failure = Some(error);
                Err(kind.into())
            }
        }
    }
}

fn temporary(source: io::Error) -> BuildProblem {
    BuildProblem::Temporary { source }
}

#[cfg(test)]
pub(in crate::image) mod tests {
    use super::*;
    use crate::causes::with_causes;
    use crate::image::{ImageConfig, build, tree_of, validate};
    use crate::tree::TreeLimits;
    use proptest::prelude::*;
    use tar::EntryType::{Directory, Regular};

    /// Returns incompressible bytes, which are the same for every call.
    pub(in crate::image) fn noise(length: usize) -> Vec<u8> {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let next = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_be_bytes()[0]
        };
        (0..length).map(next).collect()
    }

    fn everything(layer: Layer) -> Tree {
        let image = build(&ImageConfig::default(), vec![layer]).unwrap();
        validate(&image).unwrap();
        tree_of(&image, &|_| true, &TreeLimits::default()).unwrap()
    }

    fn members(layer: &Layer) -> Vec<(String, tar::EntryType, u32, u64)> {
        let mut bytes = Vec::new();
        let gzip = flate2::read::GzDecoder::new(layer.content.open().unwrap());
        tar::Archive::new(gzip)
            .entries()
            .unwrap()
            .map(|entry| {
                let mut entry = entry.unwrap();
                entry.read_to_end(&mut bytes).unwrap();
                let header = entry.header();
                assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
                let path = entry.path().unwrap().display().to_string();
                (
                    path,
                    header.entry_type(),
                    header.mode().unwrap(),
                    header.mtime().unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn folders_precede_their_files_with_fixed_modes_and_times() {
        let file = |content| (FILE_MODE, FileContent::Bytes(content));
        let files = BTreeMap::from([("b/c/1", file(b"x")), ("b-a", file(b"y")), ("b/d", file(b"z"))]);
        let layer = write_layer(files, 0).unwrap();
        let expected = [
            ("b-a", Regular, 0o644, 0),
            ("b/", Directory, 0o755, 0),
            ("b/c/", Directory, 0o755, 0),
            ("b/c/1", Regular, 0o644, 0),
            ("b/d", Regular, 0o644, 0),
        ];
        let expected = expected.map(|(path, kind, mode, time)| (path.to_owned(), kind, mode, time));
        assert_eq!(members(&layer), expected);
    }

    #[test]
    fn the_digest_of_a_layer_is_fixed() {
        // A change to the compressor, its level or a header would change the digests of all existing bundles.
        let files = BTreeMap::from([("manifests/a.yaml", (FILE_MODE, FileContent::Bytes(b"kind: A\n")))]);
        let layer = write_layer(files, 0).unwrap();
        assert_eq!(
            layer.descriptor.digest.to_string(),
            "sha256:387c12797b3c66af61714653499c61e6c024c215c6d8b49bcaddbe37d10c8578"
        );
    }

    #[test]
    fn a_build_time_is_set_in_every_member() {
        let entries = BTreeMap::from([("a/b", (0o755, FileContent::Bytes(b"x")))]);
        let layer = write_layer(entries, 1_700_000_000).unwrap();
        assert!(members(&layer).iter().all(|member| member.3 == 1_700_000_000));
    }

    #[test]
    fn files_of_any_size_mode_and_links_are_written() {
        let directory = tempfile::tempdir().unwrap();
        let large = directory.path().join("large");
        let content = noise(12 << 20);
        std::fs::write(&large, &content).unwrap();
        let entries = [
            LayerEntry {
                path: "database/index.db".to_owned(),
                mode: 0o644,
                content: EntryContent::File(large),
            },
            LayerEntry {
                path: "bin/opmx".to_owned(),
                mode: 0o755,
                content: EntryContent::Bytes(b"program".to_vec()),
            },
            LayerEntry {
                path: "bin/probe".to_owned(),
                mode: 0o755,
                content: EntryContent::Link("opmx".to_owned()),
            },
        ];
        let layer = layer_from_files(&entries, 0).unwrap();
        assert!(
            matches!(layer.content, Blob::Section { .. }),
            "large layers belong on disk"
        );
        let image = build(&ImageConfig::default(), vec![layer.clone()]).unwrap();
        validate(&image).unwrap();
        let extracted = directory.path().join("out");
        crate::image::extract_file(&image, "/database/index.db", &extracted, u64::MAX).unwrap();
        assert_eq!(std::fs::read(extracted).unwrap(), content);
        let modes: Vec<_> = members(&layer).into_iter().map(|member| (member.0, member.2)).collect();
        assert!(modes.contains(&("bin/opmx".to_owned(), 0o755)), "{modes:?}");
        assert!(members(&layer).iter().any(|member| member.1 == tar::EntryType::Symlink));
    }

    #[test]
    fn paths_that_cannot_be_members_are_rejected() {
        let entry = |path: &str| LayerEntry {
            path: path.to_owned(),
            mode: 0o644,
            content: EntryContent::Bytes(Vec::new()),
        };
        for path in ["", "/a", "a/", "../a", "a/./b", "a\0b"] {
            let error = with_causes(&layer_from_files(&[entry(path)], 0).unwrap_err());
            assert!(error.contains("not a plain relative path"), "{error}");
        }
        let deepest = vec!["a"; MOST_COMPONENTS].join("/");
        assert!(
            everything(layer_from_files(&[entry(&deepest)], 0).unwrap())
                .get(&deepest)
                .is_some()
        );
        let error = with_causes(&layer_from_files(&[entry(&format!("a/{deepest}"))], 0).unwrap_err());
        assert!(error.ends_with("has more than 64 components"), "{error}");
        let error = with_causes(&layer_from_files(&[entry("a"), entry("a")], 0).unwrap_err());
        assert!(error.contains("a is added twice"), "{error}");
        let error = with_causes(&layer_from_files(&[entry("a"), entry("a/b")], 0).unwrap_err());
        assert!(error.contains("a is added twice"), "{error}");
    }

    #[test]
    fn a_missing_file_is_reported() {
        let entry = LayerEntry {
            path: "a".to_owned(),
            mode: 0o644,
            content: EntryContent::File("/nowhere/at/all".into()),
        };
        let error = layer_from_files(&[entry], 0).unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }

    proptest! {
        #[test]
        fn a_tree_survives_its_layer(
            files in proptest::collection::btree_map(
                "([a-zé]{1,40}/){0,6}[a-z .:_-]{1,120}[a-z]",
                proptest::collection::vec(any::<u8>(), 0..600),
                0..12,
            )
        ) {
            let mut tree = Tree::new("test");
            for (path, content) in &files {
                // No path may be below a file.
                if !files.keys().any(|other| path.starts_with(&format!("{other}/")) || other.starts_with(&format!("{path}/"))) {
                    tree.insert(path, content.clone(), &TreeLimits::default()).unwrap();
                }
            }
            let layer = layer_from_tree(&tree, 0).unwrap();
            let back = everything(layer.clone());
            prop_assert_eq!(back.iter().collect::<Vec<_>>(), tree.iter().collect::<Vec<_>>());

            let entries: Vec<_> = tree.iter().map(|(path, content)| LayerEntry {
                path: path.to_owned(),
                mode: 0o644,
                content: EntryContent::Bytes(content.to_vec()),
            }).collect();
            let entries: Vec<_> = entries.into_iter().rev().collect();
            prop_assert_eq!(layer_from_files(&entries, 0).unwrap().descriptor, layer.descriptor);
        }
    }
}
