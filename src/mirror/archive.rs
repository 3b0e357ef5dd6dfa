//! Archives of plans: volumes that contain the content of a plan, and a file that lists the volumes.

mod error;
mod list;

pub use error::ArchiveError;
pub use list::{ArchiveList, Repositories, SCHEMA};

use super::collect::catalog_tag;
use super::naming::CATALOG;
use super::plan::{ExtrasByDigest, PLAN_LIMIT, Plan, PlannedBlob, PlannedImage};
use crate::files::{self, FileError};
use crate::image::volumes::{Fixed, Volumes, VolumesError, Writer, read_file, read_volumes, volumes};
use crate::image::{Digest, INDEX, INDEX_FILE, LAYOUT_CONTENT, REF_NAME};
use crate::tree::LAYOUT_FILE;
use list::list_at;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The path of the plan in the first volume.
const PLAN: &str = "opmx/plan.json";

/// An archive whose volumes have been verified.
#[derive(Debug, Clone)]
pub struct Archive {
    /// The path of the archive list.
    pub path: PathBuf,
    /// The archive list.
    pub list: ArchiveList,
    /// The plan of the archive.
    pub plan: Plan,
    /// The content of the archive.
    pub volumes: Volumes,
}

/// An archive that is being written.
#[derive(Debug)]
pub struct NewArchive {
    /// The list of the completed archive.
    pub list: ArchiveList,
    /// The path of the list.
    pub path: PathBuf,
    /// The writer of the content.
    pub writer: Writer,
    /// The digests of the content to write, each with its size in bytes. The volumes have space for all of them.
    pub wanted: BTreeMap<Digest, u64>,
    /// The lock on the folder.
    _lock: File,
}

/// The options for writing an archive.
#[derive(Debug, Clone)]
pub struct ArchiveOptions<'a> {
    /// The folder for the archive.
    pub folder: &'a Path,
    /// The prefix of the file names.
    pub name: &'a str,
    /// The maximum size of a volume in bytes.
    pub volume_size: u64,
    /// The folder or the list of a base archive, whose blobs are omitted.
    pub base: Option<&'a Path>,
}

/// Starts or resumes an archive of a plan, or repairs an archive whose volumes are missing or damaged. Returns `None`
/// if the archive is already complete. The folder is locked until the archive is finished or dropped.
///
/// # Errors
/// Returns an error if the folder contains another archive with this name, cannot be written, or is being written by
/// another run.
pub fn begin(plan: &Plan, options: &ArchiveOptions<'_>) -> Result<Option<NewArchive>, ArchiveError> {
    let lock = lock(options.folder)?;
    let path = options.folder.join(format!("{}.json", options.name));
    let bytes = plan.to_bytes();
    let (base, omitted) = match options.base {
        None => (None, BTreeMap::new()),
        Some(base) => based_on(base)?,
    };
    let list = ArchiveList {
        schema: SCHEMA.to_owned(),
        plan: Digest::of(&bytes),
        complete: true,
        volume_size: options.volume_size,
        volumes: Vec::new(),
        base,
        blobs: own_blobs(plan, &omitted),
        omitted,
        missing: BTreeMap::new(),
    };
    let mut wanted: BTreeMap<Digest, u64> = list
        .blobs
        .keys()
        .map(|digest| (*digest, plan.blobs[digest].bytes))
        .collect();
    wanted.extend(
        plan.manifests
            .iter()
            .map(|(digest, manifest)| (*digest, manifest.bytes)),
    );
    if path.exists() {
        let known = ArchiveList::read(&path)?;
        let same = |list: &ArchiveList| (list.plan, list.base);
        if same(&known) != same(&list) {
            return Err(ArchiveError::Taken { path });
        }
        if known.volume_size != list.volume_size {
            return Err(ArchiveError::OtherSize {
                path,
                recorded: known.volume_size,
                asked: list.volume_size,
            });
        }
        if known.complete && has_all(options.folder, &known, &wanted)? {
            return Ok(None);
        }
        // Remove the list, because it will no longer match the volumes.
        std::fs::remove_file(&path).map_err(|error| FileError::new("remove", &path, error))?;
    }
    let file = |path: &str, bytes: Vec<u8>| Fixed {
        path: path.to_owned(),
        bytes: bytes.into(),
    };
    let each = [
        file(LAYOUT_FILE, LAYOUT_CONTENT.into()),
        file(INDEX_FILE, index(plan).to_string().into_bytes()),
    ];
    let planned = volumes(&[file(PLAN, bytes)], &each, &wanted, options.volume_size)?;
    let writer = Writer::open(options.folder, options.name, planned)?;
    Ok(Some(NewArchive {
        list,
        path,
        writer,
        wanted,
        _lock: lock,
    }))
}

/// Locks a folder, and creates it if it does not exist.
fn lock(folder: &Path) -> Result<File, ArchiveError> {
    std::fs::create_dir_all(folder).map_err(|error| FileError::new("create the directory", folder, error))?;
    let locked = files::open_locked(folder, || File::open(folder));
    let locked = locked.map_err(|error| FileError::new("open", folder, error))?;
    locked.ok_or_else(|| ArchiveError::Busy {
        folder: folder.to_owned(),
    })
}

/// Whether the volumes in `list` are undamaged and contain all content in `wanted`.
fn has_all(folder: &Path, list: &ArchiveList, wanted: &BTreeMap<Digest, u64>) -> Result<bool, ArchiveError> {
    match read_volumes(folder, &list.volumes) {
        Ok(volumes) => Ok(wanted
            .iter()
            .all(|(digest, bytes)| volumes.blob(digest, *bytes).is_some())),
        Err(error @ VolumesError::File(_)) => Err(error.into()),
        Err(_) => Ok(false),
    }
}

impl NewArchive {
    /// Returns the digests of the content that an earlier run has written.
    ///
    /// # Errors
    /// Returns an error if a volume cannot be read.
    pub fn present(&self) -> Result<BTreeSet<Digest>, FileError> {
        let mut present = BTreeSet::new();
        for digest in self.wanted.keys() {
            if self.writer.has(digest)? {
                present.insert(*digest);
            }
        }
        Ok(present)
    }

    /// Finishes the archive without the content in `missing`, and writes the list last.
    ///
    /// # Errors
    /// Returns an error if the archive cannot be written.
    pub fn finish(mut self, missing: BTreeMap<Digest, String>) -> Result<ArchiveList, ArchiveError> {
        self.list.volumes = self.writer.finish(&missing.keys().copied().collect())?;
        self.list.blobs.retain(|digest, _| !missing.contains_key(digest));
        self.list.complete = missing.is_empty();
        self.list.missing = missing;
        files::write(&self.path, &self.list.to_bytes())?;
        Ok(self.list)
    }
}

impl Archive {
    /// Opens an archive by its folder or the path of its list. All volumes are read and verified.
    ///
    /// # Errors
    /// Returns an error if the archive cannot be read, or a volume is missing or damaged.
    pub fn open(place: &Path) -> Result<Self, ArchiveError> {
        let path = list_at(place)?;
        let list = ArchiveList::read(&path)?;
        let folder = files::directory_of(&path);
        let volumes = read_volumes(&folder, &list.volumes)?;
        let first = list.volumes.first().map(|volume| folder.join(&volume.name));
        let bytes = first
            .map(|first| read_file(&first, PLAN, PLAN_LIMIT as u64))
            .transpose()?
            .flatten();
        let bytes = bytes.unwrap_or_default();
        if Digest::of(&bytes) != list.plan {
            return Err(ArchiveError::Swapped { path });
        }
        let plan = Plan::parse(&bytes).map_err(|source| ArchiveError::Plan {
            path: path.clone(),
            source,
        })?;
        Ok(Self {
            path,
            list,
            plan,
            volumes,
        })
    }
}

impl Archive {
    /// Checks that the archive contains the content of a plan that was obtained independently.
    ///
    /// # Errors
    /// Returns an error if the archive contains another plan.
    pub fn require(&self, plan: &Plan) -> Result<(), ArchiveError> {
        if self.plan == *plan {
            return Ok(());
        }
        Err(ArchiveError::OtherPlan {
            path: self.path.clone(),
        })
    }

    /// Returns the reason why the archive lacks a part of the image or referrer with this digest; `None` if it is
    /// complete.
    pub fn lack_of(&self, root: Digest) -> Option<&str> {
        let (plan, missing) = (&self.plan, &self.list.missing);
        if missing.is_empty() {
            return None;
        }
        let mut manifests = Vec::new();
        plan.behind(root, &mut BTreeSet::new(), &mut manifests);
        let blobs = manifests.iter().filter_map(|digest| plan.manifests.get(digest));
        let blobs = blobs.flat_map(|manifest| &manifest.blobs);
        manifests
            .iter()
            .chain(blobs)
            .find_map(|digest| missing.get(digest))
            .map(String::as_str)
    }

    /// Returns the sources of the images that the archive does not contain completely.
    pub fn incomplete_images(&self) -> BTreeSet<&str> {
        let images = self.plan.images.iter();
        let incomplete = images.filter(|image| self.lack_of(image.digest).is_some());
        incomplete.map(|image| image.source.as_str()).collect()
    }
}

/// Returns the digest of the list of an archive, and all blobs in the archive and in the archives on which it is based.
fn based_on(place: &Path) -> Result<(Option<Digest>, Repositories), ArchiveError> {
    let path = list_at(place)?;
    let list = ArchiveList::read(&path)?;
    if !list.complete {
        return Err(ArchiveError::Incomplete { path });
    }
    let digest = Digest::of(&list.to_bytes());
    let mut blobs = list.omitted;
    for (digest, repositories) in list.blobs {
        blobs.entry(digest).or_default().extend(repositories);
    }
    Ok((Some(digest), blobs))
}

/// Returns the blobs of a plan that are not in `omitted`, each with its repositories.
fn own_blobs(plan: &Plan, omitted: &Repositories) -> Repositories {
    let host = plan.to.as_deref().and_then(|target| target.split('/').next());
    let repositories = |blob: &PlannedBlob| match host {
        Some(host) => blob.repositories.iter().map(|path| format!("{host}/{path}")).collect(),
        None => blob.sources.clone(),
    };
    let blobs = plan.blobs.iter();
    let blobs = blobs.filter(|(digest, _)| !omitted.contains_key(digest));
    blobs.map(|(digest, blob)| (*digest, repositories(blob))).collect()
}

/// Returns the index of the layout that the volumes form together. The index lists every image under its name, and the
/// referrers of images.
fn index(plan: &Plan) -> Value {
    let descriptor = |digest: &Digest| {
        let manifest = &plan.manifests[digest];
        json!({"mediaType": manifest.media_type, "digest": digest.to_string(), "size": manifest.bytes})
    };
    let named = |digest: &Digest, name: String| {
        let mut entry = descriptor(digest);
        entry["annotations"] = json!({ REF_NAME: name });
        entry
    };
    let (extras, mut entries) = (ExtrasByDigest::of(plan), Vec::new());
    for image in &plan.images {
        let repository = layout_name(image);
        entries.extend(
            image
                .tags
                .iter()
                .map(|tag| named(&image.digest, format!("{repository}:{tag}"))),
        );
        for extra in extras.of_image(image) {
            entries.push(match &extra.tag {
                Some(tag) => named(&extra.digest, format!("{repository}:{tag}")),
                None => descriptor(&extra.digest),
            });
        }
    }
    entries.dedup();
    json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries})
}

/// Returns the name of an image in the layout: its repository or, for a catalog in the layout next to the plan, its
/// tag.
fn layout_name(image: &PlannedImage) -> String {
    if let Some(place) = image.source.strip_prefix(CATALOG) {
        return catalog_tag(place.parse().unwrap_or_default());
    }
    let (repository, _) = image.source.split_once('@').unwrap_or((&image.source, ""));
    repository.to_owned()
}
