//! What helps the synthesis from outside the bundle: sample custom resources, and sources of APIs.

use crate::cli::arguments::{DatabaseLimitArguments, LimitArguments, RegistryArguments};
use crate::cli::error::CommandError;
use crate::cli::{Context, guesses};
use crate::diagnostic::Diagnostic;
use crate::index::api_sources::{self, ApiSourceError};
use crate::synthesis::outside::{Outside, Resolved};
use crate::synthesis::samples::{self, SamplesError};
use clap::Args;
use std::path::PathBuf;

/// What is known outside the bundle.
#[derive(Debug, Args)]
pub(super) struct InferenceArguments {
    /// Folder of sample custom resources, which become the alm-examples
    ///
    /// Each must be of a kind that the bundle provides. They take the place of the examples in metadata/olm.yaml.
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    /// Where kinds are looked up that RBAC rules name; may be given several times
    ///
    /// An index (a database file, a file-based catalog or an image), a file or folder of CRDs, or what a cluster says of
    /// itself: the output of "kubectl api-resources", or of "kubectl get --raw /apis/GROUP/VERSION". Indexes are asked
    /// first. Of several versions in one source the most stable and newest is taken; several kinds of one name are an
    /// error.
    #[arg(long, value_name = "INDEX|DIR|FILE")]
    api_source: Vec<String>,
    #[command(flatten)]
    database: DatabaseLimitArguments,
}

impl InferenceArguments {
    /// Reads the samples and the sources; `None` where none are named.
    pub(super) fn outside(
        &self,
        registry: &RegistryArguments,
        limits: &LimitArguments,
        context: &Context<'_>,
    ) -> Result<Option<Outside>, CommandError> {
        if self.samples.is_none() && self.api_source.is_empty() {
            return Ok(None);
        }
        let limits = limits.source(&self.database, registry);
        let samples = self
            .samples
            .as_deref()
            .map(|folder| samples::read(folder, &limits.bundle));
        let samples = match samples.transpose() {
            Ok(samples) => samples,
            Err(error) => {
                if let SamplesError::Unreadable { diagnostics, .. } = &error {
                    context.printer.report(diagnostics);
                }
                return Err(error.into());
            }
        };
        let samples = samples.map(|samples| {
            context.printer.report(&samples.diagnostics);
            samples.objects
        });
        let transports = registry.transports(context);
        let sources = api_sources::read(&self.api_source, &transports, &limits);
        let sources = context.runtime.block_on(sources).map_err(|error| {
            if let ApiSourceError::Unreadable { diagnostics, .. } = &error {
                context.printer.report(diagnostics);
            }
            let names = self.api_source.iter();
            names.fold(CommandError::from(error), |error, name| {
                guesses::with_index_guess(error, name)
            })
        })?;
        Ok(Some(Outside { samples, sources }))
    }
}

/// Says what came of it.
pub(super) fn report(findings: &[Diagnostic], resolved: &[Resolved], context: &Context<'_>) {
    context.printer.report(findings);
    for Resolved { hint, source } in resolved {
        context.printer.status(format_args!(
            "{} of group {} are {} {}, says {source}",
            hint.resource, hint.group, hint.kind, hint.version
        ));
    }
}
