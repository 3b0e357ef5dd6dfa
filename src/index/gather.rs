//! The bundles of one call: fetched several at once, each read and turned into rows on its own, then added together.

use super::intake::{IntakeError, Recording, prepare};
use crate::bundle::location::{LoadError, Location};
use crate::bundle::{BundleLimits, MediaType};
use crate::database::add::{AddError, Additions, Existing, Policy, Report};
use crate::database::change::{self, Target};
use crate::database::error::DatabaseError;
use crate::diagnostic::Diagnostic;
use crate::files::FileError;
use crate::image::Transports;
use crate::synthesis::outside::Outside;
use crate::validation::Strictness;
use futures_util::StreamExt;
use futures_util::stream;
use std::path::Path;
use std::sync::Arc;

/// How bundles are fetched, recorded and added.
#[derive(Debug, Clone, Default)]
pub struct GatherOptions {
    /// How they take their places in the graph.
    pub policy: Policy,
    /// Add what can be fetched and stored, whatever becomes of the others.
    pub permissive: bool,
    /// The media types that the clusters of the index can read; all where there are none.
    pub media_types: Vec<MediaType>,
    /// The reference under which the one bundle of the call will be published.
    pub record_as: Option<String>,
    /// Store the reference of `k8s+v1` bundles in place of their content.
    pub by_reference: bool,
    /// What is known outside the bundles.
    pub outside: Option<Arc<Outside>>,
    /// How much a bundle may hold.
    pub limits: BundleLimits,
    /// How strictly they are judged.
    pub strictness: Strictness,
    /// How many bundles are worked on at once. Memory grows with it, and not with the number of bundles.
    pub parallel: usize,
}

impl GatherOptions {
    /// The same for a call that is made once more, on an index that may hold its bundles already.
    #[must_use]
    pub fn again(&self) -> Self {
        let mut again = self.clone();
        if again.policy.existing == Existing::Refuse {
            again.policy.existing = Existing::Skip;
        }
        again
    }
}

/// Why one bundle cannot be added.
#[derive(Debug, thiserror::Error)]
pub enum GatherProblem {
    /// It cannot be fetched.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It cannot be stored.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// Its media type is none of those that are allowed.
    #[error(
        "it is a {media_type} bundle, and only {} may be added",
        .allowed.iter().map(|allowed| allowed.as_str()).collect::<Vec<_>>().join(" and ")
    )]
    MediaType {
        /// Its media type.
        media_type: MediaType,
        /// The allowed ones.
        allowed: Vec<MediaType>,
    },
}

/// What an accepted call did, and what was noticed about its bundles.
#[derive(Debug)]
pub struct Added {
    /// What it changed.
    pub report: Report,
    /// Warnings and remarks, in the order of the call.
    pub remarks: Vec<Diagnostic>,
    /// Bundles that were left out of a permissive call, and why.
    pub problems: Vec<(Location, GatherProblem)>,
}

/// Why the bundles of a call are not added.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// Some bundles cannot be added; each place with its reason, in the order of the call.
    #[error("{} of {} bundles cannot be added", .problems.len(), .of)]
    Bundles {
        /// The place of each bundle and what is wrong with it.
        problems: Vec<(Location, GatherProblem)>,
        /// How many bundles there were.
        of: usize,
    },
    /// Their rows cannot be kept until all are there.
    #[error(transparent)]
    Spool(#[from] FileError),
    /// They do not fit into the index, or it cannot be written.
    #[error(transparent)]
    Add(#[from] AddError),
}

impl From<DatabaseError> for GatherError {
    fn from(error: DatabaseError) -> Self {
        Self::Add(error.into())
    }
}

/// Fetches all bundles and adds them to the database: all, or none. While they are fetched,
/// the database is free for others; what does not fit into memory waits in a nameless file beside it.
///
/// # Errors
/// When any bundle cannot be fetched, stored or added, or the database cannot be written. Then it is as it was.
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

/// What was noticed while the bundles of a call were fetched.
struct Gathered {
    remarks: Vec<Diagnostic>,
    problems: Vec<(Location, GatherProblem)>,
}

/// Fetches all bundles and collects their rows in `additions`. All of them are tried, so that all problems are said at
/// once; what is returned is in the order of the call.
async fn gather(
    locations: &[Location],
    transports: &Transports,
    options: &GatherOptions,
    additions: &mut Additions,
) -> Result<Gathered, FileError> {
    let fetches = locations.iter().enumerate().map(|(number, location)| async move {
        let prepared = fetch(location, transports, options).await;
        (number, location, prepared)
    });
    let mut fetched = stream::iter(fetches).buffer_unordered(options.parallel.max(1));
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
