//! The list of an archive: its format, and the file that contains it.

use super::ArchiveError;
use crate::files::{self, FileError};
use crate::image::Digest;
use crate::image::volumes::{MOST_VOLUMES, VolumeFile};
use crate::text::to_json;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The format version in [`ArchiveList::schema`].
pub const SCHEMA: &str = "opmx.mirror.archive/v1";
/// The maximum size in bytes of an archive list.
const LIST_LIMIT: usize = 256 << 20;

/// The repositories that contain each blob.
pub type Repositories = BTreeMap<Digest, BTreeSet<String>>;

/// The description of an archive, stored as `NAME.json` next to its volumes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArchiveList {
    /// The format version; always [`SCHEMA`].
    pub schema: String,
    /// The digest of the plan.
    pub plan: Digest,
    /// Whether this archive and the archives on which it is based contain all content of the plan.
    pub complete: bool,
    /// The maximum size of a volume in bytes.
    pub volume_size: u64,
    /// The volumes.
    pub volumes: Vec<VolumeFile>,
    /// The digest of the list of the base archive, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Digest>,
    /// The blobs in this archive, each with its repositories: the target repositories if the plan specifies a target,
    /// otherwise the source repositories.
    pub blobs: Repositories,
    /// The blobs in the archives on which this archive is based, each with its repositories. They may include blobs
    /// that the plan does not need.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub omitted: Repositories,
    /// The digests of the missing content, each with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<Digest, String>,
}

impl ArchiveList {
    /// Reads an archive list.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is not a valid archive list.
    pub fn read(path: &Path) -> Result<Self, ArchiveError> {
        #[derive(Deserialize)]
        struct Form {
            schema: String,
        }
        let bytes = files::read_small(path, LIST_LIMIT)?;
        let fail = |source| ArchiveError::List {
            path: path.to_owned(),
            source,
        };
        let Form { schema } = serde_json::from_slice(&bytes).map_err(fail)?;
        if schema != SCHEMA {
            return Err(ArchiveError::Version {
                path: path.to_owned(),
                found: schema,
            });
        }
        let list: Self = serde_json::from_slice(&bytes).map_err(fail)?;
        let is_name = |name: &str| Path::new(name).file_name().is_some_and(|own| own == name);
        if let Some(volume) = list.volumes.iter().find(|volume| !is_name(&volume.name)) {
            return Err(ArchiveError::Name {
                path: path.to_owned(),
                name: volume.name.clone(),
            });
        }
        match list.contradiction() {
            Some(problem) => Err(ArchiveError::Contradiction {
                path: path.to_owned(),
                problem,
            }),
            None => Ok(list),
        }
    }

    /// Returns the reason why no archive has this list.
    fn contradiction(&self) -> Option<String> {
        if self.volumes.len() > MOST_VOLUMES {
            return Some(format!("lists more than {MOST_VOLUMES} volumes"));
        }
        let mut names = BTreeSet::new();
        if let Some(volume) = self.volumes.iter().find(|volume| !names.insert(&volume.name)) {
            return Some(format!("lists the volume {:?} more than once", volume.name));
        }
        if self.base.is_none() && !self.omitted.is_empty() {
            return Some("omits blobs, but names no archive on which it is based".to_owned());
        }
        None
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        to_json(self).into_bytes()
    }
}

/// Returns the path of the list of an archive that is specified by its folder or its list.
pub(super) fn list_at(place: &Path) -> Result<PathBuf, ArchiveError> {
    if place.is_dir() {
        return only_list(place);
    }
    let path = place.to_owned();
    match place.extension() {
        Some(extension) if extension == "tar" => Err(ArchiveError::Volume { path }),
        _ => Ok(path),
    }
}

/// Returns the path of the list of the only archive in a folder.
fn only_list(folder: &Path) -> Result<PathBuf, ArchiveError> {
    let fail = |error| FileError::new("read", folder, error);
    let (mut found, mut has_volumes, mut damaged) = (Vec::new(), false, None);
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.to_string_lossy();
        if name.ends_with(".tar") || name.ends_with(".tar.partial") {
            has_volumes = true;
            damaged = damaged.or_else(|| list_of_volume(&name).filter(|list| list.is_file()));
        }
        if path.extension().is_some_and(|extension| extension == "json") && ArchiveList::read(&path).is_ok() {
            found.push(path);
        }
    }
    found.sort();
    if found.len() == 1 {
        return Ok(found.remove(0));
    }
    // If there is a file in the place of the list, reading it again tells what is wrong with it.
    if let Some(list) = damaged.filter(|_| found.is_empty()) {
        return Ok(list);
    }
    if found.is_empty() && has_volumes {
        let folder = folder.to_owned();
        return Err(ArchiveError::Unfinished { folder });
    }
    let name = |path: PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    Err(ArchiveError::Ambiguous {
        folder: folder.to_owned(),
        names: found.into_iter().filter_map(name).collect(),
    })
}

/// Returns the path of the list that belongs to a volume: `NAME.json` for `NAME-0001.tar`.
fn list_of_volume(volume: &str) -> Option<PathBuf> {
    let (name, _number) = volume.rsplit_once('-')?;
    Some(format!("{name}.json").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(change: impl FnOnce(&mut Value)) -> Result<ArchiveList, String> {
        let digest = Digest::of(b"").to_string();
        let mut list = json!({
            "schema": SCHEMA, "plan": digest, "complete": true, "volume_size": 1, "blobs": {},
            "volumes": [{"name": "mirror-0001.tar", "bytes": 1, "sha256": digest}],
        });
        change(&mut list);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mirror.json");
        std::fs::write(&path, list.to_string()).unwrap();
        let error = |error: ArchiveError| error.to_string().replace(&path.display().to_string(), "PATH");
        ArchiveList::read(&path).map_err(error)
    }

    #[test]
    fn a_volume_is_listed_once() {
        let twice = |list: &mut Value| list["volumes"] = json!([list["volumes"][0], list["volumes"][0]]);
        assert_eq!(
            read(twice).unwrap_err(),
            r#"PATH lists the volume "mirror-0001.tar" more than once"#
        );
    }

    #[test]
    fn the_number_of_volumes_is_limited() {
        let list = |count: usize| {
            let digest = Digest::of(b"").to_string();
            let volume = |number| json!({"name": format!("{number}.tar"), "bytes": 1, "sha256": digest});
            read(|list| list["volumes"] = (0..count).map(volume).collect())
        };
        assert_eq!(list(MOST_VOLUMES).unwrap().volumes.len(), MOST_VOLUMES);
        assert_eq!(
            list(MOST_VOLUMES + 1).unwrap_err(),
            "PATH lists more than 100000 volumes"
        );
    }

    #[test]
    fn only_an_archive_with_a_base_omits_blobs() {
        let digest = Digest::of(b"").to_string();
        let omitting = |list: &mut Value| list["omitted"] = json!({ digest.as_str(): [] });
        let refused = "PATH omits blobs, but names no archive on which it is based";
        assert_eq!(read(omitting).unwrap_err(), refused);
        let based = |list: &mut Value| {
            omitting(list);
            list["base"] = json!(digest);
        };
        assert_eq!(read(based).unwrap().omitted.len(), 1);
    }
}
