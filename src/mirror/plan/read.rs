//! Plan files.

use super::{Plan, SCHEMA};
use crate::files::{self, FileError};
use crate::image::{Digest, ReferenceError};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The reason why bytes are not a valid plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The bytes are not JSON with the structure of a plan.
    #[error("this is not a mirror plan")]
    Form(#[from] serde_json::Error),
    /// The format version of the plan is not supported.
    #[error("the plan has the schema {found:?}, but this version of opmx supports only {SCHEMA:?}")]
    Version {
        /// The format version in the plan.
        found: String,
    },
    /// The plan exceeds a limit.
    #[error("the plan has more than {limit} {what}")]
    Limit {
        /// The limited quantity.
        what: &'static str,
        /// The maximum.
        limit: usize,
    },
    /// The plan refers to content that it does not contain.
    #[error("{who} refers to {digest}, which is not in the plan")]
    Dangling {
        /// The entry that contains the reference.
        who: String,
        /// The missing digest.
        digest: Digest,
    },
    /// The plan contains content that belongs to none of its images, so the content would not be copied.
    #[error("{what} belongs to no image of the plan")]
    Loose {
        /// The content.
        what: String,
    },
    /// A manifest contains itself, directly or indirectly.
    #[error("the manifest {digest} contains itself")]
    Cycle {
        /// The digest of the manifest.
        digest: Digest,
    },
    /// The sizes in the plan are not plausible.
    #[error("the content has more than {limit} bytes")]
    Size {
        /// The maximum size of the content.
        limit: u64,
    },
    /// The destination of an image is not the name of a repository.
    #[error("images[{place}].destination: {image} cannot be copied to this destination")]
    Destination {
        /// The position of the image in the plan.
        place: usize,
        /// The source of the image, or the name of the catalog.
        image: String,
        /// The problem with the name.
        source: ReferenceError,
    },
    /// A tag of an image or referrer is not valid.
    #[error("{image} has the tag {tag:?}: {problem}")]
    Tag {
        /// The source of the image, or the digest of the referrer.
        image: String,
        /// The tag.
        tag: String,
        /// The problem with the tag.
        problem: String,
    },
    /// The destination of an image is not below the target of the plan.
    #[error("{image} has the destination {destination}, but the plan {}", of_target(to.as_deref()))]
    Outside {
        /// The source of the image or catalog.
        image: String,
        /// The destination.
        destination: String,
        /// The target of the plan.
        to: Option<String>,
    },
    /// An image has no destination, although the plan has a target.
    #[error("{image} has no destination, but the plan has a target")]
    Nowhere {
        /// The source of the image or catalog.
        image: String,
    },
    /// No image is copied to the destination of a catalog.
    #[error("the catalog {catalog} has the destination {destination}, but its image is not copied there")]
    NoImage {
        /// The source of the catalog.
        catalog: String,
        /// The destination.
        destination: String,
    },
}

fn of_target(to: Option<&str>) -> String {
    match to {
        Some(to) => format!("is for {to}"),
        None => "has no target".to_owned(),
    }
}

/// The reason why a plan cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The plan to be written exceeds a limit.
    #[error("the plan cannot be used")]
    TooLarge(#[source] PlanError),
    /// The file does not contain a plan.
    #[error("{}", path.display())]
    Plan {
        /// The file.
        path: PathBuf,
        /// The underlying error.
        source: PlanError,
    },
}

/// The maximum size in bytes of a plan. A plan of all bundles in a large public catalog has about a fifth of it.
pub const PLAN_LIMIT: usize = 256 << 20;
/// The maximum number of values in a plan: a short value needs much more memory than it has bytes.
const VALUES_LIMIT: usize = 5_000_000;

impl Plan {
    /// Reads a plan from a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or does not contain a plan.
    pub fn read(path: &Path) -> Result<Self, PlanFileError> {
        let bytes = files::read_small(path, PLAN_LIMIT)?;
        Self::parse(&bytes).map_err(|source| PlanFileError::Plan {
            path: path.to_owned(),
            source,
        })
    }

    /// Writes a plan to a file, with indentation and a newline at the end.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, or the plan would be too large to be read.
    pub fn write(&self, path: &Path) -> Result<(), PlanFileError> {
        let bytes = self.to_bytes();
        check_limits(&bytes).map_err(PlanFileError::TooLarge)?;
        self.check_effort().map_err(PlanFileError::TooLarge)?;
        Ok(files::write(path, &bytes)?)
    }

    /// Parses a plan, and checks that all of it can be copied to its target.
    ///
    /// # Errors
    /// Returns an error if `bytes` is not a plan with a supported format version, or the plan is inconsistent.
    pub fn parse(bytes: &[u8]) -> Result<Self, PlanError> {
        #[derive(Deserialize)]
        struct Form {
            schema: String,
        }
        check_limits(bytes)?;
        let form: Form = serde_json::from_slice(bytes)?;
        if form.schema != SCHEMA {
            return Err(PlanError::Version { found: form.schema });
        }
        let plan: Self = serde_json::from_slice(bytes)?;
        plan.check()?;
        Ok(plan)
    }
}

fn check_limits(bytes: &[u8]) -> Result<(), PlanError> {
    let limit = |what, limit| Err(PlanError::Limit { what, limit });
    if bytes.len() > PLAN_LIMIT {
        return limit("bytes", PLAN_LIMIT);
    }
    // A comma or bracket precedes each value, except the first one in an object.
    let separators = bytes.iter().filter(|byte| [b',', b'['].contains(byte)).count();
    if separators > VALUES_LIMIT {
        return limit("values", VALUES_LIMIT);
    }
    Ok(())
}
