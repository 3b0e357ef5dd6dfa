//! Determines what OLM would install: opens the catalogs of a cluster, adds the requested packages and Operators, and
//! resolves all of them.

mod asked;

use super::catalogs::Catalogs;
use super::deprecated;
use super::hold::{HeldUpgrade, held_upgrades};
use super::requests::operators::{self, AskedOperator, EntrypointError};
use crate::cluster::conditions::{NOT_UPGRADEABLE, held_in};
use crate::cluster::state::CatalogSource;
use crate::cluster::{AmbiguousCatalog, CatalogName, State};
use crate::database::read::ReadError;
use crate::image::Transports;
use crate::index::open::{Index, OpenError, OpenLimits};
use crate::olm::releases::{Feature, Olm};
use crate::resolver::closure::mentions_intents;
use crate::resolver::{self, Note, NoteKind, Problem, Resolution, ResolverOptions, Unresolved};
use asked::{SourceId, add_catalogs, install, subscribe};

/// Requests in addition to the state of a cluster.
#[derive(Debug, Clone, Default)]
pub struct ResolveOptions {
    /// Indexes with operators. If the cluster has a catalog with the same name as an index, the index replaces the
    /// catalog.
    pub catalogs: Vec<NamedIndex>,
    /// The packages to subscribe to, in the first of `catalogs`; without `catalogs`, in the first catalog of the
    /// cluster.
    pub packages: Vec<PackageChannel>,
    /// The Operators to resolve, in addition to the Subscriptions of the cluster.
    pub operators: Vec<AskedOperator>,
    /// The version to start with when the packages are first installed.
    pub starting_csv: Option<String>,
    /// The bundles that are treated as installed, by their names in the catalogs.
    pub installed: Vec<String>,
    /// The version of OLM that performs the resolution.
    pub olm: Olm,
    /// The options of the resolver, which OLM does not have.
    pub search: ResolverOptions,
    /// The limits for reading an index.
    pub limits: OpenLimits,
}

/// An index that is used as a catalog of the cluster.
#[derive(Debug, Clone, Default)]
pub struct NamedIndex {
    /// The name of the CatalogSource; by default `catalog`, then `catalog-2` for the second one, and so on.
    pub name: Option<CatalogName>,
    /// The location: an image, a database file, or the folder of a file-based catalog.
    pub index: String,
    /// The priority; higher values are preferred. The default is the priority of the CatalogSource, or 0 if there is
    /// none.
    pub priority: Option<i64>,
}

/// A package to subscribe to.
#[derive(Debug, Clone, Default)]
pub struct PackageChannel {
    /// The package.
    pub package: String,
    /// The channel; `None` means any channel.
    pub channel: Option<String>,
}

/// The result of a resolution.
#[derive(Debug)]
pub struct Resolved {
    /// The resolution, or the reason why there is none.
    pub answer: Result<Resolution, Unresolved>,
    /// The result of the newest OLM release. Set only if `olm` follows the proposals and their result differs.
    pub released: Option<Released>,
    /// The upgrades that would be part of the answer if no conditions blocked them. An OLM release plans them
    /// nevertheless, and leaves the new versions in the phase `Pending`.
    pub held: Vec<HeldUpgrade>,
    /// The cluster, including the requests.
    pub state: State,
    /// The catalogs of the cluster.
    pub catalogs: Catalogs,
    /// Notes about the Operators, and about bundles that OLM does not see.
    pub notes: Vec<String>,
}

/// The result of an OLM release that decides differently from the proposals.
#[derive(Debug)]
pub struct Released {
    /// The result.
    pub answer: Result<Resolution, Unresolved>,
    /// Whether the catalogs contain dependencies with an intent, which the release ignores.
    pub intents: bool,
    /// Whether conditions hold back upgrades, which the release plans nevertheless.
    pub holds: bool,
}

impl Resolved {
    /// Returns the catalogs with neither an index nor packages, which are treated as empty.
    pub(crate) fn empty_catalogs(&self) -> impl Iterator<Item = &CatalogSource> {
        let catalogs = self.state.catalogs.iter();
        catalogs.filter(|catalog| catalog.source.is_none() && catalog.packages.is_empty())
    }
}

/// The reason why a resolution cannot be attempted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// Two of the indexes have the same name.
    #[error("two catalogs have the name {name}")]
    CatalogTwice {
        /// The name.
        name: String,
    },
    /// The name of an index refers to several CatalogSources.
    #[error(transparent)]
    Ambiguous(#[from] AmbiguousCatalog),
    /// A package is requested twice, or already subscribed to.
    #[error("the package {package} is requested twice, or already has a Subscription")]
    PackageTwice {
        /// The package.
        package: String,
    },
    /// A catalog cannot be opened.
    #[error("cannot read the catalog {namespace}/{name}")]
    Catalog {
        /// The namespace of the CatalogSource.
        namespace: String,
        /// The name of the CatalogSource.
        name: String,
        /// The index.
        index: String,
        /// Whether the index comes from [`ResolveOptions::catalogs`] rather than from the cluster.
        is_asked_for: bool,
        /// The cause.
        source: Box<OpenError>,
    },
    /// An index cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The entrypoint of an Operator is not in any channel.
    #[error(transparent)]
    Entrypoint(#[from] EntrypointError),
    /// A bundle that is specified as installed is in no catalog.
    #[error("no catalog contains the bundle {name}, which was specified as installed")]
    NotInstalled {
        /// The name.
        name: String,
    },
}

/// Determines the bundles that OLM would install or update to in the namespace of `state`.
///
/// ```
/// use opmx::cluster::{State, observe};
/// use opmx::image::{ImageOptions, Silent, Transports};
/// use opmx::install::resolve::{NamedIndex, PackageChannel, ResolveOptions, resolve};
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let mut state = State::default();
/// observe(&mut state, Some("operators"))?;
/// let options = ResolveOptions {
///     catalogs: vec![NamedIndex { index: "testdata/catalog".to_owned(), ..NamedIndex::default() }],
///     packages: vec![PackageChannel { package: "compost-operator".to_owned(), channel: None }],
///     ..ResolveOptions::default()
/// };
/// let transports = Transports::new(ImageOptions::default(), Arc::new(Silent));
/// let resolved = resolve(state, &options, &transports).await?;
/// assert_eq!(resolved.answer?.install, ["compost-operator.v1.1.0"]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the requests are contradictory, or if a catalog cannot be read.
pub async fn resolve(
    mut state: State,
    options: &ResolveOptions,
    transports: &Transports,
) -> Result<Resolved, ResolveError> {
    operators::add_catalogs(&options.operators, &options.installed, &mut state);
    let asked_for = add_catalogs(&options.catalogs, &mut state)?;
    subscribe(options, asked_for.first(), &mut state)?;
    let catalogs = open(&state, &asked_for, options.limits, transports).await?;
    let catalogs = catalogs.with_contents(options.operators.iter().filter_map(|asked| asked.content.clone()));
    // The skip ranges are needed only for updates, and take long to read.
    let installed = state.subscriptions.iter().any(|to| to.installed_csv.is_some()) || !options.installed.is_empty();
    let (read, unseen) = catalogs.read_with_notes(installed || !options.operators.is_empty())?;
    install(&options.installed, &mut state, &read)?;
    let mut notes = operators::subscribe(&options.operators, &mut state, &read)?;
    notes.extend(unseen);
    let mut problem = Problem {
        olm: options.olm.clone(),
        ..Problem::of_state(&state, &read)
    };
    let resolved = |problem: &Problem<'_>, search: &ResolverOptions| {
        resolver::as_planned(resolver::resolve(problem, search), problem)
    };
    let quiet = without_explanations(&options.search);
    let (mut answer, held) = if options.olm.does(Feature::UpdateOutsidePlan) {
        let answer = resolved(&problem, &options.search);
        let held = std::mem::take(&mut problem.held);
        let unheld = (!held.is_empty()).then(|| resolved(&problem, &quiet));
        let unheld = unheld.and_then(Result::ok).unwrap_or_default();
        (answer, held_upgrades(&unheld, &held))
    } else {
        problem.held.clear();
        let mut answer = resolved(&problem, &options.search);
        let held = held_in(&state, &state.namespace, &options.olm);
        let held = answer
            .as_ref()
            .map_or_else(|_| Vec::new(), |answer| held_upgrades(answer, &held));
        if let Ok(answer) = &mut answer {
            answer
                .notes
                .extend(held.iter().map(|upgrade| pending(upgrade, &options.olm)));
        }
        (answer, held)
    };
    let (intents, holds) = (mentions_intents(&problem), !held.is_empty());
    let released = if options.olm == Olm::Proposed && (intents || holds) {
        problem.olm = Olm::newest();
        let answer_of_release = resolved(&problem, &quiet);
        let differs = !is_same(&answer, &answer_of_release);
        differs.then_some(Released {
            answer: answer_of_release,
            intents,
            holds,
        })
    } else {
        None
    };
    drop(problem);
    drop(read);
    if let Ok(answer) = &mut answer {
        let notes = deprecated::notes(answer, &state, &catalogs);
        let notes = notes.map_err(|(catalog, error)| unreadable(catalog, &asked_for, *error))?;
        answer.notes.extend(notes);
    }
    Ok(Resolved {
        answer,
        released,
        held,
        state,
        catalogs,
        notes,
    })
}

/// Returns the note that a version has to wait after its plan.
fn pending(HeldUpgrade { bundle, hold, .. }: &HeldUpgrade, olm: &Olm) -> Note {
    Note {
        kind: NoteKind::Held,
        subject: bundle.clone(),
        message: format!(
            "{olm} plans {bundle}, and leaves it in the phase Pending with the reason {NOT_UPGRADEABLE}: {}",
            hold.explained()
        ),
    }
}

fn without_explanations(search: &ResolverOptions) -> ResolverOptions {
    ResolverOptions {
        explain: false,
        ..search.clone()
    }
}

/// Whether both results are equal, apart from notes.
fn is_same(one: &Result<Resolution, Unresolved>, other: &Result<Resolution, Unresolved>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => {
            one.selected == other.selected
                && one.install == other.install
                && one.new_subscriptions == other.new_subscriptions
                && one.updated_subscriptions == other.updated_subscriptions
        }
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

/// Opens the indexes of the catalogs.
async fn open(
    state: &State,
    asked_for: &[SourceId],
    limits: OpenLimits,
    transports: &Transports,
) -> Result<Catalogs, ResolveError> {
    let mut indexes = Vec::with_capacity(state.catalogs.len());
    for catalog in &state.catalogs {
        indexes.push(match &catalog.source {
            Some(index) => {
                let opened = Index::open_named(index, transports, limits).await;
                Some(opened.map_err(|error| unreadable(catalog, asked_for, error))?)
            }
            None => None,
        });
    }
    Ok(Catalogs::new(state, indexes))
}

fn unreadable(catalog: &CatalogSource, asked_for: &[SourceId], source: OpenError) -> ResolveError {
    ResolveError::Catalog {
        namespace: catalog.namespace.clone(),
        name: catalog.name.clone(),
        index: catalog.source.clone().unwrap_or_default(),
        is_asked_for: asked_for.contains(&(catalog.namespace.clone(), catalog.name.clone())),
        source: Box::new(source),
    }
}
