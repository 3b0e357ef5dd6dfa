//! What the commands share that tell what OLM would do with a bundle: the bundle as OLM sees it, and the cluster.

use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::CommandError;
use crate::cli::{Context, input, sources};
use crate::cluster::dump;
use crate::cluster::state::CatalogSource;
use crate::cluster::{self, State};
use crate::index::intake::IntakeError;
use crate::index::open::OpenLimits;
use crate::install::catalogs::Catalogs;
use crate::install::content::{self, Content, ContentError};
use clap::Args;
use serde_json::Value;
use std::io;
use std::path::Path;

/// The largest what-if file.
const STATE_LIMIT: usize = 64 << 20;

/// What is known of the cluster.
#[derive(Debug, Args)]
pub(crate) struct ClusterArguments {
    /// What-if file that describes the cluster: its APIs, objects, grants and error answers; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<String>,
    /// File or folder with what a cluster says of itself, - is standard input; may be given several times, also beside --state
    ///
    /// That is the output of "kubectl get ... -o yaml" or json, of "kubectl api-resources", and discovery documents such
    /// as that of "kubectl get --raw /apis/GROUP/VERSION". What they list as served is taken to be all.
    #[arg(long, value_name = "PATH", visible_alias = "objects")]
    pub(crate) cluster: Vec<String>,
}

impl ClusterArguments {
    /// Whether anything is known of the cluster.
    pub(crate) fn is_given(&self) -> bool {
        self.state.is_some() || !self.cluster.is_empty()
    }

    /// The cluster as the files describe it; an empty one where there are none.
    pub(crate) fn read(&self, limits: &LimitArguments, context: &Context<'_>) -> Result<State, CommandError> {
        read_cluster(self.state.as_deref(), &self.cluster, dump::kept, limits, context)
    }

    /// The same, with what the objects of dumps say of catalogs, Subscriptions and installed versions.
    pub(crate) fn read_observed(
        &self,
        namespace: Option<&str>,
        limits: &LimitArguments,
        context: &Context<'_>,
    ) -> Result<State, CommandError> {
        let mut state = self.read(limits, context)?;
        cluster::observe(&mut state, namespace)?;
        for subscription in &state.subscriptions {
            let known = |csv: &&String| state.installed.iter().any(|known| known.name == **csv);
            if let Some(installed) = subscription.installed_csv.as_ref().filter(|csv| !known(csv)) {
                let name = &subscription.name;
                context.printer.warning(format_args!(
                    "the Subscription {name} has {installed} installed, which is not among what was read, and so is \
                     taken as not installed"
                ));
            }
        }
        Ok(state)
    }
}

/// A cluster as a what-if file and dumps describe it; `keep` takes from each object of a dump what is needed of it.
pub(crate) fn read_cluster(
    state: Option<&str>,
    dumps: &[String],
    keep: fn(Value) -> Value,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<State, CommandError> {
    let mut read = match state {
        Some(name) => {
            let (shown, bytes) = input::read(name, (STATE_LIMIT, None), context)?;
            let mut state = cluster::read(&shown, &bytes, &limits.text())?;
            for source in state.catalogs.iter_mut().filter_map(|catalog| catalog.source.as_mut()) {
                *source = cluster::source_beside(Path::new(name), source);
            }
            state
        }
        None => State::default(),
    };
    let limits = limits.dump();
    for name in dumps {
        if name == input::STDIN {
            let name = Path::new(input::announced(context));
            dump::read_stream(name, io::stdin().lock(), keep, &limits, &mut read)?;
        } else {
            dump::read(Path::new(name), keep, &limits, &mut read)?;
        }
    }
    Ok(read)
}

/// The bundle that is looked at, and where it would be installed.
#[derive(Debug, Args)]
pub(crate) struct InstallArguments {
    /// Index that bundles are taken from, by their names: HOST/NAME:TAG, oci:DIR:TAG, oci-archive:FILE:TAG, a database file,
    /// or a folder with a catalog
    #[arg(long, value_name = "INDEX")]
    pub(crate) index: Option<String>,
    /// Namespace that is installed into; without it that of the what-if file, else operators
    #[arg(short, long, value_name = "NS")]
    pub(crate) namespace: Option<String>,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    #[command(flatten)]
    pub(crate) registry: RegistryArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[command(flatten)]
    pub(crate) database: DatabaseLimitArguments,
}

impl InstallArguments {
    /// The cluster as the files describe it.
    pub(crate) fn state(&self, context: &Context<'_>) -> Result<State, CommandError> {
        self.cluster.read(&self.limits, context)
    }

    /// The limits on the indexes.
    pub(crate) fn index_limits(&self) -> OpenLimits {
        self.limits.index(&self.database, &self.registry)
    }

    /// The namespace that is installed into.
    pub(crate) fn namespace<'a>(&'a self, state: &'a State) -> &'a str {
        let of_state = Some(state.namespace.as_str()).filter(|namespace| !namespace.is_empty());
        self.namespace
            .as_deref()
            .or(of_state)
            .unwrap_or(cluster::state::NAMESPACE)
    }

    /// A bundle as OLM sees it: of the index by its name, where one is given, else of a folder or an image. `None` where it
    /// has errors; they have been reported.
    pub(crate) fn content(&self, bundle: &str, context: &Context<'_>) -> Result<Option<Content>, CommandError> {
        if let Some(index) = &self.index {
            let opened = sources::open_catalog(index, &self.registry, self.index_limits(), context)?;
            return Ok(Some(content::of_index(&opened, bundle)?));
        }
        let tree = sources::bundle_files(bundle, &self.registry, &self.limits, context)?;
        match content::of_files(&tree, &self.limits.text()) {
            Ok((content, findings)) => {
                context.printer.report(&findings);
                Ok(Some(content))
            }
            Err(ContentError::Intake(IntakeError::Findings { diagnostics, .. })) => {
                context.printer.report(&diagnostics);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Puts in the catalogs that the command line names as `[NAME=]INDEX[,PRIORITY]`, and gives their names. One that is known
/// already is read from there.
pub(crate) fn add_catalogs(catalogs: &[String], state: &mut State) -> Result<Vec<String>, CommandError> {
    let mut named = Vec::new();
    for (number, text) in (1..).zip(catalogs) {
        let (text, priority) = match text
            .rsplit_once(',')
            .map(|(text, priority)| (text, priority.parse::<i32>()))
        {
            Some((text, Ok(priority))) => (text, Some(i64::from(priority))),
            _ => (text.as_str(), None),
        };
        let is_name = |name: &str| !name.is_empty() && !name.contains(['/', ':', '.']);
        let (name, source) = match text.split_once('=') {
            Some((name, source)) if is_name(name) => (name.to_owned(), source),
            _ if number == 1 => ("catalog".to_owned(), text),
            _ => (format!("catalog-{number}"), text),
        };
        if named.contains(&name) {
            return Err(CommandError::usage(format!("two catalogs are called {name}")));
        }
        named.push(name.clone());
        let known = state.catalogs.iter_mut().find(|catalog| catalog.name == name);
        if let Some(known) = known {
            known.source = Some(source.to_owned());
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
            source: Some(source.to_owned()),
            packages: Vec::new(),
        });
    }
    Ok(named)
}

/// Opens the catalogs of a state that have a source. Those that the command line `named` need no advice to name them there.
pub(crate) fn open_catalogs(
    state: &State,
    named: &[String],
    registry: &RegistryArguments,
    limits: OpenLimits,
    context: &Context<'_>,
) -> Result<Catalogs, CommandError> {
    let mut indexes = Vec::with_capacity(state.catalogs.len());
    for catalog in &state.catalogs {
        if catalog.source.is_none() && catalog.packages.is_empty() {
            let (namespace, name) = (&catalog.namespace, &catalog.name);
            context.printer.warning(format_args!(
                "the catalog {namespace}/{name} names no index image, and counts as empty without --catalog {name}=INDEX"
            ));
        }
        let open = |source: &str| {
            let opened = sources::open_catalog(source, registry, limits, context);
            opened.map_err(|error| {
                let (namespace, name) = (&catalog.namespace, &catalog.name);
                let error = error.context(format!("cannot read the catalog {namespace}/{name}"));
                if named.contains(name) {
                    return error;
                }
                error.hint(format!("--catalog {name}=INDEX reads it from elsewhere"))
            })
        };
        indexes.push(catalog.source.as_deref().map(open).transpose()?);
    }
    Ok(Catalogs::new(state, indexes))
}
