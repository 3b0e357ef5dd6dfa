//! `--api-source`: where the kinds of APIs are looked up that a bundle uses and does not explain.

use crate::cli::arguments::RegistryArguments;
use crate::cli::error::CommandError;
use crate::cli::{Context, guesses};
use crate::index::api_sources::{self, ApiSourceError};
use crate::index::open::SourceLimits;
use crate::kubernetes::served::ServedResources;
use crate::synthesis::outside::Outside;
use clap::Args;

/// The sources.
#[derive(Debug, Args)]
pub(crate) struct ApiSourceArguments {
    /// Where to look up the kinds that RBAC rules name; may be given several times
    ///
    /// An index (a database file, a file-based catalog or an image), a file or folder of CRDs, or what a cluster says
    /// of itself: the output of "kubectl api-resources", or of "kubectl get --raw /apis/GROUP/VERSION". Indexes are
    /// asked first. Of several versions in one source the most stable and newest is taken; several kinds of one name
    /// are an error.
    #[arg(long, value_name = "INDEX|DIR|FILE")]
    api_source: Vec<String>,
}

impl ApiSourceArguments {
    /// Whether any is named.
    pub(crate) fn is_given(&self) -> bool {
        !self.api_source.is_empty()
    }

    /// What they say, for a bundle whose samples stay as they are; `None` where none is named.
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

    /// Reads them.
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
