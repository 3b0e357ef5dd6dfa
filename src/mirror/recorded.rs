//! The comparison of a plan with the recorded result of copying it.

use super::beside::result_of;
use super::naming::shown;
use super::plan::Plan;
use crate::files::{self, FileError};
use crate::image::Digest;
use serde::Deserialize;
use std::io;
use std::path::{Path, PathBuf};

/// The maximum size in bytes of a result.
const RESULT_LIMIT: usize = 256 << 20;

/// An image that was copied to another repository than the one in a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedElsewhere {
    /// The file that records the copy.
    pub result: PathBuf,
    /// The image.
    pub image: String,
    /// The repository in the plan.
    pub planned: String,
    /// The repository to which the image was copied.
    pub copied: String,
}

/// Returns an image that the recorded copy of a plan wrote to another repository of the same target than the plan says.
/// `file` is the file of the plan, next to which the result is. A file that is not a result is ignored.
///
/// # Errors
/// Returns an error if the result exists but cannot be read.
pub fn copied_elsewhere(plan: &Plan, file: &Path) -> Result<Option<CopiedElsewhere>, FileError> {
    #[derive(Deserialize)]
    struct Recorded {
        to: String,
        items: Vec<Item>,
    }
    #[derive(Deserialize)]
    struct Item {
        name: String,
        digest: Digest,
        destination: Option<String>,
    }
    let result = result_of(file);
    let bytes = match files::read_small(&result, RESULT_LIMIT) {
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes?,
    };
    let Ok(recorded) = serde_json::from_slice::<Recorded>(&bytes) else {
        return Ok(None);
    };
    if plan.to.as_ref() != Some(&recorded.to) {
        return Ok(None);
    }
    for image in &plan.images {
        let items = recorded.items.iter();
        let items = items.filter(|item| item.name == image.source && item.digest == image.digest);
        let copied: Vec<&String> = items.filter_map(|item| item.destination.as_ref()).collect();
        if let (Some(planned), Some(first)) = (&image.destination, copied.first())
            && !copied.contains(&planned)
        {
            return Ok(Some(CopiedElsewhere {
                result,
                image: shown(&image.source, &plan.catalog_names()).to_owned(),
                planned: planned.clone(),
                copied: (*first).clone(),
            }));
        }
    }
    Ok(None)
}
