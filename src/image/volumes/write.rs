//! Writes volumes in any order, and resumes interrupted runs.

use super::super::digest::{Digest, Hasher};
use super::super::layer_writer::{self, FILE_MODE};
use super::plan::{BLOCK, Content, END, Member, Volume};
use super::{VolumeFile, blob_path, file_name, write_at};
use crate::concurrent;
use crate::files::{self, FileError, open_or_create, open_to_change};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The maximum number of volumes that are open at the same time. An archive may have more volumes than a process may
/// open files.
const OPEN_VOLUMES: usize = 32;
/// The file name suffix of an unfinished volume.
const PARTIAL: &str = ".partial";
const PIECE: usize = 1 << 20;
/// The two empty blocks at the end of a tar file.
const END_OF_TAR: [u8; 1024] = [0; 1024];

/// A writer for volumes. The volumes are renamed to their final names once they are complete.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    name: String,
    volumes: Vec<Volume>,
    /// The open volumes by position in `volumes`; the last one was used last.
    open: Mutex<VecDeque<(usize, File)>>,
    /// The positions of the blobs: the volume, the offset in the volume, and the size in bytes.
    blobs: BTreeMap<Digest, Vec<(usize, u64, u64)>>,
    /// Whether an earlier run has written volumes to the folder.
    resumed: bool,
}

impl Writer {
    /// Opens the volumes `NAME-0001.tar`, `NAME-0002.tar` and so on in a folder, including unfinished volumes of an
    /// earlier run.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written.
    pub fn open(folder: &Path, name: &str, volumes: Vec<Volume>) -> Result<Self, FileError> {
        fs::create_dir_all(folder).map_err(|error| FileError::new("create the directory", folder, error))?;
        let (mut blobs, mut resumed) = (BTreeMap::new(), false);
        for (place, volume) in volumes.iter().enumerate() {
            let path = folder.join(file_name(name, place + 1));
            let partial = partial_of(&path);
            // A volume with its final name is treated as unfinished, because the archive is incomplete.
            if fs::symlink_metadata(&path).is_ok() {
                fs::rename(&path, &partial).map_err(|error| FileError::new("rename", &path, error))?;
            }
            resumed |= fs::symlink_metadata(&partial).is_ok();
            let fail = |error| FileError::new("write", &partial, error);
            let file = open_or_create(&partial).map_err(fail)?;
            file.set_len(volume.bytes).map_err(fail)?;
            for member in &volume.members {
                if let Content::Blob { digest, .. } = &member.content {
                    let known: &mut Vec<_> = blobs.entry(*digest).or_default();
                    known.push((place, member.start, member.length));
                }
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            name: name.to_owned(),
            volumes,
            open: Mutex::default(),
            blobs,
            resumed,
        })
    }

    /// Whether an earlier run wrote a blob completely.
    ///
    /// # Errors
    /// Returns an error if a volume cannot be read.
    pub fn has(&self, digest: &Digest) -> Result<bool, FileError> {
        if !self.resumed {
            return Ok(false);
        }
        let mut hasher = Hasher::new();
        for (volume, start, length) in self.blobs.get(digest).into_iter().flatten() {
            self.hash(*volume, *start, *length, &mut hasher)?;
        }
        Ok(hasher.finish() == *digest)
    }

    fn hash(&self, volume: usize, start: u64, length: u64, hasher: &mut Hasher) -> Result<(), FileError> {
        self.with(volume, "read", |mut file| {
            file.seek(SeekFrom::Start(start))?;
            let mut taken = file.take(length);
            let mut piece = vec![0; PIECE];
            loop {
                match taken.read(&mut piece) {
                    Ok(0) => return Ok(()),
                    Ok(read) => hasher.update(piece.get(..read).unwrap_or_default()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        })
    }

    /// Uses an unfinished volume, and opens it if it is not open. `action` describes the use in an error message. If
    /// too many volumes are open, the one that has not been used for the longest time is synced and closed.
    fn with<T>(
        &self,
        volume: usize,
        action: &'static str,
        using: impl FnOnce(&File) -> io::Result<T>,
    ) -> Result<T, FileError> {
        let fail = |error| FileError::new(action, self.partial(volume), error);
        let mut open = concurrent::lock(&self.open);
        let known = open.iter().position(|(known, _)| *known == volume);
        let file = if let Some((_, file)) = known.and_then(|position| open.remove(position)) {
            file
        } else {
            if open.len() >= OPEN_VOLUMES
                && let Some((oldest, file)) = open.pop_front()
            {
                // Errors of delayed writes are reported reliably only before the file is closed.
                let synced = file.sync_data();
                synced.map_err(|error| FileError::new("write", self.partial(oldest), error))?;
            }
            let path = self.partial(volume);
            open_to_change(&path).map_err(fail)?
        };
        let used = using(&file);
        open.push_back((volume, file));
        used.map_err(fail)
    }

    /// Writes bytes of a blob, starting at the offset `position` in the blob.
    ///
    /// # Errors
    /// Returns an error if a volume cannot be written, or the bytes exceed the size of the blob.
    pub fn write(&self, digest: &Digest, mut position: u64, mut bytes: &[u8]) -> Result<(), FileError> {
        let mut begin = 0;
        for (volume, start, length) in self.blobs.get(digest).into_iter().flatten() {
            let end = begin + length;
            if position < end && !bytes.is_empty() {
                let fits = usize::try_from(end - position).unwrap_or(usize::MAX).min(bytes.len());
                let (now, rest) = bytes.split_at(fits);
                self.with(*volume, "write", |file| write_at(file, now, start + position - begin))?;
                position += fits as u64;
                bytes = rest;
            }
            begin = end;
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let error = io::Error::new(
            io::ErrorKind::InvalidData,
            format!("{digest} is larger than its stated size"),
        );
        Err(FileError::new("write", self.partial(0), error))
    }

    /// Finishes the volumes. Blobs in `missing` are renamed so that their bytes are not mistaken for valid content. All
    /// content is synced to disk before the volumes are renamed to their final names.
    ///
    /// # Errors
    /// Returns an error if the volumes cannot be written.
    pub fn finish(self, missing: &BTreeSet<Digest>) -> Result<Vec<VolumeFile>, FileError> {
        let mut written = Vec::new();
        for (place, volume) in self.volumes.iter().enumerate() {
            self.with(place, "write", |file| complete(file, volume, missing))?;
            let mut hasher = Hasher::new();
            self.hash(place, 0, volume.bytes, &mut hasher)?;
            written.push(VolumeFile {
                name: file_name(&self.name, place + 1),
                bytes: volume.bytes,
                sha256: hasher.finish(),
            });
        }
        for (place, volume) in written.iter().enumerate() {
            let (from, to) = (self.partial(place), self.folder.join(&volume.name));
            fs::rename(&from, &to).map_err(|error| FileError::new("rename", from, error))?;
        }
        self.remove_others(written.len());
        files::sync_directory(&self.folder)?;
        Ok(written)
    }

    /// Removes additional volumes that an earlier run with smaller volumes left behind.
    fn remove_others(&self, count: usize) {
        for number in count + 1.. {
            let path = self.folder.join(file_name(&self.name, number));
            if fs::remove_file(partial_of(&path)).is_err() && fs::remove_file(path).is_err() {
                return;
            }
        }
    }

    fn partial(&self, place: usize) -> PathBuf {
        partial_of(&self.folder.join(file_name(&self.name, place + 1)))
    }
}

/// Writes everything in a volume except the content of blobs, and syncs the volume to disk.
fn complete(file: &File, volume: &Volume, missing: &BTreeSet<Digest>) -> io::Result<()> {
    for member in &volume.members {
        let header = header(member, missing);
        write_at(file, header.as_bytes(), member.start - BLOCK)?;
        if let Content::Fixed(fixed) = &member.content {
            write_at(file, &fixed.bytes, member.start)?;
        }
        // The padding overwrites any bytes that an earlier run left after the content.
        let end = member.start + member.length;
        let padding = vec![0; usize::try_from(end.next_multiple_of(BLOCK) - end).unwrap_or_default()];
        write_at(file, &padding, end)?;
    }
    write_at(file, &END_OF_TAR, volume.bytes - END)?;
    file.sync_all()
}

fn partial_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PARTIAL);
    name.into()
}

/// Returns the header of a member.
fn header(member: &Member, missing: &BTreeSet<Digest>) -> tar::Header {
    let path = match &member.content {
        Content::Fixed(fixed) => fixed.path.clone(),
        Content::Blob { digest, part, .. } => {
            let path = blob_path(digest, *part);
            if missing.contains(digest) {
                format!("{path}.missing")
            } else {
                path
            }
        }
    };
    let empty = tar::Header::new_gnu();
    let mut header = layer_writer::header(empty, tar::EntryType::Regular, FILE_MODE, member.length, 0);
    // The paths are short enough for the header.
    let _ = header.set_path(path);
    header.set_cksum();
    header
}

#[cfg(test)]
mod tests {
    use super::super::{Fixed, read_volumes, volumes};
    use super::*;

    const COUNT: u8 = 40;

    /// Returns the content of each blob; each blob fills most of a volume, except one that fills several.
    fn contents() -> BTreeMap<Digest, Vec<u8>> {
        let size = |number: u8| if number == 0 { 300_000 } else { 60_000 };
        let blob = |number: u8| vec![number; size(number)];
        (0..COUNT).map(blob).map(|blob| (Digest::of(&blob), blob)).collect()
    }

    #[test]
    fn volumes_are_written_and_read_without_keeping_all_of_them_open() {
        let folder = tempfile::tempdir().unwrap();
        let contents = contents();
        let sizes = contents.iter().map(|(digest, blob)| (*digest, blob.len() as u64));
        let each = [Fixed {
            path: "oci-layout".to_owned(),
            bytes: b"{}".to_vec().into(),
        }];
        let planned = volumes(&[], &each, &sizes.collect(), 80_000).unwrap();
        assert!(planned.len() > OPEN_VOLUMES, "{}", planned.len());
        let writer = Writer::open(folder.path(), "mirror", planned).unwrap();
        for (digest, blob) in &contents {
            for (place, piece) in blob.chunks(10_000).enumerate() {
                writer.write(digest, place as u64 * 10_000, piece).unwrap();
            }
            assert!(writer.open.lock().unwrap().len() <= OPEN_VOLUMES);
        }
        let files = writer.finish(&BTreeSet::new()).unwrap();
        let read = read_volumes(folder.path(), &files).unwrap();
        #[cfg(target_os = "linux")]
        {
            let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
            let open = open.filter_map(|entry| fs::read_link(entry.path()).ok());
            assert_eq!(open.filter(|file| file.starts_with(folder.path())).count(), 0);
        }
        for (digest, blob) in &contents {
            let mut found = Vec::new();
            let held = read.blob(digest, blob.len() as u64).unwrap();
            held.open().unwrap().read_to_end(&mut found).unwrap();
            assert!(found == *blob, "{digest}");
        }
    }

    #[test]
    fn a_volume_replaced_after_verification_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let blob = vec![1; 60_000];
        let digest = Digest::of(&blob);
        let planned = volumes(&[], &[], &BTreeMap::from([(digest, 60_000)]), 80_000).unwrap();
        let writer = Writer::open(folder.path(), "mirror", planned).unwrap();
        writer.write(&digest, 0, &blob).unwrap();
        let files = writer.finish(&BTreeSet::new()).unwrap();
        let held = read_volumes(folder.path(), &files)
            .unwrap()
            .blob(&digest, 60_000)
            .unwrap();
        let (path, other) = (folder.path().join(&files[0].name), folder.path().join("other"));
        fs::copy(&path, &other).unwrap();
        fs::rename(&other, &path).unwrap();
        let Err(error) = held.open() else {
            panic!("another file was read")
        };
        assert!(
            error.path == path && error.source.to_string().contains("was changed"),
            "{error}"
        );
    }
}
