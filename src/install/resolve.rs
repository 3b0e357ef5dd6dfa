//! From a cluster and catalogs to what OLM would install: the catalogs are opened, what is asked for is put in, and all
//! of it is resolved.

use super::catalogs::Catalogs;
use super::requests::operators::{self, AskedOperator, EntrypointError};
use crate::catalog::Catalog;
use crate::cluster::State;
use crate::cluster::state::{CatalogSource, Installed, Subscription};
use crate::database::read::ReadError;
use crate::image::Transports;
use crate::index::open::{Index, OpenError, OpenLimits};
use crate::olm::releases::Olm;
use crate::resolver::closure::mentions_intents;
use crate::resolver::{self, Problem, Resolution, ResolverOptions, Unresolved};
use std::borrow::Cow;

/// What is asked beside what a cluster has.
#[derive(Debug, Clone, Default)]
pub struct ResolveOptions {
    /// Indexes to take operators from. One with the name of a catalog of the cluster is read in its place.
    pub catalogs: Vec<NamedIndex>,
    /// The packages to subscribe to, in the first of these catalogs, else the first of the cluster.
    pub packages: Vec<PackageChannel>,
    /// The Operators that ask for something, besides the Subscriptions of the cluster.
    pub operators: Vec<AskedOperator>,
    /// The version that the first installation of the packages takes.
    pub starting_csv: Option<String>,
    /// What is installed, by the names of bundles in the catalogs.
    pub installed: Vec<String>,
    /// The OLM that resolves.
    pub olm: Olm,
    /// What OLM does not decide by itself.
    pub search: ResolverOptions,
    /// How much of an index may be read.
    pub limits: OpenLimits,
}

/// An index that is taken for a catalog of the cluster.
#[derive(Debug, Clone, Default)]
pub struct NamedIndex {
    /// The name of its CatalogSource; without one it is `catalog`, the second `catalog-2` and so on.
    pub name: Option<String>,
    /// Where it is: an image, a database file, or the folder of a file-based catalog.
    pub index: String,
    /// A higher one is preferred; without one it is that of the CatalogSource, else 0.
    pub priority: Option<i64>,
}

/// A package to subscribe to.
#[derive(Debug, Clone, Default)]
pub struct PackageChannel {
    /// The package.
    pub package: String,
    /// Its channel, where it matters.
    pub channel: Option<String>,
}

/// What came of it.
#[derive(Debug)]
pub struct Resolved {
    /// What OLM would do, or why it would do nothing.
    pub answer: Result<Resolution, Unresolved>,
    /// Where this is what the proposals describe: what the newest release would do instead, if it is something else.
    pub released: Option<Result<Resolution, Unresolved>>,
    /// The cluster, with what was asked for.
    pub state: State,
    /// Its catalogs.
    pub catalogs: Catalogs,
    /// What there is to say of the Operators.
    pub notes: Vec<String>,
}

impl Resolved {
    /// The catalogs that name no index and no packages, and so count as empty.
    pub(crate) fn empty_catalogs(&self) -> impl Iterator<Item = &CatalogSource> {
        let catalogs = self.state.catalogs.iter();
        catalogs.filter(|catalog| catalog.source.is_none() && catalog.packages.is_empty())
    }
}

/// Why it cannot be told what OLM would do.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// Two of the named indexes have one name.
    #[error("two catalogs are called {name}")]
    CatalogTwice {
        /// The name.
        name: String,
    },
    /// A package is asked for twice, or subscribed to already.
    #[error("the package {package} is named twice")]
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
        /// Whether [`ResolveOptions::catalogs`] names it, and not the cluster.
        is_asked_for: bool,
        /// What is wrong with it.
        source: Box<OpenError>,
    },
    /// An index cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// What an Operator begins with is in no channel.
    #[error(transparent)]
    Entrypoint(#[from] EntrypointError),
    /// What is said to be installed is in no catalog.
    #[error("no catalog has a bundle {name}, which is to be installed")]
    NotInstalled {
        /// The name.
        name: String,
    },
}

/// Tells what OLM would install or update to in the namespace of `state`.
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
/// When what is asked for contradicts itself, or a catalog cannot be read.
pub async fn resolve(
    mut state: State,
    options: &ResolveOptions,
    transports: &Transports,
) -> Result<Resolved, ResolveError> {
    operators::add_catalogs(&options.operators, &options.installed, &mut state);
    let asked_for = add_catalogs(&options.catalogs, &mut state)?;
    subscribe(options, asked_for.first().map(String::as_str), &mut state)?;
    let catalogs = open(&state, &asked_for, options.limits, transports).await?;
    let catalogs = catalogs.with_contents(options.operators.iter().filter_map(|asked| asked.content.clone()));
    // Only an update asks for the ranges that are skipped, which take long to read.
    let installed = state.subscriptions.iter().any(|to| to.installed_csv.is_some()) || !options.installed.is_empty();
    let read = catalogs.read(installed || !options.operators.is_empty())?;
    install(&options.installed, &mut state, &read)?;
    let notes = operators::subscribe(&options.operators, &mut state, &read)?;
    let mut problem = Problem {
        olm: options.olm.clone(),
        ..Problem::of_state(&state, &read)
    };
    let answer = resolver::resolve(&problem, &options.search).map(Resolution::as_planned);
    let released = if options.olm == Olm::Proposed && mentions_intents(&problem) {
        problem.olm = Olm::newest();
        let released = resolver::resolve(&problem, &without_explanations(&options.search)).map(Resolution::as_planned);
        Some(released).filter(|released| !is_same(&answer, released))
    } else {
        None
    };
    drop(problem);
    drop(read);
    Ok(Resolved {
        answer,
        released,
        state,
        catalogs,
        notes,
    })
}

fn without_explanations(search: &ResolverOptions) -> ResolverOptions {
    ResolverOptions {
        explain: false,
        ..search.clone()
    }
}

/// Whether both come to the same, whatever there is to note about it.
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

/// Puts the indexes in as catalogs, and gives their names.
fn add_catalogs(indexes: &[NamedIndex], state: &mut State) -> Result<Vec<String>, ResolveError> {
    let mut named = Vec::new();
    for (number, NamedIndex { name, index, priority }) in (1..).zip(indexes) {
        let name = match name {
            Some(name) => name.clone(),
            None if number == 1 => "catalog".to_owned(),
            None => format!("catalog-{number}"),
        };
        if named.contains(&name) {
            return Err(ResolveError::CatalogTwice { name });
        }
        named.push(name.clone());
        let known = state.catalogs.iter_mut().find(|catalog| catalog.name == name);
        if let Some(known) = known {
            known.source = Some(index.clone());
            known.priority = priority.unwrap_or(known.priority);
            continue;
        }
        let elsewhere = state.other_catalogs.iter().find(|(_, other)| *other == name);
        let mut subscribed = state.subscriptions.iter().filter(|to| to.catalog == name);
        let subscribed = subscribed.next().map(|to| &to.catalog_namespace);
        let namespace = elsewhere.map(|(namespace, _)| namespace).or(subscribed);
        state.catalogs.push(CatalogSource {
            namespace: namespace.unwrap_or(&state.namespace).clone(),
            name,
            priority: priority.unwrap_or_default(),
            source: Some(index.clone()),
            packages: Vec::new(),
        });
    }
    Ok(named)
}

/// Subscribes to the packages in this catalog, or the first that there is.
fn subscribe(options: &ResolveOptions, catalog: Option<&str>, state: &mut State) -> Result<(), ResolveError> {
    let mut catalogs = state.catalogs.iter();
    let catalog = catalogs.find(|known| catalog.is_none_or(|name| known.name == name));
    let catalog = catalog.cloned().unwrap_or_default();
    for PackageChannel { package, channel } in &options.packages {
        if state.subscriptions.iter().any(|known| known.package == *package) {
            let package = package.clone();
            return Err(ResolveError::PackageTwice { package });
        }
        state.subscriptions.push(Subscription {
            name: package.clone(),
            package: package.clone(),
            channel: channel.clone(),
            catalog: catalog.name.clone(),
            catalog_namespace: catalog.namespace.clone(),
            starting_csv: options.starting_csv.clone(),
            ..Subscription::default()
        });
    }
    Ok(())
}

/// Opens the catalogs that have an index.
async fn open(
    state: &State,
    asked_for: &[String],
    limits: OpenLimits,
    transports: &Transports,
) -> Result<Catalogs, ResolveError> {
    let mut indexes = Vec::with_capacity(state.catalogs.len());
    for CatalogSource {
        namespace,
        name,
        source,
        ..
    } in &state.catalogs
    {
        indexes.push(match source {
            Some(index) => {
                let opened = Index::open_named(index, transports, limits).await;
                Some(opened.map_err(|source| ResolveError::Catalog {
                    namespace: namespace.clone(),
                    name: name.clone(),
                    index: index.clone(),
                    is_asked_for: asked_for.contains(name),
                    source: Box::new(source),
                })?)
            }
            None => None,
        });
    }
    Ok(Catalogs::new(state, indexes))
}

/// Puts in what is installed, as the catalogs know it, and tells the subscriptions to the same packages.
fn install(installed: &[String], state: &mut State, catalogs: &[Cow<'_, Catalog>]) -> Result<(), ResolveError> {
    for name in installed {
        let found = catalogs.iter().find_map(|catalog| {
            let id = catalog.find(name)?;
            let bundle = catalog.bundle(id)?;
            let mut packages = catalog.packages.iter();
            let package = packages.find(|package| {
                let mut entries = package.channels.iter().flat_map(|channel| &channel.entries);
                entries.any(|entry| entry.bundle == id)
            });
            Some((bundle, package.map(|package| package.name.to_string())))
        });
        let Some((bundle, package)) = found else {
            let name = name.clone();
            return Err(ResolveError::NotInstalled { name });
        };
        for subscription in &mut state.subscriptions {
            if Some(&subscription.package) == package.as_ref() {
                subscription.installed_csv = Some(name.clone());
                subscription.current_csv = Some(name.clone());
            }
        }
        state.installed.push(Installed {
            name: name.clone(),
            version: bundle.version.as_deref().map(str::to_owned),
            properties: resolver::annotation(package.as_deref().unwrap_or_default(), bundle),
            ..Installed::default()
        });
    }
    Ok(())
}
