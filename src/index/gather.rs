//! Fetches and adds bundles. Several bundles are fetched at once, each bundle is converted to rows
//! separately, and all bundles are added together.

use super::intake::{IntakeError, Recording, prepare};
use crate::bundle::location::{LoadError, Location};
use crate::bundle::{BundleLimits, MediaType};
use crate::concurrent;
use crate::counted::counted;
use crate::database::add::{AddError, Additions, Existing, Policy, Report};
use crate::database::change::{self, Target};
use crate::database::error::DatabaseError;
use crate::diagnostic::Diagnostic;
use crate::files::FileError;
use crate::image::Transports;
use crate::synthesis::outside::Outside;
use crate::validation::Strictness;
use futures_util::StreamExt;
use std::path::Path;
use std::sync::Arc;

/// The options for fetching, recording and adding bundles.
#[derive(Debug, Clone, Default)]
pub struct GatherOptions {
    /// The rules for adding the bundles to the graph.
    pub policy: Policy,
    /// Whether to add the bundles that can be fetched and stored even if other bundles fail.
    pub permissive: bool,
    /// The media types supported by the clusters that use the index; empty for all.
    pub media_types: Vec<MediaType>,
    /// The reference under which the only bundle of the call will be published.
    pub record_as: Option<String>,
    /// Whether to store references to `k8s+v1` bundles instead of their content.
    pub by_reference: bool,
    /// Information that the bundles do not contain: sample resources, and the resources that clusters serve.
    pub outside: Option<Arc<Outside>>,
    /// The size limits of a bundle.
    pub limits: BundleLimits,
    /// The strictness of the bundle checks.
    pub strictness: Strictness,
    /// The number of bundles processed at once. Memory use depends on this number, not on the total number of bundles.
    pub parallel: usize,
}

impl GatherOptions {
    /// Returns the options for repeating the call on an index that may already contain its bundles.
    #[must_use]
    pub fn again(&self) -> Self {
        let mut again = self.clone();
        if again.policy.existing == Existing::Refuse {
            again.policy.existing = Existing::Skip;
        }
        again
    }
}

/// An error that prevents adding a bundle.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatherProblem {
    /// The bundle cannot be fetched.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The bundle cannot be stored.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// The media type of the bundle is not allowed.
    #[error(
        "it is a {media_type} bundle, but only {} bundles may be added",
        .allowed.iter().map(|allowed| allowed.as_str()).collect::<Vec<_>>().join(" and ")
    )]
    MediaType {
        /// The media type of the bundle.
        media_type: MediaType,
        /// The allowed media types.
        allowed: Vec<MediaType>,
    },
}

/// The result of a successful call.
#[derive(Debug)]
pub struct Added {
    /// The changes to the index.
    pub report: Report,
    /// Warnings and remarks, in the order in which the bundles were specified.
    pub remarks: Vec<Diagnostic>,
    /// Bundles that a permissive call omitted, each with the reason.
    pub problems: Vec<(Location, GatherProblem)>,
}

/// An error that prevents adding the bundles of a call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatherError {
    /// Some bundles cannot be added. Contains the location and the problem of each of these bundles, in the order in
    /// which the bundles were specified.
    #[error("{} of {} cannot be added", .problems.len(), counted(*.of, "bundle"))]
    Bundles {
        /// The location of each bundle and the problem with it.
        problems: Vec<(Location, GatherProblem)>,
        /// The number of bundles in the call.
        of: usize,
    },
    /// The buffer that holds the rows until all bundles are available cannot be written or read.
    #[error(transparent)]
    Spool(#[from] FileError),
    /// The bundles conflict with each other or with the index, or the index cannot be written.
    #[error(transparent)]
    Add(#[from] AddError),
}

impl From<DatabaseError> for GatherError {
    fn from(error: DatabaseError) -> Self {
        Self::Add(error.into())
    }
}

/// Fetches all bundles and adds them to the database: all or none of them, unless the call is permissive. Other
/// programs can use the database while bundles are fetched; rows that do not fit into memory are buffered in an unnamed
/// file next to it.
///
/// ```
/// use opmx::database::change::{ChangeOptions, Target};
/// use opmx::image::{ImageOptions, Silent, Transports};
/// use opmx::index::gather::{GatherOptions, add};
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let folder = tempfile::tempdir()?;
/// let database = folder.path().join("index.db");
/// let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
/// let options = GatherOptions { parallel: 4, ..GatherOptions::default() };
/// let bundles = ["testdata/greenhouse-operator".parse()?];
/// add(&bundles, &transports, &options, &Target::InPlace(&database), &ChangeOptions::default()).await?;
/// assert!(database.exists());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if a bundle cannot be fetched, stored or added, or the database cannot be written. The database is
/// then unchanged.
pub async fn add(
    locations: &[Location],
    transports: &Transports,
    options: &GatherOptions,
    target: &Target<'_>,
    writing: &change::ChangeOptions,
) -> Result<Added, GatherError> {
    change::check(target, writing)?;
    let folder = target.path().parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut additions = Additions::new(folder.unwrap_or(Path::new(".")));
    let Gathered { remarks, problems } = gather(locations, transports, options, &mut additions).await?;
    if !problems.is_empty() && (!options.permissive || problems.len() == locations.len()) {
        let of = locations.len();
        return Err(GatherError::Bundles { problems, of });
    }
    let report = additions.commit(options.policy, target, writing)?;
    Ok(Added {
        report,
        remarks,
        problems,
    })
}

/// The remarks and problems found while the bundles of a call were fetched.
struct Gathered {
    remarks: Vec<Diagnostic>,
    problems: Vec<(Location, GatherProblem)>,
}

/// Fetches all bundles and collects their rows in `additions`. All bundles are tried, so that all problems are reported
/// at once; the results are in the order in which the bundles were specified.
async fn gather(
    locations: &[Location],
    transports: &Transports,
    options: &GatherOptions,
    additions: &mut Additions,
) -> Result<Gathered, FileError> {
    let fetch = |(number, location)| async move {
        let prepared = fetch(location, transports, options).await;
        (number, location, prepared)
    };
    let mut fetched = concurrent::unordered(locations.iter().enumerate(), options.parallel, fetch);
    let (mut remarks, mut problems) = (Vec::new(), Vec::new());
    while let Some((number, location, prepared)) = fetched.next().await {
        match prepared {
            Ok(prepared) => {
                additions.push(&prepared.record)?;
                remarks.push((number, prepared.diagnostics));
            }
            Err(problem) => problems.push((number, location.clone(), problem)),
        }
    }
    remarks.sort_by_key(|(number, _)| *number);
    problems.sort_by_key(|(number, ..)| *number);
    Ok(Gathered {
        remarks: remarks.into_iter().flat_map(|(_, remarks)| remarks).collect(),
        problems: problems
            .into_iter()
            .map(|(_, location, problem)| (location, problem))
            .collect(),
    })
}

async fn fetch(
    location: &Location,
    transports: &Transports,
    options: &GatherOptions,
) -> Result<super::intake::Prepared, GatherProblem> {
    let tree = location.load(transports, options.limits.tree).await?;
    let reference = options
        .record_as
        .clone()
        .or_else(|| location.registry_reference().map(str::to_owned));
    let (by_reference, limits, strictness) = (options.by_reference, options.limits.text, options.strictness.clone());
    let outside = options.outside.clone();
    let work = move || {
        let recording = Recording {
            reference: reference.as_deref(),
            by_reference,
            outside: outside.as_deref(),
            places: true,
        };
        prepare(&tree, recording, &limits, &strictness)
    };
    let prepared = tokio::task::spawn_blocking(work).await;
    let prepared = prepared.map_err(|_| LoadError::Interrupted)??;
    let allowed = &options.media_types;
    if !allowed.is_empty() && !allowed.contains(&prepared.media_type) {
        return Err(GatherProblem::MediaType {
            media_type: prepared.media_type,
            allowed: allowed.clone(),
        });
    }
    Ok(prepared)
}
