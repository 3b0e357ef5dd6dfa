//! OCI archives: an OCI image layout in a single tar file. Container tools use the transport name `oci-archive:`.

use super::digest::Digest;
use super::error::ImageError;
use super::image::{Blob, Image};
use super::layer_reader::plain_path;
use super::layer_writer::{DIRECTORY_MODE, FILE_MODE, header};
use super::layout::{INDEX_FILE, LayoutSource};
use super::layout_writer::{LAYOUT_CONTENT, blobs_of, copy_blob, wait_for, with_entry};
use super::manifest::{Descriptor, LAYOUT_INDEX_LIMIT, layout_index};
use super::platform::Platform;
use super::problem::ContentProblem;
use super::tag_state::{Race, TagState};
use super::tagged_image::Tagged;
use crate::concurrent::Cancellation;
use crate::files::{self, FileError, Replacement, open_regular};
use crate::limit::Limit;
use crate::tree::LAYOUT_FILE;
use flate2::bufread::MultiGzDecoder;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;

/// The maximum number of members in an archive.
const MEMBER_LIMIT: usize = 100_000;

/// Reads the image with this tag or digest from an archive, or the only image if `tag` is `None`.
///
/// The layers are read from the file on demand, so the file must not be modified in place while the image is in use. A
/// gzip-compressed archive is first unpacked to a temporary file of at most `limit` bytes.
///
/// # Errors
/// Returns an error if the file is not a tar file with an OCI image layout, the image does not exist, or its manifest
/// or config is damaged.
pub fn read_archive(file: &Path, tag: Option<&str>, platform: &Platform, limit: u64) -> Result<Image, ImageError> {
    open_archive(file, tag, limit)?.read(tag, platform)
}

/// Returns the state of the image that [`write_archive`] would replace: the image with this tag or, if there is none,
/// the first image.
///
/// # Errors
/// Returns an error if the archive exists but cannot be read.
pub(super) fn state_in_archive(file: &Path, tag: Option<&str>, limit: u64) -> Result<TagState, ImageError> {
    if fs::symlink_metadata(file).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(TagState::Absent);
    }
    Ok(open_archive(file, tag, limit)?
        .first(tag)
        .map_or(TagState::Absent, TagState::Image))
}

/// The position of a member's content in the tar file.
#[derive(Clone, Copy)]
struct Place {
    start: u64,
    length: u64,
}

pub(super) fn open_archive(path: &Path, tag: Option<&str>, limit: u64) -> Result<LayoutSource<'static>, ImageError> {
    let origin = super::Reference::Archive {
        file: path.to_owned(),
        tag: tag.map(str::to_owned),
    };
    let origin = origin.to_string();
    let fail = |error| FileError::new("read", path, error);
    let file = open_regular(path).map_err(fail)?;
    let file = uncompressed(file, &origin, limit).map_err(|error| match error {
        Unpacking::File(error) => fail(error).into(),
        Unpacking::Failed(error) => error,
    })?;
    let damaged = |error| ContentProblem::Damaged(error).of(&origin, "the archive");
    let (index, blobs) = places(&file, &origin).map_err(damaged)?;
    let file = Arc::new(file);
    let section = move |place: Place| Blob::Section {
        file: Arc::clone(&file),
        start: place.start,
        length: place.length,
    };
    let index = index.ok_or_else(|| ImageError::NotFound {
        image: origin.clone(),
        what: format!("an OCI image layout ({INDEX_FILE} in the archive)"),
        available: Vec::new(),
    })?;
    if index.length > LAYOUT_INDEX_LIMIT {
        let problem = ContentProblem::TooLarge {
            limit: LAYOUT_INDEX_LIMIT,
            raised_by: None,
        };
        return Err(problem.of(origin, INDEX_FILE));
    }
    let mut bytes = Vec::new();
    section(index).open()?.read_to_end(&mut bytes).map_err(fail)?;
    let entries = layout_index(&bytes)
        .map_err(|problem| problem.of(&origin, INDEX_FILE))?
        .into();
    let image = origin.clone();
    Ok(LayoutSource {
        origin,
        entries,
        blob: Box::new(move |descriptor| {
            let part = || format!("the blob {}", descriptor.digest);
            let place = blobs.get(&descriptor.digest).copied();
            let place = place.ok_or_else(|| ImageError::NotFound {
                image: image.clone(),
                what: part(),
                available: Vec::new(),
            })?;
            let (expected, found) = (descriptor.size, place.length);
            if expected != found {
                return Err(ContentProblem::WrongSize { expected, found }.of(&image, part()));
            }
            Ok(section(place))
        }),
    })
}

enum Unpacking {
    File(io::Error),
    Failed(ImageError),
}

/// Returns the file itself or, if it is compressed, an unnamed temporary file with its uncompressed content.
fn uncompressed(mut file: File, origin: &str, limit: u64) -> Result<File, Unpacking> {
    let mut start = Vec::new();
    (&mut file).take(2).read_to_end(&mut start).map_err(Unpacking::File)?;
    file.rewind().map_err(Unpacking::File)?;
    if start != [0x1f, 0x8b] {
        return Ok(file);
    }
    let fail = |problem: ContentProblem| Unpacking::Failed(problem.of(origin, "the archive"));
    let temporary = |source| Unpacking::Failed(super::BuildProblem::Temporary { source }.into());
    let mut unpacked = tempfile::tempfile().map_err(temporary)?;
    let mut decoder = MultiGzDecoder::new(BufReader::new(file));
    let mut buffer = vec![0; 64 << 10];
    let mut total = 0;
    loop {
        let read = decoder
            .read(&mut buffer)
            .map_err(|error| fail(ContentProblem::Damaged(error)))?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        total += read as u64;
        if total > limit {
            return Err(fail(ContentProblem::TooLarge {
                limit,
                raised_by: Some(Limit::ImageBytes),
            }));
        }
        unpacked.write_all(bytes).map_err(temporary)?;
    }
    unpacked.rewind().map_err(temporary)?;
    Ok(unpacked)
}

/// Locates the archive members without reading their content.
fn places(file: &File, origin: &str) -> io::Result<(Option<Place>, HashMap<Digest, Place>)> {
    let length = file.metadata()?.len();
    let mut archive = tar::Archive::new(BufReader::new(file.try_clone()?));
    let (mut index, mut blobs) = (None, HashMap::new());
    for (count, entry) in archive.entries_with_seek()?.raw(true).enumerate() {
        let entry = entry?;
        if count > MEMBER_LIMIT {
            return Err(io::Error::other(format!("more than {MEMBER_LIMIT} members")));
        }
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let place = Place {
            start: entry.raw_file_position(),
            length: entry.size(),
        };
        if place.start.saturating_add(place.length) > length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Ok((path, _)) = plain_path(origin, &entry.path_bytes()) else {
            continue;
        };
        if path == INDEX_FILE {
            index = Some(place);
        } else if let Some(hex) = path.strip_prefix("blobs/sha256/")
            && let Ok(digest) = format!("sha256:{hex}").parse()
        {
            blobs.insert(digest, place);
        }
    }
    Ok((index, blobs))
}

/// Writes an archive that contains only this image. Its bytes depend only on the image and the tag.
///
/// # Errors
/// Returns an error if the file cannot be written, or a layer does not match its descriptor. In either case, an
/// existing file is left unchanged.
pub fn write_archive(image: &Image, file: &Path, tag: Option<&str>) -> Result<(), ImageError> {
    let file = files::behind_links(file)?;
    match prepared(&image.into(), &file, tag, &Cancellation::default())? {
        Some(replacement) => Ok(replacement.commit()?),
        None => Ok(()),
    }
}

/// Like [`write_archive`], but also supports images for several platforms. If `over` is `Some`, the archive must still
/// be in that state when it is replaced. The replaced archive must not unpack to more than `limit` bytes. Once
/// cancelled, it does not replace the archive.
///
/// # Errors
/// Returns an error in the same cases as [`write_archive`], or if the archive is no longer in the state `over`.
pub(super) fn replace_archive(
    tagged: &Tagged,
    file: &Path,
    tag: Option<&str>,
    over: Option<TagState>,
    limit: u64,
    cancellation: &Cancellation,
) -> Result<(), ImageError> {
    let replaced = files::behind_links(file)?;
    let Some(replacement) = prepared(tagged, &replaced, tag, cancellation)? else {
        return Ok(());
    };
    let folder = files::directory_of(&replaced);
    // Writing replaces the file itself, so writers lock its folder instead.
    let lock = File::open(&folder).map_err(|error| FileError::new("read", &folder, error))?;
    wait_for(&lock, &folder)?;
    if let Some(over) = over {
        let found = state_in_archive(file, tag, limit)?;
        if found != over {
            let (file, tag) = (file.to_owned(), tag.map(str::to_owned));
            let image = super::Reference::Archive { file, tag }.to_string();
            let race = Race::Before { found };
            return Err(ImageError::Moved { image, race });
        }
    }
    if cancellation.is_requested() {
        return Ok(());
    }
    Ok(replacement.commit()?)
}

/// Writes the complete archive next to the file that it will replace. Returns `None` if it was cancelled.
fn prepared(
    tagged: &Tagged,
    file: &Path,
    tag: Option<&str>,
    cancellation: &Cancellation,
) -> Result<Option<Replacement>, ImageError> {
    let origin = tagged.origin();
    let mut replacement = Replacement::new(file)?;
    let fail = |error| FileError::new("write", file, error);
    let mut output = BufWriter::with_capacity(256 << 10, replacement.file());
    let mut members: BTreeMap<String, (Descriptor, Blob, String)> = BTreeMap::new();
    for blob in blobs_of(tagged) {
        members.insert(format!("blobs/sha256/{}", blob.0.digest.hex()), blob);
    }
    for folder in ["blobs/", "blobs/sha256/"] {
        write_header(&mut output, folder, tar::EntryType::Directory, 0).map_err(fail)?;
    }
    for (path, (descriptor, blob, part)) in &members {
        if cancellation.is_requested() {
            return Ok(None);
        }
        write_header(&mut output, path, tar::EntryType::Regular, descriptor.size).map_err(fail)?;
        copy_blob(&origin, descriptor, blob, part, |bytes| {
            output.write_all(bytes).map_err(|error| fail(error).into())
        })?;
        pad(&mut output, descriptor.size).map_err(fail)?;
    }
    let index = with_entry(None, &tagged.document().descriptor, tag);
    let index = index.map_err(|problem| problem.of(&origin, INDEX_FILE))?;
    for (path, content) in [(INDEX_FILE, index.as_slice()), (LAYOUT_FILE, LAYOUT_CONTENT.as_bytes())] {
        let size = content.len() as u64;
        write_header(&mut output, path, tar::EntryType::Regular, size).map_err(fail)?;
        output.write_all(content).map_err(fail)?;
        pad(&mut output, size).map_err(fail)?;
    }
    output
        .write_all(&[0; 1024])
        .and_then(|()| output.flush())
        .map_err(fail)?;
    drop(output);
    Ok(Some(replacement))
}

fn write_header(output: &mut dyn Write, path: &str, entry_type: tar::EntryType, size: u64) -> io::Result<()> {
    let mode = if entry_type.is_dir() { DIRECTORY_MODE } else { FILE_MODE };
    let mut header = header(tar::Header::new_ustar(), entry_type, mode, size, 0);
    header.set_path(path)?;
    header.set_cksum();
    output.write_all(header.as_bytes())
}

fn pad(output: &mut dyn Write, size: u64) -> io::Result<()> {
    const BLOCK: [u8; 512] = [0; 512];
    let padding = usize::try_from(size.next_multiple_of(512) - size).unwrap_or_default();
    output.write_all(BLOCK.get(..padding).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::layout_writer::tests::{assert_same, image};
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::fs;

    const LIMIT: u64 = 64 << 20;

    #[test]
    fn an_image_survives_an_archive_and_archives_are_reproducible() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("bundle.tar");
        let written = image("one", true);
        write_archive(&written, &file, Some("v1")).unwrap();
        let digest = written.digest().to_string();
        for tag in [Some("v1"), Some(digest.as_str()), None] {
            assert_same(
                &read_archive(&file, tag, &Platform::default(), LIMIT).unwrap(),
                &written,
            );
        }
        let source = open_archive(&file, Some("v1"), LIMIT).unwrap();
        assert_eq!(source.find(Some("v1")).unwrap().digest, written.digest());
        let error = read_archive(&file, Some("v2"), &Platform::default(), LIMIT)
            .unwrap_err()
            .to_string();
        assert!(error.contains("the tag v2 was not found (available: v1)"), "{error}");
        let first = fs::read(&file).unwrap();
        write_archive(&written, &file, Some("v1")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), first);
    }

    #[test]
    fn an_archive_can_be_overwritten_with_an_image_read_from_it() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("bundle.tar");
        let written = image("one", true);
        write_archive(&written, &file, Some("v1")).unwrap();
        let read = read_archive(&file, None, &Platform::default(), LIMIT).unwrap();
        write_archive(&read, &file, Some("v2")).unwrap();
        assert_same(
            &read_archive(&file, Some("v2"), &Platform::default(), LIMIT).unwrap(),
            &written,
        );
    }

    #[test]
    fn a_compressed_archive_is_read_within_the_limit() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("bundle.tar");
        let written = image("one", false);
        write_archive(&written, &file, Some("v1")).unwrap();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&fs::read(&file).unwrap()).unwrap();
        fs::write(&file, gzip.finish().unwrap()).unwrap();
        assert_same(
            &read_archive(&file, Some("v1"), &Platform::default(), LIMIT).unwrap(),
            &written,
        );
        let error = read_archive(&file, Some("v1"), &Platform::default(), 1000)
            .unwrap_err()
            .to_string();
        assert!(error.contains("exceeds the limit of 1000 bytes"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_an_archive_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("bundle.tar");
        let read = || {
            read_archive(&file, None, &Platform::default(), LIMIT)
                .unwrap_err()
                .to_string()
        };
        assert!(read().contains("cannot read"), "{}", read());
        for content in ["", "not a tar file"] {
            fs::write(&file, content).unwrap();
            assert!(
                read().contains("OCI image layout") || read().contains("damaged"),
                "{}",
                read()
            );
        }
        write_archive(&image("one", true), &file, None).unwrap();
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        assert!(read().contains("the archive is damaged"), "{}", read());
    }
}
