//! `--api-source`: the sources for the kinds of APIs that a bundle uses but does not define.

use crate::cli::arguments::RegistryArguments;
use crate::cli::error::CommandError;
use crate::cli::values::filled;
use crate::cli::{Context, guesses};
use crate::index::api_sources::{self, ApiSourceError};
use crate::index::open::SourceLimits;
use crate::kubernetes::served::ServedResources;
use crate::synthesis::outside::Outside;
use clap::Args;

/// The option for API sources.
#[derive(Debug, Args)]
pub(crate) struct ApiSourceArguments {
    /// Source in which to look up the kinds of the resources in RBAC rules; may be repeated
    ///
    /// A source is an index (a database file, a file-based catalog or an image), a file or folder of CRDs, or the APIs
    /// of a cluster: the output of "kubectl api-resources", or of "kubectl get --raw /apis/GROUP/VERSION". Indexes are
    /// searched first. If a source contains several versions, the newest of the most stable versions is used; several
    /// kinds for one resource are an error.
    #[arg(long, value_name = "INDEX|DIR|FILE", value_parser = filled())]
    api_source: Vec<String>,
}

impl ApiSourceArguments {
    /// Returns whether any source was specified.
    pub(crate) fn is_given(&self) -> bool {
        !self.api_source.is_empty()
    }

    /// Returns the content of the sources, without samples, or `None` if no source was specified.
    pub(crate) fn outside(
        &self,
        registry: &RegistryArguments,
        limits: &SourceLimits,
        context: &Context<'_>,
    ) -> Result<Option<Outside>, CommandError> {
        if !self.is_given() {
            return Ok(None);
        }
        let sources = self.read(registry, limits, context)?;
        Ok(Some(Outside { samples: None, sources }))
    }

    /// Reads the sources.
    pub(crate) fn read(
        &self,
        registry: &RegistryArguments,
        limits: &SourceLimits,
        context: &Context<'_>,
    ) -> Result<ServedResources, CommandError> {
        let transports = registry.transports(context);
        let sources = api_sources::read(&self.api_source, &transports, limits);
        context.runtime.block_on(sources).map_err(|error| {
            if let ApiSourceError::Unreadable { diagnostics, .. } = &error {
                context.printer.report(diagnostics);
            }
            let names = self.api_source.iter();
            names.fold(CommandError::from(error), |error, name| {
                guesses::with_index_guess(error, name)
            })
        })
    }
}
