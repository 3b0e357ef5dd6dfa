//! What the commands share that tell what OLM would do with a bundle: the bundle as OLM sees it, and the cluster.

use crate::cli::arguments::{LimitArguments, RegistryArguments};
use crate::cli::error::CommandError;
use crate::cli::{Context, input, sources};
use crate::cluster::dump::{self, DumpLimits};
use crate::cluster::{self, State};
use crate::index::intake::IntakeError;
use crate::install::catalogs::Catalogs;
use crate::install::content::{self, Content, ContentError};
use clap::Args;
use std::path::{Path, PathBuf};

/// The largest what-if file.
const STATE_LIMIT: usize = 64 << 20;

/// What is known of the cluster.
#[derive(Debug, Args)]
pub(crate) struct ClusterArguments {
    /// What-if file that describes the cluster: its APIs, objects, grants and error answers; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<String>,
    /// File or folder with what a cluster says of itself; may be given several times, also beside --state
    ///
    /// That is the output of \"kubectl get ... -o yaml\" or json, of \"kubectl api-resources\", and discovery documents such
    /// as that of \"kubectl get --raw /apis/GROUP/VERSION\". What they list as served is taken to be all.
    #[arg(long, value_name = "PATH", visible_alias = "objects")]
    pub(crate) cluster: Vec<PathBuf>,
}

impl ClusterArguments {
    /// Whether anything is known of the cluster.
    pub(crate) fn is_given(&self) -> bool {
        self.state.is_some() || !self.cluster.is_empty()
    }

    /// The cluster as the files describe it; an empty one where there are none.
    pub(crate) fn read(&self, limits: &LimitArguments, context: &Context<'_>) -> Result<State, CommandError> {
        let mut state = match &self.state {
            Some(name) => {
                let (name, bytes) = input::read(name, STATE_LIMIT, context)?;
                cluster::read(&name, &bytes, &limits.text())?
            }
            None => State::default(),
        };
        let dumps = DumpLimits {
            depth: limits.max_depth,
            ..DumpLimits::default()
        };
        for path in &self.cluster {
            dump::read(path, dump::kept, &dumps, &mut state)?;
        }
        Ok(state)
    }
}

/// Opens the catalogs of a state that have a source; of a what-if file, beside that file.
pub(crate) fn open_catalogs(
    state: &State,
    file: Option<&str>,
    registry: &RegistryArguments,
    context: &Context<'_>,
) -> Result<Catalogs, CommandError> {
    let mut indexes = Vec::with_capacity(state.catalogs.len());
    for catalog in &state.catalogs {
        let source = catalog.source.as_deref().map(|source| match file {
            Some(file) => cluster::source_beside(Path::new(file), source),
            None => source.to_owned(),
        });
        let open = |source: String| sources::open_catalog(&source, registry, context);
        indexes.push(source.map(open).transpose()?);
    }
    Ok(Catalogs::new(state, indexes))
}

/// Reads a bundle as OLM sees it: of an index by its name, where one is given, else of a folder or an image. `None` where
/// it has errors; they have been reported.
pub(crate) fn read_content(
    name: &str,
    index: Option<&str>,
    registry: &RegistryArguments,
    limits: &LimitArguments,
    context: &Context<'_>,
) -> Result<Option<Content>, CommandError> {
    if let Some(index) = index {
        let opened = sources::open_catalog(index, registry, context)?;
        return Ok(Some(content::of_index(&opened, name)?));
    }
    let tree = sources::bundle_files(name, registry, limits, context)?;
    match content::of_files(&tree, &limits.text()) {
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
